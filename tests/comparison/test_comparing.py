"""Comparisons of whole histories against slow computations, and of histories whose answer is known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import SHARED, Game, Member, Section, needs_shared
from making import history as of_sections
from making_placings import Placed
from making_placings import history as of_places
from oracles.forecast_tests import slow_dm, slow_losses, slow_quantile

import ratinglab
from ratinglab.comparison.comparing import Comparison, compare
from ratinglab.history import History
from ratinglab.problems import UsageError
from ratinglab.replaying import replay
from ratinglab.sample import individual_circuit
from ratinglab.scheduling import schedule
from ratinglab.tasks import Workers


@pytest.fixture(scope="module")
def history() -> History:
    return individual_circuit(np.random.default_rng(3), players=12, events=9, rounds=6)[0]


@pytest.fixture(scope="module")
def long_history() -> History:
    """A year and a half of weekly events."""
    return individual_circuit(np.random.default_rng(5), players=20, events=75, rounds=3, field=8)[0]


def with_other_results(history: History, since: str, rng: np.random.Generator) -> History:
    """The history with new scores of every game of events from a date on."""
    late = history.events.loc[history.events["end_date"] >= pd.Timestamp(since), "event"]
    games = history.games.copy()
    changed = games["event"].isin(late).to_numpy()
    spread = rng.integers(-300, 300, size=changed.sum())
    games.loc[changed, "score"], games.loc[changed, "opponent_score"] = 400.0 + spread, 400.0
    games.loc[changed, "result"] = np.where(spread > 0, 1.0, np.where(spread < 0, 0.0, 0.5))
    return replace(history, games=games)


def test_scores_are_those_of_score(history: History) -> None:
    found = compare(history, ["glixo", "elo:k=30"])
    for label in ("glixo", "elo:k=30"):
        own = found.scores.set_index("system").loc[label]
        same = ratinglab.score(replay(history, label)).iloc[0]
        for name in same.index.drop("system"):
            assert own[name] == same[name]
    assert found.scores["how"].tolist() == ["published values", "as given: k=30"]
    assert (found.games, found.events, found.metric) == (len(history.games), 9, "log_loss")
    assert compare(history, ["glixo", "glixo:tau=95"]).metric == "spread_log_score"


def test_gaps_are_counted_game_by_game(history: History) -> None:
    found = compare(history, ["elo", "glixo"])
    result = replay(history, "elo")
    before = result.changes.set_index(["event", "player"])["before"]
    rows = []
    for game in result.forecasts.itertuples():
        ahead = before[game.event, game.player] - before[game.event, game.opponent]
        if ahead > 0:
            rows.append((ahead, game.win, game.result))
        elif ahead < 0:
            rows.append((-ahead, 1 - game.win, 1 - game.result))
    table = found.by_gap[found.by_gap["system"] == "elo"]
    assert table["games"].sum() == len(rows)
    for bin in table.itertuples():
        mine = [row for row in rows if bin.low <= row[0] < bin.high]
        assert bin.games == len(mine)
        if mine:
            assert (bin.gap, bin.forecast, bin.observed) == pytest.approx(tuple(np.mean(mine, axis=0)))


def test_groups_and_times_add_up_to_the_whole(long_history: History) -> None:
    found = compare(long_history, ["elo", "glixo"], resamples=50)
    whole = found.scores.set_index("system")["log_loss"]
    for label in ("elo", "glixo"):
        for kind, rows in found.by_subset[found.by_subset["system"] == label].groupby("kind"):
            if kind not in ("grade",):
                assert rows["games"].sum() == found.games
                assert np.average(rows["value"], weights=rows["games"]) == pytest.approx(whole[label])
        times = found.over_time[found.over_time["system"] == label]
        assert times["time"].tolist() == ["2010 Jan–Jun", "2010 Jul–Dec", "2011 Jan–Jun"]
        assert np.average(times["value"], weights=times["games"]) == pytest.approx(whole[label])
    apart = found.over_time.set_index(["time", "system"])
    for time in ("2010 Jan–Jun", "2010 Jul–Dec"):
        have = apart.loc[(time, "glixo")]
        assert have["difference"] == pytest.approx(have["value"] - apart.loc[(time, "elo"), "value"])
        assert have["low"] < have["difference"] < have["high"]


def test_later_events_are_scored_by_the_same_forecasts(history: History) -> None:
    day = history.events["end_date"].iloc[5]
    found = compare(history, ["elo", "glixo"], test_from=f"{day:%Y-%m-%d}", min_games=20)
    forecasts = replay(history, "glixo").forecasts
    late = forecasts["event"].isin(history.events["event"].iloc[5:])
    kept = forecasts[late & (forecasts["player_games"] >= 20) & (forecasts["opponent_games"] >= 20)]
    losses = [loss for of in slow_losses(kept, "log_loss").values() for loss in of]
    assert (found.games, found.events) == (len(losses), 4)
    assert found.scores.set_index("system").loc["glixo", "log_loss"] == pytest.approx(np.mean(losses))


def test_no_system_is_better_than_a_coin_at_coins() -> None:
    """Results by coin, spreads symmetric: what every system believes to know of the players is noise."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        history, _ = individual_circuit(rng, players=16, events=20, rounds=6)
        coins = with_other_results(history, "2000-01-01", rng)
        found = compare(coins, ["naspa", "glixo", "elo"], resamples=400)
        assert (found.coin["difference"] > 0).all()  # whoever is sure of nothing loses
        assert not (found.coin["high"] < 0).any()


