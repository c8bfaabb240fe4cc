"""The school circuit of the sample: events as the 2012 NSSC page names them, all else invented."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ratinglab.sample import tournament
from ratinglab.sample.people import FIRST_GRADE, LAST_GRADE, ORIGIN, Person, person_names, school_year
from ratinglab.sample.tournament import Plan
from ratinglab.sample.tsh_writer import Division, Event, Line

SCHOOLS = {
    "toronto": (
        "Lantern Hill", "École des Brumes", "Quarry Lane", "Otter Bend", "St. Brannock", "Fiddlehead Park",
        "Northmarsh", "Copper Kettle Road",
    ),
    "capital": (
        "Rowanfield", "Three Bridges", "Magpie Court", "Old Tannery", "Juniper Walk", "Bellfounder Street",
        "Westering", "Hollin Mount",
    ),
    "carolina": (
        "Pinedrift", "Sandhopper Cove", "Blue Heron", "Mulberry Fork", "Tidewrack", "Camellia Row", "Longleaf Hollow",
        "Graycliff",
    ),
    "texas": (
        "Mesquite Flats", "Armadillo Creek", "Prickly Pear", "Windmill Crossing", "Longhorn Gap", "Cottonwood Spur",
        "Bluestem",
    ),
    "england": (
        "Harbor Light", "Puffin Ledge", "Saltbox Green", "Cranberry Bog", "Granite Notch", "Sugarbush", "Weathervane",
        "Mill Pond",
    ),
    "inland": (
        "Prairie Rose", "Limestone Gulch", "Sycamore Bottom", "Buckeye Union", "Red Barn", "Sandhill Crane",
        "Kingfisher", "Lakeshore Academy",
    ),
}  # fmt: skip
"""Invented schools by region."""

CHAMPIONSHIP = "2012-nssc"
_NSSC_CAPS = (100, 150, 200, 250, 300, 350)
_CAPS = (100, 150, 200)


@dataclass(frozen=True)
class Spec:
    """What is fixed about a school event; `teams` is how many may come, `odd` whether somebody sits out each round."""

    event: str
    name: str
    date: str
    day: dt.date
    place: str
    regions: tuple[str, ...]
    teams: int
    rounds: int
    caps: tuple[int, ...] = ()
    most: int = 3  # teams of one school
    schools: float = 1.0  # share of the schools that send somebody
    odd: bool = False
    late: int = 0
    leavers: int = 0
    no_shows: int = 0
    by_grade: bool = False  # two divisions: elementary and middle school
    rating: str = "0+0+0"
    track_firsts: bool = True
    unknown_firsts: frozenset[int] = frozenset()


_ALL = tuple(SCHOOLS)
EVENTS = (
    Spec("2009-nssc", "2009 NSSC", "April 25-26, 2009", dt.date(2009, 4, 25), "", _ALL, 44, 13, _NSSC_CAPS,
         schools=0.7, late=1, rating="0"),
    Spec("2010-nssc", "2010 NSSC", "April 24-25, 2010", dt.date(2010, 4, 24), "", _ALL, 50, 13, _NSSC_CAPS,
         schools=0.7, leavers=1, rating="0"),
    Spec("2011-toronto-school", "2011 Toronto School SCRABBLE Championship", "2011-03-05", dt.date(2011, 3, 5),
         "Toronto", ("toronto",), 19, 7, _CAPS, odd=True),
    Spec("2011-nssc", "2011 NSSC", "Apr 30-May 1, 2011", dt.date(2011, 4, 30), "", _ALL, 60, 13, _NSSC_CAPS,
         schools=0.75, no_shows=1),
    Spec("2011-toronto-september", "Toronto, September 22, 2011", "September 22, 2011", dt.date(2011, 9, 22),
         "Toronto", ("toronto",), 12, 6, most=2),
    Spec("2011-janney", "Janney School, November 18, 2011", "November 18, 2011", dt.date(2011, 11, 18),
         "Washington D.C.", ("capital",), 13, 6, most=2, odd=True, track_firsts=False),
    Spec("2012-toronto-school", "2012 Toronto School SCRABBLE Championship", "2012-02-11", dt.date(2012, 2, 11),
         "Toronto", ("toronto",), 22, 7, _CAPS, late=1),
    Spec("2012-north-carolina-school", "2012 North Carolina School SCRABBLE Championship", "2012-03-03",
         dt.date(2012, 3, 3), "North Carolina", ("carolina",), 26, 7, _CAPS, by_grade=True),
    Spec("2012-washington", "Washington D.C., March 17, 2012", "March 17, 2012", dt.date(2012, 3, 17),
         "Washington D.C.", ("capital",), 16, 6, _CAPS, leavers=1),
    Spec("2012-texas-school", "2012 Texas School SCRABBLE Championship", "March 24, 2012", dt.date(2012, 3, 24),
         "Texas", ("texas",), 18, 8, _CAPS, unknown_firsts=frozenset({8})),
    Spec("2012-new-england-school", "2012 New England School SCRABBLE Championship", "March 31, 2012",
         dt.date(2012, 3, 31), "New England", ("england",), 21, 9, (*_CAPS, 250), odd=True, no_shows=1),
    Spec(CHAMPIONSHIP, "2012 NSSC", "May 12-13, 2012", dt.date(2012, 5, 12), "", _ALL, 56, 13, _NSSC_CAPS,
         schools=0.68),
)  # fmt: skip
AWAITED = (
    ("2012-indiana-school", "2012 Indiana School SCRABBLE Championship", "Indiana"),
    ("2012-woburn-burlington-school", "2012 Woburn/Burlington MA School SCRABBLE Tournament", "Woburn/Burlington MA"),
)


def events(rng: np.random.Generator) -> list[Event]:
    """The circuit's events in time order, the last of them (`CHAMPIONSHIP`) an entry list."""
    children = _children(rng)
    squads: dict[tuple[str, int], list[tuple[Person, ...]]] = {}
    return [_event(rng, spec, children, squads) for spec in EVENTS]


