"""`pair --write`: the event's own file with the new round in it, in each format that can hold one."""

from __future__ import annotations

import codecs
import shutil
from pathlib import Path

import pandas as pd
import pytest

from ratinglab.cli import main
from ratinglab.formats import load, writing
from ratinglab.formats.trf_records import Cell, Forbidden, Player, Tournament
from ratinglab.formats.trf_writing import text_of

SAMPLE = Path(__file__).resolve().parents[2] / "data"
CROSSTABLE = """\
-----------------------------------------------------------
Pair | Player Name | Total|Round|
Num  | USCF ID / Rtg (Pre->Post) | Pts | 1 |
-----------------------------------------------------------
   1 | WREN ASHDOWN | 1.0 |W   2|
  IL | 11 / R: 1000   ->1010     |     |W    |
   2 | ODO BROCK    | 0.0 |L   1|
  IL | 12 / R: 1000   -> 990     |     |B    |
"""
CLUB = "event,round,white,black,result\nautumn,1,Wren Ashdown,Odo Brock,1 - 0\n"
NATIVE = "event;round;player;opponent;first;result\r\nautumn;1;Wren;Odo;1;1\r\nautumn;1;Isa;Tova;1;0.5\r\n"


@pytest.fixture
def event(tmp_path):
    """A sample event of two divisions, fourteen rounds each."""
    return Path(shutil.copytree(SAMPLE / "open-circuit" / "2011-saffron-ridge", tmp_path / "ridge"))


def pair(*arguments):
    return main(["pair", *map(str, arguments)])


def new_games(path, round_, format=None):
    games = load(path, format=format).games
    new = games[games["round"] == round_][["player", "opponent", "first", "status"]].astype(object)
    return [tuple(None if pd.isna(v) else v for v in row) for row in new.itertuples(index=False)]


def pairs_csv(folder):
    table = pd.read_csv(folder / "pairs.csv")
    return {frozenset(row) for row in table[["player", "opponent"]].dropna().itertuples(index=False)}


# --- TSH --------------------------------------------------------------------------------------------------------------


def test_a_division_with_its_next_round(event, tmp_path, capsys):
    target = tmp_path / "next" / "a.t"
    before = (event / "a.t").read_bytes()
    assert pair(event, "--section", "A", "--pairing", "swiss", "--write", target, "--out", tmp_path / "out") == 0
    assert (event / "a.t").read_bytes() == before
    new = new_games(target, 15)
    assert {frozenset(row[:2]) for row in new} == pairs_csv(tmp_path / "out")
    assert {row[3] for row in new} == {"unknown"}
    text, old = target.read_text().split("\n"), before.decode().split("\n")
    assert [line.split("; board")[1] for line in text if line] == [line.split("; board")[1] for line in old if line]
    assert len(new_games(target, 14)) == len(new)
    # with the new file in place the division stands in the event as before, and the round is paired
    (event / "a.t").write_bytes(target.read_bytes())
    assert pair(event, "--section", "A", "--pairing", "swiss", "--write", target) == 2
    assert "round 15 is paired in the division file already" in capsys.readouterr().err
    assert pair(event, "--section", "A", "--pairing", "random", "--write", target, "--replace") == 0


def test_who_is_away_has_a_bye(event, tmp_path):
    name = load(event / "a.t").entries["player"].iloc[4]
    assert pair(event, "--section", "A", "--absent", name, "--write", tmp_path / "a.t") == 0
    new = new_games(tmp_path / "a.t", 15)
    alone = [row[0] for row in new if row[1] is None]
    assert name in alone
    assert len(alone) == 2  # thirteen are left


def test_the_own_file_only_where_that_is_said_another_never(event, capsys):
    contents = {path: path.read_bytes() for path in event.iterdir()}
    for target, told in (
        (event / "a.t", "the event's own file"), (event / ".." / event.name / "a.t", "the event's own file"),
        (event / "b.t", "another of the files that were read"), (event / "config.tsh", "another of the files"),
    ):  # fmt: skip
        assert pair(event, "--section", "A", "--write", target) == 2
        assert told in capsys.readouterr().err
    assert pair(event, "--section", "A", "--write", event / "b.t", "--overwrite") == 2
    assert {path: path.read_bytes() for path in event.iterdir()} == contents
    assert pair(event, "--section", "A", "--write", event / "a.t", "--overwrite") == 0
    changed = {path.name for path, content in contents.items() if path.read_bytes() != content}
    assert changed == {"a.t"}


def test_sections_in_several_files_are_written_one_at_a_time(event, tmp_path, capsys):
    assert pair(event, "--write", tmp_path / "x.t") == 2
    told = capsys.readouterr().err
    assert "in several files (a.t, b.t): choose one with --section" in told
    assert not (tmp_path / "x.t").exists()


