"""Dates as people write them in event files, read as first and last day.

English month names and ISO; never the clock (a date without a year is unreadable) and never the locale (a date in
figures whose order depends on the country is unreadable too).
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date

EXPECTED = 'a date such as "Oct 18-20, 2024" or 2024-10-18'

_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS = {name[:length]: i for i, name in enumerate(_NAMES, 1) for length in range(3, len(name) + 1)}

_MONTH = r"(?P<{0}month>[a-z]{{3,9}})"
_DAY = r"(?P<{0}day>\d{{1,2}})"
_YEAR = r"(?P<{0}year>\d{{4}})"
_WEEKDAY = re.compile(
    r"\b(?:mon|tue|tues|wed|weds|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?\b\.?,?", re.IGNORECASE
)
_TO = re.compile(r"\s*(?:[-‐‑‒–—―−]+|\b(?:to|until|till|through|thru)\b|&|\band\b)\s*")


def _forms() -> list[re.Pattern[str]]:
    """Every accepted form after tidying: words and figures parted by one space, ranges by a hyphen."""

    def month_first(side: str) -> str:
        return f"{_MONTH} {_DAY}".format(side)

    def day_first(side: str) -> str:
        return f"{_DAY} {_MONTH}".format(side)

    year, optional = f" {_YEAR}", f"(?: {_YEAR})?"
    forms = []
    for day in (month_first, day_first):
        forms.append(day("a") + year.format("b"))
        forms.append(day("a") + optional.format("a") + "-" + day("b") + year.format("b"))
    forms.append(month_first("a") + "-" + _DAY.format("b") + year.format("b"))
    forms.append(_DAY.format("a") + "-" + day_first("b") + year.format("b"))
    return [re.compile(form) for form in forms]


_FORMS = _forms()
# year, month, day: no country writes them in another order once the year comes first
_ISO = re.compile(
    r"(\d{4})(?:-(\d{1,2})-|/(\d{1,2})/|\.(\d{1,2})\.)(\d{1,2})(?:[T ]\d{2}:\d{2}.*)?|(\d{4})(\d{2})(\d{2})"
)
_ISO_DAY = r"(\d{4}([-/.])\d{1,2}\%d\d{1,2})"
_ISO_RANGE = re.compile(_ISO_DAY % 2 + r"\s*(?:/|--|–|—|\bto\b|\s-\s)\s*" + _ISO_DAY % 4)


def span(text: str) -> tuple[date, date] | None:
    """The first and last day that `text` names, or None where it cannot be read.

    A range that crosses New Year with one year written ends in that year.

    >>> span("Dec 29-Jan 1, 2025")
    (datetime.date(2024, 12, 29), datetime.date(2025, 1, 1))
    >>> span("26 April 2025")
    (datetime.date(2025, 4, 26), datetime.date(2025, 4, 26))
    >>> span("2025/04/26")
    (datetime.date(2025, 4, 26), datetime.date(2025, 4, 26))
    >>> span("05/06/2025") is None
    True
    """
    text = unicodedata.normalize("NFKC", text).strip()
    both = _ISO_RANGE.fullmatch(text)
    first, last = (_iso(both[1]), _iso(both[3])) if both else (_iso(text),) * 2
    if first is None or last is None:
        first, last = _written(text)
    if first is None or last is None or first > last:
        return None
    return first, last


def _iso(text: str) -> date | None:
    found = _ISO.fullmatch(text)
    if not found:
        return None
    year, month, day = (part for part in found.groups() if part is not None)
    return _date(int(year), int(month), int(day))


def _written(text: str) -> tuple[date | None, date | None]:
    text = _WEEKDAY.sub(" ", text.casefold())
    text = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text)
    text = re.sub(r"\bof\b|[.,]", " ", text)
    text = _TO.sub("-", " ".join(text.split()))
    for form in _FORMS:
        found = form.fullmatch(text)
        if found:
            break
    else:
        return None, None
    part = found.groupdict()
    months = {side: _MONTHS.get(part[f"{side}month"] or "") for side in "ab" if f"{side}month" in part}
    if None in months.values():
        return None, None
    a_month = months.get("a") or months.get("b") or 0
    b_month = months.get("b") or a_month
    a_day = int(part["aday"])
    b_day = int(part.get("bday") or a_day)
    b_year = int(part["byear"])
    a_year = int(part.get("ayear") or (b_year - 1 if a_month > b_month else b_year))
    return _date(a_year, a_month, a_day), _date(b_year, b_month, b_day)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
