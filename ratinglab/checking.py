"""What is wrong with a history: what its readers found, and what shows only when everything is side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from ratinglab import checking_placings, dates, names
from ratinglab.formats.common import EXPECTED_SYSTEM, KNOWN_SYSTEMS, on_lines, trim
from ratinglab.history import History
from ratinglab.problems import ERROR, WARNING, Problem
from ratinglab.problems import at_row as _at

# What is told as a slip of the keyboard: Scrabble's highest scores are below 1,100, and no list goes above 4,000.
_HIGHEST_RATING = 5000
_HIGHEST_SCORE = 2000
_FAR_BELOW, _USUAL = 5, 500  # a fifth of the usual rating, where that is one of grown-up players …
_STEP = 3  # … and a third of the next one above: where beginners play, ratings go down without such a step
_NAMED = 5  # whom an entry list lacks; of more it is the list that is not whole
_APART = pd.Timedelta(days=50 * 365.25)  # no history has a gap so long


def check(history: History) -> tuple[Problem, ...]:
    """Every problem of the history, errors and warnings, in the order of file and line, each once."""
    found = set(history.problems)
    found |= set(_dates(history))
    found |= set(_systems(history))
    found |= set(_rounds(history))
    found |= set(_same_events(history))
    found |= set(_ratings(history))
    found |= set(_scores(history))
    found |= set(_unscored(history))
    found |= set(_oneself(history))
    found |= set(_unlisted(history))
    found |= set(_twice_in_a_round(history))
    found |= set(checking_placings.check(history))
    found |= set(_aliases(history))
    found |= set(_alike(history))
    return tuple(sorted(found))


def _rows(table: pd.DataFrame) -> Iterator[Any]:
    yield from table.itertuples()


def _by_section(rows: pd.DataFrame) -> Iterator[tuple[Any, str]]:
    """The first row of each section, and where the section's other rows are: a slip of a whole file is told once."""
    for _, section in rows.groupby(["event", "section"], sort=False):
        others = section["line"].iloc[1:].dropna()
        yield next(_rows(section)), f" (and more on {on_lines(others)})" if len(others) else ""


