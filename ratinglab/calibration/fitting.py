"""The optimum of a score over a system's parameters, and how far from it the parameters might as well lie.

A score is a sum over events: at any point of the parameters it is one vector (events,). Around a point, one replay over
a stencil of points gives every event's gradient and Hessian; the optimum, its intervals by resampling events and by
the profile all rest on these.

Sources. Resampling: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13, each resample's optimum
by one step (Kline and Santos, "A score based approach to wild bootstrap inference", Journal of Econometric Methods 1,
2012). With few events the percentile interval is too short, and is widened (`ratinglab.resampling.expanded`). Profile:
the games of an event are not independent, so twice the difference of the summed log scores is not χ², but a multiple of
it: Kent, "Robust properties of likelihood ratio tests", Biometrika 69, 1982; Chandler and Bate, "Inference for
clustered data using the independence loglikelihood", Biometrika 94, 2007.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, cast

import numpy as np

from ratinglab.periods import Bools, Floats, Ints
from ratinglab.replaying import replay
from ratinglab.resampling import LEVEL, expanded, interval, student
from ratinglab.scheduling import Schedule
from ratinglab.scoring import event_sums
from ratinglab.systems.base import System

LIKELIHOODS = ("spread_log_score", "log_loss")

TILE = 64  # points in one replay, whoever runs it: what bounds the memory
COARSE = 0.005  # of an axis: the steps of the search's gradient, wide enough to see past the rounding of ratings
FINE = 0.5  # of a standard error: the stencil's steps at the optimum, since the shape at that width is what is asked
POLISH = 8  # Newton steps at most …
SHARES = (1.0, 0.5, 0.25, 0.1, 0.0)  # … of each as much as is best
CLOSE = 0.01  # of a standard error: where a Newton step is too short to matter
SINGULAR = 1e-4  # an eigenvalue of the scaled Hessian below this: a direction in which the score does not change
# So many standard errors from the optimum the score must have risen by this share of what the stencil's parabola says:
# it is a bowl, then, and not the edge of a stair. The far look is for an optimum known as well as the edge of a stair.
BOWL = ((4, 0.5), (40, 0.1))
WIDER = 4  # times as wide the stencil is next where it is no bowl …
WIDEST = 0.25  # … up to this share of an axis, which is as far as the far look goes, too
LINE = 33  # points of each parameter's profile …
REACH = 2.3  # … which goes so many times as far to either side as the interval of a parabola does


@dataclass(frozen=True)
class Target:
    """What is minimised: the score `metric` over the `counted` games (games,), of `system` with other `names` values.

    `low` and `high` (k,) bound each of the parameters.
    """

    schedule: Schedule
    system: System
    counted: Bools
    metric: str
    names: tuple[str, ...]
    low: Floats
    high: Floats

    def smooth(self) -> Target:
        """The same with ratings as they come where the system rounds them to whole points.

        Rounding makes a score jump up and down over steps far smaller than what is asked of it: its shape is that of
        the same formula without.
        """
        rounds = getattr(self.system, "rounding", False) is True
        system = dataclasses.replace(self.system, **{"rounding": False}) if rounds else self.system
        return dataclasses.replace(self, system=system)

    def sums(self, points: Floats) -> tuple[Floats, Floats]:
        """The metric's sums per event at each of the points (n, k), (events, n), and the events' games (events,)."""
        tiles = [points[begin : begin + TILE] for begin in range(0, len(points), TILE)]
        made = [self.sums_of(with_values(self.system, dict(zip(self.names, tile.T, strict=True)))) for tile in tiles]
        return np.concatenate([sums for sums, _ in made], axis=1), made[0][1]

    def sums_of(self, system: System) -> tuple[Floats, Floats]:
        """The same of each column of a system."""
        run = replay(self.schedule, system, details=False)
        return event_sums(run, self.counted, (self.metric,)).summed(self.metric)

    def totals(self, points: Floats) -> Floats:
        """The summed score at each of the points, (n,)."""
        totals: Floats = self.sums(points)[0].sum(axis=0)
        return totals


def with_values(system: System, values: Mapping[str, Floats]) -> System:
    """The grid of a system with these parameters' values, one column for each."""
    return dataclasses.replace(system, **{name: tuple(map(float, of)) for name, of in values.items()})


