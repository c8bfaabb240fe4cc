"""`ratinglab card`: a player's own card, or one for each child of a school."""

from __future__ import annotations

import argparse
from pathlib import Path

from ratinglab.commands.doing import chosen, kinds, load_results, privacy, tell_notices, tell_of_errors
from ratinglab.commands.options import Commands, command, date, inputs, start, system
from ratinglab.commands.options import kinds as add_kinds
from ratinglab.commands.options import privacy as add_privacy


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "card",
        run,
        "a player's own card: the rating then and now, the best win, what comes next",
        "Write a card for a player, and for a child's parents: the rating a year ago and now, a picture of the way, "
        "results by season, the best win, the longest run without a loss, the last tournament against what was "
        "expected, and the next goal. It prints on one side of A5 or A4 and names nobody else. With --school, one "
        "for each child of a school, an index, and one page with all of them to print. In public (--privacy public) "
        "the card of a minor has the label and the ratings, and nothing else.",
        "ratinglab card data/scholastic-club --player 'Balin Wexobrook' --as-of 2011-05-31 --out card\n"
        "  ratinglab card data/scholastic-club --school 'Wicker Street' --out cards --kinds html,pdf\n"
        "  ratinglab card data/school-circuit --system glixo --player 'Frosenrell, Bidra' --out card",
    )
    inputs(parser)
    system(parser, "evanston")
    start(parser)
    whose = parser.add_mutually_exclusive_group(required=True)
    whose.add_argument(
        "--player", metavar="P", help="the player's name, surname first with a comma or last, in any case"
    )
    whose.add_argument("--school", metavar="S", help="everybody whose last entry up to the date names this school")
    parser.add_argument(
        "--as-of",
        type=date,
        metavar="DATE",
        help="nothing later counts, nor an event without a date (default: everything counts)",
    )
    add_privacy(parser)
    add_kinds(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="write the card, its tables and manifest.json there"
    )


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.cards import card, cards, in_order, known_name, of_school
    from ratinglab.output import manifest, require_writable
    from ratinglab.privacy import protect
    from ratinglab.replaying import replay
    from ratinglab.reports import card_page
    from ratinglab.reports.publication import Publication, publish
    from ratinglab.sections.careers import next_places
    from ratinglab.terminal import progress

    forms, rule, system = kinds(options), privacy(options), chosen(options)
    require_writable(options.out)
    history = load_results(options)
    if options.player:
        asked = [known_name(history, options.player)]
    else:
        asked = of_school(history, options.school, options.as_of)
    protected = protect(history, rule, options.as_of)
    with progress("replaying") as show:
        result = replay(protected.history, system, start=options.start, progress=show)
    tell_of_errors(history)
    tell_notices(result)
    places = next_places(protected.history, result, options.as_of)
    if options.player:
        made = [card(result, protected.shown(asked[0]), options.as_of, places=places)]
        pages = [card_page.page(made[0], protected)]
    else:
        made = cards(result, in_order(map(protected.shown, asked)), options.as_of, places=places)
        told = not rule.public or rule.names == "team"  # beside initials and codes a school would tell who it is
        pages = card_page.pages(made, f"Rating cards of {options.school if told else 'a school'}", protected)
    sources = protected.history.sources
    publication = Publication(
        pages,
        len(sources),
        {"cards.csv": card_page.table(made, protected)},
        f"Ratings by {system.label}",
        pages[0].title,
    )
    of_whom = () if rule.public else ("player", "school")
    asked_for = {name: getattr(options, name) for name in (*of_whom, "as_of", "start", "privacy", "names")}
    record = manifest("card", sources, system.name, system.parameters()) | {"options": asked_for}
    publish(options.out, publication, record, forms)
    return 0
