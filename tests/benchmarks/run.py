"""`make bench`: time ratinglab beside its peers in one run and print one table. Nothing here asserts.

Every figure comes from a fresh process with one thread. The peers run in an environment of their own (peers.py),
ratinglab in this one (ours.py), on the same made-up history (synthetic.py). What ours.py must offer:

- ratinglab_rows(npz_path) -> {name: {games, seconds, games_per_second, parameters (1 if left out)}}, with the names in
  `COMPARISONS`; games_per_second counts a game once for each parameter point
- ratinglab_growth() -> [{games, seconds}, …], the same replay on ever more games
- ratinglab_workers(history) -> seconds of one calibration on one and on two processes
- ratinglab_pairing(tournaments) -> seconds of so many CNSC tournaments, and of one exact matching of 50
- ratinglab_recovery(histories) -> how often 95 % intervals cover the parameters that made-up histories were made with
- the command `ours.py memory`: a grid of 1,024 points on 1,000,000 games, whose peak memory is read from outside
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# This process stays small and imports no numpy: a child's peak memory, as Linux counts it, starts from its parent's.
SIZES = {
    "full": {"players": 20_000, "events": 5_000, "games": 1_000_000},
    "small": {"players": 2_000, "events": 250, "games": 50_000},
}
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS")
ENVIRONMENT = {**os.environ, **dict.fromkeys(THREADS, "1")}
# Installed packages come compiled; our own modules must be allowed to keep their compiled form too.
ENVIRONMENT.pop("PYTHONDONTWRITEBYTECODE", None)

# Our work, the peer's, how many times the peer's rate is the target.
COMPARISONS = [
    ("elo", "riix elo", 6.0),
    ("elo", "elote elo", 25.0),
    ("glixo", "riix glicko", 10.0),
    ("naspa", "riix elo", 2.0),
    ("glicko", "riix glicko", 5.0),
    ("glicko2", "riix glicko2", 3.0),
    ("glicko2", "glicko2", 10.0),
    ("glixo grid 64", "riix glicko", 150.0),
    ("glixo grid 64 scored", "elote tuning", 100.0),
]
IMPORT_TARGET = 1.5  # times pandas
HELP_TARGET = 0.3  # seconds
DOUBLING_TARGET = 2.1  # times, for each doubling of the games
MEMORY_TARGET = 2.0  # GiB
TOURNAMENTS = {"full": 10_000, "small": 1_000}  # of 50 players and 18 games, played and paired
PAIRING_TARGETS = (1_000.0, 10.0)  # times py4swiss, and seconds for 10,000 tournaments
RECOVERED = {"full": 200, "small": 10}  # histories made with known parameters and calibrated
COVERAGE_TARGET = (0.90, 0.99)  # of the histories' 95 % intervals

NOT_MEASURED = "—"
Row = tuple[str, str, str, str, str, str, str]


def run_json(command: Sequence[str]) -> Any:
    """Run a command with one thread and return the JSON on its last line, or None, with its complaint shown."""
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode:
        complaint = done.stderr.strip().splitlines() or ["no message"]
        print(f"  not measured: {' '.join(command[1:])}: {complaint[-1]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def child(work: str, history: str) -> None:
    """Do one piece of our own work in this process and print its figures (the parent calls this as `--child`)."""
    sys.path.insert(0, str(HERE))
    import ours

    works = {
        "rows": lambda: ours.ratinglab_rows(history),
        "growth": ours.ratinglab_growth,
        "workers": lambda: ours.ratinglab_workers(history),
        "pairing": lambda: ours.ratinglab_pairing(int(history)),
        "recovery": lambda: ours.ratinglab_recovery(int(history)),
    }
    print(json.dumps(works[work]()))


def ours(work: str, history: str = "") -> Any:
    """Return the figures of `child`, from a fresh process; `history` is its path, or a number of what is to be done."""
    return run_json([sys.executable, str(HERE / "run.py"), "--child", work, history])


def peer_figures(python: str, history: str, repeat: int) -> dict[str, Any]:
    """Return the figures of every peer's work in `COMPARISONS`, each from a fresh process."""
    figures: dict[str, Any] = {}
    for name in dict.fromkeys(peer for _, peer, _ in COMPARISONS):
        command = [python, str(HERE / "peers.py"), history, "--work", name, "--repeat", str(repeat)]
        figures |= run_json(command) or {}
    return figures


def import_seconds(module: str) -> str:
    """Return the program that prints how long an import takes, in seconds."""
    return f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"


def verdict(met: bool) -> str:
    """Say whether a target is met."""
    return "met" if met else "not met"


