"""What changed between two lists or runs: through files, as a committee has them."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from making import dated, history, outcome, sections

from ratinglab import names
from ratinglab.cli import main
from ratinglab.problems import InputError
from ratinglab.replaying import Replay, replay
from ratinglab.revisions import events as parts
from ratinglab.revisions import revising as rev
from ratinglab.revisions.revising import Revision, revise
from ratinglab.revisions.sides import DIGITS, Side, read_sides
from ratinglab.systems import System
from ratinglab.systems.glixo import Glixo
from ratinglab.systems.naspa import Naspa

PEOPLE = {"Ada Zorn": 1600, "Bea Yarrow": 1500, "Cy Xu": 1400, "Dot Wells": 1300, "Eve Vole": 1200, "Fay Ulm": 1100}
EVENTS = {"spring": "2024-03-02", "summer": "2024-06-01", "autumn": "2024-09-07"}
# who meets whom in the single rounds of each event; Eve and Fay meet nobody else before autumn
GAMES = {
    "spring": [("Ada Zorn", "Bea Yarrow", 420, 380), ("Cy Xu", "Dot Wells", 350, 420),
               ("Eve Vole", "Fay Ulm", 400, 300)],
    "summer": [("Bea Yarrow", "Cy Xu", 430, 350), ("Eve Vole", "Fay Ulm", 390, 395)],
    "autumn": [("Cy Xu", "Eve Vole", 440, 300), ("Ada Zorn", "Dot Wells", 410, 400)],
}  # fmt: skip


def write(folder: Path, games: dict[str, list[tuple[str, str, int, int]]], **more: str) -> Path:
    """A native folder of these games; `more` are further files by name."""
    folder.mkdir()
    rows = [
        {"event": event, "round": 1, "player": a, "opponent": b, "score": x, "opponent_score": y}
        for event, played in games.items()
        for a, b, x, y in played
    ]
    pd.DataFrame(rows).to_csv(folder / "games.csv", index=False)
    events = pd.DataFrame({"event": list(games), "date": [EVENTS[event] for event in games]})
    events.to_csv(folder / "events.csv", index=False)
    entered = dict.fromkeys((row["event"], row[side]) for row in rows for side in ("player", "opponent"))
    entries = pd.DataFrame(
        [{"event": event, "player": name, "rating": PEOPLE.get(name, 1400), "deviation": 60} for event, name in entered]
    )
    entries.to_csv(folder / "entries.csv", index=False)
    for name, text in more.items():
        (folder / f"{name}.csv").write_text(text)
    return folder


def run(folder: Path, system: str = "glixo", *more: str, name: str = "run") -> Path:
    """The folder of a replay of it."""
    out = folder.parent / f"{folder.name}-{name}"
    assert main(["replay", str(folder), "--system", system, "--out", str(out), *more]) == 0
    return out


def compared(one: Path, other: Path) -> Revision:
    return revise(*read_sides(one, other))


def row(revision: Revision, player: str) -> pd.Series:
    table = revision.players
    return table[table["player"] == player].iloc[0]


@pytest.fixture
def before(tmp_path: Path) -> Path:
    return run(write(tmp_path / "before", GAMES))


def changed(tmp_path: Path, event: str, at: int, game: tuple[str, str, int, int]) -> Path:
    games = {name: list(played) for name, played in GAMES.items()}
    games[event][at] = game
    return write(tmp_path / "after", games)


def test_the_same_run_twice_is_the_same_figure_for_figure(
    before: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = run(write(tmp_path / "again", GAMES))
    revision = compared(before, again)
    assert revision.nothing
    assert revision.events is not None
    assert set(revision.events["state"]) == {parts.SAME}
    assert revision.settings.empty
    capsys.readouterr()
    assert main(["revisions", str(before), str(again)]) == 0
    assert "The two lists are the same, figure for figure: 6 players." in capsys.readouterr().out


def test_a_corrected_score_and_how_far_it_went(before: Path, tmp_path: Path) -> None:
    """Ada's win of spring was by 140: she and Bea by their own result, Cy through Bea in summer, Eve through Cy."""
    revision = compared(before, run(changed(tmp_path, "spring", 0, ("Ada Zorn", "Bea Yarrow", 520, 380))))
    assert revision.events is not None
    states = dict(zip(revision.events["event"], revision.events["state"], strict=True))
    assert states == {"spring": parts.CORRECTED, "summer": parts.RIPPLED, "autumn": parts.RIPPLED}
    told = {
        player: (
            row(revision, player)["first_difference"],
            row(revision, player)["cause"],
            row(revision, player)["own"],
        )
        for player in PEOPLE
    }
    assert told["Ada Zorn"] == ("spring", parts.RESULTS, "yes")
    assert told["Bea Yarrow"] == ("spring", parts.RESULTS, "yes")
    assert told["Cy Xu"] == ("summer", parts.RIPPLED, "")
    assert told["Dot Wells"] == ("autumn", parts.RIPPLED, "")
    assert told["Eve Vole"] == ("autumn", parts.RIPPLED, "")
    assert row(revision, "Fay Ulm")["state"] == rev.SAME
    assert set(revision.players.loc[revision.players["cause"] == parts.RIPPLED, "origin"]) == {"spring"}
    assert revision.games is not None
    (game,) = revision.games.to_dict("records")
    assert (game["event"], game["spread_old"], game["spread_new"]) == ("spring", 40, 140)
    assert list(revision.settings["kind"]) == ["input"]  # of the folders' files one holds something else


