"""The search from the top of the list against a slow transcription of the 1998 page, and the worked event of 8."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tournaments import check_legal, field, pairs, play, standing

from ratinglab.pairing import Cnsc
from ratinglab.pairing.search import pair_halves

Barred = Callable[[int, int], bool]


def by_the_page(pool: list[int], wins: list[int], barred: Barred, both_ends: bool) -> list[tuple[int, int]] | None:
    """ "Start at the top of the list and consider everyone who has the same number of wins as the person on top …"."""
    if not pool:
        return []
    considered = [player for player in pool if wins[player] == wins[pool[0]]]
    assert pool[: len(considered)] == considered
    half = (len(considered) + 1) // 2  # with the next person on the list if that is needed to make it even
    return _upper_half(pool, half, 0, [], wins, barred, both_ends)


def _upper_half(
    pool: list[int],
    half: int,
    at: int,
    made: list[tuple[int, int]],
    wins: list[int],
    barred: Barred,
    both_ends: bool,
) -> list[tuple[int, int]] | None:
    """ "… pair the upper half against the corresponding players in the lower half", one after the other."""
    gone = {player for pair in made for player in pair}
    while at < half and pool[at] in gone:
        at += 1
    if at == half:  # "If there are players left unpaired, redo the process … with the remaining players."
        left = [player for player in pool if player not in gone]
        rest = by_the_page(left[::-1] if both_ends else left, wins, barred, both_ends)
        return None if rest is None else made + rest
    ideal = at + half
    # "then try pairing the upper player with the player below the ideal opponent …, then the player above, then the
    # player two below, then the player two above, etc."
    places = [ideal]
    for distance in range(1, len(pool)):
        places += [ideal + distance, ideal - distance]
    for place in places:
        if 0 <= place < len(pool) and place != at and pool[place] not in gone and not barred(pool[at], pool[place]):
            found = _upper_half(pool, half, at + 1, [*made, (pool[at], pool[place])], wins, barred, both_ends)
            if found is not None:
                return found
    return None  # "back up one step to reassign the previous pairing and try again"


@pytest.mark.parametrize("both_ends", [False, True])
def test_search_is_the_page_s(both_ends: bool) -> None:
    rng = np.random.default_rng(3)
    stuck = stepped_back = 0
    for _ in range(2500):
        n = 2 * int(rng.integers(1, 5))
        wins = np.sort(rng.integers(0, 4, n))[::-1].copy()
        order = np.arange(n)
        renamed = rng.permutation(n)
        met = rng.random((n, n)) < rng.choice([0.1, 0.3, 0.5])
        met = met | met.T | np.eye(n, dtype=bool)
        score = np.empty(n, dtype=np.int64)
        score[renamed] = wins
        partner, _, tried = pair_halves(renamed[order], score, met, both_ends, 10**6)
        expected = by_the_page(renamed.tolist(), score.tolist(), lambda a, b, met=met: bool(met[a, b]), both_ends)
        if expected is None:
            stuck += 1
            assert tried < 0
            continue
        stepped_back += tried > n // 2
        assert tried >= n // 2
        assert {frozenset(pair) for pair in expected} == {frozenset((i, int(partner[i]))) for i in range(n)}
    # the cases that matter were among them
    assert stuck > 100
    assert stepped_back > 100


def test_a_search_cut_short_says_so() -> None:
    met = np.ones((6, 6), dtype=bool)
    for a, b in ((0, 5), (1, 4), (2, 3)):
        met[a, b] = met[b, a] = False
    order, score = np.arange(6), np.zeros(6, dtype=np.int64)
    assert pair_halves(order, score, met, False, 3)[0].tolist() == [5, 4, 3, 2, 1, 0]
    assert pair_halves(order, score, met, False, 2)[2] < 0


# --- an event of 8 worked by hand from the page -------------------------------------------------------------------

A, B, C, D, E, F, G, H = range(8)
RATED = field([2000, 1900, 1800, 1700, 1600, 1500, 1400, 1300])
# Game 1 as the lots may have fallen (bands: A, B against E or F; C, D against G or H): A beat F by 90, E beat B by 20,
# G beat C by 50, H beat D by 10.
GAME_1 = [(A, F, 90), (E, B, 20), (G, C, 50), (H, D, 10)]
GAME_2 = [(A, E, 10), (H, G, 50), (C, D, 20), (B, F, 80)]
GAME_3 = [(A, H, 0), (C, E, 80), (B, G, 40), (D, F, 70)]


def list_of(now: object, **options: object) -> str:
    return "".join("ABCDEFGH"[i] for i in Cnsc(**options).listed(now)[0])


def next_pairs(now: object, **options: object) -> set[tuple[int, int]]:
    made = Cnsc(**options).pair(now, np.random.default_rng(0))
    check_legal(now, made)
    assert not made.fallback.any()
    return pairs(made)


def test_game_1_bands() -> None:
    """Seeds 1 and 2 meet 5 or 6, seeds 3 and 4 meet 7 or 8, and each of the four draws comes up."""
    start = standing(RATED, 18)
    seen = {frozenset(pairs(Cnsc().pair(start, np.random.default_rng(seed)))) for seed in range(60)}
    upper, lower = [{(A, E), (B, F)}, {(A, F), (B, E)}], [{(C, G), (D, H)}, {(C, H), (D, G)}]
    assert seen == {frozenset(a | b) for a in upper for b in lower}


def test_game_2_all_ideal() -> None:
    """TOW: the winners' opponents have 0 wins, the losers' 1 each, so that spread decides: A G E H, D B C F.

    Halves: A G against E H, and D B against C F; nobody has met.
    """
    now = standing(RATED, 18, GAME_1)
    assert now.tow()[0].tolist() == [0, 1, 1, 1, 0, 1, 0, 0]
    assert list_of(now) == "AGEHDBCF"
    assert next_pairs(now) == {(A, E), (G, H), (C, D), (B, F)}


def test_game_3_an_alternative_and_a_step_back() -> None:
    """Two wins: A (+100) and H (+60), TOW 1 each. One win: E and G, TOW 3, E's spread +10 before G's 0; then B (+60)
    and C (-30), TOW 1. None: D (-30), F (-170), TOW 3. The list: A H E G B C D F.

    A-H. Then E G against B C. E's ideal opponent B he met in game 1: one below, C. G's ideal, C, is gone: one below is
    D, outside the group. That leaves B and F, who met in game 2: step back, and G takes the one above his ideal, B.
    D and F are left, and have not met.
    """
    now = standing(RATED, 18, GAME_1, GAME_2)
    tow = dict(zip("ABCDEFGH", now.tow()[0], strict=True))
    assert tow == {"A": 1, "H": 1, "E": 3, "G": 3, "B": 1, "C": 1, "D": 3, "F": 3}
    assert list_of(now) == "AHEGBCDF"
    made = Cnsc().pair(now, np.random.default_rng(0))
    assert pairs(made) == {(A, H), (C, E), (B, G), (D, F)}
    assert made.away[0].tolist() == [0, 1, 1, 0, 1, 0, 1, 0]  # by player A to H
    _, _, tried = pair_halves(Cnsc().listed(now)[0], now.points[0], now.met[0] + np.eye(8, dtype=int) > 0, False, 100)
    assert tried == 5  # four pairs, and one taken back


def test_game_4_ties_and_the_next_one_added() -> None:
    """A and H tied: 2½ wins each. TOW game by game: H met D (1), G (1), A (2½): 4½; A met F (0), E (1), H (2½): 3½.

    C (2 wins) met G, D, E: 3; B (2) met E, F, G: 2. G and E (1 win) 6½ each, G's spread -40 before E's -70; D 4½; F.
    H and A have met: H takes one below, C. A, alone with 2½, takes the next one, B. G E D take the next one, F.
    G-D, E-F.
    """
    now = standing(RATED, 18, GAME_1, GAME_2, GAME_3)
    tow = dict(zip("ABCDEFGH", now.tow()[0], strict=True))
    assert tow == {"A": 3.5, "H": 4.5, "C": 3, "B": 2, "G": 6.5, "E": 6.5, "D": 4.5, "F": 5.5}
    assert list_of(now) == "HACBGEDF"
    assert next_pairs(now) == {(C, H), (A, B), (D, G), (E, F)}


def test_the_page_s_example_of_tow() -> None:
    """ "if the people you've played are currently 3-1, 2-2, 0-4 and 0-4, the TOW is 3+2=5"."""
    x, p, q, r, s, t, u, v = range(8)
    now = standing(
        RATED,
        18,
        [(p, x, 9), (q, r, 9), (t, s, 9), (u, v, 9)],
        [(x, q, 9), (p, r, 9), (u, s, 9), (t, v, 9)],
        [(x, r, 9), (p, s, 9), (q, t, 9), (u, v, 9)],
        [(x, s, 9), (t, p, 9), (u, q, 9), (v, r, 9)],
    )
    assert (now.points[0, [p, q, r, s]] / 2).tolist() == [3, 2, 0, 0]
    assert now.tow()[0, x] == 5


def test_an_opponent_met_twice_counts_twice_or_once() -> None:
    now = standing(field([3, 2, 1, 0]), 18, [(0, 1, 5), (2, 3, 5)], [(0, 1, -5), (2, 3, 5)])
    assert now.tow()[0].tolist() == [2, 2, 0, 4]
    assert now.tow(once=True)[0].tolist() == [1, 1, 0, 2]


def test_byes_add_nothing_to_tow() -> None:
    now = play(standing(field([3, 2, 1]), 18), (0, 1, 5))
    assert now.points[0].tolist() == [2, 0, 2]
    assert now.tow()[0].tolist() == [0, 1, 0]


def test_meetings_by_game_of_the_page() -> None:
    page, wapnick = Cnsc(), Cnsc.wapnick()
    assert [page.limit(game, 18) for game in (2, 14, 15, 16, 17, 18)] == [0, 0, 1, 1, 2, 2]
    assert [wapnick.limit(game, 18) for game in (2, 14, 15, 16, 17, 18)] == [0, 0, 1, 1, 1, 1]
    assert [Cnsc(repeats="2:0;4:3").limit(game, 9) for game in (1, 2, 3, 4, 5)] == [0, 0, 3, 3, 3]
