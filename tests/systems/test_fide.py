"""FIDE ratings: worked figures, a plain transcription in fractions, the golden table, and what must always hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from adding import check_workings
from afl_history import afl_history
from hypothesis import given, settings
from hypothesis import strategies as st
from making import SHARED, Game, Member, Section, history, needs_shared, sections
from oracles.fide import EXPECTED, PERFORMANCE, fide

from ratinglab.explaining import explain
from ratinglab.history import History
from ratinglab.problems import UsageError
from ratinglab.replaying import Replay, rate, replay
from ratinglab.scheduling import schedule
from ratinglab.systems import Fide, make

PLAIN = Fide(curve="logistic", initial=2200, k_new=30, k=15, rounding=False, k_games=1e9, cap=1e9)


def dated(drawn: list[Section]) -> list[Section]:
    """The sections a month apart, each person's rating filed at the first of them alone."""
    seen: set[str] = set()
    out = []
    for i, section in enumerate(drawn, 1):
        units = [
            [replace(m, rating=None, lifetime=None) if m.name in seen else m for m in unit] for unit in section.units
        ]
        seen |= {member.name for unit in units for member in unit}
        out.append(replace(section, units=units, date=f"2024-{i:02d}-01"))
    return out


def against(own: Member, opponents: list[float], results: list[float]) -> Section:
    """One player's games against rated opponents, a round each."""
    units = [[own], *[[Member(f"Opponent {i:02d}", rating)] for i, rating in enumerate(opponents)]]
    games = [Game(i + 1, 0, i + 1, round(100 * (won - 0.5)), won) for i, won in enumerate(results)]
    return Section(units, games, len(games))


def born(made: History, player: str, day: str) -> History:
    birth = pd.Series(pd.NaT, index=made.entries.index, dtype="datetime64[us]")
    birth[made.entries["player"] == player] = pd.Timestamp(day)
    return replace(made, entries=made.entries.assign(birth_date=birth.astype(made.entries["birth_date"].dtype)))


def row(result: Replay, player: str = "Own") -> pd.Series:
    return result.changes.set_index("player").loc[player]


class TestTables:
    """The two tables of the regulations, point by point."""

    def test_every_difference(self) -> None:
        table = {d: p / 100 for low, high, p in EXPECTED for d in range(low, min(high, 900) + 1)}
        differences = np.array(list(table))[:, None].astype(float)
        system = Fide(cap=1e9)
        assert system.expected(differences)[:, 0] == pytest.approx(list(table.values()))
        assert system.expected(-differences)[:, 0] == pytest.approx([1 - p for p in table.values()])

    def test_every_score(self) -> None:
        scores = np.arange(101)[:, None] / 100
        wanted = [-PERFORMANCE[100 - p] if p < 50 else PERFORMANCE[p] for p in range(101)]
        assert Fide().performance(scores)[:, 0].tolist() == wanted
        # .005 is rounded up
        assert Fide().performance(np.array([[0.505], [0.495], [0.494]]))[:, 0].tolist() == [7, 0, -7]

    def test_differences_above_400_count_as_400(self) -> None:
        found = Fide().expected(np.array([[400.0], [401.0], [2000.0], [-735.0]]))[:, 0]
        assert found == pytest.approx([0.92, 0.92, 0.92, 0.08])

    def test_both_curves_agree_about_to_a_hundredth(self) -> None:
        d = np.arange(0.0, 401)[:, None]
        assert np.abs(Fide().expected(d) - Fide(curve="logistic").expected(d)).max() < 0.015
        p = np.arange(0.1, 0.91, 0.01)[:, None]
        assert np.abs(Fide().performance(p) - Fide(curve="logistic").performance(p)).max() < 20


