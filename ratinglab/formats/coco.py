"""CoCo's result tables: one row a game with the winner first, an entry list beside them, `events.csv` above them.

The tables are exports of a web form and hold what people typed: byes as an opponent, play-off rounds by name, a winner
with the lower score. The result follows the scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ratinglab import dates, names, schema
from ratinglab.decode import NotText
from ratinglab.formats.cells import parse_cell
from ratinglab.formats.common import Faults, frame, outcome, rating_of, same_pair, tell_zeros, trim
from ratinglab.formats.files import File, Group, Shelf
from ratinglab.formats.sheet import Sheet, header_of, read_sheet
from ratinglab.history import Parsed
from ratinglab.problems import Problem

NAME = "coco"

_GAME = ("round", "winner", "winners_score", "opponent", "opponents_score")
_INDEX = ("order", "file", "date")
# The committee takes less for no rating: nobody falls below 300, and its lists give newcomers a 0 or a 1.
_LEAST_RATING = 100
_RATING = ("rating", "record")  # an entry list in the wild heads its ratings "Record"
_BYE = "bye"
_COLUMNS = dict(zip(_GAME, ("Round", "Winner", "Winners Score", "Opponent", "Opponents Score"), strict=True))
_SUFFIXES = (".csv", ".tsv", ".txt")

Rows = dict[str, list[dict[str, Any]]]


def recognises(shelf: Shelf) -> Iterator[Group]:
    """A folder's `events.csv` with the results it names, then single results files, then entry lists on their own."""
    headers = {id(f): _header(f) for f in shelf.files}
    taken: set[int] = set()
    for file in shelf.files:
        if _is_index(headers[id(file)]):
            used = [found for stem in _stems(file) for found in _of_stem(shelf, file, stem) if found is not None]
            group = [file, *dict.fromkeys(used)]
            taken |= set(map(id, group))
            yield Group(tuple(group), file.folder.name)
    with_results = {file.folder for file in shelf.files if _is_results(headers[id(file)])}
    for file in shelf.files:
        results, meant = _is_results(headers[id(file)]), _meant(file)
        if id(file) in taken or not (results or meant):
            continue
        entries = _find(shelf, file, "", f"{_event_of(file)}-ratings")
        listed = entries is not None and _is_entries(_header(entries))
        if results or listed or file.folder in with_results:
            group = [file, *([entries] if entries else [])]
            taken |= set(map(id, group))
            yield Group(tuple(group), file.folder.name)
    for file in shelf.files:
        listed = _is_entries(headers[id(file)]) and (file.explicit or file.path.stem.casefold().endswith("-ratings"))
        told = shelf.forced and file.explicit
        if id(file) not in taken and (listed or told):
            yield Group((file,), file.folder.name)


def _header(file: File) -> tuple[str, ...]:
    return header_of(file.sample) if file.sample else ()


def _is_index(header: Sequence[str]) -> bool:
    return set(_INDEX) <= set(header)


def _is_results(header: Sequence[str]) -> bool:
    return set(_GAME) <= set(header)


def _is_entries(header: Sequence[str]) -> bool:
    return len(header) > 1 and header[0] == "name" and header[1] in _RATING and not any(header[2:])


def _meant(file: File) -> bool:
    """Whether the name says that a file holds results, so that it is missed when they cannot be read."""
    return file.suffix in _SUFFIXES and file.path.stem.casefold().endswith("-results")


def _event_of(file: File) -> str:
    return re.sub(r"-(?:results|ratings)$", "", file.path.stem, flags=re.IGNORECASE)


def _stems(index: File) -> list[str]:
    sheet = read_sheet(index.text, Faults(index.shown))
    return [stem for stem in sheet.columns[sheet.header.index("file")] if stem]


def _find(shelf: Shelf, file: File, folder: str, stem: str) -> File | None:
    return next((found for s in _SUFFIXES if (found := shelf.beside(file, f"{folder}{stem}{s}"))), None)


def _of_stem(shelf: Shelf, index: File, stem: str) -> tuple[File | None, File | None]:
    """The results and the entry list of one row of `events.csv`: in `results/`, or beside it."""
    for folder in ("results/", ""):
        results = _find(shelf, index, folder, f"{stem}-results") or _find(shelf, index, folder, stem)
        entries = _find(shelf, index, folder, f"{stem}-ratings")
        if results is not None or entries is not None:
            return results, entries
    return None, None


def read(group: Group, shelf: Shelf) -> Parsed:
    """The events of a group."""
    main = group.main
    rows: Rows = {"events": [], "entries": [], "games": []}
    problems: list[Problem] = []
    if _is_index(_header(main)):
        _read_index(main, shelf, rows, problems)
    else:
        alone = _is_entries(_header(main))
        entries = main if alone else (group.files[1] if len(group.files) > 1 else None)
        row = {"event": _event_of(main), "kind": "games", "source": main.path.name, "file": main.shown}
        _read_event(row, None if alone else main, entries, rows, problems)
    tables = {name: frame(name, part) for name, part in rows.items() if part}
    if "games" in tables:
        problems += _pairs_twice(tables["games"])
    return Parsed(tables, tuple(problems), group.sources)


