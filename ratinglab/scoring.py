"""How good forecasts were: proper scores per game, their means, and how sure those are.

Argument order is outcome, then forecast. Scores are losses: lower is better (accuracy and the calibration figures
aside). A tie is an outcome of ½. A game whose spread is not known has scores of winning but none of spread.

Every uncertainty comes from resampling events (`ratinglab.resampling`), from the sums that a metric is made of. A
standard error needs two events or more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab.periods import Bools, Floats, Ints
from ratinglab.problems import UsageError
from ratinglab.resampling import RESAMPLES, event_draws, standard_error
from ratinglab.systems.base import short
from ratinglab.tables import unit_games

if TYPE_CHECKING:
    from ratinglab.replaying import Replay
    from ratinglab.systems import System

# A forecast this sure of what did not happen costs 27.6 rather than an infinite log loss.
SUREST = 1e-12

METRICS = ("log_loss", "brier", "accuracy", "calibration_slope", "calibration_intercept")
SPREAD_METRICS = ("spread_log_score", "spread_rmse", "spread_crps", "z_sd")


def log_loss(result: Floats, win: Floats) -> Floats:
    """-[s·log p + (1 - s)·log(1 - p)] per game; a coin's is log 2.

    >>> float(log_loss(np.array([1.0]), np.array([0.5])).round(4)[0])
    0.6931
    """
    # the probability that was given to what happened; a tie takes the mean of both logarithms
    given = np.clip(np.where(result >= 0.5, win, 1 - win), SUREST, 1)
    loss: Floats = -np.log(given)
    tie = (result > 0) & (result < 1)
    if tie.any():
        both = result * np.log(np.clip(win, SUREST, 1)) + (1 - result) * np.log(np.clip(1 - win, SUREST, 1))
        loss = np.where(tie, -both, loss)
    return loss


def brier(result: Floats, win: Floats) -> Floats:
    """(s - p)² per game.

    >>> brier(np.array([1.0, 0.5]), np.array([0.7, 0.7])).round(3).tolist()
    [0.09, 0.04]
    """
    return np.square(result - win)


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
    score: Floats = sd * (z * (2 * ndtr(z) - 1) + 2 * density - 1 / np.sqrt(np.pi))
    return score


def score(
    replay: Replay,
    *,
    metrics: Collection[str] | None = None,
    min_games: int = 0,
    seed: int = 0,
    resamples: int = RESAMPLES,
    subset: Bools | None = None,
    label: str = "all",
) -> pd.DataFrame:
    """The table of scores, one row for each system in the replay, each metric with its standard error beside it.

    `metrics`: those wanted, all that the system has by default (the calibration line costs several passes).
    Counted are games whose two sides had at least `min_games` rated games in the history before the event, and which
    are in `subset` (games,) where one is given (`label` names it). Of a system that looks back the subset is told as
    `hindsight`: it has seen the games.
    """
    wanted = [*METRICS, *(SPREAD_METRICS if replay.system.has_spread else ())]
    if metrics is not None:
        unknown = [name for name in metrics if name not in wanted]
        if unknown:
            known = ", ".join(wanted)
            raise UsageError(f"{replay.system.name} has no metric {', '.join(unknown)}; its metrics are: {known}")
        wanted = [name for name in wanted if name in metrics]
    counted = counted_games(replay, min_games)
    sums = event_sums(replay, counted if subset is None else counted & subset, wanted)
    draws = event_draws(len(sums.games), seed, resamples)
    rows = []
    for column in range(replay.system.grid_size or 1):
        system = replay.system.column(column) if replay.system.grid_size else replay.system
        rows.append(score_row(system, sums, wanted, draws, column=column, label=label))
    return pd.DataFrame(rows)


def score_row(
    system: System, sums: EventSums, metrics: Collection[str], draws: Floats, *, column: int = 0, label: str = "all"
) -> dict[str, Any]:
    """One row of the table of scores, from sums per event and the resampled weights `draws` (resamples, events)."""
    told = label
    if not system.has_forecast:  # what a system that looks back says of games that it has seen is no forecast
        told = "hindsight" if label == "all" else f"hindsight, {label}"
    games = int(sums.games.sum())
    row: dict[str, Any] = {"system": system.name, "parameters": parameters_text(system), "subset": told, "games": games}
    values, resampled = sums.metrics(np.ones((1, len(sums.games))), column), sums.metrics(draws, column)
    for name in metrics:  # of no games there are no sums to make a metric of
        row[name] = values[name][0] if name in values else np.nan
        row[f"{name}_se"] = standard_error(resampled[name]) if name in values else np.nan
    return row


def counted_games(replay: Replay, min_games: int = 0) -> Bools:
    """The rated games (games,) whose two sides had at least `min_games` rated games in the history before the event."""
    whole = replay.schedule.whole
    if not min_games:
        return np.ones(len(whole.a), dtype=bool)
    enough = unit_games(replay) >= min_games
    return enough[whole.a] & enough[whole.b]


@dataclass(frozen=True)
class EventSums:
    """What metrics are made of, summed per event: `games` (events,), `sums` name -> (events, p).

    Events without a counted game are left out. `line` (2, p) holds the calibration line of all games.
    """

    games: Floats
    sums: Mapping[str, Floats]
    line: Floats

    def metrics(self, weights: Floats, column: int | None = 0) -> dict[str, Floats]:
        """Every metric that the sums allow, of one system, under each row of event weights (draws, events).

        With None for `column`, of every system at once: (draws, p) in place of (draws,).
        """
        total = {
            name: weights @ (values if column is None else values[:, column]) for name, values in self.sums.items()
        }
        games = weights @ (self.games[:, None] if column is None else self.games)
        out: dict[str, Floats] = {}
        for name in ("log_loss", "brier", "accuracy"):
            if name in total:
                out[name] = _ratio(total[name], games)
        if "h00" in total:
            out["calibration_slope"], out["calibration_intercept"] = self._calibration(total, column)
        known = total.get("spread_games", games)
        for name, of, finish in (
            ("spread_log_score", "spread_log_score", np.asarray),
            ("spread_crps", "spread_crps", np.asarray),
            ("spread_rmse", "squared_error", np.sqrt),
            ("z_sd", "squared_z", np.sqrt),
        ):
            if of in total:
                out[name] = finish(_ratio(total[of], known))
        return out

    def _calibration(self, total: Mapping[str, Floats], column: int | None) -> tuple[Floats, Floats]:
        """Slope and intercept of the logistic line of results on the forecasts' log odds.

        A resample takes one Newton step from the full sample's line, which needs no second pass over the games.
        """
        step, known = _newton_step(*(total[name] for name in ("g0", "g1", "h00", "h01", "h11")))
        line = self.line[:, None] if column is None else self.line[:, column, None]
        intercept, slope = np.where(known, line + step, np.nan)
        return slope, intercept

    def summed(self, metric: str) -> tuple[Floats, Floats]:
        """Of a metric that is a mean, or the root of one: its sums per event (events, p) and its games (events,)."""
        of_spreads = "spread_games" in self.sums and metric in SPREAD_METRICS
        games = self.sums["spread_games"][:, 0] if of_spreads else self.games
        return self.sums[_SPREAD_SUMS.get(metric, metric)], games


def event_sums(replay: Replay, counted: Bools, metrics: Collection[str]) -> EventSums:
    """What `metrics` are made of, summed per event over the `counted` games (games,), for every system at once."""
    schedule = replay.schedule
    period, event = schedule.whole.game_period, schedule.event
    events, columns = len(schedule.history.events), replay.system.grid_size or 1
    calibration = "calibration_slope" in metrics or "calibration_intercept" in metrics
    line = _fit_line(replay, counted) if calibration else np.full((2, columns), np.nan)
    sums: dict[str, Floats] = {}

    def add(name: str, of: Ints, values: Floats) -> None:
        """Add up the rows of `values`, whose periods `of` stand together."""
        begins = np.flatnonzero(np.diff(of, prepend=-1))
        if len(begins):
            into = sums.setdefault(name, np.zeros((events, columns)))
            np.add.at(into, event[of[begins]], np.add.reduceat(values, begins))

    for games, forecast in replay.forecast_blocks():
        keep = slice(None) if counted[games].all() else np.flatnonzero(counted[games])
        of, result, win = period[games][keep], schedule.whole.result[games][keep][:, None], forecast.win[keep]
        for name, loss in (("log_loss", log_loss), ("brier", brier), ("accuracy", accuracy)):
            if name in metrics:
                add(name, of, loss(result, win))
        if calibration:
            for name, values in zip(("g0", "g1", "h00", "h01", "h11"), _line_terms(result, win, line), strict=True):
                add(name, of, values)
        if forecast.spread_mean is not None and forecast.spread_sd is not None:
            spread = schedule.whole.spread[games][keep][:, None]
            known = np.flatnonzero(~np.isnan(spread[:, 0]))
            of, spread = of[known], spread[known]
            mean, sd = forecast.spread_mean[keep][known], forecast.spread_sd[keep][known]
            add("spread_games", of, np.ones((len(of), columns)))
            for name, term in _SPREAD_TERMS.items():
                if name in metrics:
                    add(_SPREAD_SUMS.get(name, name), of, term(spread, mean, sd))
    games_per_event = np.bincount(schedule.event_of_game()[counted], minlength=events).astype(float)
    played = games_per_event > 0
    return EventSums(games_per_event[played], {name: values[played] for name, values in sums.items()}, line)


_SPREAD_TERMS: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "spread_log_score": spread_log_score,
    "spread_rmse": lambda spread, mean, sd: np.square(spread - mean),
    "spread_crps": crps,
    "z_sd": lambda spread, mean, sd: np.square((spread - mean) / sd),
}
# metrics that are a root of their mean, and the sums they are made of
_SPREAD_SUMS = {"spread_rmse": "squared_error", "z_sd": "squared_z"}


def log_odds(win: Floats) -> Floats:
    """log(p/(1 - p)), kept finite."""
    p = np.clip(win, SUREST, 1 - SUREST)
    odds: Floats = np.log(p) - np.log1p(-p)
    return odds


def _line_terms(result: Floats, win: Floats, line: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Each game's gradient (2) and Hessian (3) terms of the logistic line at `line` (2, p)."""
    from scipy.special import expit

    odds = log_odds(win)
    fitted = expit(line[0] + line[1] * odds)
    weight, miss = fitted * (1 - fitted), result - fitted
    return miss, miss * odds, weight, weight * odds, weight * odds**2


