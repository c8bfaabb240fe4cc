"""Club chess tables: results as printed, byes, forfeits, two ratings of each player, and everything that is told."""

import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import SHARED, needs_shared
from saying import assert_rated_games_are_whole, errors, warnings

from ratinglab.checking import check
from ratinglab.formats import load
from ratinglab.problems import InputError
from ratinglab.replaying import replay
from ratinglab.systems import Elo

EVENTS = """event,date,rounds,category,players,pairings,system,pool,speed
larch,2024-03-02,3,Junior,4,8,swiss Dutch,junior,rapid
birch,2024-04-06,1,Senior,2,1,Single Round Robin,open,standard
"""
PLAYERS = """event,start_no,player,fide_rating,national_rating,used_rating
larch,3,"Tamsin, Orla",1500,1400,1400
larch,2,Bram Quill,1450,,1450
larch,1,Ida Marl,1300,1300,1300
larch,4,Cy Roe,,,
birch,1,Bram Quill,1460,1380,
birch,2,"Tamsin, Orla",,1405,0
"""
GAMES = """event,round,board,white,black,result,white_rating_shown,black_rating_shown
larch,1,1,"Tamsin, Orla",Bram Quill,1 - 0,1500,1450
larch,1,2,Ida Marl,Cy Roe,½ - ½,1300,
larch,2,1,Cy Roe,Orla Tamsin,0 - 1,,1500
larch,2,2,Bram Quill,BYE,1,1450,
larch,2,3,Ida Marl,BYE,½,1300,
larch,3,1,Ida Marl,Bram Quill,0F-1F,1300,1450
larch,3,2,"Tamsin, Orla",BYE,0,1500,
larch,3,3,Cy Roe,BYE,0,,
birch,1,1,Bram Quill,"Tamsin, Orla",...,1460,
"""
HEADER = GAMES.splitlines()[0]


def shown(frame):
    """The rows as lists, None where a value is missing."""
    return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()


def told(history):
    return [str(p).split("club/", 1)[1] for p in history.problems]


@pytest.fixture
def club(write):
    """The history of the three tables, any of them changed; None leaves one out."""

    def put(events=EVENTS, players=PLAYERS, games=GAMES):
        for name, text in (("events", events), ("players", players), ("games", games)):
            if text is not None:
                folder = write(f"club/{name}.csv", text).parent
        return load(folder)

    return put


def rows(*games):
    return HEADER + "\n" + "".join(f"{game}\n" for game in games)


def test_what_is_read(club):
    history = club()
    assert not history.problems
    assert [problem.expected for problem in check(history)] == ["scores in section main of birch"]
    columns = ["event", "rounds", "system", "pool", "note", "availability", "source"]
    assert shown(history.events[columns]) == [
        ["larch", 3, None, "junior rapid", "Junior swiss Dutch", "rated", "events.csv"],
        ["birch", 1, None, "open standard", "Senior Single Round Robin", "awaited", "events.csv"],
    ]
    assert history.events["date"].tolist() == [pd.Timestamp("2024-03-02"), pd.Timestamp("2024-04-06")]
    assert shown(history.entries[["event", "number", "player", "rating", "rating_kind"]]) == [
        ["larch", 3, "Tamsin, Orla", 1400, "national"],
        ["larch", 2, "Bram Quill", 1450, "fide"],
        ["larch", 1, "Ida Marl", 1300, "national"],
        ["larch", 4, "Cy Roe", None, None],
        ["birch", 1, "Bram Quill", None, None],
        ["birch", 2, "Tamsin, Orla", None, None],
    ]
    assert shown(history.games[["round", "player", "opponent", "result", "first", "status", "rated"]]) == [
        [1, "Tamsin, Orla", "Bram Quill", 1, 1, "played", 1],
        [1, "Ida Marl", "Cy Roe", 0.5, 1, "played", 1],
        [2, "Cy Roe", "Tamsin, Orla", 0, 1, "played", 1],
        [2, "Bram Quill", None, 1, None, "bye", 0],
        [2, "Ida Marl", None, 0.5, None, "bye", 0],
        [3, "Ida Marl", "Bram Quill", 0, 1, "forfeit", 0],
        [3, "Tamsin, Orla", None, 0, None, "bye", 0],
        [3, "Cy Roe", None, 0, None, "bye", 0],
        [1, "Bram Quill", "Tamsin, Orla", None, 1, "unknown", 0],
    ]


