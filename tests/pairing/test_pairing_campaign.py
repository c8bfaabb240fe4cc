"""A small sample of the campaign over made-up events (campaign.py), and that it finds what is wrong."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from dataclasses import dataclass, replace
from typing import ClassVar

import campaign
import numpy as np
import pytest
from tournaments import drawn_field, fewest, play_out

from ratinglab.pairing import NOBODY, Cnsc, Pairing, Random, Round, Standing, Swiss
from ratinglab.pairing.base import BYE_AGAIN

HAS_DUTCH = importlib.util.find_spec("py4swiss") is not None


@pytest.mark.parametrize("name", [name for name in campaign.SYSTEMS if name != "dutch" or HAS_DUTCH])
def test_nothing_is_found(name: str) -> None:
    counts = campaign.campaign([name], 25, seed=7, share=0.2)[name]
    assert {fault: counts[fault] for fault in campaign.FAULTS} == dict.fromkeys(campaign.FAULTS, 0)
    assert counts["events"] == 25
    assert counts["pairs"] > 500
    assert counts["held against the minimum"] > 0 or name == "king-of-the-hill"  # which promises nothing


@dataclass(frozen=True)
class Spoilt(Swiss):
    """The Swiss system with something wrong in every round."""

    name: ClassVar[str] = "spoilt"

    how: str = ""

    def pair(self, standing: Standing, rng: np.random.Generator) -> Round:
        if self.how == "repeats":  # earlier meetings are ignored, though it is said they are not
            return Swiss(repeats="free").pair(standing, rng)
        made = super().pair(standing, rng)
        opponent, gave_way = made.opponent.copy(), made.gave_way.copy()
        everyone = np.arange(len(opponent))
        last = (opponent != NOBODY).shape[1] - 1 - np.argmax((opponent != NOBODY)[:, ::-1], axis=1)
        other = opponent[everyone, last]
        if self.how == "himself":
            opponent[everyone, last] = last
        elif self.how == "one-sided":
            opponent[everyone, other] = NOBODY
        elif self.how == "unpaired":
            opponent[everyone, last] = opponent[everyone, other] = NOBODY
            for who in (last, other):
                gave_way[everyone, who] = np.where(standing.byes[everyone, who] > 0, BYE_AGAIN, 0)
        elif self.how == "bye":  # the same one always sits out
            alone = np.argmax((opponent == NOBODY) & standing.here, axis=1)
            zero = np.zeros(len(opponent), dtype=np.int64)
            first = opponent[everyone, zero]
            opponent[everyone, alone], opponent[everyone, first] = first, alone
            opponent[everyone, zero] = NOBODY
            gave_way = np.where((opponent == NOBODY) & (standing.byes > 0), BYE_AGAIN, 0)
        elif self.how == "told":
            gave_way |= BYE_AGAIN
        return replace(made, opponent=opponent, gave_way=gave_way)


@pytest.mark.parametrize(
    ("how", "fault", "n"),
    [
        ("himself", "illegal", 8),
        ("one-sided", "illegal", 8),
        ("unpaired", "unpaired", 8),
        ("bye", "bye out of turn", 7),
        ("told", "told wrongly", 8),
        ("repeats", "not the minimum", 8),
    ],
)
def test_what_is_wrong_is_found(how: str, fault: str, n: int) -> None:
    """Each kind of fault, put into rounds that have none: counted as such in every one, or in every later one."""
    chance = np.random.default_rng(5)
    right, spoilt = Swiss(), Spoilt(how=how)
    found: list[int] = []

    def watch(now: Standing, done: Round) -> None:
        assert not any(campaign.check(right, now, done, 1.0, chance)[name] for name in campaign.FAULTS)
        counts = campaign.check(right, now, spoilt.pair(now, chance), 1.0, chance)
        assert not any(counts[name] for name in campaign.FAULTS if name not in (fault, "told wrongly"))
        found.append(counts[fault])

    class Watched(Swiss):
        name = "watched"

        def pair(self, standing: Standing, rng: np.random.Generator) -> Round:
            done = super().pair(standing, rng)
            if how != "bye" or done.opponent[0, 0] != NOBODY:
                watch(standing, done)
            return done

    play_out(Watched(), drawn_field(chance, 1, n), 5, chance, watch=lambda now, done: None)
    assert sum(found) >= (1 if how in ("repeats", "bye") else 4)


@pytest.mark.parametrize("n", [7, 8])
def test_two_oracles_agree(n: int) -> None:
    """Integer programming and networkx's matching, with the bye as an entrant and with each out in turn."""
    chance = np.random.default_rng(6)
    compared = 0

    def watch(now: Standing, done: Round) -> None:
        nonlocal compared
        costs = [(now.met[0] > 0).astype(int), now.field.team_mates[0].astype(int)]
        programmed = campaign.by_programming(now, 0, costs)
        assert programmed == campaign.by_matching(now, 0, costs)
        assert programmed[2:] == list(fewest(now, 0, *costs))
        compared += any(fewest(now, 0, *costs))

    systems: tuple[Pairing, ...] = (Random(), Cnsc())
    for pairing in systems:
        play_out(pairing, drawn_field(chance, 1, n, teams=3), n + 3, chance, watch=watch)
    assert compared > 5


def test_numba_is_imported_when_a_search_is_called_for_and_not_before() -> None:
    code = (
        "import sys, numpy as np; from ratinglab.pairing import Field, Standing, parse\n"
        "from ratinglab.seeding.drawing import first_round\n"
        "assert 'numba' not in sys.modules\n"
        "from ratinglab.pairing.search import pair_halves\n"
        "order = np.arange(4); pair_halves(order, 0 * order, np.eye(4, dtype=bool), False, 9)\n"
        "from ratinglab.pairing import compiling; assert compiling.COMPILED == ('numba' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
