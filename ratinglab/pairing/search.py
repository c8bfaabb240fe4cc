"""The search for a round's pairs from the top of a list, as the page of the 1998 CNSC describes it.

Everything here is about one tournament and whole numbers: entrants are 0 to n - 1, `order` lists those to be paired.
What the list is, and who is barred from whom, is said elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ratinglab.pairing.compiling import compiled
from ratinglab.periods import Bools, Ints

NOBODY = -1


def pair_halves(order: Ints, score: Ints, barred: Bools, both_ends: bool, most: int) -> tuple[Ints, Ints, int]:
    """Pairs of an even list: score group by score group, the upper half against the lower, stepping back where stuck.

    From the top, all who have the leader's `score` (n,), and the next one if they are odd, are cut into halves that
    meet in order. Where two are `barred` (n, n), the player one place below the ideal opponent is tried, then one
    above, two below, two above, and so on over all who are left, in the places of the list as it stood when the group
    was formed. Who is left over goes on to the next group. Where nobody is left for a player, the pair before is
    changed. `both_ends` takes groups from the top and from the bottom in turn (Thomas).

    Returns each entrant's opponent (n,), how many places from the ideal the opponent was (n,), and how many pairs were
    tried; the last is negative where there is no such pairing, or none was found within `most` trials.
    """
    return _pair_halves(_plain(order), _plain(score), _plain(barred), both_ends, most)


def pair_all(
    order: Ints, count: Ints, score: Ints, barred: Bools, both_ends: bool, most: int
) -> tuple[Ints, Ints, Ints]:
    """`pair_halves` of many tournaments: order (T, n) of which the first `count` (T,) are paired, barred (T, n, n)."""
    plain = (_plain(order), _plain(count), _plain(score), _plain(barred))
    return _pair_all(*plain, both_ends, most)


def _plain(array: Any) -> Any:
    """The array in order and writable, as one kind of array: for another kind the search would be compiled anew."""
    return np.require(array, requirements=["C", "W"])


@compiled
def _pair_halves(order: Ints, score: Ints, barred: Bools, both_ends: bool, most: int) -> tuple[Ints, Ints, int]:
    n, m = len(score), len(order)
    pairs = m // 2
    partner, away = np.full(n, -1, np.int64), np.zeros(n, np.int64)
    # of each step: the list its group was formed from, the group's half, the place of the upper player, the next
    # alternative to be tried
    lists = np.empty((pairs + 1, m), np.int64)
    size, half = np.zeros(pairs + 1, np.int64), np.zeros(pairs + 1, np.int64)
    upper, tried = np.zeros(pairs + 1, np.int64), np.zeros(pairs + 1, np.int64)
    lists[0] = order
    size[0], half[0] = m, _half(order, m, score)
    step, nodes = 0, 0
    while step < pairs:
        player = lists[step, upper[step]]
        ideal = half[step] + upper[step]
        found = False
        while tried[step] < 2 * size[step]:
            k = tried[step]
            tried[step] += 1
            place = ideal + (k + 1) // 2 if k % 2 else ideal - k // 2
            if place < 0 or place >= size[step] or place == upper[step]:
                continue
            other = lists[step, place]
            if partner[other] < 0 and not barred[player, other]:
                found = True
                break
        if not found:
            if step == 0:
                return partner, away, -nodes - 1
            step -= 1
            player = lists[step, upper[step]]
            partner[partner[player]] = -1
            partner[player] = -1
            continue
        nodes += 1
        if nodes > most:
            return partner, away, -nodes - 1
        partner[player], partner[other] = other, player
        away[player] = away[other] = abs(place - ideal)
        step += 1
        if step == pairs:
            break
        # the next of the group's upper half who has no opponent yet, else the next group
        next_upper = upper[step - 1] + 1
        while next_upper < half[step - 1] and partner[lists[step - 1, next_upper]] >= 0:
            next_upper += 1
        tried[step] = 0
        if next_upper < half[step - 1]:
            lists[step, : size[step - 1]] = lists[step - 1, : size[step - 1]]
            size[step], half[step], upper[step] = size[step - 1], half[step - 1], next_upper
        else:
            left = 0
            for at in range(size[step - 1]):
                if partner[lists[step - 1, at]] < 0:
                    lists[step, left] = lists[step - 1, at]
                    left += 1
            if both_ends:
                lists[step, :left] = lists[step, :left][::-1].copy()
            size[step], half[step], upper[step] = left, _half(lists[step], left, score), 0
    return partner, away, nodes


@compiled
def _half(listed: Ints, size: int, score: Ints) -> int:
    """Half of the group at the head of a list: who is level with the first, and the next one if they are odd."""
    level = 1
    while level < size and score[listed[level]] == score[listed[0]]:
        level += 1
    return (level + 1) // 2


@compiled
def _pair_all(
    order: Ints, count: Ints, score: Ints, barred: Bools, both_ends: bool, most: int
) -> tuple[Ints, Ints, Ints]:
    opponent, away = np.full(order.shape, -1, np.int64), np.zeros(order.shape, np.int64)
    nodes = np.zeros(len(order), np.int64)
    for t in range(len(order)):
        opponent[t], away[t], nodes[t] = _pair_halves(order[t, : count[t]], score[t], barred[t], both_ends, most)
    return opponent, away, nodes
