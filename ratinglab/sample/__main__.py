"""`python -m ratinglab.sample FOLDER`: make the sample data anew."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ratinglab.sample.shipped import SEED, write

_DESCRIPTION = """\
Write the sample data of ratinglab below FOLDER:

  school-circuit/   eleven rated school events 2009-2012 as TSH folders, the entry list of the
                    2012 championship, and events.csv with two events still awaited
  open-circuit/     rated open events from May 2009 to April 2012, in which some of the same
                    children play
  scholastic-club/  three seasons of a chess club for grades K to 8, as ratinglab's own CSV tables
  diplomacy/        tournaments 1996-2012 in the forms of the World Diplomacy Database
  worked-examples/  the examples of the source documents, the same for every seed
  true-strengths/   what the results were drawn from: player, date, strength

All people and results are invented. The same seed gives the same files, byte for byte.
"""
_EPILOG = """\
examples:
  python -m ratinglab.sample data                 the files that ship with the project
  python -m ratinglab.sample /tmp/other --seed 7  another world of the same shape
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(
        "python -m ratinglab.sample",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", metavar="FOLDER", help="where to write; made if it is not there")
    parser.add_argument(
        "--seed", type=_seed, default=SEED, metavar="N", help="a whole number, 0 or more; %(default)s unless given"
    )
    options = parser.parse_args(arguments)
    try:
        written = write(options.folder, options.seed)
    except OSError as error:
        print(f"cannot write to {options.folder}: {error.strerror or error}", file=sys.stderr)
        return 1
    if sys.stderr.isatty():
        print(f"{len(written)} files written below {options.folder}", file=sys.stderr)
    return 0


def _seed(text: str) -> int:
    seed = int(text)
    if seed < 0:
        raise ValueError
    return seed


_seed.__name__ = "seed"  # argparse says "invalid seed value"

if __name__ == "__main__":
    sys.exit(main())
