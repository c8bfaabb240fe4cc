"""Which of several ratings counts: what there is of each entrant, and the rule by which one of them is taken.

A person may have a rating from the replay, one filed with the entry, a local and a national one, and others in dated
lists. Each has a kind, a source and a date, and the rule's outcome is told for everybody. Source of the rules: those
that committees use, local, national, the higher, national if established and higher, the most recent.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from ratinglab.problems import UsageError

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.replaying import Replay

RULES = ("replay", "local", "national", "higher", "established-and-higher", "most-recent")
REPLAY, LOCAL, NATIONAL, FILED, UNRATED = "replay", "local", "national", "filed", "unrated"
CONVERTED = "national, converted"
ESTABLISHED = 20  # games from which a national rating is established, where nothing else is asked for

CHOICES = (
    "player", "team", "kind", "source", "as_of", "rating", "deviation", "games", "taken", "why",
)  # fmt: skip

_SAYS = {
    "replay": "The rating from the replay counts; who has no rated game in it stands at the local rating, and without "
    "one at the national rating.",
    "local": "The local rating counts; who has none stands at the rating from the replay, and without one at the "
    "national rating.",
    "national": "The national rating counts; who has none stands at the rating from the replay, and without one at the "
    "local rating.",
    "higher": "The higher counts of the committee’s own rating (from the replay, or else the local one) and the "
    "national one.",
    "established-and-higher": "The national rating counts where it rests on {established} games or more and is higher "
    "than the committee’s own (from the replay, or else the local one); otherwise the own one does.",
    "most-recent": "The most recent rating counts; of two of one day the committee’s own.",
}


class Rating(NamedTuple):
    """One rating of somebody; what is not known is nan, NaT or an empty text. `day` is that of which it is a rating."""

    kind: str
    source: str
    day: pd.Timestamp
    rating: float
    deviation: float = float("nan")
    games: float = float("nan")

    @property
    def own(self) -> bool:
        """Whether it is the committee's: of any kind but national ones."""
        return not self.national

    @property
    def national(self) -> bool:
        """Whether it is the national one, converted to the committee's scale or not."""
        return self.kind.casefold() in (NATIONAL, CONVERTED)


@dataclass(frozen=True)
class Rule:
    """How one of several ratings is chosen: one of `RULES`; national ratings are established from so many games on.

    Raises `UsageError` for another word.
    """

    choose: str = "replay"
    established: int = ESTABLISHED

    def __post_init__(self) -> None:
        """The word is one of the rules."""
        if self.choose not in RULES:
            raise UsageError(f"--choose is one of {', '.join(RULES)}; found {self.choose}")

    @property
    def says(self) -> str:
        """The rule in words."""
        return _SAYS[self.choose].format(established=self.established)

    def of(self, ratings: Sequence[Rating]) -> tuple[Rating | None, str]:
        """The rating that is taken of somebody, and why; of nothing, nothing.

        >>> mine = Rating("local", "club", pd.Timestamp("2012-01-01"), 1400)
        >>> other = Rating("national", "federation", pd.Timestamp("2011-01-01"), 1500, games=8)
        >>> Rule("established-and-higher").of([mine, other])[1]
        'local: the national rating is not established (8 games)'
        """
        if not ratings:
            return None, "no rating of any kind"
        replayed = _latest([one for one in ratings if one.kind == REPLAY])
        local = _latest([one for one in ratings if one.own and one.kind != REPLAY])
        national = _latest([one for one in ratings if one.kind == CONVERTED]) or _latest(
            [one for one in ratings if one.national]
        )
        if len({(one.kind, one.rating) for one in ratings if one.kind != CONVERTED}) == 1:
            only = national or replayed or local
            assert only is not None
            return only, f"{only.kind}: the only rating there is"
        if self.choose == "most-recent":
            return _most_recent(ratings, replayed, local, national)
        if self.choose in ("higher", "established-and-higher"):
            return self._higher(replayed or local, national)
        order = {
            "replay": [replayed, local, national],
            "local": [local, replayed, national],
            "national": [national, replayed, local],
        }
        asked, *others = order[self.choose]
        if asked is not None:
            return asked, f"{asked.kind}: counts before all others"
        taken = next(one for one in others if one is not None)
        lacks = "no rated game in the replay" if self.choose == REPLAY else f"no {self.choose} rating"
        return taken, f"{taken.kind}: {lacks}"

    def _higher(self, own: Rating | None, national: Rating | None) -> tuple[Rating, str]:
        """The higher of two, the national one only if it is established where that is asked."""
        if own is None or national is None:
            only = own or national
            assert only is not None
            return only, f"{only.kind}: no {'national' if national is None else 'local'} rating"
        if self.choose != "higher" and not national.games >= self.established:
            known = "number of games not known" if np.isnan(national.games) else f"{national.games:.0f} games"
            return own, f"{own.kind}: the national rating is not established ({known})"
        if national.rating > own.rating:
            also = "established and " if self.choose != "higher" else ""
            return national, f"{national.kind}: {also}higher than the {own.kind} rating"
        return own, f"{own.kind}: the national rating is not higher"


