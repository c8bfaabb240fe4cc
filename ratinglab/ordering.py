"""Whether ratings put players in the order in which they then finished: concordant pairs and Kendall's tau-b.

A system of places says nothing of single games, so it is held against others by order: of every event, the ratings
before it against the final places. For that every event is told both ways: `as_games` makes games of places, and
`as_placings` places of games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ratinglab import schema
from ratinglab.history import History
from ratinglab.periods import Bools, Floats, Ints
from ratinglab.problems import UsageError
from ratinglab.replaying import replay
from ratinglab.resampling import RESAMPLES, event_draws, interval, standard_error
from ratinglab.scheduling import Schedule, round_caps, schedule
from ratinglab.scoring import parameters_text
from ratinglab.systems import System, parse

_DIGITS = 9  # ratings that differ by less are equal: sums in another order leave such differences
_COUNTS = ("concordant", "discordant", "tied", "shared")


def as_games(history: History) -> History:
    """The history with a game for every two placed entrants of each event that has placings and no games.

    The better place won, a shared one is a tie; all are in round 1, the spread is not known, and they are rated. An
    event with games of its own, such as the boards, keeps those. The games are **not independent**: one evening of 36
    players makes 630 of them, 35 for each. A system that takes each for a game of its own moves far too much, so its
    K must be scaled down (`elo:k=1`), and deviations that come of it are far too small.
    """
    placings = history.placings[history.placings["place"].notna()]
    placings = placings[~placings["event"].isin(history.games["event"].unique())]
    placings = placings.merge(_first_entries(history), on=["event", "player"])
    columns: dict[str, list[Any]] = {name: [] for name in ("event", "section", "player", "opponent", "result")}
    for (event, section), rows in placings.groupby(["event", "section"], sort=False):
        a, b = np.triu_indices(len(rows), 1)
        place, player = rows["place"].to_numpy(dtype=float), rows["player"].to_numpy(dtype=object)
        columns["event"].append(np.full(len(a), event, dtype=object))
        columns["section"].append(np.full(len(a), section, dtype=object))
        columns["player"].append(player[a])
        columns["opponent"].append(player[b])
        columns["result"].append(0.5 + 0.5 * np.sign(place[b] - place[a]))
    if not columns["event"]:
        return history
    made = pd.DataFrame({name: np.concatenate(parts) for name, parts in columns.items()})
    made = schema.conform("games", made.assign(round=1, status=schema.PLAYED, rated=1))
    return replace(history, games=pd.concat([history.games, made], ignore_index=True) if len(history.games) else made)


def as_placings(history: History) -> History:
    """The history with places for the events that have games and no placings: each section's final standing.

    By wins (a tie ½; byes and forfeits as filed), then by spread (0 where it is not known, that of a game at most its
    round's cap, where the event has caps); who is level in both shares the best place. N is the number of people in the
    standing. Sections of teams are left without: a team's place is no person's.
    """
    games = history.games[~history.games["event"].isin(history.placings["event"].unique())]
    of_team = history.entries.loc[history.entries["team"].notna(), ["event", "section"]].drop_duplicates()
    where = pd.MultiIndex.from_frame(games[["event", "section"]])
    standing = standings(history, games[~where.isin(pd.MultiIndex.from_frame(of_team))])
    found = _first_entries(history).merge(standing, on=["event", "section", "player"])
    if not len(found):
        return history
    made = schema.conform("placings", found[["event", "player", "place", "of"]])
    both = [history.placings, made] if len(history.placings) else [made]
    return replace(history, placings=pd.concat(both, ignore_index=True))


def standings(history: History, games: pd.DataFrame) -> pd.DataFrame:
    """The standing of each section of these games of the history: event, section, player, wins, spread, place, of.

    `player` is a team in sections of teams. By wins, then by spread, as `as_placings` says; games without a result, or
    of which it is not known whether they were played, count for nobody.
    """
    games = games[games["result"].notna() & (games["status"] != schema.UNKNOWN)]
    spread = counted_spreads(history, games).fillna(0.0)
    one = games.assign(wins=games["result"], spread=spread)
    other = games.assign(player=games["opponent"], wins=1 - games["result"], spread=-spread)
    sides = pd.concat([one, other[other["player"].notna()]])
    section = ["event", "section"]
    standing = sides.groupby([*section, "player"], sort=False)[["wins", "spread"]].sum().reset_index()
    standing = standing.sort_values(["wins", "spread"], ascending=False, kind="stable")
    standing = standing.assign(at=standing.groupby(section).cumcount() + 1)
    standing["place"] = standing.groupby([*section, "wins", "spread"])["at"].transform("min")
    standing["of"] = standing.groupby(section)["player"].transform("size")
    return standing.drop(columns="at")


def spreads(games: pd.DataFrame) -> pd.Series:
    """The spread of each game from `player`'s side, nan where not known; of a bye, what is credited: +50 in TSH."""
    against = games["opponent_score"].astype(float)
    return games["score"].astype(float) - against.where(games["opponent"].notna(), against.fillna(0.0))


def counted_spreads(history: History, games: pd.DataFrame) -> pd.Series:
    """The spreads as they count in a standing: that of a game between two is at most its round's cap."""
    spread = spreads(games)
    tables = (history.events, history.divisions)
    capped = {event for table in tables for event in table.loc[table["spread_cap"].notna(), "event"]}
    two = games["opponent"].notna() & games["event"].isin(capped)
    settings = history.section_settings()
    for (event, section), of in games[two].groupby(["event", "section"], sort=False):
        cap = round_caps(settings(str(event), str(section)).spread_cap, of["round"].to_numpy(dtype=np.int64))
        spread.loc[of.index] = spread.loc[of.index].clip(-cap, cap)
    return spread


def _first_entries(history: History) -> pd.DataFrame:
    """Event, section, player of each person's first entry in an event, which is the one that is placed."""
    return history.entries[["event", "section", "player"]].drop_duplicates(["event", "player"])


def order_scores(
    history: History,
    systems: Sequence[System | str],
    *,
    start: str = "filed",
    seed: int = 0,
    resamples: int = RESAMPLES,
    progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """How well each system's ratings before an event foretold its final order, a row for each system.

    Every system goes through the same events: one of places takes the places (of events without any, `as_placings`),
    one of games the games (of events without any, `as_games`). Counted are all pairs of entrants of one section whose
    places differ: concordant where the higher rating finished ahead, discordant, or tied (equal ratings). `concordance`
    is (concordant + tied/2)/pairs. `kendall_tau` is tau-b, (C - D)/√((C + D + T)(C + D + U)), with T the pairs tied in
    rating alone and U in place alone, all pairs within events taken together. `_se` is from resampling events.

    A newcomer stands where the system's forecasts put somebody unrated. The columns `experienced_…` count only pairs of
    players who both have a game or a place at an earlier event. Kendall, Rank Correlation Methods, 1948, chapter 3.

    Raises `UsageError` of a system that looks back on all games: its ratings before an event know it.

    >>> from ratinglab.sample import individual_circuit
    >>> history, _ = individual_circuit(np.random.default_rng(1), players=8, events=3, rounds=4)
    >>> order_scores(history, ["dip-pouch", "elo"])["pairs"].tolist()
    [84, 84]
    """
    rows = []
    for single, at, everybody, experienced in _counted(history, systems, start, progress):
        row: dict[str, Any] = {"system": single.name, "parameters": parameters_text(single)}
        row |= _scores(everybody, at, seed, resamples)
        of_experienced = _scores(experienced, at, seed, resamples)
        row |= {f"experienced_{name}": value for name, value in of_experienced.items() if name not in _COUNTS}
        rows.append(row)
    return pd.DataFrame(rows)


def order_differences(
    history: History,
    reference: System | str,
    other: System | str,
    *,
    start: str = "filed",
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> pd.DataFrame:
    """How much better or worse `other` foretold final orders than `reference`, on the same pairs (`order_scores`).

    A row for each of concordance, kendall_tau and the same of experienced players: metric, events, pairs, reference,
    reference_se, other, other_se, difference (other less reference: above 0 is better), se, low, high (95 %). Both see
    the same resamples of events.
    """
    two = [(at, counts) for _, at, *counts in _counted(history, [reference, other], start, None)]
    rows = []
    for which, prefix in enumerate(("", "experienced_")):
        of = [np.stack([counts[which][name][:, at] for name in _COUNTS]) for at, counts in two]
        events = of[0].shape[1]
        draws = event_draws(events, seed, resamples)
        totals = [_measures(counts.sum(axis=1)) for counts in of]
        resampled = [_measures(counts @ draws.T) for counts in of]
        for place, metric in enumerate(("concordance", "kendall_tau")):
            apart = resampled[1][place] - resampled[0][place]
            low, high = interval(apart)
            rows.append(
                {
                    "metric": prefix + metric,
                    "events": events,
                    "pairs": int(of[0][:3].sum()),
                    "reference": float(totals[0][place]),
                    "reference_se": standard_error(resampled[0][place]),
                    "other": float(totals[1][place]),
                    "other_se": standard_error(resampled[1][place]),
                    "difference": float(totals[1][place] - totals[0][place]),
                    "se": standard_error(apart),
                    "low": low,
                    "high": high,
                }
            )
    return pd.DataFrame(rows)


def both_ways(history: History, start: str = "filed") -> dict[str, Schedule]:
    """The history's events told as games and as places, ready to be replayed: a schedule by what a system rates."""
    placed = as_placings(history)
    # the games made of places are of one round, which a system of places must not take for the event's rounds
    return {
        "games": schedule(as_games(placed), start=start, rates="games"),
        "placings": schedule(placed, start=start, rates="placings"),
    }


def _counted(
    history: History, systems: Sequence[System | str], start: str, progress: Callable[[int, int], None] | None
) -> Iterator[tuple[System, int, Mapping[str, Floats], Mapping[str, Floats]]]:
    """Each single system with its column and its counts of everybody and of the experienced (`_count`)."""
    chosen = [parse(system) if isinstance(system, str) else system for system in systems]
    for system in chosen:
        if system.looks_back:
            raise UsageError(f"{system.name} looks back on all games, so it foretells no order")
    schedules = both_ways(history, start)
    field = _field(schedules["games"], schedules["placings"])
    for done, system in enumerate(chosen):
        result = replay(schedules[system.rates], system, details=False)
        strength = np.round(result.unit_strength["rating"][result.schedule.whole.unit], _DIGITS)
        everybody, experienced = (_count(field, strength, only) for only in (False, True))
        for column in range(system.grid_size or 1):
            single = system.column(column) if system.grid_size else system
            yield single, min(column, strength.shape[1] - 1), everybody, experienced
        if progress is not None:
            progress(done + 1, len(chosen))


@dataclass(frozen=True)
class _Field:
    """The final orders: for each section the rows of its placed entrants; per row its place, and who played before."""

    sections: Sequence[Ints]
    event: Ints  # of each of `sections`, a row of history.events
    events: int
    place: Floats
    experienced: Bools


def _field(by_games: Schedule, by_places: Schedule) -> _Field:
    """Both schedules are of the same entries: their rows are the same."""
    whole = by_games.whole
    alone = np.repeat(whole.members == 1, whole.members)  # of a team nobody has a place
    placed = np.flatnonzero((whole.place >= 1) & alone)
    by_period = placed[np.argsort(whole.entry_period[placed], kind="stable")]
    begins = np.flatnonzero(np.diff(whole.entry_period[by_period], prepend=-1))
    sections = np.split(by_period, begins[1:]) if len(begins) else []
    return _Field(
        sections,
        by_games.event[whole.entry_period[by_period[begins]]],
        len(by_games.history.events),
        whole.place,
        (by_games.games_before > 0) | (by_places.games_before > 0),
    )


def _count(field: _Field, strength: Floats, experienced: bool) -> Mapping[str, Floats]:
    """Per event (with a pair at all) and system (events, p): pairs by what became of them; `shared`: U above."""
    counts = {name: np.zeros((field.events, strength.shape[1])) for name in _COUNTS}
    for rows, event in zip(field.sections, field.event.tolist(), strict=True):
        if experienced:
            rows = rows[field.experienced[rows]]
        a, b = np.triu_indices(len(rows), 1)
        ahead = np.sign(field.place[rows][b] - field.place[rows][a])[:, None]
        foretold = np.sign(strength[rows][a] - strength[rows][b])
        counts["concordant"][event] += (ahead * foretold > 0).sum(axis=0)
        counts["discordant"][event] += (ahead * foretold < 0).sum(axis=0)
        counts["tied"][event] += ((foretold == 0) & (ahead != 0)).sum(axis=0)
        counts["shared"][event] += ((foretold != 0) & (ahead == 0)).sum(axis=0)
    some = (counts["concordant"] + counts["discordant"] + counts["tied"]).any(axis=1)
    return {name: values[some] for name, values in counts.items()}


def _scores(counts: Mapping[str, Floats], column: int, seed: int, resamples: int) -> dict[str, Any]:
    """The figures of one system, with their standard errors."""
    of_system = np.stack([counts[name][:, column] for name in _COUNTS])
    events = of_system.shape[1]
    total = of_system.sum(axis=1)
    concordance, tau = _measures(total)
    resampled = _measures(of_system @ event_draws(events, seed, resamples).T)
    whole = dict(zip(_COUNTS, total.astype(np.int64).tolist(), strict=True))
    return {
        "events": events,
        "pairs": int(total[:3].sum()),
        **{name: whole[name] for name in _COUNTS[:3]},
        "concordance": float(concordance),
        "concordance_se": standard_error(resampled[0]),
        "kendall_tau": float(tau),
        "kendall_tau_se": standard_error(resampled[1]),
    }


def _measures(totals: Floats) -> tuple[Floats, Floats]:
    """Share concordant and tau-b from the four counts (4, …); nan where there are no pairs to speak of."""
    concordant, discordant, tied, shared = totals
    ordered = concordant + discordant
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (concordant + tied / 2) / (ordered + tied)
        tau = (concordant - discordant) / np.sqrt((ordered + tied) * (ordered + shared))
    return share, tau
