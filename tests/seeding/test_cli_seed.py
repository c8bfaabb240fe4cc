"""`ratinglab seed` as its users meet it: by hand, with five hundred odd entrants, several ratings, and faults."""

from __future__ import annotations

import csv
import json
import math
import re
from io import StringIO
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from clusters import ROOT
from making import SHARED, needs_shared

from ratinglab.cli import main
from ratinglab.commands import options
from ratinglab.seeding.choice import RULES

SCHOOL = [str(ROOT / "data" / name) for name in ("school-circuit", "open-circuit")]


def written(path: Path, header: str, *rows: str) -> Path:
    path.write_text("\n".join([header, *rows]) + "\n", "utf-8")
    return path


def run(*arguments: object) -> int:
    return main(["seed", *map(str, arguments)])


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_two_teams_by_hand(tmp_path: Path, capsys) -> None:
    """Team 1 has two members, team 2 one: Team Glixo's formulas of the 2012 NSSC page, figure by figure."""
    entries = written(
        tmp_path / "entries.csv",
        "team,player,school,grade,rating,deviation,rating_kind,as_of",
        "Willow A,Orla Venn,Willow,7,1650,60,local,2012-03-01",
        "Willow A,Pim Tarrow,Willow,6,1500,80,local,2012-02-01",
        "Cedar A,Quill Marsh,Cedar,8,1560,50,local,2012-03-10",
    )
    assert run("--entries", entries, "--csv", "--out", tmp_path / "out", "--kinds", "html", "--contact", "us") == 0
    table = pd.read_csv(StringIO(capsys.readouterr().out))
    best_less_100, mean = 1650 - 100, (1650 + 1500) / 2
    assert mean > best_less_100  # so the team is worth its mean
    first, second = table.to_dict("records")
    assert [first["name"], second["name"]] == ["Willow A", "Cedar A"]
    assert first["rating"] == mean
    assert first["deviation"] == pytest.approx(math.sqrt(60**2 + 80**2), abs=1e-12)  # 100
    assert [second["rating"], second["deviation"]] == [1560, 50]
    # 1575 ± 100 against 1560 ± 50: the difference is 15 ± √(100² + 50²)
    assert first["p_above_next"] == pytest.approx(NormalDist().cdf(15 / math.hypot(100, 50)), abs=1e-12)
    assert math.isnan(second["p_above_next"])
    assert first["as_of"] == "2012-03-01"
    assert first["rating_source"] == "filed (local)"
    draw = pd.read_csv(tmp_path / "out" / "draw.csv")
    assert draw[["round", "board", "player", "opponent"]].to_numpy().tolist() == [[1, 1, "Willow A", "Cedar A"]]
    page = (tmp_path / "out" / "seeding.html").read_text("utf-8")
    assert "1575" in page
    assert "±100" in page


