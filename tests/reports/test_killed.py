"""A run that is killed at any moment leaves the set that was there before, or all of the new one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from clusters import ROOT

from ratinglab.output import MANIFEST, write_set

SCHOOL = str(ROOT / "data" / "school-circuit")
PROGRAM = "import sys; from ratinglab.cli import main; sys.exit(main())"
LINES = {
    "report": ["report", SCHOOL, "--parts", "ratings,changes,seeding,problems", "--kinds", "html,xlsx"],
    "seed": ["seed", SCHOOL, "--kinds", "html,xlsx"],
}


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder but the hidden ones, which a killed run may leave and the next takes away."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def started(name: str, out: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", PROGRAM, *LINES[name], "--out", str(out)],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="a process is killed otherwise on other systems")
@pytest.mark.parametrize(("name", "count"), [("report", 10), ("seed", 10)])
def test_killed_at_any_moment(name: str, count: int, tmp_path: Path) -> None:
    out = tmp_path / "out"
    begin = time.monotonic()
    assert started(name, out).wait() == 0
    length, new = time.monotonic() - begin, contents(out)
    old = {file: b"of an earlier run\n" for file in new if file != MANIFEST}
    seed = random.SystemRandom().randrange(10**6)
    print(f"{name}: seed {seed}, {length:.2f} s")
    moments, killed = random.Random(seed), 0
    while killed < count:
        write_set(out, old, {"command": name})
        before = contents(out)
        moment = moments.random() * length
        process = started(name, out)
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
        found = contents(out)
        print(f"{moment:.2f} s, {'earlier' if found == before else 'new'} set")
        assert found in (before, new)
    assert started(name, out).wait() == 0
    assert contents(out) == new
    assert not [path for path in out.rglob(".*") if path.is_file()]
