"""CoCo ratings: Glixo as the Collins Coalition's committee uses it, with a multiplier for experience.

What is of Glixo is in `ratinglab.systems.glixo`; here is what is added. The rules were established by reproducing
every published rating of five years: they hold to the last digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ratinglab.periods import Batch, Bools, Floats, Ints
from ratinglab.problems import UsageError
from ratinglab.systems.base import Number, Part, State, Update, section_mean, team_strength
from ratinglab.systems.glixo import Glixo
from ratinglab.systems.workings import Workings

_DIGITS = 9  # behind the point: what the order of sums leaves uncertain does not decide which way a half is rounded


class FirstTimers(NamedTuple):
    """Those of a batch who have no rating yet and have games in it, in the order in which a pass rates them.

    Rows of arrays are first-timers; columns of `meetings` are the units that have no rating yet.
    """

    who: Ints  # entries
    unrated: Ints  # units
    meetings: Any  # how often each first-timer meets each unrated unit, a sparse matrix
    turns: list[tuple[Ints, Any]]  # who can be rated at the same time, with their rows of `meetings`
    share: Floats  # of the listed games, those against somebody unrated
    period: Ints


@dataclass(frozen=True)
class Coco(Glixo):
    """μ + m·(μ' - μ) in whole points, where μ' = σ'²·(μ/σ² + Σ ν_i/ρ_i) and 1/σ'² = 1/σ² + Σ 1/ρ_i, as in Glixo.

    b, tau, initial, initial_deviation, floor, spread_cap, growth, c, max_deviation: as in Glixo, with the committee's
    values: σ² grows by c² = 100 a day since the last event, up to σ = 150.
    The multiplier m goes by career games: all listed games of the person in the history, byes and forfeits too, with
    those of this event; where the files tell of more games before it (lifetime games), those count. Under
    `full_games` m is 1; above `veteran_games` it is `veteran_multiplier`; between, it goes by the rating before the
    event (above band_2 multiplier_2, above band_1 multiplier_1, else 1) and is at most 1 - games/fading_games.
    rounding: ratings are whole numbers, halves to the even one, and deviations have two digits.

    First-timers: a filed rating of `least_filed` or more is the rating before the event. All others are unrated:
    they start at `initial`, and in up to `passes` passes each in turn, in the order of the entries, is rated from the
    ratings as they stand; the result is the new rating, also as an opponent of those who are rated then. Who has met
    unrated opponents in `unrated_share` of the listed games or more begins each pass at the sum of the ratings of the
    section's rated entrants over the number of all its entrants, or at `initial` where that is below the floor.
    Passes end when none has moved a rating of the section by `tolerance`. The deviation remains `initial_deviation`.
    A section with byes has one more entrant, the bye, who always is at `initial` and counts as rated.
    In a forecast somebody unrated stands at the mean of the section's rated entrants (`initial` where there is none).
    """

    name: ClassVar[str] = "coco"
    in_points: ClassVar[tuple[str, ...]] = (*Glixo.in_points, "band_1", "band_2", "tolerance")  # but for rounding

    initial_deviation: Number = 150.0
    floor: Number = 300.0
    spread_cap: str | Sequence[float] = "none"
    growth: str = "linear"
    max_deviation: Number = 150.0
    full_games: Number = 200.0
    veteran_games: Number = 1000.0
    veteran_multiplier: Number = 0.5
    band_1: Number = 1800.0
    band_2: Number = 2000.0
    multiplier_1: Number = 0.75
    multiplier_2: Number = 0.5
    fading_games: Number = 1800.0
    least_filed: Number = 100.0
    unrated_share: Number = 0.4
    passes: Number = 50.0
    tolerance: Number = 1e-4
    rounding: bool = True

    def validate(self) -> None:
        super().validate()
        self.require(["fading_games"], "above 0", 0)
        low = ["full_games", "veteran_multiplier", "multiplier_1", "multiplier_2", "unrated_share", "tolerance"]
        self.require(low, "0 or more", 0, strict=False)
        self.require(["passes"], "1 or more", 1, strict=False)
        if isinstance(self.least_filed, tuple):
            raise UsageError(f"{self.name}: least_filed is one number, since it says who is rated; found a list")
        for lower, higher in (("band_1", "band_2"), ("full_games", "veteran_games"), ("veteran_games", "fading_games")):
            if np.any(np.asarray(self.value(lower)) > np.asarray(self.value(higher))):
                raise UsageError(f"{self.name}: {lower} must not be above {higher}")

    # --- before the event --------------------------------------------------------------------------------------------

    def newcomer_rating(self) -> Any:
        """Not rated (nan) until the first event gives a rating."""
        return np.nan

    def start(self, batch: Batch, rows: Ints) -> State:
        state = super().start(batch, rows)
        filed = state["rating"] >= self.value("least_filed")
        return {
            "rating": np.where(filed, state["rating"], np.nan),
            "deviation": np.where(filed, state["deviation"], self.value("initial_deviation")),
        }

    def strength(self, state: State, batch: Batch) -> State:
        """As for every system; somebody unrated stands at the mean of the section's rated entrants."""
        return super().strength(state | {"rating": section_mean(state["rating"], batch, self.value("initial"))}, batch)

    # --- the update --------------------------------------------------------------------------------------------------

    def multiplier(self, rating: Floats, career: Floats) -> Floats:
        """What part of a change counts, at a rating before the event (n, p) with this many career games (n, 1)."""
        if np.max(career, initial=0) < np.min(self.value("full_games")):
            return np.ones_like(career)
        by_rating = np.where(
            rating > self.value("band_2"),
            self.value("multiplier_2"),
            np.where(rating > self.value("band_1"), self.value("multiplier_1"), 1.0),
        )
        between = np.minimum(by_rating, 1 - career / self.value("fading_games"))
        veteran = np.where(career > self.value("veteran_games"), self.value("veteran_multiplier"), between)
        part: Floats = np.where(career < self.value("full_games"), 1.0, veteran)
        return part

    def career_games(self, batch: Batch) -> Floats:
        """Listed games of each entry's person, those of the batch among them, (entries, 1)."""

        def made() -> Floats:
            filed = batch.lifetime_known + batch.lifetime_since
            known: Floats = np.fmax(batch.listed_before, filed)
            return (known + batch.listed)[:, None]

        return batch.remembered("coco career games", made)

    def whole(self, rating: Floats) -> Floats:
        """A rating in whole points, halves to the even one, if the system rounds."""
        return np.rint(np.round(rating, _DIGITS)) if self.rounding else rating

    def update(self, state: State, batch: Batch, workings: Workings | None = None) -> Update:
        known = batch.with_spread
        rated = ~np.isnan(state["rating"])
        career = self.career_games(batch)
        now = state
        if not rated.all():
            now = state | {"rating": self._first_ratings(state, known, career, workings)}
        units = team_strength(now, known)
        weight = self.weight(units)
        unbounded, variance = self.posterior(now, units, weight, known)
        before = now["rating"]
        part = self.multiplier(before, career)
        multiplied = before + part * (unbounded - before)
        rounded = self.whole(multiplied)
        deviation = np.sqrt(variance)
        if self.rounding:  # never to 0, which would be a rating beyond doubt
            deviation = np.maximum(np.round(np.round(deviation, _DIGITS), 2), 0.01)
        # who has no game keeps everything to the last digit; a first-timer's last pass is the new rating
        moves = rated & (known.played > 0)[:, None]
        after = {
            "rating": np.where(moves, np.maximum(rounded, self.value("floor")), before),
            "deviation": np.where(moves, deviation, state["deviation"]),
        }
        if workings is not None:
            workings.inputs(known, career_games=career, multiplier=np.where(moves, part, np.nan))
            self.tell_games(workings, known, now, units, weight, variance, moves)

            def tell(name: str, points: Floats, because: str, **columns: Any) -> None:
                columns = {column: np.where(moves, values, 0.0) for column, values in columns.items()}
                workings.rule(known, name, np.where(moves, points, 0.0), because, **columns)

            tell(
                "multiplier", multiplied - unbounded, "after many games, and at a high rating, a change counts in part"
            )
            sharper = 1 / np.square(deviation) - 1 / variance
            tell("rounding", rounded - multiplied, "ratings are whole numbers, deviations have two digits",
                 information=sharper)  # fmt: skip
            tell("floor", after["rating"] - rounded, "no rating is below the floor")
        return Update(after, [Part(batch.played, batch.wins, state, after, {})])

    # --- first-timers ------------------------------------------------------------------------------------------------

    def _first_ratings(self, state: State, batch: Batch, career: Floats, workings: Workings | None) -> Floats:
        """The ratings with the nan of everybody who has a game replaced by what the passes give."""
        before = state["rating"]
        missing = np.isnan(before[:, 0])
        first = batch.remembered(("first-timers", missing.tobytes()), lambda: _first_timers(batch, missing))
        who = first.who
        if not len(who):
            return before
        units = team_strength(state, batch)
        weight = self.weight(units)
        prior = 1 / np.square(state["deviation"][who])
        variance = 1 / (prior + batch.to_entries(batch.sum_opponents(weight))[who])
        # what games against rated opponents say stays the same in all passes
        of_rated = self.gathered(batch, weight, np.nan_to_num(units["rating"]))
        gathered = batch.to_entries(of_rated)[who]
        anew = first.share >= self.value("unrated_share")
        mean = self._section_start(before, batch)[first.period]
        unrated_weight = weight[first.unrated]
        current = self.full(len(who), self.value("initial"))
        games, floor = career[who], self.value("floor")
        beginners = games.max() < np.min(self.value("full_games"))

        def worth() -> Floats:
            """Weight times rating of each unrated unit, as the ratings stand."""
            if batch.lone:
                return unrated_weight * current
            everybody = before.copy()
            everybody[who] = current
            strength: Floats = team_strength({"rating": everybody}, batch)["rating"]
            return unrated_weight * strength[first.unrated]

        def tell(name: str, change: Floats, because: str) -> None:
            if workings is not None:
                workings.rule_of(batch, who, name, change, because)

        if workings is not None:
            inputs = {"unrated_share": first.share, "each_pass_from": np.where(anew, mean, np.nan)}
            told = {name: np.full_like(before, np.nan) for name in inputs}
            for name, values in inputs.items():
                told[name][who] = values
            workings.inputs(batch, **told)
        tell("start", current, "where an unrated player starts")
        active = np.ones_like(current, dtype=bool)
        for number in range(1, int(np.max(self.value("passes"))) + 1):
            active = active & (number <= self.value("passes"))
            if not active.any():
                break
            earlier, current = current, current.copy()
            for rows, meetings in first.turns:
                base = np.where(anew[rows], mean[rows], current[rows])
                said = gathered[rows] + meetings @ worth() if meetings.nnz else gathered[rows]
                result = variance[rows] * (base * prior[rows] + said)
                if not beginners:
                    result = base + self.multiplier(base, games[rows]) * (result - base)
                result = np.maximum(self.whole(result), floor)
                current[rows] = np.where(active[rows], result, current[rows])
            tell(f"pass {number}", current - earlier, "rated from the ratings as they stand, those of this pass too")
            moved = np.abs(current - earlier) >= self.value("tolerance")
            active = _in_sections(moved, first.period, len(batch.rounds))
        out = before.copy()
        out[who] = current
        return out

    def _section_start(self, rating: Floats, batch: Batch) -> Floats:
        """Per period what the ratings of the rated entrants are on all entrants, the bye among them, (periods, p)."""
        periods = len(batch.rounds)
        begins = np.searchsorted(batch.entry_period, np.arange(periods))
        bye = (np.add.reduceat(batch.unopposed, begins) > 0)[:, None]
        entrants = np.bincount(batch.entry_period, minlength=periods)[:, None] + bye
        initial = self.value("initial")
        mean = (np.add.reduceat(np.nan_to_num(rating), begins) + bye * initial) / entrants
        start: Floats = np.where(mean < self.value("floor"), initial, mean)
        return start


def _in_sections(moved: Bools, period: Ints, periods: int) -> Bools:
    """Per first-timer and column whether anybody of the same period has `moved`."""
    any_moved = np.zeros((periods, moved.shape[1]), dtype=bool)
    np.logical_or.at(any_moved, period, moved)
    return any_moved[period]


def _first_timers(batch: Batch, missing: Bools) -> FirstTimers:
    """Who of those without a rating (`missing`, entries) has games in the batch, and in whose company."""
    from scipy.sparse import csr_matrix

    who = np.flatnonzero(missing & (batch.played > 0))
    # one unrated member leaves a team unrated
    unit_missing = batch.any_member(missing)
    unrated = np.unique(batch.unit[who])
    place, column = np.full(len(missing), -1), np.full(len(unit_missing), -1)
    place[who], column[unrated] = np.arange(len(who)), np.arange(len(unrated))
    lines = batch.directed
    at = np.flatnonzero((place[lines.entry] >= 0) & unit_missing[lines.opponent])
    row, met = place[lines.entry[at]], column[lines.opponent[at]]
    meetings = csr_matrix((np.ones(len(at)), (row, met)), shape=(len(who), len(unrated)))
    count = np.bincount(row, minlength=len(who))
    listed = np.maximum(batch.listed[who], 1)
    turn = _turns(meetings, column[batch.unit[who]])
    groups = [np.flatnonzero(turn == k) for k in range(int(turn.max(initial=-1)) + 1)]
    return FirstTimers(
        who=who,
        unrated=unrated,
        meetings=meetings,
        turns=[(rows, meetings[rows]) for rows in groups],
        share=(count / listed)[:, None],
        period=batch.entry_period[who],
    )


def _turns(meetings: Any, unit: Ints) -> Ints:
    """The turn of each first-timer (of `unit`, a column of `meetings`): after all earlier ones that matter to it.

    Those of one turn have not met, so that rating them at once is the same as one after the other.
    """
    from scipy.sparse import csr_matrix

    n = len(unit)
    members = csr_matrix((np.ones(n), (unit, np.arange(n))), shape=(meetings.shape[1], n))
    later, earlier = (meetings @ members).nonzero()
    later, earlier = later[earlier < later], earlier[earlier < later]
    turn = np.zeros(n, dtype=np.int64)
    while True:
        moved = turn.copy()
        np.maximum.at(moved, later, turn[earlier] + 1)
        if np.array_equal(moved, turn):
            return turn
        turn = moved
