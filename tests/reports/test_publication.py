"""In what forms a publication is written, what its pages lead to, and what commands are asked for."""

from __future__ import annotations

import argparse
import codecs
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ratinglab.cli import main
from ratinglab.commands import doing, options
from ratinglab.formats import load
from ratinglab.output import MANIFEST, as_bytes, csv_text
from ratinglab.problems import UsageError
from ratinglab.reports import build_report, html, pdf
from ratinglab.reports.html import Column
from ratinglab.reports.page import Page
from ratinglab.reports.publication import KINDS, Kinds, Publication, publish
from ratinglab.sample import individual_circuit

RECORD = {"command": "report", "versions": {"numpy": "1"}}
needs_pdf = pytest.mark.usefixtures("able")


@pytest.fixture
def unable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without Pango."""
    monkeypatch.setattr(pdf, "lacking", lambda: "PDF needs Pango: get it")


@pytest.fixture
def able(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with Pango, whatever this one is: the PDF says what it was made of."""
    monkeypatch.setattr(pdf, "lacking", lambda: "")
    monkeypatch.setattr(pdf, "as_pdf", lambda page, tables=True: b"%PDF" + bytes([tables]) + page)


@pytest.fixture(autouse=True)
def templates(monkeypatch: pytest.MonkeyPatch) -> None:
    """A template that shows one table, beside those of the package."""
    from jinja2 import ChoiceLoader, DictLoader

    text = (
        '{% extends "page.html" %}{% from "macros.html" import table %}'
        "{% block content %}{{ table(one, page.root) }}{% endblock %}"
    )
    environment = html.environment().overlay()
    environment.loader = ChoiceLoader([DictLoader({"shown.html": text}), environment.loader])
    monkeypatch.setattr(html, "environment", lambda: environment)


def page(file: str, within: str = "") -> Page:
    """A page with a table and its CSV and a record beside it."""
    table = pd.DataFrame({"player": ["Zoë", "007"], "rating": [1500.25, np.nan]})
    columns = [Column("Player", table["player"]), Column("Rating", table["rating"], "whole")]
    shown = html.table("list", "Everybody", columns)
    stem = file.rpartition("/")[2].removesuffix(".html")
    data = {f"{stem}.csv": table, f"{stem}.json": {"which": stem}}
    return Page(file, stem.title(), "Something was found", "shown.html", {"one": shown}, within, data=data)


def linked() -> Publication:
    """An index, a page in a folder of its own, and one that belongs to it."""
    pages = [page("index.html"), page("calibration/calibration.html"), page("events/e1.html", "index.html")]
    return Publication(pages, 2, {"tables/all.csv": pd.DataFrame({"a": ["ä"]})}, title="The set")


class TestKinds:
    """Kinds"""

    def test_pages_bring_their_tables_and_forms_have_an_order(self) -> None:
        assert Kinds(("pdf", "html", "pdf")).forms == ("html", "csv", "pdf")
        assert Kinds(("xlsx",)).forms == ("xlsx",)
        assert Kinds() == Kinds(("html", "csv"))

    @pytest.mark.parametrize("forms", [(), ("docx",), ("html", "PDF")])
    def test_unknown_ones_are_refused(self, forms: tuple[str, ...]) -> None:
        with pytest.raises(ValueError, match="html, csv, xlsx, pdf"):
            Kinds(forms)


