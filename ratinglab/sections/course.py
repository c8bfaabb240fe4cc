"""Which section each child has reached, from the events before: played, won, moved by the director."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from ratinglab import schema
from ratinglab.standings import CHESS, standings

if TYPE_CHECKING:
    from ratinglab.history import History

MERGED = "too few"  # how the reason of an override begins that only joined a small section to another


@dataclass(frozen=True)
class Reached:
    """The section that somebody has reached, by its place on the ladder, and how: by playing in it, or by winning."""

    section: int
    how: str


def reached(history: History, ladder: Sequence[str], *, co_winners: bool = True) -> dict[str, Reached]:
    """By player the section reached after all events of the history, which ends before the one to be placed.

    Sections that are not on the `ladder` (championships by grade) move nobody. A section once played in is kept (who is
    in none of its games or byes has not played, as after a withdrawal); who wins one is in the next; who shares the win
    too, with `co_winners`, else the first by tie-breaks alone. A director's override (section_override) counts also
    downwards, unless its reason begins with "too few": a small section that joined another changes nothing, and "too
    few in King" says for which one somebody was entered. Events are taken in time order. Of teams it is the team's.
    """
    place = {section: i for i, section in enumerate(ladder)}
    entries = history.entries[history.entries["section"].isin(place)]
    entries = entries.assign(unit=entries["team"].fillna(entries["player"]))
    games = history.games
    sides = pd.concat([games["player"], games["opponent"]])
    there = set(zip(*(pd.concat([games[c]] * 2) for c in ("event", "section")), sides, strict=True))
    out: dict[str, Reached] = {}
    for event, date in zip(history.events["event"], history.events["end_date"], strict=True):
        mine = entries[entries["event"] == event]
        if mine.empty:
            continue
        day = "" if pd.isna(date) else f" on {date:%Y-%m-%d}"
        moved = []
        for player, section, override, reason in mine[
            ["unit", "section", "section_override", "override_reason"]
        ].itertuples(index=False):
            if (event, section, player) not in there:
                continue
            before, merged = out.get(player), str(reason).casefold().startswith(MERGED)
            own = next((name for name in ladder if merged and str(reason).endswith(name)), section)
            at, ordered = place[own], pd.notna(override) and not merged
            if before is None or at > before.section or ordered:
                told = "placed by the director in" if ordered else "was entered for" if merged else "has played in"
                out[player] = Reached(at, f"{told} {own}{day}")
        for section in mine["section"].unique():
            if place[section] == len(ladder) - 1:
                continue
            first = winners(history, event, section, co_winners=co_winners)
            shared = ", shared" if len(first) > 1 else ""
            moved += [(player, place[section] + 1, f"won {section}{day}{shared}") for player in first]
        for player, at, told in moved:
            if player not in out or at > out[player].section:
                out[player] = Reached(at, told)
    return out


def winners(history: History, event: str, section: str, *, co_winners: bool = True) -> list[str]:
    """Who won a section: the most points, as filed, byes and forfeits among them; nobody where no game was played.

    With `co_winners` all who share the most points, else of them the first by the tie-breaks of chess
    (`standings.standings`); who is level in those too is first by pairing number.
    """
    games = history.games[(history.games["event"] == event) & (history.games["section"] == section)]
    sides = pd.concat(
        [
            games[["player", "result"]],
            games.assign(result=1 - games["result"])[["opponent", "result"]].rename(columns={"opponent": "player"}),
        ]
    ).dropna()
    if not (games["status"] == schema.PLAYED).any() or sides.empty:
        return []
    points = sides.groupby("player", sort=False)["result"].sum()
    best = list(points.index[points == points.max()])
    if co_winners or len(best) == 1:
        return best
    table = standings(history, event, section, kind=CHESS)
    return list(table.loc[table["player"].isin(best)].sort_values("rank", kind="stable")["player"].head(1))
