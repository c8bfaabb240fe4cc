"""Event files of every known format, read into one history.

A format is a module with a NAME, `recognises` (which files of a shelf it reads together) and `read` (what is in them);
adding one is that file and a line in `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from ratinglab.formats import club_chess, coco, native, tsh, uscf_crosstable, wdd
from ratinglab.formats.files import LIKELY, File, Group, Shelf, gather
from ratinglab.formats.joining import completed, counted, side_by_side
from ratinglab.history import History, Parsed, assemble
from ratinglab.problems import ERROR, WARNING, InputError, Problem, UsageError


class Format(Protocol):
    """What a format's module offers."""

    NAME: str

    def recognises(self, shelf: Shelf) -> Iterator[Group]:
        """The groups of files on the shelf that are of this format, each read as one."""

    def read(self, group: Group, shelf: Shelf) -> Parsed:
        """What is in a group."""


# In this order they are asked: those that know their files by a header before the one that knows them by their lines.
FORMATS: tuple[Format, ...] = (coco, club_chess, uscf_crosstable, wdd, native, tsh)


def load(*paths: str | Path, format: str | None = None) -> History:
    """The history in these files and folders, formats recognised by content unless `format` names one.

    What is wrong with the files is in the history's `problems`. Raises `InputError` with every problem when nothing
    could be read, `UsageError` for an unknown format.
    """
    formats = [known for known in FORMATS if format in (None, known.NAME)]
    if not formats:
        raise UsageError(f"no format {format}; the formats are: {', '.join(sorted(known.NAME for known in FORMATS))}")
    shelf, problems = gather(paths)
    order = {id(file): i for i, file in enumerate(shelf.files)}
    parts = []
    forced = format is not None
    left = shelf.without((), forced)
    for known in formats:
        groups = list(known.recognises(left))
        # companions that lie beside the given files come where their group comes
        parts += [
            (min(order.get(id(file), len(order)) for file in group.files), group, known.read(group, left))
            for group in groups
        ]
        left = left.without((file for group in groups for file in group.files), forced)
    parts.sort(key=lambda part: part[0])
    problems += [problem for file in left.files for problem in _unknown(file, formats, left.forced)]
    found = side_by_side([(group.where, part) for _, group, part in parts])
    if not any(len(table) for part in found for table in part.tables.values()):
        raise InputError([*problems, *(problem for part in found for problem in part.problems)] or [_nothing()])
    history = assemble([Parsed(problems=tuple(problems)), *found])
    placings = counted(history.events, history.placings)
    events = completed(history.events, history.entries, history.games, placings)
    return replace(history, events=events, placings=placings)


def _unknown(file: File, formats: list[Format], forced: bool) -> Iterator[Problem]:
    """What to say of a file that no format took: nothing, unless it was named or looks like an event's.

    It is an error of a file that the user named, or said the format of.
    """
    if file.explicit or file.suffix in LIKELY:
        names = ", ".join(sorted(known.NAME for known in formats))
        severity = ERROR if file.explicit or forced else WARNING
        yield Problem(file.shown, 0, 0, severity, f"a file in a known format ({names})", file.nature)


def _nothing() -> Problem:
    return Problem("", 0, 0, ERROR, "files or folders with events", "none")
