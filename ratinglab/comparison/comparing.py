"""Systems side by side on the same games: scores, paired differences, groups of games, and which may be the best.

What is tuned first is in `tuning`, what a page says of it all in `ratinglab.reports.comparison_page`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ratinglab import tasks
from ratinglab.comparison.paired import LOSSES, differences
from ratinglab.comparison.side_by_side import (
    OVER_TIME,
    Work,
    against_coin,
    differences_table,
    groups_table,
    one_system,
    scores_table,
)
from ratinglab.comparison.subsets import game_subsets, stretches
from ratinglab.comparison.tuning import tuned_on_earlier
from ratinglab.history import History
from ratinglab.ordering import order_differences, order_scores
from ratinglab.problems import UsageError
from ratinglab.replaying import replay
from ratinglab.resampling import RESAMPLES
from ratinglab.scheduling import Schedule, schedule
from ratinglab.scoring import SPREAD_METRICS, counted_games
from ratinglab.systems import System, parse
from ratinglab.tables import iso_day
from ratinglab.tasks import HERE, Workers
from ratinglab.terminal import many

__all__ = ["Comparison", "compare", "differences"]


@dataclass(frozen=True)
class Comparison:
    """What `compare` found; the tables' columns are told in docs/tables.md, systems stand there by their labels.

    `systems` are those compared game by game, the `reference` first unless it could not be; `bounds` those among them
    that look back on all games. `scores` says of each system `how` its parameters came about. `games` of `events` are
    those scored. `order` and `order_differences` are there where systems are held against final places.
    `notes` are sentences on what was left out, or taken otherwise than it might seem.
    """

    schedule: Schedule
    systems: Mapping[str, System]
    reference: str
    bounds: tuple[str, ...]
    metric: str
    test_from: str | None
    games: int
    events: int
    ties: int
    unknown_spreads: int
    scores: pd.DataFrame
    differences: pd.DataFrame
    coin: pd.DataFrame
    by_gap: pd.DataFrame
    by_subset: pd.DataFrame
    over_time: pd.DataFrame
    reliability: pd.DataFrame
    tuned: pd.DataFrame
    order: pd.DataFrame | None
    order_differences: pd.DataFrame | None
    notes: tuple[str, ...]
    options: Mapping[str, Any]

    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table by the name of its file; those without a row are left out."""
        found = {
            "scores.csv": self.scores,
            "differences.csv": self.differences,
            "coin.csv": self.coin,
            "gaps.csv": self.by_gap,
            "subsets.csv": self.by_subset,
            "times.csv": self.over_time,
            "reliability.csv": self.reliability,
            "tuned.csv": self.tuned,
            "order.csv": self.order,
            "order-differences.csv": self.order_differences,
        }
        return {name: table for name, table in found.items() if table is not None and len(table)}