def test_both_ratings_are_kept_with_their_day(club):
    lists = club().rating_lists
    assert shown(lists[["player", "rating", "kind", "source"]]) == [
        ["Tamsin, Orla", 1400, "national", "larch"],
        ["Tamsin, Orla", 1500, "fide", "larch"],
        ["Bram Quill", 1450, "fide", "larch"],
        ["Ida Marl", 1300, "national", "larch"],
        ["Ida Marl", 1300, "fide", "larch"],
        ["Bram Quill", 1380, "national", "birch"],
        ["Bram Quill", 1460, "fide", "birch"],
        ["Tamsin, Orla", 1405, "national", "birch"],
    ]
    assert lists["list_date"].tolist() == [pd.Timestamp("2024-03-02")] * 5 + [pd.Timestamp("2024-04-06")] * 3
    assert not len(club(events=EVENTS.replace("2024-03-02", "").replace("2024-04-06", "")).rating_lists)


@pytest.mark.parametrize(
    ("cell", "status", "result"),
    [
        ("1 - 0", "played", 1), ("0-1", "played", 0), ("½-½", "played", 0.5), ("1/2 - 1/2", "played", 0.5),
        ("1F-0F", "forfeit", 1), ("0F - 1F", "forfeit", 0), ("0F-0F", "forfeit", None),
        ("...", "unknown", None), ("…", "unknown", None), ("", "unknown", None),
    ],
)  # fmt: skip
def test_results(club, cell, status, result):
    history = club(None, None, rows(f"larch,1,1,Orla Tamsin,Bram Quill,{cell},,"))
    assert shown(history.games[["status", "result", "rated"]]) == [[status, result, int(status == "played")]]
    assert not history.problems


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        ("ADJ", ":2:6: warning: expected a result; found ADJ, adjudicated, which does not say how; not rated"),
        ("0 - 0", ":2:6: warning: expected a result; found 0 - 0, a game that both lost; not rated"),
        ("2 - 0", ":2:6: error: expected a result: 1 - 0, 0 - 1, ½ - ½, a forfeit (1F-0F, 0F-1F, 0F-0F) or ... while"),
        ("1", ":2:6: error: expected a result: 1 - 0"),
    ],
)
def test_results_that_say_nothing(club, cell, problem):
    history = club(None, None, rows(f"larch,1,1,Orla Tamsin,Bram Quill,{cell},,"))
    assert shown(history.games[["status", "result", "rated"]]) == [["unknown", None, 0]]
    assert told(history)[0].startswith(f"games.csv{problem}")


@pytest.mark.parametrize(
    ("sides", "cell", "status", "result"),
    [
        ("Orla Tamsin,BYE", "1", "bye", 1), ("Orla Tamsin,bye", "½", "bye", 0.5),
        ("Orla Tamsin,BYE", "1/2", "bye", 0.5),
        ("BYE,Orla Tamsin", "0 - 1", "bye", 1), ("Orla Tamsin,BYE", "1 - 0", "bye", 1),
        ("BYE,Orla Tamsin", "1F-0F", "forfeit", 0), ("Orla Tamsin,BYE", "...", "unknown", None),
    ],
)  # fmt: skip
def test_byes(club, sides, cell, status, result):
    history = club(None, None, rows(f"larch,1,1,{sides},{cell},,"))
    assert shown(history.games[["player", "opponent", "status", "result", "rated", "first"]]) == [
        ["Orla Tamsin", None, status, result, 0, None]
    ]
    assert not history.problems
    assert history.entries["player"].tolist() == ["Orla Tamsin"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("larch,x,1,A B,C D,1 - 0", ":2:2: error: expected round: a whole number; found 'x'"),
        ("larch,0,1,A B,C D,1 - 0", ":2:2: error: expected a round, counted from 1; found 0"),
        ("larch,,1,A B,C D,1 - 0", ":2:2: error: expected round in every row; found none; the row is left out"),
        (",1,1,A B,C D,1 - 0", ":2:1: error: expected event in every row; found none; the row is left out"),
        ("larch,1,1,A B,,1 - 0", ":2:5: error: expected two different players, or BYE for one; found one side only"),
        ("larch,1,1,,A B,1 - 0", ":2:4: error: expected two different players, or BYE for one; found one side only"),
        ("larch,1,1,BYE,BYE,1", ":2:5: error: expected two different players, or BYE for one; found 'BYE' on both"),
        ("larch,1,1,A B,BYE,2", ":2:6: error: expected 1, ½ or 0, what a bye is worth; found '2'; not rated"),
        ("larch,1,1,F G,E F,0 - 1", ":3:4: error: expected one row a game; found E F and F G in round 1 again"),
        ("larch,1,1,A B,C D,1 - 0,,,9", ":2:9: error: expected 8 cells; found 9"),
    ],
)  # fmt: skip
def test_faults_of_a_game(club, row, problem):
    """All at once: the other rows are read."""
    history = club(None, None, rows(row, "larch,1,2,E F,F G,1 - 0,,", "larch,2,2,E F,F G,1 - 0,,"))
    assert any(found.startswith(f"games.csv{problem}") for found in told(history)), told(history)
    assert history.games["player"].tolist().count("E F") >= 1
    assert history.games["round"].tolist().count(2) == 1


