"""Who is entered: an entry list as a spreadsheet or an event file, joined to a history as an event not yet played.

A CSV has the columns of entries.csv, without `event` if it is of one event; a row may give further ratings of a person
(`schema.BESIDE_COLUMNS`). What is odd in it is told by `ratinglab.seeding.odd_entries`; nobody is left out for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ratinglab import names, schema
from ratinglab.formats import load
from ratinglab.formats.cells import parse_cell
from ratinglab.formats.common import Faults, frame
from ratinglab.formats.files import File, gather
from ratinglab.formats.joining import completed
from ratinglab.formats.native import read_table
from ratinglab.formats.sheet import Sheet, header_of, read_sheet
from ratinglab.history import History, Parsed, Source, assemble
from ratinglab.problems import ERROR, InputError, Problem, UsageError
from ratinglab.seeding.choice import no_ratings
from ratinglab.seeding.odd_entries import one_row_each, one_spelling_each, without_odd_ratings
from ratinglab.seeding.seeding import lots, unplayed, without_withdrawn

_SHEETS = (".csv", ".tsv", ".txt")
_WORDS = ("player", "team")  # one of which the header of an entry list has


@dataclass(frozen=True)
class Entered:
    """A history with the event that is to be seeded, of which no result is left, and what was told of its entries.

    beside: ratings that the list gives besides the entries' own (columns row, kind, source, as_of, rating, deviation,
    games); row, and `zero` (entries that file a 0, which says unrated), are positions in history.entries. lots: those
    of the entrants by name. withdrawn: who was entered and has withdrawn. until: the last day of events that count.
    """

    history: History
    event: str
    beside: pd.DataFrame
    zero: frozenset[int]
    withdrawn: tuple[str, ...]
    problems: tuple[Problem, ...]
    notices: tuple[str, ...]
    until: str | None = None

    def drawn(self, seed: int, named: History | None = None) -> dict[str, int]:
        """The lots of the entrants by name; by the names that they have in `named`, the same history under others."""
        mine = (self.history.entries["event"] == self.event).to_numpy()
        true, shown = (
            of.entries.loc[mine, "team"].fillna(of.entries.loc[mine, "player"])
            for of in (self.history, named or self.history)
        )
        drawn = lots(true, seed)
        return {label: drawn[name] for label, name in zip(shown, true, strict=True)}


@dataclass(frozen=True)
class Given:
    """An entry list as it was read: its event, tables, further ratings and zeros (file, line), and what was told."""

    event: str
    parsed: Parsed
    notices: tuple[str, ...] = ()


def entered(
    history: History | None,
    event: str | None = None,
    *,
    entries: Path | None = None,
    format: str | None = None,
    date: str | None = None,
    since: str | None = None,
    until: str | None = None,
) -> Entered:
    """The history with the event to be seeded: that of the list `entries`, else `event`, else the only unplayed one.

    The event's own results, if there are any, are left out of account, as are events that end before `since` or after
    `until`; awaited events stay. Of an event of which no `date` is known it is this one. Who has withdrawn is left out,
    and of a CSV whoever is entered twice; each odd case is in `problems`.
    Raises `UsageError` where the event cannot be told, `InputError` where the list cannot be read or names nobody.
    """
    base = assemble([]) if history is None else history
    notices: list[str] = []
    if entries is not None:
        given = read_entry_list(entries, event, format)
        base, event = _joined(base, given), given.event
        notices += given.notices
    elif event is None:
        event = _the_unplayed(base)
    else:
        base.require([event])
    if date is not None:
        mine = (base.events["event"] == event) & base.events["date"].isna()
        day = pd.Timestamp(date).as_unit("us")
        dated = {name: base.events[name].mask(mine, day) for name in ("date", "end_date")}
        # in time order again, now that the day is known
        base = assemble([Parsed(base.tables() | {"events": base.events.assign(**dated)}, base.problems, base.sources)])
    played = int((base.games["event"] == event).sum()) + int((base.placings["event"] == event).sum())
    if played:
        notices.append(f"{event} has been played: its results are left out of account")
    base, left_out = _counted(_unplayed(base, event), event, since, until)
    notices += left_out
    everybody = base.entries.loc[base.entries["event"] == event]
    if everybody.empty:
        raise UsageError(f"nobody is entered in {event}")
    base = without_withdrawn(base)
    staying = base.entries.loc[base.entries["event"] == event]
    if staying.empty:
        raise UsageError(f"all who were entered in {event} have withdrawn")
    gone = everybody.loc[~everybody["player"].isin(staying["player"]), "player"]
    beside, zero, told = _beside(staying)
    base, beside, odd = without_odd_ratings(base, event, beside)
    return Entered(
        base, event, beside, zero, tuple(gone), tuple(sorted({*_of_list(base, staying), *told, *odd})), tuple(notices),
        until,
    )  # fmt: skip


def _of_list(history: History, entries: pd.DataFrame) -> set[Problem]:
    """What the readers found in the files that the entries come from."""
    files = set(entries["file"].dropna())
    return {problem for problem in history.problems if problem.file in files}


def _the_unplayed(history: History) -> str:
    to_come = unplayed(history)
    if len(to_come) == 1:
        return to_come[0]
    found = f"these are not yet played: {', '.join(to_come)}" if to_come else "none is an entry list and no more"
    raise UsageError(
        f"an entry list is wanted: --entries FILE, or --event with one of the events here; of them {found}"
    )


def _unplayed(history: History, event: str) -> History:
    """The history as if the event had not begun."""
    cut: dict[str, Any] = {
        name: table[table["event"] != event].reset_index(drop=True)
        for name, table in (("games", history.games), ("placings", history.placings))
    }
    mine = history.events["event"] == event
    events = history.events.assign(availability=history.events["availability"].mask(mine))
    return replace(history, events=events, **cut)


def _counted(history: History, event: str, since: str | None, until: str | None) -> tuple[History, list[str]]:
    """The history of the event, of those awaited, and of those that end within the dates; and what was left out."""
    if since is None and until is None:
        return history, []
    played = history.events["event"].isin([*history.games["event"].unique(), *history.placings["event"].unique()])
    inside = history.between(since, until).events["event"]
    kept = ~played | history.events["event"].isin(inside) | (history.events["event"] == event)
    undated = int((~kept & history.events["end_date"].isna()).sum())
    words = "event without a date is" if undated == 1 else "events without a date are"
    told = [f"{undated} {words} left out"] if undated else []
    return history.only(history.events.loc[kept, "event"]), told


# --- reading ----------------------------------------------------------------------------------------------------------


def read_entry_list(path: Path, event: str | None = None, format: str | None = None) -> Given:
    """The entry list at `path`: a CSV of entries, or an event file or folder of any format with one event (`event`)."""
    shelf, problems = gather([path])
    if problems:
        raise InputError(problems)
    first = shelf.files[0]
    if path.is_file() and format is None and first.suffix in _SHEETS and first.sample is not None:
        header = header_of(first.sample)
        known = {*schema.TABLES["entries"], *schema.BESIDE_COLUMNS}
        if set(_WORDS) & set(header) and 2 * sum(cell in known for cell in header) > len(header):
            return _from_sheet(first, event)
    found = load(path, format=format)
    if event is None:
        to_come = unplayed(found)
        there = to_come if len(to_come) == 1 else list(found.events["event"])
        if len(there) != 1:
            raise UsageError(f"{path} holds several events: --event names one of {', '.join(there) or 'none'}")
        event = there[0]
    only = found.only(event)
    return Given(event, Parsed(only.tables(), found.problems, found.sources))


def _from_sheet(file: File, event: str | None) -> Given:
    """A CSV of entries; who is entered twice is told and left out, a member without a name is counted."""
    faults = Faults(file.shown)
    sheet = read_sheet(file.text, faults)
    _tell_empty_lines(file.text, sheet, faults)
    notices = []
    if "event" in sheet.header:
        listed = [one for one in dict.fromkeys(sheet.columns[sheet.header.index("event")]) if one]
        event = _one_of(listed, event, file)
    else:
        event = event or file.path.stem
        notices.append(f"the entries of {file.shown} are those of the event {event}")
        sheet = _with_column(sheet, "event", [event] * len(sheet.lines))
    sheet = _with_names(sheet, faults)
    entries = read_table("entries", sheet, file, faults)
    entries = entries[entries["event"] == event].reset_index(drop=True)
    if entries.empty:
        raise InputError([*faults.found, Problem(file.shown, 0, 0, ERROR, f"entries of {event}", "none")])
    entries = one_spelling_each(entries, faults)
    entries = one_row_each(entries, faults)
    source = file.as_source()
    sources: tuple[Source, ...] = () if source is None else (source,)
    return Given(event, Parsed({"entries": entries}, tuple(faults.found), sources), tuple(notices))


def _one_of(listed: list[str], event: str | None, file: File) -> str:
    if event is not None and event not in listed:
        told = f"no entries of {event} in {file.shown}{names.meant(event, listed)}"
        raise UsageError(f"{told}; its events are: {', '.join(listed) or 'none'}")
    if event is None and len(listed) != 1:
        raise UsageError(f"{file.shown} holds several events: --event names one of {', '.join(listed) or 'none'}")
    return event or listed[0]


def _with_column(sheet: Sheet, name: str, cells: list[str]) -> Sheet:
    return replace(sheet, header=(*sheet.header, name), columns=(*sheet.columns, tuple(cells)))


def _with_names(sheet: Sheet, faults: Faults) -> Sheet:
    """The sheet with a name for each member of a team: whose cell is empty is the team's first, second …"""
    if "team" not in sheet.header:
        return sheet
    if "player" not in sheet.header:
        sheet = _with_column(sheet, "player", [""] * len(sheet.lines))
    player, team = sheet.header.index("player"), sheet.header.index("team")
    cells, count = [], dict[str, int]()
    for line, name, of in zip(sheet.lines, sheet.columns[player], sheet.columns[team], strict=True):
        count[of] = count.get(of, 0) + 1
        if not name and of:
            name = f"{of}/{count[of]}"
            faults.warning(line, "a name of each member", f"none; this one is called {name} and has no history")
        cells.append(name)
    columns = [tuple(cells) if i == player else column for i, column in enumerate(sheet.columns)]
    return replace(sheet, columns=tuple(columns))


