"""Standings of real events: how a section stood after any round, for Scrabble by wins and spread, for chess by points.

`section_standing` tells a section as a pairing system sees it (`ratinglab.pairing.standing`, with T = 1); `standings`
makes the table of it. What is counted is what the files say: a bye or forfeit is worth what was credited, a game whose
result is not known is a meeting and nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab import schema
from ratinglab.pairing.standing import NO_TEAM, NOBODY, Field, Standing, order_by
from ratinglab.periods import Bools, Floats, Ints
from ratinglab.problems import UsageError

if TYPE_CHECKING:
    from ratinglab.history import History

SCRABBLE, CHESS = "scrabble", "chess"
KINDS = (SCRABBLE, CHESS)
_OUT = ("", "no", "n", "0", "false")  # what "not withdrawn" is written as


@dataclass(frozen=True)
class Section:
    """A section of a real event before a round: its entrants by pairing number, and the standing of them.

    names: players, or teams; numbers: their pairing numbers (the order of the entries where none are filed). `score`
    and `against` (n, rounds) are the scores of each round, nan where not known; `unplayed` (n, rounds) marks rounds
    whose result came without a game (byes, forfeits).
    """

    event: str
    section: str
    names: list[str]
    numbers: Ints
    school: list[str | None]
    standing: Standing
    score: Floats
    against: Floats
    unplayed: Bools


def sections(history: History, event: str) -> list[str]:
    """The sections of an event in the order of its entries; raises `UsageError` for an event that is not there."""
    history.require([event])
    entries = history.entries[history.entries["event"] == event]
    return list(dict.fromkeys(entries["section"]))


def section_standing(history: History, event: str, section: str, round: int | None = None, *, seed: int = 0) -> Section:
    """The section before `round` (by default after all that is listed), everybody who has not withdrawn here.

    The field's rating is what the event's file gives (a team's: as the team rule has it), earlier ratings are those of
    the history's rating lists before the event, month by month; lots are drawn from `seed`. Raises `UsageError` for an
    event, section or round that is not there.
    """
    named = sections(history, event)
    if section not in named:
        raise UsageError(f"no section {section} in {event}; its sections are: {', '.join(named) or 'none'}")
    entries = history.entries[(history.entries["event"] == event) & (history.entries["section"] == section)]
    games = history.games[(history.games["event"] == event) & (history.games["section"] == section)]
    last = int(games["round"].max()) if len(games) else 0
    scheduled, _, caps = history.section_settings()(event, section)
    rounds = max(last, scheduled or 0, 1)
    before = last + 1 if round is None else round
    if not 1 <= before <= rounds + 1:
        raise UsageError(f"{event}, section {section}, has {rounds} rounds; found round {before - 1}")
    units = _units(entries)
    index = {name: i for i, name in enumerate(units["name"])}
    n = len(units)
    shape = (n, before - 1)
    opponent, result = np.full(shape, NOBODY, dtype=np.int64), np.full(shape, -1, dtype=np.int64)
    first, bye, unplayed = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    score, against = np.full(shape, np.nan), np.full(shape, np.nan)
    spread = np.zeros(n)
    seen = np.zeros(shape, dtype=bool)
    columns = ["round", "player", "opponent", "score", "opponent_score", "result", "first", "status"]
    for r, one, other, own, theirs, points, went, status in games.loc[games["round"] < before, columns].itertuples(
        index=False
    ):
        at = int(r) - 1
        cap = caps[at] if at < len(caps) else np.inf
        sides = [(one, other, own, theirs, points, went)]
        if isinstance(other, str):
            sides.append((other, one, theirs, own, 1 - points, 1 - went if pd.notna(went) else went))
        for name, against_name, mine, its, worth, begins in sides:
            i = index.get(name)
            if i is None or seen[i, at]:
                continue  # told by `check`: nobody counts twice in a round
            seen[i, at] = True
            opponent[i, at] = index.get(against_name, NOBODY) if isinstance(against_name, str) else NOBODY
            result[i, at] = -1 if pd.isna(worth) else int(2 * worth)
            # nobody moved first in a game that was not played
            first[i, at] = 0 if pd.isna(begins) or status != schema.PLAYED else 2 * int(begins) - 1
            unplayed[i, at] = status in (schema.BYE, schema.FORFEIT)
            bye[i, at] = status == schema.BYE and opponent[i, at] == NOBODY and result[i, at] != 0
            score[i, at], against[i, at] = _number(mine), _number(its)
            margin = _number(mine) - (_number(its) if opponent[i, at] != NOBODY else 0.0)
            if not np.isnan(margin):
                spread[i] += float(np.clip(margin, -cap, cap)) if opponent[i, at] != NOBODY else margin
    said = units["withdrawn"].fillna("").str.strip().str.casefold()
    rng = np.random.default_rng(seed)
    earlier = _earlier(history, event, units)
    field = Field(
        units["rating"].to_numpy(dtype=float)[None, :],
        rng.permutation(n)[None, :],
        earlier=None if earlier is None else earlier[None, :, :],
        team=_schools(units["school"])[None, :],
    )
    standing = Standing(
        field, before, rounds, np.maximum(result, 0).sum(axis=1)[None], spread[None], opponent[None], result[None],
        first[None], bye[None], said.isin(_OUT).to_numpy()[None, :],
    )  # fmt: skip
    school = [None if pd.isna(value) else str(value) for value in units["school"]]
    return Section(
        event, section, list(units["name"]), units["number"].to_numpy(dtype=np.int64), school, standing, score, against,
        unplayed,
    )  # fmt: skip


def _number(value: Any) -> float:
    return float("nan") if pd.isna(value) else float(value)


def _units(entries: pd.DataFrame) -> pd.DataFrame:
    """One row for each player or team, by pairing number: name, number, rating, school, withdrawn."""
    rows = []
    named = entries["team"].fillna(entries["player"])
    for name, of in entries.groupby(named, sort=False):
        rating = of["rating"].to_numpy(dtype=float)
        known = rating[~np.isnan(rating)]
        worth = float("nan") if not len(known) else max(known.max() - 100 * (len(of) > 1), rating.mean())
        schools = ";".join(dict.fromkeys(str(value) for value in of["school"] if pd.notna(value)))
        said = of["withdrawn"].dropna()
        rows.append((name, of["number"].min(), worth, schools or None, said.iloc[0] if len(said) else None))
    columns = ["name", "number", "rating", "school", "withdrawn"]
    made = pd.DataFrame(rows, columns=columns).astype({"school": "str", "withdrawn": "str"})
    made = made.sort_values("number", kind="stable", na_position="last", ignore_index=True)
    free = iter(range(int(made["number"].max(skipna=True) or 0) + 1 if made["number"].notna().any() else 1, 1 << 30))
    made["number"] = [next(free) if pd.isna(number) else int(number) for number in made["number"]]
    return made


def _schools(schools: pd.Series) -> Ints:
    """A number for each school, NO_TEAM where it is not known."""
    codes, _ = pd.factorize(schools.str.strip().str.casefold())
    return np.where(codes < 0, NO_TEAM, codes).astype(np.int64)


def _earlier(history: History, event: str, units: pd.DataFrame) -> Floats | None:
    """Ratings of the history's lists dated before the event, the latest first, (n, lists); None without any."""
    lists = history.rating_lists
    day = history.events.loc[history.events["event"] == event, "date"].iloc[0]
    if pd.notna(day):
        lists = lists[lists["list_date"] <= day]
    lists = lists[lists["player"].isin(units["name"])]
    if not len(lists):
        return None
    table = lists.pivot_table(index="player", columns="list_date", values="rating", aggfunc="last")
    table = table[sorted(table.columns, reverse=True)]
    return table.reindex(units["name"]).to_numpy(dtype=float)


# --- the table --------------------------------------------------------------------------------------------------------


def standings(
    history: History, event: str, section: str, round: int | None = None, *, kind: str = SCRABBLE
) -> pd.DataFrame:
    """The standings after `round` (by default the last), best first; who is level in all that counts shares a rank.

    kind `scrabble`: rank, player, number, wins, losses, ties, byes, tow, spread, by wins (ties ½) and spread. kind
    `chess`: points instead, by points and then modified median, Solkoff and cumulative. Byes count as credited; `byes`
    are rounds without an opponent that were credited.

    Source of the tie-breaks: US Chess, Official Rules of Chess, rule 34E.
    """
    if kind not in KINDS:
        raise UsageError(f"standings are of {', '.join(KINDS)}; found {kind}")
    of = section_standing(history, event, section, None if round is None else round + 1)
    made = of.standing
    points, result = made.points[0], made.result[0]
    table = pd.DataFrame(
        {
            "player": of.names,
            "number": of.numbers,
            "wins": (result == 2).sum(axis=1),
            "losses": (result == 0).sum(axis=1),
            "ties": (result == 1).sum(axis=1),
            "byes": made.byes[0],
            "tow": made.tow()[0],
            "spread": made.spread[0],
        }
    )
    keys: tuple[Any, ...] = (made.points, made.spread)
    if kind == CHESS:
        breaks = tie_breaks(of)
        table = table.drop(columns=["tow", "spread"])
        table.insert(2, "points", points / 2)
        table = table.assign(**breaks)
        keys = (made.points, *(values[None, :] for values in breaks.values()))
    order = order_by((*keys, -np.asarray(of.numbers)[None, :]))[0]
    ordered = np.stack([np.asarray(key[0], dtype=float)[order] for key in keys])
    level = np.concatenate([[False], (ordered[:, 1:] == ordered[:, :-1]).all(axis=0)])[: len(order)]
    table = pd.DataFrame(table.iloc[order].reset_index(drop=True))
    table.insert(0, "rank", np.maximum.accumulate(np.where(level, 0, np.arange(1, len(order) + 1))))
    return table


def tow_by_game(
    history: History, event: str, section: str, round: int | None = None, *, kind: str = SCRABBLE
) -> pd.DataFrame:
    """Total opponent wins game by game: rank, player, number, and after each round up to `round` tow_1, tow_2, ….

    `tow_3` is what the opponents of rounds 1 to 3 had won by then, ties ½; byes add nothing, an opponent met twice
    counts twice. The order is that of `standings` after the last of these rounds.

    Source: "1998 CNSC Pairings", which promises players these figures to check the pairing by.
    """
    table = standings(history, event, section, round, kind=kind)[["rank", "player", "number"]]
    whole = section_standing(history, event, section, None if round is None else round + 1)
    at = {number: i for i, number in enumerate(whole.numbers.tolist())}
    rows = [at[number] for number in table["number"]]
    after = {
        f"tow_{game}": section_standing(history, event, section, game + 1).standing.tow()[0][rows]
        for game in range(1, whole.standing.round)
    }
    return table.assign(**after)


def playoff(table: pd.DataFrame, games: int = 5) -> pd.DataFrame:
    """The playoff of the first two of `standings`: game, first, second (who goes first, and who does not).

    The first of the preliminary goes first in the odd games. It ends as soon as one has more than half of the games; a
    tie is played again. Raises `UsageError` where there are no two, or third is level with second.

    Source: "1998 CNSC Pairings".
    """
    if len(table) < 2:
        raise UsageError("a playoff is between the first two, and there are no two")
    if len(table) > 2 and table["rank"].iloc[2] <= 2:
        level = "; ".join(table.loc[table["rank"] == table["rank"].iloc[2], "player"])
        raise UsageError(f"a playoff is between the first two, and level for it are: {level}")
    one, other = table["player"].iloc[:2]
    odd = [game % 2 == 1 for game in range(1, games + 1)]
    return pd.DataFrame(
        {
            "game": range(1, games + 1),
            "first": [one if begins else other for begins in odd],
            "second": [other if begins else one for begins in odd],
        }
    )


def tie_breaks(of: Section) -> dict[str, Floats]:
    """Modified median, Solkoff and cumulative of each entrant, (n,).

    An opponent's score is adjusted: rounds that the opponent did not play count ½ each. A round that one did not play
    oneself is an opponent of 0. Modified median leaves out the highest opponent of those with less than half of the
    points, the lowest of those with more, both of those with just half; two for one from nine rounds on. Cumulative
    adds up the score after every round, less what was had without a game.
    """
    made = of.standing
    n, rounds = made.opponent.shape[1:]
    played = ~of.unplayed & (made.opponent[0] != NOBODY)
    won = np.maximum(made.result[0], 0) / 2
    adjusted = np.where(played, won, 0.5).sum(axis=1)
    cut = 1 if rounds < 9 else 2
    solkoff, median = np.zeros(n), np.zeros(n)
    for i in range(n):
        scores = np.sort(np.where(played[i], adjusted[np.maximum(made.opponent[0, i], 0)], 0.0))
        solkoff[i] = scores.sum()
        share = 2 * won[i].sum() - rounds
        low = cut if share >= 0 else 0
        high = cut if share <= 0 else 0
        median[i] = scores[low : max(low, rounds - high)].sum()
    cumulative = np.cumsum(won, axis=1).sum(axis=1) - np.where(played, 0.0, won).sum(axis=1)
    return {"modified_median": median, "solkoff": solkoff, "cumulative": cumulative}
