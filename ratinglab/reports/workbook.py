"""All tables of a publication as one workbook (XLSX): what its pages show, whole, with unrounded figures.

Each table has a sheet: headings in the first row, so that other programs read it as it is, and its caption as the text
alternative of the table and above each printed page. A sheet before them lists pages, captions and headings explained.
"""

from __future__ import annotations

import datetime
import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from markupsafe import Markup, escape

from ratinglab.reports.html import Column, Link, Table, cell, figures, many, tables
from ratinglab.reports.page import Page

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

    from ratinglab.reports.publication import Publication

CONTENTS = "Contents"
WIDEST = 60  # characters of a column; longer text is broken
_SHEET_NAME = 31  # characters that Excel allows
_MOST_ROWS, _MOST_TEXT = 1_048_575, 32_767  # below the headings; in a cell
_FIRST_YEAR = 1901  # Excel counts a day too many in 1900 and knows none before: they are text
_LEFT, _RIGHT = {"align": "left", "indent": 1}, {"align": "right"}  # a little apart from figures to the left
_MEASURED = 2_000  # rows by which the width of figures is found
_MADE = datetime.datetime(1980, 1, 1)  # as the files inside: the hour of making would differ in every run


@dataclass(frozen=True)
class Sheet:
    """A table of a page, and the name of the sheet it stands on."""

    name: str
    page: Page
    table: Table


def sheets(publication: Publication, shown: Mapping[str, bytes]) -> list[Sheet]:
    """The tables that the main pages show, each once, in the order of the pages and on them.

    `shown` is the HTML of each page by its file: a table that stands in no page is in no sheet.
    """
    found: list[tuple[Page, Table]] = []
    seen: set[int] = set()
    for page in publication.main:
        text = shown[page.file]
        at = {id(one): (text.find(f'<table id="{escape(one.id)}"'.encode()), one) for one in tables(page.values)}
        new = [(place, key, one) for key, (place, one) in at.items() if place >= 0 and key not in seen]
        seen |= {key for _, key, _ in new}
        found += [(page, one) for _, _, one in sorted(new, key=lambda item: item[0])]
    taken = {CONTENTS.casefold(), "history"}  # Excel keeps the name History to itself
    several = len({page.file for page, _ in found}) > 1
    made = []
    for page, one in found:
        stem = page.file.rpartition("/")[2].removesuffix(".html")
        alone = sum(other is page for other, _ in found) == 1
        told = one.id if not several or stem == "index" else stem if alone or one.id == stem else f"{stem} {one.id}"
        made.append(Sheet(_unlike(told, taken), page, one))
    return made


def as_workbook(publication: Publication, shown: Mapping[str, bytes]) -> bytes:
    """The workbook with every table that the main pages show (`sheets`): the same bytes for the same tables.

    Text is text, also `007` and `=1+1`; figures are unrounded numbers with the page's format, shares as percentages;
    days are dates; what is missing is an empty cell.
    """
    from xlsxwriter import Workbook

    file = io.BytesIO()
    book = Workbook(file, {"in_memory": True, "strings_to_numbers": False, "strings_to_formulas": False})
    title = publication.title or publication.pages[0].title
    book.set_properties({"title": title, "created": _MADE})
    book.set_size(2400, 1400)
    formats = _Formats(book)
    listed = sheets(publication, shown)
    contents = book.add_worksheet(CONTENTS)
    for sheet in listed:
        _write_table(book.add_worksheet(sheet.name), sheet, formats)
    _write_contents(contents, title, publication, listed, formats)
    book.close()
    return file.getvalue()


class _Formats:
    """The formats of cells, each made once in a workbook."""

    def __init__(self, book: Workbook) -> None:
        self._book = book
        self._made: dict[tuple[tuple[str, Any], ...], Format] = {}

    def of(self, **properties: Any) -> Format:
        key = tuple(sorted(properties.items()))
        if key not in self._made:
            self._made[key] = self._book.add_format({"valign": "top", **properties})
        return self._made[key]


