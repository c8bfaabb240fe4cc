"""What is wrong with an input, said so that somebody can mend it.

A reader never stops at the first fault: it collects a `Problem` for each and goes on with what can be used.
`InputError` carries problems that leave nothing to go on with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

ERROR = "error"
WARNING = "warning"


@dataclass(frozen=True, order=True)
class Problem:
    """One fault: where it stands, what was expected there and what was found.

    `line` and `column` are 1-based; 0 means the whole file (or the whole line).
    """

    file: str
    line: int
    column: int
    severity: str
    expected: str
    found: str

    def __str__(self) -> str:
        where = self.file
        if self.line:
            where += f":{self.line}"
            if self.column:
                where += f":{self.column}"
        return f"{where}: {self.severity}: expected {self.expected}; found {self.found}"


def at_row(row: Any, severity: str, expected: str, found: str) -> Problem:
    """A problem of a table's row (with `file` and `line`, either of which may be missing), where the row was read."""
    import pandas as pd

    file = "" if pd.isna(row.file) else str(row.file)
    return Problem(file, 0 if pd.isna(row.line) else int(row.line), 0, severity, expected, found)


class InputError(Exception):
    """Input that cannot be read at all, with every reason for it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        """As another process hands it over: by its problems, of which the message is made."""
        return type(self), (self.problems,)


class UsageError(Exception):
    """A wrong option, parameter or value; the message lists the known ones."""


def problems_table(problems: Iterable[Problem]) -> pd.DataFrame:
    """The problems as the table `problems.csv` holds, in the order of file and line."""
    import pandas as pd

    columns = ["file", "line", "column", "severity", "expected", "found"]
    rows = [[getattr(problem, column) for column in columns] for problem in sorted(set(problems))]
    return pd.DataFrame(rows, columns=columns)
