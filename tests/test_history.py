"""The door: one name for one person, an entry for every side, events in time order."""

import pandas as pd
import pytest

from ratinglab.formats.common import frame
from ratinglab.history import Parsed, Source, assemble
from ratinglab.problems import UsageError


def part(**tables):
    return Parsed({name: frame(name, rows) for name, rows in tables.items()}, sources=(Source("x", "0"),))


def game(event, player, opponent, section="A", round_=1):
    return {"event": event, "section": section, "round": round_, "player": player, "opponent": opponent, "rated": 1}


def test_people_go_by_the_name_first_written():
    history = assemble(
        [part(games=[game("e", "Tamsin,  Orla :AA001234", "Bram Quill"), game("f", "orla tamsin", "Quill, Bram")])]
    )
    assert history.games["player"].tolist() == ["Tamsin, Orla"] * 2
    assert history.games["opponent"].tolist() == ["Bram Quill"] * 2


def test_an_alias_stands_for_its_person_through_any_chain():
    aliases = [{"alias": "O. Tamsin", "player": "Orla Tamson"}, {"alias": "Orla Tamson", "player": "Orla Tamsin"}]
    history = assemble([part(games=[game("e", "O. Tamsin", "Q"), game("f", "Orla Tamsin", "Q")], aliases=aliases)])
    assert history.games["player"].tolist() == ["Orla Tamsin"] * 2


def test_aliases_in_a_circle_end():
    aliases = [{"alias": "A", "player": "B"}, {"alias": "B", "player": "A"}]
    assert len(assemble([part(games=[game("e", "A", "C")], aliases=aliases)]).games) == 1


def test_every_side_of_a_game_has_an_entry_with_a_number():
    entries = [{"event": "e", "section": "A", "number": 7, "player": "P"}]
    history = assemble([part(games=[game("e", "P", "Q"), game("e", "R", None)], entries=entries)])
    assert history.entries[["player", "number"]].to_numpy().tolist() == [["P", 7], ["Q", 8], ["R", 9]]


def test_a_team_plays_under_its_own_name():
    entries = [
        {"event": "e", "section": "A", "number": 1, "player": "Ada", "team": "Hill"},
        {"event": "e", "section": "A", "number": 1, "player": "Bo", "team": "Hill"},
        {"event": "e", "section": "A", "number": 2, "player": "Cy", "team": "Dale"},
    ]
    history = assemble([part(games=[game("e", "Hill", "Dale")], entries=entries)])
    assert history.games[["player", "opponent"]].to_numpy().tolist() == [["Hill", "Dale"]]
    assert history.entries["player"].tolist() == ["Ada", "Bo", "Cy"]


DATED = [
    {"event": "none"},
    {"event": "late", "date": pd.Timestamp("2024-05-01"), "end_date": pd.Timestamp("2024-05-03")},
    {"event": "early", "date": pd.Timestamp("2024-05-02")},
    {"event": "old", "end_date": pd.Timestamp("1999-01-01")},
]


def test_events_are_in_the_order_in_which_they_end():
    events = assemble([part(events=DATED)]).events
    assert events["event"].tolist() == ["old", "early", "late", "none"]
    assert events["date"].iloc[0] == events["end_date"].iloc[0]


def test_a_part_of_a_history():
    history = assemble([part(events=DATED, games=[game("late", "P", "Q"), game("old", "P", "Q")])])
    assert history.only(["old"]).games["event"].tolist() == ["old"]
    assert history.between("2000-01-01").events["event"].tolist() == ["early", "late"]
    assert history.between(None, "2024-05-02").events["event"].tolist() == ["old", "early"]
    assert history.between() is history
    with pytest.raises(UsageError, match="no event new; the events are: old, early, late, none"):
        history.only(["new"])


def test_sources_come_once():
    assert assemble([part(events=DATED), part(events=DATED)]).sources == (Source("x", "0"),)


def test_everybody_placed_has_an_entry_in_the_section_they_are_of():
    placings = [{"event": "e", "player": p, "nationality": "FR", "place": i} for i, p in enumerate("PQRST", 1)]
    entries = [
        {"event": "e", "section": "B", "number": 3, "player": "Q"},
        {"event": "f", "section": "main", "number": 1, "player": "P"},
        {"event": "e", "section": "C", "number": 1, "player": "X", "team": "T"},
    ]
    games = [game("e", "R", "U", "A"), game("e", "S", "P", "main")]
    found = assemble([part(placings=placings, entries=entries, games=games)]).entries
    assert found[["event", "section", "number", "player"]].to_numpy().tolist() == [
        ["e", "B", 3, "Q"],
        ["f", "main", 1, "P"],
        ["e", "C", 1, "X"],
        ["e", "main", 1, "P"],
        ["e", "main", 2, "S"],
        ["e", "A", 1, "R"],
        ["e", "A", 2, "U"],
    ]
    assert found["nationality"].fillna("").tolist() == ["", "", "", "FR", "FR", "", ""]


def test_nobody_is_placed_twice_in_an_event():
    placings = [
        {"event": event, "player": player, "place": place, "file": "p.csv", "line": line}
        for line, (event, player, place) in enumerate([("e", "A B", 1), ("e", "B, a", 2), ("f", "A B", 1)], 2)
    ]
    history = assemble([part(placings=placings)])
    assert history.placings["player"].tolist() == ["A B", "A B (again)", "A B"]
    assert history.entries["player"].tolist() == ["A B", "A B (again)", "A B"]
    assert [str(p) for p in history.problems] == [
        "p.csv:3: error: expected each person once in the placings of e; found A B again; kept as A B (again)"
    ]


def test_a_number_of_ones_own_is_kept_where_others_have_none() -> None:
    """The second of two entries of a name keeps its number, though another event's entries have none."""
    entries = pd.DataFrame(
        {
            "event": ["e1", "e1", "e1", "e2"],
            "player": ["Ada Zelm", "Bo Lunt", "Bo Lunt", "Ada Zelm"],
            "number": pd.array([5, 6, 49, None], dtype="Int64"),
        }
    )
    made = assemble([Parsed({"entries": entries})]).entries
    assert made["number"].tolist() == [5, 6, 49, 1]
    assert made["player"].tolist()[2] == "Bo Lunt (no. 49)"
