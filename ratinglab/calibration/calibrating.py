"""Calibration: which parameters of a system forecast best, over a grid or at the fitted optimum, and how sure that is.

Here is what is put together: the grid and its scores are in `grids`, the optimum and its intervals in
`fitting`, what the games can tell at all in `identifying`, the tables in
`tables`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ratinglab import tasks
from ratinglab.calibration.fitting import Settled, Target, local_minima, search, settle
from ratinglab.calibration.grids import (
    Axis,
    Question,
    Scores,
    check,
    joined,
    parse_axis,
    resample,
    score_points,
    tiles,
    vary,
)
from ratinglab.calibration.identifying import directions
from ratinglab.calibration.tables import (
    Material,
    later_table,
    optima_table,
    parameters_table,
    profiles_table,
    surface_table,
)
from ratinglab.history import History
from ratinglab.periods import Bools, Floats
from ratinglab.problems import UsageError
from ratinglab.replaying import replay
from ratinglab.resampling import RESAMPLES, event_draws
from ratinglab.scheduling import Schedule, schedule
from ratinglab.scoring import counted_games
from ratinglab.systems import parse
from ratinglab.systems.base import System
from ratinglab.tasks import HERE, Workers
from ratinglab.terminal import many

__all__ = ["MINIMISED", "Axis", "Calibration", "calibrate", "parse_axis"]

STARTS = 4  # of a fit, at most
MINIMISED = ("log_loss", "brier", "spread_log_score", "spread_rmse", "spread_crps")
_APART = 0.02  # of an axis: ends of a fit further apart than this are different ends


@dataclass(frozen=True)
class Calibration:
    """What `calibrate` found; the tables' columns are told in docs/tables.md.

    `best` is the system at the optimum of the fit, without one at the best grid point; `value` and `se` its score
    there, over `games` of `events` (those before `test_from`). `notes` are sentences for the committee.
    """

    schedule: Schedule
    system: System
    metric: str
    axes: tuple[Axis, ...]
    best: System
    value: float
    se: float
    games: int
    events: int
    test_from: str | None
    surface: pd.DataFrame
    parameters: pd.DataFrame
    profiles: pd.DataFrame
    metrics: pd.DataFrame
    directions: pd.DataFrame
    test: pd.DataFrame | None
    notes: tuple[str, ...] = ()

    def best_json(self) -> dict[str, Any]:
        """What best.json holds; a figure that is not known is None."""
        rows = self.parameters.to_dict("records")
        return {
            "system": self.system.label,
            "metric": self.metric,
            "score": {"value": _known(self.value), "se": _known(self.se)},
            "games": self.games,
            "events": self.events,
            "parameters": {
                row["name"]: {
                    **{key: _known(row[key]) for key in ("value", "low", "high")},
                    "identified": bool(row["identified"]),
                }
                for row in rows
            },
        }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def calibrate(
    history: History | Schedule,
    system: System | str,
    axes: Sequence[Axis | str],
    *,
    fit: bool = False,
    test_from: str | None = None,
    metric: str | None = None,
    start: str = "filed",
    min_games: int = 0,
    seed: int = 0,
    resamples: int = RESAMPLES,
    workers: Workers = HERE,
    progress: tasks.Progress | None = None,
) -> Calibration:
    """Scores over the grid that the axes span, the best parameters and how sure they are.

    `axes`: the parameters with their values; the others stay as in `system`. `fit` goes on from the best grid points
    to the optimum between the axes' ends; the search, and how sure its end is, go by the unrounded ratings of a system
    that rounds them. `metric`: what is minimised, one of `MINIMISED`; by default the spread log score of a system that
    forecasts spreads, else log loss. `test_from` (ISO date): only events that end before it are counted, and the
    outcome is judged on those from it on. `start` and `min_games`: as of `replay` and `score`; a `Schedule` keeps its
    own start. `seed` and `resamples`: of the resampling of events that every uncertainty rests on.
    Raises `UsageError` for parameters that are no numbers, and where nothing is left to count.

    >>> from ratinglab.sample import individual_circuit
    >>> history, _ = individual_circuit(np.random.default_rng(1), players=20, events=12, rounds=6)
    >>> found = calibrate(history, "glixo", ["tau=60:120:7"], fit=True)
    >>> bool(75 < found.best.tau < 105)
    True
    """
    system = parse(system) if isinstance(system, str) else system
    asked = tuple(parse_axis(axis) if isinstance(axis, str) else axis for axis in axes)
    check(system, asked)
    prepared = _prepared(history, system, start)
    notes: list[str] = []
    split = _split(prepared, system, min_games, test_from, notes)
    names, wanted = tuple(axis.name for axis in asked), _metrics(prepared, system, split.before, notes)
    metric = _metric(system, metric, wanted)
    low, high = (np.array([getattr(axis, end) for axis in asked]) for end in ("low", "high"))
    as_asked = Target(prepared, system, split.before, metric, names, low, high)
    target = as_asked.smooth()
    pieces = tiles(asked)
    grid = np.concatenate(pieces)
    others = [name for name in wanted if name in MINIMISED and name != metric]
    steps = _Steps(progress, len(pieces) + (STARTS + len(others) if fit else 0))
    question = Question(as_asked, wanted, seed, resamples)
    found = joined(tasks.run(score_points, pieces, question, workers, steps.told))
    steps.passed(len(pieces))

    # a parameter that changes no score stays as near as may be to where it was
    varies = vary(asked, found.sums.sum(axis=0))
    stays = np.array([axis.nearest(getattr(system, axis.name)) for axis in asked])
    values = np.where((grid == stays)[:, [not each for each in varies]].all(axis=1), found.scores[metric], np.nan)
    at = int(np.nanargmin(values))
    settled = tasks.run(settle, [grid[at]], target)[0]  # as a task: sums are the same on any machine
    if fit:
        _whole_steps(asked, settled, varies)
        begins = local_minima(values, [len(axis) for axis in asked], STARTS)
        items = [(metric, grid[begin]) for begin in begins]
        items += [(name, grid[int(np.nanargmin(found.scores[name]))]) for name in others]
        ends = tasks.run(_searched, items, target, workers, steps.told)
        settled = _chosen(target, ends[: len(begins)], notes)
        optima = dict(zip((metric, *others), (settled.point, *ends[len(begins) :]), strict=True))
    else:
        optima = {metric: grid[at]} | {name: grid[int(np.nanargmin(found.scores[name]))] for name in others}

    outcome = _Outcome(question, asked, grid, found, at, varies, settled, split.later if test_from else None)
    tables = tasks.run(_put_together, [optima], outcome)[0]
    steps.finished()
    return Calibration(
        schedule=prepared,
        system=system,
        metric=metric,
        axes=asked,
        games=int(split.before.sum()),
        events=len(found.games),
        test_from=test_from,
        notes=tuple(notes),
        **tables,
    )


class _Outcome(NamedTuple):
    """What the grid and the fit gave; `later`: the games (games,) to be judged on, if any."""

    question: Question
    axes: tuple[Axis, ...]
    grid: Floats
    found: Scores
    at: int
    varies: list[bool]
    settled: Settled
    later: Bools | None


def _put_together(outcome: _Outcome, optima: dict[str, Floats]) -> dict[str, Any]:
    """The best system, its score and the tables; `optima`: each metric's optimum, the minimised one's first."""
    question, axes, grid, found, at, varies, settled, later = outcome
    target, (metric, point) = question.target.smooth(), next(iter(optima.items()))
    best = dataclasses.replace(question.target.system, **dict(zip(target.names, map(float, point), strict=True)))
    scored = score_points(question, np.array(list(optima.values())))
    draws = event_draws(len(found.games), question.seed, question.resamples)
    resampled = resample(metric, found, draws)
    material = Material(target, axes, question.metrics, grid, found, at, varies, settled, point, draws, resampled)
    surface = surface_table(material)
    return {
        "best": best,
        "value": float(scored.scores[metric][0]),
        "se": float(scored.errors[metric][0]),
        "surface": surface,
        "parameters": parameters_table(material),
        "profiles": profiles_table(material, surface),
        "metrics": optima_table(material, optima, scored),
        "directions": directions(target, settled, varies),
        "test": None
        if later is None
        else later_table(material, question.target.system, best, later, question.seed, question.resamples),
    }


# --- what is asked ----------------------------------------------------------------------------------------------------


def _prepared(history: History | Schedule, system: System, start: str) -> Schedule:
    if not isinstance(history, Schedule):
        return schedule(history, start=start, rates=system.rates)
    if start not in ("filed", history.start):
        raise UsageError(f"this schedule was made with start={history.start}; make one with start={start}")
    return history


class _Split(NamedTuple):
    """The games (games,) that are tuned on, and those that come later."""

    before: Bools
    later: Bools


def _split(prepared: Schedule, system: System, min_games: int, test_from: str | None, notes: list[str]) -> _Split:
    counted = counted_games(replay(prepared, system, details=False), min_games)
    if test_from is None:
        split = _Split(counted, np.zeros_like(counted))
    else:
        try:
            day = np.datetime64(test_from, "D")
        except ValueError:
            raise UsageError(f"expected a date such as 2024-01-31 to test from; found {test_from}") from None
        end = prepared.history.events["end_date"].to_numpy().astype("datetime64[D]")[prepared.event_of_game()]
        split = _Split(counted & (end < day), counted & (end >= day))
        undated = np.isnat(end) & counted
        if undated.any():
            events = len(np.unique(prepared.event_of_game()[undated]))
            what = f"{many(int(undated.sum()), 'game')} of {many(events, 'event')} without a date"
            notes.append(f"{what}: neither before nor after {test_from}, so not counted")
    for part, missing in ((split.before, f"before {test_from}"), (split.later, f"from {test_from} on")):
        if not part.any() and (test_from is not None or part is split.before):
            when = f" {missing}" if test_from is not None else ""
            least = f" between sides with {min_games} games or more" if min_games else ""
            raise UsageError(f"expected rated games{when}{least} to count; found none")
    return split


def _metrics(prepared: Schedule, system: System, counted: Bools, notes: list[str]) -> tuple[str, ...]:
    """The metrics of this system's forecasts of these games."""
    if not system.has_spread:
        return ("log_loss", "brier")
    unknown = int(np.isnan(prepared.whole.spread[counted]).sum())
    if unknown == counted.sum():
        notes.append("no spread is known: only wins and losses are scored")
        return ("log_loss", "brier")
    if unknown:
        notes.append(f"{many(unknown, 'game')} without a known spread: counted in log loss and Brier score only")
    return (*MINIMISED, "z_sd")