def test_skill_beats_a_coin(history: History) -> None:
    found = compare(history, ["glixo", "elo"])
    assert (found.coin.loc[found.coin["system"] == "glixo", "high"] < 0).all()


@pytest.fixture(scope="module")
def over_time(long_history: History) -> pd.DataFrame:
    return compare(long_history, ["naspa", "glixo", "elo"], resamples=20).over_time


@settings(max_examples=6)
@given(seed=st.integers(0, 1000), since=st.sampled_from(["2010-07-01", "2011-01-01"]))
def test_what_comes_later_changes_no_earlier_score(
    long_history: History, over_time: pd.DataFrame, seed: int, since: str
) -> None:
    changed = with_other_results(long_history, since, np.random.default_rng(seed))
    before, after = over_time, compare(changed, ["naspa", "glixo", "elo"], resamples=20).over_time
    early = before["time"] < since[:4] + (" Jul" if since[5:7] == "07" else "")
    assert early.sum() == (3 if since == "2010-07-01" else 6)
    pd.testing.assert_frame_equal(before[early], after[early], check_exact=True)
    assert not before[~early].equals(after[~early])


def test_tuning_sees_only_what_came_before(long_history: History) -> None:
    since = "2011-01-01"
    asked = {"test_from": since, "tune": ["elo:k=8:80"], "resamples": 50}
    found = compare(long_history, ["naspa", "elo"], **asked)
    (tuned,) = [label for label in found.systems if label.startswith("elo")]
    assert found.scores.set_index("system").loc[tuned, "how"] == (
        f"tuned on events before {since}: k={tuned.split('=')[1]}"
    )
    assert found.scores["how"].iloc[0] == "published values"
    (row,) = found.tuned.itertuples()
    assert (row.as_given, row.parameter, row.before) == ("elo", "k", since)
    assert row.events == (long_history.events["end_date"] < since).sum()
    # no K on a fine grid scores better before the date
    early = schedule(long_history.between(until="2010-12-31"))
    grid = ratinglab.score(replay(early, ratinglab.Elo(k=np.linspace(8, 80, 145))), metrics=["log_loss"])
    assert row.score <= grid["log_loss"].min() + 1e-9
    changed = with_other_results(long_history, since, np.random.default_rng(1))
    again = compare(changed, ["naspa", "elo"], **asked)
    pd.testing.assert_frame_equal(again.tuned, found.tuned, check_exact=True)


def test_values_can_be_tried_without_a_fit(history: History) -> None:
    day = f"{history.events['end_date'].iloc[6]:%Y-%m-%d}"
    found = compare(history, ["elo", "naspa"], test_from=day, tune=["naspa:k_new_low=10:30:3"], resamples=50)
    early = schedule(history.only(history.events["event"].iloc[:6]))
    grid = ratinglab.score(replay(early, ratinglab.Naspa(k_new_low=[10, 20, 30])), metrics=["log_loss"])["log_loss"]
    (row,) = found.tuned.itertuples()
    assert row.value == (10, 20, 30)[int(grid.argmin())]
    assert row.score == pytest.approx(grid.min())
    (how,) = found.scores.loc[found.scores["system"].str.startswith("naspa"), "how"]
    assert how == f"tuned on events before {day}: k_new_low={row.value:g}"


