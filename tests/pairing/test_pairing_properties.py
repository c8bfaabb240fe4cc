"""What holds of every pairing system: nothing illegal whatever happens, the same round however it is computed."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tournaments import check_legal, come_to, drawn_field, fewest, pairs, play_out

from ratinglab.pairing import NOBODY, PAIRINGS, Field, Round, Standing, parse
from ratinglab.pairing.base import BYE_AGAIN, FALLBACK, REPEAT, TEAM_MATE

HERE = Path(__file__).resolve().parent
HAS_DUTCH = importlib.util.find_spec("py4swiss") is not None
VARIANTS = [
    "cnsc",
    "cnsc:both_ends=1,strength=spread",
    "cnsc:floats=1,firsts=balanced,strength=opponent-rating",
    "cnsc:teams_apart=1,tow_late=1,tow_once=1,first_game=halves",
    "cnsc-wapnick:spread_limit=100",
    "cnsc-boys:first_game=straight",
    "cnsc:most=1",
    "evanston",
    "evanston:floater=up,places=before-colours,small=0",
    "evanston:places=before-alternation,start=black",
    "nssc",
    "nssc:bye=apart",
    "random",
    "random:repeats=free,firsts=balanced",
    "random:teams_apart=1",
    "swiss",
    "swiss:pairs=adjacent,teams_apart=1,firsts=balanced",
    "swiss:most=1,teams_apart=1",
    "king-of-the-hill",
    "king-of-the-hill:repeats=avoid",
    "round-robin",
    "matching",
    "matching:cost=places,teams_apart=1",
    "matching:cost=rating,repeats=free",
]
# those that decide nothing by chance
BY_RULE = [
    "cnsc:first_game=straight",
    "cnsc:first_game=straight,both_ends=1,floats=1",
    "evanston:start=white",
    "evanston:start=black,floater=up",
    "nssc",
    "swiss",
    "swiss:pairs=adjacent",
    "king-of-the-hill",
    "round-robin",
    "matching",
]


def test_every_system_is_here() -> None:
    assert {parse(name).name for name in VARIANTS} | {"dutch"} == set(PAIRINGS)


def check_told(now: Standing, done: Round) -> None:
    """What gave way is told where it did, and only there."""
    check_legal(now, done)
    paired = done.opponent != NOBODY
    met = np.take_along_axis(now.met, np.maximum(done.opponent, 0)[:, :, None], axis=2)[:, :, 0]
    assert not ((done.gave_way & REPEAT > 0) & ~(paired & (met > 0))).any()
    assert ((done.gave_way & BYE_AGAIN > 0) == (now.here & ~paired & (now.byes > 0))).all()
    mates = np.take_along_axis(now.field.team_mates, np.maximum(done.opponent, 0)[:, :, None], axis=2)[:, :, 0]
    assert not ((done.gave_way & TEAM_MATE > 0) & ~(paired & mates)).any()
    assert not (done.gave_way[~now.here]).any()
    assert not (done.away[~paired]).any()
    assert ((done.gave_way & FALLBACK > 0) == (done.fallback[:, None] & paired)).all()


def presence(rng: np.random.Generator, shape: tuple[int, int], rounds: int) -> np.ndarray:
    """Who is there, (rounds, T, n): some come late, some leave for good, and anybody may miss a round."""
    came = np.where(rng.random(shape) < 0.1, rng.integers(1, rounds + 2, shape), 1)
    left = np.where(rng.random(shape) < 0.1, rng.integers(1, rounds + 2, shape), rounds + 1)
    played = np.arange(1, rounds + 1)[:, None, None]
    return (played >= came) & (played <= left) & (rng.random((rounds, *shape)) < 0.95)


@pytest.mark.parametrize("name", VARIANTS)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(0, 60), rounds=st.integers(1, 9), teams=st.sampled_from([0, 2, 5]))
def test_nothing_illegal_ever(name: str, seed: int, n: int, rounds: int, teams: int) -> None:
    rng = np.random.default_rng(seed)
    there = presence(rng, (2, n), rounds)
    of = drawn_field(rng, 2, n, teams=teams)
    play_out(parse(name), of, rounds, rng, here=lambda played: there[played - 1], watch=check_told)


@pytest.mark.parametrize("name", VARIANTS)
def test_small_fields_of_many_rounds(name: str) -> None:
    """2 to 9 players, more rounds than a round robin and a half, everybody there."""
    rng = np.random.default_rng(2)
    for n in range(2, 10):
        ended = play_out(parse(name), drawn_field(rng, 3, n), n + n // 2, rng, watch=check_told)
        # nobody waits a second time before all did, so byes differ by one at most
        assert (ended.byes.max(axis=1) - ended.byes.min(axis=1) <= 1).all()


@pytest.mark.parametrize("name", VARIANTS)
def test_forbidden_pairs_are_never_made_and_as_many_play_as_can(name: str) -> None:
    rng = np.random.default_rng(4)
    lacking = 0

    def watch(now: Standing, done: Round) -> None:
        nonlocal lacking
        check_told(now, done)
        for t in range(len(now.points)):
            here = np.flatnonzero(now.here[t]).tolist()
            graph = nx.Graph([(a, b) for a in here for b in here if a < b and not now.field.barred[t, a, b]])
            most = len(nx.max_weight_matching(graph, maxcardinality=True))
            assert len(pairs(done, t)) == most
            lacking += most < len(here) // 2

    for n in (2, 4, 5, 8, 9):
        of = drawn_field(rng, 3, n, teams=3)
        forbidden = rng.random((3, n, n)) < 0.35
        play_out(parse(name), dataclasses.replace(of, forbidden=forbidden), 4, rng, watch=watch)
    assert lacking > 0


_WITH_TEAMS_OR_WITHOUT = ["random", "swiss", "swiss:pairs=adjacent", "matching", "cnsc:repeats=99:0"]


@pytest.mark.parametrize(
    ("name", "apart"),
    [
        ("evanston", True),  # team-mates are always kept apart there
        *((name, apart) for name in _WITH_TEAMS_OR_WITHOUT for apart in (False, True)),
    ],
)
def test_repeats_and_team_games_are_the_exact_minimum(name: str, apart: bool) -> None:
    """networkx knows the least of repeats, then of games within a team; every round of small and middling events."""
    if apart and name != "evanston":
        name = f"{name}{',' if ':' in name else ':'}teams_apart=1"
    rng = np.random.default_rng(6)
    forced = np.zeros(2, dtype=int)

    def watch(now: Standing, done: Round) -> None:
        check_told(now, done)
        repeat = (now.met[0] > 0).astype(int)
        costs = [repeat, now.field.team_mates[0].astype(int)] if apart else [repeat]
        least = fewest(now, 0, *costs)
        assert come_to(done, 0, *costs) == least
        forced[: len(costs)] += np.array(least) > 0

    for n in (4, 5, 6, 7, 8, 11, 16):
        there = presence(rng, (1, n), 7)
        play_out(
            parse(name), drawn_field(rng, 1, n, teams=3), 7, rng, here=lambda played, there=there: there[played - 1],
            watch=watch,
        )  # fmt: skip
    assert forced[0] > 0
    assert forced[1] > 0 or not apart


@pytest.mark.parametrize("name", BY_RULE)
def test_many_tournaments_at_once_are_each_by_itself(name: str) -> None:
    rng = np.random.default_rng(8)
    for n, rounds in ((9, 10), (16, 5)):
        of = drawn_field(rng, 6, n, teams=4)
        of = dataclasses.replace(of, earlier=rng.normal(1500, 200, (6, n, 2)))

        def watch(now: Standing, done: Round) -> None:
            for t in range(6):
                alone = parse(name).pair(one_of(now, t), np.random.default_rng(1))
                for part in ("opponent", "first", "gave_way", "away", "fallback"):
                    assert np.array_equal(getattr(alone, part)[0], getattr(done, part)[t]), part

        there = presence(rng, (6, n), rounds)
        play_out(parse(name), of, rounds, rng, here=lambda played, there=there: there[played - 1], watch=watch)


def one_of(now: Standing, t: int) -> Standing:
    """The standing of one of the tournaments."""
    of = now.field
    alone = Field(
        of.rating[t : t + 1],
        of.lot[t : t + 1],
        None if of.earlier is None else of.earlier[t : t + 1],
        None if of.team is None else of.team[t : t + 1],
    )
    arrays = {
        name: getattr(now, name)[t : t + 1]
        for name in ("points", "spread", "opponent", "result", "first", "bye", "here")
    }
    return Standing(alone, now.round, now.rounds, **arrays)


@pytest.mark.parametrize("name", VARIANTS)
def test_nothing_given_is_changed_and_one_seed_is_one_round(name: str) -> None:
    rng = np.random.default_rng(9)

    def watch(now: Standing, done: Round) -> None:
        arrays = [
            value
            for of in (now, now.field)
            for value in (getattr(of, f.name) for f in dataclasses.fields(of))
            if isinstance(value, np.ndarray)
        ]
        before = [array.copy() for array in arrays]
        for array in arrays:
            array.setflags(write=False)
        first, second = (parse(name).pair(now, np.random.default_rng(7)) for _ in range(2))
        assert np.array_equal(first.opponent, second.opponent)
        assert np.array_equal(first.first, second.first)
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(arrays, before, strict=True))

    play_out(parse(name), drawn_field(rng, 2, 10, teams=3), 4, rng, watch=watch)


def told_of(names: list[str]) -> str:
    """The pairs of events large and small, as a text to be compared."""
    lines = []
    for name in names:
        rng = np.random.default_rng(11)
        for n, rounds in ((6, 8), (13, 9), (40, 12)):
            ended = play_out(parse(name), drawn_field(rng, 2, n, teams=4), rounds, rng)
            lines.append(f"{name} {n} {ended.opponent.tolist()}")
    return "\n".join(lines)


SEARCHED = [
    name for name in VARIANTS if name.split(":")[0] in ("cnsc", "cnsc-boys", "random", "swiss", "king-of-the-hill")
]


def test_without_a_compiler_the_pairs_are_the_same() -> None:
    code = "import test_pairing_properties as t; print(t.told_of(t.SEARCHED)); from ratinglab.pairing import compiling"
    code += "; assert not compiling.COMPILED"
    path = os.pathsep.join([str(HERE), str(HERE.parent), str(HERE.parent.parent)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "RATINGLAB_COMPILE": "0", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == told_of(SEARCHED)


@pytest.mark.skipif(not HAS_DUTCH, reason="py4swiss is not installed")
def test_dutch_is_legal_too() -> None:
    rng = np.random.default_rng(10)
    fallbacks = 0

    def watch(now: Standing, done: Round) -> None:
        nonlocal fallbacks
        check_told(now, done)
        fallbacks += int(done.fallback.sum())
        if not done.fallback.any():
            assert not (done.gave_way & REPEAT).any()

    for n, rounds in ((6, 5), (9, 5), (7, 7), (14, 5)):
        there = presence(rng, (2, n), rounds)
        play_out(
            parse("dutch"), drawn_field(rng, 2, n), rounds, rng, here=lambda played, there=there: there[played - 1],
            watch=watch,
        )  # fmt: skip
    assert fallbacks > 0
