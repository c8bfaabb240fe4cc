"""The open circuit of the sample: rated events from May 2009 to April 2012, everything about them invented.

Ratings as filed are the true strength with an error that moves slowly from event to event, so that they hang together
as ratings do without following any rating system's formula. Newcomers are filed with 0.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ratinglab.sample import tournament
from ratinglab.sample.people import Person, free_names
from ratinglab.sample.tournament import Plan
from ratinglab.sample.tsh_writer import Division, Event, Line

_ERROR = 60.0  # standard deviation of a filed rating around the true strength
_KEPT = 0.9  # how much of the error is the same at the next event
_ADULTS, _NEW_ADULTS, _CHILDREN = 145, 35, 28


@dataclass(frozen=True)
class Spec:
    """What is fixed about an open event: `sizes` are its divisions from the top.

    `date` is as the organizer wrote it, `iso` its first day; its players live in `region`, or everywhere (-1).
    """

    event: str
    name: str
    date: str
    iso: str
    region: int
    rounds: int
    sizes: tuple[int, ...]
    late: int = 0
    leavers: int = 0
    no_shows: int = 0
    follows: bool = False  # a late bird: whoever stayed after the event before
    comment: str = ""

    @property
    def day(self) -> dt.date:
        """The event's first day."""
        return dt.date.fromisoformat(self.iso)


EVENTS = (
    Spec("2009-alder-falls", "Alder Falls Spring Open", "May 16-17, 2009", "2009-05-16", 0, 12, (14, 14)),
    Spec("2009-wrenport", "Wrenport Midsummer", "June 20, 2009", "2009-06-20", 1, 8, (12, 15)),
    Spec("2009-grand", "Grand Inland Championship", "August 1-5, 2009", "2009-08-01", -1, 28, (24, 20, 16),
          leavers=1, comment="five days"),
    Spec("2009-cobble-bay", "Cobble Bay One-Day", "October 10, 2009", "2009-10-10", 2, 7, (18,)),
    Spec("2009-wrenport-autumn", "Wrenport Autumn", "November 14-15, 2009", "2009-11-14", 1, 13, (12, 13), late=1),
    Spec("2010-turn-of-year", "Turn of the Year", "Dec 31, 2009-Jan 2, 2010", "2009-12-31", 0, 20, (20, 16)),
    Spec("2010-turn-of-year-late-bird", "Turn of the Year Late Bird", "January 3, 2010", "2010-01-03", 0, 6, (13,),
          follows=True),
    Spec("2010-cobble-bay", "Cobble Bay One-Day", "March 13, 2010", "2010-03-13", 2, 7, (16,)),
    Spec("2010-alder-falls", "Alder Falls Spring Open", "May 15-16, 2010", "2010-05-15", 0, 12, (14, 12), no_shows=1),
    Spec("2010-saffron-ridge", "Saffron Ridge", "2010-07-03", "2010-07-03", 1, 15, (16, 14)),
    Spec("2010-grand", "Grand Inland Championship", "Jul 31-Aug 4, 2010", "2010-07-31", -1, 28, (24, 22, 16)),
    Spec("2010-cobble-bay-autumn", "Cobble Bay Autumn", "October 9-10, 2010", "2010-10-09", 2, 12, (14, 12), late=1),
    Spec("2010-wrenport-autumn", "Wrenport Autumn", "November 13-14, 2010", "2010-11-13", 1, 13, (14, 12)),
    Spec("2011-turn-of-year", "Turn of the Year", "Dec 31, 2010-Jan 2, 2011", "2010-12-31", 0, 20, (18, 17)),
    Spec("2011-turn-of-year-late-bird", "Turn of the Year Late Bird", "January 3, 2011", "2011-01-03", 0, 5, (14,),
          follows=True),
    Spec("2011-saffron-ridge", "Saffron Ridge", "2011-03-19", "2011-03-19", 1, 14, (14, 13)),
    Spec("2011-alder-falls", "Alder Falls Spring Open", "May 21-22, 2011", "2011-05-21", 0, 12, (14, 14), leavers=1),
    Spec("2011-lighthouse", "Lighthouse Marathon", "July 9-15, 2011", "2011-07-09", 2, 36, (20,),
          comment="seven days, one division"),
    Spec("2011-grand", "Grand Inland Championship", "August 6-10, 2011", "2011-08-06", -1, 28, (22, 22, 15, 12)),
    Spec("2011-wrenport-autumn", "Wrenport Autumn", "November 12-13, 2011", "2011-11-12", 1, 13, (13, 12)),
    Spec("2012-turn-of-year", "Turn of the Year", "Dec 31, 2011-Jan 2, 2012", "2011-12-31", 0, 20, (18, 18),
          no_shows=1),
    Spec("2012-turn-of-year-late-bird", "Turn of the Year Late Bird", "January 3, 2012", "2012-01-03", 0, 7, (12,),
          follows=True),
    Spec("2012-cobble-bay", "Cobble Bay One-Day", "March 10, 2012", "2012-03-10", 2, 7, (19,)),
    Spec("2012-saffron-ridge", "Saffron Ridge", "April 7-8, 2012", "2012-04-07", 1, 12, (14, 12)),
)  # fmt: skip


