"""Excess wins and rating changes by seed, and the fate of winners and lasts, against slow loops and a fair pool."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from statistics import mean, stdev

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import SHARED, Game, Member, Section, history, needs_shared, sections
from making_placings import Placed
from making_placings import history as placings_history

import ratinglab
from ratinglab import plots
from ratinglab.history import Parsed, assemble
from ratinglab.problems import UsageError
from ratinglab.proposals.sections_fairness import excess_by_seed, flatness, section_winners
from ratinglab.replaying import Replay, replay
from ratinglab.resampling import event_draws
from ratinglab.sample import individual_circuit
from ratinglab.systems import Elo

DATES = [f"2024-{month:02d}-01" for month in range(1, 13)]
SYSTEMS = ["elo", "naspa", "glixo"]
histories = st.lists(sections(max_rounds=5), min_size=1, max_size=6)
team_histories = st.lists(sections(max_rounds=4, teams=True), min_size=1, max_size=4)


def made(drawn: list[Section], system: str) -> Replay:
    return replay(history(*[replace(s, date=date) for s, date in zip(drawn, DATES, strict=False)]), system)


class Seed:
    """One seeded unit of one section."""

    def __init__(self, event: str, name: str, rating: float, change: float) -> None:
        self.event, self.name, self.rating, self.change = event, name, round(rating, 9), change
        self.games, self.excess = 0, 0.0
        self.place, self.top, self.bottom = Fraction(0), 0, 0


def slow_seeds(result: Replay) -> list[Seed]:
    """The seeded of each section from the tables of changes and forecasts, unit by unit."""
    entries, changes = result.schedule.history.entries, result.changes
    forecasts = result.forecasts
    seen: set[str] = set()  # who had a filed rating or a rated game before
    out = []
    for event in result.schedule.history.events["event"]:
        rows = entries[entries["event"] == event]
        units: dict[str, list[tuple[str, float]]] = {}
        for row in rows.itertuples():
            units.setdefault(row.player if pd.isna(row.team) else row.team, []).append((row.player, row.rating))
        here = changes[changes["event"] == event].set_index("player")
        field = []
        for name, members in units.items():
            before = [here.loc[player, "before"] for player, _ in members]
            known = all(player in seen or not math.isnan(filed) for player, filed in members)
            if here.loc[members[0][0], "games"] and known and not any(math.isnan(b) for b in before):
                strength = max(max(before) - 100, mean(before)) if len(members) > 1 else before[0]
                field.append(
                    Seed(event, name, strength, mean(here.loc[p, "after"] - here.loc[p, "before"] for p, _ in members))
                )
        if len(field) > 1:
            for one in field:
                better = sum(other.rating > one.rating for other in field)
                level = sum(other.rating == one.rating for other in field)
                one.place = Fraction(2 * better + level, 2 * len(field))
                one.top, one.bottom = better + 1, sum(other.rating < one.rating for other in field) + 1
            by_name = {one.name: one for one in field}
            for game in forecasts[forecasts["event"] == event].itertuples():
                if game.player in by_name and game.opponent in by_name:
                    for name, beyond in (
                        (game.player, game.result - game.win),
                        (game.opponent, game.win - game.result),
                    ):
                        by_name[name].games += 1
                        by_name[name].excess += beyond
            out += field
        for members in units.values():
            for player, filed in members:
                if here.loc[player, "games"] or not math.isnan(filed):
                    seen.add(player)
    return out


def ratio(total: float, count: float) -> float:
    return total / count if count else math.nan


class TestExcessBySeed:
    """Who in a section wins more than expected."""

    @pytest.mark.parametrize("teams", [False, True])
    def test_a_slow_loop_agrees(self, teams: bool) -> None:
        @settings(max_examples=12)
        @given(team_histories if teams else histories, st.sampled_from(SYSTEMS))
        def check(drawn: list[Section], system: str) -> None:
            result = made(drawn, system)
            seeds = slow_seeds(result)
            table = excess_by_seed(result, parts=4, ranks=3, seed=2, resamples=10)
            assert len(table) == 10
            events = list(dict.fromkeys(one.event for one in seeds))
            draws = event_draws(len(events), 2, 10)
            for row in table.itertuples():
                if row.position == "part":
                    assert (row.low, row.high) == ((row.place - 1) / 4, row.place / 4)
                    chosen = [one for one in seeds if min(int(one.place * 4), 3) == row.place - 1]
                else:
                    chosen = [s for s in seeds if (s.top if row.position == "from top" else s.bottom) == row.place]
                assert row.entrants == len(chosen)
                assert row.games == sum(one.games for one in chosen)
                total, changed = sum(s.excess for s in chosen), [s.change for s in chosen if not math.isnan(s.change)]
                close = {"abs": 1e-8, "nan_ok": True}
                assert row.excess == pytest.approx(ratio(total, row.games), **close)
                assert row.excess_per_event == pytest.approx(ratio(total, sum(s.games > 0 for s in chosen)), **close)
                assert row.change == pytest.approx(ratio(sum(changed), len(changed)), **close)
                resampled = []
                for draw in draws:
                    times = dict(zip(events, draw, strict=True))
                    count = sum(times[s.event] * s.games for s in chosen)
                    resampled.append(ratio(sum(times[s.event] * s.excess for s in chosen), count))
                found = [value for value in resampled if not math.isnan(value)]
                if len(found) > 1 and max(found) - min(found) > 1e-9:
                    assert row.excess_se == pytest.approx(stdev(found), abs=1e-8)

        check()

    def test_over_whole_sections_nothing_is_in_excess(self) -> None:
        made_up, _ = individual_circuit(np.random.default_rng(1), players=20, events=6, rounds=5)
        table = excess_by_seed(replay(made_up, "glixo", start="fresh"), parts=3)
        assert (table["excess"] * table["games"])[:3].sum() == pytest.approx(0, abs=1e-9)
        assert table["excess"][:3].abs().max() > 0.001

    def test_equal_ratings_share_their_place_and_the_unknown_have_none(self) -> None:
        one = Section(
            [[Member("A", 1500.0)], [Member("B", 1500.0)], [Member("C", 1400.0)], [Member("D")]],
            [Game(1, 0, 2, 50, 1.0), Game(1, 1, 3, 50, 1.0)], 1,
        )  # fmt: skip
        table = excess_by_seed(replay(history(one), "elo"), parts=3, ranks=3).set_index(["position", "place"])
        assert table["entrants"].to_dict() == {
            ("part", 1): 0, ("part", 2): 2, ("part", 3): 1, ("from top", 1): 2, ("from top", 2): 0,
            ("from top", 3): 1, ("from bottom", 1): 1, ("from bottom", 2): 2, ("from bottom", 3): 0,
        }  # fmt: skip
        # the game against D, of whom nothing was known, tells nothing of seeds
        assert table.loc[("part", 2), "games"] == 1
        assert flatness(replay(history(one), "elo"))["unseeded"].tolist() == [1, 1]

    def test_systems_without_forecasts_have_changes_alone(self) -> None:
        placed = [Placed({"A": 1, "B": 2, "C": 3}, 40, date=date) for date in ("2010-01-01", "2010-02-01")]
        result = replay(placings_history(*placed), "dip-pouch")
        table = excess_by_seed(result, parts=2)
        assert "excess" not in table
        assert table["entrants"][:2].tolist() == [1, 2]  # of the second event: the first gave them their ratings
        assert flatness(result)["figure"].tolist() == ["change"]

    @pytest.mark.parametrize("system", SYSTEMS)
    def test_nothing_to_tell_is_told_as_nothing(self, system: str) -> None:
        new = Section([[Member("A")], [Member("B")]], [Game(1, 0, 1, 50, 1.0)], 1)
        result = replay(history(new), system)
        assert excess_by_seed(result)["entrants"].sum() == 0
        assert flatness(result)["slope"].isna().all()
        alone = replay(history(Section([[Member("A", 1500.0)], [Member("B", 1400.0)]], [], 1)), system)
        assert section_winners(alone)["winners"].sum() == 0
        with pytest.raises(UsageError, match="must be 1 or more; found 0 and 5"):
            excess_by_seed(result, parts=0)


def pool(true_scale: float, events: int = 60) -> Replay:
    """Twelve players with known strengths, who win as Elo's curve with `true_scale` says; forecast with scale 722."""
    rng = np.random.default_rng(11)
    strength = np.round(np.linspace(2000, 1000, 12))
    entries, games, dates = [], [], pd.date_range("2020-01-01", periods=events, freq="7D")
    for e in range(events):
        entries += [{"event": f"e{e:02d}", "player": f"Player {k:02d}", "rating": r} for k, r in enumerate(strength)]
        for played in range(1, 9):
            order = rng.permutation(12)
            for a, b in zip(order[::2], order[1::2], strict=True):
                win = 1 / (1 + 10 ** ((strength[b] - strength[a]) / true_scale))
                games.append(
                    {"event": f"e{e:02d}", "round": played, "player": f"Player {a:02d}", "opponent": f"Player {b:02d}",
                     "result": float(rng.random() < win), "status": "played"}
                )  # fmt: skip
    tables = {
        "events": pd.DataFrame({"event": [f"e{e:02d}" for e in range(events)], "date": dates}),
        "entries": pd.DataFrame(entries),
        "games": pd.DataFrame(games),
    }
    return replay(assemble([Parsed(tables)]), Elo(k=0))


