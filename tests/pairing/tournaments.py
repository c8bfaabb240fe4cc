"""Tournaments for tests of pairing: standings from a few lists, whole events played out, and what no round may do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import networkx as nx
import numpy as np

from ratinglab.pairing import NO_TEAM, NOBODY, Field, Pairing, Round, Standing

Game = tuple[int, int, float]  # who (had White, if that is known), against whom, the spread


def field(
    ratings: Sequence[float], *, teams: Sequence[int] | None = None, forbidden: Sequence[tuple[int, int]] = ()
) -> Field:
    """One tournament's field, lots in the order of the list; teams by number, -1 for none."""
    n = len(ratings)
    barred = None
    if forbidden:
        barred = np.zeros((1, n, n), dtype=bool)
        for a, b in forbidden:
            barred[0, a, b] = True
    return Field(
        np.asarray(ratings, dtype=float).reshape(1, n),
        -np.arange(n).reshape(1, n),
        team=None if teams is None else np.asarray(teams).reshape(1, n),
        forbidden=barred,
    )


def seeded(n: int, **options: object) -> Field:
    """A field of n entrants numbered in the order of their ratings."""
    return field([2000.0 - 10 * i for i in range(n)], **options)


def play(
    before: Standing,
    *games: Game,
    colours: bool = False,
    bye: Sequence[int] | None = None,
    bye_points: int = 2,
    half: Sequence[int] = (),
    here: Sequence[bool] | None = None,
) -> Standing:
    """The standing after a round of one tournament; a positive spread wins.

    `bye`: who sat out for want of an opponent (everybody who is here and has no game); `half`: who asked for a
    half-point bye; `here`: who is there in the next round.
    """
    n = before.field.shape[1]
    opponent, first = np.full((1, n), NOBODY), np.zeros((1, n), dtype=np.int64)
    result, spread = np.full((1, n), -1), np.zeros((1, n))
    for a, b, by in games:
        opponent[0, [a, b]] = b, a
        spread[0, [a, b]] = by, -by
        result[0, [a, b]] = 1 + np.sign(by), 1 - np.sign(by)
        if colours:
            first[0, [a, b]] = 1, -1
    sat_out = (opponent == NOBODY) & before.here
    if bye is not None:
        sat_out = np.isin(np.arange(n), bye)[None, :]
    sat_out[:, list(half)] = False
    result[sat_out] = bye_points
    result[:, list(half)] = 1
    now = None if here is None else np.asarray(here).reshape(1, n)
    return before.after(opponent, result, spread, first=first, bye=sat_out, here=now)


def standing(of: Field, rounds: int, *played: Sequence[Game], colours: bool = False) -> Standing:
    """The standing after some rounds in which all were here."""
    now = Standing.start(of, rounds)
    for games in played:
        now = play(now, *games, colours=colours)
    return now


def pairs(made: Round, t: int = 0) -> set[tuple[int, int]]:
    """The pairs of one tournament, the lower number first."""
    return {(i, j) for i, j in enumerate(made.opponent[t].tolist()) if i < j}


def result_of(now: Standing, made: Round, spread: np.ndarray) -> Standing:
    """The standing after a round, with the spread (T, n) of the lower-numbered of each pair; a bye wins by 50."""
    other = np.maximum(made.opponent, 0)
    lower = np.arange(other.shape[1])[None, :] < other
    by = np.where(lower, spread, -np.take_along_axis(spread, other, axis=1))
    by = np.where(made.opponent != NOBODY, by, np.where(now.here, 50.0, 0.0))
    result = np.where((made.opponent != NOBODY) | now.here, 1 + np.sign(by).astype(np.int64), -1)
    return now.after(made.opponent, result, by, first=made.first)


