"""The reports on the sample histories, and the page that leads to them: three committees, a report each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ratinglab.output import manifest
from ratinglab.paths import CIRCUITS, sample_data
from ratinglab.reports.build import build_report
from ratinglab.reports.html import many
from ratinglab.reports.page import Page
from ratinglab.reports.publication import Publication, publish

if TYPE_CHECKING:
    from ratinglab.history import History, Source
    from ratinglab.replaying import Progress


class Sample(NamedTuple):
    """A committee's history: the folder of its report, what it is called, its event files under `data`."""

    folder: str
    title: str
    names: tuple[str, ...]


SAMPLES = (
    Sample("scrabble", "School and open Scrabble", CIRCUITS),
    Sample("scholastic-club", "A scholastic chess club", ("scholastic-club",)),
    Sample("diplomacy", "A Diplomacy circuit", ("diplomacy",)),
)


def build_portal(
    out: Path,
    load: Callable[[Sequence[Path]], History],
    asked: Mapping[str, Any],
    progress: Callable[[str], Progress | None] = lambda title: None,
) -> None:
    """Write a report on each of the sample histories into a folder of its own under `out`, and an index of them.

    `load` reads files into a history, `asked` are the options of `build_report`, `progress` gives for a title whom to
    tell. Raises as these do.
    """
    listed: list[tuple[Sample, str]] = []
    sources: list[Source] = []
    for sample in SAMPLES:
        history = load(sample_data(*sample.names))
        build_report(history, out / sample.folder, **asked, progress=progress(sample.title))
        told = f"{many(len(history.events), 'event')}, {many(history.entries['player'].nunique(), 'person', 'people')}"
        listed.append((sample, told))
        sources += history.sources
    page = Page(
        "index.html",
        "Reports on the sample histories",
        "Three committees, a report each; everybody in them is invented",
        "portal.html",
        {"samples": listed},
    )
    publication = Publication([page], len(sources))
    publish(out, publication, manifest("report", tuple(sources), seed=asked.get("seed")))
