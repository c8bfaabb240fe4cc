"""Where two runs part: entry by entry, game by game, event by event, and where each player's ratings first differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ratinglab import names
from ratinglab.revisions.people import People
from ratinglab.revisions.sides import DIGITS, Side

ADDED, REMOVED, CORRECTED, RIPPLED, SAME = "added", "removed", "corrected", "rippled", "same"
IN_BOTH = "in both"  # where no changes say whether it is the same
# What of an event was corrected.
RESULTS, ENTRANTS, NAMES, DATE, FILED, UNSEEN = "results", "entrants", "names", "date", "filed rating", "not seen"
SETTINGS = "settings"
EVENT_COLUMNS = (
    "event", "state", "what", "date", "date_old", "late", "entrants", "touched",
    "games_old", "games_new", "largest_change", "largest_player",
)  # fmt: skip
GAME_COLUMNS = (
    "event", "section", "round", "player", "opponent", "state", "result_old", "result_new", "spread_old", "spread_new"
)  # fmt: skip

_INPUTS = ("games", "wins", "place", "of")  # of an entry: what was filed, not what was made of it
_MADE = ("before", "deviation_before", "after", "deviation_after")


@dataclass(frozen=True)
class Parting:
    """Events, corrected games, and entries of both runs beside each other.

    events: one row an event (`EVENT_COLUMNS`), in the order of the newer run. games: one row a game that was added to,
    removed from or corrected in an event of both runs (`GAME_COLUMNS`); None where a run keeps no games. first: by
    `key`, of everybody whose entries differ, the first event in which they do: event, date, cause, own (yes, no, or
    empty for not known: whether the player's own results were corrected), origin (the events with a correction that it
    comes from, `;` between). touched: by event, the keys of those whose figures differ.
    """

    events: pd.DataFrame
    games: pd.DataFrame | None
    first: pd.DataFrame
    touched: Mapping[str, frozenset[str]]


def rested_on(old: Side, new: Side) -> pd.DataFrame | None:
    """Of runs without changes the events that either list rests on: added, removed, or in both and else not known.

    The columns of `Parting.events`; None where one of them does not say what it rests on.
    """
    if old.rests is None or new.rests is None:
        return None
    order = _order(old.rests, new.rests)
    dates = [order.dates[1].get(event, order.dates[0].get(event)) for event in order.events]
    table = pd.DataFrame({"event": order.events, "date": pd.Series(dates, dtype="datetime64[us]")})
    table["state"] = table["event"].map(order.state).replace({SAME: IN_BOTH})
    table["what"] = ""
    table["late"] = (table["date"] <= order.last).astype("boolean").where(table["state"] == ADDED)
    return _typed(table.reindex(columns=list(EVENT_COLUMNS)))


def parting(old: Side, new: Side, people: People, *, settings: bool) -> Parting | None:
    """How two runs part; None where one of them has no changes.csv. `settings`: they were not made alike."""
    if old.changes is None or new.changes is None:
        return None
    both = _beside(_keyed(old.changes, people.old), _keyed(new.changes, people.new))
    order = _order(old.changes, new.changes)
    games = _games(old, new, people)
    corrected = None if games is None else games[games["event"].map(order.state) == SAME]
    entries = _judged(both, order, corrected, settings)
    refiled = frozenset() if corrected is None else frozenset(corrected["event"])
    events = _events(entries, order, settings, refiled)
    shared = None if corrected is None else corrected[list(GAME_COLUMNS)].reset_index(drop=True)
    differ = entries[entries["differs"]].groupby("event", sort=False)["key"]
    touched = {str(event): frozenset(keys) for event, keys in differ}
    return Parting(events, shared, _first(entries, events, old, new, people, settings), touched)


@dataclass(frozen=True)
class _Order:
    """The events of both runs in time order, on which side each is, and their dates on either."""

    events: list[str]
    state: Mapping[str, str]
    dates: tuple[Mapping[str, pd.Timestamp], Mapping[str, pd.Timestamp]]
    last: pd.Timestamp  # the last day of the older run

    @property
    def place(self) -> dict[str, int]:
        return {event: i for i, event in enumerate(self.events)}


def _order(old: pd.DataFrame, new: pd.DataFrame) -> _Order:
    sides = [side.drop_duplicates("event").set_index("event")["date"] for side in (old, new)]
    known: dict[Any, Any] = sides[1].combine_first(sides[0]).to_dict()
    listed: list[Any] = list(
        dict.fromkeys([*sides[1].index, *sides[0].index])
    )  # both in time order; equal days as in the newer
    listed.sort(key=lambda event: known[event] if pd.notna(known[event]) else pd.Timestamp.max)
    state = {
        event: ADDED if event not in sides[0].index else REMOVED if event not in sides[1].index else SAME
        for event in listed
    }
    dates: list[dict[Any, Any]] = [side.to_dict() for side in sides]
    return _Order(listed, state, (dates[0], dates[1]), sides[0].max())


def _keyed(changes: pd.DataFrame, renamed: Mapping[str, str]) -> pd.DataFrame:
    """The entries with `own` (the person by this run's name) and `key` (by the one name of both runs)."""
    own = changes["player"].map(_keys(changes["player"]))
    table = changes.assign(own=own, key=own.replace(dict(renamed)))
    return table.assign(nth=table.groupby(["event", "section", "key"]).cumcount())


def _keys(players: pd.Series) -> dict[str, str]:
    return {name: names.key(name) for name in players.dropna().unique()}


def _beside(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    place = ["event", "section", "key", "nth"]
    return old.merge(new, on=place, how="outer", suffixes=("_old", "_new"), indicator="side", sort=False)


def _differ(table: pd.DataFrame, columns: Iterable[str]) -> pd.Series:
    """Whether any of these figures differs; one that only one side knows does, one that a side has no column of not."""
    differs = pd.Series(False, index=table.index)
    for column in columns:
        if f"{column}_old" in table and f"{column}_new" in table:
            one, other = table[f"{column}_old"], table[f"{column}_new"]
            if one.dtype.kind in "fiu":
                one, other = one.astype("float64").round(DIGITS), other.astype("float64").round(DIGITS)
            differs |= (one != other) & ~(one.isna() & other.isna())
    return differs


def _games(old: Side, new: Side, people: People) -> pd.DataFrame | None:
    """The games that one run has otherwise than the other, from the side whose name sorts first; None if not known."""
    if old.games is None or new.games is None:
        return None
    sides = [_turned(side.games, renamed) for side, renamed in ((old, people.old), (new, people.new))]
    place = ["event", "section", "round", "one", "another", "nth"]
    both = sides[0].merge(sides[1], on=place, how="outer", suffixes=("_old", "_new"), indicator="side", sort=False)
    for column in ("result", "spread"):
        for which in ("old", "new"):
            if f"{column}_{which}" not in both:
                both[f"{column}_{which}"] = np.nan
    changed = (both["side"] != "both") | _differ(both, ("result", "spread"))
    both = both[changed].copy()
    both["state"] = both["side"].map({"left_only": REMOVED, "right_only": ADDED, "both": CORRECTED}).astype("str")
    for column in ("player", "opponent"):
        both[column] = both[f"{column}_new"].fillna(both[f"{column}_old"])
    return both.sort_values(["event", "section", "round", "player"], kind="stable")


def _turned(games: pd.DataFrame | None, renamed: Mapping[str, str]) -> pd.DataFrame:
    """Games told from the side whose key sorts first (`one`), so that a new name does not turn them round."""
    assert games is not None
    keys = {**_keys(games["player"]), **_keys(games["opponent"])}
    one, another = (games[side].map(keys).replace(dict(renamed)) for side in ("player", "opponent"))
    turn = (one > another).to_numpy()
    table = games.assign(
        one=one.where(~turn, another), another=another.where(~turn, one),
        player=games["player"].where(~turn, games["opponent"]),
        opponent=games["opponent"].where(~turn, games["player"]),
    )  # fmt: skip
    if "result" in games:
        table["result"] = games["result"].where(~turn, 1 - games["result"])
    if "spread" in games:
        table["spread"] = games["spread"].where(~turn, -games["spread"])
    return table.assign(nth=table.groupby(["event", "section", "round", "one", "another"]).cumcount())


def _judged(both: pd.DataFrame, order: _Order, games: pd.DataFrame | None, settings: bool) -> pd.DataFrame:
    """The entries of both runs in time order, each with what is otherwise about it.

    Columns added: place (of the event in time), differs, and of what was filed: own (results of the entrant itself),
    one_sided, renamed, redated, filed (the first entry starts from another rating); before (it differs before the
    event already).
    """
    place = order.place
    table = both.assign(place=both["event"].map(place)).sort_values("place", kind="stable", ignore_index=True)
    shared = table["event"].map(order.state) == SAME
    table["one_sided"] = shared & (table["side"] != "both")
    table["renamed"] = shared & (table["side"] == "both") & (table["own_old"] != table["own_new"])
    table["own"] = shared & (table["side"] == "both") & _differ(table, _INPUTS)
    if games is not None:
        whose = pd.concat([games[["event", "section", side]].set_axis(["event", "section", "key"], axis=1)
                           for side in ("one", "another")])  # fmt: skip
        table["own"] |= _among(table, whose) & (table["side"] == "both")
    table["redated"] = shared & (table["event"].map(order.dates[0]) != table["event"].map(order.dates[1]))
    table["redated"] &= table["event"].map(order.dates[0]).notna() | table["event"].map(order.dates[1]).notna()
    table["before"] = (table["side"] == "both") & _differ(table, ("before", "deviation_before"))
    first = ~table.duplicated("key")
    alone = table["redated"] | table["own"] | table["renamed"]  # a newcomer's first rating may come from the event
    table["filed"] = shared & first & table["before"] & ~alone & (not settings)
    inputs = table[["one_sided", "renamed", "own", "redated", "filed"]].any(axis=1)
    table["differs"] = (table["side"] != "both") | inputs | _differ(table, _MADE)
    return table


def _among(table: pd.DataFrame, rows: pd.DataFrame) -> pd.Series:
    columns = ["event", "section", "key"]
    wanted = pd.MultiIndex.from_frame(rows[columns].drop_duplicates())
    return pd.Series(pd.MultiIndex.from_frame(table[columns]).isin(wanted), index=table.index)


def _events(entries: pd.DataFrame, order: _Order, settings: bool, refiled: Collection[str]) -> pd.DataFrame:
    """One row for each event: see `Parting`; `refiled` are the events with a game that is filed otherwise."""
    rows = []
    by_event = dict(iter(entries.groupby("event", sort=False)))
    for event in order.events:
        part = by_event[event]
        state, what = _state(part, order.state[event], settings, event in refiled)
        change = part["after_new"] - part["after_old"]
        largest: Any = change.abs().round(DIGITS).idxmax() if change.notna().any() else None
        known = largest is not None and abs(change[largest]) >= 10**-DIGITS and state not in (ADDED, REMOVED)
        date, before = order.dates[1].get(event), order.dates[0].get(event)
        date = before if date is None else date
        rows.append(
            {
                "event": event,
                "state": state,
                "what": what,
                "date": date,
                "date_old": before if DATE in what else pd.NaT,
                "late": bool(date <= order.last) if state == ADDED and pd.notna(date) else pd.NA,
                "entrants": part["key"].nunique(),
                "touched": part.loc[part["differs"], "key"].nunique(),
                "games_old": part["games_old"].sum() if "games_old" in part and state != ADDED else pd.NA,
                "games_new": part["games_new"].sum() if "games_new" in part and state != REMOVED else pd.NA,
                "largest_change": change[largest] if known else np.nan,
                "largest_player": part.loc[largest, "player_new"] if known else None,
            }
        )
    return _typed(pd.DataFrame(rows, columns=list(EVENT_COLUMNS)))


def _typed(table: pd.DataFrame) -> pd.DataFrame:
    whole = dict.fromkeys(("entrants", "touched", "games_old", "games_new"), "Int64")
    return table.astype({**whole, "late": "boolean", "largest_player": "str", "date": "datetime64[us]",
                         "date_old": "datetime64[us]"})  # fmt: skip


def _state(part: pd.DataFrame, side: str, settings: bool, refiled: bool) -> tuple[str, str]:
    if side != SAME:
        return side, ""
    causes = (("own", RESULTS), ("one_sided", ENTRANTS), ("renamed", NAMES), ("redated", DATE), ("filed", FILED))
    what = [word for column, word in causes if part[column].any() or (refiled and column == "own")]
    if what:
        return CORRECTED, ";".join(what)
    if not part["differs"].any():
        return SAME, ""
    if not settings and not part["before"].any():
        # the same system makes of the same ratings and results the same: something was filed that no table shows
        return CORRECTED, UNSEEN
    return RIPPLED, SETTINGS if settings else ""


def _first(
    entries: pd.DataFrame, events: pd.DataFrame, old: Side, new: Side, people: People, settings: bool
) -> pd.DataFrame:
    """Of everybody whose entries differ, where they first do and why: see `Parting.first`."""
    state = dict(zip(events["event"], events["state"], strict=True))
    what = dict(zip(events["event"], events["what"], strict=True))
    firsts = entries[entries["differs"]].drop_duplicates("key").sort_values("place", kind="stable")
    at = dict(zip(firsts["key"], firsts["place"], strict=True))
    opponents = _opponents(firsts, old, new, people)
    sections: dict[tuple[str, str], list[str]] = defaultdict(list)
    for event, section, key in zip(entries["event"], entries["section"], entries["key"], strict=True):
        sections[event, section].append(key)
    origins: dict[str, dict[str, None]] = {}
    rows = []
    row: Any
    for row in firsts.itertuples(index=False):
        event, key, own = str(row.event), str(row.key), ""
        if state[event] in (ADDED, REMOVED):
            cause = state[event]
        elif row.one_sided:
            cause = ENTRANTS
        elif row.renamed:
            cause = NAMES
        elif row.own:
            cause, own = RESULTS, "yes"
        elif row.filed:
            cause = FILED
        elif row.redated:
            cause = DATE
        else:
            cause = RIPPLED
        mine = {event: None} if cause != RIPPLED else {}
        if cause == RIPPLED and not settings:
            met = opponents.get((event, key)) or sections[event, str(row.section)]
            for other in met:
                if at.get(other, row.place) < row.place:
                    mine |= origins[other]
            if state[event] == CORRECTED:
                mine[event] = None
                if {RESULTS, ENTRANTS, UNSEEN} & set(what[event].split(";")):
                    # a team's games do not say whose of its members the correction was, nor do tables without games
                    seen = (event, key) in opponents and UNSEEN not in what[event]
                    cause, own = RESULTS, "no" if seen else ""
        origins[key] = mine
        rows.append((key, event, row.date_new if pd.notna(row.date_new) else row.date_old, cause, own, ";".join(mine)))
    return pd.DataFrame(rows, columns=["key", "event", "date", "cause", "own", "origin"]).set_index("key")


def _opponents(firsts: pd.DataFrame, old: Side, new: Side, people: People) -> dict[tuple[str, str], list[str]]:
    """Whom each met in the event in which its ratings first differ, by (event, key); people, where games name them."""
    wanted = set(zip(firsts["event"], firsts["key"], strict=True))
    events = {event for event, _ in wanted}
    met: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for side, renamed in ((old, people.old), (new, people.new)):
        if side.games is None:
            return {}
        games = _turned(side.games[side.games["event"].isin(events)], renamed)
        for event, one, another in zip(games["event"], games["one"], games["another"], strict=True):
            met[event, one][another] = None
            met[event, another][one] = None
    return {pair: list(others) for pair, others in met.items() if pair in wanted}
