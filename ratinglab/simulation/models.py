"""How the games of a simulated event come out: models from true strengths to results and spreads.

Every entrant brings a standard normal number to each round, the same whoever the opponent is, so that pairing systems
can be held against each other on the same luck; the luck of a game is the scaled difference of its two numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import log
from typing import ClassVar

import numpy as np

from ratinglab.choosing import make, named, number
from ratinglab.periods import Floats, Ints
from ratinglab.problems import UsageError
from ratinglab.systems.elo import logistic

NASPA_SLOPE = 0.0031879


@dataclass(frozen=True)
class Model(ABC):
    """A model of games. Its numbers are its parameters."""

    name: ClassVar[str]
    has_spread: ClassVar[bool] = False
    first_counts: ClassVar[bool] = False  # whether going first is worth anything

    @abstractmethod
    def play(self, difference: Floats, first: Ints, luck: Floats) -> tuple[Ints, Floats]:
        """Points in halves and spreads of games, any shape, as one side sees them.

        `difference` is that side's true strength less the opponent's, `first` +1 where it goes first and -1 where
        second, `luck` a standard normal number. Seen from the other side all three have the other sign, and so has
        the spread; the points are 2 less these.
        """

    @abstractmethod
    def win(self, difference: Floats) -> Floats:
        """The expected points of a game in wins, a tie ½, at a difference in strength, nobody known to go first."""


@dataclass(frozen=True)
class Spreads(Model):
    """Spreads are normal around difference/b with standard deviation tau, in whole points; the higher score wins.

    Source: the model of Glixo, "2012 NSSC", Technical Details.
    """

    name: ClassVar[str] = "glixo"
    has_spread: ClassVar[bool] = True

    b: float = 5.0
    tau: float = 90.0

    def __post_init__(self) -> None:
        """Both scales are above 0."""
        if not (self.b > 0 and self.tau > 0):
            raise UsageError(f"glixo: b and tau must be above 0; found {self.b:g} and {self.tau:g}")

    def play(self, difference: Floats, first: Ints, luck: Floats) -> tuple[Ints, Floats]:
        spread = np.rint(difference / self.b + self.tau * luck)
        return 1 + np.sign(spread).astype(np.int64), spread

    def win(self, difference: Floats) -> Floats:
        from scipy.special import ndtr

        won: Floats = ndtr(difference / (self.b * self.tau))
        return won


@dataclass(frozen=True)
class Curve(Model):
    """Wins alone, with the probability of NASPA's curve; no spreads, no ties.

    Source: NASPA, "Rating system overview".
    """

    name: ClassVar[str] = "naspa"

    slope: float = NASPA_SLOPE

    def play(self, difference: Floats, first: Ints, luck: Floats) -> tuple[Ints, Floats]:
        from scipy.special import ndtr

        won = ndtr(luck) > 1 - self.win(difference)
        return 2 * won.astype(np.int64), np.zeros(np.shape(luck))

    def win(self, difference: Floats) -> Floats:
        return logistic(np.asarray(difference, dtype=float), self.slope)


@dataclass(frozen=True)
class Chess(Model):
    """Elo's curve at 400, `first` rating points for White, and draws: two equals draw with the probability `draw`.

    A draw has the probability draw·2·min(E, 1 - E) at an expected score of E, so that E holds whatever the draws.
    """

    name: ClassVar[str] = "chess"
    first_counts: ClassVar[bool] = True

    draw: float = 0.3
    first: float = 35.0

    def __post_init__(self) -> None:
        """A probability."""
        if not 0 <= self.draw <= 1:
            raise UsageError(f"chess: draw is a probability; found {self.draw:g}")

    def play(self, difference: Floats, first: Ints, luck: Floats) -> tuple[Ints, Floats]:
        from scipy.special import ndtr

        expected = logistic(difference + self.first * first, log(10) / 400)
        drawn = self.draw * 2 * np.minimum(expected, 1 - expected)
        place = ndtr(luck)  # from the bottom: lost, drawn, won
        points = (place > 1 - expected - drawn / 2).astype(np.int64) + (place > 1 - expected + drawn / 2)
        return points, np.zeros(np.shape(luck))

    def win(self, difference: Floats) -> Floats:
        slope = log(10) / 400
        white, black = logistic(difference + self.first, slope), logistic(difference - self.first, slope)
        return (white + black) / 2


MODELS: dict[str, type[Model]] = {model.name: model for model in (Spreads, Curve, Chess)}


def parse_model(text: str) -> Model:
    """The model that `glixo:b=5,tau=90` names; raises `UsageError` naming the known ones.

    >>> parse_model("chess:draw=.2").draw
    0.2
    """
    name, chosen = named(text)
    return make(
        "model", "parameter", name, chosen, MODELS, {}, lambda kind, field, text: number(name, field.name, text)
    )
