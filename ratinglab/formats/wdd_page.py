"""The World Diplomacy Database's ranking page of an event, copied as text: a header, then places, names and scores.

The cells of the page's tables run together ("Number of players36 Number of rounds3", "1Ada ZELM98.61"), and what
stands around them on the page, the description of the rating and the navigation, is copied too. A file may hold several
pages. The printed figures are compared with what the place and the size of the event make of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from ratinglab import dates, names
from ratinglab.decode import numbered_lines
from ratinglab.formats.common import Faults, on_lines
from ratinglab.placings import FIRST_YEAR, WORLDS_VALUE, percentile, tournament_value

UNRANKED = 999
WORLDS = "World Championship"

_LABEL = re.compile(r"(?<![A-Za-z])(?:Date|Place)(?![A-Za-z])|Number of (?:players|rounds|boards)|Coeff [123]")
_DATE = re.compile(r"\s*Date(?![A-Za-z])")
_PLAYERS = re.compile(r"Number of players[\s:]*\d")
_TABLE = re.compile(r"\s*Rank(?![a-z]).*(?:Name|Score)")
_ROW = re.compile(r"(?P<place>\d{1,4})(?!\d)\s*[=.)]?\s*(?P<rest>\D.*)")
_SCORE = re.compile(r"\s*(\d+[.,]\d+)$")
_LETTER = re.compile(r"[^\W\d_]")
_EXPECTED_ROW = "place, name and score"
_WORLDS_NAME = re.compile(r"\bworld (?:dip\s?con|diplomacy (?:convention|championship)|championship)\b|\bWDC\b", re.I)
_STRAY = 3  # lines between two rows of a table; more, and it has ended
_LONGEST = 300  # characters of a row; a longer line is not searched for one

Lines = Sequence[tuple[int, str]]
Row = dict[str, Any]


@dataclass
class Page:
    """An event's page: its name, the row of the table of events, and its rows of places, each with its line."""

    name: str
    event: Row
    placings: list[Row] = field(default_factory=list)


def is_page(text: str) -> bool:
    """Whether a text holds a ranking page: two of the line of date and place, the number of players, the table's head.

    >>> is_page("Hill Con 2019\\nDate May 24, 2019 Place Hill\\nNumber of players36"), is_page("Date of birth")
    (True, False)
    """
    if "Number of players" not in text and "Coeff 1" not in text:  # most files, some of them very large
        return False
    lines = text.splitlines()
    signs = (
        any(_DATE.match(line) and "Place" in line for line in lines),
        _PLAYERS.search(text) is not None,
        any(_TABLE.match(line) for line in lines),
    )
    return sum(signs) > 1


def read_pages(text: str, faults: Faults) -> list[Page]:
    """The events of a text, in order; a text without one gives none, and says so."""
    lines = numbered_lines(text)
    starts = list(_starts(lines))
    if not starts:
        expected = "a line 'Date ... Place ...' and one with the number of players"
        faults.error(1, expected, "none in this file")
        return []
    # the line above the date, the event's name, is of the next page
    ends = [start - (_name(lines, start) is not None) for start in starts[1:]] + [len(lines)]
    return [_page(lines, start, end, faults) for start, end in zip(starts, ends, strict=True)]


def _starts(lines: Lines) -> Iterator[int]:
    """Where the headers begin: at a date that a place or the number of players follows, else at that number."""
    taken = -1
    for i, (_, line) in enumerate(lines):
        if i <= taken:
            continue
        following = [text for _, text in lines[i : i + 5]]
        dated = _DATE.match(line) and any("Place" in text or "Number of players" in text for text in following)
        if dated or _PLAYERS.search(line):
            yield i
            # the rest of one header: its labels once each
            seen = set(_LABEL.findall(line))
            taken = i
            for k, text in enumerate(following[1:], i + 1):
                labels = set(_LABEL.findall(text))
                if _TABLE.match(text) or labels & seen:
                    break
                seen |= labels
                taken = k if labels else taken


