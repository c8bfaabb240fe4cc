"""`ratinglab backtest`: what was expected of one past event, and what happened."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ratinglab.commands.doing import kinds, load_results, tell_notices, tell_of_history, workers
from ratinglab.commands.options import PAIRINGS, Commands, command, count, inputs, start, times
from ratinglab.commands.options import kinds as add_kinds
from ratinglab.commands.options import workers as add_workers

if TYPE_CHECKING:
    from ratinglab.backtests.backtesting import Backtest

# of the table of entrants, what is printed
_SHOWN = (
    "place", "player", "seed", "rating", "deviation", "games", "wins", "expected_wins", "sd", "p_winner",
    "p_winner_se", "p_winner_real", "p_place_or_better", "p_place_or_worse",
)  # fmt: skip
_DECIMALS = {
    "expected_wins": 1, "sd": 1, "p_winner": 4, "p_winner_se": 4, "p_winner_real": 4, "p_winner_real_se": 4,
    "p_place_or_better": 3, "p_place_or_worse": 3, "log_score": 2, "log_score_se": 2, "log_score_even": 2,
    "upsets_expected": 1, "upsets_sd": 1, "spearman": 2, "kendall_tau": 2, "kendall_tau_low": 2,
    "kendall_tau_high": 2, "difference": 2, "difference_low": 2, "difference_high": 2,
}  # fmt: skip


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "backtest",
        run,
        "what was expected of one past event, and what happened",
        "Replay the history up to an event, and say what each system expected of it: every entrant's wins, and, by "
        "playing the event many times over, the chances of every final place: with its real pairings, or with those "
        "that a pairing system makes of each simulated standing. Beside it stands what happened: how surprising the "
        "winner was, which games were upsets, and how the seeding filed compares with the one each system would have "
        "made. Entrants are named: with pupils among them it is for the committee.",
        "ratinglab backtest data/open-circuit --event 2011-grand --systems glixo,naspa --out backtest\n"
        "  ratinglab backtest data/open-circuit --event 2011-grand --systems glixo --section A --after-round 20\n"
        "  ratinglab backtest data/open-circuit --event 2011-grand --systems glixo --pairing cnsc --out backtest",
    )
    inputs(parser)
    times(parser)
    parser.add_argument("--event", required=True, metavar="E", help="the event's id, as check and replay write it")
    parser.add_argument(
        "--systems",
        default="glixo,naspa",
        metavar="S,S",
        help="systems that forecast games; the first is shown in full on the page (default: glixo,naspa)",
    )
    parser.add_argument("--section", metavar="S", help="only this section of the event")
    parser.add_argument(
        "--after-round", type=count, default=0, metavar="N", help="expect the rounds after N (default: 0, all)"
    )
    parser.add_argument(
        "--pairing",
        metavar="P",
        help="pair the simulated rounds by this system, each tournament from its own standing: "
        f"{PAIRINGS}; with options as in cnsc:both_ends=1 (default: everybody meets the real opponents)",
    )
    parser.add_argument(
        "--tournaments", type=count, default=10_000, metavar="N", help="tournaments simulated (default: 10000)"
    )
    start(parser)
    parser.add_argument("--seed", type=count, default=0, metavar="N", help="of the simulation (default: 0)")
    add_workers(parser)
    add_kinds(parser, "html,csv")
    parser.add_argument("--csv", action="store_true", help="print the table of entrants as CSV, floats whole")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write backtest.html, summary.csv, entrants.csv, places.csv, wins.csv, upsets.csv, seedings.csv, "
        "games.csv and manifest.json there",
    )


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.backtests.backtesting import backtest
    from ratinglab.output import csv_text, manifest
    from ratinglab.pairing import parse
    from ratinglab.systems import parse_several
    from ratinglab.terminal import progress

    systems, who, forms = parse_several(options.systems), workers(options), kinds(options)
    history = load_results(options)
    asked = {name: getattr(options, name) for name in ("after_round", "section", "tournaments", "start", "seed")}
    pairing = None if options.pairing is None else parse(options.pairing)
    with progress("playing", "chunks") as show:
        made = backtest(history, options.event, systems, **asked, pairing=pairing, workers=who, progress=show)
    first, *others = made.replays.values()
    tell_of_history(first.schedule.history, first)
    for other in others:
        tell_notices(other)
    for note in made.notes:
        print(f"ratinglab: {note}", file=sys.stderr)
    if options.out:
        from ratinglab.reports import backtest_page
        from ratinglab.reports.publication import Publication, publish

        parameters = {system.label: system.parameters() for system in systems}
        record = manifest("backtest", history.sources, ",".join(made.systems), parameters, options.seed)
        told = {name: getattr(options, name) for name in ("event", "after_round", "section", "tournaments", "start")}
        told |= {"pairing": made.pairing, "from": options.since, "until": options.until}
        record |= {"options": told}
        publish(options.out, Publication([backtest_page.page(made)], len(history.sources)), record, forms)
    if options.csv:
        sys.stdout.write(csv_text(made.entrants))
    elif options.out:
        print(f"written: {options.out / 'backtest.html'}")
    else:
        for text in _printed(made):
            print(text)
    return 0


def _printed(made: Backtest) -> list[str]:
    """The tables of each section and system, as they are read."""
    from ratinglab.terminal import table_text

    out = []
    for section in made.sections:
        out.append(f"{made.event}, section {section}\n" if len(made.sections) > 1 else f"{made.event}\n")
        for label in made.systems:
            own = made.entrants[(made.entrants["section"] == section) & (made.entrants["system"] == label)]
            own = own.sort_values(["place", "player"], kind="stable")
            shown = [name for name in _SHOWN if name in own and own[name].notna().any()]
            out.append(f"{label}\n{table_text(own[shown], decimals=_DECIMALS)}\n")
        for table, left in ((made.summary, ("section", "draws", "games")), (made.seedings, ("section",))):
            own = table[table["section"] == section].drop(columns=list(left))
            own = own[[name for name in own.columns if name in _DECIMALS or own[name].dtype.kind not in "f"]]
            out.append(f"{table_text(own, decimals=_DECIMALS)}\n")
    return out
