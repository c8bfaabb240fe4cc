"""The replay: order, starting points, lifetime games, and that no forecast has seen its own event."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import Game, Member, Section, dated, history, outcome, sections

from ratinglab.history import Parsed, assemble
from ratinglab.problems import UsageError
from ratinglab.replaying import rate, replay
from ratinglab.scheduling import schedule

SYSTEMS = ["elo", "glixo", "naspa", "nsa"]


def two_players(*filed: tuple[float | None, float | None], spread: int = 100, **more) -> list[Section]:
    """One event for each pair of filed ratings, a game between A and B in each."""
    return [
        Section(
            [[Member("A", a)], [Member("B", b)]],
            [Game(1, 0, 1, spread, outcome(spread))],
            1,
            date=f"2024-0{i}-01",
            **more,
        )
        for i, (a, b) in enumerate(filed, 1)
    ]


@settings(max_examples=40)
@given(st.lists(sections(max_rounds=20), min_size=2, max_size=4), st.data())
def test_no_forecast_sees_its_own_event_or_a_later_one(drawn: list[Section], data: st.DataObject) -> None:
    events = dated(drawn)
    from_event = data.draw(st.integers(0, len(events) - 1))

    def other(game: Game) -> Game:
        spread = data.draw(st.integers(-300, 300))
        return replace(game, spread=spread, result=outcome(spread))

    changed = [
        section if i < from_event else replace(section, games=[other(game) for game in section.games])
        for i, section in enumerate(events)
    ]
    prepared = [schedule(history(*of)) for of in (events, changed)]
    seen = [f"e{i + 1}" for i in range(from_event + 1)]
    for system in [*SYSTEMS, "coco", "elo-margin", "fide", "glicko", "glicko2", "stephenson", "uscf"]:
        one, two = (replay(each, system).forecasts for each in prepared)
        told = [c for c in one.columns if c not in ("result", "spread")]
        rows = one["event"].isin(seen)
        pd.testing.assert_frame_equal(one.loc[rows, told], two.loc[rows, told], obj=system)


def test_somebody_in_two_sections_of_one_event_is_forecast_from_before_it() -> None:
    def tables(first_result: float) -> Parsed:
        games = [("A", "B", "x", first_result), ("B", "C", "y", 1.0)]
        return Parsed(
            {
                "events": pd.DataFrame({"event": ["e"], "date": [pd.Timestamp("2024-01-01")]}),
                "games": pd.DataFrame(
                    [
                        {
                            "event": "e",
                            "section": section,
                            "round": 1,
                            "player": a,
                            "opponent": b,
                            "score": 400 + 100 * (result - 0.5),
                            "opponent_score": 400.0,
                            "result": result,
                            "status": "played",
                            "rated": 1,
                        }
                        for a, b, section, result in games
                    ]
                ),
            }
        )

    for system in SYSTEMS:
        one, two = (replay(assemble([tables(result)]), system) for result in (0.0, 1.0))
        assert one.forecasts["win"].tolist() == two.forecasts["win"].tolist()
        # while the rating goes on from one section to the next
        b = one.changes[one.changes["player"] == "B"]
        assert b["before"].iloc[1] == b["after"].iloc[0]


def test_the_first_appearance_starts_from_the_filed_rating_and_later_ones_from_the_chain() -> None:
    changes = replay(history(*two_players((1700.0, None), (1900.0, 1200.0))), "elo").changes
    a, b = (changes[changes["player"] == name] for name in "AB")
    assert a["before"].iloc[0] == 1700
    assert a["before"].iloc[1] == a["after"].iloc[0]
    assert b["before"].tolist() == [1500, b["after"].iloc[0]]


def test_a_fresh_start_ignores_filed_ratings() -> None:
    changes = replay(history(*two_players((1700.0, 1200.0), (1900.0, 1200.0))), "glixo", start="fresh").changes
    assert changes["before"].iloc[:2].tolist() == [1500, 1500]
    with pytest.raises(UsageError, match="filed, fresh"):
        replay(history(), "glixo", start="new")


def test_an_entry_without_a_rating_or_a_game_leaves_the_start_open() -> None:
    sections = [
        Section([[Member("A")], [Member("B", 1400.0)], [Member("C", 1400.0)]], [Game(1, 1, 2, 5, 1.0)], 1),
        Section([[Member("A", 1700.0)], [Member("B")]], [Game(1, 0, 1, 5, 1.0)], 1, date="2024-02-01"),
    ]
    changes = replay(history(*sections), "elo").changes.set_index(["event", "player"])
    assert changes.loc[("e2", "A"), "before"] == 1700


def test_rate_takes_each_event_from_its_own_file() -> None:
    changes = rate(history(*two_players((1700.0, None), (1900.0, 1200.0))), "elo").changes
    assert changes["before"].tolist() == [1700, 1500, 1900, 1200]


def test_entrants_without_a_rated_game_have_a_row_and_keep_their_rating() -> None:
    section = Section([[Member("A", 1700.0)], [Member("B", 1600.0)], [Member("C")]], [Game(1, 0, 1, 5, 1.0)], 1)
    changes = rate(history(section), "naspa").changes.set_index("player")
    assert changes.loc["C", "games"] == 0
    assert np.isnan(changes.loc["C", "after"])  # not rated, and nothing made up
    assert rate(history(section), "glixo").changes.set_index("player").loc["C", "after"] == 1500


def test_events_are_taken_in_time_order_and_undated_ones_last() -> None:
    sections = two_players((None, None), (None, None), (None, None))
    made = history(
        *[replace(s, date=d) for s, d in zip(sections, ("2024-03-01", "2024-01-01", "2024-02-01"), strict=True)]
    )
    assert made.events["event"].tolist() == ["e2", "e3", "e1"]
    undated = assemble([Parsed({"events": pd.DataFrame({"event": ["x"]})}), Parsed(made.tables())])
    assert undated.events["event"].tolist() == ["e2", "e3", "e1", "x"]


class TestLifetimeGames:
    """K falls from 30 to 20 at fifty lifetime games, so the change tells how many were counted."""

    @staticmethod
    def k(changes: pd.DataFrame, event: str) -> float:
        row = changes.set_index(["event", "player"]).loc[(event, "A")]
        return row["base"] / (row["wins"] - row["expected"])

    def test_they_advance_with_the_history(self) -> None:
        games = [Game(r, 0, 1, 0, 0.5) for r in range(1, 11)]
        drawn = [
            Section([[Member("A", 1500.0, lifetime=45)], [Member("B", 1400.0)]], games, 10),
            Section([[Member("A", 1500.0)], [Member("B", 1400.0)]], games, 10, date="2024-02-01"),
        ]
        changes = replay(history(*drawn), "naspa:rounding=off").changes
        assert self.k(changes, "e1") == pytest.approx(30)
        assert self.k(changes, "e2") == pytest.approx(20)

    def test_a_filed_number_replaces_the_count(self) -> None:
        games = [Game(r, 0, 1, 0, 0.5) for r in range(1, 11)]
        drawn = [
            Section([[Member("A", 1500.0, lifetime=200)], [Member("B", 1400.0)]], games, 10),
            Section([[Member("A", 1500.0, lifetime=30)], [Member("B", 1400.0)]], games, 10, date="2024-02-01"),
        ]
        assert self.k(replay(history(*drawn), "naspa").changes, "e2") == pytest.approx(30)

    def test_a_rated_player_without_a_number_counts_as_experienced(self) -> None:
        assert self.k(replay(history(*two_players((1500.0, 1400.0))), "naspa").changes, "e1") == pytest.approx(20)

    def test_a_newcomer_to_the_history_starts_at_none(self) -> None:
        changes = replay(history(*two_players((None, 1400.0), (None, 1400.0), spread=-100)), "naspa").changes
        assert self.k(changes, "e2") == pytest.approx(30)


class TestRatings:
    """The rating list."""

    def test_as_of_a_date(self) -> None:
        result = replay(history(*two_players((1500.0, 1400.0), (None, None), (None, None))), "elo")
        early, late = result.ratings(as_of="2024-01-31"), result.ratings()
        changes = result.changes.set_index(["event", "player"])
        assert early.set_index("player").loc["A", "rating"] == changes.loc[("e1", "A"), "after"]
        assert late.set_index("player").loc["A", "rating"] == changes.loc[("e3", "A"), "after"]
        assert early["games"].tolist() == [1, 1]
        assert late["last_event"].dt.strftime("%Y-%m-%d").tolist() == ["2024-03-01"] * 2

    def test_minimum_games(self) -> None:
        result = replay(history(*two_players((1500.0, 1400.0), (None, None))), "elo")
        assert len(result.ratings(min_games=2)) == 2
        assert len(result.ratings(min_games=3)) == 0

    def test_the_peak_is_the_highest_after_any_event(self) -> None:
        up, down = two_players((1500.0, 1400.0), (None, None))
        down = replace(down, games=[Game(r, 0, 1, -200, 0.0) for r in (1, 2, 3)], rounds=3)
        result = replay(history(up, down), "elo")
        listed = result.ratings().set_index("player")
        assert listed.loc["A", "peak"] == result.changes.loc[0, "after"] > listed.loc["A", "rating"]

    def test_provisional_and_active(self) -> None:
        new, old = Member("N", 1500.0, lifetime=3), Member("O", 1500.0, lifetime=300)
        first = Section([[new], [old]], [Game(1, 0, 1, 5, 1.0)], 1, date="2020-01-01")
        later = Section([[Member("P", 1500.0)], [old]], [Game(1, 0, 1, 5, 1.0)], 1, date="2024-01-01")
        listed = replay(history(first, later), "elo").ratings().set_index("player")
        assert listed["provisional"].to_dict() == {"N": True, "O": False, "P": False}
        assert listed["active"].to_dict() == {"N": False, "O": True, "P": True}

    def test_a_system_says_when_a_rating_is_settled(self) -> None:
        """US Chess calls a rating established that rests on more than 25 games."""
        units = [[Member(f"{games} before", 1500.0, lifetime=games)] for games in (24, 25)]
        of = history(Section(units, [Game(1, 0, 1, 5, 1.0)], 1))
        for system, provisional in (
            ("uscf", [True, False]),
            ("uscf:established_games=30", [True] * 2),
            ("elo", [True] * 2),
        ):
            listed = replay(of, system).ratings().set_index("player")
            assert listed.loc[["24 before", "25 before"], "provisional"].tolist() == provisional

    def test_who_fell_below_the_floor_is_not_listed_with_the_rating_before(self) -> None:
        """Under FIDE's rules a rating below 1400 is none: 1405 after the first event, unrated after the second."""
        units = [[Member("Low", 1410.0, lifetime=50)], [Member("High", 1600.0, lifetime=50)]]
        once = Section(units, [Game(1, 0, 1, -5, 0.0)], 1, date="2024-01-01")
        twice = replace(once, games=[Game(r, 0, 1, -5, 0.0) for r in (1, 2)], rounds=2, date="2024-02-01")
        result = replay(history(once, twice), "fide")
        assert result.ratings(as_of="2024-01-31")["player"].tolist() == ["High", "Low"]
        assert result.ratings()["player"].tolist() == ["High"]

    def test_equal_ratings_share_a_rank(self) -> None:
        listed = replay(history(*two_players((1500.0, 1500.0), spread=0)), "elo").ratings()
        assert listed["rank"].tolist() == [1, 1]


