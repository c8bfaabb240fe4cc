"""The first round of a seeding, by any pairing system, schools apart.

By default that of the 2012 National School SCRABBLE Championship: the corresponding teams of the two halves meet.
Pairing the later rounds is `ratinglab pair`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ratinglab.pairing.base import TEAM_MATE, WORDS

if TYPE_CHECKING:
    from ratinglab.pairing import Pairing
    from ratinglab.pairing.real import NextRound
    from ratinglab.periods import Bools
    from ratinglab.standings import Section

SAME_SCHOOL, NOT_CORRESPONDING = "same school", "corresponding halves"  # what can give way to keep schools apart


@dataclass(frozen=True)
class Drawn:
    """A first round: `draw` as the table draw.csv holds it, `reasons` the same boards with sentences.

    reasons: board and so on as `pairing.real.NextRound` has them, `why` with all that can be said of a pair, `own` with
    what the pairing system itself says of it. says: the system in a sentence. clashes: games within a school; forced:
    how many there must be in any pairing, since a school has more than half of the field. keeps_apart: whether the
    pairing system heeds schools at all.
    """

    pairing: str
    says: str
    has_colours: bool
    draw: pd.DataFrame
    reasons: pd.DataFrame
    clashes: int
    forced: int
    schools_apart: bool
    keeps_apart: bool

    @property
    def moved(self) -> int:
        """How many boards have an opponent who was moved from the corresponding place."""
        return int(self.draw["gave_way"].str.contains(NOT_CORRESPONDING).sum())

    @property
    def sits_out(self) -> list[str]:
        """Who has no opponent."""
        return [str(name) for name in self.draw.loc[self.draw["opponent"].isna(), "player"]]


def first_round(
    seeding: pd.DataFrame, pairing: Pairing | None = None, *, schools_apart: bool = True, seed: int = 0, rounds: int = 1
) -> Drawn:
    """The first round of a seeding (columns seed in order, name, school, rating) by a pairing system (`Nssc`).

    Seeds are ranked as they stand, whatever ties their ratings have. With `schools_apart` two of one school do not
    meet where that can be avoided, if the system can heed that (an option `teams_apart` is set); a team of two schools,
    `;` between, belongs to both. Chance comes from `seed`; `rounds` is the length of the event. Of an odd field who
    sits out is on the last board. `gave_way` names what did: "same school" where a school plays itself, and the words
    of the pairing system (`pairing.base.WORDS`).

    >>> table = pd.DataFrame({"name": list("abcd"), "school": ["x", None, "x", None], "rating": [4.0, 3, 2, 1]})
    >>> first_round(table).draw[["player", "opponent", "gave_way"]].to_numpy().tolist()
    [['a', 'd', 'corresponding halves'], ['b', 'c', 'corresponding halves']]
    """
    from ratinglab.pairing import Nssc
    from ratinglab.pairing.real import paired

    pairing = pairing or Nssc()
    clash = _same_school(seeding["school"])
    heeds = pairing.name in ("nssc", "evanston")
    if schools_apart and "teams_apart" in pairing.options():
        pairing, heeds = dataclasses.replace(pairing, teams_apart=True), True  # type: ignore[call-arg]
    known = clash if schools_apart else np.zeros_like(clash)
    made = paired(_section(seeding, known, rounds), pairing, seed=seed)
    within = _within(seeding, made, clash)
    draw = made.pairs.assign(
        gave_way=[
            _told(gave, same=same and schools_apart) for gave, same in zip(made.pairs["gave_way"], within, strict=True)
        ]
    )
    return Drawn(
        pairing.label,
        " ".join((type(pairing).__doc__ or "").split("\n\n")[0].split()),
        pairing.has_colours,
        draw,
        made.reasons.assign(own=_own_words(made)),
        int(sum(within)),
        _forced(seeding["school"]),
        schools_apart,
        heeds,
    )


def _own_words(made: NextRound) -> list[str]:
    """What the pairing system says of each board, in sentences."""
    from ratinglab.pairing.telling import spoken

    names = [spoken(name) for name in made.section.names]
    at = {name: i for i, name in enumerate(made.section.names)}
    told = []
    for one, other in zip(made.pairs["player"], made.pairs["opponent"], strict=True):
        if pd.isna(other):
            told.append("")
            continue
        said = made.pairing.why(made.section.standing, made.made, (at[one], at[other]), names)
        told.append(" ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in said))
    return told


def _section(seeding: pd.DataFrame, together: Bools, rounds: int) -> Section:
    """The seeding as a section before its first round, seed 1 first."""
    from ratinglab.pairing.standing import Field, Standing
    from ratinglab.standings import Section

    n = len(seeding)
    # a tie is a tie to the pairing system too, but the lot has been drawn: it ranks as the seeding does
    rating = np.round(seeding["rating"].to_numpy(dtype=float), 6)
    field = Field(rating[None], np.arange(n, 0, -1)[None], together=together[None] if together.any() else None)
    school = [None if pd.isna(value) else str(value) for value in seeding["school"]]
    nothing = np.zeros((n, 0))
    return Section(
        "", "", [str(name) for name in seeding["name"]], np.arange(1, n + 1), school,
        Standing.start(field, max(1, rounds)), nothing, nothing, nothing.astype(bool),
    )  # fmt: skip


def _within(seeding: pd.DataFrame, made: NextRound, clash: Bools) -> list[bool]:
    """Of each board whether it is a game within a school."""
    at = {name: i for i, name in enumerate(seeding["name"])}
    pairs = zip(made.pairs["player"], made.pairs["opponent"], strict=True)
    return [bool(pd.notna(other) and clash[at[one], at[other]]) for one, other in pairs]


def _told(gave_way: str, *, same: bool) -> str:
    """What gave way, a school's game with itself first and under that name."""
    rules = [rule for rule in gave_way.split(";") if rule and rule != WORDS[TEAM_MATE]]
    return ";".join([*([SAME_SCHOOL] if same else []), *rules])


def schools_of(text: object) -> list[str]:
    """The schools of an entrant: of one, or of several with `;` between; letters of either case are one.

    >>> schools_of("Sugarbush; bluestem ")
    ['sugarbush', 'bluestem']
    """
    if text is None or pd.isna(text):  # type: ignore[call-overload]
        return []
    return [part for part in (" ".join(piece.casefold().split()) for piece in str(text).split(";")) if part]


def _same_school(column: Iterable[object]) -> Bools:
    """Whether two different teams have a school in common, (teams, teams)."""
    schools = [set(schools_of(text)) for text in column]
    n = len(schools)
    same = np.zeros((n, n), dtype=bool)
    where: dict[str, list[int]] = {}
    for i, mine in enumerate(schools):
        for school in mine:
            where.setdefault(school, []).append(i)
    for members in where.values():
        same[np.ix_(members, members)] = True
    np.fill_diagonal(same, False)
    return same


def _forced(column: pd.Series) -> int:
    """Games within a school that any pairing has: what a school has beyond half of those who play (Hall's theorem).

    In an odd field one of the largest school may be the one to sit out.
    """
    counts = pd.Series([school for text in column for school in set(schools_of(text))]).value_counts()
    n, most = len(column), int(counts.iloc[0]) if len(counts) else 0
    spared = most - n % 2
    return max(0, spared - (n - n % 2) // 2)
