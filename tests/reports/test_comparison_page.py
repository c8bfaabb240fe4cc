"""The page of a comparison: its words in every case that can come up, its figures, and what it leads to."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from math import nan

import numpy as np
import pandas as pd
import pytest
from making import Game, Member, Section, history
from making_placings import Placed
from making_placings import history as of_places

import ratinglab
from ratinglab import plots
from ratinglab.comparison.comparing import Comparison, compare
from ratinglab.reports import comparison_page, comparison_words
from ratinglab.reports.publication import alone, alone_with_data
from ratinglab.sample import individual_circuit


@pytest.fixture(scope="module")
def circuit() -> ratinglab.History:
    return individual_circuit(np.random.default_rng(5), players=12, events=12, rounds=5)[0]


@pytest.fixture(scope="module")
def found(circuit: ratinglab.History) -> Comparison:
    return compare(circuit, ["naspa", "glixo", "elo", "bradley-terry"], resamples=200)


class Reader(HTMLParser):
    """What a reader sees; fails where a tag is left open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.links += [named["href"] or ""] if tag == "a" else []
        self.ids += [named["id"] or ""] if "id" in named else []
        if tag not in ("meta", "br", "path", "use", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("path", "use"):
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.seen.append(data)


def read(page: bytes) -> tuple[str, Reader]:
    reader = Reader()
    reader.feed(page.decode())
    assert reader.open == []
    return " ".join(" ".join(reader.seen).split()), reader


def page_of(c: Comparison) -> tuple[str, Reader]:
    return read(alone(comparison_page.page(c), 3))


def test_the_page_answers_first_and_leads_to_its_files(found: Comparison) -> None:
    text, reader = page_of(found)
    first = text.index(comparison_words.headline(found))
    assert first < text.index("The answer") < text.index("Can they be told apart?") < text.index("Scores")
    files = set(alone_with_data(comparison_page.page(found), 3)) | {"manifest.json"}
    linked = {link for link in reader.links if not link.startswith("#")}
    assert linked == files - {"comparison.html"}
    assert len(reader.ids) == len(set(reader.ids))
    assert not re.search(r"\bnan\b|None|\[\]", text)
    assert "From 3 files" in text


def test_figures_on_the_page_are_those_of_the_tables(found: Comparison) -> None:
    text, _ = page_of(found)
    scores = found.scores.set_index("system")
    for label, row in scores.iterrows():
        if label != "bradley-terry":
            assert f"{label} gave {100 * np.exp(-row['log_loss']):.1f} % to what happened" in text
            assert f"called {1000 * row['accuracy']:.0f} of 1 000 games right" in text
        assert f"{row['log_loss']:.4f} ±{row['log_loss_se']:.4f}" in text
    gaps = found.by_gap[found.by_gap["low"] == 250].set_index("system")
    for label, row in gaps.iterrows():
        assert f"{label}: at {row['gap']:.0f} points on the average, forecast {100 * row['forecast']:.0f} %" in text
    assert "bradley-terry looked at all the games at once" in text
    assert "bradley-terry gave" in text  # among the chances, not among the answers
    assert all("bradley-terry gave" not in sentence for sentence in comparison_words.answers(found))


def with_difference(c: Comparison, system: str, low: float, high: float, p: float = 0.001) -> Comparison:
    """The comparison with another interval of a system's difference in the metric it is told by."""
    table = c.differences.copy()
    at = (table["system"] == system) & (table["metric"] == c.metric)
    table.loc[at, ["difference", "low", "high", "p"]] = [0.01 if np.isnan(low) else (low + high) / 2, low, high, p]
    return replace(c, differences=table)


def test_the_headline_says_better_worse_open_and_not_known(found: Comparison) -> None:
    def said(**intervals: tuple[float, ...]) -> str:
        c = found
        for name, ends in intervals.items():
            c = with_difference(c, name, *ends)
        return comparison_words.headline(c)

    told = said(glixo=(-0.03, -0.01), elo=(0.02, 0.04))
    assert "By log loss, glixo forecasts better than naspa by 0.0200 (0.0100 to 0.0300)" in told
    assert "elo forecasts worse than naspa by 0.0300 (0.0200 to 0.0400)" in told
    assert "bradley-terry" not in told
    assert "elo and naspa cannot be told apart" in said(glixo=(-0.03, -0.01), elo=(-0.02, 0.04))
    assert "glixo, elo and naspa cannot be told apart" in said(glixo=(-0.03, 0.01), elo=(-0.02, 0.04))
    assert "how elo compares with naspa is not known from 12 events" in said(glixo=(-0.03, -0.01), elo=(nan, nan))
    assert "a second test leaves it open, p = 0.20" in said(glixo=(-0.03, -0.01, 0.2), elo=(-0.02, 0.04))


@pytest.mark.parametrize(
    ("best", "told"),
    [
        ({"naspa": False, "glixo": True, "elo": False}, "With 95 % confidence glixo is the best."),
        ({"naspa": True, "glixo": True, "elo": False}, "the best is among naspa and glixo."),
        ({"naspa": True, "glixo": True, "elo": True}, "the best is among naspa, glixo and elo."),
    ],
)
def test_the_headline_names_the_best(found: Comparison, best: dict[str, bool], told: str) -> None:
    table = found.differences.copy()
    for name, kept in best.items():
        table.loc[(table["system"] == name) & (table["metric"] == "log_loss"), "in_best_set"] = kept
    assert told in comparison_words.headline(replace(found, differences=table))


@pytest.mark.parametrize(
    ("low", "high", "metric", "told"),
    [
        (0.1, 0.2, "log_loss", "worse"),
        (-0.2, -0.1, "log_loss", "better"),
        (-0.1, 0.1, "log_loss", "cannot be told apart"),
        (0.1, 0.2, "accuracy", "better"),
        (-0.2, -0.1, "accuracy", "worse"),
        (nan, nan, "brier", ""),
    ],
)
def test_verdicts(low: float, high: float, metric: str, told: str) -> None:
    assert comparison_words.verdict(low, high, metric) == told


@pytest.mark.parametrize(
    ("slope", "se", "told"),
    [(0.6, 0.1, "too surely"), (1.5, 0.1, "too timidly"), (0.95, 0.1, "about as sure"), (nan, nan, "not known")],
)
def test_whether_forecasts_are_too_sure(found: Comparison, slope: float, se: float, told: str) -> None:
    scores = found.scores.assign(calibration_slope=slope, calibration_slope_se=se)
    assert told in comparison_words.answers(replace(found, scores=scores))[0]


def test_a_system_no_better_than_a_coin_is_named(found: Comparison) -> None:
    coin = found.coin.assign(high=np.where(found.coin["system"] == "elo", 0.01, -0.01))
    told = " ".join(comparison_words.answers(replace(found, coin=coin)))
    assert "no better than a coin, which gives both sides 50 %, as far as these games tell: elo." in told
    coin = found.coin.assign(high=-0.01)
    assert "Every system forecasts better than a coin." in comparison_words.answers(replace(found, coin=coin))


@pytest.mark.parametrize(
    ("ties", "unknown", "told"),
    [
        (0, 0, "No game was drawn. The spread of every game is known."),
        (1, 0, "1 game was drawn: a result of ½, in every score. The spread of every game is known."),
        (3, 5, "3 games were drawn: a result of ½, in every score. Of 5 games the spread is not known"),
        (0, 360, "No game was drawn. No spread is known, so that winning alone is scored."),
    ],
)
def test_draws_and_unknown_spreads(found: Comparison, ties: int, unknown: int, told: str) -> None:
    c = replace(found, ties=ties, unknown_spreads=unknown)
    assert c.games == 360
    assert comparison_words.ties(c).startswith(told)


def section(date: str) -> Section:
    units = [[Member(f"Player {c}", 1500.0 + 20 * i)] for i, c in enumerate("ABCD")]
    return Section(units, [Game(1, 0, 1, None, 0.5), Game(1, 2, 3, None, 1.0)], 1, date=date)


def test_a_single_event_says_what_is_not_known() -> None:
    c = compare(history(section("2024-01-01")), ["glixo", "elo"])
    text, _ = page_of(c)
    assert "how elo compares with glixo is not known from 1 event" in text
    assert "cannot be told apart (" not in text
    assert "nan" not in text
    assert "1 game was drawn" in text
    assert "No spread is known" in text


def test_few_events_are_called_rough() -> None:
    c = compare(history(*(section(f"2024-0{month}-01") for month in (1, 2, 3))), ["glixo", "elo"])
    assert "With 3 events they are rough" in page_of(c)[0]


def test_a_metric_that_a_system_does_not_have(circuit: ratinglab.History) -> None:
    c = compare(circuit, ["elo", "glixo", "glixo:tau=100"], metric="spread_log_score", resamples=50)
    assert c.reference == "glixo"
    told = comparison_words.headline(c)
    assert "of elo there is no spread log score" in told
    assert "glixo:tau=100" in told
    assert page_of(c)[0]


def test_tuned_systems_say_so(circuit: ratinglab.History) -> None:
    day = f"{circuit.events['end_date'].iloc[6]:%Y-%m-%d}"
    c = compare(circuit, ["naspa", "elo"], test_from=day, tune=["elo:k=8:80"], resamples=50)
    text, _ = page_of(c)
    assert f"tuned on events before {day}: k=" in text
    assert f"Tuned on the events before {day}" in text
    assert f"that ended on or after {day}" in text
    assert "8 to 80" in text


def test_places_have_a_page_of_their_own() -> None:
    names = [f"Player {c}" for c in "ABCDEF"]
    orders = [names, names, names[::-1], names]
    events = [
        Placed({name: i for i, name in enumerate(order, 1)}, 6, date=f"2010-0{month}-01")
        for month, order in enumerate(orders, 1)
    ]
    c = compare(of_places(*events), ["dip-pouch", "elo:k=1"], resamples=50)
    text, reader = page_of(c)
    assert comparison_words.headline(c).startswith("By final places:")
    assert "Final places foretold" in text
    assert "Scores" not in text
    assert {"order.csv", "order-differences.csv", "manifest.json"} == {x for x in reader.links if not x.startswith("#")}


def test_groups_say_better_and_worse_in_words(found: Comparison) -> None:
    groups = found.by_subset.copy()
    at = (groups["kind"] == "experience") & (groups["system"] == "elo")
    groups.loc[at, ["difference", "low", "high"]] = [0.02, 0.01, 0.03]
    text, _ = page_of(replace(found, by_subset=groups))
    assert "+0.0200 worse (+0.0100 to +0.0300)" in text


def test_most_divisions_are_told_and_the_rest_counted(found: Comparison) -> None:
    one = found.by_subset[found.by_subset["kind"] == "experience"].drop_duplicates("system")
    many = pd.concat([one.assign(kind="division", subset=f"Section {i:02d}", games=300 - i) for i in range(15)])
    text, _ = page_of(replace(found, by_subset=pd.concat([found.by_subset, many], ignore_index=True)))
    assert "Section 11" in text
    assert "Section 12" not in text
    assert "The largest groups; 3 more are in the file." in text


# --- plots ----------------------------------------------------------------------------------------------------------


def test_forest_fills_the_marks_of_those_that_may_be_the_best(found: Comparison) -> None:
    rows = found.differences[(found.differences["metric"] == "log_loss")]
    _, (axis,) = plots.figure(4, 2)
    assert plots.forest(rows, axis, label="Log loss") is axis
    full, hollow = (line for line in axis.lines if line.get_marker() == "o")
    assert len(full.get_xdata()) == rows["in_best_set"].sum()
    assert len(hollow.get_xdata()) == (~rows["in_best_set"]).sum()
    assert hollow.get_markerfacecolor() == "white"
    assert [tick.get_text() for tick in axis.get_yticklabels()] == rows["system"].tolist()
    assert axis.get_yticks()[0] > axis.get_yticks()[-1]  # the first row on top


def test_the_gap_plot_shows_forecast_and_outcome(found: Comparison) -> None:
    rows = found.by_gap[found.by_gap["system"] == "elo"]
    _, (axis,) = plots.figure(4, 2)
    plots.by_gap(rows, axis)
    shown = rows[rows["games"] > 0]
    forecast = next(line for line in axis.lines if line.get_label() == "forecast")
    assert np.asarray(forecast.get_ydata()).tolist() == shown["forecast"].tolist()
    assert np.asarray(forecast.get_xdata()).tolist() == shown["gap"].tolist()
    assert {text.get_text() for text in axis.get_legend().get_texts()} == {"forecast", "won"}


def test_systems_over_time_differ_by_mark_and_line() -> None:
    systems = [f"system {i}" for i in range(6)]
    times = [f"{year}" for year in range(2018, 2026)]
    rows = pd.DataFrame([
        {"system": system, "time": time, "difference": 0.1 * i, "low": 0.1 * i - 0.05, "high": 0.1 * i + 0.05}
        for i, system in enumerate(systems) for time in times
    ])  # fmt: skip
    _, (axis,) = plots.figure(6, 3)
    plots.over_time(rows, axis, label="difference")
    lines = [line for line in axis.lines if len(line.get_xdata()) == len(times)]
    marks = {(line.get_marker(), line.get_linestyle()) for line in lines if line.get_marker() not in ("None", "")}
    assert len(marks) == 6
    assert [tick.get_text() for tick in axis.get_xticklabels()] == times
