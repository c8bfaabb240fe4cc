"""Evanston's pairing: a section of 9 with two schools worked by hand from the page, and each rule by itself."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from tournaments import (
    check_legal,
    come_to,
    drawn_field,
    fewest,
    field,
    pairs,
    play,
    play_out,
    seeded,
    standing,
)

from ratinglab.pairing import NOBODY, Evanston, Field, Round, Standing, told
from ratinglab.pairing.base import ALTERNATION, COLOUR, FLOAT, HALVES, TEAM_MATE

WHITE = Evanston(start="white")


def made(now: Standing, pairing: Evanston = WHITE) -> Round:
    done = pairing.pair(now, np.random.default_rng(0))
    check_legal(now, done)
    return done


def boards(done: Round) -> set[tuple[int, int]]:
    """White against Black, by numbers from 1."""
    first = done.first[0].tolist()
    return {(i + 1, int(j) + 1) for i, j in enumerate(done.opponent[0]) if first[i] > 0}


def waits(done: Round, now: Standing) -> list[int]:
    return (np.flatnonzero(now.here[0] & (done.opponent[0] == NOBODY)) + 1).tolist()


# --- nine players, worked by hand ---------------------------------------------------------------------------------
# Numbers 1 to 9 in the order of their ratings; 1, 5 and 8 are of one school, 2 and 7 of another. Number 1 begins with
# White.
NINE = field([980, 940, 900, 850, 820, 790, 760, 720, 700], teams=[0, 1, -1, -1, 0, -1, 1, 0, -1])


def number(*games: tuple[int, int, int]) -> list[tuple[int, int, float]]:
    """Games by numbers from 1: White, Black, and 1, 0 or -1 for White."""
    return [(a - 1, b - 1, float(by)) for a, b, by in games]


ROUND_1 = number((1, 6, 1), (5, 2, 0), (3, 7, -1), (8, 4, -1))
ROUND_2 = number((7, 1, -1), (4, 9, 1), (2, 3, -1), (6, 5, -1))


def test_round_1() -> None:
    """The field is odd: the lowest-rated, 9, waits. 1-5, 2-6, 3-7, 4-8; but 1 and 5 are of one school.

    The least that separates them is that 5 and 6 change places. Of the upper half 1 and 3 have White, 2 and 4 Black.
    """
    now = Standing.start(NINE, 4)
    done = made(now)
    assert waits(done, now) == [9]
    assert boards(done) == {(1, 6), (5, 2), (3, 7), (8, 4)}
    assert done.gave_way[0].tolist() == [HALVES, HALVES, 0, 0, HALVES, HALVES, 0, 0, 0]


def test_round_2_a_group_that_cannot_be_paired() -> None:
    """1 beat 6, 2 and 5 drew, 7 beat 3, 4 beat 8, and 9 was given a point.

    One point: 1 4 7 9. Half a point: 2 5. None: 3 6 8, of whom the lowest-rated, 8, waits, and has not waited before.
    1-7 and 4-9 may meet. 2 and 5 have met: both drop, each to the highest below that he may play: 2 to 3, 5 to 6.
    Colours: 1 had White and 7 Black, so 7-1; 4 had Black and 9 no game: 4-9; 2-3 and 6-5 likewise. Nothing gave way.
    """
    now = play(Standing.start(NINE, 4), *ROUND_1, colours=True)
    assert (now.points[0] / 2).tolist() == [1, 0.5, 0, 1, 0.5, 0, 1, 0, 1]
    done = made(now)
    assert waits(done, now) == [8]
    assert boards(done) == {(7, 1), (4, 9), (2, 3), (6, 5)}
    assert not done.gave_way.any()


def test_round_3_two_float_down() -> None:
    """1 beat 7, 4 beat 9, 3 beat 2, 5 beat 6; 8 was given a point. Two points: 1 4. One and a half: 5. One: 3 7 8 9.
    Half: 2. None: 6, who waits.

    1-4. 5 moves down, to meet one of the highest there. Of the four, one moves down to 2: the lowest-rated, 9. With 5-3
    and 7-8, 3 and 7 would each have the colour of round 2 again; 5-7 and 3-8 let everybody alternate: 7 had White last,
    3 Black, 8 one White alone.
    """
    now = play(play(Standing.start(NINE, 4), *ROUND_1, colours=True), *ROUND_2, colours=True)
    assert (now.points[0] / 2).tolist() == [2, 0.5, 1, 2, 1.5, 0, 1, 1, 1]
    done = made(now)
    assert waits(done, now) == [6]
    assert boards(done) == {(1, 4), (5, 7), (3, 8), (9, 2)}
    assert not done.gave_way.any()
    # where floats come before alternation, 5 meets the highest-rated of them
    strict = made(now, Evanston(places="before-alternation"))
    assert pairs(strict) == {(0, 3), (2, 4), (6, 7), (1, 8)}
    assert [i + 1 for i in np.flatnonzero(strict.gave_way[0] & ALTERNATION)] == [3, 7]


# --- each rule by itself ----------------------------------------------------------------------------------------------


def test_the_page_s_example_of_twenty() -> None:
    """ "Seed 1 plays seed 11, seed 2 plays seed 12, etc."."""
    assert pairs(made(Standing.start(seeded(20), 5))) == {(i, i + 10) for i in range(10)}


def test_score_groups_in_halves() -> None:
    """12 players, the upper half wins all: 1-4, 2-5, 3-6 and 7-10, 8-11, 9-12, with colours that alternate."""
    now = standing(seeded(12), 5, [(i, i + 6, 1) if i % 2 == 0 else (i + 6, i, -1) for i in range(6)], colours=True)
    done = made(now)
    assert pairs(done) == {(0, 3), (1, 4), (2, 5), (6, 9), (7, 10), (8, 11)}
    assert not done.gave_way.any()


@pytest.mark.parametrize("floater", ["down", "up"])
def test_one_floats_out_of_an_odd_group(floater: str) -> None:
    """6 players, three on one point: the lowest of them meets the highest of the others."""
    now = standing(seeded(6), 5, [(0, 3, 1), (4, 1, -1), (2, 5, 1)], colours=True)
    assert now.points[0].tolist() == [2, 2, 2, 0, 0, 0]
    rested = made(now, Evanston(floater=floater, places="before-colours"))
    assert pairs(rested) == {(0, 1), (2, 3), (4, 5)}


def test_who_moves_is_found_first() -> None:
    """Three on a point, 1 2 3, and 4 5 6: 3 and 4 have met in a game that nobody counted, so one of them has to yield.

    Down: 3 moves all the same, to 5. Up: 4 moves, to 2. Number 2 and 3 have met as well, or 1-2 would do in both.
    """
    now = standing(field([6, 5, 4, 3, 2, 1], forbidden=[(2, 3)]), 5, [(0, 3, 1), (1, 4, 1), (2, 5, 1)])
    assert pairs(made(now, Evanston(floater="down", places="before-colours"))) == {(0, 1), (2, 4), (3, 5)}
    assert pairs(made(now, Evanston(floater="up", places="before-colours"))) == {(0, 2), (1, 3), (4, 5)}


def test_nobody_meets_somebody_more_than_a_point_away() -> None:
    """Scores 2 1 1 0 where 1-1 have not met: 2 against 1 and 1 against 0, not 2 against 0; in a small section too."""
    now = play(Standing.start(seeded(4), 5), bye=[0, 1])
    now = play(now, bye=[0, 2])
    assert (now.points[0] / 2).tolist() == [2, 1, 1, 0]
    for small in (0, 8):
        done = made(now, Evanston(small=small))
        assert {frozenset(now.points[0, list(pair)].tolist()) for pair in pairs(done)} == {
            frozenset((4, 2)),
            frozenset((2, 0)),
        }


@pytest.mark.parametrize(("small", "expected"), [(3, FLOAT), (4, 0)])
def test_a_float_of_more_is_told_unless_the_section_is_very_small(small: int, expected: int) -> None:
    now = play(play(Standing.start(field([4, 3, 2, 1], forbidden=[(0, 1), (0, 2)]), 5), bye=[0]), bye=[0])
    done = made(now, Evanston(small=small))
    assert pairs(done) == {(0, 3), (1, 2)}
    assert (done.gave_way[0] & FLOAT).tolist() == [expected, 0, 0, expected]


@pytest.mark.parametrize(("small", "expected"), [(5, {(0, 1), (2, 3), (4, 5)}), (6, {(0, 5), (1, 2), (3, 4)})])
def test_more_than_a_point_is_avoided_first_where_the_section_is_not_very_small(
    small: int, expected: set[tuple[int, int]]
) -> None:
    """Scores 0, 1, 1½, 2½, 2½, 1½, of which only six pairs may meet.

    Either three floats of a point, or one of 1½, one of ½ and equal scores: the second is less in all (squares of half
    points 12 and 10), but it takes somebody more than a point away.
    """
    allowed = {(0, 1), (2, 3), (4, 5), (0, 5), (1, 2), (3, 4)}
    forbidden = [pair for pair in itertools.combinations(range(6), 2) if pair not in allowed]
    start = Standing.start(seeded(6, forbidden=forbidden), 9)
    now = dataclasses.replace(start, points=np.array([[0, 2, 3, 5, 5, 3]]))
    assert pairs(made(now, Evanston(small=small))) == expected


def test_second_meetings_give_way_last() -> None:
    """Two schools of two; each has met both of the other: team-mates meet, rather than anybody twice."""
    of = seeded(4, teams=[0, 0, 1, 1])
    now = standing(of, 5, [(0, 2, 1), (1, 3, 1)], [(3, 0, -1), (2, 1, -1)], colours=True)
    done = made(now)
    assert pairs(done) == {(0, 1), (2, 3)}
    assert (done.gave_way[0] & TEAM_MATE).all()
    assert told(int(done.gave_way[0, 0] & TEAM_MATE)) == "team-mates"
    again = play(now, (0, 1, 1), (2, 3, 1), colours=True)
    done = made(again)
    assert not (done.gave_way[0] & TEAM_MATE).any()
    assert {told(int(bits & 1)) for bits in done.gave_way[0]} == {"met before"}


def test_a_float_comes_before_colours() -> None:
    """Two on a point who both had White, two on none who both had Black: equal scores meet, and colours give way."""
    now = standing(seeded(4), 5, [(0, 2, 1), (1, 3, 1)], colours=True)
    done = made(now)
    assert pairs(done) == {(0, 1), (2, 3)}
    assert ((done.gave_way[0] & COLOUR) > 0).sum() == 2
    assert done.first[0].tolist() == [-1, 1, 1, -1]  # the higher-ranked changes colours


def test_colours_choose_within_the_other_half() -> None:
    """Four on a point, by rating White White Black Black … as 1 3 had White: 1-3 would be two of White."""
    now = standing(seeded(8), 5, [(0, 4, 1), (5, 1, -1), (2, 6, 1), (7, 3, -1)], colours=True)
    done = made(now)
    assert pairs(done) == {(0, 3), (1, 2), (4, 7), (5, 6)}
    assert not (done.gave_way[0] & (COLOUR | ALTERNATION)).any()
    assert pairs(made(now, Evanston(places="before-colours"))) == {(0, 2), (1, 3), (4, 6), (5, 7)}


def test_the_first_colour_is_drawn() -> None:
    firsts = {
        int(Evanston().pair(Standing.start(seeded(4), 3), np.random.default_rng(s)).first[0, 0]) for s in range(9)
    }
    assert firsts == {1, -1}


@pytest.mark.parametrize("chance", range(6))
def test_second_meetings_and_team_games_are_the_exact_minimum(chance: int) -> None:
    """Small sections of many rounds, where they cannot be avoided, with absences; networkx knows the least."""
    rng = np.random.default_rng(chance)
    n = int(rng.integers(4, 12))
    of = drawn_field(rng, 2, n, teams=3)
    seen = np.zeros(2, dtype=int)

    def watch(now: Standing, done: Round) -> None:
        check_legal(now, done)
        for t in range(2):
            costs = [
                (now.met[t] > 0).astype(int),
                now.field.team_mates[t].astype(int),
                now.met[t],
            ]
            least = fewest(now, t, *costs)
            assert come_to(done, t, *costs) == least
            seen[:] += least[0] > 0, least[1] > 0

    play_out(Evanston(), of, n + 1, rng, here=lambda _: rng.random((2, n)) < 0.9, watch=watch)
    assert (seen > 0).all()


@pytest.mark.parametrize("n", [8, 16, 24])
def test_even_groups_are_the_exact_minimum_of_all_rules(n: int) -> None:
    """Second meetings, team-mates, floats, halves left, balance, alternation, places: each as little as can be."""
    rng = np.random.default_rng(n)
    looked_at = 0

    def watch(now: Standing, done: Round) -> None:
        nonlocal looked_at
        for t in range(len(now.points)):
            points = now.points[t]
            group = [np.flatnonzero(points == score) for score in np.unique(points)]
            if any(len(members) % 2 for members in group):
                continue
            upper, corresponding = np.zeros(n, dtype=bool), np.zeros(n, dtype=int)
            for members in group:
                ranked = members[np.lexsort((-now.field.lot[t, members], -now.field.rating[t, members]))]
                half = len(ranked) // 2
                upper[ranked[:half]] = True
                corresponding[ranked] = np.concatenate([np.arange(half), np.arange(half)])
            balance, last = now.first_less_second[t], now.first[t, :, -1] if now.round > 1 else np.zeros(n, dtype=int)
            again = np.zeros((n, n), dtype=int)
            for i in range(n):
                for j in range(n):
                    ways = [way for way in ((1, -1), (-1, 1)) if (balance[j] - balance[i]) * way[0] >= 0]
                    again[i, j] = min((last[i] == a) + (last[j] == b) for a, b in ways)
            costs = [
                (now.met[t] > 0).astype(int),
                now.field.team_mates[t].astype(int),
                np.subtract.outer(points, points) ** 2,
                (upper[:, None] == upper[None, :]).astype(int),
                20 - np.abs(np.subtract.outer(balance, balance)),
                again,
                np.abs(np.subtract.outer(corresponding, corresponding)),
            ]
            least = fewest(now, t, *costs)
            if any(least[:4]):  # somebody floats, or the halves are left: places are counted otherwise
                continue
            looked_at += 1
            assert come_to(done, t, *costs) == least

    for _ in range(12):
        play_out(Evanston(), drawn_field(rng, 2, n, teams=6), 4, rng, watch=watch)
    assert looked_at > 25


def test_a_round_s_words() -> None:
    assert told(COLOUR | ALTERNATION) == "colours not equal;colours not alternating"


def test_unrated_players_are_the_lowest() -> None:
    now = Standing.start(Field(np.array([[np.nan, 900, 800, 700.0]]), np.zeros((1, 4), dtype=np.int64)), 3)
    assert pairs(made(now)) == {(1, 3), (0, 2)}
