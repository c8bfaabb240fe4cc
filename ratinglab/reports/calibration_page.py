"""The page of a calibration: which parameters forecast best, how sure that is, and what the games cannot tell.

What is said in words is in `ratinglab.reports.calibration_words`; here are the tables and pictures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab import plots
from ratinglab.history import Parsed, assemble
from ratinglab.replaying import replay
from ratinglab.reports import calibration_words as words
from ratinglab.reports import html
from ratinglab.reports.html import Column
from ratinglab.reports.page import Page
from ratinglab.resampling import RESAMPLES, event_draws, interval
from ratinglab.scoring import counted_games, event_sums

if TYPE_CHECKING:
    from markupsafe import Markup

    from ratinglab.calibration.calibrating import Calibration
    from ratinglab.output import Content
    from ratinglab.systems.base import System

GAPS = (0, 50, 100, 200, 300, 400)  # rating points between two players, to show what a parameter does
SETTLED = 50.0  # the ± of such players, where ratings have one
MARGIN = 50  # game points by which one of them wins


@dataclass(frozen=True)
class Counting:
    """How a calibration counted, as far as it does not say so itself."""

    min_games: int = 0
    start: str = "filed"
    fit: bool = False
    seed: int = 0
    resamples: int = RESAMPLES


def tables(c: Calibration, counting: Counting) -> dict[str, pd.DataFrame]:
    """The tables of a calibration by the files they are written to."""
    made = {
        "surface.csv": c.surface,
        "parameters.csv": c.parameters,
        "profiles.csv": c.profiles,
        "metrics.csv": c.metrics,
        "directions.csv": c.directions,
        "gain.csv": gain(c, counting),
        "meaning.csv": meaning(c.system, c.best),
    }
    return made | ({"test.csv": c.test} if c.test is not None else {})


def page(c: Calibration, counting: Counting) -> Page:
    """The page, with everything that is written of a calibration: its tables and best.json."""
    made = tables(c, counting)
    return _page(c, counting, {**made, "best.json": c.best_json()}, made)


def gain(c: Calibration, counting: Counting) -> pd.DataFrame:
    """How much better the best parameters are than those as given, on the games that they were tuned on.

    A row a metric: metric, as_given, tuned, difference (tuned - as given), low, high. The interval is that of events
    resampled, the same draws for both. z_sd is no loss and has no difference.
    """
    names = [axis.name for axis in c.axes]
    both = replace(c.system, **{name: (c.system.value(name), c.best.value(name)) for name in names})
    played = replay(c.schedule, both, details=False)
    counted = counted_games(played, counting.min_games)
    if c.test_from is not None:
        ends = c.schedule.history.events["end_date"].to_numpy()[c.schedule.event_of_game()]
        counted &= ends < np.datetime64(c.test_from)
    metrics = list(c.metrics["metric"])
    sums = event_sums(played, counted, metrics)
    draws = event_draws(len(sums.games), counting.seed, counting.resamples)
    once = np.ones((1, len(sums.games)))
    whole, resampled = ([sums.metrics(weights, column) for column in (0, 1)] for weights in (once, draws))
    rows = []
    for name in metrics:
        loss = name not in words.NO_LOSS
        low, high = interval(resampled[1][name] - resampled[0][name]) if loss else (np.nan, np.nan)
        before, after = float(whole[0][name][0]), float(whole[1][name][0])
        difference = after - before if loss else np.nan
        rows.append((name, before, after, difference, low, high))
    return pd.DataFrame(rows, columns=["metric", "as_given", "tuned", "difference", "low", "high"])


def meaning(given: System, tuned: System) -> pd.DataFrame:
    """What both say of one game between two settled players, by the rating points between them.

    Columns: gap, win_as_given, win_tuned (the favourite's probability), spread_as_given, spread_tuned (game points,
    expected; missing where a system has no such forecast), gain_as_given, gain_tuned (rating points that the favourite
    gains by winning the game by 50 points). The players stand at equal distances from 1500, each ±50, with 500
    lifetime games, and go first equally often.
    """
    events, entries, games = [], [], []
    for gap in GAPS:
        place = {"event": f"gap-{gap}", "section": "main"}
        names, ratings = (f"A {gap}", f"B {gap}"), (1500 + gap / 2, 1500 - gap / 2)
        events.append({"event": place["event"], "date": pd.Timestamp(2000, 1, 1), "rounds": 1})
        for number, (name, rating) in enumerate(zip(names, ratings, strict=True), 1):
            entry = {"number": number, "player": name, "rating": rating, "deviation": SETTLED, "lifetime_games": 500}
            entries.append(place | entry)
        scores = {"score": 400.0 + MARGIN, "opponent_score": 400.0, "result": 1.0, "status": "played", "rated": 1}
        games.append(place | {"round": 1, "player": names[0], "opponent": names[1]} | scores)
    made_up = {"events": pd.DataFrame(events), "entries": pd.DataFrame(entries), "games": pd.DataFrame(games)}
    history = assemble([Parsed(made_up)])
    table = pd.DataFrame({"gap": GAPS})
    for word, system in (("as_given", given), ("tuned", tuned)):
        made = replay(history, system)
        forecasts = made.forecasts.set_index("event").loc[[f"gap-{gap}" for gap in GAPS]]
        changes = made.changes.set_index("player").loc[[f"A {gap}" for gap in GAPS]]
        table[f"win_{word}"] = forecasts["win"].to_numpy()
        table[f"spread_{word}"] = forecasts["spread_mean"].to_numpy() if system.has_spread else np.nan
        table[f"gain_{word}"] = (changes["after"] - changes["before"]).to_numpy()
    return table


def projected(surface: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """The surface over some of its axes: at each of their values the best over the other axes.

    A point is in a region where any of the points that it stands for is.
    """
    regions = {name: "any" for name in ("in_region", "in_profile") if name in surface}
    return surface.groupby(names, as_index=False).agg({"difference": "min"} | regions)


# --- the page ---------------------------------------------------------------------------------------------------------


def _page(c: Calibration, counting: Counting, data: Mapping[str, Content], made: Mapping[str, pd.DataFrame]) -> Page:
    told = words.Told(c)
    better = made["gain.csv"]
    values = {
        "c": c,
        "counting": counting,
        "t": told,
        "metric": words.METRICS[c.metric],
        "parameters": [told.parameter(row) for row in told.rows.values()],
        "parameter_table": _parameters(told),
        "better": told.better(better),
        "gain": _gain(better),
        "meaning": _meaning(made["meaning.csv"], c),
        "margin": MARGIN,
        "settled": SETTLED,
        "has_deviation": "deviation" in c.system.state_names,
        "surfaces": _surfaces(c, told),
        "profiles": _profiles(c, told),
        "metric_table": _metrics(c, told),
        "metric_notes": [(words.METRICS[name].title, words.METRICS[name].about) for name in c.metrics["metric"]],
        "product": told.product(),
        "directions": _directions(c),
        "found": [told.sentence(text) for text in c.directions["sentence"]],
        "test": _test(c),
        "test_says": told.later(),
        "when": told.when(),
        "notes": [told.sentence(note) for note in c.notes],
        "files": [(name, words.FILES[name]) for name in data],
    }
    title = f"Calibration of {c.system.name}"
    return Page("calibration.html", title, told.headline(), "calibration.html", values, short="Calibration", data=data)


def _parameters(told: words.Told) -> html.Table:
    rows = list(told.rows.values())
    columns = [
        Column("Parameter", [told.name(row["name"]) for row in rows], "name", heads=True),
        Column("Unit", [told.unit(row["name"]) for row in rows], "name"),
        Column("As given", [told.given(row) for row in rows], "figures"),
        Column("Best", [told.value(row) for row in rows], "figures"),
        Column(
            "Range, resampling",
            [told.range(row, "low", "high") for row in rows],
            "figures",
            about="95 % interval from resampling events",
        ),
        Column(
            "Range, profile",
            [told.range(row, "profile_low", "profile_high") for row in rows],
            "figures",
            about="95 % interval from how fast the score falls off",
        ),
        Column("Fixed by the games?", [told.fixed(row) for row in rows]),
    ]
    return html.table("parameters", "The best parameters and how sure they are", columns, csv="parameters.csv")


def _gain(table: pd.DataFrame) -> html.Table:
    columns = [
        Column("Metric", [words.METRICS[name].title for name in table["metric"]], "name", heads=True),
        Column("As given", _scores(table, "as_given"), "figures"),
        Column("Tuned", _scores(table, "tuned"), "figures"),
        Column("Difference", _scores(table, "difference", "signed"), "figures", about="tuned less as given"),
        Column("From", _scores(table, "low", "signed"), "figures", about="lower end of the 95 % interval"),
        Column("To", _scores(table, "high", "signed"), "figures", about="upper end of the 95 % interval"),
    ]
    caption = "Tuned against as given, on the games that the tuning saw (below 0: tuned is better)"
    return html.table("gain", caption, columns, csv="gain.csv")


def _scores(table: pd.DataFrame, column: str, kind: str = "real") -> list[str]:
    """The figures of a column, each with the decimals of its row's metric."""
    rows = zip(table["metric"], table[column], strict=True)
    return [html.cell(float(value), f"{kind}{words.METRICS[name].digits}") or words.DASH for name, value in rows]


