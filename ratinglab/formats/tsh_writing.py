"""A TSH division's text with one more round in it, or without: nothing else in the text changes, letter for letter.

What the software, or a director, keeps in a file (unknown keys, comments, alignment, line ends) is not ours to lose. A
plain addition is one space and the figure. The spaces before the figure say what else had to be made up, so that
`without_round` takes away just that: one more for earlier rounds of which the line said nothing, two more for a key or
semicolon that was not there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from ratinglab.formats.tsh_division import HEAD, split_keys
from ratinglab.problems import UsageError

_LINE = re.compile(r"[^\r\n]*(?:\r{0,2}\n|\r|$)")
_TOKEN = re.compile(r"\S+", re.ASCII)
_SPACE = " \t\f\v"
_NOT_KNOWN, _NOT_SAID = "00", "4"  # of an opponent; of who went first
_FIRSTS = "p12"
_PADDED = 2  # spaces before a figure; more: a key or a semicolon was made up


class _Player(NamedTuple):
    """A player's line in parts: up to the opponents, the opponents as written, and the rest from the semicolon on."""

    before: str
    pairings: str
    space: str  # between the opponents and the semicolon
    rest: list[str]  # scores, keys; each began with a semicolon

    @property
    def paired(self) -> int:
        """For how many rounds an opponent is written."""
        return len(self.pairings.split())

    @property
    def scored(self) -> int:
        """For how many rounds a score is written."""
        return len(self.rest[0].split()) if self.rest else 0

    @property
    def firsts(self) -> int | None:
        """Which of the parts says who went first; None where there is none."""
        return next((i for i, part in enumerate(self.rest) if i and part.split()[:1] == [_FIRSTS]), None)

    def text(self) -> str:
        """The line."""
        return ";".join([self.before + self.pairings + self.space, *self.rest])


def with_round(
    text: str,
    round: int,
    opponents: Mapping[int, int],
    first: Mapping[int, bool] | None = None,
    *,
    lines: Collection[int] | None = None,
    replace: bool = False,
) -> str:
    """The division's text with the pairs of one more round.

    opponents: of each player's number (the ordinal among player lines) that of the opponent, 0 for a bye; lines of
    others stay as they are. first: who goes first; if anybody is said to, the key p12 has it (1, 2, 0 for a bye, 4
    where it is not said). lines: the numbers of the section's player lines, where the text holds more than one section
    (an archive). Raises `UsageError` where the round is paired already, unless `replace` (never where it has scores or
    a later round is paired), and for a number that the division has not.
    """
    players = _players(text, lines)
    known = list(players.values())
    unknown = sorted({*opponents, *opponents.values()} - {0, *range(1, len(known) + 1)})
    if unknown or 0 in opponents:
        raise UsageError(f"the division has players 1 to {len(known)}; found {', '.join(map(str, unknown or [0]))}")
    if round < 1:
        raise UsageError(f"rounds are counted from 1; found {round}")
    _check_open(known, round)
    if any(_has(player, round) for player in known):
        if not replace:
            raise UsageError(f"round {round} is paired in the division file already")
        text = without_round(text, round, lines=lines)

    def edited(number: int, player: _Player) -> _Player:
        if number not in opponents:
            return player
        other = opponents[number]
        player = _paired(player, round, str(other))
        if first:
            mark = "0" if other == 0 else {True: "1", False: "2", None: _NOT_SAID}[first.get(number)]
            player = _marked(player, round, mark)
        return player

    return _edit(text, lines, edited)


def without_round(text: str, round: int, *, lines: Collection[int] | None = None) -> str:
    """The division's text without the last round, which has no scores yet: what it was before `with_round`.

    Raises `UsageError` where the round has scores or a later one is paired.
    """
    _check_open(list(_players(text, lines).values()), round)
    return _edit(text, lines, lambda number, player: _unpaired(_unmarked(player, round), round))


def _check_open(players: Collection[_Player], round: int) -> None:
    if any(player.scored >= round for player in players):
        raise UsageError(f"round {round} has scores in the division file")
    later = max((player.paired for player in players), default=0)
    if later > round:
        raise UsageError(f"round {later} is paired in the division file already, round {round} is not the last")


def _has(player: _Player, round: int) -> bool:
    return player.paired >= round or len(_marks(player)) >= round


# --- lines ------------------------------------------------------------------------------------------------------------


