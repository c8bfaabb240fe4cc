"""Every printed computation adds up: the rating is recomputed from the printed lines alone."""

from __future__ import annotations

import dataclasses
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from making import SHARED, Game, Member, Section, history, needs_shared, sections

from ratinglab.explaining import explain, rerating, without_names
from ratinglab.explanations import as_html, as_text, rerating_text
from ratinglab.formats import load
from ratinglab.history import History
from ratinglab.paths import sample_data
from ratinglab.problems import UsageError
from ratinglab.replaying import Replay, rate, replay
from ratinglab.systems import PRESETS, SYSTEMS

# what follows the total is the end, or words; a negative rating is followed by a deviation and a score
POINTS = re.compile(r"([+-]\d+\.\d{4}) +(-?\d+\.\d{4})(?:$|  (?! *[\d½]))", re.MULTILINE)
# of games: a weight stands before the points
WEIGHT = re.compile(r" (-?\d+\.\d{6}) +(?:[+-]\d+\.\d{4}|–)", re.MULTILINE)


def stated(text: str, name: str) -> str:
    return re.search(rf"^  {re.escape(name)} +(\S+)", text, re.MULTILINE)[1]


def recomputed(text: str) -> tuple[Decimal, Decimal]:
    """The rating that the printed lines add up to, and the one that is printed."""
    before = stated(text, "rating without games" if "looks back" in text else "rating before")
    total = Decimal(0) if before == "unrated" else Decimal(before)
    for points, printed in POINTS.findall(text):
        total += Decimal(points)
        assert total == Decimal(printed)
    after = stated(text, "rating after")
    return total, Decimal(0) if after == "unrated" else Decimal(after)


def check_everybody(result: Replay, event: str) -> int:
    """Explain every entrant of the event; how many there were."""
    changes = result.changes
    rows = changes[changes["event"] == event]
    for row in rows.itertuples():
        made = explain(result, event, row.player, row.section)
        text = as_text(made)
        total, after = recomputed(text)
        assert total == after, text
        assert made.after == pytest.approx(row.after, abs=1e-9, nan_ok=True)
        if not np.isnan(row.after):
            assert float(after) == pytest.approx(row.after, abs=5.1e-5)
        if WEIGHT.search(text):
            weight = Decimal(stated(text, "weight before, 1,000,000/deviation²"))
            assert weight + sum(map(Decimal, WEIGHT.findall(text))) == Decimal(
                stated(text, "weight after, 1,000,000/deviation²")
            )
    return len(rows)


GAMES = [name for name, system in SYSTEMS.items() if system.rates == "games"]


@pytest.mark.parametrize("system", [*GAMES, *PRESETS])
def test_whatever_is_played_the_printed_lines_add_up(system: str) -> None:
    @settings(max_examples=8)
    @given(sections(max_rounds=40))
    def run(section: Section) -> None:
        check_everybody(rate(history(section), system), "e1")

    run()


@pytest.mark.parametrize("system", ["glixo", "elo", "naspa"])
def test_members_of_teams_are_explained_each_on_their_own(system: str) -> None:
    @settings(max_examples=8)
    @given(sections(teams=True))
    def run(section: Section) -> None:
        check_everybody(rate(history(section), system), "e1")

    run()


REAL = {
    "tsh": ("tsh/133_canadian-scrabble-classic", "133_canadian-scrabble-classic"),
    "coco": ("coco/results/wordcup-d1-2022-results.csv", "wordcup-d1-2022"),
    "chess": ("chess/uscf_crosstable.txt", "uscf_crosstable"),
}


@needs_shared
@pytest.mark.parametrize("system", [*GAMES, *PRESETS])
@pytest.mark.parametrize("event", REAL)
def test_everybody_in_real_events(event: str, system: str) -> None:
    path, name = REAL[event]
    entrants = check_everybody(rate(load(SHARED / path), system), name)
    assert entrants >= 20


