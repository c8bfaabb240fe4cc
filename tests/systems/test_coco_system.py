"""CoCo ratings: every published row of five years, and the rules one by one."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from adding import check_workings
from hypothesis import given, settings
from hypothesis import strategies as st
from making import SHARED, Game, Member, Section, dated, history, needs_shared, outcome, sections
from oracles.coco import BYE, Event, Row, coco, multiplier

from ratinglab.formats import load
from ratinglab.history import Parsed, assemble
from ratinglab.problems import UsageError
from ratinglab.replaying import Replay, rate, replay
from ratinglab.scheduling import schedule
from ratinglab.systems import Coco, Glixo, make

PEOPLE = [f"Player {letter}" for letter in "ABCDEFGHIJ"]


# --- the published ratings --------------------------------------------------------------------------------------------


def golden() -> pd.DataFrame:
    """The published rows by event and name."""
    table = pd.read_csv(SHARED / "golden" / "coco_history.tsv", sep="\t")
    return table.set_index(["Tournament", "Player"]).sort_index()


@needs_shared
def test_every_published_row() -> None:
    """Rating, deviation and games before and after of 1,365 rows of people, and the 19 rows of the bye.

    Of a first-timer the committee prints the new rating as the old one too. The bye has a row where it stands in the
    results; it is nobody's entry here, so its 1500 ± 150 are the parameters, and its games those without an opponent.
    """
    result = replay(load(SHARED / "coco"), "coco")
    changes, whole = result.changes, result.schedule.whole
    order = np.argsort(whole.entry_period, kind="stable")
    changes["career"] = (whole.listed_before + whole.listed)[order]
    found = changes.set_index(["event", "player"]).sort_index()
    published = golden()
    of_bye = published.index.get_level_values("Player") == BYE
    people = published[~of_bye]
    assert len(published) == 1384
    assert found.index.equals(people.index)
    assert found["before"].fillna(found["after"]).tolist() == people["OldRating"].tolist()
    assert found["after"].tolist() == people["NewRating"].tolist()
    assert found["career"].tolist() == people["Games"].tolist()
    # the deviation before an event is printed in two digits, and kept whole
    np.testing.assert_allclose(found["deviation_before"], people["OldDeviation"], rtol=0, atol=0.005 + 1e-9)
    np.testing.assert_allclose(found["deviation_after"], people["NewDeviation"], rtol=0, atol=1e-9)

    byes = np.bincount(whole.entry_period, whole.unopposed)
    events = result.schedule.history.events["event"].to_numpy()[result.schedule.event]
    expected = pd.Series(byes.cumsum()[byes > 0].astype(int), index=events[byes > 0]).sort_index()
    bye = published[of_bye].droplevel("Player")
    assert bye["Games"].to_dict() == expected.to_dict()
    system = Coco()
    for column, value in (("Rating", system.initial), ("Deviation", system.initial_deviation)):
        assert (bye[[f"Old{column}", f"New{column}"]] == value).all(axis=None)


def as_filed() -> list[Event]:
    """The files of the published history, read without the package."""
    folder = SHARED / "coco"

    def rows(stem: str) -> list[list[str]]:
        path = next(p for s in (".csv", ".tsv") if (p := folder / "results" / f"{stem}{s}").is_file())
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        cells = csv.reader(lines, delimiter="\t" if "\t" in lines[0] else ",")
        return [[cell.strip() for cell in row] for row in cells if any(row)]

    def name(cell: str) -> str:
        tidy = " ".join(cell.split())
        return BYE if tidy.casefold() == BYE.casefold() else tidy

    events = []
    with (folder / "events.csv").open(encoding="utf-8-sig", newline="") as index:
        for row in csv.DictReader(index):
            filed = {name(n): float(r or 0) for n, r, *_ in rows(f"{row['file']}-ratings")[1:] if name(n) != BYE}
            header, *results = rows(f"{row['file']}-results")
            at = header.index("Winner")
            games = [(name(r[at]), name(r[at + 2]), float(r[at + 1]), float(r[at + 3])) for r in results]
            events.append(Event(row["file"], date.fromisoformat(row["date"]), filed, games))
    return events


@needs_shared
def test_the_oracle_too_gives_every_published_row() -> None:
    found = coco(as_filed())
    published = golden()
    assert set(found) == set(published.index)
    for key, row in published.iterrows():
        mine = found[key]
        assert (mine.old, mine.new, mine.games) == (row["OldRating"], row["NewRating"], row["Games"]), key
        assert round(mine.old_deviation, 2) == row["OldDeviation"], key
        assert mine.new_deviation == row["NewDeviation"], key


# --- the transcription ------------------------------------------------------------------------------------------------


@st.composite
def circuits(draw: st.DrawFn) -> list[Event]:
    """A few events of some of the same people, rated or not, with byes, forfeits and entrants who do not play."""
    events = []
    day = date(2024, 1, 1)
    # many games in one event too, so that careers pass 200
    rounds = draw(st.sampled_from([1, 3, 6, 60]))
    for number in range(draw(st.integers(1, 4))):
        day += timedelta(days=draw(st.integers(0, 200)))
        field = list(draw(st.permutations(PEOPLE)))[: draw(st.integers(2, 8))]
        rating = st.one_of(st.just(0), st.integers(0, 2300))
        filed = {name: float(draw(rating)) for name in field if draw(st.integers(0, 5))}
        games = []
        for _ in range(rounds):
            order = draw(st.permutations(field))
            for a, b in zip(order[::2], order[1::2], strict=False):
                kind = draw(st.integers(0, 19))
                if kind == 0:
                    games.append((a, BYE, 50.0, 0.0))
                elif kind == 1 and a in filed and b in filed:
                    games.append((a, b, 50.0, 0.0))
                elif kind > 2:
                    spread = draw(st.integers(0, 350))
                    games.append((a, b, 350.0 + spread, 350.0))
        events.append(Event(f"event{number}", day, filed, games))
    return events


def written(events: Sequence[Event]) -> Replay:
    """The events as the committee's files, read and replayed by the package."""
    return _replayed(events, Coco())


