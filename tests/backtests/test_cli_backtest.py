"""`ratinglab backtest` as its users meet it."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ratinglab
from ratinglab.backtests.backtesting import backtest
from ratinglab.cli import main
from ratinglab.history import Parsed, assemble
from ratinglab.sample import individual_circuit

ROOT = Path(__file__).resolve().parents[2]
EVENT = "spring-open"
FILES = [
    "backtest.html", "entrants.csv", "games.csv", "places.csv", "seedings.csv", "summary.csv", "upsets.csv", "wins.csv",
]  # fmt: skip


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Three events in ratinglab's own tables, the last of two sections and called spring-open."""
    made, _ = individual_circuit(np.random.default_rng(3), players=24, events=3, rounds=6)
    last, upper = made.events["event"].iloc[-1], made.entries["player"].unique()[::2]
    parts = {"events": made.events.replace({"event": {last: EVENT}})}
    for name in ("entries", "games"):
        table = getattr(made, name)
        divided = (table["event"] == last) & table["player"].isin(upper)
        parts[name] = table.assign(section=np.where(divided, "upper", "main")).replace({"event": {last: EVENT}})
    games = parts["games"]
    divided = games["player"].isin(upper) != games["opponent"].isin(upper)
    parts["games"] = games[~((games["event"] == EVENT) & divided & games["opponent"].notna())]
    folder = tmp_path_factory.mktemp("history")
    assemble([Parsed(parts)]).save(folder)
    return str(folder)


def run(path: str, *more: str, event: str = EVENT) -> int:
    return main(["backtest", path, "--event", event, "--tournaments", "1200", *more])


@pytest.fixture(scope="module")
def out(path: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("backtest")
    assert run(path, "--systems", "glixo:tau=100,naspa", "--seed", "4", "--out", str(folder)) == 0
    return folder


class TestFiles:
    """--out"""

    def test_what_is_written(self, out: Path) -> None:
        assert sorted(path.name for path in out.iterdir()) == [*FILES[:3], "manifest.json", *FILES[3:]]
        told = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
        assert told["command"] == "backtest"
        assert told["seed"] == 4
        assert told["files"] == FILES
        assert told["parameters"]["glixo:tau=100"]["tau"] == 100
        asked = {"event": EVENT, "after_round": 0, "section": None, "tournaments": 1200, "start": "filed"}
        assert told["options"] == asked | {"pairing": None, "from": None, "until": None}

    def test_the_tables_are_those_of_the_function(self, path: str, out: Path) -> None:
        made = backtest(ratinglab.load(path), EVENT, ["glixo:tau=100", "naspa"], tournaments=1200, seed=4)
        for name, table in made.tables().items():
            written = pd.read_csv(out / name)
            assert list(written.columns) == list(table.columns)
            for column in table.columns[table.dtypes.map(lambda dtype: dtype.kind == "f")]:
                np.testing.assert_array_equal(written[column].to_numpy(dtype=float), table[column].to_numpy())

    def test_the_columns_are_described(self, out: Path) -> None:
        page = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
        section = page[page.index("## What backtest writes") :]
        for name in FILES[1:]:
            row = next(line for line in section.splitlines() if line.startswith(f"| {name} |"))
            told = row.split("|")[3].replace("(", ",").replace(")", "").split(",")
            missing = set(pd.read_csv(out / name, nrows=0).columns) - {word.strip() for word in told}
            assert {column for column in missing if not column.endswith(("_se", "_low", "_high"))} == set()

    def test_the_same_bytes_for_any_number_of_workers(self, path: str, out: Path, tmp_path: Path) -> None:
        asked = ("--systems", "glixo:tau=100,naspa", "--seed", "4", "--workers", "2", "--out", str(tmp_path))
        assert run(path, *asked) == 0
        for name in [*FILES, "manifest.json"]:
            assert (tmp_path / name).read_bytes() == (out / name).read_bytes(), name


class TestPairing:
    """--pairing"""

    def test_files(self, path: str, tmp_path: Path) -> None:
        asked = ("--systems", "glixo", "--pairing", "cnsc:both_ends=1", "--seed", "4", "--out")
        assert run(path, *asked, str(tmp_path / "one")) == 0
        assert run(path, *asked, str(tmp_path / "two"), "--workers", "2") == 0
        told = json.loads((tmp_path / "one" / "manifest.json").read_text(encoding="utf-8"))
        assert told["options"]["pairing"] == "cnsc:both_ends=True"
        for name in [*FILES, "manifest.json"]:
            assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name
        page = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
        section = page[page.index("## What backtest writes") :]
        for name, columns in (
            ("entrants.csv", ["p_winner_real"]),
            ("summary.csv", ["p_winner_real", "winner_rank_real"]),
        ):
            table = pd.read_csv(tmp_path / "one" / name)
            assert set(columns) <= set(table.columns)
            assert all(f"`{column}`" in section for column in columns)
        assert "paired by the pairing system cnsc" in (tmp_path / "one" / "backtest.html").read_text(encoding="utf-8")

    def test_printed_and_unknown(self, path: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(path, "--systems", "elo", "--pairing", "swiss") == 0
        printed = capsys.readouterr()
        assert "p winner real" in printed.out
        assert "nan" not in printed.out
        assert run(path, "--pairing", "swizz") == 2
        assert "no pairing system swizz; the pairing systems are: cnsc" in capsys.readouterr().err


class TestPrinted:
    """Without --out"""

    def test_tables_for_reading(self, path: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(path, "--systems", "elo") == 0
        printed = capsys.readouterr()
        lines = printed.out.splitlines()
        assert lines[0].startswith(EVENT)
        assert any(line.startswith("place  player") for line in lines)
        assert any(line.startswith("seeding") for line in lines)
        assert "nan" not in printed.out
        assert "ratinglab: " in printed.err

    def test_csv(self, path: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(path, "--systems", "elo", "--csv", "--section", "upper", "--after-round", "2") == 0
        table = pd.read_csv(StringIO(capsys.readouterr().out))
        assert set(table["section"]) == {"upper"}
        assert table["p_winner"].sum() == pytest.approx(1)

    @pytest.mark.parametrize(
        ("more", "told"),
        [
            (["--event", "spring-opne"], "perhaps spring-open is meant"),
            (["--event", EVENT, "--systems", "dip-pouch"], "dip-pouch makes none"),
            (["--event", EVENT, "--after-round", "99"], "found 99"),
            (["--event", EVENT, "--section", "Z"], "has no section Z; its sections are: upper, main"),
            (["--event", EVENT, "--tournaments", "0"], "1 or more; found 0"),
            (["--event", EVENT, "--workers", "0"], "1 or more; found 0"),
        ],
    )
    def test_wrong_usage(self, more: list[str], told: str, path: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["backtest", path, *more]) == 2
        assert told in capsys.readouterr().err

    def test_an_entry_list_and_an_event_of_places(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["backtest", str(ROOT / "data" / "school-circuit"), "--event", "2012-nssc"]) == 2
        assert "an event that was played; 2012-nssc has no game" in capsys.readouterr().err
        assert main(["backtest", str(ROOT / "data" / "diplomacy"), "--event", "2012-worlds"]) == 2
        assert "2012-worlds has places alone" in capsys.readouterr().err
