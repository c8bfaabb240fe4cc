"""What a place in a Diplomacy event is worth: its percentile score, and the value of the tournament.

Source: the World Diplomacy Database's page of the Dip Pouch Tournament Rating (Matt Shields), the description above the
ranking. The reader of its pages compares the printed figures with these; the rating system moves ratings by them. What
depends on the year (no value before 2001, a rolling window) is the system's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

FIRST_YEAR = 2001  # of tournaments with a value, the World Championships apart
WORLDS_VALUE = 20.0
MOST_VALUE = 15.0  # of any other tournament


def percentile(place: ArrayLike, of: ArrayLike) -> NDArray[np.float64]:
    """The percentile score, 0 to 100, of `place` among `of` players; shapes broadcast, nan where either is nan.

    Players who tie have the best place of the tie, all of them.

    >>> percentile([1, 8], 65).round(2).tolist()
    [99.23, 88.46]
    """
    players = np.asarray(of, dtype=np.float64)
    return np.asarray(100 * (players + 0.5 - np.asarray(place, dtype=np.float64)) / players)


def tournament_value(
    players: ArrayLike,
    rounds: ArrayLike,
    worlds: ArrayLike,
    *,
    base: ArrayLike = 2.0,
    one_round: ArrayLike = 7.0,
    more_rounds: ArrayLike = 3.5,
    most: ArrayLike = MOST_VALUE,
    of_worlds: ArrayLike = WORLDS_VALUE,
) -> NDArray[np.float64]:
    """The value of a tournament: the percentage of the way to their percentile score that it moves ratings.

    `players` is the number of entrants by the event's header, `worlds` whether it was the World Championship, whose
    value `of_worlds` is the same whatever its size. Otherwise it is `base` and 1 for every `one_round` players, or for
    every `more_rounds` players with more than one round, and not above `most`. Shapes broadcast; nan where players or
    rounds are nan (not known) and matter: of 91 players or more the limit holds either way.

    >>> tournament_value([65, 65, 36, 70], [1, 3, 3, 6], [False, False, False, True]).round(2).tolist()
    [11.29, 15.0, 12.29, 20.0]
    """
    rounds, players = np.asarray(rounds, dtype=np.float64), np.asarray(players, dtype=np.float64)
    one, more = (np.minimum(players / np.asarray(each) + base, most) for each in (one_round, more_rounds))
    unknown = np.where(one == more, one, np.nan)
    value = np.where(np.isnan(rounds), unknown, np.where(rounds <= 1, one, more))
    return np.where(np.asarray(worlds, dtype=bool), of_worlds, value)