def _write_table(sheet: Worksheet, told: Sheet, formats: _Formats) -> None:
    table = told.table
    rows = min(len(table.cells[0]), _MOST_ROWS)
    headings = _headings(table.columns)
    sides = [_RIGHT if column.number else _LEFT for column in table.columns]
    styles = [formats.of(bold=True, text_wrap=True, bottom=1, **side) for side in sides]
    for place, (column, values) in enumerate(zip(table.columns, table.cells, strict=True)):
        width = _write_column(sheet, place, column, values[:rows], formats)
        # the mark of the filter stands beside the heading
        sheet.set_column(place, place, min(WIDEST, max(width, min(len(headings[place]), 18) + 3)) + 2)
        if column.about and _capital(column.about) != headings[place]:
            sheet.write_comment(0, place, _capital(column.about), {"author": "", "x_scale": 1.6})
    described = [{"header": heading, "header_format": style} for heading, style in zip(headings, styles, strict=True)]
    if rows:
        caption = {"title": table.caption, "description": f"{table.caption} ({told.page.title})"}
        look = {"style": "Table Style Light 1", "banded_rows": False, "columns": described}
        sheet.add_table(0, 0, rows, len(headings) - 1, caption | look)
    for place, heading in enumerate(headings):
        sheet.write_string(0, place, heading, styles[place])
    heads = [place for place, column in enumerate(table.columns[:3]) if column.heads]
    sheet.freeze_panes(1, heads[0] + 1 if heads else 0)
    sheet.repeat_rows(0)
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.fit_to_pages(1, 0)
    sheet.set_header(_on_paper(table.caption))
    sheet.set_footer("&C&P / &N")


def _write_column(sheet: Worksheet, place: int, column: Column, values: Sequence[Any], formats: _Formats) -> int:
    """Write the cells of a column below its heading; returns its width in characters."""
    number = _number_format(column.kind)
    side = _RIGHT if column.number else _LEFT
    if not number and column.kind != "day":
        width = max((len(plain(value)) for value in values), default=0)
        text = formats.of(num_format="@", text_wrap=width > WIDEST, **side)
        for row, value in enumerate(values, 1):
            if told := plain(value):
                sheet.write_string(row, place, _cut(told), text)
        return width
    text, figure = formats.of(num_format="@", **side), formats.of(num_format=number or "yyyy-mm-dd", **side)
    for row, value in enumerate(values, 1):
        if _missing(value):
            continue
        if isinstance(value, Link) or (not math.isfinite(value) if number else value.year < _FIRST_YEAR):
            sheet.write_string(row, place, _cut(plain(cell(value, column.kind))), text)
        elif number:
            sheet.write_number(row, place, float(value), figure)
        else:
            sheet.write_datetime(row, place, datetime.datetime(value.year, value.month, value.day), figure)
    return max((len(plain(cell(value, column.kind))) for value in values[:_MEASURED]), default=0)


def _number_format(kind: str) -> str:
    """The format of a kind of figures, in the workbook's own code; nothing for text and days."""
    found = figures(kind)
    if found is None:
        return ""
    what, digits = found
    plain = "0" + ("." + "0" * digits if digits else "")
    return {
        "whole": plain,
        "real": plain,
        "percent": f'{plain}" "%',
        "pm": f'"±"{plain}',
        "signed": f"+{plain};-{plain};{plain}",
    }[what]


def _headings(columns: Sequence[Column]) -> list[str]:
    """A heading for each column, none empty and no two alike: other programs tell columns by them."""
    made: list[str] = []
    taken: set[str] = set()
    for column in columns:
        title = plain(column.title) or _capital(column.about) or f"Column {len(made) + 1}"
        if title == "±" and made:
            title = f"{made[-1]} ±"
        heading, count = _cut(title, 240), 1
        while heading.casefold() in taken:
            count += 1
            heading = f"{_cut(title, 240)} ({count})"
        taken.add(heading.casefold())
        made.append(heading)
    return made