@needs_shared
def test_everybody_in_the_printed_dixie_table() -> None:
    """The event page in the source document: 29 places of 36 entrants, under the system of places."""
    history = load(SHARED.parent / "sources" / "wdd-dip-pouch-rating.txt")
    event = history.events["event"].iloc[0]
    assert check_everybody(rate(history, "dip-pouch"), event) == 29


def test_everybody_in_a_diplomacy_event_of_the_sample() -> None:
    result = replay(load(*sample_data("diplomacy")), "dip-pouch")
    assert check_everybody(result, "2008-saltmarsh") >= 14


def going_on() -> History:
    """Two events a year apart; Bram Quill sits the second half of the first one out."""
    units = [[Member("Tamsin, Orla", 1500.0, 60.0)], [Member("Bram Quill", 1400.0)], [Member("Ilse Dorn")]]
    first = Section(units, [Game(1, 0, 1, 40, 1.0), Game(2, 0, 2, -15, 0.0)], 2, date="2024-01-06")
    second = Section(units, [Game(1, 0, 1, 10, 1.0), Game(2, 1, 2, None, 0.5)], 2, date="2025-01-05")
    return history(first, second)


def test_time_between_events_is_told() -> None:
    made = explain(replay(going_on(), "glixo:growth=linear,c=5"), "e2", "orla tamsin")
    grown = made.rows[made.rows["kind"] == "time"]
    assert grown["name"].tolist() == ["deviation"]
    assert "365 days" in grown["because"].iloc[0]
    before = made.rows.loc[(made.rows["kind"] == "before") & (made.rows["name"] == "deviation"), "value"].iloc[0]
    assert grown["value"].iloc[0] == pytest.approx(np.sqrt(before**2 + 25 * 365))


def test_a_game_without_a_spread_is_told_as_not_rated_by_glixo() -> None:
    text = as_text(explain(replay(going_on(), "glixo"), "e2", "Ilse Dorn"))
    assert "its spread is not known" in text
    assert "stays at" in text


def uncounted(result: Replay, event: str, player: str) -> list[tuple[int, str, str]]:
    rows = explain(result, event, player).rows
    return [tuple(row) for row in rows.loc[rows["kind"] == "not rated", ["round", "opponent", "name"]].to_numpy()]


def test_a_game_rated_beside_other_events_is_not_told_as_not_rated() -> None:
    """Events rated each on its own go in one batch, in which one name stands for a person in each of them."""
    for event in ("e1", "e2"):
        assert uncounted(rate(going_on(), "elo"), event, "Ilse Dorn") == []


def test_of_two_games_with_one_opponent_in_a_round_the_one_not_rated_is_told() -> None:
    units = [[Member("Tamsin, Orla", 1500.0)], [Member("Bram Quill", 1400.0)]]
    games = [Game(1, 0, 1, None, 1.0), Game(1, 0, 1, 40, 1.0), Game(2, 0, 1, 5, 1.0)]
    result = rate(history(Section(units, games, 2)), "glixo")
    assert uncounted(result, "e1", "Bram Quill") == [(1, "Tamsin, Orla", "its spread is not known")]


def test_a_game_that_the_file_says_is_not_rated() -> None:
    made = going_on()
    games = made.games.assign(rated=made.games["rated"].mask(made.games["event"] == "e1", 0))
    found = uncounted(rate(dataclasses.replace(made, games=games), "elo"), "e1", "Bram Quill")
    assert found == [(1, "Tamsin, Orla", "the file says so")]


def test_time_is_told_by_what_it_does() -> None:
    made = explain(replay(going_on(), "elo-margin:season_month=1,reversion=0.5,mean=1300"), "e2", "Bram Quill")
    told = made.rows[made.rows["kind"] == "time"]
    assert told["name"].tolist() == ["rating"]
    assert told["because"].tolist() == [
        "a new season takes 0.5 of the way to 1300 (to 1300 after a season missed): 365 days since the last rated game"
    ]
    again = explain(replay(going_on(), "coco"), "e2", "Ilse Dorn").rows
    assert "rating" not in set(again.loc[(again["kind"] == "time") & again["value"].isna(), "name"])


