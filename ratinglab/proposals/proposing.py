"""The current system against a proposed one, over the whole history: what a committee needs to know before a vote.

Both replay the same events. Forecasts are compared game by game, with intervals from resampling events. Rating lists,
lines and seedings are compared as they come out (`list_changes`). Levels, volatility and sections are told by
`levels` and `sections_fairness`, and `ratinglab.reports.decision_page` puts all before the vote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab.comparison.comparing import differences
from ratinglab.comparison.subsets import counts, game_subsets
from ratinglab.explaining import Rerating, explain, rerating
from ratinglab.ordering import both_ways, order_differences
from ratinglab.problems import UsageError
from ratinglab.proposals import levels, sections_fairness
from ratinglab.proposals.list_changes import (
    Scales,
    comparable_changes,
    line_counts,
    line_crossings,
    list_order,
    player_changes,
    scales,
    seeding_changes,
    top_lists,
)
from ratinglab.replaying import Replay, replay
from ratinglab.resampling import RESAMPLES, event_draws, standard_error
from ratinglab.scheduling import schedule
from ratinglab.scoring import METRICS, SPREAD_METRICS, counted_games, event_sums
from ratinglab.systems import parse
from ratinglab.tasks import HERE, Progress, Workers, run

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.periods import Bools
    from ratinglab.systems import System

CURRENT, PROPOSED = "current", "proposed"
PLACINGS = "placings"
TOP = 20
NOTHING = 1e-9  # points: what the order of sums may leave of no change at all

# The tables that are made of each system's replay alone, a task each.
_OF_ONE: Mapping[str, Callable[..., pd.DataFrame]] = {
    "levels": levels.levels,
    "cohort": levels.cohort,
    "rated": levels.rated_players,
    "volatility": levels.volatility,
    "sections": sections_fairness.excess_by_seed,
    "flatness": sections_fairness.flatness,
    "winners": sections_fairness.section_winners,
}
_RESAMPLED = ("cohort", "volatility", "sections", "flatness", "winners")


@dataclass(frozen=True)
class Proposal:
    """What the proposal would have done; columns of the tables: docs/tables.md.

    `forecasts` has a row for each metric, `subsets` for each group of games (log loss). `tables` holds what is made of
    each system's replay alone, by name, with `which` (current or proposed) first; `unknown` says by the same names why
    one of them could not be made. `seeding` are the figures of `list_changes.seeding_changes`, `order` is Kendall's tau
    of the two lists. `why` are worked examples: the player who gains most, and the one who loses most.
    """

    current: Replay
    proposed: Replay
    by_order: bool  # judged by the order of finish, since one of them rates places
    games: int  # judged: rated games, or pairs of entrants
    events: int
    forecasts: pd.DataFrame
    subsets: pd.DataFrame
    players: pd.DataFrame
    top: pd.DataFrame
    crossings: pd.DataFrame
    lines: pd.DataFrame
    seeding: Mapping[str, float]
    order: float
    tables: Mapping[str, pd.DataFrame]
    unknown: Mapping[str, str]
    why: tuple[Rerating, ...]
    since: str | None
    top_places: int
    min_games: int
    seed: int
    resamples: int

    @property
    def metric(self) -> str:
        """What the answer is given in."""
        return str(self.forecasts["metric"].iloc[0])

    @property
    def main(self) -> pd.Series:
        """The row of `forecasts` that the answer is given in."""
        return self.forecasts.iloc[0]

    @property
    def digits(self) -> int:
        """Decimals with which ratings are listed: 0, and 2 on a scale of 0 to 100."""
        return 2 if PLACINGS in (self.current.system.rates, self.proposed.system.rates) else 0

    @property
    def least(self) -> float:
        """The smallest change that a list shows, in points."""
        return float(0.5 * 10.0**-self.digits)

    @property
    def changes(self) -> pd.Series:
        """Each listed player's gain in points that can be compared (`list_changes.comparable_changes`)."""
        return comparable_changes(self.players)

    @property
    def scales(self) -> Scales:
        """Whether a point is still a point under the proposal."""
        return scales(self.players)

    @property
    def nothing_changes(self) -> bool:
        """Whether every player has the same rating under both, and every game the same forecast."""
        one, other = self.current, self.proposed
        if one.schedule is not other.schedule:
            return False
        pairs = [(one.after["rating"], other.after["rating"])]
        if one.system.has_forecast and other.system.has_forecast:
            pairs.append((one.win, other.win))
        return all(np.allclose(a, b, rtol=0, atol=NOTHING, equal_nan=True) for a, b in pairs)

    @property
    def ranked(self) -> pd.DataFrame:
        """The players who have a rank on either list, from the greatest gain to the greatest loss; with `change`."""
        some = self.players["current_rank"].notna() | self.players["proposed_rank"].notna()
        table = self.players.assign(change=self.changes)[some & self.changes.notna()]
        return table.sort_values("change", ascending=False, kind="stable", ignore_index=True)

    def gains(self) -> dict[str, int]:
        """How many listed players gain, lose, or change by less than a list shows, and whom only one system rates."""
        change = self.changes
        return {
            "listed": len(self.players),
            "gain": int((change >= self.least).sum()),
            "lose": int((change <= -self.least).sum()),
            "unchanged": int((change.abs() < self.least).sum()),
            "one_list": int(change.isna().sum()),
        }

    def key_figures(self) -> dict[str, Any]:
        """What decision.json holds: difference and interval, counts of games, events, players and crossings."""
        measured = {
            row["metric"]: {name: _plain(row[name]) for name in (CURRENT, PROPOSED, "difference", "se", "low", "high")}
            for _, row in self.forecasts.iterrows()
        }
        lines = {
            f"{kind} {line:g}": {"current": int(now), "proposed": int(then), "up": int(up), "down": int(down)}
            for kind, line, now, then, up, down in self.lines[
                ["kind", "line", "current", "proposed", "up", "down"]
            ].itertuples(index=False)
        }
        return {
            "systems": {CURRENT: self.current.system.label, PROPOSED: self.proposed.system.label},
            "metric": self.metric,
            **measured[self.metric],
            "forecasts": measured,
            "games": self.games,
            "events": self.events,
            "nothing_changes": self.nothing_changes,
            "players": self.gains(),
            "mean_shift": _plain(self.scales.shift),
            "spread_ratio": _plain(self.scales.stretch),
            "other_scale": self.scales.differ,
            "list_kendall_tau": _plain(self.order),
            "crossings": lines,
            "seeding": {name: _plain(value) for name, value in self.seeding.items()},
        }

    @property
    def files(self) -> dict[str, pd.DataFrame]:
        """Every table by the name of its file."""
        named = {"forecasts": self.forecasts, "subsets": self.subsets, "players": self.players, "top": self.top}
        named |= {"lines": self.crossings, "line_counts": self.lines, **self.tables}
        return {f"{name}.csv": table for name, table in named.items()}


