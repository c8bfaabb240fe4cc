"""Systems tuned before they are compared: which parameters, over which range, on the events before a date alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from ratinglab import tasks
from ratinglab.calibration.calibrating import Calibration, calibrate
from ratinglab.problems import UsageError
from ratinglab.resampling import RESAMPLES
from ratinglab.scheduling import Schedule
from ratinglab.scoring import SPREAD_METRICS
from ratinglab.systems import System, parse
from ratinglab.systems.base import short
from ratinglab.tasks import HERE, Workers

PUBLISHED = "published values"
# Grid points of a range given without a number of its own, by the number of ranges: the fit goes on from the best.
_POINTS = {1: 17, 2: 9}
_POINTS_OF_MORE = 5
TUNED = (
    "system", "as_given", "parameter", "from", "to", "value", "low", "high", "at_edge", "identified", "metric",
    "score", "se", "games", "events", "before",
)  # fmt: skip


def tuned_on_earlier(
    prepared: Schedule,
    systems: Mapping[str, System],
    tune: Sequence[str],
    test_from: str | None,
    *,
    metric: str | None = None,
    min_games: int = 0,
    seed: int = 0,
    resamples: int = RESAMPLES,
    workers: Workers = HERE,
    progress: tasks.Progress | None = None,
) -> tuple[dict[str, System], dict[str, str], pd.DataFrame]:
    """The systems by their labels, those named in `tune` at their optimum before `test_from`; how each came about.

    Each text of `tune` is a system and ranges of its parameters, `elo:k=8:40,scale=400:900`, within which the best are
    fitted; low:high:count tries that many values and fits nothing, as a system that rounds its ratings needs it. A
    value without a range says which of the systems is meant where several have the name. The third part is a table, a
    row for each parameter tuned. Raises `UsageError` without a `test_from`, or where a text fits no system, or several.
    """
    if tune and test_from is None:
        told = "parameters are tuned on the events before it, and judged on those from then on"
        raise UsageError(f"--tune needs --test-from DATE: {told}")
    axes: dict[str, list[str]] = {}
    for text in tune:
        label, ranges = _asked(text, systems)
        if label in axes:
            raise UsageError(f"{label} is tuned twice: put all its ranges into one --tune, with commas between")
        axes[label] = ranges
    chosen: dict[str, System] = {}
    how: dict[str, str] = {}
    tables = []
    for label, system in systems.items():
        if label not in axes:
            chosen[label], how[label] = system, _as_given(system)
            continue
        fit = not any(axis.count(":") > 1 for axis in axes[label])
        try:
            found = calibrate(
                prepared,
                system,
                [
                    axis if not fit else f"{axis}:{_POINTS.get(len(axes[label]), _POINTS_OF_MORE)}"
                    for axis in axes[label]
                ],
                fit=fit,
                test_from=test_from,
                # of a system without spreads a metric of spreads says nothing
                metric=metric if system.has_spread or metric not in SPREAD_METRICS else None,
                min_games=min_games,
                seed=seed,
                resamples=resamples,
                workers=workers,
                progress=progress,
            )
        except UsageError as error:
            raise UsageError(f"--tune {label}: {error}") from None
        if found.best.label != label and found.best.label in {*systems, *chosen}:
            raise UsageError(f"{label}, tuned, is {found.best.label}, which is compared already")
        values = ", ".join(f"{axis.name}={short(found.best.value(axis.name))}" for axis in found.axes)
        chosen[found.best.label] = found.best
        how[found.best.label] = f"tuned on events before {test_from}: {values}"
        tables.append(_table(found, label))
    return chosen, how, pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(TUNED))


def _as_given(system: System) -> str:
    own = system.own_parameters()
    return "as given: " + ", ".join(f"{name}={short(value)}" for name, value in own.items()) if own else PUBLISHED


def _asked(text: str, systems: Mapping[str, System]) -> tuple[str, list[str]]:
    """The label of the system that a text of `tune` means, and its ranges as axes."""
    name, _, rest = text.partition(":")
    pieces = [piece.strip() for piece in rest.split(",") if piece.strip()]
    ranges = [piece for piece in pieces if ":" in piece]
    if not ranges:
        raise UsageError(f"expected a system and ranges to tune, as elo:k=8:40,scale=400:900; found {text}")
    fixed = [piece for piece in pieces if ":" not in piece]
    meant = parse(name + (":" + ",".join(fixed) if fixed else ""))
    alike = [label for label, one in systems.items() if type(one) is type(meant)]
    found = [meant.label] if meant.label in systems else alike if not fixed else []
    if len(found) != 1:
        told = "several of the systems compared" if found else "none of the systems compared"
        raise UsageError(f"--tune {text} fits {told}: {', '.join(systems)}")
    if len({piece.count(":") for piece in ranges}) > 1:
        raise UsageError(f"either all ranges of --tune have a number of values or none has; found {text}")
    return found[0], ranges


def _table(found: Calibration, as_given: str) -> pd.DataFrame:
    """A row for each parameter that was tuned."""
    ranges = {axis.name: (min(axis.values), max(axis.values)) for axis in found.axes}
    rows = []
    for row in found.parameters.to_dict("records"):
        low, high = ranges[row["name"]]
        rows.append(
            {
                "system": found.best.label,
                "as_given": as_given,
                "parameter": row["name"],
                "from": low,
                "to": high,
                **{name: row[name] for name in ("value", "low", "high", "at_edge", "identified")},
                "metric": found.metric,
                "score": found.value,
                "se": found.se,
                "games": found.games,
                "events": found.events,
                "before": found.test_from,
            }
        )
    return pd.DataFrame(rows, columns=list(TUNED))
