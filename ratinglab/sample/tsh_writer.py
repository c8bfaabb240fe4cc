"""Events of the sample as TSH folders: `config.tsh`, a `.t` file for each division, `members.csv` for the children."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import pandas as pd

from ratinglab.output import csv_text
from ratinglab.sample.people import Person
from ratinglab.sample.tournament import NOBODY, Played

TSH_ENCODING = "iso8859-1"
"""What TSH takes a file for that does not say otherwise."""


@dataclass(frozen=True)
class Line:
    """One entrant of a division: its name and rating as filed, further key words, and who stands behind it."""

    name: str
    rating: str
    keys: dict[str, str] = field(default_factory=dict)
    people: tuple[Person, ...] = ()


@dataclass(frozen=True)
class Division:
    """One division: the lines, and what was played (nothing yet: an entry list).

    `unknown_firsts` are the rounds, from 1, whose first player was not noted.
    """

    name: str
    lines: Sequence[Line]
    played: Played | None
    comment: str = ""
    unknown_firsts: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Event:
    """One event: its id is its folder's name; `date` is as the organizer wrote it, `day` its first day."""

    event: str
    name: str
    date: str
    day: dt.date
    rounds: int
    system: str
    divisions: Sequence[Division]
    caps: Sequence[int] = ()
    track_firsts: bool = True


def files(event: Event) -> dict[str, bytes]:
    """The event's files by their path below the circuit's folder."""
    made = {"config.tsh": _config(event).encode(TSH_ENCODING)}
    for division in event.divisions:
        made[_file(division)] = _division(division, event.track_firsts).encode(TSH_ENCODING)
    members = _members(event)
    if len(members):
        made["members.csv"] = csv_text(members).encode()
    return {f"{event.event}/{name}": content for name, content in made.items()}


def _file(division: Division) -> str:
    return f"{division.name.lower()}.t"


def _config(event: Event) -> str:
    lines = [f"division {division.name} {_file(division)}" for division in event.divisions]
    lines += [
        f'config event_name = "{event.name}"',
        f'config event_date = "{event.date}"',
        f"config max_rounds = {event.rounds}",
        f'config rating_system = "{event.system}"',
    ]
    if event.caps:
        caps = ", ".join(map(str, event.caps))
        lines += [f"config spread_cap = [{caps}]", f"config standings_spread_cap = [{caps}]"]
    if event.track_firsts:
        lines += ["config assign_firsts = 1", "config track_firsts = 1"]
    return "\n".join(lines) + "\n"


def _division(division: Division, track_firsts: bool) -> str:
    lines = [f"# {division.comment}", ""] if division.comment else []
    width = max(len(line.name) for line in division.lines) + 2
    for i, line in enumerate(division.lines):
        keys = dict(line.keys)
        pairings = outcomes = ""
        if division.played is not None:
            played = division.played
            pairings = _row(opponent + 1 if opponent != NOBODY else 0 for opponent in played.opponent[i].tolist())
            outcomes = _row(played.score[i].tolist())
            keys["board"] = _row(played.board[i].tolist())
            if track_firsts:
                keys["p12"] = _row(
                    4 if first and r in division.unknown_firsts else first
                    for r, first in enumerate(played.first[i].tolist(), start=1)
                )
        words = "".join(f"; {key} {keys[key]}" for key in sorted(keys))
        lines.append(f"{line.name:<{width}} {line.rating} {pairings}; {outcomes}{words}")
    return "\n".join(lines) + "\n"


def _row(values: Iterable[int]) -> str:
    return " ".join(map(str, values))


def _members(event: Event) -> pd.DataFrame:
    rows = [
        (division.name, number, member.name, member.school, member.grade(event.day), member.birth_date)
        for division in event.divisions
        for number, line in enumerate(division.lines, start=1)
        for member in line.people
        if member.school is not None
    ]
    return pd.DataFrame(rows, columns=["section", "number", "player", "school", "grade", "birth_date"])