def _sides(games: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """A row for each side of each game, in order, with these columns, the side and its opponent."""
    both = [
        games[columns].assign(side=games[one], other=games[another])
        for one, another in (("player", "opponent"), ("opponent", "player"))
    ]
    return pd.concat(both).dropna(subset="side").sort_index(kind="stable")


def _dates(history: History) -> Iterator[Problem]:
    unread = {(problem.file, problem.line) for problem in history.problems if dates.EXPECTED in problem.expected}
    whole_files = {file for file, _ in unread}
    for row in _rows(history.events):
        # a date that is there and cannot be read has been told as such
        told = row.file in whole_files if pd.isna(row.line) else (row.file, int(row.line)) in unread
        if pd.isna(row.date) and not told:
            yield _at(row, WARNING, f"a date of {row.event}", "none; it comes after all dated events")
        elif pd.notna(row.date) and row.end_date < row.date:
            yield _at(row, ERROR, f"{row.event} to end on or after {row.date:%Y-%m-%d}", f"{row.end_date:%Y-%m-%d}")
    dated = history.events.dropna(subset="date").sort_values("date", kind="stable")
    before, after = dated["date"].diff(), -dated["date"].diff(-1)
    alone = (before.isna() | (before > _APART)) & (after.isna() | (after > _APART)) & (len(dated) > 1)
    for row in _rows(dated[alone]):
        yield _at(row, WARNING, "dates within 50 years of another event's", f"{row.event} on {row.date:%Y-%m-%d}")


def _systems(history: History) -> Iterator[Problem]:
    # a reader that knows the line has told it
    told = {(problem.file, problem.found) for problem in history.problems if problem.expected == EXPECTED_SYSTEM}
    for table in (history.events, history.divisions):
        for row in _rows(table[table["system"].notna()]):
            unknown = str(row.system).casefold() not in KNOWN_SYSTEMS
            if unknown and (row.file, repr(row.system)) not in told:
                yield _at(row, WARNING, EXPECTED_SYSTEM, repr(row.system))


def _rounds(history: History) -> Iterator[Problem]:
    """Games of a round that the event does not have: one problem for each section and round."""
    games = history.games
    rounds = games["event"].map(history.events.drop_duplicates("event").set_index("event")["rounds"])
    own = history.divisions.dropna(subset="rounds").drop_duplicates(["event", "section"])
    if len(own):
        by_section = own.set_index(["event", "section"])["rounds"]
        pairs = pd.MultiIndex.from_frame(games[["event", "section"]])
        rounds = pd.Series(by_section.reindex(pairs).array, index=games.index).fillna(rounds)
    beyond = games.assign(rounds=rounds)[((games["round"] > rounds) & (rounds > 0)).fillna(False)]
    for row in _rows(beyond.drop_duplicates(["event", "section", "round"])):
        yield _at(row, WARNING, f"at most {row.rounds} rounds in {row.event}", f"a game of round {row.round}")


def _same_events(history: History) -> Iterator[Problem]:
    """Events that are one event read twice, say from a folder and an archive of it: its games would count twice."""
    games = history.games
    events = history.events.assign(games=history.events["event"].map(games["event"].value_counts()))
    events = events.dropna(subset="games")
    # games are compared where their number is the same, and the date, unless one is not known
    undated = events["games"].isin(events.loc[events["date"].isna(), "games"])
    events = events[events.duplicated(["games", "date"], keep=False) | (undated & events.duplicated("games", False))]
    if not len(events):
        return
    games = games[games["event"].isin(events["event"])]
    turned = (games["opponent"] < games["player"]).fillna(False).to_numpy(bool)
    result = games["result"].to_numpy()
    content = pd.DataFrame({"round": games["round"], "result": np.where(turned, 1 - result, result)})
    for one, another in (("player", "opponent"), ("score", "opponent_score")):
        content[one] = games[one].where(~turned, games[another])
        content[another] = games[another].where(~turned, games[one])
    entries = history.entries[history.entries["event"].isin(events["event"])]
    unit = entries["team"].fillna(entries["player"])
    mark = events["event"].map(pd.util.hash_pandas_object(content, index=False).groupby(games["event"]).sum())
    who = events["event"].map(pd.util.hash_pandas_object(unit, index=False).groupby(entries["event"]).sum())
    for _, same in events.groupby([mark, who], sort=False):
        first = same.iloc[0]
        for row in _rows(same.iloc[1:]):
            if pd.isna(row.date) or pd.isna(first["date"]) or row.date == first["date"]:
                found = f"{row.event}, with the entrants and results of {first['event']} in {first['file']}"
                yield _at(row, WARNING, "each event once", found)


def _ratings(history: History) -> Iterator[Problem]:
    entries = history.entries
    rating = entries["rating"]
    usual = rating.where(rating > 0).groupby([entries["event"], entries["section"]]).transform("median")
    falling = entries.assign(usual=usual)[rating > 0].sort_values("rating", ascending=False, kind="stable")
    place = [falling["event"], falling["section"]]
    step = falling["rating"].groupby(place).shift() >= falling["rating"] * _STEP
    below = (step & (falling["rating"] < falling["usual"])).groupby(place).cummax().reindex(entries.index)
    low = (rating > 0) & (rating * _FAR_BELOW <= usual) & (usual >= _USUAL) & below.eq(True)
    # scholastic ratings do go below 0, but then more than one of them, and a small one is nothing odd among them
    negative = entries[rating < 0]
    several = len(negative["player"].unique()) > 1
    low &= ~((rating < 0).groupby(entries["event"]).transform("any") & several)
    for row in _rows(entries.assign(usual=usual)[low]):
        expected = f"a rating like others of section {row.section} of {row.event}, usually {trim(row.usual)}"
        found = f"{trim(row.rating)} of {row.player!r}: a slip, or the end of the name"
        yield _at(row, WARNING, expected, found)
    for row, more in _by_section(entries[rating > _HIGHEST_RATING]):
        expected = f"a rating up to {_HIGHEST_RATING}"
        yield _at(row, WARNING, expected, f"{trim(row.rating)} of {row.player!r}{more}")
    if not several:
        for row, more in _by_section(negative):
            expected = "a rating from 0 up, as all others' are"
            yield _at(row, WARNING, expected, f"{trim(row.rating)} of {row.player!r}{more}")


def _scores(history: History) -> Iterator[Problem]:
    games = history.games
    high = games[["score", "opponent_score"]].abs().max(axis=1) > _HIGHEST_SCORE
    wide = (games["score"] - games["opponent_score"]).abs() > _HIGHEST_SCORE
    for mask, what in ((high, "scores"), (wide & ~high, "a spread")):
        for row, more in _by_section(games[mask]):
            scores = " to ".join(trim(score) for score in (row.score, row.opponent_score) if pd.notna(score))
            found = f"{scores} of {row.player!r} in round {row.round} of {row.event}{more}"
            yield _at(row, WARNING, f"{what} up to {_HIGHEST_SCORE}", found)


def _unscored(history: History) -> Iterator[Problem]:
    """Sections with pairings and nothing else: not played, or not entered."""
    games = history.games[history.games["opponent"].notna()]
    scored = games[["score", "opponent_score", "result"]].notna().any(axis=1)
    place = [games["event"], games["section"]]
    for row, _ in _by_section(games[~scored.groupby(place).transform("any")]):
        found = "pairings only: not played, or in progress"
        yield _at(row, WARNING, f"scores in section {row.section} of {row.event}", found)


def _oneself(history: History) -> Iterator[Problem]:
    games = history.games
    expected = "two different players"
    told = {(problem.file, problem.line) for problem in history.problems if problem.expected == expected}
    for row in _rows(games[(games["player"] == games["opponent"]).fillna(False)]):
        if (row.file, row.line) not in told:
            yield _at(row, ERROR, expected, f"{row.player!r} on both sides in round {row.round} of {row.event}")


def _unlisted(history: History) -> Iterator[Problem]:
    """Sides of games that the entries beside them do not have, which a history takes for newcomers."""
    # `assemble` adds an entry for every side of a game: those come from the games' own files
    entries = history.entries
    listed = entries[entries["file"].notna() & ~entries["file"].isin(history.games["file"].unique())]
    if not len(listed):
        return
    place = ["event", "section"]
    sides = _sides(history.games, [*place, "round", "file", "line"]).drop_duplicates([*place, "side"])
    sides = sides[sides["event"].isin(listed["event"])]
    units = pd.MultiIndex.from_arrays([listed["event"], listed["section"], listed["team"].fillna(listed["player"])])
    sides = sides[~pd.MultiIndex.from_frame(sides[[*place, "side"]]).isin(units)]
    sections = listed.drop_duplicates(place).set_index(place)["file"].to_dict()
    elsewhere = listed.drop_duplicates(["event", "player"]).set_index(["event", "player"])["section"].to_dict()
    teams = listed[listed["team"].notna()]
    team_of = teams.drop_duplicates([*place, "player"]).set_index([*place, "player"])["team"].to_dict()
    lacking = sides.groupby(place)["side"].transform("size").to_numpy()
    told = set()
    for row, others in zip(_rows(sides), (lacking - 1).tolist(), strict=True):
        where = f"section {row.section} of {row.event}"
        team = team_of.get((row.event, row.section, row.side))
        other = elsewhere.get((row.event, row.side))
        beside = f", who is entered in section {other}" if other is not None else ""
        if team is not None:
            yield _at(row, ERROR, f"a team of {where}", f"{row.side!r}, a member of {team!r}")
        elif (row.event, row.section) in sections:
            file = sections[row.event, row.section]
            if others < _NAMED:
                yield _at(row, WARNING, f"a player of {where} in {file}", f"{row.side!r}{beside}; rated as a newcomer")
            elif (row.event, row.section) not in told:
                told.add((row.event, row.section))
                found = f"{row.side!r} and {others} others who play; rated as newcomers"
                yield _at(row, WARNING, f"the players of {where} in {file}", found)
        elif beside:
            yield _at(row, ERROR, f"a section of {row.event} with entries", f"{row.section} for {row.side!r}{beside}")


def _twice_in_a_round(history: History) -> Iterator[Problem]:
    """Players with two games in a round, against different opponents: a slip of the pen, yet they were rated.

    Not in events of kind placings, where everybody at a board of several players has a game with each of the others.
    """
    place = ["event", "section", "round", "side"]
    boards = history.events.loc[history.events["kind"].eq("placings"), "event"]
    games = history.games[~history.games["event"].isin(boards)].reset_index(drop=True)
    sides = _sides(games, ["event", "section", "round", "file", "line"])
    # the same two again in a round is a match of several games, which the reader judges
    meetings = sides.fillna({"other": ""}).drop_duplicates([*place, "other"])
    for row in _rows(meetings[meetings.duplicated(place)]):
        yield _at(row, WARNING, "each player once in a round", f"{row.side} again in round {row.round} of {row.event}")


def _aliases(history: History) -> Iterator[Problem]:
    """Aliases that contradict each other, or join two who play side by side."""
    table = history.aliases
    first: dict[str, Any] = {}
    for row in _rows(table):
        alias, person = names.key(row.alias), names.key(row.player)
        earlier = first.setdefault(alias, row)
        if alias == person:
            yield _at(row, WARNING, "an alias of another name", f"{row.alias!r} of itself")
        elif names.key(earlier.player) != person:
            found = f"{row.player!r} here and {earlier.player!r} in {earlier.file}:{earlier.line}"
            yield _at(row, ERROR, f"one person for the alias {row.alias!r}", found)
    yield from _circles(first)
    apart = [name for name in history.entries["player"].dropna().unique() if name.endswith(")")]
    for row in _rows(table):
        for name in apart:
            # the name that `assemble` gives to the second of two whom an alias would join
            if name.endswith(f" (as {names.tidy(row.alias)})"):
                yield _at(row, ERROR, "an alias of somebody who does not play in the same section", f"{name!r}")


def _circles(aliases: dict[str, Any]) -> Iterator[Problem]:
    """Aliases that lead back to themselves by way of others, each circle once."""
    done: set[str] = set()
    for start in aliases:
        path: list[str] = []
        name = start
        while name in aliases and name not in done:
            done.add(name)
            path.append(name)
            name = names.key(aliases[name].player)
        circle = path[path.index(name) :] if name in path else []
        if len(circle) > 1:
            rows = [aliases[name] for name in circle]
            written = " is ".join(repr(row.alias) for row in [*rows, rows[0]])
            yield _at(rows[0], ERROR, "aliases that end in a person", f"{written}, on {on_lines(r.line for r in rows)}")


def _alike(history: History) -> Iterator[Problem]:
    """Names that may be one person, where the second is first met."""
    entries = history.entries
    # "Team/1" stands for a member whose name nobody gave
    members = entries[entries["team"].notna()]
    unnamed = [
        index
        for index, team, player in zip(members.index, members["team"], members["player"], strict=True)
        if player.startswith(f"{team}/")
    ]
    people = [entries.drop(index=unnamed)[["player", "file", "line"]], history.placings[["player", "file", "line"]]]
    met = pd.concat(people).dropna(subset="player").drop_duplicates("player").reset_index(drop=True)
    position = {player: i for i, player in enumerate(met["player"])}
    for one, another in names.near(met["player"]):
        earlier, later = sorted((one, another), key=lambda name: position[name])
        row = met.iloc[position[later]]
        before = met.iloc[position[earlier]]
        expected = "one spelling of a name (if they are one person, aliases.csv says so)"
        yield _at(row, WARNING, expected, f"{later!r}, like {earlier!r} in {before.file}")
