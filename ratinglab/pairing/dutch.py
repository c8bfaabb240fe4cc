"""The Dutch system of the FIDE Handbook, by another program: py4swiss, where it is installed.

Source: FIDE Handbook, C.04.3. What is here tells a standing in that program's terms and its pairs in ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ratinglab.pairing.base import ALTERNATION, COLOUR, FALLBACK, Pairing, Round, what_gave_way
from ratinglab.pairing.colours import colour_costs, due, last_colour
from ratinglab.pairing.exact import Cost, exact_round, meetings
from ratinglab.pairing.standing import NOBODY, Standing, order_by, places
from ratinglab.periods import Ints
from ratinglab.problems import UsageError

_CREDITS = {0: "ZERO_POINT_BYE", 1: "HALF_POINT_BYE", 2: "FULL_POINT_BYE"}
_RESULTS = {0: "LOSS", 1: "DRAW", 2: "WIN"}


@dataclass(frozen=True)
class Dutch(Pairing):
    """FIDE's Dutch system; entrants are ranked by pairing number, as its rules want them numbered.

    start: the colour of number 1 in the first round: `drawn`, `white` or `black`.
    teams_apart: players of one team do not meet, as pairs that the program is told to leave out.

    A game without known colours counts as a credit, and its pair as one to be left out. Where the rules allow no
    pairing at all, as in small fields of many rounds, the round is the exact matching of fewest second meetings, then
    fewest second byes, then least squared differences in points; `fallback` says so. Raises `UsageError` where
    py4swiss is not installed.
    """

    name: ClassVar[str] = "dutch"
    has_colours: ClassVar[bool] = True

    start: str = "drawn"
    teams_apart: bool = False

    def __post_init__(self) -> None:
        """Options are words that mean something."""
        self.one_of("start", ("drawn", "white", "black"))

    def pair(self, standing: Standing, rng: np.random.Generator) -> Round:
        engine = _engine()
        t, n = standing.field.shape
        drawn = rng.integers(0, 2, size=t) * 2 - 1
        start = drawn if self.start == "drawn" else np.full(t, 1 if self.start == "white" else -1)
        opponent, first = np.full((t, n), NOBODY, dtype=np.int64), np.zeros((t, n), dtype=np.int64)
        failed = np.zeros(t, dtype=bool)
        for at in range(t):
            if standing.here[at].sum() < 2:
                continue
            made = self._made(engine, standing, at, int(start[at]))
            if made is None:
                failed[at] = True
                opponent[at] = self._exact(standing, at)
            else:
                opponent[at], first[at] = made
        first = np.where(failed[:, None], due(standing, opponent, start), first)
        gave_way = what_gave_way(standing, opponent, teams=self.teams_apart)
        gave_way |= np.where((opponent != NOBODY) & failed[:, None], FALLBACK, 0)
        balance = standing.first_less_second
        gave_way |= np.where(np.abs(balance + first) > np.maximum(np.abs(balance), 1), COLOUR, 0)
        gave_way |= np.where((first != 0) & (first == last_colour(standing)), ALTERNATION, 0)
        return Round(opponent, first, gave_way, np.zeros_like(opponent), failed)

    def why(self, standing: Standing, made: Round, pair: tuple[int, int], names: Sequence[str]) -> list[str]:
        return ["by FIDE's Dutch rules"]

    def _made(self, engine: Any, standing: Standing, t: int, start: int) -> tuple[Ints, Ints] | None:
        """The program's pairs of one tournament and who has White, (n,) each; None where it finds none."""
        from py4swiss.engines.common import PairingError

        barred = standing.field.barred[t]
        if self.teams_apart:
            barred = barred | standing.field.team_mates[t]
        barred = barred | self._without_colours(standing, t)
        try:
            pairs = engine.generate_pairings(_tournament(standing, t, barred, start))
        except PairingError:
            return None
        n = standing.field.shape[1]
        opponent, first = np.full(n, NOBODY, dtype=np.int64), np.zeros(n, dtype=np.int64)
        for pair in pairs:
            if pair.black == 0:
                continue
            white, black = pair.white - 1, pair.black - 1
            if barred[white, black]:
                return None
            opponent[white], opponent[black] = black, white
            first[white], first[black] = 1, -1
        return opponent, first

    @staticmethod
    def _without_colours(standing: Standing, t: int) -> Any:
        """Who has met in games of which nobody knows who had White, (n, n)."""
        n = standing.field.shape[1]
        met = np.zeros((n, n), dtype=bool)
        who, played = np.nonzero((standing.opponent[t] != NOBODY) & (standing.first[t] == 0))
        met[who, standing.opponent[t][who, played]] = True
        return met | met.T

    def _exact(self, standing: Standing, t: int) -> Ints:
        order = order_by((standing.here, standing.points, *standing.field.keys))
        mates = (Cost(standing.field.team_mates[t].astype(np.int64)),) if self.teams_apart else ()
        lowest = Cost(bye=standing.field.shape[1] - 1 - places(order)[t])
        gap = Cost(np.subtract.outer(standing.points[t], standing.points[t]) ** 2)
        balance, again = colour_costs(standing, t)
        again_met, times = meetings(standing, t)
        return exact_round(standing, t, again_met, *mates, times, lowest, gap, Cost(balance), Cost(again))


