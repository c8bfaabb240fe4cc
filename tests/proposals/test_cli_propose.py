"""`ratinglab propose` as a committee meets it: what is written, what is printed, what is refused in a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ratinglab.cli import main
from ratinglab.history import History
from ratinglab.output import sha256, write_csv
from ratinglab.sample import individual_circuit

ALWAYS = {
    "decision.html", "decision.json", "forecasts.csv", "subsets.csv", "players.csv", "top.csv", "lines.csv",
    "line_counts.csv", "levels.csv", "cohort.csv", "rated.csv", "volatility.csv", "sections.csv", "flatness.csv",
    "winners.csv", "manifest.json",
}  # fmt: skip
SYSTEMS = ["--current", "elo", "--proposed", "elo:k=40"]


@pytest.fixture(scope="module")
def circuit() -> History:
    return individual_circuit(np.random.default_rng(6), players=12, events=6, rounds=5)[0]


@pytest.fixture(scope="module")
def folder(circuit: History, tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("circuit")
    for name in ("events", "entries", "games"):
        write_csv(getattr(circuit, name).dropna(axis="columns", how="all"), made / f"{name}.csv")
    return made


def read(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class TestWritten:
    def test_the_whole_set_and_the_same_bytes_again(self, folder: Path, tmp_path: Path, capsys) -> None:
        asked = ["propose", str(folder), *SYSTEMS, "--line", "1500", "--line", "1600.5", "--top", "3"]
        asked += ["--variants", "elo:k=16|24,scale=400|722"]
        assert main([*asked, "--out", str(tmp_path / "one")]) == 0
        printed = capsys.readouterr().out
        assert printed.startswith(("The proposal forecasts", "These games cannot tell"))
        assert f"The page to vote on: {tmp_path / 'one' / 'decision.html'}" in printed
        assert main([*asked, "--out", str(tmp_path / "two"), "--workers", "2"]) == 0
        one, two = read(tmp_path / "one"), read(tmp_path / "two")
        assert set(one) == ALWAYS | {"variants.csv"}
        assert one == two
        lines = pd.read_csv(tmp_path / "one" / "line_counts.csv")
        assert list(zip(lines["kind"], lines["line"], strict=True)) == [
            ("rating", 1500),
            ("rating", 1600.5),
            ("rank", 3),
        ]
        assert len(pd.read_csv(tmp_path / "one" / "variants.csv")) == 5

    def test_the_manifest_says_what_went_in(self, folder: Path, tmp_path: Path) -> None:
        assert main(["propose", str(folder), *SYSTEMS, "--seed", "4", "--min-games", "5", "--out", str(tmp_path)]) == 0
        manifest = json.loads((tmp_path / "manifest.json").read_text())
        assert manifest["command"] == "propose"
        assert {entry["sha256"] for entry in manifest["inputs"]} == {sha256(p.read_bytes()) for p in folder.iterdir()}
        assert manifest["systems"]["current"] == {
            "system": "elo", "parameters": {"k": 20, "scale": 722, "initial": 1500, "advantage": 0}
        }  # fmt: skip
        assert manifest["systems"]["proposed"]["parameters"]["k"] == 40
        assert (manifest["seed"], manifest["options"]["min_games"]) == (4, 5)
        assert set(manifest["files"]) == ALWAYS - {"manifest.json"}

    def test_the_key_figures(self, folder: Path, tmp_path: Path) -> None:
        assert main(["propose", str(folder), *SYSTEMS, "--line", "1500", "--out", str(tmp_path)]) == 0
        told = json.loads((tmp_path / "decision.json").read_text())
        forecasts = pd.read_csv(tmp_path / "forecasts.csv").set_index("metric")
        assert told["difference"] == forecasts.loc["log_loss", "difference"]
        assert told["low"] < told["difference"] < told["high"]
        assert (told["games"], told["events"]) == (6 * 5 * 6, 6)
        players = pd.read_csv(tmp_path / "players.csv")
        assert told["players"]["listed"] == len(players)
        crossings = pd.read_csv(tmp_path / "lines.csv")
        at = crossings[crossings["kind"] == "rating"]["direction"].value_counts()
        assert told["crossings"]["rating 1500"]["up"] == at.get("up", 0)
        assert told["crossings"]["rating 1500"]["down"] == at.get("down", 0)

    def test_without_out_it_is_kept_with_the_decisions(self, folder: Path, tmp_path: Path, monkeypatch) -> None:
        monkeypatch.chdir(tmp_path)
        kept = tmp_path / "reports" / "decisions"
        kept.mkdir(parents=True)
        (kept / "README.md").write_text("kept")
        assert main(["propose", str(folder), *SYSTEMS, "--title", "Of K & more"]) == 0
        assert {path.name for path in kept.iterdir()} == {"README.md", "elo-v-elo-k-40"}
        page = (kept / "elo-v-elo-k-40" / "decision.html").read_text(encoding="utf-8")
        assert "<h1>Of K &amp; more</h1>" in page

    def test_a_second_run_takes_away_what_it_no_longer_writes(self, folder: Path, tmp_path: Path) -> None:
        assert main(["propose", str(folder), *SYSTEMS, "--variants", "elo", "--out", str(tmp_path)]) == 0
        (tmp_path / "vote.txt").write_text("ours")
        assert main(["propose", str(folder), *SYSTEMS, "--out", str(tmp_path)]) == 0
        assert {path.name for path in tmp_path.iterdir()} == ALWAYS | {"vote.txt"}


def test_dates_bound_what_is_rated(circuit: History, folder: Path, tmp_path: Path) -> None:
    first, last = (f"{circuit.events['end_date'].iloc[at]:%Y-%m-%d}" for at in (1, 3))
    assert main(["propose", str(folder), *SYSTEMS, "--from", first, "--until", last, "--out", str(tmp_path)]) == 0
    assert json.loads((tmp_path / "decision.json").read_text())["events"] == 3
    page = (tmp_path / "decision.html").read_text(encoding="utf-8")
    assert f"Only events that ended on or after {first} were rated" in page


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--current", "elo"], "--proposed"),
        (["--current", "elo", "--proposed", "ela"], "the systems are"),
        (["--current", "elo", "--proposed", "elo:q=1"], "its parameters are"),
        (["--current", "elo", "--proposed", "bradley-terry"], "looks back"),
        ([*SYSTEMS, "--line", "high"], "expected a rating as 1600; found high"),
        ([*SYSTEMS, "--line", "nan"], "expected a rating as 1600; found nan"),
        ([*SYSTEMS, "--top", "0"], "1 place or more"),
        ([*SYSTEMS, "--variants", "elo:k=16|x"], "k is a number; found x"),
        ([*SYSTEMS, "--min-games", "999"], "this history has none"),
        ([*SYSTEMS, "--from", "2030-01-01"], "this history has none"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence_and_writes_nothing(
    options: list[str], told: str, folder: Path, tmp_path: Path, capsys
) -> None:
    with pytest.raises(SystemExit) as ended:
        raise SystemExit(main(["propose", str(folder), *options, "--out", str(tmp_path / "out")]))
    assert ended.value.code == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_help_shows_examples(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["propose", "--help"])
    shown = capsys.readouterr().out
    assert "examples:" in shown
    assert "--variants" in shown
