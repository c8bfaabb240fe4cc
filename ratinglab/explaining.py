"""How a rating was made: one player, one event, every figure and every rule, adding up to the new rating.

The event is rated once more by the system's own `update`, from the state that the replay kept, and what the update
writes down (`ratinglab.systems.workings`) is put in order. `ratinglab.explanations` shows the result as text and as a
page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab import names, schema
from ratinglab.problems import UsageError
from ratinglab.systems.base import short
from ratinglab.systems.workings import GAMES, INPUTS, PART, RULE, Step, Workings

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.periods import Batch
    from ratinglab.replaying import Replay

# Kinds of rows, in the order in which a reader meets them.
BEFORE, TIME, INPUT, GAME, NOT_RATED, RULES, AFTER = "before", "time", "input", "game", "not rated", "rule", "after"
_COLUMNS = [
    "part", "kind", "name", "round", "opponent", "opponent_rating", "opponent_deviation", "result", "spread",
    "expected", "value", "points", "information", "total", "acted", "because",
]  # fmt: skip
# An update that is run once more gives the same figures but for the order of its sums.
_SAME = 1e-6
_NEAR = 0.1  # below, four decimals would hide what moves a volatility
DIGITS = 4  # decimals of a figure in words
_NO_INFORMATION = 1e-13  # of 1/deviation²: less than a printed weight shows
_NOTHING = 1e-9  # points: what the order of sums may leave of a rule that does not act


def further(rows: pd.DataFrame) -> list[str]:
    """The columns that a system shows beside the usual ones."""
    return [column for column in rows.columns if column not in _COLUMNS]


@dataclass(frozen=True)
class Explanation:
    """A worked computation.

    `rows` has a row for each step: part (of the event), kind, name, round, opponent, opponent_rating,
    opponent_deviation, result, spread, expected, value (of an input), points (what it adds to the rating), information
    (what it adds to 1/deviation²), total (the rating so far), acted (whether a rule moved anything), because, and what
    else the system shows of a game. The points of all rows add up to the rating after less the rating before (which
    counts as 0 for somebody unrated).
    """

    system: str
    parameters: str
    formula: str
    event: str
    event_name: str
    date: str
    section: str
    player: str
    team: str
    among_teams: bool  # whether a team of several takes part in the section
    looks_back: bool
    rows: pd.DataFrame

    @property
    def before(self) -> float:
        """The rating before the event; nan for somebody unrated."""
        return float(self._of(BEFORE, "rating"))

    @property
    def after(self) -> float:
        """The rating after the event."""
        return float(self._of(AFTER, "rating"))

    def _of(self, kind: str, name: str) -> Any:
        row = self.rows[(self.rows["kind"] == kind) & (self.rows["name"] == name)]
        return row["value"].iloc[0]


def explain(replay: Replay, event: str, player: str, section: str | None = None) -> Explanation:
    """The worked computation of one player's rating in one event of a replay (or of events rated alone, by `rate`).

    Names are matched as everywhere, whatever their case and order. Raises `UsageError` for an event or player that is
    not there, for a player in several sections of it where `section` says none, and for a replay of several systems or
    without details.
    """
    if (replay.system.grid_size or 1) > 1 or not replay.after:
        raise UsageError("an explanation is of one system, replayed with details")
    row = _entry(replay, event, player, section)
    schedule = replay.schedule
    index = next(i for i, b in enumerate(schedule.batches) if b.entries.start <= row < b.entries.stop)
    batch = schedule.batches[index].told_from_both_sides
    local = row - batch.entries.start
    workings = Workings()
    before = {name: values[batch.entries] for name, values in replay.before.items()}
    if not replay.system.tell_hindsight(schedule, before, batch, workings):
        after = replay.system.update(before, batch, workings).state
        _confirm(replay, row, {name: values[local] for name, values in after.items()})
    made = _Rows(replay, row, batch, local)
    made.beginning()
    for step in workings.steps:
        made.step(step)
    made.end()
    entry = schedule.history.entries.iloc[schedule.entry_row[row]]
    of_event = schedule.history.events.iloc[schedule.event_of_entry()[row]]
    date = of_event["end_date"]
    return Explanation(
        system=replay.system.name,
        parameters=", ".join(f"{name}={short(value)}" for name, value in replay.system.own_parameters().items()),
        formula=replay.system.formula(),
        event=of_event["event"],
        event_name=of_event["event"] if pd.isna(of_event["name"]) else of_event["name"],
        date="" if pd.isna(date) else f"{date:%Y-%m-%d}",
        section=str(entry["section"]),
        player=entry["player"],
        team="" if pd.isna(entry["team"]) else entry["team"],
        among_teams=bool((batch.members > 1)[batch.unit_period == batch.entry_period[local]].any()),
        looks_back=replay.system.looks_back,
        rows=made.table(),
    )


def without_names(explanation: Explanation, history: History) -> Explanation:
    """The explanation with opponents as the numbers of their entries: what may leave the committee's room."""
    entries = history.entries
    here = entries[(entries["event"] == explanation.event) & (entries["section"] == explanation.section)]
    unit = here["team"].fillna(here["player"])
    numbers = {name: f"no. {number}" for name, number in zip(unit, here["number"], strict=True)}
    rows = explanation.rows.assign(opponent=explanation.rows["opponent"].map(numbers, na_action="ignore"))
    return replace(explanation, rows=rows)