def _page(lines: Lines, start: int, end: int, faults: Faults) -> Page:
    head = next((i for i in range(start, end) if _TABLE.match(lines[i][1])), None)
    first_row = next((i for i in range(start, end) if _row(lines[i][1], ())), end)
    if head is None or head > first_row:
        if first_row < end:
            faults.error(lines[first_row][0], "a line 'Rank ... Name ... Score' above the places", "none")
        head = first_row - 1
    name = _name(lines, start)
    at = _Header(lines[start : max(start + 1, min(head, end))], faults)
    if name is None:
        faults.error(lines[start][0], "the event's name above its date", "none")
    event: Row = {"name": name, "kind": "placings", "line": lines[start][0], "file": faults.file}
    event["date"], event["end_date"] = at.days()
    event["place"] = at.text("Place") or None
    event |= {column: at.whole(f"Number of {column}") for column in ("players", "rounds", "boards")}
    page = Page(name or "", event, _rows(lines[head + 1 : end], _columns(lines[head][1]), faults))
    if not page.placings:
        faults.error(lines[start][0], "rows of place, name and score", f"none of {name or 'the event'}")
    _compare_value(page, at, faults)
    _compare_scores(page, faults)
    return page


def _name(lines: Lines, start: int) -> str | None:
    above = lines[start - 1][1].strip() if start else ""
    return None if not above or _row(above, ()) else " ".join(above.split())


class _Header:
    """The labels of a header and what stands after each, cells run together or not."""

    def __init__(self, lines: Lines, faults: Faults) -> None:
        self.faults = faults
        self.found: dict[str, tuple[str, int, int]] = {}
        self.line = lines[0][0]
        last: str | None = None
        for number, line in lines:
            labels: list[re.Match[str]] = []
            for label in _LABEL.finditer(line):
                # a word of the place's name may be a label too
                if label[0] not in self.found and label[0] not in [earlier[0] for earlier in labels]:
                    labels.append(label)
            if last is not None and not self.found[last][0]:  # a cell on a line of its own
                before = line[: labels[0].start()] if labels else line
                if before.strip():
                    self.found[last] = (before.strip(), number, 1 + len(before) - len(before.lstrip()))
            for label, end in zip(labels, [*(label.start() for label in labels[1:]), len(line)], strict=False):
                value = line[label.end() : end]
                written = value.strip(" \t:")
                self.found[label[0]] = (written, number, label.end() + value.find(written) + 1)
                last = label[0]

    def text(self, label: str) -> str:
        """What is written after the label, empty where it is not there."""
        return self.found.get(label, ("", 0, 0))[0]

    def tell(self, label: str, expected: str, severity: str = "error") -> None:
        """Note that the label has another value, or none."""
        value, line, column = self.found.get(label, ("", self.line, 0))
        note = self.faults.error if severity == "error" else self.faults.warning
        note(line, expected, repr(value) if value else "none", column)

    def whole(self, label: str) -> int | None:
        """The whole number after the label; one that cannot be read is told, and one missing of the players."""
        value = self.text(label)
        if re.fullmatch(r"[1-9]\d{0,5}", value, re.ASCII):
            return int(value)
        if value not in ("", "-", "0") or label == "Number of players":
            self.tell(label, f"{label}: a whole number from 1 up")
        return None

    def days(self) -> tuple[date | None, date | None]:
        """The first and last day."""
        value = self.text("Date")
        days = dates.span(value) if value else None
        if value and days is None:
            self.tell("Date", dates.EXPECTED)
        return days or (None, None)


def _columns(head: str) -> tuple[str, ...]:
    """What the columns of the table are, where the header's cells are parted by tabs."""
    cells = tuple(cell.strip().casefold() for cell in head.split("\t"))
    return cells if len(cells) > 1 and "rank" in cells else ()


def _rows(lines: Lines, columns: tuple[str, ...], faults: Faults) -> list[Row]:
    """The rows below the table's head; a line that should be one is told, what follows the table is passed over."""
    rows: list[Row] = []
    stray: list[tuple[int, str]] = []
    ended = False
    for number, line in lines:
        row = _row(line.strip(" "), columns)
        # below the table only a row that can belong to it does, after a few lines at most
        belongs = row is not None and (not rows or (row["place"] or UNRANKED) >= (rows[-1]["place"] or UNRANKED))
        if row is None or (ended and not belongs):
            stray.append((number, line))
            ended = ended or not _almost_row(line)
            if ended and len(stray) > _STRAY:
                break
            continue
        for where, text in stray:
            faults.error(where, _EXPECTED_ROW, repr(text.strip()[:60]))
        stray, ended = [], False
        rows.append(row | {"line": number, "file": faults.file})
    # directly below the last row: lines that look like one more
    for where, text in stray:
        if not _almost_row(text):
            break
        faults.warning(where, _EXPECTED_ROW, repr(text.strip()[:60]))
    return rows


