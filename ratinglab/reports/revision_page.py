"""The page of corrections: what changed from one published list to the next, for whom, by how much, and why."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ratinglab.reports import html
from ratinglab.reports.html import Column, many, number
from ratinglab.reports.page import Page
from ratinglab.revisions import events as parts
from ratinglab.revisions import revising as rev
from ratinglab.revisions import runs
from ratinglab.revisions.people import MERGED, RENAMED
from ratinglab.revisions.revising import Revision

_MOST = 1000  # players shown; the file has them all
_SIZES = (1.0, 5.0, 20.0, 50.0)  # points, between the classes of how far somebody moved
_SOME = 3  # names of events in a sentence

CAUSES = {
    parts.ADDED: "an event was added",
    parts.REMOVED: "an event was taken out",
    parts.RESULTS: "results of an event were corrected",
    parts.ENTRANTS: "entered in an event, or struck out of it",
    parts.NAMES: "stands under another name",
    parts.DATE: "an event has another date",
    parts.FILED: "starts from another filed rating",
    parts.RIPPLED: "opponents’ ratings changed",
    parts.SETTINGS: "rated by other rules",
    rev.DAY: "the list is of another day",
    rev.PLAYED: "has played since",
    rev.LISTING: "others are listed",
    rev.OTHERS: "others moved past",
    rev.VERSIONS: "computed with other versions",
    rev.UNKNOWN: "not known",
}
# the same in a player's row
_SHORT = {
    parts.ADDED: "event added",
    parts.REMOVED: "event taken out",
    parts.RESULTS: "results corrected",
    parts.ENTRANTS: "entered or struck out",
    parts.NAMES: "other name",
    parts.DATE: "other date",
    parts.FILED: "other filed rating",
    parts.RIPPLED: "opponents",
    parts.SETTINGS: "other rules",
}
_STATES = {
    rev.MOVED: "Another rating",
    rev.RANK: "Another rank alone",
    rev.FIGURES: "Another deviation or number of games alone",
    rev.NEW: "New on the list",
    rev.GONE: "No longer on the list",
    rev.SAME: "The same",
}
_EVENT_STATES = {
    parts.ADDED: "added",
    parts.REMOVED: "taken out",
    parts.CORRECTED: "corrected",
    parts.RIPPLED: "consequences",
    parts.SAME: "the same",
    parts.IN_BOTH: "in both",
}
_WHAT = {
    parts.RESULTS: "results",
    parts.ENTRANTS: "who took part",
    parts.NAMES: "names",
    parts.DATE: "the date",
    parts.FILED: "ratings filed with it",
    parts.UNSEEN: "something that the tables do not show, such as scores",
    parts.SETTINGS: "rated by other rules",
}
_SETTINGS = {
    runs.COMMAND: "Command",
    runs.SYSTEM: "Rating system",
    runs.PARAMETER: "Parameter",
    runs.OPTION: "Option",
    runs.SEED: "Seed of the lots and resamples",
    runs.INPUT: "File",
    runs.VERSION: "Version",
}


def page(revision: Revision, *, why: str = "", title: str = "", says: Sequence[str] = ()) -> Page:
    """The page, with every table beside it. `why` are the committee's own words, `says` those of the privacy rule."""
    players = revision.players
    changed = players[players["state"] != rev.SAME]
    values: dict[str, Any] = {
        "r": revision,
        "why": why,
        "says": says,
        "answer": answer(revision),
        "days": _days(revision),
        "tolerance": _tolerance(revision),
        "counts": _counts(revision),
        "sizes": _sizes(revision),
        "causes": _causes(revision),
        "players": _players(revision, changed) if len(changed) else None,
        "events": _events(revision),
        "same_events": 0 if revision.events is None else int((revision.events["state"] == parts.SAME).sum()),
        "games": _games(revision),
        "people": _people(revision),
        "settings": _settings(revision),
        "files": [f"{name}: {about}" for name, about in _sources(revision)],
    }
    data = revision.tables()
    return Page(
        "revisions.html", title or "Corrections", headline(revision), "revision.html", values,
        short="Corrections", data=data,
    )  # fmt: skip


