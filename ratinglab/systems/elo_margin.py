"""Elo with the margin of victory: a larger win moves more, the favourite's less, and seasons draw ratings to the mean.

Source: the ratings of American football teams published by FiveThirtyEight ("NFL Elo ratings"), from 1920 on. What
becomes of a team that missed a season is established from its published figures: of eleven that came back, seven start
where one reversion to `returning` for each season start between leaves them, to the last printed digit (the others are
three that had merged for a war year, and one founded anew).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ratinglab.periods import Batch, Floats, take
from ratinglab.problems import UsageError
from ratinglab.scheduling import Schedule
from ratinglab.systems.base import Number, Part, State, Update
from ratinglab.systems.elo import Elo
from ratinglab.systems.workings import Workings

UNKNOWN_MARGINS = ("least", "unrated")
# The multiplier's fraction is EASE/(LEAD_SHARE·d + EASE): a favourite's large win counts less than an outsider's.
EASE = 2.2
LEAD_SHARE = 0.001
# The fraction has no bound as the winner's lead nears -2,200; no published game comes near. It is held from here on.
LOWEST_LEAD = -2000.0


@dataclass(frozen=True)
class EloMargin(Elo):
    """R' = R + K·m·(s - E), m = ln(max(|margin|, 1) + 1)·2.2/(0.001·d + 2.2), d the winner's lead before the game.

    E is Elo's, with the advantage; d has the advantage in it too, and counts as -2,000 where it is below; for a tie
    2.2 stands for the whole fraction, as the published figures have it.

    k, scale, initial, advantage: as of Elo. Where nobody is known to go first (neutral ground) there is no advantage.
    reversion: the share of the way to `mean` that a rating goes at the start of each season; of somebody who missed a
    season altogether, to `returning`, once for each season start between; season_month: the month with which a season
    begins (7: July), 0: there are no seasons. Between events of the same day, or without dates, no season starts.
    unknown_margin: a game whose scores are not known counts as won by the `least`, 1 point, or is `unrated`.
    """

    name: ClassVar[str] = "elo-margin"
    in_points: ClassVar[tuple[str, ...]] = ()  # the multiplier's own points are built in
    time_says: ClassVar[Mapping[str, str]] = {
        "rating": "a new season takes {reversion:.4g} of the way to {mean:g} (to {returning:g} after a season missed)"
    }

    scale: Number = 400.0
    initial: Number = 1505.0
    advantage: Number = 65.0
    reversion: Number = 1 / 3
    mean: Number = 1505.0
    returning: Number = 1300.0
    season_month: Number = 7.0
    unknown_margin: str = "least"

    def validate(self) -> None:
        super().validate()
        for name, values, meaning in (
            ("reversion", np.asarray(self.value("reversion")), "a share from 0 to 1"),
            ("season_month", np.asarray(self.value("season_month")) / 12, "a month from 1 to 12, or 0 for no seasons"),
        ):
            if np.any((values < 0) | (values > 1)):
                raise UsageError(f"{self.name}: {name} is {meaning}; found {getattr(self, name)}")
        if np.any(np.asarray(self.value("season_month")) % 1):
            raise UsageError(f"{self.name}: season_month is a whole number; found {self.season_month}")
        if self.unknown_margin not in UNKNOWN_MARGINS:
            known = ", ".join(UNKNOWN_MARGINS)
            raise UsageError(f"{self.name}: unknown_margin must be one of {known}; found {self.unknown_margin}")

    def notices(self, schedule: Schedule) -> list[str]:
        unknown = int(np.isnan(schedule.whole.spread).sum())
        if not unknown:
            return []
        taken = "rated as won by 1 point, the least" if self.unknown_margin == "least" else "forecast, but not rated"
        return [f"{self.name}: {unknown} games have no known margin: {taken}"]

    def age(self, state: State, batch: Batch) -> State:
        begun = batch.remembered(("seasons begun", self.season_month), lambda: self._seasons_begun(batch))
        if not begun.any():
            return state
        rating = state["rating"]
        target = np.where(begun > 1, self.value("returning"), self.value("mean"))
        reverted = target + (1 - self.value("reversion")) ** begun * (rating - target)
        return state | {"rating": np.where(begun > 0, reverted, rating)}

    def _seasons_begun(self, batch: Batch) -> Floats:
        """How many seasons have begun since each entry's person last played, (entries, 1 or p)."""
        month: Any = self.value("season_month")
        day, idle = batch.day[batch.entry_period], batch.idle_days
        waited = (idle > 0) & ~np.isnat(day)
        day = np.where(waited, day, np.datetime64("1970-01-01"))
        last = day - np.where(waited, idle, 0).astype("timedelta64[D]")
        now, then = ((d.astype("datetime64[M]").astype(np.int64)[:, None] - (month - 1)) // 12 for d in (day, last))
        begun: Floats = np.where(np.asarray(month) > 0, now - then, 0.0)
        return begun

    def update(self, state: State, batch: Batch, workings: Workings | None = None) -> Update:
        lines, results = batch.lines, batch.line_results
        units = take(self.strength(state, batch)["rating"], lines.opponent)
        difference = take(state["rating"], lines.entry) - units
        expected = self.expected(difference, batch.line_first)
        lead = difference + self.value("advantage") * batch.line_first[:, None]
        winners = np.maximum(np.where(results > 0.5, lead, -lead), LOWEST_LEAD)
        size = batch.remembered(("margins", self.unknown_margin), lambda: self._sizes(batch))
        multiplier = size[lines.game] * np.where(results == 0.5, EASE, EASE / (LEAD_SHARE * winners + EASE))
        k = self.value("k")
        points = k * multiplier * (results - expected)
        base = batch.sum_lines(points)
        after = {"rating": state["rating"] + base}
        if workings is not None:
            workings.inputs(batch, K=k)
            workings.games(batch, opponent_rating=units, expected=expected, multiplier=multiplier, points=points)
        return Update(after, [Part(batch.played, batch.wins, state, after, {"base": base})])

    def _sizes(self, batch: Batch) -> Floats:
        """ln(max(|margin|, 1) + 1) of each game, (games, 1); 0 for one that is not rated."""
        margin = np.abs(batch.spread)
        unknown = np.log(2) if self.unknown_margin == "least" else 0.0
        size: Floats = np.where(np.isnan(margin), unknown, np.log(np.fmax(margin, 1) + 1))
        return size[:, None]
