"""Sections of a tournament by name, and how a command line names rules: `evanston`, `divisions:sizes=24:24:*`."""

from __future__ import annotations

import dataclasses
from typing import Any

from ratinglab import choosing
from ratinglab.choosing import named, number, switch
from ratinglab.sections.base import Placed, Rules
from ratinglab.sections.championship import Championship
from ratinglab.sections.divisions import Divisions
from ratinglab.sections.evanston import Evanston

__all__ = ["RULES", "Championship", "Divisions", "Evanston", "Placed", "Rules", "parse"]

RULES: dict[str, type[Rules]] = {rules.name: rules for rules in (Evanston, Championship, Divisions)}


def parse(text: str) -> Rules:
    """The rules that `name` or `name:option=value,option=value` names; `UsageError` naming the known ones.

    >>> parse("evanston:co_winners=no").co_winners
    False
    """
    name, settings = named(text)
    return choosing.make("set of rules", "option", name, settings, RULES, {}, _value)


def _value(kind: type[Rules], option: dataclasses.Field[Any], text: str) -> Any:
    if isinstance(option.default, bool):
        return switch(kind.name, option.name, text)
    if isinstance(option.default, str):
        return text
    value = number(kind.name, option.name, text)
    return int(value) if isinstance(option.default, int) and value == int(value) else value
