"""`ratinglab lists`: rating lists by year and for good."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ratinglab.commands.doing import chosen, kinds, load_results, privacy, tell_notices, tell_of_errors
from ratinglab.commands.options import Commands, command, count, inputs, system, times, year
from ratinglab.commands.options import kinds as add_kinds
from ratinglab.commands.options import privacy as add_privacy
from ratinglab.problems import UsageError


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "lists",
        run,
        "rating lists by year and for good, international and by nation",
        "Write the list as of 31 December of every year, the permanent list of all events, and the tournaments and "
        "circuits they rest on. With --compare, also how well the ratings before each event foretold its final order, "
        "beside other systems: of an event of places those take every two players as a game, so K must be small. Lists "
        "name players in full, but for minors where they are made for publication (--privacy public).",
        "ratinglab lists data/diplomacy --system dip-pouch --out lists --compare elo:k=1,glicko\n"
        "  ratinglab lists data/diplomacy --system dip-pouch --year 2012 --nation FRA --csv",
    )
    inputs(parser)
    system(parser, "dip-pouch")
    times(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--year", type=year, metavar="Y", help="only the list as of 31 December of this year")
    which.add_argument("--permanent", action="store_true", help="only the list of all events (printed by default)")
    parser.add_argument("--nation", metavar="N", help="only players of this nation, as the files write it: FRA")
    window = "a year's list rests on the events of that many years alone, Worlds too (the cutoff of dip-pouch stays)"
    parser.add_argument("--window", type=count, metavar="YEARS", help=window)
    parser.add_argument("--compare", metavar="S,S", help="systems to hold against this one by order: elo:k=1,glicko")
    parser.add_argument("--seed", type=count, default=0, metavar="N", help="of the resamples of events (default: 0)")
    parser.add_argument("--csv", action="store_true", help="print one list as CSV, floats whole")
    add_privacy(parser)
    add_kinds(parser)
    files = (
        "write lists.html with a page for each list and one by nation, list-2012.csv … list-permanent.csv, "
        "tournaments.csv, circuits.csv, manifest.json (and order.csv) there"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help=files)


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.lists import make_lists
    from ratinglab.ordering import order_scores
    from ratinglab.output import csv_text
    from ratinglab.privacy import protect
    from ratinglab.systems import parse_several
    from ratinglab.terminal import FINE, progress, table_text

    forms = kinds(options) if options.out else None
    system, rule = chosen(options), privacy(options)
    others = parse_several(options.compare) if options.compare else []
    if options.csv and others and not options.out:
        raise UsageError("--csv prints one table, the list: give --out for order.csv too")
    if options.window is not None and (options.permanent or not (options.out or options.year)):
        raise UsageError("--window is of yearly lists and the permanent one has none: give --year, or --out for all")
    history = load_results(options)
    # printed is one list; written are all, unless one is asked for
    years: list[int] | None = [] if options.permanent or not options.out else None
    years = years if options.year is None else [options.year]
    asked = {"permanent": options.year is None, "nation": options.nation, "window": options.window}
    protected = protect(history, rule)
    with progress("replaying") as show:
        made = make_lists(protected.history, system, years=years, **asked, progress=show).protected(protected)
    tell_of_errors(history)
    tell_notices(made.replay)
    order = None
    if others:
        with progress("comparing", "systems") as show:
            order = order_scores(protected.history, [system, *others], seed=options.seed, progress=show)
    if options.out:
        told = ("year", "permanent", "nation", "window", "compare", "since", "until", "privacy", "names")
        asked = {name: getattr(options, name) for name in told}
        made.write(options.out, order, seed=options.seed, options=asked, kinds=forms)
    if options.csv:
        sys.stdout.write(csv_text(made.last))
    elif not options.out:
        print(table_text(made.last.drop(columns="as_of"), decimals=FINE if system.rates == "placings" else None))
        if order is not None:
            print(f"\n{table_text(order.drop(columns='parameters'))}")
    return 0
