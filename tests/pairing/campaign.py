"""Thousands of made-up events under every pairing system, every round checked: what can go wrong is counted.

    .venv/bin/python tests/pairing/campaign.py --events 10000 --workers 2

Fields of 2 to 60, any number of rounds (in small fields more than a round robin has), and by turns late entries,
withdrawals, absences with and without a half point, teams, one team of more than half the field, forbidden pairs.
Every round is checked for what no round may do. Where something came about that the system promises as seldom as
possible, a sample of these rounds is held against the exact minimum, which scipy's integer programming finds in small
fields and networkx's matching in large ones.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import networkx as nx
import numpy as np

from ratinglab.pairing import NO_TEAM, NOBODY, PAIRINGS, PRESETS, Field, Pairing, Round, RoundRobin, Standing, parse
from ratinglab.pairing.base import BYE_AGAIN, FALLBACK, REPEAT, TEAM_MATE
from ratinglab.pairing.cnsc import Cnsc
from ratinglab.pairing.dutch import Dutch
from ratinglab.pairing.evanston import Evanston
from ratinglab.pairing.listed import AVOID, Listed
from ratinglab.pairing.nssc import Nssc
from ratinglab.tasks import Workers, run, seeds

SYSTEMS = [*PAIRINGS, *PRESETS, *(f"{name}:teams_apart=1" for name in ("cnsc", "random", "swiss", "matching"))]
SIDE_BY_SIDE = 5  # events of one size that are paired at once
BATCHES = 10  # of these, in a task
PROGRAMMED = 12  # entrants up to whom the oracle is integer programming
FAULTS = ("illegal", "unpaired", "bye out of turn", "told wrongly", "not the minimum")
SHOWN = ("events", "rounds", "pairs", "sat out", "fallbacks", "forced", "held against the minimum", *FAULTS)


@dataclass(frozen=True)
class Plan:
    """What every task needs: of rounds that cannot be proved by themselves the share that the oracle sees."""

    share: float = 0.1


@dataclass(frozen=True)
class Batch:
    """Events of one size: who plays, how long, who is there (rounds, T, n), and who has half a point if not."""

    field: Field
    rounds: int
    there: np.ndarray
    half: np.ndarray


def drawn(rng: np.random.Generator) -> Batch:
    """A batch of events; half of the fields are of 2 to 14 players, where rounds run out of opponents."""
    n = int(rng.integers(2, 15) if rng.random() < 0.5 else rng.integers(15, 61))
    rounds = int(rng.integers(1, n + n // 2 + 2) if n < 15 else rng.integers(1, 13))
    shape = (SIDE_BY_SIDE, n)
    team = None
    kind = rng.random()
    if kind < 0.4:
        team = rng.integers(NO_TEAM, max(1, n // int(rng.integers(2, 6))), shape)
    elif kind < 0.6:
        team = np.where(rng.random(shape) < rng.uniform(0.4, 0.9), 0, rng.integers(NO_TEAM, 4, shape))
    forbidden = None
    if rng.random() < 0.25:
        forbidden = rng.random((SIDE_BY_SIDE, n, n)) < rng.choice([0.02, 0.1, 0.3])
    field = Field(
        np.rint(rng.normal(1500, 250, shape) / 20) * 20,  # some of them level
        rng.permuted(np.tile(np.arange(n), (SIDE_BY_SIDE, 1)), axis=1),
        team=team,
        forbidden=forbidden,
    )
    there = np.ones((rounds, *shape), dtype=bool)
    if rng.random() < 0.6:
        came = np.where(rng.random(shape) < 0.1, rng.integers(1, rounds + 2, shape), 1)
        left = np.where(rng.random(shape) < 0.1, rng.integers(1, rounds + 2, shape), rounds + 1)
        played = np.arange(1, rounds + 1)[:, None, None]
        there = (played >= came) & (played <= left) & (rng.random((rounds, *shape)) < rng.choice([0.7, 0.95, 1]))
    return Batch(field, rounds, there, rng.random((rounds, *shape)) < 0.3)


def played(now: Standing, made: Round, batch: Batch, rng: np.random.Generator) -> Standing:
    """The standing after a round: results that go with ratings, some of them ties; a bye is a win by 50."""
    other = np.maximum(made.opponent, 0)
    paired = made.opponent != NOBODY
    by = np.rint(rng.normal((now.field.rating - 1500) / 25, 20))
    lower = np.arange(other.shape[1])[None, :] < other
    by = np.where(lower, by, -np.take_along_axis(by, other, axis=1))
    result = np.where(paired, 1 + np.sign(by).astype(np.int64), np.where(now.here, 2, batch.half[now.round - 1]))
    spread = np.where(paired, by, np.where(now.here, 50.0, 0.0))
    here = batch.there[now.round] if now.round < batch.rounds else None
    return now.after(made.opponent, result, spread, first=made.first, here=here)


# --- what a round is checked for --------------------------------------------------------------------------------------


def illegal(now: Standing, made: Round) -> np.ndarray:
    """Tournaments (T,) with what no round may have: somebody against himself, an absentee, a forbidden pair, ….

    Also pairs that only one of the two knows of, and first moves that both have, or one who does not play.
    """
    n = now.field.shape[1]
    opponent, paired = made.opponent, made.opponent != NOBODY
    other = np.maximum(opponent, 0)
    who = np.arange(n)[None, :]
    wrong = (opponent == who) | (paired & ~now.here)
    wrong |= paired & (np.take_along_axis(opponent, other, axis=1) != who)
    wrong |= paired & np.take_along_axis(now.field.barred, other[:, :, None], axis=2)[:, :, 0]
    wrong |= np.where(paired, made.first + np.take_along_axis(made.first, other, axis=1), made.first) != 0
    return wrong.any(axis=1)


def told_wrongly(now: Standing, made: Round) -> np.ndarray:
    """Tournaments (T,) where a rule is said to have given way that did not, or a second bye is not told."""
    paired = made.opponent != NOBODY
    other = np.maximum(made.opponent, 0)[:, :, None]
    met = np.take_along_axis(now.met, other, axis=2)[:, :, 0]
    mates = np.take_along_axis(now.field.team_mates, other, axis=2)[:, :, 0]
    said = made.gave_way
    wrong = ((said & REPEAT) > 0) & ~(paired & (met > 0))
    wrong |= ((said & TEAM_MATE) > 0) & ~(paired & mates)
    wrong |= ((said & BYE_AGAIN) > 0) != (now.here & ~paired & (now.byes > 0))
    wrong |= ((said & FALLBACK) > 0) != (made.fallback[:, None] & paired)
    wrong |= (said != 0) & ~now.here
    return wrong.any(axis=1)


def promised(pairing: Pairing, now: Standing, t: int) -> list[np.ndarray]:
    """What a pair costs (n, n) that the system makes least, the first before the second …."""
    repeat, mates = (now.met[t] > 0).astype(int), now.field.team_mates[t].astype(int)
    if isinstance(pairing, Cnsc):
        beyond = (now.met[t] > pairing.limit(now.round, now.rounds)).astype(int)
        return [beyond, mates] if pairing.teams_apart else [beyond]
    if isinstance(pairing, RoundRobin):
        cycle = now.field.shape[1] - 1 + now.field.shape[1] % 2
        return [(now.met[t] > (now.round - 1) // cycle).astype(int)]
    if isinstance(pairing, Nssc):
        return [mates] if now.round == 1 else [repeat, mates]
    if isinstance(pairing, Evanston):
        return [repeat, mates]
    if isinstance(pairing, Dutch):
        return [repeat]
    if isinstance(pairing, Listed):
        return [repeat] * (pairing.repeats == AVOID) + [mates] * pairing.teams_apart
    return []


def least(now: Standing, t: int, costs: Sequence[np.ndarray]) -> list[int]:
    """The least that can be had: how many are not paired, their byes, then each of the costs."""
    if not now.here[t].any():
        return [0, 0, *(0 for _ in costs)]
    return (by_programming if now.here[t].sum() <= PROGRAMMED else by_matching)(now, t, costs)


def by_matching(now: Standing, t: int, costs: Sequence[np.ndarray]) -> list[int]:
    """The same by networkx: in an odd field the bye is one more entrant; each cost is so large that it comes first."""
    here = np.flatnonzero(now.here[t]).tolist()
    bye, byes = now.field.shape[1], now.byes[t].astype(int)
    graph = nx.Graph()
    graph.add_nodes_from(here)
    # a pair keeps two from sitting out
    spared = int(byes[here].max())
    for a, b in itertools.combinations(here, 2):
        if not now.field.barred[t, a, b]:
            parts = [2 * spared - byes[a] - byes[b], *(cost[a, b] for cost in costs)]
            graph.add_edge(a, b, weight=-_weighed(parts))
    if len(here) % 2:
        nothing = [0 for _ in costs]
        graph.add_edges_from(((a, bye) for a in here), weight=-_weighed([2 * spared, *nothing]))
    made = [pair for pair in nx.max_weight_matching(graph, maxcardinality=True) if bye not in pair]
    alone = sorted(set(here) - {i for pair in made for i in pair})
    return [len(alone), int(byes[alone].sum()), *(int(sum(cost[a, b] for a, b in made)) for cost in costs)]


def _weighed(parts: Sequence[int]) -> int:
    """Costs in the order of their importance as one whole number, which has no limit in Python."""
    total = 0
    for part in parts:
        total = total * 100_000 + int(part)
    return total


def by_programming(now: Standing, t: int, costs: Sequence[np.ndarray]) -> list[int]:
    """The same by integer programming.

    A variable for each pair that may be, and one for each entrant who sits out; each is in exactly one of them. One
    objective after the other is made least, and held there.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, vstack

    here = np.flatnonzero(now.here[t])
    one, other = (here[side] for side in np.triu_indices(len(here), 1))
    may = ~now.field.barred[t, one, other]
    one, other = one[may], other[may]
    place = np.zeros(now.field.shape[1], dtype=int)
    place[here] = np.arange(len(here))
    pairs = len(one)
    rows = np.concatenate([place[one], place[other], np.arange(len(here))])
    columns = np.concatenate([np.arange(pairs), np.arange(pairs), pairs + np.arange(len(here))])
    inside = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(here), pairs + len(here)))
    held, low = [inside], [np.ones(len(here))]
    out = np.concatenate([np.zeros(pairs), np.ones(len(here))])
    byes = np.concatenate([np.zeros(pairs), now.byes[t, here]])
    objectives = [out, byes, *(np.concatenate([cost[one, other], np.zeros(len(here))]) for cost in costs)]
    found = []
    for objective in objectives:
        rule = vstack(held)
        bound = np.concatenate(low)
        solved = milp(
            objective,
            constraints=LinearConstraint(rule, bound, bound),
            bounds=Bounds(0, 1),
            integrality=np.ones(len(out)),
            options={"mip_rel_gap": 0.0},
        )
        if solved.status != 0:
            raise ArithmeticError(f"the integer program was not solved: {solved.message}")
        value = round(objective @ np.rint(solved.x))
        found.append(value)
        held.append(csr_array(objective[None, :]))
        low.append(np.array([value]))
    return found


