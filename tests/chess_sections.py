"""Sections for the tests of chess ratings, and the figures that an update's workings tell."""

from __future__ import annotations

import numpy as np
import pandas as pd
from making import Game, Member, Section

from ratinglab.history import History
from ratinglab.replaying import rate
from ratinglab.scheduling import schedule
from ratinglab.systems import Uscf
from ratinglab.systems.uscf_special import special_rating
from ratinglab.systems.workings import Step, Workings


def worked(system: Uscf, of: History) -> tuple[pd.DataFrame, list[Step]]:
    """The changes of a history's only batch, each event on its own, and the workings' steps."""
    batch = schedule(of, chained=False).batches[0].told_from_both_sides
    workings = Workings()
    system.update(system.age(system.start(batch, batch.starting), batch), batch, workings)
    return rate(of, system).changes.set_index("player"), workings.steps


def step(steps: list[Step], name: str, column: str) -> np.ndarray:
    """A column of the step of this name that has it."""
    (found,) = [s.columns[column] for s in steps if s.name == name and column in s.columns]
    return found[:, 0]


def against(player: Member, opponents: list[tuple[float, float]], date: str = "2024-01-01") -> Section:
    """A section of one player against established opponents (rating, own score), who meet nobody else."""
    units = [[player], *([Member(f"Opponent {i}", rating)] for i, (rating, _) in enumerate(opponents))]
    games = [Game(i, 0, i, None, won) for i, (_, won) in enumerate(opponents, 1)]
    return Section(units, games, len(games), "uscf", date=date)


def alone(rating: float, effective: float, opponents: list[float], score: float, record: float = 0) -> float:
    """The special formula of one player."""
    own, others = np.array([[rating]]), np.array(opponents)[None, :, None]
    weight, record_ = np.array([[effective]]), np.array([[float(record)]])
    return float(special_rating(own, record_, weight, others, np.ones_like(others), np.array([[score]]))[0, 0])
