"""How good forecasts were: proper scores per game, their means, and how sure those are.

Argument order is outcome, then forecast. Scores are losses: lower is better (accuracy and the calibration figures
aside). A tie is an outcome of ½. A game whose spread is not known has scores of winning but none of spread.

Games of one event are not independent, so every uncertainty comes from resampling **events**: the sums that a metric is
made of are kept per event, and a resample draws events with replacement. A standard error needs two events or more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab.periods import Bools, Floats, Ints

if TYPE_CHECKING:
    from ratinglab.replay import Replay

# A forecast this sure of what did not happen costs 27.6 rather than an infinite log loss.
SUREST = 1e-12
RESAMPLES = 1000

METRICS = ("log_loss", "brier", "accuracy", "calibration_slope", "calibration_intercept")
SPREAD_METRICS = ("spread_log_score", "spread_rmse", "spread_crps", "z_sd")


def log_loss(result: Floats, win: Floats) -> Floats:
    """-[s·log p + (1 - s)·log(1 - p)] per game; a coin's is log 2.

    >>> float(log_loss(np.array([1.0]), np.array([0.5])).round(4)[0])
    0.6931
    """
    p = np.clip(win, SUREST, 1 - SUREST)
    return -(result * np.log(p) + (1 - result) * np.log1p(-p))


def brier(result: Floats, win: Floats) -> Floats:
    """(s - p)² per game.

    >>> brier(np.array([1.0, 0.5]), np.array([0.7, 0.7])).round(3).tolist()
    [0.09, 0.04]
    """
    return (result - win) ** 2


def accuracy(result: Floats, win: Floats) -> Floats:
    """1 where the favourite won, 0 where it lost, ½ for a tie or where there is no favourite."""
    return 0.5 + 0.5 * np.sign(win - 0.5) * np.sign(result - 0.5)


def spread_log_score(spread: Floats, mean: Floats, sd: Floats) -> Floats:
    """The negative logarithm of the normal density at the spread (points)."""
    return 0.5 * np.log(2 * np.pi * sd**2) + 0.5 * ((spread - mean) / sd) ** 2


def crps(spread: Floats, mean: Floats, sd: Floats) -> Floats:
    """The continuous ranked probability score of a normal forecast, in points.

    Source: Gneiting and Raftery, "Strictly proper scoring rules, prediction, and estimation", 2007, equation 21.
    """
    from scipy.special import ndtr

    z = (spread - mean) / sd
    density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    return sd * (z * (2 * ndtr(z) - 1) + 2 * density - 1 / np.sqrt(np.pi))


def score(
    replay: Replay,
    *,
    min_games: int = 0,
    seed: int = 0,
    resamples: int = RESAMPLES,
    subset: Bools | None = None,
    label: str = "all",
) -> pd.DataFrame:
    """The table of scores, one row for each system in the replay.

    Counted are games whose two sides had at least `min_games` rated games in the history before the event, and which
    are in `subset` (games,) where one is given (`label` names it). Each metric has its standard error beside it.
    """
    counted = np.ones(len(replay.schedule.whole.a), dtype=bool) if subset is None else subset
    if min_games:
        from ratinglab.tables import unit_games

        enough = unit_games(replay) >= min_games
        counted = counted & enough[replay.schedule.whole.a] & enough[replay.schedule.whole.b]
    sums = event_sums(replay, counted)
    draws = event_draws(len(sums.games), seed, resamples)
    rows = []
    for column in range(replay.system.grid_size or 1):
        system = replay.system.column(column) if replay.system.grid_size else replay.system
        row: dict[str, Any] = {
            "system": system.name,
            "parameters": ";".join(f"{k}={_short(v)}" for k, v in system.parameters().items()),
            "subset": label,
            "games": int(sums.games.sum()),
        }
        mine = sums.column(column)
        values = mine.metrics(np.ones((1, len(sums.games))))
        spreads = mine.metrics(draws)
        for name, value in values.items():
            row[name] = value[0]
            row[f"{name}_se"] = _sd(spreads[name])
        rows.append(row)
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class EventSums:
    """What metrics are made of, summed per event: `games` (events,), `sums` name -> (events, p)."""

    games: Floats
    sums: Mapping[str, Floats]
    # the calibration line's full-sample coefficients, (2, p): intercept and slope
    line: Floats

    def column(self, index: int) -> EventSums:
        """The sums of one system."""
        cut = {name: values[:, index : index + 1] for name, values in self.sums.items()}
        return EventSums(self.games, cut, self.line[:, index : index + 1])

    def metrics(self, weights: Floats) -> dict[str, Floats]:
        """Every metric of a single system under each row of event weights (draws, events)."""
        total = {name: weights @ values[:, 0] for name, values in self.sums.items()}
        games = weights @ self.games
        out = {name: _ratio(total[name], games) for name in ("log_loss", "brier", "accuracy")}
        out["calibration_slope"], out["calibration_intercept"] = self._calibration(total)
        if "spread_games" in total:
            known = total["spread_games"]
            out["spread_log_score"] = _ratio(total["spread_log_score"], known)
            out["spread_rmse"] = np.sqrt(_ratio(total["squared_error"], known))
            out["spread_crps"] = _ratio(total["spread_crps"], known)
            out["z_sd"] = np.sqrt(_ratio(total["squared_z"], known))
        return out

    def _calibration(self, total: Mapping[str, Floats]) -> tuple[Floats, Floats]:
        """Slope and intercept of the logistic line of results on the forecasts' log odds.

        A resample takes one Newton step from the full sample's line, which needs no second pass over the games.
        """
        h00, h01, h11 = total["h00"], total["h01"], total["h11"]
        determinant = h00 * h11 - h01**2
        with np.errstate(divide="ignore", invalid="ignore"):
            intercept = self.line[0, 0] + (h11 * total["g0"] - h01 * total["g1"]) / determinant
            slope = self.line[1, 0] + (h00 * total["g1"] - h01 * total["g0"]) / determinant
        known = determinant > 1e-9 * np.maximum(h00 * h11, 1e-300)
        return np.where(known, slope, np.nan), np.where(known, intercept, np.nan)


def event_sums(replay: Replay, counted: Bools) -> EventSums:
    """Sums per event over the `counted` games (games,), for every system in the replay."""
    schedule = replay.schedule
    event = schedule.event_of_game()
    events, columns = len(schedule.history.events), replay.system.grid_size or 1
    line = _fit_line(replay, counted)
    sums: dict[str, Floats] = {}

    def add(name: str, rows: Ints, values: Floats) -> None:
        into = sums.setdefault(name, np.zeros((events, columns)))
        for column in range(columns):
            into[:, column] += np.bincount(rows, values[:, column % values.shape[1]], minlength=events)

    for games, forecast in replay.forecast_blocks():
        keep = counted[games]
        rows, result = event[games][keep], schedule.whole.result[games][keep][:, None]
        win = forecast.win[keep]
        add("log_loss", rows, log_loss(result, win))
        add("brier", rows, brier(result, win))
        add("accuracy", rows, accuracy(result, win))
        odds = log_odds(win)
        fitted = 1 / (1 + np.exp(-(line[0] + line[1] * odds)))
        weight, miss = fitted * (1 - fitted), result - fitted
        for name, values in (("g0", miss), ("g1", miss * odds), ("h00", weight), ("h01", weight * odds)):
            add(name, rows, values)
        add("h11", rows, weight * odds**2)
        if forecast.spread_mean is not None and forecast.spread_sd is not None:
            spread = schedule.whole.spread[games][keep]
            known = ~np.isnan(spread)
            rows, spread = rows[known], spread[known][:, None]
            mean, sd = forecast.spread_mean[keep][known], forecast.spread_sd[keep][known]
            add("spread_games", rows, np.ones_like(spread))
            add("spread_log_score", rows, spread_log_score(spread, mean, sd))
            add("squared_error", rows, (spread - mean) ** 2)
            add("spread_crps", rows, crps(spread, mean, sd))
            add("squared_z", rows, ((spread - mean) / sd) ** 2)
    games_per_event = np.bincount(event[counted], minlength=events).astype(float)
    played = games_per_event > 0
    return EventSums(games_per_event[played], {name: values[played] for name, values in sums.items()}, line)


def log_odds(win: Floats) -> Floats:
    """log(p/(1 - p)), kept finite."""
    p = np.clip(win, SUREST, 1 - SUREST)
    return np.log(p) - np.log1p(-p)


def _fit_line(replay: Replay, counted: Bools, steps: int = 25) -> Floats:
    """Intercept and slope (2, p) of the logistic regression of results on log odds, by Newton's method."""
    columns = replay.system.grid_size or 1
    line = np.vstack([np.zeros(columns), np.ones(columns)])
    for _ in range(steps):
        sums = np.zeros((5, columns))
        for games, forecast in replay.forecast_blocks():
            keep = counted[games]
            odds = log_odds(forecast.win[keep])
            fitted = 1 / (1 + np.exp(-(line[0] + line[1] * odds)))
            weight, miss = fitted * (1 - fitted), replay.schedule.whole.result[games][keep][:, None] - fitted
            sums += [v.sum(axis=0) for v in (miss, miss * odds, weight, weight * odds, weight * odds**2)]
        g0, g1, h00, h01, h11 = sums
        determinant = h00 * h11 - h01**2
        usable = determinant > 1e-9 * np.maximum(h00 * h11, 1e-300)
        safe = np.where(usable, determinant, 1.0)
        step = np.where(usable, np.vstack([h11 * g0 - h01 * g1, h00 * g1 - h01 * g0]) / safe, 0.0)
        line = line + np.clip(step, -2, 2)  # a longer step overshoots where almost every forecast was right
        if np.abs(step).max(initial=0.0) < 1e-10:
            break
    return line


def event_draws(events: int, seed: int, resamples: int = RESAMPLES) -> Floats:
    """How often each event is drawn in each resample, (resamples, events)."""
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, max(1, events), size=(resamples, events))
    offsets = np.arange(resamples)[:, None] * events
    return np.bincount((picks + offsets).ravel(), minlength=resamples * events).reshape(resamples, events).astype(float)


def resample(statistic: Callable[[Floats], Floats], events: int, seed: int, resamples: int = RESAMPLES) -> Floats:
    """A statistic of event weights (draws, events) -> (draws,), over resamples of events."""
    return statistic(event_draws(events, seed, resamples))


def _ratio(total: Floats, count: Floats) -> Floats:
    return np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)


def _sd(values: Floats) -> float:
    """The standard deviation of resampled values; nan where there are not two different resamples to speak of."""
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) if len(known) > 1 and np.ptp(known) > 0 else float("nan")


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else ";".join(map(str, value)) if isinstance(value, list) else str(value)