def _latest(ratings: Sequence[Rating]) -> Rating | None:
    """The most recent of them, the first of several of one day; one without a day is older than any."""
    if not ratings:
        return None
    return max(ratings, key=lambda one: pd.Timestamp.min if pd.isna(one.day) else one.day)


def _most_recent(
    ratings: Sequence[Rating], replayed: Rating | None, local: Rating | None, national: Rating | None
) -> tuple[Rating, str]:
    candidates = [one for one in (replayed, local, national) if one is not None]
    taken = _latest(candidates)
    assert taken is not None
    if pd.isna(taken.day):
        return taken, f"{taken.kind}: no date is known of any, and the own rating counts first"
    older = [one for one in ratings if one is not taken and not pd.isna(one.day) and one.day == taken.day]
    also = ", as is another; the own rating counts first" if older and taken.own else ""
    return taken, f"{taken.kind}: the most recent, of {taken.day:%Y-%m-%d}{also}"


def no_ratings() -> pd.DataFrame:
    """The table of ratings beside the entries, with nothing in it."""
    columns = ("row", "kind", "source", "as_of", "rating", "deviation", "games")
    return pd.DataFrame({name: pd.Series(dtype=object) for name in columns})


def _rows(table: pd.DataFrame) -> Iterator[Any]:
    yield from table.itertuples()


# --- what ratings there are -------------------------------------------------------------------------------------------


def ratings_of(
    history: History, event: str, beside: pd.DataFrame, replayed: Replay | None, convert: Converter | None = None
) -> list[list[Rating]]:
    """The ratings of each entry of the event, in the order of the entries.

    From the replay's state before the event; filed with the entry, or with the last earlier one of whoever has no rated
    game; `beside` the entry (columns row, kind, source, as_of, rating, deviation, games; row is the position among all
    entries); and of each kind the latest in the history's dated lists up to the event's first day. `convert` brings a
    national rating to the committee's scale, for those who have no other.
    """
    rows = np.flatnonzero((history.entries["event"] == event).to_numpy())
    entries = history.entries.iloc[rows]
    found: list[list[Rating]] = [[] for _ in rows]
    if replayed is not None:
        _from_replay(found, rows, replayed)
    earlier = _filed_earlier(history, event)
    for ratings, entry in zip(found, _rows(entries), strict=True):
        if pd.notna(entry.rating):
            kind = entry.rating_kind if isinstance(entry.rating_kind, str) else FILED
            source = FILED if kind == FILED else f"{FILED} ({kind})"
            games = float("nan") if pd.isna(entry.lifetime_games) else float(entry.lifetime_games)
            ratings.append(Rating(kind, source, entry.as_of, entry.rating, entry.deviation, games))
        elif not ratings and entry.player in earlier:
            ratings.append(earlier[entry.player])
    position = {row: i for i, row in enumerate(rows.tolist())}
    for one in _rows(beside):
        if one.row in position:
            source = str(one.source) if pd.notna(one.source) else f"{FILED} ({one.kind})"
            found[position[one.row]].append(
                Rating(str(one.kind), source, one.as_of, one.rating, one.deviation, one.games)
            )
    _from_lists(found, history, event, entries["player"])
    if convert is not None:
        for ratings in found:
            _add_converted(ratings, convert)
    return found


Converter = Callable[[float], "tuple[float, float] | None"]  # a rating on the other scale: value and sd, or nothing


def _from_replay(found: list[list[Rating]], rows: np.ndarray, replayed: Replay) -> None:
    from ratinglab.seeding.seeding import known_before, last_rated_day

    prepared = replayed.schedule
    at = np.empty(len(prepared.entry_row), dtype=np.int64)
    at[prepared.entry_row] = np.arange(len(at))
    rated, _ = known_before(prepared)
    day = last_rated_day(replayed)
    for ratings, row in zip(found, at[rows].tolist(), strict=True):
        before = prepared.before_event[row]
        rating = float(replayed.before["rating"][before, 0])
        if not rated[row] or np.isnan(rating):
            continue
        deviation = replayed.before.get("deviation")
        ratings.append(
            Rating(
                REPLAY,
                f"{replayed.system.name} replay",
                day[row],
                rating,
                float("nan") if deviation is None else float(deviation[before, 0]),
                float(prepared.games_before[row]),
            )
        )


