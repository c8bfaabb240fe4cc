"""Report files of pairing programs' own tests, some bad on purpose: each is read, and its faults are told."""

from __future__ import annotations

import pandas as pd
from making import SHARED, needs_shared

from ratinglab.formats import load
from ratinglab.formats.trf import tournament

# what pairing programs' own test files give: players, rounds, games with a result between two players, problems
GIVEN = {
    "bbp/dutch_2025_C5.input": (6, 3, 6, 0), "bbp/dutch_2025_C9.input": (5, 3, 2, 0),
    "bbp/issue_15.input": (180, 11, 990, 0), "bbp/issue_7.input": (60, 15, 420, 0),
    "dubov/baku_test.trf": (20, 5, 50, 2), "dubov/issue4.trf": (7, 5, 6, 0), "dubov/issue5.trf": (7, 5, 12, 0),
    "dubov/issue7.trf": (35, 7, 68, 0), "dubov/issue8.trf": (78, 9, 312, 0),
    "dubov/parsing_test.trf": (20, 6, 50, 4), "dubov/random1.trf": (20, 5, 50, 2),
    "dubov/random2.trf": (81, 10, 400, 2), "dubov/test.trf": (20, 5, 50, 2), "dubov/test2.trf": (21, 5, 50, 2),
    "generated/bbp_200_1.trf": (200, 9, 900, 0), "generated/bbp_200_2.trf": (200, 9, 900, 0),
    "generated/bbp_200_3.trf": (200, 9, 900, 0), "generated/bbp_50_1.trf": (50, 9, 225, 0),
    "generated/bbp_50_2.trf": (50, 9, 225, 0), "generated/bbp_50_3.trf": (50, 9, 225, 0),
    "generated/burs_50_1.trf": (50, 9, 225, 0), "generated/tamper.trf": (50, 9, 225, 0),
    "py4swiss/burstein_late_entries.trf": (13, 5, 12, 0), "py4swiss/burstein_late_entries_black.trf": (10, 5, 12, 0),
    "py4swiss/comments.trf": (7, 5, 0, 0), "py4swiss/dubov_bye_for_high_tpn.trf": (5, 5, 6, 0),
    "py4swiss/dutch_d2_criterion_d.trf": (12, 5, 0, 0),
    "py4swiss/dutch_e2_both_absolute_higher_favored.trf": (8, 5, 16, 0),
    "py4swiss/dutch_e2_both_absolute_lower_favored.trf": (8, 5, 16, 0),
    "py4swiss/incompatible_color.trf": (7, 5, 15, 1), "py4swiss/incompatible_result.trf": (7, 5, 14, 1),
    "py4swiss/incorrect_points.trf": (7, 5, 15, 1), "py4swiss/invalid_code.trf": (6, 5, 0, 1),
    "py4swiss/javafo_example.trf": (52, 9, 93, 0), "py4swiss/missing_result.trf": (7, 5, 14, 1),
    "py4swiss/missing_starting_number.trf": (7, 5, 0, 1), "py4swiss/no_legal_pairings.trf": (4, 4, 6, 0),
    "py4swiss/no_legal_pairings_odd.trf": (5, 5, 6, 0), "py4swiss/too_many_results.trf": (7, 5, 16, 2),
}  # fmt: skip
# where a file was made bad on purpose, what is said of it
TOLD = {
    "incompatible_color.trf": "2:132: warning: expected round 5: opposite colours; found b for no. 2 and no. 3, line 3",
    "incompatible_result.trf": "2:132: error: expected round 5: '2 w 0' of no. 3; found '3 b 1' here and '2 w 1' there",
    "incorrect_points.trf": "2:81: warning: expected the points of no. 2; found 4 against rounds that are worth 3",
    "invalid_code.trf": "7: warning: expected a record: 001 for a player",
    "missing_result.trf": "2:132: error: expected round 5: '2 w 0' of no. 3; found '3 b 1' here and nothing there",
    "missing_starting_number.trf": "warning: expected start numbers 1 to 8, each; found no 7",
    "too_many_results.trf": "2:142: error: expected at most 5 rounds; found 6",
}


@needs_shared
def test_every_public_file_is_read():
    folder = SHARED / "trf"
    there = {p.relative_to(folder).as_posix() for p in folder.glob("*/*") if p.suffix in (".trf", ".input")}
    assert there == set(GIVEN)
    for name, (players, rounds, games, problems) in GIVEN.items():
        history = load(folder / name)
        known = history.games["opponent"].notna() & history.games["status"].ne("unknown")
        found = (len(history.entries), history.events["rounds"][0], int(known.sum()), len(history.problems))
        assert found == (players, rounds, games, problems), name
        told = TOLD.get(name.rpartition("/")[2])
        assert told is None or (f"{name}:" in str(history.problems[0]) and told in str(history.problems[0])), name


@needs_shared
def test_the_example_of_the_pairing_program(shared):
    """JaVaFo's own example: four rounds of nine, three absent from the fifth, days written the local way."""
    path = shared / "trf" / "py4swiss" / "javafo_example.trf"
    history = load(path)
    assert history.events["date"][0] == pd.Timestamp("2010-09-24")
    fifth = history.games[history.games["round"] == 5]
    numbers = history.entries.set_index("player")["number"]
    assert sorted(numbers[fifth["player"]]) == [22, 28, 43]
    assert set(fifth["status"]) == {"bye"}
    assert set(fifth["result"]) == {0.0}
    assert tournament(path.read_text())[0].played == 4
