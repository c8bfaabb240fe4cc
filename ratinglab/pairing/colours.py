"""Who has White, or goes first: what colours cost when pairs are made, and who gets which when they are.

A first move is counted +1, a second -1, so that a balance is firsts less seconds. Nobody's colour is known where the
table draws it.
"""

from __future__ import annotations

import numpy as np

from ratinglab.pairing.standing import NOBODY, Standing, order_by, places
from ratinglab.periods import Ints


def last_colour(standing: Standing) -> Ints:
    """The colour of each entrant's last game that had one, (T, n); 0 before any."""
    last = np.zeros(standing.points.shape, dtype=np.int64)
    for played in range(standing.first.shape[2]):
        now = standing.first[:, :, played]
        last = np.where(now != 0, now, last)
    return last


def colour_costs(standing: Standing, t: int) -> tuple[Ints, Ints]:
    """What each pair of tournament `t` costs, (n, n): in balance, and in colours that do not alternate.

    The first is least where one has had as many more firsts as the other seconds: over a round it is half the sum of
    the squared balances after it, but for a constant. The second counts who gets the colour of his last game again
    when the balances have their way.
    """
    balance, last = standing.first_less_second[t], last_colour(standing)[t]
    apart = np.abs(balance[:, None] - balance[None, :])
    first = (last == 1)[:, None] * 1 + (last == -1)[None, :] * 1
    second = (last == -1)[:, None] * 1 + (last == 1)[None, :] * 1
    less, more = balance[:, None] < balance[None, :], balance[:, None] > balance[None, :]
    again = np.where(less, first, np.where(more, second, np.minimum(first, second)))
    return apart.max(initial=0) - apart, again


def due(standing: Standing, opponent: Ints, start: Ints) -> Ints:
    """Who has White, (T, n): +1, -1, 0 without an opponent.

    White goes to whoever has had it less often; then to whoever had Black last, or in the last game in which the two
    had different colours; then the higher-ranked changes colours. Who is without any colour yet has them by pairing
    numbers: 1, 3, 5 … that of `start` (T,), the drawn colour of number 1, whoever is absent.
    """
    other = np.maximum(opponent, 0)

    def theirs(of: Ints) -> Ints:
        return np.take_along_axis(of, other, axis=1)

    balance, last = standing.first_less_second, last_colour(standing)
    mine = np.sign(theirs(balance) - balance)
    histories = (last, *np.moveaxis(standing.first[:, :, ::-1], 2, 0))
    for colour in histories:
        mine = np.where(mine == 0, np.sign(theirs(colour) - colour), mine)
    by_number = np.where(np.arange(opponent.shape[1]) % 2 == 0, 1, -1)[None, :] * start[:, None]
    own = np.where(last != 0, -last, by_number)
    rank = places(order_by((standing.points, *standing.field.keys)))
    mine = np.where(mine == 0, np.where(rank < theirs(rank), own, -theirs(own)), mine)
    return np.where(opponent != NOBODY, mine, 0)


def balanced_firsts(standing: Standing, opponent: Ints, rng: np.random.Generator) -> Ints:
    """Who goes first, (T, n): whoever has the lower balance of firsts, by lot where the two are level."""
    mine = standing.first_less_second
    other = np.maximum(opponent, 0)
    theirs = np.take_along_axis(mine, other, axis=1)
    n = opponent.shape[1]
    lower = np.arange(n)[None, :] < other
    lot = rng.integers(0, 2, size=opponent.shape) * 2 - 1
    lot = np.where(lower, lot, -np.take_along_axis(lot, other, axis=1))
    goes = np.where(mine < theirs, 1, np.where(mine > theirs, -1, lot))
    return np.where(opponent != NOBODY, goes, 0)
