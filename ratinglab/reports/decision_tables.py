"""The tables on the page of a proposal, with what is now and what is proposed beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab.comparison.subsets import UNKNOWN
from ratinglab.proposals.list_changes import RATING, UP
from ratinglab.proposals.proposing import CURRENT, PROPOSED
from ratinglab.reports import decision_words as words
from ratinglab.reports import html
from ratinglab.reports.html import Column
from ratinglab.schema import SECTION

if TYPE_CHECKING:
    from ratinglab.proposals.proposing import Proposal

ENDS = 10  # players shown of those who gain most, and of those who lose most
# Kinds of groups on the page, with their headings; the others are in the CSV.
_KINDS = {
    "experience": "Experience", "juniors": "Age", "top": "Strength", "pool": "Pool", "division": "Division",
    "grade": "Grade", "year": "Year",
}  # fmt: skip
_READS = {
    "better": "better", "worse": "worse", "open": "cannot be told", "few": "too few events",
    "same": "the same", "unknown": "not known",
}  # fmt: skip
_EXPERIENCE = {"all": "all", "settled": "settled (50 games or more)"}


def tables(p: Proposal, variants: pd.DataFrame | None = None) -> dict[str, html.Table]:
    """Every table of the page by its name; without those of which there is nothing to show."""
    made = {
        "parameters": _parameters(p),
        "forecasts": _forecasts(p),
        "subsets": _subsets(p),
        "gainers": _ends(p, "gain", ENDS),
        "losers": _ends(p, "lose", ENDS),
        "players": _everybody(p),
        "lines": _lines(p),
        "crossings": _crossings(p),
        "top": _top(p),
        "levels": _levels(p),
        "cohort": _cohort(p),
        "volatility": _volatility(p),
        "sections": _by_seed(p),
        "winners": _winners(p),
        "variants": None if variants is None else _variants(variants),
        "variant_levels": None if variants is None else _variant_levels(variants),
    }
    return {name: table for name, table in made.items() if table is not None}


# --- forecasts --------------------------------------------------------------------------------------------------------


def _parameters(p: Proposal) -> html.Table | None:
    differing = words.changed(p)
    if not differing:
        return None
    names, now, then, meanings = zip(*differing, strict=True)
    columns = [
        Column("Parameter", names, "name", heads=True),
        Column("Now", now, "figures"),
        Column("Proposed", then, "figures"),
    ]
    columns += [Column("What it is", meanings)] if any(meanings) else []
    return html.table("parameters", "What differs", columns)


def _forecasts(p: Proposal) -> html.Table:
    table = p.forecasts[p.forecasts["metric"].isin(words.METRICS)]
    cells: dict[str, list[str]] = {name: [] for name in ("title", "now", "then", "difference", "interval", "reads")}
    for _, row in table.iterrows():
        title, digits, unit, more = words.METRICS[row["metric"]]
        cells["title"].append(f"{title} ({unit})")
        for name, which in (("now", CURRENT), ("then", PROPOSED)):
            error = row[f"{which}_se"]
            told = words.real(row[which], digits)
            cells[name].append(told if np.isnan(error) else f"{told} ± {words.real(error, digits)}")
        cells["difference"].append(words.signed(row["difference"], digits))
        same = row["difference"] == 0 and np.isnan(row["low"])
        cells["interval"].append("" if same else words.span(row["low"], row["high"], digits))
        cells["reads"].append("" if more is None else _READS[words.verdict(row)])
    columns = [
        Column("Measure", cells["title"], heads=True),
        Column("Now", cells["now"], "figures"),
        Column("Proposed", cells["then"], "figures"),
        Column("Difference", cells["difference"], "figures"),
        Column("95 % interval", cells["interval"], "figures"),
        Column("Proposal is", cells["reads"]),
    ]
    games = "pairs of entrants" if p.by_order else "rated games"
    caption = f"Forecasts of the same {html.number(p.games)} {games} of {html.many(p.events, 'event')}"
    return html.table("forecasts", caption, columns, csv="forecasts.csv")


def groups(p: Proposal) -> pd.DataFrame:
    """The groups of games that the page shows: of kinds with several, without those of whom it is not known."""
    table = p.subsets[p.subsets["kind"].isin(_KINDS)]
    several = table.groupby("kind")["subset"].transform("size") > 1
    table = table[several & (table["subset"] != UNKNOWN)]
    order = table["kind"].map({kind: place for place, kind in enumerate(_KINDS)})
    table = table.assign(order=order, group=[_group(*of) for of in zip(table["kind"], table["subset"], strict=True)])
    return table.sort_values("order", kind="stable")


def _group(kind: str, subset: str) -> str:
    if (kind, subset) == ("division", SECTION):
        return "events without divisions"
    return f"{kind} {subset}" if kind in ("pool", "division") else subset


def _subsets(p: Proposal) -> html.Table | None:
    table = groups(p)
    table = table[table["difference"] != 0]
    if not len(table):
        return None
    columns = [
        Column("", table["kind"].map(_KINDS), about="kind of group"),
        Column("Games of", table["group"], heads=True),
        Column("Games", table["games"], "whole"),
        Column("Events", table["events"], "whole"),
        Column("Now", table[CURRENT], "real4"),
        Column("Proposed", table[PROPOSED], "real4"),
        Column("Difference", table["difference"], "signed4"),
        Column("95 % interval", _spans(table, 4), "figures"),
        Column("Proposal is", [_READS[words.verdict(row)] for _, row in table.iterrows()]),
    ]
    return html.table("subsets", "Log loss a game in groups of games (lower is better)", columns, csv="subsets.csv")


def _spans(table: pd.DataFrame, digits: int, low: str = "low", high: str = "high") -> list[str]:
    return [words.span(a, b, digits) for a, b in zip(table[low], table[high], strict=True)]


# --- players ----------------------------------------------------------------------------------------------------------


def _names(table: pd.DataFrame, name: str = "player") -> list[str]:
    """Players' names, with a word for those whose rating is provisional."""
    provisional = table["provisional"] if "provisional" in table else pd.Series(False, index=table.index)
    return [f"{player} (provisional)" if new else player for player, new in zip(table[name], provisional, strict=True)]


