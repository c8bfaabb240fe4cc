"""The commands of the command line, a module each: `add` adds its options, `run` does it.

A new command is that module and a line here. Nothing heavy is imported before a command runs, so that `--help`
answers at once.
"""

from __future__ import annotations

from ratinglab.commands import (
    backtest,
    calibrate,
    card,
    check,
    compare,
    convert,
    explain,
    lists,
    pair,
    propose,
    qualify,
    rate,
    replay,
    report,
    revisions,
    sections,
    seed,
    simulate,
    standings,
    systems,
)

COMMANDS = (
    check,
    rate,
    replay,
    explain,
    calibrate,
    compare,
    backtest,
    propose,
    lists,
    card,
    seed,
    sections,
    qualify,
    convert,
    standings,
    pair,
    simulate,
    report,
    revisions,
    systems,
)
