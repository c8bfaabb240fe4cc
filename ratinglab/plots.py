"""Plots: each takes a table and an axis, and returns the axis. Captions stand beside the plot, not in it.

Colours are Okabe and Ito's, which people with any colour vision can tell apart; no plot says anything by colour alone.
matplotlib is imported where it is used, and without pyplot, so that no plot leaves anything behind.
"""

from __future__ import annotations

import io
import re
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = OKABE_ITO = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7",
)  # fmt: skip
GREY, FAINT = "#6b6b6b", "#c9c9c9"

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # letters stay letters: to be read aloud, searched and set in the page's own font
    "font.family": "DejaVu Sans",  # ships with matplotlib, so a picture is the same on every machine
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.7,
    "axes.labelcolor": "#222222",
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": "#222222",
    "ytick.labelcolor": "#222222",
}


def figure(width: float, height: float, rows: int = 1, columns: int = 1, **keywords: Any) -> tuple[Figure, list[Axes]]:
    """A figure of `width` × `height` inches and its axes, row by row; further keywords go to `Figure.subplots`."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        made = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(made)
        axes = made.subplots(rows, columns, squeeze=False, **keywords)
    return made, list(axes.ravel())


def figure_svg(figure: Figure, *, name: str, title: str, description: str) -> str:
    """The figure as an SVG element to stand in a page: the same bytes for the same figure, with a text alternative.

    `name` is a word that no other picture of the page has: it keeps their inner references apart.
    """
    import matplotlib

    file = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": name}):
        figure.savefig(file, format="svg", metadata=nothing)
    svg = file.getvalue()
    begin = re.search(r"<svg\b[^>]*>", svg)
    box = re.search(r'viewBox="([^"]+)"', svg)
    if begin is None or box is None:
        raise ValueError("matplotlib wrote no SVG element")
    inner = svg[begin.end() :]
    inner = re.sub(r'\bid="', f'id="{name}-', inner)
    inner = re.sub(r'xlink:href="#', f'href="#{name}-', inner)
    inner = re.sub(r"url\(#", f"url(#{name}-", inner)
    inner = re.sub(r"\n\s*", "\n", inner).replace("<metadata>\n</metadata>\n", "")
    width = float(box.group(1).split()[2])
    head = (
        f'<svg role="img" class="plot" viewBox="{box.group(1)}" style="max-width: {width * 4 / 3:.0f}px"'
        f' aria-labelledby="{name}-title {name}-desc">\n'
        f'<title id="{name}-title">{escape(title)}</title>\n<desc id="{name}-desc">{escape(description)}</desc>\n'
    )
    return head + inner.strip() + "\n"


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
    _percent(axis)
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
    _percent(axis)
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
    _dates(axis)
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


def titled(axis: Axes, title: str, aside: str = "") -> Axes:
    """The axis with a heading to the left, and a figure or two to the right of it."""
    axis.set_title(title, loc="left", fontsize=9, fontweight="bold")
    axis.set_title(aside, loc="right", fontsize=9)
    return axis


def _percent(axis: Axes) -> None:
    """Shares as percentages on both axes; the sign itself stands in the axes' names."""
    from matplotlib.ticker import PercentFormatter

    for ticks in (axis.xaxis, axis.yaxis):
        ticks.set_major_formatter(PercentFormatter(1, decimals=0, symbol=""))


def _dates(axis: Axes) -> None:
    """A few dates, as year or year and month."""
    from matplotlib import dates
    from matplotlib.ticker import FuncFormatter

    untyped: Any = dates

    def told(day: float, _: object) -> str:
        date = untyped.num2date(day)
        return f"{date:%Y}" if (date.month, date.day) == (1, 1) else f"{date:%Y-%m}"

    axis.xaxis.set_major_locator(untyped.AutoDateLocator(minticks=2, maxticks=5))
    axis.xaxis.set_major_formatter(FuncFormatter(told))
