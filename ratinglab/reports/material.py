"""Everything the pages of one report show, computed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from ratinglab.seeding.seeding import unplayed, without_withdrawn
from ratinglab.systems import parse
from ratinglab.systems.base import System

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.privacy import Protected

TOP = 10  # players whose histories are drawn
DIFFERENCES = ("log_loss", "brier")  # metrics by which systems are told apart


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
    seeded_event: str | None  # the last that is an entry list and no more
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
    protected: Protected | None = None,
) -> Material:
    """Replay and score: every system replays one and the same schedule.

    The first of the systems makes the ratings, with which the others are compared. With `protected`, whose history this
    is, a public set's tables say no more of protected people than they may.

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
    rated = events.loc[events["games"] > 0, "event"]
    drawn = ratings["player"] if protected is None else protected.drop(ratings, "player")["player"]
    made = Material(
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
        histories=analysis.rating_histories(own, list(drawn.head(TOP))),
        scores=analysis.scores(replays, kept, seed),
        differences=differences(sums, main, DIFFERENCES, seed=seed),
        reliability={name: reliability(one, seed) for name, one in replays.items()},
        pit=spread_pit(own, seed) if own.system.has_spread else None,
        min_games=min_games,
        seed=seed,
        seeded_event=seeded_event,
        event_files={event: f"events/{name}.html" for event, name in html.slugs(rated).items()},
    )
    return made if protected is None or not protected.public else _for_the_public(made, protected)


def _for_the_public(m: Material, protected: Protected) -> Material:
    """Without what may not be said of protected people: their games and events, and figures over few people."""
    changes = protected.drop(m.changes, "player")
    entries = m.history.entries
    entered = {str(event): set(people) for event, people in entries.groupby("event")["player"]}
    events = m.events
    for word in ("rise", "fall"):
        shut = ~protected.is_open(events[f"{word}_player"].fillna(""))
        events = events.assign(**{name: events[name].mask(shut) for name in (word, f"{word}_player")})
    events = protected.withhold(events, [entered.get(event, set()) for event in events["event"]], ["mean_change"])
    pool_of = m.events["pool"].fillna(analysis.NO_POOL)
    by_pool = dict(zip(m.events["event"], pool_of, strict=True))
    people = {str(pool): set(of) for pool, of in entries.groupby(entries["event"].map(by_pool))["player"]}
    everybody = set(entries["player"])
    figures = ["people", "events", "rated", "games"]
    behind = [people.get(pool, everybody) for pool in m.pools["pool"]]
    pools = protected.withhold(m.pools, behind, figures, total=list(m.pools["pool"] == "all"))
    open_events = set(changes["event"])
    return replace(
        m,
        problems=(),
        ratings=protected.blank(m.ratings, "games", "events", "provisional", "active", "peak", "last_event"),
        changes=changes,
        segments=protected.drop(m.segments, "player") if len(m.segments) else m.segments,
        forecasts=protected.drop(m.forecasts),
        events=events.drop(columns="withheld", errors="ignore"),
        pools=pools.drop(columns="withheld", errors="ignore"),
        event_files={event: file for event, file in m.event_files.items() if event in open_events},
    )


def _split(segments: pd.DataFrame) -> pd.DataFrame:
    """Only the segments of events that were split; none where the system splits nothing."""
    if segments.empty or segments["segment"].max() < 2:
        return segments.iloc[:0]
    split = segments.groupby(["event", "section"])["segment"].transform("max") > 1
    return segments[split].reset_index(drop=True)
