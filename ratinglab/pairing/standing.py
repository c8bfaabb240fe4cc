"""What a pairing system sees: who plays, and how they stand before a round, in many tournaments at once.

Arrays begin with T, the number of tournaments of one size: a real event is T = 1, a simulation thousands. Entrants are
0 to n - 1 in the order of their pairing numbers. Points are counted in halves, so that they are whole numbers: a win 2,
a tie 1. Nothing here is changed in place: `Standing.after` gives the standing before the next round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ratinglab.periods import Bools, Floats, Ints

NOBODY = -1  # instead of an opponent: a bye, an absence
NO_TEAM = -1


@dataclass(frozen=True)
class Field:
    """Who plays, in T tournaments of n entrants.

    rating (T, n): what they are ranked by before play; unrated: nan, ranked last. earlier (T, n, m): ratings on earlier
    lists, the latest first, which break ties month by month. lot (T, n): whole numbers drawn for who is level in all.
    team (T, n): who shares a number is on one team (or of one school), NO_TEAM where alone. together (T, n, n): further
    pairs of one school, where somebody is of two. forbidden (T, n, n): pairs that are not to be made, whatever else has
    to give way.
    """

    rating: Floats
    lot: Ints
    earlier: Floats | None = None
    team: Ints | None = None
    forbidden: Bools | None = None
    together: Bools | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """(T, n)."""
        tournaments, entrants = self.rating.shape
        return tournaments, entrants

    @cached_property
    def keys(self) -> tuple[Floats | Ints, ...]:
        """What ranks entrants before play, the most important first, the higher the better; the lot decides last."""
        rating = np.nan_to_num(self.rating, nan=-np.inf)
        earlier = () if self.earlier is None else tuple(np.moveaxis(np.nan_to_num(self.earlier, nan=-np.inf), 2, 0))
        return (rating, *earlier, self.lot)

    @cached_property
    def seed(self) -> Ints:
        """The place of each entrant in the ranking before play, 0 the highest, (T, n)."""
        return places(order_by(self.keys))

    @cached_property
    def team_mates(self) -> Bools:
        """Who is on one team with whom, (T, n, n); nobody with himself."""
        t, n = self.shape
        same: Bools = np.zeros((t, n, n), dtype=bool)
        if self.team is not None:
            same = (self.team[:, :, None] == self.team[:, None, :]) & (self.team[:, :, None] != NO_TEAM)
        if self.together is not None:
            same = same | self.together | self.together.transpose(0, 2, 1)
        return same & ~np.eye(n, dtype=bool)

    @property
    def has_teams(self) -> bool:
        """Whether anything is known of who is on one team."""
        return self.team is not None or self.together is not None

    @cached_property
    def barred(self) -> Bools:
        """Whom nobody may meet in any event: himself, and forbidden pairs, (T, n, n)."""
        t, n = self.shape
        oneself = np.broadcast_to(np.eye(n, dtype=bool), (t, n, n))
        if self.forbidden is None:
            return oneself
        barred: Bools = oneself | self.forbidden | self.forbidden.transpose(0, 2, 1)
        return barred


@dataclass(frozen=True)
class Standing:
    """How T tournaments stand before `round` (from 1) of `rounds`; what was played is (T, n, round - 1).

    points (T, n) in halves, byes and forfeits as they were credited; spread (T, n). opponent: NOBODY where none;
    result: own points of the round in halves, -1 where none. first: +1 went first (or had White), -1 second, 0 not
    known. bye: sat out for want of an opponent, which is a turn that nobody should have twice. here (T, n): who is to
    be paired now. Who forfeited to an opponent has met him.
    """

    field: Field
    round: int
    rounds: int
    points: Ints
    spread: Floats
    opponent: Ints
    result: Ints
    first: Ints
    bye: Bools
    here: Bools
    met: Any = dataclass_field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Count the meetings, where that was not done before."""
        if self.met is None:
            t, n = self.field.shape
            met = np.zeros((t, n, n), dtype=np.int16)
            for played in range(self.opponent.shape[2]):
                met = _and_met(met, self.opponent[:, :, played])
            object.__setattr__(self, "met", met)

    @classmethod
    def start(cls, of: Field, rounds: int, here: Bools | None = None) -> Standing:
        """Before the first round."""
        t, n = of.shape
        nothing = np.zeros((t, n, 0), dtype=np.int64)
        everybody = np.ones((t, n), dtype=bool)
        return cls(
            of, 1, rounds, np.zeros((t, n), dtype=np.int64), np.zeros((t, n)),
            nothing, nothing, nothing, nothing.astype(bool), everybody if here is None else here,
        )  # fmt: skip

    def after(
        self,
        opponent: Ints,
        result: Ints,
        spread: Floats,
        *,
        first: Ints | None = None,
        bye: Bools | None = None,
        here: Bools | None = None,
    ) -> Standing:
        """The standing before the next round: everything (T, n), as each entrant sees it; `bye` as paired by default.

        By default everybody who is here sat out if there was no opponent, and stays.
        """
        nothing = np.zeros(opponent.shape, dtype=np.int64)
        sat_out = (opponent == NOBODY) & self.here if bye is None else bye

        def more(before: Any, now: Any) -> Any:
            return np.concatenate([before, now[:, :, None]], axis=2)

        return replace(
            self,
            round=self.round + 1,
            points=self.points + np.maximum(result, 0),
            spread=self.spread + spread,
            opponent=more(self.opponent, opponent),
            result=more(self.result, result),
            first=more(self.first, nothing if first is None else first),
            bye=more(self.bye, sat_out),
            here=self.here if here is None else here,
            met=_and_met(self.met, opponent),
        )

    @cached_property
    def byes(self) -> Ints:
        """How often each entrant sat out, (T, n)."""
        byes: Ints = self.bye.sum(axis=2)
        return byes

    @cached_property
    def first_less_second(self) -> Ints:
        """How much oftener each entrant went first (or had White) than second, (T, n)."""
        balance: Ints = self.first.sum(axis=2)
        return balance

    def tow(self, *, once: bool = False, weights: Floats | None = None) -> Floats:
        """Total opponent wins, (T, n): the points that all one's opponents have now, in wins, ties ½.

        Who was met twice counts twice, or with `once` a single time; byes add nothing. `weights` (rounds,) weigh the
        games. Source: "1998 CNSC Pairings".
        """
        wins = self.points / 2
        padded = np.concatenate([wins, np.zeros((len(wins), 1))], axis=1)  # NOBODY is the last of them
        if once and weights is None:
            met: Floats = ((self.met > 0) * wins[:, None, :]).sum(axis=2)
            return met
        opponent = self.opponent
        each = np.take_along_axis(padded, opponent.reshape(len(wins), -1), axis=1).reshape(opponent.shape)
        if once:
            again = np.zeros(opponent.shape, dtype=bool)
            for r in range(1, opponent.shape[2]):
                again[:, :, r] = (opponent[:, :, :r] == opponent[:, :, r : r + 1]).any(axis=2)
            each = np.where(again, 0.0, each)
        total: Floats = (each if weights is None else each * weights[: opponent.shape[2]]).sum(axis=2)
        return total


def _and_met(met: npt.NDArray[np.int16], opponent: Ints) -> npt.NDArray[np.int16]:
    """The meetings (T, n, n) with those of one more round, opponent (T, n)."""
    more = met.copy()
    tournament, entrant = np.nonzero(opponent != NOBODY)
    more[tournament, entrant, opponent[tournament, entrant]] += 1
    return more


def order_by(keys: tuple[Any, ...]) -> Ints:
    """Entrants in order, (T, n): the highest first, by the first key, then the next …"""
    ordered: Ints = np.lexsort(tuple(-np.asarray(key, dtype=float) for key in reversed(keys)), axis=1)
    return ordered


def places(order: Ints) -> Ints:
    """The place of each entrant in an order (T, n)."""
    at = np.empty_like(order)
    np.put_along_axis(at, order, np.broadcast_to(np.arange(order.shape[1]), order.shape), axis=1)
    return at
