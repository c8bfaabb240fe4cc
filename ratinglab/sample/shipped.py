"""The sample data that ships with the project, as files: every set, and the strengths that went into them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from ratinglab.output import csv_text, write_bytes
from ratinglab.sample import club, diplomacy, examples, open_events, school
from ratinglab.sample.people import Person
from ratinglab.sample.tsh_writer import Event, files

SEED = 2012
"""The seed of the files in `data/`."""


def write(folder: str | Path, seed: int = SEED) -> list[Path]:
    """Write a folder for each set and `true-strengths/` below `folder`; the files written, in order.

    The same seed gives the same bytes. Files that are there already are left alone, but for a `members.csv` of
    another seed in an event that with this one has no children.
    """
    made = contents(seed)
    for path in made:
        members = (Path(path).parent / "members.csv").as_posix()
        if path.endswith("/config.tsh") and members not in made:
            (Path(folder) / members).unlink(missing_ok=True)
    for path, content in made.items():
        write_bytes(content, Path(folder) / path)
    return [Path(folder) / path for path in made]


def contents(seed: int) -> dict[str, bytes]:
    """Every file of the sample by its path."""
    # a stream for each set: a change to one leaves those before it as they are
    school_rng, open_rng, club_rng, diplomacy_rng = (
        np.random.Generator(np.random.PCG64(stream)) for stream in np.random.SeedSequence(seed).spawn(4)
    )
    school_events = school.events(school_rng)
    children = {person: None for event in school_events for person in _people(event)}
    open_circuit = open_events.events(open_rng, list(children))
    made: dict[str, bytes] = {}
    for circuit, events in (("school-circuit", school_events), ("open-circuit", open_circuit)):
        for event in events:
            made |= {f"{circuit}/{path}": content for path, content in files(event).items()}
    made["school-circuit/events.csv"] = csv_text(school.event_table()).encode()
    strengths = {"strengths": _strengths([*school_events, *open_circuit])}
    chess = club.club(club_rng, strengths["strengths"]["player"])
    made |= {f"scholastic-club/{name}.csv": csv_text(table).encode() for name, table in chess.tables.items()}
    strengths["scholastic-club"] = chess.strengths
    boards = diplomacy.circuit(diplomacy_rng, pd.concat([table["player"] for table in strengths.values()]))
    made |= {f"diplomacy/{name}": content for name, content in boards.files.items()}
    strengths["diplomacy"] = boards.strengths
    made |= {f"worked-examples/{name}": content for name, content in examples.files().items()}
    made |= {f"true-strengths/{name}.csv": csv_text(table).encode() for name, table in strengths.items()}
    return made


def _people(event: Event) -> list[Person]:
    return [person for division in event.divisions for line in division.lines for person in line.people]


def _strengths(events: Iterable[Event]) -> pd.DataFrame:
    """The true strength of everybody on the first day of each event entered."""
    rows = {(person.name, event.day): person.strength(event.day) for event in events for person in _people(event)}
    table = [(name, day.isoformat(), strength) for (name, day), strength in sorted(rows.items())]
    return pd.DataFrame(table, columns=["player", "date", "strength"])
