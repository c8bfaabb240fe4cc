"""When two spellings are one person, and when they might be.

`key` is what people are matched by. `near` finds spellings one slip apart: those are listed for a human to decide
(an `aliases.csv` settles it), never merged.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable

# ":AA001234", "#1234", "(AA001234)", "[1234]" after a name: a membership, not part of the name
_MEMBERSHIP = re.compile(r"\s*(?::\s*[A-Za-z]{0,3}\d{3,}|#\s*\d+|[(\[]\s*#?[A-Za-z]{0,3}\d{3,}\s*[)\]])\s*$")


def tidy(name: str) -> str:
    """The name as written, with spaces folded and a membership suffix dropped.

    >>> tidy("  Zondova,   Riota :AA001234 ")
    'Zondova, Riota'
    """
    folded = " ".join(unicodedata.normalize("NFC", name).split())
    return _MEMBERSHIP.sub("", folded).strip() or folded  # a membership alone is the only name there is


def key(name: str) -> str:
    """What a person is matched by: given name first, case and spaces folded, membership dropped.

    >>> key("Zondova, Riota") == key("riota  ZONDOVA")
    True
    """
    parts = [part.strip() for part in tidy(name).split(",")]
    return " ".join(" ".join([*parts[1:], parts[0]]).casefold().split())


def _letters(name: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", name) if not unicodedata.combining(c))


def _one_slip(a: str, b: str) -> bool:
    """Whether one letter inserted, deleted, replaced or swapped with its neighbour turns `a` into `b`."""
    if len(a) > len(b):
        a, b = b, a
    if len(b) - len(a) > 1:
        return False
    i = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    if len(a) < len(b):
        return a[i:] == b[i + 1 :]
    return a[i + 1 :] == b[i + 1 :] or (a[i + 2 :] == b[i + 2 :] and a[i : i + 2] == b[i : i + 2][::-1])


def meant(name: str, known: Iterable[str]) -> str:
    """Words for a message about a name that is not known: which are meant, perhaps; empty where none is near.

    >>> meant("2011-gradn", ["2011-grand", "2012-nssc"])
    ' (perhaps 2011-grand is meant)'
    """
    by_key = {key(other): other for other in known}
    close = difflib.get_close_matches(key(name), list(by_key), n=3)
    return f" (perhaps {' or '.join(by_key[other] for other in close)} is meant)" if close else ""


def near(names: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of different names that may be one person: one slip apart, accents apart, or the words in another order.

    Names that differ in a digit are different on purpose ("School 1", "School 2") and are not paired.
    Time grows with the number of names, not of pairs: candidates share a spelling with one letter left out.

    >>> near(["Riota Zondova", "Riotta Zondova", "Bata Bioraka", "Team 1", "Team 2"])
    [('Riota Zondova', 'Riotta Zondova')]
    """
    by_key = {key(name): name for name in sorted(set(names), reverse=True)}
    buckets: dict[tuple[str, str], set[str]] = defaultdict(set)
    for folded in by_key:
        plain = _letters(folded)
        figures = " ".join(re.findall(r"\d+", folded))
        buckets[figures, " ".join(sorted(plain.split()))].add(folded)
        for spelling in {plain, *(plain[:i] + plain[i + 1 :] for i in range(len(plain)))}:
            buckets[figures, spelling].add(folded)
    found: set[tuple[str, str]] = set()
    for bucket in buckets.values():
        ordered = sorted(bucket)
        for i, a in enumerate(ordered):
            for b in ordered[i + 1 :]:
                x, y = _letters(a), _letters(b)
                if _one_slip(x, y) or sorted(x.split()) == sorted(y.split()):
                    one, another = sorted((by_key[a], by_key[b]))
                    found.add((one, another))
    return sorted(found)
