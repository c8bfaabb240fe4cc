"""Files are written whole or not at all, a run's set of files too, whatever goes wrong in the middle."""

from __future__ import annotations

import builtins
import errno
import io
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ratinglab import output
from ratinglab.output import MANIFEST, as_bytes, csv_text, uninterrupted, write_bytes, write_csv, write_set

posix = pytest.mark.skipif(os.name != "posix", reason="signals and permissions of another system")
RECORD = {"command": "calibrate", "seed": 1}
OLD = {"surface.csv": "old surface", "best.json": {"which": "old"}, "pages/calibration.html": "old page"}
NEW = {"surface.csv": "new surface", "best.json": {"which": "new"}, "pages/calibration.html": "new page"}


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, hidden ones too."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A folder with the files of an earlier run."""
    write_set(tmp_path / "out", OLD, RECORD)
    return tmp_path / "out"


class TestASet:
    """write_set"""

    def test_is_written_whole_with_its_manifest(self, tmp_path: Path) -> None:
        table = pd.DataFrame({"tau": [60.0, 0.1 + 0.2], "in_region": [True, False]})
        paths = write_set(tmp_path / "a" / "b", {"surface.csv": table, "x.txt": "ä\n", "y.bin": b"\0"}, RECORD)
        assert [path.name for path in paths] == ["surface.csv", "x.txt", "y.bin", MANIFEST]
        found = contents(tmp_path / "a" / "b")
        assert set(found) == {"surface.csv", "x.txt", "y.bin", MANIFEST}
        assert found["surface.csv"] == b"tau,in_region\n60.0,1\n0.30000000000000004,0\n"
        assert found["x.txt"] == "ä\n".encode()
        assert json.loads(found[MANIFEST]) == RECORD | {"files": ["surface.csv", "x.txt", "y.bin"]}

    def test_takes_the_place_of_an_earlier_one(self, earlier: Path) -> None:
        write_set(earlier, NEW, RECORD)
        assert contents(earlier) == {name: as_bytes(content) for name, content in NEW.items()} | {
            MANIFEST: as_bytes(RECORD | {"files": sorted(NEW)})
        }

    def test_twice_has_the_same_bytes(self, earlier: Path, tmp_path: Path) -> None:
        before = contents(earlier)
        write_set(earlier, OLD, RECORD)
        write_set(tmp_path / "elsewhere", OLD, RECORD)
        assert contents(earlier) == before == contents(tmp_path / "elsewhere")

    def test_clear_removes_listed_files_only(self, earlier: Path) -> None:
        (earlier / "pages" / "notes.csv").write_text("mine")
        write_set(earlier, {"surface.csv": "new"}, RECORD, clear=True)
        assert set(contents(earlier)) == {"surface.csv", MANIFEST, "pages/notes.csv"}

    def test_clear_removes_folders_left_empty(self, earlier: Path) -> None:
        write_set(earlier, {"surface.csv": "new"}, RECORD, clear=True)
        assert not (earlier / "pages").exists()

    @pytest.mark.parametrize("record", [{"command": "compare"}, {"command": "calibrate"}])
    def test_without_clear_or_of_another_command_nothing_is_removed(self, earlier: Path, record: dict) -> None:
        write_set(earlier, {"scores.csv": "new"}, record, clear=record["command"] == "compare")
        assert set(contents(earlier)) == {*OLD, "scores.csv", MANIFEST}

    @pytest.mark.parametrize(
        "name", ["../mine.csv", "/tmp/mine.csv", "decisions/vote.csv", "README.md", "..\\mine.csv", "notes.docx", 7]
    )
    def test_clear_removes_nothing_that_no_run_wrote(self, tmp_path: Path, name: object) -> None:
        out = tmp_path / "out"
        write_set(out, {"a.csv": "a"}, RECORD)
        (out / "decisions").mkdir()
        for path in (tmp_path / "mine.csv", out / "decisions" / "vote.csv", out / "README.md", out / "notes.docx"):
            path.write_text("mine")
        record = json.loads((out / MANIFEST).read_text())
        (out / MANIFEST).write_text(json.dumps(record | {"files": [name]}))
        write_set(out, {"a.csv": "b"}, RECORD, clear=True)
        assert {*contents(tmp_path)} == {
            "mine.csv", "out/decisions/vote.csv", "out/README.md", "out/notes.docx", "out/a.csv", f"out/{MANIFEST}"
        }  # fmt: skip

    def test_a_link_stays_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "kept").mkdir()
        (tmp_path / "kept" / "a.csv").write_text("old")
        (tmp_path / "out").mkdir()
        try:
            (tmp_path / "out" / "a.csv").symlink_to(tmp_path / "kept" / "a.csv")
        except OSError:
            pytest.skip("no links here")
        write_set(tmp_path / "out", {"a.csv": "new"}, RECORD)
        assert (tmp_path / "out" / "a.csv").is_symlink()
        assert (tmp_path / "kept" / "a.csv").read_text() == "new"

    @posix
    def test_permissions(self, tmp_path: Path) -> None:
        """A new file can be read by whom the umask lets; an earlier one keeps its permissions."""
        before = os.umask(0o022)
        try:
            write_bytes(b"1", tmp_path / "a.csv")
            assert (tmp_path / "a.csv").stat().st_mode & 0o777 == 0o644
            os.chmod(tmp_path / "a.csv", 0o600)
            write_bytes(b"2", tmp_path / "a.csv")
            assert (tmp_path / "a.csv").stat().st_mode & 0o777 == 0o600
        finally:
            os.umask(before)


