"""The NSA and NASPA ratings: expected wins, K, acceleration, feedback, newcomers.

Source: "Rating system overview" (NASPA) for the formula of expected wins, K, acceleration and feedback; the constants
that the overview does not print were established from the tournament software's own output. The overview prints the
exponent without its minus sign, which would make the favourite lose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ratinglab.periods import Batch, Bools, Floats, Ints, take
from ratinglab.problems import UsageError
from ratinglab.scheduling import Schedule
from ratinglab.systems.base import Forecast, Number, Part, State, System, Update, events_told, section_mean
from ratinglab.systems.elo import logistic
from ratinglab.systems.newcomers import initial_ratings
from ratinglab.systems.workings import Workings


class Variant(NamedTuple):
    """What differs between the systems that the tournament software knows."""

    normal: bool = False  # the normal curve of before 2009, in place of the logistic one
    floor: float = -np.inf
    feedback_at_once: bool = False  # feedback is added as each player is rated, in player order
    count_segments: bool = False  # the games of earlier segments count as lifetime games


class Rules(NamedTuple):
    """The variants of a batch's periods: where a rule holds, (periods,), None where it does nowhere."""

    normal: Bools | None
    floor: Floats  # (entries, 1)
    feedback_at_once: Bools | None
    count_segments: Bools | None


VARIANTS = {
    "nsa": Variant(normal=True, feedback_at_once=True),
    "nsa2008": Variant(floor=1),
    "naspa-csw": Variant(),
    "naspa2024": Variant(count_segments=True),
}
NO_END = np.iinfo(np.int64).max
_BANDS = ("low", "middle", "high")
_KS = tuple(f"k_{new}{band}" for new in ("", "new_") for band in _BANDS)
_K_PARAMETERS = (*_KS, "veteran_games", "unknown_games")
# What is used where a file names no system, or one that is not of this family.
DEFAULT_VARIANT = "nsa2008"


