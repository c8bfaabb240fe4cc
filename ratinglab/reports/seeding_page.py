"""The page that seeds a tournament not yet played: teams, first round, what the ratings rest on, how they are made."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ratinglab import plots
from ratinglab.reports import html
from ratinglab.reports.html import Column, Link, many
from ratinglab.reports.material import Material, Seeded
from ratinglab.reports.page import Page
from ratinglab.reports.pages import shown
from ratinglab.schema import RATED
from ratinglab.seeding.drawing import NOT_CORRESPONDING, SAME_SCHOOL
from ratinglab.systems.glixo import Glixo


def seeding(m: Material, contact: str) -> Page:
    """The seeding of the last event that is an entry list and no more."""
    assert m.seeded_event is not None
    assert m.seeding_events is not None
    event = m.events[m.events["event"] == m.seeded_event].iloc[0]
    name = m.event_name(m.seeded_event)
    counted = m.seeding_events["games"] > 0
    rests, awaited = m.seeding_events[counted], m.seeding_events[~counted]
    entries = m.history.entries[m.history.entries["event"] == m.seeded_event]
    values: dict[str, Any] = {
        "event": event,
        "name": name,
        "sections": [_section(m, part, several=len(m.seeded) > 1) for part in m.seeded],
        "rests": _rests(m, rests),
        "awaited": _awaited(awaited),
        "teams": bool(entries["team"].notna().any()),
        "schools": bool(entries["school"].notna().any()),
        "contact": contact,
        "glixo": m.system if isinstance(m.system, Glixo) else None,
        "last_rated": rests["end_date"].max(),
    }
    return Page("seeding.html", f"Seeding of {name}", _headline(m), "seeding.html", values, short="Seeding")


def _headline(m: Material) -> str:
    entrants = sum(len(part.table) for part in m.seeded)
    clashes = sum(part.draw["gave_way"].str.contains(SAME_SCHOOL).sum() for part in m.seeded)
    first = m.seeded[0].table.iloc[0]
    told = f"{many(entrants, 'entrant')}, first seed {first['name']} ({shown(first['rating'], first['deviation'])})"
    if any(part.table["school"].notna().any() for part in m.seeded):
        told += (
            f"; {many(clashes, 'first-round game')} within a school"
            if clashes
            else "; no first-round game within a school"
        )
    return told


def _section(m: Material, part: Seeded, *, several: bool) -> dict[str, Any]:
    word = f"section {part.section}" if several else ""
    anchor = f"-{html.slug(part.section)}" if several else ""
    unrated = part.table["note"].str.contains("unrated")
    return {
        "title": word.capitalize(),
        "anchor": anchor,
        "seeding": _seeding_table(m, part.table, f"Seeding, {word}" if several else "Seeding", f"seeding{anchor}"),
        "draw": _draw_table(part, f"First round, {word}" if several else "First round", f"draw{anchor}"),
        "picture": _picture(part.table, unrated, f"seeds{anchor}"),
        "entrants": len(part.table),
        "unrated": int(unrated.sum()),
        "lots": int(part.table["note"].str.contains("by lot").sum()),
        "moved": int(part.draw["gave_way"].str.contains(NOT_CORRESPONDING).sum()),
        "clashes": int(part.draw["gave_way"].str.contains(SAME_SCHOOL).sum()),
        "bye": part.draw.loc[part.draw["opponent"].isna(), "player"].tolist(),
    }


def _seeding_table(m: Material, table: pd.DataFrame, caption: str, anchor: str) -> html.Table:
    def has(column: str) -> bool:
        return bool(table[column].notna().any())

    columns = [
        Column("Seed", table["seed"], "whole"),
        Column("Team" if has("members") else "Player", table["name"], "name", heads=True),
        *([Column("Members", table["members"], "names")] if has("members") else []),
        *([Column("School", table["school"])] if has("school") else []),
        Column("Rating", table["rating"], "whole"),
        *([Column("±", table["deviation"], "pm")] if m.has_deviation else []),
        *(
            [
                Column(
                    "Above next",
                    table["p_above_next"],
                    "percent",
                    about="probability of being stronger than the next seed",
                )
            ]
            if has("p_above_next")
            else []
        ),
        Column("Last rated", table["as_of"], "day", about="the last event that the rating rests on"),
        Column("Note", table["note"], "lines"),
    ]
    return html.table(anchor, caption, columns, csv="tables/seeding.csv", most=len(table))


def _draw_table(part: Seeded, caption: str, anchor: str) -> html.Table:
    number_of = dict(zip(part.table["name"], part.table["seed"], strict=True))
    told = {NOT_CORRESPONDING: "moved to keep schools apart", SAME_SCHOOL: "same school, cannot be avoided"}
    notes = ["; ".join(told[rule] for rule in gave.split("; ") if rule) for gave in part.draw["gave_way"]]
    columns = [
        Column("Board", part.draw["board"], "whole"),
        Column("Seed", part.draw["player"].map(number_of), "whole"),
        Column("Top half", part.draw["player"], "name", heads=True),
        Column("Seed", part.draw["opponent"].map(number_of), "whole"),
        Column("Bottom half", part.draw["opponent"].fillna("bye"), "name"),
        *([Column("Note", notes)] if any(notes) else []),
    ]
    return html.table(anchor, caption, columns, csv="tables/draw.csv", most=len(part.draw))


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


def _rests(m: Material, rests: pd.DataFrame) -> html.Table:
    links = [Link(m.event_files[event], m.event_name(event)) for event in rests["event"]]
    columns = [
        Column("Event", links, heads=True),
        Column("Date", rests["end_date"], "day"),
        *([Column("Pool", rests["pool"])] if rests["pool"].notna().any() else []),
        Column("Rated games", rests["games"], "whole"),
        *([Column("State", rests["availability"])] if (rests["availability"] != RATED).any() else []),
        Column(
            "Entrants here", rests["seeded_entrants"], "whole", about="how many of the people seeded here took part"
        ),
    ]
    return html.table("rests", "Rated events, in the order of their dates", columns, csv="tables/seeding-events.csv")


def _awaited(awaited: pd.DataFrame) -> html.Table | None:
    if awaited.empty:
        return None
    columns = [
        Column("Event", awaited["name"].fillna(awaited["event"]), heads=True),
        *([Column("Date", awaited["date"], "day")] if awaited["date"].notna().any() else []),
        *([Column("Place", awaited["place"])] if awaited["place"].notna().any() else []),
        Column("State", awaited["availability"]),
        *([Column("Note", awaited["note"])] if awaited["note"].notna().any() else []),
    ]
    return html.table(
        "awaited", "Known events whose results are awaited or incomplete", columns, csv="tables/seeding-events.csv"
    )
