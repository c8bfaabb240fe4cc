"""A seeding from beginning to end: which rating counts, the order, the first round, and what all of it rests on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from ratinglab import schema
from ratinglab.problems import UsageError, problems_table
from ratinglab.replaying import Progress, Replay, replay
from ratinglab.seeding.choice import CHOICES, REPLAY, UNRATED, Rule, choices, ratings_of
from ratinglab.seeding.drawing import Drawn, first_round
from ratinglab.seeding.elsewhere import Converted, converted
from ratinglab.seeding.seeding import seed as in_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ratinglab.history import History, Source
    from ratinglab.pairing import Pairing
    from ratinglab.privacy import Protected
    from ratinglab.seeding.entry_lists import Entered
    from ratinglab.systems.base import System


class Seeded(NamedTuple):
    """One section: its seeding and its first round."""

    section: str
    table: pd.DataFrame
    drawn: Drawn


class Member(NamedTuple):
    """A member of a team and the rating that was taken; the name is empty where it is not to be told."""

    name: str
    rating: float
    deviation: float


@dataclass(frozen=True)
class Seeding:
    """A seeding as it is published, all of it made from the results before the event.

    event, name, date, end_date, place: of what is seeded. sections: each with its table and draw. choices: a row for
    each rating of each person (columns as the file has them). rests: the events, `counts` 1 for those that the ratings
    rest on and 0 for those known whose results are awaited. teams, schools: whether there are any. example: a team of
    two by which the team formula can be told (or one of one), and its seed. problems: what is odd in the entries.
    converted: how ratings of those rated elsewhere only were brought to this scale. protected: how people are
    protected, None in a set for the committee; says: the same in sentences. hidden: how many rows of people are not in
    the tables for that. people: how many are seeded; kinds: how many at a rating of each kind. sources: the files that
    all of it was made from.
    """

    event: str
    name: str
    date: pd.Timestamp
    end_date: pd.Timestamp
    place: str
    pool: str
    system: System
    rule: Rule
    sections: tuple[Seeded, ...]
    choices: pd.DataFrame
    rests: pd.DataFrame
    teams: bool
    schools: bool
    pupils: bool
    example: tuple[int, tuple[Member, ...]] | None
    replayed: bool
    seed: int
    until: str | None
    withdrawn: tuple[str, ...]
    problems: pd.DataFrame
    converted: Converted | None
    says: tuple[str, ...]
    protected: Protected | None
    hidden: int
    people: int
    kinds: pd.Series
    sources: tuple[Source, ...]

    @property
    def public(self) -> bool:
        """Whether it is made for publication, with nobody named who is protected."""
        return self.protected is not None and self.protected.public

    @property
    def has_deviation(self) -> bool:
        """Whether ratings carry a ±."""
        return "deviation" in self.system.state_names

    @property
    def last_rated(self) -> Any:
        """The last day of the events that the ratings rest on; NaT where there are none, or no date is known."""
        return self.rests.loc[self.rests["counts"] == 1, "end_date"].max()

    @property
    def seeding(self) -> pd.DataFrame:
        """The table seeding.csv, with a column for the section where there are several."""
        return self._joined({part.section: part.table for part in self.sections})

    @property
    def draw(self) -> pd.DataFrame:
        """The table draw.csv, with a column for the section where there are several."""
        return self._joined({part.section: part.drawn.draw for part in self.sections})

    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table by the name of its file; choices and problems only where there are any that may be shown."""
        made = {"seeding.csv": self.seeding, "draw.csv": self.draw, "events.csv": self.rests}
        some = {"choices.csv": self.choices, "problems.csv": self.problems}
        return made | {name: table for name, table in some.items() if len(table)}

    def _joined(self, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
        parts = [table.assign(section=section) for section, table in tables.items()]
        joined = pd.concat(parts, ignore_index=True)
        rest = [column for column in joined.columns if column != "section"]
        return joined[["section", *rest] if len(tables) > 1 else rest]


def make_seeding(
    entered: Entered,
    system: System,
    *,
    rule: Rule | None = None,
    pairing: Pairing | None = None,
    schools_apart: bool = True,
    section: str | None = None,
    seed: int = 0,
    start: str = "filed",
    replayed: Replay | None = None,
    convert: str | None = None,
    protected: Protected | None = None,
    progress: Progress | None = None,
) -> Seeding:
    """Seed an entered event (`entry_lists.entered`) by a rating system, and draw its first round.

    `rule` chooses between ratings (by default the replay where there are results, else the local one); `convert`
    (national:local, national:replay) brings the ratings of those rated elsewhere only to the committee's scale.
    `pairing` is that of the first round (Nssc). `replayed` is a replay of the same history that was made before.
    `protected` are the people whose names are not to be seen, and the history under the names that may be; lots are
    drawn by the true ones, so that both sets agree.
    Raises `UsageError` for a system that looks back, and a section that is not there.
    """
    public = protected is not None and protected.public
    history = protected.history if protected is not None and public else entered.history
    event = entered.event
    if system.looks_back:
        raise UsageError(f"{system.name} knows the results of the whole history: nothing can be seeded by it")
    if len(history.entries) != len(entered.history.entries):
        raise ValueError("the protected history has other entries than the history that was entered")
    if replayed is None and _has_results(history, system):
        replayed = replay(history, system, start=start, details=convert is not None, progress=progress)
    rule = rule or Rule("local" if replayed is None else REPLAY)
    shown = replace(entered, history=history)
    scale = None if convert is None else converted(shown, convert, replayed, seed=seed)
    found = ratings_of(history, event, entered.beside, replayed, None if scale is None else scale.convert)
    chosen = choices(history, event, found, rule, zero=entered.zero, replayed=replayed is not None)
    standing = _standing_at(history, event, system, chosen, replayed)
    drawn = entered.drawn(seed, history)
    entries = history.entries[history.entries["event"] == event]
    facts = history.events[history.events["event"] == event].iloc[0]
    rounds = history.section_settings()
    parts = []
    for name in dict.fromkeys(entries["section"]) if section is None else [section]:
        table = in_order(standing, event, section=name, seed=seed, chosen=chosen, drawn=drawn, public=public)
        made = first_round(
            table, pairing, schools_apart=schools_apart, seed=seed, rounds=rounds(event, name).rounds or 1
        )
        parts.append(Seeded(name, table, made))
    chosen_here = chosen[chosen["section"].isin([part.section for part in parts])]
    table, hidden = _choices_table(chosen, entries, parts, protected if public else None)
    rests = _rests(history, event, replayed, entries)
    return Seeding(
        event=event,
        name=event if pd.isna(facts["name"]) else str(facts["name"]),
        date=facts["date"],
        end_date=facts["end_date"],
        place="" if pd.isna(facts["place"]) else str(facts["place"]),
        pool="" if pd.isna(facts["pool"]) else str(facts["pool"]),
        system=system,
        rule=rule,
        sections=tuple(parts),
        choices=table,
        rests=_without_small(rests) if public else rests,
        teams=bool(entries["team"].notna().any()),
        schools=bool(entries["school"].notna().any()),
        pupils=bool(entries[["school", "grade"]].notna().any(axis=None)),
        example=_example(standing, parts[0], protected if public else None),
        replayed=replayed is not None,
        seed=seed,
        until=entered.until,
        withdrawn=() if public else entered.withdrawn,
        problems=problems_table(() if public else entered.problems),
        converted=scale,
        says=() if protected is None else tuple(protected.says),
        protected=protected,
        hidden=hidden,
        people=int(chosen_here["taken"].sum()),
        kinds=taken_kinds(chosen_here),
        sources=history.sources,
    )


def _has_results(history: History, system: System) -> bool:
    table = history.placings if system.rates == "placings" else history.games
    return len(table) > 0


def _standing_at(history: History, event: str, system: System, chosen: pd.DataFrame, replayed: Replay | None) -> Replay:
    """The event alone, everybody at the rating that was taken, as the system starts from a filed one.

    Who was taken from the replay stands exactly as there, also in what else the system keeps of somebody. What a team
    is worth is then the system's to say.
    """
    rows = np.flatnonzero((history.entries["event"] == event).to_numpy())
    alone = history.only(event)
    taken = chosen[chosen["taken"] == 1].sort_values("row")
    from_replay = (taken["kind"] == REPLAY).to_numpy()
    filed: dict[str, Any] = {
        name: pd.Series(np.where(from_replay, np.nan, taken[name].to_numpy()), index=alone.entries.index)
        for name in ("rating", "deviation")
    }
    fresh = replay(replace(alone, entries=alone.entries.assign(**filed)), system, details=False)
    if replayed is None or not from_replay.any():
        return fresh
    at = np.empty(len(replayed.schedule.entry_row), dtype=np.int64)
    at[replayed.schedule.entry_row] = np.arange(len(at))
    own = fresh.schedule.entry_row
    as_replayed = from_replay[own]
    source = replayed.schedule.before_event[at[rows[own[as_replayed]]]]
    before = {}
    for name, values in fresh.before.items():
        mixed = values.copy()
        mixed[as_replayed] = replayed.before[name][source]
        before[name] = mixed
    return replace(fresh, before=before)


def _choices_table(
    chosen: pd.DataFrame, entries: pd.DataFrame, parts: Sequence[Seeded], protected: Protected | None
) -> tuple[pd.DataFrame, int]:
    """The table choices.csv in the order of the seeds, and how many rows of protected people are not in it."""
    unit = entries["team"].fillna(entries["player"]).to_numpy()
    seeds = {
        (part.section, name): at
        for part in parts
        for name, at in zip(part.table["name"], part.table["seed"], strict=True)
    }
    sections = {part.section: i for i, part in enumerate(parts)}
    chosen = chosen[chosen["section"].isin(sections)]
    at = [seeds[section, unit[row]] for section, row in zip(chosen["section"], chosen["row"], strict=True)]
    order = np.lexsort((1 - chosen["taken"], chosen["row"], at, chosen["section"].map(sections)))
    table = chosen.iloc[order].reset_index(drop=True)
    table = table[["section", *CHOICES] if len(sections) > 1 else list(CHOICES)]
    if protected is None:
        return table, 0
    shown: pd.DataFrame = protected.drop(table, "player").reset_index(drop=True)
    return shown, len(table) - len(shown)


def _rests(history: History, event: str, replayed: Replay | None, entries: pd.DataFrame) -> pd.DataFrame:
    """The table events.csv: the events that the ratings rest on, in time order, then those known and awaited."""
    events = history.events
    games = np.zeros(len(events), dtype=np.int64)
    if replayed is not None:
        prepared = replayed.schedule
        if replayed.system.rates == "placings":
            games = np.bincount(prepared.event_of_entry(), prepared.whole.placed, len(events)).astype(np.int64)
        else:
            games = np.bincount(prepared.event_of_game(), minlength=len(events))
    here = set(entries["player"])
    took_part = history.entries[history.entries["player"].isin(here)].groupby("event")["player"].nunique()
    place = list(events["event"]).index(event)
    counts = (games > 0) & (np.arange(len(events)) < place)
    awaited = events["availability"].isin((schema.AWAITED, schema.INCOMPLETE)).to_numpy() & (games == 0)
    table = events[["event", "name", "date", "end_date", "place", "pool", "availability"]].assign(
        games=games,
        entrants_here=events["event"].map(took_part).fillna(0).astype("Int64"),
        counts=counts.astype(np.int64),
        note=events["note"],
    )
    missing = awaited & (events["event"] != event).to_numpy()
    made: pd.DataFrame = pd.concat([table[counts], table[missing & ~counts]], ignore_index=True)
    return made


def _without_small(rests: pd.DataFrame) -> pd.DataFrame:
    """The events without numbers of entrants so small that they could single somebody out."""
    from ratinglab.privacy import FEWEST

    few = (rests["entrants_here"] > 0) & (rests["entrants_here"] < FEWEST)
    return rests.assign(entrants_here=rests["entrants_here"].mask(few))


def _example(standing: Replay, part: Seeded, protected: Protected | None) -> tuple[int, tuple[Member, ...]] | None:
    """A team by which the team formula can be told, and its seed: of two members if there is one; nobody protected."""
    schedule = standing.schedule
    entries = schedule.history.entries.iloc[schedule.entry_row].reset_index(drop=True)
    entries = entries[(entries["section"] == part.section) & entries["team"].notna()]
    if protected is not None:
        shut = entries.loc[~protected.is_open(entries["player"]), "team"]
        entries = entries[~entries["team"].isin(shut)]
    sizes = entries["team"].value_counts()
    seeds = [
        (seed, name) for seed, name in zip(part.table["seed"], part.table["name"], strict=True) if name in sizes.index
    ]
    if not seeds:
        return None
    seed, team = next((one for one in seeds if sizes[one[1]] > 1), seeds[0])
    of = entries[entries["team"] == team]
    deviation = standing.before.get("deviation")
    return int(seed), tuple(
        Member(
            str(name),
            float(standing.before["rating"][at, 0]),
            float("nan") if deviation is None else float(deviation[at, 0]),
        )
        for at, name in zip(of.index.tolist(), of["player"], strict=True)
    )


def taken_kinds(table: pd.DataFrame) -> pd.Series:
    """How many people stand at each kind of rating, the unrated last."""
    counts = table.loc[table["taken"] == 1, "kind"].value_counts()
    return counts.reindex([*(kind for kind in counts.index if kind != UNRATED), *({UNRATED} & set(counts.index))])
