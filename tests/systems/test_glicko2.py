"""Glicko-2: the paper's example, an oracle, its equation, what idle periods do, and workings that add up."""

from __future__ import annotations

import numpy as np
import pytest
from adding import check_workings
from hypothesis import given, settings
from hypothesis import strategies as st
from making import Game, Member, Section, dated, history, sections
from oracles.glicko2 import glicko2, root
from test_glicko import pair, worked_example

from ratinglab.problems import UsageError
from ratinglab.replaying import rate, replay
from ratinglab.systems import Glicko2, System, parse
from ratinglab.systems.glicko2 import new_volatility


@pytest.mark.parametrize("unit", [400 / np.log(10), 173.7178], ids=["exact", "rounded"])
def test_the_papers_example(unit: float) -> None:
    """1464.05067 ± 151.51652 at τ = .5: the paper's example (which rounds to 1464.06, 151.52 and .05999), to the digits
    of the reference page, whichever unit of the Glicko-2 scale is meant.

    That page prints a volatility of .0599958. The root, by halving too, is .05999598: its iteration stopped early.
    """
    row = rate(history(worked_example()), Glicko2(scale=unit * np.log(10))).changes.set_index("player").loc["Ada"]
    assert row["after"] == pytest.approx(1464.05067, abs=1e-4)
    assert row["deviation_after"] == pytest.approx(151.51652, abs=1e-4)
    assert row["volatility_after"] == pytest.approx(0.05999598, abs=1e-8)


@pytest.mark.parametrize("teams", [False, True])
@pytest.mark.parametrize(
    ("system", "given_to_oracle"),
    [
        (Glicko2(), {}),
        (Glicko2(tau=1.2, initial_volatility=0.15), {"tau": 1.2, "volatility": 0.15}),
        (Glicko2(tau=0.3, advantage=40), {"tau": 0.3, "gamma": 40}),
    ],
    ids=["default", "lively", "advantage"],
)
def test_the_oracle_agrees(system: System, given_to_oracle: dict[str, float], teams: bool) -> None:
    @settings(max_examples=25, deadline=None)
    @given(sections(teams=teams, max_rounds=8))
    def run(section: Section) -> None:
        changes = rate(history(section), system).changes.set_index("player")
        for name, (rating, deviation, volatility) in glicko2(section, **given_to_oracle).items():
            # the root is known to 1e-10, and a large volatility passes that on to the deviation
            assert changes.loc[name, "volatility_after"] == pytest.approx(volatility, rel=1e-9)
            assert changes.loc[name, "after"] == pytest.approx(rating, abs=1e-6)
            assert changes.loc[name, "deviation_after"] == pytest.approx(deviation, abs=1e-6)

    run()


@pytest.mark.parametrize("teams", [False, True])
def test_the_workings_add_up(teams: bool) -> None:
    @settings(max_examples=30)
    @given(st.lists(sections(teams=teams), min_size=1, max_size=2))
    def run(drawn: list[Section]) -> None:
        check_workings(replay(history(*dated(drawn)), Glicko2()))

    run()


@settings(max_examples=200, deadline=None)
@given(
    st.floats(0.01, 0.3),
    st.floats(0.1, 2.1),
    st.floats(0.05, 50),
    st.floats(-6, 6),
    st.sampled_from([0.2, 0.5, 1.2, 5]),
)
def test_the_equation_of_the_volatility_is_solved(
    before: float, phi: float, v: float, delta: float, tau: float
) -> None:
    def one(value: float) -> np.ndarray:
        return np.array([[value]])

    found = float(new_volatility(one(before), one(phi**2), one(v), one(delta), tau)[0, 0])
    assert found == pytest.approx(root(delta, phi, v, before, tau), rel=1e-9)


