"""What the source says of chess ratings in plain words: where it holds of Evanston's and US Chess's, and where not.

The figures of the counterexamples stand in docs/chess-statements.md, which is held against them here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from chess_sections import against, worked
from hypothesis import given, settings
from hypothesis import strategies as st
from making import Game, Member, Section, history, sections

from ratinglab.replaying import rate, replay
from ratinglab.schema import conform
from ratinglab.systems import Evanston, Uscf, parse

DOCS = Path(__file__).resolve().parent.parent.parent / "docs" / "chess-statements.md"
both = pytest.mark.parametrize("system", ["evanston", "uscf"])
Result = tuple[str, str, float]


def change(players: dict[str, tuple[float | None, int | None]], results: Sequence[Result], system: Uscf) -> float:
    """What an event changes of X's rating, from (rating, games) of the players and (player, opponent, score)."""
    place = {name: i for i, name in enumerate(players)}
    games = [Game(i, place[a], place[b], None, won) for i, (a, b, won) in enumerate(results, 1)]
    units = [[Member(name, rating, None, count)] for name, (rating, count) in players.items()]
    row = rate(history(Section(units, games, len(games))), system).changes.set_index("player").loc["X"]
    return row["after"] - row["before"]


# --- where the statements hold ---------------------------------------------------------------------------------------

# From 9 games on, the standard formula; from 200 and at most 150 below a peak, no floor is met in one game.
rated = st.tuples(st.integers(200, 2600).map(float), st.one_of(st.none(), st.integers(9, 60)))


@both
def test_one_game_between_players_of_nine_games_or_more(system: str) -> None:
    parsed = parse(system)

    @settings(max_examples=40, deadline=None)
    @given(rated, rated)
    def run(one: tuple[float, int | None], other: tuple[float, int | None]) -> None:
        won, drawn, lost = (change({"X": one, "Y": other}, [("X", "Y", s)], parsed) for s in (1.0, 0.5, 0.0))
        assert won > 0 > lost
        assert won > drawn > lost
        assert np.sign(drawn) == np.sign(round(other[0] - one[0], 9))

    run()


@both
def test_one_game_against_a_stronger_or_a_weaker_player(system: str) -> None:
    parsed = parse(system)

    @settings(max_examples=40, deadline=None)
    @given(rated, rated, st.integers(1, 800))
    def run(one: tuple[float, int | None], weaker: tuple[float, int | None], more: int) -> None:
        stronger = (weaker[0] + more, weaker[1])
        for score in (1.0, 0.0):  # a win earns more, a loss costs less
            high, low = (change({"X": one, "Y": y}, [("X", "Y", score)], parsed) for y in (stronger, weaker))
            assert high > low

    run()


@both
def test_every_game_of_the_standard_formula_against_strength_in_the_second_sweep(system: str) -> None:
    """Before bonus and floors, and with the opponents' strength after the first sweep in place of their ratings."""
    parsed = parse(system)

    @settings(max_examples=40, deadline=None)
    @given(sections(unrated=False, max_rounds=8))
    def run(section: Section) -> None:
        units = [[replace(m, lifetime=None if m.lifetime is None else m.lifetime + 9)] for (m,) in section.units]
        section = replace(section, units=units)
        if not section.games:
            return
        _, steps = worked(parsed, history(section))
        (games,) = [s for s in steps if s.name == "second sweep"]
        batch, points, strength = games.batch, games.columns["points"][:, 0], games.columns["opponent_rating"][:, 0]
        entry, score = batch.directed.entry, batch.line_results[:, 0]
        assert (points[score == 1] > 0).all()
        assert (points[score == 0] < 0).all()
        above = np.sign(np.round(strength - batch.filed_rating[entry], 9))
        np.testing.assert_array_equal(np.sign(np.round(points, 12))[score == 0.5], above[score == 0.5])
        for who in np.unique(entry):
            for result in (0.0, 0.5, 1.0):
                mine = (entry == who) & (score == result)
                order = np.argsort(strength[mine], kind="stable")
                assert (np.diff(points[mine][order]) >= -1e-9).all()

    run()


