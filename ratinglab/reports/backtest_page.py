"""The page on one past event: what was expected of it, what happened, and how surprising that was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab import plots
from ratinglab.backtests.backtesting import RANGE, UPSET
from ratinglab.backtests.seeding_agreement import DIFFERING
from ratinglab.reports import html
from ratinglab.reports.html import Column, many, number
from ratinglab.reports.page import Page

if TYPE_CHECKING:
    from ratinglab.backtests.backtesting import Backtest

_MOST_UPSETS = 25
_LEAST = 0.001  # chances below are told as such
_ORDERS = {"rating filed": "by the ratings there", "number": "by the numbers there"}
_JOIN = "\N{NO-BREAK SPACE}"  # a figure stays with its unit


@dataclass(frozen=True)
class Told:
    """One section as the page shows it."""

    title: str
    anchor: str
    sentences: Sequence[str]
    systems: html.Table
    finishing: html.Table
    winning: html.Table
    others: html.Table | None
    upsets: html.Table | None
    upsets_said: Sequence[str]
    seedings: html.Table
    differing: html.Table | None
    places: Any
    wins: Any
    shared: bool  # the first place
    has_deviation: bool
    simulated: bool


def page(made: Backtest) -> Page:
    """The page, with every table beside it."""
    told = [_section(made, section) for section in made.sections]
    main = made.summary[made.summary["system"] == made.systems[0]]
    values = {
        "b": made,
        "sections": told,
        "main": made.systems[0],
        "date": made.date,
        "games": int(main["games"].sum()),
        "draws": int(main["draws"].sum()),
        "upset": _share(UPSET),
        "range": _share(RANGE),
        "has_deviation": any(one.has_deviation for one in told),
        "by_spread": bool(made.games["spread"].notna().any()),
    }
    title = f"{made.name}: expected and actual"
    return Page("backtest.html", title, headline(made), "backtest.html", values, short="Last event", data=made.tables())


def headline(made: Backtest) -> str:
    """The answer in a sentence: who won, how likely that was, how many upsets there were."""
    main = made.summary[made.summary["system"] == made.systems[0]]
    upsets = (
        f"{many(int(main['upsets'].sum()), 'upset')} where {number(main['upsets_expected'].sum(), 1)} were expected"
    )
    if not main["favourites"].any():
        upsets = "no game had a clear favourite"
    if len(main) > 1:
        chances = ", ".join(f"{chance(one['p_winner'])} in {one['section']}" for one in main.to_dict("records"))
        return f"By {made.systems[0]} the winners’ chances were {chances}; {upsets}"
    row = main.iloc[0]
    shared = ";" in row["winner"]
    won = "shared the first place, the best of them seeded" if shared else "won, seeded"
    who = f"{names(row['winner'])} {won} {ordinal(row['winner_seed'])} of {row['entrants']} by {made.systems[0]}"
    if not row["games"]:
        return f"{who}; no round was left to be expected"
    had = "; that one of them would win had" if shared else ", with"
    return f"{who}{had} a chance {of_chance(row['p_winner'], row['p_winner_se'])}; {upsets}"


def names(joined: str) -> str:
    """Names joined by `; ` as words: A, B and C."""
    each = joined.split("; ")
    return each[0] if len(each) == 1 else f"{', '.join(each[:-1])} and {each[-1]}"


def ordinal(of: int) -> str:
    """1st, 2nd, 3rd, 4th …

    >>> [ordinal(of) for of in (1, 2, 3, 11, 22, 113)]
    ['1st', '2nd', '3rd', '11th', '22nd', '113th']
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(of % 10, "th") if of % 100 not in (11, 12, 13) else "th"
    return f"{of}{ending}"


