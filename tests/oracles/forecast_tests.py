"""Losses, quantiles, and tests of forecasts against each other, with loops."""

from __future__ import annotations

import math
import statistics

import pandas as pd
from scipy import stats


def slow_quantile(values: list[float], share: float) -> float:
    """Linear between the ordered values."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def slow_losses(forecasts: pd.DataFrame, metric: str) -> dict[str, list[float]]:
    """Every game's loss, by event."""
    out: dict[str, list[float]] = {}
    for row in forecasts.itertuples():
        if metric == "log_loss":
            loss = -(row.result * math.log(row.win) + (1 - row.result) * math.log(1 - row.win))
        elif metric == "brier":
            loss = (row.result - row.win) ** 2
        else:
            z = (row.spread - row.spread_mean) / row.spread_sd
            loss = math.log(row.spread_sd * math.sqrt(2 * math.pi)) + z * z / 2
        out.setdefault(row.event, []).append(loss)
    return out


def slow_dm(d: list[float]) -> float:
    """The statistic, term by term."""
    n = len(d)
    mean = sum(d) / n
    most = min(math.floor(4 * (n / 100) ** (2 / 9)), n // 4)
    variance = sum((x - mean) ** 2 for x in d) / n
    for k in range(1, most + 1):
        covariance = sum((d[t] - mean) * (d[t - k] - mean) for t in range(k, n)) / n
        variance += 2 * (1 - k / (most + 1)) * covariance
    h = most + 1
    return mean / math.sqrt(variance / n) * math.sqrt((n + 1 - 2 * h + h * (h - 1) / n) / n)


def slow_set(losses: list[list[float]], games: list[float], picks: list[list[int]], level: float) -> set[int]:
    """Hansen, Lunde and Nason's T_max procedure with loops: losses[e][i], resamples as lists of events."""
    left = list(range(len(losses[0])))

    def mean(i: int, events: list[int]) -> float:
        return sum(losses[e][i] for e in events) / sum(games[e] for e in events)

    everything = list(range(len(games)))
    n = len(games)
    share = (1 + level) / 2
    wider = stats.t.ppf(share, n - 1) * math.sqrt(n / (n - 1)) / stats.norm.ppf(share)  # for few events
    while len(left) > 1:
        level_here = statistics.fmean(mean(i, everything) for i in left)
        d = {i: mean(i, everything) - level_here for i in left}
        drawn = []
        for pick in picks:
            means = {i: mean(i, pick) for i in left}
            middle = statistics.fmean(means.values())
            drawn.append({i: means[i] - middle for i in left})
        error = {i: math.sqrt(statistics.fmean((b[i] - d[i]) ** 2 for b in drawn)) for i in left}
        t = {i: d[i] / error[i] for i in left}
        most = max(t.values())
        by_chance = [max((b[i] - d[i]) / error[i] for i in left) for b in drawn]
        if sum(x * wider >= most for x in by_chance) / len(by_chance) >= 1 - level:
            break
        left.remove(max(t, key=t.__getitem__))
    return set(left)
