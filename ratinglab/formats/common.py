"""What every reader needs: collecting faults, making frames of rows, and the rules of scores that formats share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ratinglab import schema
from ratinglab.problems import ERROR, WARNING, Problem

# The rating systems that tournament software and associations name in their files, ratinglab's own among them.
KNOWN_SYSTEMS = frozenset(
    ("none", "nsa", "nsa2008", "nsa-lct", "naspa", "naspa-csw", "naspa-lct", "naspa-csw-lct", "naspa2024", "absp",
     "aus", "bradley-terry", "coco", "deutsch", "dip-pouch", "elo", "elo-margin", "evanston", "fide", "fjsf", "glicko",
     "glicko2", "glixo", "pakistan", "stephenson", "sudoku", "suomi", "thai", "uscf", "wespa")
)  # fmt: skip
EXPECTED_SYSTEM = "a known rating system such as nsa2008, naspa-csw, glixo or none"
_SHOWN = 5  # of many lines with one fault


class Faults:
    """The problems of one file, in the order they are met."""

    def __init__(self, file: str) -> None:
        """Start with nothing wrong in `file`."""
        self.file = file
        self.found: list[Problem] = []

    def error(self, line: int, expected: str, found: str, column: int = 0) -> None:
        """Note something that makes data unusable or contradictory."""
        self.found.append(Problem(self.file, line, column, ERROR, expected, found))

    def warning(self, line: int, expected: str, found: str, column: int = 0) -> None:
        """Note something that was read, and should be looked at."""
        self.found.append(Problem(self.file, line, column, WARNING, expected, found))


def frame(table: str, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The rows as a frame of `table`, conformed; keys a row lacks are missing."""
    names = schema.columns(table)
    present = [name for name in names if any(name in row for row in rows)]
    made = {name: pd.Series([row.get(name) for row in rows], dtype=object) for name in present}
    return schema.conform(table, pd.DataFrame(made, index=pd.RangeIndex(len(rows))))


def outcome(score: float | None, other: float | None) -> tuple[str, float | None, int]:
    """Status, result and whether it is rated, of a game between two players whose scores are known or not.

    0-0 was not played; 0 against a positive score is how a forfeit is written down.

    >>> outcome(400, 380), outcome(50, 0), outcome(0, 0), outcome(400, None)
    (('played', 1.0, 1), ('forfeit', 1.0, 0), ('unknown', None, 0), ('unknown', None, 0))
    """
    if score is None or other is None or (score == 0 and other == 0):
        return schema.UNKNOWN, None, 0
    result = 1.0 if score > other else 0.0 if score < other else 0.5
    if (score == 0 and other > 0) or (other == 0 and score > 0):
        return schema.FORFEIT, result, 0
    return schema.PLAYED, result, 1


def tell_zeros(
    score: float | None, other: float | None, who: Sequence[str], where: str, line: int, faults: Faults
) -> None:
    """Say what `outcome` makes of a score of 0: it may be meant, or stand for a score that nobody entered."""
    if score == 0 and other == 0:
        faults.warning(line, f"scores of {who[0]!r} and {who[1]!r}{where}", "0 to 0, taken as not played")
    elif score is not None and other is not None and outcome(score, other)[0] == schema.FORFEIT:
        absent, present = who if score == 0 else reversed(who)
        found = f"0 to {trim(max(score, other))}, taken as a forfeit and not rated"
        faults.warning(line, f"a score of {absent!r} against {present!r}{where}", found)


def rating_of(rating: float | None, deviation: float | None = None) -> tuple[float | None, float | None]:
    """Rating and deviation as filed; all zero is unrated.

    >>> rating_of(0, 0), rating_of(1500, 40), rating_of(0)
    ((None, None), (1500, 40), (None, None))
    """
    return (rating, deviation) if rating or deviation else (None, None)


def caps(values: Iterable[Any]) -> str | None:
    """The limits of the spread by round as the table holds them ("100;150"), or None where one is not a number.

    >>> caps([100, 150.0, "250"]), caps(["many"])
    ('100;150;250', None)
    """
    written = []
    for value in values:
        if isinstance(value, str):
            if not re.fullmatch(r"\d+(\.\d+)?", value.strip(), re.ASCII):
                return None
            value = float(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            return None
        written.append(f"{value:g}" if value < 1e6 else repr(value))
    return ";".join(written) or None


def same_pair(games: pd.DataFrame) -> pd.Series:
    """Of each game, the position of the first game between the same two in the same round (its own for the first)."""
    # names as numbers: a million names are compared once, not in every step
    codes, _ = pd.factorize(pd.concat([games["player"], games["opponent"]]))
    pair = codes.reshape(2, -1)
    place = games[["event", "section", "round"]].assign(low=pair.min(axis=0), high=pair.max(axis=0))
    position = pd.Series(np.arange(len(games)), index=games.index)
    again = place.duplicated(keep=False) & games["opponent"].notna() & games["player"].notna()
    return position.where(
        ~again, position[again].groupby([c for _, c in place[again].items()]).transform("min")
    ).astype("int64")


def on_lines(lines: Iterable[int]) -> str:
    """Where a fault stands that many lines have, in so many words.

    >>> on_lines([3]), on_lines([3, 4]), on_lines(range(10, 20))
    ('line 3', 'lines 3 and 4', 'lines 10, 11, 12, 13, 14 and 5 more')
    """
    first = list(map(str, dict.fromkeys(lines)))
    if len(first) == 1:
        return f"line {first[0]}"
    if len(first) > _SHOWN:
        return f"lines {', '.join(first[:_SHOWN])} and {len(first) - _SHOWN} more"
    return f"lines {', '.join(first[:-1])} and {first[-1]}"


def trim(number: float) -> str:
    """A number as a person would write it.

    >>> trim(400.0), trim(1500.5)
    ('400', '1500.5')
    """
    return str(int(number)) if number == int(number) else repr(number)
