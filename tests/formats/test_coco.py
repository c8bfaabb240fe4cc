"""CoCo's result tables, with everything people typed into them."""

import pandas as pd
import pytest

from ratinglab.checking import check
from ratinglab.formats import load

HEADER = "Submitted On,Round,Winner,Winners Score,Opponent,Opponents Score\n"


def results(*rows, header=HEADER):
    return header + "".join(f"44000.1,{row}\n" for row in rows)


TWO = ("1,Orla Tamsin,400,Bram Quill,380", "2,Bram Quill,400,Orla Tamsin,400")


def said(history, severity):
    return [str(p) for p in history.problems if p.severity == severity]


def test_one_results_file_and_the_entry_list_beside_it(write):
    write("hill-ratings.csv", "Name,Rating\nOrla Tamsin,1500\nBram Quill,0\nIdle Ida,1200\n")
    history = load(write("hill-results.csv", results(*TWO)))
    event = history.events.iloc[0]
    assert (event["event"], event["source"], event["rounds"]) == ("hill", "hill-results.csv", 2)
    assert history.games["result"].tolist() == [1.0, 0.5]
    assert history.entries["rating"].fillna(-1).tolist() == [1500, -1, 1200]
    assert history.entries["number"].tolist() == [1, 2, 3]
    assert history.entries["section"].unique().tolist() == ["main"]
    assert not history.problems


@pytest.mark.parametrize(
    "content",
    [
        results("1,A B,400,C D,380").encode("utf-8-sig"),
        results("1,A B,400,C D,380").replace("\n", "\r\n").encode(),
        results("1,A B,400,C D,380").replace(",", "\t").encode(),
        b"\n".join(
            (
                b'"Submitted On","Round","Winner","Winners Score","Opponent","Opponents Score",',
                b'"x","1","A B","400","C D","380",',
            )
        ),
        results("1,A B,400,C D,380,,yes", header=HEADER.strip() + ",,Affirmed\n").encode(),
        (results("1,A B,400,C D,380") + ",,,,,\n\n").encode(),
    ],
    ids=["byte-order mark", "CRLF", "TSV", "quoted", "more columns", "empty rows"],
)
def test_shapes_in_the_wild(write, content):
    history = load(write("hill-results.csv", content))
    assert history.games[["player", "opponent", "score", "opponent_score"]].to_numpy().tolist() == [
        ["A B", "C D", 400, 380]
    ]
    assert not history.problems


def test_an_entry_list_headed_record(write):
    write("hill-ratings.tsv", "Name\tRecord\nA B\t1500\nC D\t1400\n")
    assert load(write("hill-results.csv", results("1,A B,400,C D,380"))).entries["rating"].tolist() == [1500, 1400]


def test_rounds_with_a_name_count_on_from_the_last_numbered_one(write):
    rows = ["Semifinal,A,4,B,3", "2,A,4,B,3", "Final,A,4,C,3", "semifinal,C,4,D,3", "Third Place Match,B,4,D,3"]
    assert load(write("hill-results.csv", results(*rows))).games["round"].tolist() == [3, 2, 4, 3, 5]


def test_a_winner_with_the_lower_score(write):
    history = load(write("hill-results.csv", results("1,A,300,B,400")))
    assert history.games["result"].tolist() == [0.0]
    assert (
        "hill-results.csv:2: warning: expected the winner's score first; found 300 to 400"
        in said(history, "warning")[0]
    )


def test_byes_are_of_the_player_and_bye_is_nobody(write):
    write("hill-ratings.csv", "Name,Rating\nA B,1500\nBye,0\n")
    history = load(write("hill-results.csv", results("1,A B,50,Bye,0", "2,bye,50,A B,0")))
    games = history.games
    assert games["player"].tolist() == ["A B", "A B"]
    assert games["opponent"].isna().all()
    assert games["status"].tolist() == ["bye", "forfeit"]
    assert games["score"].tolist() == [50, -50]
    assert games["result"].tolist() == [1, 0]
    assert games["rated"].tolist() == [0, 0]
    assert history.entries["player"].tolist() == ["A B"]


def test_a_score_of_nothing_against_a_player_is_a_forfeit(write):
    game = load(write("hill-results.csv", results("1,A,50,B,0"))).games.iloc[0]
    assert (game["status"], game["rated"], game["result"]) == ("forfeit", 0, 1.0)


def test_the_same_two_again_in_a_play_off_round_are_rated(write):
    history = load(write("hill-results.csv", results("Final,A,400,B,300", "Final,B,400,A,300")))
    assert history.games["rated"].tolist() == [1, 1]
    assert "hill-results.csv:3: warning" in said(history, "warning")[0]


@pytest.mark.parametrize(
    ("row", "where"),
    [
        ("1,A,many,B,300", "hill-results.csv:2:4: error: expected a score"),
        ("1,A,,B,300", "hill-results.csv:2: error: expected the scores of both; found none of 'A'"),
        (",A,400,B,300", "hill-results.csv:2:2: error: expected a round"),
        ("1,A,400,A,300", "hill-results.csv:2:5: error: expected two different players"),
        ("1,,400,B,300", "hill-results.csv:2:3: error: expected two different players"),
    ],
)
def test_faults_of_a_row(write, row, where):
    history = load(write("hill-results.csv", results(row, "1,C,400,D,300")))
    assert any(where in e for e in said(history, "error")), said(history, "error")
    assert history.games["rated"].sum() == 1


