"""Report files written: exact by column, the same when read again, accepted by a checker of the Dutch system.

"Accepted" means here, of py4swiss (the Dutch rules in force until January 2026): its strict parser takes the file, its
own checks of points, numbers and both sides of each game hold, and for every round played its engine makes, from the
rounds before as we wrote them, the very pairs and colours that the file has.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from making import SHARED, needs_shared

from ratinglab.decode import decode
from ratinglab.formats import load
from ratinglab.formats.trf import tournament
from ratinglab.formats.trf_records import Bye, Cell, Forbidden, Player, Points, Team, Tournament
from ratinglab.formats.trf_writing import text_of, tournament_of, with_round
from ratinglab.problems import UsageError

SURNAMES = ("Ashdown", "Brock", "Çarne", "Dray", "Elm", "Fenn", "Gorse", "Háll", "Ivy", "Jarrow")
ANSWERS = {"1": "0", "=": "=", "0": "1", "W": "L", "L": "W", "D": "D", "+": "-", "-": "+", "--": "-", "": ""}


@st.composite
def tournaments(draw):
    """Drawn round by round: every player meets somebody or has a bye, until a round that is only paired, or ahead."""
    n = draw(st.integers(2, 9))
    rounds = draw(st.integers(0, 4))
    cells = [[] for _ in range(n)]
    for round_ in range(rounds):
        last = round_ == rounds - 1
        order = draw(st.permutations(range(n)))
        games = draw(st.integers(1, n // 2))
        codes = st.sampled_from(list(ANSWERS)[:-1]) if not last or draw(st.booleans()) else st.just("")
        for k in range(games):
            one, other = order[2 * k : 2 * k + 2]
            code, white = draw(codes), draw(st.booleans())
            cells[one].append(Cell(other + 1, "w" if white else "b", code[:1]))
            cells[other].append(Cell(one + 1, "b" if white else "w", ANSWERS[code]))
        byes = st.sampled_from("HFZ+-")
        for at, i in enumerate(order[2 * games :]):
            cells[i].append(Cell(None, "-", "U" if at == 0 and draw(st.booleans()) else draw(byes)))
    worth = dict(Points().worth)
    if draw(st.booleans()):
        worth |= dict.fromkeys(("WW", "BW", "FW", "FPB"), 3.0) | dict.fromkeys(("WD", "BD", "HPB"), 1.0)
        worth["PAB"] = draw(st.sampled_from([1.0, 3.0]))
    text = st.sampled_from(["", "ENG", "TUR"])
    players = tuple(
        Player(
            i + 1, f"{SURNAMES[i]}, {draw(st.sampled_from(['Wren', 'Zoë', 'Ola Mae']))}", tuple(cells[i]),
            sex=draw(st.sampled_from(["", "m", "w"])), title=draw(st.sampled_from(["", "g", "WFM"])),
            rating=draw(st.none() | st.integers(1, 2999)), federation=draw(text),
            fide_id=draw(st.sampled_from(["", "13400304", "12345678901"])),
            born=draw(st.sampled_from(["", "1990/05/21", "0000/00/00"])), rank=draw(st.integers(1, n)),
        )
        for i in range(n)
    )  # fmt: skip
    numbers = st.lists(st.integers(1, n), min_size=2, max_size=3, unique=True).map(tuple)
    ahead = st.builds(Bye, st.sampled_from("HF"), st.just(rounds + 1), st.integers(1, n))
    return Tournament(
        players,
        (("012", "The Harbour Open"), ("042", "2024/03/02")),
        draw(st.sampled_from([(), (("202", "BH,SB"), ("###", "at ten")), (("250", "     01.0 001 002 0001 0002"),)])),
        rounds + draw(st.integers(1, 2)),
        Points(worth),
        draw(st.sampled_from([None, True, False])),
        tuple(draw(st.lists(ahead, max_size=2))),
        tuple(draw(st.lists(st.builds(Forbidden, numbers), max_size=2))),
        tuple(draw(st.lists(st.builds(Team, st.just("Mill Lane"), numbers), max_size=1))),
    )  # fmt: skip


def grouped(byes):
    return sorted((bye.code, bye.round, bye.number) for bye in byes)


def held(made):
    """Who is not to meet, round by round: TRF26 has no record that holds to the end."""
    return [[(one.numbers, one.holds(round_)) for one in made.forbidden] for round_ in range(1, made.rounds + 1)]


def tables(history):
    """What a history holds, without where it was read; games in an order of their own."""
    made = {}
    for name, table in history.tables().items():
        kept = table.drop(columns=[column for column in ("file", "line", "source") if column in table.columns])
        kept = kept.sort_values(["round", "player"], ignore_index=True) if name == "games" else kept
        made[name] = kept
    return made


def assert_same(one, other):
    left, right = tables(one), tables(other)
    for name, table in left.items():
        pd.testing.assert_frame_equal(table, right[name], obj=name)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tournaments(), st.sampled_from([16, 26]))
def test_written_records_read_as_the_same_records(made, version):
    text = text_of(made, version)
    again, faults = tournament(text)
    assert faults.found == []
    stripped = tuple(replace(player, points=None) for player in again.players)
    assert stripped == made.players
    assert grouped(again.byes) == grouped(made.byes)
    bare = {"players": (), "byes": (), "forbidden": ()}
    assert replace(again, **bare) == replace(made, **bare)
    assert held(again) == held(made)
    assert text_of(again, version) == text


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(made=tournaments(), version=st.sampled_from([16, 26]))
def test_a_history_is_the_same_when_written_and_read_again(tmp_path, made, version):
    path = tmp_path / "harbour.trf"
    path.write_bytes(text_of(replace(made, points=Points())).encode())
    history = load(path)
    path.write_bytes(text_of(tournament_of(history, "harbour"), version).encode())
    again = load(path)
    assert_same(history, again)
    assert [p for p in again.problems if p.severity == "error"] == []


def test_every_field_stands_in_its_columns():
    """The columns of FIDE's table, counted from 1, and CR LF at the end of each line."""
    one = Player(
        7, "Ashdown, Wren", (Cell(12, "w", "1"), Cell(None, "-", "U"), None, Cell(12, "b", "")), "w", "WFM", 1810,
        "ENG", "13400304", "1990/05/21", rank=3,
    )  # fmt: skip
    two = Player(12, "B" * 33, (Cell(7, "b", "0"), None, None, Cell(7, "w", "")), rating=99)
    text = text_of(Tournament((one, two), (("012", "The Harbour Open"),), rounds=5))
    lines = text.split("\r\n")
    assert lines[0] == "012 The Harbour Open"
    assert lines[1] == "XXR 5"
    assert lines[-1] == ""
    fields = {
        (1, 3): "001", (5, 8): "   7", (10, 10): "w", (11, 13): "WFM", (15, 47): "Ashdown, Wren".ljust(33),
        (49, 52): "1810", (54, 56): "ENG", (58, 68): "   13400304", (70, 79): "1990/05/21", (81, 84): " 2.0",
        (86, 89): "   3", (92, 95): "  12", (97, 97): "w", (99, 99): "1", (102, 105): "0000", (107, 107): "-",
        (109, 109): "U", (112, 119): " " * 8, (122, 127): "  12 b",
    }  # fmt: skip
    for (first, last), wanted in fields.items():
        assert lines[2][first - 1 : last] == wanted, (first, last)
    assert len(lines[2]) == 127
    taken = {column for first, last in fields for column in range(first, last + 1)}
    assert all(lines[2][column - 1] == " " for column in range(1, 128) if column not in taken)
    assert lines[3][48:52] == "  99"
    assert lines[3][80:89] == " 0.0    2"  # no rank given: second by points


