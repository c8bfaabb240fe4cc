"""Adds up what an update writes down, as a reader of an explanation would."""

from __future__ import annotations

import numpy as np

from ratinglab.replaying import Replay
from ratinglab.systems.workings import GAMES, RULE, Workings


def added(workings: Workings, entries: int) -> np.ndarray:
    """All points of each entry, (entries, p), over games and rules; a point that is not there counts as none."""
    total = np.zeros((entries, 1))
    for step in workings.steps:
        points = np.nan_to_num(np.asarray(step.columns.get("points", 0.0), dtype=float))
        if step.kind == GAMES:
            for line, entry in enumerate(step.batch.directed.entry):
                total[entry] += points[line]
        elif step.kind == RULE:
            total = total + np.broadcast_to(points, (entries, np.shape(points)[-1] if np.ndim(points) > 1 else 1))
    return total


def check_workings(result: Replay) -> None:
    """Every batch of a replay, updated once more and told: the same ratings, and points that add up to the change."""
    for batch in result.schedule.batches:
        workings = Workings()
        before = {name: values[batch.entries] for name, values in result.before.items()}
        update = result.system.update(before, batch.told_from_both_sides, workings)
        for name, values in update.state.items():
            np.testing.assert_allclose(values, result.after[name][batch.entries], rtol=0, atol=1e-9)
        # nobody's rating counts as nothing
        change = np.nan_to_num(update.state["rating"]) - np.nan_to_num(before["rating"])
        np.testing.assert_allclose(added(workings, len(batch.person)), change, rtol=0, atol=1e-9)
