"""A history: what happened, as tidy tables in time order, with every person under one name.

`assemble` is the door. Behind it every game's sides have an entry, every event a row, and one person one spelling;
what could not be used is in `problems`. Reading files is `ratinglab.formats`, judging them `ratinglab.checking`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from ratinglab import names, schema
from ratinglab.problems import ERROR, Problem, UsageError, at_row

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


class SectionSettings(NamedTuple):
    """What a section is played by: scheduled rounds (None: not known), rating system ("": none), caps by round."""

    rounds: int | None
    system: str
    spread_cap: list[float]


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

    def only(self, events: str | Iterable[str]) -> Self:
        """The history of this event, or of these, alone (players, aliases and rating lists are kept).

        Raises `UsageError` for an event that is not there.
        """
        wanted = list(dict.fromkeys([events] if isinstance(events, str) else events))
        self.require(wanted)
        cut: dict[str, Any] = {
            name: table[table["event"].isin(wanted)].reset_index(drop=True)
            for name, table in self.tables().items()
            if "event" in table.columns
        }
        return replace(self, **cut)

    def require(self, events: Iterable[str]) -> None:
        """Raise `UsageError` for an event that is not there, naming those that are, and what may be meant."""
        there = dict.fromkeys(self.events["event"])
        unknown = [event + names.meant(event, there) for event in events if event not in there]
        if unknown:
            raise UsageError(f"no event {', '.join(unknown)}; the events are: {', '.join(there) or 'none'}")

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

    def section_settings(self) -> Callable[[str, str], SectionSettings]:
        """A way to look up what a section (event, section) is played by: what it says itself, else what its event says.

        The tables are read once, so that it may be asked for every section of a long history.
        """
        columns = list(SectionSettings._fields)
        of_events = dict(zip(self.events["event"], self.events[columns].itertuples(index=False), strict=True))
        keys = zip(self.divisions["event"], self.divisions["section"], strict=True)
        own: dict[Any, Any] = dict(zip(keys, self.divisions[columns].itertuples(index=False), strict=True))

        def look_up(event: str, section: str) -> SectionSettings:
            of_event: Any = of_events[event]
            told = [
                shared if pd.isna(mine) else mine
                for mine, shared in zip(own.get((event, section), of_event), of_event, strict=True)
            ]
            rounds, system, caps = (None if pd.isna(value) else value for value in told)
            listed = [] if caps is None else str(caps).split(";")
            return SectionSettings(
                None if rounds is None else int(rounds),
                "" if system is None else str(system),
                [float(cap) for cap in listed if cap.strip()],
            )

        return look_up

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
        if "section" in tables[name].columns:
            tables[name] = tables[name].assign(section=tables[name]["section"].fillna(schema.SECTION))
    tables = _one_name_each(tables)
    tables["placings"], placed_twice = _one_placing_each(tables["placings"])
    entries = _complete_entries(tables["entries"], tables["games"], tables["placings"])
    tables["entries"], twice = _one_entry_each(entries)
    problems += placed_twice + twice
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
    # a team plays under a name that belongs to its event, not to a person
    teams = pd.MultiIndex.from_frame(entries.loc[entries["team"].notna(), ["event", "section", "team"]])
    by_team = {
        column: pd.MultiIndex.from_frame(games[["event", "section", column]]).isin(teams)
        for column in ("player", "opponent")
    }
    aliases: dict[str, str] = {}
    for alias, player in zip(tables["aliases"]["alias"], tables["aliases"]["player"], strict=True):
        aliases[names.key(alias)] = names.tidy(player)
    spelled = {names.key(player): player for player in reversed(aliases.values())}
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
            spelling = names.tidy(written) if person == key else spelled[person]
            canonical[written] = first_written.setdefault(person, spelling)

    learn(entries["player"])
    for column in ("player", "opponent"):
        learn(games.loc[~by_team[column], column])
    for name in ("placings", "players", "rating_lists"):
        learn(tables[name]["player"])

    apart: dict[tuple[str, str, str], str] = {}
    if aliases:
        # an entry stands for the whole event: round 0
        sides = [entries.assign(round=0)[["event", "section", "round", "player"]]]
        sides += [games.loc[~by_team[side], ["event", "section", "round", side]] for side in by_team]
        apart = _kept_apart(sides, canonical)

    def settle(table: pd.DataFrame, column: str) -> pd.Series:
        settled = table[column].map(canonical, na_action="ignore").astype("str")
        for (event, section, written), name in apart.items():
            if "section" in table.columns:
                here = (table["event"] == event) & (table["section"] == section)
                settled = settled.mask(here & (table[column] == written), name)
        return settled

    for name in ("entries", "placings", "players", "rating_lists"):
        tables[name] = tables[name].assign(player=settle(tables[name], "player"))
    settled = {column: games[column].where(by_team[column], settle(games, column)) for column in by_team}
    tables["games"] = games.assign(**settled)
    return tables


def _kept_apart(sides: list[pd.DataFrame], canonical: Mapping[str, str]) -> dict[tuple[str, str, str], str]:
    """Spellings that an alias joins although both are entered in a section, or play in one round of it.

    They cannot be one person there, and their games against each other must not become games against oneself. `sides`
    are event, section, round and the name as written; returned is a name apart for (event, section, written).
    """
    seen = pd.concat([side.set_axis(["event", "section", "round", "written"], axis=1) for side in sides])
    seen = seen.dropna(subset="written").drop_duplicates()
    seen = seen.assign(key=seen["written"].map(names.key), person=seen["written"].map(canonical))
    place = ["event", "section", "person"]
    both = seen.groupby([*place, "round"], dropna=False)["key"].transform("nunique") > 1
    both = both.groupby([seen[c] for c in place]).transform("any")
    other = seen[both & (seen["key"] != seen.groupby(place, sort=False)["key"].transform("first"))]
    apart = other["person"] + " (as " + other["written"].map(names.tidy) + ")"
    return dict(zip(zip(other["event"], other["section"], other["written"], strict=True), apart, strict=True))


def _one_entry_each(entries: pd.DataFrame) -> tuple[pd.DataFrame, list[Problem]]:
    """The entries with nobody twice in a section: a later entry of the same name is kept under a name of its own.

    One person cannot play twice at once, so it is either somebody else or a slip; rating both as one would count
    games twice.
    """
    problems: list[Problem] = []
    while True:  # a name that is given here may stand in the file too
        again = entries.duplicated(["event", "section", "player"]) & entries["player"].notna()
        if not again.any():
            return entries, problems
        first = entries.groupby(["event", "section", "player"], sort=False)["number"].transform("first")
        later = entries[again]
        own = later["number"].ne(first[again]).fillna(False).to_numpy(dtype=bool)
        fresh = later["player"] + (" (no. " + later["number"].astype("str") + ")").where(own, " (again)")
        columns = (later[c] for c in ("file", "line", "section", "event", "player"))
        for file, line, section, event, player, name in zip(*columns, fresh, strict=True):
            where = ("" if pd.isna(file) else file), (0 if pd.isna(line) else int(line))
            expected = f"each person once in section {section} of {event}"
            problems.append(Problem(*where, 0, ERROR, expected, f"{player} again; kept as {name}"))
        entries = entries.assign(player=entries["player"].mask(again, fresh))


def _one_placing_each(placings: pd.DataFrame) -> tuple[pd.DataFrame, list[Problem]]:
    """The placings with nobody twice in an event: as of the entries, a later row is kept under a name of its own."""
    problems: list[Problem] = []
    while (again := placings.duplicated(["event", "player"]) & placings["player"].notna()).any():
        later = placings[again]
        for row in later.itertuples():
            found = f"{row.player} again; kept as {row.player} (again)"
            problems.append(at_row(row, ERROR, f"each person once in the placings of {row.event}", found))
        placings = placings.assign(player=placings["player"].mask(again, placings["player"] + " (again)"))
    return placings, problems


def _complete_entries(entries: pd.DataFrame, games: pd.DataFrame, placings: pd.DataFrame) -> pd.DataFrame:
    """The entries with a row for everybody placed and every side of a game, numbered where the file gave no number."""
    unit = entries["team"].fillna(entries["player"])
    have = pd.MultiIndex.from_arrays([entries["event"], entries["section"], unit])
    sides = pd.concat(
        [
            games[["event", "section", column, "file", "line"]].rename(columns={column: "player"})
            for column in ("player", "opponent")
        ]
    ).sort_index(kind="stable")  # in the order of first appearance: a game's player, then its opponent
    if len(placings):
        sides = pd.concat([_placed_only(placings, entries, sides), sides])
    sides = sides[sides["player"].notna()].drop_duplicates(["event", "section", "player"])
    missing = sides[~pd.MultiIndex.from_frame(sides[["event", "section", "player"]]).isin(have)]
    if len(missing):
        entries = pd.concat([entries, schema.conform("entries", missing)], ignore_index=True)
    if entries["number"].isna().any():
        # a team's members share its number, whichever of them has it; a file's own numbers are never touched
        group = [entries["event"], entries["section"]]
        units = [*group, entries["team"].fillna(entries["player"])]
        numbers = entries["number"].fillna(entries["number"].groupby(units).transform("first"))
        fresh = (numbers.isna() & ~pd.MultiIndex.from_arrays(units).duplicated()).groupby(group).cumsum()
        numbers = numbers.fillna((numbers.groupby(group).transform("max").fillna(0) + fresh).astype("Int64"))
        entries = entries.assign(number=numbers.fillna(numbers.groupby(units).transform("first")))
    return entries


def _placed_only(placings: pd.DataFrame, entries: pd.DataFrame, sides: pd.DataFrame) -> pd.DataFrame:
    """Who has a placing and is not entered, nor plays in a section: the placing itself names none."""
    teams = entries.drop(columns="player").rename(columns={"team": "player"})
    elsewhere = sides[(sides["section"] != schema.SECTION) & sides["event"].isin(placings["event"].unique())]
    known = pd.concat([table[["event", "player"]] for table in (entries, teams, elsewhere)])
    people = pd.MultiIndex.from_frame(placings[["event", "player"]])
    placed = placings[~people.isin(pd.MultiIndex.from_frame(known))]
    return placed[["event", "player", "nationality", "file", "line"]].assign(section=schema.SECTION)


def _in_time_order(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The events in time order; the end date of a one-day event is its date."""
    events = tables["events"]
    end = events["end_date"].fillna(events["date"])
    start = events["date"].fillna(end)
    never = pd.Timestamp("9999-12-31").as_unit("us")
    order = np.lexsort((np.arange(len(events)), start.fillna(never), end.fillna(never)))
    return events.assign(date=start, end_date=end).iloc[order].reset_index(drop=True)
