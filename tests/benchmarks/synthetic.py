"""A made-up history of any size, the same for the same seed, that ratinglab and its peers are timed on.

Only numpy, so that the peers' environment can read and make it too. The history is one `.npz` of equally long columns,
in time order:

- event (int32, 0 upwards), day (int32, days since 1970-01-01, later for each event), round (int32, 1 upwards)
- player, opponent (int32 codes, player < opponent), spread (int32, from the player's side), result (1, ½ or 0)
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

FIRST_DAY = 10957  # 2000-01-01

PLAYERS, ROUNDS = 50, 18  # of the tournaments that are paired


def matching_costs(n: int = PLAYERS, seed: int = 1) -> np.ndarray:
    """Return the costs (n, n) of a field's pairs, whole numbers, for one exact matching."""
    above = np.triu(np.random.default_rng(seed).integers(0, 1_000, (n, n)), 1)
    return above + above.T


def history(
    players: int = 20_000, events: int = 5_000, games: int = 1_000_000, *, rounds: int = 10, seed: int = 1
) -> dict[str, np.ndarray]:
    """Return the columns of a made-up history of equally large events.

    In each event a field of 2 × games / (events × rounds) players, few of them regulars, meets in random pairings, so
    everybody plays in every round. Strengths are N(1500, 250), spreads N((μ − μ_opponent) / 5, 90) in whole points.
    """
    tables, left = divmod(games, events * rounds)
    if left or tables < 1:
        raise ValueError(f"games must be a multiple of events × rounds, {events * rounds:,}; got {games:,}")
    field = 2 * tables
    if field > players:
        raise ValueError(f"an event of {field:,} players needs at least as many in all; got {players:,}")
    rng = np.random.default_rng(seed)
    strength = rng.normal(1500.0, 250.0, players)
    # A log-normal appetite: the keenest tenth make up a third or so of all entries, many players come once or twice.
    appetite = np.cumsum(rng.lognormal(0.0, 1.0, players))
    fields = np.stack([_field(rng, appetite, field) for _ in range(events)])

    seats = np.broadcast_to(np.arange(field), (events * rounds, field))
    drawn = rng.permuted(seats, axis=1).reshape(events, rounds, field)
    pairs = np.take_along_axis(fields[:, None, :], drawn, axis=2)
    first, second = pairs[..., :tables].ravel(), pairs[..., tables:].ravel()
    player, opponent = np.minimum(first, second), np.maximum(first, second)

    spread = np.rint(rng.normal((strength[player] - strength[opponent]) / 5.0, 90.0)).astype(np.int32)
    days = FIRST_DAY + np.cumsum(rng.integers(1, 3, events))
    per_event = rounds * tables
    return {
        "event": np.repeat(np.arange(events, dtype=np.int32), per_event),
        "day": np.repeat(days.astype(np.int32), per_event),
        "round": np.tile(np.repeat(np.arange(1, rounds + 1, dtype=np.int32), tables), events),
        "player": player.astype(np.int32),
        "opponent": opponent.astype(np.int32),
        "spread": spread,
        "result": (np.sign(spread) + 1) / 2.0,
    }


def _field(rng: np.random.Generator, appetite: np.ndarray, size: int) -> np.ndarray:
    """Draw `size` different players, each with a chance in proportion to the appetite (given as a running sum).

    Drawing with replacement and passing over those already drawn is the same as drawing without replacement.
    """
    drawn = np.empty(0, dtype=np.int64)
    while True:
        more = np.searchsorted(appetite, rng.random(2 * size) * appetite[-1], side="right")
        drawn = np.concatenate([drawn, more])
        found, where = np.unique(drawn, return_index=True)
        if len(found) >= size:
            return drawn[np.sort(where)[:size]]


def write(path: str | Path, **sizes: int) -> Path:
    """Write `history(**sizes)` as one uncompressed .npz and return its path."""
    np.savez(path, **history(**sizes))
    return Path(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write a made-up history as one .npz.")
    parser.add_argument("path")
    for name, default in (("players", 20_000), ("events", 5_000), ("games", 1_000_000), ("rounds", 10), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = vars(parser.parse_args())
    write(options.pop("path"), **options)
