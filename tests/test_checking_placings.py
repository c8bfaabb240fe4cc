"""Checking placings: places that cannot be, ties, gaps, numbers that contradict each other, one event twice."""

from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratinglab.checking import check
from ratinglab.formats import load
from ratinglab.formats.common import frame
from ratinglab.history import Parsed, assemble

EVENTS = "event,date,players\ne,2024-01-05,{}\n"


def found(folder, *places, players=10, events=None):
    rows = "".join(f"e,Person {chr(65 + i)},{place}\n" for i, place in enumerate(places))
    (folder / "placings.csv").write_text("event,player,place\n" + rows)
    (folder / "events.csv").write_text(EVENTS.format(players) if events is None else events)
    problems = [p for p in check(load(folder)) if "one spelling" not in p.expected]
    return [str(p).replace(f"{folder.as_posix()}/", "") for p in problems]


@pytest.mark.parametrize(
    ("players", "places"),
    [
        (5, (1, 2, 3, 4, 5)),
        (5, (1, 2, 2, 4, 4)),
        (10, (1, 2, 2, 4, 9)),
        (3, (2,)),
        (5, (1, 2, "", "", "")),
        (5, (5, 1, 2)),
    ],
)
def test_ties_gaps_and_rows_left_out_are_legal(tmp_path, players, places):
    assert found(tmp_path, *places, players=players) == []


def test_a_place_beyond_the_number_of_players(tmp_path):
    assert found(tmp_path, 1, 11) == [
        "placings.csv:3: error: expected a place from 1 to 10 in e; found 11 of 'Person B'"
    ]


def test_places_after_a_tie_that_are_not_skipped(tmp_path):
    assert found(tmp_path, 1, 2, 2, 3, 4) == [
        "placings.csv:5: warning: expected place 4 or later in e with 3 players placed before; "
        "found 3 of 'Person D' (and more on line 6)"
    ]


def test_a_gap_where_everybody_has_a_place(tmp_path):
    """The two who tie have been given the worst place of the tie, not the best."""
    assert found(tmp_path, 1, 3, 3, players=3) == [
        "placings.csv:3: warning: expected place 2 in e, where each of the 3 players has a place; "
        "found 3 of 'Person B' as the next one"
    ]


def test_more_rows_than_players(tmp_path):
    assert found(tmp_path, 1, 2, 3, players=2)[:1] == [
        "placings.csv:2: error: expected at most 2 players in the placings of e; found 3"
    ]


def test_no_place_at_all(tmp_path):
    assert found(tmp_path, "", "") == ["placings.csv:2: warning: expected a place of somebody in e; found none"]


def test_two_numbers_of_players(tmp_path):
    (tmp_path / "events.csv").write_text(EVENTS.format(10))
    (tmp_path / "placings.csv").write_text("event,player,place,of\ne,Ada,1,10\ne,Bo,2,12\n")
    assert [str(p).split("placings.csv")[1] for p in check(load(tmp_path))] == [
        ":3: error: expected one number of players in e; found 10 and 12"
    ]


def test_no_number_of_players(tmp_path):
    found(tmp_path, 1, 2)
    history = load(tmp_path)
    unknown = replace(history, placings=history.placings.assign(of=pd.Series([pd.NA] * 2, dtype="Int64")))
    told = [p for p in check(unknown) if p.expected == "the number of players of e (players in events.csv)"]
    assert [(p.severity, p.found) for p in told] == [("warning", "none; its places are not rated")]


def test_one_event_read_twice(tmp_path):
    rows = "".join(f"{event},{player},{place}\n" for event in "ef" for place, player in ((1, "Ada"), (2, "Bo")))
    (tmp_path / "placings.csv").write_text("event,player,place\n" + rows)
    for days, told in ((("05", "05"), 1), (("05", "06"), 0), (("05", ""), 1)):
        listed = "".join(f"{e},{f'2024-01-{d}' if d else ''},2\n" for e, d in zip("ef", days, strict=True))
        (tmp_path / "events.csv").write_text("event,date,players\n" + listed)
        same = [p for p in check(load(tmp_path)) if p.expected == "each event once"]
        assert len(same) == told


def test_a_later_event_read_twice_has_the_order_of_an_earlier_one(tmp_path):
    """The same few players finish alike year by year; only the last year is read twice."""
    (tmp_path / "placings.csv").write_text("event,player,place\n" + "".join(f"{e},Ada,1\n" for e in "efg"))
    days = zip("efg", ("2023-01-05", "2024-01-05", "2024-01-05"), strict=True)
    (tmp_path / "events.csv").write_text("event,date,players\n" + "".join(f"{e},{day},2\n" for e, day in days))
    (same,) = [p for p in check(load(tmp_path)) if p.expected == "each event once"]
    assert same.found.startswith("g, with the placings of f in ")


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_whoever_ranks_by_score_has_places_without_fault(scores):
    """Places are counted as the source says: one more than the players with a better score."""
    placings = [
        {
            "event": "e",
            "player": f"Player {i} {'x' * i}",
            "of": len(scores),
            "place": 1 + sum(s > score for s in scores),
        }
        for i, score in enumerate(scores)
    ]
    events = [{"event": "e", "date": pd.Timestamp("2024-01-05"), "kind": "placings", "players": len(scores)}]
    assert not check(assemble([Parsed({"events": frame("events", events), "placings": frame("placings", placings)})]))