class TestFiveHundred:
    """Clashes, ties, missing grades, two ratings each, 40 % of one school."""

    SIZE, OF_ONE_SCHOOL = 500, 200
    ASKED = ("--date", "2012-05-12", "--choose", "higher")

    @pytest.fixture(scope="class")
    def entries(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        chance = np.random.default_rng(500)
        rows = []
        for i in range(self.SIZE):
            school = "Great Hall" if i % 5 < 2 else f"School {i % 37}"
            tied = 1400 if i % 10 == 0 else round(float(chance.normal(1300, 200)), 1)
            national = "" if i % 3 == 0 else str(tied + 100)
            grade = "" if i % 4 == 1 else str(4 + i % 5)
            unrated = i % 50 == 3
            local = "0" if unrated else str(tied)
            elsewhere = "," if unrated or not national else f"{national},2012-02-01"
            rows.append(f"Entrant {i:03d} Vale,{school},{grade},{local},2012-03-01,{elsewhere}")
        rows[7] = rows[7].replace("2012-03-01", "2013-03-01")  # a rating of after the event
        rows[8] = rows[8].replace("School", "school")
        rows.append("Entrant 010 Vale,School 10,8,1500,2012-03-01,,")  # twice, of two schools
        rows.append(rows[11])  # twice alike
        rows.append("Entrant 500 Vale,School 12,8,99999,2012-03-01,,")
        path = tmp_path_factory.mktemp("five-hundred") / "entries.csv"
        header = "player,school,grade,local_rating,local_as_of,national_rating,national_as_of"
        return written(path, header, *rows)

    @pytest.fixture(scope="class")
    def made(self, entries: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
        out = tmp_path_factory.mktemp("seeded") / "out"
        assert run("--entries", entries, *self.ASKED, "--kinds", "html", "--out", out) == 0
        return out

    def test_nothing_is_lost(self, made: Path) -> None:
        table = pd.read_csv(made / "seeding.csv", dtype={"name": "str"})
        assert table["seed"].tolist() == list(range(1, len(table) + 1))
        assert {f"Entrant {i:03d} Vale" for i in range(self.SIZE)} <= set(table["name"])
        assert table["name"].is_unique
        draw = pd.read_csv(made / "draw.csv", dtype="str")
        assert sorted([*draw["player"], *draw["opponent"].dropna()]) == sorted(table["name"])

    def test_the_higher_of_two_ratings_is_taken_and_told(self, made: Path) -> None:
        table = pd.read_csv(made / "choices.csv", dtype={"player": "str"})
        taken = table[table["taken"] == 1].set_index("player")
        assert taken.index.is_unique
        assert taken["why"].notna().all()
        best = table.dropna(subset="rating").groupby("player")["rating"].max()
        assert taken["rating"].dropna().to_dict() == best.to_dict()

    def test_ties_are_told_and_not_by_name(self, made: Path) -> None:
        table = pd.read_csv(made / "seeding.csv", dtype={"name": "str"})
        tied = table[table["rating"].round(6).duplicated(keep=False)]
        assert len(tied) > 40
        assert tied["note"].str.contains("lot").all()
        largest = tied[tied["rating"] == tied["rating"].mode().iloc[0]]
        assert largest["name"].tolist() != sorted(largest["name"])
        assert largest["name"].tolist() != sorted(largest["name"], reverse=True)

    def test_schools_meet_only_where_they_must(self, made: Path) -> None:
        table = pd.read_csv(made / "seeding.csv").set_index("name")["school"].str.casefold()
        draw = pd.read_csv(made / "draw.csv").dropna(subset="opponent")
        same = draw["player"].map(table) == draw["opponent"].map(table)
        assert table.value_counts().iloc[0] == self.OF_ONE_SCHOOL
        assert not same.any()  # 40 % is less than half, so nobody needs to
        assert draw["gave_way"].fillna("").str.contains("same school").sum() == 0

    def test_each_odd_case_is_named_with_its_line(self, entries: Path, made: Path) -> None:
        told = pd.read_csv(made / "problems.csv")
        assert (told["file"] == entries.name).all() or told["file"].str.endswith(entries.name).all()
        assert told["line"].notna().all()
        words = " | ".join(told["expected"] + ": " + told["found"])
        for case in ("2013-03-01", "99999", "Entrant 011 Vale again", "Entrant 010 Vale of School 10"):
            assert case in words, case
        assert re.search(r"grade", words)

    def test_the_order_of_the_file_does_not_matter(self, entries: Path, made: Path, tmp_path: Path) -> None:
        header, *rows = entries.read_text("utf-8").splitlines()
        turned = written(tmp_path / "entries.csv", header, *rows[13 : self.SIZE][::-1], *rows[:13], *rows[self.SIZE :])
        again = tmp_path / "again"
        assert run("--entries", turned, *self.ASKED, "--kinds", "csv", "--out", again) == 0
        one, other = (pd.read_csv(folder / "seeding.csv")[["seed", "name", "rating"]] for folder in (made, again))
        pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize(
    ("rule", "taken"),
    [
        ("local", [1500, 1600, 1200]),
        ("national", [1450, 1750, 1200]),
        ("higher", [1500, 1750, 1200]),
        ("established-and-higher", [1500, 1600, 1200]),
        ("most-recent", [1450, 1600, 1200]),
    ],
)
def test_rules_of_choice(rule: str, taken: list[float], tmp_path: Path) -> None:
    """Ann has the more recent national rating, Ben a higher one of few games, Cid only a local one."""
    entries = written(
        tmp_path / "entries.csv",
        "player,local_rating,local_as_of,national_rating,national_as_of,national_games",
        "Ann Oaken,1500,2012-01-01,1450,2012-04-01,300",
        "Ben Thorne,1600,2012-03-01,1750,2012-02-01,12",
        "Cid Marl,1200,2012-01-01,,,",
    )
    assert (
        run("--entries", entries, "--choose", rule, "--system", "elo", "--kinds", "csv", "--out", tmp_path / "out") == 0
    )
    table = pd.read_csv(tmp_path / "out" / "seeding.csv").set_index("name")["rating"]
    assert table[["Ann Oaken", "Ben Thorne", "Cid Marl"]].tolist() == taken
    why = pd.read_csv(tmp_path / "out" / "choices.csv")
    assert (why.groupby("player")["taken"].sum() == 1).all()


def test_the_rules_of_the_help_are_those_there_are() -> None:
    assert ", ".join(RULES) == options.CHOICES


def test_elsewhere_only_is_told(tmp_path: Path, capsys) -> None:
    header = "player,local_rating,national_rating,national_as_of"
    entries = written(tmp_path / "e.csv", header, "Ann Oaken,1500,,", "Ben Thorne,,1450,2012-04-01")
    assert run("--entries", entries, "--system", "elo", "--csv") == 0
    notes = pd.read_csv(StringIO(capsys.readouterr().out)).set_index("name")
    assert "national" in notes.loc["Ben Thorne", ["note", "rating_source"]].fillna("").str.cat(sep=" ")


class TestFaults:
    """Every fault in one run, in a sentence each, and nothing written."""

    def test_cells_that_are_none(self, tmp_path: Path, capsys) -> None:
        entries = written(
            tmp_path / "e.csv", "player,rating,as_of", "Ann Oaken,fifteen,2012-01-01", "Ben Thorne,1500,May"
        )
        run("--entries", entries, "--out", tmp_path / "out")
        told = capsys.readouterr().err
        assert "e.csv:2" in told
        assert "e.csv:3" in told
        assert "Traceback" not in told

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ([], "nobody is entered"),
            ([*SCHOOL, "--choose", "best"], "best"),
            ([*SCHOOL, "--event", "2012-nsc"], "2012-nssc"),
            ([*SCHOOL, "--pairing", "berger"], "no pairing system berger"),
            ([*SCHOOL, "--privacy", "public", "--names", "pseudonym"], "--key"),
            ([*SCHOOL, "--kinds", "doc", "--out", "x"], "html, csv, xlsx, pdf"),
        ],
    )
    def test_wrong_usage(self, arguments: list[str], said: str, tmp_path: Path, capsys, monkeypatch) -> None:
        monkeypatch.chdir(tmp_path)
        assert run(*arguments) == 2
        told = capsys.readouterr().err
        assert said in told
        assert not list(tmp_path.iterdir())

    def test_a_list_that_names_nobody(self, tmp_path: Path, capsys) -> None:
        assert run("--entries", written(tmp_path / "e.csv", "player,rating"), "--out", tmp_path / "out") in (1, 2)
        assert "e.csv" in capsys.readouterr().err
        assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def nssc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("nssc") / "out"
    assert run(*SCHOOL, "--out", out, "--kinds", "html,xlsx", "--seed", "2012") == 0
    return out


