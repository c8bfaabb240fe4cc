"""Elo with the margin of victory: every published pre-game figure of a century, an oracle, seasons, unknown margins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from adding import check_workings
from hypothesis import given, settings
from hypothesis import strategies as st
from making import Game, Member, Section, dated, history, needs_shared, sections
from nfl_history import nfl_history, nfl_table, season_starts, without
from oracles.elo_margin import elo_margin

from ratinglab.problems import UsageError
from ratinglab.replaying import rate, replay
from ratinglab.scheduling import schedule
from ratinglab.systems import EloMargin, parse

# came back after one to four seasons, as nobody's successor
RETURNED = ("CBD", "RAC", "LOU", "CIB", "MNN", "BFF", "LAR")


@needs_shared
@pytest.mark.parametrize("starts", ["all eleven", "four"])
def test_every_published_rating_and_probability(starts: str) -> None:
    """16,810 games, ratings to .001 and probabilities to 2e-6 as published.

    Eleven teams start a season from values that are given; seven of these are also what a reversion to 1300 for each
    season start since the last game makes of the team, and need not be given.
    """
    given_starts = season_starts()
    result = replay(
        nfl_history(given_starts if starts == "all eleven" else without(given_starts, RETURNED)), "elo-margin"
    )
    published = nfl_table()
    changes, forecasts = result.changes, result.forecasts
    assert len(forecasts) == 16_810
    before = changes.assign(team=changes["player"].str[:3].str.strip()).set_index(["event", "team"])["before"]
    for side in ("1", "2"):
        found = before.loc[pd.MultiIndex.from_frame(published[["date", f"team{side}"]])]
        np.testing.assert_allclose(found, published[f"elo{side}"], rtol=0, atol=1e-3)
    win = pd.Series(forecasts["win"].to_numpy(), [forecasts["event"], forecasts["player"].str[:3].str.strip()])
    lost = pd.Series(1 - forecasts["win"].to_numpy(), [forecasts["event"], forecasts["opponent"].str[:3].str.strip()])
    found = pd.concat([win, lost]).loc[pd.MultiIndex.from_frame(published[["date", "team1"]])]
    np.testing.assert_allclose(found, published["elo_prob1"], rtol=0, atol=2e-6)


@needs_shared
def test_seven_of_the_odd_season_starts_are_reversions_to_1300() -> None:
    """The rule for those who missed a season, from the data: (2/3)^seasons of the distance to 1300, to .001."""
    odd = season_starts().set_index(["team", "season"])["elo"]
    changes = replay(nfl_history(without(season_starts(), RETURNED)), "elo-margin").changes
    season = nfl_table().drop_duplicates("date").set_index("date")["season"]
    changes = changes.assign(season=changes["event"].map(season))
    for team in RETURNED:
        (year,) = odd.loc[team].index
        rows = changes[changes["player"] == team]
        last, back = rows[rows["season"] < year].iloc[-1], rows[rows["season"] == year].iloc[0]
        assert year - last["season"] > 1
        assert 1300 + (2 / 3) ** (year - last["season"]) * (last["after"] - 1300) == pytest.approx(back["before"])
        assert back["before"] == pytest.approx(odd[team, year], abs=1e-3)


@pytest.mark.parametrize("teams", [False, True])
def test_the_oracle_agrees(teams: bool) -> None:
    @given(sections(teams=teams))
    def run(section: Section) -> None:
        changes = rate(history(section), "elo-margin").changes.set_index("player")["after"]
        assert changes.to_dict() == pytest.approx(elo_margin(section), abs=1e-9)

    run()


@pytest.mark.parametrize(("word", "margin"), [("least", 1), ("unrated", None)])
def test_a_margin_that_is_not_known(word: str, margin: float | None) -> None:
    system = EloMargin(unknown_margin=word)

    @settings(max_examples=30)
    @given(sections(), st.integers(1, 4))
    def run(section: Section, every: int) -> None:
        games = [replace(game, spread=None) if i % every == 0 else game for i, game in enumerate(section.games)]
        told = history(replace(section, games=games))
        changes = rate(told, system).changes.set_index("player")["after"]
        expected = elo_margin(replace(section, games=games), unknown=margin)
        assert changes.to_dict() == pytest.approx(expected, abs=1e-9)
        notices = system.notices(schedule(told))
        assert len(notices) == bool(games)
        assert all("no known margin" in notice for notice in notices)

    run()


@pytest.mark.parametrize("teams", [False, True])
def test_the_workings_add_up(teams: bool) -> None:
    @settings(max_examples=30)
    @given(st.lists(sections(teams=teams), min_size=1, max_size=2))
    def run(drawn: list[Section]) -> None:
        check_workings(replay(history(*dated(drawn)), EloMargin(season_month=2)))

    run()


@given(sections(whole_ratings=False))
def test_what_one_wins_the_other_loses(section: Section) -> None:
    changes = rate(history(section), "elo-margin").changes
    assert changes["after"].sum() == pytest.approx(changes["before"].sum(), abs=1e-8)


@given(st.integers(1, 300), st.integers(1, 300), st.floats(1000, 2000), st.floats(1000, 2000))
def test_a_larger_win_is_worth_more_and_a_favourites_less(margin: int, more: int, mine: float, theirs: float) -> None:
    def gain(spread: int, rating: float, other: float) -> float:
        units = [[Member("A", rating)], [Member("B", other)]]
        return (
            float(rate(history(Section(units, [Game(1, 0, 1, spread, 1.0)], 1)), "elo-margin").changes["after"][0])
            - rating
        )

    assert gain(margin + more, mine, theirs) > gain(margin, mine, theirs) > 0
    low, high = sorted((mine, theirs))
    assert gain(margin, low, high) >= gain(margin, high, low)


def after_waiting(dates: tuple[str, str], system: str) -> tuple[dict[str, float], dict[str, float]]:
    """Ratings after a first event and before a second one."""
    units = [[Member("A", 1800.0)], [Member("B", 1400.0)]]
    section = Section(units, [Game(1, 0, 1, 7, 1.0)], 1)
    changes = replay(history(*(replace(section, date=date) for date in dates)), system).changes
    table = changes.set_index(["event", "player"])
    return table.loc["e1", "after"].to_dict(), table.loc["e2", "before"].to_dict()


@pytest.mark.parametrize(
    ("first", "second", "system", "target", "times"),
    [
        ("2020-09-10", "2021-06-30", "elo-margin", 1505, 0),
        ("2020-09-10", "2021-07-01", "elo-margin", 1505, 1),
        ("2020-06-30", "2020-07-01", "elo-margin", 1505, 1),
        ("2020-07-01", "2020-07-02", "elo-margin", 1505, 0),
        ("2020-06-30", "2021-07-01", "elo-margin", 1300, 2),
        ("2020-09-10", "2024-12-31", "elo-margin", 1300, 4),
        ("2020-12-31", "2021-01-01", "elo-margin:season_month=1", 1505, 1),
        ("2020-12-01", "2021-11-30", "elo-margin:season_month=12", 1505, 0),
        ("2020-09-10", "2024-12-31", "elo-margin:season_month=0", 1505, 0),
        ("2020-09-10", "2022-12-31", "elo-margin:returning=1505", 1505, 2),
        ("2020-09-10", "2021-12-31", "elo-margin:reversion=0.5,mean=1600", 1600, 1),
    ],
)
def test_seasons_draw_ratings_to_the_mean(first: str, second: str, system: str, target: float, times: int) -> None:
    left, found = after_waiting((first, second), system)
    kept = 0.5 if "reversion" in system else 2 / 3
    expected = {player: target + kept**times * (rating - target) for player, rating in left.items()}
    assert found == (left if times == 0 else pytest.approx(expected, abs=1e-9))


def test_events_without_a_date_start_no_season() -> None:
    units = [[Member("A", 1800.0)], [Member("B", 1400.0)]]
    section = Section(units, [Game(1, 0, 1, 7, 1.0)], 1)
    undated = replace(section, date="NaT")
    table = replay(history(section, undated), "elo-margin").changes.set_index(["event", "player"])
    assert table.loc["e2", "before"].tolist() == table.loc["e1", "after"].tolist()


def test_an_upset_beyond_the_multipliers_range_is_rated() -> None:
    units = [[Member("A", 4200.0)], [Member("B", 900.0)]]
    gains = []
    for rating in (4200.0, 5000.0):
        units[0] = [Member("A", rating)]
        changes = rate(history(Section(units, [Game(1, 0, 1, -10, 0.0)], 1)), "elo-margin").changes
        gains.append(changes["after"][1] - 900)
    assert gains[0] == pytest.approx(20 * np.log(11) * 11, rel=1e-6)
    assert gains[1] == pytest.approx(gains[0], rel=1e-6)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("reversion=1.5", "a share from 0 to 1"),
        ("season_month=13", "a month from 1 to 12"),
        ("season_month=1.5", "whole number"),
        ("unknown_margin=guess", "least, unrated"),
        ("k=-1", "k must be"),
    ],
)
def test_parameters_that_no_rating_can_be_made_with(wrong: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        parse(f"elo-margin:{wrong}")