class TestFlatness:
    """Whether the curve by seed is flat."""

    def test_a_fair_pool_is_flat(self) -> None:
        result = pool(722)
        line = flatness(result).set_index("figure").loc["excess"]
        assert abs(line["z"]) < 3
        assert line["low"] < 0 < line["high"]
        table = excess_by_seed(result, parts=6)
        table = table[table["position"] == "part"]
        assert (table["excess"].abs() < 3 * table["excess_se"]).all()
        assert table["excess_se"].max() < 0.02  # sure enough to find what is not flat

    @pytest.mark.parametrize(("true_scale", "sign"), [(1444.0, 1), (361.0, -1)])
    def test_a_wrong_curve_is_found(self, true_scale: float, sign: int) -> None:
        line = flatness(pool(true_scale)).set_index("figure").loc["excess"]
        assert sign * line["z"] > 5
        assert sign * line["low"] > 0 or sign * line["high"] > 0

    @settings(max_examples=12)
    @given(histories, st.sampled_from(SYSTEMS))
    def test_the_slope_is_that_of_a_weighted_line(self, drawn: list[Section], system: str) -> None:
        result = made(drawn, system)
        seeds = slow_seeds(result)
        table = flatness(result, resamples=10).set_index("figure")
        played = [one for one in seeds if one.games]
        if len({one.place for one in played}) > 1:
            x, w = np.array([float(s.place) for s in played]), np.array([s.games for s in played], dtype=float)
            y = np.array([one.excess for one in played]) / w
            slope = np.polyfit(x, y, 1, w=np.sqrt(w))[0]
            assert table.loc["excess", "slope"] == pytest.approx(slope, abs=1e-8)
        changed = [one for one in seeds if not math.isnan(one.change)]
        if len({one.place for one in changed}) > 1:
            slope = np.polyfit([float(s.place) for s in changed], [s.change for s in changed], 1)[0]
            assert table.loc["change", "slope"] == pytest.approx(slope, abs=1e-6)
        assert table.loc["change", "entrants"] == len(changed)


