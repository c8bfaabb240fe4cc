"""Conversions between two lists: exact where the data are, honest where they are not, and never beyond their range."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression, lsq_linear

from ratinglab.history import Parsed, assemble
from ratinglab.problems import UsageError
from ratinglab.seeding import converting
from ratinglab.seeding.converting import FEWEST, LISTED, SIDE, common, conversion, listed

TRUTHS = {
    "straight": lambda x: 200 + 0.8 * x,
    "bent": lambda x: np.where(x < 1200, 400 + 0.3 * x, -560 + 1.1 * x),
    "levelling off": lambda x: 1500 + 500 * np.tanh((x - 1200) / 300),
}
NOISE = 100


def pairs(x: np.ndarray, y: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame({"player": [f"p{i:04d}" for i in range(len(x))], "x": x, "y": y})


def drawn(truth: str, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.normal(1200, 300, n)
    return x, TRUTHS[truth](x) + rng.normal(0, NOISE, n)


def made(seed: int, n: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pairs(*drawn(list(TRUTHS)[seed % 3], n, rng))


class TestExactData:
    """What has no scatter is given back as it is."""

    def test_a_straight_line(self) -> None:
        x = np.linspace(400, 2000, 41)
        found = conversion(pairs(x, 2 * x - 300), resamples=50)
        told = found.apply([found.low, 1001.0, found.high])
        np.testing.assert_allclose(told["value"], [2 * found.low - 300, 1702, 2 * found.high - 300], rtol=1e-9)
        assert found.method == "straight line"
        assert told["sd"].max() < 1e-6
        assert (found.low, found.high) == (x[SIDE - 1], x[-SIDE])

    @pytest.mark.parametrize("truth", list(TRUTHS))
    def test_any_rising_curve_to_a_hundredth_of_its_height(self, truth: str) -> None:
        x = np.linspace(500, 1900, 300)
        found = conversion(pairs(x, TRUTHS[truth](x)), resamples=20)
        at = np.linspace(found.low, found.high, 200)
        height = np.ptp(TRUTHS[truth](at))
        assert np.abs(found.apply(at)["value"] - TRUTHS[truth](at)).max() < 0.02 * height
        assert found.residual_sd < 0.01 * height


class TestFit:
    """The curve is what a plain solver makes of the same knots."""

    @pytest.mark.parametrize("seed", range(6))
    def test_least_squares_without_a_falling_piece(self, seed: int) -> None:
        """Oracle: scipy's bounded least squares on the values at the knots, differences not below 0."""
        table = made(seed, 60)
        fitting = converting._Fitting(table["x"].to_numpy(), 60)
        found = fitting.fit(table["x"].to_numpy(), table["y"].to_numpy(), np.ones(60))
        rising = np.maximum(table["x"].to_numpy()[:, None] - found.knots[:-1], 0)
        # a piece is the difference of two hinges
        basis = np.column_stack([np.ones(60), rising @ np.linalg.inv(np.tri(len(found.knots) - 1))])
        lower = np.r_[-np.inf, np.zeros(len(found.knots) - 1)]
        slow = lsq_linear(basis, table["y"], (lower, np.inf), tol=1e-12)
        np.testing.assert_allclose(found.at(table["x"].to_numpy()), basis @ slow.x, atol=0.01)

    def test_one_piece_is_the_least_squares_line(self) -> None:
        table = made(0, 20)
        found = conversion(table, resamples=20)
        assert found.method == "straight line"
        slope, start = np.polyfit(table["x"], table["y"], 1)
        np.testing.assert_allclose(found.knots["y"], start + slope * found.knots["x"], rtol=1e-9)


