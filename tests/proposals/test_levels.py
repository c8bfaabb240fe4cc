"""The level of ratings, cohorts, volatility and numbers of rated players against slow loops over the changes."""

from __future__ import annotations

import datetime
import math
from dataclasses import replace
from itertools import pairwise
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
from ratinglab.problems import UsageError
from ratinglab.proposals.levels import cohort, levels, player_volatility, rated_players, volatility
from ratinglab.replaying import Replay, rate, replay
from ratinglab.resampling import event_draws
from ratinglab.sample import individual_circuit

DATES = [f"20{year}-{month:02d}-{day:02d}" for year in (20, 22, 23) for month, day in ((2, 3), (6, 30), (11, 15))]
LABELS = (
    (10, "0 to 9 games"), (50, "10 to 49 games"), (200, "50 to 199 games"), (math.inf, "200 games or more"),
)  # fmt: skip
SYSTEMS = ["elo", "naspa", "glixo", "fide"]


def made(drawn: list[Section], system: str) -> Replay:
    """These sections at rising dates over four years, replayed."""
    return replay(history(*[replace(s, date=date) for s, date in zip(drawn, DATES, strict=False)]), system)


histories = st.lists(sections(max_rounds=5, names=[f"Player {c}" for c in "ABCDEFGHIJ"]), min_size=2, max_size=7)


class Person:
    """Somebody's state on a day, from the table of changes, row by row."""

    def __init__(self, result: Replay, name: str, day: pd.Timestamp) -> None:
        table = result.changes
        rows = table[(table["player"] == name) & (table["date"] <= day)]
        self.rating, self.last, self.games = float("nan"), None, 0
        self.trail: list[tuple[pd.Timestamp, float]] = []  # of each event with a game: day, the rating one came with
        for row in rows.itertuples():
            self.rating = row.after
            self.games += row.games
            if row.games:
                self.last = row.date
                self.trail.append((row.date, row.after if math.isnan(row.before) else row.before))
        self.rated = self.last is not None and not math.isnan(self.rating)
        self.active = self.rated and (day - self.last).days <= 730


def slow_pool(result: Replay, day: pd.Timestamp) -> dict[str, Person]:
    return {name: Person(result, name, day) for name in result.changes["player"].unique()}


def slow_rows(result: Replay, dates: list[pd.Timestamp]) -> list[dict[str, float]]:
    """The figures of `levels`, player by player."""
    rows: list[dict[str, float]] = []
    last: dict[str, Person] | None = None
    for at, day in enumerate(dates):
        pool = slow_pool(result, day)
        today = [p.rating for p in pool.values() if p.active]
        row = {"players": len(today), "mean": mean(today) if today else math.nan}
        row["sd"] = stdev(today) if len(today) > 1 else math.nan
        if last is not None:
            stayed = [name for name in pool if pool[name].active and last[name].active]
            came = {}
            for name in pool:
                if last[name].rated:
                    came[name] = last[name].rating
                elif pool[name].active:
                    since = [r for when, r in pool[name].trail if when > dates[at - 1] and not math.isnan(r)]
                    came[name] = since[0] if since else pool[name].rating
            before = [p.rating for p in last.values() if p.active]
            if today and before:
                kept = mean(last[name].rating for name in stayed) if stayed else mean(before)
                row["gained"] = mean(pool[name].rating - came[name] for name in pool if pool[name].active)
                row["entries"] = mean(came[name] for name in pool if pool[name].active) - kept
                row["exits"] = kept - mean(before)
            row["stayed"] = len(stayed)
            row["newcomers"] = sum(pool[name].active and not last[name].rated for name in pool)
            row["returned"] = sum(pool[n].active and last[n].rated and not last[n].active for n in pool)
            row["left"] = sum(last[name].active and not pool[name].active for name in pool)
            if stayed:
                row["stayed_gain"] = mean(pool[name].rating - last[name].rating for name in stayed)
        rows.append(row)
        last = pool
    return rows