def compare(
    history: History | Schedule,
    systems: Sequence[System | str],
    *,
    test_from: str | None = None,
    tune: Sequence[str] = (),
    metric: str | None = None,
    start: str = "filed",
    min_games: int = 0,
    seed: int = 0,
    resamples: int = RESAMPLES,
    workers: Workers = HERE,
    progress: tasks.Progress | None = None,
) -> Comparison:
    """Two systems or more on the same games; the first that forecasts games is the reference of all differences.

    Scored are games of events that end on or after `test_from` (an ISO date; by default all), between two who had
    `min_games` rated games in the history before; every system replays everything and forecasts each game before its
    event. `tune` names parameters that are first fitted on the events before `test_from` alone, as
    `elo:k=8:40,scale=400:900`. `metric` is what groups of games are told by: the spread log score where every system
    forecasts spreads and some spread is known, else the log loss.

    Where a system rates placings, or the history has placings and no games, systems are held against final places
    (`ratinglab.ordering.order_scores`), which counts all events. Systems that look back on all games are a bound.
    Raises `UsageError` where there is nothing to compare.
    """
    chosen = _chosen(systems)
    prepared = history if isinstance(history, Schedule) else schedule(history, start=start)
    if prepared.rates != "games":
        prepared = schedule(prepared.history, start=prepared.start)
    settings: dict[str, Any] = {"metric": metric, "min_games": min_games, "seed": seed, "resamples": resamples}
    if test_from is not None:
        iso_day(test_from)
    chosen, how, tuned = tuned_on_earlier(
        prepared, chosen, tune, test_from, **settings, workers=workers, progress=progress
    )
    notes: list[str] = []
    side_by_side = _side_by_side(prepared, chosen, notes)
    places = prepared.history.placings
    by_order = any(one.rates == "placings" for one in chosen.values()) or (len(places) > 0 and not side_by_side)
    if not by_order and not side_by_side:
        raise UsageError(_nothing(prepared, chosen))
    order, apart = _by_order(prepared, chosen, test_from, seed, resamples, notes) if by_order else (None, None)
    work = _work(prepared, side_by_side, test_from, settings, notes)
    found = tasks.run(one_system, list(side_by_side.items()), work, workers, progress)
    sums = {one.label: one.sums for one in found}
    bounds = tuple(label for label, one in side_by_side.items() if one.looks_back)
    if bounds:
        notes.append(
            f"{_listed(bounds)} looked at all games at once, those scored too: that is no forecast but a bound, "
            "which no rating can be expected to reach."
        )
    groups = groups_table(found, work, bounds)
    in_time = groups["kind"] == OVER_TIME
    whole, counted = prepared.whole, work.counted
    return Comparison(
        schedule=prepared,
        systems=chosen,
        reference=work.reference,
        bounds=bounds,
        metric=work.metric,
        test_from=test_from,
        games=int(counted.sum()),
        events=len(np.unique(prepared.event_of_game()[counted])),
        ties=int((whole.result[counted] == 0.5).sum()),
        unknown_spreads=int(np.isnan(whole.spread[counted]).sum()),
        scores=scores_table(found, side_by_side, how, work),
        differences=differences_table(sums, work, bounds),
        coin=against_coin(sums, work),
        by_gap=_joined([one.gaps for one in found]),
        by_subset=groups[~in_time].reset_index(drop=True),
        over_time=groups[in_time].drop(columns="kind").rename(columns={"subset": "time"}).reset_index(drop=True),
        reliability=_joined([one.reliability for one in found]),
        tuned=tuned,
        order=order,
        order_differences=apart,
        notes=tuple(dict.fromkeys(notes)),
        options={"test_from": test_from, "tune": list(tune), "start": prepared.start, **settings},
    )


def _chosen(systems: Sequence[System | str]) -> dict[str, System]:
    """The systems by their labels, each once, a grid as one for each of its columns."""
    chosen: dict[str, System] = {}
    for given in systems:
        system = parse(given) if isinstance(given, str) else given
        for single in [system.column(i) for i in range(system.grid_size)] if system.grid_size else [system]:
            chosen.setdefault(single.label, single)
    if len(chosen) < 2:
        raise UsageError(f"a comparison needs two different systems or more; found {', '.join(chosen) or 'none'}")
    return chosen


def _side_by_side(prepared: Schedule, chosen: Mapping[str, System], notes: list[str]) -> dict[str, System]:
    """The systems whose forecasts of games can be compared; none where that is fewer than two, or nobody played."""
    of_games = {label: one for label, one in chosen.items() if one.rates == "games"}
    of_places = [label for label in chosen if label not in of_games]
    if len(of_games) < 2 or all(one.looks_back for one in of_games.values()) or not len(prepared.whole.a):
        return {}
    if of_places:
        notes.append(f"{_listed(of_places)} rates places and forecasts no games: compared by final places alone.")
    return of_games


def _nothing(prepared: Schedule, chosen: Mapping[str, System]) -> str:
    if not len(prepared.whole.a):
        return "a comparison needs a rated game, or places; found neither"
    return f"of these systems fewer than two can be compared, since one must forecast games: {', '.join(chosen)}"