def _metric(system: System, metric: str | None, wanted: Sequence[str]) -> str:
    if metric is None:
        return "spread_log_score" if "spread_log_score" in wanted else "log_loss"
    possible = [name for name in MINIMISED if name in wanted]
    if metric not in possible:
        raise UsageError(f"{metric} cannot be minimised for {system.name} here; what can be: {', '.join(possible)}")
    return metric


def _searched(target: Target, item: tuple[str, Floats]) -> Floats:
    """The end of a search from a point; of a metric that is only told beside, from where a few Newton steps lead."""
    metric, begin = item
    of = dataclasses.replace(target, metric=metric)
    return search(of, begin if metric == target.metric else settle(of, begin).point)


def _chosen(target: Target, ends: Sequence[Floats], notes: list[str]) -> Settled:
    """The best of the ends of a fit, and whether all starts led there."""
    totals = target.totals(np.array(ends))
    best = int(np.argmin(totals))
    settled = tasks.run(settle, [ends[best]], target)[0]
    near = _APART * (target.high - target.low)
    apart = [end for end in ends if (np.abs(end - ends[best]) > near).any()]
    if apart:
        told = "; ".join(", ".join(f"{n} = {v:.4g}" for n, v in zip(target.names, end, strict=True)) for end in apart)
        notes.append(f"{len(apart)} of {len(ends)} starts of the fit ended elsewhere, with no better a score: {told}")
    return settled


def _whole_steps(axes: Sequence[Axis], settled: Settled, varies: Sequence[bool]) -> None:
    """Raise `UsageError` for a parameter whose small steps change nothing, although its grid does."""
    for axis, still, matters in zip(axes, settled.still, varies, strict=True):
        if still and matters:
            told = f"{axis.name} works in whole steps, so that no fit can move it"
            raise UsageError(f"{told}: compare its values on a grid without a fit")


class _Steps:
    """Progress over several runs of tasks as one."""

    def __init__(self, progress: tasks.Progress | None, total: int) -> None:
        self.progress, self.total, self.before = progress, total, 0

    def told(self, done: int, of: int) -> None:
        if self.progress is not None:
            self.progress(self.before + done, self.total)

    def passed(self, count: int) -> None:
        self.before += count

    def finished(self) -> None:
        if self.progress is not None:
            self.progress(self.total, self.total)