def chance(p: float) -> str:
    """A simulated probability in per cent; what hardly ever happened, or hardly ever did not, is told as such.

    >>> [chance(p).replace(_JOIN, " ") for p in (0.0313, 0.0, 1.0)]
    ['3.1 %', 'below 0.1 %', 'above 99.9 %']
    """
    if p < _LEAST:
        return f"below {_share(_LEAST)}"
    return f"above {_share(1 - _LEAST)}" if p > 1 - _LEAST else f"{100 * p:.1f}{_JOIN}%"


def short(p: float) -> str:
    """The same for a cell of a table: `< 0.1 %`."""
    return chance(p).replace("below", "<").replace("above", ">")


def _share(p: float) -> str:
    return f"{100 * p:g}{_JOIN}%"


def within(p: float, se: float) -> str:
    """A probability with its standard error, `3.1 % ± 0.2 %`."""
    return chance(p) if not _LEAST <= p <= 1 - _LEAST else f"{chance(p)}{_JOIN}±{_JOIN}{100 * se:.1f}{_JOIN}%"


def of_chance(p: float, se: float) -> str:
    """The same after the word chance: `of 3.1 % ± 0.2 %`, or `below 0.1 %`."""
    return f"{'of ' if _LEAST <= p <= 1 - _LEAST else ''}{within(p, se)}"


# --- a section --------------------------------------------------------------------------------------------------------


def _section(made: Backtest, section: str) -> Told:
    summary, entrants, upsets, seedings = (
        table[table["section"] == section] for table in (made.summary, made.entrants, made.upsets, made.seedings)
    )
    main = made.systems[0]
    title = f"Section {section}" if len(made.sections) > 1 else ""
    anchor = f"-{html.slug(section)}" if title else ""
    own = entrants[entrants["system"] == main].sort_values(["place", "player"], kind="stable")
    row = summary[summary["system"] == main].iloc[0]
    others = [label for label in made.systems if label != main]
    mine = upsets[upsets["system"] == main]
    return Told(
        title=title,
        anchor=anchor,
        sentences=[*_winner_says(summary), *_wins_say(own, row, main), *_seedings_say(seedings, main)],
        systems=_systems_table(summary, anchor),
        finishing=_finishing_table(own, main, anchor),
        winning=_winning_table(own, main, anchor),
        others=_others_table(entrants, made.systems, anchor) if others else None,
        upsets=_upsets_table(mine, main, anchor) if len(mine) else None,
        upsets_said=[_upsets_say(row) for row in summary.to_dict("records")],
        seedings=_seedings_table(seedings, anchor),
        differing=_differing_table(own, main, anchor),
        places=_places_picture(own, main, f"places{anchor}"),
        wins=_wins_picture(own, main, f"wins{anchor}"),
        shared=";" in row["winner"],
        has_deviation=bool(own["deviation"].notna().any()),
        simulated=bool(row["games"]),
    )


def _winner_says(summary: pd.DataFrame) -> list[str]:
    first = summary.iloc[0]
    shared = ";" in first["winner"]
    said = [f"{names(first['winner'])} {'shared the first place' if shared else 'won'}."]
    for row in summary.to_dict("records"):
        whose = "the best seeded of them" if shared else "the winner"
        seeded = f"By {row['system']} {whose} was seeded {ordinal(row['winner_seed'])} of {row['entrants']}"
        of = "that one of them would win was" if shared else "of winning was"
        chances = f"; the chance {of} {within(row['p_winner'], row['p_winner_se'])}, and {_better(row['winner_rank'])}"
        if "p_winner_real" in row:
            real = within(row["p_winner_real"], row["p_winner_real_se"])
            chances += f"; with the real pairings kept it was {real}, and {_better(row['winner_rank_real'])}"
        said.append(f"{seeded}{chances if row['games'] else ''}.")
    return said


def _better(rank: int) -> str:
    return f"{many(rank - 1, 'entrant')} had a better one" if rank > 1 else "nobody had a better one"


