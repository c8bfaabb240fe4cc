"""The sections of one past event as a backtest takes them: units, games, what is given, and the final standing.

What a system says of them is in `backtesting`, how they are played in `simulating_events`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab import schema
from ratinglab.backtests.simulating_events import Field, Filed, Round
from ratinglab.ordering import counted_spreads, spreads, standings
from ratinglab.periods import Batch, Floats, Ints, tally
from ratinglab.problems import UsageError
from ratinglab.scheduling import Schedule, round_caps, schedule
from ratinglab.systems.base import team_strength
from ratinglab.terminal import many

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.replaying import Replay


@dataclass(frozen=True)
class Section:
    """One section of the event: its units (those in the standing), and its games in the order of rounds."""

    name: str
    history: History  # of the section alone
    batch: Batch  # of the section alone
    units: list[str]
    rows: Ints  # of the units, in the whole schedule
    number: list[Any]
    filed: Floats  # rating filed, a team's by the rule for teams
    standing: pd.DataFrame  # by unit: wins, spread, place
    games: pd.DataFrame  # played between two, with a result: round, a, b, first, result, spread, counts, later
    given: pd.DataFrame  # what else counts in the standing
    by_spread: bool
    caps: Sequence[float]  # of a game's spread in the standing, by round; none beyond
    after_round: int
    entered: int  # also those who are not in the standing


def require_games(history: History, event: str) -> None:
    """Raise `UsageError` for an event that no game with a result was played in, saying what there is instead."""
    games, placings = (table[table["event"] == event] for table in (history.games, history.placings))
    if len(_played(games)):
        return
    if len(games):
        raise UsageError(
            f"a backtest needs results; {event} has {many(len(games), 'pairing')} and no game with a result"
        )
    if len(placings):
        told = "`ratinglab lists --compare` holds ratings against places"
        raise UsageError(f"a backtest plays games, and {event} has places alone; {told}")
    raise UsageError(f"a backtest needs an event that was played; {event} has no game")


def _played(games: pd.DataFrame) -> pd.DataFrame:
    """The games that two sides played out, rated or not."""
    sides = games["player"].notna() & games["opponent"].notna() & (games["player"] != games["opponent"])
    return games[sides & (games["status"] == schema.PLAYED) & games["result"].notna()]


def section_names(history: History, event: str) -> list[str]:
    """The event's sections, in the order of its entries."""
    return list(history.entries.loc[history.entries["event"] == event, "section"].drop_duplicates())


def sections(prepared: Schedule, event: str, wanted: str | None, after_round: int) -> dict[int, Section]:
    """The sections with a played game, by their place among the event's."""
    history = prepared.history
    names = section_names(history, event)
    if wanted is not None and wanted not in names:
        raise UsageError(f"{event} has no section {wanted}; its sections are: {', '.join(names)}")
    games = history.games[history.games["event"] == event]
    last = int(games["round"].max())
    if not 0 <= after_round <= last:
        raise UsageError(f"{event} has rounds 1 to {last}; expected after_round from 0 to {last}, found {after_round}")
    split = {
        number: _section(prepared, event, name, after_round)
        for number, name in enumerate(names)
        if wanted in (None, name) and len(_played(games[games["section"] == name]))
    }
    if not split:
        raise UsageError(f"a backtest needs results; section {wanted} of {event} has no played game")
    return split


