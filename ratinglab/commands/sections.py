"""`ratinglab sections`: who plays in which section of an event."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ratinglab.commands.doing import choice, chosen, entry_list, kinds, privacy
from ratinglab.commands.options import Commands, command, count, inputs, start, system, times
from ratinglab.commands.options import entry_list as add_entries
from ratinglab.commands.options import kinds as add_kinds
from ratinglab.commands.options import privacy as add_privacy


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "sections",
        run,
        "put the entrants of an event into sections, with the reason for each",
        "Put entrants into sections: by grade and rating as at Evanston's scholastic tournaments (who wins a section "
        "moves up, one once reached is kept), by grade as at its yearly championship, or into divisions by rating. "
        "Each entrant has a reason; merging small sections is proposed, not done; who needs a second look is listed "
        "for the director. Sections reached and ratings follow from the results before the event; without PATH ratings "
        "are those of the entries. Options: evanston:co_winners=no,smallest=7,national_from=Queen, "
        "evanston-championship:reserve=lower-half (or below, requested), divisions:bands=1600:1200, "
        "divisions:sizes=24:24:*,borderline=50,play_up=granted,even=yes.",
        "ratinglab sections data/scholastic-club --event 2012-may --rules evanston --out sections\n"
        "  ratinglab sections results --entries entries.csv --rules divisions:count=4 --system naspa --csv",
    )
    inputs(parser, optional=True)
    add_entries(parser)
    parser.add_argument("--event", metavar="E", help="the event; needed where several have not been played")
    parser.add_argument(
        "--rules",
        default="evanston",
        metavar="R",
        help="evanston, evanston-championship or divisions, with options as above (default: evanston)",
    )
    system(parser, None)
    times(parser)
    start(parser)
    add_privacy(parser)
    seed = "of the lots between equal ratings (default: 0)"
    parser.add_argument("--seed", type=count, default=0, metavar="N", help=seed)
    add_kinds(parser)
    parser.add_argument("--csv", action="store_true", help="print the sections as CSV, floats whole")
    files = "write sections.html, sections.csv, assignments.csv (merges.csv, look.csv) and manifest.json there"
    parser.add_argument("--out", type=Path, metavar="DIR", help=files)


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.output import csv_text, manifest
    from ratinglab.privacy import protect
    from ratinglab.reports import sections_page
    from ratinglab.reports.publication import Publication, publish
    from ratinglab.sections import parse
    from ratinglab.sections.assigning import make_sections
    from ratinglab.systems import parse as parse_system
    from ratinglab.terminal import progress, table_text

    rules, hidden = parse(options.rules), privacy(options)
    if options.system is None:
        rating = parse_system("evanston" if rules.name.startswith("evanston") else "glixo")
    else:
        rating = chosen(options)
    rule = choice(options)
    forms = kinds(options) if options.out else None
    listed = entry_list(options)
    with progress("replaying") as show:
        asked = {"rule": rule, "seed": options.seed, "start": options.start, "progress": show}
        made = make_sections(listed, rules, rating, **asked, protected=protect(listed.history, hidden))
    page = sections_page.page(made)
    if options.out:
        record = manifest("sections", made.sources, rating.name, rating.parameters(), options.seed)
        asked_for = ("date", "since", "until", "start", "privacy", "names")
        told = {name: getattr(options, name) for name in asked_for}
        told |= {"event": made.event, "rules": rules.label, "choose": rule.choose}
        publication = Publication([page], len(made.sources), rests_on=f"Ratings by {rating.label}")
        publish(options.out, publication, record | {"options": told}, forms)
    if options.csv:
        sys.stdout.write(csv_text(made.placed.table))
        return 0
    if options.out:
        print(f"written: {options.out / 'sections.html'}")
    else:
        print(f"{made.name}, by {rules.label}\n\n{table_text(made.placed.table.drop(columns='name'))}\n")
        for table in (made.placed.merges.drop(columns="who"), made.placed.look):
            if len(table):
                print(f"{table_text(table)}\n")
    print(page.headline)
    return 0
