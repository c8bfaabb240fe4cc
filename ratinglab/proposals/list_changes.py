"""What becomes of the rating list when one system takes the place of another: each player, the top, lines, seeding.

All of it is read off two replays of the same entries. Nothing here is an estimate, so nothing has a ±.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from ratinglab.periods import Floats
    from ratinglab.replaying import Replay

RATING, RANK = "rating", "rank"  # the kinds of lines
UP, DOWN = "up", "down"
OTHER_SCALE = 0.1
_DIGITS = 9  # ratings that differ by less are equal: sums in another order leave such differences


def player_changes(current: Replay, proposed: Replay, *, min_games: int = 0, top: int = 1) -> pd.DataFrame:
    """One row for each player on either list, in the order of the current one, with what the proposal changes.

    Columns: player, name, games (of a system of places: events), active, provisional (of systems of games, by the
    current system's rule), current, proposed, difference, relative, current_rank, proposed_rank, places (ranks gained),
    and where the system has them current_deviation, proposed_deviation; last_event.

    `difference` is proposed less current. `relative` is the same after the proposed ratings are brought to the mean and
    the spread that the current ones have over all players who are on both lists: in points of the current scale, what a
    player gains on the others. Missing for somebody whom only one system rates. Ranks are among active players whose
    rating is not provisional, and among all where those are fewer than the top has places; others have none.
    """
    lists = [one.ratings(min_games=min_games).set_index("player") for one in (current, proposed)]
    index = lists[0].index.append(lists[1].index.difference(lists[0].index, sort=False))
    one, other = (table.reindex(index) for table in lists)
    games = "games" if "games" in one and "games" in other else "events"
    table = pd.DataFrame(
        {
            "name": one["name"].fillna(other["name"]),
            games: one[games].fillna(other[games]).astype("int64"),
            **{
                name: one[name].astype("boolean").fillna(other[name].astype("boolean")).astype(bool)
                for name in ("active", "provisional")
                if name in one and name in other
            },
            "current": one["rating"],
            "proposed": other["rating"],
        }
    )
    table["difference"] = _without_noise(table["proposed"] - table["current"])
    table["relative"] = _without_noise(on_current_scale(table) - table["current"])
    ranked = table["active"] & ~table["provisional"] if "provisional" in table else table["active"]
    ranked |= int(ranked.sum()) < top
    for which in ("current", "proposed"):
        listed = table[which].round(_DIGITS).where(ranked)
        table[f"{which}_rank"] = listed.rank(method="min", ascending=False).astype("Int64")
    table["places"] = table["current_rank"] - table["proposed_rank"]
    for name, ratings in (("current_deviation", one), ("proposed_deviation", other)):
        if "deviation" in ratings:
            table[name] = ratings["deviation"]
    table["last_event"] = one["last_event"].fillna(other["last_event"])
    return table.rename_axis("player").reset_index()


def _without_noise(values: pd.Series) -> pd.Series:
    return values.round(_DIGITS) + 0.0  # no -0.0


def on_current_scale(players: pd.DataFrame) -> pd.Series:
    """The proposed ratings with the mean and standard deviation of the current ones, over players on both lists."""
    both = players[players["current"].notna() & players["proposed"].notna()]
    centre, centre_proposed = both["current"].mean(), both["proposed"].mean()
    sd, sd_proposed = both["current"].std(ddof=0), both["proposed"].std(ddof=0)
    if not sd_proposed > 0:  # all are level, or there is nobody
        return players["proposed"] - centre_proposed + centre
    return centre + (players["proposed"] - centre_proposed) * (sd / sd_proposed)


class Scales(NamedTuple):
    """How the points of two lists compare, over the players on both."""

    shift: float  # how much higher the proposal rates on average, points
    stretch: float  # the standard deviation of proposed ratings over that of current ones
    differ: bool  # whether points mean something else: the mean moves by a tenth of the current sd, or the sd by one


def scales(players: pd.DataFrame) -> Scales:
    """Whether a point is still a point under the proposal."""
    both = players.dropna(subset=["current", "proposed"])
    shift, sd = float(both["difference"].mean()), float(both["current"].std(ddof=0))
    stretch = float(both["proposed"].std(ddof=0)) / sd if sd > 0 else float("nan")
    apart = sd > 0 and (abs(shift) > sd * OTHER_SCALE or not 1 / (1 + OTHER_SCALE) < stretch < 1 + OTHER_SCALE)
    return Scales(shift, stretch, apart)


def comparable_changes(players: pd.DataFrame) -> pd.Series:
    """Each player's gain in points that can be compared: `relative` where the scales differ, else `difference`."""
    return players["relative" if scales(players).differ else "difference"]


def top_lists(players: pd.DataFrame, top: int) -> pd.DataFrame:
    """The first `top` of both lists beside each other (`player_changes`); equal ratings share a rank.

    Columns: current_rank, current_player, current, leaves (whether the player is not in the proposed top);
    proposed_rank, proposed_player, proposed, enters, places (ranks the player of the proposed list gained).
    """
    sides = []
    for which, other, word in (("current", "proposed", "leaves"), ("proposed", "current", "enters")):
        rank = f"{which}_rank"
        there = players[(players[rank] <= top).fillna(False)]
        there = there.sort_values([rank, "player"], kind="stable", ignore_index=True)
        side = there[[rank, "player", which]].rename(columns={"player": f"{which}_player"})
        side[word] = ~(there[f"{other}_rank"] <= top).fillna(False).astype(bool)
        if which == "proposed":
            side["places"] = there["places"]
        sides.append(side)
    return pd.concat(sides, axis=1)


def line_crossings(players: pd.DataFrame, lines: Sequence[float], top: int) -> pd.DataFrame:
    """Who crosses a line: one row for each player and line; kind, line, player, direction, the ratings and ranks.

    A rating line is reached with that rating or more, the line by rank with a rank of `top` or better; somebody whom a
    system does not rate is below every line. direction: `up` (reached under the proposal alone) or `down`. From the
    largest change on, line by line.
    """
    columns = ["player", "active", "current", "proposed", "difference", "current_rank", "proposed_rank"]
    found = []
    for kind, line in _all_lines(lines, top):
        above, then = (_above(players, which, kind, line) for which in ("current", "proposed"))
        rows = players.loc[above != then, columns]
        rows = rows.assign(kind=kind, line=line, direction=np.where(then[above != then], UP, DOWN))
        order = np.lexsort((-rows["difference"].abs().fillna(np.inf), rows["direction"] == DOWN))
        found.append(rows.iloc[order])
    order_of = ["kind", "line", "player", "direction", *columns[1:]]
    return pd.concat(found, ignore_index=True)[order_of]


def line_counts(players: pd.DataFrame, lines: Sequence[float], top: int) -> pd.DataFrame:
    """One row for each line: kind, line, current and proposed (how many reach it), up, down, equal_line.

    `equal_line` is the rating that as many players reach under the proposal as reach the line now; missing for a line
    by rank, and where nobody reaches the line.
    """
    rows = []
    for kind, line in _all_lines(lines, top):
        above, then = (_above(players, which, kind, line) for which in ("current", "proposed"))
        reached = int(above.sum())
        ranked = players["proposed"].dropna().sort_values(ascending=False).to_numpy()
        level = float(ranked[reached - 1]) if kind == RATING and 0 < reached <= len(ranked) else np.nan
        crossing = {"up": int((then & ~above).sum()), "down": int((above & ~then).sum())}
        counts = {"current": reached, "proposed": int(then.sum()), **crossing, "equal_line": level}
        rows.append({"kind": kind, "line": line, **counts})
    return pd.DataFrame(rows)


def _all_lines(lines: Sequence[float], top: int) -> list[tuple[str, float]]:
    return [*((RATING, float(line)) for line in dict.fromkeys(lines)), (RANK, float(top))]


def _above(players: pd.DataFrame, which: str, kind: str, line: float) -> pd.Series:
    if kind == RANK:
        return (players[f"{which}_rank"] <= line).fillna(False).astype(bool)
    return players[which].round(_DIGITS) >= line


def seeding_changes(current: Replay, proposed: Replay) -> dict[str, float]:
    """How the proposal would have seeded the history's sections: from the ratings before each event.

    Counted are pairs of entrants (teams) of one section who both had a rating under both systems. Keys: sections (with
    such a pair), pairs (not level under either), swapped (pairs in the other order), kendall_tau (tau-b over all pairs
    within sections; 1: the same order), top_seeds (sections where one entrant alone was rated highest under both),
    other_top_seed (of these, where it would have been another).
    """
    whole = current.schedule.whole
    units = whole.unit_period
    ratings = [np.round(_strength(one), _DIGITS) for one in (current, proposed)]
    known = ~np.isnan(ratings[0]) & ~np.isnan(ratings[1])
    rows = np.flatnonzero(known)
    rows = rows[np.argsort(units[rows], kind="stable")]
    begins = np.flatnonzero(np.diff(units[rows], prepend=-1))
    sums = dict.fromkeys(("sections", "pairs", "swapped", "top_seeds", "other_top_seed"), 0.0)
    agree = ordered = ordered_then = 0.0
    for section in np.split(rows, begins[1:]) if len(begins) else []:
        a, b = np.triu_indices(len(section), 1)
        if not len(a):
            continue
        now, then = (np.sign(values[section][a] - values[section][b]) for values in ratings)
        sums["sections"] += 1
        sums["pairs"] += int(((now != 0) & (then != 0)).sum())
        sums["swapped"] += int((now * then < 0).sum())
        agree += float((now * then).sum())
        ordered, ordered_then = ordered + float((now != 0).sum()), ordered_then + float((then != 0).sum())
        firsts = [section[values[section] == values[section].max()] for values in ratings]
        if all(len(first) == 1 for first in firsts):
            sums["top_seeds"] += 1
            sums["other_top_seed"] += int(firsts[0][0] != firsts[1][0])
    tau = agree / np.sqrt(ordered * ordered_then) if ordered and ordered_then else np.nan
    return {**sums, "kendall_tau": float(tau)}


def _strength(one: Replay) -> Floats:
    """What each unit was seeded by: nan where nobody in it was rated yet."""
    strength: Floats = one.unit_strength["rating"][:, 0]
    return strength


def list_order(players: pd.DataFrame) -> float:
    """Kendall's tau-b of the two lists over the players on both: 1 the same order, 0 no relation; nan for no order."""
    from scipy.stats import kendalltau

    both = players[players["current"].notna() & players["proposed"].notna()]
    if len(both) < 2:
        return float("nan")
    return float(kendalltau(both["current"].round(_DIGITS), both["proposed"].round(_DIGITS)).statistic)
