"""ratinglab's own tables: what may be left out, what follows, what is told, and that nothing is lost on the way."""

import datetime
import tempfile

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratinglab import schema
from ratinglab.checking import check
from ratinglab.formats import load
from ratinglab.formats.common import frame
from ratinglab.history import Parsed, assemble

EVENTS = "event,date\ne1,2024-03-02\n"
GAMES = "event,round,player,opponent,score,opponent_score\n"


def said(history, severity="error"):
    return [str(p) for p in history.problems if p.severity == severity]


def games(write, text, events=EVENTS):
    write("n/events.csv", events)
    return load(write("n/games.csv", text).parent)


def test_what_follows_from_the_scores(write):
    history = games(
        write, GAMES + "e1,1,A,B,400,380\ne1,2,A,B,380,400\ne1,3,B,A,5,5\ne1,4,A,B,,\ne1,5,A,,50,\ne1,6,A,,-50,\n"
    )
    found = history.games
    assert found["result"].fillna(-1).tolist() == [1, 0, 0.5, -1, -1, -1]
    assert found["status"].tolist() == ["played"] * 3 + ["unknown", "bye", "forfeit"]
    assert found["rated"].tolist() == [1, 1, 1, 0, 0, 0]
    assert found["section"].unique().tolist() == ["main"]
    assert history.events.loc[0, ["kind", "availability"]].tolist() == ["games", "incomplete"]
    assert history.events["end_date"].tolist() == history.events["date"].tolist()
    assert not history.problems


def test_a_result_without_scores_is_rated(write):
    found = games(write, "event,round,player,opponent,result\ne1,1,A,B,½\ne1,2,A,B,1\n").games
    assert found["result"].tolist() == [0.5, 1.0]
    assert found["rated"].tolist() == [1, 1]
    assert found["score"].isna().all()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_what_spreadsheets_write(write, delimiter, end):
    text = (GAMES + "e1,1,A,B,400,380\n").replace(",", delimiter).replace("\n", end)
    history = games(write, text.encode("utf-8-sig"))
    assert history.games["score"].tolist() == [400]
    assert not history.problems


def test_zeros_in_front_are_kept(write):
    write("n/events.csv", "event,date\n007,2024-03-02\n")
    history = load(write("n/entries.csv", "event,player,grade\n007,0012,08\n").parent)
    assert history.entries.loc[0, ["event", "player", "grade"]].tolist() == ["007", "0012", "08"]


def test_a_rating_of_nothing_is_unrated(write):
    write("n/events.csv", EVENTS)
    text = "event,player,rating,deviation\ne1,A,0,\ne1,B,0,0\ne1,C,1500,\n"
    assert load(write("n/entries.csv", text).parent).entries["rating"].isna().tolist() == [True, True, False]


def test_deviations_that_cannot_be(write):
    write("n/events.csv", EVENTS)
    text = "event,player,rating,deviation\ne1,A,1500,0\ne1,B,1500,-3\ne1,C,1500,40\ne1,D,,0\n"
    history = load(write("n/entries.csv", text).parent)
    assert history.entries["deviation"].fillna(-1).tolist() == [-1, -1, 40, -1]
    assert [e.split("entries.csv")[1] for e in said(history)] == [
        ":2:4: error: expected deviation: a number above 0; found 0, left out",
        ":3:4: error: expected deviation: a number above 0; found -3, left out",
    ]


def test_a_player_described_twice(write):
    write("n/events.csv", EVENTS)
    history = load(write("n/players.csv", 'player,school\nOrla Tamsin,Hill\n"Tamsin, Orla",Dale\n').parent)
    assert history.players["school"].tolist() == ["Hill"]
    assert "players.csv:3: error: expected each player once; found Tamsin, Orla again, after line 2" in said(history)[0]


def test_dates_in_words_and_ranges(write):
    history = games(write, GAMES + "e1,1,A,B,4,3\n", 'event,date\ne1,"Oct 18-20, 2024"\n')
    assert history.events.loc[0, ["date", "end_date"]].tolist() == [
        pd.Timestamp("2024-10-18"),
        pd.Timestamp("2024-10-20"),
    ]


@pytest.mark.parametrize(
    ("row", "said_"),
    [
        ("e1,x,A,B,4,3", "games.csv:2:2: error: expected round: a whole number; found 'x'"),
        ('e1,1,A,B,"4,5",3', "games.csv:2:5: error: expected score: a number; found '4,5'"),
        ("e1,1,,B,4,3", "games.csv:2:3: error: expected player in every row"),
        ("e1,1,A,A,4,3", "games.csv:2: error: expected two different players"),
        ("e1,1,A,B,4,", "games.csv:2: error: expected the scores of both"),
        ("e1,1,A,B,4,3,,,9", "games.csv:2:7: error: expected 6 cells; found 9"),
        ("e1,1,A,B,inf,3", "games.csv:2:5: error: expected score: a number"),
    ],
)
def test_faults_of_a_cell(write, row, said_):
    history = games(write, f"{GAMES}{row}\ne1,2,C,D,400,380\n")
    assert any(said_ in e for e in said(history)), said(history)
    assert history.games.loc[history.games["round"] == 2, "rated"].tolist() == [1]


