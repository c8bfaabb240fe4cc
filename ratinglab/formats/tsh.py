"""TSH, the tournament software of North American Scrabble: a folder with `config.tsh`, an archive, or a lone `.t`.

Here is what makes an event of them: which file is which division, who the members of a team are, what the settings
mean. The lines of a division are `tsh_division`, the configuration is `tsh_config`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from ratinglab import names
from ratinglab.decode import NotText, decode, numbered_lines
from ratinglab.formats import tsh_config, tsh_division
from ratinglab.formats.common import Faults, frame, on_lines, rating_of
from ratinglab.formats.files import File, Group, Shelf
from ratinglab.formats.tsh_config import Config, Division
from ratinglab.formats.tsh_division import Entrant
from ratinglab.formats.tsh_members import MEMBERS, Member, read_members
from ratinglab.history import Parsed
from ratinglab.problems import Problem

NAME = "tsh"

_BEGIN = re.compile(r"#begin_file\b.*?\bname\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|(\S+))", re.IGNORECASE)
_END = re.compile(r"#end_file\b", re.IGNORECASE)
_GRADE_N = re.compile(r"grade[1-9]\d?")

Lines = list[tuple[int, str]]


@dataclass
class _Event:
    """What has been read of one event so far."""

    event: str
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: {"entries": [], "games": [], "divisions": []})
    longest: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def recognises(shelf: Shelf) -> Iterator[Group]:
    """Folders with a configuration, archives and lone division files, in reading order."""
    for files in shelf.by_folder():
        texts = {id(f): f.sample or "" for f in files}
        configs = [f for f in files if tsh_config.is_config(texts[id(f)]) and not _is_archive(texts[id(f)])]
        taken = {id(f) for f in configs}
        for config in configs:
            used = [f for _, f in _division_files(config, shelf) if f is not None]
            members = shelf.beside(config, MEMBERS)
            taken |= {id(f) for f in [*used, members]}
            # lines of a division that the configuration does not name are an older state of it, or not of this event
            spare = [f for f in files if id(f) not in taken and f.suffix == ".t" and not f.explicit and texts[id(f)]]
            taken |= {id(f) for f in spare}
            yield Group((config, *used, *([members] if members else []), *spare), config.folder.parent.name)
        for file in files:
            if id(file) not in taken and (_is_archive(texts[id(file)]) or _is_division(file, shelf.forced)):
                members = shelf.beside(file, MEMBERS)
                yield Group((file, members) if members else (file,), file.folder.name)


def _is_archive(text: str) -> bool:
    return _BEGIN.search(text) is not None


def _is_division(file: File, forced: bool) -> bool:
    if file.sample is None:
        return False
    return (forced and file.explicit) or tsh_division.looks_like(numbered_lines(file.sample), file.suffix == ".t")


def _division_files(config: File, shelf: Shelf) -> list[tuple[Division, File | None]]:
    parsed = tsh_config.parse(numbered_lines(config.text), Faults(config.shown))
    return [(division, shelf.beside(config, division.file)) for division in parsed.divisions]


def read(group: Group, shelf: Shelf) -> Parsed:
    """One event."""
    main = group.main
    if _is_archive(main.text):
        return _read_archive(group)
    if tsh_config.is_config(main.text):
        return _read_folder(group, shelf)
    event = _Event(main.path.stem)
    faults = Faults(main.shown)
    section = main.path.stem
    members = _members(group, [section], event, strict=False)
    _add_division(event, section, numbered_lines(main.text), None, faults, members)
    event.problems += faults.found
    return _finish(event, Config(), group, {})


def _read_folder(group: Group, shelf: Shelf) -> Parsed:
    main = group.main
    event = _Event(main.folder.name)
    faults = Faults(main.shown)
    config = tsh_config.parse(numbered_lines(main.text), faults)
    if not config.divisions:
        faults.error(0, "division NAME FILE", "no such line")
    named = {division: shelf.beside(main, division.file) for division in config.divisions}
    divisions = _once(list(named.items()), faults)
    members = _members(group, [division.name for division in divisions], event, strict=True)
    for division in divisions:
        file = named[division]
        if file is None:
            found = shelf.instead_of(main, division.file)
            faults.error(division.line, f"the file of division {division.name}", found)
            continue
        own = Faults(file.shown)
        try:
            lines = numbered_lines(decode(file.content, config.encoding))
        except (NotText, OSError) as error:
            expected = error.expected if isinstance(error, NotText) else "a file that can be read"
            own.error(0, expected, file.nature if isinstance(error, OSError) else error.found)
        else:
            _add_division(event, division.name, lines, _rounds(config, division.name), own, members)
        event.problems += own.found
    spare = [file for file in group.files[1:] if file not in named.values() and file.suffix == ".t"]
    event.problems += [_left_out(file, main) for file in spare]
    event.problems[:0] = faults.found
    return _finish(event, config, group, {d.name: d.line for d in config.divisions})


def _once(named: Sequence[tuple[Division, Hashable]], faults: Faults) -> list[Division]:
    """The divisions without those whose file an earlier one has: its games would count twice."""
    first: dict[Hashable, Division] = {}
    kept = []
    for division, file in named:
        earlier = first.setdefault(file, division) if file is not None else division
        if earlier is division:
            kept.append(division)
        else:
            found = f"{division.file}, of division {earlier.name} on line {earlier.line}; read once, as {earlier.name}"
            faults.error(division.line, f"a file of its own for division {division.name}", found)
    return kept


def _left_out(file: File, config: File) -> Problem:
    faults = Faults(file.shown)
    faults.warning(0, f"a division file that {config.path.name} names", "one that it does not; left out")
    return faults.found[0]


def _read_archive(group: Group) -> Parsed:
    main = group.main
    event = _Event(main.path.stem)
    faults = Faults(main.shown)
    blocks, outside = _blocks(numbered_lines(main.text), faults)
    settings = [*outside]
    divisions = {}
    for name, lines in blocks.items():
        # an archive may hold the configuration as one of its files
        if tsh_config.is_config("\n".join(line for _, line in lines)):
            settings += lines
        else:
            divisions[name] = lines
    config = tsh_config.parse(settings, faults)
    inside = {division: PurePosixPath(division.file).name.casefold() for division in config.divisions}
    named = {inside[division]: division for division in _once(list(inside.items()), faults)}
    for key, division in named.items():
        if key not in {name.casefold() for name in divisions}:
            faults.error(division.line, f"the file of division {division.name}", f"no {division.file} in the archive")
    sections = {}
    for name in divisions:
        found = named.get(name.casefold())
        sections[name] = found.name if found else PurePosixPath(name).stem
    members = _members(group, list(sections.values()), event, strict=False)
    for name, lines in divisions.items():
        _add_division(event, sections[name], lines, _rounds(config, sections[name]), faults, members)
    event.problems += faults.found
    return _finish(event, config, group, {d.name: d.line for d in config.divisions})


def _blocks(lines: Lines, faults: Faults) -> tuple[dict[str, Lines], Lines]:
    """The lines of each file in an archive, by its name, and those outside of any."""
    blocks: dict[str, Lines] = {}
    outside: Lines = []
    inside: Lines | None = None
    started = 0
    for number, line in lines:
        begin = _BEGIN.match(line.strip())
        if begin or _END.match(line.strip()):
            if begin and inside is not None:
                faults.error(number, f"#end_file for the file begun on line {started}", line.strip())
            if not begin and inside is None:
                faults.error(number, "#begin_file before #end_file", line.strip())
            inside = None
            if begin:
                name = PurePosixPath((begin[1] or begin[2] or begin[3] or "").replace("\\", "/")).name or "main"
                if name in blocks:
                    faults.error(number, "each file once in an archive", f"{name} again; read as one")
                inside, started = blocks.setdefault(name, []), number
        else:
            (outside if inside is None else inside).append((number, line))
    if inside is not None:
        faults.error(started, "#end_file after #begin_file", "the end of the archive")
    return blocks, outside


def _rounds(config: Config, section: str) -> int | None:
    return config.by_division.get(section.casefold(), {}).get("max_rounds") or config.event.get("max_rounds")


def _members(group: Group, sections: Sequence[str], event: _Event, strict: bool) -> dict[tuple[str, int], list[Member]]:
    file = next((f for f in group.files[1:] if f.path.name.casefold() == MEMBERS), None)
    if file is None:
        return {}
    faults = Faults(file.shown)
    members = read_members(file, sections, strict, faults)
    event.problems += faults.found
    return members


def _add_division(
    event: _Event,
    section: str,
    lines: Lines,
    rounds: int | None,
    faults: Faults,
    members: dict[tuple[str, int], list[Member]],
) -> None:
    entrants = tsh_division.parse(lines, faults)
    if not entrants:
        line = lines[0][0] if lines else 0
        faults.error(line, f"players in division {section}", "an empty division")
    known = {number: rows for (name, number), rows in members.items() if name == section.casefold()}
    _check_members(entrants, known, faults)
    where = {"event": event.event, "section": section}
    event.rows["games"] += [where | row for row in tsh_division.games(entrants, rounds, faults)]
    event.rows["entries"] += [where | row for row in _entries(entrants, known, faults)]
    event.longest[section] = max((len(entrant.pairings) for entrant in entrants), default=0)


def _check_members(entrants: Sequence[Entrant], members: dict[int, list[Member]], faults: Faults) -> None:
    for number, rows in members.items():
        if not 1 <= number <= len(entrants):
            _tell_member(rows[0], f"a player's number up to {len(entrants)}", str(number), faults)


def _size(entrant: Entrant) -> int:
    """How many members a line has by its own words: 0 for a player."""
    graded = sum(1 for key in entrant.keys if _GRADE_N.fullmatch(key))
    return graded or (max(1, len(entrant.terms) // 2) if len(entrant.terms) > 2 else 0)


def _entries(entrants: Sequence[Entrant], members: dict[int, list[Member]], faults: Faults) -> list[dict[str, Any]]:
    """The rows of the entries table; if one line is a team's, all are teams, lone players teams of one."""
    teams = _of_teams(entrants, members, faults)
    rows = []
    nameless: list[int] = []
    for entrant in entrants:
        told = members.get(entrant.number, [])
        common = {"number": entrant.number, "file": faults.file, "line": entrant.line} | _from_keys(entrant, teams)
        size = max(1, _size(entrant) or len(told)) if teams else 1
        if len(told) > size:
            _tell_member(told[size], f"at most {size} members of no. {entrant.number}", str(len(told)), faults)
        for i in range(size):
            member = told[i].values if i < len(told) else {}
            own: dict[str, Any] = {"player": entrant.name}
            if teams:
                own = {"team": entrant.name, "player": member.get("player") or f"{entrant.name}/{i + 1}"}
                nameless += [] if member.get("player") else [entrant.line]
                grade = entrant.keys.get(f"grade{i + 1}") or (entrant.keys.get("grade") if size == 1 else None)
                own |= {"grade": " ".join(grade)} if grade else {}
            own["rating"], own["deviation"] = _rating(entrant.terms, i, size)
            rows.append(common | own | {key: value for key, value in member.items() if key != "player"})
        _odd_terms(entrant, size, teams, faults)
    if nameless:
        expected = f"the names of the teams' members, in {MEMBERS} beside the configuration"
        faults.warning(nameless[0], expected, f"{len(nameless)} without one, on {on_lines(nameless)}")
    return rows


