"""Rating lists by year and for good, international and by nation, with the tournaments and circuits they rest on.

A list says of a player the name and the nationality, and nothing more of the person; in public of a minor the label.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from ratinglab.history import History
from ratinglab.output import manifest
from ratinglab.problems import UsageError
from ratinglab.replaying import Progress, Replay, replay
from ratinglab.systems import System, parse

if TYPE_CHECKING:
    from ratinglab.privacy import Protected
    from ratinglab.reports.publication import Kinds

PERMANENT = "permanent"

_EVENT = ("event", "name", "date", "end_date", "place", "players", "rounds", "boards", "championship", "circuits")
_LIST = ("rank", "national_rank", "player", "nationality", "rating", "deviation", "games", "events", "last_event")


@dataclass(frozen=True)
class Lists:
    """Rating lists by their label (a year, or `permanent`), and what they rest on; columns: docs/tables.md."""

    ratings: Mapping[str, pd.DataFrame]
    tournaments: pd.DataFrame
    circuits: pd.DataFrame
    replay: Replay  # of all events
    nation: str | None = None  # the one whose players are listed, if not all
    says: tuple[str, ...] = ()  # to readers of a public set, of whom it does not name

    @property
    def last(self) -> pd.DataFrame:
        """The list made last: the permanent one, if it was asked for, else the latest year's."""
        return list(self.ratings.values())[-1]

    def protected(self, by: Protected) -> Self:
        """The lists of a protected history, without the nationality of protected people; by nation, without them."""
        if not by.public:
            return self
        tables = {
            label: by.drop(table, "player") if self.nation else by.blank(table, "nationality", "national_rank")
            for label, table in self.ratings.items()
        }
        return replace(self, ratings=tables, says=by.says)

    def write(
        self,
        folder: str | Path,
        order: pd.DataFrame | None = None,
        *,
        seed: int | None = None,
        options: Mapping[str, Any] | None = None,
        kinds: Kinds | None = None,
    ) -> list[Path]:
        """Write lists.html and its pages, list-2012.csv …, list-permanent.csv, tournaments.csv, circuits.csv, manifest.

        With `order` (`ratinglab.ordering.order_scores`) also order.csv; `options` are what the manifest says was asked,
        `kinds` the forms (pages and tables). Whole or not at all; returns the files.
        """
        from ratinglab.reports import lists_page
        from ratinglab.reports.publication import Publication, publish

        system, sources = self.replay.system, self.replay.schedule.history.sources
        record = manifest("lists", sources, system.name, system.parameters(), seed)
        pages = lists_page.pages(self, order)
        publication = Publication(pages, len(sources), rests_on=f"Ratings by {system.label}", title="Rating lists")
        return publish(Path(folder), publication, record | {"options": dict(options or {})}, kinds)


def make_lists(
    history: History,
    system: System | str,
    *,
    years: Iterable[int] | None = None,
    permanent: bool = True,
    nation: str | None = None,
    window: int | None = None,
    start: str = "filed",
    progress: Progress | None = None,
) -> Lists:
    """Lists as of 31 December of each of `years`, and the `permanent` one of all events.

    By default the years are all from the first that has lists (`System.listed_from`; else of the first rated event) to
    the last with a rated event. An event without a date is in the permanent list alone. `nation` keeps the players of
    one nation, whose ranks stay what they are. With `window` the list of a year is a replay of its own of the events of
    that many years up to its date, World Championships too: who has no other result in them is not in it.

    Raises `UsageError` for a nation that nobody has, a window of less than a year, or a year without a rated event by
    its end.
    """
    if window is not None and window < 1:
        raise UsageError(f"a window is of 1 year or more; found {window}")
    system = parse(system) if isinstance(system, str) else system
    whole = replay(history, system, start=start, progress=progress)
    included = _included(whole)
    if nation is not None:
        nation = _known_nation(history, nation)
    tables: dict[str, pd.DataFrame] = {}
    within: dict[str, pd.Series] = {}
    for year in _years(included, system) if years is None else sorted(set(years)):
        as_of = f"{year}-12-31"
        inside = included["end_date"] <= pd.Timestamp(as_of)
        result = whole
        if window is not None or system.looks_back:
            since = f"{year - window + 1:04d}-01-01" if window is not None else None
            inside &= included["end_date"] >= pd.Timestamp(since or included["end_date"].min())
            result = replay(history.between(since, as_of), system, start=start)
        if years is not None and not inside.any():
            first = included["end_date"].min()
            told = "there is none with a date" if pd.isna(first) else f"the first ends on {first:%Y-%m-%d}"
            raise UsageError(f"no rated event in the list of {year}; {told}")
        tables[str(year)], within[str(year)] = rating_list(result, history, as_of=as_of, nation=nation), inside
    if permanent:
        tables[PERMANENT] = rating_list(whole, history, nation=nation)
        within[PERMANENT] = pd.Series(True, index=included.index)
    tournaments = _tournaments(included, within)
    return Lists(tables, tournaments, _circuits(tournaments), whole, nation)


