"""The next round of real events: who is there, what the file says already, the order of boards, and why a pair is one.

The cases are those of the reference page's small cases that concern what reads, credits or shows a round; the others
are in test_pairing_cases.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ratinglab import load
from ratinglab.checking import check
from ratinglab.history import History
from ratinglab.pairing import NOBODY, parse
from ratinglab.pairing.cnsc import Cnsc
from ratinglab.pairing.evanston import Evanston
from ratinglab.pairing.nssc import Nssc
from ratinglab.pairing.randomly import Random
from ratinglab.pairing.real import NextRound, next_round, side_by_side
from ratinglab.pairing.swiss import KingOfTheHill, Swiss
from ratinglab.problems import UsageError
from ratinglab.standings import standings

NAMES = ["Ansa", "Bole", "Cira", "Dov", "Esk", "Fenn"]
SYSTEMS = ["cnsc", "evanston", "swiss", "random", "matching", "king-of-the-hill", "round-robin", "nssc"]


def event(
    folder: Path,
    games: Sequence[str],
    *,
    names: Sequence[str] = NAMES,
    rounds: int = 5,
    cap: str = "",
    columns: str = "",
    cells: Sequence[str] = (),
) -> History:
    """An event `e` of one section in native tables: games as round,player,opponent,result,first,status[,scores]."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "events.csv").write_text(f"event,date,rounds,spread_cap\ne,2024-03-02,{rounds},{cap}\n")
    rows = [f"event,number,player,rating{columns and ',' + columns}"]
    for i, name in enumerate(names):
        rows.append(f"e,{i + 1},{name},{2000 - 10 * i}{',' + cells[i] if cells else ''}")
    (folder / "entries.csv").write_text("\n".join(rows) + "\n")
    head = "event,round,player,opponent,result,first,status,score,opponent_score"
    lines = [f"e,{game}{',' * (8 - game.count(',') - 1)}" for game in games]
    (folder / "games.csv").write_text("\n".join([head, *lines]) + "\n")
    return load(folder)


def paired(history: History, name: str = "swiss", round: int | None = None, **more: object) -> NextRound:
    return next_round(history, "e", "main", parse(name), round, **more)


def met(made: NextRound) -> set[frozenset[str]]:
    """The pairs, and who sits out as a set of one."""
    rows = made.pairs[["player", "opponent"]].itertuples(index=False)
    return {frozenset(name for name in row if isinstance(name, str)) for row in rows}


def names_of(made: NextRound) -> set[str]:
    return set().union(*met(made))


ROUND_1 = ["1,Ansa,Dov,1,1,played", "1,Bole,Esk,1,0,played", "1,Cira,Fenn,1,1,played"]


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_round_is_the_first_without_a_result(tmp_path: Path, name: str) -> None:
    made = paired(event(tmp_path, ROUND_1), name)
    assert made.pairs["round"].unique().tolist() == [2]
    assert list(made.pairs.columns) == ["round", "board", "player", "opponent", "first", "gave_way"]
    assert names_of(made) == set(NAMES)
    assert made.pairs["board"].tolist() == [1, 2, 3]
    assert len(made.reasons) == 3
    assert made.away.empty
    assert made.notices == ()
    assert paired(event(tmp_path / "none", []), name).pairs["round"].unique().tolist() == [1]


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_round_that_was_played_may_be_asked_for(tmp_path: Path, name: str) -> None:
    """Round 1 as if nothing had been played, with the chance of the seed alone; what the file has is left out."""
    history = event(tmp_path, ROUND_1)
    again, nothing = paired(history, name, 1), paired(event(tmp_path / "none", []), name, 1)
    pd.testing.assert_frame_equal(again.pairs, nothing.pairs)
    assert again.notices == ("what the file pairs from round 1 on is left out of account",)
    with pytest.raises(UsageError, match="nothing is known of round 8, so round 9"):
        paired(history, name, 9)


def test_a_round_beyond_those_scheduled_is_made(tmp_path: Path) -> None:
    """Two rounds more than the file announces are an event prolonged, no mistake of the reader."""
    history = event(tmp_path, ROUND_1, rounds=1)
    assert paired(history).pairs["round"].unique().tolist() == [2]


