"""Models of games: both sides see the same game, means and deviations are those asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratinglab.problems import UsageError
from ratinglab.simulation.models import Chess, Curve, Model, Spreads, parse_model

MODELS = [Spreads(), Spreads(b=6.6, tau=98), Curve(), Chess(), Chess(draw=1.0), Chess(draw=0.0, first=0.0)]
COUNT = 200_000


@pytest.mark.parametrize("model", MODELS)
@given(difference=st.floats(-800, 800), first=st.sampled_from([-1, 1]), luck=st.floats(-4, 4))
def test_both_sides_see_the_same_game(model: Model, difference: float, first: int, luck: float) -> None:
    one, by = model.play(np.array([difference]), np.array([first]), np.array([luck]))
    other, back = model.play(np.array([-difference]), np.array([-first]), np.array([-luck]))
    assert by == -back
    assert one + other == 2 or abs(luck) < 1e-12  # at the very border of win and draw the two may round differently


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("difference", [-250.0, 0.0, 120.0])
def test_expected_points_are_those_said(model: Model, difference: float) -> None:
    rng = np.random.default_rng(5)
    first = np.tile([1, -1], COUNT // 2)
    points, _ = model.play(np.full(COUNT, difference), first, rng.standard_normal(COUNT))
    mean, error = points.mean() / 2, points.std() / 2 / np.sqrt(COUNT)
    # whole spreads make ties of what is within half a point: the tie's half is on both sides
    assert abs(mean - float(model.win(np.array([difference]))[0])) < 4 * error + 1e-9


def test_spreads_have_the_mean_and_deviation_of_the_model() -> None:
    luck = np.random.default_rng(1).standard_normal(COUNT)
    _, spread = Spreads(b=5, tau=90).play(np.full(COUNT, 200.0), np.zeros(COUNT, dtype=np.int64), luck)
    assert spread.mean() == pytest.approx(40, abs=4 * 90 / np.sqrt(COUNT))
    assert spread.std() == pytest.approx(np.sqrt(90**2 + 1 / 12), rel=0.01)


def test_equals_draw_as_often_as_asked_and_white_is_worth_its_points() -> None:
    rng = np.random.default_rng(2)
    luck = rng.standard_normal(COUNT)
    nothing = np.zeros(COUNT)
    points, _ = Chess(draw=0.3, first=0).play(nothing, np.ones(COUNT, dtype=np.int64), luck)
    assert (points == 1).mean() == pytest.approx(0.3, abs=0.005)
    white, _ = Chess(draw=0.3, first=35).play(nothing, np.ones(COUNT, dtype=np.int64), luck)
    assert white.mean() / 2 == pytest.approx(1 / (1 + 10 ** (-35 / 400)), abs=0.004)


def test_naspa_curve() -> None:
    """Worked values of the curve: 100 .5790, 200 .6542, 300 .7224, 400 .7816 (NASPA, 2009)."""
    shown = Curve().win(np.array([100.0, 200.0, 300.0, 400.0]))
    np.testing.assert_allclose(shown, [0.5790, 0.6542, 0.7224, 0.7816], atol=5e-5)


def test_models_by_name() -> None:
    assert parse_model("glixo:b=6,tau=80") == Spreads(6, 80)
    assert parse_model("naspa") == Curve()
    assert parse_model("chess:draw=.2,first=0") == Chess(0.2, 0)
    for text, told in (
        ("go", "the models are: glixo, naspa, chess"),
        ("glixo:c=1", "its parameters are: b, tau"),
        ("glixo:tau=x", "tau is a number"),
        ("glixo:tau=0", "above 0"),
        ("chess:draw=2", "a probability"),
    ):
        with pytest.raises(UsageError, match=told):
            parse_model(text)
