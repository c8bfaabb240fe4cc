"""Plots: each takes a table and an axis, and returns the axis. Captions stand beside the plot, not in it."""

from ratinglab.plots.canvas import figure, figure_svg, titled
from ratinglab.plots.forecasts import metric, pit, reliability
from ratinglab.plots.ratings import history, seeds

__all__ = ["figure", "figure_svg", "history", "metric", "pit", "reliability", "seeds", "titled"]
