"""CSV and TSV as spreadsheets write them: any delimiter, quoting, byte-order mark; lines as an editor counts them.

Cells stay text here, trimmed; what they mean is the format's business.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ratinglab.formats.common import Faults

DELIMITERS = ("\t", ";", ",")
_LARGE = 500_000  # characters; below, the plain reader is as fast


class Column(Sequence[str]):
    """A column of a large sheet: its different cells, and which of them each row has.

    A million rows hold a few thousand different cells; whoever asks only what is in them looks at each once.
    """

    def __init__(self, which: Any, cells: Sequence[str]) -> None:
        """Of each row, the position of its cell in `cells`; alike once trimmed, two are one."""
        merged, different = pd.factorize(np.array([cell.strip() for cell in cells], dtype=object))
        self.which = merged[which]
        self.cells: list[str] = different.tolist()

    @classmethod
    def of(cls, cells: Any) -> Column:
        """The column with these cells, row by row."""
        if isinstance(cells, cls):
            return cells
        which, different = pd.factorize(np.asarray(cells, dtype=object))
        return cls(which, different.tolist())

    def __len__(self) -> int:
        return len(self.which)

    def __iter__(self) -> Iterator[str]:
        return map(self.cells.__getitem__, self.which.tolist())

    def __getitem__(self, row: Any) -> Any:
        return self.cells[self.which[row]]


@dataclass(frozen=True, eq=False)
class Sheet:
    """A header, the cells column by column, and the line of each row; `header_line` is the header's own.

    `comma`: cells are not parted by commas, so that one in a number is a decimal mark.
    """

    header: tuple[str, ...]
    columns: tuple[Sequence[str], ...]
    lines: Sequence[int]
    header_line: int = 1
    comma: bool = False

    def at(self, names: Sequence[str]) -> dict[str, int]:
        """Where each of these header cells stands (the first that matches)."""
        return {name: self.header.index(name) for name in names if name in self.header}


def header_of(text: str) -> tuple[str, ...]:
    """The header cells, tidied: lower case, words parted by `_`.

    >>> header_of("Submitted On;Winner's Score\\n1;2")
    ('submitted_on', 'winners_score')
    """
    match = re.search(r"[^\r\n]*\S[^\r\n]*", text)
    first = match[0] if match else ""
    try:
        cells = next(csv.reader([first], delimiter=delimiter_of(first)), [])
    except csv.Error:
        return ()
    return tuple(map(tidy, cells))


def tidy(cell: str) -> str:
    """A header cell in the form in which it is looked up."""
    return re.sub(r"\s+", "_", re.sub(r"['’.\ufeff]", "", cell).strip().casefold())


def delimiter_of(header: str) -> str:
    """The delimiter that parts the header's cells: the most frequent of tab, semicolon and comma outside quotes."""
    bare = re.sub(r'"[^"]*"', "", header)
    return max(DELIMITERS, key=bare.count) if any(d in bare for d in DELIMITERS) else ","


def read_sheet(text: str, faults: Faults) -> Sheet:
    """The sheet in `text`; rows too long, and quotes never closed, go to `faults`."""
    match = re.search(r"[^\r\n]*\S[^\r\n]*", text)
    delimiter = delimiter_of(match[0] if match else "")
    fast = _fast(text, delimiter) if len(text) > _LARGE else None
    if fast is not None:
        return fast
    rows: list[list[str]] = []
    lines: list[int] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    line = 1
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                rows.append(cells)
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        faults.error(line, "cells of a table", str(error))
    if text.count('"') % 2 and lines and reader.line_num > lines[-1]:
        faults.error(lines[-1], "a closing quote", "the end of the file")
    if not rows:
        return Sheet((), (), ())
    header = tuple(map(tidy, rows[0]))
    width = len(header)
    body = []
    for line, row in zip(lines[1:], rows[1:], strict=True):
        if any(row[width:]):
            faults.error(line, f"{width} cells", f"{len(row)}", column=width + 1)
        body.append((row + [""] * width)[:width])
    columns = tuple(zip(*body, strict=True)) if body else tuple(() for _ in header)
    return Sheet(header, columns, lines[1:], lines[0], comma=delimiter != ",")


def _fast(text: str, delimiter: str) -> Sheet | None:
    """The sheet by pandas' own parser, when the text is so regular that rows are lines; else None."""
    header = header_of(text)
    if not text[: text.find("\n")].strip() or not header or re.search(r"\r(?!\n)", text):
        return None
    width = len(header)
    try:
        # one column more than the header has shows the rows that are too long
        table = pd.read_csv(
            io.StringIO(text), sep=delimiter, header=None, names=list(range(width + 1)), skiprows=1, dtype=object,
            na_filter=False, skip_blank_lines=False, index_col=False,
        )  # fmt: skip
    except (pd.errors.ParserError, ValueError):
        return None
    ends = text.count("\n") + (not text.endswith("\n"))
    if len(table) != ends - 1 or not (table[width] == "").all():
        return None
    columns = [Column.of(table[i]) for i in range(width)]
    lines: Sequence[int] = range(2, len(table) + 2)
    if "" in columns[0].cells:
        held = np.flatnonzero(np.any([np.array(column.cells)[column.which] != "" for column in columns], axis=0))
        columns = [Column(column.which[held], column.cells) for column in columns]
        lines = (held + 2).tolist()
    return Sheet(header, tuple(columns), lines, comma=delimiter != ",")
