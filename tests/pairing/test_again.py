"""Real rounds paired again: the measures by hand, and what the proposal of 1998 would have made of real events."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from making import SHARED, needs_shared
from test_real import event

from ratinglab import load
from ratinglab.history import History
from ratinglab.pairing import NOBODY, parse
from ratinglab.pairing.again import paired_again, summed
from ratinglab.pairing.cnsc import Cnsc
from ratinglab.standings import section_standing


def three_rounds(folder: Path) -> History:
    """Four players; round 3 repeats two games of round 1. Wins before it: Ansa 2, Bole 1, Cira 1, Dov 0."""
    games = ["1,Ansa,Bole,1,,played", "1,Cira,Dov,1,,played", "2,Ansa,Cira,1,,played", "2,Bole,Dov,1,,played"]
    games += ["3,Ansa,Bole,1,,played", "3,Cira,Dov,1,,played"]
    return event(folder, games, names=["Ansa", "Bole", "Cira", "Dov"])


def test_measures_by_hand(tmp_path: Path) -> None:
    """Before round 3 TOW is 2 (Bole, Cira) for Ansa, 2 (Ansa, Dov) for Bole and Cira, 2 (Cira, Bole) for Dov."""
    table = paired_again(three_rounds(tmp_path), parse("cnsc:repeats=99:0")).set_index("round")
    row = table.loc[3]
    assert (row["players"], row["pairs_paired"], row["pairs_again"], row["same"]) == (4, 2, 2, 0)
    # paired: Ansa-Bole and Cira-Dov again; anew: Ansa-Dov and Bole-Cira, the only round of new games
    assert (row["repeats_paired"], row["repeats_again"]) == (2, 0)
    assert (row["points_apart_paired"], row["points_apart_again"]) == (1, 1)
    assert (row["tow_apart_paired"], row["tow_gap_paired"]) == (0, 0)
    # numbers 1 to 4 by rating: 1-2 and 3-4, against 1-4 and 2-3
    assert (row["seeds_apart_paired"], row["seeds_apart_again"]) == (1, 2)
    row = table.loc[2]
    # winners Ansa and Cira have met nobody yet but losers: TOW 0; of losers 1
    assert (row["same"], row["points_apart_again"], row["tow_gap_again"]) == (2, 0, 0)


def test_a_round_robin_that_was_one_is_made_again_whole(tmp_path: Path) -> None:
    from ratinglab.pairing.round_robin import scheduled

    names = ["Ansa", "Bole", "Cira", "Dov", "Esk"]
    games = []
    for round_ in range(1, 6):
        for i, j in enumerate(scheduled(5, round_).tolist()):
            if i < j:
                games.append(f"{round_},{names[i]},{names[j]},1,,played")
            elif j == NOBODY:
                games.append(f"{round_},{names[i]},,1,,bye")
    table = paired_again(event(tmp_path, games, names=names), parse("round-robin"))
    assert len(table) == 5
    # whoever has a bye in the file is not there to be paired, so that four are: the table goes on as far as it can
    assert table["players"].tolist() == [4] * 5
    assert (table["pairs_paired"] == table["pairs_again"]).all()
    assert (table["repeats_again"] == 0).all()


def test_sums_leave_the_first_rounds_out_and_weigh_by_pairs(tmp_path: Path) -> None:
    table = paired_again(three_rounds(tmp_path), parse("cnsc:repeats=99:0"))
    total = summed(table, "anew").set_index("pairing")
    assert total["pairs"].tolist() == [4, 4]
    assert total["rounds"].tolist() == [2, 2]
    assert total.loc["as it was paired", "repeats"] == 2
    assert total.loc["anew", "points_apart"] == pytest.approx((0 * 2 + 1 * 2) / 4)


def test_progress_is_told_by_event(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    paired_again(three_rounds(tmp_path), parse("swiss"), progress=lambda done, of: seen.append((done, of)))
    assert seen == [(1, 1)]


@needs_shared
def test_cnsc_repeats_more_than_directors_because_its_limits_let_it() -> None:
    """Five sections of 15 rounds: no game that the limits forbid, but in the last rounds every repeat they allow.

    Under `repeats=99:0`, which forbids second meetings throughout, the same standings give hardly any: what cnsc adds
    is allowed by the page's limits (of 18 games none before the 15th), scaled to the event's rounds.
    """
    history = load(SHARED / "tsh" / "2_lake-george-main-event")
    pairing = Cnsc()
    table = paired_again(history, pairing)
    rounds = {
        (event, section): section_standing(history, event, section).standing.rounds
        for event, section in table[["event", "section"]].drop_duplicates().itertuples(index=False)
    }
    limit = np.array(
        [pairing.limit(r, rounds[(e, s)]) for e, s, r in table[["event", "section", "round"]].itertuples(index=False)]
    )
    assert sorted(set(limit)) == [0, 1, 2]
    assert table.loc[limit == 0, "repeats_again"].sum() == 0
    late = table[limit > 0]
    strict = paired_again(history, parse("cnsc:repeats=99:0"))
    assert strict["repeats_again"].sum() <= 2
    assert late["repeats_again"].sum() > 2 * late["repeats_paired"].sum() > 0
    total = summed(table, "cnsc").set_index("pairing")
    # what the repeats buy: opponents nearer in points
    assert total.loc["cnsc", "points_apart"] < total.loc["as it was paired", "points_apart"]
