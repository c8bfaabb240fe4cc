"""FIDE report files: by column, from any program, both sides of every game, every fault told.

The records are made here by hand, from the columns of FIDE's tables (TRF16, TRF26), not by the package's writer.
"""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratinglab.formats import load
from ratinglab.formats.trf import forbidden
from ratinglab.pairing import parse as pairing
from ratinglab.pairing.real import next_round
from ratinglab.problems import InputError


def record(number, name, points, *cells, rank=1, sex="", title="", rating="", federation="", fide_id="", born=""):
    """A player's record: the columns of FIDE's table, counted from 1."""
    line = [" "] * 90
    for first, last, text, right in (
        (1, 3, "001", False), (5, 8, number, True), (10, 10, sex, False), (11, 13, title, True), (15, 47, name, False),
        (49, 52, rating, True), (54, 56, federation, False), (58, 68, fide_id, True), (70, 79, born, False),
        (81, 84, points, True), (86, 89, rank, True),
    ):  # fmt: skip
        width = last - first + 1
        line[first - 1 : last] = str(text).rjust(width) if right else str(text).ljust(width)
    # a round is ten columns, the first of them 92 to 99 and two blanks
    return "".join(line) + " " + "".join(f"{cell:8s}  " for cell in cells)


FOUR = [
    record(1, "Ashdown, Wren", "1.5", "   4 w 1", "   2 b =", rank=1, sex="w", rating=1810, federation="ENG"),
    record(2, "Brock, Odo", "1.5", "   3 b 1", "   1 w =", rank=1, sex="m", title="g", rating=1705, born="1990/05/21"),
    record(3, "Carne, Isa", "1.0", "   2 w 0", "   4 b 1", rank=3, rating=0, born="1991/00/00"),
    record(4, "Dray, Sorrel", "0.0", "   1 b 0", "   3 w 0", rank=4, born="0000/00/00"),
]
HEAD = ["012 The Harbour Open", "022 Saltmarsh", "042 2024/03/02", "052 2024/03/03", "062 4", "XXR 3"]


@pytest.fixture
def trf(write):
    """Write lines as a report file and read it; returns the history."""

    def make(*lines, name="harbour.trf", end="\r\n", encoding="utf-8"):
        return load(write(name, "".join(line + end for line in lines).encode(encoding)))

    return make


def rows(history, *columns):
    table = history.games.sort_values(["round", "line"], kind="stable")[list(columns)].astype(object)
    return [tuple(None if pd.isna(value) else value for value in row) for row in table.itertuples(index=False)]


def said(history):
    return [(p.line, p.column, p.severity, p.expected, p.found) for p in history.problems]


# --- what is read -----------------------------------------------------------------------------------------------------


def test_the_tables_of_a_small_event(trf):
    history = trf(*HEAD, *FOUR)
    assert said(history) == []
    event = history.events.iloc[0]
    assert (event["event"], event["name"], event["place"], event["rounds"]) == (
        "harbour", "The Harbour Open", "Saltmarsh", 3,
    )  # fmt: skip
    assert (event["date"], event["end_date"]) == (pd.Timestamp("2024-03-02"), pd.Timestamp("2024-03-03"))
    entries = history.entries
    assert list(entries["number"]) == [1, 2, 3, 4]
    assert set(entries["section"]) == {"main"}
    assert list(entries["player"]) == ["Ashdown, Wren", "Brock, Odo", "Carne, Isa", "Dray, Sorrel"]
    assert entries["rating"].fillna(-1).tolist() == [1810, 1705, -1, -1]  # 0 and blank are unrated
    assert entries["rating_kind"].fillna("").tolist() == ["fide", "fide", "", ""]
    assert entries["nationality"].fillna("").tolist() == ["ENG", "", "", ""]
    assert entries["birth_date"].dropna().tolist() == [pd.Timestamp("1990-05-21")]  # a year alone is no day
    columns = ("round", "player", "opponent", "result", "first", "status", "rated")
    assert rows(history, *columns) == [
        (1, "Ashdown, Wren", "Dray, Sorrel", 1.0, 1, "played", 1),
        (1, "Brock, Odo", "Carne, Isa", 1.0, 0, "played", 1),
        (2, "Ashdown, Wren", "Brock, Odo", 0.5, 0, "played", 1),
        (2, "Carne, Isa", "Dray, Sorrel", 1.0, 0, "played", 1),
    ]


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", "\r\r\n", "\r\n\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_line_ends_and_encodings(trf, end, encoding):
    lines = [*HEAD, *FOUR]
    lines[-1] = lines[-1].replace("Dray, Sorrel", "Dräy, Sorrél")
    history = trf(*lines, end=end, encoding=encoding)
    assert said(history) == []
    assert history.entries["player"].iloc[-1] == "Dräy, Sorrél"
    assert len(history.games) == 4


