"""US Chess and Evanston ratings: worked numbers, a real event, a plain transcription, and each rule on its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from adding import check_workings
from chess_sections import against, alone, step, worked
from hypothesis import given, settings
from hypothesis import strategies as st
from making import SHARED, Game, Member, Section, dated, history, needs_shared, sections
from oracles import uscf as oracle

from ratinglab.formats import load
from ratinglab.formats.uscf_crosstable import published
from ratinglab.history import History
from ratinglab.replaying import rate, replay
from ratinglab.scheduling import schedule
from ratinglab.schema import conform
from ratinglab.systems import Evanston, Uscf, parse
from ratinglab.systems.uscf import effective_games

# --- worked numbers --------------------------------------------------------------------------------------------------


def test_the_published_example_of_the_special_formula() -> None:
    """1500 after 6 games, a win against 1400, a loss to 1550, a draw with 1650: 1511.111 (US Chess, approximating
    formulas, June 2015), before opponents' own results are taken into account: the first sweep."""
    assert alone(1500, 6, [1400, 1550, 1650], 1.5) == pytest.approx(1511.111, abs=5e-4)
    player = Member("Umbrick, Tolly", 1500.0, None, 6)
    _, steps = worked(Uscf(), history(against(player, [(1400, 1), (1550, 0), (1650, 0.5)])))
    assert step(steps, "first sweep", "gives")[0] == pytest.approx(1511.111, abs=5e-4)


@pytest.mark.parametrize(("bonus", "after"), [(10, 1468.805), (12, 1464.805), (14, 1460.805)])
def test_the_example_of_the_bonus(bonus: float, after: float) -> None:
    """1300 after 45 games, beats 1250, 1500, 1550, draws 1400: K 44.1821, E 1.363334 (reference of the formulas)."""
    player = Member("Umbrick, Tolly", 1300.0, None, 45)
    section = against(player, [(1250, 1), (1400, 0.5), (1500, 1), (1550, 1)])
    _, steps = worked(Uscf(bonus=bonus), history(section))
    assert step(steps, "", "K")[0] == pytest.approx(44.1821, abs=5e-5)
    (first,) = [s for s in steps if s.name == "first sweep" and "expected" in s.columns]
    own = first.batch.directed.entry == 0
    assert first.columns["expected"][own].sum() == pytest.approx(1.363334, abs=5e-7)
    assert step(steps, "first sweep", "gives")[0] == pytest.approx(after, abs=5e-4)


def test_effective_games() -> None:
    """N' of 1700 after 30 games is 20.0118; above 2355, and only there, as many as 50 count."""
    ratings = np.array([[1700.0], [1700.0], [1700.0], [2355.0], [2356.0]])
    games = np.array([[30.0], [12.0], [np.nan], [np.nan], [np.nan]])
    found = effective_games(ratings, games)[:, 0]
    assert found[0] == found[2] == pytest.approx(20.0118, abs=5e-5)
    assert found[1] == 12
    assert found[3] == pytest.approx(50 / np.sqrt(0.662 + 0.00000739 * 214**2))
    assert found[4] == 50


def test_nothing_won_against_four() -> None:
    """An unrated player who loses to 300, 350, 400 and 500 is at -100 before floors; with them at 101."""
    assert alone(750, 0, [300, 350, 400, 500], 0) == -100
    section = against(Member("Umbrick, Tolly"), [(300, 0), (350, 0), (400, 0), (500, 0)])
    changes, steps = worked(Uscf(), history(section))
    assert step(steps, "first sweep", "gives")[0] == -100
    assert changes.loc["Umbrick, Tolly", "after"] == 101
    # in the second sweep the four stand a little higher, and so does the point 400 below the lowest of them
    lowest = step(steps, "first sweep", "gives")[1]
    assert rate(history(section), Evanston(initial=750)).changes.loc[0, "after"] == pytest.approx(lowest - 400)


def test_two_hundred_points_are_three_wins_of_four() -> None:
    section = against(Member("Umbrick, Tolly", 1700.0), [(1500, 1)])
    win = rate(history(section), Uscf()).forecasts["win"].iloc[0]
    assert max(win, 1 - win) == pytest.approx(0.7597, abs=5e-5)
    units = [[Member("A", 1500.0)], [Member("B", 1500.0)]]
    colours = history(Section(units, [Game(1, 0, 1, None, 1.0, 1), Game(2, 0, 1, None, 1.0, 0)], 2))
    result = rate(colours, Uscf(advantage=40))
    win = 1 / (1 + 10**-0.1)
    assert result.forecasts["win"].tolist() == pytest.approx([win, 1 - win])
    pd.testing.assert_frame_equal(result.changes, rate(colours, Uscf()).changes)  # of forecasts alone


# --- a real event ----------------------------------------------------------------------------------------------------

PEAKS = {54: 1400.0, 18: 1800.0}  # whose floors the published ratings show


def crosstable() -> pd.DataFrame:
    return pd.read_csv(SHARED / "golden" / "uscf_crosstable_b12.csv")