class TestFiles:
    """Publication.files"""

    def test_without_kinds_pages_and_tables(self) -> None:
        files = linked().files()
        assert next(iter(files)) == "index.html"
        assert {name.rpartition(".")[2] for name in files} == {"html", "csv", "json"}
        assert len(files) == 3 * 3 + 1
        assert b"Also" not in files["index.html"]

    @needs_pdf
    def test_each_form_alone(self) -> None:
        always = {"index.json", "calibration/calibration.json", "events/e1.json"}
        tables = {"index.csv", "calibration/calibration.csv", "events/e1.csv", "tables/all.csv"}
        expected = {
            "html": {"index.html", "calibration/calibration.html", "events/e1.html"} | tables,
            "csv": tables,
            "xlsx": {"report.xlsx"},
            "pdf": {"index.pdf", "calibration/calibration.pdf"},
        }
        for form in KINDS:
            assert set(linked().files(Kinds((form,)))) == expected[form] | always
        assert set(linked().files(Kinds(KINDS))) == set.union(*expected.values()) | always

    @needs_pdf
    def test_every_page_leads_to_its_other_forms_and_they_are_there(self) -> None:
        files = linked().files(Kinds(KINDS))
        for name, links in (
            ("index.html", ["index.pdf", "report.xlsx"]),
            ("calibration/calibration.html", ["calibration.pdf", "../report.xlsx"]),
            ("events/e1.html", []),
        ):
            foot = re.search(r'<p class="also">.*?</p>', as_bytes(files[name]).decode(), re.DOTALL)
            found = re.findall(r'href="([^"]+)"', foot.group()) if foot else []
            assert found == links
            for link in found:
                folder = Path("/set") / Path(name).parent
                assert str((folder / link).resolve().relative_to("/set")) in files

    @needs_pdf
    def test_a_page_without_tables_has_no_workbook(self) -> None:
        bare = Page("one.html", "One", "Found", "page.html")
        files = Publication([bare], 1).files(Kinds(KINDS))
        assert set(files) == {"one.html", "one.pdf"}
        assert b"XLSX" not in files["one.html"]

    @needs_pdf
    def test_a_pdf_knows_whether_tables_stand_beside_it(self) -> None:
        assert linked().files(Kinds(("pdf", "csv")))["index.pdf"][4] == 1
        assert linked().files(Kinds(("pdf", "xlsx")))["index.pdf"][4] == 0

    def test_the_workbook_is_called_as_the_first_page_or_as_asked(self) -> None:
        assert linked().workbook_file == "report.xlsx"
        assert Publication([page("seeding/seeding.html")], 1).workbook_file == "seeding/seeding.xlsx"
        assert Publication([page("index.html")], 1, workbook="lists").workbook_file == "lists.xlsx"

    def test_a_mark_at_the_beginning_of_each_table_and_nothing_else(self) -> None:
        plain, marked = (linked().files(Kinds(("html", "csv"), bom)) for bom in (False, True))
        assert set(plain) == set(marked)
        for name, content in plain.items():
            mark = codecs.BOM_UTF8 if name.endswith(".csv") else b""
            assert as_bytes(marked[name]) == mark + as_bytes(content)
        assert as_bytes(as_bytes("ä", bom=True), bom=True) == codecs.BOM_UTF8 + "ä".encode()


