"""US Chess crosstables: what is read, both sides of every game compared, and what is told."""

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
from ratinglab.formats.uscf_crosstable import published
from ratinglab.problems import InputError

RULE = "-" * 65
FOUR = (
    ("1", "TAMSIN, ORLA", "2.5", ("W   4", "W   2", "D   3"), "1794   ->1817     ", ("W", "B", "W")),
    ("2", "BRAM QUILL", "2.0", ("W   3", "L   1", "W   4"), "1641P17->1657P20  ", ("B", "W", "B")),
    ("3", "IDA MARL", "1.0", ("L   2", "H", "D   1"), " 377P3 -> 476P5   ", ("W", "", "B")),
    ("4", "CY ROE", "1.0", ("L   1", "B", "L   2"), "Unrated->1012P2   ", ("B", "", "W")),
)


def table(rows=FOUR, end="\n", above=(), rounds=None):
    """A crosstable of (number, name, points, rounds, ratings, colours) rows."""
    count = rounds or len(rows[0][3])
    lines = [
        *above,
        RULE,
        " Pair | Player Name                     |Total|" + "Round|" * count,
        " Num  | USCF ID / Rtg (Pre->Post)       | Pts |" + "".join(f"{i:^5}|" for i in range(1, count + 1)),
        RULE,
    ]
    for number, name, total, results, ratings, colours in rows:
        lines.append(f"{number:>5} | {name:<32}|{total:<5}|" + "".join(f"{cell:<5}|" for cell in results))
        second = f"{90000000 + int(number)} / R: {ratings}" if ratings else ""
        lines.append(f"   ON | {second:<32}|N:2  |" + "".join(f"{cell:<5}|" for cell in colours))
        lines.append(RULE)
    return "".join(line + end for line in lines)


def changed(number, **cells):
    """The four with another cell of a player: total, ratings, or r1, c3 … for a round's result and colour."""
    rows = []
    for row in FOUR:
        name, total, results, ratings, colours = row[1], row[2], list(row[3]), row[4], list(row[5])
        if row[0] == str(number):
            name, total, ratings = (
                cells.get(k, v) for k, v in (("name", name), ("total", total), ("ratings", ratings))
            )
            for i in range(3):
                results[i] = cells.get(f"r{i + 1}", results[i])
                colours[i] = cells.get(f"c{i + 1}", colours[i])
        rows.append((row[0], name, total, results, ratings, colours))
    return table(rows)


def shown(frame):
    """The rows as lists, None where a value is missing."""
    return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()


def told(history):
    return [str(p).split("spring.txt", 1)[1] for p in history.problems]


def test_what_is_read(write):
    history = load(write("spring.txt", table()))
    assert not history.problems
    event = history.events.iloc[0]
    assert event[["event", "system", "kind", "rounds", "source"]].tolist() == [
        "spring", "uscf", "games", 3, "spring.txt",
    ]  # fmt: skip
    assert pd.isna(event["date"])
    entries = history.entries
    assert entries["player"].tolist() == ["TAMSIN, ORLA", "BRAM QUILL", "IDA MARL", "CY ROE"]
    assert entries["number"].tolist() == [1, 2, 3, 4]
    assert entries["rating"].fillna(-1).tolist() == [1794, 1641, 377, -1]
    assert entries["lifetime_games"].fillna(-1).tolist() == [-1, 17, 3, -1]
    assert entries["rating_kind"].unique().tolist() == ["regular"]
    assert entries["line"].tolist() == [5, 8, 11, 14]
    columns = ["round", "player", "opponent", "result", "first", "status", "rated"]
    assert shown(history.games[columns]) == [
        [1, "TAMSIN, ORLA", "CY ROE", 1, 1, "played", 1],
        [1, "BRAM QUILL", "IDA MARL", 1, 0, "played", 1],
        [2, "TAMSIN, ORLA", "BRAM QUILL", 1, 0, "played", 1],
        [2, "IDA MARL", None, 0.5, None, "bye", 0],
        [2, "CY ROE", None, 1, None, "bye", 0],
        [3, "TAMSIN, ORLA", "IDA MARL", 0.5, 1, "played", 1],
        [3, "BRAM QUILL", "CY ROE", 1, 0, "played", 1],
    ]
    assert not len(history.rating_lists)
    assert [str(p).split(": ", 1)[1] for p in check(history)] == [
        "warning: expected a date of spring; found none; it comes after all dated events"
    ]