def _players(text: str, lines: Collection[int] | None) -> dict[int, _Player]:
    """The player lines by their number as an editor counts lines."""
    held = {}
    for number, line in enumerate(_LINE.findall(text), 1):
        if line.strip() and not line.lstrip().startswith("#") and (lines is None or number in lines):
            held[number] = _player(number, line.rstrip("\r\n"))
    if lines is not None and set(held) != set(lines):
        odd = ", ".join(map(str, sorted(set(lines) - set(held))))
        raise UsageError(f"the division file has no player on line {odd}: has it changed since it was read?")
    return held


def _player(number: int, line: str) -> _Player:
    head, *rest = split_keys(line)
    found = HEAD.fullmatch(head)
    if not found:
        raise UsageError(f"line {number} of the division file is no player's line; `ratinglab check` says why")
    start, end = found.span("pairings")
    return _Player(head[:start], head[start:end], head[end:], rest)


def _edit(text: str, lines: Collection[int] | None, edited: Callable[[int, _Player], _Player]) -> str:
    pieces = _LINE.findall(text)
    for number, (line, player) in enumerate(_players(text, lines).items(), 1):
        body = pieces[line - 1].rstrip("\r\n")
        pieces[line - 1] = edited(number, player).text() + pieces[line - 1][len(body) :]
    return "".join(pieces)


# --- a figure more, a figure less -------------------------------------------------------------------------------------


def _appended(text: str, start: int, round: int, figure: str, unknown: str, new: bool = False) -> str:
    """The list in `text` from `start` on with a figure for the round, what is missing before it filled up."""
    made_up = [unknown] * (round - 1 - len(text[start:].split()))
    end = max(len(text.rstrip(_SPACE)), start)
    filled = "".join(f" {word}" for word in made_up)
    # the first of what is made up has a second space too: what stood there before it may be unknown as well
    gap = " " * (1 + bool(made_up) + 2 * new)
    return text[:end] + (f" {filled}" if made_up else "") + gap + figure + text[end:]


def _gap(text: str, start: int, round: int) -> int:
    """How many spaces, and nothing else, stand before the figure of the round, if it is the last; else 0."""
    tokens = [found.span() for found in _TOKEN.finditer(text, start)]
    if len(tokens) != round:
        return 0
    gap = text[(tokens[-2][1] if round > 1 else start) : tokens[-1][0]]
    return len(gap) if gap == " " * len(gap) else 0


def _shortened(text: str, start: int, round: int, unknown: str) -> str:
    """The list without the figure of the round, and without what was made up before it."""
    tokens = [found.span() for found in _TOKEN.finditer(text, start)]
    if len(tokens) != round:
        return text
    ends = [start, *(end for _, end in tokens)]
    cut = round - 1
    if _gap(text, start, round) in (2, 4):
        for i in range(round - 2, -1, -1):
            if text[slice(*tokens[i])] != unknown:
                break
            if tokens[i][0] - ends[i] > 1:
                cut = i
                break
    return text[: ends[cut]] + text[tokens[-1][1] :]


def _paired(player: _Player, round: int, figure: str) -> _Player:
    # only registered so far: without a semicolon the software has no list of opponents
    new = not player.rest
    pairings = _appended(player.pairings, 0, round, figure, _NOT_KNOWN, new)
    return player._replace(pairings=pairings, rest=[""] if new else player.rest)


def _unpaired(player: _Player, round: int) -> _Player:
    new = player.rest == [""] and _gap(player.pairings, 0, round) > _PADDED
    pairings = _shortened(player.pairings, 0, round, _NOT_KNOWN)
    return player._replace(pairings=pairings, rest=[] if new else player.rest)


def _marks(player: _Player) -> list[str]:
    at = player.firsts
    return [] if at is None else player.rest[at].split()[1:]


def _marked(player: _Player, round: int, figure: str) -> _Player:
    at = player.firsts
    if at is None:
        part = f" {_FIRSTS}"
        return player._replace(rest=[*player.rest, _appended(part, len(part), round, figure, _NOT_SAID, new=True)])
    rest = list(player.rest)
    rest[at] = _appended(rest[at], _start(rest[at]), round, figure, _NOT_SAID)
    return player._replace(rest=rest)


def _unmarked(player: _Player, round: int) -> _Player:
    at = player.firsts
    if at is None:
        return player
    rest = list(player.rest)
    if _gap(rest[at], _start(rest[at]), round) > _PADDED and at == len(rest) - 1:
        return player._replace(rest=rest[:-1])
    rest[at] = _shortened(rest[at], _start(rest[at]), round, _NOT_SAID)
    return player._replace(rest=rest)


def _start(part: str) -> int:
    return part.index(_FIRSTS) + len(_FIRSTS)
