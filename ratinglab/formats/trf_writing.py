"""FIDE tournament report files, written: a whole tournament, strictly by column, or one more round into a file's text.

`tournament_of` tells a section of a history as records, `text_of` writes records as TRF16 or TRF26. `with_round` edits
the text of a file and leaves everything else in it, byte for byte, as it is.

Sources: as of `trf_records`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ratinglab import schema
from ratinglab.formats import trf_records
from ratinglab.formats.common import Faults
from ratinglab.formats.trf_records import (
    COLUMNS,
    FIRST_ROUND,
    PLAYED,
    PLAYER,
    ROUND_WIDTH,
    UNRATED,
    Cell,
    Forbidden,
    Player,
    Team,
    Tournament,
)  # fmt: skip
from ratinglab.problems import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from ratinglab.history import History

TRF16, TRF26 = 16, 26
LINE_END = "\r\n"  # FIDE asks for CR; with LF after it editors show lines
_CODES: dict[tuple[str, bool], dict[float | None, str]] = {
    (schema.PLAYED, True): {worth: code for code, worth in PLAYED.items()},
    (schema.PLAYED, False): {worth: code for code, worth in UNRATED.items()},
    (schema.FORFEIT, False): {None: "-", 1.0: "+", 0.0: "-"},
    (schema.UNKNOWN, False): {None: "", 1.0: "", 0.5: "", 0.0: ""},
}
_RIGHT = ("number", "title", "rating", "fide_id", "points", "rank")
_LINE = re.compile(r"[^\r\n]*(?:\r{0,2}\n|\r|$)")


# --- a section of a history -------------------------------------------------------------------------------------------


def tournament_of(history: History, event: str, section: str = schema.SECTION) -> Tournament:
    """A section as the records of a report file: teams play as players of that name, schools become teams.

    The format has no scores (spreads), and a rating only as a whole number. A one-point bye is the pairing's (U) where
    it is the only one of its round, else a full-point bye (F). Ranks are those of the chess standings. Raises
    `UsageError` for an event or section that is not there, and with everything that the format has no place for.
    """
    from ratinglab.standings import CHESS, section_standing, standings

    of = section_standing(history, event, section)
    table = standings(history, event, section, kind=CHESS)
    rank = dict(zip(table["player"], table["rank"].tolist(), strict=True))
    entries = history.entries[(history.entries["event"] == event) & (history.entries["section"] == section)]
    unit = entries["team"].fillna(entries["player"])
    said = entries[["birth_date", "nationality"]].itertuples(index=False, name=None)
    people: dict[str, tuple[Any, Any]] = dict(zip(reversed(unit), reversed(list(said)), strict=True))
    games = history.games[(history.games["event"] == event) & (history.games["section"] == section)]
    number = {name: int(n) for name, n in zip(of.names, of.numbers, strict=True)}
    cells = _cells(games, number)
    players = []
    for name, rating in zip(of.names, of.standing.field.rating[0].tolist(), strict=True):
        rounds = cells[number[name]]
        row_cells = tuple(rounds.get(r) for r in range(1, max(rounds, default=0) + 1))
        born, federation = people[name]
        players.append(
            Player(
                number[name], name, row_cells, rating=None if rating != rating else round(rating), rank=rank[name],
                federation=_text(federation), born="" if _missing(born) else born.strftime("%Y/%m/%d"),
            )
        )  # fmt: skip
    row = history.events[history.events["event"] == event].iloc[0]
    days = {tag: row[column] for tag, column in (("042", "date"), ("052", "end_date"))}
    headers = [("012", _text(row["name"]) or event), ("022", _text(row["place"]))]
    headers += [(tag, "" if _missing(day) else day.strftime("%Y/%m/%d")) for tag, day in days.items()]
    headers.append(("062", str(len(players))))
    schools: dict[str, list[int]] = {}
    for name, school in zip(of.names, of.school, strict=True):
        if school:
            schools.setdefault(school, []).append(number[name])
    teams = tuple(Team(school, tuple(numbers)) for school, numbers in schools.items())
    ordered = tuple(sorted(players, key=lambda player: player.number))
    own = history.divisions[(history.divisions["event"] == event) & (history.divisions["section"] == section)]
    scheduled = [int(count) for count in [*own["rounds"], row["rounds"]] if not _missing(count)]
    planned = scheduled[0] if scheduled else of.standing.rounds
    return Tournament(ordered, tuple(h for h in headers if h[1]), rounds=planned, teams=teams)


def _missing(value: Any) -> bool:
    import pandas as pd

    return bool(pd.isna(value))


def _text(value: Any) -> str:
    return "" if _missing(value) else " ".join(str(value).split())


def _cells(games: pd.DataFrame, number: Mapping[str, int]) -> dict[int, dict[int, Cell]]:
    """The cells of each player by round; raises `UsageError` with all that has no cell."""
    cells: dict[int, dict[int, Cell]] = {n: {} for n in number.values()}
    wrong = []
    byes = games[(games["status"] == schema.BYE) & games["opponent"].isna() & games["result"].eq(1)]
    alone = Counter(byes["round"].tolist())
    columns = ["round", "player", "opponent", "result", "first", "status", "rated"]
    for round_, one, other, result, first, status, rated in games[columns].itertuples(index=False):
        worth = None if _missing(result) else float(result)
        white = None if _missing(first) else bool(first)
        against = None if _missing(other) else other
        for name, opponent, points, colour in (
            (one, against, worth, white),
            (against, one, None if worth is None else 1 - worth, None if white is None else not white),
        ):
            if name is None:
                continue
            code = _code(status, opponent, points, rated == 1, alone[round_])
            if code is None:
                wrong.append(f"a {status} worth {points} of {name} in round {round_}")
            elif int(round_) in cells[number[name]]:
                wrong.append(f"{name} twice in round {round_}")
            elif opponent is not None or code:
                side = "-" if opponent is None or colour is None else "w" if colour else "b"
                facing = None if opponent is None else number[opponent]
                cells[number[name]][int(round_)] = Cell(facing, side, code)
    if wrong:
        raise UsageError(f"a report file has no place for {'; '.join(dict.fromkeys(wrong))}")
    return cells


def _code(status: str, opponent: str | None, worth: float | None, rated: bool, full_byes: int) -> str | None:
    """The code of a result; empty where it is not known, None where there is none for it."""
    if opponent is None and status == schema.BYE:
        full = "U" if full_byes == 1 else "F"
        return {1.0: full, 0.5: "H", 0.0: "Z", None: "Z"}.get(worth)
    if opponent is None and status in (schema.PLAYED, schema.UNKNOWN):
        return "" if status == schema.UNKNOWN else None
    return _CODES.get((status, rated and status == schema.PLAYED), {}).get(worth)


# --- a whole file -----------------------------------------------------------------------------------------------------


def text_of(made: Tournament, version: int = TRF16) -> str:
    """The tournament as the text of a file, lines ending in CR LF.

    version: 16 writes JaVaFo's records for what TRF16 has none for, 26 those of TRF26. Points are the sum of what the
    rounds are worth; ranks that are not given follow the points, level players sharing one. Raises `UsageError` with
    everything that does not fit the columns.
    """
    if version not in (TRF16, TRF26):
        raise UsageError(f"report files are written as TRF16 or TRF26; found {version}")
    wrong = [fault for player in made.players for fault in _unfit(player)]
    wrong += [f"a name of at most 32 letters for team {team.name}" for team in made.teams if len(team.name) > 32]
    if wrong:
        raise UsageError(f"a report file wants {'; '.join(wrong)}")
    if not made.players:
        raise UsageError("a report file wants at least one player")
    lines = [f"{tag} {text}" for tag, text in made.headers]
    lines += _settings(made, version)
    points = {player.number: _points(player, made) for player in made.players}
    placed = sorted(points.values(), reverse=True)
    for player in made.players:
        rank = player.rank if player.rank is not None else placed.index(points[player.number]) + 1
        lines.append(_record(player, points[player.number], rank))
    lines += [_team(i, team, version) for i, team in enumerate(made.teams, 1)]
    lines += _pairing(made, version)
    lines += [f"{tag} {text}".rstrip() for tag, text in made.kept]
    return "".join(line.rstrip() + LINE_END for line in lines)


def _unfit(player: Player) -> list[str]:
    texts = {name: getattr(player, name) for name in ("sex", "title", "name", "federation", "fide_id", "born")}
    texts |= {name: _figure(getattr(player, name)) for name in ("number", "rating", "rank")}
    return [
        f"{name} of at most {last - first + 1} characters for no. {player.number} (found {texts[name]!r})"
        for name, (first, last) in COLUMNS.items()
        if name in texts and len(texts[name]) > last - first + 1
    ]


def _figure(value: int | None) -> str:
    return "" if value is None else str(value)


def _points(player: Player, made: Tournament) -> float:
    """What the rounds are worth; nothing said of a round that was played is an absence."""
    missed = sum(player.cell(round_) is None for round_ in range(1, made.played + 1))
    return sum(made.points.of(cell) for cell in player.cells) + missed * made.points.worth["ZPB"]


def _record(player: Player, points: float, rank: int) -> str:
    texts = {
        "number": str(player.number), "sex": player.sex, "title": player.title, "name": player.name,
        "rating": _figure(player.rating), "federation": player.federation, "fide_id": player.fide_id,
        "born": player.born, "points": f"{points:.1f}", "rank": str(rank),
    }  # fmt: skip
    line = PLAYER
    for name, (first, last) in COLUMNS.items():
        width = last - first + 1
        text = texts[name].rjust(width) if name in _RIGHT else texts[name].ljust(width)
        line = line.ljust(first - 1) + text
    line = line.ljust(FIRST_ROUND - 1)
    for cell in player.cells:
        line += (" " * 8 if cell is None else str(cell)) + "  "
    return line


def _settings(made: Tournament, version: int) -> list[str]:
    """Rounds, the first colour and what results are worth."""
    lines = []
    rounds = made.rounds or made.listed  # pairing programs want the number
    if rounds:
        lines.append(f"{'XXR' if version == TRF16 else '142'} {rounds}")
    if made.white_first is not None:
        colour = ("white1" if made.white_first else "black1") if version == TRF16 else "BW"[made.white_first]
        lines.append(f"{'XXC' if version == TRF16 else '152'} {colour}")
    worth = made.points.worth
    if worth != trf_records.Points().worth:
        if version == TRF16:
            lines.append("XXS " + " ".join(f"{code}={value:.1f}" for code, value in worth.items()))
        else:
            lines.append("162  " + "    ".join(f"{code} {value:4.1f}" for code, value in _by_letter(worth).items()))
    return lines


def _by_letter(worth: Mapping[str, float]) -> dict[str, float]:
    """TRF26 knows one figure for each kind of result, not one for each colour."""
    groups = {"W": ("WW", "BW", "FW", "FPB"), "D": ("WD", "BD", "HPB"), "L": ("WL", "BL"), "A": ("ZPB", "FL")}
    uneven = [", ".join(codes) for codes in groups.values() if len({worth[code] for code in codes}) > 1]
    if uneven:
        raise UsageError(f"TRF26 has one figure for {' and one for '.join(uneven)}; write it as TRF16")
    return {letter: worth[codes[0]] for letter, codes in groups.items()} | {"P": worth["PAB"]}


def _team(number: int, team: Team, version: int) -> str:
    players = " ".join(f"{n:4d}" for n in team.numbers)
    if version == TRF16:
        return f"013 {team.name:<32s}{players}"
    return f"310 {number:3d} {team.name:<32s}".ljust(73) + players


def _pairing(made: Tournament, version: int) -> list[str]:
    """Byes of coming rounds, absences and forbidden pairs."""
    coming = made.played + 1
    lines = []
    byes: dict[tuple[str, int], list[int]] = {}
    for bye in made.byes:
        round_ = bye.round or (coming if version == TRF26 else 0)
        byes.setdefault((bye.code, round_), []).append(bye.number)
    for (code, round_), numbers in byes.items():
        listed = " ".join(f"{n:4d}" for n in numbers)
        lines.append(f"240 {code} {round_:03d} {listed}" if round_ else f"XXZ {' '.join(map(str, numbers))}")
    for one in made.forbidden:
        always = one == Forbidden(one.numbers)
        if version == TRF16 and always:
            lines.append(f"XXP {' '.join(map(str, one.numbers))}")
        else:
            last = one.last or made.rounds or max(made.listed, 1)
            lines.append(f"260 {one.first:03d} {last:03d} {' '.join(f'{n:4d}' for n in one.numbers)}")
    return lines


# --- one more round ---------------------------------------------------------------------------------------------------


def with_round(
    text: str,
    round: int,
    opponents: Mapping[int, int],
    first: Mapping[int, bool] | None = None,
    byes: Mapping[int, str] | None = None,
    *,
    replace: bool = False,
) -> str:
    """The text of a report file with the pairs of one more round; all else stays as it is, letter for letter.

    opponents: of each start number that of the opponent, 0 for the pairing's bye (U); first: who has White, where that
    is known; byes: H, F or Z of those who are not paired. Results stay empty. Raises `UsageError` where the round is
    paired already, unless `replace` (never where it has a result), where an earlier round is not there, and for
    numbers that the file has not.
    """
    cells = {n: Cell(None, "-", code) for n, code in (byes or {}).items()}
    for n, other in opponents.items():
        white = (first or {}).get(n)
        side = "-" if white is None else "w" if white else "b"
        cells[n] = Cell(other, side, "") if other else Cell(None, "-", "U")
    made = trf_records.parse(_numbered(text), Faults(""))
    _check_round(made, round, cells, replace)
    by_line = {player.line: player for player in made.players}
    lines = _LINE.findall(text)
    for at, line in enumerate(lines, 1):
        player = by_line.get(at)
        if player is not None and (player.number in cells or _paired(player, round)):
            body = line.rstrip("\r\n")
            lines[at - 1] = _with_cell(body, round, cells.get(player.number)) + line[len(body) :]
    return "".join(lines)


def _paired(player: Player, round: int) -> bool:
    cell = player.cell(round)
    return cell is not None and cell.opponent is not None


def _check_round(made: Tournament, round: int, cells: Mapping[int, Cell], replace: bool) -> None:
    """Raise `UsageError` where the round cannot be put into the file."""
    unknown = sorted({*cells, *(c.opponent for c in cells.values() if c.opponent)} - {p.number for p in made.players})
    if unknown:
        raise UsageError(f"the report file has no start number {', '.join(map(str, unknown))}")
    if round <= made.played:
        raise UsageError(f"round {round} has results in the report file")
    if round > made.played + 1:
        raise UsageError(f"the next round of the report file is {made.played + 1}; found round {round}")
    if made.listed > round:
        raise UsageError(f"the report file says something of round {made.listed} already")
    there = any(_paired(p, round) or (p.number in cells and p.cell(round) is not None) for p in made.players)
    if there and not replace:
        raise UsageError(f"round {round} is paired in the report file already")


def _numbered(text: str) -> list[tuple[int, str]]:
    lines = (line.rstrip("\r\n") for line in _LINE.findall(text))
    return [(number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _with_cell(line: str, round: int, cell: Cell | None) -> str:
    """The record with this cell (or none) as its last; columns are bytes where the record counts so."""
    view, in_bytes = trf_records.by_column(line)
    start = FIRST_ROUND - 1 + ROUND_WIDTH * (round - 1)
    view = view[:start].rstrip() if cell is None else view[:start].ljust(start) + str(cell).rstrip()
    return view.encode("latin-1").decode("utf-8") if in_bytes else view
