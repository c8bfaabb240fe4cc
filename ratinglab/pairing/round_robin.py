"""A round robin: everybody meets everybody once before anybody meets twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ratinglab.pairing.base import Pairing, Round, what_gave_way
from ratinglab.pairing.exact import Cost, exact_round, meetings
from ratinglab.pairing.standing import NOBODY, Standing
from ratinglab.periods import Ints


@dataclass(frozen=True)
class RoundRobin(Pairing):
    """The circle method by pairing numbers: in n - 1 rounds (n of an odd field) each has met all others, once.

    Then it begins again with first moves exchanged. Nobody's firsts and seconds differ by more than one over a whole
    cycle, and they are equal over two, or in an odd field over one. Where somebody is absent or came late, so that the
    table cannot be kept, those who are left over meet each other: whom they have met least often, then by the table as
    far as it goes. `gave_way` tells of meetings beyond one for each cycle begun.
    """

    name: ClassVar[str] = "round-robin"

    def pair(self, standing: Standing, rng: np.random.Generator) -> Round:
        t, n = standing.field.shape
        table = scheduled(n, standing.round)
        opponent = np.tile(table, (t, 1))
        cycle = n - 1 + n % 2
        due = (standing.round - 1) // max(1, cycle)
        met = np.take_along_axis(standing.met, np.maximum(opponent, 0)[:, :, None], axis=2)[:, :, 0]
        barred = np.take_along_axis(standing.field.barred, np.maximum(opponent, 0)[:, :, None], axis=2)[:, :, 0]
        fewest = np.where(standing.here, standing.byes, standing.round).min(axis=1, initial=standing.round)
        own_turn = standing.byes == fewest[:, None]
        kept = standing.here & np.where(opponent == NOBODY, own_turn, (met == due) & ~barred)
        for at in np.flatnonzero(~kept.all(axis=1)).tolist():
            off = np.ones((n, n), dtype=np.int64)
            paired = np.flatnonzero(table != NOBODY)
            off[paired, table[paired]] = 0
            sits = np.where(table == NOBODY, 0, 1)
            opponent[at] = exact_round(
                standing, at, *meetings(standing, at, due), meetings(standing, at)[1], Cost(off, sits)
            )
        gave_way = what_gave_way(standing, opponent, limit=due, teams=False)
        return Round(opponent, _firsts(standing, opponent), gave_way, np.zeros_like(opponent), np.zeros(t, dtype=bool))

    def why(self, standing: Standing, made: Round, pair: tuple[int, int], names: Sequence[str]) -> list[str]:
        if scheduled(standing.field.shape[1], standing.round)[pair[0]] == pair[1]:
            return [f"by the table of the round robin for round {standing.round}"]
        return ["not by the table: somebody is absent or came late, and those left over meet each other"]


def scheduled(n: int, round_: int) -> Ints:
    """Each number's opponent (n,) in a round (from 1) of the circle method; NOBODY for the one who sits out.

    Numbers 0 to m - 2 of an even m meet where they add up to the round's number modulo m - 1; the last number meets
    the one who would meet himself. Source: the tables named for Berger.

    >>> scheduled(4, 1).tolist()
    [3, 2, 1, 0]
    """
    m = n + n % 2
    if m < 2:
        return np.full(n, NOBODY, dtype=np.int64)
    number = np.arange(m)
    other = (round_ - 1 - number) % (m - 1)
    alone = int(np.flatnonzero(other[: m - 1] == number[: m - 1])[0])
    other[alone], other[m - 1] = m - 1, alone
    return np.where(other[:n] < n, other[:n], NOBODY).astype(np.int64)


def _firsts(standing: Standing, opponent: Ints) -> Ints:
    """Who goes first, (T, n): by the tables for Berger, exchanged each time that two meet again."""
    n = opponent.shape[1]
    last = n + n % 2 - 1
    me, other = np.arange(n)[None, :], np.maximum(opponent, 0)
    lower = np.minimum(me, other)
    goes = np.where((me + other) % 2 == 1, me < other, me > other)
    # the last number goes second against the lower half, first against the upper
    against_last = np.maximum(me, other) == last
    goes = np.where(against_last, (lower <= (last - 1) // 2) == (me == lower), goes)
    met = np.take_along_axis(standing.met, other[:, :, None], axis=2)[:, :, 0]
    return np.where(opponent == NOBODY, 0, np.where(goes ^ (met % 2 == 1), 1, -1))