def test_change_is_new_less_old_and_turns_round_with_the_sides(before: Path, tmp_path: Path) -> None:
    after = run(changed(tmp_path, "summer", 1, ("Eve Vole", "Fay Ulm", 500, 300)))
    there, back = compared(before, after), compared(after, before)
    columns = ["rating_old", "rating_new", "change"]
    one, other = (r.players.set_index("player").sort_index()[columns] for r in (there, back))
    assert (one["change"] > 0).any()
    assert one["change"].tolist() == pytest.approx((one["rating_new"] - one["rating_old"]).tolist(), abs=1e-8)
    assert one["change"].tolist() == (-other["change"] + 0.0).tolist()
    assert there.count(rev.MOVED) == back.count(rev.MOVED) == 3  # Eve, Fay, and Cy who meets Eve in autumn


@pytest.mark.parametrize(("taken", "late"), [("summer", True), ("autumn", False)])
def test_an_event_added_and_taken_out(before: Path, tmp_path: Path, taken: str, late: bool) -> None:
    fewer = run(write(tmp_path / "fewer", {name: played for name, played in GAMES.items() if name != taken}))
    added, removed = compared(fewer, before), compared(before, fewer)
    assert added.events is not None
    assert removed.events is not None
    (new,) = added.events[added.events["state"] == parts.ADDED].to_dict("records")
    assert (new["event"], new["late"], new["games_new"]) == (taken, late, 2 * len(GAMES[taken]))
    for player in {name for game in GAMES[taken] for name in game[:2]}:
        assert row(added, player)["cause"] == parts.ADDED
        assert row(removed, player)["cause"] == parts.REMOVED
        assert row(added, player)["first_difference"] == row(removed, player)["first_difference"] == taken


