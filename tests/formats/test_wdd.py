"""The database's CSV files: the classification, the boards and their games, and which files are of one event."""

import tempfile
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import SHARED, needs_shared
from saying import errors, lines, warnings

from ratinglab.checking import check
from ratinglab.formats import load
from ratinglab.formats.sheet import header_of
from ratinglab.formats.wdd_tables import kind_of
from ratinglab.problems import InputError

HEADER = "FIRST NAME,NAME,HOMONYME,RANK,EXAEQUO,LOCATION,NATIONALITY,SCORE,R1,R2"
RANKED = ["Ada,Zelm,1,1,1,FR,GB,120.5,60,60.5", "Bo,Marl,1,2,2,,US,90,40,50", "Cy,Roe,1,2,2,,,90,45,45",
          "Di,Low,1,999,2,,,0,,", "Ed,Fox,1,999,2,,,0,,"]  # fmt: skip
EVENTS = lines("event,date,players", "hill,2019-05-24,7")

BOARDS = "FIRST NAME,NAME,HOMONYME,ROUND,BOARD,COUNTRY,RANK,EXAEQUO,SCORE"
PEOPLE = ["Ada,Zelm", "Bo,Marl", "Cy,Roe", "Di,Low", "Ed,Fox", "Fay,Tam", "Gus,Orr"]
POWERS = ["0AU", "0EN", "0FR", "0GE", "0IT", "0RU", "0TU"]


def board(round_, name, ranks=(1, 2, 3, 4, 4, 6, 7), people=PEOPLE):
    return [
        f"{who},1,{round_},{name},{power},{rank},{list(ranks).count(rank)},10"
        for who, power, rank in zip(people, POWERS, ranks, strict=False)
    ]


def where(problems):
    return [p.split(".csv:", 1)[1] for p in problems]


def test_a_classification(write):
    write("hill-events/events.csv", EVENTS)
    history = load(write("hill-events/hill-classification.csv", lines(HEADER, *RANKED)).parent)
    event = history.events.iloc[0]
    assert event[["event", "kind", "players", "availability"]].tolist() == ["hill", "placings", 7, "rated"]
    assert event["date"] == pd.Timestamp("2019-05-24")
    table = history.placings
    assert table["player"].tolist() == ["Ada Zelm", "Bo Marl", "Cy Roe", "Di Low", "Ed Fox"]
    assert table["place"].fillna(0).tolist() == [1, 2, 2, 0, 0]
    assert table["of"].tolist() == [7] * 5
    assert table["score"].tolist() == [120.5, 90, 90, 0, 0]
    assert table["nationality"].fillna("").tolist() == ["GB", "US", "", "", ""]
    assert history.entries["nationality"].fillna("").tolist() == ["GB", "US", "", "", ""]
    assert check(history) == ()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_columns_in_any_order_and_most_of_them_absent(write, delimiter, end):
    text = lines("EXAEQUO,RANK,NAME,HOMONYME,FIRST NAME", "1,1,Zelm,,Ada", "0,2,Marl,0,Bo", ",4,Roe,1,Cy")
    history = load(write("hill.csv", text.replace(",", delimiter).replace("\n", end).encode("utf-8-sig")))
    assert history.placings[["player", "place"]].to_numpy().tolist() == [["Ada Zelm", 1], ["Bo Marl", 2], ["Cy Roe", 4]]
    assert not errors(history)


def test_without_a_header_the_number_of_players_is_not_known(write):
    history = load(write("hill-classification.csv", lines(HEADER, *RANKED)))
    assert history.placings["of"].isna().all()
    told = "the number of players of hill (players in events.csv); found none; its places are not rated"
    assert any(told in str(problem) for problem in check(history))


def test_people_of_one_name_are_told_apart(write):
    rows = ["Ada,Zelm,1,1,1,,,,,", "Ada,Zelm,2,2,1,,,,,", "Ada,Zelm,x,3,1,,,,,", "Ada,Zelm,100,4,1,,,,,"]
    history = load(write("hill-classification.csv", lines(HEADER, *rows)))
    assert history.placings["player"].tolist()[:2] == ["Ada Zelm", "Ada Zelm (2)"]
    assert where(errors(history))[:2] == [
        "4:3: error: expected HOMONYME: a number from 1 to 99; found 'x'; left out",
        "5:3: error: expected HOMONYME: a number from 1 to 99; found '100'; left out",
    ]
    assert [e.split("; found ")[1] for e in errors(history)[2:]] == [
        "Ada Zelm again; kept as Ada Zelm (again)",
        "Ada Zelm again; kept as Ada Zelm (again)",
        "Ada Zelm (again) again; kept as Ada Zelm (again) (again)",
    ]
    assert not [p for p in check(history) if "one spelling" in p.expected]