def headline(revision: Revision) -> str:
    """What changed, in a sentence."""
    if revision.nothing:
        return "The two lists are the same, figure for figure"
    told = []
    if moved := revision.count(rev.MOVED):
        both = len(revision.players) - revision.count(rev.NEW, rev.GONE)
        told.append(f"{number(moved)} of {many(both, 'player')} on both lists {_has(moved)} another rating")
    elif others := revision.count(rev.RANK, rev.FIGURES):
        what = "rating" if revision.rated else "rank"
        told.append(
            f"nobody has another rating, {number(others)} {_has(others)} another rank, deviation or number of games"
            if what == "rating"
            else f"{many(others, 'player')} {_has(others)} another rank"
        )
    if new := revision.count(rev.NEW):
        told.append(f"{number(new)} {'is' if new == 1 else 'are'} new")
    if gone := revision.count(rev.GONE):
        told.append(f"{number(gone)} {'is' if gone == 1 else 'are'} no longer listed")
    return _sentence("; ".join(told))


def answer(revision: Revision) -> list[str]:
    """The answer in sentences: what was corrected, who moved, and what is not known."""
    told = []
    if revision.nothing:
        told.append(f"The two lists are the same, figure for figure: {many(len(revision.players), 'player')}.")
    told += [*_told_of_settings(revision), *_told_of_events(revision), *_told_of_people(revision)]
    told += _told_of_files(revision)
    if not revision.nothing:
        told += _told_of_moves(revision)
    return told


def _told_of_settings(r: Revision) -> list[str]:
    if not r.made.known:
        return [
            "How the two were made is not known, since at least one has no manifest: whether the rating system or its "
            "parameters differ cannot be said."
        ]
    found = r.settings
    told = []
    if r.made.system:
        row = found[found["kind"] == runs.SYSTEM].iloc[0]
        told.append(
            f"The rating system is another one: {row['new'] or 'none'} in place of {row['old'] or 'none'}. A point of "
            "one is no point of the other, so ranks are compared and points are not."
        )
    changed = found[found["kind"].isin((runs.PARAMETER, runs.OPTION))]
    changed = changed[~((changed["kind"] == runs.OPTION) & changed["what"].isin(runs.LOOKS))]
    if len(changed):
        each = "; ".join(
            f"{what}: {new or 'not set'} in place of {old or 'not set'}"
            for what, old, new in zip(changed["what"], changed["old"], changed["new"], strict=True)
        )
        told.append(f"The two were asked for with other settings ({each}).")
    if r.made.versions:
        told.append("They were made with other versions of the software (listed below).")
    return told


def _told_of_files(r: Revision) -> list[str]:
    files = r.settings[r.settings["kind"] == runs.INPUT]
    fresh, gone = int((files["old"] == "").sum()), int((files["new"] == "").sum())
    other = len(files) - fresh - gone
    each = [
        f"{number(count)} {one if count == 1 else several}"
        for count, one, several in (
            (other, "holds something else", "hold something else"),
            (fresh, "is new", "are new"),
            (gone, "is no longer there", "are no longer there"),
        )
        if count
    ]
    return [f"Of the files that the two were made from, {', '.join(each)} (listed below)."] if each else []


def _told_of_events(r: Revision) -> list[str]:
    if r.events is None:
        return [] if r.nothing else [
            "Which events were added or corrected is not known: that would need the changes (changes.csv) of both runs."
        ]  # fmt: skip
    told = []
    listed = bool((r.events["state"] == parts.IN_BOTH).any())
    renamed = r.events[(r.events["state"] == parts.CORRECTED) & (r.events["what"] == parts.NAMES)]
    for state, words in ((parts.CORRECTED, "corrected"), (parts.ADDED, "added"), (parts.REMOVED, "taken out")):
        rows = r.events[(r.events["state"] == state) & ~r.events["event"].isin(renamed["event"])]
        if not len(rows):
            continue
        named = list(rows["event"][:_SOME])
        rest = len(rows) - len(named)
        each = ", ".join(named) + (f" and {number(rest)} more" if rest else "")
        verb = "was" if len(rows) == 1 else "were"
        told.append(f"{many(len(rows), 'event')} {verb} {words}: {each}.")
        late = int(rows["late"].fillna(False).sum()) if state == parts.ADDED else 0
        if late:
            told[-1] += (
                " It had taken place before the earlier list’s last event."
                if len(rows) == 1
                else f" {number(late)} of them had taken place before the earlier list’s last event."
            )
    if len(renamed):
        told.append(f"In {many(len(renamed), 'event')} somebody stands under another name, with the same results.")
    rippled = int((r.events["state"] == parts.RIPPLED).sum())
    if rippled and not r.made.settings:
        told.append(
            f"In {many(rippled, 'further event')} nothing was corrected, but ratings changed in consequence: whoever "
            "met a player with another rating is rated otherwise too."
        )
    if listed and not r.nothing:
        added = "" if told else "No event was added or taken out. "
        told.append(f"{added}Whether an event was corrected is not known: that would need the changes of both runs.")
    elif not told and not r.made.settings and not r.nothing:
        told.append("No event was added, taken out or corrected.")
    return told


