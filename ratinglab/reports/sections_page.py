"""The page of a tournament's sections: who plays where and why, what is proposed, whom the director should look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from ratinglab.reports import html
from ratinglab.reports.html import Column, many
from ratinglab.reports.page import Page
from ratinglab.sections.base import UNPLACED

if TYPE_CHECKING:
    from ratinglab.sections.assigning import Sections

# what of a reason is not its kind, and what stands for it where reasons are counted
_DETAILS = (
    (r"^won .*", "won the section below"),
    (r"^(?:has played in|was entered for) .*", "has reached it before, and stays"),
    (r"^placed by the director in .*", "placed in it by the director before"),
    (r": .*", ""),
    (r" \([^;()]*\)", ""),
    (r"\([^()]*; ", "("),
)


def page(made: Sections) -> Page:
    """The page, with every table beside it."""
    placed = made.placed
    names = [*placed.sections, UNPLACED]
    counts = placed.table["section"].value_counts()
    values: dict[str, Any] = {
        "made": made,
        "protection": made.says,
        "counts": _counts(placed.table, names),
        "reasons": None if made.public else _reasons(placed.table),
        "lists": [_list(made, name) for name in names if counts.get(name, 0)],
        "merges": _merges(placed.merges, public=made.public) if len(placed.merges) else None,
        "look": _look(placed.look) if len(placed.look) else None,
        "moved": int(placed.table["reason"].fillna("").str.startswith("won ").sum()),
        "files": list(made.tables()),
    }
    return Page(
        "sections.html",
        f"Sections of {made.name}",
        headline(made),
        "sections.html",
        values,
        short="Sections",
        data=made.tables(),
    )


def headline(made: Sections) -> str:
    """How many play where, in a sentence."""
    table = made.placed.table
    counts = table["section"].value_counts()
    told = ", ".join(f"{name} {counts[name]}" for name in made.placed.sections if counts.get(name, 0))
    out = f"{many(len(table), 'entrant')}: {told or 'nobody placed'}"
    if unplaced := int(counts.get(UNPLACED, 0)):
        out += f"; {many(unplaced, 'entrant')} cannot be placed by the rules"
    if len(made.placed.merges):
        out += f"; merging proposed for {many(len(made.placed.merges), 'small section')}"
    return out


def _counts(table: pd.DataFrame, names: list[str]) -> html.Table:
    listed = [name for name in names if name != UNPLACED or table["section"].eq(UNPLACED).any()]
    by = {name: table[table["section"] == name] for name in listed}
    columns = [
        Column("Section", listed, heads=True),
        Column("Entrants", [len(by[name]) for name in listed], "whole"),
        Column("Highest", [by[name]["rating"].max() for name in listed], "whole", about="highest rating"),
        Column("Lowest", [by[name]["rating"].min() for name in listed], "whole", about="lowest rating"),
        Column("Unrated", [int(by[name]["rating"].isna().sum()) for name in listed], "whole"),
    ]
    return html.table("counts", "Entrants by section", columns, csv="sections.csv")


def _reasons(table: pd.DataFrame) -> html.Table | None:
    """How many play where they play for what reason, without its details; None where all have the same."""
    told = table["reason"]
    for pattern, instead in _DETAILS:
        told = told.str.replace(pattern, instead, regex=True)
    counts = told.value_counts()
    if len(counts) < 2:
        return None
    columns = [Column("Reason", counts.index, heads=True), Column("Entrants", counts, "whole")]
    return html.table("reasons", "Entrants by reason", columns)


def _list(made: Sections, name: str) -> html.Table:
    part = made.placed.table[made.placed.table["section"] == name]
    reasons = part["reason"].fillna("")
    columns = [
        Column("Player", part["player"], "name", heads=True),
        *([Column("Grade", part["grade"])] if part["grade"].notna().any() else []),
        Column("Rating", part["rating"], "whole", about="empty: unrated"),
        *([Column("Reason", reasons)] if reasons.ne("").any() else []),
    ]
    title = "Not placed" if name == UNPLACED else name
    return html.table(f"section-{html.slug(name)}", f"{title}: {many(len(part), 'entrant')}", columns)


def _merges(table: pd.DataFrame, *, public: bool) -> html.Table:
    columns = [
        Column("Section", table["section"], heads=True),
        Column("Entrants", table["entrants"], "whole"),
        Column("Could join", table["into"]),
        Column("Together", table["together"], "whole"),
        *([] if public else [Column("Who", table["who"], "lines")]),
    ]
    return html.table("merges", "Small sections", columns, csv="merges.csv")


def _look(table: pd.DataFrame) -> html.Table:
    columns = [
        Column("Player", table["player"], "name", heads=True),
        Column("Section", table["section"]),
        Column("Why", table["why"]),
    ]
    return html.table("look", "For the director to look at", columns, csv="look.csv")
