"""Whether a pairing system is fair: what is measured of simulated tournaments, each figure with its standard error.

Tournaments are the units: a metric is a value for each tournament, and the standard error is that of their mean. The
two regressions pool all players of all tournaments; their errors are those of clusters, one a tournament.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from ratinglab.pairing.base import FALLBACK, WORDS, Round
from ratinglab.pairing.standing import NOBODY, Standing
from ratinglab.periods import Bools, Floats, Ints
from ratinglab.simulation.models import Model
from ratinglab.simulation.tournaments import Played, by_strength, final_places

# In the order of fairness.csv, with what each says.
METRICS: dict[str, str] = {
    "kendall_tau": "agreement of the final order with true strength (τ-b): 1 the same, 0 none",
    "p_best_first": "how often the strongest player finished first (a shared first place as its share)",
    "p_best_top_2": "how often the strongest player was one of the first two",
    "p_best_champion": "how often the strongest player also won the best-of-five playoff of the first two",
    "playoff_first_advantage": "how much oftener the first one won the playoff than with the turns swapped",
    "recall_top_k": "share of the strongest quarter that finished in the first quarter",
    "single_winner": "how often one player alone had the most points, or had beaten all who were level",
    "field_sd_equal_wins": "rating points by which mean opponents differ (SD) among players of equal final points",
    "early_loss_slope": "rating points of stronger opponents for each win more in the first third (equal final points)",
    "early_tow_bias": "opponents' wins for each win more in the first third (equal final points)",
    "tow_gap_first_two": "total opponent wins of the first less the second",
    "pair_displacement": "places of the list between the opponent given and the ideal one, mean over pairs",
    "first_imbalance": "largest difference between going first and second of anybody; not known if the table draws it",
    "repeats": "games between two who had met before",
    "floats": "games between players of different points",
    "max_score_gap": "most points between two who met",
    "same_team_games": "games between team-mates",
    "avoidable_same_team_games": "of these, those beyond what the teams' sizes force",
    "byes_max": "most byes of one player",
    "illegal": "pairs that may never be: oneself, twice in a round, forbidden",
    "unpaired": "players without an opponent beyond one of an odd field",
    "relaxed": "players for whom a rule gave way, over all rounds",
    "fallbacks": "rounds in which the search was given up for the exact matching",
}
_REGRESSIONS = {"early_loss_slope": "opponents", "early_tow_bias": "tow"}
BY_GAME = ("second_meetings", "third_meetings", "floats", "displacement")  # what is told game by game
PLAYOFF = 5  # games of the playoff, at the most


class Measured(NamedTuple):
    """What is kept of tournaments: metrics (T,) by name, and the sums (T, points, 5) of each regression."""

    each: Mapping[str, Floats]
    sums: Mapping[str, Floats]
    places: Floats  # how often the k-th strongest finished at each place, (n, n)
    displaced: Floats  # by place in the list: places from the ideal, and pairs, (n, 2)
    games: Floats  # by game: Σ and Σ² over tournaments of each of BY_GAME, (rounds, 2, len(BY_GAME))
    gave_way: Floats  # Σ and Σ² over tournaments of the players for whom each rule of `base.WORDS` gave way, (2, rules)
    fields: Floats  # by final points in halves: players, Σ and Σ² of the mean strength of their opponents, (points, 3)


def measure(played: Played, model: Model, rng: np.random.Generator) -> Measured:
    """Every metric of T tournaments; `rng` plays the playoff."""
    standing, strength = played.standing, played.strength
    place = final_places(standing)
    ranked = by_strength(strength)
    best = ranked[:, 0]
    at = np.arange(len(best))
    n = strength.shape[1]
    values: dict[str, Floats] = {"kendall_tau": _tau(place, strength)}
    firsts = (place == 1).sum(axis=1)
    values["p_best_first"] = (place[at, best] == 1) / firsts
    values["p_best_top_2"] = (place[at, best] <= 2).astype(float)
    top = max(1, n // 4)
    values["recall_top_k"] = (np.take_along_axis(place, ranked[:, :top], axis=1) <= top).mean(axis=1)
    values["single_winner"] = _single_winner(standing.points, standing.opponent, standing.result)
    values |= _playoff(played, place, model, rng)
    mean = _opponents(standing.opponent, strength)
    values["field_sd_equal_wins"] = _sd_within(mean, standing.points)
    tow = standing.tow()
    order = np.argsort(place, axis=1, kind="stable")
    gap = np.take_along_axis(tow, order[:, :2], axis=1)
    values["tow_gap_first_two"] = gap[:, 0] - gap[:, -1]
    paired = _paired(played)
    values |= _of_rounds(standing, paired)
    third = max(1, standing.opponent.shape[2] // 3)
    early = np.maximum(standing.result[:, :, :third], 0).sum(axis=2) / 2
    games = standing.opponent.shape[2]
    sums = {
        name: _sums(early, {"opponents": mean, "tow": tow}[of], standing.points, 2 * games)
        for name, of in _REGRESSIONS.items()
    }
    share = np.zeros((n, n))
    np.add.at(share, (np.broadcast_to(np.arange(n), place.shape), np.take_along_axis(place, ranked, axis=1) - 1), 1.0)
    return Measured(
        values,
        sums,
        share,
        _displacement(played),
        _by_game(paired),
        _gave_way(played),
        _fields(mean, standing.points, 2 * games),
    )


def fairness(measured: Mapping[str, list[Measured]]) -> pd.DataFrame:
    """The table fairness.csv: pairing, metric, value, se, tournaments, from the chunks of each pairing system."""
    rows = []
    for pairing, chunks in measured.items():
        total = sum(len(chunk.each["kendall_tau"]) for chunk in chunks)
        for metric in METRICS:
            if metric in _REGRESSIONS:
                value, se = slope(np.concatenate([chunk.sums[metric] for chunk in chunks]))
            else:
                each = np.concatenate([chunk.each[metric] for chunk in chunks])
                each = each[~np.isnan(each)]
                value = float(each.mean()) if len(each) else float("nan")
                se = float(each.std(ddof=1) / np.sqrt(len(each))) if len(each) > 1 else float("nan")
            rows.append((pairing, metric, value, se, total))
    return pd.DataFrame(rows, columns=["pairing", "metric", "value", "se", "tournaments"])


def told(table: pd.DataFrame, metrics: Sequence[str] | None = None) -> pd.DataFrame:
    """The table as text to be read, a row for each of `metrics` (all by default), a column for each pairing system."""
    text = [
        "–" if np.isnan(value) else f"{value:.3f}" + ("" if np.isnan(se) else f" ± {se:.3f}")
        for value, se in zip(table["value"], table["se"], strict=True)
    ]
    wide = table.assign(text=text).set_index(["metric", "pairing"])["text"].unstack()  # noqa: PD010
    shown = list(METRICS) if metrics is None else list(metrics)
    return wide.reindex(index=shown, columns=list(dict.fromkeys(table["pairing"])))


def slope(sums: Floats) -> tuple[float, float]:
    """Slope and standard error of y on x with a fixed effect for each group, from sums (T, groups, 5) by tournament.

    The sums are of 1, x, y, x², xy over a tournament's players in each group. Errors are those of clusters: Liang and
    Zeger, "Longitudinal data analysis using generalized linear models", 1986.
    """
    total = sums.sum(axis=0)
    count = np.maximum(total[:, 0], 1)
    mean_x, mean_y = total[:, 1] / count, total[:, 2] / count
    # of each tournament Σ(x - x̄)(y - ȳ) and Σ(x - x̄)² about the groups' means
    xy = sums[:, :, 4] - sums[:, :, 1] * mean_y - sums[:, :, 2] * mean_x + sums[:, :, 0] * mean_x * mean_y
    xx = sums[:, :, 3] - 2 * sums[:, :, 1] * mean_x + sums[:, :, 0] * mean_x**2
    xy, xx = xy.sum(axis=1), xx.sum(axis=1)
    if len(xx) < 2 or xx.sum() <= 0:
        return float("nan"), float("nan")
    b = xy.sum() / xx.sum()
    pull = xy - b * xx
    se = np.sqrt((pull**2).sum() * len(pull) / (len(pull) - 1)) / xx.sum()
    return float(b), float(se)


# --- the order at the end ---------------------------------------------------------------------------------------------


def _tau(place: Ints, strength: Floats) -> Floats:
    """Kendall's τ-b of places and strengths, (T,)."""
    one, other = np.triu_indices(place.shape[1], 1)
    by_place = np.sign(place[:, other] - place[:, one])
    by_truth = np.sign(strength[:, one] - strength[:, other])
    agreed = (by_place * by_truth).sum(axis=1)
    known = np.sqrt((by_place != 0).sum(axis=1) * (by_truth != 0).sum(axis=1, dtype=float))
    tau: Floats = np.divide(agreed, known, out=np.full(len(place), np.nan), where=known > 0)
    return tau


