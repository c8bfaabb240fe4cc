"""Plots of ratings: over time, and by seed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ratinglab.plots.canvas import BLUE, FAINT, SKY, VERMILION, dates

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def history(table: pd.DataFrame, axis: Axes, *, others: Mapping[str, pd.DataFrame] | None = None) -> Axes:
    """One player's rating over time: columns date, rating and, for a band of ± one, deviation.

    A rating holds until the next event, so lines go in steps. `others` are drawn faintly behind, for comparison.
    """
    for other in (others or {}).values():
        axis.step(other["date"], other["rating"], where="post", color=FAINT, linewidth=0.7, zorder=1)
    if "deviation" in table:
        low, high = table["rating"] - table["deviation"], table["rating"] + table["deviation"]
        axis.fill_between(table["date"], low, high, step="post", color=SKY, alpha=0.35, linewidth=0, zorder=2)
        if len(table) == 1:  # a band of no width would not be seen
            axis.errorbar(table["date"], table["rating"], table["deviation"], fmt="none", ecolor=SKY, zorder=2)
    axis.step(
        table["date"], table["rating"], where="post", color=BLUE, linewidth=1.4, marker="o", markersize=2.8, zorder=3
    )
    dates(axis)
    return axis


def seeds(table: pd.DataFrame, axis: Axes) -> Axes:
    """Ratings by seed with ± one deviation: columns seed, rating, deviation, and unrated (true or false)."""
    for unrated, color, face, word in (
        (False, BLUE, BLUE, "rated"),
        (True, VERMILION, "white", "with an unrated member"),
    ):
        part = table[table["unrated"] == unrated]
        if part.empty:
            continue
        bars = None if part["deviation"].isna().all() else part["deviation"].fillna(0)
        axis.errorbar(
            part["seed"], part["rating"], bars, fmt="o" if not unrated else "D", color=color, markerfacecolor=face,
            markersize=4, elinewidth=1, label=word,
        )  # fmt: skip
    axis.set(xlabel="seed", ylabel="effective rating", xlim=(0, len(table) + 1))
    if table["unrated"].any():
        axis.legend(loc="upper right", fontsize=8, frameon=False)
    return axis
