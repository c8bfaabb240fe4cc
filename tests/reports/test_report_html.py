"""How values become cells, and ids become file names."""

from __future__ import annotations

import pandas as pd
import pytest

from ratinglab.reports import html
from ratinglab.reports.html import Column, Link


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (1717.4, "whole", "1717"),
        (-0.3, "whole", "0"),
        (-12.0, "whole", "−12"),
        (0.2, "signed", "0"),
        (3.5, "signed1", "+3.5"),
        (0.64184, "real4", "0.6418"),
        (0.0072, "pm4", "±0.0072"),
        (0.666, "percent", "67 %"),
        (float("nan"), "whole", ""),
        (pd.NA, "whole", ""),
        (pd.NaT, "day", ""),
        (None, "text", ""),
        (pd.Timestamp("2012-05-12"), "day", "2012-05-12"),
        ("a; b", "text", "a; b"),
        ("a; <b>", "lines", "a<br>&lt;b&gt;"),
        (Link("x.html", "<x>"), "text", '<a href="x.html">&lt;x&gt;</a>'),
    ],
)
def test_cell(value: object, kind: str, shown: str) -> None:
    assert str(html.cell(value, kind)) == shown


def test_running_figures() -> None:
    assert html.number(1234567.2) == "1\N{NARROW NO-BREAK SPACE}234\N{NARROW NO-BREAK SPACE}567"
    assert html.many(1, "entry", "entries") == "1 entry"
    assert html.many(2, "game") == "2 games"


def test_slugs_differ_whatever_the_ids() -> None:
    made = html.slugs(["A b", "a/b", "a-b", "..", "你好", "x"])
    assert len(set(made.values())) == 6
    assert all(name and "/" not in name and not name.startswith(".") for name in made.values())
    assert made["A b"] == "a-b"


def test_a_long_table_is_cut_and_says_so() -> None:
    made = html.table("t", "T", [Column("n", range(10), "whole")], most=4)
    assert len(made.rows) == 4
    assert made.left_out == 6


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="unequal"):
        html.table("t", "T", [Column("a", [1, 2]), Column("b", [1])])
