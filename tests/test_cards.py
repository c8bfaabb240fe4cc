"""A player's own card: what it counts, what it knows, and that it sees nothing later than its date."""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import Game, Member, Section, dated, history, sections

import ratinglab
from ratinglab import schema
from ratinglab.card import FILED, FIRST, YEAR_AGO, Card, Place
from ratinglab.cards import card, cards, known_name, of_school, season_of
from ratinglab.history import History, Parsed, assemble
from ratinglab.problems import UsageError
from ratinglab.replaying import Replay, replay

ELO = "elo:k=20,scale=400,initial=100"


def two_years() -> History:
    """Ada's three events: she loses to Bea (300), beats Cy (200) and Bea; draws with Dot, beats Cy; loses to Eve."""
    ada, bea, cy, dot, eve = (
        Member(name, rating)
        for name, rating in (("Ada", 100.0), ("Bea", 300.0), ("Cy", 200.0), ("Dot", None), ("Eve", 900.0))
    )
    return history(
        Section([[ada], [bea], [cy]], [Game(1, 0, 1, None, 0.0), Game(2, 2, 0, None, 0.0), Game(3, 0, 1, None, 1.0)], 3,
                date="2010-10-02"),
        Section([[ada], [dot], [cy]], [Game(1, 1, 0, None, 0.5), Game(2, 0, 2, None, 1.0)], 2, date="2011-03-05"),
        Section([[eve], [ada]], [Game(1, 0, 1, None, 1.0)], 1, date="2011-09-10"),
    )  # fmt: skip


def same(one: Card, other: Card) -> bool:
    """Whether two cards say the same, missing figures being equal to missing figures."""
    for field in dataclasses.fields(Card):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if isinstance(a, pd.DataFrame):
            pd.testing.assert_frame_equal(a, b)
        else:
            assert repr(a) == repr(b), field.name
    return True


@functools.cache
def club() -> Replay:
    """The sample club, by its own system."""
    return replay(ratinglab.load("data/scholastic-club"), "evanston")


@functools.cache
def everybody() -> list[Card]:
    """The cards of all of the sample club."""
    return cards(club(), dict.fromkeys(club().schedule.history.entries["player"]))


class TestByHand:
    """A small history, counted by hand."""

    @pytest.fixture
    def made(self) -> Replay:
        return replay(two_years(), ELO)

    def test_then_and_now(self, made: Replay) -> None:
        of = card(made, "ada", "2011-12-31")
        assert of.now is not None
        assert of.then is not None
        after = made.changes.query("player == 'Ada'")["after"].tolist()
        assert of.now.rating == pytest.approx(after[2])
        # the rating that was held on 2010-12-31 is that after the first event
        assert (of.then.rating, of.then.what, str(of.then.date.date())) == (after[0], YEAR_AGO, "2010-10-02")
        assert of.change == pytest.approx(after[2] - after[0])
        assert of.way["rating"].tolist() == after

    def test_then_is_the_first_rating_of_who_has_not_played_for_a_year(self, made: Replay) -> None:
        early = card(made, "Ada", "2011-03-31")
        assert early.then is not None
        assert early.then.what == FIRST
        once = card(made, "Ada", "2010-10-02")
        assert once.then is not None
        assert (once.then.rating, once.then.what) == (100.0, FILED)
        assert once.then.date == pd.Timestamp("2010-10-02")

    def test_who_has_not_played_since_is_held_against_the_first_rating(self, made: Replay) -> None:
        late = card(made, "Ada", "2013-01-01")
        assert late.then is not None
        assert late.idle
        assert (late.then.what, str(late.then.date.date())) == (FIRST, "2010-10-02")
        assert not card(made, "Ada", "2011-12-31").idle

    def test_best_win_is_by_the_rating_before_the_event(self, made: Replay) -> None:
        best = card(made, "Ada").best
        assert best is not None
        assert (best.rating, best.own, best.event, best.round) == (300.0, 100.0, "e1", 3)

    def test_an_unrated_opponent_is_no_best_win(self) -> None:
        units = [[Member("Ada", 100.0)], [Member("Dot")]]
        of = card(replay(history(Section(units, [Game(1, 0, 1, None, 1.0)], 1)), ELO), "Ada")
        assert of.best is None
        assert of.seasons["won"].tolist() == [1]

    def test_longest_run_goes_on_over_draws_and_events(self, made: Replay) -> None:
        run = card(made, "Ada").run
        assert run is not None
        assert (run.games, run.ties, run.first, run.last) == (4, 1, "e1", "e2")

    def test_seasons(self, made: Replay) -> None:
        table = card(made, "Ada").seasons  # neither school nor grade: by calendar years
        assert table["season"].tolist() == ["2010", "2011"]
        assert table[["events", "games", "won", "tied", "lost"]].to_numpy().tolist() == [
            [1, 3, 2, 0, 1],
            [2, 3, 1, 1, 1],
        ]

    def test_last_event_against_the_forecast(self, made: Replay) -> None:
        of = card(made, "Ada", "2011-03-31")
        last = of.last
        assert last is not None
        before = made.changes.query("event == 'e2'").set_index("player")["before"]
        chances = [1 / (1 + 10 ** ((before[other] - before["Ada"]) / 400)) for other in ("Dot", "Cy")]
        assert last.expected == pytest.approx(sum(chances))
        assert last.sd == pytest.approx(math.sqrt(sum(p * (1 - p) for p in chances)))
        assert (last.games, last.wins) == (2, 1.5)

    def test_nothing_is_expected_of_somebody_new(self, made: Replay) -> None:
        last = card(made, "Dot").last
        assert last is not None
        assert np.isnan(last.expected)
        assert last.wins == 0.5


