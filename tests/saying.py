"""What the tests of readers say and hear: the lines of a file, and the problems of a history as text."""

from __future__ import annotations


def lines(*texts):
    return "\n".join(texts) + "\n"


TWO = lines("Tamsin, Orla 1500 2 2; 400 350; p12 1 2", "Quill, Bram 1400 1 1; 380 350; p12 2 1")


def assert_rated_games_are_whole(history):
    """Whatever was in the files: a game that is rated was played, has a result, and two sides."""
    rated = history.games[history.games["rated"].eq(1)]
    assert rated["status"].eq("played").all()
    assert rated["result"].isin([0, 0.5, 1]).all()
    assert rated["opponent"].notna().all()


def errors(history):
    return [str(p) for p in history.problems if p.severity == "error"]


def warnings(history):
    return [str(p) for p in history.problems if p.severity == "warning"]
