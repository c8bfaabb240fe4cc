"""Thousands of simulated tournaments: fairness of pairing systems side by side, seed borders, and what tricks gain.

Tournaments are played in chunks of a fixed size, each a task with a seed of its own (`ratinglab.tasks`): the first
thousand are the same whatever the number asked for and whoever plays them. All pairing systems meet the same fields
and the same luck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ratinglab.pairing import PRESETS
from ratinglab.pairing.base import WORDS, Pairing
from ratinglab.pairing.standing import Field, Standing
from ratinglab.periods import Floats, Ints
from ratinglab.problems import UsageError
from ratinglab.simulation.fairness import BY_GAME, Measured, fairness, measure
from ratinglab.simulation.models import Model, Spreads
from ratinglab.simulation.tournaments import Deed, Strengths, by_strength, final_places, play, streams
from ratinglab.tasks import HERE, Progress, Workers, run, seeds

CHUNK = 500  # tournaments of a task; results depend on it, so it is fixed
_DRAWS = 4000  # first rounds drawn of a pairing system that says no chances of its own


@dataclass(frozen=True)
class Plan:
    """What is simulated: pairing systems by their labels, and what their tournaments are."""

    pairings: Mapping[str, Pairing]
    players: int
    rounds: int
    tournaments: int
    strengths: Strengths
    model: Model
    seed: int = 0

    def __post_init__(self) -> None:
        """At least two players, one round and two tournaments (an error needs two)."""
        least = {"players": 2, "rounds": 1, "tournaments": 2}
        for name, number in least.items():
            if getattr(self, name) < number:
                raise UsageError(f"{name} must be {number} or more; found {getattr(self, name)}")
        if not self.pairings:
            raise UsageError("no pairing system given")

    def chunks(self) -> list[tuple[int, np.random.SeedSequence]]:
        """The tasks: how many tournaments, and their seed."""
        count = -(-self.tournaments // CHUNK)
        sizes = [min(CHUNK, self.tournaments - CHUNK * i) for i in range(count)]
        return list(zip(sizes, seeds(self.seed, count), strict=True))

    def drawn(self, seed: np.random.SeedSequence, size: int) -> tuple[Floats, Field]:
        """The first `size` fields of a chunk: a chunk is drawn whole, so that a shorter one is its beginning."""
        strength, field = self.strengths.draw(np.random.default_rng(streams(seed, 3)[0]), CHUNK, self.players)
        team = None if field.team is None else field.team[:size]
        return strength[:size], Field(field.rating[:size], field.lot[:size], team=team)


@dataclass(frozen=True)
class Simulation:
    """What came out.

    fairness: pairing, metric, value, se, tournaments. places: pairing, strength_rank, place, share, se: how often the
    k-th strongest finished where. displacement: pairing, place, displacement, pairs: by place in the standing before a
    round, how far the opponent given was from the ideal one. fields: pairing, wins, players, opponents, sd: by final
    wins, the mean true strength of opponents and how much it differs between players. games: pairing, game, and for
    each of `fairness.BY_GAME` its mean per tournament and standard error. gave_way: pairing, rule, players, se: for how
    many players of a tournament (one round each) a rule gave way.
    """

    plan: Plan
    fairness: pd.DataFrame
    places: pd.DataFrame
    displacement: pd.DataFrame
    fields: pd.DataFrame
    games: pd.DataFrame
    gave_way: pd.DataFrame

    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table by the name of its file."""
        return {
            "fairness.csv": self.fairness,
            "places.csv": self.places,
            "pairing_error.csv": self.displacement,
            "fields.csv": self.fields,
            "games.csv": self.games,
            "gave_way.csv": self.gave_way,
        }


def simulate(plan: Plan, workers: Workers = HERE, progress: Progress | None = None) -> Simulation:
    """Play all tournaments of the plan under each of its pairing systems, and measure them."""
    chunks = run(_chunk, plan.chunks(), plan, workers, progress)
    measured = {label: [chunk[label] for chunk in chunks] for label in plan.pairings}
    places, displaced, fields, games, gave_way = [], [], [], [], []
    for label, of in measured.items():
        share = np.sum([chunk.places for chunk in of], axis=0) / plan.tournaments
        rank, place = np.indices(share.shape)
        error = np.sqrt(share * (1 - share) / plan.tournaments)
        columns = {"strength_rank": rank + 1, "place": place + 1, "share": share, "se": error}
        places.append(pd.DataFrame({"pairing": label} | {name: np.ravel(value) for name, value in columns.items()}))
        away = np.sum([chunk.displaced for chunk in of], axis=0)
        columns = {"place": np.arange(1, len(away) + 1), "displacement": _mean(away[:, 0], away[:, 1])}
        displaced.append(pd.DataFrame({"pairing": label, **columns, "pairs": away[:, 1].astype(np.int64)}))
        sums = np.sum([chunk.games for chunk in of], axis=0)
        games.append(_of_games(label, sums, plan.tournaments))
        gave_way.append(_of_rules(label, np.sum([chunk.gave_way for chunk in of], axis=0), plan.tournaments))
        met = np.sum([chunk.fields for chunk in of], axis=0)
        mean = _mean(met[:, 1], met[:, 0])
        spread = np.sqrt(np.maximum(_mean(met[:, 2], met[:, 0]) - mean**2, 0))
        columns = {
            "wins": np.arange(len(met)) / 2,
            "players": met[:, 0].astype(np.int64),
            "opponents": mean,
            "sd": spread,
        }
        fields.append(pd.DataFrame({"pairing": label, **columns}).query("players > 0"))
    joined = (pd.concat(tables, ignore_index=True) for tables in (places, displaced, fields, games, gave_way))
    return Simulation(plan, fairness(measured), *joined)


