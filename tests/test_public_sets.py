"""Sets made for the public name no child: every byte of every file is looked through, for every protected name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from clusters import ROOT
from public_sets import leaks, secrets

import ratinglab
from ratinglab.cli import main
from ratinglab.commands import COMMANDS

SCHOOL = [str(ROOT / "data" / name) for name in ("school-circuit", "open-circuit")]
CLUB = [str(ROOT / "data" / "scholastic-club")]
PARTS = "ratings,changes,histories,forecasts,comparison,backtest,seeding,sections,problems"
ALL_KINDS = "html,csv,xlsx,pdf"


def revised(out: Path) -> list[str]:
    """Two replays of the club, the second with a rule changed."""
    for name, more in (("old", []), ("new", ["--set", "bonus=10"])):
        made = ["replay", *CLUB, "--system", "uscf", *more, "--out", str(out.parent / name)]
        assert main(made) == 0
    return ["revisions", str(out.parent / "old"), str(out.parent / "new"), "--people", *CLUB]


# command: the files whose people are protected, and the command's line but for --out and --privacy
CASES: dict[str, tuple[list[str], Callable[[Path], list[str]]]] = {
    "seed": (SCHOOL, lambda out: ["seed", *SCHOOL]),
    "sections": (CLUB, lambda out: ["sections", *CLUB, "--event", "2012-mar"]),
    "card": (CLUB, lambda out: ["card", *CLUB, "--school", "Larkspur", "--system", "evanston"]),
    "qualify": (
        SCHOOL,
        lambda out: ["qualify", *SCHOOL, "--from-list", "2011-12-31", "--until-list", "2012-03-31", "--top", "20"],
    ),
    "convert": (CLUB, lambda out: ["convert", *CLUB, "--from-kind", "national", "--to-kind", "local"]),
    "lists": (SCHOOL, lambda out: ["lists", *SCHOOL, "--system", "glixo"]),
    "revisions": (CLUB, revised),
    "report": (SCHOOL, lambda out: ["report", *SCHOOL, "--parts", PARTS]),
    "report of a club": (CLUB, lambda out: ["report", *CLUB, "--parts", PARTS]),
}


def test_every_command_that_has_the_option_is_here() -> None:
    having = set()
    for module in COMMANDS:
        import argparse

        parser = argparse.ArgumentParser()
        module.add(parser.add_subparsers())
        name = module.__name__.rpartition(".")[2]
        if "--privacy" in next(iter(parser._subparsers._group_actions)).choices[name].format_help():
            having.add(name)
    assert having == {name.partition(" ")[0] for name in CASES}


@pytest.mark.parametrize("name", CASES)
def test_no_name_in_any_byte(name: str, tmp_path: Path) -> None:
    files, line = CASES[name]
    people, common, texts = secrets(ratinglab.load(*files))
    assert len(people) > 100
    out = tmp_path / "public"
    kinds = "html,csv,xlsx" if name.startswith("report") else ALL_KINDS  # of its pages many are long on paper
    asked = [*line(out), "--kinds", kinds, "--out", str(out)]
    assert main([*asked, "--privacy", "public"]) == 0
    assert leaks(out, people, common, texts) == []


@pytest.mark.parametrize("name", ["seed", "sections", "report of a club"])
def test_the_committee_s_set_holds_the_names_that_are_looked_for(name: str, tmp_path: Path) -> None:
    """So that the search can fail."""
    files, line = CASES[name]
    people, common, _ = secrets(ratinglab.load(*files))
    out = tmp_path / "all"
    assert main([*line(out), "--kinds", "html,xlsx", "--out", str(out)]) == 0
    found = leaks(out, people, common)
    assert len({leak.name for leak in found}) > 50
    assert {Path(leak.file).suffix for leak in found} >= {".html", ".csv", ".xlsx"}
