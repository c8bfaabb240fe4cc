"""What every update's workings must give: points that add up to the change, weights that add up to 1/deviation²."""

from __future__ import annotations

import numpy as np

from ratinglab.history import History
from ratinglab.periods import tally
from ratinglab.scheduling import schedule
from ratinglab.systems import System
from ratinglab.systems.workings import GAMES, Workings


def summed(workings: Workings, column: str, entries: int) -> np.ndarray:
    """The sum of a column over games and rules, (entries,)."""
    total = np.zeros(entries)
    for step in workings.steps:
        values = step.columns.get(column)
        if values is None:
            continue
        values = np.asarray(values, dtype=float)[:, 0]
        total += tally(step.batch.directed.entry, values, entries) if step.kind == GAMES else values
    return total


def assert_adds_up(system: System, history: History) -> None:
    """Rates event after event with and without workings: the same figures, and sums that are the changes."""
    prepared = schedule(history)
    whole = prepared.whole
    people = int(whole.person.max(initial=-1)) + 1
    now = {name: np.full((people, 1), np.nan) for name in system.state_names}
    for batch in prepared.batches:
        state = {name: values[batch.person] for name, values in now.items()}
        starting = batch.starting
        for name, values in system.start(batch, starting).items():
            state[name][starting] = values
        state = system.age(state, batch)
        plain, workings = system.update(state, batch).state, Workings()
        told = system.update(state, batch.told_from_both_sides, workings).state
        n = len(batch.person)
        for name in system.state_names:
            np.testing.assert_allclose(told[name], plain[name], rtol=0, atol=1e-9)
            now[name][batch.person] = plain[name]
        change = (plain["rating"] - state["rating"])[:, 0]
        np.testing.assert_allclose(summed(workings, "points", n), change, rtol=0, atol=1e-9)
        if "deviation" in state:
            weights = [1 / np.square(of["deviation"][:, 0]) for of in (state, plain)]
            np.testing.assert_allclose(summed(workings, "information", n), weights[1] - weights[0], rtol=0, atol=1e-12)
