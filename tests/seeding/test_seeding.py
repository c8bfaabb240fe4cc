"""Seedings worked by hand, the first round with schools apart, and what may and may not influence the order."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from ratinglab.history import History, Parsed, assemble
from ratinglab.problems import UsageError
from ratinglab.replaying import Replay, replay
from ratinglab.seeding import drawing, seeding
from ratinglab.systems import Elo, Glixo


def history(entries: list[dict[str, object]], games: Sequence[dict[str, object]] = ()) -> History:
    """A history of the events met in the entries, a day apart."""
    names = list(dict.fromkeys(row["event"] for row in entries))
    events = pd.DataFrame({"event": names, "date": pd.date_range("2012-01-01", periods=len(names))})
    tables = {"events": events, "entries": pd.DataFrame(entries)}
    if games:
        tables["games"] = pd.DataFrame(games).assign(round=1, status="played")
    return assemble([Parsed(tables)])


def team(name: str, *members: tuple[str, float | None], **columns: object) -> list[dict[str, object]]:
    return [
        {"event": "final", "section": "A", "team": name, "player": player, "rating": rating, "deviation": 30.0}
        | columns
        for player, rating in members
    ]


def seeded(entries: list[dict[str, object]], seed: int = 0, **options: object) -> pd.DataFrame:
    return seeding.seed(replay(history(entries), Glixo()), "final", seed=seed, **options)


def field(*schools: str | None) -> pd.DataFrame:
    """A seeding that names teams by their seeds."""
    count = len(schools)
    names, ratings = [str(i + 1) for i in range(count)], np.arange(2000.0, 2000.0 - count, -1)
    return pd.DataFrame({"name": names, "school": schools, "rating": ratings})


def first_round(*given: Any, **options: Any) -> pd.DataFrame:
    """The table of the first round."""
    return drawing.first_round(*given, **options).draw


# --- the seeding --------------------------------------------------------------------------------------------------


def test_by_hand() -> None:
    # Two members: max(1700 - 100, (1700 + 1300)/2) = 1600, deviation sqrt(30² + 30²); one member: itself.
    table = seeded(
        [*team("Pair", ("a", 1700), ("b", 1300)), *team("Alone", ("c", 1620)), *team("Even", ("d", 1500), ("e", 1480))]
    )
    assert table["name"].tolist() == ["Alone", "Pair", "Even"]
    assert table["rating"].tolist() == [1620, 1600, 1490]
    assert table["deviation"].tolist() == pytest.approx([30, 30 * 2**0.5, 30 * 2**0.5])
    assert table["p_above_next"].tolist()[:2] == pytest.approx(
        [norm.cdf(20 / (900 + 1800) ** 0.5), norm.cdf(110 / (1800 + 1800) ** 0.5)]
    )
    assert np.isnan(table["p_above_next"].iloc[-1])
    assert table["members"].tolist() == ["c", "a; b", "d; e"]
    assert list(table.columns) == [
        "seed", "name", "members", "school", "rating", "deviation", "p_above_next", "rating_source", "as_of", "note",
    ]  # fmt: skip


def test_strength_is_that_before_the_event_and_source_and_date_are_told() -> None:
    entries = [
        {"event": "first", "section": "A", "player": "a"},
        {"event": "first", "section": "A", "player": "b"},
        *team("One", ("a", None)),
        *team("Two", ("b", None)),
        *team("Three", ("c", 1490.0), rating_kind="local", as_of=pd.Timestamp("2011-05-01")),
        *team("Four", ("d", None)),
    ]
    game = {"event": "first", "section": "A", "player": "a", "opponent": "b"}
    run = replay(history(entries, [game | {"score": 450, "opponent_score": 350, "result": 1.0}]), Glixo())
    table = seeding.seed(run, "final").set_index("name")
    after = run.changes.set_index(["event", "player"])["after"]
    assert table.loc["One", "rating"] == after["first", "a"] > 1500 > after["first", "b"] == table.loc["Two", "rating"]
    assert table["rating_source"].to_dict() == {
        "One": "glixo replay", "Two": "glixo replay", "Three": "filed (local)", "Four": "unrated",
    }  # fmt: skip
    assert table.loc["One", "as_of"] == pd.Timestamp("2012-01-01")
    assert table.loc["Three", "as_of"] == pd.Timestamp("2011-05-01")
    assert pd.isna(table.loc["Four", "as_of"])
    assert table.loc["Four", ["rating", "deviation", "note"]].tolist() == [
        1500, 400, "unrated (no rating filed, no rated game)",
    ]  # fmt: skip


def test_order_of_ties_depends_on_the_seed_alone() -> None:
    """Neither on the order of the file nor on the alphabet: over many seeds each team is first about as often."""
    names = [f"{letter} team" for letter in "abcdefghij"]

    def equals(listed: list[str]) -> Replay:
        entries = [row for i, name in enumerate(listed) for row in team(name, (f"of {name}", None), number=i + 1)]
        return replay(history(entries), Glixo())

    run, turned = equals(names), equals(names[::-1])

    def order(of: Replay, seed: int) -> list[str]:
        return list(seeding.seed(of, "final", seed=seed)["name"])

    assert order(run, 1) == order(turned, 1) == order(run, 1)
    orders = [order(run, seed) for seed in range(80)]
    assert len(set(map(tuple, orders))) > 75
    firsts = pd.Series([first for first, *_ in orders]).value_counts()
    assert len(firsts) == 10  # 8 each, give or take


def test_ties_are_noted_and_a_hair_apart_is_a_tie() -> None:
    table = seeded([*team("A", ("a", 1500.0)), *team("B", ("b", 1500 + 1e-9)), *team("C", ("c", 1400.0))])
    assert table["note"].tolist() == ["equal rating: order by lot"] * 2 + [""]
    assert table["p_above_next"].iloc[0] == pytest.approx(0.5)


def test_public_names_no_member() -> None:
    entries = [*team("Pair", ("Ann", 1700), ("Bob", None)), *team("None", ("Cid", None), ("Dot", None))]
    table = seeded(entries, public=True)
    told = table.to_csv()
    assert not any(name in told for name in ("Ann", "Bob", "Cid", "Dot"))
    assert table.set_index("name")["note"].to_dict() == {
        "Pair": "1 of 2 members unrated (no rating filed, no rated game)",
        "None": "unrated (no rating filed, no rated game)",
    }


def test_withdrawn_members_do_not_count() -> None:
    entries = [
        *team("Pair", ("a", 1700)),
        *team("Pair", ("b", 1300), withdrawn="yes"),
        *team("Gone", ("c", 1900), withdrawn="yes"),
    ]
    table = seeding.seed(replay(seeding.without_withdrawn(history(entries)), Glixo()), "final")
    assert table[["name", "members", "rating"]].to_numpy().tolist() == [["Pair", "a", 1700]]


def test_without_deviation_nothing_is_said_of_the_next() -> None:
    table = seeding.seed(replay(history([*team("A", ("a", 1600)), *team("B", ("b", 1500))]), Elo()), "final")
    assert table["name"].tolist() == ["A", "B"]
    assert table[["deviation", "p_above_next"]].isna().all(axis=None)


def test_unknown_event_and_section() -> None:
    run = replay(history(team("A", ("a", 1600))), Glixo())
    with pytest.raises(UsageError, match="nobody is entered in section B of final"):
        seeding.seed(run, "final", section="B")
    with pytest.raises(UsageError, match="nobody is entered in other"):
        seeding.seed(run, "other")


def test_unplayed_events() -> None:
    entries = [{"event": event, "section": "A", "player": p} for event in ("old", "new") for p in ("a", "b")]
    game = {"event": "old", "section": "A", "player": "a", "opponent": "b", "result": 1.0}
    assert seeding.unplayed(history(entries, [game])) == ["new"]


# --- the first round ----------------------------------------------------------------------------------------------


def pairs(draw: pd.DataFrame) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in zip(draw["player"], draw["opponent"], strict=True) if pd.notna(b)]


def test_halves_meet() -> None:
    draw = first_round(field(*"abcdef"))
    assert pairs(draw) == [(1, 4), (2, 5), (3, 6)]
    assert list(draw.columns) == ["round", "board", "player", "opponent", "first", "gave_way"]
    assert draw["gave_way"].tolist() == ["", "", ""]


def test_schools_apart_moves_as_few_as_possible() -> None:
    draw = first_round(field("x", "b", "c", "x", "e", "f"))
    assert pairs(draw) == [(1, 5), (2, 4), (3, 6)]
    assert draw["gave_way"].tolist() == ["corresponding halves", "corresponding halves", ""]
    assert pairs(first_round(field("x", "b", "c", "x", "e", "f"), schools_apart=False)) == [
        (1, 4),
        (2, 5),
        (3, 6),
    ]


def test_odd_field_lowest_seed_sits_out() -> None:
    draw = first_round(field(*"abcde"))
    assert pairs(draw) == [(1, 3), (2, 4)]
    assert draw.iloc[-1][["board", "player"]].tolist() == [3, "5"]
    assert pd.isna(draw["opponent"].iloc[-1])
    alone = first_round(field("a"))
    assert len(alone) == 1
    assert pd.isna(alone["opponent"].iloc[0])


def test_no_school_no_clash_and_case_is_folded() -> None:
    assert pairs(first_round(field(None, None))) == [(1, 2)]
    assert pairs(first_round(field("X ", "b", "x", "d"))) == [(1, 4), (2, 3)]


def test_a_team_of_two_schools_belongs_to_both() -> None:
    assert pairs(first_round(field("a; b", "c", "b", "d"))) == [(1, 4), (2, 3)]


@pytest.mark.parametrize("chance", range(60))
def test_never_more_than_the_forced_same_school_games(chance: int) -> None:
    """Against every assignment of halves, and the fewest that any pairing at all can have: max(0, k - n/2)."""
    rng = np.random.default_rng(chance)
    half = int(rng.integers(1, 6))
    schools = rng.choice(list("abc"), 2 * half, p=[0.6, 0.2, 0.2])
    draw = first_round(field(*schools))
    own = pairs(draw)
    same = [schools[a - 1] == schools[b - 1] for a, b in own]
    forced = max(0, int(pd.Series(schools).value_counts().max()) - half)
    assert sum(same) == forced
    assert draw["gave_way"].str.contains("same school").tolist() == same
    best = min(
        sum(abs(place - other) for place, other in enumerate(order))
        for order in itertools.permutations(range(half))
        if sum(schools[p] == schools[half + o] for p, o in enumerate(order)) == forced
    )
    assert sum(abs(b - a - half) for a, b in own) == best