def _single_winner(points: Ints, opponent: Ints, result: Ints) -> Floats:
    """Whether one has the most points alone, or has more than half against each of those level with him, (T,)."""
    leader = points == points.max(axis=1, keepdims=True)
    t, n = points.shape
    # points of the games between two, less half of what there was to win
    between = np.zeros((t, n, n))
    for r in range(opponent.shape[2]):
        rows, who = np.nonzero(opponent[:, :, r] != NOBODY)
        np.add.at(between, (rows, who, opponent[rows, who, r]), result[rows, who, r] - 1.0)
    others = leader[:, None, :] & ~np.eye(n, dtype=bool)
    beaten = ((between > 0) | ~others).all(axis=2)
    single: Floats = (leader & beaten).any(axis=1).astype(float)
    return single


def _playoff(played: Played, place: Ints, model: Model, rng: np.random.Generator) -> dict[str, Floats]:
    """The best of five of the first two, the first of the preliminary starting the odd games; ties are played again."""
    t, n = place.shape
    if n < 2:
        return {"p_best_champion": np.ones(t), "playoff_first_advantage": np.full(t, np.nan)}
    order = np.argsort(place, axis=1, kind="stable")
    at = np.arange(t)
    difference = played.strength[at, order[:, 0]] - played.strength[at, order[:, 1]]
    luck = rng.standard_normal((t, PLAYOFF, 8))  # of a game and of those played again after ties
    turn = np.where(np.arange(PLAYOFF) % 2 == 0, 1, -1)

    def won(first: Ints) -> Floats:
        points, _ = model.play(difference[:, None, None], np.broadcast_to(first[None, :, None], luck.shape), luck)
        decided = points != 1
        game = np.take_along_axis(points, decided.argmax(axis=2)[:, :, None], axis=2)[:, :, 0]
        series: Floats = (game == 2).sum(axis=1) > PLAYOFF // 2
        return series.astype(float)

    champion = won(turn)
    advantage = champion - won(-turn) if model.first_counts else np.full(t, np.nan)
    best = by_strength(played.strength)[:, 0]
    first, second = order[:, 0] == best, order[:, 1] == best
    return {
        "p_best_champion": np.where(first, champion, np.where(second, 1 - champion, 0.0)),
        "playoff_first_advantage": advantage,
    }


