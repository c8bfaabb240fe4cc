"""What went in comes out: strengths that a history was made with, against the ratings that it gives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from ratinglab.history import History
from ratinglab.replaying import replay
from ratinglab.sample import individual_circuit, team_circuit
from ratinglab.systems import Glixo

Maker = Callable[..., tuple[History, "pd.Series[float]"]]


def errors(make: Maker, seed: int) -> pd.DataFrame:
    """Each player's rating less the true strength, and the deviation, once the pool's common shift is taken out.

    A closed pool cannot know its level: the shift is the mean difference, weighted as the deviations say.
    """
    history, truth = make(np.random.default_rng(seed), players=80, events=20, rounds=8)
    listed = replay(history, Glixo()).ratings().set_index("player")
    error = listed["rating"] - truth.reindex(listed.index)
    error -= np.average(error, weights=listed["deviation"] ** -2)
    return pd.DataFrame({"error": error, "deviation": listed["deviation"]})


def coverage(make: Maker, seeds: range) -> float:
    """The share of players whose μ ± 1.96 σ covers the true strength."""
    found = pd.concat([errors(make, seed) for seed in seeds])
    return float((found["error"].abs() <= 1.96 * found["deviation"]).mean())


def test_intervals_cover_true_strengths_on_an_individual_circuit() -> None:
    # static strengths, no caps, no filed ratings; 1,600 players have a binomial error of half a percent
    assert 0.93 <= coverage(individual_circuit, range(20)) <= 0.97


def test_team_intervals_do_not_and_the_rule_is_why() -> None:
    """The team rule credits each member with the team's play, so a member's rating is about the teams played in.

    Its deviation shrinks as if the play had been the member's own: the interval covers the member's own strength far
    less often than it says. A committee should read ± of team players as too small.
    """
    assert coverage(team_circuit, range(10)) < 0.5


@pytest.mark.parametrize("tau", [60.0, 150.0])
def test_z_scores_tell_a_wrong_tau(tau: float) -> None:
    from ratinglab.scoring import score

    history, _ = individual_circuit(np.random.default_rng(4), players=60, events=30, rounds=8)
    right = score(replay(history, Glixo()), metrics=["z_sd", "spread_log_score"], min_games=60).iloc[0]
    wrong = score(replay(history, Glixo(tau=tau)), metrics=["z_sd", "spread_log_score"], min_games=60).iloc[0]
    assert right["z_sd"] == pytest.approx(1, abs=0.05)
    assert (wrong["z_sd"] > 1.3) if tau < 90 else (wrong["z_sd"] < 0.7)
    assert wrong["spread_log_score"] > right["spread_log_score"]