def _read_index(index: File, shelf: Shelf, rows: Rows, problems: list[Problem]) -> None:
    faults = Faults(index.shown)
    sheet = read_sheet(index.text, faults)
    at = sheet.at(["order", "file", "date", "city", "name", "rounds"])
    listed = []
    for i, line in enumerate(sheet.lines):
        cells = {column: sheet.columns[where][i] for column, where in at.items()}
        order, expected = parse_cell(cells["order"], "real") if cells["order"] else (None, None)
        if expected:
            faults.error(line, f"order: {expected}", repr(cells["order"]), at["order"] + 1)
        listed.append((float("inf") if order is None else order, line, cells))
    seen: dict[str, int] = {}
    for _, line, cells in sorted(listed, key=lambda item: item[:2]):
        stem = cells["file"]
        results, entries = _of_stem(shelf, index, stem) if stem else (None, None)
        if not stem or stem in seen or (results is None and entries is None):
            again = f"{stem!r} again, after line {seen.get(stem)}; left out"
            missing = f"no {stem}-results in results/" if stem else "none"
            faults.error(line, "a results file, once", again if stem in seen else missing, at["file"] + 1)
            continue
        seen[stem] = line
        row = {"event": stem, "kind": "games", "file": index.shown, "line": line}
        row |= {"name": cells.get("name"), "place": cells.get("city")}
        row = {key: value or None for key, value in row.items()}
        row["source"] = (results or entries or index).path.name
        days = dates.span(cells["date"]) if cells["date"] else None
        if cells["date"] and days is None:
            faults.error(line, dates.EXPECTED, repr(cells["date"]), at["date"] + 1)
        row["date"], row["end_date"] = days or (None, None)
        if cells.get("rounds"):
            row["rounds"], expected = parse_cell(cells["rounds"], "whole")
            if expected:
                faults.error(line, f"rounds: {expected}", repr(cells["rounds"]), at["rounds"] + 1)
        _read_event(row, results, entries, rows, problems)
    problems[:0] = faults.found


def _read_event(
    row: dict[str, Any], results: File | None, entries: File | None, rows: Rows, problems: list[Problem]
) -> None:
    where = {"event": row["event"], "section": schema.SECTION}
    listed: list[dict[str, Any]] = []
    if entries is not None:
        faults = Faults(entries.shown)
        listed = [where | entry for entry in _entries(_sheet(entries, faults), faults)]
        rows["entries"] += listed
        problems += faults.found
    if results is not None:
        faults = Faults(results.shown)
        games = [where | game for game in _games(_sheet(results, faults), faults)]
        rows["games"] += games
        problems += faults.found
        if row.get("rounds") is None and games:
            row = row | {"rounds": max(game["round"] for game in games)}
    # a row of events.csv announces an event; a file without a single game or entry does not
    if "line" in row or listed or any(game["event"] == row["event"] for game in rows["games"][-1:]):
        rows["events"].append(row)


def _sheet(file: File, faults: Faults) -> Sheet:
    try:
        sheet = read_sheet(file.text, faults)
    except (NotText, OSError):
        sheet = Sheet((), (), ())
    if not sheet.header and not faults.found:
        faults.error(1, "a table of results or entries", file.nature)
    return sheet


def _entries(sheet: Sheet, faults: Faults) -> Iterator[dict[str, Any]]:
    if sheet.lines and not _is_entries([*sheet.header[:2]]):
        faults.error(sheet.header_line, "the columns Name and Rating", ", ".join(sheet.header))
        return
    seen: dict[str, int] = {}
    for i, line in enumerate(sheet.lines):
        name, rating = sheet.columns[0][i], sheet.columns[1][i]
        if names.key(name) == _BYE:
            continue
        if not names.tidy(name):
            faults.error(line, "a player's name", "none", 1)
            continue
        if seen.setdefault(names.key(name), line) != line:
            faults.error(line, "each player once", f"{name!r} again, after line {seen[names.key(name)]}; left out", 1)
            continue
        value, expected = parse_cell(rating, "real", sheet.comma) if rating else (None, None)
        if expected:
            faults.error(line, expected, repr(rating), 2)
        if value is not None and 0 < value < _LEAST_RATING:
            faults.warning(line, f"a rating of {_LEAST_RATING} or more", f"{trim(value)}, taken as unrated", 2)
            value = None
        yield {"player": names.tidy(name), "rating": rating_of(value)[0], "file": faults.file, "line": line}


