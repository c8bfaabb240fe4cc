"""`ratinglab report`: a linked set of pages for one history."""

from __future__ import annotations

import argparse
from pathlib import Path

from ratinglab.commands.doing import chosen, kinds, load_results
from ratinglab.commands.options import Commands, command, count, inputs, system, times
from ratinglab.commands.options import kinds as add_kinds


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "report",
        run,
        "the main job: a linked set of pages for one history",
        "Write pages with the rating list, what each event changed, forecast quality, rating histories, the seeding of "
        "a championship not yet played, and the problems found; every table also as CSV. No PATH: the sample data.",
        "ratinglab report\n  ratinglab report results --system naspa --out reports/2025",
    )
    inputs(parser, optional=True)
    system(parser, "glixo")
    times(parser)
    parser.add_argument("--seed", type=count, default=0, metavar="N", help="of resamples and of ties (default: 0)")
    add_kinds(parser)
    parser.add_argument("--out", type=Path, default=Path("reports"), metavar="DIR", help="default: reports")


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.paths import sample_data
    from ratinglab.reports import build_report
    from ratinglab.terminal import progress

    system, forms = chosen(options), kinds(options)
    options.paths = options.paths or sample_data()
    history = load_results(options)
    with progress("reporting", "steps") as show:
        build_report(history, options.out, system=system, seed=options.seed, kinds=forms, progress=show)
    print(f"written: {options.out / 'index.html'}")
    return 0