def test_the_records_of_each_version():
    players = tuple(Player(n, SURNAMES[n], (Cell(3 - n, "wb"[n - 1], "="),)) for n in (1, 2))
    worth = (
        dict(Points().worth)
        | dict.fromkeys(("WW", "BW", "FW", "FPB", "PAB"), 3.0)
        | dict.fromkeys(("WD", "BD", "HPB"), 1.0)
    )
    made = Tournament(
        players, rounds=4, points=Points(worth), white_first=False, byes=(Bye("Z", 0, 2), Bye("H", 3, 1)),
        forbidden=(Forbidden((1, 2)), Forbidden((2, 1), 2, 3)), teams=(Team("Mill Lane", (1, 2)),),
    )  # fmt: skip
    old, new = (text_of(made, version).split("\r\n") for version in (16, 26))
    assert [line for line in old if not line.startswith("001")] == [
        "XXR 4", "XXC black1",
        "XXS WW=3.0 BW=3.0 WD=1.0 BD=1.0 WL=0.0 BL=0.0 ZPB=0.0 HPB=1.0 FPB=3.0 PAB=3.0 FW=3.0 FL=0.0",
        f"013 {'Mill Lane':32s}   1    2", "XXZ 2", "240 H 003    1", "XXP 1 2", "260 002 003    2    1", "",
    ]  # fmt: skip
    assert [line for line in new if not line.startswith("001")] == [
        "142 4", "152 B", "162  W  3.0    D  1.0    L  0.0    A  0.0    P  3.0",
        "310   1 Mill Lane".ljust(73) + "   1    2", "240 Z 002    2", "240 H 003    1", "260 001 004    1    2",
        "260 002 003    2    1", "",
    ]  # fmt: skip
    assert old[3][80:84] == " 1.0"
    uneven = replace(made, points=Points(worth | {"BW": 2.0}))
    with pytest.raises(UsageError, match="TRF26 has one figure for WW, BW, FW, FPB; write it as TRF16"):
        text_of(uneven, 26)


