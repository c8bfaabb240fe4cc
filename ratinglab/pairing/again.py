"""Real events paired again: every round from the standing before it, beside what was paired at the time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from ratinglab.history import History
from ratinglab.pairing.base import Pairing
from ratinglab.pairing.standing import NOBODY, Standing
from ratinglab.periods import Ints
from ratinglab.standings import section_standing, sections

_MEASURES = ("pairs", "repeats", "points_apart", "tow_apart", "tow_gap", "seeds_apart")


def paired_again(
    history: History, pairing: Pairing, *, seed: int = 0, progress: Callable[[int, int], None] | None = None
) -> pd.DataFrame:
    """One row for each section and round of every event: what was paired, and what `pairing` would have paired.

    Columns event, section, round, players, same (pairs that both made) and, for the pairs as they were (`_paired`) and
    as `pairing` makes them (`_again`): pairs, repeats, points_apart (mean difference in points), tow_apart (mean
    difference in total opponent wins), tow_gap (mean TOW of whoever stands higher, less that of the other) and
    seeds_apart (mean difference in places before play). Both start from the real standing before the round and pair
    those who played in it; rounds of fewer than two are left out. Later rounds rest on what was really paired.
    """
    rows = []
    events = list(history.events["event"])
    for done, event in enumerate(events):
        alone = history.only(event)  # each round looks through all games that there are
        for section in sections(alone, event):
            mine = alone.games["section"] == section
            rounds = int(alone.games.loc[mine, "round"].max()) if mine.any() else 0
            whole = section_standing(alone, event, section, seed=seed).standing if rounds else None
            for round in range(1, rounds + 1):
                assert whole is not None  # there is a round
                before = section_standing(alone, event, section, round, seed=seed).standing
                row = _round(before, whole.opponent[0, :, round - 1], pairing, seed)
                if row is not None:
                    rows.append({"event": event, "section": section, "round": round, **row})
        if progress is not None:
            progress(done + 1, len(events))
    columns = ["event", "section", "round", "players", "same"]
    columns += [f"{name}_{which}" for name in _MEASURES for which in ("paired", "again")]
    return pd.DataFrame(rows, columns=columns)


def summed(table: pd.DataFrame, label: str) -> pd.DataFrame:
    """All rounds but each section's first together, a row for what was paired and one for `label`.

    pairs, same, repeats; and means over pairs of the differences in points, TOW and places before play.
    """
    later = table[table["round"] > 1]
    rows = []
    for which, name in (("paired", "as it was paired"), ("again", label)):
        pairs = later[f"pairs_{which}"]
        row = {"pairing": name, "rounds": len(later), "pairs": int(pairs.sum()), "same": int(later["same"].sum())}
        row["repeats"] = int(later[f"repeats_{which}"].sum())
        for measure in ("points_apart", "tow_apart", "tow_gap", "seeds_apart"):
            total = (later[f"{measure}_{which}"].fillna(0) * pairs).sum()
            row[measure] = round(float(total / pairs.sum()), 3) if pairs.sum() else float("nan")
        rows.append(row)
    return pd.DataFrame(rows)


def _round(before: Standing, real: Ints, pairing: Pairing, seed: int) -> dict[str, float] | None:
    there = real != NOBODY
    if there.sum() < 2:
        return None
    made = pairing.pair(replace(before, here=there[None, :]), np.random.default_rng(seed)).opponent[0]
    paired, again = _pairs(real), _pairs(made)
    row: dict[str, float] = {"players": int(there.sum()), "same": len(paired & again)}
    for which, pairs in (("paired", paired), ("again", again)):
        row |= {f"{name}_{which}": value for name, value in _measured(before, pairs).items()}
    return row


def _pairs(opponent: Ints) -> set[tuple[int, int]]:
    """The pairs that both sides name."""
    return {(i, j) for i, j in enumerate(opponent.tolist()) if j > i and opponent[j] == i}


def _measured(standing: Standing, pairs: set[tuple[int, int]]) -> dict[str, float]:
    points, tow, seed = standing.points[0] / 2, standing.tow()[0], standing.field.seed[0]
    if not pairs:
        return dict.fromkeys(_MEASURES, float("nan")) | {"pairs": 0, "repeats": 0}
    one, other = np.array(sorted(pairs)).T
    # of each pair the one of more points first, of equal points the higher seed
    swap = (points[other] > points[one]) | ((points[other] == points[one]) & (seed[other] < seed[one]))
    high, low = np.where(swap, other, one), np.where(swap, one, other)
    return {
        "pairs": len(pairs),
        "repeats": int((standing.met[0, one, other] > 0).sum()),
        "points_apart": float((points[high] - points[low]).mean()),
        "tow_apart": float(np.abs(tow[high] - tow[low]).mean()),
        "tow_gap": float((tow[high] - tow[low]).mean()),
        "seeds_apart": float(np.abs(seed[high] - seed[low]).mean()),
    }
