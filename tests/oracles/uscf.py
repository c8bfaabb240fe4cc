"""The US Chess rating algorithm, player by player; the special formula's equation is solved in exact fractions."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import floor, inf, sqrt

from making import Section

from oracles.sides import sides


@dataclass
class Player:
    """What is known of somebody before an event."""

    rating: float
    games: int | None  # that the rating rests on; None: not known, and established
    peak: float | None
    results: set = field(default_factory=set)  # of all earlier games, where all are known
    wins: int = 0
    draws: int = 0
    events: int = 0


def special(rating: float, effective: float, opponents: list[float], score: float, won: bool, lost: bool) -> float:
    prior = rating - 400 if won else rating + 400 if lost else rating
    weight = Fraction(effective)
    aim = Fraction(score) + (weight if won else 0 if lost else weight / 2)
    terms = [(weight, Fraction(prior))] + [(Fraction(1), Fraction(o)) for o in opponents]

    def above(r: Fraction) -> Fraction:
        return sum(w * max(Fraction(0), min(Fraction(1), Fraction(1, 2) + (r - c) / 800)) for w, c in terms) - aim

    ends = sorted({c + side for _, c in terms for side in (-400, 400)})
    heights = [above(end) for end in ends]
    low, high = -inf, inf  # the roots
    for left, right, a, b in zip(ends, ends[1:], heights, heights[1:], strict=False):
        if a < 0 <= b:
            low = left - a * (right - left) / (b - a)
        if a <= 0 < b:
            high = left - a * (right - left) / (b - a)
    return float(max(low, min(Fraction(rating), high)))


def effective_games(rating: float, games: int | None) -> float:
    most = 50 / sqrt(0.662 + 0.00000739 * (2569 - rating) ** 2) if rating <= 2355 else 50
    return most if games is None else min(games, most)


def one(player: Player, games: list, strength: dict[int, float], bonus: float, dual: bool) -> float:
    """A player's rating after `games` (game, opponent, own score, spread) against opponents of this strength."""
    m, score = len(games), sum(won for _, _, won, _ in games)
    opponents = [strength[o] for _, o, _, _ in games]
    n = effective_games(player.rating, player.games)
    won, lost = player.results == {1.0}, player.results == {0.0}
    if (player.games is not None and player.games <= 8) or won or lost:
        return min(2700.0, special(player.rating, n, opponents, score, won, lost))
    k = 800 / (n + m)
    if dual and player.rating > 2200:
        k = 800 * (6.5 - 0.0025 * player.rating) / (n + m) if player.rating < 2500 else 200 / (n + m)
    gain = k * (score - sum(1 / (1 + 10 ** ((o - player.rating) / 400)) for o in opponents))
    met = [o for _, o, _, _ in games]
    if m < 3 or max(met.count(o) for o in met) > 2:
        return player.rating + gain
    return player.rating + gain + max(0, gain - bonus * sqrt(max(m, 4)))


def before_2001(player: Player, games: list, strength: dict[int, float]) -> float:
    m, score = len(games), sum(won for _, _, won, _ in games)
    opponents = [strength[o] for _, o, _, _ in games]
    if player.games is not None and player.games < 20:
        return (player.games * player.rating + sum(opponents) + 400 * (score - (m - score))) / (player.games + m)
    k = 32 if player.rating < 2100 else 24 if player.rating < 2400 else 16
    return player.rating + k * (score - sum(1 / (1 + 10 ** ((o - player.rating) / 400)) for o in opponents))


def event(
    section: Section,
    players: dict[str, Player],
    bonus: float = 12,
    floors: bool = True,
    dual: bool = False,
    old: bool = False,
) -> tuple[dict[str, Player], dict[str, float]]:
    """The players after an event, and what the first sweep made of those who played."""
    field_of = [players[unit[0].name] for unit in section.units]
    games = {u: sides(section, u) for u in range(len(field_of))}
    before = {u: player.rating for u, player in enumerate(field_of)}
    strength = dict(before)
    for u, player in enumerate(field_of):
        if player.games == 0 and games[u]:
            opponents = [before[o] for _, o, _, _ in games[u]]
            score = sum(won for _, _, won, _ in games[u])
            strength[u] = min(2700.0, special(before[u], 1, opponents, score, won=False, lost=False))

    def sweep(strength: dict[int, float]) -> dict[int, float]:
        return {
            u: one(player, games[u], strength, bonus, dual) if games[u] else player.rating
            for u, player in enumerate(field_of)
        }

    first = sweep(strength)
    last = sweep(first)
    if old:
        last = {u: before_2001(p, games[u], before) if games[u] else p.rating for u, p in enumerate(field_of)}
    after = dict(players)
    for u, player in enumerate(field_of):
        if not games[u]:
            continue
        rating = last[u]
        scores = [won for _, _, won, _ in games[u]]
        wins, draws = player.wins + scores.count(1.0), player.draws + scores.count(0.5)
        if floors:
            rating = max(rating, min(100 + 4 * wins + 2 * draws + player.events + 1, 150))
            if (player.games is None or player.games > 25) and player.peak is not None and player.peak >= 1400:
                rating = max(rating, min(2100, max(1200, floor((player.peak - 200) / 100) * 100)))
        total = None if player.games is None else player.games + len(games[u])
        peak = player.peak
        if total is None or total > 25:
            peak = rating if peak is None else max(peak, rating)
        results = player.results | set(scores)
        after[section.units[u][0].name] = Player(rating, total, peak, results, wins, draws, player.events + 1)
    return after, {section.units[u][0].name: first[u] for u in first if games[u]}


def filed(rating: float | None, games: int | None, initial: float) -> Player:
    """Somebody at the first event, from what its file says."""
    if rating is None:
        return Player(initial, 0, None)
    known = {1.0, 0.0} if games != 0 else set()  # earlier games are not known, and taken as won and lost
    return Player(rating, games, rating if games is None or games > 25 else None, known)
