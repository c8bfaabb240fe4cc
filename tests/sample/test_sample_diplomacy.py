"""The sample's Diplomacy circuit, read back from its files: places follow from boards, and boards from strengths."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

import ratinglab
from ratinglab import checking, names, sample
from ratinglab.sample import diplomacy_boards
from ratinglab.sample.diplomacy_boards import Field
from ratinglab.sample.shipped import contents

DATA = Path(__file__).parents[2] / "data" / "diplomacy"
SEEDS = [sample.SEED, 1, 2]
HEADER = "FIRST NAME,NAME,HOMONYME,RANK,EXAEQUO,LOCATION,NATIONALITY,SCORE"
Row = dict[str, str]


@dataclass(frozen=True)
class World:
    """The circuit's files of one seed, its tables as rows of text, and the true strength of (player, date)."""

    files: dict[str, bytes]
    events: dict[str, Row]
    classifications: dict[str, list[Row]]
    boards: dict[str, list[Row]]
    truth: dict[tuple[str, str], int]

    def ranked(self, event: str) -> list[Row]:
        return [row for row in self.classifications[event] if row["RANK"] != "999"]


@cache
def world(seed: int = sample.SEED) -> World:
    made = contents(seed)
    files = {path.split("/")[1]: text for path, text in made.items() if path.startswith("diplomacy/")}
    events = {row["event"]: row for row in _rows(files["events.csv"])}
    by_kind: dict[str, dict[str, list[Row]]] = {
        kind: {name.removesuffix(f"-{kind}.csv"): _rows(text) for name, text in files.items() if f"-{kind}." in name}
        for kind in ("classification", "boards")
    }
    truth = {(row["player"], row["date"]): int(row["strength"]) for row in _rows(made["true-strengths/diplomacy.csv"])}
    return World(files, events, by_kind["classification"], by_kind["boards"], truth)


def _rows(content: bytes) -> list[Row]:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return list(csv.DictReader(io.StringIO(text)))


def player(row: Row) -> str:
    number = "" if row["HOMONYME"] == "1" else f" ({row['HOMONYME']})"
    return f"{row['FIRST NAME']} {row['NAME']}{number}"


def test_the_set_is_small() -> None:
    sizes = [len(content) for content in world().files.values()]
    assert max(sizes) < 200_000
    assert sum(sizes) < 400_000


def test_it_loads_with_the_one_warning_that_is_meant() -> None:
    history = ratinglab.load(DATA)
    problems = checking.check(history)
    assert [(problem.severity, Path(problem.file).name) for problem in problems] == [
        ("warning", "2005-wattle-classification.csv")
    ]
    assert "its places are not rated" in problems[0].found
    events = history.events.set_index("event")
    assert set(events.index) == set(world().events)
    assert set(events["kind"]) == {"placings"}
    assert set(events["availability"]) == {"rated"}
    assert events.loc["2010-new-year", "date"].year == 2009
    of = history.placings.groupby("event")["of"].agg(["min", "max"])
    for event, row in world().events.items():
        assert tuple(of.loc[event].fillna(0)) == (int(row["players"] or 0),) * 2
    placed = set(history.placings["player"].map(names.key))
    assert placed <= {names.key(name) for name, _ in world().truth}
    page = re.findall(rb"^\d", world().files["2006-saltmarsh.txt"], re.MULTILINE)
    assert len(history.placings) == sum(map(len, world().classifications.values())) + len(page)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_events_are_of_every_kind(seed: int) -> None:
    events = world(seed).events
    assert len(events) == 35
    worlds = [row for row in events.values() if row["championship"] == "world"]
    assert [row["date"][:4] for row in worlds] == [str(year) for year in range(1996, 2013)]
    assert sum(row["date"] < "2001" and row["championship"] == "" for row in events.values()) == 2
    assert sum(row["rounds"] == "1" for row in events.values()) == 3
    assert [event for event, row in events.items() if not row["players"]] == ["2005-wattle"]
    sizes = [int(row["players"]) for row in events.values() if row["players"]]
    assert (min(sizes), max(sizes)) == (14, 80)
    circuits = Counter(name for row in events.values() for name in row["circuits"].split(";"))
    assert set(circuits) == {"North American", "European", "Australasian", "Grand Prix"}
    assert any(";" in row["circuits"] for row in events.values())
    assert all(not row["end_date"] or row["end_date"] > row["date"] for row in events.values())
    assert len(world(seed).boards) == 4
    assert [name for name in world(seed).files if name.endswith(".txt")] == ["2006-saltmarsh.txt"]
    assert len(world(seed).classifications) == 34
    nations = {row["NATIONALITY"] for rows in world(seed).classifications.values() for row in rows}
    assert len(nations) >= 8
    assert all(re.fullmatch("[A-Z]{3}", nation) for nation in nations)


