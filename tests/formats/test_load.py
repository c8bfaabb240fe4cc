"""Loading: what is walked, recognised, passed over, refused; and that no bytes at all make it fall over."""

import os
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ratinglab.checking import check
from ratinglab.formats import FORMATS, load
from ratinglab.problems import InputError, UsageError

TWO = "Tamsin 1500 2; 400\nQuill 1400 1; 380\n"
CONFIG = "division A a.t\nconfig event_name = 'The Open'\nconfig event_date = '2024-03-02'\n"


def said(history, severity):
    return [str(p) for p in history.problems if p.severity == severity]


def test_an_unknown_format_lists_the_known():
    with pytest.raises(
        UsageError, match="no format pgn; the formats are: club-chess, coco, native, trf, tsh, uscf-crosstable, wdd"
    ):
        load("x", format="pgn")


def test_every_format_has_its_name():
    assert {known.NAME for known in FORMATS} == {"club-chess", "coco", "native", "trf", "tsh", "uscf-crosstable", "wdd"}


def test_paths_that_do_not_exist_are_told_all_at_once(tmp_path):
    with pytest.raises(InputError) as raised:
        load(tmp_path / "one", tmp_path / "two.t")
    assert [p.expected for p in raised.value.problems] == ["a file or folder"] * 2


def test_what_can_be_read_is_read_beside_what_cannot(write, tmp_path):
    history = load(write("a.t", TWO), tmp_path / "gone.t")
    assert len(history.games) == 1
    assert "gone.t: error: expected a file or folder" in said(history, "error")[0]


@pytest.mark.parametrize(
    ("content", "found"),
    [(b"", "an empty file"), (b"\x00\x01" * 40, "binary data"), (b"once upon a time", "text in no such form")],
)
def test_a_file_in_no_format(write, content, found):
    with pytest.raises(InputError, match=found):
        load(write("x.t", content))
    write("e/x.t", content)
    history = load(write("e/a.t", TWO).parent)
    assert any("x.t: warning: expected a file in a known format" in w and found in w for w in said(history, "warning"))


def test_what_is_not_an_event_file_is_passed_over(write):
    for name in ("README.md", "photo.png", "notes.docx", ".hidden.t", ".git/x.t", "program.xyz"):
        write(f"e/{name}", b"\x89PNG\x00" if name.endswith("png") else b"some words")
    assert not load(write("e/a.t", TWO).parent).problems


def test_an_empty_folder(tmp_path):
    with pytest.raises(InputError, match="folder with event files"):
        load(tmp_path)


def test_recognised_by_content_whatever_the_name(write):
    assert len(load(write("division.dat", TWO)).games) == 1
    assert len(load(write("e/settings.txt", CONFIG.replace("a.t", "first")), write("e/first", TWO)).games) == 1


def test_a_forced_format_takes_what_it_is_told(write):
    with pytest.raises(InputError, match="the columns Round, Winner"):
        load(write("x.csv", "one line that is none;\n"), format="coco")
    assert len(load(write("x.csv", TWO), format="tsh").games) == 1


def test_what_is_not_of_a_forced_format_is_an_error(write):
    write("e/a.t", TWO)
    history = load(write("e/x-ratings.csv", "Name,Rating\nA,1500\n").parent, format="coco")
    assert ["a.t: error: expected a file in a known format (coco)" in e for e in said(history, "error")] == [True]


def test_folders_are_walked_in_sorted_order(write, tmp_path):
    for name in ("b", "a", "c"):
        write(f"{name}/a.t", TWO)
        write(f"{name}/config.tsh", CONFIG)
    assert load(tmp_path).events["event"].tolist() == ["a", "b", "c"]


def test_the_same_file_given_twice_is_read_once(write):
    path = write("e/a.t", TWO)
    history = load(path, path.parent, str(path))
    assert len(history.games) == 1
    assert len(said(history, "warning")) == 2
    assert "each file once" in said(history, "warning")[0]


