"""Scores of forecasts: their formulas, their uncertainty, and ties, draws and unknown spreads."""

from __future__ import annotations

import numpy as np
import pytest
from making import Game, Member, Section, history, outcome
from scipy import integrate, optimize, stats

from ratinglab import scoring
from ratinglab.problems import UsageError
from ratinglab.replaying import replay
from ratinglab.systems import Elo, Glixo


def random_history(seed: int = 3, events: int = 12, players: int = 10, rounds: int = 5, ties: bool = True):
    rng = np.random.default_rng(seed)
    true = rng.normal(1500, 250, players)
    made = []
    for e in range(events):
        games = []
        for r in range(1, rounds + 1):
            order = rng.permutation(players)
            for a, b in zip(order[::2], order[1::2], strict=True):
                spread = round((true[a] - true[b]) / 5 + rng.normal(0, 90))
                if ties and rng.random() < 0.1:
                    spread = 0
                games.append(Game(r, a, b, spread, outcome(spread)))
        units = [[Member(f"P{i}")] for i in range(players)]
        made.append(Section(units, games, rounds, date=f"2024-{e // 28 + 1:02d}-{e % 28 + 1:02d}"))
    return history(*made)


def test_log_loss_of_ties_and_certainty() -> None:
    loss = scoring.log_loss(np.array([1.0, 0.0, 0.5, 1.0]), np.array([0.8, 0.8, 0.8, 0.0]))
    assert loss[:3] == pytest.approx([-np.log(0.8), -np.log(0.2), -0.5 * np.log(0.8 * 0.2)])
    assert np.isfinite(loss[3])


def test_accuracy_counts_a_tie_or_no_favourite_as_half() -> None:
    found = scoring.accuracy(np.array([1.0, 0.0, 0.5, 1.0]), np.array([0.6, 0.6, 0.6, 0.5]))
    assert found.tolist() == [1, 0, 0.5, 0.5]


@pytest.mark.parametrize("spread", [-200.0, 0.0, 35.0])
def test_crps_is_the_integral_that_defines_it(spread: float) -> None:
    mean, sd = 20.0, 90.0

    def squared(x: float) -> float:
        return (stats.norm.cdf(x, mean, sd) - (x >= spread)) ** 2

    total = sum(integrate.quad(squared, *ends)[0] for ends in ((-1500, spread), (spread, 1500)))
    found = scoring.crps(np.array([spread]), np.array([mean]), np.array([sd]))[0]
    assert found == pytest.approx(total, abs=1e-6)


def test_the_spread_score_is_the_normal_log_density() -> None:
    found = scoring.spread_log_score(np.array([30.0]), np.array([10.0]), np.array([90.0]))
    assert found == pytest.approx(-stats.norm.logpdf(30, 10, 90))


def test_every_metric_from_the_forecasts_table() -> None:
    result = replay(random_history(), Glixo())
    told, row = result.forecasts, scoring.score(result).iloc[0]
    s, p = told["result"].to_numpy(), told["win"].to_numpy()
    assert row["games"] == len(told)
    assert row["log_loss"] == pytest.approx(np.mean(-s * np.log(p) - (1 - s) * np.log(1 - p)))
    assert row["brier"] == pytest.approx(np.mean((s - p) ** 2))
    z = (told["spread"] - told["spread_mean"]) / told["spread_sd"]
    assert row["z_sd"] == pytest.approx(np.sqrt((z**2).mean()))  # about zero, not about its mean
    assert row["spread_rmse"] == pytest.approx(np.sqrt(((told["spread"] - told["spread_mean"]) ** 2).mean()))


def test_the_calibration_line_is_the_likeliest_one() -> None:
    result = replay(random_history(), Elo(k=60))
    told, row = result.forecasts, scoring.score(result).iloc[0]
    odds = np.log(told["win"] / (1 - told["win"]))

    def loss(line: np.ndarray) -> float:
        p = 1 / (1 + np.exp(-(line[0] + line[1] * odds)))
        return float(-(told["result"] * np.log(p) + (1 - told["result"]) * np.log(1 - p)).sum())

    best = optimize.minimize(loss, [0.0, 1.0], tol=1e-12).x
    assert row["calibration_intercept"] == pytest.approx(best[0], abs=1e-5)
    assert row["calibration_slope"] == pytest.approx(best[1], abs=1e-5)


def test_standard_errors_come_from_resampling_events() -> None:
    result = replay(random_history(events=30), Elo())
    told = result.forecasts.assign(
        loss=lambda t: -t["result"] * np.log(t["win"]) - (1 - t["result"]) * np.log(1 - t["win"])
    )
    by_event = [group["loss"].to_numpy() for _, group in told.groupby("event")]
    rng = np.random.default_rng(11)
    means = [np.concatenate([by_event[i] for i in rng.integers(0, 30, 30)]).mean() for _ in range(4000)]
    row = scoring.score(result, resamples=4000, seed=2).iloc[0]
    assert row["log_loss_se"] == pytest.approx(np.std(means), rel=0.08)


def test_the_calibration_lines_error_agrees_with_refitting_each_resample() -> None:
    result = replay(random_history(events=40, players=20), Elo())
    told = result.forecasts
    odds = np.log(told["win"] / (1 - told["win"])).to_numpy()
    s = told["result"].to_numpy()
    codes = told["event"].factorize()[0]

    def slope(weight: np.ndarray) -> float:
        line = np.array([0.0, 1.0])
        for _ in range(20):
            p = 1 / (1 + np.exp(-(line[0] + line[1] * odds)))
            x = np.column_stack([np.ones_like(odds), odds])
            line = line + np.linalg.solve((x * (weight * p * (1 - p))[:, None]).T @ x, x.T @ (weight * (s - p)))
        return line[1]

    draws = scoring.event_draws(40, 7, 300)
    slopes = [slope(draw[codes]) for draw in draws]
    row = scoring.score(result, resamples=300, seed=7).iloc[0]
    assert row["calibration_slope_se"] == pytest.approx(np.std(slopes, ddof=1), rel=0.1)


