"""One past event held against what was expected of it: wins, final places, the winner, upsets, the seeding.

The history is cut after the event and replayed up to it; nothing of the event itself is in the ratings. The rest of
the event is then played many times (`simulating_events`) over the pairings as filed, or paired anew
(`event_pairing`). What an event consists of is in `event_sections`, how seedings agreed with the
final order in `seeding_agreement`, the page in `ratinglab.reports.backtest_page`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ratinglab.backtests import event_pairing
from ratinglab.backtests.event_sections import Section, field, notes, require_games, section_names, sections, sums
from ratinglab.backtests.seeding_agreement import agreement, filed_order, seed_of
from ratinglab.backtests.simulating_events import Counts, Field, forecast, probability, simulate
from ratinglab.periods import Floats, Ints
from ratinglab.problems import UsageError
from ratinglab.replaying import replay
from ratinglab.scheduling import schedule
from ratinglab.systems import parse
from ratinglab.systems.base import Forecast, System
from ratinglab.tasks import HERE, Progress, Workers, seeds

if TYPE_CHECKING:
    from ratinglab.history import History
    from ratinglab.pairing.base import Pairing
    from ratinglab.replaying import Replay

TOURNAMENTS = 10_000
UPSET = 0.25  # a side with less than this chance that wins has made an upset
RANGE = 0.9  # of the range of places told for each entrant
_TOP = 3


@dataclass(frozen=True)
class Backtest:
    """What was expected of an event by each system, and what happened; the tables are described in docs/tables.md.

    `systems` are labels, in the order asked for, `pairing` is that of the pairing system (None: the pairings as filed).
    `notes` are sentences on how the event was taken.
    """

    event: str
    name: str
    date: pd.Timestamp
    systems: tuple[str, ...]
    sections: tuple[str, ...]
    after_round: int
    pairing: str | None
    tournaments: int
    seed: int
    pupils: bool  # whether the entries tell of schools or grades
    teams: bool
    summary: pd.DataFrame
    entrants: pd.DataFrame
    places: pd.DataFrame
    wins: pd.DataFrame
    upsets: pd.DataFrame
    seedings: pd.DataFrame
    games: pd.DataFrame
    notes: tuple[str, ...]
    replays: Mapping[str, Replay] = dataclass_field(repr=False)  # by label, of the history up to the event

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by the names of their files."""
        names = ("summary", "entrants", "places", "wins", "upsets", "seedings", "games")
        return {f"{name}.csv": getattr(self, name) for name in names}


