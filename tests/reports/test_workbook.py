"""The workbook: what pages show, read back by another program."""

from __future__ import annotations

import datetime
import io
import os
import re
import subprocess
import sys
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from ratinglab.output import csv_text
from ratinglab.reports import html, workbook
from ratinglab.reports.html import Column, Link
from ratinglab.reports.page import Page
from ratinglab.reports.publication import Kinds, Publication

DAYS = pd.to_datetime(["2012-05-12", None, "1999-12-31", "2012-02-29"])
FIGURES = [1717.4321, np.nan, -0.25, 1e-9]
TEXTS = ["007", "=1+1", "https://example.org/x", None]
COLUMNS = [
    Column("Id", TEXTS, heads=True),
    Column("Player", ["Zorn, Ada", "@SUM(A1)", Markup("<b>1</b> &lt; 2<br>so"), Link("b.html", "-5")], "name"),
    Column("Rating", FIGURES, "whole"),
    Column("±", FIGURES, "pm1", about="deviation"),
    Column("Share", [0.1234, 1, np.nan, 0], "percent1"),
    Column("Change", FIGURES, "signed2", about="after less before"),
    Column("Day", DAYS, "day"),
    Column("Record", ["12-3", "1-2", "", "3/4"], "figures"),
    Column("Members", ["A; B", "C", "", "D; E"], "names"),
    Column("", [1, 2, 3, 4], "whole", about="points, biggest rise"),
]


def page(*tables: html.Table, file: str = "one.html", within: str = "") -> Page:
    """A page that shows these tables, one after the other."""
    return Page(file, file.removesuffix(".html").title(), "Something was found", "listed.html", {"all": tables}, within)


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A template that shows all tables of a page, beside those of the package."""
    from jinja2 import ChoiceLoader, DictLoader

    text = (
        '{% extends "page.html" %}{% from "macros.html" import table %}'
        "{% block content %}{% for one in all %}{{ table(one) }}{% endfor %}{% endblock %}"
    )
    environment = html.environment().overlay()
    environment.loader = ChoiceLoader([DictLoader({"listed.html": text}), environment.loader])
    monkeypatch.setattr(html, "environment", lambda: environment)


def made(*pages: Page, title: str = "") -> bytes:
    """The bytes of a publication's workbook."""
    publication = Publication(pages, 3, title=title)
    content = publication.files(Kinds(("xlsx",)))[publication.workbook_file]
    assert isinstance(content, bytes)
    return content


def read(content: bytes) -> openpyxl.Workbook:
    return openpyxl.load_workbook(io.BytesIO(content))


def by_name(sheet: openpyxl.worksheet.worksheet.Worksheet) -> dict[str, list]:
    """The cells below each heading."""
    return {str(column[0].value): list(column[1:]) for column in sheet.iter_cols()}


