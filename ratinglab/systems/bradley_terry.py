"""Bradley-Terry in hindsight: one strength for everybody that explains all games of a history at once.

It is no rating that goes through time: what it says of a game it has seen. It is the mark that a system which forecasts
can be held against, and is kept out of the tables of forecasts.
Source: Bradley and Terry, "Rank analysis of incomplete block designs", 1952; the prior and the first-move advantage as
in Davidson and Beaver, 1977, and Caron and Doucet, "Efficient Bayesian inference for generalized Bradley-Terry
models", 2012.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ratinglab.periods import Batch, Floats, Ints, take
from ratinglab.problems import UsageError
from ratinglab.systems.base import Forecast, Number, State, System, Update
from ratinglab.systems.elo import logistic
from ratinglab.systems.workings import Workings

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from ratinglab.scheduling import Schedule

# Up to so many people the deviations are worked out, which takes the inverse of a full matrix.
FEW = 3000
STEPS = 100
# Wins, expected and had, agree to this for everybody, with what the prior holds back.
TOLERANCE = 1e-9


class Fit(NamedTuple):
    """Strengths on the natural scale (unknowns,), and the inverse of the curvature's diagonal (nan: too many)."""

    strength: Floats
    variance: Floats


@dataclass(frozen=True)
class BradleyTerry(System):
    """R = initial + prior_sd²·q·Σ(s - E) over all games, E = 1/(1 + 10^(-(R - R_i)/scale)), q = ln 10/scale.

    These are the likeliest strengths a posteriori where strengths are normal around `initial` with a standard deviation
    of `prior_sd` points, so that who has won everything is rated, and who has not played stands at `initial`. Ratings
    filed with the events are not used. A tie is half a win.
    scale: rating points for odds of ten to one.
    advantage: what going first (or White) is worth, in points, or `fitted` to the games, normal around 0 with a
    standard deviation of `advantage_sd`.
    The deviation is that of the normal curve that fits the posterior at its top (√ of the inverse Hessian's diagonal);
    of more than 3,000 people it is not worked out.
    A team is worth the mean of its members, so each member has a share of the team's games.
    """

    name: ClassVar[str] = "bradley-terry"
    state_names: ClassVar[tuple[str, ...]] = ("rating", "deviation", "advantage")
    has_forecast: ClassVar[bool] = False

    scale: Number = 400.0
    initial: Number = 1500.0
    prior_sd: Number = 200.0
    advantage: str | Number = "fitted"
    advantage_sd: Number = 100.0

    def validate(self) -> None:
        self.require(["scale", "prior_sd", "advantage_sd"], "above 0", 0)
        if isinstance(self.advantage, str) and self.advantage != "fitted":
            raise UsageError(f"bradley-terry: advantage must be fitted or points; found {self.advantage}")

    def start(self, batch: Batch, rows: Ints) -> State:
        raise UsageError("bradley-terry rates all games of a history at once: nobody starts from anything")

    def update(self, state: State, batch: Batch, workings: Workings | None = None) -> Update:
        raise UsageError("bradley-terry rates all games of a history at once: there is no update of one event")

    def notices(self, schedule: Schedule) -> list[str]:
        out = [
            "bradley-terry looks back: every rating, also before an event, is made of all games of the history; "
            "it forecasts nothing, and ratings filed with the events are not used"
        ]
        people = _people(schedule)
        if people > FEW:
            out.append(f"bradley-terry: deviations are not worked out of {people} people, which are more than {FEW}")
        return out

    # --- the fit -----------------------------------------------------------------------------------------------------

    def hindsight(self, schedule: Schedule) -> State:
        whole, people = schedule.whole, _people(schedule)
        shares = _shares(whole, people)
        state = {name: self.full(people, np.nan) for name in self.state_names}
        for column in range(self.grid_size or 1):
            one: Any = self.column(column) if self.grid_size else self
            q = log(10) / one.scale
            fitted = isinstance(one.advantage, str)
            games, prior = shares, np.full(people, (q * one.prior_sd) ** -2)
            if fitted:  # one more unknown, in every game of which it is known who went first
                games, prior = _with_column(shares, whole.first), np.append(prior, (q * one.advantage_sd) ** -2)
            given = np.zeros(len(whole.a)) if fitted else q * one.advantage * whole.first
            fit = likeliest(games, whole.result, given, prior)
            state["rating"][:, column] = one.initial + fit.strength[:people] / q
            state["deviation"][:, column] = np.sqrt(fit.variance[:people]) / q
            state["advantage"][:, column] = fit.strength[people] / q if fitted else one.advantage
        return state

    def strength(self, state: State, batch: Batch) -> State:
        """A team's rating is the mean of its members' ratings; the advantage is everybody's alike."""
        if batch.lone:
            return state
        mean = np.add.reduceat(state["rating"], batch.unit_first) / batch.members[:, None]
        return {"rating": mean, "advantage": take(state["advantage"], batch.unit_first)}

    def forecast(self, strength: State, batch: Batch, games: slice) -> Forecast:
        """What the strengths say of games from which they were made: for scores in hindsight alone."""
        a, b = batch.a[games], batch.b[games]
        difference = take(strength["rating"], a) - take(strength["rating"], b)
        difference += take(strength["advantage"], a) * batch.first[games][:, None]
        return Forecast(logistic(difference, log(10) / self.value("scale")))

    # --- how a rating came about -------------------------------------------------------------------------------------

    def tell_hindsight(self, schedule: Schedule, state: State, batch: Batch, workings: Workings) -> bool:
        """Tell what each game of the batch gives, and the rest, which is what all other games of the history give.

        The points add up to rating - initial: at the top of the posterior that is all that the games say.
        """
        factor: Any = np.square(self.value("prior_sd")) * log(10) / self.value("scale")
        units, lines = self.strength(state, batch), batch.directed
        win = self.forecast(units, batch, slice(None)).win[lines.game]
        expected = np.where(lines.side[:, None] > 0, win, 1 - win)
        share = factor / batch.members[batch.unit][:, None]
        points = share[lines.entry] * (batch.line_results - expected)
        workings.inputs(batch, initial=self.value("initial"), points_per_win=share)
        workings.games(batch, opponent_rating=take(units["rating"], lines.opponent), expected=expected, points=points)
        because = "every game of the history counts alike, whenever it was played: these are the ones not shown"
        rest = state["rating"] - self.value("initial") - batch.sum_lines(points)
        workings.rule(batch, "games of other events", rest, because)
        return True