def test_a_program_that_counts_bytes_shifts_what_follows_a_name(trf):
    name = "Çelik, Zoë Ünal"
    shifted = record(4, name, "0.0", "   1 b 0", "   3 w 0", rank=4, rating=1500, federation="TUR")
    spare = len(name.encode()) - len(name)
    shifted = shifted[: 14 + 33 - spare] + shifted[14 + 33 :]  # the name fills its columns in bytes
    assert len(shifted.encode()) == len(record(4, "x", "0.0", "   1 b 0", "   3 w 0").encode())
    history = trf(*HEAD, *FOUR[:3], shifted)
    assert said(history) == []
    last = history.entries.iloc[-1]
    assert (last["player"], last["rating"], last["nationality"]) == (name, 1500, "TUR")


def test_a_fault_after_such_a_name_stands_where_an_editor_shows_it(trf):
    name = "Çelik, Zoë Ünal"
    spare = len(name.encode()) - len(name)
    line = record(4, name, "0.0", "   1 b ?", "   3 w 0")
    history = trf(*HEAD, *FOUR[:3], line[: 47 - spare] + line[47:])
    assert (10, 99 - spare, "error", "round 1: a result (1 = 0, W D L, + -, H F U Z)", "'?'") in said(history)


def test_start_number_is_neither_order_of_lines_nor_rank(trf):
    history = trf(*HEAD, FOUR[2], FOUR[0], FOUR[3], FOUR[1])
    again = trf(*HEAD, *FOUR, name="b/harbour.trf")
    left, right = (
        h.games.sort_values(["round", "player"], ignore_index=True).drop(columns=["file", "line"])
        for h in (history, again)
    )
    pd.testing.assert_frame_equal(left, right)
    assert list(history.entries["number"]) == [1, 2, 3, 4]


def test_short_lines_and_files_without_a_header(trf):
    history = trf("001    1      Ashdown, Wren", "001    2   u  Brock, Odo", "001    3")
    assert len(history.games) == 0
    assert history.events["rounds"].isna().all()
    assert list(history.entries["player"]) == ["Ashdown, Wren", "Brock, Odo", "no. 3"]
    assert [p.expected for p in history.problems] == ["a player's name"]


@pytest.mark.parametrize(
    ("mine", "theirs", "status", "result", "rated"),
    [
        ("1", "0", "played", 1.0, 1), ("0", "1", "played", 0.0, 1), ("=", "=", "played", 0.5, 1),
        ("W", "L", "played", 1.0, 0), ("l", "w", "played", 0.0, 0), ("D", "d", "played", 0.5, 0),
        ("+", "-", "forfeit", 1.0, 0), ("-", "+", "forfeit", 0.0, 0), ("-", "-", "forfeit", None, 0),
        (" ", " ", "unknown", None, 0),
    ],
)  # fmt: skip
def test_every_result_of_a_game(trf, mine, theirs, status, result, rated):
    lines = record(1, "Ashdown, Wren", "", f"   2 w {mine}"), record(2, "Brock, Odo", "", f"   1 b {theirs}")
    history = trf(*lines)
    assert rows(history, "status", "result", "first", "rated") == [(status, result, 1, rated)]
    assert said(history) == []


