"""Small histories of places for tests: from a few lists, or drawn by hypothesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd
from hypothesis import strategies as st

from ratinglab.history import History, Parsed, assemble

NAMES = tuple(f"Player {chr(65 + i)}" for i in range(12))


@dataclass(frozen=True)
class Placed:
    """An event by its places: name to place (None: entered and unranked), N and rounds by its header (None: untold)."""

    places: Mapping[str, int | None]
    of: int | None
    rounds: int | None = 3
    date: str | None = "2010-05-01"
    championship: str | None = None
    nations: Mapping[str, str] = field(default_factory=dict)
    circuits: str | None = None


def history(*events: Placed) -> History:
    """A history of events p1, p2 …, each with placings alone."""
    rows, placings = [], []
    for i, event in enumerate(events, 1):
        rows.append({
            "event": f"p{i}", "name": f"Con {i}", "date": pd.Timestamp(event.date) if event.date else pd.NaT,
            "rounds": event.rounds, "players": event.of, "championship": event.championship, "kind": "placings",
            "circuits": event.circuits,
        })  # fmt: skip
        placings += [
            {"event": f"p{i}", "player": name, "place": place, "of": event.of, "nationality": event.nations.get(name)}
            for name, place in event.places.items()
        ]
    table = pd.DataFrame(placings, columns=["event", "player", "nationality", "place", "of"])
    events_table = pd.DataFrame(rows).astype({"rounds": "Int64", "players": "Int64"})
    return assemble([Parsed({"events": events_table, "placings": table})])


def shared_places(order: Sequence[Sequence[str]]) -> dict[str, int | None]:
    """Places of groups that tie, best first: each group shares the best place of its places."""
    places: dict[str, int | None] = {}
    for group in order:
        places |= dict.fromkeys(group, len(places) + 1)
    return places


@st.composite
def placed(draw: st.DrawFn, *, known: bool = True, date: st.SearchStrategy[str] | None = None) -> Placed:
    """An event with ties, gaps, unranked entrants; with `known`, N and rounds are told."""
    field_of = list(draw(st.permutations(NAMES)))[: draw(st.integers(1, len(NAMES)))]
    groups: list[list[str]] = []
    for name in field_of:
        if groups and draw(st.integers(0, 4)) == 0:
            groups[-1].append(name)
        else:
            groups.append([name])
    places = shared_places(groups)
    for name in field_of:
        what = draw(st.integers(0, 9))
        if what == 0:
            places[name] = None
        elif what == 1 and len(places) > 1:
            del places[name]
    of, rounds = st.integers(len(field_of), 120), st.integers(1, 6)
    dates = st.dates(pd.Timestamp("1996-01-01").date(), pd.Timestamp("2016-12-31").date()).map(str)
    return Placed(
        places,
        draw(of if known else st.one_of(st.none(), of)),
        draw(rounds if known else st.one_of(st.none(), rounds)),
        draw(date or dates),
        draw(st.sampled_from([None, None, "World", "WDC;DipCon", "European", "yes"])),
    )
