"""`ratinglab convert`: what ratings on one list are worth on another."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ratinglab.commands.doing import chosen, kinds, privacy, tell_of_errors
from ratinglab.commands.options import Commands, command, count, date, inputs, start, system
from ratinglab.commands.options import kinds as add_kinds
from ratinglab.commands.options import privacy as add_privacy

_SCALE = "a kind of dated list, as national; replay (of all events); replay:school, of the events of that pool"


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "convert",
        run,
        "what ratings on one list are worth on another, from players on both",
        "From players who are on both lists, make a monotone conversion from one scale to the other, with its "
        "interval, that of a new player, and the range in which it may be used. Fewer than 20 common players are too "
        "few. The page names those who are far off; with pupils among them it is for the committee, unless it is made "
        "with --privacy public.",
        "ratinglab convert data/scholastic-club --from-kind national --to-kind local --out conversion\n"
        "  ratinglab convert data/school-circuit data/open-circuit --from-kind replay:school --to-kind replay:none \\\n"
        "      --from-name school --to-name open --within 730 --out conversion",
    )
    inputs(parser)
    parser.add_argument("--from-kind", required=True, metavar="K", help=f"the scale known: {_SCALE}")
    parser.add_argument("--to-kind", required=True, metavar="K", help="the scale wanted, named alike")
    parser.add_argument("--from-name", metavar="TEXT", help="what readers call the scale known (default: its kind)")
    parser.add_argument("--to-name", metavar="TEXT", help="what they call the scale wanted")
    parser.add_argument(
        "--lists",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="further dated lists: player, list_date, rating, kind (may be repeated)",
    )
    system(parser, "glixo")
    start(parser)
    parser.add_argument("--as-of", type=date, metavar="DATE", help="no list or event after it counts")
    parser.add_argument(
        "--within",
        type=count,
        default=180,
        metavar="DAYS",
        help="how far apart one's two ratings may be (default: 180)",
    )
    parser.add_argument("--seed", type=count, default=0, metavar="N", help="of all resamples (default: 0)")
    add_kinds(parser, "html,csv")
    add_privacy(parser)
    parser.add_argument("--csv", action="store_true", help="print the conversion as CSV, floats whole")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write conversion.html, conversion.csv, knots.csv, fit.csv, pairs.csv and manifest.json there",
    )


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.formats import load
    from ratinglab.output import csv_text, manifest, require_writable
    from ratinglab.privacy import protect
    from ratinglab.reports import conversion_page
    from ratinglab.reports.publication import Publication, publish
    from ratinglab.seeding.scales import REPLAY, conversions
    from ratinglab.terminal import progress, table_text

    rating, hidden = chosen(options), privacy(options)
    forms = kinds(options) if options.out else None
    if options.out:
        require_writable(options.out)
    history = load(*options.paths, *options.lists, format=options.format)
    tell_of_errors(history)
    protected = protect(history, hidden, options.as_of)
    asked = {name: getattr(options, name) for name in ("as_of", "within", "start", "seed")}
    with progress("replaying") as show:
        made = conversions(
            protected.history,
            options.from_kind,
            options.to_kind,
            rating,
            names=(options.from_name, options.to_name),
            progress=show,
            **asked,
        )
    tables = (history.entries, history.players)
    pupils = any(table[name].notna().any() for table in tables for name in ("grade", "school"))
    replayed = any(kind.casefold().startswith(REPLAY) for kind in (options.from_kind, options.to_kind))
    page = conversion_page.page(made, protected=protected, pupils=pupils, rated_by=rating.label if replayed else "")
    if options.out:
        sources = protected.history.sources
        record = manifest(
            "convert",
            sources,
            rating.name if replayed else None,
            rating.parameters() if replayed else None,
            options.seed,
        )
        told = ("from_kind", "to_kind", "from_name", "to_name", "as_of", "within", "start", "privacy", "names")
        record |= {"options": {name: getattr(options, name) for name in told}}
        publish(options.out, Publication([page], len(sources)), record, forms)
    table = made.there.table()
    if options.csv:
        sys.stdout.write(csv_text(table))
        return 0
    print(f"{page.headline}.\n")
    if not options.out:
        digits = dict.fromkeys(table.columns, 0)
        print(table_text(table, {"x": made.source, "value": made.target}, digits) + "\n")
    for sentence in (*made.common.says, *made.there.says):
        print(sentence)
    if options.out:
        print(f"\nwritten: {options.out / 'conversion.html'}")
    return 0
