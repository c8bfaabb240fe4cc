"""Pairing by the standing alone: a Swiss system by wins and spread, and king of the hill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ratinglab.pairing.base import Round
from ratinglab.pairing.listed import FREE, Listed
from ratinglab.pairing.standing import Standing, order_by, places
from ratinglab.periods import Ints


def by_wins_and_spread(standing: Standing) -> np.ndarray:
    """Everybody in the order of wins, spread, and the ranking before play, (T, n); who is here first."""
    return order_by((standing.here, standing.points, standing.spread, *standing.field.keys))


@dataclass(frozen=True)
class Swiss(Listed):
    """Players of equal wins meet, in the order of spread; before play, of ratings.

    pairs: `halves` (of each group the upper half against the lower, as in the search of `cnsc`) or `adjacent` (first
    against second, third against fourth …, down the whole list).
    """

    name: ClassVar[str] = "swiss"

    pairs: str = "halves"

    def __post_init__(self) -> None:
        """Options are words and numbers that mean something."""
        super().__post_init__()
        self.one_of("pairs", ("halves", "adjacent"))

    def pair(self, standing: Standing, rng: np.random.Generator) -> Round:
        return self.from_list(standing, *self._list(standing), rng)

    def why(self, standing: Standing, made: Round, pair: tuple[int, int], names: Sequence[str]) -> list[str]:
        return self.of_list(standing, *self._list(standing), made, pair, names)

    def _list(self, standing: Standing) -> tuple[Ints, Ints]:
        order = by_wins_and_spread(standing)
        # with everybody a group of his own, each takes the next one as the second of a pair
        return order, standing.points if self.pairs == "halves" else places(order)


@dataclass(frozen=True)
class KingOfTheHill(Listed):
    """First against second, third against fourth …, by wins and spread, however often they have met.

    With `repeats=avoid` it is the Swiss system by adjacent pairs.
    """

    name: ClassVar[str] = "king-of-the-hill"

    repeats: str = FREE

    def pair(self, standing: Standing, rng: np.random.Generator) -> Round:
        order = by_wins_and_spread(standing)
        return self.from_list(standing, order, places(order), rng)

    def why(self, standing: Standing, made: Round, pair: tuple[int, int], names: Sequence[str]) -> list[str]:
        order = by_wins_and_spread(standing)
        return self.of_list(standing, order, places(order), made, pair, names)
