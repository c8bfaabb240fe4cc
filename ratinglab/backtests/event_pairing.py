"""The rounds of a past event paired anew: by a pairing system, in each simulated tournament from its own standing.

Who is there in a round, and what is credited without play, is what the event's file says of that round. How the
games are played is in `simulating_events`, what pairing systems see in `ratinglab.pairing.standing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ratinglab.backtests.event_sections import Section, cap, sums, turns
from ratinglab.backtests.simulating_events import Field as Entrants
from ratinglab.backtests.simulating_events import Meets, Pairings, Round
from ratinglab.pairing.base import Pairing
from ratinglab.pairing.standing import NOBODY, Field, Standing
from ratinglab.periods import Bools, Floats, Ints
from ratinglab.standings import section_standing
from ratinglab.terminal import many

BYE_SPREAD = 50.0  # of whoever sits out where the file shows no bye, as TSH credits it


@dataclass(frozen=True)
class Open:
    """A round that is to be paired: who is there, what is given to whom, and what sitting out is worth.

    `here`, `known` (has something given), `bye` (what is given is a bye) and `opponent` (of a forfeit) are (n,), by
    pairing number; `wins` and `spread` given are (units,). `cap`: how much of a game's spread counts.
    """

    here: Bools
    known: Bools
    bye: Bools
    opponent: Ints
    wins: Floats
    spread: Floats
    worth: tuple[float, float]
    cap: float


@dataclass(frozen=True)
class Paired:
    """The first `before` rounds as filed, and those after them paired by a system.

    `start` is the standing before the first of these (T = 1), of the section's units in the order of their pairing
    numbers; `rows` (n,) are their rows among the units. `by_spread`: whether spreads count in the section.
    """

    pairing: Pairing
    filed: Pairings
    before: int
    rounds: tuple[Open, ...]
    start: Standing
    rows: Ints
    by_spread: bool

    def begin(self, tournaments: int, rng: np.random.Generator) -> Meets:
        """Tournaments that begin now; who is level in all before play is put in order by lots drawn for each."""
        return _Begun(self, tournaments, rng)


class _Begun:
    """So many tournaments of one chunk, which remember what was played in them."""

    def __init__(self, of: Paired, tournaments: int, rng: np.random.Generator) -> None:
        self.of, self.rng = of, rng
        self.filed = of.filed.begin(tournaments, rng)
        self.standing = _times(of.start, tournaments, rng)
        self.at = np.argsort(of.rows)
        # of the round that is being played: points before it, opponents, who goes first, who has a bye, who counts
        self.playing: tuple[Ints, Ints, Ints, Bools, Bools] | None = None

    def __call__(self, number: int, wins: Floats, spread: Floats) -> Round:
        of = self.of
        if number < of.before:
            return self.filed(number, wins, spread)
        now = np.rint(2 * wins[of.rows].T).astype(np.int64)
        if self.playing is not None:
            before, opponent, first, bye, counts = self.playing
            result = np.where(counts, now - before, -1)
            no_spread = np.zeros_like(self.standing.spread)
            self.standing = self.standing.after(opponent, result, no_spread, first=first, bye=bye)
        this = of.rounds[number - of.before]
        here = np.broadcast_to(this.here, now.shape)
        # points and spread are those that the final places go by
        margins = spread[of.rows].T if of.by_spread else np.zeros(now.shape)
        self.standing = replace(self.standing, points=now, spread=margins, here=here)
        opponent, first = np.full(now.shape, NOBODY, dtype=np.int64), np.zeros(now.shape, dtype=np.int64)
        if this.here.any():
            made = of.pairing.pair(self.standing, self.rng)
            opponent, first = made.opponent, made.first
        out = here & (opponent == NOBODY)
        met = np.where(here, opponent, this.opponent)
        self.playing = (now, met, first, out | this.bye, here | this.known)
        tournament, one = np.nonzero(opponent > np.arange(now.shape[1]))
        # the same number of games in each tournament, (games, tournaments)
        shape = (len(now), len(one) // len(now))
        a, b, goes = (np.reshape(each, shape).T for each in (one, opponent[tournament, one], first[tournament, one]))
        sits = out.T[self.at]
        given = (this.wins[:, None] + this.worth[0] * sits, this.spread[:, None] + this.worth[1] * sits)
        return Round(of.rows[a], of.rows[b], goes.astype(float), *given, this.cap)


def _times(start: Standing, tournaments: int, rng: np.random.Generator) -> Standing:
    """The standing of one tournament as that of so many, each with lots of its own."""
    field = start.field
    n = field.shape[1]

    def many_times(values: np.ndarray) -> np.ndarray:
        return np.repeat(values, tournaments, axis=0)

    lot = rng.permuted(np.tile(np.arange(n), (tournaments, 1)), axis=1)
    of = Field(
        many_times(field.rating),
        lot,
        earlier=None if field.earlier is None else many_times(field.earlier),
        team=None if field.team is None else many_times(field.team),
    )
    names = ("points", "spread", "opponent", "result", "first", "bye", "here", "met")
    own: dict[str, Any] = {name: many_times(getattr(start, name)) for name in names}
    return replace(start, field=of, **own)


def paired(one: Section, of: Entrants, pairing: Pairing) -> Entrants:
    """The section `of` as filed, with the rounds after `one.after_round` paired by this system.

    Entrants are ranked before play by the ratings filed, and where there is none in the section by those of the rating
    system. Somebody is there in a round with a game played in it, and with a bye of a whole win if that is the only one
    of the round: somebody sat out for want of an opponent. All else is given as filed.
    """
    rounds = {*one.games["round"], *one.given["round"]}
    after, last = one.after_round, max(rounds)
    if last <= after:
        return of
    event = one.history.events["event"].iloc[0]
    listed = section_standing(one.history, event, one.name, after + 1)
    place = {name: i for i, name in enumerate(listed.names)}
    number = np.array([place[unit] for unit in one.units])
    rows = np.argsort(number)
    start = _of_these(listed.standing, number[rows])
    if np.isnan(start.field.rating).all():
        start = replace(start, field=replace(start.field, rating=of.strength["rating"][rows].T))
    # without a number left out: a pairing system counts rounds
    opened = tuple(_open(one, number, rows, of.system.has_spread) for number in range(after + 1, last + 1))
    before = sum(number <= after for number in rounds)
    again = Paired(pairing, of.pairings, before, opened, start, rows, of.by_spread)
    return replace(of, pairings=again, rounds=before + len(opened))


def _of_these(standing: Standing, kept: Ints) -> Standing:
    """The standing (T = 1) of these entrants alone, numbered anew."""
    anew = np.full(standing.field.shape[1] + 1, NOBODY, dtype=np.int64)  # the last: NOBODY stays nobody
    anew[kept] = np.arange(len(kept))
    field = standing.field
    of = Field(
        field.rating[:, kept],
        field.lot[:, kept],
        earlier=None if field.earlier is None else field.earlier[:, kept],
        team=None if field.team is None else field.team[:, kept],
    )
    names = ("points", "spread", "result", "first", "bye", "here")
    own: dict[str, Any] = {name: getattr(standing, name)[:, kept] for name in names}
    return replace(standing, field=of, opponent=anew[standing.opponent[:, kept]], met=None, **own)


def bye_worth(one: Section) -> tuple[float, float]:
    """Wins and spread that sitting out is credited with, as the section's file does it most often."""
    byes = one.given[one.given["bye"] & (one.given["result"] == 1)]["spread"].dropna()
    if len(byes):
        return 1.0, float(byes.mode().iloc[0])
    return 1.0, BYE_SPREAD if one.by_spread else 0.0


