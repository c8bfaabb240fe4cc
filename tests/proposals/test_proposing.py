"""The current system against a proposed one: every table beside a slow count, and histories of every kind."""

from __future__ import annotations

import itertools
from dataclasses import replace as with_changes

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import SHARED, Game, Member, Section, dated, needs_shared, outcome, sections
from making import history as made_history
from making_placings import Placed
from making_placings import history as placings_history

from ratinglab.formats import load
from ratinglab.history import History
from ratinglab.ordering import order_differences, order_scores
from ratinglab.output import as_bytes
from ratinglab.problems import UsageError
from ratinglab.proposals.list_changes import (
    DOWN,
    RANK,
    RATING,
    UP,
    line_counts,
    line_crossings,
    list_order,
    on_current_scale,
    player_changes,
    seeding_changes,
    top_lists,
)
from ratinglab.proposals.proposing import CURRENT, PROPOSED, Proposal, propose
from ratinglab.replaying import replay
from ratinglab.resampling import event_draws
from ratinglab.sample import individual_circuit, team_circuit
from ratinglab.systems import Elo, Glixo, parse
from ratinglab.tasks import Workers

QUICK = {"resamples": 40}


@pytest.fixture(scope="module")
def history() -> History:
    return individual_circuit(np.random.default_rng(5), players=14, events=7, rounds=5, field=10)[0]


@pytest.fixture(scope="module")
def proposal(history: History) -> Proposal:
    return propose(history, "elo", "elo:k=40", lines=(1500,), top=5, **QUICK)


def bytes_of(p: Proposal) -> dict[str, bytes]:
    return {name: as_bytes(table) for name, table in p.files.items()}


# --- forecasts --------------------------------------------------------------------------------------------------------


def slow_losses(history: History, system: str) -> dict[str, list[float]]:
    """Each event's losses, game by game, written out."""
    losses: dict[str, list[float]] = {}
    for row in replay(history, system).forecasts.itertuples():
        given = row.win if row.result == 1 else 1 - row.win
        loss = -np.log(given)
        if row.result == 0.5:
            loss = -(np.log(row.win) + np.log(1 - row.win)) / 2
        losses.setdefault(row.event, []).append(float(loss))
    return losses


def test_the_difference_and_its_interval_are_those_of_a_slow_count(history: History, proposal: Proposal) -> None:
    now, then = (slow_losses(history, name) for name in ("elo", "elo:k=40"))
    games = sum(map(len, now.values()))
    row = proposal.main
    assert row["metric"] == "log_loss"
    assert row[CURRENT] == pytest.approx(sum(map(sum, now.values())) / games)
    assert row["difference"] == pytest.approx((sum(map(sum, then.values())) - sum(map(sum, now.values()))) / games)
    found = []
    for draw in event_draws(len(now), 0, 40):
        difference = count = 0.0
        for times, event in zip(draw, now, strict=True):
            difference += times * (sum(then[event]) - sum(now[event]))
            count += times * len(now[event])
        found.append(difference / count)
    assert row["se"] == pytest.approx(np.std(found, ddof=1))
    assert [row["low"], row["high"]] == pytest.approx(np.quantile(found, [0.025, 0.975]).tolist())
    assert (proposal.games, proposal.events) == (games, len(now))


def test_groups_of_games_add_up_to_the_whole(proposal: Proposal) -> None:
    table = proposal.subsets
    year = table[table["kind"] == "year"]
    assert year["games"].sum() == proposal.games
    assert (year["games"] * year["difference"]).sum() / proposal.games == pytest.approx(proposal.main["difference"])
    assert table["difference"].to_numpy() == pytest.approx((table[PROPOSED] - table[CURRENT]).to_numpy())
    one = table[table["events"] == 1]
    assert one[["low", "high", "se"]].isna().all(axis=None)


