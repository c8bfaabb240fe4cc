"""Fairness: every metric against slow loops, and what is known of fair and unfair pairings."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from ratinglab.pairing import parse
from ratinglab.pairing.standing import NOBODY
from ratinglab.simulation.fairness import METRICS, Measured, fairness, measure, slope
from ratinglab.simulation.models import Chess, Curve, Model, Spreads
from ratinglab.simulation.tournaments import Played, Strengths, play
from ratinglab.tasks import seeds


def played(
    pairing: str, model: Model, tournaments: int = 12, players: int = 9, rounds: int = 6, **more: float
) -> Played:
    strengths = Strengths(team=tuple(i % 3 for i in range(players)), listed=tuple(range(1000, 1000 + 50 * players, 50)))
    if more:
        strengths = Strengths(**more)
    strength, field = strengths.draw(np.random.default_rng(4), tournaments, players)
    return play(parse(pairing), strength, field, rounds, model, seeds(8, 1)[0])


def slow(of: Played, t: int) -> dict[str, float]:
    """The metrics of one tournament by loops over players, pairs and rounds."""
    standing, strength = of.standing, of.strength[t]
    n, rounds = standing.opponent.shape[1:]
    points, spread = standing.points[t], standing.spread[t]
    key = [(points[i], spread[i]) for i in range(n)]
    place = [1 + sum(key[j] > key[i] for j in range(n)) for i in range(n)]
    best = max(range(n), key=lambda i: strength[i])
    out: dict[str, float] = {}
    agreed = tied_place = tied_truth = pairs = 0
    for i, j in combinations(range(n), 2):
        a, b = np.sign(place[j] - place[i]), np.sign(strength[i] - strength[j])
        agreed, pairs = agreed + a * b, pairs + 1
        tied_place, tied_truth = tied_place + (a == 0), tied_truth + (b == 0)
    out["kendall_tau"] = agreed / np.sqrt((pairs - tied_place) * (pairs - tied_truth))
    out["p_best_first"] = (place[best] == 1) / place.count(1)
    out["p_best_top_2"] = float(place[best] <= 2)
    top = max(1, n // 4)
    strongest = sorted(range(n), key=lambda i: -strength[i])[:top]
    out["recall_top_k"] = np.mean([place[i] <= top for i in strongest])
    games = [[r for r in range(rounds) if standing.opponent[t, i, r] != NOBODY] for i in range(n)]
    met = [[int(standing.opponent[t, i, r]) for r in games[i]] for i in range(n)]
    leaders = [i for i in range(n) if points[i] == max(points)]

    def beat(i: int, j: int) -> bool:
        own = [standing.result[t, i, r] for r in games[i] if standing.opponent[t, i, r] == j]
        return sum(own) > len(own)

    out["single_winner"] = float(any(all(beat(i, j) for j in leaders if j != i) for i in leaders))
    mean = [np.mean([strength[j] for j in met[i]]) for i in range(n)]
    squares = free = 0.0
    for value in set(points.tolist()):
        group = [mean[i] for i in range(n) if points[i] == value]
        squares, free = squares + np.sum((np.array(group) - np.mean(group)) ** 2), free + len(group) - 1
    out["field_sd_equal_wins"] = np.sqrt(squares / free) if free else np.nan
    tow = [sum(points[j] / 2 for j in met[i]) for i in range(n)]
    order = sorted(range(n), key=lambda i: place[i])
    out["tow_gap_first_two"] = tow[order[0]] - tow[order[1]]
    repeats = floats = same = 0
    gap = 0.0
    for r in range(rounds):
        before = of.points[r][t]
        seen = [tuple(sorted((i, int(standing.opponent[t, i, q])))) for q in range(r) for i in range(n)]
        for i in range(n):
            j = int(standing.opponent[t, i, r])
            if j > i:
                repeats += (i, j) in seen
                floats += before[i] != before[j]
                gap = max(gap, abs(before[i] - before[j]) / 2)
                same += (
                    of.standing.field.team is not None and of.standing.field.team[t, i] == of.standing.field.team[t, j]
                )
    out |= {"repeats": repeats, "floats": floats, "max_score_gap": gap, "same_team_games": same}
    firsts = [sum(standing.first[t, i]) for i in range(n)]
    known = any(standing.first[t, i, q] for i in range(n) for q in range(rounds))
    out["first_imbalance"] = max(map(abs, firsts)) if known else float("nan")
    out["byes_max"] = max(rounds - len(of_player) for of_player in games)
    return out


@pytest.mark.parametrize("pairing", ["cnsc", "swiss", "evanston", "random:repeats=free"])
@pytest.mark.parametrize("model", [Spreads(), Chess()])
def test_metrics_are_those_of_slow_loops(pairing: str, model: Model) -> None:
    of = played(pairing, model)
    made = measure(of, model, np.random.default_rng(1))
    for t in range(len(of.strength)):
        for name, value in slow(of, t).items():
            if name == "tow_gap_first_two" and list(np.sort(-of.standing.points[t]))[1:2] == [
                -of.standing.points[t].max()
            ]:
                continue  # two who are level in all have no order that a gap could be of
            assert made.each[name][t] == pytest.approx(value, nan_ok=True), (name, t)


def test_regression_is_that_of_dummies() -> None:
    """The slope with a fixed effect for each group, and its clustered error, from the matrices written out."""
    rng = np.random.default_rng(3)
    t, n, groups = 30, 12, 3
    cluster = np.repeat(np.arange(t), n)
    group = rng.integers(0, groups, t * n)
    x = rng.normal(size=t * n) + group
    y = 2.5 * x - 4 * group + rng.normal(size=t * n) + rng.normal(size=t)[cluster]
    sums = np.zeros((t, groups, 5))
    for k, of in enumerate((np.ones(t * n), x, y, x * x, x * y)):
        np.add.at(sums[:, :, k], (cluster, group), of)
    design = np.column_stack([x, *(group == g for g in range(groups))]).astype(float)
    inverse = np.linalg.inv(design.T @ design)
    beta = inverse @ design.T @ y
    scores = design * (y - design @ beta)[:, None]
    meat = sum(np.outer(s, s) for s in (scores[cluster == c].sum(axis=0) for c in range(t)))
    value, se = slope(sums)
    assert value == pytest.approx(beta[0])
    assert se == pytest.approx(np.sqrt((inverse @ meat @ inverse)[0, 0] * t / (t - 1)))


def test_random_pairing_has_no_early_loss_slope_and_pairing_by_wins_has() -> None:
    """Shown by 3: within 3 standard errors of 0; the WSC97 problem is above 0."""
    chunks: dict[str, list[Measured]] = {"random:repeats=free": [], "cnsc:strength=none": []}
    for seed in seeds(1, 3):
        for name, into in chunks.items():
            strength, field = Strengths().draw(np.random.default_rng(seed), 500, 50)
            into.append(
                measure(play(parse(name), strength, field, 18, Spreads(), seed), Spreads(), np.random.default_rng(0))
            )
    table = fairness(chunks).set_index(["pairing", "metric"])
    by_chance = table.loc[("random:repeats=free", "early_loss_slope")]
    by_wins = table.loc[("cnsc:strength=none", "early_loss_slope")]
    assert abs(by_chance["value"]) < 3 * by_chance["se"]
    assert 30 < by_wins["value"] < 50
    assert by_wins["value"] > 20 * by_wins["se"]
    for name in chunks:
        for never in ("illegal", "unpaired"):
            assert table.loc[(name, never), "value"] == 0
    assert set(table.loc["cnsc:strength=none"].index) == set(METRICS)


def test_playoff() -> None:
    """Equal players: each wins half; where going first is worth much, the first of the preliminary gains by it."""
    model = Chess(draw=0.2, first=200)
    of = played("swiss", model, tournaments=400, normal=(1500.0, 0.0))
    made = measure(of, model, np.random.default_rng(2))
    gain = made.each["playoff_first_advantage"]
    assert gain.mean() > 3 * gain.std() / np.sqrt(len(gain)) > 0
    of = played("swiss", Curve(), tournaments=400, normal=(1500.0, 0.0))
    assert np.isnan(measure(of, Curve(), np.random.default_rng(2)).each["playoff_first_advantage"]).all()


def test_team_games_that_cannot_be_avoided_are_told_apart() -> None:
    strengths = Strengths(listed=tuple(float(1000 + 40 * i) for i in range(6)), team=(0, 0, 0, 0, 1, 2))
    strength, field = strengths.draw(np.random.default_rng(1), 4, 6)
    of = play(parse("evanston"), strength, field, 1, Spreads(), seeds(1, 1)[0])
    made = measure(of, Spreads(), np.random.default_rng(1))
    assert made.each["same_team_games"].tolist() == [1] * 4  # four of six are of one school: 4 - 3 games are forced
    assert made.each["avoidable_same_team_games"].tolist() == [0] * 4
