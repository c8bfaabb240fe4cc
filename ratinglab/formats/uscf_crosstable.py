"""US Chess crosstables as text: a table of two lines a player between dashed rules, one table a section.

Every game stands in the file twice, once on each side's line; a game counts only where the two agree. The ratings that
the association published after the event are its own answer to "what should a re-rating give": `published` hands
them out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratinglab import dates, names, schema
from ratinglab.decode import NotText, numbered_lines
from ratinglab.formats.cells import parse_cell
from ratinglab.formats.common import Faults, frame, on_lines, rating_of, trim
from ratinglab.formats.files import File, Group, Shelf
from ratinglab.history import Parsed
from ratinglab.problems import InputError

if TYPE_CHECKING:
    import pandas as pd

NAME = "uscf-crosstable"
PUBLISHED = "published after"  # the kind of rating list that a crosstable's post-event ratings are

_HEAD = re.compile(r"[ \t]*Pair[ \t]*\|[ \t]*Player Name[ \t]*\|[ \t]*Total[ \t]*\|", re.IGNORECASE)
_TOP = 20_000  # characters in which a crosstable has begun: other files may be long
_HEAD_BELOW = re.compile(r"\s*Num\s*\|", re.IGNORECASE)
_RULE = re.compile(r"\s*[-=_]{5,}\s*")
_LABEL = re.compile(
    r"\s*(?:(event|name|tournament)|((?:event )?dates?(?:\(s\))?)|(section)|(location|place|city|site))\s*[:=]\s*(.*)",
    re.IGNORECASE,
)
_ROUND = re.compile(r"([A-Z])\s*(\d{1,6})?", re.IGNORECASE | re.ASCII)
_VALUE = r"(?:unrated|unr\.?|(-?\d{1,5}))(?:\s*P\s*(\d{1,3}))?"
_RATINGS = re.compile(rf"(?:\w*\s*/)?\s*([RQB])\s*:\s*{_VALUE}\s*(?:->\s*(?:{_VALUE})?\s*)?", re.IGNORECASE | re.ASCII)
_KINDS = {"R": "regular", "Q": "quick", "B": "blitz"}

_PLAYED = {"W": 1.0, "D": 0.5, "L": 0.0}
_BYES = {"B": 1.0, "H": 0.5, "U": 0.0, "Z": 0.0}
_FORFEITS = {"X": 1.0, "F": 0.0}
_POINTS = _PLAYED | _BYES | _FORFEITS
_OPPOSITE = {"W": "L", "L": "W", "D": "D", "X": "F", "F": "X"}
_EXPECTED_ROUND = "W, L, D, X or F with the opponent's pair number, or a bye (H, B, U, Z)"


@dataclass(frozen=True)
class _Claim:
    """What a player's line says of one round."""

    code: str  # empty where it cannot be read
    opponent: int | None
    white: bool | None
    column: int
    cell: str


@dataclass(frozen=True)
class _Player:
    number: int
    name: str
    line: int
    total: float | None
    claims: Sequence[_Claim | None]  # by round; None for a cell with nothing in it
    kind: str | None = None
    pre: float | None = None
    pre_games: int | None = None
    post: float | None = None
    post_games: int | None = None


@dataclass
class _Table:
    """One table as it lies in the file: the text above it, and its rows as pairs of lines."""

    line: int
    rounds: int
    above: list[tuple[int, str]]
    rows: list[list[tuple[int, str]]] = field(default_factory=list)
    title: str | None = None
    section: str = schema.SECTION


def recognises(shelf: Shelf) -> Iterator[Group]:
    """Every file with the crosstable's header line in it."""
    for file in shelf.files:
        if (shelf.forced and file.explicit) or (
            file.sample is not None and any(_HEAD.match(line) for _, line in numbered_lines(file.sample[:_TOP]))
        ):
            yield Group((file,), file.folder.name)


