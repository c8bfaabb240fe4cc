"""The command line: what is asked for, in words; the work is done by the functions of the package.

Exit status: 0; 1 where `check` found errors, or where input cannot be read or output not written; 2 for wrong usage.
Nothing heavy is imported before a command runs, so that `--help` answers at once.
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from ratinglab.problems import ERROR, InputError, Problem, UsageError

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.replaying import Replay
    from ratinglab.systems import System

_PATHS = "event files or folders; formats are recognised by their content"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except InputError as error:
        _tell(error.problems)
        print("ratinglab: nothing could be read", file=sys.stderr)
        return 1
    except UsageError as error:
        print(f"ratinglab {options.command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of a pipe has seen enough; keep Python from complaining at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"ratinglab {options.command}: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("ratinglab: stopped; files already written are whole", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ratinglab",
        description="A workbench for ratings committees: replay event files through rating systems, and report.",
        epilog="Start with `ratinglab check PATH` on your own event files, or `ratinglab report` on the sample data.",
    )
    parser.add_argument("--version", action="version", version=f"ratinglab {metadata.version('ratinglab')}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    check = _command(
        commands,
        "check",
        _check,
        "what is wrong with event files, file:line by file:line",
        "Read files and list every fault: where it stands, what was expected there, what was found. Also lists names "
        "one spelling apart, which may be one person (an aliases.csv with the columns alias, player settles it).",
        "ratinglab check data/school-circuit\n  ratinglab check my-events --csv > problems.csv",
    )
    _inputs(check)
    check.add_argument("--csv", action="store_true", help="print the table of problems as CSV")
    check.add_argument("--out", type=Path, metavar="DIR", help="write problems.csv there")

    rate = _command(
        commands,
        "rate",
        _rate,
        "one event, from the ratings in its own file",
        "Rate every section of an event from the ratings filed with its entries; who has none is a newcomer. "
        "Of several events, each is rated on its own.",
        "ratinglab rate data/open-circuit/2011-grand --system naspa\n"
        "  ratinglab rate a.t --system glixo --set tau=100 --csv",
    )
    _inputs(rate)
    _system(rate, "naspa")
    rate.add_argument("--event", action="append", metavar="E", help="only this event (may be repeated)")
    rate.add_argument("--segments", action="store_true", help="a row for each rated segment of a long event")
    rate.add_argument("--csv", action="store_true", help="print the table of changes as CSV, floats whole")
    rate.add_argument("--out", type=Path, metavar="DIR", help="write changes.csv, segments.csv and manifest.json there")

    replay = _command(
        commands,
        "replay",
        _replay,
        "a whole history in time order",
        "Replay all events in time order. A player's first appearance starts from the rating filed with it (unless "
        "--start fresh), later ones from where the last event ended. Every game is forecast before its event is rated.",
        "ratinglab replay data/school-circuit data/open-circuit --system glixo --out out\n"
        "  ratinglab replay results --system naspa:acceleration=0 --until 2024-12-31 --csv",
    )
    _inputs(replay)
    _system(replay, "glixo")
    _times(replay)
    replay.add_argument(
        "--start",
        choices=("filed", "fresh"),
        default="filed",
        help="first appearances start from the filed rating, or everybody starts as a newcomer (default: filed)",
    )
    replay.add_argument("--as-of", type=_date, metavar="DATE", help="the rating list as of this date")
    replay.add_argument(
        "--min-games",
        type=_count,
        default=0,
        metavar="N",
        help="list players with N rated games; score games whose two sides had N before (default: 0)",
    )
    replay.add_argument("--seed", type=_count, default=0, metavar="N", help="of the resamples of events (default: 0)")
    replay.add_argument("--csv", action="store_true", help="print the rating list as CSV, floats whole")
    replay.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write ratings.csv, changes.csv, segments.csv, forecasts.csv, scores.csv and manifest.json there",
    )

    explain = _command(
        commands,
        "explain",
        _explain,
        "how one player's rating was made, game by game and rule by rule",
        "Print the worked computation of one player's rating in one event: what it starts from, what each game and "
        "each rule adds, up to the new rating. The history before the event counts unless --alone.",
        "ratinglab explain data/open-circuit --system naspa --event 2011-grand --player 'Wexinack, Claetha'\n"
        "  ratinglab explain data/open-circuit --system naspa --event 2011-grand --player 'Wexinack, Claetha' \\\n"
        "      --against naspa:acceleration=0",
    )
    _inputs(explain)
    _system(explain, "naspa")
    explain.add_argument("--event", required=True, metavar="E", help="the event's id, as check and replay write it")
    explain.add_argument("--player", required=True, metavar="P", help="the player's name, in any order and case")
    explain.add_argument("--section", metavar="S", help="of a player who plays in several sections of the event")
    explain.add_argument("--alone", action="store_true", help="from the ratings in the event's own file, as rate does")
    explain.add_argument(
        "--against", metavar="S", help="also say what this system would have changed in the rating, and if nothing, why"
    )
    explain.add_argument("--csv", action="store_true", help="print the steps as CSV, floats whole")
    explain.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write explanation.csv, explanation.txt, explanation.html and manifest.json there",
    )

    lists = _command(
        commands,
        "lists",
        _lists,
        "rating lists by year and for good, international and by nation",
        "Write the list as of 31 December of every year, the permanent list of all events, and the tournaments and "
        "circuits they rest on. With --compare, also how well the ratings before each event foretold its final order, "
        "beside other systems: of an event of places those take every two players as a game, so K must be small. Lists "
        "name players in full: with pupils among them they are for the committee.",
        "ratinglab lists data/diplomacy --system dip-pouch --out lists --compare elo:k=1,glicko\n"
        "  ratinglab lists data/diplomacy --system dip-pouch --year 2012 --nation FRA --csv",
    )
    _inputs(lists)
    _system(lists, "dip-pouch")
    _times(lists)
    which = lists.add_mutually_exclusive_group()
    which.add_argument("--year", type=_year, metavar="Y", help="only the list as of 31 December of this year")
    which.add_argument("--permanent", action="store_true", help="only the list of all events (printed by default)")
    lists.add_argument("--nation", metavar="N", help="only players of this nation, as the files write it: FRA")
    window = "a year's list rests on the events of that many years alone, Worlds too (the cutoff of dip-pouch stays)"
    lists.add_argument("--window", type=_count, metavar="YEARS", help=window)
    lists.add_argument("--compare", metavar="S,S", help="systems to hold against this one by order: elo:k=1,glicko")
    lists.add_argument("--seed", type=_count, default=0, metavar="N", help="of the resamples of events (default: 0)")
    lists.add_argument("--csv", action="store_true", help="print one list as CSV, floats whole")
    files = (
        "write list-2012.csv … list-permanent.csv, tournaments.csv, circuits.csv, manifest.json (and order.csv) there"
    )
    lists.add_argument("--out", type=Path, metavar="DIR", help=files)

    report = _command(
        commands,
        "report",
        _report,
        "the main job: a linked set of pages for one history",
        "Write pages with the rating list, what each event changed, forecast quality, rating histories, the seeding of "
        "a championship not yet played, and the problems found; every table also as CSV. No PATH: the sample data.",
        "ratinglab report\n  ratinglab report results --system naspa --out reports/2025",
    )
    _inputs(report, optional=True)
    _system(report, "glixo")
    _times(report)
    report.add_argument("--seed", type=_count, default=0, metavar="N", help="of resamples and of ties (default: 0)")
    report.add_argument("--out", type=Path, default=Path("reports"), metavar="DIR", help="default: reports")
    return parser


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
    description: str,
    examples: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=f"examples:\n  {examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def _inputs(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    parser.add_argument("paths", nargs="*" if optional else "+", type=Path, metavar="PATH", help=_PATHS)
    parser.add_argument("--format", metavar="F", help="read as this format: tsh, coco or native")


def _system(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--system",
        default=default,
        metavar="S",
        help="glixo, coco, naspa (nsa2008, naspa-csw, naspa2024), nsa, wespa, aus, dip-pouch, uscf, evanston, fide, elo, "
        "elo-margin, glicko, glicko2, stephenson, bradley-terry (hindsight); with parameters as in "
        f"naspa:acceleration=0,floor=1 (default: {default})",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a parameter of the system (may be repeated)",
    )


def _times(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--from", dest="since", type=_date, metavar="DATE", help="only events that end on or after")
    parser.add_argument("--until", type=_date, metavar="DATE", help="only events that end on or before")


def _date(text: str) -> str:
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a date as 2012-05-12; found {text}") from None


def _year(text: str) -> int:
    if len(text) != 4 or not text.isdecimal() or int(text) < 1000:
        raise argparse.ArgumentTypeError(f"expected a year as 2012; found {text}")
    return int(text)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number of 0 or more; found {text}")
    return int(text)


# --- what the commands share -----------------------------------------------------------------------------------------


def _load(options: argparse.Namespace) -> History:
    """The history that is asked for, within its dates; says what they leave out."""
    from ratinglab.formats import load

    history = load(*options.paths, format=options.format)
    since, until = getattr(options, "since", None), getattr(options, "until", None)
    if since is None and until is None:
        return history
    within = history.between(since, until)
    undated = int(history.events["end_date"].isna().sum())
    if undated:
        print(f"ratinglab: {undated} events without a date are left out", file=sys.stderr)
    if not len(within.events):
        print("ratinglab: no event ends within these dates", file=sys.stderr)
    return within


def _chosen(options: argparse.Namespace) -> System:
    from ratinglab.systems import parse, settings

    text = options.system
    if options.set:
        settings(options.set)  # says what is wrong with a setting before it is joined to the others
        text += ("," if ":" in text else ":") + ",".join(options.set)
    return parse(text)


def _tell(problems: Iterable[Problem]) -> None:
    for problem in sorted(set(problems)):
        print(problem, file=sys.stderr)


def _tell_of_history(history: History, result: Replay) -> None:
    """Errors in full, warnings as a number, and what the system has to say of this history."""
    from ratinglab.checking import check

    problems = check(history)
    errors = [problem for problem in problems if problem.severity == ERROR]
    _tell(errors)
    warnings = len(problems) - len(errors)
    if warnings:
        print(f"ratinglab: {warnings} warnings; `ratinglab check` lists them", file=sys.stderr)
    for notice in result.system.notices(result.schedule):
        print(f"ratinglab: {notice}", file=sys.stderr)


# --- the commands ----------------------------------------------------------------------------------------------------


def _check(options: argparse.Namespace) -> int:
    from ratinglab.checking import check
    from ratinglab.output import csv_text, write_csv
    from ratinglab.problems import problems_table

    unreadable = False
    try:
        history = _load(options)
        problems = check(history)
        read = f"{len(history.events)} events, {len(history.entries)} entries, {len(history.games)} games read"
    except InputError as error:
        problems, read, unreadable = error.problems, "nothing could be read", True
    table = problems_table(problems)
    if options.out:
        write_csv(table, options.out / "problems.csv")
    errors = int((table["severity"] == ERROR).sum())
    if options.csv:
        sys.stdout.write(csv_text(table))
    else:
        for problem in sorted(set(problems), key=lambda p: (p.severity != ERROR, p)):
            print(problem)
        print(f"{read}: {errors} errors, {len(table) - errors} warnings")
    return 1 if errors or unreadable else 0


def _rate(options: argparse.Namespace) -> int:
    from ratinglab.output import csv_text, manifest, write_csv, write_json
    from ratinglab.replaying import rate
    from ratinglab.terminal import FINE, progress, table_text

    system = _chosen(options)
    history = _load(options)
    if options.event:
        history = history.only(options.event)
    with progress("rating") as show:
        result = rate(history, system, progress=show)
    _tell_of_history(history, result)
    changes, segments = result.changes, result.segments
    asked = segments if options.segments else changes
    # what a system keeps for its own use is in the files, and would make a wide table here
    own = [name for name in system.state_names if name not in ("rating", "deviation", "volatility")]
    hidden = [column for name in own for column in (f"{name}_before", f"{name}_after") if column in asked]
    if options.out:
        write_csv(changes, options.out / "changes.csv")
        write_csv(segments, options.out / "segments.csv")
        record = manifest("rate", history.sources, system.name, system.parameters())
        write_json(record, options.out / "manifest.json")
    if options.csv:
        sys.stdout.write(csv_text(asked))
    elif not options.out:
        for (event, section), rows in asked.groupby(["event", "section"], sort=False):
            shown = rows.drop(columns=["event", "section", "date", *hidden])
            shown = shown.assign(change=rows["after"] - rows["before"])
            text = table_text(shown, {"number": "no."}, FINE if system.rates == "placings" else None)
            print(f"{event}, section {section}\n\n{text}\n")
    return 0


def _replay(options: argparse.Namespace) -> int:
    from ratinglab.output import csv_text, manifest, write_csv, write_json
    from ratinglab.replaying import replay
    from ratinglab.scoring import score
    from ratinglab.terminal import FINE, progress, table_text

    system = _chosen(options)
    history = _load(options)
    with progress("replaying") as show:
        result = replay(history, system, start=options.start, progress=show)
    _tell_of_history(history, result)
    ratings = result.ratings(as_of=options.as_of, min_games=options.min_games)
    if options.as_of and history.events["end_date"].isna().any():
        print("ratinglab: a list as of a date leaves out what events without a date changed", file=sys.stderr)
    if options.out:
        write_csv(ratings, options.out / "ratings.csv")
        write_csv(result.changes, options.out / "changes.csv")
        write_csv(result.segments, options.out / "segments.csv")
        if system.has_forecast:
            write_csv(result.forecasts, options.out / "forecasts.csv")
        if system.rates == "games":
            write_csv(score(result, min_games=options.min_games, seed=options.seed), options.out / "scores.csv")
        asked = {"start": options.start, "from": options.since, "until": options.until}
        asked |= {"as_of": options.as_of, "min_games": options.min_games}
        record = manifest("replay", history.sources, system.name, system.parameters(), options.seed)
        write_json(record | {"options": asked}, options.out / "manifest.json")
    if options.csv:
        sys.stdout.write(csv_text(ratings))
    elif not options.out:
        decimals = FINE if system.rates == "placings" else None
        print(table_text(ratings.drop(columns=["name", "as_of"]), decimals=decimals))
    return 0


def _lists(options: argparse.Namespace) -> int:
    from ratinglab.lists import make_lists
    from ratinglab.ordering import order_scores
    from ratinglab.output import csv_text
    from ratinglab.systems import parse_several
    from ratinglab.terminal import FINE, progress, table_text

    system = _chosen(options)
    others = parse_several(options.compare) if options.compare else []
    if options.csv and others and not options.out:
        raise UsageError("--csv prints one table, the list: give --out for order.csv too")
    history = _load(options)
    # printed is one list; written are all, unless one is asked for
    years: list[int] | None = [] if options.permanent or not options.out else None
    years = years if options.year is None else [options.year]
    asked = {"permanent": options.year is None, "nation": options.nation, "window": options.window}
    with progress("replaying") as show:
        made = make_lists(history, system, years=years, **asked, progress=show)
    _tell_of_history(history, made.replay)
    order = None
    if others:
        with progress("comparing", "systems") as show:
            order = order_scores(history, [system, *others], seed=options.seed, progress=show)
    if options.out:
        told = ("year", "permanent", "nation", "window", "compare", "since", "until")
        made.write(options.out, order, seed=options.seed, options={name: getattr(options, name) for name in told})
    if options.csv:
        sys.stdout.write(csv_text(made.last))
    elif not options.out:
        print(table_text(made.last.drop(columns="as_of"), decimals=FINE if system.rates == "placings" else None))
        if order is not None:
            print(f"\n{table_text(order.drop(columns='parameters'))}")
    return 0


def _explain(options: argparse.Namespace) -> int:
    from ratinglab.explaining import explain, rerating
    from ratinglab.explanations import as_html, as_text, rerating_text
    from ratinglab.output import csv_text, manifest, write_bytes, write_csv, write_json
    from ratinglab.replaying import rate, replay
    from ratinglab.systems import parse
    from ratinglab.terminal import progress

    system = _chosen(options)
    systems = [system, *([parse(options.against)] if options.against else [])]
    history = _load(options)
    if options.alone:
        history = history.only(options.event)
    made = []
    for of in systems:
        with progress("replaying") as show:
            result = rate(history, of, progress=show) if options.alone else replay(history, of, progress=show)
        made.append(explain(result, options.event, options.player, options.section))
    text = as_text(made[0])
    other = rerating(*made) if options.against else None
    if other is not None:
        text += "\n" + rerating_text(other)
    if options.out:
        write_csv(made[0].rows, options.out / "explanation.csv")
        write_bytes(text.encode(), options.out / "explanation.txt")
        write_bytes(as_html(made[0], other), options.out / "explanation.html")
        if other is not None:
            write_csv(other.rows, options.out / "rerating.csv")
        record = manifest("explain", history.sources, system.name, system.parameters())
        asked = {"event": options.event, "player": options.player, "alone": options.alone, "against": options.against}
        write_json(record | {"options": asked}, options.out / "manifest.json")
    if options.csv:
        sys.stdout.write(csv_text(made[0].rows))
    elif not options.out:
        sys.stdout.write(text)
    return 0


def _report(options: argparse.Namespace) -> int:
    from ratinglab.paths import sample_data
    from ratinglab.reports import build_report
    from ratinglab.terminal import progress

    system = _chosen(options)
    options.paths = options.paths or sample_data()
    history = _load(options)
    with progress("reporting", "steps") as show:
        build_report(history, options.out, system=system, seed=options.seed, progress=show)
    print(f"written: {options.out / 'index.html'}")
    return 0
