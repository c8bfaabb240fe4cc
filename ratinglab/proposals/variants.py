"""Everything re-rated under many variants at once: which formula, which K, which threshold, read off one table.

Variants of one system that differ in numbers alone go through one replay (the parameter axis); others are replays of
their own. Each of those is a task of a fixed size, so the figures do not depend on who runs them.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from ratinglab.comparison.comparing import differences
from ratinglab.ordering import order_differences
from ratinglab.problems import UsageError
from ratinglab.proposals.levels import cohort
from ratinglab.proposals.proposing import check_proposable, judged_by_order
from ratinglab.replaying import replay
from ratinglab.resampling import RESAMPLES, event_draws, standard_error
from ratinglab.scheduling import Schedule, schedule
from ratinglab.scoring import EventSums, counted_games, event_sums, parameters_text
from ratinglab.systems import System, parse
from ratinglab.tasks import HERE, Progress, Workers, run

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.replaying import Replay

TILE = 16  # systems in one replay at most
MOST = 1000  # variants in one table
METRICS = ("log_loss", "brier", "calibration_slope")
_QUANTILES = {"p10": 0.1, "median": 0.5, "p90": 0.9}


def expand(text: str) -> list[System]:
    """The systems that `name:key=value|value,key=value` stands for: every combination, the last key fastest.

    Alternatives stand between `|`, of values and of names. Raises `UsageError` for what `parse` refuses.

    >>> [system.label for system in expand("elo:k=16|32,scale=400|700")]
    ['elo:k=16,scale=400', 'elo:k=16,scale=700', 'elo:k=32,scale=400', 'elo:k=32,scale=700']
    >>> [system.label for system in expand("elo|wespa")]
    ['elo', 'wespa']
    """
    names, _, rest = text.partition(":")
    settings = [setting.partition("=") for setting in rest.split(",")] if rest.strip() else []
    choices = [[f"{key}{equals}{value}" for value in values.split("|")] for key, equals, values in settings]
    count = len(names.split("|")) * int(np.prod([len(choice) for choice in choices], dtype=float))
    if count > MOST:
        raise UsageError(f"{text} stands for {count} systems; expected {MOST} at most")
    return [
        parse(name.strip() + (":" + ",".join(chosen) if chosen else ""))
        for name in names.split("|")
        for chosen in itertools.product(*choices)
    ]


class _Tile(NamedTuple):
    """Systems that one replay rates: their places among all, and the system with their values as arrays."""

    places: tuple[int, ...]
    system: System


def tiles(systems: Sequence[System]) -> list[_Tile]:
    """The systems in as few replays as they need, at most `TILE` in each; by the first of each kind.

    Together are those of one class whose parameters that are not numbers agree.
    """
    kinds: dict[Any, list[int]] = {}
    for place, system in enumerate(systems):
        kinds.setdefault((type(system), _words(system)), []).append(place)
    return [
        _Tile(tuple(places[i : i + TILE]), _joined([systems[place] for place in places[i : i + TILE]]))
        for places in kinds.values()
        for i in range(0, len(places), TILE)
    ]


def _words(system: System) -> tuple[tuple[str, Any], ...]:
    """The parameters that are no numbers: words, switches, lists by nature."""
    return tuple((name, value) for name, value in _values(system) if not isinstance(value, float))


def _values(system: System) -> Iterable[tuple[str, Any]]:
    return [(f.name, getattr(system, f.name)) for f in dataclasses.fields(system)]


def _joined(systems: Sequence[System]) -> System:
    """One system with the numbers of these as arrays, where they differ."""
    varying: dict[str, Any] = {}
    for name, value in _values(systems[0]):
        column = tuple(getattr(system, name) for system in systems)
        if isinstance(value, float) and len(set(column)) > 1:
            varying[name] = column
    return dataclasses.replace(systems[0], **varying)


def variants(
    history: History,
    current: System | str,
    systems: Iterable[System | str],
    *,
    since: str | None = None,
    min_games: int = 0,
    start: str = "filed",
    seed: int = 0,
    resamples: int = RESAMPLES,
    workers: Workers = HERE,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """The history re-rated under each of `systems`, and under `current`, which stands first: a row each.

    Columns: system (label), parameters; log_loss, brier, calibration_slope with `_se`; difference of the log loss from
    the current system's on the same games with difference_se, difference_low, difference_high (95 %, by event), and
    in_best_set (`ratinglab.comparison`). Of the ratings at the end: rated (players), settled (those of them with the
    lifetime games that the current system asks of a settled player), and of these mean, sd, p10, median, p90; drift (of
    a fixed cohort: `levels.cohort`) with drift_se, points from its first date to the last.
    Of systems of places the score is the concordance with the final order, and a difference above 0 is better.

    Raises `UsageError` as `proposing.propose`.
    """
    first = parse(current) if isinstance(current, str) else current
    others = [system for one in systems for system in (expand(one) if isinstance(one, str) else [one])]
    every = list(dict.fromkeys([first, *others]))
    for one in every:
        check_proposable(one)
    if len(every) > MOST:
        raise UsageError(f"{len(every)} variants are asked for; expected {MOST} at most")
    history = history.between(since, None)
    if judged_by_order(history, every):
        return _by_order(history, every, start, seed, resamples, progress)
    prepared = schedule(history, start=start)
    planned = tiles(every)
    shared = (prepared, min_games, _settled(prepared, first.settled_games), seed, resamples)
    made = run(_tile, planned, shared, workers, progress)
    of: dict[int, tuple[EventSums, dict[str, Any]]] = {}
    for tile, columns in zip(planned, made, strict=True):
        of |= dict(zip(tile.places, columns, strict=True))
    sums = {str(place): of[place][0] for place in range(len(every))}
    if not len(sums["0"].games):
        raise UsageError("variants are judged by rated games, and this history has none")
    apart = differences(sums, "0", ["log_loss"], seed=seed, resamples=resamples)
    draws = event_draws(len(sums["0"].games), seed, resamples)
    rows = []
    for place, system in enumerate(every):
        values, drawn = (sums[str(place)].metrics(weights) for weights in (np.ones((1, draws.shape[1])), draws))
        row: dict[str, Any] = {"system": system.label, "parameters": parameters_text(system)}
        for metric in METRICS:
            row |= {metric: float(values[metric][0]), f"{metric}_se": standard_error(drawn[metric])}
        told = apart.iloc[place]
        row |= {"difference": told["difference"]}
        row |= {f"difference_{name}": told[name] for name in ("se", "low", "high")}
        rows.append(row | {"in_best_set": bool(told["in_best_set"])} | of[place][1])
    return pd.DataFrame(rows)


def _tile(
    shared: tuple[Schedule, int, frozenset[str], int, int], tile: _Tile
) -> list[tuple[EventSums, dict[str, Any]]]:
    """What one replay gives: each system's sums per event, and its ratings at the end."""
    prepared, min_games, settled, seed, resamples = shared
    result = replay(prepared, tile.system)
    sums = event_sums(result, counted_games(result, min_games), METRICS)
    made = []
    for column in range(len(tile.places)):
        own = {name: values[:, column : column + 1] for name, values in sums.sums.items()}
        single = result.column(column) if tile.system.grid_size else result
        level = _level(single, settled) | _drift(single, seed, resamples)
        made.append((EventSums(sums.games, own, sums.line[:, column : column + 1]), level))
    return made


