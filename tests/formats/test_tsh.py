"""TSH divisions: the grammar of their lines, and every trap they hold."""

import csv
from collections import defaultdict

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from saying import TWO, errors, lines, warnings

from ratinglab.formats import load
from ratinglab.formats.common import Faults
from ratinglab.formats.tsh_division import parse, split_keys
from ratinglab.problems import InputError

# --- lines


def test_a_lone_division(write):
    history = load(write("spring.t", TWO))
    event = history.events.iloc[0]
    assert (event["event"], event["rounds"], event["availability"]) == ("spring", 2, "rated")
    assert history.entries["section"].tolist() == ["spring", "spring"]
    assert history.entries["rating"].tolist() == [1500, 1400]
    games = history.games
    assert games["player"].tolist() == ["Tamsin, Orla"] * 2
    assert games["result"].tolist() == [1.0, 0.5]
    assert games["first"].tolist() == [1, 0]
    assert not history.problems


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_line_ends_of_any_kind(write, end):
    assert len(load(write("a.t", TWO.replace("\n", end))).games) == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_encodings_are_told_apart(write, encoding):
    history = load(write("a.t", TWO.replace("Orla", "Zoé").encode(encoding)))
    assert history.entries["player"].iloc[0] == "Tamsin, Zoé"


def test_comments_blank_lines_and_true_line_numbers(write):
    history = load(write("a.t", "# a comment\n\n" + TWO.replace("1 1; 380", "1 9; 380")))
    assert history.entries["line"].tolist() == [3, 4]
    assert any("a.t:4: error" in e and "up to 2 in round 2; found 9" in e for e in errors(history))


def test_escapes(write):
    history = load(write("a.t", lines(r"Tamsin\; the \\ Second 1500 2; 400", "Quill 1400 1; 380")))
    assert history.entries["player"].iloc[0] == "Tamsin; the \\ Second"


@given(st.text(st.sampled_from("ab;\\ ."), min_size=1).map(lambda s: " ".join(f"x{s}x".split())))
def test_any_name_survives_escaping(name):
    escaped = name.replace("\\", "\\\\").replace(";", "\\;")
    faults = Faults("a.t")
    (entrant,) = parse([(1, f"{escaped} 1500 0; 50; board 1")], faults)
    assert (entrant.name, entrant.terms, entrant.scores) == (name, (1500.0,), (50.0,))
    assert not faults.found


def test_keys_are_parted_at_unescaped_semicolons_only():
    assert split_keys(r"a\;b;c\\;d") == [r"a\;b", r"c\\", "d"]


def test_a_preregistration_is_an_entry_without_games(write):
    history = load(write("a.t", lines("Tamsin, Orla 1500", "Quill, Bram 0")))
    assert history.entries["rating"].isna().tolist() == [False, True]
    assert history.events["availability"].isna().all()  # not played yet: nothing is awaited of it
    assert not len(history.games)


@pytest.mark.parametrize(
    ("written", "rating", "deviation"),
    [
        ("1717", 1717, None),
        ("1717+40", 1717, 40),
        ("1717.5+40.25", 1717.5, 40.25),
        ("0", None, None),
        ("0+0+0", None, None),
    ],
)
def test_rating_terms(write, written, rating, deviation):
    history = load(write("a.t", f"Tamsin, Orla {written} 0; 50\n"))
    found = history.entries.iloc[0]
    assert (None if pd.isna(found["rating"]) else found["rating"]) == rating
    assert (None if pd.isna(found["deviation"]) else found["deviation"]) == deviation


def test_keys_that_a_history_keeps(write):
    history = load(write("a.t", "Tamsin 1500 0; 50; lifeg 77; off 1; grade 9; school Hill End; wobble 3; class A\n"))
    entry = history.entries.iloc[0]
    assert (entry["lifetime_games"], entry["withdrawn"], entry["grade"], entry["school"]) == (
        77,
        "yes",
        "9",
        "Hill End",
    )


# --- scores


def one_game(write, mine, theirs):
    history = load(write("a.t", lines(f"Tamsin 1500 2; {mine}", f"Quill 1400 1; {theirs}")))
    return history, history.games.iloc[0]