def _of_games(label: str, sums: Floats, tournaments: int) -> pd.DataFrame:
    """Means and standard errors of what each game was like."""
    mean, error = _means(sums[:, 0], sums[:, 1], tournaments)
    table: dict[str, Any] = {"pairing": label, "game": np.arange(1, len(mean) + 1)}
    for k, name in enumerate(BY_GAME):
        table |= {name: mean[:, k], f"{name}_se": error[:, k]}
    return pd.DataFrame(table)


def _of_rules(label: str, sums: Floats, tournaments: int) -> pd.DataFrame:
    """For how many players of a tournament each rule gave way, and the standard error."""
    mean, error = _means(sums[0], sums[1], tournaments)
    return pd.DataFrame({"pairing": label, "rule": list(WORDS.values()), "players": mean, "se": error})


def _means(total: Floats, square: Floats, count: int) -> tuple[Floats, Floats]:
    """Means and standard errors from sums and sums of squares of so many values."""
    mean = total / count
    return mean, np.sqrt(np.maximum(square / count - mean**2, 0) / (count - 1))


def _mean(total: Floats, count: Floats) -> Floats:
    mean: Floats = np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)
    return mean


def _chunk(plan: Plan, item: tuple[int, np.random.SeedSequence]) -> dict[str, Measured]:
    size, seed = item
    strength, field = plan.drawn(seed, size)
    _, of_play, of_playoff = streams(seed, 3)
    out = {}
    for label, pairing in plan.pairings.items():
        played = play(pairing, strength, field, plan.rounds, plan.model, of_play)
        out[label] = measure(played, plan.model, np.random.default_rng(of_playoff))
    return out


# --- seed borders -----------------------------------------------------------------------------------------------------


def steps(
    pairings: Mapping[str, Pairing],
    players: int,
    *,
    model: Model | None = None,
    strengths: tuple[float, float] = (1500.0, 250.0),
    seed: int = 0,
) -> pd.DataFrame:
    """What it is worth in game 1 to be seeded one place lower: pairing, seed, mean_opponent_rank, p_win_first, ….

    True strengths are the expected normal order statistics of the field. `p_win_first` and `p_win_first_if_next_seed`
    are of one player, whose strength lies half-way between that of his seed and of the next, seeded in his place and
    in the next: the difference is the step at the border. Exact where a pairing system states its chances for game 1
    (`first_round_chances`); else from drawn first rounds, whose share has a standard error `se` of p_win_first.
    """
    model = model or Spreads()
    strength = strengths[0] + strengths[1] * order_statistics(players)
    rows = []
    for label, pairing in pairings.items():
        chances, draws = first_round_chances(pairing, players, strength, seed)
        for at in range(players):
            middle = (strength[at] + strength[min(at + 1, players - 1)]) / 2
            won = model.win(middle - strength)
            p = float(chances[at] @ won)
            se = float("nan") if draws == 0 else float(np.sqrt(max(chances[at] @ won**2 - p**2, 0.0) / draws))
            rows.append(
                {
                    "pairing": label,
                    "seed": at + 1,
                    "mean_opponent_rank": float(chances[at] @ np.arange(1, players + 1)),
                    "p_win_first": p,
                    "p_win_first_if_next_seed": float(chances[at + 1] @ won) if at + 1 < players else float("nan"),
                    "se": 0.0 if draws == 0 else se,
                }
            )
    return pd.DataFrame(rows)


def first_round_chances(pairing: Pairing, players: int, strength: Floats, seed: int) -> tuple[Floats, int]:
    """How likely each seed meets each other in game 1, (n, n), and from how many draws (0: exactly)."""
    chances = pairing.first_round_chances(players)
    if chances is not None:
        return chances, 0
    rating = np.tile(strength, (_DRAWS, 1))
    rng = np.random.default_rng(seed)
    lot = rng.permuted(np.tile(np.arange(players), (_DRAWS, 1)), axis=1)
    made = pairing.pair(Standing.start(Field(rating, lot), 2), rng)
    found = np.zeros((players, players))
    tournament, who = np.nonzero(made.opponent >= 0)
    np.add.at(found, (who, made.opponent[tournament, who]), 1.0)
    return found / np.maximum(found.sum(axis=1, keepdims=True), 1), _DRAWS


