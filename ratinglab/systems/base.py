"""What every rating system is: a frozen dataclass of parameters and a few pure functions of state and batch.

State is a dict of arrays (entries, p): p is 1, or the length of the parameters that are arrays, so that
`Glixo(tau=(80, 90, 100))` is three systems in one replay. A rating of nan means: not rated yet.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ratinglab.periods import Batch, Bools, Floats, Ints, group_mean
from ratinglab.problems import UsageError

if TYPE_CHECKING:
    from ratinglab.scheduling import Schedule
    from ratinglab.systems.workings import Workings

_TOLD = 3  # events that a notice names
_WORDS = {bool: "switch, True or False", str: "word"}
State = dict[str, Floats]
# A parameter: one value, or one for each column of a grid.
Number = float | Sequence[float]


@dataclass(frozen=True)
class Forecast:
    """What a system said of games before they were played, each (games, p), from the side of `a`."""

    win: Floats  # probability that a wins, a tie counting ½
    spread_mean: Floats | None = None  # points
    spread_sd: Floats | None = None


class Part(NamedTuple):
    """One step of an update, a whole period or a segment of it: arrays (entries, p), or (entries,) for the counts.

    `detail` holds the system's own contributions by the column they fill in the tables of changes and segments.
    """

    played: Any
    wins: Any
    before: State
    after: State
    detail: State
    last_rounds: Any = None  # (periods,) the last round of the segment in each period


class Update(NamedTuple):
    """What a period did: the state after it, and the parts that led there."""

    state: State
    parts: Sequence[Part]


@dataclass(frozen=True)
class System(ABC):
    """A rating system. Any numeric parameter may be a sequence: one system for each of its values."""

    name: ClassVar[str]
    state_names: ClassVar[tuple[str, ...]] = ("rating",)
    has_spread: ClassVar[bool] = False
    has_forecast: ClassVar[bool] = True  # whether it says before a game how likely a win is
    rates: ClassVar[str] = "games"  # or "placings": what an update is made of
    detail_names: ClassVar[tuple[str, ...]] = ()  # what `Part.detail` of its updates holds
    # parameters in rating points, the yardstick first: all of them times λ (and ratings filed) leaves every forecast of
    # lone players as it was and gives λ times the ratings; empty where a rule has points of its own built in
    in_points: ClassVar[tuple[str, ...]] = ()
    # why `age` changes what it changes, by the state's name, for whoever asks
    time_says: ClassVar[Mapping[str, str]] = {"deviation": "who has not played for a while is known less surely"}

    def __post_init__(self) -> None:
        """Arrays become tuples (so that a system can be compared and hashed), and lengths must agree."""
        lengths = {}
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            if f.name in self.vector_parameters():
                continue
            if isinstance(f.default, bool) or is_word(f):
                if type(value) is not type(f.default):
                    raise UsageError(f"{self.name}: {f.name} is one {_WORDS[type(f.default)]}; found {value}")
                continue
            if isinstance(value, str) and isinstance(f.default, str):
                continue
            values = self._numbers(f.name, value)
            single = np.ndim(value) == 0
            object.__setattr__(self, f.name, values[0] if single else values)
            if not single:
                lengths[f.name] = len(values)
        if len(set(lengths.values()) - {1}) > 1 or 0 in lengths.values():
            told = ", ".join(f"{name} has {n}" for name, n in lengths.items())
            raise UsageError(f"{self.name}: parameters given as arrays must be equally long and not empty; {told}")
        self.validate()

    def _numbers(self, name: str, value: Any) -> tuple[float, ...]:
        """A numeric parameter's values as finite floats."""
        try:
            values = tuple(float(v) for v in np.asarray(value).ravel())
        except (TypeError, ValueError):
            values = (np.nan,)
        if isinstance(value, (str, bool)) or not np.isfinite(values).all():
            raise UsageError(f"{self.name}: {name} is a number, or a list of them; found {value}")
        return values

    @classmethod
    def vector_parameters(cls) -> frozenset[str]:
        """Parameters that are lists by nature (spread caps), not one value for each system of a grid."""
        return frozenset()

    def validate(self) -> None:
        """Raise `UsageError` for values that no rating can be made with."""

    def require(self, names: Sequence[str], condition: str, lowest: float, *, strict: bool = True) -> None:
        """Raise `UsageError` unless each named parameter is above `lowest` (or equal, if not `strict`)."""
        for name in names:
            value = np.asarray(self.value(name))
            good = value > lowest if strict else value >= lowest
            if not np.all(good):  # nan is never good
                raise UsageError(f"{self.name}: {name} must be {condition}; found {getattr(self, name)}")

    @cached_property
    def grid_size(self) -> int | None:
        """How many systems this is; None where every parameter is a single value."""
        sizes = [
            len(getattr(self, f.name))
            for f in dataclasses.fields(self)
            if isinstance(getattr(self, f.name), tuple) and f.name not in self.vector_parameters()
        ]
        return max(sizes) if sizes else None

    def value(self, name: str) -> Any:
        """A parameter as a float or an array (p,), to be used against arrays (…, p)."""
        value = getattr(self, name)
        return np.asarray(value, dtype=float) if isinstance(value, tuple) else value

    def off(self, name: str) -> bool:
        """Whether a parameter is a plain 0, so that what it does can be left out."""
        value = getattr(self, name)
        return isinstance(value, (int, float)) and value == 0

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, as a manifest holds them."""
        return {f.name: _plain(getattr(self, f.name)) for f in dataclasses.fields(self)}

    def rescaled(self, by: Any) -> System:
        """The system with every parameter that is in rating points (`in_points`) times `by`, one number or several.

        >>> from ratinglab.systems import Elo
        >>> Elo(k=20, initial=0).rescaled(2).label
        'elo:k=40,scale=1444,initial=0'
        """
        changes: dict[str, Any] = {
            name: self.value(name) * np.asarray(by, dtype=float) ** self.points_power(name) for name in self.in_points
        }
        return dataclasses.replace(self, **changes)

    def points_power(self, name: str) -> int:
        """Of a parameter that is `in_points`: 1, or 2 where it is measured in their square."""
        return 1

    def own_parameters(self) -> dict[str, Any]:
        """The parameters that are not at their defaults."""
        told = {f.name: (getattr(self, f.name), f.default) for f in dataclasses.fields(self)}
        return {name: value for name, (value, default) in told.items() if value != default}

    @property
    def label(self) -> str:
        """The name with the parameters that are not at their defaults, as a command line gives it: `glixo:tau=100`."""
        told = [f"{name}={short(value)}" for name, value in self.own_parameters().items()]
        return self.name + (":" + ",".join(told) if told else "")

    @classmethod
    def formula(cls) -> str:
        """What the system says of itself first: its formula, in a sentence."""
        return " ".join((cls.__doc__ or "").split("\n\n")[0].split())

    def column(self, index: int) -> System:
        """The single system in one column of a grid."""
        changes: dict[str, Any] = {
            f.name: getattr(self, f.name)[index if len(getattr(self, f.name)) > 1 else 0]
            for f in dataclasses.fields(self)
            if isinstance(getattr(self, f.name), tuple) and f.name not in self.vector_parameters()
        }
        return dataclasses.replace(self, **changes)

    def full(self, rows: int, value: Any) -> Floats:
        """An array (rows, p) of a parameter's value."""
        return np.full((rows, self.grid_size or 1), value, dtype=float)

    # --- what a system does ------------------------------------------------------------------------------------------

    def start(self, batch: Batch, rows: Ints) -> State:
        """The state of the entries in these `rows` of the batch, at their first appearance, from what is filed."""
        rating = batch.filed_rating[rows, None]
        return {"rating": np.where(np.isnan(rating), self.full(len(rows), self.newcomer_rating()), rating)}

    def newcomer_rating(self) -> Any:
        """The rating of somebody of whom nothing is known; nan if the first event is to give it."""
        return self.value("initial")

    def age(self, state: State, batch: Batch) -> State:
        """The state after the time before the batch's events (`batch.idle_days`); by default time does nothing.

        Where time does nothing the argument itself is returned: who does not play waits on from the last game.
        """
        return state

    def rated(self, batch: Batch) -> Ints:
        """How many results of each entry the system rates: games, or for a system of placings 1 for a place."""
        return batch.placed if self.rates == "placings" else batch.played

    def listed_from(self) -> int | None:
        """The first year of which a rating list is published; None: the first with a rated event."""
        return None

    @property
    def settled_games(self) -> float:
        """Lifetime games from which a rating is no longer provisional: 50 as NASPA, where a system has no rule."""
        return 50

    def notices(self, schedule: Schedule) -> list[str]:
        """What a committee should be told of how this system takes this history; nothing by default."""
        return []

    def strength(self, state: State, batch: Batch) -> State:
        """The units' state, (units, p): a player's own, a team's effective value."""
        return team_strength(state, batch)

    def forecast(self, strength: State, batch: Batch, games: slice) -> Forecast:
        """What is expected of `games`, from the units' strength before the period.

        Raises `UsageError` where the system has no such forecast.
        """
        raise UsageError(f"{self.name} does not say how likely a win is")

    def hindsight(self, schedule: Schedule) -> State | None:
        """Of a system that looks at all games at once: everybody's state (people, p), by the schedule's `person`.

        None for a system that goes through time, as ratings do.
        """
        return None

    @property
    def looks_back(self) -> bool:
        """Whether it looks at all games at once (`hindsight`): its ratings before an event know the event."""
        return type(self).hindsight is not System.hindsight

    def tell_hindsight(self, schedule: Schedule, state: State, batch: Batch, workings: Workings) -> bool:
        """Of a system that looks at all games at once: tell `workings` how the batch's ratings came about.

        False, and nothing told, for a system that goes through time: its `update` tells them.
        """
        return False

    @abstractmethod
    def update(self, state: State, batch: Batch, workings: Workings | None = None) -> Update:
        """The state after the batch's games, from the state before them; the argument is not changed.

        `workings`, if given, are told every figure on the way.
        """


