"""What a cell of a table holds, by the kind of its column."""

from __future__ import annotations

import math
import re
from typing import Any

from ratinglab import dates

_WHOLE = re.compile(r"[+-]?\d{1,15}(?:\.0*)?", re.ASCII)
_REAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_FRACTIONS = {"½": 0.5, "1/2": 0.5, "1½": 1.5}


def parse_cell(cell: str, kind: str, comma: bool = False) -> tuple[Any, str | None]:
    """The value of a cell that is not empty, or None and what was expected.

    `comma`: the decimal mark may be a comma, as spreadsheets write it where semicolons or tabs part the cells.

    >>> parse_cell("07", "whole"), parse_cell("07", "text"), parse_cell("1,5", "real"), parse_cell("1,5", "real", True)
    ((7, None), ('07', None), (None, 'a number'), (1.5, None))
    """
    if comma and kind in ("whole", "real") and cell.count(",") == 1 and "." not in cell:
        cell = cell.replace(",", ".")
    if kind == "text":
        return cell, None
    if kind == "whole":
        return (int(float(cell)), None) if _WHOLE.fullmatch(cell) else (None, "a whole number")
    if kind == "real":
        value = float(cell) if _REAL.fullmatch(cell) else _FRACTIONS.get(cell, math.nan)
        return (value, None) if math.isfinite(value) else (None, "a number")
    days = dates.span(cell)
    return (days[0], None) if days else (None, dates.EXPECTED)