def _meaning(table: pd.DataFrame, c: Calibration) -> html.Table:
    columns = [
        Column("Rating points between them", table["gap"], "whole", heads=True),
        Column("Win, as given", table["win_as_given"], "percent1", about="probability that the higher-rated wins"),
        Column("Win, tuned", table["win_tuned"], "percent1", about="probability that the higher-rated wins"),
    ]
    if c.system.has_spread:
        about = "expected spread, in game points"
        columns += [
            Column("Spread, as given", table["spread_as_given"], "signed1", about=about),
            Column("Spread, tuned", table["spread_tuned"], "signed1", about=about),
        ]
    about = f"rating points that the higher-rated gains by winning the game by {MARGIN}"
    columns += [
        Column("Gain, as given", table["gain_as_given"], "signed1", about=about),
        Column("Gain, tuned", table["gain_tuned"], "signed1", about=about),
    ]
    return html.table("meaning", "One game between two settled players", columns, csv="meaning.csv")


def _metrics(c: Calibration, told: words.Told) -> html.Table:
    table = c.metrics
    columns = [Column("Metric", [words.METRICS[name].title for name in table["metric"]], "name", heads=True)]
    for axis in c.axes:
        cells = [told.plain(axis.name, value) if np.isfinite(value) else words.DASH for value in table[axis.name]]
        columns.append(Column(f"Best {told.symbol(axis.name)}", cells, "figures"))
    columns += [
        Column("Score there", _scores(table, "value"), "figures"),
        Column("±", [f"±{text}" if text != words.DASH else "" for text in _scores(table, "se")], "text",
               about="standard error, from resampling events"),
        Column("At the chosen best", _scores(table, "at_best"), "figures"),
    ]  # fmt: skip
    return html.table("metrics", "Where each metric has its own optimum", columns, csv="metrics.csv")


