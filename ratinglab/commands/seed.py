"""`ratinglab seed`: the seeding of an event not yet played, and its first round."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ratinglab.commands.doing import choice, chosen, entry_list, kinds, privacy
from ratinglab.commands.options import (
    PAIRINGS,
    Commands,
    command,
    count,
    event_of_several,
    inputs,
    start,
    system,
    times,
)
from ratinglab.commands.options import entry_list as add_entries
from ratinglab.commands.options import kinds as add_kinds
from ratinglab.commands.options import privacy as add_privacy


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "seed",
        run,
        "seed an event not yet played, and draw its first round",
        "Seed the entrants of an event, players or teams, by what they were worth before it: each with its rating and "
        "±, where that comes from, and the probability of being stronger than the next seed; then draw the first "
        "round, schools apart. Entries are a CSV with the columns of entries.csv (and local_rating, national_rating … "
        "for further ratings of a person), or an event file; without --entries they are those of the event in the "
        "files that has not been played. Without PATH, ratings are those that the entries file. Whatever is odd in the "
        "entries is told, line by line, and everybody is seeded all the same.",
        "ratinglab seed data/school-circuit data/open-circuit --out seeding --privacy public\n"
        "  ratinglab seed results --entries entries.csv --system naspa --choose higher --pairing cnsc --csv",
    )
    inputs(parser, optional=True)
    add_entries(parser)
    event_of_several(parser)
    system(parser, "glixo")
    established = "games from which a national rating is established (default: 20)"
    parser.add_argument("--established", type=count, default=20, metavar="N", help=established)
    convert = (
        "bring the ratings of those rated elsewhere only to this scale, from players who have both: national:local or "
        "national:replay"
    )
    parser.add_argument("--convert", metavar="FROM:TO", help=convert)
    times(parser)
    start(parser)
    pairing = f"the first round by {PAIRINGS}; with options as in nssc:bye=apart (default: nssc)"
    parser.add_argument("--pairing", default="nssc", metavar="P", help=pairing)
    parser.add_argument("--no-schools-apart", action="store_true", help="two of one school may meet in the first round")
    parser.add_argument("--contact", default="", metavar="WHO", help="whom the page tells to write to")
    add_privacy(parser)
    seed = "of the lots between equal ratings and of chance in the draw (default: 0)"
    parser.add_argument("--seed", type=count, default=0, metavar="N", help=seed)
    add_kinds(parser)
    parser.add_argument("--csv", action="store_true", help="print the seeding as CSV, floats whole")
    files = "write seeding.html, seeding.csv, draw.csv, choices.csv, events.csv (problems.csv) and manifest.json there"
    parser.add_argument("--out", type=Path, metavar="DIR", help=files)


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.output import csv_text, manifest, require_writable
    from ratinglab.pairing import parse
    from ratinglab.privacy import protect
    from ratinglab.reports import seeding_page
    from ratinglab.reports.publication import Publication, publish
    from ratinglab.seeding.making import make_seeding
    from ratinglab.terminal import progress, table_text

    rating, pairing, hidden = chosen(options), parse(options.pairing), privacy(options)
    rule = choice(options, options.established)
    forms = kinds(options) if options.out else None
    if options.out:
        require_writable(options.out)
    listed = entry_list(options)
    with progress("replaying") as show:
        made = make_seeding(
            listed,
            rating,
            rule=rule,
            pairing=pairing,
            schools_apart=not options.no_schools_apart,
            section=options.section,
            seed=options.seed,
            start=options.start,
            convert=options.convert,
            protected=protect(listed.history, hidden),
            progress=show,
        )
    page = seeding_page.page(made, options.contact)
    if options.out:
        record = manifest("seed", made.sources, rating.name, rating.parameters(), options.seed)
        asked = ("section", "date", "since", "until", "start", "convert", "contact", "privacy", "names")
        told = {name: getattr(options, name) for name in asked} | {
            "event": made.event, "choose": rule.choose, "established": rule.established, "pairing": pairing.label,
            "schools_apart": not options.no_schools_apart,
        }  # fmt: skip
        publish(
            options.out,
            Publication([page], len(made.sources), rests_on=f"Ratings by {rating.label}"),
            record | {"options": told},
            forms,
        )
    if options.csv:
        sys.stdout.write(csv_text(made.seeding))
        return 0
    if options.out:
        print(f"written: {options.out / 'seeding.html'}")
    else:
        for part in made.sections:
            heading = f", section {part.section}" if len(made.sections) > 1 else ""
            print(f"{made.name}{heading}, seeded by {rating.label}\n")
            print(table_text(part.table.drop(columns="as_of"), {"p_above_next": "above next"}, {"p_above_next": 2}))
            print(f"\nFirst round, by {part.drawn.pairing}\n\n{table_text(part.drawn.draw)}\n")
    print(page.headline)
    return 0
