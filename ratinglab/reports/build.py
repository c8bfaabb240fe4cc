"""`build_report`: everything for one history, as a linked set of pages with their tables beside them.

What a page says is in `pages`, `forecast_page` and `seeding_page`; here is what becomes a file.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ratinglab.output import manifest
from ratinglab.problems import problems_table
from ratinglab.reports import forecast_page, pages, seeding_page
from ratinglab.reports.material import Material, gather, side_by_side
from ratinglab.reports.page import Page
from ratinglab.reports.publication import Kinds, Publication, publish
from ratinglab.systems.base import System
from ratinglab.systems.glixo import Glixo

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.replaying import Progress


def build_report(
    history: History,
    out: str | Path,
    *,
    system: System | None = None,
    compare: Sequence[str | System] = ("glixo", "naspa", "elo"),
    start: str = "filed",
    min_games: int = 20,
    seed: int = 0,
    contact: str = "",
    kinds: Kinds | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Write the report on `history` into the folder `out`; returns the files written, index.html first.

    `system` (Glixo) makes the ratings; `compare` are the systems whose forecasts stand beside its own, on the same
    games. `min_games` is what both sides need to have played to count as established; `seed` is for resampling and for
    lots among equal ratings; `contact` is whom a page tells to write to. `kinds` are the forms that it is written in
    (pages and tables). `progress` is called with the steps done and
    the steps in all.

    The set is written whole or not at all (`ratinglab.output.write_set`).
    Raises `InputError` if the history has no rated game.
    """
    out = Path(out)
    system = system or Glixo()
    systems = side_by_side(system, compare)
    done = itertools.count(1)

    def tell() -> None:
        """One of the steps is done: the systems' replays, what is made of them, the writing."""
        if progress is not None:
            progress(next(done), len(systems) + 2)

    material = gather(history, systems=systems, start=start, min_games=min_games, seed=seed, tell=tell)
    tell()

    tables = {f"tables/{name}.csv": table for name, table in _tables(material).items()}
    publication = Publication(
        _pages(material, contact), len(history.sources), tables, f"Ratings by {material.main}", "Ratings report"
    )
    record = manifest("report", history.sources, system.name, system.parameters(), seed) | {
        "compare": list(material.replays),
        "start": start,
        "min_games": min_games,
    }
    written = publish(out, publication, record, kinds)
    tell()
    return written


def _pages(material: Material, contact: str) -> list[Page]:
    """Every page, index first; the index shows what the others say in a sentence."""
    inner = [
        pages.ratings(material),
        pages.changes(material),
        forecast_page.forecasts(material),
        pages.histories(material),
        *([seeding_page.seeding(material, contact)] if material.seeded else []),
        pages.problems(material),
    ]
    made = [pages.index(material, inner), *inner, *pages.events(material)]
    return [page.showing(m=material) for page in made]


def _tables(material: Material) -> dict[str, pd.DataFrame]:
    """Every table by the name of its file, with whole figures."""
    reliability = [table.assign(system=name) for name, table in material.reliability.items()]
    tables = {
        "ratings": material.ratings,
        "changes": material.changes.drop(columns=["team", "new"]),
        "segments": material.segments,
        "events": material.events,
        "history": material.pools,
        "forecasts": material.forecasts,
        "scores": material.scores,
        "differences": material.differences,
        "reliability": pd.concat(reliability, ignore_index=True).pipe(_first, "system"),
        "histories": material.histories,
        "problems": problems_table(material.problems),
    }
    if material.pit is not None:
        tables["spreads"] = material.pit
    if material.seeding_events is not None:
        tables["seeding-events"] = material.seeding_events
        several = len(material.seeded) > 1
        for name, of in (("seeding", "table"), ("draw", "draw")):
            parts = [
                getattr(part, of).assign(section=part.section) if several else getattr(part, of)
                for part in material.seeded
            ]
            joined = pd.concat(parts, ignore_index=True)
            tables[name] = _first(joined, "section") if several else joined
    if material.segments.empty:
        del tables["segments"]
    return tables


def _first(table: pd.DataFrame, column: str) -> pd.DataFrame:
    return table[[column, *(c for c in table.columns if c != column)]]