def _directions(c: Calibration) -> html.Table | None:
    table = c.directions
    if table.empty:
        return None
    columns = [
        Column("Combination", [words.symbols(text) for text in table["combination"]], "name", heads=True),
        Column("Fixed by", [words.FIXED.get(text, text) for text in table["fixed_by"]], "name"),
        Column("Known to", [f"±{100 * v:.2g} %" if np.isfinite(v) else "not known" for v in table["known_to"]],
               "figures", about="95 % interval, relative"),
    ]  # fmt: skip
    return html.table("directions", "What the games fix, and what the scale fixes", columns, csv="directions.csv")


def _test(c: Calibration) -> list[html.Table]:
    if c.test is None:
        return []
    made = []
    for place, (part, caption) in enumerate((("later", "On the later events"), ("tuned on", "On the earlier events"))):
        rows = c.test[c.test["part"] == part]
        given, tuned = (rows[rows["which"] == which].set_index("metric") for which in ("as given", "tuned"))
        names = [name for name in given.index if name in tuned.index]
        if not names:
            continue
        given, tuned = given.loc[names].reset_index(), tuned.loc[names].reset_index()
        no_loss = tuned["metric"].isin(words.NO_LOSS)
        tuned = tuned.assign(**{name: tuned[name].mask(no_loss) for name in ("difference", "low", "high")})
        columns = [
            Column("Metric", [words.METRICS[name].title for name in names], "name", heads=True),
            Column("As given", _scores(given, "value"), "figures"),
            Column("±", [f"±{text}" for text in _scores(given, "se")], about="standard error"),
            Column("Tuned", _scores(tuned, "value"), "figures"),
            Column("±", [f"±{text}" for text in _scores(tuned, "se")], about="standard error"),
            Column("Difference", _scores(tuned, "difference", "signed"), "figures", about="tuned less as given"),
            Column("From", _scores(tuned, "low", "signed"), "figures", about="lower end of the 95 % interval"),
            Column("To", _scores(tuned, "high", "signed"), "figures", about="upper end of the 95 % interval"),
        ]
        made.append(html.table(f"test-{place + 1}", caption, columns, csv="test.csv"))
    return made


