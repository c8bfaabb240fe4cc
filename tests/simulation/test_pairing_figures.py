"""The figures of docs/pairing-figures.md, computed again from fewer tournaments of another seed."""

from __future__ import annotations

from functools import cache
from math import hypot
from pathlib import Path

import pandas as pd
import pytest

from ratinglab.pairing import parse
from ratinglab.simulation.models import Curve, Spreads
from ratinglab.simulation.simulating import Plan, simulate
from ratinglab.simulation.tournaments import Strengths

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "pairing-figures.md"
TOURNAMENTS = 400


def rows(first: str) -> list[dict[str, str]]:
    """The rows of the table whose first heading is this."""
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith(f"| {first} |"))
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[begin:] if line.startswith("|")]
    end = next((i for i, line in enumerate(lines[begin:]) if not line.startswith("|")), len(cells))
    heads, _, *body = cells[:end]
    return [dict(zip(heads, row, strict=True)) for row in body]


FIGURES, WINNERS = rows("pairing"), rows("players")


@cache
def fair() -> pd.DataFrame:
    names = list(dict.fromkeys(row["pairing"] for row in FIGURES))
    plan = Plan({name: parse(name) for name in names}, 50, 18, TOURNAMENTS, Strengths(), Spreads(), 20)
    return simulate(plan).fairness.set_index(["pairing", "metric"])


@pytest.mark.parametrize("row", FIGURES, ids=lambda row: f"{row['pairing']}-{row['metric']}")
def test_a_figure_of_the_proposal_and_its_alternatives(row: dict[str, str]) -> None:
    again = fair().loc[(row["pairing"], row["metric"])]
    assert abs(float(row["value"]) - again["value"]) < 4 * hypot(float(row["se"]), again["se"])


def test_what_is_said_below_the_table() -> None:
    """The sentences, from the document's own figures: each with room for three of their errors."""
    of = {(row["pairing"], row["metric"]): (float(row["value"]), float(row["se"])) for row in FIGURES}
    by_spread, by_tow = (of[(f"cnsc:{name}clinched=0", "early_loss_slope")] for name in ("strength=none,", ""))
    assert by_tow[0] - by_spread[0] > 3 * hypot(by_tow[1], by_spread[1])
    assert of[("swiss", "early_loss_slope")][0] < by_spread[0] / 2
    chance = of[("random:repeats=free", "early_loss_slope")]
    assert abs(chance[0]) < 3 * chance[1]
    assert of[("cnsc", "tow_gap_first_two")][0] == pytest.approx(-5.7, abs=0.05)
    assert of[("cnsc", "max_score_gap")][0] > 2 * of[("cnsc:clinched=0", "max_score_gap")][0]


@pytest.mark.parametrize("row", WINNERS, ids=lambda row: f"{row['players']}-{row['rounds']}")
def test_one_winner_alone(row: dict[str, str]) -> None:
    plan = Plan(
        {"adjacent": parse("swiss:pairs=adjacent"), "halves": parse("swiss")}, int(row["players"]), int(row["rounds"]),
        TOURNAMENTS, Strengths(normal=(1500.0, 0.0)), Curve(), 21,
    )  # fmt: skip
    again = simulate(plan).fairness.set_index(["pairing", "metric"]).xs("single_winner", level="metric")
    for name in ("adjacent", "halves"):
        value, se = float(row[name]) / 100, float(row[f"se of {name}"]) / 100
        assert abs(value - again.loc[name, "value"]) < 4 * hypot(se, again.loc[name, "se"])
        assert abs(value - float(row["published"]) / 100) < 0.07
