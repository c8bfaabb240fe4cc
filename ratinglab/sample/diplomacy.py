"""The Diplomacy circuit of the sample: tournaments from 1996 to 2012 in the World Diplomacy Database's own forms.

Everything is invented. Results come from boards of seven (`diplomacy_boards`); most tournaments leave only their
classification, as in the database itself.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ratinglab.output import csv_text
from ratinglab.placings import percentile, tournament_value
from ratinglab.sample import diplomacy_boards
from ratinglab.sample.diplomacy_boards import Field, Seat
from ratinglab.sample.people import Person, free_names

_AMERICA, _EUROPE, _AUSTRALASIA = "North American", "European", "Australasian"
_NATIONS = {
    _AMERICA: (("USA", 0.78), ("CAN", 0.18), ("BRA", 0.04)),
    _EUROPE: (("GBR", 0.27), ("FRA", 0.2), ("SWE", 0.12), ("NED", 0.1), ("GER", 0.08), ("BEL", 0.07), ("NOR", 0.06),
              ("ITA", 0.05), ("AUT", 0.05)),
    _AUSTRALASIA: (("AUS", 0.8), ("NZL", 0.2)),
}  # fmt: skip
_PEOPLE = {_AMERICA: 200, _EUROPE: 170, _AUSTRALASIA: 80}
_NAMESAKES = 2  # how many people are called as somebody else is
_ABROAD, _ABROAD_WORLDS = 0.03, 0.3  # how much rarer people go to another continent
_UNRANKED = 999
_UNICODE_SINCE = 2001
WORLDS = "world"


@dataclass(frozen=True)
class Spec:
    """What is fixed about a tournament; `players` entrants, of whom `leavers` go after the first round, unranked.

    `untold` ranked players at the end of the list, and whoever has the place `hole`, have no row; `form` is how the
    results are published, with `boards` besides; `counted` says whether the header tells the number of entrants.
    """

    event: str
    name: str
    start: str
    days: int
    place: str
    region: str
    rounds: int
    players: int
    circuits: tuple[str, ...] = ()
    championship: str | None = None
    leavers: int = 0
    untold: int = 0
    hole: int | None = None
    squares: bool = False
    boards: bool = False
    form: str = "classification"
    counted: bool = True

    @property
    def day(self) -> dt.date:
        """The first day."""
        return dt.date.fromisoformat(self.start)

    @property
    def last_day(self) -> dt.date:
        """The last day."""
        return self.day + dt.timedelta(days=self.days - 1)


_GRAND_PRIX = "Grand Prix"


def _worlds() -> tuple[Spec, ...]:
    """A world championship a year, in turn on three continents."""
    hosts = (
        (_AMERICA, "Brinehaven"), (_EUROPE, "Sankt Alder"), (_AMERICA, "Copper Harbor"), (_EUROPE, "Vieux-Tilleul"),
        (_AUSTRALASIA, "Wattle Point"), (_EUROPE, "Low Ferry"), (_AMERICA, "Fort Juniper"),
        (_EUROPE, "Nordhamn"), (_AUSTRALASIA, "Lake Tern"),
    )  # fmt: skip
    sizes = (56, 63, 77, 49, 35, 66, 80, 58, 42, 70, 63, 74, 52, 38, 79, 60, 54)
    made = []
    for i, players in enumerate(sizes):
        year = 1996 + i
        region, place = hosts[i % len(hosts)]
        start = dt.date(year, 7, 3) + dt.timedelta(days=(4 - dt.date(year, 7, 3).weekday()) % 7)  # a Friday
        circuits = (region, _GRAND_PRIX) if year >= 2003 and region != _AUSTRALASIA else (region,)
        made.append(
            Spec(f"{year}-worlds", f"World Championship {year}", start.isoformat(), 3, place, region, 3 + i % 3,
                 players, circuits, WORLDS, squares=i % 2 == 1)
        )  # fmt: skip
    return tuple(made)


_OTHERS = (
    Spec("1997-saltmarsh", "Saltmarsh Classic 1997", "1997-05-24", 2, "Saltmarsh", _AMERICA, 3, 42, (_AMERICA,)),
    Spec("1999-kestrel", "Kestrel Cup 1999", "1999-10-09", 2, "Kestrelwick", _EUROPE, 2, 28, (_EUROPE,)),
    Spec("2001-saltmarsh", "Saltmarsh Classic 2001", "2001-05-26", 2, "Saltmarsh", _AMERICA, 3, 36, (_AMERICA,),
         untold=7),
    Spec("2001-kestrel", "Kestrel Cup 2001", "2001-10-13", 2, "Kestrelwick", _EUROPE, 3, 31, (_EUROPE,), leavers=3),
    Spec("2002-wattle", "Wattle Open 2002", "2002-03-16", 2, "Wattle Point", _AUSTRALASIA, 2, 21, (_AUSTRALASIA,),
         boards=True),
    Spec("2003-midnight-sun", "Midnight Sun 2003", "2003-06-21", 1, "Nordhamn", _EUROPE, 1, 14, (_EUROPE,)),
    Spec("2003-saltmarsh", "Saltmarsh Classic 2003", "2003-05-24", 2, "Saltmarsh", _AMERICA, 3, 45,
         (_AMERICA, _GRAND_PRIX), squares=True, hole=17),
    Spec("2004-copper", "Copper Harbor Grand 2004", "2004-09-04", 3, "Copper Harbor", _AMERICA, 4, 56,
         (_AMERICA, _GRAND_PRIX), boards=True, leavers=4),
    Spec("2005-kestrel", "Kestrel Cup 2005", "2005-10-08", 2, "Kestrelwick", _EUROPE, 3, 35, (_EUROPE, _GRAND_PRIX),
         boards=True, squares=True),
    Spec("2005-wattle", "Wattle Open 2005", "2005-03-12", 2, "Wattle Point", _AUSTRALASIA, 3, 19, (_AUSTRALASIA,),
         counted=False),
    Spec("2006-saltmarsh", "Saltmarsh Classic 2006", "2006-05-27", 2, "Saltmarsh", _AMERICA, 3, 38,
         (_AMERICA, _GRAND_PRIX), form="page", untold=5),
    Spec("2007-juniper", "Juniper One-Day 2007", "2007-02-10", 1, "Fort Juniper", _AMERICA, 1, 28, (_AMERICA,),
         boards=True),
    Spec("2008-kestrel", "Kestrel Cup 2008", "2008-10-11", 2, "Kestrelwick", _EUROPE, 3, 29, (_EUROPE, _GRAND_PRIX),
         leavers=2),
    Spec("2008-saltmarsh", "Saltmarsh Classic 2008", "2008-05-24", 2, "Saltmarsh", _AMERICA, 3, 49,
         (_AMERICA, _GRAND_PRIX), untold=9, leavers=2),
    Spec("2009-wattle", "Wattle Open 2009", "2009-03-14", 2, "Wattle Point", _AUSTRALASIA, 2, 16, (_AUSTRALASIA,)),
    Spec("2010-new-year", "New Year Seven 2010", "2009-12-31", 3, "Low Ferry", _EUROPE, 3, 24, (_EUROPE,)),
    Spec("2011-copper", "Copper Harbor Grand 2011", "2011-09-03", 3, "Copper Harbor", _AMERICA, 4, 62,
         (_AMERICA, _GRAND_PRIX), squares=True),
    Spec("2012-midnight-sun", "Midnight Sun 2012", "2012-06-23", 1, "Nordhamn", _EUROPE, 1, 21, (_EUROPE,)),
)  # fmt: skip

EVENTS = tuple(sorted((*_worlds(), *_OTHERS), key=lambda spec: spec.start))
"""The tournaments in time order."""


@dataclass(frozen=True)
class Player:
    """Somebody of the circuit; `homonyme` tells people of one name apart (1 for all others), `since` … `until` play."""

    person: Person
    homonyme: int
    nation: str
    region: str
    keen: float
    since: dt.date
    until: dt.date

    @property
    def name(self) -> str:
        """The name as the database prints it, with the number of a namesake."""
        return self.person.name if self.homonyme == 1 else f"{self.person.name} ({self.homonyme})"


@dataclass(frozen=True)
class Circuit:
    """The circuit's files by name, and the true strengths: player, date, strength."""

    files: dict[str, bytes]
    strengths: pd.DataFrame


