"""Playing an event of the sample: who meets whom, who goes first, and the scores.

The spread of a game is normal around the difference in strength, `(μ_a − μ_b)/b`, with standard deviation τ: the
model of the Glixo page, so that a system with that model can be checked against the strengths that went in.
The pairing is a plain one by wins and spread; the pairing systems proper are `ratinglab.pairing`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]
Real = npt.NDArray[np.float64]

B, TAU = 5.0, 90.0
"""Rating points per game point, and the standard deviation of a spread in game points."""

BYE_SPREAD, NO_SHOW_SPREAD = 50, -50
NOBODY = -1

_TOTAL = (800.0, 80.0)  # both scores of a game together: mean, standard deviation
_LOWEST = 150  # what a losing side scores at least
_NODES = 3000  # how long a pairing is searched before one more repeat is allowed


@dataclass(frozen=True)
class Plan:
    """How an event is played, entrants counted from 0 and rounds from 1.

    `arrives` is an entrant's first round, `leaves` its last; `no_shows` (entrant, round) are paired and lose 0–50.
    """

    rounds: int
    caps: Sequence[int] = ()
    arrives: Mapping[int, int] = field(default_factory=dict)
    leaves: Mapping[int, int] = field(default_factory=dict)
    no_shows: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True)
class Played:
    """What happened, entrants by rounds: opponent (or `NOBODY`), score, board, and who was first (1), second (2)."""

    opponent: Whole
    score: Whole
    board: Whole
    first: Whole

    def games(self) -> Whole:
        """How many rated games each entrant played: byes, absences and no-shows are none."""
        there = self.opponent != NOBODY
        theirs = np.take_along_axis(self.score, np.where(there, self.opponent, 0), axis=0)
        return np.asarray((there & (self.score > 0) & (theirs > 0)).sum(axis=1), dtype=np.int64)


def team_strength(members: Sequence[float]) -> float:
    """The strength of a team: its best member less 100, or the mean of its members if that is more.

    >>> team_strength([1500, 1400]), team_strength([1500, 900]), team_strength([1500])
    (1450.0, 1400.0, 1500.0)
    """
    return float(max(max(members) - 100, sum(members) / len(members)))


def scores(rng: np.random.Generator, expected: Real, tau: float = TAU) -> tuple[Whole, Whole]:
    """Scores of both sides of games whose spread is expected to be `expected` (any shape).

    The spread is rounded to a whole number, so that ties happen; the total is raised where the loser would have less
    than a loser ever has.
    """
    spread = np.rint(rng.normal(expected, tau)).astype(np.int64)
    total = np.rint(rng.normal(*_TOTAL, size=spread.shape)).astype(np.int64)
    total = np.maximum(total + (total + spread) % 2, np.abs(spread) + 2 * _LOWEST)
    return (total + spread) // 2, (total - spread) // 2


def play(rng: np.random.Generator, strengths: Sequence[float], plan: Plan) -> Played:
    """An event between entrants of these strengths."""
    count, rounds = len(strengths), plan.rounds
    strength = np.array(strengths, dtype=np.float64)
    opponent = np.full((count, rounds), NOBODY, dtype=np.int64)
    score = np.full((count, rounds), NO_SHOW_SPREAD, dtype=np.int64)
    board = np.zeros((count, rounds), dtype=np.int64)
    first = np.zeros((count, rounds), dtype=np.int64)
    met = np.zeros((count, count), dtype=np.int64)
    wins, spread, byes, ahead = (np.zeros(count) for _ in range(4))  # ahead: firsts less seconds

    for r in range(rounds):
        lot = rng.permutation(count)
        cap = plan.caps[r] if r < len(plan.caps) else np.inf
        here = [
            i
            for i in np.lexsort((lot, -spread, -wins)).tolist()
            if plan.arrives.get(i, 1) <= r + 1 <= plan.leaves.get(i, rounds)
        ]
        absent = np.setdiff1d(np.arange(count), here)
        spread[absent] += max(NO_SHOW_SPREAD, -cap)
        if len(here) % 2:
            out = min(reversed(here), key=lambda i: byes[i])  # the last in the standings of those with fewest byes
            here.remove(out)
            score[out, r] = BYE_SPREAD
            byes[out] += 1
            wins[out] += 1
            spread[out] += BYE_SPREAD
        pairs = np.array(_pairs(here, met), dtype=np.int64).reshape(-1, 2)
        coin = np.where(rng.random(len(pairs)) < 0.5, 0.5, -0.5)
        swap = ahead[pairs[:, 0]] - ahead[pairs[:, 1]] + coin > 0  # whoever went first more often goes second
        a, b = np.where(swap, pairs[:, 1], pairs[:, 0]), np.where(swap, pairs[:, 0], pairs[:, 1])
        score[a, r], score[b, r] = scores(rng, (strength[a] - strength[b]) / B)
        for i, other in [*zip(a.tolist(), b.tolist(), strict=True), *zip(b.tolist(), a.tolist(), strict=True)]:
            if (i, r + 1) in plan.no_shows:
                score[i, r], score[other, r] = 0, BYE_SPREAD
        opponent[a, r], opponent[b, r] = b, a
        first[a, r], first[b, r] = 1, 2
        board[pairs[:, 0], r] = board[pairs[:, 1], r] = np.arange(1, len(pairs) + 1)
        met[a, b] += 1
        met[b, a] += 1
        ahead[a] += 1
        ahead[b] -= 1
        margin = score[a, r] - score[b, r]
        wins[a] += (np.sign(margin) + 1) / 2
        wins[b] += (1 - np.sign(margin)) / 2
        spread[a] += np.clip(margin, -cap, cap)
        spread[b] -= np.clip(margin, -cap, cap)
    return Played(opponent, score, board, first)


def _pairs(order: list[int], met: Whole) -> list[tuple[int, int]]:
    """Neighbours in `order`, nobody with somebody met before; where that cannot be, with as few meetings as can be."""
    meetings = met.tolist()
    for limit in range(int(met.max(initial=0)) + 1):
        found = _search(order, meetings, limit, [_NODES])
        if found is not None:
            return found
    raise AssertionError("any pairing is legal at the last limit")


def _search(order: list[int], met: list[list[int]], limit: int, left: list[int]) -> list[tuple[int, int]] | None:
    if not order:
        return []
    left[0] -= 1
    top, rest = order[0], order[1:]
    for k, other in enumerate(rest):
        if met[top][other] <= limit:
            found = _search(rest[:k] + rest[k + 1 :], met, limit, left)
            if found is not None:
                return [(top, other), *found]
            if left[0] <= 0:
                return None
    return None
