"""A revision as a public set may show it: of protected people the label, ranks and ratings, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from ratinglab import names
from ratinglab.history import Source
from ratinglab.privacy import FEWEST, NOT_PUBLISHED
from ratinglab.revisions import runs
from ratinglab.scrubbing import Scrubber

if TYPE_CHECKING:
    from ratinglab.privacy import Protected
    from ratinglab.revisions.revising import Revision

NOT_NAMED = "not named"  # somebody whom the event files do not know: whether they are a child is not known either
_KEPT = ("section", "player", "state", "rank_old", "rank_new", "rating_old", "rating_new", "change")


@dataclass(frozen=True)
class _Shown:
    """What people and texts are called in public."""

    labels: dict[str, str]  # of protected people and teams, by key
    open: frozenset[str]
    scrubber: Scrubber

    def shut(self, players: pd.Series) -> pd.Series:
        return ~players.map(names.key).isin(self.open)

    def named(self, players: pd.Series) -> pd.Series:
        def name(player: str) -> str:
            key = names.key(player)
            return player if key in self.open else self.labels.get(key, NOT_NAMED)

        return players.map(name, na_action="ignore").astype("str")

    def text(self, text: str) -> str:
        return self.scrubber.without(text, parts=True)


def for_public(revision: Revision, protected: Protected) -> Revision:
    """The revision without what a public set must not tell; for the committee as it is.

    Protected people stand under their labels with ranks and ratings; why theirs moved is not said, and none of their
    games. Somebody whom the event files do not know is protected too. Figures over fewer than `FEWEST` people of whom
    one is protected are left out, and so are the checksums of files.
    """
    if not protected.public:
        return revision
    shown = _shown(protected)
    players = revision.players
    shut = shown.shut(players["player"])
    blank = {str(column): players[column].mask(shut) for column in players if column not in _KEPT}
    tables = {"players": players.assign(player=shown.named(players["player"]), **blank)}
    tables["people"] = _open_rows(revision.people, shown, "old_name", "new_name")
    tables["settings"] = _settings(revision.settings, shown)
    told: dict[str, Any] = {**tables, "events": None, "games": None}
    if revision.events is not None:
        told["events"] = _events(revision, revision.events, shown)
    if revision.games is not None:
        games = _open_rows(revision.games, shown, "player", "opponent")
        told["games"] = games.assign(event=games["event"].map(shown.text))
    for column in ("first_difference", "origin"):
        texts = told["players"][column].map(shown.text, na_action="ignore")
        told["players"] = told["players"].assign(**{column: texts})
    sides: dict[str, Any] = {
        which: replace(
            side,
            name=shown.text(side.name),
            sources=tuple(Source(shown.text(source.name), NOT_PUBLISHED) for source in side.sources),
        )
        for which, side in (("old", revision.old), ("new", revision.new))
    }
    return replace(revision, **told, **sides, touched={})


def public_text(text: str, protected: Protected) -> str:
    """A committee's own words, in a public set without the names of protected people."""
    return _shown(protected).text(text) if protected.public else text


def _shown(protected: Protected) -> _Shown:
    history = protected.history
    labels = {names.key(name): label for name, label in protected.labels.items()}
    covered = protected.people | protected.teams
    labels |= {names.key(label): label for label in covered}  # a list that was public already
    people = pd.concat([history.entries["player"], history.entries["team"], history.placings["player"],
                        history.players["player"]]).dropna().unique()  # fmt: skip
    open_people = frozenset(names.key(name) for name in people if name not in covered) - labels.keys()
    return _Shown(labels, open_people, Scrubber(protected.labels))


def _open_rows(table: pd.DataFrame, shown: _Shown, *columns: str) -> pd.DataFrame:
    if not len(table):
        return table
    shut = pd.concat([shown.shut(table[column]) for column in columns], axis=1).any(axis=1)
    return table[~shut].reset_index(drop=True)


def _settings(settings: pd.DataFrame, shown: _Shown) -> pd.DataFrame:
    """Without options that tell no figure, and without checksums: by its own a short file could be found."""
    table = settings[~((settings["kind"] == runs.OPTION) & settings["what"].isin(runs.LOOKS))]
    for column in ("what", "old", "new"):
        table = table.assign(**{column: table[column].map(shown.text)})
    files = table["kind"] == runs.INPUT
    hidden = {which: table[which].mask(files & (table[which] != ""), NOT_PUBLISHED) for which in ("old", "new")}
    return table.assign(**hidden).reset_index(drop=True)


def _events(revision: Revision, events: pd.DataFrame, shown: _Shown) -> pd.DataFrame:
    few = []
    for event in events["event"]:
        people = revision.touched.get(event, frozenset())
        few.append(len(people) < FEWEST and not people <= shown.open)
    hide = pd.Series(few, index=events.index)
    largest = events["largest_player"]
    named = largest.mask(hide | (largest.notna() & shown.shut(largest.fillna(""))))
    return events.assign(
        event=events["event"].map(shown.text),
        touched=events["touched"].mask(hide),
        largest_change=events["largest_change"].mask(hide),
        largest_player=named,
    )