def order_statistics(n: int) -> Floats:
    """The expected order statistics of n standard normal numbers, the largest first, (n,); by numerical integration.

    >>> order_statistics(2).round(4).tolist()
    [0.5642, -0.5642]
    """
    from scipy.special import gammaln, log_ndtr

    x, width = np.linspace(-12, 12, 24001, retstep=True)
    below, above = log_ndtr(x), log_ndtr(-x)
    density = -0.5 * x**2 - 0.5 * np.log(2 * np.pi)
    out = np.empty(n)
    for k in range(n):  # the k-th largest has k above it
        ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k)
        out[k] = np.sum(x * np.exp(ways + density + (n - 1 - k) * below + k * above)) * width
    return out


# --- what tricks gain -------------------------------------------------------------------------------------------------


def sandbagging(plan: Plan, lowered: float, workers: Workers = HERE, progress: Progress | None = None) -> pd.DataFrame:
    """What one player of each tournament gains by a rating before play that is `lowered` by so many points.

    By the quarter of the field that the player's true strength belongs to: pairing, strength_quarter, tournaments, and
    the gain in wins, places and the probability of finishing first, each with its standard error; the same
    tournaments with and without.
    """
    return _tricks(plan, "sandbag", lowered, workers, progress)


def gambits(plan: Plan, thrown: int, workers: Workers = HERE, progress: Progress | None = None) -> pd.DataFrame:
    """What one player gains by losing the first games on purpose: as `sandbagging`, with the games `thrown`.

    `gain_wins` counts the games after those thrown away alone, and `gain_opponents` is how much weaker the opponents
    were in them, in rating points.
    """
    return _tricks(plan, "gambit", thrown, workers, progress)


_GAINS = ("gain_wins", "gain_places", "gain_p_first", "gain_opponents")


def _tricks(plan: Plan, trick: str, size: float, workers: Workers, progress: Progress | None) -> pd.DataFrame:
    items = [(*chunk, trick, size) for chunk in plan.chunks()]
    chunks = run(_trick, items, plan, workers, progress)
    rows = []
    for label in plan.pairings:
        quarter = np.concatenate([chunk[label][0] for chunk in chunks])
        gains = np.concatenate([chunk[label][1] for chunk in chunks], axis=1)
        for which in range(4):
            of = gains[:, quarter == which]
            row = {"pairing": label, "strength_quarter": which + 1, "tournaments": of.shape[1], trick: size}
            for name, values in zip(_GAINS, of, strict=True):
                known = len(values) > 1
                row[name] = float(values.mean()) if len(values) else float("nan")
                row[f"{name}_se"] = float(values.std(ddof=1) / np.sqrt(len(values))) if known else float("nan")
            rows.append(row)
    return pd.DataFrame(rows)


def _trick(plan: Plan, item: tuple[int, np.random.SeedSequence, str, float]) -> dict[str, tuple[Ints, Floats]]:
    size, seed, trick, amount = item
    strength, field = plan.drawn(seed, size)
    of_play, of_who = streams(seed, 4)[1::2]
    who = np.random.default_rng(of_who).integers(0, plan.players, CHUNK)[:size]
    deed = Deed(who, lowered=amount) if trick == "sandbag" else Deed(who, thrown=int(amount))
    skipped = int(amount) if trick == "gambit" else 0
    at = np.arange(size)
    rank = np.argsort(by_strength(strength), axis=1, kind="stable")[at, who]
    out = {}
    for label, pairing in plan.pairings.items():
        found = []
        for of in (None, deed):
            played = play(pairing, strength, field, plan.rounds, plan.model, of_play, of)
            standing = played.standing
            place = final_places(standing)
            wins = np.maximum(standing.result[at, who, skipped:], 0).sum(axis=1) / 2
            first = (place[at, who] == 1) / (place == 1).sum(axis=1)
            opponent = standing.opponent[at, who, skipped:]
            met = np.where(opponent >= 0, strength[at[:, None], np.maximum(opponent, 0)], 0.0).sum(axis=1)
            mean = met / np.maximum((opponent >= 0).sum(axis=1), 1)
            found.append(np.stack([wins, -place[at, who], first, -mean]))
        out[label] = (np.minimum(rank * 4 // plan.players, 3), found[1] - found[0])
    return out


def labels(pairings: Sequence[Pairing]) -> dict[str, Pairing]:
    """Pairing systems by their labels, each once; one that is a preset by the preset's name."""
    presets = {kind(**given): name for name, (kind, given) in PRESETS.items()}
    return {presets.get(pairing, pairing.label): pairing for pairing in pairings}
