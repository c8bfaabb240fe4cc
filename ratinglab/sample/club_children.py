"""The children of the sample's chess club: invented names, schools, strengths, and when they come and go."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ratinglab.sample.people import FIRST_GRADE, ORIGIN, Person, free_names, school_year

SCHOOLS = (
    "Wicker Street", "Gooseberry Hollow", "Ferryman's Rest", "Tallgrass", "Hundred Oaks", "Observatory Hill",
    "Millstone Academy", "Larkspur", "Dune Park",
)  # fmt: skip
"""Invented schools, each with grades K to 8."""

OLDEST = 8
"""The last grade; K is grade 0."""

_AT_FIRST = (11, 14, 13, 12, 11, 11, 13, 13, 12)  # members in fall 2009 by grade, K first
_NEW = 30  # newcomers a season …
_AT_OPENER = 9  # … of whom so many come to its first tournament
_NEW_GRADES = (0.28, 0.24, 0.14, 0.10, 0.08, 0.06, 0.06, 0.04)  # share of newcomers by grade, nobody begins in 8
_STAY = 0.8  # chance of going on after the summer
_TALENT = 0.12  # share of those who learn faster than the rest
_FAMILY = 0.75  # chance that two of one surname are of one family
_NO_BIRTH_DATE = 0.12
_NATIONAL = (500, 0.45)  # of those of this strength, this share plays for a national rating too
_LISTS = ((10, 1), (12, 1), (2, 1), (4, 1))  # month and day of the federation's lists


@dataclass(frozen=True)
class Child:
    """A child of the club: `debut` is its first tournament (None: a member before the first), `until` its last day.

    `national` are its ratings on the federation's lists by date, `national_games` how many they began with.
    """

    person: Person
    until: dt.date
    keen: float
    debut: dt.date | None
    national: tuple[tuple[dt.date, int], ...] = ()
    national_games: int = 0

    @property
    def name(self) -> str:
        """The child's name."""
        return self.person.name

    def grade(self, day: dt.date) -> int:
        """The grade on `day`, K being 0."""
        grade = self.person.grade(day)
        assert grade is not None
        return grade

    def plays(self, day: dt.date) -> bool:
        """Whether the child is of the club on `day`: begun, not gone, not yet out of school."""
        return (self.debut is None or self.debut <= day) and day <= self.until and self.grade(day) <= OLDEST

    def national_on(self, day: dt.date) -> tuple[dt.date, int] | None:
        """The child's latest national rating as of `day`, with the list's date."""
        return max(((date, rating) for date, rating in self.national if date <= day), default=None)


def children(rng: np.random.Generator, taken: Iterable[str], days: Sequence[dt.date]) -> list[Child]:
    """Everybody who ever is of the club, whose tournaments are on `days`; nobody is called as one of `taken`."""
    debuts: list[tuple[int, dt.date | None]] = [(grade, None) for grade, n in enumerate(_AT_FIRST) for _ in range(n)]
    for year in sorted({school_year(day) for day in days}):
        season = [day for day in days if school_year(day) == year]
        turn = [season[0]] * _AT_OPENER + [season[1 + i % (len(season) - 1)] for i in range(_NEW - _AT_OPENER)]
        share = np.array(_NEW_GRADES) / sum(_NEW_GRADES)
        debuts += zip(rng.choice(len(share), size=_NEW, p=share).tolist(), turn, strict=True)
    names = free_names(rng, len(debuts), taken)
    families: dict[str, str] = {}
    return [_child(rng, name, grade, debut, days, families) for name, (grade, debut) in zip(names, debuts, strict=True)]


def _child(
    rng: np.random.Generator,
    name: str,
    grade: int,
    debut: dt.date | None,
    days: Sequence[dt.date],
    families: dict[str, str],
) -> Child:
    """A child of this grade at its debut, or at the first tournament; `families` are surnames with their schools."""
    begins = debut or days[0]
    surname, given = name.split(", ")
    school = SCHOOLS[int(rng.integers(len(SCHOOLS)))]
    if surname in families and rng.random() < _FAMILY:
        school = families[surname]
    families.setdefault(surname, school)
    talent = rng.random() < _TALENT
    slope = max(20, int(np.rint(rng.normal(165 if talent else 115, 35))))
    start = rng.normal(10, 135) + 118 * grade + (250 if talent else 0)
    base = int(np.rint(start - slope * (begins - ORIGIN).days / 365.25))
    year = school_year(begins) - grade  # of kindergarten
    birth = dt.date(year - 6, 9, 1) + dt.timedelta(days=int(rng.integers(365)))
    known = rng.random() >= _NO_BIRTH_DATE
    person = Person(f"{given} {surname}", base, slope, -450, 1550, school, birth if known else None, year + FIRST_GRADE)
    summers = int(rng.geometric(1 - _STAY))
    until = dt.date(school_year(begins) + summers, 7, 31)
    keen = float(np.exp(rng.normal(0, 0.5)))
    least, share = _NATIONAL
    if person.strength(days[len(days) // 2]) < least or rng.random() >= share:
        return Child(person, until, keen, debut)
    return Child(person, until, keen, debut, _national(rng, person, days, until), int(rng.integers(12, 60)))


def _national(
    rng: np.random.Generator, person: Person, days: Sequence[dt.date], until: dt.date
) -> tuple[tuple[dt.date, int], ...]:
    """A national rating for each list from some date on: closer to the true strength than the club's is."""
    years = range(days[0].year, days[-1].year + 1)
    dates = sorted(dt.date(year, month, day) for year in years for month, day in _LISTS)
    dates = [date for date in dates if days[0] <= date <= min(until, days[-1])]
    dates = dates[int(rng.integers(8)) :]
    errors = rng.normal(-40, 35, size=len(dates)).tolist()
    return tuple(
        (date, max(100, round(person.strength(date) + error))) for date, error in zip(dates, errors, strict=True)
    )
