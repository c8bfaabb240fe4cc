"""Sample data: the sets shipped in `data/`, and histories of any size with known strengths.

`write` makes the files in `data/` from a seed (on the command line: `python -m ratinglab.sample data --seed 2012`);
`individual_circuit` and `team_circuit` make histories in memory. Every person and every result is invented.
"""

from ratinglab.sample.circuits import individual_circuit, team_circuit
from ratinglab.sample.people import person_names
from ratinglab.sample.shipped import SEED, write

__all__ = ["SEED", "individual_circuit", "person_names", "team_circuit", "write"]