def test_values_that_no_column_knows(write):
    text = "event,round,player,opponent,result,status,first,rated\ne1,1,A,B,2,over,5,1\n"
    history = games(write, text, "event,date,availability,spread_cap,kind\ne1,2024-03-02,maybe,a;b,dance\n")
    for where in (
        "games.csv:2:5: error: expected result: one of 0, 0.5, 1; found '2'",
        "games.csv:2:6: error: expected status: one of played, bye, forfeit, unknown; found 'over'",
        "games.csv:2:7: error: expected first: one of 0, 1",
        "games.csv:2: error: expected rated 0 for a game that cannot be rated",
        "events.csv:2:3: error: expected availability: one of rated, awaited, incomplete; found 'maybe'",
        "events.csv:2:4: error: expected spread_cap: numbers by round",
        "events.csv:2:5: error: expected kind: one of games, placings",
    ):
        assert any(where in e for e in said(history)), (where, said(history))


def test_a_result_against_its_scores(write):
    history = games(write, "event,round,player,opponent,score,opponent_score,result\ne1,1,A,B,400,380,0\n")
    assert "games.csv:2: error: expected a result that agrees with the scores" in said(history)[0]


def test_columns_and_tables_that_do_not_fit(write):
    history = games(write, "event,round,player,opponent,score,opponent_score,mood,player\ne1,1,A,B,4,3,glad,X\n")
    assert "games.csv:1:7: warning: expected columns of the table games; found 'mood'" in said(history, "warning")[0]
    assert "games.csv:1:8: error: expected each column once" in said(history)[0]
    history = games(write, "event,player,opponent,score,opponent_score\ne1,A,B,4,3\n")
    assert "games.csv:1: error: expected the columns event, round, player in games; found no round" in said(history)[0]


def test_two_results_for_one_game(write):
    history = games(write, GAMES + "e1,1,A,B,400,380\ne1,1,A,B,400,370\ne1,2,A,B,400,380\ne1,2,B,A,390,400\n")
    found = [e for e in said(history) if "one result for a game" in e]
    assert len(found) == 2
    assert "games.csv:3:" in found[0]
    assert "games.csv:5:" in found[1]


def test_a_game_given_from_both_sides_is_one_game(write):
    history = games(write, GAMES + "e1,1,A,B,400,380\ne1,1,B,A,380,400\n")
    assert len(history.games) == 1
    assert "games.csv:3: warning: expected one row a game" in said(history, "warning")[0]


def test_an_event_that_only_the_games_name(write):
    history = games(write, GAMES + "e1,1,A,B,4,3\ne2,1,A,B,4,3\n")
    assert history.events["event"].tolist() == ["e1", "e2"]
    assert (
        "games.csv:3: warning: expected a row of events.csv for each event; found none for e2"
        in said(history, "warning")[0]
    )


def test_an_event_described_twice(write):
    history = games(write, GAMES + "e1,1,A,B,4,3\n", "event,date\ne1,2024-03-02\ne1,2025-03-02\n")
    assert "events.csv:3: error: expected each event once" in said(history)[0]
    assert history.events["date"].tolist() == [pd.Timestamp("2024-03-02")]


def test_a_quote_that_never_closes(write):
    history = games(write, GAMES + 'e1,1,A,B,400,380\ne1,2,"A,B,400,380\ne1,3,A,B,4,3\n')
    assert "games.csv:3: error: expected a closing quote" in said(history)[0]


def test_large_and_small_files_read_alike(write):
    rows = "".join(f"e1,{1 + i % 30},Player {i},Opponent {i},{300 + i % 99},380\n" for i in range(20_000))
    plain = games(write, GAMES + rows)
    quirky = games(write, GAMES + rows + '\ne1,1,"Two\nlines",Z,400,380\n')
    assert quirky.games["line"].iloc[-1] == 20_003
    pd.testing.assert_frame_equal(plain.games, quirky.games.iloc[:-1])
    odd = games(write, GAMES + rows + "e1,1,A,B,4,3,9\n")
    assert "games.csv:20002:7: error: expected 6 cells" in said(odd)[0]


def test_one_file_named_alone_by_its_columns(write):
    history = load(write("spring 2024.csv", GAMES + "e1,1,A,B,4,3\n"))
    assert len(history.games) == 1


def test_placings(write):
    write("n/events.csv", "event,date,kind\nw,2024-03-02,placings\n")
    history = load(write("n/placings.csv", "event,player,place,of,score\nw,A,1,7,120.5\n").parent)
    assert history.placings.loc[0, ["place", "of", "score"]].tolist() == [1, 7, 120.5]
    assert history.events["availability"].tolist() == ["rated"]