def read(group: Group, shelf: Shelf) -> Parsed:
    """The event of one file: its id is the file's stem, its sections are the tables."""
    file = group.main
    faults = Faults(file.shown)
    tables = _tables(file, faults)
    if not tables:
        return Parsed({}, tuple(faults.found), group.sources)
    event: dict[str, Any] = {"event": file.path.stem, "kind": "games", "system": "uscf", "file": file.shown}
    event |= {"source": file.path.name, "rounds": max(table.rounds for table in tables) or None}
    event |= _headings(tables, faults)
    listed = event.get("end_date") or event.get("date")
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in ("divisions", "entries", "games", "rating_lists")}
    for table in tables:
        place = {"event": event["event"], "section": table.section}
        if table.rounds != event["rounds"]:
            rows["divisions"].append(place | {"rounds": table.rounds, "file": file.shown, "line": table.line})
        players = _players(table, faults)
        rows["entries"] += [place | {"file": file.shown} | _entry(player) for player in players.values()]
        rows["games"] += [place | {"file": file.shown} | game for game in _games(players, table.rounds, faults)]
        for player in players.values():
            _check_total(player, faults)
            if listed is not None and player.post is not None:
                of = {"player": player.name, "list_date": listed, "source": event["event"]}
                rows["rating_lists"].append(of | {"rating": player.post, "kind": PUBLISHED})
    made = {name: frame(name, part) for name, part in {"events": [event], **rows}.items() if part}
    return Parsed(made, tuple(faults.found), group.sources)


def published(path: str | Path) -> pd.DataFrame:
    """The ratings before and after the event as the crosstable prints them, one row a player.

    Columns: section, number (the pair number), player, pre, pre_games, post, post_games; the games are those a
    provisional rating rests on, missing for an established one. Raises `InputError` for a file without a crosstable.
    """
    import pandas as pd

    file = File(Path(path), Path(path).as_posix(), Path(path).name, explicit=True)
    faults = Faults(file.shown)
    tables = _tables(file, faults)
    if not tables:
        raise InputError(faults.found)
    _headings(tables, faults)
    columns = {"number": "Int64", "player": "str", "pre": "float64", "pre_games": "Int64", "post": "float64"}
    columns |= {"post_games": "Int64"}
    rows = [
        [table.section, *(getattr(player, "name" if column == "player" else column) for column in columns)]
        for table in tables
        for player in _players(table, faults).values()
    ]
    made = pd.DataFrame(rows, columns=["section", *columns], dtype=object)
    return made.astype({"section": "str", **columns})


def _tables(file: File, faults: Faults) -> list[_Table]:
    """The tables of a file; where there is none, or nobody in it, the fault is told."""
    try:
        lines = numbered_lines(file.text)
    except (NotText, OSError):
        lines = []
    tables: list[_Table] = []
    above: list[tuple[int, str]] = []
    for number, line in lines:
        if _HEAD.match(line):
            rounds = sum(1 for _, cell in _cells(line)[3:] if cell)
            tables.append(_Table(number, rounds, above))
            above = []
        elif "|" not in line:
            if not _RULE.fullmatch(line):
                above.append((number, line))
        elif tables and not _HEAD_BELOW.match(line):
            if re.match(r"\s*\d", line, re.ASCII):
                tables[-1].rows.append([(number, line)])
            elif tables[-1].rows:
                tables[-1].rows[-1].append((number, line))
            else:
                faults.error(number, "a player's first line (pair number, name, points, rounds)", "another line")
    if not tables:
        found = file.nature if not lines else "no such line"
        faults.error(0, "a crosstable, which begins with Pair | Player Name | Total | Round", found)
    elif not any(table.rows for table in tables):
        faults.error(tables[0].line, "players below the header of a crosstable", "none")
        return []
    return tables


def _cells(line: str) -> list[tuple[int, str]]:
    """The cells of a line, trimmed, each with the column (from 1) in which its text begins."""
    cells, at = [], 1
    for cell in line.split("|"):
        cells.append((at + (len(cell) - len(cell.lstrip()) if cell.strip() else 0), cell.strip()))
        at += len(cell) + 1
    return cells


def _headings(tables: Sequence[_Table], faults: Faults) -> dict[str, Any]:
    """Name, place and dates of the event from the text above its tables, each of which gets its section."""
    event: dict[str, Any] = {}
    plain: list[list[str]] = []
    for table in tables:
        plain.append([])
        for number, line in table.above:
            label = _LABEL.fullmatch(line)
            name, day, section, place, text = label.groups() if label else (None, None, None, None, line.strip())
            span = _span(text)
            if day and span is None:
                faults.error(number, dates.EXPECTED, repr(text))
            elif span is not None:
                event.setdefault("date", span[0])
                event.setdefault("end_date", span[1])
            elif section:
                table.title = text or table.title
            elif name or place:
                event.setdefault("name" if name else "place", text or None)
            else:
                plain[-1].append(names.tidy(text))
    for table, texts in zip(tables[1:], plain[1:], strict=True):
        table.title = table.title or (texts[-1] if texts else None)
    first, texts = tables[0], plain[0]
    # one line alone above the first table is the event's, unless each of the tables has a title
    titled = len(tables) > 1 and all(table.title for table in tables[1:])
    if first.title is None and texts and (len(texts) > 1 or "name" in event or titled):
        first.title = texts.pop()
    if texts:
        event.setdefault("name", texts[0])
    taken: set[str] = set()
    for i, table in enumerate(tables, 1):
        section = table.title or (schema.SECTION if i == 1 else f"section {i}")
        count, fresh = 2, section
        while fresh in taken:
            fresh, count = f"{section} ({count})", count + 1
        if fresh != section:
            faults.warning(table.line, "a title of its own for each section", f"{section!r} again; kept as {fresh!r}")
        taken.add(fresh)
        table.section = fresh
    return event