def circuit(rng: np.random.Generator, taken: Iterable[str]) -> Circuit:
    """The whole circuit; nobody in it is called as one of `taken`."""
    people = _people(rng, taken)
    files: dict[str, bytes] = {}
    rows = []
    strengths = set()
    for spec in EVENTS:
        field = _field(rng, spec, people)
        strength = [player.person.strength(spec.day) for player in field]
        leavers = frozenset(range(spec.leavers))
        seats = diplomacy_boards.play(rng, Field(strength, spec.rounds, leavers, spec.squares))
        files |= _files(spec, field, seats)
        rows.append(_event_row(spec, seats))
        strengths |= {(p.name, spec.day, value) for p, value in zip(field, strength, strict=True)}
    files["events.csv"] = csv_text(pd.DataFrame(rows).astype({"players": "Int64"})).encode()
    return Circuit(files, pd.DataFrame(sorted(strengths), columns=["player", "date", "strength"]))


def _people(rng: np.random.Generator, taken: Iterable[str]) -> list[Player]:
    names = free_names(rng, sum(_PEOPLE.values()), taken)
    made: list[Player] = []
    for region, size in _PEOPLE.items():
        nations, weight = zip(*_NATIONS[region], strict=True)
        for nation in rng.choice(len(nations), size=size, p=np.array(weight) / sum(weight)).tolist():
            surname, given = names[len(made)].split(", ")
            base, drift = (int(np.rint(value)) for value in (rng.normal(1500, 150), rng.normal(0, 8)))
            since = dt.date(int(rng.integers(1990, 2012)), 1, 1)
            until = dt.date(since.year + int(rng.geometric(0.1)), 12, 31)
            person = Person(f"{given} {surname}", base, drift, 1000, 2000)
            made.append(Player(person, 1, nations[nation], region, float(np.exp(rng.normal(0, 0.8))), since, until))
    # of two continents, and keen, so that namesakes are met, now and then both at one tournament
    keen = sorted((p for p in made if p.since.year <= 2003 and p.until.year >= 2009), key=lambda p: -p.keen)
    pairs = zip(*([p for p in keen if p.region == region] for region in (_AMERICA, _EUROPE)), strict=False)
    for one, another in list(pairs)[:_NAMESAKES]:
        person = replace(another.person, name=one.person.name)
        made[made.index(another)] = replace(another, person=person, homonyme=2)
    return made


