"""The database's ranking page as text: cells run together, what stands around them, and the printed figures."""

import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import SHARED, needs_shared
from saying import errors, lines, warnings

from ratinglab.checking import check
from ratinglab.formats import load
from ratinglab.formats.wdd_page import is_page
from ratinglab.problems import InputError

ABOVE = """The Diplomacy Pages
Home Tournament Circuit Player
Dip Rating
AuthorIda Marl Last Update2020-01-02
Permanent
2016201520142013
The formula used is: (([Number of Players in the event]+0.5-[Placement])/[Number of Players in the event])*100

"""
NAMES = ["Ada ZELM", "Bram QUILL", "Cy DE LA ROE", "Dot O'MARL", "Éva ŠTĚTKA", "Fay TAMSIN"]
BELOW = "\nThe Association of the Hills The Association of the Dales\n"


def score(place, of):
    """The percentile as the source states it, printed to two decimals."""
    return f"{(of + 0.5 - place) / of * 100:.2f}"


def page(
    name="Hill Con 2019", date="May 24-26, 2019", players=10, rounds=3, coeff="4.86", places=(1, 2, 2, 4, 5), rows=None
):
    """A page of ten players: 10/3.5 + 2 = 4.857."""
    if rows is None:
        rows = [f"{place}{who}{score(place, players)}" for place, who in zip(places, NAMES, strict=False)]
    return lines(
        name, f"Date {date} Place Hill End", f"Number of players{players} Number of rounds{rounds} Number of boards4",
        f"Coeff 1{coeff} Coeff 2- Coeff 3-", "", "RankFirstName LastNameLoc.Nat.Score", *rows,
    )  # fmt: skip


def test_a_page_with_everything_around_it(write):
    history = load(write("hill-con.txt", ABOVE + page() + BELOW))
    event = history.events.iloc[0]
    assert event[["event", "name", "place", "kind", "availability", "source"]].tolist() == [
        "hill-con", "Hill Con 2019", "Hill End", "placings", "rated", "hill-con.txt",
    ]  # fmt: skip
    assert event[["date", "end_date"]].tolist() == [pd.Timestamp("2019-05-24"), pd.Timestamp("2019-05-26")]
    assert event[["players", "rounds", "boards"]].tolist() == [10, 3, 4]
    assert history.placings["player"].tolist() == NAMES[:5]
    assert history.placings["place"].tolist() == [1, 2, 2, 4, 5]
    assert history.placings["of"].unique().tolist() == [10]
    assert history.placings["score"].tolist() == [95.0, 85.0, 85.0, 65.0, 55.0]
    assert history.placings["line"].tolist() == [15, 16, 17, 18, 19]
    assert history.entries[["section", "number", "player"]].to_numpy().tolist() == [
        ["main", number, player] for number, player in enumerate(NAMES[:5], 1)
    ]
    assert check(history) == ()


def test_a_ranking_of_some_only_is_legal_and_never_renumbered(write):
    history = load(write("x.txt", page(places=(1, 3, 3, 7))))
    assert history.placings["place"].tolist() == [1, 3, 3, 7]
    assert check(history) == ()


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_any_line_end_and_encoding(write, end, encoding):
    history = load(write("x.txt", page().replace("\n", end).encode(encoding)))
    assert history.placings["player"].tolist() == NAMES[:5]
    assert check(history) == ()


def test_several_pages_in_one_file(write):
    other = page("Dale Con 2020", "June 1, 2020", places=(1, 2))
    again = page("Dale Con 2020", "June 2, 2020", places=(1, 2, 3))
    history = load(write("cons.txt", ABOVE + page() + BELOW + ABOVE + other + again + BELOW))
    assert history.events["event"].tolist() == [
        "cons-hill-con-2019",
        "cons-dale-con-2020",
        "cons-dale-con-2020-2",
    ]
    assert history.placings["event"].value_counts(sort=False).tolist() == [5, 2, 3]
    assert history.events["name"].tolist() == ["Hill Con 2019", "Dale Con 2020", "Dale Con 2020"]
    assert check(history) == ()


def test_cells_parted_by_tabs(write):
    rows = [
        f"{i}\t{first}\t{last}\tFR\tGB\t{score(i, 10)}" for i, first, last in ((1, "Ada", "ZELM"), (2, "Bo", "MARL"))
    ]
    text = page(rows=rows).replace(
        "RankFirstName LastNameLoc.Nat.Score", "Rank\tFirstName\tLastName\tLoc.\tNat.\tScore"
    )
    history = load(write("x.txt", text))
    assert history.placings[["player", "nationality"]].to_numpy().tolist() == [["Ada ZELM", "GB"], ["Bo MARL", "GB"]]
    assert history.entries["nationality"].tolist() == ["GB", "GB"]
    spread = page(rows=[f"1  Ada ZELM  FR  GB  {score(1, 10)}", f"2  Bo MARL  {score(2, 10)}"])
    history = load(write("x.txt", spread))
    assert history.placings["player"].tolist() == ["Ada ZELM", "Bo MARL"]
    assert history.placings["nationality"].fillna("").tolist() == ["GB", ""]


