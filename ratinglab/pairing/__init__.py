"""Pairing systems by name, and how a command line names one: `cnsc`, `evanston:floater=up`, `cnsc:both_ends=1`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ratinglab import choosing
from ratinglab.choosing import named, number, several, switch
from ratinglab.pairing.base import Pairing, Round, told
from ratinglab.pairing.cnsc import Cnsc
from ratinglab.pairing.dutch import Dutch
from ratinglab.pairing.evanston import Evanston
from ratinglab.pairing.minimum import Matching
from ratinglab.pairing.nssc import Nssc
from ratinglab.pairing.randomly import Random
from ratinglab.pairing.round_robin import RoundRobin
from ratinglab.pairing.standing import NO_TEAM, NOBODY, Field, Standing
from ratinglab.pairing.swiss import KingOfTheHill, Swiss
from ratinglab.problems import UsageError

_ALL: tuple[type[Pairing], ...] = (Cnsc, Evanston, Nssc, Random, Swiss, KingOfTheHill, RoundRobin, Matching, Dutch)
PAIRINGS: dict[str, type[Pairing]] = {pairing.name: pairing for pairing in _ALL}
# names under which a pairing system is asked for with some options set
PRESETS: dict[str, tuple[type[Pairing], dict[str, Any]]] = {
    "cnsc-wapnick": (Cnsc, {"repeats": "14:0;18:1", "apart": "always"}),
    "cnsc-boys": (Cnsc, {"apart": "unless-clinched"}),
}

__all__ = [
    "NOBODY", "NO_TEAM", "PAIRINGS", "PRESETS", "Cnsc", "Dutch", "Evanston", "Field", "KingOfTheHill", "Matching",
    "Nssc", "Pairing", "Random", "Round", "RoundRobin", "Standing", "Swiss", "make", "parse", "parse_several", "told",
]  # fmt: skip


def make(name: str, settings: Mapping[str, str] | None = None) -> Pairing:
    """The pairing system called `name` with options set from text, as `--set key=value` gives them.

    Raises `UsageError` for an unknown name, option or value, naming the known ones.

    >>> make("swiss", {"pairs": "adjacent"}).pairs
    'adjacent'
    """
    return choosing.make(
        "pairing system",
        "option",
        name,
        settings or {},
        PAIRINGS,
        PRESETS,
        lambda kind, field, text: _value(name, field, text),
    )


def parse(text: str) -> Pairing:
    """The pairing system that `name` or `name:key=value,key=value` names.

    >>> parse("cnsc:both_ends=1,strength=spread").both_ends
    True
    """
    return make(*named(text))


def parse_several(text: str) -> list[Pairing]:
    """The pairing systems of a list with commas; a `key=value` belongs to the one before it.

    >>> [pairing.name for pairing in parse_several("cnsc:both_ends=1,strength=spread,random")]
    ['cnsc', 'random']
    """
    return [parse(part) for part in several(text)]


def _value(name: str, option: dataclasses.Field[Any], text: str) -> Any:
    """An option's value from text, after the kind of its default."""
    if isinstance(option.default, bool):
        return switch(name, option.name, text)
    if isinstance(option.default, str):
        return text
    value = number(name, option.name, text)
    if isinstance(option.default, int):
        if value != int(value):
            raise UsageError(f"{name}: {option.name} is a whole number; found {text}")
        return int(value)
    return value