def test_workers_change_nothing(history: History) -> None:
    one = compare(history, ["naspa", "glixo", "elo"], resamples=50)
    two = compare(history, ["naspa", "glixo", "elo"], resamples=50, workers=Workers(2))
    assert one.tables().keys() == two.tables().keys()
    for name, table in one.tables().items():
        pd.testing.assert_frame_equal(table, two.tables()[name], check_exact=True)


def test_a_bound_is_shown_as_one(history: History) -> None:
    found = compare(history, ["bradley-terry", "glixo", "elo"])
    assert found.reference == "glixo"  # a system that looks back is nothing to be held against
    assert found.bounds == ("bradley-terry",)
    assert found.scores.set_index("system").loc["bradley-terry", "subset"] == "hindsight"
    rows = found.differences[found.differences["system"] == "bradley-terry"]
    assert not rows["in_best_set"].fillna(False).any()
    for table in (found.by_gap, found.by_subset, found.over_time, found.reliability):
        assert set(table["system"]) == {"glixo", "elo"}
    assert any("a bound" in note for note in found.notes)


def section(games: list[Game], date: str = "2024-01-01", rated: bool = True) -> Section:
    ratings = (1500.0, 1600.0, 1400.0, 1550.0)
    units = [[Member(f"Player {c}", rating if rated else None)] for c, rating in zip("ABCD", ratings, strict=True)]
    return Section(units, games, 3, date=date)


def test_draws_and_unknown_spreads_are_told() -> None:
    games = [Game(1, 0, 1, 0, 0.5), Game(1, 2, 3, None, 1.0), Game(2, 0, 2, 40, 1.0), Game(2, 1, 3, None, 0.0)]
    made = of_sections(section(games), section(games, "2024-02-01"))
    found = compare(made, ["glixo", "glixo:tau=100"])
    assert (found.ties, found.unknown_spreads, found.metric) == (2, 4, "spread_log_score")
    nothing = [Game(1, 0, 1, None, 1.0), Game(1, 2, 3, None, 0.0)]
    found = compare(of_sections(section(nothing), section(nothing, "2024-02-01")), ["glixo", "glixo:tau=100"])
    assert found.metric == "log_loss"  # where no spread is known
    assert found.differences.loc[found.differences["metric"] == "spread_log_score", "difference"].isna().all()


def test_one_event_has_scores_and_no_uncertainty() -> None:
    found = compare(of_sections(section([Game(1, 0, 1, 30, 1.0), Game(1, 2, 3, 10, 1.0)])), ["naspa", "glixo"])
    assert found.differences["se"].isna().all()
    assert found.differences["p"].isna().all()
    assert found.scores["log_loss"].notna().all()
    best = found.differences.loc[found.differences["metric"] == "log_loss", "in_best_set"]
    assert best.all()


def test_events_without_a_date_belong_to_neither_part() -> None:
    games = [Game(1, 0, 1, 30, 1.0), Game(1, 2, 3, 10, 1.0)]
    made = of_sections(section(games), section(games, "2024-02-01"), section(games, "2024-03-01"))
    events = made.events.assign(
        **{day: made.events[day].where(made.events["event"] != "e1") for day in ("date", "end_date")}
    )
    found = compare(replace(made, events=events), ["elo", "glixo"], test_from="2024-02-15")
    assert (found.games, found.events) == (2, 1)
    assert any("2 games of events without a date" in note for note in found.notes)
    whole = compare(replace(made, events=events), ["elo", "glixo"])
    assert set(whole.over_time["time"]) == {"2024 Jan–Jun", "no date"}


def test_teams_and_their_forecasts_are_compared() -> None:
    from ratinglab.sample import team_circuit

    made, _ = team_circuit(np.random.default_rng(4), players=14, events=4, rounds=3)
    found = compare(made, ["glixo", "elo", "naspa"], resamples=20)
    assert found.games == len(made.games)
    assert found.scores["log_loss"].notna().all()


def places(*orders: list[str]) -> History:
    return of_places(
        *(
            Placed({name: i for i, name in enumerate(order, 1)}, len(order), date=f"2010-0{month}-01")
            for month, order in enumerate(orders, 1)
        )
    )