def _engine() -> Any:
    try:
        from py4swiss.engines import DutchEngine
    except ImportError:
        raise UsageError("dutch needs the package py4swiss, which is not installed") from None
    return DutchEngine


def _tournament(standing: Standing, t: int, barred: Any, start: int) -> Any:
    """One tournament as the program's own object."""
    from py4swiss.trf import ParsedTrf
    from py4swiss.trf.codes import PlayerCode
    from py4swiss.trf.results import ColorToken, ResultToken, RoundResult, ScoringPointSystem
    from py4swiss.trf.results.scoring_point_system_code import ScoringPointSystemCode
    from py4swiss.trf.sections import PlayerSection, XSection
    from py4swiss.trf.sections.x_section import XSectionConfiguration

    def told(i: int, played: int) -> RoundResult:
        opponent, result, first = (int(x[t, i, played]) for x in (standing.opponent, standing.result, standing.first))
        if opponent == NOBODY or first == 0:
            sat_out = standing.bye[t, i, played] and max(result, 0) == credit
            name = "PAIRING_ALLOCATED_BYE" if sat_out else _CREDITS[max(result, 0)]
            return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=ResultToken[name])
        colour = ColorToken.WHITE if first > 0 else ColorToken.BLACK
        return RoundResult(id=opponent + 1, color=colour, result=ResultToken[_RESULTS[max(result, 0)]])

    # a bye that came to something else than most byes is told as a credit, which the program does not count as a bye
    byes = np.maximum(standing.result[t][standing.bye[t]], 0)
    credit = int(np.bincount(byes, minlength=len(_CREDITS)).argmax()) if len(byes) else max(_CREDITS)
    scores = ScoringPointSystem()
    scores.apply_code(ScoringPointSystemCode.PAIRING_ALLOCATED_BYE, 5 * credit)
    players = []
    n = standing.field.shape[1]
    for i in range(n):
        results = [told(i, played) for played in range(standing.round - 1)]
        points = 5 * int(np.maximum(standing.result[t, i], 0).sum())
        players.append(
            PlayerSection(
                code=PlayerCode.PLAYER, starting_number=i + 1, points_times_ten=points, rank=i + 1, results=results
            )
        )
    absent = set((np.flatnonzero(~standing.here[t]) + 1).tolist())
    forbidden = {(int(a) + 1, int(b) + 1) for a, b in np.argwhere(np.triu(barred, 1))}
    return ParsedTrf(
        player_sections=players,
        x_section=XSection(
            number_of_rounds=max(standing.rounds, standing.round),
            zeroed_ids=absent,
            scoring_point_system=scores,
            configuration=XSectionConfiguration(first_round_color=start > 0),
            forbidden_pairs=forbidden,
        ),
    )
