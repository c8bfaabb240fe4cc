"""The page of a comparison: which system forecasts better, by how much, where, and how sure that is.

What is said in words is in `ratinglab.reports.comparison_words`; here are the tables and pictures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from ratinglab import plots
from ratinglab.comparison import subsets
from ratinglab.comparison.side_by_side import COIN
from ratinglab.reports import comparison_words as words
from ratinglab.reports import html
from ratinglab.reports.comparison_words import METRICS
from ratinglab.reports.html import Column
from ratinglab.reports.page import Page
from ratinglab.resampling import FEW
from ratinglab.scoring import METRICS as WINNING
from ratinglab.scoring import SPREAD_METRICS

if TYPE_CHECKING:
    from ratinglab.comparison.comparing import Comparison

_TITLES = {name: (metric.title, metric.digits) for name, metric in METRICS.items()} | {
    "accuracy": ("Accuracy", 3),
    "calibration_slope": ("Slope", 2),
    "calibration_intercept": ("Intercept", 2),
    "spread_log_score": ("Log score", 3),
    "spread_crps": ("CRPS", 1),
    "spread_rmse": ("RMSE", 1),
    "z_sd": ("z-sd", 3),
}
_OF_COIN = {"log_loss": math.log(2), "brier": 0.25, "accuracy": 0.5}
_HEADS = {
    "experience": "Newcomers and settled players",
    "division": "Divisions",
    "pool": "Pools",
    "juniors": "Juniors",
    "grade": "School grades",
    "top": "The top",
    "result": "Decisive and drawn games",
    "spread": "Games with and without a known spread",
}
_FILES = {
    "scores.csv": "every score with its standard error",
    "differences.csv": "every difference with its interval, tests, and who may be the best",
    "coin.csv": "each system against a coin",
    "gaps.csv": "forecast and outcome by rating gap",
    "reliability.csv": "forecast and outcome by the favourite’s forecast",
    "subsets.csv": "the score in each group of games",
    "times.csv": "the score over time",
    "tuned.csv": "what was tuned, on which events",
    "order.csv": "how well final places were foretold",
    "order-differences.csv": "the differences of those",
}
MOST_DIVISIONS = 12  # of a kind's groups on the page; the file has them all


def page(c: Comparison) -> Page:
    """The page, with every table of the comparison beside it."""
    by_games = len(c.scores) > 0
    data = c.tables()
    values: dict[str, Any] = {
        "c": c,
        "w": words,
        "metric": METRICS.get(c.metric),
        "others": [label for label in dict.fromkeys(c.differences["system"]) if label != c.reference],
        "files": [(name, _FILES[name]) for name in data],
        "order_tables": _order(c),
        "tuned": _tuned(c),
        "by_games": by_games,
    }
    if by_games:
        values |= {
            "winning": _scores(c, "winning", "Who wins", WINNING),
            "spreads": _scores(c, "spreads", "By how much", SPREAD_METRICS),
            "differences": _difference_tables(c),
            "pictures": _pictures(c),
            "gaps": _gaps(c),
            "groups": _groups(c),
            "times": _group(c, "times", "Over time", c.over_time.rename(columns={"time": "subset"}), "times.csv"),
            "given": [(row["system"], 100 * math.exp(-row["log_loss"])) for _, row in c.scores.iterrows()],
        }
    title, headline = "Systems compared", words.headline(c)
    return Page("comparison.html", title, headline, "comparison.html", values, short="Comparison", data=data)


def _compared(c: Comparison, metric: str) -> int:
    rows = c.differences[c.differences["metric"] == metric]
    return int(rows["difference"].notna().sum())


def _scores(c: Comparison, id: str, caption: str, metrics: Sequence[str]) -> html.Table | None:
    having = [name for name in metrics if name in c.scores and c.scores[name].notna().any()]
    if not having:
        return None
    table = c.scores[c.scores[having].notna().any(axis=1)]
    roles = [_role(c, label) for label in table["system"]]
    if "log_loss" in having:
        coin = pd.DataFrame({"system": [COIN], **{name: [value] for name, value in _OF_COIN.items()}})
        table, roles = pd.concat([table, coin], ignore_index=True), [*roles, "for comparison"]
    columns = [Column("System", table["system"], "name", heads=True)]
    if any(roles):
        columns.append(Column("", roles, "text", about="part in the comparison"))
    for name in having:
        title, digits = _TITLES[name]
        columns.append(Column(title, table[name], f"real{digits}"))
        columns.append(Column("±", table[f"{name}_se"], f"pm{digits}", about=f"standard error: {title.lower()}"))
    return html.table(id, caption, columns, csv="scores.csv")


def _role(c: Comparison, label: str) -> str:
    return "reference" if label == c.reference else "bound" if label in c.bounds else ""


def _difference_tables(c: Comparison) -> list[html.Table]:
    """The main metrics in a table each, the others in one."""
    main = [name for name in METRICS if name in ("log_loss", "spread_log_score", c.metric)]
    made = []
    for name in main:
        better = "above 0: better" if METRICS[name].more else "above 0: worse"
        caption = f"{METRICS[name].title}: difference from {c.reference} on the same games ({better})"
        made.append(_differences(c, [name], f"differences-{name.replace('_', '-')}", caption))
    others = [name for name in METRICS if name not in main and _compared(c, name) > 1]
    caption = f"By other scores: difference from {c.reference} (above 0: worse, but better for accuracy)"
    made.append(_differences(c, others, "differences-others", caption))
    return [table for table in made if table is not None]


def _differences(c: Comparison, metrics: Sequence[str], id: str, caption: str) -> html.Table | None:
    """The differences by one metric, or by several in one table."""
    rows = c.differences[c.differences["metric"].isin(metrics) & c.differences["difference"].notna()]
    several = len(metrics) > 1
    if several:
        rows = rows[rows["system"] != c.reference]
    if (len(rows) < 2 and not several) or rows.empty:
        return None
    order = rows["metric"].map(list(metrics).index)
    listed = words.each(rows.iloc[order.argsort(kind="stable")])
    digits = [METRICS[row.metric].digits for row in listed]
    mine = [row.system == c.reference for row in listed]
    sizes = zip(listed, digits, mine, strict=True)
    best = ["" if pd.isna(row.in_best_set) else "yes" if row.in_best_set else "no" for row in listed]
    columns = [
        *([Column("Score", [METRICS[row.metric].title for row in listed], "name")] if several else []),
        Column("System", [row.system for row in listed], "name", heads=True),
        Column(
            "Difference", ["" if own else html.cell(row.difference, f"signed{n}") for row, n, own in sizes], "figures"
        ),
        Column("95 % interval", [_ends(row, n) for row, n in zip(listed, digits, strict=True)], "figures"),
        Column(f"Than {c.reference}", [_standing(c, row) for row in listed], "name"),
        Column("DM", [row.dm for row in listed], "signed2", about="Diebold–Mariano statistic, above 0: worse"),
        Column(
            "p", [_chance(row.p) for row in listed], "figures", about="chance of such a statistic if there were none"
        ),
        Column("May be the best", best, "text", about="in the 95 % confidence set of the best"),
    ]
    return html.table(id, caption, columns, csv="differences.csv")


def _standing(c: Comparison, row: Any) -> str:
    if row.system == c.reference:
        return "reference"
    return "bound" if row.system in c.bounds else words.verdict(row.low, row.high, row.metric)


def _chance(p: float) -> str:
    return "" if math.isnan(p) else "below 0.001" if p < 0.001 else f"{p:.3f}"


def _ends(row: Any, digits: int) -> str:
    return "" if math.isnan(row.low) or math.isnan(row.high) else words.between(row.low, row.high, digits)


def _gaps(c: Comparison) -> list[html.Table]:
    tables = []
    for place, label in enumerate(dict.fromkeys(c.by_gap["system"])):
        rows = c.by_gap[(c.by_gap["system"] == label) & (c.by_gap["games"] > 0)]
        ranges = [
            f"{low:.0f} or more" if math.isinf(high) else f"{low:.0f}–{high:.0f}"
            for low, high in zip(rows["low"], rows["high"], strict=True)
        ]
        columns = [
            Column("Gap, points", ranges, "figures", heads=True),
            Column("Games", rows["games"], "whole"),
            Column("Mean gap", rows["gap"], "whole"),
            Column("Forecast, %", 100 * rows["forecast"], "real1", about="mean forecast for the higher rated side"),
            Column("Won, %", 100 * rows["observed"], "real1"),
            Column("±", 100 * rows["se"], "pm1", about="standard error: won"),
        ]
        tables.append(html.table(f"gaps-{place + 1}", label, columns, csv="gaps.csv"))
    return tables


def _groups(c: Comparison) -> list[dict[str, Any]]:
    """The groups of games by kind; the years stand over time, and a kind that is all games says nothing."""
    made = []
    for kind, rows in c.by_subset.groupby("kind", sort=False):
        if kind not in _HEADS or (rows["games"] == c.games).all():
            continue
        largest = rows.drop_duplicates("subset").nlargest(MOST_DIVISIONS, "games")["subset"]
        shown = rows[rows["subset"].isin(largest)]
        table = _group(c, f"groups-{kind!s}", _HEADS[str(kind)], shown, "subsets.csv")
        left = rows["subset"].nunique() - len(largest)
        made.append({"table": table, "about": subsets.KINDS[str(kind)], "left": left})
    return made


def _group(c: Comparison, id: str, caption: str, rows: pd.DataFrame, csv: str) -> html.Table:
    """Groups down, systems across: the reference's score, the others' differences with what they say."""
    digits = METRICS[c.metric].digits
    of_reference = rows[rows["system"] == c.reference]
    columns = [
        Column("", of_reference["subset"], "name", heads=True, about=caption),
        Column("Games", of_reference["games"], "whole"),
        Column("Events", of_reference["events"], "whole"),
        Column(c.reference, of_reference["value"], f"real{digits}"),
        Column("±", of_reference["se"], f"pm{digits}", about="standard error"),
    ]
    for label in dict.fromkeys(rows["system"]):
        if label != c.reference:
            cells = [_told(row, digits) for row in words.each(rows[rows["system"] == label])]
            columns.append(Column(label, cells, "names", about=f"difference of {label} from {c.reference}"))
    return html.table(id, f"{caption}: {METRICS[c.metric].title.lower()}", columns, csv=csv)


def _told(row: Any, digits: int) -> str:
    """A difference with what it says, if events are not too few for that; its interval in the line below."""
    if math.isnan(row.difference):
        return ""
    found = words.verdict(row.low, row.high, row.metric)
    told = html.cell(row.difference, f"signed{digits}")
    told += f" {found}" if found in (words.BETTER, words.WORSE) and row.events >= FEW else ""
    return told if not found else f"{told}; ({words.between(row.low, row.high, digits)})"


def _tuned(c: Comparison) -> html.Table | None:
    if c.tuned.empty:
        return None
    table = c.tuned
    columns = [
        Column("System", table["as_given"], "name", heads=True),
        Column("Parameter", table["parameter"], "name"),
        Column("Searched", [f"{a:g} to {b:g}" for a, b in zip(table["from"], table["to"], strict=True)], "figures"),
        Column("Best", [f"{value:.6g}" for value in table["value"]], "figures"),
        Column("95 % interval", [_range(row.low, row.high) for row in words.each(table)], "figures"),
        Column("At an end", ["yes" if at else "no" for at in table["at_edge"]], "text"),
        Column("Fixed by the games", ["yes" if known else "no" for known in table["identified"]], "text"),
        Column("Games", table["games"], "whole"),
        Column("Events", table["events"], "whole"),
        Column("By", [METRICS[name].title.lower() for name in table["metric"]], "name"),
    ]
    return html.table("tuned", f"Tuned on the events before {c.test_from}", columns, csv="tuned.csv")


def _range(low: float, high: float) -> str:
    ends = ["not known" if math.isnan(end) else f"{end:.4g}" for end in (low, high)]
    return "not known" if ends == ["not known"] * 2 else " to ".join(ends)


def _order(c: Comparison) -> list[html.Table]:
    if c.order is None or c.order_differences is None:
        return []
    order, apart = c.order, c.order_differences
    columns = [
        Column("System", order["system"], "name", heads=True),
        Column("Events", order["events"], "whole"),
        Column("Pairs", order["pairs"], "whole"),
        Column("In order, %", 100 * order["concordance"], "real1"),
        Column("±", 100 * order["concordance_se"], "pm1", about="standard error: in order"),
        Column("Kendall’s tau", order["kendall_tau"], "real3"),
        Column("±", order["kendall_tau_se"], "pm3", about="standard error: Kendall’s tau"),
        Column("Of the experienced, %", 100 * order["experienced_concordance"], "real1"),
        Column("±", 100 * order["experienced_concordance_se"], "pm1", about="standard error: of the experienced"),
    ]
    shown = apart[apart["metric"].isin(("concordance", "experienced_concordance"))]
    of = {"concordance": "all pairs", "experienced_concordance": "pairs of experienced players"}
    ends = [words.between(100 * row.low, 100 * row.high, 1) for row in words.each(shown)]
    differences = [
        Column("System", shown["system"], "name", heads=True),
        Column("Against", shown["reference"], "name"),
        Column("Of", [of[name] for name in shown["metric"]], "name"),
        Column("Difference, %", 100 * shown["difference"], "signed1", about="of pairs; above 0: better"),
        Column("95 % interval", ends, "figures"),
    ]
    return [
        html.table("order", "Final places foretold", columns, csv="order.csv"),
        html.table("order-differences", "Can they be told apart?", differences, csv="order-differences.csv"),
    ]


# --- pictures -------------------------------------------------------------------------------------------------------


def _pictures(c: Comparison) -> Mapping[str, Any]:
    pictures = {"differences": _forest(c), "gaps": _gap_picture(c), "reliability": _reliability_picture(c)}
    others = c.over_time[(c.over_time["system"] != c.reference) & c.over_time["difference"].notna()]
    if len(others["time"].drop_duplicates()) > 1:
        figure, axes = plots.figure(7.4, 3.1)
        plots.over_time(others, axes[0], label=f"difference from {c.reference}")
        told = "; ".join(
            f"{row.system}, {row.time}: {html.cell(row.difference, 'signed4')}" for row in words.each(others)
        )
        pictures["times"] = _svg(figure, "times", "Differences over time", told)
    return {name: picture for name, picture in pictures.items() if picture}


def _forest(c: Comparison) -> Any:
    names = [name for name in METRICS if name in ("log_loss", "brier", "spread_log_score") and _compared(c, name) > 1]
    rows = {
        name: c.differences[(c.differences["metric"] == name) & c.differences["difference"].notna()] for name in names
    }
    rows = {name: table[~table["system"].isin(c.bounds)] for name, table in rows.items()}
    rows = {name: table for name, table in rows.items() if len(table) > 1}
    if not rows:
        return None
    figure, axes = plots.figure(3.4 * len(rows) + 0.6, 0.8 + 0.34 * max(map(len, rows.values())), 1, len(rows))
    told = []
    for axis, (name, table) in zip(axes, rows.items(), strict=True):
        plots.forest(table, axis, label=f"{METRICS[name].title}, less {c.reference}’s")
        digits = METRICS[name].digits
        told += [
            f"{METRICS[name].title}, {row.system}: {html.cell(row.difference, f'signed{digits}')}"
            for row in words.each(table)
        ]
    return _svg(figure, "differences", f"Differences from {c.reference}", "; ".join(told))


def _gap_picture(c: Comparison) -> Any:
    tables = _by_system(c.by_gap)
    if not tables:
        return None
    low = min(0.45, *(float((rows["observed"] - 2 * rows["se"].fillna(0)).min()) - 0.02 for rows in tables.values()))
    widest = max(float(rows["gap"].max()) for rows in tables.values())
    figure, axes = _panels(len(tables), 3.0)
    for axis, (label, rows) in zip(axes, tables.items(), strict=False):
        plots.titled(plots.by_gap(rows, axis, low=max(0.0, low)), label).set_xlim(0, 1.05 * widest)
        axis.label_outer()
    told = _in_words(tables, lambda row: f"{row.gap:.0f} points ")
    return _svg(figure, "gaps", "Forecast and outcome by rating gap", told)


def _reliability_picture(c: Comparison) -> Any:
    tables = _by_system(c.reliability)
    if not tables:
        return None
    figure, axes = _panels(len(tables), 3.2)
    for axis, (label, rows) in zip(axes, tables.items(), strict=False):
        plots.titled(plots.reliability(rows, axis), label)
        axis.label_outer()
    told = _in_words(tables)
    return _svg(figure, "reliability", "Forecast and outcome for favourites", told)


def _by_system(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows of each system that has games in them."""
    return {str(label): rows for label, rows in table.groupby("system", sort=False) if rows["games"].sum()}


def _in_words(tables: Mapping[str, pd.DataFrame], where: Callable[[Any], str] = lambda row: "") -> str:
    """Forecast and outcome of every system's rows with games, `where` saying which row it is."""
    return ". ".join(
        f"{label}: "
        + ", ".join(
            f"{where(row)}forecast {100 * row.forecast:.0f} % won {100 * row.observed:.0f} %"
            for row in words.each(rows[rows["games"] > 0])
        )
        for label, rows in tables.items()
    )


def _panels(count: int, height: float) -> Any:
    """A figure of as many panels as there are systems, three a row; the axes that are left over are blank."""
    columns = 2 if count == 4 else min(3, count)
    rows = -(-count // columns)
    figure, axes = plots.figure(3.1 * columns + 0.3, height * rows, rows, columns, sharex=True, sharey=True)
    for axis in axes[count:]:
        axis.set_axis_off()
    return figure, axes


def _svg(figure: Any, name: str, title: str, told: str) -> Any:
    return html.svg(plots.figure_svg(figure, name=name, title=title, description=told + "."))