def test_somebody_who_falls_below_the_lowest_rating_was_rated() -> None:
    """FIDE: 1400 less a lost game is unrated; that is a rule, and not a want of games."""
    units = [[Member("Tamsin, Orla", 1500.0)], [Member("Bram Quill", 1400.0)]]
    text = as_text(explain(rate(history(Section(units, [Game(1, 0, 1, None, 1.0)], 1)), "fide"), "e1", "Bram Quill"))
    assert "There is no rating after the event: the rules below say why." in text
    assert "who falls below the lowest rating is unrated" in " ".join(text.split())


def test_who_sits_an_event_out_is_told_so() -> None:
    text = as_text(explain(replay(going_on(), "elo"), "e2", "Ilse Dorn"))
    assert "could be rated" not in text
    units = [[Member("Tamsin, Orla", 1500.0)], [Member("Bram Quill", 1400.0)], [Member("Ilse Dorn", 1300.0)]]
    result = rate(history(Section(units, [Game(1, 0, 1, 5, 1.0)], 1)), "elo")
    text = as_text(explain(result, "e1", "Ilse Dorn"))
    assert "No result of the event could be rated.\nThe rating stays at 1300." in text


def test_passes_that_find_nothing_more_to_do_are_not_shown() -> None:
    text = as_text(explain(rate(going_on(), "naspa"), "e1", "Ilse Dorn"))
    assert "pass 1" in text
    assert "pass 9" not in text


def test_words_are_explained_where_they_are_shown() -> None:
    glixo, naspa = (as_text(explain(rate(going_on(), s), "e1", "Bram Quill")) for s in ("glixo", "naspa"))
    assert "  played like  the strength that this game alone speaks for" in glixo
    assert "played like" not in naspa
    assert "points for each win more than expected" in naspa


def test_how_a_team_counts_is_told() -> None:
    units = [[Member("A", 1500.0), Member("B", 1400.0)], [Member("C", 1600.0)]]
    section = Section(units, [Game(1, 0, 1, 10, 1.0)], 1, teams=True)
    alone = explain(rate(history(section), "elo"), "e1", "C")
    assert "A team counts as an opponent with the mean of its members' ratings" in as_text(alone)
    assert "A team counts" not in as_text(explain(rate(going_on(), "elo"), "e1", "Bram Quill"))


def test_a_spread_that_counts_whole_stands_once() -> None:
    """A cap below some spread of the player's shows both."""
    units = [[Member("Tamsin, Orla", 1500.0)], [Member("Bram Quill", 1400.0)]]
    for caps, shown in (((), False), ((30, 30), True)):
        section = Section(units, [Game(1, 0, 1, 40, 1.0), Game(2, 0, 1, 5, 1.0)], 2, caps=caps)
        assert ("counted spread" in as_text(explain(rate(history(section), "glixo"), "e1", "Bram Quill"))) is shown


def test_figures_that_are_not_the_ratings_own_are_refused() -> None:
    result = replay(going_on(), "elo")
    result.after["rating"][:] += 1.0
    with pytest.raises(ArithmeticError, match="rated once more"):
        explain(result, "e1", "Ilse Dorn")


@pytest.mark.parametrize(
    ("event", "player", "told"),
    [
        ("e33", "Ilse Dorn", "no event e33; the events are: e1, e2"),
        ("e1", "Ilse Dohrn", "perhaps Ilse Dorn is meant"),
        ("e1", "Nobody", "Nobody does not take part in e1"),
    ],
)
def test_who_is_not_there(event: str, player: str, told: str) -> None:
    with pytest.raises(UsageError) as error:
        explain(replay(going_on(), "elo"), event, player)
    assert told in str(error.value)