class TestProperties:
    """Of any data."""

    @settings(max_examples=15, deadline=None)
    @given(st.integers(0, 10_000), st.integers(FEWEST, 90))
    def test_never_falling_and_silent_outside(self, seed: int, n: int) -> None:
        found = conversion(made(seed, n), resamples=30)
        told = found.apply(np.linspace(found.low, found.high, 101))
        assert (np.diff(told["value"]) >= -1e-9).all()
        assert (told["low"] < told["value"]).all()
        assert (told["curve_low"] <= told["value"]).all()
        assert (told["value"] <= told["curve_high"]).all()
        assert (told["sd"] >= found.residual_sd).all()
        beyond = [found.low - 1e-6, found.high + 1e-6, np.nan, -np.inf]
        assert found.apply(beyond).isna().all(axis=None)
        assert found.one(found.high + 1) is None

    @settings(max_examples=10, deadline=None)
    @given(st.integers(0, 10_000), st.floats(0.1, 20), st.floats(-3000, 3000))
    def test_another_scale_of_y_changes_nothing_else(self, seed: int, scale: float, shift: float) -> None:
        table = made(seed)
        one = conversion(table, resamples=30)
        other = conversion(table.assign(y=table["y"] * scale + shift), resamples=30)
        at = np.linspace(one.low, one.high, 20)
        a, b = one.apply(at), other.apply(at)
        for column in ("value", "low", "high", "curve_low", "curve_high"):
            np.testing.assert_allclose(b[column], a[column] * scale + shift, rtol=1e-6, atol=1e-4 * scale)
        np.testing.assert_allclose(b["sd"], a["sd"] * scale, rtol=1e-6)
        assert one.method == other.method

    def test_the_order_of_players_does_not_matter(self) -> None:
        table = made(1)
        one, other = (conversion(t, seed=3, resamples=50) for t in (table, table.sample(frac=1, random_state=5)))
        pd.testing.assert_frame_equal(one.table(), other.table(), check_exact=True)
        pd.testing.assert_frame_equal(one.residuals, other.residuals, check_exact=True)

    def test_the_seed_is_of_the_intervals_alone(self) -> None:
        one, other = (conversion(made(2), seed=seed, resamples=50) for seed in (1, 2))
        pd.testing.assert_frame_equal(one.knots[["x", "y"]], other.knots[["x", "y"]])
        assert not one.knots["low"].equals(other.knots["low"])

    def test_the_table_goes_by_round_ratings_from_end_to_end(self) -> None:
        found = conversion(made(0, 80), resamples=20)
        x = found.table(50)["x"]
        assert (x.iloc[0], x.iloc[-1]) == (found.low, found.high)
        assert (x.iloc[1:-1] % 50 == 0).all()
        assert found.table()["value"].notna().all()


class TestHonesty:
    """By simulation, where the truth is known."""

    @pytest.mark.parametrize("truth", list(TRUTHS))
    @pytest.mark.parametrize("n", [30, 100])
    def test_intervals_hold_what_they_say(self, truth: str, n: int) -> None:
        """Of new players 95 %, within what 25 repetitions can tell; of the curve at least 85 % on average."""
        new, curve = [], []
        for seed in range(25):
            rng = np.random.default_rng([seed, n])
            found = conversion(pairs(*drawn(truth, n, rng)), resamples=100)
            x, y = drawn(truth, 1000, rng)
            told = found.apply(x)
            inside = told["value"].notna()
            new.append(((told["low"] <= y) & (y <= told["high"]))[inside].mean())
            at = np.linspace(found.low, found.high, 40)
            band = found.apply(at)
            curve.append(((band["curve_low"] <= TRUTHS[truth](at)) & (TRUTHS[truth](at) <= band["curve_high"])).mean())
        assert 0.925 < np.mean(new) < 0.99
        assert np.mean(curve) > 0.85

    @pytest.mark.parametrize("n", [30, 100, 400])
    def test_nearer_the_truth_than_isotonic_steps_and_than_a_line(self, n: int) -> None:
        """The choice of method: root mean square errors over the usable range, 12 repetitions.

        Isotonic regression itself is worse everywhere; a line is better only of straight truths, and not by half.
        """
        for truth, curve in TRUTHS.items():
            errors = []
            for seed in range(12):
                x, y = drawn(truth, n, np.random.default_rng([seed, n]))
                found = conversion(pairs(x, y), resamples=2)
                at = np.linspace(found.low, found.high, 60)
                order = np.argsort(x)
                steps = np.interp(at, x[order], isotonic_regression(y[order]).x)
                others = (found.apply(at)["value"], steps, np.polyval(np.polyfit(x, y, 1), at))
                errors.append([np.mean((one - curve(at)) ** 2) for one in others])
            ours, isotonic, line = np.sqrt(np.mean(errors, axis=0))
            assert isotonic > 1.1 * ours
            if truth == "straight":
                assert ours < 1.8 * line
            else:
                assert ours < line

    def test_what_is_observed_foretells_and_not_the_line_of_true_strengths(self) -> None:
        """Lists of one strength with equal noise: the line of strengths has slope 1, the best prediction less.

        By hand: strengths 200, noise 100 each, so the slope is 200²/(200² + 100²) = 0.8 and the error
        √(0.8·100² + 100²) = 134.2 instead of √2·100 = 141.4.
        """
        rng = np.random.default_rng(8)
        strength = rng.normal(1200, 200, 6000)
        x, y = (strength + rng.normal(0, 100, 6000) for _ in range(2))
        found = conversion(pairs(x[:500], y[:500]), resamples=20)
        slope = float(np.diff(found.apply([1000, 1400])["value"])[0]) / 400
        assert slope == pytest.approx(0.8, abs=0.08)
        told = found.apply(x[500:])["value"]
        inside = told.notna().to_numpy()
        ours, strengths = (np.sqrt(np.mean((y[500:] - one)[inside] ** 2)) for one in (told.to_numpy(), x[500:]))
        assert ours < strengths - 3
        assert found.residual_sd == pytest.approx(134.2, rel=0.08)

    def test_there_and_back_is_not_where_one_came_from(self) -> None:
        """Of straight lines the product of both slopes is the squared correlation."""
        rng = np.random.default_rng(5)
        strength = rng.normal(1200, 200, 24)
        table = pairs(*(strength + rng.normal(0, 60, 24) for _ in range(2)))
        there = conversion(table, resamples=20)
        back = conversion(table.rename(columns={"x": "y", "y": "x"}), resamples=20)
        assert there.method == back.method == "straight line"
        slopes = [float(np.ptp(one.knots["y"]) / np.ptp(one.knots["x"])) for one in (there, back)]
        assert slopes[0] * slopes[1] == pytest.approx(there.correlation**2, rel=1e-9)
        high = there.high
        assert back.one(there.apply([high])["value"][0])[0] < high

    def test_what_says_nothing_is_called_weak(self) -> None:
        rng = np.random.default_rng(3)
        x = rng.normal(1200, 300, 40)
        nothing = conversion(pairs(x, 0.02 * x + rng.normal(1500, 100, 40)), resamples=20)
        assert nothing.weak
        assert any("do not rely" in sentence for sentence in nothing.says)
        assert not conversion(made(0), resamples=20).weak

    def test_how_much_of_the_scatter_is_the_lists_own(self) -> None:
        """By hand: slope 2, deviations 30 and 80 of everybody: √((2·30)² + 80²) = 100."""
        x = np.linspace(500, 1500, 30)
        table = pairs(x, 2 * x + np.tile([40.0, -40.0], 15)).assign(x_deviation=30.0, y_deviation=80.0)
        told = " ".join(conversion(table, resamples=20).says)
        assert "explain ±100" in told
        assert "explain" not in " ".join(conversion(table.assign(y_deviation=np.nan), resamples=20).says)