def _wins_say(own: pd.DataFrame, row: pd.Series, main: str) -> list[str]:
    known = own[own["z"].notna()]
    if known.empty:
        return []
    said = [
        f"By {main} {row['inside_range']} of {row['entrants']} entrants finished within the range of places expected "
        f"of them; {number(RANGE * row['entrants'])} or a few more were to be expected."
    ]
    z = known["z"].to_numpy(dtype=float)
    for word, best in (("above", z.argmax()), ("below", z.argmin())):
        one = known.iloc[int(best)]
        if (one["z"] > 0) == (word == "above"):
            said.append(
                f"Furthest {word} what {main} expected: {one['player']}, {_wins(one['wins'])} of "
                f"{many(one['games'], 'game')} where {one['expected_wins']:.1f} were expected, "
                f"{abs(one['z']):.1f} standard deviations."
            )
    return said


def _wins(wins: float) -> str:
    return f"{wins:g} {'win' if 0 < wins <= 1 else 'wins'}"


def _upsets_say(row: Mapping[Any, Any]) -> str:
    by, bound, games = row["system"], _share(UPSET), row["favourites"]
    if not games:
        return f"By {by} no game had a side with a chance below {bound}."
    said = f"By {by} {many(games, 'game')} of {row['games']} had a side with a chance below {bound}. That side won"
    return f"{said} {row['upsets']} of them; {row['upsets_expected']:.1f} ± {row['upsets_sd']:.1f} were to be expected."


def _seedings_say(seedings: pd.DataFrame, main: str) -> list[str]:
    filed, own = (seedings[seedings["seeding"] == name].iloc[0] for name in ("filed", main))
    if pd.isna(own["kendall_tau"]):
        return []
    agreed = f"The seeding by {main} agreed with the final order with τ = {own['kendall_tau']:.2f}"
    if pd.isna(filed["kendall_tau"]):
        return [f"{agreed}."]
    said = f"{agreed}, the order filed ({_ORDERS[filed['rests_on']]}) with τ = {filed['kendall_tau']:.2f}"
    if pd.isna(own["difference_low"]):
        return [f"{said}."]
    sure = "which is hardly chance" if own["difference_low"] * own["difference_high"] > 0 else "which may be chance"
    low, high = (html.cell(own[f"difference_{end}"], "signed2") for end in ("low", "high"))
    return [f"{said}: a difference of {html.cell(own['difference'], 'signed2')} ({low} to {high}), {sure}."]


def _systems_table(summary: pd.DataFrame, anchor: str) -> html.Table:
    columns = [
        Column("System", summary["system"], "name", heads=True),
        Column("Winner’s seed", summary["winner_seed"], "whole", about="by this system; of joint winners the best"),
        Column("Better chances", summary["winner_rank"] - 1, "whole", about="entrants with a better chance of winning"),
        Column("Winner’s chance", summary["p_winner"].map(short), "figures"),
        Column("±", 100 * summary["p_winner_se"], "pm1", about="standard error of the simulation, percentage points"),
        *_over_real(summary, "standard error of the simulation, percentage points"),
        Column("Surprise", summary["log_score"], "real2", about="minus the natural logarithm of the winner’s chance"),
        Column("±", summary["log_score_se"], "pm2", about="standard error of the simulation"),
        Column("By lot", summary["log_score_even"], "real2", about="the surprise if all entrants had equal chances"),
        Column("In range", summary["inside_range"], "whole", about="entrants within their expected range of places"),
    ]
    return html.table(f"systems{anchor}", "The systems beside each other", columns, csv="summary.csv")


