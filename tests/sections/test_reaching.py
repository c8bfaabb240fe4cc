"""What children have reached by winning and playing, small sections and even numbers: by examples and by properties."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ratinglab
from ratinglab.history import History, Parsed, assemble
from ratinglab.sections import Championship, Divisions, Evanston, parse
from ratinglab.sections.assigning import Sections, make_sections
from ratinglab.sections.base import UNPLACED
from ratinglab.sections.championship import NEAR, SECTIONS
from ratinglab.sections.course import reached, winners
from ratinglab.sections.evanston import LADDER
from ratinglab.seeding.entry_lists import entered

FOUR = ("Abel", "Bea", "Cid", "Dot")
# Abel and Bea share 2½ of 3; Bea has beaten those with more points
SHARED = [("Abel", "Cid", 1.0), ("Bea", "Dot", 1.0), ("Abel", "Bea", 0.5), ("Cid", "Dot", 0.0), ("Abel", "Dot", 1.0),
          ("Bea", "Cid", 1.0)]  # fmt: skip


def club(
    games: list[tuple[str, str | None, float]], status: str = "played", rating: float = 100.0, **entry: object
) -> History:
    """A tournament of four in Pawn, and the entry list of the next one, everybody at the same filed rating."""
    played = [
        {"event": "sep", "section": "Pawn", "round": i // 2 + 1, "player": one, "opponent": other, "result": result,
         "status": status, "rated": int(status == "played")}
        for i, (one, other, result) in enumerate(games)
    ]  # fmt: skip
    usual = {"grade": "1", "rating": rating}
    entries = [{"event": "sep", "section": "Pawn", "player": name, **usual, **entry} for name in FOUR]
    entries += [{"event": "oct", "section": "main", "player": name, **usual} for name in FOUR]
    events = pd.DataFrame({"event": ["sep", "oct"], "date": pd.to_datetime(["2011-09-10", "2011-10-10"])})
    return assemble([Parsed({"events": events, "entries": pd.DataFrame(entries), "games": pd.DataFrame(played)})])


def placed(history: History, rules: str = "evanston") -> Sections:
    from ratinglab.seeding.choice import Rule

    listed = entered(history, "oct")
    return make_sections(listed, parse(rules), ratinglab.parse("evanston"), rule=Rule("local"))


def sections_of(made: Sections) -> dict[str, str]:
    return dict(zip(made.placed.table["player"], made.placed.table["section"], strict=True))


def field(ratings: list[float], **columns: list[object]) -> pd.DataFrame:
    """A field in the order of the ratings, nothing known of anybody but what is given."""
    count = len(ratings)
    names = ("grade", "request", "override", "override_reason")
    table = pd.DataFrame(
        {"player": [f"Child {i}" for i in range(count)], "rating": ratings, "deviation": np.nan, "national": np.nan}
        | {name: columns.get(name, [None] * count) for name in names}
    )
    number = [np.nan if grade is None else float(str(grade)) for grade in table["grade"]]
    reached_yet = pd.Series([None] * count, dtype="object")
    return table.assign(grade_number=number, start=table["rating"].fillna(0.0), reached=reached_yet)


class TestWinning:
    """Who has won a section, and where that leads."""

    def test_those_who_share_a_win_all_move_up_and_it_is_said(self) -> None:
        made = placed(club(SHARED))
        assert sections_of(made) == {"Abel": "Knight", "Bea": "Knight", "Cid": "Pawn", "Dot": "Pawn"}
        reasons = made.placed.table.set_index("player")["reason"]
        assert reasons["Abel"] == reasons["Bea"] == "won Pawn on 2011-09-10, shared"

    def test_without_co_winners_one_of_them_moves_up(self) -> None:
        """The option reaches the placing: the one first by tie-breaks is in Knight, the other stays in Pawn."""
        history = club(SHARED)
        first = winners(history, "sep", "Pawn", co_winners=False)
        assert len(first) == 1
        made = placed(history, "evanston:co_winners=no")
        assert [name for name, section in sections_of(made).items() if section == "Knight"] == first
        assert made.placed.table["reason"].iloc[0] == "won Pawn on 2011-09-10"
        assert made.rules.label == "evanston:co_winners=no"
        assert parse(made.rules.label) == made.rules

    @pytest.mark.parametrize("status", ["bye", "forfeit"])
    def test_a_section_without_a_game_played_is_won_by_nobody(self, status: str) -> None:
        opponent = None if status == "bye" else "Dot"
        history = club([("Abel", opponent, 1.0)], status=status)
        assert winners(history, "sep", "Pawn") == []
        assert reached(history, LADDER)["Abel"].section == 0

    def test_a_bye_among_games_counts_as_credited(self) -> None:
        games = club([("Abel", "Bea", 1.0), ("Cid", "Dot", 1.0), ("Bea", "Dot", 1.0)])
        bye = {"event": "sep", "section": "Pawn", "round": 2, "player": "Cid", "opponent": None, "result": 1.0,
               "status": "bye", "rated": 0}  # fmt: skip
        table = pd.concat([games.games, pd.DataFrame([bye])], ignore_index=True)
        assert winners(replace(games, games=table), "sep", "Pawn") == ["Cid"]

    def test_who_was_entered_and_did_not_play_has_reached_nothing(self) -> None:
        history = club([("Abel", "Bea", 1.0), ("Bea", "Abel", 1.0)])
        assert set(reached(history, LADDER)) == {"Abel", "Bea"}

    @settings(max_examples=40, deadline=None)
    @given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=6, max_size=6), st.permutations(range(6)))
    def test_the_most_points_win_whatever_the_order_and_the_side(self, results: list[float], order: list[int]) -> None:
        pairs = [(one, other, r) for (one, other, _), r in zip(SHARED, results, strict=True)]
        points = dict.fromkeys(FOUR, 0.0)
        for one, other, r in pairs:
            points[one] += r
            points[other] += 1 - r
        best = {name for name, own in points.items() if own == max(points.values())}
        assert set(winners(club(pairs), "sep", "Pawn")) == best
        turned = [(pairs[i][1], pairs[i][0], 1 - pairs[i][2]) for i in order]
        assert set(winners(club(turned), "sep", "Pawn")) == best
        one = winners(club(pairs), "sep", "Pawn", co_winners=False)
        assert len(one) == 1
        assert one[0] in best


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=4, max_size=4))
def test_what_comes_later_changes_nothing(results: list[float]) -> None:
    """The sections of October, whatever October's games, which are in the files too, bring."""
    history = club(SHARED)
    later = pd.DataFrame(
        [
            {
                "event": "oct",
                "section": "main",
                "round": 1 + i // 2,
                "player": FOUR[i % 2],
                "opponent": FOUR[2 + i // 2],
            }
            for i in range(len(results))
        ]
    ).assign(result=results, status="played", rated=1)
    played = replace(history, games=pd.concat([history.games, later], ignore_index=True))
    pd.testing.assert_frame_equal(placed(played).placed.table, placed(history).placed.table)


class TestMerging:
    """Proposals, in which nobody is moved and nobody is sent where nobody plays."""

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.integers(-100, 1300), min_size=1, max_size=25), st.integers(1, 8))
    def test_proposals_are_between_sections_that_are_played(self, ratings: list[int], smallest: int) -> None:
        of = field([float(r) for r in sorted(ratings, reverse=True)], grade=["1"] * len(ratings))
        made = Evanston(smallest=smallest).place(of)
        counts = made.table["section"].value_counts()
        for section, entrants, into, together, who in made.merges.itertuples(index=False):
            assert entrants == counts[section] < smallest
            assert into != section
            assert together == entrants + counts[into]
            assert who.split("; ") == list(made.table.loc[made.table["section"] == section, "player"])
        small = {s for s, n in counts.items() if n < smallest} if len(counts) > 1 else set()
        assert set(made.merges["section"]) == small
        # the same table, whatever is proposed
        pd.testing.assert_frame_equal(made.table, Evanston(smallest=1).place(of).table)

    def test_of_a_championship_the_own_grades_come_first(self) -> None:
        """Two of grades 2-3 join the reserve of their grades, not that of 4-8, which stands above them in the list."""
        grades: list[object] = [*["2"] * 2, *["3"] * 6, *["5"] * 12]
        requests: list[object] = [*[None] * 2, *["reserve"] * 12, *[None] * 6]
        made = Championship(reserve="requested").place(field([500.0] * 20, grade=grades, request=requests))
        assert made.merges[["section", "entrants", "into", "together"]].to_numpy().tolist() == [
            ["2-3 championship", 2, "2-3 reserve", 8]
        ]

    def test_every_section_of_a_championship_has_others_of_it_to_join(self) -> None:
        assert set(NEAR) == set(SECTIONS)
        for section, others in NEAR.items():
            assert section not in others
            assert set(others) < set(SECTIONS)

    def test_a_last_resort_is_any_section_that_is_played(self) -> None:
        grades: list[object] = [*["7"] * 7, "1"]
        made = Championship().place(field([500.0] * 8, grade=grades))
        assert made.merges[["section", "into"]].to_numpy().tolist() == [["K-1 championship", "6-8 championship"]]


