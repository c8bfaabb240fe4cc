"""Beside packages of other authors, where their definitions are ours: `glicko2` and `elote` (extra `peers`).

openskill's models are none of ours. What a package does otherwise is said with its test.
"""

from __future__ import annotations

from datetime import datetime
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import Game, Member, Section, history, sections
from oracles.sides import sides

from ratinglab.replaying import rate
from ratinglab.systems import Elo, Glicko, Glicko2

RATINGS = st.floats(800, 2200)
DEVIATIONS = st.floats(30, 350)
RESULTS = st.sampled_from([0.0, 0.5, 1.0])


def single_game(one: tuple[float, float], other: tuple[float, float], result: float) -> Section:
    units = [[Member(name, *filed)] for name, filed in zip(("A", "B"), (one, other), strict=True)]
    return Section(units, [Game(1, 0, 1, int(20 * result) - 10, result)], 1)


def play(one, other, result: float, **more) -> None:
    """The game in elote's words."""
    if result == 0.5:
        one.tied(other, **more)
    else:
        (one if result else other).beat(other if result else one, **more)


@given(RATINGS, RATINGS, RESULTS, st.floats(5, 60))
def test_elotes_elo(one: float, other: float, result: float, k: float) -> None:
    elote = pytest.importorskip("elote", reason="elote is not installed (extra `peers`)")
    peers = [elote.EloCompetitor(initial_rating=rating, k_factor=k) for rating in (one, other)]
    replayed = rate(history(single_game((one, 60.0), (other, 60.0), result)), Elo(k=k, scale=400))
    assert replayed.forecasts["win"][0] == pytest.approx(peers[0].expected_score(peers[1]), abs=1e-12)
    play(*peers, result)
    assert replayed.changes["after"].tolist() == pytest.approx([peer.rating for peer in peers], abs=1e-9)


@given(RATINGS, RATINGS, DEVIATIONS, DEVIATIONS, RESULTS)
def test_elotes_glicko(one: float, other: float, sure: float, less: float, result: float) -> None:
    """Of one game: elote rates game by game. It rounds q to .0057565, and lets its users set it."""
    elote = pytest.importorskip("elote", reason="elote is not installed (extra `peers`)")

    class Exact(elote.GlickoCompetitor):
        _q = log(10) / 400

    peers = [Exact(initial_rating=rating, initial_rd=rd) for rating, rd in ((one, sure), (other, less))]
    play(*peers, result, match_time=datetime(2024, 1, 1))
    changes = rate(history(single_game((one, sure), (other, less), result)), Glicko()).changes
    assert changes["after"].tolist() == pytest.approx([peer.rating for peer in peers], abs=1e-8)
    assert changes["deviation_after"].tolist() == pytest.approx([peer.rd for peer in peers], abs=1e-8)


@settings(deadline=None)
@given(sections(unrated=False))
def test_the_package_glicko2(section: Section) -> None:
    """Whole periods, of players whose rating is as far from 1500 as their deviation is large.

    The package has μ² where the paper's f has φ²; of these players the two are the same. It stops at a width of 1e-6.
    """
    peer = pytest.importorskip("glicko2", reason="glicko2 is not installed (extra `peers`)")
    deviations = [min(350, max(30, abs(member.rating - 1500))) for (member,) in section.units]
    signs = [1 if member.rating > 1500 else -1 for (member,) in section.units]
    ratings = [1500 + sign * deviation for sign, deviation in zip(signs, deviations, strict=True)]
    names = [member.name for (member,) in section.units]
    units = [[Member(*filed)] for filed in zip(names, ratings, deviations, strict=True)]
    drawn = Section(units, section.games, section.rounds)
    changes = rate(history(drawn), Glicko2(scale=173.7178 * log(10))).changes.set_index("player")
    for u, name in enumerate(names):
        met = [(opponent, score) for _, opponent, score, _ in sides(drawn, u)]
        if not met:
            continue
        player = peer.Player(ratings[u], deviations[u], 0.06)
        against = [[values[opponent] for opponent, _ in met] for values in (ratings, deviations)]
        player.update_player(*against, [score for _, score in met])
        row = changes.loc[name]
        assert row["volatility_after"] == pytest.approx(player.vol, rel=1e-5)
        assert row["after"] == pytest.approx(player.rating, abs=1e-3)
        assert row["deviation_after"] == pytest.approx(player.rd, abs=1e-3)
