"""Club chess tables: `games.csv` with white, black and a result as printed, `players.csv` and `events.csv` beside it.

Such a folder is what a chess club exports from its pairing program. Files are known by their columns, whatever their
names; a `games.csv` alone is enough. An entry's rating is the one the event was paired by (`used_rating`); the
FIDE and the national rating both go to the rating lists, dated by the event. The event's pool is the file's pool and
speed together ("junior rapid"): games at one speed and in one pool are what one rating list would count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ratinglab import dates, names, schema
from ratinglab.formats.cells import parse_cell
from ratinglab.formats.common import Faults, frame, rating_of
from ratinglab.formats.files import File, Group, Shelf
from ratinglab.formats.sheet import header_of, read_sheet
from ratinglab.history import Parsed
from ratinglab.problems import Problem

NAME = "club-chess"

_NEEDED = {
    "games": ("event", "round", "white", "black", "result"),
    "players": ("event", "player", "used_rating"),
    "events": ("event", "date"),
}
_FURTHER = {
    "games": ("board", "white_rating_shown", "black_rating_shown"),  # which of the two ratings a page showed
    "players": ("start_no", "fide_rating", "national_rating"),
    "events": ("rounds", "category", "players", "pairings", "system", "pool", "speed"),
}
_KINDS = ("national", "fide")  # of ratings; where both are the used one, the national is: clubs pair by it
_BYE = "bye"
_RESULTS: dict[str, tuple[str, float | None]] = {
    "1-0": (schema.PLAYED, 1.0),
    "0-1": (schema.PLAYED, 0.0),
    "½-½": (schema.PLAYED, 0.5),
    "1f-0f": (schema.FORFEIT, 1.0),
    "0f-1f": (schema.FORFEIT, 0.0),
    "0f-0f": (schema.FORFEIT, None),  # nobody came: neither side has the other's loss for a win
    "...": (schema.UNKNOWN, None),
    "": (schema.UNKNOWN, None),
}
_BYE_RESULTS = {"1": 1.0, "½": 0.5, "0": 0.0}
_WITHOUT_RESULT = {
    "adj": "ADJ, adjudicated, which does not say how; not rated",
    "0-0": "0 - 0, a game that both lost; not rated",
}
_EXPECTED_RESULT = "a result: 1 - 0, 0 - 1, ½ - ½, a forfeit (1F-0F, 0F-1F, 0F-0F) or ... while it is not known"


@dataclass(frozen=True)
class _Row:
    """A row of a table, its cells by the names of their columns."""

    line: int
    cells: dict[str, str]
    columns: dict[str, int]
    faults: Faults

    def value(self, column: str, kind: str) -> Any:
        """What the cell holds, None for an empty one and for one that is told."""
        cell = self.cells.get(column, "")
        value, expected = parse_cell(cell, kind) if cell else (None, None)
        if expected:
            self.error(column, f"{column}: {expected}", repr(cell))
        return value

    def error(self, column: str, expected: str, found: str) -> None:
        """Note a fault of a cell."""
        self.faults.error(self.line, expected, found, self.columns[column])

    @property
    def origin(self) -> dict[str, Any]:
        """Where the row stands."""
        return {"file": self.faults.file, "line": self.line}


def recognises(shelf: Shelf) -> Iterator[Group]:
    """The tables of each folder together; a games or players table draws in those that lie beside it."""
    for files in shelf.by_folder():
        kinds = {id(file): _kind(file) for file in files}
        own = [file for file in files if kinds[id(file)] in ("games", "players")]
        own += [file for file in files if shelf.forced and file.explicit and file not in own]
        if own:
            own += [file for file in files if kinds[id(file)] == "events"]
            beside = [shelf.beside(own[0], f"{kind}.csv") for kind in _NEEDED]
            own += [file for file in beside if file is not None and _kind(file) is not None]
            yield Group(tuple(dict.fromkeys(own)), own[0].folder.name)


def _kind(file: File) -> str | None:
    """Which of the three tables a file holds, by its columns; None for another file."""
    header = header_of(file.sample) if file.sample is not None else ()
    for kind, needed in _NEEDED.items():
        named = kind != "events" or file.path.stem.casefold() == "events"  # many a table has an event and a date
        if set(needed) <= set(header) and named:
            return kind
    return None


def read(group: Group, shelf: Shelf) -> Parsed:
    """The events of one folder."""
    problems: list[Problem] = []
    events: dict[str, dict[str, Any]] = {}
    parts: dict[str, list[dict[str, Any]]] = {"players": [], "games": []}
    there: dict[str, Counter[str]] = {"players": Counter(), "games": Counter()}
    kinds = {id(file): _kind(file) for file in group.files}
    for kind in ("events", "players", "games"):
        for file in (file for file in group.files if kinds[id(file)] == kind):
            faults = Faults(file.shown)
            rows = list(_rows(file, kind, faults))
            if kind == "events":
                _add_events(rows, events, file.path.name)
            else:
                found = list(_entries(rows) if kind == "players" else _games(rows))
                _add_unlisted(found, events, "events" in kinds.values(), faults)
                parts[kind] += found
                there[kind].update(row.cells["event"] for row in rows)
            problems += faults.found
    for file in (file for file in group.files if kinds[id(file)] is None):
        faults = Faults(file.shown)
        forms = "; ".join(f"{kind}: {', '.join(columns)}" for kind, columns in _NEEDED.items())
        header = ", ".join(filter(None, header_of(file.sample))) if file.sample is not None else file.nature
        faults.error(1, f"the columns of a table ({forms})", header)
        problems += faults.found
    problems += _counts(events, there)
    lists = [row for entry in parts["players"] for row in _lists(entry, events[entry["event"]].get("date"))]
    tables = {"events": list(events.values()), "entries": parts["players"], "games": parts["games"]}
    made = {name: frame(name, part) for name, part in (tables | {"rating_lists": lists}).items() if part}
    return Parsed(made, tuple(problems), group.sources)


def _rows(file: File, kind: str, faults: Faults) -> Iterator[_Row]:
    sheet = read_sheet(file.text, faults)
    known = (*_NEEDED[kind], *_FURTHER[kind])
    for i, column in enumerate(sheet.header):
        if column not in known and (column or any(sheet.columns[i])):
            faults.warning(sheet.header_line, f"columns of the table {kind}", f"{column!r}; passed over", i + 1)
    at = sheet.at(known)
    columns = {column: where + 1 for column, where in at.items()}
    for i, line in enumerate(sheet.lines):
        row = _Row(line, {column: sheet.columns[where][i] for column, where in at.items()}, columns, faults)
        missing = [column for column in ("event", "player", "round") if row.cells.get(column) == ""]
        for column in missing[:1]:
            row.error(column, f"{column} in every row", "none; the row is left out")
        if not missing:
            yield row


def _add_events(rows: list[_Row], events: dict[str, dict[str, Any]], source: str) -> None:
    for row in rows:
        event = row.cells["event"]
        if event in events:
            row.error("event", "each event once", f"{event} again, after line {events[event]['line']}; left out")
            continue
        cell = row.cells["date"]
        days = dates.span(cell) if cell else None
        if cell and days is None:
            row.error("date", dates.EXPECTED, repr(cell))
        first, last = days or (None, None)
        # `system` is how the event was paired; a rating system's name would decide how it is rated
        note, pool = (
            " ".join(filter(None, (row.cells.get(column, "") for column in columns))) or None
            for columns in (("category", "system"), ("pool", "speed"))
        )
        events[event] = row.origin | {
            "event": event, "kind": "games", "date": first, "end_date": last, "rounds": row.value("rounds", "whole"),
            "note": note, "pool": pool, "source": source,
            "counts": {column: row.value(column, "whole") for column in ("players", "pairings")},
        }  # fmt: skip


def _add_unlisted(
    rows: list[dict[str, Any]], events: dict[str, dict[str, Any]], described: bool, faults: Faults
) -> None:
    """A row of events for each that only these rows name; that is a fault if there is a table of events."""
    for row in rows:
        if row["event"] not in events:
            events[row["event"]] = {key: row[key] for key in ("event", "file", "line")} | {"kind": "games"}
            if described:
                faults.warning(row["line"], "a row of events.csv for each event", f"none for {row['event']}")


def _entries(rows: list[_Row]) -> Iterator[dict[str, Any]]:
    numbers: dict[tuple[str, int], int] = {}
    met: dict[tuple[str, str], int] = {}
    for row in rows:
        event, number = row.cells["event"], row.value("start_no", "whole")
        player = names.tidy(row.cells["player"])
        if met.setdefault((event, names.key(player)), row.line) != row.line:
            found = f"{player} again, after line {met[event, names.key(player)]}; left out"
            row.error("player", f"each player of {event} once", found)
            continue
        if number is not None and numbers.setdefault((event, number), row.line) != row.line:
            found = f"{number} again, after line {numbers[event, number]}; left out"
            row.error("start_no", f"each start number of {event} once", found)
            number = None
        used, *kinds = (rating_of(row.value(f"{kind}_rating", "real"))[0] for kind in ("used", *_KINDS))
        ratings = dict(zip(_KINDS, kinds, strict=True))
        kind = next((kind for kind in _KINDS if used is not None and ratings[kind] == used), None)
        yield row.origin | ratings | {
            "event": event, "section": schema.SECTION, "number": number, "player": player,
            "rating": used, "rating_kind": kind,
        }  # fmt: skip


def _lists(entry: dict[str, Any], day: Any) -> Iterator[dict[str, Any]]:
    """The entry's ratings as of the event; a rating without a date belongs in no list."""
    for kind in _KINDS:
        if entry[kind] is not None and day is not None:
            listed = {"player": entry["player"], "list_date": day, "rating": entry[kind]}
            yield listed | {"kind": kind, "source": entry["event"]}


