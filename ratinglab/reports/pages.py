"""The pages on ratings, changes, histories and problems, and the index: what each says and shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from ratinglab import plots, schema
from ratinglab.problems import ERROR, WARNING, Problem
from ratinglab.reports import html
from ratinglab.reports.html import Column, Link, many, number
from ratinglab.reports.material import Material
from ratinglab.reports.page import Page
from ratinglab.seeding.seeding import unplayed

if TYPE_CHECKING:
    from ratinglab.reports.parts import Asked, Left


def shown(rating: float, deviation: float | None = None) -> str:
    """A rating as it is shown everywhere: `1717 ± 40`."""
    told = html.cell(rating, "whole")
    return told if deviation is None or pd.isna(deviation) else f"{told} ± {html.cell(deviation, 'whole')}"


def _event_links(m: Material, events: Sequence[str], root: str = "") -> list[Any]:
    return [
        Link(root + m.event_files[event], m.event_name(event)) if event in m.event_files else m.event_name(event)
        for event in events
    ]


# --- index ----------------------------------------------------------------------------------------------------------


def index(
    asked: Asked, groups: Mapping[str, Sequence[Page]], left: Sequence[Left], not_asked: Sequence[str], because: str
) -> Page:
    """What this is, the history in figures, the headline of every page by groups, and what is left out and why."""
    m, table = asked.material, history_table(asked)
    total = table.iloc[-1]
    results = "games" if m is not None else "places"
    columns = [
        *([Column("Pool", table["pool"], "name", heads=True)] if len(table) > 1 else []),
        Column("Events", table["events"], "whole"),
        Column("Rated", table["rated"], "whole"),
        Column(
            "Awaited",
            table["awaited"],
            "whole",
            about="known to have been played, but results not or not fully received",
        ),
        Column("To come", table["to_come"], "whole", about="an entry list, not played yet"),
        Column("People", table["people"], "whole"),
        Column(f"Rated {results}", table[results], "whole"),
        Column("From", table["first"], "day"),
        Column("To", table["last"], "day"),
    ]
    period = f"{total['first']:%Y-%m-%d} to {total['last']:%Y-%m-%d}" if pd.notna(total["first"]) else "no dates known"
    rated, of_results = (
        many(int(total[name]), word) for name, word in (("rated", "rated event"), (results, f"rated {results[:-1]}"))
    )
    entries = asked.history.entries
    values = {
        "groups": [(title, [page for page in made if not page.within]) for title, made in groups.items()],
        "left": left,
        "not_asked": not_asked,
        "because": because,
        "system": asked.system,
        "figures": html.table(
            "figures", "By pool" if len(table) > 1 else "In figures", columns, csv="tables/history.csv"
        ),
        "statuses": asked.history.games["status"].value_counts().to_dict(),
        "pupils": not asked.public and bool(entries[["grade", "school"]].notna().any(axis=None)),
        "has_deviation": "deviation" in asked.system.state_names,
        "example": "0.650 ± 0.010" if m is None else _example(m),
    }
    return Page(
        "index.html", "Ratings report", f"{rated}, {of_results}, {period}", "index.html", values, short="Overview"
    )


def history_table(asked: Asked) -> pd.DataFrame:
    """The history in figures, by pool and in all (a history of places in all)."""
    if asked.material is not None:
        return asked.material.pools
    history, events = asked.history, asked.history.events
    rated = events[events["event"].isin(history.placings["event"])]
    row = {
        "pool": "all",
        "events": len(events),
        "rated": len(rated),
        "awaited": int(events["availability"].isin((schema.AWAITED, schema.INCOMPLETE)).sum()),
        "to_come": len(unplayed(history)),
        "people": history.entries["player"].nunique(),
        "places": int(history.placings["place"].notna().sum()),
        "first": rated["date"].min(),
        "last": rated["end_date"].max(),
    }
    return pd.DataFrame([row])


def _example(m: Material) -> str:
    """The first system's log loss with its standard error, to explain ± by."""
    row = m.scores.iloc[0]
    return f"{row['log_loss']:.3f} ± {row['log_loss_se']:.3f}" if pd.notna(row["log_loss_se"]) else "0.650 ± 0.010"


# --- ratings --------------------------------------------------------------------------------------------------------


