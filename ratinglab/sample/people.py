"""Invented people: names that cannot be taken for one another, and persons whose strength is known on any day.

A name is made of two words from lists in which no two words are one slip of the pen apart, so that two whole names
never are: whatever `ratinglab.names.near` finds in sample data was put there by somebody else.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from ratinglab import names

ORIGIN = dt.date(2009, 5, 1)
"""The day on which a person's strength is `base`."""

FIRST_GRADE, LAST_GRADE = 4, 8
"""The grades that play school events."""

_YEAR = 365.25
_GIVEN = [
    parts.split()
    for parts in (
        "b d f h j k l m n p r s t v w th cl br gw y",
        "a e i o u ae io",
        "lin dra mo ren vi sko bel tha nny rud gar zel",
    )
]
_SURNAME = [
    parts.split()
    for parts in (
        "Ast Bar Brim Col Crad Dray Dun Elv Fen Fros Gor Grin Hal Hob Jas Kes Kib Lam Lork Mor Mun Nor Orm Pel Pry "
        "Quin Ros Rud Sed Sky Tam Tre Ul Ver Vin Wex Yar Zan",
        "a e i o en",
        "brook cott dahl gate kin lund mere nack quist shaw thwait vell wick yard stoke rell moor fax dine pole sand",
    )
]
_WORDS = (160, 320)  # given names, surnames
_ACCENT_EVERY = 40  # every so many surnames carry an accent, as real lists do


@dataclass(frozen=True)
class Person:
    """Somebody invented: strength on `ORIGIN` and its growth a year, held within `low` and `high`.

    A child has a school, a birth date and the school year (its first calendar year) in which it reaches grade 4.
    """

    name: str
    base: int
    slope: int
    low: int
    high: int
    school: str | None = None
    birth_date: dt.date | None = None
    fourth_grade: int | None = None

    def strength(self, day: dt.date) -> int:
        """The true strength on `day`, in rating points."""
        grown = self.base + self.slope * (day - ORIGIN).days / _YEAR
        return min(self.high, max(self.low, math.floor(grown + 0.5)))

    def grade(self, day: dt.date) -> int | None:
        """The grade on `day`; nothing for a person without a school."""
        return None if self.fourth_grade is None else FIRST_GRADE + school_year(day) - self.fourth_grade


def school_year(day: dt.date) -> int:
    """The calendar year in which the school year of `day` began (1 August).

    >>> school_year(dt.date(2012, 4, 11)), school_year(dt.date(2011, 9, 22))
    (2011, 2011)
    """
    return day.year if day.month >= 8 else day.year - 1


def person_names(rng: np.random.Generator, count: int) -> list[str]:
    """`count` different names, "Surname, Given", no two of them one slip apart; surnames repeat as in families.

    Raises `ValueError` for more than some tens of thousands.

    >>> len(set(person_names(np.random.default_rng(1), 20_000)))
    20000
    """
    given, surnames = _word_lists()
    if count > len(given) * len(surnames):
        raise ValueError(f"there are {len(given) * len(surnames)} invented names, {count} are asked for")
    picked = rng.choice(len(given) * len(surnames), size=count, replace=False)
    return [f"{surnames[i // len(given)]}, {given[i % len(given)]}" for i in picked.tolist()]


def free_names(rng: np.random.Generator, count: int, taken: Iterable[str]) -> list[str]:
    """`count` names as `person_names` makes them, none of which is in `taken`, in whatever order it writes them."""
    keys = set(map(names.key, taken))
    return [name for name in person_names(rng, count + len(keys)) if names.key(name) not in keys][:count]


@lru_cache(maxsize=1)
def _word_lists() -> tuple[list[str], list[str]]:
    taken: set[str] = set()
    given = _apart(_strided(_GIVEN), taken, _WORDS[0])
    surnames = _apart(_strided(_SURNAME), taken, _WORDS[1])
    accented = [word.replace("e", "é", 1) if i % _ACCENT_EVERY == 0 else word for i, word in enumerate(surnames)]
    return given, accented


def _strided(syllables: list[list[str]]) -> Iterator[str]:
    """Every word of these syllables, in an order in which neighbours do not look alike."""
    words = ["".join(parts).capitalize() for parts in product(*syllables)]
    stride = next(n for n in range(round(0.618 * len(words)), len(words)) if math.gcd(n, len(words)) == 1)
    return (words[i * stride % len(words)] for i in range(len(words)))


def _apart(words: Iterable[str], taken: set[str], count: int) -> list[str]:
    """The first `count` words that are more than one slip from each other and from all before; `taken` grows.

    One letter more, less, other or swapped: in each case the two words share a spelling with one letter left out.
    """
    kept = []
    for word in words:
        plain = word.casefold()
        spellings = {plain, *(plain[:i] + plain[i + 1 :] for i in range(len(plain)))}
        if spellings.isdisjoint(taken):
            taken |= spellings
            kept.append(word)
            if len(kept) == count:
                return kept
    raise ValueError(f"the syllables give only {len(kept)} of {count} words")