def test_tables_of_a_grid_are_refused_with_advice() -> None:
    from ratinglab.systems import Elo

    with pytest.raises(UsageError, match="column"):
        _ = replay(history(*two_players((1500.0, 1400.0))), Elo(k=(10, 20))).changes


def test_an_unknown_spread_is_forecast_and_not_rated_under_glixo() -> None:
    section = Section([[Member("A", 1500.0)], [Member("B", 1400.0)]], [Game(1, 0, 1, None, 1.0)], 1)
    result = rate(history(section), "glixo")
    assert len(result.forecasts) == 1
    assert result.changes["after"].tolist() == [1500, 1400]
    assert result.system.notices(result.schedule)
    assert rate(history(section), "naspa").changes["after"].tolist() != [1500, 1400]


def test_progress_counts_every_game() -> None:
    told = []
    replay(history(*two_players((1500.0, 1400.0), (None, None))), "elo", progress=lambda *at: told.append(at))
    assert told[-1] == (2, 2)


def test_a_history_without_games_gives_empty_tables() -> None:
    empty = history(Section([[Member("A", 1500.0)]], [], 1))
    for system in SYSTEMS:
        result = replay(empty, system)
        assert len(result.forecasts) == 0
        assert len(result.ratings()) == 0
        assert len(result.changes) == 1
    assert len(replay(assemble([]), "glixo").changes) == 0


