"""Time one piece of work by a peer library and print it as JSON. Run with the peers' own interpreter.

    .bench-venv/bin/python tests/benchmarks/peers.py HISTORY.npz --work "riix elo" --repeat 3

Each peer is called in the quickest correct way found: arrays ready in the form it wants, what it can keep kept, and
only the replay itself timed, best of the repetitions. run.py starts a process for each piece of work, with one thread.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import synthetic

Columns = dict[str, np.ndarray]


def riix_replay(data: Columns, make: Callable[[list[int]], Any]) -> Callable[[], np.ndarray]:
    """Return a replay by a riix system, a rating period for each event, every forecast kept."""
    from riix.utils.data_utils import MatchupDataset

    competitors = list(range(int(data["opponent"].max()) + 1))
    dataset = MatchupDataset.init_from_arrays(
        time_steps=data["event"],
        matchups=np.column_stack([data["player"], data["opponent"]]),
        outcomes=data["result"],
        competitors=competitors,
    )

    def replay() -> np.ndarray:
        system = make(competitors)
        kept = np.empty(len(dataset))
        start = 0
        # `fit_dataset` is this loop, but forgets to pass `cache` on, so that every forecast is computed twice.
        for matchups, outcomes, time_step in dataset:
            stop = start + len(outcomes)
            kept[start:stop] = system.fit_batch(matchups, outcomes, time_step, return_pre_match_probs=True, cache=True)
            start = stop
        return kept

    return replay


def riix_elo(data: Columns) -> Callable[[], np.ndarray]:
    """Elo, a whole event at once."""
    from riix.models.elo import Elo

    return riix_replay(data, lambda competitors: Elo(competitors, k=24.0, update_method="batched"))


def riix_glicko(data: Columns) -> Callable[[], np.ndarray]:
    """Glicko, a whole event at once."""
    from riix.models.glicko import Glicko

    return riix_replay(data, lambda competitors: Glicko(competitors, c=5.0, update_method="batched"))


def riix_glicko2(data: Columns) -> Callable[[], np.ndarray]:
    """Glicko-2, a whole event at once."""
    from riix.models.glicko2 import Glicko2

    return riix_replay(data, lambda competitors: Glicko2(competitors, update_method="batched"))


def package_glicko2(data: Columns) -> Callable[[], np.ndarray]:
    """Glicko-2 by the package of that name: an event is a period; who sits it out is left alone, as costs nothing."""
    from glicko2 import Player

    players = int(data["opponent"].max()) + 1
    columns = [data[name].tolist() for name in ("player", "opponent", "result")]
    begins = np.flatnonzero(np.diff(data["event"], prepend=-1)).tolist()
    ends = [*begins[1:], len(data["event"])]
    unit = 173.7178

    def replay() -> np.ndarray:
        field = [Player() for _ in range(players)]
        kept = []
        for begin, end in zip(begins, ends, strict=True):
            met: dict[int, tuple[list[float], list[float], list[float]]] = {}
            for one, other, result in zip(*(column[begin:end] for column in columns), strict=True):
                a, b = field[one], field[other]
                # the package has no forecast: the formula is the same as ours
                spread = 1 + 3 * (a.rd**2 + b.rd**2) / (unit * math.pi) ** 2
                kept.append(1 / (1 + math.exp((b.rating - a.rating) / unit / math.sqrt(spread))))
                for who, opponent, score in ((one, b, result), (other, a, 1 - result)):
                    ratings, deviations, scores = met.setdefault(who, ([], [], []))
                    ratings.append(opponent.rating)
                    deviations.append(opponent.rd)
                    scores.append(score)
            for who, games in met.items():
                field[who].update_player(*games)
        return np.array(kept)

    return replay


def elote_elo(data: Columns) -> Callable[[], np.ndarray]:
    """Elo, game by game: elote has no whole-event form of it."""
    from elote import EloCompetitor

    games = list(zip(data["player"].tolist(), data["opponent"].tolist(), data["result"].tolist(), strict=True))
    players = int(data["opponent"].max()) + 1

    def replay() -> np.ndarray:
        field = [EloCompetitor(initial_rating=1500.0, k_factor=24.0) for _ in range(players)]
        kept = []
        for player, opponent, result in games:
            one, other = field[player], field[opponent]
            kept.append(one.expected_score(other))
            if result == 1.0:
                one.beat(other)
            elif result == 0.0:
                other.beat(one)
            else:
                one.tied(other)
        return np.array(kept)

    return replay


def elote_tuning(data: Columns) -> Callable[[], np.ndarray]:
    """elote's grid search over walk-forward runs (log loss, Brier and accuracy), two values of k."""
    from elote import EloCompetitor, group_by_period, tune

    first = datetime(1970, 1, 1)
    days = [first + timedelta(days=day) for day in data["day"].tolist()]
    columns = (data["player"].tolist(), data["opponent"].tolist(), data["result"].tolist())
    ordinal = dict(zip(days, data["event"].tolist(), strict=True))
    rows = [(a, b, result, day, None) for a, b, result, day in zip(*columns, days, strict=True)]
    periods = group_by_period(rows, key=lambda row: ordinal[row[3]])

    def replay() -> np.ndarray:
        found = tune(
            EloCompetitor, {"k_factor": [16.0, 32.0]}, periods, base_competitor_kwargs={"initial_rating": 1500.0}
        )
        return np.array([point.report.log_loss for point in found])

    return replay