def _told_of_people(r: Revision) -> list[str]:
    told = []
    for row in r.people.itertuples(index=False):
        perhaps = "" if row.certain else " (perhaps: the games add up and the names are alike)"
        if row.kind == RENAMED:
            told.append(f"{row.old_name} is now called {row.new_name}{perhaps}.")
        elif row.kind == MERGED:
            told.append(f"{row.old_name} and {row.new_name} are now one person, {row.new_name}{perhaps}.")
        else:
            told.append(f"Of the results of {row.old_name}, some are now those of {row.new_name}{perhaps}.")
    if len(told) > _SOME:
        rest = len(told) - _SOME
        told = [*told[:_SOME], f"{many(rest, 'further name')} changed; all are listed below."]
    return told


def _told_of_moves(r: Revision) -> list[str]:
    told = []
    change = r.players["change"].abs()
    moved = change[(r.players["state"] == rev.MOVED) & change.notna()]
    if len(moved) and r.in_points:
        row = r.players.loc[[moved.idxmax()]].iloc[0]
        told.append(
            f"Half of the {number(len(moved))} with another rating moved by {_points(float(moved.median()))}; furthest "
            f"moved {row['player']}, by {html.cell(row['change'], 'signed1')}."
        )
    if r.rated and not np.isnan(r.order):
        told.append(
            f"The order of the two lists agrees with Kendall’s tau-b {html.cell(r.order, 'real4')} (1: the same order, "
            "0: no relation), over the players on both."
        )
    alike = r.made.known and not r.made.settings  # then points are the same, however far people moved
    if r.in_points and not alike and r.scale is not None and r.scale.differ:
        told.append(
            "Careful with points: over the players on both lists the mean moved by "
            f"{html.cell(r.scale.shift, 'signed')} and the spread of ratings is {r.scale.stretch:.2f} times what it "
            "was, so a point may mean something else."
        )
    unknown = int(r.players["cause"].eq(rev.UNKNOWN).sum())
    if unknown:
        told.append(f"Of {many(unknown, 'player')} the cause is not known.")
    return told


def _has(count: int) -> str:
    return "has" if count == 1 else "have"


def _points(value: float) -> str:
    return f"at most {value:.1f} points" if value >= 0.05 else "less than 0.1 points"


def _days(r: Revision) -> list[tuple[str, str, str]]:
    """Of the older and the newer list: which it is, its name and its day."""
    both = (("Earlier list", r.old), ("Later list", r.new))
    return [(which, side.name, "not known" if side.as_of is None else f"{side.as_of:%Y-%m-%d}") for which, side in both]


def _tolerance(r: Revision) -> str:
    if not r.rated:
        return "At least one of the lists has ranks alone, so ranks are compared."
    if r.unit < 1e-6:
        return "Ratings are compared as computed, to nine decimals; here they are rounded to one."
    unit = f"{r.unit:g}"
    return (
        f"Two ratings count as the same where they differ by no more than half of {unit}: the list with fewer digits "
        f"is rounded to {unit}."
    )


def _counts(r: Revision) -> html.Table:
    there = [state for state in _STATES if r.count(state)]
    columns = [
        Column("", [_STATES[state] for state in there], heads=True, about="what of them"),
        Column("Players", [r.count(state) for state in there], "whole"),
    ]
    return html.table("counts", "Players by what changed", columns)


