"""The chess club of the sample: three seasons of Saturday tournaments for children of grades K to 8, all invented.

Here are its tournaments and its files; its children are in `club_children`, sections and ratings in `club_office`,
pairings and results in `club_pairing`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np
import pandas as pd

from ratinglab import schema
from ratinglab.sample import club_pairing
from ratinglab.sample.club_children import Child, children
from ratinglab.sample.club_office import Entry, Office
from ratinglab.sample.club_pairing import Game, Section
from ratinglab.sample.tournament import NOBODY

_ENTRIES = (
    "event", "section", "number", "player", "school", "grade", "birth_date", "rating", "rating_kind", "as_of",
    "lifetime_games", "coach_request", "section_override", "override_reason", "withdrawn",
)  # fmt: skip
_GAMES = ("event", "section", "round", "player", "opponent", "result", "first", "status", "rated")
_PLAYERS = ("player", "birth_date", "school", "grade", "as_of")
_LISTS = ("player", "list_date", "rating", "kind", "source")
_RESULTS = {1.0: "1", 0.5: "0.5", 0.0: "0"}


@dataclass(frozen=True)
class Spec:
    """What is fixed about a tournament; `children` is how many come, if there are so many."""

    event: str
    name: str
    day: dt.date
    place: str
    rounds: int
    children: int
    championship: str | None = None
    leavers: int = 0
    no_shows: int = 0
    down: int = 0  # how many the director moves down a section


def _season(first: int, rows: Iterable[tuple[str, str, str, int, int, Mapping[str, int]]]) -> tuple[Spec, ...]:
    """A season's tournaments: month and day, name, place, rounds, children, more; the last is the championship."""
    made = []
    for date, name, place, rounds, count, more in rows:
        year = first if date > "08" else first + 1
        day = dt.date.fromisoformat(f"{year}-{date}")
        made.append(Spec(f"{day:%Y-%b}".lower(), f"{name} {year}", day, place, rounds, count, None, **more))
    title = f"Championship {first + 1}"
    return (*made[:-1], replace(made[-1], event=f"{first + 1}-champ", name=f"Club {title}", championship=title))


EVENTS = (
    *_season(2009, (
        ("09-26", "Season Opener", "Wicker Street", 4, 52, {}),
        ("10-17", "Pumpkin Open", "Gooseberry Hollow", 5, 46, {}),
        ("11-14", "First Frost", "Ferryman's Rest", 5, 46, {"leavers": 1}),
        ("12-12", "Snowflake", "Wicker Street", 4, 46, {"no_shows": 1}),
        ("01-23", "Icicle", "Tallgrass", 4, 46, {}),
        ("02-20", "Thaw", "Hundred Oaks", 4, 46, {}),
        ("03-20", "Spring Eve", "Gooseberry Hollow", 4, 46, {"no_shows": 1}),
        ("05-08", "", "Observatory Hill", 5, 58, {}),
    )),
    *_season(2010, (
        ("09-25", "Season Opener", "Wicker Street", 4, 52, {}),
        ("10-16", "Pumpkin Open", "Tallgrass", 5, 46, {"down": 1}),
        ("11-13", "First Frost", "Ferryman's Rest", 5, 46, {}),
        ("12-11", "Snowflake", "Wicker Street", 4, 46, {"leavers": 1}),
        ("01-22", "Icicle", "Hundred Oaks", 4, 52, {"no_shows": 1}),
        ("02-19", "Thaw", "Gooseberry Hollow", 5, 46, {}),
        ("03-19", "Spring Eve", "Tallgrass", 4, 46, {}),
        ("05-07", "", "Observatory Hill", 5, 60, {"no_shows": 1}),
    )),
    *_season(2011, (
        ("09-24", "Season Opener", "Wicker Street", 4, 52, {}),
        ("10-15", "Pumpkin Open", "Gooseberry Hollow", 5, 46, {"down": 1}),
        ("11-12", "First Frost", "Ferryman's Rest", 5, 46, {"no_shows": 1}),
        ("12-10", "Snowflake", "Wicker Street", 4, 46, {}),
        ("01-21", "Icicle", "Tallgrass", 4, 52, {}),
        ("02-18", "Thaw", "Hundred Oaks", 4, 46, {"leavers": 1}),
        ("03-17", "Spring Eve", "Gooseberry Hollow", 4, 46, {}),
        ("05-12", "", "Observatory Hill", 5, 60, {"leavers": 1}),
    )),
)  # fmt: skip
"""The tournaments in time order."""


@dataclass(frozen=True)
class Club:
    """The club's files, a table for each, and the true strengths: player, date, strength."""

    tables: Mapping[str, pd.DataFrame]
    strengths: pd.DataFrame


