"""Groups of games, counted by hand and by loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from making import Game, Member, Section, history

from ratinglab.comparison import subsets
from ratinglab.comparison.subsets import counts, game_subsets, stretches
from ratinglab.history import History
from ratinglab.problems import UsageError
from ratinglab.replaying import replay
from ratinglab.sample import individual_circuit, team_circuit
from ratinglab.scheduling import schedule


def two(a: Member, b: Member, date: str, result: float = 1.0, spread: int | None = 20) -> Section:
    """A section in which two play two games."""
    return Section([[a], [b]], [Game(1, 0, 1, spread, result), Game(2, 0, 1, spread, result)], 2, date=date)


def names(found: subsets.Subsets, kind: str) -> dict[str, list[int]]:
    """Of each group of a kind, the games in it."""
    return {name: np.flatnonzero(mask).tolist() for (of, name), mask in found.items() if of == kind}


def test_newcomers_by_games_filed_numbers_and_ratings() -> None:
    new, old = Member("New"), Member("Old", 1500.0, lifetime=200)
    filed, few = Member("Filed", 1400.0), Member("Few", 1300.0, lifetime=3)
    made = history(
        two(new, old, "2024-01-01"),  # a newcomer by nothing filed
        two(new, filed, "2024-02-01"),  # two games later still one; a rating without a number counts as settled
        two(new, few, "2024-03-01"),  # 4 and 3 games
        two(Member("Few"), new, "2024-04-01"),  # 5 and 6 games
    )
    found = names(game_subsets(schedule(made), new_games=5), "experience")
    assert found == {"two newcomers": [4, 5], "one newcomer": [0, 1, 2, 3], "settled": [6, 7]}
    fresh = names(game_subsets(schedule(made, start="fresh"), new_games=3), "experience")
    # where everybody starts anew a filed rating makes nobody settled; a number of games that is filed still counts
    assert fresh == {"two newcomers": [2, 3], "one newcomer": [0, 1], "settled": [4, 5, 6, 7]}


def test_newcomers_are_those_of_a_loop() -> None:
    made, _ = individual_circuit(np.random.default_rng(2), players=14, events=12, rounds=5, field=6)
    prepared = schedule(made)
    found = game_subsets(prepared, new_games=12)
    seen: dict[str, int] = {}
    wanted = []
    for event in made.events["event"]:
        games = made.games[made.games["event"] == event].sort_values("round", kind="stable")
        before = dict(seen)
        for game in games.itertuples():
            fewer = [before.get(name, 0) < 12 for name in (game.player, game.opponent)]
            wanted.append((event, game.round, tuple(sorted((game.player, game.opponent))), sum(fewer)))
            for name in (game.player, game.opponent):
                seen[name] = seen.get(name, 0) + 1
    of = {(event, played, who): count for event, played, who, count in wanted}
    rows = made.games.iloc[prepared.game_row]
    for count, name in enumerate(("settled", "one newcomer", "two newcomers")):
        mask = found.get(("experience", name), np.zeros(len(rows), dtype=bool))
        keys = zip(rows["event"], rows["round"], rows["player"], rows["opponent"], strict=True)
        assert mask.tolist() == [of[event, played, tuple(sorted(who))] == count for event, played, *who in keys]


def test_a_team_is_as_new_as_its_newest_member() -> None:
    made, _ = team_circuit(np.random.default_rng(4), players=14, events=3, rounds=3)
    prepared = schedule(made)
    found = game_subsets(prepared, new_games=4)
    entries = made.entries.iloc[prepared.entry_row]
    fewest = prepared.games_before.copy()
    least = pd.Series(fewest).groupby([entries["event"].to_numpy(), entries["team"].to_numpy()]).min()
    rows = made.games.iloc[prepared.game_row]
    new = [
        sum(least[event, side] < 4 for side in sides)
        for event, *sides in zip(rows["event"], rows["player"], rows["opponent"], strict=True)
    ]
    assert (found["experience", "two newcomers"]).tolist() == [count == 2 for count in new]


def with_people(made: History, **columns: list[object]) -> History:
    players = pd.DataFrame(columns)
    from ratinglab import schema

    return replace(made, players=schema.conform("players", players))


def test_juniors_and_grades() -> None:
    a, b, c, d = (Member(name) for name in ("Ann", "Bo", "Cy", "Di"))
    made = history(two(a, b, "2024-01-01"), two(b, c, "2024-02-01"), two(c, d, "2024-03-01"), two(a, c, "2024-04-01"))
    born = pd.to_datetime(["2010-05-01", None, "1980-01-01", None])
    made = with_people(made, player=["Ann", "Bo", "Cy", "Di"], birth_date=born, grade=["8", "grade 4", None, None])
    found = game_subsets(schedule(made))
    # Bo has a grade and no birth date; of Di nothing is known
    assert names(found, "juniors") == {
        "both under 18": [0, 1],
        "one under 18": [2, 3, 6, 7],
        "not known": [4, 5],
    }
    assert names(found, "grade") == {
        "grade 4": [0, 1, 2, 3],
        "grade 8": [0, 1, 6, 7],
        "not known": [2, 3, 4, 5, 6, 7],
    }
    assert list(names(game_subsets(schedule(made), junior_age=12), "juniors")) == [
        "one under 12",
        "neither under 12",
        "not known",
    ]


def test_what_is_not_known_of_anybody_is_left_out() -> None:
    made = history(two(Member("Ann", 1500.0), Member("Bo", 1400.0), "2024-01-01"))
    kinds = {kind for kind, _ in game_subsets(schedule(made))}
    assert kinds == {"experience", "year", "result", "spread"}


def test_divisions_pools_results_and_spreads() -> None:
    a, b = Member("Ann", 1500.0), Member("Bo", 1400.0)
    made = history(
        two(a, b, "2024-01-01"), two(a, b, "2025-01-01", 0.5, 0), two(a, b, "2025-02-01", 0.0, None)
    )  # fmt: skip
    made = replace(
        made,
        events=made.events.assign(pool=["school", None, "open"]),
        entries=made.entries.assign(section=["A", "A", "B", "B", "B", "B"]),
        games=made.games.assign(section=["A", "A", "B", "B", "B", "B"]),
    )
    found = game_subsets(schedule(made))
    assert names(found, "division") == {"A": [0, 1], "B": [2, 3, 4, 5]}
    assert names(found, "pool") == {"open": [4, 5], "school": [0, 1], "no pool given": [2, 3]}
    assert list(names(found, "pool")) == ["open", "school", "no pool given"]
    assert names(found, "result") == {"decisive": [0, 1, 4, 5], "drawn": [2, 3]}
    assert names(found, "spread") == {"known": [0, 1, 2, 3], "not known": [4, 5]}
    assert names(found, "year") == {"2024": [0, 1], "2025": [2, 3, 4, 5]}
    table = counts(schedule(made), found).set_index(["kind", "subset"])
    assert table.loc[("division", "B")].tolist() == [4, 2]
    some = np.array([True, False, True, False, False, False])
    assert counts(schedule(made), found, some).set_index(["kind", "subset"]).loc[("division", "B")].tolist() == [1, 1]


def test_the_top_is_that_of_a_loop() -> None:
    made, _ = individual_circuit(np.random.default_rng(6), players=20, events=14, rounds=4, field=8)
    # two of the events lie so far back that who played only there is no longer active
    shift = pd.to_timedelta([1000] * 2 + [0] * 12, unit="D")
    made = replace(made, events=made.events.assign(**{day: made.events[day] - shift for day in ("date", "end_date")}))
    result = replay(made, "elo")
    found = game_subsets(result.schedule, strength=result, top=5)
    rating: dict[str, float] = {}
    last: dict[str, pd.Timestamp] = {}
    top: dict[tuple[str, str], bool] = {}
    changes = result.changes
    for event, rows in changes.groupby("event", sort=False):
        day = rows["date"].iloc[0]
        active = sorted((r for name, r in rating.items() if (day - last[name]).days <= 730), reverse=True)
        for row in rows.itertuples():
            known = row.player in rating
            top[event, row.player] = known and len(active) > 5 and rating[row.player] >= active[4]
        for row in rows[rows["games"] > 0].itertuples():
            rating[row.player], last[row.player] = row.after, day
    games = made.games.iloc[result.schedule.game_row]
    sides = [
        top[event, a] + top[event, b]
        for event, a, b in zip(games["event"], games["player"], games["opponent"], strict=True)
    ]
    for name, count in (("both", 2), ("one", 1), ("neither", 0)):
        assert found["top", f"{name} in the top 5"].tolist() == [side == count for side in sides]
    assert 0 < sides.count(2) < len(sides)


def test_where_there_are_not_more_players_there_is_no_top() -> None:
    made, _ = individual_circuit(np.random.default_rng(6), players=8, events=3, rounds=4)
    result = replay(made, "elo")
    assert not names(game_subsets(result.schedule, strength=result, top=8), "top")
    with pytest.raises(UsageError, match="details=True"):
        game_subsets(result.schedule, strength=replay(made, "elo", details=False))


@pytest.mark.parametrize(
    ("last", "wanted"),
    [
        ("2024-12-01", ["2024 Jan–Jun", "2024 Jul–Dec"]),
        ("2029-12-01", ["2024", "2029"]),
        (None, ["2024 Jan–Jun", "no date"]),
    ],
)
def test_stretches_of_time(last: str | None, wanted: list[str]) -> None:
    a, b = Member("Ann", 1500.0), Member("Bo", 1400.0)
    made = history(two(a, b, "2024-01-01"), two(a, b, last or "2024-03-01"))
    if last is None:
        dates = {day: made.events[day].where(made.events["event"] == "e1") for day in ("date", "end_date")}
        made = replace(made, events=made.events.assign(**dates))
    found = stretches(schedule(made))
    assert list(found) == wanted
    assert [mask.sum() for mask in found.values()] == [2, 2]
    # told by year where the games that count span years, not where the history does
    counted = np.array([True, True, False, False])
    assert next(iter(stretches(schedule(made), counted))) == "2024 Jan–Jun"


def test_a_history_without_games_has_no_groups() -> None:
    made = history(Section([[Member("Ann")], [Member("Bo")]], [], 1))
    assert game_subsets(schedule(made)) == {}
    assert stretches(schedule(made)) == {}


def test_every_kind_is_described() -> None:
    assert set(subsets.KINDS) == {
        "experience", "division", "pool", "juniors", "grade", "top", "year", "result", "spread",
    }  # fmt: skip
