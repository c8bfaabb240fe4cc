"""The World Diplomacy Database: ranking pages copied as text, and its two CSV files of an event.

Here is which files belong to one event, and what comes from which: a page gives the header and, without a
classification beside it, the places; a boards file gives the games. What stands in the files is `wdd_page` and
`wdd_tables`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from ratinglab import names, schema
from ratinglab.decode import NotText
from ratinglab.formats.common import Faults, frame
from ratinglab.formats.files import File, Group, Shelf
from ratinglab.formats.sheet import Sheet, header_of, read_sheet
from ratinglab.formats.wdd_page import Page, is_page, read_pages
from ratinglab.formats.wdd_tables import BOARDS, CLASSIFICATION, Boards, kind_of, read_boards, read_classification
from ratinglab.history import Parsed
from ratinglab.problems import Problem

NAME = "wdd"

_PAGE = "page"
_ORDER = (_PAGE, CLASSIFICATION, BOARDS)
_SUFFIXES = (".csv", ".tsv", ".txt")
# "hill-con-2019-boards.csv", the database's own "Hill Con2019boards.csv", or "boards.csv" in a folder of the event
_STEM = re.compile(r"(?P<event>.*?)[-_ ]*(?P<kind>classification|players|boards)", re.IGNORECASE)

Row = dict[str, Any]


def recognises(shelf: Shelf) -> Iterator[Group]:
    """The files of each event together: those of a folder whose names differ in their ending only."""
    for files in shelf.by_folder():
        events: dict[tuple[str, int], dict[str, File]] = {}
        for file in files:
            kind = _kind(file, shelf.forced)
            if kind is None:
                continue
            # a second file of one kind is an event of its own, which is then told to have the same id
            copy = 0
            while kind in events.setdefault((_event_of(file).casefold(), copy), {}):
                copy += 1
            events[_event_of(file).casefold(), copy][kind] = file
        for of_event in events.values():
            group = tuple(of_event[kind] for kind in _ORDER if kind in of_event)
            yield Group(group, group[0].folder.name)


def _kind(file: File, forced: bool) -> str | None:
    """What a file is: of the CSV files, by the header; a page, by its labels."""
    told = forced and file.explicit
    if file.sample is None:
        return _PAGE if told else None
    if file.suffix in _SUFFIXES:
        header = header_of(file.sample)
        meant = _STEM.fullmatch(file.path.stem)
        ending = {"players": CLASSIFICATION}.get(meant["kind"].casefold(), meant["kind"].casefold()) if meant else None
        kind = kind_of(header, ending)
        if kind is not None:
            return kind
        if told and file.suffix != ".txt":
            return ending or CLASSIFICATION
    return _PAGE if told or is_page(file.sample) else None


def _event_of(file: File) -> str:
    """The event's id: the stem without its ending, or the folder's name where the stem is nothing more."""
    found = _STEM.fullmatch(file.path.stem)
    return (found["event"] or file.folder.name) if found else file.path.stem


def read(group: Group, shelf: Shelf) -> Parsed:
    """The event of a group, and the events of a text with several pages."""
    files = {kind: file for file in group.files if (kind := _kind(file, shelf.forced)) is not None}
    faults = {kind: Faults(file.shown) for kind, file in files.items()}
    pages = _pages(files[_PAGE], faults[_PAGE]) if _PAGE in files else []
    placings: list[Row] | None = None
    boards: Boards | None = None
    if CLASSIFICATION in files:
        placings = read_classification(_sheet(files[CLASSIFICATION], faults[CLASSIFICATION]), faults[CLASSIFICATION])
    if BOARDS in files:
        boards = read_boards(_sheet(files[BOARDS], faults[BOARDS]), faults[BOARDS])

    event, source = _event_of(group.main), group.main.path.name
    rows: dict[str, list[Row]] = {"events": [], "placings": [], "games": []}
    if len(pages) > 1:
        for page, name in zip(pages, _ids(event, pages), strict=True):
            rows["events"].append(page.event | {"event": name, "source": source})
            rows["placings"] += _of_event(page.placings, rows["events"][-1])
    alone = pages[0] if len(pages) == 1 else None
    if alone or placings or (boards and boards.games):
        row = alone.event if alone else {"kind": "placings", "file": group.main.shown}
        row = row | {"event": event, "source": source}
        if alone and placings is not None:
            _compare_places(alone, placings, faults[CLASSIFICATION])
        if boards:
            row = _with_boards(row, boards, faults[BOARDS])
            rows["games"] = [game | {"event": event, "section": schema.SECTION} for game in boards.games]
        rows["events"].append(row)
        rows["placings"] += _of_event(alone.placings if alone and placings is None else placings or [], row)
    problems: list[Problem] = [problem for kind in _ORDER if kind in faults for problem in faults[kind].found]
    return Parsed({table: frame(table, part) for table, part in rows.items() if part}, tuple(problems), group.sources)


def _pages(file: File, faults: Faults) -> list[Page]:
    try:
        return read_pages(file.text, faults)
    except (NotText, OSError):
        faults.error(1, "a ranking page as text", file.nature)
        return []


def _sheet(file: File, faults: Faults) -> Sheet:
    try:
        sheet = read_sheet(file.text, faults)
    except (NotText, OSError):
        sheet = Sheet((), (), ())
    if not sheet.lines and not faults.found:
        faults.error(1, "a table with a row for each player", "no rows" if sheet.header else file.nature)
    return sheet


def _ids(stem: str, pages: list[Page]) -> list[str]:
    """An id for each page of a text with several: its stem and the event's name, counted where two are alike."""
    made: list[str] = []
    for page in pages:
        plain = unicodedata.normalize("NFKD", page.name).encode("ascii", "ignore").decode()
        slug = f"{stem}-{'-'.join(re.findall('[a-z0-9]+', plain.casefold()))}".rstrip("-")
        taken, count = {stem, *made}, 1
        made.append(slug)
        while made[-1] in taken:
            count += 1
            made[-1] = f"{slug}-{count}"
    return made


def _of_event(placings: list[Row], event: Row) -> list[Row]:
    return [row | {"event": event["event"], "of": event.get("players")} for row in placings]


def _with_boards(event: Row, boards: Boards, faults: Faults) -> Row:
    """The event with the number of its rounds and boards, by the header if it says so; another number is told."""
    for column, found in (("rounds", boards.rounds), ("boards", boards.boards)):
        told = event.get(column)
        if told is None:
            event = event | {column: found}
        elif found is not None and found != told:
            faults.warning(1, f"{told} {column}, by the header of the ranking page", str(found))
    return event


def _compare_places(page: Page, placings: list[Row], faults: Faults) -> None:
    """Tell where the page and the classification of an event place somebody differently; the classification stands."""
    printed = {names.key(row["player"]): row for row in page.placings}
    for row in placings:
        other = printed.get(names.key(row["player"]))
        if other is not None and other["place"] != row["place"]:
            expected = f"place {other['place'] or 'none'} of {row['player']!r}, as on the ranking page"
            faults.error(row["line"], expected, str(row["place"] or "none"))
