"""Sections by the rules of the source: its three children, whole careers of the sample club, and what always holds."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clusters import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

import ratinglab
from ratinglab.cli import main
from ratinglab.history import History, Parsed, assemble
from ratinglab.problems import UsageError
from ratinglab.sections import Championship, Divisions, Evanston, parse
from ratinglab.sections.assigning import field_of, make_sections
from ratinglab.sections.base import UNPLACED
from ratinglab.sections.careers import next_places
from ratinglab.sections.course import Reached, reached, winners
from ratinglab.sections.evanston import LADDER, by_grade, by_rating
from ratinglab.seeding.choice import CHOICES
from ratinglab.seeding.entry_lists import entered

EVANSTON = ratinglab.parse("evanston")
NO_CHOICES = pd.DataFrame(columns=list(CHOICES))


def club(*events: tuple[str, dict[str, list[str]], list[tuple[str, str, float]]], grades: dict[str, str]) -> History:
    """Events a month apart: sections with their players, and games (player, opponent, result)."""
    entries, games = [], []
    for event, sections, played in events:
        where = {player: section for section, players in sections.items() for player in players}
        entries += [
            {"event": event, "section": section, "player": player, "grade": grades[player]}
            for player, section in where.items()
        ]
        games += [
            {"event": event, "section": where[one], "round": i + 1, "player": one, "opponent": other, "result": result,
             "status": "played", "rated": 1}
            for i, (one, other, result) in enumerate(played)
        ]  # fmt: skip
    listed = pd.DataFrame(
        {"event": [e for e, *_ in events], "date": pd.date_range("2011-09-10", periods=len(events), freq="30D")}
    )
    return assemble([Parsed({"events": listed, "entries": pd.DataFrame(entries), "games": pd.DataFrame(games)})])


def field(**columns: list[object]) -> pd.DataFrame:
    """A field for rules: what is not given is not known."""
    count = len(next(iter(columns.values())))
    usual: dict[str, list[object]] = {
        "player": [f"Child {i}" for i in range(count)], "grade": [None] * count, "rating": [np.nan] * count,
        "deviation": [np.nan] * count, "national": [np.nan] * count, "request": [None] * count,
        "override": [None] * count, "override_reason": [None] * count,
    }  # fmt: skip
    table = pd.DataFrame(usual | columns)
    number = [{None: np.nan, "K": 0.0}.get(grade, grade) for grade in table["grade"]]
    steps = columns.get("reached", [None] * count)
    return table.assign(
        grade_number=[float(one) for one in number], start=table["rating"].fillna(1500.0),
        reached=pd.Series(steps, dtype="object"),
    )  # fmt: skip


def placed(**columns: list[object]) -> dict[str, tuple[str, str]]:
    table = Evanston().place(field(**columns)).table
    return {row.player: (row.section, row.reason) for row in table.itertuples()}


class TestTheSource:
    """David, Gina and Joey, as the source tells of them."""

    def test_david_ages_out(self) -> None:
        section, reason = placed(player=["David"], grade=["3"], rating=[54.0])["David"]
        assert section == "Knight"
        assert "aged out" in reason

    def test_gina_rates_out(self) -> None:
        section, reason = placed(player=["Gina"], grade=["1"], rating=[327.0])["Gina"]
        assert section == "Knight"
        assert "rated out" in reason

    def test_joey_wins_pawn_moves_up_loses_all_and_stays(self) -> None:
        grades = {"Joey": "1", "Ana": "2", "Bo": "K", "Cy": "1", "Dee": "3", "Ed": "4", "Flo": "3"}
        pawn = {"Pawn": ["Joey", "Ana", "Bo", "Cy"]}
        first = ("sep", pawn, [("Ana", "Joey", 1), ("Bo", "Joey", 1), ("Cy", "Joey", 1), ("Ana", "Bo", 1)])
        second = ("oct", pawn, [("Joey", "Ana", 1), ("Joey", "Bo", 1), ("Cy", "Joey", 1), ("Bo", "Cy", 1)])
        third = (
            "nov", {"Knight": ["Joey", "Dee", "Ed", "Flo"]},
            [("Dee", "Joey", 1), ("Ed", "Joey", 1), ("Flo", "Joey", 1), ("Dee", "Ed", 1)],
        )  # fmt: skip
        next_one = ("dec", {"main": ["Joey", "Ana", "Dee"]}, [])

        def where(*events: object) -> tuple[str, str, float]:
            history = club(*events, grades=grades)  # type: ignore[arg-type]
            made = make_sections(entered(history, "dec"), Evanston(), EVANSTON)
            row = made.placed.table.set_index("player").loc["Joey"]
            return row["section"], row["reason"], row["rating"]

        assert where(first, next_one)[0] == "Pawn"
        section, reason, before = where(first, second, next_one)
        assert (section, reason) == ("Knight", "won Pawn on 2011-10-10")
        section, reason, after = where(first, second, third, next_one)
        assert section == "Knight"
        assert "won Pawn" in reason
        assert after < before  # he lost all his games, and the rating fell
        assert LADDER[by_rating(after)] == "Pawn"  # by which he would be back in Pawn


CHILD = st.tuples(st.one_of(st.none(), st.integers(0, 12)), st.one_of(st.none(), st.integers(-300, 1500)))


class TestEvanston:
    """The rules, one by one."""

    def test_borders(self) -> None:
        ratings = [-50, 199, 200, 399, 400, 599, 600, 799, 800, 999, 1000, 1700]
        of = [LADDER[by_rating(float(rating))] for rating in ratings]
        assert of == [section for section in LADDER for _ in range(2)]
        assert [LADDER[by_grade(float(grade))] for grade in range(9)] == [
            *["Pawn"] * 3,
            *["Knight"] * 2,
            *["Bishop"] * 4,
        ]

    def test_newcomers_by_grade_unless_the_coach_asks_for_higher(self) -> None:
        made = placed(player=["a", "b", "c"], grade=["K", "4", "4"], request=[None, "Bishop", "Pawn"])
        assert made == {
            "a": ("Pawn", "new, by grade (K)"),
            "b": ("Bishop", "the coach asks for it"),
            "c": ("Knight", "new, by grade (4)"),
        }
        look = Evanston().place(field(player=["c"], grade=["4"], request=["Pawn"])).look
        assert look["why"].tolist() == ["the coach asks for Pawn, which is lower: not granted"]

    def test_the_director_decides_also_downwards(self) -> None:
        step = Reached(3, "has played in Rook")
        made = placed(
            player=["a", "b"], grade=["5", "5"], rating=[450.0, 450.0], reached=[step, step], override=["Bishop", None],
            override_reason=["after a hard season", None],
        )  # fmt: skip
        assert made["a"] == ("Bishop", "the director’s decision: after a hard season")
        assert made["b"] == ("Rook", "has played in Rook, and stays")

    def test_a_national_rating_is_told_in_the_higher_sections_only(self) -> None:
        look = (
            Evanston()
            .place(field(player=["a", "b"], grade=["2", "5"], rating=[100.0, 500.0], national=[450.0, 900.0]))
            .look
        )
        assert look.to_numpy().tolist() == [["b", "Bishop", "the national rating 900 would say Queen"]]

    def test_nothing_known_is_listed_and_never_dropped(self) -> None:
        made = Evanston().place(field(player=["a", "b"], grade=[None, None], rating=[np.nan, 700.0]))
        assert made.table.set_index("player")["section"].to_dict() == {"b": "Rook", "a": UNPLACED}
        assert made.look["player"].tolist() == ["a", "b"]

    def test_small_sections_are_proposed_to_be_merged_and_nobody_moves(self) -> None:
        ratings = [1100.0, 900.0, *np.linspace(10, 190, 8)]
        made = Evanston().place(field(rating=ratings, grade=["2"] * 10))
        assert made.merges[["section", "entrants", "into", "together"]].to_numpy().tolist() == [
            ["King", 1, "Queen", 2], ["Queen", 1, "King", 2],
        ]  # fmt: skip
        assert made.table["section"].value_counts().to_dict() == {"Pawn": 8, "King": 1, "Queen": 1}

    @settings(max_examples=60, deadline=None)
    @given(st.lists(CHILD, min_size=1, max_size=12), st.integers(0, 400))
    def test_what_always_holds(self, children: list[tuple[int | None, int | None]], more: int) -> None:
        """Nobody is lost or twice, no section below the grade's, more rating never lowers, order does not matter."""
        grades = [None if grade is None else str(grade) for grade, _ in children]
        ratings = [np.nan if rating is None else float(rating) for _, rating in children]
        of = field(grade=grades, rating=ratings)
        table = Evanston().place(of).table.set_index("player")
        assert sorted(table.index) == sorted(of["player"])
        rank = {section: i for i, section in enumerate(LADDER)} | {UNPLACED: -1}
        for player, (grade, rating) in zip(of["player"], children, strict=True):
            at = rank[table.loc[player, "section"]]
            if grade is not None:
                assert at >= by_grade(float(grade))
            if rating is not None:
                assert at >= by_rating(float(rating))
        raised = Evanston().place(field(grade=grades, rating=[r + more for r in ratings])).table.set_index("player")
        assert all(rank[raised.loc[p, "section"]] >= rank[table.loc[p, "section"]] for p in table.index)
        turned = Evanston().place(of.iloc[::-1]).table.set_index("player")["section"]
        assert turned.to_dict() == table["section"].to_dict()