def club(rng: np.random.Generator, taken: Iterable[str]) -> Club:
    """The club's three seasons; nobody in it is called as one of `taken`."""
    days = [spec.day for spec in EVENTS]
    everybody = children(rng, taken, days)
    office = Office(rng, everybody, days[0])
    entries: list[tuple[object, ...]] = []
    games: list[tuple[object, ...]] = []
    strengths: list[tuple[str, dt.date, int]] = []
    last: dict[Child, dt.date] = {}
    lists = _club_list(office, days[0] - dt.timedelta(days=1))
    for spec in EVENTS:
        seated = office.by_grade(spec.day, spec.children) if spec.championship else (
            office.by_section(spec.day, spec.children, spec.down)
        )  # fmt: skip
        leavers, no_shows = _odd_ones(rng, spec, seated)
        for name, field in seated.items():
            leaves = {i: spec.rounds // 2 for section, i in leavers if section == name}
            section = Section(
                [entry.child.person.strength(spec.day) for entry in field],
                [entry.rank for entry in field],
                [entry.child.person.school or "" for entry in field],
                spec.rounds,
                leaves,
                frozenset((i, spec.rounds // 2) for section, i in no_shows if section == name),
            )
            played = club_pairing.play(rng, section)
            office.book(spec.day, name, field, played)
            entries += [_entry_row(spec, name, i, entry, i in leaves) for i, entry in enumerate(field)]
            games += [_game_row(spec, name, field, game) for game in played]
            strengths += [(e.child.name, spec.day, e.child.person.strength(spec.day)) for e in field]
            last |= dict.fromkeys((entry.child for entry in field), spec.day)
        if spec.championship:
            lists += _club_list(office, dt.date(spec.day.year, 5, 31))
    lists += [(child.name, date, rating, "national", "federation") for child in last for date, rating in child.national]
    known = {child.name for child in last}
    tables = {
        "events": pd.DataFrame([_event_row(spec) for spec in EVENTS]),
        "entries": pd.DataFrame(entries, columns=list(_ENTRIES)).astype({"rating": "Int64"}),
        "games": pd.DataFrame(games, columns=list(_GAMES)),
        "players": pd.DataFrame(
            sorted((_player_row(child, day) for child, day in last.items()), key=itemgetter(0)),
            columns=list(_PLAYERS),
        ),
        "rating_lists": pd.DataFrame([row for row in lists if row[0] in known], columns=list(_LISTS)),
    }
    return Club(tables, pd.DataFrame(sorted(strengths), columns=["player", "date", "strength"]))


def _club_list(office: Office, day: dt.date) -> list[tuple[str, dt.date, int, str, str]]:
    return [(name, day, rating, "local", "club") for name, rating in office.rating_list(day)]


def _odd_ones(
    rng: np.random.Generator, spec: Spec, seated: Mapping[str, Sequence[Entry]]
) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Who leaves after half of the rounds, and who is not there in the last of that half: (section, place)."""
    # from the upper halves, where nobody waits for an opponent
    upper = [(name, i) for name, field in seated.items() for i in range(len(field) // 2)]
    drawn = [upper[k] for k in rng.permutation(len(upper))[: spec.leavers + spec.no_shows].tolist()]
    return drawn[: spec.leavers], drawn[spec.leavers :]


def _event_row(spec: Spec) -> dict[str, object]:
    return {
        "event": spec.event,
        "name": spec.name,
        "date": spec.day,
        "place": f"{spec.place} School",
        "kind": "games",
        "rounds": spec.rounds,
        "system": "evanston",
        "pool": "scholastic",
        "championship": spec.championship,
    }


def _grade(child: Child, day: dt.date) -> str:
    return str(child.grade(day) or "K")


def _entry_row(spec: Spec, section: str, i: int, entry: Entry, left: bool) -> tuple[object, ...]:
    child = entry.child
    return (
        spec.event, section, i + 1, child.name, child.person.school, _grade(child, spec.day), child.person.birth_date,
        entry.rating, entry.kind, entry.as_of, entry.games, entry.request, entry.override, entry.reason,
        "yes" if left else None,
    )  # fmt: skip


def _game_row(spec: Spec, section: str, field: Sequence[Entry], game: Game) -> tuple[object, ...]:
    alone = game.black == NOBODY
    return (
        spec.event, section, game.round, field[game.white].child.name,
        None if alone else field[game.black].child.name,
        _RESULTS[game.result], None if alone else "1", game.status, int(game.status == schema.PLAYED),
    )  # fmt: skip


def _player_row(child: Child, day: dt.date) -> tuple[str, dt.date | None, str | None, str, dt.date]:
    return child.name, child.person.birth_date, child.person.school, _grade(child, day), day
