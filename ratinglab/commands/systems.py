"""`ratinglab systems`: the rating systems, and what parameters one has."""

from __future__ import annotations

import argparse

from ratinglab.commands.options import Commands, command


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = command(
        commands,
        "systems",
        run,
        "the rating systems, and the parameters of one of them",
        "Without NAME, every rating system with its formula in a line. With NAME, what it says of itself and of its "
        "parameters, and their values unless set otherwise.",
        "ratinglab systems\n  ratinglab systems naspa\n  ratinglab systems uscf:rules=current",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="a system, with parameters as in naspa:acceleration=0")


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ratinglab.systems import PRESETS, SYSTEMS, parse
    from ratinglab.systems.base import short

    if options.name is None:
        width = max(map(len, [*SYSTEMS, *PRESETS]))
        for name, kind in SYSTEMS.items():
            print(f"{name.ljust(width)}  {kind.formula()}")
        for name, (kind, given) in PRESETS.items():
            told = ",".join(f"{key}={short(value)}" for key, value in given.items())
            print(f"{name.ljust(width)}  {kind.name}:{told}")
        return 0
    system = parse(options.name)
    print(f"{system.name}\n\n{_told(type(system))}\n")
    print(f"Parameters, set with --set or after a colon ({system.name}:key=value):\n")
    parameters = system.parameters()
    width = max(map(len, parameters), default=0)
    for name, value in parameters.items():
        word = {True: "on", False: "off", "": "(none)"}.get(value) if isinstance(value, (bool, str)) else None
        print(f"  {name.ljust(width)}  {word or short(value)}")
    return 0


def _told(kind: type) -> str:
    """What a system, or the one it varies, says of itself, without examples in Python."""
    import inspect

    parts = []
    for base in kind.__mro__:
        if base.__name__ == "System":
            break
        text = inspect.cleandoc(base.__doc__ or "").partition("\n>>>")[0].rstrip()
        parts.append(text if base is kind else f"As a variety of {getattr(base, 'name', '')}:\n\n{text}")
    return "\n\n".join(parts)