def _of_teams(entrants: Sequence[Entrant], members: dict[int, list[Member]], faults: Faults) -> bool:
    """Whether the lines are teams': by their own words, or by members.csv.

    That says so with two members of a line, or with one of every line and none of them called as the line is. Where
    only some are called otherwise, they are slips in a list of individuals.
    """
    if any(map(_size, entrants)) or any(len(rows) > 1 for rows in members.values()):
        return True
    renamed = [
        (entrant, member)
        for entrant in entrants
        for member in members.get(entrant.number, [])
        if member.values.get("player") and names.key(member.values["player"]) != names.key(entrant.name)
    ]
    if renamed and len(renamed) == len(entrants):
        return True
    for entrant, member in renamed:
        expected = f"{entrant.name!r}, as the player's line {entrant.line} says"
        _tell_member(member, expected, repr(member.values["player"]), faults)
    return False


def _tell_member(member: Member, expected: str, found: str, faults: Faults) -> None:
    own = Faults(member.file)
    own.error(member.line, expected, found)
    faults.found += own.found


def _from_keys(entrant: Entrant, teams: bool) -> dict[str, Any]:
    """What the keys of a line say of its entrant."""
    said: dict[str, Any] = {}
    for key in ("grade", "school"):
        if entrant.keys.get(key) and not (key == "grade" and teams):
            said[key] = " ".join(entrant.keys[key])
    games = entrant.keys.get("lifeg") or [""]
    if re.fullmatch(r"\d{1,9}", games[0], re.ASCII) and _size(entrant) < 2:
        said["lifetime_games"] = int(games[0])
    if "off" in entrant.keys:
        said["withdrawn"] = "yes"
    return said