def test_places_are_compared_by_order() -> None:
    from ratinglab.ordering import order_scores

    names = [f"Player {c}" for c in "ABCDEF"]
    made = places(names, names, names[::-1], names)
    found = compare(made, ["elo:k=1", "elo:k=5"])
    assert found.scores.empty
    assert found.order is not None
    same = order_scores(made, ["elo:k=1", "elo:k=5"])
    assert found.order["concordance"].tolist() == same["concordance"].tolist()
    assert found.order["system"].tolist() == ["elo:k=1", "elo:k=5"]
    assert set(found.tables()) == {"order.csv", "order-differences.csv"}


def test_a_mixed_list_compares_what_it_can() -> None:
    names = [f"Player {c}" for c in "ABCDEF"]
    games = [Game(1, 0, 1, 30, 1.0), Game(1, 2, 3, 10, 1.0)]
    made = of_sections(section(games), section(games, "2024-02-01"))
    found = compare(made, ["dip-pouch", "elo", "glixo"])
    assert found.scores["system"].tolist() == ["elo", "glixo"]
    assert found.reference == "elo"
    assert found.order is not None
    assert found.order["system"].tolist() == ["dip-pouch", "elo", "glixo"]
    assert any("dip-pouch rates places" in note for note in found.notes)
    found = compare(places(names, names), ["dip-pouch", "bradley-terry", "elo:k=1"])
    assert found.order is not None
    assert found.order["system"].tolist() == ["dip-pouch", "elo:k=1"]
    assert any("bradley-terry looks back" in note for note in found.notes)


@pytest.mark.parametrize(
    ("systems", "options", "told"),
    [
        (["elo", "elo"], {}, "two different systems or more; found elo"),
        (["elo", "glico"], {}, "no system glico; the systems are: glixo"),
        (["elo", "glixo"], {"tune": ["elo:k=8:40"]}, "--tune needs --test-from DATE"),
        (["elo", "glixo"], {"tune": ["naspa:k_low=8:40"], "test_from": "2010-01-20"}, "fits none of the systems"),
        (["elo", "elo:k=5"], {"tune": ["elo:scale=400:900"], "test_from": "2010-01-20"}, None),
        (["elo:k=4", "elo:k=5"], {"tune": ["elo:scale=400:900"], "test_from": "2010-01-20"}, "fits several"),
        (["elo", "glixo"], {"tune": ["elo"], "test_from": "2010-01-20"}, "ranges to tune, as elo:k=8:40"),
        (["elo", "glixo"], {"tune": ["elo:k=8:40", "elo:scale=1:2"], "test_from": "2010-01-20"}, "tuned twice"),
        (
            ["elo", "glixo"],
            {"tune": ["elo:k=8:40:5,scale=400:900"], "test_from": "2010-01-20"},
            "either all ranges of --tune have a number",
        ),
        (
            ["elo:k=30", "elo:k=60"],
            {"tune": ["elo:k=30,k=20:60:3"], "test_from": "2010-02-20"},
            "elo:k=30, tuned, is elo:k=60, which is compared already",
        ),
        (
            ["elo", "glixo"],
            {"tune": ["elo:q=1:2"], "test_from": "2010-02-20"},
            "--tune elo: q is not a parameter of elo",
        ),
        (["elo", "glixo"], {"test_from": "2031-01-01"}, "no rated game of events that end on or after 2031-01-01"),
        (["elo", "glixo"], {"test_from": "soon"}, "expected a date as 2012-05-12; found soon"),
        (["elo", "glixo"], {"min_games": 5000}, "no rated game whose two sides had 5000"),
        (["elo", "glixo"], {"metric": "z_sd"}, "one of log_loss, brier"),
        (["elo", "naspa"], {"metric": "spread_crps"}, "no system here forecasts spreads"),
        (["dip-pouch", "bradley-terry"], {}, "by final places two systems or more"),
    ],
)
def test_what_cannot_be_compared_is_said(history: History, systems, options, told) -> None:
    if told is None:
        assert len(compare(history, systems, resamples=20, **options).tuned)
        return
    with pytest.raises(UsageError, match=told):
        compare(history, systems, **options)


def test_a_history_without_anything_is_said() -> None:
    with pytest.raises(UsageError, match="a rated game, or places"):
        compare(of_sections(section([])), ["elo", "glixo"])


# --- CoCo -----------------------------------------------------------------------------------------------------------


