"""Rating lists as pages: figures rounded as the scale wants, every link leads somewhere, the formula as published."""

from __future__ import annotations

import functools
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import public_sets
import pytest
from making_placings import Placed, history

import ratinglab
from ratinglab import schema
from ratinglab.cli import main
from ratinglab.history import assemble
from ratinglab.lists import Lists, make_lists
from ratinglab.ordering import as_games, order_scores
from ratinglab.reports import html, lists_page
from ratinglab.reports.page import Page
from ratinglab.reports.publication import Kinds, Publication
from ratinglab.systems import parse

NATIONS = {"Ada": "FRA", "Bea": "FRA", "Cy": "USA"}
EVENTS = (
    Placed({"Ada": 1, "Bea": 2, "Cy": 3}, 20, 4, "2001-07-06", "World", NATIONS, "European;Grand Prix"),
    Placed({"Cy": 1, "Bea": 2, "Ada": 9}, 30, 3, "2003-05-01", None, NATIONS, "European"),
    Placed({"Dot": 1, "Cy": 1}, 14, 1, "2003-12-31"),
)


@functools.cache
def sample() -> Lists:
    return make_lists(ratinglab.load("data/diplomacy"), "dip-pouch")


def rendered(lists: Lists, order: pd.DataFrame | None = None, file: str = "lists.html") -> dict[str, str]:
    """Every page of the set as text, and the names of the other files."""
    files = Publication(lists_page.pages(lists, order, file=file), 1).files()
    return {name: content.decode() if isinstance(content, bytes) else "" for name, content in files.items()}


def value(page: Page, name: str) -> Any:
    """What the page's template shows under a name."""
    return page.values[name]  # noqa: PD011


def cells(page: Page, id: str) -> pd.DataFrame:
    """A table of a page as it is shown."""
    table = {one.id: one for one in html.tables(page.values)}[id]
    return pd.DataFrame(table.rows, columns=[column.title for column in table.columns])


class TestPage:
    """What the page shows."""

    def test_ratings_of_a_short_scale_have_two_decimals(self) -> None:
        page = lists_page.page(sample())
        shown = cells(page, "list-permanent")
        permanent = sample().ratings["permanent"]
        assert shown["Rating"].tolist() == [f"{rating:.2f}" for rating in permanent["rating"]]
        assert shown["Rank"].astype(int).tolist() == permanent["rank"].tolist()
        whole = lists_page.page(make_lists(as_games(history(*EVENTS)), "glicko"))
        assert all(re.fullmatch(r"\d+", rating) for rating in cells(whole, "list-permanent")["Rating"])
        assert all(re.fullmatch(r"±\d+", rating) for rating in cells(whole, "list-permanent")["±"])

    def test_headline(self) -> None:
        assert lists_page.headline(sample()).startswith("358 players on the permanent list from 32 tournaments; ")
        tied = make_lists(history(Placed({"Ada": 1, "Bea": 1}, 20)), "dip-pouch")
        assert lists_page.headline(tied).endswith("Ada and Bea lead with 44.44")  # 40 + 7.714 % of the way to 97.5

    def test_the_example_is_that_of_the_published_page(self) -> None:
        """Dip Pouch's own page: 55, 8th of 65: score 88.46, value 15, new rating 60.019."""
        text = rendered(sample())["lists.html"]
        assert "has a score of 88.46; the value is 15, the new rating 60.019" in text
        changed = make_lists(history(*EVENTS), parse("dip-pouch:initial=50"))
        assert "dip-pouch:initial=50" in rendered(changed)["lists.html"]

    def test_the_latest_years_list_stands_there_where_it_differs(self) -> None:
        assert [title for title, _ in value(lists_page.page(sample()), "parts")] == ["Permanent list"]
        undated = make_lists(history(*EVENTS, Placed({"Eve": 1}, 30, date=None)), "dip-pouch")
        page = lists_page.page(undated)
        assert [title for title, _ in value(page, "parts")] == ["Permanent list", "List of 2003"]
        assert any(
            "1 tournament without a date counts in the permanent list alone" in told for told in value(page, "words")
        )
        assert "In lists" not in cells(page, "tournaments")
        windowed = make_lists(history(*EVENTS), "dip-pouch", window=1)
        assert cells(lists_page.page(windowed), "tournaments")["In lists"].tolist() == [
            "2003, permanent", "2003, permanent", "2001, permanent",
        ]  # fmt: skip

    def test_tournaments_and_circuits(self) -> None:
        page = lists_page.page(make_lists(history(*EVENTS), "dip-pouch"))
        shown = cells(page, "tournaments")
        assert shown["Tournament"].tolist() == ["Con 3", "Con 2", "Con 1"]
        assert shown["Value"].tolist() == ["4.00", "10.57", "20.00"]  # 14/7 + 2, 30/3.5 + 2, Worlds
        assert cells(page, "circuits")[["Circuit", "Tournaments"]].to_numpy().tolist() == [
            ["European", "2"], ["Grand Prix", "1"],
        ]  # fmt: skip

    def test_nations(self) -> None:
        lists = make_lists(history(*EVENTS), "dip-pouch")
        shown = cells(lists_page.page(lists), "nations")
        assert shown["Nation"].tolist() == ["FRA", "USA", lists_page.NO_NATION]
        assert shown["First of it"].tolist()[1:] == ["Cy", "Dot"]
        nations = next(page for page in lists_page.pages(lists) if page.file == "nations.html")
        assert sum(len(table.cells[0]) for table in value(nations, "tables")) == len(lists.last)

    def test_without_nations(self) -> None:
        lists = make_lists(history(Placed({"Ada": 1}, 20)), "dip-pouch")
        assert [page.file for page in lists_page.pages(lists)] == [
            "lists.html",
            "list-2010.html",
            "list-permanent.html",
        ]

    def test_order_foretold(self) -> None:
        made = history(*EVENTS)
        order = order_scores(made, ["dip-pouch", "elo:k=1"], seed=1)
        page = lists_page.page(make_lists(made, "dip-pouch"), order)
        shown = cells(page, "order")
        assert shown["In order"].tolist() == [f"{100 * share:.1f} %" for share in order["concordance"]]
        told = " ".join(value(page, "foretold"))
        row = order.iloc[0]
        assert (
            f"finished ahead in {100 * row['concordance']:.1f} ± {100 * row['concordance_se']:.1f} % of cases" in told
        )

    def test_a_history_without_events(self) -> None:
        lists = make_lists(assemble([]), "dip-pouch")
        assert "Nobody is on the permanent list" in rendered(lists)["lists.html"]