def check_legal(now: Standing, made: Round) -> None:
    """What no round may do, whatever gave way: see each line."""
    t, n = now.field.shape
    opponent = made.opponent
    other = np.maximum(opponent, 0)
    paired = opponent != NOBODY
    who = np.arange(n)[None, :]
    assert opponent.shape == (t, n)
    assert not (opponent == who).any(), "somebody is paired with himself"
    back = np.take_along_axis(opponent, other, axis=1)
    assert (back == who)[paired].all(), "a pair that only one of the two knows of"
    assert not (paired & ~now.here).any(), "an absentee is paired"
    barred = np.take_along_axis(now.field.barred, other[:, :, None], axis=2)[:, :, 0]
    assert not (barred & paired).any(), "a forbidden pair"
    alone = (now.here & ~paired).sum(axis=1)
    if now.field.forbidden is None:
        assert (alone == now.here.sum(axis=1) % 2).all(), "somebody is unpaired who need not be"
        fewest = np.where(now.here, now.byes, 99).min(axis=1, initial=99)
        assert not (now.here & ~paired & (now.byes > fewest[:, None])).any(), "a second bye while somebody had none"
    first_of_other = np.take_along_axis(made.first, other, axis=1)
    assert (made.first + first_of_other == 0)[paired].all(), "both go first, or one of them does not know"
    assert not made.first[~paired].any(), "a first move without a game"


def fewest(now: Standing, t: int, *costs: np.ndarray) -> tuple[int, ...]:
    """The least that these costs (n, n) can come to, the first before the second …: networkx's exact matching.

    In an odd field one of those with the fewest byes sits out, whoever makes the costs least.
    """
    n = now.field.shape[1]
    here = np.flatnonzero(now.here[t])
    least = now.byes[t, here].min(initial=99)
    outs = here[now.byes[t, here] == least] if len(here) % 2 else [NOBODY]
    best: tuple[int, ...] | None = None
    for out in outs:
        graph = nx.Graph()
        players = [int(i) for i in here if i != out]
        graph.add_nodes_from(players)
        for a in players:
            for b in players:
                if a < b and not now.field.barred[t, a, b]:
                    weight = 0
                    for cost in costs:
                        weight = weight * 10_000 + int(cost[a, b])
                    graph.add_edge(a, b, weight=-weight)
        made = nx.max_weight_matching(graph, maxcardinality=True)
        found = tuple(int(sum(cost[a, b] for a, b in made)) for cost in costs)
        assert len(made) == len(players) // 2 or now.field.forbidden is not None
        if best is None or found < best:
            best = found
    assert best is not None or n == 0
    return best or tuple(0 for _ in costs)


def come_to(made: Round, t: int, *costs: np.ndarray) -> tuple[int, ...]:
    """What these costs come to over the pairs that were made."""
    return tuple(int(sum(cost[a, b] for a, b in pairs(made, t))) for cost in costs)


def play_out(
    pairing: Pairing,
    of: Field,
    rounds: int,
    rng: np.random.Generator,
    *,
    here: Callable[[int], np.ndarray] | None = None,
    watch: Callable[[Standing, Round], None] = check_legal,
) -> Standing:
    """A whole event with random results; `here(round)` says who is there, `watch` looks at every round."""
    now = Standing.start(of, rounds, None if here is None else here(1))
    for played in range(1, rounds + 1):
        made = pairing.pair(now, rng)
        watch(now, made)
        # not a model of games: results that go with ratings, some of them tied
        spread = np.rint(rng.normal((of.rating - 1500) / 25, 20))
        now = result_of(now, made, spread)
        if here is not None and played < rounds:
            now = Standing(**{**vars_of(now), "here": here(played + 1)})
    return now


def vars_of(now: Standing) -> dict[str, object]:
    """The fields of a standing by name."""
    return {name: getattr(now, name) for name in Standing.__dataclass_fields__}


def drawn_field(rng: np.random.Generator, tournaments: int, n: int, *, teams: int = 0) -> Field:
    """Fields of random ratings, in no order; `teams` players or so in each team, 0 for none."""
    rating = np.rint(rng.normal(1500, 250, (tournaments, n)))
    lot = rng.permuted(np.tile(np.arange(n), (tournaments, 1)), axis=1)
    team = rng.integers(NO_TEAM, max(1, n // teams), (tournaments, n)) if teams else None
    return Field(rating, lot, team=team)