def test_all_sections_of_an_archive(event, tmp_path):
    parts = [
        f"#begin_file name={name}\n{(event / name).read_text()}#end_file\n" for name in ("config.tsh", "a.t", "b.t")
    ]
    archive = tmp_path / "ridge.tsh"
    archive.write_text("".join(parts))
    target = tmp_path / "next.tsh"
    assert pair(archive, "--pairing", "swiss", "--write", target) == 0
    games = load(target).games
    new = games[games["round"] == 15]
    assert set(new["section"]) == {"A", "B"}
    assert len(new) == len(games[games["round"] == 14])
    pd.testing.assert_frame_equal(
        games[games["round"] < 15].drop(columns=["event", "file"]).reset_index(drop=True),
        load(archive).games.drop(columns=["event", "file"]),
    )


@pytest.mark.parametrize(
    ("mark", "codec"),
    [(b"", "latin-1"), (b"", "utf-8"), (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_no_encoding_comes_to_harm(write, tmp_path, mark, codec):
    text = "Zörn, Ada à 1500 2; 400\r\nYarrow, Béa 1400 1; 380"
    path = write("a.t", mark + text.encode(codec) + (b"\x1a" if codec != "utf-16-be" else b""))
    assert pair(path, "--pairing", "random", "--write", tmp_path / "b.t") == 0
    wanted = text.replace("1500 2", "1500 2 2").replace("1400 1", "1400 1 1")
    assert (tmp_path / "b.t").read_bytes() == mark + wanted.encode(codec) + (b"\x1a" if codec != "utf-16-be" else b"")


# --- report files -----------------------------------------------------------------------------------------------------


@pytest.fixture
def harbour(tmp_path):
    """Five players after one round; 1 and 4 are not to meet, 5 has a bye ahead."""
    cells = (
        (Cell(2, "w", "1"),),
        (Cell(1, "b", "0"),),
        (Cell(4, "b", "="),),
        (Cell(3, "w", "="),),
        (Cell(None, "-", "U"),),
    )
    names = ("Ashdown, Wren", "Brock, Odo", "Çarne, Isa", "Dray, Sorrel", "Elm, Tova")
    players = [
        Player(n, name, cell, rating=1900 - n) for n, (name, cell) in enumerate(zip(names, cells, strict=True), 1)
    ]
    players[4] = Player(5, names[4], (*cells[4], Cell(None, "-", "H")), rating=1800)
    made = Tournament(tuple(players), (("012", "Harbour"),), (("###", "kept"),), 3, forbidden=(Forbidden((1, 4)),))
    path = tmp_path / "harbour.trf"
    path.write_bytes(text_of(made).encode())
    return path


@pytest.mark.parametrize("system", ["swiss", "cnsc", "king-of-the-hill", "matching"])
def test_a_report_file_with_its_next_round(harbour, tmp_path, system):
    target = tmp_path / "next.trf"
    assert pair(harbour, "--pairing", system, "--write", target) == 0
    new = new_games(target, 2)
    assert {frozenset(row[:2]) for row in new if row[1]} == {
        frozenset(("Ashdown, Wren", "Çarne, Isa")), frozenset(("Brock, Odo", "Dray, Sorrel")),
    }  # fmt: skip
    assert ("Elm, Tova", None, None, "bye") in new
    before, after = harbour.read_bytes().split(b"\r\n"), target.read_bytes().split(b"\r\n")
    assert [line[: len(old)] for old, line in zip(before, after, strict=True)] == before


def test_byes_asked_for_and_absences_in_a_report_file(harbour, tmp_path):
    target = tmp_path / "next.trf"
    asked = ("--bye", "Brock, Odo", "--absent", "Dray, Sorrel", "--forbid", "Ashdown, Wren|Çarne, Isa")
    assert pair(harbour, "--pairing", "random", *asked, "--write", target) == 0
    lines = [line for line in target.read_text(encoding="utf-8").splitlines() if line.startswith("001")]
    assert [line[101:].rstrip() for line in lines] == ["0000 - U", "0000 - H", "0000 - U", "0000 - Z", "0000 - H"]


def test_absences_and_byes_of_their_own_records_get_a_cell(harbour, tmp_path):
    with harbour.open("ab") as file:
        file.write(b"XXZ 2\r\n240 H 002    3\r\n240 F 003    1\r\n")
    target = tmp_path / "next.trf"
    assert pair(harbour, "--pairing", "swiss", "--write", target) == 0
    lines = [line for line in target.read_text(encoding="utf-8").splitlines() if line.startswith("001")]
    # 1 and 4, who are left, are not to meet
    assert [line[101:].rstrip() for line in lines] == ["0000 - U", "0000 - Z", "0000 - H", "0000 - U", "0000 - H"]
    assert [p for p in load(target).problems if p.severity == "error"] == []


def test_the_round_after_results_are_entered(harbour, tmp_path, capsys):
    assert pair(harbour, "--pairing", "dutch", "--write", harbour, "--overwrite") == 0
    assert pair(harbour, "--round", "3", "--write", tmp_path / "x.trf") == 2
    assert "the next round of the report file is 2; found round 3" in capsys.readouterr().err
    assert pair(harbour, "--round", "1", "--write", tmp_path / "x.trf", "--replace") == 2
    assert "round 1 has results in the report file" in capsys.readouterr().err


# --- native tables ----------------------------------------------------------------------------------------------------


def test_native_rows_of_status_unknown(write, tmp_path):
    path = write("autumn/games.csv", NATIVE)
    target = tmp_path / "next.csv"
    assert pair(path.parent, "--pairing", "evanston", "--write", target) == 0
    assert target.read_bytes().startswith(NATIVE.encode())
    rows = target.read_bytes()[len(NATIVE) :].decode().split("\r\n")
    assert rows[-1] == ""
    assert all(row.startswith("autumn;2;") and row.endswith(";1;") for row in rows[:-1])
    assert len(rows) == 3
    shutil.copy(target, path)
    assert {row[3] for row in new_games(path.parent, 2)} == {"unknown"}


def test_native_pairs_are_replaced_only_if_that_is_said(write, tmp_path, capsys):
    path = write("autumn/games.csv", NATIVE + "autumn;2;Wren;Odo;;\r\nautumn;2;Isa;Tova;;\r\n")
    assert pair(path.parent, "--pairing", "swiss", "--write", tmp_path / "x.csv") == 2
    assert "round 2 is paired in" in capsys.readouterr().err
    assert not (tmp_path / "x.csv").exists()
    assert pair(path.parent, "--pairing", "swiss", "--write", tmp_path / "x.csv", "--replace") == 0
    text = (tmp_path / "x.csv").read_bytes().decode()
    assert text.startswith(NATIVE)
    assert text.count("autumn;2;") == 2
    assert pair(path.parent, "--round", "1", "--write", tmp_path / "y.csv", "--replace") == 2
    assert "round 1 has results in" in capsys.readouterr().err


def test_the_first_round_of_an_entry_list(write, tmp_path):
    path = write(
        "autumn/entries.csv", "event,number,player,rating\nautumn,1,Wren,1800\nautumn,2,Odo,1700\nautumn,3,Isa,1600\n"
    )
    target = tmp_path / "games.csv"
    assert pair(path.parent, "--pairing", "swiss", "--write", target) == 0
    header, *rows = target.read_text().splitlines()
    assert header == "event,section,round,player,opponent,first,status"
    assert len(rows) == 2
    assert all(row.startswith("autumn,main,1,") and row.endswith(",unknown") for row in rows)


def test_a_sample_event_of_the_school_club(tmp_path):
    target = tmp_path / "games.csv"
    club = SAMPLE / "scholastic-club"
    sections = load(club).only("2012-champ").entries["section"].unique()
    last = int(load(club).only("2012-champ").games["round"].max())
    assert pair(club, "--event", "2012-champ", "--pairing", "swiss", "--write", target) == 0
    old = (club / "games.csv").read_bytes()
    assert target.read_bytes().startswith(old)
    shutil.copytree(club, tmp_path / "club")
    shutil.copy(target, tmp_path / "club" / "games.csv")
    games = load(tmp_path / "club").only("2012-champ").games
    assert set(games.loc[games["round"] > last - 1, "section"]) == set(sections)
    assert games["status"].eq("unknown").any()


# --- refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "format_"),
    [
        ("x.txt", CROSSTABLE, "uscf-crosstable"), ("games.csv", CLUB, "club-chess"),
        ("x-results.csv", "Round,Winner,Winners Score,Opponent,Opponents Score\n1,Wren,400,Odo,380\n", "coco"),
    ],
)  # fmt: skip
def test_formats_that_cannot_be_written(write, tmp_path, capsys, name, content, format_):
    path = write(name, content)
    assert pair(path, "--pairing", "random", "--write", tmp_path / "out.t") == 2
    assert f"files of native, trf, tsh; {format_} cannot be written" in capsys.readouterr().err
    assert not (tmp_path / "out.t").exists()


def test_nothing_to_write_with_again(event, capsys):
    assert pair(event, "--again", "--write", "x.t") == 2
    assert "--again pairs rounds that were played" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_leaves_nothing(event, tmp_path):
    (tmp_path / "there").mkdir()
    before = sorted(tmp_path.rglob("*"))
    assert pair(event, "--section", "A", "--write", tmp_path / "there") != 0
    assert sorted(tmp_path.rglob("*")) == before


def test_forbidden_pairs_are_those_of_the_file(harbour, event):
    assert writing.forbidden(load(harbour), "harbour", "main") == [("Ashdown, Wren", "Dray, Sorrel")]
    assert writing.forbidden(load(event), "ridge", "A") == []
