"""Bradley-Terry in hindsight: the top of the posterior, what it is kept out of, and how it is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from adding import added
from hypothesis import given, settings
from hypothesis import strategies as st
from making import Game, Member, Section, dated, history, sections
from oracles.comparators import log_posterior
from scipy import optimize

from ratinglab.explaining import explain
from ratinglab.formats import load
from ratinglab.problems import UsageError
from ratinglab.replaying import rate, replay
from ratinglab.scheduling import Schedule, schedule
from ratinglab.scoring import score
from ratinglab.systems import BradleyTerry, Elo, make
from ratinglab.systems import bradley_terry as module
from ratinglab.systems.workings import Workings

OPEN_CIRCUIT = Path(__file__).resolve().parents[2] / "data" / "open-circuit"


def games_of(drawn: list[Section]) -> list[tuple[list[str], list[str], float, int]]:
    """The games as the oracle takes them."""
    first = {1: 1, 0: -1, None: 0}
    return [
        ([m.name for m in section.units[g.a]], [m.name for m in section.units[g.b]], g.result, first[g.first])
        for section in drawn
        for g in section.games
    ]


def ratings(prepared: Schedule, system: BradleyTerry) -> dict[str, float]:
    state = system.hindsight(prepared)
    names = prepared.history.entries["player"].to_numpy()[prepared.entry_row]
    return {name: float(state["rating"][p, 0]) for name, p in zip(names, prepared.whole.person, strict=True)}


def draws(a: str, b: str, wins: int, losses: int) -> Section:
    units = [[Member(a)], [Member(b)]]
    results = [1.0] * wins + [0.0] * losses
    return Section(units, [Game(r, 0, 1, 5, won) for r, won in enumerate(results, 1)], len(results))


def test_two_players_by_hand() -> None:
    """3 wins of 4: d solves d/2 = 200²·q·(3 - 4·E(d)), d/2 either side of 1500; found by bisection here."""
    q = np.log(10) / 400
    d = optimize.brentq(lambda d: 200**2 * q * (3 - 4 / (1 + 10 ** (-d / 400))) - d / 2, 0, 1000, xtol=1e-12)
    found = ratings(schedule(history(draws("A", "B", 3, 1))), BradleyTerry())
    assert found == pytest.approx({"A": 1500 + d / 2, "B": 1500 - d / 2}, abs=1e-9)


def test_who_won_everything_is_rated() -> None:
    found = ratings(schedule(history(draws("A", "B", 10, 0))), BradleyTerry())
    assert 1600 < found["A"] < 2500
    wider = ratings(schedule(history(draws("A", "B", 10, 0))), BradleyTerry(prior_sd=1000))
    assert found["A"] < wider["A"] < 10_000


@pytest.mark.parametrize("teams", [False, True])
@pytest.mark.parametrize("advantage", ["fitted", 30.0])
def test_it_is_the_top_of_the_posterior(teams: bool, advantage: str | float) -> None:
    """Nobody's rating, nor the advantage, can be moved either way without making the games less likely."""

    @settings(max_examples=25)
    @given(st.lists(sections(teams=teams), min_size=1, max_size=3))
    def run(drawn: list[Section]) -> None:
        prepared = schedule(history(*dated(drawn)))
        system = BradleyTerry(advantage=advantage)
        found, games = ratings(prepared, system), games_of(drawn)
        state = system.hindsight(prepared)
        worth = float(state["advantage"][0, 0])
        top = log_posterior(games, found, worth)
        for name in found:
            for step in (-1.0, 1.0):
                assert log_posterior(games, found | {name: found[name] + step}, worth) < top
            slope = log_posterior(games, found | {name: found[name] + 0.01}, worth)
            slope -= log_posterior(games, found | {name: found[name] - 0.01}, worth)
            assert slope / 0.02 == pytest.approx(0, abs=1e-8)
        if advantage == "fitted":
            assert log_posterior(games, found, worth + 1) < top
            assert log_posterior(games, found, worth - 1) < top
        else:
            assert worth == 30

    run()


