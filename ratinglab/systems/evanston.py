"""The local scholastic chess rating of Evanston: the US Chess formulas without a floor, started by school grade.

Source: "How players are seeded, rated and paired at Evanston Scholastic Chess tournaments". The page says that its
formula is very similar to that of US Chess, on the same scale, and that ratings may be negative; it prints no
constants, so everything else is a parameter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ratinglab.systems.base import Number
from ratinglab.systems.uscf import Uscf


@dataclass(frozen=True)
class Evanston(Uscf):
    """R' = R + K(S - E) + bonus as US Chess, without a floor, so that ratings may be negative.

    No floor holds, so that ratings go below 0. A newcomer starts at 100 a grade, kindergarten at 0, and at
    `unknown_initial` where the grade is not known (400: the middle of the sections' grades). `k` is US Chess's rule,
    or points. The event's date changes the bonus threshold alone; no event is dual-rated.
    """

    name: ClassVar[str] = "evanston"

    initial: str | Number = "grade"
    unknown_initial: Number = 400.0
    dual: str = "none"
    rules: str = "current"
    floors: bool = False