def test_the_championship_of_the_sample(nssc: Path) -> None:
    """Seeds follow from the members by the team formula, for every team; the page tells what it rests on."""
    table = pd.read_csv(nssc / "seeding.csv").set_index("name")
    taken = pd.read_csv(nssc / "choices.csv").query("taken == 1")
    assert len(table) == 56
    for name, of in taken.groupby(taken["team"].fillna(taken["player"])):
        if of["rating"].notna().all():
            worth = max(of["rating"].max() - 100, of["rating"].mean()) if len(of) > 1 else of["rating"].iloc[0]
            assert table.loc[name, "rating"] == pytest.approx(worth, abs=1e-9)
            assert table.loc[name, "deviation"] == pytest.approx(math.sqrt((of["deviation"] ** 2).sum()), abs=1e-9)
    page = (nssc / "seeding.html").read_text("utf-8")
    for told in ("2011 NSSC", "2012 Indiana School SCRABBLE Championship", "not yet received", "Technical details"):
        assert told.casefold() in page.casefold(), told
    record = json.loads((nssc / "manifest.json").read_text("utf-8"))
    assert (record["command"], record["seed"], record["options"]["event"]) == ("seed", 2012, "2012-nssc")
    with (nssc / "seeding.csv").open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    assert header == [
        "seed", "name", "members", "school", "rating", "deviation", "p_above_next", "rating_source", "as_of", "note",
    ]  # fmt: skip


def test_a_second_run_writes_the_same_bytes(nssc: Path, tmp_path: Path) -> None:
    assert run(*SCHOOL, "--out", tmp_path / "again", "--kinds", "html,xlsx", "--seed", "2012") == 0
    assert contents(tmp_path / "again") == contents(nssc)


@pytest.mark.parametrize(
    "pairing", ["nssc:bye=apart", "cnsc", "evanston", "swiss", "random", "matching", "round-robin"]
)
def test_any_pairing_system_draws_the_first_round(pairing: str, tmp_path: Path) -> None:
    assert run(SCHOOL[0], "--pairing", pairing, "--out", tmp_path, "--kinds", "csv") == 0
    draw = pd.read_csv(tmp_path / "draw.csv")
    assert list(draw.columns) == ["round", "board", "player", "opponent", "first", "gave_way"]
    table = pd.read_csv(tmp_path / "seeding.csv")
    assert sorted([*draw["player"], *draw["opponent"].dropna()]) == sorted(table["name"])


@needs_shared
@pytest.mark.parametrize("system", ["glixo", "naspa", "elo"])
def test_real_school_championships_are_seeded_as_if_not_yet_played(system: str, tmp_path: Path, capsys) -> None:
    """Of a played event its own results are left out of account; unrated is what the files say by 0+0+0."""
    import ratinglab

    history = ratinglab.load(SHARED / "tsh")
    schools = history.entries.loc[history.entries["team"].notna(), "event"].unique()
    assert len(schools)
    for event in schools:
        out = tmp_path / event
        assert run(SHARED / "tsh", "--event", event, "--system", system, "--kinds", "html", "--out", out) == 0
        table = pd.read_csv(out / "seeding.csv")
        units = history.entries[history.entries["event"] == event]
        assert (
            table["name"].nunique()
            == units.assign(u=units["team"].fillna(units["player"])).groupby("section")["u"].nunique().sum()
        )
    assert "Traceback" not in capsys.readouterr().err
