"""The level of ratings over time: of the pool, of a fixed cohort; how far ratings move; how many are rated.

Each function takes a replay of one system, with its details, and returns a table (docs/tables.md). What happens over
time is told at the ends of quarters, half-years or years and at the day of the last rated event; events without a date
have no place there. A player is **rated** with a rating and a rated game (or place) up to the day, **active** with such
a game within two years before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ratinglab.periods import Bools, Floats, Ints, tally
from ratinglab.problems import UsageError
from ratinglab.resampling import RESAMPLES, event_draws, interval, standard_error
from ratinglab.tables import iso_day, require_single

if TYPE_CHECKING:
    from ratinglab.replaying import Replay

ACTIVE_DAYS = 730
SETTLED_GAMES, SETTLED_PLACES = 50.0, 5.0  # from which a player counts as settled, whatever the system
PERCENTILES = {"p10": 10, "p25": 25, "median": 50, "p75": 75, "p90": 90}
# the months in which each ends, and up to how many years of history it is chosen for
_EVERY = {"quarter": ((3, 6, 9, 12), 3.0), "half-year": ((6, 12), 8.0), "year": ((12,), np.inf)}
_NEVER = np.datetime64("NaT", "D")
Days = npt.NDArray[np.datetime64]


def levels(replay: Replay, *, every: str | None = None, active_days: int = ACTIVE_DAYS) -> pd.DataFrame:
    """The active rated players at each date: how many, their ratings, and why the mean changed since the date before.

    `every`: quarter, half-year or year; without it the length of the history decides (up to 3 and 8 years).

    The change of the mean is told in three parts that add up to it. Every player of today came with a rating: that of
    the date before, or, of a newcomer, the first (from before the first game, or the one that the first event gave).
    `gained`: what these players have gained since, on average: points that the formula made, or below 0 lost.
    `entries`: how far the ratings with which today's players came lie above those of the players who stayed.
    `exits`: how far the players who stayed lay above the whole pool at the date before. Where nobody stayed, `entries`
    holds both. `stayed_gain`, `newcomer_first` and `newcomer_gain` are means a head: what those who stayed gained, what
    newcomers came with, and what these gained since. Who was inactive and is back counts as `returned`.

    Raises `UsageError` for another word, and for a history without a rated event that has a date.
    """
    course = _course(replay, "levels of ratings over time")
    rows, last = [], None
    for day in course.dates(every):
        now = course.pool(day, active_days)
        row: dict[str, Any] = {"date": day, **_spread(now.rating[now.active])}
        rows.append(row | _change(course, last, now))
        last = now
    whole = dict.fromkeys(("stayed", "newcomers", "returned", "left"), "Int64")
    return pd.DataFrame(rows).astype({"date": "datetime64[us]", **whole})


def cohort(
    replay: Replay,
    *,
    every: str | None = None,
    since: str | None = None,
    settled: float | None = None,
    active_days: int = ACTIVE_DAYS,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> pd.DataFrame:
    """The mean rating of the same settled players over time, from `since` on, with its standard error.

    In it is who on the day `since` (an ISO date; without it the first date after a quarter of the history) is active
    and has at least `settled` lifetime games (50; of a system of places 5 places in this history), is still active on
    the last date, and is rated on every date between. Who was filed with a rating and no number of lifetime games is
    taken to have had enough.

    Standard errors, and `low` to `high`, the 95 % interval of the `change` since the first date, are of drawing
    **players** anew, each with the whole course: ratings that an event has moved too far come back at the next ones,
    so drawing events would tear apart what belongs together. They are those of a mean of players chosen by chance, so a
    level that is the same for all by construction has them too. No row where nobody is in the cohort.

    Raises `UsageError` as `levels`, and for a day that is no date.
    """
    course = _course(replay, "a cohort over time")
    dates = course.dates(every)
    begin = iso_day(since).to_numpy().astype("datetime64[D]") if since else dates[dates >= course.day_at(0.25)][0]
    dates = np.unique(np.append(dates[dates > begin], begin))
    pools = [course.pool(day, active_days) for day in dates]
    enough = settled if settled is not None else course.settled
    inside = pools[0].active & (pools[0].experience >= enough) & pools[-1].active
    for pool in pools:
        inside &= ~np.isnan(pool.rating)
    people = int(inside.sum())
    if not people:
        dates, pools = dates[:0], []
    rating = np.stack([pool.rating[inside] for pool in pools], axis=1) if pools else np.zeros((0, 0))
    drawn = event_draws(people, seed, resamples) @ rating / max(1, people)
    mean, moved = rating.mean(axis=0) if people else np.zeros(0), drawn - drawn[:, :1]
    ends = [interval(moved[:, k]) for k in range(len(dates))]
    return pd.DataFrame(
        {
            "date": dates.astype("datetime64[us]"),
            "players": np.full(len(dates), people),
            "mean": mean,
            "mean_se": [standard_error(drawn[:, k]) for k in range(len(dates))],
            "change": mean - mean[:1],
            "change_se": [standard_error(moved[:, k]) for k in range(len(dates))],
            "low": np.array([low for low, _ in ends], dtype=float),
            "high": np.array([high for _, high in ends], dtype=float),
        }
    )


def rated_players(replay: Replay, *, every: str | None = None, active_days: int = ACTIVE_DAYS) -> pd.DataFrame:
    """How many players are rated at each date, how many of them active, and how many of either provisional.

    Provisional: fewer lifetime games than the system calls settled; a system of places has no such columns. Raises
    `UsageError` as `levels`.
    """
    course = _course(replay, "numbers of rated players over time")
    of_games = replay.system.rates == "games"
    rows = []
    for day in course.dates(every):
        now = course.pool(day, active_days)
        row = {"date": day, "rated": int(now.rated.sum()), "active": int(now.active.sum())}
        if of_games:
            provisional = now.rated & (now.experience < replay.system.settled_games)
            row |= {"provisional": int(provisional.sum()), "active_provisional": int((provisional & now.active).sum())}
        rows.append(row)
    return pd.DataFrame(rows).astype({"date": "datetime64[us]"})


def volatility(replay: Replay, *, seed: int = 0, resamples: int = RESAMPLES) -> pd.DataFrame:
    """How far an event moves a rating, of all, of settled players, and by lifetime games before the event.

    `mean_change`, `sd` (around that mean) and `mean_abs` are of the changes at one event, in rating points;
    `mean_abs_per_game` is the sum of the absolute changes by that of the games. Events in which the rating was the
    first one (nothing before it) have no change and are left out. `_se` from resampling events.
    """
    moves = _moves(replay)
    event_names, event = np.unique(moves.event, return_inverse=True)
    draws = event_draws(len(event_names), seed, resamples)
    rows = []
    for label, chosen in _experience(moves).items():
        sums = np.stack([tally(event[chosen], of[chosen], len(event_names)) for of in _terms(moves)])  # (sums, events)
        figures, resampled = _figures(sums.sum(axis=1)), _figures(sums @ draws.T)
        row: dict[str, Any] = {
            "experience": label,
            "players": len(np.unique(moves.person[chosen])),
            "events": int((sums[0] > 0).sum()),
            "entries": int(chosen.sum()),
            **({"games": int(moves.results[chosen].sum())} if moves.of_games else {}),
        }
        for name, value in figures.items():
            if moves.of_games or name != "mean_abs_per_game":
                row |= {name: float(value), f"{name}_se": standard_error(resampled[name])}
        rows.append(row)
    return pd.DataFrame(rows)


def player_volatility(replay: Replay) -> pd.DataFrame:
    """As `volatility`, a row for each player with a change, by name; `lifetime`: games by now (nan: not known)."""
    moves = _moves(replay)
    people, person = np.unique(moves.person, return_inverse=True)
    figures = _figures(np.stack([tally(person, of, len(people)) for of in _terms(moves)]))
    last = np.zeros(len(people), dtype=np.int64)
    last[person] = np.arange(len(person))  # rows are in time order, so the last one stays
    unit = "games" if moves.of_games else "places"
    table = {
        "player": moves.names[people],
        "events": np.bincount(person, minlength=len(people)),
        unit: tally(person, moves.results, len(people)).astype(np.int64),
        **({"lifetime": (moves.experience + moves.results)[last]} if moves.of_games else {}),
        **{name: values for name, values in figures.items() if moves.of_games or name != "mean_abs_per_game"},
    }
    return pd.DataFrame(table).sort_values("player", kind="stable", ignore_index=True)


# --- over time -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pool:
    """Everybody at one day, (people,): `row` of the course that says so (-1: none yet), and who counts as what."""

    row: Ints
    rating: Floats  # nan: not rated
    experience: Floats
    rated: Bools
    active: Bools


@dataclass(frozen=True)
class _Course:
    """All entries at events with a date, by person and then in time: arrays (rows,)."""

    begins: Ints  # (people + 1,) where each person's rows begin
    person: Ints
    end: Days  # the event's last day
    came: Floats  # the rating before the event, or, of somebody without one, after it
    after: Floats
    experience: Floats  # lifetime games after it (of a system of places: places in this history)
    rated: Bools  # with a rated result
    last_rated: Days  # day of the last rated result up to here
    settled: float

    def dates(self, every: str | None) -> Days:
        """The ends of the periods from the first rated event on, and the day of the last one."""
        played = self.end[self.rated]
        first, last = played.min(), played.max()
        if every is None:
            years = (last - first).astype(int) / 365.25
            every = next(word for word, (_, most) in _EVERY.items() if years <= most)
        if every not in _EVERY:
            raise UsageError(f"every must be one of {', '.join(_EVERY)}; found {every}")
        following = np.arange(first.astype("datetime64[M]"), last.astype("datetime64[M]") + 1) + 1
        ends = following.astype("datetime64[D]") - 1
        month = (following - 1).astype(int) % 12 + 1
        return np.append(ends[np.isin(month, _EVERY[every][0]) & (ends < last)], last)

    def day_at(self, share: float) -> np.datetime64:
        """The day by which a share of the time from the first to the last rated event has passed."""
        played = self.end[self.rated]
        day: np.datetime64 = played.min() + np.timedelta64(int(share * (played.max() - played.min()).astype(int)), "D")
        return day

    def pool(self, day: np.datetime64, active_days: int) -> _Pool:
        """Everybody after the last event on or before `day`."""
        people = len(self.begins) - 1
        until = np.bincount(self.person[self.end <= day], minlength=people)
        row = np.where(until > 0, self.begins[:-1] + until - 1, -1)
        seen = row >= 0
        rating = np.where(seen, self.after[row], np.nan)
        last = np.where(seen, self.last_rated[row], _NEVER)
        rated = ~np.isnan(rating) & ~np.isnat(last)
        active = rated & ~(day - last > np.timedelta64(active_days, "D"))
        return _Pool(row, np.where(rated, rating, np.nan), np.where(seen, self.experience[row], 0.0), rated, active)

    def came_with(self, last: _Pool, now: _Pool) -> Floats:
        """The rating with which each comes to the day of `now`: that of `last`, else the first one since."""
        since = np.arange(len(self.person)) > last.row[self.person]
        until = np.arange(len(self.person)) <= now.row[self.person]
        given = np.flatnonzero(since & until & self.rated & ~np.isnan(self.came))[::-1]
        first = now.rating.copy()
        first[self.person[given]] = self.came[given]  # backwards, so the earliest stays
        return np.where(last.rated, last.rating, first)


def _course(replay: Replay, what: str) -> _Course:
    require_single(replay, details=True)
    schedule = replay.schedule
    whole = schedule.whole
    if not schedule.chained:
        raise UsageError(f"{what} need a replay from event to event; here each event was rated on its own")
    end = schedule.history.events["end_date"].to_numpy().astype("datetime64[D]")[schedule.event_of_entry()]
    if not np.any((replay.rated > 0) & ~np.isnat(end)):
        raise UsageError(f"{what} need dates; found no rated event with a date")
    dated = np.flatnonzero(~np.isnat(end))
    order = dated[np.lexsort((whole.entry_period[dated], whole.person[dated]))]
    of_person = whole.person[order]
    _, person = np.unique(of_person, return_inverse=True)
    begins = np.append(np.flatnonzero(np.diff(person, prepend=-1)), len(person))
    rated = replay.rated[order] > 0
    # the last row with a rated result up to each row, if it is the same person's
    latest = np.maximum.accumulate(np.where(rated, np.arange(len(order)), -1))
    known = latest >= begins[person]
    before, after = replay.before["rating"][order, 0], replay.after["rating"][order, 0]
    of_games = replay.system.rates == "games"
    return _Course(
        begins=begins,
        person=person,
        end=end[order],
        came=np.where(np.isnan(before), after, before),
        after=after,
        experience=(_results_before(replay, np.inf) + replay.rated)[order],
        rated=rated,
        last_rated=np.where(known, end[order][latest], _NEVER),
        settled=SETTLED_GAMES if of_games else SETTLED_PLACES,
    )


def _results_before(replay: Replay, unknown: float) -> Floats:
    """Lifetime games before each entry (`unknown` where none were filed); of a system of places, earlier places."""
    if replay.system.rates == "games":
        return replay.schedule.whole.lifetime_games(unknown)[:, 0]
    return replay.schedule.games_before.astype(float)


def _spread(rating: Floats) -> dict[str, Any]:
    """How many, their mean, percentiles and standard deviation (rating points)."""
    some = rating if len(rating) else np.array([np.nan])
    row: dict[str, Any] = {"players": len(rating), "mean": float(some.mean())}
    row |= {name: float(np.percentile(some, share)) for name, share in PERCENTILES.items()}
    return row | {"sd": float(some.std(ddof=1)) if len(some) > 1 else np.nan}


def _change(course: _Course, last: _Pool | None, now: _Pool) -> dict[str, Any]:
    """The change of the pool's mean between two dates and its parts, as `levels` tells them."""
    parts = dict.fromkeys(("change", "gained", "entries", "exits"), np.nan)
    heads = dict.fromkeys(("stayed_gain", "newcomer_first", "newcomer_gain"), np.nan)
    if last is None:
        return parts | dict.fromkeys(("stayed", "newcomers", "returned", "left")) | heads
    stayed, new = now.active & last.active, now.active & ~last.rated
    back, left = now.active & last.rated & ~last.active, last.active & ~now.active
    counts = {"stayed": stayed.sum(), "newcomers": new.sum(), "returned": back.sum(), "left": left.sum()}
    came = course.came_with(last, now)
    gain = now.rating - came
    if now.active.any() and last.active.any():
        before = float(last.rating[last.active].mean())
        of_stayed = float(last.rating[stayed].mean()) if stayed.any() else before
        parts["change"] = float(now.rating[now.active].mean()) - before
        parts["gained"] = float(gain[now.active].mean())
        parts["entries"] = float(came[now.active].mean()) - of_stayed
        parts["exits"] = of_stayed - before
    if stayed.any():
        heads["stayed_gain"] = float(gain[stayed].mean())
    if new.any():
        heads |= {"newcomer_first": float(came[new].mean()), "newcomer_gain": float(gain[new].mean())}
    return parts | {name: int(count) for name, count in counts.items()} | heads


