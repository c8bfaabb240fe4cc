"""How a US Chess rating came about, told step by step: both sweeps, each formula's rule, bonus and floors.

The arrays are those of the update in `ratinglab.systems.uscf`; nothing is computed here that it does not use.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ratinglab.periods import Batch, Bools, Floats, take
from ratinglab.systems.uscf_special import HIGHEST, REACH, Players
from ratinglab.systems.workings import Workings


class Sweep(NamedTuple):
    """One pass over a batch: what everybody's rating before the event becomes against given opponents."""

    units: Floats  # (lines, p) the opponents' strength in each of the lines
    expected: Floats  # (lines, p)
    base: Floats  # (entries, p), as all below
    bonus: Floats
    beyond: Floats  # by how much the special formula exceeded its limit; in `base` this is cut off
    k: Floats
    after: Floats


class Settled(NamedTuple):
    """What the sweeps of a batch have in common, (entries, p) or (entries, 1)."""

    sides: Batch  # the batch with all games from both sides
    games: Floats  # N; nan: not known
    effective: Floats  # N'
    k: Floats
    threshold: Floats  # B·√max(m, 4); inf where there is no bonus
    record: Floats
    special: Players | None
    old: Bools | None  # (entries,): rated by the rules before 2001
    provisional: Bools | None  # (entries,): of these, those rated as provisional


def tell(workings: Workings, settled: Settled, estimate: Floats, first: Sweep, last: Sweep) -> None:
    """Both sweeps and what the last gives; `estimate` (entries, p) is everybody's strength in the first.

    Points are of the last sweep alone: another B changes the first sweep's results only through opponents' strength,
    and the entry's own bonus is a rule of its own.
    """
    batch, entry = settled.sides, settled.sides.lines.entry
    plays = batch.played > 0
    nobody = np.zeros_like(plays)
    old = nobody if settled.old is None else settled.old & plays
    provisional = nobody if settled.provisional is None else settled.provisional
    special = nobody.copy()
    if settled.special is not None:
        special[settled.special.who] = True
    now, by_formula = plays & ~old, (special | provisional)[:, None]
    nothing = np.zeros_like(last.base)
    workings.inputs(
        batch,
        prior_games=settled.games,
        effective_games=np.where(old[:, None], np.nan, settled.effective),
        K=np.where(by_formula, np.nan, last.k),
    )
    because = "who has no game yet is first estimated, with N' = 1, as an opponent of others only"
    new = now & (settled.games[:, 0] == 0)
    if new.any():
        workings.rule(batch, "first estimate", nothing, because, new, gives=estimate)
    if now.any():
        because = "against the ratings before the event; this gives no points, only the strength of opponents"
        workings.games(batch, "first sweep", because, now, opponent_rating=first.units, expected=first.expected)
        because = "the result of the first sweep is what others met in the second"
        workings.rule(batch, "first sweep", nothing, because, now, gives=first.after, bonus=first.bonus)
    points = np.where(by_formula[entry], 0.0, take(last.k, entry) * (batch.line_results - last.expected))
    special_points = np.zeros_like(last.base)
    if special.any():
        shares, weight = _shares(settled, last)
        own = special[entry, None]
        points = np.where(own, shares, points)
        special_points = batch.sum_lines(np.where(own, shares, 0.0))
        workings.inputs(batch, games_in_the_mean=np.where(special[:, None], weight, np.nan))
    for name, who, because in (
        ("second sweep", now, "from the rating before the event again, against what the first sweep made of opponents"),
        ("one sweep", old, "by the rules before 2001, against the ratings before the event"),
    ):
        if who.any():
            own = np.where(who[entry, None], points, 0.0)
            workings.games(batch, name, because, who, opponent_rating=last.units, expected=last.expected, points=own)
    because = (
        "the new rating R solves N'·PWe(R, R0') + Σ PWe(R, R_i) = S', PWe = ½ + (R - R_i)/800 within 0 and 1: the "
        "mean of N' games at the old rating and of the games played, a win at 400 above the opponent, a loss at 400 "
        "below; a game that was as good as won or lost before counts only by what it misses"
    )
    found = np.where(special[:, None], last.base + last.beyond - special_points, 0.0)
    workings.rule(batch, "special formula", found, because, special)
    workings.rule(batch, "special limit", -last.beyond, f"the special formula gives at most {HIGHEST:g}")
    because = "the new rating is (N·R + ΣR_i + 400(W - L))/(N + m)"
    workings.rule(batch, "provisional formula", np.where(provisional[:, None], last.base, 0.0), because, provisional)
    because = "what K(S - E) exceeds B·√max(m, 4) by is added once more; not with fewer than three games, nor after "
    because += "more than two with one opponent"
    standard = now & ~special
    if standard.any():
        threshold = np.where(np.isinf(settled.threshold), np.nan, settled.threshold)
        workings.rule(batch, "bonus", last.bonus, because, standard, gain=last.base, threshold=threshold)


def _shares(settled: Settled, last: Sweep) -> tuple[Floats, Floats]:
    """What each of the lines gives under the special formula, (lines, p), and the games in its mean, (entries, p).

    On the straight piece that holds the root R the equation is a mean over the games with an expectation between 0 and
    1 and over N' games at R0': each gives (800(s - PWe) + R' - R)/weight, any other game 800(s - PWe)/weight. What
    they do not add up to is the share of the earlier record. Where no game is on a straight piece there is no mean.
    """
    batch, entry = settled.sides, settled.sides.lines.entry
    before, root = last.after - last.base - last.bonus, last.after + last.beyond
    on_piece = np.abs(take(root, entry) - last.units) < REACH
    earlier = np.abs(root - (before - REACH * settled.record)) < REACH
    weight = settled.effective * earlier + batch.sum_lines(on_piece.astype(float))
    miss = 2 * REACH * (batch.line_results - last.expected)
    shares = (miss + on_piece * take(root - before, entry)) / take(np.where(weight > 0, weight, np.inf), entry)
    return shares, weight


def tell_floors(workings: Workings, batch: Batch, unbounded: Floats, absolute: Floats, after: Floats) -> None:
    """What the floors added to the rating of the last sweep: the `absolute` one (entries, 1), the rest the peak's."""
    raised = after - unbounded
    lower = np.minimum(np.maximum(absolute - unbounded, 0.0), raised)
    workings.rule(batch, "absolute floor", lower, "no rating is below 100 + 4 wins + 2 draws + events, at most 150")
    because = "no established rating is below the hundred at or under its peak less 200, from a peak of 1400"
    workings.rule(batch, "peak floor", raised - lower, because)