@both
def test_who_wins_all_does_not_fall_and_who_loses_all_does_not_rise(system: str) -> None:
    """By either formula, whoever the opponents are; a floor alone can lift somebody who lost."""
    parsed = parse(system)

    @settings(max_examples=60, deadline=None)
    @given(sections(max_rounds=4))
    def run(section: Section) -> None:
        changes = rate(history(section), parsed).changes
        changes = changes[changes["games"] > 0]
        moved = changes["base"] + changes["bonus"]
        # above 2700 the special formula's limit takes over
        limited = changes["before"] + moved >= 2700 - 1e-6
        assert (moved[(changes["wins"] == changes["games"]) & ~limited] >= -1e-9).all()
        assert (moved[changes["wins"] == 0] <= 1e-9).all()

    run()


# --- where they break: each with the figure that the page shows ------------------------------------------------------

KNOWN = None  # established
OWN: tuple[float, None] = (1500.0, KNOWN)
PLAIN, UNRATED = Evanston(), Evanston(initial=1500)
RISING = [("Y", "A", 1.0), ("Y", "B", 1.0)]
FALLING = [("S", "A", 0.0), ("S", "B", 0.0)]


def strong(y: tuple[float, int | None]) -> dict[str, tuple[float | None, int | None]]:
    return {"X": OWN, "Y": y, "A": (1700.0, KNOWN), "B": (1750.0, KNOWN)}


def test_a_beginners_win_or_loss_may_move_nothing() -> None:
    beginner = (1500.0, 5)
    assert change({"X": beginner, "Y": (1000.0, KNOWN)}, [("X", "Y", 1.0)], PLAIN) == 0
    assert change({"X": beginner, "Y": (2000.0, KNOWN)}, [("X", "Y", 0.0)], PLAIN) == 0
    assert change({"X": (1500.0, 9), "Y": (1000.0, KNOWN)}, [("X", "Y", 1.0)], PLAIN) > 0
    shown("0.00")


def test_a_win_after_wins_alone_may_move_nothing() -> None:
    """Who has won all of nine games or more is rated by the special formula too."""

    def second_event(ninth: float) -> float:
        nine = against(Member("X"), [(1000.0 + i, ninth if i == 8 else 1.0) for i in range(9)])
        events = history(nine, replace(against(Member("X"), [(400.0, 1.0)]), date="2024-02-01"))
        row = replay(events, PLAIN).changes.set_index(["event", "player"]).loc[("e2", "X")]
        assert row["lifetime_games_before"] == 9
        return row["after"] - row["before"]

    assert second_event(1.0) == 0 < second_event(0.5)
    shown("nine wins of nine", "0.00")


def test_a_beginners_opponent_counts_as_stronger_only_so_far() -> None:
    def of(rating: float, score: float) -> float:
        return change({"X": (1500.0, 5), "Y": (rating, KNOWN)}, [("X", "Y", score)], PLAIN)

    assert of(1800, 1) < of(2200, 1) == of(2600, 1) == pytest.approx(160)
    assert of(1200, 0) > of(800, 0) == of(400, 0) == pytest.approx(-160)
    shown(f"{of(1800, 1):+.2f}", "+160.00")


def test_a_draw_with_a_weaker_player_who_rises_raises() -> None:
    alone = change(strong((1480.0, 9)), [("X", "Y", 0.5)], PLAIN)
    rising = change(strong((1480.0, 9)), [("X", "Y", 0.5), *RISING], PLAIN)
    assert alone < 0 < rising
    shown(f"{alone:+.2f}", f"{rising:+.2f}")


def test_a_draw_with_a_stronger_player_who_falls_lowers() -> None:
    players = {"X": OWN, "S": (1520.0, 9), "A": (1300.0, KNOWN), "B": (1250.0, KNOWN)}
    alone = change(players, [("X", "S", 0.5)], PLAIN)
    falling = change(players, [("X", "S", 0.5), *FALLING], PLAIN)
    assert alone > 0 > falling
    shown(f"{alone:+.2f}", f"{falling:+.2f}")