def _replayed(events: Sequence[Event], system: Coco) -> Replay:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "results").mkdir()
        index = [f"{i},{event.name},{event.day}" for i, event in enumerate(events, 1)]
        (folder / "events.csv").write_text("\n".join(["order,file,date", *index]) + "\n")
        for event in events:
            entries = [f"{player},{rating:g}" for player, rating in event.filed.items()]
            games = [f"{i},{a},{s:g},{b},{t:g}" for i, (a, b, s, t) in enumerate(event.games, 1)]
            stem = folder / "results" / event.name
            Path(f"{stem}-ratings.csv").write_text("\n".join(["Name,Rating", *entries]) + "\n")
            header = "Round,Winner,Winners Score,Opponent,Opponents Score"
            Path(f"{stem}-results.csv").write_text("\n".join([header, *games]) + "\n")
        return replay(load(folder), system)


@pytest.mark.parametrize("rounding", [True, False])
def test_what_the_transcription_gives(rounding: bool) -> None:
    @settings(max_examples=40, deadline=None)
    @given(circuits())
    def run(events: list[Event]) -> None:
        expected = {key: row for key, row in coco(events, rounding).items() if key[1] != BYE}
        found = _replayed(events, Coco(rounding=rounding)).changes.set_index(["event", "player"])
        assert set(found.index) == set(expected)
        for key, row in expected.items():
            compare(found.loc[key], row)

    run()


def compare(found: pd.Series, row: Row) -> None:
    assert found["deviation_before"] == pytest.approx(row.old_deviation, abs=1e-8)
    assert found["deviation_after"] == pytest.approx(row.new_deviation, abs=1e-8)
    assert np.isnan(found["before"]) == row.first_timer
    if row.first_timer and not found["games"]:
        assert np.isnan(found["after"])  # a bye or a forfeit does not make a rating
        return
    assert found["after"] == pytest.approx(row.new, abs=1e-7)
    if not row.first_timer:
        assert found["before"] == pytest.approx(row.old, abs=1e-7)


# --- rules one by one -------------------------------------------------------------------------------------------------


def one(units: list[list[Member]], games: list[Game], system: Coco | None = None) -> pd.DataFrame:
    section = Section(units, games, max((game.round for game in games), default=1))
    return rate(history(section), system or Coco()).changes.set_index("player")


