"""Dates as event files write them."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratinglab.dates import span


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Oct 18-20, 2024", (2024, 10, 18), (2024, 10, 20)),
        ("Dec 29-Jan 1, 2025", (2024, 12, 29), (2025, 1, 1)),
        ("Dec 29, 2024 - Jan 1, 2025", (2024, 12, 29), (2025, 1, 1)),
        ("February 28-March 2, 2025", (2025, 2, 28), (2025, 3, 2)),
        ("July 4, 2024", (2024, 7, 4), (2024, 7, 4)),
        ("2025-04-26", (2025, 4, 26), (2025, 4, 26)),
        ("2025-04-26/2025-04-27", (2025, 4, 26), (2025, 4, 27)),
        ("2025-04-26 to 2025-04-27", (2025, 4, 26), (2025, 4, 27)),
        ("2025/04/26", (2025, 4, 26), (2025, 4, 26)),
        ("2025.4.26", (2025, 4, 26), (2025, 4, 26)),
        ("2025/04/26 - 2025/04/27", (2025, 4, 26), (2025, 4, 27)),
        ("2025-04-26 09:30", (2025, 4, 26), (2025, 4, 26)),
        ("26 April 2025", (2025, 4, 26), (2025, 4, 26)),
        ("26-27 April 2025", (2025, 4, 26), (2025, 4, 27)),
        ("30 Dec - 2 Jan 2025", (2024, 12, 30), (2025, 1, 2)),
        ("Sept. 1st – 3rd, 2023", (2023, 9, 1), (2023, 9, 3)),
        ("  SAT,  may 3 ,2025 ", (2025, 5, 3), (2025, 5, 3)),
        ("April 26 & 27, 2025", (2025, 4, 26), (2025, 4, 27)),
    ],
)
def test_reads(text, first, last):
    assert span(text) == (date(*first), date(*last))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "July 4",
        "05/06/2025",
        "Feb 30, 2025",
        "March 5-3, 2025",
        "Mars 3, 2025",
        "2025-13-01",
        "2025",
        "Ma 3, 2025",
    ],
)
def test_does_not_guess(text):
    assert span(text) is None


days = st.dates(date(1900, 1, 1), date(2199, 12, 31))


@given(days)
def test_every_day_reads_back_in_every_shape(day):
    month = day.strftime("%B")
    for text in (day.isoformat(), f"{month} {day.day}, {day.year}", f"{day.day} {month[:3]}. {day.year}"):
        assert span(text) == (day, day)


@given(days, st.integers(1, 200))
def test_a_range_with_one_year_reads_back(first, length):
    last = first + timedelta(days=length)
    text = f"{first:%b} {first.day}-{last:%b} {last.day}, {last.year}"
    assert span(text) == (first, last)


@given(st.text())
def test_any_text_is_read_or_refused(text):
    found = span(text)
    assert found is None or found[0] <= found[1]
