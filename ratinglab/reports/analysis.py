"""What the report's pages show, as tables: the figures, without a word about them.

Uncertainty of forecasts comes from resampling events, with the same resamples for every system.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ratinglab import schema
from ratinglab.scoring import METRICS, SPREAD_METRICS, score
from ratinglab.seeding.seeding import known_before, unplayed

if TYPE_CHECKING:
    from ratinglab.periods import Bools
    from ratinglab.replaying import Replay
    from ratinglab.scheduling import Schedule

NO_POOL = "no pool given"


# --- the history in figures ---------------------------------------------------------------------------------------


def with_people(schedule: Schedule, changes: pd.DataFrame) -> pd.DataFrame:
    """The changes with each entrant's team, and whether the entrant was new (no rating before, filed or earned)."""
    row = schedule.entry_row
    rated, filed = known_before(schedule)
    keys = ["event", "section", "player", "number"]
    entries = schedule.history.entries[[*keys, "team"]].iloc[row]
    people = entries.assign(new=~(rated | filed)).drop_duplicates(keys)
    return changes.merge(people, on=keys, how="left", validate="many_to_one")


def events_table(schedule: Schedule, changes: pd.DataFrame) -> pd.DataFrame:
    """One row for each event: what it is, its entrants (people), rated games, and how far it moved ratings.

    `changes` come from `with_people`. The mean size of a change, the biggest rise and the biggest fall are of those who
    played a rated game and had a rating before; where nobody rose (or fell) there is none.
    """
    events = schedule.history.events
    games = np.bincount(schedule.event_of_game(), minlength=len(events))
    entrants = schedule.history.entries.groupby("event")["player"].nunique()
    table = events[["event", "name", "date", "end_date", "place", "pool", "rounds", "availability", "note"]].copy()
    table["entrants"] = table["event"].map(entrants).fillna(0).astype("int64")
    table["games"] = games
    moved = changes[(changes["games"] > 0) & ~changes["new"]]
    moved = moved.assign(change=moved["after"] - moved["before"]).dropna(subset="change")
    by = moved.groupby("event", sort=False)["change"]
    table["mean_change"] = table["event"].map(by.agg(lambda values: values.abs().mean()))
    for name, rows, sign in (("rise", by.idxmax(), 1), ("fall", by.idxmin(), -1)):
        extreme = moved.loc[rows].set_index("event")
        extreme = extreme[extreme["change"] * sign > 0]
        table[f"{name}_player"] = table["event"].map(extreme["player"])
        table[name] = table["event"].map(extreme["change"])
    return table


def pools(schedule: Schedule, events: pd.DataFrame) -> pd.DataFrame:
    """The history by pool, and in all: events, those rated, awaited and to come, people, rated games, days."""
    entries = schedule.history.entries
    pool_of = dict(zip(events["event"], events["pool"].fillna(NO_POOL), strict=True))
    person_pool = entries["event"].map(pool_of)
    rows = []
    names = [*dict.fromkeys(pool_of.values())]
    for name in [*names, None] if len(names) > 1 else [None]:
        mine = events if name is None else events[events["pool"].fillna(NO_POOL) == name]
        people = entries["player"] if name is None else entries.loc[person_pool == name, "player"]
        rated = mine[mine["games"] > 0]
        rows.append(
            {
                "pool": name or "all",
                "events": len(mine),
                "rated": len(rated),
                "awaited": int(mine["availability"].isin((schema.AWAITED, schema.INCOMPLETE)).sum()),
                "to_come": int(mine["event"].isin(unplayed(schedule.history)).sum()),
                "people": people.nunique(),
                "games": int(mine["games"].sum()),
                "first": rated["date"].min(),
                "last": rated["end_date"].max(),
            }
        )
    return pd.DataFrame(rows)


def rating_histories(replay: Replay, players: list[str]) -> pd.DataFrame:
    """The ratings of `players` after each event in which they played a rated game: player, event, date, rating, …

    Events without a date have no place on an axis of time and are left out.
    """
    changes = replay.changes
    kept = changes[(changes["games"] > 0) & changes["player"].isin(players) & changes["date"].notna()]
    columns = {"player": "player", "event": "event", "date": "date", "after": "rating", "deviation_after": "deviation"}
    table = kept[[c for c in columns if c in kept.columns]].rename(columns=columns)
    # of several sections in one event, the last
    table = table.drop_duplicates(["player", "event"], keep="last")
    rank = table["player"].map({player: i for i, player in enumerate(players)})
    return table.iloc[np.lexsort((np.arange(len(table)), rank))].reset_index(drop=True)


# --- forecasts ------------------------------------------------------------------------------------------------------


def scores(replays: Mapping[str, Replay], kept: Mapping[str, Bools], seed: int) -> pd.DataFrame:
    """The scores of every system on the same games, one row for each system and subset; a coin has none."""
    rows = [
        score(replay, seed=seed, subset=mask, label=name).assign(system=system)
        for name, mask in kept.items()
        for system, replay in replays.items()
    ]
    table = pd.concat(rows, ignore_index=True)
    metrics = [m for m in (*METRICS, *SPREAD_METRICS) if m in table]
    return table[["system", "parameters", "subset", "games", *(c for m in metrics for c in (m, f"{m}_se"))]]