def _section(prepared: Schedule, event: str, name: str, after_round: int) -> Section:
    history = prepared.history.only(event)
    games, entries = (table[table["section"] == name] for table in (history.games, history.entries))
    alone = replace(history, games=games.reset_index(drop=True), entries=entries.reset_index(drop=True))
    here = schedule(alone, chained=False)
    standing = standings(alone, games).set_index("player")
    there = np.array([unit in standing.index for unit in here.unit_name])
    units = [str(unit) for unit in here.unit_name[there]]
    period = int(np.flatnonzero((prepared.event == len(prepared.history.events) - 1) & (prepared.section == name))[0])
    in_period = np.flatnonzero(prepared.whole.unit_period == period)
    row_of = dict(zip(prepared.unit_name[in_period], in_period.tolist(), strict=True))
    first = here.whole.unit_first[there]
    index = pd.Index(units)
    counted = games[games["result"].notna() & (games["status"] != schema.UNKNOWN)]
    played = _played(games)
    return Section(
        name=name,
        history=alone,
        batch=here.whole,
        units=units,
        rows=np.array([row_of[unit] for unit in units], dtype=np.int64),
        number=list(alone.entries["number"].to_numpy()[here.entry_row[first]]),
        filed=_filed(here)[there],
        standing=standing.loc[units],
        games=_as_forecast(alone, played, index).assign(later=lambda rows: rows["round"] > after_round),
        given=_of_units(alone, counted.drop(index=played.index), index),
        by_spread=bool((played["score"] - played["opponent_score"]).notna().any()),
        caps=alone.section_settings()(event, name).spread_cap,
        after_round=after_round,
        entered=len(here.unit_name),
    )


def _filed(here: Schedule) -> Floats:
    """The units' filed ratings, a team's by the rule for teams; nan where somebody in it has none."""
    return team_strength({"rating": here.whole.filed_rating[:, None]}, here.whole)["rating"][:, 0]


def _of_units(history: History, games: pd.DataFrame, units: pd.Index) -> pd.DataFrame:
    """Round, both sides as rows of `units` (b -1: nobody), result, who went first, spread, and whether it is a bye.

    `counts` is what of the spread counts in the standing.
    """
    first = games["first"].to_numpy(dtype=float, na_value=0.5) * 2 - 1
    columns = {
        "round": games["round"].to_numpy(dtype=np.int64),
        "a": units.get_indexer(pd.Index(games["player"])),
        "b": units.get_indexer(pd.Index(games["opponent"])),
        "first": first,
        "result": games["result"].to_numpy(dtype=float),
        "spread": spreads(games).to_numpy(dtype=float),
        "counts": counted_spreads(history, games).to_numpy(dtype=float),
        "rated": games["rated"].fillna(1).to_numpy(dtype=np.int64),
        "bye": (games["status"] == schema.BYE).to_numpy() & games["opponent"].isna().to_numpy(),
    }
    return pd.DataFrame(columns).sort_values("round", kind="stable", ignore_index=True)


def _as_forecast(history: History, games: pd.DataFrame, units: pd.Index) -> pd.DataFrame:
    """As `_of_units`, from the side whose name sorts first, as every forecast is."""
    table = _of_units(history, games, units)
    turned = units.to_numpy()[table["a"]] > units.to_numpy()[table["b"]]
    a, b = np.where(turned, table["b"], table["a"]), np.where(turned, table["a"], table["b"])
    sign = np.where(turned, -1.0, 1.0)
    result = np.where(turned, 1 - table["result"], table["result"])
    signed = {name: table[name] * sign for name in ("first", "spread", "counts")}
    return table.assign(a=a, b=b, result=result, **signed)


def field(one: Section, result: Replay) -> Field:
    """The section as the replay's system sees it before the event, with the pairings as filed."""
    system = result.system
    strength = {name: values[one.rows] for name, values in result.unit_strength.items()}
    numbers = sorted({*one.games["round"].tolist(), *one.given["round"].tolist()})
    rounds = tuple(_round(one, number, system.has_spread) for number in numbers)
    return Field(system, one.batch, strength, Filed(rounds), len(rounds), one.by_spread)


def _round(one: Section, number: int, has_spread: bool) -> Round:
    games = one.games[one.games["round"] == number]
    known, later = games[~games["later"]], games[games["later"]]
    given = pd.concat([known, one.given[one.given["round"] == number]])
    wins, spread = sums(given, len(one.units), "counts")
    # a bye's spread would count for much where no game's is told
    if number > one.after_round and not has_spread:
        spread = np.zeros_like(spread)
    a, b, first = (later[name].to_numpy() for name in ("a", "b", "first"))
    return Round(a, b, first, wins, spread, cap(one, number))


