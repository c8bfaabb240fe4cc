"""A player's own card: the rating then and now, results by season, the best win, and what comes next.

A card names nobody but its player. What it says is as of a date: nothing later is looked at. Source of what stands on
it: "How players are seeded, rated and paired at Evanston Scholastic Chess tournaments", where a rating is a long-term
measure of progress.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab import names, schema
from ratinglab.card import (
    FILED,
    FIRST,
    LOST,
    SEASONS,
    TIED,
    WAY,
    WON,
    YEAR_AGO,
    Card,
    LastEvent,
    Place,
    Run,
    Standing,
    Win,
)
from ratinglab.problems import UsageError
from ratinglab.seeding.seeding import known_before
from ratinglab.tables import iso_day, require_single

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.periods import Bools, Ints
    from ratinglab.replaying import Replay

SCHOOL_YEAR = 8  # the month in which a pupil's season begins


def card(replay: Replay, player: str, as_of: str | None = None, *, places: Mapping[str, Place] | None = None) -> Card:
    """The card of one player as of a date (ISO; by default after every event, also those without a date).

    Names are matched as everywhere, whatever their case and order. Raises `UsageError` for a player who does not take
    part in any event by then, and as `cards` does.
    """
    _require(replay)
    history = replay.schedule.history
    found = known_name(history, player)
    if found not in set(_taking_part(history, as_of)["player"]):
        raise UsageError(f"{found} does not take part in any event up to {as_of}")
    return cards(replay, [found], as_of, places=places)[0]


def cards(
    replay: Replay,
    players: Iterable[str],
    as_of: str | None = None,
    *,
    places: Mapping[str, Place] | None = None,
) -> list[Card]:
    """The cards of these players (by the names of the history) as of a date, in this order.

    With a date an event without one does not count, and the card says how many those are. `places` are the sections of
    those who have one, by name, as of the same date. Raises `UsageError` for a
    replay of several systems or without details, and for a system of places or of hindsight.
    """
    _require(replay)
    book = _Book(replay, as_of)
    return [replace(book.card(player), place=(places or {}).get(player)) for player in players]


def _require(replay: Replay) -> None:
    """Raise `UsageError` of a replay that no card can be made of."""
    require_single(replay, details=True)
    system = replay.system
    if system.rates != "games":
        raise UsageError(f"a card tells of games, and {system.name} rates places: `ratinglab lists` is for those")
    if system.looks_back:
        raise UsageError(f"{system.name} rates all of a history at once, so a card could not say how a rating was then")


def known_name(history: History, player: str) -> str:
    """The player as the history writes the name; raises `UsageError` for who is not there, with who may be meant."""
    entries = history.entries
    asked = names.key(player)
    known = dict.fromkeys(entries["player"].dropna())
    for name in known:
        if names.key(name) == asked:
            return str(name)
    teams = entries[entries["team"].map(names.key, na_action="ignore") == asked]
    if len(teams):
        members = "; ".join(dict.fromkeys(teams["player"]))
        raise UsageError(f"{player} is a team, whose members have a card each: {members}")
    raise UsageError(f"{player} does not take part in any event{names.meant(player, known)}")


def of_school(history: History, school: str, as_of: str | None = None) -> list[str]:
    """The players whose last entry with a school up to a date names this one, by name; case and spaces are folded.

    Raises `UsageError` for a school that nobody is of, naming those there are.
    """
    rows = _taking_part(history, as_of)
    last = rows.dropna(subset=["school"]).groupby("player")["school"].last()
    listed = history.players.dropna(subset=["school"]).drop_duplicates("player").set_index("player")["school"]
    known = last.combine_first(listed[listed.index.isin(rows["player"])])
    asked = names.tidy(school).casefold()
    mine = known[known.map(lambda name: names.tidy(name).casefold()) == asked]
    if mine.empty:
        there = sorted(set(known))
        meant, listing = names.meant(school, there), ", ".join(there) or "none"
        raise UsageError(f"nobody is of the school {school}{meant}; the schools are: {listing}")
    return in_order(mine.index)


def in_order(players: Iterable[str]) -> list[str]:
    """Players by name, given name first, figures in names by their size.

    >>> in_order(["Hill, pupil 10", "Hill, pupil 9"])
    ['Hill, pupil 9', 'Hill, pupil 10']
    """
    return sorted(players, key=lambda name: re.sub(r"\d+", lambda found: found.group().zfill(9), names.key(name)))


def _taking_part(history: History, as_of: str | None) -> pd.DataFrame:
    """The entries of events that end by the date (all, without one), in time order."""
    order = pd.Index(history.events["event"]).get_indexer(history.entries["event"])
    rows = history.entries.assign(order=order, end=history.events["end_date"].to_numpy()[order])
    if as_of is not None:
        rows = rows[rows["end"] <= iso_day(as_of)]
    return rows.sort_values("order", kind="stable")


class _Book:
    """What the cards of one replay share, looked up once."""

    def __init__(self, replay: Replay, as_of: str | None) -> None:
        schedule = replay.schedule
        history = schedule.history
        self.replay, self.schedule, self.history = replay, schedule, history
        self.events = history.events
        event = schedule.event_of_entry()
        self.event, self.end = event, self.events["end_date"].to_numpy()[event]
        rated_ends = pd.Series(self.end[replay.rated > 0])
        self.as_of = iso_day(as_of) if as_of is not None else rated_ends.max()
        self.counts: Bools = self.end <= self.as_of.to_datetime64() if as_of is not None else np.full(len(event), True)
        player = history.entries["player"].to_numpy()[schedule.entry_row]
        self.rows_of: dict[str, Ints] = _places(player)
        # whoever has neither a game nor a filed rating stands at the system's initial values, which are nobody's rating
        rated, filed = known_before(schedule)
        self.known = rated | filed
        missing = ~self.known
        self.unit_known = np.bincount(schedule.whole.unit[missing], minlength=len(schedule.whole.unit_first)) == 0
        self.game_of_row = {int(row): game for game, row in enumerate(schedule.game_row)}
        games = history.games
        sides = [
            pd.DataFrame({"event": games["event"], "section": games["section"], "side": games[side], "at": games.index})
            for side in ("player", "opponent")
        ]
        both = pd.concat([sides[0].assign(own=True), sides[1].assign(own=False)]).dropna(subset=["side"])
        self.sides = both.reset_index(drop=True)
        self.games_of = _places(pd.MultiIndex.from_frame(self.sides[["event", "section", "side"]]))
        self.lifetime = schedule.whole.lifetime_games(np.inf)[:, 0] + schedule.whole.played

    def event_name(self, event: int) -> str:
        row = self.events.iloc[event]
        return str(row["event"] if pd.isna(row["name"]) else row["name"])

    def card(self, player: str) -> Card:
        schedule, whole, replay = self.schedule, self.schedule.whole, self.replay
        all_rows = self.rows_of[player]
        rows = all_rows[self.counts[all_rows]]
        rows = rows[np.argsort(whole.entry_period[rows], kind="stable")]
        entries = self.history.entries.iloc[schedule.entry_row[rows]]
        games = self._games(rows)
        way = self._way(rows)
        listed = self.history.players.drop_duplicates("player").set_index("player")
        pupil = bool(entries["school"].notna().any() or entries["grade"].notna().any())
        now, filed = self._now(rows, way)
        name = listed["name"].get(player) if "name" in listed else None
        return Card(
            player=player,
            name=player if name is None or pd.isna(name) else str(name),
            school=_last(entries["school"]),
            grade=_last(entries["grade"]),
            as_of=self.as_of,
            system=replay.system.name,
            now=now,
            then=self._then(way, filed),
            lifetime=float(self.lifetime[rows[-1]]) if len(rows) else 0.0,
            settled=float(replay.system.settled_games),
            way=way,
            seasons=_seasons(games, way, self._entered(rows), SCHOOL_YEAR if pupil else 1),
            best=self._best(games),
            run=self._run(games),
            last=self._last_event(rows, games),
            undated=int(way["date"].isna().sum()),
            not_counted=int(pd.isna(self.end[np.setdiff1d(all_rows, rows)]).sum()),
            of_teams=bool((whole.members[whole.unit[rows]] > 1).any()),
            scores=bool(len(games) and self.history.games["score"].iloc[games["at"]].notna().any()),
        )

    def _games(self, rows: Ints) -> pd.DataFrame:
        """The player's games (of a team, the team's), in time order, from the player's side."""
        schedule = self.schedule
        pieces = []
        for row in rows:
            period = int(schedule.whole.entry_period[row])
            unit = int(schedule.whole.unit[row])
            key = (self.events["event"].iloc[self.event[row]], schedule.section[period], schedule.unit_name[unit])
            at = self.games_of.get(key)
            if at is not None:
                pieces.append(self.sides.iloc[at].assign(row=row, unit=unit, period=period))
        if not pieces:
            columns = ("event", "at", "row", "unit", "round", "result", "status", "game", "outcome", "unknown")
            return pd.DataFrame({name: pd.Series(dtype=object) for name in columns})
        mine = pd.concat(pieces, ignore_index=True)
        games = self.history.games.iloc[mine["at"]].reset_index(drop=True)
        result = games["result"].where(mine["own"], 1 - games["result"])
        game = [self.game_of_row.get(int(at), -1) for at in mine["at"]]
        known = result.notna() & (games["status"] != schema.UNKNOWN)
        played = known & (games["status"] == schema.PLAYED)
        outcome = pd.Series(np.select([result > 0.5, result == 0.5], [WON, TIED], LOST)).where(played)
        mine = mine.assign(round=games["round"], result=result, status=games["status"], game=game, outcome=outcome)
        mine = mine.assign(unknown=~known & (games["status"] != schema.BYE))
        return mine.sort_values(["period", "round"], kind="stable", ignore_index=True)

    def _way(self, rows: Ints) -> pd.DataFrame:
        """The ratings after each event with a rated game, in time order: columns `WAY`."""
        replay, schedule = self.replay, self.schedule
        rows = rows[replay.rated[rows] > 0]
        events = self.events.iloc[self.event[rows]]
        deviation = replay.after.get("deviation")
        table = pd.DataFrame(
            {
                "event": events["event"].to_numpy(),
                "name": events["name"].fillna(events["event"]).to_numpy(),
                "date": events["end_date"].to_numpy(),
                "games": schedule.whole.played[rows],
                "wins": schedule.whole.wins[rows],
                "rating": replay.after["rating"][rows, 0],
                "deviation": np.nan if deviation is None else deviation[rows, 0],
            }
        )
        # of several sections in one event, the rating after the last; games and wins of all
        by = table.groupby("event", sort=False)
        table[["games", "wins"]] = by[["games", "wins"]].transform("sum")
        return table.drop_duplicates("event", keep="last", ignore_index=True)[list(WAY)]

    def _now(self, rows: Ints, way: pd.DataFrame) -> tuple[Standing | None, Standing | None]:
        """The rating now, and the one that was filed before the first rated game, where there was one."""
        state = self.replay.before
        filed = None
        known = rows[self.known[rows]]
        rated = rows[self.replay.rated[rows] > 0]
        before_any = known[known <= rated[0]] if len(rated) else known
        if len(before_any):
            row = before_any[-1]
            filed = self._standing(state, int(row), FILED)
        if not len(way):
            return filed, filed
        now = way.iloc[-1]
        if pd.isna(now["rating"]):
            return None, filed
        return Standing(float(now["rating"]), float(now["deviation"]), now["date"]), filed

    def _standing(self, state: dict[str, Any], row: int, what: str) -> Standing | None:
        rating = float(state["rating"][row, 0])
        deviation = float(state["deviation"][row, 0]) if "deviation" in state else np.nan
        return None if np.isnan(rating) else Standing(rating, deviation, pd.Timestamp(self.end[row]), what)

    def _then(self, way: pd.DataFrame, filed: Standing | None) -> Standing | None:
        """The rating held a year before the card's date, if it has moved since; else the first one; else that filed."""
        kept = way.dropna(subset=["rating"])
        if pd.notna(self.as_of):
            early = kept[kept["date"] <= self.as_of - pd.DateOffset(years=1)]
            if 0 < len(early) < len(kept):  # of somebody who has not played since, the first says more
                row = early.iloc[-1]
                return Standing(float(row["rating"]), float(row["deviation"]), row["date"], YEAR_AGO)
        if len(kept) > 1:
            row = kept.iloc[0]
            return Standing(float(row["rating"]), float(row["deviation"]), row["date"], FIRST)
        return filed if len(kept) else None

    def _entered(self, rows: Ints) -> pd.DataFrame:
        return pd.DataFrame({"event": self.events["event"].to_numpy()[self.event[rows]], "date": self.end[rows]})

    def _best(self, games: pd.DataFrame) -> Win | None:
        """The rated win against the opponent rated highest before the event; the first of equals."""
        won = games[(games["outcome"] == WON) & (games["game"] >= 0)]
        if not len(won):
            return None
        whole = self.schedule.whole
        game, unit = won["game"].to_numpy(dtype=np.int64), won["unit"].to_numpy(dtype=np.int64)
        opponent = np.where(whole.a[game] == unit, whole.b[game], whole.a[game])
        strength = self.replay.unit_strength
        rating = np.where(self.unit_known[opponent], strength["rating"][opponent, 0], np.nan)
        if np.isnan(rating).all():
            return None
        at = int(np.nanargmax(rating))
        deviation, row = strength.get("deviation"), won.iloc[at]
        event = int(self.event[row["row"]])
        return Win(
            rating=float(rating[at]),
            deviation=np.nan if deviation is None else float(deviation[opponent[at], 0]),
            own=float(strength["rating"][unit[at], 0]) if self.unit_known[unit[at]] else np.nan,
            event=self.event_name(event),
            date=self.events["end_date"].iloc[event],
            round=int(row["round"]),
        )

    def _run(self, games: pd.DataFrame) -> Run | None:
        """The longest run of games without a loss, the first of equals; a game whose result is not known ends one."""
        best: list[int] = []
        here: list[int] = []
        for at, (outcome, unknown) in enumerate(zip(games["outcome"], games["unknown"], strict=True)):
            if outcome in (WON, TIED):
                here = [*here, at]
                best = here if len(here) > len(best) else best
            elif outcome == LOST or unknown:
                here = []
        if not best:
            return None
        events = [int(self.event[games["row"].iloc[at]]) for at in (best[0], best[-1])]
        told = [self.event_name(event) for event in events]
        days = [self.events["end_date"].iloc[event] for event in events]
        return Run(len(best), int((games["outcome"].iloc[best] == TIED).sum()), told[0], told[1], days[0], days[1])

    def _last_event(self, rows: Ints, games: pd.DataFrame) -> LastEvent | None:
        replay, whole = self.replay, self.schedule.whole
        rated = rows[replay.rated[rows] > 0]
        if not len(rated):
            return None
        here = rated[self.event[rated] == self.event[rated[-1]]]
        mine = games[games["row"].isin(here) & (games["game"] >= 0)]
        game, unit = (mine[name].to_numpy(dtype=np.int64) for name in ("game", "unit"))
        expected = sd = np.nan
        if self.known[here[0]] and replay.system.has_forecast:
            win = np.where(whole.a[game] == unit, replay.win[game], 1 - replay.win[game])
            expected, sd = float(win.sum()), float(np.sqrt((win * (1 - win)).sum()))
        event = int(self.event[here[0]])
        return LastEvent(
            event=self.event_name(event),
            date=self.events["end_date"].iloc[event],
            section=str(self.schedule.section[whole.entry_period[here[-1]]]),
            games=len(mine),
            wins=float(mine["result"].sum()),
            expected=expected,
            sd=sd,
            before=float(replay.before["rating"][self.schedule.before_event[here[0]], 0]),
            after=float(replay.after["rating"][here[-1], 0]),
        )


