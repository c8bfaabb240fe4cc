"""`ratinglab calibrate` as its users meet it: what is written, what is printed, what is refused in a sentence."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ratinglab.cli import main
from ratinglab.commands.calibrate import MOST_POINTS
from ratinglab.history import History
from ratinglab.output import write_csv
from ratinglab.sample import individual_circuit

ALWAYS = {
    "surface.csv", "best.json", "parameters.csv", "profiles.csv", "metrics.csv", "directions.csv", "gain.csv",
    "meaning.csv", "calibration.html",
}  # fmt: skip
GRID = ["--grid", "b=4:6:3", "--grid", "tau=70:110:5"]


def written(history: History, folder: Path) -> Path:
    """The history as a native folder."""
    for name in ("events", "entries", "games"):
        write_csv(getattr(history, name).dropna(axis="columns", how="all"), folder / f"{name}.csv")
    return folder


@pytest.fixture(scope="module")
def circuit() -> History:
    return individual_circuit(np.random.default_rng(3), players=16, events=10, rounds=6)[0]


@pytest.fixture(scope="module")
def folder(circuit: History, tmp_path_factory) -> Path:
    return written(circuit, tmp_path_factory.mktemp("circuit"))


def calibrate(folder: Path, *options: str) -> int:
    return main(["calibrate", str(folder), *options])


class TestWritten:
    """With --out"""

    def test_the_whole_set(self, folder: Path, tmp_path: Path, capsys) -> None:
        assert calibrate(folder, *GRID, "--fit", "--out", str(tmp_path)) == 0
        assert {path.name for path in tmp_path.iterdir()} == ALWAYS | {"manifest.json"}
        surface = pd.read_csv(tmp_path / "surface.csv")
        scores = ["log_loss", "brier", "spread_log_score", "spread_rmse", "spread_crps", "z_sd"]
        columns = ["b", "tau", *(column for name in scores for column in (name, f"{name}_se"))]
        assert surface.columns[: len(columns)].tolist() == columns
        assert len(surface) == 15
        best = json.loads((tmp_path / "best.json").read_text())
        assert set(best) == {"system", "metric", "score", "games", "events", "parameters"}
        assert set(best["parameters"]["tau"]) == {"value", "low", "high", "identified"}
        assert best["games"] == 10 * 8 * 6
        # the generator's τ is 90; the best is that of the page and of the tables
        parameters = pd.read_csv(tmp_path / "parameters.csv").set_index("name")
        assert best["parameters"]["tau"]["value"] == parameters.loc["tau", "value"]
        assert parameters.loc["tau", "low"] < 90 < parameters.loc["tau", "high"]
        out = capsys.readouterr().out
        assert f"τ = {parameters.loc['tau', 'value']:.0f} (" in out
        assert out.splitlines()[-1] in (tmp_path / "calibration.html").read_text(encoding="utf-8")
        manifest = json.loads((tmp_path / "manifest.json").read_text())
        assert manifest["command"] == "calibrate"
        assert manifest["options"]["grid"] == ["b=4:6:3", "tau=70:110:5"]
        assert manifest["options"]["fit"] is True
        assert set(manifest["files"]) == ALWAYS

    def test_a_later_run_leaves_nothing_of_an_earlier_one(self, folder: Path, tmp_path: Path) -> None:
        calibrate(folder, "--grid", "tau=80:100:3", "--test-from", "2010-02-20", "--out", str(tmp_path))
        assert (tmp_path / "test.csv").is_file()
        calibrate(folder, "--grid", "tau=80:100:3", "--out", str(tmp_path))
        assert not (tmp_path / "test.csv").exists()
        assert (tmp_path / "surface.csv").is_file()

    def test_results_from_the_test_date_on_change_nothing_of_the_tuning(
        self, circuit: History, folder: Path, tmp_path: Path
    ) -> None:
        """Every result from the date on is reversed: what was tuned stays, byte for byte; how it is judged does not."""
        date = "2010-02-20"
        later = circuit.events.loc[circuit.events["end_date"] >= date, "event"]
        games = circuit.games.copy()
        rows = games["event"].isin(later)
        games.loc[rows, ["score", "opponent_score"]] = games.loc[rows, ["opponent_score", "score"]].to_numpy()
        games.loc[rows, "result"] = 1 - games.loc[rows, "result"]
        other = tmp_path / "other"
        for name in ("events", "entries"):
            other.mkdir(exist_ok=True)
            (other / f"{name}.csv").write_bytes((folder / f"{name}.csv").read_bytes())
        write_csv(games.dropna(axis="columns", how="all"), other / "games.csv")
        for at, out in ((folder, tmp_path / "a"), (other, tmp_path / "b")):
            calibrate(at, *GRID, "--fit", "--test-from", date, "--out", str(out))
        for name in ("surface.csv", "best.json", "parameters.csv", "profiles.csv", "metrics.csv", "gain.csv"):
            assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
        assert (tmp_path / "a" / "test.csv").read_bytes() != (tmp_path / "b" / "test.csv").read_bytes()


class TestPrinted:
    """Without --out"""

    def test_a_table_and_the_sentence(self, folder: Path, capsys) -> None:
        assert calibrate(folder, "--system", "elo", "--set", "initial=1400", "--grid", "k=10:60:6") == 0
        out = capsys.readouterr().out
        rows = pd.read_csv(StringIO(out), sep=r"\s{2,}", engine="python", nrows=1)
        assert rows.columns.tolist()[:3] == ["parameter", "as given", "best"]
        assert rows.loc[0, "parameter"] == "k"
        assert rows.loc[0, "as given"] == 20
        assert out.splitlines()[-1].startswith("K ")

    def test_what_the_games_cannot_tell_is_not_claimed(self, capsys) -> None:
        """Of no acceleration between 0 and 1 the log loss differs by more than 0.0001, though rounding has its dips."""
        data = Path(__file__).resolve().parents[2] / "data" / "open-circuit"
        asked = ["--system", "naspa", "--grid", "acceleration=0:2:9", "--fit"]
        assert calibrate(data, *asked) == 0
        told, (low, high) = capsys.readouterr().out.splitlines(), (0, 1)
        assert told[-1] == "acceleration is not fixed by these games"
        (span,) = re.findall(r"([\d.]+)–([\d.]+)", told[1])
        assert float(span[0]) <= low
        assert float(span[1]) >= high

    def test_undated_events_are_told_and_left_out_of_a_time_split(
        self, circuit: History, tmp_path: Path, capsys
    ) -> None:
        events = circuit.events.copy()
        events.loc[3, ["date", "end_date"]] = pd.NaT
        folder = written(circuit, tmp_path)
        write_csv(events.dropna(axis="columns", how="all"), folder / "events.csv")
        assert calibrate(folder, "--grid", "tau=80:100:3", "--test-from", "2010-02-20") == 0
        assert "1 event without a date" in capsys.readouterr().err


REFUSED = [
    ([], ["--grid tau=45:135:9", "b, tau, initial"]),
    (["--grid", "nothing=1:2:3"], ["nothing", "b, tau, initial"]),
    (["--grid", "growth=1:2:3"], ["growth", "b, tau, initial"]),
    (["--grid", "tau=140:60:9"], ["lower to a higher", "tau=140:60:9"]),
    (["--grid", "tau=60:140:1"], ["2 values or more", "tau=60:140:1"]),
    (["--grid", "tau"], ["tau=60:140:9", "found tau"]),
    (["--grid", "tau=0:140:9"], ["tau must be above 0"]),
    (["--grid", "tau=60:80:3", "--grid", "tau=90:99:3"], ["one axis"]),
    (["--grid", "tau=60:140:9", "--metric", "luck"], ["luck", "log_loss", "spread_log_score"]),
    (["--system", "elo", "--grid", "k=1:9:3", "--metric", "spread_crps"], ["spread_crps", "log_loss, brier"]),
    (["--grid", "tau=60:140:9", "--test-from", "1999-01-01"], ["before 1999-01-01"]),
    (["--grid", "tau=60:140:9", "--test-from", "2030-01-01"], ["from 2030-01-01 on"]),
    (["--grid", "tau=60:140:9", "--min-games", "500"], ["500 games or more"]),
    (["--system", "bradley-terry", "--grid", "scale=300:500:3"], ["bradley-terry", "how likely a win is"]),
    (["--system", "dip-pouch", "--grid", "cap=10:20:3"], ["dip-pouch", "how likely a win is"]),
    (["--grid", "tau=60:140:200", "--grid", "b=1:9:200"], ["40,000 points", "hours", f"{MOST_POINTS:,} points"]),
    (["--grid", "tau=60:140:9", "--workers", "0"], ["workers"]),
]


@pytest.mark.parametrize(("options", "told"), REFUSED, ids=lambda value: " ".join(value)[:40])
def test_what_cannot_be_done_is_said(folder: Path, options: list[str], told: list[str], capsys) -> None:
    assert calibrate(folder, *options) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    for words in told:
        assert words in captured.err


def test_a_history_without_a_game_is_said(tmp_path: Path, circuit: History, capsys) -> None:
    folder = written(circuit, tmp_path)
    assert calibrate(folder, "--grid", "tau=60:140:9", "--until", "2001-01-01") == 2
    assert "expected rated games" in capsys.readouterr().err
