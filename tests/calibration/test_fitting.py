"""The stencil, the optimum and its intervals: on scores whose optimum is known, and against optima found anew."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy import stats

from ratinglab.calibration.fitting import (
    Target,
    around,
    local_minima,
    profile_intervals,
    profile_reach,
    region_reach,
    resampled,
    resampled_intervals,
    search,
    settle,
)
from ratinglab.periods import Floats
from ratinglab.resampling import critical, event_draws, expanded, student
from ratinglab.sample import individual_circuit
from ratinglab.scheduling import schedule
from ratinglab.systems import Glixo


@dataclass(frozen=True)
class Bowls(Target):
    """Scores that are a bowl of its own for each event: ½·(x - m)'·A·(x - m)."""

    middle: Floats = field(default_factory=lambda: np.zeros((1, 1)))  # (events, k)
    curvature: Floats = field(default_factory=lambda: np.eye(1)[None])  # (events, k, k)

    def sums(self, points: Floats) -> tuple[Floats, Floats]:
        away = points[None] - self.middle[:, None]
        return 0.5 * np.einsum("epi,eij,epj->ep", away, self.curvature, away), np.ones(len(self.middle))


def bowls(events: int = 40, k: int = 2, seed: int = 1, low: float = -50, high: float = 50) -> Bowls:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(events, k, k))
    curvature = np.einsum("eij,ekj->eik", root, root) + 0.5 * np.eye(k)
    bounds = np.full(k, float(low)), np.full(k, float(high))
    names = tuple("xyz"[:k])
    return Bowls(
        None, Glixo(), np.ones(1, dtype=bool), "log_loss", names, *bounds, rng.normal(3, 2, (events, k)), curvature
    )


def lowest(target: Bowls, weights: Floats) -> Floats:
    """The optimum of the weighted bowls, by the normal equations."""
    a = np.einsum("e,eij->ij", weights, target.curvature)
    return np.linalg.solve(a, np.einsum("e,eij,ej->i", weights, target.curvature, target.middle))


def test_the_stencil_gives_every_events_gradient_and_hessian() -> None:
    target, point = bowls(k=3), np.array([1.0, -2.0, 0.5])
    local = around(target, point, np.array([0.1, 0.3, 0.2]))
    np.testing.assert_allclose(local.hessian, target.curvature, atol=1e-8)
    expected = np.einsum("eij,ej->ei", target.curvature, point - target.middle)
    np.testing.assert_allclose(local.gradient, expected, atol=1e-9)
    np.testing.assert_allclose(local.value, target.sums(point[None])[0][:, 0])


def test_the_stencil_keeps_within_the_bounds() -> None:
    target = bowls(low=0, high=4)
    seen = []

    class Watched(Bowls):
        def sums(self, points: Floats) -> tuple[Floats, Floats]:
            seen.append(points)
            return super().sums(points)

    watched = Watched(**vars(target))
    local = around(watched, np.array([0.05, 4.0]), np.array([0.2, 0.2]))
    assert (np.concatenate(seen) >= 0).all()
    assert (np.concatenate(seen) <= 4).all()
    assert local.free.tolist() == [True, False]
    np.testing.assert_allclose(local.hessian[:, 0, 0], target.curvature[:, 0, 0])


@pytest.mark.parametrize("find", [search, lambda target, start: settle(target, start).point])
def test_the_optimum_is_found(find) -> None:
    target = bowls()
    found = find(target, np.array([20.0, -30.0]))
    np.testing.assert_allclose(found, lowest(target, np.ones(40)), atol=2e-3)


def test_a_search_stays_within_its_bounds_and_says_where_it_stopped() -> None:
    target = bowls(low=-50, high=1)
    settled = settle(target, search(target, np.array([-20.0, 0.0])))
    assert settled.edge.tolist() == [1, 1]
    assert not settled.fixed.any()
    assert np.isnan(resampled_intervals(target, settled, event_draws(40, 0, 50))).all()


def test_resampled_optima_are_near_those_found_anew() -> None:
    """One step with the Hessian of all events against the weighted events' own optimum, where bowls differ."""
    target, draws = bowls(events=200), event_draws(200, 3, 400)
    settled = settle(target, np.zeros(2))
    stepped, anew = resampled(settled, draws), np.array([lowest(target, weights) for weights in draws])
    assert np.abs((stepped - anew).mean(axis=0)).max() < 0.1 * anew.std(axis=0).min()
    np.testing.assert_allclose(stepped.std(axis=0), anew.std(axis=0), rtol=0.1)
    for i in range(2):
        assert np.corrcoef(stepped[:, i], anew[:, i])[0, 1] > 0.95