def _field(rng: np.random.Generator, spec: Spec, people: Sequence[Player]) -> list[Player]:
    """Who comes: people who play at the time, most from the tournament's continent, in an order that says nothing."""
    # a page prints names without the number that tells namesakes apart
    there = [p for p in people if p.since <= spec.day <= p.until and (p.homonyme == 1 or spec.form != "page")]
    far = _ABROAD_WORLDS if spec.championship == WORLDS else _ABROAD
    weight = np.array([p.keen * (1.0 if p.region == spec.region else far) for p in there])
    drawn = rng.choice(len(there), size=spec.players, replace=False, p=weight / weight.sum())
    return [there[i] for i in drawn.tolist()]


def _event_row(spec: Spec, seats: Sequence[Seat]) -> dict[str, object]:
    return {
        "event": spec.event,
        "name": spec.name,
        "date": spec.start,
        "end_date": spec.last_day.isoformat() if spec.days > 1 else None,
        "place": spec.place,
        "kind": "placings",
        "rounds": spec.rounds,
        "boards": _board_count(seats),
        "players": spec.players if spec.counted else None,
        "championship": spec.championship,
        "circuits": ";".join(spec.circuits),
    }


def _board_count(seats: Sequence[Seat]) -> int:
    return len({(seat.round, seat.board) for seat in seats})