def _entry(replay: Replay, event: str, player: str, section: str | None) -> int:
    """The schedule's row of the player's entry in the event."""
    schedule = replay.schedule
    schedule.history.require([event])
    entries = schedule.history.entries.iloc[schedule.entry_row]
    here = entries[(entries["event"] == event).to_numpy()]
    rows = np.flatnonzero((entries["event"] == event).to_numpy())
    asked = here["player"].map(names.key) == names.key(player)
    if not asked.any():
        team = here["team"].map(names.key, na_action="ignore") == names.key(player)
        if team.any():
            members = "; ".join(here.loc[team, "player"])
            raise UsageError(f"{player} is a team, whose members are rated each on their own: {members}")
        raise UsageError(f"{player} does not take part in {event}{names.meant(player, here['player'])}")
    rows = rows[asked.to_numpy()]
    if section is not None:
        rows = rows[(here.loc[asked, "section"] == section).to_numpy()]
    if len(rows) != 1:
        sections = ", ".join(here.loc[asked, "section"])
        raise UsageError(f"{player} plays in these sections of {event}: {sections}; say which one with --section")
    return int(rows[0])


def _confirm(replay: Replay, row: int, after: dict[str, Any]) -> None:
    """Refuse to explain a rating by figures that are not its own."""
    for name, values in after.items():
        kept = replay.after[name][row]
        if not np.allclose(values, kept, rtol=0, atol=_SAME * max(1.0, float(np.max(np.abs(kept)))), equal_nan=True):
            raise ArithmeticError(f"{replay.system.name}: rated once more, {name} is {values}, and was {kept}")


