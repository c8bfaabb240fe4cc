"""How a page is made of tables, plots and templates; nothing here knows what a report says."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd
from markupsafe import Markup

from ratinglab.terminal import noun

if TYPE_CHECKING:
    from jinja2 import Environment

    from ratinglab.reports.page import Page
    from ratinglab.reports.publication import Publication

# More rows than this make a page that is slow to open; the table beside it is whole.
MOST_ROWS = 5000
# More rows than this are more paper than anybody leafs through.
MOST_ON_PAPER = 1500
# Characters abreast that an upright page bears in its smallest type; a page with a broader table is set across.
_UPRIGHT = 126
# A text of several words may be broken down to this many characters.
_BREAKS_TO = 20

_NUMERIC = re.compile(r"(whole|signed|percent|pm|real)(\d?)")
_MINUS = "\N{MINUS SIGN}"


class Link(NamedTuple):
    """A cell that leads somewhere."""

    href: str
    text: str


@dataclass(frozen=True)
class Column:
    """One column of a table on a page.

    kind: text, name (text that is not broken), lines and names (a line for each part between `;`, in names not
    broken), day, figures (text made of figures, set flush right), or a number: whole, signed (with its sign), percent,
    pm (after ±); a digit gives the decimals, as in real2.
    `heads` marks the column whose cells are the rows' headings; `about` explains a short title.
    """

    title: str
    cells: Iterable[Any]
    kind: str = "text"
    heads: bool = False
    about: str = ""

    @property
    def number(self) -> bool:
        """Whether figures stand in it, to be set flush right."""
        return self.kind == "figures" or bool(_NUMERIC.fullmatch(self.kind))

    @property
    def style(self) -> str:
        """The class of its cells; what follows ± stands close to the figure before, and notes are not squeezed."""
        if self.kind == "lines":
            return "w"
        return (
            "pm"
            if self.kind.startswith("pm")
            else "n"
            if self.number
            else "d"
            if self.kind in ("day", "name", "names")
            else ""
        )


@dataclass(frozen=True)
class Table:
    """A table ready to be set: a caption, columns, the values of each, and the file that holds it whole.

    Of more than `most` rows a page shows the first; a workbook has them all.
    """

    id: str
    caption: str
    columns: Sequence[Column]
    cells: Sequence[Sequence[Any]]
    csv: str = ""
    sortable: bool = False
    most: int = MOST_ROWS

    @cached_property
    def rows(self) -> Sequence[Sequence[str]]:
        """The rows that a page shows, their cells as text."""
        both = zip(self.cells, self.columns, strict=True)
        return list(
            zip(*([cell(value, column.kind) for value in values[: self.most]] for values, column in both), strict=False)
        )

    @cached_property
    def breadth(self) -> int:
        """About how many characters abreast a row needs where text and headings are broken: on paper, type fits it."""
        across = list(zip(*self.rows, strict=True)) or [()] * len(self.columns)
        return sum(_breadth(column, cells) for column, cells in zip(self.columns, across, strict=True))

    @property
    def unprinted(self) -> int:
        """How many rows of those that a page shows are left out on paper."""
        return max(0, len(self.rows) - MOST_ON_PAPER)

    @property
    def left_out(self) -> int:
        """How many rows a page does not show."""
        return max(0, len(self.cells[0]) - self.most)


def table(
    id: str, caption: str, columns: Iterable[Column], *, csv: str = "", sortable: bool = False, most: int = MOST_ROWS
) -> Table:
    """A table of columns, at most `most` rows of it; `csv` is the address of its file from the page."""
    columns = list(columns)
    cells = [list(column.cells) for column in columns]
    if len({len(values) for values in cells}) != 1:
        told = {column.title: len(values) for column, values in zip(columns, cells, strict=True)}
        raise ValueError(f"table {id}: columns of unequal length: {told}")
    return Table(id, caption, columns, cells, csv, sortable, most)


def tables(values: Any) -> Iterator[Table]:
    """Every table among a page's values, however deep in mappings, sequences and the reports' own records."""
    if isinstance(values, Table):
        yield values
    elif isinstance(values, Mapping):
        for value in values.values():
            yield from tables(value)
    elif isinstance(values, Sequence) and not isinstance(values, str | bytes):
        for value in values:
            yield from tables(value)
    elif is_dataclass(values) and type(values).__module__.startswith("ratinglab.reports."):
        for one in fields(values):
            yield from tables(getattr(values, one.name))


def _breadth(column: Column, cells: Iterable[str]) -> int:
    """The characters abreast that a column needs, with the space beside them."""
    texts = [str(text) for text in cells]
    parts = [re.sub(r"<(?!br)[^>]*>", "", text) for text in texts if text]
    if column.kind in ("lines", "names"):
        parts = [line for text in parts for line in text.split("<br>")]
    longest = max(map(len, parts), default=0)
    words = max((len(word) for text in [*parts, column.title] for word in text.split()), default=0)
    if column.kind in ("text", "lines"):
        longest = min(longest, max(_BREAKS_TO, words))
    return max(longest, max(map(len, column.title.split()), default=0)) + 2


def cell(value: Any, kind: str) -> str:
    """A value as a page shows it: nothing for what is missing, ISO dates, rounded figures with a true minus sign.

    >>> cell(-12.4, "signed"), cell(39.6, "pm"), cell(0.1234, "percent"), cell(float("nan"), "whole")
    ('−12', '±40', '12 %', '')
    """
    if isinstance(value, Link):
        return Markup('<a href="{}">{}</a>').format(value.href, value.text)
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return ""
    if kind in ("lines", "names"):
        return Markup("<br>").join(str(value).split("; "))
    if kind == "day":
        return f"{value:%Y-%m-%d}"
    found = figures(kind)
    if found is None:
        return str(value)
    what, digits = found
    if what == "percent":
        return f"{100 * value:.{digits}f} %"
    text = f"{abs(value):.{digits}f}"
    zero = float(text) == 0
    if what == "pm":
        return f"±{text}"
    sign = _MINUS if value < 0 and not zero else "+" if what == "signed" and not zero else ""
    return sign + text


def figures(kind: str) -> tuple[str, int] | None:
    """What a kind of column says of its figures, and their decimals; nothing for text and days.

    >>> figures("real2"), figures("pm"), figures("day")
    (('real', 2), ('pm', 0), None)
    """
    found = _NUMERIC.fullmatch(kind)
    return (found.group(1), int(found.group(2) or 0)) if found else None


def number(value: float, digits: int = 0) -> str:
    """A figure in running text: thousands apart, a true minus sign."""
    return f"{value:,.{digits}f}".replace(",", "\N{NARROW NO-BREAK SPACE}").replace("-", _MINUS)


def many(count: int, one: str, several: str = "") -> str:
    """A count with its noun: `1 event`, `3 events`."""
    return f"{number(count)} {noun(count, one, several)}"


def slug(text: str) -> str:
    """A file or anchor name made of an id: letters a to z, digits, `.`, `_` and `-`."""
    plain = re.sub(r"[^a-z0-9._-]+", "-", text.casefold()).strip("-.")
    return plain or "x"


def slugs(texts: Iterable[str]) -> dict[str, str]:
    """A name for each id, no two alike."""
    made: dict[str, str] = {}
    taken: set[str] = set()
    for text in texts:
        base = name = slug(text)
        count = 1
        while name in taken:
            count += 1
            name = f"{base}-{count}"
        taken.add(name)
        made[text] = name
    return made


@cache
def environment() -> Environment:
    """The templates, with everything escaped that is not marked as HTML, and no name left undefined in silence."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("ratinglab.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["number"] = number
    made.globals["signed"] = lambda value: cell(value, "signed")
    made.filters["figure"] = "{:g}".format
    made.filters["day"] = lambda value: cell(value, "day")
    made.globals["many"] = many
    made.globals["protection"] = ()  # what protects whom, in a set for the public
    made.globals["most_on_paper"] = MOST_ON_PAPER
    return made


def render(page: Page, publication: Publication, also: Sequence[Link] = ()) -> bytes:
    """A page of a publication as UTF-8, with links to the same in other forms (`also`).

    Trailing blanks and empty lines are taken out.
    """
    template = environment().get_template(page.template)
    across = any(table.breadth > _UPRIGHT for table in tables(page.values))
    text = template.render(page=page, set=publication, root=page.root, also=also, across=across, **page.values)
    lines = [line.rstrip() for line in text.splitlines()]
    return ("\n".join(line for line in lines if line) + "\n").encode()


def svg(text: str) -> Markup:
    """An SVG element to stand in a page as it is."""
    return Markup(text)  # our own plots, whose texts are escaped where they are made
