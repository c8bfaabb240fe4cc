"""Whether forecasts mean what they say, counted the slow way."""

from __future__ import annotations

import numpy as np
import pytest

from ratinglab.reliability import reliability, spread_pit
from ratinglab.replaying import Replay, replay
from ratinglab.sample import individual_circuit
from ratinglab.systems import Glixo


@pytest.fixture(scope="module")
def run() -> Replay:
    return replay(individual_circuit(np.random.default_rng(3), players=12, events=8, rounds=6)[0], Glixo())


def test_reliability_counts_each_game_once_from_the_favourites_side(run: Replay) -> None:
    table = reliability(run)
    games = run.forecasts
    games = games[games["win"] != 0.5]
    favourite = games["win"].where(games["win"] > 0.5, 1 - games["win"])
    won = games["result"].where(games["win"] > 0.5, 1 - games["result"])
    assert table["games"].sum() == len(games)
    for row in table.itertuples():
        inside = (favourite >= row.low) & (favourite < row.high)
        assert row.games == inside.sum()
        if row.games:
            assert row.observed == pytest.approx(won[inside].mean())
            assert row.forecast == pytest.approx(favourite[inside].mean())
        if row.events < 2:
            assert np.isnan(row.se)


def test_spread_places_are_shares_and_symmetric(run: Replay) -> None:
    table = spread_pit(run)
    assert table["share"].sum() == pytest.approx(1)
    assert table["share"].to_numpy() == pytest.approx(table["share"].to_numpy()[::-1])
    assert table["games"].sum() == pytest.approx(len(run.forecasts))
