"""What a scholastic club says of ratings, counted beside a plain loop over the games."""

from __future__ import annotations

from dataclasses import replace
from math import exp

import numpy as np
import pandas as pd
import pytest
from making import SHARED, Game, Member, Section, dated, history, needs_shared
from scipy.optimize import minimize_scalar

import ratinglab
from ratinglab.backtests.claims import claims
from ratinglab.history import History
from ratinglab.paths import sample_data
from ratinglab.problems import UsageError
from ratinglab.replaying import replay
from ratinglab.sample import individual_circuit

NEAR = "score of the higher-rated, 150 to 250 points apart"
CURVE = "score 200 points apart, by the curve that fits all games best"
UPSETS = "games won by the lower-rated, 50 to 150 points apart"
CLOSE = "games of the sections between players at most 200 points apart"
PAIRS = "the same, of all pairs of entrants, as if nobody were sectioned or paired"
YEARLY = "points a year between a player's first and last rating"


def figure(table: pd.DataFrame, claim: str, basis: str) -> pd.Series:
    rows = table[(table["claim"] == claim) & (table["basis"] == basis)]
    assert len(rows) == 1
    return rows.iloc[0]


@pytest.fixture(scope="module")
def circuit() -> History:
    made, _ = individual_circuit(np.random.default_rng(3), players=30, events=8, rounds=6)
    rng = np.random.default_rng(6)
    return replace(made, entries=made.entries.assign(rating=rng.integers(-200, 1500, len(made.entries)).astype(float)))


def test_gaps_counted_slowly(circuit: History) -> None:
    table = claims(circuit)
    rating = {(e.event, e.player): e.rating for e in circuit.entries.itertuples()}
    near, upset, close, games = [], [], [], []
    for game in circuit.games[circuit.games["status"] == "played"].itertuples():
        gap = rating[game.event, game.player] - rating[game.event, game.opponent]
        score = game.result if gap > 0 else 1 - game.result
        games.append((abs(gap), score))
        close.append(abs(gap) <= 200)
        if 150 <= abs(gap) <= 250:
            near.append(score)
        if 50 <= abs(gap) < 150:
            upset.append(score == 0)
    for claim, values in ((NEAR, near), (UPSETS, upset), (CLOSE, close)):
        row = figure(table, claim, "ratings filed")
        assert row["figure"] == pytest.approx(np.mean(values))
        assert row["counted"] == len(values) > 5
        assert row["low"] < row["figure"] < row["high"]
    pairs = []
    for _, entries in circuit.entries.groupby("event"):
        filed = list(entries["rating"])
        pairs += [abs(a - b) <= 200 for i, a in enumerate(filed) for b in filed[i + 1 :]]
    assert figure(table, PAIRS, "ratings filed")["figure"] == pytest.approx(np.mean(pairs))

    def loss(slope: float) -> float:
        ahead = [1 / (1 + exp(-slope * gap)) for gap, _ in games]
        return -sum(s * np.log(p) + (1 - s) * np.log(1 - p) for p, (_, s) in zip(ahead, games, strict=True))

    slope = minimize_scalar(loss, bounds=(-0.01, 0.01), method="bounded", options={"xatol": 1e-9}).x
    assert figure(table, CURVE, "ratings filed")["figure"] == pytest.approx(1 / (1 + exp(-200 * slope)), abs=1e-5)


def test_the_curve_finds_the_scale_that_results_were_drawn_from() -> None:
    rng, members = np.random.default_rng(2), [[Member(f"P{k:02d}", 400.0 + 40 * k)] for k in range(40)]
    drawn = []
    for _ in range(12):
        games = []
        for played in range(1, 11):
            order = rng.permutation(40)
            for a, b in zip(order[::2].tolist(), order[1::2].tolist(), strict=True):
                p = 1 / (1 + 10 ** (-(a - b) * 40 / 400))
                games.append(Game(played, a, b, None, float(rng.random() < p)))
        drawn.append(Section(members, games, 10))
    row = figure(claims(history(*dated(drawn))), CURVE, "ratings filed")
    assert row["low"] < 0.7597 < row["high"]
    assert row["high"] - row["low"] < 0.06


