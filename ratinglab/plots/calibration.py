"""Plots of a calibration: a score over two parameters with its regions, and along one parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ratinglab.plots.canvas import BLACK, BLUE, GREY, SKY, VERMILION

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from ratinglab.periods import Bools, Floats

_BANDS = 7  # of colour at the most: more cannot be told apart
_TICKS = 13  # values of a grid that are all named on its axis
_PALE, _DARK = "#f4f8fb", "#0b4a78"  # near the best, far from it; lighter and darker also in grey
_BEST, _GIVEN = "best", "as given"


def score_surface(
    table: pd.DataFrame,
    axis: Axes,
    x: str,
    y: str,
    *,
    best: Mapping[str, float],
    given: Mapping[str, float] | None = None,
    label: str = "",
) -> Axes:
    """A score's distance from its best over a grid of `x` and `y`: columns x, y, difference, in_region, in_profile.

    Each cell is a grid point; the darker, the further from the best, in bands that the key beside it puts into figures
    (`label`). A full line goes around the points of the region from resampled events, a broken one around those of the
    profile, where there is such a column. `best` and `given` are marked, by shape.
    """
    from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap

    xs, ys = np.unique(table[x]), np.unique(table[y])
    rows, columns = np.searchsorted(ys, table[y]), np.searchsorted(xs, table[x])
    z = np.full((len(ys), len(xs)), np.nan)
    z[rows, columns] = table["difference"]
    levels = bands(z)
    colors = LinearSegmentedColormap.from_list("distance", [_PALE, SKY, _DARK], N=256)
    x_edges, y_edges = cell_edges(xs), cell_edges(ys)
    mesh = axis.pcolormesh(
        x_edges, y_edges, z, cmap=colors, norm=BoundaryNorm(levels, 256), edgecolors="face", linewidth=0.2
    )
    for name, style, color, width in (("in_region", "-", BLACK, 1.8), ("in_profile", (0, (2, 1.4)), VERMILION, 1.8)):
        inside = np.zeros(z.shape, dtype=bool)
        if name in table:
            inside[rows, columns] = table[name]
        if inside.any():
            word = "region, resampled events" if name == "in_region" else "region, profile"
            for i, (from_x, from_y) in enumerate(_outline(inside, x_edges, y_edges)):
                axis.plot(
                    from_x, from_y, linestyle=style, color=color, linewidth=width, label=word if i == 0 else None,
                    solid_capstyle="projecting", clip_on=False, zorder=3,
                )  # fmt: skip
    points = ((best, "*", 130, BLACK, _BEST), (given, "D", 34, "white", _GIVEN))
    for point, marker, size, face, word in points:
        if point is not None and _inside(point[x], x_edges) and _inside(point[y], y_edges):
            rim = "white" if face == BLACK else BLACK
            axis.scatter(
                point[x], point[y], s=size, marker=marker, facecolor=face, edgecolor=rim, linewidth=0.9, zorder=4,
                label=word,
            )  # fmt: skip
    for values, ticks in ((xs, axis.set_xticks), (ys, axis.set_yticks)):
        if len(values) <= _TICKS:
            ticks(values, [f"{value:.4g}" for value in values])
    key = axis.figure.colorbar(mesh, ax=axis, label=label, ticks=levels, spacing="uniform", pad=0.02)
    key.ax.set_yticklabels([f"{level:g}" for level in levels], fontsize=9)
    key.ax.yaxis.label.set_fontsize(9)
    key.outline.set_visible(False)
    axis.set(xlabel=x, ylabel=y, xlim=(x_edges[0], x_edges[-1]), ylim=(y_edges[0], y_edges[-1]))
    axis.legend(
        loc="lower left", bbox_to_anchor=(0, 1.0), ncols=4, fontsize=8, frameon=False, handletextpad=0.5,
        columnspacing=1.2, borderaxespad=0.2, handlelength=1.8,
    )  # fmt: skip
    return axis


def score_profile(
    table: pd.DataFrame,
    axis: Axes,
    *,
    best: float,
    interval: tuple[float, float] = (np.nan, np.nan),
    profile_interval: tuple[float, float] = (np.nan, np.nan),
    given: float | None = None,
    label: str = "",
) -> Axes:
    """A score's distance from its best along one parameter: columns value, difference, low, high (a band).

    Below the curve the intervals of the optimum: a full bar from resampled events, a broken one from the profile; an
    end that is not known is left open with an arrow. `given` is marked on the axis of the parameter.
    """
    table = table.sort_values("value")
    axis.fill_between(table["value"], table["low"], table["high"], color=SKY, alpha=0.3, linewidth=0, zorder=1)
    axis.plot(table["value"], table["difference"], color=BLUE, linewidth=1.4, marker="o", markersize=3, zorder=3)
    axis.axhline(0, color=GREY, linewidth=0.8, zorder=2)
    lowest, most = min(0.0, float(table["low"].min())), float(np.nanmax(table[["difference", "high"]].to_numpy()))
    step = 0.07 * (most - lowest or 1.0)
    ends = float(table["value"].min()), float(table["value"].max())
    for place, (bar, style, color, word) in enumerate(
        (
            (interval, "-", BLACK, "interval, resampled events"),
            (profile_interval, (0, (2, 1.4)), VERMILION, "interval, profile"),
        )
    ):
        if np.isnan(bar).all():
            continue
        at = lowest - (place + 1) * step
        known = [end if np.isnan(value) else value for value, end in zip(bar, ends, strict=True)]
        axis.plot(known, [at, at], linestyle=style, color=color, linewidth=2.2, label=word, zorder=3)
        for value, end, arrow in zip(bar, ends, "<>", strict=True):
            axis.plot(end if np.isnan(value) else value, at, marker=arrow if np.isnan(value) else "|", color=color)
    bottom = lowest - 3 * step
    axis.axvline(best, color=BLACK, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=2)
    axis.plot(
        best, 0, marker="*", markersize=11, color=BLACK, markeredgecolor="white", linestyle="", clip_on=False, zorder=5,
        label=_BEST,
    )  # fmt: skip
    if given is not None and ends[0] <= given <= ends[1]:
        axis.plot(
            given, bottom, marker="D", markersize=5.5, color="white", markeredgecolor=BLACK, linestyle="", label=_GIVEN,
            clip_on=False, zorder=5,
        )  # fmt: skip
    axis.set(ylim=(bottom, most + step), ylabel=label)
    axis.set_yticks([tick for tick in axis.get_yticks() if 0 <= tick <= most + step])
    axis.margins(x=0.03)
    axis.legend(
        loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, fontsize=8, frameon=False, borderaxespad=0.2,
        columnspacing=1.2,
    )  # fmt: skip
    return axis


def bands(values: Floats) -> Floats:
    """Limits of the bands that distances from the best fall in: 0, then 1, 2 and 5 times powers of ten, rising.

    >>> bands(np.array([[0.0, 0.003], [0.04, 0.9]])).tolist()
    [0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]
    """
    most = float(np.nanmax(values)) if np.isfinite(values).any() else 0.0
    if most <= 0:
        return np.array([0.0, 1.0])
    power = int(np.floor(np.log10(most)))
    steps = [round(factor * 10.0**p, 12) for p in range(power - 4, power + 2) for factor in (1, 2, 5)]
    above = next(i for i, step in enumerate(steps) if step >= most)
    return np.array([0.0, *steps[above - _BANDS + 1 : above + 1]])


def cell_edges(values: Floats) -> Floats:
    """The limits of cells around grid values, half way between neighbours; the outer cells are symmetric.

    >>> cell_edges(np.array([1.0, 2.0, 4.0])).tolist()
    [0.5, 1.5, 3.0, 5.0]
    """
    if len(values) == 1:
        return np.array([values[0] - 0.5, values[0] + 0.5])
    middle = (values[1:] + values[:-1]) / 2
    return np.concatenate([[2 * values[0] - middle[0]], middle, [2 * values[-1] - middle[-1]]])


def _inside(value: float, edges: Floats) -> bool:
    return bool(edges[0] <= value <= edges[-1])


def _outline(inside: Bools, x: Floats, y: Floats) -> list[tuple[list[float], list[float]]]:
    """The lines around the cells (rows, columns) that are inside, each run of a straight line once."""
    lines = []
    padded = np.pad(inside, 1)
    for i, j, length in _runs(padded[1:, 1:-1] != padded[:-1, 1:-1]):
        lines.append(([x[j], x[j + length]], [y[i], y[i]]))
    for j, i, length in _runs((padded[1:-1, 1:] != padded[1:-1, :-1]).T):
        lines.append(([x[j], x[j]], [y[i], y[i + length]]))
    return lines


def _runs(marked: Bools) -> list[tuple[int, int, int]]:
    """The runs of marked cells in each row: (row, first column, length)."""
    change = np.diff(np.pad(marked, ((0, 0), (1, 1))).astype(int), axis=1)
    begins, ends = np.argwhere(change == 1), np.argwhere(change == -1)
    return [(int(r), int(c), int(e - c)) for (r, c), (_, e) in zip(begins, ends, strict=True)]
