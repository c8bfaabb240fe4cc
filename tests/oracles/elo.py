"""Elo, as published in 1978."""

from __future__ import annotations

from making import Section

from oracles.sides import sides


def elo(section: Section, k: float = 20, scale: float = 722, initial: float = 1500) -> dict[str, float]:
    rating = {u: initial if unit[0].rating is None else unit[0].rating for u, unit in enumerate(section.units)}
    after = {}
    for u, unit in enumerate(section.units):
        change = sum(
            k * (won - 1 / (1 + 10 ** (-(rating[u] - rating[o]) / scale))) for _, o, won, _ in sides(section, u)
        )
        after[unit[0].name] = rating[u] + change
    return after
