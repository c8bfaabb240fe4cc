"""What is wrong with a history: what its readers found, and what shows only when everything is side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from ratinglab import dates, names
from ratinglab.history import History
from ratinglab.problems import ERROR, WARNING, Problem

# The rating systems that tournament software and associations name in their files, ratinglab's own among them.
KNOWN_SYSTEMS = frozenset(
    ("none", "nsa", "nsa2008", "nsa-lct", "naspa", "naspa-csw", "naspa-lct", "naspa-csw-lct", "naspa2024", "absp",
     "aus", "bradley-terry", "coco", "deutsch", "dip-pouch", "elo", "elo-margin", "evanston", "fide", "fjsf", "glicko",
     "glicko2", "glixo", "pakistan", "stephenson", "sudoku", "suomi", "thai", "uscf", "wespa")
)  # fmt: skip


def check(history: History) -> tuple[Problem, ...]:
    """Every problem of the history, errors and warnings, in the order of file and line, each once."""
    found = set(history.problems)
    found |= set(_dates(history))
    found |= set(_systems(history))
    found |= set(_rounds(history))
    found |= set(_twice_in_a_section(history))
    found |= set(_twice_in_a_round(history))
    found |= set(_alike(history))
    return tuple(sorted(found))


def _at(row: Any, severity: str, expected: str, found: str) -> Problem:
    """A problem of a row, where the row was read."""
    file = "" if pd.isna(row.file) else str(row.file)
    return Problem(file, 0 if pd.isna(row.line) else int(row.line), 0, severity, expected, found)


def _rows(table: pd.DataFrame) -> Iterator[Any]:
    yield from table.itertuples()


def _dates(history: History) -> Iterator[Problem]:
    unread = {(problem.file, problem.line) for problem in history.problems if dates.EXPECTED in problem.expected}
    whole_files = {file for file, _ in unread}
    for row in _rows(history.events):
        # a date that is there and cannot be read has been told as such
        told = row.file in whole_files if pd.isna(row.line) else (row.file, int(row.line)) in unread
        if pd.isna(row.date) and not told:
            yield _at(row, WARNING, f"a date of {row.event}", "none; it comes after all dated events")
        elif pd.notna(row.date) and row.end_date < row.date:
            yield _at(row, ERROR, f"{row.event} to end on or after {row.date:%Y-%m-%d}", f"{row.end_date:%Y-%m-%d}")


def _systems(history: History) -> Iterator[Problem]:
    for table in (history.events, history.divisions):
        for row in _rows(table[table["system"].notna()]):
            if str(row.system).casefold() not in KNOWN_SYSTEMS:
                yield _at(
                    row, WARNING, "a known rating system such as nsa2008, naspa-csw, glixo or none", repr(row.system)
                )


def _rounds(history: History) -> Iterator[Problem]:
    """Games of a round that the event does not have: one problem for each section and round."""
    games = history.games
    rounds = games["event"].map(history.events.drop_duplicates("event").set_index("event")["rounds"])
    own = history.divisions.dropna(subset="rounds").drop_duplicates(["event", "section"])
    if len(own):
        by_section = own.set_index(["event", "section"])["rounds"]
        pairs = pd.MultiIndex.from_frame(games[["event", "section"]])
        rounds = pd.Series(by_section.reindex(pairs).array, index=games.index).fillna(rounds)
    beyond = games.assign(rounds=rounds)[((games["round"] > rounds) & (rounds > 0)).fillna(False)]
    for row in _rows(beyond.drop_duplicates(["event", "section", "round"])):
        yield _at(row, WARNING, f"at most {row.rounds} rounds in {row.event}", f"a game of round {row.round}")


def _twice_in_a_section(history: History) -> Iterator[Problem]:
    entries = history.entries
    place = ["event", "section", "player"]
    several = entries[entries.duplicated(place, keep=False)]
    first = several.drop_duplicates(place).set_index(place)["line"].to_dict()
    for row in _rows(several[several.duplicated(place)]):
        line = first[row.event, row.section, row.player]
        found = f"{row.player} again, first on line {line}"
        yield _at(row, ERROR, f"each player once in section {row.section} of {row.event}", found)


def _twice_in_a_round(history: History) -> Iterator[Problem]:
    """Players with two games in a round, against different opponents: a slip of the pen, yet they were rated."""
    games = history.games.reset_index(drop=True)
    place = ["event", "section", "round", "side"]
    columns = ["event", "section", "round", "file", "line"]
    sides = pd.concat(
        [
            games[columns].assign(side=games[one], other=games[another])
            for one, another in (("player", "opponent"), ("opponent", "player"))
        ]
    ).dropna(subset="side")
    sides = sides.assign(other=sides["other"].fillna("")).sort_index(kind="stable")
    # the same two again in a round is a match of several games, which the reader judges
    meetings = sides.drop_duplicates([*place, "other"])
    for row in _rows(meetings[meetings.duplicated(place)]):
        yield _at(row, WARNING, "each player once in a round", f"{row.side} again in round {row.round} of {row.event}")


def _alike(history: History) -> Iterator[Problem]:
    """Names that may be one person, where the second is first met."""
    entries = history.entries
    # "Team/1" stands for a member whose name nobody gave
    members = entries[entries["team"].notna()]
    unnamed = [
        index
        for index, team, player in zip(members.index, members["team"], members["player"], strict=True)
        if player.startswith(f"{team}/")
    ]
    people = [entries.drop(index=unnamed)[["player", "file", "line"]], history.placings[["player", "file", "line"]]]
    met = pd.concat(people).dropna(subset="player").drop_duplicates("player").reset_index(drop=True)
    position = {player: i for i, player in enumerate(met["player"])}
    for one, another in names.near(met["player"]):
        earlier, later = sorted((one, another), key=lambda name: position[name])
        row = met.iloc[position[later]]
        before = met.iloc[position[earlier]]
        expected = "one spelling of a name (if they are one person, aliases.csv says so)"
        yield _at(row, WARNING, expected, f"{later!r}, like {earlier!r} in {before.file}")
