"""The page of a simulation: its sentences follow from the figures, for one system or several, with or without teams."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from ratinglab.pairing import parse_several
from ratinglab.reports.fairness_page import (
    SHOWN,
    border_words,
    example,
    fairness_page,
    figure,
    sentences,
    trick_words,
)
from ratinglab.reports.publication import alone
from ratinglab.simulation.fairness import METRICS
from ratinglab.simulation.models import Chess, Curve, Spreads
from ratinglab.simulation.simulating import Plan, Simulation, gambits, labels, sandbagging, simulate, steps
from ratinglab.simulation.tournaments import Strengths


def run(pairings: str, **more: object) -> Simulation:
    base = Plan(labels(parse_several(pairings)), 12, 6, 80, Strengths(), Spreads(), 4)
    return simulate(replace(base, **more))


def text_of(page: bytes) -> str:
    html = page.decode()
    html = re.sub(r"<(style|script|svg)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def with_figures(made: Simulation, **figures: tuple[float, float]) -> Simulation:
    """The simulation with other values and errors of some metrics."""
    table = made.fairness.copy()
    for metric, (value, se) in figures.items():
        table.loc[table["metric"] == metric, ["value", "se"]] = value, se
    return replace(made, fairness=table)


@pytest.fixture(scope="module")
def several() -> Simulation:
    return run("cnsc,swiss,random:repeats=free")


def test_every_metric_is_on_the_page_with_its_meaning() -> None:
    assert set(SHOWN) == set(METRICS)
    made = run("evanston", model=Chess(), strengths=Strengths(listed=tuple(range(12)), team=(0, 0, *range(1, 11))))
    page = text_of(alone(fairness_page(made, None, {}, {}), 1))
    for name, shown in SHOWN.items():
        assert page.count(shown.title) >= 2, shown.title  # in its table and below, where it is explained
        assert METRICS[name] in page.replace("&#39;", "'")


def test_what_says_nothing_here_is_left_out(several: Simulation) -> None:
    page = text_of(alone(fairness_page(several, None, {}, {}), 0))
    for name in ("same_team_games", "avoidable_same_team_games", "playoff_first_advantage"):
        assert SHOWN[name].title not in page
    # who goes first is drawn at the table, by all three
    assert f"{SHOWN['first_imbalance'].title} not known not known not known" in page
    assert "Does it pay to trick?" not in page
    assert "What is a seed worth?" not in page


def test_figures_stand_with_their_errors_and_units(several: Simulation) -> None:
    page = text_of(alone(fairness_page(several, None, {}, {}), 0))
    for name in several.plan.pairings:
        value, se = figure(several, name, "p_best_first")
        assert f"{100 * value:.1f} ± {100 * se:.1f}" in page
    assert "Strongest finishes first, %" in page
    assert "80 tournaments of 12 players and 6 rounds" in page


def test_who_pays_follows_from_the_slope(several: Simulation) -> None:
    def said(slope: float, se: float) -> str:
        return " ".join(sentences(with_figures(several, early_loss_slope=(slope, se)), "cnsc"))

    assert "It is early winners who pay" in said(40, 2)
    assert "met a softer field, by 40.0 ± 2.0 rating points" in said(40, 2)
    assert "It is early losers who pay" in said(-40, 2)
    assert "met a stronger field, by 40.0 ± 2.0" in said(-40, 2)
    assert "no softer field that could be told from chance" in said(4, 2)
    assert "is not known" in said(float("nan"), float("nan"))


def test_the_example_is_worked_out_of_the_slope(several: Simulation) -> None:
    """60 points a win and two early wins fewer: 120 points a game; Φ(120/450) - ½ is .105, six games .63 wins."""
    made = with_figures(several, early_loss_slope=(60.0, 1.0))
    told = example(made)
    assert "two players end with 4 wins in 6 games. One has won both of the first 2, the other none." in told
    assert "120 rating points weaker a game, which is worth 0.6 wins over 6 games" in told
    assert example(with_figures(several, early_loss_slope=(1.0, 1.0))) == ""
    curve = replace(made, plan=replace(made.plan, model=Curve()))
    assert "worth 0.6 wins" in example(curve)
    short = replace(made, plan=replace(made.plan, rounds=5))
    assert "One has won the first, the other lost it." in example(short)


def test_repeats_and_rules_in_words(several: Simulation) -> None:
    told = " ".join(sentences(several, "cnsc"))
    assert "Of the 36 games of a tournament" in told
    first = several.games.query("pairing == 'cnsc' and second_meetings > 0")["game"].iloc[0]
    assert f"are repeats, the first of them in game {first}" in told
    assert "0 are repeats;" in " ".join(sentences(several, "swiss")) or figure(several, "swiss", "repeats")[0] > 0
    wrong = " ".join(sentences(with_figures(several, illegal=(0.25, 0.01)), "cnsc"))
    assert "There are 0.250 pairs that may not be in a tournament." in wrong


def test_what_gave_way_is_told_rule_by_rule() -> None:
    """With six rounds of seven a repeat cannot be spared; the table's figures are those of gave_way.csv."""
    made = run("evanston", players=4, model=Chess())
    table = made.gave_way.set_index("rule")["players"]
    assert table["met before"] == 12  # three rounds beyond a round robin, four players
    page = text_of(alone(fairness_page(made, None, {}, {}), 0))
    assert "Rules that gave way, players in a tournament" in page
    assert f"met before {table['met before']:.1f}" in page
    most = made.gave_way.sort_values("players", ascending=False, kind="stable")["rule"].iloc[0]
    assert f"gives way most is “{most}”" in page
    assert "What it costs, and whom" in page
    assert "All systems meet" not in page


