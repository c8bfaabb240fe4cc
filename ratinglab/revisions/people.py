"""Who stands under another name in the newer run: renamed, joined with somebody, or parted from somebody.

With the changes of both runs it is read off the entries: the same event, section, number of games and wins stand under
another name. Of two bare lists it is supposed where the games add up and the names are alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from ratinglab import names
from ratinglab.revisions.sides import Side

RENAMED, MERGED, SPLIT = "renamed", "merged", "split"
COLUMNS = ("kind", "old_name", "new_name", "events", "games", "certain", "why")
_WORD = 3  # letters of a word that two names may share


class People(NamedTuple):
    """Pairs of names, and how each side's names (as keys) are to be read so that one person has one name in both."""

    table: pd.DataFrame
    old: Mapping[str, str]
    new: Mapping[str, str]


def people(old: Side, new: Side) -> People:
    """Who was renamed, merged or split: kind, old_name, new_name, events, games, certain (1 or 0), why.

    Of a merger `old_name` is who is gone and `new_name` who has the results now; of a split the other way round:
    `old_name` had the results, `new_name` is new.
    """
    gone = _only(old, new)
    come = _only(new, old)
    if not len(gone) and not len(come):
        return People(pd.DataFrame(columns=list(COLUMNS)), {}, {})
    by_entries = old.changes is not None and new.changes is not None
    find = _by_entries if by_entries else _by_games
    rows = [(key, other, MERGED, events, games) for key, (other, events, games) in find(old, new, gone).items()]
    taken = {other for _, other, *_ in rows}
    back = find(new, old, [key for key in come if key not in taken])
    rows += [(other, key, SPLIT, events, games) for key, (other, events, games) in back.items()]
    spelled = [_spelling(side) for side in (old, new)]
    before = set(old.listed["key"]) | set(_keys(old.changes))
    told = []
    for one, other, kind, events, games in rows:
        named = RENAMED if kind == MERGED and other not in before else kind
        why = "the same results under the other name" if by_entries else "the games add up, and the names are alike"
        told.append((named, spelled[0][one], spelled[1][other], events, games, int(by_entries), why))
    table = pd.DataFrame(told, columns=list(COLUMNS)).sort_values(["kind", "old_name"], kind="stable")
    merged = {one: other for one, other, kind, *_ in rows if kind == MERGED}
    split = {other: one for one, other, kind, *_ in rows if kind == SPLIT}
    return People(table.reset_index(drop=True), merged, split)


def _only(side: Side, other: Side) -> list[str]:
    """The people of one side that are nowhere on the other, neither listed nor entered."""
    there = set(other.listed["key"]) | set(_keys(other.changes))
    both = [*side.listed["key"], *_keys(side.changes)]
    return [key for key in dict.fromkeys(both) if key not in there]


def _keys(changes: pd.DataFrame | None) -> list[str]:
    return [] if changes is None else [names.key(player) for player in changes["player"].dropna().unique()]


def _spelling(side: Side) -> dict[str, str]:
    entered = [] if side.changes is None else list(side.changes["player"].dropna().unique())
    return {names.key(name): name for name in [*entered, *side.listed["player"]]}


def _by_entries(one: Side, other: Side, wanted: list[str]) -> dict[str, tuple[str, int, int]]:
    """Who of the other side has exactly the entries of each that is wanted, which it had not itself before."""
    mine, theirs = (_entries(side) for side in (one, other))
    # by entry (event, section, games, wins or place), those who have it on the other side and not on this
    held: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for key, entries in theirs.items():
        for entry in entries.keys() - mine.get(key, {}).keys():
            held[entry].add(key)
    found = {}
    for key in wanted:
        entries = mine.get(key, {})
        candidates = set.intersection(*(held[entry] for entry in entries)) if entries else set()
        if len(candidates) > 1:
            candidates = {who for who in candidates if _alike(key, who)}
        if len(candidates) == 1:
            events = {entry[0] for entry in entries}
            found[key] = (candidates.pop(), len(events), sum(entries.values()))
    return found


def _entries(side: Side) -> dict[str, dict[tuple[object, ...], int]]:
    """The entries of each person, with the games of each."""
    changes = side.changes
    made: dict[str, dict[tuple[object, ...], int]] = defaultdict(dict)
    if changes is None:
        return made
    told = [changes[name].fillna(-1) for name in ("games", "wins", "place") if name in changes]
    keys = changes["player"].map({name: names.key(name) for name in changes["player"].dropna().unique()})
    games = changes["games"].fillna(0).astype(int) if "games" in changes else pd.Series(1, index=changes.index)
    for key, event, section, count, *figures in zip(
        keys, changes["event"], changes["section"], games, *told, strict=True
    ):
        made[key][event, section, *figures] = count
    return made


def _by_games(one: Side, other: Side, wanted: list[str]) -> dict[str, tuple[str, int, int]]:
    """Of bare lists: who has the games of each that is wanted on top of what it had, under a name like it."""
    if "games" not in one.listed or "games" not in other.listed:
        return {}
    here, there = (dict(zip(side.listed["key"], side.listed["games"].fillna(0), strict=True)) for side in (one, other))
    gained = {who: games - here.get(who, 0) for who, games in there.items()}
    found = {}
    for key in wanted:
        games = here.get(key, 0)
        candidates = [who for who, more in gained.items() if games and more == games and _alike(key, who)]
        if len(candidates) == 1:
            found[key] = (candidates[0], -1, int(games))
    return found


def _alike(one: str, other: str) -> bool:
    """Whether two names are a slip apart or share a word."""
    shared = {word for word in one.split() if len(word) >= _WORD} & set(other.split())
    return bool(shared) or bool(names.near([one, other]))
