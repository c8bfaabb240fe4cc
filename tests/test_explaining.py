"""Every printed computation adds up: the rating is recomputed from the printed lines alone."""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from making import SHARED, Game, Member, Section, history, needs_shared, sections

from ratinglab.explaining import explain, rerating
from ratinglab.explanations import as_html, as_text, rerating_text
from ratinglab.formats import load
from ratinglab.history import History
from ratinglab.problems import UsageError
from ratinglab.replaying import Replay, rate, replay
from ratinglab.systems import PRESETS, SYSTEMS, parse

POINTS = re.compile(r"([+-]\d+\.\d{4}) +(-?\d+\.\d{4})(?: |$)", re.MULTILINE)
# of games: a weight stands before the points
WEIGHT = re.compile(r" (-?\d+\.\d{6}) +(?:[+-]\d+\.\d{4}|–)", re.MULTILINE)


def stated(text: str, name: str) -> str:
    return re.search(rf"^  {re.escape(name)} +(\S+)", text, re.MULTILINE)[1]


def recomputed(text: str) -> tuple[Decimal, Decimal]:
    """The rating that the printed lines add up to, and the one that is printed."""
    before = stated(text, "rating before")
    total = Decimal(0) if before == "unrated" else Decimal(before)
    for points, printed in POINTS.findall(text):
        total += Decimal(points)
        assert total == Decimal(printed)
    after = stated(text, "rating after")
    return total, Decimal(0) if after == "unrated" else Decimal(after)


def check_everybody(result: Replay, event: str) -> int:
    """Explain every entrant of the event; how many there were."""
    changes = result.changes
    rows = changes[changes["event"] == event]
    for row in rows.itertuples():
        made = explain(result, event, row.player, row.section)
        text = as_text(made)
        total, after = recomputed(text)
        assert total == after, text
        assert made.after == pytest.approx(row.after, abs=1e-9, nan_ok=True)
        if not np.isnan(row.after):
            assert float(after) == pytest.approx(row.after, abs=5.1e-5)
        if WEIGHT.search(text):
            weight = Decimal(stated(text, "weight before, 1,000,000/deviation²"))
            assert weight + sum(map(Decimal, WEIGHT.findall(text))) == Decimal(
                stated(text, "weight after, 1,000,000/deviation²")
            )
    return len(rows)


GAMES = [name for name, system in SYSTEMS.items() if system.rates == "games"]


@pytest.mark.parametrize("system", [*GAMES, *PRESETS])
def test_whatever_is_played_the_printed_lines_add_up(system: str) -> None:
    @settings(max_examples=8)
    @given(sections(max_rounds=40))
    def run(section: Section) -> None:
        check_everybody(rate(history(section), system), "e1")

    run()


@pytest.mark.parametrize("system", ["glixo", "elo", "naspa"])
def test_members_of_teams_are_explained_each_on_their_own(system: str) -> None:
    @settings(max_examples=8)
    @given(sections(teams=True))
    def run(section: Section) -> None:
        check_everybody(rate(history(section), system), "e1")

    run()


REAL = {
    "tsh": ("tsh/133_canadian-scrabble-classic", "133_canadian-scrabble-classic"),
    "coco": ("coco/results/wordcup-d1-2022-results.csv", "wordcup-d1-2022"),
    "chess": ("chess/uscf_crosstable.txt", "uscf_crosstable"),
}


@needs_shared
@pytest.mark.parametrize("system", [*SYSTEMS, *PRESETS])
@pytest.mark.parametrize("event", REAL)
def test_everybody_in_real_events(event: str, system: str) -> None:
    path, name = REAL[event]
    made = parse(system)
    if made.rates == "placings":
        pytest.skip("rates placings, which these events do not give")
    entrants = check_everybody(rate(load(SHARED / path), made), name)
    assert entrants >= 20


def going_on() -> History:
    """Two events a year apart; Bram Quill sits the second half of the first one out."""
    units = [[Member("Tamsin, Orla", 1500.0, 60.0)], [Member("Bram Quill", 1400.0)], [Member("Ilse Dorn")]]
    first = Section(units, [Game(1, 0, 1, 40, 1.0), Game(2, 0, 2, -15, 0.0)], 2, date="2024-01-06")
    second = Section(units, [Game(1, 0, 1, 10, 1.0), Game(2, 1, 2, None, 0.5)], 2, date="2025-01-05")
    return history(first, second)


