"""The shipped sample is what the generator makes, hangs together, and follows the model it says it follows."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ratinglab import names, sample
from ratinglab.history import History
from ratinglab.sample import open_events, school
from ratinglab.sample.__main__ import main
from ratinglab.sample.people import school_year
from ratinglab.sample.shipped import contents
from ratinglab.sample.tournament import Plan, play, team_strength

DATA = Path(__file__).parents[2] / "data"
PARTS = ("school-circuit", "open-circuit", "scholastic-club", "diplomacy", "worked-examples", "true-strengths")
SEEDS = [sample.SEED, 1, 2]
DAYS = {spec.event: spec.day for spec in (*school.EVENTS, *open_events.EVENTS)}
CAPS = {spec.event: spec.caps for spec in school.EVENTS}


@dataclass(frozen=True)
class Entrant:
    """One line of a `.t` file, read in the plainest way."""

    event: str
    section: str
    number: int
    name: str
    rating: str
    pairings: list[int]
    scores: list[int]
    keys: dict[str, str]


@dataclass(frozen=True)
class World:
    """Everything in the two Scrabble circuits of one seed, read back from the bytes."""

    lines: dict[tuple[str, str, int], Entrant]
    members: dict[tuple[str, str, int], list[dict[str, str]]]
    truth: dict[tuple[str, dt.date], int]

    def strength(self, line: Entrant) -> float:
        people = self.members.get((line.event, line.section, line.number), [{"player": line.name}])
        return team_strength([self.truth[person["player"], DAYS[line.event]] for person in people])

    def games(self, circuit: str) -> list[tuple[Entrant, Entrant, int, int]]:
        """Played games once each: (entrant whose name sorts first, opponent, round, spread)."""
        found = []
        for line in self.of(circuit):
            for r, (opponent, score) in enumerate(zip(line.pairings, line.scores, strict=True)):
                if opponent:
                    other = self.lines[line.event, line.section, opponent]
                    if line.name < other.name and score and other.scores[r]:
                        found.append((line, other, r + 1, score - other.scores[r]))
        return found

    def of(self, circuit: str) -> list[Entrant]:
        known = {spec.event for spec in (school if circuit == "school" else open_events).EVENTS}
        return [line for line in self.lines.values() if line.event in known]

    def seasons(self) -> dict[str, list[tuple[dt.date, dict[str, str]]]]:
        """Every child's rows in time order."""
        rows = defaultdict(list)
        for (event, _, _), people in self.members.items():
            for person in people:
                rows[person["player"]].append((DAYS[event], person))
        return {child: sorted(found, key=lambda row: row[0]) for child, found in rows.items()}


@cache
def world(seed: int = sample.SEED) -> World:
    lines, members, truth = {}, defaultdict(list), {}
    for path, content in contents(seed).items():
        event = path.split("/")[1]
        if path.endswith(".t"):
            kept = [line for line in content.decode("latin-1").splitlines() if line and not line.startswith("#")]
            for number, text in enumerate(kept, start=1):
                found = re.fullmatch(r"(.+?) +(\S+?)((?: \d+)*) ?;((?: -?\d+)*) ?((?:; [^;]+)*)", text)
                assert found, text
                name, rating, pairings, scores, words = found.groups()
                keys = dict(word.strip().split(" ", 1) for word in words.split(";") if word.strip())
                section = Path(path).stem.upper()
                line = Entrant(event, section, number, name, rating, _whole(pairings), _whole(scores), keys)
                lines[event, section, number] = line
        elif path.endswith("members.csv"):
            for row in csv.DictReader(io.StringIO(content.decode())):
                members[event, row["section"], int(row["number"])].append(row)
        elif path == "true-strengths/strengths.csv":
            for row in csv.DictReader(io.StringIO(content.decode())):
                truth[row["player"], dt.date.fromisoformat(row["date"])] = int(row["strength"])
    return World(lines, dict(members), truth)