@pytest.mark.parametrize(
    ("cell", "status", "result"),
    [
        ("0000 - H", "bye", 0.5), ("0000 - F", "bye", 1.0), ("0000 - U", "bye", 1.0), ("0000 - Z", "bye", 0.0),
        ("0000   u", "bye", 1.0), ("     - H", "bye", 0.5), ("0000 - +", "forfeit", 1.0), ("0000 - -", "forfeit", 0.0),
        ("", "bye", 0.0), ("0000 - ", "bye", 0.0),
    ],
)  # fmt: skip
def test_a_round_without_an_opponent(trf, cell, status, result):
    """Of a round that was played; nothing, too, is a zero-point bye."""
    history = trf(*FOUR, record(5, "Elm, Tova", "", cell))
    found = [row[1:] for row in rows(history, "player", "round", "opponent", "status", "result") if "Elm" in row[0]]
    assert found[0] == (1, None, status, result)
    assert found[1:] == [(2, None, "bye", 0.0)]
    assert said(history) == []


@pytest.mark.parametrize(
    ("system", "results"),
    [
        ("162  W  3.0    D  1.0    P  1.0", {"H": 0.5, "F": 1.0, "U": 0.5, "Z": 0.0}),
        ("162  W  3.0    D  1.0", {"H": 0.5, "F": 1.0, "U": 1.0, "Z": 0.0}),  # P is as W where nothing is said
        ("162  P  0.5", {"H": 0.5, "F": 1.0, "U": 0.5, "Z": 0.0}),
        ("XXS PAB=0.5 HPB=0.0", {"H": 0.0, "F": 1.0, "U": 0.5, "Z": 0.0}),
        ("XXS W=3.0 D=1.0 PAB=3.0 ZPB=1.0", {"H": 0.5, "F": 1.0, "U": 1.0, "Z": 0.5}),
    ],
)
def test_byes_are_worth_what_the_points_system_says(trf, system, results):
    byes = [record(5 + i, f"Elm, Tova {'abcd'[i]}", "", f"0000 - {code}") for i, code in enumerate(results)]
    history = trf(system, *[line[:80] + "    " + line[84:] for line in FOUR], *byes)
    found = history.games[history.games["round"].eq(1) & history.games["status"].eq("bye")]["result"]
    assert found.tolist() == list(results.values())
    assert said(history) == []


def test_a_bye_worth_no_result_is_told(trf):
    history = trf("XXS PAB=0.7", *FOUR, record(5, "Elm, Tova", "0.7", "0000 - U"))
    assert [(p.line, p.found) for p in history.problems] == [(6, "0.7 points; its result is left out")]
    assert history.games["result"].isna().sum() == 1


# --- coming rounds ----------------------------------------------------------------------------------------------------


def test_a_bye_of_a_coming_round_is_no_round_played(trf):
    """Case 5 of the pairing programs' faults: a pre-assigned bye is not a played round."""
    lines = [*HEAD, *FOUR[:3], FOUR[3].rstrip() + "  0000 - H", record(5, "Elm, Tova", "0.0")]
    history = trf(*[line.replace("062 4", "062 5") for line in lines])
    assert said(history) == []
    third = [row for row in rows(history, "round", "player", "status", "result") if row[0] == 3]
    assert third == [(3, "Dray, Sorrel", "bye", 0.5)]
    made = next_round(history, "harbour", "main", pairing("swiss"))
    assert made.section.standing.round == 3
    assert dict(zip(made.away["player"], made.away["why"], strict=True)) == {
        "Dray, Sorrel": "bye given before in the file"
    }


def test_absences_and_byes_of_records_of_their_own(trf):
    history = trf(*HEAD, *FOUR, "XXZ 2 3", "240 H 003    4")
    third = [row for row in rows(history, "round", "player", "status", "result") if row[0] == 3]
    assert sorted(third) == [
        (3, "Brock, Odo", "bye", 0.0), (3, "Carne, Isa", "bye", 0.0), (3, "Dray, Sorrel", "bye", 0.5),
    ]  # fmt: skip
    # an absence from the round after the last is nothing; one before it must agree with the record
    done = trf(*[line.replace("XXR 3", "XXR 2") for line in HEAD], *FOUR, "XXZ 2", "240 F 001    3", name="b.trf")
    assert set(done.games["round"]) == {1, 2}
    assert [(p.line, p.expected, p.found) for p in done.problems] == [
        (12, "round 1: F of no. 3", "'2 w 0' in the player's record, line 9, which holds")
    ]