def with_peaks(of: History, numbers: dict[str, int]) -> History:
    """The history with the two peaks as rows of a rating list dated before the event."""
    rows = [
        {"player": player, "list_date": pd.Timestamp("2015-06-01"), "rating": PEAKS[number], "kind": "peak"}
        for player, number in numbers.items()
        if number in PEAKS
    ]
    day = pd.Timestamp("2016-01-09")
    return replace(
        of,
        events=of.events.assign(date=day, end_date=day),
        rating_lists=conform("rating_lists", pd.DataFrame(rows)),
    )


def from_columns(golden: pd.DataFrame) -> History:
    """The event from the golden table's own columns."""
    prior = [None if pd.isna(games) else int(games) for games in golden["prior_games"]]
    units = [
        [Member(f"Player {row.no:02d}", float(row.pre), None, n)]
        for row, n in zip(golden.itertuples(), prior, strict=True)
    ]
    score = {"W": 1.0, "D": 0.5, "L": 0.0}
    games = [
        Game(r, row.no - 1, int(cell[1:]) - 1, None, score[cell[0]])
        for row in golden.itertuples()
        for r in range(1, 8)
        if (cell := getattr(row, f"r{r}"))[0] in score and int(cell[1:]) > row.no
    ]
    of = history(Section(units, games, 7, "uscf"))
    return with_peaks(of, {f"Player {row.no:02d}": row.no for row in golden.itertuples()})


def check_event(of: History, golden: pd.DataFrame) -> None:
    """Both sweeps, K and N' of all 64, to the last digit the golden table has; the ratings published by US Chess."""
    changes, steps = worked(Uscf(peak_list="peak"), of)  # the event is of 2016: B = 12
    changes = changes.reset_index().sort_values("number")
    order = changes.index.to_numpy()
    for name, column, expected, places in (
        ("first sweep", "gives", "step4_B12", 3),
        ("", "effective_games", "n_eff", 4),
        ("", "K", "K", 4),
    ):
        found = step(steps, name, column)[order]
        special = np.isnan(found)  # K of those whom the special formula rates, which does not use it
        assert special.sum() in (0, 3)
        np.testing.assert_allclose(found[~special], golden[expected][~special], rtol=0, atol=0.51 * 10**-places)
    unbounded = (changes["before"] + changes["base"] + changes["bonus"]).to_numpy()
    np.testing.assert_allclose(unbounded, golden["step5_B12"], rtol=0, atol=0.00051)
    floored = changes["floor"].to_numpy() > 0
    assert golden["no"][floored].tolist() == [18, 54]
    assert changes["after"][floored].tolist() == [1600, 1200]
    off = np.abs(np.floor(changes["after"].to_numpy() + 0.5) - golden["post_published"])
    assert off.max() <= 1
    assert (off == 0).sum() == 53
    counted = changes["lifetime_games_after"].to_numpy()
    known = golden["post_games"].notna().to_numpy()
    assert counted[known].tolist() == golden["post_games"][known].tolist()


@needs_shared
def test_the_event_of_64_from_the_golden_columns() -> None:
    """`uscf_crosstable_b12.csv`: B = 12, two sweeps, and floors of 1200 and 1600 after the last."""
    golden = crosstable()
    check_event(from_columns(golden), golden)


@needs_shared
def test_the_event_of_64_from_its_crosstable() -> None:
    path = SHARED / "chess" / "uscf_crosstable.txt"
    numbers = published(path).set_index("player")["number"].to_dict()
    check_event(with_peaks(load(path), numbers), crosstable())


# --- a plain transcription -------------------------------------------------------------------------------------------

VARIANTS = {
    "uscf:bonus=12": {},
    "uscf:bonus=8,dual=all": {"bonus": 8, "dual": True},
    "uscf:rules=before-2001": {"old": True},
    "evanston:initial=300,bonus=12": {"floors": False},
}


@pytest.mark.parametrize("system", VARIANTS)
def test_a_history_is_what_the_transcription_gives(system: str) -> None:
    parsed = parse(system)
    initial = 300.0 if "initial" in system else 750.0

    @settings(max_examples=30, deadline=None)
    @given(st.lists(sections(max_rounds=6, whole_ratings=False), min_size=1, max_size=3))
    def run(drawn: list[Section]) -> None:
        said: dict[str, Member] = {}  # each is filed the same at every event
        events = [
            replace(s, date=f"2024-0{i}-01", units=[[said.setdefault(m.name, m)] for (m,) in s.units])
            for i, s in enumerate(drawn, 1)
        ]
        players = {name: oracle.filed(m.rating, m.lifetime, initial) for name, m in said.items()}
        changes = replay(history(*events), parsed).changes
        for i, section in enumerate(events, 1):
            players, _ = oracle.event(section, players, **VARIANTS[system])
            for row in changes[changes["event"] == f"e{i}"].itertuples():
                player = players[row.player]
                assert row.after == pytest.approx(player.rating, abs=1e-8)
                assert (None if np.isnan(row.lifetime_games_after) else row.lifetime_games_after) == player.games
                assert row.peak_after == pytest.approx(np.nan if player.peak is None else player.peak, nan_ok=True)

    run()


