"""The tables of a history: their columns, and what a column holds.

Readers hand over frames with some of these columns; `conform` gives them all of them, each with its type, so that
nothing behind the door asks whether a column is there. The columns `file` and `line` say where a row was read;
they stay inside the program and are never written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# kinds: text (missing allowed), whole (integer, missing allowed), real, day (a date)
TABLES: dict[str, dict[str, str]] = {
    "events": {
        "event": "text", "name": "text", "date": "day", "end_date": "day", "place": "text", "kind": "text",
        "rounds": "whole", "boards": "whole", "players": "whole", "system": "text", "pool": "text",
        "championship": "text", "circuits": "text", "spread_cap": "text", "availability": "text", "note": "text",
        "source": "text",
    },
    # what one section does otherwise than its event; a missing value means as the event
    "divisions": {
        "event": "text", "section": "text", "rounds": "whole", "system": "text", "spread_cap": "text",
    },
    "entries": {
        "event": "text", "section": "text", "number": "whole", "player": "text", "team": "text", "school": "text",
        "grade": "text", "birth_date": "day", "nationality": "text", "rating": "real", "deviation": "real",
        "rating_kind": "text", "as_of": "day", "lifetime_games": "whole", "coach_request": "text",
        "section_override": "text", "override_reason": "text", "withdrawn": "text",
    },
    "games": {
        "event": "text", "section": "text", "round": "whole", "player": "text", "opponent": "text",
        "score": "real", "opponent_score": "real", "result": "real", "first": "whole", "status": "text",
        "rated": "whole",
    },
    "placings": {
        "event": "text", "player": "text", "nationality": "text", "place": "whole", "of": "whole", "score": "real",
    },
    "players": {
        "player": "text", "name": "text", "birth_date": "day", "school": "text", "grade": "text",
        "nationality": "text", "as_of": "day",
    },
    "aliases": {"alias": "text", "player": "text"},
    "rating_lists": {
        "player": "text", "list_date": "day", "rating": "real", "deviation": "real", "kind": "text", "source": "text",
    },
}  # fmt: skip

# Tables whose rows remember the file and line they were read from.
LOCATED = ("events", "divisions", "entries", "games", "placings", "aliases")
ORIGIN = {"file": "text", "line": "whole"}

REQUIRED = {
    "events": ("event",),
    "divisions": ("event", "section"),
    "entries": ("event", "player"),
    "games": ("event", "round", "player"),
    "placings": ("event", "player"),  # without a place: entered, and not ranked
    "players": ("player",),
    "aliases": ("alias", "player"),
    "rating_lists": ("player", "list_date", "rating"),
}

# An entry list may give further ratings of a person in columns of their own, as local_rating and national_as_of: the
# kinds, and what is told of each. They are of no table (`ratinglab.seeding.entry_lists` reads them).
BESIDE_KINDS = ("local", "national")
BESIDE = {"rating": "real", "deviation": "real", "as_of": "day", "source": "text", "games": "whole"}
BESIDE_COLUMNS = {f"{kind}_{column}": (kind, column) for kind in BESIDE_KINDS for column in BESIDE}

SECTION = "main"  # of an event that is not divided
PLAYED, BYE, FORFEIT, UNKNOWN = "played", "bye", "forfeit", "unknown"
STATUSES = (PLAYED, BYE, FORFEIT, UNKNOWN)
RATED, AWAITED, INCOMPLETE = "rated", "awaited", "incomplete"
AVAILABILITY = (RATED, AWAITED, INCOMPLETE)

_DTYPES = {"text": "str", "whole": "Int64", "real": "float64", "day": "datetime64[us]"}


def columns(table: str) -> dict[str, str]:
    """The columns of `table` with their kinds, the origin of a row among them where it is kept."""
    return TABLES[table] | (ORIGIN if table in LOCATED else {})


def conform(table: str, frame: pd.DataFrame | None = None) -> pd.DataFrame:
    """`frame` with exactly the columns of `table`, in order and with their types; without a frame, no rows.

    Values must already be of the column's kind (a reader reports what is not); further columns are dropped.

    >>> list(conform("aliases").columns)
    ['alias', 'player', 'file', 'line']
    """
    import pandas as pd

    index = pd.RangeIndex(0 if frame is None else len(frame))
    made = {}
    for column, kind in columns(table).items():
        dtype = _DTYPES[kind]
        if frame is None or column not in frame.columns:
            made[column] = pd.Series(pd.NaT if kind == "day" else None, index=index, dtype=dtype)
        else:
            values: pd.Series[Any] = frame[column].reset_index(drop=True)
            made[column] = values.astype(dtype)  # type: ignore[call-overload]  # the stubs know literals only
    return pd.DataFrame(made, index=index)
