"""FIDE tournament report files (TRF16, TRF26, with JaVaFo's extensions): one file is one event of one section.

Every game stands in the file twice, once in each player's record; it counts where the two agree. The lower start number
is the row's `player`, whatever the order of lines. A team's name goes to `school`: its players meet others as
individuals, and are not to meet each other. The records themselves are `trf_records`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from ratinglab import dates, names, schema
from ratinglab.decode import NotText, numbered_lines
from ratinglab.formats import trf_records
from ratinglab.formats.common import Faults, frame, on_lines, rating_of, trim
from ratinglab.formats.files import File, Group, Shelf
from ratinglab.formats.trf_records import (
    BYES,
    COLUMNS,
    FORFEITS,
    PLAYED,
    UNRATED,
    UNREADABLE,
    Bye,
    Cell,
    Player,
    Tournament,
)  # fmt: skip
from ratinglab.history import Parsed
from ratinglab.problems import ERROR

NAME = "trf"

_TOP = 200_000  # characters in which the first player has come
_OPPOSITE = {"1": "0", "0": "1", "=": "=", "W": "L", "L": "W", "D": "D", "+": "-", "-": "+"}
_NO_DAY = re.compile(r"[\s./-]*|0000.00.00|\d{4}(?:[./-]00[./-]00)?")  # not known, or the year alone
_LOCAL = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})", re.ASCII)


def recognises(shelf: Shelf) -> Iterator[Group]:
    """Every file with a player's record in it."""
    for file in shelf.files:
        top = (file.sample or "")[:_TOP]
        lines = (line for _, line in numbered_lines(top)) if f"{trf_records.PLAYER} " in top else ()
        if (shelf.forced and file.explicit) or trf_records.looks_like(lines):
            yield Group((file,), file.folder.name)


def read(group: Group, shelf: Shelf) -> Parsed:
    """The event of one file: its id is the file's stem, its only section is the main one."""
    file = group.main
    faults = Faults(file.shown)
    made = _records(file, faults)
    if not made.players:
        if not any(problem.severity == ERROR for problem in faults.found):
            faults.error(0, "players' records, which begin with 001", file.nature)
        return Parsed({}, tuple(faults.found), group.sources)
    place = {"event": file.path.stem, "section": schema.SECTION}
    listed = _named(made, faults)
    schools = _schools(made, faults)
    entries = [
        place | {"file": file.shown} | _entry(player, listed[player.number], schools, faults)
        for player in made.players
    ]  # fmt: skip
    games = [place | {"file": file.shown} | game for game in _games(made, listed, faults)]
    _check_counts(made, faults)
    for player in made.players:
        _check_points(player, made, faults)
    first, last = _days(made, faults)
    event = {
        "event": file.path.stem, "name": made.header("012"), "place": made.header("022"), "date": first,
        "end_date": last, "kind": "games", "rounds": made.rounds or made.listed or None, "source": file.path.name,
        "file": file.shown,
    }  # fmt: skip
    rows = {"events": [event], "entries": entries, "games": games}
    return Parsed({name: frame(name, part) for name, part in rows.items() if part}, tuple(faults.found), group.sources)


def tournament(text: str, file: str = "") -> tuple[Tournament, Faults]:
    """The records of a text, and what is malformed in them (problems name `file`)."""
    faults = Faults(file)
    return trf_records.parse(numbered_lines(text), faults), faults


def forbidden(text: str, round_: int) -> list[tuple[int, int]]:
    """Pairs of start numbers that are not to meet in a round, by the records 260 and XXP of a file's text."""
    pairs = set()
    for one in tournament(text)[0].forbidden:
        if one.holds(round_):
            pairs |= {(a, b) for a in one.numbers for b in one.numbers if a < b}
    return sorted(pairs)


def _records(file: File, faults: Faults) -> Tournament:
    try:
        return trf_records.parse(numbered_lines(file.text), faults)
    except (NotText, OSError):
        return Tournament(())


# --- players ----------------------------------------------------------------------------------------------------------


