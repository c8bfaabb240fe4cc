"""Groups of games that a committee asks about: newcomers, divisions, pools, juniors, the top, years, drawn games.

A group is a mask over a schedule's games, made of what was known before the event (`result` and `spread` aside, which
are of what happened). Kinds are independent of one another; within a kind the groups share no game, except `grade`,
where a game counts for the grades of both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from ratinglab.periods import Bools, Floats
from ratinglab.problems import UsageError

if TYPE_CHECKING:
    from ratinglab.replaying import Replay
    from ratinglab.scheduling import Schedule

NEW_GAMES = 50  # lifetime games below which a player is a newcomer: NASPA's provisional ratings
JUNIOR_AGE = 18  # completed years from which a player is no junior
TOP = 50
ACTIVE_DAYS = 730  # as in the rating list
UNKNOWN = "not known"
HALF_YEARS_BELOW = 4  # years that a history spans before it is told by year

Subsets = dict[tuple[str, str], Bools]
# What each kind of group is, for whoever reads of one.
KINDS: Mapping[str, str] = {
    "experience": f"a newcomer has fewer than {NEW_GAMES} lifetime games before the event; somebody filed with a "
    "rating and no number of games is taken as settled",
    "division": "the section's name",
    "pool": "the event's pool",
    "juniors": f"under {JUNIOR_AGE} on the event's last day, or with a school grade where no birth date is known",
    "grade": "games with a player of this school grade; a game between two grades counts in both",
    "top": f"the {TOP} best players before the event who had played within two years",
    "year": "the year in which the event ended",
    "result": "drawn: a result of ½. Chosen by what happened, so that timid forecasts look well in drawn games, and "
    "bold ones in the others",
    "spread": "whether the scores of the game are known",
}


def game_subsets(
    schedule: Schedule,
    *,
    strength: Replay | None = None,
    new_games: int = NEW_GAMES,
    junior_age: int = JUNIOR_AGE,
    top: int = TOP,
) -> Subsets:
    """The groups of a schedule's games by (kind, name), each a mask (games,); groups without a game are left out.

    - experience: two newcomers, one, or none. Games are lifetime games before the event, as filed and counted since;
      somebody filed with a rating and no number of games is taken as settled. A team is as new as its newest member.
    - division, pool: where there are several.
    - juniors, grade: by birth date and school grade; a game is `not known` where that of a side is not.
    - top: by the ratings of `strength`, a replay of this schedule with details (without one the kind is left out).
      At an event with no more than `top` active rated players there is no top.
    - year, result (decisive, drawn), spread (known, not known).

    A kind of which nothing is known is left out. Raises `UsageError` for a `strength` without details.
    """
    of: dict[str, Mapping[str, Bools]] = {
        "experience": _pairs(schedule, _newcomers(schedule, new_games), ("two newcomers", "one newcomer", "settled")),
        "division": _several(_labelled(schedule.section[schedule.whole.game_period])),
        "pool": _several(_by_pool(schedule)),
        "juniors": _juniors(schedule, junior_age),
        "grade": _grades(schedule),
        "top": {} if strength is None else _top(strength, top),
        "year": _labelled(_years(schedule)),
        "result": {"decisive": schedule.whole.result != 0.5, "drawn": schedule.whole.result == 0.5},
        "spread": {"known": ~np.isnan(schedule.whole.spread), UNKNOWN: np.isnan(schedule.whole.spread)},
    }
    found: Subsets = {}
    for kind, groups in of.items():
        some = {name: mask for name, mask in groups.items() if mask.any()}
        if set(some) != {UNKNOWN} or kind == "spread":
            found |= {(kind, name): mask for name, mask in some.items()}
    return found


def counts(schedule: Schedule, subsets: Mapping[tuple[str, str], Bools], counted: Bools | None = None) -> pd.DataFrame:
    """The groups with their numbers of games and events: kind, subset, games, events; `counted` (games,) are those."""
    event = schedule.event_of_game()
    rows = []
    for (kind, name), mask in subsets.items():
        kept = mask if counted is None else mask & counted
        rows.append({"kind": kind, "subset": name, "games": int(kept.sum()), "events": len(np.unique(event[kept]))})
    return pd.DataFrame(rows, columns=["kind", "subset", "games", "events"])


def stretches(schedule: Schedule, counted: Bools | None = None) -> dict[str, Bools]:
    """The games by the time their event ended: years, or half-years where the counted games span less than four years.

    Events without a date are told as such, last.
    """
    day = schedule.whole.day[schedule.whole.game_period]
    seen = day if counted is None else day[counted]
    seen = seen[~np.isnat(seen)]
    years = _years(schedule)
    if not len(seen) or int((seen.max() - seen.min()).astype(int)) / 365.25 >= HALF_YEARS_BELOW:
        return _labelled(years)
    first_half = day.astype("datetime64[M]").astype(int) % 12 < 6
    half = np.where(np.isnat(day), "", np.where(first_half, " Jan–Jun", " Jul–Dec"))
    return _labelled(years + half.astype(object))


# --- what a kind is made of -----------------------------------------------------------------------------------------


def _labelled(labels: npt.NDArray[np.object_]) -> dict[str, Bools]:
    """A mask for each label, in order; the missing and the undated last."""
    code, names = pd.factorize(labels)
    last = (UNKNOWN, NO_POOL, UNDATED)
    places = sorted(range(len(names)), key=lambda place: (names[place] in last, str(names[place])))
    return {str(names[place]): code == place for place in places}


def _several(groups: dict[str, Bools]) -> dict[str, Bools]:
    return groups if len(groups) > 1 else {}


def _pairs(schedule: Schedule, units: Bools, names: tuple[str, str, str]) -> dict[str, Bools]:
    """The games by how many of their sides are among `units` (units,): two, one, none."""
    sides = units[schedule.whole.a].astype(int) + units[schedule.whole.b]
    return {name: sides == count for name, count in zip(names, (2, 1, 0), strict=True)}


def _newcomers(schedule: Schedule, new_games: int) -> Bools:
    """The units (units,) with a member who had fewer than `new_games` lifetime games before the event."""
    whole = schedule.whole
    lifetime = whole.lifetime_games(np.inf)[schedule.before_event, 0]
    return whole.any_member(lifetime < new_games)


NO_POOL = "no pool given"
UNDATED = "no date"


def _by_pool(schedule: Schedule) -> dict[str, Bools]:
    pool = np.array([name or NO_POOL for name in schedule.whole.pool], dtype=object)
    return _labelled(pool[schedule.whole.game_period])


def _years(schedule: Schedule) -> npt.NDArray[np.object_]:
    """The year of each game's event as text (games,)."""
    day = schedule.whole.day
    year = np.where(np.isnat(day), UNDATED, day.astype("datetime64[Y]").astype(str)).astype(object)
    named: npt.NDArray[np.object_] = year[schedule.whole.game_period]
    return named


