"""Names in texts: found in every order and spelling, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratinglab.scrubbing import WITHHELD, Scrubber

SCRUBBER = Scrubber(["Zondova, Riota", "Bata Bioraka", "Goramére, Anne-Lise", "Plato"], common=["Bata Park"])


@pytest.mark.parametrize(
    "text",
    [
        "Riota Zondova",
        "ZONDOVA, RIOTA",
        "zondova_riota.t",
        "2012-riota-zondova",
        "goramere  anne lise",
        "Bioraka, Bata",
    ],
)
def test_a_whole_name_is_found_in_either_order(text: str) -> None:
    assert SCRUBBER.names_anybody(text)
    assert WITHHELD in SCRUBBER.without(text)
    assert not SCRUBBER.names_anybody(SCRUBBER.without(text))


@pytest.mark.parametrize("text", ["Riota", "Zondova Bata", "Riotan Zondova", "Bata Park", "Plato", ""])
def test_what_is_no_whole_name_stays(text: str) -> None:
    assert SCRUBBER.without(text) == text


def test_single_parts_go_from_free_text_but_for_words_of_public_things() -> None:
    told = SCRUBBER.without("Riota's coach asked at Bata Park; Plato agreed (Riota Zondova).", parts=True)
    assert told == f"{WITHHELD}'s coach asked at Bata Park; {WITHHELD} agreed ({WITHHELD})."


@given(st.text(max_size=40))
def test_text_without_names_is_left_as_it_is(text: str) -> None:
    scrubber = Scrubber(["Qqzond Xxriot"])
    assert scrubber.without(text, parts=True) == text or "qqzond" in text.casefold() or "xxriot" in text.casefold()
