"""The records of a FIDE tournament report file: what stands in which columns, as read and as written.

Grammar alone: lines become a `Tournament`; what its rounds mean is `trf`, how it is put into a file `trf_writing`.

Sources: FIDE, "Tournament Report File" of 2016 (TRF16) and of 2026 (TRF26); the extensions XX. of the pairing program
JaVaFo, TNR and FOR of CPPDubovSystem.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ratinglab.formats.common import Faults

PLAYER, COMMENT = "001", "###"
PLAYED = {"1": 1.0, "=": 0.5, "0": 0.0}
UNRATED = {"W": 1.0, "D": 0.5, "L": 0.0}  # played under a move or so
FORFEITS = {"+": 1.0, "-": 0.0}
BYES = {"H": "HPB", "F": "FPB", "U": "PAB", "Z": "ZPB"}  # and what the points systems call them
UNREADABLE = "?"
# first and last column, from 1
COLUMNS = {
    "number": (5, 8), "sex": (10, 10), "title": (11, 13), "name": (15, 47), "rating": (49, 52), "federation": (54, 56),
    "fide_id": (58, 68), "born": (70, 79), "points": (81, 84), "rank": (86, 89),
}  # fmt: skip
FIRST_ROUND, ROUND_WIDTH = 92, 10
HEADERS = ("012", "022", "032", "042", "052", "062", "072", "082", "092", "102", "112", "122", "132")
# Records that are kept as they stand: they say nothing about who met whom.
KEPT = (
    "172", "182", "192", "202", "212", "222", "250", "299", "300", "320", "330", "352", "362", "801", "802", "XXA",
    "XXB", "ACC",
)  # fmt: skip
_EMPTY = (4, 9, 48, 53, 57, 69, 80, 85, 90, 91)  # columns between the fields of a player's record
_ROUNDS = ("142", "XXR", "TNR")
_WORTH = re.compile(r"(?<![A-Z])([A-Z]{1,3})\s*=?\s*(\d+(?:[.,]\d+)?)")
_DEFAULT = {
    "WW": 1.0, "BW": 1.0, "WD": 0.5, "BD": 0.5, "WL": 0.0, "BL": 0.0, "ZPB": 0.0, "HPB": 0.5, "FPB": 1.0, "PAB": 1.0,
    "FW": 1.0, "FL": 0.0,
}  # fmt: skip
# what one letter stands for, in JaVaFo's record and in FIDE's
_XXS = {"W": ("WW", "BW", "FW", "FPB"), "D": ("WD", "BD", "HPB"), "L": ("WL", "BL", "ZPB", "FL")}
_162 = {"W": ("WW", "BW", "FW", "FPB", "PAB"), "D": ("WD", "BD", "HPB"), "L": ("WL", "BL"), "A": ("ZPB", "FL")}


@dataclass(frozen=True)
class Cell:
    """What a player's record says of one round. `code` is empty where the result is not known yet."""

    opponent: int | None
    colour: str  # w, b or -
    code: str
    column: int = field(default=0, compare=False)
    written: str = field(default="", compare=False)

    def __str__(self) -> str:
        """The eight columns of the cell."""
        opponent = "0000" if self.opponent is None else f"{self.opponent:4d}"
        return f"{opponent} {self.colour} {self.code or ' '}"


@dataclass(frozen=True)
class Player:
    """A player's record; `cells` by round, None where nothing is said. `born` is as written."""

    number: int
    name: str
    cells: tuple[Cell | None, ...] = ()
    sex: str = ""
    title: str = ""
    rating: int | None = None
    federation: str = ""
    fide_id: str = ""
    born: str = ""
    points: float | None = None
    rank: int | None = None
    line: int = field(default=0, compare=False)

    def cell(self, round_: int) -> Cell | None:
        """What is said of a round, counted from 1."""
        return self.cells[round_ - 1] if round_ <= len(self.cells) else None


