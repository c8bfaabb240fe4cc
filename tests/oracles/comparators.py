"""The Australian line, WESPA, and Bradley-Terry's likelihood, game by game."""

from __future__ import annotations

from math import exp, floor, log

from making import Section

from oracles.sides import sides


def aus(section: Section) -> dict[str, float]:
    """R + 20·(W - E), E = ½ + d/1200 between .05 and .95; the unrated stand at 1500."""
    rating = {u: 1500.0 if unit[0].rating is None else unit[0].rating for u, unit in enumerate(section.units)}
    after = {}
    for u, unit in enumerate(section.units):
        change = 0.0
        for _, opponent, won, _ in sides(section, u):
            expected = 0.5 + (rating[u] - rating[opponent]) / 1200
            change += 20 * (won - min(0.95, max(0.05, expected)))
        after[unit[0].name] = rating[u] + change
    return after


def wespa_expected(difference: float) -> float:
    return 1 / (1 + exp(-difference / 172))


def wespa(section: Section) -> dict[str, float | None]:
    """Of a section whose entrants are all rated: K 20, two thirds of the gain beyond 5 a game, a twentieth back."""
    rating = {u: unit[0].rating for u, unit in enumerate(section.units)}
    gain, bonus = {}, {}
    for u in rating:
        games = sides(section, u)
        gain[u] = 20 * sum(won - wespa_expected(rating[u] - rating[o]) for _, o, won, _ in games)
        bonus[u] = 2 / 3 * max(0.0, gain[u] - 5 * len(games))
    after = {}
    for u, unit in enumerate(section.units):
        received = sum(bonus[o] / 20 for _, o, _, _ in sides(section, u))
        played = bool(sides(section, u))
        after[unit[0].name] = floor(rating[u] + gain[u] + bonus[u] + received + 0.5) if played else rating[u]
    return after


def log_posterior(
    games: list[tuple[list[str], list[str], float, int]],
    rating: dict[str, float],
    advantage: float,
    scale: float = 400,
    initial: float = 1500,
    prior_sd: float = 200,
    advantage_sd: float = 100,
) -> float:
    """Of games (members of a, members of b, result of a, +1 where a went first, -1 second) under these ratings."""
    total = -0.5 * (advantage / advantage_sd) ** 2
    for value in rating.values():
        total -= 0.5 * ((value - initial) / prior_sd) ** 2
    for a, b, result, first in games:
        d = sum(rating[m] for m in a) / len(a) - sum(rating[m] for m in b) / len(b) + advantage * first
        p = 1 / (1 + 10 ** (-d / scale))
        total += result * log(p) + (1 - result) * log(1 - p)
    return total
