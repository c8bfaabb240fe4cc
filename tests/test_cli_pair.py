"""The command pair: what it prints, writes and refuses. (What --write writes is tested with the formats.)"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from ratinglab.cli import main

GRAND = "data/open-circuit/2011-saffron-ridge"
COLUMNS = ["section", "round", "board", "player", "opponent", "first", "gave_way"]


def out(capsys: pytest.CaptureFixture[str], *call: str) -> str:
    assert main(["pair", *call]) == 0
    return capsys.readouterr().out


def small(folder: Path) -> str:
    """Five in one section after a round; Esk sat out."""
    (folder / "events.csv").write_text("event,date,rounds\nclub,2024-03-02,4\n")
    names = ["Ansa", "Bole", "Cira", "Dov", "Esk"]
    rows = ["event,number,player,rating"] + [f"club,{i},{name},{1900 - i}" for i, name in enumerate(names, 1)]
    (folder / "entries.csv").write_text("\n".join(rows) + "\n")
    games = ["event,round,player,opponent,result,first,status", "club,1,Ansa,Cira,1,1,played"]
    games += ["club,1,Dov,Bole,1,1,played", "club,1,Esk,,1,,bye"]
    (folder / "games.csv").write_text("\n".join(games) + "\n")
    return str(folder)


def test_it_prints_boards_with_reasons_and_who_is_not_paired(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = out(capsys, small(tmp_path), "--pairing", "evanston", "--bye", "dov").splitlines()
    assert shown[0] == "club, section main, round 2, paired by evanston"
    assert shown[2].split() == ["board", "player", "opponent", "why"]
    assert shown[3].split()[0] == "1"
    assert "(first)" in shown[3]
    assert shown[5:8] == ["Not paired", "", "player  why"] or "Not paired" in shown
    assert any(line.split(maxsplit=1) == ["Dov", "bye asked for"] for line in shown)


def test_csv_is_the_table_of_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = out(capsys, small(tmp_path), "--pairing", "swiss", "--csv").splitlines()
    assert lines[0] == ",".join(COLUMNS[1:])
    assert [line.split(",")[:2] for line in lines[1:]] == [["2", "1"], ["2", "2"], ["2", "3"]]
    assert lines[3].split(",")[3] == ""


def test_the_set_of_files_and_the_same_bytes_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = [GRAND, "--pairing", "random", "--round", "5", "--seed", "3", "--compare", "swiss,cnsc", "--out"]
    for folder in "ab":
        assert out(capsys, *call, str(tmp_path / folder)) == ""
    first, second = ({p.name: p.read_bytes() for p in (tmp_path / x).iterdir()} for x in "ab")
    assert first == second
    assert set(first) == {"pairs.csv", "reasons.csv", "away.csv", "compare.csv", "compared.csv", "manifest.json"}
    pairs = pd.read_csv(tmp_path / "a" / "pairs.csv")
    assert list(pairs.columns) == COLUMNS
    assert set(pairs["section"]) == {"A", "B"}
    reasons = pd.read_csv(tmp_path / "a" / "reasons.csv")
    assert list(reasons.columns) == [
        "section", "board", "player", "points", "place", "opponent", "opponent_points", "opponent_place", "met", "why",
    ]  # fmt: skip
    assert len(reasons) == len(pairs)
    assert list(pd.read_csv(tmp_path / "a" / "away.csv").columns) == ["section", "player", "why"]
    whom = pd.read_csv(tmp_path / "a" / "compare.csv")
    assert list(whom.columns) == ["section", "number", "player", "random", "swiss", "cnsc"]
    summary = pd.read_csv(tmp_path / "a" / "compared.csv")
    assert list(summary.columns) == ["section", "pairing", "repeats", "floats", "same_school", "moved", "sits_out"]
    manifest = json.loads(first["manifest.json"])
    assert manifest["seed"] == 3
    assert manifest["options"]["pairing"] == "random"


def test_compare_prints_whom_everybody_would_meet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = out(capsys, small(tmp_path), "--compare", "king-of-the-hill")
    assert "king-of-the-hill" in shown
    assert "sits out" in shown.replace("_", " ")


def test_every_round_of_an_event_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = out(capsys, GRAND, "--pairing", "swiss", "--again").splitlines()
    assert lines[0].split()[0] == "pairing"
    assert lines[1].startswith("as it was paired")
    assert lines[2].startswith("swiss")
    assert out(capsys, GRAND, "--pairing", "swiss", "--again", "--out", str(tmp_path)) == ""
    table = pd.read_csv(tmp_path / "again.csv")
    assert list(table.columns[:5]) == ["event", "section", "round", "players", "same"]
    assert len(table) == 14 * 2
    assert (table["same"] <= table["pairs_paired"]).all()


def test_notices_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pair", GRAND, "--section", "A", "--round", "3", "--csv"]) == 0
    told = capsys.readouterr()
    assert told.err == "ratinglab: section A: what the file pairs from round 3 on is left out of account\n"
    assert told.out.startswith("round,")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--pairing", "go"], "no pairing system go"),
        (["--pairing", "cnsc:strength=iq"], "strength must be one of"),
        (["--pairing", "cnsc:strenght=tow"], "cnsc has no option strenght"),
        (["--section", "Z"], "no section Z"),
        (["--event", "clob"], "perhaps club is meant"),
        (["--absent", "Anssa"], "Anssa is not entered in section main of club (perhaps Ansa is meant)"),
        (["--bye", "Nobody At All"], "Nobody At All is not entered"),
        (["--forbid", "Ansa"], "'A|B'"),
        (["--forbid", "Ansa|Boles"], "perhaps Bole is meant"),
        (["--round", "9"], "nothing is known of round 8"),
        (["--csv", "--compare", "swiss"], "give --out"),
        (["--again", "--write", "x.t"], "nothing to --write"),
        (["--absent", "Ansa", "--absent", "Bole", "--absent", "Cira", "--absent", "Dov", "--absent", "Esk"], "nobody"),
    ],
)
def test_wrong_usage_is_told(tmp_path: Path, more: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pair", small(tmp_path), *more]) == 2
    assert told in capsys.readouterr().err
