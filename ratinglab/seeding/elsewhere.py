"""Ratings of those who are rated elsewhere only, brought to the committee's scale (`--convert national:local`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from ratinglab.problems import UsageError
from ratinglab.seeding.choice import LOCAL, NATIONAL, REPLAY, Converter, Rating, ratings_of
from ratinglab.seeding.converting import LISTED, Common, Conversion, common, conversion, listed, replayed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratinglab.history import History
    from ratinglab.replaying import Replay
    from ratinglab.seeding.entry_lists import Entered

SCALES = (LOCAL, REPLAY)  # what a national rating may be brought to


class Converted(NamedTuple):
    """A conversion of national ratings, the scale that it leads to, and who is on both lists."""

    scale: str
    conversion: Conversion
    common: Common

    @property
    def convert(self) -> Converter:
        """A rating's value and standard deviation on the committee's scale; nothing outside the range."""
        return self.conversion.one

    @property
    def says(self) -> tuple[str, ...]:
        """What it rests on and what it is worth, in sentences."""
        return (*self.common.says, *self.conversion.says)


def converted(entered: Entered, asked: str, replay: Replay | None, *, seed: int = 0) -> Converted:
    """The conversion that `national:local` or `national:replay` asks for, from everybody who has both ratings.

    Both are taken as of the event's first day: from dated lists of the history, from the entry list, and of the scale
    replay from the replay's ratings up to that day (made with details). Raises `UsageError` for other scales, and where
    too few have both.
    """
    what, _, scale = asked.partition(":")
    if what != NATIONAL or scale not in SCALES:
        raise UsageError(f"--convert is {NATIONAL}: and one of {', '.join(SCALES)}; found {asked}")
    history, event = entered.history, entered.event
    day = history.events.loc[history.events["event"] == event, "date"].iloc[0]
    as_of = None if pd.isna(day) else day
    if scale == REPLAY and replay is None:
        raise UsageError(f"--convert {asked}: there are no results to be replayed")
    own = ratings_of(history, event, entered.beside, None)
    players = history.entries.loc[history.entries["event"] == event, "player"].tolist()
    there = _with_entrants(_list(history, NATIONAL, as_of), players, own, national=True)
    if scale == REPLAY and replay is not None:
        here = replayed(replay, as_of=None if as_of is None else f"{as_of:%Y-%m-%d}")
    else:
        here = _with_entrants(_list(history, LOCAL, as_of), players, own, national=False)
    both = common(there, here)
    return Converted(scale, conversion(both.pairs, seed=seed), both)


def _list(history: History, kind: str, as_of: pd.Timestamp | None) -> pd.DataFrame:
    """The history's list of a kind; without one, nobody."""
    if not (history.rating_lists["kind"].str.casefold() == kind).any():
        return pd.DataFrame({name: pd.Series(dtype=object) for name in LISTED})
    return listed(history, kind, as_of=as_of)


def _with_entrants(
    table: pd.DataFrame, players: Sequence[str], ratings: Sequence[Sequence[Rating]], *, national: bool
) -> pd.DataFrame:
    """The list with the entrants who are on none, by the latest rating of that sort that their entries give."""
    rows: list[dict[str, Any]] = []
    for player, of in zip(players, ratings, strict=True):
        mine = [one for one in of if one.national == national]
        if mine:
            best = max(mine, key=lambda one: pd.Timestamp.min if pd.isna(one.day) else one.day)
            rows.append(dict(zip(LISTED, (player, best.rating, best.deviation, best.day), strict=True)))
    if not rows:
        return table
    more = pd.DataFrame(rows).drop_duplicates("player")
    more = more[~more["player"].isin(table["player"])].astype({"date": "datetime64[us]"})
    return pd.concat([table, more], ignore_index=True) if len(table) else more.reset_index(drop=True)
