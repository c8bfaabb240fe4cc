"""The page on how good the forecasts were: scores side by side, reliability, spreads."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from ratinglab import plots
from ratinglab.reports import html
from ratinglab.reports.html import Column
from ratinglab.reports.material import Material
from ratinglab.reports.page import Page

COIN_LOG_LOSS, COIN_BRIER = math.log(2), 0.25
# Titles and decimals of the metrics on the page, with what a coin scores where it has a score.
_WINNING: dict[str, tuple[str, int, float | None]] = {
    "log_loss": ("Log loss", 4, COIN_LOG_LOSS),
    "brier": ("Brier", 4, COIN_BRIER),
    "accuracy": ("Accuracy", 3, 0.5),
    "calibration_slope": ("Slope", 2, None),
    "calibration_intercept": ("Intercept", 2, None),
}
_SPREAD: dict[str, tuple[str, int]] = {
    "spread_log_score": ("Log score", 3),
    "spread_rmse": ("RMSE", 1),
    "spread_crps": ("CRPS", 1),
    "z_sd": ("z-sd", 3),
}


def forecasts(m: Material) -> Page:
    """Every system's forecasts of the same games, and how far they can be told apart."""
    every = m.scores[m.scores["subset"] == "all"]
    values = {
        "winning": [_winning(m, i, subset) for i, subset in enumerate(m.scores["subset"].unique())],
        "spreads": _spreads(every),
        "differences": _differences(m),
        "pictures": _pictures(m, every),
        "reliability": _reliability(m),
        "ties": int((m.forecasts["result"] == 0.5).sum()),
        "unknown_spreads": int(m.forecasts["spread"].isna().sum()),
        "no_favourite": {
            name: int(every["games"].iloc[0] - table["games"].sum()) for name, table in m.reliability.items()
        },
        "games": int(every["games"].iloc[0]),
        "events": int((m.events["games"] > 0).sum()),
    }
    return Page("forecasts.html", "Forecasts", _headline(m, every), "forecasts.html", values)


def _pm(value: float, se: float, digits: int) -> str:
    """A score with its standard error; a score that is not known is left out."""
    if math.isnan(value):
        return ""
    told = html.cell(value, f"real{digits}")
    return told if math.isnan(se) else f"{told} ± {html.cell(se, f'real{digits}')}"


def _headline(m: Material, every: pd.DataFrame) -> str:
    columns = (every[name] for name in ("system", "log_loss", "log_loss_se"))
    figures = ", ".join(f"{system} {_pm(loss, se, 3)}" for system, loss, se in zip(*columns, strict=True))
    return f"Log loss (lower is better, a coin has {COIN_LOG_LOSS:.3f}): {figures}"


def _columns(table: pd.DataFrame, metrics: dict[str, Any]) -> list[Column]:
    """A column for each metric, and one for its standard error."""
    return [
        column
        for name, (title, digits, *_) in metrics.items()
        for column in _with_error(title, table[name], table[f"{name}_se"], f"real{digits}")
    ]


def _with_error(title: str, figures: pd.Series, errors: pd.Series, kind: str) -> list[Column]:
    digits = kind[-1]
    error = Column("±", errors, f"pm{digits}", about=f"standard error: {title.lower()}")
    return [Column(title, figures, kind), error]


def _winning(m: Material, place: int, subset: str) -> html.Table:
    table = m.scores[m.scores["subset"] == subset]
    coin = {name: [reference] for name, (_, _, reference) in _WINNING.items() if reference is not None}
    missing = float("nan")
    with_coin = pd.concat(
        [
            table[["system", "games", *(c for n in _WINNING for c in (n, f"{n}_se"))]],
            pd.DataFrame({"system": ["a coin"], "games": table["games"].iloc[:1], **coin}),
        ],
        ignore_index=True,
    ).fillna({f"{n}_se": missing for n in _WINNING})
    title = "All rated games" if subset == "all" else f"Games in which {subset}"
    columns = [
        Column("System", with_coin["system"], "name", heads=True),
        Column("Games", with_coin["games"], "whole"),
        *_columns(with_coin, _WINNING),
    ]
    return html.table(f"scores-{place + 1}", title, columns, csv="tables/scores.csv")


