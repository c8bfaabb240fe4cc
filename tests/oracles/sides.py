"""A section's games as one unit sees them."""

from __future__ import annotations

from making import Game, Section


def sides(section: Section, unit: int) -> list[tuple[Game, int, float, float | None]]:
    """The unit's games as (game, opponent, own result, own spread)."""
    out = []
    for game in section.games:
        if game.a == unit:
            out.append((game, game.b, game.result, game.spread))
        elif game.b == unit:
            out.append((game, game.a, 1 - game.result, None if game.spread is None else -game.spread))
    return out
