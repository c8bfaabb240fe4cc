"""The exact matching of least cost: the reference for every search, and what it falls back to.

Source: Edmonds, "Paths, trees, and flowers", 1965; Galil, "Efficient algorithms for finding maximum matching in
graphs", 1986. The matching itself is rustworkx's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ratinglab.pairing.standing import NOBODY
from ratinglab.periods import Bools, Ints

# what the matching's whole numbers of 128 bits hold, with room for its own sums
_MOST_BITS = 120


def least_cost(cost: npt.NDArray[Any], barred: Bools) -> Ints:
    """Each entrant's opponent (n,) in the matching of most pairs and, of these, least total cost.

    `cost` (n, n) are whole numbers of 0 or more, `barred` (n, n) pairs that cannot be; who has no opponent has NOBODY.
    Equal costs are broken by the lower numbers' order in a way that depends on the costs alone.

    >>> least_cost(np.array([[0, 1, 9, 9], [1, 0, 9, 9], [9, 9, 0, 1], [9, 9, 1, 0]]), np.eye(4, dtype=bool)).tolist()
    [1, 0, 3, 2]
    """
    import rustworkx

    n = len(cost)
    partner = np.full(n, NOBODY, dtype=np.int64)
    one, other = np.triu_indices(n, 1)
    allowed = ~(barred | barred.T)[one, other]
    one, other = one[allowed], other[allowed]
    if not len(one):
        return partner
    costs = cost[one, other]
    weights = int(costs.max()) + 1 - costs
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(n))
    graph.add_edges_from(list(zip(one.tolist(), other.tolist(), weights.tolist(), strict=True)))
    for a, b in rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int):
        partner[a], partner[b] = b, a
    return partner


def in_order(*costs: Ints) -> npt.NDArray[Any]:
    """One cost that puts the first of several (n, n) before the second, and so on, whatever the sums.

    Each later cost is scaled so that a whole pairing of it weighs less than one of the next before. Beyond 64 bits the
    result holds Python's whole numbers. Raises `OverflowError` where that is more than the matching can weigh.

    >>> one = np.array([[0, 1], [1, 0]])
    >>> in_order(one, 3 * one).tolist()
    [[0, 7], [7, 0]]
    """
    rooms = [_room(cost) for cost in costs]
    bits = math.prod(rooms).bit_length()
    if bits > _MOST_BITS:
        raise OverflowError(f"these costs take {bits} bits, and a matching weighs {_MOST_BITS}")
    # as many of them together as 64 bits hold, since Python's numbers are slow
    blocks: list[tuple[Ints, int]] = []
    for cost, room in zip(costs, rooms, strict=True):
        if blocks and (blocks[-1][1] * room).bit_length() < 63:
            before, space = blocks.pop()
            blocks.append((before * room + cost, space * room))
        else:
            blocks.append((cost, room))
    total: npt.NDArray[Any] = blocks[0][0]
    for block, room in blocks[1:]:
        total = total.astype(object) * room + block
    return total


def least_in_order(costs: Sequence[Ints], barred: Bools) -> Ints:
    """The matching (n,) of `least_cost` by costs (n, n) in the order of their importance, however many they are.

    Where they are too many to be weighed at once, those that come first are, and what comes to nothing among them is
    barred instead of weighed. Costs that still do not fit, in fields of a thousand or so, are left out from the last.
    """
    weighed = [cost for cost in costs if cost.any()]
    while True:
        fitting = len(weighed)
        while math.prod(map(_room, weighed[:fitting])).bit_length() > _MOST_BITS:
            fitting -= 1
        none = np.zeros(barred.shape, dtype=np.int64)
        made = least_cost(in_order(*weighed[:fitting]) if fitting else none, barred)
        paired = np.flatnonzero(made != NOBODY)
        nothing = [not cost[paired, made[paired]].any() for cost in weighed[:fitting]]
        if fitting == len(weighed) or not any(nothing):
            return made
        for cost, spared in zip(weighed, nothing, strict=False):
            if spared:
                barred = barred | (cost > 0)
        weighed = [cost for i, cost in enumerate(weighed) if i >= fitting or not nothing[i]]


def _room(cost: Ints) -> int:
    """One more than a whole pairing can come to."""
    return int(cost.max(initial=0)) * max(1, len(cost) // 2) + 1
