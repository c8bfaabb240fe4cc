"""What a history's tables say of each entry beside its rated games: who plays under a name, age, grade, place, lists.

`ratinglab.scheduling` makes batches of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ratinglab.periods import Floats, Ints, Listed

if TYPE_CHECKING:
    from ratinglab.history import History


class Units:
    """Finds the unit that plays under a name in a section."""

    def __init__(self, history: History, sections: pd.MultiIndex, keys: Ints, names: npt.NDArray[Any]) -> None:
        """Units with these keys (section times the number of names, and name), in the order of rating."""
        self.events = pd.Index(history.events["event"])
        self.sections = sections
        self.names = pd.Index(names)
        self.by_key = np.argsort(keys, kind="stable")
        self.keys = keys[self.by_key]

    def period(self, games: pd.DataFrame) -> Ints:
        """The period of each game."""
        event = self.events.get_indexer(games["event"])
        return self.sections.get_indexer(pd.MultiIndex.from_arrays([event, games["section"]]))

    def unit(self, period: Ints, name: Ints) -> Ints:
        """The unit of each name, given by its place among all names, in its period."""
        key = period * max(1, len(self.names)) + name
        return self.by_key[np.searchsorted(self.keys, key)]


def listed_games(history: History, units: Units, rated: Ints, played: Ints, unit: Ints) -> dict[str, Any]:
    """For each entry (of `unit`) its games in the files whatever their status, and those without an opponent.

    `rated` are the rows of history.games that are rated, of which each unit has `played`.
    """
    n = len(units.keys)
    rest = np.ones(len(history.games), dtype=bool)
    rest[rated] = False
    listed, unopposed = played, np.zeros(n, dtype=np.int64)
    others = history.games[rest]
    if len(others):
        period = units.period(others)
        for side, other in (("player", "opponent"), ("opponent", "player")):
            there = others[side].notna().to_numpy()
            at = units.unit(period[there], units.names.get_indexer(others.loc[there, side]))
            listed = listed + np.bincount(at, minlength=n)
            unopposed = unopposed + np.bincount(at[others.loc[there, other].isna().to_numpy()], minlength=n)
    return {"listed": listed[unit], "unopposed": unopposed[unit]}


def people(history: History, order: Ints, event: Ints) -> dict[str, Any]:
    """What the tables say of each entry's person at the event (its row in `event`), beside the ratings filed."""
    entries = history.entries.iloc[order]
    players = history.players.drop_duplicates("player").set_index("player")

    def known(column: str) -> pd.Series:
        own = entries[column]
        return own.fillna(entries["player"].map(players[column])) if own.isna().any() and len(players) else own

    place, field = np.full(len(order), np.nan), np.full(len(order), np.nan)
    if len(history.placings):
        placings = history.placings.drop_duplicates(["event", "player"])
        found = pd.MultiIndex.from_frame(placings[["event", "player"]]).get_indexer(
            pd.MultiIndex.from_frame(entries[["event", "player"]])
        )
        # who is entered in two sections of an event is placed once
        once = (found >= 0) & ~entries.duplicated(["event", "player"]).to_numpy()
        for column, into in (("place", place), ("of", field)):
            into[once] = placings[column].to_numpy(dtype=float, na_value=np.nan)[found[once]]
    return {
        "born": known("birth_date").to_numpy().astype("datetime64[D]"),
        "grade": grades(known("grade")),
        "place": place,
        "field": field,
        "lists": _lists(history, entries["player"], event),
    }


def grades(column: pd.Series) -> Floats:
    """School grades as numbers: kindergarten 0; nan for what is no grade."""
    code, written = pd.factorize(column)  # few are different
    text = pd.Series(written, dtype="str").str.strip()
    number = text.str.extract(r"^(?:grade|gr\.?)?\s*(\d{1,2})(?:st|nd|rd|th)?\b", flags=re.IGNORECASE)[0].astype(float)
    kindergarten = text.str.fullmatch("k|kg|kindergarten", case=False)
    known: Floats = np.append(number.mask(kindergarten, 0.0), np.nan)
    return known[code]  # -1 where nothing is written


def _lists(history: History, player: pd.Series, event: Ints) -> dict[str, Listed]:
    """By kind of rating list: each entry's latest and highest rating in lists dated up to the event's first day."""
    lists = history.rating_lists.dropna(subset=["list_date", "rating"])
    day = history.events["date"].iloc[event].to_numpy()
    asked = pd.DataFrame({"player": player.to_numpy(), "day": day}).reset_index(names="row").dropna(subset="day")
    asked = asked.sort_values("day", kind="stable")
    out = {}
    for kind, of_kind in lists.groupby(lists["kind"].fillna("")):
        of_kind = of_kind.sort_values("list_date", kind="stable")
        of_kind = of_kind.assign(peak=of_kind.groupby("player")["rating"].cummax())
        of_kind = of_kind[["player", "list_date", "rating", "peak"]]
        found = pd.merge_asof(asked, of_kind, left_on="day", right_on="list_date", by="player").set_index("row")
        found = found.reindex(range(len(player)))
        out[str(kind)] = Listed(found["rating"].to_numpy(), found["peak"].to_numpy())
    return out
