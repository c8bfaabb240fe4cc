"""The vectorized systems give what a plain transcription of their documents gives, on events drawn at random."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from making import Game, Member, Section, history, sections
from oracles.elo import elo
from oracles.glixo import glixo
from oracles.naspa import naspa

from ratinglab.replaying import rate


def after(section: Section, system: str) -> dict[str, float | None]:
    changes = rate(history(section), system).changes
    return {
        player: None if np.isnan(rating) else rating
        for player, rating in zip(changes["player"], changes["after"], strict=True)
    }


@given(sections())
def test_elo(section: Section) -> None:
    assert after(section, "elo") == pytest.approx(elo(section), abs=1e-9)


@pytest.mark.parametrize("teams", [False, True])
def test_glixo(teams: bool) -> None:
    @given(sections(teams=teams))
    def run(section: Section) -> None:
        changes = rate(history(section), "glixo").changes.set_index("player")
        for name, (rating, deviation) in glixo(section).items():
            assert changes.loc[name, "after"] == pytest.approx(rating, abs=1e-8)
            assert changes.loc[name, "deviation_after"] == pytest.approx(deviation, abs=1e-8)

    run()


@pytest.mark.parametrize("variant", ["nsa2008", "naspa-csw", "naspa2024", "nsa"])
def test_naspa(variant: str) -> None:
    # up to 40 rounds: one, two and three segments
    @settings(max_examples=60)
    @given(sections(max_rounds=40))
    def run(section: Section) -> None:
        expected = naspa(section, variant)
        found = after(section, "nsa" if variant == "nsa" else f"naspa:variant={variant}")
        for name, rating in expected.items():
            if rating is None:
                assert found[name] is None
            else:
                assert found[name] == pytest.approx(rating, abs=1e-9)

    run()


def test_filed_variant_is_the_events_own() -> None:
    @settings(max_examples=30)
    @given(sections(systems=("nsa2008", "naspa-csw", "naspa2024", "nsa"), max_rounds=20))
    def run(section: Section) -> None:
        assert after(section, "naspa") == naspa(section, section.system)

    run()


def test_wins_exactly_due_are_met_whatever_the_last_bits_say() -> None:
    """573 lies halfway between 646 and 500, so that one win of two is due there to the last bit of no sum."""
    units = [[Member("P")], [Member("O", 646.0)], [Member("N")]]
    games = [Game(1, 2, 1, -1, 0.0), Game(2, 2, 0, 1, 1.0)]
    section = Section(units, games, 2, "nsa2008")
    assert after(section, "naspa") == naspa(section, "nsa2008")
    for d in range(1, 300):  # the same halfway between any two who are rated
        units = [[Member("P", 1000.0 - d)], [Member("O", 1000.0 + d)], [Member("N")]]
        section = Section(units, games, 2, "nsa2008")
        assert after(section, "naspa")["N"] == naspa(section, "nsa2008")["N"] == naspa_between(1000.0)


def naspa_between(middle: float) -> float:
    """The last whole number that the bisection tries where it falls short below `middle` and not from there on."""
    low, high, tried = 0, 3000, 0
    while high - low > 1:
        tried = (low + high) // 2
        low, high = (tried, high) if tried < middle else (low, tried)
    return float(tried)