def test_a_schedule_can_be_prepared_once() -> None:
    made = history(*two_players((1500.0, 1400.0), (None, None)))
    prepared = schedule(made)
    pd.testing.assert_frame_equal(replay(prepared, "glixo").changes, replay(made, "glixo").changes)


class TestOnePersonTwice:
    """Nobody can play twice at once, so nobody's games are counted twice and no rating is made up."""

    def test_two_entries_of_one_name(self) -> None:
        section = Section(
            [[Member("A", 1500.0)], [Member("B", 1400.0)], [Member("A", 1700.0)]], [Game(1, 0, 1, 50, 1.0)], 1
        )
        for system in SYSTEMS:
            changes = replay(history(section, replace(section, date="2024-02-01")), system).changes
            assert changes["player"].tolist()[:3] == ["A", "B", "A (no. 3)"]
            assert changes["games"].tolist()[:3] == [1, 1, 0]
            assert changes["after"].between(1000, 2000).all()
        assert any("A (no. 3)" in problem.found for problem in history(section).problems)

    def test_one_child_in_two_teams(self) -> None:
        teams = [[Member("Kid", 1500.0), Member("X", 1400.0)], [Member("Kid", 1500.0)], [Member("Y", 1450.0)]]
        games = [Game(1, 0, 2, 50, 1.0), Game(2, 1, 2, 50, 1.0)]
        changes = replay(history(Section(teams, games, 2, teams=True)), "glixo").changes
        assert changes["player"].tolist() == ["Kid", "X", "Kid (no. 2)", "Y"]
        assert (changes["deviation_after"] > 0).all()

    def test_an_alias_of_somebody_in_the_same_section_keeps_them_apart(self) -> None:
        drawn = Section([[Member("Ann", 1500.0)], [Member("Bob", 1400.0)]], [Game(1, 0, 1, 50, 1.0)], 1)
        made = history(drawn)
        joined = assemble(
            [Parsed(made.tables()), Parsed({"aliases": pd.DataFrame({"alias": ["Bob"], "player": ["Ann"]})})]
        )
        changes = replay(joined, "elo").changes
        assert changes["player"].tolist() == ["Ann", "Ann (as Bob)"]
        assert changes["games"].tolist() == [1, 1]

    def test_an_alias_mends_a_slip_in_one_round(self) -> None:
        games = pd.DataFrame(
            {
                "event": "e",
                "round": [1, 2],
                "player": ["Ann", "Anm"],
                "opponent": "Bob",
                "score": [400.0, 390.0],
                "opponent_score": 380.0,
                "result": 1.0,
                "status": "played",
                "rated": 1,
            }
        )
        tables = {"events": pd.DataFrame({"event": ["e"]}), "games": games}
        tables["aliases"] = pd.DataFrame({"alias": ["Anm"], "player": ["Ann"]})
        changes = replay(assemble([Parsed(tables)]), "elo").changes
        assert changes[["player", "games"]].to_numpy().tolist() == [["Ann", 2], ["Bob", 2]]

    def test_a_lone_player_beside_teams_is_the_person_known_elsewhere(self) -> None:
        alone = Section([[Member("Riota Zondova", 1500.0)], [Member("B", 1400.0)]], [Game(1, 0, 1, 50, 1.0)], 1)
        made = history(alone)
        entries = pd.DataFrame(
            {"event": "x", "player": ["Zondova, Riota", "C"], "team": [None, "T"], "rating": [None, 1400.0]}
        )
        game = {"event": "x", "round": 1, "player": "Zondova, Riota", "opponent": "T", "score": 400.0}
        game |= {"opponent_score": 380.0, "result": 1.0, "status": "played", "rated": 1}
        events = pd.DataFrame({"event": ["x"], "date": [pd.Timestamp("2024-05-01")]})
        second = Parsed({"events": events, "entries": entries, "games": pd.DataFrame([game])})
        changes = replay(assemble([Parsed(made.tables()), second]), "elo").changes
        riota = changes[changes["player"] == "Riota Zondova"]
        assert riota["games"].tolist() == [1, 1]
        assert riota["before"].iloc[1] == riota["after"].iloc[0]


