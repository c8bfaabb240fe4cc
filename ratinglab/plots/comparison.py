"""Plots of a comparison: differences with their intervals, forecast and outcome by rating gap, differences over time.

Systems and kinds of figures are told apart by marker and line as well as by colour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ratinglab.plots.canvas import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_SYSTEMS = (
    (BLUE, "o", "-"), (VERMILION, "s", "--"), (GREEN, "^", "-."), (PURPLE, "D", ":"), (ORANGE, "v", "-"),
    (BLACK, "P", "--"),
)  # fmt: skip


def forest(table: pd.DataFrame, axis: Axes, *, label: str) -> Axes:
    """Differences from a reference with their 95 % intervals: columns system, difference, low, high, in_best_set.

    The first row on top. A full mark is a system that may be the best, an open one a system that is not.
    """
    from matplotlib.ticker import MaxNLocator

    place = np.arange(len(table))[::-1]
    best = table["in_best_set"].fillna(False).astype(bool)
    axis.hlines(place, table["low"], table["high"], color=BLUE, linewidth=1.6, zorder=2)
    for kept, face in ((best, BLUE), (~best, "white")):
        axis.plot(
            table["difference"][kept], place[kept.to_numpy()], "o", markersize=6, color=BLUE, markerfacecolor=face,
            zorder=3,
        )  # fmt: skip
    axis.axvline(0, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    axis.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axis.set_yticks(place, list(table["system"]))
    axis.set(xlabel=label, ylim=(-0.6, len(table) - 0.4))
    axis.margins(x=0.08)
    return axis


def by_gap(table: pd.DataFrame, axis: Axes, *, low: float = 0.45) -> Axes:
    """How often the higher rated side won, and what was forecast, by rating gap: gap, forecast, observed, se, games.

    Bars are two standard errors to either side; the axis of wins begins at `low`.
    """
    from matplotlib.ticker import PercentFormatter

    shown = table[table["games"] > 0]
    axis.plot(
        shown["gap"], shown["forecast"], color=VERMILION, linestyle="--", marker="s", markersize=4.5,
        markerfacecolor="white", linewidth=1.2, label="forecast", zorder=2,
    )  # fmt: skip
    axis.errorbar(
        shown["gap"], shown["observed"], 2 * shown["se"].fillna(0), fmt="o", color=BLUE, markersize=4.5, elinewidth=1.2,
        label="won", zorder=3,
    )  # fmt: skip
    axis.set(xlabel="rating gap, points", ylabel="higher rated side, %", ylim=(low, 1.02))
    axis.set_xlim(left=0)
    axis.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=""))
    axis.legend(loc="lower right", fontsize=8, frameon=False)
    return axis


def over_time(table: pd.DataFrame, axis: Axes, *, label: str) -> Axes:
    """Differences from a reference over time with 95 % intervals: columns system, time, difference, low, high."""
    times = list(dict.fromkeys(table["time"]))
    systems = list(dict.fromkeys(table["system"]))
    for number, system in enumerate(systems):
        color, marker, line = _SYSTEMS[number % len(_SYSTEMS)]
        rows = table[table["system"] == system]
        at = np.array([times.index(time) for time in rows["time"]]) + 0.12 * (number - (len(systems) - 1) / 2)
        bars = [(rows["difference"] - rows["low"]).fillna(0), (rows["high"] - rows["difference"]).fillna(0)]
        axis.errorbar(
            at, rows["difference"], np.clip(bars, 0, None), color=color, marker=marker, linestyle=line, markersize=5,
            linewidth=0.9, elinewidth=1.2, label=system,
        )  # fmt: skip
    axis.axhline(0, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    axis.set_xticks(range(len(times)), times)
    if len(times) > 5:
        axis.tick_params(axis="x", labelrotation=40)
        for tick in axis.get_xticklabels():
            tick.set_horizontalalignment("right")
    axis.set_ylabel(label)
    axis.margins(x=0.06)
    axis.legend(fontsize=8, frameon=False, loc="best")
    return axis