def test_intervals_of_a_single_mean_are_students() -> None:
    """Bowls of the same curvature: the optimum is the mean of their middles, whose interval every book gives."""
    middle = np.linspace(4, 17, 12)[:, None]
    target = Bowls(
        None, Glixo(), np.ones(1, bool), "log_loss", ("x",), np.array([-90.0]), np.array([90.0]),
        middle, np.ones((12, 1, 1)),
    )  # fmt: skip
    settled = settle(target, np.array([0.0]))
    expected = stats.t.interval(0.95, 11, middle.mean(), stats.sem(middle[:, 0]))
    half = (expected[1] - expected[0]) / 2
    assert profile_intervals(target, settled)[0] == pytest.approx(expected, abs=1e-3)
    drawn = resampled_intervals(target, settled, event_draws(12, 0, 20_000))[0]
    assert drawn == pytest.approx(expected, abs=0.08 * half)


def test_the_region_covers_as_often_as_it_says() -> None:
    """Of 200 samples of bowls about (3, 3) the region holds the truth in about 95 %, by either way."""
    inside = np.zeros((200, 2))
    for seed in range(len(inside)):
        rng = np.random.default_rng(seed)
        middle = np.array([3.0, 3.0]) + rng.normal(0, 2, (60, 2)) @ np.array([[1.0, 0.4], [0.0, 1.0]])
        target = Bowls(
            None, Glixo(), np.ones(1, bool), "log_loss", ("x", "y"), np.full(2, -50.0), np.full(2, 50.0),
            middle, np.broadcast_to(np.diag([1.0, 1.0]), (60, 2, 2)),
        )  # fmt: skip
        settled = settle(target, np.zeros(2))
        worse = target.totals(np.array([[3.0, 3.0]]))[0] - settled.local.value.sum()
        draws = event_draws(60, seed, 300)
        inside[seed] = worse <= region_reach(settled, draws), worse <= profile_reach(settled)
    assert ((inside.mean(axis=0) > 0.9) & (inside.mean(axis=0) < 0.99)).all()


def test_a_direction_without_curvature_holds_one_parameter() -> None:
    target = bowls()
    along = np.array([1.0, -1.0]) / np.sqrt(2)
    flat = np.broadcast_to(np.outer(along, along), (40, 2, 2))
    ridge = Bowls(**{**vars(target), "curvature": flat})
    settled = settle(ridge, np.array([1.0, 2.0]))
    assert settled.ridge.tolist() == [False, True]
    assert settled.fixed.tolist() == [True, False]
    assert np.isnan(resampled_intervals(ridge, settled, event_draws(40, 0, 50))[1]).all()


def test_a_parameter_that_does_nothing_is_still() -> None:
    target = bowls()
    curvature = target.curvature.copy()
    curvature[:, 1, :] = curvature[:, :, 1] = 0
    settled = settle(Bowls(**{**vars(target), "curvature": curvature}), np.array([1.0, 2.0]))
    assert settled.still.tolist() == [False, True]


def test_few_events_widen_the_interval() -> None:
    assert critical(8) == pytest.approx(stats.t.ppf(0.975, 7) * np.sqrt(8 / 7))
    assert expanded(8) == pytest.approx(2 * stats.norm.cdf(critical(8)) - 1)
    assert expanded(1) == 0.95
    assert np.isnan(critical(1))


def test_few_events_that_hold_most_of_it_count_as_few() -> None:
    """Twelve events of which three pull a hundred times as hard as the others: about as three, the rule says 3·3."""
    middle = np.where(np.arange(12) < 3, 100.0, 1.0) * np.tile([1.0, -1.0], 6)
    target = Bowls(
        None, Glixo(), np.ones(1, bool), "log_loss", ("x",), np.array([-900.0]), np.array([900.0]),
        middle[:, None] - middle.mean(), np.ones((12, 1, 1)),
    )  # fmt: skip
    settled = settle(target, np.array([1.0]))
    pull = middle - middle.mean()
    expected = 1 + 3 * (pull**2).sum() ** 2 / (pull**4).sum()
    assert settled.local.effective(settled.fixed)[0] == pytest.approx(expected)
    assert expected < 11


@dataclass(frozen=True)
class Stairs(Bowls):
    """Bowls with small stairs upon them, each event's own, as thresholds in a rule make them."""

    height: float = 0.01
    tread: float = 0.02

    def sums(self, points: Floats) -> tuple[Floats, Floats]:
        smooth, games = super().sums(points)
        place = np.floor(points[:, 0] / self.tread).astype(int) + 5000
        steps = np.random.default_rng(5).normal(0, self.height, (len(smooth), 10_000))
        return smooth + steps[:, place], games