def _plain(value: Any) -> float | None:
    return None if pd.isna(value) else float(value)


def propose(
    history: History,
    current: System | str,
    proposed: System | str,
    *,
    since: str | None = None,
    lines: Sequence[float] = (),
    top: int = TOP,
    min_games: int = 0,
    start: str = "filed",
    seed: int = 0,
    resamples: int = RESAMPLES,
    workers: Workers = HERE,
    progress: Progress | None = None,
) -> Proposal:
    """What `proposed` in place of `current` would have done to this history.

    `since` (an ISO date): only events that end from then on are rated, everybody starting from the rating filed with
    the first of them. `lines` are ratings that divide or qualify, `top` a line by rank. `min_games`: games are judged
    whose two sides had that many rated games before the event, and players are listed who have that many.
    If either system rates places, or the history has no games, both are judged by the order of finish
    (`ratinglab.ordering`). `progress` is called with (steps done, steps in all).

    Raises `UsageError` of a system that looks back on all games, of several systems at once (see
    `variants`), and of a history without anything to be judged.

    >>> from ratinglab.sample import individual_circuit
    >>> history, _ = individual_circuit(np.random.default_rng(1), players=8, events=3, rounds=4)
    >>> propose(history, "elo", "elo:k=32").gains()["listed"]
    8
    """
    systems = [parse(one) if isinstance(one, str) else one for one in (current, proposed)]
    for one in systems:
        check_proposable(one)
    if top < 1 or min_games < 0:
        raise UsageError(f"the top is of 1 place or more, and games are 0 or more; found {top} and {min_games}")
    history = history.between(since, None)
    by_order = judged_by_order(history, systems)
    schedules = both_ways(history, start) if by_order else {"games": schedule(history, start=start)}
    steps = 2 + 2 * len(_OF_ONE)
    replays = []
    for done, one in enumerate(systems, 1):
        replays.append(replay(schedules[one.rates], one))
        if progress is not None:
            progress(done, steps)
    now, then = replays
    judged = _by_order(history, systems, start, seed, resamples) if by_order else _by_game(
        now, then, min_games, seed, resamples
    )  # fmt: skip
    players = player_changes(now, then, min_games=min_games, top=top)
    if not len(players):
        least = f" with {min_games} rated games" if min_games > 1 else ""
        raise UsageError(f"a proposal is judged by the players it rates, and there is nobody{least}")
    tables, unknown = _of_each(replays, seed, resamples, workers, lambda done: progress and progress(2 + done, steps))
    return Proposal(
        current=now,
        proposed=then,
        by_order=by_order,
        **judged,
        players=players,
        top=top_lists(players, top),
        crossings=line_crossings(players, lines, top),
        lines=line_counts(players, lines, top),
        seeding=seeding_changes(now, then) if now.schedule is then.schedule else {},
        order=list_order(players),
        tables=tables,
        unknown=unknown,
        why=_examples(now, then, players),
        since=since,
        top_places=top,
        min_games=min_games,
        seed=seed,
        resamples=resamples,
    )