@pytest.mark.parametrize("name", SYSTEMS)
def test_who_has_withdrawn_is_not_paired(tmp_path: Path, name: str) -> None:
    history = event(tmp_path, ROUND_1, columns="withdrawn", cells=["", "yes", "no", "", "", ""])
    made = paired(history, name)
    assert names_of(made) == set(NAMES) - {"Bole"}
    assert made.away.to_dict("list") == {"player": ["Bole"], "why": ["withdrawn"]}
    assert made.pairs["opponent"].isna().sum() == 1


@pytest.mark.parametrize("name", SYSTEMS)
def test_everybody_withdrawn_is_said(tmp_path: Path, name: str) -> None:
    history = event(tmp_path, ROUND_1, columns="withdrawn", cells=["yes"] * 6)
    with pytest.raises(UsageError, match="nobody is there to be paired in round 2"):
        paired(history, name)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_late_entry_has_no_earlier_rounds(tmp_path: Path, name: str) -> None:
    """Fenn and Gale came after round 1: nobody met, no points, and no bye that would count as one."""
    games = ["1,Ansa,Cira,1,1,played", "1,Bole,Dov,1,0,played", "1,Esk,,1,,bye"]
    history = event(tmp_path, games, names=[*NAMES, "Gale"])
    made = paired(history, name)
    assert names_of(made) == {*NAMES, "Gale"}
    standing = made.section.standing
    assert (standing.opponent[0, 5:] == NOBODY).all()
    assert standing.points[0].tolist() == [2, 2, 0, 0, 2, 0, 0]
    assert standing.byes[0].tolist() == [0, 0, 0, 0, 1, 0, 0]
    (out,) = made.pairs.loc[made.pairs["opponent"].isna(), "player"]
    assert out != "Esk"


@pytest.mark.parametrize("name", SYSTEMS)
def test_byes_asked_for_and_absence(tmp_path: Path, name: str) -> None:
    made = paired(event(tmp_path, ROUND_1), name, byes=["fenn"], absent=["Ansa"])
    assert names_of(made) == {"Bole", "Cira", "Dov", "Esk"}
    assert made.away.to_dict("list") == {"player": ["Ansa", "Fenn"], "why": ["absent", "bye asked for"]}


@pytest.mark.parametrize("name", SYSTEMS)
def test_case_5_a_bye_given_before_is_no_round_played(tmp_path: Path, name: str) -> None:
    """Fenn has a half-point bye in the file for round 2, Esk one for round 3: round 2 is next, Fenn sits it out.

    Neither bye is in the standing before round 2, and Esk plays in it.
    """
    history = event(tmp_path, [*ROUND_1, "2,Fenn,,0.5,,bye", "3,Esk,,1,,bye"])
    made = paired(history, name)
    assert made.pairs["round"].unique().tolist() == [2]
    assert made.away.to_dict("list") == {"player": ["Fenn"], "why": ["bye given before in the file"]}
    assert names_of(made) == set(NAMES) - {"Fenn"}
    assert made.section.standing.points[0].tolist() == [2, 2, 2, 0, 0, 0]
    assert made.section.standing.opponent.shape == (1, 6, 1)


@pytest.mark.parametrize("name", ["cnsc", "evanston", "swiss", "matching", "round-robin", "nssc", "random"])
def test_case_8_a_forfeit_against_a_real_opponent(tmp_path: Path, name: str) -> None:
    """Ansa and Dov were paired, Dov did not come: they have met, Ansa has the point, and the next round is made."""
    history = event(tmp_path, ["1,Ansa,Dov,1,,forfeit", *ROUND_1[1:]])
    made = paired(history, name)
    assert made.section.standing.met[0, 0, 3] == 1
    assert made.section.standing.points[0, 0] == 2
    assert frozenset({"Ansa", "Dov"}) not in met(made)
    assert len(made.pairs) == 3


def test_case_8_as_report_files_write_it(tmp_path: Path) -> None:
    """`2 b Z` and `2 w -`: a round not played with an opponent named; the file is read, and the round after made."""
    lines = ["012 Small club", "XXR 3"]
    cells = ["   4 w +", "   3 b Z", "   2 w Z", "   1 b -"]
    for number, (name, cell) in enumerate(zip(NAMES, cells, strict=False), 1):
        points = 1.0 if cell.endswith("+") else 0.0
        lines.append(
            f"001 {number:4d} m    {name:<33} {2000 - number:4d} {'':15} {'':10} {points:4.1f} {number:4d}  {cell}"
        )
    path = tmp_path / "club.trf"
    path.write_text("\n".join(lines) + "\n")
    history = load(path)
    made = next_round(history, history.events["event"].iloc[0], history.entries["section"].iloc[0], Swiss(), 2)
    assert names_of(made) == set(NAMES[:4])
    assert made.section.standing.points[0].tolist() == [2, 0, 0, 0]
    assert made.section.standing.met[0, 0, 3] == 1