def _games(rows: list[_Row]) -> Iterator[dict[str, Any]]:
    met: dict[tuple[str, int, frozenset[str]], int] = {}
    for row in rows:
        round_ = row.value("round", "whole")
        if round_ is not None and round_ < 1:
            row.error("round", "a round, counted from 1", str(round_))
        white, black = (names.tidy(row.cells[side]) for side in ("white", "black"))
        if not white or not black or names.key(white) == names.key(black):
            found = f"{white!r} on both sides" if white and black else "one side only" if white or black else "none"
            row.error("black" if white else "white", "two different players, or BYE for one", found)
        elif round_ is not None and round_ >= 1:
            place = row.cells["event"], round_, frozenset((names.key(white), names.key(black)))
            if met.setdefault(place, row.line) != row.line:
                found = f"{white} and {black} in round {round_} again, after line {met[place]}; left out"
                row.error("white", "one row a game", found)
                continue
            game = {"event": place[0], "section": schema.SECTION, "round": round_}
            yield row.origin | game | _game(row, white, black)


def _game(row: _Row, white: str, black: str) -> dict[str, Any]:
    """Who met whom, and how it ended."""
    cell = row.cells["result"]
    text = re.sub(r"\s+", "", cell).casefold().replace("1/2", "½").replace("–", "-").replace("…", "...")
    absent = [names.key(side) == _BYE for side in (white, black)]
    status, result = _RESULTS.get(text, (schema.UNKNOWN, None))
    if any(absent) and text in _BYE_RESULTS:
        status, result = schema.BYE, _BYE_RESULTS[text]
    elif text in _WITHOUT_RESULT:
        row.faults.warning(row.line, "a result", _WITHOUT_RESULT[text], row.columns["result"])
    elif text not in _RESULTS:
        expected = "1, ½ or 0, what a bye is worth" if any(absent) else _EXPECTED_RESULT
        row.error("result", expected, f"{cell!r}; not rated")
    elif any(absent):
        status = schema.BYE if status == schema.PLAYED else status
        result = 1 - result if absent[0] and result is not None else result
    if any(absent):
        return {"player": black if absent[0] else white, "result": result, "status": status, "rated": 0}
    sides = {"player": white, "opponent": black, "first": 1}
    return sides | {"result": result, "status": status, "rated": int(status == schema.PLAYED)}


def _counts(events: dict[str, dict[str, Any]], there: dict[str, Counter[str]]) -> Iterator[Problem]:
    """Events of which the table of events says other numbers of players or pairings than there are rows."""
    for column, table in (("players", "players"), ("pairings", "games")):
        for event, row in events.items() if there[table] else ():
            said = row.get("counts", {}).get(column)
            if said is not None and said != there[table][event]:
                faults = Faults(row["file"])
                found = f"{there[table][event]} rows of the table {table}"
                faults.warning(row["line"], f"{said} {column} of {event}, as said here", found)
                yield from faults.found