def _sizes(r: Revision) -> html.Table | None:
    """How many moved by how much; nothing where points are not compared."""
    moved = r.players[r.players["state"] == rev.MOVED]
    change = moved["change"].dropna()
    if not r.in_points or not len(change):
        return None
    edges = [0.0, *_SIZES, np.inf]
    names = [f"less than {_SIZES[0]:g}", *(f"{a:g} to less than {b:g}" for a, b in pairwise(_SIZES)),
             f"{_SIZES[-1]:g} or more"]  # fmt: skip
    size = pd.cut(change.abs(), edges, right=False, labels=names)
    columns = [
        Column("Points", names, heads=True),
        Column("Up", [int(((size == name) & (change > 0)).sum()) for name in names], "whole"),
        Column("Down", [int(((size == name) & (change < 0)).sum()) for name in names], "whole"),
    ]
    return html.table("sizes", "By how much ratings moved", columns)


def _causes(r: Revision) -> html.Table | None:
    """How many for which cause; in a public set, where that of the protected is not told, over those who are named."""
    causes = r.players.loc[r.players["state"] != rev.SAME, "cause"]
    counts = causes.dropna()[causes.dropna() != ""].value_counts()
    if not len(counts):
        return None
    told = [(_cause(str(cause)), int(count)) for cause, count in counts.items()]
    told.sort(key=lambda one: (-one[1], one[0]))
    columns = [
        Column("Why", [cause for cause, _ in told], heads=True),
        Column("Players", [count for _, count in told], "whole"),
    ]
    return html.table("causes", "Players who changed, by the cause", columns)


def _cause(cause: str) -> str:
    return "; or ".join(CAUSES.get(part, part) for part in cause.split(";") if part)


def _why(row: Any) -> str:
    """The cause of one player's change, in few words."""
    if pd.isna(row.cause) or not row.cause:
        return ""
    text = "; or ".join(_SHORT.get(part, CAUSES.get(part, part)) for part in str(row.cause).split(";"))
    if row.cause == parts.RESULTS:
        text = {"yes": "own results corrected", "no": "others’ results corrected"}.get(row.own, text)
    return text


def _players(r: Revision, changed: pd.DataFrame) -> html.Table:
    def has(column: str) -> bool:
        return column in changed and bool(changed[column].notna().any())

    kind = _kind(changed)
    ranked = "made here of the ratings" if r.computed else ""
    several = len(changed["origin"].dropna().unique()) > 2  # of one correction alone the answer tells
    back = "the first event with a correction that it comes from, and how many more there are"
    columns = [
        *([Column("Section", changed["section"], "name")] if has("section") else []),
        Column("Player", changed["player"], "name", heads=True),
        Column("Rank was", changed["rank_old"], "whole", about=ranked),
        Column("Rank", changed["rank_new"], "whole", about=ranked),
        *([Column("Rating was", changed["rating_old"], kind)] if has("rating_old") else []),
        *([Column("Rating", changed["rating_new"], kind)] if has("rating_new") else []),
        *([Column("Change", changed["change"], kind.replace("real", "signed"))] if has("change") else []),
        *([Column("First difference", changed["first_difference"], about="the first event in which they differ")]
          if has("first_difference") else []),
        Column("Why", [_told_why(row) for row in changed.itertuples(index=False)]),
        *([Column("Goes back to", changed["origin"].map(_origin), about=back)] if several else []),
    ]  # fmt: skip
    return html.table(
        "revisions", "Everybody for whom something changed", columns, csv="revisions.csv", sortable=True, most=_MOST
    )


def _told_why(row: Any) -> str:
    word = {rev.NEW: "new", rev.GONE: "no longer listed", rev.RANK: "rank alone"}.get(row.state, "")
    if row.state == rev.FIGURES:
        word = "rating the same"
    return ": ".join(part for part in (word, _why(row)) if part)


def _origin(origin: Any) -> str:
    events = [] if pd.isna(origin) or not origin else str(origin).split(";")
    more = f" +{len(events) - 1}" if len(events) > 1 else ""
    return events[0] + more if events else ""


