"""Checking a history: what shows only when everything is side by side."""

from ratinglab.checking import check
from ratinglab.formats import load


def put(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    return [str(p).removeprefix(f"{folder.as_posix()}/") for p in check(load(folder))]


GAMES = "event,section,round,player,opponent,score,opponent_score\n"


def test_nothing_wrong(tmp_path):
    assert (
        put(tmp_path, events="event,date,rounds\ne,2024-01-05,1\n", games=GAMES + "e,A,1,Orla Tamsin,Bram Quill,4,3\n")
        == []
    )


def test_an_event_without_a_date(tmp_path):
    found = put(tmp_path, events="event,name\ne,The Open\n", games=GAMES + "e,A,1,Orla Tamsin,Bram Quill,4,3\n")
    assert found == ["events.csv:2: warning: expected a date of e; found none; it comes after all dated events"]


def test_a_date_that_cannot_be_read_is_told_once(tmp_path):
    found = put(tmp_path, events="event,date\ne,soon\n", games=GAMES + "e,A,1,Orla Tamsin,Bram Quill,4,3\n")
    assert len(found) == 1
    assert found[0].startswith("events.csv:2:2: error: expected date: a date such as")


def test_an_event_that_ends_before_it_begins(tmp_path):
    found = put(tmp_path, events="event,date,end_date\ne,2024-01-05,2024-01-04\n")
    assert found == ["events.csv:2: error: expected e to end on or after 2024-01-05; found 2024-01-04"]


def test_a_system_nobody_knows(tmp_path):
    found = put(tmp_path, events="event,date,system\ne,2024-01-05,fancy\nf,2024-01-05,NSA2008\n")
    assert found == [
        "events.csv:2: warning: expected a known rating system such as nsa2008, naspa-csw, glixo or none; found 'fancy'"
    ]


def test_rounds_beyond_the_last(tmp_path):
    events = "event,date,rounds\ne,2024-01-05,2\n"
    games = GAMES + "e,A,3,Orla Tamsin,Bram Quill,4,3\ne,B,3,Ida Marl,Cy Roe,4,3\n"
    found = put(tmp_path, events=events, games=games, divisions="event,section,rounds\ne,B,3\n")
    assert found == ["games.csv:2: warning: expected at most 2 rounds in e; found a game of round 3"]


def test_a_player_twice_in_a_section(tmp_path):
    entries = 'event,section,player\ne,A,Orla Tamsin\ne,B,Orla Tamsin\ne,A,"TAMSIN, Orla"\n'
    found = put(tmp_path, events="event,date\ne,2024-01-05\n", entries=entries)
    assert found == [
        "entries.csv:4: error: expected each player once in section A of e; found Orla Tamsin again, first on line 2"
    ]


def test_a_player_twice_in_a_round(tmp_path):
    games = GAMES + "e,A,1,Orla Tamsin,Bram Quill,4,3\ne,A,1,Ida Marl,Orla Tamsin,4,3\ne,B,1,Orla Tamsin,Cy Roe,4,3\n"
    found = put(tmp_path, events="event,date\ne,2024-01-05\n", games=games)
    assert found == [
        "games.csv:3: warning: expected each player once in a round; found Orla Tamsin again in round 1 of e"
    ]


def test_players_that_may_be_one(tmp_path):
    games = GAMES + "e,A,1,Orla Tamsin,Bram Quill,4,3\ne,A,2,Orla Tamsim,Bram Quill,4,3\n"
    found = put(tmp_path, events="event,date\ne,2024-01-05\n", games=games)
    assert len(found) == 1
    assert found[0].startswith("games.csv:3: warning: expected one spelling of a name")
    found = put(tmp_path, aliases="alias,player\nOrla Tamsim,Orla Tamsin\n")
    assert found == []


def test_members_and_teams_without_a_name_are_no_people(tmp_path):
    (tmp_path / "a.t").write_text("Hill End 0+0+0 2; 400\nHill Ent 0+0+0 1; 380\n")
    assert not [p for p in check(load(tmp_path)) if "one spelling" in p.expected]


def test_problems_come_once_and_in_order(tmp_path):
    (tmp_path / "b.t").write_text("Tamsin 1500 9 2; 400 x\nQuill 1400 0 1; 50 380\n")
    (tmp_path / "a.t").write_text("Tamsin 1500 9; 400\n")
    found = check(load(tmp_path))
    assert list(found) == sorted(set(found))
    assert [p.file[-3:] for p in found] == ["a.t"] * 2 + ["b.t"] * 4