def test_case_9_a_pairing_entered_twice(tmp_path: Path) -> None:
    """The second line counts for nobody, and `check` names it; an own result is not overwritten by another's line."""
    history = event(tmp_path, [*ROUND_1, "1,Dov,Ansa,1,1,played", "1,Bole,Fenn,1,1,played"])
    made = paired(history)
    assert made.section.standing.points[0].tolist() == [2, 2, 2, 0, 0, 0]
    assert made.section.standing.met[0].sum() == 6
    assert {p.line for p in check(history) if "round" in f"{p.expected} {p.found}"} >= {5, 6}


def test_case_10_a_withdrawal_after_the_pairing_is_a_forfeit(tmp_path: Path) -> None:
    """Dov left before the first game: +50 for Ansa, -50 for Dov, unrated, and they have met; then Dov comes back."""
    games = ["1,Ansa,Dov,1,,forfeit,50,0", "1,Bole,Esk,1,0,played,400,390", "1,Cira,Fenn,1,1,played,400,380"]
    gone = event(tmp_path / "gone", games, columns="withdrawn", cells=["", "", "", "yes", "", ""])
    table = standings(gone, "e", "main").set_index("player")
    assert table.loc[["Ansa", "Dov"], "spread"].tolist() == [50, -50]
    assert table.loc["Ansa", "wins"] == table.loc["Dov", "losses"] == 1
    made = paired(gone)
    assert "Dov" not in names_of(made)
    assert not gone.games.query("status == 'forfeit'")["rated"].any()
    back = paired(event(tmp_path / "back", games))
    assert names_of(back) == set(NAMES)
    assert frozenset({"Ansa", "Dov"}) not in met(back)


def test_case_11_the_opponent_was_removed_after_the_result(tmp_path: Path) -> None:
    """Dov was taken out of the entries, and the result with Ansa left in the file: nobody is paired with himself."""
    history = event(tmp_path, ROUND_1)
    entries = history.entries[history.entries["player"] != "Dov"].reset_index(drop=True)
    from dataclasses import replace

    made = next_round(replace(history, entries=entries), "e", "main", Swiss())
    assert names_of(made) == set(NAMES) - {"Dov"}
    assert made.section.standing.points[0, 0] == 2
    assert made.section.standing.opponent[0, 0, 0] == NOBODY
    assert not made.section.standing.bye[0, 0].any()


def test_case_12_a_bye_counts_as_it_was_credited(tmp_path: Path) -> None:
    """Byes of 1, ½ and 0 points: in points as credited; a win only where a whole point was."""
    games = ["1,Ansa,Bole,1,1,played", "1,Cira,,1,,bye", "1,Dov,,0.5,,bye", "1,Esk,,0,,bye"]
    history = event(tmp_path, games, names=NAMES[:5])
    table = standings(history, "e", "main").set_index("player")
    assert table.loc[["Cira", "Dov", "Esk"], "wins"].tolist() == [1, 0, 0]
    assert table.loc[["Cira", "Dov", "Esk"], "ties"].tolist() == [0, 1, 0]
    assert table.loc[["Cira", "Dov", "Esk"], "byes"].tolist() == [1, 1, 0]
    assert table.loc["Cira", "tow"] == 0
    chess = standings(history, "e", "main", kind="chess").set_index("player")
    assert chess.loc[["Cira", "Dov", "Esk"], "points"].tolist() == [1, 0.5, 0]


def test_case_19_spread_caps_decide_the_list(tmp_path: Path) -> None:
    """With caps of 100 in rounds 1 and 2, Bole (+90, +90) stands before Ansa (+400, +5, capped to 100): he is board 1.

    Without the caps it is the other way about.
    """
    games = ["1,Ansa,Dov,1,1,played,700,300", "1,Bole,Esk,1,0,played,490,400", "1,Cira,Fenn,1,1,played,401,400"]
    games += ["2,Ansa,Fenn,1,1,played,405,400", "2,Bole,Dov,1,0,played,490,400", "2,Esk,Cira,1,1,played,401,400"]
    for cap, first in (("100;100", "Bole"), ("", "Ansa")):
        history = event(tmp_path / f"cap{cap[:3]}", games, cap=cap)
        assert standings(history, "e", "main")["player"].iloc[0] == first
        assert paired(history, "swiss:repeats=free").reasons["player"].iloc[0] == first
    assert (
        standings(event(tmp_path, games, cap="100;100"), "e", "main").set_index("player").loc["Ansa", "spread"] == 105
    )