def test_time_between_events_is_told() -> None:
    made = explain(replay(going_on(), "glixo:growth=linear,c=5"), "e2", "orla tamsin")
    grown = made.rows[made.rows["kind"] == "time"]
    assert grown["name"].tolist() == ["deviation"]
    assert "365 days" in grown["because"].iloc[0]
    before = made.rows.loc[(made.rows["kind"] == "before") & (made.rows["name"] == "deviation"), "value"].iloc[0]
    assert grown["value"].iloc[0] == pytest.approx(np.sqrt(before**2 + 25 * 365))


def test_a_game_without_a_spread_is_told_as_not_rated_by_glixo() -> None:
    text = as_text(explain(replay(going_on(), "glixo"), "e2", "Ilse Dorn"))
    assert "its spread is not known" in text
    assert "stays at" in text


def test_figures_that_are_not_the_ratings_own_are_refused() -> None:
    result = replay(going_on(), "elo")
    result.after["rating"][:] += 1.0
    with pytest.raises(ArithmeticError, match="rated once more"):
        explain(result, "e1", "Ilse Dorn")


@pytest.mark.parametrize(
    ("event", "player", "told"),
    [
        ("e33", "Ilse Dorn", "no event e33; the events are: e1, e2"),
        ("e1", "Ilse Dohrn", "perhaps Ilse Dorn is meant"),
        ("e1", "Nobody", "Nobody does not take part in e1"),
    ],
)
def test_who_is_not_there(event: str, player: str, told: str) -> None:
    with pytest.raises(UsageError) as error:
        explain(replay(going_on(), "elo"), event, player)
    assert told in str(error.value)


def test_a_team_is_not_a_player() -> None:
    units = [[Member("A", 1500.0), Member("B", 1400.0)], [Member("C", 1600.0)]]
    section = Section(units, [Game(1, 0, 1, 10, 1.0)], 1, teams=True)
    with pytest.raises(UsageError, match="A; B"):
        explain(rate(history(section), "glixo"), "e1", "Team A")


def test_of_one_system_with_details() -> None:
    for result in (replay(going_on(), "elo", details=False), replay(going_on(), SYSTEMS["elo"](k=(10, 20)))):
        with pytest.raises(UsageError, match="one system"):
            explain(result, "e1", "Ilse Dorn")


def test_a_rerating_that_changes_nothing_says_why() -> None:
    one, other = (explain(rate(going_on(), s), "e1", "Bram Quill") for s in ("naspa", "naspa:acceleration=0"))
    made = rerating(one, other)
    text = rerating_text(made)
    assert "under both: nothing changes" in text
    assert "acceleration adds nothing under either" in text
    assert "Every opponent counts with the same rating under both" in text
    assert made.rows["difference"].abs().max() == 0


def test_a_rerating_that_changes_something_says_by_what() -> None:
    one, other = (explain(rate(going_on(), s), "e1", "Bram Quill") for s in ("elo", "elo:k=40"))
    made = rerating(one, other)
    assert made.rows["difference"].sum() == pytest.approx(other.after - one.after)
    assert f"{other.after - one.after:+.4f}" in made.sentences[0]


def test_the_page_holds_what_the_text_says() -> None:
    one, other = (explain(rate(going_on(), s), "e1", "Tamsin, Orla") for s in ("glixo", "glixo:b=6"))
    page = as_html(one, rerating(one, other)).decode()
    for figure in re.findall(r"\d+\.\d{4}", as_text(one)):
        assert figure in page
    assert "Against another system" in page
    assert "<script" not in page
    assert page.count("<table") == 2


def test_the_steps_as_a_table() -> None:
    made = explain(rate(going_on(), "naspa"), "e1", "Tamsin, Orla")
    assert list(made.rows.columns[:6]) == ["part", "kind", "name", "round", "opponent", "opponent_rating"]
    assert made.rows["points"].sum() == pytest.approx(made.after - made.before, abs=1e-9)
    assert isinstance(made.rows, pd.DataFrame)
