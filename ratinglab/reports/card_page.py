"""A player's own card as a page that prints on one side, and the cards of a school: an index, and all to print."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from markupsafe import Markup

from ratinglab import plots
from ratinglab.card import FILED, FIRST, YEAR_AGO, Card, Standing
from ratinglab.output import Content
from ratinglab.reports import html
from ratinglab.reports.html import Column, Link, many, number
from ratinglab.reports.page import Page
from ratinglab.reports.pages import shown

if TYPE_CHECKING:
    from ratinglab.privacy import Protected

# Seasons that a card has room for; its CSV has them all.
MOST_SEASONS = 4
_TOLD_POINTS = 12  # of a picture, in its text alternative


@dataclass(frozen=True)
class _Figure:
    """One of the large figures at the top: what it is, the figure, and a word below it."""

    what: str
    figure: str
    below: str = ""


def page(card: Card, protected: Protected | None = None, *, stem: str = "card", within: str = "") -> Page:
    """One card as a page of its own, `stem`.html, with its tables beside it.

    Of somebody whom `protected` protects in public only the label and the ratings are told. `within` is the index that
    the card belongs to.
    """
    values = _values(card, protected, prefix="card")
    file = f"{stem}.html"
    name = file.rpartition("/")[2].removesuffix(".html")
    data: dict[str, Content] = {}
    if not values["card"]["reduced"]:
        data = {f"{name}-seasons.csv": card.seasons, f"{name}-ratings.csv": card.way}
        values["card"]["seasons"] = _seasons(card, f"{name}-seasons.csv", "seasons")
        values["card"]["ratings_csv"] = f"{name}-ratings.csv"
    return Page(file, f"Rating card: {card.name}", headline(card), "card.html", values, within=within, data=data)


def pages(cards: Sequence[Card], title: str, protected: Protected | None = None) -> list[Page]:
    """The cards of several people: an index, one page with all of them to print, and a page each in `cards/`.

    The pages of the cards are called by the names; in public, by numbers.
    """
    if protected is not None and protected.public:
        stems = [f"{at:0{len(str(len(cards)))}d}" for at in range(1, len(cards) + 1)]
    else:
        stems = list(html.slugs(card.player for card in cards).values())
    each = [
        page(card, protected, stem=f"cards/{stem}", within="index.html")
        for card, stem in zip(cards, stems, strict=True)
    ]
    rated = sum(card.now is not None for card in cards)
    told = f"{many(len(cards), 'card')}, {'all' if rated == len(cards) else number(rated)} of players with a rating"
    values = {"list": _list(cards, [one.file for one in each], protected), "says": _says(protected), "card": None}
    index = Page("index.html", title, told, "cards.html", values, short="Overview")
    body: Any = html.environment().get_template("card_body.html").module
    bodies = [
        {
            "title": one.title,
            "headline": one.headline,
            "body": Markup(body.body(_values(card, protected, f"c{at}")["card"])),
        }
        for at, (card, one) in enumerate(zip(cards, each, strict=True), 1)
    ]
    printed = Page(
        "all.html", f"All cards: {title}", "Each card on a side of its own, to be printed", "cards_all.html",
        {"bodies": bodies}, short="All cards to print",
    )  # fmt: skip
    return [index, printed, *each]


def table(cards: Sequence[Card], protected: Protected | None = None) -> pd.DataFrame:
    """The figures of several cards, one row each: the table `cards.csv`. Of protected people only label and ratings."""
    rows = []
    for card in cards:
        now, then = card.now, card.then
        row: dict[str, Any] = {
            "player": card.player,
            "rating": now.rating if now else math.nan,
            "deviation": now.deviation if now else math.nan,
            "last_event": now.date if now else pd.NaT,
            "then": then.rating if then else math.nan,
            "then_date": then.date if then else pd.NaT,
            "then_what": then.what if then else None,
            "as_of": card.as_of,
        }
        if not _reduced(card, protected):
            best, run, last = card.best, card.run, card.last
            row |= {
                "school": card.school,
                "grade": card.grade,
                "provisional": card.provisional,
                "events": len(card.way),
                "games": card.way["games"].sum(),
                "best_win": best.rating if best else math.nan,
                "unbeaten": run.games if run else 0,
                "last_games": last.games if last else 0,
                "last_wins": last.wins if last else math.nan,
                "last_expected": last.expected if last else math.nan,
                "section": card.place.section if card.place else None,
                "next_section": card.place.next if card.place else None,
                "missing": card.place.missing if card.place else math.nan,
            }
        rows.append(row)
    made = pd.DataFrame(rows)
    counts = {name: "Int64" for name in ("games", "events", "unbeaten", "last_games") if name in made}
    return made.astype(counts | ({"provisional": "boolean"} if "provisional" in made else {}))


# --- what a card says -------------------------------------------------------------------------------------------------


def headline(card: Card) -> str:
    """The card in a sentence: now and then."""
    now, then = card.now, card.then
    if now is None:
        return "No rating yet: the first rated game gives one"
    told = f"Rated {shown(now.rating, now.deviation)}"
    if not len(card.way):
        return f"{told}, the rating filed with the entry: no rated game so far"
    if then is None:
        return f"{told} after the first tournament"
    if then.what == FILED:
        return f"{told} after the first tournament, {shown(then.rating, then.deviation)} before it"
    return f"{told} now, {shown(then.rating, then.deviation)} {then.what}"


def _values(card: Card, protected: Protected | None, prefix: str) -> dict[str, Any]:
    reduced = _reduced(card, protected)
    about = [] if reduced else [card.school, f"grade {card.grade}" if card.grade else None]
    values: dict[str, Any] = {
        "reduced": reduced,
        "about": ", ".join(part for part in about if part),
        "as_of": card.as_of,
        "system": card.system,
        "figures": _figures(card, reduced),
        "change": _change(card),
        "sure": _sure(card),
        "says": _says(protected) if reduced else [],
        "picture": None,
        "notes": [],
        "seasons": None,
        "earlier": "",
        "ratings_csv": "",
        "undated": "" if reduced else " ".join(_undated(card)),
    }
    if not reduced:
        values |= {
            "picture": _picture(card, f"{prefix}-way"),
            "notes": [*_notes(card), ("Next goal", _goal(card))],
            "seasons": _seasons(card, "", f"{prefix}-seasons", card.name),
            "earlier": " ".join(part for part in (_earlier(card), _beside(card)) if part),
        }
    return {"card": values}


def _reduced(card: Card, protected: Protected | None) -> bool:
    return protected is not None and protected.public and card.player in protected.people


def _says(protected: Protected | None) -> list[str]:
    return [] if protected is None or not protected.public else list(protected.says)


def _figures(card: Card, reduced: bool) -> list[_Figure]:
    """Now, then, the difference, and the section."""
    made = [_Figure("Now", "not rated")] if card.now is None else [_figure("Now", card.now)]
    then = card.then
    if then is not None and card.now is not None and len(card.way):
        words = {YEAR_AGO: "A year ago", FIRST: "First rating", FILED: "Before it"}
        made.append(_figure(words[then.what], then))
        made.append(_Figure("Difference", html.cell(card.change, "signed"), "points"))
    if card.place is not None and not reduced:
        made.append(_Figure("Section", card.place.section, f"next: {card.place.next}" if card.place.next else ""))
    return made


def _figure(what: str, standing: Standing) -> _Figure:
    day = "" if pd.isna(standing.date) else f"{standing.date:%Y-%m-%d}"
    return _Figure(what, shown(standing.rating, standing.deviation), day)


def _change(card: Card) -> str:
    """What the difference says, honestly; nothing where there is none."""
    now, then = card.now, card.then
    if now is None or then is None or not len(card.way) or then.what == FILED:
        return ""
    told = ""
    if round(card.change) < 0:
        told = "Ratings go down too, everybody’s: in stronger company or after some bad days. What was learned stays."
    elif round(card.change) == 0:
        told = "The rating is the same: opponents have learned as much in the meantime."
    if abs(card.change) < math.hypot(now.deviation, then.deviation):
        told += " The difference is smaller than what the ± of the two ratings leaves open."
    if card.idle:
        told += f" There has been no rated tournament since {now.date:%Y-%m-%d}."
    return told.strip()


def _sure(card: Card) -> str:
    """How sure the rating is."""
    if card.now is None:
        return ""
    if not math.isnan(card.now.deviation):
        return (
            "The figure after ± says how sure a rating is: the true strength is within it two times in three, and more "
            "games make it smaller."
        )
    told = ""
    if card.provisional:
        games = many(int(card.lifetime), "game")
        told = (
            f"The rating rests on {games} and is provisional until there are {number(card.settled)}: it may still move "
            "a lot."
        )
    elif math.isfinite(card.lifetime):
        told = f"The rating rests on {many(int(card.lifetime), 'game')} and is no longer provisional."
    if not math.isnan(card.typical):
        told += f" One tournament has typically moved it by {number(card.typical)} points, up or down."
    return told.strip()


def _notes(card: Card) -> list[tuple[str, str]]:
    """Best win, longest run, last tournament, section: a term and a sentence each."""
    side, own = ("team", "the own team was") if card.of_teams else ("opponent", "own rating then:")
    notes = []
    if card.best is not None:
        best = card.best
        told = f"against {_a(side)} rated {shown(best.rating, best.deviation)}"
        if not math.isnan(best.own):
            told += f" ({own} {shown(best.own)})"
        notes.append(("Best win", f"{told}: {best.event}{_day(best.date)}, round {best.round}."))
    elif len(card.way):
        notes.append(("Best win", f"none yet against {_a(side)} that had a rating before: one to look forward to."))
    if card.run is not None and card.run.games > 1:
        run = card.run
        where = run.first if run.first == run.last else f"{run.first} to {run.last}"
        if run.first != run.last and pd.notna(run.since) and pd.notna(run.until):
            where = f"{run.since:%Y-%m-%d} to {run.until:%Y-%m-%d}"
        ties = f", of which {many(run.ties, *_tie(card))}" if run.ties else ""
        notes.append(("Longest run", f"{many(run.games, 'game')} without a loss{ties}: {where}."))
    if card.last is not None:
        notes.append(("Last tournament", _last_event(card)))
    if card.place is not None:
        notes.append((f"Section {card.place.section}", card.place.reason + "."))
    return notes


def _last_event(card: Card) -> str:
    last = card.last
    assert last is not None
    half = last.wins != int(last.wins)
    won = f"{last.wins:.1f}" if half else f"{last.wins:.0f}"
    told = f"{last.event}{_day(last.date)}: {won} of {many(last.games, 'game')} won"
    if half or "tied" in told:
        told += f" (a {_tie(card)[0]} counts one half)"
    if math.isnan(last.expected):
        return told + "; without a rating before, nothing was expected."
    beyond = last.wins - last.expected
    how = (
        "about as expected" if abs(beyond) <= last.sd else "more than expected" if beyond > 0 else "fewer than expected"
    )
    return told + f", {how}: the ratings foretold {last.expected:.1f}, give or take {last.sd:.1f} by chance."


def _goal(card: Card) -> str:
    """What to aim for: the next section or the next hundred points, and a win against a higher rating than ever."""
    place, now = card.place, card.now
    goals = []
    if place is not None and place.next:
        if place.missing > 0:
            to_go = _points(math.ceil(place.missing))
            goals.append(
                f"section {place.next}, which begins at {_points(place.needed)} points ({to_go} to go) or comes with "
                f"winning section {place.section}"
            )
        else:
            goals.append(f"section {place.next}, which comes with winning section {place.section}")
    elif now is not None:
        told = round(now.rating)
        hundred = (told // 100 + 1) * 100
        goals.append(f"{_points(hundred)} points ({hundred - told} to go)")
    side = "team" if card.of_teams else "opponent"
    if card.best is not None:
        goals.append(f"a win against {_a(side)} rated above {_points(card.best.rating)}")
    elif now is None or len(card.way):
        goals.append(f"a win against {_a(side)} with a rating")
    return "; or ".join(goals) + "."


def _points(rating: float) -> str:
    return html.cell(rating, "whole")


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _tie(card: Card) -> tuple[str, str]:
    return ("tie", "ties") if card.scores else ("draw", "draws")


def _day(date: pd.Timestamp) -> str:
    return "" if pd.isna(date) else f" ({date:%Y-%m-%d})"


def _undated(card: Card) -> list[str]:
    told = []
    if card.undated:
        counts, them = ("counts", "it") if card.undated == 1 else ("count", "them")
        told.append(
            f"{many(card.undated, 'tournament')} of which no date is known {counts}, as if played after all others; "
            f"the picture leaves {them} out."
        )
    if card.not_counted:
        does = "does" if card.not_counted == 1 else "do"
        told.append(f"{many(card.not_counted, 'tournament')} without a date {does} not count.")
    return told


# --- tables and the picture -------------------------------------------------------------------------------------------


def _seasons(card: Card, csv: str, anchor: str, whose: str = "") -> html.Table | None:
    """The latest seasons, newest first; `whose` they are, where the page has several such tables."""
    if not len(card.seasons):
        return None
    latest = card.seasons.iloc[::-1].head(MOST_SEASONS)
    columns = [
        Column("Season", latest["season"], "name", heads=True),
        Column("Events", latest["events"], "whole", about="tournaments"),
        Column("Games", latest["games"], "whole", about="games played; byes and forfeits are none"),
        Column("Won", latest["won"], "whole"),
        Column("Tied" if card.scores else "Drawn", latest["tied"], "whole"),
        Column("Lost", latest["lost"], "whole"),
        Column("Rating", latest["rating"], "whole", about="at the end of the season"),
        *([Column("±", latest["deviation"], "pm")] if latest["deviation"].notna().any() else []),
    ]
    caption = "Games of the player’s teams, by season" if card.of_teams else "Games by season"
    return html.table(anchor, f"{caption}: {whose}" if whose else caption, columns, csv=csv)


def _beside(card: Card) -> str:
    """What is no game with a result, of all seasons."""
    total = card.seasons.sum(numeric_only=True)
    told = [
        many(int(total["byes"]), "bye") if total["byes"] else "",
        f"{total['forfeits_won']:.0f} won by forfeit" if total["forfeits_won"] else "",
        f"{total['forfeits_lost']:.0f} lost by forfeit" if total["forfeits_lost"] else "",
        f"{many(int(total['unknown']), 'game')} of which no result is known" if total["unknown"] else "",
    ]
    beside = ", ".join(part for part in told if part)
    unrated = f"{total['unrated']:.0f} of the games are not rated." if total["unrated"] else ""
    return f"{f'Beside these: {beside}. ' if beside else ''}{unrated}".strip()


def _earlier(card: Card) -> str:
    before = card.seasons.iloc[: max(0, len(card.seasons) - MOST_SEASONS)]
    if not len(before):
        return ""
    return (
        f"Before: {many(len(before), 'season')} with {many(int(before['events'].sum()), 'tournament')}, "
        f"{number(before['won'].sum())} of {many(int(before['games'].sum()), 'game')} won."
    )


def _picture(card: Card, name: str) -> Markup | None:
    """The rating after each dated tournament; nothing where there are fewer than two."""
    way = card.way.dropna(subset=["date", "rating"])
    if len(way) < 2:
        return None
    figure, axes = plots.figure(4.9, 1.55)
    drawn = way.drop(columns="deviation") if way["deviation"].isna().all() else way
    plots.history(drawn, axes[0])
    axes[0].set_ylabel("rating")
    axes[0].grid(axis="y", color="#e6e6e6", linewidth=0.6)
    if len(way) <= _TOLD_POINTS:
        told = "; ".join(
            f"{html.cell(r, 'whole')} on {d:%Y-%m-%d}" for r, d in zip(way["rating"], way["date"], strict=True)
        )
    else:
        low, high = (way.loc[getattr(way["rating"], at)()] for at in ("idxmin", "idxmax"))
        first, last = way.iloc[0], way.iloc[-1]
        told = "; ".join(
            f"{word} {html.cell(row['rating'], 'whole')} on {row['date']:%Y-%m-%d}"
            for word, row in (("first", first), ("lowest", low), ("highest", high), ("last", last))
        )
    title = f"Rating after each of {many(len(way), 'tournament')}"
    return html.svg(plots.figure_svg(figure, name=name, title=title, description=told + "."))


def _list(cards: Sequence[Card], files: Sequence[str], protected: Protected | None) -> html.Table:
    """The people of the index, with a link to each card."""
    notes = ["" if card.now else "no rating yet" for card in cards]
    grades = [None if _reduced(card, protected) else card.grade for card in cards]
    columns = [
        Column("Card", [Link(file, card.name) for card, file in zip(cards, files, strict=True)], "name", heads=True),
        *([Column("Grade", grades, "figures")] if any(grades) else []),
        Column("Rating", [card.now.rating if card.now else None for card in cards], "whole"),
        *(
            [
                Column(
                    "±",
                    [card.now.deviation if card.now else None for card in cards],
                    "pm",
                    about="deviation of the rating",
                )
            ]
            if any(card.now and not math.isnan(card.now.deviation) for card in cards)
            else []
        ),
        Column(
            "Then",
            [card.then.rating if card.then and len(card.way) else None for card in cards],
            "whole",
            about="a year ago, or the first",
        ),
        Column(
            "Since",
            [card.then.date if card.then and len(card.way) else None for card in cards],
            "day",
            about="the day of the rating then",
        ),
        Column("Last event", [card.now.date if card.now else None for card in cards], "day"),
        *([Column("Note", notes)] if any(notes) else []),
    ]
    return html.table("cards", "Cards, by name", columns, csv="cards.csv", sortable=True)
