"""Paired differences, the Diebold–Mariano test and the confidence set against slow transcriptions and known answers."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.forecast_tests import slow_dm, slow_losses, slow_quantile, slow_set

from ratinglab.comparison.confidence_set import confidence_set, diebold_mariano, lags
from ratinglab.comparison.paired import differences
from ratinglab.history import History
from ratinglab.problems import UsageError
from ratinglab.replaying import replay
from ratinglab.resampling import event_draws
from ratinglab.sample import individual_circuit
from ratinglab.scheduling import schedule
from ratinglab.scoring import EventSums, event_sums


@pytest.fixture(scope="module")
def history() -> History:
    return individual_circuit(np.random.default_rng(3), players=12, events=9, rounds=6)[0]


def sums_of(losses: list[list[float]], games: list[float] | None = None) -> dict[str, EventSums]:
    """Sums per event of log loss for systems s0, s1 …, given as a row of losses per game for each system."""
    count = np.array(games if games is not None else [1.0] * len(losses[0]))
    return {
        f"s{i}": EventSums(count, {"log_loss": (np.array(row) * count)[:, None]}, np.full((2, 1), np.nan))
        for i, row in enumerate(losses)
    }


# --- differences ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["log_loss", "brier", "spread_log_score"])
def test_differences_are_what_a_loop_over_resamples_finds(history: History, metric: str) -> None:
    resamples = 60
    prepared = schedule(history)
    every = np.ones(len(prepared.whole.a), dtype=bool)
    replays = {"glixo": replay(prepared, "glixo"), "sharp": replay(prepared, "glixo:tau=60")}
    sums = {name: event_sums(one, every, ["log_loss", "brier", "spread_log_score"]) for name, one in replays.items()}
    table = differences(sums, "glixo", ["log_loss", "brier", "spread_log_score"], seed=4, resamples=resamples)
    row = table.set_index(["system", "metric"]).loc[("sharp", metric)]

    losses = {name: slow_losses(one.forecasts, metric) for name, one in replays.items()}
    events = list(history.events["event"])
    picks = np.random.default_rng(4).integers(0, len(events), size=(resamples, len(events)))
    drawn = []
    for pick in picks.tolist():
        means = {}
        for name in replays:
            of_resample = [loss for i in pick for loss in losses[name][events[i]]]
            means[name] = sum(of_resample) / len(of_resample)
        drawn.append(means["sharp"] - means["glixo"])
    whole = {name: statistics.fmean([x for e in events for x in losses[name][e]]) for name in replays}
    assert row["difference"] == pytest.approx(whole["sharp"] - whole["glixo"], abs=1e-12)
    assert row["se"] == pytest.approx(statistics.stdev(drawn), rel=1e-9)
    assert row["low"] == pytest.approx(slow_quantile(drawn, 0.025), rel=1e-9)
    assert row["high"] == pytest.approx(slow_quantile(drawn, 0.975), rel=1e-9)
    of_events = [sum(losses["sharp"][e]) - sum(losses["glixo"][e]) for e in events]
    assert row["dm"] == pytest.approx(slow_dm(of_events), rel=1e-9)


def test_the_reference_has_a_row_and_missing_stays_missing(history: History) -> None:
    prepared = schedule(history)
    every = np.ones(len(prepared.whole.a), dtype=bool)
    metrics = ["log_loss", "spread_log_score", "z_sd"]
    sums = {name: event_sums(replay(prepared, name), every, metrics) for name in ("elo", "glixo", "glixo:tau=100")}
    table = differences(sums, "elo", metrics).set_index(["system", "metric"])
    own = table.loc[("elo", "log_loss")]
    assert own["difference"] == 0
    assert own[["se", "low", "high", "dm", "p"]].isna().all()
    # elo forecasts no spreads: nothing to differ from, yet of the others it is known which may be the best
    spreads = table.loc[(slice(None), "spread_log_score"), :]
    assert spreads["difference"].isna().all()
    assert spreads["dm"].isna().all()
    assert spreads.loc[("elo", "spread_log_score"), "in_best_set"] is pd.NA
    assert spreads["in_best_set"].notna().sum() == 2
    assert table.loc[(slice(None), "z_sd"), "in_best_set"].isna().all()  # no mean loss
    with pytest.raises(UsageError, match="one of the systems: elo, glixo"):
        differences(sums, "naspa", metrics)


def test_only_the_same_games_are_compared() -> None:
    one, other = sums_of([[0.6, 0.7]])["s0"], sums_of([[0.6, 0.7]], [1.0, 2.0])["s0"]
    with pytest.raises(UsageError, match="on the same games"):
        differences({"a": one, "b": other}, "a", ["log_loss"])


def test_more_accuracy_is_better() -> None:
    rng = np.random.default_rng(1)
    right = rng.uniform(0.5, 0.7, size=30)
    sums = {
        name: EventSums(np.ones(30), {"accuracy": of[:, None]}, np.full((2, 1), np.nan))
        for name, of in (("better", right + rng.uniform(0, 0.2, size=30)), ("worse", right))
    }
    table = differences(sums, "worse", ["accuracy"]).set_index("system")
    assert table.loc["better", "difference"] > 0
    assert table.loc["better", "dm"] < 0  # of losses
    assert table["in_best_set"].to_dict() == {"better": True, "worse": False}


# --- Diebold and Mariano --------------------------------------------------------------------------------------------


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=40).filter(lambda d: len(set(d)) > 1))
def test_dm_is_its_transcription(d: list[int]) -> None:
    from scipy import stats

    found = diebold_mariano(np.array(d, dtype=float))
    assert found.statistic == pytest.approx(slow_dm([float(x) for x in d]), rel=1e-9, abs=1e-12)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(found.statistic), len(d) - 1), rel=1e-9)
    turned = diebold_mariano(-np.array(d, dtype=float))
    assert turned.statistic == pytest.approx(-found.statistic)
    assert turned.p == pytest.approx(found.p)


def test_dm_without_lags_is_the_t_test_of_a_mean() -> None:
    """With L = 0 the statistic is mean/√(γ₀/n)·√((n - 1)/n), the ordinary t."""
    from scipy import stats

    d = np.array([0.3, -0.1, 0.4])
    assert lags(3) == 0
    plain = stats.ttest_1samp(d, 0)
    assert diebold_mariano(d).statistic == pytest.approx(plain.statistic)
    assert diebold_mariano(d).p == pytest.approx(plain.pvalue)


def test_dm_has_the_size_it_says() -> None:
    """Of 2,000 series without a difference, 5 % are called different: within three standard errors of that."""
    rng = np.random.default_rng(8)
    called = [diebold_mariano(rng.normal(size=60)).p < 0.05 for _ in range(2000)]
    assert np.mean(called) == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / 2000))


@pytest.mark.parametrize("d", [[], [0.4], [0.2, 0.2, 0.2], [0.0, 0.0]])
def test_dm_of_nothing_to_go_by_is_not_known(d: list[float]) -> None:
    assert all(map(math.isnan, diebold_mariano(np.array(d))))


# --- the confidence set ---------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(4, 20), st.sampled_from([0.5, 0.8, 0.95]))
def test_the_set_is_what_loops_find(seed: int, systems: int, events: int, level: float) -> None:
    rng = np.random.default_rng(seed)
    games = rng.integers(1, 30, size=events).astype(float)
    losses = games[:, None] * (0.6 + rng.normal(0, 0.05, size=(events, systems)) + rng.normal(0, 0.03, size=systems))
    picks = np.random.default_rng(seed).integers(0, events, size=(50, events))
    found = confidence_set(losses, games, event_draws(events, seed, 50), level)
    assert set(np.flatnonzero(found).tolist()) == slow_set(losses.tolist(), games.tolist(), picks.tolist(), level)


def test_of_equals_all_stay_in_95_of_100() -> None:
    """400 histories of three systems without a difference: within three standard errors of 95 %."""
    kept = []
    for seed in range(400):
        losses = 0.6 + np.random.default_rng(seed).normal(0, 0.1, size=(60, 3))
        kept.append(confidence_set(losses, np.ones(60), event_draws(60, seed, 300)).all())
    assert np.mean(kept) == pytest.approx(0.95, abs=3 * math.sqrt(0.05 * 0.95 / 400))


@pytest.mark.parametrize("events", [3, 5, 10])
def test_of_equals_few_events_leave_nobody_out_either(events: int) -> None:
    """400 histories of two systems without a difference: a set of 95 % loses one in 5 % of them, within four errors."""
    lost = []
    for seed in range(400):
        losses = 0.6 + np.random.default_rng(seed).normal(0, 0.1, size=(events, 2))
        lost.append(not confidence_set(losses, np.ones(events), event_draws(events, seed, 300)).all())
    assert np.mean(lost) <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 400)


def in_set(sums: dict[str, EventSums]) -> list[bool]:
    return differences(sums, "s0", ["log_loss"])["in_best_set"].tolist()


def test_the_clearly_worse_is_out_and_equals_stay() -> None:
    rng = np.random.default_rng(2)
    base = 0.65 + rng.normal(0, 0.02, size=40)
    near = base + rng.normal(0, 0.01, size=40)
    worse = base + 0.05 + rng.normal(0, 0.01, size=40)
    assert in_set(sums_of([worse.tolist(), base.tolist(), near.tolist()])) == [False, True, True]


def test_twice_the_same_is_no_better_than_itself() -> None:
    losses = [0.6, 0.7, 0.65, 0.62]
    assert in_set(sums_of([losses, losses])) == [True, True]
    assert in_set(sums_of([losses, losses, losses])) == [True] * 3
    worse = [x + y for x, y in zip(losses, [0.2, 0.25, 0.3, 0.22], strict=True)]
    assert in_set(sums_of([losses, worse, losses])) == [True, False, True]


def test_worse_by_the_same_in_every_event_is_out() -> None:
    losses = [0.6, 0.7, 0.65, 0.62]
    assert in_set(sums_of([losses, [x + 0.125 for x in losses]])) == [True, False]


def test_one_event_rules_nobody_out() -> None:
    assert in_set(sums_of([[0.6], [5.0]])) == [True, True]


def test_a_bound_is_in_no_set() -> None:
    rng = np.random.default_rng(2)
    base = 0.65 + rng.normal(0, 0.02, size=20)
    sums = sums_of([base.tolist(), (base - 0.3).tolist()])
    assert differences(sums, "s0", ["log_loss"], bounds=["s1"])["in_best_set"].tolist() == [True, False]
