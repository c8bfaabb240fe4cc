"""The page that is voted on: its words follow from the figures, and nothing on it is left unsaid."""

from __future__ import annotations

import dataclasses
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from making import Game, Member, Section
from making import history as made_history

from ratinglab import plots
from ratinglab.history import History
from ratinglab.proposals.list_changes import RATING
from ratinglab.proposals.proposing import CURRENT, PROPOSED, Proposal, propose
from ratinglab.proposals.variants import variants
from ratinglab.reports import decision_answer as answer
from ratinglab.reports import decision_page
from ratinglab.reports import decision_words as words
from ratinglab.reports.decision_tables import groups, tables
from ratinglab.reports.publication import alone, alone_with_data
from ratinglab.sample import individual_circuit
from ratinglab.systems import SYSTEMS, parse

VOID = {"meta", "link", "br", "hr", "img", "path", "use", "circle", "rect", "line"}


class Reader(HTMLParser):
    """Whether every element is closed, every inner link leads somewhere; and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if "id" in told:
            assert told["id"] not in self.ids
            self.ids.add(str(told["id"]))
        if tag == "a":
            self.links.append(str(told["href"]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if dict(attrs).get("id"):
            self.ids.add(str(dict(attrs)["id"]))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.text.append(data)


def read(page: bytes) -> Reader:
    reader = Reader()
    reader.feed(page.decode())
    assert reader.open == []
    return reader


def told(page: bytes) -> str:
    return " ".join(" ".join(read(page).text).split())


@pytest.fixture(scope="module")
def history() -> History:
    """Half of the players are filed with a rating and no number of games, which makes them settled."""
    drawn = individual_circuit(np.random.default_rng(3), players=14, events=16, rounds=4, field=10)[0]
    known = drawn.entries["player"].rank(method="dense") % 2 == 0
    return dataclasses.replace(drawn, entries=drawn.entries.assign(rating=np.where(known, 1500.0, np.nan)))


@pytest.fixture(scope="module")
def proposal(history: History) -> Proposal:
    return propose(history, "glixo", "glixo:tau=160", lines=(1500,), top=4, resamples=60)


@pytest.fixture(scope="module")
def table(history: History) -> pd.DataFrame:
    return variants(history, "glixo", ["elo:k=16|32", "glixo:growth=linear"], resamples=60)


def as_if(p: Proposal, **main: float) -> Proposal:
    """The proposal with other figures in its first row."""
    forecasts = p.forecasts.copy()
    for name, value in main.items():
        forecasts.loc[0, name] = value
    return dataclasses.replace(p, forecasts=forecasts)


# --- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "difference", "low", "high", "found"),
    [
        ("log_loss", 0.002, 0.001, 0.003, "worse"),
        ("log_loss", -0.002, -0.003, -0.001, "better"),
        ("log_loss", 0.002, -0.001, 0.004, "open"),
        ("log_loss", 0.002, 0.0, 0.004, "open"),
        ("log_loss", 0.002, np.nan, np.nan, "unknown"),
        ("log_loss", 0.0, np.nan, np.nan, "same"),
        ("accuracy", 0.0, -0.01, 0.01, "open"),
        ("accuracy", 0.01, 0.005, 0.02, "better"),
        ("concordance", -0.01, -0.02, -0.005, "worse"),
        ("z_sd", 0.1, 0.05, 0.2, "open"),
    ],
)
def test_the_verdict_follows_the_interval(metric: str, difference: float, low: float, high: float, found: str) -> None:
    row = pd.Series({"metric": metric, "difference": difference, "low": low, "high": high})
    assert words.verdict(row) == found


@pytest.mark.parametrize(
    ("figures", "says"),
    [
        (
            {"current": 0.60, "difference": 0.0012, "low": 0.0003, "high": 0.0021},
            "The proposal forecasts worse: hardly by chance, but by little (log loss higher by 0.0012 a game; "
            "95 % interval 0.0003 to 0.0021)",
        ),
        (
            {"current": 0.60, "difference": -0.03, "low": -0.04, "high": -0.02},
            "The proposal forecasts better: hardly by chance, and by much (log loss lower by 0.0300 a game; "
            "95 % interval 0.0200 to 0.0400)",
        ),
        (
            {"current": 0.60, "difference": -0.001, "low": -0.003, "high": 0.0015},
            "These games cannot tell which forecasts better (log loss lower by 0.0010 a game; 95 % interval from "
            "0.0030 lower to 0.0015 higher)",
        ),
        (
            {"difference": 0.001, "low": np.nan, "high": np.nan},
            "One event alone cannot tell which forecasts better (log loss higher by 0.0010 a game)",
        ),
        (
            {"difference": -0.00002, "low": -0.0004, "high": 0.0004},
            "These games cannot tell which forecasts better (log loss the same to 4 decimals; 95 % interval from "
            "0.0004 lower to 0.0004 higher)",
        ),
    ],
)
def test_the_headline(proposal: Proposal, figures: dict[str, float], says: str) -> None:
    assert answer.headline(as_if(proposal, **figures)).startswith(says)


def test_the_size_is_held_against_a_coin(proposal: Proposal) -> None:
    p = as_if(proposal, current=np.log(2) - 0.05, difference=0.01, low=0.005, high=0.02)
    text = answer.answer(p)[0].text
    assert "better than tossing a coin by 0.0500; the difference is 20 % of that" in text
    assert "and noticeably" in answer.headline(p)
    assert "tossing a coin by" not in answer.answer(as_if(proposal, current=0.70, difference=0.01))[0].text


def test_the_answer_has_the_figures_of_the_tables(proposal: Proposal) -> None:
    parts = {part.about: part.text for part in answer.answer(proposal)}
    assert list(parts) == ["Forecasts", "Spreads", "Who gains, who loses", "Lines", "Seeding", "Level", "Sections"]
    counted = proposal.gains()
    assert f"{counted['gain']} gain" in parts["Who gains, who loses"]
    assert "the line of 1500 points" in parts["Lines"].lower()
    share = 100 * proposal.seeding["swapped"] / proposal.seeding["pairs"]
    assert f"{share:.1f} % of all pairs" in parts["Seeding"]
    last = proposal.tables["cohort"].groupby("which").tail(1).set_index("which")["change"]
    assert words.signed(last[CURRENT], 1) in parts["Level"]
    assert words.signed(last[PROPOSED], 1) in parts["Level"]


def test_parts_of_a_change_add_up_as_printed(proposal: Proposal) -> None:
    assert words.adding_up([16.6, -44.6, -14.4], 0) == ["+17", "−45", "−14", "−42"]
    assert words.adding_up([0.4, 0.4, 0.4], 0) == ["0", "+1", "0", "+1"]
    for sentence in words.level_says(proposal):
        whole, *parts = (int(of.replace("−", "-")) for of in re.findall(r"[+−]\d+|\b0\b", sentence))
        assert sum(parts) == whole
        assert len(parts) == 3


def test_the_groups_counted_are_those_shown_with_an_interval(proposal: Proposal) -> None:
    shown = tables(proposal, None)["subsets"]
    assert shown is not None
    some = [row for row in groups(proposal).itertuples() if row.low == row.low and row.difference != 0]
    said = [sentence for sentence in words.limits(proposal, len(some)) if "by chance alone" in sentence]
    assert bool(said) == (len(some) > words.MANY_GROUPS)
    assert f"Of {words.MANY_GROUPS + 1} groups of games with an interval about 1 would" in " ".join(
        words.limits(proposal, words.MANY_GROUPS + 1)
    )
    if said:
        assert said[0] in told(alone(decision_page.page(proposal), 1))


def test_nothing_changes_is_said_and_nothing_else(history: History) -> None:
    p = propose(history, "elo", "elo", resamples=40)
    assert answer.headline(p).startswith("Nothing changes")
    assert len(answer.answer(p)) == 1
    page = told(alone(decision_page.page(p), 1))
    assert "would change nothing" in page
    assert "Nobody crosses a line" in page


def test_the_question_names_what_differs(history: History, proposal: Proposal) -> None:
    assert words.question(proposal) == "Should glixo be run with tau = 160 instead of 90?"
    other = dataclasses.replace(proposal, proposed=dataclasses.replace(proposal.proposed, system=parse("elo:k=32")))
    assert words.question(other) == "Should elo with k = 32 take the place of glixo?"
    assert words.title_of(other) == "Proposal: elo with k = 32 in place of glixo"
    assert [row[:3] for row in words.changed(proposal)] == [("tau", "90", "160")]


def test_what_a_system_says_of_its_parameters_is_found() -> None:
    """A clause of the description; for most parameters there is one, and never one of another parameter."""
    found = {(name, key): words.meaning(kind(), key) for name, kind in SYSTEMS.items() for key in kind().parameters()}
    assert sum(map(bool, found.values())) > len(found) / 2
    assert found["glixo", "tau"].startswith("game points, the spread")
    assert found["coco", "tau"] == found["glixo", "tau"]
    assert found["uscf", "bonus"].endswith("none, or points")
    assert found["elo", "k"] == "points for one win more than expected"
    assert all(len(text) < 200 for text in found.values())


def test_counts_go_with_their_verbs() -> None:
    assert [answer._how_many(count, "comes over") for count in (0, 1, 6)] == [
        "nobody comes over", "1 player comes over", "6 players come over"
    ]  # fmt: skip
    assert [answer._plain_count(count, "gains") for count in (0, 1, 6)] == ["none gains", "1 gains", "6 gain"]


def test_sentences_of_an_explanation_are_shortened() -> None:
    assert words._told("All games: +12.3456 under the first, -0.0000 under the second, 1500 before.") == (
        "All games: +12.35 now, 0 under the proposal, 1500 before."
    )


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_is_whole(proposal: Proposal, table: pd.DataFrame) -> None:
    files = alone_with_data(decision_page.page(proposal, variants=table), 1)
    page = files["decision.html"]
    assert isinstance(page, bytes)
    reader = read(page)
    for link in reader.links:
        assert link.removeprefix("#") in reader.ids if link.startswith("#") else link in {*files, "manifest.json"}
    text = " ".join(reader.text)
    assert not re.search(r"\bnan\b|\bNone\b|<NA>|NaT", text)
    for word in ("The answer", "What this means, and what it does not say", "The vote", "How to read ±", "Against"):
        assert word in text
    assert {"variants.csv", "decision.json", "sections.csv"} <= set(files)
    assert page == alone(decision_page.page(proposal, variants=table), 1)


def test_every_csv_is_led_to(proposal: Proposal, table: pd.DataFrame) -> None:
    files = alone_with_data(decision_page.page(proposal, variants=table), 1)
    links = set(read(alone(decision_page.page(proposal, variants=table), 1)).links)
    assert {name for name in files if name.endswith(".csv")} <= links


@pytest.mark.parametrize(
    ("filed", "proposed", "says"),
    [
        (None, "elo:k=40", "Both forecast exactly alike, but ratings differ"),
        (None, "fide", "No player is rated under both"),  # nobody has played enough to be rated
        (None, "glixo", "Both forecast exactly alike"),
        (None, "naspa", "Both forecast exactly alike"),
        (1700, "elo:scale=400", "One event alone cannot tell which forecasts better"),
    ],
)
def test_one_small_event(filed: float | None, proposed: str, says: str) -> None:
    """One event, three players, a tie: figures without intervals."""
    units = [[Member("Zorn, Ada", filed)], [Member("Yarrow, Bea")], [Member("Xu, Cy")]]
    games = [Game(1, 0, 1, 40, 1.0), Game(2, 0, 2, -10, 0.0), Game(3, 1, 2, 0, 0.5)]
    p = propose(made_history(Section(units, games, 3)), "elo", proposed, lines=(1500,), top=2, resamples=20)
    page = told(alone(decision_page.page(p), 1))
    assert says in page
    assert not re.search(r"\bnan\b", page)


def test_pupils_make_it_a_page_for_the_committee(history: History, proposal: Proposal) -> None:
    assert "meant for the committee" not in told(alone(decision_page.page(proposal), 1))
    entries = history.entries.assign(grade="5")
    p = propose(dataclasses.replace(history, entries=entries), "elo", "elo:k=40", resamples=20)
    assert "meant for the committee" in told(alone(decision_page.page(p), 1))


def test_names_and_titles_are_escaped(history: History) -> None:
    games, entries = history.games.copy(), history.entries.copy()
    name = entries["player"].iloc[0]
    for frame, columns in ((games, ("player", "opponent")), (entries, ("player",))):
        for column in columns:
            frame[column] = frame[column].replace(name, "<b>Zorn & Ada")
    p = propose(dataclasses.replace(history, games=games, entries=entries), "elo", "elo:k=40", resamples=20)
    page = alone(decision_page.page(p, title="K < 40 & more"), 1)
    assert b"<b>Zorn" not in page
    assert b"&lt;b&gt;Zorn &amp; Ada" in page
    assert b"K &lt; 40 &amp; more" in page


def test_tables_show_what_the_files_hold(proposal: Proposal) -> None:
    made = tables(proposal)
    shown = made["forecasts"].rows[0]
    row = proposal.main
    assert shown[0] == "Log loss (a game)"
    assert shown[3] == words.signed(row["difference"], 4)
    assert shown[4] == words.span(row["low"], row["high"], 4)
    assert len(made["players"].rows) == len(proposal.players)
    gainers = [float(r[4].replace("\N{MINUS SIGN}", "-")) for r in made["gainers"].rows]
    assert gainers == sorted(gainers, reverse=True)
    assert all(value > 0 for value in gainers)
    assert [r[0] for r in made["lines"].rows] == ["1500 points", "top 4"]
    assert [r[0] for r in made["volatility"].rows] == [
        {"settled": "settled (50 games or more)"}.get(name, name)
        for name in proposal.tables["volatility"]["experience"].drop_duplicates()
    ]


def test_groups_of_which_nothing_is_known_are_left_to_the_file(proposal: Proposal) -> None:
    shown = groups(proposal)
    assert "not known" not in set(shown["subset"])
    assert set(shown["kind"]) <= {"experience", "juniors", "top", "pool", "division", "grade", "year"}
    assert "spread" in set(proposal.subsets["kind"])


def test_a_history_without_dates_says_that_levels_are_not_known(history: History) -> None:
    none = pd.Series(pd.NaT, index=history.events.index, dtype=history.events["end_date"].dtype)
    undated = dataclasses.replace(history, events=history.events.assign(date=none, end_date=none))
    page = told(alone(decision_page.page(propose(undated, "elo", "elo:k=40", resamples=20)), 1))
    assert "Not known:" in page
    assert "16 events without a date are rated last" in page


# --- pictures ---------------------------------------------------------------------------------------------------------


def test_changes_are_drawn_settled_and_provisional_apart() -> None:
    _, (axis,) = plots.figure(4, 3)
    frame = pd.DataFrame({"current": [1500.0, 1600, np.nan], "change": [5.0, -3, 1], "unsettled": [False, True, False]})
    assert plots.rating_changes(frame, axis, lines=[1550]) is axis
    drawn = {c.get_label(): len(c.get_offsets()) for c in axis.collections}
    assert drawn == {"provisional": 1, "settled": 1}
    assert "1550" in [text.get_text() for text in axis.texts]
    assert axis.get_ylabel() == "change, points"


def test_differences_are_drawn_with_better_and_worse_in_words() -> None:
    _, (axis,) = plots.figure(4, 3)
    frame = pd.DataFrame(
        {"group": ["a", "b"], "difference": [0.01, -0.02], "low": [0.0, np.nan], "high": [0.02, np.nan]}
    )
    assert plots.group_differences(frame, axis, label="log loss") is axis
    assert [tick.get_text() for tick in axis.get_yticklabels()] == ["a", "b"]
    low, high = axis.get_xlim()
    assert low == -high
    assert {"← better", "worse →"} == {text.get_text() for text in axis.texts}


def test_a_cohort_is_drawn_for_both_systems(proposal: Proposal) -> None:
    _, (axis,) = plots.figure(4, 3)
    assert plots.cohorts(proposal.tables["cohort"], axis, names=("now", "then")) is axis
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["now", "then"]
    lines = [container.lines[0] for container in axis.containers]
    assert len({(line.get_marker(), line.get_linestyle()) for line in lines}) == 2  # not by colour alone


def test_lines_by_points_are_on_the_picture(proposal: Proposal) -> None:
    assert (proposal.lines["kind"] == RATING).sum() == 1
    assert b">1500<" in alone(decision_page.page(proposal), 1).replace(b"\n", b"")
