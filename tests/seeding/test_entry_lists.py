"""Entry lists: every odd case named where it stands, nobody lost, and what may and may not change a seeding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from making import Game, Member, Section
from making import history as history_of

from ratinglab import schema
from ratinglab.formats import load
from ratinglab.history import History
from ratinglab.problems import InputError, UsageError
from ratinglab.seeding.choice import Rule
from ratinglab.seeding.entry_lists import Entered, entered
from ratinglab.seeding.making import make_seeding
from ratinglab.systems import parse


def written(folder: Path, text: str, name: str = "spring.csv") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def listed(folder: Path, header: str, *rows: str, history: History | None = None, **options: str) -> Entered:
    path = written(folder, "\n".join([header, *rows]) + "\n")
    return entered(history, entries=path, **{"date": "2012-05-12", **options})


def told(one: Entered) -> list[str]:
    return [f"{problem.line} {problem.severity}: {problem.expected}; {problem.found}" for problem in one.problems]


def past(*names: str) -> History:
    """One event in which these people met, the first two in a game."""
    section = Section([[Member(name)] for name in names], [Game(1, 0, 1, 90, 1.0)], 1, date="2012-01-01")
    return history_of(section)


TEAMS = "team,player,school,grade,rating,deviation,as_of,local_rating,local_as_of,withdrawn"


@pytest.mark.parametrize(
    ("rows", "line", "words"),
    [
        (["A,Ann Q,X,7,,,,,,", "A,Ann Q,X,7,,,,,,"], 3, "warning: each person once; Ann Q again, after line 2"),
        (["A,Ann Q,X,7,,,,,,", "B,Ann Q,X,7,,,,,,"], 3, "error: one team for each player; Ann Q in team B, and"),
        (["A,Ann Q,X,7,,,,,,", "B,ann  q,Y,7,,,,,,"], 3, "of Y, and of X on line 2; the later is ann q (Y)"),
        (["A,Ann Q,X,7,,,,,,", "B,Bea R,X,,,,,,,"], 3, "warning: the grade of Bea R; none"),
        (["A,Ann Q,X,7,,,,,,", "B,Bea R,,7,,,,,,"], 3, "warning: the school of Bea R; none; who meets whom"),
        (["A,Ann Q,Heron,7,,,,,,", "B,Bea R,Heron,7,,,,,,", "C,Cid S,Herron,7,,,,,,"], 4, "Herron and Heron, which"),
        (["A,Ann Q,X,7,99999,,,,,"], 2, "error: rating: a number from -1000 to 4000, for Ann Q; 99999; the"),
        (["A,Ann Q,X,7,,,,-5000,,"], 2, "error: local_rating: a number from"),
        (["A,Ann Q,X,7,1500,4000,,,,"], 2, "error: the deviation of rating: above 0, at most 1000"),
        (["A,Ann Q,X,7,1500,-3,,,,"], 2, "error: deviation: a number above 0"),
        (["A,Ann Q,X,7,1500,30,2012-06-01,,,"], 2, "up to the event’s, 2012-05-12, for Ann Q; 2012-06-01"),
        (["A,Ann Q,X,7,,,,1500,2013-01-01,"], 2, "error: local_rating of a day up to the event’s"),
        (["A,Ann Q,X,7,,,,,2012-01-01,"], 2, "warning: local_rating with as_of; none"),
        (["A,Ann Q,X,7,many,,,,,"], 2, "error: rating: a number; 'many'"),
        (["A,Ann Q,X,7,,,,some,,"], 2, "error: local_rating: a number; 'some'"),
        ([f"A,{name},X,7,,,,,," for name in ("Ann Q", "Bea R", "Cid S")], 4, "a team of one or two"),
        (["A,Ann Q,X,7,,,,,,", ",Bea R,X,7,,,,,,"], 3, "a team of Bea R, as the others have; none; seeded alone"),
        (["A,Ann Q,X,7,,,,,,", ",,,,,,,,,", "", "B,Bea R,X,7,,,,,,"], 3, "an entry on each line; nothing on lines 3"),
        (["Heron A,Ann Q,X,7,,,,,,", "heron a,Bea R,X,7,,,,,,"], 3, "one spelling of the team Heron A; heron a"),
        (["A,Ann Q,X,7,,,,,,", "A,,X,7,,,,,,"], 3, "warning: a name of each member; none; this one is called A/2"),
        (["A,Ann Quillon,X,7,,,,,,", "B,Ann Quilon,X,7,,,,,,"], 3, "may be Ann Quillon, in this list"),
    ],
)  # fmt: skip
def test_each_odd_case_is_named_where_it_stands(tmp_path: Path, rows: Sequence[str], line: int, words: str) -> None:
    one = listed(tmp_path, TEAMS, *rows)
    found = [text for text in told(one) if text.startswith(f"{line} ") and words in text]
    assert len(found) == 1, told(one)
    entrants = [row for row in rows if row.strip(",")]
    again = "once" in words
    assert len(one.history.entries) == len(entrants) - again  # nobody is lost
    assert make_seeding(one, parse("glixo")).people == len(entrants) - again


def test_an_orderly_list_has_nothing_odd(tmp_path: Path) -> None:
    rows = ["A,Ann Q,X,7,1500,40,2012-01-01,,,", "A,Bea R,X,6,1400,40,2012-05-12,,,no", "B,Cid S,Y,8,0,,,,,"]
    one = listed(tmp_path, TEAMS, *rows)
    assert told(one) == []
    assert one.withdrawn == ()
    assert len(one.zero) == 1


def test_members_without_a_name_are_like_nobody(tmp_path: Path) -> None:
    """TSH files often name the teams alone; Heron A/1 is not Heron B/1 with a slip."""
    one = listed(tmp_path, "team", "Heron A", "Heron A", "Heron B", "Heron B", history=past("Heron C/1", "Bea"))
    assert [text.partition(";")[0] for text in told(one)] == [
        f"{line} warning: a name of each member" for line in (2, 3, 4, 5)
    ]
    assert make_seeding(one, parse("glixo")).seeding["note"].str.startswith("unrated (no rating filed").all()


def test_who_is_known_is_found_and_who_may_be_is_told(tmp_path: Path) -> None:
    before = past("Quillon, Ann", "Bea Marlock")
    one = listed(tmp_path, "player,school", "Ann Quillon,X", "Bea Marlok,X", "Cid Tarn,X", history=before)
    assert [text.partition(" ")[2] for text in told(one)] == [
        "warning: a name that is known, or new: Bea Marlok; may be Bea Marlock, in the history"
    ]
    table = make_seeding(one, parse("glixo")).seeding.set_index("name")
    assert table.loc["Quillon, Ann", "rating_source"] == "glixo replay"
    assert table.loc["Quillon, Ann", "rating"] > 1500
    assert "no rating filed, no rated game" in table.loc["Bea Marlok", "note"]


def test_another_school_than_before_is_told(tmp_path: Path) -> None:
    before = past("Ann Quillon", "Bea Marlock")
    before = History(**{**before.tables(), "entries": before.entries.assign(school=["Heron", "Wren"])})
    one = listed(tmp_path, "player,school", "Ann Quillon,Heron", "Bea Marlock,Alder", history=before)
    assert told(one) == [
        "3 warning: Bea Marlock at Wren, as last entered; Alder; may be another person of this name, or may have moved"
    ]


def test_an_event_known_to_the_history_lends_its_name_and_day(tmp_path: Path) -> None:
    before = past("Ann Quillon", "Bea Marlock")
    awaited = pd.DataFrame({"event": ["spring"], "name": ["The Spring Open"], "date": [pd.Timestamp("2012-04-01")]})
    events = pd.concat([before.events, schema.conform("events", awaited)], ignore_index=True)
    one = listed(tmp_path, "player", "Cid Tarn", "Ann Quillon", history=History(**before.tables() | {"events": events}))
    made = make_seeding(one, parse("glixo"))
    assert (made.event, made.name, made.date) == ("spring", "The Spring Open", pd.Timestamp("2012-04-01"))
    assert made.rests["event"].tolist() == ["e1"]


def test_the_results_of_the_event_itself_and_of_later_ones_do_not_count(tmp_path: Path) -> None:
    """Of three events the second is seeded as if it had not begun."""
    sections = [
        Section([[Member("Ann")], [Member("Bea")]], [Game(1, 0, 1, spread, 1.0)], 1, date=f"2012-0{month}-01")
        for month, spread in ((1, 50), (2, 300), (3, 300))
    ]
    one = entered(history_of(*sections), "e2")
    assert one.notices == ("e2 has been played: its results are left out of account",)
    table = make_seeding(one, parse("glixo")).seeding
    alone = make_seeding(entered(history_of(sections[0], Section(sections[1].units, [], 1, date="2012-02-01")), "e2"),
                         parse("glixo")).seeding  # fmt: skip
    pd.testing.assert_frame_equal(table, alone)


def test_withdrawn_people_are_named_and_not_seeded(tmp_path: Path) -> None:
    one = listed(tmp_path, TEAMS, "A,Ann Q,X,7,1700,30,,,,", "A,Bea R,X,7,1300,40,,,,yes")
    assert one.withdrawn == ("Bea R",)
    table = make_seeding(one, parse("glixo")).seeding
    assert table[["members", "rating", "deviation"]].to_numpy().tolist() == [["Ann Q", 1700, 30]]
    with pytest.raises(UsageError, match="have withdrawn"):
        listed(tmp_path, TEAMS, "A,Ann Q,X,7,1700,30,,,,yes")


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("player,rating\n", InputError, "entries of spring; none"),
        ("event,player\nx,Ann\ny,Bea\n", UsageError, "--event names one of x, y"),
        ("", InputError, "an empty file"),
        ("colour,size\nred,3\n", InputError, "a file in a known format"),
    ],
)
def test_lists_that_cannot_be_read(tmp_path: Path, text: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as caught:
        entered(None, entries=written(tmp_path, text))
    assert said in str(caught.value).replace("; found", ";").replace("expected ", "")


def test_which_event_is_asked_for_where_none_or_several_are_unplayed() -> None:
    played = past("Ann", "Bea")
    with pytest.raises(UsageError, match="--entries FILE"):
        entered(played)
    two = history_of(*[Section([[Member("Ann")], [Member("Bea")]], [], 1, date=f"2012-0{m}-01") for m in (1, 2)])
    with pytest.raises(UsageError, match="e1, e2"):
        entered(two)


def test_native_folders_give_further_ratings_too(tmp_path: Path) -> None:
    written(tmp_path, "event,name,date\nspring,Spring,2012-05-12\n", "events.csv")
    header = "event,player,rating,rating_kind,national_rating,national_as_of,national_games\n"
    written(tmp_path, f"{header}spring,Ann,1500,local,1600,2012-01-01,30\nspring,Bea,0,,,,\n", "entries.csv")
    one = entered(load(tmp_path))
    assert told(one) == []
    assert one.beside[["kind", "rating", "games"]].to_numpy().tolist() == [["national", 1600, 30]]
    made = make_seeding(one, parse("elo"), rule=Rule("established-and-higher"))
    assert made.seeding["rating"].tolist() == [1600, 1500]  # Bea is unrated and stands at elo's initial rating
    assert "0 filed, which says unrated" in made.seeding["note"].iloc[1]


def test_national_ratings_of_those_rated_elsewhere_only_are_brought_to_the_scale(tmp_path: Path) -> None:
    """40 people on both lists, national = local + 100 to the point: 1500 there is 1400 here."""
    rows = [f"Person {chr(97 + i // 26)}{chr(97 + i % 26)} Vale,{1200 + 10 * i},{1300 + 10 * i}" for i in range(40)]
    header = "player,local_rating,national_rating"
    one = listed(tmp_path, header, *rows, "Zed Alone,,1500", "Zoe Beyond,,2300")
    made = make_seeding(one, parse("glixo"), convert="national:local")
    table = made.choices.set_index("player")
    zed = table.loc["Zed Alone"]
    assert zed["kind"].tolist() == ["national, converted", "national"]
    assert zed["rating"].tolist() == [pytest.approx(1400, abs=1e-6), 1500]
    assert zed["taken"].tolist() == [1, 0]
    beyond = made.seeding.set_index("name").loc["Zoe Beyond"]
    assert beyond["rating"] == 2300  # outside the range nothing is converted
    assert "rated elsewhere only" in beyond["note"]
    with pytest.raises(UsageError, match="--convert is national:"):
        make_seeding(one, parse("glixo"), convert="local:national")
    with pytest.raises(UsageError, match="no results to be replayed"):
        make_seeding(one, parse("glixo"), convert="national:replay")


def test_a_system_that_looks_back_seeds_nothing(tmp_path: Path) -> None:
    one = listed(tmp_path, "player", "Ann", "Bea", history=past("Ann", "Bea"))
    with pytest.raises(UsageError, match="knows the results of the whole history"):
        make_seeding(one, parse("bradley-terry"))


# --- what may and may not change a seeding ----------------------------------------------------------------------------

RATINGS = st.lists(st.sampled_from([1200, 1350, 1400, 1400.5, 1500, 1600]), min_size=2, max_size=12)


@settings(max_examples=6, deadline=None)
@drawn(RATINGS, st.randoms(use_true_random=False), st.integers(0, 99))
def test_neither_the_order_of_rows_nor_names_decide(tmp_path_factory, ratings, chance, seed) -> None:
    """Rows in another order: the same seeding. Other names for the same people: the same, but for lots among equals."""
    folder = tmp_path_factory.mktemp("lists")
    names = [f"Entrant {chr(97 + i)} Vale" for i in range(len(ratings))]
    other_names = [f"Person {chr(122 - i)} Thorne" for i in range(len(ratings))]

    def seeding(people: Sequence[str], order: Sequence[int]) -> pd.DataFrame:
        rows = [f"{people[i]},{ratings[i]},40" for i in order]
        return make_seeding(listed(folder, "player,rating,deviation", *rows), parse("glixo"), seed=seed).seeding

    order = list(range(len(ratings)))
    one = seeding(names, order)
    chance.shuffle(order)
    pd.testing.assert_frame_equal(seeding(names, order), one)
    renamed = seeding(other_names, order)
    columns = ["seed", "rating", "deviation", "p_above_next", "note"]
    pd.testing.assert_frame_equal(renamed[columns], one[columns])
    back = dict(zip(other_names, names, strict=True))
    alone = ~one["rating"].duplicated(keep=False)
    assert renamed["name"].map(back)[alone].tolist() == one["name"][alone].tolist()


def test_lots_favour_neither_the_alphabet_nor_the_file(tmp_path: Path) -> None:
    """Over 400 seeds each of eight equals is first about 50 times (± 6.6), and one lot tells nothing of another."""
    one = listed(tmp_path, "player", *[f"Entrant {letter} Vale" for letter in "abcdefgh"])
    lots = [one.drawn(seed) for seed in range(400)]
    first = pd.Series([min(of, key=of.get) for of in lots]).value_counts()
    assert len(first) == 8
    assert first.between(50 - 5 * 6.6, 50 + 5 * 6.6).all()
    ranks = np.array([np.argsort(np.argsort(list(of.values()))) for of in lots])
    assert abs(np.corrcoef(ranks[:, 0], ranks[:, 1])[0, 1]) < 0.4


def test_a_lot_does_not_depend_on_who_else_is_entered(tmp_path: Path) -> None:
    few = listed(tmp_path, "player", "Ann", "Bea").drawn(3)
    more = listed(tmp_path, "player", "Ann", "Cid", "Bea").drawn(3)
    assert {name: more[name] for name in few} == few
