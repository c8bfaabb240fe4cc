"""Whether what a scholastic chess club tells its parents about ratings holds in a history, claim by claim.

The claims are those of "How players are seeded, rated and paired at Evanston Scholastic Chess tournaments". Every
figure has an interval (95 %): from events drawn anew, or from players drawn anew where the figure is one of careers.
What the formula does to single results is in docs/chess-statements.md; here is what games and careers did.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab.ordering import standings
from ratinglab.periods import Bools, Floats, Ints, tally
from ratinglab.problems import UsageError
from ratinglab.replaying import replay
from ratinglab.resampling import LEVEL, event_draws, interval
from ratinglab.scheduling import Schedule
from ratinglab.systems.base import team_strength
from ratinglab.systems.elo import logistic

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.replaying import Replay
    from ratinglab.systems import System

GAP, AROUND = 200.0, 50.0  # points: what is to be 3 of 4, and what counts as that
EVEN = 100.0  # points by which a rival may be higher and still be beaten often enough
USUAL = (100.0, 1200.0)  # where most of the club's ratings lie
YEAR = 365.25
LEAST_DAYS = 300  # apart, for two ratings to tell of a year's progress
_COLUMNS = ("claim", "says", "basis", "figure", "low", "high", "counted", "of")


def claims(
    history: History, system: System | str = "evanston", *, events: Collection[str] | None = None, seed: int = 0
) -> pd.DataFrame:
    """One row for each claim and basis: claim, says (what the document says), basis, figure, low, high, counted, of.

    `basis` is the ratings filed with the entries, or those of a replay through `system`. `events` are those counted
    (all by default; the replay is of the whole history). `counted` of what `of` says is what the figure rests on. A
    claim that a history cannot tell of is left out. Raises `UsageError` where no counted event has a rated game.
    """
    wanted = set(history.events["event"] if events is None else events)
    history.require(wanted)
    result = replay(history, system)
    prepared = result.schedule
    here = history.events["event"].isin(wanted).to_numpy()
    counted = here[prepared.event_of_game()]
    if not counted.any():
        raise UsageError("claims are held against games; found no rated game in the events to be counted")
    filed = team_strength({"rating": _as_filed(prepared)[:, None]}, prepared.whole)["rating"][:, 0]
    made: list[dict[str, Any]] = []
    for basis, strength in (("ratings filed", filed), (result.system.label, result.unit_strength["rating"][:, 0])):
        made += _gaps(prepared, strength, counted, basis, seed)
    made += _careers(history, prepared, here, seed)
    made += _results(result, here, seed)
    made += _winners(history, wanted, seed)
    return pd.DataFrame(made, columns=list(_COLUMNS))


def _as_filed(prepared: Schedule) -> Floats:
    """The rating filed with each entry, also where the replay went on from an earlier event; nan: none."""
    rating: Floats = prepared.history.entries["rating"].to_numpy(dtype=float)[prepared.entry_row]
    return rating


# --- games ------------------------------------------------------------------------------------------------------------


def _gaps(prepared: Schedule, strength: Floats, counted: Bools, basis: str, seed: int) -> list[dict[str, Any]]:
    """What the higher-rated scored at gaps of about 200 and 100 points, and how close the games are."""
    whole, event = prepared.whole, prepared.event_of_game()
    difference = strength[whole.a] - strength[whole.b]
    known = counted & ~np.isnan(difference)
    gap, event = np.abs(difference[known]), event[known]
    score = np.where(difference > 0, whole.result, 1 - whole.result)[known]
    said = []
    near = (gap >= GAP - AROUND) & (gap <= GAP + AROUND)
    said.append(
        _share(
            "score of the higher-rated, 150 to 250 points apart", "3 of 4: 0.75", basis, score[near], event[near], seed
        )
    )
    said.append(_fitted(gap, score, event, basis, seed))
    hundred = (gap >= EVEN - AROUND) & (gap < EVEN + AROUND)
    lost = (score[hundred] == 0).astype(float)
    told = "games won by the lower-rated, 50 to 150 points apart"
    said.append(_share(told, "often", basis, lost, event[hundred], seed))
    close = (gap <= GAP).astype(float)
    told = "games of the sections between players at most 200 points apart"
    said.append(_share(told, "(none: it groups by 200 points)", basis, close, event, seed))
    together = _all_pairs(prepared, strength, np.unique(event))
    told = "the same, of all pairs of entrants, as if nobody were sectioned or paired"
    said.append(_share(told, "(for comparison)", basis, *together, seed, "pairs"))
    return [row for row in said if row["counted"]]


def _fitted(gap: Floats, score: Floats, event: Ints, basis: str, seed: int) -> dict[str, Any]:
    """The score at exactly 200 points by the logistic curve through ½ that fits all games best (Newton's method)."""
    slope, known = 0.0, gap > 0
    gap, score, event = gap[known], score[known], event[known]
    for _ in range(50):
        p = logistic(gap, slope)
        excess, weight = (score - p) * gap, p * (1 - p) * gap**2
        total = weight.sum()
        step = excess.sum() / total if total > 0 else 0.0
        slope += step
        if abs(step) < 1e-12:
            break
    events = np.unique(event, return_inverse=True)[1]
    n = int(events.max(initial=-1)) + 1
    draws = event_draws(n, seed)
    with np.errstate(invalid="ignore", divide="ignore"):  # one step from the whole, as for calibration lines
        slopes = slope + (draws @ tally(events, excess, n)) / (draws @ tally(events, weight, n))
    low, high = interval(logistic(slopes, GAP))
    figure = float(logistic(np.array([slope]), GAP)[0]) if len(gap) else np.nan
    told = "score 200 points apart, by the curve that fits all games best"
    return _row(told, "3 of 4: 0.75", basis, figure, low, high, len(gap), "games")


def _all_pairs(prepared: Schedule, strength: Floats, events: Ints) -> tuple[Floats, Ints]:
    """Whether two entrants of one event are at most 200 points apart, and the event, of all pairs."""
    of_unit = prepared.event[prepared.whole.unit_period]
    close, where = [np.zeros(0)], [np.zeros(0, dtype=np.int64)]
    for event in events.tolist():
        rating = strength[of_unit == event]
        rating = rating[~np.isnan(rating)]
        a, b = np.triu_indices(len(rating), 1)
        close.append((np.abs(rating[a] - rating[b]) <= GAP).astype(float))
        where.append(np.full(len(a), event))
    return np.concatenate(close), np.concatenate(where)


# --- careers ----------------------------------------------------------------------------------------------------------


def _careers(history: History, prepared: Schedule, here: Bools, seed: int) -> list[dict[str, Any]]:
    """How filed ratings rise with time and with grade, and where they lie."""
    whole, event = prepared.whole, prepared.event_of_entry()
    rating, day = _as_filed(prepared), whole.day[whole.entry_period]
    kept = here[event] & ~np.isnan(rating)
    basis, out = "ratings filed", []
    usual = ((rating >= USUAL[0]) & (rating <= USUAL[1])).astype(float)
    out.append(_share("ratings between 100 and 1200", "most", basis, usual[kept], event[kept], seed, "entries"))
    dated = kept & ~np.isnat(day)
    frame = pd.DataFrame({"person": whole.person[dated], "rating": rating[dated], "day": day[dated].astype("int64")})
    ends = frame.sort_values("day", kind="stable").groupby("person").agg(["first", "last"])
    years = (ends["day"]["last"] - ends["day"]["first"]) / YEAR
    long = (years * YEAR >= LEAST_DAYS).to_numpy()
    rate = ((ends["rating"]["last"] - ends["rating"]["first"]) / years.where(long))[long].to_numpy(dtype=float)
    told = "points a year between a player's first and last rating"
    out.append(_mean(told, "its example: 125", basis, rate, seed, "players"))
    graded = kept & ~np.isnan(whole.grade)
    if len(np.unique(whole.grade[graded])) > 1:
        out.append(_by_grade(whole.grade[graded], rating[graded], event[graded], seed))
    return [row for row in out if row["counted"]]


def _by_grade(grade: Floats, rating: Floats, event: Ints, seed: int) -> dict[str, Any]:
    """The slope of the least-squares line of ratings on grades."""
    events = np.unique(event, return_inverse=True)[1]
    n = int(events.max()) + 1
    terms = [tally(events, of, n) for of in (np.ones(len(grade)), grade, rating, grade**2, grade * rating)]

    def slope(weights: Floats) -> Floats:
        count, x, y, xx, xy = (weights @ of for of in terms)
        with np.errstate(invalid="ignore", divide="ignore"):
            of_line: Floats = (count * xy - x * y) / (count * xx - x**2)
        return of_line

    low, high = interval(slope(event_draws(n, seed)))
    told, figure = "points from one grade to the next", float(slope(np.ones((1, n)))[0])
    return _row(told, "start at 100 × grade", "ratings filed", figure, low, high, len(grade), "entries")


# --- events -----------------------------------------------------------------------------------------------------------


def _results(result: Replay, here: Bools, seed: int) -> list[dict[str, Any]]:
    """Whether ratings go the way the results went, under the system's own updates."""
    event = result.schedule.history.events["event"]
    changes = result.changes
    row = pd.Index(event).get_indexer(pd.Index(changes["event"]))
    kept = here[row] & (changes["games"] > 0).to_numpy() & changes["before"].notna().to_numpy()
    changes, row = changes[kept], row[kept]
    games, wins, before, after = (changes[name].to_numpy(dtype=float) for name in ("games", "wins", "before", "after"))
    basis, out = result.system.label, []
    for claim, says, those, so in (
        ("all games won: the rating rose", "a win raises", wins == games, after > before),
        ("all games lost: the rating fell", "a loss lowers", wins == 0, after < before),
        ("a rating below 0 and more than half the points: 0 or more after", "almost always",
         (before < 0) & (wins > games / 2), after >= 0),
        ("ratings below 0 after an event: 2 points or fewer in it", "most", after < 0, wins <= 2),
    ):  # fmt: skip
        out.append(_share(claim, says, basis, so[those].astype(float), row[those], seed, "entrants"))
    return [one for one in out if one["counted"]]


def _winners(history: History, wanted: set[str], seed: int) -> list[dict[str, Any]]:
    """What share of the points the winners of sections had, and at their next event."""
    games = history.games[(history.games["status"] == "played") & history.games["result"].notna()]
    table = standings(history, games)
    both = pd.concat([games["player"], games["opponent"]]).to_frame("player")
    both = both.join(games[["event", "section"]])
    count = both.groupby(["event", "section", "player"]).size().rename("games").reset_index()
    table = table.merge(count, on=["event", "section", "player"])
    table["row"] = pd.Index(history.events["event"]).get_indexer(pd.Index(table["event"]))
    table = table.sort_values("row", kind="stable")
    table["share"] = table["wins"] / table["games"]
    following = table.groupby("player")[["share", "event"]].shift(-1)
    sections = history.entries.groupby("event")["section"].transform("nunique") > 1
    of_many = set(history.entries.loc[sections, "event"])
    won = (table["place"] == 1) & table["event"].isin(wanted & of_many) & following["event"].isin(wanted)
    if not won.any():
        return []
    first, then = table.loc[won, "share"].to_numpy(dtype=float), following.loc[won, "share"].to_numpy(dtype=float)
    said = "winners move up, and score less there at first"
    return [
        _mean("winners of a section: share of the points there", said, "results", first, seed, "wins of a section"),
        _mean("the same players: share at their next event", said, "results", then, seed, "wins of a section"),
        _mean("the difference", "below 0", "results", then - first, seed, "wins of a section"),
    ]


# --- figures ----------------------------------------------------------------------------------------------------------


def _row(
    claim: str, says: str, basis: str, figure: float, low: float, high: float, counted: int, of: str
) -> dict[str, Any]:
    return dict(zip(_COLUMNS, (claim, says, basis, figure, low, high, counted, of), strict=True))


def _share(
    claim: str, says: str, basis: str, values: Floats, event: Ints, seed: int, of: str = "games"
) -> dict[str, Any]:
    """A mean with its interval from events drawn anew.

    Where all values are 0, or all 1, every resample says the same; then the interval is that of Clopper and Pearson,
    the events taken as the trials.
    """
    events = np.unique(event, return_inverse=True)[1]
    n = int(events.max(initial=-1)) + 1
    count, total = tally(events, np.ones(len(values)), n), tally(events, values, n)
    draws = event_draws(n, seed)
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = interval((draws @ total) / (draws @ count))
    figure = float(values.mean()) if len(values) else np.nan
    if figure in (0.0, 1.0):
        bound = ((1 - LEVEL) / 2) ** (1 / n)
        low, high = (bound, 1.0) if figure else (0.0, 1 - bound)
    return _row(claim, says, basis, figure, low, high, len(values), of)


def _mean(claim: str, says: str, basis: str, values: Floats, seed: int, of: str) -> dict[str, Any]:
    """A mean with its interval from the values drawn anew, each a player's (or a win's) own."""
    draws = event_draws(len(values), seed) / max(1, len(values))
    low, high = interval(draws @ values)
    figure = float(values.mean()) if len(values) else np.nan
    return _row(claim, says, basis, figure, low, high, len(values), of)
