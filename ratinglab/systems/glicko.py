"""Glicko: a rating with a deviation that grows with time and shrinks with games, everybody rated at once.

Source: Glickman, "Parameter estimation in large dynamic paired comparison experiments", Applied Statistics 48, 1999,
and his paper "The Glicko system". `surprises` is what Glicko-2 and Stephenson's system share with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, pi
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ratinglab.periods import Batch, Floats, Ints, take
from ratinglab.systems.base import (
    Forecast,
    Number,
    Part,
    State,
    System,
    Update,
    deviation_at_start,
    deviation_filed,
    grown_deviation,
    kept_where_idle,
)
from ratinglab.systems.elo import logistic
from ratinglab.systems.workings import Workings


@dataclass(frozen=True)
class Glicko(System):
    """1/σ'² = 1/σ² + q²·Σ g²·E·(1 - E), R' = R + σ'²·q·Σ g·(s - E).

    With q = ln 10/scale, g(σ) = 1/√(1 + 3q²σ²/π²) of the opponent's deviation σ_i, and
    E = 1/(1 + 10^(-g(σ_i)·(R - R_i + γ)/scale)). A forecast knows neither strength, so it uses g(√(σ² + σ_i²)).

    c: rating points; σ² grows by c² for each period of `period_days` since the person last played, a part of a period
    by its part, so that a second event on the same day finds nothing grown. Who appears for the first time without a
    filed deviation has waited one period. Growth stops at `max_deviation`.
    initial, initial_deviation: of somebody unrated; advantage: γ, the rating points that going first (or White) is
    worth; scale: rating points for odds of ten to one between known strengths (ratings as Scrabble files them: 722).

    A team's members are each updated on their own against the opposing teams' effective values.
    """

    name: ClassVar[str] = "glicko"
    state_names: ClassVar[tuple[str, ...]] = ("rating", "deviation")
    in_points: ClassVar[tuple[str, ...]] = (
        "scale", "initial_deviation", "initial", "max_deviation", "c", "advantage",
    )  # fmt: skip

    initial: Number = 1500.0
    initial_deviation: Number = 350.0
    max_deviation: Number = 350.0
    c: Number = 15.0
    period_days: Number = 30.0
    advantage: Number = 0.0
    scale: Number = 400.0

    def validate(self) -> None:
        self.require(["initial_deviation", "max_deviation", "period_days", "scale"], "above 0", 0)
        self.require(["c"], "0 or more", 0, strict=False)

    @property
    def q(self) -> Any:
        return log(10) / self.value("scale")

    def start(self, batch: Batch, rows: Ints) -> State:
        deviation = deviation_at_start(self, batch, rows)
        filed = deviation_filed(batch, rows)
        grown = grown_deviation(deviation, np.square(self.value("c")), self.value("max_deviation"))
        return super().start(batch, rows) | {"deviation": np.where(filed[:, None], deviation, grown)}

    def age(self, state: State, batch: Batch) -> State:
        if self.off("c"):
            return state
        added = np.square(self.value("c")) * periods_since(batch, self.value("period_days"))
        return state | {"deviation": grown_deviation(state["deviation"], added, self.value("max_deviation"))}

    def forecast(self, strength: State, batch: Batch, games: slice) -> Forecast:
        return forecast_of_pairs(strength, batch, games, self.q, self.value("advantage"))

    def widening(self, batch: Batch) -> Any:
        """What is added to σ² before the update, (entries, 1 or p); None: nothing."""
        return None

    def adjustments(self, state: State, games: Surprises, variance: Floats) -> Sequence[tuple[str, Floats, str]]:
        """What the rating moves by beside the surprises: a name, points (entries, p) and a sentence for each."""
        return ()

    def update(self, state: State, batch: Batch, workings: Workings | None = None) -> Update:
        games = surprises(state, self.strength(state, batch), batch, self.q, self.value("advantage"))
        q, rating = self.q, state["rating"]
        prior = np.square(state["deviation"])
        added = self.widening(batch)
        if added is not None:
            prior = prior + added
        variance = 1 / (1 / prior + q**2 * games.information)
        adjusted = self.adjustments(state, games, variance)
        total = sum((points for _, points, _ in adjusted), q * variance * games.surprise)
        after = {"rating": rating + total, "deviation": np.sqrt(variance)}
        after = kept_where_idle(state, after, batch)
        if workings is not None:
            if added is not None:
                told = np.where(batch.played[:, None] > 0, 1 / prior - 1 / np.square(state["deviation"]), 0.0)
                why = "each game of the event also makes the rating a little less sure, since strength moves with play"
                nothing = np.zeros_like(rating)
                workings.rule(batch, "games played", nothing, why, when=batch.played > 0, information=told)
            weight = q * take(variance, batch.directed.entry) * games.g
            games.tell(workings, points=weight * games.excess, information=q**2 * games.line_information)
            for name, points, because in adjusted:
                workings.rule(batch, name, points, because)
        return Update(after, [Part(batch.played, batch.wins, state, after, {})])


class Surprises(NamedTuple):
    """What a period's games say: sums (entries, p), and (lines, p) over `batch.directed`, a line for each side."""

    batch: Batch  # with lines from both sides
    information: Floats  # Σ g²·E·(1 - E)
    surprise: Floats  # Σ g·(s - E)
    opponent_rating: Floats
    opponent_deviation: Floats
    g: Floats
    expected: Floats
    excess: Floats  # s - E
    line_information: Floats

    def tell(self, workings: Workings, **columns: Any) -> None:
        """The games in `workings`, with the `points` and `information` that the system makes of them."""
        workings.games(
            self.batch,
            opponent_rating=self.opponent_rating,
            opponent_deviation=self.opponent_deviation,
            g=self.g,
            expected=self.expected,
            **columns,
        )


