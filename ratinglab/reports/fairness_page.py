"""The page of a simulation: what each pairing system costs, and whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from ratinglab import plots
from ratinglab.output import Content
from ratinglab.reports import html
from ratinglab.reports.html import Column
from ratinglab.reports.page import Page
from ratinglab.simulation.fairness import METRICS
from ratinglab.simulation.models import Chess, Model, Spreads

if TYPE_CHECKING:
    from ratinglab.simulation.simulating import Plan, Simulation


class Shown(NamedTuple):
    """How a metric stands in a table: its name with its unit, what the figure is multiplied by, and decimals."""

    title: str
    scale: float = 1
    digits: int = 2


# the metrics of each table on the page, in order
_ORDER = {
    "p_best_first": Shown("Strongest finishes first, %", 100, 1),
    "p_best_top_2": Shown("Strongest is in the first two, %", 100, 1),
    "p_best_champion": Shown("Strongest wins the playoff too, %", 100, 1),
    "playoff_first_advantage": Shown("Going first in the playoff, %-points", 100, 1),
    "recall_top_k": Shown("Strongest quarter in the first quarter, %", 100, 1),
    "single_winner": Shown("One winner alone, %", 100, 1),
    "kendall_tau": Shown("Order and strength agree (Kendall’s τ)", 1, 3),
}
_FIELDS = {
    "early_loss_slope": Shown("Early-loss slope, rating points a win", 1, 1),
    "field_sd_equal_wins": Shown("Fields of equals differ (SD), rating points", 1, 1),
    "early_tow_bias": Shown("Early wins in TOW, wins a win"),
    "tow_gap_first_two": Shown("TOW of first less second, wins"),
}
_PAIRS = {
    "repeats": Shown("Repeats, games", 1, 1),
    "floats": Shown("Unequal points, games", 1, 1),
    "max_score_gap": Shown("Largest difference, points"),
    "pair_displacement": Shown("From the ideal opponent, places"),
    "same_team_games": Shown("Team-mates, games"),
    "avoidable_same_team_games": Shown("of these avoidable, games"),
    "first_imbalance": Shown("Firsts less seconds, at most"),
    "byes_max": Shown("Byes of one player, at most"),
    "relaxed": Shown("A rule gave way, players", 1, 1),
    "fallbacks": Shown("Search given up, rounds", 1, 3),
    "illegal": Shown("Pairs that may not be"),
    "unpaired": Shown("Players without a game"),
}
SHOWN = {**_ORDER, **_FIELDS, **_PAIRS}
_TEAMS = ("same_team_games", "avoidable_same_team_games")
_TRICKS = {
    "sandbag": "What a rating before play that is {size:g} points too low gains its owner",
    "gambit": "What losing the first {size:g} games on purpose gains",
}
_GAINS = {
    "gain_wins": ("Wins", 1, 2), "gain_places": ("Places", 1, 2), "gain_p_first": ("First place, %-points", 100, 1),
    "gain_opponents": ("Field weaker by, rating points", 1, 0),
}  # fmt: skip
_QUARTERS = ("strongest", "second", "third", "weakest")
FEWEST = 50  # players of as many wins, for a mean of their fields to be shown
BORDERS_SHOWN = 3  # of the steps of each system, the largest


def fairness_page(
    made: Simulation, borders: pd.DataFrame | None, tricks: Mapping[str, pd.DataFrame], data: Mapping[str, Content]
) -> Page:
    """The page: the answer in words, then the figures, each ± one standard error, and the plots; `data` beside it."""
    plan = made.plan
    several = len(plan.pairings) > 1
    values: dict[str, Any] = {
        "answers": [(name, sentences(made, name)) for name in plan.pairings],
        "setting": _setting(plan),
        "order": _table(made, "order", "The order at the end", _ORDER),
        "fields": _table(made, "fields", "Whom one meets", _FIELDS),
        "rules": _table(made, "rules", "Pairs and rules, in a tournament", _PAIRS),
        "gave_way": _gave_way(made),
        "example": example(made),
        "meanings": [(shown.title, METRICS[name]) for name, shown in SHOWN.items() if _concerns(made, name)],
        "pictures": _pictures(made, borders),
        "borders": None if borders is None else _borders(borders),
        "border_words": None if borders is None else border_words(borders),
        "tricks": [(_trick(name, table), trick_words(name, table)) for name, table in tricks.items()],
        "several": several,
        "plan": plan,
    }
    title = "Pairing systems compared" if several else f"The pairing system {next(iter(plan.pairings))}"
    return Page("fairness.html", title, _headline(made), "fairness.html", values, short="Pairing", data=data)


def _concerns(made: Simulation, metric: str) -> bool:
    """Whether a metric can say anything here: of teams where there are any, of turns where they count."""
    if metric in _TEAMS:
        return bool(made.plan.strengths.team)
    return metric != "playoff_first_advantage" or made.plan.model.first_counts


def figure(made: Simulation, pairing: str, metric: str) -> tuple[float, float]:
    """A metric of a pairing system and its standard error."""
    of = made.fairness
    row = of[(of["pairing"] == pairing) & (of["metric"] == metric)].iloc[0]
    return float(row["value"]), float(row["se"])


def _pm(value: float, se: float, digits: int) -> str:
    if value != value:
        return "not known"
    if value == 0 and not se > 0:
        return "0"
    told = html.cell(value, f"real{digits}")
    return told if se != se else f"{told} ± {html.cell(se, f'real{digits}')}"


def _headline(made: Simulation) -> str:
    told = [f"{name} {html.cell(figure(made, name, 'p_best_first')[0], 'percent')}" for name in made.plan.pairings]
    return f"How often the strongest player finished first: {', '.join(told)}"


def sentences(made: Simulation, name: str) -> list[str]:
    """What a pairing system costs, and whom, in sentences with their figures."""
    plan = made.plan
    first, first_se = figure(made, name, "p_best_first")
    top, top_se = figure(made, name, "p_best_top_2")
    out = [
        f"The strongest player finishes first in {_pm(100 * first, 100 * first_se, 1)} % of tournaments, and among the "
        f"first two in {_pm(100 * top, 100 * top_se, 1)} %."
    ]
    slope, slope_se = figure(made, name, "early_loss_slope")
    if slope != slope or slope_se != slope_se:
        out.append(
            "Whether early losers meet a softer field is not known: too few players won two thirds of their games."
        )
    elif abs(slope) <= 3 * slope_se:
        out.append(
            "Who loses early meets no softer field that could be told from chance "
            f"(early-loss slope {_pm(slope, slope_se, 1)} rating points a win): nobody pays for winning early."
        )
    else:
        pays, field = ("early winners", "softer") if slope > 0 else ("early losers", "stronger")
        out.append(
            f"It is {pays} who pay: of two players with equal final wins, the one who lost early met a {field} field, "
            f"by {_pm(abs(slope), slope_se, 1)} rating points for each early win fewer."
        )
    differ, differ_se = figure(made, name, "field_sd_equal_wins")
    if differ == differ:
        out.append(f"The fields of players with equal wins differ by {_pm(differ, differ_se, 1)} rating points (SD).")
    games = plan.rounds * (plan.players // 2)
    repeats, repeats_se = figure(made, name, "repeats")
    again = made.games[(made.games["pairing"] == name) & (made.games["second_meetings"] > 0)]
    told = f"Of the {games} games of a tournament {_pm(repeats, repeats_se, 1)} are repeats"
    if repeats > 0 and again["game"].iloc[0] > 2:
        told += f", the first of them in game {again['game'].iloc[0]}"
    floats, floats_se = figure(made, name, "floats")
    out.append(f"{told}; {_pm(floats, floats_se, 1)} are between players of different points.")
    teams, _ = figure(made, name, "avoidable_same_team_games")
    if plan.strengths.team:
        out.append(
            f"Team-mates meet in {html.cell(teams, 'real2')} games that could have been avoided."
            if teams > 0 else "No team-mates meet who need not."
        )  # fmt: skip
    ways = made.gave_way[(made.gave_way["pairing"] == name) & (made.gave_way["players"] > 0)]
    if len(ways):
        most = ways.sort_values("players", ascending=False, kind="stable").iloc[0]
        out.append(
            f"Of its rules the one that gives way most is “{most['rule']}”, for {html.cell(most['players'], 'real1')} "
            f"of the {plan.rounds * plan.players} times that somebody is paired."
        )
    for metric, what in (("illegal", "pairs that may not be"), ("unpaired", "players without a game")):
        wrong, _ = figure(made, name, metric)
        if wrong > 0:
            out.append(f"There are {html.cell(wrong, 'real3')} {what} in a tournament.")
    return out


def example(made: Simulation) -> str:
    """The largest early-loss slope as two players of equal final wins: what it comes to in rating points and wins."""
    known = made.fairness[(made.fairness["metric"] == "early_loss_slope") & made.fairness["value"].notna()]
    known = known[known["value"].abs() > 3 * known["se"]]
    if not len(known):
        return ""
    largest = known.sort_values("value", key=abs, kind="stable").iloc[-1]
    rounds = made.plan.rounds
    third, total = max(1, rounds // 3), -(-2 * rounds // 3)
    low = max(0, third - min(3, third))
    softer = float(largest["value"]) * (third - low)
    wins = rounds * float(made.plan.model.win(np.array([softer]))[0] - 0.5)
    early = (
        f"One has won {'both' if third == 2 else f'all {third}'} of the first {third}, the other {low or 'none'}."
        if third > 1 else "One has won the first, the other lost it."
    )  # fmt: skip
    kind = "weaker" if softer > 0 else "stronger"
    return (
        f"For example under {largest['pairing']}: two players end with {total} wins in {rounds} games. {early} The "
        f"field of the second was {html.cell(abs(softer), 'real0')} rating points {kind} "
        f"a game, which is worth {html.cell(abs(wins), 'real1')} wins over {rounds} games between equals."
    )


def _setting(plan: Plan) -> str:
    strengths = plan.strengths
    field = (
        f"the {plan.players} strengths given" if strengths.listed
        else f"strengths drawn anew from a normal distribution, {strengths.normal[0]:g} ± {strengths.normal[1]:g}"
    )  # fmt: skip
    error = (
        f"ratings before play are off by {strengths.rating_error:g} points (SD)" if strengths.rating_error
        else "ratings before play are the true strengths"
    )  # fmt: skip
    alike = " All systems meet the same fields and the same luck." if len(plan.pairings) > 1 else ""
    return (
        f"{html.number(plan.tournaments)} tournaments of {plan.players} players and {html.many(plan.rounds, 'round')}; "
        f"{field}; {error}; {told_model(plan.model)}.{alike}"
    )


def told_model(model: Model) -> str:
    """A model of games in words."""
    if isinstance(model, Spreads):
        return f"games won by the difference in strength ÷ {model.b:g} points, give or take {model.tau:g} (SD)"
    if isinstance(model, Chess):
        told = f"White worth {model.first:g} rating points, {100 * model.draw:g} % of games between equals drawn"
        return f"games by Elo’s curve, {told}"
    return "games won as often as NASPA’s rating curve has it"


def _table(made: Simulation, id: str, caption: str, metrics: Mapping[str, Shown]) -> html.Table:
    metrics = {name: shown for name, shown in metrics.items() if _concerns(made, name)}
    heads = [shown.title for shown in metrics.values()]
    columns = [Column("", heads, "text", heads=True, about="what is measured")]
    for pairing in made.plan.pairings:
        cells = []
        for name, shown in metrics.items():
            value, se = figure(made, pairing, name)
            cells.append(_pm(shown.scale * value, shown.scale * se, shown.digits))
        columns.append(Column(pairing, cells, "figures"))
    return html.table(id, caption, columns, csv="fairness.csv")


def _gave_way(made: Simulation) -> html.Table | None:
    """For how many players each rule gave way, the rules that ever did; None where none did."""
    some = made.gave_way.groupby("rule", sort=False)["players"].sum()
    rules = some[some > 0].index.tolist()
    if not rules:
        return None
    columns = [Column("Rule", rules, "text", heads=True)]
    for pairing in made.plan.pairings:
        of = made.gave_way[made.gave_way["pairing"] == pairing].set_index("rule").loc[rules]
        columns.append(
            Column(pairing, [_pm(value, se, 1) for value, se in zip(of["players"], of["se"], strict=True)], "figures")
        )
    return html.table("gave-way", "Rules that gave way, players in a tournament", columns, csv="gave_way.csv")


def _steps(table: pd.DataFrame) -> pd.DataFrame:
    """The steps at borders that are more than drawing could have made, the largest of each system, by seed."""
    known = table[table["p_win_first_if_next_seed"].notna()]
    step = known["p_win_first_if_next_seed"] - known["p_win_first"]
    known = known.assign(step=step)[step.abs() > np.maximum(0.01, 3 * np.sqrt(2) * known["se"])]
    known = known.loc[known["step"].abs().sort_values(ascending=False, kind="stable").index]
    largest = known.groupby("pairing", sort=False).head(BORDERS_SHOWN)
    order = {name: at for at, name in enumerate(dict.fromkeys(table["pairing"]))}
    ordered: pd.DataFrame = largest.assign(at=largest["pairing"].map(order))
    return ordered.sort_values(["at", "seed"], kind="stable")


def border_words(table: pd.DataFrame) -> list[str]:
    """The largest step of each system in a sentence."""
    out = []
    steps = _steps(table)
    for name in dict.fromkeys(table["pairing"]):
        of = steps[steps["pairing"] == name]
        if not len(of):
            out.append(f"{name}: no border where one seed matters by as much as a percentage point.")
            continue
        worst = of.sort_values("step", key=abs, kind="stable").iloc[-1]
        better, worse = sorted((worst["p_win_first"], worst["p_win_first_if_next_seed"]), reverse=True)
        lower = worst["step"] > 0
        out.append(
            f"{name}: the largest step is between seeds {worst['seed']} and {worst['seed'] + 1}. The same player wins "
            f"game 1 in {html.cell(better, 'percent')} of cases as seed {worst['seed'] + lower} and in "
            f"{html.cell(worse, 'percent')} as seed {worst['seed'] + (not lower)}"
            + (": a lower rating before play pays." if lower else ".")
        )
    return out


def _borders(table: pd.DataFrame) -> html.Table:
    largest = _steps(table)
    columns = [
        Column("Pairing", largest["pairing"], "name", heads=True),
        Column("Border", [f"{seed} | {seed + 1}" for seed in largest["seed"]], "figures"),
        Column("Wins game 1, %", 100 * largest["p_win_first"], "real1", about="seeded above the border"),
        Column("One lower, %", 100 * largest["p_win_first_if_next_seed"], "real1", about="seeded below it"),
        Column("Step", 100 * largest["step"], "signed1", about="percentage points"),
        Column("Opponents", largest["mean_opponent_rank"], "real1", about="their mean seed, above the border"),
    ]
    return html.table("borders", "The largest steps at seed borders in game 1", columns, csv="steps.csv")


def _trick(name: str, table: pd.DataFrame) -> html.Table:
    quarters = [_QUARTERS[int(quarter) - 1] for quarter in table["strength_quarter"]]
    columns = [
        Column("Pairing", table["pairing"], "name", heads=True),
        Column("Quarter", quarters, "name", about="of the field by true strength"),
    ]
    for gain, (title, scale, digits) in _GAINS.items():
        columns.append(Column(title, scale * table[gain], f"signed{digits}"))
        columns.append(Column("±", scale * table[f"{gain}_se"], f"pm{digits}", about="standard error"))
    return html.table(name, _TRICKS[name].format(size=table[name].iloc[0]), columns, csv=f"{name}.csv")


def trick_words(name: str, table: pd.DataFrame) -> list[str]:
    """Whether a trick pays, a sentence for each system: in final places, where that can be told from chance."""
    out = []
    for pairing, of in table.groupby("pairing", sort=False):
        # with four quarters to look at, 2.5 standard errors are what two are for one
        sure = of[of["gain_places"].abs() > 2.5 * of["gain_places_se"]]
        figures = zip(sure["strength_quarter"], sure["gain_places"], sure["gain_places_se"], strict=True)
        told = []
        for quarter, gain, se in figures:
            gains = "gains" if gain > 0 else "loses"
            told.append(f"the {_QUARTERS[int(quarter) - 1]} quarter {gains} {_pm(abs(gain), se, 2)} places")
        what = "; ".join(told) or "no quarter gains or loses places that could be told from chance"
        softer = float(of["gain_opponents"].mean())
        se = float(np.sqrt((of["gain_opponents_se"] ** 2).sum())) / len(of)
        met = "Opponents" if name == "sandbag" else "Opponents after it"
        field = (
            "as strong, as far as can be told"
            if abs(softer) <= 2.5 * se
            else (f"{_pm(abs(softer), se, 1)} rating points {'weaker' if softer > 0 else 'stronger'} on average")
        )
        out.append(f"{pairing}: {what}. {met} are {field}.")
    return out


def _pictures(made: Simulation, borders: pd.DataFrame | None) -> dict[str, Any]:
    pictures = {}
    if (made.fields["players"] >= FEWEST).any():
        figure_, axes = plots.figure(6.2, 3.6)
        plots.field_strength(made.fields, axes[0], least=FEWEST)
        pictures["fields"] = _svg(figure_, "field-strength", "Mean strength of opponents by final wins", _told(made))
    slopes = made.fairness[made.fairness["metric"] == "early_loss_slope"]
    if slopes["value"].notna().any():
        figure_, axes = plots.figure(6.2, 0.9 + 0.4 * len(slopes))
        shown = slopes.rename(columns={"pairing": "system"})
        plots.metric(shown, axes[0], label="early-loss slope, rating points a win")
        axes[0].axvline(0, color="#6b6b6b", linewidth=0.8, linestyle=(0, (4, 3)))
        told = "; ".join(f"{name} {_pm(*figure(made, name, 'early_loss_slope'), 1)}" for name in made.plan.pairings)
        pictures["slopes"] = _svg(figure_, "early-loss", "The early-loss slope", told + ".")
    if borders is not None:
        figure_, axes = plots.figure(6.8, 3.4)
        plots.seed_steps(borders, axes[0])
        pictures["steps"] = _svg(figure_, "steps", "Steps at seed borders", "The largest are in the table below.")
    names = list(made.plan.pairings)[:6]
    columns = min(2, len(names))
    rows = -(-len(names) // columns)
    figure_, axes = plots.figure(3.6 * columns, 2.9 * rows, rows, columns, sharey=True)
    for axis, name in zip(axes, names, strict=False):
        plots.titled(plots.places(made.places[made.places["pairing"] == name], axis), name)
        axis.label_outer()
        if axis is not axes[0] and (legend := axis.get_legend()) is not None:
            legend.remove()
    for axis in axes[len(names) :]:
        axis.set_axis_off()
    best = made.places[(made.places["strength_rank"] == 1) & (made.places["place"] <= 3)]
    told = "; ".join(
        f"{name}: the strongest finished first, second, third in "
        + ", ".join(html.cell(share, "percent") for share in of["share"])
        for name, of in best.groupby("pairing", sort=False)
    )
    pictures["places"] = _svg(figure_, "places", "Where the strongest finished", told + ".")
    return pictures


def _told(made: Simulation) -> str:
    """The first picture in words: the ends of each line."""
    parts = []
    for name, of in made.fields.groupby("pairing", sort=False):
        low, high = of.iloc[0], of.iloc[-1]
        parts.append(
            f"{name}: {low['opponents']:.0f} at {low['wins']:g} wins, {high['opponents']:.0f} at {high['wins']:g} wins"
        )
    return "; ".join(parts) + "."


def _svg(figure: Any, name: str, title: str, description: str) -> Any:
    return html.svg(plots.figure_svg(figure, name=name, title=title, description=description))