def short(value: Any) -> str:
    """A parameter's value as it is told: without digits that say nothing."""
    if isinstance(value, (list, tuple)):
        return ";".join(map(short, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def is_word(parameter: dataclasses.Field[Any]) -> bool:
    """Whether a parameter is one of some words, and never a number."""
    return isinstance(parameter.default, str) and "Number" not in str(parameter.type)


def events_told(events: Iterable[str]) -> str:
    """The first of these events, each once, and how many more there are: for a notice."""
    each = list(dict.fromkeys(events))
    return ", ".join(each[:_TOLD]) + (f" and {len(each) - _TOLD} more" if len(each) > _TOLD else "")


def deviation_filed(batch: Batch, rows: Ints) -> Bools:
    """Which of these entries have a deviation filed with a rating: one of nothing would be a rating beyond doubt."""
    return ~np.isnan(batch.filed_rating[rows]) & (batch.filed_deviation[rows] > 0)


def deviation_at_start(system: System, batch: Batch, rows: Ints) -> Floats:
    """The filed deviation of these entries, the system's `initial_deviation` where none was filed with a rating."""
    initial = system.full(len(rows), system.value("initial_deviation"))
    return np.where(deviation_filed(batch, rows)[:, None], batch.filed_deviation[rows, None], initial)


def kept_where_idle(before: State, after: State, batch: Batch) -> State:
    """`after`, but `before` to the last digit for whoever has no rated game."""
    idle = batch.played == 0
    if not idle.any():
        return after
    return {name: np.where(idle[:, None], before[name], values) for name, values in after.items()}


def grown_deviation(deviation: Floats, added: Any, most: Any) -> Floats:
    """√(σ² + added), at most `most`: the limit stops growth, it does not lower a deviation that was filed above it."""
    grown: Floats = np.maximum(np.minimum(np.sqrt(np.square(deviation) + added), most), deviation)
    return grown


def section_mean(rating: Floats, batch: Batch, default: Any) -> Floats:
    """`rating` (entries, p) with the mean of the section's rated entrants for those without one (nan).

    That is known before play, so a forecast may use it. `default` stands where nobody in the section is rated.
    """
    newcomer = np.isnan(rating)
    if not newcomer.any():
        return rating
    mean = group_mean(rating, batch.entry_period, len(batch.rounds))
    mean = np.where(np.isnan(mean), default, mean)
    return np.where(newcomer, mean[batch.entry_period], rating)


def team_strength(state: State, batch: Batch) -> State:
    """Effective values of units: the rating max(best - 100, mean of members), the deviation √Σσ².

    Source: "Team Glixo" on the page of the 2012 National School SCRABBLE Championship. Other systems publish no rule
    for teams and follow the same one.
    """
    if batch.lone:
        return state
    starts = batch.unit_first
    best = np.maximum.reduceat(state["rating"], starts)
    mean = np.add.reduceat(state["rating"], starts) / batch.members[:, None]
    out = {"rating": np.maximum(best - 100, mean)}
    if "deviation" in state:
        out["deviation"] = np.sqrt(np.add.reduceat(state["deviation"] ** 2, starts))
    return out


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value