class TestSet:
    """The pages together."""

    def test_every_link_leads_somewhere(self) -> None:
        for file in ("lists.html", "lists/index.html"):
            files = rendered(sample(), file=file)
            folder = file.rpartition("/")[0] + "/" if "/" in file else ""
            for name, text in files.items():
                if not name.endswith(".html"):
                    continue
                ids = set(re.findall(r'\bid="([^"]+)"', text))
                for target in re.findall(r'href="([^"]+)"', text):
                    place, _, anchor = target.partition("#")
                    if place and not place.endswith("manifest.json"):
                        assert folder + place in files, (name, target)
                        ids_there = set(re.findall(r'\bid="([^"]+)"', files[folder + place]))
                    else:
                        ids_there = ids
                    assert not anchor or anchor in ids_there, (name, target)

    def test_a_page_for_each_list_with_its_neighbours(self) -> None:
        pages = {page.file: page for page in lists_page.pages(sample())}
        assert [name for name in pages if name.startswith("list-")] == [
            f"list-{label}.html" for label in sample().ratings
        ]
        assert value(pages["list-2001.html"], "before") is None
        assert value(pages["list-2001.html"], "after").href == "list-2002.html"
        assert value(pages["list-permanent.html"], "before").href == "list-2012.html"
        assert cells(pages["list-2005.html"], "list")["Player"].tolist() == sample().ratings["2005"]["player"].tolist()

    def test_without_the_pages_of_the_years_the_files_are_led_to(self) -> None:
        page = lists_page.page(sample())
        files = Publication([page], 1).files()
        text = files["lists.html"]
        assert isinstance(text, bytes)
        for target in re.findall(r'href="([^"#]+)"', text.decode()):
            assert target in files or target == "manifest.json"

    def test_written_twice_the_same(self, tmp_path: Path) -> None:
        lists = make_lists(history(*EVENTS), "dip-pouch")
        for name in ("a", "b"):
            lists.write(tmp_path / name, kinds=Kinds(("html", "xlsx")))
        one, other = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("a", "b"))
        assert one == other
        assert "lists.xlsx" in one


@pytest.mark.parametrize(
    ("labels", "told"),
    [("2010;2011;2012;permanent", "2010 to 2012, permanent"), ("permanent", "permanent"), ("2001;2004", "2001, 2004"),
     ("2003", "2003")],
)  # fmt: skip
def test_labels_of_lists_shortly(labels: str, told: str) -> None:
    assert lists_page._span(labels) == told


def test_lists_for_publication_tell_of_minors_by_label_alone(tmp_path: Path) -> None:
    """Of a list with pupils: labels and ratings, no nationality; by nation, none of them at all."""
    one = history(
        Placed({"Ada Quillfeather": 1, "Bea Orrin": 2, "Cy Tamsin": 3}, 20, nations={"Ada Quillfeather": "FRA"})
    )
    players = pd.DataFrame({"player": ["Ada Quillfeather"], "birth_date": [pd.Timestamp("2000-01-01")]})
    one = replace(one, players=schema.conform("players", players))
    one.save(tmp_path / "events")
    asked = ["lists", str(tmp_path / "events"), "--privacy", "public", "--kinds", "html"]
    assert main([*asked, "--out", str(tmp_path / "all")]) == 0
    assert public_sets.leaks(tmp_path / "all", ["Ada Quillfeather"]) == []
    table = pd.read_csv(tmp_path / "all" / "list-permanent.csv")
    assert table["player"].tolist()[1:] == ["Bea Orrin", "Cy Tamsin"]
    assert table["nationality"].isna().all()
    assert "appear only" in (tmp_path / "all" / "lists.html").read_text()
    assert main([*asked, "--nation", "FRA", "--out", str(tmp_path / "fra")]) == 0
    assert len(pd.read_csv(tmp_path / "fra" / "list-permanent.csv")) == 0
