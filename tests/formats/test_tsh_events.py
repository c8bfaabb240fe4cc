"""TSH events: their configuration, archives, and the members of teams."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from saying import TWO, errors, lines, warnings

from ratinglab.checking import check
from ratinglab.formats import load
from ratinglab.formats.tsh_config import literal

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


@pytest.mark.parametrize(
    ("line", "severity", "said"),
    [
        ("config tfile_encoding = 'klingon'", "error", "expected tfile_encoding: a known encoding"),
        ("config rating_system = 'fancy'", "warning", "expected a known rating system"),
        ("config max_rounds = 3", "warning", "one value of max_rounds; found another than on line 1; the last holds"),
        ("config event_name = 'Dale'", "warning", "one value of event_name; found another than on line 2"),
        (
            "division B ./a.t",
            "error",
            "a file of its own for division B; found ./a.t, of division A on line 3; read once",
        ),
    ],
)
def test_settings_that_contradict_or_nobody_knows_have_their_line(write, line, severity, said):
    write("e/a.t", TWO)
    text = f"config max_rounds = 2\nconfig event_name = 'Hill'\ndivision A a.t\n{line}\n"
    history = load(write("e/config.tsh", text).parent)
    found = [p for p in check(history) if p.file.endswith("config.tsh") and "a date of" not in p.expected]
    assert [(p.line, p.severity) for p in found] == [(4, severity)]
    assert said in str(found[0])
    assert history.entries["section"].unique().tolist() == ["A"]


def test_one_file_of_an_archive_for_two_divisions(write):
    text = f"division Top A.t\ndivision Low a.t\n#begin_file name=A.t\n{TWO}#end_file\n"
    history = load(write("hill.tsh", text))
    assert history.entries["section"].unique().tolist() == ["Top"]
    assert any("hill.tsh:2: error: expected a file of its own for division Low" in e for e in errors(history))


def test_what_stands_in_place_of_a_division_file(write):
    write("e/a.t", TWO)
    folder = write("e/config.tsh", lines("division A a.t", "division B b.t", "division C c.t")).parent
    (folder / "b.t").mkdir()
    (folder / "c.t").symlink_to("gone.t")
    found = errors(load(folder))
    assert any("config.tsh:2: error: expected the file of division B; found b.t, a folder" in e for e in found)
    assert any("config.tsh:3" in e and "c.t, a link to a file that is not there" in e for e in found)


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
    assert len([w for w in warnings(history) if "5 without one, on lines 1, 2 and 3" in w]) == 1


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


def members(write, *names):
    write("e/a.t", lines("School A 1500+40 2; 400", "School B 1400+50 1; 380"))
    write("e/members.csv", lines("section,number,player", *(f"A,{i},{name}" for i, name in enumerate(names, 1))))
    return load(write("e/config.tsh", "division A a.t\n").parent)


def test_teams_of_one_by_their_members(write):
    history = members(write, "Ada Marl", "Bo Dunn")
    assert history.entries["team"].tolist() == ["School A", "School B"]
    assert history.entries["player"].tolist() == ["Ada Marl", "Bo Dunn"]
    assert history.entries["deviation"].tolist() == [40, 50]
    assert not errors(history)


@pytest.mark.parametrize(
    ("names", "lines_"), [(("school a", "School B"), []), (("School A", "Bo Dunn"), [3]), (("Ada Marl",), [2])]
)
def test_members_called_as_their_lines_are_individuals_and_others_are_slips(write, names, lines_):
    history = members(write, *names)
    assert history.entries["team"].isna().all()
    assert history.entries["player"].tolist() == ["School A", "School B"]
    found = [p for p in history.problems if p.severity == "error"]
    assert [p.line for p in found] == lines_
    assert all(p.file.endswith("members.csv") and "as the player's line" in p.expected for p in found)


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
