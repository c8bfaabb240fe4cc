"""The comparators, NSSC's first round, the options of cnsc, the names of systems, and the exact matching under them."""

from __future__ import annotations

import dataclasses
import itertools
import sys
from collections import Counter

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2
from tournaments import check_legal, come_to, drawn_field, fewest, field, pairs, play, play_out, seeded, standing

from ratinglab.pairing import (
    PAIRINGS,
    PRESETS,
    Cnsc,
    Evanston,
    KingOfTheHill,
    Matching,
    Nssc,
    Random,
    Round,
    RoundRobin,
    Standing,
    Swiss,
    matching,
    parse,
    parse_several,
)
from ratinglab.pairing.base import FLOAT, HALVES, REPEAT, TEAM_MATE
from ratinglab.pairing.cnsc import clinched
from ratinglab.pairing.matching import in_order, least_cost, least_in_order
from ratinglab.pairing.round_robin import scheduled
from ratinglab.problems import UsageError
from ratinglab.seeding import drawing


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


# --- names --------------------------------------------------------------------------------------------------------


def test_systems_by_name() -> None:
    assert list(PAIRINGS) == [
        "cnsc", "evanston", "nssc", "random", "swiss", "king-of-the-hill", "round-robin", "matching", "dutch",
    ]  # fmt: skip
    assert parse("cnsc:both_ends=1,strength=spread") == Cnsc(both_ends=True, strength="spread")
    assert parse("cnsc:most=50,tow_late=.5") == Cnsc(most=50, tow_late=0.5)
    assert parse("cnsc:repeats=2:0;9:1").limit(3, 9) == 1
    assert parse_several("swiss:pairs=adjacent,firsts=balanced,cnsc-boys,random") == [
        Swiss(pairs="adjacent", firsts="balanced"),
        Cnsc.boys(),
        Random(),
    ]


