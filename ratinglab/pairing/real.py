"""The next round of a real event: who is there, the pairs in the order of boards, and why each is what it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ratinglab import schema
from ratinglab.names import key, meant
from ratinglab.pairing import telling
from ratinglab.pairing.base import Pairing, Round
from ratinglab.pairing.base import told as words_of
from ratinglab.pairing.standing import NOBODY, order_by, places
from ratinglab.problems import UsageError
from ratinglab.standings import Section, section_standing, sections

if TYPE_CHECKING:
    from ratinglab.history import History

_PAIRS = ("round", "board", "player", "opponent", "first", "gave_way")


@dataclass(frozen=True)
class NextRound:
    """A round that was paired.

    pairs: as the table pairs.csv (round, board, player, opponent, first, gave_way), who sits out last, without an
    opponent. reasons: the same boards with points, places in the standing, meetings and a sentence `why`. away: who is
    not paired (player, why). notices: what was taken for granted.
    """

    section: Section
    pairing: Pairing
    made: Round
    pairs: pd.DataFrame
    reasons: pd.DataFrame
    away: pd.DataFrame
    notices: tuple[str, ...]


def next_round(
    history: History,
    event: str,
    section: str,
    pairing: Pairing,
    round: int | None = None,
    *,
    absent: Iterable[str] = (),
    byes: Iterable[str] = (),
    forbidden: Iterable[tuple[str, str]] = (),
    seed: int = 0,
) -> NextRound:
    """Pair a round (by default the first without a result) from the standing before it.

    Not paired are those who have withdrawn, who are `absent`, and who have a bye: asked for in `byes`, or pre-assigned
    in the event's file (a bye of this round is no round played). What the file pairs for this round is left out of
    account. `forbidden` pairs are never made. Chance comes from `seed` alone. Raises `UsageError` for names that are
    not entered, with those that may be meant, and where nobody is there to be paired.
    """
    games = history.games[(history.games["event"] == event) & (history.games["section"] == section)]
    if round is None:
        known = games[games["result"].notna() & games["opponent"].notna()]
        round = int(known["round"].max()) + 1 if len(known) else 1
    if section not in (there := sections(history, event)):
        raise UsageError(f"no section {section} in {event}; its sections are: {', '.join(there) or 'none'}")
    earlier = games.loc[games["opponent"].notna() & (games["round"] < round), "round"]
    if round > 1 + max(earlier, default=0):
        raise UsageError(
            f"{event}, section {section}: nothing is known of round {round - 1}, so round {round} cannot be paired"
        )
    listed = _not_beyond(history, event, section, round)
    of = section_standing(listed, event, section, round, seed=seed)
    index = {key(name): i for i, name in enumerate(of.names)}
    out: dict[int, str] = {}
    for i in np.flatnonzero(~of.standing.here[0]).tolist():
        out[i] = "withdrawn"
    assigned = games[(games["round"] == round) & games["opponent"].isna() & (games["status"] != schema.UNKNOWN)]
    for name in assigned["player"]:
        out.setdefault(index[key(name)], "bye given before in the file")
    for names, why in ((absent, "absent"), (byes, "bye asked for")):
        for name in names:
            out.setdefault(_entrant(index, of, name), why)
    here = np.ones((1, len(of.names)), dtype=bool)
    here[0, list(out)] = False
    if not here.any():
        raise UsageError(f"{event}, section {section}: nobody is there to be paired in round {round}")
    n = len(of.names)
    barred = np.zeros((1, n, n), dtype=bool)
    for one, other in forbidden:
        barred[0, _entrant(index, of, one), _entrant(index, of, other)] = True
    field = replace(of.standing.field, forbidden=barred if barred.any() else None)
    standing = replace(of.standing, here=here, field=field)
    of = replace(of, standing=standing)
    notices = tuple(_notices(games, round, history.section_settings()(event, section).rounds))
    away = pd.DataFrame(
        {"player": [of.names[i] for i in sorted(out)], "why": [out[i] for i in sorted(out)]}, dtype="str"
    )
    return replace(paired(of, pairing, seed=seed), away=away, notices=notices)


def paired(of: Section, pairing: Pairing, *, seed: int = 0) -> NextRound:
    """The round that comes next in a standing, for all who are here; chance comes from `seed` alone."""
    made = pairing.pair(of.standing, np.random.default_rng(seed))
    pairs, reasons = _tables(of, pairing, made, of.standing.round)
    away = pd.DataFrame({"player": [], "why": []}, dtype="str")
    return NextRound(of, pairing, made, pairs, reasons, away, ())


def _not_beyond(history: History, event: str, section: str, round: int) -> History:
    """The history with the section's games before this round alone, and room for it."""
    mine = (history.games["event"] == event) & (history.games["section"] == section)
    kept = history.games[~mine | (history.games["round"] < round)]
    rounds = history.events["rounds"].where(
        (history.events["event"] != event) | (history.events["rounds"].fillna(0) >= round), round
    )
    divisions = history.divisions
    own = (divisions["event"] == event) & (divisions["section"] == section) & (divisions["rounds"].fillna(0) < round)
    divisions = divisions.assign(rounds=divisions["rounds"].where(~own, round))
    return replace(
        history, games=kept.reset_index(drop=True), events=history.events.assign(rounds=rounds), divisions=divisions
    )


