"""Qualification: the best N by current or by peak rating over dated lists, with who misses, by how much, and why.

The lists are made by `ratinglab.dated_lists`. Equal ratings are told apart as the 1998 Canadian National Scrabble
Championship did: the latest list first, then list by list back, and by lot where even that does not decide (source:
"1998 CNSC Pairings"; for qualification by rating NASPA, "Rating system overview").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab.problems import UsageError
from ratinglab.tables import iso_day
from ratinglab.terminal import many

if TYPE_CHECKING:
    from ratinglab.dated_lists import DatedLists
    from ratinglab.periods import Bools, Floats

PEAK, CURRENT = "peak", "current"
MONTHS, LOT, ALL = "months", "lot", "all"
LIFETIME, WINDOW = "lifetime", "window"
QUALIFIED, ALTERNATE, BELOW, EXCLUDED = "qualified", "alternate", "below", "excluded"
ACTIVE_DAYS = 730
DRAWS = 2000

QUALIFICATION = (
    "rank", "player", "name", "rating", "deviation", "rating_date", "peak", "peak_date", "games", "events",
    "last_event", "provisional", "active", "qualified", "status", "margin", "p_above_border", "p_in_top",
    "would_rank", "reason",
)  # fmt: skip


@dataclass(frozen=True)
class Rule:
    """Who qualifies: the best `top` by `by` (peak or current) over the lists dated from `since` to `until` (ISO days).

    min_games and min_events are asked of the whole time up to `until`, or with games_in=window of the events that end
    within the two dates. ties: months (the latest list first, then back, then by lot), lot, or all (who is level with
    the last to qualify qualifies too). settled leaves out provisional ratings, active whoever had no rated game in the
    two years before `until`. rounded: ratings count as whole points, as lists print them. Raises `UsageError` with
    every value that does not do.
    """

    top: int
    since: str
    until: str
    by: str = PEAK
    min_games: int = 0
    min_events: int = 0
    games_in: str = LIFETIME
    ties: str = MONTHS
    settled: bool = False
    active: bool = False
    rounded: bool = False
    alternates: int = 10

    def __post_init__(self) -> None:
        """The words are known, and the dates in order."""
        faults = [] if self.top >= 1 else [f"--top is 1 or more; found {self.top}"]
        for option, found, known in (
            ("--by", self.by, (PEAK, CURRENT)),
            ("--ties", self.ties, (MONTHS, LOT, ALL)),
            ("--games-in", self.games_in, (LIFETIME, WINDOW)),
        ):
            if found not in known:
                faults.append(f"{option} is one of {', '.join(known)}; found {found}")
        if iso_day(self.since) > iso_day(self.until):
            faults.append(f"the first list is not after the last one; found {self.since} and {self.until}")
        if faults:
            raise UsageError("; ".join(faults))

    @property
    def says(self) -> tuple[str, ...]:
        """The rule in words."""
        highest = f"highest rating on any list from {self.since} to {self.until}"
        latest = f"rating on the latest list up to {self.until}"
        told = [f"The best {self.top} qualify, by the {highest if self.by == PEAK else latest}."]
        scope = f"in events that end from {self.since} to {self.until}" if self.games_in == WINDOW else "in all"
        asked = [
            *([many(self.min_games, "rated game")] if self.min_games else []),
            *([many(self.min_events, "rated event")] if self.min_events else []),
        ]
        if asked:
            told.append(f"Needed are {' and '.join(asked)} or more, {scope}.")
        if self.settled:
            told.append("A provisional rating does not qualify.")
        if self.active:
            told.append(f"Needed is a rated game in the two years before {self.until}.")
        told.append(
            {
                MONTHS: "Of equal ratings that one goes first which is higher on the latest list, then on the list "
                "before it, and so on back; who is not on a list stands below who is. What even that leaves equal is "
                "put in order by lot.",
                LOT: "Equal ratings are put in order by lot.",
                ALL: "Whoever is level with the last to qualify qualifies too.",
            }[self.ties]
        )
        if self.rounded:
            told.append("Ratings count in whole points, as lists print them.")
        return tuple(told)


@dataclass(frozen=True)
class Qualification:
    """What came of it: the table qualification.csv, the lists as player × date, and the rule.

    `dates` are the lists' days within the window, `label` whose lists they are, `seed` that of the lots.
    """

    table: pd.DataFrame
    lists: pd.DataFrame
    rule: Rule
    dates: Sequence[pd.Timestamp]
    label: str
    seed: int

    def of(self, *status: str) -> pd.DataFrame:
        """The rows of a status: qualified, alternate, below, excluded."""
        return self.table[self.table["status"].isin(status)].reset_index(drop=True)

    @property
    def value(self) -> str:
        """The column by which players are ranked."""
        return PEAK if self.rule.by == PEAK else "rating"

    @property
    def border(self) -> tuple[float, float] | None:
        """The rating of the last who qualifies and of the first who misses; nothing where nobody misses."""
        last, first = self.of(QUALIFIED), self.of(ALTERNATE, BELOW)
        if last.empty or first.empty:
            return None
        return float(last[self.value].iloc[-1]), float(first[self.value].iloc[0])


# --- the qualification ------------------------------------------------------------------------------------------------


def qualify(given: DatedLists, rule: Rule, *, seed: int = 0, drawn: Mapping[str, int] | None = None) -> Qualification:
    """Who qualifies by the rule.

    Everybody on a list up to the last date has a row: first who qualifies, in order, then the alternates and the others
    below, then whoever is left out, with all the reasons. `margin`: points above the first who misses, or (below 0) to
    the last who qualifies. `p_above_border`: the probability of being truly stronger than that person, and `p_in_top`
    that of being one of the best N eligible, from the rating on the latest list and its deviation: a peak is the
    highest of several noisy figures and says too much of strength. Both are missing where deviations are.
    `would_rank`: where somebody left out would have stood. `drawn`: lots by name, by default from the seed.
    """
    from ratinglab.seeding.seeding import lots

    wide, deviation = (
        given.lists.pivot_table(of, "player", "list_date", dropna=False) for of in ("rating", "deviation")
    )
    if rule.rounded:
        wide = wide.round()
    dates = [day for day in pd.DatetimeIndex(wide.columns) if day >= iso_day(rule.since)]
    window = wide[dates]
    table = _standing(wide, window, deviation[dates], given.people, rule)
    drawn = lots(wide.index, seed) if drawn is None else drawn
    # a tie is a tie also where two sums came out a hair apart
    compared = table[_value(rule)].round(6)
    eligible = (table["why"] == "").to_numpy()
    keys = _tie_keys(wide, [drawn[name] for name in wide.index], rule)
    order = np.lexsort((*reversed(keys), -compared.fillna(-np.inf).to_numpy(), ~eligible))
    table, compared, eligible = table.iloc[order], compared.iloc[order], eligible[order]
    count = int(eligible.sum())
    value = compared.to_numpy()
    last_in = min(rule.top, count)
    if rule.ties == ALL and last_in:
        last_in = int((value[:count] >= value[last_in - 1]).sum())
    place = np.arange(len(table))
    status = np.select(
        [~eligible, place < last_in, place < last_in + rule.alternates], [EXCLUDED, QUALIFIED, ALTERNATE], BELOW
    )
    shared = pd.Series(value[:count]).rank(method="min", ascending=False)
    rank = shared if rule.ties == ALL else place[:count] + 1
    table = table.assign(
        rank=pd.Series([*rank, *[pd.NA] * (len(table) - count)], index=table.index, dtype="Int64"),
        status=status,
        qualified=(status == QUALIFIED).astype(int),
        margin=_margins(value, last_in, count),
        would_rank=_would_rank(value, eligible),
        **_chances(table, last_in, count, rule, seed),
    )
    ties = _ties(wide.iloc[order], value, count, rule)
    table["reason"] = [
        _reason(one, place, last_in, tie, rule)
        for place, (one, tie) in enumerate(zip(table.itertuples(), ties, strict=True))
    ]
    table = table.reset_index()
    lists = window.rename(columns=lambda day: f"{day:%Y-%m-%d}").loc[table["player"]].reset_index()
    lists.columns.name = None
    return Qualification(table[list(QUALIFICATION)], lists, rule, dates, given.label, seed)


def _value(rule: Rule) -> str:
    return PEAK if rule.by == PEAK else "rating"


def _standing(
    wide: pd.DataFrame, window: pd.DataFrame, deviation: pd.DataFrame, people: pd.DataFrame, rule: Rule
) -> pd.DataFrame:
    """By player what counts: current and peak rating with their days, experience, and `why` somebody is left out."""
    on_any = window.notna().any(axis=1)
    where = window.notna()
    latest = pd.Series(pd.NaT, index=window.index, dtype="datetime64[us]")
    peak_date = latest.copy()
    for day in window.columns:
        latest = latest.mask(where[day], day)
        # the first list with the highest rating
        higher = where[day] & ~(window[[d for d in window.columns if d < day]].max(axis=1) >= window[day])
        peak_date = peak_date.mask(higher, day)
    known = people.reindex(window.index)
    name = known["name"].astype("object").where(known["name"].notna(), pd.Series(window.index, index=window.index))
    scope = "window_" if rule.games_in == WINDOW else ""
    games, events = (known[f"{scope}{what}"].astype(float) for what in ("games", "events"))
    table = pd.DataFrame(
        {
            "name": name.astype("str"),
            "rating": window.ffill(axis=1).iloc[:, -1],
            "deviation": deviation.where(where).ffill(axis=1).iloc[:, -1].astype(float),
            "rating_date": latest,
            "peak": window.max(axis=1),
            "peak_date": peak_date,
            "games": games.replace(np.inf, np.nan).astype("Int64"),
            "events": events.astype("Int64"),
            "last_event": known["last_event"].astype("datetime64[us]"),
            "provisional": known["provisional"].astype("boolean"),
        }
    )
    idle = iso_day(rule.until) - table["last_event"]
    table["active"] = (idle <= pd.Timedelta(days=ACTIVE_DAYS)).where(known["events"].notna()).astype("boolean")
    said: list[tuple[Bools, Any]] = [(~on_any.to_numpy(), f"on no list from {rule.since} to {rule.until}")]
    if rule.by == CURRENT:
        last = window.columns[-1]
        said.append((on_any.to_numpy() & window[last].isna().to_numpy(), f"not on the list of {last:%Y-%m-%d}"))
    told = f" from {rule.since} to {rule.until}" if scope else ""
    for what, counted, least in (("game", games, rule.min_games), ("event", events, rule.min_events)):
        if least:
            said.append((counted.isna().to_numpy(), f"number of {what}s not known; needed are {least}"))
            said.append(
                ((counted < least).to_numpy(), [f"{many(int(n), f'rated {what}') if n == n else ''}{told} of {least}"
                                                if n < np.inf else "" for n in counted])
            )  # fmt: skip
    if rule.settled:
        said.append((table["provisional"].fillna(False).to_numpy(bool), "provisional rating"))
        said.append((table["provisional"].isna().to_numpy(bool), "not known whether the rating is provisional"))
    if rule.active:
        idle_long = (~table["active"]).fillna(False).to_numpy(bool)
        said.append((idle_long, f"no rated game in the two years before {rule.until}"))
        said.append((table["active"].isna().to_numpy(bool), "last rated game not known"))
    why = [
        "; ".join((words if isinstance(words, str) else words[row]) for holds, words in said if holds[row])
        for row in range(len(table))
    ]
    return table.assign(why=why)


def _tie_keys(wide: pd.DataFrame, drawn: Sequence[int], rule: Rule) -> list[Floats]:
    """What tells equal ratings apart, the first first: the lists from the latest back, then the lots."""
    keys: list[Any] = []
    if rule.ties != LOT:
        keys = [-wide[day].round(6).fillna(-np.inf).to_numpy() for day in reversed(wide.columns)]
    return [*keys, np.array(drawn)]


def _ties(wide: pd.DataFrame, value: Floats, count: int, rule: Rule) -> list[str]:
    """For each player of a shared rating, who is eligible, how the place in it was decided."""
    told = [""] * len(value)
    rows = wide.round(6).fillna(-np.inf).to_numpy()[:, ::-1]
    days = list(reversed(wide.columns))

    def decided(upper: int) -> str:
        differ = np.flatnonzero(rows[upper] != rows[upper + 1])
        if rule.ties == LOT or not len(differ):
            return "by lot"
        figures = [f"{one:.0f}" if np.isfinite(one) else "none" for one in rows[upper : upper + 2, differ[0]]]
        return f"by the list of {days[differ[0]]:%Y-%m-%d} ({figures[0]} against {figures[1]})"

    for place in range(count):
        below = place + 1 < count and value[place + 1] == value[place]
        above = place > 0 and value[place - 1] == value[place]
        if rule.ties == ALL and (below or above):
            told[place] = (
                f"shares {value[place]:.0f} with {many(int((value[:count] == value[place]).sum()) - 1, 'other')}"
            )
        elif below:
            told[place] = f"shares {value[place]:.0f}; ahead of the next {decided(place)}"
        elif above:
            told[place] = f"shares {value[place]:.0f}; behind the one above {decided(place - 1)}"
    return told


def _reason(one: Any, place: int, last_in: int, tie: str, rule: Rule) -> str:
    if one.status == EXCLUDED:
        return str(one.why)
    told = {
        QUALIFIED: f"among the best {rule.top}" if place < rule.top else f"level with the last of the best {rule.top}",
        ALTERNATE: f"alternate {place - last_in + 1}",
        BELOW: "below",
    }[one.status]
    return f"{told}; {tie}" if tie else told


def _margins(value: Floats, last_in: int, count: int) -> Floats:
    """Of who qualifies the points above the first who misses, of the others those to the last who qualifies."""
    out = np.full(len(value), np.nan)
    if 0 < last_in < count:
        out[:last_in] = value[:last_in] - value[last_in]
        out[last_in:count] = value[last_in:count] - value[last_in - 1]
    return out


def _would_rank(value: Floats, eligible: Bools) -> Any:
    """One more than the eligible players with a higher rating, of those left out who have one."""
    rising = np.sort(value[eligible])
    above = len(rising) - np.searchsorted(rising, value, side="right")
    unknown = eligible | np.isnan(value)
    return pd.array([pd.NA if no else int(n) + 1 for n, no in zip(above, unknown, strict=True)], dtype="Int64")


def _chances(table: pd.DataFrame, last_in: int, count: int, rule: Rule, seed: int) -> dict[str, Floats]:
    """`p_above_border` and `p_in_top`, nan for those left out and where deviations are not known."""
    from scipy.special import ndtr

    rating, deviation = (table[column].to_numpy(dtype=float) for column in ("rating", "deviation"))
    above, within = np.full(len(table), np.nan), np.full(len(table), np.nan)
    if 0 < last_in < count:
        other = np.where(np.arange(count) < last_in, last_in, last_in - 1)
        sd = np.hypot(deviation[:count], deviation[other])
        difference = rating[:count] - rating[other]
        with np.errstate(divide="ignore", invalid="ignore"):
            above[:count] = np.where((sd == 0) & (difference == 0), 0.5, ndtr(difference / sd))
        if np.isfinite(deviation[:count]).all() and rule.top < count:
            draws = np.random.default_rng(seed).standard_normal((DRAWS, count))
            strength = rating[:count] + deviation[:count] * draws
            line = np.partition(strength, count - rule.top, axis=1)[:, count - rule.top, None]
            within[:count] = (strength >= line).mean(axis=0)
    return {"p_above_border": above, "p_in_top": within}


def named(rule: Rule) -> dict[str, Any]:
    """The rule as the manifest has it."""
    return {one.name: getattr(rule, one.name) for one in fields(rule)}
