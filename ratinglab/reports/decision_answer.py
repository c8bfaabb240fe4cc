"""The answer at the top of a proposal's page: a few sentences with figures and intervals, made of a `Proposal`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from ratinglab.proposals.list_changes import RATING
from ratinglab.proposals.proposing import CURRENT, PROPOSED
from ratinglab.reports.decision_words import FEW_EVENTS, METRICS, listed, real, signed, span, verdict
from ratinglab.reports.html import many, number

if TYPE_CHECKING:
    from ratinglab.proposals.proposing import Proposal

LITTLE = 0.05  # of what the current system gains on a coin
MUCH = 0.25
FEW_PLAYERS = 10  # a cohort of fewer says little
# What running text calls the measures that the answer is given in, and what they are counted by.
_SPOKEN = {
    "log_loss": ("log loss", " a game"),
    "spread_log_score": ("log score", " a game"),
    "concordance": ("the share of pairs in the order foretold is", ""),
}


class Said(NamedTuple):
    """One part of the answer: what it is about, and the sentences."""

    about: str
    text: str


def headline(p: Proposal) -> str:
    """The answer in one sentence."""
    if p.nothing_changes:
        return "Nothing changes: every rating and every forecast is the same under both."
    row = p.main
    told = {
        "better": f"The proposal forecasts better: hardly by chance{_size(p)} ({_apart(row)})",
        "worse": f"The proposal forecasts worse: hardly by chance{_size(p)} ({_apart(row)})",
        "open": f"These games cannot tell which forecasts better ({_apart(row)})",
        "unknown": f"One event alone cannot tell which forecasts better ({_apart(row)})",
        "same": "Both forecast exactly alike, but ratings differ",
    }[verdict(row)]
    spread = _of_metric(p, "spread_log_score")
    if spread is None or verdict(spread) == verdict(row):
        return told
    beside = {
        "better": "; point spreads are forecast better",
        "worse": "; point spreads are forecast worse",
        "open": "; of point spreads that cannot be told",
    }
    return told + beside.get(verdict(spread), "")


def _size(p: Proposal) -> str:
    """How much the difference is, held against what the current system is worth."""
    share = _share_of_gain(p)
    if math.isnan(share):
        return ""
    return ", but by little" if share < LITTLE else ", and by much" if share > MUCH else ", and noticeably"


def _apart(row: pd.Series) -> str:
    """How far the proposal's figure is from the current one, in words, with the interval."""
    title, unit = _SPOKEN[row["metric"]]
    digits = METRICS[row["metric"]][1]
    value, low, high = (float(row[name]) for name in ("difference", "low", "high"))
    what = f"{title} {_way(value)} by {real(abs(value), digits)}{unit}"
    if round(abs(value), digits) == 0:
        what = f"{title} the same to {many(digits, 'decimal')}"
    if math.isnan(low) or math.isnan(high):
        return what
    if low <= 0 <= high:
        return f"{what}; 95 % interval from {real(-low, digits)} lower to {real(high, digits)} higher"
    near, far = sorted((abs(low), abs(high)))
    return f"{what}; 95 % interval {real(near, digits)} to {real(far, digits)}"


def _way(value: float) -> str:
    return "higher" if value > 0 else "lower"


def _share_of_gain(p: Proposal) -> float:
    """The difference as a share of what the current system gains on a coin; nan where it gains nothing."""
    row = p.main
    gain = row[CURRENT] - 0.5 if p.by_order else math.log(2) - row[CURRENT]
    return float(abs(row["difference"]) / gain) if gain > 0 else float("nan")


def answer(p: Proposal) -> list[Said]:
    """The answer in a few parts, each a sentence or three with its figures."""
    if p.nothing_changes:
        over = (
            f"{many(p.games, 'pair of entrants', 'pairs of entrants') if p.by_order else many(p.games, 'rated game')}"
        )
        told = f"Over {over} of {many(p.events, 'event')} not one rating and not one forecast is another."
        return [Said("Forecasts and ratings", f"{told} A vote on this proposal would change nothing.")]
    parts = [_forecasts(p), _spreads(p), _ratings(p), _lines(p), _seeding(p), level(p), _sections(p)]
    return [part for part in parts if part is not None]


