"""In which section each child would play next, as of a day: for the child's own card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab.card import Place
from ratinglab.entrants import grades
from ratinglab.sections.base import UNPLACED
from ratinglab.sections.course import reached
from ratinglab.sections.evanston import BAND, LADDER, Evanston

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.replaying import Replay


def next_places(history: History, result: Replay, as_of: str | None = None) -> dict[str, Place]:
    """By player the section of the next tournament by Evanston's rules, and what leads to the one above.

    Of everybody who has played in a section Pawn to King by `as_of` (by default ever), from the rating, the grade last
    filed and the sections reached by then. A history without such sections has nobody.
    """
    before = history if as_of is None else history.between(until=as_of)
    course = reached(before, LADDER)
    if not course:
        return {}
    order = {event: i for i, event in enumerate(before.events["event"])}
    entries = before.entries.assign(order=before.entries["event"].map(order)).sort_values("order", kind="stable")
    grade = entries.dropna(subset="grade").groupby("player")["grade"].last()
    ratings = result.ratings(as_of=as_of).set_index("player")["rating"]
    steps: list[Any] = list(course.values())
    field = pd.DataFrame({"player": list(course)})
    field = field.assign(
        grade=field["player"].map(grade).astype("str"),
        rating=field["player"].map(ratings).astype("float64"),
        deviation=np.nan,
        national=np.nan,
        reached=pd.Series(steps, dtype="object"),
        **{
            name: pd.Series(None, index=field.index, dtype="str") for name in ("request", "override", "override_reason")
        },
    )
    field = field.assign(grade_number=grades(field["grade"]))
    table = Evanston().place(field).table.set_index("player")
    made = {}
    for player, section, reason, rating in table[["section", "reason", "rating"]].itertuples():
        if section == UNPLACED:
            continue
        above = LADDER.index(section) + 1
        top = above == len(LADDER)
        needed = np.nan if top else float(BAND * above)
        made[str(player)] = Place(section, reason, "" if top else LADDER[above], needed, needed - rating)
    return made
