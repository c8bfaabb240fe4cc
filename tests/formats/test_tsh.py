"""TSH: the grammar of its lines, its configuration, and every trap its files hold."""

import contextlib
import csv
from collections import defaultdict

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratinglab.formats import load
from ratinglab.formats.common import Faults
from ratinglab.formats.tsh_config import literal
from ratinglab.formats.tsh_division import parse, split_keys
from ratinglab.problems import InputError


def lines(*texts):
    return "\n".join(texts) + "\n"


TWO = lines("Tamsin, Orla 1500 2 2; 400 350; p12 1 2", "Quill, Bram 1400 1 1; 380 350; p12 2 1")


def errors(history):
    return [str(p) for p in history.problems if p.severity == "error"]


def warnings(history):
    return [str(p) for p in history.problems if p.severity == "warning"]


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
    assert "in progress" in warnings(history)[0]


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


def test_a_rating_far_below_the_others_is_to_be_looked_at(write):
    history = load(write("a.t", lines("School 2   2; 400", "Quill 1400 1; 380")))
    assert any("a.t:1: warning: expected a rating after 'School'" in w for w in warnings(history))


def test_a_word_among_the_opponents_is_told(write):
    history = load(write("a.t", lines("Tamsin 1500 2 x 3; 400", "Quill 1400 1; 380")))
    assert any("only figures after the rating" in w for w in warnings(history))


def test_a_name_that_ends_in_a_number_before_joined_terms_is_no_fault(write):
    history = load(write("a.t", lines("School 2 1500+40 2; 400", "School 3 1400+40 1; 380")))
    assert history.entries["player"].tolist() == ["School 2", "School 3"]
    assert not history.problems


# --- configuration


CONFIG = lines(
    "# an event",
    "division A a.t",
    'config event_name = "Hill End Open"',
    "config event_date = 'Dec 29-Jan 1, 2025'",
    "config max_rounds = 2",
    'config rating_system = "glixo"',
    "config spread_cap = [100, 100, 150.5]",
    "config wobble = sub { die }",
    "autopair A 1 2 rr",
    "perl exit 1",
)


def test_an_event_with_a_configuration(write):
    write("hill/a.t", TWO)
    history = load(write("hill/config.tsh", CONFIG).parent)
    event = history.events.iloc[0]
    assert (event["event"], event["name"], event["rounds"]) == ("hill", "Hill End Open", 2)
    assert (event["system"], event["spread_cap"]) == ("glixo", "100;100;150.5")
    assert (str(event["date"].date()), str(event["end_date"].date())) == ("2024-12-29", "2025-01-01")
    assert history.entries["section"].unique().tolist() == ["A"]
    assert not history.problems
    assert [s.name for s in history.sources] == ["hill/config.tsh", "hill/a.t"]


def test_a_configuration_named_alone_finds_its_divisions(write):
    write("hill/A.T", TWO)
    assert len(load(write("hill/config.tsh", CONFIG)).games) == 2


def test_settings_of_one_division(write):
    write("e/a.t", TWO)
    write("e/b.t", TWO.replace("Tamsin", "Marl").replace("Quill", "Dunn"))
    settings = ("config max_rounds = 9", "config max_rounds{'B'} = 7", "config rating_system{A} = 'elo'")
    divisions = load(
        write("e/config.tsh", lines("division A a.t", "division B b.t", *settings)).parent
    ).divisions.set_index("section")
    assert divisions["rounds"].fillna(0).to_dict() == {"A": 0, "B": 7}
    assert divisions.loc["A", "system"] == "elo"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("-1.5 ;", -1.5),
        ("'it\\'s'", "it's"),
        ('"a \\"b\\""', 'a "b"'),
        ("[200, 700,]", [200, 700]),
        ("{'A' => 7, B => [1]} # so", {"A": 7, "B": [1]}),
        ("[]", []),
    ],
)
def test_literals(text, value):
    assert literal(text) == value


@pytest.mark.parametrize(
    "text", ["", "4 + 3", "sub { 7 }", "'open", "[1, 2", "{A => }", "system('ls')", "$x", "[" * 50, "1e"]
)
def test_nothing_else_is_a_literal(text):
    with pytest.raises(ValueError, match="a "):
        literal(text)


@given(st.text())
def test_any_text_is_a_literal_or_refused(text):
    with contextlib.suppress(ValueError):
        literal(text)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("config max_rounds = 4 + 3", "config.tsh:2: error: expected a number, quoted string, list or hash"),
        ("config max_rounds = 'many'", "expected max_rounds: the number of rounds"),
        ("config event_date = 'soon'", "config.tsh:2: error: expected a date"),
        ("config spread_cap = ['a']", "expected spread_cap"),
        ("config tfile_encoding = 'klingon'", "expected tfile_encoding: a known encoding"),
        ("division B b.t", "config.tsh:2: error: expected the file of division B; found no file b.t there"),
        ("division A a.t", "config.tsh:2: error: expected each division once"),
        ("division", "config.tsh:2: error: expected division NAME FILE"),
        ("division C /etc/hosts", "a file named from the folder"),
    ],
)
def test_faults_of_a_configuration(write, line, said):
    write("e/a.t", TWO)
    history = load(write("e/config.tsh", f"division A a.t\n{line}\n").parent)
    assert any(said in error for error in errors(history)), errors(history)
    assert len(history.games) == 2


