"""A worked computation as text for a terminal or a letter, and as a page: the same blocks, set in two ways.

Figures are rounded so that what is printed adds up: totals are rounded, and points are the steps between printed
totals, so no printed figure is off by more than one in its last digit and no sum by anything.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import numpy as np
import pandas as pd

from ratinglab import schema
from ratinglab.explaining import (
    AFTER,
    BEFORE,
    DIGITS,
    GAME,
    INPUT,
    NOT_RATED,
    RULES,
    TIME,
    Explanation,
    Rerating,
    figure,
    figures,
    further,
)  # fmt: skip

MILLIONTHS = 6  # decimals of weights, which are told in millionths
_PLAIN = ("round", "opponent", "opponent_rating", "opponent_deviation", "result", "spread", "expected")
_HEADS = {
    "opponent_rating": "their rating", "opponent_deviation": "their deviation", "information": "weight",
    "result": "score",
}  # fmt: skip
_FOOTNOTE = "Points are the steps between printed totals, so that they add up: one may be off by 1 in its last digit."
_WEIGHTS = "Weights are millionths: 1,000,000/deviation². They add up to the weight after."
_WIDTH, _NARROW = 100, 40  # characters of a line of text; of a column of words at the least
_LEFT = {"opponent", "rule", "what it says", "because"}  # columns of words
_RESULTS = {1.0: "1", 0.5: "½", 0.0: "0"}
_RECORDS = {1.0: "only wins", -1.0: "only losses", 0.0: "mixed or not known"}
# What a player asks of the heads and names above; those that a computation shows are told below it.
_MEANINGS = {
    "K": "points for each win more than expected",
    "expected": "what the ratings foretell of the game: 1 for a sure win, 0.5 for an even game",
    "deviation": "how unsure the rating is: two times in three the strength lies within it",
    "b": "rating points for each game point of the spread",
    "tau": "how far chance carries the spread of a game, in game points",
    "counted spread": "the spread, as far as the event lets it count",
    "played like": "the strength that this game alone speaks for",
    "g": "what a game counts against an opponent of an unsure rating, of at most 1",
    "volatility": "how much the strength itself seems to change from one event to the next",
    "lifetime games": "games played before",
    "prior games": "games that the old rating rests on",
    "effective games": "how many games the old rating is worth beside the new ones",
    "games in the mean": "effective games, and those of the event that the ratings had not as good as decided",
    "peak": "the highest rating so far",
    "pending games": "games of somebody unrated that count towards a first rating",
    "N": "players",
    "s": "the percentile score of the place: nearly 100 for the first, nearly 0 for the last",
    "v": "the value of the tournament, in percent",
}
_NO_POINTS = "of a game: no points by itself; the rules say what it does, or the opponent has no rating that counts"


@dataclass
class Block:
    """A stretch of the computation: figures it starts from, and a table of rows as text."""

    heading: str = ""
    figures: list[tuple[str, str]] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)


class _Sums:
    """Printed totals and the printed steps between them."""

    def __init__(self, start: float, digits: int) -> None:
        self.quantum = Decimal(1).scaleb(-digits)
        self.printed = self._round(start)

    def _round(self, value: float) -> Decimal:
        return Decimal(repr(float(value))).quantize(self.quantum, ROUND_HALF_EVEN)

    def step(self, total: float) -> tuple[str, str]:
        """The step to this total, and the total, as printed."""
        now = self._round(total)
        change, self.printed = now - self.printed, now
        return f"{change:+f}", f"{now:f}"


def blocks(explanation: Explanation) -> list[Block]:
    """The computation in blocks: where the rating stood, the games of each part, the rules, where it stands now."""
    rows = explanation.rows
    # what repeats the spread is not shown beside it
    own = [c for c in further(rows) if not np.array_equal(rows[c].dropna(), rows.loc[rows[c].notna(), "spread"])]
    weighed = bool(rows["information"].notna().any())
    out = [_standing(explanation, BEFORE, weighed)]
    start = rows.loc[rows["kind"] == BEFORE, "total"].dropna()
    sums = _Sums(float(start.iloc[0]) if len(start) else 0.0, DIGITS)
    deviation = rows.loc[(rows["kind"] == BEFORE) & (rows["name"] == "deviation"), "value"].dropna()
    weights = _Weights(float(deviation.iloc[0])) if len(deviation) else None
    heading, table, because = "", "", ""
    for row in rows[rows["kind"].isin([TIME, INPUT, GAME, RULES])].to_dict("records"):
        if row["kind"] == RULES and not row["acted"]:
            continue
        again, because = row["kind"] == RULES and row["because"] == because, row["because"]
        if again and row["points"] == 0 and pd.isna(row["information"]):
            continue  # one more pass that finds nothing more to do
        games = row["kind"] == GAME
        now = ", ".join(filter(None, (row["part"], row["name"] if games else "")))
        kind = row["kind"] if row["kind"] in (INPUT, GAME) else RULES
        follows = len(out) > 1 and kind == table and (now == heading or not games)
        if not follows and (len(out) == 1 or out[-1].rows or table != INPUT):
            out.append(Block(heading=now if now != heading and (games or row["part"]) else ""))
        elif now != heading and not out[-1].rows:
            out[-1].heading = now
        heading, table = now if games or row["part"] else heading, kind
        if kind == INPUT:
            out[-1].figures.append((_words(row["name"]), figure(row["value"])))
            continue
        step = ("–", "") if pd.isna(row["points"]) else sums.step(row["total"])
        if games:
            plain = [c for c in _PLAIN if c in ("round", "opponent") or pd.notna(row[c])]
            plain += [c for c in own if pd.notna(row[c])]
            shown = {c: _cell(c, row[c]) for c in plain}
        else:
            value = "" if pd.isna(row["value"]) else f" ({figure(row['value'])})"
            shown = {"rule": _words(row["name"]) + value}
        if weights is not None and pd.notna(row["information"]):
            shown["information"] = weights.step(row["information"])
        told = "" if games else figures({c: row[c] for c in own})
        says = {} if games else {"what it says": f"{row['because']} ({told})" if told else row["because"]}
        _add(out[-1], shown | {"points": step[0], "total": step[1]} | says)
    uncounted = rows[rows["kind"] == NOT_RATED].to_dict("records")
    if uncounted:
        out.append(Block(heading="Not rated"))
        for row in uncounted:
            _add(out[-1], {c: _cell(c, row[c]) for c in ("round", "opponent")} | {"because": row["name"]})
    return [*out, _standing(explanation, AFTER, weighed)]


def meanings(made: list[Block]) -> list[tuple[str, str]]:
    """What the heads and names of these blocks mean."""
    names = [name for block in made for name, _ in block.figures]
    names = [name.removesuffix(f" {BEFORE}").removesuffix(f" {AFTER}") for name in names]
    shown = {*names, *(head for block in made for head in block.heads)}
    told = [(name, meaning) for name, meaning in _MEANINGS.items() if name in shown]
    games = [block for block in made if "round" in block.heads and "points" in block.heads]
    if any(row[block.heads.index("points")] == "–" for block in games for row in block.rows):
        told.append(("–", _NO_POINTS))
    return told


class _Weights:
    """Printed weights, in millionths, which add up as the points do."""

    def __init__(self, deviation: float) -> None:
        self.total = 1e6 / deviation**2
        self.sums = _Sums(self.total, MILLIONTHS)

    def step(self, information: float) -> str:
        self.total += 1e6 * information
        return self.sums.step(self.total)[0].lstrip("+")


def _standing(explanation: Explanation, kind: str, weighed: bool) -> Block:
    """Rating, deviation and whatever else the system keeps of a player, before or after."""
    rows = explanation.rows[explanation.rows["kind"] == kind]
    figures = []
    for name, value in zip(rows["name"], rows["value"], strict=True):
        shown = "unrated" if pd.isna(value) and name == "rating" else figure(value)
        if name == "record":
            shown = _RECORDS.get(value, "no game")
        unplayed = explanation.looks_back and kind == BEFORE
        figures.append(("rating without games" if unplayed else f"{_words(name)} {kind}", shown))
        if weighed and name == "deviation" and pd.notna(value) and value > 0:
            figures.append((f"weight {kind}, 1,000,000/deviation²", f"{1e6 / value**2:.{MILLIONTHS}f}"))
    return Block(heading="", figures=figures)


def _add(block: Block, cells: dict[str, str]) -> None:
    """A row under its heads; a column that an earlier row lacks is added to all."""
    given = {_HEADS.get(name, _words(name)): cell for name, cell in cells.items()}
    heads = list(given)
    for i, head in enumerate(heads):
        if head not in block.heads:
            at = len(block.heads) if i == 0 else block.heads.index(heads[i - 1]) + 1
            block.heads.insert(at, head)
            for row in block.rows:
                row.insert(at, "–")
    block.rows.append([given.get(head, "–") for head in block.heads])


def _words(name: str) -> str:
    return name.replace("_", " ")


def _cell(name: str, value: Any) -> str:
    if pd.isna(value):
        return "–"
    if name == "result":
        return _RESULTS.get(float(value), figure(value))
    if name == "round":
        return str(int(value))
    if "spread" in name:
        return f"{value:+g}" if value else "0"
    return f"{value:.{DIGITS}f}" if name == "expected" else figure(value)


def title(explanation: Explanation) -> str:
    """What is explained, in a line."""
    where = explanation.event_name + (f" ({explanation.date})" if explanation.date else "")
    section = f", section {explanation.section}" if explanation.section != schema.SECTION else ""
    return f"{explanation.player}: {where}{section}"


def opening(explanation: Explanation) -> list[str]:
    """The sentences that a player reads first."""
    with_ = f" with {explanation.parameters}" if explanation.parameters else ""
    said = [f"The rating is calculated by {explanation.system}{with_}. {explanation.formula}"]
    if explanation.team:
        said.append(f"{explanation.player} plays in the team {explanation.team}, whose games count for each member.")
    if explanation.among_teams:
        most = "" if explanation.looks_back else ", or with its best one's less 100 where that is more"
        said.append(f"A team counts as an opponent with the mean of its members' ratings{most}.")
    before, after = explanation.before, explanation.after
    rows = explanation.rows
    counted = bool((rows["kind"].eq(GAME) | (rows["kind"].eq(RULES) & rows["acted"])).any())
    if not counted and pd.notna(after):
        said.append("No result of the event could be rated.")
    if explanation.looks_back:
        said.append("It looks back on all games of the history at once: it is no forecast, and no rating to seed by.")
    if pd.isna(after):
        why = "the rules below say why" if counted else "no result of it could be rated"
        said.append(f"There is no rating after the event: {why}.")
    elif pd.isna(before):
        said.append(f"There was no rating before the event; the event gives {figure(after)}.")
    elif after == before:
        said.append(f"The rating stays at {figure(after)}.")
    elif not explanation.looks_back:
        said.append(f"The rating goes from {figure(before)} to {figure(after)}, step by step:")
    return said


def as_text(explanation: Explanation) -> str:
    """The computation as text; every printed column of points adds up to the printed change."""
    parts = [title(explanation), "\n".join(textwrap.fill(sentence, _WIDTH) for sentence in opening(explanation))]
    made = blocks(explanation)
    for block in made:
        text = []
        if block.heading:
            text.append(block.heading)
        width = max((len(name) for name, _ in block.figures), default=0)
        text += [f"  {name.ljust(width)}  {value}" for name, value in block.figures]
        text += [f"  {line}" for line in _set(block)]
        if text:
            parts.append("\n".join(text))
    words = meanings(made)
    if words:
        width = max(len(name) for name, _ in words)
        parts.append("\n".join(["In words", *(f"  {name.ljust(width)}  {meaning}" for name, meaning in words)]))
    parts.append(_FOOTNOTE + (f"\n{_WEIGHTS}" if any("weight" in block.heads for block in made) else ""))
    return "\n\n".join(parts) + "\n"


def _set(block: Block) -> Iterable[str]:
    """The table of a block in columns: words to the left, figures to the right."""
    if not block.rows:
        return
    widths = [max(len(row[i]) for row in [block.heads, *block.rows]) for i in range(len(block.heads))]
    for row in [block.heads, *block.rows]:
        cells = [
            cell.ljust(width) if head in _LEFT else cell.rjust(width)
            for cell, width, head in zip(row, widths, block.heads, strict=True)
        ]
        line = "  ".join(cells).rstrip()
        if block.heads[-1] in _LEFT:  # words go on below themselves
            indent = sum(widths[:-1]) + 2 * len(widths[:-1])
            words = textwrap.wrap(row[-1], max(_WIDTH - indent, _NARROW)) or [""]
            line = f"\n  {' ' * indent}".join([line[:indent] + words[0], *words[1:]])
        yield line.rstrip()


def as_html(explanation: Explanation, other: Rerating | None = None) -> bytes:
    """The computation as a page that needs nothing beside it, with what another system would have changed."""
    from ratinglab.reports.html import Column, table
    from ratinglab.reports.page import Page
    from ratinglab.reports.publication import alone

    made_of, set_blocks = blocks(explanation), []
    for i, block in enumerate(made_of):
        columns = [
            Column(head, [row[at] for row in block.rows], "text" if head in _LEFT else "figures")
            for at, head in enumerate(block.heads)
        ]
        caption = "Games" if "round" in block.heads else "Rules"
        made = table(f"step-{i}", caption, columns) if block.rows else None
        set_blocks.append({"heading": block.heading, "figures": block.figures, "table": made})
    values = {
        "opening": opening(explanation),
        "blocks": set_blocks,
        "meanings": meanings(made_of),
        "against": _names(other) if other is not None else None,
        "sentences": other.sentences if other is not None else (),
        "footnotes": [_FOOTNOTE, *([_WEIGHTS] if any("weight" in block.heads for block in made_of) else [])],
    }
    return alone(Page("explanation.html", "How a rating was made", title(explanation), "explanation.html", values), 0)


def rerating_text(made: Rerating) -> str:
    """What differs between two systems for one rating, as text."""
    names = _names(made)
    lines = [title(made.one), f"First: {names[0]}. Second: {names[1]}.", ""]
    lines += [textwrap.fill(f"- {sentence}", _WIDTH, subsequent_indent="  ") for sentence in made.sentences]
    return "\n".join(lines) + "\n"


def _names(made: Rerating) -> list[str]:
    return [e.system + (f" with {e.parameters}" if e.parameters else "") for e in (made.one, made.other)]
