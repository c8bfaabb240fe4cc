"""Seeding: an entry list in order of strength.

The manner is that of the 2012 National School SCRABBLE Championship: seeds 1 to n by effective rating, each with its ±.
What a team is worth is not said here but by its rating system; the first round is `ratinglab.seeding.drawing`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd

from ratinglab.names import key
from ratinglab.problems import UsageError
from ratinglab.seeding.choice import NATIONAL, UNRATED, Rule, choices, no_ratings, ratings_of

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.periods import Bools, Floats, Ints
    from ratinglab.replaying import Replay
    from ratinglab.scheduling import Schedule

BY_LOT = "equal rating: order by lot"

SEEDING = (
    "seed", "name", "members", "school", "rating", "deviation", "p_above_next", "rating_source", "as_of", "note",
)  # fmt: skip


def unplayed(history: History) -> list[str]:
    """The events that are an entry list and no more: entries, and not a single game or place, in time order."""
    unplayed = set(history.entries["event"]) - {*history.games["event"], *history.placings["event"]}
    return [event for event in history.events["event"] if event in unplayed]


def without_withdrawn(history: History) -> History:
    """The history without the entries that were withdrawn from events not yet played.

    Done before a history is replayed, so that a team that lost a member is worth what its other member is.
    """
    entries = history.entries
    said = entries["withdrawn"].fillna("").str.strip().str.casefold()
    gone = ~said.isin(("", "no", "n", "0", "false")) & entries["event"].isin(unplayed(history))
    return replace(history, entries=entries[~gone].reset_index(drop=True)) if gone.any() else history


def lots(names: Iterable[str], seed: int) -> dict[str, int]:
    """The lot of each entrant: what SHA-256 makes of the seed and the name, spelled as people are matched by it.

    So the order among equals depends neither on the alphabet nor on the order of a file, and whoever knows seed and
    names can check it.
    """
    told = {name: f"{seed}:{key(name)}".encode() for name in names}
    return {name: int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1 for name, text in told.items()}


def seed(
    replay: Replay,
    event: str,
    *,
    section: str | None = None,
    seed: int = 0,
    chosen: pd.DataFrame | None = None,
    drawn: Mapping[str, int] | None = None,
    public: bool = False,
) -> pd.DataFrame:
    """The entrants of `event` in order of what they were worth before it, as the table `seeding.csv` holds.

    Equal ratings (to six decimals) are put in an order drawn from `seed` (`lots`; or by `drawn`, lots by name). Who has
    neither a rated game nor a filed rating stands at the system's initial values, and `note` says so. `p_above_next` is
    the probability that an entrant is truly stronger than the next, from the normal distribution of the difference; it
    is missing where the system has no deviation. `chosen` is the table of `choice.choices` that the replay's state
    before the event follows from; by default the replay itself. In `public` no member is named.
    Raises `UsageError` for an event or section without entries.
    """
    units = _units(replay, event, section)
    strength = replay.unit_strength
    rating = strength["rating"][units, 0]
    deviation = strength["deviation"][units, 0] if "deviation" in strength else np.full(len(units), np.nan)
    names = replay.schedule.unit_name[units]
    drawn = lots(names, seed) if drawn is None else drawn
    # a tie is a tie also where two sums came out a hair apart
    compared = np.round(rating, 6)
    order = np.lexsort(([drawn[name] for name in names], -compared))
    tied = pd.Series(compared).duplicated(keep=False).to_numpy()[order]
    people = _people(replay, event, units[order], by_replay(replay, event) if chosen is None else chosen, public)
    table = pd.DataFrame(
        {
            "seed": np.arange(1, len(order) + 1),
            "name": names[order],
            "rating": rating[order],
            "deviation": deviation[order],
            "p_above_next": _above_next(rating[order], deviation[order]),
            **{name: [row[name] for row in people] for name in ("members", "school", "rating_source")},
            "as_of": pd.Series([row["as_of"] for row in people], dtype="datetime64[us]"),
            "note": [
                "; ".join([*cast("list[str]", row["notes"]), *([BY_LOT] if tie else [])])
                for row, tie in zip(people, tied, strict=True)
            ],
        }
    )
    return table[list(SEEDING)]


def by_replay(replay: Replay, event: str) -> pd.DataFrame:
    """What the ratings before the event rest on in the replay alone: the last rated game, else the rating filed."""
    history = replay.schedule.history
    nothing = replace(history, rating_lists=history.rating_lists.iloc[:0])
    return choices(nothing, event, ratings_of(nothing, event, no_ratings(), replay), Rule())


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


def _people(replay: Replay, event: str, units: Ints, chosen: pd.DataFrame, public: bool) -> list[dict[str, object]]:
    """For each unit its members, their school, and where their ratings come from."""
    schedule = replay.schedule
    entries = schedule.history.entries.iloc[schedule.entry_row]
    mine = np.flatnonzero((schedule.history.entries["event"] == event).to_numpy())
    place = dict(zip(mine.tolist(), range(len(mine)), strict=True))
    taken = chosen[chosen["taken"] == 1].set_index("row")
    alone = set(chosen.groupby("row").filter(lambda of: set(of["kind"]) == {NATIONAL})["row"])
    initial = getattr(replay.system, "initial_deviation", None)
    first = schedule.whole.unit_first
    ends = np.append(first[1:], len(entries))
    rows: list[dict[str, object]] = []
    for unit in units:
        members = np.arange(first[unit], ends[unit])
        of = entries.iloc[members]
        at = [place[row] for row in schedule.entry_row[members].tolist()]
        ratings = taken.loc[at]
        lone = of["team"].isna().all()
        notes: dict[str, list[str]] = {}
        for name, row, one in zip(of["player"], at, ratings.to_dict("records"), strict=True):
            if one["kind"] == UNRATED:
                notes.setdefault(f"unrated|{one['why']}", []).append(name)
                continue
            if row in alone:
                notes.setdefault("rated elsewhere only, on another scale", []).append(name)
            if initial is not None and np.isnan(one["deviation"]):
                notes.setdefault(f"±{initial:g} for want of a filed deviation", []).append(name)
        rows.append(
            {
                "members": None if lone or public else _joined(of["player"]),
                "school": _joined(of["school"]),
                "rating_source": _joined([UNRATED if pd.isna(one) else one for one in ratings["source"]]),
                "as_of": ratings["as_of"].max(),
                "notes": [_note(note, names, len(of), public=public) for note, names in notes.items()],
            }
        )
    return rows


def _note(note: str, names: Sequence[str], members: int, *, public: bool) -> str:
    """A note on some members of a unit; why somebody is unrated in brackets. In public they are counted, not named."""
    what, _, why = note.partition("|")
    behind = f" ({why})" if why else ""
    if len(names) == members:
        return what + behind
    if public:
        return f"{len(names)} of {members} members {what}{behind}"
    return f"{what}: {' and '.join(names)}{behind}"


def known_before(schedule: Schedule) -> tuple[Bools, Bools]:
    """Whether each entry's rating before its event rests on a rated game, or else on a filed rating."""
    rated = schedule.games_before > 0
    start = schedule.before_event
    # somebody without games who yet goes on from an earlier entry had a rating filed with that one
    filed = ~rated & ((schedule.whole.previous[start] >= 0) | ~np.isnan(schedule.whole.filed_rating[start]))
    return rated, filed


def _joined(values: Sequence[object] | pd.Series) -> str | None:
    """The different values with `;` between; a comma may be part of a name."""
    return "; ".join(dict.fromkeys(str(value) for value in values if pd.notna(value))) or None


def last_rated_day(replay: Replay) -> pd.Series:
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