def slow_winners(result: Replay) -> dict[str, list[tuple[str, int, float]]]:
    """Of every section its winners and lasts: event, size, rating change (nan: no rating before)."""
    entries, changes, games = result.schedule.history.entries, result.changes, result.schedule.history.games
    out: dict[str, list[tuple[str, int, float]]] = {"winner": [], "last": []}
    events = result.schedule.history.events
    for event, caps in zip(events["event"], events["spread_cap"], strict=True):
        by_round = [] if pd.isna(caps) else [float(cap) for cap in caps.split(";")]
        score: dict[str, tuple[float, float]] = {}
        for game in games[games["event"] == event].itertuples():
            spread = 0 if math.isnan(game.score) else game.score - game.opponent_score
            cap = by_round[game.round - 1] if game.round <= len(by_round) else math.inf
            spread = max(-cap, min(cap, spread))
            for name, won, by in ((game.player, game.result, spread), (game.opponent, 1 - game.result, -spread)):
                wins, total = score.get(name, (0.0, 0.0))
                score[name] = (wins + won, total + by)
        rows = entries[entries["event"] == event]
        here = changes[changes["event"] == event].set_index("player")
        if len(set(score.values())) < 2:
            continue
        for who, best in (("winner", max(score.values())), ("last", min(score.values()))):
            for name, own in score.items():
                if own == best:
                    members = rows.loc[rows["team"].fillna(rows["player"]) == name, "player"]
                    move = mean(here.loc[p, "after"] - here.loc[p, "before"] for p in members)
                    out[who].append((event, len(score), move))
    return out