@pytest.mark.parametrize(
    ("mine", "theirs", "status", "rated", "result"),
    [
        ("400", "380", "played", 1, 1.0),
        ("380", "400", "played", 1, 0.0),
        ("400", "400", "played", 1, 0.5),
        ("-5", "3", "played", 1, 0.0),
        ("0", "300", "forfeit", 0, 0.0),
        ("0", "0", "unknown", 0, None),
        ("00", "00", "unknown", 0, None),
        ("", "", "unknown", 0, None),
        ("400", "", "unknown", 0, None),
    ],
)
def test_what_two_scores_mean(write, mine, theirs, status, rated, result):
    _, game = one_game(write, mine, theirs)
    assert (game["status"], game["rated"]) == (status, rated)
    assert (None if pd.isna(game["result"]) else game["result"]) == result


def test_a_score_on_one_side_only_is_an_error_where_it_lacks(write):
    history, _ = one_game(write, "400", "00")
    assert any(
        "a.t:2: error: expected scores of both 1 and 2 in round 1; found none of 2" in e for e in errors(history)
    )


@pytest.mark.parametrize(
    ("score", "status", "result"),
    [("50", "bye", 1.0), ("0", "bye", None), ("-50", "forfeit", 0.0), ("00", "unknown", None)],
)
def test_a_round_without_an_opponent(write, score, status, result):
    game = load(write("a.t", f"Tamsin 1500 0; {score}\n")).games.iloc[0]
    assert pd.isna(game["opponent"])
    assert (game["status"], game["rated"]) == (status, 0)
    assert (None if pd.isna(game["result"]) else game["result"]) == result


@pytest.mark.parametrize(
    ("mine", "theirs", "said"),
    [
        ("50", "0", "expected a score of 'Quill' against 'Tamsin' in round 1; found 0 to 50, taken as a forfeit"),
        ("0", "0", "expected scores of 'Tamsin' and 'Quill' in round 1; found 0 to 0, taken as not played"),
    ],
)
def test_a_score_of_nothing_is_told(write, mine, theirs, said):
    text = lines(f"Tamsin 1500 2 2; {mine} 400", f"Quill 1400 1 1; {theirs} 380")
    found = warnings(load(write("a.t", text)))
    assert len(found) == 1
    assert f"a.t:1: warning: {said}" in found[0]


def test_an_opponent_not_yet_known_gives_no_game(write):
    history = load(write("a.t", lines("Tamsin 1500 2 00; 400", "Quill 1400 1 00; 300")))
    assert history.games["round"].tolist() == [1]


def test_more_scores_than_opponents(write):
    history = load(write("a.t", lines("Tamsin 1500 2; 400 300", "Quill 1400 1; 380")))
    assert any("a.t:1: error: expected at most as many scores" in e for e in errors(history))


def test_pairings_ahead_of_scores_are_an_event_in_progress(write):
    history = load(write("a.t", lines("Tamsin 1500 2 2; 400", "Quill 1400 1 1; 380")))
    assert history.events["availability"].tolist() == ["incomplete"]
    assert not errors(history)
    assert "a.t:1: warning" in warnings(history)[0]
    assert "(in progress?), on lines 1 and 2" in warnings(history)[0]


# --- pairings


def test_pairings_that_are_not_mutual(write):
    text = lines("Tamsin 1500 2 3; 400 410", "Quill 1400 1 3; 380 390", "Marl 1300 0 2; 50 370")
    history = load(write("a.t", text))
    claim = history.games[(history.games["round"] == 2) & (history.games["status"] == "unknown")].iloc[0]
    assert (claim["player"], claim["opponent"], claim["rated"], claim["score"]) == ("Tamsin", "Marl", 0, 410)
    assert history.games["rated"].sum() == 2
    assert any("a.t:1: error" in e and "1 names 3, who names 2 (line 3)" in e for e in errors(history))


def test_an_export_that_shifts_is_told_round_by_round(write):
    text = lines("Tamsin 1500 2 2 2; 400 400 400", "Quill 1400 1 1; 380 380")
    assert len(errors(load(write("a.t", text)))) == 1


def test_a_player_against_himself(write):
    history = load(write("a.t", lines("Tamsin 1500 1; 400", "Quill 1400 0; 50")))
    assert "the player's own number" in errors(history)[0]
    assert len(history.games) == 1


def test_a_player_twice_in_a_section(write):
    history = load(write("a.t", lines("Tamsin, Orla 1500 2; 400", "Orla Tamsin 1400 1; 380")))
    assert "again, after line 1" in errors(history)[0]
    assert history.entries["player"].tolist() == ["Tamsin, Orla", "Orla Tamsin (no. 2)"]
    assert history.games["rated"].tolist() == [1]


