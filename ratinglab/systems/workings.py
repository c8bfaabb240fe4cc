"""What an update writes down about itself when somebody asks how a rating was made.

An update that is given `Workings` tells them every figure it uses, in the order in which it uses them: what is known
before (`inputs`), what each game contributes (`games`), which rules act (`rule`). Whatever adds up to the new rating is
called `points`; the sum of all points of an entry is its change. `ratinglab.explaining` makes a worked computation of
it. Nothing is computed here: these are the update's own arrays. The batch of an update with workings is
`told_from_both_sides`, so that its `lines` are the `directed` ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ratinglab.periods import Batch

INPUTS, GAMES, RULE, PART = "inputs", "games", "rule", "part"


@dataclass(frozen=True)
class Step:
    """One note: its kind, a name, arrays by column, and a sentence that says what the rule is.

    Columns are (lines, p) over `batch.directed` in a step of games, and (entries, p) or (entries,) in all others.
    `when` (entries,) is where it acts at all; None: wherever its points are not 0.
    """

    kind: str
    name: str
    batch: Batch
    columns: dict[str, Any]
    because: str = ""
    when: Any = None


@dataclass
class Workings:
    """The steps of one update, in order."""

    steps: list[Step] = field(default_factory=list)

    def inputs(self, batch: Batch, **columns: Any) -> None:
        """Figures that the update starts from, beside the state before: K, lifetime games, effective games …"""
        self.steps.append(Step(INPUTS, "", batch, columns))

    def games(self, batch: Batch, name: str = "", because: str = "", when: Any = None, **columns: Any) -> None:
        """What each game gives, a row for each line of `batch.directed`.

        Known columns: `opponent_rating`, `opponent_deviation`, `expected`, `points` (of rating), `information` (added
        to 1/deviation²); others are shown under their own names. `name` parts games that are gone through twice.
        """
        rows = len(batch.directed.entry)
        checked = {
            column: np.broadcast_to(np.asarray(values), (rows, *np.shape(values)[1:]))
            for column, values in columns.items()
        }
        self.steps.append(Step(GAMES, name, batch, checked, because, when))

    def rule(self, batch: Batch, name: str, points: Any, because: str, when: Any = None, **columns: Any) -> None:
        """A rule that moves the rating by `points` (entries, p); `when` tells also of a rule that moves nothing."""
        self.steps.append(Step(RULE, name, batch, {"points": points, **columns}, because, when))

    def rule_of(self, batch: Batch, who: Any, name: str, points: Any, because: str) -> None:
        """A rule that is about some entries alone: `who` (n,), and their points (n, p)."""
        everybody = np.zeros((len(batch.person), points.shape[1]))
        everybody[who] = points
        about = np.zeros(len(batch.person), dtype=bool)
        about[who] = True
        self.rule(batch, name, everybody, because, when=about)

    def part(self, batch: Batch, first: Any, last: Any) -> None:
        """A segment begins: the first and last round of it, (entries,)."""
        self.steps.append(Step(PART, "", batch, {"first": first, "last": last}))
