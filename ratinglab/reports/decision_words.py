"""What the page of a proposal says in words: the question, what the figures do not say, sentences beside the tables.

The answer itself is in `decision_answer`, tables and pictures in `decision_tables` and `decision_page`.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pandas as pd

from ratinglab.proposals.proposing import CURRENT, PROPOSED
from ratinglab.reports.html import cell, many, number
from ratinglab.resampling import FEW
from ratinglab.systems.base import short

if TYPE_CHECKING:
    from ratinglab.explaining import Rerating
    from ratinglab.proposals.proposing import Proposal
    from ratinglab.systems import System

FEW_EVENTS = 20  # below, an interval from resampling events is too narrow to be leant on
MANY_GROUPS = 10  # from more, one is likely to differ by chance alone
_PARTS = ("gained", "entries", "exits")  # of the change of a mean, as `levels` tells them
_SWITCH = {True: "on", False: "off"}
# Metrics on the page: title, decimals, unit, and whether more is better (None: there is an ideal value).
METRICS: dict[str, tuple[str, int, str, bool | None]] = {
    "log_loss": ("Log loss", 4, "a game", False),
    "brier": ("Brier score", 4, "a game", False),
    "accuracy": ("Favourites who won", 4, "share of games", True),
    "calibration_slope": ("Calibration slope", 3, "ideal: 1", None),
    "spread_log_score": ("Spread: log score", 4, "a game", False),
    "spread_rmse": ("Spread: typical error", 2, "points", False),
    "spread_crps": ("Spread: CRPS", 2, "points", False),
    "z_sd": ("Spread: z-sd", 3, "ideal: 1", None),
    "concordance": ("Pairs in the order foretold", 4, "share of pairs", True),
    "kendall_tau": ("Kendall’s tau", 4, "−1 to 1", True),
    "experienced_concordance": ("The same, of experienced players", 4, "share of pairs", True),
    "experienced_kendall_tau": ("Tau, of experienced players", 4, "−1 to 1", True),
}


def signed(value: float, digits: int) -> str:
    """A figure with its sign: −0.0012, +12, 0."""
    return cell(value, f"signed{digits}")


def real(value: float, digits: int) -> str:
    """A figure with a true minus sign."""
    return cell(value, f"real{digits}")


def span(low: float, high: float, digits: int) -> str:
    """An interval; `not known` where there is none."""
    if math.isnan(low) or math.isnan(high):
        return "not known"
    return f"{signed(low, digits)} to {signed(high, digits)}"


def listed(parts: list[str]) -> str:
    """Parts of a sentence with commas and an `and`."""
    return ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]


def verdict(row: pd.Series) -> str:
    """What a row of `forecasts` says of the proposal: better, worse, open, few (events), same, or unknown."""
    more = METRICS[row["metric"]][3]
    if row["difference"] != 0 and row.get("events", FEW) < FEW:
        return "few"
    if math.isnan(row["low"]) or math.isnan(row["high"]):
        return "same" if row["difference"] == 0 else "unknown"
    if more is None or row["low"] <= 0 <= row["high"]:
        return "open"
    return "better" if (row["low"] > 0) == more else "worse"


# --- the question -----------------------------------------------------------------------------------------------------


def title_of(p: Proposal) -> str:
    """What the page is called, unless a title is given."""
    return f"Proposal: {spoken(p.proposed.system)} in place of {spoken(p.current.system)}"


def spoken(system: System) -> str:
    """A system in words: its name, and the parameters that are not at their defaults.

    >>> from ratinglab.systems import parse
    >>> spoken(parse("glixo:tau=100,growth=linear"))
    'glixo with tau = 100 and growth = linear'
    """
    told = [f"{name} = {setting(value)}" for name, value in system.own_parameters().items()]
    return f"{system.name} with {listed(told)}" if told else system.name


def setting(value: object) -> str:
    """A parameter's value in words."""
    if isinstance(value, bool):
        return _SWITCH[value]
    return short(value) if value != "" else "none"


def changed(p: Proposal) -> list[tuple[str, str, str, str]]:
    """The parameters that differ where both are one system: name, value now, value proposed, what it is."""
    one, other = p.current.system, p.proposed.system
    if one.name != other.name:
        return []
    then = other.parameters()
    return [
        (name, setting(value), setting(then[name]), meaning(one, name))
        for name, value in one.parameters().items()
        if value != then[name]
    ]


def meaning(system: System, parameter: str) -> str:
    """What a system says of one of its parameters, as far as its description has a clause for it; else nothing.

    >>> from ratinglab.systems import Naspa
    >>> meaning(Naspa(), "acceleration")
    'what a gain at an event exceeds a threshold by is added once more (1 on, 0 off)'
    """
    for kind in type(system).__mro__:
        text = " ".join((kind.__doc__ or "").split())
        # up to the `;` or full stop that ends the clause, which one between brackets does not
        clause = r"((?:\([^)]*\)|[^;(])*?)(?:;|\. |\.$)"
        found = re.search(rf"(?<![\w`]){re.escape(parameter)}(?:, \w+)*: {clause}", text)
        if found and not found.group(1).startswith(("as in ", "as of ")):  # what is said of the other system counts
            return found.group(1).replace("`", "")
    return ""