def test_a_round_that_is_paired_and_not_played(trf):
    lines = [line.rstrip() for line in FOUR]
    cells = ("   3 b", "   4 w", "   1 w", "   2 b")
    history = trf(*HEAD, *(f"{line}  {cell}" for line, cell in zip(lines, cells, strict=True)))
    assert said(history) == []
    third = [row for row in rows(history, "round", "player", "opponent", "first", "status") if row[0] == 3]
    assert third == [
        (3, "Ashdown, Wren", "Carne, Isa", 0, "unknown"), (3, "Brock, Odo", "Dray, Sorrel", 1, "unknown"),
    ]  # fmt: skip


def test_forbidden_pairs(trf):
    text = "\n".join([*FOUR, "XXP 1 2 3", "260 002 003    1    4", "FOR 3 4"])
    assert forbidden(text, 1) == [(1, 2), (1, 3), (2, 3), (3, 4)]
    assert forbidden(text, 2) == [(1, 2), (1, 3), (1, 4), (2, 3), (3, 4)]
    assert forbidden(text, 4) == forbidden(text, 1)
    history = trf(*FOUR, "XXP 1", "260 x   002    1    2", "XXP 1 b")
    assert [(p.line, p.found) for p in history.problems] == [(5, "'1'"), (6, "'x   002'"), (7, "'b'"), (7, "'1 b'")]


def test_teams_are_schools(trf):
    history = trf(
        *FOUR,
        f"013 {'Harbour School':32s}   1    3",
        "310   2 Mill Lane                        MIL     1700".ljust(73) + "   2    9",
        f"013 {'Dockside':32s}   1",
        "013",
    )
    assert history.entries["school"].fillna("").tolist() == ["Harbour School", "Mill Lane", "Harbour School", ""]
    assert [p.found for p in history.problems] == ["none", "9", "Harbour School and Dockside; the first holds"]
    assert history.entries["team"].isna().all()


# --- faults -----------------------------------------------------------------------------------------------------------


def test_sides_that_disagree_all_at_once(trf):
    """Each with its line, the column in which the cell begins, what was expected and what was found."""
    history = trf(
        record(1, "Ashdown, Wren", "", "   4 w 1", "   2 b =", "   2 w 1"),
        record(2, "Brock, Odo", "", "   3 b 1", "   1 w 1", "   1 w 0"),
        record(3, "Carne, Isa", "", "   2 w 0", "   9 w 1", "   3 w 1"),
        record(4, "Dray, Sorrel", "", "   1 b 1", "   3 w 0", "        "),
    )
    assert said(history) == [
        (1, 92, "error", "round 1: '1 b 0' of no. 4", "'4 w 1' here and '1 b 1' there, line 4; not rated"),
        (1, 102, "error", "round 2: '1 w =' of no. 2", "'2 b =' here and '1 w 1' there, line 2; not rated"),
        (3, 102, "error", "round 2: the start number of another player", "no. 9, which is none"),
        (4, 102, "error", "round 2: '4 b 1' of no. 3", "'3 w 0' here and '9 w 1' there, line 3; not rated"),
        (1, 112, "warning", "round 3: opposite colours", "w for no. 1 and no. 2, line 2; the colours are left out"),
        (3, 112, "error", "round 3: the start number of another player", "the player's own"),
    ]
    assert history.games["status"].value_counts().to_dict() == {"unknown": 5, "played": 2, "bye": 1}


def test_a_side_that_is_missing(trf):
    history = trf(
        record(1, "Ashdown, Wren", "1.0", "   2 w 1"), record(2, "Brock, Odo", "0.0"),
        record(3, "Carne, Isa", "0.0", "   4 w 0"), record(4, "Dray, Sorrel", "1.0", "   3 b 1"),
    )  # fmt: skip
    assert said(history) == [
        (1, 92, "error", "round 1: '1 b 0' of no. 2", "'2 w 1' here and nothing there, line 2; not rated")
    ]
    assert list(rows(history, "player", "opponent", "status")) == [
        ("Ashdown, Wren", "Brock, Odo", "unknown"), ("Carne, Isa", "Dray, Sorrel", "played"),
    ]  # fmt: skip