@dataclass(frozen=True)
class _Row:
    """A line of the classification: the player, the place (999: none) and how many share it, the score."""

    player: Player
    place: int
    shared: int
    score: float


def _rows(spec: Spec, field: Sequence[Player], seats: Sequence[Seat]) -> list[_Row]:
    """The classification as published, in its order."""
    scores = dict.fromkeys(range(len(field)), 0.0) | diplomacy_boards.totals(seats)
    ranked = diplomacy_boards.places({i: score for i, score in scores.items() if i >= spec.leavers})
    # who shares a place is there with all who share it, or not at all
    end = sorted((place for place, _ in ranked.values()), reverse=True)[spec.untold - 1] if spec.untold else len(field)
    hole = 0
    if spec.hole is not None:
        hole = min(place for place, shared in ranked.values() if place >= spec.hole and shared == 1)
    rows = [
        _Row(field[i], place, shared, scores[i])
        for i, (place, shared) in ranked.items()
        if place != hole and (not spec.untold or place < end)
    ]
    return rows + [_Row(field[i], _UNRANKED, spec.leavers, scores[i]) for i in range(spec.leavers)]


def _files(spec: Spec, field: Sequence[Player], seats: Sequence[Seat]) -> dict[str, bytes]:
    rows = _rows(spec, field, seats)
    if spec.form == "page":
        return {f"{spec.event}.txt": _page(spec, rows, _board_count(seats)).encode()}
    table = pd.DataFrame([
        _person(row.player)
        | {"RANK": row.place, "EXAEQUO": row.shared, "LOCATION": None, "NATIONALITY": row.player.nation,
           "SCORE": f"{row.score:g}"}
        for row in rows
    ])  # fmt: skip
    made = {f"{spec.event}-classification.csv": _encoded(spec, table)}
    if spec.boards:
        table = pd.DataFrame([
            _person(field[seat.player])
            | {"ROUND": seat.round, "BOARD": seat.board, "COUNTRY": seat.power, "RANK": seat.rank,
               "EXAEQUO": seat.shared, "SCORE": f"{seat.score:g}", "NB_CENTRE": seat.centres,
               "YEAR_ELIMINATION": seat.eliminated}
            for seat in seats
        ]).astype({"YEAR_ELIMINATION": "Int64"})  # fmt: skip
        made[f"{spec.event}-boards.csv"] = _encoded(spec, table)
    return made


def _person(player: Player) -> dict[str, object]:
    first, last = player.person.name.split(" ")
    return {"FIRST NAME": first, "NAME": last, "HOMONYME": player.homonyme}


def _encoded(spec: Spec, table: pd.DataFrame) -> bytes:
    """The table as the programs of the time wrote it."""
    text = csv_text(table)
    return text.encode() if spec.day.year >= _UNICODE_SINCE else text.replace("\n", "\r\n").encode("latin-1")


def _page(spec: Spec, rows: Sequence[_Row], board_count: int) -> str:
    """The ranking page as it comes out of a copy: cells run together, last names in capitals."""
    value = float(tournament_value(spec.players, spec.rounds, spec.championship == WORLDS))
    days = f"{spec.day:%B} {spec.day.day}-{spec.last_day.day}, {spec.day.year}"
    lines = [
        spec.name,
        f"Date {days} Place {spec.place}",
        f"Number of players{spec.players} Number of rounds{spec.rounds} Number of boards{board_count}",
        f"Coeff 1{value:.2f} Coeff 2- Coeff 3-",
        "",
        "RankFirstName LastNameLoc.Nat.Score",
    ]
    for row in rows:
        first, last = row.player.person.name.split(" ")
        score = float(percentile(row.place, spec.players))
        lines.append(f"{row.place}{first} {last.upper()}{score:.2f}")
    return "\n".join(lines) + "\n"