def test_presets_are_the_variants_of_the_page() -> None:
    assert list(PRESETS) == ["cnsc-wapnick", "cnsc-boys"]
    assert parse("cnsc-wapnick") == Cnsc.wapnick()
    assert parse("cnsc-wapnick:apart=never").limit(18, 18) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("elo", "the pairing systems are: cnsc, evanston, nssc, random, swiss"),
        ("swiss:halves=1", "its options are: repeats, teams_apart, firsts, most, pairs"),
        ("swiss:pairs=both", "pairs must be one of halves, adjacent; found both"),
        ("swiss:most=0", "most is 1 or more; found 0"),
        ("swiss:most=1.5", "most is a whole number; found 1.5"),
        ("cnsc:both_ends=maybe", "both_ends is on or off; found maybe"),
        ("cnsc:tow_late=much", "tow_late is a number; found much"),
        ("cnsc:repeats=never", "repeats is written as 14:0;16:1;18:2; found never"),
        ("cnsc:both_ends", "expected key=value; found both_ends"),
        ("cnsc:most=1,most=2", "most is given twice: 1 and 2"),
        ("evanston:small=-1", "small is a number of players"),
        ("evanston:floater=sideways", "floater must be one of down, up; found sideways"),
        ("nssc:bye=highest", "bye must be one of lowest, apart; found highest"),
        ("matching:cost=all", "cost must be one of points, places, rating; found all"),
        ("dutch:start=red", "start must be one of drawn, white, black; found red"),
        ("random:firsts=mine", "firsts must be one of table, balanced; found mine"),
    ],
)
def test_what_is_wrong_is_said(text: str, told: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse(text)
    assert told in str(raised.value)


def test_dutch_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py4swiss.engines", None)
    with pytest.raises(UsageError, match="dutch needs the package py4swiss"):
        parse("dutch").pair(Standing.start(seeded(4), 3), rng())


# --- random -------------------------------------------------------------------------------------------------------


def test_random_pairs_are_all_equally_likely_whatever_was_played() -> None:
    """6 players have 15 pairings; with earlier meetings ignored round 2 has nothing to do with round 1."""
    t = 15_000
    of = drawn_field(rng(1), t, 6)
    chance = rng(2)
    now = Standing.start(of, 5)
    first = Random(repeats="free").pair(now, chance)
    won = np.where(np.arange(6)[None, :] < first.opponent, 2, 0)
    now = now.after(first.opponent, won, 50.0 * (won - 1))
    second = Random(repeats="free").pair(now, chance)
    limit = chi2.ppf(0.999, 14)
    counted = Counter(map(tuple, second.opponent.tolist()))
    assert len(counted) == 15
    assert sum((n - t / 15) ** 2 for n in counted.values()) / (t / 15) < limit
    # whoever won, nobody is likelier to meet one opponent than another: not the same again, and not another winner
    again = (first.opponent == second.opponent).mean()
    assert abs(again - 1 / 5) < 4 * np.sqrt(0.2 * 0.8 / (3 * t))
    level = (np.take_along_axis(won, second.opponent, axis=1) == won).mean()
    assert abs(level - 2 / 5) < 4 * np.sqrt(0.4 * 0.6 / (3 * t))


def test_random_avoids_repeats_as_long_as_it_can() -> None:
    ended = play_out(Random(), drawn_field(rng(3), 50, 12), 8, rng(4))
    assert ended.met.max() == 1
    ended = play_out(Random(), drawn_field(rng(3), 20, 6), 10, rng(4))
    assert ended.met.max() <= 3


# --- by the list --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [8, 9])
def test_king_of_the_hill_is_neighbours(n: int) -> None:
    """Always the first against the second, and so on, however often they have met; the last sits out."""
    repeats = 0

    def watch(now: Standing, done: Round) -> None:
        nonlocal repeats
        check_legal(now, done)
        order = np.lexsort((-now.field.rating[0], -now.spread[0], -now.points[0])).tolist()
        if n % 2:
            fewest_byes = [i for i in order if now.byes[0, i] == now.byes[0].min()]
            order.remove(fewest_byes[-1])
        assert pairs(done) == {(min(pair), max(pair)) for pair in zip(order[::2], order[1::2], strict=True)}
        repeats += int(((done.gave_way & 1) > 0).sum())

    for seed in range(8):
        play_out(KingOfTheHill(), drawn_field(rng(seed), 1, n), 7, rng(seed), watch=watch)
    assert repeats > 0


def test_swiss_by_halves_and_by_neighbours() -> None:
    """Spreads 30 10 20 5 for the winners: halves 1 4 against 3 2 … in the order of spread."""
    now = standing(seeded(8), 5, [(0, 4, 30), (1, 5, 10), (2, 6, 20), (3, 7, 5)])
    # winners 0 (+30) 2 (+20) 1 (+10) 3 (+5), losers 7 (-5) 5 (-10) 6 (-20) 4 (-30)
    assert pairs(Swiss().pair(now, rng())) == {(0, 1), (2, 3), (6, 7), (4, 5)}
    assert pairs(Swiss(pairs="adjacent").pair(now, rng())) == {(0, 2), (1, 3), (5, 7), (4, 6)}
    met = play(now, (0, 2, 1), (1, 3, 1), (7, 5, 1), (6, 4, 1))
    # 0 (2 wins) and 1 (2) have not met; 2 and 3 (1) neither; 7 (1) and 6 (1); 5 and 4 (0)
    assert pairs(Swiss(pairs="adjacent").pair(met, rng())) == {(0, 1), (2, 3), (6, 7), (4, 5)}


def test_balanced_firsts() -> None:
    """Whoever went first less often goes first; only where two are level does chance decide, either way."""

    def watch(now: Standing, done: Round) -> None:
        check_legal(now, done)
        other = np.maximum(done.opponent, 0)
        theirs = np.take_along_axis(now.first_less_second, other, axis=1)
        less = (now.first_less_second < theirs) & (done.opponent >= 0)
        assert (done.first[less] == 1).all()

    ended = play_out(Swiss(firsts="balanced"), drawn_field(rng(5), 30, 12), 7, rng(6), watch=watch)
    assert np.abs(ended.first_less_second).max() <= 3
    start = Standing.start(seeded(2), 3)
    assert {int(Swiss(firsts="balanced").pair(start, rng(seed)).first[0, 0]) for seed in range(9)} == {1, -1}


@pytest.mark.parametrize("cost", ["points", "places", "rating"])
def test_matching_is_the_least_of_its_stated_cost(cost: str) -> None:
    def watch(now: Standing, done: Round) -> None:
        check_legal(now, done)
        place = np.empty(10, dtype=int)
        place[np.lexsort((-now.field.lot[0], -now.field.rating[0], -now.spread[0], -now.points[0]))] = range(10)
        seed = np.empty(10, dtype=int)
        seed[np.lexsort((-now.field.lot[0], -now.field.rating[0]))] = range(10)
        gap = np.subtract.outer(place, place)
        stated = {
            "points": [np.subtract.outer(now.points[0], now.points[0]) ** 2, np.abs(gap)],
            "places": [gap**2],
            "rating": [np.subtract.outer(seed, seed) ** 2],
        }
        costs = [(now.met[0] > 0).astype(int), now.met[0], *stated[cost]]
        assert come_to(done, 0, *costs) == fewest(now, 0, *costs)

    for seed in range(4):
        play_out(Matching(cost=cost), drawn_field(rng(seed), 1, 10), 11, rng(seed), watch=watch)


# --- round robin --------------------------------------------------------------------------------------------------


def test_the_tables_named_for_berger() -> None:
    """The table for 6 of the FIDE Handbook, C.05, annex 1: White first; the players' colours are those of the table."""
    table = [
        [(1, 6), (2, 5), (3, 4)],
        [(6, 4), (5, 3), (1, 2)],
        [(2, 6), (3, 1), (4, 5)],
        [(6, 5), (1, 4), (2, 3)],
        [(3, 6), (4, 2), (5, 1)],
    ]
    now = Standing.start(seeded(6), 5)
    for expected in table:
        done = RoundRobin().pair(now, rng())
        white = [(i + 1, int(done.opponent[0, i]) + 1) for i in range(6) if done.first[0, i] > 0]
        assert sorted(white) == sorted(expected)
        now = play(now, *((a - 1, b - 1, 1.0) for a, b in expected), colours=True)


@pytest.mark.parametrize("n", range(2, 13))
def test_everybody_meets_everybody_and_firsts_balance(n: int) -> None:
    cycle = n - 1 + n % 2
    once = play_out(RoundRobin(), drawn_field(rng(n), 2, n), cycle, rng())
    others = 1 - np.eye(n, dtype=int)
    assert (once.met == others).all()
    assert (once.byes == n % 2).all()
    assert np.abs(once.first_less_second).max() == 1 - n % 2
    twice = play_out(RoundRobin(), drawn_field(rng(n), 2, n), 2 * cycle, rng())
    assert (twice.met == 2 * others).all()
    assert not twice.first_less_second.any()


def test_a_round_robin_with_an_absentee_goes_on_by_the_table() -> None:
    """Number 6 of 6 misses round 2: his opponent, 4, sits out, and the others play as they would."""
    now = play(Standing.start(seeded(6), 5), (0, 5, 1), (1, 4, 1), (2, 3, 1), here=[True] * 5 + [False])
    done = RoundRobin().pair(now, rng())
    assert pairs(done) == {(0, 1), (2, 4)}
    assert scheduled(6, 2).tolist() == [1, 0, 4, 5, 2, 3]


# --- nssc -----------------------------------------------------------------------------------------------------------


def test_the_first_round_is_that_of_the_seeding() -> None:
    """The same pairs as `first_round`, and what gave way in the same places."""
    chance = rng(12)
    for _ in range(150):
        n = int(chance.integers(1, 14))
        bye = str(chance.choice(["lowest", "apart"]))
        schools = chance.integers(-1, 4, n)
        table = pd.DataFrame(
            {
                "name": [str(i) for i in range(n)],
                "school": [None if s < 0 else f"School {s}" for s in schools],
                "rating": np.arange(2000.0, 2000.0 - n, -1),
            }
        )
        draw = drawing.first_round(table, Nssc(bye=bye)).draw
        done = Nssc(bye=bye).pair(Standing.start(seeded(n, teams=schools), 5), rng())
        drawn = draw.dropna(subset="opponent")
        assert pairs(done) == {(int(a), int(b)) for a, b in zip(drawn["player"], drawn["opponent"], strict=True)}
        for row in drawn.itertuples():
            bits = int(done.gave_way[0, int(row.player)])
            assert ("corresponding halves" in row.gave_way) == bool(bits & HALVES)
            assert ("same school" in row.gave_way) == bool(bits & TEAM_MATE)


def test_an_odd_field_whose_lowest_seed_could_keep_schools_apart() -> None:
    """School 0 has seeds 1 to 3 of 5: with 5 away it must play itself; with 3 away it need not."""
    of = seeded(5, teams=[0, 0, 0, -1, -1])
    lowest = Nssc().pair(Standing.start(of, 5), rng())
    assert lowest.opponent[0, 4] == -1
    assert ((lowest.gave_way[0] & TEAM_MATE) > 0).sum() == 2
    apart = Nssc(bye="apart").pair(Standing.start(of, 5), rng())
    assert pairs(apart) == {(0, 3), (1, 4)}
    assert not apart.gave_way.any()
    schools = ["x", "x", "x", None, None]
    table = pd.DataFrame({"name": list("abcde"), "school": schools, "rating": [5.0, 4.0, 3.0, 2.0, 1.0]})
    assert drawing.first_round(table, Nssc(bye="apart")).draw.iloc[-1]["player"] == "c"


def test_same_school_games_are_the_forced_minimum_with_the_least_displacement() -> None:
    """Against all assignments of the lower half to the upper."""
    chance = rng(13)
    for _ in range(60):
        half = int(chance.integers(1, 6))
        schools = chance.choice([0, 1, 2], 2 * half, p=[0.6, 0.2, 0.2])
        done = Nssc().pair(Standing.start(seeded(2 * half, teams=schools), 5), rng())
        own = pairs(done)
        forced = max(0, int(np.bincount(schools).max()) - half)
        assert sum(schools[a] == schools[b] for a, b in own) == forced
        best = min(
            sum(abs(place - other) for place, other in enumerate(order))
            for order in itertools.permutations(range(half))
            if sum(schools[p] == schools[half + o] for p, o in enumerate(order)) == forced
        )
        assert sum(abs(b - a - half) for a, b in own) == best == done.away[0].sum() // 2


def test_later_rounds_of_nssc() -> None:
    """By wins and spread, but for the two winners, who are of one school."""
    now = standing(seeded(4, teams=[0, 0, 1, 1]), 5, [(0, 2, 1), (1, 3, 1)])
    assert pairs(Nssc().pair(now, rng())) == {(0, 3), (1, 2)}
    others = standing(seeded(4), 5, [(0, 2, 1), (1, 3, 1)])
    assert pairs(Nssc().pair(others, rng())) == {(0, 1), (2, 3)}
    with pytest.raises(UsageError, match="nssc pairs the first round only; round 2 was asked for"):
        Nssc(later="none").pair(now, rng())


# --- options of cnsc ------------------------------------------------------------------------------------------------


def test_teams_are_apart_only_where_asked() -> None:
    now = standing(seeded(4, teams=[0, 0, -1, -1]), 18, [(0, 2, 5), (1, 3, 4)])
    assert pairs(Cnsc().pair(now, rng())) == {(0, 1), (2, 3)}
    assert not Cnsc().pair(now, rng()).gave_way.any()
    assert pairs(Cnsc(teams_apart=True).pair(now, rng())) == {(0, 3), (1, 2)}
    straight = Cnsc(teams_apart=True, first_game="straight")
    start = Standing.start(seeded(4, teams=[0, -1, 0, -1]), 18)
    assert pairs(straight.pair(start, rng())) == {(0, 3), (1, 2)}


def test_first_and_second_are_kept_apart_in_the_last_game() -> None:
    """After 2 of 3 games 1 and 2 have two wins each: nothing is clinched, so that Boys' condition holds."""
    first = [(0, 4, 30), (1, 5, 20), (2, 6, 10), (3, 7, 5)]
    now = standing(seeded(8), 3, first, [(0, 2, 30), (1, 3, 20), (4, 6, 10), (5, 7, 5)])
    assert (0, 1) in pairs(Cnsc().pair(now, rng()))
    for apart in (Cnsc.boys(), Cnsc.wapnick()):
        assert (0, 1) not in pairs(apart.pair(now, rng()))


def test_boys_lets_them_meet_when_first_is_clinched() -> None:
    """Before the last of 3 games number 1 has 2 wins and +800, the next 1 win and 0.

    Without a limit to spreads the next may still come first; where a game is worth 300 at the most he cannot make good
    800 in one game each.
    """
    now = play(play(Standing.start(seeded(4), 3), (0, 1, 400), (2, 3, 0)), (0, 2, 400), (1, 3, 0))
    assert (now.points[0] / 2).tolist() == [2, 0.5, 0.5, 1]
    assert not clinched(now)[0, 0]
    assert clinched(now, spread_limit=300)[0, 0]
    # the first of the standing and the second, number 4, may meet as to earlier meetings
    open_yet = Cnsc(apart="unless-clinched", clinched=False, repeats="3:3")
    assert pairs(open_yet.pair(now, rng())) != {(0, 3), (1, 2)}
    assert pairs(Cnsc.boys(clinched=False, repeats="3:3", spread_limit=300).pair(now, rng())) == {(0, 3), (1, 2)}


def test_who_has_clinched_a_place_goes_to_the_bottom() -> None:
    """Wins 3 2 2 1 1 0 before the last of 4 games, all won by 9: a win apart, so that spread may decide.

    Where a game is worth 2 points at the most, number 1 (27 before 9) and number 6 (-27 behind -9) are settled.
    """
    now = Standing.start(seeded(6), 4)
    now = play(now, (0, 1, 9), (2, 3, 9), (4, 5, 9))
    now = play(now, (0, 2, 9), (1, 4, 9), (3, 5, 9))
    now = play(now, (0, 3, 9), (1, 5, 9), (2, 4, 9))
    assert (now.points[0] / 2).tolist() == [3, 2, 2, 1, 1, 0]
    assert not clinched(now).any()
    assert clinched(now, spread_limit=2)[0].tolist() == [True, False, False, False, False, True]
    assert Cnsc().listed(now)[0, [0, -1]].tolist() == [0, 5]
    assert Cnsc(spread_limit=2).listed(now)[0, -2:].tolist() == [0, 5]


def bands_of(n: int) -> list[tuple[range, range]]:
    """The seeds of an even field that meet in game 1, from 0: of 10 players 0 1 2 meet 5 6 7, and 3 4 meet 8 9."""
    half = n // 2
    first = (half + 1) // 2
    return [(range(first), range(half, half + first)), (range(first, half), range(half + first, n))]


def outside_of(n: int) -> np.ndarray:
    """How many places outside the bands each pair of seeds is, for both together, (n, n)."""
    table = np.zeros((n, n), dtype=int)
    for i in range(n):
        mine = next(other for band, other in [*bands_of(n), *((b, a) for a, b in bands_of(n))] if i in band)
        for j in range(n):
            table[i, j] = min(abs(j - k) for k in mine)
    return table + table.T


@pytest.mark.parametrize("n", [10, 11, 20])
def test_lots_of_game_1_that_hit_a_forbidden_pair_are_drawn_anew_and_no_others(n: int) -> None:
    """Bands are kept if they can be, of the other pairs as many as can be: networkx counts both."""
    chance = rng(23)
    anew_in_all = 0
    for seed in range(40):
        forbidden = np.argwhere(np.triu(chance.random((n, n)) < 0.25, 1)).tolist()
        free = Cnsc().pair(Standing.start(seeded(n), 5), rng(seed))
        now = Standing.start(seeded(n, forbidden=forbidden), 5)
        done = Cnsc().pair(now, rng(seed))
        check_legal(now, done)
        if now.field.barred[0, np.arange(n), free.opponent[0]][free.opponent[0] >= 0].any():
            m = n - n % 2
            outside = np.zeros((n, n), dtype=int)
            outside[:m, :m] = outside_of(m)
            anew = np.ones((n, n), dtype=int)
            for a, b in pairs(free):
                anew[a, b] = anew[b, a] = 0
            if done.opponent[0, -1] < 0 or n % 2 == 0:  # the lowest seed sits out
                within = dataclasses.replace(now, here=now.here & (np.arange(n) < m))
                assert come_to(done, 0, outside, anew) == fewest(within, 0, outside, anew)
                anew_in_all += come_to(done, 0, anew)[0]
            far = [i for pair in pairs(done) for i in pair if outside[pair] > 0]
            assert np.flatnonzero(done.gave_way[0] & HALVES).tolist() == sorted(far)
            assert not done.fallback[0]
        else:
            assert np.array_equal(done.opponent, free.opponent)
    assert anew_in_all > 20


def test_game_1_says_where_bands_were_left() -> None:
    """Of 4 the bands are 1 against 3 and 2 against 4; where 1 and 3 must not meet, both pairs leave them by a place."""
    now = Standing.start(seeded(4, forbidden=[(0, 2)]), 3)
    made = Cnsc().pair(now, rng())
    assert pairs(made) == {(0, 3), (1, 2)}
    assert made.away[0].tolist() == [1, 1, 1, 1]
    names = ["Ansa", "Bole", "Cira", "Dov"]
    assert Cnsc().why(now, made, (0, 3), names) == ["seeds 1 and 4: their bands left no game that may be"]
    as_they_are = Cnsc().pair(Standing.start(seeded(4), 3), rng())
    assert "corresponding" in Cnsc().why(now, as_they_are, (0, 2), names)[0]


def test_game_1_drawn_anew_is_drawn_by_chance() -> None:
    """Seed 1 of 20 must not meet 11, 12 or 13: it is 14 or 15, both of them about as often."""
    now = Standing.start(seeded(20, forbidden=[(0, 10), (0, 11), (0, 12)]), 5)
    met = Counter(int(Cnsc().pair(now, rng(seed)).opponent[0, 0]) for seed in range(300))
    assert set(met) == {13, 14}
    assert abs(met[13] - 150) < 4 * np.sqrt(75)


def test_nobody_floats_twice_running_the_same_way_where_that_can_be() -> None:
    """Networkx says in how many pairs it cannot; in so many, and no more, somebody does."""
    pairing = Cnsc(floats=True)
    direction: list[np.ndarray] = []
    avoided = unavoidable = 0

    def watch(now: Standing, done: Round) -> None:
        nonlocal avoided, unavoidable
        check_legal(now, done)
        theirs = np.take_along_axis(now.points, np.maximum(done.opponent, 0), axis=1)
        moved = np.where(done.opponent < 0, 0, np.sign(theirs - now.points))
        if direction:
            last = direction[-1]
            for t in range(len(moved)):
                points = now.points[t]
                toward = np.sign(points[None, :] - points[:, None])
                again = (toward != 0) & ((toward == last[t][:, None]) | (-toward == last[t][None, :]))
                beyond = now.met[t] > pairing.limit(now.round, now.rounds)
                costs = (beyond.astype(int), now.met[t] * beyond, again.astype(int))
                least = fewest(now, t, *costs)
                assert come_to(done, t, *costs) == least
                assert ((moved[t] == last[t]) & (moved[t] != 0)).any() == (least[2] > 0)
                unavoidable += least[2] > 0
                avoided += least[2] == 0
        direction.append(moved)

    play_out(pairing, drawn_field(rng(20), 4, 16), 8, rng(21), watch=watch)
    assert avoided > 8
    assert unavoidable > 4


# --- the exact matching -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [10, 50, 100])
def test_least_cost_is_networkx_s(bits: int) -> None:
    """Also where the costs are more than 64 bits hold."""
    chance = rng(30)
    for _ in range(20):
        n = 2 * int(chance.integers(1, 8))
        cost = np.array(
            [[int(chance.integers(0, 1 << 10)) << (bits - 10) for _ in range(n)] for _ in range(n)], dtype=object
        )
        cost = cost + cost.T + chance.integers(0, 50, (n, n)).astype(object)
        cost = np.minimum(cost, cost.T)
        made = least_cost(cost, np.eye(n, dtype=bool))
        graph = nx.Graph()
        graph.add_weighted_edges_from((a, b, -cost[a, b]) for a in range(n) for b in range(a))
        best = nx.max_weight_matching(graph, maxcardinality=True)
        assert sum(cost[a, b] for a, b in best) == sum(cost[a, b] for a, b in enumerate(made) if a < b)


def test_costs_in_order() -> None:
    """A whole pairing of the later costs weighs less than one of the earlier: also beyond 64 bits."""
    chance = rng(31)
    for size in (3, 1 << 20):
        costs = [np.triu(chance.integers(0, size, (6, 6)), 1) for _ in range(5)]
        one = in_order(*[cost + cost.T for cost in costs])
        assert (one.dtype == object) == (size > 3)
        sums = {}
        for order in itertools.permutations(range(6)):
            made = tuple(sorted((min(p), max(p)) for p in zip(order[::2], order[1::2], strict=True)))
            sums[made] = (
                tuple(int(sum(c[a, b] for a, b in made)) for c in costs),
                sum(int(one[a, b]) for a, b in made),
            )
        by_levels, by_one = sorted(sums, key=lambda m: sums[m][0]), sorted(sums, key=lambda m: sums[m][1])
        assert [sums[m][0] for m in by_levels] == [sums[m][0] for m in by_one]
    with pytest.raises(OverflowError, match="bits"):
        in_order(*[np.full((6, 6), 1 << 40)] * 4)


def test_costs_that_do_not_fit_are_weighed_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes to nothing is barred, and the next costs have room: the same as all at once."""
    chance = rng(32)
    in_steps = 0
    for _ in range(40):
        n = 8
        few = [np.triu(chance.random((n, n)) < 0.2, 1).astype(int) for _ in range(3)]
        many = [np.triu(chance.integers(0, 6, (n, n)), 1) for _ in range(2)]
        costs = [cost + cost.T for cost in (*few, *many)]
        once = least_in_order(costs, np.eye(n, dtype=bool))
        sums = [int(cost[range(n), once].sum()) for cost in costs]
        monkeypatch.setattr(matching, "_MOST_BITS", 11)
        steps = least_in_order(costs, np.eye(n, dtype=bool))
        monkeypatch.undo()
        if not any(sums[:3]):
            in_steps += 1
            assert [int(cost[range(n), steps].sum()) for cost in costs] == sums
    assert in_steps > 10


def test_a_section_of_three_hundred() -> None:
    """More than 120 bits of costs after some rounds; nobody twice, no team-mates, nobody more than a point away."""
    of = drawn_field(rng(33), 1, 301, teams=8)

    def watch(now: Standing, done: Round) -> None:
        check_legal(now, done)
        assert not (done.gave_way & (REPEAT | TEAM_MATE | FLOAT)).any()

    play_out(Evanston(), of, 6, rng(34), watch=watch)


def test_ratings_on_earlier_lists_break_ties() -> None:
    """ "going back month by month if necessary": two level now are ranked by the last list on which they differ."""
    of = field([1500, 1500, 1500, 1500])
    of = type(of)(of.rating, of.lot, earlier=np.array([[[9, 1], [9, 2], [9, 4], [8, 5.0]]]))
    assert of.seed[0].tolist() == [2, 1, 0, 3]
