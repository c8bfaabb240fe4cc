"""The evidence commands give the same files whoever does the work, and Ctrl-C leaves no half-written set.

The serial run is the measure; beside it run two processes, and a Dask cluster that loses a worker on the way.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clusters import ROOT, cluster, gone_within, kill_a_worker

from ratinglab import tasks
from ratinglab.cli import main
from ratinglab.output import MANIFEST, write_set

DATA = [str(ROOT / "data" / "school-circuit"), "--until", "2011-12-31"]
# Work of several tasks each: more points than a tile holds, a system each, chunks of tournaments, variants.
COMMANDS = {
    "calibrate": ["--system", "glixo", "--grid", "b=3:8:9", "--grid", "tau=60:140:9", "--fit"],
    "compare": ["--systems", "naspa,glixo,elo"],
    "backtest": ["--event", "2011-toronto-school", "--systems", "naspa,glixo", "--tournaments", "3000"],
    "propose": ["--current", "naspa", "--proposed", "naspa:acceleration=0", "--variants", "elo:k=16|32"],
}


def command(name: str, *who: str, out: Path, data: list[str] = DATA) -> list[str]:
    """The command's line."""
    paths = DATA[:1] if name == "backtest" else data
    return [name, *paths, *COMMANDS[name], *who, "--out", str(out)]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, hidden ones too."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with cluster() as found:
        yield found


@pytest.mark.parametrize("name", COMMANDS)
def test_the_same_files_whoever_does_the_work(
    name: str, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process, two, and a cluster of which a worker is killed when the first result is there and others are not."""
    assert main(command(name, out=tmp_path / "one")) == 0
    assert main(command(name, "--workers", "2", out=tmp_path / "two")) == 0
    killed: list[int] = []
    result = tasks._result

    def killing(future: object) -> tuple[int, object]:
        if not killed:
            killed.append(kill_a_worker(address))
        return result(future)

    monkeypatch.setattr(tasks, "_result", killing)
    assert main(command(name, "--scheduler", address, out=tmp_path / "cluster")) == 0
    assert len(killed) == 1
    one = contents(tmp_path / "one")
    assert len(one) > 3
    for other in ("two", "cluster"):
        assert apart(contents(tmp_path / other), one) == []


def apart(found: dict[str, bytes], expected: dict[str, bytes]) -> list[str]:
    """The files that are not the same, byte for byte."""
    return [name for name in sorted({*found, *expected}) if found.get(name) != expected.get(name)]


# The console's own entry; told first, because a Ctrl-C that comes before our first line is Python's to answer.
PROGRAM = "import sys; from ratinglab.cli import main; print('ready', flush=True); sys.exit(main())"
LITTLE = [str(ROOT / "data" / "school-circuit" / event) for event in ("2011-nssc", "2012-texas-school")]
STOPPED = "ratinglab: stopped; files already written are whole"


def started(name: str, out: Path, temporary: Path) -> subprocess.Popen:
    """The command on two processes, at its first line, in a session of its own as in a terminal."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *command(name, "--workers", "2", out=out, data=LITTLE)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )  # fmt: skip
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent otherwise on other systems")
@pytest.mark.parametrize(("name", "count"), [("calibrate", 12), ("propose", 8)])
def test_ctrl_c_at_any_moment_leaves_a_whole_set(name: str, count: int, tmp_path: Path) -> None:
    """So often, at moments drawn from the length of a run that nobody interrupts."""
    out, temporary = tmp_path / "out", tmp_path / "temporary"
    temporary.mkdir()
    whole, begin = started(name, out, temporary), time.monotonic()
    whole.communicate()
    assert whole.returncode == 0
    length, new = time.monotonic() - begin, contents(out)
    old = {file: b"of an earlier run\n" for file in new if file != MANIFEST}
    seed = random.SystemRandom().randrange(10**6)
    print(f"{name}: seed {seed}, {length:.2f} s")
    moments, interrupts = random.Random(seed), 0
    while interrupts < count:
        write_set(out, old, {"command": name})
        before = contents(out)
        moment = moments.random() * length
        process, begin = started(name, out, temporary), time.monotonic()
        try:
            process.wait(moment)
            length = time.monotonic() - begin  # quicker than the first, which had found nothing prepared
        except subprocess.TimeoutExpired:
            interrupts += 1
            os.killpg(process.pid, signal.SIGINT)  # every process of a terminal hears it
        _, told = process.communicate(timeout=60)
        found = contents(out)
        print(f"{moment:.2f} s, status {process.returncode}, {'earlier' if found == before else 'new'} set")
        assert "Traceback" not in told
        if process.returncode:
            assert process.returncode == 130
            assert told.splitlines()[-1] == STOPPED
            assert all(line.startswith("ratinglab: ") for line in told.splitlines())  # of what was read
            assert found == before or apart(found, new) == []
        else:
            assert apart(found, new) == []
        assert gone_within(process.pid, 10) == []
        assert list(temporary.iterdir()) == []
