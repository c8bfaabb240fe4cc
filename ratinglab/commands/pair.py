"""`ratinglab pair`: the next round of a real event."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratinglab.commands.doing import load_results, one_event
from ratinglab.commands.options import PAIRINGS, Commands, command, count, event_of_several, inputs
from ratinglab.problems import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from ratinglab.history import History
    from ratinglab.pairing import Pairing
    from ratinglab.pairing.real import NextRound


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "pair",
        run,
        "the next round of a real event, with what gave way",
        "Pair a round of an event from the standing before it: who meets whom, who goes first where the system says "
        "so, why each pair is what it is, which rules gave way. Not paired are players who have withdrawn and those "
        "with a bye in the file; pairs that a report file (TRF) forbids are not made. --write puts the round into the "
        "event's file: there who is not paired has a bye, in a TRF of ½ (H) where it was asked for, else of 0 (Z).",
        "ratinglab pair data/open-circuit/2011-saffron-ridge --pairing cnsc --round 6\n"
        "  ratinglab pair club --event 2012-mar --pairing evanston --absent 'Wren Ashdown' --compare swiss,dutch",
    )
    inputs(parser)
    event_of_several(parser)
    parser.add_argument("--round", type=count, metavar="N", help="default: the first without a result")
    parser.add_argument(
        "--pairing",
        default="cnsc",
        metavar="P",
        help=f"{PAIRINGS}; with options as in cnsc:both_ends=1 (default: cnsc)",
    )
    for name, told in (("absent", "is not there in this round"), ("bye", "has asked for a bye")):
        parser.add_argument(f"--{name}", action="append", default=[], metavar="NAME", help=f"{told} (may be repeated)")
    parser.add_argument(
        "--forbid", action="append", default=[], metavar="'A|B'", help="two who are not to meet (may be repeated)"
    )
    parser.add_argument("--compare", metavar="P,P", help="also what these pairing systems would pair")
    parser.add_argument(
        "--again", action="store_true",
        help="instead pair every round of all events again, and compare with what was paired (again.csv)",
    )  # fmt: skip
    parser.add_argument("--seed", type=count, default=0, metavar="N", help="of all that is left to chance (default: 0)")
    parser.add_argument("--csv", action="store_true", help="print pairs.csv")
    written = "write the event's file with the new round in it there (TSH, TRF, games.csv)"
    parser.add_argument("--write", type=Path, metavar="PATH", help=written)
    parser.add_argument("--overwrite", action="store_true", help="--write may name the event's own file")
    again = "--write may replace pairs that the file has for the round already, while it has no results"
    parser.add_argument("--replace", action="store_true", help=again)
    files = "write pairs.csv, reasons.csv, away.csv (compare.csv, compared.csv) and manifest.json there"
    parser.add_argument("--out", type=Path, metavar="DIR", help=files)


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.output import Content, csv_text, manifest, write_set
    from ratinglab.pairing import parse, parse_several
    from ratinglab.pairing.real import side_by_side
    from ratinglab.standings import sections
    from ratinglab.terminal import table_text

    pairing = parse(options.pairing)
    others = parse_several(options.compare) if options.compare else []
    if options.csv and others and not options.out:
        raise UsageError("--csv prints one table, the pairs: give --out for the comparison too")
    history = load_results(options)
    if options.again and options.write:
        raise UsageError("--again pairs rounds that were played: there is nothing to --write")
    if options.again:
        return _all_again(history, pairing, options)
    event = one_event(history, options.event)
    wanted = [options.section] if options.section is not None else sections(history, event)
    made: dict[str, dict[str, NextRound]] = {}
    for section in wanted:
        barred = _forbidden(history, event, section, options)
        made[section] = {
            one.label: _paired(history, event, section, one, barred, options) for one in (pairing, *others)
        }
    first = {section: rounds[pairing.label] for section, rounds in made.items()}
    several = len(wanted) > 1
    if options.write:
        _write(history, event, first, options)
    for section, one in first.items():
        for notice in one.notices:
            print(f"ratinglab: section {section}: {notice}", file=sys.stderr)
    tables = {name: _joined({s: getattr(one, name) for s, one in first.items()}, several) for name in _TABLES}
    files: dict[str, Content] = {f"{name}.csv": table for name, table in tables.items()}
    compared = {section: side_by_side(rounds) for section, rounds in made.items()} if others else {}
    for at, name in enumerate(("compare", "compared")):
        if others:
            files[f"{name}.csv"] = _joined({section: of[at] for section, of in compared.items()}, several)
    if options.out:
        record = manifest("pair", history.sources, seed=options.seed)
        asked = ("event", "section", "round", "pairing", "absent", "bye", "forbid", "compare")
        write_set(
            options.out, files, record | {"options": {name: getattr(options, name) for name in asked}}, clear=True
        )
    if options.csv:
        sys.stdout.write(csv_text(tables["pairs"]))
    elif not options.out:
        for section, one in first.items():
            print(f"{event}, section {section}, round {int(one.pairs['round'].iloc[0])}, paired by {pairing.label}\n")
            shown = one.reasons[["board", "player", "opponent", "why"]]
            goes = one.pairs["first"].map({1: "first"}).fillna("")
            print(table_text(shown.assign(player=shown["player"] + goes.map({"first": " (first)", "": ""}))))
            if len(one.away):
                print(f"\nNot paired\n\n{table_text(one.away)}")
            for table in compared.get(section, ()):
                print(f"\n{table_text(table, {'number': 'no.'})}")
            print()
    return 0


def _write(history: History, event: str, rounds: dict[str, NextRound], options: argparse.Namespace) -> None:
    """The event's file with the round in it; over that file itself only if that is said, over another input never."""
    from ratinglab.formats import groups
    from ratinglab.formats.writing import with_round
    from ratinglab.output import write_bytes

    read = options.paths
    source, content = with_round(history, event, rounds, read, options.format, replace=options.replace)
    target = options.write.resolve()
    inputs = {file.path.resolve() for _, group in groups(*read, format=options.format) for file in group.files}
    if target == source.resolve() and not options.overwrite:
        raise UsageError(f"--write names the event's own file, {options.write}: say --overwrite if that is meant")
    if target in inputs - {source.resolve()}:
        raise UsageError(f"--write names {options.write}, which is another of the files that were read")
    write_bytes(content, options.write)


