"""Glicko as Glickman's paper has it, and Stephenson's additions, game by game."""

from __future__ import annotations

from math import log, pi, sqrt

from making import Member, Section

from oracles.sides import sides

Q = log(10) / 400


def g(deviation: float) -> float:
    return 1 / sqrt(1 + 3 * Q**2 * deviation**2 / pi**2)


def effective(section: Section, filed) -> list[tuple[float, float]]:
    """Rating and deviation of each unit: max(best - 100, mean), and the root of the summed squares."""
    out = []
    for unit in section.units:
        values = [filed(member) for member in unit]
        ratings = [rating for rating, _ in values]
        out.append((max(max(ratings) - 100, sum(ratings) / len(ratings)), sqrt(sum(d * d for _, d in values))))
    return out


def first_sign(game, unit: int) -> int:
    """+1 where the unit went first, -1 where the other one did, 0 where it is not known."""
    if game.first is None:
        return 0
    return 1 if (game.first == 1) == (game.a == unit) else -1


def glicko(
    section: Section,
    initial: float = 1500,
    initial_deviation: float = 350,
    c: float = 15,
    gamma: float = 0,
    h: float = 0,
    beta: float = 0,
    lamda: float = 0,
) -> dict[str, tuple[float, float]]:
    """Stephenson's system with the last three, Glicko without."""

    def filed(member: Member) -> tuple[float, float]:
        rating = initial if member.rating is None else member.rating
        if member.deviation is None:
            # one period's growth, stopped at 350
            return rating, min(sqrt(initial_deviation**2 + c**2), 350)
        return rating, member.deviation

    strength = effective(section, filed)
    after = {}
    for u, unit in enumerate(section.units):
        games = sides(section, u)
        for member in unit:
            rating, deviation = filed(member)
            if not games:
                after[member.name] = rating, deviation
                continue
            d2 = moved = neighbours = 0.0
            for game, opponent, score, _ in games:
                other, others = strength[opponent]
                expected = 1 / (1 + 10 ** (-g(others) * (rating - other + gamma * first_sign(game, u)) / 400))
                d2 += Q**2 * g(others) ** 2 * expected * (1 - expected)
                moved += g(others) * (score + beta - expected)
                neighbours += other - rating
            variance = 1 / (1 / (deviation**2 + len(games) * h**2) + d2)
            new = rating + variance * Q * moved + lamda / 100 * neighbours / len(games)
            after[member.name] = new, sqrt(variance)
    return after
