"""Two rating lists on one scale: from players who are on both, what a rating on one list is worth on the other.

What is wanted is the best prediction of y, the rating on the second list, for somebody of whom x alone is known. That
is the regression of y on x *as observed*: both lists are noisy, and an observed x far above the mean is partly luck, so
the curve is rightly flatter than the line through the true strengths (no correction for "regression dilution";
Carroll, Ruppert, Stefanski and Crainiceanu, Measurement Error in Nonlinear Models, 2006, section 3.2: prediction from
the observed value needs none). So the conversion of y to x is another curve, not this one read backwards.

The curve is a monotone regression spline of degree one: straight between knots at quantiles of x, no slope below 0, by
non-negative least squares (Ramsay, Statistical Science 3, 1988; Meyer, Annals of Applied Statistics 2, 2008). One
segment is the straight line of positive slope; how many the players bear is said by the corrected AIC (Hurvich,
Simonoff and Tsai, JRSS B 60, 1998), of at least `SEGMENT` players each. Isotonic regression itself, the limit of
ever more knots, was weighed and not taken: its steps make the conversion of neighbours equal, it is biased at both ends
and its bootstrap does not converge (Sen, Banerjee and Woodroofe, Annals of Statistics 38, 2010). On straight and bent
truths with 30 to 400 players its error is 1.2 to 2 times that of this curve (tests/seeding/test_converting.py).

How sure: players are drawn anew, the number of segments chosen anew each time (the curve); errors for players who were
left out of the fit, as in split conformal prediction with ten folds (a new player; Barber, Candès, Ramdas and
Tibshirani, Annals of Statistics 49, 2021).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ratinglab.problems import UsageError
from ratinglab.resampling import LEVEL, event_draws
from ratinglab.terminal import many

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.periods import Floats
    from ratinglab.replaying import Replay

FEWEST = 20  # common players; with fewer than 19 no error bound holds for 19 new players in 20, whatever they are
FEW = 50  # below this the curve is rough, and it is said
SIDE = 5  # players at or beyond either end of the range in which the conversion may be used
SEGMENT = 5  # players in each straight piece, at least
SEGMENTS = (1, 2, 3, 4, 6, 8)
FOLDS = 10
RESAMPLES = 500
WEAK = 0.95  # of the error without the first rating: a conversion that is no better than this is not worth having
WITHIN = 180  # days between the two ratings of one player

LISTED = ("player", "rating", "deviation", "date")
PAIRS = ("player", "x", "y", "x_deviation", "y_deviation", "x_date", "y_date")


@dataclass(frozen=True)
class Common:
    """Who is on both lists (`pairs`, columns `PAIRS`), and how many are not: on one alone, or at dates too far apart.

    `only_x` are the ratings of those on the first list alone, for whom a conversion is made.
    """

    pairs: pd.DataFrame
    only_x: Floats
    only_y: int
    apart: int
    within: int

    @property
    def says(self) -> tuple[str, ...]:
        """How many there are, in words, and how those on the first list alone compare with them."""
        told = [f"{many(len(self.pairs), 'player')} {'is' if len(self.pairs) == 1 else 'are'} on both lists"]
        told[0] += f", {len(self.only_x)} on the first alone, {self.only_y} on the second alone."
        if self.apart:
            told.append(
                f"{many(self.apart, 'player')} on both {'is' if self.apart == 1 else 'are'} left out: the two ratings "
                f"are more than {many(self.within, 'day')} apart."
            )
        if len(self.only_x) and len(self.pairs):
            told.append(
                f"Those on the first list alone have a median rating of {np.median(self.only_x):.0f} there, those on "
                f"both {self.pairs['x'].median():.0f}. The conversion rests on the latter and takes the former to be "
                "like them at the same rating, which no list can show: who plays in both places may be the keener."
            )
        return tuple(told)


@dataclass(frozen=True)
class Conversion:
    """A monotone conversion x → y.

    knots: x, y and the 95 % interval of the curve (low, high); straight between them. The conversion may be used
    from `low` to `high` and nowhere else. `residual_sd`: how far players who were left out of the fit lie from it (root
    mean square, points of y). `correlation` is that of the two ratings. `residuals`: player, x, y, value, residual (y
    less the value from a fit without the player), in the order of x. `says` are sentences for readers.
    """

    knots: pd.DataFrame
    low: float
    high: float
    n: int
    residual_sd: float
    method: str
    says: tuple[str, ...]
    correlation: float
    residuals: pd.DataFrame
    reach: float  # half of a new player's interval, in units of sd
    grid: Floats  # where the resampled curves are kept, (g,)
    resampled: Floats  # (resamples, g)

    @property
    def weak(self) -> bool:
        """Whether it foretells a new player hardly better than the mean of all players does."""
        return self.residual_sd > WEAK * _of_mean(self.residuals["y"])

    def apply(self, x: Sequence[float] | Floats) -> pd.DataFrame:
        """What ratings x are worth on the other list: a row for each, nan outside the range.

        Columns: value; low, high: the 95 % interval of the rating there of a new player with this x; sd: the standard
        deviation of that, what a seeding has to carry as ±; curve_low, curve_high: the 95 % interval of the curve, the
        mean of all players with this x.
        """
        at = np.asarray(x, dtype=float)
        inside = (at >= self.low) & (at <= self.high)
        where = np.where(inside, at, self.low)
        value = np.interp(where, self.knots["x"], self.knots["y"])
        curves = _between(self.grid, self.resampled, where)
        sd = np.hypot(self.residual_sd, curves.std(axis=0, ddof=1))
        ends = np.quantile(curves, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        # an interval holds its own curve, also where resamples lie to one side of it
        made = {
            "value": value,
            "low": value - self.reach * sd,
            "high": value + self.reach * sd,
            "sd": sd,
            "curve_low": np.minimum(ends[0], value),
            "curve_high": np.maximum(ends[1], value),
        }
        return pd.DataFrame({name: np.where(inside, values, np.nan) for name, values in made.items()})

    def one(self, x: float) -> tuple[float, float] | None:
        """A single rating's value and sd on the other list; nothing outside the range."""
        row = self.apply([x]).iloc[0]
        return None if np.isnan(row["value"]) else (float(row["value"]), float(row["sd"]))

    def table(self, step: float | None = None) -> pd.DataFrame:
        """The conversion at round ratings of the range, and at its ends: x, then the columns of `apply`.

        The step is by default the one of 10, 20, 50, 100, 200 … that makes about a dozen rows.
        """
        step = step or _round_step(self.high - self.low)
        first = math.floor(self.low / step) + 1
        middle = np.arange(first, math.ceil(self.high / step)) * step
        x = np.unique(np.concatenate([[self.low], middle, [self.high]]))
        return pd.concat([pd.DataFrame({"x": x}), self.apply(x)], axis=1)


