"""From a history's tables to batches of periods in time order: done once, then any system replays over it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from ratinglab import schema
from ratinglab.entrants import Units, listed_games, people
from ratinglab.history import History
from ratinglab.periods import Batch, Floats, Ints, Listed
from ratinglab.problems import UsageError

STARTS = ("filed", "fresh")
RESULTS = ("games", "placings")


@dataclass(frozen=True)
class Schedule:
    """A history ready to be replayed: `whole` holds every row, `batches` the same rows in the order of rating.

    `chained` says whether a person's later entries start from earlier ones (a replay) or each from its own file;
    `start` and `rates` are those of `schedule`.
    """

    history: History
    whole: Batch
    batches: tuple[Batch, ...]
    chained: bool
    start: str
    rates: str
    # per period, in time order
    event: Ints  # row in history.events
    section: npt.NDArray[np.object_]
    # per row of `whole`
    entry_row: Ints  # row in history.entries
    unit_name: npt.NDArray[np.object_]
    game_row: Ints  # row in history.games
    games_before: Ints  # per entry: rated games (or places, see `rates`) in this history before the person's event
    before_event: Ints  # per entry: the entry that holds the person's state before the event

    def event_of_entry(self) -> Ints:
        """Row of history.events of each entry."""
        return self.event[self.whole.entry_period]

    def event_of_game(self) -> Ints:
        """Row of history.events of each game."""
        return self.event[self.whole.game_period]

    def game_blocks(self, columns: int = 1, cells: int = 1 << 18) -> Iterator[slice]:
        """Slices of the games, each with so few that an array (games, columns) stays in the processor's cache."""
        total, size = len(self.whole.a), max(1, cells // max(1, columns))
        for begin in range(0, total, size):
            yield slice(begin, min(total, begin + size))


def schedule(history: History, *, chained: bool = True, start: str = "filed", rates: str = "games") -> Schedule:
    """The history as batches of index arrays.

    `start` says what a person's first appearance starts from: the rating filed with it (`filed`), or nothing
    (`fresh`). `rates` says what a result is (`System.rates`): from the first one on a person goes on from the last
    event, and what is counted before an event (`idle_days`, `events_before` …) are such results. Raises `UsageError`
    for other words.
    """
    if start not in STARTS:
        raise UsageError(f"start must be one of {', '.join(STARTS)}; found {start}")
    if rates not in RESULTS:
        raise UsageError(f"rates must be one of {', '.join(RESULTS)}; found {rates}")
    events, entries = history.events, history.entries
    event_row = pd.Index(events["event"])
    place = pd.MultiIndex.from_arrays([event_row.get_indexer(entries["event"]), entries["section"]])
    code, found = pd.factorize(place)
    sections = pd.MultiIndex.from_tuples(found, names=["event", "section"]) if len(found) else place[:0]
    in_time = np.lexsort((np.arange(len(sections)), [event for event, _ in sections]))
    rank = np.empty(len(sections), dtype=np.int64)
    rank[in_time] = np.arange(len(sections))
    sections = sections[in_time]
    period = rank[code]
    event = np.array([e for e, _ in sections], dtype=np.int64)

    person, known = pd.factorize(entries["player"])
    wave = _waves(period, person, len(sections), len(known), chained)

    # rows in the order of rating: batch, period, number; a unit's members together
    names = entries["team"].fillna(entries["player"]).to_numpy(dtype=object)
    unit_names, name_code = np.unique(names, return_inverse=True) if len(names) else (names, np.zeros(0, np.int64))
    unit_key = period * max(1, len(unit_names)) + name_code
    number = entries["number"].astype("float64").fillna(np.inf).groupby(unit_key).transform("min").to_numpy()
    order = np.lexsort((np.arange(len(entries)), unit_key, number, period, wave[period]))
    key_in_order = unit_key[order]
    new_unit = np.concatenate([[True], key_in_order[1:] != key_in_order[:-1]])[: len(order)]
    entry_period = period[order]
    unit_first = np.flatnonzero(new_unit)

    units = Units(history, sections, key_in_order[unit_first], unit_names)
    games = _games(history, units, wave)
    rounds, system, caps = _settings(history, event, sections, games)
    end = events["end_date"].to_numpy()[event].astype("datetime64[D]")

    filed = start == "filed"
    take = entries.iloc[order]
    rating = take["rating"].to_numpy() if filed else np.full(len(take), np.nan)
    deviation = take["deviation"].to_numpy() if filed else np.full(len(take), np.nan)
    whole = Batch(
        entries=slice(0, len(order)),
        units=slice(0, len(unit_first)),
        games=slice(0, len(games.row)),
        person=person[order],
        unit=np.cumsum(new_unit) - 1,
        entry_period=entry_period,
        previous=np.full(len(order), -1),
        filed_rating=rating,
        filed_deviation=deviation,
        idle_days=np.zeros(len(order)),
        lifetime_known=take["lifetime_games"].to_numpy(dtype=float, na_value=np.nan),
        lifetime_since=np.zeros(len(order)),
        **listed_games(history, units, games.row, _played(games, len(unit_first)), np.cumsum(new_unit) - 1),
        **people(history, order, event[entry_period]),
        **_before(len(order)),
        unit_first=unit_first,
        unit_period=entry_period[unit_first],
        a=games.a,
        b=games.b,
        result=games.result,
        spread=games.spread,
        cap=_cap_of_games(caps, games),
        round=games.round,
        first=games.first,
        game_period=games.period,
        rounds=rounds,
        day=end,
        championship=[*events["championship"].astype("str").fillna("").to_numpy(dtype=object)[event]],
        pool=[*events["pool"].astype("str").fillna("").to_numpy(dtype=object)[event]],
        filed_system=system,
    )
    chain = _chain(whole, event, end, chained=chained, rates=rates)
    whole = replace(whole, **chain.columns, _cache={})
    return Schedule(
        history=history,
        whole=whole,
        batches=_cut(whole, wave),
        chained=chained,
        start=start,
        rates=rates,
        event=event,
        section=np.array([section for _, section in sections], dtype=object),
        entry_row=order,
        unit_name=unit_names[name_code[order][unit_first]] if len(order) else names,
        game_row=games.row,
        games_before=chain.games_before,
        before_event=chain.before_event,
    )


def _waves(period: Ints, person: Ints, periods: int, people: int, chained: bool) -> Ints:
    """The batch of each period: the one after the last that any of its people are in; not chained, one for all."""
    wave = np.zeros(periods, dtype=np.int64)
    if not chained:
        return wave
    order = np.argsort(period, kind="stable")
    ends = np.cumsum(np.bincount(period, minlength=periods))
    free = np.zeros(people, dtype=np.int64)
    begin = 0
    for p, end in enumerate(ends):
        who = person[order[begin:end]]
        wave[p] = free[who].max()
        free[who] = wave[p] + 1
        begin = end
    return wave


class _Games(NamedTuple):
    """The rated games in the order of rating."""

    row: Ints
    period: Ints
    a: Ints
    b: Ints
    result: Floats
    spread: Floats
    round: Ints
    first: Floats


def _games(history: History, units: Units, wave: Ints) -> _Games:
    """The games that can be rated: played, marked as rated, with a result; `a` is the side whose name sorts first."""
    table = history.games
    rated = (table["status"] == schema.PLAYED) & (table["rated"].fillna(1) == 1) & table["result"].notna()
    sides = table["player"].notna() & table["opponent"].notna() & (table["player"] != table["opponent"])
    kept = np.flatnonzero(rated & sides)
    table = table.iloc[kept]
    period = units.period(table)
    left, right = (units.names.get_indexer(table[column]) for column in ("player", "opponent"))
    swapped = left > right  # the names are sorted
    low, high = np.minimum(left, right), np.maximum(left, right)
    order = np.lexsort((np.arange(len(table)), table["round"].to_numpy(dtype=float), period, wave[period]))
    spread = (table["score"] - table["opponent_score"]).to_numpy()
    result = table["result"].to_numpy()
    first = table["first"].to_numpy(dtype=float, na_value=0.5) * 2 - 1
    return _Games(
        row=kept[order],
        period=period[order],
        a=units.unit(period[order], low[order]),
        b=units.unit(period[order], high[order]),
        result=np.where(swapped, 1 - result, result)[order],
        spread=np.where(swapped, -spread, spread)[order],
        round=table["round"].to_numpy(dtype=np.int64)[order],
        first=np.where(swapped, -first, first)[order],
    )


def _played(games: _Games, units: int) -> Ints:
    both: Ints = np.bincount(games.a, minlength=units) + np.bincount(games.b, minlength=units)
    return both


_COUNTS = ("listed_before", "wins_before", "draws_before", "events_before")


def _before(entries: int) -> dict[str, Any]:
    """Nothing before, for every entry."""
    return {name: np.zeros(entries, dtype=np.int64) for name in _COUNTS}


def _settings(
    history: History, event: Ints, sections: pd.MultiIndex, games: _Games
) -> tuple[Ints, list[str], list[list[float]]]:
    """Per period its scheduled rounds (the longest played where not known), rating system and spread caps."""
    told, names = history.section_settings(), history.events["event"].tolist()
    longest = np.zeros(len(event), dtype=np.int64)
    np.maximum.at(longest, games.period, games.round)
    each = [told(names[e], section) for e, section in sections]
    rounds = [int(longest[p]) if one.rounds is None else one.rounds for p, one in enumerate(each)]
    return np.array(rounds, dtype=np.int64), [one.system for one in each], [one.spread_cap for one in each]


def _cap_of_games(caps: list[list[float]], games: _Games) -> Floats:
    """The filed cap of each game; rounds beyond the list are uncapped."""
    cap = np.full(len(games.row), np.inf)
    begins = np.flatnonzero(np.diff(games.period, prepend=-1))  # a period's games stand together
    for begin, end in zip(begins, np.append(begins, len(cap))[1:], strict=True):
        listed = caps[int(games.period[begin])]
        if listed:
            cap[begin:end] = round_caps(listed, games.round[begin:end])
    return cap


def round_caps(caps: list[float] | tuple[float, ...], rounds: Ints) -> Floats:
    """The cap of each round from a list of caps by round; beyond the list there is none (inf)."""
    by_round = np.append(np.asarray(caps, dtype=float), np.inf)
    return by_round[np.clip(rounds - 1, 0, len(caps))]


class _Chain(NamedTuple):
    columns: dict[str, Any]
    games_before: Ints
    before_event: Ints


def _chain(whole: Batch, event: Ints, end: npt.NDArray[np.datetime64], *, chained: bool, rates: str) -> _Chain:
    """What each entry takes over from the same person's earlier ones."""
    n = len(whole.person)
    rows = np.arange(n)
    if not chained:
        return _Chain({}, np.zeros(n, dtype=np.int64), rows)
    played = whole.placed if rates == "placings" else whole.played
    order = np.lexsort((rows, whole.entry_period, whole.person))
    frame = pd.DataFrame(
        {
            "person": whole.person[order],
            "event": event[whole.entry_period[order]],
            "row": rows[order],
            "played": played[order],
            "informs": (played[order] > 0) | ~np.isnan(whole.filed_rating[order]),
            "day": end[whole.entry_period[order]].astype("datetime64[s]"),
            "lifetime": whole.lifetime_known[order],
        }
    )
    person = frame["person"]
    by = frame.groupby("person", sort=False)
    events = [person, frame["event"]]
    filed = ~np.isnan(whole.filed_rating[order])
    since = by["played"].cumsum() - frame["played"]
    # nothing is taken over until the person has a filed rating or a rated game; and until a game has moved it, the
    # rating filed last is the one that counts
    informed = by["informs"].cumsum() - frame["informs"] > 0
    goes_on = informed & ~(filed & (since == 0))
    previous = by["row"].shift(1).fillna(-1).astype(np.int64).where(goes_on, -1)
    last_day = frame["day"].where(frame["played"] > 0)
    last_day = last_day.groupby(person).shift(1).groupby(person).ffill()
    idle = (frame["day"] - last_day).dt.days
    # a number of lifetime games is filed as of before the event, whichever of its sections files it
    before_event_since = since.groupby(events).transform("first")
    known = frame["lifetime"].groupby(person).ffill()
    counted_from = before_event_since.where(frame["lifetime"].notna()).groupby(person).ffill().fillna(0)
    # whoever had no filed rating at the first game played had played no rated game before it
    filed_at_first = pd.Series(filed, dtype=float).where(frame["informs"]).groupby(person).transform("first")
    known = known.where(known.notna() | (filed_at_first != 0), 0.0)
    # the state before an event is that of the person's first row in it; of somebody new, of the first row that files a
    # rating before the event has any game of theirs
    known_before = informed.groupby(events).transform("first")
    has_state = frame["row"].where(known_before | (filed & (since == before_event_since)))
    first_row = frame["row"].groupby(events).transform("first")
    first_in_event = has_state.groupby(events).transform("first").fillna(first_row)

    def placed(values: pd.Series) -> npt.NDArray[Any]:
        out = np.empty(n, dtype=values.to_numpy().dtype)
        out[order] = values.to_numpy()
        return out

    counts = {
        "listed_before": whole.listed[order],
        "wins_before": (whole.wins - whole.draws / 2)[order].astype(np.int64),
        "draws_before": whole.draws[order],
        # an event counts once, with the first of its sections that has a rated game of the person's
        "events_before": (frame["played"] > 0) & (frame["played"].groupby(events).cumsum() == frame["played"]),
    }
    here = pd.DataFrame(counts).astype(np.int64)
    total = here.groupby(person, sort=False).cumsum() - here
    # events are those before; games, wins and draws tell of the event's earlier sections too, as lifetime games do
    total["events_before"] = total["events_before"].groupby(events, sort=False).transform("first")
    columns = {name: placed(total[name].astype(np.int64)) for name in _COUNTS} | {
        "previous": placed(previous),
        "idle_days": np.nan_to_num(placed(idle.astype(float))),
        "lifetime_known": placed(known),
        "lifetime_since": placed((since - counted_from).astype(float)),
    }
    return _Chain(columns, placed(before_event_since), placed(first_in_event.astype(np.int64)))


def _cut(whole: Batch, wave: Ints) -> tuple[Batch, ...]:
    """The batches, as copies of the rows they own with indices of their own."""
    waves = int(wave.max()) + 1 if len(wave) else 0

    def ends(period: Ints) -> Ints:
        return np.searchsorted(wave[period], np.arange(waves + 1))

    entry_ends, unit_ends, game_ends = ends(whole.entry_period), ends(whole.unit_period), ends(whole.game_period)
    batches = []
    for w in range(waves):
        e, u, g = (slice(int(x[w]), int(x[w + 1])) for x in (entry_ends, unit_ends, game_ends))
        periods = np.flatnonzero(wave == w)
        per_entry = {
            name: getattr(whole, name)[e]
            for name in (
                "person", "previous", "filed_rating", "filed_deviation", "idle_days", "lifetime_known",
                "lifetime_since", "born", "grade", "place", "field", "listed", "unopposed", *_COUNTS,
            )
        }  # fmt: skip
        per_game = {name: getattr(whole, name)[g] for name in ("result", "spread", "cap", "round", "first")}
        batches.append(
            Batch(
                entries=e,
                units=u,
                games=g,
                **per_entry,
                **per_game,
                unit=whole.unit[e] - u.start,
                entry_period=np.searchsorted(periods, whole.entry_period[e]),
                unit_first=whole.unit_first[u] - e.start,
                unit_period=np.searchsorted(periods, whole.unit_period[u]),
                a=whole.a[g] - u.start,
                b=whole.b[g] - u.start,
                game_period=np.searchsorted(periods, whole.game_period[g]),
                lists={kind: Listed(*(values[e] for values in listed)) for kind, listed in whole.lists.items()},
                rounds=whole.rounds[periods],
                day=whole.day[periods],
                championship=[whole.championship[p] for p in periods.tolist()],
                pool=[whole.pool[p] for p in periods.tolist()],
                filed_system=[whole.filed_system[p] for p in periods.tolist()],
            )
        )
    return tuple(batches)
