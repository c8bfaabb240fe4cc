"""A NASPA newcomer's initial rating: the rating at which the newcomer's wins were to be expected.

All newcomers of a section are rated together, pass by pass, since they may have met each other. The figures are those
of the tournament software: whole-number bisection, at most 50 passes, and the mean of 50 more where those do not
settle. The bisection's comparisons alone decide its outcome, so it is enough to find the whole number below which the
expected wins fall short; a few guarded Newton steps find it sooner.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ratinglab.periods import Batch, Bools, Floats, Ints, take
from ratinglab.systems.base import team_strength
from ratinglab.systems.workings import Workings

LOW, HIGH = 0, 3000
LEAST = 500.0
PASSES = 50
# Wins that are met to this are met: halfway between two opponents one win of two is exactly due, and a processor's last
# bits must not decide whether it is. A rating point is worth a hundred thousand times as much.
MET = 1e-9
NEWTON = 8  # steps before the search falls back on halving
# Expected wins for (differences (n, p), line numbers (n,)).
Curve = Callable[[Floats, Ints], Floats]


class Newcomers(NamedTuple):
    """The newcomers of a batch and their games, a row a game, each newcomer's together."""

    who: Ints  # entries
    games: Ints
    begins: Ints  # where each one's games begin
    line: Ints  # in batch.directed
    opponent: Ints  # units
    met_rated: Bools
    rated_games: Floats
    unrated: Ints  # rows against somebody unrated …
    unrated_place: Ints  # … and which newcomer that is, where all play alone
    aim: Floats  # wins to be expected
    most: Floats  # by which the result may exceed the best opponent
    period: Ints
    met_newcomer: Bools  # per period: whether newcomers met each other


def initial_ratings(
    before: Floats, batch: Batch, default: Any, curve: Curve, slope: Any, workings: Workings | None = None
) -> Floats:
    """`before` (entries, p) with the nan of everybody who has a game in the batch replaced by an initial rating.

    `default` is where a newcomer starts who met nobody rated; `slope` is about the curve's, and only speeds the search.
    `workings` are told each pass.
    """
    missing = np.isnan(before[:, 0])
    new = batch.remembered(("newcomers", missing.tobytes()), lambda: _newcomers(batch, missing))
    who, games, begins = new.who, new.games, new.begins
    known = take(team_strength({"rating": before}, batch)["rating"], new.opponent)
    total = np.add.reduceat(np.where(new.met_rated, known, 0.0), begins)
    current = np.where(new.rated_games > 0, total / np.maximum(new.rated_games, 1), default)
    best_rated = np.maximum.reduceat(np.where(new.met_rated, known, -np.inf), begins)
    guess = current + np.log(new.aim / (games[:, None] - new.aim)) / slope

    def opponents(current: Floats) -> Floats:
        """What the opponents are worth while the newcomers stand at `current`."""
        if not len(new.unrated):
            return known
        against = known.copy()
        if batch.lone:
            against[new.unrated] = take(current, new.unrated_place)
        else:
            everybody = before.copy()
            everybody[who] = current
            strength = team_strength({"rating": everybody}, batch)["rating"]
            against[new.unrated] = take(strength, new.opponent[new.unrated])
        return against

    def one_pass(current: Floats, guess: Floats, active: Bools) -> tuple[Floats, Floats]:
        """The next values of the active newcomers, from everybody's current ones, and where to look next time."""
        best, most, aim, look = best_rated, new.most, new.aim, guess
        against, counts, starts, lines = opponents(current), games, begins, new.line
        everyone = bool(active.all())
        if not everyone:
            rows = np.flatnonzero(np.repeat(active, games))
            best, most, aim, look = (of[active] for of in (best, most, aim, look))
            counts = games[active]
            against, lines, starts = against[rows], lines[rows], np.cumsum(counts) - counts
        both = np.concatenate([lines, lines])
        short = _short_below(against, starts, counts, aim, look, lambda d: curve(d, both))
        rating = np.maximum(_last_tried()[short.astype(np.int64)], LEAST)
        lost = best == -np.inf
        if lost.any():
            best = np.where(lost, np.maximum.reduceat(against, starts), best)
        rating = np.minimum(rating, best + most)
        if everyone:
            return rating, short
        out, found = current.copy(), guess.copy()
        out[active], found[active] = rating, short
        return out, found

    def tell(name: str, change: Floats, because: str) -> None:
        if workings is not None:
            workings.rule_of(batch, who, name, change, because)

    if workings is not None:
        aim = np.full_like(before, np.nan)
        aim[who] = new.aim
        workings.inputs(batch, wins_to_be_expected=aim)
    tell("start", current, "a newcomer starts at the mean of the rated opponents")
    period, periods = new.period, len(batch.rounds)
    active = np.ones(len(who), dtype=bool)
    for number in range(1, PASSES + 1):
        following, guess = one_pass(current, guess, active)
        tell(f"pass {number}", following - current, "to where the wins were to be expected, within 500 and M + 400·W/n")
        # a section has settled once a pass moves none of its newcomers; where none met another, after the first
        moved = (following != current).any(axis=1) & new.met_newcomer[period]
        current = following
        active = (np.bincount(period, moved, periods) > 0)[period]
        if not active.any():
            break
    else:
        total = np.zeros_like(current)
        following = current
        for _ in range(PASSES):
            following, guess = one_pass(following, guess, active)
            total += following
        settled = current
        current = np.where(active[:, None], total / PASSES, current)
        tell("mean of 50 more passes", current - settled, "where the passes do not settle, their mean counts")
    out = before.copy()
    out[who] = current
    return out


