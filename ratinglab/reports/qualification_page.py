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
_FILES = {"qualification.csv": "everybody, with unrounded figures", "lists.csv": "the ratings on every list"}
_MOST_NAMED = 8
_CAPTIONS = {QUALIFIED: "Qualified", ALTERNATE: "Alternates", BELOW: "Below", EXCLUDED: "Left out"}


def page(made: Qualification, protected: Protected | None = None, *, pupils: bool = False) -> Page:
    """The page, with every table beside it; in public of protected people no more than label, ratings and rank.

    `pupils`: whether people at school are named.
    """
    table = shown(made, protected)
    lists = made.lists if protected is None else protected.drop(made.lists, "player")
    data = {"qualification.csv": table, "lists.csv": lists}
    if not len(lists):
        del data["lists.csv"]
    values: dict[str, Any] = {
        "made": made,
        "pupils": pupils and (protected is None or not protected.public),
        "border": border(made),
        "first": f"{made.dates[0]:%Y-%m-%d}",
        "last": f"{made.dates[-1]:%Y-%m-%d}",
        "tables": [_table(part, state) for state in _CAPTIONS if len(part := table[table["status"] == state])],
        "chances": bool(table["p_above_border"].notna().any()),
        "protection": () if protected is None else protected.says,
        "files": [(name, _FILES[name]) for name in data],
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
    digits = next((d for d in ("", "1", "2") if len({html.cell(v, f"real{d}") for v in made.border}) > 1), "")
    last, first = (html.cell(value, f"real{digits}") for value in made.border)
    return f"{told}; the last of them has {last}, the first who misses {first}"


def border(made: Qualification) -> list[str]:
    """The border in sentences: between whom it lies, how sure it is, and who was left out above it."""
    inside, outside = made.of(QUALIFIED), made.of(ALTERNATE, BELOW)
    told = []
    if inside.empty:
        return ["Nobody on the lists meets the rule."]
    if outside.empty:
        told.append(f"Only {many(len(inside), 'player')} may qualify, so nobody misses.")
    else:
        last, first = inside.iloc[-1], outside.iloc[0]
        values = [html.cell(one[made.value], "whole") for one in (last, first)]
        short = -float(first["margin"])
        told.append(
            f"The last who qualifies is {last['player']} ({values[0]}), the first who misses {first['player']} "
            f"({values[1]}), "
            + (f"{html.number(short, 1 if short < 10 else 0)} points short." if short else "who is level; see why.")
        )
        if first["p_above_border"] == first["p_above_border"]:
            told.append(
                f"By the latest ratings and their ± the chance that {first['player']} is truly stronger than "
                f"{last['player']} is {html.cell(first['p_above_border'], 'percent')}."
            )
        if inside["p_in_top"].notna().all():
            told.append(
                f"Of the {len(inside)} who qualify {html.number(inside['p_in_top'].sum(), 1)} are to be expected among "
                f"the {made.rule.top} truly strongest of those who may qualify."
            )
    above = made.of(EXCLUDED)
    above = above[(above["would_rank"] <= made.rule.top).fillna(False)]
    if len(above):
        names = "; ".join(above["player"][:_MOST_NAMED])
        others = len(above) - _MOST_NAMED
        told.append(
            f"{many(len(above), 'player')} with a rating for the first {made.rule.top} "
            f"{'is' if len(above) == 1 else 'are'} left out: {names}{f' and {others} more' if others > 0 else ''}."
        )
    return told


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
        *(
            [Column("Above border", part["p_above_border"], "percent", about="chance of truly being above the border")]
            if has("p_above_border") and state in (QUALIFIED, ALTERNATE)
            else []
        ),
        *([Column("Would be", part["would_rank"], "whole", about="rank if not left out")] if has("would_rank") else []),
        *([Column("Why", part["reason"].fillna(""), "lines")] if part["reason"].fillna("").ne("").any() else []),
    ]
    return html.table(state, f"{_CAPTIONS[state]}: {many(len(part), 'player')}", columns, csv="qualification.csv")
