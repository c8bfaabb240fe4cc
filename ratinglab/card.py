"""What a card is: the figures of one player. `ratinglab.cards` makes them, `reports.card_page` shows them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

YEAR_AGO, FIRST, FILED = "a year ago", "after the first tournament", "filed with the first entry"
WON, TIED, LOST = "won", "tied", "lost"

SEASONS = (
    "season", "events", "games", WON, TIED, LOST, "byes", "forfeits_won", "forfeits_lost", "unrated", "unknown",
    "rating", "deviation",
)  # fmt: skip
WAY = ("event", "name", "date", "games", "wins", "rating", "deviation")


@dataclass(frozen=True)
class Standing:
    """A rating at a time; `what` says which time, where it is not now. The deviation is nan where there is none."""

    rating: float
    deviation: float
    date: pd.Timestamp
    what: str = ""


@dataclass(frozen=True)
class Win:
    """A win against a rated opponent: what the opponent (of teams, the team) was rated before the event."""

    rating: float
    deviation: float
    own: float  # the player's (or the team's) own before the event; nan where unrated
    event: str
    date: pd.Timestamp
    round: int


@dataclass(frozen=True)
class Run:
    """Games in a row without a loss, in the order of events and rounds; names and last days of those events."""

    games: int
    ties: int
    first: str
    last: str
    since: pd.Timestamp
    until: pd.Timestamp


@dataclass(frozen=True)
class LastEvent:
    """The last event with a rated game: what was to be expected of it, and what came of it.

    `expected` (and `sd`, of chance alone) is nan where nothing was expected, for want of a rating before.
    """

    event: str
    date: pd.Timestamp
    section: str
    games: int
    wins: float
    expected: float
    sd: float
    before: float
    after: float


@dataclass(frozen=True)
class Place:
    """The section now, and the next one up: its name, the rating it begins at, and the reason of what is now.

    `next` is empty at the top; `needed` is nan where no rating leads there.
    """

    section: str
    reason: str
    next: str
    needed: float
    missing: float


@dataclass(frozen=True)
class Card:
    """What a card shows, as figures.

    `now` and `then` are missing of somebody without a rating; `then` is the rating of a year before, or the first
    one of who has played for less than that, or not since.
    `way` has a row for each event with a rated game (columns `WAY`), `seasons` one for each season (`SEASONS`):
    `unrated` are games won, tied or lost that do not count for ratings, `unknown` those of which no result is known.
    `lifetime` and `settled` are games: fewer than `settled` make a rating provisional (nan: no number was ever filed).
    """

    player: str
    name: str
    school: str | None
    grade: str | None
    as_of: pd.Timestamp
    system: str
    now: Standing | None
    then: Standing | None
    lifetime: float
    settled: float
    way: pd.DataFrame
    seasons: pd.DataFrame
    best: Win | None
    run: Run | None
    last: LastEvent | None
    undated: int
    not_counted: int
    of_teams: bool
    scores: bool  # whether its games have scores, so that equal is a tie, and else a draw
    place: Place | None = None

    @property
    def provisional(self) -> bool:
        """Whether there are too few games for a settled rating; who was filed without a number had enough."""
        return bool(self.lifetime < self.settled)

    @property
    def idle(self) -> bool:
        """Whether the last rated event lies a year or more before the card's date."""
        last = self.now.date if self.now is not None else pd.NaT
        return bool(len(self.way)) and bool(last <= self.as_of - pd.DateOffset(years=1))

    @property
    def typical(self) -> float:
        """Points by which one event moved the rating, up or down: the median; nan for fewer than three moves."""
        moves = self.way["rating"].diff().abs().dropna()
        return float(moves.median()) if len(moves) > 2 else np.nan

    @property
    def change(self) -> float:
        """Points from then to now; nan where one of them is missing."""
        return np.nan if self.now is None or self.then is None else self.now.rating - self.then.rating