def test_waiting_is_counted_once_whatever_is_entered_meanwhile() -> None:
    units = [[Member("A", 1500.0, 50.0)], [Member("B", 1500.0, 50.0)]]
    played = Section(units, [Game(1, 0, 1, 10, 1.0)], 1)
    entered = Section(units, [], 1, date="2024-02-01")
    later = replace(played, date="2024-03-01")
    system = "glixo:growth=linear"
    one = replay(history(played, later), system).changes
    two = replay(history(played, entered, later), system).changes
    assert two["deviation_before"].iloc[-1] == pytest.approx(one["deviation_before"].iloc[-1], abs=1e-12)


def test_rounds_beyond_the_schedule_belong_to_the_last_segment() -> None:
    games = [Game(r, 0, 1, 30, 1.0) for r in range(1, 12)]
    short = Section([[Member("A", 1500.0)], [Member("B", 1500.0)]], games, 10)
    other = Section([[Member("C", 1500.0)], [Member("D", 1500.0)]], [Game(1, 0, 1, 30, 1.0)], 40)
    alone = rate(history(short), "naspa").changes["after"].tolist()
    assert rate(history(short, other), "naspa").changes["after"].tolist()[:2] == alone


def test_until_a_game_is_played_the_rating_filed_last_counts() -> None:
    early = Section([[Member("A", 1700.0)], [Member("B", 1400.0)]], [], 1)
    late = Section([[Member("A", 1500.0)], [Member("B", 1400.0)]], [Game(1, 0, 1, 5, 1.0)], 1, date="2024-02-01")
    assert replay(history(early, late), "elo").changes["before"].iloc[2] == 1500


