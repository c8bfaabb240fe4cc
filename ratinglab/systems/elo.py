"""Elo, the plain comparator: one K, the logistic curve, everybody rated at once at the end of the period."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any, ClassVar

import numpy as np

from ratinglab.periods import Batch, Floats, take
from ratinglab.systems.base import Forecast, Number, Part, State, System, Update
from ratinglab.systems.workings import Workings


@dataclass(frozen=True)
class Elo(System):
    """R' = R + K·(W - E), E = 1/(1 + 10^(-(R - R_i)/scale)).

    k: points for one win more than expected; scale: rating points for odds of ten to one; initial: an unrated
    player's rating; advantage: rating points that going first (or White) is worth.
    Chess uses a scale of 400. The default fits ratings as Scrabble files them, on which 722 points are odds of ten to
    one (the curve of NASPA): with 400, ratings taken from such files forecast worse than a coin.
    Source: Elo, The Rating of Chessplayers, Past and Present, 1978, chapter 1.

    >>> Elo(k=(16, 32)).grid_size
    2
    """

    name: ClassVar[str] = "elo"
    detail_names: ClassVar[tuple[str, ...]] = ("base",)
    in_points: ClassVar[tuple[str, ...]] = ("scale", "k", "initial", "advantage")

    k: Number = 20.0
    scale: Number = 722.0
    initial: Number = 1500.0
    advantage: Number = 0.0

    def validate(self) -> None:
        self.require(["scale"], "above 0", 0)
        self.require(["k"], "0 or more", 0, strict=False)

    def expected(self, difference: Floats, first: Floats) -> Floats:
        """Expected score at a rating difference (n, p), `first` (n,) +1 where the player goes first, -1 second."""
        if not self.off("advantage"):
            difference = difference + self.value("advantage") * first[:, None]
        return self.curve(difference)

    def curve(self, difference: Floats) -> Floats:
        """Expected score at a rating difference with any advantage in it."""
        return logistic(difference, log(10) / self.value("scale"))

    def forecast(self, strength: State, batch: Batch, games: slice) -> Forecast:
        rating = strength["rating"]
        difference = take(rating, batch.a[games]) - take(rating, batch.b[games])
        return Forecast(self.expected(difference, batch.first[games]))

    def update(self, state: State, batch: Batch, workings: Workings | None = None) -> Update:
        lines = batch.lines
        units = take(self.strength(state, batch)["rating"], lines.opponent)
        expected = self.expected(take(state["rating"], lines.entry) - units, batch.line_first)
        k = self.value("k")
        base = k * batch.sum_lines(batch.line_results - expected)
        after = {"rating": state["rating"] + base}
        if workings is not None:
            workings.inputs(batch, K=k)
            points = k * (batch.line_results - expected)
            workings.games(batch, opponent_rating=units, expected=expected, points=points)
        return Update(after, [Part(batch.played, batch.wins, state, after, {"base": base})])


def logistic(difference: Floats, slope: Any) -> Floats:
    """1/(1 + exp(-slope·difference)), the curve of Elo's and NASPA's expected score."""
    scaled = difference * -slope
    np.exp(scaled, out=scaled)
    scaled += 1
    curve: Floats = np.reciprocal(scaled, out=scaled)
    return curve
