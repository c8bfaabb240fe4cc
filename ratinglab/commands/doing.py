"""What commands do alike: reading what is asked for, choosing a system, telling problems."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from ratinglab.problems import ERROR, InputError, Problem, UsageError
from ratinglab.terminal import many

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.privacy import Rule
    from ratinglab.reports.publication import Kinds
    from ratinglab.scheduling import Schedule
    from ratinglab.seeding import choice as choices
    from ratinglab.seeding.entry_lists import Entered
    from ratinglab.systems import System
    from ratinglab.tasks import Workers


class Taken(Protocol):
    """What a system made of a history: a replay, or something that rests on one."""

    @property
    def system(self) -> System: ...

    @property
    def schedule(self) -> Schedule: ...


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
        without = "event without a date is" if undated == 1 else "events without a date are"
        print(f"ratinglab: {undated} {without} left out", file=sys.stderr)
    if not len(within.events):
        print("ratinglab: no event ends within these dates", file=sys.stderr)
    return within


def load_results(options: argparse.Namespace) -> History:
    """As `load`; raises `InputError` where the files hold errors and, for them, not one game or place."""
    history = load(options)
    if not len(history.games) and not len(history.placings) and any(p.severity == ERROR for p in history.problems):
        raise InputError(list(history.problems))
    return history


def entry_list(options: argparse.Namespace) -> Entered:
    """The event that is asked for with its entries, and the results before it; tells what is odd in both.

    Raises `UsageError` where neither a list nor a history is given.
    """
    from ratinglab.formats import load
    from ratinglab.seeding.entry_lists import entered

    if not options.paths and options.entries is None:
        raise UsageError("nobody is entered: give --entries FILE, or PATH with an event not yet played")
    history = load(*options.paths, format=options.format) if options.paths else None
    found = entered(
        history,
        options.event,
        entries=options.entries,
        format=None if options.paths else options.format,
        date=options.date,
        since=options.since,
        until=options.until,
    )
    if history is not None:
        tell_of_errors(history)
    tell(found.problems)
    for notice in found.notices:
        print(f"ratinglab: {notice}", file=sys.stderr)
    return found


def choice(options: argparse.Namespace, established: int | None = None) -> choices.Rule:
    """The rule between ratings that --choose asks for: by default the replay, or without results the local one."""
    from ratinglab.seeding.choice import ESTABLISHED, Rule

    default = "replay" if options.paths else "local"
    return Rule(options.choose or default, ESTABLISHED if established is None else established)


def one_event(history: History, asked: str | None) -> str:
    """The event that is asked for, or the only one; raises `UsageError` naming those there are."""
    if asked is not None:
        history.require([asked])
        return asked
    events = list(history.events["event"])
    if len(events) != 1:
        raise UsageError(f"--event names one of: {', '.join(events) or 'none'}")
    return str(events[0])


def chosen(options: argparse.Namespace) -> System:
    """The system that --system and --set ask for."""
    from ratinglab.systems import parse, settings

    text = options.system
    if options.set:
        settings(options.set)  # says what is wrong with a setting before it is joined to the others
        text += ("," if ":" in text else ":") + ",".join(options.set)
    return parse(text)


def workers(options: argparse.Namespace) -> Workers:
    """Who runs the tasks, as --workers and --scheduler ask."""
    from ratinglab.tasks import Workers

    return Workers(options.workers, options.scheduler)


def kinds(options: argparse.Namespace) -> Kinds:
    """The forms that --kinds and --bom ask for; raises `UsageError` where one is unknown or cannot be made here.

    Where nothing is asked for, pages come as PDF too if the machine can make them; standard error says if not.
    """
    from ratinglab.reports import pdf
    from ratinglab.reports.publication import KINDS, Kinds

    if options.kinds is None:
        lacking = pdf.lacking()
        if lacking:
            print(f"ratinglab: no PDF is written: {lacking}", file=sys.stderr)
        return Kinds(tuple(kind for kind in KINDS if kind != "pdf" or not lacking), options.bom)
    asked = [kind.strip() for kind in options.kinds.split(",")]
    unknown = [kind or "nothing" for kind in asked if kind not in KINDS]
    if unknown:
        raise UsageError(f"--kinds names some of {', '.join(KINDS)}; found {', '.join(unknown)}")
    made = Kinds(tuple(asked), options.bom)
    if "pdf" in made.forms and (lacking := pdf.lacking()):
        rest = ",".join(kind for kind in made.forms if kind != "pdf") or "html"
        raise UsageError(f"{lacking}; or leave PDF out: --kinds {rest}")
    return made


def privacy(options: argparse.Namespace) -> Rule:
    """For whom it is made, as --privacy, --names and --key ask; raises `UsageError` where they do not go together."""
    from ratinglab.privacy import Rule

    if options.privacy != "public" and (options.names or options.key):
        asked = "--names" if options.names else "--key"
        raise UsageError(f"{asked} is for --privacy public; a set for the committee names everybody")
    key = b""
    if options.key:
        try:
            key = options.key.read_bytes().strip()
        except OSError as error:
            raise UsageError(f"--key names a file with the committee's secret key: {error.strerror}") from error
        if not key:
            raise UsageError("--key names a file with the committee's secret key; the file is empty")
    return Rule(options.privacy, options.names or "team", key)


def tell(problems: Iterable[Problem]) -> None:
    """Print problems on standard error, in order, each once."""
    for problem in sorted(set(problems)):
        print(problem, file=sys.stderr)


def tell_of_history(history: History, result: Taken) -> None:
    """Errors in full, warnings as a number, and what the system has to say of this history."""
    tell_of_errors(history)
    tell_notices(result)


def tell_of_errors(history: History) -> None:
    """Errors in full, and warnings as a number."""
    from ratinglab.checking import check

    problems = check(history)
    errors = [problem for problem in problems if problem.severity == ERROR]
    tell(errors)
    warnings = len(problems) - len(errors)
    if warnings:
        told = "it" if warnings == 1 else "them"
        print(f"ratinglab: {many(warnings, 'warning')}; `ratinglab check` lists {told}", file=sys.stderr)


def tell_notices(result: Taken) -> None:
    """Print on standard error what the system has to say of how it took the history."""
    for notice in result.system.notices(result.schedule):
        print(f"ratinglab: {notice}", file=sys.stderr)
