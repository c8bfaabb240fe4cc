"""Stephenson's system: Glicko in which playing itself costs certainty, and opponents draw a rating towards their own.

Source: Stephenson and Sonas, "PlayerRatings" (the package that carries the system which won the Deloitte/FIDE Chess
Rating Challenge of 2011), its `steph`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ratinglab.periods import Batch, Floats, take
from ratinglab.systems.base import Number, State
from ratinglab.systems.glicko import Glicko, Surprises


@dataclass(frozen=True)
class Stephenson(Glicko):
    """1/σ'² = 1/(σ² + n·h²) + q²·Σ g²·E·(1 - E), R' = R + σ'²·q·Σ g·(s + β - E) + λ/100·mean(R_i - R).

    g, E, q and the parameters not named here are Glicko's; sums and the mean are over the n games of the period, whose
    opponents count with the deviation that they have before it.

    h: rating points; each game adds h² to σ² before the update (a forecast does not know of it).
    bonus: β, score points added to each game's score: above 0 it rewards playing, and all ratings rise.
    neighbourhood: λ, the percentage of the way to the mean of the opponents' ratings that a period moves a rating.
    """

    name: ClassVar[str] = "stephenson"
    in_points: ClassVar[tuple[str, ...]] = (*Glicko.in_points, "h")

    c: Number = 10.0
    h: Number = 10.0
    bonus: Number = 0.0
    neighbourhood: Number = 2.0

    def validate(self) -> None:
        super().validate()
        self.require(["h"], "0 or more", 0, strict=False)

    def widening(self, batch: Batch) -> Any:
        return None if self.off("h") else np.square(self.value("h")) * batch.played[:, None]

    def adjustments(self, state: State, games: Surprises, variance: Floats) -> Sequence[tuple[str, Floats, str]]:
        made = []
        if not self.off("bonus"):
            paid = self.q * variance * self.value("bonus") * games.batch.sum_lines(games.g)
            made.append(("bonus", paid, "each game played is worth a little more than its score"))
        if not self.off("neighbourhood"):
            away = games.opponent_rating - take(state["rating"], games.batch.directed.entry)
            mean = games.batch.sum_lines(away) / np.maximum(games.batch.played, 1)[:, None]
            share = self.value("neighbourhood") / 100
            why = "a share of the way to the mean of the opponents' ratings: people play others of about their strength"
            made.append(("neighbourhood", share * mean, why))
        return made
