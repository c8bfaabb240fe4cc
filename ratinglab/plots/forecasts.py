"""Plots of forecasts: whether they mean what they say, and how good they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ratinglab.plots.canvas import BLUE, GREY, percent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def reliability(table: pd.DataFrame, axis: Axes, *, color: str = BLUE) -> Axes:
    """How often favourites won against how often that was forecast: columns forecast, observed, se, games.

    Marks are as large as a bin has games; bars are ± one standard error.
    """
    axis.plot([0.5, 1], [0.5, 1], color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    shown = table[table["games"] > 0]
    size = 12 + 110 * shown["games"] / max(1, shown["games"].max())
    axis.errorbar(
        shown["forecast"], shown["observed"], shown["se"].fillna(0), fmt="none", ecolor=color, elinewidth=1, zorder=2
    )
    axis.scatter(shown["forecast"], shown["observed"], s=size, color=color, linewidths=0, zorder=3)
    axis.set(xlim=(0.49, 1.01), ylim=(0.35, 1.02), xlabel="forecast for favourite, %", ylabel="won by favourite, %")
    percent(axis)
    axis.set_xticks(np.arange(0.5, 1.01, 0.1))
    return axis


def pit(table: pd.DataFrame, axis: Axes, *, color: str = BLUE) -> Axes:
    """Where spreads fell within their forecast distributions: columns low, high, share, se."""
    width = table["high"] - table["low"]
    axis.bar(table["low"], table["share"], width * 0.92, align="edge", color=color, alpha=0.75, linewidth=0)
    middle = (table["low"] + table["high"]) / 2
    axis.errorbar(middle, table["share"], table["se"].fillna(0), fmt="none", ecolor="#222222", elinewidth=1)
    expected = float(width.mean())
    axis.axhline(expected, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)))
    axis.set(xlim=(0, 1), xlabel="place of the spread in its forecast distribution, %", ylabel="share of games, %")
    percent(axis)
    return axis


def metric(table: pd.DataFrame, axis: Axes, *, label: str, reference: float | None = None) -> Axes:
    """One metric of several systems, ± one standard error: columns system, value, se; the first row on top."""
    from matplotlib.ticker import MaxNLocator

    place = np.arange(len(table))[::-1]
    axis.errorbar(
        table["value"],
        place,
        xerr=table["se"].fillna(0),
        fmt="o",
        color=BLUE,
        ecolor=BLUE,
        elinewidth=1.4,
        markersize=5,
    )
    if reference is not None:
        axis.axvline(reference, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)))
        axis.annotate(
            "coin", (reference, 1), xycoords=("data", "axes fraction"), xytext=(3, -1), textcoords="offset points",
            ha="left", va="top", fontsize=8, color="#444444",
        )  # fmt: skip
    axis.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axis.set_yticks(place, list(table["system"]))
    axis.set(xlabel=label, ylim=(-0.6, len(table) - 0.4))
    axis.margins(x=0.12)
    return axis
