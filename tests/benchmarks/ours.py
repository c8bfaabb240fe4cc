"""ratinglab's side of the benchmark: the same made-up history as the peers', read from the same .npz.

What is timed is a replay over a schedule prepared before, with the forecasts of all games made and kept, as the peers
keep theirs; preparing it is timed apart. For naspa nine players in ten have a filed rating (their true strength, so
that all bands of K are in use) and the tenth are newcomers; events are of ten rounds, so none is split.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import synthetic

from ratinglab.calibration.calibrating import calibrate
from ratinglab.calibration.fitting import Target
from ratinglab.calibration.grids import TILE, Question, score_points
from ratinglab.history import Parsed, assemble
from ratinglab.pairing import Cnsc
from ratinglab.pairing.matching import least_cost
from ratinglab.replaying import replay
from ratinglab.scheduling import Schedule, schedule
from ratinglab.simulation.models import Spreads
from ratinglab.simulation.simulating import Plan
from ratinglab.simulation.tournaments import Played, Strengths, play
from ratinglab.systems import Elo, Glicko, Glicko2, Glixo, Naspa
from ratinglab.tasks import Workers

GRID = TILE  # 64: a tile of calibrate's
WORKERS_GRID = 4 * TILE
RUNS = 5
GROWTH = (625, 1_250, 2_500, 5_000)  # events, of 200 games each


def prepared(path: Path, *, filed: bool) -> Schedule:
    """The .npz as a schedule; `filed` gives nine players in ten a rating."""
    with np.load(path) as columns:
        games = pd.DataFrame({name: columns[name] for name in columns.files})
    names = np.array(
        [f"P{code:05d}" for code in range(int(games[["player", "opponent"]].max().max()) + 1)], dtype=object
    )
    events, first = np.unique(games["event"], return_index=True)
    event = np.array([f"e{code:05d}" for code in events], dtype=object)
    day = pd.to_datetime(games["day"].to_numpy()[first], unit="D")
    tables = {
        "events": pd.DataFrame({"event": event, "date": day}),
        "games": pd.DataFrame(
            {
                "event": event[games["event"]],
                "section": "main",
                "round": games["round"],
                "player": names[games["player"]],
                "opponent": names[games["opponent"]],
                "score": 400.0 + games["spread"],
                "opponent_score": 400.0,
                "result": games["result"],
                "status": "played",
                "rated": 1,
            }
        ),
    }
    if filed:
        sides = pd.concat(
            [games[["event", side]].set_axis(["event", "code"], axis=1) for side in ("player", "opponent")]
        )
        sides = sides.drop_duplicates()
        strength = np.rint(np.random.default_rng(1).normal(1500.0, 250.0, len(names)))
        tables["entries"] = pd.DataFrame(
            {
                "event": event[sides["event"]],
                "section": "main",
                "player": names[sides["code"]],
                "rating": np.where(sides["code"] % 10 > 0, strength[sides["code"]], np.nan),
            }
        )
    return schedule(assemble([Parsed(tables)]))


def best(work: Callable[[], object], runs: int = RUNS) -> float:
    """Seconds of the quickest run, after one that warms up."""
    work()
    took = []
    for _ in range(runs):
        begin = time.perf_counter()
        work()
        took.append(time.perf_counter() - begin)
    return min(took)


def ratinglab_rows(path: Path) -> dict[str, dict[str, float]]:
    """Each benchmark's games, seconds, parameters and games (× parameters) per second."""
    begin = time.perf_counter()
    plain = prepared(path, filed=False)
    print(f"  preparing the history took {time.perf_counter() - begin:.1f} s, {len(plain.batches)} batches", flush=True)
    games = len(plain.whole.a)
    rows: dict[str, dict[str, float]] = {}

    def row(name: str, seconds: float, parameters: int = 1) -> None:
        rate = games * parameters / seconds
        rows[name] = {"games": games, "seconds": seconds, "parameters": parameters, "games_per_second": rate}

    row("elo", best(lambda: replay(plain, Elo(), details=False).win))
    row("glixo", best(lambda: replay(plain, Glixo(), details=False).win))
    row("glicko", best(lambda: replay(plain, Glicko(c=5, period_days=1), details=False).win))
    row("glicko2", best(lambda: replay(plain, Glicko2(), details=False).win, 3))
    grid = Glixo(tau=np.linspace(60, 140, GRID).tolist())
    row("glixo grid 64", best(lambda: replay(plain, grid, details=False), 3), GRID)

    # as calibrate does a tile, with its standard errors
    tau = np.linspace(60, 140, GRID)
    target = Target(plain, Glixo(), np.ones(games, dtype=bool), "log_loss", ("tau",), tau[:1], tau[-1:])
    question = Question(target, ("log_loss", "brier"), seed=0, resamples=200)
    row("glixo grid 64 scored", best(lambda: score_points(question, tau[:, None]), 2), GRID)
    filed = prepared(path, filed=True)
    row("naspa", best(lambda: replay(filed, Naspa(), details=False).win))
    return rows


