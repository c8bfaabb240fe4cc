"""`ratinglab explain`: how one player's rating was made."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ratinglab.commands.doing import chosen, load_results, tell_notices
from ratinglab.commands.options import Commands, command, inputs, system


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "explain",
        run,
        "how one player's rating was made, game by game and rule by rule",
        "Print the worked computation of one player's rating in one event: what it starts from, what each game and "
        "each rule adds, up to the new rating. The history before the event counts unless --alone. Opponents are named "
        "unless --numbers: with pupils among them give it.",
        "ratinglab explain data/open-circuit --system naspa --event 2011-grand --player 'Wexinack, Claetha'\n"
        "  ratinglab explain data/open-circuit --system naspa --event 2011-grand --player 'Wexinack, Claetha' \\\n"
        "      --against naspa:acceleration=0",
    )
    inputs(parser)
    system(parser, "naspa")
    parser.add_argument("--event", required=True, metavar="E", help="the event's id, as check and replay write it")
    parser.add_argument(
        "--player",
        required=True,
        metavar="P",
        help="the player's name, surname first with a comma or last, in any case",
    )
    parser.add_argument("--section", metavar="S", help="of a player who plays in several sections of the event")
    parser.add_argument("--alone", action="store_true", help="from the ratings in the event's own file, as rate does")
    parser.add_argument(
        "--numbers",
        action="store_true",
        help="opponents by their numbers in the event, where names should not get about",
    )
    parser.add_argument(
        "--against", metavar="S", help="also say what this system would have changed in the rating, and if nothing, why"
    )
    parser.add_argument("--csv", action="store_true", help="print the steps as CSV, floats whole")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write explanation.csv, explanation.txt, explanation.html and manifest.json there",
    )


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.explaining import explain, rerating, without_names
    from ratinglab.explanations import as_html, as_text, rerating_text
    from ratinglab.output import Content, csv_text, manifest, write_set
    from ratinglab.replaying import rate, replay
    from ratinglab.systems import parse
    from ratinglab.terminal import progress

    system = chosen(options)
    systems = [system, *([parse(options.against)] if options.against else [])]
    history = load_results(options)
    if options.alone:
        history = history.only(options.event)
    made = []
    for of in systems:
        with progress("replaying") as show:
            result = rate(history, of, progress=show) if options.alone else replay(history, of, progress=show)
        explanation = explain(result, options.event, options.player, options.section)
        made.append(without_names(explanation, history) if options.numbers else explanation)
        tell_notices(result)
    text = as_text(made[0])
    other = rerating(*made) if options.against else None
    if other is not None:
        text += "\n" + rerating_text(other)
    if options.out:
        page = as_html(made[0], other)
        files: dict[str, Content] = {"explanation.csv": made[0].rows, "explanation.txt": text, "explanation.html": page}
        if other is not None:
            files["rerating.csv"] = other.rows
        record = manifest("explain", history.sources, system.name, system.parameters())
        asked = {name: getattr(options, name) for name in ("event", "player", "section", "alone", "against")}
        write_set(options.out, files, record | {"options": asked})
    if options.csv:
        sys.stdout.write(csv_text(made[0].rows))
    elif not options.out:
        sys.stdout.write(text)
    return 0
