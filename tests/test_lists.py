"""Yearly and permanent lists: what is in them, on what they rest, what is written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making_placings import Placed, history, placed
from oracles.dip_pouch import dip_pouch, value

from ratinglab.cli import main
from ratinglab.history import History
from ratinglab.lists import make_lists, nationalities
from ratinglab.problems import UsageError
from ratinglab.replaying import replay

LIST = ["rank", "national_rank", "player", "nationality", "rating", "events", "last_event", "as_of"]
TOURNAMENTS = ["event", "name", "date", "end_date", "place", "players", "rounds", "boards", "championship", "circuits"]
NATIONS = {"Ada": "FRA", "Bea": "FRA", "Cy": "USA"}
# a Worlds before the first list, an event of no value, and events of 2001, 2003 and 2004
EVENTS = (
    Placed({"Ada": 1, "Bea": 2, "Cy": 3}, 20, 4, "1998-07-06", "World", NATIONS, "European;Grand Prix"),
    Placed({"Ada": 1, "Dot": 2}, 20, 3, "2000-05-01"),
    Placed({"Cy": 1, "Bea": 2, "Ada": 9}, 30, 3, "2001-05-01", None, NATIONS, "European"),
    Placed({"Dot": 1, "Cy": 1}, 14, 1, "2003-12-31", None, {"Dot": "USA"}, "Grand Prix; European"),
    Placed({"Ada": 40, "Eve": 1}, 40, 3, "2004-01-01", None, {"Ada": "BEL"}),
)


@pytest.fixture
def made() -> History:
    return history(*EVENTS)


class TestLists:
    """The tables."""

    def test_years_from_the_cutoff_to_the_last_event(self, made: History) -> None:
        lists = make_lists(made, "dip-pouch")
        assert list(lists.ratings) == ["2001", "2002", "2003", "2004", "permanent"]
        assert all(table.columns.tolist() == LIST for table in lists.ratings.values())
        assert {label: table["as_of"].astype(str).unique().tolist() for label, table in lists.ratings.items()} == {
            "2001": ["2001-12-31"], "2002": ["2002-12-31"], "2003": ["2003-12-31"], "2004": ["2004-12-31"],
            "permanent": ["2004-01-01"],
        }  # fmt: skip
        assert lists.last is lists.ratings["permanent"]

    def test_systems_without_a_first_year_begin_with_the_first_event(self, made: History) -> None:
        from ratinglab.ordering import as_games

        assert next(iter(make_lists(as_games(made), "elo:k=1").ratings)) == "1998"

    @settings(max_examples=20, deadline=None)
    @given(st.lists(placed(), min_size=1, max_size=5), st.sampled_from([None, 1, 3, 10]))
    def test_a_list_holds_what_the_transcription_makes_of_its_events(
        self, events: list[Placed], window: int | None
    ) -> None:
        in_time = sorted(events, key=lambda event: event.date)
        lists = make_lists(history(*events), "dip-pouch", window=window)
        for label, table in lists.ratings.items():
            inside = in_time
            if label != "permanent":
                first = 0 if window is None else int(label) - window + 1
                inside = [event for event in in_time if first <= int(event.date[:4]) <= int(label)]
            counted = {
                name
                for event in inside
                for name, place in event.places.items()
                if place is not None and place <= event.of and value(event) > 0
            }
            ratings = dip_pouch(inside)
            found = table.set_index("player")["rating"]
            assert set(found.index) == counted
            for name in counted:
                assert found[name] == pytest.approx(ratings[name], abs=1e-9)

    def test_a_list_of_a_year_is_that_of_the_history_up_to_it(self, made: History) -> None:
        lists = make_lists(made, "dip-pouch")
        for year in (2001, 2002, 2003):
            alone = replay(made.between(None, f"{year}-12-31"), "dip-pouch").ratings()
            table = lists.ratings[str(year)]
            pd.testing.assert_frame_equal(table[["rank", "player", "rating"]], alone[["rank", "player", "rating"]])

    def test_a_system_that_looks_back_does_not_see_later_years(self, made: History) -> None:
        from ratinglab.ordering import as_games

        games = as_games(made)
        early = make_lists(games, "bradley-terry", years=[2001], permanent=False).ratings["2001"]
        alone = make_lists(games.between(None, "2001-12-31"), "bradley-terry").ratings["permanent"]
        pd.testing.assert_series_equal(early["rating"], alone["rating"])
        assert "Eve" not in set(early["player"])

    def test_ranks_within_the_nation(self, made: History) -> None:
        table = make_lists(made, "dip-pouch").ratings["permanent"].set_index("player")
        for name, row in table.iterrows():
            if pd.notna(row["nationality"]):
                better = (table["nationality"] == row["nationality"]) & (table["rating"] > row["rating"])
                assert row["national_rank"] == 1 + better.sum(), name
            else:
                assert pd.isna(row["national_rank"])
        assert table["nationality"].to_dict() | {"Eve": ""} == {
            "Ada": "BEL", "Bea": "FRA", "Cy": "USA", "Dot": "USA", "Eve": "",
        }  # fmt: skip

    def test_equal_ratings_share_both_ranks(self) -> None:
        both = {"Ada": "FRA", "Bea": "FRA", "Cy": "FRA"}
        table = make_lists(history(Placed({"Ada": 1, "Bea": 1, "Cy": 3}, 20, nations=both)), "dip-pouch").last
        assert table["rank"].tolist() == [1, 1, 3]
        assert table["national_rank"].tolist() == [1, 1, 3]

    def test_one_nation_keeps_its_ranks(self, made: History) -> None:
        everybody = make_lists(made, "dip-pouch").ratings
        french = make_lists(made, "dip-pouch", nation="fra").ratings
        for label, table in french.items():
            of_nation = everybody[label][everybody[label]["nationality"] == "FRA"].reset_index(drop=True)
            pd.testing.assert_frame_equal(table, of_nation)
        assert french["2003"]["player"].tolist() == ["Bea", "Ada"]
        assert french["2004"]["player"].tolist() == ["Bea"]
        with pytest.raises(UsageError, match="no player is of XYZ; the nations are: BEL, FRA, USA"):
            make_lists(made, "dip-pouch", nation="XYZ")

    def test_nationality_is_that_of_the_day(self, made: History) -> None:
        assert nationalities(made, "2003-12-31")["Ada"] == "FRA"
        assert nationalities(made)["Ada"] == "BEL"
        assert nationalities(made, "2001-12-31")["Dot"] == "USA"  # filed later, and better than none
        players = pd.DataFrame({"player": ["Ada"], "nationality": ["SUI"]})
        own = replace(made, players=made.players.iloc[:0].reindex(range(1)).assign(**players))
        assert nationalities(own, "2001-12-31")["Ada"] == "SUI"

    def test_nationality_does_not_end_with_the_window(self) -> None:
        events = [Placed({"Ada": 1, "Bea": 2}, 20, date="2001-05-01", nations=NATIONS | {"Bea": "USA"}),
                  Placed({"Ada": 1, "Bea": 2}, 20, date="2004-05-01")]  # fmt: skip
        table = make_lists(history(*events), "dip-pouch", years=[2004], permanent=False, window=2).last
        assert table["nationality"].tolist() == ["FRA", "USA"]
        assert table["national_rank"].tolist() == [1, 1]
        french = make_lists(history(*events), "dip-pouch", years=[2004], permanent=False, window=2, nation="FRA").last
        assert french["player"].tolist() == ["Ada"]

    def test_tournaments_say_which_lists_they_are_in(self, made: History) -> None:
        lists = make_lists(made, "dip-pouch")
        table = lists.tournaments.set_index("event")
        assert lists.tournaments.columns.tolist() == [*TOURNAMENTS, "value", "lists"]
        assert table.index.tolist() == ["p1", "p3", "p4", "p5"]  # p2 has no value
        assert table["value"].tolist() == pytest.approx([20, 30 / 3.5 + 2, 4, 40 / 3.5 + 2])
        assert table["players"].tolist() == [20, 30, 14, 40]
        assert table.loc["p1", "lists"] == "2001;2002;2003;2004;permanent"
        assert table.loc["p4", "lists"] == "2003;2004;permanent"
        short = make_lists(made, "dip-pouch", window=2).tournaments.set_index("event")["lists"]
        assert short.to_dict() == {
            "p1": "permanent", "p3": "2001;2002;permanent", "p4": "2003;2004;permanent", "p5": "2004;permanent",
        }  # fmt: skip

    def test_circuits_of_the_tournaments(self, made: History) -> None:
        table = make_lists(made, "dip-pouch").circuits
        told = [[str(cell)[:10] for cell in row] for row in table.itertuples(index=False)]
        assert table.columns.tolist() == ["circuit", "events", "first", "last"]
        assert told == [["European", "3", "1998-07-06", "2003-12-31"], ["Grand Prix", "2", "1998-07-06", "2003-12-31"]]
        only = make_lists(made, "dip-pouch", years=[2002], permanent=False).circuits
        assert only["events"].tolist() == [2, 1]

    def test_an_event_without_a_date_is_in_the_permanent_list_alone(self) -> None:
        lists = make_lists(history(Placed({"Ada": 1}, 20), Placed({"Bea": 1}, 20, date=None)), "dip-pouch")
        assert {label: table["player"].tolist() for label, table in lists.ratings.items()} == {
            "2010": ["Ada"], "permanent": ["Ada", "Bea"],
        }  # fmt: skip
        assert lists.tournaments["lists"].tolist() == ["2010;permanent", "permanent"]

    def test_a_year_without_a_rated_event_before_its_end(self, made: History) -> None:
        with pytest.raises(UsageError, match="no rated event in the list of 1997; the first ends on 1998-07-06"):
            make_lists(made, "dip-pouch", years=[1997])
        early = make_lists(made, "dip-pouch", years=[1999]).ratings["1999"]
        assert early["player"].tolist() == ["Ada", "Bea", "Cy"]
        with pytest.raises(UsageError, match="window"):
            make_lists(made, "dip-pouch", window=0)

    def test_a_history_without_events(self) -> None:
        from ratinglab.history import assemble

        lists = make_lists(assemble([]), "dip-pouch")
        assert list(lists.ratings) == ["permanent"]
        assert len(lists.last) == len(lists.tournaments) == len(lists.circuits) == 0


class TestCommand:
    """ratinglab lists"""

    @pytest.fixture
    def folder(self, made: History, tmp_path: Path) -> Path:
        made.save(tmp_path / "events")
        return tmp_path / "events"

    def test_files(self, folder: Path, tmp_path: Path, capsys) -> None:
        out, compare = tmp_path / "lists", "elo:k=1,scale=400,glicko"
        assert main(["lists", str(folder), "--out", str(out), "--kinds", "html", "--compare", compare]) == 0
        assert capsys.readouterr().out == ""
        assert sorted(path.name for path in out.iterdir()) == [
            "circuits.csv", "list-2001.csv", "list-2001.html", "list-2002.csv", "list-2002.html", "list-2003.csv",
            "list-2003.html", "list-2004.csv", "list-2004.html", "list-permanent.csv", "list-permanent.html",
            "lists.html", "manifest.json", "nations.html", "order.csv", "tournaments.csv",
        ]  # fmt: skip
        permanent = pd.read_csv(out / "list-permanent.csv")
        assert permanent.columns.tolist() == LIST
        assert permanent["player"].tolist() == make_lists(history(*EVENTS), "dip-pouch").last["player"].tolist()
        assert pd.read_csv(out / "order.csv")["system"].tolist() == ["dip-pouch", "elo", "glicko"]
        manifest = json.loads((out / "manifest.json").read_text())
        assert manifest["command"] == "lists"
        assert manifest["system"] == "dip-pouch"
        assert manifest["options"]["compare"] == compare
        assert len(manifest["inputs"]) > 0

    def test_one_list_printed(self, folder: Path, capsys) -> None:
        assert main(["lists", str(folder), "--year", "2003", "--nation", "USA", "--csv"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == ",".join(LIST)
        assert [line.split(",")[2] for line in lines[1:]] == ["Cy", "Dot"]
        assert main(["lists", str(folder), "--compare", "elo:k=1"]) == 0
        text = capsys.readouterr().out
        assert text.index("Eve") < text.index("concordance")

    def test_one_list_written(self, folder: Path, tmp_path: Path, capsys) -> None:
        for option, name in ((["--year", "2002"], "list-2002.csv"), (["--permanent"], "list-permanent.csv")):
            out = tmp_path / name
            assert main(["lists", str(folder), *option, "--out", str(out), "--kinds", "csv"]) == 0
            assert [path.name for path in out.glob("list-*")] == [name]
        assert pd.read_csv(tmp_path / "list-2002.csv" / "tournaments.csv")["lists"].tolist() == [2002, 2002]

    def test_window_and_cutoff(self, folder: Path, capsys) -> None:
        main(["lists", str(folder), "--year", "2001", "--window", "2", "--set", "cutoff=0", "--csv"])
        both = [line.split(",")[2] for line in capsys.readouterr().out.splitlines()[1:]]
        assert sorted(both) == ["Ada", "Bea", "Cy", "Dot"]  # 2000 counts
        main(["lists", str(folder), "--year", "2001", "--window", "2", "--csv"])
        assert "Dot" not in capsys.readouterr().out

    @pytest.mark.parametrize(
        "wrong",
        [["--year", "03"], ["--year", "2003", "--permanent"], ["--nation", "XYZ"], ["--year", "1990"],
         ["--compare", "elo", "--csv"], ["--compare", "elo:k"], ["--window", "0"], ["--window", "3"],
         ["--permanent", "--window", "3", "--out", "x"], ["--compare", "bradley-terry"]],
    )  # fmt: skip
    def test_wrong_usage(self, folder: Path, wrong: list[str], capsys, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(folder)  # where what should not be written would be

        def status() -> object:
            try:
                return main(["lists", str(folder), *wrong])
            except SystemExit as stopped:  # argparse
                return stopped.code

        assert status() == 2
        assert "lists" in capsys.readouterr().err

    def test_what_is_not_rated_is_told(self, tmp_path: Path, capsys) -> None:
        history(Placed({"Ada": 1}, 30, rounds=None), Placed({"Bea": 1}, 30, date="2010-06-01")).save(tmp_path / "e")
        assert main(["lists", str(tmp_path / "e")]) == 0
        assert "the number of rounds is not known: p1" in capsys.readouterr().err

    def test_replay_and_rate_of_places(self, folder: Path, tmp_path: Path, capsys) -> None:
        out = tmp_path / "out"
        assert main(["replay", str(folder), "--system", "dip-pouch", "--out", str(out)]) == 0
        assert sorted(path.name for path in out.iterdir()) == [
            "changes.csv", "manifest.json", "ratings.csv", "segments.csv",
        ]  # fmt: skip
        changes = pd.read_csv(out / "changes.csv")
        assert {"place", "of", "percentile", "value"} <= set(changes.columns)
        assert main(["rate", str(folder), "--system", "dip-pouch", "--event", "p4"]) == 0
        assert "42.26" in capsys.readouterr().out  # 40 + 4 % of the way to 96.43