def _span(text: str) -> tuple[date, date] | None:
    return dates.span(re.sub(r"\b(?:thru|through)\b", "to", text, flags=re.IGNORECASE))


def _players(table: _Table, faults: Faults) -> dict[int, _Player]:
    """The players of a table by their pair number."""
    players: dict[int, _Player] = {}
    met: dict[str, _Player] = {}
    others: list[int] = []
    for (line, first), *rest in table.rows:
        cells = _cells(first)
        number = int(cells[0][1]) if re.fullmatch(r"\d{1,6}", cells[0][1], re.ASCII) else None
        earlier = players.get(number) if number is not None else None
        if number is None or earlier is not None:
            again = f"no. {number} again, after line {earlier.line}; left out" if earlier else repr(cells[0][1])
            faults.error(line, "a pair number, each once", again, cells[0][0])
            continue
        name = names.tidy(cells[1][1])
        if not name:
            faults.error(line, "a player's name", f"none; kept as no. {number}", cells[1][0])
            name = f"no. {number}"
        if (same := met.get(names.key(name))) is not None:
            found = f"{name!r} again, after line {same.line}; kept as no. {number}"
            faults.error(line, "each player once in a section", found, cells[1][0])
            name = f"{name} (no. {number})"
        total, expected = parse_cell(cells[2][1], "real") if len(cells) > 2 and cells[2][1] else (None, None)
        if expected:
            faults.error(line, f"points: {expected}", repr(cells[2][1]), cells[2][0])
        below = _cells(rest[0][1]) if rest else []
        if not rest:
            faults.error(line, f"a second line of no. {number}, with the ratings and colours", "none")
        claims = _claims(table, line, cells[3:], rest[0][0] if rest else line, below[3:], faults)
        ratings = _ratings(rest[0][0], below[1], faults) if len(below) > 1 else {}
        others += [other for other, _ in rest[1:]]
        players[number] = met[names.key(name)] = _Player(number, name, line, total, claims, **ratings)
    if others:
        faults.warning(others[0], "two lines a player", f"further lines, left out ({on_lines(others)})")
    return players


def _claims(
    table: _Table, line: int, cells: Sequence[tuple[int, str]], below: int, colours: Sequence[tuple[int, str]],
    faults: Faults,
) -> list[_Claim | None]:  # fmt: skip
    """What a player's two lines say, round by round."""
    for beyond in [column for column, cell in cells[table.rounds :] if cell][:1]:
        faults.error(line, f"{table.rounds} rounds, as the header has", "more; left out", beyond)
    claims: list[_Claim | None] = []
    for i in range(table.rounds):
        column, cell = cells[i] if i < len(cells) else (0, "")
        at, colour = colours[i] if i < len(colours) else (0, "")
        if colour.strip("-").upper() not in ("W", "B", ""):
            faults.error(below, "W or B, a colour", repr(colour), at)
        white = {"W": True, "B": False}.get(colour.upper())
        if not cell:
            claims.append(None)
            continue
        found = _ROUND.fullmatch(cell)
        code = found[1].upper() if found else ""
        opponent = int(found[2]) if found and found[2] else None
        if code not in _POINTS or (code in _PLAYED and opponent is None):
            faults.error(line, f"round {i + 1}: {_EXPECTED_ROUND}", repr(cell), column)
            code = ""
        elif code in _BYES and opponent is not None:
            faults.error(line, f"round {i + 1}: no opponent of a bye", f"{cell!r}, taken as a bye", column)
        claims.append(_Claim(code, opponent, white, column, cell))
    return claims


