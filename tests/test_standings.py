"""Standings: against the ranks that tournament software filed after every round, and by hand."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from making import SHARED, needs_shared

from ratinglab import load
from ratinglab.cli import main
from ratinglab.history import History
from ratinglab.problems import UsageError
from ratinglab.standings import CHESS, section_standing, sections, standings, tie_breaks, tow_by_game

# Sections in which results were corrected after later rounds had been ranked, or a player was taken out: the ranks that
# the software filed at the time are of the results as they then were.
CORRECTED = {
    ("332_4th-of-july", "A"),
    ("68_albany-new-year-s-main-event", "A"),
    ("fixture2024_albany-4th-of-july-2024-nwl-main-event", "A"),
    ("fixture2024_albany-4th-of-july-2024-nwl-main-event", "C"),
}


def filed_ranks(path: str) -> list[list[str]]:
    """The key rrank of each player line: the rank before round 1, after round 1, …"""
    text = Path(path).read_bytes().decode("latin-1")
    lines = [line for line in re.split(r"[\r\n]+", text) if line.strip() and not line.startswith("#")]
    found = [re.search(r";\s*rrank ([0-9 ]+)", line) for line in lines]
    return [match.group(1).split() if match else [] for match in found]


@needs_shared
def test_ranks_are_those_that_the_software_filed_after_every_round() -> None:
    history = load(SHARED / "tsh")
    compared = 0
    for event in history.events["event"]:
        for section in sections(history, event):
            mine = (history.entries["event"] == event) & (history.entries["section"] == section)
            ranks = filed_ranks(history.entries.loc[mine, "file"].iloc[0])
            played = history.games[(history.games["event"] == event) & (history.games["section"] == section)]
            off = 0
            for after in range(1, int(played["round"].max()) + 1):
                table = standings(history, event, section, after)
                rank = dict(zip(table["number"], table["rank"], strict=True))
                for number, filed in enumerate(ranks, 1):
                    if len(filed) > after and filed[after] != "00":
                        compared += 1
                        off += int(filed[after]) != rank[number]
            assert off == 0 or (event, section) in CORRECTED, (event, section, off)
    assert compared > 8_000


def chess(tmp_path: Path) -> History:
    """Five rounds of six, in the club's own tables; the results are worked out below."""
    (tmp_path / "events.csv").write_text("event,date,rounds\nclub,2024-03-02,3\n")
    names = ["Ansa", "Bole", "Cira", "Dov", "Esk"]
    rows = ["event,section,number,player"] + [f"club,main,{i},{name}" for i, name in enumerate(names, 1)]
    (tmp_path / "entries.csv").write_text("\n".join(rows) + "\n")
    games = [
        "event,round,player,opponent,result,first,status",
        "club,1,Ansa,Cira,1,1,played",
        "club,1,Bole,Dov,0.5,0,played",
        "club,1,Esk,,1,,bye",
        "club,2,Ansa,Esk,1,0,played",
        "club,2,Dov,Cira,0,1,played",
        "club,2,Bole,,1,,bye",
        "club,3,Bole,Ansa,1,1,played",
        "club,3,Esk,Dov,1,0,forfeit",
        "club,3,Cira,,0.5,,bye",
    ]
    (tmp_path / "games.csv").write_text("\n".join(games) + "\n")
    return load(tmp_path)