def comparison_rows(mine: dict[str, Any], peers: dict[str, Any]) -> list[Row]:
    """Return a row for each comparison of rates, in millions of games × parameters a second."""
    rows = []
    for work, peer, target in COMPARISONS:
        rates = [figures.get(name, {}).get("games_per_second") for figures, name in ((mine, work), (peers, peer))]
        shown = [NOT_MEASURED if rate is None else f"{rate / 1e6:.2f}" for rate in rates]
        ratio = None if None in rates else rates[0] / rates[1]
        rows.append(
            (
                work,
                shown[0],
                peer,
                shown[1],
                NOT_MEASURED if ratio is None else f"{ratio:.1f} ×",
                f"≥ {target:g} ×",
                NOT_MEASURED if ratio is None else verdict(ratio >= target),
            )
        )
    return rows


def start_rows(repeat: int) -> list[Row]:
    """Return the rows for the time to import the package, beside pandas, and to print the command's help."""
    times: dict[str, list[float]] = {"ratinglab": [], "pandas": [], "help": []}
    command = str(Path(sys.executable).parent / "ratinglab")
    for number in range(repeat + 1):
        for module in ("ratinglab", "pandas"):
            seconds = run_json([sys.executable, "-c", import_seconds(module)])
            # The first round only fills the caches: the disk's, and the compiled form of each module.
            if number and seconds is not None:
                times[module].append(seconds)
        try:
            start = time.perf_counter()
            done = subprocess.run([command, "--help"], cwd=ROOT, env=ENVIRONMENT, capture_output=True)
            if number and not done.returncode:
                times["help"].append(time.perf_counter() - start)
        except FileNotFoundError:
            pass
    median = {name: statistics.median(seconds) if seconds else None for name, seconds in times.items()}
    shown = {name: NOT_MEASURED if value is None else f"{value:.3f} s" for name, value in median.items()}
    rows: list[Row] = []
    if median["ratinglab"] is None or median["pandas"] is None:
        ratio, met = NOT_MEASURED, NOT_MEASURED
    else:
        times_pandas = median["ratinglab"] / median["pandas"]
        ratio, met = f"{times_pandas:.2f} ×", verdict(times_pandas <= IMPORT_TARGET)
    rows.append(
        ("import ratinglab", shown["ratinglab"], "import pandas", shown["pandas"], ratio, f"≤ {IMPORT_TARGET:g} ×", met)
    )
    met = NOT_MEASURED if median["help"] is None else verdict(median["help"] <= HELP_TARGET)
    rows.append(("ratinglab --help", shown["help"], "", "", "", f"≤ {HELP_TARGET:g} s", met))
    return rows


def growth_rows() -> list[Row]:
    """Return a row for each doubling of the games: how many times longer the same replay takes."""
    points = ours("growth") or []
    rows: list[Row] = []
    for before, after in pairwise(points):
        # Scaled to an exact doubling, should the sizes be only nearly that.
        ratio = after["seconds"] / before["seconds"] * 2.0 * before["games"] / after["games"]
        rows.append(
            (
                f"replay of {after['games']:,} games",
                f"{after['seconds']:.3f} s",
                f"of {before['games']:,}",
                f"{before['seconds']:.3f} s",
                f"{ratio:.2f} ×",
                f"≤ {DOUBLING_TARGET:g} ×",
                verdict(ratio <= DOUBLING_TARGET),
            )
        )
    return rows