def test_what_does_not_fit_is_refused_all_at_once():
    long, big = Player(1, "W" * 34), Player(10000, "Elm", rating=12345)
    with pytest.raises(
        UsageError, match=r"name of at most 33 .* no. 1 .*; number of at most 4 .*; rating of at most 4 "
    ):
        text_of(Tournament((long, big)))
    with pytest.raises(UsageError, match="TRF16 or TRF26; found 06"):
        text_of(Tournament((Player(1, "Elm"),)), "06")
    with pytest.raises(UsageError, match="at least one player"):
        text_of(Tournament(()))


def test_a_history_of_another_format(write):
    """Spreads have no place; the only one-point bye of a round is the pairing's, of several none is."""
    path = write(
        "club/games.csv",
        "event,round,white,black,result\nautumn,1,Wren Ashdown,Odo Brock,1 - 0\nautumn,1,Isa Carne,BYE,1\n"
        "autumn,2,Isa Carne,Wren Ashdown,½ - ½\nautumn,2,Odo Brock,BYE,½\nautumn,3,Odo Brock,BYE,1\n"
        "autumn,3,Isa Carne,BYE,1\nautumn,3,Wren Ashdown,BYE,0\nautumn,4,Odo Brock,Wren Ashdown,0F-0F\n",
    )
    history = load(path)
    made = tournament_of(history, "autumn")
    cells = {player.name: [str(cell) for cell in player.cells] for player in made.players}
    assert cells == {
        "Wren Ashdown": ["   2 w 1", "   3 b =", "0000 - Z", "   2 b -"],
        "Odo Brock": ["   1 b 0", "0000 - H", "0000 - F", "   1 w -"],
        "Isa Carne": ["0000 - U", "   1 w =", "0000 - F"],
    }
    assert [player.rank for player in made.players] == [2, 3, 1]
    club = load(Path(path).parent, format="club-chess")
    written = write("autumn.trf", text_of(made))
    again = load(written)
    columns = ["round", "player", "opponent", "result", "status", "rated"]
    left, right = (tables(h)["games"][columns] for h in (club, again))
    turned = right[right["player"].isin(left["player"])]
    assert len(turned) == len(left) + 1  # who is not in round 4 at all is absent from it
    with pytest.raises(UsageError, match="no section B in autumn"):
        tournament_of(history, "autumn", "B")


