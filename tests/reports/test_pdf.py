"""Pages as PDF: tagged, whole, the same bytes everywhere; and what is said where the machine cannot make them."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pypdf
import pytest
from pypdf.generic import DictionaryObject, IndirectObject

from ratinglab.plots.canvas import figure, figure_svg
from ratinglab.reports import html, pdf
from ratinglab.reports.html import Column, Link
from ratinglab.reports.page import Page
from ratinglab.reports.publication import Publication
from ratinglab.tasks import Workers

if pdf.lacking() and not os.environ.get("CI"):
    pytest.skip(pdf.lacking(), allow_module_level=True)  # where all is tested it must not be missing

TEMPLATE = """\
{% extends "page.html" %}{% from "macros.html" import plot, table %}
{% block content %}
<p>See <a href="#second">below</a>,
<a href="other.html">the other page</a> and <a href="tables/list.csv">list.csv</a>.</p>
<h2>First</h2>
{% for one in all %}{{ table(one) }}{% endfor %}
<h2 id="second">Second</h2>
<h3>Third</h3>
<p>σ τ ρ ± − ½ 1\N{NARROW NO-BREAK SPACE}234 → ≥</p>
{% if picture %}{% call plot(picture) %}What it shows{% endcall %}{% endif %}
{% endblock %}
"""


def picture() -> str:
    made, (axis,) = figure(4, 2)
    axis.plot([1, 2, 3], [3, 1, 2])
    axis.set_xlabel("τ ± σ")
    return html.svg(figure_svg(made, name="p", title="Ups", description="A line that falls, then rises"))


def shown(*tables: html.Table, drawn: bool = False) -> bytes:
    """The HTML of a page with these tables."""
    environment = html.environment()
    values = {"all": tables, "picture": picture() if drawn else ""}
    page = Page("one.html", "Rating list", "427 players with a rating", "page.html", values)
    across = any(table.breadth > html._UPRIGHT for table in tables)
    text = environment.from_string(TEMPLATE).render(
        page=page, set=Publication([page], 2, title="The set"), root="", also=[], across=across, **values
    )
    return text.encode()


def players(count: int, more: int = 0, csv: str = "list.csv") -> html.Table:
    rng = np.random.default_rng(1)
    columns = [
        Column("Rank", range(1, count + 1), "whole"),
        Column("Player", [f"Zorn-{i:04d}, Ada" for i in range(count)], "name", heads=True),
        Column("Rating", rng.normal(1500, 200, count), "whole"),
        Column("±", rng.normal(50, 5, count), "pm"),
        *[Column(f"Figure no. {i}", rng.normal(0, 1, count) * 1e6, "signed2") for i in range(more)],
    ]
    return html.table("list", "Everybody", columns, csv=csv, sortable=True)


def read(page: bytes, **keywords: bool) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(pdf.as_pdf(page, **keywords)))


def texts(reader: pypdf.PdfReader) -> list[str]:
    return [page.extract_text() for page in reader.pages]


def parts(reader: pypdf.PdfReader) -> list[DictionaryObject]:
    """Every element of the structure."""
    found: list[DictionaryObject] = []
    waiting = [reader.trailer["/Root"]["/StructTreeRoot"]]
    while waiting:
        one = waiting.pop()
        one = one.get_object() if isinstance(one, IndirectObject) else one
        if not isinstance(one, DictionaryObject):
            continue
        found.append(one)
        kids = one.get("/K", [])
        waiting += kids if isinstance(kids, list) else [kids]
    return [one for one in found if "/S" in one]


@pytest.fixture(scope="module")
def reader() -> pypdf.PdfReader:
    return read(shown(players(120), drawn=True))


class TestForEverybody:
    """What a reader's program needs to tell what the page is."""

    def test_it_says_that_it_is_tagged_and_in_what_language(self, reader) -> None:
        root = reader.trailer["/Root"]
        assert root["/MarkInfo"]["/Marked"]
        assert root["/Lang"] == "en"
        assert root["/ViewerPreferences"]["/DisplayDocTitle"]
        assert b"pdfuaid:part" in root["/Metadata"].get_data().replace(b"\n", b"")

    def test_it_has_the_title_and_no_hour(self, reader) -> None:
        assert reader.metadata.title == "Rating list – The set"
        assert reader.metadata.subject == "427 players with a rating"
        assert reader.metadata.author is None
        assert "/CreationDate" not in reader.metadata
        assert "/ModDate" not in reader.metadata

    def test_headings_are_bookmarks(self, reader) -> None:
        def told(outline: list) -> list:
            return [told(one) if isinstance(one, list) else one.title for one in outline]

        assert told(reader.outline) == ["Rating list", ["First", "Second", ["Third"]]]

    def test_cells_know_their_headings(self, reader) -> None:
        found = parts(reader)
        kinds = [one["/S"] for one in found]
        assert kinds.count("/Table") >= 1
        assert kinds.count("/Caption") >= 2  # of the table, and of the figure
        cells = [one for one in found if one["/S"] == "/TD"]
        assert len(cells) == 120 * 3
        assert all(len(one["/A"]["/Headers"]) == 2 for one in cells)

    def test_a_picture_says_what_it_shows(self, reader) -> None:
        (one,) = [one for one in parts(reader) if one["/S"] == "/Figure"]
        assert one["/Alt"] == "Ups: A line that falls, then rises"

    def test_only_what_leads_somewhere_is_a_link(self, reader) -> None:
        links = [link.get_object() for page in reader.pages for link in page.get("/Annots", [])]
        assert len(links) == 1
        assert "second" in str(links[0].get("/Dest") or links[0]["/A"]["/D"])
        assert [one["/S"] for one in parts(reader)].count("/Link") == 1
        assert "the other page" in texts(reader)[0]


