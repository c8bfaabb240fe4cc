"""What is wrong with placings: places that cannot be among so many players, or cannot be with so many before them.

Players who tie share the best place and the next ones are skipped. A place that nobody has is legal: rankings leave
entrants out. It is told only where everybody is listed, so that nobody can have it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from ratinglab.formats.common import on_lines
from ratinglab.history import History
from ratinglab.problems import ERROR, WARNING, Problem, at_row


def check(history: History) -> Iterator[Problem]:
    """The problems of the placings, event by event; nobody is in an event's placings twice (`history.assemble`)."""
    events = history.events.drop_duplicates("event").set_index("event")["players"]
    for event, rows in history.placings.groupby("event", sort=False):
        yield from _number(str(event), rows, events.get(event, pd.NA))
        yield from _bounds(str(event), rows)
        yield from _order(str(event), rows)
    yield from _same_events(history)


def _rows(table: pd.DataFrame) -> Iterator[Any]:
    yield from table.itertuples()


def _number(event: str, rows: pd.DataFrame, players: Any) -> Iterator[Problem]:
    """One number of players for an event, and no more rows than players."""
    first = next(_rows(rows))
    if rows["place"].isna().all():
        yield at_row(first, WARNING, f"a place of somebody in {event}", "none")
    if rows["of"].isna().any():
        row = next(_rows(rows[rows["of"].isna()]))
        expected = f"the number of players of {event} (players in events.csv)"
        yield at_row(row, WARNING, expected, "none; its places are not rated")
    numbers = [*dict.fromkeys(number for number in [players, *rows["of"]] if not pd.isna(number))]
    if len(numbers) > 1:
        odd = next(_rows(rows[rows["of"].ne(numbers[0])]))
        yield at_row(odd, ERROR, f"one number of players in {event}", " and ".join(map(str, numbers[:2])))
    elif numbers and len(rows) > int(numbers[0]):
        yield at_row(first, ERROR, f"at most {numbers[0]} players in the placings of {event}", str(len(rows)))


def _bounds(event: str, rows: pd.DataFrame) -> Iterator[Problem]:
    for row in _rows(rows[((rows["place"] < 1) | (rows["place"] > rows["of"])).fillna(False)]):
        of = "" if pd.isna(row.of) else f" to {row.of}"
        yield at_row(row, ERROR, f"a place from 1{of} in {event}", f"{row.place} of {row.player!r}")


def _order(event: str, rows: pd.DataFrame) -> Iterator[Problem]:
    """Places against the number of players before them; a shift goes on to the end, so it is told once."""
    ranked = rows[rows["place"].notna()]
    place = ranked["place"].astype("int64")
    due = place.rank(method="min").astype("int64")
    early = ranked.assign(due=due)[place < due]
    if len(early):
        row = next(_rows(early))
        others = early["line"].iloc[1:].dropna()
        more = f" (and more on {on_lines(others)})" if len(others) else ""
        expected = f"place {row.due} or later in {event} with {row.due - 1} players placed before"
        yield at_row(row, WARNING, expected, f"{row.place} of {row.player!r}{more}")
    listed = rows["of"].max()
    late = ranked.assign(due=due)[place > due]
    if len(late) and pd.notna(listed) and len(ranked) >= listed:
        row = next(_rows(late.sort_values("place", kind="stable")))
        expected = f"place {row.due} in {event}, where each of the {listed} players has a place"
        yield at_row(row, WARNING, expected, f"{row.place} of {row.player!r} as the next one")


def _same_events(history: History) -> Iterator[Problem]:
    """Events that are one event read twice, say from two copies of a page: their placings would count twice."""
    placings = history.placings
    marks = pd.util.hash_pandas_object(placings[["player", "place"]], index=False).groupby(placings["event"]).sum()
    events = history.events.assign(mark=history.events["event"].map(marks)).dropna(subset="mark")
    for _, same in events.groupby("mark", sort=False):
        rows = [*_rows(same)]
        for i, row in enumerate(rows):
            for first in rows[:i]:
                if pd.isna(row.date) or pd.isna(first.date) or row.date == first.date:
                    found = f"{row.event}, with the placings of {first.event} in {first.file}"
                    yield at_row(row, WARNING, "each event once", found)
                    break
