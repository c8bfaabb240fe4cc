"""How Evanston's scholastic chess tournaments are paired.

Source: "How players are seeded, rated and paired at Evanston Scholastic Chess tournaments". Its rules in order: nobody
meets twice, nobody meets a team-mate (both "close to being absolute"), equal scores meet, equal numbers of games with
White and Black, and last that colours alternate. Where it is silent the choice is told below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ratinglab.pairing.base import ALTERNATION, COLOUR, FLOAT, HALVES, Pairing, Round, what_gave_way
from ratinglab.pairing.colours import colour_costs, due, last_colour
from ratinglab.pairing.exact import Cost, exact_round, meetings, upper_against_lower
from ratinglab.pairing.standing import NOBODY, Standing, order_by, places
from ratinglab.pairing.telling import not_to_meet, points
from ratinglab.periods import Ints
from ratinglab.problems import UsageError

_POINT = 2  # in halves


@dataclass(frozen=True)
class Evanston(Pairing):
    """Score groups ranked by rating, the upper half against the lower; what must give way gives way in a fixed order.

    floater: who moves out of an odd score group. `down`: its lowest-rated player, to meet the highest-rated below that
    he may; `up`: the highest-rated of the next group, to meet the lowest-rated above. Where both cannot be had, the one
    who moves is found first. If a group cannot be paired within itself, more of its players move in the same way.
    small: a section of so many players or fewer is "very small": to meet somebody more than a point away is no breach.
    places: when it counts that those of a half meet in order of rank, and who floats: `last`, so that colours decide
    who of the other half one meets; `before-alternation`; or `before-colours`.
    start: the colour of number 1 in the first round: `drawn`, `white` or `black`; the others' follow by number.
    wait: what PLEASE WAIT comes to, for whoever gives the points: `point`, `game` (found by the floor director) or
    `unrated-game`. Pairs do not depend on it.

    In an odd field the lowest-rated player of the lowest score group waits, nobody twice before all have; another one
    where that spares a second meeting or team-mates. A pair of one half never counts as in order, so halves are left
    only to spare a second meeting, team-mates or a float. Giving way begins with alternation, then colour balance,
    the size of floats, team-mates, and second meetings at the very last.
    """

    name: ClassVar[str] = "evanston"
    has_colours: ClassVar[bool] = True

    floater: str = "down"
    small: int = 8
    places: str = "last"
    start: str = "drawn"
    wait: str = "point"

    def __post_init__(self) -> None:
        """Options are words and numbers that mean something."""
        self.one_of("floater", ("down", "up"))
        self.one_of("places", ("last", "before-alternation", "before-colours"))
        self.one_of("start", ("drawn", "white", "black"))
        self.one_of("wait", ("point", "game", "unrated-game"))
        if self.small < 0:
            raise UsageError(f"evanston: small is a number of players, 0 or more; found {self.small}")

    @property
    def _colours_first(self) -> int:
        """How many of the two rules of colours come before places."""
        return {"last": 2, "before-alternation": 1, "before-colours": 0}[self.places]

    def pair(self, standing: Standing, rng: np.random.Generator) -> Round:
        t, n = standing.field.shape
        drawn = rng.integers(0, 2, size=t) * 2 - 1
        start = drawn if self.start == "drawn" else np.full(t, 1 if self.start == "white" else -1)
        order = order_by((standing.here, standing.points, *standing.field.keys))
        opponent, away = np.full((t, n), NOBODY, dtype=np.int64), np.zeros((t, n), dtype=np.int64)
        for at in range(t):
            opponent[at], away[at] = self._one(standing, at, order[at])
        first = due(standing, opponent, start)
        gave_way = what_gave_way(standing, opponent) | self._floats_and_colours(standing, opponent, first)
        gave_way |= np.where(away > 0, HALVES, 0)
        return Round(opponent, first, gave_way, away, np.zeros(t, dtype=bool))

    def why(self, standing: Standing, made: Round, pair: tuple[int, int], names: Sequence[str]) -> list[str]:
        own = standing.points[0]
        one, other = sorted(pair, key=lambda i: -own[i])
        if own[one] != own[other]:
            return [self._float_why(standing, one, other, names)]
        order = order_by((standing.here, standing.points, *standing.field.keys))[0]
        opponent = made.opponent[0]
        within = [i for i in order.tolist() if own[i] == own[one] and opponent[i] != NOBODY]
        within = [i for i in within if own[opponent[i]] == own[one]]
        half = len(within) // 2
        one, other = sorted(pair, key=within.index)
        at = within.index(one)
        group = f"{len(within)} on {points(own[one])}" if standing.round > 1 else f"{len(within)}"
        group = f"of the {group} who meet among themselves, nos. {at + 1} and {within.index(other) + 1} by rating"
        if at >= half or made.away[0, one] == 0:
            return [f"{group}, the upper half against the lower"]
        ideal = within[at + half]
        against = not_to_meet(standing, one, ideal, teams=True)
        why = against or "another pair could not be made otherwise, or colours come out better"
        return [f"{group}; the corresponding one of the lower half is {names[ideal]} ({why})"]

    def _float_why(self, standing: Standing, one: int, other: int, names: Sequence[str]) -> str:
        """Why two of different points meet: who moved, out of which group."""
        own = standing.points[0]
        down = self.floater == "down"
        who, to = (one, other) if down else (other, one)
        group = np.flatnonzero(standing.here[0] & (own == own[who]))
        odd = f"{len(group)} players, {'an odd number' if len(group) % 2 else 'who cannot all meet each other'}"
        if len(group) == 1:
            odd = "nobody else has as many"
        elif len(group) == 2:
            against = not_to_meet(standing, int(group[0]), int(group[1]), teams=True)
            odd = f"the two on it are not to meet: {against}" if against else "the two on it are needed elsewhere"
        told = f"{names[who]} floats {'down' if down else 'up'} from the group on {points(own[who])} ({odd})"
        between = np.unique(own[standing.here[0]])
        skipped = int(((between < own[one]) & (between > own[other])).sum())
        if skipped:
            told += f", past {skipped} {'group' if skipped == 1 else 'groups'} where nobody could be had"
        return f"{told}, to meet {names[to]}"

    def _one(self, standing: Standing, t: int, order: Ints) -> tuple[Ints, Ints]:
        """One tournament's opponents (n,), and how many places from the corresponding ones they are."""
        points = standing.points[t]
        listed = order[standing.here[t][order]]
        colours = colour_costs(standing, t)
        again, times = meetings(standing, t)
        absolute = (again, Cost(standing.field.team_mates[t].astype(np.int64)), times)
        groups = [listed[points[listed] == score] for score in np.unique(points[listed])[::-1]]
        if all(len(group) % 2 == 0 for group in groups):
            opponent, away = self._within(standing, t, groups, colours)
            paired = np.flatnonzero(opponent != NOBODY)
            # with nothing given up above the size of floats, and no float, there is nothing to be had by any
            if len(paired) == len(listed) and not any(
                cost.pair is not None and cost.pair[paired, opponent[paired]].any() for cost in absolute
            ):
                return opponent, away
        floated = exact_round(standing, t, *absolute, *self._floating(standing, t, order, groups, colours))
        crossing = (floated != NOBODY) & (points != points[np.maximum(floated, 0)])
        left = ~crossing & (floated != NOBODY)
        opponent, away = self._within(standing, t, [group[left[group]] for group in groups], colours)
        opponent[crossing] = floated[crossing]
        return opponent, away

    def _within(self, standing: Standing, t: int, groups: list[Ints], colours: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
        """Each group of even size paired within itself, its upper half against its lower."""
        n = standing.field.shape[1]
        opponent, away = np.full(n, NOBODY, dtype=np.int64), np.zeros(n, dtype=np.int64)
        barred, mates = standing.field.barred[t], standing.field.team_mates[t].astype(np.int64)
        met = standing.met[t]
        balance, again = colours
        for group in groups:
            both = np.ix_(group, group)
            before = ((met > 0).astype(np.int64)[both], mates[both], met[both])
            wanted = (balance[both], again[both])
            made = upper_against_lower(
                barred[both], before, wanted[: self._colours_first], wanted[self._colours_first :]
            )
            paired = np.flatnonzero(made != NOBODY)
            opponent[group[paired]] = group[made[paired]]
            half = len(group) // 2
            ideal = np.where(np.arange(len(group)) < half, np.arange(len(group)) + half, np.arange(len(group)) - half)
            away[group[paired]] = np.abs(made - ideal)[paired]
        return opponent, away

    def _floating(
        self, standing: Standing, t: int, order: Ints, groups: list[Ints], colours: tuple[Ints, Ints]
    ) -> list[Cost]:
        """What floats and the bye cost, after second meetings and team-mates, the most important first."""
        n = len(order)
        points = standing.points[t]
        gap = np.abs(points[:, None] - points[None, :])
        costs = [Cost(bye=n - 1 - places(order[None, :])[0])]
        if standing.here[t].sum() > self.small:
            costs.append(Cost(np.maximum(gap - _POINT, 0)))
        # squared, so that two floats to the next group are less than one across a group
        costs.append(Cost(gap**2))
        # of a group that cannot be paired, players drop rather than draw others down; with `up`, the other way about
        lower = np.minimum(points[:, None], points[None, :])
        costs.append(Cost((gap + lower if self.floater == "down" else points.max() - lower) * (gap > 0)))
        top, bottom = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        for group in groups:
            top[group] = np.arange(len(group))
            bottom[group] = np.arange(len(group))[::-1]
        higher = points[:, None] > points[None, :]
        above = np.where(higher, bottom[:, None], bottom[None, :]) * (gap > 0)
        below = np.where(higher, top[None, :], top[:, None]) * (gap > 0)
        who = [Cost(above), Cost(below)] if self.floater == "down" else [Cost(below), Cost(above)]
        balance, again = (Cost(cost) for cost in colours)
        wanted = [balance, again]
        return [*costs, *wanted[: self._colours_first], *who, *wanted[self._colours_first :]]

    def _floats_and_colours(self, standing: Standing, opponent: Ints, first: Ints) -> Ints:
        """The bits of floats of more than a point, colours out of balance, and the same colour again, (T, n)."""
        paired = opponent != NOBODY
        gap = np.abs(standing.points - np.take_along_axis(standing.points, np.maximum(opponent, 0), axis=1))
        large = (standing.here.sum(axis=1) > self.small)[:, None]
        gave_way = np.where(paired & large & (gap > _POINT), FLOAT, 0)
        balance = standing.first_less_second
        worse = np.abs(balance + first) > np.maximum(np.abs(balance), 1)
        gave_way |= np.where(paired & worse, COLOUR, 0)
        gave_way |= np.where(paired & (first == last_colour(standing)), ALTERNATION, 0)
        return gave_way
