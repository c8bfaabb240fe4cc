"""Each rule of the US Chess and Evanston ratings on its own: bonus, floors, initial ratings, K, before 2001."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from chess_sections import against, step, worked
from making import Game, Member, Section, history
from oracles import uscf as oracle

from ratinglab.history import History, Parsed, assemble
from ratinglab.problems import UsageError
from ratinglab.replaying import rate, replay
from ratinglab.scheduling import schedule
from ratinglab.schema import conform
from ratinglab.systems import Evanston, Uscf

STRONG = [(1900.0, 1.0), (1920.0, 1.0), (1940.0, 1.0)]


def bonus_of(of: History, system: Uscf | None = None) -> float:
    return rate(of, system or Uscf()).changes.set_index("number").loc[1, "bonus"]


@pytest.mark.parametrize(
    ("date", "bonus"),
    [
        ("2001-01-01", 12), ("2014-12-31", 12), ("2015-01-01", 12), ("2017-04-30", 12), ("2017-05-01", 14),
        ("2023-01-31", 14), ("2023-02-01", 12), ("2024-12-31", 12), ("2025-01-01", 10), ("2026-01-01", 10),
    ],
)  # fmt: skip
def test_the_bonus_threshold_goes_by_the_events_date(date: str, bonus: float) -> None:
    of = history(against(Member("Umbrick, Tolly", 1500.0), STRONG, date))
    assert bonus_of(of) == pytest.approx(bonus_of(of, Uscf(bonus=bonus)))
    assert bonus_of(of, Uscf(bonus=11)) == pytest.approx(bonus_of(of) + 2 * (bonus - 11))  # √4 of three games
    assert bonus_of(of, Uscf(bonus="none")) == 0


def test_an_event_goes_by_its_last_day_and_without_a_date_by_the_latest_threshold() -> None:
    of = history(against(Member("Umbrick, Tolly", 1500.0), STRONG, "2024-12-30"))
    late = replace(of, events=of.events.assign(end_date=pd.Timestamp("2025-01-02")))
    assert bonus_of(late) == pytest.approx(bonus_of(of, Uscf(bonus=10)))
    dateless = replace(of, events=of.events.assign(date=pd.NaT, end_date=pd.NaT))
    assert bonus_of(dateless) == pytest.approx(bonus_of(of, Uscf(bonus=10)))


def test_no_bonus_for_two_games_or_a_third_with_one_opponent() -> None:
    player = Member("Umbrick, Tolly", 1500.0)
    three = against(player, STRONG)
    assert bonus_of(history(three)) > 0
    assert bonus_of(history(against(player, STRONG[:2]))) == 0
    twice = replace(three, games=[*three.games, Game(4, 0, 1, None, 1.0)], rounds=5)
    assert bonus_of(history(twice)) > 0
    thrice = replace(twice, games=[*twice.games, Game(5, 0, 1, None, 1.0)])
    assert bonus_of(history(thrice)) == 0


def test_a_rerating_with_another_bonus_may_change_nothing() -> None:
    """Nobody gains enough for a bonus: both sweeps and all ratings are the same, and the workings tell why."""
    of = history(against(Member("Umbrick, Tolly", 1500.0), [(1500, 0.5), (1520, 0.5), (1480, 0.5)]))
    (one, steps), (other, _) = worked(Uscf(bonus=10), of), worked(Uscf(bonus=14), of)
    pd.testing.assert_frame_equal(one, other)
    assert step(steps, "bonus", "gain")[0] < step(steps, "bonus", "threshold")[0] == 20
    assert (step(steps, "first sweep", "bonus") == 0).all()
    # here only the opponents' first sweep has a bonus, and it moves the rating of somebody without one
    ratings = {"Umbrick, Tolly": 1500.0, "Quell, Ivo": 1450.0, "C": 1900.0, "D": 1950.0}
    units = [[Member(name, rating)] for name, rating in ratings.items()]
    games = [Game(1, 0, 1, None, 0.0), Game(2, 1, 2, None, 1.0), Game(3, 1, 3, None, 1.0)]
    of = history(Section(units, games, 3))
    (one, steps), (other, _) = worked(Uscf(bonus=10), of), worked(Uscf(bonus=14), of)
    assert one.loc["Umbrick, Tolly", "bonus"] == other.loc["Umbrick, Tolly", "bonus"] == 0
    assert one.loc["Umbrick, Tolly", "after"] > other.loc["Umbrick, Tolly", "after"]
    assert step(steps, "first sweep", "bonus")[1] > 0


def test_the_absolute_floor_counts_this_history() -> None:
    """100 + 4 wins + 2 draws + events: 101 after one event without a point, 100 + 8 + 2 + 2 after the second."""
    low = Member("Umbrick, Tolly", 90.0, None, 60)
    lost = against(low, [(1000, 0), (1010, 0)])
    other = replace(against(low, [(90, 1), (80, 1), (85, 0.5), (1500, 0)]), date="2024-03-01")
    table = replay(history(lost, other), Uscf(bonus="none", k=0.001)).changes
    after = table[table["player"] == low.name]["after"]
    assert after.tolist() == [101, 112]
    ahead = replace(other, games=[Game(g.round, g.a, g.b, None, 1.0) for g in other.games])
    many = [replace(ahead, date=f"2024-{month:02d}-01") for month in range(3, 12)]
    table = replay(history(lost, *many), Uscf(bonus="none", k=0.001)).changes
    after = table[table["player"] == low.name]["after"]
    assert after.iloc[-1] == pytest.approx(150, abs=0.1)
    assert after.iloc[2] == 100 + 4 * 8 + 3


def test_the_absolute_floor_of_a_second_section_counts_the_first() -> None:
    """Two wins and a draw give 100 + 8 + 2 + 1; one win more at the same event 4 more, and no second event."""
    low = Member("Umbrick, Tolly", 90.0, None, 60)
    first = history(against(low, [(90, 1), (80, 1), (85, 0.5)])).tables()
    other = Section([[low], [Member("Quell, Ivo", 95.0)]], [Game(1, 0, 1, None, 1.0)], 1, "uscf")
    second = history(other, replace(other, date="2024-03-01")).tables()
    parts = [Parsed({name: first[name] for name in ("events", "entries", "games")})]
    for event, section in (("e1", "B"), ("e2", "main")):
        of = {name: second[name][second[name]["event"] == event] for name in ("entries", "games")}
        of = {name: table.assign(section=section) for name, table in of.items()}
        events = second["events"]
        parts.append(Parsed(of if event == "e1" else of | {"events": events[events["event"] == event]}))
    table = replay(assemble(parts), Uscf(bonus="none", k=0.001)).changes
    mine = table[table["player"] == low.name]
    assert mine["section"].tolist() == ["main", "B", "main"]
    assert mine["after"].tolist() == [111, 115, 120]


@pytest.mark.parametrize(
    ("peak", "floor"),
    [(1399, None), (1400, 1200), (1599, 1300), (1600, 1400), (2299, 2000), (2300, 2100), (2700, 2100)],
)
def test_the_peak_floor(peak: float, floor: float | None) -> None:
    low = history(against(Member("Umbrick, Tolly", 1000.0), [(1000, 0), (1100, 0)]))
    rows = [(peak, "2023-12-31"), (900.0, "2023-12-30"), (2900.0, "2024-06-01")]  # the last is of after the event
    lists = pd.DataFrame(
        [
            {"player": "Umbrick, Tolly", "list_date": pd.Timestamp(day), "rating": r, "kind": "national"}
            for r, day in rows
        ]
    )
    of = replace(low, rating_lists=conform("rating_lists", lists))
    unbounded = rate(of, Uscf()).changes.loc[0, "after"]
    found = rate(of, Uscf(peak_list="national")).changes.loc[0]
    assert found["after"] == (unbounded if floor is None else floor)
    assert found["floor"] == pytest.approx(0 if floor is None else floor - unbounded)
    provisional = replace(of, entries=of.entries.assign(lifetime_games=25))
    assert rate(provisional, Uscf(peak_list="national")).changes.loc[0, "floor"] == 0
    just = replace(of, entries=of.entries.assign(lifetime_games=26))
    assert (rate(just, Uscf(peak_list="national")).changes.loc[0, "floor"] > 0) == (floor is not None)
    assert rate(of, Evanston(peak_list="national")).changes.loc[0, "floor"] == 0


def test_floors_come_after_the_last_sweep() -> None:
    """The opponent's strength in the second sweep is below the opponent's floor."""
    of = history(against(Member("Umbrick, Tolly", 1500.0), [(1500, 1)]))
    lists = [{"player": "Opponent 0", "list_date": pd.Timestamp("2023-01-01"), "rating": 1700.0, "kind": "own"}]
    of = replace(of, rating_lists=conform("rating_lists", pd.DataFrame(lists)))
    with_floor, without = (rate(of, Uscf(peak_list=kind)).changes.set_index("player") for kind in ("own", ""))
    assert with_floor.loc["Opponent 0", "after"] == 1500 > without.loc["Opponent 0", "after"]
    assert with_floor.loc["Umbrick, Tolly", "after"] == without.loc["Umbrick, Tolly", "after"]


def test_the_filed_rating_and_later_ones_are_a_peak() -> None:
    strong = Member("Umbrick, Tolly", 1590.0, None, 40)
    won = against(strong, [(1700, 1), (1710, 1), (1720, 1)])
    lost = replace(against(strong, [(900 + i, 0) for i in range(9)]), date="2024-02-01")
    changes = replay(history(won, *[replace(lost, date=f"2024-0{m}-01") for m in range(2, 9)]), Uscf()).changes
    mine = changes[changes["player"] == strong.name].reset_index(drop=True)
    assert mine.loc[0, "peak_before"] == 1590
    assert mine.loc[1, "peak_before"] == mine.loc[0, "after"] > 1700
    assert mine["after"].iloc[-1] == 1500
    # the same of a newcomer whose rating never was established has no such floor
    young = replace(strong, rating=1590.0, lifetime=3)
    changes = replay(history(against(young, [(900, 0), (905, 0)])), Uscf()).changes.set_index("player")
    assert np.isnan(changes.loc[young.name, "peak_after"])


def newcomer(**entry: object) -> History:
    of = history(against(Member("Umbrick, Tolly"), [(1000, 1), (1100, 0), (900, 0.5)]))
    table = of.entries.copy()
    for column, value in entry.items():
        table[column] = table[column].astype(object).where(table["player"] != "Umbrick, Tolly", value)
    return replace(of, entries=conform("entries", table))


@pytest.mark.parametrize(
    ("born", "initial"),
    [("2016-01-02", 350), ("2016-01-01", 400), ("2023-06-01", 100), ("1998-01-02", 1250), ("1997-12-31", 1300),
     ("1970-01-01", 1300), (None, 750)],
)  # fmt: skip
def test_a_newcomer_starts_by_age(born: str | None, initial: float) -> None:
    of = newcomer(birth_date=None if born is None else pd.Timestamp(born))  # the event is of 2024-01-01
    assert rate(of, Uscf()).changes.loc[0, "before"] == initial


@pytest.mark.parametrize(("grade", "initial"), [("K", 0), ("1", 100), ("8", 800), (None, 400)])
def test_a_newcomer_starts_by_grade(grade: str | None, initial: float) -> None:
    of = newcomer(grade=grade)
    assert rate(of, Evanston()).changes.loc[0, "before"] == initial
    assert rate(of, Uscf(initial="grade", unknown_initial=400)).changes.loc[0, "before"] == initial
    assert rate(of, Evanston(initial=-50)).changes.loc[0, "before"] == -50


def test_a_newcomer_starts_from_a_list() -> None:
    of = newcomer(birth_date=pd.Timestamp("2014-01-01"))
    lists = [
        {"player": "Umbrick, Tolly", "list_date": pd.Timestamp(day), "rating": rating, "kind": "local"}
        for day, rating in (("2022-01-01", 900.0), ("2023-01-01", 870.0), ("2024-02-01", 1200.0))
    ]
    listed = replace(of, rating_lists=conform("rating_lists", pd.DataFrame(lists)))
    assert rate(listed, Uscf(initial="list", initial_list="local")).changes.loc[0, "before"] == 870
    assert rate(listed, Uscf(initial="list", initial_list="national")).changes.loc[0, "before"] == 500
    assert rate(of, Uscf(initial="list", initial_list="local")).changes.loc[0, "before"] == 500
    told = Uscf(initial="list", initial_list="national", peak_list="own").notices(schedule(listed))
    assert len(told) == 2
    assert "no rating list of the kind own (peak_list); the kinds are: local" in told[0]


def test_a_newcomer_counts_from_nothing() -> None:
    """Unrated is unrated, whatever number of games is filed; after nine games the standard formula holds."""
    changes = rate(newcomer(lifetime_games=40), Uscf()).changes.loc[0]
    assert (changes["lifetime_games_before"], changes["lifetime_games_after"]) == (0, 3)
    nine = [(1000 + i, float(i % 2)) for i in range(9)]
    young = Member("Umbrick, Tolly")
    events = [against(young, nine, "2024-01-01"), against(young, [(2400, 0)], "2024-02-01")]
    changes = replay(history(*events), Uscf()).changes.set_index(["event", "player"])
    row = changes.loc[("e2", "Umbrick, Tolly")]
    assert row["lifetime_games_before"] == 9
    assert row["record_before"] == 0
    assert row["after"] < row["before"]  # by the special formula a loss to 2400 would change nothing


@pytest.mark.parametrize("won", [1.0, 0.0])
def test_only_wins_or_only_losses_so_far_are_rated_by_the_special_formula(won: float) -> None:
    """Nine games all won stand as wins over 400 less, all lost as losses to 400 more, beyond the first eight games."""
    member = Member("Umbrick, Tolly")
    # what ends the record: two games the other way, against players of about the strength that counts then
    one, two = (
        against(member, [(1000 + i, won) for i in range(9)]),
        against(member, [(1390, 1 - won), (1010, 1 - won)]),
    )
    two = replace(two, date="2024-02-01")
    changes = replay(history(one, two), Uscf()).changes.set_index(["event", "player"])
    row = changes.loc[("e2", member.name)]
    assert (row["lifetime_games_before"], row["record_before"], row["record_after"]) == (9, 1 if won else -1, 0)
    players: dict[str, oracle.Player] = {}
    for section in (one, two):
        filed = {m.name: oracle.filed(m.rating, m.lifetime, 750.0) for (m,) in section.units}
        players = filed | players
        players, _ = oracle.event(section, players)
    assert row["after"] == pytest.approx(players[member.name].rating, abs=1e-8)


def test_the_special_formula_gives_at_most_2700() -> None:
    of = history(against(Member("Umbrick, Tolly"), [(2690, 1), (2650, 1)]))
    changes, steps = worked(Uscf(), of)
    assert changes.loc["Umbrick, Tolly", "after"] == 2700
    assert step(steps, "special limit", "points")[0] < 0


@pytest.mark.parametrize(
    ("rating", "share"), [(2199, 1), (2200, 1), (2300, 0.75), (2499, 0.2525), (2500, 0.25), (2650, 0.25)]
)
def test_dual_rated_events_have_a_lower_k_above_2200(rating: float, share: float) -> None:
    of = history(against(Member("Umbrick, Tolly", float(rating)), [(2300, 1)]))
    dual = replace(of, events=of.events.assign(pool="Dual: regular and quick"))
    plain = step(worked(Uscf(), of)[1], "", "K")[0]
    assert step(worked(Uscf(), dual)[1], "", "K")[0] == pytest.approx(share * plain)
    assert step(worked(Uscf(dual="all"), of)[1], "", "K")[0] == pytest.approx(share * plain)
    assert step(worked(Uscf(dual="none"), dual)[1], "", "K")[0] == plain
    assert step(worked(Evanston(), dual)[1], "", "K")[0] == plain
    other = replace(of, events=of.events.assign(pool="Individual"))  # ends in those letters
    assert step(worked(Uscf(), other)[1], "", "K")[0] == plain


def test_the_rules_before_2001() -> None:
    """K 32, 24 and 16 by rating; up to 20 games (N·R + ΣR_i + 400(W - L))/(N + m). By the event's last day."""
    for rating, k in ((2099, 32), (2100, 24), (2399, 24), (2400, 16)):
        section = against(Member("Umbrick, Tolly", float(rating)), [(rating, 1)], "2000-12-31")
        changes = rate(history(section), Uscf()).changes.set_index("player")
        assert changes.loc["Umbrick, Tolly", "after"] == rating + k / 2
    section = against(Member("Umbrick, Tolly", 1200.0, None, 19), [(1300, 1), (1400, 0), (1000, 0.5)], "2000-12-31")
    old = rate(history(section), Uscf()).changes.loc[0]
    assert old["after"] == pytest.approx((19 * 1200 + 3700) / 22)
    assert np.isnan(old["expected"])
    assert rate(history(section), Uscf(rules="current")).changes.loc[0, "after"] != old["after"]
    new = replace(section, date="2001-01-01")
    assert rate(history(new), Uscf()).changes.loc[0, "after"] != old["after"]
    assert rate(history(new), Uscf(rules="before-2001")).changes.loc[0, "after"] == old["after"]
    # sections of both times, rated in one batch, are rated as each alone
    both = [replace(section, date="2000-06-01"), replace(section, date="2016-06-01")]
    together = rate(history(*both), Uscf()).changes.groupby("event")["after"].first()
    assert together.tolist() == [rate(history(one), Uscf()).changes.loc[0, "after"] for one in both]