class TestOnPaper:
    """Nothing is lost or cut off between the pages."""

    def test_every_row_is_there_once_and_headings_on_each_page(self, reader) -> None:
        pages = texts(reader)
        assert len(pages) > 2
        together = "\n".join(pages)
        assert all(together.count(f"Zorn-{i:04d}, Ada") == 1 for i in range(120))
        with_rows = [text for text in pages if "Zorn-" in text]
        assert all("Player" in text and "Rank" in text for text in with_rows)

    def test_pages_are_numbered_and_say_what_they_belong_to(self, reader) -> None:
        pages = texts(reader)
        assert all(f"{place} / {len(pages)}" in text for place, text in enumerate(pages, 1))
        assert all("Rating list" in text for text in pages)

    def test_signs_of_the_field_are_letters(self, reader) -> None:
        together = "\n".join(texts(reader))
        assert "σ τ ρ ± − ½" in together
        assert "→ ≥" in together
        assert "τ ± σ" in together  # the plot's axis

    @pytest.mark.parametrize(("more", "across"), [(0, False), (4, False), (9, True), (14, True)])
    def test_no_table_runs_off_the_paper(self, more: int, across: bool) -> None:
        table = players(5, more)
        (page, *_) = (made := read(shown(table))).pages
        width, height = float(page.mediabox.width), float(page.mediabox.height)
        assert (width > height) == across
        margin = 14 / 25.4 * 72
        ends: list[float] = []

        def visit(text: str, scale: list[float], at: list[float], font: object, size: float) -> None:
            if re.fullmatch(r"[+−±]?[\d.]+", text.strip()):
                # a figure of DejaVu Sans is 0.636 times as wide as the type is high; a sign with a point is no wider
                ends.append(scale[0] * (at[4] + 0.636 * size * len(text.strip())))

        for one in made.pages:
            one.extract_text(visitor_text=visit)
        assert len(ends) >= 5 * (3 + more)
        assert max(ends) <= width - margin + 2
        last = f"{table.cells[-1][0]:+.2f}" if more else f"±{table.cells[-1][0]:.0f}"
        assert last.lstrip("+-") in "".join(texts(made)).replace("−", "")

    def test_more_rows_than_paper_bears_are_left_out_and_said_so(self, monkeypatch) -> None:
        for module in (html, pdf):
            monkeypatch.setattr(module, "MOST_ON_PAPER", 30)
        together = "\n".join(texts(read(shown(players(45)))))
        assert together.count("Zorn-") == 30
        assert "the first 30 of 45 rows" in together.replace("\n", " ")
        assert "On paper" not in "\n".join(texts(read(shown(players(30)))))

    def test_it_speaks_of_tables_beside_it_only_where_there_are_any(self) -> None:
        assert "As CSV" in texts(read(shown(players(3))))[0]
        assert "As CSV" not in texts(read(shown(players(3)), tables=False))[0]