def _work(
    prepared: Schedule,
    side_by_side: Mapping[str, System],
    test_from: str | None,
    settings: Mapping[str, Any],
    notes: list[str],
) -> Work:
    """The games that count, and their groups; the first system that forecasts what is scored is the reference."""
    asked, seed, resamples = (settings[name] for name in ("metric", "seed", "resamples"))
    if not side_by_side:
        return Work(prepared, "", np.zeros(len(prepared.whole.a), dtype=bool), {}, "", seed, resamples)
    able = [label for label, one in side_by_side.items() if not one.looks_back]
    rated = replay(prepared, side_by_side[able[0]])
    counted, since = np.ones(len(prepared.whole.a), dtype=bool), ""
    if test_from is not None:
        since = f" of events that end on or after {test_from}"
        day = prepared.whole.day[prepared.whole.game_period]
        counted = day >= np.datetime64(test_from)  # a day that is not known is not
        undated = int(np.isnat(day).sum())
        if undated:
            notes.append(f"{many(undated, 'game')} of events without a date are in neither part and not scored.")
        if not counted.any():
            raise UsageError(f"there is no rated game{since}; the last such event ends on {_last_day(day)}")
    counted = counted & counted_games(rated, settings["min_games"])
    if not counted.any():
        told = f"{settings['min_games']} rated games before the event"
        raise UsageError(f"there is no rated game{since} whose two sides had {told}")
    metric = _metric(asked, side_by_side, bool((~np.isnan(prepared.whole.spread[counted])).any()))
    reference = next(label for label in able if side_by_side[label].has_spread or metric not in SPREAD_METRICS)
    if reference != able[0]:
        rated = replay(prepared, side_by_side[reference])
    groups = {key: mask & counted for key, mask in game_subsets(prepared, strength=rated).items()}
    groups |= {(OVER_TIME, name): mask & counted for name, mask in stretches(prepared, counted).items()}
    groups = {key: mask for key, mask in groups.items() if mask.any()}
    for one in side_by_side.values():
        notes += [f"{notice}." for notice in one.notices(prepared) if not one.looks_back]
    return Work(prepared, reference, counted, groups, metric, seed, resamples)


def _metric(asked: str | None, side_by_side: Mapping[str, System], spreads: bool) -> str:
    """The metric that groups of games are told by."""
    able = [one for one in side_by_side.values() if not one.looks_back]
    having = [one for one in able if one.has_spread]
    if asked is None:
        return "spread_log_score" if spreads and len(having) == len(able) else "log_loss"
    if asked not in LOSSES:
        raise UsageError(f"systems are compared by a score: one of {', '.join(LOSSES)}; found {asked}")
    if asked in SPREAD_METRICS and not (spreads and having):
        why = "no system here forecasts spreads" if spreads else "no spread is known"
        raise UsageError(f"{asked} is of spreads, and {why}")
    return asked


def _by_order(
    prepared: Schedule,
    chosen: Mapping[str, System],
    test_from: str | None,
    seed: int,
    resamples: int,
    notes: list[str],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """How well ratings foretold final places, and the differences from the first system."""
    looking_back = [label for label, one in chosen.items() if one.looks_back]
    if looking_back:
        notes.append(
            f"{_listed(looking_back)} looks back on all games, so it foretells no order and is left out there."
        )
    left = {label: one for label, one in chosen.items() if not one.looks_back}
    if len(left) < 2:
        raise UsageError(f"by final places two systems or more are compared; found {', '.join(left) or 'none'}")
    if test_from is not None:
        notes.append(f"Final places are compared over all events, also those before {test_from}.")
    history = prepared.history
    settings: dict[str, Any] = {"start": prepared.start, "seed": seed, "resamples": resamples}
    order = order_scores(history, list(left.values()), **settings)
    order["system"] = list(left)
    reference, *others = left
    apart = []
    for label in others:
        table = order_differences(history, left[reference], left[label], **settings)
        table = table.rename(columns={"reference": "value_reference", "reference_se": "value_reference_se"})
        table = table.rename(columns={"other": "value", "other_se": "value_se"})
        table.insert(0, "reference", reference)
        table.insert(0, "system", label)
        apart.append(table)
    return order, pd.concat(apart, ignore_index=True)


def _joined(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def _last_day(day: npt.NDArray[np.datetime64]) -> str:
    known = day[~np.isnat(day)]
    return str(known.max()) if len(known) else "no known day"


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
