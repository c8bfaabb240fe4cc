"""What every pairing system is: a frozen dataclass of options, and a pure function from a standing to a round."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ratinglab.pairing.standing import NOBODY, Standing
from ratinglab.periods import Bools, Floats, Ints
from ratinglab.problems import UsageError

# What can give way, as bits of `Round.gave_way`, with the words that tables tell it in.
REPEAT, TEAM_MATE, FLOAT, COLOUR, ALTERNATION, BYE_AGAIN, HALVES, FALLBACK = (1 << i for i in range(8))
WORDS = {
    REPEAT: "met before",
    TEAM_MATE: "team-mates",
    FLOAT: "more than a point apart",
    COLOUR: "colours not equal",
    ALTERNATION: "colours not alternating",
    BYE_AGAIN: "a second bye",
    HALVES: "corresponding halves",
    FALLBACK: "search given up",
}


@dataclass(frozen=True)
class Round:
    """A round's pairs in T tournaments of n entrants, arrays (T, n) unless said otherwise.

    opponent: NOBODY where none; first: +1 goes first (or has White), -1 second, 0 left to the table; gave_way: the
    rules that gave way for this entrant, as bits; away: how many places of the list the opponent is from the ideal
    one. fallback (T,): the search was given up and the exact matching made the round.
    """

    opponent: Ints
    first: Ints
    gave_way: Ints
    away: Ints
    fallback: Bools


@dataclass(frozen=True)
class Pairing(ABC):
    """A pairing system: its fields are its options."""

    name: ClassVar[str]
    has_colours: ClassVar[bool] = False  # who goes first is told as White and Black

    @abstractmethod
    def pair(self, standing: Standing, rng: np.random.Generator) -> Round:
        """The round that comes next, for all who are here; nobody else is changed, and `rng` alone decides by chance.

        Everybody who is here has an opponent, but for one of an odd number. Only forbidden pairs are never made: where
        they leave somebody without an opponent, that one sits out too.
        """

    def first_round_chances(self, players: int) -> Floats | None:
        """How likely each seed meets each other in round 1 of an even field, (n, n); None: not known but by drawing."""
        return None

    def why(self, standing: Standing, made: Round, pair: tuple[int, int], names: Sequence[str]) -> list[str]:
        """Why these two of a round that was made (T = 1) meet, in sentences without a full stop, for the director.

        What holds for any system (points, earlier meetings, what gave way, first moves) is told elsewhere.
        """
        return []

    @property
    def label(self) -> str:
        """The name with the options that are not at their defaults: `cnsc:both_ends=True`."""
        own = [f for f in dataclasses.fields(self) if getattr(self, f.name) != f.default]
        told = [f"{f.name}={getattr(self, f.name)}" for f in own]
        return self.name + (":" + ",".join(told) if told else "")

    def options(self) -> dict[str, Any]:
        """The options by name."""
        return dataclasses.asdict(self)

    def one_of(self, name: str, words: tuple[str, ...]) -> None:
        """Raise `UsageError` unless the option is one of the words."""
        if getattr(self, name) not in words:
            raise UsageError(f"{self.name}: {name} must be one of {', '.join(words)}; found {getattr(self, name)}")


def told(gave_way: int) -> str:
    """The rules that gave way, in words, `;` between.

    >>> told(REPEAT | FLOAT)
    'met before;more than a point apart'
    """
    return ";".join(word for bit, word in WORDS.items() if gave_way & bit)


def sitting_out(standing: Standing, order: Ints) -> Ints:
    """Of each odd tournament who sits out, (T,), NOBODY of an even one: the last of `order` with the fewest byes.

    `order` (T, n) lists those who are here first.
    """
    count = standing.here.sum(axis=1)
    if not order.shape[1]:
        return np.full(len(order), NOBODY)
    place = np.arange(order.shape[1])[None, :]
    byes = np.take_along_axis(standing.byes, order, axis=1)
    there = place < count[:, None]
    fewest = np.where(there, byes, np.iinfo(np.int64).max).min(axis=1, initial=np.iinfo(np.int64).max)
    last = np.where(there & (byes == fewest[:, None]), place, -1).max(axis=1, initial=-1)
    chosen = np.take_along_axis(order, np.maximum(last, 0)[:, None], axis=1)[:, 0]
    return np.where(count % 2 == 1, chosen, NOBODY)


def what_gave_way(standing: Standing, opponent: Ints, *, limit: int = 0, teams: bool = True) -> Ints:
    """The bits of meetings beyond a limit, of team-mates who meet, and of second byes, (T, n)."""
    paired = opponent != NOBODY
    with_whom = np.maximum(opponent, 0)[:, :, None]
    met = np.take_along_axis(standing.met, with_whom, axis=2)[:, :, 0]
    gave_way = np.where(paired & (met > limit), REPEAT, 0)
    if teams and standing.field.has_teams:
        mates = np.take_along_axis(standing.field.team_mates, with_whom, axis=2)[:, :, 0]
        gave_way |= np.where(paired & mates, TEAM_MATE, 0)
    gave_way |= np.where(standing.here & ~paired & (standing.byes > 0), BYE_AGAIN, 0)
    return gave_way
