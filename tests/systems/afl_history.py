"""The shared table of 675 football games as a history: an event a week, weeks seven days apart."""

from __future__ import annotations

import pandas as pd
from making import SHARED

from ratinglab.history import History, Parsed, assemble

FIRST_WEEK = pd.Timestamp("2009-03-23")


def afl_table() -> pd.DataFrame:
    return pd.read_csv(SHARED / "afl" / "aflodds.csv")


def afl_history() -> History:
    """A team's games of one week are rounds of one event, `week-007`; the home team goes first.

    The weeks that have games follow each other seven days apart, winters left out: the golden tables count as periods
    only those in which somebody played.
    """
    table = afl_table()
    event = table["Week"].map("week-{:03d}".format)
    weeks = table["Week"].drop_duplicates()
    events = pd.DataFrame(
        {"event": weeks.map("week-{:03d}".format), "date": pd.date_range(FIRST_WEEK, periods=len(weeks), freq="7D")}
    )
    games = pd.DataFrame(
        {
            "event": event,
            "section": "main",
            "round": table.groupby("Week").cumcount() + 1,
            "player": table["HomeTeam"],
            "opponent": table["AwayTeam"],
            "score": table["HomeScore"],
            "opponent_score": table["AwayScore"],
            "result": table["Score"],
            "first": 1,
            "status": "played",
            "rated": 1,
        }
    )
    return assemble([Parsed({"events": events, "games": games})])
