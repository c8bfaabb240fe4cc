"""Order forecasts against a slow count of pairs, scipy's tau-b, and what must hold of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import isnan, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import Game, Member, Section, sections
from making import history as games_history
from making_placings import Placed, history, placed, shared_places

import ratinglab
from ratinglab.history import History, Parsed, assemble
from ratinglab.ordering import as_games, as_placings, order_scores
from ratinglab.problems import UsageError
from ratinglab.replaying import replay
from ratinglab.resampling import event_draws
from ratinglab.standings import standings
from ratinglab.systems import Elo

MONTHS = [f"2010-{month:02d}-01" for month in range(1, 13)]


def ordered(*names: str, of: int = 30, date: str = "2010-01-01") -> Placed:
    """An event that these players finished in this order."""
    return Placed(shared_places([[name] for name in names]), of, date=date)


def dated(events: list[Placed]) -> list[Placed]:
    return [replace(event, date=date) for event, date in zip(events, MONTHS, strict=False)]


def slow_counts(made: History, system: str) -> dict[str, dict[str, list[int]]]:
    """Per event the pairs concordant, discordant, tied in rating alone, in place alone; of all, and of experienced."""
    changes = replay(made if system == "dip-pouch" else as_games(made), system).changes
    out: dict[str, dict[str, list[int]]] = {"all": {}, "experienced": {}}
    seen: set[str] = set()
    for event in made.events["event"]:
        before = changes[changes["event"] == event].set_index("player")["before"]
        rows = made.placings[(made.placings["event"] == event) & made.placings["place"].notna()]
        place = dict(zip(rows["player"], rows["place"], strict=True))
        for which, names in (("all", set(place)), ("experienced", set(place) & seen)):
            count = [0, 0, 0, 0]
            for one, other in combinations(sorted(names), 2):
                higher = round(before[one], 9) - round(before[other], 9)
                ahead = place[other] - place[one]
                if ahead == 0:
                    count[3] += higher != 0
                elif higher == 0:
                    count[2] += 1
                else:
                    count[int((higher > 0) != (ahead > 0))] += 1
            if sum(count[:3]):
                out[which][event] = count
        seen |= set(place)
    return out


def slow_measures(counts: list[list[int]]) -> tuple[float, float]:
    c, d, t, u = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0, 0, 0)
    share = (c + t / 2) / (c + d + t) if c + d + t else float("nan")
    root = sqrt((c + d + t) * (c + d + u))
    return share, (c - d) / root if root else float("nan")


def same(one: float, other: float) -> bool:
    return (isnan(one) and isnan(other)) or one == pytest.approx(other, abs=1e-12)


class TestOrderScores:
    """The table of order forecasts."""

    @pytest.mark.parametrize("system", ["dip-pouch", "elo:k=1"])
    def test_a_slow_count_agrees(self, system: str) -> None:
        @settings(max_examples=25, deadline=None)
        @given(st.lists(placed(known=False), min_size=1, max_size=4))
        def run(events: list[Placed]) -> None:
            made = history(*dated(events))
            row = order_scores(made, [system], resamples=50).iloc[0]
            slow = slow_counts(made, system)
            for prefix, which in (("", "all"), ("experienced_", "experienced")):
                counts = list(slow[which].values())
                assert row[f"{prefix}events"] == len(counts)
                assert row[f"{prefix}pairs"] == sum(sum(count[:3]) for count in counts)
                share, tau = slow_measures(counts)
                assert same(row[f"{prefix}concordance"], share)
                assert same(row[f"{prefix}kendall_tau"], tau)
            for name, at in (("concordant", 0), ("discordant", 1), ("tied", 2)):
                assert row[name] == sum(count[at] for count in slow["all"].values())

        run()

    def test_games_made_of_places_are_no_round_of_the_event(self) -> None:
        """Where the number of rounds is not known a place is not rated, and so foretells nothing."""
        events = [replace(ordered("A", "B"), rounds=None), ordered("B", "A", date="2010-02-01")]
        assert order_scores(history(*events), ["dip-pouch", "elo:k=1"])["discordant"].tolist() == [0, 1]

    def test_of_one_event_it_is_the_tau_b_of_scipy(self) -> None:
        from scipy.stats import kendalltau

        first = Placed(shared_places([["A"], ["B"], ["C", "D"], ["E"]]), 30, date="2010-01-01")
        last = Placed(shared_places([["B", "C"], ["A"], ["E"], ["F"], ["D"]]), 30, date="2010-02-01")
        made = history(first, last)
        here = replay(made, "dip-pouch").changes
        here = here[here["event"] == "p2"]
        expected = kendalltau(here["before"], -here["place"].astype(float)).statistic
        both = order_scores(made, ["dip-pouch"]).iloc[0]
        alone = order_scores(history(first), ["dip-pouch"]).iloc[0]
        c, d, t, u = np.array(slow_counts(made, "dip-pouch")["all"]["p2"])
        assert (c - d) / np.sqrt((c + d + t) * (c + d + u)) == pytest.approx(expected)
        assert both["concordant"] - alone["concordant"] == c
        assert both["discordant"] - alone["discordant"] == d

    def test_newcomers_stand_at_their_start(self) -> None:
        """In the first event nobody is known: all pairs tied, half of them right, and no tau; then all as before."""
        first = order_scores(history(ordered("A", "B", "C")), ["dip-pouch", "elo:k=1"])
        assert first["tied"].tolist() == [3, 3]
        assert first["concordance"].tolist() == [0.5, 0.5]
        assert first["kendall_tau"].isna().all()
        assert first["experienced_pairs"].tolist() == [0, 0]
        again = history(ordered("A", "B", "C"), ordered("A", "B", "N", "C", date="2010-02-01"))
        second = order_scores(again, ["dip-pouch", "elo:k=1"])
        assert second["experienced_concordance"].tolist() == [1, 1]
        assert second["experienced_kendall_tau"].tolist() == [1, 1]
        # after the first event A, B and C, first three of 30, all stand above a newcomer's 40 under dip-pouch, so C who
        # ends behind N is discordant; under Elo A is above 1500, B at it as N is, and C below
        assert second["concordant"].tolist() == [5, 5]
        assert second["discordant"].tolist() == [1, 0]
        assert second["tied"].tolist() == [3, 4]

    def test_no_order_knows_its_own_event(self) -> None:
        start = [ordered(*"ABCDE"), ordered(*"BADCE", date="2010-02-01")]
        systems = ["dip-pouch", "elo:k=1", "glicko"]
        known = order_scores(history(*start), systems)
        counts = {}
        for names in ("CABED", "DEBAC"):
            table = order_scores(history(*start, ordered(*names, date="2010-03-01")), systems)
            counts[names] = table[["concordant", "discordant"]] - known[["concordant", "discordant"]]
        assert (counts["CABED"]["concordant"] == counts["DEBAC"]["discordant"]).all()
        assert (counts["CABED"]["discordant"] == counts["DEBAC"]["concordant"]).all()

    @settings(max_examples=10, deadline=None)
    @given(st.lists(placed(), min_size=2, max_size=4))
    def test_every_system_has_the_same_pairs(self, events: list[Placed]) -> None:
        table = order_scores(history(*dated(events)), ["dip-pouch", "elo:k=1", "glicko", "naspa"], resamples=20)
        assert table["system"].tolist() == ["dip-pouch", "elo", "glicko", "naspa"]
        for column in ("events", "pairs", "experienced_events", "experienced_pairs"):
            assert len(set(table[column])) == 1
        assert (table["concordant"] + table["discordant"] + table["tied"] == table["pairs"]).all()

    def test_standard_errors_come_from_whole_events(self) -> None:
        events = dated([ordered(*names) for names in ("ABCDE", "BACDE", "EDCBA", "ABDCE", "CBADE")])
        made = history(*events)
        row = order_scores(made, ["dip-pouch"], seed=5, resamples=200).iloc[0]
        counts = list(slow_counts(made, "dip-pouch")["all"].values())
        drawn = []
        for draw in event_draws(len(counts), 5, 200):
            picked = [count for count, times in zip(counts, draw, strict=True) for _ in range(int(times))]
            drawn.append(slow_measures(picked))
        shares, taus = zip(*drawn, strict=True)
        assert row["concordance_se"] == pytest.approx(np.std(shares, ddof=1))
        assert row["kendall_tau_se"] == pytest.approx(np.std([tau for tau in taus if not isnan(tau)], ddof=1))
        assert isnan(order_scores(history(events[0]), ["dip-pouch"]).iloc[0]["concordance_se"])
        again = order_scores(made, ["dip-pouch"], seed=6, resamples=200).iloc[0]
        assert again["concordance_se"] != row["concordance_se"]

    def test_a_grid_is_a_row_for_each_system(self) -> None:
        events = dated([ordered(*names) for names in ("ABCDE", "BACDE", "EDCBA", "ABDCE")])
        grid = order_scores(history(*events), [Elo(k=(1, 40)), "dip-pouch:initial=10"])
        single = order_scores(history(*events), ["elo:k=1", "elo:k=40", "dip-pouch:initial=10"])
        pd.testing.assert_frame_equal(grid, single)

    def test_people_of_different_sections_are_no_pair(self) -> None:
        units = [[Member(name)] for name in "ABCD"]
        tables = games_history(Section(units[:2], [Game(1, 0, 1, 10, 1.0)], 1)).tables()
        other = games_history(Section(units[2:], [Game(1, 0, 1, 10, 1.0)], 1)).tables()
        parts = [Parsed({k: t.assign(section=s) if "section" in t else t for k, t in of.items() if len(t)})
                 for s, of in (("A", tables), ("B", {k: other[k] for k in ("entries", "games")}))]  # fmt: skip
        made = assemble(parts)
        assert order_scores(made, ["elo", "dip-pouch"])["pairs"].tolist() == [2, 2]
        standing = as_placings(made).placings
        assert standing.sort_values("player")["place"].tolist() == [1, 2, 1, 2]
        assert standing["of"].tolist() == [2, 2, 2, 2]

    def test_a_system_that_looks_back_is_refused(self) -> None:
        with pytest.raises(UsageError, match="bradley-terry looks back"):
            order_scores(history(ordered("A", "B")), ["bradley-terry"])

    def test_nothing_to_count(self) -> None:
        row = order_scores(assemble([]), ["dip-pouch"]).iloc[0]
        assert row["events"] == row["pairs"] == 0
        assert isnan(row["concordance"])

    def test_it_is_offered_by_the_package(self) -> None:
        assert ratinglab.order_scores is order_scores


class TestAsGames:
    """Games of every two who were placed."""

    @given(placed())
    def test_a_game_for_each_pair(self, event: Placed) -> None:
        made = as_games(history(event))
        place = {name: where for name, where in event.places.items() if where is not None}
        pairs = {frozenset(pair) for pair in combinations(place, 2)}
        assert len(made.games) == len(pairs)
        assert {frozenset(pair) for pair in zip(made.games["player"], made.games["opponent"], strict=True)} == pairs
        for row in made.games.itertuples():
            ahead = place[row.opponent] - place[row.player]
            assert row.result == (1 if ahead > 0 else 0 if ahead < 0 else 0.5)
            assert (row.rated, row.status, row.section) == (1, "played", "main")
        assert made.games["score"].isna().all()

    def test_boards_stay_what_they_are(self) -> None:
        """An event with games of its own keeps them, and gets no others."""
        tables = dict(history(ordered("A", "B", "C")).tables())
        board = pd.DataFrame([{"event": "p1", "round": 1, "player": "A", "opponent": "B", "result": 0.0}])
        made = assemble([Parsed({"events": tables["events"], "placings": tables["placings"], "games": board})])
        assert as_games(made) is made

    def test_a_history_of_games_is_left_alone(self) -> None:
        made = games_history(Section([[Member("A")], [Member("B")]], [Game(1, 0, 1, 5, 1.0)], 1))
        assert as_games(made) is made

    def test_the_argument_is_not_changed(self) -> None:
        made = history(ordered("A", "B"))
        as_games(made)
        assert len(made.games) == 0


class TestAsPlacings:
    """The final standing of games."""

    def test_wins_then_spread_then_shared(self) -> None:
        units = [[Member(name)] for name in "ABCD"]
        games = [
            Game(1, 0, 1, 50, 1.0), Game(1, 2, 3, 50, 1.0), Game(2, 0, 2, 0, 0.5), Game(2, 1, 3, 10, 1.0),
        ]  # fmt: skip
        placings = as_placings(games_history(Section(units, games, 2))).placings.set_index("player")
        # A and C: 1½ wins, +50 each; B: 1 win; D: none
        assert placings["place"].to_dict() == {"A": 1, "B": 3, "C": 1, "D": 4}
        assert (placings["of"] == 4).all()

    @pytest.mark.parametrize(("caps", "first"), [((), "A"), ((100,), "C"), ((100, 5), "C")])
    def test_spreads_count_up_to_the_cap_of_the_round_as_in_the_standings(self, caps: tuple[int, ...], first) -> None:
        """A wins by 300 and 10, C by 120 and 20: A is ahead unless round 1 counts for 100 at most (Case 19)."""
        units = [[Member(name)] for name in "ABCD"]
        games = [Game(1, 0, 1, 300, 1.0), Game(1, 2, 3, 120, 1.0), Game(2, 0, 3, 10, 1.0), Game(2, 1, 2, -20, 0.0)]
        made = games_history(Section(units, games, 2, caps=caps))
        placings = as_placings(made).placings.set_index("player")["place"]
        table = standings(made, "e1", "main").set_index("player")["rank"]
        assert placings.to_dict() == table.loc[placings.index].to_dict()
        # with 5 points at most in round 2 both have 105
        assert placings[first] == 1
        assert placings["A"] == (1 if caps != (100,) else 2)

    def test_byes_and_forfeits_count_and_unknown_games_do_not(self) -> None:
        units = [[Member(name)] for name in "ABC"]
        made = games_history(Section(units, [Game(1, 0, 1, 20, 1.0), Game(2, 1, 2, 30, 1.0)], 3))
        bye = made.games.iloc[:1].assign(round=3, player="C", opponent=None, score=150.0, status="bye")
        bye = bye.assign(opponent_score=0.0)
        void = made.games.iloc[:1].assign(round=3, player="B", opponent="A", status="unknown")
        made = replace(made, games=pd.concat([made.games, bye, void], ignore_index=True))
        placings = as_placings(made).placings.set_index("player")["place"]
        assert placings.to_dict() == {"A": 2, "B": 3, "C": 1}

    @settings(max_examples=40)
    @given(sections())
    def test_a_slow_standing_agrees(self, section: Section) -> None:
        made = games_history(section)
        total: dict[str, list[float]] = {}
        for game in section.games:
            cap = section.caps[game.round - 1] if game.round <= len(section.caps) else 10_000
            counts = max(-cap, min(cap, game.spread))
            for unit, won, spread in ((game.a, game.result, counts), (game.b, 1 - game.result, -counts)):
                of = total.setdefault(section.units[unit][0].name, [0.0, 0.0])
                of[0] += won
                of[1] += spread
        expected = {name: 1 + sum(other > mine for other in total.values()) for name, mine in total.items()}
        placings = as_placings(made).placings
        assert dict(zip(placings["player"], placings["place"], strict=True)) == expected
        assert set(placings["of"]) <= {len(expected)}

    def test_teams_have_no_place(self) -> None:
        units = [[Member("A"), Member("B")], [Member("C"), Member("D")]]
        made = games_history(Section(units, [Game(1, 0, 1, 5, 1.0)], 1, teams=True))
        assert as_placings(made) is made
        assert order_scores(made, ["elo"])["pairs"].tolist() == [0]

    def test_placings_of_its_own_stand(self) -> None:
        made = history(ordered("A", "B"))
        assert as_placings(made) is made


def test_the_sample_circuit() -> None:
    """On the made-up Diplomacy circuit ratings foretell more than half of the pairs, more of those of known players."""
    made = ratinglab.load(Path(__file__).resolve().parent.parent / "data" / "diplomacy")
    table = order_scores(made, ["dip-pouch", "elo:k=1"])
    assert (table["concordance"] > 0.5 + 3 * table["concordance_se"]).all()
    assert (table["experienced_concordance"] > table["concordance"]).all()
    assert len(set(table["pairs"])) == 1