def test_a_name_joined_and_parted(tmp_path: Path) -> None:
    games = {name: list(played) for name, played in GAMES.items()}
    games["autumn"][1] = ("Ada Zorn", "D. Wells", 410, 400)
    apart = run(write(tmp_path / "apart", games))
    joined = run(write(tmp_path / "joined", games, aliases="alias,player\nD. Wells,Dot Wells\n"))
    merged, split = compared(apart, joined), compared(joined, apart)
    told = merged.people[["kind", "old_name", "new_name", "events", "games", "certain"]].to_dict("records")
    assert told == [{"kind": "merged", "old_name": "D. Wells", "new_name": "Dot Wells", "events": 1, "games": 1,
                     "certain": 1}]  # fmt: skip
    assert split.people[["kind", "old_name", "new_name"]].to_numpy().tolist() == [["split", "Dot Wells", "D. Wells"]]
    assert (row(merged, "D. Wells")["state"], row(split, "D. Wells")["state"]) == (rev.GONE, rev.NEW)
    for revision in (merged, split):
        assert row(revision, "D. Wells")["cause"] == row(revision, "Dot Wells")["cause"] == parts.NAMES
        assert row(revision, "Ada Zorn")["cause"] == parts.RIPPLED  # met the same person, who had another rating
        assert revision.games is not None
        assert revision.games.empty  # nobody's result was corrected


def test_a_new_spelling_is_nobody_new_and_a_new_name_is_a_renaming(before: Path, tmp_path: Path) -> None:
    def renamed(name: str) -> Path:
        games = {
            event: [(name if a == "Ada Zorn" else a, b, x, y) for a, b, x, y in played]
            for event, played in GAMES.items()
        }
        folder = tmp_path / name.replace(",", "").replace(" ", "")
        write(folder, games)
        entries = pd.read_csv(folder / "entries.csv")
        entries.loc[entries["player"] == name, "rating"] = PEOPLE["Ada Zorn"]
        entries.to_csv(folder / "entries.csv", index=False)
        return run(folder)

    assert compared(before, renamed("ZORN, Ada")).nothing
    revision = compared(before, renamed("Ada Aske"))
    assert revision.people[["kind", "old_name", "new_name"]].to_numpy().tolist() == [
        ["renamed", "Ada Zorn", "Ada Aske"]
    ]
    assert revision.count(rev.NEW) == revision.count(rev.GONE) == 1
    assert set(revision.players.loc[revision.players["state"].isin((rev.NEW, rev.GONE)), "cause"]) == {parts.NAMES}


def test_another_parameter_is_the_cause_and_no_event_is_called_corrected(before: Path) -> None:
    other = run(before.parent / "before", "glixo:tau=95", name="other")
    revision = compared(before, other)
    assert revision.settings[["kind", "what", "old", "new"]].to_numpy().tolist() == [["parameter", "tau", "90", "95"]]
    moved = revision.players[revision.players["state"] == rev.MOVED]
    assert len(moved) == len(PEOPLE)
    assert set(moved["cause"]) == {parts.SETTINGS}
    assert revision.events is not None
    assert set(revision.events["state"]) == {parts.RIPPLED}
    assert moved["change"].notna().all()


def test_another_parameter_and_a_correction_are_not_told_apart(before: Path, tmp_path: Path) -> None:
    after = changed(tmp_path, "spring", 0, ("Ada Zorn", "Bea Yarrow", 520, 380))
    revision = compared(before, run(after, "glixo:tau=95"))
    assert row(revision, "Ada Zorn")["cause"] == f"{parts.RESULTS};{parts.SETTINGS}"
    assert row(revision, "Fay Ulm")["cause"] == parts.SETTINGS