def test_the_published_ratings(write):
    found = published(write("spring.txt", table()))
    assert list(found.columns) == ["section", "number", "player", "pre", "pre_games", "post", "post_games"]
    assert found["pre"].fillna(-1).tolist() == [1794, 1641, 377, -1]
    assert found["post"].tolist() == [1817, 1657, 476, 1012]
    assert found["pre_games"].fillna(-1).tolist() == [-1, 17, 3, -1]
    assert found["post_games"].fillna(-1).tolist() == [-1, 20, 5, 2]
    with pytest.raises(InputError, match="expected a crosstable"):
        published(write("other.txt", "nothing of the kind\n"))
    with pytest.raises(InputError, match="cannot be read"):
        published(Path("no-such-file.txt"))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"], ids=repr)
def test_line_ends(write, end):
    history = load(write("spring.txt", table(end=end).encode()))
    assert len(history.games) == 7
    assert history.entries["line"].tolist() == [5, 8, 11, 14]


def test_mixed_line_ends(write):
    text = table(end="\r\r\n").replace("\r\r\n", "\r\n", 3)
    assert load(write("spring.txt", text.encode())).entries["line"].tolist() == [5, 8, 11, 14]


def test_name_place_and_dates_from_the_text_above(write):
    above = ("Event: Larch Hill Spring Open", "Location: Larch Hill", "Event Date(s): 2024-03-02 thru 2024-03-03")
    history = load(write("spring.txt", table(above=above)))
    event = history.events.iloc[0]
    assert (event["name"], event["place"]) == ("Larch Hill Spring Open", "Larch Hill")
    assert (event["date"], event["end_date"]) == (pd.Timestamp("2024-03-02"), pd.Timestamp("2024-03-03"))
    lists = history.rating_lists
    assert lists["rating"].tolist() == [1817, 1657, 476, 1012]
    assert lists["list_date"].eq(pd.Timestamp("2024-03-03")).all()
    assert lists[["kind", "source"]].drop_duplicates().to_numpy().tolist() == [["published after", "spring"]]
    assert not check(history)


def test_plain_text_above(write):
    history = load(write("spring.txt", table(above=("Larch Hill Spring Open", "March 2, 2024"))))
    assert history.events[["name", "date"]].to_numpy().tolist() == [
        ["Larch Hill Spring Open", pd.Timestamp("2024-03-02")]
    ]
    assert history.entries["section"].unique().tolist() == ["main"]


def test_a_date_that_cannot_be_read(write):
    assert errors(load(write("spring.txt", table(above=("Date: some day",)))))[0].endswith(
        """spring.txt:1: error: expected a date such as "Oct 18-20, 2024" or 2024-10-18; found 'some day'"""
    )


@pytest.mark.parametrize(
    ("above", "sections", "name"),
    [
        (((), ()), ["main", "section 2"], None),
        ((("Open",), ("Reserve",)), ["Open", "Reserve"], None),
        ((("Larch Hill",), ()), ["main", "section 2"], "Larch Hill"),
        ((("Larch Hill", "Open"), ("Reserve",)), ["Open", "Reserve"], "Larch Hill"),
        ((("Larch Hill", "Section: Open"), ("Section: Reserve",)), ["Open", "Reserve"], "Larch Hill"),
        ((("Name: Larch Hill", "Open"), ("Open",)), ["Open", "Open (2)"], "Larch Hill"),
    ],
)
def test_sections(write, above, sections, name):
    rows = [(n, f"{who} TWO", t, r, ra, c) for n, who, t, r, ra, c in FOUR]
    text = table(above=above[0]) + "\n" + table(rows, above=above[1])
    history = load(write("spring.txt", text))
    assert history.entries["section"].unique().tolist() == sections
    assert history.games.groupby("section", sort=False).size().tolist() == [7, 7]
    assert (history.events.loc[0, "name"] if history.events["name"].notna().all() else None) == name
    assert len(history.problems) == (sections[1] == "Open (2)")
    assert published(write("spring.txt", text))["section"].unique().tolist() == sections