def test_all_files_of_a_folder_named_one_by_one_are_one_event(write):
    write("e/a.t", TWO)
    folder = write("e/config.tsh", CONFIG).parent
    assert load(*sorted(folder.iterdir())).events["event"].tolist() == ["e"]


def test_two_events_of_one_name_are_both_kept(write, tmp_path):
    for year in ("2023", "2024", "more/2024"):
        write(f"{year}/open/a.t", TWO)
        write(f"{year}/open/config.tsh", CONFIG)
    history = load(tmp_path)
    assert sorted(history.events["event"]) == ["2024/open", "2024/open (2)", "open"]
    assert sorted(history.games["event"]) == ["2024/open", "2024/open (2)", "open"]
    assert "this one is kept as 2024/open" in said(history, "warning")[0]


def test_a_row_of_events_describes_a_tsh_folder_below(write, tmp_path):
    write("open/a.t", TWO)
    write("open/config.tsh", CONFIG)
    write(
        "events.csv",
        "event,date,place,pool,availability\nopen,2024-03-03,Hill,junior,\nsummer,2024-07-01,Dale,,awaited\n",
    )
    history = load(tmp_path)
    assert history.events["event"].tolist() == ["open", "summer"]
    first = history.events.iloc[0]
    assert (first["name"], first["place"], first["pool"]) == ("The Open", "Hill", "junior")
    assert first["end_date"] == pd.Timestamp("2024-03-03")
    assert history.events["availability"].tolist() == ["rated", "awaited"]
    assert not said(history, "error")


def test_problems_and_sources_have_relative_names(write, tmp_path, monkeypatch):
    write("data/e/a.t", TWO.replace("; 380", "; x"))
    write("data/e/config.tsh", CONFIG)
    monkeypatch.chdir(tmp_path)
    for given_, start in (("data", "data/e/"), ("data/e", "e/"), ("./data/e/config.tsh", "")):
        history = load(given_)
        assert {s.name for s in history.sources} == {f"{start}config.tsh", f"{start}a.t"}
        assert {p.file for p in history.problems} == {"data/e/a.t"}
    monkeypatch.chdir(tmp_path / "data" / "e")
    assert {s.name for s in load(".").sources} == {"e/config.tsh", "e/a.t"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_is_no_file(write, tmp_path):
    os.mkfifo(tmp_path / "a.t")
    write("b.t", TWO)
    assert len(load(tmp_path).games) == 1
    with pytest.raises(InputError, match="neither"):
        load(tmp_path / "a.t")


PIECES = st.sampled_from(
    [b"Tamsin 1500 2; 400", b"Quill 0+0+0 1; 380; grade1 7", b"division A a.t", b"config max_rounds = 7",
     b"#begin_file name=A.t", b"Name,Rating", b"Submitted On,Round,Winner,Winners Score,Opponent,Opponents Score",
     b"1,1,A,400,B,300", b"x,Final,Bye,50,B,0", b"event,section,round,player,opponent,score,result,status",
     b"e,A,1,A,B,4,,", b"order,file,date", b"1,x,2024-01-01", b'"', b";;", b"section,number,player", b"A,1,Ada",
     b"alias,player", b"A,B", b"B,A", b""]
)  # fmt: skip
CONTENT = st.binary(max_size=60) | st.lists(PIECES | st.binary(max_size=8), max_size=8).map(b"\n".join)
NAMES = ["a.t", "config.tsh", "events.csv", "games.csv", "aliases.csv", "x-results.csv", "x-ratings.csv", "members.csv"]


@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(st.sampled_from(NAMES), CONTENT, min_size=1),
    st.sampled_from([None, "tsh", "coco", "native"]),
    st.booleans(),
)
def test_any_bytes_are_read_or_refused_with_reasons(files, forced, one_by_one):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        paths = sorted(Path(folder).iterdir()) if one_by_one else [folder]
        try:
            problems = check(load(*paths, format=forced))
        except InputError as error:
            problems = error.problems
            assert problems
        assert all(p.severity in ("error", "warning") and p.expected and p.found for p in problems)
