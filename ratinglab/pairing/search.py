"""The search for a round's pairs from the top of a list, as the page of the 1998 CNSC describes it.

Everything here is about one tournament and whole numbers: entrants are 0 to n - 1, `order` lists those to be paired.
What the list is, and who is barred from whom, is said elsewhere. The loops themselves are in `kernels`, whose compiler
takes longer to import than all the rest together: it is, when the first round is searched.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ratinglab.periods import Bools, Ints


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
    from ratinglab.pairing import kernels

    made: tuple[Ints, Ints, int] = kernels.pair_halves(_plain(order), _plain(score), _plain(barred), both_ends, most)
    return made


def pair_all(
    order: Ints, count: Ints, score: Ints, barred: Bools, both_ends: bool, most: int
) -> tuple[Ints, Ints, Ints]:
    """`pair_halves` of many tournaments: order (T, n) of which the first `count` (T,) are paired, barred (T, n, n)."""
    from ratinglab.pairing import kernels

    plain = (_plain(order), _plain(count), _plain(score), _plain(barred))
    return kernels.pair_all(*plain, both_ends, most)


def _plain(array: Any) -> Any:
    """The array in order and writable, as one kind of array: for another kind the search would be compiled anew."""
    return np.require(array, requirements=["C", "W"])