def backtest(
    history: History,
    event: str,
    systems: Sequence[System | str],
    *,
    after_round: int = 0,
    section: str | None = None,
    pairing: Pairing | None = None,
    tournaments: int = TOURNAMENTS,
    start: str = "filed",
    seed: int = 0,
    workers: Workers = HERE,
    progress: Progress | None = None,
) -> Backtest:
    """What each of the systems expected of one past event, and what happened.

    Games after round `after_round` (0: all) are expected and simulated, in `tournaments` tournaments over the pairings
    as filed; earlier ones count as they were. Byes and forfeits count as filed in every round. The ratings are always
    those before the event. Final places are by wins, then by spread (where the section has spreads: of rounds already
    played, and simulated ones if the system forecasts spreads), then by lot. Each section is played for itself; all
    systems see the same seeds. `start` is that of `replay`.

    With a `pairing` system places come from tournaments whose rounds are paired by it, each from its own standing, as
    `event_pairing.paired` says, and the tables have columns for those over the pairings as filed beside them
    (`p_winner_real` …). Wins are always those over the pairings as filed, as they were played against these opponents.

    Raises `UsageError` for an event or section that is not there or has no played game, for a system that makes no
    forecasts or is a grid, and for a round that the event does not have.

    >>> from ratinglab.sample import individual_circuit
    >>> history, _ = individual_circuit(np.random.default_rng(1), players=8, events=3, rounds=4)
    >>> made = backtest(history, history.events["event"].iloc[-1], ["glixo"], tournaments=200)
    >>> float(made.places["p"].sum().round(6)), float(made.entrants["p_winner"].sum().round(6))
    (8.0, 1.0)
    """
    chosen = _chosen(systems)
    if tournaments < 1:
        raise UsageError(f"the number of tournaments is 1 or more; found {tournaments}")
    history.require([event])
    place = list(history.events["event"]).index(event)
    # what comes later is dropped before anything is computed, so that nothing can see it
    earlier = history.only(history.events["event"].iloc[: place + 1])
    require_games(earlier, event)
    prepared = schedule(earlier, start=start)
    split = sections(prepared, event, section, after_round)
    replays = {label: replay(prepared, system, details=False) for label, system in chosen.items()}

    pairs = [(number, label) for number in split for label in replays]
    fields = [field(split[number], replays[label]) for number, label in pairs]
    # the seed of a section is its own, whatever other sections or systems are asked for
    own = seeds(seed, len(section_names(earlier, event)))
    again = (
        []
        if pairing is None
        else [event_pairing.paired(split[number], of, pairing) for (number, _), of in zip(pairs, fields, strict=True)]
    )
    lots = [own[number] for number, _ in pairs] * (1 if pairing is None else 2)
    counts = simulate([*fields, *again], lots, tournaments, workers, progress)
    told = {
        pair: _Told(split[pair[0]], pair[1], of, filed, placed if again else None)
        for pair, of, filed, placed in zip(pairs, fields, counts, counts[-len(pairs) :], strict=False)
    }
    made = [one.tables() for one in told.values()]
    seedings = [
        _seedings(one, {label: told[number, label].rating for label in replays}, own[number])
        for number, one in split.items()
    ]
    said = notes(prepared, list(split.values()), anew=pairing is not None)
    if pairing is not None:
        said += event_pairing.notes(list(split.values()), pairing)
    row = earlier.events.iloc[place]
    entries = earlier.entries[earlier.entries["event"] == event]
    if pd.isna(row["end_date"]):
        said.insert(0, "The event has no date: it is taken after all events that have one.")
    return Backtest(
        event=event,
        name=event if pd.isna(row["name"]) else row["name"],
        date=row["end_date"],
        systems=tuple(replays),
        sections=tuple(one.name for one in split.values()),
        after_round=after_round,
        pairing=None if pairing is None else pairing.label,
        tournaments=tournaments,
        seed=seed,
        pupils=bool(entries["grade"].notna().any() or entries["school"].notna().any()),
        teams=bool(entries["team"].notna().any()),
        **{name: pd.concat([tables[name] for tables in made], ignore_index=True) for name in made[0]},
        seedings=pd.concat(seedings, ignore_index=True),
        notes=tuple(said),
        replays=replays,
    )


def _chosen(systems: Sequence[System | str]) -> dict[str, System]:
    """The systems by their labels, each once."""
    chosen: dict[str, System] = {}
    for system in systems:
        one = parse(system) if isinstance(system, str) else system
        if not one.has_forecast:
            raise UsageError(f"a backtest holds forecasts against results, and {one.name} makes none before a game")
        if one.grid_size:
            raise UsageError(
                f"a backtest takes single systems; {one.label} is {one.grid_size}: take one with .column(i)"
            )
        chosen.setdefault(one.label, one)
    if not chosen:
        raise UsageError("a backtest needs at least one system, such as glixo; found none")
    return chosen


def _seedings(one: Section, strengths: Mapping[str, Floats], seed: np.random.SeedSequence) -> pd.DataFrame:
    """How the order as filed, and each system's (label -> rating of each entrant), agreed with the final one."""
    filed, rests_on = filed_order(one.filed, one.number)
    places = one.standing["place"].to_numpy(dtype=float)
    # a chunk of tournaments has a key of its own below the section's, which resamples must not repeat
    table = agreement({"filed": filed, **strengths}, places, seed=int(seed.generate_state(1)[0]))
    table.insert(0, "section", one.name)
    return table.assign(rests_on=np.where(table["seeding"] == "filed", rests_on, "rating before"))


# --- what one system says of one section ------------------------------------------------------------------------------