def check_proposable(system: System) -> None:
    """Raise `UsageError` for what cannot be put to a vote: hindsight, or several systems at once."""
    if system.looks_back:
        raise UsageError(f"{system.name} looks back on all games: it says nothing before an event and is no proposal")
    if (system.grid_size or 1) > 1:
        raise UsageError(f"a proposal is one system, and {system.label} is {system.grid_size}: see --variants")


def judged_by_order(history: History, systems: Sequence[System]) -> bool:
    """Whether systems can only be held against each other by the order of finish."""
    return any(one.rates == PLACINGS for one in systems) or (not len(history.games) and len(history.placings) > 0)


# --- forecasts --------------------------------------------------------------------------------------------------------


def _by_game(now: Replay, then: Replay, min_games: int, seed: int, resamples: int) -> dict[str, Any]:
    """Forecast quality over all counted games and over groups of them, and how many there are."""
    counted = counted_games(now, min_games)
    if not counted.any():
        had = f" whose two sides had {min_games} before" if min_games else ""
        raise UsageError(f"a proposal is judged by rated games, and this history has none{had}")
    spreads = now.system.has_spread and then.system.has_spread
    metrics = [*METRICS, *(SPREAD_METRICS if spreads else ())]
    sums = {name: event_sums(one, counted, metrics) for name, one in ((CURRENT, now), (PROPOSED, then))}
    draws = event_draws(len(sums[CURRENT].games), seed, resamples)
    table = differences(sums, CURRENT, metrics, seed=seed, resamples=resamples)
    table = table[table["system"] == PROPOSED].drop(columns=["system", "reference", "in_best_set"])
    for name, one in sums.items():
        values, resampled = one.metrics(np.ones((1, len(one.games)))), one.metrics(draws)
        table[name] = [float(values[metric][0]) if metric in values else np.nan for metric in table["metric"]]
        table[f"{name}_se"] = [
            standard_error(resampled[metric]) if metric in resampled else np.nan for metric in table["metric"]
        ]
    front = ["metric", CURRENT, f"{CURRENT}_se", PROPOSED, f"{PROPOSED}_se"]
    table = table[[*front, "difference", "se", "low", "high", "dm", "p"]].reset_index(drop=True)
    return {
        "forecasts": table,
        "subsets": _subsets(now, then, counted, seed, resamples),
        "games": int(counted.sum()),
        "events": len(sums[CURRENT].games),
    }


def _subsets(now: Replay, then: Replay, counted: Bools, seed: int, resamples: int) -> pd.DataFrame:
    """Log loss of both in each group of games, with the paired difference; groups by the current ratings."""
    groups = {key: mask & counted for key, mask in game_subsets(now.schedule, strength=now).items()}
    groups = {key: mask for key, mask in groups.items() if mask.any()}
    table = counts(now.schedule, groups)
    rows = []
    for mask in groups.values():
        sums = {name: event_sums(one, mask, ["log_loss"]) for name, one in ((CURRENT, now), (PROPOSED, then))}
        told = differences(sums, CURRENT, ["log_loss"], seed=seed, resamples=resamples).iloc[1]
        means = {name: float(one.sums["log_loss"].sum() / one.games.sum()) for name, one in sums.items()}
        rows.append(means | told[["difference", "se", "low", "high"]].to_dict())
    columns = [CURRENT, PROPOSED, "difference", "se", "low", "high"]
    return pd.concat([table.assign(metric="log_loss"), pd.DataFrame(rows, columns=columns, dtype=float)], axis=1)