@dataclass(frozen=True)
class Points:
    """What each kind of result is worth, by JaVaFo's codes (WW: a win with White, PAB: the pairing's bye …)."""

    worth: Mapping[str, float] = field(default_factory=lambda: dict(_DEFAULT))

    def of(self, cell: Cell | None) -> float:
        """The points of a cell; nothing said, and a result not known, are worth nothing."""
        if cell is None or cell.code in ("", UNREADABLE):
            return 0.0
        if cell.code in FORFEITS:
            return self.worth["FW" if cell.code == "+" else "FL"]
        if cell.code in BYES:
            return self.worth[BYES[cell.code]]
        side = "B" if cell.colour == "b" else "W"
        return self.worth[side + {1.0: "W", 0.5: "D", 0.0: "L"}[(PLAYED | UNRATED)[cell.code]]]

    def result(self, bye: str) -> float | None:
        """1, ½ or 0: the result of a game that is worth as much as this bye; None where there is none."""
        worth = self.worth[BYES[bye]]
        return {self.worth["WL"]: 0.0, self.worth["WD"]: 0.5, self.worth["WW"]: 1.0}.get(worth)


@dataclass(frozen=True)
class Bye:
    """A bye of a record of its own: code (F, H, Z), round (0: the one that is to be paired next) and player."""

    code: str
    round: int
    number: int
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Forbidden:
    """Players none of whom may meet another, from round `first` to `last` (0: to the end)."""

    numbers: tuple[int, ...]
    first: int = 1
    last: int = 0

    def holds(self, round_: int) -> bool:
        """Whether it holds in a round."""
        return self.first <= round_ and (not self.last or round_ <= self.last)