def cap(one: Section, number: int) -> float:
    """How much of a game's spread counts in the standing, in that round."""
    return float(round_caps(list(one.caps), np.array([number]))[0])


def turns(one: Section) -> list[pd.DataFrame]:
    """For each round that is expected and was played, the bye (a row or none) of whoever sat out as the odd one.

    That is a bye of a whole win, if no other entrant has one in the round.
    """
    rounds = sorted({*one.games.loc[one.games["later"], "round"]})
    byes = one.given[one.given["bye"] & (one.given["result"] == 1)]
    found = [byes[byes["round"] == number] for number in rounds]
    return [of if len(of) == 1 else of.iloc[:0] for of in found]


def sums(games: pd.DataFrame, units: int, spreads: str = "spread") -> tuple[Floats, Floats]:
    """Wins and spread of each unit in games with columns a, b (-1: nobody), result and `spreads` (of a; nan: 0)."""
    a, b = games["a"].to_numpy(), games["b"].to_numpy()
    result, spread = games["result"].to_numpy(dtype=float), np.nan_to_num(games[spreads].to_numpy(dtype=float))
    two, one = b >= 0, a >= 0
    wins = tally(a[one], result[one], units) + tally(b[two], 1 - result[two], units)
    return wins, tally(a[one], spread[one], units) - tally(b[two], spread[two], units)


def notes(prepared: Schedule, split: Sequence[Section], *, anew: bool = False) -> list[str]:
    """How these sections were taken, in sentences, where something about them is not plain.

    `anew`: rounds are paired anew, in which who sat out for want of an opponent is not as filed.
    """
    least = np.minimum.reduceat(prepared.games_before, prepared.whole.unit_first)
    new = [least[one.rows] == 0 for one in split]
    later = pd.concat([one.games[one.games["later"]].assign(by_spread=one.by_spread) for one in split])
    entrants = sum(len(one.units) for one in split)
    newcomers = int(sum(of.sum() for of in new))
    unfiled = int(sum((of & np.isnan(one.filed)).sum() for of, one in zip(new, split, strict=True)))
    idle = sum(one.entered - len(one.units) for one in split)
    unknown = int(sum((one.history.games["status"] == schema.UNKNOWN).sum() for one in split))
    given = sum(len(one.given) - (sum(map(len, turns(one))) if anew else 0) for one in split)
    lots = [one.name for one in split if not one.by_spread]
    drawn, unscored = int((later["result"] == 0.5).sum()), int((later["spread"].isna() & later["by_spread"]).sum())
    unrated = int(sum((one.games["rated"] != 1).sum() for one in split))
    unseeded = [one.name for one in split if np.isnan(one.filed).all()]
    in_teams = any((one.batch.members > 1).any() for one in split)
    of_newcomers = f"{newcomers} of {many(entrants, 'entrant')} had no rated game before in this history"
    of_newcomers += " (of a team: at least one member)" if in_teams else ""
    if unfiled:
        of_newcomers += (
            f"; {unfiled} of them are not filed with a rating either and stand where each system puts somebody unknown"
        )
    where = "" if len(lots) == len(split) else f" in {', '.join(lots)}"
    numbered = "" if len(unseeded) == len(split) else f" in {', '.join(unseeded)}"
    said = {
        f"{many(idle, 'entrant')} without a result: left out": idle,
        of_newcomers: newcomers,
        f"{many(unknown, 'pairing')} of unknown outcome: left out": unknown,
        f"{many(given, 'bye or forfeit is', 'byes and forfeits are')} counted as filed in every tournament": given,
        f"{many(drawn, 'game was', 'games were')} drawn, half a win to each side": drawn,
        f"The spread of {many(unscored, 'game')} is not known, 0 in the final standing": unscored,
        f"No spreads are known{where}: entrants with equal wins share a place, and the simulation draws lots": lots,
        f"{many(unrated, 'game was', 'games were')} played but not rated; simulated like the others": unrated,
        f"No ratings are filed{numbered}: the order of the numbers in the file stands for the seeding": unseeded,
    }
    return [f"{text}." for text, so in said.items() if so]
