"""An entry list put into sections by rules: the field with what the rules need to know of it, and the outcome."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from ratinglab import schema
from ratinglab.entrants import grades
from ratinglab.sections.base import Placed, Rules, looks
from ratinglab.sections.course import reached
from ratinglab.sections.evanston import LADDER
from ratinglab.seeding.making import make_seeding

if TYPE_CHECKING:
    from ratinglab.history import History, Source
    from ratinglab.privacy import Protected
    from ratinglab.replaying import Progress, Replay
    from ratinglab.seeding.choice import Rule
    from ratinglab.seeding.entry_lists import Entered
    from ratinglab.systems.base import System

DETAILS = (
    "player", "school", "grade", "rating", "deviation", "rating_source", "as_of", "national", "reached", "how",
    "request", "override", "override_reason", "section", "reason",
)  # fmt: skip


@dataclass(frozen=True)
class Sections:
    """Who plays where at an event, as it is published.

    placed: the outcome; details: a row for each entrant with what it rests on (columns `DETAILS`; empty in public).
    withdrawn: who was entered and is not placed. public, says: as of `Seeding`.
    """

    event: str
    name: str
    date: pd.Timestamp
    rules: Rules
    system: System
    placed: Placed
    details: pd.DataFrame
    withdrawn: tuple[str, ...]
    pupils: bool
    public: bool
    says: tuple[str, ...]
    has_deviation: bool
    sources: tuple[Source, ...]

    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table by the name of its file; those that would be empty are left out."""
        made = {"sections.csv": self.placed.table, "assignments.csv": self.details}
        return {
            name: table
            for name, table in (made | {"merges.csv": self.placed.merges, "look.csv": self.placed.look}).items()
            if len(table) or name == "sections.csv"
        }


def make_sections(
    entered: Entered,
    rules: Rules,
    system: System,
    *,
    rule: Rule | None = None,
    seed: int = 0,
    start: str = "filed",
    replayed: Replay | None = None,
    protected: Protected | None = None,
    progress: Progress | None = None,
) -> Sections:
    """Put an entered event (`seeding.entry_lists.entered`) into sections; the sections that it files play no part.

    Ratings are those before the event, of the kind that `rule` chooses; equal ones stand in an order drawn from `seed`.
    Sections reached follow from the events before. `protected` as in `make_seeding`: in public nothing is said of
    protected people but their label, rating and section.
    """
    shown = protected if protected is not None and protected.public else None
    entered = replace(entered, history=_undivided(entered.history, entered.event))
    if shown is not None:
        shown = replace(shown, history=_undivided(shown.history, entered.event))
    made = make_seeding(
        entered, system, rule=rule, seed=seed, start=start, replayed=replayed, protected=shown, progress=progress
    )
    history = entered.history if shown is None else shown.history
    field = field_of(history, entered.event, made.seeding, made.choices, co_winners=rules.co_winners)
    placed = rules.place(field)
    details = placed.table[["player", "section", "reason"]].merge(field, on="player", how="left")
    sections: list[Any] = [None if one is None else LADDER[one.section] for one in details["reached"]]
    details = details.assign(reached=sections)
    details = details[list(DETAILS)]
    if shown is not None:
        placed, details = _for_the_public(placed, shown), details.iloc[:0]
    return Sections(
        event=made.event,
        name=made.name,
        date=made.date,
        rules=rules,
        system=system,
        placed=placed,
        details=details,
        withdrawn=made.withdrawn,
        pupils=made.pupils,
        public=made.public,
        says=made.says,
        has_deviation=made.has_deviation,
        sources=made.sources,
    )


def field_of(
    history: History, event: str, seeding: pd.DataFrame, choices: pd.DataFrame, *, co_winners: bool = True
) -> pd.DataFrame:
    """The entrants in the order of the seeding, with what rules may ask of them.

    player, school, grade (as filed; of a team those of its members), grade_number (kindergarten 0, of a team the
    highest), rating and deviation (missing of the unrated), start (where the system puts them), rating_source, as_of,
    national (a national rating, where there is one), reached and how (`course.reached`), request, override,
    override_reason.
    """
    entries = history.entries[history.entries["event"] == event]
    unit = entries["team"].fillna(entries["player"])
    known = entries.assign(unit=unit, grade_number=grades(entries["grade"])).groupby("unit", sort=False)
    facts = pd.DataFrame(
        {
            "grade": known["grade"].agg(_joined),
            "grade_number": known["grade_number"].max(),
            **{
                name: known[column].first()
                for name, column in (
                    ("request", "coach_request"),
                    ("override", "section_override"),
                    ("override_reason", "override_reason"),
                )
            },
        }
    )
    national = choices[choices["kind"] == "national"].dropna(subset="rating")
    best = national.groupby(national["team"].fillna(national["player"]))["rating"].max()
    before = history.only(_earlier(history, event))
    course = reached(before, LADDER, co_winners=co_winners)
    steps: list[Any] = [course.get(player) for player in seeding["name"]]
    how: list[Any] = [None if one is None else one.how for one in steps]
    kept = ["player", "school", "rating", "deviation", "rating_source", "as_of"]
    field = seeding.rename(columns={"name": "player"})[kept]
    field = field.join(facts, on="player")
    unrated = field["rating_source"].eq("unrated")
    return field.assign(
        start=field["rating"],
        rating=field["rating"].mask(unrated),
        deviation=field["deviation"].mask(unrated),
        national=field["player"].map(best).astype("float64"),
        reached=pd.Series(steps, dtype="object", index=field.index),
        how=how,
    )


def _joined(grades: pd.Series) -> Any:
    """The different grades of a team's members."""
    return "; ".join(dict.fromkeys(map(str, grades.dropna()))) or None


def _earlier(history: History, event: str) -> list[str]:
    """The events before this one, in time order."""
    listed = list(history.events["event"])
    return listed[: listed.index(event)]


def _undivided(history: History, event: str) -> History:
    """The history with the event's entries in one section: which they play in is what is asked."""
    mine = history.entries["event"] == event
    section = history.entries["section"].mask(mine, schema.SECTION)
    return replace(history, entries=history.entries.assign(section=section))


def _for_the_public(placed: Placed, protected: Protected) -> Placed:
    table = placed.table
    shut = ~protected.is_open(table["player"])
    table = table.assign(grade=table["grade"].mask(shut), reason=table["reason"].mask(shut, ""))
    return replace(placed, table=table, merges=placed.merges.assign(who=None), look=looks([]))
