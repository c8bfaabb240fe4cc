"""The FIDE Rating Regulations of 1 March 2024, player by player, in exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from making import Section

from oracles.sides import sides

# 8.1.2: (from, to, hundredths that the higher rated is expected to score)
EXPECTED = [
    (0, 3, 50), (4, 10, 51), (11, 17, 52), (18, 25, 53), (26, 32, 54), (33, 39, 55), (40, 46, 56), (47, 53, 57),
    (54, 61, 58), (62, 68, 59), (69, 76, 60), (77, 83, 61), (84, 91, 62), (92, 98, 63), (99, 106, 64), (107, 113, 65),
    (114, 121, 66), (122, 129, 67), (130, 137, 68), (138, 145, 69), (146, 153, 70), (154, 162, 71), (163, 170, 72),
    (171, 179, 73), (180, 188, 74), (189, 197, 75), (198, 206, 76), (207, 215, 77), (216, 225, 78), (226, 235, 79),
    (236, 245, 80), (246, 256, 81), (257, 267, 82), (268, 278, 83), (279, 290, 84), (291, 302, 85), (303, 315, 86),
    (316, 328, 87), (329, 344, 88), (345, 357, 89), (358, 374, 90), (375, 391, 91), (392, 411, 92), (412, 432, 93),
    (433, 456, 94), (457, 484, 95), (485, 517, 96), (518, 559, 97), (560, 619, 98), (620, 735, 99), (736, 9999, 100),
]  # fmt: skip
# 8.1.1: hundredths scored: rating difference
PERFORMANCE = {
    100: 800, 99: 677, 98: 589, 97: 538, 96: 501, 95: 470, 94: 444, 93: 422, 92: 401, 91: 383, 90: 366, 89: 351,
    88: 336, 87: 322, 86: 309, 85: 296, 84: 284, 83: 273, 82: 262, 81: 251, 80: 240, 79: 230, 78: 220, 77: 211,
    76: 202, 75: 193, 74: 184, 73: 175, 72: 166, 71: 158, 70: 149, 69: 141, 68: 133, 67: 125, 66: 117, 65: 110,
    64: 102, 63: 95, 62: 87, 61: 80, 60: 72, 59: 65, 58: 57, 57: 50, 56: 43, 55: 36, 54: 29, 53: 21, 52: 14, 51: 7,
    50: 0,
}  # fmt: skip
HALF = Fraction(1, 2)


@dataclass
class Standing:
    """What is known of a player between events."""

    rating: Fraction | None
    lifetime: int
    highest: Fraction | None = None
    pending: tuple[int, Fraction, Fraction] = (0, Fraction(0), Fraction(0))  # games, points, opponents' ratings


def expected(difference: Fraction) -> Fraction:
    size = floor(min(abs(difference), Fraction(400)) + HALF)
    score = next(Fraction(p, 100) for low, high, p in EXPECTED if low <= size <= high)
    return score if difference >= 0 else 1 - score


def difference_of(score: Fraction) -> int:
    hundredths = floor(score * 100 + HALF)
    return PERFORMANCE[hundredths] if hundredths >= 50 else -PERFORMANCE[100 - hundredths]


def away_from_zero(points: Fraction) -> int:
    return floor(points + HALF) if points >= 0 else -floor(-points + HALF)


def k_factor(player: Standing, games: int, year_of_age: int | None) -> int:
    highest = player.highest
    if highest is not None and highest >= 2400:
        k = 10
    elif (year_of_age is not None and year_of_age <= 18 and highest < 2300) or player.lifetime < 30:
        k = 40
    else:
        k = 20
    while k * games > 700:
        k -= 1
    return k


def fide(sections: Sequence[Section], ages: dict[str, int] | None = None) -> list[dict[str, float | None]]:
    """The ratings of everybody after each section in turn; `ages` are those that people reach in the year."""
    known: dict[str, Standing] = {}
    out = []
    for section in sections:
        for unit in section.units:
            for member in unit:
                if member.name not in known:
                    rating = None if member.rating is None else Fraction(member.rating)
                    unknown = 0 if member.rating is None else 100
                    lifetime = unknown if member.lifetime is None else member.lifetime
                    known[member.name] = Standing(rating, lifetime, rating)
        strength: dict[int, Fraction | None] = {}
        for u, unit in enumerate(section.units):
            ratings = [known[member.name].rating for member in unit]
            if any(rating is None for rating in ratings):
                strength[u] = None
            else:
                strength[u] = max(max(ratings) - 100, sum(ratings) / len(ratings))
        after = {}
        for u, unit in enumerate(section.units):
            for member in unit:
                after[member.name] = rated_once(known[member.name], member.name, section, u, strength, ages or {})
        known |= after
        here = [member.name for unit in section.units for member in unit]
        out.append({name: None if known[name].rating is None else float(known[name].rating) for name in here})
    return out


def rated_once(
    player: Standing, name: str, section: Section, unit: int, strength: dict[int, Fraction | None], ages: dict[str, int]
) -> Standing:
    everything = sides(section, unit)
    games = [(strength[o], Fraction(won)) for _, o, won, _ in everything if strength[o] is not None]
    lifetime = player.lifetime + len(everything)
    if not games:
        return Standing(player.rating, lifetime, player.highest, player.pending)
    if player.rating is None:
        n, points, total = player.pending
        scored = sum(won for _, won in games)
        if n == 0 and scored == 0:
            return Standing(None, lifetime, player.highest, player.pending)
        n, points, total = n + len(games), points + scored, total + sum(rating for rating, _ in games)
        if n < 5:
            return Standing(None, lifetime, player.highest, (n, points, total))
        mean = (total + 2 * 1800) / (n + 2)
        rating = away_from_zero(min(mean + difference_of((points + 1) / (n + 2)), Fraction(2200)))
        if rating < 1400:
            return Standing(None, lifetime, player.highest, (n, points, total))
        highest = max(Fraction(rating), player.highest or Fraction(0))
        return Standing(Fraction(rating), lifetime, highest)
    change = k_factor(player, len(games), ages.get(name)) * sum(
        won - expected(player.rating - rating) for rating, won in games
    )
    rating = player.rating + away_from_zero(change)
    if rating < 1400:
        return Standing(None, lifetime, player.highest)
    return Standing(rating, lifetime, max(rating, player.highest))
