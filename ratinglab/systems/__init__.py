"""Rating systems by name, and how a command line names one: `naspa`, `glixo:tau=100`, `naspa:acceleration=0`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ratinglab import choosing
from ratinglab.choosing import named, number, settings, several, switch
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


def make(name: str, settings: Mapping[str, str] | None = None) -> System:
    """The system called `name` with parameters set from text, as `--set key=value` gives them.

    Raises `UsageError` for an unknown name, parameter or value, naming the known ones.

    >>> make("glixo", {"tau": "100"}).tau
    100.0
    """
    return choosing.make("system", "parameter", name, settings or {}, SYSTEMS, PRESETS, _value)


def parse(text: str) -> System:
    """The system that `name` or `name:key=value,key=value` names.

    >>> parse("naspa:acceleration=0,variant=nsa2008").parameters()["acceleration"]
    0.0
    """
    return make(*named(text))


def parse_several(text: str) -> list[System]:
    """The systems of a list with commas; a `key=value` belongs to the system before it.

    >>> [(system.name, system.value("k")) for system in parse_several("elo:k=1,scale=400,elo")]
    [('elo', 1.0), ('elo', 20.0)]
    """
    return [parse(part) for part in several(text)]


def _value(kind: type[System], parameter: dataclasses.Field[Any], text: str) -> Any:
    """A parameter's value from text, after the kind of its default."""
    key, default = parameter.name, parameter.default
    if isinstance(default, bool):
        return switch(kind.name, key, text)
    if key in kind.vector_parameters() and any(c.isdigit() for c in text):
        return tuple(number(kind.name, key, part) for part in text.split(";"))
    if isinstance(default, str):
        try:
            return text if is_word(parameter) else float(text)
        except ValueError:
            return text  # the system says which words it knows
    return number(kind.name, key, text)