def test_one_event_has_no_standard_error() -> None:
    row = scoring.score(replay(random_history(events=1), Elo())).iloc[0]
    assert np.isnan(row["log_loss_se"])
    assert row["log_loss"] == pytest.approx(np.log(2))


def test_the_same_seed_gives_the_same_figures_and_another_others() -> None:
    result = replay(random_history(), Elo())
    one, two, other = (scoring.score(result, seed=seed).loc[0, "brier_se"] for seed in (1, 1, 2))
    assert one == two != other


def test_burn_in_leaves_out_games_of_newcomers() -> None:
    result = replay(random_history(), Elo())
    told = result.forecasts
    kept = told[(told["player_games"] >= 10) & (told["opponent_games"] >= 10)]
    row = scoring.score(result, min_games=10).iloc[0]
    assert row["games"] == len(kept) < len(told)
    assert row["brier"] == pytest.approx(((kept["result"] - kept["win"]) ** 2).mean())


def test_a_grid_has_the_scores_of_its_columns() -> None:
    made = random_history()
    grid = Glixo(tau=(70, 90, 110))
    whole = scoring.score(replay(made, grid))
    for i in range(3):
        single = scoring.score(replay(made, grid.column(i)))
        for name in scoring.METRICS + scoring.SPREAD_METRICS:
            assert whole.loc[i, name] == pytest.approx(single.loc[0, name], abs=1e-9)
            assert whole.loc[i, f"{name}_se"] == pytest.approx(single.loc[0, f"{name}_se"], abs=1e-9)
    assert "tau=110" in whole.loc[2, "parameters"]


def test_unknown_spreads_count_for_winning_only() -> None:
    section = Section(
        [[Member("A", 1500.0)], [Member("B", 1400.0)]], [Game(1, 0, 1, None, 1.0), Game(2, 0, 1, 30, 1.0)], 2
    )
    row = scoring.score(replay(history(section), Glixo())).iloc[0]
    assert row["games"] == 2
    told = replay(history(section), Glixo()).forecasts
    assert row["spread_rmse"] == pytest.approx(abs(30 - told.loc[1, "spread_mean"]))


def test_an_unknown_metric_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="log_loss"):
        scoring.score(replay(random_history(), Elo()), metrics=["z_sd"])


def test_no_games_no_figures() -> None:
    row = scoring.score(replay(history(Section([[Member("A", 1500.0)]], [], 1)), Glixo())).iloc[0]
    assert row["games"] == 0
    assert np.isnan(row["log_loss"])
    assert np.isnan(row["z_sd"])


def test_there_is_no_calibration_line_where_favourites_always_won() -> None:
    section = Section([[Member("A", 1700.0)], [Member("B", 1400.0)]], [Game(r, 0, 1, 50, 1.0) for r in (1, 2)], 2)
    row = scoring.score(replay(history(section, section), Elo())).iloc[0]
    assert np.isnan(row["calibration_slope"])
    assert np.isnan(row["calibration_intercept_se"])


@pytest.mark.parametrize("system", [Elo(scale=20), Elo(k=200, scale=100), Elo(k=300, scale=60)])
def test_the_calibration_line_of_overconfident_forecasts(system: Elo) -> None:
    result = replay(random_history(events=20), system)
    told, row = result.forecasts, scoring.score(result).iloc[0]
    odds = scoring.log_odds(told["win"].to_numpy())

    def loss(line: np.ndarray) -> float:
        fitted = line[0] + line[1] * odds
        return float((np.logaddexp(0, fitted) - told["result"].to_numpy() * fitted).sum())

    best = optimize.minimize(loss, [0.0, 0.1], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}).x
    assert row["calibration_slope"] == pytest.approx(best[1], abs=1e-4)


def test_the_other_metrics_from_the_forecasts_table() -> None:
    result = replay(random_history(), Glixo())
    told, row = result.forecasts, scoring.score(result).iloc[0]
    open_ = (told["result"] == 0.5) | (told["win"] == 0.5)  # a tie, or no favourite
    right = np.where(open_, 0.5, (told["win"] > 0.5) == (told["result"] > 0.5))
    assert row["accuracy"] == pytest.approx(right.mean())
    columns = (told[name].to_numpy() for name in ("spread", "spread_mean", "spread_sd"))
    spread, mean, sd = columns
    assert row["spread_log_score"] == pytest.approx(-stats.norm.logpdf(spread, mean, sd).mean())
    assert row["spread_crps"] == pytest.approx(scoring.crps(spread, mean, sd).mean())


def test_a_team_has_the_games_of_its_least_experienced_member() -> None:
    old, new, other = Member("Old", 1500.0), Member("New", 1500.0), Member("Other", 1500.0)
    first = Section([[old], [other]], [Game(1, 0, 1, 5, 1.0)], 1, teams=True)
    then = Section([[old, new], [other]], [Game(1, 0, 1, 5, 1.0)], 1, teams=True, date="2024-02-01")
    told = replay(history(first, then), Glixo()).forecasts
    assert told[["player_games", "opponent_games"]].to_numpy().tolist() == [[0, 0], [0, 1]]
