"""Qualification by dated lists: the CNSC's rule, every tie, who is left out and why; and that no list sees later."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clusters import ROOT

import ratinglab
from ratinglab.cli import main
from ratinglab.dated_lists import DatedLists, monthly
from ratinglab.history import History
from ratinglab.problems import UsageError
from ratinglab.qualifying import ALL, ALTERNATE, CURRENT, EXCLUDED, LOT, QUALIFIED, Rule, qualify

DAYS = ("2012-06-30", "2012-07-31", "2012-08-31")


def given(ratings: dict[str, tuple[float | None, ...]], games: dict[str, float] | None = None) -> DatedLists:
    """The lists of three months; nobody's deviation is known."""
    rows = [
        {"player": player, "list_date": pd.Timestamp(day), "rating": rating, "deviation": np.nan}
        for player, row in ratings.items()
        for day, rating in zip(DAYS, row, strict=True)
        if rating is not None
    ]
    people = pd.DataFrame(
        {"name": list(ratings), "games": [(games or {}).get(p, 100.0) for p in ratings], "events": 9.0,
         "window_games": 10.0, "window_events": 2.0, "last_event": pd.Timestamp(DAYS[-1]), "provisional": False},
        index=pd.Index(list(ratings), name="player", dtype="str"),
    )  # fmt: skip
    return DatedLists(pd.DataFrame(rows), people, "tests")


def rule(top: int, **more: object) -> Rule:
    return Rule(top, DAYS[0], DAYS[-1], **more)  # type: ignore[arg-type]


def in_order(lists: DatedLists, asked: Rule, seed: int = 0) -> list[str]:
    return list(qualify(lists, asked, seed=seed).table["player"])


def test_by_peak_or_by_current() -> None:
    lists = given({"a": (1800, 1700, 1600), "b": (1500, 1700, 1750), "c": (1400, 1400, 1400)})
    assert in_order(lists, rule(1)) == ["a", "b", "c"]
    assert in_order(lists, rule(1, by=CURRENT)) == ["b", "a", "c"]


def test_ties_month_by_month_back() -> None:
    """CNSC 1998: equal peaks, the rating of the latest month in which they differ decides."""
    lists = given({"a": (1700, 1600, 1650), "b": (1600, 1700, 1650), "c": (1500, 1600, 1700)})
    assert in_order(lists, rule(2)) == ["c", "b", "a"]
    table = qualify(lists, rule(2)).table.set_index("player")
    assert table["status"].to_dict() == {"c": QUALIFIED, "b": QUALIFIED, "a": ALTERNATE}
    assert "2012-07-31 (1700 against 1600)" in table.loc["b", "reason"]


def test_ties_that_nothing_decides_go_by_lot_and_not_by_name() -> None:
    lists = given(dict.fromkeys("abcdef", (1700, 1700, 1700)))
    orders = {tuple(in_order(lists, rule(2), seed)) for seed in range(40)}
    assert len(orders) > 30
    assert len({order[0] for order in orders}) == 6
    assert in_order(lists, rule(2, ties=LOT), 3) == in_order(lists, rule(2, ties=LOT), 3)


def test_all_who_are_level_qualify() -> None:
    lists = given({"a": (1800, 1800, 1800), "b": (1700, 1700, 1700), "c": (1700, 1600, 1500), "d": (1600, 1600, 1600)})
    assert list(qualify(lists, rule(2, ties=ALL)).of(QUALIFIED)["player"]) == ["a", "b", "c"]


def test_who_is_left_out_and_why() -> None:
    lists = given({"a": (1900, 1900, 1900), "b": (1800, None, None), "c": (1700, 1700, 1700)}, games={"a": 49, "c": 50})
    table = qualify(lists, rule(1, min_games=50, by=CURRENT)).table.set_index("player")
    assert table["status"].to_dict() == {"c": QUALIFIED, "a": EXCLUDED, "b": EXCLUDED}
    assert table.loc["a", "reason"] == "49 rated games of 50"
    assert table.loc["b", "reason"] == "not on the list of 2012-08-31"
    assert table.loc["a", "would_rank"] == 1