@settings(max_examples=40, deadline=None)
@given(sections(max_rounds=6))
def test_the_first_sweep_is_what_the_transcription_gives(section: Section) -> None:
    players = {m.name: oracle.filed(m.rating, m.lifetime, 750.0) for (m,) in section.units}
    _, first = oracle.event(section, players)
    if first:
        of = history(section)
        changes, steps = worked(Uscf(bonus=12), of)
        found = dict(zip(changes.index, step(steps, "first sweep", "gives")[: len(changes)], strict=True))
        for name, rating in first.items():
            assert found[name] == pytest.approx(rating, abs=1e-8)


@settings(max_examples=300)
@given(
    st.integers(-200, 2500).map(float),
    st.one_of(st.sampled_from([0.0, 1.0, 2.0, 6.0, 8.0]), st.floats(1, 50)),
    st.lists(st.tuples(st.integers(-300, 2700), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=9),
    st.sampled_from([-1, 0, 1]),
)
def test_the_special_formula_is_solved(
    rating: float, effective: float, played: list[tuple[int, float]], record: int
) -> None:
    """To 1e-9 of the equation's solution in exact fractions, also where the roots fill an interval."""
    opponents, score = [float(o) for o, _ in played], sum(won for _, won in played)
    exact = oracle.special(rating, effective, opponents, score, record == 1, record == -1)
    assert alone(rating, effective, opponents, score, record) == pytest.approx(exact, rel=0, abs=1e-9)


def test_roots_that_fill_an_interval() -> None:
    """All won against 300: every rating from 700 is a root; who stands there stays, who does not moves to its end."""
    assert alone(750, 0, [300], 1) == 750
    assert alone(500, 0, [300], 1) == 700
    # a draw with 2400 at 1500 after one game: the roots are 1900 to 2000
    assert alone(1500, 1, [2400], 0.5) == 1900
    assert alone(2400, 1, [1500], 0.5) == 2000
    # only wins so far: the earlier games stand as wins over R - 400
    assert alone(1000, 10, [900], 0, record=1) == pytest.approx((10 * 1000 + 500) / 11)
    assert alone(1000, 10, [900], 1, record=1) == 1300


# --- workings and grids ----------------------------------------------------------------------------------------------

SYSTEMS = ["uscf", "uscf:rules=before-2001", "uscf:k=32,dual=all", "evanston", "evanston:k=24,bonus=none"]


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("teams", [False, True])
def test_points_add_up_to_the_change(system: str, teams: bool) -> None:
    parsed = parse(system)

    @settings(max_examples=25, deadline=None)
    @given(st.lists(sections(max_rounds=8, teams=teams), min_size=1, max_size=3), st.booleans())
    def run(drawn: list[Section], old: bool) -> None:
        year = 2000 if old else 2024  # two events of before 2001 and one of after, or all of today
        events = [replace(s, date=f"{year + i // 2}-0{i + 1}-01") for i, s in enumerate(drawn)]
        check_workings(replay(history(*events), parsed))

    run()


GRIDS = [
    Uscf(bonus=(8, 12, 16), established_games=(20, 25, 30)),
    Uscf(initial=(400, 750, 1300), k=(20, 32, 50), advantage=(0, 20, 40)),
    Uscf(rules="before-2001", unknown_initial=(300, 750, 1000)),
    Evanston(unknown_initial=(-100, 400, 750)),
]


@pytest.mark.parametrize("grid", GRIDS, ids=lambda g: f"{g.name}-{GRIDS.index(g)}")
@pytest.mark.parametrize("teams", [False, True])
def test_a_grid_holds_the_single_systems(grid: Uscf, teams: bool) -> None:
    @settings(max_examples=12, deadline=None)
    @given(st.lists(sections(teams=teams), min_size=1, max_size=3))
    def run(drawn: list[Section]) -> None:
        prepared = schedule(history(*dated(drawn)))
        whole = replay(prepared, grid)
        for index in range(3):
            single, column = replay(prepared, grid.column(index)), whole.column(index)
            pd.testing.assert_frame_equal(column.forecasts, single.forecasts, rtol=0, atol=1e-9)
            pd.testing.assert_frame_equal(column.changes, single.changes, rtol=0, atol=1e-9)

    run()


@settings(max_examples=30, deadline=None)
@given(sections())
def test_changes_are_the_sum_of_their_parts(section: Section) -> None:
    changes = rate(history(section), Uscf()).changes
    parts = changes["base"] + changes["bonus"] + changes["floor"]
    np.testing.assert_allclose(changes["after"] - changes["before"], parts, atol=1e-9)
    idle = changes["games"] == 0
    assert (changes["after"] == changes["before"])[idle].all()
