"""The sample's chess club, read back from its files: sections, pairings, results and ratings hang together."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import ratinglab
from ratinglab import checking, names, sample
from ratinglab.sample import club_pairing
from ratinglab.sample.club_office import CHAMPIONSHIPS, DOWN, SECTIONS
from ratinglab.sample.club_pairing import Section
from ratinglab.sample.shipped import contents

DATA = Path(__file__).parents[2] / "data" / "scholastic-club"
SEEDS = [sample.SEED, 1, 2]
Row = dict[str, str]


@dataclass(frozen=True)
class World:
    """The club's tables of one seed as rows of text, and the true strength of (player, date)."""

    files: dict[str, bytes]
    tables: dict[str, list[Row]]
    truth: dict[tuple[str, str], int]

    @property
    def dates(self) -> dict[str, str]:
        return {row["event"]: row["date"] for row in self.tables["events"]}

    @property
    def fields(self) -> dict[tuple[str, str], list[Row]]:
        """The entries of each section in order of number; events in time order."""
        found = defaultdict(list)
        for row in self.tables["entries"]:
            found[row["event"], row["section"]].append(row)
        return dict(found)

    @property
    def played(self) -> dict[tuple[str, str], list[Row]]:
        """The rows of each section's games, byes and forfeits."""
        found = defaultdict(list)
        for row in self.tables["games"]:
            found[row["event"], row["section"]].append(row)
        return dict(found)

    def careers(self) -> dict[str, list[Row]]:
        found = defaultdict(list)
        for row in self.tables["entries"]:
            found[row["player"]].append(row)
        return dict(found)


@cache
def world(seed: int = sample.SEED) -> World:
    made = contents(seed)
    files = {path.split("/")[1]: text for path, text in made.items() if path.startswith("scholastic-club/")}
    tables = {Path(name).stem: _rows(text) for name, text in files.items()}
    truth = {
        (row["player"], row["date"]): int(row["strength"]) for row in _rows(made["true-strengths/scholastic-club.csv"])
    }
    return World(files, tables, truth)


def _rows(content: bytes) -> list[Row]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def points(games: list[Row], until: int = 99) -> Counter[str]:
    made: Counter[str] = Counter()
    for row in games:
        if int(row["round"]) <= until:
            made[row["player"]] += float(row["result"])
            if row["opponent"]:
                made[row["opponent"]] += 1 - float(row["result"])
    return made


def grade(row: Row) -> int:
    return 0 if row["grade"] == "K" else int(row["grade"])


def rank(row: Row) -> float:
    """What a child is ranked and rated by: without a rating, 100 × grade."""
    return float(row["rating"]) if row["rating"] else 100.0 * grade(row)


def expected(difference: float) -> float:
    return 1 / (1 + 10 ** (-difference / 400))


def test_the_set_is_small() -> None:
    sizes = [len(content) for content in world().files.values()]
    assert max(sizes) < 200_000
    assert sum(sizes) < 400_000


def test_it_loads_without_a_fault_to_be_told() -> None:
    history = ratinglab.load(DATA)
    assert checking.check(history) == ()
    assert len(history.events) == 24
    assert set(history.events["system"]) == {"evanston"}
    assert set(history.events["availability"]) == {"rated"}
    assert len(history.games) == len(world().tables["games"])
    assert history.entries["rating"].isna().sum() == sum(not row["rating"] for row in world().tables["entries"])