def test_spread_measures_stand_where_both_forecast_spreads(history: History) -> None:
    both = propose(history, "glixo", "glixo:tau=120", **QUICK).forecasts
    assert {"spread_log_score", "z_sd"} <= set(both["metric"])
    assert "spread_log_score" not in set(propose(history, "elo", "glixo", **QUICK).forecasts["metric"])


# --- players ----------------------------------------------------------------------------------------------------------


def test_each_player_beside_a_slow_look_at_both_lists(history: History, proposal: Proposal) -> None:
    now, then = (replay(history, name).ratings().set_index("player") for name in ("elo", "elo:k=40"))
    assert set(proposal.players["player"]) == set(now.index)
    for row in proposal.players.itertuples():
        mine, theirs = now.loc[row.player, "rating"], then.loc[row.player, "rating"]
        assert (row.current, row.proposed) == (mine, theirs)
        assert row.difference == pytest.approx(theirs - mine, abs=1e-8)
        assert row.games == now.loc[row.player, "games"]
    assert proposal.players["current"].is_monotonic_decreasing


def test_ranks_are_among_active_settled_players_and_among_all_where_those_are_few(history: History) -> None:
    now, then = replay(history, "elo"), replay(history, "elo:k=40")
    listed = now.ratings()
    settled = listed[listed["active"] & ~listed["provisional"]]
    assert not len(settled)  # nobody has 50 games here
    everybody = player_changes(now, then, top=3)
    assert everybody["current_rank"].tolist() == listed["rank"].tolist()
    assert (everybody["places"] == everybody["current_rank"] - everybody["proposed_rank"]).all()
    long = individual_circuit(np.random.default_rng(5), players=12, events=12, rounds=6, field=8)[0]
    now, then = replay(long, "elo"), replay(long, "elo:k=40")
    table = player_changes(now, then, top=2)
    some = table[~table["provisional"]]
    assert 2 <= len(some) < len(table)
    assert table["current_rank"].notna().tolist() == (~table["provisional"]).tolist()
    for row in some.itertuples():
        assert row.current_rank == 1 + (some["current"] > row.current).sum()
        assert row.proposed_rank == 1 + (some["proposed"] > row.proposed).sum()


@settings(max_examples=25)
@given(st.lists(st.floats(500, 2500), min_size=2, max_size=8, unique=True), st.floats(0.2, 4), st.floats(-500, 500))
def test_another_scale_alone_gains_nobody_anything(ratings: list[float], stretch: float, shift: float) -> None:
    table = pd.DataFrame({"current": ratings, "proposed": [stretch * r + shift for r in ratings]})
    assert on_current_scale(table).to_numpy() == pytest.approx(np.array(ratings), abs=1e-6)


players_drawn = st.lists(
    st.tuples(st.sampled_from([900.0, 1000.0, 1100.0, 1200.0]), st.sampled_from([900.0, 1000.0, 1100.0, 1200.0])),
    min_size=1,
    max_size=9,
)


def as_players(pairs: list[tuple[float, float]]) -> pd.DataFrame:
    table = pd.DataFrame(pairs, columns=["current", "proposed"])
    table = table.assign(player=[f"P{i}" for i in range(len(pairs))], active=True)
    table["difference"] = table["proposed"] - table["current"]
    for which in (CURRENT, PROPOSED):
        table[f"{which}_rank"] = table[which].rank(method="min", ascending=False).astype("Int64")
    table["places"] = table["current_rank"] - table["proposed_rank"]
    return table