def test_nothing_against_an_opponent_is_a_forfeit_and_does_not_loop(trf):
    """Case 8: `62 b Z`, a forfeit against a real opponent."""
    history = trf(
        record(1, "Ashdown, Wren", "1.0", "   2 w +"), record(2, "Brock, Odo", "0.0", "   1 b Z"),
        record(3, "Carne, Isa", "0.5", "   4 w H"), record(4, "Dray, Sorrel", "0.0", "   3 b 0"),
    )  # fmt: skip
    assert rows(history, "player", "opponent", "status", "result") == [
        ("Ashdown, Wren", "Brock, Odo", "forfeit", 1.0), ("Carne, Isa", None, "bye", 0.5),
        ("Carne, Isa", "Dray, Sorrel", "unknown", None),
    ]  # fmt: skip
    assert [(p.line, p.severity, p.found) for p in history.problems] == [
        (2, "warning", "'1 b Z', taken as a game forfeited"), (3, "error", "'4 w H', taken as a bye"),
        (4, "error", "'3 b 0' here and '4 w H' there, line 3; not rated"),
    ]  # fmt: skip
    made = next_round(history, "harbour", "main", pairing("swiss"))
    assert len(made.pairs) == 2


def test_a_game_that_both_lost_is_told(trf):
    history = trf(record(1, "Ashdown, Wren", "0.0", "   2 w 0"), record(2, "Brock, Odo", "0.0", "   1 b 0"))
    assert [(p.severity, p.found) for p in history.problems] == [
        ("warning", "'2 w 0', a game that both lost; not rated")
    ]
    assert rows(history, "status", "result") == [("unknown", None)]


def test_a_game_without_colours_is_told_once(trf):
    history = trf(
        record(1, "Ashdown, Wren", "2", "   2 - 1", "   2   1"), record(2, "Brock, Odo", "0", "   1 - 0", "   1   0")
    )
    assert [(p.severity, p.expected, p.found) for p in history.problems] == [
        ("warning", "w or b, the colour of a game", "neither in 2 games, on line 1")
    ]
    assert rows(history, "first", "result") == [(None, 1.0), (None, 1.0)]


def test_cells_that_cannot_be_read(trf):
    history = trf(
        record(1, "Ashdown, Wren", "", "   2 w 1", "  x1 w 1"),
        record(2, "Brock, Odo", "", "   1 g X", "0000 - 1"),
        record(3, "Carne, Isa", "", "0000 - U").rstrip() + " w",
    )
    found = said(history)
    assert (
        1,
        102,
        "error",
        "round 2: opponent, colour and result in columns 102 to 105, 107 and 109",
        "'  x1 w 1'",
    ) in found
    assert (2, 97, "error", "round 1: w, b or -", "'g'") in found
    assert (2, 99, "error", "round 1: a result (1 = 0, W D L, + -, H F U Z)", "'X'") in found
    assert (2, 102, "error", "round 2: the opponent of a game", "'0000 - 1'") in found
    assert any(p[:2] == (3, 92) and "round 1: opponent, colour" in p[3] for p in found)
    # the game of which one side cannot be read is kept, and not rated
    assert ("Ashdown, Wren", "Brock, Odo", "unknown") in rows(history, "player", "opponent", "status")


def test_players_twice_without_a_number_or_a_name(trf):
    history = trf(
        record(1, "Ashdown, Wren", "0.0"), record(1, "Brock, Odo", "0.0"), record("", "Carne, Isa", "0.0"),
        record(4, "Wren ASHDOWN", "0.0"), record(5, "", "0.0"),
    )  # fmt: skip
    assert list(history.entries["player"]) == ["Ashdown, Wren", "Wren ASHDOWN (no. 4)", "no. 5"]
    assert said(history) == [
        (2, 5, "error", "each start number once", "no. 1 again, after line 1; left out"),
        (3, 5, "error", "a start number in columns 5 to 8", "''"),
        (4, 15, "error", "each player once in a section", "'Wren ASHDOWN' again, after line 1; kept as no. 4"),
        (5, 15, "error", "a player's name", "none; kept as no. 5"),
        (0, 0, "warning", "start numbers 1 to 5, each", "no 2, 3"),
    ]


def test_counts_points_and_rounds_that_do_not_agree(trf):
    lines = [line.replace("062 4", "062 5").replace("XXR 3", "XXR 1") for line in HEAD]
    history = trf(*lines, FOUR[0][:80] + " 2.5" + FOUR[0][84:], *FOUR[1:], "142 2")
    assert [(p.line, p.column, p.severity, p.expected, p.found) for p in history.problems] == [
        (11, 0, "warning", "one number of rounds", "2 after 1; the first holds"),
        (5, 0, "warning", "5 players, as said here", "4"),
        *[(line, 102, "error", "at most 1 rounds", "2") for line in (7, 8, 9, 10)],
        (7, 81, "warning", "the points of no. 1", "2.5 against rounds that are worth 1.5"),
    ]