def listed(history: History, kind: str, *, as_of: str | pd.Timestamp | None = None) -> pd.DataFrame:
    """The latest rating of everybody in the history's lists of a kind, up to a date: columns `LISTED`.

    Raises `UsageError` for a kind of which there is no list, naming those there are.
    """
    lists = history.rating_lists.dropna(subset=["player", "list_date", "rating"])
    known = sorted(set(lists["kind"].dropna()))
    mine = lists[lists["kind"].fillna("").str.casefold() == kind.casefold()]
    if mine.empty:
        raise UsageError(f"no rating list of kind {kind}; the kinds are: {', '.join(known) or 'none'}")
    if as_of is not None:
        mine = mine[mine["list_date"] <= pd.Timestamp(as_of)]
    mine = mine.sort_values("list_date", kind="stable").drop_duplicates("player", keep="last")
    return mine.rename(columns={"list_date": "date"})[list(LISTED)].reset_index(drop=True)


def replayed(replay: Replay, *, as_of: str | None = None) -> pd.DataFrame:
    """The ratings of a replay as of a date, each with the day of the last rated event: columns `LISTED`."""
    table = replay.ratings(as_of=as_of).rename(columns={"last_event": "date"})
    return table.reindex(columns=list(LISTED))


def common(x: pd.DataFrame, y: pd.DataFrame, *, within: int = WITHIN) -> Common:
    """Who is on both of two lists (columns `LISTED`), with ratings of at most `within` days apart.

    A rating without a date is not known to be too far from the other, and is kept.
    Raises `UsageError` for a player who is twice on one list.
    """
    for table in (x, y):
        twice = table.loc[table["player"].duplicated(), "player"]
        if len(twice):
            raise UsageError(f"each player once on a list; found twice: {', '.join(dict.fromkeys(twice))}")
    both = x.merge(y, on="player", suffixes=("_x", "_y"))
    apart = (both["date_x"] - both["date_y"]).abs() > pd.Timedelta(days=within)
    names = {f"{what}_{side}": f"{side}_{what}" for side in "xy" for what in ("deviation", "date")}
    pairs = both[~apart].rename(columns={"rating_x": "x", "rating_y": "y", **names})
    only_x = x.loc[~x["player"].isin(y["player"]), "rating"].to_numpy(dtype=float)
    only_y = int((~y["player"].isin(x["player"])).sum())
    return Common(pairs[list(PAIRS)].reset_index(drop=True), only_x, only_y, int(apart.sum()), within)


