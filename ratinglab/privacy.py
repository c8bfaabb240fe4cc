"""Privacy: what of minors a set made for publication may say, and the history made so that it says no more.

`protect` renames protected people at the door, in every table, so that what is made of the history cannot name them.
Who is protected is `ratinglab.minors`; figures over few people are `ratinglab.withholding`.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab import minors, names, schema
from ratinglab.history import Source
from ratinglab.labels import INITIALS, NAMES, PSEUDONYM, TEAM, Lots, labels_of, schools_of, team_labels, telling_teams
from ratinglab.problems import UsageError
from ratinglab.scrubbing import Scrubber
from ratinglab.withholding import FEWEST, withhold

if TYPE_CHECKING:
    from ratinglab.history import History

__all__ = ["FEWEST", "Protected", "Rule", "protect"]

COMMITTEE, PUBLIC = "committee", "public"
PRIVACY = (COMMITTEE, PUBLIC)
SHORTEST_KEY = 16  # bytes: of a shorter key all could be tried
NOT_PUBLISHED = "not published"
_MAKE_KEY = "python3 -c 'import secrets; print(secrets.token_hex(32))' > committee.key"
_NO_KEY = (
    "--names pseudonym needs the committee's secret key: without one anybody could make the codes of the names that "
    f"come to mind and compare. Make one once with {_MAKE_KEY}, keep it where only the committee reads it, and give "
    "--key committee.key every time: with another key everybody gets another code"
)
_NOT_TOLD = ("birth_date", "grade", "nationality")  # kept for the formulas, see `Protected.blank`
_FREE_TEXT = {("events", "note"), ("entries", "override_reason")}
_PEOPLE = {("entries", "player"), ("games", "player"), ("games", "opponent"), ("placings", "player"),
           ("players", "player"), ("players", "name"), ("rating_lists", "player"), ("entries", "team"),
           ("aliases", "alias"), ("aliases", "player"), ("events", "event"), ("events", "source")}  # fmt: skip
_SAYS = {
    TEAM: "by their school, with a number drawn by lot, or by their team, and with their rating",
    INITIALS: "by their initials, and with their rating",
    PSEUDONYM: "under a code that only the committee can trace to a name and that stays the same from one publication "
    "to the next, and with their rating",
}


@dataclass(frozen=True)
class Rule:
    """A committee's rule: for whom a set is made, and as what protected people appear in a public one.

    privacy: committee (all is shown) or public. names: team (school and a number), initials, or pseudonym, for which
    `key` is needed. adult: the age from which nobody is protected. school_pools: words by which an event of pupils is
    known. The key is never shown. Raises `UsageError` for other words, and where the key is missing or short.
    """

    privacy: str = COMMITTEE
    names: str = TEAM
    key: bytes = field(default=b"", repr=False)
    adult: int = 18
    school_pools: tuple[str, ...] = minors.POOLS

    def __post_init__(self) -> None:
        """The words are known, and a key is there where it is needed."""
        for option, value, known in (("--privacy", self.privacy, PRIVACY), ("--names", self.names, NAMES)):
            if value not in known:
                raise UsageError(f"{option} is one of {', '.join(known)}; found {value}")
        if not self.key and self.names == PSEUDONYM and self.privacy == PUBLIC:
            raise UsageError(_NO_KEY)
        if self.key and len(self.key) < SHORTEST_KEY:
            told = f"expected a key of {SHORTEST_KEY} bytes or more, which cannot be guessed; found {len(self.key)}"
            raise UsageError(f"{told}. Make one with {_MAKE_KEY}")

    @property
    def public(self) -> bool:
        """Whether a set by this rule is for publication."""
        return self.privacy == PUBLIC


@dataclass(frozen=True)
class Protected:
    """A history as a set by `rule` may show it, and what has to be known to show no more.

    history: with the protected people of a public set under their labels in every table; for the committee the history
    as it is. people: the labels of protected people; teams: the names of teams with one of them. on: the day of which
    ages are. says: sentences that explain it to readers, for the pages of a public set (for the committee none).
    """

    history: History
    rule: Rule
    people: frozenset[str] = frozenset()
    teams: frozenset[str] = frozenset()
    on: pd.Timestamp | None = None
    says: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)  # of every name that was changed, people first

    @property
    def public(self) -> bool:
        """Whether the set is for publication."""
        return self.rule.public

    def is_open(self, column: pd.Series) -> pd.Series:
        """For each name of a column whether it is of nobody protected (nor a team with somebody protected in it)."""
        return ~column.isin(self.people | self.teams)

    def drop(self, table: pd.DataFrame, *columns: str) -> pd.DataFrame:
        """The rows that name nobody protected in these columns (by default player and opponent, where there)."""
        asked = columns or tuple(c for c in ("player", "opponent") if c in table.columns)
        kept = np.ones(len(table), dtype=bool)
        for column in asked:
            kept &= self.is_open(table[column]).to_numpy()
        return table if kept.all() else table[kept].reset_index(drop=True)

    def blank(self, table: pd.DataFrame, *columns: str, by: str = "player") -> pd.DataFrame:
        """The table with these columns empty in the rows of protected people (named in the column `by`).

        By default those that the formulas need and nobody outside may see: birth_date, grade, nationality.
        """
        asked = [c for c in columns or _NOT_TOLD if c in table.columns]
        shut = ~self.is_open(table[by])
        return table.assign(**{c: table[c].mask(shut) for c in asked}) if asked and shut.any() else table

    def withhold(
        self,
        table: pd.DataFrame,
        who: Sequence[Collection[str]],
        columns: Sequence[str],
        *,
        within: Sequence[Hashable] | None = None,
        total: Sequence[bool] | None = None,
    ) -> pd.DataFrame:
        """The table without figures over so few people that they single somebody out (`withholding.withhold`).

        For the committee the table as it is, without the column `withheld`.
        """
        if not self.public:
            return table
        return withhold(table, who, self.people | self.teams, columns, within=within, total=total)

    def few(self, who: Iterable[str]) -> bool:
        """Whether a figure over these people (or teams) must not be published: fewer than `FEWEST`, one protected."""
        people = set(who)
        return len(people) < FEWEST and not people.isdisjoint(self.people | self.teams)

    def shown(self, name: str) -> str:
        """What somebody (or a team) is called here: the label, of who is not protected the name."""
        return self.labels.get(name, name)


def protect(history: History, rule: Rule, on: str | pd.Timestamp | None = None) -> Protected:
    """The history as `rule` allows it to be shown; for the committee as it is.

    `on` is the day of which ages are: by default that on which the last event ends. In a public set protected people
    have labels in every table, in the same rows and the same order, so that the figures are the same. What is theirs
    alone goes: the names under which they are also known (aliases), their full names and numbers; schools are coded
    where initials or codes stand for people. Texts and names of files lose their names, problems are left out, and so
    are the checksums of files: that of a short file would tell whether a name that comes to mind stands in it.
    """
    day = minors.last_day(history) if on is None else pd.Timestamp(on)
    if not rule.public:
        return Protected(history, rule, on=day)
    found = minors.minors(history, day, rule.adult, rule.school_pools)
    everybody = _everybody(history)
    if not len(found):
        return Protected(history, rule, on=day, says=_says(rule, 0, len(everybody), day, 0))
    people = _with_namesakes(list(found.index), everybody)
    lots = Lots(history, rule.key)
    schools = schools_of(history)
    teams = telling_teams(history, people)
    taken = {names.key(name) for name in [*everybody, *history.entries["team"].dropna().unique()]} - {
        names.key(name) for name in [*people, *teams]
    }
    labels = labels_of(rule.names, people, schools, lots, taken)
    of_teams = team_labels(history, teams, lots, taken | {names.key(label) for label in labels.values()})
    shown = _Renaming(history, labels, of_teams, lots, rule).renamed()
    of_theirs = history.entries.loc[history.entries["player"].isin(labels), "team"].dropna()
    return Protected(
        shown,
        rule,
        people=frozenset(labels.values()),
        teams=frozenset(of_theirs.map(lambda team: of_teams.get(team, team))),
        on=day,
        says=_says(rule, len(people), len(everybody), day, len(history.problems)),
        labels={**of_teams, **labels},
    )


def _everybody(history: History) -> list[str]:
    """All people of the history, each once."""
    entries, games = history.entries, history.games
    teams = set(entries["team"].dropna())
    columns = [entries["player"], *(history.tables()[table]["player"] for table in ("placings", "players"))]
    columns += [history.rating_lists["player"], games["player"], games["opponent"]]
    found = dict.fromkeys(name for column in columns for name in column.dropna().unique())
    own = set(entries["player"].dropna())
    return [name for name in found if name in own or name not in teams]


def _with_namesakes(protected: list[str], everybody: list[str]) -> list[str]:
    """The protected people, and whoever has the whole name of one of them in his own (again), (as …), Sr."""
    scrubber = Scrubber(protected)
    known = set(protected)
    return protected + [name for name in everybody if name not in known and scrubber.names_anybody(name)]


# --- renaming -------------------------------------------------------------------------------------------------------


class _Renaming:
    """One history with the names of protected people and teams replaced, and all that tells of them."""

    def __init__(
        self, history: History, people: Mapping[str, str], teams: Mapping[str, str], lots: Lots, rule: Rule
    ) -> None:
        self.history, self.people, self.teams, self.lots, self.rule = history, people, teams, lots, rule
        events, entries = history.events, history.entries
        open_people = [name for name in _everybody(history) if name not in people]
        open_teams = [team for team in entries["team"].dropna().unique() if team not in teams]
        common = [*open_people, *open_teams]
        for column in (entries["school"], history.players["school"], entries["section"], events["place"]):
            common += list(column.dropna().unique())
        self.scrubber = Scrubber(people, common)
        files = [*events["source"].dropna().unique(), *(source.name for source in history.sources)]
        telling = lots.drawn("file", {file for file in files if self.scrubber.names_anybody(file)})
        self.files = {file: file for file in files} | {file: f"file {i}" for i, file in enumerate(telling, 1)}

    def renamed(self) -> History:
        """The history under the labels."""
        history = self.history
        tables = {name: self._texts(name, table) for name, table in history.tables().items()}
        entries, players = tables["entries"], tables["players"]
        shut = entries["player"].isin(self.people)
        coded = self._school_codes()
        tables["entries"] = entries.assign(
            player=self._named(entries["player"]),
            team=entries["team"].map(lambda team: self.teams.get(team, team), na_action="ignore"),
            number=self._numbers(entries, shut),
            school=entries["school"].where(~(shut & self._alone(entries)), self._coded(entries["school"], coded)),
        )
        tables["games"] = self._games(tables["games"])
        known = players["player"].isin(self.people)
        tables["players"] = self._by_lot(
            players.assign(
                player=self._named(players["player"]),
                name=players["name"].mask(known),
                school=players["school"].where(~known, self._coded(players["school"], coded)),
            )
        )
        tables["placings"] = tables["placings"].assign(player=self._named(tables["placings"]["player"]))
        lists = tables["rating_lists"]
        tables["rating_lists"] = self._by_lot(lists.assign(player=self._named(lists["player"])))
        aliases = tables["aliases"]
        tells = [self._tells(alias) or self._tells(player) for alias, player in
                 zip(aliases["alias"], aliases["player"], strict=True)]  # fmt: skip
        tables["aliases"] = aliases[~np.array(tells, dtype=bool)].reset_index(drop=True)
        tables = self._events_named(tables)
        tables = {
            name: schema.conform(name, table.drop(columns=[*schema.ORIGIN], errors="ignore"))
            for name, table in tables.items()
        }
        sources = tuple(Source(self.files[source.name], NOT_PUBLISHED) for source in history.sources)
        return replace(history, **tables, problems=(), sources=sources)

    def _tells(self, text: str) -> bool:
        return text in self.people or self.scrubber.names_anybody(text)

    def _named(self, column: pd.Series) -> pd.Series:
        return column.map(lambda name: self.people.get(name, name), na_action="ignore")

    def _texts(self, name: str, table: pd.DataFrame) -> pd.DataFrame:
        """The table with no whole name in its texts, and no part of one in free text; columns of people as they are."""
        cleaned = {}
        for column, kind in schema.TABLES[name].items():
            if kind != "text" or (name, column) in _PEOPLE or not table[column].notna().any():
                continue
            free = (name, column) in _FREE_TEXT
            told = {text: self.scrubber.without(text, parts=free) for text in table[column].dropna().unique()}
            if any(text != clean for text, clean in told.items()):
                cleaned[column] = table[column].map(told, na_action="ignore")
        return table.assign(**cleaned) if cleaned else table

    def _numbers(self, entries: pd.DataFrame, shut: pd.Series) -> pd.Series:
        """The numbers, those of protected people who play alone after all others of the section and by lot.

        A number tells who it is to whoever has the crosstable, and its order may be the alphabet's.
        """
        mine = shut & entries["team"].isna()
        if not mine.any():
            return entries["number"]
        group = [entries["event"], entries["section"]]
        kept = entries["number"].mask(mine).groupby(group).transform("max").fillna(0)
        lot = entries.loc[mine, "player"].map(lambda name: self.lots.of("number", name))
        # two people of one section have two lots, so the rank is a number of its own
        rank = pd.Series(lot.to_numpy(), index=lot.index, dtype=object).groupby([g[mine] for g in group]).rank()
        return entries["number"].mask(mine, (kept + rank.reindex(entries.index)).astype("Int64"))

    def _alone(self, entries: pd.DataFrame) -> pd.Series:
        """Entries of events without teams: there a school stands beside a person."""
        return ~entries["team"].notna().groupby(entries["event"]).transform("any")

    def _school_codes(self) -> dict[str, str]:
        """Schools in place of which a code stands: beside initials and codes a small school would tell who it is."""
        if self.rule.names == TEAM:
            return {}
        entries, players = self.history.entries, self.history.players
        schools = pd.concat([entries["school"], players["school"]]).dropna().unique()
        drawn = self.lots.drawn("school", schools)
        return {school: f"School {i}" for i, school in enumerate(drawn, 1)}

    @staticmethod
    def _coded(column: pd.Series, codes: Mapping[str, str]) -> pd.Series:
        return column.map(lambda school: codes.get(school, school), na_action="ignore")

    def _games(self, games: pd.DataFrame) -> pd.DataFrame:
        entries = self.history.entries
        teams = pd.MultiIndex.from_frame(entries.loc[entries["team"].notna(), ["event", "section", "team"]])
        named = {}
        for side in ("player", "opponent"):
            by_team = pd.MultiIndex.from_frame(games[["event", "section", side]]).isin(teams)
            as_team = games[side].map(lambda team: self.teams.get(team, team), na_action="ignore")
            named[side] = as_team.where(by_team, self._named(games[side]))
        return games.assign(**named)

    def _by_lot(self, table: pd.DataFrame) -> pd.DataFrame:
        """The rows with people in an order that is not the alphabet's; those of one person stay in order."""
        lot = {name: self.lots.of("row", name) for name in table["player"].dropna().unique()}
        order = sorted(enumerate(table["player"]), key=lambda row: lot.get(row[1], b""))
        return table.iloc[[i for i, _ in order]].reset_index(drop=True)

    def _events_named(self, tables: dict[str, Any]) -> dict[str, Any]:
        """The tables with other ids for events whose ids tell of somebody, and no file's name that does."""
        ids = [event for event in self.history.events["event"] if self.scrubber.names_anybody(event)]
        renamed = {event: f"event {i}" for i, event in enumerate(self.lots.drawn("event", ids), 1)}
        out = {}
        for name, table in tables.items():
            new = {}
            if "event" in table.columns and renamed:
                new["event"] = table["event"].map(lambda event: renamed.get(event, event), na_action="ignore")
            if name == "events":
                new["source"] = table["source"].map(self.files, na_action="ignore")
            out[name] = table.assign(**new) if new else table
        return out


# --- words ----------------------------------------------------------------------------------------------------------


def _says(rule: Rule, people: int, of: int, day: pd.Timestamp | None, problems: int) -> tuple[str, ...]:
    when = "" if day is None else f" on {day:%Y-%m-%d}"
    if not people:
        return (f"Made for publication; nobody in the files is known or taken to be under {rule.adult}{when}.",)
    share = f"{people:,} of the {of:,} people in the files" if people >= FEWEST else "some of the people in the files"
    told = [
        f"Made for publication: those who are known or taken to be under {rule.adult}{when} ({share}) appear only "
        f"{_SAYS[rule.names]}.",
        "Their games and results, birth dates and grades are left out, and so are figures that rest on fewer than "
        f"{FEWEST} people where one of them is protected. Their games count in all ratings as anybody's.",
        "Age is known from the birth date, else from the school grade; who took part in an event of pupils and of whom "
        "neither is known is protected too.",
    ]
    if problems:
        told.append("What was found wrong with the files is told to the committee alone.")
    return tuple(told)
