"""No command has seen the future: replacing every result after a date changes nothing that was said of the time before.

Each command that forecasts or scores is run twice through the command line, on a history and on the same one with
other results (and scores, and places) after a date, and what it wrote of the time before is compared byte for byte. The
hashes of the inputs in the manifest differ, and they alone.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from making import Game, Member, Section, history, outcome
from making_placings import Placed, shared_places
from making_placings import history as placings_history

from ratinglab.cli import main
from ratinglab.commands import COMMANDS
from ratinglab.history import History

DATES = [f"{year}-05-15" for year in range(2012, 2024)]
AFTER_ROUND = 1
NAMES = tuple(f"Player {letter}" for letter in "ABCDEFGHIJ")

# What has nothing to look ahead to; every other command needs a case below.
EXEMPT = {
    "convert": "needs twenty people on two lists: tests/test_qualifying.py holds it to this on the sample club",
    "check": "reads files and forecasts nothing",
    "rate": "rates each event from the ratings in its own file, so no other event can matter",
    "revisions": "holds two finished lists against each other and forecasts nothing",
    "systems": "tells of formulas and reads no events",
}


class Two(NamedTuple):
    """A history, the same with other results after a date, that date, and the number of events up to it."""

    one: History
    other: History
    until: str
    before: int

    def event(self, at: int) -> str:
        """The id of an event, in time order."""
        return str(self.one.events["event"][at])


class Run(NamedTuple):
    """What a command did: exit status, what it printed, and its files."""

    status: int
    printed: str
    files: Mapping[str, bytes]


Kept = Callable[[Run, Two], object]


@dataclass(frozen=True)
class Case:
    """One run of a command: its arguments after the path and what of it must not depend on later results."""

    command: str
    arguments: Callable[[Two], Sequence[str]]
    kept: Kept
    of: str = "games"  # of what history: games, places, or rounds (see `_two`)
    examples: int = 1


def everything(run: Run, two: Two) -> object:
    """All of it: status, words, and every byte of every file, but for the hashes of the inputs."""
    files = dict(run.files)
    if "manifest.json" in files:
        record = json.loads(files["manifest.json"])
        del record["inputs"]
        files["manifest.json"] = json.dumps(record, sort_keys=True).encode()
    return run.status, run.printed, files


def all_files(run: Run, two: Two) -> object:
    """As `everything`, but for the words: of a command that reads the later events too, and may tell of them."""
    return everything(run._replace(printed=""), two)


def only(*names: str) -> Kept:
    """Every byte of these files."""
    return lambda run, two: (run.status, {name: run.files[name] for name in names} if run.status == 0 else {})


def rows_before(**tables: Sequence[str]) -> Kept:
    """Of these tables (file name without .csv, and columns) the rows of events up to the date, and of the next one.

    Of the next event only `columns` are kept: what was said before it was played.
    """

    def kept(run: Run, two: Two) -> object:
        out: list[object] = [run.status]
        for name, columns in tables.items():
            table = pd.read_csv(io.BytesIO(run.files[f"{name}.csv"]), dtype=str)
            events = two.one.events["event"]
            out.append(table[table["event"].isin(events[: two.before])].to_csv())
            out.append(table.loc[table["event"] == events[two.before], list(columns)].to_csv())
        return out

    return kept


def columns(name: str, *kept_columns: str) -> Kept:
    """These columns of a table, in its order of players."""

    def kept(run: Run, two: Two) -> object:
        if run.status:
            return run.status
        table = pd.read_csv(io.BytesIO(run.files[f"{name}.csv"]), dtype=str)
        return table[list(kept_columns)].sort_values(list(kept_columns), ignore_index=True).to_csv()

    return kept


def lists_until(run: Run, two: Two) -> object:
    """The rating lists of the years up to the date."""
    years = [f"list-{year}.csv" for year in range(2012, int(two.until[:4]) + 1)]
    return run.status, {name: run.files.get(name) for name in years}


def all_of(*several: Kept) -> Kept:
    """What each of these keeps."""
    return lambda run, two: [kept(run, two) for kept in several]


def card_of_one(two: Two) -> Sequence[str]:
    """The card of somebody who has played by the date, as of it; everything later is in the files too."""
    player = two.one.entries["player"][0]
    return ["--player", player, "--as-of", two.until, "--system", "glixo", "--kinds", "html"]


UNTIL: Callable[[Two], Sequence[str]] = lambda two: ["--until", two.until]  # noqa: E731
FORECAST = ["round", "player", "opponent", "win", "spread_mean", "spread_sd", "player_games", "opponent_games"]

EXPECTED = ["system", "section", "player", "seed", "rating", "deviation", "expected_wins", "p_winner"]

CASES = [
    Case("replay", lambda two: ["--system", "glixo", *UNTIL(two)], everything),
    Case("replay", lambda two: ["--system", "naspa", "--start", "fresh", *UNTIL(two)], everything),
    # without --until too: the next event's forecasts are made before it
    Case(
        "replay",
        lambda two: ["--system", "glixo"],
        rows_before(forecasts=FORECAST, changes=["player", "games", "before", "deviation_before"]),
        examples=4,
    ),
    Case("replay", lambda two: ["--system", "dip-pouch", *UNTIL(two)], everything, of="places"),
    Case(
        "replay",
        lambda two: ["--system", "dip-pouch"],
        rows_before(changes=["player", "before"]),
        of="places",
        examples=4,
    ),
    Case(
        "explain",
        lambda two: ["--event", two.event(0), "--player", two.one.entries["player"][0], "--against", "elo:k=32"],
        everything,
        examples=3,
    ),
    Case("lists", lambda two: ["--system", "elo", "--compare", "glixo", *UNTIL(two)], everything),
    Case(
        "lists",
        lambda two: ["--system", "dip-pouch", "--compare", "elo:k=1", *UNTIL(two)],
        everything,
        of="places",
    ),
    Case("lists", lambda two: ["--system", "glixo"], lists_until),
    Case("lists", lambda two: ["--system", "dip-pouch"], lists_until, of="places"),
    Case("card", card_of_one, all_files, examples=4),
    Case("calibrate", lambda two: ["--grid", "tau=60:140:3", *UNTIL(two)], everything),
    # tuned on the events before a date, judged on the others
    Case(
        "calibrate",
        lambda two: ["--grid", "tau=60:140:3", "--fit", "--test-from", DATES[two.before]],
        only("surface.csv", "best.json", "parameters.csv", "profiles.csv", "metrics.csv", "directions.csv"),
    ),
    Case("compare", lambda two: ["--systems", "glixo,elo", *UNTIL(two)], everything),
    Case(
        "compare",
        lambda two: ["--systems", "naspa,elo", "--test-from", DATES[two.before], "--tune", "elo:k=8:40:3"],
        only("tuned.csv"),
    ),
    Case("compare", lambda two: ["--systems", "dip-pouch,elo:k=1", *UNTIL(two)], everything, of="places"),
    # of an event before the date nothing changes, and of the next one nothing that was said before it was played
    Case(
        "backtest",
        lambda two: ["--event", two.event(two.before - 1), "--tournaments", "50"],
        everything,
    ),
    Case(
        "backtest",
        lambda two: ["--event", two.event(two.before), "--tournaments", "50"],
        all_of(only("places.csv"), columns("entrants", *EXPECTED)),
    ),
    # nor do results of later rounds count in what is said after a round
    Case(
        "backtest",
        lambda two: ["--event", two.event(two.before), "--after-round", str(AFTER_ROUND), "--tournaments", "50"],
        all_of(only("places.csv"), columns("entrants", *EXPECTED)),
        of="rounds",
    ),
    Case(
        "backtest",
        lambda two: [
            "--event", two.event(two.before), "--after-round", str(AFTER_ROUND), "--tournaments", "50",
            "--pairing", "king-of-the-hill",
        ],
        all_of(only("places.csv"), columns("entrants", *EXPECTED, "p_winner_real")),
        of="rounds",
        examples=2,
    ),
    Case(
        "standings",
        lambda two: ["--event", two.event(two.before), "--round", str(AFTER_ROUND)],
        everything,
        of="rounds",
    ),
    Case(
        "pair",
        lambda two: [
            "--event", two.event(two.before), "--round", str(AFTER_ROUND + 1), "--pairing", "king-of-the-hill",
        ],
        everything,
        of="rounds",
    ),
    Case("propose", lambda two: ["--current", "glixo", "--proposed", "elo", *UNTIL(two)], everything),
    Case(
        "simulate",
        lambda two: ["--players", "2", "--rounds", "2", "--tournaments", "5", "--pairing", "swiss", *UNTIL(two)],
        everything,
    ),
    Case("report", lambda two: ["--system", "glixo", "--kinds", "html", *UNTIL(two)], everything),
    Case("seed", lambda two: ["--event", two.event(two.before), "--kinds", "html"], all_files),
    Case(
        "sections",
        lambda two: ["--event", two.event(two.before), "--rules", "divisions", "--kinds", "html"],
        all_files,
    ),
    Case(
        "qualify",
        lambda two: [
            "--system", "glixo", "--top", "3", "--from-list", DATES[0], "--until-list", two.until, "--kinds", "html",
        ],
        all_files,
    ),
]  # fmt: skip


def histories(of: str, salt: int = 0) -> st.SearchStrategy[Two]:
    """Small histories, each with the same after whose random event every result is replaced.

    One number makes all of it, so that a handful of examples is a handful of full histories: hypothesis begins with the
    smallest, and of a command that takes a second there are few. `salt` gives each case others.
    """
    return st.integers(0, 2**32 - 1).map(lambda seed: _two(np.random.default_rng([salt, seed]), of))


def _two(rng: np.random.Generator, of: str) -> Two:
    """Of `games` or `places`, with those of all events after a date replaced; of `rounds`, those of the last event's
    rounds after the first.
    """
    places = of == "places"
    count = int(rng.integers(3, 6))
    drawn = [_placed(rng, date) if places else _section(rng, date) for date in DATES[:count]]
    one = placings_history(*drawn) if places else history(*drawn)  # type: ignore[arg-type]
    before = count - 1 if of == "rounds" else int(rng.integers(1, count))
    if before < count - 1 and rng.random() < 0.3:  # the last one has no date: it comes after all others
        undated = {name: one.events[name].mask(one.events.index == count - 1) for name in ("date", "end_date")}
        one = replace(one, events=one.events.assign(**undated))
    later = one.events["event"][before:]
    games, placings = one.games.copy(), one.placings.copy()
    for row in games.index[games["event"].isin(later) & (games["round"] > (AFTER_ROUND if of == "rounds" else 0))]:
        spread = int(rng.integers(1, 300)) * (-1 if games["result"][row] > 0.5 else 1)
        games.loc[row, ["score", "opponent_score", "result"]] = [400.0 + spread, 400.0, outcome(spread)]
    for event in later:
        rows = placings.index[placings["event"] == event]
        placings.loc[rows, "place"] = placings.loc[rows, "place"].to_numpy()[::-1]
    return Two(one, replace(one, games=games, placings=placings), DATES[before - 1], before)


def _section(rng: np.random.Generator, date: str) -> Section:
    """Three to six units, some of them unrated, some events of teams; ties, and games whose spread is not known."""
    teams = bool(rng.random() < 0.25)
    people = iter(rng.permutation(NAMES).tolist())
    units = [[_member(rng, next(people)) for _ in range(2 if teams and rng.random() < 0.5 else 1)]
             for _ in range(int(rng.integers(3, 6)))]  # fmt: skip
    games = []
    for played in range(1, int(rng.integers(3, 6))):
        order = rng.permutation(len(units)).tolist()
        for a, b in zip(order[::2], order[1::2], strict=False):
            spread = int(rng.integers(-300, 300)) if rng.random() < 0.9 else 0
            known = rng.random() < 0.9
            games.append(Game(played, a, b, spread if known else None, outcome(spread), int(rng.integers(0, 2))))
    return Section(units, games, 5, date=date, teams=teams)


def _member(rng: np.random.Generator, name: str) -> Member:
    rated = rng.random() < 0.8
    return Member(
        name,
        float(rng.integers(600, 2000)) if rated else None,
        float(rng.integers(30, 200)) if rated and rng.random() < 0.5 else None,
        int(rng.integers(0, 100)) if rng.random() < 0.5 else None,
    )


def _placed(rng: np.random.Generator, date: str) -> Placed:
    """Four to eight people, some of them sharing a place."""
    names = rng.permutation(NAMES)[: int(rng.integers(4, 9))].tolist()
    ends = sorted({len(names), *(int(end) for end in rng.integers(1, len(names), size=4))})
    groups = [names[begin:end] for begin, end in pairwise([0, *ends])]
    return Placed(shared_places(groups), int(rng.integers(len(names), 60)), date=date)


def run(command: str, arguments: Sequence[str], given_history: History) -> Run:
    """The command on this history, in folders that are called the same each time."""
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        given_history.save("events")
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                status = main([command, "events", *arguments, "--out", "out"])
            except SystemExit as stopped:  # argparse: a wrong option
                status = int(stopped.code or 0)
        made = {path.as_posix(): path.read_bytes() for path in sorted(Path("out").rglob("*")) if path.is_file()}
    return Run(status, printed.getvalue(), {name.removeprefix("out/"): content for name, content in made.items()})


def both(case: Case, two: Two) -> list[Run]:
    return [run(case.command, case.arguments(two), version) for version in (two.one, two.other)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.command)
def test_later_results_change_nothing_said_of_the_time_before(case: Case) -> None:
    statuses = set()

    @settings(max_examples=case.examples, phases=[Phase.generate])
    @given(histories(case.of, CASES.index(case)))
    def check(two: Two) -> None:
        one, other = both(case, two)
        statuses.add(one.status)
        assert one.status in (0, 1, 2), one.printed
        assert case.kept(one, two) == case.kept(other, two)

    check()
    assert 0 in statuses, "no run of this case has done anything"


@settings(max_examples=1)
@given(histories("games"))
def test_the_comparison_would_notice(two: Two) -> None:
    """Without a date the two runs differ: what is replaced counts, and the comparison sees it."""
    one, other = both(Case("replay", lambda two: ["--system", "elo"], everything), two)
    assert everything(one, two) != everything(other, two)
    assert one.files["forecasts.csv"] != other.files["forecasts.csv"]


def test_no_command_is_forgotten() -> None:
    commands = {module.__name__.rpartition(".")[2] for module in COMMANDS}
    covered = {case.command for case in CASES}
    assert covered | set(EXEMPT) == commands, "give a new command a case, or the reason why it has none"
    assert not covered & set(EXEMPT)
