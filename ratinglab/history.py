"""A history: what happened, as tidy tables in time order, with every person under one name.

`assemble` is the door. Behind it every game's sides have an entry, every event a row, and one person one spelling;
what could not be used is in `problems`. Reading files is `ratinglab.formats`, judging them `ratinglab.checking`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab import names, schema
from ratinglab.problems import Problem, UsageError

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True)
class Source:
    """One file that was read: its name as given, and the SHA-256 of its bytes."""

    name: str
    sha256: str


@dataclass(frozen=True)
class Parsed:
    """What a reader makes of a file or folder: tables (names still as written), faults, and the files themselves."""

    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True)
class History:
    """Events, entries, games and the rest as tables (columns: `ratinglab.schema.TABLES`), events in time order.

    An event without a date comes after all dated ones, in the order of reading.
    """

    events: pd.DataFrame
    divisions: pd.DataFrame
    entries: pd.DataFrame
    games: pd.DataFrame
    placings: pd.DataFrame
    players: pd.DataFrame
    aliases: pd.DataFrame
    rating_lists: pd.DataFrame
    problems: tuple[Problem, ...] = ()
    sources: tuple[Source, ...] = ()

    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table by its name."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name in schema.TABLES}

    def only(self, events: Iterable[str]) -> Self:
        """The history of these events alone (players, aliases and rating lists are kept).

        Raises `UsageError` for an event that is not there.
        """
        wanted = list(dict.fromkeys(events))
        unknown = [event for event in wanted if event not in set(self.events["event"])]
        if unknown:
            known = ", ".join(self.events["event"]) or "none"
            raise UsageError(f"no event {', '.join(unknown)}; the events are: {known}")
        cut: dict[str, Any] = {
            name: table[table["event"].isin(wanted)].reset_index(drop=True)
            for name, table in self.tables().items()
            if "event" in table.columns
        }
        return replace(self, **cut)

    def between(self, since: str | None = None, until: str | None = None) -> Self:
        """The history of events that end on or after `since` and on or before `until` (ISO dates).

        With either bound an event without a date is left out: it is not known to lie within.
        """
        if since is None and until is None:
            return self
        end = self.events["end_date"]
        inside = end.notna()
        if since is not None:
            inside &= end >= pd.Timestamp(since)
        if until is not None:
            inside &= end <= pd.Timestamp(until)
        return self.only(self.events.loc[inside, "event"])

    def save(self, folder: str | Path) -> None:
        """Write the history as ratinglab's own CSV folder; tables and columns that hold nothing are left out."""
        from ratinglab.output import write_csv

        for name, table in self.tables().items():
            if len(table):
                kept = [c for c in schema.TABLES[name] if c in schema.REQUIRED[name] or table[c].notna().any()]
                write_csv(table[kept], Path(folder) / f"{name}.csv")


def assemble(parts: Iterable[Parsed]) -> History:
    """One history from what the readers made of their files, in the order of reading."""
    parts = list(parts)
    problems = [problem for part in parts for problem in part.problems]
    tables = {}
    for name in schema.TABLES:
        frames = [schema.conform(name, part.tables[name]) for part in parts if name in part.tables]
        frames = [frame for frame in frames if len(frame)]
        tables[name] = pd.concat(frames, ignore_index=True) if frames else schema.conform(name)
    tables = _one_name_each(tables)
    tables["entries"] = _complete_entries(tables["entries"], tables["games"])
    tables["events"] = _in_time_order(tables)
    return History(
        **tables,
        problems=tuple(problems),
        sources=tuple(dict.fromkeys(source for part in parts for source in part.sources)),
    )


def _one_name_each(tables: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The tables with every person under the name as first written (of an alias, the person it stands for)."""
    tables = dict(tables)
    entries, games = tables["entries"], tables["games"]
    # teams play under a name that belongs to their event, not to a person
    of_teams = entries.loc[entries["team"].notna(), ["event", "section"]].drop_duplicates()
    team_sections = pd.MultiIndex.from_frame(of_teams)
    by_team = pd.MultiIndex.from_frame(games[["event", "section"]]).isin(team_sections)

    aliases = {names.key(a): p for a, p in zip(tables["aliases"]["alias"], tables["aliases"]["player"], strict=True)}
    first_written: dict[str, str] = {}
    canonical: dict[str, str] = {}

    def learn(column: pd.Series) -> None:
        for written in column.dropna().unique():
            if written in canonical:
                continue
            person = key = names.key(written)
            seen = set()
            while person in aliases and person not in seen:  # an alias may itself have been renamed
                seen.add(person)
                person = names.key(aliases[person])
            spelling = names.tidy(written)
            if person != key:
                spelling = next(names.tidy(p) for p in aliases.values() if names.key(p) == person)
            canonical[written] = first_written.setdefault(person, spelling)

    learn(entries["player"])
    for column in ("player", "opponent"):
        learn(games.loc[~by_team, column])
    for name in ("placings", "players", "rating_lists"):
        learn(tables[name]["player"])

    def settle(column: pd.Series) -> pd.Series:
        return column.map(canonical, na_action="ignore").astype("str")

    for name in ("entries", "placings", "players", "rating_lists"):
        tables[name] = tables[name].assign(player=settle(tables[name]["player"]))
    tidied = {
        column: games[column].where(by_team, settle(games[column]))
        for column in ("player", "opponent")
    }  # fmt: skip
    tables["games"] = games.assign(**tidied)
    return tables


def _complete_entries(entries: pd.DataFrame, games: pd.DataFrame) -> pd.DataFrame:
    """The entries with a row for every side of a game, numbered where the file gave no number."""
    unit = entries["team"].fillna(entries["player"])
    have = pd.MultiIndex.from_arrays([entries["event"], entries["section"], unit])
    sides = pd.concat(
        [
            games[["event", "section", column, "file", "line"]].rename(columns={column: "player"})
            for column in ("player", "opponent")
        ]
    )
    sides = sides[sides["player"].notna()].drop_duplicates(["event", "section", "player"])
    missing = sides[~pd.MultiIndex.from_frame(sides[["event", "section", "player"]]).isin(have)]
    if len(missing):
        entries = pd.concat([entries, schema.conform("entries", missing)], ignore_index=True)
    if entries["number"].isna().any():
        # a team's members share its number; a file's own numbers are never touched
        unit = entries["team"].fillna(entries["player"])
        group = [entries["event"], entries["section"]]
        first = ~pd.MultiIndex.from_arrays([*group, unit]).duplicated()
        fresh = pd.Series(first & entries["number"].isna().to_numpy()).groupby(group).cumsum()
        last = entries["number"].groupby(group).transform("max").fillna(0)
        numbers = entries["number"].fillna((last + fresh).astype("Int64"))
        entries = entries.assign(number=numbers)
    return entries


def _in_time_order(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The events in time order; the end date of a one-day event is its date."""
    events = tables["events"]
    end = events["end_date"].fillna(events["date"])
    start = events["date"].fillna(end)
    never = pd.Timestamp("9999-12-31").as_unit("us")
    order = np.lexsort((np.arange(len(events)), start.fillna(never), end.fillna(never)))
    return events.assign(date=start, end_date=end).iloc[order].reset_index(drop=True)
