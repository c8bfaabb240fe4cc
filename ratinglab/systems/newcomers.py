"""A NASPA newcomer's initial rating: the rating at which the newcomer's wins were to be expected.

All newcomers of a section are rated together, pass by pass, since they may have met each other. The figures are those
of the tournament software: whole-number bisection, at most 50 passes, and the mean of 50 more where those do not
settle. The bisection's comparisons alone decide its outcome, so it is enough to find the whole number below which the
expected wins fall short; a few guarded Newton steps find it sooner.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ratinglab.periods import Batch, Bools, Floats, Ints, take
from ratinglab.systems.base import team_strength

LOW, HIGH = 0, 3000
LEAST = 500.0
PASSES = 50
# Expected wins for (differences (n, p), line numbers (n,)).
Curve = Callable[[Floats, Ints], Floats]


def initial_ratings(before: Floats, newcomer: Bools, batch: Batch, default: Any, curve: Curve, slope: Any) -> Floats:
    """`before` (entries, p) with each newcomer's nan replaced by an initial rating.

    Every newcomer has at least one game in the batch. `default` is where a newcomer starts who met nobody rated;
    `slope` is about the curve's, and only speeds the search.
    """
    lines = batch.directed
    mine = np.flatnonzero(newcomer[lines.entry])
    entry, opponent = lines.entry[mine], lines.opponent[mine]
    begins = np.flatnonzero(np.diff(entry, prepend=-1))
    who, games = entry[begins], np.diff(begins, append=len(entry))
    n = games[:, None].astype(float)
    wins = batch.wins[who][:, None]
    aim = np.where(wins <= 0, 0.05 * n, np.where(wins >= n, 0.95 * n, wins))

    known = take(team_strength({"rating": before}, batch)["rating"], opponent)  # nan: an unrated opponent
    met_rated = ~np.isnan(known)
    rated_games = np.add.reduceat(met_rated.astype(float), begins)
    total = np.add.reduceat(np.where(met_rated, known, 0.0), begins)
    current = np.where(rated_games > 0, total / np.maximum(rated_games, 1), default)
    best_rated = np.maximum.reduceat(np.where(met_rated, known, -np.inf), begins)
    most = 400 * wins / n

    period = batch.entry_period[who]
    unrated = np.flatnonzero(~met_rated[:, 0])
    met_newcomer = np.bincount(period, np.add.reduceat(~met_rated[:, 0], begins) > 0, len(batch.rounds)) > 0
    place = np.zeros(len(before), dtype=np.int64)
    place[who] = np.arange(len(who))

    def opponents(current: Floats) -> Floats:
        """What the opponents in `mine` are worth while the newcomers stand at `current`."""
        against = known.copy()
        if batch.lone:
            against[unrated] = take(current, place[opponent[unrated]])
        else:
            everybody = before.copy()
            everybody[who] = current
            against[unrated] = take(team_strength({"rating": everybody}, batch)["rating"], opponent[unrated])
        return against

    def one_pass(current: Floats, active: Bools) -> Floats:
        """The next values of the active newcomers, from everybody's current ones."""
        rows = np.flatnonzero(np.repeat(active, games))
        against = opponents(current)[rows]
        counts = games[active]
        starts = np.cumsum(counts) - counts
        rating = _bisected(
            against, starts, counts, aim[active], current[active], lambda d: curve(d, mine[rows]), slope
        )  # fmt: skip
        best = best_rated[active]
        lost = ~np.isfinite(best)
        if lost.any():
            best = np.where(lost, np.maximum.reduceat(against, starts), best)
        out = current.copy()
        out[active] = np.minimum(np.maximum(rating, LEAST), best + most[active])
        return out

    active = np.ones(len(who), dtype=bool)
    for _ in range(PASSES):
        following = one_pass(current, active)
        # a section has settled once a pass moves none of its newcomers; where none met another, after the first
        moved = np.bincount(period, (following != current).any(axis=1), len(batch.rounds)) > 0
        current = following
        active = (moved & met_newcomer)[period]
        if not active.any():
            break
    else:
        total = np.zeros_like(current)
        following = current
        for _ in range(PASSES):
            following = one_pass(following, active)
            total += following
        current = np.where(active[:, None], total / PASSES, current)
    out = before.copy()
    out[who] = current
    return out


def _bisected(
    against: Floats,
    starts: Ints,
    games: Ints,
    aim: Floats,
    guess: Floats,
    curve: Callable[[Floats], Floats],
    slope: Any,
) -> Floats:
    """What bisection of [0, 3000] for the rating whose expected wins come to `aim` (n, p) tried last."""
    low, high = np.full(guess.shape, float(LOW)), np.full(guess.shape, float(HIGH))
    rating = np.minimum(np.maximum(np.rint(guess), LOW + 1), HIGH - 1)
    of = np.repeat(np.arange(len(games)), games)
    while True:
        expected = curve(take(rating, of) - against)
        missing = aim - np.add.reduceat(expected, starts)
        short = missing > 0
        low, high = np.where(short, rating, low), np.where(short, high, rating)
        if (high - low).max() <= 1:
            return _last_tried()[low.astype(np.int64)]
        steepness = np.add.reduceat(expected - expected * expected, starts) * slope
        # the bracket holds the step, also where all games are certain and the curve is flat; a closed one stays closed
        step = missing / np.maximum(steepness, 1e-9)
        rating = np.maximum(np.minimum(np.rint(rating + step), high - 1), np.minimum(low + 1, high - 1))


@cache
def _last_tried() -> Floats:
    """For each whole number below which expected wins fall short: the last one that the bisection tries."""
    low, high = np.full(HIGH, LOW), np.full(HIGH, HIGH)
    below, middle = np.arange(HIGH), np.full(HIGH, LOW)
    while (going := high - low > 1).any():
        middle = np.where(going, (low + high) // 2, middle)
        short = middle <= below
        low, high = np.where(going & short, middle, low), np.where(going & ~short, middle, high)
    return middle.astype(float)