def test_the_same_person_on_the_page_and_in_the_export(write):
    text = lines("Dale Con 2020", "Date June 1, 2020 Place Dale", "Number of players2 Number of rounds1",
                 "Coeff 12.29 Coeff 2- Coeff 3-", "RankFirstName LastNameLoc.Nat.Score",
                 "1Ada ZELM75.00", "2Bo MARL25.00")  # fmt: skip
    write("e/dale.txt", text)
    history = load(write("e/hill-classification.csv", lines(HEADER, *RANKED)).parent)
    assert sorted(history.placings["player"].unique()) == ["Ada ZELM", "Bo MARL", "Cy Roe", "Di Low", "Ed Fox"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("Fay,Tam,1,x,1,,,1,,", "7:4: error: expected RANK: a whole number; found 'x'"),
        ("Fay,Tam,1,0,1,,,1,,", "7:4: error: expected RANK: a place from 1 up, or 999; found '0'"),
        ("Fay,Tam,1,,1,,,1,,", "7:4: error: expected RANK: a place, or 999 for none; found none"),
        ("Fay,Tam,1,4,many,,,1,,", "7:5: error: expected EXAEQUO: a whole number; found 'many'"),
        ("Fay,Tam,1,4,1,,,lots,,", "7:8: error: expected SCORE: a number; found 'lots'"),
        (",,1,4,1,,,1,,", "7:2: error: expected a player's name; found none; the row is left out"),
        ("Fay,Tam,1,4,2,,,1,,", "7: error: expected EXAEQUO 1 of the only player with rank 4; found 2"),
        ("Fay,Tam,1,2,2,,,1,,", "3: error: expected EXAEQUO 3 of the 3 players with rank 2; found 2"),
        ("Fay,Tam,1,4,1,,,1,,,9", "7:11: error: expected 10 cells; found 11"),
    ],
)
def test_faults_of_a_row(write, row, said):
    history = load(write("hill-classification.csv", lines(HEADER, *RANKED, row)))
    assert said in where(errors(history))
    assert len(history.placings) == 6 - ("left out" in said)


def test_all_faults_are_told_at_once(write):
    text = lines(HEADER, "Ada,Zelm,1,x,1,,,lots,,", "Bo,Marl,?,1,y,,,1,,", ",,1,3,1,,,1,,")
    history = load(write("hill-classification.csv", text))
    assert [e[:3] for e in where(errors(history))] == ["2:4", "2:8", "3:3", "3:5", "4:2"]


def test_mandatory_columns_that_are_not_there(write):
    history = load(write("hill-classification.csv", lines("NAME,RANK,FIRST NAME", "Zelm,1,Ada")))
    expected = "1: error: expected the columns FIRST NAME, NAME, HOMONYME, RANK, EXAEQUO; found no HOMONYME, EXAEQUO"
    assert where(errors(history)) == [expected]
    assert history.placings["player"].tolist() == ["Ada Zelm"]
    with pytest.raises(InputError, match="found no RANK"):
        load(write("x-classification.csv", lines("NAME,FIRST NAME,HOMONYME,EXAEQUO", "Zelm,Ada,1,1")))


# --- boards


def test_every_two_players_of_a_board_have_a_game(write):
    history = load(write("hill-boards.csv", lines(BOARDS, *board(1, "A"), *board(2, "B", (7, 6, 5, 4, 3, 2, 1)))))
    games = history.games
    assert len(games) == 42
    assert history.events.loc[0, ["event", "kind", "rounds", "boards", "availability"]].tolist() == [
        "hill", "placings", 2, 2, "rated",
    ]  # fmt: skip
    results = {(g.round, g.player, g.opponent): g.result for g in games.itertuples()}
    names = [who.replace(",", " ") for who in PEOPLE]
    assert set(results) == {(r, *pair) for r in (1, 2) for pair in combinations(names, 2)}
    assert results[1, "Ada Zelm", "Gus Orr"] == 1
    assert results[2, "Ada Zelm", "Gus Orr"] == 0
    assert results[1, "Di Low", "Ed Fox"] == 0.5
    assert games["score"].isna().all()
    assert games["status"].unique().tolist() == ["played"]
    assert games["rated"].unique().tolist() == [1]
    # 21 points of each board, whatever the ties
    assert games.groupby("round")["result"].count().tolist() == [21, 21]
    assert [str(p) for p in check(history) if "a date of" not in p.expected] == []


