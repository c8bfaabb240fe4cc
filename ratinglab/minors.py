"""Who in a history is, or is taken to be, a minor on a day: by birth date, else by grade, else by the kind of event.

Where less is known somebody is rather protected than not. What follows from it is `ratinglab.privacy`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ratinglab.entrants import grades

if TYPE_CHECKING:
    from ratinglab.history import History

POOLS = ("school", "scholastic", "youth", "junior")
_STARTS = 5  # the age of a child in kindergarten (grade 0): grade and 5 is the least that somebody is likely to be
_BEFORE_SCHOOL = re.compile(r"(?:pk|pre-?\s?k(?:indergarten)?|preschool|nursery)", re.IGNORECASE)
_YEAR = 365.25
_SAID = ("name", "event", "pool", "championship", "circuits", "kind")


def last_day(history: History) -> pd.Timestamp | None:
    """The day up to which a history tells: the end of its last event; None where no event has a date."""
    day = history.events["end_date"].fillna(history.events["date"]).max()
    return None if pd.isna(day) else day


def school_events(history: History, pools: Sequence[str] = POOLS) -> frozenset[str]:
    """The events of pupils.

    Those are events whose id, name, pool, championship or circuits have one of these words (also in the plural), that
    are rated by evanston, or of whose people more than half have a school or a grade.
    """
    events, entries = history.events, history.entries
    words = {word.casefold() for word in pools}
    texts = (events[column].fillna("") for column in _SAID)
    found = {
        event
        for event, system, *told in zip(events["event"], events["system"], *texts, strict=True)
        if _words(" ".join(told)) & words or str(system).casefold().partition(":")[0].strip() == "evanston"
    }
    pupil = entries["school"].notna() | ~np.isnan(_grades(entries["grade"]))
    share = pupil.groupby(entries["event"]).mean()
    return frozenset(found | set(share.index[share > 0.5]))


def _words(text: str) -> set[str]:
    found = re.findall(r"[^\W\d_]+", text.casefold())
    return {*found, *(word.removesuffix("s") for word in found)}


def _grades(written: pd.Series) -> np.ndarray:
    """School grades as numbers, K 0, before school -1; nan for what is none of K to 12."""
    number = grades(written)
    number = np.where(written.str.strip().str.fullmatch(_BEFORE_SCHOOL).fillna(False), -1.0, number)
    return np.where(number > 12, np.nan, number)


def minors(history: History, on: pd.Timestamp | None, adult: int = 18, pools: Sequence[str] = POOLS) -> pd.Series:
    """Everybody who is taken to be younger than `adult` on the day `on`, with the reason, by name.

    1. Whose birth date is known is a minor up to the birthday; of several dates the latest counts. Nothing else does.
    2. Else by the grade in an entry or in the table of players: somebody in grade g is taken to be g + 5 years old
       then, and a year older every year. Of several grades the one that makes the youngest counts.
    3. Else whoever took part in an event of pupils (`school_events`), or was entered with a school, within the years
       in which a child of 5 becomes `adult`; and whoever did so on a day that is not known.

    Without a day (`on` None) everybody counts of whom a birth date or a grade is known, and rule 3.
    """
    entries, players = history.entries, history.players
    facts = history.events.drop_duplicates("event").set_index("event")
    day = entries["event"].map(facts["end_date"].fillna(facts["date"]))
    told = pd.concat(
        [
            entries[["player", "birth_date", "grade", "school"]].assign(
                day=day, pupils=entries["event"].isin(school_events(history, pools))
            ),
            players[["player", "birth_date", "grade", "school"]].assign(day=players["as_of"], pupils=False),
        ],
        ignore_index=True,
    ).dropna(subset="player")
    years = np.inf if on is None else (on - told["day"]).dt.days.to_numpy(dtype=float) / _YEAR
    # what is said of an unknown day is as if said today, and so is what is said of a day to come
    years = np.where(np.isfinite(years), np.maximum(years, 0.0), 0.0)
    told = told.assign(
        least=_grades(told["grade"]) + _STARTS + np.floor(years + 1 / _YEAR),
        lately=(told["pupils"] | told["school"].notna()) & (years <= adult - _STARTS),
    )
    by = told.groupby("player", sort=False)
    known = pd.DataFrame({"born": by["birth_date"].max(), "least": by["least"].min(), "lately": by["lately"].any()})
    born, grade = known["born"].notna(), known["least"].notna()
    of_age = pd.Series(False, index=known.index)
    if on is not None:
        # by calendar: the birthday itself makes somebody of age
        of_age = known["born"].map(lambda date: pd.notna(date) and date + pd.DateOffset(years=adult) <= on).astype(bool)
    reason = pd.Series(None, index=known.index, dtype="str")
    reason = reason.mask(~born & ~grade & known["lately"], "took part in an event of pupils, age not known")
    reason = reason.mask(~born & grade & ((known["least"] <= adult) | (on is None)), "school grade")
    reason = reason.mask(born & ~of_age, "birth date")
    return reason.dropna()
