"""What the games fix and what the scale fixes: the invariance that it rests on, and what is said of parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import Section, dated, history, sections

from ratinglab.calibration.calibrating import Axis, Calibration, calibrate
from ratinglab.calibration.identifying import Along
from ratinglab.history import History
from ratinglab.replaying import replay
from ratinglab.sample import individual_circuit
from ratinglab.scheduling import schedule
from ratinglab.systems import SYSTEMS, parse

IN_POINTS = ["glixo", "glixo:growth=linear,c=20", "glixo:growth=printed,c=0.4", "coco:rounding=no", "elo:advantage=40"]
IN_POINTS += ["aus:advantage=20", "glicko:c=30,advantage=35", "glicko2", "stephenson:h=14,bonus=0.1"]


def test_every_system_that_declares_parameters_in_points_is_tried_here() -> None:
    declared = {name for name, system in SYSTEMS.items() if system.in_points}
    assert declared == {parse(text).name for text in IN_POINTS}


@settings(max_examples=12)
@given(st.lists(sections(), min_size=2, max_size=4), st.floats(0.2, 5))
def test_a_common_scale_changes_no_forecast_and_multiplies_the_ratings(drawn: list[Section], by: float) -> None:
    prepared = schedule(history(*dated(drawn)), start="fresh")
    for text in IN_POINTS:
        system = parse(text)
        one, other = replay(prepared, system), replay(prepared, system.rescaled(by))
        np.testing.assert_allclose(other.win, one.win, atol=1e-9, err_msg=text)
        for state in ("rating", "deviation"):
            if state in one.after:
                rated = one.after[state] * by, other.after[state]
                np.testing.assert_allclose(*rated, rtol=1e-9, atol=1e-7 * by, err_msg=f"{state} of {text}")


@pytest.mark.parametrize("text", ["naspa", "uscf", "fide", "elo-margin"])
def test_systems_with_points_built_in_declare_none(text: str) -> None:
    assert parse(text).in_points == ()
    assert parse(text).rescaled(3) == parse(text)


# --- what is said -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def circuit() -> History:
    return individual_circuit(np.random.default_rng(5), players=60, events=24, rounds=6, field=16)[0]


def said(found: Calibration, name: str) -> dict:
    return found.parameters.set_index("name").loc[name].to_dict()


def direction(found: Calibration, combination: str) -> dict:
    return found.directions.set_index("combination").loc[combination].to_dict()


def test_from_a_fresh_start_only_the_ratio_is_known(circuit: History) -> None:
    found = calibrate(circuit, "glixo", ["b=2:10:5", "tau=60:120:4"], fit=True, start="fresh", resamples=200)
    b, tau = said(found, "b"), said(found, "tau")
    assert not b["identified"]
    assert tau["identified"]
    assert b["why"].startswith("only b / initial_deviation is in the games; b itself is fixed by the scale: by")
    assert "initial_deviation = 400 held" in b["why"]
    scale = direction(found, "b and initial_deviation together")
    assert scale["fixed_by"] == "scale convention"
    assert scale["curvature"] == 0
    ratio = direction(found, "b / initial_deviation")
    assert ratio["fixed_by"] == "games"
    # the interval of b, with its yardstick held, is the ratio's
    half = (b["profile_high"] - b["profile_low"]) / 2 / b["value"]
    assert ratio["known_to"] == pytest.approx(half, rel=0.2)
    assert direction(found, "tau")["known_to"] < ratio["known_to"]


def test_twice_the_yardstick_gives_twice_the_value(circuit: History) -> None:
    one = calibrate(circuit, "glixo", ["b=2:10:5"], fit=True, start="fresh", resamples=50)
    scaled = "glixo:initial_deviation=800,max_deviation=800,initial=3000,floor=2"
    other = calibrate(circuit, scaled, ["b=4:20:5"], fit=True, start="fresh", resamples=50)
    assert said(other, "b")["value"] == pytest.approx(2 * said(one, "b")["value"], rel=1e-3)
    assert other.value == pytest.approx(one.value, abs=1e-8)


def test_both_ends_of_the_ratio_at_once_leave_one_held(circuit: History) -> None:
    axes = ["b=2:10:5", "initial_deviation=200:800:4"]
    found = calibrate(circuit, "glixo:floor=-1e9,initial=0", axes, fit=True, start="fresh", resamples=200)
    b, held = said(found, "b"), said(found, "initial_deviation")
    assert not b["identified"]
    assert not held["identified"]
    assert np.isnan(held["low"])
    assert np.isnan(held["high"])
    assert "only together" in held["why"]
    assert f"initial_deviation = {held['value']:g} held" in b["why"]
    assert direction(found, "b / initial_deviation")["known_to"] < 0.5


def test_ratings_filed_hold_the_scale_as_far_as_they_go(circuit: History) -> None:
    filed = circuit.entries.assign(rating=1500.0 + circuit.entries["player"].map(len) * 10.0)
    half = filed["player"].isin(filed["player"].unique()[:30])
    anchored = replace(circuit, entries=filed.assign(rating=filed["rating"].where(half)))
    found = calibrate(anchored, "glixo", ["b=2:14:5"], fit=True, resamples=100)
    assert "the ratings filed of 30 players" in said(found, "b")["why"]
    free, held = (direction(found, f"b and initial_deviation together{end}") for end in ("", ", against ratings filed"))
    assert free["curvature"] == 0
    assert held["curvature"] != 0
    assert "from a fresh start" in direction(found, "b / initial_deviation")["sentence"]


def test_ratings_filed_that_settle_nothing_are_not_said_to_hold_the_scale(
    circuit: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the page says of what holds b agrees with the curvature along the scale, of either sign."""
    filed = circuit.entries.assign(rating=1500.0 + circuit.entries["player"].map(len) * 10.0)
    anchored = replace(circuit, entries=filed)
    for curvature, known_to, holds in (
        (5.0, 0.3, True),
        (-5.0, np.nan, False),
        (5.0, 4.0, False),
        (5.0, np.nan, False),
    ):
        along = Along(curvature, known_to)
        monkeypatch.setattr("ratinglab.calibration.identifying.along_scale", lambda *_, along=along: along)
        found = calibrate(anchored, "glixo", ["b=2:14:5"], fit=True, resamples=50)
        (sentence,) = found.directions.loc[
            found.directions["combination"].str.endswith("against ratings filed"), "sentence"
        ]
        why = said(found, "b")["why"]
        assert not said(found, "b")["identified"]
        assert ("and by the ratings filed" in why) == holds
        assert ("do not settle it" in why) != holds
        assert ("hold this scale to" in sentence) == holds