@pytest.mark.parametrize("height", [0.002, 0.01, 0.05])
def test_the_edge_of_a_stair_is_no_bowl(height: float) -> None:
    """Fine steps see stairs as steep little bowls, whose intervals would be far too short; then none is given."""
    given = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        bowl = (
            None, Glixo(), np.ones(1, bool), "log_loss", ("x",), np.array([-10.0]), np.array([10.0]),
            rng.normal(1, 2, (40, 1)), np.ones((40, 1, 1)),
        )  # fmt: skip
        smooth, stairs = Bowls(*bowl), Stairs(*bowl, height=height)
        draws = event_draws(40, seed, 400)
        settled = settle(stairs, search(stairs, np.array([4.0])))
        (low, high), whole = (
            resampled_intervals(of, found, draws)[0]
            for of, found in ((stairs, settled), (smooth, settle(smooth, np.array([4.0]))))
        )
        if settled.fixed[0]:
            given += 1
            assert high - low == pytest.approx(whole[1] - whole[0], rel=0.5)
        else:
            assert np.isnan([low, high]).all()
    assert given >= (8 if height < 0.01 else 0)


def test_local_minima_are_lower_than_their_neighbours() -> None:
    grid = np.array([[3.0, 5.0, 1.0], [5.0, 5.0, 5.0], [5.0, 2.0, np.nan]])
    assert local_minima(grid.ravel(), (3, 3), 4) == [2, 7, 0]
    assert local_minima(grid.ravel(), (3, 3), 1) == [2]


# --- a rating system ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def target() -> Target:
    history, _ = individual_circuit(np.random.default_rng(2), players=60, events=30, rounds=6, field=16)
    prepared = schedule(history, start="fresh")
    counted = np.ones(len(prepared.whole.a), dtype=bool)
    return Target(
        prepared, Glixo(), counted, "spread_log_score", ("b", "tau"), np.array([1.0, 50.0]), np.array([15.0, 150.0])
    )


def test_a_systems_optimum_is_the_lowest_point_of_a_fine_grid(target: Target) -> None:
    settled = settle(target, search(target, np.array([8.0, 120.0])))
    b, tau = np.meshgrid(np.linspace(-0.5, 0.5, 9), np.linspace(-2, 2, 9))
    beside = settled.point + np.column_stack([b.ravel(), tau.ravel()])
    totals = target.totals(beside)
    assert np.argmin(totals) == 40
    assert settled.fixed.all()
    assert settled.gain == pytest.approx(0, abs=1e-3)


def test_a_systems_resamples_are_near_those_found_anew(target: Target) -> None:
    """Of 300 resamples the optimum on a fine grid of 1,024 points, against the one step that stands for it.

    Means and standard deviations agree. The ends of τ's interval do within half a standard error; b is a scale, so that
    its optimum found anew is skewed upwards, which one step is not: its ends lie up to a standard error lower.
    """
    settled = settle(target, search(target, np.array([5.0, 90.0])))
    draws = event_draws(30, 1, 300)
    error = np.sqrt(np.diagonal(settled.local.covariance(settled.fixed)[1]))
    b, tau = np.meshgrid(*(np.linspace(-3.5, 3.5, 32) * e for e in error), indexing="ij")
    grid = settled.point + np.column_stack([b.ravel(), tau.ravel()])
    sums = np.concatenate([target.sums(grid[i : i + 64])[0] for i in range(0, len(grid), 64)], axis=1)
    anew = grid[(draws @ sums).argmin(axis=1)]
    stepped = resampled(settled, draws)
    assert (np.abs(stepped.mean(axis=0) - anew.mean(axis=0)) < 0.25 * error).all()
    for i, off in ((0, 1.0), (1, 0.5)):
        assert stepped[:, i].std() == pytest.approx(anew[:, i].std(), rel=0.15)
        ends = np.quantile(stepped[:, i], [0.025, 0.975]), np.quantile(anew[:, i], [0.025, 0.975])
        np.testing.assert_allclose(*ends, atol=off * error[i])


def test_a_systems_profile_interval_ends_where_the_profile_says(target: Target) -> None:
    """At each end of τ's interval the score, best over b by a search of its own, is as much worse as the reach says."""
    from dataclasses import replace

    settled = settle(target, search(target, np.array([5.0, 90.0])))
    inverse, sandwich = settled.local.covariance(settled.fixed)
    limit = 0.5 * student(settled.local.effective(settled.fixed)[1]) ** 2 * sandwich[1, 1] / inverse[1, 1]
    for end in profile_intervals(target, settled)[1]:
        held = replace(target, system=Glixo(tau=float(end)), names=("b",), low=target.low[:1], high=target.high[:1])
        worse = held.totals(settle(held, settled.point[:1]).point[None])[0] - settled.local.value.sum()
        assert worse == pytest.approx(limit, rel=0.05)