# --- at events -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Moves:
    """Every change of a rating at an event (all its sections together), in time order: arrays (moves,)."""

    person: Ints
    event: Ints
    change: Floats
    results: Floats  # rated games, or places
    experience: Floats  # lifetime games before (of places: earlier places); nan: not known
    names: npt.NDArray[np.object_]  # of people
    of_games: bool


def _moves(replay: Replay) -> _Moves:
    require_single(replay, details=True)
    schedule = replay.schedule
    whole = schedule.whole
    change = replay.after["rating"][:, 0] - replay.before["rating"][:, 0]
    rows = np.flatnonzero((replay.rated > 0) & ~np.isnan(change))
    rows = rows[np.lexsort((whole.entry_period[rows], whole.person[rows]))]
    event = schedule.event_of_entry()
    new = (np.diff(whole.person[rows], prepend=-1) != 0) | (np.diff(event[rows], prepend=-1) != 0)
    move, first = np.cumsum(new) - 1, rows[new]
    people = int(whole.person.max(initial=-1)) + 1
    names = np.empty(people, dtype=object)
    names[whole.person] = schedule.history.entries["player"].to_numpy()[schedule.entry_row]
    made = {"change": change[rows], "results": replay.rated[rows].astype(float)}
    sums = {name: tally(move, values, len(first)) for name, values in made.items()}
    in_time = np.argsort(event[first], kind="stable")
    return _Moves(
        person=whole.person[first][in_time],
        event=event[first][in_time],
        **{name: values[in_time] for name, values in sums.items()},
        experience=_results_before(replay, np.nan)[first][in_time],
        names=names,
        of_games=replay.system.rates == "games",
    )