def test_notices() -> None:
    games = [(1000, 1), (1100, 0)]
    dates = ("2000-03-01", "2009-05-01", "2014-12-31", "2016-01-01")
    of = schedule(history(*(against(Member("Umbrick, Tolly", 1000.0), games, date) for date in dates)))
    assert Uscf().notices(of) == [
        "uscf: the rules before 2001 rate 1 sections",
        "uscf: 2 sections before 2015-01-01: the bonus threshold B of that time is not known; 12 is taken",
    ]
    assert Uscf(bonus=12, rules="current").notices(of) == []
    assert len(Evanston().notices(of)) == 1


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"bonus": "twelve"}, "bonus must be dated, none or points; found twelve"),
        ({"initial": "height"}, "initial must be age, grade, list or points"),
        ({"k": "fast"}, "k must be effective or points"),
        ({"dual": "some"}, "dual must be filed, all, none; found some"),
        ({"rules": "old"}, "rules must be dated, current, before-2001; found old"),
        ({"bonus": 0.0}, "bonus must be above 0"),
        ({"k": -1.0}, "k must be above 0"),
        ({"established_games": -1.0}, "established_games must be 0 or more"),
        ({"floors": 1}, "floors is one switch"),
    ],
)
def test_what_no_rating_can_be_made_with(wrong: dict[str, object], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Uscf(**wrong)