class TestLevels:
    """The pool at each date."""

    @settings(max_examples=12)
    @given(histories, st.sampled_from(SYSTEMS))
    def test_a_slow_loop_agrees_and_the_parts_add_up(self, drawn: list[Section], system: str) -> None:
        result = made(drawn, system)
        if not (result.rated > 0).any():
            with pytest.raises(UsageError, match="no rated event with a date"):
                levels(result)
            return
        table = levels(result, every="half-year")
        for row, slow in zip(table.to_dict("records"), slow_rows(result, list(table["date"])), strict=True):
            for name, value in slow.items():
                assert float(row[name]) == pytest.approx(value, nan_ok=True, abs=1e-8), name
        parts = table["gained"] + table["entries"] + table["exits"]
        assert np.allclose(parts, table["change"], atol=1e-8, equal_nan=True)
        told = table["change"].notna()
        assert np.allclose(table["mean"].diff()[told], table["change"][told], atol=1e-8)

    def test_elo_with_one_k_makes_and_loses_no_points(self) -> None:
        rng = np.random.default_rng(3)
        made_up, _ = individual_circuit(rng, players=30, events=40, rounds=5, field=12)
        table = levels(replay(made_up, "elo:k=32", start="fresh"), every="quarter")
        assert len(table) >= 3
        assert table["gained"].abs().max() < 1e-9
        # and where everybody plays from the first date on, the level stays where it was
        closed, _ = individual_circuit(rng, players=10, events=40, rounds=5)
        table = levels(replay(closed, "elo:k=32"), every="quarter")
        assert table["players"].tolist() == [10] * len(table)
        assert np.ptp(table["mean"]) < 1e-9

    def test_dates_are_ends_of_periods_and_the_last_rated_day(self) -> None:
        pair = Section([[Member("A", 1500.0)], [Member("B", 1400.0)]], [Game(1, 0, 1, 50, 1.0)], 1)
        result = replay(history(*[replace(pair, date=d) for d in ("2020-02-03", "2020-06-30", "2021-11-15")]), "elo")
        told = {every: levels(result, every=every)["date"].dt.strftime("%Y-%m-%d").tolist() for every in ("year", None)}
        assert told["year"] == ["2020-12-31", "2021-11-15"]
        quarters = ["2020-03-31", "2020-06-30", "2020-09-30", "2020-12-31", "2021-03-31", "2021-06-30", "2021-09-30"]
        assert told[None] == [*quarters, "2021-11-15"]

    def test_longer_histories_are_told_in_longer_periods(self) -> None:
        pair = Section([[Member("A", 1500.0)], [Member("B", 1400.0)]], [Game(1, 0, 1, 50, 1.0)], 1)
        for last, months in (("2014-12-01", {3, 6, 9, 12}), ("2018-12-01", {6, 12}), ("2022-12-01", {12})):
            result = replay(history(*[replace(pair, date=d) for d in ("2012-02-03", last)]), "elo")
            assert set(levels(result)["date"].dt.month) == months

    def test_who_comes_back_is_no_newcomer(self) -> None:
        def event(date: str, *names: str) -> Section:
            return Section([[Member(n, 1500.0)] for n in names], [Game(1, 0, 1, 10, 1.0)], 1, date=date)

        result = replay(
            history(event("2019-03-01", "A", "B"), event("2020-09-01", "C", "D"), event("2022-03-01", "A", "C")), "elo"
        )
        table = levels(result, every="year").set_index("date")
        assert table.loc["2021-12-31", ["players", "left"]].tolist() == [2, 2]
        assert table.loc["2022-03-01", ["stayed", "newcomers", "returned", "left"]].tolist() == [2, 0, 1, 0]

    def test_where_nobody_stayed_the_parts_still_add_up(self) -> None:
        first = Section([[Member("A", 1800.0)], [Member("B", 1600.0)]], [Game(1, 0, 1, 10, 1.0)], 1, date="2018-05-01")
        other = Section([[Member("C", 1200.0)], [Member("D", 1000.0)]], [Game(1, 0, 1, 10, 1.0)], 1, date="2020-12-30")
        row = levels(replay(history(first, other), "elo"), every="year").iloc[-1]
        assert row[["stayed", "newcomers", "left"]].tolist() == [0, 2, 2]
        assert row[["change", "entries", "exits"]].tolist() == pytest.approx([-600, -600, 0])
        assert row["gained"] == pytest.approx(0, abs=1e-9)
        # where the pool was empty on the date before there is no mean to change
        late = levels(replay(history(first, replace(other, date="2022-12-30")), "elo"), every="year")
        assert late["players"].tolist() == [2, 2, 0, 0, 2]
        assert late["change"].isna().tolist() == [True, False, True, True, True]
        assert late["mean"].isna().tolist() == [False, False, True, True, False]

    def test_events_without_a_date_have_no_place(self) -> None:
        pair = Section([[Member("A", 1500.0)], [Member("B", 1400.0)]], [Game(1, 0, 1, 50, 1.0)], 1)
        one = history(pair, replace(pair, date="2024-05-01"))
        last = one.events["event"] == "e2"
        partly = replace(one, events=one.events.assign(**{c: one.events[c].mask(last) for c in ("date", "end_date")}))
        assert levels(replay(partly, "elo")).equals(levels(replay(history(pair), "elo")))
        undated = replace(one, events=one.events.assign(date=pd.NaT, end_date=pd.NaT))
        for function in (levels, cohort, rated_players):
            with pytest.raises(UsageError, match="need dates; found no rated event with a date"):
                function(replay(undated, "elo"))
        assert volatility(replay(undated, "elo")).loc[0, "entries"] == 4

    def test_usage_is_checked(self) -> None:
        pair = Section([[Member("A", 1500.0)], [Member("B", 1400.0)]], [Game(1, 0, 1, 50, 1.0)], 1)
        result = replay(history(pair), "elo")
        with pytest.raises(UsageError, match="one of quarter, half-year, year; found month"):
            levels(result, every="month")
        with pytest.raises(UsageError, match="each event was rated on its own"):
            levels(rate(history(pair), "elo"))
        with pytest.raises(UsageError, match="expected a date"):
            cohort(result, since="soon")
        with pytest.raises(UsageError, match="details=True"):
            levels(replay(history(pair), "elo", details=False))

    @pytest.mark.parametrize("system", ["dip-pouch", "elo", "bradley-terry", "glicko2", "uscf"])
    def test_teams_places_one_event_and_every_kind_of_system(self, system: str) -> None:
        team = Section(
            [[Member("A", 1500.0), Member("B")], [Member("C", 1400.0)], [Member("D"), Member("E")]],
            [Game(1, 0, 1, 50, 1.0), Game(2, 1, 2, 0, 0.5)], 2, teams=True,
        )  # fmt: skip
        made_up = placings_history(Placed({"A": 1, "B": 2, "C": None}, 30)) if system == "dip-pouch" else history(team)
        result = replay(made_up, system)
        table = levels(result)
        assert len(table) == len(rated_players(result)) == 1
        assert table.loc[0, "players"] == rated_players(result).loc[0, "active"] > 0
        assert volatility(result).loc[0, "experience"] == "all"
        assert ("mean_abs_per_game" in volatility(result)) == (system != "dip-pouch")
        assert list(cohort(result).columns[:3]) == ["date", "players", "mean"]
        assert len(player_volatility(result)) == volatility(result).loc[0, "players"]


