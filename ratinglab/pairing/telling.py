"""Why a pair is what it is, in the words in which a director reads it aloud: whom a list would have given, why not.

The search of `search` is gone through once more with the pairs that came out, so that what is told is what happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ratinglab.pairing.standing import NOBODY, Standing
from ratinglab.periods import Bools, Ints

NAMED = 3  # of those passed over, how many are named


class Step(NamedTuple):
    """One pair of the search: for whom an opponent was looked for, the ideal one, and who was passed over before.

    level: how many of those left had the leader's score, the leader among them; over: who was passed over, in turn,
    each with the opponent he had by then (NOBODY: he was free).
    """

    player: int
    opponent: int
    ideal: int
    level: int
    over: tuple[tuple[int, int], ...]


def steps_of(order: Ints, score: Ints, opponent: Ints, both_ends: bool = False) -> Iterator[Step]:
    """The steps by which `search.pair_halves` comes to these pairs: order (m,) without who sits out, opponent (n,)."""
    left = [int(i) for i in order]
    paired: dict[int, int] = {}
    while len(left) > 1:
        level = next((k for k, i in enumerate(left) if score[i] != score[left[0]]), len(left))
        half = (level + 1) // 2
        for upper in range(half):
            player = left[upper]
            if player in paired:
                continue
            other = int(opponent[player])
            turns = (half + upper + (k + 1) // 2 * (1 if k % 2 else -1) for k in range(2 * len(left)))
            candidates = [left[at] for at in turns if 0 <= at < len(left) and at != upper]
            over = candidates[: candidates.index(other)]
            yield Step(player, other, candidates[0], level, tuple((i, paired.get(i, NOBODY)) for i in over))
            paired[player], paired[other] = other, player
        left = [i for i in left if i not in paired]
        if both_ends:
            left = left[::-1]


def from_list(
    standing: Standing,
    order: Ints,
    score: Ints,
    opponent: Ints,
    pair: tuple[int, int],
    names: Sequence[str],
    *,
    limit: int | None = 0,
    teams: bool = False,
    apart: Bools | None = None,
    both_ends: bool = False,
) -> list[str]:
    """How a pair came out of a list, in sentences: the group, or whom it passed over and why.

    Of one tournament: order (m,), score (n,), opponent (n,). limit: how often two may have met before (None: earlier
    meetings are ignored); teams: team-mates are kept apart; apart (n, n): who else is.
    """
    listed = order[opponent[order] != NOBODY]
    step = next(step for step in steps_of(listed, score, opponent, both_ends) if step.player in pair)
    player = names[step.player]
    if not step.over:
        if step.level == 1:
            return [f"{player} is the first of those left, and meets the next in the list"]
        also = " and the next in the list" if step.level % 2 else ""
        group = f"the {step.level} on {points(standing.points[0, step.player])}" if standing.round > 1 else "all"
        return [f"of {group}{also}, the upper half meets the lower half in order"]
    reasons: dict[str, list[str]] = {}
    for who, has in step.over[:NAMED]:
        if has != NOBODY:
            why = f"already paired, with {names[has]}"
        else:
            why = not_to_meet(standing, step.player, who, limit=limit, teams=teams, apart=apart)
        why = why or "needed lower down, where somebody would be left without an opponent"
        reasons.setdefault(why, []).append(names[who])
    told = [f"{all_of(who)} ({why})" for why, who in reasons.items()]
    more = len(step.over) - NAMED
    if more > 0:
        told.append(f"{more} more, who could not be had either")
    passed = told[0] if len(told) == 1 else f"{told[0]}, then {all_of(told[1:])}"
    return [f"in turn the list has for {player}: {passed}; the next one is {names[step.opponent]}"]


def not_to_meet(
    standing: Standing, one: int, other: int, *, limit: int | None = 0, teams: bool = False, apart: Bools | None = None
) -> str:
    """Why two are not to meet, in words; empty where nothing is against it."""
    met = rounds_of(standing, one, other)
    forbidden = standing.field.forbidden
    if forbidden is not None and (forbidden[0, one, other] or forbidden[0, other, one]):
        return "not to meet, as the director has it"
    if limit is not None and len(met) > limit:
        return f"met in {met_in(met)}"
    if teams and standing.field.team_mates[0, one, other]:
        return "of the same school or team"
    if apart is not None and apart[one, other]:
        return "first and second, kept apart"
    return ""


def rounds_of(standing: Standing, one: int, other: int) -> list[int]:
    """The rounds in which two have met."""
    return [int(r) + 1 for r in np.flatnonzero(standing.opponent[0, one] == other)]


def met_in(rounds: Sequence[int]) -> str:
    """Rounds in words.

    >>> met_in([3, 7])
    'rounds 3 and 7'
    """
    return f"round{'s' if len(rounds) > 1 else ''} {all_of([str(played) for played in rounds])}"


def all_of(names: Sequence[str]) -> str:
    """Names in a sentence: with commas, and `and` before the last."""
    return " and ".join([*([", ".join(names[:-1])] if names[1:] else []), names[-1]])


def points(halves: float) -> str:
    """Points, counted in halves, in words.

    >>> points(3), points(2), points(1)
    ('1½ points', '1 point', '½ point')
    """
    whole, half = divmod(int(halves), 2)
    number = f"{whole or ''}½" if half else str(whole)
    return f"{number} point{'' if 0 < halves <= 2 else 's'}"


def spoken(name: str) -> str:
    """A name as it is said: given name first.

    >>> spoken("Zondova, Riota")
    'Riota Zondova'
    """
    last, comma, given = name.partition(",")
    return f"{given.strip()} {last.strip()}" if comma and given.strip() else name


def first_move(standing: Standing, one: int, other: int, names: Sequence[str], colours: bool) -> str:
    """Why `one` goes first (with `colours`: has White) and not `other`.

    Colours go by what each had before, earlier games and the standing (`colours.due`), first moves by lot where the
    two went first as often more than second (`colours.balanced_firsts`).
    """
    words = ("White", "Black") if colours else ("first", "second")
    goes = f"{names[one]} {'has White' if colours else 'goes first'}"
    before = standing.first[0][[one, other]]
    if not before.any():
        return f"{goes} {'by pairing number, from the colour of number 1' if colours else 'by lot'}"
    counts = [[int((of == side).sum()) for side in (1, -1)] for of in before]
    so_far = [f"{of[0]} {words[0]} and {of[1]} {words[1]}" for of in counts]
    balance = [of[0] - of[1] for of in counts]
    if balance[0] != balance[1]:
        return f"{goes}: so far {so_far[0]}, against {so_far[1]} of {names[other]}"
    level = f"{goes}: the two are level in {'colours' if colours else 'first moves'} so far"
    if not colours:
        return f"{level}, and the lot decides"
    last = [int(of[of != 0][-1]) if of.any() else 0 for of in before]
    if last[0] != last[1]:
        return (
            f"{level}, and {names[one]} had Black last"
            if last[0] < 0
            else f"{level}, and {names[other]} had White last"
        )
    differ = np.flatnonzero(before[0] != before[1])
    if not len(differ):
        return f"{level}, round for round, and the one who stands higher changes colours"
    played = int(differ[-1])
    had = [{1: "White", -1: "Black", 0: "no game"}[int(of[played])] for of in before]
    told = f"in round {played + 1}, the last that differed, {names[one]} had {had[0]}, {names[other]} {had[1]}"
    return f"{level}, and {told}"
