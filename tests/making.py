"""Small histories for tests: from a few lists, or drawn by hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import strategies as st

from ratinglab.history import History, Parsed, assemble

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared real events are not beside the checkout")


@dataclass(frozen=True)
class Member:
    """One person: what the event's file says of them."""

    name: str
    rating: float | None = None
    deviation: float | None = None
    lifetime: int | None = None


@dataclass(frozen=True)
class Game:
    """A rated game between two units of a section, by their place in the field; spread None where it is not known."""

    round: int
    a: int
    b: int
    spread: int | None
    result: float
    first: int | None = None  # 1 where a went first, 0 where b did


@dataclass(frozen=True)
class Section:
    """A section: units of one member or more, and their games."""

    units: Sequence[Sequence[Member]]
    games: Sequence[Game]
    rounds: int
    system: str | None = None
    caps: Sequence[int] = ()
    date: str = "2024-01-01"
    teams: bool = field(default=False)

    def unit_name(self, unit: int) -> str:
        return f"Team {chr(65 + unit)}" if self.teams else self.units[unit][0].name


def history(*sections: Section) -> History:
    """A history of events e1, e2 …, each of one section."""
    events, entries, games = [], [], []
    for i, section in enumerate(sections, 1):
        event = f"e{i}"
        events.append(
            {
                "event": event,
                "date": pd.Timestamp(section.date),
                "rounds": section.rounds,
                "system": section.system,
                "spread_cap": ";".join(map(str, section.caps)) or None,
            }
        )
        for number, unit in enumerate(section.units, 1):
            for member in unit:
                entries.append(
                    {
                        "event": event,
                        "section": "main",
                        "number": number,
                        "player": member.name,
                        "team": section.unit_name(number - 1) if section.teams else None,
                        "rating": member.rating,
                        "deviation": member.deviation,
                        "lifetime_games": member.lifetime,
                    }
                )
        for game in section.games:
            games.append(
                {
                    "event": event,
                    "section": "main",
                    "round": game.round,
                    "player": section.unit_name(game.a),
                    "opponent": section.unit_name(game.b),
                    "score": None if game.spread is None else 400.0 + game.spread,
                    "opponent_score": None if game.spread is None else 400.0,
                    "result": game.result,
                    "first": game.first,
                    "status": "played",
                    "rated": 1,
                }
            )
    tables = {"events": pd.DataFrame(events), "entries": pd.DataFrame(entries)}
    if games:
        tables["games"] = pd.DataFrame(games)
    return assemble([Parsed(tables)])


def dated(drawn: Sequence[Section]) -> list[Section]:
    """The sections a month apart, in order."""
    return [replace(section, date=f"2024-{month:02d}-01") for month, section in enumerate(drawn, 1)]


def outcome(spread: int) -> float:
    """The result of a game with this spread."""
    return 1.0 if spread > 0 else 0.0 if spread < 0 else 0.5


def swapped(section: Section) -> Section:
    """The same section with the sides of every game exchanged."""
    games = [
        Game(
            g.round,
            g.b,
            g.a,
            None if g.spread is None else -g.spread,
            1 - g.result,
            None if g.first is None else 1 - g.first,
        )
        for g in section.games
    ]  # fmt: skip
    return replace(section, games=games)


@st.composite
def sections(
    draw: st.DrawFn,
    *,
    teams: bool = False,
    max_rounds: int = 12,
    unrated: bool = True,
    whole_ratings: bool = True,
    systems: Sequence[str | None] = (None,),
    names: Sequence[str] = tuple(f"Player {chr(65 + i)}" for i in range(16)),
) -> Section:
    """A section of 2 to 8 units with random pairings, some games missing."""
    count = draw(st.integers(2, 8))
    rounds = draw(st.integers(1, max_rounds))
    pool = list(draw(st.permutations(names)))
    rating = st.integers(400, 2300).map(float) if whole_ratings else st.floats(400, 2300)
    if unrated:
        rating = st.one_of(st.none(), rating, rating)

    def member() -> Member:
        filed = draw(rating)
        deviation = draw(st.one_of(st.none(), st.integers(20, 400).map(float))) if filed is not None else None
        return Member(pool.pop(), filed, deviation, draw(st.one_of(st.none(), st.integers(0, 300))))

    units = [[member() for _ in range(draw(st.integers(1, 2)) if teams else 1)] for _ in range(count)]
    games = []
    for played in range(1, rounds + 1):
        order = draw(st.permutations(range(count)))
        for a, b in zip(order[::2], order[1::2], strict=False):
            if draw(st.integers(0, 9)):
                spread = draw(st.integers(-350, 350))
                games.append(Game(played, a, b, spread, outcome(spread), draw(st.sampled_from([None, 0, 1]))))
    caps = draw(st.lists(st.integers(50, 200), max_size=3))
    return Section(units, games, rounds, draw(st.sampled_from(systems)), caps, teams=teams)
