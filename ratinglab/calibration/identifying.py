"""What the games fix and what only the scale's convention fixes, of the parameters that are calibrated.

Where every parameter that is in rating points (`System.in_points`) is multiplied by one number, all ratings are
multiplied by it and no forecast changes, unless ratings are filed: the games know ratios such as b / initial_deviation,
never b itself. The curvature of the score along such a direction says so in figures.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ratinglab.calibration.fitting import Settled, Target, search, settle
from ratinglab.periods import Floats
from ratinglab.resampling import student
from ratinglab.scheduling import schedule
from ratinglab.systems.base import System
from ratinglab.terminal import many

GAMES, CONVENTION = "games", "scale convention"
COLUMNS = ("combination", "fixed_by", "curvature", "known_to", "sentence")
_STEP = 0.02  # of everything in points: either side of the optimum
_NOTHING = 1e-6  # of the largest curvature: what rounding leaves of none


class Along(NamedTuple):
    """The summed score along the common scale: its curvature by the scale's logarithm, and how well that is known."""

    curvature: float
    known_to: float  # relative, half of a 95 % interval; nan where there is none

    @property
    def settled(self) -> bool:
        """Whether the score has a lowest point along the scale that is known to some extent."""
        return self.known_to < 1


class Verdict(NamedTuple):
    """Whether a parameter's value is in the games, and a sentence."""

    identified: bool
    why: str


def anchored(target: Target) -> int:
    """How many players start from a rating filed with them, which holds the scale."""
    whole = target.schedule.whole
    filed = whole.starting[~np.isnan(whole.filed_rating[whole.starting])]
    return len(np.unique(whole.person[filed]))


def yardstick(system: System, name: str) -> str | None:
    """The parameter in whose measure the games know `name`, which is in points too; None where there is no other."""
    for stick in system.in_points[:2]:
        value = getattr(system, stick)
        if stick != name and isinstance(value, float) and value != 0:
            return stick
    return None


def along_scale(target: Target, point: Floats) -> Along:
    """The curvature at `point` (k,) along the common scale of everything that is in points."""
    at = dataclasses.replace(target.system, **dict(zip(target.names, map(float, point), strict=True)))
    sums, _ = target.sums_of(at.rescaled(tuple(np.exp([-_STEP, 0.0, _STEP]))))
    down, centre, up = sums.T
    curvature, n = float((up - 2 * centre + down).sum() / _STEP**2), len(sums)
    gradient = (up - down) / (2 * _STEP)
    if not curvature > 0 or n < 2:
        return Along(curvature, float("nan"))
    spread = float(np.sqrt(np.square(gradient - gradient.mean()).sum() * n / (n - 1)))
    return Along(curvature, student(n) * spread / curvature)


def judge(target: Target, settled: Settled, values: Sequence[int], varies: Sequence[bool]) -> list[Verdict]:
    """Of each parameter whether the games fix it.

    `values` (k,): how many its axis has; `varies` (k,): whether the score changes along it.
    """
    filed = anchored(target)
    who = f"the ratings filed of {many(filed, 'player')}"
    # what holds the scale is asked of the games, too: ratings filed may be at odds with them
    asked = filed and any(name in target.system.in_points for name in target.names)
    anchor = bool(asked) and along_scale(target, settled.point).settled
    varied = [name for i, name in enumerate(target.names) if varies[i] and not settled.ridge[i]]
    verdicts = []
    for i, name in enumerate(target.names):
        at, bound = settled.point[i], "upper" if settled.edge[i] > 0 else "lower"
        stick = yardstick(target.system, name)
        held_by = [f"{stick} = {_value(target, settled, stick):g} held"] if stick and stick not in varied else []
        if name in target.system.in_points and not held_by and not anchor:
            others = {each: getattr(target.system, each) for each in target.system.in_points if each not in varied}
            held_by = [
                f"{each} = {value:g} held" for each, value in others.items() if isinstance(value, float) and value
            ]
        held_by += [who] if anchor else []
        why = ""
        if values[i] == 1:
            why = f"{name} is held at {at:g}: its axis has one value"
        elif not varies[i]:
            why = f"{name} changes no forecast: no game says anything of it"
        elif settled.still[i]:
            why = f"{name} works in whole steps: its values are compared on the grid alone"
        elif settled.edge[i]:
            why = f"the best {name} is at the {bound} end of its range, {at:g}: widen the range"
        elif settled.ridge[i]:
            why = f"{name} is held at {at:g}: it changes forecasts only together with the others"
        elif not settled.fixed[i]:
            why = f"near {at:.4g} the score has no clear lowest point in {name}: "
            why += "the range is that of the best grid points, events drawn anew"
        elif name in target.system.in_points and held_by:
            ratio = f"only {_ratio(target.system, name, stick)} is in the games; " if stick else ""
            why = f"{ratio}{name} itself is fixed by the scale: by {' and by '.join(held_by)}"
            why += f"; {who} do not settle it" if filed and not anchor else ""
        verdicts.append(Verdict(not why, why or f"the games fix {name}"))
    return verdicts


