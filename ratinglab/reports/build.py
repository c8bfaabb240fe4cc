"""`build_report`: everything for one history, as a linked set of pages with their tables beside them.

What a page says is in `pages`, `forecast_page` and `seeding_page`; here is what becomes a file, and which files go.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pandas as pd

from ratinglab.output import csv_text, manifest, write_bytes
from ratinglab.problems import problems_table
from ratinglab.reports import forecast_page, html, pages, seeding_page
from ratinglab.reports.material import Material, gather, side_by_side
from ratinglab.reports.page import Page
from ratinglab.systems.base import System
from ratinglab.systems.glixo import Glixo

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.replaying import Progress

MANIFEST = "manifest.json"
# Kept in the folder of the reports by those who use it; no run writes or removes them.
KEPT = ("README.md", "decisions")


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
    progress: Progress | None = None,
) -> list[Path]:
    """Write the report on `history` into the folder `out`; returns the files written, index.html first.

    `system` (Glixo) makes the ratings; `compare` are the systems whose forecasts stand beside its own, on the same
    games. `min_games` is what both sides need to have played to count as established; `seed` is for resampling and for
    lots among equal ratings; `contact` is whom a page tells to write to. `progress` is called with the steps done and
    the steps in all.

    Every file is written whole or not at all. Files that an earlier report left in `out` and this one does not write
    are removed if that report's manifest lists them; nothing else is ever removed.
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

    files: dict[str, bytes] = {}
    made = _pages(material, contact)
    for page in made:
        files[page.file] = html.render(
            page.template,
            page=page,
            pages=[other for other in made if not other.within],
            root="../" * page.file.count("/"),
            source_count=len(history.sources),
            m=material,
            **page.values,
        )
    for name, table in _tables(material).items():
        files[f"tables/{name}.csv"] = csv_text(table).encode()

    told = manifest("report", history.sources, system.name, system.parameters(), seed) | {
        "compare": list(material.replays),
        "start": start,
        "min_games": min_games,
        "files": sorted(files),
    }
    stale = _listed(out) - set(files)
    for name, content in files.items():
        write_bytes(content, out / name)
    text = json.dumps(told, indent=2, sort_keys=True, ensure_ascii=False)
    write_bytes((text + "\n").encode(), out / MANIFEST)
    _remove(out, stale)
    tell()
    return [out / name for name in [*files, MANIFEST]]


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
    return [pages.index(material, inner), *inner, *pages.events(material)]


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


# --- files of an earlier run --------------------------------------------------------------------------------------


def _listed(out: Path) -> set[str]:
    """The files that the manifest of an earlier report lists, as far as they are a report's own."""
    try:
        told = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    if not isinstance(told, Mapping) or told.get("command") != "report" or not isinstance(told.get("files"), list):
        return set()
    return {name for name in told["files"] if isinstance(name, str) and _own(name)}


def _own(name: str) -> bool:
    """Whether a report could have written a file of this name: a page or a table, inside its folder."""
    path = PurePosixPath(name)
    inside = not path.is_absolute() and ".." not in path.parts and "\\" not in name and path.parts[:1] != ()
    return inside and path.parts[0] not in KEPT and path.suffix in (".html", ".csv")


def _remove(out: Path, stale: set[str]) -> None:
    """Remove the files, and the folders that are empty without them."""
    for name in sorted(stale):
        (out / name).unlink(missing_ok=True)
    for folder in sorted({(out / name).parent for name in stale} - {out}):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
