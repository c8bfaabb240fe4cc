"""What systems share that take pairs from a list: the compiled search, and the exact matching where that fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ratinglab.pairing.base import FALLBACK, Pairing, Round, sitting_out, what_gave_way
from ratinglab.pairing.colours import balanced_firsts
from ratinglab.pairing.exact import Cost, meetings, near_ideal
from ratinglab.pairing.search import pair_all
from ratinglab.pairing.standing import NOBODY, Standing
from ratinglab.pairing.telling import from_list
from ratinglab.periods import Ints
from ratinglab.problems import UsageError

FREE, AVOID = "free", "avoid"


@dataclass(frozen=True)
class Listed(Pairing):
    """Options of the systems that pair from a list.

    repeats: `avoid` (nobody meets twice, and as few as possible do where it cannot be avoided) or `free` (earlier
    meetings are ignored).
    teams_apart: players of one team do not meet; where something must give way, that comes before second meetings.
    firsts: who goes first: `table` (drawn at the table) or `balanced` (who went first less often; a draw if equal).
    most: pairs tried before the search is given up for the exact matching.

    In an odd field the last of the list with the fewest byes sits out, or another one with as few where that spares a
    second meeting or team-mates.
    """

    repeats: str = AVOID
    teams_apart: bool = False
    firsts: str = "table"
    most: int = 20_000

    def __post_init__(self) -> None:
        """Options are words and numbers that mean something."""
        self.one_of("repeats", (AVOID, FREE))
        self.one_of("firsts", ("table", "balanced"))
        if self.most < 1:
            raise UsageError(f"{self.name}: most is 1 or more; found {self.most}")

    def from_list(self, standing: Standing, order: Ints, group: Ints, rng: np.random.Generator) -> Round:
        """The round of a list: order (T, n), those who are here first; group (T, n) says who is paired with whom.

        Those of one group stand together in the list, and are paired as `search.pair_halves` says.
        """
        out = sitting_out(standing, order)
        count = standing.here.sum(axis=1)
        barred = standing.field.barred
        if self.repeats == AVOID:
            barred = barred | (standing.met > 0)
        if self.teams_apart:
            barred = barred | standing.field.team_mates
        opponent, away, trials = pair_all(to_the_end(order, out), count - count % 2, group, barred, False, self.most)
        failed = trials < 0
        for t in np.flatnonzero(failed).tolist():
            opponent[t], away[t] = near_ideal(standing, t, order[t], group[t], *self.costs(standing, t))
        return self.told(standing, opponent, away, failed, rng)

    def of_list(
        self, standing: Standing, order: Ints, group: Ints, made: Round, pair: tuple[int, int], names: Sequence[str]
    ) -> list[str]:
        """`why` of a round that `from_list` made of this list, order and group (T, n), T = 1."""
        listed = order[0][standing.here[0][order[0]]]
        limit = 0 if self.repeats == AVOID else None
        return from_list(standing, listed, group[0], made.opponent[0], pair, names, limit=limit, teams=self.teams_apart)

    def costs(self, standing: Standing, t: int) -> tuple[Cost, ...]:
        """What is not to happen in tournament `t`, the worst first."""
        mates = (Cost(standing.field.team_mates[t].astype(np.int64)),) if self.teams_apart else ()
        if self.repeats == FREE:
            return mates
        again, times = meetings(standing, t)
        return (again, *mates, times)

    def told(
        self, standing: Standing, opponent: Ints, away: Ints, failed: np.ndarray, rng: np.random.Generator
    ) -> Round:
        """The round with what gave way in it, and who goes first."""
        gave_way = what_gave_way(standing, opponent, teams=self.teams_apart)
        gave_way |= np.where((opponent != NOBODY) & failed[:, None], FALLBACK, 0)
        first = balanced_firsts(standing, opponent, rng) if self.firsts == "balanced" else np.zeros_like(opponent)
        return Round(opponent, first, gave_way, np.where(opponent != NOBODY, away, 0), failed)


def to_the_end(order: Ints, out: Ints) -> Ints:
    """The order (T, n) with `out` (T,) after everybody else."""
    return np.take_along_axis(order, np.argsort(order == out[:, None], axis=1, kind="stable"), axis=1)
