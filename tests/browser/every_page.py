"""A page of every kind that the program writes, made of the sample data by the commands themselves.

`build` runs `COMMANDS` and notes by which template each page was set. A new kind of page is a line there: a test holds
that every template is among them.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ratinglab.cli import main
from ratinglab.reports import html

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "ratinglab" / "reports" / "templates"
DATA = ROOT / "data"
SCHOOL, CLUB = (str(DATA / name) for name in ("school-circuit", "scholastic-club"))

# The folder that each writes, and what it is asked; `--out` and, where a command has them, the kinds are added.
COMMANDS: Sequence[tuple[str, Sequence[str]]] = (
    ("report", ["report", SCHOOL, "--parts", "ratings,changes,histories,forecasts,problems"]),
    ("portal", ["report", "--parts", "problems"]),
    ("seed", ["seed", SCHOOL]),
    ("sections", ["sections", CLUB, "--event", "2012-mar"]),
    ("explain", ["explain", str(DATA / "worked-examples"), "--alone", "--system", "naspa", "--event",
                 "naspa-four-players", "--player", "Linnet Quarrie", "--against", "uscf"]),
    ("backtest", ["backtest", SCHOOL, "--event", "2011-nssc", "--systems", "glixo,naspa"]),
    ("calibrate", ["calibrate", SCHOOL, "--system", "glixo", "--grid", "b=4:6:3", "--grid", "tau=80:100:3"]),
    ("compare", ["compare", SCHOOL, "--systems", "glixo,naspa"]),
    ("propose", ["propose", SCHOOL, "--current", "naspa", "--proposed", "naspa:acceleration=0", "--line", "1000"]),
    ("simulate", ["simulate", "--pairing", "cnsc,random", "--players", "8", "--rounds", "5", "--tournaments", "60",
                  "--steps"]),
    ("lists", ["lists", str(DATA / "diplomacy"), "--compare", "elo:k=1"]),
    ("card", ["card", CLUB, "--player", "Baetha Goramére"]),
    ("cards", ["card", CLUB, "--school", "Wicker Street"]),
    ("qualify", ["qualify", SCHOOL, "--from-list", "2011-12-31", "--until-list", "2012-03-31", "--top", "10"]),
    ("convert", ["convert", CLUB, "--from-kind", "local", "--to-kind", "replay", "--system", "evanston"]),
)  # fmt: skip


@dataclass(frozen=True)
class Site:
    """The folder of all sets, and the pages in it by the template that they were set by."""

    folder: Path
    pages: Mapping[str, Sequence[Path]]


def kinds_of_pages() -> list[str]:
    """The templates that are pages: those that extend another."""
    return sorted(path.name for path in TEMPLATES.glob("*.html") if "{% extends" in path.read_text(encoding="utf-8"))


def build(folder: Path) -> Site:
    """Run every command; the pages and the templates they were set by."""
    pages: dict[str, list[Path]] = defaultdict(list)
    for name, asked in (*COMMANDS, *_with_files(folder)):
        for template, file in _run(folder / name, asked):
            pages[template].append(folder / name / file)
    return Site(folder, pages)


def _run(out: Path, asked: Sequence[str]) -> list[tuple[str, str]]:
    """What a command wrote into `out`: the template and the file of each page."""
    set_by: dict[str, str] = {}  # the template by the file: of sets within a set, the page of the whole comes last
    render: Callable[..., bytes] = html.render

    def noted(page: Any, *more: Any, **named: Any) -> bytes:
        set_by[page.file] = page.template
        return render(page, *more, **named)

    kinds = [] if asked[0] == "explain" else ["--kinds", "html"]
    html.render = noted
    try:
        status = main([*asked, "--out", str(out), *kinds])
    finally:
        html.render = render
    if status != 0:
        raise AssertionError(f"`ratinglab {' '.join(asked)}` ended with status {status}")
    return [(template, file) for file, template in set_by.items() if (out / file).is_file()]


def _with_files(folder: Path) -> Sequence[tuple[str, Sequence[str]]]:
    """Commands on what others have written, or on files made for them."""
    circuit = folder / "circuit"
    shutil.copytree(SCHOOL, circuit)
    score = next(circuit.glob("2012-texas-school/*.t"))
    text = score.read_text(encoding="latin-1")
    first = text.splitlines()[0]
    before, _, after = first.partition("; ")
    opening, *rest = after.split(" ")
    score.write_text(text.replace(first, f"{before}; {' '.join([str(int(opening) + 90), *rest])}"), encoding="latin-1")
    runs = []
    for name, source in (("old", SCHOOL), ("new", str(circuit))):
        runs.append(str(folder / f"{name}-run"))
        if main(["replay", source, "--out", runs[-1]]) != 0:
            raise AssertionError(f"no run of {source}")
    return (("revisions", ["revisions", *runs, "--why", "A score of Texas was wrong."]),)
