"""The page that a committee votes on: the proposal's figures as tables and pictures, under the answer in words.

The sentences are made in `decision_answer` and `decision_words`, the tables in `decision_tables`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from ratinglab import plots
from ratinglab.proposals.list_changes import RATING
from ratinglab.proposals.proposing import CURRENT, PROPOSED
from ratinglab.reports import decision_answer
from ratinglab.reports import decision_words as words
from ratinglab.reports.decision_tables import groups, tables
from ratinglab.reports.html import svg
from ratinglab.reports.page import Page

if TYPE_CHECKING:
    from markupsafe import Markup

    from ratinglab.output import Content
    from ratinglab.proposals.proposing import Proposal


def page(p: Proposal, *, title: str | None = None, variants: pd.DataFrame | None = None) -> Page:
    """The page, with decision.json and every table as CSV beside it; `title` stands above it."""
    data: dict[str, Content] = {**p.files, "decision.json": p.key_figures()}
    if variants is not None:
        data["variants.csv"] = variants
    history = p.current.schedule.history
    dates = history.events["end_date"].dropna()
    entries, people = history.entries, history.players
    pupils = any(table[name].notna().any() for table in (entries, people) for name in ("grade", "school"))
    shown = groups(p)
    values = {
        "p": p,
        "question": words.question(p),
        "answer": decision_answer.answer(p),
        "limits": words.limits(p, int((shown["low"].notna() & (shown["difference"] != 0)).sum())),
        "pupils": pupils,
        "first": dates.min(),
        "last": dates.max(),
        "systems": _systems(p),
        "tables": tables(p, variants),
        "pictures": _pictures(p),
        "same_groups": list(shown.loc[shown["difference"] == 0, "group"]),
        "level_says": words.level_says(p),
        "rated_says": words.rated_says(p),
        "ranks_say": words.ranks_say(p),
        "examples": [words.example(one) for one in p.why],
    }
    title = title or words.title_of(p)
    return Page("decision.html", title, decision_answer.headline(p), "decision.html", values, data=data)


def _systems(p: Proposal) -> list[dict[str, Any]]:
    """What both systems are called."""
    return [
        {"which": which, "name": one.system.name, "spoken": words.spoken(one.system)}
        for which, one in (("Now", p.current), ("Proposed", p.proposed))
    ]


def _pictures(p: Proposal) -> Mapping[str, Markup]:
    made: dict[str, Markup] = {}
    unsettled = p.players["provisional"] if "provisional" in p.players else pd.Series(False, index=p.players.index)
    changes = pd.DataFrame({"current": p.players["current"], "change": p.changes, "unsettled": unsettled})
    figure, axes = plots.figure(7.2, 3.4)
    label = "change on one scale" if p.scales.differ else "change"
    of_points = p.lines.loc[p.lines["kind"] == RATING, "line"].tolist()
    plots.rating_changes(changes, axes[0], lines=of_points, label=label)
    counted = p.gains()
    told = f"{counted['gain']} players gain, {counted['lose']} lose, {counted['unchanged']} stay."
    made["changes"] = svg(
        plots.figure_svg(figure, name="changes", title="Change of each player by rating", description=told)
    )

    apart = groups(p)
    apart = apart[apart["difference"] != 0]
    if len(apart):
        figure, axes = plots.figure(5.4, 0.9 + 0.24 * len(apart))
        plots.group_differences(apart, axes[0], label="log loss, proposed less now, a game")
        told = "; ".join(
            f"{row['group']}: {words.signed(row['difference'], 4)} ({words.span(row['low'], row['high'], 4)})"
            for _, row in apart.iterrows()
        )
        made["groups"] = svg(
            plots.figure_svg(figure, name="groups", title="Difference in log loss by group", description=told)
        )

    levels = p.tables.get("levels")
    cohort = p.tables.get("cohort")
    if levels is not None and len(levels["date"].unique()) > 1:
        figure, axes = plots.figure(7.2, 3.3, 1, 2, sharex=True, sharey=True)
        for axis, which, word in zip(axes, (CURRENT, PROPOSED), ("now", "under the proposal"), strict=True):
            own = None if cohort is None else cohort[cohort["which"] == which]
            plots.titled(plots.level(levels[levels["which"] == which], axis, cohort=own), word)
        axes[1].set_ylabel("")
        if (legend := axes[1].get_legend()) is not None:
            legend.remove()
        told = " ".join(words.level_says(p)) or "Ratings of all active players over time."
        made["levels"] = svg(plots.figure_svg(figure, name="level", title="Ratings over time", description=told))
    if cohort is not None and len(cohort["date"].unique()) > 1:
        figure, axes = plots.figure(6.4, 2.8)
        plots.cohorts(cohort, axes[0], names=("now", "under the proposal"))
        level = decision_answer.level(p)
        told = level.text if level is not None else "The mean of the same settled players over time."
        made["cohort"] = svg(plots.figure_svg(figure, name="cohort", title="Drift of a fixed cohort", description=told))

    sections = p.tables.get("sections")
    if sections is not None and "excess" in sections and sections["excess"].notna().any():
        figure, axes = plots.figure(6.4, 3.0)
        named = {"now": CURRENT, "under the proposal": PROPOSED}
        plots.by_seed({word: sections[sections["which"] == which] for word, which in named.items()}, axes[0])
        part = sections[sections["position"] == "part"]
        told = "; ".join(
            f"part {place} {which}: {words.signed(excess, 3)}"
            for which, place, excess in part[["which", "place", "excess"]].itertuples(index=False)
        )
        made["sections"] = svg(plots.figure_svg(figure, name="seeds", title="Excess wins by seed", description=told))
    return made