def test_a_line_that_cannot_be_read_keeps_its_number(write):
    history = load(write("a.t", lines("Nothing Here; 300", "Tamsin 1500 3; 400", "Quill 1400 2; 380")))
    assert "a.t:1: error" in errors(history)[0]
    assert history.games["rated"].tolist() == [1]


# --- names that end in a number


def test_a_rating_that_is_the_end_of_a_name_with_the_rating_among_the_opponents(write):
    history = load(write("a.t", lines("School 2 1500 2; 400", "Quill 1400 1; 380")))
    assert any("a.t:1: error: expected a rating after 'School'; found 2" in e for e in errors(history))


def test_a_rating_that_is_the_end_of_a_name_before_an_unrated_team(write):
    text = lines("School 1 0 2 3; 400 380", "Other 1200 1 3; 380 300", "Third 1210 2 1; 390 320")
    assert any("one opponent too many" in e for e in errors(load(write("a.t", text))))


def test_keys_with_values_that_cannot_be(write):
    first = "Tamsin 1500 2; 400; p12 7; lifeg many; newr"
    found = warnings(load(write("a.t", lines(first, "Quill 1400 1; 380; p12 2; lifeg 9; newr 1400+50; wobble x"))))
    assert len(found) == 3
    for said in (
        "p12: who went first",
        "lifeg: the number of games",
        "newr: the rating after each round; found no value",
    ):
        assert any("a.t:1: warning: expected " in w and said in w for w in found), (said, found)


def test_keys_before_the_first_round_may_be_without_values(write):
    assert not load(write("a.t", lines("Tamsin 1500 2; ; p12 ; newr", "Quill 1400 1; ; newr"))).problems


def test_a_deviation_of_nothing_is_not_filed(write):
    history = load(write("a.t", lines("Tamsin 1500+0 2; 400", "Quill 1400+40 1; 380")))
    assert history.entries["deviation"].fillna(-1).tolist() == [-1, 40]
    assert [
        "a.t:1: warning: expected a deviation above 0 of 'Tamsin'; found 0, taken as not filed" in w
        for w in warnings(history)
    ] == [True]


def test_a_word_among_the_opponents_is_told(write):
    history = load(write("a.t", lines("Tamsin 1500 2 x 3; 400", "Quill 1400 1; 380")))
    assert any("only figures after the rating" in w for w in warnings(history))


def test_a_name_that_ends_in_a_number_before_joined_terms_is_no_fault(write):
    history = load(write("a.t", lines("School 2 1500+40 2; 400", "School 3 1400+40 1; 380")))
    assert history.entries["player"].tolist() == ["School 2", "School 3"]
    assert not history.problems


# --- real events


def test_no_line_at_all_raises_with_the_reason(write):
    with pytest.raises(InputError, match="empty division"):
        load(write("e/a.t", "# nobody\n") and write("e/config.tsh", "division A a.t\n"))


def test_rated_games_and_wins_of_real_events(shared):
    """The counts of an independent run over the same files, player by player and segment by segment."""
    history = {"tsh": load(shared / "tsh"), "tsh-plain": load(shared / "tsh-plain")}
    files = defaultdict(list)
    for row in csv.DictReader((shared / "golden" / "nsa2008_segments.csv").open(encoding="utf-8")):
        files[row["file"]].append(row)
    assert len(files) == 28
    for file, rows in files.items():
        games = history[file.split("/")[0]].games
        games = games[games["file"].str.endswith("/data/" + file) & games["rated"].eq(1)]
        entries = history[file.split("/")[0]].entries
        entries = entries[entries["file"].str.endswith("/data/" + file)].set_index("number")["player"]
        sides = pd.concat(
            [
                games[["round", "player", "result"]],
                pd.DataFrame({"round": games["round"], "player": games["opponent"], "result": 1 - games["result"]}),
            ]
        )
        for row in rows:
            name = entries[int(row["player_id"])]
            within = sides["round"].between(int(row["first_round"]), int(row["last_round"]))
            own = sides[within & sides["player"].eq(name)]
            assert (len(own), own["result"].sum()) == (int(row["rated_games"]), float(row["earned_wins"])), (file, name)
