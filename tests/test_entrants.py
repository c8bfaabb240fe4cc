"""What the tables say of who plays."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ratinglab.history import Parsed, assemble
from ratinglab.scheduling import schedule


@pytest.mark.parametrize(
    ("written", "grade"),
    [
        *[("7", 7), ("07", 7), ("7th", 7), ("3rd Grade", 3), ("Grade 7", 7), ("gr. 7", 7), ("K", 0)],
        *[("kindergarten", 0), ("Pre-K", np.nan), ("2024", np.nan), ("7thish", np.nan), (None, np.nan)],
    ],
)
def test_grades(written: str | None, grade: float) -> None:
    entries = [{"event": "e1", "section": "main", "player": "Ada", "grade": written}]
    tables = {"events": pd.DataFrame([{"event": "e1"}]), "entries": pd.DataFrame(entries)}
    np.testing.assert_array_equal(schedule(assemble([Parsed(tables)])).whole.grade, [grade])
