"""The parts of a report: what each makes of a history, or the reason why it is left out.

The plain parts show what `material` gathered; the others run what the commands of their names run, at sizes that follow
from the history alone, so that the same history gives the same report on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from ratinglab.problems import UsageError
from ratinglab.reports import forecast_page, pages
from ratinglab.reports.material import Material
from ratinglab.reports.page import Page

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.privacy import Protected
    from ratinglab.systems.base import System
    from ratinglab.tasks import Workers

# What a calibration in a report tries, by system: the parameters that its source leaves to the committee.
GRIDS: dict[str, tuple[str, ...]] = {
    "glixo": ("b=3:13:6", "tau=60:130:8"),
    "coco": ("tau=70:130:7",),
    "elo": ("k=8:64:8",),
    "elo-margin": ("k=8:64:8",),
    "fide": ("k=10:60:6",),
    "glicko": ("c=0:60:7",),
}
FEWEST_EVENTS = 3  # for a calibration or a comparison: uncertainty comes from drawing events anew
FEWEST_ENTRANTS, FEWEST_ROUNDS = 8, 3  # of a tournament that is looked back on, or simulated
MOST_PLAYERS, MOST_ROUNDS = 60, 20  # of one that is simulated
TOURNAMENTS = 1000


@dataclass(frozen=True)
class Asked:
    """What a report is made of and how: the history as it may be shown, and as it is; see `build_report`."""

    history: History
    protected: Protected
    system: System
    material: Material | None  # of a history of games
    systems: tuple[System, ...]  # that are compared, the report's own first
    start: str
    min_games: int
    seed: int
    contact: str
    workers: Workers

    @property
    def public(self) -> bool:
        """Whether it is for publication."""
        return self.protected.public


class Left(NamedTuple):
    """A part that is left out, and why."""

    title: str
    reason: str


@dataclass(frozen=True)
class Part:
    """A part: what the option calls it, its title, the group it stands in, and how it is made.

    `make` returns its pages, the main one first, or the reason why there are none.
    """

    name: str
    title: str
    group: str
    make: Callable[[Asked], Sequence[Page] | str]


NO_GAMES = "the history has no rated game"
_MAIN = "The ratings", "How good they are", "Tournaments", "The files"


def _of_games(one: Callable[[Material], Page]) -> Callable[[Asked], Sequence[Page] | str]:
    """A page that shows what was gathered of games."""

    def make(asked: Asked) -> Sequence[Page] | str:
        return NO_GAMES if asked.material is None else [one(asked.material)]

    return make


def _changes(asked: Asked) -> Sequence[Page] | str:
    if asked.material is None:
        return NO_GAMES
    return [pages.changes(asked.material), *pages.events(asked.material)]


def _histories(asked: Asked) -> Sequence[Page] | str:
    if asked.material is None:
        return NO_GAMES
    if asked.public and asked.material.histories.empty:
        return "it would follow protected people over time"
    return [pages.histories(asked.material)]


def _problems(asked: Asked) -> Sequence[Page] | str:
    from ratinglab.checking import check

    if asked.public:
        return "what is to be mended in the files is for the committee"
    return [pages.problems(asked.material)] if asked.material is not None else [pages.problems_of(check(asked.history))]


def _lists(asked: Asked) -> Sequence[Page] | str:
    from ratinglab.lists import make_lists
    from ratinglab.ordering import order_scores
    from ratinglab.reports import lists_page
    from ratinglab.systems import parse

    if not len(asked.history.placings):
        return "the history has no placings, as those of Diplomacy tournaments"
    system = asked.system if asked.system.rates == "placings" else parse("dip-pouch")
    made = make_lists(asked.history, system, start=asked.start)
    others = [one for one in asked.systems if one.label != system.label]
    order = order_scores(asked.history, [system, *others], seed=asked.seed) if others else None
    blank = asked.protected.blank
    shown = replace(
        made,
        ratings={label: blank(table, "nationality", "national_rank") for label, table in made.ratings.items()},
    )
    return lists_page.pages(shown, order, file="lists/lists.html")


def _calibration(asked: Asked) -> Sequence[Page] | str:
    from ratinglab.calibration.calibrating import calibrate
    from ratinglab.reports import calibration_page

    grid = GRIDS.get(asked.system.name)
    if asked.material is None:
        return NO_GAMES
    if grid is None:
        return f"no parameter of {asked.system.name} is tuned by default; `ratinglab calibrate` tries those you name"
    if few := _few_events(asked.material):
        return few
    made = calibrate(asked.material.schedule, asked.system, grid, fit=True, seed=asked.seed, workers=asked.workers)
    counting = calibration_page.Counting(start=asked.start, fit=True, seed=asked.seed)
    return [_within_folder(calibration_page.page(made, counting), "calibration")]


def _comparison(asked: Asked) -> Sequence[Page] | str:
    from ratinglab.comparison.comparing import compare
    from ratinglab.reports import comparison_page

    if len(asked.systems) < 2:
        return "there is no other system to compare with"
    if asked.material is None:
        history: object = asked.history
    elif few := _few_events(asked.material):
        return few
    else:
        history = asked.material.schedule
    made = compare(history, asked.systems, start=asked.start, seed=asked.seed, workers=asked.workers)  # type: ignore[arg-type]
    if asked.public:  # a group of games, such as those of a grade, may be of few people
        made = replace(made, by_subset=made.by_subset.iloc[:0], over_time=made.over_time.iloc[:0])
    return [_within_folder(comparison_page.page(made), "comparison")]


def _backtest(asked: Asked) -> Sequence[Page] | str:
    from ratinglab.backtests.backtesting import backtest
    from ratinglab.reports import backtest_page

    if asked.material is None:
        return NO_GAMES
    events = _large_events(asked)
    if not events:
        least = f"{FEWEST_ENTRANTS} entrants and {FEWEST_ROUNDS} rounds"
        return f"no event has {least}" + (", and nobody in it who is protected" if asked.public else "")
    systems = [one for one in asked.systems if one.has_forecast]
    made = backtest(
        asked.material.history, events[-1], systems, start=asked.start, seed=asked.seed, workers=asked.workers
    )
    page = backtest_page.page(made)
    there = {name: table for name, table in page.data.items() if not isinstance(table, pd.DataFrame) or len(table)}
    return [_within_folder(replace(page, data=there), "backtest")]


def _large_events(asked: Asked) -> list[str]:
    """Played events of some size, in time order; in public those without anybody protected."""
    assert asked.material is not None
    history, events = asked.material.history, asked.material.events
    rounds = history.games.groupby("event")["round"].nunique()
    of_event = history.entries.groupby("event")["player"]
    shut = history.entries.loc[~asked.protected.is_open(history.entries["player"]), "event"].unique()
    large = (events["entrants"] >= FEWEST_ENTRANTS) & (events["event"].map(rounds).fillna(0) >= FEWEST_ROUNDS)
    large &= (events["games"] > 0) & ~events["event"].isin(shut) & events["event"].isin(of_event.groups)
    return list(events.loc[large, "event"])


def _fairness(asked: Asked) -> Sequence[Page] | str:
    from ratinglab.output import Content
    from ratinglab.pairing import parse_several
    from ratinglab.reports.fairness_page import fairness_page
    from ratinglab.simulation.models import parse_model
    from ratinglab.simulation.simulating import Plan, labels, simulate
    from ratinglab.simulation.tournaments import Strengths

    if asked.material is None:
        return NO_GAMES
    field = _next_field(asked)
    if field is None:
        return f"no event has {FEWEST_ENTRANTS} entrants and {FEWEST_ROUNDS} rounds"
    spreads = bool(asked.material.forecasts["spread"].notna().any()) if len(asked.material.forecasts) else False
    pairings = labels(parse_several("cnsc,swiss,random" if spreads else "evanston,swiss,random"))
    model = parse_model("glixo" if spreads else "chess")
    listed = asked.material.ratings["rating"]
    strengths = Strengths(normal=(round(float(listed.mean())), round(float(listed.std(ddof=0))) or 1))
    plan = Plan(pairings, *field, TOURNAMENTS, strengths, model, asked.seed)
    made = simulate(plan, asked.workers)
    files: dict[str, Content] = dict(made.tables())
    return [_within_folder(fairness_page(made, None, {}, files), "fairness")]


def _next_field(asked: Asked) -> tuple[int, int] | None:
    """Players (an even number) and rounds of the largest section of the event to come, else of the last large one."""
    assert asked.material is not None
    history = asked.material.history
    events = [asked.material.seeded_event] if asked.material.seeded_event else []
    events += reversed(list(asked.material.events["event"]))
    look_up = history.section_settings()
    for event in events:
        entries = history.entries[history.entries["event"] == event]
        sizes = entries.assign(unit=entries["team"].fillna(entries["player"])).groupby("section")["unit"].nunique()
        if sizes.empty:
            continue
        section = sizes.idxmax()
        rounds = look_up(event, str(section)).rounds
        if rounds is None:
            games = history.games[(history.games["event"] == event) & (history.games["section"] == section)]
            rounds = int(games["round"].max()) if len(games) else None
        players = min(int(sizes.max()) // 2 * 2, MOST_PLAYERS)
        if rounds and players >= FEWEST_ENTRANTS and rounds >= FEWEST_ROUNDS:
            return players, min(rounds, MOST_ROUNDS, players - 1)
    return None


def _seeding(asked: Asked) -> Sequence[Page] | str:
    from ratinglab.reports import seeding_page
    from ratinglab.seeding.entry_lists import entered
    from ratinglab.seeding.making import make_seeding
    from ratinglab.seeding.seeding import unplayed

    event = next(reversed(unplayed(asked.history)), None)
    if event is None:
        return "no event is an entry list that has not been played"
    shown = entered(asked.history, event)
    replayed = None if asked.material is None else asked.material.replay
    if asked.public:
        protected = replace(asked.protected, history=shown.history)
        made = make_seeding(shown, asked.system, seed=asked.seed, protected=protected, start=asked.start)
    else:
        made = make_seeding(shown, asked.system, seed=asked.seed, replayed=replayed, start=asked.start)
    links = {} if asked.material is None else {e: f"../{file}" for e, file in asked.material.event_files.items()}
    return [_within_folder(seeding_page.page(made, asked.contact, links), "seeding")]


def _sections(asked: Asked) -> Sequence[Page] | str:
    from ratinglab.reports import sections_page
    from ratinglab.sections import parse
    from ratinglab.sections.assigning import make_sections
    from ratinglab.sections.evanston import LADDER
    from ratinglab.seeding.entry_lists import entered

    if asked.material is None:
        return NO_GAMES
    history = asked.material.history
    ladder = set(history.entries.loc[history.entries["section"].isin(LADDER), "event"])
    if not ladder:
        return "no event has the sections Pawn to King; `ratinglab sections` makes those of other rules"
    last = [event for event in history.events["event"] if event in ladder][-1]
    listed = entered(asked.history, asked.material.seeded_event or last)
    protected = replace(asked.protected, history=listed.history) if asked.public else None
    made = make_sections(
        listed, parse("evanston"), asked.system, seed=asked.seed, start=asked.start, protected=protected
    )
    return [_within_folder(sections_page.page(made), "sections")]


def _few_events(m: Material) -> str:
    rated = int((m.events["games"] > 0).sum())
    return "" if rated >= FEWEST_EVENTS else f"it needs {FEWEST_EVENTS} rated events or more; there are {rated}"


def _within_folder(page: Page, folder: str) -> Page:
    return replace(page, file=f"{folder}/{page.file}")


PARTS = (
    Part("ratings", "Rating list", _MAIN[0], _of_games(pages.ratings)),
    Part("changes", "Changes", _MAIN[0], _changes),
    Part("histories", "Histories", _MAIN[0], _histories),
    Part("lists", "Rating lists by year", _MAIN[0], _lists),
    Part("forecasts", "Forecast quality", _MAIN[1], _of_games(forecast_page.forecasts)),
    Part("comparison", "Systems compared", _MAIN[1], _comparison),
    Part("calibration", "Calibration", _MAIN[1], _calibration),
    Part("backtest", "The last event", _MAIN[1], _backtest),
    Part("seeding", "Seeding", _MAIN[2], _seeding),
    Part("sections", "Sections", _MAIN[2], _sections),
    Part("fairness", "Pairing fairness", _MAIN[2], _fairness),
    Part("problems", "Problems", _MAIN[3], _problems),
)


def chosen(names: Sequence[str] | None) -> tuple[Part, ...]:
    """The parts of these names, in their usual order; all without names. Raises `UsageError` naming the known ones."""
    if names is None:
        return PARTS
    known = {part.name for part in PARTS}
    unknown = [name or "nothing" for name in names if name not in known]
    if unknown:
        raise UsageError(f"a report has the parts {', '.join(part.name for part in PARTS)}; found {', '.join(unknown)}")
    return tuple(part for part in PARTS if part.name in names)


def make(asked: Asked, parts: Sequence[Part], tell: Callable[[], None]) -> tuple[dict[str, list[Page]], list[Left]]:
    """The pages by group, and what is left out; `tell` is called after each part."""
    made: dict[str, list[Page]] = {}
    left: list[Left] = []
    for part in parts:
        try:
            found = part.make(asked)
        except UsageError as error:  # what the history has is not enough for it
            found = str(error)
        if isinstance(found, str):
            left.append(Left(part.title, found))
        else:
            made.setdefault(part.group, []).extend(found)
        tell()
    return made, left