def test_a_header_with_a_line_for_each_cell(write):
    text = page().replace("Date ", "Date\n").replace(" Place ", "\nPlace\n").replace("players10 N", "players\n10\nN")
    history = load(write("x.txt", text))
    assert history.events.loc[0, ["place", "players", "rounds"]].tolist() == ["Hill End", 10, 3]
    assert check(history) == ()


def test_the_unranked_are_entered_and_counted_and_have_no_place(write):
    rows = [f"1Ada ZELM{score(1, 10)}", "999Bo MARL", "999Cy ROE-", "999Di LOW0.00"]
    history = load(write("x.txt", page(rows=rows)))
    assert history.placings["place"].isna().tolist() == [False, True, True, True]
    assert history.placings["player"].tolist() == ["Ada ZELM", "Bo MARL", "Cy ROE", "Di LOW"]
    assert len(history.entries) == 4
    assert check(history) == ()


# --- the printed figures


@pytest.mark.parametrize(
    ("given_", "due"),
    [
        ({"coeff": "4.87"}, "4.86 (10 players, 3 rounds); found '4.87'"),
        ({"coeff": "-"}, "4.86 (10 players, 3 rounds); found '-'"),
        ({"rounds": 1}, "3.43 (10 players, 1 round); found '4.86'"),
        ({"date": "May 24, 1999"}, "0.00 (an event before 2001); found '4.86'"),
        ({"name": "World DipCon L 2019"}, "20.00 (World Championship); found '4.86'"),
    ],
)
def test_a_coefficient_that_is_not_the_value(write, given_, due):
    history = load(write("x.txt", page(**given_)))
    assert [w.split("x.txt:")[1] for w in warnings(history)] == [f"4:8: warning: expected Coeff 1 of {due}"]
    assert not errors(history)


@pytest.mark.parametrize(
    "given_",
    [
        {"coeff": "4.857"},
        {"coeff": "4,86"},
        {"rounds": 1, "coeff": "3.43"},
        {"date": "May 24, 1999", "coeff": "-"},
        {"date": "May 24, 1999", "coeff": "0.00"},
        {"name": "World DipCon L 2019", "coeff": "20.00"},
        {"name": "World DipCon L 1998", "date": "July 3, 1998", "coeff": "20.00"},
    ],
)
def test_a_coefficient_that_is(write, given_):
    assert not check(load(write("x.txt", page(**given_))))


@pytest.mark.parametrize("name", ["World DipCon XVII 2007 (Con 40)", "World Diplomacy Championship 2008", "Any 2009"])
def test_the_world_championship_is_told_by_its_name_or_its_value(write, name):
    assert load(write("x.txt", page(name, coeff="20.00"))).events["championship"].tolist() == ["World Championship"]
    assert load(write("x.txt", page())).events["championship"].isna().all()


def test_scores_that_are_not_the_percentile_are_told_once(write):
    text = page().replace("85.00", "85.02")
    history = load(write("x.txt", text))
    assert [w.split("x.txt:")[1] for w in warnings(history)] == [
        "8: warning: expected a score of 85.00 for place 2 of 10; found 85.02 of 'Bram QUILL' (and more on line 9)"
    ]
    assert not warnings(load(write("x.txt", page(players=7, coeff="4.00"))))  # 92.857… printed as 92.86


# --- what is wrong with a page


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("May 24-26, 2019", "soon", "2:6: error: expected a date such as"),
        ("players10", "playersmany", "3:18: error: expected Number of players: a whole number from 1 up; found 'many'"),
        ("players10 ", "players ", "3:18: error: expected Number of players: a whole number from 1 up; found none"),
        ("rounds3", "roundsx", "3:37: error: expected Number of rounds: a whole number from 1 up; found 'x'"),
        ("14.86", "1a lot", "4:8: error: expected Coeff 1: a number, or - for none; found 'a lot'"),
        ("RankFirst", "First", "7: error: expected a line 'Rank ... Name ... Score' above the places; found none"),
        ("2Bram QUILL85.00", "2Bram QUILL", "8: error: expected place, name and score; found '2Bram QUILL'"),
        ("2Bram QUILL85.00", "Bram QUILL85.00", "8: error: expected place, name and score; found 'Bram QUILL85.00'"),
        ("2Bram QUILL85.00", "%%%", "8: error: expected place, name and score; found '%%%'"),
        ("5Éva ŠTĚTKA55.00", "5Éva ŠTĚTKA", "11: warning: expected place, name and score; found '5Éva ŠTĚTKA'"),
        ("Hill Con 2019\n", "", "1: error: expected the event's name above its date; found none"),
    ],
)
def test_faults_of_a_page(write, old, new, said):
    text = page()
    assert old in text
    history = load(write("x.txt", text.replace(old, new) + BELOW))
    assert any(p.split("x.txt:")[1].startswith(said) for p in errors(history) + warnings(history)), history.problems
    assert len(history.placings) >= 4