def _kind(table: pd.DataFrame) -> str:
    """Decimals: one where ratings have hundreds of points, two on a small scale."""
    both = pd.concat([table[c] for c in ("rating_old", "rating_new") if c in table] or [pd.Series(dtype="float64")])
    return "real1" if not len(both.dropna()) or both.abs().max() > 200 else "real2"


def _events(r: Revision) -> html.Table | None:
    """The events that differ, in time order."""
    if r.events is None:
        return None
    shown = r.events[~r.events["state"].isin((parts.SAME, parts.IN_BOTH))]
    if not len(shown):
        return None
    what = [", ".join(_WHAT.get(part, part) for part in str(told).split(";") if part) for told in shown["what"]]
    late = [f"{told}; late: before the earlier list’s last event" if bool(is_late) else told
            for told, is_late in zip(what, shown["late"].fillna(False), strict=True)]  # fmt: skip
    columns = [
        Column("Event", shown["event"], heads=True),
        Column("Date", shown["date"], "day"),
        *([Column("Date before", shown["date_old"], "day")] if shown["date_old"].notna().any() else []),
        Column("State", shown["state"].map(_EVENT_STATES)),
        *([Column("What", [_sentence(told.removeprefix("; ")) for told in late])] if any(late) else []),
        *([Column("Entrants", shown["entrants"], "whole"),
           Column("Touched", shown["touched"], "whole", about="entrants whose figures differ")]
          if shown["entrants"].notna().any() else []),
        *([Column("Largest change", shown["largest_change"], "signed1", about="of a rating after the event"),
           Column("Whose", shown["largest_player"], "name")] if shown["largest_change"].notna().any() else []),
    ]  # fmt: skip
    return html.table("events", "Events that differ, in time order", columns, csv="events.csv")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _games(r: Revision) -> html.Table | None:
    if r.games is None or not len(r.games):
        return None
    games = r.games
    columns = [
        Column("Event", games["event"], heads=True),
        *([Column("Section", games["section"])] if len(games["section"].unique()) > 1 else []),
        Column("Round", games["round"], "whole"),
        Column("Player", games["player"], "name"),
        Column("Opponent", games["opponent"], "name"),
        Column("Before", [_result(*of) for of in zip(games["result_old"], games["spread_old"], strict=True)]),
        Column("Now", [_result(*of) for of in zip(games["result_new"], games["spread_new"], strict=True)]),
    ]
    return html.table("games", "Games that were corrected, added or taken out", columns, csv="games.csv")


def _result(result: float, spread: float) -> str:
    if pd.isna(result):
        return "not there"
    word = {1.0: "won", 0.5: "tied", 0.0: "lost"}.get(float(result), f"{result:g}")
    by = "" if pd.isna(spread) or not spread else f" by {abs(spread):g}"
    return word + by


def _people(r: Revision) -> html.Table | None:
    if not len(r.people):
        return None
    events = r.people["events"].astype("float64")
    columns = [
        Column("Before", r.people["old_name"], "name", heads=True),
        Column("Now", r.people["new_name"], "name"),
        Column("What", r.people["kind"]),
        *([Column("Events", events.where(events >= 0), "whole")] if (events >= 0).any() else []),
        Column("Games", r.people["games"], "whole"),
        Column("Sure", np.where(r.people["certain"].astype(bool), "yes", "perhaps")),
        Column("Because", r.people["why"]),
    ]
    return html.table("people", "Names that changed", columns, csv="people.csv")


def _settings(r: Revision) -> html.Table | None:
    if not len(r.settings):
        return None
    columns = [
        Column("What", r.settings["what"], heads=True),
        Column("Of what kind", r.settings["kind"].map(_SETTINGS)),
        Column("Before", r.settings["old"].where(r.settings["old"] != "", "not there")),
        Column("Now", r.settings["new"].where(r.settings["new"] != "", "not there")),
    ]
    return html.table(
        "settings", "What the two runs were made of and with, where it differs", columns, csv="settings.csv"
    )


def _sources(r: Revision) -> list[tuple[str, str]]:
    return [(side.name, ", ".join(source.name for source in side.sources)) for side in (r.old, r.new)]
