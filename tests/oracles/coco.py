"""The CoCo committee's replay, player by player and game by game, from rows as its files hold them.

Ratings, deviations and games come back by event and name. The bye, named "Bye" in the files, has a row as everybody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import sqrt

BYE = "Bye"


@dataclass(frozen=True)
class Event:
    """One results file: the ratings of its entry list, and its rows (player, opponent, score, opponent's score)."""

    name: str
    day: date
    filed: Mapping[str, float]
    games: Sequence[tuple[str, str, float, float]]


@dataclass(frozen=True)
class Row:
    """What an event did to a player; `old` is what the committee prints as the rating before."""

    old: float
    new: float
    old_deviation: float
    new_deviation: float
    games: int
    first_timer: bool


def multiplier(rating: float, games: int) -> float:
    if games < 200:
        return 1.0
    if games > 1000:
        return 0.5
    return min(0.5 if rating > 2000 else 0.75 if rating > 1800 else 1.0, 1 - games / 1800)


def coco(events: Sequence[Event], rounding: bool = True) -> dict[tuple[str, str], Row]:
    """The rows of all events, by event and name."""
    # in 9 digits first, so that a half is a half whatever the order in which the games were added up
    whole = (lambda x: float(round(round(x, 9)))) if rounding else (lambda x: x)
    two_digits = (lambda x: round(round(x, 9), 2)) if rounding else (lambda x: x)
    standing: dict[str, tuple[float, float, date]] = {}
    filed_last: dict[str, float] = {}
    career: dict[str, int] = {}
    out = {}
    for event in events:
        order = list(event.filed)
        # until a game has moved it, the rating filed last is the one that counts
        filed_last |= {name: filed for name, filed in event.filed.items() if filed > 0}
        sides: dict[str, list[tuple[str, float, float]]] = {name: [] for name in order}
        for player, opponent, score, other in event.games:
            for name in (player, opponent):
                if name not in sides:
                    sides[name] = []
                    order.append(name)
            sides[player].append((opponent, score, other))
            sides[opponent].append((player, other, score))
        rating, deviation, unrated = {}, {}, []
        for name in order:
            career[name] = career.get(name, 0) + len(sides[name])
            if name == BYE:
                rating[name], deviation[name] = 1500.0, 150.0
            elif name in standing:
                mu, sigma, since = standing[name]
                rating[name], deviation[name] = mu, min(150.0, sqrt(sigma**2 + 100 * (event.day - since).days))
            elif filed_last.get(name, 0) >= 100:
                rating[name], deviation[name] = filed_last[name], 150.0
            else:
                rating[name], deviation[name] = 1500.0, 150.0
                unrated.append(name)

        def played(name: str, sides=sides) -> list[tuple[str, float]]:
            """The opponent and the spread of each game that is rated."""
            return [(o, score - other) for o, score, other in sides[name] if score != 0 and other != 0]

        def rated(name: str, rating=rating, deviation=deviation) -> tuple[float, float]:
            information = 1 / deviation[name] ** 2
            achieved = rating[name] / deviation[name] ** 2
            for opponent, spread in played(name):
                rho = (5 * 90) ** 2 + deviation[opponent] ** 2
                information += 1 / rho
                achieved += (rating[opponent] + 5 * spread) / rho
            change = achieved / information - rating[name]
            new = rating[name] + multiplier(rating[name], career[name]) * change
            return max(300.0, whole(new)), two_digits(sqrt(1 / information))

        first_timers = [name for name in unrated if played(name)]
        mean = sum(rating[name] for name in order if name not in unrated) / max(1, len(order))
        for _ in range(50):
            moved = False
            for name in first_timers:
                earlier = rating[name]
                if sum(opponent in unrated for opponent, _ in played(name)) / len(sides[name]) >= 0.4:
                    rating[name] = mean if mean >= 300 else 1500.0
                rating[name] = rated(name)[0]
                moved = moved or abs(rating[name] - earlier) >= 1e-4
            if not moved:
                break
        for name in order:
            new = rating[name], deviation[name]
            if name not in unrated and played(name):
                new = rated(name)
            row = Row(rating[name], *new[:1], deviation[name], *new[1:], career[name], name in unrated)
            out[event.name, name] = row
            if played(name):
                standing[name] = *new, event.day
    return out
