"""The examples of the source documents as one small history, with invented names: `data/worked-examples/`.

Where a document gives ratings and no results, the results are chosen here, and the event's note says so.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from ratinglab.output import csv_text

Games = list[tuple[int, str, str, float, float]]  # round, player, opponent, both scores


class _Field(NamedTuple):
    """An entrant: rating, deviation, lifetime games, grade, team; None where the example does not have it."""

    player: str
    rating: float | None = None
    deviation: float | None = None
    lifetime: int | None = None
    grade: str | None = None
    team: str | None = None


def files() -> dict[str, bytes]:
    """Every file of the examples by its name."""
    return {f"{name}.csv": csv_text(table).encode() for name, table in tables().items()}


def tables() -> dict[str, pd.DataFrame]:
    """The tables of the native format: events, entries, games, placings, rating_lists."""
    made = _Tables()
    _glixo(made)
    _naspa(made)
    _chess(made)
    _diplomacy(made)
    for player, ratings in (("Ansel Dovery", (1921, 1934, 1930, 1912)), ("Bettany Olrick", (1934, 1902, 1915, 1920))):
        made.lists += [(player, f"1998-{month:02d}-01", rating, "NSA") for month, rating in enumerate(ratings, 6)]
    return made.frames()


class _Tables:
    """Rows as they come."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.entries: list[dict[str, Any]] = []
        self.games: list[dict[str, Any]] = []
        self.placings: list[dict[str, Any]] = []
        self.lists: list[tuple[str, str, float, str]] = []

    def event(self, event: str, name: str, date: str, note: str, **columns: Any) -> None:
        self.events.append({"event": event, "name": name, "date": date, "kind": "games", "note": note, **columns})

    def field(self, event: str, *entrants: _Field) -> None:
        numbers: dict[str, int] = {}
        for entrant in entrants:
            number = numbers.setdefault(entrant.team or entrant.player, len(numbers) + 1)
            self.entries.append({
                "event": event, "number": number, "player": entrant.player, "team": entrant.team,
                "grade": entrant.grade, "rating": entrant.rating, "deviation": entrant.deviation,
                "lifetime_games": entrant.lifetime,
            })  # fmt: skip

    def played(self, event: str, games: Games) -> None:
        for round_, player, opponent, score, opponent_score in games:
            self.games.append({
                "event": event, "round": round_, "player": player, "opponent": opponent,
                "score": score, "opponent_score": opponent_score,
            })  # fmt: skip

    def decided(self, event: str, games: list[tuple[int, str, str, float]]) -> None:
        for round_, player, opponent, result in games:
            self.games.append({
                "event": event, "round": round_, "player": player, "opponent": opponent, "result": result,
            })  # fmt: skip

    def frames(self) -> dict[str, pd.DataFrame]:
        lists = pd.DataFrame(self.lists, columns=["player", "list_date", "rating", "kind"])
        made = {
            "events": pd.DataFrame(self.events), "entries": pd.DataFrame(self.entries),
            "games": pd.DataFrame(self.games), "placings": pd.DataFrame(self.placings), "rating_lists": lists,
        }  # fmt: skip
        whole = {"entries": ["number", "lifetime_games"], "placings": ["place", "of"], "events": ["rounds", "players"]}
        for table, columns in whole.items():
            made[table] = made[table].astype({c: "Int64" for c in columns if c in made[table]})
        return made


def _glixo(made: _Tables) -> None:
    """The sample code and the paragraph on teams of the 2012 NSSC page."""
    event = "nssc-glixo"
    made.event(event, "NSSC 2012, sample code", "2012-05-12", "a newcomer beats 1700±50 by 40", rounds=1,
               system="glixo")  # fmt: skip
    made.field(event, _Field("Corin Vashti"), _Field("Delphine Amsworth", 1700, 50))
    made.played(event, [(1, "Corin Vashti", "Delphine Amsworth", 410, 370)])
    event = "nssc-teams"
    made.event(event, "NSSC 2012, teams", "2012-05-13", "members of ±40 each; the scores are ours", rounds=1,
               system="glixo")  # fmt: skip
    made.field(
        event,
        _Field("Ezra Pendock", 1717, 40, team="Larkspur A"), _Field("Fay Grindle", 1500, 40, team="Larkspur A"),
        _Field("Gus Yarrowby", 1600, 40, team="Millrace B"), _Field("Hetta Sorrel", 1560, 40, team="Millrace B"),
    )  # fmt: skip
    made.played(event, [(1, "Larkspur A", "Millrace B", 390, 365)])


