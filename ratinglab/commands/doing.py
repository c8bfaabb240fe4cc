"""What commands do alike: reading what is asked for, choosing a system, telling problems."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ratinglab.problems import ERROR, Problem

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.replaying import Replay
    from ratinglab.systems import System


def load(options: argparse.Namespace) -> History:
    """The history that is asked for, within its dates; says what they leave out."""
    from ratinglab.formats import load

    history = load(*options.paths, format=options.format)
    since, until = getattr(options, "since", None), getattr(options, "until", None)
    if since is None and until is None:
        return history
    within = history.between(since, until)
    undated = int(history.events["end_date"].isna().sum())
    if undated:
        print(f"ratinglab: {undated} events without a date are left out", file=sys.stderr)
    if not len(within.events):
        print("ratinglab: no event ends within these dates", file=sys.stderr)
    return within


def chosen(options: argparse.Namespace) -> System:
    """The system that --system and --set ask for."""
    from ratinglab.systems import parse, settings

    text = options.system
    if options.set:
        settings(options.set)  # says what is wrong with a setting before it is joined to the others
        text += ("," if ":" in text else ":") + ",".join(options.set)
    return parse(text)


def tell(problems: Iterable[Problem]) -> None:
    """Print problems on standard error, in order, each once."""
    for problem in sorted(set(problems)):
        print(problem, file=sys.stderr)


def tell_of_history(history: History, result: Replay) -> None:
    """Errors in full, warnings as a number, and what the system has to say of this history."""
    from ratinglab.checking import check

    problems = check(history)
    errors = [problem for problem in problems if problem.severity == ERROR]
    tell(errors)
    warnings = len(problems) - len(errors)
    if warnings:
        print(f"ratinglab: {warnings} warnings; `ratinglab check` lists them", file=sys.stderr)
    tell_notices(result)


def tell_notices(result: Replay) -> None:
    """Print on standard error what the system has to say of how it took the history."""
    for notice in result.system.notices(result.schedule):
        print(f"ratinglab: {notice}", file=sys.stderr)