def _by_order(
    history: History, systems: Sequence[System], start: str, seed: int, resamples: int
) -> dict[str, Any]:  # fmt: skip
    table = order_differences(history, *systems, start=start, seed=seed, resamples=resamples)
    if not int(table["pairs"].iloc[0]):
        raise UsageError("a proposal is judged by the order of finish, and this history has no two places that differ")
    pairs, events = int(table["pairs"].iloc[0]), int(table["events"].iloc[0])
    sides = {"reference": CURRENT, "reference_se": f"{CURRENT}_se", "other": PROPOSED, "other_se": f"{PROPOSED}_se"}
    subsets = ["kind", "subset", "games", "events", "metric", CURRENT, PROPOSED, "difference", "se", "low", "high"]
    return {
        "forecasts": table.rename(columns=sides),
        "subsets": pd.DataFrame(columns=subsets),
        "games": pairs,
        "events": events,
    }


# --- tables of each system --------------------------------------------------------------------------------------------


def _of_each(
    replays: Sequence[Replay], seed: int, resamples: int, workers: Workers, tell: Callable[[int], Any]
) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
    """The tables of `_OF_ONE` of both systems under each other, and why one could not be made."""
    items = [(name, which) for name in _OF_ONE for which in (0, 1)]
    made = run(_one_table, items, (tuple(replays), seed, resamples), workers, lambda done, total: tell(done))
    tables, unknown = {}, {}
    for name in _OF_ONE:
        both = [table for (of, _), table in zip(items, made, strict=True) if of == name]
        said = [one for one in both if isinstance(one, str)]
        if said:
            unknown[name] = said[0]
            continue
        frames = [one.assign(which=(CURRENT, PROPOSED)[i]) for i, one in enumerate(both) if not isinstance(one, str)]
        joined = pd.concat(frames, ignore_index=True)
        tables[name] = joined[["which", *(column for column in joined if column != "which")]]
    return tables, unknown


def _one_table(shared: tuple[tuple[Replay, ...], int, int], item: tuple[str, int]) -> pd.DataFrame | str:
    """A table, or the sentence that says why there is none (a history without a dated event, say)."""
    replays, seed, resamples = shared
    name, which = item
    chance = {"seed": seed, "resamples": resamples} if name in _RESAMPLED else {}
    try:
        return _OF_ONE[name](replays[which], **chance)
    except UsageError as error:
        return str(error)


# --- worked examples --------------------------------------------------------------------------------------------------


def _examples(now: Replay, then: Replay, players: pd.DataFrame) -> tuple[Rerating, ...]:
    """Of the ranked players who gain and lose most, the event where the systems parted most, worked out under both."""
    players = players.assign(change=comparable_changes(players))
    ranked = players[players["current_rank"].notna() & players["change"].notna()]
    if now.schedule is not then.schedule or not len(ranked):
        return ()
    change, names = ranked["change"], ranked["player"].to_numpy()
    ends = ((change.argmax(), 1), (change.argmin(), -1))
    chosen = [str(names[at]) for at, sign in ends if sign * change.iloc[at] > NOTHING]
    entries = now.schedule.history.entries.iloc[now.schedule.entry_row]
    gained = [np.nan_to_num(one.after["rating"][:, 0] - one.before["rating"][:, 0]) for one in (now, then)]
    apart = np.abs(gained[1] - gained[0])
    made = []
    for player in dict.fromkeys(chosen):
        rows = np.flatnonzero((entries["player"] == player).to_numpy())
        row = rows[np.argmax(apart[rows])]
        if apart[row] < NOTHING:
            continue
        event = str(now.schedule.history.events["event"].to_numpy()[now.schedule.event_of_entry()[row]])
        section = str(entries["section"].to_numpy()[row])
        made.append(rerating(*(explain(one, event, player, section) for one in (now, then))))
    return tuple(made)