class TestRefused:
    """A sentence, and no conversion."""

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            (lambda t: t.iloc[: FEWEST - 1], "found 19"),
            (lambda t: t.assign(player="same"), "each player once"),
            (lambda t: t.assign(y=t["y"].where(t.index > 0)), "without one: p0000"),
            (lambda t: t.assign(x=np.inf), "without one: p0000"),
            (lambda t: t.assign(y=-t["x"]), "do not rise"),
            (lambda t: t.assign(x=t.index % 3), "four different"),
            (lambda t: t.drop(columns="x"), "missing: x"),
            (lambda t: t.assign(x=np.r_[np.full(34, 5.0), 1, 2, 3, 7, 8, 9]), "range"),
        ],
    )
    def test_with_what_was_found(self, change, told: str) -> None:
        with pytest.raises(UsageError, match=told):
            conversion(change(made(0)), resamples=5)

    def test_the_fewest_do(self) -> None:
        assert conversion(made(0, FEWEST), resamples=5).n == FEWEST


class TestLists:
    """Who is on both lists."""

    @staticmethod
    def of(*rows: tuple[str, float, str | None]) -> pd.DataFrame:
        table = pd.DataFrame([(p, r, np.nan, d) for p, r, d in rows], columns=list(LISTED))
        return table.assign(date=pd.to_datetime(table["date"]))

    def test_pairs_and_who_is_left_out(self) -> None:
        x = self.of(("a", 1, "2012-01-01"), ("b", 2, "2012-01-01"), ("c", 3, None), ("only", 9, "2012-01-01"))
        y = self.of(("b", 20, "2012-01-11"), ("a", 10, "2012-01-12"), ("c", 30, "2012-01-01"), ("there", 5, None))
        both = common(x, y, within=10)
        assert both.pairs[["player", "x", "y"]].to_numpy().tolist() == [["b", 2, 20], ["c", 3, 30]]
        assert (both.only_x.tolist(), both.only_y, both.apart) == ([9], 1, 1)
        told = " ".join(both.says)
        assert "2 players are on both lists, 1 on the first alone, 1 on the second alone" in told
        assert "more than 10 days apart" in told

    def test_nobody_twice(self) -> None:
        x = self.of(("a", 1, None), ("a", 2, None))
        with pytest.raises(UsageError, match="found twice: a"):
            common(x, x)

    def test_the_latest_rating_of_a_kind_up_to_a_day(self) -> None:
        lists = pd.DataFrame(
            {"player": ["a", "a", "a", "b"], "rating": [1.0, 2.0, 3.0, 4.0],
             "list_date": pd.to_datetime(["2012-01-01", "2012-02-01", "2012-01-01", "2012-03-01"]),
             "kind": ["local", "local", "national", "local"]}
        )  # fmt: skip
        history = assemble([Parsed({"rating_lists": lists})])
        assert listed(history, "Local")[["player", "rating"]].to_numpy().tolist() == [["a", 2], ["b", 4]]
        assert listed(history, "local", as_of="2012-01-31")["rating"].tolist() == [1]
        with pytest.raises(UsageError, match="the kinds are: local, national"):
            listed(history, "world")