class TestCells:
    """What stands in a cell, by the kind of its column."""

    @pytest.fixture
    def cells(self) -> dict[str, list]:
        return by_name(read(made(page(html.table("t", "All kinds", COLUMNS))))["t"])

    def test_text_is_text(self, cells) -> None:
        assert [cell.value for cell in cells["Id"]] == TEXTS
        assert [cell.value for cell in cells["Player"]] == ["Zorn, Ada", "@SUM(A1)", "1 < 2; so", "-5"]
        assert [cell.value for cell in cells["Record"]] == ["12-3", "1-2", None, "3/4"]
        assert [cell.value for cell in cells["Members"]] == ["A; B", "C", None, "D; E"]
        told = [cell for name in ("Id", "Player", "Record", "Members") for cell in cells[name] if cell.value]
        assert {cell.data_type for cell in told} == {"s"}
        assert not any(cell.hyperlink for cell in told)
        assert {cell.number_format for cell in told} == {"@"}

    def test_figures_are_unrounded_numbers(self, cells) -> None:
        expected = [1717.4321, None, -0.25, 1e-9]
        for name, shown in (("Rating", "0"), ("Rating ±", '"±"0.0'), ("Change", "+0.00;-0.00;0.00")):
            assert [cell.value for cell in cells[name]] == expected
            assert {cell.number_format for cell in cells[name] if cell.value is not None} == {shown}

    def test_shares_are_percentages(self, cells) -> None:
        assert [cell.value for cell in cells["Share"]] == [0.1234, 1, None, 0]
        assert cells["Share"][0].number_format == '0.0" "%'

    def test_days_are_dates(self, cells) -> None:
        day = datetime.datetime
        assert [cell.value for cell in cells["Day"]] == [day(2012, 5, 12), None, day(1999, 12, 31), day(2012, 2, 29)]
        assert cells["Day"][0].number_format == "yyyy-mm-dd"

    def test_days_before_the_calendar_of_the_program_are_text(self) -> None:
        days = [datetime.date(1900, 12, 31), pd.Timestamp("1901-01-01 17:30"), datetime.date(2012, 2, 29)]
        cells = by_name(read(made(page(html.table("t", "T", [Column("Day", days, "day")]))))["t"])["Day"]
        day = datetime.datetime
        assert [cell.value for cell in cells] == ["1900-12-31", day(1901, 1, 1), day(2012, 2, 29)]

    def test_what_is_no_number_is_said_in_words(self) -> None:
        column = Column("Rating", [float("inf"), 1.0, None, Link("b.html", "unrated")], "real1")
        assert [c.value for c in by_name(read(made(page(html.table("t", "T", [column]))))["t"])["Rating"]] == [
            "inf", 1, None, "unrated",
        ]  # fmt: skip

    def test_text_longer_than_a_cell_is_cut_and_shows_it(self) -> None:
        told = by_name(read(made(page(html.table("t", "T", [Column("Note", ["x" * 40_000])]))))["t"])["Note"][0].value
        assert len(told) == 32_767
        assert told.endswith("x…")


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=False, width=32)),
            st.one_of(st.none(), st.dates(datetime.date(1901, 1, 1), datetime.date(2199, 12, 31))),
            st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="￾￿"), max_size=8),
        ),
        min_size=1,
        max_size=12,
    )
)
@settings(max_examples=25, deadline=None)
def test_it_says_what_the_csv_says(rows: list[tuple]) -> None:
    """Both forms of a table, written from the same columns and read back by pandas."""
    table = pd.DataFrame(rows, columns=["figure", "day", "word"])
    table["figure"] = table["figure"].astype(float)
    table["day"] = pd.to_datetime(table["day"])
    kinds = {"figure": "real1", "day": "day", "word": "text"}
    columns = [Column("row", range(len(rows)), "whole")]  # a row of which nothing is known is one all the same
    columns += [Column(name, table[name], kind) for name, kind in kinds.items()]
    one = page(html.table("t", "T", columns))
    publication = Publication([one], 1)
    content = workbook.as_workbook(publication, {"one.html": b'<table id="t">'})
    like = {"figure": float, "word": str}
    back = pd.read_excel(io.BytesIO(content), sheet_name="t", dtype={"word": str}, keep_default_na=False, na_values={
        "figure": [""], "day": [""], "word": []})  # fmt: skip
    text = pd.read_csv(io.StringIO(csv_text(table)), dtype=like, keep_default_na=False, na_values={"figure": [""]})
    np.testing.assert_allclose(back["figure"].astype(float), text["figure"], rtol=1e-14)
    assert list(back["word"]) == list(text["word"])
    assert list(pd.to_datetime(back["day"])) == list(pd.to_datetime(text["day"]))