def _people(schedule: Schedule) -> int:
    return int(schedule.whole.person.max(initial=-1)) + 1


def _shares(whole: Batch, people: int) -> csr_array:
    """Whose strengths a game sets against each other, (games, people): a's members share 1, b's share -1."""
    from scipy.sparse import csr_array

    lines = whole.directed
    share = lines.side / whole.members[whole.unit[lines.entry]]
    return csr_array((share, (lines.game, whole.person[lines.entry])), shape=(len(whole.a), people))


def _with_column(matrix: csr_array, column: Floats) -> csr_array:
    from scipy.sparse import coo_array, csr_array, hstack

    return csr_array(hstack([matrix, coo_array(column[:, None])], format="csr"))


def likeliest(games: csr_array, result: Floats, given: Floats, prior: Floats) -> Fit:
    """The strengths x (unknowns,) at which Σ s·log p + (1 - s)·log(1 - p) - ½Σ prior·x² is highest.

    p is the logistic curve of games·x + given, for games (n, unknowns), result (n,) and given (n,); `prior` (unknowns,)
    are the precisions of a normal prior around 0. The function has one top. Newton's method, a step halved while it
    leads down; raises `UsageError` if the slope does not come below `TOLERANCE`.
    """
    from scipy.special import expit

    turned = games.T.tocsr()

    def height(x: Floats) -> float:
        odds = games @ x + given
        return float((result * odds - np.logaddexp(0, odds)).sum() - 0.5 * (prior * x**2).sum())

    def slope(x: Floats) -> Floats:
        uphill: Floats = turned @ (result - expit(games @ x + given)) - prior * x
        return uphill

    def solver(x: Floats) -> tuple[Callable[[Floats], Floats], Callable[[], Floats]]:
        p = expit(games @ x + given)
        return _solver(games, turned, p * (1 - p), prior)

    x = np.zeros(len(prior))
    steep = slope(x)
    for _ in range(STEPS):
        if np.abs(steep).max(initial=0) <= TOLERANCE:
            break
        step = solver(x)[0](steep)
        here = height(x)
        # so near the top that its height is level to the last digit, the slope says whether a step leads there
        while height(x + step) < here and np.abs(slope(x + step)).max() >= np.abs(steep).max():
            step = step / 2
        x = x + step
        steep = slope(x)
    else:
        raise UsageError(
            f"bradley-terry: expected a fit to {TOLERANCE:g} of a win in {STEPS} steps; found {np.abs(steep).max():g}"
        )
    solve, variance = solver(x)
    return Fit(x + solve(steep), variance())  # a last step squares what is missing


def _solver(
    games: csr_array, turned: csr_array, weight: Floats, prior: Floats
) -> tuple[Callable[[Floats], Floats], Callable[[], Floats]]:
    """How to solve (gamesᵀ·weight·games + prior)·x = v, and how to find the diagonal of that matrix's inverse."""
    if len(prior) <= FEW + 1:
        from scipy.linalg import cho_factor, cho_solve

        curvature = (turned @ (games * weight[:, None])).toarray()
        curvature[np.diag_indices_from(curvature)] += prior
        factor = cho_factor(curvature, lower=True)
        return (
            lambda v: np.asarray(cho_solve(factor, v)),
            lambda: np.diag(cho_solve(factor, np.eye(len(prior)))).copy(),
        )
    from scipy.sparse.linalg import LinearOperator, cg

    size = (len(prior), len(prior))
    diagonal = turned.power(2) @ weight + prior
    curve = LinearOperator(size, matvec=lambda v: turned @ (weight * (games @ v)) + prior * v, dtype=float)
    scaled = LinearOperator(size, matvec=lambda v: v / diagonal, dtype=float)

    def solve(v: Floats) -> Floats:
        found, failed = cg(curve, v, rtol=1e-10, M=scaled)
        if failed:
            raise UsageError(
                "bradley-terry: expected a step of Newton's method; found none that conjugate gradients reach"
            )
        return np.asarray(found)

    return solve, lambda: np.full(len(prior), np.nan)