def event_table() -> pd.DataFrame:
    """The circuit's `events.csv`: what the folders do not say, and the events whose results are awaited."""
    rows = [
        {
            "event": spec.event,
            "name": spec.name,
            "place": spec.place or None,
            "kind": "games",
            "pool": "school",
            "championship": "NSSC 2012" if spec.event == CHAMPIONSHIP else None,
            "availability": None if spec.event == CHAMPIONSHIP else "rated",
            "note": "entry list, not played yet" if spec.event == CHAMPIONSHIP else None,
        }
        for spec in EVENTS
    ]
    rows += [
        {
            "event": event,
            "name": name,
            "place": place,
            "kind": "games",
            "pool": "school",
            "championship": None,
            "availability": "awaited",
            "note": "results asked of the organizer, not complete as of April 11, 2012",
        }
        for event, name, place in AWAITED
    ]
    return pd.DataFrame(rows)


def _children(rng: np.random.Generator) -> dict[str, list[Person]]:
    """The children of every school that ever play, from those in grade 8 in spring 2009 to new ones in 2011."""
    schools = [school for region in SCHOOLS.values() for school in region]
    years = [(school, year) for school in schools for year in range(2004, 2012)]
    size = np.repeat(rng.choice([0.5, 0.9, 1.5], size=len(schools), p=[0.25, 0.5, 0.25]), 8)
    born = [key for key, count in zip(years, rng.poisson(size).tolist(), strict=True) for _ in range(count)]
    made: dict[str, list[Person]] = {school: [] for school in schools}
    for name, (school, year) in zip(person_names(rng, len(born)), born, strict=True):
        slope = max(20, int(np.rint(rng.normal(95, 35))))
        # most begin modestly; a few are the names everybody knows two years later
        start = rng.normal(980, 170) + (350 if rng.random() < 0.07 else 0)
        years_on = (dt.date(year, 10, 1) - ORIGIN).days / 365.25
        birth = dt.date(year - 10, 9, 1) + dt.timedelta(days=int(rng.integers(365)))
        base = int(np.rint(start - slope * years_on))
        made[school].append(Person(name, base, slope, 700, 1700, school, birth, year))
    return made


