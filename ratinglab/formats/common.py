"""What every reader needs: collecting faults, making frames of rows, and the rules of scores that formats share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from ratinglab import schema
from ratinglab.problems import ERROR, WARNING, Problem


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
    ordered = games["player"].le(games["opponent"]).fillna(False).astype(bool)
    low = games["player"].where(ordered, games["opponent"])
    high = games["opponent"].where(ordered, games["player"])
    group = [games["event"], games["section"], games["round"], low, high]
    position = pd.Series(range(len(games)), index=games.index)
    return position.groupby(group, dropna=True).transform("min").fillna(position).astype("int64")


def trim(number: float) -> str:
    """A number as a person would write it.

    >>> trim(400.0), trim(1500.5)
    ('400', '1500.5')
    """
    return str(int(number)) if number == int(number) else repr(number)
