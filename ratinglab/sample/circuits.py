"""Histories of any size with known strengths, for tests and benchmarks: nothing is read or written.

Strengths do not move unless asked to, pairings are random, spreads are not capped and no ratings are filed: what a
rating system makes of such a history can be held against what went in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ratinglab import schema
from ratinglab.history import History, Parsed, assemble
from ratinglab.sample.people import person_names
from ratinglab.sample.tournament import Real, Whole, scores

Words = npt.NDArray[np.object_]

_FIRST_DAY, _DAYS = "2010-01-02", 7  # days from one event to the next


def individual_circuit(
    rng: np.random.Generator,
    players: int,
    events: int,
    rounds: int,
    b: float = 5,
    tau: float = 90,
    mean: float = 1500,
    sd: float = 400,
    field: int | None = None,
    drift: float = 0,
) -> tuple[History, pd.Series[float]]:
    """A history of `events` weekly events of `rounds` rounds, and the players' true strengths by name.

    Strengths are normal with `mean` and `sd`; each event has `field` of the players (all of them by default), drawn
    anew; with an odd field one of them sits out each round, which leaves no row. With `drift` above 0 a strength takes
    a normal step of variance drift² for each day between two events that the player is at, and the true strengths are
    those at the end. Raises `ValueError` for a field that cannot be drawn.

    >>> history, truth = individual_circuit(np.random.default_rng(1), players=10, events=3, rounds=4)
    >>> len(history.games), len(truth)
    (60, 10)
    """
    field = players if field is None else field
    if not 2 <= field <= players:
        raise ValueError(f"a field of {field} cannot be drawn from {players} players")
    names = np.array(person_names(rng, players), dtype=object)
    strength = rng.normal(mean, sd, size=players)
    there = _shuffled(rng, np.arange(players), events)[:, :field]
    numbers = np.tile(np.arange(1, field + 1), events)
    entries = {"event": _events(events).repeat(field), "number": numbers, "player": names[there.ravel()]}
    if not drift:
        return _history(rng, entries, names, strength, there, rounds, b, tau), _truth(names, strength)
    moving = _drifting(rng, strength, there, drift)
    here = there + np.arange(events)[:, None] * players
    history = _history(rng, entries, np.tile(names, events), moving.ravel(), here, rounds, b, tau)
    return history, _truth(names, moving[-1])


def _drifting(rng: np.random.Generator, strength: Real, there: Whole, drift: float) -> Real:
    """The strengths (events, players) from those at the start, moved for the players who are `there` at each event."""
    now, last = strength.copy(), np.full(len(strength), -1)
    out = np.empty((len(there), len(strength)))
    for event, who in enumerate(there):
        waited = np.where(last[who] < 0, 0, (event - last[who]) * _DAYS)
        now[who] += rng.normal(0, 1, size=len(who)) * drift * np.sqrt(waited)
        last[who] = event
        out[event] = now
    return out


def team_circuit(
    rng: np.random.Generator,
    players: int,
    events: int,
    rounds: int,
    b: float = 5,
    tau: float = 90,
    mean: float = 1500,
    sd: float = 400,
    alone: float = 0.2,
) -> tuple[History, pd.Series[float]]:
    """The same for teams of one or two, of which about the share `alone` have one member; all players play everywhere.

    Partners are drawn anew for each event. A team's strength is its best member's less 100, or its members' mean if
    that is more. Raises `ValueError` where there are not two teams.

    >>> history, truth = team_circuit(np.random.default_rng(1), players=12, events=3, rounds=4)
    >>> history.entries.groupby(["event", "team"])["player"].size().max(), len(truth)
    (np.int64(2), 12)
    """
    singles = round(alone * players / (2 - alone))
    singles += (players - singles) % 2
    teams = (players + singles) // 2
    if singles > players or teams < 2:
        raise ValueError(f"{players} players make no two teams, or none with {alone} of them alone")
    names = np.array(person_names(rng, players), dtype=object)
    strength = rng.normal(mean, sd, size=players)
    # the first `teams` places of a row are the teams' first members, the rest the second members of the last teams
    order = _shuffled(rng, np.arange(players), events)
    team = np.concatenate([np.arange(teams), np.arange(singles, teams)])
    first, second = order[:, :teams], order[:, :teams].copy()
    second[:, singles:] = order[:, teams:]
    together = np.maximum(
        np.maximum(strength[first], strength[second]) - 100, (strength[first] + strength[second]) / 2
    )  # fmt: skip
    team_names = np.array([f"Team {name}" for name in names], dtype=object)[first]
    entries = {
        "event": _events(events).repeat(players),
        "number": np.tile(team + 1, events),
        "player": names[order.ravel()],
        "team": team_names[:, team].ravel(),
    }
    there = np.arange(events * teams).reshape(events, teams)
    history = _history(rng, entries, team_names.ravel(), together.ravel(), there, rounds, b, tau)
    return history, _truth(names, strength)


def _events(count: int) -> Words:
    return np.array([f"e{i:05d}" for i in range(1, count + 1)], dtype=object)


def _shuffled(rng: np.random.Generator, items: Whole, times: int) -> Whole:
    """`times` rows, each with the items in an order of its own."""
    return rng.permuted(np.tile(items, (times, 1)), axis=1)


def _truth(names: Words, strength: Real) -> pd.Series[float]:
    return pd.Series(strength, index=pd.Index(names, dtype="str", name="player"), name="strength")


def _history(
    rng: np.random.Generator,
    entries: dict[str, Any],
    names: Words,
    strength: Real,
    there: Whole,
    rounds: int,
    b: float,
    tau: float,
) -> History:
    """The history of random pairings between those that `there`, event by event, points to in `names`."""
    events, half = len(there), there.shape[1] // 2
    seats = rng.permuted(np.repeat(there[:, None, :], rounds, axis=1), axis=2)
    player, opponent = seats[..., :half].ravel(), seats[..., half : 2 * half].ravel()
    score, opponent_score = scores(rng, (strength[player] - strength[opponent]) / b, tau)
    tables = {
        "events": {
            "event": _events(events),
            "date": pd.date_range(_FIRST_DAY, periods=events, freq=f"{_DAYS}D"),
            "kind": "games",
            "rounds": rounds,
            "availability": "rated",
        },
        "entries": entries | {"section": schema.SECTION},
        "games": {
            "event": _events(events).repeat(rounds * half),
            "section": schema.SECTION,
            "round": np.tile(np.arange(1, rounds + 1).repeat(half), events),
            "player": names[player],
            "opponent": names[opponent],
            "score": score,
            "opponent_score": opponent_score,
            "result": (np.sign(score - opponent_score) + 1) / 2,
            "first": rng.integers(2, size=len(player)),
            "status": "played",
            "rated": 1,
        },
    }
    return assemble([Parsed({name: pd.DataFrame(table) for name, table in tables.items()})])