def _whole(text: str) -> list[int]:
    return [int(word) for word in text.split()]


def _slope(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Regression through the origin: slope, its standard error, standard deviation of the residuals."""
    slope = (x @ y) / (x @ x)
    residual = float(np.sqrt(np.mean((y - slope * x) ** 2)))
    return float(slope), residual / float(np.sqrt(x @ x)), residual


def _follows_the_model(difference: np.ndarray, spread: np.ndarray, b: float, tau: float) -> None:
    slope, error, residual = _slope(difference, spread)
    assert abs(slope - 1 / b) < 3 * error
    assert abs(residual - tau) < 3 * tau / np.sqrt(2 * len(spread))
    assert abs(np.mean(spread - difference / b)) < 3 * tau / np.sqrt(len(spread))
    # the same test would see a b that is half a point off
    assert error < (1 / b - 1 / (b + 0.5)) / 3


def test_the_files_in_data_are_the_generators(tmp_path: Path) -> None:
    assert main([str(tmp_path), "--seed", str(sample.SEED)]) == 0
    made = {path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    shipped = {
        path.relative_to(DATA).as_posix(): path.read_bytes()
        for part in PARTS
        for path in (DATA / part).rglob("*")
        if path.is_file()
    }
    assert sorted(made) == sorted(shipped)
    assert [path for path in made if made[path] != shipped[path]] == []
    assert max(map(len, made.values())) < 300_000
    assert sum(map(len, made.values())) < 2_000_000


def test_another_seed_is_another_world_and_leaves_nothing_of_the_one_before(tmp_path: Path) -> None:
    one, other = contents(1), contents(2)
    assert sum(one[path] != other[path] for path in one if path.endswith(".t")) > 30
    assert one.keys() - other.keys()  # the case at hand: a members.csv that the other seed does not have
    sample.write(tmp_path, 1)
    (tmp_path / "README.md").write_text("mine")
    sample.write(tmp_path, 2)
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert left == other.keys() | {"README.md"}


@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_can_be_taken_for_somebody_else(seed: int) -> None:
    people = {player for player, _ in world(seed).truth}
    schools = {person["school"] for people in world(seed).members.values() for person in people}
    assert len(people) > 350
    assert names.near(people) == []
    assert names.near(schools) == []
    assert len({name.split(",")[0] for name in people}) < len(people)  # families
    assert any(not name.isascii() for name in people)
    assert not [line.name for line in world(seed).lines.values() if re.search(r"\d", line.name)]


def test_tens_of_thousands_of_names_stay_apart() -> None:
    made = sample.person_names(np.random.default_rng(5), 30_000)
    assert len(set(map(names.key, made))) == 30_000
    assert names.near(made) == []
    with pytest.raises(ValueError, match="invented names"):
        sample.person_names(np.random.default_rng(5), 10_000_000)


@pytest.mark.parametrize("seed", SEEDS)
def test_pairings_are_mutual_and_scores_are_there(seed: int) -> None:
    for line in world(seed).lines.values():
        assert len(line.pairings) == len(line.scores)
        for r, opponent in enumerate(line.pairings):
            board, first = (_whole(line.keys[key])[r] if key in line.keys else None for key in ("board", "p12"))
            if not opponent:
                assert line.scores[r] in (50, -50)
                assert (board, first or 0) == (0, 0)
                continue
            other = world(seed).lines[line.event, line.section, opponent]
            assert other.pairings[r] == line.number != opponent
            assert _whole(other.keys["board"])[r] == board
            assert "p12" not in line.keys or {first, _whole(other.keys["p12"])[r]} in ({1, 2}, {4})
            low, high = sorted((line.scores[r], other.scores[r]))
            assert (low, high) == (0, 50) or low >= 150


@pytest.mark.parametrize("seed", SEEDS)
def test_firsts_are_shared_and_byes_and_repeats_are_rare(seed: int) -> None:
    sizes = Counter(key[:2] for key in world(seed).lines)
    for line in world(seed).lines.values():
        firsts = Counter(_whole(line.keys.get("p12", "")))
        assert abs(firsts[1] - firsts[2]) <= 3
        size = sizes[line.event, line.section]
        assert line.scores.count(50) <= max(2, len(line.scores) // 6)
        if size >= 2 * len(line.pairings) and size > 12:
            met = [opponent for opponent in line.pairings if opponent]
            assert len(met) - len(set(met)) <= 1


def test_the_planted_quirks_are_there() -> None:
    lines = world().lines.values()
    for circuit in ("school", "open"):
        of = world().of(circuit)
        assert any(line.scores[:3].count(-50) == 2 and "off" not in line.keys for line in of), "latecomer"
        assert any(line.keys.get("off") == "-50" and line.scores[-1] == -50 for line in of), "withdrawn"
        assert any(0 in line.scores for line in of), "no-show"
        assert any(50 in line.scores for line in of), "bye"
        assert any(not spread for _, _, _, spread in world().games(circuit)), "tie"
    blowouts = [
        abs(spread) - CAPS[line.event][r - 1]
        for line, _, r, spread in world().games("school")
        if r <= len(CAPS[line.event])
    ]
    assert max(blowouts) > 150
    assert sum(over > 0 for over in blowouts) > 50
    assert {line.rating for line in world().of("school")} == {"0", "0+0+0"}
    assert any("4" in line.keys.get("p12", "") for line in lines)
    assert sorted({spec.rounds for spec in open_events.EVENTS if spec.rounds > 16}) == [20, 28, 36]
    assert len(open_events.EVENTS) == 24


@pytest.mark.parametrize("seed", SEEDS)
def test_children_advance_a_grade_a_year_and_leave(seed: int) -> None:
    for rows in world(seed).seasons().values():
        for (before, was), (after, now) in pairwise(rows):
            assert int(now["grade"]) - int(was["grade"]) == school_year(after) - school_year(before) >= 0
            assert (was["school"], was["birth_date"]) == (now["school"], now["birth_date"])
        for day, row in rows:
            age = (day - dt.date.fromisoformat(row["birth_date"])).days / 365.25
            assert -0.5 <= age - int(row["grade"]) - 5 <= 2
    for line in world(seed).of("school"):
        people = world(seed).members[line.event, line.section, line.number]
        grades = [line.keys[f"grade{k}"] for k in range(1, len(people) + 1)]
        assert f"grade{len(people) + 1}" not in line.keys
        assert grades == [person["grade"] for person in people]
        assert all(4 <= int(grade) <= 8 for grade in grades)
        assert line.name.startswith(people[0]["school"])


def test_partners_change_and_some_play_alone() -> None:
    partners = defaultdict(set)
    sizes = Counter()
    for line in world().of("school"):
        team = [person["player"] for person in world().members[line.event, line.section, line.number]]
        sizes[len(team)] += 1
        for player in team:
            partners[player].add(tuple(sorted(team)))
    assert set(sizes) == {1, 2}
    assert sizes[2] > 3 * sizes[1] > 50
    assert sum(len(teams) > 1 for teams in partners.values()) > 50


def test_nobody_enters_an_event_twice() -> None:
    for event in DAYS:
        entered = [
            person["player"]
            for line in world().lines.values()
            if line.event == event
            for person in world().members.get((event, line.section, line.number), [{"player": line.name}])
        ]
        assert len(entered) == len(set(entered)) > 0


def test_the_championship_is_an_entry_list_of_mostly_known_children() -> None:
    lines = [line for line in world().lines.values() if line.event == school.CHAMPIONSHIP]
    entered = [person for line in lines for person in world().members[line.event, line.section, line.number]]
    assert 50 <= len(lines) <= 60
    assert not any(line.pairings or line.scores for line in lines)
    known = [len(world().seasons()[person["player"]]) > 1 for person in entered]
    assert 0.75 < np.mean(known) < 1
    teams = Counter(world().members[line.event, line.section, line.number][0]["school"] for line in lines)
    assert 25 <= len(teams) <= 35
    assert sum(count > 1 for count in teams.values()) >= 5


def test_some_children_play_in_both_circuits() -> None:
    circuits = defaultdict(set)
    for (event, _, _), people in world().members.items():
        for person in people:
            circuits[person["player"]].add(event in CAPS)
    assert 20 <= sum(len(found) == 2 for found in circuits.values()) <= 30
    for line in world().of("open"):
        for person in world().members.get((line.event, line.section, line.number), []):
            assert person["player"] == line.name


@pytest.mark.parametrize("seed", SEEDS)
def test_lifetime_games_and_filed_ratings_hang_together(seed: int) -> None:
    careers = defaultdict(list)
    for line in sorted(world(seed).of("open"), key=lambda line: DAYS[line.event]):
        careers[line.name].append(line)
    errors = []
    for career in careers.values():
        for line, later in pairwise(career):
            played = sum(
                bool(opponent) and 0 not in (score, world(seed).lines[line.event, line.section, opponent].scores[r])
                for r, (opponent, score) in enumerate(zip(line.pairings, line.scores, strict=True))
            )
            assert int(later.keys["lifeg"]) == int(line.keys["lifeg"]) + played
        for line in career:
            assert (line.rating == "0") == (line.keys["lifeg"] == "0")
            if line.rating != "0":
                errors.append(int(line.rating) - world(seed).strength(line))
    assert 50 < np.std(errors) < 70
    assert max(map(abs, errors)) < 5 * 60
    assert sum(career[0].rating == "0" for career in careers.values()) > 30


@pytest.mark.parametrize("circuit", ["school", "open"])
def test_spreads_follow_the_model(circuit: str) -> None:
    games = world().games(circuit)
    difference = np.array([world().strength(line) - world().strength(other) for line, other, _, _ in games])
    spread = np.array([spread for *_, spread in games])
    assert len(games) > 1400
    slope, error, residual = _slope(difference, spread)
    assert abs(slope - 0.2) < 3 * error < 0.06
    assert abs(residual - 90) < 3 * 90 / np.sqrt(2 * len(games))


def test_strengths_grow_only_for_children() -> None:
    for rows in world().seasons().values():
        strengths = [world().truth[row["player"], day] for day, row in rows]
        assert strengths == sorted(strengths)
        assert 700 <= strengths[0] <= strengths[-1] <= 1700


def test_the_loader_finds_eleven_rated_events_two_awaited_and_an_entry_list() -> None:
    from ratinglab.formats import load

    history = load(DATA / "school-circuit")
    assert not [problem for problem in history.problems if problem.severity == "error"]
    events = history.events.set_index("event")
    assert events.index.is_unique
    assert len(events) == 14
    assert (events["availability"] == "awaited").sum() == 2
    assert sorted(events.index[events["availability"] == "awaited"]) == sorted(event for event, *_ in school.AWAITED)
    played = history.games.loc[history.games["rated"] != 0, "event"].drop_duplicates()
    assert list(events.index[events.index.isin(played)]) == [spec.event for spec in school.EVENTS[:-1]]
    assert school.CHAMPIONSHIP in set(history.entries["event"])
    assert list(events["date"].dropna()) == [pd.Timestamp(spec.day) for spec in school.EVENTS]
    assert len(history.games[history.games["status"] == "played"]) == len(world().games("school"))
    entries = history.entries[history.entries["event"] == school.CHAMPIONSHIP]
    assert entries["team"].nunique() == sum(line.event == school.CHAMPIONSHIP for line in world().lines.values())
    assert set(entries["player"]) <= {player for player, _ in world().truth}


def test_the_loader_finds_one_child_in_both_circuits() -> None:
    from ratinglab.formats import load

    history = load(DATA / "school-circuit", DATA / "open-circuit")
    assert len(history.events) == 14 + 24
    assert set(history.entries["player"]) == {player for player, _ in world().truth}


@pytest.mark.parametrize(("b", "tau"), [(5, 90), (7, 60)])
def test_individual_circuit_follows_its_model(b: float, tau: float) -> None:
    history, truth = sample.individual_circuit(np.random.default_rng(3), 60, 20, 10, b=b, tau=tau)
    games = history.games
    assert len(games) == 20 * 10 * 30
    assert not history.problems
    difference = (games["player"].map(truth) - games["opponent"].map(truth)).to_numpy()
    _follows_the_model(difference, (games["score"] - games["opponent_score"]).to_numpy(), b, tau)
    assert (games.groupby(["event", "round"])[["player", "opponent"]].nunique() == 30).all(axis=None)
    assert abs(truth.mean() - 1500) < 3 * 400 / np.sqrt(60)


def test_individual_circuit_draws_fields_and_sits_out_the_odd_one() -> None:
    history, truth = sample.individual_circuit(np.random.default_rng(3), 50, 8, 5, field=15)
    assert len(history.games) == 8 * 5 * 7
    fields = history.entries.groupby("event")["player"].agg(frozenset)
    assert fields.map(len).eq(15).all()
    assert fields.nunique() == 8
    for event, games in history.games.groupby("event"):
        assert set(games["player"]) | set(games["opponent"]) <= fields[event] <= set(truth.index)
    for field in (1, 51):
        with pytest.raises(ValueError, match="cannot be drawn"):
            sample.individual_circuit(np.random.default_rng(3), 50, 8, 5, field=field)


def test_team_circuit_follows_its_model() -> None:
    history, truth = sample.team_circuit(np.random.default_rng(4), 90, 20, 10)
    entries, games = history.entries, history.games
    teams = entries.groupby(["event", "team"])["player"].agg(list)
    assert set(teams.map(len)) == {1, 2}
    assert entries.groupby("event")["player"].nunique().eq(90).all()
    assert entries.groupby(["event", "team"])["number"].nunique().eq(1).all()
    strength = teams.map(lambda members: team_strength(list(truth[members])))
    mine, theirs = (
        strength.loc[pd.MultiIndex.from_frame(games[["event", side]])].to_numpy() for side in ("player", "opponent")
    )
    _follows_the_model(mine - theirs, (games["score"] - games["opponent_score"]).to_numpy(), 5, 90)
    with pytest.raises(ValueError, match="no two teams"):
        sample.team_circuit(np.random.default_rng(4), 2, 1, 1)


@pytest.mark.parametrize("circuit", [sample.individual_circuit, sample.team_circuit])
def test_circuits_depend_on_the_generator_alone(circuit: Callable[..., tuple[History, pd.Series]]) -> None:
    one, other, third = (circuit(np.random.default_rng(seed), 12, 2, 3) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one[0].games, other[0].games)
    pd.testing.assert_series_equal(one[1], other[1])
    assert not one[0].games.equals(third[0].games)


def test_play_repeats_no_pairing_that_it_need_not() -> None:
    played = play(np.random.default_rng(6), [1500.0] * 8, Plan(7))
    assert all(len(set(row)) == 7 for row in played.opponent.tolist())
    again = play(np.random.default_rng(6), [1500.0] * 8, Plan(14))
    assert max(max(Counter(row).values()) for row in again.opponent.tolist()) <= 3


def test_the_command_refuses_what_it_cannot_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in (["--seed", "-1"], ["--seed", "x"]):
        with pytest.raises(SystemExit) as stopped:
            main([str(tmp_path), *wrong])
        assert stopped.value.code == 2
        assert "invalid seed value" in capsys.readouterr().err
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert main([str(blocked)]) == 1
    assert str(blocked) in capsys.readouterr().err