def _naspa(made: _Tables) -> None:
    """Expected wins before 2009, and four players under nsa2008."""
    event = "nsa-expected-wins"
    made.event(event, "Expected wins before 2009", "2008-06-01", "ratings as published; the results are ours",
               rounds=7, system="nsa")  # fmt: skip
    opponents = [f"Opponent {number}" for number in range(1, 8)]
    ratings = (1702, 1702, 1778, 1922, 1922, 1998, 1998)
    made.field(event, _Field("Ansel Dovery", 1850), *map(_Field, opponents, ratings))
    scores = ((400, 350), (410, 380), (380, 370), (390, 400), (350, 390), (360, 420), (330, 410))
    made.played(event, [(i, "Ansel Dovery", opponents[i - 1], *pair) for i, pair in enumerate(scores, 1)])
    event = "naspa-four-players"
    made.event(event, "Four players, five rounds", "2024-03-02", "acceleration of the last, feedback to the others",
               rounds=5, system="nsa2008")  # fmt: skip
    names = ("Ibb Northolt", "Jory Thwaite", "Kester Ulm", "Linnet Quarrie")
    made.field(event, *map(_Field, names, (1830, 1285, 1246, 1115)))
    a, b, c, d = names
    made.played(event, [
        (1, a, b, 412, 366), (1, c, d, 350, 391), (2, a, b, 430, 401), (2, c, d, 345, 377), (3, a, b, 371, 398),
        (3, c, d, 402, 365), (4, a, c, 420, 333), (4, b, d, 340, 389), (5, a, d, 455, 350), (5, b, c, 399, 362),
    ])  # fmt: skip


def _chess(made: _Tables) -> None:
    """200 points and 3 of 4, a child who loses to everybody, and the worked examples of the US Chess formula."""
    event = "evanston-200-points"
    made.event(event, "Evanston: 3 of 4", "2012-02-04", "200 points apart; the results are ours", rounds=4,
               system="evanston")  # fmt: skip
    made.field(event, _Field("Mabry Quillon", 600, grade="5"), _Field("Nico Brandt", 400, grade="4"))
    made.decided(event, [(r, "Mabry Quillon", "Nico Brandt", 1.0 if r < 4 else 0.0) for r in range(1, 5)])
    event = "evanston-negative"
    made.event(event, "Evanston: below zero", "2012-02-11", "a kindergartner loses four games; the results are ours",
               rounds=4, system="evanston")  # fmt: skip
    field = [_Field("Orla Penhale", grade="K")]
    field += [_Field(f"Pawn {number}", rating, lifetime=12) for number, rating in enumerate((90, 120, 40, 60), 1)]
    made.field(event, *field)
    made.decided(event, [(r, "Orla Penhale", f"Pawn {r}", 0.0) for r in range(1, 5)])
    event = "uscf-bonus"
    made.event(event, "US Chess: 1300 after 45 games", "2016-06-04", "the worked example of the bonus", rounds=4,
               system="uscf")  # fmt: skip
    made.field(event, _Field("Pip Rosewarne", 1300, lifetime=45), *(
        _Field(f"Rival {rating}", rating) for rating in (1250, 1400, 1500, 1550)
    ))  # fmt: skip
    games = ((1250, 1.0), (1400, 0.5), (1500, 1.0), (1550, 1.0))
    made.decided(event, [(r, "Pip Rosewarne", f"Rival {o}", won) for r, (o, won) in enumerate(games, 1)])


def _diplomacy(made: _Tables) -> None:
    """8th of 65 with a rating of 55, and a table with the ties and gaps of one that is published."""
    event = "dip-pouch-eighth"
    made.event(event, "8th of 65", "2012-06-10", "the page's own example", kind="placings", rounds=3, players=65)
    made.entries.append({"event": event, "player": "Quinn Aldous", "rating": 55})
    made.placings.append({"event": event, "player": "Quinn Aldous", "place": 8, "of": 65})
    event = "dip-pouch-gaps"
    note = "36 entrants, 29 rows: two share place 5, two share place 26, places 30 to 36 are missing"
    made.event(event, "36 entrants, 29 places", "2019-05-26", note, kind="placings", rounds=3, players=36)
    places = [1, 2, 3, 4, 5, 5, *range(7, 26), 26, 26, 28, 29]
    for number, place in enumerate(places, 1):
        made.placings.append({"event": event, "player": f"Envoy {number:02d}", "place": place, "of": 36})