class TestSectionWinners:
    """How often winners lose points."""

    @pytest.mark.parametrize("teams", [False, True])
    def test_a_slow_loop_agrees(self, teams: bool) -> None:
        @settings(max_examples=12)
        @given(team_histories if teams else histories, st.sampled_from(SYSTEMS))
        def check(drawn: list[Section], system: str) -> None:
            result = made(drawn, system)
            slow = slow_winners(result)
            for row in section_winners(result, resamples=10).itertuples():
                low, high = {"all": (0, 99), "2 to 5": (2, 5), "6 to 9": (6, 9)}.get(row.size, (10, 99))
                for who, count, share, move in (
                    ("winner", row.winners, row.winner_lost, row.winner_change),
                    ("last", row.last, row.last_gained, row.last_change),
                ):
                    moves = [c for _, size, c in slow[who] if low <= size <= high and not math.isnan(c)]
                    assert count == len(moves)
                    sign = -1 if who == "winner" else 1
                    assert share == pytest.approx(ratio(sum(sign * c > 1e-9 for c in moves), len(moves)), nan_ok=True)
                    assert move == pytest.approx(mean(moves) if moves else math.nan, nan_ok=True, abs=1e-8)
                assert row.sections == len({e for e, size, _ in slow["winner"] if low <= size <= high})

        check()

    def test_a_strong_winner_may_lose_points(self) -> None:
        # the favourite wins the section with 3 of 5, less than a lead of 1000 points promises
        units = [[Member("A", 2000.0)], *([Member(name, 1000.0)] for name in "BCDEF")]
        games = [Game(k, 0, k, 200 if k < 4 else -1, float(k < 4)) for k in range(1, 6)]
        row = section_winners(replay(history(Section(units, games, 5)), "elo")).iloc[0]
        assert (row["winners"], row["winner_lost"], row["size"]) == (1, 1.0, "all")
        assert row["winner_change"] < 0
        assert math.isnan(row["winner_lost_se"])  # of one event nobody knows

    def test_events_of_places_go_by_their_places(self) -> None:
        placed = [
            Placed({"A": 1, "B": 2, "C": 2}, 40, date="2010-01-01"),
            Placed({"C": 1, "A": 2, "B": 3}, None, date="2010-02-01"),
        ]
        result = replay(placings_history(*placed), "dip-pouch")
        row = section_winners(result).iloc[0]
        assert row["sections"] == 2
        assert row["size"] == "all"


def test_the_plot_tells_systems_apart_by_more_than_colour() -> None:
    made_up, _ = individual_circuit(np.random.default_rng(1), players=20, events=6, rounds=5)
    tables = {system: excess_by_seed(replay(made_up, system)) for system in SYSTEMS}
    for figure, position, marks in (("excess", "part", 10), ("change", "from bottom", 5)):
        _, axes = plots.figure(5, 3)
        assert plots.by_seed(tables, axes[0], figure=figure, position=position) is axes[0]
        drawn = {container.get_label(): container.lines[0] for container in axes[0].containers}
        assert list(drawn) == SYSTEMS
        for system, line in drawn.items():
            shown = tables[system][tables[system]["position"] == position]
            assert line.get_ydata().tolist() == shown[figure].tolist()
            assert len(shown) == marks
        assert len({line.get_marker() for line in drawn.values()}) == 3
        assert len({line.get_linestyle() for line in drawn.values()}) == 3
    with pytest.raises(ValueError, match="up to 3 systems apart; found 4"):
        plots.by_seed({**tables, "more": tables["elo"]}, axes[0])


@needs_shared
@pytest.mark.parametrize("system", ["elo", "glixo"])
def test_on_real_events_the_bottom_of_a_section_gains(system: str) -> None:
    """CoCo 2021–25: from the top of a section to its bottom excess wins rise by some .08 a game."""
    line = flatness(replay(ratinglab.load(SHARED / "coco"), system)).set_index("figure").loc["excess"]
    assert line["low"] > 0.04
    assert line["entrants"] == 1301