def _tell_empty_lines(text: str, sheet: Sheet, faults: Faults) -> None:
    """Say which lines between the header and the last row hold nothing: a row may have been lost there."""
    from ratinglab.formats.common import on_lines

    last = max(sheet.lines, default=0)
    empty = [
        number
        for number, line in enumerate(text.splitlines(), 1)
        if sheet.header_line < number < last and not line.strip(' \t,;"') and number not in set(sheet.lines)
    ]
    if empty:
        faults.warning(empty[0], "an entry on each line", f"nothing on {on_lines(empty)}; passed over")


def _joined(base: History, given: Given) -> History:
    """The history with the list's event in it, in place of what it said of the entries there before."""
    tables = base.tables()
    for name in ("entries", "games", "placings", "divisions"):
        tables[name] = tables[name][tables[name]["event"] != given.event]
    described = tables["events"][tables["events"]["event"] == given.event]
    tables["events"] = tables["events"][tables["events"]["event"] != given.event]
    own = given.parsed.tables.get("events")
    row = frame("events", [{"event": given.event}]) if own is None or own.empty else own
    if len(described):  # the list's own description first, then what the history knows
        row = row.fillna({c: described.iloc[0][c] for c in row.columns if pd.notna(described.iloc[0][c])})
    parts = [
        Parsed(tables, base.problems, base.sources),
        Parsed({**given.parsed.tables, "events": row}, given.parsed.problems, given.parsed.sources),
    ]
    made = assemble(parts)
    return replace(made, events=completed(made.events, made.entries, made.games, made.placings))


