"""The page of corrections: what it says, and that a public one says no more of protected people than it may."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from ratinglab.cli import main

NAMES = ("Osric Quillfeather", "Ulla Brackenbury", "Ida Wolverstone", "Tom Xenophont")
KIDS = NAMES[:2]
GAMES = [(0, 1, 400, 300), (2, 3, 380, 390), (0, 2, 350, 360), (1, 3, 410, 400)]


def history(folder: Path, scores: dict[int, int] | None = None) -> Path:
    """Two events of four people, of whom the first two are in grade 5; `scores` replaces first scores by position."""
    folder.mkdir()
    games = [["event", "round", "player", "opponent", "score", "opponent_score"]]
    for i, (a, b, x, y) in enumerate(GAMES):
        games.append([f"e{i // 2 + 1}", 1, NAMES[a], NAMES[b], (scores or {}).get(i, x), y])
    entries = [["event", "player", "rating", "deviation", "school", "grade", "birth_date"]]
    for event in ("e1", "e2"):
        entries += [
            [event, name, 1500, 100, *(("Elm School", 5, "") if name in KIDS else ("", "", "1980-05-05"))]
            for name in NAMES
        ]
    events = [["event", "date"], ["e1", "2024-03-02"], ["e2", "2024-06-01"]]
    for name, rows in (("games", games), ("entries", entries), ("events", events)):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Runs of the history, and of two corrections of it: of a game of adults, and of one of children."""
    root = tmp_path_factory.mktemp("runs")
    made = {}
    for name, scores in (("old", {}), ("adults", {1: 480}), ("children", {0: 460})):
        made[name] = root / f"{name}-run"
        assert main(["replay", str(history(root / name, scores)), "--out", str(made[name])]) == 0
    return made


def written(runs: dict[str, Path], name: str, out: Path, *more: str) -> dict[str, str]:
    asked = ["revisions", str(runs["old"]), str(runs[name]), "--out", str(out), "--kinds", "html", *more]
    assert main(asked) == 0
    return {path.name: path.read_text() for path in out.iterdir()}


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page[page.index("<body>") : page.index("<script>")]).split())


def test_the_page_says_what_was_corrected_and_who_moved(runs: dict[str, Path], tmp_path: Path) -> None:
    files = written(runs, "adults", tmp_path / "out", "--why", "Tom’s score & Ida’s were exchanged.")
    told = words(files["revisions.html"])
    assert "4 of 4 players on both lists have another rating." in told
    assert "1 event was corrected: e1." in told
    assert "Tom’s score &amp; Ida’s were exchanged." in told
    assert "lost by 10 won by 90" in told
    assert "own results corrected" in told
    assert "opponents’ ratings changed" in told
    assert told.count("as of 2024-06-01") == 2
    listed = list(csv.DictReader(files["revisions.csv"].splitlines()))
    assert [row["player"] for row in listed] == [
        row["player"] for row in sorted(listed, key=lambda r: int(r["rank_new"]))
    ]


def test_nothing_changed_is_said_plainly(runs: dict[str, Path], tmp_path: Path) -> None:
    told = words(written(runs, "old", tmp_path / "out")["revisions.html"])
    assert told.count("The two lists are the same, figure for figure") == 2
    assert "corrected" not in told


@pytest.mark.parametrize("name", ["adults", "children"])
def test_a_public_page_names_no_child_and_tells_of_none_why(runs: dict[str, Path], tmp_path: Path, name: str) -> None:
    """Every byte of the set is searched for whole names and for their parts."""
    people = str(runs["old"].parent / "old")
    why = f"A score of {KIDS[0]} was wrong."
    files = written(runs, name, tmp_path / "out", "--privacy", "public", "--why", why, "--people", people)
    everything = "\n".join([*files, *files.values()]).casefold()
    for part in {part for child in KIDS for part in child.casefold().split()}:
        assert part not in everything
    rows = {row["player"]: row for row in csv.DictReader(files["revisions.csv"].splitlines())}
    children = [row for player, row in rows.items() if player.startswith("Elm School")]
    assert len(children) == len(KIDS)
    for row in children:
        assert row["rating_old"]
        assert row["rating_new"]
        assert not any(row[c] for c in ("first_difference", "first_date", "cause", "own", "origin", "games_new"))
    assert rows["Tom Xenophont"]["cause"]
    (event,) = [row for row in csv.DictReader(files["events.csv"].splitlines()) if row["event"] == "e1"]
    assert (event["touched"] == "") == (name == "children")  # two people, and of children not told
    assert len(files["games.csv"].splitlines()) == (2 if name == "adults" else 1)
    record = json.loads(files["manifest.json"])
    assert {source["sha256"] for source in record["inputs"]} == {"not published"}


def test_somebody_whom_the_event_files_do_not_know_is_not_named(
    runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text("player,rating\nTom Xenophont,1500\nVera Unheard,1400\n")
    other.write_text("player,rating\nTom Xenophont,1510\nVera Unheard,1410\n")
    people = str(runs["old"].parent / "old")
    capsys.readouterr()
    asked = ["revisions", str(one), str(other), "--csv", "--privacy", "public", "--people", people]
    assert main(asked) == 0
    table = capsys.readouterr().out
    assert "Vera" not in table
    assert [row["player"] for row in csv.DictReader(table.splitlines())] == ["Tom Xenophont", "not named"]
    assert main(asked[:-2]) == 2
    assert "needs --people" in capsys.readouterr().err
