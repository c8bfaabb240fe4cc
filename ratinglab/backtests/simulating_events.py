"""Playing a section of an event many times over: from what a system says of the entrants to wins and final places.

Who meets whom is a function's answer (`Meets`), asked before every round; `Filed` answers with the real pairings,
`event_pairing` with those of a pairing system. Tournaments are played in chunks of a fixed size, each with a
seed of its own, so that the counts are the same whoever runs them. Nothing here knows of histories:
`backtesting` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from ratinglab import tasks
from ratinglab.periods import Batch, Floats, Ints, tally
from ratinglab.systems.base import Forecast, State, System

CHUNK = 1000  # tournaments of one task


class Round(NamedTuple):
    """One round: who meets whom, and what is given without play (byes, forfeits, and games already played).

    `a`, `b` (rows of units) and `first` (+1 where `a` goes first, -1 where `b` does, 0 not known) are (games,), or
    (games, tournaments) where every tournament is paired in its own way. `wins` and `spread` are given, (units,), or
    (units, tournaments) where that differs. `cap`: how much of a game's spread counts.
    """

    a: Ints
    b: Ints
    first: Floats
    wins: Floats
    spread: Floats
    cap: float = np.inf


# Asked with the round's place (0 the first), and wins and spread so far, each (units, tournaments).
Meets = Callable[[int, Floats, Floats], Round]


class Pairings(Protocol):
    """How a section is paired, in any number of tournaments."""

    def begin(self, tournaments: int, rng: np.random.Generator) -> Meets:
        """Who meets whom in tournaments that begin now; it is asked for their rounds in order, each once."""


@dataclass(frozen=True)
class Filed:
    """The pairings as filed: the same in all tournaments, whatever the results."""

    rounds: tuple[Round, ...]

    def begin(self, tournaments: int, rng: np.random.Generator) -> Meets:
        """The rounds, one after the other."""
        return lambda number, wins, spread: self.rounds[number]


@dataclass(frozen=True)
class Field:
    """A section as one system sees it: the units' `strength` (units, 1), and what its standing goes by.

    `batch` is of the section alone (one period): a system's forecast reads from it what it needs beside the games.
    `by_spread`: units with equal wins are put in order of spread, as far as the system says something of it.
    """

    system: System
    batch: Batch
    strength: State
    pairings: Pairings
    rounds: int
    by_spread: bool

    @property
    def units(self) -> int:
        """How many there are."""
        return len(self.strength["rating"])


@dataclass(frozen=True)
class Counts:
    """How often things happened: `places` (units, units) each final place, `wins` (units, halves) wins in halves."""

    tournaments: int
    places: Ints
    wins: Ints


def forecast(system: System, batch: Batch, strength: State, a: Ints, b: Ints, first: Floats) -> Forecast:
    """What the system says of games between rows of `strength`, in the section that `batch` is of."""
    games = len(a)
    unknown = np.full(games, np.nan)
    of = replace(
        batch,
        games=slice(0, games),
        a=a,
        b=b,
        first=first,
        result=unknown,
        spread=unknown,
        cap=np.full(games, np.inf),
        round=np.ones(games, dtype=np.int64),
        game_period=np.zeros(games, dtype=np.int64),
        _cache={},
    )
    return system.forecast(strength, of, slice(0, games))


def play(field: Field, tournaments: int, seed: np.random.SeedSequence) -> tuple[Floats, Floats, Floats]:
    """Wins, spread and lots of every unit in each of so many tournaments, (units, tournaments).

    The chances of pairing come from a stream of their own, so that strengths are drawn alike whoever pairs.

    Where the system has a deviation, each tournament first draws every unit's true strength, normal around its rating,
    for all its games; a game then is as the system forecasts it between strengths known beyond doubt. With a spread
    forecast the spread is drawn and rounded to whole points (0 is a tie), and counts up to the round's cap; otherwise a
    win has the forecast's probability, and there are no ties.
    """
    units, strength = field.units, field.strength
    rng, by_chance = np.random.default_rng(seed), np.random.default_rng(_below(seed, 0))
    drawn = {name: np.broadcast_to(values, (units, tournaments)) for name, values in strength.items()}
    if "deviation" in strength:
        error = rng.standard_normal((units, tournaments))
        drawn |= {"rating": strength["rating"] + strength["deviation"] * error, "deviation": np.zeros_like(error)}
    # a unit in a tournament is a row of its own, so that tournaments need not have the same pairings
    flat = {name: values.reshape(-1, 1) for name, values in drawn.items()}
    lots = rng.random((units, tournaments))
    wins, spread = np.zeros((units, tournaments)), np.zeros((units, tournaments))
    here = np.arange(tournaments)
    meets = field.pairings.begin(tournaments, by_chance)

    def rows(side: Ints) -> Ints:
        each: Ints = _each(side) * tournaments + here
        return each.ravel()

    for number in range(field.rounds):
        met = meets(number, wins, spread)
        wins = wins + _each(met.wins)
        spread = spread + _each(met.spread)
        if not len(met.a):
            continue
        a, b = rows(met.a), rows(met.b)
        first = np.broadcast_to(_each(met.first), (len(met.a), tournaments))
        said = forecast(field.system, field.batch, flat, a, b, first.ravel())
        if said.spread_mean is not None and said.spread_sd is not None:
            margin = np.rint(said.spread_mean[:, 0] + said.spread_sd[:, 0] * rng.standard_normal(len(a)))
            won = 0.5 + 0.5 * np.sign(margin)
            margin = np.clip(margin, -met.cap, met.cap)
            spread = spread + (tally(a, margin, wins.size) - tally(b, margin, wins.size)).reshape(wins.shape)
        else:
            won = (rng.random(len(a)) < said.win[:, 0]).astype(float)
        wins = wins + (tally(a, won, wins.size) + tally(b, 1 - won, wins.size)).reshape(wins.shape)
    return wins, spread, lots


def _each(values: Any) -> Any:
    """What is told once, as told of each tournament, (…, tournaments or 1)."""
    return values if values.ndim == 2 else values[:, None]


def _below(seed: np.random.SeedSequence, child: int) -> np.random.SeedSequence:
    """A seed below another, the same however often it is asked for (spawning counts on)."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, child))