@dataclass(frozen=True)
class Team:
    """The players of a team."""

    name: str
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Tournament:
    """A file: players by start number, and what the other records say.

    `headers` are the records of the tournament as written (tag, text), `kept` those that are passed through, comments
    among them. `white_first`: whether number 1 had White in the first round, where it is said.
    """

    players: tuple[Player, ...]
    headers: tuple[tuple[str, str], ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    rounds: int | None = None
    points: Points = field(default_factory=Points)
    white_first: bool | None = None
    byes: tuple[Bye, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    teams: tuple[Team, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)  # of the headers

    def header(self, tag: str) -> str | None:
        """The text of the first record with this tag, if it says something."""
        return next((text for known, text in self.headers if known == tag and text), None)

    @cached_property
    def listed(self) -> int:
        """The last round of which any player's record says something."""
        return max((len(player.cells) for player in self.players), default=0)

    @cached_property
    def played(self) -> int:
        """The last round with a result between two players: byes alone make no round."""
        last = 0
        for player in self.players:
            for round_, cell in enumerate(player.cells[last:], last + 1):
                if cell is not None and cell.opponent is not None and cell.code in (PLAYED | UNRATED | FORFEITS):
                    last = round_
        return last


def looks_like(lines: Iterable[str]) -> bool:
    """Whether one of these lines is a player's record."""
    return any(re.match(r"001 [ \d]{3}\d [ a-zA-Z]", line) and ";" not in line[:14] for line in lines)


def parse(lines: Iterable[tuple[int, str]], faults: Faults) -> Tournament:
    """The tournament in these numbered lines; what is malformed goes to `faults`."""
    players: dict[int, Player] = {}
    headers: list[tuple[str, str]] = []
    kept: list[tuple[str, str]] = []
    told: dict[str, int] = {}
    rounds, white_first, worth = None, None, dict(_DEFAULT)
    byes: list[Bye] = []
    forbidden: list[Forbidden] = []
    teams: list[Team] = []
    for number, line in lines:
        tag, text = line[:3], line[3:].strip()
        if line.lstrip().startswith("#"):
            kept.append((COMMENT, line.lstrip().lstrip("#").strip()))
        elif tag == PLAYER:
            player = _player(number, line, faults)
            if player is not None and player.number in players:
                found = f"no. {player.number} again, after line {players[player.number].line}; left out"
                faults.error(number, "each start number once", found, COLUMNS["number"][0])
            elif player is not None:
                players[player.number] = player
        elif tag in _ROUNDS:
            said = _numbers(number, text, "the number of rounds", faults)
            if said and rounds is not None and said[0] != rounds:
                faults.warning(number, "one number of rounds", f"{said[0]} after {rounds}; the first holds")
            rounds = said[0] if said and rounds is None else rounds
        elif tag in ("XXC", "152"):
            white_first = _colour(number, text, white_first, faults)
        elif tag in ("XXS", "162"):
            worth = _worth(number, tag, text, worth, faults)
        elif tag == "XXZ":
            byes += [Bye("Z", 0, n, number) for n in _numbers(number, text, "start numbers", faults)]
        elif tag == "240":
            byes += _byes(number, text, faults)
        elif tag in ("XXP", "FOR", "260"):
            forbidden += _forbidden(number, tag, line, faults)
        elif tag in ("013", "310"):
            teams += _team(number, tag, line, faults)
        elif tag in HEADERS:
            headers.append((tag, text))
            told.setdefault(tag, number)
        elif tag in KEPT or _national(line):
            kept.append((tag, line[4:].rstrip()))
        else:
            known = "a record: 001 for a player, ..2 for the tournament, XX. for pairing"
            faults.warning(number, known, f"{line[:40].strip()!r}; passed over")
    ordered = tuple(players[n] for n in sorted(players))
    return Tournament(
        ordered, tuple(headers), tuple(kept), rounds, Points(worth), white_first, tuple(byes), tuple(forbidden),
        tuple(teams), told,
    )  # fmt: skip


def _national(line: str) -> bool:
    """A national rating record: a federation instead of 001, and the columns of a player's record."""
    return re.match(r"[A-Z]{3} [ \d]{3}\d ", line) is not None and len(line) >= COLUMNS["rating"][0]


# --- a player's record ------------------------------------------------------------------------------------------------


def by_column(line: str) -> tuple[str, bool]:
    """The record with each column in its place, and whether a column is a byte of UTF-8 instead of a letter.

    Programs that count in bytes shift what comes after a name with letters beyond ASCII; where the record only fits
    when counted so, each byte is one character of what is returned.
    """
    if line.isascii() or _fits(line):
        return line, False
    in_bytes = line.encode("utf-8").decode("latin-1")
    return (in_bytes, True) if _fits(in_bytes) else (line, False)


def _fits(line: str) -> bool:
    cells = line[FIRST_ROUND - 1 :].rstrip()
    parted = all(cells[i::ROUND_WIDTH].strip() == "" for i in (4, 6, 8, 9))
    return parted and all(line[column - 1 : column] in ("", " ") for column in _EMPTY)


def _player(line: int, text: str, faults: Faults) -> Player | None:
    text = text.expandtabs(1) if "\t" in text else text
    view, in_bytes = by_column(text)

    def shown(part: str) -> str:
        return part.encode("latin-1").decode("utf-8", "replace") if in_bytes else part

    def at(column: int) -> int:
        """The column as an editor counts it."""
        return len(shown(view[: column - 1])) + 1

    parts = {name: shown(view[first - 1 : last]).strip() for name, (first, last) in COLUMNS.items()}

    def figure(name: str, form: str, expected: str) -> str:
        if parts[name] and not re.fullmatch(form, parts[name], re.ASCII):
            faults.error(line, expected, repr(parts[name]), at(COLUMNS[name][0]))
            return ""
        return parts[name]

    if not re.fullmatch(r"0*[1-9]\d*", parts["number"], re.ASCII):
        faults.error(line, "a start number in columns 5 to 8", repr(parts["number"]), COLUMNS["number"][0])
        return None
    rating = figure("rating", r"\d+", "a rating in columns 49 to 52")
    points = figure("points", r"\d+(?:[.,]\d+)?", "points in columns 81 to 84, such as 4.5").replace(",", ".")
    rank = figure("rank", r"\d+", "a rank in columns 86 to 89")
    if not _known_sex(parts["sex"]):
        faults.warning(line, "m, w or nothing in column 10", repr(parts["sex"]), at(COLUMNS["sex"][0]))
    rest = view[FIRST_ROUND - 1 :].rstrip()
    cells = [
        _cell(line, i // ROUND_WIDTH + 1, shown(rest[i : i + ROUND_WIDTH]), at(FIRST_ROUND + i), faults)
        for i in range(0, len(rest), ROUND_WIDTH)
    ]
    return Player(
        int(parts["number"]), parts["name"], tuple(cells), parts["sex"], parts["title"],
        int(rating) if rating else None, parts["federation"], parts["fide_id"].strip("-"), parts["born"],
        float(points) if points else None, int(rank) if rank else None, line,
    )  # fmt: skip


def _known_sex(text: str) -> bool:
    return text.casefold() in ("", "m", "w", "f", "u", "-")  # f and u: not FIDE's own, and harmless


def _cell(line: int, round_: int, text: str, column: int, faults: Faults) -> Cell | None:
    if not text.strip():
        return None
    padded = text.ljust(ROUND_WIDTH)
    written = text.strip()
    opponent, colour, code = padded[:4].strip(), padded[5].strip().casefold(), padded[7].strip().upper()
    parted = all(padded[i] == " " for i in (4, 6, 8, 9))
    if not parted or not re.fullmatch(r"\d*", opponent, re.ASCII):
        expected = f"round {round_}: opponent, colour and result in columns {column} to {column + 3}, {column + 5}"
        faults.error(line, f"{expected} and {column + 7}", repr(text.rstrip()), column)
        return Cell(None, "-", UNREADABLE, column, written)
    if colour not in ("w", "b", "-", ""):
        faults.error(line, f"round {round_}: w, b or -", repr(colour), column + 5)
        colour = "-"
    number = int(opponent) if opponent.strip("0") else None
    if code and code not in (PLAYED | UNRATED | FORFEITS | BYES):
        faults.error(line, f"round {round_}: a result (1 = 0, W D L, + -, H F U Z)", repr(code), column + 7)
        code = UNREADABLE
    if number is None and not code:
        return None
    return Cell(number, colour or "-", code, column, written)


# --- the other records ------------------------------------------------------------------------------------------------


def _numbers(line: int, text: str, expected: str, faults: Faults) -> list[int]:
    """The whole numbers that a record lists; a word that is none is told."""
    odd = [word for word in text.split() if not re.fullmatch(r"\d{1,9}", word, re.ASCII)]
    if odd or not text:
        faults.error(line, expected, ", ".join(map(repr, odd)) or "nothing", 5)
    return [int(word) for word in text.split() if word not in odd]


def _colour(line: int, text: str, before: bool | None, faults: Faults) -> bool | None:
    for word in text.casefold().split():
        if word in ("white1", "w", "black1", "b"):
            before = word[0] == "w"
        elif word != "rank":  # by rank: how JaVaFo numbers players, which says nothing of what was played
            faults.warning(line, "white1, black1 or rank (XXC), W or B (152)", repr(word), 5)
    return before


def _worth(line: int, tag: str, text: str, before: dict[str, float], faults: Faults) -> dict[str, float]:
    groups = _XXS if tag == "XXS" else _162 | {"P": ("PAB",), "X": ()}
    worth = dict(before)
    found = _WORTH.findall(text.upper())
    # the bye follows the win unless it has its own figure, which may come first
    for code, value in sorted(found, key=lambda pair: pair[0] == "P"):
        if code not in groups and not (tag == "XXS" and code in _DEFAULT):
            faults.error(line, "codes of results and what they are worth", repr(code), 5)
            continue
        worth |= dict.fromkeys(groups.get(code, (code,)), float(value.replace(",", ".")))
    if not found:
        faults.error(line, "codes of results and what they are worth", repr(text) if text else "nothing", 5)
    return worth


def _byes(line: int, text: str, faults: Faults) -> list[Bye]:
    found = re.fullmatch(r"([FHZ])\s+(\d{1,3})\s+(\d[\d\s]*)", text.upper(), re.ASCII)
    if not found:
        faults.error(line, "F, H or Z, a round and start numbers", repr(text) if text else "nothing", 5)
        return []
    return [Bye(found[1], int(found[2]), int(number), line) for number in found[3].split()]


def _forbidden(line: int, tag: str, text: str, faults: Faults) -> list[Forbidden]:
    first, last, rest = 1, 0, text[3:].strip()
    if tag == "260":
        said = [text[4:7].strip(), text[8:11].strip()]
        rest = text[11:].strip()
        if not all(re.fullmatch(r"\d*", part, re.ASCII) for part in said):
            faults.error(line, "the first and the last round in columns 5 to 7 and 9 to 11", repr(text[4:11]), 5)
            return []
        first, last = int(said[0] or 1), int(said[1] or 0)
    numbers = tuple(_numbers(line, rest, "start numbers of players who are not to meet", faults))
    if len(set(numbers)) < 2:
        faults.error(line, "two start numbers or more", repr(rest), 5)
        return []
    return [Forbidden(numbers, first, last)]


def _team(line: int, tag: str, text: str, faults: Faults) -> list[Team]:
    """Name and players of a team: columns 5 to 36 and from 37 (013), 9 to 40 and from 74 (310)."""
    name, rest = (text[4:36], text[36:]) if tag == "013" else (text[8:40], text[72:])
    if not name.strip():
        faults.error(line, "the name of a team", "none", 5 if tag == "013" else 9)
        return []
    return [Team(name.strip(), tuple(_numbers(line, rest, "the start numbers of a team", faults)))]
