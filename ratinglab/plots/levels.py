"""Plots of the level of ratings over time, and of who in a section gains and who loses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ratinglab.plots.canvas import BLACK, BLUE, GREY, SKY, VERMILION, dates

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# What tells systems apart beside their colour: the mark, its inside and the line.
_LOOKS = ((BLUE, "o", BLUE, "-"), (VERMILION, "D", "white", "--"), (BLACK, "^", BLACK, ":"))
_BETWEEN = 0.18  # of the distance between two places, so that bars stand beside each other
_FOR_LEGEND = 0.25  # of the height, below the bands


def level(table: pd.DataFrame, axis: Axes, *, cohort: pd.DataFrame | None = None) -> Axes:
    """The ratings of the active players over time: columns date, mean, p10, p25, median, p75, p90 of the table.

    Bands hold the middle half and the middle four fifths of players. `cohort` (date, mean, mean_se) is drawn with bars
    of ± one standard error.
    """
    for low, high, alpha, label in (
        ("p10", "p90", 0.2, "10 % to 90 % of players"),
        ("p25", "p75", 0.45, "25 % to 75 %"),
    ):
        axis.fill_between(table["date"], table[low], table[high], linewidth=0, color=SKY, alpha=alpha, label=label)
    axis.plot(table["date"], table["mean"], color=BLUE, linewidth=1.4, label="mean of active players")
    if cohort is not None and len(cohort):
        axis.errorbar(
            cohort["date"], cohort["mean"], cohort["mean_se"].fillna(0), color=VERMILION, marker="D", markersize=4,
            markerfacecolor="white", linestyle=(0, (4, 2)), linewidth=1.2, elinewidth=1,
            label=f"the same {int(cohort['players'].iloc[0])} settled players",
        )  # fmt: skip
    bottom, top = axis.get_ylim()
    axis.set(ylabel="rating", ylim=(bottom - _FOR_LEGEND * (top - bottom), top))
    axis.legend(loc="lower left", ncols=2, fontsize=8, frameon=False)
    dates(axis)
    return axis


def by_seed(tables: Mapping[str, pd.DataFrame], axis: Axes, *, figure: str = "excess", position: str = "part") -> Axes:
    """Excess wins (`figure` excess) or rating change (`change`) by seed, ± one standard error, systems side by side.

    The tables, by the system's name (up to three), have columns position, place, the figure and its `_se`; drawn are
    the rows of one `position`: part, from top, from bottom.
    """
    from matplotlib.ticker import MaxNLocator

    if len(tables) > len(_LOOKS):
        raise ValueError(f"by_seed tells up to {len(_LOOKS)} systems apart; found {len(tables)}")
    axis.axhline(0, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    most = 1
    for k, ((name, table), (color, marker, face, line)) in enumerate(zip(tables.items(), _LOOKS, strict=False)):
        shown = table[table["position"] == position]
        most = max(most, int(shown["place"].max()))
        aside = _BETWEEN * (k - (len(tables) - 1) / 2)
        axis.errorbar(
            shown["place"] + aside, shown[figure], shown[f"{figure}_se"].fillna(0), color=color, marker=marker,
            markerfacecolor=face, markersize=4.5, linestyle=line, linewidth=1, elinewidth=1, label=name, zorder=2 + k,
        )  # fmt: skip
    places = {
        "part": f"part of the section by seed: 1 the strongest, {most} the weakest",
        "from top": "seed, from the top of the section",
        "from bottom": "seed, from the bottom of the section",
    }
    told = {"excess": "wins beyond those expected, a game", "change": "rating change at an event, points"}
    axis.set(xlabel=places[position], ylabel=told.get(figure, figure), xlim=(0.5, most + 0.5))
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    if len(tables) > 1:
        axis.legend(loc="best", fontsize=8, frameon=False)
    return axis
