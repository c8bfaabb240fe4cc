"""The ratings of US Chess (USCF): effective games, standard and special formula, bonus, two sweeps, floors.

Source: Glickman and Doan, "The US Chess Rating system", the algorithm of five steps; the bonus thresholds and their
dates as US Chess announced them; "before 2001" the rules that the algorithm replaced. The special formula's equation is
solved in `ratinglab.systems.uscf_special`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any, ClassVar

import numpy as np

from ratinglab.periods import Batch, Bools, Floats, Ints, take
from ratinglab.problems import UsageError
from ratinglab.scheduling import Schedule
from ratinglab.systems.base import Forecast, Number, Part, State, System, Update, team_strength
from ratinglab.systems.elo import logistic
from ratinglab.systems.uscf_special import HIGHEST, Players, expectancy, players, special_rating
from ratinglab.systems.uscf_workings import Settled, Sweep, tell, tell_floors
from ratinglab.systems.workings import Workings

SLOPE = log(10) / 400
# B of events that end on these days or later; the first also stands for those before, of which it is not known
BONUS_FROM = np.array(["2015-01-01", "2017-05-01", "2023-02-01", "2025-01-01"], dtype="datetime64[D]")
BONUS = np.array([12.0, 14.0, 12.0, 10.0])
CURRENT_RULES = np.datetime64("2001-01-01")
SPECIAL_GAMES = 8
OLD_PROVISIONAL_GAMES = 20
_DUAL = re.compile(r"\bdual", re.IGNORECASE)  # not the end of "individual"
_WORDS = {
    "k": ("effective",),
    "bonus": ("dated", "none"),
    "initial": ("age", "grade", "list"),
    "dual": ("filed", "all", "none"),
    "rules": ("dated", "current", "before-2001"),
}


@dataclass(frozen=True)
class Uscf(System):
    """US Chess ratings: R' = R + K(S - E) + bonus, or for beginners the rating at which S was to be expected.

    k: `effective` (K = 800/(N' + m)), or points. bonus: B by the event's end date (`dated`; without a date the
    latest), `none`, or points. initial: an unrated player's rating by `age` (50 a year from 2 to 26, 1300 above), by
    `grade` (100 a grade, kindergarten 0), from a `list` of the kind `initial_list` (else by age), or points;
    unknown_initial: where age or grade is not known. dual: which events have the lower K above 2200: those `filed`
    with a pool that says "dual", `all`, `none`. rules: `dated` by the event's end date, `current`, or `before-2001`.
    floors: whether the absolute and the peak floor hold; peak_list: the kind of rating list whose peaks count as own
    ones, beside the ratings filed and made here (empty: none). established_games: a rating that rests on more games is
    established. advantage: rating points of having White, in forecasts alone.

    The state holds the games that the rating rests on (nan: established, number not known), the established peak (nan:
    none), and the record before the event (+1 only wins, -1 only losses, 0 neither or not known, nan no game). Who is
    filed with a rating and no number of games is established; who comes unrated counts from 0, and in forecasts stands
    at the initial rating. Before 2001 there was one sweep, opponents stand at their ratings before the event, a
    newcomer at the initial rating.
    """

    name: ClassVar[str] = "uscf"
    time_says: ClassVar[Mapping[str, str]] = {"peak": "a higher rating was listed"}
    state_names: ClassVar[tuple[str, ...]] = ("rating", "lifetime_games", "peak", "record")
    detail_names: ClassVar[tuple[str, ...]] = ("expected", "base", "bonus", "floor")

    k: str | Number = "effective"
    bonus: str | Number = "dated"
    initial: str | Number = "age"
    initial_list: str = ""
    unknown_initial: Number = 750.0
    dual: str = "filed"
    rules: str = "dated"
    floors: bool = True
    peak_list: str = ""
    established_games: Number = 25.0
    advantage: Number = 0.0

    def validate(self) -> None:
        for name, words in _WORDS.items():
            value = getattr(self, name)
            if isinstance(value, str) and value not in words:
                points = "" if name in ("dual", "rules") else " or points"
                raise UsageError(f"{self.name}: {name} must be {', '.join(words)}{points}; found {value}")
        numbers = [name for name in ("k", "bonus") if not isinstance(getattr(self, name), str)]
        self.require(numbers, "above 0", 0)
        self.require(["established_games"], "0 or more", 0, strict=False)

    def notices(self, schedule: Schedule) -> list[str]:
        whole = schedule.whole
        day, out = whole.day[np.unique(whole.game_period)], []
        old = self._old_periods(day)
        if old.any():
            out.append(f"{self.name}: the rules before 2001 rate {old.sum()} sections")
        early = ~old & (day < BONUS_FROM[0])
        if self.bonus == "dated" and early.any():
            told = f"{early.sum()} sections before {BONUS_FROM[0]}: the bonus threshold B of that time is not known"
            out.append(f"{self.name}: {told}; {BONUS[0]:g} is taken")
        asked = {"peak_list": bool(self.peak_list), "initial_list": self.initial == "list"}
        for parameter in (name for name, wanted in asked.items() if wanted):
            kind = getattr(self, parameter)
            if kind not in whole.lists:
                kinds = ", ".join(whole.lists) or "none"
                out.append(f"{self.name}: no rating list of the kind {kind} ({parameter}); the kinds are: {kinds}")
        return out

    # --- before an event ---------------------------------------------------------------------------------------------

    def newcomer_rating(self) -> Any:
        """The rating of somebody of whom neither age nor grade is known."""
        return self.value("unknown_initial" if isinstance(self.initial, str) else "initial")

    def start(self, batch: Batch, rows: Ints) -> State:
        filed = batch.filed_rating[rows, None]
        rated = ~np.isnan(filed)
        games = np.where(rated, batch.lifetime_games(np.nan)[rows], 0.0)
        established = rated & ~(games <= np.asarray(self.value("established_games")))
        return {
            "rating": np.where(rated, filed, self._initial(batch, rows)),
            "lifetime_games": self.full(len(rows), games),
            "peak": self.full(len(rows), np.where(established, filed, np.nan)),
            "record": self.full(len(rows), np.where(games == 0, np.nan, 0.0)),
        }

    def _initial(self, batch: Batch, rows: Ints) -> Floats:
        if not isinstance(self.initial, str):
            return self.full(len(rows), self.value("initial"))
        if self.initial == "grade":
            known = 100 * batch.grade[rows, None]
        else:
            age = batch.age[rows, None]
            known = np.where(age > 26, 1300.0, 50 * np.clip(age, 2, 26))
            if self.initial == "list" and self.initial_list in batch.lists:
                listed = batch.lists[self.initial_list].latest[rows, None]
                known = np.where(np.isnan(listed), known, listed)
        return np.where(np.isnan(known), self.full(len(rows), self.value("unknown_initial")), known)

    def age(self, state: State, batch: Batch) -> State:
        """Time changes no rating; but lists dated up to the event may tell of a higher peak."""
        if self.peak_list not in batch.lists or not self.peak_list:
            return state
        return state | {"peak": np.fmax(state["peak"], batch.lists[self.peak_list].peak[:, None])}

    def forecast(self, strength: State, batch: Batch, games: slice) -> Forecast:
        rating = strength["rating"]
        difference = take(rating, batch.a[games]) - take(rating, batch.b[games])
        if not self.off("advantage"):
            difference = difference + self.value("advantage") * batch.first[games][:, None]
        return Forecast(logistic(difference, SLOPE))

    @property
    def settled_games(self) -> float:
        return float(np.max(self.value("established_games"))) + 1

    # --- the update --------------------------------------------------------------------------------------------------

    def update(self, state: State, batch: Batch, workings: Workings | None = None) -> Update:
        before = state["rating"]
        played = batch.played[:, None]
        settled = self._settle(state, batch)
        estimate = self._first_estimates(before, batch, settled)
        first = self._sweep(before, estimate, batch, settled)
        last = self._sweep(before, first.after, batch, settled)
        if settled.old is not None:
            last = self._before_2001(before, last, batch, settled)
        absolute = self._absolute_floor(batch)
        peak = self._peak_floor(state["peak"], settled.games)
        floor = np.where(played > 0, np.fmax(absolute, peak), -np.inf) if self.floors else -np.inf
        after = np.maximum(last.after, floor)

        games = settled.games + played
        established = (played > 0) & ~(games <= np.asarray(self.value("established_games")))
        following = {
            "rating": after,
            "lifetime_games": games,
            "peak": np.where(established, np.fmax(state["peak"], after), state["peak"]),
            "record": _record(state["record"], batch),
        }
        expected = settled.sides.sum_lines(last.expected)
        detail = {"expected": expected, "base": last.base, "bonus": last.bonus, "floor": after - last.after}
        if workings is not None:
            tell(workings, settled, estimate, first, last)
            if self.floors:
                tell_floors(workings, settled.sides, last.after, absolute, after)
        return Update(following, [Part(batch.played, batch.wins, state, following, detail)])

    def _settle(self, state: State, batch: Batch) -> Settled:
        rating, games, played = state["rating"], state["lifetime_games"], batch.played[:, None]
        unknown = np.isnan(games)
        if unknown.any():  # a file may tell of the number later than of the rating
            games = np.where(unknown, batch.lifetime_games(np.nan), games)
        effective = effective_games(rating, games)
        old = batch.remembered(("uscf old", self.rules), lambda: self._old_periods(batch.day)[batch.entry_period])
        # games and record are the same whatever the parameters, so the first column tells who is rated how
        record = state["record"][:, :1]
        special = ((games[:, 0] <= SPECIAL_GAMES) | (np.abs(record[:, 0]) == 1)) & (played[:, 0] > 0) & ~old
        rated_so: Players | None = None
        if special.any():
            rated_so = batch.remembered(("uscf special", special.tobytes()), lambda: players(batch, special))
        return Settled(
            sides=batch.told_from_both_sides,
            games=games,
            effective=effective,
            k=self._k(rating, effective, batch),
            threshold=self._threshold(batch),
            record=np.nan_to_num(record),
            special=rated_so,
            old=old if old.any() else None,
            provisional=old & (games[:, 0] < OLD_PROVISIONAL_GAMES) & (played[:, 0] > 0) if old.any() else None,
        )

    def _first_estimates(self, before: Floats, batch: Batch, settled: Settled) -> Floats:
        """Ratings as strength of opponents in the first sweep: who has no game yet is estimated, with N' = 1."""
        if settled.special is None:
            return before
        new = settled.games[settled.special.who, 0] == 0
        if not new.any():
            return before
        who, line, real, score = (of[new] for of in settled.special)
        units = team_strength({"rating": before}, batch)["rating"]
        opponents = units[settled.sides.lines.opponent[line]]
        own = before[who]
        out = before.copy()
        estimate = special_rating(own, np.zeros((len(who), 1)), np.ones_like(own), opponents, real, score)
        out[who] = np.minimum(estimate, HIGHEST)
        return out

    def _sweep(self, before: Floats, strength: Floats, batch: Batch, settled: Settled) -> Sweep:
        """Everybody rated from `before`, with opponents at their `strength`."""
        lines = settled.sides.lines
        units = take(team_strength({"rating": strength}, batch)["rating"], lines.opponent)
        expected = logistic(take(before, lines.entry) - units, SLOPE)
        base = settled.k * (batch.wins[:, None] - settled.sides.sum_lines(expected))
        bonus = np.maximum(0.0, base - settled.threshold)
        beyond = np.zeros_like(base)
        if settled.special is not None:
            who, line, real, score = settled.special
            own, record, effective = before[who], settled.record[who], settled.effective[who]
            root = special_rating(own, record, effective, units[line], real, score)
            capped = np.minimum(root, HIGHEST)
            base[who], bonus[who], beyond[who] = capped - own, 0.0, root - capped
            played = real[:, :, 0] > 0
            expected[line[played]] = expectancy(root[:, None] - units[line])[played]
        return Sweep(units, expected, base, bonus, beyond, settled.k, before + base + bonus)

    def _k(self, rating: Floats, effective: Floats, batch: Batch) -> Floats:
        played = np.maximum(batch.played, 1)[:, None]  # of who does not play K is asked and not used
        if not isinstance(self.k, str):
            return self.full(len(rating), self.value("k"))
        k: Floats = 800 / (effective + played)
        dual = batch.remembered(("uscf dual", self.dual), lambda: self._dual_periods(batch)[batch.entry_period])
        if dual.any():
            share = np.minimum(np.maximum(6.5 - 0.0025 * rating, 0.25), 1)
            k = np.where(dual[:, None], k * share, k)
        return k

    def _threshold(self, batch: Batch) -> Floats:
        """What K(S - E) must exceed for a bonus: B·√max(m, 4), (entries, 1 or p); inf where there is none."""

        def of_games() -> Floats:
            has = (batch.played >= 3) & ~_met_more_than_twice(batch)
            return np.where(has, np.sqrt(np.maximum(batch.played, 4)), np.inf)[:, None]

        def dated() -> Floats:
            place = np.searchsorted(BONUS_FROM, batch.day, side="right") - 1
            b = BONUS[np.where(np.isnat(batch.day), len(BONUS) - 1, np.maximum(place, 0))]
            return b[batch.entry_period][:, None] * batch.remembered("uscf games of bonus", of_games)

        if self.bonus == "dated":
            return batch.remembered("uscf bonus", dated)
        threshold = np.inf if self.bonus == "none" else self.value("bonus")
        return np.asarray(threshold * batch.remembered("uscf games of bonus", of_games))

    def _before_2001(self, before: Floats, current: Sweep, batch: Batch, settled: Settled) -> Sweep:
        """The sweep with the sections of that time rated by its rules: once, from all ratings before the event."""
        lines = settled.sides.lines
        units = take(team_strength({"rating": before}, batch)["rating"], lines.opponent)
        expected = logistic(take(before, lines.entry) - units, SLOPE)
        k: Any = np.where(before < 2100, 32.0, np.where(before < 2400, 24.0, 16.0))
        if not isinstance(self.k, str):
            k = settled.k
        played, score = batch.played[:, None], batch.wins[:, None]
        base = k * (score - settled.sides.sum_lines(expected))
        old, provisional = (np.asarray(of)[:, None] for of in (settled.old, settled.provisional))
        games = np.where(provisional, settled.games, 1.0)
        mean = (games * before + settled.sides.sum_lines(units) + 400 * (2 * score - played)) / (games + played)
        base = np.where(old, np.where(provisional, mean - before, base), current.base)
        bonus, beyond = (np.where(old, 0.0, of) for of in (current.bonus, current.beyond))
        expected = np.where(provisional[lines.entry], np.nan, expected)
        units, expected = (
            np.where(old[lines.entry], then, now)
            for then, now in ((units, current.units), (expected, current.expected))
        )
        return Sweep(units, expected, base, bonus, beyond, np.where(old, k, current.k), before + base + bonus)

    # --- rules of an event -------------------------------------------------------------------------------------------

    def _old_periods(self, day: Any) -> Bools:
        if self.rules == "dated":
            return np.asarray(day < CURRENT_RULES)  # of a day that is not known this is False
        return np.full(len(day), self.rules == "before-2001")

    def _dual_periods(self, batch: Batch) -> Bools:
        if self.dual == "filed":
            return np.array([_DUAL.search(pool) is not None for pool in batch.pool], dtype=bool)
        return np.full(len(batch.pool), self.dual == "all")

    def _absolute_floor(self, batch: Batch) -> Floats:
        """min(100 + 4 wins + 2 draws + events, 150), of this history with the event itself, (entries, 1)."""

        def made() -> Floats:
            wins = batch.wins_before + batch.wins - batch.draws / 2
            draws, events = batch.draws_before + batch.draws, batch.events_before + 1
            return np.minimum(100 + 4 * wins + 2 * draws + events, 150)[:, None]

        return batch.remembered("uscf absolute floor", made)

    def _peak_floor(self, peak: Floats, games: Floats) -> Floats:
        """The hundred at or below an established player's peak less 200, 1200 to 2100; nan for a peak below 1400."""
        has = (peak >= 1400) & ~(games <= np.asarray(self.value("established_games")))
        if not has.any():
            return np.full_like(peak, np.nan)
        return np.where(has, np.clip(np.floor((peak - 200) / 100) * 100, 1200, 2100), np.nan)


def effective_games(rating: Floats, games: Floats) -> Floats:
    """N' = min(N, N*): the number of games that the rating counts as; N* where N is not known (nan)."""
    most = 50 / np.sqrt(0.662 + 0.00000739 * np.square(2569 - rating))
    effective: Floats = np.fmin(games, np.where(rating <= 2355, most, 50.0))
    return effective


def _record(record: Floats, batch: Batch) -> Floats:
    """The record with the batch's games: +1 only wins, -1 only losses, 0 neither, nan no game."""

    def made() -> Floats:
        now = np.where(batch.wins == batch.played, 1.0, np.where(batch.wins == 0, -1.0, 0.0))
        return np.where(batch.played > 0, now, np.nan)[:, None]

    now = batch.remembered("uscf record", made)
    together = np.where(np.isnan(record) | (record == now), now, 0.0)
    return np.where(np.isnan(now), record, together)


def _met_more_than_twice(batch: Batch) -> Bools:
    """Whether each entry met an opponent more than twice in the period, (entries,)."""
    n = len(batch.unit_first)
    pair, times = np.unique(batch.a * n + batch.b, return_counts=True)
    often = np.zeros(n, dtype=bool)
    for side in (pair // n, pair % n):
        often[side[times > 2]] = True
    return batch.to_entries(often)
