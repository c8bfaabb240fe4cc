"""The pairing system proposed for the preliminary round of the 1998 Canadian National SCRABBLE Championship.

Source: "1998 CNSC Pairings", revised 5 July 1998. Where the page weighs alternatives they are options here; what it
leaves open (the condition on first and second, the bound by which a place is clinched, byes) is said below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ratinglab.pairing.base import FALLBACK, HALVES, Pairing, Round, sitting_out, what_gave_way
from ratinglab.pairing.colours import balanced_firsts
from ratinglab.pairing.exact import Cost, exact_round, meetings, near_ideal
from ratinglab.pairing.listed import to_the_end
from ratinglab.pairing.search import pair_all, pair_halves
from ratinglab.pairing.standing import NOBODY, Standing, order_by, places
from ratinglab.pairing.telling import from_list
from ratinglab.periods import Bools, Floats, Ints
from ratinglab.problems import UsageError

FIRST_GAMES = ("banded", "halves", "straight")
STRENGTHS = ("tow", "opponent-rating", "spread", "none")
APART = ("never", "unless-clinched", "always")
_LOTS = 1024  # how many lots there are where pairs of game 1 are drawn anew
# games up to which two players may have met so many times before, of the page's 18
_GAMES, _LIMITS = 18, ((14, 0), (16, 1), (18, 2))


@dataclass(frozen=True)
class Cnsc(Pairing):
    """Game 1 by bands of seeds, later games from the top of the list in halves of those with the leader's wins.

    first_game: `banded` (the upper half cut in two bands, each against a random one of the matching band of the lower
    half), `halves` (the upper against a random one of the lower half) or `straight` (1 against n/2 + 1 and so on).
    strength: what ranks players of equal wins: `tow` (total opponent wins), `opponent-rating` (their mean rating
    before play), `spread` or `none`; spread and rating before play follow.
    repeats: how often two may have met before, by game: `14:0;16:1;18:2` (up to game 14 never, then up to 16 once …;
    the last holds on). Empty: the page's for 18 games, in proportion for another number.
    tow_once: an opponent met twice counts once in TOW. tow_late: how much more the last game weighs in TOW than the
    first, in proportion between (0: all alike), against TOW's leaning to those who won early.
    both_ends: groups are paired from the top and from the bottom in turn (Thomas).
    apart: whether first and second are kept apart in the last `apart_games` games: `never`, `unless-clinched` (Boys:
    not if first place is clinched) or `always`.
    floats: nobody is floated twice running in the same direction if that can be avoided (as FIDE), and as few as can be
    where not: an exact matching says how many must be. In 50 players' 18 games that is so in most of the later ones,
    and a simulated tournament takes 20 ms instead of less than one.
    firsts: who goes first: `table` (drawn at the table) or `balanced` (who went first less often; a draw if equal).
    clinched: players whose final place is clinched go to the bottom of the list. A place is clinched where no results
    of the games left can change it: one who is behind wins all, one who is ahead none, each game by `spread_limit`
    points at the most (0: no limit). That two of those behind may have to play each other is left out of account, so a
    place is called clinched a little later than it might be, never earlier.
    teams_apart: players of one team do not meet if that can be avoided; the page knows no teams.
    most: pairs tried before the search is given up for the exact matching.

    In an odd field the last of the list with the fewest byes sits out; in game 1 the lowest seed. Lots of game 1 that
    hit a pair that may not be are drawn anew: as few as can be, within the bands as far as these go.
    """

    name: ClassVar[str] = "cnsc"

    first_game: str = "banded"
    strength: str = "tow"
    repeats: str = ""
    tow_once: bool = False
    tow_late: float = 0.0
    both_ends: bool = False
    apart: str = "never"
    apart_games: int = 1
    floats: bool = False
    firsts: str = "table"
    clinched: bool = True
    spread_limit: float = 0.0
    teams_apart: bool = False
    most: int = 20_000

    def __post_init__(self) -> None:
        """Options are words and numbers that mean something."""
        self.one_of("first_game", FIRST_GAMES)
        self.one_of("strength", STRENGTHS)
        self.one_of("apart", APART)
        self.one_of("firsts", ("table", "balanced"))
        if self.spread_limit < 0 or self.most < 1 or self.tow_late <= -1:
            raise UsageError("cnsc: spread_limit is 0 or more, most 1 or more, tow_late above -1")
        self.limit(1, _GAMES)

    @classmethod
    def wapnick(cls, **options: object) -> Cnsc:
        """Wapnick's variant: a second meeting in games 15 to 18, never a third, first and second apart in the last."""
        return cls(**{"repeats": "14:0;18:1", "apart": "always", **options})  # type: ignore[arg-type]

    @classmethod
    def boys(cls, **options: object) -> Cnsc:
        """Boys' variant: in the last game first and second do not meet unless first place is clinched."""
        return cls(**{"apart": "unless-clinched", **options})  # type: ignore[arg-type]

    def limit(self, game: int, games: int) -> int:
        """How often two may have met before this game of so many."""
        for until, times in self._limits(games):
            if game <= until:
                return times
        return self._limits(games)[-1][1]

    def _limits(self, games: int) -> list[tuple[int, int]]:
        if not self.repeats:
            return [(round(until * games / _GAMES), times) for until, times in _LIMITS]
        found = []
        for part in self.repeats.replace(";", ",").split(","):
            until, colon, times = part.strip().partition(":")
            if not (colon and until.isdecimal() and times.isdecimal()):
                raise UsageError(f"cnsc: repeats is written as 14:0;16:1;18:2; found {self.repeats}")
            found.append((int(until), int(times)))
        return found

    # --- the list ----------------------------------------------------------------------------------------------------

    def listed(self, standing: Standing) -> Ints:
        """Everybody in the order of the pairing list, (T, n): who is here first, among them the clinched last."""
        keys = (standing.here & ~self.out_of_reach(standing), standing.here, standing.points)
        return order_by((*keys, *self._strength(standing), standing.spread, *standing.field.keys))

    def _strength(self, standing: Standing) -> tuple[Floats, ...]:
        played = standing.opponent.shape[2]
        if self.strength == "tow":
            late = self.tow_late * np.arange(played) / max(1, standing.rounds - 1)
            weights = None if self.tow_late == 0 else 1 + late
            return (standing.tow(once=self.tow_once, weights=weights),)
        if self.strength == "opponent-rating":
            return (opponent_mean(standing, standing.field.rating),)
        return ()

    def out_of_reach(self, standing: Standing) -> Bools:
        """Whose final place is clinched, (T, n): whoever is ahead stays ahead, and whoever is behind, behind."""
        if not self.clinched or standing.round == 1:
            return np.zeros(standing.points.shape, dtype=bool)
        return clinched(standing, self.spread_limit)

    # --- a round -----------------------------------------------------------------------------------------------------

    def pair(self, standing: Standing, rng: np.random.Generator) -> Round:
        seeded = standing.round == 1
        order = order_by((standing.here, *standing.field.keys)) if seeded else self.listed(standing)
        out = sitting_out(standing, order)
        count = standing.here.sum(axis=1)
        count = count - count % 2
        order = to_the_end(order, out)
        limit = self.limit(standing.round, standing.rounds)
        apart = self._kept_apart(standing, order)
        if self.teams_apart:
            apart = apart | standing.field.team_mates
        barred = standing.field.barred | (standing.met > limit) | apart
        if seeded:
            opponent, away = self._first_game(order, count, rng)
            for at in np.flatnonzero(_made_of(opponent, barred)).tolist():
                opponent[at], away[at] = self._drawn_anew(standing, at, order[at], apart[at], opponent[at], rng)
            return self._told(standing, opponent, away, np.zeros(len(order), dtype=bool), limit, rng)
        again = self._floated(standing) if self.floats else np.zeros_like(apart)
        banned = barred | again
        opponent, away, trials = pair_all(order, count, standing.points, banned, self.both_ends, self.most)
        for at in np.flatnonzero(trials < 0).tolist():
            costs = self._costs(standing, at, apart[at], again[at], limit)
            if self.floats:
                # only floats that no pairing can be without are let through, and the search is tried again
                made = exact_round(standing, at, *costs, without=out[at])
                paired = np.flatnonzero(made != NOBODY)
                banned[at, paired, made[paired]] = barred[at, paired, made[paired]]
                found = pair_halves(order[at, : count[at]], standing.points[at], banned[at], self.both_ends, self.most)
                opponent[at], away[at], trials[at] = found
            if trials[at] < 0:
                opponent[at], away[at] = near_ideal(
                    standing, at, order[at], standing.points[at], *costs, both_ends=self.both_ends
                )
        return self._told(standing, opponent, away, trials < 0, limit, rng)

    def why(self, standing: Standing, made: Round, pair: tuple[int, int], names: Sequence[str]) -> list[str]:
        if standing.round == 1:
            return self._first_game_why(standing, made, pair)
        limit = self.limit(standing.round, standing.rounds)
        listed = self.listed(standing)
        order = listed[0][standing.here[0][listed[0]]]
        told = []
        for one in pair:
            if self.out_of_reach(standing)[0, one]:
                told.append(f"{names[one]}, whose final place is clinched, is at the bottom of the list")
        if made.fallback[0]:
            told.append("the search was given up, and the round is the one nearest to the list")
        apart = self._kept_apart(standing, listed)[0]
        return told + from_list(
            standing, order, standing.points[0], made.opponent[0], pair, names, limit=limit, teams=self.teams_apart,
            apart=apart, both_ends=self.both_ends,
        )  # fmt: skip

    def _first_game_why(self, standing: Standing, made: Round, pair: tuple[int, int]) -> list[str]:
        """Which seeds were drawn against which."""
        order = order_by((standing.here, *standing.field.keys))[0]
        seed = {int(i): k for k, i in enumerate(order[made.opponent[0][order] != NOBODY])}
        high, low = sorted(seed[i] for i in pair)
        if made.away[0, pair[0]]:
            return [f"seeds {high + 1} and {low + 1}: their bands left no game that may be"]
        half, begin = len(seed) // 2, 0
        for width in self._bands(half):
            if high < begin + width:
                break
            begin += width
        if width == 1:
            return [f"seed {high + 1} meets seed {low + 1}, the corresponding one of the lower half"]
        first, last = begin + 1, begin + width
        return [
            f"drawn by lot: seeds {first} to {last} meet seeds {half + first} to {half + last}, "
            f"here {high + 1} and {low + 1}"
        ]

    def _first_game(self, order: Ints, count: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """The upper half of the first `count` of `order` against the lower half, within bands, by chance."""
        opponent, away = np.full(order.shape, NOBODY, dtype=np.int64), np.zeros(order.shape, dtype=np.int64)
        for m in np.unique(count).tolist():
            rows = np.flatnonzero(count == m)
            half = m // 2
            drawn, begin = np.empty((len(rows), half), dtype=np.int64), 0
            for width in self._bands(half):
                places_of_band = np.tile(np.arange(begin, begin + width), (len(rows), 1))
                drawn[:, begin : begin + width] = rng.permuted(places_of_band, axis=1)
                begin += width
            upper = order[rows, :half]
            lower = np.take_along_axis(order[rows, half:m], drawn, axis=1)
            at = rows[:, None]
            opponent[at, upper], opponent[at, lower] = lower, upper
        return opponent, away

    def _drawn_anew(
        self, standing: Standing, t: int, order: Ints, apart: Bools, drawn: Ints, rng: np.random.Generator
    ) -> tuple[Ints, Ints]:
        """Game 1 of one tournament (n,) whose lots hit pairs that may not be: as few pairs are drawn anew as can be.

        They are drawn within their bands as far as these go; where bands are left, opponents are as few places
        outside as can be, which is the second array.
        """
        n = len(order)
        place = places(order[None, :])[0]
        half = int(standing.here[t].sum()) // 2
        edges = np.cumsum([0, *self._bands(half)])
        # the places that each may meet: those of the band that matches his own
        own = np.searchsorted(edges, np.where(place < half, place, place - half), side="right") - 1
        own = np.minimum(own, len(edges) - 2)
        begin, end = (edges[own + k] + np.where(place < half, half, 0) for k in (0, 1))
        outside = np.maximum(begin[:, None] - place[None, :], 0) + np.maximum(place[None, :] - end[:, None] + 1, 0)
        outside = outside + outside.T
        anew = np.ones((n, n), dtype=np.int64)
        kept = np.flatnonzero(drawn != NOBODY)
        anew[kept, drawn[kept]] = 0
        lots = np.triu(rng.integers(0, _LOTS, (n, n)), 1) * int(self.first_game != "straight")
        costs = (Cost(apart.astype(np.int64)), Cost(bye=n - 1 - place), Cost(outside), Cost(anew), Cost(lots + lots.T))
        opponent = exact_round(standing, t, *costs)
        paired = opponent != NOBODY
        return opponent, np.where(paired, outside[np.arange(n), opponent] // 2, 0)

    def first_round_chances(self, players: int) -> Floats | None:
        if players % 2:
            return None
        half, chances, begin = players // 2, np.zeros((players, players)), 0
        for width in self._bands(half):
            upper, lower = np.arange(begin, begin + width), np.arange(half + begin, half + begin + width)
            chances[np.ix_(upper, lower)] = chances[np.ix_(lower, upper)] = 1 / width
            begin += width
        return chances

    def _bands(self, half: int) -> list[int]:
        """How many of each half stand in the bands that meet by chance."""
        return {"banded": [(half + 1) // 2, half // 2], "halves": [half]}.get(self.first_game, [1] * half)

    def _kept_apart(self, standing: Standing, order: Ints) -> Bools:
        """First and second of the list, where they are not to meet, (T, n, n)."""
        t, n = standing.field.shape
        apart = np.zeros((t, n, n), dtype=bool)
        if self.apart == "never" or n < 2 or standing.round <= max(1, standing.rounds - self.apart_games):
            return apart
        # who has clinched is at the bottom of the list: first and second are those of the standing
        ranked = order_by((standing.points, standing.spread, *standing.field.keys))
        first, second = ranked[:, 0], ranked[:, 1]
        keep = np.ones(t, dtype=bool)
        if self.apart == "unless-clinched":
            keep = ~clinched(standing, self.spread_limit)[np.arange(t), first]
        at = np.flatnonzero(keep)
        apart[at, first[at], second[at]] = apart[at, second[at], first[at]] = True
        return apart

    def _floated(self, standing: Standing) -> Bools:
        """Pairs that would float somebody again in the direction of the last round, (T, n, n)."""
        down, up = floats(standing)
        higher = standing.points[:, :, None] > standing.points[:, None, :]
        again = higher & (down[:, :, None] | up[:, None, :])
        return again | again.transpose(0, 2, 1)

    @staticmethod
    def _costs(standing: Standing, t: int, apart: Bools, again: Bools, limit: int) -> tuple[Cost, ...]:
        """What is not to happen in tournament `t`, the worst first: floats in the same direction `again` at last."""
        beyond, times = meetings(standing, t, limit)
        return beyond, Cost(apart.astype(np.int64)), times, Cost(again.astype(np.int64))

    def _told(
        self, standing: Standing, opponent: Ints, away: Ints, failed: Bools, limit: int, rng: np.random.Generator
    ) -> Round:
        """The round with what gave way in it."""
        paired = opponent != NOBODY
        gave_way = what_gave_way(standing, opponent, limit=limit, teams=self.teams_apart)
        gave_way |= np.where(paired & failed[:, None], FALLBACK, 0)
        if standing.round == 1:
            gave_way |= np.where(away > 0, HALVES, 0)
        first = np.zeros_like(opponent)
        if self.firsts == "balanced":
            first = balanced_firsts(standing, opponent, rng)
        return Round(opponent, first, gave_way, np.where(paired, away, 0), failed)


def clinched(standing: Standing, spread_limit: float = 0.0) -> Bools:
    """Whose place no results of the games left can change, (T, n), by wins and then spread; see `Cnsc`."""
    left = standing.rounds - standing.round + 1
    reach = np.inf if spread_limit == 0 else left * spread_limit
    # whoever is safe from the next below is safe from all below, so neighbours in the order are all there is to compare
    order = order_by((standing.points, standing.spread))
    points, spread = (np.take_along_axis(of, order, axis=1) for of in (standing.points, standing.spread))
    ahead, lead = points[:, :-1] - points[:, 1:], spread[:, :-1] - spread[:, 1:]
    # who is behind may win all the games left while the other loses them
    safe = (ahead > 2 * left) | ((ahead == 2 * left) & (lead > 2 * reach))
    end = np.ones((len(order), 1), dtype=bool)
    settled = np.concatenate([end, safe], axis=1) & np.concatenate([safe, end], axis=1)
    out: Bools = np.empty_like(settled)
    np.put_along_axis(out, order, settled, axis=1)
    return out


def opponent_mean(standing: Standing, value: Floats) -> Floats:
    """The mean of a value (T, n) over each entrant's opponents, one met twice counting twice; 0 without any."""
    t, n = value.shape
    total, games = np.zeros((t, n)), np.zeros((t, n))
    for r in range(standing.opponent.shape[2]):
        other = standing.opponent[:, :, r]
        there = other != NOBODY
        of = np.take_along_axis(value, np.maximum(other, 0), axis=1)
        known = there & ~np.isnan(of)
        total += np.where(known, of, 0.0)
        games += known
    return np.divide(total, games, out=np.zeros((t, n)), where=games > 0)


def floats(standing: Standing) -> tuple[Bools, Bools]:
    """Who was floated down, and who up, in the last round: met somebody of fewer, or more, points, (T, n) each."""
    if standing.opponent.shape[2] == 0:
        nobody = np.zeros(standing.points.shape, dtype=bool)
        return nobody, nobody
    other = standing.opponent[:, :, -1]
    then = standing.points - np.maximum(standing.result[:, :, -1], 0)
    against = np.take_along_axis(then, np.maximum(other, 0), axis=1)
    there = other != NOBODY
    return there & (against < then), there & (against > then)


def _made_of(opponent: Ints, barred: Bools) -> Bools:
    """Which tournaments have a pair that is barred, (T,)."""
    met = np.take_along_axis(barred, np.maximum(opponent, 0)[:, :, None], axis=2)[:, :, 0]
    made: Bools = ((opponent != NOBODY) & met).any(axis=1)
    return made
