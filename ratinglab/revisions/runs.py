"""What differs between two runs as their manifests tell it: system, parameters, options, inputs, versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

SYSTEM, PARAMETER, OPTION, SEED = "system", "parameter", "option", "seed"
COMMAND, INPUT, VERSION = "command", "input", "version"
COLUMNS = ("kind", "what", "old", "new")

# What a manifest says that is told apart by name, or follows from the rest.
_TOLD = ("command", "files", "inputs", "system", "parameters", "seed", "versions", "ratinglab", "kinds", "bom")
_LISTING = frozenset(("as_of", "min_games", "from", "until", "since"))  # say which events or players, not how
LOOKS = frozenset(("title", "contact", "compare", "why", "workers", "scheduler", "pairing", "name", "nation"))


class Made(NamedTuple):
    """How much is known of whether two runs were made alike, as far as that moves ratings."""

    known: bool  # both have a manifest
    system: bool  # another system: its points are not those of the other
    settings: bool  # another system, parameter or way of starting
    listing: bool  # other events or players were asked for
    versions: bool


def differences(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> pd.DataFrame:
    """One row for each thing that the two manifests say differently: kind, what, old, new (empty: not there).

    Of an input that was read in both runs and holds something else, `old` and `new` are the first digits of its
    SHA-256. Inputs have the names by which the runs read them. Without both manifests there is nothing to tell.
    """
    rows = [] if old is None or new is None else list(_rows(old, new))
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype="str")


def made_alike(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> Made:
    """Whether the two runs were asked for the same; nothing differs where it is not known."""
    found = differences(old, new)
    settings = found["kind"].isin((SYSTEM, PARAMETER)) | ((found["kind"] == OPTION) & ~_harmless(found["what"]))
    return Made(
        old is not None and new is not None,
        bool((found["kind"] == SYSTEM).any()),
        bool(settings.any()),
        bool(((found["kind"] == OPTION) & found["what"].isin(_LISTING)).any()),
        bool((found["kind"] == VERSION).any()),
    )


def _harmless(options: pd.Series) -> pd.Series:
    return options.isin(_LISTING | LOOKS)


def _rows(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    for kind, name in ((COMMAND, "command"), (SYSTEM, "system"), (SEED, "seed")):
        if old.get(name) != new.get(name):
            yield kind, name, _shown(old.get(name)), _shown(new.get(name))
    same_system = old.get("system") == new.get("system")
    if same_system:  # parameters of two systems are not one another's
        yield from _each(PARAMETER, _mapping(old, "parameters"), _mapping(new, "parameters"))
    if old.get("command") == new.get("command"):
        yield from _each(OPTION, _options(old), _options(new))
    yield from _each(INPUT, *_alike_named(_inputs(old), _inputs(new)))
    versions = [{"ratinglab": one.get("ratinglab"), **_mapping(one, "versions")} for one in (old, new)]
    makers = {"xlsxwriter", "weasyprint", "matplotlib"}  # of pages and pictures, not of figures
    yield from _each(VERSION, *({name: v for name, v in one.items() if name not in makers} for one in versions))


def _each(kind: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    for name in dict.fromkeys([*old, *new]):
        one, other = _shown(old.get(name)), _shown(new.get(name))
        if one != other:
            yield kind, name, one, other


def _mapping(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = record.get(name)
    return value if isinstance(value, Mapping) else {}


def _options(record: Mapping[str, Any]) -> dict[str, Any]:
    """What was asked for, whether the manifest has it under `options` or beside the rest."""
    beside = {name: value for name, value in record.items() if name not in _TOLD and not isinstance(value, Mapping)}
    return {**beside, **_mapping(record, "options")}


def _inputs(record: Mapping[str, Any]) -> dict[str, str]:
    """The first digits of each input's hash by its name; of several inputs of one name, all."""
    made: dict[str, str] = {}
    listed = record.get("inputs")
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, Mapping):
            name, digits = str(one.get("name", "")), str(one.get("sha256", ""))[:12]
            made[name] = f"{made[name]} {digits}" if name in made else digits
    return made


def _alike_named(old: dict[str, str], new: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The inputs, those of one run alone by their names within the folder given: a copy of it has another name."""
    shared = old.keys() & new.keys()
    short = [{name: name.partition("/")[2] or name for name in one if name not in shared} for one in (old, new)]
    alike = set(short[0].values()) & set(short[1].values()) - shared
    unclear = {tail for one in short for tail in alike if list(one.values()).count(tail) > 1}
    named = [
        {(tails[name] if tails.get(name) in alike - unclear else name): digits for name, digits in one.items()}
        for one, tails in zip((old, new), short, strict=True)
    ]
    return named[0], named[1]


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return ";".join(map(_shown, value)) if isinstance(value, list) else str(value)
