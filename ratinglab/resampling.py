"""How sure a figure is: by drawing events anew.

Games of one event are not independent, so what is resampled are **events**: the sums that a figure is made of are kept
per event, and a resample draws as many events as there are, with replacement. Source: Efron and Tibshirani, An
Introduction to the Bootstrap, 1993, chapters 6 and 13.
"""

from __future__ import annotations

import numpy as np

from ratinglab.periods import Floats

RESAMPLES = 1000
LEVEL = 0.95  # of every interval


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
