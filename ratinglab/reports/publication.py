"""What is published together, and in what forms: pages, the files beside them, and what all of them rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from ratinglab.output import Content, as_bytes, write_set
from ratinglab.reports import html, pdf, workbook
from ratinglab.reports.page import Page

if TYPE_CHECKING:
    from ratinglab.tasks import Progress, Workers

KINDS = ("html", "csv", "xlsx", "pdf")
_MAKERS = {"xlsx": "xlsxwriter", "pdf": "weasyprint"}  # whose version can change a file's bytes


@dataclass(frozen=True)
class Kinds:
    """In what forms a publication is written; `bom`: CSV begins with the mark by which Excel knows UTF-8.

    Forms are named in any order, and kept in that of `KINDS`. Pages lead to their tables, so html brings csv with it.
    Raises `ValueError` on a form that is not one of `KINDS`.

    >>> Kinds(("pdf", "html")).forms
    ('html', 'csv', 'pdf')
    """

    forms: tuple[str, ...] = ("html", "csv")
    bom: bool = False

    def __post_init__(self) -> None:
        asked = {*self.forms, *(["csv"] if "html" in self.forms else [])}
        if not asked or not asked <= set(KINDS):
            raise ValueError(f"forms are of {', '.join(KINDS)}; found {', '.join(self.forms) or 'none'}")
        object.__setattr__(self, "forms", tuple(kind for kind in KINDS if kind in asked))


@dataclass(frozen=True)
class Publication:
    """A page or a linked set of pages, index first, and the files they lead to.

    `sources` is the number of files that everything was made from, `rests_on` what the figures are, for the foot of
    every page ("Ratings by glixo"); `title` is that of the whole set. `data` are files by their place in the set,
    beside those that belong to a page. `workbook` is what the file with all tables is called, where that is not the
    first page's name (of an index: report.xlsx).
    """

    pages: Sequence[Page]
    sources: int
    data: Mapping[str, Content] = field(default_factory=dict)
    rests_on: str = ""
    title: str = ""
    workbook: str = ""

    @property
    def main(self) -> list[Page]:
        """The pages that every page leads to."""
        return [page for page in self.pages if not page.within]

    @property
    def workbook_file(self) -> str:
        """The place of the workbook in the set: beside the first page."""
        first = PurePosixPath(self.pages[0].file)
        stem = self.workbook or ("report" if first.stem == "index" else first.stem)
        return str(first.with_name(stem + ".xlsx"))

    def files(
        self, kinds: Kinds | None = None, workers: Workers | None = None, progress: Progress | None = None
    ) -> dict[str, Content]:
        """Every file but the manifest, by its place in the set, index first; without `kinds`, pages and tables.

        Pages are the main ones and those within them as HTML, and the main ones as PDF. Files of other kinds than CSV
        that belong to pages, as JSON, are always there. PDF needs Pango (`pdf.lacking`) and takes time: `workers` make
        it, and `progress` is called with the PDFs done and all.
        """
        kinds = kinds or Kinds()
        shown: dict[str, bytes] = {}
        if kinds.forms != ("csv",):
            pages = self.pages if "html" in kinds.forms else self.main
            shown = {page.file: html.render(page, self, self._also(page, kinds)) for page in pages}
        made: dict[str, Content] = dict(shown) if "html" in kinds.forms else {}
        if "pdf" in kinds.forms:
            main, tables = [shown[page.file] for page in self.main], "csv" in kinds.forms
            done = pdf.as_pdfs(main, tables=tables, workers=workers, progress=progress)
            made |= zip(map(_as_pdf, self.main), done, strict=True)
        if "xlsx" in kinds.forms and self._has_tables:
            made[self.workbook_file] = workbook.as_workbook(self, shown)
        data = {page.folder + name: content for page in self.pages for name, content in page.data.items()}
        for name, content in (data | dict(self.data)).items():
            if not name.endswith(".csv"):
                made[name] = content
            elif "csv" in kinds.forms:
                made[name] = as_bytes(content, bom=True) if kinds.bom else content
        return made

    @property
    def _has_tables(self) -> bool:
        return any(True for page in self.main for _ in html.tables(page.values))

    def _also(self, page: Page, kinds: Kinds) -> list[html.Link]:
        """The other forms of what a page shows, as links from it; a page within another has none of its own."""
        if page.within:
            return []
        links = []
        if "pdf" in kinds.forms:
            links.append(html.Link(PurePosixPath(_as_pdf(page)).name, "as PDF"))
        if "xlsx" in kinds.forms and self._has_tables:
            links.append(html.Link(page.root + self.workbook_file, "all tables as a workbook (XLSX)"))
        return links


def _as_pdf(page: Page) -> str:
    return str(PurePosixPath(page.file).with_suffix(".pdf"))


def publish(
    out: Path,
    publication: Publication,
    record: Mapping[str, Any],
    kinds: Kinds | None = None,
    *,
    workers: Workers | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Write a publication with its manifest into the folder `out`, whole or not at all; returns the files.

    Who makes PDF, and whom to tell of it: as `Publication.files`.
    The manifest says which `kinds` there are, and the versions of what made those whose bytes depend on it.
    """
    told: dict[str, Any] = {}
    if kinds is not None:
        makers = {name: metadata.version(name) for form, name in _MAKERS.items() if form in kinds.forms}
        told = {"kinds": list(kinds.forms), "bom": kinds.bom, "versions": {**record.get("versions", {}), **makers}}
    return write_set(out, publication.files(kinds, workers, progress), {**record, **told}, clear=True)


def alone(page: Page, sources: int) -> bytes:
    """A page that stands alone, as UTF-8."""
    return html.render(page, Publication([page], sources))


def alone_with_data(page: Page, sources: int) -> dict[str, Content]:
    """The files of a page that stands alone: the page, and the tables it leads to."""
    return Publication([page], sources).files()
