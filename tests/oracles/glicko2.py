"""Glicko-2, the steps of Glickman's paper one by one; its equation of the volatility is solved by plain halving."""

from __future__ import annotations

from itertools import pairwise
from math import exp, log, pi, sqrt

from making import Member, Section

from oracles.glicko import effective, first_sign
from oracles.sides import sides

UNIT = 400 / log(10)


def root(delta: float, phi: float, v: float, volatility: float, tau: float) -> float:
    """σ' of step 5."""
    a = log(volatility**2)

    def f(x: float) -> float:
        top = exp(x) * (delta**2 - phi**2 - v - exp(x))
        return top / (2 * (phi**2 + v + exp(x)) ** 2) - (x - a) / tau**2

    if delta**2 > phi**2 + v:
        limit = log(delta**2 - phi**2 - v)
    else:
        k = 1
        while f(a - k * tau) < 0:
            k += 1
        limit = a - k * tau
    # after a great upset f may have three roots: the one nearest to the old volatility is meant
    steps = [a + (limit - a) * i / 2000 for i in range(2001)]
    near, far = a, limit
    for one, other in pairwise(steps):
        if f(one) == 0 or f(one) * f(other) < 0:
            near, far = one, other
            break
    for _ in range(80):
        middle = (near + far) / 2
        if f(near) * f(middle) > 0:
            near = middle
        else:
            far = middle
    return exp(near / 2)


def glicko2(
    section: Section, tau: float = 0.5, volatility: float = 0.06, gamma: float = 0
) -> dict[str, tuple[float, float, float]]:
    def filed(member: Member) -> tuple[float, float]:
        rating = 1500.0 if member.rating is None else member.rating
        return rating, 350.0 if member.deviation is None else member.deviation

    strength = effective(section, filed)
    after = {}
    for u, unit in enumerate(section.units):
        games = sides(section, u)
        for member in unit:
            if not games:
                after[member.name] = (*filed(member), volatility)
                continue
            mu, phi = ((x - shift) / UNIT for x, shift in zip(filed(member), (1500, 0), strict=True))
            precision = surprise = 0.0
            for game, opponent, score, _ in games:
                mu_j, phi_j = (strength[opponent][0] - 1500) / UNIT, strength[opponent][1] / UNIT
                g = 1 / sqrt(1 + 3 * phi_j**2 / pi**2)
                expected = 1 / (1 + exp(-g * (mu - mu_j + gamma / UNIT * first_sign(game, u))))
                precision += g**2 * expected * (1 - expected)
                surprise += g * (score - expected)
            v = 1 / precision
            new = root(v * surprise, phi, v, volatility, tau)
            star = sqrt(phi**2 + new**2)
            phi_after = 1 / sqrt(1 / star**2 + 1 / v)
            mu_after = mu + phi_after**2 * surprise
            after[member.name] = UNIT * mu_after + 1500, UNIT * phi_after, new
    return after
