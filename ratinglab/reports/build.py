"""`build_report`: everything for one history, as a linked set of pages with their tables beside them.

What a report is made of is in `parts`, what a page says in the modules named after the pages; here is what becomes a
file.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ratinglab.checking import check
from ratinglab.output import manifest
from ratinglab.privacy import Rule, protect
from ratinglab.problems import UsageError, problems_table
from ratinglab.reports import pages, parts
from ratinglab.reports.material import Material, gather, side_by_side
from ratinglab.reports.publication import Kinds, Publication, publish
from ratinglab.reports.usual import usual_comparison, usual_system
from ratinglab.systems import parse
from ratinglab.systems.base import System
from ratinglab.tasks import HERE, Workers

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.replaying import Progress


def build_report(
    history: History,
    out: str | Path,
    *,
    system: System | None = None,
    compare: Sequence[str | System] | None = None,
    only: Sequence[str] | None = None,
    start: str = "filed",
    min_games: int = 20,
    seed: int = 0,
    contact: str = "",
    privacy: Rule | None = None,
    kinds: Kinds | None = None,
    workers: Workers = HERE,
    progress: Progress | None = None,
) -> list[Path]:
    """Write the report on `history` into the folder `out`; returns the files written, index.html first.

    `system` makes the ratings (by default the one usual for such a history, `usual.usual_system`); `compare` are the
    systems whose forecasts stand beside its own, on the same games. `only` names the parts to make (`parts.PARTS`); of
    the others the index says that they were not asked for. `min_games` is what both sides need to have played to count
    as established; `seed` is for resampling, for simulations and for lots among equal ratings; `contact` is whom a page
    tells to write to. `privacy` says for whom the set is (by default the committee), `kinds` in what forms it is
    written. The files are the same whatever `workers` do the work. `progress` is called with the steps done and the
    steps in all.

    The set is written whole or not at all (`ratinglab.output.write_set`).
    Raises `UsageError` if the history holds no result and no entry, or the system cannot rate it.
    """
    wanted = parts.chosen(only)
    protected = protect(history, privacy or Rule())
    shown = protected.history
    usual, why = usual_system(history)
    system = system or usual
    others = usual_comparison(history) if compare is None else compare
    by_places = system.rates == "placings" or not len(history.games)
    done = itertools.count(1)

    if by_places:
        systems = list({one.label: one for one in (system, *map(_parsed, others))}.values())
        _require_results(history, system)
        total = len(wanted) + 1
    else:
        compared = side_by_side(system, others)
        systems = list(compared.values())
        total = len(systems) + len(wanted) + 1

    def tell() -> None:
        """One of the steps is done: the systems' replays, the parts, the writing."""
        if progress is not None:
            progress(next(done), total)

    material = None
    if not by_places:
        asked_of = {"start": start, "min_games": min_games, "seed": seed}
        material = gather(shown, systems=compared, **asked_of, tell=tell, protected=protected)  # type: ignore[arg-type]
    asked = parts.Asked(
        history=shown, protected=protected, system=system, material=material, systems=tuple(systems), start=start,
        min_games=min_games, seed=seed, contact=contact, workers=workers,
    )  # fmt: skip
    groups, left = parts.make(asked, wanted, tell)
    not_asked = [part.title for part in parts.PARTS if part not in wanted]
    because = why if system.label == usual.label else ""
    index = pages.index(asked, groups, left, not_asked, because)
    every = [index, *(page for group in groups.values() for page in group)]
    every = [page.showing(m=material, protection=protected.says) for page in every]
    tables = {f"tables/{name}.csv": table for name, table in _tables(asked, wanted).items()}
    publication = Publication(every, len(shown.sources), tables, f"Ratings by {system.label}", "Ratings report")
    record = manifest("report", shown.sources, system.name, system.parameters(), seed) | {
        "compare": [one.label for one in systems],
        "parts": [part.name for part in wanted],
        "start": start,
        "min_games": min_games,
        "privacy": protected.rule.privacy,
    }
    written = publish(Path(out), publication, record, kinds, workers=workers)
    tell()
    return written


def _parsed(system: str | System) -> System:
    return parse(system) if isinstance(system, str) else system


def _require_results(history: History, system: System) -> None:
    if len(history.games) and not len(history.placings):
        raise UsageError(f"{system.name} rates places, and this history has none: name another system")
    if not len(history.placings):
        found = f"{len(history.events)} events without one" if len(history.events) else "no event in that time"
        raise UsageError(f"a report needs at least one rated game, or places; found {found}")


def _tables(asked: parts.Asked, wanted: Sequence[parts.Part]) -> dict[str, pd.DataFrame]:
    """The tables that the plain pages lead to, by the names of their files, with whole figures."""
    names = {part.name for part in wanted}
    m = asked.material
    tables = {"history": pages.history_table(asked)}
    if "problems" in names and not asked.public:
        found = check(asked.history) if m is None else m.problems
        tables["problems"] = problems_table(found)
    if m is None:
        return tables
    if "ratings" in names:
        tables["ratings"] = m.ratings
    if "changes" in names:
        tables |= {"changes": m.changes.drop(columns=["team", "new"]), "events": m.events}
        if not m.segments.empty:
            tables["segments"] = m.segments
    if "histories" in names:
        tables["histories"] = m.histories
    if "forecasts" in names:
        tables |= _forecast_tables(m)
    return tables


def _forecast_tables(m: Material) -> dict[str, pd.DataFrame]:
    reliability = [table.assign(system=name) for name, table in m.reliability.items()]
    tables = {
        "forecasts": m.forecasts,
        "scores": m.scores,
        "differences": m.differences,
        "reliability": pd.concat(reliability, ignore_index=True).pipe(_first, "system"),
    }
    return tables if m.pit is None else tables | {"spreads": m.pit}


def _first(table: pd.DataFrame, column: str) -> pd.DataFrame:
    return table[[column, *(c for c in table.columns if c != column)]]