def test_the_deviation_is_the_curvature_at_the_top() -> None:
    made = [draws("A", "B", 5, 2), draws("B", "C", 4, 4), draws("A", "C", 3, 1)]
    prepared = schedule(history(*dated(made)))
    state = BradleyTerry(advantage=0.0).hindsight(prepared)
    names = ["A", "B", "C"]
    found = ratings(prepared, BradleyTerry(advantage=0.0))
    games = games_of(made)
    h, hessian = 0.5, np.zeros((3, 3))
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            total = 0.0
            for da in (-h, h):
                for db in (-h, h):
                    moved = dict(found)
                    moved[a] += da
                    moved[b] += db
                    total += np.sign(da * db) * log_posterior(games, moved, 0.0)
            hessian[i, j] = total / (4 * h * h)
    deviation = np.sqrt(np.diag(np.linalg.inv(-hessian)))
    order = pd.factorize(prepared.history.entries["player"])[1]
    assert dict(zip(order, state["deviation"][:, 0], strict=True)) == pytest.approx(
        dict(zip(names, deviation, strict=True)), rel=1e-4
    )


def test_who_did_not_play_stands_at_the_prior() -> None:
    section = replace(draws("A", "B", 1, 1), units=[[Member("A")], [Member("B")], [Member("C", 2000.0)]])
    state = BradleyTerry().hindsight(schedule(history(section)))
    assert state["rating"][2, 0] == 1500  # ratings filed are not used
    assert state["deviation"][2, 0] == pytest.approx(200)


def test_going_first_is_worth_what_the_games_say() -> None:
    units = [[Member("A")], [Member("B")]]
    # they take turns, tie the first eight, and then whoever goes first wins
    games = [Game(r, 0, 1, 0, 0.5, r % 2) if r <= 8 else Game(r, 0, 1, 5, float(r % 2), r % 2) for r in range(1, 41)]
    made = schedule(history(Section(units, games, 40)))
    assert BradleyTerry().hindsight(made)["advantage"][0, 0] > 100
    assert BradleyTerry(advantage=25.0).hindsight(made)["advantage"][0, 0] == 25
    unknown = schedule(history(Section(units, [replace(g, first=None) for g in games], 40)))
    assert BradleyTerry().hindsight(unknown)["advantage"][0, 0] == 0


class TestKeptOutOfForecasts:
    """It has seen the games."""

    def test_no_table_of_forecasts(self) -> None:
        result = replay(history(draws("A", "B", 3, 1)), "bradley-terry")
        with pytest.raises(UsageError, match="bradley-terry does not say before a game"):
            _ = result.forecasts
        assert "expected" not in result.changes

    def test_scores_are_labelled(self) -> None:
        result = replay(history(draws("A", "B", 3, 1)), "bradley-terry")
        assert score(result).loc[0, "subset"] == "hindsight"
        part = score(result, subset=np.array([True, False, True, True]), label="some").loc[0]
        assert (part["subset"], part["games"]) == ("hindsight, some", 3)
        assert score(replay(history(draws("A", "B", 3, 1)), "elo")).loc[0, "subset"] == "all"

    def test_it_says_so(self) -> None:
        prepared = schedule(history(draws("A", "B", 3, 1)))
        (told,) = BradleyTerry().notices(prepared)
        assert "looks back" in told

    def test_there_is_no_update(self) -> None:
        prepared = schedule(history(draws("A", "B", 3, 1)))
        with pytest.raises(UsageError, match="no update of one event"):
            BradleyTerry().update({}, prepared.batches[0])
        with pytest.raises(UsageError, match="nobody starts"):
            BradleyTerry().start(prepared.whole, np.arange(2))


def test_elo_does_not_forecast_what_hindsight_explains() -> None:
    """On the sample circuit Bradley-Terry's log loss in hindsight is below that of Elo's forecasts, at any K."""
    prepared = schedule(load(OPEN_CIRCUIT))
    told = score(replay(prepared, BradleyTerry()), metrics=["log_loss"]).loc[0]
    forecast = score(replay(prepared, Elo(k=(5, 10, 20, 40))), metrics=["log_loss"])
    assert told["games"] == forecast.loc[0, "games"]
    assert told["log_loss"] < forecast["log_loss"].min() - 0.01


def test_many_people_are_fitted_without_deviations(monkeypatch: pytest.MonkeyPatch) -> None:
    """The way for many people, conjugate gradients, gives what the way for few gives."""
    prepared = schedule(load(OPEN_CIRCUIT))
    few = BradleyTerry().hindsight(prepared)
    monkeypatch.setattr(module, "FEW", 10)
    many = BradleyTerry().hindsight(prepared)
    np.testing.assert_allclose(many["rating"], few["rating"], rtol=0, atol=1e-7)
    assert np.isfinite(few["deviation"]).all()
    assert np.isnan(many["deviation"]).all()
    assert any("not worked out" in told for told in BradleyTerry().notices(prepared))


