"""Helpers for tests of work that several processes do: a Dask cluster on this machine, and what is left running."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent


@contextlib.contextmanager
def cluster(workers: int = 2, path: Path = TESTS) -> Iterator[str]:
    """The address of a Dask scheduler on loopback with so many workers of one thread; `path` is theirs to import from.

    Nothing of it is left running.
    """
    pytest.importorskip("distributed")
    address = f"tcp://127.0.0.1:{free_port()}"
    environment = {**os.environ, "PYTHONPATH": str(path)}
    plain = ["--host", "127.0.0.1", "--no-dashboard"]
    dask = [sys.executable, "-m", "dask"]
    commands = [[*dask, "scheduler", "--port", address.rpartition(":")[2], "--no-show", *plain]]
    started: list[subprocess.Popen] = []
    with tempfile.TemporaryDirectory() as scratch:
        worker = [*dask, "worker", address, "--nthreads", "1", "--local-directory", scratch, *plain]
        try:
            for command in [*commands, *[worker] * workers]:
                quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
                started.append(subprocess.Popen(command, env=environment, start_new_session=True, **quiet))
            yield address
        finally:
            for process in reversed(started):
                end_group(process)


def free_port() -> int:
    """A port of loopback where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def end_group(process: subprocess.Popen) -> None:
    """End a process that leads a session of its own, with all that it started there."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def still_running(session: int) -> list[str]:
    """The command lines of living processes of a session (Linux; elsewhere none is found)."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] not in "ZX":
                found.append((folder / "cmdline").read_text().replace("\0", " "))
    return found


def gone_within(session: int, seconds: float) -> list[str]:
    """As `still_running`, after waiting so long for the last one to end."""
    end = time.monotonic() + seconds
    while (found := still_running(session)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def kill_a_worker(address: str) -> int:
    """Kill a worker's process of the cluster, once two are there; its nanny starts another. Returns its number."""
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        process = next(iter(client.run(os.getpid).values()))
    os.kill(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    return process
