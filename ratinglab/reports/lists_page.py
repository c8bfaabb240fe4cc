"""Rating lists as pages: the latest list with what it rests on, a page for each year, and one by nation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
from markupsafe import Markup

from ratinglab.lists import PERMANENT, Lists
from ratinglab.reports import html
from ratinglab.reports.html import Column, Link, many, number
from ratinglab.reports.page import Page
from ratinglab.systems.dip_pouch import DipPouch
from ratinglab.terminal import FINE

if TYPE_CHECKING:
    from ratinglab.output import Content
    from ratinglab.systems.base import System

FILE = "lists.html"
NO_NATION = "nationality not known"


def pages(lists: Lists, order: pd.DataFrame | None = None, *, file: str = FILE) -> list[Page]:
    """All pages: the one of `page`, and within it one for each list and one by nation, in the same folder."""
    folder = file.rpartition("/")[0] + "/" if "/" in file else ""
    within = [_year_page(lists, label, folder, file) for label in lists.ratings]
    nations = _nations_page(lists, folder, file)
    return [page(lists, order, file=file, linked=True), *within, *([nations] if nations else [])]


def page(lists: Lists, order: pd.DataFrame | None = None, *, file: str = FILE, linked: bool = False) -> Page:
    """The lists as a page: what they say, the list made last and the latest year's, what they rest on, how good.

    `order` is the table of `ratinglab.ordering.order_scores`, if it was made. All tables stand beside the page as CSV,
    those of the earlier years too; `linked` says that `pages` makes the pages of all years and nations beside it.
    """
    shown, same = _shown_lists(lists)
    system = lists.replay.system
    values: dict[str, Any] = {
        "formula": _formula(system),
        "settings": _settings(system),
        "words": _words(lists),
        "parts": [(_title(label), _list(lists, label, f"list-{label}")) for label in shown],
        "same": same,
        "labels": _labels(lists, linked),
        "nations": _nations(lists, "nations.html" if linked else ""),
        "tournaments": _tournaments(lists),
        "usual": _from_its_year_on(lists),
        "circuits": _circuits(lists),
        "order": None if order is None else _order(order),
        "foretold": [] if order is None else _foretold(order, system.label),
    }
    data: dict[str, Content] = {f"list-{label}.csv": table for label, table in lists.ratings.items()}
    data |= {"tournaments.csv": lists.tournaments, "circuits.csv": lists.circuits}
    if order is not None:
        data["order.csv"] = order
    return Page(file, "Rating lists", headline(lists), "lists.html", values, data=data)


def _shown_lists(lists: Lists) -> tuple[list[str], str]:
    """The labels of the lists that stand whole on the page: the permanent one, and the latest year's where it differs.

    Of a year's list that says the same as the permanent one, its label too.
    """
    latest = [label for label in lists.ratings if label != PERMANENT][-1:]
    if PERMANENT not in lists.ratings:
        return latest, ""
    permanent = lists.ratings[PERMANENT].drop(columns="as_of")
    if latest and lists.ratings[latest[0]].drop(columns="as_of").equals(permanent):
        return [PERMANENT], latest[0]
    return [PERMANENT, *latest], ""


def headline(lists: Lists) -> str:
    """The list made last, in a sentence."""
    label, table = list(lists.ratings.items())[-1]
    of = "the permanent list" if label == PERMANENT else f"the list of {label}"
    if table.empty:
        return f"Nobody is on {of}: no event has a rated result"
    first = table[table["rank"] == table["rank"].min()]
    leaders = " and ".join(first["player"])
    best = _shown(first.iloc[0], lists.replay.system)
    told = f"{many(len(table), 'player')} on {of} from {many(len(lists.tournaments), 'tournament')}"
    return f"{told}; {leaders} {'leads' if len(first) == 1 else 'lead'} with {best}"


def _title(label: str) -> str:
    return "Permanent list" if label == PERMANENT else f"List of {label}"


def _kind(system: System, name: str = "rating") -> str:
    """The kind of a column of ratings: decimals where the scale is short."""
    return f"real{FINE[name]}" if system.rates == "placings" else "whole"


def _shown(row: pd.Series, system: System) -> str:
    told = html.cell(row["rating"], _kind(system))
    return f"{told} ± {html.cell(row['deviation'], 'whole')}" if pd.notna(row.get("deviation")) else told


# --- words ------------------------------------------------------------------------------------------------------------


def _words(lists: Lists) -> list[str]:
    """How to read a list."""
    system = lists.replay.system
    told = ["Equal ratings share a rank."]
    if any(table["nationality"].notna().any() for table in lists.ratings.values()):
        told[0] += " The rank within the nation is among players of the same nationality, as far as it is known."
    if any("deviation" in table for table in lists.ratings.values()):
        told.append(
            "The figure after ± is the deviation of the rating: the strength is within it two times in three, and the "
            "fewer games a player has, the larger it is."
        )
    else:
        told.append(
            f"{system.name} has no ± of its own: how far a rating can be relied on shows in the number of events that "
            "it rests on. After one or two it says little."
        )
    undated = int(lists.tournaments["end_date"].isna().sum())
    if undated:
        counts = "counts in the permanent list alone" if undated == 1 else "count in the permanent list alone"
        told.append(f"{many(undated, 'tournament')} without a date {counts}.")
    return [*told, *lists.says]


def _formula(system: System) -> list[Markup]:
    """What the rating is, in words and in its formula."""
    if not isinstance(system, DipPouch):
        return [Markup("The system is {}: {}").format(system.label, system.formula())]
    by_rounds = Markup(
        "What an event can move is its value <i>v</i>, in percent: {worlds:g} for the World Championship, else "
        "<i>N</i>/{one:g} + {base:g} if it has one round and <i>N</i>/{more:g} + {base:g} if it has several, never "
        "more than {cap:g}. Events before {cutoff:g} have no value, the World Championships excepted."
    ).format(
        worlds=system.worlds, one=system.one_round, more=system.more_rounds, base=system.base, cap=system.cap,
        cutoff=system.cutoff,
    )  # fmt: skip
    example = _example(system)
    return [
        Markup(
            "The Dip Pouch Tournament Rating (Matt Shields, 2019; published by the World Diplomacy Database) goes by "
            "places at tournaments, whoever the opponents were. Somebody new starts at {:g}. A place among <i>N</i> "
            "players is a percentile score <i>s</i> = 100·(<i>N</i> + ½ − place)/<i>N</i>, between 0 and 100."
        ).format(system.initial),
        by_rounds,
        Markup(
            "After the event the rating <i>R</i> has gone <i>v</i> percent of the way to the score: "
            "<i>R</i>′ = <i>R</i> + <i>v</i>/100·(<i>s</i> − <i>R</i>). {}"
        ).format(example),
    ]


def _example(system: DipPouch) -> str:
    """The example of the published page, by the parameters at hand."""
    value = min(float(system.cap), 65 / float(system.more_rounds) + float(system.base))  # type: ignore[arg-type]
    score = 100 * (65 + 0.5 - 8) / 65
    after = 55 + value / 100 * (score - 55)
    return (
        f"So who is rated 55 and comes 8th of 65 has a score of {score:.2f}; the value is {value:g}, the new rating "
        f"{after:.3f}."
    )


def _settings(system: System) -> str:
    """Where the parameters are not the usual ones."""
    own = system.own_parameters()
    return f"These lists were made with parameters of their own: {system.label}." if own else ""


def _foretold(order: pd.DataFrame, label: str) -> list[str]:
    """How well the ratings foretold the order, in sentences."""
    row = order.iloc[0]
    if not row["pairs"] > 0:
        return ["No event has two players whose places differ, so there was no order to foretell."]
    told = [
        f"Of {many(int(row['pairs']), 'pair')} of players at {many(int(row['events']), 'event')}, the one rated higher "
        f"by {label} before the event finished ahead in {_share(row, 'concordance')} of cases (equal ratings count one "
        "half); a coin would be right in 50 %."
    ]
    if row["experienced_pairs"] > 0:
        told.append(
            f"Of the {many(int(row['experienced_pairs']), 'pair')} of players who both had an earlier result it was "
            f"{_share(row, 'experienced_concordance')}."
        )
    if len(order) > 1 and pd.notna(row["concordance_se"]):
        at = int(order["concordance"].to_numpy().argmax())
        best = order.iloc[at]
        if at:
            told.append(
                f"The highest share has {best['system']}: {_share(best, 'concordance')}. Whether that is more than "
                "chance, the comparison of systems says (ratinglab compare), which pairs them event by event."
            )
    return told


def _share(row: pd.Series, name: str) -> str:
    error = f" ± {100 * row[f'{name}_se']:.1f}" if pd.notna(row[f"{name}_se"]) else ""
    return f"{100 * row[name]:.1f}{error} %"


# --- tables -----------------------------------------------------------------------------------------------------------


def _list(lists: Lists, label: str, anchor: str) -> html.Table:
    """One list, international, with the ranks within nations."""
    table = lists.ratings[label]
    kind = _kind(lists.replay.system)
    nations = table["nationality"].notna().any()
    columns = [
        Column("Rank", table["rank"], "whole"),
        Column("Player", table["player"], "name", heads=True),
        Column("Rating", table["rating"], kind),
        *([Column("±", table["deviation"], "pm", about="deviation of the rating")] if "deviation" in table else []),
        *([Column("Games", table["games"], "whole", about="rated games")] if "games" in table else []),
        Column("Events", table["events"], "whole", about="events with a rated result"),
        *([Column("Nation", table["nationality"], "name")] if nations else []),
        *([Column("In nation", table["national_rank"], "whole", about="rank within the nation")] if nations else []),
        Column("Last event", table["last_event"], "day"),
    ]
    as_of = table["as_of"].iloc[0] if len(table) else pd.NaT
    when = "after all events" if label == PERMANENT else f"as of {as_of:%Y-%m-%d}" if pd.notna(as_of) else label
    return html.table(anchor, f"{_title(label)}, {when}", columns, csv=f"list-{label}.csv", sortable=True)


def _labels(lists: Lists, linked: bool) -> html.Table:
    """A line for each list, with who leads it."""
    rows = []
    within = dict.fromkeys(lists.ratings, 0)
    for told in lists.tournaments["lists"]:
        for label in str(told).split(";"):
            within[label] = within.get(label, 0) + 1
    for label, table in lists.ratings.items():
        first = table[table["rank"] == table["rank"].min()] if len(table) else table
        title = _title(label)
        rows.append(
            {
                "list": Link(f"list-{label}.html", title) if linked else Link(f"list-{label}.csv", title),
                "players": len(table),
                "tournaments": within[label],
                "leaders": "; ".join(first["player"]),
                "rating": first["rating"].iloc[0] if len(first) else None,
                "deviation": first["deviation"].iloc[0] if len(first) and "deviation" in first else None,
            }
        )
    rows.reverse()  # the latest first
    deviating = any(row["deviation"] is not None for row in rows)
    kind = _kind(lists.replay.system)
    columns = [
        Column("List", [row["list"] for row in rows], "name", heads=True),
        Column("Players", [row["players"] for row in rows], "whole"),
        Column("Tournaments", [row["tournaments"] for row in rows], "whole", about="that the list rests on"),
        Column("First", [row["leaders"] for row in rows], "names"),
        Column("Rating", [row["rating"] for row in rows], kind, about="of the first"),
        *(
            [Column("±", [row["deviation"] for row in rows], "pm", about="deviation of the rating")]
            if deviating
            else []
        ),
    ]
    return html.table("lists", "All lists, the latest first", columns)


def _by_nation(lists: Lists) -> list[tuple[str, pd.DataFrame]]:
    """The list made last in parts by nation, the largest first; at the end those whose nation is not known."""
    table = lists.last
    named = table.assign(nation=table["nationality"].fillna(NO_NATION))
    parts = [(str(nation), part) for nation, part in named.groupby("nation", sort=True)]
    return sorted(parts, key=lambda part: (part[0] == NO_NATION, -len(part[1])))


def _nations(lists: Lists, linked: str) -> html.Table | None:
    """A line for each nation of the list made last."""
    parts = _by_nation(lists)
    if not any(nation != NO_NATION for nation, _ in parts):
        return None
    anchors = html.slugs(nation for nation, _ in parts)
    kind = _kind(lists.replay.system)
    columns = [
        Column(
            "Nation",
            [Link(f"{linked}#nation-{anchors[nation]}", nation) if linked else nation for nation, _ in parts],
            "name",
            heads=True,
        ),
        Column("Players", [len(part) for _, part in parts], "whole"),
        Column("First of it", ["; ".join(_first(part)["player"]) for _, part in parts], "names"),
        Column("Rating", [_first(part)["rating"].iloc[0] for _, part in parts], kind),
        *(
            [
                Column(
                    "±", [_first(part)["deviation"].iloc[0] for _, part in parts], "pm", about="deviation of the rating"
                )
            ]
            if "deviation" in lists.last
            else []
        ),
        Column("Rank", [_first(part)["rank"].iloc[0] for _, part in parts], "whole", about="among all nations"),
    ]
    label = list(lists.ratings)[-1]
    return html.table("nations", f"By nation, {_title(label).lower()}", columns, csv=f"list-{label}.csv", sortable=True)


def _first(part: pd.DataFrame) -> pd.DataFrame:
    first: pd.DataFrame = part[part["rank"] == part["rank"].min()]
    return first


def _tournaments(lists: Lists) -> html.Table:
    """The events that the lists rest on, the latest first."""
    table = lists.tournaments.iloc[::-1]
    usual = _from_its_year_on(lists)

    def known(name: str) -> bool:
        return bool(name in table and table[name].notna().any())

    columns = [
        Column("Tournament", table["name"].fillna(table["event"]), heads=True),
        Column("From", table["date"], "day"),
        Column("To", table["end_date"], "day"),
        *([Column("Place", table["place"])] if known("place") else []),
        Column("Players", table["players"], "whole", about="by the header of the event"),
        *([Column("Rounds", table["rounds"], "whole")] if known("rounds") else []),
        *([Column("Boards", table["boards"], "whole")] if known("boards") else []),
        *([Column("Championship", table["championship"].str.replace(";", "; "))] if known("championship") else []),
        *(
            [Column("Circuits", table["circuits"].str.replace(";", "; ").str.replace("  ", " "), "lines")]
            if known("circuits")
            else []
        ),
        *(
            [Column("Value", table["value"], "real2", about="percent of the way to the score")]
            if known("value")
            else []
        ),
        *([] if usual else [Column("In lists", [_span(told) for told in table["lists"]], about="that it counts in")]),
    ]
    return html.table(
        "tournaments", "Included tournaments, the latest first", columns, csv="tournaments.csv", sortable=True
    )


def _from_its_year_on(lists: Lists) -> bool:
    """Whether every event counts in each list from that of its own year on: then no list of lists need be told."""
    labels = list(lists.ratings)
    years = [int(label) for label in labels if label != PERMANENT]
    for told, end in zip(lists.tournaments["lists"], lists.tournaments["end_date"], strict=True):
        since = [str(year) for year in years if pd.notna(end) and year >= end.year]
        if str(told).split(";") != [*since, *labels[len(years) :]]:
            return False
    return True


def _span(labels: str) -> str:
    """The labels of lists shortly: `2003 to 2012, permanent`.

    >>> _span("2010;2011;2012;permanent"), _span("permanent"), _span("2001;2004")
    ('2010 to 2012, permanent', 'permanent', '2001, 2004')
    """
    each = labels.split(";")
    years = [int(label) for label in each if label != PERMANENT]
    told = [str(year) for year in years]
    if len(years) > 1 and years == list(range(years[0], years[-1] + 1)):
        told = [f"{years[0]} to {years[-1]}"]
    return ", ".join([*told, *([PERMANENT] if PERMANENT in each else [])])


def _circuits(lists: Lists) -> html.Table | None:
    table = lists.circuits
    if table.empty:
        return None
    columns = [
        Column("Circuit", table["circuit"], "name", heads=True),
        Column("Tournaments", table["events"], "whole"),
        Column("From", table["first"], "day"),
        Column("To", table["last"], "day"),
    ]
    return html.table("circuits", "Included circuits", columns, csv="circuits.csv")


def _order(order: pd.DataFrame) -> html.Table:
    """How well each system foretold the final order."""
    columns = [
        Column("System", order["system"], "name", heads=True),
        Column("Events", order["events"], "whole"),
        Column("Pairs", order["pairs"], "whole", about="of players whose places differ"),
        Column("In order", order["concordance"], "percent1", about="share of pairs in the order foretold"),
        Column("±", 100 * order["concordance_se"], "pm1", about="standard error: in order, in percent"),
        Column("Tau-b", order["kendall_tau"], "real3", about="Kendall’s tau-b: 1 the same order, 0 none, −1 reversed"),
        Column("±", order["kendall_tau_se"], "pm3", about="standard error: tau-b"),
        Column("Of the experienced", order["experienced_concordance"], "percent1", about="both with an earlier result"),
        Column(
            "±",
            100 * order["experienced_concordance_se"],
            "pm1",
            about="standard error: of the experienced, in percent",
        ),
    ]
    return html.table("order", "Order foretold", columns, csv="order.csv")


# --- pages within -----------------------------------------------------------------------------------------------------


def _year_page(lists: Lists, label: str, folder: str, within: str) -> Page:
    """One list, with the lists before and after it beside."""
    labels = list(lists.ratings)
    at = labels.index(label)
    table = lists.ratings[label]
    told = f"{many(len(table), 'player')}"
    if len(table):
        first = _first(table)
        told += f"; {' and '.join(first['player'])} {'leads' if len(first) == 1 else 'lead'} with "
        told += _shown(first.iloc[0], lists.replay.system)
    values = {
        "list": _list(lists, label, "list"),
        "before": Link(f"list-{labels[at - 1]}.html", _title(labels[at - 1])) if at else None,
        "after": Link(f"list-{labels[at + 1]}.html", _title(labels[at + 1])) if at + 1 < len(labels) else None,
        "up": within.rpartition("/")[2],
        "has_deviation": "deviation" in table,
        "says": lists.says,
    }
    return Page(f"{folder}list-{label}.html", _title(label), told, "list.html", values, within=within)


def _nations_page(lists: Lists, folder: str, within: str) -> Page | None:
    """The list made last by nation, a table for each."""
    parts = _by_nation(lists)
    known = [nation for nation, _ in parts if nation != NO_NATION]
    if not known:
        return None
    anchors = html.slugs(nation for nation, _ in parts)
    kind = _kind(lists.replay.system)
    label = list(lists.ratings)[-1]
    tables = []
    for nation, part in parts:
        columns = [
            *(
                [Column("In nation", part["national_rank"], "whole", about="rank within the nation")]
                if nation != NO_NATION
                else []
            ),
            Column("Player", part["player"], "name", heads=True),
            Column("Rating", part["rating"], kind),
            *([Column("±", part["deviation"], "pm", about="deviation of the rating")] if "deviation" in part else []),
            Column("Events", part["events"], "whole", about="events with a rated result"),
            Column("Rank", part["rank"], "whole", about="among all nations"),
        ]
        tables.append(html.table(f"nation-{anchors[nation]}", nation, columns))
    values: Mapping[str, Any] = {
        "tables": tables,
        "names": [(table.id, table.caption) for table in tables],
        "up": within.rpartition("/")[2],
        "csv": f"list-{label}.csv",
        "says": lists.says,
    }
    told = f"{many(len(known), 'nation')}; {_most(parts)}"
    return Page(f"{folder}nations.html", f"{_title(label)} by nation", told, "nations.html", values, within=within)


def _most(parts: Sequence[tuple[str, pd.DataFrame]]) -> str:
    nation, part = parts[0]
    return f"{nation} has the most players, {number(len(part))}"
