"""The first round of the 2012 National School SCRABBLE Championship: corresponding teams of the halves, schools apart.

Source: "2012 NSSC Seeding". It says nothing of an odd field or of later rounds: what is done there is an option.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ratinglab.pairing.base import HALVES, Pairing, Round, what_gave_way
from ratinglab.pairing.exact import upper_against_lower
from ratinglab.pairing.matching import least_in_order
from ratinglab.pairing.standing import NOBODY, Standing, order_by
from ratinglab.pairing.swiss import Swiss
from ratinglab.pairing.telling import not_to_meet
from ratinglab.periods import Bools, Ints
from ratinglab.problems import UsageError

BYES = ("lowest", "apart")


@dataclass(frozen=True)
class Nssc(Pairing):
    """Seed 1 against n/2 + 1, and so on; teams of one school (`Field.team`) apart, opponents moved as little as can be.

    bye: who sits out of an odd field: `lowest` (the lowest seed) or `apart` (the lowest whose absence leaves fewest
    games within a school).
    later: later rounds, of which the source says nothing: `swiss` (by wins and spread, in halves, schools apart as far
    as can be) or `none` (asking for one is an error).
    """

    name: ClassVar[str] = "nssc"

    bye: str = "lowest"
    later: str = "swiss"

    def __post_init__(self) -> None:
        """Options are words that mean something."""
        self.one_of("bye", BYES)
        self.one_of("later", ("swiss", "none"))

    def pair(self, standing: Standing, rng: np.random.Generator) -> Round:
        if standing.round > 1:
            if self.later == "none":
                raise UsageError(f"nssc pairs the first round only; round {standing.round} was asked for")
            return Swiss(teams_apart=True).pair(standing, rng)
        t, n = standing.field.shape
        opponent, away = np.full((t, n), NOBODY, dtype=np.int64), np.zeros((t, n), dtype=np.int64)
        order = order_by((standing.here, *standing.field.keys))
        for at in range(t):
            listed = order[at][standing.here[at][order[at]]]
            both = np.ix_(listed, listed)
            made, moved = draw(standing.field.team_mates[at][both], standing.field.barred[at][both], self.bye)
            paired = np.flatnonzero(made != NOBODY)
            opponent[at, listed[paired]] = listed[made[paired]]
            away[at, listed] = moved
        gave_way = what_gave_way(standing, opponent) | np.where(away > 0, HALVES, 0)
        return Round(opponent, np.zeros_like(opponent), gave_way, away, np.zeros(t, dtype=bool))

    def why(self, standing: Standing, made: Round, pair: tuple[int, int], names: Sequence[str]) -> list[str]:
        if standing.round > 1:
            return Swiss(teams_apart=True).why(standing, made, pair, names)
        order = order_by((standing.here, *standing.field.keys))[0]
        listed = [i for i in order.tolist() if made.opponent[0, i] != NOBODY]
        high, low = sorted(listed.index(i) for i in pair)
        half = len(listed) // 2
        told = f"seeds {high + 1} and {low + 1}"
        if high < half and low == high + half:
            return [f"{told}, the corresponding ones of the two halves"]
        ideal = listed[high + half] if high < half else listed[low - half]
        against = not_to_meet(standing, listed[high], ideal, teams=True)
        why = against or "needed elsewhere, so that schools are apart"
        return [f"{told}; corresponding would be {names[ideal]} for {names[listed[high]]} ({why})"]


def draw(schools: Bools, barred: Bools | None = None, bye: str = "lowest") -> tuple[Ints, Ints]:
    """The opponents (m,) of seeds 1 to m, those of the two halves that correspond, and how far each was moved (m,).

    schools (m, m): who is of one school; barred (m, m): pairs that cannot be. As few of one school meet as in any
    pairing, then as few leave their half, then all are as few places as possible from their corresponding opponents.
    Only a school with more than half of the field must meet itself, exactly as often as it is more than half (Hall's
    theorem), and nothing is won by leaving the halves. `bye` as `Nssc` says.

    >>> draw(np.zeros((5, 5), dtype=bool))[0].tolist()
    [2, 3, 0, 1, -1]
    """
    m = len(schools)
    clash = schools.astype(np.int64)
    barred = np.eye(m, dtype=bool) if barred is None else barred
    opponent = np.full(m, NOBODY, dtype=np.int64)
    playing = np.arange(m)
    if m % 2:
        # the bye is one more team that anybody may meet, the lower the better
        costs = [np.pad(clash, (0, 1)), np.pad(np.zeros_like(clash), (0, 1))]
        costs[1][-1, :-1] = costs[1][:-1, -1] = m - 1 - playing
        wanted = costs if bye == "apart" else costs[1:]
        alone = least_in_order(wanted, np.pad(barred, (0, 1)))[-1]
        playing = np.delete(playing, alone)
    both = np.ix_(playing, playing)
    made = upper_against_lower(barred[both], (clash[both],))
    paired = np.flatnonzero(made != NOBODY)
    opponent[playing[paired]] = playing[made[paired]]
    moved = np.zeros(m, dtype=np.int64)
    moved[playing[paired]] = np.abs(np.abs(made - np.arange(len(made))) - len(made) // 2)[paired]
    return opponent, moved