class _Rows:
    """Collects the rows of one entry, with the running total."""

    def __init__(self, replay: Replay, row: int, batch: Batch, local: int) -> None:
        self.replay, self.row, self.batch, self.local = replay, row, batch, local
        self.rows: list[dict[str, Any]] = []
        self.part = ""
        self.total = 0.0
        self.counted: Counter[tuple[int, str]] = Counter()  # rated games by round and opponent

    def table(self) -> pd.DataFrame:
        table = pd.DataFrame(self.rows)
        table = table.reindex(columns=[*_COLUMNS[:-4], *further(table), *_COLUMNS[-4:]])
        return table.astype({"round": "Int64", "acted": "bool"})

    def add(self, kind: str, name: str = "", points: float = np.nan, **columns: Any) -> None:
        """A row; its points go to the total."""
        counts = not np.isnan(points)
        if counts:
            self.total += points
            columns |= {"points": points, "total": self.total}
        self.rows.append({"part": self.part, "kind": kind, "name": name, "acted": counts} | columns)

    def beginning(self) -> None:
        """Where the player stood, and what time did since the last event."""
        looked_back = self.replay.system.looks_back
        before = {name: float(values[self.row, 0]) for name, values in self.replay.before.items()}
        last = None if looked_back else self._left_behind()
        start = before if last is None else last
        if looked_back:  # from where everybody starts, without any game
            start = {"rating": float(self.replay.system.newcomer_rating())}
        self.total = 0.0 if np.isnan(start["rating"]) else start["rating"]
        for name, value in start.items():
            self.add(BEFORE, name, value=value, **({"total": self.total} if name == "rating" else {}))
        if last is None:
            return
        days = int(self.batch.idle_days[self.local])
        passed = f"{days} days since the last rated game" if days else "time passed since the last event"
        for name, value in before.items():
            why = self.replay.system.time_says.get(name, "").format(**self.replay.system.parameters())
            because = f"{why}: {passed}" if why else passed
            if np.isnan(value) and np.isnan(last[name]):
                continue
            if name == "rating" and value != last[name]:
                self.add(TIME, name, value - last[name], acted=True, because=because, value=value)
            elif value != last[name] and not np.isnan(value):
                lost = {"information": 1 / value**2 - 1 / last[name] ** 2} if name == "deviation" else {}
                self.add(TIME, name, value=value, acted=True, because=because, **lost)

    def _left_behind(self) -> dict[str, float] | None:
        """The state after the last event in which the player was rated; None where there was none."""
        whole = self.replay.schedule.whole
        previous = int(whole.previous[self.row])
        while previous >= 0 and not self.replay.rated[previous] and whole.previous[previous] >= 0:
            previous = int(whole.previous[previous])
        if previous < 0:
            return None
        return {name: float(values[previous, 0]) for name, values in self.replay.after.items()}

    def step(self, step: Step) -> None:
        """What a step of the workings says of this entry."""
        when = True if step.when is None else bool(np.asarray(step.when)[self.local].any())
        if step.kind == PART:
            first, last = (int(step.columns[name][self.local]) for name in ("first", "last"))
            self.part = f"rounds {first}-{last}" if last > first else f"round {first}"
        elif step.kind == INPUTS and when:
            for name, values in step.columns.items():
                value = _value(values, self.local, len(self.batch.person))
                if value is not None:
                    self.add(INPUT, name, value=value)
        elif step.kind == GAMES and when:
            self._games(step)
        elif step.kind == RULE:
            shown = {name: _value(values, self.local, len(self.batch.person)) for name, values in step.columns.items()}
            points = shown.pop("points", None)
            points = 0.0 if points is None else float(points)
            known = {name: value for name, value in shown.items() if value is not None}
            if not when and points == 0:
                return  # a rule that is not about this player
            moved = abs(points) > _NOTHING or abs(known.get("information", 0.0)) > _NO_INFORMATION
            acted = moved or step.when is not None
            self.add(RULES, step.name, points, acted=acted, because=step.because, **known)

    def _games(self, step: Step) -> None:
        batch, lines = step.batch, step.batch.directed
        own = np.flatnonzero(lines.entry == self.local)
        game = lines.game[own]
        unit_names = self.replay.schedule.unit_name[self.batch.units]
        met: Counter[tuple[int, str]] = Counter()
        for at in np.argsort(batch.round[game], kind="stable"):
            i, g = int(own[at]), int(game[at])
            side = lines.side[i]
            spread = float(batch.spread[g] * side)
            shown = {name: float(np.ravel(values[i])[0]) for name, values in step.columns.items()}
            points = shown.pop("points", np.nan)
            known = {name: value for name, value in shown.items() if not np.isnan(value)}
            round_, opponent = int(batch.round[g]), str(unit_names[lines.opponent[i]])
            met[round_, opponent] += 1
            self.add(
                GAME,
                step.name,
                points,
                round=round_,
                opponent=opponent,
                result=float(batch.result[g] if side > 0 else 1 - batch.result[g]),
                because=step.because,
                **({} if np.isnan(spread) else {"spread": spread}),
                **known,
            )
        self.counted |= met  # a game may be gone through in several steps, and counts once

    def end(self) -> None:
        """The games that do not count, and where the player stands now."""
        self.part = ""
        for round_, opponent, why in self._uncounted():
            self.add(NOT_RATED, why, round=round_, opponent=opponent or None)
        for name, values in self.replay.after.items():
            value = float(values[self.row, 0])
            self.add(AFTER, name, value=value, **({"total": self.total} if name == "rating" else {}))

    def _uncounted(self) -> list[tuple[int, str, str]]:
        """Byes, forfeits and whatever else the files list and the system did not rate."""
        schedule = self.replay.schedule
        if self.replay.system.rates == "placings":
            return []  # games are not what it rates
        entry = schedule.history.entries.iloc[schedule.entry_row[self.row]]
        unit = entry["player"] if pd.isna(entry["team"]) else entry["team"]
        games = schedule.history.games
        games = games[(games["event"] == entry["event"]) & (games["section"] == entry["section"])]
        games = games[((games["player"] == unit) | (games["opponent"] == unit)).fillna(False)]
        # of several with one opponent in a round, those of which more is known were the rated ones
        rated, known = games["rated"].eq(1), games["score"].notna()
        left, found = self.counted.copy(), []
        for game in games.assign(last=~rated, later=~known).sort_values(["last", "later"], kind="stable").itertuples():
            other = game.opponent if game.player == unit else game.player
            met = int(game.round), "" if pd.isna(other) else str(other)
            if left[met]:
                left[met] -= 1
                continue
            if game.status in _STATUS or pd.isna(game.result):
                why = _STATUS.get(str(game.status), _STATUS[schema.UNKNOWN])
            else:
                why = "the file says so" if game.rated == 0 else "its spread is not known"
            found.append((*met, why))
        return sorted(found)