def test_sections_of_other_lengths(write):
    short = (
        ("1", "UNA VALE", "1.0", ("W   2",), "1200", ("W",)),
        ("2", "ODO WREN", "0.0", ("L   1",), "1100", ("B",)),
    )
    history = load(write("spring.txt", table() + table(short)))
    assert history.events["rounds"].tolist() == [3]
    assert history.divisions[["section", "rounds"]].to_numpy().tolist() == [["section 2", 1]]
    assert not history.problems


def test_forfeits_byes_and_unplayed_rounds(write):
    rows = (
        ("1", "UNA VALE", "2.0", ("X   2", "X", "U", "Z"), "1200", ("W", "", "", "")),
        ("2", "ODO WREN", "0.0", ("F   1", "F", "F   3", ""), "1100", ("B", "", "", "")),
        ("3", "IVO LARK", "1.5", ("H", "B", "F   2", "U"), "1000", ("", "", "", "")),
    )
    history = load(write("spring.txt", table(rows)))
    assert not errors(history)
    games = history.games
    assert not games["rated"].any()
    assert shown(games[["round", "player", "opponent", "result", "status"]]) == [
        [1, "UNA VALE", "ODO WREN", 1, "forfeit"],
        [1, "IVO LARK", None, 0.5, "bye"],
        [2, "UNA VALE", None, 1, "forfeit"],
        [2, "ODO WREN", None, 0, "forfeit"],
        [2, "IVO LARK", None, 1, "bye"],
        [3, "UNA VALE", None, 0, "bye"],
        [3, "ODO WREN", "IVO LARK", None, "forfeit"],  # neither came: nobody's win
        [4, "UNA VALE", None, 0, "bye"],
        [4, "IVO LARK", None, 0, "bye"],
    ]


def test_a_game_that_only_one_side_has(write):
    history = load(write("spring.txt", changed(4, r3="U")))
    assert told(history) == [
        ":8:60: error: expected round 3: 'L 2' of no. 4; found 'W   2' here and 'U' there, line 14; not rated"
        .replace("'W   2'", "'W   4'"),
    ]  # fmt: skip
    third = history.games[history.games["round"] == 3]
    assert third["status"].tolist() == ["played", "unknown", "bye"]
    assert third["rated"].tolist() == [1, 0, 0]


def test_results_that_contradict_each_other(write):
    history = load(write("spring.txt", changed(3, r1="W   2")))
    assert errors(history)[0].endswith(
        "spring.txt:8:48: error: expected round 1: 'L 2' of no. 3; "
        "found 'W   3' here and 'W   2' there, line 11; not rated"
    )
    assert "1 × D, 1 × H, 1 × W" in warnings(history)[0]
    first = history.games[history.games["round"] == 1]
    assert first["status"].tolist() == ["played", "unknown"]
    assert first["result"].isna().tolist() == [False, True]


def test_an_opponent_who_has_another(write):
    """Each claim without an answer stands as a game not known, from the side that makes it."""
    history = load(write("spring.txt", changed(3, r1="L   1")))
    assert len(errors(history)) == 2
    first = history.games[history.games["round"] == 1]
    assert first["status"].tolist() == ["played", "unknown", "unknown"]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"r1": "W   9"}, ":5:48: error: expected round 1: the pair number of another player; found no. 9"),
        ({"r1": "W   1"}, ":5:48: error: expected round 1: the pair number of another player; found the player's own"),
        ({"r1": "W"}, ":5:48: error: expected round 1: W, L, D, X or F with the opponent's pair number, or a bye"),
        ({"r2": "?   2"}, ":5:54: error: expected round 2: W, L, D, X or F with the opponent's pair number, or a bye"),
        ({"r1": "H   4"}, ":5:48: error: expected round 1: no opponent of a bye; found 'H   4', taken as a bye"),
        ({"c2": "G"}, ":6:54: error: expected W or B, a colour; found 'G'"),
        ({"total": "many"}, ":5:42: error: expected points: a number; found 'many'"),
        ({"total": "3.5"}, ":5: warning: expected 2.5 points of no. 1; found 3.5 against 1 × D, 2 × W"),
        ({"ratings": "high"}, ":6:9: error: expected an id and ratings, such as 12345678 / R: 1500P7 ->1512P12"),
        ({"name": ""}, ":5:8: error: expected a player's name; found none; kept as no. 1"),
        ({"name": "cy  roe"}, ":14:9: error: expected each player once in a section; found 'CY ROE' again, after"),
    ],
)  # fmt: skip
def test_faults(write, cells, expected):
    history = load(write("spring.txt", changed(1, **cells)))
    assert any(problem.startswith(expected) for problem in told(history)), told(history)
    assert history.games["rated"].sum() >= 3


