"""The Dip Pouch Tournament Rating, case by case as its page tells it."""

from __future__ import annotations

from collections.abc import Sequence

from making_placings import Placed


def value(event: Placed) -> float | None:
    """The percentage of the way; None where it cannot be told."""
    if event.championship in ("World", "WDC;DipCon"):
        return 20
    if int(event.date[:4]) < 2001:
        return 0
    if event.of is None:
        return None
    if event.rounds is None:
        single, several = event.of / 7 + 2, event.of / 3.5 + 2
        return 15 if single >= 15 and several >= 15 else None
    worth = event.of / 7 + 2 if event.rounds == 1 else event.of / 3.5 + 2
    return min(worth, 15)


def dip_pouch(events: Sequence[Placed]) -> dict[str, float]:
    """Ratings after events in the order given, by name, of everybody who is listed anywhere."""
    ratings: dict[str, float] = {}
    for event in events:
        worth = value(event)
        for name, place in event.places.items():
            rating = ratings.setdefault(name, 40.0)
            if place is None or event.of is None or worth is None or place > event.of:
                continue
            score = (event.of + 0.5 - place) / event.of * 100
            ratings[name] = rating + worth / 100 * (score - rating)
    return ratings
