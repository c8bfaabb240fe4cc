"""A round written into a TSH division: it is there when read again, and nothing else has moved by a byte."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from making import SHARED, needs_shared

from ratinglab.formats import load
from ratinglab.formats.tsh_writing import with_round, without_round
from ratinglab.problems import UsageError

DIVISION = (
    "# division A, round 2 is played\r\n"
    "Zorn, Ada          1500 2 3; 420 400; lifeg 20; p12 1 2; board 1 1\r\n"
    "\r\n"
    "Yarrow\\; Bea, Dr   1400+35 1 4 ; 380 410; P12 1 1 ; p12 2 1 ; note a  b\n"
    "Xu, Cy                0 4 1; 350 380;   p12 1 1;;\r"
    "Wells, D\u00e9t  1300 3 2; 420 380; p12 2 2; rrank 4 1 2"
)


def games(history, round_=None):
    table = history.games if round_ is None else history.games[history.games["round"] == round_]
    kept = table[["round", "player", "opponent", "score", "opponent_score", "result", "first", "status"]].astype(object)
    return [tuple(None if pd.isna(v) else v for v in row) for row in kept.itertuples(index=False)]


def test_a_round_and_nothing_else(write):
    """Line by line as a person would write it in."""
    written = with_round(DIVISION, 3, {1: 4, 4: 1, 2: 3, 3: 2}, {1: False, 4: True, 2: True, 3: False})
    assert written == (
        "# division A, round 2 is played\r\n"
        "Zorn, Ada          1500 2 3 4; 420 400; lifeg 20; p12 1 2 2; board 1 1\r\n"
        "\r\n"
        "Yarrow\\; Bea, Dr   1400+35 1 4 3 ; 380 410; P12 1 1 ; p12 2 1 1 ; note a  b\n"
        "Xu, Cy                0 4 1 2; 350 380;   p12 1 1 2;;\r"
        "Wells, D\u00e9t  1300 3 2 1; 420 380; p12 2 2 1; rrank 4 1 2"
    )
    assert without_round(written, 3) == DIVISION
    before, after = (load(write(f"{i}/a.t", text.encode("latin-1"))) for i, text in enumerate((DIVISION, written)))
    assert games(after)[: len(games(before))] == games(before)
    assert games(after, 3) == [
        (3, "Zorn, Ada", "Wells, D\u00e9t", None, None, None, 0, "unknown"),
        (3, "Yarrow; Bea, Dr", "Xu, Cy", None, None, None, 1, "unknown"),
    ]


def test_without_anybody_going_first_the_key_is_left_alone():
    written = with_round(DIVISION, 3, {1: 4, 4: 1, 2: 0, 3: 0})
    assert "1500 2 3 4; 420 400; lifeg 20; p12 1 2; board" in written
    assert "1400+35 1 4 0 ;" in written
    assert without_round(written, 3) == DIVISION


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("Zorn, Ada 1500", "Zorn, Ada 1500   2;; p12   1"),
        ("Zorn, Ada 1500  ", "Zorn, Ada 1500   2  ;; p12   1"),
        ("Zorn, Ada 1500;", "Zorn, Ada 1500 2;; p12   1"),
        ("Zorn, Ada 1500;;p12;board", "Zorn, Ada 1500 2;;p12 1;board"),
        ("Zorn, Ada 1500; ; class A; p12 ; time", "Zorn, Ada 1500 2; ; class A; p12 1 ; time"),
    ],
)
def test_a_first_round_into_lines_that_have_little(line, wanted):
    text = f"{line}\nYarrow, Bea 1400; ; p12\n"
    written = with_round(text, 1, {1: 2, 2: 1}, {1: True, 2: False})
    assert written == f"{wanted}\nYarrow, Bea 1400 1; ; p12 2\n"
    assert without_round(written, 1) == text


def test_what_a_line_does_not_say_of_earlier_rounds_is_filled_up(write):
    """A late entry in round 3, and a key that the earlier rounds were not written to."""
    text = DIVISION.replace("; p12 2 2; rrank", "; rrank") + "\nVoss, Eli 1200;\nUhl, Flo  1100\n"
    written = with_round(text, 3, {1: 4, 4: 1, 2: 3, 3: 2, 5: 6, 6: 5}, {4: True, 1: False, 5: True})
    assert "Voss, Eli 1200  00 00  6;; p12  4 4    1\n" in written
    assert "Uhl, Flo  1100  00 00    5;; p12  4 4    4\n" in written
    assert "rrank 4 1 2; p12  4 4    1\n" in written
    assert without_round(written, 3) == text
    assert games(load(write("a.t", written.encode("latin-1"))), 3)[-1][:3] == (3, "Voss, Eli", "Uhl, Flo")


def test_a_round_that_is_there_is_replaced_only_if_that_is_said():
    paired = with_round(DIVISION, 3, {1: 4, 4: 1, 2: 3, 3: 2}, {1: True, 4: False})
    with pytest.raises(UsageError, match="round 3 is paired in the division file already"):
        with_round(paired, 3, {1: 2, 2: 1})
    again = with_round(paired, 3, {1: 2, 2: 1}, replace=True)
    assert again == with_round(DIVISION, 3, {1: 2, 2: 1})  # 3 and 4 are without the pairs that were replaced


def test_what_is_refused():
    for round_, told in ((2, "round 2 has scores"), (1, "round 1 has scores"), (0, "rounds are counted from 1")):
        with pytest.raises(UsageError, match=told):
            with_round(DIVISION, round_, {1: 2, 2: 1}, replace=True)
    later = with_round(DIVISION, 5, {1: 2, 2: 1})
    with pytest.raises(UsageError, match="round 5 is paired in the division file already, round 4 is not the last"):
        with_round(later, 4, {3: 4, 4: 3}, replace=True)
    with pytest.raises(UsageError, match="players 1 to 4; found 5, 7"):
        with_round(DIVISION, 3, {1: 7, 5: 1})
    with pytest.raises(UsageError, match="line 2 of the division file is no player's line"):
        with_round("A 1500;\nno rating here\n", 1, {1: 0})
    with pytest.raises(UsageError, match="no player on line 9: has it changed"):
        with_round(DIVISION, 3, {1: 0}, lines={2, 9})


def test_one_section_of_an_archive():
    second = "#begin_file name=b.t\nVoss, Eli 1200;\nUhl, Flo 1100;\n#end_file\n"
    text = f"config event_name = 'X'\n#begin_file name=a.t\n{DIVISION}\n#end_file\n{second}"
    split = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = [i for i, line in enumerate(split, 1) if line[:4] in ("Voss", "Uhl,")]
    written = with_round(text, 1, {1: 2, 2: 1}, lines=lines)
    assert written == text.replace("Voss, Eli 1200;", "Voss, Eli 1200 2;").replace("Uhl, Flo 1100;", "Uhl, Flo 1100 1;")
    assert without_round(written, 1, lines=lines) == text


# --- properties -------------------------------------------------------------------------------------------------------

SPACE = st.sampled_from([" ", "  ", "\t", "   "])
KEY = st.sampled_from(["class A", "note x  y", "rrank 1 2", "", "board  1", "P12 9", "time\t1390690086", "q \\; z"])


@st.composite
def divisions(draw):
    """Text, rounds played, pairs of the next round, and who goes first in them; spelled in every allowed way."""
    n, rounds = draw(st.integers(2, 7)), draw(st.integers(0, 3))
    own_keys = draw(st.booleans())
    lines = []
    for i in range(n):
        pairings = [draw(st.integers(0, n)) for _ in range(rounds)]
        scores = [draw(st.integers(-50, 600)) for _ in range(rounds)]
        name = draw(st.sampled_from(["Zorn, Ada", "X\u00e9, \u00c3\u00a0", "O'Neil\\; Dr", "A B", "\\\\Q"])) + chr(
            65 + i
        )
        head = name + draw(SPACE) + draw(st.sampled_from(["1500", "0", "1717+40", "0+0+0", "1500.5"]))
        head += "".join(draw(SPACE) + str(p) for p in pairings) + draw(st.sampled_from(["", " "]))
        keys = draw(st.lists(KEY, max_size=3))
        if own_keys or rounds == 0:
            marks = "".join(draw(SPACE) + draw(st.sampled_from("0124")) for _ in range(rounds))
            at = draw(st.integers(0, len(keys)))
            keys.insert(at, draw(st.sampled_from(["", " "])) + "p12" + marks + draw(st.sampled_from(["", " "])))
        lines.append(";".join([head, "".join(f" {score}" for score in scores), *keys]))
    text = ""
    for line in lines:
        text += draw(st.sampled_from(["", "# c; d\n", "\r\n", "  # 1 2; 3\r"])) + line
        text += draw(st.sampled_from(["\n", "\r\n", "\r", "\r\r\n"]))
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    order = draw(st.permutations(range(1, n + 1)))
    opponents, first = {}, {}
    for one, other in zip(order[::2], order[1::2], strict=False):
        opponents |= {one: other, other: one}
        if draw(st.booleans()):
            first |= {one: True, other: False}
    if n % 2:
        opponents[order[-1]] = draw(st.just(0))
    return text, rounds, opponents, first


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(divisions())
def test_taking_the_round_out_gives_the_text_back(drawn):
    text, rounds, opponents, first = drawn
    written = with_round(text, rounds + 1, opponents, first)
    assert without_round(written, rounds + 1) == text
    other = dict(zip(opponents, reversed(opponents), strict=True))  # whoever it is: only the text matters here
    assert with_round(written, rounds + 1, other, replace=True) == with_round(text, rounds + 1, other)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(drawn=divisions())
def test_read_again_there_are_the_pairs_and_all_that_was_there(tmp_path, drawn):
    text, rounds, opponents, first = drawn
    path = tmp_path / "a.t"
    path.write_bytes(text.encode("latin-1"))
    before = load(path)
    path.write_bytes(with_round(text, rounds + 1, opponents, first).encode("latin-1"))
    after = load(path)
    old = after.games[after.games["round"] <= rounds].drop(columns="file").reset_index(drop=True)
    pd.testing.assert_frame_equal(before.games.drop(columns="file"), old)
    pd.testing.assert_frame_equal(before.entries, after.entries)
    name = dict(zip(after.entries["number"], after.entries["team"].fillna(after.entries["player"]), strict=True))
    wanted = set()
    for one, two in opponents.items():
        if one < two or two == 0:
            begins = None if two == 0 or one not in first else int(first[one])
            wanted.add((name[one], name.get(two), begins, "unknown"))
    new = after.games[after.games["round"] == rounds + 1]
    columns = new[["player", "opponent", "first", "status"]].astype(object)
    assert {tuple(None if pd.isna(v) else v for v in row) for row in columns.itertuples(index=False)} == wanted


@needs_shared
def test_every_real_division_gives_its_bytes_back():
    """A round after the last in each real division file; where it has pairs without scores, in their place."""
    checked = 0
    for path in sorted(SHARED.glob("tsh*/**/*.t")):
        text = path.read_bytes().decode("latin-1")
        history = load(path)
        numbers = sorted(history.entries["number"].unique())
        listed = int(history.games["round"].max())
        pairs = {int(n): int(numbers[i ^ 1]) if i ^ 1 < len(numbers) else 0 for i, n in enumerate(numbers)}
        first = {n: n < other for n, other in pairs.items() if other}
        written = with_round(text, listed + 1, pairs, first)
        assert without_round(written, listed + 1) == text, path
        assert len(written.splitlines()) == len(text.splitlines())
        checked += 1
    assert checked >= 30
