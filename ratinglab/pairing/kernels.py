"""The loops of the pairing search, compiled where numba is installed; see `search` for what they do.

This is imported only when a search is called for, since importing numba costs more than everything else here.
"""

from __future__ import annotations

import numpy as np

from ratinglab.pairing.compiling import compiled
from ratinglab.periods import Bools, Ints


@compiled
def pair_halves(order: Ints, score: Ints, barred: Bools, both_ends: bool, most: int) -> tuple[Ints, Ints, int]:
    """`search.pair_halves`, of plain arrays."""
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
def pair_all(
    order: Ints, count: Ints, score: Ints, barred: Bools, both_ends: bool, most: int
) -> tuple[Ints, Ints, Ints]:
    """`search.pair_all`, of plain arrays."""
    opponent, away = np.full(order.shape, -1, np.int64), np.zeros(order.shape, np.int64)
    nodes = np.zeros(len(order), np.int64)
    for t in range(len(order)):
        opponent[t], away[t], nodes[t] = pair_halves(order[t, : count[t]], score[t], barred[t], both_ends, most)
    return opponent, away, nodes
