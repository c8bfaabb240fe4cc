"""The Dip Pouch Tournament Rating: places at Diplomacy tournaments, whoever the opponents were.

Source: the World Diplomacy Database's page of the rating (Matt Shields, 2019), the description above the ranking. The
percentile score and the value of a tournament are `ratinglab.placings`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ratinglab.periods import Batch, Bools, Floats, Ints
from ratinglab.placings import FIRST_YEAR, MOST_VALUE, WORLDS_VALUE, percentile, tournament_value
from ratinglab.problems import UsageError
from ratinglab.scheduling import Schedule
from ratinglab.systems.base import Number, Part, State, System, Update, events_told
from ratinglab.systems.workings import Workings

# What an event's championship may be called to count as the World Championship: the title (or one of several, `;`
# between), whatever its case. A bare "yes" is of some championship, and is told.
WORLDS = frozenset({
    "world", "worlds", "wdc", "world championship", "world championships", "world diplomacy championship",
    "world diplomacy convention", "world dipcon",
})  # fmt: skip
_UNNAMED = frozenset({"yes", "y", "true", "1", "x", "championship"})


@dataclass(frozen=True)
class DipPouch(System):
    """R' = R + v/100·(s - R), with s = 100·(N + ½ - place)/N.

    initial: a newcomer's rating; worlds: the value v of the World Championship. That of any other event is
    N/one_round + base with one round, N/more_rounds + base with more, at most `cap`, and 0 before the year `cutoff`
    (of the event's last day). The event's `championship` says which are Worlds (`WORLDS`).

    N is what the event's header tells (`of` of the placings), never the number of rows. A place is not rated where N
    is not known, where it is not among 1 to N, or where the number of rounds is not known and the value depends on it;
    an event without a date comes last, and so after the cutoff. Players who tie have the best place of the tie.
    """

    name: ClassVar[str] = "dip-pouch"
    has_forecast: ClassVar[bool] = False
    rates: ClassVar[str] = "placings"
    detail_names: ClassVar[tuple[str, ...]] = ("percentile", "value")

    initial: Number = 40.0
    worlds: Number = WORLDS_VALUE
    cap: Number = MOST_VALUE
    one_round: Number = 7.0
    more_rounds: Number = 3.5
    base: Number = 2.0
    cutoff: Number = float(FIRST_YEAR)

    def validate(self) -> None:
        self.require(["one_round", "more_rounds"], "above 0", 0)
        self.require(["worlds", "cap", "base"], "0 or more", 0, strict=False)
        for name in ("worlds", "cap"):  # percent of a way: more would land beyond the score
            if np.any(np.asarray(self.value(name)) > 100):
                raise UsageError(f"{self.name}: {name} is at most 100 percent; found {getattr(self, name)}")

    def listed_from(self) -> int | None:
        """The year of the cutoff: Worlds before it are rated, and there are no lists of those years."""
        return int(np.max(self.value("cutoff")))

    def value_of_events(self, batch: Batch) -> Floats:
        """v of each entry's event, (entries, p), in percent; nan where it is not known."""
        rounds = np.where(batch.rounds > 0, batch.rounds, np.nan)[batch.entry_period, None]
        is_worlds = np.array([is_world_championship(name) for name in batch.championship], dtype=bool)
        worlds = is_worlds[batch.entry_period, None]
        value = tournament_value(
            batch.field[:, None],
            rounds,
            worlds,
            base=self.value("base"),
            one_round=self.value("one_round"),
            more_rounds=self.value("more_rounds"),
            most=self.value("cap"),
            of_worlds=self.value("worlds"),
        )
        year = batch.day.astype("datetime64[Y]").astype(np.int64) + 1970
        year = np.where(np.isnat(batch.day), np.iinfo(np.int64).max, year)
        early = year[batch.entry_period, None] < self.value("cutoff")
        return np.where(early & ~worlds, 0.0, value)

    def usable(self, batch: Batch) -> Bools:
        """Which entries have a place that can be scored: 1 to N with N known, (entries,)."""
        with np.errstate(invalid="ignore"):
            return (batch.place >= 1) & (batch.place <= batch.field)

    def rated(self, batch: Batch) -> Ints:
        """1 for each entry whose place moves the rating: with a score, at an event with a value."""
        with np.errstate(invalid="ignore"):
            valued = (self.value_of_events(batch) > 0).any(axis=1)
        return (self.usable(batch) & valued).astype(np.int64)

    def notices(self, schedule: Schedule) -> list[str]:
        whole = schedule.whole
        ids = schedule.history.events["event"].to_numpy()[schedule.event]
        placed = whole.placed > 0
        undated = np.isnat(whole.day)[whole.entry_period]
        bare = np.array([name.strip().casefold() in _UNNAMED for name in whole.championship], dtype=bool)
        found = (
            *((f"not rated, {why}", entries) for why, entries in self._unrated(whole)),
            ("without a date, rated last and as after the cutoff", placed & undated),
            ("a championship that is not named, taken as not the Worlds", placed & bare[whole.entry_period]),
        )
        out = [f"{self.name}: nothing is rated, no event has places"] if len(placed) and not placed.any() else []
        for what, entries in found:
            if entries.any():
                out.append(f"{self.name}: {what}: {events_told(ids[whole.entry_period[entries]])}")
        return out

    def _unrated(self, batch: Batch) -> list[tuple[str, Bools]]:
        """Why a place is not rated, and of which entries (entries,) that is true."""
        placed, usable, counted = batch.placed > 0, self.usable(batch), ~np.isnan(batch.field)
        return [
            ("the number of players is not known", placed & ~counted),
            ("a place that is not among 1 to the number of players", placed & counted & ~usable),
            ("the number of rounds is not known", usable & np.isnan(self.value_of_events(batch)).any(axis=1)),
        ]

    def update(self, state: State, batch: Batch, workings: Workings | None = None) -> Update:
        before = state["rating"]
        usable = self.usable(batch)[:, None]
        value = np.where(usable, self.value_of_events(batch), np.nan)
        score = np.where(usable, percentile(batch.place, np.where(usable[:, 0], batch.field, np.nan))[:, None], np.nan)
        rated = ~np.isnan(value)
        points = np.where(rated, value / 100 * (score - before), 0.0)
        after = {"rating": before + points}
        detail: State = {"percentile": score, "value": value}
        if workings is not None:
            rounds: Any = np.where(batch.rounds > 0, batch.rounds, np.nan)[batch.entry_period]
            workings.inputs(batch, N=batch.field, place=batch.place, s=score, v=value, rounds=rounds)
            workings.rule(
                batch,
                "placing",
                points,
                "the rating moves by v percent of the way from where it stood to the percentile score s: v/100·(s - R)",
                rated.any(axis=1),
            )
            for why, entries in self._unrated(batch):
                if entries.any():
                    workings.rule(batch, "not rated", np.zeros_like(points), why, entries)
        return Update(after, [Part(batch.played, batch.wins, state, after, detail)])


def is_world_championship(championship: str) -> bool:
    """Whether one of the titles filed with an event (`;` between) is that of the World Championship.

    >>> [is_world_championship(title) for title in ("World", "WDC; DipCon", "European", "yes", "")]
    [True, True, False, False, False]
    """
    return any(title.strip().casefold() in WORLDS for title in championship.split(";"))