def came_to(now: Standing, made: Round, t: int, costs: Sequence[np.ndarray]) -> list[int]:
    """The same of the round that was made."""
    opponent = made.opponent[t]
    one = np.flatnonzero(opponent > np.arange(len(opponent)))
    alone = now.here[t] & (opponent == NOBODY)
    return [int(alone.sum()), int(now.byes[t, alone].sum()), *(int(cost[one, opponent[one]].sum()) for cost in costs)]


def check(pairing: Pairing, now: Standing, made: Round, share: float, rng: np.random.Generator) -> Counter[str]:
    """The counts of one round of T tournaments."""
    counts: Counter[str] = Counter()
    paired = made.opponent != NOBODY
    counts["rounds"] += len(paired)
    counts["pairs"] += int(paired.sum()) // 2
    counts["sat out"] += int((now.here & ~paired).sum())
    counts["fallbacks"] += int(made.fallback.sum())
    wrong = illegal(now, made)
    counts["illegal"] += int(wrong.sum())
    counts["told wrongly"] += int(told_wrongly(now, made).sum())
    for t in np.flatnonzero(~wrong & (now.here.sum(axis=1) > 0)).tolist():
        costs = promised(pairing, now, t)
        come = came_to(now, made, t, costs)
        fewest = int(now.byes[t, now.here[t]].min())
        odd = int(now.here[t].sum()) % 2
        # a round that comes to nothing, with one of fewest byes out of an odd field, needs no proof
        easy = come[0] == odd and come[1] == odd * fewest
        if easy and not any(come[2:]):
            continue
        counts["forced"] += any(come[2:])
        if easy and rng.random() >= share:
            continue
        if isinstance(pairing, Nssc) and now.round == 1:  # the lowest seed sits out, whatever comes of it
            rest = replace(now, here=now.here & paired)
            best = [*least(now, t, []), *least(rest, t, costs)[2:]]
        else:
            best = least(now, t, costs)
        counts["held against the minimum"] += 1
        counts["unpaired"] += come[0] != best[0]
        counts["bye out of turn"] += come[0] == best[0] and come[1] != best[1]
        counts["not the minimum"] += come[:2] == best[:2] and come[2:] != best[2:]
    return counts


