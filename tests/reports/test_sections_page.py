"""The page of sections: what it says of an entry list by hand, of odd lists, in public, and of the sample club."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from clusters import ROOT

import ratinglab
from ratinglab.privacy import Rule as Privacy
from ratinglab.privacy import protect
from ratinglab.reports import sections_page
from ratinglab.reports.page import Page
from ratinglab.reports.publication import alone
from ratinglab.sections import parse
from ratinglab.sections.assigning import Sections, make_sections
from ratinglab.seeding.choice import Rule
from ratinglab.seeding.entry_lists import Entered, entered

HEADER = "player,school,grade,rating,national_rating,coach_request,section_override,override_reason,withdrawn"
CHILDREN = [
    "Ann Quillon,Heron,3,54,,,,,", "Bea Marlock,Heron,1,327,,,,,", "Cid Tarn,Wren,5,1240,,,,,",
    "Dot Vane,Wren,4,,,Bishop,,,", "Eli Stroud,Wren,7,650,,,Bishop,after a hard season,", "Fay Lune,Alder,K,,,,,,",
    "Gus Orrin,Alder,PK,,,,,,", "Hal Birk,Alder,6,500,910,,,,", "Ivy Crane,Heron,2,150,,,,,yes",
]  # fmt: skip


def listed(folder: Path, rows: Sequence[str]) -> Entered:
    path = folder / "spring.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n", "utf-8")
    return entered(None, entries=path, date="2012-05-12")


def made(folder: Path, rows: Sequence[str] = CHILDREN, rules: str = "evanston") -> Sections:
    return make_sections(listed(folder, rows), parse(rules), ratinglab.parse("evanston"), rule=Rule("local"))


def text(page: Page) -> str:
    told = re.sub(r"<style>.*?</style>|<script>.*?</script>", "", alone(page, 1).decode(), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", told)).split())


def told_of(page: Page) -> dict[str, Any]:
    """What the template is given."""
    return dict(page.values)


def rows(page: Page, name: str) -> list[tuple[str, ...]]:
    """The rows that a table of the page shows."""
    return [tuple(row) for row in told_of(page)[name].rows]


def test_the_answer_comes_first_and_every_reason_is_counted(tmp_path: Path) -> None:
    page = sections_page.page(made(tmp_path))
    assert page.headline == (
        "8 entrants: King 1, Bishop 3, Knight 2, Pawn 1; 1 entrant cannot be placed by the rules; "
        "merging proposed for 4 small sections"
    )
    told = text(page)
    assert "Withdrawn, and in no section: Ivy Crane." in told
    assert "Cid Tarn 5 1240 by rating (rated out of the grade’s section)" in told
    assert "Eli Stroud 7 650 the director’s decision: after a hard season" in told
    # by hand: Ann aged out; Bea and Cid by rating; Dot's coach; Eli's director; Fay new; Hal 500 is Bishop, as grade 6
    assert sorted(rows(page, "reasons")) == sorted(
        [
            ("by rating", "2"), ("by grade (aged out of the rating’s section)", "1"), ("the coach asks for it", "1"),
            ("the director’s decision", "1"), ("new, by grade", "1"), ("by grade and rating", "1"),
            ("neither grade nor rating known", "1"),
        ]
    )  # fmt: skip
    counts = {row[0]: row[1] for row in rows(page, "counts")}
    sections = ("King", "Queen", "Rook", "Bishop", "Knight", "Pawn", "not known")
    assert counts == dict(zip(sections, "1003211", strict=True))


def test_the_director_sees_first_whom_the_rules_cannot_place(tmp_path: Path) -> None:
    page = sections_page.page(made(tmp_path))
    assert rows(page, "look") == [
        ("Gus Orrin", "not known", "neither grade nor rating is known (found grade PK)"),
        ("Hal Birk", "Bishop", "the national rating 910 would say Queen"),
    ]
    told = text(page)
    assert told.index("For the director") < told.index("The sections")
    assert "Not placed: 1 entrant" in told


def test_merges_are_proposed_in_words_that_say_so(tmp_path: Path) -> None:
    page = sections_page.page(made(tmp_path))
    assert rows(page, "merges")[0] == ("King", "1", "Bishop", "4", "Cid Tarn")
    assert "Nobody has been moved." in text(page)
    none = sections_page.page(made(tmp_path, rules="evanston:smallest=1"))
    assert told_of(none)["merges"] is None
    assert "merge small sections" not in text(none)


def test_a_history_without_grades_and_a_list_with_nothing(tmp_path: Path) -> None:
    some = [f"{name},,,{rating},,,,," for name, rating in (("Ann Quillon", 54), ("Bea Marlock", 327))]
    page = sections_page.page(made(tmp_path, some))
    assert "Grade" not in [column.title for column in told_of(page)["lists"][0].columns]
    assert {row[2] for row in rows(page, "look")} == {"no grade known"}
    nothing = sections_page.page(made(tmp_path, ["Ann Quillon,,,,,,,,", "Bea Marlock,,,,,,,,"]))
    assert nothing.headline == "2 entrants: nobody placed; 2 entrants cannot be placed by the rules"
    assert told_of(nothing)["reasons"] is None  # all have the same


def test_every_table_of_the_page_stands_beside_it(tmp_path: Path) -> None:
    page = sections_page.page(made(tmp_path))
    assert set(page.data) == {"sections.csv", "assignments.csv", "merges.csv", "look.csv"}
    table = page.data["sections.csv"]
    assert list(table.columns) == ["player", "name", "grade", "rating", "section", "reason"]
    listed_there = [row[0] for one in told_of(page)["lists"] for row in one.rows]
    assert listed_there == list(table["player"])
    for name in ("assignments.csv", "look.csv"):
        assert set(page.data[name]["player"]) <= set(table["player"])


def test_equal_ratings_stand_by_lot_and_not_by_name(tmp_path: Path) -> None:
    """Eight children at exactly 100: another seed, another order; the same seed, the same, however they are listed."""
    names = [f"Child {letter}" for letter in "ABCDEFGH"]
    same = [f"{name},,1,100,,,,," for name in names]

    def order(rows: Sequence[str], seed: int) -> list[str]:
        listed_ = listed(tmp_path, rows)
        made_ = make_sections(listed_, parse("evanston"), ratinglab.parse("evanston"), rule=Rule("local"), seed=seed)
        return list(made_.placed.table["player"])

    orders = {tuple(order(same, seed)) for seed in range(4)}
    assert len(orders) == 4
    assert order(same[::-1], 2) == order(same, 2)


@pytest.mark.parametrize("names", ["team", "initials"])
def test_in_public_nothing_is_said_of_children_but_label_rating_and_section(names: str) -> None:
    history = ratinglab.load(ROOT / "data" / "scholastic-club")
    given = entered(history, "2012-mar")
    rules, system = parse("evanston"), ratinglab.parse("evanston")
    shown = make_sections(given, rules, system, protected=protect(given.history, Privacy("public", names)))
    page = sections_page.page(shown)
    assert told_of(page)["reasons"] is None
    assert told_of(page)["look"] is None
    assert set(page.data) == {"sections.csv"}
    told = alone(page, 1).decode()
    children = given.history.entries.loc[given.history.entries["event"] == "2012-mar", "player"]
    assert len(children) > 40
    for child in children:
        assert child not in told
    assert "names pupils" not in told
    own = sections_page.page(make_sections(given, rules, system))
    assert "names pupils" in alone(own, 1).decode()
    assert page.headline == own.headline
    columns = [column.title for one in told_of(page)["lists"] for column in one.columns]
    assert set(columns) == {"Player", "Rating"}


def test_teams_in_divisions_stand_at_what_the_team_is_worth() -> None:
    """The school championship's entry list of teams in three divisions, ranked as the system seeds them."""
    history = ratinglab.load(ROOT / "data" / "school-circuit")
    given = entered(history, "2012-nssc")
    shown = make_sections(given, parse("divisions:count=3,even=yes"), ratinglab.parse("glixo"))
    table = shown.placed.table
    sizes = table["section"].value_counts()
    assert sizes.max() - sizes.min() <= 1
    assert table["rating"].dropna().is_monotonic_decreasing
    entries = given.history.entries[given.history.entries["event"] == "2012-nssc"]
    assert set(table["player"]) == set(entries["team"].fillna(entries["player"]))
    assert sections_page.page(shown).headline.startswith(f"{len(table)} entrants: A ")
    borderline = shown.placed.look[shown.placed.look["why"].str.contains("truly there")]
    assert len(borderline)
    assert pd.to_numeric(borderline["why"].str.extract(r"chance of (\d+) %")[0]).between(0, 50).all()