def _finishing_table(own: pd.DataFrame, main: str, anchor: str) -> html.Table:
    simulated = "standard error of the simulation, percentage points"
    columns = [
        Column("Place", own["place"], "whole", about="actual; level entrants share the best place"),
        Column("Entrant", own["player"], "name", heads=True),
        Column("Seed", own["seed"], "whole", about=f"by the ratings of {main}"),
        Column("Expected places", _range(own), "figures", about="lower end, median and upper end of the range"),
        Column("As high", own["p_place_or_better"].map(short), "figures", about="chance of this place or a better one"),
        Column("As low", own["p_place_or_worse"].map(short), "figures", about="chance of this place or a worse one"),
        Column("To win", own["p_winner"].map(short), "figures", about="chance of coming first"),
        Column("±", _errors(own, "p_winner"), "pm1", about=simulated),
        *_over_real(own, simulated),
        Column("Top 3", own["p_top_3"].map(short), "figures", about="chance of being among the first three"),
        Column("±", _errors(own, "p_top_3"), "pm1", about=simulated),
    ]
    caption = f"Final places, as {main} expected them"
    return html.table(f"finishing{anchor}", caption, columns, csv="entrants.csv", sortable=True)


def _over_real(rows: pd.DataFrame, simulated: str) -> list[Column]:
    """Chances of winning with the real pairings kept, where a pairing system made the others."""
    if "p_winner_real" not in rows:
        return []
    about = "chance of coming first with the real pairings kept"
    return [
        Column("If kept", rows["p_winner_real"].map(short), "figures", about=about),
        Column("±", _errors(rows, "p_winner_real"), "pm1", about=simulated),
    ]


def _winning_table(own: pd.DataFrame, main: str, anchor: str) -> html.Table:
    deviation, spread = own["deviation"].notna().any(), own["expected_spread"].notna().any()
    columns = [
        Column("Place", own["place"], "whole", about="actual; level entrants share the best place"),
        Column("Entrant", own["player"], "name", heads=True),
        Column("Rating", own["rating"], "whole", about="before the event"),
        *([Column("±", own["deviation"], "pm", about="deviation of the rating")] if deviation else []),
        Column("Games", own["games"], "whole"),
        Column("Wins", own["wins"], "real1"),
        Column("Expected", own["expected_wins"], "real1", about="wins expected"),
        Column("±", own["sd"], "pm1", about="standard deviation of the wins"),
        Column("z", own["z"], "signed1", about="wins less expected ones, in standard deviations"),
        *(
            [
                Column("Spread", own["spread"], "signed", about="points, over the games whose spread is known"),
                Column("Expected", own["expected_spread"], "signed", about="spread expected, points"),
            ]
            if spread
            else []
        ),
    ]
    caption = f"Wins{' and spreads' if spread else ''}, as {main} expected them"
    return html.table(f"winning{anchor}", caption, columns, csv="entrants.csv", sortable=True)


def _errors(own: pd.DataFrame, name: str) -> pd.Series:
    """Standard errors in percentage points, where the probability itself is told in figures."""
    return (100 * own[f"{name}_se"]).where(own[name].between(_LEAST, 1 - _LEAST))


def _range(own: pd.DataFrame) -> list[str]:
    rows = own[["place_low", "place_median", "place_high"]].itertuples(index=False)
    return [f"{low} – {median} – {high}" for low, median, high in rows]


def _others_table(entrants: pd.DataFrame, systems: Sequence[str], anchor: str) -> html.Table:
    by = {label: entrants[entrants["system"] == label].set_index("player") for label in systems}
    main = by[systems[0]].sort_values(["place"], kind="stable")
    columns = [
        Column("Place", main["place"], "whole"),
        Column("Entrant", main.index, "name", heads=True),
        Column("Filed seed", main["filed_seed"], "whole", about="in the order of the ratings filed"),
    ]
    for label, table in by.items():
        rows = table.loc[main.index]
        columns += [
            Column(f"{label}: seed", rows["seed"], "whole"),
            Column("to win", rows["p_winner"].map(short), "figures", about=f"chance of coming first by {label}"),
        ]
    return html.table(f"others{anchor}", "Each entrant, by every system", columns, csv="entrants.csv", sortable=True)


