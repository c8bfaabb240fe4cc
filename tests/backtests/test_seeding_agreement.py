"""How seedings agreed with final orders, beside scipy and resamples written out."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ratinglab.backtests.seeding_agreement import agreement, filed_order, seed_of


class TestAgreement:
    """Coefficients and their intervals."""

    @settings(max_examples=25)
    @given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=4, max_size=12))
    def test_against_scipy(self, pairs) -> None:
        x, y = (np.array(of_one, dtype=float) for of_one in zip(*pairs, strict=True))
        row = agreement({"filed": x}, -y, resamples=20).iloc[0]
        if len(set(x)) == 1 or len(set(y)) == 1:
            assert np.isnan(row["kendall_tau"])
            assert np.isnan(row["spearman"])
            return
        assert row["kendall_tau"] == pytest.approx(stats.kendalltau(x, y)[0])
        assert row["spearman"] == pytest.approx(stats.spearmanr(x, y)[0])

    def test_intervals_are_those_of_entrants_drawn_anew(self) -> None:
        rng = np.random.default_rng(4)
        x, place = rng.normal(size=14), np.arange(1.0, 15)
        x -= 0.15 * place
        rng = np.random.default_rng(9)  # the draws of resampling.event_draws, written out
        taus, rhos = [], []
        for picks in rng.integers(0, 14, size=(1000, 14)):
            pairs = [(i, j) for i, j in combinations(picks, 2) if i != j]
            taus.append(np.mean([np.sign((x[i] - x[j]) * (place[j] - place[i])) for i, j in pairs]))
            rhos.append(stats.spearmanr(x[picks], -place[picks])[0])
        row = agreement({"filed": x}, place, seed=9).iloc[0]
        assert [row["kendall_tau_low"], row["kendall_tau_high"]] == pytest.approx(np.quantile(taus, [0.025, 0.975]))
        assert [row["spearman_low"], row["spearman_high"]] == pytest.approx(np.quantile(rhos, [0.025, 0.975]))

    def test_the_order_filed(self) -> None:
        order, name = filed_order(np.array([1500.0, np.nan, 1700.0, np.nan]), [1, 2, 3, 4])
        assert seed_of(order).tolist() == [2, 3, 1, 3]
        assert name == "rating filed"
        order, name = filed_order(np.full(3, np.nan), [3, 1, 2])
        assert seed_of(order).tolist() == [3, 1, 2]
        assert name == "number"

    def test_without_ratings_and_numbers_the_order_given_stands(self) -> None:
        order, _ = filed_order(np.full(4, np.nan), [None, 2, np.nan, 1])
        assert seed_of(order).tolist() == [3, 2, 4, 1]
        order, _ = filed_order(np.full(3, np.nan), [pd.NA, pd.NA, pd.NA])
        assert seed_of(order).tolist() == [1, 2, 3]