@pytest.mark.parametrize("seed", SEEDS)
def test_ties_share_the_best_place_and_the_next_is_left_out(seed: int) -> None:
    ties = 0
    for event, rows in world(seed).classifications.items():
        every = [float(row["SCORE"]) for row in world(seed).ranked(event)]
        missing = 1 if event == "2003-saltmarsh" else 0
        for row in world(seed).ranked(event):
            place = 1 + sum(score > float(row["SCORE"]) for score in every)
            assert int(row["RANK"]) - place in ({0, 1} if missing else {0})
            assert int(row["EXAEQUO"]) == every.count(float(row["SCORE"]))
            ties += row["EXAEQUO"] != "1"
        order = [int(row["RANK"]) for row in rows]
        assert order == sorted(order)
    assert ties > 100


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_fall_short_of_the_header_where_they_should(seed: int) -> None:
    short = {}
    unranked = {}
    for event, rows in world(seed).classifications.items():
        size = int(world(seed).events[event]["players"] or len(rows))
        if size != len(rows):
            short[event] = size - len(rows)
        if count := sum(row["RANK"] == "999" for row in rows):
            unranked[event] = count
    assert short.keys() == {"2001-saltmarsh", "2003-saltmarsh", "2008-saltmarsh"}
    assert short["2003-saltmarsh"] == 1
    assert min(short["2001-saltmarsh"], short["2008-saltmarsh"]) >= 7
    assert unranked == {"2001-kestrel": 3, "2004-copper": 4, "2008-kestrel": 2, "2008-saltmarsh": 2}
    places = {int(row["RANK"]) for row in world(seed).ranked("2003-saltmarsh")}
    shared = {int(row["RANK"]) + k for row in world(seed).ranked("2003-saltmarsh") for k in range(int(row["EXAEQUO"]))}
    assert len(set(range(1, 46)) - places - shared) == 1
    assert max(places | shared) == 45


@pytest.mark.parametrize("seed", SEEDS)
def test_boards_seat_seven_and_their_scores_make_the_classification(seed: int) -> None:
    for event, seats in world(seed).boards.items():
        boards = defaultdict(list)
        rounds = defaultdict(list)
        total: dict[str, float] = defaultdict(float)
        for row in seats:
            boards[row["ROUND"], row["BOARD"]].append(row)
            rounds[row["ROUND"]].append(player(row))
            total[player(row)] += float(row["SCORE"])
        assert len(rounds) == int(world(seed).events[event]["rounds"])
        assert len(boards) == int(world(seed).events[event]["boards"])
        assert all(len(there) == len(set(there)) for there in rounds.values())
        for board in boards.values():
            assert {row["COUNTRY"] for row in board} == set(diplomacy_boards.POWERS)
            assert len(board) == 7
            assert sum(int(row["NB_CENTRE"]) for row in board) == 34
            assert abs(sum(float(row["SCORE"]) for row in board) - 100) < 0.04
            worth = [int(row["NB_CENTRE"]) or int(row["YEAR_ELIMINATION"]) - 2000 for row in board]
            for row, mine in zip(board, worth, strict=True):
                assert int(row["RANK"]) == 1 + sum(other > mine for other in worth)
                assert int(row["EXAEQUO"]) == worth.count(mine)
                assert (row["NB_CENTRE"] == "0") == bool(row["YEAR_ELIMINATION"])
        classified = {player(row): float(row["SCORE"]) for row in world(seed).classifications[event]}
        assert classified.keys() >= total.keys()
        assert all(abs(score - total.get(name, 0)) < 0.005 for name, score in classified.items())