class TestBytes:
    """The same bytes for the same page."""

    def test_another_process_seed_and_machine_without_fonts_make_the_same(self, tmp_path: Path) -> None:
        page = tmp_path / "page.html"
        page.write_bytes(shown(players(60), drawn=True))
        bare = tmp_path / "fonts.conf"
        bare.write_text(
            '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">'
            f"<fontconfig><cachedir>{tmp_path}/cache</cachedir></fontconfig>"
        )
        script = (
            "import hashlib, pathlib, sys; from ratinglab.reports.pdf import as_pdf;"
            "print(hashlib.sha256(as_pdf(pathlib.Path(sys.argv[1]).read_bytes())).hexdigest())"
        )
        made = [
            subprocess.run(
                [sys.executable, "-W", "error", "-c", script, str(page)],
                env=os.environ | more,
                capture_output=True,
                text=True,
                check=True,
            )
            for more in ({"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2", "FONTCONFIG_FILE": str(bare)})
        ]
        assert made[0].stdout == made[1].stdout
        assert len(made[0].stdout) == 65
        assert [one.stderr for one in made] == ["", ""]

    def test_processes_make_the_same_in_the_same_order(self) -> None:
        pages, told = [shown(players(count)) for count in (3, 9, 5)], []
        made = pdf.as_pdfs(pages, workers=Workers(2), progress=lambda done, of: told.append((done, of)))
        assert made == [pdf.as_pdf(page) for page in pages] == pdf.as_pdfs(pages)
        assert told == [(1, 3), (2, 3), (3, 3)]

    def test_only_the_letters_that_come_along_are_in_it(self, reader) -> None:
        fonts = {
            str(font.get_object()["/BaseFont"]).partition("+")[2]
            for page in reader.pages
            for font in page["/Resources"]["/Font"].values()
        }
        assert fonts
        assert all(name.startswith("Print-") for name in fonts)


class TestMissing:
    """lacking"""

    @pytest.mark.parametrize(
        ("fault", "told"),
        [("raise OSError('cannot load library libpango')", "apt install libpango"), ("raise ImportError('x')", "pip")],
    )
    def test_it_says_how_to_get_what_is_missing(self, fault: str, told: str, tmp_path: Path) -> None:
        (tmp_path / "weasyprint.py").write_text(f"print('a greeting')\n{fault}\n")
        script = "from ratinglab.reports import pdf; print(pdf.lacking()); pdf.as_pdf(b'')"
        made = subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.stdout.startswith("PDF needs ")
        assert made.stdout.count("\n") == 1
        assert told in made.stdout
        assert "RuntimeError: PDF needs " in made.stderr


def test_a_link_in_a_cell_is_text_too() -> None:
    cells = [Link("events/a.html", "Spring Open")]
    reader = read(shown(html.table("t", "Events", [Column("Event", cells)])))
    assert "Spring Open" in texts(reader)[0]
    assert all("/URI" not in str(link.get_object()) for page in reader.pages for link in page.get("/Annots", []))