def test_players_missing_from_the_entry_list_and_ratings_that_are_none(write):
    write("hill-ratings.csv", "Name,Rating\nA,high\nB,1400\nB,1300\n")
    history = load(write("hill-results.csv", results("1,A,400,C,300")))
    assert any("hill-ratings.csv:2:2: error: expected a number; found 'high'" in e for e in said(history, "error"))
    assert any("hill-ratings.csv:4:1: error: expected each player once" in e for e in said(history, "error"))
    assert any("hill-results.csv:2: warning: expected a player of section main" in str(p) for p in check(history))
    assert history.entries["player"].tolist() == ["A", "B", "C"]


COLUMNS = "the columns Round, Winner, Winners Score, Opponent, Opponents Score"


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (
            "Round,Winner,Opponent,Opponents Score\n1,A,B,300\n",
            f":1: error: expected {COLUMNS}; found no Winners Score",
        ),
        (
            "x,1,A B,400,C D,380\n",
            f":1: error: expected {COLUMNS}; found none of them",
        ),
        (results(*TWO).encode() + b"\x00", ":1: error: expected a table of results or entries; found binary data"),
        (b"", ":1: error: expected a table of results or entries; found an empty file"),
    ],
)
@pytest.mark.parametrize("beside", ["entries", "results", "index"])
def test_results_that_cannot_be_read_as_such(write, content, found, beside):
    if beside == "index":
        write("c/events.csv", INDEX)
    elif beside == "entries":
        write("c/hill-ratings.csv", "Name,Rating\nA,1500\n")
    write("c/dale-results.csv", results(*TWO))
    history = load(write("c/hill-results.csv", content).parent)
    assert any(f"hill-results.csv{found}" in e for e in said(history, "error")), history.problems
    assert not any("hill-results.csv" in w for w in said(history, "warning"))
    assert len(history.games) == 2


@pytest.mark.parametrize("round_", ["0", "-1", "1.5"])
def test_a_round_that_is_none(write, round_):
    history = load(write("hill-results.csv", results(f"{round_},A,400,B,300", "2.0,A,400,B,300")))
    assert history.games["round"].tolist() == [3, 2]
    (error,) = said(history, "error")
    assert "hill-results.csv:2:2: error: expected a round from 1 up, or the name of a play-off round" in error


def test_a_score_of_nothing_is_told(write):
    found = said(load(write("hill-results.csv", results("1,A,50,B,0", "2,A,0,B,0"))), "warning")
    assert (
        "hill-results.csv:2: warning: expected a score of 'B' against 'A'; found 0 to 50, taken as a forfeit"
        in found[0]
    )
    assert "hill-results.csv:3: warning: expected scores of 'A' and 'B'; found 0 to 0, taken as not played" in found[1]


INDEX = """order,file,date,city,name,rounds,games
2,dale,2024-03-02,Dale,Dale Open,1,1
1,hill,2024-03-02,Hill,Hill Open,1,1
"""


def test_a_folder_of_events_in_their_order(write):
    write("c/results/hill-results.csv", results("1,A,400,B,300"))
    write("c/results/hill-ratings.csv", "Name,Rating\nA,1500\n")
    write("c/results/dale-results.tsv", results("1,A,300,B,200").replace(",", "\t"))
    write("c/README.md", "# what this is")
    write("c/LICENSE.md", "a licence; 2024")
    history = load(write("c/events.csv", INDEX).parent)
    assert history.events["event"].tolist() == ["hill", "dale"]
    assert history.events["place"].tolist() == ["Hill", "Dale"]
    assert history.events["date"].eq(pd.Timestamp("2024-03-02")).all()
    assert history.sources[0].name == "c/events.csv"
    assert len(history.sources) == 4
    assert not said(history, "error")


def test_faults_of_the_list_of_events(write):
    write("c/results/hill-results.csv", results("1,A,400,B,300"))
    rows = "1,hill,soon,,,three,\nx,gone,2024-01-01,,,,\n2,hill,2024-01-01,,,,\n"
    history = load(write("c/events.csv", INDEX.splitlines()[0] + "\n" + rows).parent)
    found = said(history, "error")
    for where in (
        ":3:1: error: expected order",
        ":2:3: error: expected a date",
        ":2:6: error: expected rounds",
        ":3:2: error",
        ":4:2: error",
    ):
        assert any(f"events.csv{where}" in e for e in found), (where, found)
    assert history.events["event"].tolist() == ["hill"]


def test_an_entry_list_without_results_is_an_event_not_played(write):
    history = load(write("hill-ratings.csv", "Name,Rating\nA,1500\n").parent)
    assert history.events["event"].tolist() == ["hill"]
    assert history.events["availability"].isna().all()


def test_the_real_events(shared):
    """108 events; 10,992 rated games is the count of the golden figures' own run."""
    history = load(shared / "coco")
    assert len(history.events) == 108
    assert history.games["rated"].sum() == 10_992
    assert history.games["status"].value_counts().to_dict() == {"played": 10_992, "bye": 231, "forfeit": 5}
    assert not said(history, "error")
    assert history.events["date"].is_monotonic_increasing