class TestCohort:
    """The same players over time."""

    def test_a_slow_loop_agrees(self) -> None:
        made_up, _ = individual_circuit(np.random.default_rng(5), players=40, events=60, rounds=4, field=6)
        result = replay(made_up, "glixo", start="fresh")
        table = cohort(result, every="quarter", settled=20, seed=4, resamples=50)
        dates = list(table["date"])
        everybody = [slow_pool(result, day) for day in dates]
        inside = [
            name
            for name, person in everybody[0].items()
            if person.active and person.games >= 20 and everybody[-1][name].active
        ]
        assert 3 <= len(inside) < len(everybody[0])
        assert table["players"].tolist() == [len(inside)] * len(table)
        assert len(table) >= 4
        in_order = list(dict.fromkeys(made_up.entries["player"]))  # as the resamples count them
        inside.sort(key=in_order.index)
        draws = event_draws(len(inside), 4, 50)
        first = [pool_mean(everybody[0], inside, draw) for draw in draws]
        for k, row in enumerate(table.itertuples()):
            assert row.mean == pytest.approx(mean(everybody[k][name].rating for name in inside), abs=1e-9)
            resampled = [pool_mean(everybody[k], inside, draw) for draw in draws]
            assert row.mean_se == pytest.approx(stdev(resampled), abs=1e-9)
            moved = [now - then for now, then in zip(resampled, first, strict=True)]
            if k:
                assert row.change == pytest.approx(row.mean - table.loc[0, "mean"], abs=1e-9)
                assert row.change_se == pytest.approx(stdev(moved), abs=1e-9)
                assert row.low < row.change < row.high
        assert math.isnan(table.loc[0, "change_se"])

    def test_it_begins_after_a_quarter_of_the_history_or_when_told(self) -> None:
        pair = Section(
            [[Member("A", 1500.0, None, 60)], [Member("B", 1400.0, None, 49)], [Member("C", 1400.0)]],
            [Game(1, 0, 1, 50, 1.0), Game(2, 1, 2, 50, 1.0)], 2,
        )  # fmt: skip
        days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=100 * k) for k in range(9)]
        result = replay(history(*[replace(pair, date=day.isoformat()) for day in days[:1] + days[-1:]]), "elo")
        assert cohort(result)["date"].iloc[0] == pd.Timestamp("2020-09-30")  # 200 of 800 days: 19 July
        table = cohort(result, since="2021-02-01")
        assert table["date"].dt.strftime("%Y-%m-%d").tolist()[:2] == ["2021-02-01", "2021-03-31"]
        # B has 51 games by then, and C, filed with a rating and no number of games, is not doubted
        assert table["players"].unique().tolist() == [3]
        assert cohort(result, since="2021-02-01", settled=61)["players"].unique().tolist() == [2]

    def test_nobody_is_no_row(self) -> None:
        new = Section([[Member("A")], [Member("B")]], [Game(1, 0, 1, 50, 1.0)], 1)
        table = cohort(replay(history(new), "elo"))
        assert len(table) == 0
        assert table["mean"].dtype == float


