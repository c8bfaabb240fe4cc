"""Boards of seven in the sample's Diplomacy tournaments: who plays where, and what the boards and the tournament give.

How well somebody does at a board is strength/200 plus a standard Gumbel variable, so that of any two the stronger
comes out ahead with the logistic chance of the difference over 200; the 34 centres are shared out accordingly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ratinglab.sample.tournament import Real

POWERS = ("Austria", "England", "France", "Germany", "Italy", "Russia", "Turkey")
SEATS, CENTRES, SOLO = 7, 34, 18
SCALE = 200.0
"""The difference in strength at which the stronger is ahead of the other with odds of e to 1."""

_SPREAD = 0.5  # how strongly the share of the centres follows the performance
_PLACES = (38.0, 14.0, 7.0)  # by centres: points of the first three besides 1 for playing and 1 a centre


class Seat(NamedTuple):
    """One player's board: `player` counts the entrants from 0; `shared` is how many have this rank."""

    round: int
    board: int
    player: int
    power: str
    centres: int
    eliminated: int | None
    rank: int
    shared: int
    score: float


@dataclass(frozen=True)
class Field:
    """A tournament to be played: the entrants' strengths, and those who leave after the first round.

    `squares` chooses the scoring: a board's 100 points by the squares of the centres, or by centres and places.
    """

    strengths: Sequence[float]
    rounds: int
    leavers: frozenset[int] = frozenset()
    squares: bool = False


def play(rng: np.random.Generator, field: Field) -> list[Seat]:
    """Every seat of every round; where the entrants are no multiple of seven, those who sat out least sit out."""
    strength = np.array(field.strengths, dtype=np.float64)
    sat_out = np.zeros(len(strength), dtype=np.int64)
    seats: list[Seat] = []
    for number in range(1, field.rounds + 1):
        here = [i for i in range(len(strength)) if number == 1 or i not in field.leavers]
        lot = rng.permutation(len(here)).tolist()
        order = sorted(zip(here, lot, strict=True), key=lambda pair: (-sat_out[pair[0]], pair[1]))
        playing = [i for i, _ in order[: len(here) - len(here) % SEATS]]
        sat_out[[i for i, _ in order[len(playing) :]]] += 1
        playing = [playing[k] for k in rng.permutation(len(playing)).tolist()]
        for board in range(len(playing) // SEATS):
            at_board = playing[SEATS * board : SEATS * (board + 1)]
            seats += _board(rng, number, board + 1, at_board, strength[at_board], field.squares)
    return seats


def performances(rng: np.random.Generator, strengths: Real) -> Real:
    """How well players of these strengths do, each in one game; any shape."""
    return strengths / SCALE + rng.gumbel(size=strengths.shape)


def totals(seats: Sequence[Seat]) -> dict[int, float]:
    """The sum of each player's board scores, to two decimals as they are printed."""
    made: dict[int, float] = {}
    for seat in seats:
        made[seat.player] = round(made.get(seat.player, 0.0) + seat.score, 2)
    return made


def places(scores: Mapping[int, float]) -> dict[int, tuple[int, int]]:
    """Of each player the place and how many share it: equal scores share the best place, the next one is left out.

    >>> places({0: 12.0, 1: 30.0, 2: 12.0, 3: 5.0})
    {1: (1, 1), 0: (2, 2), 2: (2, 2), 3: (4, 1)}
    """
    every = list(scores.values())
    ranked = sorted(scores, key=lambda player: -scores[player])
    return {player: _rank(every, scores[player]) for player in ranked}


def _rank(every: Sequence[float], mine: float) -> tuple[int, int]:
    return 1 + sum(other > mine for other in every), sum(other == mine for other in every)


def _board(
    rng: np.random.Generator, number: int, board: int, players: Sequence[int], strengths: Real, squares: bool
) -> list[Seat]:
    weight = np.exp(_SPREAD * performances(rng, strengths))
    exact = CENTRES * weight / weight.sum()
    # the game is over as soon as somebody has 18
    rest = np.where(exact < exact.max(), weight, 0.0)
    exact = np.where(exact > SOLO, SOLO, exact if exact.max() <= SOLO else (CENTRES - SOLO) * rest / rest.sum())
    centres = np.floor(exact).astype(np.int64)
    most_owed = np.argsort(centres - exact, kind="stable")[: CENTRES - int(centres.sum())]
    centres[most_owed] += 1
    years = rng.integers(1903, 1910, size=SEATS).tolist()
    powers = rng.permutation(SEATS).tolist()
    owned = centres.tolist()
    # who is out ranks by the year, below everybody who is not
    standing = [float(count) if count else year - 2000.0 for count, year in zip(owned, years, strict=True)]
    ranks = [_rank(standing, mine) for mine in standing]
    points = _points(owned, ranks, squares)
    made = [
        Seat(number, board, player, POWERS[power], count, None if count else year, rank, shared, score)
        for player, power, count, year, (rank, shared), score in zip(
            players, powers, owned, years, ranks, points, strict=True
        )
    ]
    return sorted(made, key=lambda seat: (seat.rank, seat.power))


def _points(centres: Sequence[int], ranks: Sequence[tuple[int, int]], squares: bool) -> list[float]:
    """A board's scores, 100 together but for rounding; a solo takes them all."""
    if max(centres) >= SOLO:
        return [100.0 if count >= SOLO else 0.0 for count in centres]
    if squares:
        return [round(100 * count**2 / sum(other**2 for other in centres), 2) for count in centres]
    bonus = [*_PLACES, *[0.0] * (SEATS - len(_PLACES))]
    return [
        round(1 + count + sum(bonus[rank - 1 : rank - 1 + shared]) / shared, 2)
        for count, (rank, shared) in zip(centres, ranks, strict=True)
    ]
