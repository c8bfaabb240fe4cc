"""Figures over so few people that they would single somebody out, taken out of a table before it is published."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

import numpy as np
import pandas as pd

FEWEST = 5  # no figure over fewer people, where one of them is protected
TOO_FEW = f"fewer than {FEWEST} people"
SECOND = "left out, since the rest would tell"


def withhold(
    table: pd.DataFrame,
    who: Sequence[Collection[str]],
    protected: Collection[str],
    columns: Sequence[str],
    *,
    within: Sequence[Hashable] | None = None,
    total: Sequence[bool] | None = None,
) -> pd.DataFrame:
    """The table without the figures of rows that rest on fewer than `FEWEST` people one of whom is `protected`.

    `who` are the different people behind each row, `columns` the figures (missing afterwards); a last column
    `withheld` says why, and is empty elsewhere. `within` names the group to which a row belongs: the rows of a group
    are parts of one whole, of which `total` says which row it is (or which is told elsewhere). What is left out could
    be had by taking the other rows from the whole, so further rows go, the smallest first, until at least `FEWEST`
    people are behind the rows left out together, or nothing but the whole is left; it goes too if it is no more.
    """
    protected = frozenset(protected)
    groups = list(within) if within is not None else [0] * len(table)
    whole = np.asarray(total if total is not None else [False] * len(table), dtype=bool)
    people = [frozenset(names) for names in who]
    if not len(people) == len(groups) == len(whole) == len(table):
        raise ValueError("expected the people, the group and the whole of every row of the table")
    few = np.array([len(names) < FEWEST and bool(names & protected) for names in people], dtype=bool)
    why = np.where(few, TOO_FEW, "").astype(object)
    for group in dict.fromkeys(groups):
        parts = [i for i, own in enumerate(groups) if own == group and not whole[i]]
        left = sorted((i for i in parts if not why[i]), key=lambda i: (len(people[i]), i))
        hidden: frozenset[str] = frozenset().union(*(people[i] for i in parts if why[i]))
        while hidden and len(hidden) < FEWEST and left:
            second = left.pop(0)
            why[second] = SECOND
            hidden |= people[second]
    gone = why != ""
    cut = {
        column: table[column].astype("float64").mask(gone)
        if pd.api.types.is_numeric_dtype(table[column].dtype)
        else table[column].mask(gone)
        for column in columns
    }
    return table.assign(**cut, withheld=pd.Series(why, index=table.index, dtype="str").mask(~gone))