def test_six_games_of_one_round_are_no_slip_at_a_board_and_are_elsewhere(write):
    write("e/hill-boards.csv", lines(BOARDS, *board(1, "A")))
    write(
        "e/games.csv",
        lines("event,round,player,opponent,result", "dale,1,Ada Zelm,Bo Marl,1", "dale,1,Ada Zelm,Cy Roe,1"),
    )
    found = [p for p in check(load(write("e/events.csv", EVENTS).parent)) if "once in a round" in p.expected]
    assert [p.found for p in found] == ["Ada Zelm again in round 1 of dale"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (board(1, "A")[:6], "2: warning: expected 7 players at board A of round 1; found 6"),
        ([*board(1, "A"), "Ada,Zelm,1,1,A,0AU,7,1,1"], "9: error: expected each player once at board A of round 1; "
         "found 'Ada Zelm' again, after line 2; left out"),
        ([*board(1, "A"), *board(1, "B")], "9: warning: expected each player at one board of round 1; "
         "found 'Ada Zelm' at board B, and at board A; both stand"),
        (board(1, "A", (1, 2, 3, 4, 5, 6, 8)), "8: error: expected a rank up to 7 at board A of round 1; "
         "found 8 of 'Gus Orr'; left out"),
        ([*board(1, "A")[:6], "Gus,Orr,1,1,A,0AU,7,1,1"], "8: warning: expected each power once at board A of round 1; "
         "found '0AU' again, after line 2"),
        ([*board(1, "A"), "Ada,Zelm,1,0,A,0AU,1,1,1"], "9:4: error: expected a round, counted from 1; "
         "found '0'; the row is left out"),
        ([*board(1, "A"), "Ada,Zelm,1,,A,0AU,1,1,1"], "9:4: error: expected a round, counted from 1; "
         "found none; the row is left out"),
        ([*board(1, "A"), "Ada,Zelm,1,2,,0AU,1,1,1"], "9:5: error: expected a board; found none; the row is left out"),
        ([*board(1, "A")[:6], "Gus,Orr,1,1,A,0TU,6,1,1"], "7: error: expected EXAEQUO 2 of the 2 players with rank 6 "
         "at board A of round 1; found 1"),
    ],
)  # fmt: skip
def test_faults_of_boards(write, rows, said):
    history = load(write("hill-boards.csv", lines(BOARDS, *rows)))
    assert said in where(errors(history) + warnings(history))
    assert len(history.games) >= 15


# --- which files are one event


@pytest.mark.parametrize(
    ("one", "two", "event"),
    [
        ("hill-classification.csv", "hill-boards.csv", "hill"),
        ("hill-players.csv", "hill_boards.csv", "hill"),
        ("Hill Con2019classification.csv", "Hill Con2019boards.csv", "Hill Con2019"),
        ("classification.csv", "boards.csv", "e"),
        ("hill.csv", "hill-boards.csv", "hill"),
    ],
)
def test_files_of_one_event(write, one, two, event):
    write(f"e/{one}", lines(HEADER, *RANKED))
    history = load(write(f"e/{two}", lines(BOARDS, *board(1, "A"))).parent)
    assert history.events["event"].tolist() == [event]
    assert (len(history.placings), len(history.games), len(history.entries)) == (5, 21, 7)
    assert history.events.loc[0, ["rounds", "boards"]].tolist() == [1, 1]
    # numbers follow the classification, then come those who are only at the boards
    assert history.entries.sort_values("number")["player"].tolist()[0] == "Ada Zelm"
    found = [p.found for p in check(history) if "a player of section main" in p.expected]
    assert found == ["'Fay Tam'; rated as a newcomer", "'Gus Orr'; rated as a newcomer"]


PAGE = lines(
    "Hill Con 2019", "Date May 24, 2019 Place Hill", "Number of players7 Number of rounds1 Number of boards2",
    "Coeff 13.00 Coeff 2- Coeff 3-", "RankFirstName LastNameLoc.Nat.Score", "1Ada ZELM92.86", "2Cy ROE78.57",
)  # fmt: skip


def test_a_page_gives_the_header_and_the_classification_the_places(write):
    write("e/hill.txt", PAGE.replace("2Cy", "3Cy").replace("78.57", "64.29"))
    write("e/hill-boards.csv", lines(BOARDS, *board(1, "A")))
    history = load(write("e/hill-classification.csv", lines(HEADER, *RANKED)).parent)
    assert history.events.loc[0, ["event", "name", "players", "boards"]].tolist() == ["hill", "Hill Con 2019", 7, 2]
    assert history.placings["of"].tolist() == [7] * 5
    assert where(errors(history)) == ["4: error: expected place 3 of 'Cy Roe', as on the ranking page; found 2"]
    assert where(warnings(history)) == ["1: warning: expected 2 boards, by the header of the ranking page; found 1"]