def _forecasts(p: Proposal) -> Said:
    row, found = p.main, verdict(p.main)
    told = {
        "better": "The proposal forecasts better",
        "worse": "The proposal forecasts worse",
        "open": "These games cannot tell which forecasts better",
        "unknown": "One event alone cannot tell which forecasts better",
        "same": "Both forecast exactly alike",
    }[found]
    over = many(p.games, "pair of entrants", "pairs of entrants") if p.by_order else many(p.games, "rated game")
    text = f"{told}, over {over} of {many(p.events, 'event')}" + (f": {_apart(row)}" if found != "same" else "")
    more = "more" if METRICS[row["metric"]][3] else "less"
    text += f" ({more} is better). {_amount(p)}" if found != "same" else "."
    if 1 < p.events < FEW_EVENTS and found != "same":
        text += f" With only {p.events} events the interval is likely to be too narrow."
    return Said("Forecasts", text)


def _amount(p: Proposal) -> str:
    """What the difference amounts to, in things that can be pictured."""
    row = p.main
    if p.by_order:
        now, then = (number(10_000 * row[name]) for name in (CURRENT, PROPOSED))
        return (
            f"Of {number(10_000)} pairs of entrants {now} finish in the order foretold now, {then} under the proposal."
        )
    given = [f"{100 * math.exp(-row[name]):.2f} %" for name in (CURRENT, PROPOSED)]
    told = [
        f"That is, what happened had been given a probability of {given[0]} now and of {given[1]} under the proposal "
        "(geometric mean; a coin gives 50 %)."
    ]
    right = _of_metric(p, "accuracy")
    if right is not None:
        now, then = (f"{1000 * float(right[name]):.0f}" for name in (CURRENT, PROPOSED))
        told.append(f"Of 1000 games the favourite wins {now} now, {then} under the proposal.")
    share = _share_of_gain(p)
    if not math.isnan(share):
        percent = f"{100 * share:.{0 if share >= 0.1 else 1}f} %" if share >= 0.001 else "less than 0.1 %"
        gain = real(math.log(2) - row[CURRENT], 4)
        told.append(f"The current system is better than tossing a coin by {gain}; the difference is {percent} of that.")
    return " ".join(told)


def _of_metric(p: Proposal, metric: str) -> pd.Series | None:
    rows = p.forecasts[p.forecasts["metric"] == metric]
    return rows.iloc[0] if len(rows) else None


def _spreads(p: Proposal) -> Said | None:
    row, z = _of_metric(p, "spread_log_score"), _of_metric(p, "z_sd")
    if row is None or z is None or math.isnan(row["difference"]):
        return None
    told = {
        "better": "By how much games are won is forecast better",
        "worse": "By how much games are won is forecast worse",
    }.get(verdict(row), "These games cannot tell which forecasts better by how much games are won")
    text = f"{told} ({_apart(row)}; less is better)."
    text += (
        f" Spreads vary {z[CURRENT]:.2f} times as much as was forecast now, {z[PROPOSED]:.2f} times under the proposal"
    )
    return Said("Spreads", text + " (ideal: 1).")


def _ratings(p: Proposal) -> Said:
    counted, ranked = p.gains(), p.ranked
    shift = real(abs(p.scales.shift), max(1, p.digits))
    mean = f"The proposal {'raises' if p.scales.shift > 0 else 'lowers'} ratings by {shift} points on average"
    if math.isnan(p.scales.shift):
        mean = "No player is rated under both"
    elif float(shift) == 0:
        mean = "The proposal leaves the mean of all ratings where it is"
    if p.scales.differ:
        mean += (
            f" and sets them {p.scales.stretch:.2f} times as far apart: another scale. Brought to the present one, of"
        )
    else:
        mean += ". Of"
    groups = [_plain_count(counted["gain"], "gains"), _plain_count(counted["lose"], "loses")]
    if counted["unchanged"]:
        stays = "stays as it is" if counted["unchanged"] == 1 else "stay as they are"
        groups.append(f"{number(counted['unchanged'])} {stays} (within {p.least:g} points)")
    if counted["one_list"]:
        groups.append(f"{number(counted['one_list'])} would be rated under one of the two alone")
    sentences = [f"{mean} {many(counted['listed'], 'listed player')} {listed(groups)}."]
    ends = []
    for at, word, sign in ((0, "gains most", 1), (-1, "loses most", -1)):
        change = float(ranked["change"].iloc[at]) if len(ranked) else 0.0
        if change * sign >= p.least:
            ends.append(f"{ranked['player'].iloc[at]} {word} ({signed(change, p.digits)} points)")
    if ends:
        sentences.append(f"Of those with a rank {' and '.join(ends)}.")
    places = p.players["places"].dropna()
    up, down = (int((sign * places > 0).sum()) for sign in (1, -1))
    order = f"On the list {_plain_count(up, 'gains')} and {_plain_count(down, 'loses')} places"
    if not math.isnan(p.order):
        order += f"; {real(50 * (1 - p.order), 1)} of 100 pairs of players change their order"
    return Said("Who gains, who loses", " ".join([*sentences, f"{order}."]))


