"""Elo with the margin of victory, game by game."""

from __future__ import annotations

from math import log

from making import Section

from oracles.glicko import first_sign
from oracles.sides import sides


def elo_margin(section: Section, *, unknown: float | None = 1) -> dict[str, float]:
    """`unknown`: the margin of a game without scores; None: it is not rated."""

    def filed(member) -> float:
        return 1505.0 if member.rating is None else member.rating

    strength = []
    for unit in section.units:
        ratings = [filed(member) for member in unit]
        strength.append(max(max(ratings) - 100, sum(ratings) / len(ratings)))
    after = {}
    for u, unit in enumerate(section.units):
        for member in unit:
            rating = filed(member)
            change = 0.0
            for game, opponent, score, spread in sides(section, u):
                margin = unknown if spread is None else abs(spread)
                if margin is None:
                    continue
                lead = rating - strength[opponent] + 65 * first_sign(game, u)
                expected = 1 / (1 + 10 ** (-lead / 400))
                if score == 0.5:
                    fraction = 2.2
                else:
                    winners = lead if score == 1 else -lead
                    fraction = 2.2 / (0.001 * winners + 2.2)
                change += 20 * log(max(margin, 1) + 1) * fraction * (score - expected)
            after[member.name] = rating + change
    return after
