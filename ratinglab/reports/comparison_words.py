"""What a comparison says in words: which systems forecast better, by how much, and which cannot be told apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from ratinglab.reports import html
from ratinglab.resampling import FEW, LEVEL
from ratinglab.terminal import table_text

if TYPE_CHECKING:
    from ratinglab.comparison.comparing import Comparison


class Metric(NamedTuple):
    """How a metric is told: its title, its decimals, and whether more of it is better."""

    title: str
    digits: int
    more: bool = False


METRICS: dict[str, Metric] = {
    "log_loss": Metric("Log loss", 4),
    "brier": Metric("Brier score", 4),
    "accuracy": Metric("Accuracy", 4, True),
    "spread_log_score": Metric("Spread log score", 4),
    "spread_crps": Metric("Spread CRPS", 2),
    "spread_rmse": Metric("Spread RMSE", 2),
}
BETTER, WORSE, OPEN = "better", "worse", "cannot be told apart"


def each(table: pd.DataFrame) -> list[Any]:
    """The table's rows, to be read by the names of its columns."""
    return list(table.itertuples(index=False))


def verdict(low: float, high: float, metric: str) -> str:
    """What the interval of a difference (system less reference) says of the system; nothing where there is none."""
    if math.isnan(low) or math.isnan(high):
        return ""
    if METRICS[metric].more:
        low, high = -high, -low
    return WORSE if low > 0 else BETTER if high < 0 else OPEN


