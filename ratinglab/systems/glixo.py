"""Glixo and Team Glixo, the ratings of the 2012 National School SCRABBLE Championship.

A player is a rating μ with a deviation σ. The spread of a game is taken as normal with mean (μ - μ_i)/b and standard
deviation τ, so a game says that μ is near μ_i + b·spread, and one update per event combines what all games say.
Source: the championship's page ("Technical Details" and its sample code); the method is Seierstad's "Rating system for
Scrabble" (2011), from which the initial values and the rules of growth come, since the page prints none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ratinglab.periods import Batch, Floats, Ints, take
from ratinglab.problems import UsageError
from ratinglab.scheduling import Schedule, round_caps
from ratinglab.systems.base import (
    Forecast,
    Number,
    Part,
    State,
    System,
    Update,
    deviation_at_start,
    grown_deviation,
    kept_where_idle,
)
from ratinglab.systems.workings import Workings

GROWTHS = ("none", "printed", "linear")


@dataclass(frozen=True)
class Glixo(System):
    """1/σ'² = 1/σ² + Σ 1/ρ_i, μ' = σ'²·(μ/σ² + Σ ν_i/ρ_i), with ρ_i = b²τ² + σ_i² and ν_i = μ_i + b·s_i.

    b: rating points per game point; tau: game points, the spread's standard deviation between known strengths;
    initial, initial_deviation: of somebody unrated; floor: the lowest rating.
    spread_cap: `filed` (what the event's file says), `none`, or the largest spread that counts in each round
    (rounds beyond the list are uncapped).
    growth: what d days without a game do to σ: `none` (as the 2012 championship), `printed` σ² + c·d² (the formula as
    Seierstad printed it), `linear` σ² + c²·d (as his text says, and as used elsewhere); never above `max_deviation`.
    A game whose spread is not known is forecast but not rated.

    A team's members are each updated on their own, from their own μ and σ, against the opposing teams' effective
    values.
    """

    name: ClassVar[str] = "glixo"
    state_names: ClassVar[tuple[str, ...]] = ("rating", "deviation")
    has_spread: ClassVar[bool] = True
    in_points: ClassVar[tuple[str, ...]] = ("initial_deviation", "b", "c", "initial", "max_deviation", "floor")

    b: Number = 5.0
    tau: Number = 90.0
    initial: Number = 1500.0
    initial_deviation: Number = 400.0
    floor: Number = 1.0
    spread_cap: str | Sequence[float] = "filed"
    growth: str = "none"
    c: Number = 10.0
    max_deviation: Number = 400.0

    @classmethod
    def vector_parameters(cls) -> frozenset[str]:
        return frozenset({"spread_cap"})

    def points_power(self, name: str) -> int:
        return 2 if name == "c" and self.growth == "printed" else 1

    def validate(self) -> None:
        self.require(["b", "tau", "initial_deviation", "max_deviation"], "above 0", 0)
        self.require(["c"], "0 or more", 0, strict=False)
        if self.growth not in GROWTHS:
            raise UsageError(f"{self.name}: growth must be one of {', '.join(GROWTHS)}; found {self.growth}")
        if isinstance(self.spread_cap, str):
            if self.spread_cap not in ("filed", "none"):
                raise UsageError(
                    f"{self.name}: spread_cap must be filed, none or points by round; found {self.spread_cap}"
                )
        else:
            caps = self._numbers("spread_cap", self.spread_cap)
            if np.ndim(self.spread_cap) != 1 or min(caps, default=0) < 0:
                raise UsageError(f"{self.name}: spread_cap lists 0 or more for each round; found {self.spread_cap}")
            object.__setattr__(self, "spread_cap", caps)

    def start(self, batch: Batch, rows: Ints) -> State:
        return super().start(batch, rows) | {"deviation": deviation_at_start(self, batch, rows)}

    def age(self, state: State, batch: Batch) -> State:
        if self.growth == "none":
            return state
        days = batch.idle_days[:, None]
        c: Any = self.value("c")
        added = c * days**2 if self.growth == "printed" else c**2 * days
        return state | {"deviation": grown_deviation(state["deviation"], added, self.value("max_deviation"))}

    def notices(self, schedule: Schedule) -> list[str]:
        unknown = int(np.isnan(schedule.whole.spread).sum())
        return [f"{self.name}: {unknown} games have no known spread: forecast, but not rated"] if unknown else []

    def forecast(self, strength: State, batch: Batch, games: slice) -> Forecast:
        from scipy.special import ndtr

        a, b = batch.a[games], batch.b[games]
        scale: Any = self.value("b")
        mean = (take(strength["rating"], a) - take(strength["rating"], b)) / scale
        variance = np.square(take(strength["deviation"], a)) + np.square(take(strength["deviation"], b))
        sd = np.sqrt(variance / np.square(scale) + np.square(self.value("tau")))
        return Forecast(ndtr(mean / sd), mean, sd)

    def _caps(self, batch: Batch) -> Floats:
        if self.spread_cap == "filed":
            return batch.cap
        listed = () if self.spread_cap == "none" else tuple(float(cap) for cap in self.spread_cap)
        return round_caps(listed, batch.round)

    def weight(self, units: State) -> Floats:
        """1/ρ of each opposing unit, (units, p): the information in a game against it."""
        weight: Floats = 1 / (np.square(self.value("b") * self.value("tau")) + np.square(units["deviation"]))
        return weight

    def gathered(self, batch: Batch, weight: Floats, rating: Floats) -> Floats:
        """Per unit Σ ν_i/ρ_i over its games, of opponents with this `weight` and `rating` (units, p)."""
        # the sums over games are linear in the opponents' terms, so the games are added up once for all parameters
        of_spreads: Floats = self.value("b") * batch.sum_spreads(weight, self._caps(batch))
        return batch.sum_opponents(weight * rating) + of_spreads

    def posterior(self, state: State, units: State, weight: Floats, batch: Batch) -> tuple[Floats, Floats]:
        """μ' and σ'² of each entry, (entries, p), before any further rule; all games' spreads are known."""
        before = 1 / np.square(state["deviation"])
        variance = 1 / (before + batch.to_entries(batch.sum_opponents(weight)))
        achieved = batch.to_entries(self.gathered(batch, weight, units["rating"]))
        return variance * (state["rating"] * before + achieved), variance

    def update(self, state: State, batch: Batch, workings: Workings | None = None) -> Update:
        known = batch.with_spread
        units = self.strength(state, known)
        weight = self.weight(units)
        unbounded, variance = self.posterior(state, units, weight, known)
        floor = self.value("floor")
        bounded = {"rating": np.maximum(unbounded, floor), "deviation": np.sqrt(variance)}
        after = kept_where_idle(state, bounded, known)
        if workings is not None:
            self.tell_games(workings, known, state, units, weight, variance)
            raised = np.where(known.played[:, None] == 0, 0.0, after["rating"] - unbounded)
            workings.rule(known, "floor", raised, f"no rating is below {floor:g}")
        return Update(after, [Part(batch.played, batch.wins, state, after, {})])

    def tell_games(
        self,
        workings: Workings,
        batch: Batch,
        state: State,
        units: State,
        weight: Floats,
        variance: Floats,
        counts: Any = True,
    ) -> None:
        """Each game's part in the new rating: σ'²/ρ_i times how far ν_i lies from μ, where it `counts` (entries, 1)."""
        lines, caps = batch.directed, self._caps(batch)
        rating, information = take(units["rating"], lines.opponent), take(weight, lines.opponent)
        information = np.where(np.broadcast_to(counts, (len(batch.person), 1))[lines.entry], information, 0.0)
        spread = (np.clip(batch.spread, -caps, caps)[lines.game] * lines.side)[:, None]
        achieved = rating + self.value("b") * spread
        workings.inputs(batch, b=self.value("b"), tau=self.value("tau"))
        workings.games(
            batch,
            opponent_rating=rating,
            opponent_deviation=take(units["deviation"], lines.opponent),
            counted_spread=spread,
            played_like=achieved,
            information=information,
            points=take(variance, lines.entry) * information * (achieved - take(state["rating"], lines.entry)),
        )