class _Told:
    """One section by one system: the forecasts, and the counts of its tournaments, as tables.

    `filed` are those over the pairings as filed, `paired` those of a pairing system where one was asked for.
    """

    def __init__(self, one: Section, label: str, field: Field, filed: Counts, paired: Counts | None) -> None:
        self.one, self.label, self.filed, self.paired = one, label, filed, paired
        self.counts = filed if paired is None else paired  # what places are told from
        self.rating: Floats = field.strength["rating"][:, 0]
        self.deviation = (
            field.strength["deviation"][:, 0] if "deviation" in field.strength else np.full(field.units, np.nan)
        )
        games = one.games
        a, b, first = (games[name].to_numpy() for name in ("a", "b", "first"))
        said: Forecast = forecast(field.system, field.batch, field.strength, a, b, first)
        self.win: Floats = said.win[:, 0]
        none = np.full(len(games), np.nan)
        self.spread_mean = none if said.spread_mean is None else said.spread_mean[:, 0]
        self.spread_sd = none if said.spread_sd is None else said.spread_sd[:, 0]
        self.later = games["later"].to_numpy()
        self.place = one.standing["place"].to_numpy(dtype=np.int64)
        self.seed = seed_of(self.rating)

    def tables(self) -> dict[str, pd.DataFrame]:
        """The rows that this section and system add to each table."""
        entrants = self.entrants()
        return {
            "entrants": entrants,
            "summary": self.summary(entrants),
            "places": self.distribution(self.counts.places, "place", 1),
            "wins": self.distribution(self.filed.wins, "wins", 0.5),
            "upsets": self.upsets(),
            "games": self.games(),
        }

    def entrants(self) -> pd.DataFrame:
        one, counts, later = self.one, self.counts.places, self.one.games[self.later]
        units, n = len(one.units), self.counts.tournaments
        actual = sums(later, units)[0]
        expected = sums(later.assign(result=self.win[self.later]), units)[0]
        known = later["spread"].notna().to_numpy()
        spread = sums(later[known], units)[1]
        expected_spread = sums(later.assign(spread=self.spread_mean[self.later])[known], units)[1]
        has = known.any() and not np.isnan(self.spread_mean).any()
        halves = np.arange(self.filed.wins.shape[1]) / 2
        mean = self.filed.wins @ halves / n
        sd = np.sqrt(np.maximum(0.0, self.filed.wins @ halves**2 / n - mean**2))
        at_most = np.cumsum(counts, axis=1)
        first, top = (probability(at_most[:, min(k, units) - 1], n) for k in (1, _TOP))
        better, worse = self._as_placed(at_most)
        games = np.bincount(later[["a", "b"]].to_numpy().ravel(), minlength=units)
        return pd.DataFrame(
            {
                "system": self.label,
                "section": one.name,
                "player": one.units,
                "number": pd.array(one.number, dtype="Int64"),
                "filed_rating": one.filed,
                "filed_seed": seed_of(filed_order(one.filed, one.number)[0]),
                "seed": self.seed,
                "rating": self.rating,
                "deviation": self.deviation,
                "games": games,
                "expected_wins": expected,
                "wins": actual,
                "sd": sd,
                "z": np.divide(actual - expected, sd, out=np.full(units, np.nan), where=sd > 0),
                "expected_spread": expected_spread if has else np.nan,
                "spread": spread if known.any() else np.nan,
                "place": self.place,
                "mean_place": counts @ np.arange(1, units + 1) / n,
                **{name: 1 + (at_most < share * n).sum(axis=1) for name, share in _quantiles().items()},
                "p_winner": first[0],
                "p_winner_se": first[1],
                "p_top_3": top[0],
                "p_top_3_se": top[1],
                "p_place_or_better": better[0],
                "p_place_or_better_se": better[1],
                "p_place_or_worse": worse[0],
                "p_place_or_worse_se": worse[1],
                **self._over_real(lambda places: probability(places[:, 0], n)),
            }
        )

    def _over_real(self, p: Callable[[Ints], tuple[Any, Any]]) -> dict[str, Any]:
        """The chance (and standard error) of winning over the real pairings, where the others are not of these."""
        if self.paired is None:
            return {}
        return dict(zip(("p_winner_real", "p_winner_real_se"), p(self.filed.places), strict=True))

    def _as_placed(self, at_most: Ints) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """How likely the actual place or a better one was, and it or a worse one; a shared place is each in turn."""
        n = self.counts.tournaments
        below = np.concatenate([np.zeros((len(at_most), 1), dtype=np.int64), at_most], axis=1)
        shared = np.bincount(self.place, minlength=len(at_most) + 1)[self.place]
        better, worse = np.zeros(len(at_most)), np.zeros(len(at_most))
        for row, (place, sharing) in enumerate(zip(self.place.tolist(), shared.tolist(), strict=True)):
            better[row] = below[row, place : place + sharing].mean()
            worse[row] = n - below[row, place - 1 : place - 1 + sharing].mean()
        return probability(better, n), probability(worse, n)

    def summary(self, entrants: pd.DataFrame) -> pd.DataFrame:
        n, one = self.counts.tournaments, self.one
        won = np.flatnonzero(self.place == 1)
        first = self.counts.places[:, 0]
        p, se = probability(first[won].sum(), n)
        # the probability of what never happened in n tournaments is put at ½/(n + 1), which has a logarithm
        likely = (first[won] + 0.5) / (n + 1)
        errors = probability(first[won], n)[1] / likely
        win, result = self.win[self.later], one.games["result"].to_numpy()[self.later]
        less = np.minimum(win, 1 - win)
        close = less < UPSET
        inside = entrants["place"].between(entrants["place_low"], entrants["place_high"])
        return pd.DataFrame(
            {
                "system": [self.label],
                "section": [one.name],
                "entrants": [len(one.units)],
                "games": [int(self.later.sum())],
                "winner": ["; ".join(one.units[row] for row in won)],
                "winner_filed_seed": [int(entrants["filed_seed"].to_numpy()[won].min())],
                "winner_seed": [int(self.seed[won].min())],
                "winner_rank": [_rank(first, won)],
                "p_winner": [float(p)],
                "p_winner_se": [float(se)],
                "log_score": [float(-np.log(likely).mean())],
                "log_score_se": [float(np.sqrt(np.square(errors).sum()) / len(won))],
                "log_score_even": [float(np.log(len(one.units)))],
                "inside_range": [int(inside.sum())],
                "favourites": [int(close.sum())],
                "upsets": [int((_upset(win, result)).sum())],
                "upsets_expected": [float(less[close].sum())],
                "upsets_sd": [float(np.sqrt((less * (1 - less))[close].sum()))],
                "draws": [int((result == 0.5).sum())],
                **self._over_real(lambda places: probability(places[won, 0].sum(keepdims=True), n)),
                **({} if self.paired is None else {"winner_rank_real": [_rank(self.filed.places[:, 0], won)]}),
            }
        )

    def distribution(self, counts: Ints, name: str, step: float) -> pd.DataFrame:
        """What happened how often: a row for each entrant and value (of wins: those that happened)."""
        units, width = counts.shape
        p, se = probability(counts, self.counts.tournaments)
        values = np.tile(np.arange(width) * step + (1 if name == "place" else 0), units)
        table = pd.DataFrame(
            {
                "system": self.label,
                "section": self.one.name,
                "player": np.repeat(np.array(self.one.units, dtype=object), width),
                name: values.astype(np.int64) if name == "place" else values,
                "p": p.ravel(),
                "se": se.ravel(),
            }
        )
        return table if name == "place" else table[counts.ravel() > 0]

    def games(self) -> pd.DataFrame:
        games, units = self.one.games, np.array(self.one.units, dtype=object)
        return pd.DataFrame(
            {
                "system": self.label,
                "section": self.one.name,
                "round": games["round"],
                "player": units[games["a"]],
                "opponent": units[games["b"]],
                "result": games["result"],
                "spread": games["spread"],
                "win": self.win,
                "spread_mean": self.spread_mean,
                "spread_sd": self.spread_sd,
                "simulated": self.later,
            }
        )

    def upsets(self) -> pd.DataFrame:
        """The games won by a side that had less than `UPSET`, the least likely first."""
        games = self.one.games[self.later]
        win = self.win[self.later]
        kept = _upset(win, games["result"].to_numpy())
        games, win = games[kept], win[kept]
        a_won = games["result"].to_numpy() > 0.5
        winner = np.where(a_won, games["a"], games["b"]).astype(np.int64)
        loser = np.where(a_won, games["b"], games["a"]).astype(np.int64)
        units = np.array(self.one.units, dtype=object)
        table = pd.DataFrame(
            {
                "system": self.label,
                "section": self.one.name,
                "round": games["round"].to_numpy(),
                "winner": units[winner],
                "loser": units[loser],
                "p": np.minimum(win, 1 - win),
                "winner_rating": self.rating[winner],
                "loser_rating": self.rating[loser],
                "spread": games["spread"].abs().to_numpy(),
            }
        )
        return table.sort_values(["p", "round"], kind="stable", ignore_index=True)


def _rank(first: Ints, won: Ints) -> int:
    """The place of the best of the winners in the order of chances to win."""
    return int(1 + (first > first[won].max()).sum())


def _upset(win: Floats, result: Floats) -> Any:
    return (np.minimum(win, 1 - win) < UPSET) & ((result - 0.5) * (win - 0.5) < 0)


def _quantiles() -> Mapping[str, float]:
    return {"place_low": (1 - RANGE) / 2, "place_median": 0.5, "place_high": (1 + RANGE) / 2}