@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_can_be_taken_for_somebody_of_any_set(seed: int) -> None:
    made = contents(seed)
    people = {path: {row["player"] for row in _rows(made[f"true-strengths/{path}.csv"])} for path in
              ("strengths", "scholastic-club", "diplomacy")}  # fmt: skip
    keys = [names.key(name) for found in people.values() for name in found]
    assert len(keys) == len(set(keys)) > 900
    assert names.near(name for found in people.values() for name in found) == []
    schools = {row["school"] for path, text in made.items() if path.endswith(("members.csv", "b/players.csv"))
               for row in _rows(text)}  # fmt: skip
    assert len(schools) > 40
    assert names.near(schools) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_sections_follow_grade_rating_and_what_was_won(seed: int) -> None:
    """The club's rules once more, child by child: the higher section of the two, once reached kept, up after a win."""
    reached: dict[str, int] = {}
    reasons: Counter[str] = Counter()
    for (event, name), field in world(seed).fields.items():
        if name not in SECTIONS:
            continue
        for row in field:
            by_grade = 0 if grade(row) <= 2 else 1 if grade(row) <= 4 else 2
            by_rating = 0
            for border in (200, 400, 600, 800, 1000):
                by_rating += bool(row["rating"]) and float(row["rating"]) >= border
            due = max(by_grade, by_rating, reached.get(row["player"], 0))
            if row["coach_request"]:
                due += 1
                assert row["coach_request"] == SECTIONS[due]
            reasons[row["override_reason"]] += 1
            if row["override_reason"] == DOWN:
                due -= 1
            if row["section_override"]:
                assert row["section_override"] == name
                assert row["override_reason"] in (DOWN, f"too few in {SECTIONS[due]}")
            else:
                assert (name, row["override_reason"]) == (SECTIONS[due], "")
            reached[row["player"]] = due
        made = points(world(seed).played[event, name])
        for player, score in made.items():
            if score == max(made.values()):
                reached[player] = max(reached[player], min(SECTIONS.index(name) + 1, 5))
    assert reasons[DOWN] == 2
    assert sum(bool(row["coach_request"]) for row in world(seed).tables["entries"]) > 15


@pytest.mark.parametrize("seed", SEEDS)
def test_the_championship_is_by_grade_and_once_a_season(seed: int) -> None:
    titles = [row["event"] for row in world(seed).tables["events"] if row["championship"]]
    order = [row["event"] for row in world(seed).tables["events"]]
    assert [order.index(event) for event in titles] == [7, 15, 23]
    for event in titles:
        fields = {section: field for (where, section), field in world(seed).fields.items() if where == event}
        assert tuple(fields) == CHAMPIONSHIPS
        for section, field in fields.items():
            low, high = section.split(" ")[0].replace("K", "0").split("-")
            assert all(int(low) <= grade(row) <= int(high) for row in field)
        second, reserve = fields["2-3 championship"], fields["2-3 reserve"]
        assert min(map(rank, second)) >= max(map(rank, reserve))


@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_meets_twice_and_team_mates_seldom(seed: int) -> None:
    met = mates = games = 0
    for place, rows in world(seed).played.items():
        school = {row["player"]: row["school"] for row in world(seed).fields[place]}
        pairs = [frozenset((row["player"], row["opponent"])) for row in rows if row["opponent"]]
        met += len(pairs) - len(set(pairs))
        mates += sum(len({school[child] for child in pair}) == 1 for pair in pairs)
        games += len(pairs)
        for number in {row["round"] for row in rows}:
            there = [row[side] for row in rows if row["round"] == number for side in ("player", "opponent")]
            assert max(Counter(filter(None, there)).values()) == 1
    assert met == 0
    assert mates < 0.02 * games


@pytest.mark.parametrize("seed", SEEDS)
def test_equal_scores_meet_and_colours_are_shared(seed: int) -> None:
    gaps: Counter[float] = Counter()
    uneven: Counter[int] = Counter()
    for rows in world(seed).played.values():
        ahead: Counter[str] = Counter()
        for row in rows:
            if row["opponent"]:
                before = points(rows, int(row["round"]) - 1)
                gaps[abs(before[row["player"]] - before[row["opponent"]])] += 1
            if row["status"] == "played":
                assert row["first"] == "1"
                ahead[row["player"]] += 1
                ahead[row["opponent"]] -= 1
        uneven.update(map(abs, ahead.values()))
    assert gaps[0.0] > 0.55 * gaps.total()
    assert sum(count for gap, count in gaps.items() if gap > 1) < 0.1 * gaps.total()
    assert max(uneven) <= 3
    assert uneven[0] + uneven[1] > 0.8 * uneven.total()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_lowest_of_the_lowest_score_group_waits(seed: int) -> None:
    waits = exact = 0
    for place, rows in world(seed).played.items():
        rated = {row["player"]: rank(row) for row in world(seed).fields[place]}
        waited: set[str] = set()
        for row in rows:
            if row["opponent"]:
                continue
            assert (row["result"], row["status"], row["rated"], row["first"]) == ("1", "bye", "0", "")
            before = points(rows, int(row["round"]) - 1)
            here = {r[side] for r in rows if r["round"] == row["round"] for side in ("player", "opponent")} - {""}
            fresh = [child for child in here if child not in waited]
            waits += 1
            exact += (before[row["player"]], rated[row["player"]]) == min((before[c], rated[c]) for c in fresh)
            assert row["player"] not in waited
            waited.add(row["player"])
    # the others would have forced somebody to meet somebody again
    assert 0.97 * waits < exact <= waits
    assert waits > 100