def test_the_equation_is_solved_for_everybody_as_for_each_alone() -> None:
    """Who arrives early waits unchanged: a crowd of easy and hard cases, and a grid of τ."""
    rng = np.random.default_rng(3)
    n, taus = 300, np.array([0.2, 0.5, 1.2, 3.0])
    columns = [rng.uniform(*bounds, size=(n, 1)) for bounds in ((0.01, 0.2), (0.01, 4.0), (0.05, 80), (-9, 9))]
    together = new_volatility(*columns, taus)
    assert np.isfinite(together).all()
    for i in range(0, n, 37):
        for j, tau in enumerate(taus):
            alone = new_volatility(*(column[i : i + 1] for column in columns), float(tau))
            assert together[i, j] == pytest.approx(float(alone[0, 0]), rel=1e-12)


def test_results_as_expected_calm_and_surprises_excite() -> None:
    units = [[Member("A", 1500.0, 60.0)], [Member("B", 1500.0, 60.0)]]
    calm = [Game(r, 0, 1, 5 if r % 2 else -5, float(r % 2)) for r in range(1, 9)]
    wild = [Game(r, 0, 1, 5, 1.0) for r in range(1, 9)]
    quiet, excited = (rate(history(Section(units, games, 8)), "glicko2").changes for games in (calm, wild))
    assert (quiet["volatility_after"] < 0.06).all()
    assert (excited["volatility_after"] > 0.06).all()


@pytest.mark.parametrize(
    ("system", "date", "idle"),
    [
        ("glicko2", "2024-01-31", 0),  # one period later: it grows in its own update
        ("glicko2", "2024-03-01", 1),
        ("glicko2", "2024-01-11", 0),
        ("glicko2", "2024-02-15", 0.5),
        ("glicko2:period_days=10", "2024-01-31", 2),
    ],
)
def test_idle_periods_widen_by_the_volatility(system: str, date: str, idle: float) -> None:
    game = Game(1, 0, 1, 10, 1.0)
    changes = replay(history(pair("2024-01-01", game), pair(date, game)), system).changes.set_index("player")
    first, second = (changes[changes["event"] == event] for event in ("e1", "e2"))
    assert first["deviation_before"].tolist() == [50, 60]
    grown = np.sqrt(first["deviation_after"] ** 2 + idle * (400 / np.log(10) * first["volatility_after"]) ** 2)
    assert second["deviation_before"].to_dict() == pytest.approx(grown.to_dict(), abs=1e-9)
    assert second["volatility_before"].to_dict() == first["volatility_after"].to_dict()


def test_who_has_no_game_keeps_everything() -> None:
    changes = rate(history(pair("2024-01-01")), "glicko2").changes
    assert changes["after"].tolist() == [1500, 1600]
    assert changes["deviation_after"].tolist() == [50, 60]
    assert changes["volatility_after"].tolist() == [0.06, 0.06]


def test_a_result_beyond_all_expectation_is_rated() -> None:
    """Expected scores of 1 - 1e-17, which rounding makes 1: the update stays finite, whoever wins."""
    units = [[Member("A", 9000.0, 20.0)], [Member("B", 100.0, 20.0)]]
    for result in (1.0, 0.0):
        changes = rate(history(Section(units, [Game(1, 0, 1, 5, result)], 1)), "glicko2").changes
        assert np.isfinite(changes[["after", "deviation_after", "volatility_after"]]).all(axis=None)


@pytest.mark.parametrize("wrong", ["tau=0", "initial_volatility=0", "period_days=-1", "scale=0"])
def test_parameters_that_no_rating_can_be_made_with(wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong.partition("=")[0]):
        parse(f"glicko2:{wrong}")


def test_the_volatility_after_an_upset_beyond_measure() -> None:
    """The root of step 5 for Δ = 20, φ² = .01, v = .05, σ = .3, τ = 1.2; not sought where exp overflows."""
    found = new_volatility(*(np.array([[of]]) for of in (0.3, 0.01, 0.05, 20.0)), 1.2)[0, 0]
    x = np.log(found**2)
    first = np.exp(x) * (400 - 0.06 - np.exp(x)) / (2 * (0.06 + np.exp(x)) ** 2)
    assert first == pytest.approx((x - np.log(0.3**2)) / 1.2**2, abs=1e-6)