class TestCourse:
    """Sections reached, from the events before."""

    GRADES = dict.fromkeys("abcd", "2")

    def test_co_winners_move_up_or_the_first_by_tie_breaks(self) -> None:
        event = ("sep", {"Pawn": list("abcd")}, [("a", "c", 1), ("b", "d", 1), ("a", "b", 0.5), ("c", "d", 1)])
        history = club(event, grades=self.GRADES)
        assert sorted(winners(history, "sep", "Pawn")) == ["a", "b"]
        assert len(winners(history, "sep", "Pawn", co_winners=False)) == 1
        both = reached(history, LADDER)
        assert [both[name].section for name in "abcd"] == [1, 1, 0, 0]

    def test_in_king_they_stay_and_a_championship_moves_nobody(self) -> None:
        king = ("sep", {"King": list("abcd")}, [("a", "c", 1), ("b", "d", 1), ("a", "b", 1)])
        champ = ("oct", {"2-3 championship": list("abcd")}, [("d", "c", 1), ("d", "a", 1)])
        found = reached(club(king, champ, grades=self.GRADES), LADDER)
        assert {name: one.section for name, one in found.items()} == dict.fromkeys("abcd", 5)


def test_the_sample_club_is_placed_as_it_was_filed() -> None:
    """Every ordinary tournament of three seasons, from the ratings filed and the events before it: all sections equal.

    The sample's own office follows the same rules (data/README.md): requests granted, overrides filed.
    """
    history = ratinglab.load(ROOT / "data" / "scholastic-club")
    total = 0
    for event in [e for e in history.events["event"] if not e.endswith("champ")]:
        before = entered(history, event).history
        entries = before.entries[before.entries["event"] == event].sort_values("rating", ascending=False)
        ratings = entries[["player", "school", "rating", "deviation", "as_of"]].rename(columns={"player": "name"})
        source = entries["rating"].isna().map({True: "unrated", False: "filed"})
        table = field_of(before, event, ratings.assign(rating_source=source), NO_CHOICES)
        found = Evanston().place(table).table.set_index("player")["section"]
        filed = history.entries[history.entries["event"] == event].set_index("player")["section"]
        assert found.to_dict() == filed[found.index].to_dict(), event
        total += len(found)
    assert total == 1139