def test_two_of_one_name_play_their_own_games(write):
    history = load(write("spring.txt", changed(2, name="Cy Roe")))
    assert history.entries["player"].tolist() == ["TAMSIN, ORLA", "Cy Roe", "IDA MARL", "CY ROE (no. 4)"]
    assert history.games["player"].tolist().count("Cy Roe") == 2


@pytest.mark.parametrize(("one", "other", "first"), [("W", "W", None), ("B", "B", None), ("", "B", 1), ("", "", None)])
def test_colours(write, one, other, first):
    text = table([
        ("1", "UNA VALE", "1.0", ("W   2",), "1200", (one,)),
        ("2", "ODO WREN", "0.0", ("L   1",), "1100", (other,)),
    ])  # fmt: skip
    history = load(write("spring.txt", text))
    game = history.games.iloc[0]
    assert game["rated"] == 1
    assert (None if pd.isna(game["first"]) else game["first"]) == first
    assert len(history.problems) == (one == other != "")


def test_a_table_without_ratings_or_with_several(write):
    rows = (
        ("1", "UNA VALE", "1.0", ("W   2",), "", ("W",)),
        ("2", "ODO WREN", "0.0", ("L   1",), "1100", ("B",)),
    )
    text = (
        table(rows)
        .replace("R: 1100", "Q: 1100")
        .replace("N:2  |B    |\n", "N:2  |B    |\n      |  R: 1000 ->1001 |  |  |\n")
    )
    history = load(write("spring.txt", text))
    assert history.entries["rating"].fillna(-1).tolist() == [-1, 1100]
    assert history.entries["rating_kind"].fillna("").tolist() == ["", "quick"]
    assert told(history) == [":10: warning: expected two lines a player; found further lines, left out (line 10)"]


def test_lines_out_of_place(write):
    lines = table().splitlines()
    del lines[5]  # the second line of no. 1
    lines.insert(4, "   ON | lost |")
    lines.append(lines[-3].replace("CY ROE", "AY ROE"))
    found = told(load(write("spring.txt", "\n".join(lines))))
    for expected in (
        ":5: error: expected a player's first line",
        ":6: error: expected a second line of no. 1, with the ratings and colours; found none",
        ":17:5: error: expected a pair number, each once; found no. 4 again, after line 14; left out",
    ):
        assert any(problem.startswith(expected) for problem in found), found


def test_more_rounds_than_the_header_has(write):
    found = told(load(write("spring.txt", table(rounds=2))))
    assert found[0] == ":5:60: error: expected 2 rounds, as the header has; found more; left out"


def test_a_header_alone_and_a_forced_format(write):
    text = "\n".join(table().splitlines()[:4])
    with pytest.raises(InputError, match="expected players below the header"):
        load(write("spring.txt", text))
    with pytest.raises(InputError, match=r"expected a crosstable, which begins with Pair \| Player Name"):
        load(write("other.txt", "1 Tamsin 3"), format="uscf-crosstable")
    with pytest.raises(InputError, match="binary data"):
        load(write("other.txt", b"\x00\x01"), format="uscf-crosstable")


# --- there and back, and anything at all


@st.composite
def tournaments(draw):
    """Random pairings of 2 to 7 players; who is not paired has a bye: per round {number: (cell, colour)}."""
    count = draw(st.integers(2, 7))
    rounds = []
    for _ in range(draw(st.integers(1, 5))):
        order = draw(st.permutations(range(1, count + 1)))
        cells = {}
        for one, other in zip(order[::2], order[1::2], strict=False):
            code = draw(st.sampled_from("WLDXF"))
            back = {"W": "L", "L": "W", "D": "D", "X": "F", "F": "X"}[code]
            cells[one], cells[other] = (f"{code}{other:>4}", "W"), (f"{back}{one:>4}", "B")
        if count % 2:
            cells[order[-1]] = (draw(st.sampled_from("BHUZ")), "")
        rounds.append(cells)
    return count, rounds


