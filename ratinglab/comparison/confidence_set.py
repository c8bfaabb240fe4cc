"""Whether forecasters can be told apart: the Diebold–Mariano test of two, the model confidence set of several.

Both take losses summed per event, since games of one event are not independent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ratinglab.periods import Bools, Floats
from ratinglab.resampling import LEVEL, critical

_NOTHING = 1e-12  # a spread of values below this share of their size is rounding


class Outcome(NamedTuple):
    """A test's statistic and its two-sided p-value; nan where the events are too few or all alike."""

    statistic: float
    p: float


def lags(events: int) -> int:
    """Autocovariances that count in the long-run variance: ⌊4·(n/100)^(2/9)⌋, and at most a quarter of the events.

    Source: Newey and West, "Automatic lag selection in covariance matrix estimation", 1994, for the Bartlett kernel.
    """
    return min(int(4 * (events / 100) ** (2 / 9)), events // 4)


def diebold_mariano(differences: Floats) -> Outcome:
    """Whether the mean of `differences` (events,), of two forecasters' losses in time order, is other than 0.

    The mean over its standard error, whose long-run variance is γ₀ + 2·Σ (1 - k/(L + 1))·γₖ over L = `lags` (Newey and
    West, 1987), corrected for few observations as of h = L + 1 steps by √((n + 1 - 2h + h(h - 1)/n)/n) and held against
    Student's t with n - 1 degrees of freedom. Sources: Diebold and Mariano, "Comparing predictive accuracy", 1995;
    Harvey, Leybourne and Newbold, "Testing the equality of prediction mean squared errors", 1997.

    >>> tested = diebold_mariano(np.array([0.2, 0.1, 0.3]))
    >>> round(tested.statistic, 3), round(tested.p, 3)
    (3.464, 0.074)
    """
    from scipy.special import stdtr

    n = len(differences)
    if n < 2 or np.ptp(differences) <= _NOTHING * np.abs(differences).max():
        return Outcome(float("nan"), float("nan"))
    mean = differences.mean()
    around, most = differences - mean, lags(n)
    variance = around @ around / n
    for k in range(1, most + 1):
        variance += 2 * (1 - k / (most + 1)) * (around[k:] @ around[:-k]) / n
    steps = most + 1
    correction = np.sqrt((n + 1 - 2 * steps + steps * (steps - 1) / n) / n)
    statistic = float(mean / np.sqrt(variance / n) * correction)
    return Outcome(statistic, float(2 * stdtr(n - 1, -abs(statistic))))


def confidence_set(losses: Floats, games: Floats, draws: Floats, level: float = LEVEL) -> Bools:
    """Which forecasters (systems,) may be the best: the set that holds it with probability `level`.

    `losses` (events, systems) and `games` (events,) are sums per event; `draws` (resamples, events) the resampled
    weights, the same for all. While the forecasters left differ (T_max: the largest studentized distance of a mean loss
    from the mean of all that are left, against its resampled distribution), the worst is left out. Source: Hansen,
    Lunde and Nason, "The model confidence set", Econometrica 79, 2011; what is drawn anew here are events. Where these
    are few, resampled values lie too close together (`ratinglab.resampling.critical`) and are spread out by as much:
    else three events would leave out one of two equals in 3 of 10 histories. With fewer than two nobody is left out.

    >>> losses, games = np.array([[1.0, 1.1, 5.0], [2.0, 1.9, 6.0], [1.0, 1.2, 5.5]]), np.ones(3)
    >>> draws = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 2.0], [2.0, 0.0, 1.0], [1.0, 1.0, 1.0]])
    >>> confidence_set(losses, games, draws).tolist()
    [True, True, False]
    """
    kept = np.ones(losses.shape[1], dtype=bool)
    if len(games) < 2:
        return kept
    spread = critical(len(games), level=level) / critical(np.inf, level=level)
    means = losses.sum(axis=0) / games.sum()
    resampled = (draws @ losses) / (draws @ games)[:, None]
    while kept.sum() > 1:
        left = np.flatnonzero(kept)
        distance = means[left] - means[left].mean()
        scatter = resampled[:, left] - resampled[:, left].mean(axis=1, keepdims=True) - distance
        error = np.sqrt(np.square(scatter).mean(axis=0))
        # systems that differ by nothing, or by the same in every event, have no error to be measured by
        none = error <= _NOTHING * np.abs(means[left]).max()
        distance = np.where(np.abs(distance) <= _NOTHING * np.abs(means[left]).max(), 0.0, distance)
        safe = np.where(none, 1.0, error)
        studentized = np.where(none & (distance != 0), np.copysign(np.inf, distance), distance / safe)
        most = studentized.max()
        by_chance = spread * np.where(none, 0.0, scatter / safe).max(axis=1)
        # equality counts as chance: where all are alike nobody is left out
        if (by_chance >= most).mean() >= 1 - level:
            break
        kept[left[np.argmax(studentized)]] = False
    return kept