def test_the_first_round_is_upper_half_against_lower_half() -> None:
    section = Section([500.0] * 8, [800, 700, 600, 500, 400, 300, 200, 100], [f"School {i}" for i in range(8)], 1)
    games = club_pairing.play(np.random.default_rng(1), section)
    assert [tuple(sorted((game.white, game.black))) for game in games] == [(0, 4), (1, 5), (2, 6), (3, 7)]
    mates = Section([500.0] * 4, [400, 300, 200, 100], ["A", "B", "A", "B"], 1)
    games = club_pairing.play(np.random.default_rng(1), mates)
    assert sorted(tuple(sorted((game.white, game.black))) for game in games) == [(0, 3), (1, 2)]


def test_a_section_is_paired_even_where_the_rules_cannot_be_kept() -> None:
    games = club_pairing.play(np.random.default_rng(1), Section([500.0] * 4, [0.0] * 4, ["A"] * 4, 5))
    assert len(games) == 10


@pytest.mark.parametrize("seed", SEEDS)
def test_results_follow_the_curve(seed: int) -> None:
    rows = [row for row in world(seed).tables["games"] if row["status"] == "played"]
    result = np.array([float(row["result"]) for row in rows])
    mean = np.array([
        expected(np.subtract(*(world(seed).truth[row[side], world(seed).dates[row["event"]]] for side in
                               ("player", "opponent"))))
        for row in rows
    ])  # fmt: skip
    error = np.std(result - mean) / np.sqrt(len(rows))
    assert abs(np.mean(result - mean)) < 3 * error
    centred = mean - 0.5
    slope = (centred @ (result - 0.5)) / (centred @ centred)
    assert abs(slope - 1) < 3 * np.std(result - mean) / np.sqrt(centred @ centred) < 0.2
    drawn = 0.4 * mean * (1 - mean)
    assert abs(np.sum(result == 0.5) - drawn.sum()) < 3 * np.sqrt(drawn @ (1 - drawn))
    assert 0.07 < drawn.mean() < 0.09


@pytest.mark.parametrize("seed", SEEDS)
def test_the_club_s_ratings_are_its_own_bookkeeping(seed: int) -> None:
    """Each local rating from the entry before: start at 100 × grade, 800/(N + m) up to 100, N up to 6, no floor."""
    after: dict[str, tuple[int, int, str]] = {}
    followed = 0
    for (event, section), field in world(seed).fields.items():
        of = {row["player"]: row for row in field}
        for row in field:
            if row["rating_kind"] == "local" and row["player"] in after:
                filed = int(row["rating"]), int(row["lifetime_games"]), row["as_of"]
                assert filed == after[row["player"]]
                followed += 1
        for row in field:
            own = []
            for game in world(seed).played[event, section]:
                if game["status"] == "played" and row["player"] in (game["player"], game["opponent"]):
                    white = game["player"] == row["player"]
                    other = of[game["opponent"] if white else game["player"]]
                    own.append((float(game["result"]) if white else 1 - float(game["result"]), rank(other)))
            if own:
                games = int(row["lifetime_games"])
                factor = min(100, 800 / (min(games, 6) + len(own)))
                new = rank(row) + factor * sum(score - expected(rank(row) - other) for score, other in own)
                after[row["player"]] = round(new) or 1, games + len(own), world(seed).dates[event]
    assert followed > 800