def test_the_whole_club_from_the_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As a committee would do it: ratings from the replay; nobody lost, every reason told."""
    path = ROOT / "data" / "scholastic-club"
    assert main(["sections", str(path), "--event", "2012-mar", "--out", str(tmp_path), "--kinds", "html"]) == 0
    table = pd.read_csv(tmp_path / "sections.csv")
    assert list(table.columns) == ["player", "name", "grade", "rating", "section", "reason"]
    entries = ratinglab.load(path).entries.query("event == '2012-mar'")
    assert sorted(table["player"]) == sorted(entries.loc[entries["withdrawn"].isna(), "player"])
    assert table["reason"].notna().all()
    page = (tmp_path / "sections.html").read_text("utf-8")
    assert "won Queen on 2012-01-21" in page
    assert "names pupils" in page
    assert "2012-mar has been played: its results are left out of account" in capsys.readouterr().err


def test_without_path_from_an_entry_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entries = tmp_path / "entries.csv"
    entries.write_text("player,grade,rating\nDavid Omber,3,54\nGina Quill,1,327\nKit Marlow,,\n")
    assert main(["sections", "--entries", str(entries), "--csv"]) == 0
    table = pd.read_csv(StringIO(capsys.readouterr().out)).set_index("player")["section"]
    assert table.to_dict() == {"David Omber": "Knight", "Gina Quill": "Knight", "Kit Marlow": UNPLACED}


def test_public_says_label_rating_and_section_alone(tmp_path: Path) -> None:
    path = str(ROOT / "data" / "scholastic-club")
    public, kept = tmp_path / "public", tmp_path / "committee"
    asked = ["sections", path, "--event", "2012-mar", "--kinds", "html,xlsx"]
    assert main([*asked, "--privacy", "public", "--out", str(public)]) == 0
    assert main([*asked, "--out", str(kept)]) == 0
    table, own = (pd.read_csv(folder / "sections.csv") for folder in (public, kept))
    assert table[["grade", "reason"]].isna().all(axis=None)
    assert {p.name for p in public.glob("*.csv")} <= {"sections.csv", "merges.csv"}
    assert table["section"].tolist() == own["section"].tolist()
    np.testing.assert_allclose(table["rating"], own["rating"], rtol=1e-12)


def test_divisions_of_the_open_circuit(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(ROOT / "data" / "open-circuit")
    assert main(["sections", path, "--event", "2012-turn-of-year", "--rules", "divisions:sizes=12:12:*", "--csv"]) == 0
    table = pd.read_csv(StringIO(capsys.readouterr().out))
    counts = table["section"].value_counts()
    assert counts[["A", "B"]].tolist() == [12, 12]
    lowest, highest = table[table["section"] == "A"]["rating"].min(), table[table["section"] == "B"]["rating"].max()
    assert lowest >= highest


class TestChampionship:
    """By grade; who plays in reserve is the committee's choice."""

    def test_by_grade(self) -> None:
        made = Championship().place(field(grade=["K", "1", "2", "3", "4", "5", "6", "8", "9", None]))
        by = made.table.set_index("player")["section"]
        assert by.tolist().count(UNPLACED) == 2
        assert by["Child 0"] == by["Child 1"] == "K-1 championship"
        assert by["Child 6"] == by["Child 7"] == "6-8 championship"
        assert made.look["why"].tolist() == ["grade 9 is in no section", "grade not known"]

    def test_the_lower_half_in_reserve(self) -> None:
        of = field(grade=["2", "3", "2", "3", "4", "7", "4", "7"], rating=[900.0, 500, 300, np.nan, 800, 700, 100, 50])
        by = Championship(reserve="lower-half").place(of).table.set_index("player")["section"]
        assert by[["Child 0", "Child 1"]].eq("2-3 championship").all()
        assert by[["Child 2", "Child 3"]].eq("2-3 reserve").all()
        assert by[["Child 6", "Child 7"]].eq("4-8 reserve").all()

    def test_below_a_rating(self) -> None:
        of = field(grade=["2", "3", "1"], rating=[300.0, np.nan, 100.0])
        by = Championship(reserve="below", below=400).place(of).table.set_index("player")["section"]
        assert by.to_dict() == {"Child 0": "2-3 reserve", "Child 1": "2-3 reserve", "Child 2": "K-1 championship"}