@settings(max_examples=25)
@given(players_drawn, st.integers(1, 4))
def test_lines_and_tops_beside_a_slow_count(pairs: list[tuple[float, float]], top: int) -> None:
    table = as_players(pairs)
    crossings, counts = line_crossings(table, [1000, 1150], top), line_counts(table, [1000, 1150], top)
    for kind, line in ((RATING, 1000), (RATING, 1150), (RANK, top)):
        above: dict[str, set[str]] = {CURRENT: set(), PROPOSED: set()}
        for row in table.itertuples():
            for which, members in above.items():
                rating = getattr(row, which)
                rank = 1 + sum(other > rating for other in table[which])
                if (kind == RATING and rating >= line) or (kind == RANK and rank <= top):
                    members.add(row.player)
        crossed = crossings[(crossings["kind"] == kind) & (crossings["line"] == line)]
        up, down = (set(crossed.loc[crossed["direction"] == way, "player"]) for way in (UP, DOWN))
        assert up == above[PROPOSED] - above[CURRENT]
        assert down == above[CURRENT] - above[PROPOSED]
        told = counts[(counts["kind"] == kind) & (counts["line"] == line)].iloc[0]
        assert told[[CURRENT, PROPOSED, UP, DOWN]].tolist() == [
            len(above[CURRENT]), len(above[PROPOSED]), len(up), len(down)
        ]  # fmt: skip
        if kind == RATING and above[CURRENT]:
            assert sum(r >= told["equal_line"] for r in table["proposed"]) >= len(above[CURRENT])
            assert sum(r > told["equal_line"] for r in table["proposed"]) < len(above[CURRENT])
        if kind == RANK:
            lists = top_lists(table, top)
            assert set(lists["current_player"].dropna()) == above[CURRENT]
            assert set(lists.loc[lists["enters"].eq(True), "proposed_player"]) == up
            assert set(lists.loc[lists["leaves"].eq(True), "current_player"]) == down


@settings(max_examples=25)
@given(players_drawn)
def test_the_order_of_lists_beside_a_slow_tau(pairs: list[tuple[float, float]]) -> None:
    agree = one = other = 0
    for (a, x), (b, y) in itertools.combinations(pairs, 2):
        agree += int(np.sign(a - b) * np.sign(x - y))
        one, other = one + (a != b), other + (x != y)
    found = list_order(as_players(pairs))
    assert np.isnan(found) if not one or not other else found == pytest.approx(agree / np.sqrt(one * other))


def test_seedings_beside_a_slow_count(history: History) -> None:
    now, then = replay(history, "naspa"), replay(history, "naspa:k_low=60,k_new_low=90")
    found = seeding_changes(now, then)
    strength = [one.unit_strength["rating"][:, 0] for one in (now, then)]
    of = now.schedule.whole.unit_period
    count = dict.fromkeys(("sections", "pairs", "swapped", "top_seeds", "other_top_seed"), 0)
    for section in sorted(set(of)):
        units = [u for u in range(len(of)) if of[u] == section and not any(np.isnan(s[u]) for s in strength)]
        count["sections"] += len(units) > 1
        for a, b in itertools.combinations(units, 2):
            orders = [np.sign(s[a] - s[b]) for s in strength]
            count["pairs"] += 0 not in orders
            count["swapped"] += orders[0] * orders[1] < 0
        if len(units) > 1:
            firsts = [[u for u in units if s[u] == max(s[v] for v in units)] for s in strength]
            count["top_seeds"] += all(len(first) == 1 for first in firsts)
            count["other_top_seed"] += all(len(first) == 1 for first in firsts) and firsts[0] != firsts[1]
    assert {name: found[name] for name in count} == count
    assert found["swapped"] > 0
    assert -1 <= found["kendall_tau"] < 1


def test_worked_examples_are_of_the_greatest_gain_and_loss_and_add_up(history: History) -> None:
    p = propose(history, "elo", "elo:k=40", top=5, **QUICK)
    best, worst = p.ranked.iloc[0], p.ranked.iloc[-1]
    assert [one.one.player for one in p.why] == [best["player"], worst["player"]]
    for one in p.why:
        assert one.rows["difference"].sum() == pytest.approx(one.other.after - one.one.after)


