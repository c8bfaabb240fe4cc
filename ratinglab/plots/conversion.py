"""The plot of a conversion: what a rating on one list is worth on another, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratinglab.plots.canvas import BLUE, FAINT, GREY, SKY

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def converted(table: pd.DataFrame, axis: Axes, *, players: pd.DataFrame, names: tuple[str, str]) -> Axes:
    """The curve with the interval of the curve and that of a new player, from the lower end of its range to the upper.

    Columns of the table: x, value, low, high, curve_low, curve_high; `players` (x, y) are marked. `names` are those of
    the two scales.
    """
    axis.fill_between(
        table["x"], table["low"], table["high"], color=FAINT, alpha=0.55, linewidth=0, label="95 % of new players"
    )
    axis.fill_between(
        table["x"],
        table["curve_low"],
        table["curve_high"],
        color=SKY,
        alpha=0.75,
        linewidth=0,
        label="95 % of the curve",
    )
    axis.plot(table["x"], table["value"], color=BLUE, linewidth=1.6, label="conversion")
    if len(players):
        axis.scatter(
            players["x"], players["y"], s=11, facecolors="white", edgecolors="#222222", linewidths=0.7, zorder=3,
            label="on both lists",
        )  # fmt: skip
    for end in (table["x"].iloc[0], table["x"].iloc[-1]):
        axis.axvline(end, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    axis.set(xlabel=f"rating, {names[0]}", ylabel=f"rating, {names[1]}")
    axis.margins(x=0.03)
    axis.legend(loc="upper left", fontsize=8, frameon=False)
    return axis