def _places(keys: Any) -> dict[Any, Ints]:
    """Where each of these keys stands."""
    code, known = pd.factorize(keys)
    order = np.argsort(code, kind="stable")
    return dict(zip(known, np.split(order, np.cumsum(np.bincount(code))[:-1]), strict=True)) if len(code) else {}


def _last(values: pd.Series) -> str | None:
    known = values.dropna()
    return str(known.iloc[-1]) if len(known) else None


def season_of(date: pd.Timestamp, begins: int) -> str:
    """The season that a day is in, where seasons begin with a month: `2011–12`, or from January on `2011`.

    >>> season_of(pd.Timestamp("2012-05-12"), 8), season_of(pd.Timestamp("2012-05-12"), 1), season_of(pd.NaT, 8)
    ('2011–12', '2012', 'no date')
    """
    if pd.isna(date):
        return "no date"
    year = date.year - (date.month < begins)
    return str(year) if begins == 1 else f"{year}\N{EN DASH}{(year + 1) % 100:02d}"


def _seasons(games: pd.DataFrame, way: pd.DataFrame, entered: pd.DataFrame, begins: int) -> pd.DataFrame:
    """Results and the last rating of each season with a game, in time order: columns `SEASONS`."""
    entered = entered[entered["event"].isin(games["event"])]  # not an entry list that nobody has played yet
    entered = entered.drop_duplicates("event").assign(season=lambda of: [season_of(d, begins) for d in of["date"]])
    season = entered.set_index("event")["season"]
    rows = []
    for name, events in entered.groupby("season", sort=False)["event"]:
        mine = games[games["event"].isin(events)]
        ends = way[way["event"].map(season) == name]
        counted = mine["outcome"].notna()
        forfeits = mine[(mine["status"] == schema.FORFEIT) & mine["result"].notna()]
        rows.append(
            {
                "season": name,
                "events": len(events),
                "games": int(counted.sum()),
                **{what: int((mine["outcome"] == what).sum()) for what in (WON, TIED, LOST)},
                "byes": int((mine["status"] == schema.BYE).sum()),
                "forfeits_won": int((forfeits["result"] > 0.5).sum()),
                "forfeits_lost": int((forfeits["result"] <= 0.5).sum()),
                "unrated": int((counted & (mine["game"] < 0)).sum()),
                "unknown": int(mine["unknown"].sum()),
                "rating": ends["rating"].iloc[-1] if len(ends) else np.nan,
                "deviation": ends["deviation"].iloc[-1] if len(ends) else np.nan,
            }
        )
    kinds = dict.fromkeys(SEASONS[1:-2], "int64") | dict.fromkeys(SEASONS[-2:], "float64")
    return pd.DataFrame(rows, columns=list(SEASONS)).astype(kinds | {"season": "str"})
