"""`ratinglab replay`: a whole history in time order."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ratinglab.commands.doing import chosen, load_results, tell_of_history
from ratinglab.commands.options import Commands, command, count, date, inputs, start, system, times


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "replay",
        run,
        "a whole history in time order",
        "Replay all events in time order. A player's first appearance starts from the rating filed with it (unless "
        "--start fresh), later ones from where the last event ended. Every game is forecast before its event is rated.",
        "ratinglab replay data/school-circuit data/open-circuit --system glixo --out out\n"
        "  ratinglab replay results --system naspa:acceleration=0 --until 2024-12-31 --csv",
    )
    inputs(parser)
    system(parser, "glixo")
    times(parser)
    start(parser)
    parser.add_argument("--as-of", type=date, metavar="DATE", help="the rating list as of this date")
    parser.add_argument(
        "--min-games",
        type=count,
        default=0,
        metavar="N",
        help="list players with N rated games; score games whose two sides had N before (default: 0)",
    )
    parser.add_argument("--seed", type=count, default=0, metavar="N", help="of the resamples of events (default: 0)")
    parser.add_argument("--csv", action="store_true", help="print the rating list as CSV, floats whole")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write ratings.csv, changes.csv, segments.csv, forecasts.csv, scores.csv and manifest.json there",
    )


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.output import Content, csv_text, manifest, write_set
    from ratinglab.replaying import replay
    from ratinglab.scoring import score
    from ratinglab.terminal import FINE, progress, table_text

    system = chosen(options)
    history = load_results(options)
    with progress("replaying") as show:
        result = replay(history, system, start=options.start, progress=show)
    tell_of_history(history, result)
    ratings = result.ratings(as_of=options.as_of, min_games=options.min_games)
    if options.as_of and history.events["end_date"].isna().any():
        print("ratinglab: a list as of a date leaves out what events without a date changed", file=sys.stderr)
    if options.out:
        files: dict[str, Content] = {"ratings.csv": ratings, "changes.csv": result.changes}
        files["segments.csv"] = result.segments
        if system.has_forecast:
            files["forecasts.csv"] = result.forecasts
        if system.rates == "games":
            files["scores.csv"] = score(result, min_games=options.min_games, seed=options.seed)
        asked = {"start": options.start, "from": options.since, "until": options.until}
        asked |= {"as_of": options.as_of, "min_games": options.min_games}
        record = manifest("replay", history.sources, system.name, system.parameters(), options.seed)
        write_set(options.out, files, record | {"options": asked})
    if options.csv:
        sys.stdout.write(csv_text(ratings))
    elif not options.out:
        decimals = FINE if system.rates == "placings" else None
        print(table_text(ratings.drop(columns=["name", "as_of"]), decimals=decimals))
    return 0
