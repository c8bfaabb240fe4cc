"""What a page is before it is set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Page:
    """A page: its file, title and headline (one sentence of what it found), and what its template shows.

    `within` is the file of the page that it belongs to, where it is not one of the main pages; `short` is what the
    navigation calls it, where that is not the title.
    """

    file: str
    title: str
    headline: str
    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    within: str = ""
    short: str = ""