def test_a_filed_deviation_of_nothing_is_taken_as_not_filed() -> None:
    section = Section([[Member("A", 1500.0, 0.0)], [Member("B", 1400.0, 50.0)]], [Game(1, 0, 1, 5, 1.0)], 1)
    changes = rate(history(section), "glixo").changes
    assert changes["deviation_before"].tolist() == [400, 50]
    assert changes["after"].notna().all()


def test_a_replay_without_details_says_what_it_lacks() -> None:
    result = replay(history(*two_players((1500.0, 1400.0))), "glixo", details=False)
    assert len(result.forecasts) == 1
    for table in ("changes", "segments"):
        with pytest.raises(UsageError, match="details"):
            getattr(result, table)
    with pytest.raises(UsageError, match="details"):
        result.ratings()


@pytest.mark.parametrize("system", SYSTEMS)
def test_empty_tables_have_their_columns(system: str) -> None:
    full, none = (replay(history(*drawn), system) for drawn in (two_players((1500.0, 1400.0)), [Section([], [], 1)]))
    for table in ("changes", "segments", "forecasts"):
        assert getattr(none, table).columns.tolist() == getattr(full, table).columns.tolist()


def test_a_schedule_has_a_start_of_its_own() -> None:
    of = history(Section([[Member("A", 1700.0)], [Member("B", 1400.0)]], [Game(1, 0, 1, 5, 1.0)], 1))
    fresh = schedule(of, start="fresh")
    assert replay(fresh, "elo").changes["before"].tolist() == [1500.0, 1500.0]
    assert replay(fresh, "elo", start="fresh").changes["before"].tolist() == [1500.0, 1500.0]
    with pytest.raises(UsageError, match="start=fresh"):
        replay(fresh, "elo", start="filed")