def attenuation(variance: Floats, q: Any) -> Floats:
    """g(σ) from σ²: how much a rating difference is worth where strengths are known to a deviation of σ."""
    out: Floats = 1 / np.sqrt(1 + (3 * q**2 / pi**2) * variance)
    return out


def surprises(state: State, units: State, batch: Batch, q: Any, advantage: Any) -> Surprises:
    """What the batch's games say of everybody in it, from their `state` and the `units`' strength before it.

    The terms do not change sign with the side, since g is the opponent's own.
    """
    both = batch.told_from_both_sides
    lines = both.directed
    rating, deviation = (take(units[name], lines.opponent) for name in ("rating", "deviation"))
    g = take(attenuation(np.square(units["deviation"]), q), lines.opponent)
    difference = take(state["rating"], lines.entry) - rating
    if np.any(advantage):
        difference += advantage * both.line_first[:, None]
    expected = logistic(difference, q * g)
    excess = both.line_results - expected
    information = np.square(g) * (expected * (1 - expected))
    return Surprises(
        batch=both,
        information=both.sum_lines(information),
        surprise=both.sum_lines(g * excess),
        opponent_rating=rating,
        opponent_deviation=deviation,
        g=g,
        expected=expected,
        excess=excess,
        line_information=information,
    )


def forecast_of_pairs(strength: State, batch: Batch, games: slice, q: Any, advantage: Any) -> Forecast:
    """The win forecast of a rating system with deviations, from g of both deviations together."""
    a, b = batch.a[games], batch.b[games]
    difference = take(strength["rating"], a) - take(strength["rating"], b)
    if np.any(advantage):
        difference += advantage * batch.first[games][:, None]
    variance = np.square(strength["deviation"])
    return Forecast(logistic(difference, q * attenuation(take(variance, a) + take(variance, b), q)))


def periods_since(batch: Batch, period_days: Any) -> Floats:
    """Rating periods since each entry's person last played, (entries, 1 or p), a part of a period as its part."""
    periods: Floats = batch.idle_days[:, None] / period_days
    return periods