def _upsets_table(mine: pd.DataFrame, main: str, anchor: str) -> html.Table:
    columns = [
        Column("Round", mine["round"], "whole"),
        Column("Winner", mine["winner"], "name", heads=True),
        Column("Rating", mine["winner_rating"], "whole"),
        Column("Loser", mine["loser"], "name"),
        Column("Rating", mine["loser_rating"], "whole"),
        Column("Chance", mine["p"], "percent1", about="of the side that won, before the event"),
        *([Column("By", mine["spread"], "whole", about="points")] if mine["spread"].notna().any() else []),
    ]
    caption = f"Upsets by {main}, the least likely first"
    return html.table(f"upsets{anchor}", caption, columns, csv="upsets.csv", most=_MOST_UPSETS)


def _seedings_table(seedings: pd.DataFrame, anchor: str) -> html.Table:
    def interval(name: str, kind: str) -> list[str]:
        ends = zip(seedings[f"{name}_low"], seedings[f"{name}_high"], strict=True)
        return ["" if pd.isna(low) else f"{html.cell(low, kind)} to {html.cell(high, kind)}" for low, high in ends]

    told = ["as filed" if name == "filed" else f"by {name}" for name in seedings["seeding"]]
    later = seedings["difference"].where(seedings["seeding"] != "filed")
    columns = [
        Column("Seeding", told, "name", heads=True),
        Column("Rests on", seedings["rests_on"], "name"),
        Column("Spearman’s ρ", seedings["spearman"], "real2"),
        Column("95 %", interval("spearman", "real2"), "figures", about="95 % interval"),
        Column("Kendall’s τ", seedings["kendall_tau"], "real2"),
        Column("95 %", interval("kendall_tau", "real2"), "figures", about="95 % interval"),
        Column("τ more than as filed", later, "signed2"),
        Column("95 %", interval("difference", "signed2"), "figures", about="95 % interval of the difference"),
    ]
    caption = "How seedings agreed with the final order"
    return html.table(f"seedings{anchor}", caption, columns, csv="seedings.csv")


def _differing_table(own: pd.DataFrame, main: str, anchor: str) -> html.Table | None:
    """Whom the system would have seeded most otherwise than the file, and where they finished."""
    apart = (own["filed_seed"] - own["seed"]).abs().to_numpy()
    order = np.argsort(-apart, kind="stable")
    most = own.iloc[order[apart[order] > 0][:DIFFERING]]
    if most.empty:
        return None
    by_system, by_file = (np.abs(most[name] - most["place"]) for name in ("seed", "filed_seed"))
    nearer = np.where(by_system < by_file, main, np.where(by_file < by_system, "filed", "equal"))
    columns = [
        Column("Entrant", most["player"], "name", heads=True),
        Column("Seed filed", most["filed_seed"], "whole"),
        Column(f"Seed by {main}", most["seed"], "whole"),
        Column("Place", most["place"], "whole"),
        Column("Nearer", nearer, about="which of the two seeds was nearer to the place"),
    ]
    return html.table(
        f"differing{anchor}", f"Whom {main} would have seeded most otherwise", columns, csv="entrants.csv"
    )


# --- pictures ---------------------------------------------------------------------------------------------------------


def _places_picture(own: pd.DataFrame, main: str, name: str) -> Any:
    figure, axes = plots.figure(7.6, 1.1 + 0.185 * len(own))
    plots.place_ranges(own, axes[0])
    inside = int(own["place"].between(own["place_low"], own["place_high"]).sum())
    described = (
        f"For each of {many(len(own), 'entrant')} the range of places that {main} expected, its median, and the actual "
        f"place, which lies within the range for {inside}."
    )
    title = "Expected and actual places"
    return html.svg(plots.figure_svg(figure, name=name, title=title, description=described))


def _wins_picture(own: pd.DataFrame, main: str, name: str) -> Any:
    figure, axes = plots.figure(5.2, 4.2)
    plots.wins_expected(own, axes[0])
    described = f"The wins of {many(len(own), 'entrant')} against those that {main} expected, ± one standard deviation."
    title = "Expected and actual wins"
    return html.svg(plots.figure_svg(figure, name=name, title=title, description=described))
