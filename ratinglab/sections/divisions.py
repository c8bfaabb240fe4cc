"""Divisions by rating: bands, sizes, or so many as equal as can be; who stands near a border, and who asks to play up.

Sources: "Rating system overview" (ratings assign players to divisions); the bands of "1998 CNSC Pairings".
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ratinglab.problems import UsageError
from ratinglab.sections.base import Placed, Rules, looks, made, rows, small

_PLAY_UP = ("listed", "granted")
_UNRATED = ("lowest", "by-start")


@dataclass(frozen=True)
class Divisions(Rules):
    """Divisions A, B … from the highest: by `bands`, by `sizes`, or `count` of them as equal as can be.

    bands: the lowest ratings of all divisions but the last, as 1600:1200. sizes: as 24:24:*, * for the rest. even: who
    could move so that a division has an even number is listed; nobody is moved.
    borderline: who is within so many points of a border is listed (with deviations also how likely the other side is).
    play_up: requests to play higher are listed, or granted (one division). unrated: lowest, below everybody who is
    rated (with bands in the lowest division), or by-start, where the system puts somebody of whom nothing is known.
    smallest: a division with fewer is proposed to be merged.
    """

    name: ClassVar[str] = "divisions"

    bands: str = ""
    sizes: str = ""
    count: int = 2
    borderline: float = 25.0
    play_up: str = "listed"
    unrated: str = "lowest"
    smallest: int = 4
    even: bool = False

    def __post_init__(self) -> None:
        """Options mean something, and one of bands and sizes is given at most."""
        self.one_of("play_up", _PLAY_UP)
        self.one_of("unrated", _UNRATED)
        if self.bands and self.sizes:
            raise UsageError("divisions: give bands or sizes, not both")
        borders = self._borders()
        if borders != sorted(borders, reverse=True) or len(set(borders)) != len(borders):
            raise UsageError(f"divisions: bands fall from division to division; found {self.bands}")
        self._wanted(0)
        if self.count < 1 or self.count > 26:
            raise UsageError(f"divisions: count is 1 to 26; found {self.count}")

    def place(self, field: pd.DataFrame) -> Placed:
        by = field["start"] if self.unrated == "by-start" else field["rating"].fillna(-np.inf)
        strength = by.to_numpy(dtype=float)
        order = np.argsort(-strength, kind="stable")
        field = field.iloc[order].reset_index(drop=True)
        strength = strength[order]
        if self.bands:
            borders = self._borders()
            at = np.searchsorted(-np.array(borders), -strength, side="left")
            number = len(borders) + 1
        else:
            sizes = self._wanted(len(field))
            at = np.repeat(np.arange(len(sizes)), sizes)
            number = len(sizes)
            # the border lies between the last of one division and the first of the next
            ends = np.cumsum(sizes)[:-1]
            borders = [
                float((strength[end - 1] + strength[end]) / 2) if 0 < end < len(field) else np.nan for end in ends
            ]
        names = tuple(chr(ord("A") + i) for i in range(number))
        reasons, look = [], []
        chosen = at.copy()
        for i, row in enumerate(rows(field)):
            mine = int(at[i])
            rated = pd.notna(row.rating)
            reason = self._reason(mine, borders) if rated else f"unrated: {self._where()}"
            look += [(row.player, names[mine], one) for one in self._near(row, mine, borders, names)] if rated else []
            if pd.notna(row.request):
                if mine == 0 or (row.request in names and names.index(row.request) >= mine):
                    told = f"asks for {row.request}, which is not higher: not granted"
                else:
                    told = f"asks to play higher ({row.request})"
                    if self.play_up == "granted":
                        chosen[i] = mine - 1
                        reason = f"asked to play up from {names[mine]}"
                look.append((row.player, names[int(chosen[i])], told))
            if pd.notna(row.override):
                if row.override in names:
                    chosen[i] = names.index(row.override)
                    why = f": {row.override_reason}" if pd.notna(row.override_reason) else ""
                    reason = f"the director’s decision{why}"
                else:
                    look.append((row.player, names[mine], f"an override to {row.override}, which is no division"))
            reasons.append(reason)
        if self.even:
            look += _even(field, chosen, strength, borders, names)
        table = made(field, names, [names[int(one)] for one in chosen], reasons)
        return Placed(table, names, small(table, names, self.smallest), looks(look), self._says(borders))

    def _borders(self) -> list[float]:
        try:
            return [float(part) for part in self.bands.split(":")] if self.bands else []
        except ValueError:
            raise UsageError(f"divisions: bands are ratings, as 1600:1200; found {self.bands}") from None

    def _wanted(self, entrants: int) -> list[int]:
        """How many play in each division."""
        if not self.sizes:
            return [len(part) for part in np.array_split(np.arange(entrants), self.count)]
        parts = self.sizes.split(":")
        if any(not part.isdecimal() and part != "*" for part in parts) or parts.count("*") > 1:
            raise UsageError(f"divisions: sizes are numbers, with * once for the rest, as 24:24:*; found {self.sizes}")
        left, out = entrants, []
        fixed = sum(int(part) for part in parts if part != "*")
        for part in parts:
            size = max(0, entrants - fixed) if part == "*" else min(int(part), left)
            size = min(size, left)
            out.append(size)
            left -= size
        if left:
            out[-1] += left  # who is beyond all sizes plays in the last division
        return out

    def _reason(self, mine: int, borders: list[float]) -> str:
        """Between which ratings."""
        low = borders[mine] if mine < len(borders) else np.nan
        high = borders[mine - 1] if mine else np.nan
        if not self.bands:
            return "by rating"
        if np.isnan(low):
            return "by rating" if np.isnan(high) else f"rated below {high:g}"
        return f"rated {low:g} or more" if np.isnan(high) else f"rated {low:g} to below {high:g}"

    def _near(self, row: Any, mine: int, borders: list[float], names: tuple[str, ...]) -> list[str]:
        """In words, a border that is near, and on which side the strength may truly be."""
        from scipy.special import ndtr

        rating, deviation = float(row.rating), float(row.deviation)
        out = []
        for border, other in ((mine - 1, mine - 1), (mine, mine + 1)):
            if not 0 <= border < len(borders) or not abs(rating - borders[border]) <= self.borderline:
                continue
            told = f"{abs(rating - borders[border]):.0f} points from division {names[other]}"
            if deviation > 0:
                gap = (borders[border] - rating) if other < mine else (rating - borders[border])
                told += f"; truly there with a chance of {100 * ndtr(-gap / deviation):.0f} %"
            out.append(told)
        return out

    def _where(self) -> str:
        if self.unrated == "by-start":
            return "where the system starts"
        return "the lowest division" if self.bands else "below everybody who is rated"

    def _says(self, borders: list[float]) -> tuple[str, ...]:
        if self.bands:
            how = f"Divisions are bands of ratings, with borders at {', '.join(f'{b:g}' for b in borders)}."
        elif self.sizes:
            sizes = self.sizes.replace(":", ", ").replace("*", "the rest")
            how = f"Divisions are filled from the highest rating: {sizes}."
        else:
            how = f"The field is cut into {self.count} divisions as equal as can be, by rating."
        unrated = "in the lowest division" if self.bands and self.unrated == "lowest" else self._where()
        asked = "granted, by one division" if self.play_up == "granted" else "listed for the director"
        return (
            how,
            f"Who is unrated plays {unrated}. Requests to play higher are {asked}. Within {self.borderline:g} "
            "points of a border somebody is listed as borderline.",
        )


def _even(
    field: pd.DataFrame, chosen: Any, strength: Any, borders: list[float], names: tuple[str, ...]
) -> list[tuple[str, str, str]]:
    """From the top, who could cross a border so that each division but the last has an even number; nobody is moved.

    Of the last above the border and the first below it the one who is nearer to it; equally near, the one below. As
    each proposal changes two divisions, those further down rest on those above being taken.
    """
    of = [list(np.flatnonzero(chosen == division)) for division in range(len(names))]
    out = []
    for division, (mine, below) in enumerate(pairwise(of)):
        if len(mine) % 2 == 0:
            continue
        up, down = (below[0] if below else None), mine[-1]
        nearer = up is not None and abs(strength[down] - borders[division]) < abs(strength[up] - borders[division])
        if up is not None and not nearer:
            below.remove(up)
            mover, at, into, counts = up, division + 1, division, (len(mine) + 1, len(below))
        else:
            below.insert(0, mine.pop())
            mover, at, into, counts = down, division, division + 1, (len(mine), len(below))
        told = f"in {names[into]} instead, {names[division]} would have {counts[0]}, {names[division + 1]} {counts[1]}"
        out.append((str(field["player"].iloc[mover]), names[at], f"for even numbers: {told}"))
    return out
