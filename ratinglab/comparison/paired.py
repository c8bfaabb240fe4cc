"""Paired differences: how systems' forecasts differ on the same games, and which of them may be the best.

Sums per event (`ratinglab.scoring.EventSums`) are all that is needed; the tests are in `confidence_set`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ratinglab.comparison.confidence_set import Outcome, confidence_set, diebold_mariano
from ratinglab.periods import Floats
from ratinglab.problems import UsageError
from ratinglab.resampling import RESAMPLES, event_draws, interval, standard_error
from ratinglab.scoring import EventSums

# Metrics that are a mean loss of games (of spread_rmse the squared error), -1 where more is better.
LOSSES = {"log_loss": 1, "brier": 1, "accuracy": -1, "spread_log_score": 1, "spread_rmse": 1, "spread_crps": 1}
DIFFERENCES = ("system", "reference", "metric", "difference", "se", "low", "high", "dm", "p", "in_best_set")


def differences(
    sums: Mapping[str, EventSums],
    reference: str,
    metrics: Sequence[str],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    bounds: Collection[str] = (),
) -> pd.DataFrame:
    """How each system's forecasts differ from the reference's on the same games, one row for each system and metric.

    `sums` are each system's `ratinglab.scoring.event_sums` over the same games. `difference` is system less reference,
    `se`, `low` and `high` (95 %) come from resampling events, with the same resamples for all. `dm` and `p` are the
    Diebold–Mariano test on the events' summed losses in time order (`dm` above 0: worse), `in_best_set` whether the
    system is in the model confidence set of all (`confidence_set`); of `spread_rmse` they are of the squared
    error.
    The reference has rows of its own, with a difference of 0. What a system does not have is missing, and so are the
    tests of a metric that is no mean loss (`z_sd`, the calibration line). `bounds` are systems that have seen the
    games: they are in no confidence set. Raises `UsageError` where the games are not the same.
    """
    if reference not in sums:
        raise UsageError(f"the reference is one of the systems: {', '.join(sums)}; found {reference}")
    of_reference = sums[reference]
    for name, one in sums.items():
        if not np.array_equal(one.games, of_reference.games):
            raise UsageError(f"systems are compared on the same games; {name} and {reference} counted others")
    events = len(of_reference.games)
    draws = event_draws(events, seed, resamples)
    weights = np.vstack([np.ones((1, events)), draws])
    values = {name: one.metrics(weights) for name, one in sums.items()}
    best = {metric: _best(sums, metric, draws, bounds) for metric in metrics}
    nothing = np.full(len(weights), np.nan)
    rows: list[dict[str, Any]] = []
    for name in sums:
        for metric in metrics:
            have, against = (values[system].get(metric, nothing) for system in (name, reference))
            difference = have - against
            low, high = interval(difference[1:])
            dm, p = _tested(sums[name], of_reference, metric)
            row = {"system": name, "reference": reference, "metric": metric, "difference": difference[0]}
            row |= {"se": standard_error(difference[1:]), "low": low, "high": high, "dm": dm, "p": p}
            rows.append(row | {"in_best_set": best[metric].get(name)})
    table = pd.DataFrame(rows, columns=list(DIFFERENCES))
    return table.astype({"in_best_set": "boolean"})


def known_metrics(sums: EventSums) -> Collection[str]:
    """The metrics that these sums make."""
    return sums.metrics(np.ones((1, len(sums.games))))


def _has_losses(sums: EventSums, metric: str) -> bool:
    """Whether the metric is a mean loss, and one of which the system has sums."""
    return metric in LOSSES and metric in known_metrics(sums)


def _event_losses(sums: EventSums, metric: str) -> tuple[Floats, Floats]:
    """The summed losses, and the games, of each event that has a game for the metric."""
    losses, games = sums.summed(metric)
    return LOSSES[metric] * losses[games > 0, 0], games[games > 0]


def _tested(one: EventSums, other: EventSums, metric: str) -> Outcome:
    """The Diebold–Mariano test of two systems; not known where either does not have the metric."""
    if not (_has_losses(one, metric) and _has_losses(other, metric)):
        return Outcome(float("nan"), float("nan"))
    return diebold_mariano(_event_losses(one, metric)[0] - _event_losses(other, metric)[0])


def _best(sums: Mapping[str, EventSums], metric: str, draws: Floats, bounds: Collection[str]) -> dict[str, bool]:
    """Of each system that has the metric, whether it is in the confidence set."""
    having = [name for name, one in sums.items() if _has_losses(one, metric)]
    candidates = [name for name in having if name not in bounds]
    found = dict.fromkeys(having, False)
    if candidates:
        losses = np.stack([_event_losses(sums[name], metric)[0] for name in candidates], axis=1)
        every, (_, games) = sums[candidates[0]].summed(metric)[1], _event_losses(sums[candidates[0]], metric)
        drawn = draws[:, every > 0]
        drawn = drawn[drawn.any(axis=1)]
        found |= dict(zip(candidates, confidence_set(losses, games, drawn).tolist(), strict=True))
    return found