def test_points_of_two_systems_are_not_compared(before: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = run(before.parent / "before", "naspa", name="naspa")
    revision = compared(before, other)
    assert revision.made.system
    assert not revision.in_points
    assert revision.players["change"].isna().all()
    assert revision.players["rating_old"].notna().all()
    capsys.readouterr()
    assert main(["revisions", str(before), str(other)]) == 0
    assert "A point of one is no point of the other" in capsys.readouterr().out


def test_a_corrected_date_and_a_corrected_filed_rating(before: Path, tmp_path: Path) -> None:
    filed = write(tmp_path / "filed", GAMES)
    entries = pd.read_csv(filed / "entries.csv")
    entries.loc[(entries["player"] == "Eve Vole") & (entries["event"] == "spring"), "rating"] = 1250
    entries.to_csv(filed / "entries.csv", index=False)
    revision = compared(before, run(filed))
    assert row(revision, "Eve Vole")["cause"] == parts.FILED
    assert row(revision, "Fay Ulm")["cause"] == parts.RIPPLED
    assert row(revision, "Fay Ulm")["origin"] == "spring"
    assert row(revision, "Bea Yarrow")["state"] == rev.SAME

    dated = write(tmp_path / "dated", GAMES)
    events = pd.read_csv(dated / "events.csv").replace("2024-06-01", "2024-06-15")
    events.to_csv(dated / "events.csv", index=False)
    revision = compared(before, run(dated))
    assert revision.events is not None
    summer = revision.events.set_index("event").loc["summer"]
    assert (summer["state"], summer["what"], f"{summer['date_old']:%m-%d}") == (parts.CORRECTED, parts.DATE, "06-01")


def test_runs_without_games_still_say_whose_event_it_was(before: Path, tmp_path: Path) -> None:
    """Without forecasts.csv a corrected score is seen in what was made of it: the event, and not whose."""
    after = run(changed(tmp_path, "spring", 0, ("Ada Zorn", "Bea Yarrow", 520, 380)))
    for folder in (before, after):
        (folder / "forecasts.csv").unlink()
    revision = compared(before, after)
    assert revision.games is None
    assert revision.events is not None
    spring = revision.events.set_index("event").loc["spring"]
    assert (spring["state"], spring["what"]) == (parts.CORRECTED, parts.UNSEEN)
    assert (row(revision, "Ada Zorn")["cause"], row(revision, "Ada Zorn")["own"]) == (parts.RESULTS, "")
    assert row(revision, "Cy Xu")["cause"] == parts.RIPPLED


def side(of: Replay) -> Side:
    """A run as its folder would be read."""
    ratings = of.ratings()
    kept = [c for c in ("rank", "player", "rating", "deviation", "games", "events", "last_event") if c in ratings]
    listed = ratings[kept].assign(key=ratings["player"].map(names.key))
    return Side("run", listed, DIGITS, of.changes, of.forecasts, record={"system": of.system.name, "command": "replay"})


@settings(max_examples=20)
@given(st.data(), st.booleans(), st.sampled_from([Glixo(), Naspa()]))
def test_whatever_differs_goes_back_to_the_one_game_that_was_corrected(
    data: st.DataObject, teams: bool, system: System
) -> None:
    """One spread of one event is changed: no other event is called corrected, and all changes begin there or later."""
    drawn = dated(data.draw(st.lists(sections(teams=teams, max_rounds=4), min_size=2, max_size=4)))
    places = [(i, j) for i, section in enumerate(drawn) for j in range(len(section.games))]
    assume(places)
    at, which = data.draw(st.sampled_from(places))
    games = list(drawn[at].games)
    spread = data.draw(st.integers(-350, 350).filter(lambda value: value != games[which].spread))
    games[which] = replace(games[which], spread=spread, result=outcome(spread))
    other = [*drawn[:at], replace(drawn[at], games=games), *drawn[at + 1 :]]
    one, two = (side(replay(history(*of), system)) for of in (drawn, other))
    revision = revise(one, two)
    event = f"e{at + 1}"
    assert revision.events is not None
    assert set(revision.events.loc[revision.events["state"] == parts.CORRECTED, "event"]) == {event}
    assert set(revision.events["state"]) <= {parts.CORRECTED, parts.RIPPLED, parts.SAME}
    assert revision.games is not None
    assert len(revision.games) == 1
    moved = revision.players[revision.players["state"].isin((rev.MOVED, rev.FIGURES))]
    assert set(moved["origin"]) <= {event}
    assert set(moved["cause"]) <= {parts.RESULTS, parts.RIPPLED}
    assert (moved["first_difference"] >= event).all()  # ids are in time order


# --- lists ------------------------------------------------------------------------------------------------------------


def lists(tmp_path: Path, old: str | bytes, new: str | bytes) -> tuple[Path, Path]:
    paths = tmp_path / "old.csv", tmp_path / "new.csv"
    for path, text in zip(paths, (old, new), strict=True):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return paths


def test_two_lists_as_spreadsheets_write_them(tmp_path: Path) -> None:
    """With a byte-order mark, semicolons and decimal commas, a name in another case; ranks made of the ratings."""
    old = "\ufeffName;Rating\nZorn, Ada;1700,4\nBea Yarrow;1650,0\nCy Xu;1600,0\n"
    new = "Player,Rating\nada zorn,1700\nBEA  Yarrow,1650\nCy Xu,1660\n"
    revision = compared(*lists(tmp_path, old, new))
    assert revision.unit == 1
    assert revision.computed == ("older", "newer")
    told = revision.players.set_index("player")
    assert dict(told["state"]) == {"ada zorn": rev.SAME, "BEA Yarrow": rev.RANK, "Cy Xu": rev.MOVED}
    assert list(told["change"]) == [0, 0, 60]
    assert told.loc["Cy Xu", ["rank_old", "rank_new"]].tolist() == [3, 2]
    assert told.loc["BEA Yarrow", "cause"] == rev.OTHERS
    assert told.loc["Cy Xu", "cause"] == rev.UNKNOWN


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("1716.5", "1717", True),
        ("1716.5", "1716", True),
        ("1716.4", "1717", False),
        ("1716", "1717", False),
        ("1716.49", "1716.5", True),
        ("1716.4", "1716.5", False),
    ],
)
def test_half_a_unit_of_the_last_digit_is_no_difference(tmp_path: Path, old: str, new: str, same: bool) -> None:
    revision = compared(*lists(tmp_path, f"player,rating\nAda Zorn,{old}\n", f"player,rating\nAda Zorn,{new}\n"))
    assert revision.nothing is same
    assert (revision.players["change"] == 0).all() == same


