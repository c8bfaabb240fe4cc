"""`ratinglab compare` as its users meet it: what is written, what is printed, what is refused in a sentence."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ratinglab.cli import main
from ratinglab.history import History
from ratinglab.sample import individual_circuit

ALWAYS = {
    "scores.csv", "differences.csv", "coin.csv", "gaps.csv", "reliability.csv", "subsets.csv", "times.csv",
    "comparison.html", "manifest.json",
}  # fmt: skip


@pytest.fixture(scope="module")
def circuit() -> History:
    return individual_circuit(np.random.default_rng(3), players=12, events=10, rounds=5)[0]


@pytest.fixture(scope="module")
def folder(circuit: History, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("circuit")
    circuit.save(out)
    return out


def compare(folder: Path, *options: str) -> int:
    return main(["compare", str(folder), *options])


def test_the_whole_set(folder: Path, tmp_path: Path, capsys) -> None:
    assert compare(folder, "--systems", "naspa,glixo:tau=100,elo", "--out", str(tmp_path)) == 0
    assert {path.name for path in tmp_path.iterdir()} == ALWAYS
    scores = pd.read_csv(tmp_path / "scores.csv")
    assert scores["system"].tolist() == ["naspa", "glixo:tau=100", "elo"]
    assert scores.columns[:5].tolist() == ["system", "parameters", "how", "subset", "games"]
    apart = pd.read_csv(tmp_path / "differences.csv")
    assert apart.columns.tolist() == [
        "system", "reference", "metric", "difference", "se", "low", "high", "dm", "p", "in_best_set",
    ]  # fmt: skip
    assert set(apart["in_best_set"].dropna()) <= {0, 1}
    record = json.loads((tmp_path / "manifest.json").read_text())
    assert record["command"] == "compare"
    assert record["parameters"]["glixo:tau=100"]["tau"] == 100
    assert record["options"]["systems"] == ["naspa", "glixo:tau=100", "elo"]
    assert [source["name"] for source in record["inputs"]]
    printed = capsys.readouterr().out
    assert "comparison.html" in printed
    assert "By log loss" in printed


def test_the_same_bytes_again(folder: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert compare(folder, "--systems", "glixo,elo", "--seed", "7", "--out", str(tmp_path / name)) == 0
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_files_of_an_earlier_run_are_cleared(folder: Path, tmp_path: Path) -> None:
    tuned = ["--test-from", "2010-02-06", "--tune", "elo:k=8:80"]
    assert compare(folder, "--systems", "glixo,elo", *tuned, "--out", str(tmp_path)) == 0
    assert {path.name for path in tmp_path.iterdir()} == ALWAYS | {"tuned.csv"}
    assert compare(folder, "--systems", "glixo,elo", "--out", str(tmp_path)) == 0
    assert {path.name for path in tmp_path.iterdir()} == ALWAYS


def test_without_out_tables_are_printed(folder: Path, capsys) -> None:
    assert compare(folder, "--systems", "glixo,elo") == 0
    printed = capsys.readouterr().out
    assert printed.index("published values") < printed.index("may be the best") < printed.index("By log loss")
    assert "log_loss" in printed


def test_csv_prints_the_scores_whole(folder: Path, circuit: History, capsys) -> None:
    assert compare(folder, "--systems", "glixo,elo", "--csv", "--min-games", "10") == 0
    table = pd.read_csv(StringIO(capsys.readouterr().out))
    assert table["system"].tolist() == ["glixo", "elo"]
    assert table["games"].iloc[0] < len(circuit.games)
    assert table["log_loss"].iloc[0] != round(table["log_loss"].iloc[0], 6)


def test_dates_bound_the_history(folder: Path, tmp_path: Path) -> None:
    assert compare(folder, "--systems", "glixo,elo", "--until", "2010-01-30", "--out", str(tmp_path)) == 0
    assert set(pd.read_csv(tmp_path / "times.csv")["events"]) == {5}


def test_placings_are_compared_by_order(tmp_path: Path, capsys) -> None:
    data = Path(__file__).resolve().parents[2] / "data" / "diplomacy"
    assert main(["compare", str(data), "--systems", "dip-pouch,elo:k=1", "--until", "2003-12-31"]) == 0
    printed = capsys.readouterr()
    assert "By final places" in printed.out
    assert "kendall tau" in printed.out


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--systems", "glico,elo"], "no system glico; the systems are: glixo"),
        (["--systems", "glixo,elo:q=1"], "elo has no parameter q"),
        (["--systems", "glixo"], "two different systems or more; found glixo"),
        (["--systems", "glixo,elo", "--tune", "elo:k=8:40"], "--tune needs --test-from DATE"),
        (["--systems", "glixo,elo", "--metric", "skill"], "one of log_loss, brier"),
        (["--systems", "glixo,elo", "--test-from", "2009-01-01", "--tune", "elo:k=8:40"], "2009-01-01"),
    ],
)
def test_wrong_usage_is_said(folder: Path, capsys, options: list[str], told: str) -> None:
    assert compare(folder, *options) == 2
    assert told in capsys.readouterr().err


def test_systems_are_asked_for(folder: Path, capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        compare(folder)
    assert ended.value.code == 2
    assert "--systems" in capsys.readouterr().err
