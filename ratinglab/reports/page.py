"""What a page is before it is set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from ratinglab.output import Content


@dataclass(frozen=True)
class Page:
    """A page: its file, title and headline (one sentence of what it found), and what its template shows.

    `file` is its place in the set, as `calibration/calibration.html`; `data` are the files that stand in the same
    folder beside it (tables, mostly), by their names. `within` is the file of the page that it belongs to, where it is
    not one of the main pages; `short` is what the navigation calls it, where that is not the title.
    """

    file: str
    title: str
    headline: str
    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    within: str = ""
    short: str = ""
    data: Mapping[str, Content] = field(default_factory=dict)

    def showing(self, **more: Any) -> Self:
        """The page with more for its template to show."""
        return replace(self, values={**self.values, **more})  # of a page, not of a table

    @property
    def folder(self) -> str:
        """Where it stands in the set, with a slash at the end; nothing at the top."""
        return self.file.rpartition("/")[0] + "/" if "/" in self.file else ""

    @property
    def root(self) -> str:
        """The way from its folder to the top of the set."""
        return "../" * self.file.count("/")
