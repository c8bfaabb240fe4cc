"""The parts of a report for histories of every kind: what each makes, and the reason where there is none."""

from __future__ import annotations

import dataclasses
import re
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clusters import ROOT

import ratinglab
from ratinglab.history import History
from ratinglab.privacy import Rule
from ratinglab.problems import UsageError
from ratinglab.reports import build_report, parts
from ratinglab.reports.publication import Kinds
from ratinglab.reports.usual import usual_system
from ratinglab.sample import individual_circuit
from ratinglab.tasks import Workers

DATA = ROOT / "data"
LIGHT = ("ratings", "changes", "histories", "lists", "forecasts", "seeding", "problems")


def text_of(page: Path) -> str:
    body = re.sub(
        r"<style>.*?</style>|<script>.*?</script>|<svg.*?</svg>", " ", page.read_text("utf-8"), flags=re.DOTALL
    )
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def club() -> History:
    history = ratinglab.load(DATA / "scholastic-club")
    return history.only(history.events["event"].iloc[:5])


@pytest.fixture(scope="module")
def diplomacy() -> History:
    return ratinglab.load(DATA / "diplomacy").between(until="2003-12-31")


@pytest.fixture(scope="module")
def circuit() -> History:
    made, _ = individual_circuit(np.random.default_rng(4), players=12, events=4, rounds=5)
    return made


class TestUsualSystem:
    """Which system rates a history where nobody says."""

    def test_by_what_is_known(self, club: History, diplomacy: History, circuit: History) -> None:
        assert (usual_system(circuit)[0].label, usual_system(diplomacy)[0].label) == ("glixo", "dip-pouch")
        assert usual_system(club) == (ratinglab.parse("evanston"), "the events are filed under it")
        filed = dataclasses.replace(club, events=club.events.assign(system=None))
        assert usual_system(filed) == (ratinglab.parse("elo:scale=400"), "only wins and losses are known")
        mixed = dataclasses.replace(club, events=club.events.assign(system=["evanston", "uscf", None, None, None]))
        assert usual_system(mixed)[0].label == "elo:scale=400"


@pytest.fixture(scope="module")
def places(diplomacy: History, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("places")
    build_report(diplomacy, folder)
    return folder


class TestPlaces:
    """A history of places alone."""

    def test_has_lists_and_a_comparison_by_order(self, places: Path) -> None:
        files = set(contents(places))
        assert {"index.html", "lists/lists.html", "lists/list-permanent.csv", "comparison/comparison.html"} <= files
        assert "ratings.html" not in files

    def test_the_index_says_what_is_left_out_and_why(self, places: Path, diplomacy: History) -> None:
        told = text_of(places / "index.html")
        assert "dip-pouch (taken because the results are places)" in told
        assert "Rating list The history has no rated game." in told
        places = int(diplomacy.placings["place"].notna().sum())
        assert f"{places} rated places" in told.replace("\N{NARROW NO-BREAK SPACE}", "")
        assert not re.search(r"\b(nan|NaT|None)\b", told)

    def test_every_link_leads_somewhere(self, places: Path) -> None:
        for page in places.rglob("*.html"):
            for link in re.findall(r'href="([^"#]+)', page.read_text("utf-8")):
                assert (page.parent / unescape(link)).is_file(), f"{page.name}: {link}"

    def test_other_systems_are_asked_by_name(self, diplomacy: History, circuit: History, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="dip-pouch rates places, and this history has none"):
            build_report(circuit, tmp_path, system=ratinglab.parse("dip-pouch"))
        assert not list(tmp_path.iterdir())


def test_a_chess_club(club: History, tmp_path: Path) -> None:
    build_report(club, tmp_path, only=("ratings", "forecasts", "calibration", "backtest", "problems"))
    told = text_of(tmp_path / "index.html")
    assert "evanston (taken because the events are filed under it)" in told
    assert "Calibration No parameter of evanston is tuned by default" in told
    assert "Not asked for Changes, Histories," in told
    assert (tmp_path / "backtest/backtest.html").is_file()


def test_the_same_bytes_whoever_does_the_work(circuit: History, tmp_path: Path) -> None:
    for name, workers in (("one", Workers(1)), ("two", Workers(2))):
        build_report(circuit, tmp_path / name, workers=workers, kinds=Kinds(("html", "csv", "xlsx")))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_parts_are_named_or_refused(circuit: History, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"a report has the parts ratings, .*; found rating"):
        build_report(circuit, tmp_path, only=("rating",))
    assert parts.chosen(None) == parts.PARTS
    assert [part.name for part in parts.chosen(("problems", "ratings"))] == ["ratings", "problems"]


def test_one_event_without_dates(tmp_path: Path) -> None:
    """Nothing can be resampled: the parts that need it say so."""
    history, _ = individual_circuit(np.random.default_rng(1), players=10, events=1, rounds=4)
    undated = dataclasses.replace(history, events=history.events.assign(date=pd.NaT, end_date=pd.NaT))
    build_report(undated, tmp_path)
    told = text_of(tmp_path / "index.html")
    for title in ("Systems compared", "Calibration"):
        assert f"{title} It needs 3 rated events or more; there are 1." in told


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    history = ratinglab.load(DATA / "school-circuit").between(since="2011-06-01", until="2012-12-31")
    folder = tmp_path_factory.mktemp("public")
    build_report(history, folder, privacy=Rule("public"), only=LIGHT)
    return folder


class TestPublic:
    """What a report for the public leaves out."""

    def test_parts_that_would_name_children_are_left_out(self, public: Path) -> None:
        files = set(contents(public))
        assert not [name for name in files if name.startswith("events/") or "problems" in name]
        told = text_of(public / "index.html")
        assert "Problems What is to be mended in the files is for the committee." in told
        assert "Histories It would follow protected people over time." in told

    def test_lists_say_a_rating_and_no_more(self, public: Path) -> None:
        listed = pd.read_csv(public / "tables/ratings.csv")
        assert listed["rating"].notna().all()
        assert listed[["games", "events", "peak", "last_event"]].isna().all(axis=None)
        assert listed["player"].str.contains("pupil").all()
        for name in ("changes", "forecasts"):
            assert len(pd.read_csv(public / f"tables/{name}.csv")) == 0

    def test_seeds_are_those_of_the_committee(self, public: Path, tmp_path: Path) -> None:
        history = ratinglab.load(DATA / "school-circuit").between(since="2011-06-01", until="2012-12-31")
        build_report(history, tmp_path, only=("seeding",))
        both = [pd.read_csv(folder / "seeding/seeding.csv") for folder in (public, tmp_path)]
        np.testing.assert_allclose(both[0]["rating"], both[1]["rating"], rtol=1e-12)
        assert both[0]["school"].equals(both[1]["school"])
        assert both[0]["members"].isna().all()
        assert both[1]["members"].notna().any()
