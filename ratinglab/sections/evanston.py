"""The sections of the Evanston scholastic tournaments, Pawn to King, by grade and rating.

Source: "How players are seeded, rated and paired at Evanston Scholastic Chess tournaments", Specifics on Seeding
Players.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ratinglab.problems import UsageError
from ratinglab.sections.base import UNPLACED, Placed, Rules, looks, made, rows, small

LADDER = ("Pawn", "Knight", "Bishop", "Rook", "Queen", "King")
BAND = 200  # rating points of a section; King begins at 1000


def by_grade(grade: float) -> int | None:
    """The section of a grade (kindergarten 0), by its place on the ladder; None where the grade is not known.

    >>> [LADDER[by_grade(grade)] for grade in (0, 2, 3, 4, 5, 12)]
    ['Pawn', 'Pawn', 'Knight', 'Knight', 'Bishop', 'Bishop']
    """
    if np.isnan(grade):
        return None
    return 0 if grade < 3 else 1 if grade < 5 else 2


def by_rating(rating: float) -> int | None:
    """The section of a rating, by its place on the ladder; None without one.

    >>> [LADDER[by_rating(rating)] for rating in (-50, 199.9, 200, 999, 1000)]
    ['Pawn', 'Pawn', 'Knight', 'Queen', 'King']
    """
    if np.isnan(rating):
        return None
    return int(min(max(rating // BAND, 0), len(LADDER) - 1))


@dataclass(frozen=True)
class Evanston(Rules):
    """The higher of what grade and rating say; a section once reached is kept, who wins one moves up.

    co_winners: whether those who share a win all move up (the source does not say), or the first by tie-breaks alone.
    smallest: a section with fewer entrants is proposed to be merged. national_from: the lowest section for which the
    director is told that a national rating would say a higher one.
    """

    name: ClassVar[str] = "evanston"

    co_winners: bool = True
    smallest: int = 6
    national_from: str = "Rook"

    def __post_init__(self) -> None:
        """Options mean something."""
        self.one_of("national_from", LADDER)
        if self.smallest < 1:
            raise UsageError(f"{self.name}: smallest is 1 or more; found {self.smallest}")

    def place(self, field: pd.DataFrame) -> Placed:
        names = tuple(reversed(LADDER))
        chosen, reasons, look = [], [], []
        for row in rows(field):
            section, reason, why = self._one(row)
            chosen.append(UNPLACED if section is None else LADDER[section])
            reasons.append(reason)
            look += [(row.player, chosen[-1], one) for one in why]
        table = made(field, names, chosen, reasons)
        return Placed(table, names, small(table, names, self.smallest), looks(look), self._says())

    def _one(self, row: Any) -> tuple[int | None, str, list[str]]:
        """The section of an entrant, the reason, and what the director should look at."""
        grade, rating = by_grade(row.grade_number), by_rating(row.rating)
        why: list[str] = []
        if pd.notna(row.override):
            told = f"the director’s decision{f': {row.override_reason}' if pd.notna(row.override_reason) else ''}"
            if row.override in LADDER:
                return LADDER.index(row.override), told, why
            why.append(f"an override to {row.override}, which is no section")
        if grade is None and rating is None and row.reached is None:
            found = "" if pd.isna(row.grade) else f" (found grade {row.grade})"
            return None, f"neither grade nor rating known{found}", [*why, f"neither grade nor rating is known{found}"]
        if grade is None:
            why.append(f"no grade known{'' if pd.isna(row.grade) else f' (found {row.grade})'}")
        elif row.grade_number > 12:
            why.append(f"grade {row.grade}")
        section, reason = self._by_rules(row, grade, rating)
        if pd.notna(row.request):
            asked = LADDER.index(row.request) if row.request in LADDER else None
            if asked is None:
                why.append(f"the coach asks for {row.request}, which is no section")
            elif asked > section:
                section, reason = asked, "the coach asks for it"
            elif asked < section:
                why.append(f"the coach asks for {row.request}, which is lower: not granted")
        national = by_rating(row.national)
        if national is not None and national > section and national >= LADDER.index(self.national_from):
            why.append(f"the national rating {row.national:.0f} would say {LADDER[national]}")
        return section, reason, why

    def _by_rules(self, row: Any, grade: int | None, rating: int | None) -> tuple[int, str]:
        known = {
            "age": -1 if grade is None else grade,
            "rate": -1 if rating is None else rating,
            "kept": -1 if row.reached is None else row.reached.section,
        }
        section = max(known.values())
        won = row.reached is not None and row.reached.how.startswith("won")
        if known["kept"] == section and section > (known["age"] if won else max(known["age"], known["rate"])):
            return section, row.reached.how + ("" if won else ", and stays")
        if rating is None:
            return section, f"new, by grade ({row.grade})"
        if known["age"] == known["rate"]:
            return section, f"by grade ({row.grade}) and rating"
        if known["rate"] == section:
            return section, "by rating" if grade is None else "by rating (rated out of the grade’s section)"
        return section, f"by grade ({row.grade}; aged out of the rating’s section)"

    def _says(self) -> tuple[str, ...]:
        shared = "those who share the win too" if self.co_winners else "of those who share it the first by tie-breaks"
        return (
            "A section is the higher of what the grade and the rating say: Pawn grades K to 2 or below 200, Knight "
            "grades 3 and 4 or 200 to 399, Bishop grade 5 and up or 400 to 599, Rook 600 to 799, Queen 800 to 999, "
            "King 1000 and above (1000 itself is King).",
            f"Who wins a section plays in the next one at the following tournament ({shared}); in King one stays. A "
            "section once reached is kept, unless the director decides otherwise.",
            "Who is new is placed by grade, unless the coach asks for a higher section.",
            "Small sections are proposed to be merged; nobody is moved for it here.",
        )