def _newton_step(g0: Floats, g1: Floats, h00: Floats, h01: Floats, h11: Floats) -> tuple[Floats, Bools]:
    """The step (2, n) to a line's maximum, and where there is one: not where every forecast was the same."""
    determinant = h00 * h11 - h01**2
    known = determinant > 1e-9 * h00 * h11
    safe = np.where(known, determinant, 1.0)
    return np.where(known, np.stack([h11 * g0 - h01 * g1, h00 * g1 - h01 * g0]) / safe, 0.0), known


def _fit_line(replay: Replay, counted: Bools, steps: int = 60) -> Floats:
    """Intercept and slope (2, p) of the logistic regression of results on log odds; nan where there is no best line.

    Newton's method, a step halved while it makes things worse. There is no best line where the favourites won always
    or never (the steeper the better), or where every forecast was the same.
    """
    columns = replay.system.grid_size or 1
    line, step = np.stack([np.zeros(columns), np.ones(columns)]), np.zeros((2, columns))
    least = np.full(columns, np.inf)
    settled = np.zeros(columns, dtype=bool)
    for _ in range(steps):
        sums, loss = np.zeros((5, columns)), np.zeros(columns)
        for games, forecast in replay.forecast_blocks():
            keep = counted[games]
            result, win = replay.schedule.whole.result[games][keep][:, None], forecast.win[keep]
            sums += [terms.sum(axis=0) for terms in _line_terms(result, win, line + step)]
            fitted = (line[0] + step[0]) + (line[1] + step[1]) * log_odds(win)
            loss += (np.logaddexp(0, fitted) - result * fitted).sum(axis=0)
        better = loss <= least
        line, least = np.where(better, line + step, line), np.where(better, loss, least)
        following, known = _newton_step(*sums)
        step = np.where(settled, 0.0, np.where(better, following, step / 2))
        settled |= known & (np.abs(step) < 1e-9 * (1 + np.abs(line))).all(axis=0)
        if (settled | (better & ~known)).all():
            break
    return np.where(settled, line, np.nan)


def _ratio(total: Floats, count: Floats) -> Floats:
    ratio: Floats = np.divide(total, count, out=np.full(np.shape(total), np.nan), where=count > 0)
    return ratio


def parameters_text(system: System) -> str:
    """A system's parameters as the tables tell them: `k=20;scale=722`."""
    return ";".join(f"{name}={short(value)}" for name, value in system.parameters().items())
