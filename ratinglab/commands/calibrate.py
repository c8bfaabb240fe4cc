"""`ratinglab calibrate`: which parameters of a system forecast best, and how sure that is."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ratinglab.commands.doing import chosen, kinds, load_results, tell_of_history, workers
from ratinglab.commands.options import Commands, command, count, date, inputs, start, system, times
from ratinglab.commands.options import kinds as add_kinds
from ratinglab.commands.options import workers as add_workers
from ratinglab.problems import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratinglab.calibration.grids import Axis
    from ratinglab.systems.base import System

MOST_POINTS = 20_000  # of a grid: the resamples of each are held in memory
_SPEED = 2_000_000  # forecasts with all their scores in a second on one core, as measured of Glixo


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "calibrate",
        run,
        "which parameters forecast best, how sure that is, and what the games cannot tell",
        "Try every combination of a grid of parameters on a whole history and say which forecasts best, in what range "
        "the best values lie, and which of them the scale of the ratings fixes rather than the games. With --test-from "
        "the parameters are tuned on earlier events and judged on later ones.",
        "ratinglab calibrate results --system glixo --grid b=3:8:11 --grid tau=60:140:9 --fit --out tuning\n"
        "  ratinglab calibrate results --system naspa --grid acceleration=0:2:9 --test-from 2024-01-01 --out tuning",
    )
    inputs(parser)
    system(parser, "glixo")
    grid = "a parameter and its values: tau=60:140:9 are 9 values from 60 to 140; once for each parameter"
    parser.add_argument("--grid", action="append", default=[], metavar="NAME=LOW:HIGH:COUNT", help=grid)
    parser.add_argument("--fit", action="store_true", help="find the optimum between the grid points, within its ends")
    metric = "what is to be least (default: spread_log_score of a system that forecasts spreads, else log_loss)"
    parser.add_argument("--metric", metavar="M", help=metric)
    test = "tune on the events that end before this date, judge on the others"
    parser.add_argument("--test-from", type=date, metavar="DATE", help=test)
    times(parser)
    start(parser)
    least = "count games whose two sides had N rated games before (default: 0)"
    parser.add_argument("--min-games", type=count, default=0, metavar="N", help=least)
    parser.add_argument("--seed", type=count, default=0, metavar="N", help="of the resamples of events (default: 0)")
    add_workers(parser)
    add_kinds(parser, "html,csv")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write surface.csv, best.json, parameters.csv, profiles.csv, metrics.csv, directions.csv, gain.csv, "
        "meaning.csv, test.csv, calibration.html and manifest.json there",
    )


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.calibration.calibrating import calibrate
    from ratinglab.calibration.grids import parse_axis
    from ratinglab.output import manifest
    from ratinglab.reports import calibration_page, calibration_words
    from ratinglab.reports.publication import Publication, publish
    from ratinglab.scheduling import schedule
    from ratinglab.terminal import progress, table_text

    system, who, forms = chosen(options), workers(options), kinds(options)
    if not options.grid:
        raise UsageError(_no_grid(system))
    axes = [parse_axis(text) for text in options.grid]
    history = load_results(options)
    prepared = schedule(history, start=options.start, rates=system.rates)
    _check_size(axes, len(prepared.whole.a))
    with progress("calibrating", "steps") as show:
        asked = {"fit": options.fit, "test_from": options.test_from, "metric": options.metric}
        counted = {"min_games": options.min_games, "seed": options.seed}
        made = calibrate(prepared, system, axes, **asked, **counted, start=options.start, workers=who, progress=show)
    tell_of_history(history, made)
    told = calibration_words.Told(made)
    for note in made.notes:
        print(f"ratinglab: {note}", file=sys.stderr)
    if options.out:
        counting = calibration_page.Counting(start=options.start, fit=options.fit, **counted)
        options_told = {"grid": options.grid, "from": options.since, "until": options.until, "start": options.start}
        record = manifest("calibrate", history.sources, system.name, system.parameters(), options.seed)
        record |= {"options": options_told | asked | {"min_games": options.min_games}}
        publish(options.out, Publication([calibration_page.page(made, counting)], len(history.sources)), record, forms)
        print(f"written: {options.out / 'calibration.html'}")
    else:
        print(table_text(told.table()))
    print(told.headline())
    return 0


def _no_grid(system: System) -> str:
    """How to say what is to be tuned, with this system's own parameters."""
    from ratinglab.calibration.grids import numeric_parameters
    from ratinglab.systems.base import short

    numbers = numeric_parameters(system)
    if not numbers:
        return f"{system.name} has no parameter that is a number: there is nothing to tune"
    name = next((name for name in ("tau", "k", "acceleration") if name in numbers), numbers[0])
    value = float(system.value(name))
    example = f"--grid {name}={short(value / 2)}:{short(value * 1.5)}:9"
    return f"--grid says what is to be tuned: {example} tries 9 values; {system.name} has {', '.join(numbers)}"


def _check_size(axes: Sequence[Axis], games: int) -> None:
    """Refuse a grid that would take for ever, saying how long."""
    from math import prod

    points = prod(len(axis.values) for axis in axes)
    if points > MOST_POINTS:
        hours = points * games / _SPEED / 3600
        raise UsageError(
            f"a grid of {points:,} points on {games:,} games is {points * games:,} forecasts, some {hours:.2g} hours "
            f"of one core: take at most {MOST_POINTS:,} points; --fit goes on between them"
        )
