"""The sample code and the paragraph on teams of the 2012 NSSC page."""

from __future__ import annotations

from math import sqrt

from making import Member, Section

from oracles.sides import sides


def glixo(section: Section, b: float = 5, tau: float = 90) -> dict[str, tuple[float, float]]:
    def filed(member: Member) -> tuple[float, float]:
        if member.rating is None:
            return 1500.0, 400.0
        return member.rating, 400.0 if member.deviation is None else member.deviation

    mu, sigma = {}, {}
    for u, unit in enumerate(section.units):
        values = [filed(member) for member in unit]
        mu[u] = max(max(m for m, _ in values) - 100, sum(m for m, _ in values) / len(values))
        sigma[u] = sqrt(sum(s * s for _, s in values))
    after = {}
    for u, unit in enumerate(section.units):
        for member in unit:
            player_mu, player_sigma = filed(member)
            games = [side for side in sides(section, u) if side[3] is not None]
            if not games:
                after[member.name] = player_mu, player_sigma
                continue
            residual_sum = weighted_achievement_sum = 0.0
            for game, opponent, _, spread in games:
                if game.round <= len(section.caps):
                    cap = section.caps[game.round - 1]
                    spread = max(-cap, min(cap, spread))
                achievement = mu[opponent] + b * spread
                rho = b * b * tau * tau + sigma[opponent] ** 2
                residual_sum += 1 / rho
                weighted_achievement_sum += achievement / rho
            variance = 1 / (1 / player_sigma**2 + residual_sum)
            rating = variance * (player_mu / player_sigma**2 + weighted_achievement_sum)
            after[member.name] = max(rating, 1.0), sqrt(variance)
    return after
