"""Glicko and Stephenson's system: the worked example, an oracle, what time does, and workings that add up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from adding import check_workings
from hypothesis import given, settings
from hypothesis import strategies as st
from making import Game, Member, Section, dated, history, sections
from oracles.glicko import g, glicko

from ratinglab.problems import UsageError
from ratinglab.replaying import rate, replay
from ratinglab.systems import Glicko, Stephenson, System, parse

EVERYTHING = Stephenson(c=20, h=12, bonus=0.05, neighbourhood=3, advantage=30, initial_deviation=200)


def worked_example() -> Section:
    """The example of both of Glickman's papers: 1500 ± 200 beats 1400 ± 30, loses to 1550 ± 100 and 1700 ± 300."""
    filed = [("Ada", 1500.0, 200.0), ("Bo", 1400.0, 30.0), ("Cy", 1550.0, 100.0), ("Di", 1700.0, 300.0)]
    units = [[Member(*who)] for who in filed]
    games = [Game(1, 0, 1, 20, 1.0), Game(2, 0, 2, -20, 0.0), Game(3, 0, 3, -20, 0.0)]
    return Section(units, games, 3)


def test_the_worked_example() -> None:
    """1464.1065 ± 151.3989: Glickman's example (he rounds to 1464 ± 151.4), to the digits of the reference page."""
    row = rate(history(worked_example()), "glicko").changes.set_index("player").loc["Ada"]
    assert row["after"] == pytest.approx(1464.1065, abs=1e-4)
    assert row["deviation_after"] == pytest.approx(151.3989, abs=1e-4)


@pytest.mark.parametrize("teams", [False, True])
@pytest.mark.parametrize(
    ("system", "given_to_oracle"),
    [
        (Glicko(), {}),
        (Glicko(initial_deviation=200, c=40, advantage=25), {"initial_deviation": 200, "c": 40, "gamma": 25}),
        (Stephenson(), {"c": 10, "h": 10, "lamda": 2}),
        (EVERYTHING, {"c": 20, "h": 12, "beta": 0.05, "lamda": 3, "gamma": 30, "initial_deviation": 200}),
    ],
    ids=["glicko", "glicko-advantage", "stephenson", "stephenson-everything"],
)
def test_the_oracle_agrees(system: System, given_to_oracle: dict[str, float], teams: bool) -> None:
    @settings(max_examples=40)
    @given(sections(teams=teams))
    def run(section: Section) -> None:
        changes = rate(history(section), system).changes.set_index("player")
        for name, (rating, deviation) in glicko(section, **given_to_oracle).items():
            assert changes.loc[name, "after"] == pytest.approx(rating, abs=1e-8)
            assert changes.loc[name, "deviation_after"] == pytest.approx(deviation, abs=1e-8)

    run()


@pytest.mark.parametrize("teams", [False, True])
@pytest.mark.parametrize("system", [Glicko(), EVERYTHING], ids=lambda s: s.name)
def test_the_workings_add_up(system: System, teams: bool) -> None:
    @settings(max_examples=30)
    @given(st.lists(sections(teams=teams), min_size=1, max_size=2))
    def run(drawn: list[Section]) -> None:
        check_workings(replay(history(*dated(drawn)), system))

    run()


@given(sections(teams=True))
def test_a_deviation_never_grows_in_glickos_update(section: Section) -> None:
    changes = rate(history(section), "glicko").changes
    assert (changes["deviation_after"] <= changes["deviation_before"]).all()
    unplayed = changes["games"] == 0
    assert (changes["after"] == changes["before"])[unplayed].all()
    assert (changes["deviation_after"] == changes["deviation_before"])[unplayed].all()


@given(sections())
def test_stephenson_without_its_additions_is_glicko(section: Section) -> None:
    plain = rate(history(section), Stephenson(c=15, h=0, bonus=0, neighbourhood=0)).changes
    pd.testing.assert_frame_equal(plain, rate(history(section), "glicko").changes)


def test_what_stephensons_additions_do() -> None:
    """Each alone, beside Glicko: h² a game widens, β a game lifts both sides, λ draws to the opponents' mean."""
    section = worked_example()
    plain = rate(history(section), Stephenson(h=0, neighbourhood=0)).changes.set_index("player")
    wider = rate(history(section), Stephenson(h=30, neighbourhood=0)).changes.set_index("player")
    assert (wider["deviation_after"] > plain["deviation_after"]).all()
    paid = rate(history(section), Stephenson(h=0, neighbourhood=0, bonus=0.1)).changes.set_index("player")
    assert (paid["after"] > plain["after"]).all()
    drawn = rate(history(section), Stephenson(h=0, neighbourhood=10)).changes.set_index("player")
    moved = (drawn["after"] - plain["after"]).to_dict()
    assert moved == pytest.approx({"Ada": 5.0, "Bo": 10.0, "Cy": -5.0, "Di": -20.0})


