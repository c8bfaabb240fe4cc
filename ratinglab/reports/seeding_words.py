"""What the page on a seeding says in sentences: the answer, the draw, the choice between ratings, examples by hand."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

import pandas as pd
from markupsafe import Markup

from ratinglab.reports.html import cell, many, number
from ratinglab.seeding.choice import CONVERTED, REPLAY, UNRATED
from ratinglab.systems.base import short

if TYPE_CHECKING:
    from ratinglab.seeding.making import Seeded, Seeding
    from ratinglab.systems.base import System

FEWEST = 5  # people of whom a number is told in public


def shown(rating: float, deviation: float) -> str:
    """A rating as readers see it: 1717 ± 40."""
    return cell(rating, "whole") + ("" if pd.isna(deviation) else f" ± {cell(deviation, 'whole')}")


def headline(made: Seeding) -> str:
    """The answer in a sentence: how many, who is first, and how the first round came out."""
    who = "team" if made.teams else "player"
    entrants = sum(len(part.table) for part in made.sections)
    clashes = sum(part.drawn.clashes for part in made.sections)
    if len(made.sections) > 1:
        told = f"{many(entrants, who)} in {many(len(made.sections), 'section')}"
    else:
        first = made.sections[0].table.iloc[0]
        told = f"{many(entrants, who)}, first seed {first['name']} ({shown(first['rating'], first['deviation'])})"
    if made.schools:
        told += f"; {many(clashes, 'first-round game') if clashes else 'no first-round game'} within a school"
    return told


def overview(made: Seeding) -> list[str]:
    """How many people there are, on what their ratings rest, who is unrated, who has withdrawn."""
    kinds = made.kinds
    rated = int(kinds.drop(UNRATED, errors="ignore").sum())
    unrated = made.people - rated
    told = []
    if made.teams:
        told.append(f"The {many(sum(len(p.table) for p in made.sections), 'team')} have {made.people} members.")
    if unrated:
        has = "has no rating" if unrated == 1 else "have no rating"
        told.append(
            f"{many(rated, 'person', 'people')} {'has' if rated == 1 else 'have'} a rating; {unrated} {has} of any "
            "kind and stand where the system puts somebody of whom nothing is known."
        )
    else:
        told.append("All of them have a rating.")
    if made.withdrawn:
        told.append(f"Withdrawn and not seeded: {'; '.join(made.withdrawn)}.")
    return told


# --- the draw ---------------------------------------------------------------------------------------------------------


def draw(made: Seeding, part: Seeded) -> list[str]:
    """How the first round was made, and what gave way in it."""
    drawn, teams = part.drawn, "teams" if made.teams else "players"
    if drawn.pairing.startswith("nssc"):
        told = [
            f"Corresponding {teams} of the top and the bottom half meet: seed 1 plays the first of the bottom half, "
            "and so on."
        ]
    else:
        told = [f"The round was paired by {drawn.pairing}: {drawn.says}"]
    if made.schools and drawn.schools_apart:
        told += _apart(made, part, teams)
    elif made.schools:
        told.append(f"Schools were not heeded; {_games(drawn.clashes)} within a school.")
    if drawn.sits_out:
        told.append(f"The field is odd: {' and '.join(drawn.sits_out)} sits out.")
    return told


def _apart(made: Seeding, part: Seeded, teams: str) -> list[str]:
    drawn = part.drawn
    if not drawn.keeps_apart:
        return [f"This system cannot keep schools apart; {_games(drawn.clashes)} within a school."]
    told = []
    if not drawn.clashes:
        told.append(f"No two {teams} of one school meet.")
    elif drawn.clashes <= drawn.forced:
        told.append(
            f"One school has more than half of the field, so {_games(drawn.clashes)} within a school; any draw has as "
            "many."
        )
    else:
        told.append(f"{_games(drawn.clashes).capitalize()} within a school, as few as this way of drawing allows.")
    if drawn.moved:
        told.append(
            f"To keep schools apart, the opponents on {many(drawn.moved, 'board')} are not the corresponding ones; all "
            "moves together are as short as can be."
        )
    return told


def _games(count: int) -> str:
    return f"{many(count, 'game')} {'is' if count == 1 else 'are'}"


# --- events -----------------------------------------------------------------------------------------------------------


def told_one_by_one(made: Seeding) -> pd.DataFrame:
    """The rated events of the seeded event's pool, or all where there is no such pool or few others."""
    rests = made.rests[made.rests["counts"] == 1]
    own = rests["pool"].eq(made.pool) if made.pool else pd.Series(data=False, index=rests.index)
    if not own.any() or (~own).sum() < 1:
        return rests
    return rests[own]


