"""The sections of the yearly Evanston Championships, by grade.

Source: "How players are seeded, rated and paired at Evanston Scholastic Chess tournaments". It names the sections and
does not say who plays in a reserve section: that is an option.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from ratinglab.sections.base import UNPLACED, Placed, Rules, looks, made, rows, small

GRADES = (("K-1", 0, 1), ("2-3", 2, 3), ("4-5", 4, 5), ("6-8", 6, 8))
SECTIONS = (
    "6-8 championship", "4-5 championship", "4-8 reserve", "2-3 championship", "2-3 reserve", "K-1 championship",
)  # fmt: skip
RESERVE = {"2-3": "2-3 reserve", "4-5": "4-8 reserve", "6-8": "4-8 reserve"}
# whom a section too small to play could join: its own grades first, then the next older, then the next younger
NEAR = {
    "6-8 championship": ("4-8 reserve", "4-5 championship"),
    "4-5 championship": ("4-8 reserve", "6-8 championship", "2-3 championship"),
    "4-8 reserve": ("4-5 championship", "6-8 championship"),
    "2-3 championship": ("2-3 reserve", "4-5 championship", "K-1 championship"),
    "2-3 reserve": ("2-3 championship", "4-8 reserve", "K-1 championship"),
    "K-1 championship": ("2-3 reserve", "2-3 championship"),
}
RESERVES = ("none", "lower-half", "below", "requested")


@dataclass(frozen=True)
class Championship(Rules):
    """By grade; who plays in a reserve section is `reserve`.

    reserve: none; lower-half (of each of the grades 2-3, 4-5 and 6-8 the lower half by rating, who is unrated last);
    below (whose rating is below `below`, and who has none); requested (who asks for it, coach_request). smallest: a
    section with fewer entrants is proposed to be merged.
    """

    name: ClassVar[str] = "evanston-championship"

    reserve: str = "none"
    below: float = 400.0
    smallest: int = 6

    def __post_init__(self) -> None:
        """The word is known."""
        self.one_of("reserve", RESERVES)

    def place(self, field: pd.DataFrame) -> Placed:
        groups = [_group(grade) for grade in field["grade_number"]]
        reserve = self._reserves(field, groups)
        chosen, reasons, look = [], [], []
        for row, group, second in zip(rows(field), groups, reserve, strict=True):
            if group is None:
                chosen.append(UNPLACED)
                known = pd.notna(row.grade)
                reasons.append(f"grade {row.grade} is in no section" if known else "grade not known")
            elif second:
                chosen.append(RESERVE[group])
                reasons.append(f"grade {row.grade}, {self._why()}")
            else:
                chosen.append(f"{group} championship")
                reasons.append(f"grade {row.grade}")
            if pd.notna(row.override):
                if row.override in SECTIONS:
                    chosen[-1] = row.override
                    why = f": {row.override_reason}" if pd.notna(row.override_reason) else ""
                    reasons[-1] = f"the director’s decision{why}"
                else:
                    look.append((row.player, chosen[-1], f"an override to {row.override}, which is no section"))
            if chosen[-1] == UNPLACED:
                look.append((row.player, UNPLACED, reasons[-1]))
        table = made(field, SECTIONS, chosen, reasons)
        return Placed(table, SECTIONS, small(table, SECTIONS, self.smallest, NEAR), looks(look), self._says())

    def _reserves(self, field: pd.DataFrame, groups: list[str | None]) -> list[bool]:
        """Whether each entrant plays in a reserve section; the field is in order of rating."""
        group = pd.Series(groups, index=field.index, dtype="object")
        may = group.isin(list(RESERVE)).to_numpy()
        if self.reserve == "lower-half":
            order = field.assign(group=group).groupby("group")["rating"].rank(method="first", ascending=False)
            unrated = field["rating"].isna()
            rated = field.assign(group=group)["rating"].notna().groupby(group).transform("sum")
            place = order.where(~unrated, rated + unrated.groupby(group).cumsum())
            size = group.groupby(group).transform("size")
            return list(may & (place > np.ceil(size.astype(float) / 2)).fillna(False).to_numpy(dtype=bool))
        if self.reserve == "below":
            return list(may & ~(field["rating"] >= self.below).to_numpy())
        if self.reserve == "requested":
            return list(may & field["request"].fillna("").str.contains("reserve", case=False).to_numpy())
        return [False] * len(field)

    def _why(self) -> str:
        return {
            "lower-half": "the lower half by rating",
            "below": f"rated below {self.below:g}, or unrated",
            "requested": "asked for",
        }[self.reserve]

    def _says(self) -> tuple[str, ...]:
        reserve = "Nobody is put into a reserve section." if self.reserve == "none" else (
            f"In reserve (grades 2-3, and 4-8) play: {self._why()}."
        )  # fmt: skip
        return (
            "The championship is by grade: K-1, 2-3, 4-5 and 6-8.",
            f"{reserve} The source does not say who plays in reserve: this is the committee’s choice.",
        )


def _group(grade: float) -> str | None:
    return next((name for name, first, last in GRADES if first <= grade <= last), None)