def test_placings_without_the_number_of_players(write):
    write("n/events.csv", "event,date,players\nw,2024-03-02,40\nx,2024-03-03,\ny,2024-03-04,\n")
    rows = "w,A,1,,9\nw,B,,,\nx,A,1,,\nx,B,,,\ny,A,1,30,\ny,B,2,,\n"
    history = load(write("n/placings.csv", "event,player,place,of,score\n" + rows).parent)
    assert history.placings["of"].fillna(-1).tolist() == [40, 40, -1, -1, 30, 30]
    assert history.placings["place"].fillna(0).tolist() == [1, 0, 1, 0, 1, 2]
    assert history.events["kind"].tolist() == ["placings"] * 3
    assert any(
        "placings.csv:4: warning: expected the number of players of x (players in events.csv); "
        "found none; its places are not rated" in str(problem)
        for problem in check(history)
    )


def test_places_and_numbers_of_players_count_from_one(write):
    write("n/events.csv", "event,date,players\nw,2024-03-02,0\n")
    history = load(write("n/placings.csv", "event,player,place,of\nw,A,0,-3\nw,B,1,2\n").parent)
    assert [e.split("n/")[1] for e in said(history)] == [
        "events.csv:2:3: error: expected players: a number of players, counted from 1; found '0'",
        "placings.csv:2:3: error: expected place: a place, counted from 1; found '0'",
        "placings.csv:2:4: error: expected of: a number of players, counted from 1; found '-3'",
    ]
    assert history.placings["of"].tolist() == [2, 2]


def test_an_event_with_placings_and_games_is_one_of_games_unless_it_says_so(write):
    write("n/games.csv", GAMES + "w,1,A,B,4,3\nx,1,A,B,4,3\n")
    write("n/placings.csv", "event,player,place\nw,A,1\nx,A,1\n")
    history = load(write("n/events.csv", "event,date,kind\nw,2024-03-02,\nx,2024-03-03,placings\n").parent)
    assert history.events["kind"].tolist() == ["games", "placings"]


# --- there and back

WORDS = st.text(st.sampled_from("abé,;\"0 \n½'"), max_size=6).map(lambda s: f"x{s}x".replace("\r", ""))
NUMBERS = st.none() | st.floats(1, 1e6) | st.integers(1, 3000).map(float)
DAYS = st.none() | st.dates(datetime.date(1950, 1, 1), datetime.date(2100, 1, 1))


@st.composite
def histories(draw):
    players = draw(st.lists(WORDS, min_size=2, max_size=5, unique_by=lambda s: " ".join(s.split()).casefold()))
    events, entries, played = [], [], []
    for event in draw(st.lists(st.sampled_from(["001", "e;2", "a/b", "10"]), min_size=1, unique=True)):
        events.append(
            {"event": event, "date": draw(DAYS), "name": draw(WORDS), "rounds": draw(st.none() | st.integers(1, 30))}
        )
        for number, player in enumerate(players, 1):
            entries.append(
                {"event": event, "section": "main", "number": number, "player": player, "rating": draw(NUMBERS)}
            )
        for round_ in range(1, draw(st.integers(1, 3)) + 1):
            score, other = draw(NUMBERS), draw(NUMBERS)
            known = score is not None and other is not None
            result = (0.5 if score == other else float(score > other)) if known else None
            status = "played" if known else "unknown"
            row = {"event": event, "section": "main", "round": round_, "player": players[0], "opponent": players[1]}
            played.append(
                row | {"score": score, "opponent_score": other, "result": result, "status": status, "rated": int(known)}
            )
    tables = {"events": frame("events", events), "entries": frame("entries", entries), "games": frame("games", played)}
    return assemble([Parsed(tables)])


def same(one, other):
    for name, table in one.tables().items():
        shown = [c for c in schema.TABLES[name] if (name, c) not in (("events", "kind"), ("events", "availability"))]
        pd.testing.assert_frame_equal(table[shown], other.tables()[name][shown])


@settings(deadline=None, max_examples=40)
@given(histories())
def test_saved_and_loaded_is_the_same(history):
    with tempfile.TemporaryDirectory() as folder:
        history.save(folder)
        same(history, load(folder))


@pytest.mark.parametrize("name", ["tsh", "tsh-plain", "coco"])
def test_real_events_saved_and_loaded_are_the_same(shared, tmp_path, name):
    history = load(shared / name)
    history.save(tmp_path)
    back = load(tmp_path)
    same(history, back)
    pd.testing.assert_series_equal(history.events["availability"], back.events["availability"])


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_comma_is_a_decimal_mark_where_it_parts_no_cells(write, delimiter):
    entries = "event;player;rating\ns;Ada Zorn;1512,5\ns;Bea Yarrow;1.400,5\n".replace(";", delimiter)
    write("n/entries.csv", entries)
    games = "event;round;player;opponent;result\ns;1;Ada Zorn;Bea Yarrow;0,5\n".replace(";", delimiter)
    history = load(write("n/games.csv", games).parent)
    assert history.games["result"].tolist() == [0.5]
    assert history.entries["rating"].tolist()[0] == 1512.5
    # a thousands separator is not guessed at
    assert [e.split("n/")[1] for e in said(history)] == [
        "entries.csv:3:3: error: expected rating: a number; found '1.400,5'"
    ]
