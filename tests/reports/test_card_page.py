"""The card as a page: one side, one name, and figures that are those of the card."""

from __future__ import annotations

import dataclasses
import functools
import html as of_python
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import public_sets
import pytest
from making import Game, Member, Section, history

import ratinglab
from ratinglab import schema
from ratinglab.card import FILED, FIRST, YEAR_AGO, Card, Place, Standing
from ratinglab.cards import card, cards, of_school
from ratinglab.cli import main
from ratinglab.output import as_bytes
from ratinglab.replaying import Replay, replay
from ratinglab.reports import card_page, pdf
from ratinglab.reports.page import Page
from ratinglab.reports.publication import Kinds, Publication

CLUB = "data/scholastic-club"
DATE = "2011-05-31"
SCHOOL = "Wicker Street"
needs_pango = pytest.mark.skipif(bool(pdf.lacking()), reason=pdf.lacking() or "all there")


@functools.cache
def club() -> Replay:
    return replay(ratinglab.load(CLUB), "evanston")


@functools.cache
def of_one_school() -> tuple[Card, ...]:
    return tuple(cards(club(), of_school(club().schedule.history, SCHOOL, DATE), DATE))


def shown(of: Card, **how: Any) -> str:
    """The text of the card's page."""
    page = card_page.page(of, **how)
    text = Publication([page], 1).files()[page.file]
    assert isinstance(text, bytes)
    body = re.sub(r"(?s)<style>.*?</style>|<script>.*?</script>", "", text.decode())
    return " ".join(of_python.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def value(page: Page) -> Mapping[str, Any]:
    """What the page's template shows of the card."""
    shown: Mapping[str, Any] = page.values["card"]  # noqa: PD011
    return shown


def plain(**changes: Any) -> Card:
    """A card with little on it."""
    of = next(of for of in of_one_school() if of.now is not None)
    return dataclasses.replace(of, **changes)


def day(text: str) -> pd.Timestamp:
    return pd.Timestamp(text)


NAN = float("nan")


@pytest.mark.parametrize(
    ("now", "then", "said"),
    [
        (None, None, "No rating yet: the first rated game gives one"),
        ((475.4, NAN), (350.2, NAN, "2010-05-08", YEAR_AGO), "Rated 475 now, 350 a year ago"),
        ((475.4, 40.2), (350.2, 80.0, "2010-11-06", FIRST), "Rated 475 ± 40 now, 350 ± 80 after the first tournament"),
        ((475.4, NAN), (350.2, NAN, "2011-05-14", FILED), "Rated 475 after the first tournament, 350 before it"),
        ((475.4, NAN), None, "Rated 475 after the first tournament"),
    ],
)
def test_the_headline_says_then_and_now(now: Any, then: Any, said: str) -> None:
    of_now = None if now is None else Standing(*now, day("2011-05-14"))
    of_then = None if then is None else Standing(then[0], then[1], day(then[2]), then[3])
    assert card_page.headline(plain(now=of_now, then=of_then)) == said


def test_a_fall_is_said_and_explained() -> None:
    now = Standing(300.0, float("nan"), day("2011-05-14"))
    then = Standing(350.0, float("nan"), day("2010-05-08"), YEAR_AGO)
    told = shown(plain(now=now, then=then))
    assert "Difference −50 points Ratings go down too" in told
    sure = Standing(300.0, 40.0, day("2011-05-14"))
    unsure = Standing(350.0, 90.0, day("2010-05-08"), YEAR_AGO)
    assert "smaller than what the ± of the two ratings leaves open" in shown(plain(now=sure, then=unsure))
    assert "smaller than" not in shown(plain(now=sure, then=dataclasses.replace(unsure, rating=600.0)))


def test_goals() -> None:
    now = Standing(375.6, float("nan"), day("2011-05-14"))
    assert "400 points (24 to go)" in shown(plain(now=now))
    assert "400 points (100 to go)" in shown(plain(now=dataclasses.replace(now, rating=299.6)))
    place = Place("Knight", "rating 376 is in 200 to 399", "Bishop", 400.0, 24.4)
    told = shown(plain(now=now, place=place))
    assert "section Bishop, which begins at 400 points (25 to go) or comes with winning section Knight" in told
    assert "Section Knight rating 376 is in 200 to 399." in told
    top = dataclasses.replace(place, section="King", next="", needed=float("nan"), missing=float("nan"))
    assert "section , " not in shown(plain(now=now, place=top))


def test_figures_are_those_of_the_card() -> None:
    for of in of_one_school()[::2]:
        told = shown(of)
        assert of.now is not None
        assert f"Now {round(of.now.rating)}".replace("-", "−") in told
        page = card_page.page(of)
        table = value(page)["seasons"]
        rows = dict(zip([column.title for column in table.columns], table.cells, strict=True))
        assert rows["Won"] == of.seasons["won"].tolist()[::-1][: card_page.MOST_SEASONS]
        assert page.data["card-seasons.csv"] is of.seasons
        if of.best is not None:
            assert f"rated {round(of.best.rating)}".replace("-", "−") in told


def test_nobody_else_is_named() -> None:
    """No name of anybody else, nor a part of one, stands in any byte of a card's page and tables."""
    everybody = set(club().schedule.history.entries["player"])
    for of in of_one_school()[::2]:
        files = Publication([card_page.page(of)], 1).files()
        text = b"\n".join(as_bytes(content) for content in files.values()).decode().casefold()
        written = set(re.findall(r"\w+", text))
        own = set(of.player.casefold().split())
        others = {part for name in everybody - {of.player} for part in name.casefold().split()} - own
        assert not others & written, of.player
        assert own <= written


def test_the_picture_says_what_it_shows() -> None:
    of = next(of for of in of_one_school() if 2 <= len(of.way) <= 12)
    picture = str(value(card_page.page(of))["picture"])
    described = re.search(r"<desc[^>]*>([^<]*)</desc>", picture)
    assert described is not None
    told = "; ".join(
        f"{round(r)} on {d:%Y-%m-%d}".replace("-", "−", 1) if r < 0 else f"{round(r)} on {d:%Y-%m-%d}"
        for r, d in zip(of.way["rating"], of.way["date"], strict=True)
    )
    assert described.group(1) == told + "."
    assert value(card_page.page(dataclasses.replace(of, way=of.way.head(1))))["picture"] is None


def longest() -> Card:
    """A card with as much on it as there can be: many seasons, every kind of note, long names."""
    of = max(of_one_school(), key=lambda one: len(one.way))
    assert of.best is not None
    assert of.run is not None
    assert of.last is not None
    name = "The Annual Championship of the County’s Schools 2011"
    seasons = pd.concat([of.seasons] * 6, ignore_index=True).assign(
        byes=2, forfeits_won=1, forfeits_lost=2, unrated=3, unknown=1, deviation=44.0
    )
    return dataclasses.replace(
        of,
        seasons=seasons,
        best=dataclasses.replace(of.best, event=name, deviation=120.0),
        run=dataclasses.replace(of.run, first=name, last=name + " 2", ties=3),
        last=dataclasses.replace(of.last, event=name, wins=2.5),
        place=Place("Knight", "by the rating, 376; Knight was won on 2011-02-05 and is kept", "Bishop", 400.0, 24.4),
        undated=2,
        school="Observatory Hill Elementary and Middle School",
        now=Standing(1300.0, 120.0, day("2011-05-14")),
        then=Standing(1420.0, 140.0, day("2010-05-14"), YEAR_AGO),
    )


@needs_pango
def test_a_card_prints_on_one_side() -> None:
    from pypdf import PdfReader

    for of in (longest(), plain(now=None, then=None), *of_one_school()[:2]):
        page = card_page.page(of)
        made = Publication([page], 1).files(Kinds(("pdf",)))["card.pdf"]
        assert isinstance(made, bytes)
        sides = PdfReader(io.BytesIO(made)).pages
        assert len(sides) == 1
        assert [round(float(length) / 72 * 25.4) for length in sides[0].mediabox[2:]] == [148, 210]  # A5


@needs_pango
def test_all_cards_of_a_school_print_on_a_side_each() -> None:
    from pypdf import PdfReader

    some = of_one_school()[:3]
    files = Publication(card_page.pages(some, "Cards"), 1, {"cards.csv": card_page.table(some)}).files(Kinds(("pdf",)))
    made = files["all.pdf"]
    assert isinstance(made, bytes)
    sides = [side.extract_text() for side in PdfReader(io.BytesIO(made)).pages]
    assert len(sides) == 3
    for of, text in zip(some, sides, strict=True):
        assert of.player.split()[0] in text
        assert all(other.player not in " ".join(text.split()) for other in some if other is not of)


class TestInPublic:
    """Of a protected person the label and the ratings, and no more."""

    @pytest.fixture
    def protected(self) -> Any:
        labels = {of.player for of in of_one_school()}
        return SimpleNamespace(public=True, people=frozenset(labels), says=["Children appear under numbers."])

    def test_no_more_than_label_and_ratings(self, protected: Any) -> None:
        of = longest()
        told = shown(of, protected=protected)
        assert of.player in told
        assert "Children appear under numbers." in told
        assert of.best is not None
        assert of.last is not None
        for hidden in (str(of.school), "Best win", "Longest run", "Games by season", of.last.event, "Knight", "grade"):
            assert hidden not in told
        assert not card_page.page(of, protected).data
        assert list(card_page.table([of], protected).columns) == [
            "player", "rating", "deviation", "last_event", "then", "then_date", "then_what", "as_of",
        ]  # fmt: skip

    def test_file_names_are_numbers(self, protected: Any) -> None:
        made = card_page.pages(of_one_school(), "Cards", protected)
        assert all(re.fullmatch(r"cards/\d+\.html", page.file) for page in made[2:])
        committee = card_page.pages(of_one_school(), "Cards")
        assert len({page.file for page in committee}) == len(committee)

    def test_somebody_open_is_told_of_in_full(self, protected: Any) -> None:
        protected.people = frozenset()
        assert "Best win" in shown(longest(), protected=protected)


class TestCommand:
    """ratinglab card"""

    def test_a_card(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        name = of_one_school()[0].player
        asked = ["card", CLUB, "--player", name.upper(), "--as-of", DATE, "--out", str(tmp_path), "--kinds", "html"]
        assert main(asked) == 0
        assert capsys.readouterr().out == ""
        files = sorted(path.name for path in tmp_path.iterdir())
        assert files == ["card-ratings.csv", "card-seasons.csv", "card.html", "cards.csv", "manifest.json"]
        row = pd.read_csv(tmp_path / "cards.csv").iloc[0]
        of = card(club(), name, DATE)
        assert of.now is not None
        assert row["rating"] == of.now.rating
        record = json.loads((tmp_path / "manifest.json").read_text())
        assert (record["command"], record["system"], record["options"]["as_of"]) == ("card", "evanston", DATE)

    def test_a_school(self, tmp_path: Path) -> None:
        asked = ["card", CLUB, "--school", SCHOOL, "--as-of", DATE, "--out", str(tmp_path), "--kinds", "html"]
        assert main(asked) == 0
        table = pd.read_csv(tmp_path / "cards.csv")
        assert table["player"].tolist() == [of.player for of in of_one_school()]
        index = (tmp_path / "index.html").read_text()
        links = re.findall(r'href="(cards/[^"]+)"', index)
        assert len(links) == len(table)
        assert all((tmp_path / link).is_file() for link in links)

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            (["--player", "Nobody Here"], "does not take part in any event"),
            (["--school", "Wicker Sreet"], "perhaps Wicker Street is meant"),
            (["--player", "Balin Wexobrook", "--system", "dip-pouch"], "rates places"),
            (["--player", "x", "--school", "y"], "not allowed with"),
            ([], "required"),
        ],
    )
    def test_wrong_usage(self, wrong: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        try:
            status: object = main(["card", CLUB, *wrong, "--out", str(tmp_path / "x"), "--kinds", "html"])
        except SystemExit as stopped:  # argparse
            status = stopped.code
        assert status == 2
        assert said in capsys.readouterr().err
        assert not (tmp_path / "x").exists()


def test_never_rated_and_undated_are_said() -> None:
    units = [[Member("Ada")], [Member("Bea")]]
    undated = history(Section(units, [Game(1, 0, 1, None, 1.0)], 1))
    events = undated.events.assign(date=pd.NaT, end_date=pd.NaT).astype(undated.events.dtypes)
    undated = dataclasses.replace(undated, events=events)
    told = shown(card(replay(undated, "elo"), "Ada"))
    assert "1 tournament of which no date is known counts" in told
    assert "no date 1 1 1 0 0" in told
    entered = pd.DataFrame({"event": ["e1"], "player": ["Fay"], "section": ["main"]})
    entered = pd.concat([undated.entries, schema.conform("entries", entered)], ignore_index=True)
    never = shown(card(replay(dataclasses.replace(undated, entries=entered), "elo"), "Fay"))
    assert "No rating yet" in never
    assert "Next goal a win against an opponent with a rating." in never


class TestPublicCommand:
    """ratinglab card --privacy public"""

    @pytest.mark.parametrize("names", ["team", "initials"])
    def test_no_byte_names_a_child(self, names: str, tmp_path: Path) -> None:
        history_of_club = club().schedule.history
        named, common, born = public_sets.secrets(history_of_club)
        public = ["--privacy", "public", "--names", names, "--as-of", DATE, "--kinds", "html"]
        assert main(["card", CLUB, "--school", SCHOOL, *public, "--out", str(tmp_path / "school")]) == 0
        assert (
            main(["card", CLUB, "--player", named[0], *public[:4], "--kinds", "html", "--out", str(tmp_path / "one")])
            == 0
        )
        assert public_sets.leaks(tmp_path, named, common, born) == []

    def test_the_search_finds_the_children_of_a_committees_set(self, tmp_path: Path) -> None:
        named, common, born = public_sets.secrets(club().schedule.history)
        asked = ["--school", SCHOOL, "--as-of", DATE, "--kinds", "csv", "--out", str(tmp_path)]
        assert main(["card", CLUB, *asked]) == 0
        assert {leak.name for leak in public_sets.leaks(tmp_path, named, common, born)} >= {
            of.player for of in of_one_school()
        }

    def test_the_ratings_are_those_of_the_committee(self, tmp_path: Path) -> None:
        for privacy in ("public", "committee"):
            asked = ["--school", SCHOOL, "--as-of", DATE, "--kinds", "csv", "--privacy", privacy]
            assert main(["card", CLUB, *asked, "--out", str(tmp_path / privacy)]) == 0
        one, other = (pd.read_csv(tmp_path / of / "cards.csv") for of in ("public", "committee"))
        for column in ("rating", "then"):
            assert sorted(one[column].dropna()) == pytest.approx(sorted(other[column].dropna()))
        assert (tmp_path / "public" / "manifest.json").read_text().count(SCHOOL) == 0
