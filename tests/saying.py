"""What the tests of readers say and hear: the lines of a file, and the problems of a history as text."""

from __future__ import annotations


def lines(*texts):
    return "\n".join(texts) + "\n"


TWO = lines("Tamsin, Orla 1500 2 2; 400 350; p12 1 2", "Quill, Bram 1400 1 1; 380 350; p12 2 1")


def errors(history):
    return [str(p) for p in history.problems if p.severity == "error"]


def warnings(history):
    return [str(p) for p in history.problems if p.severity == "warning"]