def test_chess_tie_breaks_by_hand(tmp_path: Path) -> None:
    """Ansa 2: Cira (1 + ½ unplayed → 1½), Esk (0 + ½ + ½), Bole (½ + ½ + 1 → 2) and so on, written out below."""
    history = chess(tmp_path)
    of = section_standing(history, "club", "main")
    made = {name: dict(zip(of.names, values.tolist(), strict=True)) for name, values in tie_breaks(of).items()}
    # adjusted scores: Ansa 2, Bole ½ + ½ (bye) + 1 = 2, Cira 0 + 1 + ½ = 1½, Dov ½ + 0 + ½ (forfeit) = 1,
    # Esk ½ (bye) + 0 + ½ (forfeit) = 1
    assert made["solkoff"] == {"Ansa": 1.5 + 1 + 2, "Bole": 1 + 0 + 2, "Cira": 2 + 1 + 0, "Dov": 2 + 1.5 + 0, "Esk": 2}
    # more than half of three points: without the lowest; Cira has just half: without highest and lowest; Dov without
    # the highest
    assert made["modified_median"] == {"Ansa": 1.5 + 2, "Bole": 1 + 2, "Cira": 1, "Dov": 1.5 + 0, "Esk": 2}
    # running scores, less what came without a game
    assert made["cumulative"] == {"Ansa": 1 + 2 + 2, "Bole": 0.5 + 1.5 + 2.5 - 1, "Cira": 0 + 1 + 1.5 - 0.5,
                                  "Dov": 0.5 + 0.5 + 0.5, "Esk": 1 + 1 + 2 - 2}  # fmt: skip
    table = standings(history, "club", "main", kind=CHESS)
    assert table["player"].tolist() == ["Bole", "Ansa", "Esk", "Cira", "Dov"]
    assert table["points"].tolist() == [2.5, 2.0, 2.0, 1.5, 0.5]


def test_tow_is_of_now_and_byes_add_nothing(tmp_path: Path) -> None:
    table = standings(chess(tmp_path), "club", "main", 2).set_index("player")
    # after round 2: Ansa 2, Bole 1½, Cira 1, Dov ½, Esk 1
    assert table["tow"].to_dict() == {"Ansa": 1 + 1, "Bole": 0.5, "Cira": 2 + 0.5, "Dov": 1.5 + 1, "Esk": 2}
    assert table["byes"].to_dict() == {"Ansa": 0, "Bole": 1, "Cira": 0, "Dov": 0, "Esk": 1}