def test_lists_of_ranks_alone(tmp_path: Path) -> None:
    revision = compared(
        *lists(tmp_path, "rank,player\n1,Ada Zorn\n2,Bea Yarrow\n", "rank,player\n2,Ada Zorn\n1,Bea Yarrow\n")
    )
    assert not revision.rated
    assert set(revision.players["state"]) == {rev.RANK}
    assert revision.players["change"].isna().all()


def test_games_of_bare_lists_tell_who_may_be_joined_and_who_has_played(tmp_path: Path) -> None:
    old = (
        "player,rating,games,as_of\nDot Wells,1400,10,2024-05-01\nD. Wells,1390,4,2024-05-01\nCy Xu,1300,5,2024-05-01\n"
    )
    new = "player,rating,games,as_of\nDot Wells,1405,14,2024-06-01\nCy Xu,1310,8,2024-06-01\n"
    revision = compared(*lists(tmp_path, old, new))
    assert revision.people[["kind", "old_name", "new_name", "games", "certain"]].to_numpy().tolist() == [
        ["merged", "D. Wells", "Dot Wells", 4, 0]
    ]
    assert row(revision, "Cy Xu")["cause"] == rev.PLAYED


def test_sections_of_seedings_are_kept_apart(tmp_path: Path) -> None:
    old = "section,seed,name,rating\nA,1,Ada Zorn,1600\nB,1,Ada Zorn,1600\n"
    revision = compared(*lists(tmp_path, old, old.replace("B,1,Ada Zorn,1600", "B,1,Ada Zorn,1601")))
    assert list(revision.players["state"]) == [rev.SAME, rev.MOVED]


WRONG = {
    "a,b\n1,2\n": ("columns player (or name) and rating, or rank", "a, b"),
    "": ("columns player (or name) and rating, or rank", "nothing"),
    "player,rating\nAda Zorn,many\n": ("a number", "many"),
    "player,rating\n,1500\n": ("a player", "nothing"),
    "player,rating\nAda Zorn,1500\nzorn ADA,1500\nBea,1\n": None,
    "player,rating\nAda Zorn,1500\nBea,1\nada  zorn,1501\n": ("each player once", "ada zorn again, who is in line 2"),
}


