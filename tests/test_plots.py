"""Plots draw what the table says, and come out as the same accessible SVG each time."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pandas as pd
import pytest

from ratinglab import plots

NAN = float("nan")
RELIABILITY = pd.DataFrame(
    {"forecast": [0.52, 0.7, NAN], "observed": [0.5, 0.72, NAN], "se": [0.01, NAN, NAN], "games": [100, 50, 0]}
)
PIT = pd.DataFrame({"low": [0, 0.5], "high": [0.5, 1], "share": [0.4, 0.6], "se": [0.02, NAN]})
METRIC = pd.DataFrame({"system": ["glixo", "elo"], "value": [0.61, 0.65], "se": [0.01, NAN]})
HISTORY = pd.DataFrame(
    {"date": pd.to_datetime(["2011-01-01", "2011-06-01"]), "rating": [1500.0, 1600.0], "deviation": [80.0, 60.0]}
)
SEEDS = pd.DataFrame({"seed": [1, 2], "rating": [1700.0, 1500.0], "deviation": [40.0, 400.0], "unrated": [False, True]})
PLOTS = {
    "reliability": lambda axis: plots.reliability(RELIABILITY, axis),
    "pit": lambda axis: plots.pit(PIT, axis),
    "metric": lambda axis: plots.metric(METRIC, axis, label="Log loss", reference=0.69),
    "history": lambda axis: plots.history(HISTORY, axis, others={"b": HISTORY}),
    "single": lambda axis: plots.history(HISTORY.iloc[:1], axis),
    "plain": lambda axis: plots.history(HISTORY.drop(columns="deviation"), axis),
    "seeds": lambda axis: plots.seeds(SEEDS, axis),
}


def drawn(name: str) -> str:
    figure, axes = plots.figure(4, 3)
    assert PLOTS[name](axes[0]) is axes[0]
    return plots.figure_svg(figure, name=name, title="A <title>", description="What is & was")


@pytest.mark.parametrize("name", PLOTS)
def test_svg_is_reproducible_self_contained_and_described(name: str) -> None:
    svg = drawn(name)
    assert svg == drawn(name)
    assert "http" not in svg
    assert not re.search(r"\d{4}-\d\d-\d\dT", svg)
    root = ET.fromstring(svg)
    assert root[0].text == "A <title>"
    assert root[1].text == "What is & was"
    ids = re.findall(r'\bid="([^"]+)"', svg)
    assert len(ids) == len(set(ids))
    assert all(i.startswith(f"{name}-") for i in ids)
    assert set(re.findall(r'href="#([^"]+)"', svg) + re.findall(r"url\(#([^)]+)\)", svg)) <= set(ids)


def test_reliability_marks_bins_with_games_alone() -> None:
    _, axes = plots.figure(4, 3)
    plots.reliability(RELIABILITY, axes[0])
    assert axes[0].collections[-1].get_offsets().tolist() == [[0.52, 0.5], [0.7, 0.72]]


def test_metric_names_its_systems_from_the_top() -> None:
    _, axes = plots.figure(4, 3)
    plots.metric(METRIC, axes[0], label="Log loss")
    assert [(t.get_text(), y) for t, y in zip(axes[0].get_yticklabels(), axes[0].get_yticks(), strict=True)] == [
        ("glixo", 1),
        ("elo", 0),
    ]


def test_history_shows_dates_that_can_be_read() -> None:
    svg = drawn("history")
    shown = re.findall(r">(\d{4}(?:-\d\d)?)</text>", svg)
    assert 2 <= len([text for text in shown if text.startswith("2011")]) <= 7


def test_seeds_tell_unrated_by_shape_not_colour_alone() -> None:
    assert "with an unrated member" in drawn("seeds")


def test_a_notebook_shows_a_figure_as_a_picture() -> None:
    """Not as the text `<Figure …>`: what a display asks of an object is a picture and its size on the page."""
    figure, _ = plots.figure(4, 3)
    picture, size = figure._repr_png_()
    assert picture.startswith(b"\x89PNG")
    assert size == {"width": 384, "height": 288}