class TestPublish:
    """publish"""

    @needs_pdf
    def test_the_manifest_says_what_there_is(self, tmp_path: Path) -> None:
        publish(tmp_path, linked(), RECORD, Kinds(KINDS, bom=True))
        told = json.loads((tmp_path / MANIFEST).read_text())
        assert told["kinds"] == list(KINDS)
        assert told["bom"] is True
        assert set(told["versions"]) == {"numpy", "xlsxwriter", "weasyprint"}
        there = {str(path.relative_to(tmp_path).as_posix()) for path in tmp_path.rglob("*") if path.is_file()}
        assert set(told["files"]) == there - {MANIFEST}

    @needs_pdf
    def test_forms_no_longer_asked_for_are_taken_away(self, tmp_path: Path) -> None:
        publish(tmp_path, linked(), RECORD, Kinds(KINDS))
        (tmp_path / "minutes.pdf").write_bytes(b"of the committee")
        publish(tmp_path, linked(), RECORD, Kinds(("html",)))
        assert not list(tmp_path.rglob("*.xlsx"))
        assert [path.name for path in tmp_path.rglob("*.pdf")] == ["minutes.pdf"]
        assert json.loads((tmp_path / MANIFEST).read_text())["kinds"] == ["html", "csv"]

    def test_a_failure_leaves_the_earlier_set(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        publish(tmp_path, linked(), RECORD)
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        monkeypatch.setattr(pdf, "lacking", lambda: "no Pango")
        with pytest.raises(RuntimeError, match="no Pango"):
            publish(tmp_path, linked(), RECORD, Kinds(KINDS))
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_tables_with_the_mark_are_read_as_those_without(tmp_path: Path) -> None:
    """A committee that opens its native tables in Excel saves them with the mark."""
    history = individual_circuit(np.random.default_rng(3), players=8, events=2, rounds=3)[0]
    tables = {"events": history.events, "games": history.games, "entries": history.entries}
    found = []
    for bom in (False, True):
        folder = tmp_path / str(bom)
        folder.mkdir()
        for name, table in tables.items():
            kept = table.dropna(axis=1, how="all").drop(columns=["file", "line"], errors="ignore")
            (folder / f"{name}.csv").write_bytes(as_bytes(kept, bom=bom))
        found.append(load(folder))
    assert len(found[0].games) == len(history.games)
    drop = ["file", "line"]
    for name in tables:
        plain, marked = (getattr(one, name).drop(columns=drop, errors="ignore") for one in found)
        assert csv_text(plain) == csv_text(marked)
    said = [
        [str(problem).replace(folder, "") for problem in one.problems]
        for one, folder in zip(found, ("False/", "True/"), strict=True)
    ]
    assert said[0] == said[1]


class TestAsked:
    """--kinds and --bom"""

    @staticmethod
    def asked(*words: str, default: str | None = None) -> argparse.Namespace:
        parser = argparse.ArgumentParser()
        options.kinds(parser, default)
        return parser.parse_args(words)

    @needs_pdf
    def test_all_by_default(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert doing.kinds(self.asked()) == Kinds(KINDS)
        assert doing.kinds(self.asked("--bom")) == Kinds(KINDS, bom=True)
        assert doing.kinds(self.asked("--kinds", " pdf, csv")) == Kinds(("csv", "pdf"))
        assert doing.kinds(self.asked(default="html,csv")) == Kinds()
        assert capsys.readouterr().err == ""

    @pytest.mark.parametrize("words", ["docx", "html,docx", "", "html,,csv", "PDF"])
    def test_an_unknown_one_is_refused_naming_the_known(self, words: str) -> None:
        with pytest.raises(UsageError, match="html, csv, xlsx, pdf"):
            doing.kinds(self.asked("--kinds", words))

    @pytest.mark.usefixtures("unable")
    def test_pdf_is_left_out_by_default_where_it_cannot_be_made(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert doing.kinds(self.asked()) == Kinds(("html", "csv", "xlsx"))
        assert capsys.readouterr().err == "ratinglab: no PDF is written: PDF needs Pango: get it\n"
        assert doing.kinds(self.asked(default="html,csv")) == Kinds()
        assert capsys.readouterr().err == ""

    @pytest.mark.usefixtures("unable")
    def test_pdf_asked_for_by_name_is_refused_where_it_cannot_be_made(self) -> None:
        with pytest.raises(UsageError, match=r"PDF needs Pango: get it; or leave PDF out: --kinds html,csv$"):
            doing.kinds(self.asked("--kinds", "html,pdf"))

    @pytest.mark.usefixtures("unable")
    def test_before_any_work_is_done(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        missing = str(tmp_path / "no-such-events")
        assert main(["report", missing, "--kinds", "pdf", "--out", str(tmp_path / "out")]) == 2
        told = capsys.readouterr().err
        assert told.startswith("ratinglab report: PDF needs Pango")
        assert not (tmp_path / "out").exists()


@needs_pdf
def test_a_report_in_every_form(tmp_path: Path) -> None:
    history = individual_circuit(np.random.default_rng(3), players=12, events=3, rounds=4)[0]
    written = build_report(history, tmp_path, kinds=Kinds(KINDS))
    assert written[0] == tmp_path / "index.html"
    assert {path.suffix for path in written} == {".html", ".csv", ".xlsx", ".pdf", ".json"}
    assert (tmp_path / "report.xlsx").read_bytes().startswith(b"PK")
    assert (tmp_path / "ratings.pdf").exists()
    assert not list((tmp_path / "events").glob("*.pdf"))