def test_a_team_is_not_a_player() -> None:
    units = [[Member("A", 1500.0), Member("B", 1400.0)], [Member("C", 1600.0)]]
    section = Section(units, [Game(1, 0, 1, 10, 1.0)], 1, teams=True)
    with pytest.raises(UsageError, match="A; B"):
        explain(rate(history(section), "glixo"), "e1", "Team A")


def test_of_one_system_with_details() -> None:
    for result in (replay(going_on(), "elo", details=False), replay(going_on(), SYSTEMS["elo"](k=(10, 20)))):
        with pytest.raises(UsageError, match="one system"):
            explain(result, "e1", "Ilse Dorn")


def test_a_rerating_that_changes_nothing_says_why() -> None:
    one, other = (explain(rate(going_on(), s), "e1", "Bram Quill") for s in ("naspa", "naspa:acceleration=0"))
    made = rerating(one, other)
    text = " ".join(rerating_text(made).split())
    assert "under both: nothing changes" in text
    assert "acceleration adds nothing under either" in text
    assert "Every opponent counts with the same rating under both" in text
    assert made.rows["difference"].abs().max() == 0


def test_a_rerating_that_changes_something_says_by_what() -> None:
    one, other = (explain(rate(going_on(), s), "e1", "Bram Quill") for s in ("elo", "elo:k=40"))
    made = rerating(one, other)
    assert made.rows["difference"].sum() == pytest.approx(other.after - one.after)
    assert f"{other.after - one.after:+.4f}" in made.sentences[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("naspa", "naspa:acceleration=0"), ("glixo", "elo"), ("uscf", "naspa"), ("elo:k=8", "elo:k=40"),
        ("glixo", "glixo:initial=1200,growth=linear"), ("elo-margin:season_month=1", "elo"),
    ],
)  # fmt: skip
def test_what_differs_adds_up_from_the_ratings_before(one: str, other: str) -> None:
    """In a whole history the event may begin from other ratings: that is told too, and no part of it is left out."""
    for player in ("Ilse Dorn", "Tamsin, Orla", "Bram Quill"):
        made = rerating(*(explain(replay(going_on(), s), "e2", player) for s in (one, other)))
        change = made.other.after - made.one.after
        assert made.rows["difference"].sum() == pytest.approx(change, abs=1e-9)
        told = 0.0
        for sentence in made.sentences[1:]:
            if found := re.search(r": ([+-][\d.]+) under the first, ([+-][\d.]+) under the second\.$", sentence):
                told += float(found[2]) - float(found[1])
            elif found := re.search(r"already another: .* \(([+-][\d.]+)\)\.$", sentence):
                told += float(found[1])
        assert told == pytest.approx(change, abs=1e-3), made.sentences


def test_what_differs_stands_in_the_order_of_the_computation() -> None:
    made = rerating(*(explain(rate(going_on(), s), "e1", "Tamsin, Orla") for s in ("naspa", "naspa:k_low=40")))
    kinds = made.rows["kind"].drop_duplicates().tolist()
    assert kinds == ["before", "game", "rule"]
    assert made.rows.loc[made.rows["kind"] == "game", "round"].is_monotonic_increasing


def test_a_rule_of_one_system_alone_is_told_where_it_adds_something() -> None:
    made = rerating(*(explain(rate(going_on(), s), "e1", "Bram Quill") for s in ("naspa", "uscf")))
    assert "absolute floor" not in " ".join(made.sentences)


def test_a_game_gone_through_twice_counts_once() -> None:
    """US Chess goes through every game twice; in e2 an opponent has another rating in both sweeps."""
    systems = ("uscf", "uscf:unknown_initial=1500")
    made = rerating(*(explain(replay(going_on(), s), "e2", "Tamsin, Orla") for s in systems))
    told = [sentence for sentence in made.sentences if "count" in sentence]
    assert len(told) == 1
    assert "in one game" in told[0]


