"""`ratinglab propose`: a proposed system against the current one, as a page that a committee votes on."""

from __future__ import annotations

import argparse
from pathlib import Path

from ratinglab.commands.doing import kinds, load_results, tell_notices, tell_of_history, workers
from ratinglab.commands.options import Commands, command, count, inputs, start, times
from ratinglab.commands.options import kinds as add_kinds
from ratinglab.commands.options import workers as add_workers

DECISIONS = Path("reports/decisions")


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "propose",
        run,
        "a proposed system against the current one: who gains, who loses, does it predict better",
        "Replay everything under both systems and write one page that can be voted on, with every figure behind it: "
        "forecasts and their difference with its interval, each player's change, lines and top lists, the level over "
        "time, and whether one's place in a section decides. With --from, only events from then on are rated, everyone "
        "starting from the rating filed with the first of them. The page names players: with pupils among them it is "
        "for the committee.",
        "ratinglab propose data/open-circuit --current naspa --proposed naspa:acceleration=0 --line 1600\n"
        "  ratinglab propose results --current naspa --proposed elo:k=24 --from 2023-01-01 --out proposal \\\n"
        "      --variants 'elo:k=16|24|32,scale=400|722' --variants 'naspa:acceleration=0|1'",
    )
    inputs(parser)
    named = "a system, with parameters as in naspa:acceleration=0 (`ratinglab systems` lists them)"
    parser.add_argument("--current", required=True, metavar="S", help=named)
    parser.add_argument("--proposed", required=True, metavar="S", help="the same, as it is proposed")
    times(parser)
    parser.add_argument(
        "--line", type=points, action="append", default=[], metavar="R", help="a rating that divides (may be repeated)"
    )
    parser.add_argument("--top", type=count, default=20, metavar="N", help="places of the top lists (default: 20)")
    parser.add_argument(
        "--variants",
        action="append",
        default=[],
        metavar="S",
        help="also re-rate everything under variants: elo:k=16|24|32,scale=400|722 is six of them (may be repeated)",
    )
    start(parser)
    parser.add_argument(
        "--min-games",
        type=count,
        default=0,
        metavar="N",
        help="list players with N rated games; judge games whose two sides had N before (default: 0)",
    )
    parser.add_argument("--title", metavar="TEXT", help="what stands above the page")
    parser.add_argument("--seed", type=count, default=0, metavar="N", help="of the resamples of events (default: 0)")
    add_workers(parser)
    add_kinds(parser, "html,csv")
    where = "write decision.html, decision.json, the tables as CSV and manifest.json there"
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help=f"{where} (default: {DECISIONS.as_posix()}/ and the two systems' names)"
    )


def points(text: str) -> float:
    """A rating."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a rating as 1600; found {text}")
    return value


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.output import manifest
    from ratinglab.proposals.proposing import propose
    from ratinglab.proposals.variants import expand, variants
    from ratinglab.reports import decision_answer, decision_page
    from ratinglab.reports.html import slug
    from ratinglab.reports.publication import Publication, publish
    from ratinglab.systems import parse
    from ratinglab.terminal import progress

    forms = kinds(options)
    current, proposed = parse(options.current), parse(options.proposed)
    every = [system for text in options.variants for system in expand(text)]
    history = load_results(options)
    asked = {name: getattr(options, name) for name in ("since", "min_games", "start", "seed")}
    asked |= {"workers": workers(options)}
    with progress("comparing", "steps") as show:
        made = propose(history, current, proposed, lines=options.line, top=options.top, progress=show, **asked)
    tell_of_history(history, made.current)
    notices = [one.system.notices(one.schedule) for one in (made.current, made.proposed)]
    if notices[1] != notices[0]:
        tell_notices(made.proposed)
    table = None
    if every:
        with progress("re-rating", "replays") as show:
            table = variants(history, current, every, progress=show, **asked)
    out = options.out or DECISIONS / slug(f"{current.label}-v-{proposed.label}")
    page = decision_page.page(made, title=options.title, variants=table)
    told = ("since", "until", "line", "top", "variants", "start", "min_games", "title")
    systems = {
        which: {"system": one.name, "parameters": one.parameters()}
        for which, one in (("current", current), ("proposed", proposed))
    }
    record = manifest("propose", history.sources, proposed.name, proposed.parameters(), options.seed)
    record |= {"systems": systems, "options": {name: getattr(options, name) for name in told}}
    publish(out, Publication([page], len(history.sources)), record, forms)
    print(f"{decision_answer.headline(made)}\n")
    for part in decision_answer.answer(made):
        print(f"{part.about}. {part.text}")
    print(f"\nThe page to vote on: {out / 'decision.html'}")
    return 0