@pytest.mark.parametrize(
    ("rating", "games", "part"),
    [
        (1500, 199, 1),
        (2100, 199, 1),
        (1500, 200, 1 - 200 / 1800),
        (1500, 658, 1 - 658 / 1800),
        (1800, 300, 1 - 300 / 1800),
        (1801, 300, 0.75),
        (2000, 300, 0.75),
        (2001, 300, 0.5),
        (1801, 600, 1 - 600 / 1800),
        (1500, 1000, 1 - 1000 / 1800),
        (1500, 1001, 0.5),
    ],
)
def test_the_multiplier(rating: int, games: int, part: float) -> None:
    """Worked by hand from the rule: 1 below 200 games, .5 above 1,000, between them the lesser of two."""
    assert multiplier(rating, games) == pytest.approx(part)
    assert Coco().multiplier(np.array([[float(rating)]]), np.array([[float(games)]])) == pytest.approx(part)


def test_a_change_of_a_veteran_counts_in_part() -> None:
    """1500 ± 100 with 299 games beats 1600 ± 150 by 60; m = 1 - 300/1800, Glixo's change by hand: 16.2791."""
    units = [[Member("Veteran", 1500.0, 100.0, 299)], [Member("Other", 1600.0, 150.0, 0)]]
    game = [Game(1, 0, 1, 60, 1.0)]
    full = (1 / 225_000) / (1 / 10_000 + 1 / 225_000) * (1600 + 5 * 60 - 1500)
    assert full == pytest.approx(17.0213, abs=5e-5)
    whole = one(units, game, Coco(rounding=False))
    assert whole.loc["Veteran", "after"] == pytest.approx(1500 + full * (1 - 300 / 1800))
    assert one(units, game).loc["Veteran", "after"] == 1514


def test_without_its_own_rules_it_is_glixo() -> None:
    plain = Coco(full_games=1e9, veteran_games=1e9, fading_games=1e9, rounding=False, floor=1)

    @settings(max_examples=40)
    @given(sections(unrated=False))
    def run(section: Section) -> None:
        same = Glixo(initial_deviation=150, spread_cap="none")
        for name in ("after", "deviation_after"):
            mine, theirs = (rate(history(section), system).changes[name] for system in (plain, same))
            np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-9)

    run()


def test_halves_go_to_the_even_number() -> None:
    """Two games against 1500 ± 150, 6 points won in all: 1500 + 5·6/12 = 1502.5 by hand; 1505 + 30/12 = 1507.5."""
    games = [Game(1, 0, 1, 4, 1.0), Game(2, 0, 1, 2, 1.0)]
    for start, after in ((1500.0, 1502), (1505.0, 1508)):
        units = [[Member("A", start, 150.0)], [Member("B", start, 150.0)]]
        assert one(units, games).loc["A", "after"] == after


def test_a_filed_rating_below_100_is_none() -> None:
    game = [Game(1, 0, 1, 10, 1.0)]
    for filed, rated in ((99.0, False), (100.0, True)):
        before = one([[Member("A", filed)], [Member("B", 1500.0)]], game).loc["A"]
        assert (before["before"] == filed) == rated
        assert before["deviation_before"] == 150
    assert one([[Member("A", 99.0, 40.0)], [Member("B", 1500.0)]], game).loc["A", "deviation_before"] == 150


def test_a_first_timer_among_the_rated_settles_where_the_games_say() -> None:
    """Six rated opponents at 1500, 1600 … 2000 and a spread of 30 against each: 1750 + 5·30 = 1900, by hand.

    All opponents weigh the same, so a pass takes the rating by 6/16 of the way to 1900, until less than half a point
    is left to go: the last step is from 1899, .375 short of the next whole number.
    """
    units = [[Member("New")]] + [[Member(f"Old {i}", 1500.0 + 100 * i)] for i in range(6)]
    games = [Game(i + 1, 0, i + 1, 30, 1.0) for i in range(6)]
    row = one(units, games).loc["New"]
    assert row["after"] == 1899
    assert row["deviation_after"] == 150
    settled = one(units, games, Coco(rounding=False, tolerance=1e-12, passes=500)).loc["New"]
    assert settled["after"] == pytest.approx(1900, abs=1e-9)


