"""What sliders show of one system: the same as the functions behind it, anew at each move."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ratinglab
from ratinglab.calibration.exploring import sliders, view
from ratinglab.problems import UsageError
from ratinglab.reliability import reliability
from ratinglab.sample import individual_circuit
from ratinglab.scheduling import Schedule
from ratinglab.systems import Glixo


@pytest.fixture(scope="module")
def schedule() -> Schedule:
    return ratinglab.schedule(individual_circuit(np.random.default_rng(8), players=12, events=6, rounds=5)[0])


def test_a_view_is_what_its_parts_say(schedule: Schedule) -> None:
    event = schedule.history.events["event"].iloc[3]
    seen = view(schedule, "glixo:tau=80", event, seeded=2)
    played = ratinglab.replay(schedule, Glixo(tau=80))
    row = ratinglab.score(played, seed=2).iloc[0]
    for metric, value, se in seen.scores.itertuples(index=False):
        assert (value, se) == (row[metric], row[f"{metric}_se"])
    pd.testing.assert_frame_equal(seen.reliability, reliability(played, 2))
    pd.testing.assert_frame_equal(seen.seeding.drop(columns="unrated"), ratinglab.seed(played, event, seed=2))
    assert len(seen.figure().axes) == 2


def test_the_seeding_has_not_seen_the_event(schedule: Schedule) -> None:
    """Of the first event nothing is known, whatever was played in it."""
    seen = view(schedule, "glixo", schedule.history.events["event"].iloc[0])
    assert (seen.seeding["rating"] == 1500).all()
    assert seen.seeding["unrated"].all()


def test_a_system_without_spreads_or_deviations(schedule: Schedule) -> None:
    seen = view(schedule, "elo", schedule.history.events["event"].iloc[3])
    assert seen.scores["metric"].tolist() == ["log_loss", "brier"]
    assert "deviation" not in seen.html()


def test_moving_a_slider_draws_anew_without_a_browser(schedule: Schedule) -> None:
    pytest.importorskip("ipywidgets")
    event = schedule.history.events["event"].iloc[3]
    panel = sliders(schedule, Glixo(tau=90), event, ["b=4:6:3", "tau=60:120:7"])
    b, tau, shown = panel.children
    assert (b.min, b.max, tau.min, tau.max, tau.step) == (4, 6, 60, 120, 1)
    assert (b.value, tau.value) == (5, 90)
    assert shown.value == view(schedule, "glixo", event).html()
    tau.value = 75
    assert shown.value == view(schedule, "glixo:tau=75", event).html()


def test_a_value_outside_its_slider_is_refused(schedule: Schedule) -> None:
    pytest.importorskip("ipywidgets")
    event = schedule.history.events["event"].iloc[3]
    with pytest.raises(UsageError, match="tau = 200 lies outside"):
        sliders(schedule, Glixo(tau=200), event, ["tau=60:120:7"])


def test_what_cannot_be_shown_is_said(schedule: Schedule) -> None:
    event = schedule.history.events["event"].iloc[3]
    with pytest.raises(UsageError, match="no numeric parameter growth; it has b, tau"):
        sliders(schedule, "glixo", event, ["growth=1:2:3"])
    with pytest.raises(UsageError, match="not a grid"):
        view(schedule, Glixo(tau=(80, 90)), event)
    with pytest.raises(UsageError, match="forecasts games"):
        view(schedule, "dip-pouch", event)
    with pytest.raises(UsageError, match="nobody is entered"):
        view(schedule, "glixo", "elsewhere")
