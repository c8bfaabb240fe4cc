"""What every update's workings must give: points that add up to the change, weights that add up to 1/deviation²."""

from __future__ import annotations

import numpy as np

from ratinglab.replaying import Replay
from ratinglab.systems.workings import GAMES, Workings


def added(workings: Workings, column: str, entries: int) -> np.ndarray:
    """The sum of a column over games and rules, (entries, 1 or p), as a reader of an explanation adds it up.

    A figure that is not there (nan) counts as none.
    """
    total = np.zeros((entries, 1))
    for step in workings.steps:
        if column not in step.columns:
            continue
        values = np.nan_to_num(np.asarray(step.columns[column], dtype=float))
        if step.kind == GAMES:
            here = np.zeros((entries, values.shape[1]))
            np.add.at(here, step.batch.directed.entry, values)
            values = here
        total = total + values
    return total


def check_workings(result: Replay) -> None:
    """Every batch of a replay, updated once more and told: the same figures, and sums that are the changes."""
    for batch in result.schedule.batches:
        workings = Workings()
        before = {name: values[batch.entries] for name, values in result.before.items()}
        after = result.system.update(before, batch.told_from_both_sides, workings).state
        for name, values in after.items():
            np.testing.assert_allclose(values, result.after[name][batch.entries], rtol=0, atol=1e-9)
        n = len(batch.person)
        # nobody's rating counts as nothing
        change = np.nan_to_num(after["rating"]) - np.nan_to_num(before["rating"])
        np.testing.assert_allclose(added(workings, "points", n), change, rtol=0, atol=1e-9)
        if "deviation" in after:
            sharper = 1 / np.square(after["deviation"]) - 1 / np.square(before["deviation"])
            np.testing.assert_allclose(added(workings, "information", n), sharper, rtol=0, atol=1e-12)
