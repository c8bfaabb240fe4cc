"""The report's figures, counted by hand or the slow way."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ratinglab.history import History
from ratinglab.replaying import Replay, replay
from ratinglab.reports import analysis
from ratinglab.sample import individual_circuit
from ratinglab.scheduling import schedule
from ratinglab.scoring import log_loss
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
    prepared = schedule(history)
    replays = {
        "glixo": replay(prepared, Glixo()),
        "near": replay(prepared, Glixo(tau=95)),
        "elo": replay(prepared, Elo()),
    }
    kept = analysis.subsets(replays["glixo"], 0)
    scores = analysis.scores(replays, kept, 0).set_index("system")
    table = analysis.differences(replays, kept["all"], 0).set_index(["system", "metric"])
    losses = {
        name: log_loss(one.forecasts["result"].to_numpy(), one.forecasts["win"].to_numpy()).mean()
        for name, one in replays.items()
    }
    for name in ("near", "elo"):
        assert table.loc[(name, "log_loss"), "difference"] == pytest.approx(losses[name] - losses["glixo"])
        assert table.loc[(name, "brier"), "difference"] == pytest.approx(
            scores.loc[name, "brier"] - scores.loc["glixo", "brier"]
        )
    assert table.loc[("near", "log_loss"), "se"] < scores.loc["near", "log_loss_se"]
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
