"""Options that commands share, and how a command is added: nothing heavy is imported here."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = object

# Written out, because asking the systems themselves takes longer than the help may.
_SYSTEMS = (
    "glixo, coco, naspa (nsa2008, naspa-csw, naspa2024), nsa, wespa, aus, dip-pouch, uscf, evanston, fide, elo, "
    "elo-margin, glicko, glicko2, stephenson, bradley-terry (hindsight)"
)
_FORMATS = "club-chess, coco, native, trf, tsh, uscf-crosstable or wdd"
PAIRINGS = (
    "cnsc, cnsc-wapnick, cnsc-boys, evanston, nssc (round 1), random, swiss, king-of-the-hill, round-robin, "
    "matching, dutch"
)
# Written out, as the names of the systems are; a test holds it to `seeding.choice.RULES`.
CHOICES = "replay, local, national, higher, established-and-higher, most-recent"
_PATHS = "event files or folders; formats are recognised by their content"


def command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
    description: str,
    examples: str,
) -> argparse.ArgumentParser:
    """A command with its help; `run` does it and returns the exit status."""
    parser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=f"examples:\n  {examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def inputs(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """The event files a command reads."""
    parser.add_argument("paths", nargs="*" if optional else "+", type=Path, metavar="PATH", help=_PATHS)
    parser.add_argument("--format", metavar="F", help=f"read as this format: {_FORMATS}")


def system(parser: argparse.ArgumentParser, default: str | None) -> None:
    """The rating system, and parameters of it; without a default, that which suits the history."""
    parser.add_argument(
        "--system",
        default=default,
        metavar="S",
        help=f"{_SYSTEMS}; with parameters as in naspa:acceleration=0,floor=1 "
        f"(default: {default or 'what suits the history'})",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a parameter of the system (may be repeated)",
    )


def times(parser: argparse.ArgumentParser) -> None:
    """The dates between which events count."""
    parser.add_argument("--from", dest="since", type=date, metavar="DATE", help="only events that end on or after")
    parser.add_argument("--until", type=date, metavar="DATE", help="only events that end on or before")


def start(parser: argparse.ArgumentParser) -> None:
    """What a first appearance starts from."""
    parser.add_argument(
        "--start",
        choices=("filed", "fresh"),
        default="filed",
        help="first appearances start from the filed rating, or everybody starts as a newcomer (default: filed)",
    )


def event_of_several(parser: argparse.ArgumentParser) -> None:
    """The event, of files that may hold several, and a section of it (`doing.one_event`)."""
    parser.add_argument("--event", metavar="E", help="the event; needed where the files hold several")
    parser.add_argument("--section", metavar="S", help="only this section")


def entry_list(parser: argparse.ArgumentParser) -> None:
    """Who is entered, and when the event is (`doing.entry_list`)."""
    entries = "the entry list: a CSV, or an event file or folder"
    parser.add_argument("--entries", type=Path, metavar="FILE", help=entries)
    day = "the first day of the event, where the files do not say it: as 2012-05-12"
    parser.add_argument("--date", type=date, metavar="DATE", help=day)
    choose = f"which of several ratings counts: {CHOICES} (default: replay; without PATH, local)"
    parser.add_argument("--choose", metavar="RULE", help=choose)


def date(text: str) -> str:
    """An ISO date, as an option gives it."""
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a date as 2012-05-12; found {text}") from None


def year(text: str) -> int:
    """A year of four digits."""
    if len(text) != 4 or not text.isdecimal() or int(text) < 1000:
        raise argparse.ArgumentTypeError(f"expected a year as 2012; found {text}")
    return int(text)


def count(text: str) -> int:
    """A whole number of 0 or more."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number of 0 or more; found {text}")
    return int(text)


def number(text: str) -> float:
    """A number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number; found {text}") from None


def kinds(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """In what forms pages and tables are written (`doing.kinds`); without a default, in all."""
    parser.add_argument(
        "--kinds",
        metavar="K,…",
        default=default,
        help="the forms to write, of html (pages, and the tables they lead to), csv, xlsx (a workbook of all tables) "
        f"and pdf (needs Pango); default: {default or 'all'}",
    )
    parser.add_argument(
        "--bom", action="store_true", help="begin each CSV with the mark (BOM) by which Excel knows UTF-8"
    )


def workers(parser: argparse.ArgumentParser) -> None:
    """Who does long work."""
    who = parser.add_mutually_exclusive_group()
    who.add_argument(
        "--workers",
        type=count,
        default=1,
        metavar="N",
        help="processes of this machine; the files are the same, whatever the number (default: 1)",
    )
    cluster = (
        "a Dask scheduler, as tcp://127.0.0.1:8786, whose workers do it; they need the same versions of ratinglab, "
        "numpy, scipy and pandas as here, and for the same last digits processors of the same kind"
    )
    who.add_argument("--scheduler", metavar="ADDRESS", help=cluster)


def privacy(parser: argparse.ArgumentParser) -> None:
    """For whom it is made, and as what minors appear in public (`doing.privacy`)."""
    group = parser.add_argument_group("privacy (docs/privacy.md)")
    group.add_argument(
        "--privacy",
        choices=("committee", "public"),
        default="committee",
        help="committee: everybody is named. public: minors (by birth date, grade, or the kind of event) appear only "
        "as --names says, without games or results (default: committee)",
    )
    group.add_argument(
        "--names",
        choices=("team", "initials", "pseudonym"),
        help="as what minors appear in public: their team, or their school and a number drawn by lot; their initials; "
        "or a code that stays the same from one publication to the next and needs --key (default: team)",
    )
    group.add_argument(
        "--key",
        type=Path,
        metavar="FILE",
        help="the committee's secret key, of which codes and lots are made; it is never written anywhere",
    )