class TestSheets:
    """Which tables stand on which sheets, and what is around them."""

    def test_every_table_that_a_main_page_shows_is_there_whole_and_once(self) -> None:
        long = html.table("long", "Long", [Column("N", range(30), "whole")], most=5)
        other = html.table("long", "Another", [Column("N", [1], "whole")])
        hidden = html.table("hidden", "Of an event", [Column("N", [2], "whole")])
        unshown = Page("b.html", "B", "B", "problems.html", {})
        assert not list(html.tables(unshown.values))
        book = read(
            made(
                page(long, file="one.html"),
                page(other, long, file="two.html"),
                page(hidden, file="events/e.html", within="one.html"),
            )
        )
        assert book.sheetnames == ["Contents", "one", "two"]
        assert book["one"].max_row == 31
        assert book["two"].max_row == 2

    def test_a_table_that_no_page_shows_is_left_out(self) -> None:
        shown, not_shown = (html.table(name, name, [Column("N", [1], "whole")]) for name in ("a", "b"))
        one = Page("one.html", "One", "One", "listed.html", {"all": [shown], "other": {"deep": (not_shown,)}})
        assert read(made(one)).sheetnames == ["Contents", "a"]
        assert [table.id for table in html.tables(one.values)] == ["a", "b"]

    def test_they_come_in_the_order_of_the_page(self) -> None:
        first, second = (html.table(name, name, [Column("N", [1], "whole")]) for name in ("first", "second"))
        one = Page("one.html", "One", "One", "listed.html", {"later": second, "all": [first, second]})
        assert read(made(one)).sheetnames == ["Contents", "first", "second"]

    def test_names_are_legal_and_differ(self) -> None:
        ids = ["History", "contents", "a[b]:c*d?e/f\\g", "x" * 40 + "1", "x" * 40 + "2", "SAME", "same", "'"]
        tables = [html.table(name, "T", [Column("N", [1], "whole")]) for name in ids]
        names = read(made(page(*tables))).sheetnames
        assert len(names) == len(ids) + 1
        assert len({name.casefold() for name in names}) == len(names)
        assert all(0 < len(name) <= 31 and not re.search(r"[\[\]:*?/\\]", name) for name in names)
        assert not any(name.startswith("'") or name.endswith("'") or name.casefold() == "history" for name in names)

    def test_headings_are_the_first_row_and_stay_in_view(self) -> None:
        sheet = read(made(page(html.table("t", "All kinds", COLUMNS))))["t"]
        headings = [cell.value for cell in sheet[1]]
        assert headings == ["Id", "Player", "Rating", "Rating ±", "Share", "Change", "Day", "Record", "Members",
                            "Points, biggest rise"]  # fmt: skip
        assert sheet.freeze_panes == "B2"
        (table,) = sheet.tables.values()
        assert table.ref == "A1:J5"
        assert table.autoFilter.ref == "A1:J5"
        assert [column.name for column in table.tableColumns] == headings
        assert sheet["D1"].comment.text == "Deviation"
        assert sheet.print_title_rows == "$1:$1"
        assert "All kinds" in sheet.oddHeader.left.text

    def test_no_two_headings_are_alike(self) -> None:
        columns = [Column(title, [1], "whole") for title in ("Seed", "seed", "±", "±", "")]
        sheet = read(made(page(html.table("t", "T", columns))))["t"]
        assert [cell.value for cell in sheet[1]] == ["Seed", "seed (2)", "seed (2) ±", "seed (2) ± ±", "Column 5"]

    def test_the_caption_is_the_text_alternative_of_the_table(self) -> None:
        with zipfile.ZipFile(io.BytesIO(made(page(html.table("t", "Who & why", COLUMNS))))) as files:
            told = files.read("xl/tables/table1.xml").decode()
        assert 'altText="Who &amp; why"' in told

    def test_a_table_without_rows_has_its_headings(self) -> None:
        sheet = read(made(page(html.table("t", "Nobody", [Column("Player", []), Column("Rating", [], "whole")]))))["t"]
        assert [cell.value for cell in sheet[1]] == ["Player", "Rating"]
        assert sheet.max_row == 1

    def test_columns_are_as_wide_as_what_stands_in_them(self) -> None:
        columns = [Column("A", ["x" * 30]), Column("B", ["y" * 500]), Column("C", [1.0], "whole")]
        sheet = read(made(page(html.table("t", "T", columns))))["t"]
        widths = [sheet.column_dimensions[letter].width for letter in "ABC"]
        assert 30 <= widths[0] <= 34
        assert widths[1] <= 63
        assert widths[2] < 10
        assert sheet["B2"].alignment.wrap_text
        assert not sheet["A2"].alignment.wrap_text

    def test_the_contents_lead_to_each_sheet_and_explain_headings(self) -> None:
        one, two = html.table("t", "All kinds", COLUMNS), html.table("t", "Second", [Column("N", [1, 2], "whole")])
        sheet = read(made(page(one), page(two, file="two.html"), title="The set"))["Contents"]
        assert sheet["A1"].value == "The set"
        assert [cell.value for cell in sheet[5]] == ["Page", "Table", "Rows", "Sheet"]
        assert [[cell.value for cell in row] for row in sheet["A6:D7"]] == [
            ["One", "All kinds", 4, "one"],
            ["Two", "Second", 2, "two"],
        ]
        assert sheet["B6"].hyperlink.location == "'one'!A1"
        rows = [tuple(cell.value for cell in row) for row in sheet["A8:D20"]]
        assert ("Change", "After less before", None, "one") in rows


class TestBytes:
    """The same bytes for the same tables."""

    def test_no_person_and_no_clock_is_in_its_properties(self) -> None:
        content = made(page(html.table("t", "T", COLUMNS)))
        properties = read(content).properties
        assert not properties.creator
        assert not properties.lastModifiedBy
        assert properties.created == properties.modified == datetime.datetime(1980, 1, 1)
        with zipfile.ZipFile(io.BytesIO(content)) as files:
            assert {one.date_time[:3] for one in files.infolist()} == {(1980, 1, 1)}
            assert "<author></author>" in files.read("xl/comments1.xml").decode()

    def test_another_process_with_another_hash_seed_writes_the_same(self) -> None:
        script = (
            "import hashlib; from ratinglab.reports import html, workbook; from ratinglab.reports.page import Page;"
            "from ratinglab.reports.publication import Publication;"
            "t = html.table('t', 'T', [html.Column('A', ['x', 'y'], about='of it'),"
            " html.Column('B', [1.5, 2], 'pm1', about='so'), html.Column('C', [.1, .2], 'percent')]);"
            "p = Publication([Page('a.html', 'A', 'B', 'page.html', {'t': t})], 1);"
            "print(hashlib.sha256(workbook.as_workbook(p, {'a.html': b'<table id=\"t\"'})).hexdigest())"
        )
        found = {
            subprocess.run(
                [sys.executable, "-c", script],
                env=os.environ | {"PYTHONHASHSEED": seed},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for seed in ("1", "2")
        }
        assert len(found) == 1
        assert re.fullmatch(r"[0-9a-f]{64}\n", found.pop())
