"""What the README shows is what one gets."""

from __future__ import annotations

import doctest
import shlex
from pathlib import Path

import pytest

from ratinglab.cli import main

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def shown() -> list[tuple[str, list[str]]]:
    """The commands that are shown with their output: (command, lines), up to a line of `…`."""
    out: list[tuple[str, list[str]]] = []
    for line in README.splitlines():
        if line.startswith("    $ .venv/bin/ratinglab "):
            out.append((line.removeprefix("    $ .venv/bin/ratinglab "), []))
        elif out and (line.startswith("    ") or not line) and out[-1][1][-1:] != ["…"]:
            out[-1][1].append(line.removeprefix("    "))
        elif out and out[-1][1][-1:] != ["…"]:
            out[-1][1].append("…")
    return [(command, "\n".join(lines).split("…")[0].strip().splitlines()) for command, lines in out]


@pytest.mark.parametrize(("command", "lines"), shown(), ids=lambda value: str(value)[:12])
def test_commands_print_what_is_shown(command: str, lines: list[str], capsys, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    main(shlex.split(command))
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert len(lines) >= 3
    assert printed[: len(lines)] == lines


def test_python_examples_run(monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    test = doctest.DocTestParser().get_doctest(README, {}, "README.md", "README.md", 0)
    assert len(test.examples) >= 3
    told: list[str] = []
    assert doctest.DocTestRunner().run(test, out=told.append).failed == 0, "".join(told)


def test_the_tables_page_names_every_column_that_can_be_filled_in() -> None:
    import re

    from ratinglab.schema import TABLES

    words = set(re.findall(r"[a-z_]+", (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")))
    missing = {f"{table}.{column}" for table, columns in TABLES.items() for column in columns if column not in words}
    assert not missing