class TestK:
    """Which K holds: told by what a draw with somebody 400 points stronger gives, .42 of it."""

    def k(self, own: Member, birth: str | None = None, date: str = "2024-06-01", draws: int = 1, **parameters) -> float:
        section = replace(against(own, [own.rating + 400] * draws, [0.5] * draws), date=date)
        made = history(section)
        if birth is not None:
            made = born(made, "Own", birth)
        return row(rate(made, Fide(rounding=False, **parameters)))["base"] / (0.42 * draws)

    @pytest.mark.parametrize(
        ("rating", "lifetime", "k"),
        [
            (2000, 29, 40),
            (2000, 30, 20),
            (2000, None, 20),  # filed with a rating and no number of games: taken as 100
            (2399, 100, 20),
            (2400, 100, 10),
            (2450, 3, 10),
        ],
    )
    def test_by_games_and_rating(self, rating: float, lifetime: int | None, k: float) -> None:
        assert self.k(Member("Own", rating, None, lifetime)) == pytest.approx(k)

    @pytest.mark.parametrize(
        ("birth", "rating", "k"),
        [
            ("2006-01-01", 2000, 40),  # 18 since January, and a junior to the end of the year
            ("2005-12-31", 2000, 20),
            ("2014-07-01", 2299, 40),
            ("2014-07-01", 2300, 20),
            ("2014-07-01", 2400, 10),
        ],
    )
    def test_up_to_the_end_of_the_year_of_the_18th_birthday(self, birth: str, rating: float, k: float) -> None:
        assert self.k(Member("Own", rating, None, 100), birth) == pytest.approx(k)

    def test_without_a_date_nobody_is_a_junior(self) -> None:
        section = against(Member("Own", 2000.0, None, 100), [2400], [0.5])
        made = born(history(section), "Own", "2014-07-01")
        made = replace(made, events=made.events.assign(date=pd.NaT, end_date=pd.NaT))
        assert row(rate(made, Fide(rounding=False)))["base"] == pytest.approx(20 * 0.42)

    def test_k_times_games_is_at_most_700(self) -> None:
        new = Member("Own", 1800.0, None, 0)
        assert self.k(new, draws=17) == pytest.approx(40)
        assert self.k(new, draws=18) == pytest.approx(38)  # 18 · 38 = 684, 18 · 39 = 702
        assert self.k(new, draws=18, k_games=1e9) == pytest.approx(40)

    def test_what_was_reached_once_stays(self) -> None:
        """2395 wins up to 2402, then loses down below 2300 and keeps K 10; a junior above 2300 has lost K 40."""
        up = replace(against(Member("Own", 2395.0, None, 100), [2395] * 2, [1, 0.5]), date="2024-01-01")
        down = replace(against(Member("Own"), [2395] * 30, [0] * 30), date="2024-02-01")
        last = replace(against(Member("Own"), [2395], [1]), date="2024-03-01")
        changes = replay(history(up, down, last), Fide()).changes
        own = changes[changes["player"] == "Own"]
        assert own["after"].iloc[0] == 2405
        assert own["after"].iloc[1] < 2300
        excess = 1 - own["expected"].iloc[2]
        assert own["base"].iloc[2] == pytest.approx(10 * excess)
        assert own["highest_after"].tolist() == [2405] * 3

        young = replace(against(Member("Own", 2295.0, None, 100), [2295], [1]), date="2024-01-01")
        down = replace(against(Member("Own"), [2295] * 10, [0] * 10), date="2024-02-01")
        made = born(history(young, down, last), "Own", "2010-01-01")
        own = replay(made, Fide()).changes.query("player == 'Own'")
        assert own["after"].iloc[0] == 2295 + 20  # K 40 still
        assert own["before"].iloc[2] < 2300
        assert own["base"].iloc[2] == pytest.approx(20 * (1 - own["expected"].iloc[2]))


class TestChanges:
    """Whole changes and games that do not count."""

    def test_a_half_is_rounded_away_from_zero(self) -> None:
        """K 25 and .50 expected: 12.5 points either way."""
        for won, after in ((1.0, 1813), (0.0, 1787)):
            section = against(Member("Own", 1800.0, None, 100), [1800], [won])
            assert row(rate(history(section), Fide(k=25)))["after"] == after

    def test_games_with_the_unrated_do_not_count(self) -> None:
        units = [[Member("Own", 1800.0)], [Member("New")], [Member("Other", 1700.0)]]
        games = [Game(1, 0, 1, -50, 0.0), Game(2, 0, 2, 50, 1.0), Game(3, 1, 2, 0, 0.5)]
        own = row(rate(history(Section(units, games, 3)), Fide()))
        assert own["expected"] == pytest.approx(0.64)
        assert own["after"] == 1807  # 20 · .36 = 7.2

    def test_below_the_floor(self) -> None:
        section = against(Member("Own", 1403.0), [1403], [0])
        own = row(rate(history(section), Fide()))
        assert np.isnan(own["after"])
        assert own["highest_after"] == 1403
        assert row(rate(history(section), Fide(below_floor="raised")))["after"] == 1400
        assert row(rate(history(section), Fide(floor=1000)))["after"] == 1393