@pytest.mark.parametrize("text", list(WRONG))
def test_a_wrong_file_is_told_with_its_line(tmp_path: Path, text: str) -> None:
    old, new = lists(tmp_path, "player,rating\nAda Zorn,1500\n", text)
    if WRONG[text] is None:  # two people, whose words stand in another order without a comma
        assert len(compared(old, new).players) == 3
        return
    with pytest.raises(InputError) as raised:
        read_sides(old, new)
    (problem,) = raised.value.problems
    assert problem.file == new.as_posix()
    assert (problem.expected, problem.found) == WRONG[text]


def test_folders_that_are_no_runs(before: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["revisions", str(before), str(tmp_path / "nowhere")]) == 1
    assert "a rating list (CSV), or a folder that" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert main(["revisions", str(tmp_path / "empty"), str(tmp_path / "nowhere")]) == 1
    told = capsys.readouterr().err
    assert "empty: error" in told
    assert "nowhere: error" in told


def test_without_manifests_how_the_two_were_made_is_not_known(before: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(before, bare)
    (bare / "manifest.json").unlink()
    revision = compared(bare, before)
    assert not revision.made.known
    assert revision.nothing
    (bare / "manifest.json").write_text("[")
    old, _ = read_sides(bare, before)
    assert old.record is None
    assert [problem.found for problem in old.told] == ["something else; taken as missing"]


def test_a_report_is_compared_with_a_replay_by_what_both_have(before: Path, tmp_path: Path) -> None:
    report = tmp_path / "report"
    assert main(["report", str(tmp_path / "before"), "--out", str(report), "--kinds", "html"]) == 0
    revision = compared(report, before)
    assert revision.nothing
    assert revision.events is not None
    assert "command" in set(revision.settings["kind"])


def test_lists_and_seedings_say_which_events_they_rest_on(tmp_path: Path) -> None:
    folders = []
    for name, events in (("old", ["spring", "summer"]), ("new", ["spring", "autumn"])):
        folders.append(tmp_path / name)
        folders[-1].mkdir()
        (folders[-1] / "list-permanent.csv").write_text("rank,player,rating\n1,Ada Zorn,60.5\n")
        rows = "".join(f"{event},{EVENTS[event]}\n" for event in events)
        (folders[-1] / "tournaments.csv").write_text("event,end_date\n" + rows)
    revision = compared(*folders)
    assert revision.events is not None
    told = revision.events[["event", "state", "late"]].astype("object").where(lambda table: table.notna(), None)
    assert told.to_numpy().tolist() == [
        ["spring", parts.IN_BOTH, None], ["summer", parts.REMOVED, None], ["autumn", parts.ADDED, False]
    ]  # fmt: skip
    assert revision.games is None


def test_files_are_written_whole_and_the_same_twice(before: Path, tmp_path: Path) -> None:
    after = run(changed(tmp_path, "spring", 0, ("Ada Zorn", "Bea Yarrow", 520, 380)))
    made = []
    for name in ("one", "two"):
        out = tmp_path / name
        assert main(["revisions", str(before), str(after), "--out", str(out), "--kinds", "html,xlsx"]) == 0
        made.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert made[0] == made[1]
    assert set(made[0]) == {"revisions.html", "revisions.csv", "events.csv", "games.csv", "people.csv", "settings.csv",
                            "manifest.json", "revisions.xlsx"}  # fmt: skip
    record = json.loads(made[0]["manifest.json"])
    assert record["command"] == "revisions"
    assert {source["name"].rpartition("/")[2] for source in record["inputs"]} == {
        "ratings.csv", "changes.csv", "forecasts.csv", "manifest.json"
    }  # fmt: skip