def test_a_fit_that_does_not_settle_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STEPS", 1)
    with pytest.raises(UsageError, match="bradley-terry: expected a fit"):
        BradleyTerry().hindsight(schedule(history(draws("A", "B", 3, 1))))


@pytest.mark.parametrize("prior_sd", [5.0, 5000.0])
def test_it_settles_with_priors_far_off(prior_sd: float) -> None:
    found = ratings(schedule(history(draws("A", "B", 30, 0))), BradleyTerry(prior_sd=prior_sd))
    assert found["A"] + found["B"] == pytest.approx(3000, abs=1e-6)
    assert 1500 < found["A"] < 10_000


def test_of_no_games() -> None:
    state = BradleyTerry().hindsight(schedule(history(Section([[Member("A", 1800.0)]], [], 1))))
    assert state["rating"].tolist() == [[1500]]
    assert state["advantage"].tolist() == [[0]]


def test_a_grid_holds_the_single_systems() -> None:
    grid = BradleyTerry(prior_sd=(100, 200, 300), advantage=(0, 20, 40), scale=(400, 400, 722))

    @settings(max_examples=12)
    @given(st.lists(sections(), min_size=1, max_size=3))
    def run(drawn: list[Section]) -> None:
        prepared = schedule(history(*dated(drawn)))
        whole = replay(prepared, grid)
        for index in range(3):
            single = replay(prepared, grid.column(index))
            column = whole.column(index)
            for name in single.after:
                np.testing.assert_allclose(column.after[name], single.after[name], rtol=0, atol=1e-9)
            np.testing.assert_allclose(column.win, single.win, rtol=0, atol=1e-12)

    run()


@pytest.mark.parametrize("teams", [False, True])
def test_the_points_of_all_games_add_up(teams: bool) -> None:
    """For every entry the points told come to rating - initial, and the rest told is what other games really give."""

    @settings(max_examples=25)
    @given(st.lists(sections(teams=teams), min_size=1, max_size=4))
    def run(drawn: list[Section]) -> None:
        prepared = schedule(history(*dated(drawn)))
        system = BradleyTerry()
        result = replay(prepared, system)
        of_games = dict.fromkeys(prepared.whole.person, 0.0)
        rests = []
        for batch in prepared.batches:
            state = {name: values[batch.entries] for name, values in result.before.items()}
            workings = Workings()
            told = batch.told_from_both_sides
            assert system.tell_hindsight(prepared, state, told, workings)
            np.testing.assert_allclose(added(workings, "points", len(batch.person)), state["rating"] - 1500, atol=1e-9)
            points = np.zeros(len(batch.person))
            (games,) = [step for step in workings.steps if step.kind == "games"]
            np.add.at(points, told.directed.entry, games.columns["points"][:, 0])
            for entry, person in enumerate(batch.person):
                of_games[person] += points[entry]
                (rest,) = [step for step in workings.steps if step.kind == "rule"]
                rests.append((person, points[entry], rest.columns["points"][entry, 0]))
        for person, here, rest in rests:
            assert rest == pytest.approx(of_games[person] - here, abs=1e-8)

    run()


def test_an_explanation() -> None:
    made = [draws("A", "B", 3, 1), draws("A", "C", 1, 1)]
    told = explain(replay(history(*dated(made)), "bradley-terry"), "e2", "A")
    assert told.looks_back
    rules = told.rows.set_index("name")
    assert rules.loc["games of other events", "points"] > 0
    assert told.rows["points"].sum() == pytest.approx(told.after - 1500)


def test_rated_alone_it_looks_at_everything_all_the_same() -> None:
    made = history(*dated([draws("A", "B", 3, 1), draws("A", "B", 1, 3)]))
    assert rate(made, "bradley-terry").changes["after"].to_numpy() == pytest.approx(1500)


@pytest.mark.parametrize(
    ("wrong", "said"), [({"advantage": "free"}, "advantage must be fitted or points"), ({"prior_sd": 0}, "prior_sd")]
)
def test_wrong_values_are_refused(wrong: dict, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        BradleyTerry(**wrong)
    assert make("bradley-terry", {"advantage": "20"}).advantage == 20
