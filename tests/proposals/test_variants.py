"""Everything re-rated under variants: how they are named, tiled and told, beside one system at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from making import Game, Member, Section
from making import history as made_history
from making_placings import Placed
from making_placings import history as placings_history

from ratinglab.history import History
from ratinglab.output import as_bytes
from ratinglab.problems import UsageError
from ratinglab.proposals import variants as module
from ratinglab.proposals.levels import cohort
from ratinglab.proposals.proposing import propose
from ratinglab.proposals.variants import expand, tiles, variants
from ratinglab.replaying import replay
from ratinglab.sample import individual_circuit
from ratinglab.scoring import score
from ratinglab.systems import Elo, Naspa, parse
from ratinglab.tasks import Workers

ASKED = ["elo:k=16|24|32,scale=400|722", "naspa:acceleration=0|1", "glixo:growth=none|linear", "wespa"]


@pytest.fixture(scope="module")
def history() -> History:
    """Half of the players are filed with a rating and no number of games, which makes them settled."""
    drawn = individual_circuit(np.random.default_rng(8), players=14, events=26, rounds=4, field=8)[0]
    known = drawn.entries["player"].rank(method="dense") % 2 == 0
    return replace(drawn, entries=drawn.entries.assign(rating=np.where(known, 1500.0, np.nan)))


@pytest.fixture(scope="module")
def table(history: History) -> pd.DataFrame:
    return variants(history, "elo", ASKED, resamples=40)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("elo", ["elo"]),
        ("elo:k=16|24|32", ["elo:k=16", "elo:k=24", "elo:k=32"]),
        (
            "elo:k=16|24,scale=400|500",
            [f"elo:k={k},scale={scale}" for k in (16, 24) for scale in (400, 500)],
        ),
        ("elo|glixo", ["elo", "glixo"]),
        ("naspa:variant=nsa2008|naspa2024", ["naspa:variant=nsa2008", "naspa:variant=naspa2024"]),
        ("naspa:rounding=on|off", ["naspa", "naspa:rounding=False"]),
        ("glixo:spread_cap=100;200|none", ["glixo:spread_cap=100;200", "glixo:spread_cap=none"]),
    ],
)  # fmt: skip
def test_what_a_text_stands_for(text: str, labels: list[str]) -> None:
    assert [system.label for system in expand(text)] == labels


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("elo:k", "key=value"),
        ("elo:k=16|x", "k is a number; found x"),
        ("elo:j=1|2", "elo has no parameter j"),
        ("ela|elo", "no system ela"),
        ("elo:k=" + "|".join(map(str, range(1, 40))) + ",scale=" + "|".join(map(str, range(300, 340))), "1560 systems"),
    ],
)
def test_what_it_cannot_stand_for_is_told(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        expand(text)


def test_systems_that_differ_in_numbers_alone_share_a_replay() -> None:
    every = [system for text in ASKED for system in expand(text)]
    planned = tiles(every)
    assert sorted(place for tile in planned for place in tile.places) == list(range(len(every)))
    for tile in planned:
        for column, place in enumerate(tile.places):
            single = tile.system.column(column) if tile.system.grid_size else tile.system
            assert single == every[place]
    kinds = [(tile.system.name, len(tile.places)) for tile in planned]
    assert kinds == [("elo", 6), ("naspa", 2), ("glixo", 1), ("glixo", 1), ("wespa", 1)]


def test_words_and_switches_do_not_share_one() -> None:
    assert len(tiles([Naspa(), Naspa(rounding=False), Naspa(variant="nsa2008"), Naspa(floor=1.0)])) == 4


def test_tiles_are_of_a_fixed_size() -> None:
    many = [Elo(k=float(k)) for k in range(1, module.TILE * 2 + 2)]
    assert [len(tile.places) for tile in tiles(many)] == [module.TILE, module.TILE, 1]


def test_every_row_is_that_of_its_system_alone(history: History, table: pd.DataFrame) -> None:
    # elo with k 20 and scale 722 is the current one and stands first, once
    assert table["system"].tolist() == ["elo", *(system.label for text in ASKED for system in expand(text))]
    for row in table.itertuples():
        result = replay(history, row.system)
        alone = score(result, metrics=["log_loss", "brier", "calibration_slope"], resamples=40).iloc[0]
        for metric in ("log_loss", "brier", "calibration_slope"):
            assert getattr(row, metric) == pytest.approx(alone[metric], rel=1e-9)
            assert getattr(row, f"{metric}_se") == pytest.approx(alone[f"{metric}_se"], rel=1e-6)
        listed = result.ratings()
        settled = listed[~listed["provisional"]]
        assert 1 < len(settled) < len(listed)
        assert (row.rated, row.settled) == (len(listed), len(settled))
        assert row.mean == pytest.approx(settled["rating"].mean())
        assert row.sd == pytest.approx(settled["rating"].std(ddof=0))
        assert [row.p10, row.median, row.p90] == pytest.approx(settled["rating"].quantile([0.1, 0.5, 0.9]).tolist())
        drifted = cohort(result, resamples=40)
        assert row.drift == pytest.approx(drifted["change"].iloc[-1])
        assert row.drift_se == pytest.approx(drifted["change_se"].iloc[-1])


def test_differences_are_those_of_the_proposal(history: History, table: pd.DataFrame) -> None:
    first = table.iloc[0]
    assert first["difference"] == 0
    assert np.isnan(first["difference_low"])
    for name in ("elo:k=32", "glixo"):
        row = table[table["system"] == name].iloc[0]
        main = propose(history, "elo", name, resamples=40).main
        assert row[["difference", "difference_low", "difference_high"]].tolist() == pytest.approx(
            main[["difference", "low", "high"]].tolist(), rel=1e-6
        )
    assert table["in_best_set"].any()
    assert table.loc[table["log_loss"].idxmin(), "in_best_set"]


def test_two_workers_make_the_same_bytes(history: History, table: pd.DataFrame) -> None:
    assert as_bytes(variants(history, "elo", ASKED, resamples=40, workers=Workers(2))) == as_bytes(table)


def test_since_and_min_games(history: History) -> None:
    day = f"{history.events['end_date'].iloc[4]:%Y-%m-%d}"
    found = variants(history, "elo", ["elo:k=40"], since=day, min_games=5, resamples=40)
    alone = score(replay(history.between(day, None), "elo:k=40"), metrics=["log_loss"], min_games=5).iloc[0]
    assert found["log_loss"].iloc[1] == pytest.approx(alone["log_loss"])


def test_systems_of_places_by_order() -> None:
    names = [f"Player {c}" for c in "ABCDEF"]
    orders = [names, names[::-1], names[2:] + names[:2], names]
    history = placings_history(
        *[
            Placed({name: i + 1 for i, name in enumerate(order)}, of=6, date=f"2005-0{month}-01")
            for month, order in enumerate(orders, 1)
        ]
    )
    found = variants(history, "dip-pouch", ["dip-pouch:cap=10|30"], resamples=40)
    assert found["system"].tolist() == ["dip-pouch", "dip-pouch:cap=10", "dip-pouch:cap=30"]
    assert found["concordance"].diff().iloc[1] == pytest.approx(found["difference"].iloc[1])


def test_what_cannot_be_judged_is_told(history: History) -> None:
    with pytest.raises(UsageError, match="looks back"):
        variants(history, "elo", ["bradley-terry"])
    with pytest.raises(UsageError, match="none"):
        variants(made_history(Section([[Member("A B", 1500)], [Member("C D", 1400)]], [], 1)), "elo", ["elo:k=40"])


def test_an_undated_event_and_nobody_settled() -> None:
    units = [[Member("Zorn, Ada", 1500, lifetime=3)], [Member("Yarrow, Bea", 1400, lifetime=2)]]
    one = made_history(Section(units, [Game(1, 0, 1, 20, 1.0)], 1))
    undated = pd.Series(pd.NaT, index=one.events.index, dtype=one.events["end_date"].dtype)
    found = variants(replace(one, events=one.events.assign(end_date=undated)), "elo", [parse("elo:k=40")], resamples=40)
    assert found["settled"].tolist() == [0, 0]
    assert found[["mean", "drift", "difference_low"]].isna().all(axis=None)