@settings(deadline=None, max_examples=60)
@given(tournaments())
def test_every_game_once(tournament):
    """The obvious reading of the cells, one by one, against the tables."""
    count, rounds = tournament
    points = {"W": 1, "D": 0.5, "L": 0, "X": 1, "F": 0, "B": 1, "H": 0.5, "U": 0, "Z": 0}
    rows = []
    for n in range(1, count + 1):
        total = sum(points[cells[n][0][0]] for cells in rounds)
        mine = [cells[n] for cells in rounds]
        rows.append((str(n), f"PLAYER {chr(64 + n)}", str(total), [c for c, _ in mine], "1500", [c for _, c in mine]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spring.txt"
        path.write_text(table(rows))
        history = load(path)
    assert not history.problems
    expected = set()
    for round_, cells in enumerate(rounds, 1):
        for n, (cell, colour) in cells.items():
            opponent = cell[1:].strip()
            if not opponent:
                expected.add((round_, n, 0, points[cell], "bye", -1))
            elif n < int(opponent):
                status = "forfeit" if cell[0] in "XF" else "played"
                expected.add((round_, n, int(opponent), points[cell[0]], status, int(colour == "W")))
    number = {f"PLAYER {chr(64 + n)}": n for n in range(1, count + 1)}
    games = history.games
    columns = (games["round"], games["player"].map(number), games["opponent"].map(number).fillna(0), games["result"],
               games["status"], games["first"].fillna(-1))  # fmt: skip
    assert len(games) == len(expected)
    assert set(zip(*columns, strict=True)) == expected


@settings(deadline=None, max_examples=100)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 1000), st.integers(0, 30), st.binary(max_size=6) | st.sampled_from([b"|", b"\n", b"9"])
        ),
        min_size=1, max_size=6,
    )
)  # fmt: skip
def test_no_bytes_bring_the_reader_down(changes):
    content = table().encode()
    for at, length, put in changes:
        at = at * len(content) // 1000
        content = content[:at] + put + content[at + length :]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spring.txt"
        path.write_bytes(content)
        try:
            history = load(path, format="uscf-crosstable")
            published(path)
        except InputError as error:
            assert all(problem.expected and problem.found for problem in error.problems)  # noqa: PT017
            return
    check(history)
    assert_rated_games_are_whole(history)


# --- the real crosstable


@needs_shared
def test_the_real_crosstable_is_the_golden_one():
    """The golden file's own transcription of the same 64 lines: ratings, games, points and all 448 round cells."""
    path = SHARED / "chess" / "uscf_crosstable.txt"
    golden = pd.read_csv(SHARED / "golden" / "uscf_crosstable_b12.csv", dtype={f"r{i}": str for i in range(1, 8)})
    history, ratings = load(path), published(path)
    assert [problem.expected for problem in check(history)] == ["a date of uscf_crosstable"]
    for column, theirs in (("number", "no"), ("pre", "pre"), ("pre_games", "prior_games"), ("post", "post_published"),
                           ("post_games", "post_games")):  # fmt: skip
        assert ratings[column].astype(float).fillna(-1).tolist() == golden[theirs].astype(float).fillna(-1).tolist()
    number = dict(zip(ratings["player"], ratings["number"], strict=True))
    cells = {}
    for game in history.games.itertuples():
        mine, result = number[game.player], game.result
        if game.status == "bye":
            cells[mine, game.round] = {1: "B", 0.5: "H", 0: "U"}[result]
        elif pd.isna(game.opponent):
            cells[mine, game.round] = {1: "X", 0: "F"}[result]
        else:
            cells[mine, game.round] = f"{'LDW'[int(2 * result)]}{number[game.opponent]}"
            cells[number[game.opponent], game.round] = f"{'WDL'[int(2 * result)]}{mine}"
    assert len(cells) == 448
    for row in golden.itertuples():
        assert [cells[row.no, i] for i in range(1, 8)] == [getattr(row, f"r{i}") for i in range(1, 8)]
    rated = history.games[history.games["rated"].eq(1)]
    assert len(rated) == 204 == golden["games_rated"].sum() / 2
    assert rated["first"].notna().all()
    won = (
        rated.groupby("player")["result"]
        .sum()
        .add((1 - rated["result"]).groupby(rated["opponent"]).sum(), fill_value=0)
    )
    assert won.reindex(ratings["player"]).fillna(0).tolist() == golden["score_rated"].tolist()
    assert history.games["status"].value_counts().to_dict() == {"played": 204, "bye": 39, "forfeit": 1}
