"""A page as PDF, made of its HTML by WeasyPrint, which needs Pango on the machine.

The type is DejaVu as matplotlib brings it along, as in the plots: the same letters on every machine. What the bytes
still depend on are the versions of WeasyPrint and of Pango with its HarfBuzz.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratinglab.reports.html import MOST_ON_PAPER

if TYPE_CHECKING:
    from collections.abc import Sequence
    from xml.etree.ElementTree import Element

    from ratinglab.tasks import Progress, Workers

_NEEDED = (
    "PDF needs Pango, which is not on this machine (Debian and Ubuntu: apt install libpango-1.0-0 libpangoft2-1.0-0 "
    "libharfbuzz-subset0; Fedora: dnf install pango; macOS: brew install pango; Windows: see WeasyPrint's First Steps)"
)
_SVG = "{http://www.w3.org/2000/svg}"
# family, style, weight, file
_FACES = (
    ("Sans", "normal", "normal", "DejaVuSans"),
    ("Sans", "normal", "bold", "DejaVuSans-Bold"),
    ("Sans", "italic", "normal", "DejaVuSans-Oblique"),
    ("Sans", "italic", "bold", "DejaVuSans-BoldOblique"),
    ("Serif", "normal", "normal", "DejaVuSerif"),
    ("Serif", "normal", "bold", "DejaVuSerif-Bold"),
    ("Serif", "italic", "normal", "DejaVuSerif-Italic"),
    ("Mono", "normal", "normal", "DejaVuSansMono"),
)


@cache
def lacking() -> str:
    """What this machine lacks for PDF and how to get it, in a sentence; nothing where it lacks nothing."""
    try:
        # it greets those who lack a library, and warns where the machine has no fonts: none are needed
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="No fonts configured")
            import weasyprint  # noqa: F401
            from weasyprint.text.ffi import harfbuzz_subset
    except ImportError as error:
        return f"PDF needs WeasyPrint, which cannot be imported ({error}): pip install weasyprint"
    except OSError:  # a library of Pango that cannot be loaded
        return _NEEDED
    # without it letters would be cut out of the font in a way that leaves the hour in the file
    return "" if harfbuzz_subset else _NEEDED


def as_pdf(page: bytes, *, tables: bool = True) -> bytes:
    """The page as PDF/UA: tagged, with title, language and bookmarks; without `tables` no word of the CSV beside it.

    The same bytes for the same page and versions. Links within the page lead on, others stand as text. Nothing is
    fetched from anywhere. Raises `RuntimeError` where the machine lacks what it needs (`lacking`).
    """
    if lacking():
        raise RuntimeError(lacking())
    import weasyprint
    from weasyprint.urls import URLFetcher

    type_, fonts = _type()
    source = weasyprint.HTML(string=page.decode(), base_url="about:blank", url_fetcher=URLFetcher(allowed_protocols=()))
    _prepare(source.etree_element, tables)
    document = source.render(font_config=fonts, stylesheets=[type_])
    return bytes(document.write_pdf(pdf_variant="pdf/ua-1"))


def as_pdfs(
    pages: Sequence[bytes], *, tables: bool = True, workers: Workers | None = None, progress: Progress | None = None
) -> list[bytes]:
    """Each of the pages as PDF (`as_pdf`), by processes of this machine: a second or so for each, more for long tables.

    Not by a cluster, whose machines may have another Pango, or none.
    """
    from ratinglab.tasks import Workers, run

    return run(_task, pages, tables, Workers(workers.count if workers else 1), progress)


def _task(tables: bool, page: bytes) -> bytes:
    return as_pdf(page, tables=tables)


def _type() -> tuple[Any, Any]:
    """The style sheet that names the fonts, and WeasyPrint's record of them."""
    import matplotlib
    from weasyprint import CSS
    from weasyprint.text.fonts import FontConfiguration

    folder = Path(matplotlib.get_data_path(), "fonts", "ttf")
    rules = [
        f'@font-face {{ font-family: "Print {family}"; font-style: {style}; font-weight: {weight}; '
        f'src: url("{(folder / file).with_suffix(".ttf").as_uri()}") }}'
        for family, style, weight, file in _FACES
    ]
    for name, family, other in (
        ("body", "Sans", "sans-serif"),
        ("head", "Serif", "serif"),
        ("mono", "Mono", "monospace"),
    ):
        rules.append(f':root {{ --{name}: "Print {family}", {other} !important }}')
    rules.append("html { font-size: 73% !important }")  # DejaVu is larger than the letters of screens
    fonts = FontConfiguration()
    return CSS(string="\n".join(rules), font_config=fonts), fonts


def _prepare(root: Element, tables: bool) -> None:
    """Make of a page for the screen one for paper: links to other files become text, pictures say all they say."""
    for element in list(root.iter()):
        if element.tag == "a" and not element.get("href", "").startswith("#"):
            element.tag = "span"  # a link that leads nowhere would be told as one
            element.attrib.pop("href", None)
        elif element.tag == f"{_SVG}svg":
            title, about = element.find(f"{_SVG}title"), element.find(f"{_SVG}desc")
            if title is not None and about is not None:  # only the title becomes the picture's text alternative
                title.text = f"{title.text}: {about.text}"
        elif element.tag == "tbody":
            for row in list(element)[MOST_ON_PAPER:]:  # as the style sheet does, but without laying out its cells
                element.remove(row)
        elif element.tag == f"{_SVG}text":  # which knows only the style of its own
            element.set("style", element.get("style", "").replace("DejaVu Sans", "Print Sans"))
    if not tables:
        root.set("class", f"{root.get('class', '')} no-tables".strip())
