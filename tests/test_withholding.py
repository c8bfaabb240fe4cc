"""Figures over few people: what is left out, and that the rest does not tell it."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratinglab.withholding import FEWEST, SECOND, TOO_FEW, withhold


def people(*sizes: int, start: int = 0) -> list[set[str]]:
    """Sets of so many different people."""
    first = np.concatenate([[0], np.cumsum(sizes)]) + start
    return [{f"p{i}" for i in range(a, b)} for a, b in itertools.pairwise(first)]


def table(*sizes: int) -> pd.DataFrame:
    return pd.DataFrame({"group": [f"g{i}" for i in range(len(sizes))], "people": list(sizes), "games": list(sizes)})


def test_a_small_group_goes_and_the_smallest_other_with_it() -> None:
    who = people(2, 40, 7)
    made = withhold(table(2, 40, 7), who, {"p0"}, ["people", "games"])
    assert made["withheld"].fillna("").tolist() == [TOO_FEW, "", SECOND]
    assert made["games"].isna().tolist() == [True, False, True]
    assert made["group"].tolist() == ["g0", "g1", "g2"]


def test_two_small_groups_of_five_together_need_no_other() -> None:
    made = withhold(table(2, 3, 40), people(2, 3, 40), {"p0", "p2"}, ["games"])
    assert made["withheld"].fillna("").tolist() == [TOO_FEW, TOO_FEW, ""]


def test_nobody_protected_in_it_nothing_left_out() -> None:
    made = withhold(table(2, 40), people(2, 40), {"p30"}, ["games"])
    assert made["withheld"].isna().all()
    assert made["games"].tolist() == [2, 40]


def test_the_whole_goes_where_it_is_no_more_than_the_small_group() -> None:
    (few,) = people(3)
    made = withhold(table(3, 3), [few, few], {"p0"}, ["games"], within=["pool", "pool"], total=[False, True])
    assert made["games"].isna().all()


def test_the_whole_stays_and_the_other_part_goes() -> None:
    few, others = people(3, 100)
    made = withhold(table(3, 100, 103), [few, others, few | others], {"p0"}, ["games"], total=[False, False, True])
    assert made["withheld"].fillna("").tolist() == [TOO_FEW, SECOND, ""]


def test_groups_are_looked_at_each_for_itself() -> None:
    made = withhold(table(2, 9, 9), people(2, 9, 9), {"p0"}, ["games"], within=["a", "a", "b"])
    assert made["games"].isna().tolist() == [True, True, False]


def test_the_same_few_people_twice_are_still_few() -> None:
    few, others = people(3, 50)
    made = withhold(table(3, 3, 50), [few, few, others], {"p1"}, ["games"])
    assert made["games"].isna().all()


def test_text_is_left_out_as_figures_are_and_the_given_table_stays() -> None:
    given_table = table(2, 60).assign(best=["P-1", "P-2"])
    before = given_table.copy()
    made = withhold(given_table, people(2, 60), {"p1"}, ["best"])
    assert made["best"].isna().all()
    pd.testing.assert_frame_equal(given_table, before)


def test_every_row_needs_its_people() -> None:
    with pytest.raises(ValueError, match="every row"):
        withhold(table(2, 60), people(2), {"p1"}, ["games"])


@given(st.lists(st.integers(0, 12), min_size=1, max_size=8), st.sets(st.integers(0, 60)))
def test_what_is_left_out_together_is_over_enough_people(sizes: list[int], young: set[int]) -> None:
    """Whoever takes the shown rows from the whole learns of five people or more, or of all there are."""
    who = people(*sizes)
    made = withhold(table(*sizes), who, {f"p{i}" for i in young}, ["games"])
    gone = made["withheld"].notna().to_numpy()
    hidden = set().union(*(names for names, left in zip(who, gone, strict=True) if left))
    assert (
        not gone.any() or len(hidden) >= FEWEST or all(left or not names for names, left in zip(who, gone, strict=True))
    )
    for names, left in zip(who, gone, strict=True):
        if names and len(names) < FEWEST and names & {f"p{i}" for i in young}:
            assert left
    assert made.loc[~gone, "games"].tolist() == [n for n, left in zip(sizes, gone, strict=True) if not left]