def _surfaces(c: Calibration, told: words.Told) -> list[dict[str, Any]]:
    """A heat map for each pair of axes, at the best over the others."""
    best, given = told.point(c.best), told.point(c.system)
    made = []
    for i, (y, x) in enumerate(combinations(told.varied, 2)):
        figure, axes = plots.figure(7.6, 4.4)
        table = projected(c.surface, [y, x])
        label = f"{words.METRICS[c.metric].short} above its best"
        plots.score_surface(table, axes[0], x, y, best=best, given=given, label=label)
        axes[0].set(xlabel=told.axis_label(x), ylabel=told.axis_label(y))
        others = [told.symbol(name) for name in told.varied if name not in (x, y)]
        title = f"{words.METRICS[c.metric].title} over {told.symbol(y)} and {told.symbol(x)}"
        described = told.surface_described(table, x, y)
        picture = plots.figure_svg(figure, name=f"surface{i + 1}", title=title, description=described)
        made.append({"picture": html.svg(picture), "y": told.symbol(y), "x": told.symbol(x), "others": others})
    return made


def _profiles(c: Calibration, told: words.Told) -> Markup | None:
    """The score along each parameter, at the best over the others; None where none was varied."""
    if not told.varied:
        return None
    rows = [told.rows[name] for name in told.varied]
    across = min(2, len(rows))
    down = -(-len(rows) // across)
    figure, axes = plots.figure(4.6 * across, 3.3 * down, rows=down, columns=across)
    for axis, row in zip(axes, rows, strict=False):
        plots.score_profile(
            c.profiles[c.profiles["parameter"] == row["name"]],
            axis,
            best=row["value"],
            interval=(row["low"], row["high"]),
            profile_interval=(row["profile_low"], row["profile_high"]),
            given=float(c.system.value(row["name"])),
            label=f"{words.METRICS[c.metric].short} above its best",
        )
        axis.set_xlabel(told.axis_label(row["name"]))
    for axis in axes[len(rows) :]:
        axis.set_visible(False)
    title = f"{words.METRICS[c.metric].title} along each parameter"
    return html.svg(plots.figure_svg(figure, name="profiles", title=title, description=told.profiles_described()))