def test_what_a_report_file_has_no_place_for(write):
    path = write(
        "games.csv",
        "event,round,player,opponent,result,status\nx,1,Elm,Fenn,1,played\nx,1,Elm,Gorse,1,played\n"
        "x,2,Elm,Fenn,0.5,forfeit\n",
    )
    with pytest.raises(UsageError, match=r"no place for Elm twice in round 1; a forfeit worth 0\.5 of Elm in round 2"):
        tournament_of(load(path), "x")


# --- one more round ---------------------------------------------------------------------------------------------------

THREE = text_of(
    Tournament(
        (
            Player(1, "Ashdown, Wren", (Cell(2, "w", "1"),), rank=1),
            Player(2, "Çelik, Zoë", (Cell(1, "b", "0"),), rank=3),
            Player(3, "Carne, Isa", (Cell(None, "-", "U"),), rank=1),
        ),
        rounds=3,
    )
)  # fmt: skip


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_a_round_goes_into_the_columns_after_the_last(write, end):
    text = "### kept\r\n" + THREE + "XXP 1 2   \r\n\r\nBYE 3\r\n"
    text = text.replace("\r\n", end)
    written = with_round(text, 2, {1: 3, 3: 1, 2: 0}, {1: False, 3: True})
    before, after = text.split(end), written.split(end)
    at = [i for i, line in enumerate(before) if line.startswith("001")]
    assert [line for i, line in enumerate(after) if i not in at] == [
        line for i, line in enumerate(before) if i not in at
    ]
    assert [after[i][101:] for i in at] == ["   3 b", "0000 - U", "   1 w"]
    assert [after[i][:101].rstrip() for i in at] == [before[i] for i in at]
    games = load(write("h.trf", written.encode())).games
    second = games[games["round"].eq(2) & games["opponent"].notna()].iloc[0]
    assert (second["player"], second["opponent"], second["first"], second["status"]) == (
        "Ashdown, Wren", "Carne, Isa", 0, "unknown",
    )  # fmt: skip


def test_a_round_after_a_name_counted_in_bytes():
    lines = THREE.split("\r\n")
    spare = len("Çelik, Zoë".encode()) - len("Çelik, Zoë")
    at = next(i for i, line in enumerate(lines) if "Çelik" in line)
    lines[at] = lines[at][: 47 - spare] + lines[at][47:]
    written = with_round("\r\n".join(lines), 2, {2: 3, 3: 2, 1: 0}, {2: True, 3: False}).split("\r\n")
    assert len(written[at].encode()) == 107
    assert written[at].endswith("   3 w")


def test_a_round_that_cannot_be_put_in():
    paired = with_round(THREE, 2, {1: 3, 3: 1}, byes={2: "H"})
    assert paired.split("\r\n")[2].endswith("0000 - H")
    with pytest.raises(UsageError, match="round 2 is paired in the report file already"):
        with_round(paired, 2, {1: 2, 2: 1})
    again = with_round(paired, 2, {1: 2, 2: 1}, replace=True)
    assert again == with_round(THREE, 2, {1: 2, 2: 1})  # no. 3 is left without the pair that is replaced
    for round_, told in ((1, "round 1 has results"), (3, "the next round of the report file is 2; found round 3")):
        with pytest.raises(UsageError, match=told):
            with_round(THREE, round_, {1: 2, 2: 1}, replace=True)
    with pytest.raises(UsageError, match="no start number 4, 9"):
        with_round(THREE, 2, {1: 9, 4: 1})
    ahead = THREE.replace("0000 - U", "0000 - U" + " " * 12 + "0000 - H")
    with pytest.raises(UsageError, match="says something of round 3 already"):
        with_round(ahead, 2, {1: 2, 2: 1})


# --- a checker of the Dutch system, and real files --------------------------------------------------------------------


