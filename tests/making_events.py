"""A small event for the tests of backtests, and how close a simulated share must be."""

from __future__ import annotations

import numpy as np
import pandas as pd
from making import Game, Member, Section, history, outcome

from ratinglab.backtests.backtesting import Backtest
from ratinglab.history import History

NAMES = ("Ada", "Bea", "Cy", "Dot", "Eve", "Fay")
RATINGS = (1700.0, 1500.0, 1450.0, 1250.0)


def round_robin(ratings, deviations=None, rounds=((0, 1), (2, 3), (0, 2), (1, 3)), spreads=None) -> History:
    """One event of these entrants: two games a round, spreads 10, 20 … for the first named unless given."""
    spreads = spreads or [10 * (k + 1) for k in range(len(rounds))]
    met = zip(rounds, spreads, strict=True)
    games = [Game(k // 2 + 1, a, b, spread, outcome(spread)) for k, ((a, b), spread) in enumerate(met)]
    deviations = deviations or [None] * len(ratings)
    units = [[Member(name, r, d)] for name, r, d in zip(NAMES, ratings, deviations, strict=False)]
    return history(Section(units, games, len(rounds) // 2))


def of(made: Backtest, system: str, table: str = "entrants") -> pd.DataFrame:
    rows = getattr(made, table)
    return rows[rows["system"] == system].set_index("player" if table == "entrants" else "system")


def assert_close(share, expected, tournaments: int, other: int | None = None) -> None:
    """Within 4 standard errors of a share of `tournaments`, or of two shares."""
    p = np.asarray(expected, dtype=float) if other is None else (np.asarray(share) + expected) / 2
    p = np.clip(p, 1 / tournaments, 1 - 1 / tournaments)
    se = np.sqrt(p * (1 - p) * (1 / tournaments + (1 / other if other else 0)))
    assert (np.abs(np.asarray(share, dtype=float) - expected) <= 4 * se).all()