def _named(made: Tournament, faults: Faults) -> dict[int, str]:
    """A name for each start number; one that comes again is told apart by the number."""
    named: dict[int, str] = {}
    met: dict[str, Player] = {}
    for player in sorted(made.players, key=lambda player: player.line):
        name = names.tidy(player.name)
        column = COLUMNS["name"][0]
        if not name:
            faults.error(player.line, "a player's name", f"none; kept as no. {player.number}", column)
            name = f"no. {player.number}"
        earlier = met.setdefault(names.key(name), player)
        if earlier is not player:
            found = f"{name!r} again, after line {earlier.line}; kept as no. {player.number}"
            faults.error(player.line, "each player once in a section", found, column)
            name = f"{name} (no. {player.number})"
        named[player.number] = name
    return named


def _entry(player: Player, name: str, schools: dict[int, str], faults: Faults) -> dict[str, Any]:
    born = dates.span(player.born)
    if born is None and not _NO_DAY.fullmatch(player.born):
        faults.warning(player.line, "a birth date such as 1990/05/21", repr(player.born), COLUMNS["born"][0])
    rating = rating_of(player.rating)[0]
    return {
        "number": player.number, "player": name, "rating": rating, "school": schools.get(player.number),
        "rating_kind": None if rating is None else "fide", "nationality": player.federation or None,
        "birth_date": born[0] if born else None, "line": player.line,
    }  # fmt: skip


def _schools(made: Tournament, faults: Faults) -> dict[int, str]:
    """The team of each player who is in one."""
    known = {player.number for player in made.players}
    teams: dict[int, str] = {}
    for team in made.teams:
        for number in team.numbers:
            if number not in known:
                faults.error(0, f"start numbers of players in team {team.name}", str(number))
            elif teams.setdefault(number, team.name) != team.name:
                faults.error(0, f"no. {number} in one team", f"{teams[number]} and {team.name}; the first holds")
    return teams


# --- rounds -----------------------------------------------------------------------------------------------------------


def _games(made: Tournament, listed: dict[int, str], faults: Faults) -> Iterator[dict[str, Any]]:
    """The games, each once, and the byes, round by round and by start number."""
    players = {player.number: player for player in made.players}
    beside = _byes(made, players, faults)
    colourless: list[int] = []
    for round_ in range(1, max(made.listed, max((r for r, _ in beside), default=0)) + 1):
        cells = {n: _said(player, round_, beside.get((round_, n)), faults) for n, player in players.items()}
        named = {cell.opponent for cell in cells.values() if cell is not None}
        done: set[int] = set()
        for n, player in players.items():
            cell = cells[n]
            row: dict[str, Any] = {"round": round_, "player": listed[n], "line": player.line}
            if n in done or (cell is not None and cell.code == UNREADABLE and cell.opponent is None):
                continue  # what cannot be read was told
            if cell is None:
                # nothing is a zero-point bye, in a round that was played and where nobody names the player
                if round_ <= made.played and n not in named:
                    yield row | {"result": made.points.result("Z"), "status": schema.BYE, "rated": 0}
            elif cell.opponent is None:
                yield row | _alone(player, cell, round_, made, faults)
            elif cell.opponent not in players or cell.opponent == n:
                own = cell.opponent == n
                found = "the player's own" if own else f"no. {cell.opponent}, which is none"
                faults.error(player.line, f"round {round_}: the start number of another player", found, cell.column)
                yield row | {"status": schema.UNKNOWN, "rated": 0}
            else:
                other = players[cell.opponent]
                answer = cells[other.number]
                mutual = answer is not None and answer.opponent == n
                if mutual:
                    done.add(other.number)
                low, high = sorted((player, other), key=lambda side: side.number)
                row |= {"player": listed[low.number], "opponent": listed[high.number]}
                yield row | _game(player, cell, other, answer if mutual else None, answer, round_, colourless, faults)
    if colourless:
        found = f"neither in {len(colourless)} games, on {on_lines(colourless)}"
        faults.warning(colourless[0], "w or b, the colour of a game", found)