def test_a_range_as_wide_as_the_search_fixes_nothing(circuit: History) -> None:
    asked = {"fit": True, "start": "fresh", "resamples": 100}
    wide = calibrate(circuit, "glixo", ["tau=60:120:4"], **asked)
    assert said(wide, "tau")["identified"]
    ends = round(wide.best.tau) - 1.0, round(wide.best.tau) + 1.0
    tau = said(calibrate(circuit, "glixo", [Axis("tau", ends)], **asked), "tau")
    assert (tau["low"], tau["high"]) == ends
    assert not tau["identified"]
    told = f"these games cannot tell a tau from any other between {ends[0]:g} and {ends[1]:g}"
    assert tau["why"] == f"{told}: that is the whole range searched"


def test_elo_knows_k_by_its_scale_only(circuit: History) -> None:
    found = calibrate(circuit, "elo", ["k=10:200:5"], fit=True, start="fresh", resamples=100)
    assert not said(found, "k")["identified"]
    assert said(found, "k")["why"].startswith("only k / scale is in the games")
    assert direction(found, "k and scale together")["curvature"] == 0


def test_what_changes_no_forecast_is_said_to(circuit: History) -> None:
    found = calibrate(circuit, "glixo", ["c=5:50:3", "tau=60:120:4"], start="fresh", resamples=100)
    c = said(found, "c")  # without growth it does nothing
    assert not c["identified"]
    assert "changes no forecast" in c["why"]
    assert np.isnan(c["low"])
    assert c["value"] == 5  # of the axis the nearest to glixo's 10
    assert not c["at_edge"]
    assert said(found, "tau")["identified"]