def test_rules_that_mean_nothing() -> None:
    with pytest.raises(UsageError, match="--top is 1 or more; found 0; --by is one of peak, current; found best"):
        rule(0, by="best")


def test_a_list_a_month() -> None:
    assert monthly("2012-01-31", "2012-04-30") == ["2012-01-31", "2012-02-29", "2012-03-31", "2012-04-30"]


class TestCommand:
    """ratinglab qualify"""

    CIRCUIT = str(ROOT / "data" / "open-circuit")
    ASKED = ("--system", "naspa", "--from-list", "2011-06-30", "--until-list", "2011-09-30", "--top", "10")

    def test_the_example_of_the_source(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Both peak at 1934; in September Bettany Olrick has 1920 and Ansel Dovery 1912."""
        path = str(ROOT / "data" / "worked-examples")
        asked = ["--kind", "NSA", "--from-list", "1998-06-01", "--until-list", "1998-09-01", "--top", "1", "--csv"]
        assert main(["qualify", path, *asked]) == 0
        table = pd.read_csv(StringIO(capsys.readouterr().out))
        assert table["player"].tolist() == ["Bettany Olrick", "Ansel Dovery"]
        assert table["peak"].tolist() == [1934, 1934]

    def test_lists_are_those_of_the_history_cut_at_their_day(self, tmp_path: Path) -> None:
        assert main(["qualify", self.CIRCUIT, *self.ASKED, "--out", str(tmp_path), "--kinds", "html"]) == 0
        lists = pd.read_csv(tmp_path / "lists.csv").set_index("player")
        history = ratinglab.load(self.CIRCUIT)
        for day in ("2011-06-30", "2011-08-31"):
            cut = ratinglab.replay(history.between(until=day), ratinglab.parse("naspa")).ratings()
            own = cut.set_index("player")["rating"]
            np.testing.assert_allclose(lists[day].dropna(), own.reindex(lists[day].dropna().index), rtol=1e-12)
        page = (tmp_path / "qualification.html").read_text("utf-8")
        assert "The best 10 qualify" in page

    def test_public_says_no_games_of_children(self, tmp_path: Path) -> None:
        path = str(ROOT / "data" / "school-circuit")
        asked = ["--from-list", "2011-12-31", "--until-list", "2012-03-31", "--top", "5", "--kinds", "html"]
        assert main(["qualify", path, *asked, "--privacy", "public", "--out", str(tmp_path / "public")]) == 0
        assert main(["qualify", path, *asked, "--out", str(tmp_path / "all")]) == 0
        public, own = (pd.read_csv(tmp_path / name / "qualification.csv") for name in ("public", "all"))
        np.testing.assert_allclose(public["rating"], own["rating"], rtol=1e-12)
        assert public[["games", "last_event", "reason"]].isna().all(axis=None)
        assert not (tmp_path / "public" / "lists.csv").exists()


def test_a_conversion_as_of_a_day_knows_nothing_later(tmp_path: Path) -> None:
    """The sample club with every result and list after a day turned round: the same conversion."""
    history = ratinglab.load(ROOT / "data" / "scholastic-club")
    day = pd.Timestamp("2011-06-30")
    later = history.events.loc[history.events["end_date"] > day, "event"]
    games = history.games.assign(result=history.games["result"].where(~history.games["event"].isin(later), 0.5))
    lists = history.rating_lists
    lists = lists.assign(rating=lists["rating"].where(lists["list_date"] <= day, 77.0))
    made = []
    for name, tables in (
        ("one", history.tables()),
        ("other", history.tables() | {"games": games, "rating_lists": lists}),
    ):
        History(**tables).save(tmp_path / name / "events")
        out = tmp_path / name / "out"
        asked = ["--from-kind", "national", "--to-kind", "local", "--as-of", "2011-06-30", "--kinds", "csv"]
        assert main(["convert", str(tmp_path / name / "events"), *asked, "--out", str(out)]) == 0
        made.append({path.name: path.read_bytes() for path in out.glob("*.csv")})
    assert made[0] == made[1]
    assert len(made[0]) >= 3