def _byes(made: Tournament, players: dict[int, Player], faults: Faults) -> dict[tuple[int, int], Bye]:
    """The byes of records of their own by round and player; an absence is of the round that is next."""
    beside: dict[tuple[int, int], Bye] = {}
    for bye in made.byes:
        round_ = bye.round or made.played + 1
        if bye.number not in players:
            faults.error(bye.line, "the start number of a player", str(bye.number))
        elif bye.round or made.rounds is None or round_ <= made.rounds:
            beside.setdefault((round_, bye.number), bye)
    return beside


def _said(player: Player, round_: int, bye: Bye | None, faults: Faults) -> Cell | None:
    """What is said of a player's round, in the player's own record or beside it; byes have no opponent."""
    cell = player.cell(round_)
    if cell is None:
        return Cell(None, "-", bye.code) if bye is not None else None
    if bye is not None and bye.round and (cell.opponent is not None or cell.code != bye.code):
        found = f"{cell.written!r} in the player's record, line {player.line}, which holds"
        faults.error(bye.line, f"round {round_}: {bye.code} of no. {player.number}", found)
    if cell.opponent is None or cell.code not in BYES:
        return cell
    if cell.code == "Z":
        found = f"{cell.written!r}, taken as a game forfeited"
        faults.warning(player.line, f"round {round_}: - against an opponent", found, cell.column)
        return Cell(cell.opponent, cell.colour, "-", cell.column, cell.written)
    faults.error(player.line, f"round {round_}: no opponent of a bye", f"{cell.written!r}, taken as a bye", cell.column)
    return Cell(None, "-", cell.code, cell.column, cell.written)


def _alone(player: Player, cell: Cell, round_: int, made: Tournament, faults: Faults) -> dict[str, Any]:
    """A round without an opponent: a bye as the file's points system credits it, or a forfeit."""
    if cell.code in FORFEITS:
        return {"result": FORFEITS[cell.code], "status": schema.FORFEIT, "rated": 0}
    if cell.code in BYES:
        result = made.points.result(cell.code)
        if result is None:
            worth = trim(made.points.of(cell))
            expected = f"round {round_}: a bye worth as much as a win, a draw or a loss"
            faults.warning(player.line, expected, f"{worth} points; its result is left out", cell.column)
        return {"result": result, "status": schema.BYE, "rated": 0}
    faults.error(player.line, f"round {round_}: the opponent of a game", repr(cell.written), cell.column)
    return {"status": schema.UNKNOWN, "rated": 0}


def _game(
    player: Player, cell: Cell, other: Player, answer: Cell | None, there: Cell | None, round_: int,
    colourless: list[int], faults: Faults,
) -> dict[str, Any]:  # fmt: skip
    """A game as both sides have it, told for the lower number; where they differ it is not known."""
    unknown = {"status": schema.UNKNOWN, "rated": 0}
    code = cell.code
    neither = answer is not None and code == answer.code and code in ("-", "0", "L")
    if answer is None or not (answer.code == _OPPOSITE.get(code, code) or neither) or code == UNREADABLE:
        swapped = {"w": "b", "b": "w"}.get(cell.colour, "-")
        expected = f"round {round_}: '{player.number} {swapped} {_OPPOSITE.get(code, '')}".rstrip() + "'"
        found = f"{there.written!r} there" if there is not None and there.written else "nothing there"
        found = f"{cell.written!r} here and {found}, line {other.line}; not rated"
        faults.error(player.line, f"{expected} of no. {other.number}", found, cell.column)
        return unknown
    white = _white(player, cell, other, answer, round_, faults)
    if white is None and cell.colour == "-" and code in (PLAYED | UNRATED):
        colourless.append(player.line)
    turned = player.number > other.number
    first = None if white is None else int(white != turned)
    if not code:
        return unknown | {"first": first}
    if neither and code != "-":
        found = f"{cell.written!r}, a game that both lost; not rated"
        faults.warning(player.line, f"round {round_}: a result", found, cell.column)
        return unknown | {"first": first}
    worth = None if neither else (PLAYED | UNRATED | FORFEITS)[code]
    status = schema.FORFEIT if code in FORFEITS else schema.PLAYED
    result = None if worth is None else 1 - worth if turned else worth
    return {"result": result, "status": status, "rated": int(code in PLAYED), "first": first}


