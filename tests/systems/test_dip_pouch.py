"""The Dip Pouch rating: the source's figures, a plain transcription, and what must always hold."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import SHARED, needs_shared
from making_placings import NAMES, Placed, history, placed
from oracles.dip_pouch import dip_pouch

from ratinglab.history import assemble
from ratinglab.problems import UsageError
from ratinglab.replaying import rate, replay
from ratinglab.scheduling import schedule
from ratinglab.systems import DipPouch, make, parse
from ratinglab.systems.dip_pouch import is_world_championship
from ratinglab.systems.workings import RULE, Workings


def after(*events: Placed, system: DipPouch | str = "dip-pouch") -> pd.Series:
    """The last rating of everybody."""
    return replay(history(*events), system).changes.groupby("player", sort=False)["after"].last()


def from_filed(rating: float, event: Placed, system: str = "dip-pouch") -> float:
    """The new rating of the only player of an event, who is filed with a rating."""
    made = history(event)
    entries = made.entries.assign(rating=rating)
    return float(rate(replace(made, entries=entries), system).changes["after"].iloc[0])


class TestPublished:
    """Figures of the source's page."""

    def test_the_worked_example(self) -> None:
        """From 55, 8th of 65: percentile 88.46, value 15 (20.57 before the limit), new rating printed as 60.019."""
        event = Placed({"Ada": 8}, 65)
        changes = rate(history(event), "dip-pouch").changes.iloc[0]
        assert changes["percentile"] == pytest.approx(88.4615, abs=5e-5)
        assert changes["value"] == 15
        assert from_filed(55, event) == pytest.approx(60.01923, abs=5e-6)

    def test_one_round(self) -> None:
        """65 players in one round: 65/7 + 2 = 11.2857 percent."""
        changes = rate(history(Placed({"Ada": 8}, 65, rounds=1)), "dip-pouch").changes.iloc[0]
        assert changes["value"] == pytest.approx(11.2857, abs=5e-5)
        assert changes["after"] == pytest.approx(40 + 0.112857143 * (88.4615385 - 40), abs=1e-6)

    def test_newcomers_at_dixie_33(self) -> None:
        """36 players, three rounds (value printed as 12.29); by the formula 47.20079, 45.83571 (both 5th), 37.64524."""
        event = Placed({"Ada": 1, "Bea": 5, "Cy": 5, "Dot": 29}, 36, 3, "2019-05-26")
        changes = rate(history(event), "dip-pouch").changes
        assert changes["value"].tolist() == pytest.approx([12.2857] * 4, abs=5e-5)
        assert changes["after"].tolist() == pytest.approx([47.20079, 45.83571, 45.83571, 37.64524], abs=5e-6)

    @needs_shared
    def test_every_printed_score_and_value(self) -> None:
        """29 places of Dixie 33, 9 of the Worlds of 2007, and the value of the Worlds of 1998, to two decimals."""
        with (SHARED / "wdd" / "dptr_event_scores.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        shown = 0
        for name in dict.fromkeys(row["event"] for row in rows):
            of_event = [row for row in rows if row["event"] == name]
            head = of_event[0]
            ranked = {f"Player {i}": int(row["rank"] or 1) for i, row in enumerate(of_event)}
            worlds = "World Championship" if name.startswith("World") else None
            event = Placed(ranked, int(head["players_header"]), int(head["rounds"]), head["date"], worlds)
            changes = rate(history(event), "dip-pouch").changes
            assert {f"{value:.2f}" for value in changes["value"]} == {head["coeff1"]}
            for row, percentile in zip(of_event, changes["percentile"], strict=True):
                if row["score_published"]:
                    assert f"{percentile:.2f}" == row["score_published"]
                    shown += 1
        assert shown == 38


@settings(max_examples=60)
@given(st.lists(placed(known=False), min_size=1, max_size=6))
def test_the_transcription_agrees(events: list[Placed]) -> None:
    in_time = sorted(events, key=lambda event: event.date)
    expected = dip_pouch(in_time)
    ratings = after(*events)
    assert set(ratings.index) == set(expected)
    np.testing.assert_allclose(ratings, [expected[name] for name in ratings.index], rtol=0, atol=1e-9)


@settings(max_examples=40)
@given(st.lists(placed(), min_size=1, max_size=5))
def test_a_rating_moves_towards_the_score_and_not_beyond(events: list[Placed]) -> None:
    changes = replay(history(*events), "dip-pouch").changes
    rated = changes[changes["place"].notna()]
    low, high = np.minimum(rated["before"], rated["percentile"]), np.maximum(rated["before"], rated["percentile"])
    assert ((rated["after"] >= low - 1e-9) & (rated["after"] <= high + 1e-9)).all()
    moved = rated[rated["value"] > 0]
    assert (np.sign(moved["after"] - moved["before"]) == np.sign(moved["percentile"] - moved["before"])).all()
    unranked = changes[changes["place"].isna()]
    assert (unranked["after"] == unranked["before"]).all()
    assert changes["after"].between(0, 100).all()


@given(placed(), st.data())
def test_a_better_place_never_hurts(event: Placed, data: st.DataObject) -> None:
    ranked = [name for name, place in event.places.items() if place is not None]
    if not ranked:
        return
    name = data.draw(st.sampled_from(ranked))
    better = data.draw(st.integers(1, event.places[name]))
    moved = replace(event, places={**event.places, name: better})
    assert after(moved)[name] >= after(event)[name]
    others = [other for other in event.places if other != name]
    pd.testing.assert_series_equal(after(moved)[others], after(event)[others])


@given(st.lists(placed(), min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_time_orders_the_events_and_the_files_do_not(events: list[Placed], random) -> None:
    dated = [replace(event, date=f"2010-0{i}-01") for i, event in enumerate(events, 1)]
    mixed = random.sample(dated, len(dated))
    pd.testing.assert_series_equal(after(*dated).sort_index(), after(*mixed).sort_index(), rtol=1e-14)


def test_the_order_in_time_matters() -> None:
    first, last = Placed({"Ada": 1}, 40, date="2010-01-01"), Placed({"Ada": 40}, 40, date="2010-02-01")
    turned = (replace(first, date=last.date), replace(last, date=first.date))
    assert after(first, last)["Ada"] < after(*turned)["Ada"]  # the last event counts most


GRIDS = [
    DipPouch(initial=(30, 40, 50)),
    DipPouch(cap=(5, 10, 15), worlds=(10, 20, 30)),
    DipPouch(one_round=(7, 5, 3), more_rounds=(3.5, 5, 3), base=(0, 2, 4)),
    DipPouch(cutoff=(0, 2001, 2010)),
]


@pytest.mark.parametrize("grid", GRIDS, ids=range(len(GRIDS)))
def test_a_grid_holds_the_single_systems(grid: DipPouch) -> None:
    @settings(max_examples=15)
    @given(st.lists(placed(known=False), min_size=1, max_size=4))
    def run(events: list[Placed]) -> None:
        prepared = schedule(history(*events), rates="placings")
        whole = replay(prepared, grid)
        for index in range(3):
            single, column = replay(prepared, grid.column(index)), whole.column(index)
            pd.testing.assert_frame_equal(column.changes, single.changes, rtol=0, atol=1e-12)
            pd.testing.assert_frame_equal(column.segments, single.segments, rtol=0, atol=1e-12)

    run()


@settings(max_examples=40)
@given(st.lists(placed(known=False), min_size=1, max_size=4))
def test_workings_add_up(events: list[Placed]) -> None:
    system = DipPouch(cap=(10, 15))
    prepared = schedule(history(*events), rates="placings")
    known = replay(prepared, system)
    for batch in prepared.batches:
        told = batch.told_from_both_sides
        workings = Workings()
        before = {"rating": known.before["rating"][batch.entries]}
        update = system.update(before, told, workings)
        np.testing.assert_allclose(update.state["rating"], system.update(before, batch).state["rating"], atol=1e-9)
        points = sum(step.columns["points"] for step in workings.steps if step.kind == RULE)
        np.testing.assert_allclose(update.state["rating"] - before["rating"], points, rtol=0, atol=1e-9)


class TestChain:
    """What one event leaves to the next."""

    def test_places_go_on_without_any_game(self) -> None:
        changes = replay(
            history(*[Placed({"Ada": 1}, 30, date=f"2010-0{i}-01") for i in (1, 2, 3)]), "dip-pouch"
        ).changes
        assert changes["before"].tolist() == [40, *changes["after"].tolist()[:2]]
        assert changes["after"].is_monotonic_increasing

    def test_a_schedule_of_games_is_made_anew(self) -> None:
        made = history(*[Placed({"Ada": 1}, 30, date=f"2010-0{i}-01") for i in (1, 2)])
        by_games, by_places = (replay(schedule(made, rates=rates), "dip-pouch") for rates in ("games", "placings"))
        pd.testing.assert_frame_equal(by_games.changes, by_places.changes)
        assert by_places.changes["before"].iloc[1] > 40
        with pytest.raises(UsageError, match="rates must be one of games, placings"):
            schedule(made, rates="boards")

    def test_a_filed_rating_starts_and_does_not_return(self) -> None:
        made = history(Placed({"Ada": 1}, 30), Placed({"Ada": 1}, 30, date="2010-06-01"))
        changes = replay(replace(made, entries=made.entries.assign(rating=70.0)), "dip-pouch").changes
        assert changes["before"].tolist() == [70, changes["after"].iloc[0]]

    def test_the_first_place_counts_after_entries_without_one(self) -> None:
        events = [Placed({"Ada": None, "Bea": 1}, 30), Placed({"Ada": 1, "Bea": 2}, 30, date="2010-06-01")]
        changes = replay(history(*events), "dip-pouch").changes.set_index(["event", "player"])
        assert changes.loc[("p2", "Ada"), "before"] == 40
        assert changes.loc[("p2", "Bea"), "before"] == changes.loc[("p1", "Bea"), "after"]


class TestValue:
    """When an event counts, and what is told of it."""

    @pytest.mark.parametrize(
        ("championship", "worlds"),
        [("World", True), ("worlds", True), ("WDC", True), (" World Championship ", True), ("DipCon; WDC", True),
         ("European", False), ("North American", False), ("yes", False), ("Underworld Cup", False), (None, False)],
    )  # fmt: skip
    def test_which_championships_are_worlds(self, championship: str | None, worlds: bool) -> None:
        assert is_world_championship(championship or "") == worlds
        event = Placed({"Ada": 1}, 20, date="1998-07-06", championship=championship)
        assert after(event)["Ada"] == (pytest.approx(40 + 0.2 * 57.5) if worlds else 40)

    def test_the_cutoff_goes_by_the_last_day(self) -> None:
        made = history(Placed({"Ada": 1}, 20, date="2000-12-31"))
        assert replay(made, "dip-pouch").changes["value"].iloc[0] == 0
        later = replace(made, events=made.events.assign(end_date=pd.Timestamp("2001-01-01").as_unit("us")))
        assert replay(later, "dip-pouch").changes["value"].iloc[0] > 0
        assert replay(made, "dip-pouch:cutoff=1900").changes["value"].iloc[0] > 0

    def test_what_is_not_known_is_not_rated_and_told(self) -> None:
        events = [
            Placed({"Ada": 1}, None),
            Placed({"Ada": 1}, 30, rounds=None, date="2010-06-01"),
            Placed({"Ada": 9, "Bea": 1}, 8, date="2010-07-01"),
            Placed({"Ada": 1}, 30, date=None, championship="yes"),
        ]
        result = replay(history(*events), "dip-pouch")
        assert result.changes.loc[result.changes["player"] == "Ada", "value"].isna().tolist() == [True] * 3 + [False]
        told = result.system.notices(result.schedule)
        for words, event in (
            ("number of players", 1),
            ("number of rounds", 2),
            ("place", 3),
            ("date", 4),
            ("named", 4),
        ):
            assert any(words in line and line.endswith(f": p{event}") for line in told), (words, told)
        assert len(told) == 5
        assert result.ratings()["events"].tolist() == [1, 1]

    def test_a_history_without_places_is_told(self) -> None:
        result = replay(history(Placed({"Ada": None}, 30)), "dip-pouch")
        assert result.system.notices(result.schedule) == ["dip-pouch: nothing is rated, no event has places"]

    def test_unknown_rounds_do_not_matter_where_the_limit_holds(self) -> None:
        changes = replay(history(Placed({"Ada": 1}, 91, rounds=None)), "dip-pouch")
        assert changes.changes["value"].tolist() == [15]
        assert changes.system.notices(changes.schedule) == []
        early = replay(history(Placed({"Ada": 1}, 30, rounds=None, date="1999-01-01")), "dip-pouch")
        assert early.changes["value"].tolist() == [0]

    def test_players_without_an_event_of_value_are_not_listed(self) -> None:
        events = [Placed({"Ada": 1, "Bea": 2}, 30, date="1999-01-01"), Placed({"Bea": 1}, 30)]
        assert replay(history(*events), "dip-pouch").ratings()["player"].tolist() == ["Bea"]

    def test_a_long_list_of_events_is_cut(self) -> None:
        many = [Placed({"Ada": 1}, None, date=f"2010-0{i}-01") for i in range(1, 6)]
        result = replay(history(*many), "dip-pouch")
        assert result.system.notices(result.schedule) == [
            "dip-pouch: not rated, the number of players is not known: p1, p2, p3 and 2 more"
        ]


@pytest.mark.parametrize(
    "setting", ["cap=-1", "cap=101", "worlds=150", "one_round=0", "more_rounds=-3.5", "base=-1", "initial=x", "k=3"]
)
def test_wrong_parameters(setting: str) -> None:
    with pytest.raises(UsageError):
        parse(f"dip-pouch:{setting}")


def test_it_is_known_by_name_and_forecasts_no_games() -> None:
    assert isinstance(make("dip-pouch", {"cap": "12"}), DipPouch)
    with pytest.raises(UsageError, match="how likely a win is"):
        replay(history(Placed({"Ada": 1}, 30)), "dip-pouch").forecasts  # noqa: B018


def test_an_empty_history() -> None:
    result = replay(assemble([]), "dip-pouch")
    assert len(result.changes) == 0
    assert result.system.notices(result.schedule) == []


def names(events: Sequence[Placed]) -> set[str]:
    return {name for event in events for name in event.places}


@given(st.lists(placed(), min_size=1, max_size=3))
def test_everybody_entered_has_a_row(events: list[Placed]) -> None:
    assert set(replay(history(*events), "dip-pouch").changes["player"]) == names(events) <= set(NAMES)