def test_a_first_timer_among_first_timers_begins_each_pass_at_the_sections_mean() -> None:
    """Two first-timers who play each other, and two rated at 1700: (1700 + 1700)/4 = 850 for both, by hand.

    In the first pass the first is rated against the other's 1500: 850 + (1500 - 850)/11 = 909.09. The other against
    that: 850 + (909 - 850)/11 = 855.36. The second pass gives 850 + 5/11 and 850; the third the same for both.
    """
    units = [[Member("New A")], [Member("New B")], [Member("Old A", 1700.0)], [Member("Old B", 1700.0)]]
    games = [Game(1, 0, 1, 0, 0.5), Game(1, 2, 3, 0, 0.5)]
    one_pass = one(units, games, Coco(passes=1))
    assert one_pass["after"].tolist() == [909, 855, 1700, 1700]
    assert one(units, games)["after"].tolist() == [850, 850, 1700, 1700]
    # where that is below the floor the pass begins at 1500: nobody is rated here
    assert one(units[:2], games[:1])["after"].tolist() == [1500, 1500]


@pytest.mark.parametrize(("rated", "after"), [(3, 1400), (4, 1625)])
def test_two_unrated_opponents_in_five_are_enough(rated: int, after: int) -> None:
    """Two games with a first-timer, the others with rated ones at 2000, spreads of 0; the first pass by hand.

    Of five games two are 40 %: from 6000/5 = 1200 to (10·1200 + 2·1500 + 3·2000)/15 = 1400. Of six they are not:
    from 1500 to (10·1500 + 2·1500 + 4·2000)/16 = 1625.
    """
    units = [[Member("New A")], [Member("New B")]] + [[Member(f"Old {i}", 2000.0)] for i in range(rated)]
    games = [Game(i, 0, max(1, i - 1), 0, 0.5) for i in range(1, rated + 3)]
    assert one(units, games, Coco(passes=1)).loc["New A", "after"] == after


def test_the_bye_is_an_entrant_at_1500() -> None:
    """As above, with one bye: (1700 + 1700 + 1500)/5 = 980 where the first-timers begin, by hand."""
    filed = {"Old A": 1700.0, "Old B": 1700.0, "New A": 0.0, "New B": 0.0}
    games = [("New A", "New B", 400.0, 400.0), ("Old A", "Old B", 400.0, 400.0), ("Old A", BYE, 50.0, 0.0)]
    event = Event("e", date(2024, 1, 1), filed, games)
    changes = written([event]).changes.set_index("player")
    assert changes["after"].to_dict() == {"Old A": 1700, "Old B": 1700, "New A": 980, "New B": 980}


def test_time_widens_the_deviation_up_to_150() -> None:
    """σ² + 100 a day: 100 days after a deviation of d it is √(d² + 10,000)."""
    section = Section([[Member("A", 1500.0, 80.0)], [Member("B", 1500.0, 80.0)]], [Game(1, 0, 1, 10, 1.0)], 1)
    dates = ("2024-01-01", "2024-04-10", "2026-01-01")
    changes = replay(history(*(replace(section, date=day) for day in dates)), "coco").changes
    of_a = changes[changes["player"] == "A"]
    first = of_a["deviation_after"].iloc[0]
    assert of_a["deviation_before"].tolist() == pytest.approx([80, np.sqrt(first**2 + 10_000), 150])


def test_career_games_count_byes_and_what_the_files_know_of() -> None:
    games = [("A", BYE, 50.0, 0.0), ("A", "B", 50.0, 0.0), ("A", "B", 400.0, 350.0)]
    filed = {"A": 1500.0, "B": 1500.0}
    days = (date(2024, 1, 1), date(2024, 2, 1))
    whole = written([Event(f"e{i}", day, filed, games) for i, day in enumerate(days)]).schedule.whole
    career = Coco().career_games(whole)[:, 0]
    assert career.tolist() == [3, 2, 6, 4]
    known = schedule(history(Section([[Member("A", 1500.0, None, 250)], [Member("B", 1500.0)]], [], 1))).whole
    assert Coco().career_games(known)[:, 0].tolist() == [250, 0]


def test_career_games_of_a_second_section_count_the_first() -> None:
    section = Section([[Member("A", 1900.0)], [Member("B", 1700.0)]], [Game(r, 0, 1, 5, 1.0) for r in (1, 2, 3)], 3)
    one = history(section).tables()
    again = {name: one[name].assign(section="second") for name in ("entries", "games")}
    whole = schedule(assemble([Parsed(one), Parsed(again)])).whole
    assert Coco().career_games(whole)[:, 0].tolist() == [3, 3, 6, 6]


