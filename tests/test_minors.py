"""Who is taken to be a minor: by birth date, by grade, by the kind of event."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from ratinglab import load
from ratinglab.history import History, Parsed, assemble
from ratinglab.minors import last_day, minors, school_events
from ratinglab.paths import sample_data

DAY = pd.Timestamp("2012-05-13")
OPEN = {"event": "grand", "date": pd.Timestamp("2012-05-12"), "end_date": DAY}


def told(event: dict[str, Any] | None = None, *, adult: int = 18, on: Any = DAY, **entry: Any) -> str | None:
    """Why Ada is taken to be a minor, if she is, by one entry in one event."""
    history = one(event or OPEN, **entry)
    return minors(history, on, adult).get("Ada Zorn")


def one(event: dict[str, Any], **entry: Any) -> History:
    entries = [{"event": event["event"], "player": "Ada Zorn", **entry}]
    entries += [{"event": event["event"], "player": name} for name in ("Bo Yarrow", "Cy Xu")]
    return assemble([Parsed({"events": pd.DataFrame([event]), "entries": pd.DataFrame(entries)})])


@pytest.mark.parametrize(
    ("born", "adult", "minor"),
    [
        ("1994-05-14", 18, True),  # the day before the birthday
        ("1994-05-13", 18, False),  # the birthday itself
        ("1994-05-14", 16, False),
        ("1992-02-29", 21, True),
        ("1960-01-01", 18, False),
    ],
)
def test_a_birth_date_decides_to_the_day(born: str, adult: int, minor: bool) -> None:
    assert told(adult=adult, birth_date=pd.Timestamp(born)) == ("birth date" if minor else None)


def test_born_on_a_leap_day_is_of_age_in_time() -> None:
    born = pd.Timestamp("1992-02-29")
    assert told(on=pd.Timestamp("2010-02-27"), birth_date=born) == "birth date"
    assert told(on=pd.Timestamp("2010-03-01"), birth_date=born) is None


def test_of_age_by_birth_date_is_open_whatever_else_is_told() -> None:
    event = OPEN | {"pool": "school", "system": "evanston"}
    assert told(event, birth_date=pd.Timestamp("1990-01-01"), grade="5", school="Alder Falls") is None


@pytest.mark.parametrize(
    ("grade", "entered", "minor"),
    [
        ("5", "2012-05-12", True),
        ("K", "2012-05-12", True),
        ("Pre-K", "2012-05-12", True),
        ("12", "2012-05-12", True),
        ("12", "2011-05-12", True),  # 12 and a year: may be 18 still
        ("12", "2010-05-12", False),
        ("5", "2001-05-12", False),  # grade 5 and 11 years
        ("5", "2004-05-12", True),
        ("5", "2003-05-12", False),
        ("13", "2012-05-12", False),
        ("adult", "2012-05-12", False),
    ],
)
def test_a_grade_is_counted_on_from_the_day_it_was_told(grade: str, entered: str, minor: bool) -> None:
    """Grade g stands for an age of g + 5: of age when grade and years come to more than 13."""
    day = pd.Timestamp(entered)
    assert told({"event": "grand", "date": day, "end_date": day}, grade=grade) == ("school grade" if minor else None)


def test_of_two_grades_the_one_that_makes_the_youngest_counts() -> None:
    events = pd.DataFrame([{"event": f"e{year}", "date": pd.Timestamp(f"{year}-05-01")} for year in (2000, 2012)])
    entries = [{"event": "e2000", "player": "Ada", "grade": "4"}, {"event": "e2012", "player": "Ada", "grade": "8"}]
    assert minors(assemble([Parsed({"events": events, "entries": pd.DataFrame(entries)})]), DAY)["Ada"]


@pytest.mark.parametrize(
    "more",
    [
        {"pool": "school"},
        {"pool": "Scholastic"},
        {"pool": "US Juniors"},
        {"system": "evanston"},
        {"championship": "School Championship"},
        {"name": "Texas School SCRABBLE Championship"},
    ],
)
def test_who_is_in_an_event_of_pupils_is_protected_where_no_age_is_known(more: dict[str, str]) -> None:
    assert told(OPEN | more) == "took part in an event of pupils, age not known"


@pytest.mark.parametrize("more", [{"name": "Preschooler's Arms Open"}, {"pool": "open"}, {"system": "naspa-csw"}])
def test_other_events_protect_nobody(more: dict[str, str]) -> None:
    assert told(OPEN | more) is None


def test_an_event_of_people_with_schools_is_one_of_pupils() -> None:
    entries = [{"event": "e", "player": name, "school": school} for name, school in
               (("Ada", "Alder"), ("Bo", "Birch"), ("Cy", None))]  # fmt: skip
    history = assemble([Parsed({"events": pd.DataFrame([{"event": "e"}]), "entries": pd.DataFrame(entries)})])
    assert school_events(history) == {"e"}
    assert set(minors(history, DAY).index) == {"Ada", "Bo", "Cy"}


def test_a_school_alone_protects_its_pupil_and_nobody_else() -> None:
    history = one(OPEN, school="Alder Falls")
    assert list(minors(history, DAY).index) == ["Ada Zorn"]


def test_an_event_of_pupils_is_forgotten_when_its_youngest_has_grown_up() -> None:
    event = {"event": "nssc", "date": DAY, "pool": "school"}
    assert told(event, on=pd.Timestamp("2025-05-01")) is not None
    assert told(event, on=pd.Timestamp("2025-06-01")) is None
    assert told({"event": "nssc", "pool": "school"}) is not None  # on a day that is not known


def test_without_any_day_everybody_counts_who_may_be_a_minor() -> None:
    history = one({"event": "grand"}, birth_date=pd.Timestamp("1950-01-01"))
    assert last_day(history) is None
    assert list(minors(history, None).index) == ["Ada Zorn"]


def test_the_minor_of_one_event_is_one_in_all() -> None:
    events = pd.DataFrame([{"event": "club", "date": DAY, "pool": "youth"}, OPEN])
    entries = [{"event": "club", "player": "Ada"}, {"event": "grand", "player": "Ada"}]
    found = minors(assemble([Parsed({"events": events, "entries": pd.DataFrame(entries)})]), DAY)
    assert list(found.index) == ["Ada"]


def test_the_sample_circuits_by_their_birth_dates() -> None:
    """Worked out from the birth dates alone, which every child of the two circuits has."""
    history = load(*(path for path in sample_data() if "circuit" in str(path)))
    day = history.events["end_date"].max()
    born = history.entries.dropna(subset="birth_date").groupby("player")["birth_date"].first()
    young = {
        name for name, date in born.items() if (date.year + 18, date.month, date.day) > (day.year, day.month, day.day)
    }
    assert set(minors(history, day).index) == young
    assert 100 < len(young) < history.entries["player"].nunique()
