"""Playing a section of the chess club of the sample: who meets whom, with which colour, and how the game ends.

Games end by the logistic curve over 400 rating points, one in twelve or so drawn. The pairing follows the club's rules
(score groups, upper half against lower half) in the plainest way; the pairing systems proper are `ratinglab.pairing`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ratinglab import schema
from ratinglab.sample.tournament import NOBODY

SMALLEST = 7
"""The fewest entrants of a section of five rounds in which nobody need meet anybody twice."""

_SCALE = 400.0
_DRAWN = 0.4  # the chance of a draw is this times E(1 − E): a tenth between equals
_NODES = 2000  # how long a pairing is searched before the next rule gives way


class Game(NamedTuple):
    """One game, entrants counted from 0, `result` that of White; a child without an opponent is `white`."""

    round: int
    white: int
    black: int
    result: float
    status: str


@dataclass(frozen=True)
class Section:
    """A section as entered: true strengths, ratings to pair by, schools.

    `leaves` is an entrant's last round; `no_shows` (entrant, round) are paired and lose without a game.
    """

    strengths: Sequence[float]
    ratings: Sequence[float]
    schools: Sequence[str]
    rounds: int
    leaves: Mapping[int, int] = field(default_factory=dict)
    no_shows: frozenset[tuple[int, int]] = frozenset()


class _Rule(NamedTuple):
    """What a pair may be: how many points apart, of one school, both short of one colour, met before."""

    gap: float
    schoolmates: bool
    colours: bool
    again: bool


# the least important of the club's rules gives way first
_RULES = (
    _Rule(1, False, False, False),
    _Rule(1, False, True, False),
    _Rule(2, False, True, False),
    _Rule(np.inf, False, True, False),
    _Rule(np.inf, True, True, False),
    _Rule(np.inf, True, True, True),
)


class _State:
    """Where a section stands between two rounds."""

    def __init__(self, section: Section, lot: Sequence[int]) -> None:
        count = len(section.strengths)
        self.section = section
        self.lot = lot  # the order of equal ratings
        self.points = [0.0] * count
        self.waited = [0] * count
        self.ahead = [0] * count  # games with White less games with Black
        self.last = [0] * count  # the last colour: 1 White, -1 Black
        self.met: set[tuple[int, int]] = set()

    def rank(self, i: int) -> tuple[float, float, int]:
        return -self.points[i], -self.section.ratings[i], self.lot[i]

    def allowed(self, a: int, b: int, rule: _Rule) -> bool:
        schools, ahead = self.section.schools, self.ahead
        return (
            abs(self.points[a] - self.points[b]) <= rule.gap
            and (rule.again or (a, b) not in self.met)
            and (rule.schoolmates or schools[a] != schools[b])
            and (rule.colours or not (ahead[a] * ahead[b] > 0 and min(abs(ahead[a]), abs(ahead[b])) > 1))
        )

    def white(self, a: int, b: int, coin: bool) -> bool:
        """Whether the higher-ranked `a` has White: who had it less often, else who had Black last, else the coin."""
        if self.ahead[a] != self.ahead[b]:
            return self.ahead[a] < self.ahead[b]
        if self.last[a] != self.last[b] or self.last[a]:
            return self.last[a] < 0
        return coin


def play(rng: np.random.Generator, section: Section) -> list[Game]:
    """Every game of the section, round by round, in the order of the boards; who waits comes last."""
    count = len(section.strengths)
    state = _State(section, rng.permutation(count).tolist())
    games: list[Game] = []
    for number in range(1, section.rounds + 1):
        here = sorted((i for i in range(count) if section.leaves.get(i, number) >= number), key=state.rank)
        pairs, waiting = _pairs(here, state)
        coins = rng.random((len(pairs), 2)).tolist()
        for (a, b), (colour, luck) in zip(pairs, coins, strict=True):
            white, black = (a, b) if state.white(a, b, colour < 0.5) else (b, a)
            absent = [(i, number) in section.no_shows for i in (white, black)]
            if any(absent):
                result, status = float(absent[1]), schema.FORFEIT
            else:
                result, status = _result(section.strengths[white] - section.strengths[black], luck), schema.PLAYED
                state.ahead[white] += 1
                state.ahead[black] -= 1
                state.last[white], state.last[black] = 1, -1
            games.append(Game(number, white, black, result, status))
            state.met |= {(a, b), (b, a)}
            state.points[white] += result
            state.points[black] += 1 - result
        if waiting != NOBODY:
            games.append(Game(number, waiting, NOBODY, 1.0, schema.BYE))
            state.points[waiting] += 1
            state.waited[waiting] += 1
    return games


def points(games: Sequence[Game], count: int) -> list[float]:
    """The points of each of `count` entrants, byes and forfeits counted."""
    made = [0.0] * count
    for game in games:
        made[game.white] += game.result
        if game.black != NOBODY:
            made[game.black] += 1 - game.result
    return made


def expected(difference: float) -> float:
    """The expected score against an opponent that much weaker, on the logistic curve over 400 points.

    >>> round(expected(200), 4)
    0.7597
    """
    return float(1 / (1 + 10 ** (-difference / _SCALE)))


def _result(difference: float, luck: float) -> float:
    mean = expected(difference)
    drawn = _DRAWN * mean * (1 - mean)
    return 1.0 if luck < mean - drawn / 2 else 0.5 if luck < mean + drawn / 2 else 0.0


def _pairs(here: list[int], state: _State) -> tuple[list[tuple[int, int]], int]:
    """The pairs of those who are here, in the order of the standings, and who waits."""
    waiting = [NOBODY]
    if len(here) % 2:
        lowest = sorted(here, key=state.rank, reverse=True)
        waiting = sorted(lowest, key=lambda i: (state.waited[i], state.points[i]))
    strict, forced = _RULES[:-1], _RULES[-1:]
    for rules in (strict, forced):
        for out in waiting:
            left = [i for i in here if i != out]
            for rule in rules:
                found = _search(left, state, rule, [_NODES])
                if found is not None:
                    return found, out
    raise AssertionError("any pairing is allowed by the last rule")


def _search(left: list[int], state: _State, rule: _Rule, nodes: list[int]) -> list[tuple[int, int]] | None:
    if not left:
        return []
    nodes[0] -= 1
    top, rest = left[0], left[1:]
    for k in _opponents(left, state):
        if state.allowed(top, rest[k], rule):
            found = _search(rest[:k] + rest[k + 1 :], state, rule, nodes)
            if found is not None:
                return [(top, rest[k]), *found]
            if nodes[0] <= 0:
                return None
    return None


def _opponents(left: list[int], state: _State) -> Iterator[int]:
    """Where in `left[1:]` the first of `left` looks for an opponent.

    In its score group the first of the lower half and those ever farther from it, then the groups below from the top.
    """
    group = sum(state.points[i] == state.points[left[0]] for i in left) - 1
    ideal = (group - 1) // 2
    yield from sorted(range(group), key=lambda k: (abs(k - ideal), -k))
    yield from range(group, len(left) - 1)
