"""Histories made with a known τ, growth and b, calibrated: whether the intervals cover what went in.

The design, and why. The true values differ from history to history, so that no lucky value is tested again and again.
Two hundred players, of whom twenty are at each event: newcomers come all the time, as they do in real pools. What is
known of b against σ0 is known from newcomers; where everybody has come by the third event, those few events hold all of
it, and no resampling of events can say how sure that is (60 players in fields of 30: 73 % for b). Three rounds an
event: the update takes what opponents' ratings are off by as independent from game to game, which is the less true the
more of one field is met; with six rounds in the same fields τ comes out a quarter of a standard error too large and its
intervals cover in 91 %. Spreads are rounded to whole points, which adds a twelfth to τ² and is not seen. Neither a
floor nor a limit of the deviation comes into play, since none went in.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from ratinglab.calibration.calibrating import calibrate
from ratinglab.sample import individual_circuit
from ratinglab.systems import Glixo

PLAYERS, EVENTS, ROUNDS, FIELD = 200, 100, 3, 20
AXES = ("tau=50:140:3", "c=0.5:40:3", "b=2:10:3")
RESAMPLES = 400


def recovered(seed: int) -> pd.DataFrame:
    """One history's parameters, each with its truth: parameter, truth, value, low, high, profile_low, profile_high."""
    rng = np.random.default_rng(seed)
    truth = {"tau": rng.uniform(75, 110), "c": rng.uniform(8, 20), "b": rng.uniform(4, 6)}
    history, _ = individual_circuit(
        rng, PLAYERS, EVENTS, ROUNDS, b=truth["b"], tau=truth["tau"], field=FIELD, drift=truth["c"]
    )
    system = Glixo(growth="linear", max_deviation=5000, floor=-1e6)
    found = calibrate(history, system, AXES, fit=True, start="fresh", seed=seed, resamples=RESAMPLES).parameters
    found = found.rename(columns={"name": "parameter"}).assign(truth=lambda t: t["parameter"].map(truth))
    return found[["parameter", "truth", "value", "low", "high", "profile_low", "profile_high"]]


def coverage(seeds: Iterable[int]) -> pd.DataFrame:
    """Per parameter over these seeds: histories, and in how many the interval covers the truth, by either method.

    `bias`: the mean error of the value relative to the truth; an interval that is open on a side ends there nowhere.
    """
    found = pd.concat([recovered(seed) for seed in seeds])
    table = pd.DataFrame({"parameter": found["parameter"], "bias": found["value"] / found["truth"] - 1})
    for name, low, high in (("resampling", "low", "high"), ("profile", "profile_low", "profile_high")):
        beyond = (found["truth"] < found[low]) | (found["truth"] > found[high])
        table[name] = ~beyond & ~(found[low].isna() & found[high].isna())
    by = table.groupby("parameter", sort=False)
    counts = by.agg(
        histories=("bias", "size"), resampling=("resampling", "sum"), profile=("profile", "sum"), bias=("bias", "mean")
    )
    return counts.reset_index()
