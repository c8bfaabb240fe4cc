"""The special formula of US Chess: the rating at which the score made is the score to be expected.

It is for who has played little, or never lost or never won before. Expectation is a straight line that ends 400 points
either side of an opponent, so the sum of expectations is a chain of straight pieces: sorted by their ends, the piece
that holds the score is found and solved, for all players and parameters at once. `ratinglab.systems.uscf` says who is
rated so. Source: Glickman and Doan, "The US Chess Rating system", special rating formula.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ratinglab.periods import Batch, Bools, Floats, Ints

HIGHEST = 2700.0  # what the special formula may give
REACH = 400.0  # rating points beyond which nothing is left to expect
# Scores closer than this are the same: more than sums of a few dozen games are off by, and too little for a real
# score to be mistaken for another one (of a single game it is 1e-9 rating points).
_SAME = 1e-12


class Players(NamedTuple):
    """Entries that the special formula rates, and their games, one row a player, padded to the longest."""

    who: Ints  # (players,) entries
    line: Ints  # (players, games) rows of batch.directed
    real: Floats  # (players, games, 1): 1 for a game, 0 for padding
    score: Floats  # (players, 1)


def players(batch: Batch, chosen: Bools) -> Players:
    """The games of the `chosen` (entries,), each of whom must have one."""
    who = np.flatnonzero(chosen)
    counts = batch.played[who]
    begins = np.searchsorted(batch.directed.entry, who)  # the lines are grouped by entry
    column = np.arange(counts.max(initial=1))
    real = column < counts[:, None]
    line = np.where(real, begins[:, None] + column, begins[:, None])
    return Players(who, line, real.astype(float)[:, :, None], batch.wins[who, None])


def expectancy(difference: Floats) -> Floats:
    """PWe: the expected score at a rating difference, ½ + d/800 between 0 and 1."""
    line: Floats = np.minimum(np.maximum(0.5 + difference / (2 * REACH), 0), 1)
    return line


def special_rating(
    rating: Floats, record: Floats, effective: Floats, opponents: Floats, real: Floats, score: Floats
) -> Floats:
    """The root R of N'·PWe(R, R0') + Σ PWe(R, R_i) = S' that is nearest to `rating`, (players, p).

    `record` (players, 1): +1 where all earlier games were won (R0' = R - 400, S' = S + N'), -1 where all were lost
    (R0' = R + 400, S' = S), else R0' = R and S' = S + N'/2. `effective` is N', (players, p); `opponents`
    (players, games, p) are R_i, of which those that are not `real` do not count; `score` is S.
    """
    prior = rating - REACH * record
    aim = score + effective * (1 + record) / 2
    shape = (len(rating), opponents.shape[1], rating.shape[1])
    centres = np.concatenate([prior[:, None], np.broadcast_to(opponents, shape)], axis=1)
    weights = np.concatenate([effective[:, None], np.broadcast_to(real, shape)], axis=1)

    ends = np.concatenate([centres - REACH, centres + REACH], axis=1)
    order = np.argsort(ends, axis=1)
    ends = np.take_along_axis(ends, order, axis=1)
    slopes = np.concatenate([weights, -weights], axis=1) / (2 * REACH)
    slopes = np.cumsum(np.take_along_axis(slopes, order, axis=1), axis=1)
    above = np.zeros_like(ends)
    np.cumsum(slopes[:, :-1] * np.diff(ends, axis=1), axis=1, out=above[:, 1:])
    above -= aim[:, None]  # what is expected at each end, less the score to be met

    row, column, count = np.arange(len(rating))[:, None], np.arange(rating.shape[1]), ends.shape[1]

    def at(values: Floats, place: Ints) -> Floats:
        found: Floats = values[row, place, column]
        return found

    # the ends from `first` to `last` meet the score; where none does, the piece between `last` and `first` does
    first = (above < -_SAME).sum(axis=1)
    last = (above <= _SAME).sum(axis=1) - 1
    slope = at(slopes, last)
    between = at(ends, last) - at(above, last) / np.where(slope > 0, slope, np.inf)
    met = first <= last
    low = np.where(met, at(ends, np.minimum(first, count - 1)), between)
    high = np.where(met, at(ends, last), between)
    # below all ends nothing is expected, above all of them everything: a score of nothing or all is met there too
    low = np.where(first == 0, -np.inf, low)
    high = np.where(last == count - 1, np.inf, high)
    root = np.maximum(low, np.minimum(rating, high))

    # the sums along the chain round; the piece that the root lies on says what is left
    away = root[:, None] - centres
    steep = (weights * (np.abs(away) < REACH)).sum(axis=1) / (2 * REACH)
    left: Any = (weights * expectancy(away)).sum(axis=1) - aim
    polished: Floats = root - left / np.where(steep > 0, steep, np.inf)
    return polished
