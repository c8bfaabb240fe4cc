"""What all plots share: colours, figures, their SVG, headings and axes.

Colours are Okabe and Ito's, which people with any colour vision can tell apart; no plot says anything by colour alone.
matplotlib is imported where it is used, and without pyplot, so that no plot leaves anything behind.
"""

from __future__ import annotations

import io
import re
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = OKABE_ITO = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7",
)  # fmt: skip
GREY, FAINT = "#6b6b6b", "#c9c9c9"

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # letters stay letters: to be read aloud, searched and set in the page's own font
    "font.family": "DejaVu Sans",  # ships with matplotlib, so a picture is the same on every machine
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.7,
    "axes.labelcolor": "#222222",
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": "#222222",
    "ytick.labelcolor": "#222222",
}


def figure(width: float, height: float, rows: int = 1, columns: int = 1, **keywords: Any) -> tuple[Figure, list[Axes]]:
    """A figure of `width` × `height` inches and its axes, row by row; further keywords go to `Figure.subplots`."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    with matplotlib.rc_context(_STYLE):
        made = _kind()(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(made)
        axes = made.subplots(rows, columns, squeeze=False, **keywords)
    return made, list(axes.ravel())


@cache
def _kind() -> type[Figure]:
    """Figures that a notebook shows by itself: without pyplot nothing else tells it how."""
    import matplotlib
    from matplotlib.figure import Figure

    class Shown(Figure):
        def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
            """The picture at twice the resolution, and the size in pixels to show it at."""
            file = io.BytesIO()
            with matplotlib.rc_context(_STYLE):
                self.savefig(file, format="png", dpi=192)
            width, height = self.get_size_inches()
            return file.getvalue(), {"width": round(96 * width), "height": round(96 * height)}

    return Shown


def figure_svg(figure: Figure, *, name: str, title: str, description: str) -> str:
    """The figure as an SVG element to stand in a page: the same bytes for the same figure, with a text alternative.

    `name` is a word that no other picture of the page has: it keeps their inner references apart.
    """
    import matplotlib

    file = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": name}):
        figure.savefig(file, format="svg", metadata=nothing)
    svg = file.getvalue()
    begin = re.search(r"<svg\b[^>]*>", svg)
    box = re.search(r'viewBox="([^"]+)"', svg)
    if begin is None or box is None:
        raise ValueError("matplotlib wrote no SVG element")
    inner = svg[begin.end() :]
    inner = re.sub(r'\bid="', f'id="{name}-', inner)
    inner = re.sub(r'xlink:href="#', f'href="#{name}-', inner)
    inner = re.sub(r"url\(#", f"url(#{name}-", inner)
    inner = re.sub(r"\n\s*", "\n", inner).replace("<metadata>\n</metadata>\n", "")
    width = float(box.group(1).split()[2])
    head = (
        f'<svg role="img" class="plot" viewBox="{box.group(1)}" style="max-width: {width * 4 / 3:.0f}px"'
        f' aria-labelledby="{name}-title {name}-desc">\n'
        f'<title id="{name}-title">{escape(title)}</title>\n<desc id="{name}-desc">{escape(description)}</desc>\n'
    )
    return head + inner.strip() + "\n"


def titled(axis: Axes, title: str, aside: str = "") -> Axes:
    """The axis with a heading to the left, and a figure or two to the right of it."""
    axis.set_title(title, loc="left", fontsize=9, fontweight="bold")
    axis.set_title(aside, loc="right", fontsize=9)
    return axis


def percent(axis: Axes) -> None:
    """Shares as percentages on both axes; the sign itself stands in the axes' names."""
    from matplotlib.ticker import PercentFormatter

    for ticks in (axis.xaxis, axis.yaxis):
        ticks.set_major_formatter(PercentFormatter(1, decimals=0, symbol=""))


def dates(axis: Axes) -> None:
    """A few dates, as year or year and month."""
    from matplotlib import dates as of_matplotlib
    from matplotlib.ticker import FuncFormatter

    untyped: Any = of_matplotlib

    def told(day: float, _: object) -> str:
        date = untyped.num2date(day)
        return f"{date:%Y}" if (date.month, date.day) == (1, 1) else f"{date:%Y-%m}"

    axis.xaxis.set_major_locator(untyped.AutoDateLocator(minticks=2, maxticks=5))
    axis.xaxis.set_major_formatter(FuncFormatter(told))