def test_where_nobody_gains_nobody_is_the_example_of_a_gain() -> None:
    """Only Ada and Ben part with points, and without acceleration Ada gains fewer of them, Ben loses as many."""
    ratings = {"Ada": 1500.0, "Ben": 1500.0, "Cy": 800.0, "Dee": 800.0, "Eve": 2200.0, "Fay": 2200.0}
    units = [[Member(name, rating, lifetime=200)] for name, rating in ratings.items()]
    games = [Game(number, 0, 1, 40, 1.0) for number in range(1, 9)]
    games += [Game(number, a, a + 1, 0, 0.5) for number in range(1, 9) for a in (2, 4)]
    p = propose(made_history(Section(units, games, 8)), "naspa", "naspa:acceleration=0", top=2, **QUICK)
    assert not p.scales.differ
    changes = p.ranked.set_index("player")["change"]
    assert changes.max() <= 0 > changes.min()
    assert [one.one.player for one in p.why] == [changes.idxmin()]


# --- nothing, and no look ahead ---------------------------------------------------------------------------------------


@settings(max_examples=5)
@given(sections(max_rounds=4))
def test_the_same_system_changes_nothing(section: Section) -> None:
    if not section.games:
        return
    p = propose(made_history(section), "glixo", "glixo", top=2, **QUICK)
    assert p.nothing_changes
    assert (p.forecasts["difference"].fillna(0) == 0).all()
    assert (p.players[["difference", "relative"]].fillna(0) == 0).all(axis=None)
    assert not len(p.crossings)
    assert p.gains()["unchanged"] == len(p.players)
    assert p.key_figures()["nothing_changes"] is True


def test_a_parameter_that_moves_no_rating_and_no_forecast_changes_nothing(history: History) -> None:
    """c is of growth, and by default there is none; the least change of K is one."""
    assert propose(history, "glixo", "glixo:c=3", **QUICK).nothing_changes
    assert not propose(history, "elo", "elo:k=20.001", **QUICK).nothing_changes


def test_results_to_come_change_nothing(history: History) -> None:
    day = history.events["end_date"].iloc[4]
    later = history.games["event"].isin(history.events.loc[history.events["end_date"] > day, "event"])
    assert later.any()
    games = history.games.copy()
    games.loc[later, ["score", "opponent_score"]] = games.loc[later, ["opponent_score", "score"]].to_numpy()
    games.loc[later, "result"] = 1 - games.loc[later, "result"]
    other = with_changes(history, games=games)
    until = f"{day:%Y-%m-%d}"
    one, two = (propose(h.between(None, until), "elo", "glixo", **QUICK) for h in (history, other))
    assert bytes_of(one) == bytes_of(two)
    whole, changed = (propose(h, "elo", "glixo", **QUICK) for h in (history, other))
    early = ~replay(history, "elo").forecasts["event"].isin(games.loc[later, "event"])
    for which in ("current", "proposed"):
        pair = [getattr(p, which).forecasts.loc[early, "win"] for p in (whole, changed)]
        assert pair[0].equals(pair[1])


def test_two_workers_make_the_same_bytes(history: History, proposal: Proposal) -> None:
    two = propose(history, "elo", "elo:k=40", lines=(1500,), top=5, workers=Workers(2), **QUICK)
    assert bytes_of(two) == bytes_of(proposal)


def test_another_seed_moves_intervals_alone(history: History, proposal: Proposal) -> None:
    other = propose(history, "elo", "elo:k=40", lines=(1500,), top=5, seed=9, **QUICK)
    assert other.main["difference"] == proposal.main["difference"]
    assert other.main["low"] != proposal.main["low"]


# --- histories of every kind ------------------------------------------------------------------------------------------


def one_event() -> History:
    units = [[Member("Zorn, Ada", 1500)], [Member("Yarrow, Bea", 1400)], [Member("Xu, Cy")]]
    games = [Game(1, 0, 1, 40, 1.0), Game(2, 0, 2, -10, 0.0), Game(3, 1, 2, 0, 0.5)]
    return made_history(Section(units, games, 3))


