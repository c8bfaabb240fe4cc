"""What a report takes where nobody says: the rating system that suits a history, and those to hold beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratinglab.systems import PRESETS, SYSTEMS, parse
from ratinglab.systems.base import System

if TYPE_CHECKING:
    from ratinglab.history import History


def usual_system(history: History) -> tuple[System, str]:
    """The system that such a history is usually rated by, and why, to stand after "because".

    Places in most events: dip-pouch. Games most of whose scores are known: glixo. Else the system that all events with
    a system are filed under, if it can forecast games, else elo on the scale of chess.
    """
    games, placed = history.games, set(history.placings["event"])
    if len(placed) and len(placed) >= len(set(games["event"]) - placed):
        return parse("dip-pouch"), "the results are places"
    played = games[games["status"] == "played"]
    if len(played) and played[["score", "opponent_score"]].notna().all(axis=1).mean() >= 0.5:
        return parse("glixo"), "the scores of games are known"
    filed = set(history.events.loc[history.events["event"].isin(games["event"]), "system"].dropna())
    if len(filed) == 1 and (name := filed.pop()) in {*SYSTEMS, *PRESETS}:
        system = parse(name)
        if system.has_forecast:
            return system, "the events are filed under it"
    return parse("elo:scale=400"), "only wins and losses are known"


def usual_comparison(history: History) -> tuple[str, ...]:
    """The systems to hold beside it."""
    system, _ = usual_system(history)
    if system.rates == "placings":
        return ("elo:k=1", "glicko")
    return ("glixo", "naspa", "elo") if system.name == "glixo" else (system.label, "elo:scale=400", "glicko")
