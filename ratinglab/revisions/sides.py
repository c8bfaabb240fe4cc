"""One side of a comparison: a rating list, or the folder of a run with its list, changes, games and manifest.

Reading only; what two sides make of each other is in `revising`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from ratinglab import names
from ratinglab.decode import NotText
from ratinglab.formats.cells import parse_cell
from ratinglab.formats.common import Faults
from ratinglab.formats.files import File
from ratinglab.formats.sheet import Sheet, header_of, read_sheet
from ratinglab.history import Source
from ratinglab.output import MANIFEST
from ratinglab.problems import ERROR, InputError, Problem

DIGITS = 9  # decimals of figures written whole that are compared: sums in another order differ further back
_WITHIN = ("", "tables/")  # where a run keeps its tables
_LISTS = ("ratings.csv", "seeding.csv", "list-permanent.csv")
# The columns of a list by their kind, each with the headings it may have, the first one first.
_COLUMNS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "player": ("text", ("player", "name", "team")),
    "section": ("text", ("section",)),
    "rank": ("whole", ("rank", "seed", "place")),
    "rating": ("real", ("rating",)),
    "deviation": ("real", ("deviation",)),
    "games": ("whole", ("games",)),
    "events": ("whole", ("events",)),
    "last_event": ("day", ("last_event",)),
    "as_of": ("day", ("as_of",)),
}
_CHANGES = ("event", "section", "date", "player", "number", "games", "wins", "place", "of",
            "before", "deviation_before", "after", "deviation_after")  # fmt: skip
_RESTS = ("event", "end_date", "counts")  # of the tables in which a run says what events its list rests on
_GAMES = ("event", "section", "round", "player", "opponent", "result", "spread")
_TEXTS = dict.fromkeys(("event", "section", "date", "player", "opponent"), "str")


@dataclass(frozen=True)
class Side:
    """A list and what is known of how it was made.

    listed: one row for a player, in the file's order, with `key` (what people are matched by), player, and of section,
    rank, rating, deviation, games, events, last_event, as_of those that the file has. decimals: of its ratings, at most
    `DIGITS`. changes, games (the rated games of forecasts.csv), rests (event and date of the events that a list without
    changes rests on, in its order) and record (the manifest) are None where the run has none. told: warnings.
    """

    name: str
    listed: pd.DataFrame
    decimals: int
    changes: pd.DataFrame | None = None
    games: pd.DataFrame | None = None
    rests: pd.DataFrame | None = None
    record: Mapping[str, Any] | None = None
    sources: tuple[Source, ...] = ()
    told: tuple[Problem, ...] = field(default=())

    @property
    def as_of(self) -> pd.Timestamp | None:
        """The day that the list is of: the latest that it says."""
        days = self.listed["as_of"].dropna() if "as_of" in self.listed else pd.Series(dtype="datetime64[us]")
        return pd.Timestamp(days.max()) if len(days) else None


def read_sides(old: Path, new: Path) -> tuple[Side, Side]:
    """Both sides, each a CSV or the folder of a run; of folders with several lists the first that both have.

    Raises `InputError` with everything that is wrong with either.
    """
    faults: list[Problem] = []
    found = [_lists_in(path, faults) for path in (old, new)]
    if faults:
        raise InputError(faults)
    both = [name for name in found[0] if name in found[1]]
    sides = [
        _read(path, files[both[0]] if both else next(iter(files.values())), faults)
        for path, files in zip((old, new), found, strict=True)
    ]
    if any(problem.severity == ERROR for problem in faults):
        raise InputError(faults)
    return sides[0], sides[1]


def _lists_in(path: Path, faults: list[Problem]) -> dict[str, File]:
    """The lists that there are to compare, by their names in the folder, the most telling first; of a file, itself."""
    expected = "a rating list (CSV), or a folder that replay, report, lists or seed has written"
    if path.is_file():
        return {path.name: File(path, path.as_posix(), path.name, explicit=True)}
    if not path.is_dir():
        faults.append(Problem(path.as_posix(), 0, 0, ERROR, expected, "nothing of that name"))
        return {}
    names_there = [*_LISTS, *sorted((one.name for one in path.glob("list-[0-9]*.csv")), reverse=True)]
    found = {
        name: file
        for name in names_there
        for within in _WITHIN
        if (file := _file(path, within + name)) is not None
    }  # fmt: skip
    if not found:
        missing = ", ".join(_LISTS)
        faults.append(Problem(path.as_posix(), 0, 0, ERROR, expected, f"a folder without {missing} or list-2012.csv"))
    return found


def _file(folder: Path, name: str) -> File | None:
    path = folder / name
    called = folder.resolve().name
    return File(path, path.as_posix(), f"{called}/{name}", explicit=True) if path.is_file() else None


def _read(path: Path, file: File, faults: list[Problem]) -> Side:
    listed, decimals = _listed(file, faults)
    files = [file]
    changes = games = rests = record = None
    told: list[Problem] = []
    if path.is_dir():
        tables: dict[str, pd.DataFrame | None] = {}
        for name, columns in (("changes.csv", _CHANGES), ("forecasts.csv", _GAMES)):
            there = next((one for within in _WITHIN if (one := _file(path, within + name)) is not None), None)
            tables[name] = None if there is None else _table(there, columns, faults)
            files += [there] if there is not None else []
        changes, games = tables["changes.csv"], tables["forecasts.csv"]
        resting = next((one for name in ("tournaments.csv", "events.csv") if (one := _file(path, name))), None)
        if changes is None and resting is not None:
            rests = _rests(resting, faults)
            files.append(resting)
        manifest = _file(path, MANIFEST)
        record = None if manifest is None else _record(manifest, told)
        files += [manifest] if manifest is not None else []
    sources = tuple(source for one in files if (source := one.as_source()) is not None)
    name = path.resolve().name if path.is_dir() else path.name
    return Side(name, listed, decimals, changes, games, rests, record, sources, tuple(told))


def _listed(file: File, faults: list[Problem]) -> tuple[pd.DataFrame, int]:
    nothing = pd.DataFrame({"key": [], "player": []}, dtype="str")
    try:
        text = file.text
    except NotText as error:
        faults.append(Problem(file.shown, 0, 0, ERROR, error.expected, error.found))
        return nothing, 0
    mine = Faults(file.shown)
    sheet = read_sheet(text, mine)
    headings = {name: _heading(sheet, wanted) for name, (_, wanted) in _COLUMNS.items()}
    if headings["player"] is None or (headings["rating"] is None and headings["rank"] is None):
        line, found = sheet.header_line, ", ".join(header_of(text)[:8]) or "nothing"
        mine.error(line, "columns player (or name) and rating, or rank", found)
        faults += mine.found
        return nothing, 0
    made: dict[str, list[Any]] = {
        name: _cells(sheet, at, _COLUMNS[name][0], mine) for name, at in headings.items() if at is not None
    }
    listed = pd.DataFrame({name: pd.Series(cells, dtype=_dtype(name)) for name, cells in made.items()})
    listed.insert(0, "key", pd.Series([names.key(player or "") for player in made["player"]], dtype="str"))
    lines = dict(enumerate(sheet.lines))
    for row in listed.index[listed["key"] == ""]:
        mine.error(lines[row], "a player", "nothing")
    place = ["section", "key"] if "section" in listed else ["key"]
    first: dict[Any, int] = {}
    for row, who in enumerate(listed[place].itertuples(index=False, name=None)):
        if who[-1] and first.setdefault(who, lines[row]) != lines[row]:
            mine.error(lines[row], "each player once", f"{made['player'][row]} again, who is in line {first[who]}")
    faults += mine.found
    at = headings["rating"]
    decimals = max(map(_decimals, sheet.columns[at]), default=0) if at is not None else 0
    return listed, min(decimals, DIGITS)


def _heading(sheet: Sheet, wanted: Sequence[str]) -> int | None:
    return next((sheet.header.index(name) for name in wanted if name in sheet.header), None)


def _cells(sheet: Sheet, at: int, kind: str, faults: Faults) -> list[Any]:
    values: list[Any] = []
    for line, cell in zip(sheet.lines, sheet.columns[at], strict=True):
        value, expected = parse_cell(cell, kind, sheet.comma) if cell else (None, None)
        if expected is not None:
            faults.error(line, expected, cell, column=at + 1)
        values.append(names.tidy(value) if kind == "text" and value else value)
    return values


def _dtype(name: str) -> Any:
    return {"text": "str", "whole": "Int64", "real": "float64", "day": "datetime64[us]"}[_COLUMNS[name][0]]


def _decimals(cell: str) -> int:
    """How many decimals a figure is written with.

    >>> _decimals("1717"), _decimals("1717.25"), _decimals("1e-7")
    (0, 2, 9)
    """
    if "e" in cell.casefold():
        return DIGITS
    return len(cell.replace(",", ".").partition(".")[2])


def _rests(file: File, faults: list[Problem]) -> pd.DataFrame | None:
    table = _table(file, _RESTS, faults, ("event",))
    if table is None:
        return None
    if "counts" in table:  # of a seeding, where awaited events are listed too
        table = table[table["counts"] == 1]
    day = table["end_date"] if "end_date" in table else pd.Series(pd.NaT, index=table.index)
    return table.assign(date=pd.to_datetime(day, errors="coerce"))[["event", "date"]].drop_duplicates("event")


def _table(
    file: File, columns: Sequence[str], faults: list[Problem], needed: Sequence[str] = ("event", "section", "player")
) -> pd.DataFrame | None:
    """A table as a run writes it; None, and an error, where it is something else."""
    try:
        table = pd.read_csv(StringIO(file.text), usecols=lambda name: name in columns, dtype=_TEXTS)
    except (NotText, pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
        faults.append(Problem(file.shown, 0, 0, ERROR, "a table that a run has written", str(error).strip()))
        return None
    lacking = [name for name in needed if name not in table]
    if lacking:
        faults.append(Problem(file.shown, 1, 0, ERROR, f"columns {', '.join(columns)}", f"none {', '.join(lacking)}"))
        return None
    if "date" in table:
        table["date"] = pd.to_datetime(table["date"], errors="coerce")
    return table


def _record(file: File, told: list[Problem]) -> Mapping[str, Any] | None:
    try:
        record = json.loads(file.text)
    except (NotText, ValueError):
        record = None
    if not isinstance(record, Mapping):
        told.append(Problem(file.shown, 0, 0, "warning", "the manifest of a run", "something else; taken as missing"))
        return None
    return record