def _games(sheet: Sheet, faults: Faults) -> Iterator[dict[str, Any]]:
    if not _is_results(sheet.header):
        if sheet.header:
            _tell_columns(sheet, faults)
        return
    at = sheet.at(_GAME)
    rounds = _rounds(sheet.columns[at["round"]])
    # where nothing has been scored yet, every 0 says the same
    scored = any(
        cell.strip("0.") for column in ("winners_score", "opponents_score") for cell in sheet.columns[at[column]]
    )
    for i, line in enumerate(sheet.lines):
        cells = {column: sheet.columns[where][i] for column, where in at.items()}
        round_ = rounds.get(cells["round"])
        sides = (names.tidy(cells["winner"]), names.tidy(cells["opponent"]))
        if round_ is None:
            faults.error(line, "a round", "none", at["round"] + 1)
            continue
        if not _whole(cells["round"]) and parse_cell(cells["round"], "real")[1] is None:
            expected = "a round from 1 up, or the name of a play-off round"
            faults.error(line, expected, f"{cells['round']!r}, taken as round {round_}", at["round"] + 1)
        if not all(sides) or names.key(sides[0]) == names.key(sides[1]):
            found = "one side only" if not all(sides) else f"{sides[0]!r} on both sides"
            faults.error(line, "two different players", found, at["opponent" if sides[0] else "winner"] + 1)
            continue
        scores = [
            _score(cells[column], line, at[column] + 1, faults) for column in ("winners_score", "opponents_score")
        ]
        yield {"round": round_, "file": faults.file, "line": line} | _game(sides, scores, line, faults, scored)


def _rounds(cells: Sequence[str]) -> dict[str, int]:
    """The number of each round: rounds with a name are play-offs, counted on from the last numbered one."""
    numbers = {cell: number for cell in dict.fromkeys(cells) if (number := _whole(cell)) is not None}
    last = max(numbers.values(), default=0)
    named: dict[str, int] = {}
    for cell in dict.fromkeys(cells):
        if cell and cell not in numbers:
            numbers[cell] = named.setdefault(cell.casefold(), last + len(named) + 1)
    return numbers


def _whole(cell: str) -> int | None:
    """The number of a round, "1.0" of a spreadsheet among them; None for a name and for what is no round."""
    found = re.fullmatch(r"0*([1-9]\d{0,3})(?:\.0*)?", cell, re.ASCII)
    return int(found[1]) if found else None


def _tell_columns(sheet: Sheet, faults: Faults) -> None:
    """Say which columns of results a table lacks, or, if it has none of them, with what it begins."""
    absent = [shown for column, shown in _COLUMNS.items() if column not in sheet.header]
    first = ", ".join(filter(None, sheet.header))
    found = f"no {', '.join(absent)}"
    if len(absent) == len(_GAME):
        found = f"none of them, but a first line {first if len(first) <= 60 else first[:57] + '...'!r}"
    faults.error(sheet.header_line, f"the columns {', '.join(_COLUMNS.values())}", found)


def _score(cell: str, line: int, column: int, faults: Faults) -> float | None:
    if not cell:
        return None
    value, expected = parse_cell(cell, "real")
    if expected:
        faults.error(line, f"a score: {expected}", repr(cell), column)
    return None if value is None else float(value)


def _game(
    sides: tuple[str, str], scores: Sequence[float | None], line: int, faults: Faults, scored: bool
) -> dict[str, Any]:
    score, other = scores
    if (score is None) != (other is None):
        faults.error(line, "the scores of both", f"none of {sides[0] if score is None else sides[1]!r}")
    lower = score is not None and other is not None and score < other
    if lower:
        faults.warning(line, "the winner's score first", f"{_shown(score)} to {_shown(other)}; the scores stand")
    absent = [names.key(side) == _BYE for side in sides]
    if any(absent):
        own, bye = (other, score) if absent[0] else (score, other)
        spread = None if own is None else own - (bye or 0.0)
        forfeit = absent[0] and not lower
        result = 0.0 if forfeit else None if spread == 0 else 1.0
        status = schema.FORFEIT if forfeit else schema.BYE
        return {"player": sides[absent[0]], "score": spread, "result": result, "status": status, "rated": 0}
    status, result, rated = outcome(score, other)
    if scored:
        tell_zeros(score, other, sides, "", line, faults)
    played = status != schema.UNKNOWN or not (score == 0 and other == 0)
    return {
        "player": sides[0],
        "opponent": sides[1],
        "score": score if played else None,
        "opponent_score": other if played else None,
        "result": result,
        "status": status,
        "rated": rated,
    }


def _shown(number: float | None) -> str:
    return "none" if number is None else trim(number)


def _pairs_twice(games: Any) -> list[Problem]:
    """The same two again in one round: a play-off match, each game of which was rated."""
    first = same_pair(games).tolist()
    problems = []
    for i, (position, opponent) in enumerate(zip(first, games["opponent"].isna(), strict=True)):
        if position != i and not opponent:
            faults = Faults(str(games["file"].iloc[i]))
            pair = f"{games['player'].iloc[i]} and {games['opponent'].iloc[i]}"
            found = (
                f"{pair} in round {games['round'].iloc[i]} again, after line {games['line'].iloc[position]}; both stand"
            )
            faults.warning(int(games["line"].iloc[i]), "one game of two players in a round", found)
            problems += faults.found
    return problems