def test_seed_borders_in_words() -> None:
    """The published steps of 50: 25 | 26, .753 and .255, and straight .894 and .106; random has none."""
    told = border_words(steps(labels(parse_several("cnsc,cnsc:first_game=straight,random")), 50))
    assert told[0].startswith("cnsc: the largest step is between seeds 25 and 26. The same player wins game 1 in 75 %")
    assert "in 75 % of cases as seed 25 and in 25 % as seed 26" in told[0].replace("26 % as", "25 % as")
    assert "in 89 % of cases as seed 25 and in 11 % as seed 26." in told[1]
    assert told[2] == "random: no border where one seed matters by as much as a percentage point."


def test_a_step_that_favours_the_lower_seed_says_so() -> None:
    table = pd.DataFrame(
        {
            "pairing": "x",
            "seed": [1, 2, 3],
            "mean_opponent_rank": 2.0,
            "p_win_first": [0.5, 0.4, 0.3],
            "p_win_first_if_next_seed": [0.7, 0.4, np.nan],
            "se": 0.0,
        }
    )
    (told,) = border_words(table)
    assert "in 70 % of cases as seed 2 and in 50 % as seed 1: a lower rating before play pays." in told


def test_tricks_in_words() -> None:
    columns = {"gain_wins": 0.0, "gain_p_first": 0.0, "gain_opponents": 40.0, "gain_opponents_se": 2.0}
    base = pd.DataFrame({"pairing": "x", "strength_quarter": [1, 2, 3, 4], "gambit": 2, **columns})
    table = base.assign(gain_places=[1.0, -1.0, 0.1, 0.0], gain_places_se=0.2)
    (told,) = trick_words("gambit", table)
    assert told == (
        "x: the strongest quarter gains 1.00 ± 0.20 places; the second quarter loses 1.00 ± 0.20 places. "
        "Opponents after it are 40.0 ± 1.0 rating points weaker on average."
    )
    (none,) = trick_words("gambit", base.assign(gain_places=0.1, gain_places_se=0.2, gain_opponents=-2.0))
    assert none.startswith("x: no quarter gains or loses places that could be told from chance.")
    assert none.endswith("Opponents after it are as strong, as far as can be told.")


def test_the_whole_page_with_borders_and_tricks(several: Simulation) -> None:
    plan = replace(several.plan, tournaments=20)
    tricks = {"sandbag": sandbagging(plan, 100), "gambit": gambits(plan, 2)}
    page = alone(fairness_page(several, steps(several.plan.pairings, 12), tricks, {}), 0)
    said = text_of(page)
    assert "What each costs, and whom" in said
    assert "What a rating before play that is 100 points too low gains its owner" in said
    assert "What losing the first 2 games on purpose gains" in said
    assert page.count(b'class="plot"') == 4
    assert b"nan" not in page.replace(b"finance", b"").split(b"<svg")[0]
    assert page == alone(fairness_page(several, steps(several.plan.pairings, 12), tricks, {}), 0)


def test_too_few_games_for_a_slope_are_said() -> None:
    made = run("swiss", players=2, rounds=1, tournaments=2)
    assert "not known" in text_of(alone(fairness_page(made, None, {}, {}), 0))