def test_tow_game_by_game_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three players met in turn, the first of them twice; what they had won after each game is written beside it.

    Game 1: A beats B, C beats D. Game 2: A ties C, B beats D. Game 3: B beats A again and D has a bye, as C has.
    """
    (tmp_path / "events.csv").write_text("event,date,rounds\ne,2024-03-02,3\n")
    games = ["event,round,player,opponent,score,opponent_score,result,status"]
    games += ["e,1,Ansa,Bole,400,300,1,played", "e,1,Cira,Dov,450,350,1,played"]
    games += ["e,2,Ansa,Cira,400,400,0.5,played", "e,2,Bole,Dov,500,400,1,played"]
    games += ["e,3,Bole,Ansa,420,400,1,played", "e,3,Cira,,50,0,1,bye", "e,3,Dov,,50,0,1,bye"]
    (tmp_path / "games.csv").write_text("\n".join(games) + "\n")
    history = load(tmp_path)
    table = tow_by_game(history, "e", "main").set_index("player")
    assert list(table.columns) == ["rank", "number", "tow_1", "tow_2", "tow_3"]
    # wins after each game: Ansa 1 1½ 1½, Bole 0 1 2, Cira 1 1½ 2½, Dov 0 0 1
    assert table.loc["Ansa"].tolist()[2:] == [0, 1 + 1.5, 2 + 2.5 + 2]
    assert table.loc["Bole"].tolist()[2:] == [1, 1.5 + 0, 1.5 + 1 + 1.5]
    assert table.loc["Cira"].tolist()[2:] == [0, 0 + 1.5, 1 + 1.5]
    assert table.loc["Dov"].tolist()[2:] == [1, 1.5 + 1, 2.5 + 2]
    assert list(table.index) == standings(history, "e", "main")["player"].tolist() == ["Cira", "Bole", "Ansa", "Dov"]
    # each column is the TOW of the standing after that game, and the page is of the games up to --round
    for game in (1, 2, 3):
        after = standings(history, "e", "main", game).set_index("player")["tow"]
        assert table[f"tow_{game}"].to_dict() == after.to_dict()
    assert list(tow_by_game(history, "e", "main", 2).columns)[3:] == ["tow_1", "tow_2"]
    assert main(["standings", str(tmp_path), "--tow"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "e, section main: total opponent wins after each game"
    assert shown[2].split() == ["rank", "player", "no.", "1", "2", "3"]
    assert shown[3].split()[-3:] == ["0", "1.5", "2.5"]
    assert main(["standings", str(tmp_path), "--tow", "--csv", "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "event,section,rank,player,number,tow_1,tow_2,tow_3"
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"standings.csv", "tow.csv", "manifest.json"}
    assert (tmp_path / "out" / "tow.csv").read_text().splitlines()[1].endswith(",0.0,1.5,2.5")


def test_level_players_share_a_rank_and_spreads_are_capped(tmp_path: Path) -> None:
    """Case 19 of the small cases: rounds 1 and 2 have caps of 100 and 150, round 3 none."""
    (tmp_path / "events.csv").write_text("event,date,rounds,spread_cap\ne,2024-03-02,3,100;150\n")
    games = ["event,round,player,opponent,score,opponent_score,result,status"]
    games += ["e,1,Ansa,Bole,500,300,1,played", "e,1,Cira,Dov,450,350,1,played"]
    games += ["e,2,Ansa,Dov,600,400,1,played", "e,2,Cira,Bole,551,400,1,played"]
    games += ["e,3,Ansa,Cira,400,400,0.5,played", "e,3,Bole,Dov,700,300,1,played"]
    (tmp_path / "games.csv").write_text("\n".join(games) + "\n")
    history = load(tmp_path)
    table = standings(history, "e", "main").set_index("player")
    assert table["spread"].to_dict() == {"Ansa": 250, "Cira": 250, "Bole": 150, "Dov": -650}
    assert table["rank"].to_dict() == {"Ansa": 1, "Cira": 1, "Bole": 3, "Dov": 4}
    assert table["ties"].to_dict() == {"Ansa": 1, "Cira": 1, "Bole": 0, "Dov": 0}
    assert standings(history, "e", "main", 1)["spread"].tolist() == [100, 100, -100, -100]


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    history = chess(tmp_path)
    with pytest.raises(UsageError, match="no section B in club; its sections are: main"):
        standings(history, "club", "B")
    with pytest.raises(UsageError, match="has 3 rounds; found round 7"):
        standings(history, "club", "main", 7)
    with pytest.raises(UsageError, match="no event x"):
        standings(history, "x", "main")
    with pytest.raises(UsageError, match="scrabble, chess; found go"):
        standings(history, "club", "main", kind="go")


def test_everybody_is_told_also_before_a_game_was_played(tmp_path: Path) -> None:
    history = chess(tmp_path)
    table = standings(history, "club", "main", 0)
    assert table["rank"].tolist() == [1] * 5
    assert len(section_standing(history, "club", "main", 1).names) == 5


def test_a_withdrawn_entrant_is_not_here(tmp_path: Path) -> None:
    history = chess(tmp_path)
    entries = history.entries.assign(withdrawn=pd.Series(["", "yes", "no", None, "0"], dtype="str"))
    from dataclasses import replace

    of = section_standing(replace(history, entries=entries), "club", "main")
    assert of.standing.here[0].tolist() == [True, False, True, True, True]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chess(tmp_path)
    assert main(["standings", str(tmp_path), "--kind", "chess"]) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines()[0] == "club, section main"
    assert shown.splitlines()[3].split()[:4] == ["1", "Bole", "2", "2.5"]
    assert main(["standings", str(tmp_path), "--round", "1", "--csv"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "event,section,rank,player,number,wins,losses,ties,byes,tow,spread"
    assert len(rows) == 6
    assert main(["standings", str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"standings.csv", "manifest.json"}
    assert main(["standings", str(tmp_path), "--round", "9"]) == 2
    assert "has 3 rounds" in capsys.readouterr().err


def test_teams_stand_as_teams() -> None:
    history = load("data/school-circuit/2011-nssc")
    event = history.events["event"].iloc[0]
    section = sections(history, event)[0]
    of = section_standing(history, event, section)
    assert set(of.names) <= set(history.entries["team"].dropna())
    assert np.all(of.standing.opponent[0].max(axis=1) < len(of.names))