def ratinglab_growth() -> list[dict[str, float]]:
    """Seconds of a Glixo replay as the history doubles three times."""
    out = []
    with tempfile.TemporaryDirectory() as folder:
        for events in GROWTH:
            path = synthetic.write(Path(folder) / f"{events}.npz", events=events, games=events * 200)
            data = prepared(path, filed=False)
            seconds = best(lambda data=data: replay(data, Glixo(), details=False).win)
            out.append({"games": events * 200, "seconds": seconds})
    return out


def ratinglab_workers(path: Path) -> dict[str, float]:
    """Seconds of a calibration of 256 points, start of the processes included, on one and on two of them."""
    data = prepared(path, filed=False)
    took: dict[str, float] = {"points": WORKERS_GRID}
    for name, count in (("one", 1), ("two", 2)):
        begin = time.perf_counter()
        calibrate(data, Glixo(), [f"tau=60:140:{WORKERS_GRID}"], workers=Workers(count))
        took[name] = time.perf_counter() - begin
    return took


def ratinglab_pairing(tournaments: int) -> dict[str, float]:
    """Seconds of so many CNSC tournaments of 50 players and 18 games, and of one exact matching of 50.

    Timed is all that a tournament takes: the field and its ratings drawn, every game paired and played, the standings
    between. The search is compiled, or read from the disk, before. The matching is timed with making its graph.
    """
    plan = Plan({"cnsc": Cnsc()}, synthetic.PLAYERS, synthetic.ROUNDS, tournaments, Strengths(), Spreads(), seed=1)

    def one(item: tuple[int, np.random.SeedSequence]) -> Played:
        size, seed = item
        strength, field = plan.drawn(seed, size)
        return play(plan.pairings["cnsc"], strength, field, plan.rounds, plan.model, seed)

    cost, oneself = synthetic.matching_costs(), np.eye(synthetic.PLAYERS, dtype=bool)
    return {
        "tournaments": tournaments,
        "seconds": best(lambda: [one(chunk) for chunk in plan.chunks()], 2),
        "matching": best(lambda: least_cost(cost, oneself)),
    }


def ratinglab_recovery(histories: int) -> list[dict[str, float | str]]:
    """Of each parameter in how many of so many made-up histories the 95 % interval covers what went in."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    from recovering import coverage

    return coverage(range(histories)).to_dict("records")


def memory(points: int = 1024) -> None:
    """Calibrate over a grid of so many points on 1,000,000 games, and print the peak memory in bytes."""
    with tempfile.TemporaryDirectory() as folder:
        data = prepared(synthetic.write(Path(folder) / "history.npz"), filed=False)
    calibrate(data, Glixo(), [f"tau=60:140:{points}"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(peak * (1 if sys.platform == "darwin" else 1024))


if __name__ == "__main__":
    if sys.argv[1:2] == ["memory"] and len(sys.argv) <= 3:
        memory(*map(int, sys.argv[2:]))
    else:
        sys.exit("usage: python tests/benchmarks/ours.py memory [POINTS]")
