"""One past event against what was expected: any event, the same figures for anybody, what happened, odd events."""

from __future__ import annotations

from dataclasses import replace
from math import log, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from making import SHARED, Game, Member, Section, dated, history, needs_shared, outcome, sections
from making_events import NAMES, RATINGS, assert_close, of, round_robin
from scipy import stats

import ratinglab
from ratinglab.backtests.backtesting import UPSET, Backtest, backtest
from ratinglab.backtests.simulating_events import CHUNK
from ratinglab.history import History, Parsed, assemble
from ratinglab.ordering import as_placings
from ratinglab.problems import UsageError
from ratinglab.replaying import replay
from ratinglab.sample import individual_circuit, team_circuit
from ratinglab.systems import Elo
from ratinglab.tasks import Workers

FORECASTS = ["rating", "deviation", "seed", "expected_wins", "sd", "p_winner", "p_top_3", "mean_place", "place_median"]


class TestAnyEvent:
    """What holds of every event."""

    @settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(sections(max_rounds=4), min_size=1, max_size=3).map(dated), st.sampled_from([0, 1, 99]))
    def test_probabilities_add_up_and_expectations_are_those_of_the_replay(self, drawn, after: int) -> None:
        made, event = history(*drawn), f"e{len(drawn)}"
        games = made.games[made.games["event"] == event]
        if games.empty:
            return
        after = min(after, int(games["round"].max()))
        told = backtest(made, event, ["glixo", "naspa", "glicko"], after_round=after, tournaments=60)
        for table in (told.places, told.wins):
            assert table.groupby(["system", "player"])["p"].sum().to_numpy() == pytest.approx(1)
            assert (table["se"] > 0).all()
        assert told.places.groupby(["system", "place"])["p"].sum().to_numpy() == pytest.approx(1)
        assert told.entrants.groupby("system")["p_winner"].sum().to_numpy() == pytest.approx(1)
        places = as_placings(made.only(event)).placings.set_index("player")["place"]
        for system in told.systems:
            entrants = of(told, system)
            assert entrants["place"].to_dict() == places.loc[entrants.index].astype(int).to_dict()
            assert entrants["p_place_or_better"].between(0, 1).all()
            if after == 0:
                changes = replay(made, system).changes.query("event == @event").set_index("player")
                expected = replay(made, system).forecasts.query("event == @event")
                sums = (
                    expected.groupby("player")["win"]
                    .sum()
                    .add((1 - expected["win"]).groupby(expected["opponent"]).sum(), fill_value=0)
                )
                assert entrants["expected_wins"].to_dict() == pytest.approx(sums.to_dict())
                assert entrants["wins"].to_dict() == changes.loc[entrants.index, "wins"].to_dict()

    @settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(sections(max_rounds=4), min_size=2, max_size=4).map(dated), st.data())
    def test_no_look_ahead(self, drawn, data) -> None:
        """Other results in the event and after it change no figure that is called expected."""
        at = data.draw(st.integers(0, len(drawn) - 1))
        if not drawn[at].games:
            return
        turned = [
            replace(one, games=[replace(g, spread=-g.spread + 7, result=outcome(-g.spread + 7)) for g in one.games])
            if k >= at
            else one
            for k, one in enumerate(drawn)
        ]
        first, second = (
            backtest(history(*of_these), f"e{at + 1}", ["glixo", "elo", "naspa", "uscf"], tournaments=50, seed=4)
            for of_these in (drawn, turned)
        )
        pd.testing.assert_frame_equal(first.places, second.places)
        pd.testing.assert_frame_equal(first.wins, second.wins)
        columns = ["system", "player", *FORECASTS]
        pd.testing.assert_frame_equal(first.entrants[columns], second.entrants[columns])
        forecasts = ["system", "round", "player", "opponent", "win", "spread_mean", "spread_sd"]
        pd.testing.assert_frame_equal(first.games[forecasts], second.games[forecasts])

    @settings(max_examples=8)
    @given(
        st.lists(st.integers(900, 1900).map(float), min_size=4, max_size=4),
        st.integers(0, 3),
        st.integers(1, 400),
        st.sampled_from(["glixo", "elo", "glicko", "naspa"]),
    )
    def test_more_rating_never_lowers_the_chance_of_winning(self, ratings, who: int, more: int, system: str) -> None:
        better = [rating + more * (k == who) for k, rating in enumerate(ratings)]
        before, after = (
            of(backtest(round_robin(of_these, [90] * 4), "e1", [system], tournaments=200), system).loc[NAMES[who]]
            for of_these in (ratings, better)
        )
        assert after["p_winner"] >= before["p_winner"]
        assert after["mean_place"] <= before["mean_place"]
        assert after["expected_wins"] > before["expected_wins"]