def _open(one: Section, number: int, rows: Ints, has_spread: bool) -> Open:
    """The round as the file has it; a bye has no spread where simulated games have none."""
    units = len(one.units)
    games = one.games[one.games["round"] == number]
    out = pd.concat([one.given.iloc[:0], *(of[of["round"] == number] for of in turns(one))])
    given = one.given[one.given["round"] == number].drop(index=out.index)
    wins, spread = sums(given, units, "counts")
    worth = bye_worth(one)
    if len(out):
        worth = (1.0, float(np.nan_to_num(out["spread"].iloc[0])))
    here, known, bye = (np.zeros(units, dtype=bool) for _ in range(3))
    here[[*games["a"], *games["b"], *out["a"]]] = True
    a, b = (given[side].to_numpy() for side in ("a", "b"))
    known[np.concatenate([a[a >= 0], b[b >= 0]])] = True
    bye[given.loc[given["bye"] & (given["result"] > 0) & (given["a"] >= 0), "a"]] = True
    at, opponent = np.argsort(rows), np.full(units, NOBODY, dtype=np.int64)
    two = (a >= 0) & (b >= 0)
    opponent[a[two]], opponent[b[two]] = at[b[two]], at[a[two]]
    if not has_spread:
        spread, worth = np.zeros_like(spread), (worth[0], 0.0)
    return Open(here[rows], known[rows], bye[rows], opponent[rows], wins, spread, worth, cap(one, number))


def notes(split: Sequence[Section], pairing: Pairing) -> list[str]:
    """How the rounds of these sections were paired, in sentences."""
    said = []
    odd = pd.concat([of for one in split for of in [one.given.iloc[:0], *turns(one)]])
    if len(odd):
        points = sorted({float(spread) for spread in odd["spread"].fillna(0.0)})
        worth = "" if not any(points) else f" and {' or '.join(f'{one:+g}' for one in points)} points"
        said.append(
            f"In {many(len(odd), 'round')} somebody sat out as the odd one: {pairing.label} chooses anew who that is, "
            f"who has a win{worth}, as in the file."
        )
    away = sum(_away(one) for one in split)
    if away:
        said.append(
            f"{many(away, 'time')} an entrant neither played in a round nor sat out as the odd one: such an entrant is "
            "not paired in that round, in any tournament."
        )
    unfiled = [one.name for one in split if np.isnan(one.filed).all()]
    if unfiled:
        where = "" if len(unfiled) == len(split) else f" in {', '.join(unfiled)}"
        said.append(
            f"No ratings are filed{where}: {pairing.label} ranks entrants by each system's ratings before play."
        )
    return said


def _away(one: Section) -> int:
    """How many times an entrant is absent from a round that is paired."""
    later = one.games[one.games["later"]]
    there = pd.concat([later[["round", side]].set_axis(["round", "unit"], axis=1) for side in ("a", "b")])
    return len(one.units) * later["round"].nunique() - len(there.drop_duplicates()) - sum(map(len, turns(one)))