def test_all_faults_are_told_at_once(write):
    text = page().replace("24-26", "sometime").replace("rounds3", "rounds?").replace("4Dot", "Dot")
    history = load(write("x.txt", text))
    assert [e.split("x.txt:")[1][:2] for e in errors(history)] == ["2:", "3:", "10"]
    # the date that cannot be read is not told again
    assert [str(p) for p in check(history)] == sorted(errors(history), key=lambda e: int(e.split(":")[1]))


def test_without_a_number_of_players_the_rows_are_not_counted_for_it(write):
    history = load(write("x.txt", page().replace("Number of players10 ", "")))
    assert history.placings["of"].isna().all()
    told = "the number of players of x (players in events.csv); found none; its places are not rated"
    assert any(told in str(problem) for problem in check(history))


def test_a_page_without_rows(write):
    write("e/x.txt", page(rows=[]))
    history = load(write("e/y.txt", page()).parent)
    assert "x.txt:2: error: expected rows of place, name and score; found none of Hill Con 2019" in errors(history)[0]
    assert history.events["availability"].tolist() == ["awaited", "rated"]


def test_lines_below_the_table_are_not_its_rows(write):
    junk = lines("Some words", "1Not A ROW99.00", "More words", "words", "words", "9Neither 1.00")
    history = load(write("x.txt", page() + junk))
    assert len(history.placings) == 5
    assert check(history) == ()


def test_a_forced_format_says_what_it_misses(write):
    with pytest.raises(InputError, match=r"a line 'Date ... Place ...' and one with the number of players"):
        load(write("x.txt", "some words\n"), format="wdd")
    with pytest.raises(InputError, match=r"a ranking page as text; found binary data"):
        load(write("x.txt", b"\x00\x01" * 40), format="wdd")


def test_texts_that_are_no_page():
    assert not is_page("Date of birth\nPlace of birth\n")
    assert not is_page("Rank,Name,Score\n1,A,2\n")
    assert is_page(page())


def test_long_lines_take_no_long_time(write):
    """A row is looked for in lines of a row's length only: the search would grow with the square of the length."""
    text = page() + "1" + "a" * 200_000 + "\n" + "9 " * 100_000 + "\n"
    assert len(load(write("x.txt", text)).placings) == 5


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_a_mangled_page_is_read_or_refused_with_reasons(data):
    text = (ABOVE + page() + BELOW + page("Dale 2020")).encode()
    for _ in range(data.draw(st.integers(1, 6))):
        i = data.draw(st.integers(0, len(text)))
        j = data.draw(st.integers(i, min(len(text), i + 40)))
        text = (
            text[:i]
            + data.draw(st.binary(max_size=6) | st.sampled_from([b"\n", b"\t", b"9" * 30, b"Date "]))
            + text[j:]
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.txt"
        path.write_bytes(text)
        try:
            problems = check(load(path, format=data.draw(st.sampled_from([None, "wdd"]))))
        except InputError as error:
            problems = error.problems
            assert problems
        assert all(p.expected and p.found for p in problems)


# --- the real page


@needs_shared
def test_the_page_of_the_source_document():
    """Dixie 33 (2019): 36 players by its header and 29 rows, the places 30 to 36 missing; value printed as 12.29."""
    history = load(SHARED.parent / "sources" / "wdd-dip-pouch-rating.txt")
    event = history.events.iloc[0]
    assert event[["name", "place", "players", "rounds", "boards"]].tolist() == [
        "Dixie 33 2019",
        "Chapel Hill",
        36,
        3,
        12,
    ]
    assert event[["date", "end_date"]].tolist() == [pd.Timestamp("2019-05-24"), pd.Timestamp("2019-05-26")]
    assert history.placings["of"].tolist() == [36] * 29
    # the same rows as facts: place and score
    published = pd.read_csv(SHARED / "wdd" / "dptr_event_scores.csv")
    published = published[published["event"] == "Dixie 33 2019"]
    assert history.placings["place"].tolist() == published["rank"].tolist()
    assert history.placings["score"].tolist() == published["score_published"].tolist()
    assert set(range(1, 30)) - set(history.placings["place"]) == {6, 27}  # each after a tie of two
    assert check(history) == ()