@pytest.fixture(scope="module")
def circuit() -> History:
    made, _ = individual_circuit(np.random.default_rng(3), players=24, events=4, rounds=6)
    return made


@pytest.fixture(scope="module")
def told(circuit: History) -> Backtest:
    return backtest(circuit, circuit.events["event"].iloc[2], ["glixo", "naspa"], tournaments=1500, seed=5)


class TestTheSameFigures:
    """Whoever plays the tournaments, and whatever else is asked for."""

    def test_any_number_of_workers(self, circuit: History, told: Backtest) -> None:
        steps: list[tuple[int, int]] = []
        other = backtest(
            circuit, told.event, ["glixo", "naspa"], tournaments=1500, seed=5, workers=Workers(2),
            progress=lambda done, total: steps.append((done, total)),
        )  # fmt: skip
        for name, table in told.tables().items():
            pd.testing.assert_frame_equal(other.tables()[name], table, check_exact=True)
        assert steps == [(k, 4) for k in (1, 2, 3, 4)]

    def test_whatever_systems_and_sections_are_beside(self) -> None:
        one, two = (
            individual_circuit(np.random.default_rng(seed), players=8, events=1, rounds=4)[0] for seed in (1, 2)
        )
        tables = {
            name: pd.concat([getattr(one, name), getattr(two, name).assign(section="second")])
            for name in ("entries", "games")
        }
        tables["entries"]["player"] = tables["entries"]["player"] + tables["entries"]["section"]
        for side in ("player", "opponent"):
            tables["games"][side] = tables["games"][side] + tables["games"]["section"]
        tables["games"]["event"] = tables["entries"]["event"] = one.events["event"].iloc[0]
        made = assemble([Parsed({"events": one.events, **tables})])
        event = made.events["event"].iloc[0]
        both = backtest(made, event, ["elo", "glixo"], tournaments=300)
        alone = backtest(made, event, ["glixo"], tournaments=300, section="second")
        assert both.sections == ("main", "second")
        assert alone.sections == ("second",)
        for name in ("entrants", "places", "seedings"):
            table = getattr(both, name)
            kept = (table["section"] == "second") & table["system" if "system" in table else "seeding"].isin(
                ["glixo", "filed"]
            )
            pd.testing.assert_frame_equal(getattr(alone, name), table[kept].reset_index(drop=True))
        assert len(set(both.places["p"])) > 10

    def test_another_seed_another_luck(self, circuit: History, told: Backtest) -> None:
        other = backtest(circuit, told.event, ["glixo"], tournaments=1500, seed=6)
        mine = told.places[told.places["system"] == "glixo"]
        assert not np.array_equal(other.places["p"], mine["p"])
        assert_close(other.places["p"], mine["p"].to_numpy(), 1500, 1500)

    def test_chunks_make_the_whole(self, circuit: History, told: Backtest) -> None:
        assert told.tournaments == CHUNK + 500
        counts = told.places["p"] * 1500
        assert counts.to_numpy() == pytest.approx(counts.round().to_numpy(), abs=1e-9)

    def test_nothing_given_is_changed(self, circuit: History) -> None:
        before = {name: table.copy() for name, table in circuit.tables().items()}
        backtest(circuit, circuit.events["event"].iloc[1], ["glixo"], tournaments=20)
        for name, table in circuit.tables().items():
            pd.testing.assert_frame_equal(table, before[name])