# --- whom one met -----------------------------------------------------------------------------------------------------


def _opponents(opponent: Ints, strength: Floats) -> Floats:
    """The mean true strength of everybody's opponents, (T, n); nan without any."""
    t, n, rounds = opponent.shape
    padded = np.concatenate([strength, np.full((t, 1), np.nan)], axis=1)
    of = np.take_along_axis(padded, opponent.reshape(t, -1) % (n + 1), axis=1).reshape(t, n, rounds)
    known = ~np.isnan(of)
    games = known.sum(axis=2)
    mean: Floats = np.divide(np.where(known, of, 0).sum(axis=2), games, out=np.full((t, n), np.nan), where=games > 0)
    return mean


def _sd_within(value: Floats, group: Ints) -> Floats:
    """The standard deviation of a value about the mean of those of equal points in the tournament, (T,)."""
    t = len(value)
    groups = int(group.max(initial=0)) + 1
    key = (np.arange(t)[:, None] * groups + group).ravel()
    known = ~np.isnan(value).ravel()
    size = t * groups
    count = np.bincount(key[known], minlength=size)
    total = np.bincount(key[known], value.ravel()[known], size)
    square = np.bincount(key[known], value.ravel()[known] ** 2, size)
    within = np.where(count > 1, square - total**2 / np.maximum(count, 1), 0.0).reshape(t, groups).sum(axis=1)
    free = np.maximum(count - 1, 0).reshape(t, groups).sum(axis=1)
    variance: Floats = np.divide(np.maximum(within, 0), free, out=np.full(t, np.nan), where=free > 0)
    return np.sqrt(variance)