def _all_again(history: History, pairing: Pairing, options: argparse.Namespace) -> int:
    """Every round of the events (of one, with --event) paired again, beside what was paired."""
    from ratinglab.output import csv_text, manifest, write_set
    from ratinglab.pairing.again import paired_again, summed
    from ratinglab.terminal import progress, table_text

    if options.event:
        history = history.only(options.event)
    with progress("pairing again", "events") as show:
        table = paired_again(history, pairing, seed=options.seed, progress=show)
    if options.out:
        record = manifest("pair", history.sources, seed=options.seed)
        asked = {name: getattr(options, name) for name in ("event", "pairing", "again")}
        write_set(options.out, {"again.csv": table}, record | {"options": asked}, clear=True)
    if options.csv:
        sys.stdout.write(csv_text(table))
    elif not options.out:
        print(table_text(summed(table, pairing.label)))
    return 0


_TABLES = ("pairs", "reasons", "away")


def _forbidden(history: History, event: str, section: str, options: argparse.Namespace) -> list[tuple[str, str]]:
    """Who are not to meet: as --forbid has it, and as the event's report file has it."""
    from ratinglab.formats.writing import forbidden

    pairs = forbidden(history, event, section, options.round, options.format)
    for text in options.forbid:
        one, bar, other = text.partition("|")
        if not bar:
            raise UsageError(f"--forbid names two with | between: 'A|B'; found {text}")
        pairs.append((one.strip(), other.strip()))
    return pairs


def _paired(
    history: History, event: str, section: str, pairing: Any, forbidden: list[tuple[str, str]],
    options: argparse.Namespace,
) -> NextRound:  # fmt: skip
    from ratinglab.pairing.real import next_round

    return next_round(
        history, event, section, pairing, options.round, absent=options.absent, byes=options.bye, forbidden=forbidden,
        seed=options.seed,
    )  # fmt: skip


def _joined(tables: dict[str, pd.DataFrame], several: bool) -> pd.DataFrame:
    """The tables of all sections as one, with a column for the section where there are several."""
    import pandas as pd

    parts = [table.assign(section=section) if several else table for section, table in tables.items()]
    joined = pd.concat(parts, ignore_index=True)
    return joined[["section", *(c for c in joined.columns if c != "section")]] if several else joined
