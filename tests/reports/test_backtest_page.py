"""The page on one past event: what it says is what the tables say, and all of it can be read."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pandas as pd
import pytest

from ratinglab import plots
from ratinglab.backtests.backtesting import Backtest, backtest
from ratinglab.history import History, Parsed, assemble
from ratinglab.pairing import parse
from ratinglab.reports import backtest_page
from ratinglab.reports.publication import alone, alone_with_data
from ratinglab.sample import individual_circuit, team_circuit

ODD_NAME = 'Ann "A" <b>& Co</b>'


def text_of(page: bytes) -> str:
    """What is read, spaces folded."""
    body = re.sub(r"<style>.*?</style>|<script>.*?</script>|<svg.*?</svg>", " ", page.decode(), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


@pytest.fixture(scope="module")
def circuit() -> History:
    made, _ = individual_circuit(np.random.default_rng(3), players=40, events=3, rounds=6)
    last = made.events["event"].iloc[-1]
    name = made.entries.loc[made.entries["event"] == last, "player"].iloc[0]
    renamed = {"player": {name: ODD_NAME}, "opponent": {name: ODD_NAME}}
    return replace(made, entries=made.entries.replace({"player": renamed["player"]}), games=made.games.replace(renamed))


@pytest.fixture(scope="module")
def made(circuit: History) -> Backtest:
    return backtest(circuit, circuit.events["event"].iloc[-1], ["glixo", "naspa", "elo"], tournaments=400)


@pytest.fixture(scope="module")
def page(made: Backtest) -> bytes:
    return alone(backtest_page.page(made), 3)


def test_the_answer_is_that_of_the_tables(made: Backtest, page: bytes) -> None:
    told = text_of(page)
    row = made.summary.iloc[0]
    chance = backtest_page.of_chance(row["p_winner"], row["p_winner_se"]).replace("\N{NO-BREAK SPACE}", " ")
    seed = backtest_page.ordinal(row["winner_seed"])
    assert f"{row['winner']} won, seeded {seed} of {row['entrants']} by glixo, with a chance {chance}" in told
    assert f"{row['upsets']} upset" in told
    for label in made.systems:
        assert f"By {label} the winner was seeded" in told
    upsets = made.upsets[made.upsets["system"] == "glixo"]
    assert ("Upsets by glixo" in told) == bool(len(upsets))
    assert "nan" not in told.casefold().replace("finan", "")
    assert "it ended on 20" in told
    assert "From 3 files." in told
    for note in made.notes:
        assert note in told


def test_how_chances_are_told() -> None:
    told = [backtest_page.of_chance(p, 0.002).replace("\N{NO-BREAK SPACE}", " ") for p in (0.0002, 0.0313, 1.0)]
    assert told == ["below 0.1 %", "of 3.1 % ± 0.2 %", "above 99.9 %"]
    assert [backtest_page.names(text) for text in ("A", "A; B", "A; B; C")] == ["A", "A and B", "A, B and C"]


def test_every_file_it_names_is_written(made: Backtest, page: bytes) -> None:
    files = alone_with_data(backtest_page.page(made), 3)
    named = set(re.findall(r'href="([^"#]+)"', page.decode()))
    assert named == {*files, "manifest.json"} - {"backtest.html"}
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page.decode())


def test_all_entrants_stand_in_the_tables_and_names_are_text(made: Backtest, page: bytes) -> None:
    source, told = page.decode(), text_of(page)
    assert "<b>&" not in source
    assert ODD_NAME in told
    for player in made.entrants["player"].unique():
        assert told.count(player) >= 3


def test_the_same_bytes_again(made: Backtest, page: bytes) -> None:
    assert alone(backtest_page.page(made), 3) == page


def test_anchors_are_there_once(circuit: History) -> None:
    half = circuit.entries["player"].unique()[::2]
    tables = {name: getattr(circuit, name) for name in ("entries", "games")}
    section = {name: np.where(table["player"].isin(half), "Upper <half>", "main") for name, table in tables.items()}
    games = tables["games"].assign(section=section["games"])
    both = games["player"].isin(half) == games["opponent"].isin(half)
    events = circuit.events.assign(name=None)
    split = assemble([Parsed({"events": events, "entries": tables["entries"].assign(section=section["entries"]),
                              "games": games[both]})])  # fmt: skip
    told = backtest(split, events["event"].iloc[-1], ["glixo", "elo"], tournaments=50)
    assert len(told.sections) == 2
    source = alone(backtest_page.page(told), 1).decode()
    ids = re.findall(r'\bid="([^"]+)"', source)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', source)) - {""} <= set(ids)
    assert "Section Upper &lt;half&gt;" in source


def test_whom_a_system_would_have_seeded_otherwise(circuit: History, made: Backtest, page: bytes) -> None:
    own = made.entrants[made.entrants["system"] == "glixo"]
    apart = (own["filed_seed"] - own["seed"]).abs()
    source = page.decode()
    rows = re.findall(r"<tr>.*?</tr>", source[source.index('<table id="differing"') :].split("</table>")[0])
    assert len(rows) == min(10, (apart > 0).sum())
    most = own.loc[apart.idxmax()]
    assert [unescape(cell) for cell in re.findall(r">([^<]+)</t[hd]>", rows[0])][1:4] == [
        str(most[name]) for name in ("filed_seed", "seed", "place")
    ]
    filed = replace(circuit, entries=circuit.entries.assign(rating=np.arange(len(circuit.entries)) + 900.0))
    first = backtest(filed, circuit.events["event"].iloc[0], ["glixo"], tournaments=20)
    assert 'id="differing' not in alone(backtest_page.page(first), 1).decode()


class TestWhoIsNamed:
    """With pupils in it the page is for the committee."""

    @pytest.mark.parametrize("column", ["grade", "school"])
    def test_pupils(self, circuit: History, column: str) -> None:
        school = replace(circuit, entries=circuit.entries.assign(**{column: "5"}))
        told = backtest(school, circuit.events["event"].iloc[0], ["elo"], tournaments=20)
        assert "names pupils with their results. It is meant for the committee." in text_of(
            alone(backtest_page.page(told), 1)
        )

    def test_others(self, page: bytes) -> None:
        assert "pupils" not in text_of(page)

    def test_teams(self) -> None:
        made, _ = team_circuit(np.random.default_rng(2), players=16, events=2, rounds=5)
        school = replace(made, entries=made.entries.assign(school="S"))
        told = backtest(school, made.events["event"].iloc[-1], ["glixo"], tournaments=20)
        assert "names teams of pupils" in text_of(alone(backtest_page.page(told), 1))


def test_a_pairing_system(circuit: History, page: bytes) -> None:
    """Which pairings were used, why the others differ, and the chances over both."""
    told = backtest(
        circuit, circuit.events["event"].iloc[-1], ["glixo", "elo"], pairing=parse("swiss"), tournaments=100
    )
    text = text_of(alone(backtest_page.page(told), 1))
    row = told.summary.iloc[0]
    real = backtest_page.within(row["p_winner_real"], row["p_winner_real_se"]).replace("\N{NO-BREAK SPACE}", " ")
    assert f"; with the real pairings kept it was {real}, and" in text
    assert "every round paired by the pairing system swiss from the simulated standing before it" in text
    assert "makes the real winner look too unlikely" in text
    assert text.count("If kept") == 2
    for note in told.notes:
        assert note in text
    real = text_of(page)
    assert "each entrant meeting the real opponents" in real
    assert "does not have this fault" in real
    assert "real pairings kept" not in real.casefold()


def test_nothing_left_to_expect(circuit: History) -> None:
    told = backtest(circuit, circuit.events["event"].iloc[-1], ["elo"], after_round=6, tournaments=20)
    text = text_of(alone(backtest_page.page(told), 1))
    assert "no round was left to be expected" in text
    assert "simulation too" not in text
    assert "nan" not in text.casefold().replace("finan", "")


class TestPlots:
    """The figures take a table and an axis."""

    def test_places(self, made: Backtest) -> None:
        own = made.entrants[made.entrants["system"] == "glixo"]
        _, axes = plots.figure(7, 8)
        axis = plots.place_ranges(own, axes[0])
        labels = [tick.get_text() for tick in axis.get_yticklabels()]
        assert labels == own.sort_values(["mean_place", "player"])["player"].tolist()
        marks = sum(len(line.get_xdata()) for line in axis.lines if line.get_marker() == "D")
        assert marks == len(own)
        assert axis.get_xlabel() == "final place"

    def test_wins_name_who_is_far_off(self, made: Backtest) -> None:
        own = made.entrants[made.entrants["system"] == "elo"].assign(z=0.0)
        own = own.assign(z=np.where(own["player"] == ODD_NAME, -2.5, np.nan))
        _, axes = plots.figure(5, 4)
        axis = plots.wins_expected(own, axes[0])
        assert [note.get_text() for note in axis.texts] == [ODD_NAME]

    @pytest.mark.parametrize("count", [1, 2, 5, 23, 109, 400])
    def test_places_that_are_marked(self, count: int) -> None:
        own = pd.DataFrame({name: np.arange(1, count + 1) for name in ("place", "place_low", "place_median")})
        own = own.assign(place_high=count, mean_place=1.0, player="X")
        _, axes = plots.figure(5, 4)
        ticks = plots.place_ranges(own, axes[0]).get_xticks().tolist()
        assert ticks[0] == 1
        assert ticks[-1] == count
        assert len(ticks) <= 14