_STATUS = {schema.BYE: "bye", schema.FORFEIT: "forfeit", schema.UNKNOWN: "no result is known"}


def _value(values: Any, row: int, rows: int) -> Any:
    """An entry's value of a column: arrays by entry, or one figure for all; None where there is none."""
    array = np.asarray(values)
    if array.dtype.kind in "US":
        return str(array) if array.ndim == 0 else str(np.ravel(array[row])[0])
    if array.ndim and array.shape[0] == rows:
        array = array[row]
    value = float(np.ravel(array)[0])
    return None if np.isnan(value) else value


def figures(row: Mapping[Any, Any]) -> str:
    """What a rule shows beside its points: `gain 3.2, threshold 24`."""
    return ", ".join(f"{name.replace('_', ' ')} {figure(value)}" for name, value in row.items() if not pd.isna(value))


def figure(value: Any) -> str:
    """A figure with as many decimals as it has, four at most, and seven of one near 0.

    >>> figure(1992.0), figure(0.61239), figure(0.05999598), figure(float("nan"))
    ('1992', '0.6124', '0.059996', '–')
    """
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return "–"
    text = f"{value:.{DIGITS if abs(value) >= _NEAR else 7}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


@dataclass(frozen=True)
class Rerating:
    """Two explanations of one rating side by side: `rows` of what differs, and sentences that say why."""

    one: Explanation
    other: Explanation
    rows: pd.DataFrame
    sentences: tuple[str, ...]


def rerating(one: Explanation, other: Explanation) -> Rerating:
    """What a second system, or other parameters, would have changed in a rating; and if nothing, why.

    `rows`: part, kind, name, round, opponent, points and points_other, difference; the same for opponent ratings. The
    points of the row "before" are the rating before, so that the differences add up to that of the ratings after.
    """
    key = ["kind", "name", "round", "opponent", "turn"]
    tables = []
    for explanation in (one, other):
        table = explanation.rows[explanation.rows["kind"].isin([BEFORE, TIME, GAME, RULES])].reset_index(drop=True)
        told = [figures(row) for row in table[further(table)].to_dict("records")]
        table = table.assign(figures=told, gives=table.get("gives", np.nan))
        table["points"] = table["points"].fillna(table["total"].where(table["kind"] == BEFORE))
        opponent = table["opponent"].astype(object).fillna("")  # of a place there is none
        table = table.assign(opponent=opponent, round=table["round"].fillna(0), at=table.index)
        # two games with one opponent in a round, and a rule in several parts, are told apart by their order
        tables.append(table.assign(turn=table.groupby(key[:-1]).cumcount()))
    columns = [*key, "part", "at", "points", "opponent_rating", "because", "figures", "gives"]
    both = tables[0][columns].merge(tables[1][columns], how="outer", on=key, suffixes=("", "_other"))
    both = both.sort_values(["at", "at_other"], kind="stable", ignore_index=True)  # not by the names, as merged
    both = both.assign(part=both["part"].fillna(both["part_other"]))
    points, points_other = both["points"].fillna(0.0), both["points_other"].fillna(0.0)
    both["difference"] = points_other - points
    order = ["part", *key[:-1], "points", "points_other", "difference", "opponent_rating", "opponent_rating_other"]
    return Rerating(one, other, both[order], tuple(_why(one, other, both)))