def test_a_section_stands_on_the_card_of_who_has_one() -> None:
    place = Place("Knight", "a reason", "Bishop", 400.0, 24.0)
    made = cards(replay(two_years(), ELO), ["Ada", "Cy"], places={"Ada": place})
    assert [of.place for of in made] == [place, None]


class TestOddOnes:
    """Never rated, without dates, byes and forfeits, teams."""

    def test_never_rated(self) -> None:
        made = two_years()
        entry = schema.conform("entries", pd.DataFrame({"event": ["e2"], "player": ["Fay"], "section": ["main"]}))
        made = dataclasses.replace(made, entries=pd.concat([made.entries, entry], ignore_index=True))
        of = card(replay(made, ELO), "Fay")
        assert (of.now, of.then, of.best, of.run, of.last) == (None,) * 5
        assert of.way.empty
        assert of.seasons.empty

    def test_filed_and_not_yet_played(self) -> None:
        made = two_years()
        entry = pd.DataFrame({"event": ["e2"], "player": ["Fay"], "section": ["main"], "rating": [450.0]})
        made = dataclasses.replace(
            made, entries=pd.concat([made.entries, schema.conform("entries", entry)], ignore_index=True)
        )
        of = card(replay(made, ELO), "Fay")
        assert of.now is not None
        assert (of.now.rating, of.now.what) == (450.0, FILED)

    def test_an_event_without_a_date(self) -> None:
        made = two_years()
        events = made.events.assign(date=made.events["date"].where(made.events["event"] != "e3"))
        events = events.assign(end_date=events["end_date"].where(events["event"] != "e3"))
        result = replay(dataclasses.replace(made, events=events), ELO)
        whole = card(result, "Ada")
        assert (whole.undated, whole.not_counted) == (1, 0)
        assert whole.seasons["season"].tolist() == ["2010", "2011", "no date"]
        as_of = card(result, "Ada", "2011-12-31")
        assert (as_of.undated, as_of.not_counted, len(as_of.way)) == (0, 1, 2)

    def test_byes_forfeits_and_what_is_not_known(self) -> None:
        games = pd.DataFrame(
            [
                ("e", 1, "Ada", "Bea", 1.0, "played", 1),
                ("e", 2, "Ada", None, 1.0, "bye", 0),
                ("e", 3, "Bea", "Ada", 0.0, "forfeit", 0),
                ("e", 4, "Ada", "Bea", 0.0, "forfeit", 0),
                ("e", 5, "Ada", "Bea", None, "unknown", 0),
                ("e", 6, "Ada", "Bea", 1.0, "played", 0),
                ("e", 7, "Bea", "Ada", 0.5, "played", 1),
            ],
            columns=["event", "round", "player", "opponent", "result", "status", "rated"],
        )
        events = pd.DataFrame({"event": ["e"], "date": [pd.Timestamp("2012-01-07")]})
        made = assemble([Parsed({"events": events, "games": games})])
        of = card(replay(made, ELO), "Ada")
        row = of.seasons.iloc[0]
        assert row[["games", "won", "tied", "lost", "byes", "forfeits_won", "forfeits_lost"]].tolist() == [
            3, 2, 1, 0, 1, 1, 1,
        ]  # fmt: skip
        assert row[["unrated", "unknown"]].tolist() == [1, 1]
        assert of.run is not None
        assert of.run.games == 2  # the game of which nothing is known ends the first run
        assert of.last is not None
        assert (of.last.games, of.last.wins) == (2, 1.5)  # rated ones alone

    def test_teams(self) -> None:
        units = [[Member("Ada", 900.0), Member("Bea", 700.0)], [Member("Cy", 1200.0), Member("Dot", 600.0)]]
        made = history(Section(units, [Game(1, 0, 1, 40, 1.0), Game(2, 1, 0, -20, 0.0)], 2, teams=True))
        of = card(replay(made, "glixo"), "Bea")
        assert of.of_teams
        assert of.best is not None
        # by hand: a team is worth max(best - 100, mean)
        assert (of.best.rating, of.best.own) == (1100.0, 800.0)
        with pytest.raises(UsageError, match=r"team a is a team, whose members have a card each: Ada; Bea"):
            known_name(made, "team a")