# --- ratings beside the entries' own ----------------------------------------------------------------------------------


def _beside(entries: pd.DataFrame) -> tuple[pd.DataFrame, frozenset[int], list[Problem]]:
    """The further ratings of these entries, those that file a 0, and what is wrong with either.

    Both stand in cells that are no column of a history, so the sheets are read once more, by the lines of the entries.
    """
    found, zero, problems = [], set(), list[Problem]()
    for shown in dict.fromkeys(entries["file"].dropna()):
        path = Path(str(shown))
        if path.suffix.casefold() not in _SHEETS or not path.is_file():
            continue
        file = File(path, str(shown), str(shown))
        sheet = read_sheet(file.text, Faults(str(shown)))
        faults = Faults(str(shown))
        at = {line: i for i, line in enumerate(sheet.lines)}
        mine = entries[(entries["file"] == shown) & entries["line"].isin(at)]
        for row, line in zip(mine.index, mine["line"], strict=True):
            if "rating" in sheet.header and _says_zero(sheet.columns[sheet.header.index("rating")][at[line]]):
                zero.add(int(row))
            found += list(_cells(sheet, at[line], int(row), faults))
        problems += faults.found
    table = pd.DataFrame(found, columns=no_ratings().columns) if found else no_ratings()
    return table.astype({"as_of": "datetime64[us]"}), frozenset(zero), problems


def _says_zero(cell: str) -> bool:
    value, _ = parse_cell(cell.strip(), "real", True) if cell.strip() else (None, None)
    return value == 0


def _cells(sheet: Sheet, i: int, row: int, faults: Faults) -> Iterator[tuple[Any, ...]]:
    """The further ratings of a row of the sheet; a 0 says unrated."""
    for kind in schema.BESIDE_KINDS:
        told: dict[str, Any] = {}
        for column, what in schema.BESIDE.items():
            name = f"{kind}_{column}"
            cell = sheet.columns[sheet.header.index(name)][i].strip() if name in sheet.header else ""
            if not cell:
                continue
            value, expected = parse_cell(cell, what, sheet.comma)
            if expected:
                faults.error(sheet.lines[i], f"{name}: {expected}", repr(cell), sheet.header.index(name) + 1)
            else:
                told[column] = value
        rating = told.get("rating")
        if rating:
            deviation, games = (told.get(name, np.nan) for name in ("deviation", "games"))
            yield row, kind, told.get("source"), told.get("as_of"), float(rating), float(deviation), float(games)
        elif rating is None and {"deviation", "games", "as_of"} & set(told):
            faults.warning(sheet.lines[i], f"{kind}_rating with {', '.join(told)}", "none")