def test_one_event_has_figures_and_no_interval() -> None:
    p = propose(one_event(), "elo", "elo:k=40", top=2, **QUICK)
    assert p.events == 1
    assert np.isnan(p.main["low"])
    assert p.key_figures()["low"] is None
    assert p.gains()["gain"] + p.gains()["lose"] == 3


def test_a_history_without_dates_says_what_is_not_known() -> None:
    history = one_event()
    undated = with_changes(history, events=history.events.assign(date=pd.NaT, end_date=pd.NaT))
    p = propose(undated, "elo", "elo:k=40", **QUICK)
    assert {"levels", "cohort", "rated"} == set(p.unknown)
    assert all("date" in told for told in p.unknown.values())
    assert "volatility" in p.tables


def test_teams(history: History) -> None:
    teams = team_circuit(np.random.default_rng(2), players=12, events=4, rounds=4)[0]
    p = propose(teams, "glixo", "elo", **QUICK)
    assert len(p.players) == 12
    assert p.seeding["pairs"] > 0


def test_newcomers_alone_and_a_fresh_start(history: History) -> None:
    for start in ("filed", "fresh"):
        p = propose(history, "naspa", "naspa:newcomers=initial", start=start, **QUICK)
        assert p.gains()["listed"] == 14


def test_words_as_parameters(history: History) -> None:
    p = propose(history, "glixo:growth=none", "glixo:growth=linear,c=5", **QUICK)
    assert not p.nothing_changes
    assert p.key_figures()["systems"] == {"current": "glixo", "proposed": "glixo:growth=linear,c=5"}


def test_a_scale_of_its_own_is_told_and_gains_are_counted_on_one_scale() -> None:
    drawn = dated([Section([[Member(f"P{i}", 1500)] for i in range(6)], [], 1)] * 4)
    games = [Game(1, 0, 5, 50, 1.0), Game(1, 1, 4, 30, 1.0), Game(1, 2, 3, 20, outcome(20))]
    history = made_history(*[with_changes(section, games=games) for section in drawn])
    p = propose(history, "elo:k=20", "elo:k=60,initial=1500", top=2, **QUICK)
    assert p.scales.differ  # the same order and shape, three times as far apart
    assert p.scales.stretch == pytest.approx(3, abs=0.3)
    assert p.players["difference"].abs().max() > 50
    assert p.changes.abs().max() < 5


def test_min_games_count_for_list_and_games(history: History) -> None:
    p = propose(history, "elo", "elo:k=40", min_games=10, **QUICK)
    assert (p.players["games"] >= 10).all()
    forecasts = replay(history, "elo").forecasts
    assert p.games == (forecasts[["player_games", "opponent_games"]].min(axis=1) >= 10).sum() > 0


def test_since_leaves_earlier_events_out(history: History) -> None:
    day = history.events["end_date"].iloc[3]
    p = propose(history, "elo", "elo:k=40", since=f"{day:%Y-%m-%d}", **QUICK)
    assert p.events == (history.events["end_date"] >= day).sum()
    assert bytes_of(p) == bytes_of(propose(history.between(f"{day:%Y-%m-%d}", None), "elo", "elo:k=40", **QUICK))


def test_systems_of_places_are_judged_by_order() -> None:
    names = [f"Player {c}" for c in "ABCDEF"]
    orders = [names, names[::-1], names[2:] + names[:2], names]
    history = placings_history(
        *[
            Placed({name: i + 1 for i, name in enumerate(order)}, of=6, date=f"2005-0{month}-01")
            for month, order in enumerate(orders, 1)
        ]
    )
    p = propose(history, "dip-pouch", "dip-pouch:cap=20,one_round=1,more_rounds=1", top=3, **QUICK)
    assert p.by_order
    assert p.metric == "concordance"
    scores = order_scores(history, [p.current.system, p.proposed.system], resamples=40)
    assert p.main[[CURRENT, PROPOSED]].tolist() == scores["concordance"].tolist()
    assert p.main["difference"] == pytest.approx(scores["concordance"].diff().iloc[1])
    assert "games" not in p.players
    mixed = propose(history, "dip-pouch", "elo:k=1", top=3, **QUICK)
    assert mixed.by_order
    assert mixed.seeding == {}
    by_games = propose(history, "elo:k=1", "elo:k=4", top=3, **QUICK)  # places alone, and systems of games
    assert by_games.by_order


