"""`config.tsh`: which divisions an event has, and the few settings a history keeps.

The file is Perl in spirit; nothing in it is ever evaluated. Numbers, quoted strings, lists and hashes of them are read
by the small parser below, for the settings that are wanted; every other line is none of our business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from ratinglab import dates
from ratinglab.decode import known_encoding
from ratinglab.formats.common import EXPECTED_SYSTEM, KNOWN_SYSTEMS, Faults, caps

WANTED = frozenset(
    ("event_name", "event_date", "max_rounds", "rating_system", "spread_cap", "all_byes_tie", "bye_spread",
     "tfile_encoding")
)  # fmt: skip

_DIVISION = re.compile(r"\s*division\s+(\S+)\s+(.+?)\s*$", re.IGNORECASE)
_CONFIG = re.compile(r"\s*config\s+(\w+)\s*(?:\{\s*(?:'([^']*)'|\"([^\"]*)\"|([^'\"{}\s]+))\s*\})?\s*(.*)$", re.DOTALL)
_TELLING = re.compile(
    r"(?:^|[\r\n])[ \t]*(?:division[ \t]+\S+[ \t]+\S+[ \t]*(?=[#\r\n]|$)"
    r"|config[ \t]+\w+[ \t]*(?:\{[^}\r\n]*\}[ \t]*)?=)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?![\w.])", re.ASCII)
_WORD = re.compile(r"[A-Za-z_]\w*(?=\s*=>)")
_SPACE = re.compile(r"\s*(?:#[^\n]*)?")
_DEEPEST = 8


@dataclass(frozen=True)
class Division:
    """A `division` line: the name, the file as written, where it stands."""

    name: str
    file: str
    line: int


@dataclass
class Config:
    """What was read of a configuration; keys of `by_division` are division names in lower case."""

    divisions: list[Division] = field(default_factory=list)
    event: dict[str, Any] = field(default_factory=dict)
    by_division: dict[str, dict[str, Any]] = field(default_factory=dict)
    lines: dict[tuple[str, str | None], int] = field(default_factory=dict)  # of each setting (key, division), the last

    @property
    def name(self) -> str | None:
        """What the event is called."""
        return self.event.get("event_name")

    @property
    def dates(self) -> tuple[date, date] | None:
        """Its first and last day."""
        return self.event.get("event_date")

    @property
    def encoding(self) -> str | None:
        """The encoding the division files are said to be in."""
        return self.event.get("tfile_encoding")


def is_config(text: str) -> bool:
    """Whether a text has lines that only a configuration has."""
    return _TELLING.search(text) is not None


def parse(lines: Iterable[tuple[int, str]], faults: Faults) -> Config:
    """The configuration in these numbered lines; what is malformed goes to `faults`."""
    config = Config()
    for number, line in lines:
        word = line.split(maxsplit=1)[0].casefold()
        if word == "division":
            _division(config, number, line, faults)
        elif word == "config":
            _setting(config, number, line, faults)
    _per_division_known(config, faults)
    return config


def _division(config: Config, number: int, line: str, faults: Faults) -> None:
    found = _DIVISION.match(line)
    if not found:
        faults.error(number, "division NAME FILE", line.strip())
        return
    name, file = found[1], found[2].split("#")[0].strip().strip("\"'")
    earlier = next((d for d in config.divisions if d.name.casefold() == name.casefold()), None)
    if earlier:
        faults.error(number, f"each division once (division {name} is on line {earlier.line})", line.strip())
    elif not file or file.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", file):
        faults.error(number, "a file named from the folder of the configuration", repr(file))
    else:
        config.divisions.append(Division(name, file, number))


def _setting(config: Config, number: int, line: str, faults: Faults) -> None:
    found = _CONFIG.match(line)
    if not found or found[1] not in WANTED:
        return
    key = found[1]
    division = next((part for part in found.group(2, 3, 4) if part is not None), None)
    written = found[5].strip()
    try:
        if not written.startswith("="):
            raise ValueError(f"config {key} = VALUE")
        value = literal(written[1:])
    except ValueError as error:
        faults.error(number, str(error), line.strip())
        return
    if division is None and isinstance(value, dict):
        for name, part in value.items():
            _store(config, number, key, part, str(name), faults)
    else:
        _store(config, number, key, value, division, faults)


def _store(config: Config, number: int, key: str, value: Any, division: str | None, faults: Faults) -> None:
    shown = f"{key} = {value!r}"

    def put(value: Any, division: str | None = division) -> None:
        _put(config, key, value, division, number, faults)

    if key == "event_name":
        put(" ".join(str(value).split()) or None, None)
    elif key == "event_date":
        days = dates.span(str(value))
        if days is None:
            faults.error(number, dates.EXPECTED, shown)
        put(days, None)
    elif key == "max_rounds":
        if re.fullmatch(r"0*[1-9]\d{0,3}", str(value).strip(), re.ASCII):
            put(int(value))
        else:
            faults.error(number, "max_rounds: the number of rounds", shown)
    elif key == "spread_cap":
        capped = caps(value if isinstance(value, list) else [value])
        if capped is None:
            faults.error(number, "spread_cap: a number, or a list of numbers by round", shown)
        else:
            put(capped)
    elif isinstance(value, list | dict):
        faults.error(number, f"{key}: one value", shown)
    else:
        value = str(value).strip()
        if key == "rating_system" and value.casefold() not in KNOWN_SYSTEMS:
            faults.warning(number, EXPECTED_SYSTEM, repr(value))
        if key == "tfile_encoding" and known_encoding(value) is None:
            faults.error(number, "tfile_encoding: a known encoding such as utf-8 or isolatin1", repr(value))
        else:
            put(value)


def _put(config: Config, key: str, value: Any, division: str | None, number: int, faults: Faults) -> None:
    """Keep a setting: of two for one thing the last holds, as in the software."""
    name = division.casefold() if division is not None else None
    settings = config.event if name is None else config.by_division.setdefault(name, {"line": number})
    if key in settings and settings[key] != value:
        of = key if division is None else f"{key} of {division}"
        found = f"another than on line {config.lines[key, name]}; the last holds"
        faults.warning(number, f"one value of {of}", found)
    settings[key] = value
    config.lines[key, name] = number


def _per_division_known(config: Config, faults: Faults) -> None:
    known = {division.name.casefold() for division in config.divisions}
    for name, settings in config.by_division.items():
        if name not in known:
            names = ", ".join(division.name for division in config.divisions) or "none"
            faults.warning(settings["line"], f"a division of this event ({names})", repr(name))


def literal(text: str) -> Any:
    """A number, quoted string, list or hash of these; raises `ValueError` with what was expected.

    >>> literal("[200, 'x', {A => 7}];")
    [200, 'x', {'A': 7}]
    """
    value, at = _value(text, _skip(text, 0), 0)
    at = _skip(text, at)
    if text[at : at + 1] == ";":
        at = _skip(text, at + 1)
    if at < len(text):
        raise ValueError("a number, quoted string, list or hash, and nothing after it")
    return value


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    sign = text[at : at + 1]
    if depth > _DEEPEST:
        raise ValueError("a list that is not nested so deep")
    if sign in ("'", '"') and sign:
        return _string(text, at)
    if sign in ("[", "("):
        return _items(text, at, "]" if sign == "[" else ")", depth)
    if sign == "{":
        flat, after = _items(text, at, "}", depth)
        if len(flat) % 2 or not all(isinstance(key, str | int | float) for key in flat[::2]):
            raise ValueError("a hash of keys and values")
        return dict(zip(flat[::2], flat[1::2], strict=True)), after
    for pattern in (_WORD, _NUMBER):
        found = pattern.match(text, at)
        if found:
            word = found[0]
            if pattern is _WORD:
                return word, found.end()
            return (float(word) if "." in word else int(word)), found.end()
    raise ValueError("a number, quoted string, list or hash")


def _string(text: str, at: int) -> tuple[str, int]:
    quote = text[at]
    letters: list[str] = []
    at += 1
    while at < len(text):
        sign = text[at]
        if sign == quote:
            return "".join(letters), at + 1
        # in single quotes Perl's backslash escapes only itself and the quote
        if sign == "\\" and at + 1 < len(text) and (quote == '"' or text[at + 1] in "\\'"):
            at += 1
            sign = text[at]
            sign = {"n": " ", "t": " "}.get(sign, sign) if quote == '"' else sign
        letters.append(sign)
        at += 1
    raise ValueError(f"a string that ends with {quote}")


def _items(text: str, at: int, end: str, depth: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    at = _skip(text, at + 1)
    while text[at : at + 1] != end:
        value, at = _value(text, at, depth + 1)
        items.append(value)
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text.startswith("=>", at):
            at = _skip(text, at + 2)
        elif text[at : at + 1] != end:
            raise ValueError(f'a list that ends with "{end}"')
    return items, at + 1
