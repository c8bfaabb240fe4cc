"""Pairs by chance: what every other system can be measured against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ratinglab.pairing.base import Round
from ratinglab.pairing.listed import Listed
from ratinglab.pairing.standing import Standing, order_by
from ratinglab.periods import Floats


@dataclass(frozen=True)
class Random(Listed):
    """A list in random order, its upper half against the lower; nobody twice as long as that can be.

    With `repeats=free` every pairing is as likely as any other, whatever was played before, so that nothing can be
    gained by the results of early games. When earlier meetings are avoided, the opponent is the next in the list who
    may be met: legal pairings are then not exactly equally likely. In an odd field one of those with the fewest byes
    sits out, by chance.
    """

    name: ClassVar[str] = "random"

    def pair(self, standing: Standing, rng: np.random.Generator) -> Round:
        drawn = rng.permuted(np.tile(np.arange(standing.field.shape[1]), (standing.field.shape[0], 1)), axis=1)
        order = order_by((standing.here, drawn))
        return self.from_list(standing, order, np.zeros_like(order), rng)

    def first_round_chances(self, players: int) -> Floats | None:
        if players % 2 or self.teams_apart:
            return None
        return (1 - np.eye(players)) / (players - 1)

    def why(self, standing: Standing, made: Round, pair: tuple[int, int], names: Sequence[str]) -> list[str]:
        return ["drawn by lot"]
