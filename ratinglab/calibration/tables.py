"""The tables of a calibration: surface, parameters, profiles, each metric's own optimum, the test on later events."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ratinglab.calibration.fitting import (
    LIKELIHOODS,
    Settled,
    Target,
    profile_intervals,
    profile_reach,
    region_reach,
    resampled_intervals,
)
from ratinglab.calibration.grids import Axis, Scores
from ratinglab.calibration.identifying import Verdict, judge
from ratinglab.periods import Bools, Floats
from ratinglab.replaying import replay
from ratinglab.resampling import event_draws, expanded, interval, standard_error
from ratinglab.scoring import event_sums
from ratinglab.systems.base import System

TUNED_ON, LATER = "tuned on", "later"


class Material(NamedTuple):
    """What a calibration's tables are made of."""

    target: Target
    axes: tuple[Axis, ...]
    metrics: tuple[str, ...]
    grid: Floats  # (points, k)
    found: Scores  # of the grid
    at: int  # the best grid point
    varies: list[bool]  # of each axis whether the score changes along it
    settled: Settled
    point: Floats  # the chosen optimum (k,)
    draws: Floats  # event weights (resamples, events)
    resampled: Floats  # the metric of each point under each row of them (resamples, points)


def surface_table(material: Material) -> pd.DataFrame:
    """One row a grid point: its scores, how much worse than the best one it is, and whether it may be the true one."""
    target, axes, metrics, grid, found, at, _, settled, _, draws, resampled = material
    metric = target.metric
    columns: dict[str, Any] = {axis.name: grid[:, i] for i, axis in enumerate(axes)}
    for name in metrics:
        columns[name], columns[f"{name}_se"] = found.scores[name], found.errors[name]
    columns["difference"] = found.scores[metric] - found.scores[metric][at]
    ends = np.array([interval(column) for column in (resampled - resampled[:, [at]]).T])
    columns["difference_low"], columns["difference_high"] = np.where(np.arange(len(grid))[:, None] == at, 0.0, ends).T
    totals = found.sums.sum(axis=0)
    beside = target.totals(grid[[at]])[0] - (settled.local.value.sum() - settled.gain)
    worse = totals - totals[at] + beside
    reach = region_reach(settled, draws)
    if math.isnan(reach):  # no curvature to go by: how far the best of a resample is below the best of all
        worse = columns["difference"]
        gaps = resampled[:, at] - resampled.min(axis=1)
        known = gaps[~np.isnan(gaps)]
        reach = float(np.quantile(known, expanded(len(found.games)))) if len(found.games) > 1 else float("inf")
    chosen = np.arange(len(grid)) == at  # however coarse the grid, its best point belongs to the region
    columns["in_region"] = (worse <= reach) | chosen
    if metric in LIKELIHOODS:
        likely = profile_reach(settled)
        columns["in_profile"] = (worse <= likely) | chosen | math.isnan(likely)
    return pd.DataFrame(columns)


def parameters_table(material: Material) -> pd.DataFrame:
    """Each parameter's best value with its intervals, and whether the games fix it."""
    target, axes, _, grid, _, _, varies, settled, point, draws, resampled = material
    verdicts = judge(target, settled, [len(axis) for axis in axes], varies)
    ends = resampled_intervals(target, settled, draws)
    profile = np.full_like(ends, np.nan)
    if target.metric in LIKELIHOODS:
        profile = profile_intervals(target, settled)
    lowest = grid[np.nan_to_num(resampled, nan=np.inf).argmin(axis=1)]
    rows = []
    for i, axis in enumerate(axes):
        low, high = ends[i]
        edge = varies[i] and bool(settled.edge[i])
        if not settled.fixed[i] and not settled.ridge[i] and varies[i]:
            # no curvature to go by: the best grid points of the resamples
            low, high = interval(lowest[:, i], expanded(len(settled.local.value)))
            low, high = (math.nan if settled.edge[i] < 0 else low), (math.nan if settled.edge[i] > 0 else high)
        verdict = verdicts[i]
        if verdict.identified and low <= axis.low and high >= axis.high:
            told = f"these games cannot tell a {axis.name} from any other between {axis.low:g} and {axis.high:g}"
            verdict = Verdict(False, f"{told}: that is the whole range searched")
        rows.append(
            {
                "name": axis.name,
                "value": point[i],
                "low": low,
                "high": high,
                "profile_low": profile[i, 0],
                "profile_high": profile[i, 1],
                "identified": verdict.identified,
                "at_edge": edge,
                "why": verdict.why + (_reaches(axis, low, high) if verdict is verdicts[i] else ""),
            }
        )
    return pd.DataFrame(rows)


