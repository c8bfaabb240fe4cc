"""What is odd in an entry list, each case named where it stands; what can be seeded all the same is kept.

An error is what contradicts itself, a warning what should be looked at. Nobody is left out but a person who is entered
twice in one team.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from ratinglab import names
from ratinglab.formats.common import Faults, trim
from ratinglab.problems import ERROR, WARNING, Problem, at_row

if TYPE_CHECKING:
    from ratinglab.history import History

LOWEST, HIGHEST = -1000, 4000  # no list goes beyond these
MOST_UNSURE = 1000  # nor any deviation
TEAM = 2  # members of a team, by the source
CODE = 3  # letters of a school's name that is a code
_UNNAMED = re.compile(r"/\d+$")


def one_spelling_each(entries: pd.DataFrame, faults: Faults) -> pd.DataFrame:
    """The entries of a sheet with each team spelled as at first, whatever the spaces and the case; told where not."""
    first: dict[str, str] = {}
    teams: list[str | None] = []
    for line, team in zip(entries["line"], entries["team"], strict=True):
        if pd.isna(team):
            teams.append(None)
            continue
        plain = " ".join(str(team).split())
        spelled = first.setdefault(plain.casefold(), plain)
        if spelled != plain:
            faults.warning(int(line), f"one spelling of the team {spelled}", f"{plain}; taken for the same team")
        teams.append(spelled)
    return entries.assign(team=pd.Series(teams, index=entries.index, dtype="str"))


def one_row_each(entries: pd.DataFrame, faults: Faults) -> pd.DataFrame:
    """The entries of a sheet with nobody twice in a section.

    Who is entered twice alike is entered once. Of one name in two schools, or in two teams, the later row is kept under
    a name of its own, without a history: it is somebody else, or cannot play.
    """
    seen: dict[tuple[str, str], Any] = {}
    called, kept = [], []
    for row in _rows(entries):
        place: Any = (row.section, names.key(str(row.player)))
        before = seen.setdefault(place, row)
        name = names.tidy(str(row.player))
        twice = before is not row
        same_team = (pd.isna(row.team) and pd.isna(before.team)) or row.team == before.team
        schools_differ = pd.notna(row.school) and pd.notna(before.school) and _fold(row.school) != _fold(before.school)
        line = int(row.line)
        if twice and schools_differ:
            name = f"{name} ({row.school})"
            found = f"{row.player} of {row.school}, and of {before.school} on line {before.line}; the later is {name}"
            faults.warning(line, "one person of one name", f"{found}, taken as somebody else without a history")
        elif twice and same_team:
            faults.warning(line, "each person once", f"{row.player} again, after line {before.line}; left out")
        elif twice:
            own = row.team if pd.notna(row.team) else "alone"
            name = f"{name} ({own})"
            other = f"in team {before.team}" if pd.notna(before.team) else "alone"
            here = f"in team {row.team}" if pd.notna(row.team) else "alone"
            found = f"{row.player} {here}, and {other} on line {before.line}; the later is kept as {name}"
            faults.error(line, "one team for each player", f"{found}, without a history")
        called.append(name)
        kept.append(not (twice and same_team and not schools_differ))
    return entries.assign(player=pd.Series(called, index=entries.index, dtype="str"))[kept].reset_index(drop=True)


def without_odd_ratings(
    history: History, event: str, beside: pd.DataFrame
) -> tuple[History, pd.DataFrame, list[Problem]]:
    """The history and the ratings `beside` its entries without those that cannot be, and all that is odd in the event.

    A rating that cannot be is out of any scale, or of a day after the event's first.
    """
    mine = history.entries["event"] == event
    day = history.events.loc[history.events["event"] == event, "date"].iloc[0]
    problems = list(_odd(history, event))
    entries = history.entries
    bad, found = _bad(entries[mine], day, "rating")
    problems += found
    rows = entries.loc[beside["row"]].assign(
        **{name: beside[name].to_numpy() for name in ("kind", "rating", "deviation", "as_of")}
    )
    bad_beside, found = _bad(rows, day, "")
    problems += found
    gone = pd.Series(data=False, index=entries.index)
    gone[entries.index[mine][bad]] = True
    cleared: dict[str, Any] = {name: entries[name].mask(gone) for name in ("rating", "deviation", "as_of")}
    return replace(history, entries=entries.assign(**cleared)), beside[[not one for one in bad_beside]], problems


def _bad(rows: pd.DataFrame, day: Any, column: str) -> tuple[list[bool], list[Problem]]:
    """Which of these rows' ratings cannot be, and why; without a column's name the row's `kind` says whose it is."""
    bad, problems = [], []
    for one in _rows(rows):
        name = column or f"{one.kind}_rating"
        expected = found = ""
        if pd.notna(one.rating) and not LOWEST <= one.rating <= HIGHEST:
            expected, found = f"{name}: a number from {LOWEST} to {HIGHEST}", trim(one.rating)
        elif pd.notna(one.rating) and pd.notna(one.deviation) and not 0 < one.deviation <= MOST_UNSURE:
            expected, found = f"the deviation of {name}: above 0, at most {MOST_UNSURE}", trim(one.deviation)
        elif pd.notna(one.rating) and pd.notna(one.as_of) and pd.notna(day) and one.as_of > day:
            expected, found = f"{name} of a day up to the event’s, {day:%Y-%m-%d}", f"{one.as_of:%Y-%m-%d}"
        bad.append(bool(found))
        if found:
            problems.append(at_row(one, ERROR, f"{expected}, for {one.player}", f"{found}; the rating is left out"))
    return bad, problems