@pytest.mark.parametrize("seed", SEEDS)
def test_negative_ratings_come_from_low_scores_in_low_sections(seed: int) -> None:
    fell = []
    for career in world(seed).careers().values():
        for before, later in pairwise(career):
            if later["rating_kind"] == "local" and float(later["rating"]) < 0:
                made = points(world(seed).played[before["event"], before["section"]])
                fell.append((before["section"], made[before["player"]]))
    assert len(fell) > 60
    # most of them, as the club says of its own
    assert np.mean([score <= 2 for _, score in fell]) > 0.5
    assert np.mean([section in ("Pawn", "K-1 championship") for section, _ in fell]) > 0.5


@pytest.mark.parametrize("seed", SEEDS)
def test_children_advance_a_grade_each_august_and_leave(seed: int) -> None:
    dates = world(seed).dates
    missing = 0
    for career in world(seed).careers().values():
        for before, later in pairwise(career):
            years = [int(dates[row["event"]][:4]) - (dates[row["event"]][5:7] < "08") for row in (before, later)]
            assert grade(later) - grade(before) == years[1] - years[0] >= 0
            assert (before["school"], before["birth_date"]) == (later["school"], later["birth_date"])
        assert all(0 <= grade(row) <= 8 for row in career)
        born = career[0]["birth_date"]
        missing += not born
        if born:
            first = np.datetime64(dates[career[0]["event"]]) - np.datetime64(born)
            assert -0.5 <= first / np.timedelta64(1, "D") / 365.25 - grade(career[0]) - 5 <= 2
    assert 0.05 < missing / len(world(seed).careers()) < 0.2
    players = {row["player"]: row for row in world(seed).tables["players"]}
    assert players.keys() == world(seed).careers().keys()
    for player, career in world(seed).careers().items():
        last = career[-1]
        assert players[player] == {c: last[c] for c in ("player", "birth_date", "school", "grade")} | {
            "as_of": dates[last["event"]]
        }


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_put_there_is_there(seed: int) -> None:
    entries, games = world(seed).tables["entries"], world(seed).tables["games"]
    for event in world(seed).dates:
        assert sum(row["event"] == event and not row["rating"] for row in entries) >= 1, "newcomers"
    known: set[str] = set()
    for row in entries:
        assert row["player"] not in known or row["rating"], "unrated once only"
        known.add(row["player"])
        assert (row["rating"] == "") == (row["rating_kind"] == "") == (row["as_of"] == "")
    no_shows = [row for row in games if row["status"] == "forfeit"]
    assert len(no_shows) >= 3
    assert all(row["opponent"] and row["rated"] == "0" and row["result"] in "01" for row in no_shows)
    gone = [row for row in entries if row["withdrawn"] == "yes"]
    assert len(gone) == 4
    for row in entries:
        there = {g["round"] for g in world(seed).played[row["event"], row["section"]]
                 if row["player"] in (g["player"], g["opponent"])}  # fmt: skip
        rounds = next(int(e["rounds"]) for e in world(seed).tables["events"] if e["event"] == row["event"])
        assert there == set(map(str, range(1, (rounds // 2 if row["withdrawn"] else rounds) + 1)))
    families = Counter((row["event"], row["school"], row["player"].split(" ")[1]) for row in entries)
    assert sum(count > 1 for count in families.values()) > 20


@pytest.mark.parametrize("seed", SEEDS)
def test_national_ratings_are_more_up_to_date(seed: int) -> None:
    lists: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for row in world(seed).tables["rating_lists"]:
        lists[row["kind"], row["player"]].append((row["list_date"], int(row["rating"])))
    assert {kind for kind, _ in lists} == {"local", "national"}
    nearer = []
    taken = 0
    for row in world(seed).tables["entries"]:
        date = world(seed).dates[row["event"]]
        before = [found for found in lists.get(("national", row["player"]), []) if found[0] <= date]
        if row["rating_kind"] == "national":
            taken += 1
            assert max(before) == (row["as_of"], int(row["rating"]))
        elif before and row["rating"]:
            assert max(before)[1] - int(row["rating"]) < 150
            true = world(seed).truth[row["player"], date]
            nearer.append(abs(int(row["rating"]) - true) - abs(max(before)[1] - true))
    assert taken > 20
    assert len(nearer) > 50
    assert np.mean(nearer) > 3 * np.std(nearer) / np.sqrt(len(nearer))