def other_events(made: Seeding) -> Markup:
    """The rated events that are not told one by one, in a sentence; empty where all are."""
    rests = made.rests[made.rests["counts"] == 1]
    others = rests[~rests["event"].isin(told_one_by_one(made)["event"])]
    if others.empty:
        return Markup()
    pools = list(others["pool"].dropna().unique())
    what = f" ({', '.join(pools)})" if pools and others["pool"].notna().all() else ""
    begun, days = others["date"].dropna(), others["end_date"].dropna()
    when = Markup(" from {} to {}").format(_day(begun.min()), _day(days.max())) if len(days) else ""
    return (
        Markup("{}{}").format(many(len(others), "other rated event"), what)
        + when
        + f", with {number(others['games'].sum())} rated "
        f"{'games' if made.system.rates == 'games' else 'places'}"
    )


def _day(day: pd.Timestamp) -> Markup:
    """A day that is not broken over two lines."""
    return Markup('<span class="d">{}</span>').format(cell(day, "day"))


# --- ratings ----------------------------------------------------------------------------------------------------------


def chosen(made: Seeding) -> list[str]:
    """The rule between ratings, and how many stand at a rating of each kind."""
    words = {REPLAY: f"from the replay by {made.system.label}", UNRATED: "unrated"}
    counts = [f"{count} {words.get(str(kind), kind)}" for kind, count in made.kinds.items()]
    told = [made.rule.says, f"Of {many(made.people, 'person', 'people')} seeded here: {', '.join(counts)}."]
    if made.converted is not None:
        told.append(
            f"National ratings of those rated elsewhere only are brought to the scale {made.converted.scale} "
            f"({made.kinds.get(CONVERTED, 0)} here)."
        )
        told += made.converted.says
    if made.has_deviation:
        told.append(
            "A rating that was filed without a deviation starts with the system’s own "
            f"±{short(made.system.value('initial_deviation'))}."
        )
    if made.hidden:
        told.append("Ratings of single pupils are not shown.")
    return told


def parameters(system: System) -> str:
    """The parameters of a system in a line."""
    return ", ".join(f"{name} = {short(value)}" for name, value in system.parameters().items())


# --- by hand ----------------------------------------------------------------------------------------------------------


def team_example(made: Seeding) -> list[str]:
    """The team formula worked on a team of the seeding, or where none can be shown on figures of no one's, in lines."""
    if not made.teams:
        return []
    if made.example is None:
        members: Sequence[Any] = [(1700.0, 40.0), (1300.0, 40.0)]
        begin = "For example, two members"
    else:
        seed, of = made.example
        members = [(one.rating, one.deviation) for one in of]
        name = made.sections[0].table.loc[made.sections[0].table["seed"] == seed, "name"].iloc[0]
        begin = f"For example, seed {seed}, {name}: {' and '.join(one.name for one in of)}"
    sure = made.has_deviation
    ratings = [rating for rating, _ in members]
    best, mean = max(ratings), sum(ratings) / len(ratings)
    each = " and ".join(f"{_figure(r)}{f' ± {_figure(d)}' if sure else ''}" for r, d in members)
    if len(members) == 1:
        return [f"{begin}, at {each}, plays alone: the team stands at that rating."]
    told = [
        f"{begin}, at {each}. The best less 100 is {_figure(best - 100)}, the mean {_figure(mean)}: the team stands at "
        f"the greater, {_figure(max(best - 100, mean))}."
    ]
    if sure:
        squares = " + ".join(f"{_figure(d)}²" for _, d in members)
        total = sqrt(sum(d * d for _, d in members))
        told.append(f"Its ± is √({squares}) = {_figure(total)}.")
        told.append(f"Rounded: {shown(max(best - 100, mean), total)}.")
    return told


def chance_example(made: Seeding) -> str:
    """The probability of standing above the next seed, worked on the first two."""
    table = made.sections[0].table
    if not made.has_deviation or len(table) < 2:
        return ""
    one, other = table.iloc[0], table.iloc[1]
    return (
        f"Of seeds 1 and 2: Φ(({_figure(one['rating'])} − {_figure(other['rating'])})/√({_figure(one['deviation'])}² + "
        f"{_figure(other['deviation'])}²)) = {cell(one['p_above_next'], 'percent')}."
    )


def _figure(value: float) -> str:
    return f"{value:.1f}".replace("-", "−")