def test_updates_and_careers(circuit: History) -> None:
    table = claims(circuit)
    changes = replay(circuit, "evanston").changes
    all_won = changes[(changes["games"] > 0) & (changes["wins"] == changes["games"])]
    rows = table[table["claim"] == "all games won: the rating rose"]
    if len(all_won):
        assert rows["figure"].iloc[0] == pytest.approx((all_won["after"] > all_won["before"]).mean())
        assert rows["counted"].iloc[0] == len(all_won)
    rates = []
    days = circuit.events.set_index("event")["end_date"]
    for _, entries in circuit.entries.groupby("player"):
        known = entries.assign(day=entries["event"].map(days)).sort_values("day", kind="stable")
        years = (known["day"].iloc[-1] - known["day"].iloc[0]).days / 365.25
        if years * 365.25 >= 300:
            rates.append((known["rating"].iloc[-1] - known["rating"].iloc[0]) / years)
    found = table[table["claim"] == YEARLY]
    assert len(found) == bool(rates)
    if rates:
        assert found["figure"].iloc[0] == pytest.approx(np.mean(rates))


def test_a_share_of_one_still_has_an_interval() -> None:
    games = [Game(1, 0, 1, None, 1.0)]
    drawn = dated([Section([[Member("A", 1400.0)], [Member("B", 1200.0)]], games, 1)] * 5)
    row = figure(claims(history(*drawn), "elo"), NEAR, "ratings filed")
    assert (row["figure"], row["high"]) == (1.0, 1.0)
    assert row["low"] == pytest.approx(0.025 ** (1 / 5))


def test_only_the_events_asked_for(circuit: History) -> None:
    wanted = list(circuit.events["event"].iloc[:3])
    table = claims(circuit, "elo", events=wanted)
    assert figure(table, CLOSE, "elo")["counted"] == len(circuit.only(wanted).games)
    with pytest.raises(UsageError, match="no event x"):
        claims(circuit, events=["x"])
    with pytest.raises(UsageError, match="found no rated game"):
        claims(circuit, events=[])


def test_winners_of_sections_in_the_sample_club() -> None:
    """In the sample the winner of a section moves up: the share of the points falls, by far more than chance."""
    table = claims(ratinglab.load(*sample_data("scholastic-club"))).set_index("claim")
    then = table.loc["the difference"]
    assert then["high"] < -0.2
    assert then["counted"] > 100
    assert table.loc["winners of a section: share of the points there", "figure"] > 0.8
    grade = table.loc["points from one grade to the next"]
    assert grade["low"] < 115 < grade["high"]


def test_of_true_strengths_the_claim_holds() -> None:
    """The sample's games are drawn from the curve: by what the players were truly worth, 200 points are 3 of 4."""
    club = sample_data("scholastic-club")[0]
    made = ratinglab.load(club)
    true = pd.read_csv(club.parent / "true-strengths" / "scholastic-club.csv", parse_dates=["date"])
    true = true.merge(made.events[["event", "date"]], on="date")[["event", "player", "strength"]]
    entries = made.entries.merge(true, on=["event", "player"], how="left")
    known = replace(made, entries=entries.assign(rating=entries["strength"]).drop(columns="strength"))
    table = claims(known)
    for claim in (NEAR, CURVE):
        row = figure(table, claim, "ratings filed")
        assert row["low"] < 0.7597 < row["high"]
        assert figure(claims(made), claim, "ratings filed")["high"] < 0.72


@needs_shared
def test_juniors_of_a_real_club() -> None:
    """Juniors of data/chess: 200 points score less than 3 of 4, whichever ratings are asked."""
    made = ratinglab.load(SHARED / "chess")
    juniors = made.events.loc[made.events["pool"].fillna("").str.startswith("junior"), "event"]
    table = claims(made, events=juniors)
    for basis in ("ratings filed", "evanston"):
        row = figure(table, CURVE, basis)
        assert row["high"] < 0.75
        assert row["counted"] > 1000
    assert figure(table, YEARLY, "ratings filed")["low"] > 0
