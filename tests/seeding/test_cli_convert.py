"""`ratinglab convert`: the page, its tables, what is printed, and what is refused."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clusters import ROOT

import ratinglab
from ratinglab.cli import main
from ratinglab.seeding.converting import common, conversion, listed, replayed

CLUB = str(ROOT / "data" / "scholastic-club")
CIRCUITS = [str(ROOT / "data" / name) for name in ("school-circuit", "open-circuit")]
ASKED = ["--from-kind", "national", "--to-kind", "local"]
POOLS = ["--from-kind", "replay:school", "--to-kind", "replay:none", "--from-name", "school", "--to-name", "open"]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("club")
    assert main(["convert", CLUB, *ASKED, "--out", str(out)]) == 0
    return out


def test_tables_are_those_of_the_conversion(club: Path) -> None:
    history = ratinglab.load(CLUB)
    both = common(listed(history, "national"), listed(history, "local"))
    made = conversion(both.pairs)
    table = pd.read_csv(club / "conversion.csv")
    np.testing.assert_allclose(table["value"], made.apply(table["x"])["value"], rtol=1e-12)
    assert len(pd.read_csv(club / "pairs.csv")) == made.n == 28
    fit = pd.read_csv(club / "fit.csv")
    assert fit["players"].sum() == made.n
    residuals = pd.read_csv(club / "pairs.csv")["residual"]
    assert np.average(fit["residual"], weights=fit["players"]) == pytest.approx(residuals.mean())
    assert made.residual_sd == pytest.approx(np.sqrt(np.mean(residuals**2)))


def test_the_page_says_what_where_and_that_it_is_no_two_way_road(club: Path) -> None:
    page = (club / "conversion.html").read_text("utf-8")
    table = pd.read_csv(club / "conversion.csv")
    row = table[table["x"] == 800].iloc[0]
    assert (
        f"A rating of 800 on the national list is worth {row['value']:.0f} ± {row['sd']:.0f} on the local list" in page
    )
    assert f"usable from {table['x'].min():.0f} to {table['x'].max():.0f}" in page
    there, again = re.search(r"makes of ([\d\u202f]+) not ([\d\u202f]+) but", page).groups()
    assert there != again
    assert "This page names pupils" in page
    assert "Do not seed by this" not in page


def test_the_same_bytes_again_and_the_manifest(club: Path, tmp_path: Path) -> None:
    assert main(["convert", CLUB, *ASKED, "--out", str(tmp_path)]) == 0
    assert contents(tmp_path) == contents(club)
    record = json.loads((club / "manifest.json").read_text("utf-8"))
    assert (record["command"], record["seed"], record["system"]) == ("convert", 0, None)
    assert record["options"]["within"] == 180


def test_pools_replayed_each_by_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The 23 children of both circuits: nobody's rating in one knows of the other."""
    asked = ["--within", "730", "--privacy", "public", "--out", str(tmp_path), "--kinds", "html"]
    assert main(["convert", *CIRCUITS, *POOLS, *asked]) == 0
    history = ratinglab.load(*CIRCUITS)
    ratings = []
    for mine in (history.events["pool"] == "school", history.events["pool"].isna()):
        ratings.append(replayed(ratinglab.replay(history.only(history.events.loc[mine, "event"]), "glixo")))
    made = conversion(common(*ratings, within=730).pairs)
    table = pd.read_csv(tmp_path / "conversion.csv")
    np.testing.assert_allclose(table["value"], made.apply(table["x"])["value"], rtol=1e-9)
    page = (tmp_path / "conversion.html").read_text("utf-8")
    # their ratings hardly go together, which is said first
    assert made.weak
    assert "School ratings say next to nothing of open ratings" in page
    assert "Do not seed by this conversion" in page
    assert len(pd.read_csv(tmp_path / "pairs.csv")) == 0
    assert f"{made.n} further players count" in page
    assert "Made for publication" in page


def test_lists_of_a_further_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = pd.read_csv(Path(CLUB) / "rating_lists.csv")
    rows = rows[rows["kind"] == "local"].assign(kind="regional", rating=lambda t: 2 * t["rating"] + 1000)
    rows.to_csv(tmp_path / "regional.csv", index=False)
    asked = ["--from-kind", "local", "--to-kind", "regional", "--lists", str(tmp_path / "regional.csv"), "--csv"]
    assert main(["convert", CLUB, *asked]) == 0
    table = pd.read_csv(StringIO(capsys.readouterr().out))
    np.testing.assert_allclose(table["value"], 2 * table["x"] + 1000, rtol=1e-9)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["--from-kind", "local", "--to-kind", "Local"], "between two scales"),
        (["--from-kind", "world", "--to-kind", "local"], "the kinds are: local, national"),
        (["--from-kind", "replay:west", "--to-kind", "local"], "the pools are: "),
        ([*ASKED, "--within", "0"], "nobody has both ratings within 0 days"),
        ([*ASKED, "--as-of", "2010-06-30"], "needs 20 players who are on both lists; found"),
    ],
)
def test_refused(asked: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", CLUB, *asked]) == 2
    assert told in capsys.readouterr().err
