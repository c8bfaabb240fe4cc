"""The command line as its users meet it: what is printed where, exit statuses, files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from making import SHARED, needs_shared

from ratinglab.cli import main

GOOD = """\
Zorn, Ada          1500 2 3 4; 420 400 380; lifeg 20
Yarrow, Bea        1400 1 4 3; 380 410 410; lifeg 200
Xu, Cy                0 4 1 2; 350 380 400
Wells, Dot         1300 3 2 1; 420 380 410
"""
BAD = """\
Zorn, Ada          1500 2 9; 420 400
Yarrow, Bea        1400 1 4; 380
Xu, Cy             1350 4 4; 350 380 410
"""


@pytest.fixture
def event(tmp_path: Path) -> Path:
    folder = tmp_path / "spring-open"
    folder.mkdir()
    (folder / "a.t").write_text(GOOD)
    (folder / "config.tsh").write_text(
        'division A a.t\nconfig event_date = "2024-05-04"\nconfig max_rounds = 3\nconfig rating_system = "nsa2008"\n'
    )
    return folder


def table(text: str) -> pd.DataFrame:
    from io import StringIO

    return pd.read_csv(StringIO(text))


class TestCheck:
    """check"""

    def test_good_files(self, event: Path, capsys) -> None:
        assert main(["check", str(event)]) == 0
        assert "0 errors" in capsys.readouterr().out

    def test_every_fault_in_one_run(self, event: Path, capsys) -> None:
        (event / "a.t").write_text(BAD)
        assert main(["check", str(event)]) == 1
        out = capsys.readouterr().out
        assert out.count("a.t:") >= 4
        for line in (1, 2, 3):
            assert f"a.t:{line}" in out
        assert "expected" in out
        assert "found" in out

    def test_as_a_table(self, event: Path, capsys, tmp_path: Path) -> None:
        (event / "a.t").write_text(BAD)
        main(["check", str(event), "--csv"])
        printed = table(capsys.readouterr().out)
        assert printed.columns.tolist() == ["file", "line", "column", "severity", "expected", "found"]
        main(["check", str(event), "--out", str(tmp_path / "out")])
        pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "out" / "problems.csv"), printed)

    def test_nothing_readable(self, tmp_path: Path, capsys) -> None:
        (tmp_path / "x.t").write_bytes(b"\x00\x01\x02")
        assert main(["check", str(tmp_path / "x.t"), str(tmp_path / "none")]) == 1
        out = capsys.readouterr().out
        assert "x.t" in out
        assert "none" in out


class TestRate:
    """rate"""

    def test_the_changes_table(self, event: Path, capsys) -> None:
        assert main(["rate", str(event), "--system", "naspa", "--csv"]) == 0
        captured = capsys.readouterr()
        changes = table(captured.out)
        assert changes.columns.tolist() == [
            "event", "section", "date", "player", "number", "games", "wins", "expected", "before", "base",
            "acceleration", "feedback", "after",
        ]  # fmt: skip
        assert changes["event"].unique().tolist() == ["spring-open"]
        assert changes["section"].unique().tolist() == ["A"]
        assert changes["date"].unique().tolist() == ["2024-05-04"]
        assert changes["wins"].tolist() == [2, 2, 0, 2]
        assert changes["games"].tolist() == [3, 3, 3, 3]

    def test_glixo_has_deviations(self, event: Path, capsys) -> None:
        main(["rate", str(event), "--system", "glixo", "--csv"])
        assert {"deviation_before", "deviation_after"} <= set(table(capsys.readouterr().out).columns)

    def test_a_lone_file_is_rated_as_nsa2008_with_a_notice(self, event: Path, capsys) -> None:
        main(["rate", str(event), "--csv"])
        with_config = table(capsys.readouterr().out)
        main(["rate", str(event / "a.t"), "--csv"])
        captured = capsys.readouterr()
        assert "nsa2008" in captured.err
        assert table(captured.out)["after"].tolist() == with_config["after"].tolist()

    def test_problems_go_to_standard_error_and_what_can_be_rated_is(self, event: Path, capsys) -> None:
        (event / "a.t").write_text(BAD)
        assert main(["rate", str(event), "--csv"]) == 0
        captured = capsys.readouterr()
        assert "a.t:1" in captured.err
        assert table(captured.out)["games"].sum() == 2  # Zorn and Yarrow in round 1

    def test_for_reading(self, event: Path, capsys) -> None:
        main(["rate", str(event)])
        out = capsys.readouterr().out
        assert "spring-open, section A" in out
        assert "Zorn, Ada" in out

    def test_parameters_can_be_set(self, event: Path, capsys) -> None:
        main(["rate", str(event), "--system", "naspa:acceleration=0", "--set", "feedback=0", "--csv"])
        changes = table(capsys.readouterr().out)
        assert (changes["acceleration"] == 0).all()
        assert (changes["feedback"] == 0).all()


class TestReplay:
    """replay"""

    FILES = ("changes.csv", "forecasts.csv", "manifest.json", "ratings.csv", "scores.csv", "segments.csv")

    def test_files_and_columns(self, event: Path, tmp_path: Path) -> None:
        out = tmp_path / "out"
        assert main(["replay", str(event), "--system", "glixo", "--out", str(out)]) == 0
        assert sorted(path.name for path in out.iterdir()) == list(self.FILES)
        assert pd.read_csv(out / "ratings.csv").columns.tolist() == [
            "rank", "player", "name", "rating", "deviation", "games", "events", "provisional", "active", "peak",
            "last_event", "as_of",
        ]  # fmt: skip
        assert pd.read_csv(out / "forecasts.csv").columns.tolist() == [
            "event", "section", "round", "player", "opponent", "result", "spread", "win", "spread_mean", "spread_sd",
            "player_games", "opponent_games",
        ]  # fmt: skip
        manifest = json.loads((out / "manifest.json").read_text())
        assert {"ratinglab", "command", "inputs", "system", "parameters", "seed", "versions"} <= set(manifest)
        assert manifest["parameters"]["tau"] == 90
        assert all(set(entry) == {"name", "sha256"} for entry in manifest["inputs"])
        assert not any(entry["name"].startswith("/") for entry in manifest["inputs"])

    def test_floats_are_whole(self, event: Path, tmp_path: Path) -> None:
        from ratinglab import load, replay

        main(["replay", str(event), "--out", str(tmp_path / "out")])
        read = pd.read_csv(tmp_path / "out" / "ratings.csv")
        assert read["rating"].tolist() == replay(load(event), "glixo").ratings()["rating"].tolist()

    def test_a_second_run_writes_the_same_bytes(self, event: Path, tmp_path: Path) -> None:
        for name in ("one", "two"):
            main(["replay", str(event), "--out", str(tmp_path / name)])
        for name in self.FILES:
            assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()

    def test_dates_bound_the_history(self, event: Path, capsys) -> None:
        main(["replay", str(event), "--until", "2024-05-03", "--csv"])
        assert len(table(capsys.readouterr().out)) == 0
        main(["replay", str(event), "--from", "2024-05-04", "--csv"])
        assert len(table(capsys.readouterr().out)) == 4


class TestWrongUse:
    """Everything that is asked wrongly: status 2 and a sentence that lists what is known."""

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["--system", "glico"], "glixo, coco, naspa"),
            (["--system", "naspa:slop=1"], "slope"),
            (["--set", "tau=wide"], "number"),
            (["--set", "tau"], "key=value"),
            (["--set", "tau=-1"], "above 0"),
            (["--system", "naspa", "--set", "rounding=perhaps"], "on or off"),
            (["--system", "naspa", "--set", "variant=elo"], "nsa2008"),
            (["--format", "tish"], "tsh"),
        ],
    )
    def test_parameters(self, event: Path, capsys, arguments: list[str], told: str) -> None:
        assert main(["replay", str(event), *arguments]) == 2
        assert told in capsys.readouterr().err

    @pytest.mark.parametrize("arguments", [["--until", "May"], ["--min-games", "-3"], ["--start", "new"], ["--what"]])
    def test_options(self, event: Path, capsys, arguments: list[str]) -> None:
        with pytest.raises(SystemExit) as exit_:
            main(["replay", str(event), *arguments])
        assert exit_.value.code == 2

    def test_an_unknown_event_lists_the_known(self, event: Path, capsys) -> None:
        assert main(["rate", str(event), "--event", "autumn"]) == 2
        assert "spring-open" in capsys.readouterr().err

    def test_a_missing_path_is_input_that_cannot_be_read(self, tmp_path: Path, capsys) -> None:
        assert main(["replay", str(tmp_path / "nowhere")]) == 1
        assert "nowhere" in capsys.readouterr().err

    def test_output_that_cannot_be_written(self, event: Path, tmp_path: Path, capsys) -> None:
        (tmp_path / "taken").write_text("a file")
        assert main(["replay", str(event), "--out", str(tmp_path / "taken" / "out")]) == 1
        assert "taken" in capsys.readouterr().err


def run(*arguments: str, **more) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "import sys; from ratinglab.cli import main; sys.exit(main())", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **more)


def test_version_and_help() -> None:
    assert run("--version").stdout.startswith("ratinglab ")
    for command in ("check", "rate", "replay", "report"):
        shown = run(command, "--help")
        assert shown.returncode == 0
        assert "examples:" in shown.stdout


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from ratinglab.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    code += "print([m for m in ('pandas', 'numpy', 'scipy', 'matplotlib') if m in sys.modules], file=sys.stderr)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert shown.stderr.strip() == "[]"


def test_a_pipe_that_is_closed_early_is_no_fault(event: Path) -> None:
    command = f"{sys.executable} -c 'from ratinglab.cli import main; main()' rate {event} --csv | head -1"
    shown = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert shown.stderr.count("Traceback") == 0
    assert shown.stdout.startswith("event,")


def test_silent_in_a_pipe(event: Path) -> None:
    assert run("replay", str(event), "--csv").stderr == ""


def test_the_public_names() -> None:
    import ratinglab

    for name in ratinglab.__all__:
        assert getattr(ratinglab, name).__doc__
    assert callable(ratinglab.replay)
    assert callable(ratinglab.check)
    with pytest.raises(AttributeError):
        _ = ratinglab.nothing


@needs_shared
def test_real_folders_rate_and_replay(tmp_path: Path, capsys) -> None:
    assert main(["replay", str(SHARED / "tsh"), str(SHARED / "coco"), "--out", str(tmp_path)]) == 0
    ratings = pd.read_csv(tmp_path / "ratings.csv")
    assert ratings["rating"].is_monotonic_decreasing
    assert os.listdir(tmp_path)


def test_the_help_names_every_system_and_format() -> None:
    """They are written out in the help, which must not import them; a new one must not be missing there."""
    from ratinglab.commands import options
    from ratinglab.formats import FORMATS
    from ratinglab.systems import PRESETS, SYSTEMS

    named = options._SYSTEMS.replace("(", ",").replace(")", ",").split(",")
    assert {name.strip() for name in named} - {"", "hindsight"} == {*SYSTEMS, *PRESETS}
    assert set(options._FORMATS.replace(" or ", ", ").split(", ")) == {known.NAME for known in FORMATS}


class TestSystems:
    def test_output_that_cannot_be_written_is_told_before_the_work(self, tmp_path: Path, capsys) -> None:
        (tmp_path / "file").write_text("x")
        assert main(["replay", str(tmp_path / "no such event"), "--out", str(tmp_path / "file" / "out")]) == 1
        assert capsys.readouterr().err == f"ratinglab replay: {tmp_path / 'file'}: Not a directory\n"

    def test_every_system_with_its_formula(self, capsys) -> None:
        from ratinglab.systems import PRESETS, SYSTEMS

        assert main(["systems"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[0] for line in lines] == [*SYSTEMS, *PRESETS]
        assert all(len(line.split(maxsplit=1)[1]) > 10 for line in lines)

    @pytest.mark.parametrize("name", ["naspa", "evanston:bonus=10", "nsa2008"])
    def test_one_system_with_every_parameter(self, name: str, capsys) -> None:
        from ratinglab.systems import parse

        assert main(["systems", name]) == 0
        out = capsys.readouterr().out
        listed = dict(line.split(maxsplit=1) for line in out.partition("Parameters")[2].splitlines()[2:])
        assert list(listed) == list(parse(name).parameters())
        assert ">>>" not in out

    def test_an_unknown_one(self, capsys) -> None:
        assert main(["systems", "glico"]) == 2
        assert "the systems are: glixo" in capsys.readouterr().err


def test_every_parameter_is_explained() -> None:
    """What `ratinglab systems NAME` prints of a system names each of its parameters."""
    import re

    from ratinglab.commands.systems import _told
    from ratinglab.systems import SYSTEMS

    missing = {
        name: [key for key in kind().parameters() if not re.search(rf"\b{key}\b", _told(kind))]
        for name, kind in SYSTEMS.items()
    }
    assert {name: keys for name, keys in missing.items() if keys} == {}


class TestUnusableInput:
    """What holds errors and not one result is no input, whatever else is beside it."""

    def test_rate_and_replay_end_with_status_1(self, tmp_path: Path, capsys) -> None:
        (tmp_path / "entries.csv").write_text("event,player,rating\ns,Ada Zorn,1500\ns,Bea Yarrow,1400\n")
        (tmp_path / "games.csv").write_text("event,rnd,player,oponent,score\ns,1,Ada Zorn,Bea Yarrow,400\n")
        for command in ("rate", "replay"):
            assert main([command, str(tmp_path)]) == 1
            told = capsys.readouterr().err
            assert "no round, but 'rnd', 'oponent'" in told
            assert "nothing could be read" in told

    def test_an_event_spelled_wrongly(self, event: Path, capsys) -> None:
        assert main(["rate", str(event), "--event", "spring-opne"]) == 2
        assert "perhaps spring-open is meant" in capsys.readouterr().err

    def test_a_number_where_a_word_is_due(self, event: Path, capsys) -> None:
        assert main(["rate", str(event), "--system", "uscf:rules=1999"]) == 2
        assert "must be dated, current, before-2001; found 1999" in capsys.readouterr().err
