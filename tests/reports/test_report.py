"""The report as its readers meet it: every page there, every link leads somewhere, nothing comes from outside."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest

from ratinglab.history import History
from ratinglab.output import MANIFEST
from ratinglab.problems import Problem, UsageError
from ratinglab.reports import build_report
from ratinglab.sample import individual_circuit, team_circuit
from ratinglab.systems import BradleyTerry, DipPouch, Elo, Naspa
from ratinglab.systems.base import System

MAIN = [
    "index", "ratings", "changes", "histories", "forecasts", "comparison/comparison", "calibration/calibration",
    "backtest/backtest", "seeding/seeding", "fairness/fairness", "problems",
]  # fmt: skip
ODD_NAME = 'Ann "A" <b>& Co</b>'


def school_history() -> History:
    """Teams of one or two in four events, and the last as an entry list; one person has a name to trip over."""
    history, _ = team_circuit(np.random.default_rng(5), players=16, events=5, rounds=6)
    last = history.events["event"].iloc[-1]
    odd = history.entries["player"].iloc[0]
    entries = history.entries.assign(
        player=history.entries["player"].replace(odd, ODD_NAME),
        school=[f"School {i % 3}" for i in range(len(history.entries))],
    )
    return dataclasses.replace(
        history,
        entries=entries,
        events=history.events.assign(
            name=[f"Event <{i}>" for i in range(len(history.events))],
            availability=["rated"] * (len(history.events) - 1) + ["awaited"],
        ),
        games=history.games[history.games["event"] != last].reset_index(drop=True),
        problems=(
            Problem("a.t", 3, 2, "error", "a score", "<x>"),
            Problem("a.t", 9, 0, "warning", "a date", "none"),
            Problem("", 0, 0, "warning", "a file", "none"),
        ),
    )


@pytest.fixture(scope="module")
def history() -> History:
    return school_history()


@pytest.fixture(scope="module")
def out(history: History, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    build_report(history, folder)
    return folder


class Reader(HTMLParser):
    """Checks nesting, and gathers what pages have to have."""

    VOID = frozenset(("meta", "br", "link", "img", "hr", "input"))

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.described: list[str] = []
        self.tables: list[Counter[str]] = []
        self.scopes: list[str | None] = []
        self.text: list[str] = []
        self.tags: Counter[str] = Counter()
        self.lang: str | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags[tag] += 1
        if tag not in self.VOID:
            self.open.append(tag)
        self.ids += [given["id"]] if given.get("id") else []
        self.references += [value for key, value in attrs if key in ("href", "src", "srcset", "data") and value]
        self.described += (given.get("aria-labelledby") or "").split()
        if tag == "html":
            self.lang = given.get("lang")
        if tag == "table":
            self.tables.append(Counter())
        if self.tables:
            self.tables[-1][tag] += 1
        if tag == "th":
            self.scopes.append(given.get("scope"))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> without a beginning"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def pages(folder: Path) -> dict[str, Reader]:
    return {p.relative_to(folder).as_posix(): Reader(p.read_text("utf-8")) for p in sorted(folder.rglob("*.html"))}


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_every_page_and_table_is_written(out: Path, history: History) -> None:
    files = set(contents(out))
    assert {f"{name}.html" for name in MAIN} <= files
    assert {f"events/{event}.html" for event in history.events["event"].iloc[:-1]} <= files
    for name, columns in {
        "ratings": "rank,player,name,rating,deviation,games,events,provisional,active,peak,last_event,as_of",
        "forecasts": "event,section,round,player,opponent,result,spread,win,spread_mean,spread_sd,player_games,"
        "opponent_games",
        "../seeding/seeding": "seed,name,members,school,rating,deviation,p_above_next,rating_source,as_of,note",
        "../seeding/draw": "round,board,player,opponent,first,gave_way",
        "problems": "file,line,column,severity,expected,found",
        "changes": "event,section,date,player,number,games,wins,expected,before,deviation_before,after,deviation_after",
    }.items():
        assert (out / f"tables/{name}.csv").read_text("utf-8").splitlines()[0] == columns


def test_html_is_well_formed_and_accessible(out: Path) -> None:
    for name, page in pages(out).items():
        assert page.open == [], name
        assert page.lang == "en"
        assert [page.tags[tag] for tag in ("title", "h1", "main")][1:] == [1, 1], name
        assert all(count == 1 for count in Counter(page.ids).values()), name
        assert set(page.described) <= set(page.ids), name
        assert all(table["caption"] == 1 for table in page.tables), name
        assert set(page.scopes) <= {"col", "row"}, name
        assert page.tags["svg"] == page.tags["desc"]


def test_every_link_leads_somewhere(out: Path) -> None:
    read = pages(out)
    met = set()
    for name, page in read.items():
        for reference in page.references:
            assert "://" not in reference, f"{name} refers to {reference}"
            path, _, anchor = unquote(reference).partition("#")
            target = (out / name).parent / path if path else out / name
            assert target.is_file(), f"{name}: {reference}"
            inside = target.resolve().relative_to(out.resolve()).as_posix()
            met.add(inside)
            if anchor:
                assert anchor in read[inside].ids, f"{name}: {reference}"
    tables = {name for name in contents(out) if name.endswith(".csv")}
    assert met >= tables | set(read), "a file that no page leads to"


def test_nothing_is_loaded_from_outside(out: Path) -> None:
    for name, content in contents(out).items():
        if name.endswith(".html"):
            assert not re.search(rb"https?:|//[a-z]+\.|@import|url\((?!#)", content), name


def test_names_and_problems_are_text_not_markup(out: Path) -> None:
    read = pages(out)
    assert ODD_NAME in "".join(read["ratings.html"].text)
    assert "Event <0>" in "".join(read["changes.html"].text)
    assert "<x>" in "".join(read["problems.html"].text)
    assert all(page.tags["b"] == page.tags["x"] == 0 for page in read.values())


def test_second_run_writes_the_same_bytes(history: History, out: Path, tmp_path: Path) -> None:
    build_report(history, tmp_path)
    assert contents(tmp_path) == contents(out)


def test_files_returned_are_the_files_there(history: History, tmp_path: Path) -> None:
    told = build_report(history, tmp_path)
    assert told[0] == tmp_path / "index.html"
    assert {p.relative_to(tmp_path).as_posix() for p in told} == set(contents(tmp_path))
    manifest = json.loads((tmp_path / MANIFEST).read_text("utf-8"))
    assert sorted([*manifest["files"], MANIFEST]) == sorted(contents(tmp_path))
    assert manifest["files"] == sorted(manifest["files"])
    assert (manifest["command"], manifest["system"], manifest["seed"]) == ("report", "glixo", 0)
    assert manifest["parameters"]["tau"] == 90.0


def test_stale_files_go_and_nothing_else(history: History, tmp_path: Path) -> None:
    kept = {"README.md": "read", "decisions/README.md": "vote", "notes.html": "mine", "events/mine.txt": "mine"}
    for name, text in kept.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    build_report(history, tmp_path)
    first = set(contents(tmp_path))
    cut = history.only(history.events["event"].iloc[1:3])
    build_report(cut, tmp_path)
    left = set(contents(tmp_path))
    gone = first - left
    assert {"seeding/seeding.html", "seeding/seeding.csv", "seeding/draw.csv"} <= gone
    assert f"events/{history.events['event'].iloc[0]}.html" in gone
    assert {name: (tmp_path / name).read_text() for name in kept} == kept
    assert left == {*json.loads((tmp_path / MANIFEST).read_text())["files"], MANIFEST, *kept}


@pytest.mark.parametrize(
    "listed", ["../outside.html", "decisions/vote.html", "README.md", "/etc/hosts.html", "a/../../outside.html", 7]
)
def test_a_manifest_cannot_have_other_files_removed(history: History, tmp_path: Path, listed: object) -> None:
    out = tmp_path / "out"
    (out / "decisions").mkdir(parents=True)
    others = [tmp_path / "outside.html", out / "decisions/vote.html", out / "README.md"]
    for path in others:
        path.write_text("stays")
    (out / MANIFEST).write_text(json.dumps({"command": "report", "files": [listed]}))
    build_report(history.only(history.events["event"].iloc[:2]), out, compare=(), only=("ratings",))
    assert [path.read_text() for path in others] == ["stays"] * 3


@pytest.mark.parametrize("text", ["", "[]", "{", '{"command": "replay", "files": ["notes.html"]}', '{"files": 3}'])
def test_a_manifest_that_is_no_reports_removes_nothing(history: History, tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    (tmp_path / "notes.html").write_text("stays")
    build_report(history.only(history.events["event"].iloc[:2]), tmp_path, compare=(), only=("ratings",))
    assert (tmp_path / "notes.html").read_text() == "stays"


def test_progress_is_told_to_its_end(history: History, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    parts = ("ratings", "problems")
    build_report(
        history, tmp_path, compare=("elo",), only=parts, progress=lambda done, total: told.append((done, total))
    )
    assert told == [(i + 1, 5) for i in range(5)]  # two systems, two parts, the writing


def test_a_history_without_a_rated_game_says_so(history: History, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least one rated game"):
        build_report(history.only(history.events["event"].iloc[-1:]), tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("system", [Elo(), Naspa(), Elo(k=32)])
def test_systems_without_deviation(history: History, tmp_path: Path, system: Elo) -> None:
    build_report(history, tmp_path, system=system, compare=("glixo",), min_games=0)
    read = pages(tmp_path)
    scores = pd.read_csv(tmp_path / "tables/scores.csv")
    assert len(scores) == 2
    assert "deviation" not in pd.read_csv(tmp_path / "tables/ratings.csv").columns
    assert all(page.open == [] for page in read.values())
    assert "nan" not in "".join(read["seeding/seeding.html"].text).casefold()


def test_events_without_dates_and_single_events(tmp_path: Path) -> None:
    history, _ = individual_circuit(np.random.default_rng(1), players=6, events=1, rounds=3)
    undated = dataclasses.replace(history, events=history.events.assign(date=pd.NaT, end_date=pd.NaT))
    for name, one in (("dated", history), ("undated", undated)):
        build_report(one, tmp_path / name)
        read = pages(tmp_path / name)
        assert "seeding/seeding.html" not in read
        told = " ".join("".join(page.text) for page in read.values())
        assert not re.search(r"\b(nan|NaT|None|NA)\b", told)


def test_sections_are_seeded_apart(history: History, tmp_path: Path) -> None:
    last = history.entries["event"] == history.events["event"].iloc[-1]
    number = history.entries["number"]
    entries = history.entries.assign(
        section=history.entries["section"].where(~last, number.mod(2).map({0: "A", 1: "B"}))
    )
    build_report(dataclasses.replace(history, entries=entries), tmp_path)
    table = pd.read_csv(tmp_path / "seeding/seeding.csv")
    assert list(table.columns[:3]) == ["section", "seed", "name"]
    assert all(part["seed"].tolist() == list(range(1, len(part) + 1)) for _, part in table.groupby("section"))
    assert len(pages(tmp_path)["seeding/seeding.html"].tables) >= 5


@pytest.mark.parametrize(
    ("system", "told"),
    [(DipPouch(), "rates places, and this history has none"), (BradleyTerry(), "does not say before a game")],
)
def test_systems_without_forecasts_are_refused(history: History, tmp_path: Path, system: System, told: str) -> None:
    with pytest.raises(UsageError, match=f"{system.name} {told}"):
        build_report(history, tmp_path, system=system)
    with pytest.raises(UsageError, match="holds forecasts against results"):
        build_report(history, tmp_path, compare=[system])
    assert not any(tmp_path.iterdir())


def test_what_a_system_has_to_say_of_the_history_is_on_the_page_of_problems(history: History, tmp_path: Path) -> None:
    from ratinglab.scheduling import schedule
    from ratinglab.systems import parse

    build_report(history, tmp_path, system=parse("uscf"))
    notices = parse("uscf").notices(schedule(history))
    page = (tmp_path / "problems.html").read_text()
    assert notices
    assert all(notice.split(":")[1].split(";")[0].strip() in page for notice in notices)
    assert "How the systems took this history" in page
