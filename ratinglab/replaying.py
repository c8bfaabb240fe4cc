"""The replay: the only loop over periods. What is forecast is forecast from the state before the event, always.

`replay` runs a history in time order, each person going on from the last event; `rate` runs every event on its own,
from the ratings in its own file. Both keep each entry's state before and after; the tables are made from that on
demand (`ratinglab.tables`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ratinglab.history import History
from ratinglab.periods import Floats, Ints, take
from ratinglab.problems import UsageError
from ratinglab.scheduling import Schedule, schedule
from ratinglab.systems import parse
from ratinglab.systems.base import Forecast, Part, State, System

if TYPE_CHECKING:
    import pandas as pd

# Called with (games rated so far, games in all).
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Replay:
    """What a system made of a history: per entry the state before and after, arrays (entries, p) in schedule order.

    A replay without details keeps what forecasts need, the state before, and no more.
    """

    system: System
    schedule: Schedule
    before: State
    after: State
    parts: tuple[tuple[Part, ...], ...]  # per batch, per segment; empty unless details were kept

    @cached_property
    def rated(self) -> Ints:
        """How many results of each entry the system rated: games, or places."""
        return self.system.rated(self.schedule.whole)

    @cached_property
    def unit_strength(self) -> State:
        """What the units were worth before their event, (units, p)."""
        root = self.schedule.before_event
        before = self.before
        if np.any(root != np.arange(len(root))):  # somebody plays in two sections of one event
            before = {name: values[root] for name, values in before.items()}
        return self.system.strength(before, self.schedule.whole)

    def forecast_blocks(self) -> Iterator[tuple[slice, Forecast]]:
        """The forecasts of all rated games, in blocks that fit in memory whatever the size of the grid."""
        for games in self.schedule.game_blocks(self.system.grid_size or 1):
            yield games, self.system.forecast(self.unit_strength, self.schedule.whole, games)

    @cached_property
    def win(self) -> Floats:
        """Of a single system: the forecast probability that side a wins each game, (games,) in schedule order."""
        blocks = [forecast.win[:, 0] for _, forecast in self.forecast_blocks()]
        return np.concatenate(blocks) if blocks else np.zeros(0)

    def column(self, index: int) -> Replay:
        """The replay of one system of a grid."""

        def cut(state: State) -> State:
            at = {name: index if values.shape[1] > 1 else 0 for name, values in state.items()}
            return {name: values[:, at[name] : at[name] + 1] for name, values in state.items()}

        def cut_part(part: Part) -> Part:
            return part._replace(before=cut(part.before), after=cut(part.after), detail=cut(part.detail))

        parts = tuple(tuple(cut_part(part) for part in batch) for batch in self.parts)
        return Replay(self.system.column(index), self.schedule, cut(self.before), cut(self.after), parts)

    @property
    def changes(self) -> pd.DataFrame:
        """One row for each entrant and event (`ratinglab.tables.changes`)."""
        from ratinglab import tables

        return tables.changes(self)

    @property
    def segments(self) -> pd.DataFrame:
        """One row for each entrant and rated segment (`ratinglab.tables.segments`)."""
        from ratinglab import tables

        return tables.segments(self)

    @property
    def forecasts(self) -> pd.DataFrame:
        """One row for each rated game (`ratinglab.tables.forecasts`)."""
        from ratinglab import tables

        return tables.forecasts(self)

    def ratings(self, as_of: str | None = None, min_games: int = 0) -> pd.DataFrame:
        """The rating list as of a date (`ratinglab.tables.ratings`)."""
        from ratinglab import tables

        return tables.ratings(self, as_of=as_of, min_games=min_games)


def replay(
    history: History | Schedule,
    system: System | str,
    *,
    start: str | None = None,
    details: bool = True,
    progress: Progress | None = None,
) -> Replay:
    """Replay a history through a rating system.

    `start`: a person's first appearance starts from the rating filed with it (`filed`, the default), or from nothing
    (`fresh`).
    `details` keeps the state after each event and what each segment of an update consisted of, which every table but
    the forecasts needs; without it a large grid takes half the memory.
    A `Schedule` made once (`ratinglab.scheduling.schedule`) saves preparing it again for each system; it has a start of
    its own. Raises `UsageError` for another `start` beside it.

    >>> from ratinglab.sample import individual_circuit
    >>> history, _ = individual_circuit(np.random.default_rng(1), players=8, events=2, rounds=4)
    >>> len(replay(history, "glixo").forecasts)
    32
    """
    system = parse(system) if isinstance(system, str) else system
    if not isinstance(history, Schedule):
        prepared = schedule(history, start=start or "filed", rates=system.rates)
    elif start in (None, history.start):
        prepared = history
    else:
        raise UsageError(f"this schedule was made with start={history.start}; make one with start={start}")
    return _run(prepared, system, details, progress)


def rate(history: History, system: System | str, *, progress: Progress | None = None) -> Replay:
    """Rate every event of a history on its own, from the ratings filed with its entries (unrated = newcomer)."""
    system = parse(system) if isinstance(system, str) else system
    return _run(schedule(history, chained=False, rates=system.rates), system, True, progress)


def _run(prepared: Schedule, system: System, details: bool, progress: Progress | None) -> Replay:
    if prepared.rates != system.rates:  # what a person goes on from depends on what a result is
        prepared = schedule(prepared.history, chained=prepared.chained, start=prepared.start, rates=system.rates)
    fitted = system.hindsight(prepared)
    if fitted is not None:
        return _looked_back(prepared, system, fitted, details)
    rows, columns = len(prepared.whole.person), system.grid_size or 1
    people = int(prepared.whole.person.max(initial=-1)) + 1
    # what everybody stands at now; small enough to stay near the processor while the histories below grow
    now = {name: np.full((people, columns), np.nan) for name in system.state_names}
    before = {name: np.empty((rows, columns)) for name in system.state_names}
    after = {name: np.empty((rows, columns)) for name in system.state_names} if details else {}
    kept: list[tuple[Part, ...]] = []
    total = len(prepared.whole.a)
    starting = prepared.whole.starting
    started = system.start(prepared.whole, starting)
    begin = 0
    for batch in prepared.batches:
        state = {name: take(values, batch.person) for name, values in now.items()}
        first = batch.starting
        if len(first):
            for name, values in started.items():
                state[name][first] = values[begin : begin + len(first)]
            begin += len(first)
        aged = system.age(state, batch)
        for name, values in aged.items():
            before[name][batch.entries] = values
        update = system.update(aged, batch)
        # who did not play goes on as before the wait, which is counted from the last game and not from this event
        waits = aged is not state and (system.rated(batch) == 0)[:, None]
        for name, values in update.state.items():
            now[name][batch.person] = values if waits is False else np.where(waits, state[name], values)
        if details:
            for name, values in update.state.items():
                after[name][batch.entries] = values
            kept.append(tuple(update.parts))
        if progress is not None:
            progress(batch.games.stop, total)
    return Replay(system, prepared, before, after, tuple(kept))


def _looked_back(prepared: Schedule, system: System, fitted: State, details: bool) -> Replay:
    """The replay of a system that knows the whole history: everybody stands at the same before and after each event."""
    state = {name: take(values, prepared.whole.person) for name, values in fitted.items()}
    kept: list[tuple[Part, ...]] = []
    for batch in prepared.batches:
        here = {name: values[batch.entries] for name, values in state.items()}
        kept.append((Part(batch.played, batch.wins, here, here, {}),))
    return Replay(system, prepared, state, state if details else {}, tuple(kept) if details else ())