# --- what is odd ------------------------------------------------------------------------------------------------------


def _odd(history: History, event: str) -> Iterator[Problem]:
    entries = history.entries[history.entries["event"] == event]
    for _, section in entries.groupby("section", sort=False):
        yield from _teams(section)
        yield from _lacking(section)
    yield from _two_sections(entries)
    yield from _schools(entries)
    before = history.entries[history.entries["event"] != event]
    yield from _moved(entries, before)
    yield from _alike(entries, before, history)


def _rows(frame: pd.DataFrame) -> Iterator[Any]:
    yield from frame.itertuples()


def _teams(entries: pd.DataFrame) -> Iterator[Problem]:
    teams = entries[entries["team"].notna()]
    if teams.empty:
        return
    for name, of in teams.groupby("team", sort=False):
        if len(of) > TEAM:
            found = f"{len(of)}: {'; '.join(of['player'])}"
            yield at_row(
                of.iloc[TEAM], WARNING, f"a team of one or two, as the team rating is made for, in {name}", found
            )
    for row in _rows(entries[entries["team"].isna()]):
        yield at_row(row, WARNING, f"a team of {row.player}, as the others have", "none; seeded alone")


def _lacking(entries: pd.DataFrame) -> Iterator[Problem]:
    """Cells that are empty in some rows and not in others."""
    for column, why in (("school", "who meets whom cannot heed it"), ("grade", "not known")):
        lacking = entries[entries[column].isna()]
        if 0 < len(lacking) < len(entries):
            for row in _rows(lacking):
                yield at_row(row, WARNING, f"the {column} of {row.player}", f"none; {why}")


def _two_sections(entries: pd.DataFrame) -> Iterator[Problem]:
    for column, what in (("player", "each person"), ("team", "each team")):
        known = entries[entries[column].notna()]
        sections = known.groupby(column)["section"].nunique()
        for name in sections.index[sections > 1]:
            of = known[known[column] == name]
            found = f"{name} in {', '.join(dict.fromkeys(of['section']))}"
            yield at_row(of.iloc[-1], WARNING, f"{what} in one section", f"{found}; seeded in each")


def _schools(entries: pd.DataFrame) -> Iterator[Problem]:
    """Schools that may be one, spelled in two ways: their teams would not be kept apart."""
    schools = entries["school"].dropna()
    # names as short as a letter or two are codes, which differ by a letter on purpose
    for one, other in names.near(name for name in schools if len(name) > CODE):
        fewer = min((one, other), key=lambda name: (int((schools == name).sum()), name))
        row = entries[entries["school"] == fewer].iloc[0]
        more = other if fewer == one else one
        yield at_row(row, WARNING, "one spelling of each school", f"{fewer} and {more}, which may be one school")


def _moved(entries: pd.DataFrame, before: pd.DataFrame) -> Iterator[Problem]:
    """People who are known from another school: they have moved, or are two of one name."""
    known = before[before["school"].notna()].drop_duplicates("player", keep="last").set_index("player")["school"]
    for row in _rows(entries[entries["school"].notna() & entries["player"].isin(known.index)]):
        if _fold(known[row.player]) != _fold(row.school):
            found = f"{row.school}; may be another person of this name, or may have moved"
            yield at_row(row, WARNING, f"{row.player} at {known[row.player]}, as last entered", found)


def _alike(entries: pd.DataFrame, before: pd.DataFrame, history: History) -> Iterator[Problem]:
    """Names one slip apart from a known one, or from another of the list: listed, never merged."""
    known = {*before["player"], *history.players["player"], *history.rating_lists["player"]}
    # a member without a name of its own is called after its team, and is like nobody
    known = {name for name in known if not _UNNAMED.search(name)}
    fresh = {name for name in entries["player"] if not _UNNAMED.search(name)} - known
    if not fresh:
        return
    for one, other in names.near(known | fresh):
        both = entries[entries["player"].isin({one, other} & fresh)]
        if len(both):
            row = both.iloc[-1]  # of two new names the later
            name, may_be = (one, other) if row["player"] == one else (other, one)
            where = "in the history" if may_be in known else "in this list"
            yield at_row(row, WARNING, f"a name that is known, or new: {name}", f"may be {may_be}, {where}")


def _fold(text: object) -> str:
    return " ".join(str(text).casefold().split())