class TestFirstRatings:
    """From five games with rated opponents on."""

    def test_the_mean_and_what_the_score_goes_with(self) -> None:
        """1600, 1650, 1700, 1750, 1800 and two of 1800: mean 12100/7; 3 + 1 of 7 is .57, worth 50 points: 1779."""
        section = against(Member("Own"), [1600, 1650, 1700, 1750, 1800], [1, 1, 1, 0, 0])
        own = row(rate(history(section), Fide()))
        assert own["after"] == 1779
        assert np.isnan(own["expected"])
        assert own["pending_games_after"] == 0

    def test_games_are_collected_over_events(self) -> None:
        one = replace(against(Member("Own"), [1600, 1650], [1, 1]), date="2024-01-01")
        two = replace(against(Member("Own"), [0, 0, 0], [1, 0, 0]), date="2024-02-01")
        two = replace(two, units=[two.units[0], *[[Member(f"Later {r}", float(r))] for r in (1700, 1750, 1800)]])
        own = replay(history(one, two), Fide()).changes.query("player == 'Own'")
        assert own["after"].isna().tolist() == [True, False]
        assert own["pending_games_after"].tolist() == [2, 0]
        assert own["pending_points_before"].tolist() == [0, 2]
        assert own["pending_opponents_before"].tolist() == [0, 3250]
        assert own["after"].iloc[1] == 1779

    def test_a_first_event_without_a_point_is_left_out(self) -> None:
        lost = replace(against(Member("Own"), [1800] * 3, [0] * 3), date="2024-01-01")
        later = replace(against(Member("Own"), [1600, 1650, 1700, 1750, 1800], [1, 1, 1, 0, 0]), date="2024-02-01")
        later = replace(
            later, units=[later.units[0], *[[replace(u[0], name=f"L {u[0].name}")] for u in later.units[1:]]]
        )
        own = replay(history(lost, later), Fide()).changes.query("player == 'Own'")
        assert own["after"].iloc[1] == 1779
        # after a point was made, a lost event counts
        drawn = replace(lost, games=[replace(lost.games[0], result=0.5, spread=0), *lost.games[1:]])
        own = replay(history(drawn, later), Fide()).changes.query("player == 'Own'")
        # (8500 + 5400 + 3600)/10 = 1750, (3 + .5 + 1)/10 = .45: -36
        assert own["after"].iloc[1] == 1714

    def test_the_limits(self) -> None:
        assert row(rate(history(against(Member("Own"), [2300] * 9, [1] * 9)), Fide()))["after"] == 2200
        # (5 · 1500 + 3600)/7 = 1585.7, (.5 + 1)/7 = .21: 230 below is 1356
        low = row(rate(history(against(Member("Own"), [1500] * 5, [0.5, 0, 0, 0, 0])), Fide()))
        assert np.isnan(low["after"])
        assert low["pending_games_after"] == 5
        assert (
            row(rate(history(against(Member("Own"), [1500] * 5, [0.5, 0, 0, 0, 0])), Fide(floor=1000)))["after"] == 1356
        )

    def test_a_forecast_takes_the_mean_of_the_section(self) -> None:
        section = against(Member("Own"), [1600, 1800], [1, 1])  # so Own stands at 1700
        told = rate(history(section), Fide(curve="logistic")).forecasts
        assert told["player"].tolist() == ["Opponent 00", "Opponent 01"]
        assert told["win"].to_numpy() == pytest.approx([1 / (1 + 10**0.25), 1 / (1 + 10**-0.25)])
        alone = Section([[Member("A")], [Member("B")]], [Game(1, 0, 1, 5, 1.0)], 1)
        assert rate(history(alone), Fide()).forecasts["win"].tolist() == [0.5]


@pytest.mark.parametrize("teams", [False, True])
def test_a_plain_transcription_gives_the_same(teams: bool) -> None:
    one = sections(teams=teams, max_rounds=24)
    several = st.lists(sections(teams=teams, max_rounds=12), min_size=2, max_size=4)

    @settings(max_examples=60)
    @given(st.one_of(one.map(lambda section: [section]), several))
    def run(drawn: list[Section]) -> None:
        made = dated(drawn)
        found = replay(history(*made), Fide()).changes
        for i, wanted in enumerate(fide(made), 1):
            here = found[found["event"] == f"e{i}"].set_index("player")["after"]
            assert {name: None if np.isnan(r) else r for name, r in here.items()} == wanted

    run()


@pytest.mark.parametrize("spec", [Fide(), Fide(below_floor="raised"), Fide(curve="logistic", rounding=False), PLAIN])
@pytest.mark.parametrize("teams", [False, True])
def test_the_points_add_up(spec: Fide, teams: bool) -> None:
    @settings(max_examples=30)
    @given(st.lists(sections(teams=teams), min_size=1, max_size=3))
    def run(drawn: list[Section]) -> None:
        check_workings(replay(history(*dated(drawn)), spec))

    run()


def test_an_explanation_of_a_first_rating() -> None:
    section = against(Member("Own"), [1600, 1650, 1700, 1750, 1800], [1, 1, 1, 0, 0])
    told = explain(replay(history(section), Fide()), "e1", "Own")
    rules = told.rows[told.rows["acted"]].set_index("name")
    assert rules.loc["first rating", "points"] == pytest.approx(12100 / 7 + 50)
    assert rules.loc["rounding", "points"] == pytest.approx(1779 - 12100 / 7 - 50)
    assert told.after == 1779


