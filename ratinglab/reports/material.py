"""Everything the pages of one report show, computed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ratinglab.comparison.paired import differences
from ratinglab.comparison.subsets import game_subsets
from ratinglab.problems import Problem, UsageError
from ratinglab.reliability import reliability, spread_pit
from ratinglab.replaying import Replay, replay
from ratinglab.reports import analysis, html
from ratinglab.scheduling import Schedule, schedule
from ratinglab.scoring import event_sums
from ratinglab.seeding.drawing import first_round
from ratinglab.seeding.seeding import seed as make_seeding
from ratinglab.seeding.seeding import unplayed, without_withdrawn
from ratinglab.systems import parse
from ratinglab.systems.base import System

if TYPE_CHECKING:
    from ratinglab.history import History

TOP = 10  # players whose histories are drawn
DIFFERENCES = ("log_loss", "brier")  # metrics by which systems are told apart


@dataclass(frozen=True)
class Seeded:
    """One section of an event not yet played: its seeding, its first round, and who in it has an unrated member."""

    section: str
    table: pd.DataFrame
    draw: pd.DataFrame


@dataclass(frozen=True)
class Material:
    """One history, replayed through one system and compared with others."""

    history: History
    schedule: Schedule
    system: System
    main: str  # the system's label
    replays: Mapping[str, Replay]
    problems: tuple[Problem, ...]
    ratings: pd.DataFrame
    changes: pd.DataFrame
    segments: pd.DataFrame
    forecasts: pd.DataFrame
    events: pd.DataFrame
    pools: pd.DataFrame
    histories: pd.DataFrame
    scores: pd.DataFrame
    differences: pd.DataFrame
    reliability: Mapping[str, pd.DataFrame]
    pit: pd.DataFrame | None
    min_games: int
    seed: int
    seeded_event: str | None
    seeded: tuple[Seeded, ...]
    seeding_events: pd.DataFrame | None
    event_files: Mapping[str, str]  # event -> its page's address from the top

    @property
    def replay(self) -> Replay:
        """The replay that the ratings come from."""
        return self.replays[self.main]

    @property
    def has_deviation(self) -> bool:
        """Whether the system's ratings carry a ±."""
        return "deviation" in self.system.state_names

    def event_name(self, event: str) -> str:
        """What an event is called: its name, or its id where it has none."""
        return self._names[event]

    @cached_property
    def _names(self) -> dict[str, str]:
        return dict(zip(self.events["event"], self.events["name"].fillna(self.events["event"]), strict=True))


def side_by_side(system: System, compare: Sequence[str | System]) -> dict[str, System]:
    """The systems to be compared by their labels, each once, `system` first.

    Raises `UsageError` of a system that makes no forecasts, which a report holds against the results.
    """
    systems = {system.label: system}
    for other in compare:
        one = parse(other) if isinstance(other, str) else other
        systems.setdefault(one.label, one)
    for name, one in systems.items():
        if not one.has_forecast:
            other = "lists" if one.rates == "placings" else "replay"
            told = f"{name} does not say before a game how likely a win is"
            raise UsageError(f"a report holds forecasts against results, and {told}: see `ratinglab {other}`")
    return systems


def gather(
    history: History,
    *,
    systems: Mapping[str, System],
    start: str,
    min_games: int,
    seed: int,
    tell: Callable[[], None],
) -> Material:
    """Replay, score and seed: everything but the writing. Every system replays one and the same schedule.

    The first of the systems makes the ratings, with which the others are compared.

    `tell` is called after each replay.
    """
    from ratinglab.checking import check

    problems = check(history)
    history = without_withdrawn(history)
    prepared = schedule(history, start=start)
    if not len(prepared.whole.a):
        what = f"{len(history.events)} events without one" if len(history.events) else "no event in that time"
        raise UsageError(f"a report needs at least one rated game; found {what}")
    main = next(iter(systems))
    replays = {}
    for name, one in systems.items():
        replays[name] = replay(prepared, one, details=name == main)
        tell()

    own = replays[main]
    ratings, changes = own.ratings(), analysis.with_people(prepared, own.changes)
    events = analysis.events_table(prepared, changes)
    kept = {"all": np.ones(len(prepared.whole.a), dtype=bool)}
    settled = game_subsets(prepared, new_games=min_games).get(("experience", "settled"))
    if min_games and settled is not None:
        kept[f"both sides were settled ({min_games} lifetime games or more before the event)"] = settled
    sums = {name: event_sums(one, kept["all"], DIFFERENCES) for name, one in replays.items()}
    seeded_event = next(reversed(unplayed(history)), None)
    seeded = _seeded(own, seeded_event, seed) if seeded_event is not None else ()
    rated = events.loc[events["games"] > 0, "event"]
    return Material(
        history=history,
        schedule=prepared,
        system=own.system,
        main=main,
        replays=replays,
        problems=problems,
        ratings=ratings,
        changes=changes,
        segments=_split(own.segments),
        forecasts=own.forecasts,
        events=events,
        pools=analysis.pools(prepared, events),
        histories=analysis.rating_histories(own, list(ratings["player"].head(TOP))),
        scores=analysis.scores(replays, kept, seed),
        differences=differences(sums, main, DIFFERENCES, seed=seed),
        reliability={name: reliability(one, seed) for name, one in replays.items()},
        pit=spread_pit(own, seed) if own.system.has_spread else None,
        min_games=min_games,
        seed=seed,
        seeded_event=seeded_event,
        seeded=seeded,
        seeding_events=None if seeded_event is None else analysis.seeding_events(history, events, seeded_event),
        event_files={event: f"events/{name}.html" for event, name in html.slugs(rated).items()},
    )


def _split(segments: pd.DataFrame) -> pd.DataFrame:
    """Only the segments of events that were split; none where the system splits nothing."""
    if segments.empty or segments["segment"].max() < 2:
        return segments.iloc[:0]
    split = segments.groupby(["event", "section"])["segment"].transform("max") > 1
    return segments[split].reset_index(drop=True)


def _seeded(own: Replay, event: str, seed: int) -> tuple[Seeded, ...]:
    entries = own.schedule.history.entries
    sections = entries.loc[entries["event"] == event, "section"].drop_duplicates()
    made = []
    for section in sections:
        table = make_seeding(own, event, section=section, seed=seed)
        made.append(Seeded(section, table, first_round(table).draw))
    return tuple(made)
