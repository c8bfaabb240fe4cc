"""Two scales of one history and the conversions between them, there and back: what the command `convert` shows.

A scale is named as a kind of dated list (national), as the replay of all events (replay), or as that of one pool's
events (replay:school; replay:none for events without a pool).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ratinglab.problems import UsageError
from ratinglab.seeding.converting import RESAMPLES, WITHIN, Common, Conversion, common, conversion, listed, replayed

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.replaying import Progress
    from ratinglab.systems import System

REPLAY, NO_POOL = "replay", "none"
PARTS = ("lower third", "middle third", "upper third")


@dataclass(frozen=True)
class Conversions:
    """The conversion `there`, from the scale `source` to `target`, and `back`, with the people that both rest on.

    Scales are called as readers know them. `back` is missing where it cannot be made. as_of: the day up to which
    ratings count; without one, all do.
    """

    source: str
    target: str
    common: Common
    there: Conversion
    back: Conversion | None
    as_of: str | None

    def fit(self) -> pd.DataFrame:
        """How the curve fits in each third of the players: part, low, high, players, residual, residual_se, sd.

        Residuals are those of players left out of the fit, `sd` their standard deviation about their own mean.
        """
        rows = []
        for name, part in zip(PARTS, np.array_split(np.arange(self.there.n), len(PARTS)), strict=True):
            of = self.there.residuals.iloc[part]
            sd = float(of["residual"].std(ddof=1))
            rows.append((name, of["x"].min(), of["x"].max(), len(of), of["residual"].mean(), sd / len(of) ** 0.5, sd))
        return pd.DataFrame(rows, columns=["part", "low", "high", "players", "residual", "residual_se", "sd"])

    def pairs(self) -> pd.DataFrame:
        """Everybody on both lists with the value from a fit without them, and how far off it was (in sd, `z`)."""
        told = self.common.pairs.merge(self.there.residuals[["player", "value", "residual"]], on="player")
        return told.assign(z=told["residual"] / self.there.residual_sd if self.there.residual_sd else np.nan)


def conversions(
    history: History,
    source: str,
    target: str,
    system: System,
    *,
    as_of: str | None = None,
    within: int = WITHIN,
    start: str = "filed",
    seed: int = 0,
    resamples: int = RESAMPLES,
    names: tuple[str | None, str | None] = (None, None),
    progress: Progress | None = None,
) -> Conversions:
    """Both conversions between two scales of a history.

    `system` replays where a scale asks for it, from events that end on or before `as_of`. `names` are what readers call
    the scales, by default the kind or the pool. Raises `UsageError` for the
    same scale twice, one that is not there, and where too few players are on both.
    """
    if source.casefold() == target.casefold():
        raise UsageError(f"a conversion is between two scales; found {source} twice")
    x, y = (
        _scale(history, name, system, as_of=as_of, start=start, progress=progress) for name in (source, target)
    )  # fmt: skip
    both = common(x, y, within=within)
    if both.pairs.empty and both.apart:
        raise UsageError(f"nobody has both ratings within {within} days; --within says how far apart they may be")
    there = conversion(both.pairs, seed=seed, resamples=resamples)
    swapped = {"x": "y", "y": "x", "x_deviation": "y_deviation", "y_deviation": "x_deviation"}
    try:
        back = conversion(both.pairs.rename(columns=swapped), seed=seed, resamples=resamples)
    except UsageError:  # few different ratings on the second list: there is a way there and none back
        back = None
    called = [name or _called(scale) for name, scale in zip(names, (source, target), strict=True)]
    return Conversions(called[0], called[1], both, there, back, as_of)


def _called(scale: str) -> str:
    what, _, pool = scale.partition(":")
    return scale if what.casefold() != REPLAY or not pool else "no-pool" if pool.casefold() == NO_POOL else pool


def _scale(
    history: History, name: str, system: System, *, as_of: str | None, start: str, progress: Progress | None
) -> pd.DataFrame:
    """Everybody's rating on a scale, as `converting.LISTED`."""
    from ratinglab.replaying import replay

    what, colon, pool = name.partition(":")
    if what.casefold() != REPLAY:
        return listed(history, name, as_of=as_of)
    events = history.events
    if colon:
        pools = events["pool"].fillna(NO_POOL)
        mine = events.loc[pools.str.casefold() == pool.casefold(), "event"]
        if mine.empty:
            raise UsageError(f"no event of pool {pool}; the pools are: {', '.join(sorted(set(pools)))}")
        history = history.only(mine)
    result = replay(history.between(None, as_of), system, start=start, progress=progress)
    return replayed(result, as_of=as_of)