def final_places(wins: Floats, spread: Floats, lots: Floats) -> Ints:
    """Places from 1 on, (units, tournaments): by wins, then spread, then lots."""
    order = np.lexsort((lots, spread, wins), axis=0)[::-1]
    places = np.empty_like(order)
    np.put_along_axis(places, order, np.arange(1, len(order) + 1)[:, None], axis=0)
    return places


class _Chunk(NamedTuple):
    field: int
    tournaments: int
    seed: np.random.SeedSequence


def _task(fields: Sequence[Field], chunk: _Chunk) -> tuple[Ints, Ints]:
    field = fields[chunk.field]
    wins, spread, lots = play(field, chunk.tournaments, chunk.seed)
    places = final_places(wins, spread if field.by_spread else np.zeros_like(spread), lots)
    units = field.units
    halves = np.rint(2 * wins).astype(np.int64)
    width = int(halves.max(initial=0)) + 1
    row = np.arange(units)[:, None]
    of_place = np.bincount((row * units + places - 1).ravel(), minlength=units * units).reshape(units, units)
    of_wins = np.bincount((row * width + halves).ravel(), minlength=units * width).reshape(units, width)
    return of_place, of_wins


def simulate(
    fields: Sequence[Field],
    seeds: Sequence[np.random.SeedSequence],
    tournaments: int,
    workers: tasks.Workers = tasks.HERE,
    progress: tasks.Progress | None = None,
) -> list[Counts]:
    """Every field played `tournaments` times, from the seed beside it; fields of equal seeds see equal luck."""
    chunks = []
    sizes = [min(CHUNK, tournaments - begin) for begin in range(0, tournaments, CHUNK)]
    for place, seed in enumerate(seeds):
        for number, size in enumerate(sizes):
            chunks.append(_Chunk(place, size, _below(seed, number)))
    results = tasks.run(_task, chunks, fields, workers, progress)
    out = []
    for place, field in enumerate(fields):
        mine = [result for chunk, result in zip(chunks, results, strict=True) if chunk.field == place]
        width = max(of_wins.shape[1] for _, of_wins in mine)
        wins = np.zeros((field.units, width), dtype=np.int64)
        for _, of_wins in mine:
            wins[:, : of_wins.shape[1]] += of_wins
        out.append(Counts(tournaments, np.sum([places for places, _ in mine], axis=0), wins))
    return out


def probability(count: Floats | Ints, tournaments: int) -> tuple[Floats, Floats]:
    """A share of tournaments and its standard error, which is above 0 also for what never happened.

    The error is the standard deviation of the posterior Beta(x + ½, n - x + ½) of x in n (Jeffreys' prior).
    """
    count = np.asarray(count, dtype=float)
    a, b = count + 0.5, tournaments - count + 0.5
    return count / tournaments, np.sqrt(a * b / ((a + b) ** 2 * (a + b + 1)))
