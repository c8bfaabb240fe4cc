"""What the page of a calibration says: parameters by name and unit, figures in sentences, metrics explained."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from ratinglab.reports.html import cell, many, number
from ratinglab.resampling import FEW

if TYPE_CHECKING:
    from ratinglab.calibration.calibrating import Calibration
    from ratinglab.periods import Bools
    from ratinglab.systems.base import System

DASH = "–"
Row = Mapping[Any, Any]  # one of the parameters' table
_UNKNOWN = "not known"
_BETWEEN = "The optimum lies between the points of this grid: a finer grid, or --fit, finds it."


class Metric(NamedTuple):
    """A metric on a page: its title, what it is called in a sentence, its decimals, what it is."""

    title: str
    short: str
    digits: int
    about: str


METRICS = {
    "log_loss": Metric(
        "Log loss", "log loss", 4, "−log of the probability that was given to what happened; a coin has 0.693"
    ),
    "brier": Metric("Brier score", "Brier score", 4, "the squared distance of forecast and result; a coin has 0.25"),
    "spread_log_score": Metric(
        "Spread log score", "spread log score", 4, "−log of the density that was given to the spread as played"
    ),
    "spread_rmse": Metric("Spread error (RMSE)", "spread error", 2, "the root mean square miss of the spread, points"),
    "spread_crps": Metric("Spread CRPS", "CRPS", 2, "the continuous ranked probability score of the spread, points"),
    "z_sd": Metric(
        "z-sd", "z-sd", 3, "how far spreads fell from their forecast, against how far was foretold: 1 is as foretold, "
        "above 1 they vary more, below 1 less"
    ),
}  # fmt: skip
NO_LOSS = ("z_sd",)  # nearest to 1 is best, and not lowest
_LOGARITHMS = {"log_loss": "what happened", "spread_log_score": "the spread as played"}
FIXED = {"games": "the games", "scale convention": "the scale"}
FILES = {
    "surface.csv": "every grid point with its scores",
    "best.json": "the best parameters for another program",
    "parameters.csv": "the best parameters and their intervals",
    "profiles.csv": "the score along each parameter",
    "metrics.csv": "where each metric has its optimum",
    "directions.csv": "what the games and what the scale fix",
    "gain.csv": "tuned against as given, on the games tuned on",
    "meaning.csv": "one game between two players, as given and tuned",
    "test.csv": "tuned against as given, on later events",
}
_IDLE = "how fast a rating gets less sure while its player does not play"
# Symbol, unit and meaning of parameters that are tuned; others are told by their name alone.
_PARAMETERS: Mapping[str, tuple[str, str, str]] = {
    "b": ("b", "rating points per game point", "how many rating points one game point of spread stands for"),
    "tau": ("τ", "game points", "how far chance carries the spread of a game (one game in three is further off)"),
    "k": ("K", "rating points", "what one win more than expected is worth"),
    "c": ("c", "", _IDLE),
    "initial": ("initial", "rating points", "the rating that somebody unrated starts from"),
    "initial_deviation": ("initial_deviation", "rating points", "how unsure the rating of somebody unrated is"),
    "max_deviation": ("max_deviation", "rating points", "how unsure a rating can get by waiting"),
    "scale": ("scale", "rating points", "the rating difference at which the odds are ten to one"),
    "slope": ("slope", "per rating point", "how steeply expected wins rise with the rating difference"),
    "advantage": ("advantage", "rating points", "what going first (or White) is worth"),
    "acceleration": ("acceleration", "", "how much of an unusual gain is added once more: 0 is off, 1 in full"),
    "feedback": ("feedback", "", "the share of a player's acceleration that each opponent gets for a game"),
    "floor": ("floor", "rating points", "the lowest rating"),
    "reversion": ("reversion", "", "how far ratings go back to the mean between seasons"),
}
_OTHERWISE: Mapping[tuple[str, str], tuple[str, str, str]] = {
    ("glicko2", "tau"): ("τ", "", "how much the volatility may change in a period"),
    ("aus", "scale"): ("scale", "rating points", "the rating difference between certain loss and certain win"),
}


def symbols(text: str) -> str:
    """What is said of parameters, by their symbols, and shares as the page writes them.

    >>> symbols("the games say tau = 98, to ± 3%")
    'the games say τ = 98, to ±3 %'
    """
    return re.sub(r"± ?([\d.]+) ?%", "±\\1 %", re.sub(r"\btau\b", "τ", text))


def _short(value: float) -> str:
    return f"{value:g}".replace("-", "\N{MINUS SIGN}")


class Told:
    """One calibration in words."""

    def __init__(self, calibration: Calibration) -> None:
        self.c = calibration
        self.rows: dict[str, Row] = {row["name"]: row for row in calibration.parameters.to_dict("records")}
        self.metric = METRICS[calibration.metric]
        self.varied = [axis.name for axis in calibration.axes if len(axis.values) > 1]

    # --- parameters by name -------------------------------------------------------------------------------------------

    def _known(self, name: str) -> tuple[str, str, str]:
        other = _OTHERWISE.get((self.c.system.name, name))
        return other or _PARAMETERS.get(name, (name, "", ""))

    def symbol(self, name: str) -> str:
        """τ for tau, otherwise the name."""
        return self._known(name)[0]

    def name(self, name: str) -> str:
        """The symbol, with the name that commands know it by where that is another one."""
        symbol = self.symbol(name)
        return symbol if symbol == name else f"{symbol} ({name})"

    def unit(self, name: str) -> str:
        """What it is measured in; nothing where that is not told."""
        return self._known(name)[1]

    def axis_label(self, name: str) -> str:
        """Symbol and unit, as an axis of a plot carries them."""
        return ", ".join(filter(None, (self.symbol(name), self.unit(name))))

    def point(self, system: System) -> dict[str, float]:
        """The parameters that were tuned, at a system's values."""
        return {axis.name: float(system.value(axis.name)) for axis in self.c.axes}

    # --- figures ------------------------------------------------------------------------------------------------------

    def _digits(self, name: str) -> int | None:
        """Decimals that say something: of a third of the width of what is known, or of the grid's step; else None."""
        row = self.rows[name]
        grid = next(axis for axis in self.c.axes if axis.name == name)
        width = row["high"] - row["low"]
        if not np.isfinite(width) or width <= 0:
            width = float(max(np.diff(grid.values), default=0.0))
        return None if width <= 0 else max(0, -math.floor(math.log10(width / 3)))

    def plain(self, name: str, value: float) -> str:
        """A value of a parameter with as many decimals as mean something."""
        digits = self._digits(name)
        if not np.isfinite(value):
            return _UNKNOWN
        return _short(value) if digits is None else number(float(value), digits)

    def value(self, row: Row) -> str:
        """The best value."""
        return self.plain(row["name"], row["value"])

    def given(self, row: Row) -> str:
        """The value as given."""
        return _short(float(self.c.system.value(row["name"])))

    def range(self, row: Row, low: str, high: str) -> str:
        """An interval: `94–103`, `94 or more` where it is open at the end of the range, or `not known`."""
        below, above = (self.plain(row["name"], row[end]) for end in (low, high))
        unknown = [bool(np.isnan(row[end])) for end in (low, high)]
        if all(unknown):
            return _UNKNOWN
        if unknown[0]:
            return f"{above} or less"
        return f"{below} or more" if unknown[1] else f"{below}–{above}"

    def fixed(self, row: Row) -> str:
        """Whether the games fix it."""
        if row["at_edge"]:
            return "not within this range"
        if row["identified"]:
            return "yes"
        return "no: the scale does" if self._of_scale(row["name"]) else "no"

    def _of_scale(self, name: str) -> bool:
        """Whether it belongs to a combination that the scale of the ratings fixes by convention."""
        scale = self.c.directions[self.c.directions["fixed_by"] != "games"]
        return any(name in re.findall(r"\w+", text) for text in scale["combination"])

    # --- sentences ----------------------------------------------------------------------------------------------------

    def headline(self) -> str:
        """What was found of each parameter: first those that the games fix, last those that nothing but a rule does."""
        rows = sorted(self.rows.values(), key=lambda row: not row["identified"])
        unfixed: dict[str, list[str]] = {}
        clauses = []
        for row in rows:
            name, held = row["name"], row["name"] not in self.varied
            if held or row["identified"] or row["at_edge"]:
                clauses.append(f"{self.symbol(name)} = {self.value(row)}, held" if held else self._clause(row))
            else:
                why = "the scale, not by the data" if self._of_scale(name) else ""
                unfixed.setdefault(why, []).append(self.symbol(name))
        for why, names in unfixed.items():
            are = f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'}"
            clauses.append(f"{are} fixed by {why}" if why else f"{are} not fixed by these games")
            if why:  # which is no reason to leave out what goes best with the scale that there is
                here = [self._clause(row) for row in rows if self.symbol(row["name"]) in names]
                clauses.append(f"on the scale of these ratings {', '.join(here)}")
        return "; ".join(clauses)

    def _clause(self, row: Row) -> str:
        known = self.range(row, "low", "high")
        told = f"{self.symbol(row['name'])} = {self.value(row)}"
        if row["at_edge"]:
            known = "how sure is not known" if known == _UNKNOWN else known
            return f"{told} ({known}), at the end of the range: search a wider one"
        if self._between(row):
            return f"{told} is the best of the grid, the optimum lies within {known}"
        return f"{told} ({'how sure is not known' if known == _UNKNOWN else known})"

    def _between(self, row: Row) -> bool:
        """Whether the best grid point lies outside the range of the optimum: the grid is too coarse for it."""
        return bool(row["value"] < row["low"] or row["value"] > row["high"])

    def parameter(self, row: Row) -> dict[str, Any]:
        """One parameter: what it is, its best value, how sure that is and why."""
        name = row["name"]
        _, unit, meaning = self._known(name)
        sentences = [
            f"{self.name(name)} is {meaning or f'a parameter of {self.c.system.name}'}.",
            f"Best is {self.value(row)}{f' {unit}' if unit else ''}; as given it was {self.given(row)}.",
            self._sure(row),
            _BETWEEN if self._between(row) else "",
            self.sentence(row["why"]),
        ]
        return {"symbol": self.symbol(name), "value": self.value(row), "sentences": list(filter(None, sentences))}

    def sentence(self, text: str) -> str:
        """What a calibration says of its parameters as a sentence, symbols for names."""
        first = re.match(r"\w+", text)
        if first is not None and first.group() not in self.c.system.parameters():
            text = text[0].upper() + text[1:]
        return f"{symbols(text)}."

    def _sure(self, row: Row) -> str:
        """Both intervals of a parameter in a sentence."""
        drawn, profile = self.range(row, "low", "high"), self.range(row, "profile_low", "profile_high")
        told = [
            f"events drawn anew, 19 times out of 20, put the best at {drawn}" if drawn != _UNKNOWN else "",
            f"how fast the score falls off around it says {profile}" if profile != _UNKNOWN else "",
        ]
        sure = "; ".join(filter(None, told))
        return f"How sure that is: {sure}." if sure else "How sure that is cannot be said from these games."

    def better(self, table: pd.DataFrame) -> str:
        """Whether tuning gains anything on the games that it saw."""
        if self.point(self.c.best) == self.point(self.c.system):
            return "The parameters as given are the best of those tried: on these games there is nothing to gain."
        row = table[table["metric"] == self.c.metric].iloc[0]
        return self._difference("On these games", float(row["as_given"]), float(row["tuned"]), row, self.c.events)

    def later(self) -> str:
        """Whether what was tuned holds on the later events."""
        if self.c.test is None:
            return ""
        mine = (self.c.test["part"] == "later") & (self.c.test["metric"] == self.c.metric)
        rows = self.c.test[mine].set_index("which")
        if rows.empty:  # of the later games no spread is known
            return ""
        return self._difference(
            f"On the events from {self.c.test_from} on, which the tuning never saw,",
            float(rows["value"]["as given"]),
            float(rows["value"]["tuned"]),
            rows.loc["tuned"],
            int(rows["events"]["tuned"]),
        )

    def _difference(self, where: str, given: float, tuned: float, row: Any, events: int) -> str:
        """How far two scores are apart, with the interval, in a sentence or two."""
        difference, low, high = (float(row[name]) for name in ("difference", "low", "high"))
        if not np.isfinite(difference):
            return f"{where} no game counts."
        kind, metric = f"real{self.metric.digits}", self.metric.short
        if difference == 0:
            return f"{where} both forecast equally well: the {metric} is {cell(tuned, kind)}."
        word, more = ("better", "more") if difference < 0 else ("worse", "less")
        told = f"{where} the tuned parameters forecast {word} than those as given: the {metric} goes from "
        told += f"{cell(given, kind)} to {cell(tuned, kind)}, by {cell(difference, kind.replace('real', 'signed'))}"
        if np.isnan([low, high]).any():
            return f"{told}; how sure that is is not known, for that takes two events or more."
        ends = " to ".join(cell(end, kind.replace("real", "signed")) for end in (low, high))
        if low <= 0 <= high:
            sure = "which may be chance: 0 lies in the interval"
        elif events < FEW:
            sure = f"yet {many(events, 'event')} are too few to rule out chance"
        else:
            sure = "more than chance explains"
        told = f"{told} (95 % interval {ends}), {sure}."
        if self.c.metric in _LOGARITHMS:
            share = f"{100 * abs(math.expm1(-difference)):.2g} % {more}"
            told += f" In a typical game, {_LOGARITHMS[self.c.metric]} was held to be {share} likely."
        return told

    # --- what was counted ---------------------------------------------------------------------------------------------

    def _played(self) -> pd.DataFrame:
        """The events with a rated game."""
        schedule = self.c.schedule
        return schedule.history.events.iloc[np.unique(schedule.event_of_game())]

    def when(self) -> str:
        """The days of the events that were counted."""
        days = self._played()["end_date"].dropna()
        if self.c.test_from is not None:
            days = days[days < pd.Timestamp(self.c.test_from)]
        if days.empty:
            return "without dates"
        first, last = (f"{day:%Y-%m-%d}" for day in (days.min(), days.max()))
        return f"of {first}" if first == last else f"from {first} to {last}"

    def table(self) -> pd.DataFrame:
        """The best parameters as a terminal shows them."""
        rows = list(self.rows.values())
        made = {
            "parameter": [row["name"] for row in rows],
            "as given": [self.given(row) for row in rows],
            "best": [self.value(row) for row in rows],
            "range (resampling)": [self.range(row, "low", "high") for row in rows],
            "range (profile)": [self.range(row, "profile_low", "profile_high") for row in rows],
            "fixed by the games": [self.fixed(row) for row in rows],
        }
        return pd.DataFrame(made)

    def product(self) -> list[tuple[str, str]]:
        """Of Glixo and its kind, where τ was tuned: each metric with b·τ (rating points) at its own optimum."""
        if "tau" not in self.c.metrics or "b" not in self.c.system.parameters():
            return []
        b = self.c.metrics["b"] if "b" in self.c.metrics else float(self.c.system.value("b"))
        products = self.c.metrics["tau"] * b
        return [
            (METRICS[name].short, number(float(value)))
            for name, value in zip(self.c.metrics["metric"], products, strict=True)
            if np.isfinite(value)
        ]

    # --- pictures in words --------------------------------------------------------------------------------------------

    def surface_described(self, table: pd.DataFrame, x: str, y: str) -> str:
        """What the heat map shows."""
        best = self.point(self.c.best)
        region: Bools = table["in_region"].to_numpy().astype(bool)
        spans = []
        for name in (y, x):
            inside = table.loc[region, name]
            if len(inside):
                ends = " to ".join(self.plain(name, end) for end in (inside.min(), inside.max()))
                spans.append(f"{self.symbol(name)} from {ends}")
        at = " and ".join(f"{self.symbol(name)} = {self.plain(name, best[name])}" for name in (y, x))
        told = f"The {self.metric.short} is best at {at} and rises to {table['difference'].max():.2g} above that."
        return told + (f" The region holds grid points with {' and '.join(spans)}." if spans else "")

    def profiles_described(self) -> str:
        """What the profile curves show."""
        return " ".join(
            f"{self.symbol(name)}: lowest at {self.value(row)}, interval {self.range(row, 'low', 'high')}."
            for name, row in self.rows.items()
        )