def conversion(pairs: pd.DataFrame, *, seed: int = 0, resamples: int = RESAMPLES) -> Conversion:
    """The conversion x → y from players on both lists (columns player, x, y; see `PAIRS`), in any order.

    `x_deviation` and `y_deviation`, where the pairs have them, serve to say how much of the scatter is the lists' own.
    The same seed makes the same intervals. Raises `UsageError` for fewer than `FEWEST` players, somebody twice, a
    rating that is missing or not finite, fewer than four different x, or ratings that do not rise together.
    """
    pairs = _checked(pairs)
    x, y = pairs["x"].to_numpy(dtype=float), pairs["y"].to_numpy(dtype=float)
    n = len(x)
    low, high = np.sort(x)[[SIDE - 1, -SIDE]]
    if low >= high:
        raise UsageError(f"a conversion needs a range with {SIDE} players at or beyond either end; found none")
    fitting = _Fitting(x, n)
    best = fitting.fit(x, y, np.ones(n))
    if not best.slopes.any():
        raise UsageError("ratings on the second list do not rise with those on the first; they cannot be converted")
    grid = np.unique(np.concatenate([[low, high], *fitting.knots]))
    grid = grid[(grid >= low) & (grid <= high)]
    drawn = event_draws(n, seed, resamples)
    curves = np.array([fitting.fit(x, y, weight).at(grid) for weight in drawn])
    left_out = _left_out(x, y, seed)
    error = y - left_out
    spread = float(np.sqrt(np.mean(error**2)))
    sd = np.hypot(spread, _between(grid, curves, np.clip(x, low, high)).std(axis=0, ddof=1))
    rank = min(n, math.ceil(LEVEL * (n + 1)))
    ratio = np.divide(np.abs(error), sd, out=np.zeros(n), where=sd > 0)
    knots = np.unique(np.concatenate([[low], best.knots[(best.knots > low) & (best.knots < high)], [high]]))
    correlation = float(np.corrcoef(x, y)[0, 1])
    residuals = pairs[["player", "x", "y"]].assign(value=left_out, residual=error)
    pieces = len(best.slopes)
    made = Conversion(
        pd.DataFrame({"x": knots, "y": best.at(knots)}),
        float(low),
        float(high),
        n,
        spread,
        "straight line" if pieces == 1 else f"monotone curve of {pieces} straight pieces",
        _says(pairs, best, error, spread, correlation, low, high),
        correlation,
        residuals,
        float(np.sort(ratio)[rank - 1]),
        grid,
        curves,
    )
    band = made.apply(knots)
    told = made.knots.assign(low=band["curve_low"], high=band["curve_high"])
    return Conversion(**{**made.__dict__, "knots": told})


