"""`ratinglab standings`: how a section stood after a round."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ratinglab.commands.doing import load_results, one_event
from ratinglab.commands.options import Commands, command, count, event_of_several, inputs

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
        "forfeits are worth what the file credits. With --tow the TOW after each game, by which players can check how "
        "they were paired.",
        "ratinglab standings data/open-circuit/2011-saffron-ridge --round 5\n"
        "  ratinglab standings data/open-circuit/2011-saffron-ridge --tow\n"
        "  ratinglab standings data/scholastic-club --event 2012-mar --kind chess --csv",
    )
    inputs(parser)
    event_of_several(parser)
    parser.add_argument("--round", type=count, metavar="N", help="after this round (default: the last)")
    parser.add_argument("--kind", choices=("scrabble", "chess"), default="scrabble", help="default: scrabble")
    parser.add_argument(
        "--playoff", action="store_true", help="also the best of five of the first two: who goes first in which game"
    )
    parser.add_argument("--tow", action="store_true", help="total opponent wins, a column a game: TOW after it")
    parser.add_argument("--csv", action="store_true", help="print one table of all sections as CSV, floats whole")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="write standings.csv (tow.csv, playoff.csv) and manifest.json there"
    )


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.output import csv_text, manifest, write_set
    from ratinglab.standings import playoff, sections, standings, tow_by_game
    from ratinglab.terminal import table_text

    history = load_results(options)
    event = one_event(history, options.event)
    wanted = [options.section] if options.section is not None else sections(history, event)
    of_kind = {"standings.csv": standings} | ({"tow.csv": tow_by_game} if options.tow else {})
    asked_for = "tow.csv" if options.tow else "standings.csv"
    by_section = {
        name: {section: table(history, event, section, options.round, kind=options.kind) for section in wanted}
        for name, table in of_kind.items()
    }
    if options.playoff:
        by_section["playoff.csv"] = {s: playoff(table) for s, table in by_section["standings.csv"].items()}
    whole = {name: _joined(event, tables) for name, tables in by_section.items()}
    if options.out:
        record = manifest("standings", history.sources)
        asked = {name: getattr(options, name) for name in ("event", "section", "round", "kind", "tow", "playoff")}
        write_set(options.out, whole, record | {"options": asked})
    if options.csv:
        sys.stdout.write(csv_text(whole[asked_for]))
    elif not options.out:
        what = ": total opponent wins after each game" if options.tow else ""
        for section, table in by_section[asked_for].items():
            shown = table_text(table, _headings(table), _decimals(table))
            print(f"{event}, section {section}{what}\n\n{shown}\n")
            if options.playoff:
                print(f"Playoff, best of five\n\n{table_text(by_section['playoff.csv'][section])}\n")
    return 0


def _joined(event: str, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """One table of all sections, which are its second column."""
    import pandas as pd

    whole = pd.concat([table.assign(event=event, section=section) for section, table in tables.items()])
    return whole[["event", "section", *(c for c in whole.columns if c not in ("event", "section"))]]


def _headings(table: pd.DataFrame) -> dict[str, str]:
    """Short headings: a column of TOW is headed by its game."""
    return {"number": "no."} | {name: name.removeprefix("tow_") for name in map(str, table) if name.startswith("tow_")}


def _decimals(table: pd.DataFrame) -> dict[str, int]:
    """Whole figures without decimals, halves with one."""
    numbers = [str(name) for name in table.select_dtypes("number")]
    return {name: 0 if (table[name] % 1 == 0).all() else 1 for name in numbers}
