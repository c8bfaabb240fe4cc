"""`members.csv` beside a TSH configuration: who the members of a team are, and what is known of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ratinglab import schema
from ratinglab.decode import NotText
from ratinglab.formats.cells import parse_cell
from ratinglab.formats.common import Faults
from ratinglab.formats.files import File
from ratinglab.formats.sheet import read_sheet

MEMBERS = "members.csv"


@dataclass(frozen=True)
class Member:
    """One row: the member's columns of the entries table, and where it stands."""

    number: int
    values: dict[str, Any]
    file: str
    line: int


def read_members(
    file: File, sections: Sequence[str], strict: bool, faults: Faults
) -> dict[tuple[str, int], list[Member]]:
    """The members by section (in lower case) and number, in order; with `strict` every section must be one of these.

    A file without a section column is about the only section, if there is one.
    """
    try:
        sheet = read_sheet(file.text, faults)
    except (NotText, OSError):
        faults.error(0, "a table of members", file.nature)
        return {}
    kinds = {
        column: kind for column, kind in schema.TABLES["entries"].items() if column not in ("event", "section", "team")
    }
    at = sheet.at(["section", *kinds])
    missing = [column for column in ("section", "number") if column not in at]
    if "number" in missing or (missing and len(sections) != 1):
        faults.error(
            sheet.header_line, "the columns section, number and player", ", ".join(sheet.header) or "no header"
        )
        return {}
    known = {section.casefold() for section in sections}
    members: dict[tuple[str, int], list[Member]] = defaultdict(list)
    for i, line in enumerate(sheet.lines):
        cells = {column: sheet.columns[at[column]][i] for column in at}
        section = cells.get("section") or (sections[0] if len(sections) == 1 else "")
        values = {}
        for column in at:
            if column == "section" or not cells[column]:
                continue
            value, expected = parse_cell(cells[column], kinds[column])
            if expected:
                faults.error(line, f"{column}: {expected}", repr(cells[column]), at[column] + 1)
            else:
                values[column] = value
        number = values.pop("number", None)
        if section.casefold() not in known:
            if strict:
                faults.error(
                    line, f"a section of this event ({', '.join(sections)})", repr(section), at.get("section", 0) + 1
                )
        elif number is None:
            faults.error(line, "the number of the player's line", repr(cells["number"]), at["number"] + 1)
        else:
            members[section.casefold(), number].append(Member(number, values, file.shown, line))
    return dict(members)
