"""`ratinglab standings`: how a section stood after a round."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ratinglab.commands.doing import load_results, one_event
from ratinglab.commands.options import Commands, command, count, inputs

if TYPE_CHECKING:
    import pandas as pd


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "standings",
        run,
        "how a section stood after a round",
        "The standings of every section of an event after a round: by wins, ties counting one half, and spread; with "
        "total opponent wins (TOW). With --kind chess by points, modified median, Solkoff and cumulative. Byes and "
        "forfeits are worth what the file credits.",
        "ratinglab standings data/open-circuit/2011-saffron-ridge --round 5\n"
        "  ratinglab standings data/scholastic-club --event 2024-autumn --kind chess --csv",
    )
    inputs(parser)
    parser.add_argument("--event", metavar="E", help="the event; needed where the files hold several")
    parser.add_argument("--section", metavar="S", help="only this section")
    parser.add_argument("--round", type=count, metavar="N", help="after this round (default: the last)")
    parser.add_argument("--kind", choices=("scrabble", "chess"), default="scrabble", help="default: scrabble")
    parser.add_argument("--csv", action="store_true", help="print one table of all sections as CSV, floats whole")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write standings.csv and manifest.json there")


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    import pandas as pd

    from ratinglab.output import csv_text, manifest, write_set
    from ratinglab.standings import sections, standings
    from ratinglab.terminal import table_text

    history = load_results(options)
    event = one_event(history, options.event)
    wanted = [options.section] if options.section is not None else sections(history, event)
    made = {}
    for section in wanted:
        made[section] = standings(history, event, section, options.round, kind=options.kind)
    whole = pd.concat([table.assign(event=event, section=section) for section, table in made.items()])
    whole = whole[["event", "section", *(c for c in whole.columns if c not in ("event", "section"))]]
    if options.out:
        record = manifest("standings", history.sources)
        asked = {name: getattr(options, name) for name in ("event", "section", "round", "kind")}
        write_set(options.out, {"standings.csv": whole}, record | {"options": asked})
    if options.csv:
        sys.stdout.write(csv_text(whole))
    elif not options.out:
        for section, table in made.items():
            print(f"{event}, section {section}\n\n{table_text(table, {'number': 'no.'}, _decimals(table))}\n")
    return 0


def _decimals(table: pd.DataFrame) -> dict[str, int]:
    """Whole figures without decimals, halves with one."""
    numbers = [str(name) for name in table.select_dtypes("number")]
    return {name: 0 if (table[name] % 1 == 0).all() else 1 for name in numbers}