class TestRefusals:
    """What no card can be made of."""

    def test_who_is_not_there(self) -> None:
        made = replay(two_years(), ELO)
        with pytest.raises(UsageError, match=r"Adda does not take part in any event \(perhaps Ada is meant\)"):
            card(made, "Adda")
        with pytest.raises(UsageError, match="Eve does not take part in any event up to 2011-03-05"):
            card(made, "Eve", "2011-03-05")
        with pytest.raises(UsageError, match="expected a date"):
            card(made, "Ada", "next week")

    def test_places_hindsight_and_grids(self) -> None:
        made = two_years()
        for system, words in (
            ("dip-pouch", "rates places"),
            ("bradley-terry", "all of a history at once"),
            (ratinglab.Elo(k=[10, 20]), "of one system"),
        ):
            result = replay(made, system)
            with pytest.raises(UsageError, match=words):
                card(result, "Ada")

    def test_schools(self) -> None:
        made = club().schedule.history
        found = of_school(made, "  wicker STREET", "2010-05-31")
        assert found
        last = made.entries.merge(made.events[["event", "end_date"]]).query("end_date <= '2010-05-31'")
        last = last.sort_values("end_date", kind="stable").groupby("player")["school"].last()
        assert sorted(found) == sorted(last.index[last == "Wicker Street"])
        with pytest.raises(
            UsageError, match=r"nobody is of the school Wicker Sreet \(perhaps Wicker Street is meant\)"
        ):
            of_school(made, "Wicker Sreet")


class TestOnTheClub:
    """All cards of the sample club."""

    @pytest.fixture
    def made(self) -> list[Card]:
        return everybody()

    def test_now_is_the_rating_list(self, made: list[Card]) -> None:
        listed = club().ratings().set_index("player")["rating"]
        now = {of.player: of.now.rating for of in made if of.way["games"].sum() and of.now}
        assert now == pytest.approx(listed.to_dict())

    def test_what_one_wins_another_loses(self, made: list[Card]) -> None:
        total = pd.concat([of.seasons for of in made])
        games = club().schedule.history.games
        assert total["won"].sum() == total["lost"].sum()
        assert total["games"].sum() == 2 * (games["status"] == "played").sum()
        assert total["byes"].sum() == (games["status"] == "bye").sum()
        assert (total["won"] + total["tied"] + total["lost"] == total["games"]).all()

    def test_best_wins_and_runs_as_an_obvious_loop_finds_them(self, made: list[Card]) -> None:
        result = club()
        before = result.changes.set_index(["event", "player"])["before"]
        known = set(
            zip(*(result.schedule.history.entries.dropna(subset="rating")[c] for c in ("event", "player")), strict=True)
        )
        seen: set[str] = set()
        best: dict[str, float] = {}
        run: dict[str, int] = {}
        longest: dict[str, int] = {}
        games = result.schedule.history.games
        for event in result.schedule.history.events["event"]:
            mine = games[(games["event"] == event) & (games["status"] == "played")].sort_values("round", kind="stable")
            for game in mine.itertuples():
                sides = ((game.player, game.opponent, game.result), (game.opponent, game.player, 1 - game.result))
                for own, other, outcome in sides:
                    run[own] = run.get(own, 0) + 1 if outcome > 0 else 0
                    longest[own] = max(longest.get(own, 0), run[own])
                    if outcome == 1 and (other in seen or (event, other) in known):
                        best[own] = max(best.get(own, -1e9), before[event, other])
            seen |= {*mine["player"], *mine["opponent"]}
        assert {of.player: of.best.rating for of in made if of.best} == pytest.approx(best)
        assert {of.player: of.run.games for of in made if of.run} == {n: k for n, k in longest.items() if k}

    def test_a_card_as_of_a_date_is_the_card_of_the_history_until_then(self) -> None:
        early = replay(club().schedule.history.between(None, "2011-01-31"), "evanston")
        names = list(dict.fromkeys(early.schedule.history.entries["player"]))[::4]
        both = zip(cards(club(), names, "2011-01-31"), cards(early, names, "2011-01-31"), strict=True)
        assert all(same(one, other) for one, other in both)


@settings(max_examples=8)
@given(st.lists(sections(), min_size=2, max_size=4), st.integers(0, 3))
def test_nothing_later_is_looked_at(drawn: list[Section], cut: int) -> None:
    made = dated(drawn)
    date = made[min(cut, len(made) - 1)].date
    whole = replay(history(*made), "glixo")
    early = replay(history(*made[: min(cut, len(made) - 1) + 1]), "glixo")
    names = list(dict.fromkeys(early.schedule.history.entries["player"]))
    assert all(
        same(one, other) for one, other in zip(cards(whole, names, date), cards(early, names, date), strict=True)
    )


@pytest.mark.parametrize(
    ("day", "begins", "season"),
    [
        ("2011-08-01", 8, "2011–12"),
        ("2011-07-31", 8, "2010–11"),
        ("1999-12-31", 8, "1999–00"),
        ("2011-12-31", 1, "2011"),
    ],
)
def test_seasons_begin_in_a_month(day: str, begins: int, season: str) -> None:
    assert season_of(pd.Timestamp(day), begins) == season
