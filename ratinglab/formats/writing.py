"""A round that was paired, written into the event's own file: a TSH division, a report file (TRF), or games.csv.

The content that a file is to have is made here; writing it, whole or not at all, is `ratinglab.output`.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ratinglab import schema
from ratinglab.formats import groups, native, trf, trf_writing, tsh, tsh_writing
from ratinglab.formats.files import File
from ratinglab.formats.sheet import delimiter_of, header_of
from ratinglab.pairing.standing import NOBODY
from ratinglab.problems import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from ratinglab.history import History
    from ratinglab.pairing.real import NextRound

WRITTEN = (native.NAME, trf.NAME, tsh.NAME)
# Texts whose letters are not bytes; in all others ASCII is, which is all that is edited
_WIDE = ((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"), (codecs.BOM_UTF16_LE, "utf-16-le"))
_MARKS = (*_WIDE, (codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF8, "utf-8"))
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_DOS_END = b"\x1a"
_TRF_BYES = {"bye asked for": "H", "absent": "Z", "withdrawn": "Z"}


def with_round(
    history: History,
    event: str,
    rounds: Mapping[str, NextRound],
    paths: Sequence[str | Path],
    format: str | None = None,
    *,
    replace: bool = False,
) -> tuple[Path, bytes]:
    """The event's file, and what it holds with this round of each section in it.

    `paths` and `format` are what the history was read from. In a TSH file who is not paired gets a bye (0); in a report
    file a half-point bye (H) who asked for one, a zero-point bye (Z) who is away; native rows have the status unknown.
    Raises `UsageError` for a format that cannot be written, sections in several files, and where the round is in the
    file already (unless `replace`).
    """
    name, file, companions = _source(history, event, list(rounds), paths, format)
    if name not in WRITTEN:
        raise UsageError(f"a round can be written into files of {', '.join(WRITTEN)}; {name} cannot be written")
    if name == native.NAME:
        path, content = _native(history, event, rounds, file, companions, replace)
        return path, content
    opened = _Text(file.content, letters=name == trf.NAME)
    text = opened.text
    for section, one in rounds.items():
        if name == trf.NAME:
            text = _trf(text, one, replace)
        else:
            mine = (history.entries["event"] == event) & (history.entries["section"] == section)
            lines = {int(line) for line in history.entries.loc[mine, "line"]}
            text = _tsh(text, one, lines, replace)
    return file.path, opened.closed(text)


def forbidden(
    history: History, event: str, section: str, round: int | None = None, format: str | None = None
) -> list[tuple[str, str]]:
    """Pairs of players that the event's report file says are not to meet in the round (by default the next one).

    Other formats have no record for it.
    """
    shown = history.events.loc[history.events["event"] == event, "file"].dropna()
    for known, group in groups(*shown, format=format):
        if known.NAME == trf.NAME:
            coming = trf.tournament(group.main.text)[0].played + 1
            entries = history.entries[(history.entries["event"] == event) & (history.entries["section"] == section)]
            named = dict(zip(entries["number"].tolist(), entries["player"].tolist(), strict=True))
            pairs = trf.forbidden(group.main.text, round or coming)
            return [(named[a], named[b]) for a, b in pairs if a in named and b in named]
    return []


def _source(
    history: History, event: str, sections: Sequence[str], paths: Sequence[str | Path], format: str | None
) -> tuple[str, File, tuple[File, ...]]:
    """The format of an event, the file in which these sections stand, and all the files it was read with."""
    tables = [history.entries, history.games]
    parts = [table[(table["event"] == event) & table["section"].isin(sections)] for table in tables]
    parts.append(history.events[history.events["event"] == event])
    shown = list(dict.fromkeys(name for part in parts for name in part["file"].dropna()))
    for known, group in groups(*paths, format=format):
        files = {file.shown: file for file in group.files}
        mine = [files[name] for name in shown if name in files]
        if mine and known.NAME == tsh.NAME:
            entered = list(dict.fromkeys(parts[0]["file"].dropna()))
            mine = [files[name] for name in entered if name in files] or mine
            if len(mine) > 1:
                names = ", ".join(file.path.name for file in mine)
                raise UsageError(f"the sections of {event} are in several files ({names}): choose one with --section")
        if mine:
            return known.NAME, mine[0], group.files
    raise UsageError(f"the file of {event} is not among those that were read")


class _Text:
    """A file's bytes as a text to edit, and back: what is not touched stays as it is, byte for byte.

    Without `letters` a character is a byte, so that no encoding can come to harm; with it columns count letters.
    """

    def __init__(self, content: bytes, letters: bool) -> None:
        """Take off the byte-order mark and the mark with which DOS ended a file."""
        self.mark, self.codec = next(((m, c) for m, c in _MARKS if content.startswith(m)), (b"", "latin-1"))
        body = content[len(self.mark) :]
        self.end = body[len(body.rstrip(_DOS_END)) :] if self.codec in ("latin-1", "utf-8") else b""
        body = body[: len(body) - len(self.end)]
        if not letters and self.codec == "utf-8":
            self.codec = "latin-1"
        if letters and self.codec == "latin-1":
            self.codec = "utf-8" if _is_utf8(body) else "latin-1"
        self.text = body.decode(self.codec)

    def closed(self, text: str) -> bytes:
        """The bytes of the edited text."""
        return self.mark + text.encode(self.codec) + self.end


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _pairs(one: NextRound) -> tuple[dict[int, int], dict[int, bool]]:
    """Numbers of players and opponents (0: sits out) of those who were to be paired, and who goes first."""
    numbers = [int(number) for number in one.section.numbers]
    opponent, first = one.made.opponent[0].tolist(), one.made.first[0].tolist()
    here = np.flatnonzero(one.section.standing.here[0]).tolist()
    pairs = {numbers[i]: 0 if opponent[i] == NOBODY else numbers[opponent[i]] for i in here}
    return pairs, {numbers[i]: first[i] > 0 for i in here if first[i] and opponent[i] != NOBODY}


def _away(one: NextRound) -> dict[int, str]:
    """Why each number that was not to be paired was not."""
    number = dict(zip(one.section.names, (int(n) for n in one.section.numbers), strict=True))
    return {number[name]: why for name, why in zip(one.away["player"], one.away["why"], strict=True)}


def _round(one: NextRound) -> int:
    return int(one.section.standing.round)


def _tsh(text: str, one: NextRound, lines: set[int], replace: bool) -> str:
    pairs, first = _pairs(one)
    pairs |= dict.fromkeys(_away(one), 0)
    return tsh_writing.with_round(text, _round(one), pairs, first, lines=lines, replace=replace)


def _trf(text: str, one: NextRound, replace: bool) -> str:
    pairs, first = _pairs(one)
    away = _away(one)
    byes = {number: _TRF_BYES[why] for number, why in away.items() if why in _TRF_BYES}
    made, _ = trf.tournament(text)
    # absences and byes of records of their own: a pairing program wants a cell of everybody in a round
    for bye in made.byes:
        if bye.number in away and bye.round in (0, _round(one)):
            byes.setdefault(bye.number, bye.code)
    said = {player.number for player in made.players if (c := player.cell(_round(one))) and c.opponent is None}
    byes = {number: code for number, code in byes.items() if number not in said}
    return trf_writing.with_round(text, _round(one), pairs, first, byes, replace=replace)


# --- games.csv --------------------------------------------------------------------------------------------------------


def _native(
    history: History, event: str, rounds: Mapping[str, NextRound], file: File, files: Sequence[File], replace: bool
) -> tuple[Path, bytes]:
    """games.csv with a row for each pair, and for each who sits out; where there is none, one beside the tables."""
    games = next((one for one in files if native.table_of(one) == "games"), None)
    if games is None:
        opened = _Text(b"", letters=True)
        header: tuple[str, ...] = ("event", "section", "round", "player", "opponent", "first", "status")
        text, path, delimiter = ",".join(header) + "\n", file.path.with_name("games.csv"), ","
    else:
        opened = _Text(games.content, letters=True)
        header, text, path = header_of(opened.text), opened.text, games.path
        delimiter = delimiter_of(next(filter(str.strip, _LINE.findall(text)), ""))
    gone: set[int] = set()
    rows: list[dict[str, Any]] = []
    for section, one in rounds.items():
        gone |= _paired_before(history, event, section, _round(one), replace)
        rows += _rows(event, section, one.pairs)
    end = "\r\n" if "\r\n" in text else "\n"
    lines = list(enumerate(_LINE.findall(text), 1))
    if any(number in gone and line.count('"') % 2 for number, line in lines):
        raise UsageError(f"a row that is to be replaced in {path.name} has several lines: take it out by hand")
    text = "".join(line for number, line in lines if number not in gone)
    text += "" if text.endswith(("\n", "\r")) or not text else end
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end)
    writer.writerows([row.get(column, "") for column in header] for row in rows)
    return path, opened.closed(text + out.getvalue())


def _paired_before(history: History, event: str, section: str, round: int, replace: bool) -> set[int]:
    """The lines of the round's pairs in the file, which are to be replaced; raises `UsageError` where they stay."""
    games = history.games
    mine = (games["event"] == event) & (games["section"] == section) & (games["round"] == round)
    there = games[mine & (games["opponent"].notna() | games["status"].eq(schema.UNKNOWN))]
    if len(there) and not replace:
        raise UsageError(f"round {round} is paired in {there['file'].iloc[0]} already")
    if there["result"].notna().any():
        raise UsageError(f"round {round} has results in {there['file'].iloc[0]}")
    return {int(line) for line in there["line"]}


def _rows(event: str, section: str, pairs: pd.DataFrame) -> list[dict[str, Any]]:
    import pandas as pd

    place = {"event": event, "section": section, "status": schema.UNKNOWN}
    rows = []
    for round_, player, opponent, first in pairs[["round", "player", "opponent", "first"]].itertuples(index=False):
        against = opponent if isinstance(opponent, str) else ""
        begins = "" if pd.isna(first) else int(first)
        rows.append(place | {"round": int(round_), "player": player, "opponent": against, "first": begins})
    return rows