def _lines(p: Proposal) -> Said:
    told = []
    columns = ["kind", "line", "current", "proposed", "up", "down"]
    for kind, line, now, then, up, down in p.lines[columns].itertuples(index=False):
        of_points = kind == RATING
        what = f"the line of {line:g} points" if of_points else f"the top {line:g}"
        if not up and not down:
            told.append(f"nobody crosses {what}" if of_points else f"nobody enters or leaves {what}")
            continue
        over, under = ("comes over", "falls below") if of_points else ("enters", "leaves")
        ways = [_how_many(count, way) for count, way in ((up, over), (down, under))]
        told.append(f"{what}: {' and '.join(ways)} it ({number(now)} reach it now, {number(then)} under the proposal)")
    text = "; ".join(told) + "."
    if p.scales.differ and (p.lines["kind"] == RATING).any():
        text += " On another scale a line in points has to be drawn anew: the table of lines says where."
    return Said("Lines", text[0].upper() + text[1:])


def _how_many(count: int, does: str) -> str:
    """How many do something: nobody comes over, 1 player comes over, 6 players come over."""
    verb, *rest = does.split(" ", 1)
    verb = verb if count < 2 else verb.removesuffix("s")
    return " ".join([many(count, "player") if count else "nobody", verb, *rest])


def _plain_count(count: int, verb: str) -> str:
    """A count as the subject of a verb in -s: none gains, 1 gains, 6 gain."""
    return f"{number(count) if count else 'none'} {verb if count < 2 else verb.removesuffix('s')}"


def _seeding(p: Proposal) -> Said | None:
    if not p.seeding or not p.seeding["pairs"]:
        return None
    share = 100 * p.seeding["swapped"] / p.seeding["pairs"]
    text = f"In past sections {share:.1f} % of all pairs of entrants would have been seeded in the other order"
    if p.seeding["top_seeds"]:
        other, of = int(p.seeding["other_top_seed"]), int(p.seeding["top_seeds"])
        count = number(other) if other else "none"
        text += f"; in {count} of {many(of, 'section')} somebody else would have been the top seed"
    return Said("Seeding", text + ".")


def level(p: Proposal) -> Said | None:
    """How far a fixed cohort moved under both; nothing where there is none."""
    table = p.tables.get("cohort")
    if table is None or not len(table):
        return None
    parts = [table[table["which"] == which] for which in (CURRENT, PROPOSED)]
    if min(map(len, parts)) < 2:
        return None
    digits = p.digits or 1
    moved = [
        f"{signed(float(last['change']), digits)} points{word} (95 % interval "
        f"{span(last['low'], last['high'], p.digits)})"
        for last, word in ((parts[0].iloc[-1], ""), (parts[1].iloc[-1], " under the proposal"))
    ]
    days = " to ".join(f"{parts[0]['date'].iloc[at]:%Y-%m-%d}" for at in (0, -1))
    count = int(parts[0]["players"].iloc[0])
    people = many(count, "settled player") + (", too few to say much," if count < FEW_PLAYERS else "")
    return Said("Level", f"From {days} the mean rating of the same {people} moves by {moved[0]}, and by {moved[1]}.")


def _sections(p: Proposal) -> Said | None:
    flat, winners = p.tables.get("flatness"), p.tables.get("winners")
    told = []
    if flat is not None:
        rows = [_row(flat, which, "figure", "excess") for which in (CURRENT, PROPOSED)]
        if all(row is not None and not math.isnan(row["slope"]) for row in rows):
            now, then = (_tilt(row) for row in rows if row is not None)
            told.append(
                "From the strongest to the weakest of a section, wins beyond those expected change by "
                f"{now} a game now and by {then} under the proposal; were ratings right for everybody, by 0."
            )
    if winners is not None:
        rows = [_row(winners, which, "size", "all") for which in (CURRENT, PROPOSED)]
        if all(row is not None and not math.isnan(row["winner_lost"]) for row in rows):
            now, then = (f"{100 * float(row['winner_lost']):.1f} %" for row in rows if row is not None)
            told.append(
                f"Of the winners of sections who had a rating before, {now} lose points now, {then} under the proposal."
            )
    return Said("Sections", " ".join(told)) if told else None


def _row(table: pd.DataFrame, which: str, column: str, value: str) -> pd.Series | None:
    rows = table[(table["which"] == which) & (table[column] == value)]
    return rows.iloc[0] if len(rows) else None


def _tilt(row: pd.Series) -> str:
    return f"{signed(float(row['slope']), 3)} ({span(float(row['low']), float(row['high']), 3)})"