class TestDivisions:
    """Bands, sizes and equal parts."""

    OF = (1900.0, 1700, 1601, 1600, 1599, 1300, 1200, 1000, np.nan)

    def where(self, rules: str, **columns: list[object]) -> pd.Series:
        made = parse(rules).place(field(rating=list(self.OF), **columns))
        return made.table.set_index("player")["section"].reindex([f"Child {i}" for i in range(len(self.OF))])

    def test_bands(self) -> None:
        assert "".join(self.where("divisions:bands=1600:1200")) == "AAAABBBCC"

    def test_sizes(self) -> None:
        assert "".join(self.where("divisions:sizes=2:3:*")) == "AABBBCCCC"
        assert "".join(self.where("divisions:sizes=4:2")) == "AAAABBBBB"

    def test_as_equal_as_can_be(self) -> None:
        assert "".join(self.where("divisions:count=2")) == "AAAAABBBB"

    def test_borderline_players_with_the_chance_of_the_other_side(self) -> None:
        of = field(rating=[1620.0, 1590.0, 1400.0], deviation=[50.0, 50.0, 50.0])
        look = Divisions(bands="1600", borderline=25).place(of).look
        assert look["player"].tolist() == ["Child 0", "Child 1"]
        # 20 points above with ±50: P(below) = Φ(−0.4) = 34 %
        assert look["why"].iloc[0] == "20 points from division B; truly there with a chance of 34 %"
        assert look["why"].iloc[1] == "10 points from division A; truly there with a chance of 42 %"

    def test_asking_to_play_up(self) -> None:
        asks: list[object] = [None] * 8 + ["A"]
        assert self.where("divisions:count=3,play_up=granted", request=asks).iloc[-1] == "B"
        assert self.where("divisions:count=3", request=asks).iloc[-1] == "C"

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("divisions:bands=1200:1600", "bands fall"), ("divisions:bands=high", "bands are ratings"),
            ("divisions:sizes=2:x", "sizes are numbers"), ("divisions:bands=1600,sizes=2:*", "not both"),
            ("divisions:play_up=maybe", "listed, granted"), ("evanston:national_from=Bishops", "Pawn, Knight"),
            ("evanston:smallest=0", "1 or more"), ("divisons", "evanston, evanston-championship, divisions"),
            ("evanston-championship:reserve=some", "none, lower-half, below, requested"),
        ],
    )  # fmt: skip
    def test_options_that_mean_nothing(self, text: str, said: str) -> None:
        with pytest.raises(UsageError, match=said):
            parse(text)


def test_on_a_child_s_card_the_next_section_and_what_is_missing() -> None:
    """Of every child of the sample club: the section is that of the rules, the next one begins above the rating."""
    history = ratinglab.load(ROOT / "data" / "scholastic-club")
    result = ratinglab.replay(history, EVANSTON)
    found = next_places(history, result)
    assert len(found) > 150
    ratings = result.ratings().set_index("player")["rating"]
    for player, place in found.items():
        at = LADDER.index(place.section)
        if player in ratings.index:
            assert at >= by_rating(ratings[player])
            if place.next:
                assert place.missing == pytest.approx(200 * (at + 1) - ratings[player])
        assert place.next == ("" if place.section == "King" else LADDER[at + 1])
    early = next_places(history, result, "2010-06-30")
    assert set(early) < set(found)
