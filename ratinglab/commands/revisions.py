"""`ratinglab revisions`: what changed between two lists or two runs, and why."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ratinglab.commands.doing import kinds, privacy, tell
from ratinglab.commands.options import Commands, command
from ratinglab.commands.options import kinds as add_kinds
from ratinglab.commands.options import privacy as add_privacy
from ratinglab.problems import UsageError


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "revisions",
        run,
        "what changed between two published lists or two runs, who moved, and why",
        "Compare two rating lists (CSV with player and rating, or rank), or two folders that replay, report, lists or "
        "seed has written: who moved and by how much, who is new or gone, which events were added, taken out or "
        "corrected, whose names were joined or parted, which files and settings differ, and for everybody the first "
        "event in which the two differ. What cannot be known is said to be not known.",
        "ratinglab revisions 2024-05/run 2024-06/run --out corrections --why 'Round 3 was entered wrongly.'\n"
        "  ratinglab revisions old.csv new.csv",
    )
    what = "a CSV with player (or name) and rating or rank, or the folder of a run"
    parser.add_argument("old", type=Path, metavar="OLD", help=f"the earlier list: {what}")
    parser.add_argument("new", type=Path, metavar="NEW", help="the later list, likewise")
    parser.add_argument("--why", default="", metavar="TEXT", help="the committee's own words on what was corrected")
    parser.add_argument("--title", default="", metavar="TEXT", help="what stands above the page")
    parser.add_argument(
        "--people",
        nargs="+",
        type=Path,
        default=[],
        metavar="PATH",
        help="for --privacy public: the event files that say who is a pupil",
    )
    parser.add_argument("--csv", action="store_true", help="print the table of players as CSV, floats whole")
    add_privacy(parser)
    add_kinds(parser)
    where = "write revisions.html, revisions.csv, events.csv, games.csv, people.csv, settings.csv, manifest.json there"
    parser.add_argument("--out", type=Path, metavar="DIR", help=where)


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.formats import load
    from ratinglab.history import assemble
    from ratinglab.output import csv_text, manifest
    from ratinglab.privacy import protect
    from ratinglab.reports import revision_page
    from ratinglab.reports.publication import Publication, publish
    from ratinglab.revisions.for_public import for_public, public_text
    from ratinglab.revisions.revising import revise
    from ratinglab.revisions.sides import read_sides

    rule = privacy(options)
    forms = kinds(options) if options.out else None
    if rule.public and not options.people:
        raise UsageError("--privacy public needs --people PATH: two lists do not say who on them is a pupil")
    if options.people and not rule.public:
        raise UsageError("--people is for --privacy public; a set for the committee names everybody")
    old, new = read_sides(options.old, options.new)
    tell([*old.told, *new.told])
    history = load(*options.people) if options.people else assemble([])
    protected = protect(history, rule, max((day for day in (old.as_of, new.as_of) if day is not None), default=None))
    revision = for_public(revise(old, new), protected)
    if options.out:
        why, title = (public_text(text, protected) for text in (options.why, options.title))
        page = revision_page.page(revision, why=why, title=title, says=protected.says)
        sources = (*revision.old.sources, *revision.new.sources)
        record = manifest("revisions", sources) | {
            "options": {"why": why, "title": title, "privacy": options.privacy, "names": options.names}
        }
        publish(options.out, Publication([page], len(sources)), record, forms)
    if options.csv:
        sys.stdout.write(csv_text(revision.players))
        return 0
    for sentence in revision_page.answer(revision):
        print(sentence)
    if options.out:
        print(f"\nThe page: {options.out / 'revisions.html'}")
    return 0
