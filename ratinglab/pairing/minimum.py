"""The exact pairing of least cost, with the cost stated: what a search can at best come to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ratinglab.pairing.base import Round
from ratinglab.pairing.exact import Cost, exact_round
from ratinglab.pairing.listed import Listed
from ratinglab.pairing.standing import NOBODY, Standing, places
from ratinglab.pairing.swiss import by_wins_and_spread


@dataclass(frozen=True)
class Matching(Listed):
    """Of all pairings the one that costs least: second meetings first, then team-mates, then what `cost` says.

    cost: `points`: the sum of squared differences in points, then of places in the list by wins and spread; `places`:
    the sum of squared differences of places; `rating`: of places in the ranking before play.
    Who sits out is decided with the rest: with the fewest byes, sparing second meetings and team-mates, the lowest.
    """

    name: ClassVar[str] = "matching"

    cost: str = "points"

    def __post_init__(self) -> None:
        """Options are words and numbers that mean something."""
        super().__post_init__()
        self.one_of("cost", ("points", "places", "rating"))

    def pair(self, standing: Standing, rng: np.random.Generator) -> Round:
        t, n = standing.field.shape
        place = places(by_wins_and_spread(standing))
        opponent, away = np.full((t, n), NOBODY, dtype=np.int64), np.zeros((t, n), dtype=np.int64)
        for at in range(t):
            gap = np.abs(np.subtract.outer(place[at], place[at]))
            if self.cost == "points":
                wanted = [Cost(np.subtract.outer(standing.points[at], standing.points[at]) ** 2), Cost(gap)]
            elif self.cost == "places":
                wanted = [Cost(gap**2)]
            else:
                wanted = [Cost(np.subtract.outer(standing.field.seed[at], standing.field.seed[at]) ** 2)]
            lowest = Cost(bye=n - 1 - place[at])
            opponent[at] = exact_round(standing, at, *self.costs(standing, at), lowest, *wanted)
            away[at] = np.take_along_axis(gap, np.maximum(opponent[at], 0)[:, None], axis=1)[:, 0] - 1
        return self.told(standing, opponent, np.maximum(away, 0), np.zeros(t, dtype=bool), rng)

    def why(self, standing: Standing, made: Round, pair: tuple[int, int], names: Sequence[str]) -> list[str]:
        return ["of all rounds the one that costs least"]