class TestAfterRound:
    """after_round"""

    @pytest.mark.parametrize("system", ["glixo", "elo"])
    def test_all_rounds_give_the_real_places(self, circuit: History, told: Backtest, system: str) -> None:
        done = of(backtest(circuit, told.event, [system], after_round=6, tournaments=100), system)
        assert done["place"].is_unique
        assert (done["mean_place"] == done["place"]).all()
        assert (done["p_place_or_better"] == 1).all()
        assert (done["p_place_or_worse"] == 1).all()
        assert (done["p_winner"] == (done["place"] == 1)).all()
        assert (done["games"] == 0).all()
        assert done["z"].isna().all()

    def test_earlier_rounds_count_as_they_were(self, circuit: History, told: Backtest) -> None:
        late = of(backtest(circuit, told.event, ["glixo"], after_round=5, tournaments=500), "glixo")
        assert (late["games"] == 1).all()
        assert late["p_winner"].to_numpy().max() > of(told, "glixo")["p_winner"].max()
        whole = of(told, "glixo")
        assert late["rating"].to_dict() == whole["rating"].to_dict()
        before = (whole["wins"] - late["wins"])[late.index]
        reached = made_wins(circuit, told.event, 5).loc[late.index]
        assert before.to_numpy() == pytest.approx(reached.to_numpy())

    def test_a_round_that_is_not_there(self, circuit: History, told: Backtest) -> None:
        with pytest.raises(UsageError, match="rounds 1 to 6; expected after_round from 0 to 6, found 7"):
            backtest(circuit, told.event, ["glixo"], after_round=7)

    def test_level_players_share_by_lot(self) -> None:
        made = round_robin(RATINGS, rounds=[(0, 1), (2, 3)], spreads=[30, 30])
        done = of(backtest(made, "e1", ["elo"], after_round=1, tournaments=4000), "elo")
        assert done["place"].to_dict() == {"Ada": 1, "Cy": 1, "Bea": 3, "Dot": 3}
        assert_close(done["p_winner"].loc[["Ada", "Cy"]], 0.5, 4000)
        # as high as 1 or 2, each counting half: (1/2 + 1)/2
        assert_close(done["p_place_or_better"].loc[["Ada", "Cy"]], 0.75, 1000)
        assert_close(done["p_place_or_worse"].loc[["Bea", "Dot"]], 0.75, 1000)


def made_wins(made: History, event: str, last: int) -> pd.Series:
    games = made.games[(made.games["event"] == event) & (made.games["round"] <= last)]
    one = games.groupby("player")["result"].sum()
    return one.add((1 - games["result"]).groupby(games["opponent"]).sum(), fill_value=0)


class TestWhatHappened:
    """The winner, upsets, seedings."""

    def test_upsets_counted_slowly(self, told: Backtest) -> None:
        for system in told.systems:
            games = told.games[told.games["system"] == system]
            upsets, expected, variance, clear = [], 0.0, 0.0, 0
            for g in games.itertuples():
                p = min(g.win, 1 - g.win)
                if p < UPSET:
                    clear, expected, variance = clear + 1, expected + p, variance + p * (1 - p)
                    if (g.win < 0.5 and g.result == 1) or (g.win > 0.5 and g.result == 0):
                        winner, loser = (g.player, g.opponent) if g.result == 1 else (g.opponent, g.player)
                        upsets.append((round(p, 12), g.round, winner, loser))
            table = of(told, system, "upsets")
            mine = list(zip(table["p"].round(12), table["round"], table["winner"], table["loser"], strict=True))
            assert upsets
            assert sorted(mine) == sorted(upsets)
            assert mine == sorted(mine, key=lambda row: row[:1])
            row = of(told, system, "summary").loc[system]
            assert (row["upsets"], row["favourites"]) == (len(upsets), clear)
            assert row["upsets_expected"] == pytest.approx(expected)
            assert row["upsets_sd"] == pytest.approx(sqrt(variance))

    def test_the_winner(self, told: Backtest) -> None:
        for system in told.systems:
            entrants, row = of(told, system), of(told, system, "summary").loc[system]
            winner = entrants.loc[row["winner"]]
            assert winner["place"] == 1
            assert row["p_winner"] == winner["p_winner"]
            assert row["winner_rank"] == 1 + (entrants["p_winner"] > winner["p_winner"]).sum()
            assert row["log_score"] == pytest.approx(-log((winner["p_winner"] * 1500 + 0.5) / 1501))
            assert row["log_score_even"] == pytest.approx(log(row["entrants"]))
            assert row["inside_range"] == entrants["place"].between(entrants["place_low"], entrants["place_high"]).sum()

    def test_a_shared_first_place(self) -> None:
        made = round_robin(RATINGS, rounds=[(0, 1), (2, 3)], spreads=[30, 30])
        row = backtest(made, "e1", ["elo"], tournaments=2000).summary.iloc[0]
        p = of(backtest(made, "e1", ["elo"], tournaments=2000), "elo")["p_winner"]
        assert row["winner"] == "Ada; Cy"
        assert row["p_winner"] == pytest.approx(p["Ada"] + p["Cy"])
        assert row["log_score"] == pytest.approx(-(log(p["Ada"]) + log(p["Cy"])) / 2, abs=0.01)
        assert row["winner_seed"] == 1

    def test_place_ranges_hold_what_they_say(self, told: Backtest) -> None:
        for entrant in told.entrants.itertuples():
            rows = told.places[(told.places["system"] == entrant.system) & (told.places["player"] == entrant.player)]
            below = rows.loc[rows["place"] < entrant.place_low, "p"].sum()
            above = rows.loc[rows["place"] > entrant.place_high, "p"].sum()
            assert below < 0.05 + 1e-9
            assert above <= 0.05 + 1e-9
            assert rows.loc[rows["place"] <= entrant.place_low, "p"].sum() >= 0.05 - 1e-9
            assert entrant.p_top_3 == pytest.approx(rows.loc[rows["place"] <= 3, "p"].sum())
            assert entrant.mean_place == pytest.approx((rows["p"] * rows["place"]).sum())
            assert entrant.p_place_or_better == pytest.approx(rows.loc[rows["place"] <= entrant.place, "p"].sum())
            assert entrant.p_place_or_worse == pytest.approx(rows.loc[rows["place"] >= entrant.place, "p"].sum())

    def test_seedings_in_the_tables(self, told: Backtest) -> None:
        for system in told.systems:
            entrants = of(told, system)
            row = told.seedings.set_index("seeding").loc[system]
            assert row["kendall_tau"] == pytest.approx(stats.kendalltau(-entrants["rating"], entrants["place"])[0])
            assert entrants["seed"].to_list() == entrants["rating"].rank(ascending=False, method="min").to_list()
        filed = told.seedings.set_index("seeding").loc["filed"]
        assert filed["kendall_tau"] == pytest.approx(stats.kendalltau(entrants["filed_seed"], entrants["place"])[0])
        assert filed["rests_on"] == "number"
        assert entrants["filed_seed"].tolist() == entrants["number"].tolist()
        assert filed["difference"] == 0


