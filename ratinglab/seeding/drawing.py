"""The first round of a seeding.

In the manner of the 2012 National School SCRABBLE Championship the corresponding teams of the two halves meet, schools
apart. Pairing the later rounds is no part of this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ratinglab.problems import UsageError

if TYPE_CHECKING:
    from ratinglab.periods import Bools

# What can give way in a first round.
SAME_SCHOOL, NOT_CORRESPONDING = "same school", "corresponding halves"

_DRAW = ("round", "board", "player", "opponent", "first", "gave_way")


def first_round(seeding: pd.DataFrame, *, schools_apart: bool = True, bye: str = "lowest") -> pd.DataFrame:
    """The first round of a seeding, as the table `draw.csv` holds: seed 1 against seed n/2 + 1, and so on down.

    With `schools_apart`, two teams of one school do not meet where that can be avoided, and opponents are moved as few
    places as possible in all to avoid it, see `pairing.nssc.draw`. In an odd field the lowest seed sits out, on the
    last board, whatever its school; with `bye="apart"` the lowest whose absence leaves fewest games within a school.
    `gave_way` names what could not be kept: "corresponding halves" where an opponent was moved, "same school" where a
    school plays itself. Raises `UsageError` for another `bye`.
    """
    from ratinglab.pairing.nssc import BYES, draw

    if bye not in BYES:
        raise UsageError(f"bye must be one of {', '.join(BYES)}; found {bye}")
    clash = _same_school(seeding["school"]) & schools_apart
    opponent, moved = draw(clash, bye=bye)
    name = seeding["name"].to_numpy()
    pairs = [(one, other) for one, other in enumerate(opponent.tolist()) if one < other]
    rows: list[tuple[object, ...]] = [
        (1, board, name[one], name[other], None, _gave_way(moved=moved[one] > 0, same=bool(clash[one, other])))
        for board, (one, other) in enumerate(pairs, 1)
    ]
    rows.extend((1, len(pairs) + 1, name[alone], None, None, "") for alone in np.flatnonzero(opponent < 0))
    drawn = pd.DataFrame(rows, columns=list(_DRAW))
    return drawn.astype({"round": "int64", "board": "int64", "first": "Int64"})


def _gave_way(*, moved: bool, same: bool) -> str:
    return "; ".join(rule for rule, gave in ((NOT_CORRESPONDING, moved), (SAME_SCHOOL, same)) if gave)


def _same_school(column: pd.Series) -> Bools:
    """Whether two different teams have a school in common, (teams, teams); a team may come from two."""
    schools = [
        {part.strip().casefold() for part in str(text).split(";")} - {""} if pd.notna(text) else set()
        for text in column
    ]
    same = [[bool(a & b) and i != j for j, b in enumerate(schools)] for i, a in enumerate(schools)]
    return np.array(same, dtype=bool).reshape(len(schools), len(schools))
