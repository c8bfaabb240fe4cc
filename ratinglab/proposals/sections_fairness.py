"""Whether one's place in one's section decides whether one gains or loses: by seed, and of winners and the last.

A section's entrants (players or teams) are **seeded** by their ratings before the event. Of whom nothing was known
before it has no seed, and counts as unseeded; a team has a seed if something is known of all its members. Where a
rating system is right about everybody, nobody wins more than expected because of a place in the section.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab.ordering import standings
from ratinglab.periods import Bools, Floats, Ints, tally
from ratinglab.problems import UsageError
from ratinglab.resampling import RESAMPLES, event_draws, interval, standard_error
from ratinglab.tables import require_single

if TYPE_CHECKING:
    from ratinglab.replaying import Replay

PARTS, RANKS = 10, 5
SIZES = (2, 6, 10, 20)  # entrants from which each class of section size begins
_SAME = 1e-9  # rating points: a smaller change is none, and ratings that differ by less are equal
_DIGITS = 9


def excess_by_seed(
    replay: Replay, *, parts: int = PARTS, ranks: int = RANKS, seed: int = 0, resamples: int = RESAMPLES
) -> pd.DataFrame:
    """Wins beyond those expected and rating changes by seed within the section, each with its standard error.

    Rows: `position` is `part` (`place` 1, the strongest share of the section, to `parts`; `low` and `high` its limits),
    `from top` (`place` 1, the first seed, to `ranks`) or `from bottom` (1, the last seed). Of n seeded entrants the one
    at rank r stands at (r - ½)/n; equal ratings share the mean rank among parts, and the best place from either end.

    `excess` is wins less expected wins, a game, in games between two seeded entrants, so that over a whole section it
    is 0; the expected wins are forecasts from before the event. `excess_per_event` is the same an entrant. `change` is
    the mean rating change at the event (points; of a team, its members' mean), of all its rated games. A system that
    forecasts no games has `change` alone. `_se` from resampling events; sections without two seeded entrants who played
    are left out.

    Raises `UsageError` where `parts` or `ranks` is below 1.
    """
    if min(parts, ranks) < 1:
        raise UsageError(f"parts and ranks must be 1 or more; found {parts} and {ranks}")
    seeds = _seeds(replay)
    classes = [("part", k + 1, k / parts, (k + 1) / parts, seeds.part(parts) == k) for k in range(parts)]
    for position, rank in (("from top", seeds.from_top), ("from bottom", seeds.from_bottom)):
        classes += [(position, k, np.nan, np.nan, rank == k) for k in range(1, ranks + 1)]
    events = int(seeds.event.max(initial=-1)) + 1
    draws = event_draws(events, seed, resamples)
    rows = []
    for position, place, low, high, chosen in classes:
        row: dict[str, Any] = {"position": position, "place": place, "low": low, "high": high}
        row |= {"entrants": int(chosen.sum()), "events": len(np.unique(seeds.event[chosen]))}
        measures = {"change": (seeds.change, seeds.changed.astype(float))}
        if replay.system.has_forecast:
            row["games"] = int(seeds.games[chosen].sum())
            here = {
                "excess": (seeds.excess, seeds.games),
                "excess_per_event": (seeds.excess, (seeds.games > 0).astype(float)),
            }
            measures = here | measures
        for name, (total, count) in measures.items():
            sums = np.stack([tally(seeds.event[chosen], of[chosen], events) for of in (total, count)])
            row |= {name: float(_ratio(sums.sum(axis=1))), f"{name}_se": standard_error(_ratio(sums @ draws.T))}
        rows.append(row)
    return pd.DataFrame(rows)


def flatness(replay: Replay, *, seed: int = 0, resamples: int = RESAMPLES) -> pd.DataFrame:
    """How excess wins and rating changes go from a section's top to its bottom: a row `excess`, and a row `change`.

    `excess` is per game, `change` in points an event, as `excess_by_seed` tells them. `slope` is that of the least
    squares line on the place in the section, 0 at its top and 1 at its bottom, excess wins weighted by games: above 0
    the bottom seeds gain, and a fair curve has 0. `se`, and `low` to `high`, the 95 % interval, are from resampling
    events; `z` is slope/se. `unseeded`: entrants with a rated result and no seed.
    """
    seeds = _seeds(replay)
    events = int(seeds.event.max(initial=-1)) + 1
    draws = event_draws(events, seed, resamples)
    measures = {"change": (seeds.change, seeds.changed.astype(float))}
    if replay.system.has_forecast:
        measures = {"excess": (seeds.excess, seeds.games), **measures}
    rows = []
    for name, (total, weight) in measures.items():
        place = seeds.place
        terms = (weight, weight * place, weight * place**2, total, total * place)
        sums = np.stack([tally(seeds.event, of, events) for of in terms])
        resampled = _slope(sums @ draws.T)
        slope, se = float(_slope(sums.sum(axis=1))), standard_error(resampled)
        low, high = interval(resampled)
        row = {"figure": name, "slope": slope, "se": se, "low": low, "high": high, "z": slope / se}
        counted = weight > 0
        row |= {"entrants": int(counted.sum()), "sections": len(np.unique(seeds.section[counted]))}
        rows.append(row | {"events": len(np.unique(seeds.event[counted])), "unseeded": seeds.unseeded})
    return pd.DataFrame(rows)


def section_winners(replay: Replay, *, seed: int = 0, resamples: int = RESAMPLES) -> pd.DataFrame:
    """How often the winner of a section loses points and the last gains some: in all, and by the size of the section.

    The winner and the last are those of the final standing (`ratinglab.ordering.standings`: wins, then spread; of an
    event with placings those); who is level in both shares the place and counts as one of several. Counted are winners
    and lasts with a rating before the event and a rated result in it: `winners` and `last` say how many, `winner_lost`
    and `last_gained` are shares, with `_se` and the 95 % interval `_low` to `_high` from resampling events.
    `winner_change` and `last_change` are mean changes in points. A section without an order (all level) is left out.
    """
    require_single(replay, details=True)
    units = _units(replay)
    place, size = _final_places(replay)
    whole = replay.schedule.whole
    worst = np.zeros(len(whole.rounds))
    placed = ~np.isnan(place)
    np.maximum.at(worst, whole.unit_period[placed], place[placed])
    ordered = placed & (worst[whole.unit_period] > 1)
    known = ordered & (units.results > 0) & ~np.isnan(units.change)
    ends = {"winner": known & (place == 1), "last": known & (place == worst[whole.unit_period])}
    moved = {"winner": units.change < -_SAME, "last": units.change > _SAME}
    event = replay.schedule.event[whole.unit_period]
    of_events, event = np.unique(event, return_inverse=True)
    draws = event_draws(len(of_events), seed, resamples)
    rows = []
    for label, low, high in [("all", 0, np.inf), *_sizes()]:
        here = (size >= low) & (size < high) if low else np.ones(len(size), dtype=bool)
        row: dict[str, Any] = {"size": label, "sections": len(np.unique(whole.unit_period[ordered & here]))}
        row["events"] = len(np.unique(event[ordered & here]))
        for who, count, share in (("winner", "winners", "winner_lost"), ("last", "last", "last_gained")):
            chosen = ends[who] & here
            terms = (moved[who][chosen].astype(float), np.ones(int(chosen.sum())))
            sums = np.stack([tally(event[chosen], of, len(of_events)) for of in terms])
            resampled = _ratio(sums @ draws.T)
            ends_at = interval(resampled)
            row |= {count: int(chosen.sum()), share: float(_ratio(sums.sum(axis=1)))}
            row |= {f"{share}_se": standard_error(resampled), f"{share}_low": ends_at[0], f"{share}_high": ends_at[1]}
            row[f"{who}_change"] = float(units.change[chosen].mean()) if chosen.any() else np.nan
        rows.append(row)
    return pd.DataFrame(rows)


def _sizes() -> list[tuple[str, float, float]]:
    """The classes of section size: label, from, below."""
    ends = (*SIZES[1:], np.inf)
    return [
        (f"{low} or more" if np.isinf(high) else f"{low} to {high - 1:g}", low, high)
        for low, high in zip(SIZES, ends, strict=True)
    ]


@dataclass(frozen=True)
class _Units:
    """What an event did to each unit (units,): a player, or a team as its members' mean."""

    change: Floats  # of the rating; nan where one of the members had none before, or has none after
    results: Ints  # rated games, or places


def _units(replay: Replay) -> _Units:
    whole = replay.schedule.whole
    change = replay.after["rating"][:, 0] - replay.before["rating"][:, 0]
    n = len(whole.unit_first)
    return _Units(tally(whole.unit, change, n) / whole.members, replay.rated[whole.unit_first])


@dataclass(frozen=True)
class _Seeds:
    """The seeded units of all sections with two or more of them who played: arrays (seeds,)."""

    section: Ints
    event: Ints  # counted among those with such sections
    twice_above: Ints  # twice the seeds above it in the section, itself half above: whole also where ratings are equal
    twice_size: Ints  # twice the seeds of the section
    from_top: Ints
    from_bottom: Ints
    games: Floats  # against others with a seed
    excess: Floats  # wins in them beyond those expected
    change: Floats  # 0 where not known
    changed: Bools  # whether it is known
    unseeded: int

    @property
    def place(self) -> Floats:
        """Where each stands in the section, from its top (0) to its bottom (1)."""
        return self.twice_above / self.twice_size

    def part(self, parts: int) -> Ints:
        """Which of so many equal parts of the section each stands in, from 0."""
        return self.twice_above * parts // self.twice_size


def _seeds(replay: Replay) -> _Seeds:
    require_single(replay, details=True)
    schedule = replay.schedule
    whole = schedule.whole
    n = len(whole.unit_first)
    root = schedule.before_event
    informed = (whole.previous[root] >= 0) | ~np.isnan(whole.filed_rating[root])
    informed &= ~np.isnan(replay.before["rating"][root, 0])
    known = ~whole.any_member(~informed)
    units = _units(replay)
    played = units.results > 0
    table = pd.DataFrame(
        {"section": whole.unit_period, "rating": np.round(replay.unit_strength["rating"][:, 0], _DIGITS)}
    )
    table = table[known & played]
    table = table[table.groupby("section")["rating"].transform("size") > 1]
    by = table.groupby("section")["rating"]
    seeded = table.index.to_numpy()
    inside = np.zeros(n, dtype=bool)
    inside[seeded] = True
    games, excess = np.zeros(n), np.zeros(n)
    if replay.system.has_forecast:
        both = inside[whole.a] & inside[whole.b]
        a, b, beyond = whole.a[both], whole.b[both], (whole.result - replay.win)[both]
        games = tally(a, np.ones(len(a)), n) + tally(b, np.ones(len(b)), n)
        excess = tally(a, beyond, n) - tally(b, beyond, n)
    change = units.change[seeded]
    return _Seeds(
        section=whole.unit_period[seeded],
        event=np.unique(schedule.event[whole.unit_period[seeded]], return_inverse=True)[1],
        twice_above=(2 * by.rank(method="average", ascending=False) - 1).to_numpy().astype(np.int64),
        twice_size=2 * by.transform("size").to_numpy().astype(np.int64),
        from_top=by.rank(method="min", ascending=False).to_numpy().astype(np.int64),
        from_bottom=by.rank(method="min", ascending=True).to_numpy().astype(np.int64),
        games=games[seeded],
        excess=excess[seeded],
        change=np.nan_to_num(change),
        changed=~np.isnan(change),
        unseeded=int((played & ~known).sum()),
    )


def _final_places(replay: Replay) -> tuple[Floats, Floats]:
    """Each unit's place in the final standing of its section (nan: none), and how many stand in it."""
    schedule = replay.schedule
    history, whole = schedule.history, schedule.whole
    alone = whole.members == 1  # a team's place is not filed
    place, size = (np.where(alone, of[whole.unit_first], np.nan) for of in (whole.place, whole.field))
    games = history.games[~history.games["event"].isin(history.placings["event"].unique())]
    standing = standings(history, games)
    if len(standing):
        event = history.events["event"].to_numpy()[schedule.event[whole.unit_period]]
        where = pd.MultiIndex.from_arrays([event, schedule.section[whole.unit_period], schedule.unit_name])
        at = pd.MultiIndex.from_frame(standing[["event", "section", "player"]]).get_indexer(where)
        found = at >= 0
        place[found] = standing["place"].to_numpy(dtype=float)[at[found]]
        size[found] = standing["of"].to_numpy(dtype=float)[at[found]]
    return place, size


def _ratio(sums: Floats) -> Floats:
    """The first of two sums (2, …) by the second; nan where that is 0."""
    total, count = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(count > 0, total / count, np.nan)


def _slope(sums: Floats) -> Floats:
    """The slope of a weighted line from Σw, Σwx, Σwx², Σwy, Σwxy (5, …); nan where all stand at one place."""
    w, wx, wxx, wy, wxy = sums
    spread = w * wxx - wx**2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(spread > 1e-9 * w * wxx, (w * wxy - wx * wy) / spread, np.nan)
