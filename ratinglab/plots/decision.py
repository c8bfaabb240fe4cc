"""Plots of a proposal: who gains and who loses, in which games it forecasts better, how a fixed cohort drifts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ratinglab.plots.canvas import BLUE, FAINT, GREY, VERMILION, dates

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_DASHED = (0, (4, 3))
_ASIDE = 0.004  # of the time shown, so that bars stand beside each other


def rating_changes(table: pd.DataFrame, axis: Axes, *, lines: Sequence[float] = (), label: str = "change") -> Axes:
    """Each player's change by rating: columns current, change, and unsettled (true or false).

    `lines` are ratings that divide or qualify, drawn upright.
    """
    axis.axhline(0, color=GREY, linewidth=0.8, linestyle=_DASHED, zorder=1)
    shown = table.dropna(subset=["current", "change"])
    for unsettled, color, face, marker, word in (
        (True, VERMILION, "none", "D", "provisional"),
        (False, BLUE, BLUE, "o", "settled"),
    ):
        part = shown[shown["unsettled"] == unsettled]
        if len(part):
            axis.scatter(
                part["current"], part["change"], s=13, marker=marker, facecolors=face, edgecolors=color,
                linewidths=0.7, alpha=0.75, label=word, zorder=3,
            )  # fmt: skip
    for line in lines:
        axis.axvline(line, color=FAINT, linewidth=1, zorder=1)
        axis.annotate(
            f"{line:g}", (line, 1), xycoords=("data", "axes fraction"), xytext=(2, -1), textcoords="offset points",
            ha="left", va="top", fontsize=8, color="#444444",
        )  # fmt: skip
    axis.set(xlabel="rating now", ylabel=f"{label}, points")
    axis.margins(y=0.12)
    if shown["unsettled"].any():
        axis.legend(loc="best", fontsize=8, frameon=False)
    return axis


def group_differences(
    table: pd.DataFrame, axis: Axes, *, label: str, worse: str = "worse", better: str = "better"
) -> Axes:
    """Differences with their 95 % intervals, the first row on top: columns group, difference, low, high.

    The words stand at the two sides of 0: `better` to the left, `worse` to the right.
    """
    from matplotlib.ticker import MaxNLocator

    place = np.arange(len(table))[::-1]
    known = table["low"].notna() & table["high"].notna()
    axis.axvline(0, color=GREY, linewidth=0.8, linestyle=_DASHED, zorder=1)
    axis.hlines(place[known], table["low"][known], table["high"][known], color=BLUE, linewidth=1.4, zorder=2)
    for certain, face in ((True, BLUE), (False, "white")):  # an open mark has no interval
        rows = (known if certain else ~known).to_numpy()
        axis.plot(table["difference"][rows], place[rows], "o", color=BLUE, markerfacecolor=face, markersize=4.5)
    low, high = axis.get_xlim()
    reach = max(abs(low), abs(high))
    axis.set(xlim=(-reach, reach), ylim=(-0.6, len(table) + 0.1), xlabel=label)
    for x, ha, word in ((-0.02, "right", f"← {better}"), (0.02, "left", f"{worse} →")):
        axis.annotate(word, (x * reach, len(table) - 0.3), ha=ha, va="center", fontsize=8, color="#444444")
    axis.set_yticks(place, list(table["group"]))
    axis.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    return axis


def cohorts(table: pd.DataFrame, axis: Axes, *, names: Sequence[str]) -> Axes:
    """How far the mean rating of the same players moved under two systems: columns which, date, change, low, high.

    Bars are 95 % intervals. `names` are those of the two systems in the order in which they come in the table.
    """
    axis.axhline(0, color=GREY, linewidth=0.8, linestyle=_DASHED, zorder=1)
    looks = ((BLUE, "o", BLUE, "-"), (VERMILION, "D", "white", (0, (4, 2))))
    aside = (table["date"].max() - table["date"].min()) * _ASIDE
    for name, which, (color, marker, face, line), way in zip(
        names, table["which"].unique(), looks, (-1, 1), strict=False
    ):
        part = table[table["which"] == which]
        bars = [(part["change"] - part["low"]).fillna(0), (part["high"] - part["change"]).fillna(0)]
        axis.errorbar(
            part["date"] + way * aside, part["change"], bars, color=color, marker=marker, markerfacecolor=face,
            markersize=4.5,
            linestyle=line, linewidth=1.2, elinewidth=1, label=name,
        )  # fmt: skip
    axis.set(ylabel="change of the mean, points")
    axis.legend(loc="upper left", fontsize=8, frameon=False)
    dates(axis)
    return axis