class TestOddEvents:
    """Draws, unknown spreads, teams, events that cannot be played."""

    def test_draws_and_unknown_spreads_are_told(self) -> None:
        games = [Game(1, 0, 1, 0, 0.5), Game(1, 2, 3, None, 1.0), Game(2, 0, 2, 40, 1.0)]
        made = history(Section([[Member(name, 1500)] for name in NAMES[:4]], games, 2))
        told = backtest(made, "e1", ["glixo", "elo"], tournaments=50)
        assert "1 game was drawn, half a win to each side." in told.notes
        assert "The spread of 1 game is not known, 0 in the final standing." in told.notes
        entrants = of(told, "glixo")
        assert entrants["spread"]["Cy"] == -40
        assert entrants["place"]["Ada"] == 1
        assert told.summary["draws"].tolist() == [1, 1]

    def test_no_spreads_at_all(self) -> None:
        games = [Game(1, 0, 1, None, 1.0), Game(1, 2, 3, None, 1.0)]
        made = history(Section([[Member(name, 1500)] for name in NAMES[:4]], games, 1))
        told = backtest(made, "e1", ["glixo"], tournaments=4000)
        assert any(note.startswith("No spreads are known:") for note in told.notes)
        entrants = of(told, "glixo")
        assert entrants["spread"].isna().all()
        assert entrants["expected_spread"].isna().all()
        assert_close(entrants["p_winner"], 0.25, 4000)

    def test_teams(self) -> None:
        made, _ = team_circuit(np.random.default_rng(2), players=16, events=3, rounds=5)
        event = made.events["event"].iloc[-1]
        told = backtest(made, event, ["glixo", "elo"], tournaments=200)
        teams = made.entries.loc[made.entries["event"] == event, "team"].dropna().unique()
        assert told.teams
        assert set(told.entrants["player"]) >= set(teams)
        result = replay(made, "glixo")
        whole = result.schedule.whole
        here = np.flatnonzero(result.schedule.event[whole.unit_period] == 2)
        worth = dict(zip(result.schedule.unit_name[here], result.unit_strength["rating"][here, 0], strict=True))
        entrants = of(told, "glixo")
        assert entrants["rating"].to_dict() == pytest.approx({name: worth[name] for name in entrants.index})

    def test_later_and_undated_events(self) -> None:
        made = history(
            Section([[Member(name, 1500)] for name in NAMES[:2]], [Game(1, 0, 1, 40, 1.0)], 1),
            Section([[Member(name)] for name in NAMES[:2]], [Game(1, 0, 1, 40, 1.0)], 1, date="2024-02-01"),
        )
        undated = replace(made, events=made.events.assign(date=pd.NaT, end_date=pd.NaT))
        assert of(backtest(undated, "e1", ["elo"], tournaments=20), "elo")["rating"].tolist() == [1500, 1500]
        told = backtest(undated, "e2", ["elo"], tournaments=20)
        assert told.notes[0] == "The event has no date: it is taken after all events that have one."
        assert of(told, "elo")["rating"].tolist() == [1510, 1490]
        assert "No ratings are filed: the order of the numbers in the file stands for the seeding." in told.notes

    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            (lambda h: replace(h, games=h.games.iloc[:0]), "e1 has no game"),
            (lambda h: replace(h, games=h.games.assign(status="unknown")), "4 pairings and no game with a result"),
            (lambda h: replace(h, games=h.games.assign(result=np.nan)), "4 pairings and no game with a result"),
        ],
    )
    def test_nothing_played(self, change, expected: str) -> None:
        with pytest.raises(UsageError, match=expected):
            backtest(change(round_robin(RATINGS)), "e1", ["elo"])

    def test_places_alone(self) -> None:
        placings = pd.DataFrame({"event": "e1", "player": list(NAMES), "place": range(1, 7)})
        made = assemble([Parsed({"events": pd.DataFrame({"event": ["e1"]}), "placings": placings})])
        with pytest.raises(UsageError, match="e1 has places alone"):
            backtest(made, "e1", ["elo"])

    @pytest.mark.parametrize(
        ("asked", "expected"),
        [
            ({"event": "e7"}, "no event e7"),
            ({"section": "b"}, "has no section b; its sections are: main"),
            ({"systems": ["dip-pouch"]}, "dip-pouch makes none"),
            ({"systems": ["bradley-terry"]}, "bradley-terry makes none"),
            ({"systems": [Elo(k=[10, 20])]}, "elo:k=10;20 is 2"),
            ({"systems": []}, "at least one system"),
            ({"tournaments": 0}, "1 or more; found 0"),
        ],
    )
    def test_what_cannot_be_asked_for(self, asked, expected: str) -> None:
        with pytest.raises(UsageError, match=expected):
            backtest(round_robin(RATINGS), **{"event": "e1", "systems": ["elo"]} | asked)