class Full(io.BytesIO):
    """A file on a disk that has no space left."""

    def write(self, content: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class TestWhatGoesWrong:
    """The earlier set stays, and nothing beside it"""

    def test_a_full_disk(self, earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        before, opened, number = contents(earlier), os.fdopen, iter(range(10))

        def fdopen(handle: int, mode: str) -> object:
            if next(number) < 2:
                return opened(handle, mode)
            os.close(handle)
            return Full()

        monkeypatch.setattr(output.os, "fdopen", fdopen)
        with pytest.raises(OSError, match=r"No space left.*calibration\.html") as error:
            write_set(earlier, NEW, RECORD)
        assert error.value.errno == errno.ENOSPC
        assert contents(earlier) == before

    @posix
    @pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
    def test_a_folder_that_may_not_be_written(self, earlier: Path) -> None:
        before = contents(earlier)
        os.chmod(earlier / "pages", 0o500)
        try:
            with pytest.raises(PermissionError, match=r"calibration\.html"):
                write_set(earlier, NEW, RECORD)
        finally:
            os.chmod(earlier / "pages", 0o700)
        assert contents(earlier) == before

    def test_a_file_where_the_folder_should_be(self, tmp_path: Path) -> None:
        (tmp_path / "out").write_text("mine")
        with pytest.raises(OSError, match="out"):
            write_set(tmp_path / "out", NEW, RECORD)
        assert contents(tmp_path) == {"out": b"mine"}

    @pytest.mark.parametrize("name", ["surface.csv", "pages/calibration.html", MANIFEST])
    def test_a_folder_where_a_file_should_be(self, earlier: Path, name: str) -> None:
        """The renames before it are taken back."""
        (earlier / name).unlink()
        (earlier / name).mkdir()
        before = contents(earlier)
        with pytest.raises(OSError, match=name):
            write_set(earlier, NEW, RECORD)
        assert contents(earlier) == before

    @pytest.mark.parametrize("links", [True, False])
    @pytest.mark.parametrize("failing", range(4))
    def test_a_file_that_another_program_holds(
        self, earlier: Path, monkeypatch: pytest.MonkeyPatch, failing: int, links: bool
    ) -> None:
        """As on Windows, where a table open in a spreadsheet cannot be replaced: what was renamed is taken back."""
        before, replace, number = contents(earlier), os.replace, iter(range(99))

        def locked(source: Path, target: Path) -> None:
            if next(number) == failing:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(source), None, str(target))
            replace(source, target)

        def unlinked(source: Path, target: Path) -> None:
            raise OSError(errno.ENOTSUP, "no links on this disk")

        monkeypatch.setattr(output.os, "replace", locked)
        if not links:
            monkeypatch.setattr(output.os, "link", unlinked)
        with pytest.raises(PermissionError) as error:
            write_set(earlier, NEW | {"first.csv": "first"}, RECORD)
        expected = [*NEW, "first.csv", MANIFEST][failing]
        assert Path(error.value.filename) == (earlier / expected).resolve()
        assert contents(earlier) == before

    def test_content_that_cannot_be_written(self, earlier: Path) -> None:
        before = contents(earlier)
        with pytest.raises(TypeError):
            write_set(earlier, NEW | {"x.json": {"a": object()}}, RECORD)
        assert contents(earlier) == before


@posix
class TestCtrlC:
    """Ctrl-C waits while files are renamed"""

    def test_before_the_renames_keeps_the_earlier_set(self, earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        before, opened, number = contents(earlier), os.fdopen, iter(range(10))

        def interrupted(handle: int, mode: str) -> object:
            if next(number) == 2:
                signal.raise_signal(signal.SIGINT)
            return opened(handle, mode)

        monkeypatch.setattr(output.os, "fdopen", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_set(earlier, NEW, RECORD)
        assert contents(earlier) == before

    @pytest.mark.parametrize("at", range(4))
    def test_amid_the_renames_finishes_them(self, earlier: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
        replace, number = os.replace, iter(range(10))

        def interrupted(source: Path, target: Path) -> None:
            if next(number) == at:
                signal.raise_signal(signal.SIGINT)
            replace(source, target)

        monkeypatch.setattr(output.os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_set(earlier, NEW, RECORD)
        assert contents(earlier) == {name: as_bytes(content) for name, content in NEW.items()} | {
            MANIFEST: as_bytes(RECORD | {"files": sorted(NEW)})
        }

    def test_is_heard_after_the_block_and_once(self) -> None:
        steps = []

        def work() -> None:
            with uninterrupted():
                with uninterrupted():
                    signal.raise_signal(signal.SIGINT)
                    signal.raise_signal(signal.SIGINT)
                    steps.append("inner")
                steps.append("outer")

        before = signal.getsignal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            work()
        assert steps == ["inner", "outer"]
        assert signal.getsignal(signal.SIGINT) is before

    def test_ignored_stays_ignored(self) -> None:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with uninterrupted():
                signal.raise_signal(signal.SIGINT)
        finally:
            signal.signal(signal.SIGINT, before)

    def test_another_thread_writes_too(self, tmp_path: Path) -> None:
        thread = threading.Thread(target=write_set, args=(tmp_path, NEW, RECORD))
        thread.start()
        thread.join()
        assert set(contents(tmp_path)) == {*NEW, MANIFEST}


WRITER = """
import sys, itertools
from ratinglab.output import write_set
for run in itertools.count():
    files = {f"{name}.txt": f"run {run}\\n" * 400 for name in range(8)}
    write_set(sys.argv[1], files, {"command": "calibrate", "run": run})
    if not run:
        print("begun", flush=True)
"""


@posix
def test_killed_at_any_moment_a_folder_with_a_manifest_is_of_one_run(tmp_path: Path) -> None:
    """A program that writes sets without a pause is killed 25 times, often in the middle of the renames."""
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    moments = random.Random(seed)
    whole = 0
    for _ in range(25):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE)
        try:
            assert writer.stdout.readline() == b"begun\n"
            time.sleep(moments.uniform(0, 0.03))
        finally:
            writer.kill()
            writer.wait()
            writer.stdout.close()
        runs = {path.read_text() for path in tmp_path.glob("[0-9].txt")}
        assert all(len(set(text.splitlines())) == 1 and text.count("\n") == 400 for text in runs)  # no half file
        if (tmp_path / MANIFEST).exists():
            told = json.loads((tmp_path / MANIFEST).read_text())
            assert told["files"] == [f"{name}.txt" for name in range(8)]
            assert runs == {f"run {told['run']}\n" * 400}
            whole += 1
    assert whole
    write_set(tmp_path, {f"{name}.txt": "last" for name in range(8)}, RECORD)
    assert set(contents(tmp_path)) == {*(f"{name}.txt" for name in range(8)), MANIFEST}  # nothing left beside them
    assert {path.read_text() for path in tmp_path.glob("[0-9].txt")} == {"last"}


@posix
def test_only_what_a_process_that_is_no_more_left_beside_is_taken_away(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = [f".index.html.{ended.pid}.x_7a.new", f".index.html.{ended.pid}.old", f"pages/.a.{ended.pid}.b.new"]
    kept = [f".index.html.{os.getpid()}.x.new", f".index.html.{os.getpid()}.old", ".htaccess", ".git.1.old.txt"]
    (tmp_path / "pages").mkdir()
    for name in [*left, *kept]:
        (tmp_path / name).write_text("a name")
    write_set(tmp_path, {"index.html": "", "pages/a.html": ""}, RECORD)
    assert set(contents(tmp_path)) == {"index.html", "pages/a.html", MANIFEST, *kept}


class TestTables:
    """csv_text"""

    def test_cells(self) -> None:
        table = pd.DataFrame(
            {
                "date": pd.to_datetime(["2024-05-04", None]),
                "rating": [1500.0, np.nan],
                "third": [1 / 3, 1e-300],
                "provisional": [True, False],
                "settled": pd.array([True, None], dtype="boolean"),
                "player": ["Zorn, Ada", None],
            }
        )
        assert csv_text(table) == (
            "date,rating,third,provisional,settled,player\n"
            '2024-05-04,1500.0,0.3333333333333333,1,1,"Zorn, Ada"\n'
            ",,1e-300,0,,\n"
        )

    def test_floats_come_back_as_they_were(self, tmp_path: Path) -> None:
        values = np.random.default_rng(5).normal(size=100) * 10.0 ** np.arange(-50, 50)
        write_csv(pd.DataFrame({"x": values}), tmp_path / "x.csv")
        with builtins.open(tmp_path / "x.csv", newline="") as file:
            assert [float(line) for line in file.read().split("\n")[1:-1]] == values.tolist()


def test_errors_name_the_file_and_not_the_one_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def mkstemp(**given: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(tmp_path / ".hidden"))

    monkeypatch.setattr(output.tempfile, "mkstemp", mkstemp)
    write: list[Callable[[], object]] = [
        lambda: write_bytes(b"", tmp_path / "a.csv"),
        lambda: write_set(tmp_path, {"a.csv": ""}, RECORD),
    ]
    for call in write:
        with pytest.raises(PermissionError) as error:
            call()
        assert Path(error.value.filename) == (tmp_path / "a.csv").resolve()
