"""The NSA and NASPA ratings: expected wins, K, acceleration, feedback, newcomers.

Source: "Rating system overview" (NASPA) for the formula of expected wins, K, acceleration and feedback; the constants
that the overview does not print were established from the tournament software's own output. The overview prints the
exponent without its minus sign, which would make the favourite lose.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ratinglab.periods import Batch, Bools, Floats, Ints, dot, group_mean, take
from ratinglab.problems import UsageError
from ratinglab.schedule import Schedule
from ratinglab.systems.base import Forecast, Number, Part, State, System, Update
from ratinglab.systems.elo import logistic
from ratinglab.systems.newcomers import initial_ratings


class Variant(NamedTuple):
    """What differs between the systems that the tournament software knows."""

    normal: bool = False  # the normal curve of before 2009, in place of the logistic one
    floor: float = -np.inf
    feedback_at_once: bool = False  # feedback is added as each player is rated, in player order
    count_segments: bool = False  # the games of earlier segments count as lifetime games


VARIANTS = {
    "nsa": Variant(normal=True, feedback_at_once=True),
    "nsa2008": Variant(floor=1),
    "naspa-csw": Variant(),
    "naspa2024": Variant(count_segments=True),
}
# K below, between and above the bands, of those who have played often and of those who have not.
_KS = ("k_low", "k_middle", "k_high", "k_new_low", "k_new_middle", "k_new_high")
# What is used where a file names no system, or one that is not of this family.
DEFAULT_VARIANT = "nsa2008"


@dataclass(frozen=True)
class Naspa(System):
    """NASPA ratings.

    variant: `filed` (the system that each event's file names; none or another means nsa2008), nsa, nsa2008, naspa-csw
    or naspa2024.
    slope: of the logistic curve, per rating point; normal_width: of the curve before 2009, rating points.
    k_low, k_middle, k_high: K below band_1, from band_1, from band_2, and k_new_… for those with fewer than
    `veteran_games` lifetime games; unknown_games: lifetime games of somebody whose number is not known.
    acceleration: 1 on, 0 off; acceleration_threshold: points gained per game beyond which it sets in; feedback: the
    share of a player's acceleration that each game gives the opponent; floor: `filed` (1 for nsa2008 alone) or points.
    rounding: whether each segment ends in whole points; segments: whether long events are rated in two or three.
    newcomers: `bisection` (rated from their event), or `initial` (start at `initial` and are rated as everybody else);
    initial: also a newcomer's strength in a forecast where nobody in the section is rated.
    """

    name: ClassVar[str] = "naspa"

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
        out = []
        for system, events in unnamed.items():
            events = list(dict.fromkeys(events))
            told = ", ".join(events[:3]) + (f" and {len(events) - 3} more" if len(events) > 3 else "")
            out.append(f"{self.name}: rating system `{system}` is taken as {DEFAULT_VARIANT}: {told}")
        return out

    # --- the curve ---------------------------------------------------------------------------------------------------

    def variants(self, batch: Batch) -> dict[str, Any]:
        """Each field of `Variant` as an array over the batch's periods."""
        return batch.remembered(("naspa variants", self.variant), lambda: self._variants(batch))

    def _variants(self, batch: Batch) -> dict[str, Any]:
        named = [VARIANTS[self.variant] if self.variant in VARIANTS else variant_of(s) for s in batch.filed_system]
        return {field: np.array([getattr(v, field) for v in named]) for field in Variant._fields}

    def expected(self, difference: Floats, normal: Bools, period: Ints) -> Floats:
        """Expected wins in one game at a rating difference (n, p); `normal` says in which `period` the old curve holds."""
        if not normal.any():
            return logistic(difference, self.value("slope"))
        from scipy.special import erf

        old: Floats = 0.5 * (1 + erf(difference / self.value("normal_width")))
        return old if normal.all() else np.where(normal[period, None], old, logistic(difference, self.value("slope")))

    def strength(self, state: State, batch: Batch) -> State:
        """As for every system; a newcomer stands at the mean of the section's rated entrants, known before play."""
        rating = state["rating"]
        newcomer = np.isnan(rating)
        if newcomer.any():
            mean = group_mean(rating, batch.entry_period, len(batch.rounds))
            mean = np.where(np.isnan(mean), self.value("initial"), mean)
            rating = np.where(newcomer, mean[batch.entry_period], rating)
        return super().strength({"rating": rating}, batch)

    def forecast(self, strength: State, batch: Batch, games: slice) -> Forecast:
        rating = strength["rating"]
        difference = take(rating, batch.a[games]) - take(rating, batch.b[games])
        return Forecast(self.expected(difference, self.variants(batch)["normal"], batch.game_period[games]))

    # --- the update --------------------------------------------------------------------------------------------------

    def update(self, state: State, batch: Batch) -> Update:
        variant = self.variants(batch)
        last_rounds = segment_ends(batch.rounds) if self.segments else np.zeros((len(batch.rounds), 0), np.int64)
        parts: list[Part] = []
        rating = state["rating"]
        games_so_far = np.zeros(len(batch.person))
        for k, part in enumerate(batch.parts(last_rounds)):
            counted = np.where(variant["count_segments"][batch.entry_period], games_so_far, 0.0)
            after, detail = self._segment(rating, part, variant, counted)
            ends = last_rounds[:, k] if k < last_rounds.shape[1] else batch.rounds
            parts.append(Part(part.played, part.wins, {"rating": rating}, {"rating": after}, detail, ends))
            rating = after
            games_so_far = games_so_far + part.played
        return Update({"rating": rating}, parts)

    def _segment(
        self, before: Floats, batch: Batch, variant: dict[str, Any], earlier_games: Floats
    ) -> tuple[Floats, State]:
        """Ratings after one segment, and what made them; nan stays where an unrated player has no rated game."""
        period = batch.entry_period
        played = batch.played[:, None]
        normal = variant["normal"]
        lines = batch.lines
        newcomer = np.isnan(before[:, 0]) & (batch.played > 0)
        strength = before
        if newcomer.any():
            period_of = batch.game_period[batch.directed.game]
            strength = initial_ratings(
                before,
                newcomer,
                batch,
                self.value("initial"),
                lambda difference, rows: self.expected(difference, normal, period_of[rows]),
                self.value("slope"),
            )
        units = System.strength(self, {"rating": strength}, batch)["rating"]
        difference = take(strength, lines.entry) - take(units, lines.opponent)
        expected = self.expected(difference, normal, batch.line_period)
        excess = batch.sum_lines(batch.line_results - expected)

        rated = ~np.isnan(before) & (played > 0)
        lifetime = batch.lifetime_games(self.value("unknown_games")) + earlier_games[:, None]
        base = np.where(rated, self._base(before, excess, lifetime), 0.0)
        gain = base - self.value("acceleration_threshold") * played
        acceleration = self.value("acceleration") * np.maximum(0, gain)
        if variant["feedback_at_once"].any():
            acceleration, feedback = self._at_once(base, rated, batch, variant["feedback_at_once"])
        else:
            feedback = self._feedback(acceleration, rated, batch)
        floor = variant["floor"][period][:, None] if isinstance(self.floor, str) else self.value("floor")
        after = np.maximum(before + base + acceleration, floor) + feedback
        if self.rounding:
            after = np.floor(after + 0.5)
        after = np.where(rated, after, before)
        expected = batch.wins[:, None] - excess
        if newcomer.any():  # who has no expectation of its own to depart from, only the rating that the event gave
            first = newcomer[:, None]
            after = np.where(first, np.floor(strength + 0.5) if self.rounding else strength, after)
            expected, base = np.where(first, np.nan, expected), np.where(first, np.nan, base)
        detail = {"expected": expected, "base": base, "acceleration": acceleration, "feedback": feedback}
        return after, detail

    @cached_property
    def _k_table(self) -> Floats:
        """K of veterans below, between and above the bands, then of new players, (6, p)."""
        return np.array([self.full(1, self.value(name))[0] for name in _KS])

    def _base(self, rating: Floats, excess: Floats, lifetime: Floats) -> Floats:
        """The base change: K times the excess, or band by band where the rating leaves its band."""
        ks = self._k_table
        columns = np.arange(ks.shape[1])
        band_1, band_2 = self.value("band_1"), self.value("band_2")
        new = (lifetime < self.value("veteran_games")) * 3
        band = (rating >= band_1).astype(np.int64) + (rating >= band_2)
        base: Floats = ks[band + new, columns] * excess
        after = rating + base
        leaves = np.flatnonzero((((after >= band_1).astype(np.int64) + (after >= band_2)) != band).any(axis=1))
        if len(leaves):
            own = [ks[k + new[leaves], columns] for k in range(3)]
            base[leaves] = self._spend(rating[leaves], excess[leaves], *own)
        return base

    def _spend(self, rating: Floats, excess: Floats, k_low: Floats, k_middle: Floats, k_high: Floats) -> Floats:
        """The excess spent band by band, each with its own K.

        Going up, the next band begins at band_1 or band_2; going down, a point below them.
        """
        band_1, band_2 = self.value("band_1"), self.value("band_2")
        up, now = np.maximum(excess, 0), rating
        for k, top in ((k_low, band_1), (k_middle, band_2)):
            room = np.maximum(top - now, 0) / k
            now = np.where(up > room, np.maximum(top, now), now + k * up)
            up = np.maximum(up - room, 0)
        now = now + k_high * up
        down = np.maximum(-excess, 0)
        for k, bottom in ((k_high, band_2), (k_middle, band_1)):
            inside = now >= bottom
            room = np.where(inside, now - (bottom - 1), 0) / k
            now = np.where(inside, np.where(down > room, bottom - 1, now - k * down), now)
            down = np.maximum(down - room, 0)
        base: Floats = now - k_low * down - rating
        return base

    def _feedback(self, acceleration: Floats, rated: Bools, batch: Batch) -> Floats:
        """A share of each accelerated opponent's acceleration for every game against them, all at the end."""
        if not np.any(acceleration):
            return np.zeros_like(acceleration)
        given = acceleration
        if not batch.lone:  # a team gives what its members' acceleration is on average
            given = np.add.reduceat(acceleration, batch.unit_first) / batch.members[:, None]
        received = batch.to_entries(dot(batch.meetings, self.value("feedback") * given))
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
            units = batch.unit[now]
            given = self.value("feedback") * gained / batch.members[units][:, None]
            received = batch.to_entries(batch.meetings[units].T @ given)
            feedback = feedback + np.where(rated, received, 0.0)
        return acceleration, feedback


def variant_of(system: str) -> Variant:
    """The variant that a file's rating_system names; nsa2008 where it names none of this family."""
    return VARIANTS.get(system.strip().casefold(), VARIANTS[DEFAULT_VARIANT])


def segment_ends(rounds: Ints) -> Ints:
    """Last round of every segment but the last, (periods, 0 to 2): up to 16 rounds one, up to 35 two, then three.

    A period with fewer segments than the longest repeats its number of rounds.
    """
    wanted = 0 if rounds.max(initial=0) < 17 else 1 if rounds.max() < 36 else 2
    n = rounds[:, None]
    if not wanted:
        return n[:, :0]
    two = (n - 1) // 2 + 1
    first, second = (n - 1) // 3 + 1, (2 * (n - 1) + 1) // 3 + 1
    ends = np.hstack([np.where(n >= 36, first, np.where(n >= 17, two, n)), np.where(n >= 36, second, n)])
    return ends[:, :wanted]


@dataclass(frozen=True)
class Nsa(Naspa):
    """The NSA ratings of before 2009: the normal curve, and feedback given at once."""

    name: ClassVar[str] = "nsa"

    variant: str = "nsa"
