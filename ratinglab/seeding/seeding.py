"""Seeding: an entry list in order of strength.

The manner is that of the 2012 National School SCRABBLE Championship: seeds 1 to n by effective rating, each with its ±.
What a team is worth is not said here but by its rating system; the first round is `ratinglab.seeding.drawing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ratinglab.problems import UsageError

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.periods import Bools, Floats, Ints
    from ratinglab.replaying import Replay
    from ratinglab.scheduling import Schedule

COMMITTEE, PUBLIC = "committee", "public"
PRIVACY = (COMMITTEE, PUBLIC)

_SEEDING = (
    "seed", "name", "members", "school", "rating", "deviation", "p_above_next", "rating_source", "as_of", "note",
)  # fmt: skip


def unplayed(history: History) -> list[str]:
    """The events that are an entry list and no more: entries, and not a single game, in time order."""
    unplayed = set(history.entries["event"]) - set(history.games["event"])
    return [event for event in history.events["event"] if event in unplayed]


def without_withdrawn(history: History) -> History:
    """The history without the entries that were withdrawn from events not yet played.

    Done before a history is replayed, so that a team that lost a member is worth what its other member is.
    """
    entries = history.entries
    said = entries["withdrawn"].fillna("").str.strip().str.casefold()
    gone = ~said.isin(("", "no", "n", "0", "false")) & entries["event"].isin(unplayed(history))
    return replace(history, entries=entries[~gone].reset_index(drop=True)) if gone.any() else history


def seed(
    replay: Replay, event: str, *, section: str | None = None, seed: int = 0, privacy: str = COMMITTEE
) -> pd.DataFrame:
    """The entrants of `event` in order of what they were worth before it, as the table `seeding.csv` holds.

    Equal ratings are put in an order drawn from `seed`, whatever anybody is called. Who has neither a rated game nor a
    filed rating stands at the system's initial values, and `note` says so. `p_above_next` is the probability that an
    entrant is truly stronger than the next, from the normal distribution of the difference; it is missing where the
    system has no deviation. With `privacy` set to "public" no member is named.
    Raises `UsageError` for an event or section without entries, or an unknown privacy.
    """
    if privacy not in PRIVACY:
        raise UsageError(f"privacy must be one of {', '.join(PRIVACY)}; found {privacy}")
    units = _units(replay, event, section)
    strength = replay.unit_strength
    rating = strength["rating"][units, 0]
    deviation = strength["deviation"][units, 0] if "deviation" in strength else np.full(len(units), np.nan)
    # a tie is a tie also where two sums came out a hair apart
    compared = np.round(rating, 6)
    lots = np.random.default_rng(seed).permutation(len(units))
    order = np.lexsort((lots, -compared))
    tied = pd.Series(compared).duplicated(keep=False).to_numpy()[order]
    people = _people(replay, units[order], privacy)
    drawn = "equal rating: order by lot"
    table = pd.DataFrame(
        {
            "seed": np.arange(1, len(order) + 1),
            "name": replay.schedule.unit_name[units[order]],
            "rating": rating[order],
            "deviation": deviation[order],
            "p_above_next": _above_next(rating[order], deviation[order]),
            **{name: [row[name] for row in people] for name in ("members", "school", "rating_source")},
            "as_of": pd.Series([row["as_of"] for row in people], dtype="datetime64[us]"),
            "note": [
                "; ".join(text for text in (str(row["unrated"]), drawn if tie else "") if text)
                for row, tie in zip(people, tied, strict=True)
            ],
        }
    )
    return table[list(_SEEDING)]


def _above_next(rating: Floats, deviation: Floats) -> Floats:
    """P(a normal rating is above that of the next), nan for the last and without deviations."""
    from scipy.special import ndtr

    out = np.full(len(rating), np.nan)
    sd = np.hypot(deviation[:-1], deviation[1:])
    difference = rating[:-1] - rating[1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        out[:-1] = np.where((sd == 0) & (difference == 0), 0.5, ndtr(difference / sd))
    return out


def _units(replay: Replay, event: str, section: str | None) -> Ints:
    """The units entered in the event (in one of its sections), in the order of the schedule."""
    schedule = replay.schedule
    events = schedule.history.events["event"].to_numpy()
    period = schedule.whole.unit_period
    mine = events[schedule.event[period]] == event
    if section is not None:
        mine &= schedule.section[period] == section
    if not mine.any():
        where = event if section is None else f"section {section} of {event}"
        raise UsageError(f"nobody is entered in {where}")
    return np.flatnonzero(mine)


def _people(replay: Replay, units: Ints, privacy: str) -> list[dict[str, object]]:
    """For each unit its members, their school, and where their ratings come from."""
    schedule = replay.schedule
    entries = schedule.history.entries.iloc[schedule.entry_row]
    entry_rated, entry_filed = known_before(schedule)
    last_day = _last_rated_day(replay)
    first = schedule.whole.unit_first
    ends = np.append(first[1:], len(entries))
    rows: list[dict[str, object]] = []
    for unit in units:
        members = np.arange(first[unit], ends[unit])
        of = entries.iloc[members]
        rated, filed = entry_rated[members], entry_filed[members]
        unrated = of["player"].to_numpy()[~rated & ~filed]
        if len(unrated) == 0:
            told = ""
        elif privacy == PUBLIC:
            told = "unrated" if len(unrated) == len(of) else f"{len(unrated)} of {len(of)} members unrated"
        else:
            told = f"unrated: {'; '.join(unrated)}"
        sources = [
            f"{replay.system.name} replay" if rated[i] else _filed(of["rating_kind"].iloc[i]) if filed[i] else "unrated"
            for i in range(len(of))
        ]
        days = [last_day[m] if rated[i] else of["as_of"].iloc[i] for i, m in enumerate(members)]
        lone = of["team"].isna().all()
        rows.append(
            {
                "members": None if lone or privacy == PUBLIC else _joined(of["player"]),
                "school": _joined(of["school"]),
                "rating_source": _joined(sources),
                "as_of": max((day for day in days if pd.notna(day)), default=pd.NaT),
                "unrated": told,
            }
        )
    return rows


def known_before(schedule: Schedule) -> tuple[Bools, Bools]:
    """Whether each entry's rating before its event rests on a rated game, or else on a filed rating."""
    rated = schedule.games_before > 0
    start = schedule.before_event
    # somebody without games who yet goes on from an earlier entry had a rating filed with that one
    filed = ~rated & ((schedule.whole.previous[start] >= 0) | ~np.isnan(schedule.whole.filed_rating[start]))
    return rated, filed


def _filed(kind: object) -> str:
    return f"filed ({kind})" if isinstance(kind, str) else "filed"


def _joined(values: Sequence[object] | pd.Series) -> str | None:
    """The different values with `;` between; a comma may be part of a name."""
    return "; ".join(dict.fromkeys(str(value) for value in values if pd.notna(value))) or None


def _last_rated_day(replay: Replay) -> pd.Series:
    """Per entry the last day of the person's last event with a rated game before the entry's own event."""
    schedule = replay.schedule
    whole = schedule.whole
    event = schedule.event_of_entry()
    frame = pd.DataFrame(
        {
            "person": whole.person,
            "event": event,
            "period": whole.entry_period,
            "day": schedule.history.events["end_date"].to_numpy()[event],
        }
    )
    frame["day"] = frame["day"].where(whole.played > 0)
    frame = frame.sort_values(["person", "period"], kind="stable")
    by_event = frame.groupby(["person", "event"], sort=False)["day"].max()
    before = by_event.groupby("person").shift(1).groupby("person").ffill()
    found = before.reindex(pd.MultiIndex.from_frame(frame[["person", "event"]]))
    return pd.Series(found.to_numpy(), index=frame.index).sort_index()
