"""The border of a qualification: chances by hand and by symmetry, margins, who would have stood where, and words."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratinglab.dated_lists import DatedLists
from ratinglab.qualifying import ALL, ALTERNATE, BELOW, CURRENT, EXCLUDED, QUALIFIED, Rule, qualify
from ratinglab.reports.qualification_page import border

DAYS = pd.to_datetime(["2012-06-30", "2012-07-31"])


def lists(ratings: list[float], deviations: list[float], games: list[float] | None = None) -> DatedLists:
    """Two lists with the same ratings of p0, p1 …"""
    players = [f"p{i}" for i in range(len(ratings))]
    one = pd.DataFrame({"player": players, "rating": ratings, "deviation": deviations})
    people = pd.DataFrame(
        {"name": None, "games": games or [99.0] * len(players), "window_games": 9.0, "events": 3.0,
         "window_events": 1.0, "last_event": DAYS[0], "provisional": False},
        index=pd.Index(players, name="player", dtype="str"),
    )  # fmt: skip
    return DatedLists(pd.concat([one.assign(list_date=day) for day in DAYS]), people, "tests")


def rule(top: int, **more: object) -> Rule:
    return Rule(top, "2012-06-30", "2012-07-31", **more)  # type: ignore[arg-type]


def test_chances_by_hand() -> None:
    """Two of four: the third lies 60 below the second, √(30² + 40²) = 50, so Φ(-1.2) = 11.5 %."""
    table = qualify(lists([1900, 1700, 1640, 1500], [30, 30, 40, 30]), rule(2)).table
    phi = NormalDist().cdf
    np.testing.assert_allclose(
        table["p_above_border"],
        [phi(260 / 50), phi(60 / 50), phi(-60 / 50), phi(-200 / np.hypot(30, 30))],
        rtol=1e-9,
    )
    assert table["margin"].tolist() == [260, 60, -60, -200]
    assert table["p_in_top"].iloc[0] == pytest.approx(1, abs=0.001)
    # the second place is between these two all but alone
    assert table["p_in_top"].iloc[2] == pytest.approx(phi(-1.2), abs=0.03)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(3, 12))
def test_chances_of_the_best_add_up_to_their_number(seed: int, players: int) -> None:
    rng = np.random.default_rng(seed)
    ratings, deviations = rng.normal(1500, 100, players).tolist(), rng.uniform(20, 90, players).tolist()
    top = int(rng.integers(1, players))
    table = qualify(lists(ratings, deviations), rule(top, by=CURRENT), seed=seed).table
    assert table["p_in_top"].sum() == pytest.approx(top)
    assert (table["status"] == QUALIFIED).sum() == top
    ends = table["p_above_border"].iloc[[top - 1, top]]
    assert ends.sum() == pytest.approx(1)
    assert (table["rank"] == np.arange(1, players + 1)).all()


def test_without_deviations_or_a_border_no_chances() -> None:
    unknown = qualify(lists([1900, 1700, 1640], [30, np.nan, 40]), rule(1))
    assert unknown.table["p_in_top"].isna().all()
    nobody = qualify(lists([1900, 1700], [30, 30]), rule(5))
    assert nobody.border is None
    assert nobody.table[["p_above_border", "p_in_top", "margin"]].isna().all(axis=None)
    assert border(nobody) == ["Only 2 players may qualify, so nobody misses."]


def test_who_is_left_out_would_have_stood_somewhere() -> None:
    made = qualify(lists([1900, 1800, 1700, 1600], [30] * 4, [5, 99, 99, 5]), rule(1, min_games=10, alternates=0))
    table = made.table.set_index("player")
    assert table["would_rank"].dropna().to_dict() == {"p0": 1, "p3": 3}
    assert table["status"].to_dict() == {"p1": QUALIFIED, "p2": BELOW, "p0": EXCLUDED, "p3": EXCLUDED}
    told = " ".join(border(made))
    assert "1 player with a rating for the first 1 is left out: p0." in told
    assert "the first who misses p2 (1700), 100 points short." in told


def test_nobody_meets_the_rule() -> None:
    made = qualify(lists([1900, 1800], [30, 30]), rule(1, min_games=100))
    assert border(made) == ["Nobody on the lists meets the rule."]


def test_level_at_the_border() -> None:
    level = lists([1900, 1700, 1700, 1600], [30] * 4)
    some, everybody = (qualify(level, rule(2, ties=ties)) for ties in ("months", ALL))
    assert [len(one.of(QUALIFIED)) for one in (some, everybody)] == [2, 3]
    assert "who is level; see why." in border(some)[0]
    assert some.of(ALTERNATE)["margin"].iloc[0] == 0
    assert everybody.table["rank"].tolist() == [1, 2, 2, 4]


def test_whole_points_make_ties_that_fractions_would_not() -> None:
    close = lists([1700.4, 1699.6, 1500], [30] * 3)
    assert [len(qualify(close, rule(1, ties=ALL, rounded=rounded)).of(QUALIFIED)) for rounded in (False, True)] == [
        1,
        2,
    ]