def pool_mean(pool: dict[str, Person], names: list[str], draw: np.ndarray) -> float:
    """The mean of drawn players."""
    return sum(times * pool[name].rating for name, times in zip(names, draw, strict=True)) / len(names)


class TestVolatility:
    """How far an event moves ratings."""

    @settings(max_examples=12)
    @given(histories, st.sampled_from(SYSTEMS))
    def test_a_slow_loop_agrees(self, drawn: list[Section], system: str) -> None:
        result = made(drawn, system)
        changes = result.changes.dropna(subset=["before", "after"])
        changes = changes[changes["games"] > 0]
        classes: dict[str, list[tuple[str, str, float, int]]] = {}
        # lifetime games as filed, or else counted from nothing for who was first filed without a rating
        whole = result.schedule.whole
        before_each = (whole.lifetime_known + whole.lifetime_since).tolist()
        lifetime = dict(zip(result.schedule.entry_row.tolist(), before_each, strict=True))
        entries = result.schedule.history.entries.reset_index().set_index(["event", "player"])["index"]
        for row in changes.itertuples():
            before = lifetime[entries[row.event, row.player]]
            move = (row.event, row.player, row.after - row.before, row.games)
            below = [label for most, label in LABELS if before < most]
            label = below[0] if below else "games not known"
            for told in ("all", label, *(() if before < 50 else ("settled",))):
                classes.setdefault(told, []).append(move)
        table = volatility(result, seed=1, resamples=20).set_index("experience")
        assert set(classes) <= set(table.index)
        for label, row in table.iterrows():
            moves = classes.get(label, [])
            assert row["entries"] == len(moves)
            assert row["players"] == len({player for _, player, _, _ in moves})
            if not moves:
                assert math.isnan(row["mean_abs"])
                continue
            assert row["mean_change"] == pytest.approx(mean(c for _, _, c, _ in moves), abs=1e-9)
            # a standard deviation from sums of squares is right to the root of what their rounding leaves
            sd = stdev([c for _, _, c, _ in moves]) if len(moves) > 1 else math.nan
            assert row["sd"] == pytest.approx(sd, nan_ok=True, abs=1e-5)
            assert row["mean_abs"] == pytest.approx(mean(abs(c) for _, _, c, _ in moves), abs=1e-9)
            per_game = sum(abs(c) for _, _, c, _ in moves) / sum(n for _, _, _, n in moves)
            assert row["mean_abs_per_game"] == pytest.approx(per_game, abs=1e-9)
            events = list(dict.fromkeys(e for e in changes["event"]))
            resampled = []
            for draw in event_draws(len(events), 1, 20):
                drawn_moves = [
                    abs(c)
                    for e, t in zip(events, draw, strict=True)
                    for x, _, c, _ in moves
                    if x == e
                    for _ in range(int(t))
                ]
                resampled.append(mean(drawn_moves) if drawn_moves else math.nan)
            found = [value for value in resampled if not math.isnan(value)]
            se = stdev(found) if len(found) > 1 and max(found) > min(found) + 1e-9 else math.nan
            assert len(found) > 1 or math.isnan(row["mean_abs_se"])
            if not math.isnan(se):
                assert row["mean_abs_se"] == pytest.approx(se, abs=1e-9)
        each = player_volatility(result).set_index("player")
        for player, row in each.iterrows():
            own = [c for _, p, c, _ in classes["all"] if p == player]
            assert row["mean_change"] == pytest.approx(mean(own), abs=1e-9)
            assert row["sd"] == pytest.approx(stdev(own) if len(own) > 1 else math.nan, nan_ok=True, abs=1e-5)

    def test_two_sections_of_one_event_are_one_change(self) -> None:
        two = [Section([[Member("A", 1500.0)], [Member(other, 1400.0)]], [Game(1, 0, 1, 50, 1.0)], 1) for other in "BC"]
        joined = history(*two)
        rename = {"e2": "e1"}
        tables = {
            name: getattr(joined, name).assign(
                section=getattr(joined, name)["event"], event=getattr(joined, name)["event"].replace(rename)
            )
            for name in ("entries", "games")
        }
        one = replace(joined, events=joined.events.iloc[:1], **tables)
        result = replay(one, "elo")
        each = player_volatility(result).set_index("player")
        assert each["events"].to_dict() == {"A": 1, "B": 1, "C": 1}
        assert each.loc["A", "games"] == 2
        changes = result.changes
        of_a = changes[changes["player"] == "A"]
        assert each.loc["A", "mean_abs"] == pytest.approx((of_a["after"] - of_a["before"]).sum())


