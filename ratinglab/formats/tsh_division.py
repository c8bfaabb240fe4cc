"""A TSH division: its player lines, and the entrants and games they mean.

A line is `name rating opponents; scores; key words; ...`, opponents by their ordinal in the file, round by round.
Grammar and rules are those of the format's own documentation; every trap real files hold is told, none repaired.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ratinglab import names, schema
from ratinglab.formats.common import Faults, on_lines, outcome, tell_zeros, trim

_RATING = r"\d+(?:[.+]\d+)*"
HEAD = re.compile(rf"\s*(?P<name>\S.*?)\s+(?P<rating>{_RATING})(?P<pairings>(?:\s+\d+)*)\s*", re.ASCII | re.DOTALL)
_SCORES = re.compile(r"(?:\s*-?\d+)*\s*", re.ASCII)
_SEMICOLON = re.compile(r"(?<!\\)(?:(?:\\\\)*)(;)")
_ESCAPED = re.compile(r"\\([;\\])")
_SMALL = 99  # a rating that may be the end of a name has at most two figures
# of the keys that are judged, what a value is
_VALUES = {
    "p12": (re.compile(r"[0-4]"), "who went first in each round (1, 2; 0 for a bye, 3 or 4 for not known)"),
    "newr": (re.compile(r"-?\d+(?:[.+]-?\d+)*", re.ASCII), "the rating after each round"),
    "lifeg": (re.compile(r"\d{1,9}", re.ASCII), "the number of games before the event"),
}
_FIELD = 100_000  # no division is larger, and no score: a figure beyond is a slip that would only overflow later


@dataclass(frozen=True)
class Entrant:
    """One player line. None in `pairings` and `scores` is what was not yet known."""

    number: int
    line: int
    name: str
    terms: tuple[float, ...]
    pairings: tuple[int | None, ...]
    scores: tuple[float | None, ...]
    keys: dict[str, list[str]]

    def opponent(self, round_: int) -> int | None:
        """The number of the opponent in a round, counted from 0; None where there is none yet."""
        return self.pairings[round_] if round_ < len(self.pairings) else None

    def score(self, round_: int) -> float | None:
        """The score in a round, counted from 0; None where there is none yet."""
        return self.scores[round_] if round_ < len(self.scores) else None

    def went_first(self, round_: int) -> int | None:
        """1 for first, 0 for second, None for everything else."""
        marks = self.keys.get("p12", ())
        return {"1": 1, "2": 0}.get(marks[round_]) if round_ < len(marks) else None


def looks_like(lines: Sequence[tuple[int, str]], by_name: bool) -> bool:
    """Whether these are player lines; with `by_name` (the file is a `.t`) one of them is enough."""
    held = [line for _, line in lines if not line.lstrip().startswith("#")]
    full = sum(1 for line in held if _is_player(line, True))
    if by_name:
        return full > 0 or any(_is_player(line, False) for line in held)
    return full > 0 and 2 * sum(1 for line in held if _is_player(line, False)) >= len(held)


def _is_player(line: str, played: bool) -> bool:
    parts = split_keys(line)
    if played and len(parts) == 1:
        return False
    return HEAD.fullmatch(parts[0]) is not None and (len(parts) == 1 or _SCORES.fullmatch(parts[1]) is not None)


def split_keys(line: str) -> list[str]:
    """The parts of a line between its semicolons; escaped ones do not part.

    >>> split_keys(r"A\\; B 1500 2; 400; board 1")
    ['A\\\\; B 1500 2', ' 400', ' board 1']
    """
    parts, start = [], 0
    for found in _SEMICOLON.finditer(line):
        parts.append(line[start : found.start(1)])
        start = found.end(1)
    return [*parts, line[start:]]


def parse(lines: Iterable[tuple[int, str]], faults: Faults) -> list[Entrant]:
    """The player lines; one that cannot be read keeps its ordinal, so that the others' numbers still fit."""
    entrants: list[Entrant] = []
    for number, line in lines:
        if not line.lstrip().startswith("#"):
            entrants.append(_entrant(len(entrants) + 1, number, line, faults))
    entrants = _distinct(entrants, faults)
    _swallowed(entrants, faults)
    return entrants


