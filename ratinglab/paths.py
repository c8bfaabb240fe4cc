"""Where the project's own files are, when the package runs from a checkout."""

from __future__ import annotations

from pathlib import Path

from ratinglab.problems import UsageError

# The folders of the sample data that a report is about unless told otherwise.
CIRCUITS = ("school-circuit", "open-circuit")


def sample_data(*names: str) -> list[Path]:
    """The sample data of these names, the two Scrabble circuits by default.

    They are those of the checkout the package runs from, else those under `data` where one stands. Raises `UsageError`
    where there are none.
    """
    for root in (Path(__file__).resolve().parent.parent / "data", Path("data")):
        found = [root / name for name in names or CIRCUITS if (root / name).is_dir()]
        if found:
            return [path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path for path in found]
    raise UsageError(
        "no PATH given, and no sample data here: name event files or folders, or make the sample data with "
        "`python -m ratinglab.sample data`"
    )