def _player_columns(p: Proposal, table: pd.DataFrame) -> list[Column]:
    points = f"real{p.digits}" if p.digits else "whole"
    counted = "games" if "games" in table else "events"
    columns = [
        Column("Player", _names(table), "name", heads=True),
        Column(counted.capitalize(), table[counted], "whole", about=f"rated {counted} in this history"),
        Column("Now", table["current"], points),
        Column("Proposed", table["proposed"], points),
        Column("Change", table["difference"], f"signed{p.digits}", about="points"),
    ]
    if p.scales.differ:
        columns.append(
            Column("On one scale", table["relative"], f"signed{p.digits}", about="points of the current scale")
        )
    return [
        *columns,
        Column("Rank now", table["current_rank"], "whole"),
        Column("Rank proposed", table["proposed_rank"], "whole"),
        Column("Places", table["places"], "signed", about="places gained"),
    ]


def _ends(p: Proposal, word: str, most: int) -> html.Table | None:
    table = p.ranked
    table = table[table["change"] >= p.least] if word == "gain" else table[table["change"] <= -p.least][::-1]
    if not len(table):
        return None
    caption = f"Who {word}s most, of the players with a rank"
    return html.table(f"{word}ers", caption, _player_columns(p, table.head(most)))


def _everybody(p: Proposal) -> html.Table:
    caption = "Every listed player"
    return html.table("players", caption, _player_columns(p, p.players), csv="players.csv", sortable=True, most=1000)


def _line(kind: str, line: float) -> str:
    return f"{line:g} points" if kind == RATING else f"top {line:g}"


def _lines(p: Proposal) -> html.Table:
    table = p.lines
    named = [_line(kind, line) for kind, line in zip(table["kind"], table["line"], strict=True)]
    columns = [
        Column("Line", named, "name", heads=True),
        Column("Reach it now", table["current"], "whole"),
        Column("Proposed", table["proposed"], "whole"),
        Column("Come over it", table["up"], "whole"),
        Column("Fall below it", table["down"], "whole"),
    ]
    if table["equal_line"].notna().any():
        points = f"real{p.digits}" if p.digits else "whole"
        columns.append(Column("As many reach", table["equal_line"], points, about="the rating that as many reach then"))
    return html.table("line-counts", "Lines, and how many reach them", columns, csv="line_counts.csv")


