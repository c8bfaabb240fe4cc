"""`ratinglab report`: a linked set of pages for one history."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratinglab.commands.doing import chosen, kinds, load_results, privacy, workers
from ratinglab.commands.options import Commands, command, count, inputs, system, times
from ratinglab.commands.options import kinds as add_kinds
from ratinglab.commands.options import privacy as add_privacy
from ratinglab.commands.options import workers as add_workers
from ratinglab.problems import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratinglab.history import History


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "report",
        run,
        "the main job: a linked set of pages for one history",
        "Write pages with the rating list, what each event changed, rating histories and yearly lists; how good the "
        "forecasts are, beside those of other systems, which parameters fit best, and what was expected of the last "
        "event; the seeding of a championship not yet played, and how fair its pairing would be; and the problems "
        "found in the files. The index says in a sentence each what they found, and what is left out and why. Every "
        "table is also there as CSV and in one workbook, every page as PDF. No PATH: a report on each of the sample "
        "histories.",
        "ratinglab report\n  ratinglab report results --system naspa --out reports/2025\n"
        "  ratinglab report results --privacy public --parts ratings,seeding,comparison --out public",
    )
    inputs(parser, optional=True)
    system(parser, None)
    times(parser)
    parts = (
        "make only these of: ratings, changes, histories, lists, forecasts, comparison, calibration, backtest, "
        "seeding, sections, fairness, problems"
    )
    parser.add_argument("--parts", metavar="P,P", help=parts)
    parser.add_argument("--contact", default="", metavar="WHO", help="whom the pages tell to write to")
    parser.add_argument(
        "--seed", type=count, default=0, metavar="N", help="of resamples, simulations and lots (default: 0)"
    )
    add_privacy(parser)
    add_workers(parser)
    add_kinds(parser)
    parser.add_argument("--out", type=Path, default=Path("reports"), metavar="DIR", help="default: reports")


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.reports import build_report
    from ratinglab.reports.portal import build_portal
    from ratinglab.terminal import progress

    if options.set and not options.system:
        raise UsageError("--set sets a parameter of the system that --system names")
    asked: dict[str, Any] = {
        "system": chosen(options) if options.system else None,
        "only": None if options.parts is None else [name.strip() for name in options.parts.split(",")],
        "seed": options.seed,
        "contact": options.contact,
        "privacy": privacy(options),
        "kinds": kinds(options),
        "workers": workers(options),
    }

    def load(paths: Sequence[Path]) -> History:
        return load_results(argparse.Namespace(**{**vars(options), "paths": paths}))

    with progress("reporting", "steps") as show:
        if options.paths:
            build_report(load(options.paths), options.out, **asked, progress=show)
        else:
            build_portal(options.out, load, asked, lambda title: show)
    print(f"written: {options.out / 'index.html'}")
    return 0