# --- the stencil ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Local:
    """A score around a point: per event its sum there (events,), gradient (events, k) and Hessian (events, k, k).

    `free` (k,) says which parameters can move to either side; of the others the derivatives are 0.
    """

    point: Floats
    free: Bools
    value: Floats
    gradient: Floats
    hessian: Floats
    games: Floats

    def step(self, weights: Floats, free: Bools) -> Floats:
        """How far the optimum lies from the point under each row of event weights (draws, events): (draws, k).

        One step of the `free` parameters with the Hessian of all events as they are. That of the resample would be
        Newton's own, but where one event holds much of what is known of a parameter it goes astray or has no lowest
        point at all, while this one stays near the optimum found anew.
        """
        moved = np.zeros((len(weights), len(self.point)))
        at = np.flatnonzero(free)
        if len(at):
            hessian = self.hessian.sum(axis=0)[np.ix_(at, at)]
            moved[:, at] = -np.linalg.solve(hessian, (weights @ self.gradient[:, at]).T).T
        return moved

    def covariance(self, free: Bools) -> tuple[Floats, Floats]:
        """H⁻¹ and H⁻¹·V·H⁻¹ (k, k) of the summed score, V from the events' gradients; 0 where not `free`.

        V is about the gradients' mean and as of a sample of events, n/(n - 1).
        """
        k, n = len(self.point), len(self.value)
        inverse, sandwich = np.zeros((k, k)), np.zeros((k, k))
        at = np.ix_(free, free)
        inverse[at] = np.linalg.inv(self.hessian.sum(axis=0)[at])
        about = self.gradient - self.gradient.mean(axis=0)
        spread = about.T @ about * (n / (n - 1) if n > 1 else np.nan)
        sandwich[at] = inverse[at] @ spread[at] @ inverse[at]
        return inverse, sandwich

    def effective(self, free: Bools) -> Floats:
        """How many events each parameter's variance rests on, (k,): at most all, fewer where a few hold most of it.

        Degrees of freedom of a sum of unlike squares, 3·(Σq²)²/Σq⁴ of each event's pull q on the parameter (for normal
        q the fourth moment is 3 times the squared second), and one more. Source: Satterthwaite, "An approximate
        distribution of estimates of variance components", Biometrics Bulletin 2, 1946.
        """
        n = len(self.value)
        pull = (self.gradient - self.gradient.mean(axis=0)) @ self.covariance(free)[0]
        fourth = (pull**4).sum(axis=0)
        freedom = np.divide(
            3 * np.square((pull**2).sum(axis=0)), fourth, out=np.full(len(fourth), n - 1.0), where=fourth > 0
        )
        events: Floats = np.minimum(freedom, n - 1) + 1
        return events


def around(target: Target, point: Floats, steps: Floats) -> Local:
    """The score around `point` (k,), from differences over these `steps` (k,), shortened where a bound is nearer."""
    k = len(point)
    room = np.minimum(point - target.low, target.high - point)
    steps = np.minimum(steps, room)
    free = steps > 1e-9 * np.maximum(target.high - target.low, 1e-300)
    at = np.flatnonzero(free).tolist()
    unit = np.eye(k)
    offsets = [np.zeros(k)]
    for i in at:
        offsets += [unit[i], -unit[i]]
    pairs = list(combinations(at, 2))
    for i, j in pairs:
        offsets += [a * unit[i] + b * unit[j] for a in (1, -1) for b in (1, -1)]
    sums, games = target.sums(point + np.array(offsets) * steps)
    centre = sums[:, 0]
    gradient, hessian = np.zeros((len(centre), k)), np.zeros((len(centre), k, k))
    for place, i in enumerate(at):
        up, down = sums[:, 1 + 2 * place], sums[:, 2 + 2 * place]
        gradient[:, i] = (up - down) / (2 * steps[i])
        hessian[:, i, i] = (up - 2 * centre + down) / steps[i] ** 2
    for place, (i, j) in enumerate(pairs):
        pp, pm, mp, mm = sums[:, 1 + 2 * len(at) + 4 * place :][:, :4].T
        hessian[:, i, j] = hessian[:, j, i] = (pp - pm - mp + mm) / (4 * steps[i] * steps[j])
    return Local(point, free, centre, gradient, hessian, games)


