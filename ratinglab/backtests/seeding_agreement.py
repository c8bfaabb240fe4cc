"""How well a seeding agreed with the final order: Spearman's and Kendall's coefficients, with intervals.

The intervals are from resampling entrants: each resample draws as many as there are, with replacement, and a pair of
entrants counts as often as both are drawn. Entrants play each other, so they are not independent, and the intervals
are a guide. Sources: Kendall, Rank Correlation Methods, 1948, chapters 1 to 3; Efron and Tibshirani, 1993, chapter 6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ratinglab.periods import Floats, Ints
from ratinglab.resampling import RESAMPLES, event_draws, interval

DIFFERING = 10  # entrants told whose seeds differ most
_DIGITS = 6  # ratings that differ by less are equal


def seed_of(strength: Floats) -> Ints:
    """Seeds from 1 on, the strongest first; equal strengths share the best seed.

    >>> seed_of(np.array([1500.0, 1700.0, 1500.0, 1400.0])).tolist()
    [2, 1, 2, 4]
    """
    rounded = np.round(strength, _DIGITS)
    seeds: Ints = 1 + (rounded[:, None] < rounded).sum(axis=1)
    return seeds


def filed_order(rating: Floats, number: Sequence[Any]) -> tuple[Floats, str]:
    """What the file puts entrants in order by, as a strength, and its name: the rating filed, else the number.

    Unrated entrants are level, after all others. Without a number they stand in the order given, after all with one.
    """
    if np.isnan(rating).all():
        listed = pd.Series([np.nan if pd.isna(of) else float(of) for of in number], dtype=float)
        order: Floats = -np.asarray(listed.rank(method="first", na_option="bottom"), dtype=np.float64)
        return order, "number"
    return np.nan_to_num(rating, nan=float(np.nanmin(rating)) - 1), "rating filed"


def agreement(
    seedings: Mapping[str, Floats], place: Floats, *, seed: int = 0, resamples: int = RESAMPLES
) -> pd.DataFrame:
    """A row for each seeding (name -> strength of each entrant), held against the final places (n,).

    Columns seeding, entrants, spearman and kendall_tau (tau-b) each with `_low` and `_high` (95 %), and `difference` of
    kendall_tau from the first seeding's, with its interval from the same resamples. nan where all are level.
    """
    n = len(place)
    draws = np.concatenate([np.ones((1, n)), event_draws(n, seed, resamples)])
    rows: list[dict[str, Any]] = []
    reference: Floats | None = None
    for name, strength in seedings.items():
        strength = np.round(strength, _DIGITS)
        row: dict[str, Any] = {"seeding": name, "entrants": n}
        tau = _kendall(strength, -place, draws)
        reference = tau if reference is None else reference
        for column, values in (
            ("spearman", _spearman(strength, -place, draws)),
            ("kendall_tau", tau),
            ("difference", tau - reference),
        ):
            row[column] = float(values[0])
            row[f"{column}_low"], row[f"{column}_high"] = interval(values[1:])
        rows.append(row)
    return pd.DataFrame(rows)


def _kendall(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Tau-b (draws,) of pairs of different entrants, each counting as often as both are drawn."""
    x_sign, y_sign = np.sign(x[:, None] - x), np.sign(y[:, None] - y)

    def total(values: Floats) -> Floats:
        summed: Floats = np.einsum("ri,ri->r", weights @ values, weights)
        return summed

    with np.errstate(invalid="ignore", divide="ignore"):
        tau: Floats = total(x_sign * y_sign) / np.sqrt(total(np.abs(x_sign)) * total(np.abs(y_sign)))
    return tau


def _spearman(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Pearson's coefficient (draws,) of the mid-ranks among those drawn."""
    drawn = weights.sum(axis=1, keepdims=True)

    def centred(values: Floats) -> Floats:
        below = (values[:, None] > values) + 0.5 * (values[:, None] == values)
        ranks = weights @ below.T.astype(float)
        out: Floats = ranks - (weights * ranks).sum(axis=1, keepdims=True) / drawn
        return out

    of_x, of_y = centred(x), centred(y)
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt((weights * of_x**2).sum(axis=1) * (weights * of_y**2).sum(axis=1))
        out: Floats = (weights * of_x * of_y).sum(axis=1) / root
    return out