# --- the campaign -----------------------------------------------------------------------------------------------------


def rounds_of(pairing: Pairing, batch: Batch, rng: np.random.Generator) -> Iterator[tuple[Standing, Round]]:
    """Every round of a batch: the standing before it, and what was paired."""
    now = Standing.start(batch.field, batch.rounds, batch.there[0])
    for game in range(batch.rounds):
        made = pairing.pair(now, rng)
        yield now, made
        if game + 1 < batch.rounds:
            now = played(now, made, batch, rng)


def task(plan: Plan, item: tuple[str, np.random.SeedSequence, int]) -> Counter[str]:
    """So many batches of events under one system."""
    name, seed, batches = item
    pairing = parse(name)
    counts: Counter[str] = Counter()
    for of in seed.spawn(batches):
        fields, results, oracle = (np.random.default_rng(child) for child in of.spawn(3))
        batch = drawn(fields)
        counts["events"] += SIDE_BY_SIDE
        for now, made in rounds_of(pairing, batch, results):
            found = check(pairing, now, made, plan.share, oracle)
            counts += found
            if any(found[fault] for fault in FAULTS):
                told = ", ".join(fault for fault in FAULTS if found[fault])
                print(f"{name}: {told}: batch {of.entropy} {of.spawn_key}, round {now.round}", file=sys.stderr)
    return counts