def between(low: float, high: float, digits: int) -> str:
    """An interval in words; `not known` where there is none."""
    if math.isnan(low) or math.isnan(high):
        return "not known"
    return f"{html.cell(low, f'signed{digits}')} to {html.cell(high, f'signed{digits}')}"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: `a`, `a and b`, `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "none"


def headline(c: Comparison) -> str:
    """The answer in a sentence or two."""
    if not len(c.scores):
        return _by_order(c)
    rows = c.differences[(c.differences["metric"] == c.metric) & (c.differences["system"] != c.reference)]
    rows = rows[~rows["system"].isin(c.bounds)]
    metric = METRICS[c.metric]
    told = []
    for found, words in ((BETTER, "forecasts better"), (WORSE, "forecasts worse")):
        for row in _having(rows, found, c.metric):
            size = html.cell(abs(row.difference), f"real{metric.digits}")
            low, high = sorted((abs(row.low), abs(row.high)))
            ends = f"{html.cell(low, f'real{metric.digits}')} to {html.cell(high, f'real{metric.digits}')}"
            told.append(f"{row.system} {words} than {c.reference} by {size} ({ends}{_doubt(row.p)})")
    alike = [row.system for row in _having(rows, OPEN, c.metric)]
    if alike:
        told.append(f"{listed([*alike, c.reference])} cannot be told apart")
    lacking = [row.system for row in each(rows) if math.isnan(row.difference)]
    if lacking:
        told.append(f"of {listed(lacking)} there is no {metric.title.lower()}")
    unknown = [row.system for row in _having(rows, "", c.metric) if row.system not in lacking]
    if unknown:
        told.append(f"how {listed(unknown)} compares with {c.reference} is not known from {_events(c)}")
    if not told:
        told.append(f"{c.reference} is held against a bound alone")
    best = _best(c, c.metric)
    if not best or c.events < 2:
        set_of = ""
    elif len(best) == 1:
        set_of = f" With 95 % confidence {best[0]} is the best."
    else:
        set_of = f" With 95 % confidence the best is among {listed(best)}."
    return f"By {metric.title.lower()}, {'; '.join(told)}.{set_of} {_by_order(c)}".strip()


def _doubt(p: float) -> str:
    """What to add to a difference that the interval shows and the other test does not."""
    return f"; a second test leaves it open, p = {p:.2f}" if p >= 1 - LEVEL else ""


def _events(c: Comparison) -> str:
    return html.many(c.events, "event")


def _having(rows: pd.DataFrame, found: str, metric: str) -> list[Any]:
    return [row for row in each(rows) if verdict(row.low, row.high, metric) == found]


def _best(c: Comparison, metric: str) -> list[str]:
    rows = c.differences[c.differences["metric"] == metric]
    return list(rows.loc[rows["in_best_set"].fillna(False).astype(bool), "system"])


def _by_order(c: Comparison) -> str:
    if c.order is None or c.order_differences is None:
        return ""
    rows = c.order_differences[c.order_differences["metric"] == "concordance"]
    told = []
    for row in each(rows):
        size = f"{100 * abs(row.difference):.1f} points of per cent"
        if math.isnan(row.low):
            told.append(f"how {row.system} compares with {row.reference} is not known")
        elif row.low > 0 or row.high < 0:
            word = "better" if row.low > 0 else "worse"
            told.append(f"{row.system} foretells them {word} than {row.reference} by {size} of pairs")
        else:
            told.append(f"{row.system} and {row.reference} cannot be told apart")
    return f"By final places: {'; '.join(told)}."


def answers(c: Comparison) -> list[str]:
    """The answer, a sentence for each system and for each thing that bears on it."""
    if not len(c.scores):
        return []
    scores = c.scores.set_index("system")
    told = []
    for label in scores.index:
        if label in c.bounds:
            continue
        row = scores.loc[label]
        given = 100 * math.exp(-row["log_loss"])
        sentence = (
            f"{label} gave {given:.1f} % to what happened, on the average, and called "
            f"{1000 * row['accuracy']:.0f} of {html.number(1000)} games right"
        )
        told.append(f"{sentence}; {_calibration(row['calibration_slope'], row['calibration_slope_se'])}.")
    for metric in METRICS:
        best = _best(c, metric)
        having = c.differences[(c.differences["metric"] == metric) & c.differences["difference"].notna()]
        if metric in ("log_loss", "spread_log_score") and len(best) and len(having) > 1 and c.events > 1:
            out = [name for name in having["system"] if name not in best and name not in c.bounds]
            told.append(
                f"By {METRICS[metric].title.lower()}, "
                + ("the best is with 95 % confidence among " if len(best) > 1 else "the best is with 95 % confidence ")
                + listed(best)
                + (f"; {listed(out)} can be ruled out." if out else "; nobody can be ruled out.")
            )
    coin = c.coin[(c.coin["metric"] == "log_loss") & ~c.coin["system"].isin(c.bounds)]
    no_better = [row.system for row in each(coin) if not row.high < 0]
    if no_better:
        told.append(
            f"As chances no better than a coin, which gives both sides 50 %, as far as these games tell: "
            f"{listed(no_better)}. Forecasts that are too sure lose more by their misses than their hits bring in, "
            "however many they are."
        )
    else:
        told.append("Every system forecasts better than a coin.")
    return told


def _calibration(slope: float, se: float) -> str:
    if math.isnan(slope) or math.isnan(se):
        return "whether its forecasts are too sure is not known"
    ends = f"(slope {slope:.2f} ± {se:.2f})"
    if slope + 2 * se < 1:
        return f"its favourites were forecast too surely {ends}"
    if slope - 2 * se > 1:
        return f"its favourites were forecast too timidly {ends}"
    return f"its forecasts were about as sure as they should be {ends}"


def at_gap(c: Comparison, points: float = 300) -> list[str]:
    """What was forecast at about this rating gap, and what happened, a sentence for each system."""
    told = []
    rows = c.by_gap[(c.by_gap["low"] <= points) & (points < c.by_gap["high"])] if len(c.by_gap) else c.by_gap
    for row in each(rows):
        if not row.games:
            continue
        won = f"{100 * row.observed:.0f} %" + ("" if math.isnan(row.se) else f" ± {100 * row.se:.0f}")
        told.append(
            f"{row.system}: at {row.gap:.0f} points on the average, forecast {100 * row.forecast:.0f} %, won {won} "
            f"({html.many(int(row.games), 'game')})"
        )
    return told


def ties(c: Comparison) -> str:
    """What became of drawn games and of spreads that are not known."""
    drawn = (
        f"{html.many(c.ties, 'game')} {'was' if c.ties == 1 else 'were'} drawn: a result of ½, in every score"
        if c.ties
        else "No game was drawn"
    )
    if not c.unknown_spreads:
        return f"{drawn}. The spread of every game is known."
    if c.unknown_spreads == c.games:
        return f"{drawn}. No spread is known, so that winning alone is scored."
    return f"{drawn}. Of {html.many(c.unknown_spreads, 'game')} the spread is not known: scored for winning alone."


def tables_text(c: Comparison) -> list[str]:
    """The scores and the differences as tables for a terminal."""
    told = []
    if len(c.scores):
        names = [name for name in METRICS if name in c.scores]
        shown = [column for name in names for column in (name, f"{name}_se")]
        digits = {column: METRICS[column.removesuffix("_se")].digits for column in shown}
        scores = c.scores[["system", "how", "games", *shown]]
        told.append(table_text(scores, {f"{name}_se": "±" for name in names}, digits))
        rows = c.differences[(c.differences["system"] != c.reference) & c.differences["difference"].notna()]
        rows = rows[rows["metric"].isin(("log_loss", c.metric))]
        four = dict.fromkeys(("difference", "se", "low", "high", "p"), 4) | {"dm": 2}
        told.append(table_text(rows, {"se": "±", "in_best_set": "may be the best"}, four))
    if c.order is not None and c.order_differences is not None:
        told.append(table_text(c.order.drop(columns=["parameters", "concordant", "discordant", "tied"])))
        rows = c.order_differences[c.order_differences["metric"].isin(("concordance", "experienced_concordance"))]
        rows = rows[["system", "reference", "metric", "difference", "se", "low", "high"]]
        told.append(table_text(rows, {"se": "±"}, dict.fromkeys(("difference", "se", "low", "high"), 3)))
    return told


def rough(events: Iterable[int]) -> bool:
    """Whether some interval rests on few events."""
    return any(1 < count < FEW for count in events)