def pair(date: str, *games: Game) -> Section:
    return Section([[Member("A", 1500.0, 50.0)], [Member("B", 1600.0, 60.0)]], games, 1, date=date)


@pytest.mark.parametrize(
    ("system", "date", "grown"),
    [
        ("glicko:c=20", "2024-01-31", 20**2),  # thirty days are one period
        ("glicko:c=20", "2024-01-16", 20**2 / 2),
        ("glicko:c=20", "2024-01-01", 0),
        ("glicko:c=20,period_days=10", "2024-01-31", 3 * 20**2),
        ("glicko:c=0", "2024-01-31", 0),
        ("stephenson:c=20", "2024-01-31", 20**2),
    ],
)
def test_a_deviation_grows_with_the_time_since_the_last_game(system: str, date: str, grown: float) -> None:
    game = Game(1, 0, 1, 10, 1.0)
    changes = replay(history(pair("2024-01-01", game), pair(date, game)), system).changes.set_index("player")
    first, second = (changes[changes["event"] == event] for event in ("e1", "e2"))
    assert first["deviation_before"].tolist() == [50, 60]  # a filed deviation is as of the event
    expected = np.sqrt(first["deviation_after"] ** 2 + grown)
    assert second["deviation_before"].to_dict() == pytest.approx(expected.to_dict(), abs=1e-9)
    assert second["before"].to_dict() == first["after"].to_dict()


def test_waiting_counts_from_the_last_game_and_not_from_an_event_sat_out() -> None:
    game = Game(1, 0, 1, 10, 1.0)
    sat_out = replay(history(pair("2024-01-01", game), pair("2024-01-31"), pair("2024-03-01", game)), "glicko:c=20")
    straight = replay(history(pair("2024-01-01", game), pair("2024-03-01", game)), "glicko:c=20")
    last = sat_out.changes.query("event == 'e3'").reset_index(drop=True).drop(columns="event")
    pd.testing.assert_frame_equal(
        last, straight.changes.query("event == 'e2'").reset_index(drop=True).drop(columns="event")
    )


def test_growth_stops_at_the_limit_and_lowers_nothing() -> None:
    units = [[Member("A", 1500.0, 340.0)], [Member("B", 1500.0, 500.0)], [Member("C")]]
    still = Section(units, [Game(1, 0, 1, 5, 1.0)], 1)
    much = replay(history(still, replace(still, date="2030-01-01")), "glicko:c=100").changes
    assert much["deviation_before"].tolist()[:3] == [340, 500, 350]
    assert much["deviation_before"].tolist()[3:] == [350, pytest.approx(max(350, much["deviation_after"][1])), 350]


def test_a_first_appearance_without_a_filed_deviation_has_waited_one_period() -> None:
    units = [[Member("New")], [Member("Rated", 1600.0)], [Member("Sure", 1600.0, 60.0)]]
    changes = rate(history(Section(units, [Game(1, 0, 1, 5, 1.0)], 1)), "glicko:initial_deviation=200,c=40").changes
    assert changes["deviation_before"].tolist() == [pytest.approx(np.hypot(200, 40))] * 2 + [60]


def test_a_forecast_uses_both_deviations() -> None:
    units = [[Member("A", 1700.0, 120.0)], [Member("B", 1500.0, 90.0)]]
    games = [Game(1, 0, 1, 5, 1.0, 1), Game(2, 0, 1, 5, 1.0, 0), Game(3, 0, 1, 5, 1.0)]
    win = rate(history(Section(units, games, 3)), "glicko:advantage=30").forecasts["win"]
    both = g(np.hypot(120, 90))
    assert win.tolist() == pytest.approx([1 / (1 + 10 ** (-both * (200 + sign * 30) / 400)) for sign in (1, -1, 0)])


def test_the_scale_only_names_the_unit() -> None:
    """Ratings, deviations, c and h in another unit, with the scale in the same unit, are the same system."""
    section = worked_example()
    units = [[replace(member, rating=2 * member.rating, deviation=2 * member.deviation)] for (member,) in section.units]
    one = rate(history(section), Stephenson(h=12))
    two = rate(history(replace(section, units=units)), Stephenson(h=24, scale=800, max_deviation=700))
    np.testing.assert_allclose(two.changes["after"], 2 * one.changes["after"], rtol=1e-12)
    np.testing.assert_allclose(two.changes["deviation_after"], 2 * one.changes["deviation_after"], rtol=1e-12)
    np.testing.assert_allclose(two.forecasts["win"], one.forecasts["win"], rtol=1e-12)


@pytest.mark.parametrize(
    "wrong", ["glicko:c=-1", "glicko:period_days=0", "glicko:scale=0", "glicko:max_deviation=-5", "stephenson:h=-1"]
)
def test_parameters_that_no_rating_can_be_made_with(wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong.partition(":")[2].partition("=")[0]):
        parse(wrong)