def test_case_20_boards_by_the_higher_score_then_the_sum_then_place(tmp_path: Path) -> None:
    """Scores 3 against 0 come before 2 against 2, although the sum is less; 2 against 2 before 2 against 1."""
    names = ["Ansa", "Bole", "Cira", "Dov", "Esk", "Fenn", "Gale", "Hod"]
    games = []
    # Ansa wins three; Bole, Cira, Dov two; Esk and Fenn one; Gale and Hod none
    for played, of in enumerate((["Ansa", "Bole", "Cira"], ["Ansa", "Bole", "Dov"], ["Ansa", "Cira", "Dov"]), 1):
        losers = [name for name in names if name not in of][::-1]
        extra = {1: "Esk", 2: "Fenn"}.get(played)
        for i, winner in enumerate(of):
            games.append(f"{played},{winner},{[x for x in losers if x != extra][i]},1,,played")
        if extra is not None:
            games.append(f"{played},{extra},{[x for x in losers if x != extra][3]},1,,played")
    history = event(tmp_path, games, names=names, rounds=7)
    points = dict(zip(names, paired(history, round=4).section.standing.points[0] // 2, strict=True))
    assert points == {"Ansa": 3, "Bole": 2, "Cira": 2, "Dov": 2, "Esk": 1, "Fenn": 1, "Gale": 0, "Hod": 0}
    forbidden = [("Ansa", name) for name in names[1:] if name != "Gale"] + [("Bole", "Cira"), ("Bole", "Esk")]
    forbidden += [("Bole", "Fenn"), ("Bole", "Hod"), ("Cira", "Fenn"), ("Cira", "Hod")]
    made = paired(history, "matching:repeats=free", 4, forbidden=forbidden)
    boards = list(made.pairs[["player", "opponent"]].itertuples(index=False, name=None))
    assert [set(pair) for pair in boards] == [{"Ansa", "Gale"}, {"Bole", "Dov"}, {"Cira", "Esk"}, {"Fenn", "Hod"}]
    assert made.reasons["points"].tolist() == [3, 2, 2, 1]


@pytest.mark.parametrize("name", SYSTEMS)
def test_forbidden_pairs_are_never_made(tmp_path: Path, name: str) -> None:
    """Round 1 of four with all pairs but one forbidden: the two who may meet do, or nobody where both are barred."""
    history = event(tmp_path, [], names=NAMES[:4])
    barred = [("Ansa", "Cira"), ("Bole", "Ansa"), ("bole", "DOV"), ("Cira", "Dov")]
    made = paired(history, name, forbidden=barred)
    assert met(made) == {frozenset({"Ansa", "Dov"}), frozenset({"Bole", "Cira"})}
    alone = paired(history, name, forbidden=[*barred, ("Ansa", "Dov")])
    assert met(alone) == {frozenset({"Ansa"}), frozenset({"Dov"}), frozenset({"Bole", "Cira"})}
    told = alone.reasons.loc[alone.reasons["opponent"].isna(), "why"]
    assert told.tolist() == [f"{name} sits out: everybody left is one not to be met." for name in ("Ansa", "Dov")]


def test_names_that_are_not_entered_are_said_with_what_may_be_meant(tmp_path: Path) -> None:
    history = event(tmp_path, ROUND_1)
    for more in ({"absent": ["Anssa"]}, {"byes": ["Anssa"]}, {"forbidden": [("Bole", "Anssa")]}):
        with pytest.raises(UsageError, match=r"Anssa is not entered in section main of e \(perhaps Ansa is meant\)"):
            paired(history, **more)
    with pytest.raises(UsageError, match="no section B in e; its sections are: main"):
        next_round(history, "e", "B", Swiss())


def test_games_without_results_are_meetings_and_nothing_more(tmp_path: Path) -> None:
    """Round 2 has a result, one of round 1 is missing: round 3 is next, and who has no result has no points."""
    games = ["1,Ansa,Dov,,,unknown", *ROUND_1[1:], "2,Ansa,Bole,1,1,played"]
    made = paired(event(tmp_path, games), round=None)
    assert made.pairs["round"].iloc[0] == 3
    assert made.section.standing.met[0, 0, 3] == 1
    assert made.section.standing.points[0].tolist() == [2, 2, 2, 0, 0, 0]
    assert made.notices == ("1 games of rounds 1 have no result: they count as meetings and nothing more",)


def test_a_round_paired_without_results_is_paired_anew(tmp_path: Path) -> None:
    games = [*ROUND_1, "2,Ansa,Esk,,,unknown", "2,Bole,Fenn,,,unknown", "2,Cira,Dov,,,unknown"]
    made = paired(event(tmp_path, games))
    assert made.pairs["round"].iloc[0] == 2
    assert made.section.standing.opponent.shape[2] == 1
    assert made.notices == ("what the file pairs from round 2 on is left out of account",)


def test_schools_are_teams_for_the_systems_that_keep_them_apart(tmp_path: Path) -> None:
    """Ansa and Dov, who would meet as seeds 1 and 4 of 6, are of one school, however it is written."""
    cells = ["North", "", "", " north", "", ""]
    history = event(tmp_path, [], columns="school", cells=cells)
    for name, apart in (("nssc", True), ("evanston", True), ("swiss:teams_apart=1", True), ("swiss", False)):
        assert (frozenset({"Ansa", "Dov"}) not in met(paired(history, name))) == apart
    made = paired(history, "nssc")
    why = made.reasons.set_index("player")["why"]
    assert "corresponding would be Dov for Ansa (of the same school or team)" in why["Ansa"]


def test_teams_are_paired_as_teams() -> None:
    history = load("data/school-circuit/2011-nssc")
    name = history.events["event"].iloc[0]
    made = next_round(history, name, history.entries["section"].iloc[0], Nssc(), 1)
    teams = set(history.entries["team"])
    assert set(made.pairs["player"]) | set(made.pairs["opponent"].dropna()) == teams


def test_the_same_seed_the_same_round_and_another_one_another(tmp_path: Path) -> None:
    history = event(tmp_path, [], names=[f"P{i}" for i in range(20)])
    rounds = [next_round(history, "e", "main", Random(), 1, seed=seed).pairs for seed in (1, 1, 2)]
    pd.testing.assert_frame_equal(rounds[0], rounds[1])
    assert not rounds[0].equals(rounds[2])


# --- why --------------------------------------------------------------------------------------------------------------


def why(made: NextRound) -> dict[str, str]:
    """The sentences by the pair's two names, in the order of the alphabet."""
    told = made.reasons
    keys = [
        "-".join(sorted({one, other} - {np.nan, None}))
        for one, other in zip(told["player"], told["opponent"], strict=True)
    ]
    return dict(zip(keys, told["why"], strict=True))


def test_cnsc_tells_who_was_passed_over_and_why(tmp_path: Path) -> None:
    """After round 1 Ansa, Bole and Cira have a win, and Dov is the next: Ansa's ideal opponent is Cira, Bole's Dov.

    The list is Ansa Bole Cira | Dov Esk Fenn (no spreads, TOW 0). Round 3 is worked out below.
    """
    made = paired(event(tmp_path, ROUND_1), "cnsc")
    told = why(made)
    assert set(told) == {"Ansa-Cira", "Bole-Dov", "Esk-Fenn"}
    start = "Ansa and Cira have 1 point each (places 1 and 3). "
    assert told["Ansa-Cira"].startswith(start + "Of the 3 on 1 point and the next in the list, the upper half meets")
    assert told["Esk-Fenn"].endswith("Of the 2 on 0 points, the upper half meets the lower half in order.")
    # after round 2 the list is Ansa Bole, Cira Esk, Dov Fenn; with Ansa and Bole forbidden Ansa is offered Bole, then
    # Cira (met in round 2), then Esk
    games = [*ROUND_1, "2,Ansa,Cira,1,1,played", "2,Bole,Dov,1,1,played", "2,Esk,Fenn,1,1,played"]
    history = event(tmp_path / "three", games, rounds=18)
    made = paired(history, "cnsc", forbidden=[("Ansa", "Bole")])
    assert why(made)["Ansa-Esk"] == (
        "Ansa has 2 points, Esk 1 point (places 1 and 4). In turn the list has for Ansa: Bole (not to meet, as the "
        "director has it), then Cira (met in round 2); the next one is Esk."
    )


def test_cnsc_tells_what_game_1_was_drawn_from(tmp_path: Path) -> None:
    history = event(tmp_path, [], names=[f"P{i:02d}" for i in range(1, 11)])
    for one in next_round(history, "e", "main", Cnsc()).reasons.itertuples():
        high = min(one.place, one.opponent_place)
        band = "1 to 3 meet seeds 6 to 8" if high <= 3 else "4 to 5 meet seeds 9 to 10"
        assert f"Drawn by lot: seeds {band}, here {high} and {max(one.place, one.opponent_place)}." in one.why


def test_a_second_meeting_is_told_with_its_round(tmp_path: Path) -> None:
    history = event(tmp_path, ROUND_1[:1], names=["Ansa", "Dov"])
    made = next_round(history, "e", "main", KingOfTheHill())
    assert "They have met before, in round 1. What gave way: met before." in made.reasons["why"].iloc[0]
    assert made.reasons["met"].iloc[0] == "1"


def test_evanston_tells_floats_and_colours(tmp_path: Path) -> None:
    """Three have a win: the lowest-rated of them floats down; colours are those that are due."""
    made = paired(event(tmp_path, ROUND_1), "evanston:small=0")
    floated = next(text for text in why(made).values() if "floats down" in text)
    assert "floats down from the group on 1 point (3 players, an odd number)" in floated
    for one in made.reasons.itertuples():
        assert f"{one.player} has White" in one.why
        assert ("so far 0 White and 1 Black" in one.why) == (
            one.player in ("Bole", "Dov", "Fenn")
        ) or "level" in one.why
    pair = next(one for one in made.reasons.itertuples() if {one.player, one.opponent} == {"Ansa", "Bole"})
    assert pair.why.endswith("Bole has White: so far 0 White and 1 Black, against 1 White and 0 Black of Ansa.")


def test_who_sits_out_is_told_why(tmp_path: Path) -> None:
    history = event(tmp_path, [], names=NAMES[:5])
    out = next_round(history, "e", "main", Evanston(), 1).reasons.iloc[-1]
    assert out["player"] == "Esk"
    assert out["why"] == (
        "Esk sits out: 5 players are an odd number. Of those with the fewest byes the lowest, who had none before."
    )


def test_spoken_names_are_given_name_first(tmp_path: Path) -> None:
    history = event(tmp_path, [], names=['"Quist, Ansa"', '"Mere, Bole"'])
    made = next_round(history, "e", "main", Swiss())
    assert made.pairs["player"].tolist() == ["Quist, Ansa"]
    assert made.reasons["why"].iloc[0].startswith("Ansa Quist and Bole Mere are nos. 1 and 2 before play.")


@pytest.mark.parametrize(
    "name", [*SYSTEMS, "cnsc:both_ends=1", "cnsc:floats=1,firsts=balanced", "swiss:pairs=adjacent"]
)
def test_every_board_of_a_real_event_is_told_in_sentences(name: str) -> None:
    """Every round of a real event under every system: two sentences or more for each board, the right names in them."""
    history = load("data/open-circuit/2011-saffron-ridge")
    section = history.entries["section"].iloc[0]
    for round_ in range(1, 15):
        made = next_round(history, history.events["event"].iloc[0], section, parse(name), round_)
        for one in made.reasons.itertuples():
            assert one.why.endswith(".")
            assert one.why.count(". ") >= 1
            assert " ".join(one.player.split(", ")[::-1]) in one.why
            assert isinstance(one.opponent, float) or " ".join(one.opponent.split(", ")[::-1]) in one.why


def test_systems_side_by_side(tmp_path: Path) -> None:
    games = [*ROUND_1, "2,Ansa,Bole,1,1,played", "2,Dov,Cira,1,1,played", "2,Esk,Fenn,1,1,played"]
    history = event(tmp_path, games, names=[*NAMES, "Gale"])
    rounds = {name: paired(history, name) for name in ("swiss", "king-of-the-hill")}
    whom, summary = side_by_side(rounds)
    assert whom.columns.tolist() == ["number", "player", "swiss", "king-of-the-hill"]
    for name, made in rounds.items():
        row = summary.set_index("pairing").loc[name]
        pairs = made.reasons.dropna(subset="opponent")
        assert row["floats"] == (pairs["points"] != pairs["opponent_points"]).sum()
        assert row["repeats"] == (pairs["met"] != "").sum()
        assert row["sits_out"] == made.pairs.loc[made.pairs["opponent"].isna(), "player"].iloc[0] == "Gale"
        seen = whom.set_index("player")[name].dropna()
        assert all(seen[seen[player]] == player for player in seen.index)
