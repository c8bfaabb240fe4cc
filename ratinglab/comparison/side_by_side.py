"""Systems side by side: the task that is done for each of them, and the tables made of what all found.

A task replays its system over the shared schedule and keeps sums per event, so that every uncertainty and difference
comes from the same resampled events for all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from ratinglab.comparison.paired import DIFFERENCES, differences, known_metrics
from ratinglab.comparison.subsets import Subsets
from ratinglab.periods import Bools
from ratinglab.reliability import rating_gaps, reliability
from ratinglab.replaying import replay
from ratinglab.resampling import event_draws, interval, standard_error
from ratinglab.scheduling import Schedule
from ratinglab.scoring import METRICS, SPREAD_METRICS, EventSums, brier, event_sums, log_loss, score_row
from ratinglab.systems import System

COIN = "a coin"
OVER_TIME = "time"  # the kind of group that tells a history over time


class Work(NamedTuple):
    """What the task of every system shares."""

    schedule: Schedule
    reference: str
    counted: Bools  # (games,)
    groups: Subsets
    metric: str
    seed: int
    resamples: int


class Found(NamedTuple):
    """What one system's forecasts came to."""

    label: str
    sums: EventSums
    groups: Mapping[tuple[str, str], EventSums]
    gaps: pd.DataFrame
    reliability: pd.DataFrame


def one_system(work: Work, item: tuple[str, System]) -> Found:
    """Replay one system and keep what its forecasts of the counted games come to."""
    label, system = item
    rated = replay(work.schedule, system, details=False)
    known = (*METRICS, *(SPREAD_METRICS if system.has_spread else ()))
    asked = [work.metric] if work.metric in known else []
    tables = []
    for make in (rating_gaps, reliability):
        table = make(rated, work.seed, counted=work.counted, resamples=work.resamples)
        table.insert(0, "system", label)
        tables.append(table.iloc[:0] if system.looks_back else table)
    return Found(
        label,
        event_sums(rated, work.counted, known),
        {key: event_sums(rated, mask, asked) for key, mask in work.groups.items()},
        *tables,
    )


def scores_table(
    found: Sequence[Found], systems: Mapping[str, System], how: Mapping[str, str], work: Work
) -> pd.DataFrame:
    """The table of scores (`ratinglab.scoring.score`) of the systems by their labels, and `how` each came about."""
    rows = []
    for one in found:
        system = systems[one.label]
        known = (*METRICS, *(SPREAD_METRICS if system.has_spread else ()))
        draws = event_draws(len(one.sums.games), work.seed, work.resamples)
        row = score_row(system, one.sums, known, draws)
        rows.append({"system": one.label, "parameters": row.pop("parameters"), "how": how[one.label]} | row)
        rows[-1]["system"] = one.label
    return pd.DataFrame(rows)


def differences_table(sums: Mapping[str, EventSums], work: Work, bounds: Collection[str]) -> pd.DataFrame:
    """The differences of every metric that a system has (`paired.differences`)."""
    if not sums:
        return pd.DataFrame(columns=list(DIFFERENCES))
    metrics = [*METRICS, *SPREAD_METRICS]
    known = [metric for metric in metrics if any(metric in known_metrics(one) for one in sums.values())]
    return differences(sums, work.reference, known, seed=work.seed, resamples=work.resamples, bounds=bounds)


def against_coin(sums: Mapping[str, EventSums], work: Work) -> pd.DataFrame:
    """How much better than a coin each system forecasts wins: as `differences`, the coin the reference."""
    if not sums:
        return pd.DataFrame(columns=list(DIFFERENCES[:-1]))
    games = sums[work.reference].games
    half = np.full(1, 0.5)
    of_coin = {"log_loss": log_loss(np.ones(1), half), "brier": brier(np.ones(1), half)}
    coin = EventSums(games, {name: games[:, None] * loss for name, loss in of_coin.items()}, np.full((2, 1), np.nan))
    table = differences({COIN: coin, **sums}, COIN, list(of_coin), seed=work.seed, resamples=work.resamples)
    return table[table["system"] != COIN].drop(columns="in_best_set").reset_index(drop=True)


GROUPS = (
    "system", "kind", "subset", "games", "events", "metric", "value", "se", "reference", "difference", "low", "high",
)  # fmt: skip


def groups_table(found: Sequence[Found], work: Work, bounds: Collection[str]) -> pd.DataFrame:
    """The metric of each system and group of games, with the difference from the reference on the same games."""
    rows = []
    for kind, name in work.groups:
        of_group = {one.label: one.groups[kind, name] for one in found if one.label not in bounds}
        games = of_group[work.reference].games
        weights = np.vstack([np.ones((1, len(games))), event_draws(len(games), work.seed, work.resamples)])
        nothing = np.full(len(weights), np.nan)
        values = {label: one.metrics(weights).get(work.metric, nothing) for label, one in of_group.items()}
        for label, have in values.items():
            apart = have - values[work.reference]
            row = {"system": label, "kind": kind, "subset": name, "games": int(games.sum()), "events": len(games)}
            row |= {"metric": work.metric, "value": have[0], "se": standard_error(have[1:])}
            row |= {"reference": work.reference, "difference": apart[0]}
            rows.append(row | dict(zip(("low", "high"), interval(apart[1:]), strict=True)))
    return pd.DataFrame(rows, columns=list(GROUPS))