# --- the optimum ------------------------------------------------------------------------------------------------------


def search(target: Target, start: Floats) -> Floats:
    """The optimum (k,) that a bounded quasi-Newton search finds from `start` (k,), no worse than it.

    Source of the method: Byrd, Lu, Nocedal and Zhu, "A limited memory algorithm for bound constrained optimization",
    1995. Each of its evaluations is one replay, of the point and those a step beside it.
    """
    from scipy.optimize import minimize

    width = np.where(target.high > target.low, target.high - target.low, 1.0)
    first = float(target.totals(start[None])[0])
    best, least = start, first
    steps = np.diag(COARSE * width)

    def at(scaled: Floats) -> tuple[float, Floats]:
        nonlocal best, least
        point = np.clip(target.low + scaled * width, target.low, target.high)
        beside = [np.clip(point + sign * step, target.low, target.high) for step in steps for sign in (1, -1)]
        totals = target.totals(np.array([point, *beside]))
        up, down = totals[1::2], totals[2::2]
        apart = np.array([beside[2 * i][i] - beside[2 * i + 1][i] for i in range(len(point))])
        slope = np.divide(up - down, apart, out=np.zeros(len(point)), where=apart > 0)
        if totals[0] < least:
            best, least = point, float(totals[0])
        return float(totals[0]) - first, slope * width

    bounds = [(0.0, 1.0 if high > low else 0.0) for low, high in zip(target.low, target.high, strict=True)]
    options = {"ftol": 1e-6, "gtol": 1e-2, "maxiter": 100}
    cast(Any, minimize)(at, (start - target.low) / width, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return best


@dataclass(frozen=True)
class Settled:
    """An optimum and what is known around it: which parameters the score fixes, and why not the others.

    `fixed` (k,): those that curve upwards inside their bounds; `edge` (k,): -1 or 1 at the lower or upper bound;
    `still` (k,): those whose small steps change no score at all; `ridge` (k,): held, since only together with another
    parameter do they change the score.
    """

    local: Local
    fixed: Bools
    edge: Ints
    still: Bools
    ridge: Bools

    @property
    def point(self) -> Floats:
        """The parameters there, (k,)."""
        return self.local.point

    @property
    def gain(self) -> float:
        """How much lower the summed score would be one more Newton step on: 0 but for rounding at an optimum."""
        step = self.local.step(np.ones((1, len(self.local.value))), self.fixed)[0]
        return float(-0.5 * self.local.gradient.sum(axis=0) @ step)


def settle(target: Target, start: Floats) -> Settled:
    """The optimum near `start` (k,), by Newton steps within the bounds; `start` itself where none makes it better.

    The stencil begins with coarse steps and goes on with half a standard error. A rule with thresholds of its own makes
    a score go up in small stairs, of which fine steps see the edges: where the score does not rise far from the
    optimum as the stencil says, it is widened until it does; a parameter for which no width will do is not `fixed`.
    """
    width = target.high - target.low
    least = 2 * COARSE * width
    found, steps = _newton(target, start, least, 1e-4 * width)
    while found.local.free.any() and not (bowl := _bowl(target, found)).all():
        least = np.where(bowl, 1e-4 * width, WIDER * np.maximum(steps, 1e-4 * width))
        room = np.minimum(found.point - target.low, target.high - found.point)
        if (least > np.minimum(WIDEST * width, room)).any():
            return dataclasses.replace(found, fixed=found.fixed & bowl)
        found, steps = _newton(target, found.point, least, least)
    return found


def _newton(target: Target, start: Floats, steps: Floats, least: Floats) -> tuple[Settled, Floats]:
    """Newton steps from `start` with a stencil of `steps` at first, at `least` so wide (k,); the last one's steps."""
    width = target.high - target.low
    local = around(target, start, steps)
    found = _judge(target, local)
    for _ in range(POLISH):
        if not found.fixed.any():
            break
        step = local.step(np.ones((1, len(local.value))), found.fixed)[0]
        error = np.sqrt(np.diagonal(local.covariance(found.fixed)[1]))
        error = np.where(found.fixed & (error > 0), error, steps)
        finer = np.where(found.fixed, np.clip(FINE * error, least, np.maximum(0.1 * width, least)), steps)
        if (np.abs(step) <= CLOSE * error).all() and np.allclose(finer, steps, rtol=0.5):
            break
        tried = np.clip(local.point + np.outer(SHARES, step), target.low, target.high)
        onward = tried[np.argmin(target.totals(tried))]
        if (onward == local.point).all() and np.allclose(finer, steps, rtol=0.5):
            break
        steps = finer
        local = around(target, onward, steps)
        found = _judge(target, local)
    return found, steps


def _bowl(target: Target, settled: Settled) -> Bools:
    """Of each parameter (k,) whether to both sides, as far off as `BOWL` says, the score rises about as the parabola.

    True of those that are not fixed, too, and where there is one event and no standard error. A side on which a bound
    is less than half as far says nothing.
    """
    width = target.high - target.low
    local, at = settled.local, np.flatnonzero(settled.fixed)
    out = np.ones(len(local.point), dtype=bool)
    if not len(at) or len(local.value) < 2:
        return out
    inverse, sandwich = local.covariance(settled.fixed)
    error = np.array([inverse[i] / inverse[i, i] * np.sqrt(sandwich[i, i]) for i in at])
    sides = [sign * far for far, _ in BOWL for sign in (1, -1)]
    off = np.concatenate([each * np.array(sides)[:, None] for each in error])
    tried = np.clip(local.point + off, target.low, target.high)
    away, along, rows = tried - local.point, np.repeat(at, len(sides)), np.arange(len(off))
    foretold = 0.5 * np.einsum("ni,ij,nj->n", away, local.hessian.sum(axis=0), away)
    risen = target.totals(tried) - local.value.sum()
    share = np.tile(np.repeat([share for _, share in BOWL], 2), len(at))
    looked = np.abs(off[rows, along])
    aside = (np.abs(away[rows, along]) < 0.5 * looked) | ((share < BOWL[0][1]) & (looked > (WIDEST * width)[along]))
    out[at] = (aside | (risen >= share * foretold)).reshape(len(at), -1).all(axis=1)
    return out


def _judge(target: Target, local: Local) -> Settled:
    """Which parameters the score fixes around a point."""
    k = len(local.point)
    hessian = local.hessian.sum(axis=0)
    edge = np.where(local.point >= target.high, 1, np.where(local.point <= target.low, -1, 0))
    edge = np.where(target.high > target.low, edge, 0)
    still = local.free & (np.abs(local.gradient).max(axis=0, initial=0) == 0)
    still &= np.abs(np.diagonal(local.hessian, axis1=1, axis2=2)).max(axis=0, initial=0) == 0
    fixed = local.free & ~still & (np.diagonal(hessian) > 0)
    ridge = np.zeros(k, dtype=bool)
    while fixed.any():
        at = np.flatnonzero(fixed)
        scale = 1 / np.sqrt(np.diagonal(hessian)[at])
        values, vectors = np.linalg.eigh(hessian[np.ix_(at, at)] * np.outer(scale, scale))
        if values[0] > SINGULAR:
            break
        # of those that make up the direction without curvature the scale's yardstick is held, else the last named
        alike = at[np.abs(vectors[:, 0]) > 0.1].tolist()
        held = max(alike, key=lambda i: (target.names[i] in target.system.in_points[:1], i))
        fixed[held], ridge[held] = False, True
    return Settled(local, fixed, edge, still, ridge)


# --- how sure ---------------------------------------------------------------------------------------------------------


def resampled(settled: Settled, draws: Floats) -> Floats:
    """The optimum under each row of event weights (draws, events), (draws, k)."""
    return settled.point + settled.local.step(draws, settled.fixed)


def resampled_intervals(target: Target, settled: Settled, draws: Floats) -> Floats:
    """Each parameter's interval (k, 2) from resampling events, cut at the bounds; nan where it is not known."""
    out = np.full((len(settled.point), 2), np.nan)
    if not settled.fixed.any():
        return out
    moved, effective, n = resampled(settled, draws), settled.local.effective(settled.fixed), len(settled.local.value)
    for i in np.flatnonzero(settled.fixed):
        ends = interval(moved[:, i], expanded(n, effective[i]))
        out[i] = np.clip(ends, target.low[i], target.high[i])
    return out


def region_reach(settled: Settled, draws: Floats, level: float = LEVEL) -> float:
    """How much worse than at its optimum the summed score is at the true parameters at most, with the chance `level`.

    From the resamples: each one's optimum is to the events' optimum as that is to the truth. nan where not known.
    """
    if not settled.fixed.any() or len(settled.local.value) < 2:
        return float("nan")
    step = settled.local.step(draws, settled.fixed)
    worse = 0.5 * np.einsum("di,ij,dj->d", step, settled.local.hessian.sum(axis=0), step)
    return float(np.quantile(worse, expanded(len(settled.local.value), level=level)))


def profile_reach(settled: Settled, level: float = LEVEL) -> float:
    """The same from the likelihood: ½·χ² of as many parameters, times the mean ratio of V to H.

    Source: Rotnitzky and Jewell, "Hypothesis testing of regression parameters in semiparametric generalized linear
    models for cluster correlated data", Biometrika 77, 1990.
    """
    from scipy.special import chdtri

    k = int(settled.fixed.sum())
    if not k or len(settled.local.value) < 2:
        return float("nan")
    inverse, sandwich = settled.local.covariance(settled.fixed)
    at = np.ix_(settled.fixed, settled.fixed)
    ratio = np.trace(np.linalg.solve(inverse[at], sandwich[at])) / k
    return float(0.5 * chdtri(k, 1 - level) * ratio)


def profile_intervals(target: Target, settled: Settled) -> Floats:
    """Each parameter's interval (k, 2) from the profile of a likelihood, cut at the bounds; nan where not known.

    A value belongs to it while 2·(summed score at the best of the others - that at the optimum) is at most χ²₁ (with
    few events t², as of the resamples) times the ratio of H⁻¹·V·H⁻¹ to H⁻¹. The best of the others is followed along
    its tangent, where the score is right to the third order; all points of all parameters are one replay.
    """
    k, n = len(settled.point), len(settled.local.value)
    out = np.full((k, 2), np.nan)
    asked = np.flatnonzero(settled.fixed)
    if n < 2 or not len(asked):
        return out
    inverse, sandwich = settled.local.covariance(settled.fixed)
    effective = settled.local.effective(settled.fixed)
    reach = {i: student(effective[i]) for i in asked.tolist()}
    lines = []
    for i in asked.tolist():
        distance = np.linspace(-REACH, REACH, LINE) * reach[i]
        along = inverse[:, i] / inverse[i, i]  # how the best of the others moves with this one
        line = settled.point + np.outer(distance * np.sqrt(sandwich[i, i]), along)
        lines.append(np.clip(line, target.low, target.high))
    totals = target.totals(np.concatenate(lines)).reshape(len(asked), LINE)
    for i, line, total in zip(reach, lines, totals, strict=True):
        worse = np.sqrt(np.maximum(total - settled.local.value.sum(), 0) * 2 * inverse[i, i] / sandwich[i, i])
        out[i] = _crossings(line[:, i], worse, reach[i], target.low[i], target.high[i])
    return out


def _crossings(value: Floats, worse: Floats, limit: float, low: float, high: float) -> tuple[float, float]:
    """Where `worse`, 0 at the middle of `value`, first goes above `limit` on either side; a bound where it does not."""
    middle = len(value) // 2
    ends = []
    for side, bound in ((slice(middle, None, -1), low), (slice(middle, None), high)):
        x, y = value[side], worse[side]
        over = np.flatnonzero(y > limit)
        if not len(over):
            ends.append(bound if x[-1] == bound else float("nan"))
            continue
        j = over[0]
        share = (limit - y[j - 1]) / (y[j] - y[j - 1])
        ends.append(float(x[j - 1] + share * (x[j] - x[j - 1])))
    return ends[0], ends[1]


def local_minima(values: Floats, shape: Sequence[int], most: int) -> list[int]:
    """The places in the flat grid `values` of this `shape` lower than all their neighbours, the lowest `most` first."""
    from scipy.ndimage import minimum_filter

    grid = np.where(np.isnan(values), np.inf, values).reshape(shape)
    lowest = np.flatnonzero((grid <= minimum_filter(grid, size=3, mode="nearest")).ravel())
    order = np.argsort(values[lowest], kind="stable")
    return [int(at) for at in lowest[order][:most]]
