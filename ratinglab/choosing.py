"""How a command line names something with options: `naspa`, `glixo:tau=100`, `cnsc:both_ends=1,strength=spread`.

What the names stand for, and which options there are, is said by the registries that use this.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ratinglab.problems import UsageError

_SWITCH = {word: word in ("1", "true", "yes", "on") for word in ("1", "true", "yes", "on", "0", "false", "no", "off")}


def named(text: str) -> tuple[str, dict[str, str]]:
    """The name and the settings of `name` or `name:key=value,key=value`.

    >>> named("glixo: tau=100")
    ('glixo', {'tau': '100'})
    """
    name, _, rest = text.partition(":")
    return name.strip(), settings(rest.split(",")) if rest.strip() else {}


def several(text: str) -> list[str]:
    """The parts of a list with commas; a `key=value` belongs to the name before it.

    >>> several("elo:k=1,scale=400,elo")
    ['elo:k=1,scale=400', 'elo']
    """
    parts: list[str] = []
    for piece in text.split(","):
        if parts and "=" in piece and ":" not in piece.partition("=")[0]:
            parts[-1] += f",{piece}"
        else:
            parts.append(piece)
    return parts


def settings(texts: Iterable[str]) -> dict[str, str]:
    """`key=value` texts as a mapping; `UsageError` for one without `=`, or a key given twice."""
    out: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"expected key=value; found {text}")
        if key.strip() in out:
            raise UsageError(f"{key.strip()} is given twice: {out[key.strip()]} and {value.strip()}")
        out[key.strip()] = value.strip()
    return out


Made = TypeVar("Made")


def make(
    what: str,
    option: str,
    name: str,
    settings: Mapping[str, str],
    kinds: Mapping[str, type[Made]],
    presets: Mapping[str, tuple[type[Made], Mapping[str, Any]]],
    value: Callable[[type[Made], Any, str], Any],
) -> Made:
    """What `name` stands for, a dataclass of `kinds` or a preset of some fields, with fields set from text.

    `value(kind, field, text)` is a field's value. `what` and `option` are what messages call these things and their
    fields. Raises `UsageError` for an unknown name or field, naming the known ones.
    """
    if name in presets:
        kind, given = presets[name]
    elif name in kinds:
        kind, given = kinds[name], {}
    else:
        raise UsageError(f"no {what} {name}; the {what}s are: {', '.join([*kinds, *presets])}")
    known: dict[str, Any] = {f.name: f for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    values = dict(given)
    for key, text in settings.items():
        if key not in known:
            raise UsageError(f"{name} has no {option} {key}; its {option}s are: {', '.join(known)}")
        values[key] = value(kind, known[key], text)
    return kind(**values)


def switch(name: str, key: str, text: str) -> bool:
    """Whether an option of `name` is on; `UsageError` for a text that says neither."""
    if text.casefold() not in _SWITCH:
        raise UsageError(f"{name}: {key} is on or off; found {text}")
    return _SWITCH[text.casefold()]


def number(name: str, key: str, text: str) -> float:
    """An option's number; `UsageError` where it is none."""
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{name}: {key} is a number; found {text}") from None
