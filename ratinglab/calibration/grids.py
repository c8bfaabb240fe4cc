"""The grid that parameters' axes span, and the scores of its points: a tile of points is one replay."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from ratinglab.calibration.fitting import TILE, Target, with_values
from ratinglab.periods import Floats
from ratinglab.problems import UsageError
from ratinglab.replaying import replay
from ratinglab.resampling import event_draws, standard_error
from ratinglab.scoring import event_sums
from ratinglab.systems.base import System, is_word, short

_ROOTS = ("spread_rmse",)


@dataclass(frozen=True)
class Axis:
    """One parameter of a grid and its values, ends included; a fit goes no further than these ends."""

    name: str
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        """Rising finite values, one or more."""
        rising = all(low < high for low, high in zip(self.values, self.values[1:], strict=False))
        if not self.values or not rising or not all(map(math.isfinite, self.values)):
            raise UsageError(f"the values of {self.name} must rise from one to the next; found {short(self.values)}")

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[float]:
        return iter(self.values)

    def nearest(self, value: object) -> float:
        """The value of the axis nearest to this one; of a word the one in the middle."""
        if not isinstance(value, float):
            return self.values[len(self.values) // 2]
        return min(self.values, key=lambda mine: abs(mine - value))

    @property
    def low(self) -> float:
        """The lower end."""
        return self.values[0]

    @property
    def high(self) -> float:
        """The upper end."""
        return self.values[-1]


def parse_axis(text: str) -> Axis:
    """The axis of `name=low:high:count` (ends included), or of `name=value`.

    >>> parse_axis("tau=60:140:5")
    Axis(name='tau', values=(60.0, 80.0, 100.0, 120.0, 140.0))
    """
    told = f"expected a grid such as tau=60:140:9 (from, to, how many values) or tau=80; found {text}"
    name, equals, rest = text.partition("=")
    pieces = rest.split(":")
    try:
        if not name.strip() or not equals or len(pieces) not in (1, 3):
            raise UsageError(told)
        ends = [float(piece) for piece in pieces[:2]]
        count = int(pieces[2]) if len(pieces) == 3 else 1
    except ValueError:
        raise UsageError(told) from None
    if len(pieces) == 3 and (count < 2 or not ends[0] < ends[1] or not all(map(math.isfinite, ends))):
        raise UsageError(f"a grid goes from a lower to a higher value in 2 values or more; found {text}")
    return Axis(name.strip(), tuple(map(float, np.linspace(ends[0], ends[-1], count))))


def numeric_parameters(system: System) -> list[str]:
    """The parameters of a system that can be axes: those that are numbers, not words, switches or lists."""
    return [
        f.name
        for f in dataclasses.fields(system)
        if not isinstance(f.default, bool) and not is_word(f) and f.name not in system.vector_parameters()
    ]


def check(system: System, axes: Sequence[Axis]) -> None:
    """Raise `UsageError` unless these are axes of numeric parameters of one system that forecasts games."""
    if system.looks_back or not system.has_forecast:
        raise UsageError(f"{system.name} does not say before a game how likely a win is, so that nothing can be scored")
    if system.grid_size is not None:
        raise UsageError(f"{system.name} is to be one system, its grid in axes; found {system.grid_size} of them")
    if not axes:
        raise UsageError("expected a parameter to calibrate, such as tau=60:140:9; found none")
    known, names = numeric_parameters(system), [axis.name for axis in axes]
    for name in names:
        if name not in known:
            what = "is no number" if name in system.parameters() else "is not a parameter"
            raise UsageError(f"{name} {what} of {system.name}; those that can be calibrated are: {', '.join(known)}")
    if len(set(names)) < len(names):
        raise UsageError(f"each parameter has one axis; found {', '.join(names)}")
    for axis in axes:
        for end in (axis.low, axis.high):  # a value that no rating can be made with is told before any work
            dataclasses.replace(system, **{axis.name: (end,)})


def tiles(axes: Sequence[Axis]) -> list[Floats]:
    """The product of the axes in their order, the last running fastest, in pieces (n, k) of `TILE` points at most."""
    grid = np.array(list(product(*axes)))
    return [grid[begin : begin + TILE] for begin in range(0, len(grid), TILE)]


# --- scores of points -------------------------------------------------------------------------------------------------


class Question(NamedTuple):
    """What all tiles share."""

    target: Target
    metrics: tuple[str, ...]
    seed: int
    resamples: int


class Scores(NamedTuple):
    """Scores of points (p,), each with its standard error, and the minimised metric's sums per event (events, p)."""

    scores: dict[str, Floats]
    errors: dict[str, Floats]
    sums: Floats
    games: Floats


def score_points(question: Question, points: Floats) -> Scores:
    """The scores of points (n, k), in one replay."""
    target = question.target
    made = with_values(target.system, dict(zip(target.names, points.T, strict=True)))
    run = replay(target.schedule, made, details=False)
    sums = event_sums(run, target.counted, question.metrics)
    values = {name: of[0] for name, of in sums.metrics(np.ones((1, len(sums.games))), None).items()}
    resampled = sums.metrics(event_draws(len(sums.games), question.seed, question.resamples), None)
    errors = {name: np.array([standard_error(column) for column in of.T]) for name, of in resampled.items()}
    return Scores(values, errors, *sums.summed(target.metric))


def joined(tiles: Sequence[Scores]) -> Scores:
    """The scores of all the tiles' points, in their order."""
    first = tiles[0]
    scores = {name: np.concatenate([tile.scores[name] for tile in tiles]) for name in first.scores}
    errors = {name: np.concatenate([tile.errors[name] for tile in tiles]) for name in first.scores}
    return Scores(scores, errors, np.concatenate([tile.sums for tile in tiles], axis=1), first.games)


def resample(metric: str, found: Scores, draws: Floats) -> Floats:
    """The metric of each point under each row of event weights, (draws, p); nan in a row without a game."""
    games = draws @ found.games
    mean = (draws @ found.sums) / np.where(games > 0, games, np.nan)[:, None]
    return np.sqrt(mean) if metric in _ROOTS else mean


def vary(axes: Sequence[Axis], totals: Floats) -> list[bool]:
    """Of each axis whether the summed score (points,) changes along it."""
    shaped = totals.reshape([len(axis) for axis in axes])
    return [bool(np.ptp(shaped, axis=i).max() > 0) for i in range(len(axes))]
