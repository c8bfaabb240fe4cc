"""`ratinglab simulate`: thousands of tournaments under one or several pairing systems, and how fair those are."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ratinglab.commands.doing import chosen, kinds, load_results, workers
from ratinglab.commands.options import PAIRINGS, Commands, command, count, inputs, number, system, times
from ratinglab.commands.options import kinds as add_kinds
from ratinglab.commands.options import workers as who_works
from ratinglab.problems import UsageError

if TYPE_CHECKING:
    from ratinglab.history import Source
    from ratinglab.simulation.tournaments import Strengths


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "simulate",
        run,
        "thousands of tournaments: is a pairing system fair?",
        "Play tournaments between players of known true strength under one or several pairing systems, on the same "
        "fields and the same luck, and measure what the pairings did: whether the best finished first, whether players "
        "of equal wins met equal fields, repeats, floats, byes. With PATH the field is that of real ratings.",
        "ratinglab simulate --pairing cnsc,swiss --players 50 --rounds 18 --tournaments 10000 --out fair\n"
        "  ratinglab simulate results --system naspa --players 40 --rounds 15 --rating-error 60 --out fair\n"
        "  ratinglab simulate --pairing evanston --players 20 --rounds 5 --model chess:draw=.3,first=35 --out fair",
    )
    inputs(parser, optional=True)
    system(parser, "glixo")
    times(parser)
    parser.add_argument(
        "--pairing",
        default="cnsc",
        metavar="P,P",
        help=f"{PAIRINGS}; with options as in cnsc:both_ends=1,strength=spread (default: cnsc)",
    )
    parser.add_argument("--players", type=count, default=50, metavar="N", help="default: 50")
    parser.add_argument("--rounds", type=count, default=18, metavar="N", help="default: 18")
    parser.add_argument("--tournaments", type=count, default=1000, metavar="N", help="default: 1000")
    parser.add_argument(
        "--field",
        metavar="F",
        help="true strengths: normal:MEAN,SD drawn anew for each tournament, or a CSV file with a column rating (and "
        "team, for those who are not to meet); default normal:1500,250, or with PATH the highest of the rating list",
    )
    parser.add_argument(
        "--rating-error",
        type=number,
        default=0.0,
        metavar="SD",
        help="rating points by which ratings before play are off the true strength (default: 0)",
    )
    parser.add_argument(
        "--model",
        default="glixo:b=5,tau=90",
        metavar="M",
        help="how games come out: glixo:b=5,tau=90 (spreads; default), naspa (its curve) or chess:draw=.3,first=35",
    )
    parser.add_argument("--steps", action="store_true", help="also steps.csv: what it is worth to be seeded one lower")
    parser.add_argument(
        "--sandbag", type=number, metavar="D", help="also sandbag.csv: what a rating too low by D points gains"
    )
    parser.add_argument(
        "--gambit", type=count, metavar="N", help="also gambit.csv: what losing the first N games on purpose gains"
    )
    parser.add_argument("--seed", type=count, default=0, metavar="N", help="default: 0")
    who_works(parser)
    add_kinds(parser, "html,csv")
    parser.add_argument("--csv", action="store_true", help="print fairness.csv")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="write the tables, fairness.html and manifest.json there"
    )


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.output import Content, csv_text, manifest
    from ratinglab.pairing import parse_several
    from ratinglab.reports.fairness_page import fairness_page
    from ratinglab.reports.publication import Publication, publish
    from ratinglab.simulation.fairness import told
    from ratinglab.simulation.models import parse_model
    from ratinglab.simulation.simulating import Plan, gambits, labels, sandbagging, simulate, steps
    from ratinglab.terminal import progress, table_text

    pairings = labels(parse_several(options.pairing))
    model = parse_model(options.model)
    strengths, sources = _strengths(options)
    plan = Plan(pairings, options.players, options.rounds, options.tournaments, strengths, model, options.seed)
    if options.gambit is not None and not 0 < options.gambit < options.rounds:
        raise UsageError(f"--gambit is 1 or more and less than the rounds, {options.rounds}; found {options.gambit}")
    hands, forms = workers(options), kinds(options)
    with progress("simulating", "tasks") as show:
        made = simulate(plan, hands, show)
    files: dict[str, Content] = dict(made.tables())
    borders = None
    if options.steps:
        mean, sd = strengths.normal
        borders = steps(pairings, options.players, model=model, strengths=(mean, sd), seed=options.seed)
        files["steps.csv"] = borders
    tricks = {}
    for name, size, of in (("sandbag", options.sandbag, sandbagging), ("gambit", options.gambit, gambits)):
        if size is not None:
            with progress(name, "tasks") as show:
                tricks[name] = files[f"{name}.csv"] = of(plan, size, hands, show)
    if options.out:
        record = manifest("simulate", sources, seed=options.seed)
        asked = ("pairing", "players", "rounds", "tournaments", "field", "rating_error", "model", "steps", "sandbag")
        said = {name: getattr(options, name) for name in (*asked, "gambit")}
        page = fairness_page(made, borders, tricks, files)
        publish(options.out, Publication([page], len(sources)), record | {"options": said}, forms)
    if options.csv:
        sys.stdout.write(csv_text(made.fairness))
    elif options.out:
        print(f"written: {options.out / 'fairness.html'}")
    else:
        print(table_text(told(made.fairness).reset_index()))
    return 0


def _strengths(options: argparse.Namespace) -> tuple[Strengths, tuple[Source, ...]]:
    """The field that is asked for, and the files it rests on."""
    from ratinglab.simulation.tournaments import Strengths

    error = options.rating_error
    if error < 0:
        raise UsageError(f"--rating-error is 0 or more; found {error:g}")
    if options.paths:
        if options.field:
            raise UsageError("the field comes from PATH or from --field, not from both")
        from ratinglab.replaying import replay

        history = load_results(options)
        ratings = replay(history, chosen(options)).ratings()["rating"]
        if len(ratings) < options.players:
            raise UsageError(f"the rating list has {len(ratings)} players; found {options.players} asked for")
        return Strengths(listed=tuple(ratings.head(options.players)), rating_error=error), history.sources
    return _field(options.field or "normal:1500,250", error)


def _field(text: str, error: float) -> tuple[Strengths, tuple[Source, ...]]:
    from ratinglab.history import Source
    from ratinglab.output import sha256
    from ratinglab.simulation.tournaments import Strengths

    kind, _, rest = text.partition(":")
    if kind == "normal":
        try:
            mean, sd = (float(part) for part in rest.split(","))
        except ValueError:
            raise UsageError(f"--field is normal:MEAN,SD or a CSV file; found {text}") from None
        if sd < 0:
            raise UsageError(f"--field: a standard deviation is 0 or more; found {sd:g}")
        return Strengths(normal=(mean, sd), rating_error=error), ()
    import pandas as pd

    path = Path(text)
    table = pd.read_csv(path, dtype={"team": "str"})
    if "rating" not in table or not pd.api.types.is_numeric_dtype(table["rating"]) or table["rating"].isna().any():
        raise UsageError(f"{text}: expected a column rating with a number in every row")
    # a missing team is coded -1, which is nobody's team
    teams = tuple(int(code) for code in pd.factorize(table["team"])[0]) if "team" in table else ()
    listed = tuple(float(rating) for rating in table["rating"])
    return Strengths(listed=listed, rating_error=error, team=teams), (Source(path.name, sha256(path.read_bytes())),)