def _almost_row(line: str) -> bool:
    line = line.strip()[:_LONGEST]
    return _LETTER.search(line) is not None and (line[0].isdecimal() or _SCORE.search(line) is not None)


def _row(line: str, columns: tuple[str, ...]) -> Row | None:
    """What a line of the table says, or None where it is no row of places."""
    cells = [cell.strip() for cell in line.split("\t")]
    nationality, aligned = "", bool(columns) and len(cells) == len(columns)
    if aligned:
        by_name = dict(zip(columns, cells, strict=True))
        name = " ".join(cell for column, cell in by_name.items() if "name" in column)
        nationality = next((cell for column, cell in by_name.items() if column.startswith("nat")), "")
        line = f"{by_name['rank']} {name} {by_name.get('score', '')}"
    line = line.strip()
    found = _ROW.fullmatch(line) if len(line) <= _LONGEST else None
    if not found:
        return None
    place, rest = int(found["place"]), found["rest"]
    printed = _SCORE.search(rest)
    name = rest[: printed.start()] if printed else rest
    if place == UNRANKED and not printed:
        name = rest.removesuffix("-").strip()
    elif not printed:
        return None
    if not _LETTER.search(name):
        return None
    if not aligned:
        first, *more = re.split(r"\t\s*|  +", name)
        name = first if " " in first or not more else f"{first} {more.pop(0)}"
        nationality = more[1] if len(more) == 2 else ""
    return {
        "player": names.tidy(name),
        "nationality": nationality or None,
        "place": None if place == UNRANKED else place,
        "score": float(printed[1].replace(",", ".")) if printed else None,
        "printed": printed[1] if printed else "",
    }


def _compare_value(page: Page, at: _Header, faults: Faults) -> None:
    """Set the championship, and tell a printed Coeff 1 that is not the value of the tournament."""
    printed = at.text("Coeff 1")
    number = float(printed.replace(",", ".")) if re.fullmatch(r"\d{1,4}(?:[.,]\d{1,9})?", printed, re.ASCII) else None
    if number is None and printed not in ("", "-"):
        at.tell("Coeff 1", "Coeff 1: a number, or - for none")
        return
    named = _WORLDS_NAME.search(page.name) is not None
    # no other tournament has the value of the World Championship
    worlds = named or number == WORLDS_VALUE
    if worlds:
        page.event["championship"] = WORLDS
    end = page.event["end_date"]
    players, rounds = page.event["players"], page.event["rounds"]
    if "Coeff 1" not in at.found or (not worlds and (players is None or rounds is None or end is None)):
        return
    early = end is not None and end.year < FIRST_YEAR and not worlds
    value = 0.0 if early else float(tournament_value(players or 0, rounds or 1, worlds))
    if not _agrees(number or 0.0, value, printed):
        what = f"an event before {FIRST_YEAR}" if early else WORLDS if worlds else f"{players} players, {rounds} round"
        what += "s" if not early and not worlds and rounds != 1 else ""
        at.tell("Coeff 1", f"Coeff 1 of {value:.2f} ({what})", "warning")


def _compare_scores(page: Page, faults: Faults) -> None:
    """Tell the printed scores that are not the percentile of their place: one problem for the page."""
    players = page.event["players"]
    if players is None:
        return
    ranked = [row for row in page.placings if row["place"] is not None and row["score"] is not None]
    due = percentile([row["place"] for row in ranked], players).tolist()
    off = [(row, s) for row, s in zip(ranked, due, strict=True) if not _agrees(row["score"], s, row["printed"])]
    if off:
        row, score = off[0]
        others = f" (and more on {on_lines(other['line'] for other, _ in off[1:])})" if off[1:] else ""
        expected = f"a score of {score:.2f} for place {row['place']} of {players}"
        faults.warning(row["line"], expected, f"{row['printed']} of {row['player']!r}{others}")


def _agrees(number: float, exact: float, printed: str) -> bool:
    """Whether a number is what `exact` gives when it is rounded to the digits printed."""
    digits = len(re.split(r"[.,]", printed)[1]) if re.search(r"\d[.,]\d", printed) else 2
    return abs(number - exact) <= 0.5 * 10.0**-digits + 1e-9
