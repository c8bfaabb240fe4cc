"""ratinglab's own tables: a folder of CSV files named as the tables of a history, such as a spreadsheet fills in.

Columns that do not apply may be absent; what follows from others is filled in. Every cell that cannot be read is told
with its line and column and left missing; a row without what its table cannot do without is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ratinglab import dates, names, schema
from ratinglab.formats.cells import parse_cell
from ratinglab.formats.common import Faults, caps, frame, same_pair, trim
from ratinglab.formats.files import File, Group, Shelf
from ratinglab.formats.sheet import Column, Sheet, header_of, read_sheet
from ratinglab.history import Parsed
from ratinglab.problems import ERROR, Problem

NAME = "native"

_VALUES = {
    ("games", "status"): schema.STATUSES,
    ("events", "availability"): schema.AVAILABILITY,
    ("events", "kind"): ("games", "placings"),
}
_NUMBERS = {("games", "first"): (0, 1), ("games", "rated"): (0, 1), ("games", "result"): (0, 0.5, 1)}
_COUNTED = {
    ("games", "round"): "a round", ("placings", "place"): "a place",
    ("placings", "of"): "a number of players", ("events", "players"): "a number of players",
}  # fmt: skip
_SUFFIXES = (".csv", ".tsv", ".txt")


def recognises(shelf: Shelf) -> Iterator[Group]:
    """The tables of each folder together; a file named explicitly also when its columns alone say what it is."""
    for files in shelf.by_folder():
        tables = [file for file in files if table_of(file, shelf.forced) is not None]
        if tables:
            yield Group(tuple(tables), tables[0].folder.name)


def table_of(file: File, forced: bool = False) -> str | None:
    """The table a file holds: by its name and most of its columns, or by its columns alone."""
    if file.sample is None or file.suffix not in _SUFFIXES:
        return None
    header = [cell for cell in header_of(file.sample) if cell]
    stem = file.path.stem.casefold()
    if stem in schema.TABLES:
        known = sum(1 for cell in header if cell in schema.TABLES[stem])
        fits = set(schema.REQUIRED[stem]) <= set(header) and (known > 1 or len(header) == 1)
        return stem if forced or fits or 2 * known > len(header) else None
    if file.explicit:
        for table, columns in schema.TABLES.items():
            if set(schema.REQUIRED[table]) <= set(header) <= set(columns) and len(header) > 1:
                return table
    return None


def read(group: Group, shelf: Shelf) -> Parsed:
    """The tables of one folder."""
    tables: dict[str, pd.DataFrame] = {}
    problems: list[Problem] = []
    for file in group.files:
        table = table_of(file, shelf.forced)
        if table is None:
            continue
        faults = Faults(file.shown)
        made = read_table(table, read_sheet(file.text, faults), file, faults)
        if table in tables:
            made = pd.concat([tables[table], made], ignore_index=True)
        tables[table] = made
        problems += faults.found
    if "games" in tables:
        tables["games"], found = _one_row_each(tables["games"])
        problems += found
    tables["events"], found = _events(tables, group)
    problems += found
    return Parsed(tables, tuple(problems), group.sources)


def read_table(table: str, sheet: Sheet, file: File, faults: Faults) -> pd.DataFrame:
    """A table of the native format from its sheet; what is wrong with a cell or a row goes to `faults`."""
    beside = schema.BESIDE_COLUMNS if table == "entries" else {}
    kinds = schema.TABLES[table]
    required = schema.REQUIRED[table]
    absent = [column for column in required if column not in sheet.header]
    if absent:
        unknown = [repr(column) for column in sheet.header if column and column not in kinds]
        found = f"no {', '.join(absent)}" + (f", but {', '.join(unknown)}" if unknown else "")
        faults.error(sheet.header_line, f"the columns {', '.join(required)} in {table}", found)
        return schema.conform(table)
    made: dict[str, pd.Series] = {}
    ends: list[Any] | None = None
    for i, column in enumerate(sheet.header):
        if column in made:
            faults.error(sheet.header_line, "each column once", f"{column} again; left out", i + 1)
        elif column in kinds:
            made[column] = _column(table, column, sheet, i, faults)
            if (table, column) == ("events", "date"):
                ends = _range_ends(sheet.columns[i])
        elif column not in beside and (column or any(sheet.columns[i])):
            faults.warning(sheet.header_line, f"columns of the table {table}", repr(column), i + 1)
    made["line"] = pd.Series(list(sheet.lines), dtype="Int64")
    made["file"] = (
        pd.Series([file.shown], dtype="str").take(np.zeros(len(sheet.lines), dtype=int)).reset_index(drop=True)
    )
    rows = pd.DataFrame(made)
    kept = np.ones(len(rows), dtype=bool)
    for column in required:
        missing = rows[column].isna().to_numpy() & kept
        for line in rows.loc[missing, "line"]:
            faults.error(
                int(line), f"{column} in every row", "none; the row is left out", sheet.header.index(column) + 1
            )
        kept &= ~missing
    rows = schema.conform(table, rows)
    if ends is not None:
        rows = rows.assign(end_date=rows["end_date"].fillna(pd.Series(ends, dtype="datetime64[us]")))
    rows = rows[kept].reset_index(drop=True)
    lines = np.array(sheet.lines)[kept]  # of the tables too that do not remember theirs
    if "section" in kinds:
        rows = rows.assign(section=rows["section"].fillna(schema.SECTION))
    if table == "games":
        rows = _derived(rows, sheet, faults)
    if table == "entries":
        unrated = rows["rating"].fillna(0).eq(0) & rows["deviation"].fillna(0).eq(0)
        rows = rows.assign(rating=rows["rating"].mask(unrated), deviation=rows["deviation"].mask(unrated))
    if "deviation" in kinds:
        rows = _certain(rows, lines, sheet, faults)
    if table == "players":
        rows = _each_once(rows, lines, faults)
    return rows


def _certain(rows: pd.DataFrame, lines: Any, sheet: Sheet, faults: Faults) -> pd.DataFrame:
    """The rows without the deviations that would say that a rating is beyond all doubt."""
    odd = rows["deviation"] <= 0
    for line, found in zip(lines[odd], rows.loc[odd, "deviation"], strict=True):
        faults.error(
            line, "deviation: a number above 0", f"{trim(found)}, left out", sheet.header.index("deviation") + 1
        )
    return rows.assign(deviation=rows["deviation"].mask(odd))


def _each_once(players: pd.DataFrame, lines: Any, faults: Faults) -> pd.DataFrame:
    """The players without those whom an earlier row describes."""
    keys = players["player"].map(names.key)
    again = keys.duplicated()
    first = dict(zip(keys[~again], lines[~again], strict=True))
    for line, player, key in zip(lines[again], players.loc[again, "player"], keys[again], strict=True):
        faults.error(line, "each player once", f"{player} again, after line {first[key]}; left out")
    return players[~again].reset_index(drop=True)


def _range_ends(cells: Sequence[str]) -> list[Any]:
    """The last days of dates written as a range; a single day says nothing of the end."""
    column = Column.of(cells)
    spans = [dates.span(cell) if len(cell) > len("2025-04-26") else None for cell in column.cells]
    ends = [days[1] if days and days[0] != days[1] else None for days in spans]
    return [ends[k] for k in column.which]


def _column(table: str, column: str, sheet: Sheet, i: int, faults: Faults) -> pd.Series:
    """A column with the values of its cells; what cannot be read is told and missing."""
    kind = schema.TABLES[table][column]
    # each different cell is read once: a million rows hold a few thousand of them
    column_ = Column.of(sheet.columns[i])
    which, cells = column_.which, column_.cells
    values = []
    bad = {}
    for k, cell in enumerate(cells):
        value, expected = parse_cell(cell, kind, sheet.comma) if cell else (None, None)
        if value is not None and expected is None:
            value, expected = _allowed(table, column, value)
        values.append(value)
        if expected:
            bad[k] = expected
    for row in np.flatnonzero(np.isin(which, list(bad))).tolist():
        k = int(which[row])
        faults.error(sheet.lines[row], f"{column}: {bad[k]}", repr(cells[k]), i + 1)
    read = schema.conform(table, pd.DataFrame({column: pd.Series(values, dtype=object)}))[column]
    return read.take(which).reset_index(drop=True)


def _allowed(table: str, column: str, value: Any) -> tuple[Any, str | None]:
    """The value, or what the values of this column are."""
    words = _VALUES.get((table, column))
    if words is not None:
        value = value.casefold()
        return (value, None) if value in words else (None, "one of " + ", ".join(words))
    numbers = _NUMBERS.get((table, column))
    if numbers is not None and value not in numbers:
        return None, "one of " + ", ".join(map(str, numbers))
    if column == "spread_cap":
        capped = caps(value.split(";"))
        return (capped, None) if capped else (None, 'numbers by round, such as "100;150"')
    counted = _COUNTED.get((table, column))
    if counted is not None and value < 1:
        return None, f"{counted}, counted from 1"
    return value, None


def _derived(games: pd.DataFrame, sheet: Sheet, faults: Faults) -> pd.DataFrame:
    """The games with result, status and rated filled in from the scores, and contradictions told."""
    score, other = games["score"], games["opponent_score"]
    by_score = pd.Series(np.sign(score - other) / 2 + 0.5, index=games.index)
    against = games["opponent"].notna()
    contradicted = by_score.notna() & games["result"].notna() & (by_score != games["result"]) & against
    result = games["result"].where(games["result"].notna() | ~against, by_score)
    decided = result.notna()
    alone = pd.Series(np.where(score.lt(0) | result.eq(0), schema.FORFEIT, schema.BYE), index=games.index)
    default = pd.Series(np.where(decided, schema.PLAYED, schema.UNKNOWN), index=games.index)
    default = default.mask(~against & (decided | score.notna()), alone)
    status = games["status"].fillna(default.astype("str"))
    which, sides = pd.factorize(pd.concat([games["player"], games["opponent"]]), use_na_sentinel=False)
    person, _ = pd.factorize(np.array([None if pd.isna(side) else names.key(side) for side in sides], dtype=object))
    one, other_one = person[which].reshape(2, -1)
    itself = against & (one == other_one)
    usable = status.eq(schema.PLAYED) & decided & against & ~itself
    unfounded = games["rated"].eq(1) & ~usable
    for mask, expected, found in (
        (contradicted, "a result that agrees with the scores", "one that does not; the result stands"),
        (status.eq(schema.PLAYED) & ~decided, "a result or both scores of a played game", "neither"),
        (status.eq(schema.PLAYED) & ~against, "an opponent of a played game", "none"),
        (itself, "two different players", "one player on both sides"),
        (unfounded, "rated 0 for a game that cannot be rated", "rated 1"),
        ((score.isna() ^ other.isna()) & against & status.ne(schema.BYE), "the scores of both", "one score only"),
    ):
        for line in games.loc[mask, "line"]:
            faults.error(int(line), expected, found)
    rated = games["rated"].fillna(usable.astype("Int64")).mask(unfounded, 0)
    return games.assign(result=result, status=status, rated=rated)


def _one_row_each(games: pd.DataFrame) -> tuple[pd.DataFrame, list[Problem]]:
    """The games without those given twice alike (from both sides, say); two results for one game are told."""
    first = same_pair(games).to_numpy()
    again = np.flatnonzero((first != np.arange(len(games))) & games["opponent"].notna().to_numpy())
    if not len(again):
        return games, []
    problems = []
    twice: dict[str, list[int]] = {}
    for i, earlier in zip(again.tolist(), first[again].tolist(), strict=True):
        row, before = games.iloc[i], games.iloc[earlier]
        if _sides(row) == _sides(before, turned=row["player"] != before["player"]):
            twice.setdefault(row["file"], []).append(i)
            continue
        pair = f"{row['player']} and {row['opponent']}"
        found = f"another of {pair} in round {row['round']}, first on line {before['line']}"
        problems.append(Problem(row["file"], int(row["line"]), 0, ERROR, "one result for a game", found))
    for file, rows in twice.items():
        faults = Faults(file)
        line = int(games["line"].iloc[rows[0]])
        faults.warning(line, "one row a game", f"{len(rows)} games given twice alike, the first here; read once")
        problems += faults.found
    dropped = [i for rows in twice.values() for i in rows]
    return games.drop(index=games.index[dropped]).reset_index(drop=True), problems


def _sides(row: pd.Series, turned: bool = False) -> tuple[Any, ...]:
    """What a row says of a game, seen from the other side if `turned`; missing values compare as equal."""
    score, other, result, first = row["score"], row["opponent_score"], row["result"], row["first"]
    if turned:
        score, other, result, first = other, score, 1 - result, 1 - first
    numbers = (None if pd.isna(value) else float(value) for value in (score, other, result, first))
    return (*numbers, row["status"])


def _events(tables: dict[str, pd.DataFrame], group: Group) -> tuple[pd.DataFrame, list[Problem]]:
    """The events, each once, with a row for each that only another table names."""
    events = tables.get("events", schema.conform("events"))
    problems = []
    for i in np.flatnonzero(events["event"].duplicated().to_numpy()).tolist():
        row = events.iloc[i]
        first = events.loc[events["event"].eq(row["event"]), "line"].iloc[0]
        faults = Faults(row["file"])
        faults.error(int(row["line"]), "each event once", f"{row['event']} again, after line {first}; left out")
        problems += faults.found
    events = events[~events["event"].duplicated()].reset_index(drop=True)
    known = set(events["event"])
    fresh = []
    for name in ("games", "entries", "placings", "divisions"):
        table = tables.get(name)
        if table is None or not len(table):
            continue
        unknown = table[~table["event"].isin(known)].drop_duplicates("event")
        for event, file, line in zip(unknown["event"], unknown["file"], unknown["line"], strict=True):
            known.add(event)
            kind = "placings" if name == "placings" else None
            fresh.append({"event": event, "kind": kind, "file": file, "line": line})
            faults = Faults(str(file))
            faults.warning(int(line), "a row of events.csv for each event", f"none for {event}")
            problems += faults.found
    if fresh:
        events = pd.concat([events, frame("events", fresh)], ignore_index=True)
    return events, problems
