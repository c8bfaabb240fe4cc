"""As what protected people and teams appear in a public set: school and number, initials or a code; and lots.

Lots cannot be drawn again from names that come to mind, so the order that they make tells nothing.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from ratinglab import names, schema
from ratinglab.scrubbing import Scrubber, forms, words

if TYPE_CHECKING:
    from ratinglab.history import History

TEAM, INITIALS, PSEUDONYM = "team", "initials", "pseudonym"
NAMES = (TEAM, INITIALS, PSEUDONYM)
# Crockford's base 32: no I, L, O or U, which are misread or make words
_CODE = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CODE_LENGTH = 7


class Lots:
    """Lots that nobody can draw again who has not the committee's key, or without one not all of its tables."""

    def __init__(self, history: History, key: bytes) -> None:
        """`key` is the committee's, or empty."""
        self._key = key or _digest(history)

    def of(self, what: str, name: str) -> bytes:
        """The lot of a name, for one purpose."""
        return hmac.new(self._key, f"{what}\0{names.key(name)}".encode(), hashlib.sha256).digest()

    def drawn(self, what: str, names: Iterable[str]) -> list[str]:
        """The names in the order of their lots."""
        return sorted(names, key=lambda name: self.of(what, name))


def _digest(history: History) -> bytes:
    made = hashlib.sha256()
    for table in history.tables().values():
        told = table.drop(columns=[*schema.ORIGIN], errors="ignore")
        made.update(pd.util.hash_pandas_object(told, index=False).to_numpy().tobytes())
    return made.digest()


def schools_of(history: History) -> dict[str, str]:
    """The school of each person: the one told last."""
    days = history.events.drop_duplicates("event").set_index("event")["date"]
    parts = [
        history.entries[["player", "school"]].assign(day=history.entries["event"].map(days)),
        history.players[["player", "school"]].assign(day=history.players["as_of"]),
    ]
    told = pd.concat(parts, ignore_index=True).dropna(subset=["player", "school"])
    told = told.sort_values("day", kind="stable", na_position="first").drop_duplicates("player", keep="last")
    return dict(zip(told["player"], told["school"], strict=True))


def labels_of(
    how: str, people: Sequence[str], schools: Mapping[str, str], lots: Lots, taken: Collection[str]
) -> dict[str, str]:
    """As what each of the people appears, nobody as somebody else; `taken` are names of others, as they are matched."""
    if how == PSEUDONYM:
        return _codes(people, lots, taken)
    groups: dict[str, list[str]] = defaultdict(list)
    for name in people:
        groups[initials(name) if how == INITIALS else schools.get(name, "")].append(name)
    used = set(taken)
    labels = {}
    for group in sorted(groups):
        number = 0
        for name in lots.drawn("label", groups[group]):
            while True:
                number += 1
                if how == INITIALS:
                    label = group if number == 1 else f"{group} ({number})"
                else:
                    label = f"{group}, pupil {number}" if group else f"Pupil {number}"
                if names.key(label) not in used:
                    break
            used.add(names.key(label))
            labels[name] = label
    return labels


def initials(name: str) -> str:
    """The first letters of a name, given names first.

    >>> initials("Zondova, Riota"), initials("riota zondova"), initials("Riota")
    ('R. Z.', 'R. Z.', 'R.')
    """
    told = [word[0].upper() for word in names.key(name).split() if word[0].isalpha()]
    return " ".join(f"{letter}." for letter in told) or "N. N."


def _codes(people: Sequence[str], lots: Lots, taken: Collection[str]) -> dict[str, str]:
    """A code for each name, longer where two would be the same."""
    codes = {name: _in_letters(lots.of("pseudonym", name)) for name in people}
    labels: dict[str, str] = {}
    for length in range(_CODE_LENGTH, len(next(iter(codes.values()), "")) + 1):
        left = {name: "P-" + code[:length] for name, code in codes.items() if name not in labels}
        counts = pd.Series(list(left.values()), dtype="str").value_counts()
        labels |= {name: label for name, label in left.items() if counts[label] == 1 and names.key(label) not in taken}
    missing = [name for name in people if name not in labels]  # one name in two spellings is one person behind the door
    labels |= {name: f"P-{codes[name]} ({i})" for i, name in enumerate(missing, 1)}
    return labels


def _in_letters(lot: bytes) -> str:
    number = int.from_bytes(lot, "big")
    letters = ""
    for _ in range(40):
        number, digit = divmod(number, len(_CODE))
        letters += _CODE[digit]
    return letters


def telling_teams(history: History, people: Sequence[str]) -> list[str]:
    """The teams whose names tell of a protected person: a whole name, or a part of that of a member."""
    entries = history.entries[history.entries["team"].notna()]
    scrubber = Scrubber(people)
    found = {team for team in entries["team"].unique() if scrubber.names_anybody(team)}
    own = entries[entries["player"].isin(set(people))]
    for team, player, school in zip(own["team"], own["player"], own["school"], strict=True):
        if player.startswith(f"{team}/"):  # a member who has no name but the team's
            continue
        told = {word.folded for word in words(team)}
        told -= set() if pd.isna(school) else {word.folded for word in words(school)}
        if told & {part for form in forms(player) for part in form if len(part) > 1 and not part.isdecimal()}:
            found.add(team)
    return [team for team in entries["team"].unique() if team in found]


def team_labels(history: History, teams: Sequence[str], lots: Lots, taken: Collection[str]) -> dict[str, str]:
    """What these teams are called: by their school, with a number; `taken` are names of others, as they are matched."""
    entries = history.entries.dropna(subset=["team", "school"]).drop_duplicates("team")
    school = dict(zip(entries["team"], entries["school"], strict=True))
    used = set(taken)
    labels = {}
    for team in lots.drawn("team", teams):
        number = 1
        while names.key(label := f"{school[team]}, team {number}" if team in school else f"Team {number}") in used:
            number += 1
        used.add(names.key(label))
        labels[team] = label
    return labels