def test_faults_of_events_and_players(club):
    history = club(
        EVENTS.replace("2024-03-02,3", "soon,three") + "larch,2024-05-05,,,,,,,\n,2024-05-05,,,,,,,\n",
        PLAYERS.replace("1500,1400", "high,1400")
        + "larch,4,Una Vale,,1000,1000\nlarch,x,Cy Roe,,1,1\nlarch,5,,,1,1\nfir,1,Una Vale,,1000,1000\n",
    )
    for expected in (
        "events.csv:2:2: error: expected a date such as",
        "events.csv:2:3: error: expected rounds: a whole number; found 'three'",
        "events.csv:4:1: error: expected each event once; found larch again, after line 2; left out",
        "events.csv:5:1: error: expected event in every row; found none; the row is left out",
        "players.csv:2:4: error: expected fide_rating: a number; found 'high'",
        "players.csv:8:2: error: expected each start number of larch once; found 4 again, after line 5; left out",
        "players.csv:9:2: error: expected start_no: a whole number; found 'x'",
        "players.csv:9:3: error: expected each player of larch once; found Cy Roe again, after line 5; left out",
        "players.csv:10:3: error: expected player in every row; found none; the row is left out",
        "players.csv:11: warning: expected a row of events.csv for each event; found none for fir",
        "events.csv:2: warning: expected 4 players of larch, as said here; found 6 rows of the table players",
    ):
        assert any(problem.startswith(expected) for problem in told(history)), (expected, told(history))
    assert len(history.games) == 9
    assert history.events["event"].tolist() == ["birch", "larch", "fir"]


def test_columns_that_are_not_the_tables(club):
    history = club(games=GAMES.replace("board", "table", 1))
    assert told(history) == ["games.csv:1:3: warning: expected columns of the table games; found 'table'; passed over"]


def test_rows_in_the_tables_other_than_the_events_say(club):
    history = club(games=GAMES.rsplit("birch", 1)[0] + "larch,3,4,Una Vale,BYE,1,,\n")
    assert told(history) == [
        "events.csv:2: warning: expected 8 pairings of larch, as said here; found 9 rows of the table games",
        "events.csv:3: warning: expected 1 pairings of birch, as said here; found 0 rows of the table games",
    ]


def test_a_list_of_entries_that_is_not_whole_is_one_problem(club):
    """Up to five who are not in it are named each."""
    for extra, count in ((5, 5), (6, 1)):
        more = [f"larch,1,{i},Extra {chr(65 + i)},BYE,1,," for i in range(extra)]
        history = club(EVENTS.replace(",8,", f",{8 + extra},"), PLAYERS, GAMES + "\n".join(more) + "\n")
        found = [problem for problem in check(history) if "newcomer" in problem.found]
        assert len(found) == count
    assert found[0].found == "'Extra A' and 5 others who play; rated as newcomers"


def test_the_files_that_lie_beside_the_one_named(club, write):
    club()
    folder = write("club/README.txt", "about the club").parent
    history = load(folder / "games.csv")
    assert history.entries["rating"].notna().sum() == 3
    assert history.events["date"].notna().all()
    assert [Path(source.name).name for source in history.sources] == ["games.csv", "players.csv", "events.csv"]
    assert load(folder / "players.csv").games["rated"].sum() == 3
    (folder / "games.csv").rename(folder / "results 2024.csv")
    assert load(folder).games["rated"].sum() == 3


def test_other_tables_stay_what_they_are(write):
    """CoCo's and ratinglab's own events.csv are not a club's, and a club's folder may hold aliases."""
    write("coco/events.csv", "order,file,date,city,name\n1,hill,2024-03-02,Hill,Hill Open\n")
    write(
        "coco/results/hill-results.csv",
        "Round,Winner,Winners Score,Opponent,Opponents Score\n1,Orla Tamsin,400,Bram Quill,300\n",
    )
    write("own/events.csv", "event,date\nelm,2024-05-05\n")
    write("own/games.csv", "event,round,player,opponent,score,opponent_score\nelm,1,Ida Marl,Cy Roe,3,2\n")
    for name, text in (("events", EVENTS), ("players", PLAYERS), ("games", GAMES)):
        folder = write(f"club/{name}.csv", text).parent
    write("club/aliases.csv", "alias,player\nBram Quill,Abraham Quill\n")
    history = load(folder.parent)
    assert sorted(history.events["event"]) == ["birch", "elm", "hill", "larch"]
    assert not history.problems
    assert "Abraham Quill" in set(history.entries["player"])
    assert history.games["score"].notna().sum() == 2


