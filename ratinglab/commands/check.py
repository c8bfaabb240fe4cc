"""`ratinglab check`: what is wrong with event files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ratinglab.commands.doing import load
from ratinglab.commands.options import Commands, command, inputs
from ratinglab.problems import ERROR, InputError


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "check",
        run,
        "what is wrong with event files, file:line by file:line",
        "Read files and list every fault: where it stands, what was expected there, what was found. Also lists names "
        "one spelling apart, which may be one person (an aliases.csv with the columns alias, player settles it).",
        "ratinglab check data/school-circuit\n  ratinglab check my-events --csv > problems.csv",
    )
    inputs(parser)
    parser.add_argument("--csv", action="store_true", help="print the table of problems as CSV")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write problems.csv there")


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.checking import check
    from ratinglab.output import csv_text, write_csv
    from ratinglab.problems import problems_table
    from ratinglab.terminal import many

    unreadable = False
    try:
        history = load(options)
        problems = check(history)
        read = (
            f"{many(len(history.events), 'event')}, {many(len(history.entries), 'entry', 'entries')}, "
            f"{many(len(history.games), 'game')} read"
        )
    except InputError as error:
        problems, read, unreadable = error.problems, "nothing could be read", True
    table = problems_table(problems)
    if options.out:
        write_csv(table, options.out / "problems.csv")
    errors = int((table["severity"] == ERROR).sum())
    if options.csv:
        sys.stdout.write(csv_text(table))
    else:
        for problem in sorted(set(problems), key=lambda p: (p.severity != ERROR, p)):
            print(problem)
        print(f"{read}: {many(errors, 'error')}, {many(len(table) - errors, 'warning')}")
    return 1 if errors or unreadable else 0
