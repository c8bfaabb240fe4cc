"""Rating systems by name, and how a command line names one: `naspa`, `glixo:tau=100`, `naspa:acceleration=0`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ratinglab.problems import UsageError
from ratinglab.systems.aus import Aus
from ratinglab.systems.base import Forecast, Part, State, System, Update, is_word
from ratinglab.systems.bradley_terry import BradleyTerry
from ratinglab.systems.coco import Coco
from ratinglab.systems.dip_pouch import DipPouch
from ratinglab.systems.elo import Elo
from ratinglab.systems.elo_margin import EloMargin
from ratinglab.systems.evanston import Evanston
from ratinglab.systems.fide import Fide
from ratinglab.systems.glicko import Glicko
from ratinglab.systems.glicko2 import Glicko2
from ratinglab.systems.glixo import Glixo
from ratinglab.systems.naspa import VARIANTS, Naspa, Nsa
from ratinglab.systems.stephenson import Stephenson
from ratinglab.systems.uscf import Uscf
from ratinglab.systems.wespa import Wespa

_ALL: tuple[type[System], ...] = (
    Glixo, Coco, Naspa, Nsa, Elo, DipPouch, Fide, Wespa, Aus, BradleyTerry, EloMargin, Glicko, Glicko2, Stephenson,
    Uscf, Evanston,
)  # fmt: skip
SYSTEMS: dict[str, type[System]] = {system.name: system for system in _ALL}
# names under which a system is asked for with some parameters set
PRESETS: dict[str, tuple[type[System], dict[str, Any]]] = {
    variant: (Naspa, {"variant": variant}) for variant in VARIANTS if variant != "nsa"
}

__all__ = [
    "PRESETS", "SYSTEMS", "Aus", "BradleyTerry", "Coco", "DipPouch", "Elo", "EloMargin", "Evanston", "Fide",
    "Forecast", "Glicko", "Glicko2", "Glixo", "Naspa", "Nsa", "Part", "State", "Stephenson", "System", "Update", "Uscf",
    "Wespa", "make", "parse", "parse_several", "settings",
]  # fmt: skip

_SWITCH = {word: word in ("1", "true", "yes", "on") for word in ("1", "true", "yes", "on", "0", "false", "no", "off")}


def make(name: str, settings: Mapping[str, str] | None = None) -> System:
    """The system called `name` with parameters set from text, as `--set key=value` gives them.

    Raises `UsageError` for an unknown name, parameter or value, naming the known ones.

    >>> make("glixo", {"tau": "100"}).tau
    100.0
    """
    if name in PRESETS:
        kind, given = PRESETS[name]
    elif name in SYSTEMS:
        kind, given = SYSTEMS[name], {}
    else:
        raise UsageError(f"no system {name}; the systems are: {', '.join([*SYSTEMS, *PRESETS])}")
    known = {f.name: f for f in dataclasses.fields(kind)}
    values = dict(given)
    for key, text in (settings or {}).items():
        if key not in known:
            raise UsageError(f"{name} has no parameter {key}; its parameters are: {', '.join(known)}")
        values[key] = _value(kind, known[key], text)
    return kind(**values)


def parse(text: str) -> System:
    """The system that `name` or `name:key=value,key=value` names.

    >>> parse("naspa:acceleration=0,variant=nsa2008").parameters()["acceleration"]
    0.0
    """
    name, _, rest = text.partition(":")
    return make(name.strip(), settings(rest.split(",")) if rest.strip() else None)


def parse_several(text: str) -> list[System]:
    """The systems of a list with commas; a `key=value` belongs to the system before it.

    >>> [(system.name, system.value("k")) for system in parse_several("elo:k=1,scale=400,elo")]
    [('elo', 1.0), ('elo', 20.0)]
    """
    parts: list[str] = []
    for piece in text.split(","):
        if parts and "=" in piece and ":" not in piece.partition("=")[0]:
            parts[-1] += f",{piece}"
        else:
            parts.append(piece)
    return [parse(part) for part in parts]


def settings(texts: list[str]) -> dict[str, str]:
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


def _value(kind: type[System], parameter: dataclasses.Field[Any], text: str) -> Any:
    """A parameter's value from text, after the kind of its default."""
    key, default = parameter.name, parameter.default
    if isinstance(default, bool):
        if text.casefold() not in _SWITCH:
            raise UsageError(f"{kind.name}: {key} is on or off; found {text}")
        return _SWITCH[text.casefold()]
    if key in kind.vector_parameters() and any(c.isdigit() for c in text):
        return tuple(_number(kind, key, part) for part in text.split(";"))
    if isinstance(default, str):
        try:
            return text if is_word(parameter) else float(text)
        except ValueError:
            return text  # the system says which words it knows
    return _number(kind, key, text)


def _number(kind: type[System], key: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{kind.name}: {key} is a number; found {text}") from None