def _juniors(schedule: Schedule, junior_age: int) -> dict[str, Bools]:
    whole = schedule.whole
    age = whole.age
    young = np.where(np.isnan(age), ~np.isnan(whole.grade), age < junior_age)
    unknown = whole.any_member(np.isnan(age) & np.isnan(whole.grade))
    hidden = unknown[whole.a] | unknown[whole.b]
    under = f"under {junior_age}"
    pairs = _pairs(schedule, whole.any_member(young), (f"both {under}", f"one {under}", f"neither {under}"))
    return {name: mask & ~hidden for name, mask in pairs.items()} | {UNKNOWN: hidden}


def _grades(schedule: Schedule) -> dict[str, Bools]:
    whole = schedule.whole
    known = np.unique(whole.grade[~np.isnan(whole.grade)])
    groups = {}
    for grade in known.tolist():
        units = whole.any_member(whole.grade == grade)
        groups["kindergarten" if grade == 0 else f"grade {grade:g}"] = units[whole.a] | units[whole.b]
    nothing = whole.any_member(np.isnan(whole.grade))
    return groups | {UNKNOWN: nothing[whole.a] | nothing[whole.b]}


def _top(strength: Replay, top: int) -> dict[str, Bools]:
    """The games by how many sides were, in all their members, among the `top` before the event."""
    if not strength.after:
        raise UsageError("the top players before each event need a replay with details=True")
    schedule, whole = strength.schedule, strength.schedule.whole
    within = ~whole.any_member(~_among_top(strength, top))
    both, one, neither = (f"{how} in the top {top}" for how in ("both", "one", "neither"))
    pairs = _pairs(schedule, within, (both, one, neither))
    return pairs if pairs[both].any() or pairs[one].any() else {}


def _among_top(strength: Replay, top: int) -> Bools:
    """Whether each entry's person was among the `top` active rated people before the event."""
    schedule, whole = strength.schedule, strength.schedule.whole
    people = int(whole.person.max(initial=-1)) + 1
    rating, last = np.full(people, np.nan), np.full(people, np.datetime64("NaT", "D"))
    event = schedule.event_of_entry()
    in_time = np.lexsort((whole.entry_period, event))
    begins = np.flatnonzero(np.diff(event[in_time], prepend=-1))
    within = np.zeros(len(whole.person), dtype=bool)
    for rows in _split(in_time, begins):
        day = whole.day[whole.entry_period[rows[0]]]
        waited = (day - last) / np.timedelta64(1, "D")
        known = rating[~np.isnan(rating) & ~(waited > ACTIVE_DAYS)]  # where there are no dates, all are active
        if len(known) > top:
            least = np.partition(known, -top)[-top]
            within[rows] = rating[whole.person[rows]] >= least
        played = rows[strength.rated[rows] > 0]
        rating[whole.person[played]] = _after(strength, played)
        last[whole.person[played]] = day
    return within


def _split(rows: npt.NDArray[np.int64], begins: npt.NDArray[np.int64]) -> Iterable[npt.NDArray[np.int64]]:
    return np.split(rows, begins[1:]) if len(begins) else []


def _after(strength: Replay, rows: npt.NDArray[np.int64]) -> Floats:
    after: Floats = strength.after["rating"][rows, 0]
    return after