# --- the fit ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Fit:
    """A monotone curve: at the first knot `start`, between knots (ends included) the slopes, which go on beyond."""

    knots: Floats
    start: float
    slopes: Floats

    def at(self, x: Floats) -> Floats:
        return self.start + _pieces(x, self.knots) @ self.slopes


class _Fitting:
    """Fits to the same x with all numbers of segments that so many players bear; knots stay while weights change."""

    def __init__(self, x: Floats, players: int) -> None:
        most = max(1, players // SEGMENT)
        cuts = [np.quantile(x, np.linspace(0, 1, k + 1)) for k in SEGMENTS if k <= most]
        # where many share one rating, quantiles coincide
        self.knots = [np.unique(cut) for cut in cuts]
        self.bases = [_pieces(x, knots) for knots in self.knots]

    def fit(self, x: Floats, y: Floats, weight: Floats) -> _Fit:
        """The curve whose corrected AIC is least; the straighter one of equals."""
        from scipy.optimize import nnls

        n = weight.sum()
        center = float(weight @ y / n)
        total = float(weight @ (y - center) ** 2)
        best, least = None, np.inf
        for knots, basis in zip(self.knots, self.bases, strict=True):
            means = weight @ basis / n
            around = basis - means
            gram = (around * weight[:, None]).T @ around
            gram[np.diag_indices_from(gram)] += 1e-12 * max(np.trace(gram), 1e-300)
            root = np.linalg.cholesky(gram)
            toward = (around * weight[:, None]).T @ (y - center)
            slopes, _ = nnls(root.T, np.linalg.solve(root, toward))
            left = float(weight @ (y - center - around @ slopes) ** 2)
            free = 2 + int((slopes > 0).sum())
            # of data without scatter rounding alone is left, and no piece more can be told from it
            score = n * math.log(max(left, 1e-18 * total, 1e-300) / n) + n * (n + free) / (n - free - 2)
            if score < least - 1e-9:
                best, least = _Fit(knots, center - float(means @ slopes), slopes), score
        assert best is not None
        return best


def _pieces(x: Floats, knots: Floats) -> Floats:
    """How much of each segment lies below each x, (x, segments); the outer segments have no end."""
    starts, ends = knots[:-1].copy(), knots[1:].copy()
    ends[-1] = np.inf
    below = np.clip(x[:, None], starts, ends) - starts
    below[:, 0] = np.minimum(x, ends[0]) - starts[0]
    return below


def _between(grid: Floats, curves: Floats, x: Floats) -> Floats:
    """Resampled curves, straight between the points of the grid, at each x: (resamples, x)."""
    right = np.clip(np.searchsorted(grid, x), 1, len(grid) - 1)
    share = (x - grid[right - 1]) / (grid[right] - grid[right - 1])
    return curves[:, right - 1] * (1 - share) + curves[:, right] * share


def _left_out(x: Floats, y: Floats, seed: int) -> Floats:
    """The value of each player by a curve from the other folds, drawn from players in the order of x."""
    n = len(x)
    fold = np.random.default_rng([seed, 1]).permutation(n) % FOLDS
    out = np.empty(n)
    for k in range(FOLDS):
        kept = fold != k
        made = _Fitting(x[kept], n).fit(x[kept], y[kept], np.ones(int(kept.sum())))
        out[~kept] = made.at(x[~kept])
    return out


# --- the door, and words ----------------------------------------------------------------------------------------------


def _checked(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs in the order of x, then y."""
    lacking = [column for column in ("player", "x", "y") if column not in pairs.columns]
    if lacking:
        raise UsageError(f"pairs have the columns player, x, y; missing: {', '.join(lacking)}")
    if len(pairs) < FEWEST:
        raise UsageError(
            f"a conversion needs {FEWEST} players who are on both lists; found {len(pairs)}, too few to say how far a "
            "player known on one list may be off on the other"
        )
    twice = pairs.loc[pairs["player"].duplicated(), "player"]
    if len(twice):
        raise UsageError(f"each player once; found twice: {', '.join(dict.fromkeys(map(str, twice)))}")
    bad = pairs.loc[~np.isfinite(pairs[["x", "y"]].to_numpy(dtype=float)).all(axis=1), "player"]
    if len(bad):
        raise UsageError(f"each player with a rating on both lists; without one: {', '.join(map(str, bad))}")
    if pairs["x"].nunique() < 4:
        raise UsageError(f"a conversion needs four different ratings on the first list; found {pairs['x'].nunique()}")
    return pairs.sort_values(["x", "y", "player"], kind="stable", ignore_index=True)


def _says(
    pairs: pd.DataFrame, best: _Fit, error: Floats, spread: float, correlation: float, low: float, high: float
) -> tuple[str, ...]:
    n = len(pairs)
    told = [
        f"The conversion may be used from {low:.0f} to {high:.0f} on the first list, where {SIDE} players or more on "
        "both lists stand at or beyond either end; outside nothing is said.",
        f"Of a player known on the first list alone the rating on the second is uncertain by ±{spread:.0f} (standard "
        "deviation), measured on players left out of the fit.",
    ]
    alone = _of_mean(pairs["y"])
    told.append(f"Who knew nothing of the first rating, and gave everybody the mean, would be off by ±{alone:.0f}.")
    if spread > WEAK * alone:
        told.append("The first rating says next to nothing of the second: do not rely on this conversion.")
    if n < FEW:
        told.append(f"With fewer than {FEW} common players the curve is rough; more players may bend it.")
    told.append(
        f"Both lists are noisy (correlation {correlation:.2f}), so a rating far from the middle is expected nearer to "
        "it on the other list. Converting there and back therefore does not give the first rating again."
    )
    x = pairs["x"].to_numpy(dtype=float)
    within = x[(x >= low) & (x <= high)]
    gaps = np.diff(within)
    widest = int(gaps.argmax())
    if gaps[widest] > (high - low) / 4:
        told.append(
            f"Nobody on both lists stands between {within[widest]:.0f} and {within[widest + 1]:.0f} on the first; "
            "there the curve is drawn straight across."
        )
    own = _own_scatter(pairs, best)
    if own is not None:
        told.append(
            f"The deviations of both lists explain ±{own:.0f} of these ±{spread:.0f}"
            + ("." if own >= spread else "; the rest is what the lists rate differently.")
        )
    return tuple(told)


def _of_mean(y: pd.Series) -> float:
    """How far a new player lies from the mean of the others."""
    return float(y.std(ddof=1)) * math.sqrt(1 + 1 / len(y))


def _own_scatter(pairs: pd.DataFrame, best: _Fit) -> float | None:
    """The scatter of y about the curve that the ratings' own deviations make; nothing where some are not known."""
    if not {"x_deviation", "y_deviation"} <= set(pairs.columns):
        return None
    known = pairs[["x_deviation", "y_deviation"]].to_numpy(dtype=float)
    if not np.isfinite(known).all():
        return None
    ends = best.knots[[0, -1]]
    rise = float(np.diff(best.at(ends))[0] / np.diff(ends)[0])
    return float(np.sqrt(np.mean((rise * known[:, 0]) ** 2 + known[:, 1] ** 2)))


def _round_step(width: float) -> float:
    steps = (10 ** (k // 3) * (1, 2, 5)[k % 3] for k in range(3, 30))
    return float(next((step for step in steps if width / step <= 14), width))