def _experience(moves: _Moves) -> Mapping[str, Bools]:
    """Which moves are of which class of experience, by the label it is told as."""
    word, limits = ("games", (10, 50, 200)) if moves.of_games else ("places", (1, 5, 20))
    settled = SETTLED_GAMES if moves.of_games else SETTLED_PLACES
    known = moves.experience
    out = {"all": np.ones(len(known), dtype=bool), "settled": ~(known < settled)}
    for low, high in zip((0, *limits), (*limits, np.inf), strict=True):
        out[_class_label(low, high, word)] = (known >= low) & (known < high)
    if np.isnan(known).any():
        out[f"{word} not known"] = np.isnan(known)
    return out


def _class_label(low: float, high: float, word: str) -> str:
    if np.isinf(high):
        return f"{low:g} {word} or more"
    if high - low == 1:
        return f"{'no' if not low else format(low, 'g')} {word}"
    return f"{low:g} to {high - 1:g} {word}"


def _terms(moves: _Moves) -> Sequence[Floats]:
    """What the figures of volatility are made of: number, change, its square, its size, results."""
    return (np.ones(len(moves.change)), moves.change, moves.change**2, np.abs(moves.change), moves.results)


def _figures(sums: Floats) -> dict[str, Floats]:
    """The figures of volatility from the sums of `_terms` (5, …); nan where there is too little."""
    number, total, squares, sizes, results = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / number
        variance = np.where(number > 1, np.maximum(0, squares - total * mean) / (number - 1), np.nan)
        return {
            "mean_change": mean,
            "sd": np.sqrt(variance),
            "mean_abs": sizes / number,
            "mean_abs_per_game": sizes / results,
        }