def slow_coco(made: History) -> dict[str, list[tuple[float, int]]]:
    """Elo's and Glixo's log loss on every event, with dictionaries and loops: (sum, games) by event."""
    b, tau, k, scale = 5.0, 90.0, 20.0, 722.0
    rating: dict[str, float] = {}
    belief: dict[str, tuple[float, float]] = {}
    played: set[str] = set()
    out: dict[str, list[tuple[float, int]]] = {"elo": [], "glixo": []}
    for event in made.events["event"]:
        for row in made.entries[made.entries["event"] == event].itertuples():
            # until a game has moved it, the rating filed last is the one that counts
            if row.player not in played and not (math.isnan(row.rating) and row.player in rating):
                rating[row.player] = 1500.0 if math.isnan(row.rating) else row.rating
                belief[row.player] = (rating[row.player], 400.0)
        games = made.games[(made.games["event"] == event) & (made.games["status"] == "played")]
        games = games[(games["rated"] == 1) & games["result"].notna() & games["opponent"].notna()]
        sums = {"elo": 0.0, "glixo": 0.0}
        change: dict[str, float] = {}
        found: dict[str, list[tuple[float, float]]] = {}
        for game in games.itertuples():
            a, o = game.player, game.opponent
            win = {"elo": 1 / (1 + 10 ** ((rating[o] - rating[a]) / scale))}
            sd = math.sqrt((belief[a][1] ** 2 + belief[o][1] ** 2) / b**2 + tau**2)
            win["glixo"] = 0.5 * math.erfc(-(belief[a][0] - belief[o][0]) / b / sd / math.sqrt(2))
            for name, p in win.items():
                p = min(max(p, 1e-12), 1 - 1e-12)
                sums[name] -= game.result * math.log(p) + (1 - game.result) * math.log(1 - p)
            change[a] = change.get(a, 0.0) + k * (game.result - win["elo"])
            change[o] = change.get(o, 0.0) - k * (game.result - win["elo"])
            spread = game.score - game.opponent_score
            for me, other, side in ((a, o, spread), (o, a, -spread)):
                rho = (b * tau) ** 2 + belief[other][1] ** 2
                found.setdefault(me, []).append(((belief[other][0] + b * side) / rho, 1 / rho))
        for player, by in change.items():
            rating[player] += by
            played.add(player)
        after = {}
        for player, terms in found.items():
            mu, sigma = belief[player]
            variance = 1 / (1 / sigma**2 + sum(weight for _, weight in terms))
            mean = variance * (mu / sigma**2 + sum(term for term, _ in terms))
            after[player] = (max(mean, 1.0), math.sqrt(variance))
        belief |= after
        for name, total in sums.items():
            out[name].append((total, len(games)))
    return out


@needs_shared
def test_coco_elo_against_glixo() -> None:
    """The difference in log loss on CoCo 2021-25 with its interval, here and by a slow computation of its own."""
    made = ratinglab.load(SHARED / "coco")
    found: Comparison = compare(made, ["glixo", "elo"])
    row = found.differences.set_index(["system", "metric"]).loc[("elo", "log_loss")]
    assert (found.games, found.events) == (10992, 108)

    slow = slow_coco(made)
    games = [count for _, count in slow["elo"]]
    apart = [elo - glixo for (elo, _), (glixo, _) in zip(slow["elo"], slow["glixo"], strict=True)]
    some = [i for i, count in enumerate(games) if count]
    picks = np.random.default_rng(0).integers(0, len(some), size=(1000, len(some)))
    drawn = [sum(apart[some[i]] for i in pick) / sum(games[some[i]] for i in pick) for pick in picks.tolist()]
    assert sum(games) == found.games
    assert row["difference"] == pytest.approx(sum(apart) / sum(games), abs=1e-9)
    assert row["low"] == pytest.approx(slow_quantile(drawn, 0.025), abs=1e-9)
    assert row["high"] == pytest.approx(slow_quantile(drawn, 0.975), abs=1e-9)
    assert row["dm"] == pytest.approx(slow_dm([apart[i] for i in some]), abs=1e-6)
    # elo forecasts wins worse: 0.005 (0.001 to 0.009) a game
    assert (row["difference"], row["low"], row["high"]) == pytest.approx((0.0052, 0.0011, 0.0093), abs=5e-5)
    assert not row["in_best_set"]
