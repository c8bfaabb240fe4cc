"""The report's figures, counted by hand or the slow way."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ratinglab.history import History
from ratinglab.replaying import Replay, replay
from ratinglab.reports import analysis
from ratinglab.reports.material import gather
from ratinglab.sample import individual_circuit
from ratinglab.systems import Elo, Glixo


@pytest.fixture(scope="module")
def history() -> History:
    return individual_circuit(np.random.default_rng(3), players=12, events=8, rounds=6)[0]


@pytest.fixture(scope="module")
def run(history: History) -> Replay:
    return replay(history, Glixo())


def test_labels_name_what_is_not_default() -> None:
    assert Glixo().label == "glixo"
    assert Elo(k=32).label == "elo:k=32"


def test_differences_are_those_of_the_scores_and_surer_than_they(history: History) -> None:
    systems = {one.label: one for one in (Glixo(), Glixo(tau=95), Elo())}
    made = gather(history, systems=systems, start="filed", min_games=12, seed=0, tell=lambda: None)
    every, settled = made.scores["subset"].unique()
    assert (every, settled) == ("all", "both sides were settled (12 lifetime games or more before the event)")
    forecasts = made.forecasts
    both = (forecasts["player_games"] >= 12) & (forecasts["opponent_games"] >= 12)
    games = made.scores.groupby("subset")["games"].first()
    assert games.to_dict() == {every: len(forecasts), settled: both.sum()}
    scores = made.scores[made.scores["subset"] == "all"].set_index("system")
    table = made.differences.set_index(["system", "metric"])
    for name in systems:
        for metric in ("log_loss", "brier"):
            expected = scores.loc[name, metric] - scores.loc["glixo", metric]
            assert table.loc[(name, metric), "difference"] == pytest.approx(expected, abs=1e-12)
    assert table.loc[("glixo:tau=95", "log_loss"), "se"] < scores.loc["glixo:tau=95", "log_loss_se"]
    assert table["reference"].unique().tolist() == ["glixo"]


def test_events_leave_newcomers_out_of_the_mean_change(history: History, run: Replay) -> None:
    changes = analysis.with_people(run.schedule, run.changes)
    assert len(changes) == len(run.changes)
    first = history.events["event"].iloc[0]
    assert changes["new"].equals(changes["event"] == first)
    table = analysis.events_table(run.schedule, changes).set_index("event")
    assert np.isnan(table.loc[first, "mean_change"])
    second = history.events["event"].iloc[1]
    mine = run.changes[run.changes["event"] == second]
    moved = mine["after"] - mine["before"]
    assert table.loc[second, "mean_change"] == pytest.approx(moved.abs().mean())
    assert table.loc[second, "rise"] == pytest.approx(moved.max())
    assert table.loc[second, "fall_player"] == mine["player"][moved.idxmin()]
    assert table["games"].sum() == len(history.games)


def test_pools_add_up_and_people_are_counted_once(history: History, run: Replay) -> None:
    table = analysis.events_table(run.schedule, analysis.with_people(run.schedule, run.changes))
    assert analysis.pools(run.schedule, table)["pool"].tolist() == ["all"]
    split = table.assign(pool=["school", None] * 4)
    pools = analysis.pools(run.schedule, split).set_index("pool")
    assert pools.index.tolist() == ["school", analysis.NO_POOL, "all"]
    assert pools["events"].tolist() == [4, 4, 8]
    assert pools.loc["all", "people"] == 12
    assert pools.loc["all", "games"] == len(history.games)


def test_histories_follow_the_list(run: Replay) -> None:
    players = run.ratings()["player"].head(3).tolist()
    table = analysis.rating_histories(run, players)
    assert table["player"].drop_duplicates().tolist() == players
    last = table.drop_duplicates("player", keep="last").set_index("player")["rating"]
    assert last.to_dict() == pytest.approx(run.ratings().head(3).set_index("player")["rating"].to_dict())
    assert all(part["date"].is_monotonic_increasing for _, part in table.groupby("player"))
    assert isinstance(table, pd.DataFrame)
