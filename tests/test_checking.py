"""Checking a history: what shows only when everything is side by side."""

from dataclasses import replace

from ratinglab.checking import check
from ratinglab.formats import load


def put(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    return [str(p).replace(f"{folder.as_posix()}/", "") for p in check(load(folder))]


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
    assert len(found) == 1
    assert found[0].startswith("entries.csv:4: error: expected each person once in section A of e; found Orla Tamsin")


def test_a_player_twice_in_a_round(tmp_path):
    games = GAMES + "e,A,1,Orla Tamsin,Bram Quill,4,3\ne,A,1,Ida Marl,Orla Tamsin,4,3\ne,B,1,Orla Tamsin,Cy Roe,4,3\n"
    found = put(tmp_path, events="event,date\ne,2024-01-05\n", games=games)
    assert found == [
        "games.csv:3: warning: expected each player once in a round; found Orla Tamsin again in round 1 of e"
    ]


def test_players_that_may_be_one(tmp_path):
    games = GAMES + "e,A,1,Orla Tamsin,Bram Quill,4,3\ne,B,2,Orla Tamsim,Bram Quill,4,3\n"
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


DAY = "event,date\ne,2024-01-05\n"


def test_a_date_far_from_all_others(tmp_path):
    found = put(tmp_path, events="event,date\ne,2024-01-05\nf,2023-01-05\ng,1924-01-05\n")
    assert found == ["events.csv:4: warning: expected dates within 50 years of another event's; found g on 1924-01-05"]


def test_a_rating_far_below_the_others(tmp_path):
    entries = "event,section,player,rating\ne,A,Orla Tamsin,1500\ne,A,Bram Quill,1400\ne,A,Ida Marl,1\ne,B,Cy Roe,60\n"
    found = put(tmp_path, events=DAY, entries=entries)
    assert len(found) == 1
    assert found[0].startswith("entries.csv:4: warning: expected a rating like others of section A of e, usually 1400")


def test_a_small_rating_is_nothing_odd_where_ratings_go_below_0(tmp_path):
    players = [("A", 1400), ("B", 1300), ("C", 1500), ("D", 20)]
    rows = "".join(f"e,A,{name},{rating}\n" for name, rating in players)
    put(tmp_path, entries=f"event,section,player,rating\n{rows}")
    assert any("a rating like others" in problem.expected for problem in check(load(tmp_path)))
    put(tmp_path, entries=f"event,section,player,rating\n{rows}e,P,F,-40\ne,P,G,-120\n")
    assert not any("a rating like others" in problem.expected for problem in check(load(tmp_path)))


def test_low_ratings_that_others_lead_down_to(tmp_path):
    """A beginner among beginners is no slip; who is alone down there may be."""
    entries = "event,player,rating\ne,Orla,1500\ne,Bram,1400\ne,Cy,1300\ne,Ida,600\ne,Una,250\ne,Fenn,100\n"
    assert put(tmp_path, events=DAY, entries=entries) == []
    found = put(tmp_path, events=DAY, entries=entries.replace("e,Ida,600\ne,Una,250\n", ""))
    assert [problem.split(":")[1] for problem in found] == ["5"]


def test_a_rating_that_is_the_end_of_a_name(tmp_path):
    (tmp_path / "a.t").write_text("School 2   2; 400\nQuill 1400 1; 380\n")
    assert any(p.found == "2 of 'School': a slip, or the end of the name" for p in check(load(tmp_path)))


def test_ratings_beyond_all_ratings(tmp_path):
    entries = "event,section,player,rating\ne,A,Orla Tamsin,15000\ne,A,Bram Quill,14000\ne,A,Ida Marl,9999\n"
    found = put(tmp_path, events=DAY, entries=entries)
    assert found == [
        "entries.csv:2: warning: expected a rating up to 5000; found 15000 of 'Orla Tamsin' (and more on lines 3 and 4)"
    ]


def test_one_negative_rating_is_told_and_several_are_not(tmp_path):
    entries = "event,section,player,rating\ne,A,Orla Tamsin,-15\ne,A,Bram Quill,40\n"
    found = put(tmp_path, events=DAY, entries=entries)
    assert found == [
        "entries.csv:2: warning: expected a rating from 0 up, as all others' are; found -15 of 'Orla Tamsin'"
    ]
    assert put(tmp_path, entries=entries.replace("40", "-40")) == []


def test_scores_beyond_all_scores(tmp_path):
    games = GAMES + "e,A,1,Orla Tamsin,Bram Quill,4000,380\ne,A,2,Orla Tamsin,Bram Quill,1500,-600\n"
    assert put(tmp_path, events=DAY, games=games) == [
        "games.csv:2: warning: expected scores up to 2000; found 4000 to 380 of 'Orla Tamsin' in round 1 of e",
        "games.csv:3: warning: expected a spread up to 2000; found 1500 to -600 of 'Orla Tamsin' in round 2 of e",
    ]


def test_pairings_without_a_score(tmp_path):
    games = GAMES + "e,A,1,Orla Tamsin,Bram Quill,,\ne,A,2,Orla Tamsin,Bram Quill,,\ne,B,1,Ida Marl,Cy Roe,4,3\n"
    expected = "expected scores in section A of e; found pairings only: not played, or in progress"
    assert put(tmp_path, events=DAY, games=games) == [f"games.csv:2: warning: {expected}"]


def test_an_event_read_twice(tmp_path):
    division = "Orla Tamsin 1500 2; 400\nBram Quill 1400 1; 380\n"
    (tmp_path / "hill").mkdir()
    (tmp_path / "hill" / "a.t").write_text(division)
    (tmp_path / "hill" / "config.tsh").write_text("division Top a.t\nconfig event_date = '2024-01-05'\n")
    archive = "config event_date = '2024-01-05'\n#begin_file name=a.t\n" + division + "#end_file\n"
    (tmp_path / "other.tsh").write_text(archive)
    found = [p for p in check(load(tmp_path)) if p.expected == "each event once"]
    assert len(found) == 1
    assert "with the entrants and results of" in found[0].found
    (tmp_path / "other.tsh").write_text(archive.replace("380", "381"))
    assert not [p for p in check(load(tmp_path)) if p.expected == "each event once"]


def test_a_player_against_himself(tmp_path):
    games = GAMES + 'e,A,1,Orla Tamsin,"Tamsin, Orla",4,3\n'
    found = put(tmp_path, events=DAY, games=games)
    assert found == ["games.csv:2: error: expected two different players; found one player on both sides"]
    history = load(tmp_path)
    told = [p for p in check(replace(history, problems=())) if p.expected == "two different players"]
    assert [(p.line, p.found) for p in told] == [(2, "'Orla Tamsin' on both sides in round 1 of e")]


ENTRIES = "event,section,player,team\ne,A,Orla Tamsin,\ne,A,Bram Quill,\ne,C,Kid One,Hill\ne,C,Kid Two,Dale\n"


def test_players_and_sections_that_the_entries_do_not_have(tmp_path):
    games = GAMES + "e,A,1,Orla Tamsin,Ida Marl,4,3\ne,B,2,Bram Quill,Cy Roe,4,3\ne,C,1,Hill,Kid Two,4,3\n"
    found = [p for p in put(tmp_path, events=DAY, games=games, entries=ENTRIES) if "once in section" not in p]
    assert found == [
        "games.csv:2: warning: expected a player of section A of e in entries.csv; "
        "found 'Ida Marl'; rated as a newcomer",
        "games.csv:3: error: expected a section of e with entries; "
        "found B for 'Bram Quill', who is entered in section A",
        "games.csv:4: error: expected a team of section C of e; found 'Kid Two', a member of 'Dale'",
    ]


def test_aliases_that_contradict_each_other(tmp_path):
    aliases = "alias,player\nIda M,Ida Marl\nIda M,Ida Morl\nBo,Bo\nUna,Ena\nEna,Ona\nOna,Una\n"
    found = put(tmp_path, events=DAY, aliases=aliases)
    assert found == [
        "aliases.csv:3: error: expected one person for the alias 'Ida M'; "
        "found 'Ida Morl' here and 'Ida Marl' in aliases.csv:2",
        "aliases.csv:4: warning: expected an alias of another name; found 'Bo' of itself",
        "aliases.csv:5: error: expected aliases that end in a person; "
        "found 'Una' is 'Ena' is 'Ona' is 'Una', on lines 5, 6 and 7",
    ]


def test_an_alias_of_somebody_who_plays_beside_the_person(tmp_path):
    entries = "event,section,player\ne,A,Orla Tamsin\ne,A,Bram Quill\n"
    found = put(tmp_path, events=DAY, entries=entries, aliases="alias,player\nBram Quill,Orla Tamsin\n")
    assert any(p.startswith("aliases.csv:2: error: expected an alias of somebody who does not play") for p in found)