def _spreads(every: pd.DataFrame) -> html.Table | None:
    if "spread_log_score" not in every or every["spread_log_score"].isna().all():
        return None
    table = every[every["spread_log_score"].notna()]
    columns = [Column("System", table["system"], "name", heads=True), *_columns(table, _SPREAD)]
    return html.table("spread-scores", "Forecasts of the spread", columns, csv="tables/scores.csv")


def _differences(m: Material) -> html.Table | None:
    table = m.differences[m.differences["system"] != m.main]
    if table.empty:
        return None
    columns = [Column("System", table["system"].unique(), "name", heads=True)]
    for name in ("log_loss", "brier"):
        part = table[table["metric"] == name]
        title, digits, _ = _WINNING[name]
        columns += _with_error(title, part["difference"], part["se"], f"signed{digits}")
    caption = f"Difference from {m.main} on the same games (above 0: worse)"
    return html.table("differences", caption, columns, csv="tables/differences.csv")


def _reliability(m: Material) -> list[html.Table]:
    tables = []
    for place, (name, table) in enumerate(m.reliability.items()):
        shown = table[table["games"] > 0]
        bins = [f"{100 * low:.0f}–{100 * high:.0f} %" for low, high in zip(shown["low"], shown["high"], strict=True)]
        columns = [
            Column("Range", bins, "figures", heads=True),
            Column("Games", shown["games"], "whole"),
            Column("Events", shown["events"], "whole"),
            Column("Forecast, %", 100 * shown["forecast"], "real1", about="mean forecast for the favourite"),
            *_with_error("Won, %", 100 * shown["observed"], 100 * shown["se"], "real1"),
        ]
        tables.append(html.table(f"reliability-{place + 1}", name, columns, csv="tables/reliability.csv"))
    return tables


def _pictures(m: Material, every: pd.DataFrame) -> dict[str, Any]:
    pictures: dict[str, Any] = {}
    figure, axes = plots.figure(7.2, 0.75 + 0.36 * len(every), 1, 2, sharey=True)
    for axis, name in zip(axes, ("log_loss", "brier"), strict=True):
        title, _, reference = _WINNING[name]
        frame = pd.DataFrame({"system": every["system"], "value": every[name], "se": every[f"{name}_se"]})
        plots.metric(frame, axis, label=f"{title} (lower is better)", reference=reference)
    told = "; ".join(
        f"{row['system']}: log loss {_pm(row['log_loss'], row['log_loss_se'], 4)}, "
        f"Brier {_pm(row['brier'], row['brier_se'], 4)}"
        for _, row in every.iterrows()
    )
    pictures["scores"] = html.svg(
        plots.figure_svg(figure, name="scores", title="Scores of the systems", description=told + ".")
    )

    columns = min(3, len(m.reliability))
    rows = -(-len(m.reliability) // columns)
    figure, axes = plots.figure(3.1 * columns + 0.3, 3.2 * rows, rows, columns, sharex=True, sharey=True)
    for axis, (name, table) in zip(axes, m.reliability.items(), strict=False):
        plots.titled(plots.reliability(table, axis), name)
        axis.label_outer()
    for axis in axes[len(m.reliability) :]:
        axis.set_axis_off()
    told = ". ".join(f"{name}: {_described(table)}" for name, table in m.reliability.items())
    pictures["reliability"] = html.svg(
        plots.figure_svg(
            figure, name="reliability", title="Forecast and outcome for favourites", description=told + "."
        )
    )

    if m.pit is not None:
        figure, axes = plots.figure(5.6, 2.7)
        plots.pit(m.pit, axes[0])
        shares = ", ".join(html.cell(share, "percent1") for share in m.pit["share"])
        told = f"Share of games in each tenth of the forecast distribution, from low to high: {shares}."
        pictures["pit"] = html.svg(
            plots.figure_svg(figure, name="spreads", title="Spreads within their forecasts", description=told)
        )
    return pictures


def _described(table: pd.DataFrame) -> str:
    shown = table[table["games"] > 0]
    return ", ".join(
        f"forecast {html.cell(f, 'percent')} won {html.cell(o, 'percent')}"
        for f, o in zip(shown["forecast"], shown["observed"], strict=True)
    )