def question(p: Proposal) -> str:
    """The question that is put to the vote, in a sentence."""
    differing = changed(p)
    name = p.current.system.name
    if differing:
        told = ", ".join(f"{parameter} = {then} instead of {now}" for parameter, now, then, _ in differing)
        return f"Should {name} be run with {told}?"
    if p.current.system == p.proposed.system:
        return f"Should {spoken(p.current.system)} be kept as it is? Both systems named are one and the same."
    return f"Should {spoken(p.proposed.system)} take the place of {spoken(p.current.system)}?"


# --- what it does not say ---------------------------------------------------------------------------------------------


def limits(p: Proposal, groups: int) -> list[str]:
    """What the figures mean, and what not to take from them; `groups` of games are shown with an interval."""
    said = [
        "A rating is a claim about results to come. The system whose forecasts come closer to what then happened rates "
        "players closer to their strength; whether it is also simple, accepted and kind to newcomers is for the "
        "committee to weigh.",
        "Nobody played under the proposal. What players would have done otherwise, such as enter other events, is not "
        "known.",
    ]
    whole = p.current.schedule.whole
    filed = int((~pd.isna(whole.filed_rating[whole.starting])).sum())
    if p.current.schedule.start == "filed" and filed:
        of = number(len(whole.starting))
        said.append(
            f"{number(filed)} of {of} players start from a rating in the files, the same under both. The system that "
            "made those ratings has an advantage in the first events."
        )
    if groups > MANY_GROUPS:
        by_chance = round(groups / 20)
        said.append(
            f"Of {groups} groups of games with an interval about {by_chance} would show a difference by chance alone: "
            "one group proves little."
        )
    undated = int(p.current.schedule.history.events["end_date"].isna().sum())
    if undated:
        are = "is" if undated == 1 else "are"
        said.append(f"{many(undated, 'event')} without a date {are} rated last, and left out of what goes over time.")
    return said


# --- beside the tables ------------------------------------------------------------------------------------------------


def ranks_say(p: Proposal) -> str:
    """Who has a rank."""
    if p.players["current_rank"].notna().equals(p.players["current"].notna()):
        return "Ranks are among all listed players, and equal ratings share a rank."
    who = "active players (a result within two years)"
    if "provisional" in p.players:
        who += " whose rating is not provisional (few games)"
    ranked = number(int(p.players["current_rank"].notna().sum()))
    return f"Ranks are among {who}: {ranked} of {number(len(p.players))}. Equal ratings share a rank."


def level_says(p: Proposal) -> list[str]:
    """What moved the mean of the active players, in a sentence a system."""
    table = p.tables.get("levels")
    if table is None or len(table) < 4:
        return []
    said = []
    for which, word in ((CURRENT, "Now"), (PROPOSED, "Under the proposal")):
        part = table[table["which"] == which]
        gained, entries, exits, whole = adding_up([float(part[name].sum()) for name in _PARTS], p.digits)
        said.append(
            f"{word}, the mean of all active players moves by {whole} points in all: {gained} through what players "
            f"gained or lost at events, {entries} through newcomers and returning players who came in above or below "
            f"it, and {exits} through those who left."
        )
    return said


def adding_up(parts: list[float], digits: int) -> list[str]:
    """The parts of a sum and the sum, each rounded so that they add up as printed: the running sums are rounded.

    >>> adding_up([16.6, -44.6, -14.4], 0)
    ['+17', '−45', '−14', '−42']
    """
    running = [0.0]
    for part in parts:
        running.append(running[-1] + part)
    rounded = [round(of, digits) for of in running]
    shown = [after - before for before, after in pairwise(rounded)]
    return [signed(of, digits) for of in (*shown, rounded[-1])]


def rated_says(p: Proposal) -> str:
    """How many are rated at the end."""
    table = p.tables.get("rated")
    if table is None or not len(table):
        return ""
    told = []
    for which, word in ((CURRENT, "now"), (PROPOSED, "under the proposal")):
        last = table[table["which"] == which].iloc[-1]
        text = f"{number(last['rated'])} {word}, {number(last['active'])} of them active"
        provisional = last.get("provisional", float("nan"))
        told.append(text if pd.isna(provisional) else f"{text} and {number(provisional)} provisional")
    return f"Rated players on {table['date'].max():%Y-%m-%d}: {'; '.join(told)}."


def example(made: Rerating) -> dict[str, Any]:
    """A worked example: whose rating, in which event, and why it differs."""
    one = made.one
    when = f" ({one.date})" if one.date else ""
    return {"player": one.player, "event": f"{one.event_name}{when}", "sentences": [_told(s) for s in made.sentences]}


def _told(sentence: str) -> str:
    """A sentence of an explanation as the page tells it: its systems by their part here, figures to two decimals."""
    sentence = sentence.replace("under the first", "now").replace("under the second", "under the proposal")

    def shorter(found: re.Match[str]) -> str:
        sign, figure = found.groups()
        rounded = f"{float(figure):.2f}".removesuffix(".00")
        return rounded if rounded == "0" else sign.replace("-", "\N{MINUS SIGN}") + rounded

    return re.sub(r"(?<![\w.])([+-]?)(\d+\.\d{2,})\b", shorter, sentence)