class TestEvenNumbers:
    """`divisions:even=yes`: who could cross a border; nobody is moved."""

    def test_the_nearer_to_the_border_is_proposed(self) -> None:
        of = field([1900.0, 1700, 1610, 1550, 1300, 1250])
        made = Divisions(bands="1600", even=True, borderline=0).place(of)
        # 1610 is 10 from the border, 1550 is 50
        assert made.look.to_numpy().tolist() == [
            ["Child 2", "A", "for even numbers: in B instead, A would have 2, B 4"]
        ]
        assert made.table["section"].tolist() == list("AAABBB")

    def test_proposals_go_down_from_the_top(self) -> None:
        of = field([1900.0, 1640, 1630, 1590, 1500, 1400, 1210, 1190, 1000])
        made = Divisions(bands="1600:1200", even=True, borderline=0).place(of)
        # Child 3 (10 below 1600) up: A 4, B 3; then Child 6 (10 above 1200) and Child 7 (10 below): equal, so up
        assert made.look["player"].tolist() == ["Child 3", "Child 7"]
        assert made.look["why"].tolist() == [
            "for even numbers: in A instead, A would have 4, B 3",
            "for even numbers: in B instead, B would have 4, C 1",
        ]

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.integers(0, 2000), min_size=1, max_size=30), st.integers(1, 5))
    def test_all_but_the_last_are_even_once_the_proposals_are_taken(self, ratings: list[int], count: int) -> None:
        of = field([float(r) for r in sorted(ratings, reverse=True)])
        made = Divisions(count=count, even=True, borderline=-1).place(of)
        where = made.table.set_index("player")["section"].to_dict()
        for player, section, why in made.look.itertuples(index=False):
            assert where[player] == section
            where[player] = why.split("in ")[1].split(" ")[0]
        taken = pd.Series(where).value_counts()
        assert all(taken.get(name, 0) % 2 == 0 for name in made.sections[:-1])
        plain = Divisions(count=count).place(of).table
        pd.testing.assert_frame_equal(made.table, plain)


