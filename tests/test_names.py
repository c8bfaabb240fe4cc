"""When two spellings are one person, and when they might be."""

import time

from hypothesis import given
from hypothesis import strategies as st

from ratinglab.names import key, near, tidy


def test_surname_first_and_given_name_first_are_one_person():
    assert key("Tamsin, Orla") == key("orla   TAMSIN")


def test_a_membership_is_no_part_of_a_name():
    for suffix in (":AA001234", " #1234", " (AA001234)", " [1234]"):
        assert tidy(f"Orla Tamsin{suffix}") == "Orla Tamsin"
    assert tidy("School 12") == "School 12"
    assert tidy("Tamsin, Orla (no. 7)") == "Tamsin, Orla (no. 7)"


def test_accents_tell_people_apart_but_are_near():
    assert key("Zoé Marl") != key("Zoe Marl")
    assert near(["Zoé Marl", "Zoe Marl"]) == [("Zoe Marl", "Zoé Marl")]


def test_one_slip_is_near():
    for slip in ("Orl Tamsin", "Orlla Tamsin", "Orka Tamsin", "Olra Tamsin", "Orla Tamsni"):
        assert near(["Orla Tamsin", slip]), slip


def test_two_slips_and_figures_are_not_near():
    assert not near(["Orla Tamsin", "Orrla Tamssin"])
    assert not near(["School 1", "School 2", "School 12"])


def test_the_same_spelling_is_not_near_itself():
    assert not near(["Orla Tamsin", "Tamsin, Orla", "orla tamsin"])


@given(st.text(st.sampled_from("abcde "), min_size=1), st.integers(0, 30), st.sampled_from("xyz"))
def test_a_letter_put_in_anywhere_is_found(name, place, letter):
    name = tidy(f"n{name}n")
    place = min(place, len(name) - 1) or 1
    other = name[:place] + letter + name[place:]
    assert near([name, other]) == [tuple(sorted((name, other)))]


def test_many_numbered_names_take_no_time():
    begun = time.perf_counter()
    assert near(f"Player {i}" for i in range(5000)) == []
    assert time.perf_counter() - begun < 5