def py4swiss_tournament() -> Callable[[], float]:
    """Pair a tournament of 50 players and 18 rounds by FIDE's Dutch rules; the engine's own calls alone are timed."""
    from py4swiss.engines import DutchEngine
    from py4swiss.trf import ParsedTrf
    from py4swiss.trf.codes import PlayerCode
    from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
    from py4swiss.trf.sections import PlayerSection, XSection

    players, rounds = synthetic.PLAYERS, synthetic.ROUNDS

    def tournament() -> float:
        rng = np.random.default_rng(1)
        strength = np.sort(rng.normal(1500.0, 250.0, players))[::-1]
        results: list[list[Any]] = [[] for _ in range(players)]
        points = [0] * players
        took = 0.0
        for _ in range(rounds):
            sections = [
                PlayerSection(
                    code=PlayerCode.PLAYER, starting_number=i + 1, points_times_ten=points[i], rank=i + 1, results=of
                )
                for i, of in enumerate(results)
            ]
            trf = ParsedTrf(player_sections=sections, x_section=XSection(number_of_rounds=rounds))
            start = time.perf_counter()
            pairs = DutchEngine.generate_pairings(trf)
            took += time.perf_counter() - start
            for pair in pairs:
                white, black = pair.white - 1, pair.black - 1
                won = rng.normal((strength[white] - strength[black]) / 5, 90.0) > 0
                sides = ((white, black, ColorToken.WHITE, won), (black, white, ColorToken.BLACK, not won))
                for one, other, color, wins in sides:
                    result = ResultToken.WIN if wins else ResultToken.LOSS
                    results[one].append(RoundResult(id=other + 1, color=color, result=result))
                    points[one] += 10 * int(wins)
        return took

    return tournament


def networkx_matching() -> Callable[[], float]:
    """Match 50 exactly at least cost; the graph is ready, networkx's matching alone is timed."""
    import networkx as nx

    cost = synthetic.matching_costs()
    most = int(cost.max()) + 1
    graph = nx.Graph()
    graph.add_weighted_edges_from(
        (a, b, most - int(cost[a, b])) for a in range(len(cost)) for b in range(a + 1, len(cost))
    )

    def match() -> float:
        start = time.perf_counter()
        nx.max_weight_matching(graph, maxcardinality=True)
        return time.perf_counter() - start

    return match


# What is timed of pairing, without a history: each says how long it took.
PAIRED: dict[str, Callable[[], Callable[[], float]]] = {
    "py4swiss": py4swiss_tournament,
    "networkx": networkx_matching,
}
# What is timed: how to make the replay, the most games of the history's beginning it is given, parameters in one run.
WORK: dict[str, tuple[Callable[[Columns], Callable[[], np.ndarray]], int, int]] = {
    "riix elo": (riix_elo, 1_000_000, 1),
    "riix glicko": (riix_glicko, 1_000_000, 1),
    "riix glicko2": (riix_glicko2, 200_000, 1),
    "glicko2": (package_glicko2, 200_000, 1),
    "elote elo": (elote_elo, 200_000, 1),
    "elote tuning": (elote_tuning, 200_000, 2),
}


def measure(data: Columns, work: str, repeat: int) -> dict[str, float]:
    """Return {games, parameters, seconds, games_per_second} of the quickest of `repeat` runs.

    A peer that is given only a beginning of the history is slow in proportion to the games, so its rate is that of the
    whole; `games` says how many were played.
    """
    prepare, most, parameters = WORK[work]
    games = min(most, len(data["event"]))
    replay = prepare({name: column[:games] for name, column in data.items()})
    best = float("inf")
    for _ in range(repeat):
        gc.collect()
        start = time.perf_counter()
        kept = replay()
        best = min(best, time.perf_counter() - start)
        if not np.isfinite(kept).all():
            raise ArithmeticError(f"{work} gave forecasts that are no numbers")
    return {"games": games, "parameters": parameters, "seconds": best, "games_per_second": games * parameters / best}


def paired(work: str, repeat: int) -> dict[str, float]:
    """Return {seconds} of the quickest of `repeat` runs of a piece of pairing."""
    run = PAIRED[work]()
    return {"seconds": min(run() for _ in range(repeat))}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Time peer libraries on a history and print JSON.")
    parser.add_argument("history", nargs="?", help="the .npz that synthetic.py wrote; pairing needs none")
    parser.add_argument("--work", action="append", choices=[*WORK, *PAIRED], help="what to time (default: all replays)")
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    works = arguments.work or list(WORK)
    columns = {}
    if not set(works) <= set(PAIRED):
        with np.load(arguments.history) as stored:
            columns = dict(stored)
    timed = {
        work: paired(work, arguments.repeat) if work in PAIRED else measure(columns, work, arguments.repeat)
        for work in works
    }
    print(json.dumps(timed))