def _entrant(index: Mapping[str, int], of: Section, name: str) -> int:
    if key(name) not in index:
        raise UsageError(f"{name} is not entered in section {of.section} of {of.event}{meant(name, of.names)}")
    return index[key(name)]


def _notices(games: pd.DataFrame, round: int, scheduled: int | None) -> Iterable[str]:
    if scheduled is not None and round > scheduled:
        yield f"the event is of {scheduled} rounds, and this is round {round}"
    before = games[(games["round"] < round) & games["opponent"].notna() & games["result"].isna()]
    if len(before):
        rounds = ", ".join(str(r) for r in sorted(set(before["round"])))
        yield f"{len(before)} games of rounds {rounds} have no result: they count as meetings and nothing more"
    if len(games[(games["round"] >= round) & games["opponent"].notna()]):
        yield f"what the file pairs from round {round} on is left out of account"


def _tables(of: Section, pairing: Pairing, made: Round, round: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Pairs and reasons; boards by the higher score of the two, then by both together, then by place."""
    standing = of.standing
    points = standing.points[0]
    at = places(order_by((standing.points, standing.spread, *standing.field.keys)))[0] + 1
    opponent, first = made.opponent[0], made.first[0]
    boards = []
    for i in np.flatnonzero(opponent != NOBODY).tolist():
        j = int(opponent[i])
        if (at[i], i) < (at[j], j):
            boards.append((-max(points[i], points[j]), -(points[i] + points[j]), at[i], i, j))
    rows: list[tuple[object, ...]] = []
    reasons: list[tuple[object, ...]] = []
    for board, (*_, i, j) in enumerate(sorted(boards), 1):
        one, other = (j, i) if first[i] < 0 else (i, j)
        begins = None if first[one] == 0 else 1
        gave_way = words_of(int(made.gave_way[0, i] | made.gave_way[0, j]))
        rows.append((round, board, of.names[one], of.names[other], begins, gave_way))
        reasons.append(
            (
                board, of.names[one], points[one] / 2, int(at[one]), of.names[other], points[other] / 2, int(at[other]),
                ", ".join(map(str, telling.rounds_of(standing, one, other))),
                _why(of, pairing, made, one, other, at),
            )
        )  # fmt: skip
    for i in np.flatnonzero((opponent == NOBODY) & standing.here[0]).tolist():
        board = len(rows) + 1
        rows.append((round, board, of.names[i], None, None, words_of(int(made.gave_way[0, i]))))
        why = _why_out(of, made, i, at)
        reasons.append((board, of.names[i], points[i] / 2, int(at[i]), None, np.nan, None, "", why))
    pairs = pd.DataFrame(rows, columns=list(_PAIRS)).astype({"first": "Int64", "opponent": "str"})
    columns = ["board", "player", "points", "place", "opponent", "opponent_points", "opponent_place", "met", "why"]
    table = pd.DataFrame(reasons, columns=columns).astype({"opponent_place": "Int64", "opponent": "str"})
    return pairs, table


def _why(of: Section, pairing: Pairing, made: Round, one: int, other: int, at: np.ndarray) -> str:
    """Sentences on a pair: points and places, what the system says of it, meetings, what gave way, who goes first."""
    standing = of.standing
    names = [telling.spoken(name) for name in of.names]
    mine, theirs = (telling.points(standing.points[0, i]) for i in (one, other))
    if standing.round == 1:
        told = [f"{names[one]} and {names[other]} are nos. {at[one]} and {at[other]} before play"]
    else:
        has = (
            f"{names[one]} and {names[other]} have {mine} each"
            if mine == theirs
            else (f"{names[one]} has {mine}, {names[other]} {theirs}")
        )
        told = [f"{has} (places {at[one]} and {at[other]})"]
    told += pairing.why(standing, made, (one, other), names)
    met = telling.rounds_of(standing, one, other)
    if met:
        told.append(f"they have met before, in {telling.met_in(met)}")
    way = words_of(int(made.gave_way[0, one] | made.gave_way[0, other]))
    if way:
        told.append(f"what gave way: {way.replace(';', ', ')}")
    if made.first[0, one]:
        told.append(telling.first_move(standing, one, other, names, pairing.has_colours))
    return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in told)


def _why_out(of: Section, made: Round, who: int, at: np.ndarray) -> str:
    """Why somebody who is here has no opponent."""
    standing = of.standing
    name = telling.spoken(of.names[who])
    here = standing.here[0]
    if here.sum() % 2 == 0:
        return f"{name} sits out: everybody left is one not to be met."
    byes = standing.byes[0]
    told = f"{name} sits out: {here.sum()} players are an odd number."
    before = f"who had {'none' if byes[who] == 0 else byes[who]} before"
    lower = here & (at > at[who]) & (byes <= byes[who])
    if not lower.any():
        return f"{told} Of those with the fewest byes the lowest, {before}."
    return f"{told} One of those with the fewest byes, {before}; another one lower would cost more, or the lot decided."


def side_by_side(rounds: Mapping[str, NextRound]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Whom everybody meets under each of several systems, and what each round is like.

    The second table: pairing, repeats, floats (pairs of different points), same_school, moved (mean places from the
    ideal opponent) and sits_out.
    """
    first = next(iter(rounds.values()))
    names = first.section.names
    table = pd.DataFrame({"number": first.section.numbers, "player": names})
    rows = []
    for label, one in rounds.items():
        opponent = one.made.opponent[0]
        table[label] = pd.Series([None if j == NOBODY else names[j] for j in opponent.tolist()], dtype="str")
        standing = one.section.standing
        pairs = [(i, j) for i, j in enumerate(opponent.tolist()) if j > i]
        school = standing.field.team_mates[0]
        sat_out = [names[i] for i in np.flatnonzero((opponent == NOBODY) & standing.here[0])]
        rows.append(
            {
                "pairing": label,
                "repeats": sum(int(standing.met[0, i, j] > 0) for i, j in pairs),
                "floats": sum(int(standing.points[0, i] != standing.points[0, j]) for i, j in pairs),
                "same_school": sum(int(school[i, j]) for i, j in pairs),
                "moved": float(np.mean([one.made.away[0, i] for i, _ in pairs])) if pairs else float("nan"),
                "sits_out": "; ".join(sat_out),
            }
        )
    return table, pd.DataFrame(rows)
