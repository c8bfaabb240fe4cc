"""A round of one tournament by exact matching: costs in the order of their importance, the bye among them.

In an odd field the bye is one more entrant whom everybody may meet, so that who sits out and who meets whom is decided
together: a bye that would leave somebody without a legal opponent costs what it costs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ratinglab.pairing.matching import least_in_order
from ratinglab.pairing.search import pair_halves
from ratinglab.pairing.standing import NOBODY, Standing, places
from ratinglab.periods import Bools, Ints


class Cost(NamedTuple):
    """What a pair costs, (n, n), and what it costs that somebody sits out, (n,); either may cost nothing."""

    pair: Ints | None = None
    bye: Ints | None = None


def exact_round(standing: Standing, t: int, *costs: Cost, without: int = NOBODY) -> Ints:
    """Of tournament `t` the opponents (n,) of least cost among those who are here, but for `without`.

    Forbidden pairs are never made. As many as possible are paired; who is not has had the fewest byes; then the costs
    decide, the first before the second and so on.
    """
    n = standing.field.shape[1]
    here = np.flatnonzero(standing.here[t] & (np.arange(n) != without))
    opponent = np.full(n, NOBODY, dtype=np.int64)
    if len(here) < 2:
        return opponent
    both = np.ix_(here, here)
    odd = len(here) % 2
    barred = np.zeros((len(here) + odd, len(here) + odd), dtype=bool)
    barred[: len(here), : len(here)] = standing.field.barred[t][both]
    byes = standing.byes[t]
    # a pair spares both the bye, so the least that is not spared is the fewest byes of those left over
    spared = byes[here].max(initial=0)
    saved = np.zeros((n, n), dtype=np.int64) + 2 * spared - byes[:, None] - byes[None, :]
    levels = []
    for pair, bye in (Cost(saved, np.full(n, 2 * spared)), *costs):
        level = np.zeros(barred.shape, dtype=np.int64)
        if pair is not None:
            level[: len(here), : len(here)] = pair[both]
        if bye is not None and odd:
            level[-1, :-1] = level[:-1, -1] = bye[here]
        levels.append(level)
    made = least_in_order(levels, barred)
    paired = [(a, b) for a, b in enumerate(made.tolist()) if b != NOBODY and max(a, b) < len(here)]
    for a, b in paired:
        opponent[here[a]] = here[b]
    return opponent


def out_of(standing: Standing, t: int, opponent: Ints) -> int:
    """Who sits out, the only one or the first of several, NOBODY where nobody does."""
    alone = np.flatnonzero(standing.here[t] & (opponent == NOBODY))
    return int(alone[0]) if len(alone) else NOBODY


def meetings(standing: Standing, t: int, limit: int = 0) -> tuple[Cost, Cost]:
    """What meetings beyond a limit cost: first how many pairs have had them, then how many they have had."""
    beyond = np.maximum(standing.met[t] - limit, 0)
    return Cost((beyond > 0).astype(np.int64)), Cost(beyond)


def near_ideal(
    standing: Standing,
    t: int,
    order: Ints,
    group: Ints,
    *costs: Cost,
    both_ends: bool = False,
) -> tuple[Ints, Ints]:
    """Of tournament `t` the opponents (n,) of least cost, as near as can be to those of the list, and how far each is.

    `order` (n,) is the list, those who are here first, `group` (n,) their score groups; the ideal opponents are those
    of `pair_halves` when nobody is barred. In an odd field the last of the list sits out for whom the costs are least.
    """
    n = len(order)
    place = places(order[None, :])[0]
    out = NOBODY
    if standing.here[t].sum() % 2:
        out = out_of(standing, t, exact_round(standing, t, *costs, Cost(bye=n - 1 - place)))
    listed = order[standing.here[t][order] & (order != out)]
    nobody_barred = np.eye(n, dtype=bool)
    ideal, _, _ = pair_halves(listed, group, nobody_barred, both_ends, n)
    wanted = np.where(ideal >= 0, place[ideal], place)
    off = np.abs(place[None, :] - wanted[:, None])
    off = off + off.T
    opponent = exact_round(standing, t, *costs, Cost(off), without=out)
    away = np.zeros(n, dtype=np.int64)
    paired = np.flatnonzero(opponent != NOBODY)
    away[paired] = off[paired, opponent[paired]] // 2
    return opponent, away


def upper_against_lower(
    barred: Bools, before: tuple[Ints, ...], between: tuple[Ints, ...] = (), after: tuple[Ints, ...] = ()
) -> Ints:
    """The opponents (m,) of a group of even size in order of rank: upper half against lower, in order if it can be.

    `before` (m, m) are costs that come before the halves, `between` those that decide which of the other half one
    meets; then all together are as few places from their corresponding opponents as possible, and what comes `after`
    decides between pairings that are level in that. Leaving the halves is further from the ideal than any opponent of
    the other half.
    """
    m = len(barred)
    if m == 0:
        return np.zeros(0, dtype=np.int64)
    half = m // 2
    place = np.arange(m)
    ideal = np.where(place < half, place + half, place - half)
    one, other = place[:half], ideal[:half]
    pairs = ~np.eye(m, dtype=bool)
    # no matching is needed where no pairs at all would cost less than the corresponding ones
    if not barred[one, other].any() and all(
        cost[one, other].max() == cost[pairs].min() for cost in (*before, *between, *after)
    ):
        return ideal
    same = ((place < half)[:, None] == (place < half)[None, :]).astype(np.int64)
    off = np.abs(place[None, :] - ideal[:, None])
    return least_in_order((*before, same, *between, (off + off.T) // 2, *after), barred)