def memory_row() -> Row:
    """Return the row for the peak memory of a large grid, read when its process ends."""
    process = subprocess.Popen(
        [sys.executable, str(HERE / "ours.py"), "memory"],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    gib = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 2**30
    failed = process.returncode != 0
    return (
        "grid of 1,024, 1,000,000 games",
        NOT_MEASURED if failed else f"{gib:.2f} GiB",
        "",
        "",
        "",
        f"≤ {MEMORY_TARGET:g} GiB",
        NOT_MEASURED if failed else verdict(gib <= MEMORY_TARGET),
    )


def workers_row(history: str) -> list[Row]:
    """Return the row for a calibration on two processes beside one: as measured, without a target."""
    took = ours("workers", history)
    if took is None:
        return []
    work = f"calibrate, {took['points']} points, two workers"
    ratio = f"{took['one'] / took['two']:.2f} ×"
    return [(work, f"{took['two']:.2f} s", "one worker", f"{took['one']:.2f} s", ratio, "", "")]


def pairing_rows(python: str, tournaments: int, repeat: int) -> list[Row]:
    """Return the rows for pairing: whole tournaments beside a Dutch engine's calls alone, and one exact matching."""
    took = ours("pairing", str(tournaments))
    peers: dict[str, Any] = {}
    for name in ("py4swiss", "networkx"):
        command = [python, str(HERE / "peers.py"), "--work", name, "--repeat", str(repeat)]
        peers |= run_json(command) or {}
    if took is None:
        return []
    seconds = {"tournament": took["seconds"] / took["tournaments"], "matching": took["matching"]}
    limit = PAIRING_TARGETS[1] * took["tournaments"] / 10_000
    beside = [
        ("50 players, 18 games, cnsc", "tournament", "py4swiss", f"≥ {PAIRING_TARGETS[0]:,g} ×"),
        ("one exact matching of 50", "matching", "networkx", ""),
    ]
    rows: list[Row] = []
    for work, mine, peer, target in beside:
        theirs = peers.get(peer, {}).get("seconds")
        ratio = None if theirs is None else theirs / seconds[mine]
        met = "" if not target else NOT_MEASURED if ratio is None else verdict(ratio >= PAIRING_TARGETS[0])
        shown = [NOT_MEASURED if value is None else f"{1e3 * value:,.2f} ms" for value in (seconds[mine], theirs)]
        rows.append((work, shown[0], peer, shown[1], NOT_MEASURED if ratio is None else f"{ratio:,.0f} ×", target, met))
    met = verdict(took["seconds"] <= limit)
    whole = (f"{tournaments:,} of these tournaments", f"{took['seconds']:.2f} s", "", "", "", f"≤ {limit:g} s", met)
    return [rows[0], whole, rows[1]]


def recovery_rows(histories: int, *, judged: bool) -> list[Row]:
    """Return a row for each parameter and kind of interval: how often it covers the parameter that went in."""
    rows: list[Row] = []
    low, high = COVERAGE_TARGET
    for found in ours("recovery", str(histories)) or []:
        for kind in ("resampling", "profile"):
            share = found[kind] / found["histories"]
            row = (f"{found['parameter']} in its 95 % interval, {kind}", f"{share:.1%}", f"of {histories} histories")
            met = verdict(low <= share <= high) if judged else NOT_MEASURED
            rows.append((*row, f"bias {found['bias']:+.1%}", "", f"{low:.0%} to {high:.0%}", met))
    return rows


def print_table(heading: Row, rows: list[Row]) -> None:
    """Print rows under a heading in columns: the words to the left, the figures to the right."""
    widths = [max(len(row[column]) for row in [heading, *rows]) for column in range(len(heading))]
    for row in [heading, tuple("-" * width for width in widths), *rows]:
        cells = [
            cell.ljust(width) if column in (0, 2, 6) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
    print()


def main() -> None:
    """Make the history, time everything, print the tables."""
    parser = argparse.ArgumentParser(description="Time ratinglab beside its peers.")
    parser.add_argument("--peers", default=str(ROOT / ".bench-venv/bin/python"), help="the peers' interpreter")
    parser.add_argument("--size", choices=list(SIZES), default="full")
    parser.add_argument(
        "--repeat", type=int, default=3, help="runs of a piece of work in one process, of which the best counts"
    )
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(*arguments.child)
        return

    size = SIZES[arguments.size]
    with tempfile.TemporaryDirectory() as folder:
        history = str(Path(folder) / "history.npz")
        options = [f"--{name}={value}" for name, value in size.items()]
        subprocess.run([sys.executable, str(HERE / "synthetic.py"), history, *options], check=True)
        peers = peer_figures(arguments.peers, history, arguments.repeat)
        mine = ours("rows", history) or {}
        # Once more after ours, so that a busy moment of the machine is not held against the peers.
        for name, again in peer_figures(arguments.peers, history, arguments.repeat).items():
            peers[name] = max(peers.get(name, again), again, key=lambda figures: figures["games_per_second"])
        workers = workers_row(history)
    pairing = pairing_rows(arguments.peers, TOURNAMENTS[arguments.size], arguments.repeat)

    counts = ", ".join(f"{number:,} {name}" for name, number in size.items())
    print(f"{counts}; one thread, the best of several runs\n")
    rows = comparison_rows(mine, peers)
    print_table(("work", "millions/s", "peer", "millions/s", "ratio", "target", ""), rows)
    print("millions/s: millions of games × parameter points a second. The scored grid is set beside elote's own grid")
    print("search over walk-forward runs, which scores each forecast as it goes.")
    for name, figures in peers.items():
        if figures["games"] < size["games"]:
            print(f"{name}: timed on the first {figures['games']:,} games only, its rate taken for that of the whole.")
    print()
    rows = start_rows(max(arguments.repeat, 7))
    full = arguments.size == "full"
    if full:
        rows += [*growth_rows(), memory_row()]
    rows += [*workers, *pairing, *recovery_rows(RECOVERED[arguments.size], judged=full)]
    print_table(("work", "ours", "beside", "its figure", "ratio", "target", ""), rows)
    print(
        "Pairing: ours is whole tournaments, fields drawn, games paired and played; py4swiss' is its pairing alone, of"
    )
    print("the Dutch rules. Our matching is timed with making its graph, networkx's without.")
    print("Whether all of it is right is another program: tests/pairing/campaign.py, 10,000 made-up events a system.")
    if not full:
        print("Growth and peak memory are measured, and intervals judged, in a full run only (make bench).")


if __name__ == "__main__":
    main()