@pytest.mark.parametrize(
    ("start", "end", "first", "last"),
    [
        ("2024/03/02", "2024/03/03", "2024-03-02", "2024-03-03"),
        ("24/09/2010", "02/10/2010", "2010-09-24", "2010-10-02"),  # the first shows that the day comes first
        ("09/24/2010", "10/02/2010", "2010-09-24", "2010-10-02"),
        ("24.09.2010", "", "2010-09-24", "2010-09-24"),
        ("Mar 2, 2024", "2024-03-03", "2024-03-02", "2024-03-03"),
        ("", "2024/03/03", "2024-03-03", "2024-03-03"),
    ],
)
def test_days_in_other_shapes(trf, start, end, first, last):
    history = trf(f"042 {start}", f"052 {end}", *FOUR)
    assert said(history) == []
    assert (history.events["date"][0], history.events["end_date"][0]) == (pd.Timestamp(first), pd.Timestamp(last))


@pytest.mark.parametrize(
    ("start", "end", "told"),
    [
        ("02/10/2010", "03/10/2010", 2),  # February or October?
        ("soon", "", 1),
        ("2024/03/03", "2024/03/02", 1),
        ("24/09/2010", "09/25/2010", 2),
    ],
)
def test_days_that_cannot_be_told(trf, start, end, told):
    history = trf(f"042 {start}", f"052 {end}", *FOUR)
    assert [(p.column, p.severity) for p in history.problems] == [(5, "error")] * told


def test_days_of_the_rounds_where_the_event_has_none(trf):
    history = trf("132".ljust(91) + "24/03/02  24/03/09", *FOUR)
    assert history.events["end_date"][0] == pd.Timestamp("2024-03-09")


def test_comments_unknown_records_and_settings(trf):
    history = trf(
        "### a comment", "# another", *FOUR, "XXC white1 rank", "XXC purple", "TNR 5", "999 what", "NOR    1 m",
        "XXS Q=1", "240 Q 1 2", "172 NOR NRO", "ENG    1 w     Ashdown, Wren                     1790",
    )  # fmt: skip
    assert [(p.line, p.severity, p.found) for p in history.problems] == [
        (8, "warning", "'purple'"), (10, "warning", "'999 what'; passed over"),
        (11, "warning", "'NOR    1 m'; passed over"), (12, "error", "'Q'"), (13, "error", "'Q 1 2'"),
    ]  # fmt: skip
    assert history.events["rounds"][0] == 5


def test_forced_but_no_report_file(write):
    with pytest.raises(InputError, match="players' records, which begin with 001"):
        load(write("x.txt", "once upon a time\n" * 3), format="trf")


CELL = st.sampled_from(
    ["   2 w 1", "   1 b 0", "0000 - U", "   9 w =", "\t\t", "   3 b Z", "??", "0000 - H", "   1 w  "]
)
NUMBER = st.sampled_from([1, 2, 3, "x", ""])
BIT = st.one_of(
    st.builds(lambda number, cells: record(number, "Élan, Zoë", "1.0", *cells), NUMBER, st.lists(CELL, max_size=4)),
    st.text(max_size=30).map("001    1 ".__add__),
    st.sampled_from(["XXR", "XXZ 1 9", "240 H 2 1", "XXS W=", "162  W  x", "260 1", "013", "310", "XXC", "042 1/1/1"]),
    st.text(max_size=12),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(BIT, min_size=1, max_size=8))
def test_no_lines_make_it_fall_over_and_nobody_has_two_rows_in_a_round(lines):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.trf")
        path.write_bytes("\n".join(lines).encode("utf-8", "replace"))
        try:
            history = load(path, format="trf")
        except InputError:  # nobody entered, and that is told
            return
        games = history.games[history.games["status"] != "unknown"]
        sides = pd.concat(
            [games[["round", side]].set_axis(["round", "who"], axis=1) for side in ("player", "opponent")]
        )
        assert not sides.dropna().duplicated().any()