def test_the_page_holds_what_the_text_says() -> None:
    one, other = (explain(rate(going_on(), s), "e1", "Tamsin, Orla") for s in ("glixo", "glixo:b=6"))
    page = as_html(one, rerating(one, other)).decode()
    for figure in re.findall(r"\d+\.\d{4}", as_text(one)):
        assert figure in page
    assert "Against another system" in page
    assert "<script" not in page
    assert page.count("<table") == 1
    assert "Not rated" not in page


def test_the_steps_as_a_table() -> None:
    made = explain(rate(going_on(), "naspa"), "e1", "Tamsin, Orla")
    assert list(made.rows.columns[:6]) == ["part", "kind", "name", "round", "opponent", "opponent_rating"]
    assert made.rows["points"].sum() == pytest.approx(made.after - made.before, abs=1e-9)
    assert isinstance(made.rows, pd.DataFrame)


def club(tmp_path, system: str, grade: str = "2") -> Replay:
    """A child of few games against rated ones: a win, a loss, a draw, and a win that was as good as sure."""
    (tmp_path / "entries.csv").write_text(
        "event,player,rating,lifetime_games,grade\n"
        f"s,Ada Zorn,500,4,{grade}\ns,Bo Lunt,600,40,5\ns,Cy Marl,450,40,4\ns,Dot Roe,520,40,4\ns,Ed Fay,-600,40,1\n"
    )
    (tmp_path / "games.csv").write_text(
        "event,round,player,opponent,result\n"
        "s,1,Ada Zorn,Bo Lunt,1\ns,2,Ada Zorn,Cy Marl,0\ns,3,Ada Zorn,Dot Roe,0.5\ns,4,Ada Zorn,Ed Fay,1\n"
    )
    (tmp_path / "events.csv").write_text("event,date\ns,2018-01-10\n")
    return rate(load(tmp_path), system)


def test_under_the_special_formula_each_game_tells_what_it_gave(tmp_path) -> None:
    """The root is a mean: a win counts as a game at 400 above the opponent, a loss at 400 below, N' games at R."""
    made = explain(club(tmp_path, "uscf"), "s", "Ada Zorn")
    games = made.rows[(made.rows["kind"] == "game") & made.rows["points"].notna()]
    opponents = games["opponent_rating"].to_numpy()
    played_at = opponents[:3] + 400 * np.array([1, -1, 0])
    np.testing.assert_allclose(games["points"].to_numpy()[:3], (played_at - 500) / (4 + 3), atol=1e-9)
    assert games["points"].iloc[3] == pytest.approx(0, abs=1e-9)  # beyond 400 points a win is no more than due
    assert games["points"].sum() == pytest.approx(made.after - made.before, abs=1e-9)


def test_a_system_without_floors_does_not_speak_of_them(tmp_path) -> None:
    for system, told in (("uscf", True), ("evanston", False)):
        one, other = (explain(club(tmp_path, s), "s", "Ada Zorn") for s in (system, f"{system}:bonus=10"))
        assert ("floor" in rerating_text(rerating(one, other))) is told


def test_a_place_that_is_not_rated_says_why() -> None:
    result = replay(load(*sample_data("diplomacy")), "dip-pouch")
    entries = result.changes[result.changes["event"] == "2005-wattle"]
    text = as_text(explain(result, "2005-wattle", entries["player"].iloc[0]))
    assert "the number of players is not known" in text


def test_under_a_system_of_places_games_are_not_missed() -> None:
    result = replay(load(*sample_data("diplomacy")), "dip-pouch")
    entries = result.changes[result.changes["event"] == "2005-kestrel"]
    assert "spread" not in as_text(explain(result, "2005-kestrel", entries["player"].iloc[0]))


def test_opponents_by_number_name_nobody_else(tmp_path) -> None:
    result = club(tmp_path, "uscf")
    made = without_names(explain(result, "s", "Ada Zorn"), result.schedule.history)
    text = as_text(made) + as_html(made).decode()
    assert "no. 2" in text
    assert not [name for name in ("Lunt", "Marl", "Roe", "Fay") if name in text]
    assert recomputed(as_text(made))[0] == recomputed(as_text(made))[1]
