"""Checks of the project itself rather than of what it computes: what is kept in git, the lock files, the notebooks."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LARGEST_FILE = 1_000_000  # bytes
LONGEST_MODULE = 500  # lines
LOCKS = ["requirements.lock", "tests/benchmarks/requirements-peers.lock"]


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    if shutil.which("git") is None:
        pytest.skip("git is not installed, so the tracked files cannot be listed")
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"git cannot list the tracked files: {done.stderr.strip()}")
    # A file deleted here but not yet in git is listed too.
    return [path for name in done.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_no_large_file_is_tracked(tracked: list[Path]) -> None:
    large = {str(path.relative_to(ROOT)): path.stat().st_size for path in tracked}
    assert {name: size for name, size in large.items() if size > LARGEST_FILE} == {}


@pytest.mark.parametrize("name", LOCKS)
def test_lock_pins_every_requirement_by_hash(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")]
    assert lines
    unpinned = [
        line for line in lines if not re.match(r"[\w.-]+==[\w.!+]+ .*--hash=sha256:[0-9a-f]{64}(?![0-9a-f])", line)
    ]
    assert unpinned == []


@pytest.mark.parametrize("name", LOCKS)
def test_lock_names_no_address(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    # A bare "http" would find httpx, an ordinary package.
    assert re.findall(r"\S*(?:https?:|://|index|find-links| @ )\S*", text) == []


def test_lock_covers_the_direct_dependencies() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    wanted = [
        *project["dependencies"],
        *(line for extra in project["optional-dependencies"].values() for line in extra),
    ]
    names = {re.match(r"[\w.-]+", line)[0].lower().replace("_", "-") for line in wanted}
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / LOCKS[0]).read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert names - locked == set()


def test_notebooks_carry_no_outputs() -> None:
    filled = []
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"], start=1):
            if cell.get("outputs") or cell.get("execution_count") is not None:
                filled.append(f"{path.name}, cell {number}")
    assert filled == []


def test_modules_fit_in_the_head() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in sorted((ROOT / "ratinglab").rglob("*.py"))
    }
    assert {name: length for name, length in lengths.items() if length > LONGEST_MODULE} == {}


def test_make_targets_of_the_readme_exist() -> None:
    readme = ROOT / "README.md"
    # In code only: `make test`, or a line of a code block, with settings such as PYTHON=python3.12 before the target.
    named = re.findall(r"(?:^ *|`)make(?: [A-Z]+=\S+)* ([a-z]+)\b", readme.read_text(encoding="utf-8"), re.MULTILINE)
    assert named
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert set(named) - set(targets) == set()
