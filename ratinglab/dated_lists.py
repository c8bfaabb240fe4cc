"""Rating lists by date: those that a history has, or those that a replay makes up to each date, and who is on them.

No list sees an event after its date. Lists by year and nation, for publication, are `ratinglab.lists`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ratinglab.problems import UsageError
from ratinglab.replaying import replay
from ratinglab.scheduling import schedule
from ratinglab.systems import parse
from ratinglab.tables import iso_day

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.periods import Ints
    from ratinglab.replaying import Progress
    from ratinglab.scheduling import Schedule
    from ratinglab.systems import System

_PEOPLE = ("name", "games", "window_games", "events", "window_events", "last_event", "provisional")
_NOBODY = pd.DataFrame(columns=list(_PEOPLE), index=pd.Index([], name="player", dtype="str"))


@dataclass(frozen=True)
class DatedLists:
    """Rating lists up to a last date, and what is known of the people on them.

    lists: player, list_date, rating, deviation, one row for a player and list, the earlier lists too (for ties).
    people, by player: name, games and events (lifetime, and within the window), last_event, provisional; inf games:
    enough, how many was never filed; missing: not known. `label` says whose lists they are.
    """

    lists: pd.DataFrame
    people: pd.DataFrame
    label: str


def monthly(since: str, until: str) -> list[str]:
    """A date every month from the first to the last, both included; ends of months where the first is one.

    >>> monthly("2012-06-30", "2012-09-15")
    ['2012-06-30', '2012-07-31', '2012-08-31', '2012-09-15']
    """
    first, last = iso_day(since), iso_day(until)
    days: list[pd.Timestamp] = []
    while True:
        day = first + pd.DateOffset(months=len(days))
        day = day + pd.offsets.MonthEnd(0) if first.is_month_end else day
        if day >= last:
            return [f"{one:%Y-%m-%d}" for one in [*days, last]]
        days.append(day)


def listed(history: History, kind: str, since: str, until: str, dates: Sequence[str] | None = None) -> DatedLists:
    """The history's rating lists of a kind up to a last date; from `since` on only those of `dates`.

    Raises `UsageError` for a kind of which there is no list, a date without one, no list within the window, or a player
    twice on a list.
    """
    lists = history.rating_lists.dropna(subset=["player", "list_date", "rating"])
    known = sorted(set(lists["kind"].dropna()))
    lists = lists[lists["kind"].fillna("").str.casefold() == kind.casefold()]
    if lists.empty:
        raise UsageError(f"no rating list of kind {kind}; the kinds are: {', '.join(known) or 'none'}")
    days = sorted(set(lists["list_date"]))
    asked = None if dates is None else [iso_day(one) for one in dates]
    unknown = [f"{one:%Y-%m-%d}" for one in asked or [] if one not in days]
    if unknown:
        told = ", ".join(f"{one:%Y-%m-%d}" for one in days)
        raise UsageError(f"no {kind} list of {', '.join(unknown)}; the lists are of: {told}")
    first, last = iso_day(since), iso_day(until)
    lists = lists[
        (lists["list_date"] <= last) & ((lists["list_date"] < first) | lists["list_date"].isin(asked or days))
    ]
    if not (lists["list_date"] >= first).any():
        told = f"they are of {days[0]:%Y-%m-%d} to {days[-1]:%Y-%m-%d}"
        raise UsageError(f"no {kind} list from {since} to {until}; {told}")
    twice = lists.loc[lists.duplicated(["player", "list_date"]), ["player", "list_date"]].drop_duplicates()
    if len(twice):
        told = "; ".join(f"{one.player} on {one.list_date:%Y-%m-%d}" for one in twice.itertuples())
        raise UsageError(f"each player once on a {kind} list; found twice: {told}")
    within = history.between(None, until)
    people = _NOBODY
    if len(within.entries):
        prepared = schedule(within)
        people = _people(prepared, prepared.whole.played, first)
    kept = lists[["player", "list_date", "rating", "deviation"]].reset_index(drop=True)
    return DatedLists(kept, people, f"{kind} lists")


def replayed(
    history: History,
    system: System | str,
    since: str,
    until: str,
    dates: Sequence[str] | None = None,
    *,
    start: str = "filed",
    progress: Progress | None = None,
) -> DatedLists:
    """Lists as of each of `dates` (by default every month of the window), made by a replay of the events up to them.

    Raises `UsageError` where a date lies outside the window, or nobody is rated by the last one.
    """
    system = parse(system) if isinstance(system, str) else system
    asked = sorted(set(monthly(since, until) if dates is None else dates))
    outside = [day for day in asked if not since <= day <= until]
    if outside:
        raise UsageError(f"lists are from {since} to {until}; found {', '.join(outside)}")
    whole = replay(history.between(None, asked[-1]), system, start=start, progress=progress)
    made = []
    for day in asked:
        result = replay(history.between(None, day), system, start=start) if system.looks_back else whole
        made.append(result.ratings(as_of=day).rename(columns={"as_of": "list_date"}))
    columns = ["player", "list_date", "rating", "deviation"]
    lists = pd.concat(made, ignore_index=True).reindex(columns=columns)
    if lists.empty:
        raise UsageError(f"nobody has a rated result by {asked[-1]}")
    return DatedLists(
        lists, _people(whole.schedule, whole.rated, iso_day(since), whole.system), f"lists by {system.label}"
    )


def _people(prepared: Schedule, rated: Ints, first: pd.Timestamp, system: System | None = None) -> pd.DataFrame:
    """What is known of everybody entered up to the last date; the window begins on the day `first`."""
    history, whole = prepared.history, prepared.whole
    event = prepared.event_of_entry()
    end = pd.Series(history.events["end_date"].to_numpy()[event])
    inside = (end >= first).to_numpy()
    frame = pd.DataFrame(
        {
            "player": history.entries["player"].to_numpy()[prepared.entry_row],
            "period": whole.entry_period,
            "event": event,
            "lifetime": whole.lifetime_games(np.inf)[:, 0] + rated,
            "window_games": np.where(inside, rated, 0),
            "rated_event": np.where(rated > 0, event, -1),
            "window_event": np.where((rated > 0) & inside, event, -1),
            "last_event": end.where(rated > 0),
        }
    ).sort_values("period", kind="stable")
    by = frame.groupby("player", sort=False)
    table = by.agg(games=("lifetime", "last"), window_games=("window_games", "sum"), last_event=("last_event", "max"))
    for column, source in (("events", "rated_event"), ("window_events", "window_event")):
        counted = frame[frame[source] >= 0].groupby("player")[source].nunique()
        table[column] = counted.reindex(table.index).fillna(0).astype("int64")
    names = history.players.dropna(subset="name").drop_duplicates("player").set_index("player")["name"]
    table["name"] = names.reindex(table.index)
    unsettled = table["games"] < system.settled_games if system is not None and system.rates == "games" else pd.NA
    table["provisional"] = pd.Series(unsettled, index=table.index, dtype="boolean")
    return table[list(_PEOPLE)]
