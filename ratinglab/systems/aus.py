"""The straight-line curve of Australian Scrabble in an Elo system, as a comparator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ratinglab.periods import Floats
from ratinglab.problems import UsageError
from ratinglab.systems.base import Number
from ratinglab.systems.elo import Elo


@dataclass(frozen=True)
class Aus(Elo):
    """R' = R + K·(W - E), E = ½ + (R - R_i)/scale, but never less than `lowest` nor more than 1 - `lowest`.

    scale: rating points between certain loss and certain win, were the line not cut.
    Established: the line (1200 points, cut at .05 and .95) and K 20. Open: the rating of somebody unrated (`initial`),
    and whether there is more to the Australian system than this.
    """

    name: ClassVar[str] = "aus"

    scale: Number = 1200.0
    lowest: Number = 0.05

    def validate(self) -> None:
        super().validate()
        if not np.all((np.asarray(self.value("lowest")) >= 0) & (np.asarray(self.value("lowest")) < 0.5)):
            raise UsageError(f"aus: lowest must be from 0 to below .5; found {self.lowest}")

    def curve(self, difference: Floats) -> Floats:
        lowest = self.value("lowest")
        line: Floats = np.clip(0.5 + difference / self.value("scale"), lowest, 1 - lowest)
        return line