class _Register:
    """What the organizers know of everybody: the rating to file and the games played so far."""

    def __init__(self, rng: np.random.Generator, regulars: Sequence[Person]) -> None:
        self._rng = rng
        self._error = dict(zip(regulars, rng.normal(0, _ERROR, size=len(regulars)).tolist(), strict=True))
        # from a first season to a third decade, most in between
        games = np.rint(np.exp(rng.uniform(np.log(25), np.log(2500), size=len(regulars)))).astype(np.int64)
        self.games = dict(zip(regulars, games.tolist(), strict=True))

    def file(self, person: Person, day: dt.date) -> int:
        """The rating to file for `person`; 0 for somebody never rated."""
        if not self.games.get(person):
            return 0
        error = self._error.get(person, 0.0)
        fresh = self._rng.normal(0, _ERROR)
        error = _KEPT * error + (1 - _KEPT**2) ** 0.5 * fresh if person in self._error else fresh
        self._error[person] = error
        return max(100, int(np.rint(person.strength(day) + error)))

    def played(self, person: Person, games: int) -> None:
        self.games[person] = self.games.get(person, 0) + games


def events(rng: np.random.Generator, children: Sequence[Person]) -> list[Event]:
    """The circuit's events in time order; some of `children`, the stronger ones, play in them under their names."""
    names = free_names(rng, _ADULTS + _NEW_ADULTS, (child.name for child in children))
    strength = np.concatenate([rng.normal(1350, 290, size=_ADULTS), rng.normal(1050, 180, size=_NEW_ADULTS)])
    drift = rng.normal(0, 12, size=len(strength))
    adults = [
        Person(name, base, slope, 450, 2100)
        for name, base, slope in zip(
            names, np.rint(strength).astype(int).tolist(), np.rint(drift).astype(int).tolist(), strict=True
        )
    ]
    juniors = _juniors(rng, children)
    people = [*adults, *juniors]
    home = rng.integers(3, size=len(people))
    keen = np.exp(rng.normal(0, 0.7, size=len(people)))
    # newcomers turn up from any season on, children from one of two autumns
    since = [dt.date(2009, 5, 1)] * _ADULTS
    since += [dt.date(2009, 5, 1) + dt.timedelta(days=days) for days in rng.integers(900, size=_NEW_ADULTS).tolist()]
    since += [dt.date(year, 9, 1) for year in rng.integers(2009, 2011, size=_CHILDREN).tolist()]
    register = _Register(rng, adults[:_ADULTS])
    made: list[Event] = []
    stayed: list[Person] = []
    for spec in EVENTS:
        if spec.follows:
            pool = stayed
            weight = np.ones(len(pool))
        else:
            pool = people
            near = 1.0 if spec.region < 0 else np.where(home == spec.region, 1.0, 0.25)
            weight = keen * near * np.array([day <= spec.day for day in since])
        count = sum(spec.sizes)
        field = [pool[i] for i in rng.choice(len(pool), size=count, replace=False, p=weight / weight.sum()).tolist()]
        made.append(_event(rng, spec, field, register))
        stayed = field
    return made


def _juniors(rng: np.random.Generator, children: Sequence[Person]) -> list[Person]:
    """Children for the open events: the better of those who are of an age to play through most of the seasons."""
    able = [child for child in children if child.fourth_grade is not None and 2006 <= child.fourth_grade <= 2009]
    able.sort(key=lambda child: (-child.strength(dt.date(2011, 5, 1)), child.name))
    able = able[: 2 * _CHILDREN]
    return [able[i] for i in sorted(rng.permutation(len(able))[:_CHILDREN].tolist())]


def _event(rng: np.random.Generator, spec: Spec, field: list[Person], register: _Register) -> Event:
    filed = {person: register.file(person, spec.day) for person in field}
    ranked = sorted(field, key=lambda person: (-filed[person], person.name))
    divisions = []
    for k, size in enumerate(spec.sizes):
        part, ranked = ranked[:size], ranked[size:]
        last = k == len(spec.sizes) - 1
        plan = _plan(rng, spec, size) if last else Plan(spec.rounds)
        played = tournament.play(rng, [person.strength(spec.day) for person in part], plan)
        lines = []
        for i, (person, games) in enumerate(zip(part, played.games().tolist(), strict=True)):
            keys = {"lifeg": str(register.games.get(person, 0)), "class": "ABCD"[k]}
            if i in plan.leaves:
                keys["off"] = str(tournament.NO_SHOW_SPREAD)
            lines.append(Line(person.name, str(filed[person]), keys, (person,)))
            register.played(person, games)
        divisions.append(Division("ABCD"[k], lines, played, spec.comment if k == 0 else ""))
    return Event(spec.event, spec.name, spec.date, spec.day, spec.rounds, "nsa2008", divisions)


def _plan(rng: np.random.Generator, spec: Spec, size: int) -> Plan:
    """How the last division is played: latecomers, leavers and no-shows, where there are any, are in it."""
    odd_ones = rng.permutation(size).tolist()
    late, leavers, no_shows = (
        [odd_ones.pop() for _ in range(count)] for count in (spec.late, spec.leavers, spec.no_shows)
    )
    return Plan(
        spec.rounds,
        arrives=dict.fromkeys(late, 3),
        leaves=dict.fromkeys(leavers, spec.rounds // 2),
        no_shows=frozenset((i, spec.rounds // 2) for i in no_shows),
    )