def _reaches(axis: Axis, low: float, high: float) -> str:
    """What is said of an interval that goes up to the end of the range."""
    ends = [f"{end:g}" for end, mine in ((axis.low, low), (axis.high, high)) if mine == end]
    return f"; its interval is cut at {' and '.join(ends)}, the end of the range" if ends else ""


def profiles_table(material: Material, surface: pd.DataFrame) -> pd.DataFrame:
    """For each value of each axis the best grid point over the other axes."""
    tables = []
    for axis in material.axes:
        best = surface.loc[surface.groupby(axis.name)[material.target.metric].idxmin()]
        columns = {"value": axis.name, "score": material.target.metric, "difference": "difference"}
        columns |= {"low": "difference_low", "high": "difference_high"}
        table = pd.DataFrame({name: best[of].to_numpy() for name, of in columns.items()})
        table.insert(0, "parameter", axis.name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def optima_table(material: Material, optima: dict[str, Floats], scored: Scores) -> pd.DataFrame:
    """Where each metric is best by itself, and its value where the minimised one is; z_sd is 1 at best, not low.

    `optima`: the points (k,) by metric, the minimised one first; `scored`: the scores of these points in this order.
    """
    rows, order, names = [], list(optima), material.target.names
    for name in material.metrics:
        own = order.index(name) if name in order else None
        at = optima[name] if own is not None else np.full(len(names), np.nan)
        rows.append(
            {
                "metric": name,
                **dict(zip(names, at.tolist(), strict=True)),
                "value": scored.scores[name][own] if own is not None else np.nan,
                "se": scored.errors[name][own] if own is not None else np.nan,
                "at_best": scored.scores[name][0],
                "at_best_se": scored.errors[name][0],
            }
        )
    return pd.DataFrame(rows)


def later_table(
    material: Material, given: System, tuned: System, later: Bools, seed: int, resamples: int
) -> pd.DataFrame:
    """The tuned system beside the one as given, on the games it was tuned on and on those that came later (games,)."""
    target, wanted = material.target, material.metrics
    rows = []
    runs = {which: replay(target.schedule, of, details=False) for which, of in (("tuned", tuned), ("as given", given))}
    for part, counted in ((TUNED_ON, target.counted), (LATER, later)):
        sums = {which: event_sums(run, counted, wanted) for which, run in runs.items()}
        games = sums["tuned"].games
        draws = event_draws(len(games), seed, resamples)
        values = {which: of.metrics(np.ones((1, len(games)))) for which, of in sums.items()}
        drawn = {which: of.metrics(draws) for which, of in sums.items()}
        for which, run in runs.items():
            for name in wanted:
                if name not in values[which]:  # of later games no spread may be known
                    continue
                row: dict[str, Any] = {"system": run.system.label, "which": which, "part": part, "metric": name}
                row |= {"value": values[which][name][0], "se": standard_error(drawn[which][name])}
                row |= dict.fromkeys(("difference", "low", "high"), np.nan)
                if which == "tuned":
                    row["difference"] = values["tuned"][name][0] - values["as given"][name][0]
                    row["low"], row["high"] = interval(drawn["tuned"][name] - drawn["as given"][name])
                rows.append(row | {"games": int(games.sum()), "events": len(games)})
    return pd.DataFrame(rows)
