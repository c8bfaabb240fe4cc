"""Calibration as a whole: its tables against scores made apart, no look-ahead, recovery, histories of every kind."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from making import SHARED, Game, Member, Section, dated, history, needs_shared
from oracles.scores import glixo_scores
from recovering import coverage

import ratinglab
from ratinglab.calibration.calibrating import Axis, calibrate, parse_axis
from ratinglab.history import History
from ratinglab.problems import UsageError
from ratinglab.replaying import replay
from ratinglab.sample import individual_circuit, team_circuit
from ratinglab.sample.circuits import _drifting
from ratinglab.scheduling import schedule
from ratinglab.scoring import score
from ratinglab.systems import Glixo, parse
from ratinglab.tasks import Workers

HISTORIES, PARAMETERS = 20, 3


@pytest.fixture(scope="module")
def circuit() -> History:
    return individual_circuit(np.random.default_rng(3), players=40, events=20, rounds=5, field=12)[0]


# --- axes -------------------------------------------------------------------------------------------------------------


def test_an_axis_is_a_range_or_one_value() -> None:
    assert parse_axis("tau=60:140:9") == Axis("tau", tuple(range(60, 141, 10)))
    assert parse_axis(" b = 5") == Axis("b", (5.0,))
    assert (parse_axis("tau=60:140:9").low, parse_axis("tau=60:140:9").high) == (60, 140)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tau", "expected a grid such as"),
        ("=60:140:9", "expected a grid such as"),
        ("tau=60:140", "expected a grid such as"),
        ("tau=60:140:nine", "expected a grid such as"),
        ("tau=140:60:9", "from a lower to a higher"),
        ("tau=60:140:1", "in 2 values or more"),
        ("tau=60:inf:3", "from a lower to a higher"),
        ("tau=nan", "must rise"),
    ],
)
def test_a_wrong_axis_is_told(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_axis(text)


@pytest.mark.parametrize(
    ("system", "axes", "said"),
    [
        ("glixo", ["growth=1:2:3"], "growth is no number of glixo; those that can be calibrated are: b, tau, initial"),
        ("glixo", ["spread_cap=1:2:3"], "spread_cap is no number"),
        ("coco", ["rounding=0:1:2"], "rounding is no number"),
        ("glixo", ["k=1:2:3"], "k is not a parameter of glixo"),
        ("glixo", ["tau=-20:20:3"], "tau must be above 0"),
        ("glixo", ["tau=80:90:2", "tau=80:90:2"], "one axis"),
        ("glixo", [], "expected a parameter"),
        ("bradley-terry", ["prior_sd=100:200:3"], "does not say before a game"),
        ("dip-pouch", ["cap=100:200:3"], "does not say before a game"),
    ],
)
def test_what_cannot_be_calibrated_is_told(circuit: History, system: str, axes: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        calibrate(circuit, system, axes)


def test_other_wrong_questions_are_told(circuit: History) -> None:
    with pytest.raises(UsageError, match="one system"):
        calibrate(circuit, Glixo(tau=(80, 90)), ["b=3:8:3"])
    with pytest.raises(UsageError, match="z_sd cannot be minimised"):
        calibrate(circuit, "glixo", ["b=3:8:3"], metric="z_sd")
    with pytest.raises(UsageError, match="what can be: log_loss, brier"):
        calibrate(circuit, "elo", ["k=3:8:3"], metric="spread_log_score")
    with pytest.raises(UsageError, match="expected a date"):
        calibrate(circuit, "elo", ["k=3:8:3"], test_from="soon")
    with pytest.raises(UsageError, match=r"before 1999-01-01 to count; found none"):
        calibrate(circuit, "elo", ["k=3:8:3"], test_from="1999-01-01")
    with pytest.raises(UsageError, match=r"from 2099-01-01 on to count; found none"):
        calibrate(circuit, "elo", ["k=3:8:3"], test_from="2099-01-01")
    with pytest.raises(UsageError, match="with 9999 games or more to count"):
        calibrate(circuit, "elo", ["k=3:8:3"], min_games=9999)
    with pytest.raises(UsageError, match="start=fresh"):
        calibrate(schedule(circuit), "elo", ["k=3:8:3"], start="fresh")


def test_a_parameter_of_whole_steps_is_for_grids(circuit: History) -> None:
    axes = ["full_games=0:90:4"]
    with pytest.raises(UsageError, match="full_games works in whole steps"):
        calibrate(circuit, "coco:fading_games=1000", axes, fit=True, resamples=50)
    row = calibrate(circuit, "coco:fading_games=1000", axes, resamples=50).parameters.iloc[0]
    assert not row["identified"]
    assert row["value"] in (0, 30, 60, 90)


# --- the surface ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", ["glixo", "glicko"])
def test_the_surface_is_the_scores_of_each_system(circuit: History, system: str) -> None:
    """Against `score` of every grid point replayed alone, with its standard errors: the same seed, the same draws."""
    name, values = ("tau", (70, 90, 110)) if system == "glixo" else ("scale", (400, 700, 1000))
    axes = [Axis(name, tuple(map(float, values))), Axis("initial_deviation", (200.0, 400.0))]
    found = calibrate(circuit, system, axes, min_games=5, seed=4, resamples=60)
    metrics = [column for column in found.surface if f"{column}_se" in found.surface]
    assert len(metrics) == (6 if system == "glixo" else 2)
    for row in found.surface.to_dict("records"):
        one = replace(parse(system), **{axis.name: row[axis.name] for axis in axes})
        alone = score(replay(circuit, one), metrics=metrics, min_games=5, seed=4, resamples=60).iloc[0]
        for metric in metrics:
            assert row[metric] == pytest.approx(alone[metric], rel=1e-10)
            assert row[f"{metric}_se"] == pytest.approx(alone[f"{metric}_se"], rel=1e-8)
        assert found.games == alone["games"]
    assert list(found.surface[name]) == [value for value in values for _ in range(2)]
    best = found.surface.loc[found.surface[found.metric].idxmin()]
    assert found.value == pytest.approx(best[found.metric], rel=1e-12)
    assert best["difference"] == best["difference_low"] == best["difference_high"] == 0
    assert bool(best["in_region"])
    assert (found.surface["difference"] >= 0).all()
    assert (found.surface["difference_low"] <= found.surface["difference_high"]).all()


def test_a_scores_slow_transcription_gives_the_same(circuit: History) -> None:
    found = calibrate(circuit, "glixo", ["b=4:7:2", "tau=85:105:2"], start="filed", resamples=20)
    for row in found.surface.to_dict("records"):
        by_hand = glixo_scores(circuit, row["b"], row["tau"])
        assert by_hand.pop("games") == found.games
        for metric, value in by_hand.items():
            assert row[metric] == pytest.approx(value, rel=1e-9)


def test_profiles_take_the_best_over_the_other_parameters(circuit: History) -> None:
    found = calibrate(circuit, "glixo", ["b=3:8:4", "tau=70:110:5"], resamples=50)
    for row in found.profiles.to_dict("records"):
        along = found.surface[found.surface[row["parameter"]] == row["value"]]
        assert row["score"] == along["spread_log_score"].min()
        assert row["low"] <= row["difference"] <= row["high"]
    assert found.profiles.groupby("parameter").size().to_dict() == {"b": 4, "tau": 5}


def test_tiles_do_not_show(circuit: History, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = calibrate(circuit, "glixo", ["b=3:8:3", "tau=70:110:5"], fit=True, resamples=50)
    told: list[tuple[int, int]] = []
    monkeypatch.setattr("ratinglab.calibration.grids.TILE", 4)
    cut = calibrate(
        circuit, "glixo", ["b=3:8:3", "tau=70:110:5"], fit=True, resamples=50,
        workers=Workers(1), progress=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    pd.testing.assert_frame_equal(whole.surface, cut.surface, rtol=1e-11)
    pd.testing.assert_frame_equal(whole.parameters, cut.parameters, rtol=1e-6)
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]


# --- the optimum ------------------------------------------------------------------------------------------------------


def test_a_fit_goes_below_the_grid_and_stays_inside_it(circuit: History) -> None:
    axes = ["b=3:8:3", "tau=70:110:3"]
    grid, fitted = (calibrate(circuit, "glixo", axes, fit=fit, resamples=200) for fit in (False, True))
    assert fitted.value < grid.value
    assert grid.best.b in (3, 5.5, 8)
    assert 3 <= fitted.best.b <= 8
    for found in (grid, fitted):  # the interval is that of the optimum, whether or not it was asked for
        tau = found.parameters.set_index("name").loc["tau"]
        assert tau["identified"]
        assert tau["low"] < fitted.best.tau < tau["high"]
        assert tau["profile_low"] < fitted.best.tau < tau["profile_high"]
    optima = fitted.metrics.set_index("metric")
    assert optima.loc["spread_log_score", "value"] == optima.loc["spread_log_score", "at_best"] == fitted.value
    lower = optima.drop(index=["z_sd", "spread_log_score"])
    assert (lower["value"] <= lower["at_best"] + 1e-12).all()
    assert np.isnan(optima.loc["z_sd", "tau"])
    assert optima.loc["z_sd", "at_best"] == pytest.approx(1, abs=0.05)


def test_the_rounding_of_ratings_does_not_blur_an_optimum(circuit: History) -> None:
    """Whole points make the score jump: its shape is taken from the same formula unrounded, the score is as asked."""
    axes = ["b=2:12:3"]
    rounded, plain = (
        calibrate(circuit, f"coco{rest}", axes, fit=True, start="fresh", resamples=50) for rest in ("", ":rounding=no")
    )
    pd.testing.assert_frame_equal(rounded.parameters, plain.parameters, rtol=1e-6)
    assert rounded.best.rounding
    alone = score(replay(circuit, rounded.best, start="fresh"), metrics=["spread_log_score"]).iloc[0]
    assert rounded.value == pytest.approx(alone["spread_log_score"], rel=1e-12)
    assert abs(rounded.value - plain.value) > 1e-9
    assert rounded.directions.loc[0, "curvature"] == 0


def test_an_optimum_at_the_edge_is_open_on_that_side(circuit: History) -> None:
    for axes, open_side in ((["tau=100:200:3"], "low"), (["tau=40:80:3"], "high")):
        for fit in (False, True):
            row = calibrate(circuit, "glixo", axes, fit=fit, resamples=100).parameters.iloc[0]
            assert row["at_edge"]
            assert not row["identified"]
            assert np.isnan(row[open_side])
            assert "widen the range" in row["why"]


def test_a_metric_that_is_no_likelihood_has_no_profile_interval(circuit: History) -> None:
    found = calibrate(circuit, "glixo", ["tau=70:110:3"], fit=True, metric="spread_crps", resamples=100)
    row = found.parameters.iloc[0]
    assert "in_profile" not in found.surface
    assert np.isnan(row["profile_low"])
    assert row["low"] < row["value"] < row["high"]


def test_best_json_holds_what_is_fixed(circuit: History) -> None:
    found = calibrate(circuit, "glixo:growth=linear", ["tau=100:200:3", "b=5"], resamples=50)
    told = json.loads(json.dumps(found.best_json(), allow_nan=False))
    assert list(told) == ["system", "metric", "score", "games", "events", "parameters"]
    assert told["system"] == "glixo:growth=linear"
    assert told["games"], told["events"] == (600, 20)
    assert told["parameters"]["tau"]["low"] is None
    assert told["parameters"]["b"] == {"value": 5.0, "low": None, "high": None, "identified": False}


# --- a time-split -----------------------------------------------------------------------------------------------------


def test_no_later_game_touches_the_tuning(circuit: History) -> None:
    day = str(circuit.events["end_date"].iloc[14].date())
    later = circuit.games["event"].isin(circuit.events.loc[circuit.events["end_date"] >= day, "event"])
    games = circuit.games.assign(
        score=circuit.games["score"].where(~later, circuit.games["opponent_score"]),
        opponent_score=circuit.games["opponent_score"].where(~later, circuit.games["score"] + 200),
    )
    games["result"] = games["result"].where(~later, 0.0)
    axes, asked = ["b=3:8:3", "tau=70:110:3"], {"fit": True, "test_from": day, "resamples": 50}
    one, other = (calibrate(of, "glixo", axes, **asked) for of in (circuit, replace(circuit, games=games)))
    pd.testing.assert_frame_equal(one.surface, other.surface)
    pd.testing.assert_frame_equal(one.parameters, other.parameters)
    assert one.best == other.best
    assert one.games == (~later).sum()
    later_part = [found.test[found.test["part"] == "later"].reset_index(drop=True) for found in (one, other)]
    assert not later_part[0]["value"].equals(later_part[1]["value"])


def test_the_test_is_on_what_came_later(circuit: History) -> None:
    day = str(circuit.events["end_date"].iloc[14].date())
    found = calibrate(circuit, "glixo:tau=140", ["tau=70:110:5"], test_from=day, seed=2, resamples=80)
    table = found.test.set_index(["which", "part", "metric"])
    for which, system in (("tuned", found.best), ("as given", Glixo(tau=140))):
        run = replay(circuit, system)
        ends = circuit.events["end_date"].to_numpy()[run.schedule.event_of_game()]
        for part, counted in (("tuned on", ends < np.datetime64(day)), ("later", ends >= np.datetime64(day))):
            alone = score(run, subset=counted, metrics=["log_loss", "spread_log_score"], seed=2, resamples=80).iloc[0]
            for metric in ("log_loss", "spread_log_score"):
                row = table.loc[(which, part, metric)]
                assert row["value"] == pytest.approx(alone[metric], rel=1e-10)
                assert row["se"] == pytest.approx(alone[f"{metric}_se"], rel=1e-8)
                assert row["games"] == alone["games"]
    tuned = table.loc[("tuned", "later", "spread_log_score")]
    given = table.loc[("as given", "later", "spread_log_score")]
    assert tuned["difference"] == pytest.approx(tuned["value"] - given["value"], rel=1e-12)
    assert tuned["low"] < tuned["difference"] < tuned["high"] < 0


def test_events_without_a_date_are_in_neither_part(circuit: History) -> None:
    dates = circuit.events["end_date"].where(circuit.events.index < 18)
    undated = replace(circuit, events=circuit.events.assign(date=dates, end_date=dates))
    day = str(dates.iloc[10].date())
    found = calibrate(undated, "glixo", ["tau=70:110:3"], test_from=day, resamples=20)
    assert "60 games of 2 events without a date" in found.notes[0]
    assert found.games + int(found.test.loc[found.test["part"] == "later", "games"].iloc[0]) == 540
    none = circuit.events.assign(date=pd.NaT, end_date=pd.NaT)
    with pytest.raises(UsageError, match="to count; found none"):
        calibrate(replace(circuit, events=none), "glixo", ["tau=70:110:3"], test_from=day)


# --- histories of every kind ------------------------------------------------------------------------------------------


def few(*sections: Section) -> History:
    return history(*dated(sections))


def members(count: int) -> list[list[Member]]:
    return [[Member(f"Player {chr(65 + i)}", 1200.0 + 50 * i)] for i in range(count)]


def test_one_event_has_no_uncertainty_and_says_none() -> None:
    games = [Game(r, 0, 1, 20 * r, 1.0) for r in range(1, 6)] + [Game(r, 2, 3, -30, 0.0) for r in range(1, 6)]
    for fit in (False, True):
        found = calibrate(few(Section(members(4), games, 5)), "glixo", ["tau=20:200:7"], fit=fit, resamples=20)
        row = found.parameters.iloc[0]
        assert np.isnan(found.se)
        assert np.isnan([row["low"], row["high"], row["profile_low"]]).all()
        assert found.surface["in_region"].all()
        json.dumps(found.best_json(), allow_nan=False)


def test_ties_and_unknown_spreads_are_counted_for_winning_only() -> None:
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(6):
        games = [
            Game(r, 2 * i, 2 * i + 1, s if r % 2 else None, (np.sign(s) + 1) / 2)
            for r in range(1, 7)
            for i, s in enumerate(rng.integers(-90, 90, 3).tolist())
        ]
        games.append(Game(7, 0, 3, 0, 0.5))
        drawn.append(Section(members(6), games, 7))
    found = calibrate(few(*drawn), "glixo", ["tau=30:150:5"], fit=True, resamples=40)
    assert found.metric == "spread_log_score"
    assert "54 games without a known spread" in found.notes[0]
    blind = [replace(s, games=[replace(g, spread=None) for g in s.games]) for s in drawn]
    found = calibrate(few(*blind), "glixo", ["tau=30:150:5"], resamples=40)
    assert found.metric == "log_loss"
    assert "no spread is known" in found.notes[0]
    assert "spread_log_score" not in found.surface


def test_teams_are_calibrated_too() -> None:
    made_up, _ = team_circuit(np.random.default_rng(2), players=24, events=10, rounds=5)
    found = calibrate(made_up, "glixo", ["b=3:8:3", "tau=60:160:4"], fit=True, start="fresh", resamples=60)
    assert found.parameters.set_index("name").loc["tau", "identified"]
    # the rule of 100 points holds a scale of its own
    scale = found.directions.set_index("combination").loc["b and initial_deviation together"]
    assert scale["curvature"] != 0
    assert "points of its own" in scale["sentence"]


def test_a_coin_cannot_be_foretold() -> None:
    """Games decided by a coin: the interval of log loss less log 2 never lies below 0, and the fit says so."""
    rng = np.random.default_rng(8)
    drawn = []
    for _ in range(12):
        spread = rng.choice([-1, 1], 24) * rng.integers(1, 150, 24)
        games = [
            Game(r + 1, 2 * i, 2 * i + 1, int(s), float(s > 0))
            for (r, i), s in zip(np.ndindex(6, 4), spread, strict=True)
        ]
        order = rng.permutation(8)
        drawn.append(Section([[Member(f"Player {chr(65 + int(i))}")] for i in order], games, 6))
    coin = few(*drawn)
    for system, axes in (("glixo", ["b=2:40:4", "tau=60:120:3"]), ("elo", ["k=1:80:4"])):
        found = calibrate(coin, system, axes, fit=True, metric="log_loss", resamples=400)
        assert found.value + 2 * found.se > np.log(2)
        best = found.surface["log_loss"] + 1.96 * found.surface["log_loss_se"]
        assert (best > np.log(2)).all()
    # the calibrated K is as near to none as the range allows: nothing is learned from a coin
    k = calibrate(coin, "elo", ["k=0:80:5"], fit=True, metric="log_loss", resamples=100).parameters.iloc[0]
    assert k["value"] < 10


def test_nothing_to_count_is_told() -> None:
    for empty in (few(), few(Section(members(2), [], 1))):
        with pytest.raises(UsageError, match="expected rated games to count; found none"):
            calibrate(empty, "glixo", ["tau=60:140:3"])


# --- recovery ---------------------------------------------------------------------------------------------------------


def test_strengths_drift_as_asked() -> None:
    """Between two events a player is at, a strength moves with a variance of drift² a day; of others it stays."""
    rng = np.random.default_rng(1)
    there = np.array([[*range(2000)], [*range(1000, 3000)], [*range(2000)]])
    moved = np.diff(_drifting(rng, np.zeros(3000), there, 10.0), axis=0)
    assert (moved[0, :1000] == 0).all()  # not there
    assert (moved[0, 2000:] == 0).all()  # there for the first time
    assert moved[0, 1000:2000].std() == pytest.approx(10 * np.sqrt(7), rel=0.1)
    assert moved[1, :1000].std() == pytest.approx(10 * np.sqrt(14), rel=0.1)
    assert moved[1, 1000:2000].std() == pytest.approx(10 * np.sqrt(7), rel=0.1)


def test_intervals_cover_what_went_in() -> None:
    """Twenty histories with τ, growth and b known; `make bench` takes two hundred.

    Of 20 a method that covers in 95 % covers fewer than 17 with a chance of 1.6 %, of all 60 fewer than 53 of 3 %.
    """
    table = coverage(range(HISTORIES))
    assert (table["histories"] == HISTORIES).all()
    for method in ("resampling", "profile"):
        assert (table[method] >= 17).all()
        assert table[method].sum() >= 53
    assert table["bias"].abs().max() < 0.15


# --- CoCo, 2021 to 2025 ---------------------------------------------------------------------------------------------


@needs_shared
def test_coco_by_hand_and_by_grid() -> None:
    """τ near 100 by the spread log score, with a z-sd near 1 there; log loss alone says 118 while b is 5.

    The figures at three points are those of a plain loop over events, players and games. With b at 5 spreads are
    expected about a quarter as large again as they come out, so that log loss wants a flatter
    curve and only τ can give it.
    """
    coco = ratinglab.load(SHARED / "coco")
    found = calibrate(coco, "glixo", ["b=5:13:5", "tau=90:140:11"], resamples=200)
    assert (found.games, found.events) == (10992, 108)
    for b, tau in ((5.0, 100.0), (5.0, 135.0), (13.0, 105.0)):
        row = found.surface[(found.surface["b"] == b) & (found.surface["tau"] == tau)].iloc[0]
        for metric, value in glixo_scores(coco, b, tau).items():
            if metric != "games":
                assert row[metric] == pytest.approx(value, rel=1e-9)
    by_default = found.surface[found.surface["b"] == 5].set_index("tau")
    assert by_default["spread_log_score"].idxmin() == 100
    assert by_default["log_loss"].idxmin() == 120
    # within two standard errors of 1 at the fitted 98.7; here, on the grid, a little below
    assert by_default.loc[100, "z_sd"] == pytest.approx(0.9667, abs=5e-5)
    forecasts = replay(coco, Glixo(b=5, tau=100), details=False).forecasts
    slope = (forecasts["spread"] * forecasts["spread_mean"]).sum() / (forecasts["spread_mean"] ** 2).sum()
    assert slope == pytest.approx(0.803, abs=0.001)
    fitted = calibrate(coco, "glixo", ["b=5:20:4", "tau=80:140:4"], fit=True, resamples=400)
    table = fitted.parameters.set_index("name")
    assert table.loc["tau", "value"] == pytest.approx(101.48, abs=0.05)
    assert table.loc["b", "value"] == pytest.approx(8.98, abs=0.05)
    assert table.loc["tau", "low"] > 99
    assert table.loc["tau", "high"] < 104
    assert fitted.metrics.set_index("metric").loc["z_sd", "at_best"] == pytest.approx(1, abs=0.005)
    assert "the ratings filed of 166 players" in table.loc["b", "why"]