def test_a_page_gives_the_places_without_a_classification(write):
    write("e/hill.txt", PAGE.replace("boards2", "boards1"))
    history = load(write("e/hill-boards.csv", lines(BOARDS, *board(1, "A"))).parent)
    assert len(history.events) == 1
    assert history.placings["player"].tolist() == ["Ada Zelm", "Cy Roe"]
    assert len(history.games) == 21
    assert not errors(history)


def test_several_pages_beside_the_tables_of_another_event(write):
    write("e/hill.txt", PAGE + PAGE.replace("Hill Con 2019", "Dale Con 2019"))
    history = load(write("e/hill-classification.csv", lines(HEADER, *RANKED)).parent)
    assert sorted(history.events["event"]) == ["hill", "hill-dale-con-2019", "hill-hill-con-2019"]
    assert history.placings["event"].value_counts()["hill"] == 5


def test_two_classifications_of_one_name_are_both_kept(write):
    write("e/hill-classification.csv", lines(HEADER, *RANKED))
    history = load(write("e/hill-players.csv", lines(HEADER, RANKED[0])).parent)
    assert sorted(history.events["event"]) == ["e/hill", "hill"]
    assert len(history.placings) == 6


def test_a_row_of_events_says_the_number_of_players(write):
    write("e/events.csv", lines("event,date,name,players,rounds", "hill,2019-05-24,Hill Con,40,3"))
    history = load(write("e/hill-classification.csv", lines(HEADER, *RANKED)).parent)
    assert history.placings["of"].unique().tolist() == [40]
    assert history.events.loc[0, ["name", "players", "rounds"]].tolist() == ["Hill Con", 40, 3]
    assert check(history) == ()


def test_a_forced_format(write):
    with pytest.raises(InputError, match="expected the columns FIRST NAME"):
        load(write("x.csv", "a,b\n1,2\n"), format="wdd")
    with pytest.raises(InputError, match="a table with a row for each player; found no rows"):
        load(write("x.csv", HEADER + "\n"), format="wdd")


def test_saved_and_loaded_is_the_same(write, tmp_path):
    write("e/hill.txt", PAGE)
    write("e/hill-boards.csv", lines(BOARDS, *board(1, "A")))
    history = load(write("e/hill-classification.csv", lines(HEADER, *RANKED)).parent)
    history.save(tmp_path / "saved")
    back = load(tmp_path / "saved")
    for table, columns in (
        ("events", ["event", "kind", "players", "rounds", "boards", "availability"]),
        ("placings", ["event", "player", "nationality", "place", "of", "score"]),
        ("games", ["round", "player", "opponent", "result", "status", "rated"]),
        ("entries", ["section", "number", "player", "nationality"]),
    ):
        pd.testing.assert_frame_equal(getattr(history, table)[columns], getattr(back, table)[columns])
    assert not [p for p in check(back) if "once in a round" in p.expected]


@needs_shared
@pytest.mark.parametrize("kind", ["classification", "boards"])
def test_the_headers_of_the_exports(kind):
    assert kind_of(header_of((SHARED / "wdd" / f"wdd_{kind}_header.csv").read_text(encoding="utf-8"))) == kind


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_mangled_tables_are_read_or_refused_with_reasons(data):
    files = {
        "hill.txt": PAGE,
        "hill-classification.csv": lines(HEADER, *RANKED),
        "hill-boards.csv": lines(BOARDS, *board(1, "A"), *board(2, "B")),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name in data.draw(st.lists(st.sampled_from(sorted(files)), min_size=1, unique=True)):
            text = files[name].encode()
            for _ in range(data.draw(st.integers(0, 4))):
                i = data.draw(st.integers(0, len(text)))
                j = data.draw(st.integers(i, min(len(text), i + 30)))
                new = data.draw(st.binary(max_size=6) | st.sampled_from([b"\n", b",", b'"', b"-9", b"9" * 20, b"999"]))
                text = text[:i] + new + text[j:]
            (Path(folder) / name).write_bytes(text)
        try:
            problems = check(load(folder, format=data.draw(st.sampled_from([None, "wdd"]))))
        except InputError as error:
            problems = error.problems
            assert problems
        assert all(p.expected and p.found for p in problems)
