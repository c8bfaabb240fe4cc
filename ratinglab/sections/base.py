"""What rules for sections are given and what they make: nothing here knows a rule."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import pandas as pd

from ratinglab.problems import UsageError

TABLE = ("player", "name", "grade", "rating", "section", "reason")
UNPLACED = "not known"  # the section of somebody whom the rules cannot place


@dataclass(frozen=True)
class Placed:
    """Who plays where.

    table: a row for each entrant, columns `TABLE`, the highest section first, in it by rating. sections: their names
    from the highest, those without entrants too. merges: sections too small to play, with the neighbour each could
    join (section, entrants, into, together, who); proposed, not done. look: entrants whom the director should look at
    (player, section, why). says: the rules in sentences.
    """

    table: pd.DataFrame
    sections: tuple[str, ...]
    merges: pd.DataFrame
    look: pd.DataFrame
    says: tuple[str, ...]


class Rules(ABC):
    """Rules by which entrants are put into sections; options are the fields of the dataclass."""

    name: ClassVar[str]
    co_winners: bool = True  # whether all who share the win of a section have won it

    @property
    def label(self) -> str:
        """The rules with the options that are not as usual."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}  # type: ignore[arg-type]
        words = {True: "yes", False: "no"}
        told = [f"{name}={words[value] if isinstance(value, bool) else value}" for name, value in own.items()]
        return self.name + (":" + ",".join(told) if told else "")

    @abstractmethod
    def place(self, field: pd.DataFrame) -> Placed:
        """The sections of a field (`entering.field_of`), in order of rating, equal ones by lot."""

    def one_of(self, option: str, known: Sequence[str]) -> None:
        """Raise `UsageError` where an option is not one of the known words."""
        if getattr(self, option) not in known:
            raise UsageError(f"{self.name}: {option} is one of {', '.join(known)}; found {getattr(self, option)}")


def made(field: pd.DataFrame, sections: Sequence[str], chosen: Sequence[str], reasons: Sequence[str]) -> pd.DataFrame:
    """The table of a field with these sections and reasons: the highest section first, the field's order in it."""
    table = field.assign(section=list(chosen), reason=list(reasons), name=field["player"])
    rank = {section: i for i, section in enumerate([*sections, UNPLACED])}
    table = table.assign(rank=table["section"].map(rank)).sort_values("rank", kind="stable")
    return table[list(TABLE)].reset_index(drop=True)


def small(
    table: pd.DataFrame, sections: Sequence[str], smallest: int, near: Mapping[str, Sequence[str]] | None = None
) -> pd.DataFrame:
    """The merges to propose: each section of fewer than `smallest` with the next above, the highest with that below.

    Where sections are no ladder, `near` says which others each may join, the best first. Only sections that are played
    count; a section that nobody entered needs no neighbour.
    """
    counts = table["section"].value_counts()
    played = [section for section in sections if counts.get(section, 0) > 0]
    rows = []
    for place, section in enumerate(played):
        if counts[section] >= smallest or len(played) == 1:
            continue
        others = [played[place - 1] if place else played[1]] if near is None else [*near[section], *played]
        into = next(other for other in others if other in played and other != section)
        who = "; ".join(table.loc[table["section"] == section, "player"])
        rows.append((section, int(counts[section]), into, int(counts[section] + counts[into]), who))
    return pd.DataFrame(rows, columns=["section", "entrants", "into", "together", "who"])


def rows(field: pd.DataFrame) -> Iterator[Any]:
    """The rows of a field, a tuple with names each."""
    yield from field.itertuples()


def looks(rows: Sequence[tuple[str, str, str]]) -> pd.DataFrame:
    """The table of those to be looked at, from (player, section, why); first whom the rules cannot place."""
    ordered = sorted(rows, key=lambda row: row[1] != UNPLACED)
    return pd.DataFrame(ordered, columns=["player", "section", "why"], dtype="str")