def _entrant(ordinal: int, line: int, text: str, faults: Faults) -> Entrant:
    parts = split_keys(text)
    head = HEAD.fullmatch(parts[0])
    if not head:
        faults.error(line, "a name, a rating and the opponents' numbers before the first semicolon", _short(parts[0]))
        name = names.tidy(_unescape(parts[0])) or "?"
        return Entrant(ordinal, line, f"{name} (no. {ordinal})", (), (), (), {})
    terms = _terms(head["rating"], line, faults)
    pairings = tuple(_pairing(word, line, faults) for word in head["pairings"].split())
    scores = tuple(
        _score(word, i, line, faults) for i, word in enumerate(parts[1].split() if len(parts) > 1 else (), 1)
    )
    if len(scores) > len(pairings):
        faults.error(line, f"at most as many scores as opponents ({len(pairings)})", f"{len(scores)} scores")
        scores = scores[: len(pairings)]
    keys = {}
    for part in parts[2:]:
        word, *values = part.split() or [""]
        if word:
            keys[word] = [_unescape(value) for value in values]
            _judge_key(word, keys[word], bool(scores), line, faults)
    return Entrant(ordinal, line, names.tidy(_unescape(head["name"])) or "?", terms, pairings, scores, keys)


def _judge_key(key: str, values: Sequence[str], played: bool, line: int, faults: Faults) -> None:
    # the software writes the keys of rounds without values before the first of them
    if key in _VALUES and (values or played):
        form, expected = _VALUES[key]
        odd = [value for value in values if not form.fullmatch(value)]
        if odd or not values:
            faults.warning(line, f"{key}: {expected}", ", ".join(map(repr, odd)) or "no value")