def ratings(m: Material) -> Page:
    """The rating list."""
    listed = m.ratings
    # of protected people in a public set neither is told
    provisional = listed["provisional"].fillna(False).astype(bool)
    inactive = ~listed["active"].fillna(True).astype(bool)
    status = [
        "; ".join(word for word, is_so in (("provisional", p), ("inactive", i)) if is_so)
        for p, i in zip(provisional, inactive, strict=True)
    ]
    columns = [
        Column("Rank", listed["rank"], "whole"),
        Column("Player", listed["name"], "name", heads=True),
        Column("Rating", listed["rating"], "whole"),
        *([Column("±", listed["deviation"], "pm")] if m.has_deviation else []),
        Column("Games", listed["games"], "whole", about="rated games in this history"),
        Column("Events", listed["events"], "whole"),
        Column("Peak", listed["peak"], "whole", about="the highest rating after any event"),
        Column("Last event", listed["last_event"], "day"),
        Column("Status", status, "name"),
    ]
    if len(listed):
        best = listed.iloc[0]
        headline = (
            f"{many(len(listed), 'player')} with a rating; the highest is "
            f"{shown(best['rating'], best.get('deviation'))} ({best['name']})"
        )
    else:
        headline = "Nobody has a rating yet"
    rated = m.events[m.events["games"] > 0]
    values = {
        "list": html.table("list", f"Rating list ({m.main})", columns, csv="tables/ratings.csv", sortable=True),
        "last_rated": rated["end_date"].max(),
        "provisional": int(provisional.sum()),
        "settled": m.replay.system.settled_games,
        "inactive": int(inactive.sum()),
    }
    return Page("ratings.html", "Rating list", headline, "ratings.html", values)


# --- changes --------------------------------------------------------------------------------------------------------


def changes(m: Material) -> Page:
    """What each event changed, in a line each; the players are on the events' own pages."""
    events = m.events[m.events["games"] > 0]
    columns = [
        Column("Event", _event_links(m, list(events["event"])), heads=True),
        Column("Date", events["end_date"], "day"),
        Column("Entrants", events["entrants"], "whole"),
        Column("Games", events["games"], "whole", about="rated games"),
        Column("Mean", events["mean_change"], "whole", about="mean size of a change, up or down"),
        Column("Biggest rise", events["rise_player"], "name"),
        Column("", events["rise"], "signed", about="biggest rise, points"),
        Column("Biggest fall", events["fall_player"], "name"),
        Column("", events["fall"], "signed", about="biggest fall, points"),
    ]
    played = m.changes[(m.changes["games"] > 0) & ~m.changes["new"]]
    size = (played["after"] - played["before"]).abs().mean()
    headline = f"{many(len(events), 'rated event')}"
    if len(played):
        headline += f"; a rated entrant moved by {number(size)} points on average"
    if events["rise"].notna().any():
        top = events.sort_values("rise", ascending=False, kind="stable").iloc[0]
        headline += (
            f", at most by {html.cell(top['rise'], 'signed')} ({top['rise_player']}, {m.event_name(top['event'])})"
        )
    values = {"list": html.table("events", "What each event changed", columns, csv="tables/events.csv", sortable=True)}
    return Page("changes.html", "Changes", headline, "changes.html", values)


def events(m: Material) -> Iterator[Page]:
    """A page for each rated event, with the events before and after it beside."""
    by_event = dict(iter(m.changes.groupby("event", sort=False)))
    rated = m.events[m.events["event"].isin(m.event_files)].set_index("event", drop=False)
    order = list(rated["event"])
    for place, event in enumerate(order):
        row = rated.loc[event]
        about = {
            "Date": html.cell(row["date"], "day")
            + (f" to {html.cell(row['end_date'], 'day')}" if row["end_date"] != row["date"] else ""),
            "Place": row["place"],
            "Pool": row["pool"],
            "Rounds": row["rounds"],
            "Entrants": many(row["entrants"], "person", "people"),
            "Rated games": number(row["games"]),
            "Note": row["note"],
        }
        headline = f"{many(row['games'], 'rated game')}"
        if pd.notna(row["mean_change"]):
            headline += f"; ratings moved by {number(row['mean_change'])} points on average"
        values = {
            "about": {name: told for name, told in about.items() if pd.notna(told) and told},
            "row": row,
            "tables": [_changes_table(m, section, part) for section, part in _sections(by_event[event])],
            "before": _beside(m, order, place - 1),
            "after": _beside(m, order, place + 1),
        }
        yield Page(m.event_files[event], m.event_name(event), headline, "event.html", values, within="changes.html")


def _beside(m: Material, order: list[str], place: int) -> Link | None:
    if not 0 <= place < len(order):
        return None
    return Link("../" + m.event_files[order[place]], m.event_name(order[place]))