def rounds_agreed(made, path):
    """For each round played, whether py4swiss's Dutch engine makes its pairs from the rounds before, as written."""
    engines = pytest.importorskip("py4swiss.engines")
    from py4swiss.trf import TrfParser

    top = next(cell for player in made.players if (cell := player.cell(1)) is not None and cell.opponent is not None)
    made = replace(made, white_first=top.colour == "w")
    path.write_bytes(text_of(made).encode())
    TrfParser.parse(path, strict=True)
    agreed = []
    for round_ in range(1, made.played + 1):
        before = tuple(replace(player, cells=player.cells[: round_ - 1]) for player in made.players)
        path.write_bytes(text_of(replace(made, players=before, rounds=made.rounds or made.listed)).encode())
        pairs = engines.DutchEngine.generate_pairings(TrfParser.parse(path, strict=True))
        there = ((player.number, player.cell(round_)) for player in made.players)
        real = {(n, cell.opponent or 0) for n, cell in there if cell.colour == "w" or cell.code == "U"}
        agreed.append({(pair.white, pair.black) for pair in pairs} == real)
    return agreed


def test_a_checker_accepts_what_dutch_paired_and_we_wrote(tmp_path):
    """An event of nine players paired round by round by our `dutch`, each round written into the file."""
    pytest.importorskip("py4swiss")
    from ratinglab.pairing import parse
    from ratinglab.pairing.real import next_round

    path = tmp_path / "harbour.trf"
    players = tuple(Player(n, SURNAMES[n], rating=2000 - 10 * n) for n in range(1, 10))
    path.write_bytes(text_of(Tournament(players, rounds=5)).encode())
    results = "10=1=01=10"
    for round_ in range(1, 6):
        made = next_round(load(path), "harbour", "main", parse("dutch:start=white"))
        opponent, first = made.made.opponent[0].tolist(), made.made.first[0].tolist()
        pairs = {i + 1: j + 1 for i, j in enumerate(opponent)}
        text = with_round(path.read_bytes().decode(), round_, pairs, {i + 1: w > 0 for i, w in enumerate(first) if w})
        records, _ = tournament(text)

        def played(cell, number, at=round_):
            if cell is None or cell.opponent is None or cell.code:
                return cell
            code = results[(min(number, cell.opponent) + at) % len(results)]
            return replace(cell, code=code if number < cell.opponent else ANSWERS[code])

        done = tuple(replace(p, cells=tuple(played(c, p.number) for c in p.cells)) for p in records.players)
        path.write_bytes(text_of(replace(records, players=done)).encode())
    assert rounds_agreed(tournament(path.read_bytes().decode())[0], path) == [True] * 5


@needs_shared
@pytest.mark.parametrize(
    ("name", "agreed"),
    [
        ("generated/bbp_50_1.trf", [True] * 9),
        ("generated/tamper.trf", [True] * 4 + [False] + [True] * 4),  # pairs of round 5 were exchanged in it
        ("bbp/dutch_2025_C5.input", [True] * 2),
        ("dubov/issue4.trf", [True] * 2),
    ],
)
def test_a_checker_accepts_the_rounds_of_real_files_after_our_round_trip(tmp_path, name, agreed):
    """The reference program generated bbp_50_1: py4swiss agrees on all rounds, before and after."""
    made, _ = tournament(decode((SHARED / "trf" / name).read_bytes()))
    assert rounds_agreed(made, tmp_path / "x.trf") == agreed


@needs_shared
@pytest.mark.parametrize("version", [16, 26])
def test_every_public_file_is_the_same_when_written_and_read_again(tmp_path, version):
    """As records, and as a history: but for the name that an event without one gets from its file."""
    files = [p for p in sorted((SHARED / "trf").glob("*/*")) if p.suffix in (".trf", ".input")]
    assert len(files) == 39
    for file in files:
        history = load(file)
        made, _ = tournament(decode(file.read_bytes()))
        path = tmp_path / f"{file.stem}.trf"
        path.write_bytes(text_of(made, version).encode())
        assert_same(history, load(path))
        path.write_bytes(text_of(tournament_of(history, file.stem), version).encode())
        assert_same(
            replace(history, events=history.events.assign(name=history.events["name"].fillna(file.stem))), load(path)
        )
