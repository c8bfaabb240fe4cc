"""Where the names of people stand in a text, and the text without them.

A name is found in either order (Zondova, Riota; riota-zondova), in any case, with or without accents, whatever stands
between its parts. A single part of a name is looked for only in free text, such as a note.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Set
from functools import cache
from typing import NamedTuple

from ratinglab.names import tidy

WITHHELD = "(name withheld)"
SHORTEST = 3  # letters of a part of a name that is looked for alone: shorter ones are words of every language
_WORD = re.compile(r"[^\W_]+")


class Word(NamedTuple):
    """A word of a text: folded (no case, no accents), and where it stands."""

    folded: str
    start: int
    end: int


@cache
def fold(text: str) -> str:
    """The text without case and accents."""
    parted = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in parted if not unicodedata.combining(letter))


def words(text: str) -> list[Word]:
    """The words of a text, figures among them.

    >>> [word.folded for word in words("Goramére_2, O’Dell")]
    ['goramere', '2', 'o', 'dell']
    """
    return [Word(fold(found.group()), found.start(), found.end()) for found in _WORD.finditer(text)]


class Scrubber:
    """Finds the names it was made of, and takes them out."""

    def __init__(self, names: Iterable[str], common: Iterable[str] = ()) -> None:
        """`common` are texts whose words say nothing of a person, though a name may have them too: schools, places."""
        self._common = {word.folded for text in common for word in words(text)}
        self._whole: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        self._parts: set[str] = set()
        for name in names:
            for form in forms(name):
                if len(form) > 1:
                    self._whole[form[0]].add(form)
                self._parts.update(form)
        self._parts = {part for part in self._parts - self._common if len(part) >= SHORTEST and not part.isdecimal()}

    def names_anybody(self, text: str) -> bool:
        """Whether a whole name stands in the text."""
        return bool(self._spans(words(text), self._wholes))

    def without(self, text: str, *, parts: bool = False) -> str:
        """The text with `WITHHELD` in place of every whole name; with `parts`, also of every single part of one.

        >>> Scrubber(["Zondova, Riota"]).without("for riota zondova: the only one")
        'for (name withheld): the only one'
        """
        found = words(text)
        for looked_for in (self._wholes, self._single) if parts else (self._wholes,):
            for first, last in reversed(self._spans(found, looked_for)):
                text = text[: found[first].start] + WITHHELD + text[found[last].end :]
            found = words(text)
        return text

    def _wholes(self, folded: list[str], at: int) -> int:
        found = (form for form in self._whole.get(folded[at], ()) if tuple(folded[at : at + len(form)]) == form)
        return max(map(len, found), default=0)

    def _single(self, folded: list[str], at: int) -> int:
        return int(folded[at] in self._parts)

    @staticmethod
    def _spans(found: list[Word], looked_for: Callable[[list[str], int], int]) -> list[tuple[int, int]]:
        """First and last word of what `looked_for` finds: of a text's folded words, how many from one on are a name."""
        folded = [word.folded for word in found]
        spans, at = [], 0
        while at < len(folded):
            length = looked_for(folded, at)
            if length:
                spans.append((at, at + length - 1))
            at += max(1, length)
        return spans


def forms(name: str) -> Set[tuple[str, ...]]:
    """The orders in which a name may be written, each as folded words.

    >>> sorted(forms("Zondova, Riota"))
    [('riota', 'zondova'), ('zondova', 'riota')]
    """
    bare = re.sub(r"\s*\([^)]*\)\s*$", "", tidy(name)) or name
    told = [tuple(word.folded for word in words(part)) for part in bare.split(",")]
    told = [part for part in told if part]
    if not told:
        return set()
    if len(told) == 1:  # without a comma the surname is the last word
        first = told[0]
        return {first, (first[-1], *first[:-1])}
    surname, given = told[0], tuple(word for part in told[1:] for word in part)
    return {(*surname, *given), (*given, *surname)}
