"""Glicko-2: a rating, its deviation, and a volatility that says how erratic a player's strength is.

Source: Glickman, "Example of the Glicko-2 system" (with the Illinois algorithm of its 2012 revision), whose steps the
comments name; the method is his "Dynamic paired comparison models with stochastic variances", Journal of Applied
Statistics 28, 2001.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any, ClassVar

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
    grown_deviation,
    kept_where_idle,
)
from ratinglab.systems.glicko import forecast_of_pairs, periods_since, surprises
from ratinglab.systems.workings import Workings

# The root ln σ'² is found to this width of the interval around it.
PRECISION = 1e-10
# The Illinois steps arrive in a few; where they do not, halving takes over and cannot fail.
ILLINOIS_STEPS = 50
# The least that the games of a period are taken to tell: an expected score of 1 - 1e-12. Beyond that, E·(1 - E) is lost
# in rounding.
LEAST_INFORMATION = 1e-12


@dataclass(frozen=True)
class Glicko2(System):
    """1/φ'² = 1/(φ² + σ'²) + Σ g²·E·(1 - E), μ' = μ + φ'²·Σ g·(s - E), σ' the volatility after the games.

    Rating and deviation are divided by scale/ln 10 for the formulas: 173.71779… for a scale of 400, which the paper
    rounds to 173.7178. g, E and the forecast are Glicko's.

    tau: how much the volatility may change in a period; initial, initial_deviation, initial_volatility: of somebody
    unrated (a volatility is never filed); advantage: rating points that going first (or White) is worth; scale: rating
    points for odds of ten to one between known strengths.
    φ² grows by σ² in each period of `period_days` without a game since the person last played, a part of a period by
    its part and up to `max_deviation`, and by σ'² in the update of the period with the games: every event is one.

    A team's members are each updated on their own against the opposing teams' effective values.
    """

    name: ClassVar[str] = "glicko2"
    state_names: ClassVar[tuple[str, ...]] = ("rating", "deviation", "volatility")
    in_points: ClassVar[tuple[str, ...]] = ("scale", "initial_deviation", "initial", "max_deviation", "advantage")

    tau: Number = 0.5
    initial: Number = 1500.0
    initial_deviation: Number = 350.0
    initial_volatility: Number = 0.06
    max_deviation: Number = 350.0
    period_days: Number = 30.0
    advantage: Number = 0.0
    scale: Number = 400.0

    def validate(self) -> None:
        positive = ["tau", "initial_deviation", "initial_volatility", "max_deviation", "period_days", "scale"]
        self.require(positive, "above 0", 0)

    @property
    def q(self) -> Any:
        """One over the rating points in a unit of the Glicko-2 scale."""
        return log(10) / self.value("scale")

    def start(self, batch: Batch, rows: Ints) -> State:
        unrated = {"volatility": self.full(len(rows), self.value("initial_volatility"))}
        return super().start(batch, rows) | {"deviation": deviation_at_start(self, batch, rows)} | unrated

    def age(self, state: State, batch: Batch) -> State:
        idle = np.maximum(periods_since(batch, self.value("period_days")) - 1, 0)  # the last one grows in the update
        added = idle * np.square(state["volatility"] / self.q)
        return state | {"deviation": grown_deviation(state["deviation"], added, self.value("max_deviation"))}

    def forecast(self, strength: State, batch: Batch, games: slice) -> Forecast:
        return forecast_of_pairs(strength, batch, games, self.q, self.value("advantage"))

    def update(self, state: State, batch: Batch, workings: Workings | None = None) -> Update:
        q = self.q
        games = surprises(state, self.strength(state, batch), batch, q, self.value("advantage"))
        information = np.maximum(games.information, LEAST_INFORMATION)
        phi2 = np.square(q * state["deviation"])
        volatility = new_volatility(
            state["volatility"], phi2, 1 / information, games.surprise / information, self.value("tau")
        )
        widened = phi2 + np.square(volatility)  # step 6
        variance = 1 / (1 / widened + information)  # step 7
        after = {
            "rating": state["rating"] + variance * games.surprise / q,
            "deviation": np.sqrt(variance) / q,
            "volatility": volatility,
        }
        after = kept_where_idle(state, after, batch)
        if workings is not None:
            plays = batch.played > 0
            workings.inputs(batch, volatility=state["volatility"], new_volatility=after["volatility"])
            told = np.where(plays[:, None], q**2 * (1 / widened - 1 / phi2), 0.0)
            why = "strength has moved since the last period, by the volatility that the results speak for"
            workings.rule(batch, "volatility", np.zeros_like(phi2), why, when=plays, information=told)
            weight = take(variance, batch.directed.entry) / q
            games.tell(workings, points=weight * games.g * games.excess, information=q**2 * games.line_information)
        return Update(after, [Part(batch.played, batch.wins, state, after, {})])


def new_volatility(volatility: Floats, phi2: Floats, v: Floats, delta: Floats, tau: Any) -> Floats:
    """The volatility σ' after a period's games, of arrays (entries, p) on the Glicko-2 scale (step 5 of the paper).

    `phi2`: φ²; `v`: the variance of the rating as the games alone estimate it; `delta`: the change that they alone
    suggest. σ'² is the root of the paper's f(ln σ²), found by its Illinois algorithm to 1e-10 for everybody at once,
    from a narrower interval than the paper's: of several roots, after a great upset, the one nearest to before.
    """
    start = np.log(np.square(volatility))
    delta2, known = np.square(delta), phi2 + v
    tau2 = np.square(tau)

    def f(x: Floats) -> Floats:
        drift = np.exp(x)
        total = known + drift
        value: Floats = drift * (delta2 - total) / (2 * np.square(total)) - (x - start) / tau2
        return value

    a, at_a = start, f(start)
    # f's first term, which is all of f at the start, is above -½·σ²/(φ² + v + σ²): so far down the second outweighs it
    variance = np.square(volatility)
    down = start - tau2 * variance / (2 * (known + variance))
    # upwards, f is below 0 at the paper's limit; twice the first term's weight is nearly always far enough, and nearer
    limit = np.log(np.where(at_a > 0, delta2 - known, variance))
    up = np.minimum(start + 2 * tau2 * np.maximum(at_a, 0), limit)
    up = np.where(f(up) > 0, limit, up)
    b = np.where(at_a < 0, down, up)
    at_b = f(b)
    steps = 0
    # who has arrived waits for the others, and may divide nothing by nothing
    with np.errstate(divide="ignore", invalid="ignore"):
        while (wide := np.abs(b - a) > PRECISION).any():
            c = a + (a - b) * at_a / (at_b - at_a) if steps < ILLINOIS_STEPS else (a + b) / 2
            c = np.where(wide, c, b)
            at_c = f(c)
            crossed = at_c * at_b <= 0
            a = np.where(wide & crossed, b, a)
            at_a = np.where(wide, np.where(crossed, at_b, at_a / 2), at_a)
            b, at_b = c, at_c
            steps += 1
    out: Floats = np.exp(a / 2)
    return out