def _short(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _unescape(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def _terms(written: str, line: int, faults: Faults) -> tuple[float, ...]:
    terms = []
    for term in written.split("+"):
        if term.count(".") > 1 or len(term) > 15:
            faults.error(line, "a rating", written)
            return ()
        terms.append(float(term))
    return tuple(terms)


def _pairing(word: str, line: int, faults: Faults) -> int | None:
    if word == "00":
        return None
    if len(word) > 9:
        faults.error(line, "an opponent's number", word)
        return None
    return int(word)


def _score(word: str, round_: int, line: int, faults: Faults) -> float | None:
    if word == "00":
        return None
    if not re.fullmatch(r"-?\d+", word, re.ASCII) or abs(int(word[:10])) > _FIELD:
        faults.error(line, f"a score in round {round_}", repr(word))
        return None
    return float(word)


def _distinct(entrants: list[Entrant], faults: Faults) -> list[Entrant]:
    """The entrants, a name that comes again told apart by its number."""
    first: dict[str, Entrant] = {}
    told = []
    for entrant in entrants:
        earlier = first.setdefault(names.key(entrant.name), entrant)
        if earlier is not entrant:
            found = f"{entrant.name!r} again, after line {earlier.line}; kept as no. {entrant.number}"
            faults.error(entrant.line, "each player once in a section", found)
            entrant = Entrant(**{**vars(entrant), "name": f"{entrant.name} (no. {entrant.number})"})
        told.append(entrant)
    return told


def _swallowed(entrants: list[Entrant], faults: Faults) -> None:
    """Tell ratings that may be the end of a name, and names that hold what looks like a rating.

    "School 2 1500 3 4; 400 380" reads as the player School, rated 2, who meets 1500, 3 and 4. Such a line has a rating
    of one or two figures and besides an opponent beyond the field or one opponent more than the others. (A rating
    that is only far below the others' is told by `checking`, of every format.) The opposite slip, a stray word among
    the opponents, makes rating and opponents a part of the name.
    """
    ahead = {_ahead(entrant) for entrant in entrants if not _small(entrant)} or {0}
    for entrant in entrants:
        if _small(entrant):
            expected = f"a rating after {entrant.name!r}"
            found = f"{trim(entrant.terms[0])}, which may be the end of the name"
            if entrant.pairings and (entrant.pairings[0] or 0) > len(entrants):
                faults.error(entrant.line, expected, f"{found}: an opponent beyond the field follows")
            elif entrant.scores and _ahead(entrant) == max(ahead) + 1:
                faults.error(entrant.line, expected, f"{found}: one opponent too many follows")
        if re.search(r"\s\d{3,}(?:\s|$)", entrant.name, re.ASCII):
            faults.warning(entrant.line, "only figures after the rating", f"the name {entrant.name!r}")


def _small(entrant: Entrant) -> bool:
    return len(entrant.terms) == 1 and 0 < entrant.terms[0] <= _SMALL and entrant.terms[0].is_integer()


def _ahead(entrant: Entrant) -> int:
    return len(entrant.pairings) - len(entrant.scores)


def games(entrants: Sequence[Entrant], rounds: int | None, faults: Faults) -> list[dict[str, Any]]:
    """The games the lines mean, each once, the lower number as `player`; rows lack event and section."""
    rows = []
    longest = max((len(entrant.pairings) for entrant in entrants), default=0)
    # where nothing has been scored yet, every 0 says the same
    scored = any(any(entrant.scores) for entrant in entrants)
    for round_ in range(longest):
        for entrant in entrants:
            row = _game(entrant, round_, entrants, faults, scored)
            if row:
                rows.append({"round": round_ + 1, "file": faults.file, "line": entrant.line} | row)
    for entrant in entrants:
        if rounds is not None and len(entrant.scores) > rounds:
            faults.error(entrant.line, f"at most {rounds} rounds", f"{len(entrant.scores)} scores")
    behind = [entrant.line for entrant in entrants if entrant.scores and len(entrant.scores) < len(entrant.pairings)]
    if behind:
        found = f"{len(behind)} players with more opponents than scores (in progress?), on {on_lines(behind)}"
        faults.warning(behind[0], "a score for every opponent", found)
    return rows


def _game(
    entrant: Entrant, round_: int, entrants: Sequence[Entrant], faults: Faults, scored: bool
) -> dict[str, Any] | None:
    number, score = entrant.opponent(round_), entrant.score(round_)
    if number is None:
        return None
    if number == 0:
        return {"player": entrant.name, "score": score, "first": entrant.went_first(round_)} | _alone(score)
    where = f"round {round_ + 1}"
    nothing = {"status": schema.UNKNOWN, "rated": 0}
    if number == entrant.number:
        faults.error(entrant.line, f"another player as opponent in {where}", f"{number}, the player's own number")
        return None
    if number > len(entrants):
        faults.error(entrant.line, f"an opponent's number up to {len(entrants)} in {where}", str(number))
        return {"player": entrant.name, "score": score} | nothing
    other = entrants[number - 1]
    theirs = other.opponent(round_)
    if theirs != entrant.number:
        names_ = "nobody" if theirs is None else "a bye" if theirs == 0 else str(theirs)
        expected = f"pairings that agree in {where}"
        faults.error(entrant.line, expected, f"{entrant.number} names {number}, who names {names_} (line {other.line})")
        low, high = sorted((entrant, other), key=lambda side: side.number)
        own = "score" if low is entrant else "opponent_score"
        return {"player": low.name, "opponent": high.name, own: score} | nothing
    if number < entrant.number:
        return None  # the lower number's line has made the game's row
    other_score = other.score(round_)
    if (score is None) != (other_score is None):
        absent = other if other_score is None else entrant
        expected = f"scores of both {entrant.number} and {number} in {where}"
        faults.error(absent.line, expected, f"none of {absent.number}")
    status, result, rated = outcome(score, other_score)
    if scored:
        tell_zeros(score, other_score, (entrant.name, other.name), f" in {where}", entrant.line, faults)
    unplayed = score == 0 and other_score == 0
    return {
        "player": entrant.name,
        "opponent": other.name,
        "score": None if unplayed else score,
        "opponent_score": None if unplayed else other_score,
        "result": result,
        "first": _first(entrant, other, round_),
        "status": status,
        "rated": rated,
    }


def _alone(score: float | None) -> dict[str, Any]:
    """A round without an opponent: a bye, or below zero a forfeit; a score above zero counts as a win."""
    if score is None:
        return {"status": schema.UNKNOWN, "rated": 0}
    result = 1.0 if score > 0 else 0.0 if score < 0 else None
    return {"status": schema.FORFEIT if score < 0 else schema.BYE, "result": result, "rated": 0}


def _first(entrant: Entrant, other: Entrant, round_: int) -> int | None:
    """Whether `entrant` went first, by either line; unknown where the two lines contradict each other."""
    own, theirs = entrant.went_first(round_), other.went_first(round_)
    if own is None:
        return None if theirs is None else 1 - theirs
    return None if theirs == own else own
