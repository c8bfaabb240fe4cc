"""Playing tournaments: the same luck for all, byes, lost games on purpose, places."""

from __future__ import annotations

import numpy as np
import pytest

from ratinglab.pairing import parse
from ratinglab.pairing.standing import NOBODY, Field, Standing
from ratinglab.problems import UsageError
from ratinglab.simulation.models import Chess, Spreads
from ratinglab.simulation.tournaments import BYE_SPREAD, Deed, Strengths, by_strength, final_places, play
from ratinglab.tasks import seeds

SEED = seeds(3, 1)[0]


def drawn(tournaments: int = 6, players: int = 8, **more: float) -> tuple[np.ndarray, Field]:
    return Strengths(**more).draw(np.random.default_rng(9), tournaments, players)


def test_entrants_are_numbered_from_the_highest_rating() -> None:
    strength, field = drawn(rating_error=80.0)
    assert (np.diff(field.rating, axis=1) <= 0).all()
    assert not (np.diff(strength, axis=1) <= 0).all()
    assert (field.rating - strength).std() == pytest.approx(80, rel=0.4)


def test_listed_strengths_and_teams_stay_together() -> None:
    strengths = Strengths(listed=(1300.0, 1900.0, 1600.0), team=(0, 1, 0))
    strength, field = strengths.draw(np.random.default_rng(1), 2, 3)
    assert strength[0].tolist() == [1900, 1600, 1300]
    assert field.team is not None
    assert field.team[0].tolist() == [1, 0, 0]
    with pytest.raises(UsageError, match="has 3 players; found 4"):
        strengths.draw(np.random.default_rng(1), 2, 4)


def test_points_and_spreads_add_up_and_a_bye_is_a_win() -> None:
    strength, field = drawn(players=7)
    played = play(parse("cnsc"), strength, field, 5, Spreads(), SEED)
    standing = played.standing
    out = standing.opponent == NOBODY
    assert (out.sum(axis=1) == 1).all()
    assert (standing.result[out] == 2).all()
    games = (7 - 1) // 2 * 5
    assert (standing.points.sum(axis=1) == 2 * games + 2 * 5).all()
    assert (standing.spread.sum(axis=1) == BYE_SPREAD * 5).all()


def test_luck_is_the_players_own_whoever_pairs() -> None:
    """Equal pairings give equal games: the round-robin of two, and game 1 of two systems that pair alike."""
    strength, field = drawn(players=8)
    one = play(parse("cnsc:first_game=straight"), strength, field, 1, Spreads(), SEED)
    other = play(parse("nssc"), strength, field, 1, Spreads(), SEED)
    assert (one.standing.opponent == other.standing.opponent).all()
    assert (one.standing.spread == other.standing.spread).all()


def test_the_same_seed_gives_the_same_tournaments() -> None:
    strength, field = drawn()
    runs = [play(parse("random"), strength, field, 4, Chess(), SEED) for _ in range(2)]
    assert (runs[0].standing.opponent == runs[1].standing.opponent).all()
    assert (runs[0].standing.points == runs[1].standing.points).all()


def test_thrown_games_are_lost_and_nothing_else_changes_in_game_one() -> None:
    strength, field = drawn()
    who = np.array([0, 1, 2, 3, 4, 5])
    plain = play(parse("cnsc"), strength, field, 3, Spreads(), SEED).standing
    thrown = play(parse("cnsc"), strength, field, 3, Spreads(), SEED, Deed(who, thrown=2)).standing
    at = np.arange(6)
    assert (thrown.result[at, who, :2] == 0).all()
    others = np.ones(plain.points.shape, dtype=bool)
    others[at, who] = False
    others[at, plain.opponent[at, who, 0]] = False
    assert (thrown.result[:, :, 0][others] == plain.result[:, :, 0][others]).all()


def test_a_lowered_rating_changes_the_seed_alone() -> None:
    strength, field = drawn()
    who = np.zeros(6, dtype=np.int64)
    lowered = play(parse("nssc"), strength, field, 1, Spreads(), SEED, Deed(who, lowered=5000.0)).standing
    # the first seed is now the last: meets number 4 of 8, who has moved up into the upper half
    assert (lowered.opponent[:, 0, 0] == 4).all()
    assert (field.rating[:, 0] > 0).all()


def test_places_by_hand() -> None:
    field = Field(np.zeros((1, 5)), np.zeros((1, 5), dtype=np.int64))
    start = Standing.start(field, 1)
    ended = start.after(
        np.array([[1, 0, 3, 2, NOBODY]]), np.array([[2, 0, 2, 0, 2]]), np.array([[30.0, -30.0, 80.0, -80.0, 30.0]])
    )
    assert final_places(ended).tolist() == [[2, 4, 1, 5, 2]]


def test_strongest_first() -> None:
    assert by_strength(np.array([[3.0, 9.0, 5.0]])).tolist() == [[1, 2, 0]]