def _sections(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for section, part in table.groupby("section", sort=False):
        yield str(section), part


def _changes_table(m: Material, section: str, part: pd.DataFrame) -> html.Table:
    part = part.sort_values("after", ascending=False, kind="stable", na_position="last")
    change = (part["after"] - part["before"]).where(part["games"] > 0)

    def deviation(when: str) -> list[Column]:
        name = f"deviation_{when}"
        return [Column("±", part[name], "pm", about=f"deviation {when}")] if name in part else []

    columns = [
        Column("Player", part["player"], "name", heads=True),
        *([Column("Team", part["team"], "name")] if part["team"].notna().any() else []),
        Column("Games", part["games"], "whole", about="rated games"),
        Column("Wins", part["wins"], "real1", about="a tie counts one half"),
        Column("Expected", part["expected"], "real1", about="wins that were to be expected from the ratings before"),
        Column("Before", part["before"], "whole", about="rating before the event"),
        *deviation("before"),
        Column("After", part["after"], "whole", about="rating after the event"),
        *deviation("after"),
        Column("Change", change, "signed"),
        *([Column("Note", ["new" if new else "" for new in part["new"]])] if part["new"].any() else []),
    ]
    title = "All entrants" if section == schema.SECTION else f"Section {section}"
    return html.table(f"section-{html.slug(section)}", title, columns, sortable=True)


# --- histories ------------------------------------------------------------------------------------------------------


def histories(m: Material) -> Page:
    """The ratings of the first on the list over time, a small picture each."""
    by_player = {str(player): table for player, table in m.histories.groupby("player", sort=False)}
    listed = {row["player"]: row for _, row in m.ratings[m.ratings["player"].isin(list(by_player))].iterrows()}
    picture = None
    if by_player:
        rows = -(-len(by_player) // 2)
        figure, axes = plots.figure(9.4, 1.75 * rows + 0.3, rows, 2, sharex=True, sharey=True)
        for axis, (player, table) in zip(axes, by_player.items(), strict=False):
            others = {name: other for name, other in by_player.items() if name != player}
            plots.history(table, axis, others=others)
            row = listed[player]
            plots.titled(axis, f"{row['rank']}. {row['name']}", shown(row["rating"], row.get("deviation")))
            axis.grid(axis="y", color="#e6e6e6", linewidth=0.6)
        for axis in axes[len(by_player) :]:
            axis.set_axis_off()
        figure.supylabel("rating", fontsize=9)
        described = "; ".join(
            f"{listed[player]['name']}: {shown(table['rating'].iloc[0])} on {table['date'].iloc[0]:%Y-%m-%d}, "
            f"{shown(table['rating'].iloc[-1])} on {table['date'].iloc[-1]:%Y-%m-%d}, {many(len(table), 'event')}"
            for player, table in by_player.items()
        )
        picture = html.svg(
            plots.figure_svg(figure, name="histories", title="Ratings over time", description=described + ".")
        )
    columns = [
        Column("Player", [listed[p]["name"] for p in by_player], "name", heads=True),
        Column("First", [t["rating"].iloc[0] for t in by_player.values()], "whole", about="after the first event"),
        Column("Lowest", [t["rating"].min() for t in by_player.values()], "whole"),
        Column("Peak", [t["rating"].max() for t in by_player.values()], "whole"),
        Column("Now", [t["rating"].iloc[-1] for t in by_player.values()], "whole"),
        *([Column("±", [t["deviation"].iloc[-1] for t in by_player.values()], "pm")] if m.has_deviation else []),
        Column("Events", [len(t) for t in by_player.values()], "whole"),
        Column("Last event", [t["date"].iloc[-1] for t in by_player.values()], "day"),
    ]
    caption = f"The first {len(by_player)} of the list over time"
    headline = (
        f"The ratings of the first {len(by_player)} of the list after each of their events, "
        f"{m.histories['date'].min():%Y-%m-%d} to {m.histories['date'].max():%Y-%m-%d}"
        if by_player
        else "No dated event to draw a history from"
    )
    values = {
        "picture": picture,
        "list": html.table("players", caption, columns, csv="tables/histories.csv"),
    }
    return Page("histories.html", "Histories", headline, "histories.html", values)


# --- problems -------------------------------------------------------------------------------------------------------


def problems(m: Material) -> Page:
    """What is wrong with the files, errors first, file by file."""
    notices = [notice for replay in m.replays.values() for notice in replay.system.notices(replay.schedule)]
    return problems_of(m.problems, list(dict.fromkeys(notices)))


def problems_of(found: Sequence[Problem], notices: Sequence[str] = ()) -> Page:
    """These problems as a page, and what systems have to say of how they took the history."""
    errors, warnings = ([p for p in found if p.severity == s] for s in (ERROR, WARNING))
    groups = [
        (title, told, _by_file(id, some))
        for title, told, id, some in (
            ("Errors", "What has to be mended: a part of the input could not be used as it stands.", "errors", errors),
            ("Warnings", "What was used as it stands and deserves a look.", "warnings", warnings),
        )
        if some
    ]
    headline = "Nothing was found wrong with the files"
    if found:
        headline = f"{many(len(errors), 'error')} and {many(len(warnings), 'warning')} in the files"
    values = {"groups": groups, "notices": notices}
    return Page("problems.html", "Problems", headline, "problems.html", values)


def _by_file(id: str, found: Sequence[Problem]) -> html.Table:
    """The problems as one table, file by file."""
    columns = [
        Column("File", [p.file or "the input as a whole" for p in found], heads=True),
        Column("Line", [p.line or None for p in found], "whole"),
        *([Column("Column", [p.column or None for p in found], "whole")] if any(p.column for p in found) else []),
        Column("Expected", [p.expected for p in found]),
        Column("Found", [p.found for p in found]),
    ]
    return html.table(id, f"{id.capitalize()}, file by file", columns, csv="tables/problems.csv", sortable=True)
