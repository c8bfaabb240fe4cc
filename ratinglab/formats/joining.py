"""What several readers made, put side by side: one id for one event, descriptions joined to what they describe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from ratinglab import schema
from ratinglab.history import Parsed
from ratinglab.problems import WARNING, Problem

# Tables that make an event more than a description
_CONTENT = ("entries", "games", "placings")
_OWN = ("event", "source", "file", "line")


def side_by_side(parts: Sequence[tuple[str, Parsed]]) -> list[Parsed]:
    """The parts, each with the folder that tells its events apart, so that no two events have one id.

    A row of events without entries, games or placings of its own describes an event read elsewhere, if there is
    one with its id: its columns are added to that event.
    """
    described: dict[str, pd.Series] = {}
    with_content = [_with_content(part) for _, part in parts]
    held = set().union(*with_content)
    trimmed = []
    for (where, part), content in zip(parts, with_content, strict=True):
        events = part.tables.get("events")
        if events is not None:
            elsewhere = events["event"].isin(held - content)
            for _, row in events[elsewhere].iterrows():
                described.setdefault(row["event"], row)
            part = replace(part, tables={**part.tables, "events": events[~elsewhere].reset_index(drop=True)})
        trimmed.append((where, part))
    made = []
    first: dict[str, str] = {}
    for where, part in trimmed:
        part = _described(part, described, set(first))
        made.append(_distinct(part, where, first))
    return made


def _with_content(part: Parsed) -> set[str]:
    return {event for name in _CONTENT if name in part.tables for event in part.tables[name]["event"].unique()}


def _described(part: Parsed, described: dict[str, pd.Series], done: set[str]) -> Parsed:
    """The part, what is described of its events added; of two events with one id the first is meant."""
    events = part.tables.get("events")
    if events is None or not described or not events["event"].isin(set(described) - done).any():
        return part
    rows = []
    for _, row in events.iterrows():
        extra = described.get(row["event"]) if row["event"] not in done else None
        if extra is not None:
            row = row.where(extra.isna() | extra.index.isin(_OWN), extra)
            if pd.isna(extra["end_date"]) and pd.notna(extra["date"]):
                row = row.mask(row.index == "end_date", None)  # the old end may lie before the new date
        rows.append(row)
    joined = pd.DataFrame(rows, columns=events.columns).reset_index(drop=True)
    return replace(part, tables={**part.tables, "events": schema.conform("events", joined)})


def _distinct(part: Parsed, where: str, first: dict[str, str]) -> Parsed:
    """The part under ids that are not in `first` (id to file) yet; they are added to it."""
    events = part.tables.get("events")
    if events is None:
        return part
    renamed = {}
    problems = []
    for event, file in zip(events["event"], events["file"], strict=True):
        new = event
        if event in first:
            new = f"{where}/{event}"
            count = 2
            while new in first:
                new, count = f"{where}/{event} ({count})", count + 1
            renamed[event] = new
            found = f"another in {first[event]}; this one is kept as {new}"
            problems.append(Problem(str(file), 0, 0, WARNING, f"one event with the id {event}", found))
        first[new] = str(file)
    if not renamed:
        return part
    tables = {
        name: table.assign(event=table["event"].replace(renamed)) if "event" in table.columns else table
        for name, table in part.tables.items()
    }
    return Parsed(tables, (*part.problems, *problems), part.sources)


def completed(events: pd.DataFrame, entries: pd.DataFrame, games: pd.DataFrame, placings: pd.DataFrame) -> pd.DataFrame:
    """The events with kind and availability where no file says.

    Of kind placings is an event with placings and no games. Awaited without a rated game or placing, incomplete with
    a game that is not known yet, else rated; an entry list and no more is an event not played yet, of which none of
    these is true.
    """
    placed = set(placings.loc[placings["place"].notna(), "event"].unique())
    played = set(games["event"].unique())
    rated = set(games.loc[games["rated"].eq(1), "event"].unique()) | placed
    unknown = set(games.loc[games["status"].eq(schema.UNKNOWN), "event"].unique())
    unplayed = set(entries["event"].unique()) - played - placed

    def availability(event: str) -> str | None:
        if event in rated:
            return schema.INCOMPLETE if event in unknown else schema.RATED
        return None if event in unplayed else schema.AWAITED

    derived = [availability(event) for event in events["event"]]
    by_place = set(placings["event"].unique()) - played
    kinds = ["placings" if event in by_place else "games" for event in events["event"]]
    return events.assign(
        kind=events["kind"].fillna(pd.Series(kinds, index=events.index, dtype="str")),
        availability=events["availability"].fillna(pd.Series(derived, index=events.index, dtype="str")),
    )


def counted(events: pd.DataFrame, placings: pd.DataFrame) -> pd.DataFrame:
    """The placings with `of` where a row has none: the event's players, or what its other rows say.

    The rows are never counted for it: a ranking may leave entrants out.
    """
    if not placings["of"].isna().any():
        return placings
    header = placings["event"].map(events.drop_duplicates("event").set_index("event")["players"]).astype("Int64")
    others = placings.groupby("event", sort=False)["of"].transform("max")
    return placings.assign(of=placings["of"].fillna(header).fillna(others))
