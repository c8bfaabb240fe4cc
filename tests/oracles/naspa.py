"""The NSA and NASPA ratings, as the overview and the tournament software have them."""

from __future__ import annotations

from math import erf, exp, floor

from making import Section

from oracles.sides import sides


def expected_wins(variant: str, difference: float) -> float:
    if variant == "nsa":
        return 0.5 * (1 + erf(difference / 400))
    return 1 / (1 + exp(-0.0031879 * difference))


def multiplier(rating: float, games: float) -> float:
    if rating < 1800:
        return 30 if games < 50 else 20
    if rating < 2000:
        return 24 if games < 50 else 16
    return 15 if games < 50 else 10


def spend(rating: float, excess: float, games: float) -> float:
    """The rating after the excess wins are spent band by band."""
    while excess > 0:
        k = multiplier(rating, games)
        boundary = next((b for b in (1800, 2000) if rating < b), None)
        if boundary is None or rating + k * excess <= boundary:
            return rating + k * excess
        excess -= (boundary - rating) / k
        rating = boundary
    while excess < 0:
        k = multiplier(rating, games)
        boundary = 1999 if rating >= 2000 else 1799 if rating >= 1800 else None
        if boundary is None or rating + k * excess >= boundary:
            return rating + k * excess
        excess += (rating - boundary) / k
        rating = boundary
    return rating


def segments(rounds: int) -> list[tuple[int, int]]:
    n = rounds
    if n <= 16:
        return [(1, n)]
    if n <= 35:
        first = (n - 1) // 2 + 1
        return [(1, first), (first + 1, n)]
    first, second = (n - 1) // 3 + 1, (2 * (n - 1) + 1) // 3 + 1
    return [(1, first), (first + 1, second), (second + 1, n)]


def bisection(variant: str, opponents: list[float], wins: float) -> int:
    low, high = 0, 3000
    middle = None
    while high - low > 1:
        middle = (low + high) // 2
        # halfway between two opponents one win of two is exactly due; the last bits of a sum must not decide it
        if sum(expected_wins(variant, middle - o) for o in opponents) < wins - 1e-9:
            low = middle
        else:
            high = middle
    return middle


def initial_ratings(variant: str, rating: dict[int, float | None], games: dict[int, list]) -> dict[int, float]:
    new = [u for u in rating if rating[u] is None and games[u]]
    current = dict(rating)
    for u in new:
        rated = [rating[o] for _, o, _, _ in games[u] if rating[o] is not None]
        current[u] = sum(rated) / len(rated) if rated else 1500.0

    def one_pass(current: dict[int, float]) -> dict[int, float]:
        following = dict(current)
        for u in new:
            opponents = [current[o] for _, o, _, _ in games[u]]
            n, wins = len(games[u]), sum(won for _, _, won, _ in games[u])
            aim = 0.05 * n if wins == 0 else 0.95 * n if wins == n else wins
            result = max(bisection(variant, opponents, aim), 500)
            rated = [rating[o] for _, o, _, _ in games[u] if rating[o] is not None]
            following[u] = min(result, (max(rated) if rated else max(opponents)) + 400 * wins / n)
        return following

    for _ in range(50):
        following = one_pass(current)
        settled = following == current
        current = following
        if settled:
            return current
    totals = dict.fromkeys(new, 0.0)
    for _ in range(50):
        current = one_pass(current)
        for u in new:
            totals[u] += current[u]
    return current | {u: totals[u] / 50 for u in new}


def naspa(section: Section, variant: str) -> dict[str, float | None]:
    rating: dict[int, float | None] = {u: unit[0].rating for u, unit in enumerate(section.units)}
    lifetime = {u: 100 if unit[0].lifetime is None else unit[0].lifetime for u, unit in enumerate(section.units)}
    for first, last in segments(section.rounds):
        in_segment = [g for g in section.games if first <= g.round <= last]
        part = Section(section.units, in_segment, section.rounds)
        games = {u: sides(part, u) for u in rating}
        strength = initial_ratings(variant, rating, games)
        base, acceleration = {}, {}
        for u in rating:
            if rating[u] is None or not games[u]:
                continue
            excess = sum(won - expected_wins(variant, strength[u] - strength[o]) for _, o, won, _ in games[u])
            base[u] = spend(rating[u], excess, lifetime[u]) - rating[u]
        received = dict.fromkeys(rating, 0.0)
        for u in base:
            gain = base[u] + (received[u] if variant == "nsa" else 0)
            acceleration[u] = max(0.0, gain - 5 * len(games[u]))
            if variant == "nsa":  # at once, in player order
                for _, o, _, _ in games[u]:
                    received[o] += acceleration[u] / 20
        if variant != "nsa":
            for u in base:
                for _, o, _, _ in games[u]:
                    received[o] += acceleration[u] / 20
        after = dict(rating)
        for u in rating:
            if u in base:
                new = rating[u] + base[u] + acceleration[u]
                if variant == "nsa2008":
                    new = max(new, 1)
                after[u] = floor(new + received[u] + 0.5)
            elif rating[u] is None and games[u]:
                after[u] = floor(strength[u] + 0.5)
        rating = after
        if variant == "naspa2024":
            lifetime = {u: lifetime[u] + len(games[u]) for u in rating}
    return {unit[0].name: rating[u] for u, unit in enumerate(section.units)}
