"""What places and tournaments are worth: the source's own example, a plain transcription, and what must always hold."""

import csv
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import SHARED, needs_shared

from ratinglab.placings import percentile, tournament_value

PLAYERS = st.integers(1, 400)


def slow_percentile(place, of):
    """The sentence of the source: (([number of players] + 0.5 - [placement]) / [number of players]) * 100."""
    return ((of + 0.5 - place) / of) * 100


def slow_value(players, rounds, worlds):
    """The source's paragraph on the tournament value, case by case."""
    if worlds:
        return 20
    value = players / 7 + 2 if rounds == 1 else players / 3.5 + 2
    return 15 if value > 15 else value


def test_the_worked_example_of_the_source():
    """8th of 65 is printed as 88.46 there, a tournament of 65 as 20.57 before the limit of 15."""
    assert float(percentile(8, 65)) == pytest.approx(88.46, abs=0.005)
    assert float(tournament_value(65, 3, False)) == 15
    assert 55 + 15 / 100 * (float(percentile(8, 65)) - 55) == pytest.approx(60.019, abs=0.0005)


def test_one_round_counts_half_and_the_worlds_whatever_their_size():
    """65 players in one round: 65/7 + 2 = 11.2857; 36 in three: 36/3.5 + 2 = 12.2857, printed as 12.29 for Dixie 33."""
    assert tournament_value([65, 36], [1, 3], False) == pytest.approx([11.2857, 12.2857], abs=0.00005)
    assert tournament_value([7, 300], [1, 6], True).tolist() == [20, 20]


def test_what_is_not_known_has_no_value():
    assert np.isnan(tournament_value([np.nan, 36], [3, np.nan], False)).tolist() == [True, True]
    assert float(tournament_value(np.nan, np.nan, True)) == 20
    assert math.isnan(float(percentile(np.nan, 10)))


@given(st.lists(st.tuples(PLAYERS, st.integers(1, 20), st.booleans()), min_size=1, max_size=20))
def test_arrays_and_the_transcription_agree(events):
    players, rounds, worlds = map(np.array, zip(*events, strict=True))
    expected = [slow_value(*event) for event in events]
    np.testing.assert_allclose(tournament_value(players, rounds, worlds), expected, rtol=1e-14)
    scores = percentile(1 + players // 2, players)
    np.testing.assert_allclose(scores, [slow_percentile(1 + n // 2, n) for n in players.tolist()], rtol=1e-14)


@given(PLAYERS)
def test_the_scores_of_all_places_lie_around_fifty(players):
    scores = percentile(np.arange(1, players + 1), players)
    assert scores.mean() == pytest.approx(50)
    assert (np.diff(scores) < 0).all()
    assert scores + scores[::-1] == pytest.approx(np.full(players, 100.0))


@given(PLAYERS, st.integers(1, 20))
def test_more_players_or_rounds_never_lower_the_value(players, rounds):
    value = float(tournament_value(players, rounds, False))
    assert 2 < value <= 15
    assert value <= tournament_value(players + 1, rounds, False)
    assert value <= tournament_value(players, rounds + 1, False) < tournament_value(players, rounds, True)


@needs_shared
def test_the_published_scores():
    """Dixie 33 (2019) and two World Championships: each printed score and coefficient, to its two decimals."""
    with (SHARED / "wdd" / "dptr_event_scores.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["rank"]]
    assert len(rows) == 38
    for row in rows:
        players, rounds = int(row["players_header"]), int(row["rounds"])
        assert f"{float(percentile(int(row['rank']), players)):.2f}" == row["score_published"]
        worlds = row["event"].startswith("World DipCon")
        assert f"{float(tournament_value(players, rounds, worlds)):.2f}" == row["coeff1"]
