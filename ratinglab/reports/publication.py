"""What is published together: pages, the files beside them, and what all of them rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ratinglab.output import Content, write_set
from ratinglab.reports import html
from ratinglab.reports.page import Page

KINDS = ("html", "csv", "xlsx", "pdf")


@dataclass(frozen=True)
class Kinds:
    """In what forms a publication is written; `bom`: CSV begins with the mark by which Excel knows UTF-8."""

    forms: tuple[str, ...] = ("html", "csv")
    bom: bool = False


@dataclass(frozen=True)
class Publication:
    """A page or a linked set of pages, index first, and the files they lead to.

    `sources` is the number of files that everything was made from, `rests_on` what the figures are, for the foot of
    every page ("Ratings by glixo"); `title` is that of the whole set. `data` are files by their place in the set,
    beside those that belong to a page.
    """

    pages: Sequence[Page]
    sources: int
    data: Mapping[str, Content] = field(default_factory=dict)
    rests_on: str = ""
    title: str = ""

    @property
    def main(self) -> list[Page]:
        """The pages that every page leads to."""
        return [page for page in self.pages if not page.within]

    def files(self, kinds: Kinds | None = None) -> dict[str, Content]:
        """Every file but the manifest, by its place in the set, index first."""
        made: dict[str, Content] = {page.file: html.render(page, self) for page in self.pages}
        for page in self.pages:
            made |= {page.folder + name: content for name, content in page.data.items()}
        return made | dict(self.data)


def publish(out: Path, publication: Publication, record: Mapping[str, Any], kinds: Kinds | None = None) -> list[Path]:
    """Write a publication with its manifest into the folder `out`, whole or not at all; returns the files."""
    told = {} if kinds is None else {"kinds": list(kinds.forms), "bom": kinds.bom}
    return write_set(out, publication.files(kinds), {**record, **told}, clear=True)


def alone(page: Page, sources: int) -> bytes:
    """A page that stands alone, as UTF-8."""
    return html.render(page, Publication([page], sources))


def alone_with_data(page: Page, sources: int) -> dict[str, Content]:
    """The files of a page that stands alone: the page, and the tables it leads to."""
    return Publication([page], sources).files()
