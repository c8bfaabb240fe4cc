"""The commands of the command line, a module each: `add` adds its options, `run` does it.

A new command is that module and a line here. Nothing heavy is imported before a command runs, so that `--help`
answers at once.
"""

from __future__ import annotations

from ratinglab.commands import check, explain, lists, rate, replay, report, systems

COMMANDS = (check, rate, replay, explain, lists, report, systems)
