"""`ratinglab qualify`: who qualifies by dated rating lists."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ratinglab.commands.doing import chosen, kinds, load, privacy, tell_of_errors
from ratinglab.commands.options import Commands, command, count, date, inputs, start, system, times
from ratinglab.commands.options import kinds as add_kinds
from ratinglab.commands.options import privacy as add_privacy


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "qualify",
        run,
        "who qualifies by current or peak rating over dated lists",
        "List the best N by current or by peak rating over the lists between two days, with a minimum of games or "
        "events: who qualifies, the alternates with what they lack, who is left out and why; ties at the border as the "
        "rule says. The lists are those of the files (--kind), or are made by replaying, one a month or at --dates; no "
        "list knows of a later event.",
        "ratinglab qualify data/worked-examples --kind NSA --from-list 1998-06-01 --until-list 1998-09-01 --top 1\n"
        "  ratinglab qualify data/open-circuit --system naspa --from-list 2011-06-30 --until-list 2011-12-31 --top 20 "
        "--min-games 50 --out qualified",
    )
    inputs(parser)
    parser.add_argument("--top", type=count, required=True, metavar="N", help="how many qualify")
    parser.add_argument("--from-list", type=date, required=True, metavar="DATE", help="the day of the first list")
    parser.add_argument("--until-list", type=date, required=True, metavar="DATE", help="the day of the last list")
    parser.add_argument("--by", choices=("peak", "current"), default="peak", help="default: peak")
    ties = (
        "months: the latest list on which they differ, then list by list back, then lot; all: who is level with the "
        "last qualifies too; lot (default: months)"
    )
    parser.add_argument("--ties", choices=("months", "all", "lot"), default="months", help=ties)
    parser.add_argument("--min-games", type=count, default=0, metavar="N", help="rated games asked for (default: 0)")
    parser.add_argument("--min-events", type=count, default=0, metavar="N", help="rated events asked for (default: 0)")
    within = "which games and events count for these: lifetime, or of events that end between the two days"
    parser.add_argument("--games-in", choices=("lifetime", "window"), default="lifetime", help=within)
    parser.add_argument("--settled", action="store_true", help="provisional ratings do not qualify")
    parser.add_argument("--active", action="store_true", help="a rated game in the two years before is asked for")
    parser.add_argument("--rounded", action="store_true", help="ratings count in whole points, as lists print them")
    parser.add_argument("--alternates", type=count, default=10, metavar="N", help="how many to list (default: 10)")
    parser.add_argument("--kind", metavar="KIND", help="lists of the files of this kind: local, national, NSA …")
    parser.add_argument(
        "--dates", metavar="DATE,DATE", help="the lists of these days (default: all of the files, or one a month)"
    )
    system(parser, "glixo")
    times(parser)
    start(parser)
    add_privacy(parser)
    seed = "of the lots and of the draws behind chances (default: 0)"
    parser.add_argument("--seed", type=count, default=0, metavar="N", help=seed)
    add_kinds(parser)
    parser.add_argument("--csv", action="store_true", help="print the table as CSV, floats whole")
    files = "write qualification.html, qualification.csv, lists.csv and manifest.json there"
    parser.add_argument("--out", type=Path, metavar="DIR", help=files)


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.dated_lists import listed, replayed
    from ratinglab.output import csv_text, manifest
    from ratinglab.privacy import protect
    from ratinglab.qualifying import Rule, qualify
    from ratinglab.reports import qualification_page
    from ratinglab.reports.publication import Publication, publish
    from ratinglab.seeding.seeding import lots
    from ratinglab.terminal import progress, table_text

    rating, hidden = chosen(options), privacy(options)
    forms = kinds(options) if options.out else None
    words = ("top", "by", "min_games", "min_events", "games_in", "ties", "settled", "active", "rounded", "alternates")
    rule = Rule(since=options.from_list, until=options.until_list, **{name: getattr(options, name) for name in words})
    days = None if options.dates is None else [day.strip() for day in options.dates.split(",")]
    history = load(options)
    tell_of_errors(history)
    protected = protect(history, hidden)
    if options.kind is not None:
        lists = listed(protected.history, options.kind, rule.since, rule.until, days)
    else:
        with progress("replaying") as show:
            lists = replayed(
                protected.history, rating, rule.since, rule.until, days, start=options.start, progress=show
            )
    # by the true names, so that the committee's set and a public one agree
    true = dict.fromkeys([*history.entries["player"].dropna(), *history.rating_lists["player"].dropna()])
    drawn = {protected.shown(name): lot for name, lot in lots(true, options.seed).items()}
    made = qualify(lists, rule, seed=options.seed, drawn=drawn)
    tables = (history.entries, history.players)
    pupils = any(table[name].notna().any() for table in tables for name in ("grade", "school"))
    page = qualification_page.page(made, protected, pupils=pupils)
    if options.out:
        sources = protected.history.sources
        of = (None, None) if options.kind is not None else (rating.name, rating.parameters())
        record = manifest("qualify", sources, of[0], of[1], options.seed)
        asked = (*words, "from_list", "until_list", "kind", "dates", "start", "privacy", "names")
        told = {name: getattr(options, name) for name in asked}
        publish(options.out, Publication([page], len(sources)), record | {"options": told}, forms)
    table = qualification_page.shown(made, protected)
    if options.csv:
        sys.stdout.write(csv_text(table))
        return 0
    if options.out:
        print(f"written: {options.out / 'qualification.html'}")
    else:
        columns = ["rank", "player", "rating", "peak", "peak_date", "games", "status", "reason"]
        print(f"{table_text(table[columns].dropna(axis=1, how='all'))}\n")
    print(page.headline)
    return 0
