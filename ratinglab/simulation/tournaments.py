"""Simulated tournaments: fields with true strengths, any pairing systems side by side on the same luck.

Many tournaments are played at once. What is measured of them is in `fairness`; `simulating` plays thousands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ratinglab.pairing.base import Pairing, Round
from ratinglab.pairing.standing import NO_TEAM, NOBODY, Field, Standing, order_by
from ratinglab.periods import Floats, Ints
from ratinglab.problems import UsageError
from ratinglab.simulation.models import Model

if TYPE_CHECKING:
    from numpy.random import Generator, SeedSequence

BYE_SPREAD = 50  # what a bye is worth beside the win


@dataclass(frozen=True)
class Strengths:
    """Where the true strengths of a field come from.

    `normal` (mean, standard deviation): drawn anew for each tournament; or `listed`: the same in all, such as the
    ratings of a history. `rating_error`: the standard deviation, in rating points, of what ratings before play are off
    by. `team`: who is on one team, by number (`listed` alone).
    """

    normal: tuple[float, float] = (1500.0, 250.0)
    listed: tuple[float, ...] = ()
    rating_error: float = 0.0
    team: tuple[int, ...] = ()

    def draw(self, rng: Generator, tournaments: int, players: int) -> tuple[Floats, Field]:
        """True strengths (T, n), and the field that stands for them, who is rated highest first."""
        if self.listed:
            if len(self.listed) < players:
                raise UsageError(f"the field has {len(self.listed)} players; found {players} asked for")
            strength = np.tile(np.asarray(self.listed[:players], dtype=float), (tournaments, 1))
        else:
            strength = rng.normal(*self.normal, size=(tournaments, players))
        rating = strength + self.rating_error * rng.standard_normal((tournaments, players))
        lot = rng.permuted(np.tile(np.arange(players), (tournaments, 1)), axis=1)
        order = np.argsort(-rating, axis=1, kind="stable")
        team = np.tile(np.asarray(self.team[:players] or [NO_TEAM] * players), (tournaments, 1))
        strength, rating, team = (np.take_along_axis(of, order, axis=1) for of in (strength, rating, team))
        return strength, Field(rating, lot, team=team if self.team else None)


@dataclass(frozen=True)
class Deed:
    """What one entrant of each tournament does on purpose: `who` (T,), by number.

    lowered: rating points that the rating before play is too low by (sandbagging); thrown: games lost on purpose from
    the first on (a gambit), by as much as they would have been won.
    """

    who: Ints
    lowered: float = 0.0
    thrown: int = 0


@dataclass(frozen=True)
class Played:
    """T tournaments of one pairing system, played to the end: the standing after the last round, and all rounds."""

    strength: Floats
    standing: Standing
    rounds: tuple[Round, ...]
    points: tuple[Ints, ...]  # before each round, (T, n)


def play(
    pairing: Pairing,
    strength: Floats,
    field: Field,
    rounds: int,
    model: Model,
    seed: SeedSequence,
    deed: Deed | None = None,
) -> Played:
    """T tournaments of so many rounds between entrants of these strengths (T, n).

    The luck of entrants and the chances of pairing come from `seed`, each from a stream of its own, so that two
    pairing systems, or the same with and without a deed, meet the same.
    """
    luck, by_chance = (np.random.default_rng(child) for child in streams(seed, 2))
    t, n = strength.shape
    everybody = np.arange(t)
    if deed is not None and deed.lowered:
        rating = field.rating.copy()
        rating[everybody, deed.who] -= deed.lowered
        field = replace(field, rating=rating)
    standing = Standing.start(field, rounds)
    made, before = [], []
    for game in range(1, rounds + 1):
        before.append(standing.points)
        number = luck.standard_normal((t, n))
        drawn = luck.integers(0, 2, size=(t, n)) * 2 - 1
        one = pairing.pair(standing, by_chance)
        made.append(one)
        other = np.maximum(one.opponent, 0)
        lower = np.arange(n)[None, :] < other
        at_table = np.where(lower, drawn, -np.take_along_axis(drawn, other, axis=1))
        first = np.where(one.first == 0, at_table, one.first)
        difference, luck_of_game = (of - np.take_along_axis(of, other, axis=1) for of in (strength, number))
        points, spread = model.play(difference, first, luck_of_game / np.sqrt(2))
        if deed is not None and game <= deed.thrown:
            points, spread = _thrown(points, spread, one.opponent, deed.who)
        out = one.opponent == NOBODY
        points, spread = np.where(out, 2, points), np.where(out, BYE_SPREAD, spread)
        standing = standing.after(one.opponent, points, spread, first=np.where(out, 0, one.first))
    return Played(strength, standing, tuple(made), tuple(before))


def _thrown(points: Ints, spread: Floats, opponent: Ints, who: Ints) -> tuple[Ints, Floats]:
    """The games of `who` (T,) lost, by as much as they would have been won or lost."""
    at = np.flatnonzero(opponent[np.arange(len(who)), who] != NOBODY)
    points, spread = points.copy(), spread.copy()
    one, other = who[at], opponent[at, who[at]]
    by = np.abs(spread[at, one])
    points[at, one], points[at, other] = 0, 2
    spread[at, one], spread[at, other] = -by, by
    return points, spread


def streams(seed: SeedSequence, count: int) -> Sequence[SeedSequence]:
    """Streams of a seed, the same however often they are asked for (spawning counts on)."""
    return [
        np.random.SeedSequence(entropy=seed.entropy, spawn_key=(*seed.spawn_key, child), pool_size=seed.pool_size)
        for child in range(count)
    ]


def final_places(standing: Standing) -> Ints:
    """The places at the end, 1 the best, (T, n): by points, then spread; who is level in both shares the better one."""
    order = order_by((standing.points, standing.spread))
    points, spread = (np.take_along_axis(of, order, axis=1) for of in (standing.points, standing.spread))
    level = (points[:, 1:] == points[:, :-1]) & (spread[:, 1:] == spread[:, :-1])
    n = order.shape[1]
    at = np.arange(n)[None, :] * np.concatenate([np.ones((len(order), 1), dtype=bool), ~level], axis=1)
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.maximum.accumulate(at, axis=1) + 1, axis=1)
    return place


def by_strength(strength: Floats) -> Ints:
    """The numbers of entrants from the strongest down, (T, n)."""
    return np.argsort(-strength, axis=1, kind="stable")