@needs_shared
class TestRealEvents:
    """Events as they were, of the data beside the checkout."""

    def test_a_tsh_event(self) -> None:
        made = ratinglab.load(SHARED / "tsh")
        told = backtest(made, "335_milton-honey-cup", ["naspa", "glixo", "elo"], tournaments=2000)
        for system in told.systems:
            entrants = of(told, system)
            assert entrants["wins"].sum() == entrants["expected_wins"].sum().round(9) == 18
            assert sorted(entrants["place"]) == [1, 2, 3, 4, 5, 6]
            assert entrants["place"].idxmin() == entrants["wins"].idxmax()
        row = of(told, "naspa", "summary").loc["naspa"]
        assert (row["entrants"], row["games"], row["draws"], row["winner_seed"]) == (6, 18, 1, 3)
        assert row["p_winner"] == pytest.approx(0.081, abs=4 * 0.0061)

    def test_a_coco_event(self) -> None:
        made = ratinglab.load(SHARED / "coco")
        told = backtest(made, "sanfrancisco-dec2025", ["coco", "elo"], tournaments=1000)
        row = of(told, "coco", "summary").loc["coco"]
        assert (row["entrants"], row["games"], row["winner_seed"]) == (36, 360, 4)
        coco = of(told, "coco")
        # the committee's own ratings, as filed: the seeding by them is the seeding filed
        assert coco["seed"].tolist() == coco["filed_seed"].tolist()
        places = as_placings(made.only("sanfrancisco-dec2025")).placings.set_index("player")["place"]
        assert coco["place"].to_dict() == places.loc[coco.index].astype(int).to_dict()
        filed = told.seedings.iloc[0]
        assert (filed["seeding"], filed["rests_on"]) == ("filed", "rating filed")
        assert row["p_winner"] == pytest.approx(0.064, abs=4 * 0.008)
        assert 30 <= row["inside_range"] <= 36
