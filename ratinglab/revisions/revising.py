"""`revise`: what changed between two rating lists or two runs, who moved, and why, as far as it can be known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ratinglab import names
from ratinglab.proposals.list_changes import Scales, list_order, scales
from ratinglab.revisions import events as parts
from ratinglab.revisions import runs
from ratinglab.revisions.people import SPLIT, people
from ratinglab.revisions.runs import Made
from ratinglab.revisions.sides import DIGITS, Side

NEW, GONE, MOVED, RANK, FIGURES, SAME = "new", "gone", "moved", "rank only", "other figures", "same"
# Causes beside those of `events` (added, removed, results, entrants, names, date, filed rating, rippled,
# settings).
DAY, PLAYED, LISTING = "day of the list", "played since", "listing"
OTHERS, VERSIONS, UNKNOWN = "others", "versions", "not known"
COLUMNS = (
    "player", "rank_old", "rank_new", "rating_old", "rating_new", "change", "first_difference", "cause", "own",
    "origin", "first_date", "state", "deviation_old", "deviation_new", "games_old", "games_new",
)  # fmt: skip
_PAIRED = ("section", "rank", "rating", "deviation", "games", "events", "as_of", "last_event")


@dataclass(frozen=True)
class Revision:
    """Two lists beside each other; columns: docs/tables.md.

    players: everybody on either list, in the order of the newer one, those gone last. settings: what the two manifests
    say differently. events: None where nothing says which there were; games: None where a run keeps none. unit: of the
    last digit that is compared; computed: the sides ("older", "newer") whose ranks are made here, of their ratings.
    order: Kendall's tau-b of the two lists over the players on both; scale: how their points compare, None where a list
    has ranks alone. touched: by event, whose figures differ (keys by `names.key`).
    """

    old: Side
    new: Side
    players: pd.DataFrame
    settings: pd.DataFrame
    made: Made
    people: pd.DataFrame
    events: pd.DataFrame | None
    games: pd.DataFrame | None
    unit: float
    computed: tuple[str, ...]
    order: float
    scale: Scales | None
    touched: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def rated(self) -> bool:
        """Whether both lists have ratings."""
        return self.scale is not None

    @property
    def in_points(self) -> bool:
        """Whether points of the two can be compared: ratings on both, by one system as far as it is known."""
        return self.rated and not self.made.system

    @property
    def nothing(self) -> bool:
        """Whether the two lists are the same, figure for figure."""
        return bool((self.players["state"] == SAME).all())

    def count(self, *states: str) -> int:
        """How many people are in one of these states."""
        return int(self.players["state"].isin(states).sum())

    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table by the name of its file; those of which nothing is known are left out."""
        made = {"revisions.csv": self.players, "settings.csv": self.settings, "people.csv": self.people}
        made |= {} if self.events is None else {"events.csv": self.events}
        return made | ({} if self.games is None else {"games.csv": self.games})


def revise(old: Side, new: Side) -> Revision:
    """What changed from the older to the newer of two sides (`sides.read_sides`).

    People are matched by name whatever its case, spaces and order of words. Two ratings are the same if they differ by
    no more than half a unit of the last digit of the list with fewer digits.
    """
    made = runs.made_alike(old.record, new.record)
    renamed = people(old, new)
    parting = parts.parting(old, new, renamed, settings=made.settings)
    unit = 10.0 ** -min(old.decimals, new.decimals) if _rated(old) and _rated(new) else 10.0**-DIGITS
    table, computed = _beside(old, new, unit)
    table["state"] = _states(table, unit)
    rated = _rated(old) and _rated(new)
    change = table["rating_new"] - table["rating_old"] if rated else pd.Series(np.nan, index=table.index)
    table["change"] = change.where(change.abs() > unit * (0.5 + 1e-6), change * 0).round(DIGITS) + 0.0
    compared = table.assign(current=table.get("rating_old"), proposed=table.get("rating_new"), difference=change)
    order = list_order(compared) if rated else np.nan
    first = None if parting is None else parting.first
    table = _explained(table, first, _Known(old, new, made, renamed.table))
    if made.system:
        table["change"] = np.nan
    return Revision(
        old,
        new,
        table.reindex(columns=[c for c in ("section", *COLUMNS) if c in table]).reset_index(drop=True),
        runs.differences(old.record, new.record),
        made,
        renamed.table,
        parts.rested_on(old, new) if parting is None else parting.events,
        None if parting is None else parting.games,
        unit,
        computed,
        order,
        scales(compared) if rated else None,
        {} if parting is None else parting.touched,
    )


def _rated(side: Side) -> bool:
    return "rating" in side.listed


