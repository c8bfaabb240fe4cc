"""`ratinglab rate`: events from the ratings in their own files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ratinglab.commands.doing import chosen, load_results, tell_of_history
from ratinglab.commands.options import Commands, command, inputs, system


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "rate",
        run,
        "one event, from the ratings in its own file",
        "Rate every section of an event from the ratings filed with its entries; who has none is a newcomer. "
        "Of several events, each is rated on its own.",
        "ratinglab rate data/open-circuit/2011-grand --system naspa\n"
        "  ratinglab rate a.t --system glixo --set tau=100 --csv",
    )
    inputs(parser)
    system(parser, "naspa")
    parser.add_argument("--event", action="append", metavar="E", help="only this event (may be repeated)")
    parser.add_argument("--segments", action="store_true", help="a row for each rated segment of a long event")
    parser.add_argument("--csv", action="store_true", help="print the table of changes as CSV, floats whole")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="write changes.csv, segments.csv and manifest.json there"
    )


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.output import csv_text, manifest, write_set
    from ratinglab.replaying import rate
    from ratinglab.terminal import FINE, progress, table_text

    system = chosen(options)
    history = load_results(options)
    if options.event:
        history = history.only(options.event)
    with progress("rating") as show:
        result = rate(history, system, progress=show)
    tell_of_history(history, result)
    changes, segments = result.changes, result.segments
    asked = segments if options.segments else changes
    # what a system keeps for its own use is in the files, and would make a wide table here
    own = [name for name in system.state_names if name not in ("rating", "deviation", "volatility")]
    hidden = [column for name in own for column in (f"{name}_before", f"{name}_after") if column in asked]
    if options.out:
        record = manifest("rate", history.sources, system.name, system.parameters())
        write_set(options.out, {"changes.csv": changes, "segments.csv": segments}, record)
    if options.csv:
        sys.stdout.write(csv_text(asked))
    elif not options.out:
        for (event, section), rows in asked.groupby(["event", "section"], sort=False):
            shown = rows.drop(columns=["event", "section", "date", *hidden])
            shown = shown.assign(change=rows["after"] - rows["before"])
            text = table_text(shown, {"number": "no."}, FINE if system.rates == "placings" else None)
            print(f"{event}, section {section}\n\n{text}\n")
    return 0
