"""The shared table of 16,810 football games as a history: an event for each day of play."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd
from making import SHARED

from ratinglab.history import History, Parsed, assemble


def nfl_table() -> pd.DataFrame:
    return pd.read_csv(SHARED / "nfl" / "nfl_games.csv")


def season_starts() -> pd.DataFrame:
    return pd.read_csv(SHARED / "nfl" / "season_starts.csv")


def nfl_history(starts: pd.DataFrame) -> History:
    """First values as filed ratings of entries; the home team goes first, on neutral ground nobody.

    A team with one of the `starts` (team, season, elo) is from that season on somebody else, as `LAR 1944`.
    """
    table = nfl_table()
    initial = pd.read_csv(SHARED / "nfl" / "initial_elos.csv").set_index("team")["elo"].to_dict()
    for column in ("team1", "team2"):
        named = table[column].copy()
        for team, season, elo in starts[["team", "season", "elo"]].itertuples(index=False):
            name = f"{team} {season}"
            named[(table[column] == team) & (table["season"] >= season)] = name
            initial[name] = elo
        table[column] = named
    days = table["date"].drop_duplicates()
    games = pd.DataFrame(
        {
            "event": table["date"],
            "section": "main",
            "round": 1,
            "player": table["team1"],
            "opponent": table["team2"],
            "score": table["score1"].astype(float),
            "opponent_score": table["score2"].astype(float),
            "result": table["result1"],
            "first": table["neutral"].map({0: 1, 1: None}),
            "status": "played",
            "rated": 1,
        }
    )
    sides = pd.concat([games[["event", "section", c]].rename(columns={c: "player"}) for c in ("player", "opponent")])
    entries = sides.assign(rating=sides["player"].map(initial))
    tables = {"events": pd.DataFrame({"event": days, "date": pd.to_datetime(days)}), "entries": entries, "games": games}
    return assemble([Parsed(tables)])


def without(starts: pd.DataFrame, teams: Collection[str]) -> pd.DataFrame:
    return starts[~starts["team"].isin(teams)]