@dataclass(frozen=True)
class Naspa(System):
    """R' = R + K·(W - E) in each segment, E = Σ 1/(1 + exp(-slope·d)), with acceleration and feedback.

    variant: `filed` (the system that each event's file names; none or another means nsa2008), nsa, nsa2008, naspa-csw
    or naspa2024.
    slope: of the logistic curve, per rating point; normal_width: of the curve before 2009, rating points.
    k_low, k_middle, k_high: K below band_1, from band_1, from band_2; k_new_low, k_new_middle, k_new_high: K in the
    same bands of those with fewer than `veteran_games` lifetime games; unknown_games: lifetime games of somebody whose
    number is not known.
    acceleration: what a gain at an event exceeds a threshold by is added once more (1 on, 0 off);
    acceleration_threshold: points gained per game beyond which it sets in; feedback: the share of a player's
    acceleration that each game gives the opponent; floor: `filed` (1 for nsa2008 alone) or points.
    rounding: whether each segment ends in whole points; segments: whether long events are rated in two or three.
    newcomers: `bisection` (rated from their event), or `initial` (start at `initial` and are rated as everybody else);
    initial: also a newcomer's strength in a forecast where nobody in the section is rated.
    """

    name: ClassVar[str] = "naspa"
    detail_names: ClassVar[tuple[str, ...]] = ("expected", "base", "acceleration", "feedback")

    variant: str = "filed"
    slope: Number = 0.0031879
    normal_width: Number = 400.0
    k_low: Number = 20.0
    k_middle: Number = 16.0
    k_high: Number = 10.0
    k_new_low: Number = 30.0
    k_new_middle: Number = 24.0
    k_new_high: Number = 15.0
    band_1: Number = 1800.0
    band_2: Number = 2000.0
    veteran_games: Number = 50.0
    unknown_games: Number = 100.0
    acceleration: Number = 1.0
    acceleration_threshold: Number = 5.0
    feedback: Number = 0.05
    floor: str | Number = "filed"
    rounding: bool = True
    segments: bool = True
    newcomers: str = "bisection"
    initial: Number = 1500.0

    def validate(self) -> None:
        if self.variant != "filed" and self.variant not in VARIANTS:
            raise UsageError(f"{self.name}: variant must be filed, {', '.join(VARIANTS)}; found {self.variant}")
        if self.newcomers not in ("bisection", "initial"):
            raise UsageError(f"{self.name}: newcomers must be bisection or initial; found {self.newcomers}")
        if isinstance(self.floor, str) and self.floor != "filed":
            raise UsageError(f"{self.name}: floor must be filed or points; found {self.floor}")
        self.require([*_KS, "slope", "normal_width"], "above 0", 0)
        self.require(["acceleration", "feedback", "acceleration_threshold"], "0 or more", 0, strict=False)
        if np.any(np.asarray(self.value("band_1")) > np.asarray(self.value("band_2"))):
            raise UsageError(f"{self.name}: band_1 must not be above band_2")

    def newcomer_rating(self) -> Any:
        """Not rated (nan) until the first event gives a rating, unless newcomers start at `initial`."""
        return np.nan if self.newcomers == "bisection" else self.value("initial")

    def notices(self, schedule: Schedule) -> list[str]:
        if self.variant != "filed":
            return []
        unnamed: dict[str, list[str]] = {}
        for period, system in enumerate(schedule.whole.filed_system):
            if system.strip().casefold() not in VARIANTS:
                event = schedule.history.events["event"].iloc[schedule.event[period]]
                unnamed.setdefault(system.strip() or "none", []).append(event)
        return [
            f"{self.name}: rating system `{system}` is taken as {DEFAULT_VARIANT}: {events_told(events)}"
            for system, events in unnamed.items()
        ]

    # --- the curve ---------------------------------------------------------------------------------------------------

    def rules(self, batch: Batch) -> Rules:
        """What the variants say in each of the batch's periods."""
        return batch.remembered(("naspa rules", self.variant), lambda: self._rules(batch))

    def _rules(self, batch: Batch) -> Rules:
        named = [VARIANTS[self.variant] if self.variant in VARIANTS else variant_of(s) for s in batch.filed_system]

        def where(field: str) -> Bools | None:
            says = np.array([getattr(variant, field) for variant in named], dtype=bool)
            return says if says.any() else None

        floor = np.array([variant.floor for variant in named])[batch.entry_period][:, None]
        return Rules(where("normal"), floor, where("feedback_at_once"), where("count_segments"))

    def expected(self, difference: Floats, normal: Bools | None, period: Ints) -> Floats:
        """Expected wins in a game at a rating difference (n, p); `normal`: in which `period` the old curve holds."""
        if normal is None:
            return logistic(difference, self.value("slope"))
        from scipy.special import erf

        old: Floats = 0.5 * (1 + erf(difference / self.value("normal_width")))
        return old if normal.all() else np.where(normal[period, None], old, logistic(difference, self.value("slope")))

    def strength(self, state: State, batch: Batch) -> State:
        """As for every system; a newcomer stands at the mean of the section's rated entrants, known before play."""
        return super().strength({"rating": section_mean(state["rating"], batch, self.value("initial"))}, batch)

    def forecast(self, strength: State, batch: Batch, games: slice) -> Forecast:
        rating = strength["rating"]
        difference = take(rating, batch.a[games]) - take(rating, batch.b[games])
        return Forecast(self.expected(difference, self.rules(batch).normal, batch.game_period[games]))

    # --- the update --------------------------------------------------------------------------------------------------

    def update(self, state: State, batch: Batch, workings: Workings | None = None) -> Update:
        rules = self.rules(batch)
        last_rounds = batch.remembered("naspa segments", lambda: segment_ends(batch.rounds))
        if not self.segments:
            last_rounds = last_rounds[:, :0]
        rating = state["rating"]
        parts: list[Part] = []
        earlier = np.zeros(len(batch.person))
        ks = self._ks(batch, earlier)
        if workings is not None:
            workings.inputs(batch, lifetime_games=batch.lifetime_games(self.value("unknown_games")))
        for k, part in enumerate(batch.parts(last_rounds)):
            if k and rules.count_segments is not None:
                earlier = earlier + np.where(rules.count_segments[batch.entry_period], parts[-1].played, 0)
                ks = self._ks(batch, earlier)
            ends = np.minimum(last_rounds[:, k], batch.rounds) if k < last_rounds.shape[1] else batch.rounds
            if workings is not None and last_rounds.shape[1]:
                begins = parts[-1].last_rounds if parts else np.zeros_like(ends)
                workings.part(part, (begins + 1)[batch.entry_period], ends[batch.entry_period])
            after, detail = self._segment(rating, part, rules, ks, workings)
            parts.append(Part(part.played, part.wins, {"rating": rating}, {"rating": after}, detail, ends))
            rating = after
        return Update({"rating": rating}, parts)

    def _segment(
        self, before: Floats, batch: Batch, rules: Rules, ks: Sequence[Floats], workings: Workings | None = None
    ) -> tuple[Floats, State]:
        """Ratings after one segment, and what made them; nan stays where an unrated player has no rated game."""
        played = batch.played[:, None]
        lines = batch.lines
        plays = played > 0
        missing = np.isnan(before)
        newcomer = missing[:, :1] & plays
        strength = self._with_newcomers(before, batch, rules.normal, workings) if newcomer.any() else before
        units = take(System.strength(self, {"rating": strength}, batch)["rating"], lines.opponent)
        difference = take(strength, lines.entry) - units
        won = self.expected(difference, rules.normal, batch.line_period)
        excess = batch.sum_lines(batch.line_results - won)

        rated = plays & ~missing
        base = np.where(rated, self._base(before, excess, ks), 0.0)
        gain = base - self.value("acceleration_threshold") * played
        acceleration = self.value("acceleration") * np.maximum(0, gain)
        if rules.feedback_at_once is not None:
            acceleration, feedback = self._at_once(base, rated, batch, rules.feedback_at_once)
        else:
            feedback = self._feedback(acceleration, rated, batch)
        floor = rules.floor if isinstance(self.floor, str) else self.value("floor")
        bounded = np.maximum(before + base + acceleration, floor)
        after = bounded + feedback
        if self.rounding:
            after = np.floor(after + 0.5)
        after = np.where(rated, after, before)
        expected = batch.wins[:, None] - excess
        if newcomer.any():  # who has no expectation of its own to depart from, only the rating that the event gave
            after = np.where(newcomer, np.floor(strength + 0.5) if self.rounding else strength, after)
            expected, base = np.where(newcomer, np.nan, expected), np.where(newcomer, np.nan, base)
        detail = {"expected": expected, "base": base, "acceleration": acceleration, "feedback": feedback}
        if workings is not None:
            k = self._k_at(before, ks)
            mine = take(np.where(rated, k, np.nan), lines.entry)  # a newcomer's games give no points of their own
            workings.inputs(batch, K=np.where(rated, k, np.nan))
            workings.games(batch, opponent_rating=units, expected=won, points=mine * (batch.line_results - won))
            self._tell(workings, batch, np.where(rated, base - k * excess, 0.0), detail)
            low = np.where(rated, bounded - (before + base + acceleration), 0.0)
            workings.rule(batch, "floor", low, "no rating is below the floor")
            whole = np.where(rated, after - bounded - feedback, np.where(newcomer, after - strength, 0.0))
            workings.rule(batch, "rounding", whole, "ratings are whole numbers")
        return after, detail

    def _tell(self, workings: Workings, batch: Batch, crossing: Floats, detail: State) -> None:
        bands = f"{self.band_1:g} and {self.band_2:g}" if self.grid_size is None else "the bands"
        workings.rule(batch, "band crossing", crossing, f"the excess wins beyond {bands} count with another K")
        workings.rule(
            batch,
            "acceleration",
            detail["acceleration"],
            f"what a gain exceeds {self.acceleration_threshold:g} points a game by is added once more"
            if self.grid_size is None and self.acceleration == 1
            else "a share of what a gain exceeds the threshold by is added",
        )
        workings.rule(
            batch, "feedback", detail["feedback"], "a share of each opponent's acceleration, for every game with them"
        )

    def _k_at(self, rating: Floats, ks: Sequence[Floats]) -> Floats:
        """K of each entry at a rating."""
        low, middle, high = ks
        k: Floats = np.where(
            rating >= self.value("band_2"), high, np.where(rating >= self.value("band_1"), middle, low)
        )
        return k

    def _with_newcomers(self, before: Floats, batch: Batch, normal: Bools | None, workings: Workings | None) -> Floats:
        """The ratings with those that the segment gives its newcomers, which also are their strength as opponents."""
        period = batch.game_period[batch.directed.game]
        return initial_ratings(
            before,
            batch,
            self.value("initial"),
            lambda difference, rows: self.expected(difference, normal, period[rows]),
            self.value("slope"),
            workings,
        )

    @cached_property
    def _k_key(self) -> tuple[Any, ...]:
        """The parameters that say what K is: systems that share them share it."""
        return ("naspa k", *(getattr(self, name) for name in _K_PARAMETERS))

    def _ks(self, batch: Batch, earlier: Floats) -> Sequence[Floats]:
        """K of each entry below, between and above the bands, `earlier` (entries,) games counted as lifetime games."""

        def made() -> Sequence[Floats]:
            lifetime = batch.lifetime_games(self.value("unknown_games")) + earlier[:, None]
            new = lifetime < self.value("veteran_games")
            return [np.where(new, self.value(f"k_new_{band}"), self.value(f"k_{band}")) for band in _BANDS]

        if self.grid_size is not None or earlier.any():
            return made()
        return batch.remembered(self._k_key, made)

    def _base(self, rating: Floats, excess: Floats, ks: Sequence[Floats]) -> Floats:
        """The base change: the excess is spent band by band, each with its own K.

        Going up, the next band begins at band_1 or band_2; going down, a point below them.
        """
        low, middle, high = ks
        band_1, band_2 = self.value("band_1"), self.value("band_2")
        up = np.maximum(excess, 0)
        down = up - excess
        up_low = np.minimum(up, np.maximum(band_1 - rating, 0) / low)
        up_middle = np.minimum(up - up_low, np.maximum(band_2 - np.maximum(rating, band_1), 0) / middle)
        above = rating >= band_2
        down_high = np.where(above, np.minimum(down, (rating - (band_2 - 1)) / high), 0.0)
        top = np.where(above, band_2 - 1, rating)
        down_middle = np.where(top >= band_1, np.minimum(down - down_high, (top - (band_1 - 1)) / middle), 0.0)
        base: Floats = low * (up_low - (down - down_high - down_middle))
        base += middle * (up_middle - down_middle)
        base += high * (up - up_low - up_middle - down_high)
        return base

    def _feedback(self, acceleration: Floats, rated: Bools, batch: Batch) -> Floats:
        """A share of each accelerated opponent's acceleration for every game against them, all at the end."""
        if not acceleration.any():
            return np.zeros_like(acceleration)
        given = acceleration
        if not batch.lone:  # a team gives what its members' acceleration is on average
            given = np.add.reduceat(acceleration, batch.unit_first) / batch.members[:, None]
        received = batch.to_entries(batch.sum_opponents(self.value("feedback") * given))
        return np.where(rated, received, 0.0)

    def _at_once(self, base: Floats, rated: Bools, batch: Batch, at_once: Bools) -> tuple[Floats, Floats]:
        """Acceleration and feedback where feedback is given as each player is rated, in player order.

        A player's gain then includes the feedback of those rated earlier, so it can compound.
        """
        threshold: Any = self.value("acceleration_threshold")
        played = batch.played[:, None]
        in_order = at_once[batch.entry_period]
        later = np.where(rated, self.value("acceleration") * np.maximum(0, base - threshold * played), 0.0)
        acceleration = np.where(in_order[:, None], 0.0, later)
        feedback = self._feedback(acceleration, rated, batch)
        begins = np.searchsorted(batch.entry_period, np.arange(len(batch.rounds)))
        position = np.arange(len(base)) - begins[batch.entry_period]
        for turn in range(int(position[in_order].max()) + 1):
            now = np.flatnonzero(in_order & (position == turn))
            gain = base[now] + feedback[now] - threshold * played[now]
            gained = np.where(rated[now], self.value("acceleration") * np.maximum(0, gain), 0.0)
            if not gained.any():
                continue
            acceleration[now] = gained
            given = np.zeros_like(base)
            given[now] = self.value("feedback") * gained / batch.members[batch.unit[now]][:, None]
            if not batch.lone:
                given = np.add.reduceat(given, batch.unit_first)
            received = batch.to_entries(batch.sum_opponents(given))
            feedback = feedback + np.where(rated, received, 0.0)
        return acceleration, feedback


def variant_of(system: str) -> Variant:
    """The variant that a file's rating_system names; nsa2008 where it names none of this family."""
    return VARIANTS.get(system.strip().casefold(), VARIANTS[DEFAULT_VARIANT])


def segment_ends(rounds: Ints) -> Ints:
    """Last round of every segment but the last, (periods, 0 to 2): up to 16 rounds one, up to 35 two, then three.

    Where a period has fewer segments than others its last one has no end, so that rounds beyond the schedule are in it.
    """
    wanted = 0 if rounds.max(initial=0) < 17 else 1 if rounds.max() < 36 else 2
    n = rounds[:, None]
    if not wanted:
        return n[:, :0]
    two = (n - 1) // 2 + 1
    first, second = (n - 1) // 3 + 1, (2 * (n - 1) + 1) // 3 + 1
    ends = np.hstack([np.where(n >= 36, first, np.where(n >= 17, two, NO_END)), np.where(n >= 36, second, NO_END)])
    return ends[:, :wanted]


@dataclass(frozen=True)
class Nsa(Naspa):
    """R' = R + K·(W - E) in each segment, E = Σ ½(1 + erf(d/400)): NSA before 2009, feedback given at once."""

    name: ClassVar[str] = "nsa"

    variant: str = "nsa"
