"""The page on a seeding: what it says, by hand, in public and for the committee, of sections, odd fields and faults."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from clusters import ROOT

from ratinglab.formats import load
from ratinglab.history import History
from ratinglab.pairing import parse as pairing
from ratinglab.privacy import Rule, protect
from ratinglab.reports import seeding_page, seeding_words
from ratinglab.reports.page import Page
from ratinglab.reports.publication import alone
from ratinglab.seeding.entry_lists import Entered, entered
from ratinglab.seeding.making import Seeding, make_seeding
from ratinglab.systems import parse

HEADER = "section,team,player,school,grade,rating,deviation,national_rating,national_as_of,withdrawn"
# seed 1 by hand: max(1700 - 100, (1700 + 1300)/2) = 1600 ± √(30² + 40²) = 50; seed 2: 1550 ± 120
PAIR = ["A,Heron A,Ann Quillon,Heron,7,1700,30,,,", "A,Heron A,Bea Marlock,Heron,6,1300,40,,,"]
LONE = ["A,Wren A,Cid Tarn,Wren,8,1550,120,1650,2012-01-01,"]
REST = ["A,Heron B,Dot Vane,Heron,7,1400,50,,,", "A,Alder A,Eli Stroud,Alder,,0,,,,"]
GONE = ["A,Birch A,Fay Lune,Birch,5,1800,20,,,yes"]


def given(folder: Path, rows: Sequence[str], history: History | None = None) -> Entered:
    path = folder / "spring.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n", "utf-8")
    return entered(history, entries=path, date="2012-05-12")


def made(folder: Path, rows: Sequence[str] = (*PAIR, *LONE, *REST, *GONE), **options: object) -> Seeding:
    return make_seeding(given(folder, rows), parse("glixo"), **options)


def text(page: Page) -> str:
    told = re.sub(r"<style>.*?</style>|<script>.*?</script>", "", alone(page, 1).decode(), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", told)).split())


def test_the_answer_comes_first_and_the_examples_add_up(tmp_path: Path) -> None:
    page = seeding_page.page(made(tmp_path), "the office")
    told = text(page)
    assert page.headline == "4 teams, first seed Heron A (1600 ± 50); no first-round game within a school"
    by_hand = [
        "Ann Quillon and Bea Marlock, at 1700.0 ± 30.0 and 1300.0 ± 40.0.",
        "The best less 100 is 1600.0, the mean 1500.0: the team stands at the greater, 1600.0.",
        "Its ± is √(30.0² + 40.0²) = 50.0. Rounded: 1600 ± 50.",
        "Of seeds 1 and 2: Φ((1600.0 − 1550.0)/√(50.0² + 120.0²)) = 65 %.",  # Φ(50/130) = Φ(.385) = .650
    ]
    for sentence in by_hand:
        assert sentence in told
    assert "Withdrawn and not seeded: Fay Lune." in told
    assert "Questions about a rating, and further results: the office." in told
    assert not re.search(r"\b(nan|NaT|None|NA)\b", told)


def test_each_person_s_ratings_and_why_one_counts_are_told(tmp_path: Path) -> None:
    told = text(seeding_page.page(made(tmp_path)))
    assert "filed: 1550 ±120 filed (national): 1650, 2012-01-01 filed no local rating" not in told
    assert re.search(r"Cid Tarn Wren A filed: 1550 ±120 filed \(national\): 1650, 2012-01-01 filed counts before", told)
    assert "unrated (0 filed, which says unrated)" in told


def test_committee_sets_say_so_and_public_ones_name_nobody_protected(tmp_path: Path) -> None:
    listed = given(tmp_path, [*PAIR, *LONE, *REST])
    committee = seeding_page.page(make_seeding(listed, parse("glixo")))
    assert "This page names pupils" in text(committee)
    hidden = protect(listed.history, Rule("public"))
    public = make_seeding(listed, parse("glixo"), protected=hidden)
    page = seeding_page.page(public)
    told = text(page) + "".join(table.to_csv() for table in page.data.values())
    assert "This page names pupils" not in told
    for name in ("Quillon", "Marlock", "Tarn", "Vane", "Stroud"):
        assert name in text(committee)
        assert name not in told
    assert "problems.csv" not in page.data
    assert "choices.csv" not in page.data  # nobody is left who may be told
    assert public.seeding["members"].isna().all()
    columns = ["seed", "name", "school", "rating", "deviation"]
    one = make_seeding(listed, parse("glixo")).seeding
    pd.testing.assert_frame_equal(public.seeding[columns], one[columns])  # teams, schools and ratings stay whole
    assert "For example, two members, at 1700.0 ± 40.0" in told  # of nobody in the field


def test_lots_are_those_of_the_true_names_in_public_too(tmp_path: Path) -> None:
    rows = [f"A,,Pupil{c} Yarrow{c},School {c},6,,,,," for c in "abcdefghij"]
    listed = given(tmp_path, rows)
    hidden = protect(listed.history, Rule("public"))
    for seed in range(3):
        one = make_seeding(listed, parse("glixo"), seed=seed).seeding
        other = make_seeding(listed, parse("glixo"), seed=seed, protected=hidden).seeding
        assert not set(one["name"]) & set(other["name"])
        assert one["school"].tolist() == other["school"].tolist()  # the same people in the same places
        assert one["name"].tolist() != sorted(one["name"])


def test_sections_are_seeded_apart_and_odd_fields_are_told(tmp_path: Path) -> None:
    rows = [*PAIR, *LONE, *[row.replace("A,", "B,", 1) for row in REST], "B,Fern A,Gus Orrin,Fern,6,1500,60,,,"]
    one = made(tmp_path, rows)
    assert [part.section for part in one.sections] == ["A", "B"]
    assert list(one.seeding.columns[:2]) == ["section", "seed"]
    assert one.seeding["seed"].tolist() == [1, 2, 1, 2, 3]
    page = seeding_page.page(one)
    assert page.headline.startswith("5 teams in 2 sections")
    lowest = one.sections[1].table["name"].iloc[-1]
    assert f"The field is odd: {lowest} sits out." in text(page)


@pytest.mark.parametrize(
    ("system", "why"),
    [
        ("nssc", "corresponding would be"),
        ("king-of-the-hill", "is the first of those left, and meets the next in the list"),
        ("round-robin", "By the table of the round robin"),
        ("evanston", "corresponding"),
    ],
)
def test_why_a_pair_is_made_is_told_in_the_pairing_system_s_own_words(tmp_path: Path, system: str, why: str) -> None:
    rows = [f"A,,P{i} Q{i},{'Heron' if i in (0, 3) else i},6,{1900 - 50 * i},40,,," for i in range(6)]
    one = made(tmp_path, rows, pairing=pairing(system))
    told = text(seeding_page.page(one))
    assert why in told
    if system == "nssc":  # seeds 1 and 4 are of one school
        assert one.draw["gave_way"].str.contains("corresponding halves").sum() == 2
        assert "the opponents on 2 boards are not the corresponding ones" in told


def test_schools_of_more_than_half_of_the_field_play_themselves_as_seldom_as_can_be(tmp_path: Path) -> None:
    rows = [f"A,,P{i} Q{i},{'Heron' if i < 6 else f'S{i}'},6,{1900 - 50 * i},40,,," for i in range(8)]
    one = made(tmp_path, rows)
    assert one.sections[0].drawn.clashes == 6 - 8 / 2 == 2
    assert "One school has more than half of the field, so 2 games are within a school" in text(seeding_page.page(one))
    free = made(tmp_path, rows, schools_apart=False)
    assert free.draw["gave_way"].tolist() == [""] * 4
    assert "Schools were not heeded" in text(seeding_page.page(free))


@pytest.mark.parametrize("system", ["naspa", "elo", "uscf", "wespa", "fide"])
def test_systems_without_a_deviation(tmp_path: Path, system: str) -> None:
    one = make_seeding(given(tmp_path, [*PAIR, *LONE, *REST]), parse(system))
    assert one.seeding[["deviation", "p_above_next"]].isna().all(axis=None)
    told = text(seeding_page.page(one))
    assert f"The rating system {system} has no measure of how sure a rating is" in told
    assert not re.search(r"\b(nan|NaT|None)\b", told)


@pytest.fixture(scope="module")
def circuits() -> History:
    return load(ROOT / "data" / "school-circuit", ROOT / "data" / "open-circuit")


def test_what_it_rests_on_and_what_is_awaited(circuits: History) -> None:
    one = make_seeding(entered(circuits, until="2012-03-10"), parse("glixo"))
    ends = one.rests.loc[one.rests["counts"] == 1, "end_date"]
    assert ends.max() <= pd.Timestamp("2012-03-10")
    awaited = one.rests[one.rests["counts"] == 0]
    assert awaited["event"].tolist() == ["2012-indiana-school", "2012-woburn-burlington-school"]
    told = text(seeding_page.page(one, links={"2011-nssc": "../events/2011-nssc.html"}))
    assert "been received as of 2012-03-10 ; once they are" in told
    others = seeding_words.other_events(one)
    outside = one.rests[(one.rests["counts"] == 1) & (one.rests["pool"] != "school")]
    assert f"{len(outside)} other rated events" in others
    assert len(seeding_words.told_one_by_one(one)) + len(outside) == int(one.rests["counts"].sum())
    assert not re.search(r"2012 Texas School .* 64", told)  # after the day


def test_numbers_of_few_are_not_told_in_public(circuits: History) -> None:
    listed = entered(circuits)
    one = make_seeding(listed, parse("glixo"))
    public = make_seeding(listed, parse("glixo"), protected=protect(listed.history, Rule("public")))
    few = one.rests["entrants_here"].between(1, 4)
    assert few.any()
    assert public.rests.loc[few, "entrants_here"].isna().all()
    assert (public.rests.loc[~few, "entrants_here"] == one.rests.loc[~few, "entrants_here"]).all()