def _rating(terms: Sequence[float], i: int, size: int) -> tuple[float | None, float | None]:
    """Rating and deviation of member `i`; a rating of the team as a whole is every member's."""
    own = terms[:2] if len(terms) <= 2 else terms[2 * i : 2 * i + 2]
    if not own or not any(terms):
        return None, None
    # a deviation of 0 would say that the rating is beyond all doubt
    return rating_of(own[0], (own[1] or None) if len(own) > 1 else None)


def _odd_terms(entrant: Entrant, size: int, teams: bool, faults: Faults) -> None:
    zero = [rating for rating, deviation in zip(entrant.terms[::2], entrant.terms[1::2], strict=False) if not deviation]
    if any(zero):
        faults.warning(entrant.line, f"a deviation above 0 of {entrant.name!r}", "0, taken as not filed")
    if any(entrant.terms) and teams and len(entrant.terms) != 2 * size and (size > 1 or len(entrant.terms) > 2):
        written = "+".join(f"{term:g}" for term in entrant.terms)
        faults.warning(entrant.line, f"rating and deviation of {size} members of {entrant.name!r}", written)


def _finish(event: _Event, config: Config, group: Group, lines: dict[str, int]) -> Parsed:
    main = group.main
    if not event.rows["entries"]:
        return Parsed({}, tuple(event.problems), group.sources)
    longest = max(event.longest.values(), default=0)
    own_rounds = [settings["max_rounds"] for settings in config.by_division.values() if "max_rounds" in settings]
    rounds = config.event.get("max_rounds") or max([longest, *own_rounds])
    row: dict[str, Any] = {
        "event": event.event,
        "name": config.name,
        "date": config.dates[0] if config.dates else None,
        "end_date": config.dates[1] if config.dates else None,
        "kind": "games",
        "rounds": rounds or None,
        "system": config.event.get("rating_system"),
        "spread_cap": config.event.get("spread_cap"),
        "source": main.source,
        "file": main.shown,
    }
    for section, length in event.longest.items():
        settings = config.by_division.get(section.casefold(), {})
        own = {"system": settings.get("rating_system"), "spread_cap": settings.get("spread_cap")}
        own["rounds"] = settings.get("max_rounds")
        if own["rounds"] is None and "max_rounds" not in config.event and 0 < length < rounds:
            own["rounds"] = length
        if any(value is not None for value in own.values()):
            where = {"event": event.event, "section": section, "file": main.shown, "line": lines.get(section)}
            event.rows["divisions"].append(where | own)
    tables = {name: frame(name, rows) for name, rows in event.rows.items() if rows}
    return Parsed({"events": frame("events", [row]), **tables}, tuple(event.problems), group.sources)