def campaign(
    names: Sequence[str], events: int, seed: int, *, share: float = 0.1, workers: int = 1
) -> dict[str, Counter[str]]:
    """The counts of each system; all meet the same fields, absences and forbidden pairs."""
    chunks = -(-events // (SIDE_BY_SIDE * BATCHES))
    batches = min(BATCHES, -(-events // SIDE_BY_SIDE))
    items = [(name, of, batches) for name in names for of in seeds(seed, chunks)]
    done = run(task, items, Plan(share), Workers(workers), progress=_progress if sys.stderr.isatty() else None)
    counts = {name: Counter[str]() for name in names}
    for (name, *_), found in zip(items, done, strict=True):
        counts[name].update(found)
    return counts


def _progress(done: int, of: int) -> None:
    print(f"\r{done} of {of} tasks", end="" if done < of else "\n", file=sys.stderr, flush=True)


def main() -> int:
    """Run it, print a line for each system; the status is 1 where anything was found."""
    parser = argparse.ArgumentParser(description="Check every round of thousands of made-up events.")
    parser.add_argument("--systems", default=";".join(SYSTEMS), help="names with options, ; between (default: all)")
    parser.add_argument("--events", type=int, default=10_000, help="events of each system (default: 10000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=0.1, help="of rounds held against the minimum (default: 0.1)")
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    print(f"seed {asked.seed}, share {asked.share:g}")
    faulty = False
    print("; ".join(("system", *SHOWN, "seconds")), flush=True)
    for name in asked.systems.split(";"):
        begin = time.perf_counter()
        counts = campaign([name], asked.events, asked.seed, share=asked.share, workers=asked.workers)[name]
        took = time.perf_counter() - begin
        print("; ".join((name, *(f"{counts[of]}" for of in SHOWN), f"{took:.0f}")), flush=True)
        faulty |= any(counts[fault] for fault in FAULTS)
    return int(faulty)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from campaign import main as start  # so that tasks are functions of a module that other processes find

    sys.exit(start())
