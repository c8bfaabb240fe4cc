"""The page of a simulation: what each pairing system costs, and whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from ratinglab import plots
from ratinglab.reports import html
from ratinglab.reports.html import Column
from ratinglab.simulation.fairness import METRICS
from ratinglab.simulation.models import Model, Spreads

if TYPE_CHECKING:
    from ratinglab.simulation.simulating import Plan, Simulation

# the metrics of each table on the page, with decimals
_ORDER = {
    "kendall_tau": 3, "p_best_first": 3, "p_best_top_2": 3, "p_best_champion": 3, "playoff_first_advantage": 3,
    "recall_top_k": 3, "single_winner": 3,
}  # fmt: skip
_FIELDS = {
    "field_sd_equal_wins": 1, "early_loss_slope": 1, "early_tow_bias": 2, "tow_gap_first_two": 2,
    "pair_displacement": 2, "max_score_gap": 2, "floats": 1,
}  # fmt: skip
_RULES = {
    "repeats": 2, "same_team_games": 2, "avoidable_same_team_games": 2, "first_imbalance": 2, "byes_max": 2,
    "relaxed": 2, "fallbacks": 4, "illegal": 2, "unpaired": 2,
}  # fmt: skip
_TRICKS = {
    "sandbag": "What a rating before play that is {size:g} points too low gains its owner",
    "gambit": "What losing the first {size:g} games on purpose gains",
}
_GAINS = {"gain_wins": "Wins", "gain_places": "Places", "gain_p_first": "Chance of first", "gain_opponents": "Field"}
BORDERS_SHOWN = 6  # of the steps, the largest


def fairness_page(
    made: Simulation, borders: pd.DataFrame | None, tricks: Mapping[str, pd.DataFrame], source_count: int
) -> bytes:
    """The page: the answer in words, then the figures, each ± one standard error, and the plots."""
    plan = made.plan
    several = len(plan.pairings) > 1
    values: dict[str, Any] = {
        "sentences": _sentences(made),
        "setting": _setting(plan),
        "order": _table(made, "order", "The order at the end", _ORDER),
        "fields": _table(made, "fields", "Whom one meets", _FIELDS),
        "rules": _table(made, "rules", "Rules, per tournament", _RULES),
        "meanings": [(_title(name), METRICS[name]) for name in METRICS],
        "pictures": _pictures(made, borders),
        "borders": None if borders is None else _borders(borders),
        "tricks": [_trick(name, table) for name, table in tricks.items()],
        "several": several,
        "has_spread": plan.model.has_spread,
    }
    title = "Pairing systems compared" if several else f"The pairing system {next(iter(plan.pairings))}"
    return html.render(
        "fairness.html", title=title, headline=_headline(made), source_count=source_count, plan=plan, **values
    )


def _title(metric: str) -> str:
    return metric.replace("_", " ").replace("p best", "P(best)").replace("tow", "TOW").replace("sd", "SD")


def figure(made: Simulation, pairing: str, metric: str) -> tuple[float, float]:
    """A metric of a pairing system and its standard error."""
    of = made.fairness
    row = of[(of["pairing"] == pairing) & (of["metric"] == metric)].iloc[0]
    return float(row["value"]), float(row["se"])


def _pm(value: float, se: float, digits: int) -> str:
    if value != value:
        return "not known"
    told = html.cell(value, f"real{digits}")
    return told if se != se else f"{told} ± {html.cell(se, f'real{digits}')}"


def _headline(made: Simulation) -> str:
    told = [f"{name} {html.cell(figure(made, name, 'p_best_first')[0], 'percent')}" for name in made.plan.pairings]
    return f"How often the strongest player finished first: {', '.join(told)}"


def _sentences(made: Simulation) -> list[str]:
    """The answer in words, a sentence or two for each pairing system."""
    out = []
    for name in made.plan.pairings:
        first, first_se = figure(made, name, "p_best_first")
        slope, slope_se = figure(made, name, "early_loss_slope")
        differ, _ = figure(made, name, "field_sd_equal_wins")
        repeats, _ = figure(made, name, "repeats")
        told = (
            f"{name}: the strongest player finishes first in {_pm(100 * first, 100 * first_se, 1)} % of tournaments. "
        )
        if slope != slope or slope_se != slope_se:
            told += (
                "Whether early losers meet a softer field is not known: too few players won two thirds of the games. "
            )
        elif abs(slope) <= 2 * slope_se:
            told += (
                "Of two players with equal final wins, losing early brings no softer field that could be told from "
                f"chance ({_pm(slope, slope_se, 1)} rating points a win). "
            )
        else:
            softer = "softer" if slope > 0 else "stronger"
            told += (
                f"Of two players with equal final wins, the one who lost early met a {softer} field: "
                f"{_pm(abs(slope), slope_se, 1)} rating points for each early win fewer. "
            )
        if differ == differ:
            told += f"Mean opponents of players with equal wins differ by {html.cell(differ, 'real0')} points (SD). "
        told += f"{html.cell(repeats, 'real1')} games of a tournament are repeats."
        relaxed, _ = figure(made, name, "relaxed")
        if relaxed > 0:
            told += f" Rules gave way for {html.cell(relaxed, 'real1')} players of a tournament."
        out.append(told)
    return out


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
    return (
        f"{html.number(plan.tournaments)} tournaments of {plan.players} players and {html.many(plan.rounds, 'round')}; "
        f"{field}; {error}; games by {told_model(plan.model)}. All systems meet the same fields and the same luck."
    )


def told_model(model: Model) -> str:
    """A model of games in words."""
    if isinstance(model, Spreads):
        return f"spreads around the difference in strength ÷ {model.b:g}, with a standard deviation of {model.tau:g}"
    shown = ", ".join(f"{name} {value:g}" for name, value in vars(model).items())
    return f"the model {model.name} ({shown})"


def _table(made: Simulation, id: str, caption: str, metrics: Mapping[str, int]) -> html.Table:
    known = made.fairness.loc[made.fairness["value"].notna(), "metric"].unique()
    shown = [name for name in metrics if name in known]
    columns = [Column("", [_title(name) for name in shown], "name", heads=True, about="what is measured")]
    for pairing in made.plan.pairings:
        cells = [_pm(*figure(made, pairing, name), metrics[name]) for name in shown]
        columns.append(Column(pairing, cells, "figures"))
    return html.table(id, caption, columns, csv="fairness.csv")


def _borders(table: pd.DataFrame) -> html.Table:
    known = table[table["p_win_first_if_next_seed"].notna()]
    step = known["p_win_first_if_next_seed"] - known["p_win_first"]
    largest = known.assign(step=step).loc[step.abs().sort_values(ascending=False, kind="stable").index]
    largest = largest[largest["step"].abs() > 1e-9].groupby("pairing", sort=False).head(BORDERS_SHOWN)
    largest = largest.sort_values(["pairing", "seed"], kind="stable")
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
    columns = [
        Column("Pairing", table["pairing"], "name", heads=True),
        Column("Quarter", table["strength_quarter"], "whole", about="of the field by true strength, 1 the strongest"),
    ]
    for gain, title in _GAINS.items():
        scale, digits = (100, 1) if gain == "gain_p_first" else (1, 0 if gain == "gain_opponents" else 2)
        unit = {"gain_p_first": ", %", "gain_opponents": ", points weaker"}.get(gain, "")
        columns.append(Column(title + unit, scale * table[gain], f"signed{digits}"))
        columns.append(Column("±", scale * table[f"{gain}_se"], f"pm{digits}", about="standard error"))
    return html.table(name, _TRICKS[name].format(size=table[name].iloc[0]), columns, csv=f"{name}.csv")


def _pictures(made: Simulation, borders: pd.DataFrame | None) -> dict[str, Any]:
    pictures = {}
    figure_, axes = plots.figure(6.2, 3.6)
    plots.field_strength(made.fields, axes[0])
    pictures["fields"] = _svg(figure_, "field-strength", "Mean strength of opponents by final wins", _told(made))
    slopes = made.fairness[made.fairness["metric"] == "early_loss_slope"]
    if slopes["value"].notna().any():
        figure_, axes = plots.figure(6.2, 0.9 + 0.4 * len(slopes))
        shown = slopes.rename(columns={"pairing": "system"})
        plots.metric(shown, axes[0], label="rating points of stronger opponents for each early win")
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
