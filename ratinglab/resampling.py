"""How sure a figure is: by drawing events anew.

Games of one event are not independent, so what is resampled are **events**: the sums that a figure is made of are kept
per event, and a resample draws as many events as there are, with replacement. Source: Efron and Tibshirani, An
Introduction to the Bootstrap, 1993, chapters 6 and 13. With few events percentile intervals are too short; how much:
Hesterberg, "What teachers should know about the bootstrap", The American Statistician 69, 2015 (the expanded
percentile interval).
"""

from __future__ import annotations

import math

import numpy as np

from ratinglab.periods import Floats

RESAMPLES = 1000
LEVEL = 0.95  # of every interval
FEW = 10  # events below which resampled intervals are rough, mostly too short


def event_draws(events: int, seed: int, resamples: int = RESAMPLES) -> Floats:
    """How often each event is drawn in each resample, (resamples, events)."""
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, max(1, events), size=(resamples, events))
    offsets = np.arange(resamples)[:, None] * events
    return np.bincount((picks + offsets).ravel(), minlength=resamples * events).reshape(resamples, events).astype(float)


def standard_error(values: Floats) -> float:
    """The standard deviation of resampled values; nan where there are not two different resamples to speak of."""
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) if len(known) > 1 and np.ptp(known) > 0 else float("nan")


def interval(values: Floats, level: float = LEVEL) -> tuple[float, float]:
    """The interval that holds the share `level` of resampled values, as much beyond either end; nan as above.

    >>> [round(end, 9) for end in interval(np.arange(201.0))]
    [5.0, 195.0]
    """
    known = values[~np.isnan(values)]
    if len(known) < 2 or np.ptp(known) == 0:
        return float("nan"), float("nan")
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


# --- few events ---------------------------------------------------------------------------------------------------


def expanded(events: int, effective: float | None = None, level: float = LEVEL) -> float:
    """The level at which a percentile interval of few events holds the truth as often as `level` says.

    Resampled values vary as the events do about their own mean, less than about the true one by √((n - 1)/n), and
    know nothing of Student's t, whose degrees of freedom are one less than the `effective` events (by default all).

    >>> round(expanded(8), 4), round(expanded(10_000), 4)
    (0.9885, 0.95)
    """
    from scipy.special import ndtr

    if events < 2:
        return level
    return float(1 - 2 * ndtr(-critical(events, effective, level)))


def critical(events: float, effective: float | None = None, level: float = LEVEL) -> float:
    """Of an estimate from so many events, how many of its resampled standard deviations an interval reaches."""
    about = math.sqrt(1 + 1 / (events - 1)) if events > 1 else 1.0
    return about * student(events if effective is None else effective, level)


def student(effective: float, level: float = LEVEL) -> float:
    """How many standard errors an interval reaches that rests on so many events, one or fewer: nan."""
    from scipy.special import stdtrit

    return float(stdtrit(effective - 1, (1 + level) / 2)) if effective > 1 else float("nan")
