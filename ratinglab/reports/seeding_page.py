"""The page that seeds a tournament not yet played: teams, first round, what the ratings rest on, how they are made.

Its model is the page of the 2012 National School SCRABBLE Championship. It stands alone (`ratinglab seed`) or in a
report.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab import plots
from ratinglab.reports import html, seeding_words
from ratinglab.reports.html import Column, Link, many
from ratinglab.reports.page import Page
from ratinglab.schema import RATED
from ratinglab.seeding.choice import UNRATED
from ratinglab.seeding.drawing import NOT_CORRESPONDING, SAME_SCHOOL
from ratinglab.seeding.seeding import BY_LOT
from ratinglab.systems.glixo import Glixo

if TYPE_CHECKING:
    from ratinglab.seeding.making import Seeded, Seeding

_MOST_CHOICES = 200  # people with several ratings who are shown; the file has them all
_NOTES = {
    NOT_CORRESPONDING: "moved",
    SAME_SCHOOL: "same school",
}


def page(made: Seeding, contact: str = "", links: Mapping[str, str] | None = None) -> Page:
    """The page, with every table beside it.

    `contact` is whom readers are told to write to, `links` the addresses of the pages on events, from this page.
    """
    data = made.tables()
    values: dict[str, Any] = {
        "made": made,
        "who": "team" if made.teams else "player",
        "overview": seeding_words.overview(made),
        "sections": [_section(made, part) for part in made.sections],
        "rests": _rests(made, links or {}),
        "others": seeding_words.other_events(made),
        "awaited": _awaited(made),
        "choices": _choices(made),
        "chosen": seeding_words.chosen(made),
        "odd": _odd(made),
        "example": seeding_words.team_example(made),
        "chance": seeding_words.chance_example(made),
        "contact": contact,
        "glixo": made.system if isinstance(made.system, Glixo) else None,
        "formula": type(made.system).formula(),
        "parameters": seeding_words.parameters(made.system),
    }
    return Page(
        "seeding.html",
        f"Seeding of {made.name}",
        seeding_words.headline(made),
        "seeding.html",
        values,
        short="Seeding",
        data=data,
    )


def _section(made: Seeding, part: Seeded) -> dict[str, Any]:
    several = len(made.sections) > 1
    word = f", section {part.section}" if several else ""
    anchor = f"-{html.slug(part.section)}" if several else ""
    unrated = part.table["note"].str.contains(UNRATED)
    return {
        "title": word.removeprefix(", ").capitalize(),
        "anchor": anchor,
        "seeding": _seeding_table(made, part.table, f"Seeding{word}", f"seeding{anchor}"),
        "draw": _draw_table(part, f"First round{word}", f"draw{anchor}"),
        "drawn": seeding_words.draw(made, part),
        "picture": _picture(part.table, unrated, f"seeds{anchor}"),
        "entrants": len(part.table),
        "unrated": int(unrated.sum()),
        "lots": int(part.table["note"].str.contains(BY_LOT).sum()),
    }


def _seeding_table(made: Seeding, table: pd.DataFrame, caption: str, anchor: str) -> html.Table:
    def has(column: str) -> bool:
        return bool(table[column].notna().any())

    # that somebody is unrated is in the note
    sources = {one for text in table["rating_source"] for one in text.split("; ")} - {UNRATED}
    above = "probability of being stronger than the next seed"
    columns = [
        Column("Seed", table["seed"], "whole"),
        Column("Team" if made.teams else "Player", table["name"], "name", heads=True),
        *([Column("Members", table["members"], "names")] if has("members") else []),
        *([Column("School", table["school"])] if has("school") else []),
        Column("Rating", table["rating"], "whole"),
        *([Column("±", table["deviation"], "pm", about="the deviation of the rating")] if has("deviation") else []),
        *([Column("Above next", table["p_above_next"], "percent", about=above)] if has("p_above_next") else []),
        *([Column("Rating from", table["rating_source"], "lines")] if len(sources) > 1 else []),
        Column("As of", table["as_of"], "day", about="the last day that the rating rests on"),
        Column("Note", table["note"], "lines"),
    ]
    return html.table(anchor, caption, columns, csv="seeding.csv", most=len(table))


def _draw_table(part: Seeded, caption: str, anchor: str) -> html.Table:
    seed = dict(zip(part.table["name"], part.table["seed"], strict=True))
    draw, own = part.drawn.draw, part.drawn.reasons["own"]
    heads = ("Top half", "Bottom half") if part.drawn.pairing.startswith("nssc") else ("Player", "Opponent")
    if draw["first"].notna().any():
        heads = ("White", "Black") if part.drawn.has_colours else ("Goes first", "Goes second")
    notes = []
    for gave_way, why in zip(draw["gave_way"], own, strict=True):
        rules = "; ".join(_NOTES.get(rule, rule) for rule in gave_way.split(";") if rule)
        notes.append(f"{rules.capitalize()}. {why}" if rules else "" if heads[0] == "Top half" else why)
    columns = [
        Column("Board", draw["board"], "whole"),
        Column("Seed", draw["player"].map(seed), "whole"),
        Column(heads[0], draw["player"], "name", heads=True),
        Column("Seed", draw["opponent"].map(seed), "whole"),
        Column(heads[1], draw["opponent"].fillna("sits out"), "name"),
        *([Column("Why", notes, "lines")] if any(notes) else []),
    ]
    return html.table(anchor, caption, columns, csv="draw.csv", most=len(draw))


def _picture(table: pd.DataFrame, unrated: pd.Series, name: str) -> Any:
    figure, axes = plots.figure(7.6, 2.9)
    plots.seeds(table.assign(unrated=unrated), axes[0])
    first, last = table.iloc[0], table.iloc[-1]
    described = (
        f"Effective ratings from {html.cell(first['rating'], 'whole')} (seed 1) "
        f"to {html.cell(last['rating'], 'whole')} (seed {last['seed']})"
    )
    if table["deviation"].notna().any():
        described += (
            f", with deviations from {html.cell(table['deviation'].min(), 'whole')} "
            f"to {html.cell(table['deviation'].max(), 'whole')}"
        )
    if unrated.any():
        described += f"; {many(int(unrated.sum()), 'entrant')} with an unrated member"
    return html.svg(plots.figure_svg(figure, name=name, title="Effective rating by seed", description=described + "."))


def _rests(made: Seeding, links: Mapping[str, str]) -> html.Table | None:
    """The rated events one by one; of a championship of a pool those of its pool, the others are summed up in words."""
    rests = seeding_words.told_one_by_one(made)
    if rests.empty:
        return None
    names = rests["name"].fillna(rests["event"])
    titles = [Link(links[e], name) if e in links else name for e, name in zip(rests["event"], names, strict=True)]
    here = rests["entrants_here"].astype("float64")
    shown = [html.cell(value, "whole") or f"below {seeding_words.FEWEST}" for value in here]
    columns = [
        Column("Event", titles, heads=True),
        Column("Date", rests["end_date"], "day"),
        Column("Rated games" if made.system.rates == "games" else "Places", rests["games"], "whole"),
        *([Column("State", rests["availability"])] if (rests["availability"] != RATED).any() else []),
        Column("Entrants here", shown if here.isna().any() else here, "figures" if here.isna().any() else "whole",
               about="how many of the people seeded here took part"),
    ]  # fmt: skip
    return html.table("rests", "Rated events, in the order of their dates", columns, csv="events.csv")


def _awaited(made: Seeding) -> html.Table | None:
    awaited = made.rests[made.rests["counts"] == 0]
    if awaited.empty:
        return None
    columns = [
        Column("Event", awaited["name"].fillna(awaited["event"]), heads=True),
        *([Column("Date", awaited["date"], "day")] if awaited["date"].notna().any() else []),
        *([Column("Place", awaited["place"])] if awaited["place"].notna().any() else []),
        Column("State", awaited["availability"].replace({"awaited": "not yet received"})),
        *([Column("Note", awaited["note"], "lines")] if awaited["note"].notna().any() else []),
    ]
    return html.table("awaited", "Known events that do not count yet", columns, csv="events.csv")


def _choices(made: Seeding) -> html.Table | None:
    """Who has several ratings: all of them, and which counts."""
    table = made.choices
    place = ["section", "player", "team"] if "section" in table else ["player", "team"]
    people = [of for _, of in table.groupby(place, sort=False, dropna=False) if len(of) > 1]
    if not people:
        return None
    taken = pd.DataFrame([of[of["taken"] == 1].iloc[0] for of in people])
    columns = [
        Column("Player", taken["player"], "name", heads=True),
        *([Column("Team", taken["team"])] if taken["team"].notna().any() else []),
        Column("Ratings", ["; ".join(map(_rating, of.to_dict("records"))) for of in people], "lines"),
        Column("Counts", taken["kind"]),
        Column("Because", [why.partition(": ")[2] for why in taken["why"]]),
    ]
    return html.table(
        "choices",
        "Who has more than one rating, and which counts",
        columns,
        csv="choices.csv",
        most=_MOST_CHOICES,
    )


def _rating(one: Mapping[Any, Any]) -> str:
    sure = "" if np.isnan(one["deviation"]) else f" ±{one['deviation']:.0f}"
    day = "" if pd.isna(one["as_of"]) else f", {one['as_of']:%Y-%m-%d}"
    return f"{one['source']}: {one['rating']:.0f}{sure}{day}"


def _odd(made: Seeding) -> html.Table | None:
    problems = made.problems
    if problems.empty:
        return None
    where = [
        f"{file}:{line}" if line else str(file) for file, line in zip(problems["file"], problems["line"], strict=True)
    ]
    columns = [
        Column("Where", where, heads=True),
        Column("What", problems["severity"]),
        Column("Expected", problems["expected"]),
        Column("Found", problems["found"]),
    ]
    return html.table("odd", "What is odd in the entries", columns, csv="problems.csv", most=len(problems))
