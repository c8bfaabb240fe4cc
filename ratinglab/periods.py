"""What is rated at once, as index arrays: prepared once for a history, used by every system and every parameter.

A **period** is one section of one event. Periods that share no person can be rated together, so the schedule packs
them, in time order, into **batches**: fewer, larger array operations, the same figures. Rows:

- an *entry* is one person in one period (a team's member, or a lone player),
- a *unit* is what plays: a team, or a lone player; a unit's entries stand together,
- a *game* is one rated game between units `a` and `b`, `a` the one whose name sorts first.

Only rated games are here; byes, forfeits and unplayed games stay in the history. Sums over a unit's games are products
with sparse matrices that do not depend on any parameter, so all columns of a grid share them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Made = TypeVar("Made")


class Lines(NamedTuple):
    """Games as one side sees them: the entry, the opposing unit, the game, and +1 for side `a`, -1 for side `b`."""

    entry: Ints
    opponent: Ints
    game: Ints
    side: Floats


class Listed(NamedTuple):
    """What rating lists of one kind say of each entry's person up to the event, (entries,), nan where nothing."""

    latest: Floats
    peak: Floats


@dataclass(frozen=True)
class Batch:
    """Periods without a person in common. All indices are local to the batch; shapes (entries,), (units,), (games,)."""

    # where its rows stand in the schedule
    entries: slice
    units: slice
    games: slice
    # per entry
    person: Ints
    unit: Ints
    entry_period: Ints
    previous: Ints  # the schedule's row of the person's previous entry, -1 where there is none to start from
    filed_rating: Floats  # nan: unrated
    filed_deviation: Floats
    idle_days: Floats  # since the person last played a rated game; 0 where never
    lifetime_known: Floats  # lifetime games as last filed (nan: never filed) …
    lifetime_since: Floats  # … and rated games since then, before this period
    born: npt.NDArray[np.datetime64]  # NaT: not known
    grade: Floats  # of school, kindergarten 0; nan: not known
    place: Floats  # in the final placings; nan: none
    field: Floats  # entrants by the event's header, which a place is out of; nan: not known
    listed: Ints  # games in the files, whatever their status: byes and forfeits too
    unopposed: Ints  # of these, those without an opponent
    # in this history before this period (a section of the person's event may lie before it)
    listed_before: Ints
    wins_before: Ints
    draws_before: Ints
    events_before: Ints  # with a rated game, before the person's event
    lists: Mapping[str, Listed]  # by the kind of rating list (missing: ""), of dates up to the event's first day
    # per unit
    unit_first: Ints  # its first entry
    unit_period: Ints
    # per game
    a: Ints
    b: Ints
    result: Floats  # of a: 1, ½ or 0
    spread: Floats  # of a, in points; nan: not known
    cap: Floats  # the largest spread that counts, as filed; inf: none
    round: Ints
    first: Floats  # +1 a went first (or had White), -1 b did, 0 not known
    game_period: Ints
    # per period
    rounds: Ints
    day: npt.NDArray[np.datetime64]  # the event's last day; NaT: not known
    championship: Sequence[str]
    pool: Sequence[str]
    filed_system: Sequence[str]
    both_sides: bool = False  # `lines` tell every game from both sides, also where all play alone
    _cache: dict[Any, Any] = dataclass_field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def lone(self) -> bool:
        """Whether every unit is a single player, so that what one wins the other loses."""
        return len(self.person) == len(self.unit_first) and not self.both_sides

    @cached_property
    def members(self) -> Ints:
        """Members of each unit."""
        return np.diff(self.unit_first, append=len(self.person))

    @cached_property
    def played(self) -> Ints:
        """Rated games of each entry."""
        n = len(self.unit_first)
        games = np.bincount(self.a, minlength=n) + np.bincount(self.b, minlength=n)
        return self.to_entries(games.astype(np.int64))

    @cached_property
    def wins(self) -> Floats:
        """Wins of each entry in rated games, a tie counting ½."""
        n = len(self.unit_first)
        wins = tally(self.a, self.result, n) + tally(self.b, 1 - self.result, n)
        return self.to_entries(wins)

    @cached_property
    def draws(self) -> Ints:
        """Drawn rated games of each entry."""
        n = len(self.unit_first)
        drawn = self.result == 0.5
        return self.to_entries(np.bincount(self.a[drawn], minlength=n) + np.bincount(self.b[drawn], minlength=n))

    @cached_property
    def placed(self) -> Ints:
        """1 for each entry with a place in the final placings, else 0."""
        return (~np.isnan(self.place)).astype(np.int64)

    @cached_property
    def age(self) -> Floats:
        """Completed years of each entry's person on the event's last day, (entries,); nan where it is not known."""
        day, born = self.day[self.entry_period], self.born
        known = ~(np.isnat(day) | np.isnat(born))
        day, born = (np.where(known, of, np.datetime64("2000-01-01")) for of in (day, born))
        years = day.astype("datetime64[Y]").astype(int) - born.astype("datetime64[Y]").astype(int)
        # days into the year compare birthdays; who was born on 29 February turns a year older on 1 March
        birthday = born.astype("datetime64[M]").astype(int) % 12 * 31 + _day_of_month(born)
        today = day.astype("datetime64[M]").astype(int) % 12 * 31 + _day_of_month(day)
        return np.where(known, years - (today < birthday), np.nan)

    def to_entries(self, per_unit: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Values of units, given to each of their members."""
        return per_unit if self.lone else per_unit[self.unit]

    def any_member(self, entries: Bools) -> Bools:
        """Whether any member of each unit is among these entries (entries,)."""
        alone = len(self.person) == len(self.unit_first)
        found: Bools = entries if alone else np.logical_or.reduceat(entries, self.unit_first)
        return found

    def remembered(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` gives, made once: for what depends on the batch and a setting, not on any state."""
        if key not in self._cache:
            self._cache[key] = make()
        made: Made = self._cache[key]
        return made

    @cached_property
    def starting(self) -> Ints:
        """The entries that do not start where the person's previous one ended."""
        return np.flatnonzero(self.previous < 0)

    def lifetime_games(self, unknown: Any) -> Floats:
        """Lifetime games before the period, shape (entries, 1); `unknown` stands where none were ever filed."""
        known = self.lifetime_known[:, None]
        return np.where(np.isnan(known), unknown, known) + self.lifetime_since[:, None]

    # --- sums over games -------------------------------------------------------------------------------------------

    @cached_property
    def sides(self) -> tuple[Ints, Ints]:
        """For each unit in turn its sides (game, or games + game for side b), and where each unit's begin."""
        both = np.concatenate([self.a, self.b])
        units = len(self.unit_first)
        # numpy sorts 16-bit numbers several times as fast
        order = np.argsort(both.astype(np.uint16) if units < 1 << 16 else both, kind="stable")
        begins = np.concatenate([[0], np.cumsum(np.bincount(both, minlength=units))])
        return order, begins

    def _matrix(self, values: Floats, columns: Ints, width: int) -> csr_matrix:
        from scipy.sparse import csr_matrix

        order, begins = self.sides
        return csr_matrix((values[order], columns[order], begins), shape=(len(self.unit_first), width))

    @cached_property
    def _meetings(self) -> csr_matrix:
        """How often unit i met unit j, (units, units)."""
        opponents = np.concatenate([self.b, self.a])
        return self._matrix(np.ones(len(opponents)), opponents, len(self.unit_first))

    def sum_opponents(self, values: Floats) -> Floats:
        """Per unit the sum over its games of its opponents' `values` (units, p)."""
        if values.shape[1] > 1:
            product: Floats = self._meetings @ values
            return product
        # of a single column, counting is quicker than a product with the matrix
        one, n = values[:, 0], len(values)
        total = tally(self.a, one.take(self.b), n) + tally(self.b, one.take(self.a), n)
        return total[:, None]

    def sum_spreads(self, values: Floats, caps: Floats) -> Floats:
        """Per unit the sum over its games of the spread, cut to ± `caps` (games,), times the opponent's `values`."""
        cut = self.remembered(("spreads", caps.tobytes()), lambda: np.clip(self.spread, -caps, caps))
        if values.shape[1] > 1:

            def made() -> csr_matrix:
                opponents = np.concatenate([self.b, self.a])
                return self._matrix(np.concatenate([cut, -cut]), opponents, len(self.unit_first))

            product: Floats = self.remembered(("spread matrix", caps.tobytes()), made) @ values
            return product
        one, n = values[:, 0], len(values)
        total = tally(self.a, cut * one.take(self.b), n) - tally(self.b, cut * one.take(self.a), n)
        return total[:, None]

    @cached_property
    def lines(self) -> Lines:
        """What `sum_lines` adds up: a line a game where all play alone (one wins what the other loses), else all."""
        if self.lone:
            return Lines(self.a, self.b, np.arange(len(self.a)), np.ones(len(self.a)))
        return self.directed

    @cached_property
    def directed(self) -> Lines:
        """A line for every member of both sides of every game, grouped by entry."""
        order, begins = self.sides
        n = len(self.a)
        games, side = order % n if n else order, np.where(order < n, 1.0, -1.0)
        opponent = np.concatenate([self.b, self.a])[order]
        per_entry = np.diff(begins)[self.unit]
        entry = np.repeat(np.arange(len(self.person)), per_entry)
        # the members of a unit go through the same stretch of sides, one after the other
        offset = np.arange(len(entry)) - np.repeat(np.cumsum(per_entry) - per_entry, per_entry)
        at = begins[:-1][self.unit][entry] + offset
        return Lines(entry, opponent[at], games[at], side[at])

    @cached_property
    def _line_sums(self) -> csr_matrix:
        from scipy.sparse import csr_matrix

        if self.lone:
            n = len(self.a)
            return self._matrix(np.repeat([1.0, -1.0], n), np.tile(np.arange(n), 2), n)
        entry = self.directed.entry
        begins = np.concatenate([[0], np.cumsum(np.bincount(entry, minlength=len(self.person)))])
        return csr_matrix((np.ones(len(entry)), np.arange(len(entry)), begins), shape=(len(self.person), len(entry)))

    @cached_property
    def line_results(self) -> Floats:
        """The result of each of `lines`, (lines, 1), as its own side sees it."""
        result = self.result[self.lines.game]
        return np.where(self.lines.side > 0, result, 1 - result)[:, None]

    @cached_property
    def line_first(self) -> Floats:
        """Of each of `lines`: +1 where its own side went first, -1 second, 0 where it is not known."""
        return self.first[self.lines.game] * self.lines.side

    @cached_property
    def line_period(self) -> Ints:
        """The period of each of `lines`."""
        return self.game_period[self.lines.game]

    def sum_lines(self, values: Floats) -> Floats:
        """Per entry the sum over its games of `values` (lines, p), which change sign with the side."""
        if values.shape[1] > 1:
            product: Floats = self._line_sums @ values
            return product
        one, n = values[:, 0], len(self.person)
        if self.lone:
            return (tally(self.a, one, n) - tally(self.b, one, n))[:, None]
        return tally(self.lines.entry, one, n)[:, None]

    # --- parts -----------------------------------------------------------------------------------------------------

    @cached_property
    def told_from_both_sides(self) -> Batch:
        """The batch with `lines` from both sides, for sums that do not change sign with the side, and for workings."""
        if not self.lone:
            return self
        return replace(self, both_sides=True, _cache={})

    def with_games(self, kept: Bools) -> Batch:
        """The same entries and units with only the games that are `kept`."""
        per_game = {
            name: getattr(self, name)[kept]
            for name in ("a", "b", "result", "spread", "cap", "round", "first", "game_period")
        }
        return replace(self, **per_game, _cache={})

    @cached_property
    def with_spread(self) -> Batch:
        """The batch without the games whose spread is not known; itself where all are."""
        known = ~np.isnan(self.spread)
        return self if known.all() else self.with_games(known)

    def parts(self, last_rounds: Ints) -> list[Batch]:
        """The batch cut into segments by rounds.

        `last_rounds` (periods, segments - 1) holds the last round of each segment but the last.
        """
        if last_rounds.shape[1] == 0:
            return [self]

        def made() -> list[Batch]:
            segment = (self.round[:, None] > last_rounds[self.game_period]).sum(axis=1)
            return [self.with_games(segment == k) for k in range(last_rounds.shape[1] + 1)]

        return self.remembered(("parts", last_rounds.tobytes()), made)


def _day_of_month(day: npt.NDArray[np.datetime64]) -> Ints:
    of: Ints = (day.astype("datetime64[D]") - day.astype("datetime64[M]").astype("datetime64[D]")).astype(np.int64)
    return of


def tally(rows: Ints, weights: Floats, n: int) -> Floats:
    """The sum of the weights that fall on each of `n` rows."""
    return cast(Floats, np.bincount(rows, weights, n))  # of weights it is float64, which the stubs do not know


def take(values: Floats, rows: Ints) -> Floats:
    """`values[rows]` of an array (n, p), by the quicker of numpy's ways."""
    if values.shape[1] == 1:
        return values[:, 0].take(rows)[:, None]
    return values.take(rows, axis=0)


def group_mean(values: Floats, group: Ints, groups: int) -> Floats:
    """Mean of the rows of `values` (n, p) in each group, nan rows left out; nan for a group without any."""
    known = ~np.isnan(values)
    out = np.full((groups, values.shape[1]), np.nan)
    for column in range(values.shape[1]):
        rows = known[:, column]
        count = np.bincount(group[rows], minlength=groups)
        total = np.bincount(group[rows], values[rows, column], minlength=groups)
        np.divide(total, count, out=out[:, column], where=count > 0)
    return out
