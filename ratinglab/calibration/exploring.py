"""One system seen from all sides, quickly: what sliders show of it as they move.

Scores of the whole history, reliability, and the seeding of one event as it would have been before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from ratinglab.problems import UsageError
from ratinglab.reliability import reliability
from ratinglab.replaying import replay
from ratinglab.scoring import score
from ratinglab.seeding.seeding import seed
from ratinglab.systems import parse

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ratinglab.calibration.grids import Axis
    from ratinglab.scheduling import Schedule
    from ratinglab.systems.base import System

METRICS = ("log_loss", "brier", "spread_log_score", "z_sd")
SEEDS = 12  # seeds that are listed


@dataclass(frozen=True)
class View:
    """A system's `scores` (a row a metric: metric, value, se), `reliability`, and `seeding` of the event."""

    system: System
    event: str
    scores: pd.DataFrame
    reliability: pd.DataFrame
    seeding: pd.DataFrame

    def figure(self) -> Figure:
        """Reliability, and the seeding with its deviations."""
        from ratinglab import plots

        made, axes = plots.figure(9, 3.4, columns=2)
        made.set_layout_engine(None)  # finding room for every label takes as long as drawing all of it
        made.subplots_adjust(left=0.07, right=0.98, bottom=0.15, top=0.92, wspace=0.2)
        plots.titled(plots.reliability(self.reliability, axes[0]), "Favourites")
        plots.titled(plots.seeds(self.seeding, axes[1]), f"Seeding of {self.event}")
        return made

    def html(self) -> str:
        """The tables and the picture, to stand in a notebook."""
        from ratinglab import plots

        told = f"{self.system.label}: reliability, and the seeding of {self.event}"
        picture = plots.figure_svg(self.figure(), name="view", title=told, description=told)
        listed = self.seeding.head(SEEDS)[["seed", "name", "rating", "deviation"]].dropna(axis="columns", how="all")
        decimals = {"value": 4, "se": 4, "rating": 0, "deviation": 0}
        shown = {name: f"{{:.{digits}f}}".format for name, digits in decimals.items()}
        tables = (
            table.to_html(index=False, border=0, justify="left", formatters=shown) for table in (self.scores, listed)
        )
        beside = "".join(f"<div>{table}</div>" for table in tables)
        return f'{picture}<div style="display: flex; gap: 3em; align-items: flex-start">{beside}</div>'


def view(schedule: Schedule, system: System | str, event: str, *, section: str | None = None, seeded: int = 0) -> View:
    """The whole history replayed through a single system, and what it says of `event` before its first game.

    `seeded` is the seed of resamples and of lots among equal ratings. Raises `UsageError` for a grid of systems, for a
    system without forecasts, or where nobody is entered.
    """
    system = parse(system) if isinstance(system, str) else system
    if system.grid_size or not system.has_forecast:
        what = "one system, not a grid of them" if system.grid_size else "a system that forecasts games"
        raise UsageError(f"expected {what}; found {system.label}")
    played = replay(schedule, system, details=False)
    metrics = [name for name in METRICS if system.has_spread or not (name.startswith("spread") or name == "z_sd")]
    row = score(played, metrics=metrics, seed=seeded).iloc[0]
    scores = pd.DataFrame(
        {"metric": metrics, "value": [row[name] for name in metrics], "se": [row[f"{name}_se"] for name in metrics]}
    )
    table = seed(played, event, section=section, seed=seeded)
    rated = table["rating_source"].ne("unrated")
    return View(system, event, scores, reliability(played, seeded), table.assign(unrated=~rated))


def sliders(
    schedule: Schedule,
    system: System | str,
    event: str,
    axes: Sequence[Axis | str],
    *,
    section: str | None = None,
) -> Any:
    """A slider for each of the axes, between its ends, over what `view` shows of the system there.

    An axis is what `calibrate` takes: `tau=60:140:9` makes a slider with a tenth of the grid's distance as its step.
    The widgets (ipywidgets) also work without a browser: setting a slider's value draws anew. Their `children` are the
    sliders in order, then what is shown. Raises `UsageError` for an unknown parameter, or one outside its axis.
    """
    import ipywidgets

    from ratinglab.calibration.grids import numeric_parameters, parse_axis

    given = parse(system) if isinstance(system, str) else system
    wanted = [parse_axis(axis) if isinstance(axis, str) else axis for axis in axes]
    known = numeric_parameters(given)
    for axis in wanted:
        if axis.name not in known:
            raise UsageError(f"{given.name} has no numeric parameter {axis.name}; it has {', '.join(known)}")
    moved = {}
    for axis in wanted:
        low, high, value = min(axis.values), max(axis.values), given.value(axis.name)
        if not low <= value <= high:
            raise UsageError(f"{axis.name} = {value:g} lies outside its slider, from {low:g} to {high:g}")
        step = (high - low) / (10 * max(1, len(axis.values) - 1))
        moved[axis.name] = ipywidgets.FloatSlider(value=value, min=low, max=high, step=step, description=axis.name)
    shown = ipywidgets.HTML()

    def draw(_: object = None) -> None:
        """Show the system that the sliders stand for."""
        there = replace(given, **{name: slider.value for name, slider in moved.items()})
        shown.value = view(schedule, there, event, section=section).html()

    for slider in moved.values():
        slider.observe(draw, names="value")
    draw()
    return ipywidgets.VBox([*moved.values(), shown])