def _sums(x: Floats, y: Floats, points: Ints, most: int) -> Floats:
    """1, x, y, x², xy over the players of each number of points, at least two thirds of the most, (T, points, 5)."""
    t, n = x.shape
    kept = (3 * points >= 2 * most) & ~np.isnan(y)
    rows = np.broadcast_to(np.arange(t)[:, None], (t, n))[kept]
    x, y, group = x[kept], y[kept], points[kept]
    out = np.zeros((t, most + 1, 5))
    for k, of in enumerate((np.ones(len(x)), x, y, x**2, x * y)):
        np.add.at(out[:, :, k], (rows, np.minimum(group, most)), of)
    return out


class _Paired(NamedTuple):
    """A round as it was paired, (T, n): who has an opponent, which, how often they had met, how many halves apart."""

    made: Round
    there: Bools
    other: Ints  # the opponent, 0 where there is none
    before: npt.NDArray[np.int16]
    apart: Ints

    def with_opponent(self, of: Any) -> Any:
        """What (T, n, n) says of everybody and the opponent, (T, n)."""
        return np.take_along_axis(of, self.other[:, :, None], axis=2)[:, :, 0]


def _paired(played: Played) -> list[_Paired]:
    """All rounds, with what is told of a round by several figures."""
    t, n = played.strength.shape
    met = np.zeros((t, n, n), dtype=np.int16)
    out = []
    for made, points in zip(played.rounds, played.points, strict=True):
        there = made.opponent != NOBODY
        other = np.maximum(made.opponent, 0)
        before = np.take_along_axis(met, other[:, :, None], axis=2)[:, :, 0]
        apart = np.abs(points - np.take_along_axis(points, other, axis=1)) * there
        out.append(_Paired(made, there, other, before, apart))
        rows, who = np.nonzero(there)
        met[rows, who, made.opponent[rows, who]] += 1
    return out


def _by_game(paired: Sequence[_Paired]) -> Floats:
    """Sums and sums of squares over tournaments of what each game was like, (rounds, 2, len(BY_GAME))."""
    out = np.zeros((len(paired), 2, len(BY_GAME)))
    for at, one in enumerate(paired):
        pairs = np.maximum(one.there.sum(axis=1) / 2, 1)
        each = [(one.there & of).sum(axis=1) / 2 for of in (one.before == 1, one.before == 2, one.apart > 0)]
        each.append((one.made.away * one.there).sum(axis=1) / 2 / pairs)
        out[at, 0] = [values.sum() for values in each]
        out[at, 1] = [(values**2).sum() for values in each]
    return out


