"""Plots: each takes a table and an axis, and returns the axis. Captions stand beside the plot, not in it."""

from ratinglab.plots.backtest import place_ranges, wins_expected
from ratinglab.plots.calibration import score_profile, score_surface
from ratinglab.plots.canvas import figure, figure_svg, titled
from ratinglab.plots.comparison import by_gap, forest, over_time
from ratinglab.plots.conversion import converted
from ratinglab.plots.decision import cohorts, group_differences, rating_changes
from ratinglab.plots.fairness import field_strength, places, seed_steps
from ratinglab.plots.forecasts import metric, pit, reliability
from ratinglab.plots.levels import by_seed, level
from ratinglab.plots.ratings import history, seeds

__all__ = [
    "by_gap",
    "by_seed",
    "cohorts",
    "converted",
    "field_strength",
    "figure",
    "figure_svg",
    "forest",
    "group_differences",
    "history",
    "level",
    "metric",
    "over_time",
    "pit",
    "place_ranges",
    "places",
    "rating_changes",
    "reliability",
    "score_profile",
    "score_surface",
    "seed_steps",
    "seeds",
    "titled",
    "wins_expected",
]