def test_a_forced_format(write):
    with pytest.raises(InputError, match=r"x.csv:1: error: expected the columns of a table \(games: event, round"):
        load(write("x.csv", "a,b\n1,2\n"), format="club-chess")
    with pytest.raises(InputError, match="binary data"):
        load(write("y.csv", b"\x00\x01\x02"), format="club-chess")


def test_replayed(club):
    """One game by hand: equal ratings, so 20 × (1 − ½) for the winner."""
    history = club(EVENTS, None, rows("larch,1,1,Orla Tamsin,Bram Quill,1 - 0,,"))
    ratings = replay(history, Elo(k=20, scale=400)).ratings().set_index("player")["rating"]
    assert ratings["Orla Tamsin"] - ratings["Bram Quill"] == 20


@settings(deadline=None, max_examples=100)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["events", "players", "games"]), st.integers(0, 1000), st.integers(0, 30),
            st.binary(max_size=6) | st.sampled_from([b",", b'"', b"\n", b"9", b"BYE", b"\r"]),
        ),
        min_size=1, max_size=6,
    )
)  # fmt: skip
def test_no_bytes_bring_the_reader_down(changes):
    tables = {"events": EVENTS.encode(), "players": PLAYERS.encode(), "games": GAMES.encode()}
    for name, at, length, put in changes:
        content = tables[name]
        at = at * len(content) // 1000
        tables[name] = content[:at] + put + content[at + length :]
    with tempfile.TemporaryDirectory() as folder:
        for name, content in tables.items():
            (Path(folder) / f"{name}.csv").write_bytes(content)
        try:
            history = load(folder, *(Path(folder) / f"{name}.csv" for name in tables), format="club-chess")
        except InputError as error:
            assert all(problem.expected and problem.found for problem in error.problems)  # noqa: PT017
            return
    check(history)
    assert_rated_games_are_whole(history)


@needs_shared
def test_the_real_club():
    """73 events, 7,090 played games (data/README.md); every other count is of the result column's own spellings."""
    folder = SHARED / "chess"
    history = load(folder / "events.csv", folder / "games.csv", folder / "players.csv")
    events, games = history.events, history.games
    assert len(events) == 73
    assert len(games) == 7899
    assert games.groupby(["status", "rated", games["result"].fillna(-1)]).size().to_dict() == {
        ("played", 1, 1.0): 3360,
        ("played", 1, 0.0): 3123,
        ("played", 1, 0.5): 607,
        ("forfeit", 0, 1.0): 122,
        ("forfeit", 0, 0.0): 131,
        ("forfeit", 0, -1.0): 18,
        ("bye", 0, 1.0): 31,
        ("bye", 0, 0.5): 106,
        ("bye", 0, 0.0): 209,
        ("unknown", 0, -1.0): 190 + 2,  # not entered, and ADJ and 0 - 0
    }
    assert games["opponent"].isna().sum() == 346
    assert (games["first"].eq(1) == games["opponent"].notna()).all()
    assert events["pool"].value_counts().to_dict() == {
        "open standard": 31, "junior standard": 22, "open blitz": 6, "open rapid": 6, "junior blitz": 4,
        "junior rapid": 4,
    }  # fmt: skip
    assert events["availability"].value_counts().to_dict() == {"rated": 63, "incomplete": 10}
    assert events["system"].isna().all()
    # 2,405 rows of which one is told and left out, and 174 who play and are in no row
    assert len(history.entries) == 2405 - 1 + 174
    assert history.entries["rating"].notna().sum() == 1667
    assert history.entries["rating_kind"].value_counts().to_dict() == {"national": 1654, "fide": 13}
    assert history.rating_lists.groupby("kind")["rating"].agg(["size", "sum"]).to_dict("index") == {
        "fide": {"size": 912, "sum": 1450500}, "national": {"size": 1796, "sum": 1749073},
    }  # fmt: skip
    assert [problem.rsplit("/", 1)[1] for problem in errors(history)] == [
        "players.csv:2401:3: error: expected each player of e078 once; "
        "found p646010559f again, after line 2380; left out"
    ]
    assert len(warnings(history)) == 2
    # 7 events with one row of players.csv each, and 16 ratings of 2 and 3 in e036 where 574 is usual
    assert len(check(history)) == 3 + 7 + 16
