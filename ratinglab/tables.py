"""The tables of a replay: changes, segments, forecasts, ratings, with the columns that people script against.

Floats are whole here; rounding is for reports. A column that a system does not have is absent.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab.periods import tally
from ratinglab.problems import UsageError

if TYPE_CHECKING:
    from ratinglab.periods import Floats, Ints
    from ratinglab.replaying import Replay

# Contributions to a change, in the order of the columns.
_DETAILS = ("percentile", "value", "base", "acceleration", "feedback", "bonus", "floor")


def changes(replay: Replay) -> pd.DataFrame:
    """One row for each entrant and event, also without a rated game; bonuses summed over segments.

    `expected` is nan for somebody whose first rating the event gave: nothing was expected of them.
    """
    require_single(replay, details=True)
    whole = replay.schedule.whole
    order = np.argsort(whole.entry_period, kind="stable")
    detail = _summed_details(replay)
    table = _who(replay, order) | {"games": whole.played[order], "wins": whole.wins[order]}
    if replay.system.rates == "placings":
        places = {"place": whole.place, "of": whole.field}
        table = _who(replay, order) | {name: pd.Series(of[order]).astype("Int64") for name, of in places.items()}
    if replay.system.has_forecast:
        table["expected"] = (detail["expected"] if "expected" in detail else _forecast_wins(replay))[order]
    table |= _states(replay, replay.before, "before", order)
    table |= {name: detail[name][order] for name in _DETAILS if name in detail}
    table |= _states(replay, replay.after, "after", order)
    return pd.DataFrame(table)


def segments(replay: Replay) -> pd.DataFrame:
    """As `changes`, one row for each entrant and segment of a split event, with segment, first_round, last_round."""
    require_single(replay, details=True)
    names = replay.system.detail_names
    expected = _forecast_wins(replay) if replay.system.has_forecast else None
    pieces: dict[str, list[Any]] = {}

    def add(**columns: Any) -> None:
        for name, values in columns.items():
            pieces.setdefault(name, []).append(values)

    none = np.zeros(0, dtype=np.int64)
    empty = {f"{name}{when}": np.zeros((0, 1)) for name in replay.system.state_names for when in ("_before", "_after")}
    add(row=none, segment=none, first_round=none, last_round=none, games=none, wins=none, **empty)
    add(**{name: np.zeros((0, 1)) for name in names})
    for batch, parts in zip(replay.schedule.batches, replay.parts, strict=True):
        first = np.zeros(len(batch.rounds), dtype=np.int64)
        for k, part in enumerate(parts):
            last = batch.rounds if part.last_rounds is None else part.last_rounds
            rows = np.flatnonzero(((first < last) | (k == 0))[batch.entry_period])
            period = batch.entry_period[rows]
            add(row=rows + batch.entries.start, segment=np.full(len(rows), k + 1))
            add(first_round=first[period] + 1, last_round=last[period], games=part.played[rows], wins=part.wins[rows])
            add(**{f"{name}_before": values[rows] for name, values in part.before.items()})
            add(**{f"{name}_after": values[rows] for name, values in part.after.items()})
            add(**{name: part.detail[name][rows] for name in names})
            first = np.maximum(first, last)
    joined = {name: np.concatenate(arrays) for name, arrays in pieces.items()}
    row = joined["row"]
    order = np.lexsort((joined["segment"], row, replay.schedule.whole.entry_period[row]))
    row = row[order]
    states = {
        when: {name: joined[f"{name}_{when}"] for name in replay.system.state_names} for when in ("before", "after")
    }
    table = _who(replay, row)
    table |= {name: joined[name][order] for name in ("segment", "first_round", "last_round", "games", "wins")}
    if expected is not None:
        table["expected"] = joined["expected"][order, 0] if "expected" in names else expected[row]
    table |= _states(replay, states["before"], "before", order)
    table |= {name: joined[name][order, 0] for name in _DETAILS if name in names}
    table |= _states(replay, states["after"], "after", order)
    return pd.DataFrame(table)


def forecasts(replay: Replay) -> pd.DataFrame:
    """One row for each rated game, from the side whose name sorts first; nan for a spread that is not known.

    Raises `UsageError` of a system that forecasts no games, or looks back on them.
    """
    require_single(replay)
    if not replay.system.has_forecast:
        raise UsageError(f"{replay.system.name} does not say before a game how likely a win is")
    schedule = replay.schedule
    whole = schedule.whole
    order = np.lexsort((np.arange(len(whole.a)), whole.round, whole.game_period))
    table = {
        "event": schedule.history.events["event"].to_numpy()[schedule.event_of_game()][order],
        "section": schedule.section[whole.game_period][order],
        "round": whole.round[order],
        "player": schedule.unit_name[whole.a][order],
        "opponent": schedule.unit_name[whole.b][order],
        "result": whole.result[order],
        "spread": whole.spread[order],
        "win": replay.win[order],
    }
    if replay.system.has_spread:
        spread_mean, spread_sd = _spread_forecasts(replay)
        table |= {"spread_mean": spread_mean[order], "spread_sd": spread_sd[order]}
    before = unit_games(replay)
    table |= {"player_games": before[whole.a][order], "opponent_games": before[whole.b][order]}
    return pd.DataFrame(table)


def ratings(replay: Replay, *, as_of: str | None = None, min_games: int = 0, active_days: int = 730) -> pd.DataFrame:
    """The rating list after the last event on or before `as_of` (an ISO date; by default the last rated game's).

    Listed is who has a rating and at least one rated game in the history, or `min_games` if that is more.
    provisional: fewer lifetime games than the system calls settled (`settled_games`); active: a rated game within
    `active_days` before the date of the list. peak: the highest rating after any event. Equal ratings share a rank.
    """
    require_single(replay, details=True)
    schedule = replay.schedule
    whole = schedule.whole
    end = schedule.history.events["end_date"].to_numpy()[schedule.event_of_entry()]
    latest = pd.Series(end[replay.rated > 0]).max()
    day = iso_day(as_of) if as_of is not None else latest
    # an event without a date counts only in a list that asks for no date
    kept = np.flatnonzero((end <= day.to_datetime64()) if as_of is not None else np.ones(len(end), dtype=bool))
    order = kept[np.lexsort((whole.entry_period[kept], whole.person[kept]))]
    # of a player filed with a rating and no number of games it is not known, and not doubted, that there were enough
    lifetime = whole.lifetime_games(np.inf)[:, 0] + whole.played
    rated = replay.rated[order] > 0
    frame = pd.DataFrame(
        {
            "player": schedule.history.entries["player"].to_numpy()[schedule.entry_row[order]],
            "rating": replay.after["rating"][order, 0],
            **({"deviation": replay.after["deviation"][order, 0]} if "deviation" in replay.after else {}),
            "games": replay.rated[order],
            "events": rated.astype(np.int64),
            "lifetime": lifetime[order],
            "peak": np.where(rated, replay.after["rating"][order, 0], np.nan),
            "last_event": pd.Series(end[order]).where(rated),
        }
    )
    by = frame.groupby("player", sort=False)
    # who has fallen below a floor is unrated again: the rating before does not count
    last = by[[name for name in ("rating", "deviation", "lifetime") if name in frame]].last(skipna=False)
    listed = last.join(by.agg({"games": "sum", "events": "sum", "peak": "max", "last_event": "max"}))
    listed = listed[listed["rating"].notna() & (listed["games"] >= max(1, min_games))].reset_index()
    listed = listed.sort_values(["rating", "player"], ascending=[False, True], kind="stable", ignore_index=True)
    names = schedule.history.players.dropna(subset="name").drop_duplicates("player").set_index("player")["name"]
    listed["rank"] = listed["rating"].rank(method="min", ascending=False).astype("int64")
    listed["name"] = listed["player"].map(names).astype("str").fillna(listed["player"])
    if replay.system.rates == "games":
        listed["provisional"] = listed["lifetime"] < replay.system.settled_games
    else:  # a place is all that an event gives
        listed = listed.drop(columns="games")
    listed["active"] = (day - listed["last_event"]) <= pd.Timedelta(days=active_days)
    listed["as_of"] = day
    columns = ["rank", "player", "name", "rating", "deviation", "games", "events", "provisional", "active", "peak"]
    return listed[[c for c in [*columns, "last_event", "as_of"] if c in listed.columns]]


def iso_day(text: str) -> pd.Timestamp:
    """A day written as 2012-05-12; raises `UsageError` for anything else."""
    try:
        return pd.Timestamp(datetime.date.fromisoformat(text))
    except ValueError:
        raise UsageError(f"expected a date as 2012-05-12; found {text}") from None


def unit_games(replay: Replay) -> Ints:
    """Rated games in the history before the event, per unit; of a team, those of its least experienced member."""
    schedule = replay.schedule
    return np.minimum.reduceat(schedule.games_before, schedule.whole.unit_first) if len(schedule.games_before) else (
        schedule.games_before
    )  # fmt: skip


def require_single(replay: Replay, *, details: bool = False) -> None:
    """Raise `UsageError` of a replay of several systems, or, where they are needed, one without details."""
    if (replay.system.grid_size or 1) > 1:
        raise UsageError(
            f"tables are of one system, and this replay is of {replay.system.grid_size}: take one with .column(i)"
        )
    if details and not replay.after:
        raise UsageError("this replay kept forecasts alone: replay with details=True for this table")


def _who(replay: Replay, rows: Ints) -> dict[str, Any]:
    schedule = replay.schedule
    event = schedule.event_of_entry()[rows]
    entries = schedule.history.entries
    row = schedule.entry_row[rows]
    return {
        "event": schedule.history.events["event"].to_numpy()[event],
        "section": schedule.section[schedule.whole.entry_period[rows]],
        "date": schedule.history.events["end_date"].to_numpy()[event],
        "player": entries["player"].to_numpy()[row],
        "number": entries["number"].to_numpy()[row],
    }


def _states(replay: Replay, state: dict[str, Floats], when: str, rows: Ints) -> dict[str, Floats]:
    """The state as columns: `before`, `deviation_before` …"""
    return {when if name == "rating" else f"{name}_{when}": state[name][rows, 0] for name in replay.system.state_names}


def _summed_details(replay: Replay) -> dict[str, Floats]:
    out = {name: np.zeros(len(replay.schedule.whole.person)) for name in replay.system.detail_names}
    for batch, parts in zip(replay.schedule.batches, replay.parts, strict=True):
        for part in parts:
            for name, values in part.detail.items():
                out[name][batch.entries] += values[:, 0]
    return out


def _forecast_wins(replay: Replay) -> Floats:
    """Expected wins of each entry in its rated games, from the forecasts."""
    whole = replay.schedule.whole
    n = len(whole.unit_first)
    total = tally(whole.a, replay.win, n) + tally(whole.b, 1 - replay.win, n)
    return whole.to_entries(total)


def _spread_forecasts(replay: Replay) -> tuple[Floats, Floats]:
    """Mean and standard deviation of every game's spread forecast."""
    blocks = [forecast for _, forecast in replay.forecast_blocks()]
    none = [np.zeros((0, 1))]
    mean = np.concatenate([*none, *(f.spread_mean for f in blocks if f.spread_mean is not None)])
    sd = np.concatenate([*none, *(f.spread_sd for f in blocks if f.spread_sd is not None)])
    return mean[:, 0], sd[:, 0]
