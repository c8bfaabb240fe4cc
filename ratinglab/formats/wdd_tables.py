"""The World Diplomacy Database's two CSV files of an event: the classification (a row a player), and the boards.

Both name a person by FIRST NAME, NAME and HOMONYME, which tells people of one name apart; programs that know of none
write 1 for everybody. Columns come in any order, and most may be absent. RANK 999 is an entrant without a place;
EXAEQUO is how many have the same rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ratinglab import names, schema
from ratinglab.formats.cells import parse_cell
from ratinglab.formats.common import Faults, trim
from ratinglab.formats.sheet import Sheet
from ratinglab.formats.wdd_page import UNRANKED

CLASSIFICATION, BOARDS = "classification", "boards"
SEATS = 7

# as they are looked up, and as they are written
_PERSON = {"first_name": "FIRST NAME", "name": "NAME", "homonyme": "HOMONYME"}
_RANKED = {"rank": "RANK", "exaequo": "EXAEQUO"}
MANDATORY = {
    CLASSIFICATION: _PERSON | _RANKED,
    BOARDS: _PERSON | {"round": "ROUND", "board": "BOARD", "country": "COUNTRY"} | _RANKED,
}
_NEEDED = {CLASSIFICATION: {"name", "rank"}, BOARDS: {"name", "rank", "round", "board"}}
_OPTIONAL = ("nationality", "score")
_MOST_HOMONYMS = 99  # three figures in brackets would be a membership number to `names.tidy`

Row = dict[str, Any]


@dataclass(frozen=True)
class Boards:
    """What a boards file holds: a game for every two players of a board, and how many rounds and boards there are."""

    games: list[Row]
    rounds: int | None
    boards: int | None


def kind_of(header: Sequence[str], meant: str | None = None) -> str | None:
    """Which of the two files has this header: all its mandatory columns but one, or two if the name says so (`meant`).

    >>> kind_of(("name", "first_name", "homonyme", "rank", "exaequo", "score"))
    'classification'
    """
    for kind in (BOARDS, CLASSIFICATION):
        mandatory = MANDATORY[kind]
        known = len(mandatory.keys() & set(header))
        if known >= len(mandatory) - 1 or (kind == meant and known > 1):
            return kind
    return None


def read_classification(sheet: Sheet, faults: Faults) -> list[Row]:
    """The placings of a classification, in the order of the file, each with its line."""
    rows = []
    for row in _rows(CLASSIFICATION, sheet, faults):
        nationality = row["cells"].get("nationality") or None
        rows.append(row | {"nationality": nationality, "place": None if row["rank"] == UNRANKED else row["rank"]})
    _compare_ties([row for row in rows if row["place"] is not None], "", faults)
    return rows


def read_boards(sheet: Sheet, faults: Faults) -> Boards:
    """The games of the boards: of every two players of one, the better rank won; equal ranks are a tie."""
    boards: dict[tuple[int, str], list[Row]] = {}
    for row in _rows(BOARDS, sheet, faults):
        cells, line = row["cells"], row["line"]
        round_, board = _round_of(cells["round"], sheet, line, faults), cells["board"]
        if not board:
            faults.error(line, "a board", "none; the row is left out", sheet.header.index("board") + 1)
        if round_ is None or not board:
            continue
        boards.setdefault((round_, board), []).append(row)
    games = []
    for (round_, board), rows in boards.items():
        where = f" at board {board} of round {round_}"
        rows = _each_once(rows, where, faults)
        _compare_board(rows, where, faults)
        known = [row for row in rows if row["rank"] is not None]
        games += [_game(round_, one, other, faults) for one, other in combinations(known, 2)]
    _two_boards(boards, faults)
    if not boards:
        return Boards([], None, None)
    return Boards(games, max(round_ for round_, _ in boards), len(boards))


def _round_of(cell: str, sheet: Sheet, line: int, faults: Faults) -> int | None:
    """The round in a cell, or None, which is told."""
    value, _ = parse_cell(cell, "whole") if cell else (None, None)
    if value is not None and 1 <= value <= 99:
        return int(value)
    found = f"{cell!r}; the row is left out" if cell else "none; the row is left out"
    faults.error(line, "a round, counted from 1", found, sheet.header.index("round") + 1)
    return None


def _rows(kind: str, sheet: Sheet, faults: Faults) -> Iterator[Row]:
    """The rows that name a person: player, rank (None where it cannot be read), score, line, and the cells."""
    mandatory = MANDATORY[kind]
    absent = [shown for column, shown in mandatory.items() if column not in sheet.header]
    if absent:
        faults.error(sheet.header_line, f"the columns {', '.join(mandatory.values())}", f"no {', '.join(absent)}")
    if not _NEEDED[kind] <= set(sheet.header):
        return
    at = sheet.at([*mandatory, *_OPTIONAL])
    for i, line in enumerate(sheet.lines):
        cells = {column: sheet.columns[where][i] for column, where in at.items()}
        player = _player(cells, at, line, faults)
        if player is None:
            continue
        rank = _number(cells["rank"], "whole", "RANK", at["rank"], line, faults)
        if rank is not None and rank < 1:
            faults.error(line, "RANK: a place from 1 up, or 999", repr(cells["rank"]), at["rank"] + 1)
            rank = None
        elif not cells["rank"]:
            faults.error(line, "RANK: a place, or 999 for none", "none", at["rank"] + 1)
        score = _number(cells.get("score", ""), "real", "SCORE", at.get("score", 0), line, faults)
        found = {"player": player, "rank": rank, "score": score, "cells": cells, "line": line, "file": faults.file}
        share = cells.get("exaequo", "")
        found["exaequo"] = _number(share, "whole", "EXAEQUO", at.get("exaequo", 0), line, faults)
        yield found


def _player(cells: Mapping[str, str], at: Mapping[str, int], line: int, faults: Faults) -> str | None:
    """The person's name as the printed page has it, a namesake's number behind it; None where there is no name."""
    name = names.tidy(f"{cells.get('first_name', '')} {cells['name']}")
    if not name:
        faults.error(line, "a player's name", "none; the row is left out", at["name"] + 1)
        return None
    written = cells.get("homonyme", "")
    number, _ = parse_cell(written, "whole") if written else (0, None)
    if number is None or not 0 <= number <= _MOST_HOMONYMS:
        expected = f"HOMONYME: a number from 1 to {_MOST_HOMONYMS}"
        faults.error(line, expected, f"{written!r}; left out", at["homonyme"] + 1)
        return name
    return f"{name} ({number})" if number > 1 else name


def _number(cell: str, kind: str, column: str, at: int, line: int, faults: Faults) -> Any:
    value, expected = parse_cell(cell, kind) if cell else (None, None)
    if expected:
        faults.error(line, f"{column}: {expected}", repr(cell), at + 1)
    return value


def _compare_ties(rows: Sequence[Row], where: str, faults: Faults) -> None:
    """Tell an EXAEQUO that is not the number of rows with its rank; alone, 0 says the same as 1."""
    by_rank: dict[int, list[Row]] = {}
    for row in rows:
        by_rank.setdefault(row["rank"], []).append(row)
    for rank, same in by_rank.items():
        off = next(
            (row for row in same if row["exaequo"] not in ({None, 0, 1} if len(same) == 1 else {len(same)})), None
        )
        if off is not None:
            found = "none" if off["exaequo"] is None else trim(off["exaequo"])
            number = f"{len(same)} players" if len(same) > 1 else "only player"
            faults.error(off["line"], f"EXAEQUO {len(same)} of the {number} with rank {rank}{where}", found)


def _each_once(rows: Sequence[Row], where: str, faults: Faults) -> list[Row]:
    first: dict[str, Row] = {}
    for row in rows:
        earlier = first.setdefault(names.key(row["player"]), row)
        if earlier is not row:
            found = f"{row['player']!r} again, after line {earlier['line']}; left out"
            faults.error(row["line"], f"each player once{where}", found)
    return list(first.values())


def _compare_board(rows: Sequence[Row], where: str, faults: Faults) -> None:
    line = rows[0]["line"]
    if len(rows) != SEATS:
        faults.warning(line, f"{SEATS} players{where}", str(len(rows)))
    for row in rows:
        if row["rank"] is not None and row["rank"] > len(rows):
            expected = f"a rank up to {len(rows)}{where}"
            faults.error(row["line"], expected, f"{row['rank']} of {row['player']!r}; left out")
            row["rank"] = None
    powers: dict[str, Row] = {}
    for row in rows:
        power = row["cells"].get("country", "").casefold()
        if power and powers.setdefault(power, row) is not row:
            found = f"{row['cells']['country']!r} again, after line {powers[power]['line']}"
            faults.warning(row["line"], f"each power once{where}", found)
    _compare_ties([row for row in rows if row["rank"] is not None], where, faults)


def _game(round_: int, one: Row, other: Row, faults: Faults) -> Row:
    result = 0.5 if one["rank"] == other["rank"] else float(one["rank"] < other["rank"])
    return {
        "round": round_, "player": one["player"], "opponent": other["player"], "result": result,
        "status": schema.PLAYED, "rated": 1, "file": faults.file, "line": max(one["line"], other["line"]),
    }  # fmt: skip


def _two_boards(boards: Mapping[tuple[int, str], Sequence[Row]], faults: Faults) -> None:
    """Tell players at two boards of one round: some do fill an empty seat, more often it is a slip."""
    seats: dict[tuple[int, str], str] = {}
    for (round_, board), rows in boards.items():
        for row in rows:
            earlier = seats.setdefault((round_, names.key(row["player"])), board)
            if earlier != board:
                found = f"{row['player']!r} at board {board}, and at board {earlier}; both stand"
                faults.warning(row["line"], f"each player at one board of round {round_}", found)