def test_the_stronger_of_two_opponents_may_count_as_the_weaker() -> None:
    players = {"X": OWN, "S": (1600.0, 9), "W": (1550.0, KNOWN), "A": (1300.0, KNOWN), "B": (1250.0, KNOWN)}
    won, lost = ([change(players, [*FALLING, ("X", y, score)], PLAIN) for y in ("S", "W")] for score in (1.0, 0.0))
    assert won[0] < won[1]  # the win over the stronger earns less
    assert lost[0] < lost[1]  # the loss to the stronger costs more
    shown(*(f"{value:+.2f}" for value in (*won, *lost)))


def test_winning_a_third_game_against_a_newcomer_may_lower() -> None:
    """The newcomer's strength is made of these very games, and falls faster than the score rises."""
    one = [("X", "Y", 1.0), ("X", "Y", 0.0)]
    players = {"X": OWN, "Y": (None, KNOWN)}
    level, ahead = (change(players, games, UNRATED) for games in (one, [*one, ("X", "Y", 1.0)]))
    assert level == pytest.approx(0)
    assert ahead < 0
    shown(f"{ahead:+.2f}")


def test_a_third_game_lost_may_raise_by_the_bonus() -> None:
    players = {"X": OWN, "A": (2000.0, KNOWN), "B": (2000.0, KNOWN), "C": (2400.0, KNOWN)}
    won = [("X", "A", 1.0), ("X", "B", 1.0)]
    two, three = change(players, won, PLAIN), change(players, [*won, ("X", "C", 0.0)], PLAIN)
    assert two < three
    assert change(players, [*won, ("X", "C", 0.0)], Evanston(bonus="none")) < two
    shown(f"{two:+.2f}", f"{three:+.2f}")


def test_a_third_win_over_one_opponent_may_lower_by_the_bonus() -> None:
    players = {"X": OWN, "A": (2000.0, KNOWN), "B": (2000.0, KNOWN)}
    three = [("X", "A", 1.0), ("X", "A", 1.0), ("X", "B", 1.0)]
    without, withit = change(players, [*three, ("X", "A", 1.0)], PLAIN), change(players, three, PLAIN)
    assert without < withit
    none = Evanston(bonus="none")
    assert change(players, [*three, ("X", "A", 1.0)], none) > change(players, three, none)
    shown(f"{withit:+.2f}", f"{without:+.2f}")


def test_a_draw_with_a_weaker_player_may_raise_by_that_players_bonus() -> None:
    games = [("X", "Y", 0.5), *RISING]
    withit, without = (change(strong((1400.0, KNOWN)), games, s) for s in (PLAIN, Evanston(bonus="none")))
    assert without < 0 < withit
    shown(f"{without:+.2f}", f"{withit:+.2f}")


def test_a_floor_hides_a_loss_or_lifts() -> None:
    low = {"X": (101.0, KNOWN), "Y": (90.0, KNOWN)}
    assert change(low, [("X", "Y", 0.0)], Uscf()) == 0
    below = change(low, [("X", "Y", 0.0)], PLAIN)
    assert below < 0
    # filed below an own floor: a list has a peak of 1800
    units = [[Member("X", 1500.0)], [Member("Y", 1500.0)]]
    of = history(Section(units, [Game(1, 0, 1, None, 0.0)], 1))
    peak = {"player": "X", "list_date": pd.Timestamp("2020-01-01"), "rating": 1800.0, "kind": "own"}
    of = replace(of, rating_lists=conform("rating_lists", pd.DataFrame([peak])))
    lifted = rate(of, Uscf(peak_list="own")).changes.set_index("player").loc["X"]
    assert lifted["after"] - lifted["before"] == 100
    shown(f"{below:+.2f}", "+100.00")


def shown(*figures: str) -> None:
    """The page shows these figures, with a minus sign as it is printed."""
    text = DOCS.read_text(encoding="utf-8")
    missing = [figure for figure in figures if figure.replace("-", "−") not in text]
    assert not missing