def test_scores_of_a_board() -> None:
    """By squares 100·c²/Σc²; by centres 1, 1 a centre, and 38, 14, 7 for the first three, shared in a tie."""
    for squares in (False, True):
        solos = shared = 0
        for seed in range(60):
            seats = diplomacy_boards.play(np.random.default_rng(seed), Field([1500.0] * 7, 1, squares=squares))
            centres = [seat.centres for seat in seats]
            for seat in seats:
                bonus = {1: 38.0, 2: 14.0, 3: 7.0}
                mean = sum(bonus.get(seat.rank + k, 0) for k in range(seat.shared)) / seat.shared
                usual = 100 * seat.centres**2 / sum(c * c for c in centres) if squares else 1 + seat.centres + mean
                due = 100 * (seat.centres == 18) if max(centres) == 18 else usual
                assert seat.score == pytest.approx(due, abs=0.00501)
            solos += max(centres) == 18
            shared += seats[0].shared > 1
        assert solos > 0
        assert shared > 0


def test_of_two_players_the_stronger_is_ahead_by_the_logistic_curve() -> None:
    strengths = np.tile([1200.0, 1400.0, 1450.0, 1500.0, 1550.0, 1700.0, 1900.0], (20_000, 1))
    played = diplomacy_boards.performances(np.random.default_rng(8), strengths)
    for i, j in combinations(range(7), 2):
        chance = 1 / (1 + np.exp((strengths[0, j] - strengths[0, i]) / 200))
        assert abs(np.mean(played[:, i] > played[:, j]) - chance) < 4 * np.sqrt(chance * (1 - chance) / 20_000)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_strong_are_placed_well(seed: int) -> None:
    agreement = []
    for event in world(seed).classifications:
        rows, date = world(seed).ranked(event), world(seed).events[event]["date"]
        strength = [world(seed).truth[player(row), date] for row in rows]
        agreement.append(kendalltau(strength, [-int(row["RANK"]) for row in rows]).statistic)
    assert np.mean(agreement) > 5 * np.std(agreement) / np.sqrt(len(agreement))


@pytest.mark.parametrize("seed", SEEDS)
def test_two_people_of_one_name_meet(seed: int) -> None:
    nations = defaultdict(set)
    together = Counter()
    for event, rows in world(seed).classifications.items():
        for row in rows:
            nations[player(row)].add(row["NATIONALITY"])
        there = {player(row) for row in rows}
        together.update(name for name in there if f"{name} (2)" in there)
        assert len(there) == len(rows), event
    assert all(len(found) == 1 for found in nations.values())
    seconds = [name for name in nations if name.endswith(" (2)")]
    assert len(seconds) == 2
    assert all(name.removesuffix(" (2)") in nations for name in seconds)
    assert together.total() > 2


@pytest.mark.parametrize("seed", SEEDS)
def test_the_page_has_the_header_and_rows_that_the_database_prints(seed: int) -> None:
    lines = world(seed).files["2006-saltmarsh.txt"].decode().splitlines()
    event = world(seed).events["2006-saltmarsh"]
    assert lines[:4] == [
        "Saltmarsh Classic 2006",
        "Date May 27-28, 2006 Place Saltmarsh",
        f"Number of players38 Number of rounds3 Number of boards{event['boards']}",
        "Coeff 112.86 Coeff 2- Coeff 3-",  # 38/3.5 + 2
    ]
    rows = [re.fullmatch(r"(\d+)(\D+ \D+?)([\d.]+)", line) for line in lines[6:]]
    assert all(rows)
    assert 25 <= len(rows) <= 33  # five untold, and who ties with the first of them
    for row in rows:
        assert row[3] == f"{100 * (38 + 0.5 - int(row[1])) / 38:.2f}"
        first, last = row[2].split(" ")
        assert last == last.upper() != last.lower()
        assert (f"{first} {last.capitalize()}", "2006-05-27") in world(seed).truth


def test_files_before_2001_are_as_programs_then_wrote_them() -> None:
    beyond = 0
    for name, content in world().files.items():
        if not name.endswith("-classification.csv"):
            continue
        old = name < "2001"
        assert content.startswith(HEADER.encode() + (b"\r\n" if old else b"\n"))
        assert (b"\r\n" in content) == old
        assert old or content.decode()
        beyond += old and not content.isascii()
        if old and not content.isascii():
            with pytest.raises(UnicodeDecodeError):
                content.decode()
    assert beyond > 0