def _beside(old: Side, new: Side, unit: float) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The two lists joined by person (and section), in the newer's order, with ranks; and whose ranks are made here."""
    lists, computed = [], []
    for word, side in (("older", old), ("newer", new)):
        listed = side.listed
        if "rank" not in listed:
            computed.append(word)
            of = listed.groupby("section")["rating"] if "section" in listed else listed["rating"]
            listed = listed.assign(rank=of.rank(method="min", ascending=False).astype("Int64"))
        lists.append(listed)
    place = ["section", "key"] if all("section" in one for one in lists) else ["key"]
    sides = []
    for which, listed in zip(("old", "new"), lists, strict=True):
        kept = listed[[c for c in ("key", "player", *_PAIRED) if c in listed]]
        kept = kept.assign(row=range(len(kept)))
        sides.append(kept.rename(columns={c: f"{c}_{which}" for c in kept if c not in place}))
    table = sides[0].merge(sides[1], on=place, how="outer", sort=False)
    table = table.sort_values(["row_new", "row_old"], kind="stable", ignore_index=True)
    table["player"] = table["player_new"].fillna(table["player_old"])
    return table, tuple(computed)


def _states(table: pd.DataFrame, unit: float) -> pd.Series:
    def differs(column: str, within: float = 0.0) -> pd.Series:
        if f"{column}_old" not in table or f"{column}_new" not in table:
            return pd.Series(False, index=table.index)
        one, other = (table[f"{column}_{which}"].astype("float64") for which in ("old", "new"))
        return ((one - other).abs() > within) | (one.isna() != other.isna())

    half = unit * (0.5 + 1e-6)  # a rating that ends in 5 may have been rounded either way
    state = pd.Series(SAME, index=table.index, dtype="str")
    state = state.mask(differs("deviation", half) | differs("games") | differs("events"), FIGURES)
    state = state.mask(differs("rank"), RANK)
    state = state.mask(differs("rating", half), MOVED)
    return state.mask(table["row_old"].isna(), NEW).mask(table["row_new"].isna(), GONE)


@dataclass(frozen=True)
class _Known:
    """What is known of both runs as a whole when one player's change is explained."""

    old: Side
    new: Side
    made: Made
    people: pd.DataFrame

    @property
    def days_differ(self) -> bool:
        return self.old.as_of is not None and self.new.as_of is not None and self.old.as_of != self.new.as_of

    @property
    def renamed(self) -> frozenset[str]:
        """Who stands under another name, on either side, and who they were joined with or parted from."""
        column = [*self.people["old_name"], *self.people["new_name"]]
        return frozenset(names.key(name) for name in column)


def _explained(table: pd.DataFrame, first: pd.DataFrame | None, known: _Known) -> pd.DataFrame:
    """The players with where their ratings first differ and why."""
    renamed = known.renamed
    # who was renamed is told of by the one name of both runs
    old_names = dict(zip(known.people["old_name"].map(names.key), known.people["new_name"].map(names.key), strict=True))
    split = known.people["kind"] == SPLIT
    for one, other in zip(known.people["old_name"][split], known.people["new_name"][split], strict=True):
        old_names[names.key(other)] = names.key(one)
        old_names.pop(names.key(one), None)
    rows = []
    records: list[Any] = table.to_dict("records")
    by_key: dict[Any, Any] = {} if first is None else first.to_dict("index")
    for row in records:
        found: Mapping[str, Any] = {}
        if row["state"] != SAME and first is not None:
            key = old_names.get(row["key"], row["key"])
            found = by_key.get(key, {})
        cause = "" if row["state"] == SAME else _cause(row, found, first is not None, known)
        if row["key"] in renamed and row["state"] in (NEW, GONE):
            cause = parts.NAMES
        rows.append(
            {
                "first_difference": found.get("event"),
                "first_date": found.get("date", pd.NaT),
                "cause": cause,
                "own": found.get("own", ""),
                "origin": found.get("origin", ""),
            }
        )
    told = pd.DataFrame(rows, index=table.index)
    told["first_date"] = told["first_date"].astype("datetime64[us]")
    return table.assign(**{str(column): told[column] for column in told})


def _cause(row: Mapping[str, Any], found: Mapping[str, Any], entries: bool, known: _Known) -> str:
    """Why somebody's figures changed; several causes with `;` between, where each may have moved them."""
    if found:
        cause = str(found["cause"])
        if not known.made.settings:
            return cause
        return parts.SETTINGS if cause == parts.RIPPLED else f"{cause};{parts.SETTINGS}"
    if known.made.settings and row["state"] in (MOVED, FIGURES):
        return parts.SETTINGS
    if row["state"] == RANK:
        return OTHERS
    if entries:  # all entries are the same: what is left is who is listed, of which day, and how it was computed
        if row["state"] in (NEW, GONE):
            return LISTING if known.made.listing or known.days_differ else UNKNOWN
        return DAY if known.days_differ else VERSIONS if known.made.versions else UNKNOWN
    if known.made.settings:
        return parts.SETTINGS
    return PLAYED if known.days_differ and any(_grown(row, name) for name in ("games", "events")) else UNKNOWN


def _grown(row: Mapping[str, Any], name: str) -> bool:
    """Whether somebody has another number of games or events on the later list."""
    one, other = (row.get(f"{name}_{which}") for which in ("old", "new"))
    return not (one is None or other is None or pd.isna(one) or pd.isna(other)) and one != other
