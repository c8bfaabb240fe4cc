"""What the office of the sample's chess club does: it keeps ratings, takes entries and puts children into sections.

Sections follow grade and rating as at the Evanston scholastic tournaments. The ratings follow a bookkeeping of their
own that is no system's formula: start at 100 × grade, the factor 800/(N + m), no floor.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ratinglab import schema
from ratinglab.sample import club_pairing
from ratinglab.sample.club_children import Child
from ratinglab.sample.club_pairing import SMALLEST, Game

SECTIONS = ("Pawn", "Knight", "Bishop", "Rook", "Queen", "King")
"""The sections, from the lowest; from Knight on each begins 200 rating points above the one below."""

CHAMPIONSHIPS = (
    "K-1 championship", "2-3 championship", "2-3 reserve", "4-5 championship", "4-8 reserve", "6-8 championship",
)  # fmt: skip
"""The sections of the yearly championship, by grade."""

DOWN = "moved down after a hard season"
"""The reason given where somebody goes back a section."""

_BAND = 200
_MOST_GAMES, _LARGEST_FACTOR = 6, 100.0  # N counts up to here; no game moves a rating by more
_BEHIND = 150  # how far above the club's a national rating is that the director takes instead
_FEW = SMALLEST + 1  # a section is filled up to this where it can be
_ODD = 0.3  # share of the sections that lack one of an even number
_REQUESTS = 0.03  # share of the entries whose coach asks for the next section
_GRADES = ((0, 1, 0.8), (2, 3, 1.1), (4, 5, 1.1), (6, 8, 1.0))  # of the championship: from, to, weight in the field


@dataclass
class Card:
    """What the office knows of a child: its rating (None: never rated), games and day of it, the section reached."""

    rating: int | None
    games: int
    as_of: dt.date | None
    reached: int = 0


@dataclass(frozen=True)
class Entry:
    """One child in one tournament: its section (counted from 0), what it is ranked by, and what is filed."""

    child: Child
    section: int
    rank: float
    rating: int | None = None
    kind: str | None = None
    as_of: dt.date | None = None
    games: int = 0
    request: str | None = None
    override: str | None = None
    reason: str | None = None


class Office:
    """The club's office from its first tournament, on `opening`, on; what it decides by lot comes from `rng`."""

    def __init__(self, rng: np.random.Generator, children: Sequence[Child], opening: dt.date) -> None:
        """Know what is known before `opening`: of members a rating and some games, of newcomers nothing."""
        self._rng = rng
        self._cards = {child: self._first_card(child, opening) for child in children}

    def _first_card(self, child: Child, opening: dt.date) -> Card:
        if child.debut is not None:
            return Card(None, 0, None)
        day = opening - dt.timedelta(days=int(self._rng.integers(130, 400)))
        return Card(
            _fileable(child.person.strength(day) + self._rng.normal(0, 70)), int(self._rng.integers(4, 60)), day
        )

    def rating_list(self, day: dt.date) -> list[tuple[str, int]]:
        """The club's rating list on `day`: everybody rated who may still come, with the rating."""
        return [
            (child.name, card.rating)
            for child, card in self._cards.items()
            if card.rating is not None and child.plays(day)
        ]

    def by_section(self, day: dt.date, count: int, down: int) -> dict[str, list[Entry]]:
        """The field of an ordinary tournament by section, each in order of rank.

        The section is the higher of the grade's and the rating's; one once reached is kept, but for `down` children
        whom the director moves back; coaches ask for a higher one. A section too small to play joins a neighbour.
        """
        groups: dict[int, list[Entry]] = {i: [] for i in reversed(range(len(SECTIONS)))}
        for child, card in self._cards.items():
            if child.plays(day):
                entry = _entry(day, child, card)
                section = max(entry.section, card.reached)
                asks = self._rng.random() < _REQUESTS and section < len(SECTIONS) - 1
                request = SECTIONS[section + 1] if asks else None
                groups[section + asks].append(replace(entry, section=section + asks, request=request))
        weights = {i: float(len(group)) for i, group in groups.items()}
        came = self._came(day, groups, weights, count, dict.fromkeys(groups, _FEW))
        came = self._moved_down(day, came, down)
        for field in came.values():
            for entry in field:
                self._cards[entry.child].reached = entry.section
        joined = _joined(came)
        return {name: self._ranked(joined[i]) for i, name in enumerate(SECTIONS) if i in joined}

    def by_grade(self, day: dt.date, count: int) -> dict[str, list[Entry]]:
        """The championship's field: by grade, the lower halves of grades 2-3, 4-5 and 6-8 in reserve."""
        groups: dict[int, list[Entry]] = {i: [] for i in range(len(_GRADES))}
        for child, card in self._cards.items():
            if child.plays(day):
                grade = child.grade(day)
                groups[next(i for i, (_, last, _) in enumerate(_GRADES) if grade <= last)].append(
                    _entry(day, child, card)
                )
        weights = {i: len(group) * _GRADES[i][2] for i, group in groups.items()}
        # of those that are halved, enough for both
        least = {i: _FEW if i == 0 else 2 * _FEW for i in groups}
        came = self._came(day, groups, weights, count, least)
        youngest, *others = (self._ranked(came[i]) for i in range(len(_GRADES)))
        (second, second_rest), (fourth, fourth_rest), (oldest, oldest_rest) = (
            (field[: (len(field) + 1) // 2], field[(len(field) + 1) // 2 :]) for field in others
        )
        reserve = self._ranked([*fourth_rest, *oldest_rest])
        return dict(zip(CHAMPIONSHIPS, (youngest, second, second_rest, fourth, reserve, oldest), strict=True))

    def book(self, day: dt.date, section: str, field: Sequence[Entry], games: Sequence[Game]) -> None:
        """Rate the section's games from the ratings filed, and note who has won it and so moves up."""
        played = [game for game in games if game.status == schema.PLAYED]
        for i, entry in enumerate(field):
            card = self._cards[entry.child]
            own = [(game.black, game.result) for game in played if game.white == i]
            own += [(game.white, 1 - game.result) for game in played if game.black == i]
            if not own:
                continue
            factor = min(_LARGEST_FACTOR, 800 / (min(entry.games, _MOST_GAMES) + len(own)))
            excess = sum(result - club_pairing.expected(entry.rank - field[j].rank) for j, result in own)
            card.rating, card.games, card.as_of = _fileable(entry.rank + factor * excess), entry.games + len(own), day
        if section in SECTIONS:
            made = club_pairing.points(games, len(field))
            for entry, score in zip(field, made, strict=True):
                if score == max(made):
                    card = self._cards[entry.child]
                    card.reached = max(card.reached, min(SECTIONS.index(section) + 1, len(SECTIONS) - 1))

    def _came(
        self,
        day: dt.date,
        groups: Mapping[int, list[Entry]],
        weights: Mapping[int, float],
        count: int,
        least: Mapping[int, int],
    ) -> dict[int, list[Entry]]:
        """Who comes of each group: newcomers on their first day, and others, the keener the sooner."""
        share = count / sum(weights.values())
        came = {}
        for i, group in groups.items():
            wanted = 2 * round(max(least[i], share * weights[i]) / 2)
            size = min(len(group), wanted - bool(self._rng.random() < _ODD))
            # above all others: newcomers on their day
            keen = self._rng.random(len(group)) ** (1 / np.array([entry.child.keen for entry in group]))
            keen += np.array([entry.child.debut == day for entry in group])
            came[i] = [group[k] for k in sorted(np.argsort(-keen, kind="stable")[:size].tolist())]
        return came

    def _moved_down(self, day: dt.date, came: Mapping[int, list[Entry]], count: int) -> dict[int, list[Entry]]:
        """The field with the `count` children who are the farthest above the rules' section put back by one."""
        above = sorted(
            (entry for field in came.values() for entry in field if entry.request is None),
            key=lambda entry: _entry(day, entry.child, self._cards[entry.child]).section - entry.section,
        )
        back = {
            entry: replace(entry, section=entry.section - 1, override=SECTIONS[entry.section - 1], reason=DOWN)
            for entry in above[:count]
        }
        left = {i: [entry for entry in field if entry not in back] for i, field in came.items()}
        return {i: field + [entry for entry in back.values() if entry.section == i] for i, field in left.items()}

    def _ranked(self, field: Sequence[Entry]) -> list[Entry]:
        """The field in order of rank, equal ones by lot."""
        lot = self._rng.permutation(len(field)).tolist()
        return [field[i] for i in sorted(range(len(field)), key=lambda i: (-field[i].rank, lot[i]))]


def _fileable(rating: float) -> int:
    """A whole number that can be filed; 0 would say unrated."""
    return round(rating) or 1


def _entry(day: dt.date, child: Child, card: Card) -> Entry:
    """A child as the rules would enter it: a national rating where the club's lags far behind, or there is none."""
    rating, kind, as_of, games = card.rating, "local", card.as_of, card.games
    national = child.national_on(day)
    if national is not None and (rating is None or national[1] - rating >= _BEHIND):
        (as_of, rating), kind = national, "national"
        games = games or child.national_games
    grade = child.grade(day)
    by_grade = 0 if grade < 3 else 1 if grade < 5 else 2
    if rating is None:
        return Entry(child, by_grade, 100.0 * grade)
    by_rating = min(max(rating // _BAND, 0), len(SECTIONS) - 1)
    return Entry(child, max(by_grade, by_rating), rating, rating, kind, as_of, games)


def _joined(came: Mapping[int, list[Entry]]) -> dict[int, list[Entry]]:
    """The sections that are played, from the top: one with too few joins that above it, King that below."""
    held: dict[int, list[Entry]] = {}
    waiting: list[Entry] = []
    for i, field in came.items():
        if waiting and len(field) + len(waiting) >= SMALLEST:
            held[i], waiting = [*field, *_elsewhere(waiting, i)], []
        elif waiting or (len(field) < SMALLEST and not held):
            waiting += field
        elif len(field) < SMALLEST:
            above = min(held)
            held[above] += _elsewhere(field, above)
        else:
            held[i] = field
    return held


def _elsewhere(field: Sequence[Entry], section: int) -> list[Entry]:
    return [
        replace(
            entry,
            override=SECTIONS[section],
            reason=f"too few in {SECTIONS[entry.section]}",
        )
        for entry in field
        if entry.section != section
    ]
