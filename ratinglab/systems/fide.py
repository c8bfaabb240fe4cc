"""The FIDE rating system of 1 March 2024: three values of K, differences cut at 400, first ratings from five games.

Source: FIDE Handbook, B.02 "FIDE Rating Regulations effective from 1 March 2024", whose paragraphs are named below.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ratinglab.periods import Batch, Floats, Ints, take
from ratinglab.problems import UsageError
from ratinglab.systems.base import Forecast, Number, Part, State, System, Update, section_mean, team_strength
from ratinglab.systems.elo import logistic
from ratinglab.systems.workings import Workings

if TYPE_CHECKING:
    from ratinglab.scheduling import Schedule

# 8.1.2: the greatest difference at which the higher rated is expected to score .50, .51 … .99; 1.00 beyond the last.
_ENDS = (
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162, 170, 179, 188,
    197, 206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374, 391, 411, 432, 456, 484, 517, 559,
    619, 735,
)  # fmt: skip
_EXPECTED = np.searchsorted(_ENDS, np.arange(_ENDS[-1] + 2)) / 100  # above ½, at each whole difference
# 8.1.1: the difference that goes with a score of .50, .51 … 1.00; of lower scores the same, negative.
_PERFORMANCE = np.array((
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175, 184,
    193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538,
    589, 677, 800,
), dtype=float)  # fmt: skip
# Sums of hundredths are not whole in binary: what is a half but for the last digits counts as a half.
_ALMOST = 1e-9
_WORDS = {"curve": ("table", "logistic"), "below_floor": ("unrated", "raised")}
_K = ("k_new", "k_junior", "k", "k_elite")
_NONE = ("pending_games", "pending_points", "pending_opponents")


@dataclass(frozen=True)
class Fide(System):
    """R' = R + K·Σ(s - E) over the games with rated opponents, E from FIDE's table of differences, those cut at 400.

    curve: `table` (8.1.2, and 8.1.1 for first ratings) or `logistic` (odds of ten to one at `scale` points).
    cap: the largest difference that counts (8.3.1; the exception of October 2025 for 2650 and up is not in it).
    K (8.3.3) is, by the first that holds: `k_elite` once a rating has reached `elite_rating`; `k_junior` up to the end
    of the year of the `junior_age`th birthday while no rating has reached `junior_below`; `k_new` below `new_games`
    lifetime games (`unknown_games` where their number is not known); else `k`. The regulations state no order; "as
    long as it remains under 2300" is read as ending for good. Where K times the event's games is above `k_games`, K is
    the largest whole number with which it is not.
    initial: `none` (unrated until a first rating), or the rating at which everybody unfiled starts.
    First rating (7.1.4, 8.2): once `first_games` games with rated opponents are there, over any number of events (the
    limit of 26 months is not kept), the mean of the opponents, `first_draws` of `first_opponent` among them, plus the
    difference that the score goes with, these drawn; at most `first_highest`. A first event without a point is left
    out. Below `floor` there is no rating and the games wait on.
    below_floor: who falls below `floor` is `unrated` from then on (7.2.1), or `raised` to it.
    rounding: changes and first ratings in whole points, a half away from zero (8.3.4).

    An event is taken as a rating period of its own. Games with unrated opponents, or teams with an unrated member, are
    not rated; in a forecast somebody unrated stands at the mean of the section's rated entrants, or `first_opponent`.
    """

    name: ClassVar[str] = "fide"
    # the highest rating so far, and what is collected for a first rating: games, points, sum of opponents' ratings
    state_names: ClassVar[tuple[str, ...]] = ("rating", "highest", *_NONE)
    detail_names: ClassVar[tuple[str, ...]] = ("expected", "base")

    curve: str = "table"
    scale: Number = 400.0
    cap: Number = 400.0
    k_new: Number = 40.0
    k_junior: Number = 40.0
    k: Number = 20.0
    k_elite: Number = 10.0
    new_games: Number = 30.0
    unknown_games: Number = 100.0
    junior_age: Number = 18.0
    junior_below: Number = 2300.0
    elite_rating: Number = 2400.0
    k_games: Number = 700.0
    initial: str | Number = "none"
    first_games: Number = 5.0
    first_draws: Number = 2.0
    first_opponent: Number = 1800.0
    first_highest: Number = 2200.0
    floor: Number = 1400.0
    below_floor: str = "unrated"
    rounding: bool = True

    def validate(self) -> None:
        for name, words in _WORDS.items():
            if getattr(self, name) not in words:
                raise UsageError(f"fide: {name} must be {' or '.join(words)}; found {getattr(self, name)}")
        if isinstance(self.initial, str) and self.initial != "none":
            raise UsageError(f"fide: initial must be none or points; found {self.initial}")
        self.require(["scale", "cap", "k_games"], "above 0", 0)
        if self.curve == "table" and self.scale != type(self).scale:
            raise UsageError(f"fide: scale counts with curve=logistic alone; found scale={self.scale} with curve=table")
        self.require(["first_games"], "1 or more", 1, strict=False)
        self.require([*_K, "first_draws"], "0 or more", 0, strict=False)
        low = [] if isinstance(self.initial, str) or self.below_floor == "raised" else ["initial"]
        for name in [*low, "first_highest"]:  # nobody could be rated for longer than an event, or at all
            if np.any(np.asarray(self.value(name)) < np.asarray(self.value("floor"))):
                raise UsageError(f"fide: {name} must not be below the floor, {self.floor}; found {getattr(self, name)}")

    def newcomer_rating(self) -> Any:
        """Not rated (nan) until there are games enough, unless newcomers start at `initial`."""
        return np.nan if isinstance(self.initial, str) else self.value("initial")

    def notices(self, schedule: Schedule) -> list[str]:
        filed, out = schedule.whole.filed_rating, []
        if isinstance(self.initial, str) and np.isnan(filed).all():
            out.append("fide: nobody is filed with a rating, so that nobody can get a first one: set initial")
        low = int((filed < np.min(self.value("floor"))).sum())
        if low and self.below_floor == "unrated":
            out.append(f"fide: {low} ratings are filed below the floor: who plays with one is unrated afterwards")
        return out

    def start(self, batch: Batch, rows: Ints) -> State:
        state = super().start(batch, rows)
        return state | {"highest": state["rating"]} | {name: self.full(len(rows), 0) for name in _NONE}

    # --- the curve ---------------------------------------------------------------------------------------------------

    def expected(self, difference: Floats) -> Floats:
        """Expected score at a rating difference, which the cap cuts."""
        cap = self.value("cap")
        difference = np.clip(difference, -cap, cap)
        if self.curve == "logistic":
            return logistic(difference, log(10) / self.value("scale"))
        size = np.minimum(np.abs(difference) + 0.5, len(_EXPECTED) - 1).astype(np.int64)
        score: Floats = 0.5 + np.copysign(_EXPECTED.take(size), difference)
        return score

    def performance(self, score: Floats) -> Floats:
        """The rating difference that goes with a fraction of the points, within ±800."""
        most = _PERFORMANCE[-1]
        if self.curve == "logistic":
            p = np.clip(score, 1e-9, 1 - 1e-9)
            logit: Floats = np.clip(np.log(p / (1 - p)) * self.value("scale") / log(10), -most, most)
            return logit
        hundredths = np.floor(100 * score + 0.5 + _ALMOST).astype(np.int64) - 50
        difference: Floats = np.copysign(_PERFORMANCE.take(np.abs(hundredths)), hundredths)
        return difference

    def strength(self, state: State, batch: Batch) -> State:
        """As for every system; somebody unrated stands at the mean of the section's rated entrants."""
        return team_strength({"rating": section_mean(state["rating"], batch, self.value("first_opponent"))}, batch)

    def forecast(self, strength: State, batch: Batch, games: slice) -> Forecast:
        rating = strength["rating"]
        return Forecast(self.expected(take(rating, batch.a[games]) - take(rating, batch.b[games])))

    # --- the update --------------------------------------------------------------------------------------------------

    def update(self, state: State, batch: Batch, workings: Workings | None = None) -> Update:
        before = state["rating"]
        unrated = np.isnan(before)
        everybody = not unrated.any()
        # where a game counts for one side alone, sums need a line of each
        sides = batch if everybody else batch.told_from_both_sides
        lines, results = sides.lines, sides.line_results
        units = take(team_strength({"rating": before}, batch)["rating"], lines.opponent)
        difference = take(before, lines.entry) - units
        games, points, met = sides.played[:, None].astype(float), sides.wins[:, None], np.isfinite(units)
        if not everybody:
            games, points = sides.sum_lines(met.astype(float)), sides.sum_lines(np.where(met, results, 0.0))
        counts = everybody or np.isfinite(difference)
        expected = self.expected(np.where(counts, difference, 0.0))
        excess = sides.sum_lines(np.where(counts, results - expected, 0.0))

        rated = ~unrated & (games > 0)
        k = self._k(state, batch, games)
        base = np.where(rated, k * excess, 0.0)
        change = self._whole(base)
        after = before + change
        low = rated & (after < self.value("floor"))
        if low.any():
            after = np.where(low, self.value("floor") if self.below_floor == "raised" else np.nan, after)
        out = state | {"rating": after}
        found = first = given = None
        if not everybody:
            opponents = sides.sum_lines(np.where(met, units, 0.0))
            pending = self._pending(state, unrated, games, points, opponents)
            found = self._first(*pending)
            first = self._whole(np.minimum(found, self.value("first_highest")))
            new = unrated & (pending[0] > state["pending_games"]) & (pending[0] >= self.value("first_games"))
            given = new & (first >= self.value("floor"))
            out = {"rating": np.where(given, first, after)}
            out |= {name: np.where(given, 0.0, was) for name, was in zip(_NONE, pending, strict=True)}
        out["highest"] = np.fmax(state["highest"], out["rating"])
        if workings is not None:
            mine = np.where(counts, take(np.where(rated, k, np.nan), lines.entry), np.nan)
            workings.inputs(batch, K=np.where(rated, k, np.nan), rated_games=games)
            workings.games(
                batch,
                opponent_rating=units,
                expected=np.where(counts, expected, np.nan),
                points=mine * (results - expected),
            )
            whole = "a change is a whole number of points"
            workings.rule(batch, "rounding", np.where(rated, change - base, 0.0), whole)
            self._tell_floor(workings, batch, before + change, after, low)
            if found is not None and first is not None and given is not None:
                self._tell_first(workings, batch, found, first, given, unrated & (games > 0), out)
        detail = {"expected": np.where(unrated, np.nan, points - excess), "base": np.where(unrated, np.nan, base)}
        return Update(out, [Part(batch.played, batch.wins, state, out, detail)])

    def _k(self, state: State, batch: Batch, games: Floats) -> Floats:
        """K of each entry; `games` (entries, p) are those of the event that count."""
        highest = state["highest"]
        junior = batch.remembered("fide year of age", lambda: _year_of_age(batch)) <= self.value("junior_age")
        new = batch.lifetime_games(self.value("unknown_games")) < self.value("new_games")
        k = np.where(new, self.value("k_new"), self.value("k"))
        k = np.where(junior & ~(highest >= self.value("junior_below")), self.value("k_junior"), k)
        k = np.where(highest >= self.value("elite_rating"), self.value("k_elite"), k)
        most: Floats = np.floor(self.value("k_games") / np.maximum(games, 1))
        return np.where(k * games > self.value("k_games"), most, k)

    def _whole(self, points: Floats) -> Floats:
        if not self.rounding:
            return points
        whole: Floats = np.copysign(np.floor(np.abs(points) + 0.5 + _ALMOST), points)
        return whole

    def _pending(self, state: State, unrated: Any, games: Floats, points: Floats, opponents: Floats) -> list[Floats]:
        """What the unrated have collected with this event: games, points, the sum of the opponents' ratings."""
        collects = unrated & ((points > 0) | (state["pending_games"] > 0))
        added = (games, points, opponents)
        return [state[name] + np.where(collects, new, 0.0) for name, new in zip(_NONE, added, strict=True)]

    def _first(self, games: Floats, points: Floats, opponents: Floats) -> Floats:
        """The rating that collected games give, before it is cut and rounded."""
        draws: Any = self.value("first_draws")
        n = np.maximum(games + draws, 1)
        mean: Floats = (opponents + draws * self.value("first_opponent")) / n
        return mean + self.performance((points + draws / 2) / n)

    def _tell_floor(self, workings: Workings, batch: Batch, reached: Floats, after: Floats, low: Any) -> None:
        # nobody's rating counts as 0 in a sum of points, at the end as at the start
        because = "who falls below the lowest rating is unrated, until games enough give a first rating again"
        if self.below_floor == "raised":
            because = "no rating is below the floor"
        workings.rule(batch, "floor", np.where(low, np.nan_to_num(after) - np.nan_to_num(reached), 0.0), because)

    def _tell_first(
        self, workings: Workings, batch: Batch, found: Floats, first: Floats, given: Any, played: Any, after: State
    ) -> None:
        how = (
            "the mean of the opponents and of hypothetical ones drawn with, and the difference that the score goes with"
        )
        workings.rule(batch, "first rating", np.where(given, found, 0.0), how, when=given)
        cut = np.minimum(found, self.value("first_highest"))
        workings.rule(
            batch, "highest first rating", np.where(given, cut - found, 0.0), "a first rating has an upper limit"
        )
        workings.rule(batch, "rounding", np.where(given, first - cut, 0.0), "a first rating is a whole number")
        workings.rule(
            batch,
            "not rated yet",
            np.zeros_like(found),
            "games with rated opponents are collected until they are enough for a first rating above the floor",
            when=played & ~given,
            games_collected=after["pending_games"],
            points_collected=after["pending_points"],
        )


def _year_of_age(batch: Batch) -> Floats:
    """The age that each entry's person reaches in the year of the event, (entries, 1); nan where it is not known."""
    day = batch.day[batch.entry_period]
    known = ~(np.isnat(day) | np.isnat(batch.born))
    years = day.astype("datetime64[Y]").astype(float) - batch.born.astype("datetime64[Y]").astype(float)
    return np.where(known, years, np.nan)[:, None]