def test_an_empty_division_is_not_a_missing_one(write):
    write("e/a.t", TWO)
    write("e/b.t", "# nobody\n")
    history = load(write("e/config.tsh", "division A a.t\ndivision B b.t\n").parent)
    assert any("b.t:1: error: expected players in division B; found an empty division" in e for e in errors(history))


def test_a_binary_division(write):
    write("e/a.t", TWO)
    write("e/b.t", b"\x00\x01\x02" * 30)
    history = load(write("e/config.tsh", "division A a.t\ndivision B b.t\n").parent)
    assert any("b.t: error: expected text; found binary data" in e for e in errors(history))


def test_a_stated_encoding_decides(write):
    write("e/a.t", TWO.replace("Orla", "Zoé").encode("latin-1"))
    history = load(write("e/config.tsh", "division A a.t\nconfig tfile_encoding = 'utf-8'\n"), write("b.t", TWO))
    assert any("a.t: error: expected text in utf-8" in e for e in errors(history))


def test_a_division_file_that_the_configuration_does_not_name_is_left_out(write):
    write("e/a.t", TWO)
    write("e/old.t", TWO)
    history = load(write("e/config.tsh", "division A a.t\n").parent)
    assert history.events["event"].tolist() == ["e"]
    assert any("old.t" in w and "left out" in w for w in warnings(history))


# --- archives


def test_an_archive_with_its_configuration(write):
    text = f"config event_name = 'Hill'\ndivision Top A.t\n#begin_file name=A.t\n{TWO}#end_file\n"
    history = load(write("hill.tsh", text))
    assert (history.events["event"].iloc[0], history.events["name"].iloc[0]) == ("hill", "Hill")
    assert history.entries["section"].unique().tolist() == ["Top"]
    assert history.entries["line"].tolist() == [4, 5]


def test_an_archive_without_a_configuration(write):
    text = f"#begin_file name=A.t\n{TWO}#end_file\n#begin_file name=B.t\n{TWO}"
    history = load(write("hill.txt", text))
    assert history.entries["section"].unique().tolist() == ["A", "B"]
    assert any("hill.txt:5: error: expected #end_file" in e for e in errors(history))


# --- teams


TEAMS = lines(
    "Hill 0+0+0 2; 400; grade1 7; grade2 8; grade 7/8", "Dale 900+50+800+60 1; 380", "Lone 700 0; 50; grade 6"
)


def test_members_without_names(write):
    history = load(write("a.t", TEAMS))
    entries = history.entries
    assert entries["team"].tolist() == ["Hill", "Hill", "Dale", "Dale", "Lone"]
    assert entries["player"].tolist() == ["Hill/1", "Hill/2", "Dale/1", "Dale/2", "Lone/1"]
    assert entries["number"].tolist() == [1, 1, 2, 2, 3]
    assert entries["grade"].fillna("").tolist() == ["7", "8", "", "", "6"]
    assert entries["rating"].fillna(0).tolist() == [0, 0, 900, 800, 700]
    assert entries["deviation"].fillna(0).tolist() == [0, 0, 50, 60, 0]
    assert history.games[["player", "opponent"]].iloc[0].tolist() == ["Hill", "Dale"]
    assert len([w for w in warnings(history) if "5 without one" in w]) == 1


MEMBERS = lines(
    "section,number,player,school,grade,birth_date,coach_request",
    "A,1,Ada Marl,Hill School,7,2012-05-01,",
    "A,1,Bo Dunn,Hill School,8,,not with Dale",
    "A,2,Cy Roe,,,,",
    "A,2,Di Fenn,,,,",
    "A,3,Ed Lone,,5,,",
)


def test_members_with_names(write):
    write("e/a.t", TEAMS)
    write("e/members.csv", MEMBERS)
    history = load(write("e/config.tsh", "division A a.t\n").parent)
    assert history.entries["player"].tolist() == ["Ada Marl", "Bo Dunn", "Cy Roe", "Di Fenn", "Ed Lone"]
    assert history.entries["grade"].fillna("").tolist() == ["7", "8", "", "", "5"]
    assert history.entries["birth_date"].notna().tolist() == [True, False, False, False, False]
    assert history.entries["coach_request"].iloc[1] == "not with Dale"
    assert not history.problems


def test_members_of_individuals_add_to_their_entries(write):
    write("e/a.t", TWO)
    write("e/members.csv", "section;number;school;grade\nA;2;Hill School;7\n")
    history = load(write("e/config.tsh", "division A a.t\n").parent)
    assert history.entries["player"].tolist() == ["Tamsin, Orla", "Quill, Bram"]
    assert history.entries["school"].fillna("").tolist() == ["", "Hill School"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("B,1,Ada", "members.csv:2:1: error: expected a section of this event (A)"),
        ("A,x,Ada", "members.csv:2:2: error: expected number: a whole number"),
        ("A,9,Ada", "members.csv:2: error: expected a player's number up to 2"),
    ],
)
def test_faults_of_members(write, row, said):
    write("e/a.t", TWO)
    write("e/members.csv", f"section,number,player\n{row}\n")
    history = load(write("e/config.tsh", "division A a.t\n").parent)
    assert any(said in e for e in errors(history)), errors(history)


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