def _why(one: Explanation, other: Explanation, both: pd.DataFrame) -> list[str]:
    """Sentences: whether the rating differs, and what each rule and each opponent had to do with it."""
    change = other.after - one.after
    same = abs(change) < _NOTHING or (np.isnan(one.after) and np.isnan(other.after))
    if same:
        said = [f"The rating is {_rating(one.after)} under both: nothing changes."]
    else:
        said = [f"The rating is {_rating(one.after)} under the first and {_rating(other.after)} under the second"]
        said[0] += "." if np.isnan(change) else f": {change:+.4f}."
    start = both.loc[both["kind"] == BEFORE, "difference"].sum()
    if abs(start) > _NOTHING or np.isnan(one.before) != np.isnan(other.before):
        starts = f"{_rating(one.before)} under the first and {_rating(other.before)} under the second"
        said.append(f"The rating before the event is already another: {starts}" + f" ({start:+.4f}).")
    said += _of_time(both[both["kind"] == TIME])
    said += _of_rules(both[both["kind"] == RULES], one.system == other.system)
    games = both[both["kind"] == GAME]
    mine, theirs = (games[column].fillna(0).sum() for column in ("points", "points_other"))
    unlike = bool((games["difference"].abs() > _NOTHING).any())
    if unlike:
        said.append(f"All games together: {mine:+.4f} under the first, {theirs:+.4f} under the second.")
    met = games.drop_duplicates(["round", "opponent", "turn"], keep="last")  # of a game gone through twice, what counts
    moved = (met["opponent_rating_other"] - met["opponent_rating"]).dropna()
    moved = moved[moved.abs() > _NOTHING]
    if len(moved):
        by = f"{moved.min():+.2f} to {moved.max():+.2f}" if len(moved) > 1 else f"{moved.iloc[0]:+.2f}"
        where = f"Opponents count with other ratings in {len(moved)} games"
        where = where if len(moved) > 1 else "An opponent counts with another rating in one game"
        said.append(f"{where} (by {by}): what a rule gives an opponent reaches this player only so.")
    elif len(games) and not unlike:
        said.append("Every opponent counts with the same rating under both, and every game with the same points.")
    if same and abs(theirs - mine) > _NOTHING:
        said.append("What remains of it is lost in rounding, at a floor, or evened out by the other rules.")
    return said


def _rating(value: float) -> str:
    return "none" if np.isnan(value) else figure(value)


def _of_time(time: pd.DataFrame) -> list[str]:
    """What each system makes of the time before the event, where the rating feels it otherwise."""
    mine, theirs = (time[column].fillna(0).sum() for column in ("points", "points_other"))
    told = f"The time since the last event: {mine:+.4f} under the first, {theirs:+.4f} under the second."
    return [told] if abs(theirs - mine) > _NOTHING else []


def _of_rules(rules: pd.DataFrame, one_system: bool) -> list[str]:
    """What each rule adds under each system; one that only one of two systems has is told where it adds something."""
    said = []
    rules = rules[rules["gives"].isna() & rules["gives_other"].isna()]  # a figure on the way, which adds no points
    for name, rows in rules.groupby("name", sort=False):
        mine, theirs = rows["points"].fillna(0).sum(), rows["points_other"].fillna(0).sum()
        own = "own " if name == "bonus" else ""
        if max(abs(mine), abs(theirs)) < _NOTHING:
            if not one_system and (rows["because"].isna().all() or rows["because_other"].isna().all()):
                continue
            reason = rows["because"].fillna(rows["because_other"]).iloc[0]
            told, told_other = (rows[column].fillna("").iloc[-1] for column in ("figures", "figures_other"))
            differs = f"; under the second {told_other}" if told_other != told else ""
            figures = f": {told or 'nothing'}{differs}" if told or told_other else ""
            said.append(f"The player's {own}{name} adds nothing under either{figures} ({reason}).")
        elif abs(theirs - mine) < _NOTHING:
            said.append(f"The player's {own}{name} is the same under both: {mine:+.4f}.")
        else:
            said.append(f"The player's {own}{name}: {mine:+.4f} under the first, {theirs:+.4f} under the second.")
    return said
