"""What a person at a terminal sees: progress on long work, and tables that can be read."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

# Decimals to show; a column that is not here is shown as it is.
_DECIMALS = {
    "expected": 2, "before": 0, "deviation_before": 0, "base": 2, "acceleration": 2, "feedback": 2, "after": 0,
    "deviation_after": 0, "change": 0, "rating": 0, "deviation": 0, "peak": 0, "wins": 1,
    "bonus": 2, "floor": 2, "volatility_before": 4, "volatility_after": 4,
    "percentile": 2, "value": 2, "concordance": 3, "concordance_se": 3, "kendall_tau": 3, "kendall_tau_se": 3,
    "experienced_concordance": 3, "experienced_concordance_se": 3, "experienced_kendall_tau": 3,
    "experienced_kendall_tau_se": 3,
}  # fmt: skip
# of ratings on a scale of 0 to 100
FINE = dict.fromkeys(("before", "after", "change", "rating", "peak"), 2)


@contextlib.contextmanager
def progress(what: str, unit: str = "games") -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, silent where that is not a terminal; called with (done so far, in all)."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from tqdm import tqdm

    with tqdm(desc=what, unit=f" {unit}", unit_scale=True, leave=False) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show


def many(count: int, one: str, several: str = "") -> str:
    """A count with its noun.

    >>> many(1, "entry", "entries"), many(2, "entry", "entries"), many(0, "event")
    ('1 entry', '2 entries', '0 events')
    """
    return f"{count} {noun(count, one, several)}"


def noun(count: int, one: str, several: str = "") -> str:
    """The noun that goes with a count: one thing, or several, in `-s` unless it is given.

    >>> noun(1, "entry", "entries"), noun(0, "event")
    ('entry', 'events')
    """
    return one if count == 1 else several or f"{one}s"


def table_text(
    table: pd.DataFrame, heads: Mapping[str, str] | None = None, decimals: Mapping[str, int] | None = None
) -> str:
    """The table for reading: figures rounded and to the right, words to the left, missing as a dash.

    `decimals` are those of columns that are not shown as usual.
    """
    import pandas as pd

    columns = []
    for name in table.columns:
        values, digits = table[name], (decimals or {}).get(name, _DECIMALS.get(name))
        if values.dtype.kind == "M":
            cells = [value.strftime("%Y-%m-%d") if pd.notna(value) else "–" for value in values]
        elif digits is not None:
            cells = [f"{value:.{digits}f}" if pd.notna(value) else "–" for value in values]
        elif values.dtype.kind == "b":
            cells = ["–" if pd.isna(value) else "yes" if value else "" for value in values]
        else:
            cells = [str(value) if pd.notna(value) else "–" for value in values]
        head = (heads or {}).get(name, name.replace("_", " "))
        width = max(map(len, [head, *cells]))
        number = values.dtype.kind in "iufc" or (pd.api.types.is_extension_array_dtype(values.dtype) and (
            pd.api.types.is_numeric_dtype(values.dtype)
        ))  # fmt: skip
        columns.append([cell.rjust(width) if number else cell.ljust(width) for cell in [head, *cells]])
    return "\n".join("  ".join(row).rstrip() for row in zip(*columns, strict=True))