def _ratings(line: int, cell: tuple[int, str], faults: Faults) -> dict[str, Any]:
    column, text = cell
    if not text.strip("/ "):
        return {}
    found = _RATINGS.fullmatch(text)
    if found is None:
        faults.error(line, "an id and ratings, such as 12345678 / R: 1500P7 ->1512P12", repr(text), column)
        return {}
    kind, *values = found.groups()
    pre, pre_games, post, post_games = (None if value is None else int(value) for value in values)
    ratings = {"pre": rating_of(pre)[0], "pre_games": pre_games, "post": rating_of(post)[0], "post_games": post_games}
    return ratings | {"kind": _KINDS[kind.upper()]}


def _entry(player: _Player) -> dict[str, Any]:
    entry = {"number": player.number, "player": player.name, "rating": player.pre, "line": player.line}
    # no number of games beside a rating: established, by more than 25 games, how many is not said
    return entry | {"lifetime_games": player.pre_games, "rating_kind": player.kind}


def _games(players: dict[int, _Player], rounds: int, faults: Faults) -> Iterator[dict[str, Any]]:
    """The games, each once, from the side that stands first; and the byes."""
    for i in range(rounds):
        done: set[int] = set()
        for player in players.values():
            claim = player.claims[i]
            if claim is None or player.number in done:
                continue
            row: dict[str, Any] = {"round": i + 1, "player": player.name, "line": player.line}
            if claim.code in _BYES:
                yield row | {"result": _BYES[claim.code], "status": schema.BYE, "rated": 0}
            elif claim.code in _FORFEITS and claim.opponent is None:
                yield row | {"result": _FORFEITS[claim.code], "status": schema.FORFEIT, "rated": 0}
            elif claim.code:  # what cannot be read was told; the opponent's line may have the game
                opponent = players.get(claim.opponent or 0)
                answer = opponent.claims[i] if opponent is not None else None
                if opponent is not None and answer is not None and answer.opponent == player.number:
                    done.add(opponent.number)
                yield row | _game(player, claim, opponent, answer, i + 1, faults)


def _game(
    player: _Player, claim: _Claim, opponent: _Player | None, answer: _Claim | None, round_: int, faults: Faults
) -> dict[str, Any]:
    """A game as both sides have it; where they differ it is not known, whatever one of them says."""
    if opponent is None or opponent is player:
        found = "the player's own" if opponent else f"no. {claim.opponent}, which is none"
        faults.error(player.line, f"round {round_}: the pair number of another player", found, claim.column)
        return {"status": schema.UNKNOWN, "rated": 0}
    game: dict[str, Any] = {"opponent": opponent.name}
    both_lost = answer is not None and claim.code == answer.code == "F"
    if (
        answer is None
        or answer.opponent != player.number
        or not (answer.code == _OPPOSITE[claim.code] or both_lost)
    ):  # fmt: skip
        expected = f"round {round_}: '{_OPPOSITE[claim.code]} {player.number}' of no. {opponent.number}"
        found = f"{answer.cell!r} there" if answer is not None else "nothing there"
        found = f"{claim.cell!r} here and {found}, line {opponent.line}; not rated"
        faults.error(player.line, expected, found, claim.column)
        return game | {"status": schema.UNKNOWN, "rated": 0}
    game["result"] = None if both_lost else _POINTS[claim.code]
    forfeit = claim.code in _FORFEITS
    status = schema.FORFEIT if forfeit else schema.PLAYED
    first = _first(player, claim, opponent, answer, round_, faults)
    return game | {"status": status, "rated": int(not forfeit), "first": first}


def _first(
    player: _Player, claim: _Claim, opponent: _Player, answer: _Claim, round_: int, faults: Faults
) -> int | None:
    """1 if the player had White, 0 for Black; None where neither side or each says otherwise."""
    white, theirs = claim.white, answer.white
    if white is not None and white == theirs:
        found = (
            f"{'White' if white else 'Black'} for no. {player.number} and no. {opponent.number}, line {opponent.line}"
        )
        faults.warning(player.line, f"round {round_}: opposite colours", f"{found}; the colours are left out")
        return None
    if white is None:
        white = None if theirs is None else not theirs
    return None if white is None else int(white)


def _check_total(player: _Player, faults: Faults) -> None:
    """The points printed are those of the rounds: a digit misread shows here."""
    codes = [claim.code for claim in player.claims if claim is not None]
    if player.total is None or "" in codes:
        return
    points = sum(_POINTS[code] for code in codes)
    if points != player.total:
        counted = ", ".join(f"{count} × {code}" for code, count in sorted(Counter(codes).items()))
        found = f"{trim(player.total)} against {counted or 'no rounds'}"
        faults.warning(player.line, f"{trim(points)} points of no. {player.number}", found)