@given(sections(unrated=False, whole_ratings=False))
def test_without_bands_of_k_the_sum_is_kept(section: Section) -> None:
    same = Fide(k_new=20, k_junior=20, k_elite=20, rounding=False, floor=-1e9, k_games=1e9)
    changes = rate(history(section), same).changes
    assert changes["after"].sum() == pytest.approx(changes["before"].sum(), abs=1e-8)


def test_a_grid_holds_the_single_systems() -> None:
    grid = Fide(k=(15, 20, 25), cap=(350, 400, 735), first_games=(3, 5, 9), floor=(1000, 1200, 1400))

    @settings(max_examples=20)
    @given(st.lists(sections(), min_size=1, max_size=3))
    def run(drawn: list[Section]) -> None:
        made = history(*dated(drawn))
        whole = replay(made, grid)
        for index in range(3):
            single = replay(made, grid.column(index))
            for mine, theirs in (
                (whole.column(index).before, single.before),
                (whole.column(index).after, single.after),
            ):
                for name in theirs:
                    np.testing.assert_allclose(mine[name], theirs[name], rtol=0, atol=1e-9)
            pd.testing.assert_frame_equal(whole.column(index).forecasts, single.forecasts, rtol=0, atol=1e-12)

    run()


@needs_shared
def test_the_golden_table_of_675_games() -> None:
    """golden/aflodds_fide_defaults.csv: start 2200, logistic curve, K 10 once at 2400, 30 below 30 games, else 15.

    Nothing is rounded there and no difference cut. `Opponent` is the mean of the opponents' ratings after the week of
    the game, `Lag` the weeks since the last one.
    """
    golden = pd.read_csv(SHARED / "golden" / "aflodds_fide_defaults.csv").set_index("Player")
    made = afl_history()
    result = replay(made, PLAIN)
    changes = result.changes
    last = changes.groupby("player").last().reindex(golden.index)
    np.testing.assert_allclose(last["after"], golden["Rating"], rtol=0, atol=1e-9)
    assert ((last["highest_after"] >= 2400) == (golden["Elite"] == 1)).all()
    assert golden["Elite"].sum() >= 2
    games = changes.groupby("player")[["games", "wins"]].sum().reindex(golden.index)
    assert (games["games"] == golden["Games"]).all()
    assert (games["wins"] == golden["Win"] + golden["Draw"] / 2).all()
    rating = changes.set_index(["event", "player"])["after"]
    told = result.forecasts
    pairs = [(told["player"], told["opponent"]), (told["opponent"], told["player"])]
    met = pd.concat(
        [pd.DataFrame({"who": a, "met": rating[[*zip(told["event"], b, strict=True)]].array}) for a, b in pairs]
    )
    np.testing.assert_allclose(met.groupby("who")["met"].mean().reindex(golden.index), golden["Opponent"], atol=1e-9)
    # a cap of 400 would have mattered: some team was further ahead
    capped = replay(made, replace(PLAIN, cap=400.0)).changes.groupby("player").last().reindex(golden.index)
    assert np.abs(capped["after"] - golden["Rating"]).max() > 0.1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"curve": "normal"}, "curve must be table or logistic"),
        ({"below_floor": "kept"}, "below_floor must be unrated or raised"),
        ({"initial": "1500"}, "initial must be none or points"),
        ({"cap": 0}, "cap must be above 0"),
        ({"first_games": 0}, "first_games must be 1 or more"),
        ({"k": -1}, "k must be 0 or more"),
        ({"initial": 1300}, "initial must not be below the floor"),
        ({"floor": (1400, 2300)}, "first_highest must not be below the floor"),
    ],
)
def test_wrong_values_are_refused(wrong: dict, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Fide(**wrong)


def test_what_a_committee_is_told() -> None:
    nobody = schedule(history(Section([[Member("A")], [Member("B")]], [Game(1, 0, 1, 5, 1.0)], 1)))
    assert "set initial" in Fide().notices(nobody)[0]
    assert Fide(initial=1500).notices(nobody) == []
    low = schedule(history(against(Member("Own", 900.0), [1500, 1200], [1, 0])))
    assert "2 ratings are filed below the floor" in Fide().notices(low)[0]
    assert Fide(below_floor="raised").notices(low) == Fide(floor=100).notices(low) == []


def test_the_start_may_be_a_number() -> None:
    assert make("fide", {"initial": "1500"}).initial == 1500
    own = row(replay(history(against(Member("Own"), [1500], [1])), Fide(initial=1500)))
    assert own["before"] == 1500
    assert own["after"] == 1520
    assert Fide(initial=1300, below_floor="raised").initial == 1300