def _white(player: Player, cell: Cell, other: Player, answer: Cell, round_: int, faults: Faults) -> bool | None:
    """Whether the player had White; None where neither side or each says otherwise."""
    if cell.colour == answer.colour:
        if cell.colour != "-":
            found = f"{cell.colour} for no. {player.number} and no. {other.number}, line {other.line}"
            expected = f"round {round_}: opposite colours"
            faults.warning(player.line, expected, f"{found}; the colours are left out", cell.column)
        return None
    return cell.colour == "w" or answer.colour == "b"


# --- checks -----------------------------------------------------------------------------------------------------------


def _check_counts(made: Tournament, faults: Faults) -> None:
    """The players are as many as is said and numbered without a gap, the rounds not more than there are."""
    numbers = {player.number for player in made.players}
    missing = sorted(set(range(1, max(numbers) + 1)) - numbers)
    if missing:
        found = f"no {', '.join(map(str, missing[:5]))}" + (f" and {len(missing) - 5} more" if missing[5:] else "")
        faults.warning(0, f"start numbers 1 to {max(numbers)}, each", found)
    said = re.match(r"\d+", made.header("062") or "")
    if said and int(said[0]) != len(numbers):
        faults.warning(made.lines["062"], f"{said[0]} players, as said here", f"{len(numbers)}")
    for player in made.players if made.rounds else ():
        if len(player.cells) > (made.rounds or 0):
            beyond = next((cell for cell in player.cells[made.rounds :] if cell is not None), None)
            column = beyond.column if beyond else 0
            faults.error(player.line, f"at most {made.rounds} rounds", f"{len(player.cells)}", column)


def _check_points(player: Player, made: Tournament, faults: Faults) -> None:
    """The points printed are those of the rounds, byes of a coming round counted or not: a slip shows here."""
    cells = [cell for cell in player.cells if cell is not None]
    if player.points is None or any(cell.code == UNREADABLE for cell in cells):
        return
    blank = made.points.worth["ZPB"] * sum(player.cell(r) is None for r in range(1, made.played + 1))
    ahead = sum(made.points.of(cell) for cell in player.cells[made.played :])
    whole = sum(made.points.of(cell) for cell in player.cells) + blank
    if all(abs(player.points - points) > 1e-6 for points in (whole, whole - ahead)):
        found = f"{trim(player.points)} against rounds that are worth {trim(round(whole, 6))}"
        faults.warning(player.line, f"the points of no. {player.number}", found, COLUMNS["points"][0])


def _days(made: Tournament, faults: Faults) -> tuple[date | None, date | None]:
    """First and last day, by the records 042 and 052, or else by the days of the rounds.

    Where days stand as 24/09/2010, one of the two shows which figure is the month, if any does.
    """
    texts = {tag: made.header(tag) for tag in ("042", "052")}
    local = [_LOCAL.fullmatch(text) for text in texts.values() if text]
    day_first = {int(found[1]) > 12 for found in local if found and max(int(found[1]), int(found[3])) > 12}
    days: dict[str, date | None] = {}
    for tag, text in texts.items():
        found = _LOCAL.fullmatch(text or "")
        if found and len(day_first) == 1:
            day, month = (found[1], found[3]) if day_first == {True} else (found[3], found[1])
            text = f"{found[4]}-{month}-{day}"
        span = dates.span(text) if text else None
        if text and span is None:
            which = ", in which day and month cannot be told apart" if found else ""
            faults.error(made.lines[tag], dates.EXPECTED, f"{text!r}{which}", 5)
        days[tag] = span[0] if span else None
    first, last = days["042"], days["052"]
    if first and last and first > last:
        faults.error(made.lines["052"], f"a day not before {first}", str(last), 5)
        last = None
    if first is None and last is None:
        rounds = _round_days(made.header("132") or "")
        return (min(rounds), max(rounds)) if rounds else (None, None)
    return first or last, last or first


def _round_days(text: str) -> Sequence[date]:
    """The days of the rounds, written YY/MM/DD or YYYY/MM/DD."""
    words = [f"20{word}" if re.fullmatch(r"\d\d/\d\d/\d\d", word, re.ASCII) else word for word in text.split()]
    return [span[0] for span in map(dates.span, words) if span is not None]