def _gave_way(played: Played) -> Floats:
    """Sums and sums of squares over tournaments of the players for whom each rule gave way, (2, rules)."""
    each = np.array([[((made.gave_way & bit) > 0).sum(axis=1) for bit in WORDS] for made in played.rounds])
    total = each.sum(axis=0).astype(float)
    return np.stack([total.sum(axis=1), (total**2).sum(axis=1)])


def _fields(mean: Floats, points: Ints, most: int) -> Floats:
    """Players, sum and sum of squares of their mean opponents, by final points, (points, 3)."""
    known = ~np.isnan(mean)
    group, value = np.minimum(points[known], most), mean[known]
    sums = (np.ones(len(value)), value, value**2)
    return np.stack([np.bincount(group, of, most + 1) for of in sums], axis=1)


def _of_rounds(standing: Standing, paired: Sequence[_Paired]) -> dict[str, Floats]:
    """What the rounds were like, (T,) each."""
    field = standing.field
    t, n = field.shape
    out = {name: np.zeros(t) for name in ("repeats", "floats", "max_score_gap", "same_team_games", "illegal")}
    out |= {name: np.zeros(t) for name in ("avoidable_same_team_games", "unpaired", "relaxed", "fallbacks")}
    away, pairs = np.zeros(t), np.zeros(t)
    forced = _forced(field.team, n)
    me = np.arange(n)[None, :]
    relaxing = sum(bit for bit in WORDS if bit != FALLBACK)
    for one in paired:
        made, half = one.made, one.there / 2  # a pair is seen twice
        out["repeats"] += (half * (one.before > 0)).sum(axis=1)
        out["floats"] += (half * (one.apart > 0)).sum(axis=1)
        out["max_score_gap"] = np.maximum(out["max_score_gap"], one.apart.max(axis=1, initial=0) / 2)
        same = (half * one.with_opponent(field.team_mates)).sum(axis=1)
        out["same_team_games"] += same
        out["avoidable_same_team_games"] += np.maximum(same - forced, 0)
        mutual = np.take_along_axis(made.opponent, one.other, axis=1) == me
        out["illegal"] += (one.there & (~mutual | one.with_opponent(field.barred))).sum(axis=1)
        out["unpaired"] += np.maximum((~one.there).sum(axis=1) - n % 2, 0)
        out["relaxed"] += ((made.gave_way & relaxing) > 0).sum(axis=1)
        out["fallbacks"] += made.fallback
        away += (made.away * half).sum(axis=1)
        pairs += half.sum(axis=1)
    out["pair_displacement"] = np.divide(away, pairs, out=np.full(t, np.nan), where=pairs > 0)
    known = (standing.first != 0).any(axis=(1, 2))
    out["first_imbalance"] = np.where(known, np.abs(standing.first_less_second).max(axis=1, initial=0), np.nan)
    out["byes_max"] = standing.byes.max(axis=1, initial=0).astype(float)
    return out


def _forced(team: Ints | None, n: int) -> Floats | float:
    """How many games of team-mates a round of all n cannot avoid: what the largest team has above half the field."""
    if team is None:
        return 0.0
    largest = np.zeros(len(team))
    for code in np.unique(team[team >= 0]):
        largest = np.maximum(largest, (team == code).sum(axis=1))
    return np.maximum(largest - (n + 1) // 2, 0.0)


def _displacement(played: Played) -> Floats:
    """By place before a round, over all games but the first: places from the ideal, and players paired, (n, 2)."""
    n = played.strength.shape[1]
    out = np.zeros((n, 2))
    for made, points in zip(played.rounds[1:], played.points[1:], strict=True):
        at = np.argsort(np.argsort(-points, axis=1, kind="stable"), axis=1)
        there = made.opponent != NOBODY
        np.add.at(out[:, 0], at[there], made.away[there])
        np.add.at(out[:, 1], at[there], 1.0)
    return out
