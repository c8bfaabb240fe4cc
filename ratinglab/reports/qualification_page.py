"""The page that says who qualifies by rating: the rule in words, the border, the lists, who is excluded and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from ratinglab.qualifying import ALTERNATE, BELOW, EXCLUDED, PEAK, QUALIFIED, Qualification
from ratinglab.reports import html
from ratinglab.reports.html import Column, many
from ratinglab.reports.page import Page

if TYPE_CHECKING:
    from ratinglab.privacy import Protected

_HIDDEN = ("peak_date", "rating_date", "games", "events", "last_event", "provisional", "active", "reason")
_CAPTIONS = {QUALIFIED: "Qualified", ALTERNATE: "Alternates", BELOW: "Below", EXCLUDED: "Left out"}


def page(made: Qualification, protected: Protected | None = None) -> Page:
    """The page, with every table beside it; in public of protected people no more than label, ratings and rank."""
    table = shown(made, protected)
    lists = made.lists if protected is None else protected.drop(made.lists, "player")
    data = {"qualification.csv": table, "lists.csv": lists}
    if not len(lists):
        del data["lists.csv"]
    values: dict[str, Any] = {
        "made": made,
        "first": f"{made.dates[0]:%Y-%m-%d}",
        "last": f"{made.dates[-1]:%Y-%m-%d}",
        "tables": [_table(part, state) for state in _CAPTIONS if len(part := table[table["status"] == state])],
        "chances": bool(table["p_above_border"].notna().any()),
        "protection": () if protected is None else protected.says,
        "files": list(data),
    }
    title = "Qualification by rating"
    return Page("qualification.html", title, headline(made), "qualification.html", values, data=data)


def shown(made: Qualification, protected: Protected | None = None) -> pd.DataFrame:
    """The table as it may be shown."""
    public = protected is not None and protected.public
    return protected.blank(made.table, *_HIDDEN) if protected is not None and public else made.table


def headline(made: Qualification) -> str:
    """How many qualify, and the border, in a sentence."""
    told = f"{many(len(made.of(QUALIFIED)), 'player')} of {len(made.table)} on the lists qualify by "
    told += "peak rating" if made.rule.by == PEAK else "current rating"
    if made.border is None:
        return told
    last, first = (html.cell(value, "whole") for value in made.border)
    return f"{told}; the last of them has {last}, the first who misses {first}"


def _table(part: pd.DataFrame, state: str) -> html.Table:
    def has(column: str) -> bool:
        return bool(part[column].notna().any())

    columns = [
        *([Column("Rank", part["rank"], "whole")] if state != EXCLUDED else []),
        Column("Player", part["player"], "name", heads=True),
        Column("Peak", part["peak"], "whole", about="the highest rating on these lists"),
        *(
            [Column("On", part["peak_date"], "day", about="the day of the list with the peak")]
            if has("peak_date")
            else []
        ),
        Column("Current", part["rating"], "whole", about="on the latest of these lists that the player is on"),
        *([Column("±", part["deviation"], "pm")] if has("deviation") else []),
        *([Column("Games", part["games"], "whole", about="lifetime, or within the window")] if has("games") else []),
        *([Column("Margin", part["margin"], "signed", about="points from the border")] if has("margin") else []),
        *(
            [Column("In the top", part["p_in_top"], "percent", about="chance of truly being among the best")]
            if has("p_in_top")
            else []
        ),
        *([Column("Why", part["reason"].fillna(""), "lines")] if part["reason"].fillna("").ne("").any() else []),
    ]
    return html.table(state, f"{_CAPTIONS[state]}: {many(len(part), 'player')}", columns, csv="qualification.csv")
