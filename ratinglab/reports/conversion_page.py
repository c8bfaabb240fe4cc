"""The page of a conversion between two lists: the curve and its range, a table to read off, and how well it fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab import plots
from ratinglab.reports import html
from ratinglab.reports.html import Column, cell, many, number
from ratinglab.reports.page import Page
from ratinglab.seeding.converting import FEWEST, FOLDS, SEGMENT, SIDE

if TYPE_CHECKING:
    from markupsafe import Markup

    from ratinglab.output import Content
    from ratinglab.privacy import Protected
    from ratinglab.seeding.scales import Conversions

FAR = 2.0  # standard deviations from which somebody is listed as far off


def page(made: Conversions, *, protected: Protected | None = None, pupils: bool = False, rated_by: str = "") -> Page:
    """The page, with conversion.csv, knots.csv, fit.csv and pairs.csv beside it.

    In a public set (`protected`) no protected person stands in pairs.csv, among those far off, or as a mark in the
    picture. `pupils`: whether people at school are named; `rated_by`: the system that made ratings, if one did.
    """
    table, fit, pairs = made.there.table(), made.fit(), made.pairs()
    shown = pairs if protected is None else protected.drop(pairs, "player")
    far = shown[shown["z"].abs() >= FAR].sort_values("z", key=abs, ascending=False, kind="stable")
    data: dict[str, Content] = {
        "conversion.csv": table, "knots.csv": made.there.knots, "fit.csv": fit, "pairs.csv": shown,
    }  # fmt: skip
    values: dict[str, Any] = {
        "made": made,
        "pupils": pupils and (protected is None or not protected.public),
        "rated_by": rated_by,
        "says": [*made.common.says, *made.there.says],
        "middle": _middle(made),
        "picture": _picture(made, shown),
        "hidden": len(pairs) - len(shown),
        "worth": _table(table, made),
        "back": _back(made),
        "fit": _fit(fit),
        "odd_fit": _odd_fit(fit, made.there.residual_sd),
        "far": _far(far, made) if len(far) else None,
        "far_from": FAR,
        "protection": [] if protected is None else list(protected.says),
        "side": SIDE,
        "segment": SEGMENT,
        "fewest": FEWEST,
        "folds": FOLDS,
        "files": [
            ("conversion.csv", "the table above"),
            ("knots.csv", "the points between which the curve is straight"),
            ("fit.csv", "how well it fits, by thirds of the players"),
            (
                "pairs.csv",
                "who is on both lists" + (", as far as they may be named" if len(shown) < len(pairs) else ""),
            ),
        ],
    }
    title = f"From {made.source} to {made.target} ratings"
    return Page("conversion.html", title, headline(made), "conversion.html", values, data=data)


def headline(made: Conversions) -> str:
    """One rating converted, and where conversions may be used."""
    one = _middle(made)
    if made.there.weak:
        return (
            f"{made.source.capitalize()} ratings say next to nothing of {made.target} ratings of the same "
            f"{many(made.there.n, 'player')}: no conversion to rely on"
        )
    return (
        f"A rating of {number(one['x'])} on the {made.source} list is worth {number(one['value'])} ± "
        f"{number(one['sd'])} on the {made.target} list; usable from {number(made.there.low)} to "
        f"{number(made.there.high)}"
    )


def _middle(made: Conversions) -> dict[str, float]:
    """The row of the table nearest to the median of the players, at a round rating where there is one."""
    table = made.there.table()
    inner = table.iloc[1:-1] if len(table) > 2 else table
    at = (inner["x"] - made.common.pairs["x"].median()).abs().to_numpy().argmin()
    return {str(name): float(value) for name, value in inner.iloc[at].items()}


def _table(table: pd.DataFrame, made: Conversions) -> html.Table:
    columns = [
        Column(made.source, table["x"], "whole", heads=True, about="rating on the first list"),
        Column(made.target, table["value"], "whole", about="what it is worth on the second list"),
        Column("±", table["sd"], "pm", about="standard deviation for a new player"),
        Column("New player, from", table["low"], "whole", about="19 new players in 20 lie between the two"),
        Column("New player, to", table["high"], "whole"),
        Column("Curve, from", table["curve_low"], "whole", about="95 % interval of the curve itself"),
        Column("Curve, to", table["curve_high"], "whole"),
    ]
    caption = f"What {made.source} ratings are worth as {made.target} ratings"
    return html.table("conversion", caption, columns, csv="conversion.csv", most=len(table))


def _back(made: Conversions) -> dict[str, float] | None:
    """A rating near the upper end of the range, converted there and, where it may be, back again."""
    if made.back is None:
        return None
    x = made.there.table()["x"].to_numpy()[::-1]
    there = made.there.apply(x)["value"].to_numpy()
    again = made.back.apply(there)["value"].to_numpy()
    known = np.flatnonzero(~np.isnan(again))
    if not len(known):
        return None
    at = known[0]
    return {"x": float(x[at]), "there": float(there[at]), "again": float(again[at])}


def _fit(fit: pd.DataFrame) -> html.Table:
    columns = [
        Column("Players", fit["part"], heads=True),
        Column("from", fit["low"], "whole"),
        Column("to", fit["high"], "whole"),
        Column("How many", fit["players"], "whole"),
        Column("Mean off", fit["residual"], "signed", about="rating on the second list less the conversion"),
        Column("±", fit["residual_se"], "pm", about="standard error of the mean"),
        Column("Scatter", fit["sd"], "whole", about="standard deviation about that mean"),
    ]
    return html.table("fit", "How far the conversion was off, by rating on the first list", columns, csv="fit.csv")


def _odd_fit(fit: pd.DataFrame, residual_sd: float) -> str:
    """What a reader should see in the table of fit."""
    from scipy.special import fdtri

    off = fit[fit["residual"].abs() > 2 * fit["residual_se"]]
    told = [
        f"In the {part} ratings on the second list lie {cell(abs(mean), 'whole')} points "
        f"{'above' if mean > 0 else 'below'} the conversion on average, more than chance explains."
        for part, mean in off[["part", "residual"]].itertuples(index=False)
    ]
    narrow, wide = (fit.iloc[int(at)] for at in (fit["sd"].argmin(), fit["sd"].argmax()))
    # Fisher's ratio of variances at 5 %, of the most different of three pairs
    allowed = float(fdtri(wide["players"] - 1, narrow["players"] - 1, 1 - 0.05 / 6))
    if residual_sd > 0 and wide["sd"] ** 2 > allowed * narrow["sd"] ** 2:
        told.append(
            f"The scatter is {cell(wide['sd'], 'whole')} in the {wide['part']} and {cell(narrow['sd'], 'whole')} in "
            f"the {narrow['part']}: one ± for all is too small in the one and too large in the other."
        )
    return " ".join(told) or "No third is off by more than chance explains, and the scatter is much the same in all."


def _far(far: pd.DataFrame, made: Conversions) -> html.Table:
    columns = [
        Column("Player", far["player"], "name", heads=True),
        Column(made.source, far["x"], "whole"),
        *([Column(f"{made.source}, of", far["x_date"], "day")] if far["x_date"].notna().any() else []),
        Column("Worth", far["value"], "whole", about="converted by a curve made without the player"),
        Column(made.target, far["y"], "whole"),
        *([Column(f"{made.target}, of", far["y_date"], "day")] if far["y_date"].notna().any() else []),
        Column("Off", far["residual"], "signed"),
        Column("in sd", far["z"], "real1"),
    ]
    return html.table("far", "Who is far from the conversion", columns, csv="pairs.csv")


def _picture(made: Conversions, shown: pd.DataFrame) -> Markup:
    x = np.unique(np.concatenate([np.linspace(made.there.low, made.there.high, 60), made.there.knots["x"]]))
    table = pd.concat([pd.DataFrame({"x": x}), made.there.apply(x)], axis=1)
    figure, axes = plots.figure(6.4, 4.2)
    plots.converted(table, axes[0], players=shown, names=(made.source, made.target))
    ends = table.iloc[[0, -1]]
    told = "; ".join(
        f"{cell(one.x, 'whole')} becomes {cell(one.value, 'whole')}, a new player from {cell(one.low, 'whole')} to "
        f"{cell(one.high, 'whole')}"
        for one in ends.itertuples()
    )
    title = f"{made.target} by {made.source} rating"
    return html.svg(plots.figure_svg(figure, name="converted", title=title, description=f"A rising curve: {told}."))
