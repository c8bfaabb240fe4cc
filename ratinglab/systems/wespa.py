"""WESPA, a neighbour of the NASPA ratings: a steeper curve, less acceleration, events rated whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ratinglab.systems.base import Number
from ratinglab.systems.naspa import Naspa


@dataclass(frozen=True)
class Wespa(Naspa):
    """R' = R + K·(W - E) for a whole event, E = Σ 1/(1 + exp(-d/172)), with two thirds of NASPA's acceleration.

    The ratings of the World English-Language Scrabble Players Association, as a comparator. Established: the curve, an
    acceleration of two thirds of what NASPA adds, long events rated whole, and one K whatever the rating (both bands
    begin where nobody is). Open, and so parameters that stand as NASPA has them: K itself (`k_low`, and `k_new_low`
    below `veteran_games`, here the same 20), the threshold of the acceleration, feedback, floor, rounding, and how
    newcomers get their first rating.
    """

    name: ClassVar[str] = "wespa"

    variant: str = "naspa-csw"
    slope: Number = 1 / 172
    k_new_low: Number = 20.0
    band_1: Number = 1e6
    band_2: Number = 1e6
    acceleration: Number = 2 / 3
    segments: bool = False