def _level(result: Replay, settled: frozenset[str]) -> dict[str, Any]:
    """Where the ratings of settled players stand at the end, and how many are rated at all."""
    ratings = result.ratings()
    of = ratings.loc[ratings["player"].isin(settled), "rating"]
    level: dict[str, Any] = {"rated": len(ratings), "settled": len(of), "mean": of.mean(), "sd": of.std(ddof=0)}
    return level | {name: of.quantile(share) for name, share in _QUANTILES.items()}


def _settled(prepared: Schedule, games: float) -> frozenset[str]:
    """Who has that many lifetime games at the end; somebody filed with a rating and no number is taken to have had."""
    whole = prepared.whole
    lifetime = whole.lifetime_games(np.inf)[:, 0] + whole.played
    names = prepared.history.entries["player"].to_numpy()[prepared.entry_row]
    in_time = np.argsort(whole.entry_period, kind="stable")
    last = pd.Series(lifetime[in_time]).groupby(names[in_time]).last()
    return frozenset(str(name) for name in last.index[last >= games])


def _drift(result: Replay, seed: int, resamples: int) -> dict[str, Any]:
    """How far the mean of a fixed cohort moved; missing where there is none, or the history has no dates."""
    try:
        table = cohort(result, seed=seed, resamples=resamples)
    except UsageError:
        table = pd.DataFrame()
    if not len(table):
        return {"drift": np.nan, "drift_se": np.nan}
    last = table.iloc[-1]
    return {"drift": float(last["change"]), "drift_se": float(last["change_se"])}


def _by_order(
    history: History, every: Sequence[System], start: str, seed: int, resamples: int, progress: Progress | None
) -> pd.DataFrame:
    rows = []
    for done, system in enumerate(every, 1):
        told = order_differences(history, every[0], system, start=start, seed=seed, resamples=resamples).iloc[0]
        row: dict[str, Any] = {"system": system.label, "parameters": parameters_text(system)}
        row |= {"concordance": told["other"], "concordance_se": told["other_se"], "difference": told["difference"]}
        rows.append(row | {f"difference_{name}": told[name] for name in ("se", "low", "high")})
        if progress is not None:
            progress(done, len(every))
    return pd.DataFrame(rows)
