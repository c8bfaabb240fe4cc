"""Plots of one past event: the places that were expected of each entrant, and the wins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ratinglab.plots.canvas import BLUE, FAINT, GREY, SKY, VERMILION

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

FAR = 2.0  # standard deviations from which an entrant is named
_MOST_NAMES = 6


def place_ranges(table: pd.DataFrame, axis: Axes) -> Axes:
    """Final places as expected and as they came: columns player, place, place_low, place_median, place_high.

    A row for each entrant, whoever was expected to finish best on top: a bar over the range, a stroke at the median,
    and the actual place as a mark, filled where it lies within the range and open where it does not.
    """
    rows = table.sort_values(["mean_place", "player"], kind="stable")
    y = np.arange(len(rows))
    low, high, place = (rows[name].to_numpy(dtype=float) for name in ("place_low", "place_high", "place"))
    axis.hlines(y, 1, len(rows), color=FAINT, linewidth=0.4, zorder=1)
    axis.hlines(y, low - 0.25, high + 0.25, color=SKY, linewidth=5, zorder=2)
    axis.plot(rows["place_median"], y, "|", color=BLUE, markersize=8, markeredgewidth=2, zorder=3)
    inside = (low <= place) & (place <= high)
    for within, face, word in ((True, VERMILION, "actual place"), (False, "white", "actual place, outside the range")):
        if (inside == within).any():
            axis.plot(
                place[inside == within], y[inside == within], "D", color=VERMILION, markerfacecolor=face,
                markersize=4.5, zorder=4, label=word,
            )  # fmt: skip
    axis.set_yticks(y, [str(player) for player in rows["player"]], fontsize=7.5)
    axis.tick_params(axis="y", length=0)
    axis.set(xlabel="final place", xlim=(0.2, len(rows) + 0.8), ylim=(len(rows) - 0.4, -0.6))
    axis.set_xticks(_places(len(rows)))
    axis.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, fontsize=8, frameon=False, borderaxespad=0.2)
    return axis


def wins_expected(table: pd.DataFrame, axis: Axes) -> Axes:
    """Actual wins over expected ones: columns player, expected_wins, sd, wins, z.

    Bars are ± one standard deviation of what was expected. Who is more than `FAR` of them off is named.
    """
    from matplotlib.ticker import MaxNLocator

    x, y, sd = (table[name].to_numpy(dtype=float) for name in ("expected_wins", "wins", "sd"))
    most = max(1.0, float(np.max(x + sd, initial=0)), float(np.max(y, initial=0))) * 1.05
    axis.plot([0, most], [0, most], color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    axis.errorbar(x, y, xerr=sd, fmt="o", color=BLUE, ecolor=SKY, elinewidth=1.2, markersize=4, zorder=2)
    z = np.nan_to_num(table["z"].to_numpy(dtype=float))
    named = [row for row in np.argsort(-np.abs(z), kind="stable")[:_MOST_NAMES].tolist() if abs(z[row]) > FAR]
    for row in named:
        above, left = z[row] > 0, bool(z[row] > 0 and x[row] > most / 2)
        axis.annotate(
            str(table["player"].iloc[row]), (x[row], y[row]), xytext=(-5 if left else 5, 4 if above else -4),
            textcoords="offset points", ha="right" if left else "left", va="bottom" if above else "top", fontsize=7.5,
        )  # fmt: skip
    for ticks in (axis.xaxis, axis.yaxis):
        ticks.set_major_locator(MaxNLocator(8, integer=True))
    axis.set(xlabel="expected wins", ylabel="wins", xlim=(0, most), ylim=(-0.03 * most, most))
    return axis


def _places(count: int) -> list[int]:
    """Some places to be marked: the first, the last, and round ones between."""
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 10**9) if count / step <= 12)
    between = [place for place in range(step, count + 1, step) if count - place > step / 2 or place == count]
    return sorted({1, *between, count})