def directions(target: Target, settled: Settled, varies: Sequence[bool]) -> pd.DataFrame:
    """One row a combination of parameters, with what fixes it and how well it is known (columns: COLUMNS).

    `curvature` is that of the summed score by the combination's logarithm, the other calibrated parameters at their
    best; `known_to` the half width of its 95 % interval, relative to it. Of ratios the figures are those from a fresh
    start, where the games alone speak.
    """
    calibrated = [name for i, name in enumerate(target.names) if varies[i]]
    scaled = [name for name in calibrated if name in target.system.in_points]
    rows: list[dict[str, Any]] = []
    filed = anchored(target)
    alone, apart = target, settled
    if scaled:
        if filed:
            prepared = target.schedule
            fresh = schedule(prepared.history, chained=prepared.chained, start="fresh", rates=prepared.rates)
            alone = dataclasses.replace(target, schedule=fresh)
            apart = settle(alone, search(alone, settled.point))
        rows += _scale_rows(target, alone, settled, scaled, filed)
    for i, name in enumerate(target.names):
        stick = yardstick(target.system, name) if name in scaled else None
        if name not in calibrated or (name in scaled and len(scaled) > 1 and name == target.system.in_points[0]):
            continue
        of = (alone, apart) if name in scaled else (target, settled)
        rows.append(_row(*of, i, stick, fresh=bool(filed) and name in scaled))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _ratio(system: System, name: str, stick: str) -> str:
    return f"{name} / {stick}{'²' if system.points_power(name) == 2 else ''}"


def _value(target: Target, settled: Settled, name: str) -> float:
    """A parameter's value at the optimum, whether it has an axis or not."""
    if name in target.names:
        return float(settled.point[target.names.index(name)])
    return float(getattr(target.system, name))


def _scale_rows(target: Target, alone: Target, settled: Settled, scaled: list[str], filed: int) -> list[dict[str, Any]]:
    """What moving everything in points together does, from a fresh start and from the ratings filed."""
    stick = yardstick(target.system, scaled[0])
    together = " and ".join(dict.fromkeys([*scaled, *([stick] if stick else [])])) + " together"
    given = along_scale(target, settled.point)
    free = along_scale(alone, settled.point) if alone is not target else given
    most = np.abs(np.diagonal(settled.local.hessian.sum(axis=0)) * settled.point**2).max(initial=abs(given.curvature))
    none = abs(free.curvature) <= _NOTHING * most
    everything = f"{target.system.name}'s parameters in rating points ({', '.join(target.system.in_points)})"
    if none:
        told = f"from a fresh start, {everything} times one number give that many times the ratings and the same "
        told += "forecasts: no game can tell, the scale is a convention"
    else:
        told = f"{everything} times one number change the forecasts a little, since a rule has points of its own built "
        told += "in (rounding, a floor, the 100 points of teams)"
    rows = [_told(together, CONVENTION, 0.0 if none else free.curvature, float("nan") if none else free.known_to, told)]
    if filed:
        who = f"the ratings filed of {many(filed, 'player')}"
        if given.settled:
            told = f"{who} hold this scale to ± {given.known_to:.0%}: it is that of whoever filed them"
        elif given.curvature > 0:
            told = f"{who} may hold this scale, but how well these games do not say"
        else:
            told = f"{who} do not settle this scale: near these values the score has no lowest point along it"
        rows.append(_told(f"{together}, against ratings filed", CONVENTION, given.curvature, given.known_to, told))
    return rows


def _row(target: Target, settled: Settled, i: int, stick: str | None, *, fresh: bool) -> dict[str, Any]:
    """What the games know of one parameter, or of its ratio to the yardstick."""
    name, at = target.names[i], float(settled.point[i])
    combination = _ratio(target.system, name, stick) if stick else name
    start = "from a fresh start " if fresh else ""
    if not settled.fixed[i]:
        curved = float("nan")
        return _told(combination, GAMES, curved, curved, f"{start}the games do not fix {combination} within this range")
    inverse, sandwich = settled.local.covariance(settled.fixed)
    effective = settled.local.effective(settled.fixed)[i]
    error = student(effective) * float(np.sqrt(sandwich[i, i]))
    known_to = error / abs(at) if at else float("nan")
    sure = (
        f"to ± {known_to:.1%}" if known_to < np.inf else f"to ± {error:.3g}" if error < np.inf else "not known how well"
    )
    told = f"{start}the games say {name} = {at:.4g}"
    if stick is not None:
        told += f" where {stick} is {_value(target, settled, stick):g}, so they fix {combination}"
    return _told(combination, GAMES, at**2 / float(inverse[i, i]), known_to, f"{told}, {sure}")


def _told(*values: Any) -> dict[str, Any]:
    return dict(zip(COLUMNS, values, strict=True))
