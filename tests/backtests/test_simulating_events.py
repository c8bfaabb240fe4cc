"""Playing an event many times: beside exact enumeration, a plain loop, and pairings of other kinds."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import sqrt

import numpy as np
import pandas as pd
import pytest
from making import Game, Member, Section, history
from making_events import NAMES, RATINGS, assert_close, of, round_robin
from scipy import stats

from ratinglab.backtests import event_sections
from ratinglab.backtests.backtesting import backtest
from ratinglab.backtests.simulating_events import Filed, Meets, play, probability
from ratinglab.history import Parsed, assemble
from ratinglab.replaying import replay
from ratinglab.scheduling import schedule
from ratinglab.systems import Glixo


def elo_win(a: float, b: float) -> float:
    return 1 / (1 + 10 ** (-(a - b) / 722))


class TestExactly:
    """Two rounds of four, small enough to enumerate."""

    def test_places_and_wins_of_all_sixteen_outcomes(self) -> None:
        games = [(0, 1), (2, 3), (0, 2), (1, 3)]
        place, wins = np.zeros((4, 4)), np.zeros((4, 3))
        for results in product((0, 1), repeat=4):
            p, score = 1.0, [0] * 4
            for (a, b), a_wins in zip(games, results, strict=True):
                win = elo_win(RATINGS[a], RATINGS[b])
                p *= win if a_wins else 1 - win
                score[a if a_wins else b] += 1
            for one in range(4):
                wins[one, score[one]] += p
                above = sum(s > score[one] for s in score)
                level = sum(s == score[one] for s in score)
                place[one, above : above + level] += p / level
        made = backtest(round_robin(RATINGS), "e1", ["elo"], tournaments=20_000)
        table = made.places.pivot_table(index="player", columns="place", values="p").loc[list(NAMES[:4])]
        assert_close(table.to_numpy(), place, 20_000)
        counts = made.wins.pivot_table(index="player", columns="wins", values="p").loc[list(NAMES[:4])]
        assert counts.columns.tolist() == [0, 1, 2]
        assert_close(counts.to_numpy(), wins, 20_000)
        entrants = of(made, "elo").loc[list(NAMES[:4])]
        assert entrants["expected_wins"].to_numpy() == pytest.approx(wins @ [0, 1, 2])
        assert entrants["sd"].to_numpy() == pytest.approx(np.sqrt(wins @ [0, 1, 4] - (wins @ [0, 1, 2]) ** 2), abs=0.02)
        assert entrants["wins"].tolist() == [2, 1, 1, 0]

    def test_one_game_between_drawn_strengths(self) -> None:
        made = backtest(round_robin((1600, 1500), (120, 80), [(0, 1)]), "e1", [Glixo(tau=100)], tournaments=20_000)
        mean, sd = 20.0, sqrt((120**2 + 80**2) / 25 + 100**2)
        tie = stats.norm.cdf(0.5, mean, sd) - stats.norm.cdf(-0.5, mean, sd)
        a = 1 - stats.norm.cdf(0.5, mean, sd)
        assert_close(of(made, "glixo:tau=100")["p_winner"]["Ada"], a + tie / 2, 20_000)
        wins = made.wins[made.wins["player"] == "Ada"].set_index("wins")["p"]
        assert_close([wins[0.0], wins[0.5], wins[1.0]], [1 - a - tie, tie, a], 20_000)
        assert of(made, "glixo:tau=100")["expected_spread"]["Ada"] == pytest.approx(20)


def slow(rng, ratings, deviations, games, given, b: float, tau: float, tournaments: int):
    """Places of a section under Glixo in plain Python: strengths drawn, spreads rounded, ties by spread, then lot."""
    n = len(ratings)
    places, all_wins = np.zeros((n, n)), []
    for _ in range(tournaments):
        strength = [r + d * rng.standard_normal() for r, d in zip(ratings, deviations, strict=True)]
        wins, spread = [g[0] for g in given], [g[1] for g in given]
        for one, other in games:
            s = round((strength[one] - strength[other]) / b + tau * rng.standard_normal())
            spread[one] += s
            spread[other] -= s
            wins[one] += 1 if s > 0 else 0.5 if s == 0 else 0
            wins[other] += 1 if s < 0 else 0.5 if s == 0 else 0
        order = sorted(range(n), key=lambda k: (-wins[k], -spread[k], rng.random()))
        for place, k in enumerate(order):
            places[k, place] += 1 / tournaments
        all_wins.append(wins)
    return places, np.array(all_wins)


def test_a_slow_simulation_of_the_same_model_agrees() -> None:
    ratings, deviations = (1700.0, 1600.0, 1550.0, 1500.0, 1300.0), (60.0, 200.0, 90.0, 40.0, 250.0)
    pairs = [(0, 1), (2, 3), (0, 2), (1, 4), (3, 4), (0, 3), (1, 2), (0, 4)]
    made = round_robin(ratings, deviations, pairs)
    bye = {"event": "e1", "section": "main", "round": 5, "player": "Dot", "score": 50.0, "opponent_score": 0.0}
    games = pd.concat([made.games, pd.DataFrame([bye | {"result": 1.0, "status": "bye", "rated": 0}])])
    made = assemble([Parsed({"events": made.events, "entries": made.entries, "games": games})])
    told = backtest(made, "e1", [Glixo(b=4, tau=70)], tournaments=20_000, seed=3)
    given_ = [(0, 0)] * 3 + [(1, 50), (0, 0)]
    places, wins = slow(np.random.default_rng(8), ratings, deviations, pairs, given_, 4, 70, 8_000)
    table = told.places.pivot_table(index="player", columns="place", values="p").loc[list(NAMES[:5])]
    assert_close(table.to_numpy(), places, 20_000, 8_000)
    entrants = told.entrants.set_index("player").loc[list(NAMES[:5])]
    assert entrants["sd"].to_numpy() == pytest.approx(wins.std(axis=0), rel=0.04)
    in_games = entrants["expected_wins"] + [0, 0, 0, 1, 0]
    assert in_games.to_numpy() == pytest.approx(wins.mean(axis=0), abs=4 * 1.5 / sqrt(8_000))
    assert "1 bye or forfeit is counted as filed in every tournament." in told.notes


def test_the_standard_error_of_a_share() -> None:
    p, se = probability(np.array([0, 5000, 10_000]), 10_000)
    assert p.tolist() == [0, 0.5, 1]
    assert se[1] == pytest.approx(0.005, rel=1e-3)
    assert se[0] == pytest.approx(stats.beta(0.5, 10_000.5).std())
    assert se[2] == pytest.approx(se[0])


class Asked:
    """Pairings of every tournament alike, by a function."""

    def __init__(self, meets: Meets) -> None:
        self.meets = meets

    def begin(self, tournaments: int, rng: np.random.Generator) -> Meets:
        return self.meets


class TestPairings:
    """Who meets whom is a function's answer."""

    def fields(self, system="elo"):
        prepared = schedule(round_robin(RATINGS, [80] * 4))
        one = event_sections.sections(prepared, "e1", None, 0)[0]
        return event_sections.field(one, replay(prepared, system, details=False))

    @pytest.mark.parametrize("system", ["elo", "glixo"])
    def test_pairs_of_each_tournament_alone(self, system: str) -> None:
        made = self.fields(system)
        filed = made.pairings.begin(50, np.random.default_rng(0))

        def each(number, wins, spread):
            met = filed(number, wins, spread)
            alike = [np.repeat(values[:, None], wins.shape[1], axis=1) for values in (met.a, met.b, met.first)]
            return met._replace(a=alike[0], b=alike[1], first=alike[2])

        one = play(made, 50, np.random.SeedSequence(1))
        other = play(replace(made, pairings=Asked(each)), 50, np.random.SeedSequence(1))
        for left, right in zip(one, other, strict=True):
            np.testing.assert_array_equal(left, right)

    def test_a_spread_counts_up_to_the_cap_of_its_round(self) -> None:
        """Spreads of some ± 100: no game of round 1 counts for more than 15 points, and one of round 2 for any."""
        games = [Game(1, 0, 1, 90, 1.0), Game(1, 2, 3, -40, 0.0), Game(2, 0, 2, 25, 1.0), Game(2, 1, 3, 10, 1.0)]
        members = [[Member(name, rating)] for name, rating in zip(NAMES[:4], RATINGS, strict=True)]
        for caps, first, both in (((15,), 15, np.inf), ((15, 15), 15, 30)):
            prepared = schedule(history(Section(members, games, 2, caps=caps)))
            one = event_sections.sections(prepared, "e1", None, 0)[0]
            made = event_sections.field(one, replay(prepared, "glixo", details=False))
            _, whole, _ = play(made, 400, np.random.SeedSequence(2))
            _, begun, _ = play(replace(made, rounds=1), 400, np.random.SeedSequence(2))
            assert np.abs(begun).max() == first
            assert 30 < np.abs(whole).max() <= both or np.abs(whole).max() == both
            assert one.standing["spread"].tolist() == [
                15 + (15 if len(caps) > 1 else 25),
                -15 + 10,
                -15 - (15 if len(caps) > 1 else 25),
                15 - 10,
            ]
            assert one.games["spread"].abs().tolist() == [90, 40, 25, 10]

    def test_pairings_see_the_standing(self) -> None:
        made, seen = self.fields(), []
        filed = made.pairings.begin(10, np.random.default_rng(0))

        def meets(number, wins, spread):
            seen.append((number, wins.copy()))
            return filed(number, wins, spread)

        wins, _, _ = play(replace(made, pairings=Asked(meets)), 10, np.random.SeedSequence(1))
        assert [number for number, _ in seen] == [0, 1]
        assert (seen[0][1] == 0).all()
        assert (seen[1][1].sum(axis=0) == 2).all()
        assert (wins.sum(axis=0) == 4).all()
        assert isinstance(made.pairings, Filed)