class TestRatedPlayers:
    """How many are rated."""

    @settings(max_examples=8)
    @given(histories, st.sampled_from(SYSTEMS))
    def test_it_agrees_with_the_rating_list_of_the_day(self, drawn: list[Section], system: str) -> None:
        result = made(drawn, system)
        if not (result.rated > 0).any():
            return
        for row in rated_players(result, every="half-year").itertuples():
            listed = result.ratings(as_of=f"{row.date:%Y-%m-%d}")
            assert row.rated == len(listed)
            assert row.active == listed["active"].sum()
            assert row.provisional == listed["provisional"].sum()
            assert row.active_provisional == (listed["active"] & listed["provisional"]).sum()


def test_the_plot_shows_the_pool_and_names_the_cohort() -> None:
    made_up, _ = individual_circuit(np.random.default_rng(5), players=20, events=40, rounds=6, field=10)
    result = replay(made_up, "glixo")
    table, settled = levels(result), cohort(result, settled=20)
    assert len(settled)
    for of, labels in ((settled, 4), (settled.iloc[:0], 3), (None, 3)):
        _, axes = plots.figure(5, 3)
        assert plots.level(table, axes[0], cohort=of) is axes[0]
        told = [text.get_text() for text in axes[0].get_legend().get_texts()]
        assert len(told) == labels
        assert (f"the same {settled['players'].iloc[0]} settled players" in told) == (labels == 4)
        assert axes[0].lines[0].get_ydata().tolist() == table["mean"].tolist()


@needs_shared
def test_on_real_events_points_are_kept_by_elo_and_lost_by_glixo() -> None:
    """CoCo 2021–25: under Elo with one K no point is made or lost; Glixo's newcomers lose points that nobody gains."""
    coco = ratinglab.load(SHARED / "coco")
    elo, glixo = (levels(replay(coco, system)) for system in ("elo", "glixo"))
    assert elo["gained"].abs().max() < 1e-9
    assert (glixo["gained"].iloc[1:] < 0).sum() == len(glixo) - 2  # in every half-year but one
    assert glixo["gained"].iloc[1:].sum() < -50
    assert elo["players"].tolist() == glixo["players"].tolist()
    assert all(one < other for one, other in pairwise(elo["date"]))