def _crossings(p: Proposal) -> html.Table | None:
    table = p.crossings
    if not len(table):
        return None
    points = f"real{p.digits}" if p.digits else "whole"
    columns = [
        Column("Line", [_line(*of) for of in zip(table["kind"], table["line"], strict=True)], "name"),
        Column("Player", table["player"], "name", heads=True),
        Column(
            "Under the proposal", ["comes over it" if way == UP else "falls below it" for way in table["direction"]]
        ),
        Column("Now", table["current"], points),
        Column("Proposed", table["proposed"], points),
        Column("Change", table["difference"], f"signed{p.digits}"),
        Column("Rank now", table["current_rank"], "whole"),
        Column("Rank proposed", table["proposed_rank"], "whole"),
        Column(
            "Active", ["yes" if active else "no" for active in table["active"]], about="a game in the last two years"
        ),
    ]
    return html.table("crossings", "Who crosses a line", columns, csv="lines.csv", most=200)


def _top(p: Proposal) -> html.Table:
    table = p.top
    points = f"real{p.digits}" if p.digits else "whole"

    def name(player: Any, mark: str) -> str:
        return "" if pd.isna(player) else f"{player}{mark}"

    sides = {
        which: [
            name(player, mark if told else "")
            for player, told in zip(table[f"{which}_player"], table[word].eq(True), strict=True)
        ]
        for which, word, mark in ((CURRENT, "leaves", " – leaves"), (PROPOSED, "enters", " – enters"))
    }
    columns = [
        Column("Rank now", table["current_rank"], "whole"),
        Column("Player now", sides[CURRENT], "name"),
        Column("Rating", table["current"], points),
        Column("Rank proposed", table["proposed_rank"], "whole"),
        Column("Player under the proposal", sides[PROPOSED], "name"),
        Column("Rating", table["proposed"], points),
        Column("Places", table["places"], "signed", about="places gained"),
    ]
    return html.table("top", f"The top {p.top_places} of both lists", columns, csv="top.csv")


# --- over time --------------------------------------------------------------------------------------------------------


def _beside(p: Proposal, name: str, keys: Sequence[str]) -> pd.DataFrame | None:
    """A table of both systems with one row for each key, the columns of each after `current_` and `proposed_`."""
    table = p.tables.get(name)
    if table is None or not len(table):
        return None
    beside = table[list(keys)].drop_duplicates()  # in the order in which they come
    for which in (CURRENT, PROPOSED):
        part = table[table["which"] == which].drop(columns="which")
        part = part.rename(columns={column: f"{which}_{column}" for column in part if column not in keys})
        beside = beside.merge(part, on=list(keys), how="left")
    return beside


def _two(table: pd.DataFrame, title: str, name: str, kind: str, error: bool = False, about: str = "") -> list[Column]:
    """A figure of both systems beside each other, each with its standard error where it has one."""
    columns = []
    for which, word in ((CURRENT, "now"), (PROPOSED, "proposed")):
        columns.append(Column(f"{title}, {word}", table[f"{which}_{name}"], kind, about=about))
        if error:
            columns.append(Column("±", table[f"{which}_{name}_se"], f"pm{kind[-1]}", about="standard error"))
    return columns


def _levels(p: Proposal) -> html.Table | None:
    table = _beside(p, "levels", ["date"])
    if table is None:
        return None
    points = f"real{p.digits or 1}"
    columns = [
        Column("Day", table["date"], "day", heads=True),
        Column("Active players", table["current_players"], "whole"),
        *_two(table, "Mean", "mean", points),
        *_two(table, "10 % are below", "p10", points),
        *_two(table, "10 % are above", "p90", points),
    ]
    return html.table("levels", "Ratings of all active players, in points", columns, csv="levels.csv")


def _cohort(p: Proposal) -> html.Table | None:
    table = _beside(p, "cohort", ["date"])
    if table is None:
        return None
    digits = p.digits or 1
    columns = [Column("Day", table["date"], "day", heads=True), *_two(table, "Mean", "mean", f"real{digits}")]
    for which, word in ((CURRENT, "now"), (PROPOSED, "proposed")):
        columns.append(Column(f"Moved, {word}", table[f"{which}_change"], f"signed{digits}"))
        spans = _spans(table, digits, f"{which}_low", f"{which}_high")
        columns.append(Column("95 % interval", ["" if one == "not known" else one for one in spans], "figures"))
    people = html.many(int(table["current_players"].iloc[0]), "settled player")
    return html.table("cohort", f"The mean of the same {people}, in points", columns, csv="cohort.csv")