def _filed_earlier(history: History, event: str) -> dict[str, Rating]:
    """By player the rating last filed with an entry of an earlier event."""
    place = dict(zip(history.events["event"], range(len(history.events)), strict=True))
    entries = history.entries[history.entries["rating"].notna()]
    entries = entries.assign(place=entries["event"].map(place))
    entries = entries[entries["place"] < place[event]].sort_values("place", kind="stable")
    last = entries.drop_duplicates("player", keep="last")
    names = history.events.set_index("event")
    out = {}
    for one in _rows(last):
        name = names.loc[one.event, "name"]
        source = f"{FILED} at {one.event if pd.isna(name) else name}"
        day = names.loc[one.event, "date"] if pd.isna(one.as_of) else one.as_of
        kind = one.rating_kind if isinstance(one.rating_kind, str) else FILED
        out[str(one.player)] = Rating(kind, source, day, float(one.rating), float(one.deviation))
    return out


def _from_lists(found: list[list[Rating]], history: History, event: str, players: pd.Series) -> None:
    """Add the latest rating of each kind of list, of a date up to the event's first day."""
    lists = history.rating_lists.dropna(subset=["list_date", "rating"])
    lists = lists[lists["player"].isin(players)]
    day = history.events.loc[history.events["event"] == event, "date"].iloc[0]
    if pd.notna(day):
        lists = lists[lists["list_date"] <= day]
    if lists.empty:
        return
    lists = lists.assign(kind=lists["kind"].fillna(LOCAL)).sort_values("list_date", kind="stable")
    latest = lists.drop_duplicates(["player", "kind"], keep="last")
    by_player: dict[str, list[Rating]] = {}
    for one in _rows(latest):
        source = str(one.source) if pd.notna(one.source) else f"{one.kind} list"
        made = Rating(str(one.kind), source, one.list_date, float(one.rating), float(one.deviation))
        by_player.setdefault(str(one.player), []).append(made)
    for ratings, player in zip(found, players, strict=True):
        ratings.extend(by_player.get(player, []))


def _add_converted(ratings: list[Rating], convert: Converter) -> None:
    """Add the national rating as it is on the committee's scale, of somebody who has no other."""
    if any(one.own for one in ratings):
        return
    national = _latest([one for one in ratings if one.national])
    made = None if national is None else convert(national.rating)
    if national is not None and made is not None:
        value, sd = made
        ratings.append(
            national._replace(kind=CONVERTED, source=f"{national.source}, converted", rating=value, deviation=sd)
        )


# --- the table --------------------------------------------------------------------------------------------------------


def choices(
    history: History,
    event: str,
    found: Sequence[Sequence[Rating]],
    rule: Rule,
    *,
    zero: Container[int] = (),
    replayed: bool = True,
) -> pd.DataFrame:
    """A row for each rating of each entry of the event (one without figures for who has none): the table choices.csv.

    `taken` is 1 for the one that counts, `why` says why on that row. `zero` are the entries (positions in the history)
    that file a 0, which says unrated; `replayed` whether there is a replay that might know them. Column `row` is the
    entry's place among those of the event, `section` its section; neither is part of the file.
    """
    mine = (history.entries["event"] == event).to_numpy()
    entries, position = history.entries[mine], np.flatnonzero(mine).tolist()
    before = set(history.entries.loc[~mine, "player"])
    made = []
    for row, (entry, ratings) in enumerate(zip(_rows(entries), found, strict=True)):
        taken, why = rule.of(ratings)
        if taken is None:
            why = "0 filed, which says unrated" if position[row] in zero else "no rating filed"
            why += (", entered before, no rated game yet" if entry.player in before else ", no rated game") * replayed
        none = Rating(UNRATED, "", pd.NaT, float("nan"))  # type: ignore[arg-type]
        for one in ratings or [none]:
            counts = one is taken or not ratings
            made.append(
                (row, entry.section, entry.player, entry.team, one.kind, one.source or None, one.day, one.rating,
                 one.deviation, one.games, int(counts), why if counts else None)
            )  # fmt: skip
    table = pd.DataFrame(made, columns=["row", "section", *CHOICES])
    return table.astype(
        {"player": "str", "team": "str", "source": "str", "why": "str", "as_of": "datetime64[us]", "games": "float64"}
    ).assign(games=lambda made: made["games"].round().astype("Int64"))