def rating_list(
    result: Replay, history: History, *, as_of: str | None = None, nation: str | None = None
) -> pd.DataFrame:
    """The list of a replay as of a date (by default of all events), with nationalities and ranks within the nation.

    `history` is the whole one, also where the replay is of a few years of it: a nationality filed before them counts.
    The nationality is that of the table of players, else the one filed last up to the date, else the first filed after
    it; who has none has no rank in a nation. `nation` keeps the players of one.
    """
    table = result.ratings(as_of=as_of)
    found = nationalities(history, as_of)
    nationality = table["player"].map(found).astype("str")
    table = table.assign(nationality=nationality)
    ranks = table.groupby("nationality")["rating"].rank(method="min", ascending=False)
    table["national_rank"] = ranks.astype("Int64")
    if nation is not None:
        table = table[table["nationality"] == nation].reset_index(drop=True)
    return table[[column for column in (*_LIST, "as_of") if column in table.columns]]


def nationalities(history: History, as_of: str | None = None) -> pd.Series:
    """The nationality of each player who has one, as of a date: see `rating_list`."""
    filed = [table[["event", "player", "nationality"]] for table in (history.entries, history.placings)]
    rows = pd.concat(filed).dropna(subset=["player", "nationality"])
    order = pd.Index(history.events["event"]).get_indexer(rows["event"])
    rows = rows.assign(order=order, end=history.events["end_date"].to_numpy()[order])
    rows = rows.sort_values("order", kind="stable")
    early = rows["end"] <= pd.Timestamp(as_of) if as_of is not None else pd.Series(True, index=rows.index)
    last = rows[early.to_numpy()].groupby("player")["nationality"].last()
    later = rows[~early.to_numpy()].groupby("player")["nationality"].first()
    own = history.players.dropna(subset="nationality").drop_duplicates("player").set_index("player")["nationality"]
    return own.combine_first(last).combine_first(later)


def _known_nation(history: History, nation: str) -> str:
    """The nation as it is written in the files, whatever its case here."""
    known = sorted({*history.players["nationality"].dropna(), *nationalities(history)})
    for written in known:
        if written.casefold() == nation.casefold():
            return str(written)
    raise UsageError(f"no player is of {nation}; the nations are: {', '.join(known) or 'none'}")


def _included(whole: Replay) -> pd.DataFrame:
    """The events with a rated result, in time order, with what a list of tournaments says of them."""
    schedule = whole.schedule
    history = schedule.history
    rated = np.bincount(schedule.event_of_entry(), whole.rated > 0, minlength=len(history.events)) > 0
    table = history.events
    placed = history.placings.groupby("event")["of"].max()
    entered = history.entries.groupby("event")["player"].nunique()
    by_event = table["event"].map(placed).astype("Int64").fillna(table["players"])
    by_event = by_event.fillna(table["event"].map(entered).astype("Int64"))
    table = table.assign(players=by_event)[list(_EVENT)]
    if "value" in whole.system.detail_names:
        table["value"] = table["event"].map(whole.changes.groupby("event")["value"].max())
    return table[rated].reset_index(drop=True)


def _years(included: pd.DataFrame, system: System) -> range:
    ends = included["end_date"].dropna()
    if not len(ends):
        return range(0)
    return range(max(ends.min().year, system.listed_from() or 0), ends.max().year + 1)


def _tournaments(included: pd.DataFrame, within: Mapping[str, pd.Series]) -> pd.DataFrame:
    """The events that are in one of the lists, each with the labels of those."""
    labels = [";".join(label for label, inside in within.items() if inside[row]) for row in included.index]
    table = included.assign(lists=pd.Series(labels, index=included.index, dtype="str"))
    return table[table["lists"] != ""].reset_index(drop=True)


def _circuits(tournaments: pd.DataFrame) -> pd.DataFrame:
    """Circuit, its number of tournaments, the first and the last day of one; by name."""
    each = tournaments.assign(circuit=tournaments["circuits"].astype("str").str.split(";")).explode("circuit")
    each["circuit"] = each["circuit"].astype("str").str.strip()
    each = each[each["circuit"].fillna("") != ""].drop_duplicates(["event", "circuit"])
    by = each.groupby("circuit")
    table = by.agg(events=("event", "size"), first=("date", "min"), last=("end_date", "max"))
    return table.reset_index()
