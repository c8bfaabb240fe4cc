"""The command line: what is asked for, in words; the work is done by the functions of the package.

Exit status: 0; 1 where `check` found errors, or where input cannot be read or output not written; 2 for wrong usage.
Nothing heavy is imported before a command runs, so that `--help` answers at once.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from importlib import metadata

from ratinglab.commands import COMMANDS
from ratinglab.commands.doing import tell
from ratinglab.output import require_writable
from ratinglab.problems import InputError, UsageError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        print("ratinglab: stopped; files already written are whole", file=sys.stderr)
        return 130
    finally:
        if arguments is None:  # called by the console: while Python ends there is nothing left for Ctrl-C to stop
            signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run(arguments: Sequence[str] | None) -> int:
    options = _parser().parse_args(arguments)
    try:
        if getattr(options, "out", None) is not None:
            require_writable(options.out)
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except InputError as error:
        tell(error.problems)
        print("ratinglab: nothing could be read", file=sys.stderr)
        return 1
    except UsageError as error:
        print(f"ratinglab {options.command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of a pipe has seen enough; keep Python from complaining at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"ratinglab {options.command}: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ratinglab",
        description="A workbench for ratings committees: replay event files through rating systems, and report.",
        epilog="Start with `ratinglab check PATH` on your own event files, or `ratinglab report` on the sample data.",
    )
    parser.add_argument("--version", action="version", version=f"ratinglab {metadata.version('ratinglab')}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser
