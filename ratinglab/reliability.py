"""Whether forecasts mean what they say: how often favourites won, where spreads fell in their distributions.

Uncertainty comes from resampling events (`ratinglab.resampling`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ratinglab.periods import Bools, Floats, Ints, tally
from ratinglab.resampling import RESAMPLES, event_draws, standard_error

if TYPE_CHECKING:
    from ratinglab.replaying import Replay

FAVOURITE_BINS = np.linspace(0.5, 1.0, 11)
# Rating points; each bin but the ends is around a round number, so that one of them answers "at 300 points".
GAP_BINS = np.array([0.0, 50, 150, 250, 350, 450, 550, 700, np.inf])
PIT_BINS = np.linspace(0.0, 1.0, 11)


def reliability(
    replay: Replay, seed: int = 0, *, counted: Bools | None = None, resamples: int = RESAMPLES
) -> pd.DataFrame:
    """How often the favourite won, in bins of its forecast: low, high, games, events, forecast, observed, se.

    A tie is half a win. Games forecast at exactly ½ have no favourite and are left out, and so are games that are not
    among `counted` (games,) where that is given.
    """
    win = replay.win
    whole = replay.schedule.whole
    favourite = np.maximum(win, 1 - win)
    won = np.where(win > 0.5, whole.result, 1 - whole.result)
    bins = np.clip(np.digitize(favourite, FAVOURITE_BINS) - 1, 0, len(FAVOURITE_BINS) - 2)
    clear = (win != 0.5) if counted is None else (win != 0.5) & counted
    values = {"forecast": favourite[clear], "observed": won[clear]}
    return _binned(replay, bins[clear], clear, values, FAVOURITE_BINS, seed, resamples)


def rating_gaps(
    replay: Replay, seed: int = 0, *, counted: Bools | None = None, resamples: int = RESAMPLES
) -> pd.DataFrame:
    """How often the higher rated side won, in bins of the gap between the ratings before the event (points).

    Columns as of `reliability`, with `gap`, the mean gap of a bin, before `forecast`. Ratings are the system's own, a
    team's its effective rating. Left out are games of equal ratings, or where a side has none, and what is not
    `counted`.
    """
    whole = replay.schedule.whole
    rating = replay.unit_strength["rating"][:, 0]
    ahead = rating[whole.a] - rating[whole.b]
    gap = np.abs(ahead)
    kept = gap > 0 if counted is None else (gap > 0) & counted
    above = ahead[kept] > 0
    win, result = replay.win[kept], whole.result[kept]
    values = {
        "gap": gap[kept],
        "forecast": np.where(above, win, 1 - win),
        "observed": np.where(above, result, 1 - result),
    }
    bins = np.digitize(gap[kept], GAP_BINS) - 1
    return _binned(replay, bins, kept, values, GAP_BINS, seed, resamples)


def spread_pit(replay: Replay, seed: int = 0) -> pd.DataFrame:
    """The share of games whose spread fell in each tenth of its forecast distribution: low, high, games, share, se.

    Where spreads are as variable as forecast every tenth holds 10 %. Whose side a spread is seen from is arbitrary, so
    each game counts from both. Games whose spread is not known are left out.
    """
    from scipy.special import ndtr

    whole = replay.schedule.whole
    place = np.full(len(whole.a), np.nan)
    for games, forecast in replay.forecast_blocks():
        if forecast.spread_mean is not None and forecast.spread_sd is not None:
            place[games] = ndtr((whole.spread[games] - forecast.spread_mean[:, 0]) / forecast.spread_sd[:, 0])
    known = ~np.isnan(place)
    both = np.concatenate([place[known], 1 - place[known]])
    event = np.tile(replay.schedule.event_of_game()[known], 2)
    count = _counts(event, np.clip((both * 10).astype(int), 0, 9), np.ones(len(both)), 10)
    total = count.sum(axis=1)
    draws = event_draws(len(count), seed)
    with np.errstate(invalid="ignore"):
        share = count.sum(axis=0) / total.sum()
        resampled = (draws @ count) / (draws @ total)[:, None]
    return pd.DataFrame(
        {
            "low": PIT_BINS[:-1],
            "high": PIT_BINS[1:],
            "games": count.sum(axis=0) / 2,
            "share": share,
            "se": [standard_error(resampled[:, k]) for k in range(10)],
        }
    )


def _binned(
    replay: Replay, bins: Ints, kept: Bools, values: Mapping[str, Floats], edges: Floats, seed: int, resamples: int
) -> pd.DataFrame:
    """Means of values within bins, with the standard error of `observed` from resampled events."""
    event = replay.schedule.event_of_game()[kept]
    n = len(edges) - 1
    games = _counts(event, bins, np.ones(len(bins)), n)
    sums = {name: _counts(event, bins, of, n) for name, of in values.items()}
    draws = event_draws(len(games), seed, resamples)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = {name: of.sum(axis=0) / games.sum(axis=0) for name, of in sums.items()}
        resampled = (draws @ sums["observed"]) / (draws @ games)
    return pd.DataFrame(
        {
            "low": edges[:-1],
            "high": edges[1:],
            "games": games.sum(axis=0).astype("int64"),
            "events": (games > 0).sum(axis=0),
            **means,
            "se": [standard_error(resampled[:, k]) if (games[:, k] > 0).sum() > 1 else np.nan for k in range(n)],
        }
    )


def _counts(event: Ints, bins: Ints, weights: Floats, n: int) -> Floats:
    """Sums of weights per event (those with games alone) and bin."""
    _, row = np.unique(event, return_inverse=True)
    rows = int(row.max(initial=-1)) + 1
    return tally(row * n + bins, weights, rows * n).reshape(rows, n)