def _write_contents(
    sheet: Worksheet, title: str, publication: Publication, listed: Sequence[Sheet], formats: _Formats
) -> None:
    """What the workbook holds, with links to the sheets, and what headings mean."""
    text, wrapped, bold = formats.of(), formats.of(text_wrap=True), formats.of(bold=True, bottom=1)
    sheet.set_column(0, 0, 28)
    sheet.set_column(1, 1, WIDEST)
    sheet.set_column(2, 2, 9)
    sheet.set_column(3, 3, _SHEET_NAME + 1)
    sheet.write_string(0, 0, plain(title), formats.of(bold=True, font_size=16))
    rests = publication.rests_on or "Figures"
    sheet.write_string(1, 0, f"{rests}, from {many(publication.sources, 'file')}.", text)
    sheet.write_string(2, 0, "An empty cell: not known, or it does not apply.", text)
    row = 4
    for place, heading in enumerate(("Page", "Table", "Rows", "Sheet")):
        sheet.write_string(row, place, heading, formats.of(bold=True, bottom=1, align="right") if place == 2 else bold)
    link = formats.of(font_color="#0B5394", underline=1, text_wrap=True)
    for told in listed:
        row += 1
        rows = len(told.table.cells[0])
        sheet.write_string(row, 0, plain(told.page.title), wrapped)
        sheet.write_url(row, 1, f"internal:'{told.name}'!A1", link, _cut(plain(told.table.caption), 255))
        sheet.write_number(row, 2, rows, text)
        sheet.write_string(row, 3, told.name, text)
        if rows > _MOST_ROWS:
            row += 1
            sheet.write_string(row, 1, f"A sheet holds {_MOST_ROWS} rows; all are in {told.table.csv}", wrapped)
    explained = _explained(listed)
    if explained:
        row += 2
        for place, heading in ((0, "Heading"), (1, "What it means"), (3, "Sheet")):
            sheet.write_string(row, place, heading, bold)
        for (heading, about), where in explained.items():
            row += 1
            for place, words in ((0, heading), (1, _capital(about)), (3, ", ".join(where))):
                sheet.write_string(row, place, _cut(words), wrapped)
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 0)


def _explained(listed: Sequence[Sheet]) -> dict[tuple[str, str], list[str]]:
    """Headings and what they mean, each pair once, with the names of its sheets."""
    pairs: dict[tuple[str, str], list[str]] = {}
    for sheet in listed:
        for heading, column in zip(_headings(sheet.table.columns), sheet.table.columns, strict=True):
            if column.about and _capital(column.about) != heading:
                pairs.setdefault((heading, column.about), []).append(sheet.name)
    return pairs


def _unlike(name: str, taken: set[str]) -> str:
    """A sheet's name like the one given that Excel allows and that is not taken yet; takes it."""
    base = re.sub(r"[\[\]:*?/\\']+", "-", name).strip() or "table"
    made, count = _shortened(base, _SHEET_NAME), 1
    while made.casefold() in taken:
        count += 1
        end = f" ({count})"
        made = _shortened(base, _SHEET_NAME - len(end)) + end
    taken.add(made.casefold())
    return made


def _shortened(name: str, most: int) -> str:
    """The name without its middle: names of one kind differ at the end."""
    if len(name) <= most:
        return name
    return f"{name[: most // 3].rstrip()}…{name[-(most - most // 3 - 1) :].lstrip()}"


def plain(value: Any) -> str:
    """A value as plain text: a link's text, HTML without its marks, nothing for what is missing.

    >>> plain(Link("b.html", "B")), plain(Markup("<b>x</b><br>1 &lt; 2")), plain(None)
    ('B', 'x; 1 < 2', '')
    """
    if _missing(value):
        return ""
    if isinstance(value, Link):
        value = value.text
    if isinstance(value, Markup):
        return Markup(re.sub(r"<br\s*/?>", "; ", str(value))).striptags()
    return str(value)


def _missing(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cut(text: str, most: int = _MOST_TEXT) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _on_paper(caption: str) -> str:
    """A caption as a header of printed pages, in which & begins a code; no more than Excel bears."""
    return "&L" + _cut(plain(caption), 120).replace("&", "&&")
