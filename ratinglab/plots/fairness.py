"""Plots of pairing systems: fields by wins, the early-loss slope, seed borders, where the strongest finish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratinglab.plots.canvas import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# a line is told by its marker and style as well as by its colour
_LINES = [
    (BLUE, "o", "-"), (VERMILION, "s", "--"), (GREEN, "^", "-."), (PURPLE, "D", ":"), (ORANGE, "v", "-"),
    (SKY, "P", "--"), (BLACK, "X", "-."),
]  # fmt: skip


def _lines(names: pd.Series) -> dict[str, tuple[str, str, str]]:
    return {name: _LINES[i % len(_LINES)] for i, name in enumerate(dict.fromkeys(names))}


def field_strength(table: pd.DataFrame, axis: Axes, *, least: int = 50) -> Axes:
    """Mean strength of opponents by final wins: columns pairing, wins, players, opponents; whole wins, some players."""
    shown = table[(table["wins"] % 1 == 0) & (table["players"] >= least)]
    for name, (color, marker, style) in _lines(shown["pairing"]).items():
        of = shown[shown["pairing"] == name]
        axis.plot(
            of["wins"], of["opponents"], color=color, marker=marker, linestyle=style, markersize=4, linewidth=1.2,
            label=name,
        )  # fmt: skip
    axis.set(xlabel="wins at the end", ylabel="mean strength of opponents, rating points")
    axis.legend(fontsize=8, frameon=False)
    return axis


def seed_steps(table: pd.DataFrame, axis: Axes) -> Axes:
    """What one seed lower is worth in game 1: columns pairing, seed, p_win_first, p_win_first_if_next_seed.

    Above 0: the same player wins game 1 more often when seeded one place lower.
    """
    from matplotlib.ticker import MaxNLocator

    for name, (color, marker, style) in _lines(table["pairing"]).items():
        of = table[(table["pairing"] == name) & table["p_win_first_if_next_seed"].notna()]
        step = 100 * (of["p_win_first_if_next_seed"] - of["p_win_first"])
        axis.plot(
            of["seed"] + 0.5, step, color=color, marker=marker, linestyle=style, markersize=3, linewidth=1, label=name
        )
    axis.axhline(0, color=GREY, linewidth=0.8)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.set(xlabel="border below seed", ylabel="step in chance of winning game 1, %-points")
    axis.legend(fontsize=8, frameon=False)
    return axis


def places(table: pd.DataFrame, axis: Axes, *, strongest: int = 5) -> Axes:
    """How often the strongest finished where, one pairing system: columns strength_rank, place, share."""
    of = {rank: table[table["strength_rank"] == rank] for rank in range(1, strongest + 1)}
    for (rank, rows), (color, marker, style) in zip(of.items(), _LINES, strict=False):
        shown = rows[rows["place"] <= 3 * strongest]
        axis.plot(
            shown["place"], 100 * shown["share"], color=color, marker=marker, linestyle=style, markersize=3,
            linewidth=1, label=f"no. {rank} in strength",
        )  # fmt: skip
    axis.set(xlabel="final place", ylabel="share of tournaments, %", ylim=(0, None))
    axis.legend(fontsize=8, frameon=False)
    return axis