class TestByName:
    """Odd cases are said as what they are."""

    def test_a_grade_that_is_none_is_named_to_the_director_first(self) -> None:
        made = Evanston().place(
            field([1100.0, np.nan], grade=["3", None]).assign(grade=["3", "PK"], request=["Pawn", None])
        )
        assert made.look["player"].tolist() == ["Child 1", "Child 0"]
        assert made.look["section"].iloc[0] == UNPLACED
        assert made.look["why"].iloc[0] == "neither grade nor rating is known (found grade PK)"

    def test_who_is_unrated_is_not_said_to_be_in_the_lowest_division_where_he_is_not(self) -> None:
        made = Divisions(count=2).place(field([1500.0, np.nan, np.nan, np.nan]))
        assert made.table["section"].tolist() == list("AABB")
        assert made.table["reason"].iloc[1] == "unrated: below everybody who is rated"
        assert "plays below everybody who is rated" in " ".join(made.says)

    @pytest.mark.parametrize("asked", ["B", "C"])
    def test_a_request_that_is_not_higher_is_not_granted(self, asked: str) -> None:
        asks: list[object] = [None, None, asked, None]
        made = Divisions(bands="1600:1200", play_up="granted", borderline=0).place(
            field([1700.0, 1500, 1400, 1000], request=asks)
        )
        assert made.table.set_index("player").loc["Child 2", "section"] == "B"
        assert made.look["why"].tolist() == [f"asks for {asked}, which is not higher: not granted"]
