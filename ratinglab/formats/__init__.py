"""Event files of every known format, read into one history.

A format is a module with a NAME, `recognises` (which files of a shelf it reads together) and `read` (what is in them);
adding one is that file and a line in `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from ratinglab.formats import club_chess, coco, native, trf, tsh, uscf_crosstable, wdd
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
FORMATS: tuple[Format, ...] = (coco, club_chess, uscf_crosstable, trf, wdd, native, tsh)


def load(*paths: str | Path, format: str | None = None) -> History:
    """The history in these files and folders, formats recognised by content unless `format` names one.

    What is wrong with the files is in the history's `problems`. Raises `InputError` with every problem when nothing
    could be read, `UsageError` for an unknown format.
    """
    formats = _asked(format)
    shelf, problems = gather(paths)
    order = {id(file): i for i, file in enumerate(shelf.files)}
    taken, left = _taken(shelf.without((), format is not None), formats)
    # companions that lie beside the given files come where their group comes
    parts = [
        (min(order.get(id(file), len(order)) for file in group.files), group, known.read(group, shelf))
        for known, group, shelf in taken
    ]
    parts.sort(key=lambda part: part[0])
    problems += [problem for file in left.files for problem in _unknown(file, formats, left.forced)]
    found = side_by_side([(group.where, part) for _, group, part in parts])
    if not any(len(table) for part in found for table in part.tables.values()):
        raise InputError([*problems, *(problem for part in found for problem in part.problems)] or [_nothing()])
    history = assemble([Parsed(problems=tuple(problems)), *found])
    placings = counted(history.events, history.placings)
    events = completed(history.events, history.entries, history.games, placings)
    return replace(history, events=events, placings=placings)


def groups(*paths: str | Path, format: str | None = None) -> list[tuple[Format, Group]]:
    """What `load` reads together of these files and folders, and as which format; raises `UsageError` as it does."""
    shelf, _ = gather(paths)
    taken, _ = _taken(shelf.without((), format is not None), _asked(format))
    return [(known, group) for known, group, _ in taken]


def _asked(format: str | None) -> list[Format]:
    formats = [known for known in FORMATS if format in (None, known.NAME)]
    if not formats:
        raise UsageError(f"no format {format}; the formats are: {', '.join(sorted(known.NAME for known in FORMATS))}")
    return formats


def _taken(shelf: Shelf, formats: list[Format]) -> tuple[list[tuple[Format, Group, Shelf]], Shelf]:
    """Each group with its format and the shelf it was taken from, and the shelf with what no format took."""
    taken = []
    for known in formats:
        found = [(known, group, shelf) for group in known.recognises(shelf)]
        taken += found
        shelf = shelf.without((file for _, group, _ in found for file in group.files), shelf.forced)
    return taken, shelf


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