def _volatility(p: Proposal) -> html.Table | None:
    table = _beside(p, "volatility", ["experience"])
    if table is None:
        return None
    digits = 2 if p.digits else 1
    columns = [
        Column("Players", table["experience"].map(_EXPERIENCE).fillna(table["experience"]), heads=True),
        Column("Entries", table["current_entries"], "whole", about="of rated players in events"),
        *_two(table, "Typical change", "mean_abs", f"real{digits}", error=True, about="mean size of a change, points"),
        *_two(table, "Mean change", "mean_change", f"signed{digits}", error=True, about="rises and falls together"),
    ]
    return html.table("volatility", "How far an event moves a rating, in points", columns, csv="volatility.csv")


# --- sections and variants --------------------------------------------------------------------------------------------


def _by_seed(p: Proposal) -> html.Table | None:
    table = _beside(p, "sections", ["position", "place", "low", "high"])
    if table is None:
        return None
    spots = []
    for position, place, low, high in table[["position", "place", "low", "high"]].itertuples(index=False):
        share = f"{100 * low:.0f}–{100 * high:.0f} % of the section from the top"
        ends = {"from top": "first seed", "from bottom": "last seed"}
        spots.append(share if position == "part" else ends[position] if place == 1 else "")
    table = table.assign(spot=spots)
    table = table[(table["spot"] != "") & (table["current_entrants"] > 0)]
    columns = [
        Column("Seed", table["spot"], "name", heads=True),
        Column("Entrants", table["current_entrants"], "whole"),
    ]
    if "current_excess" in table and "proposed_excess" in table:
        columns += _two(table, "Excess", "excess", "signed3", error=True, about="wins beyond those expected, a game")
    columns += _two(
        table, "Change", "change", f"signed{p.digits or 1}", error=True, about="rating change, points an event"
    )
    return html.table("by-seed", "Who wins more than expected, and who gains, by seed", columns, csv="sections.csv")


def _winners(p: Proposal) -> html.Table | None:
    table = _beside(p, "winners", ["size"])
    if table is None:
        return None
    shares = table.assign(
        **{
            f"{which}_{name}": 100 * table[f"{which}_{name}"]
            for which in (CURRENT, PROPOSED)
            for name in ("winner_lost", "winner_lost_se", "last_gained", "last_gained_se")
        }
    )
    columns = [
        Column("Entrants", table["size"], "name", heads=True),
        Column("Sections", table["current_sections"], "whole"),
        *_two(shares, "Winner loses, %", "winner_lost", "real1", error=True),
        *_two(shares, "Last gains, %", "last_gained", "real1", error=True),
    ]
    caption = "How often the winner of a section loses points, and the last gains some"
    return html.table("winners", caption, columns, csv="winners.csv")


def _variants(table: pd.DataFrame) -> html.Table:
    by_game = "log_loss" in table
    columns = [Column("System", table["system"], "name", heads=True)]
    if by_game:
        columns += [Column("Log loss", table["log_loss"], "real4"), _error(table["log_loss_se"], 4)]
    else:
        columns += [Column("In the order foretold", table["concordance"], "real4", about="share of pairs")]
        columns += [_error(table["concordance_se"], 4)]
    spans = _spans(table, 4, "difference_low", "difference_high")
    columns += [
        Column("Difference", table["difference"], "signed4", about="from the current system on the same games"),
        Column("95 % interval", ["" if span == "not known" else span for span in spans], "figures"),
    ]
    if by_game:
        columns += [
            Column("May be best", ["yes" if one else "no" for one in table["in_best_set"]]),
            Column("Brier", table["brier"], "real4"),
            _error(table["brier_se"], 4),
            Column("Slope", table["calibration_slope"], "real2", about="calibration slope; ideal: 1"),
            _error(table["calibration_slope_se"], 2),
        ]
    caption = "How well each variant forecasts; the current system first"
    return html.table("variants", caption, columns, csv="variants.csv")


def _error(values: pd.Series, digits: int) -> Column:
    return Column("±", values, f"pm{digits}", about="standard error")


def _variant_levels(table: pd.DataFrame) -> html.Table | None:
    if "mean" not in table:
        return None
    columns = [
        Column("System", table["system"], "name", heads=True),
        Column("Rated", table["rated"], "whole", about="players"),
        Column("Settled", table["settled"], "whole", about="of these"),
        Column("Mean", table["mean"], "whole"),
        Column("10 % are below", table["p10"], "whole"),
        Column("Median", table["median"], "whole"),
        Column("10 % are above", table["p90"], "whole"),
        Column("Standard deviation", table["sd"], "whole"),
        Column("Drift", table["drift"], "signed"),
        _error(table["drift_se"], 0),
    ]
    return html.table("variant-levels", "Where ratings end, in points", columns, csv="variants.csv")