def _newcomers(batch: Batch, missing: Bools) -> Newcomers:
    """Who of those without a rating (`missing`, entries) has games in the batch, and against whom."""
    lines = batch.directed
    line = np.flatnonzero(missing[lines.entry])
    entry, opponent = lines.entry[line], lines.opponent[line]
    begins = np.flatnonzero(np.diff(entry, prepend=-1))
    who, games = entry[begins], np.diff(begins, append=len(entry))
    n, wins = games[:, None].astype(float), batch.wins[entry[begins]][:, None]
    # one unrated member leaves a team unrated
    unit_missing = batch.any_member(missing)
    met_rated = ~unit_missing[opponent]
    met_newcomer = np.logical_or.reduceat(~met_rated, begins)
    place = np.zeros(len(missing), dtype=np.int64)
    place[who] = np.arange(len(who))
    unrated = np.flatnonzero(~met_rated)
    period = batch.entry_period[who]
    return Newcomers(
        who=who,
        games=games,
        begins=begins,
        line=line,
        opponent=opponent,
        met_rated=met_rated[:, None],
        rated_games=np.add.reduceat(met_rated.astype(float), begins)[:, None],
        unrated=unrated,
        unrated_place=place[opponent[unrated]] if batch.lone else unrated,
        aim=np.where(wins <= 0, 0.05 * n, np.where(wins >= n, 0.95 * n, wins)),
        most=400 * wins / n,
        period=period,
        met_newcomer=np.bincount(period, met_newcomer, len(batch.rounds)) > 0,
    )


def _short_below(
    against: Floats, starts: Ints, games: Ints, aim: Floats, guess: Floats, curve: Callable[[Floats], Floats]
) -> Floats:
    """The whole number from 0 to 2999 at which expected wins against `against` fall short of `aim`, and one above not.

    The ends count as such without being tried, as in the bisection. `guess` (n, p) is where to look first.
    """
    # both sides of a step are tried at once, as two copies of everybody; their difference is the slope there
    n, of = len(games), np.repeat(np.arange(2 * len(games)), np.concatenate([games, games]))
    twice, begins = np.concatenate([against, against]), np.concatenate([starts, starts + len(against)])

    def expected(rating: Floats) -> tuple[Floats, Floats]:
        sums = np.add.reduceat(curve(take(np.concatenate([rating, rating + 1]), of) - twice), begins)
        return sums[:n], sums[n:]

    due = aim - MET
    rating = np.minimum(np.maximum(np.floor(guess), LOW), HIGH - 1)
    for _ in range(NEWTON):
        here, above = expected(rating)
        found = ((here < due) | (rating == LOW)) & ((above >= due) | (rating == HIGH - 1))
        if found.all():
            return rating
        following = np.floor(rating + (aim - here) / np.maximum(above - here, 1e-12))
        rating = np.where(found, rating, np.minimum(np.maximum(following, LOW), HIGH - 1))
    # where the curve is so flat that Newton's steps do not arrive
    low, high = np.full_like(rating, LOW), np.full_like(rating, HIGH)
    while (high - low).max() > 1:
        middle = np.floor((low + high) / 2)
        short = (expected(middle)[0] < due) | (middle == LOW)
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return low


@cache
def _last_tried() -> Floats:
    """For each whole number below which expected wins fall short: the last one that the bisection tries."""
    low, high = np.full(HIGH, LOW), np.full(HIGH, HIGH)
    below, middle = np.arange(HIGH), np.full(HIGH, LOW)
    while (going := high - low > 1).any():
        middle = np.where(going, (low + high) // 2, middle)
        short = middle <= below
        low, high = np.where(going & short, middle, low), np.where(going & ~short, middle, high)
    return middle.astype(float)