# --- properties -------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(sections(teams=True, max_rounds=20))
def test_what_holds_of_every_update(section: Section) -> None:
    changes = rate(history(section), "coco").changes
    known = changes["before"].notna()
    assert (changes["after"][changes["games"] > 0] >= 300).all()
    assert (changes["after"][changes["games"] > 0] % 1 == 0).all()
    # two digits may round a deviation up by half of the last one
    assert (changes["deviation_after"] <= changes["deviation_before"] + 0.005 + 1e-9).all()
    assert (changes["deviation_after"] == 150)[~known].all()
    idle = changes["games"] == 0
    pd.testing.assert_series_equal(changes["after"][idle], changes["before"][idle], check_names=False)


@settings(max_examples=40)
@given(sections(), st.data())
def test_a_larger_spread_never_hurts(section: Section, data: st.DataObject) -> None:
    rated = [g for g in section.games if section.units[g.a][0].rating and section.units[g.b][0].rating]
    if not rated:
        return
    game = data.draw(st.sampled_from(rated))
    more = game.spread + data.draw(st.integers(1, 300))
    games = [replace(g, spread=more, result=outcome(more)) if g is game else g for g in section.games]
    name = section.units[game.a][0].name
    before, after = (
        rate(history(replace(section, games=of)), "coco").changes.set_index("player").loc[name, "after"]
        for of in (section.games, games)
    )
    assert after >= before


GRID = Coco(
    tau=(80, 90, 100),
    initial=(1400, 1500, 1500),
    unrated_share=(0, 0.4, 1),
    passes=(1, 50, 20),
    floor=(300, 800, 100),
    full_games=(10, 200, 50),
    rounding=False,
)


@pytest.mark.parametrize("teams", [False, True])
@pytest.mark.parametrize("grid", [GRID, replace(GRID, rounding=True)], ids=["exact", "rounded"])
def test_a_grid_holds_the_single_systems(grid: Coco, teams: bool) -> None:
    @settings(max_examples=12, deadline=None)
    @given(st.lists(sections(teams=teams, max_rounds=20), min_size=1, max_size=3))
    def run(drawn: list[Section]) -> None:
        prepared = schedule(history(*dated(drawn)))
        whole = replay(prepared, grid)
        for index in range(3):
            column, single = whole.column(index), replay(prepared, grid.column(index))
            pd.testing.assert_frame_equal(column.changes, single.changes, rtol=0, atol=1e-9)
            pd.testing.assert_frame_equal(column.forecasts, single.forecasts, rtol=0, atol=1e-9)

    run()


@pytest.mark.parametrize("rounding", [True, False])
@pytest.mark.parametrize("teams", [False, True])
def test_a_worked_computation_adds_up(teams: bool, rounding: bool) -> None:
    """Points to the change of the rating (of a first-timer, to the rating), information to that of 1/σ²."""
    system = Coco(rounding=rounding)

    @settings(max_examples=30, deadline=None)
    @given(st.lists(sections(teams=teams, max_rounds=20), min_size=1, max_size=2))
    def run(drawn: list[Section]) -> None:
        check_workings(replay(history(*dated(drawn)), system))

    run()


def test_a_forecast_of_somebody_unrated_stands_at_the_sections_mean() -> None:
    units = [[Member("New")], [Member("Old A", 1400.0)], [Member("Old B", 1800.0)]]
    games = [Game(1, 0, 1, 10, 1.0), Game(2, 0, 2, 10, 1.0)]
    result = rate(history(Section(units, games, 2)), "coco")
    assert result.forecasts["spread_mean"].tolist() == pytest.approx([40, -40])
    assert result.forecasts["spread_sd"].tolist() == pytest.approx([np.sqrt(90**2 + 2 * 30**2)] * 2)


@pytest.mark.parametrize(
    ("key", "value"),
    [("passes", "0"), ("band_1", "2100"), ("full_games", "1001"), ("veteran_games", "1900"), ("growth", "fast")],
)
def test_values_that_no_rating_can_be_made_with(key: str, value: str) -> None:
    with pytest.raises(UsageError, match=f"^coco: .*{key}"):
        make("coco", {key: value})


def test_least_filed_is_one_number() -> None:
    with pytest.raises(UsageError, match="least_filed"):
        Coco(least_filed=(100, 200))