def _event(
    rng: np.random.Generator,
    spec: Spec,
    children: dict[str, list[Person]],
    squads: dict[tuple[str, int], list[tuple[Person, ...]]],
) -> Event:
    schools = [school for region in spec.regions for school in SCHOOLS[region]]
    coming = rng.permutation(len(schools))[: round(spec.schools * len(schools))]
    field = [
        (school, team)
        for school in (schools[i] for i in sorted(coming.tolist()))
        for team in _squad(rng, children[school], squads, (school, school_year(spec.day)), spec.day)[: spec.most]
    ]
    field = [field[i] for i in rng.permutation(len(field))[: spec.teams].tolist()]
    if spec.by_grade:
        young = [entry for entry in field if max(_grade(child, spec.day) for child in entry[1]) <= 6]
        parts = {"E": young, "M": [entry for entry in field if entry not in young]}
    else:
        parts = {"A": field if len(field) % 2 == spec.odd else field[:-1]}
    names = _team_names(team for part in parts.values() for team in part)
    return Event(
        spec.event,
        spec.name,
        spec.date,
        spec.day,
        spec.rounds,
        "none",
        [_division(rng, spec, name, part, names) for name, part in parts.items()],
        spec.caps,
        spec.track_firsts,
    )


def _grade(child: Person, day: dt.date) -> int:
    grade = child.grade(day)
    assert grade is not None
    return grade


def _squad(
    rng: np.random.Generator,
    children: Sequence[Person],
    squads: dict[tuple[str, int], list[tuple[Person, ...]]],
    key: tuple[str, int],
    day: dt.date,
) -> list[tuple[Person, ...]]:
    """A school's teams, the best first: those of earlier in the season, or (every fifth time) made anew.

    Neighbours in strength play together, as a coach judges it; who is left over, or at odds, plays alone.
    """
    if key in squads and rng.random() < 0.8:
        return squads[key]
    playing = [child for child in children if FIRST_GRADE <= _grade(child, day) <= LAST_GRADE]
    judged = rng.normal([child.strength(day) for child in playing], 120)
    ranked = [playing[i] for i in np.argsort(-judged, kind="stable").tolist()]
    teams: list[tuple[Person, ...]] = []
    while ranked:
        together = 2 if len(ranked) > 1 and rng.random() < 0.9 else 1
        teams.append(tuple(ranked[:together]))
        ranked = ranked[together:]
    squads[key] = teams
    return teams


def _team_names(field: Iterable[tuple[str, tuple[Person, ...]]]) -> dict[tuple[Person, ...], str]:
    """A school's only team has the school's name, several have letters."""
    by_school: dict[str, list[tuple[Person, ...]]] = {}
    for school, team in field:
        by_school.setdefault(school, []).append(team)
    return {
        team: school if len(teams) == 1 else f"{school} {'ABCDEFGH'[i]}"
        for school, teams in by_school.items()
        for i, team in enumerate(teams)
    }


def _division(
    rng: np.random.Generator,
    spec: Spec,
    name: str,
    part: list[tuple[str, tuple[Person, ...]]],
    names: dict[tuple[Person, ...], str],
) -> Division:
    strengths = [tournament.team_strength([child.strength(spec.day) for child in team]) for _, team in part]
    odd_ones = rng.permutation(len(part)).tolist()
    late, leavers, no_shows = (
        [odd_ones.pop() for _ in range(count)] for count in (spec.late, spec.leavers, spec.no_shows)
    )
    plan = Plan(
        spec.rounds,
        spec.caps,
        arrives=dict.fromkeys(late, 3),
        leaves=dict.fromkeys(leavers, spec.rounds // 2),
        no_shows=frozenset((i, spec.rounds // 2 + 1) for i in no_shows),
    )
    lines = []
    for i, (_, team) in enumerate(part):
        grades = [str(_grade(child, spec.day)) for child in team]
        keys = {f"grade{k}": grade for k, grade in enumerate(grades, start=1)}
        keys["grade"] = "/".join(grades)
        if i in plan.leaves:
            keys["off"] = str(tournament.NO_SHOW_SPREAD)
        lines.append(Line(names[team], spec.rating, keys, team))
    played = None if spec.event == CHAMPIONSHIP else tournament.play(rng, strengths, plan)
    return Division(name, lines, played, unknown_firsts=spec.unknown_firsts)
