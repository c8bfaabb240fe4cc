"""`ratinglab compare`: systems side by side on the same games."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ratinglab.commands.doing import kinds, load_results, tell_of_errors, workers
from ratinglab.commands.options import Commands, command, count, date, inputs, start, times
from ratinglab.commands.options import kinds as add_kinds
from ratinglab.commands.options import workers as add_workers


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "compare",
        run,
        "which system forecasts better, on the same games, and how sure that is",
        "Replay a history through several systems and hold their forecasts against the same games: scores, differences "
        "from the first system with intervals, which may be the best, whether a lead in rating wins as often as "
        "forecast, newcomers and settled players, divisions, over time. With --test-from only later events are scored, "
        "and --tune fits a system's parameters to the earlier ones first. Systems of places are compared by final "
        "places.",
        "ratinglab compare results --systems naspa,glixo,elo --out comparison\n"
        "  ratinglab compare results --systems naspa,elo --test-from 2024-01-01 --tune 'elo:k=8:40,scale=400:900'",
    )
    inputs(parser)
    systems = "two or more, the first is what the others are held against: naspa,glixo:tau=100,elo"
    parser.add_argument("--systems", required=True, metavar="S,S", help=systems)
    test = "score only events that end on or after this date"
    parser.add_argument("--test-from", type=date, metavar="DATE", help=test)
    tune = "fit parameters within these ranges to the events before --test-from, or try COUNT values; once a system"
    parser.add_argument("--tune", action="append", default=[], metavar="S:NAME=LOW:HIGH[:COUNT],…", help=tune)
    metric = "what groups of games are told by (default: spread_log_score if all forecast spreads, else log_loss)"
    parser.add_argument("--metric", metavar="M", help=metric)
    times(parser)
    start(parser)
    least = "score games whose two sides had N rated games before (default: 0)"
    parser.add_argument("--min-games", type=count, default=0, metavar="N", help=least)
    parser.add_argument("--seed", type=count, default=0, metavar="N", help="of the resamples of events (default: 0)")
    add_workers(parser)
    add_kinds(parser, "html,csv")
    parser.add_argument("--csv", action="store_true", help="print the scores as CSV, floats whole")
    files = (
        "write scores.csv, differences.csv, coin.csv, gaps.csv, reliability.csv, subsets.csv, times.csv (tuned.csv, "
        "order.csv, order-differences.csv), comparison.html and manifest.json there"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help=files)


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.comparison.comparing import compare
    from ratinglab.output import csv_text, manifest
    from ratinglab.reports import comparison_page, comparison_words
    from ratinglab.reports.publication import Publication, publish
    from ratinglab.systems import parse_several
    from ratinglab.terminal import progress

    systems, who, forms = parse_several(options.systems), workers(options), kinds(options)
    history = load_results(options)
    with progress("comparing", "steps") as show:
        made = compare(
            history,
            systems,
            test_from=options.test_from,
            tune=options.tune,
            metric=options.metric,
            start=options.start,
            min_games=options.min_games,
            seed=options.seed,
            workers=who,
            progress=show,
        )
    tell_of_errors(history)
    for note in made.notes:
        print(f"ratinglab: {note}", file=sys.stderr)
    if options.out:
        record = manifest("compare", history.sources, seed=options.seed)
        told = {"systems": list(made.systems), "from": options.since, "until": options.until}
        record |= {"options": {**made.options, **told}}
        record["parameters"] = {label: one.parameters() for label, one in made.systems.items()}
        publish(options.out, Publication([comparison_page.page(made)], len(history.sources)), record, forms)
    if options.csv:
        sys.stdout.write(csv_text(made.scores if made.order is None or len(made.scores) else made.order))
        return 0
    if options.out:
        print(f"written: {options.out / 'comparison.html'}")
    else:
        print("\n\n".join(comparison_words.tables_text(made)))
        print()
    print(comparison_words.headline(made))
    return 0