def test_differences_of_orders_are_paired() -> None:
    history = individual_circuit(np.random.default_rng(4), players=8, events=6, rounds=4)[0]
    table = order_differences(history, "elo", "elo:k=60", resamples=60).set_index("metric")
    apart = order_differences(history, "elo:k=60", "elo", resamples=60).set_index("metric")
    assert table["difference"].to_numpy() == pytest.approx(-apart["difference"].to_numpy())
    assert table["se"].to_numpy() == pytest.approx(apart["se"].to_numpy())
    for name in table.index:
        low, high = table.loc[name, ["low", "high"]]
        assert low <= table.loc[name, "difference"] <= high
        assert table.loc[name, "se"] < table.loc[name, ["reference_se", "other_se"]].max() * 2
    same = order_differences(history, "elo", "elo", resamples=60)
    assert (same["difference"] == 0).all()
    assert same["low"].isna().all()


@pytest.mark.parametrize(
    ("current", "proposed", "told"),
    [
        (Elo(), "bradley-terry", "looks back"),
        (Glixo(tau=(80, 90)), "elo", "--variants"),
        ("elo", "nothing", "no system nothing"),
    ],
)
def test_what_cannot_be_proposed_is_told(history: History, current: object, proposed: object, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        propose(history, current, proposed, **QUICK)  # type: ignore[arg-type]


def test_histories_with_nothing_to_judge_are_told(history: History) -> None:
    with pytest.raises(UsageError, match="this history has none"):
        propose(made_history(Section([[Member("A B", 1500)], [Member("C D", 1400)]], [], 1)), "elo", "elo:k=1")
    with pytest.raises(UsageError, match="had 900 before"):
        propose(history, "elo", "elo:k=40", min_games=900)
    with pytest.raises(UsageError, match="1 place or more"):
        propose(history, "elo", "elo:k=40", top=0)


def test_unknown_spreads_and_ties_are_judged_by_the_result() -> None:
    units = [[Member("A B", 1500)], [Member("C D", 1400)], [Member("E F", 1300)]]
    games = [Game(1, 0, 1, None, 1.0), Game(2, 1, 2, None, 0.5), Game(3, 0, 2, 12, 1.0)]
    history = made_history(*dated([Section(units, games, 3)] * 3))
    p = propose(history, "glixo", parse("glixo:tau=140"), top=2, **QUICK)
    assert p.games == 9
    kinds = p.subsets.set_index(["kind", "subset"])["games"]
    assert kinds["result", "drawn"] == 3
    assert kinds["spread", "not known"] == 6


@needs_shared
@pytest.mark.parametrize(
    ("current", "proposed", "sign"), [("naspa", "naspa:acceleration=0", 1), ("glixo", "glixo:tau=100", -1)]
)
def test_real_proposals_beside_a_slow_count(current: str, proposed: str, sign: int) -> None:
    """The real TSH and CoCo events: without acceleration forecasts are worse, with tau = 100 better; each surely."""
    history = load(SHARED / "tsh", SHARED / "coco")
    p = propose(history, current, proposed, lines=(1600,), resamples=200)
    now, then = (slow_losses(history, name) for name in (current, proposed))
    games = sum(map(len, now.values()))
    assert (p.games, p.events) == (games, len(now))
    assert p.main["difference"] == pytest.approx((sum(map(sum, then.values())) - sum(map(sum, now.values()))) / games)
    assert sign * p.main["low"] > 0 < sign * p.main["high"]
    assert not p.scales.differ
    assert p.unknown == {}
