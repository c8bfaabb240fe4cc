"""Independent tasks: one after the other, on several processes of this machine, or on a Dask cluster.

A task is a plain function of what all tasks share (a schedule, say) and of an item of its own, which carries its seed
if chance plays in it. What it returns does not depend on who runs it: results come in the order of the items, linear
algebra runs on one thread everywhere, and arrays lie in memory alike, since sums in another order differ in their last
digits. A worker that is lost costs time: what it had not returned is done again.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import pickle
import queue
import shutil
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from ratinglab.output import uninterrupted
from ratinglab.problems import UsageError

Shared = TypeVar("Shared")
Item = TypeVar("Item")
Result = TypeVar("Result")
# Called with (tasks done so far, tasks in all).
Progress = Callable[[int, int], None]
# Does the items that wait, by their place: yields (place, result) as they come, raises `_Lost` where workers were.
_Found: TypeAlias = Generator[tuple[int, Any], None, None]
_Attempt: TypeAlias = Callable[[Mapping[int, Any]], _Found]

LOST = 3  # times in a row that workers may be lost without a single result between
CONNECT = 10.0  # seconds to wait for a scheduler to answer, and for a first worker
PAUSE = 10.0  # seconds without a result after which it is asked whether there are workers at all
_AGAIN = "workers were lost again and again (out of memory?)"
# Packages whose version can change a result, which must be the same on a cluster's workers as here.
_SAME = ("ratinglab", "numpy", "scipy", "pandas")


@dataclass(frozen=True)
class Workers:
    """Who runs tasks: `count` processes of this machine (1: this one), or the Dask cluster at the address `scheduler`.

    Processes pay off for long work: starting them, and handing them a history, takes a second or two. They wait for
    more work until this process ends, or five minutes. The workers of a cluster need the same versions of ratinglab,
    numpy, scipy and pandas, and for the same last digits processors of the same kind.
    """

    count: int = 1
    scheduler: str | None = None

    def __post_init__(self) -> None:
        """At least one."""
        if self.count < 1:
            raise UsageError(f"the number of workers is 1 or more; found {self.count}")


HERE = Workers()


class _Lost(Exception):
    """Workers were lost, and with them what they were at."""


def seeds(seed: int, count: int) -> list[np.random.SeedSequence]:
    """A seed of its own for each of `count` tasks; the first ones are the same whatever the count."""
    return np.random.SeedSequence(seed).spawn(count)


def run(
    task: Callable[[Shared, Item], Result],
    items: Sequence[Item],
    shared: Shared,
    workers: Workers = HERE,
    progress: Progress | None = None,
) -> list[Result]:
    """`task(shared, item)` of every item, in their order.

    `task` is a function of a module, so that other processes find it. What it raises is raised here. Raises
    `UsageError` where no cluster answers at the address, its workers have other versions, or workers are lost again
    and again.

    >>> run(pow, [1, 2, 3], 2)
    [2, 4, 8]
    """
    waiting, results, lost = dict(enumerate(items)), {}, 0
    with ExitStack() as stack:
        if workers.scheduler is not None:
            attempt = _on_cluster(task, shared, workers.scheduler, stack)
        elif workers.count > 1 and len(items) > 1:
            attempt = _on_processes(task, shared, min(workers.count, len(items)), stack)
        else:
            attempt = _here(task, shared, stack)
        while waiting:
            try:
                with closing(attempt(dict(waiting))) as found:
                    for place, result in found:
                        del waiting[place]
                        results[place] = result
                        lost = 0
                        if progress is not None:
                            progress(len(results), len(items))
            except _Lost as error:
                lost += 1
                if lost == LOST:
                    raise UsageError(f"{_AGAIN}: try fewer, or --workers 1") from error
    return [results[place] for place in range(len(items))]


def _here(task: Callable[[Shared, Any], Any], shared: Shared, stack: ExitStack) -> _Attempt:
    """The tasks one after the other, in this process."""
    stack.enter_context(_one_thread())
    shared = _as_sent(shared)

    def attempt(waiting: Mapping[int, Any]) -> _Found:
        yield from ((place, _as_sent(task(shared, _as_sent(item)))) for place, item in waiting.items())

    return attempt


def _as_sent(content: Any) -> Any:
    """The content as another process would have it: a column of a table lies in one piece there, and adds up otherwise.

    Arrays in one piece are not copied.
    """
    pieces: list[pickle.PickleBuffer] = []
    packed = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL, buffer_callback=pieces.append)
    return pickle.loads(packed, buffers=pieces)


def _one_thread() -> contextlib.AbstractContextManager[Any]:
    """Linear algebra on one thread from now on; as a context, until its end."""
    import scipy.linalg  # noqa: F401  it brings a library of its own, which must be there to be limited
    from threadpoolctl import threadpool_limits

    limited: contextlib.AbstractContextManager[Any] = threadpool_limits(1)
    return limited


# --- processes of this machine ----------------------------------------------------------------------------------------


def _on_processes(task: Callable[[Any, Any], Any], shared: Any, count: int, stack: ExitStack) -> _Attempt:
    from joblib import Parallel, delayed

    with uninterrupted():
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix=_prefix(os.getpid())))
    path = Path(folder) / "shared"
    with path.open("wb") as file:
        pickle.dump(shared, file, protocol=pickle.HIGHEST_PROTOCOL)
    # joblib lets a worker go whose memory has grown, and another one takes its place; what is called off is called off
    stack.enter_context(warnings.catch_warnings())
    warnings.filterwarnings(
        "ignore", message="A worker stopped while some jobs|.*tasks which were still being processed"
    )

    def attempt(waiting: Mapping[int, Any]) -> _Found:
        calls = [delayed(_from_file)(task, str(path), os.getpid(), *pair) for pair in waiting.items()]
        # items are handed over as they are: an array of a mapped file would be another type of array
        pool = Parallel(
            count,
            backend="loky",
            batch_size=1,
            pre_dispatch="2*n_jobs",
            max_nbytes=None,
            return_as="generator_unordered",
        )
        try:
            with ExitStack() as opened:
                with _deaf_children():
                    found = pool(calls)
                    opened.callback(found.close)
                yield from found
        except BrokenProcessPool as error:
            raise _Lost from error

    return attempt


def _from_file(task: Callable[[Any, Any], Any], path: str, parent: int, place: int, item: Any) -> tuple[int, Any]:
    _follow(parent)
    _one_thread()
    return place, task(_unpacked(path), item)


@lru_cache(maxsize=1)
def _unpacked(where: str | bytes) -> Any:
    """What tasks share, from a file or from what a cluster was given, unpacked once in each process for each run."""
    if isinstance(where, bytes):
        return pickle.loads(where)
    with open(where, "rb") as file:
        return pickle.load(file)


def _prefix(parent: int) -> str:
    return f"ratinglab-{parent}-"


@lru_cache(maxsize=1)
def _follow(parent: int) -> None:
    """Have this process end when the one that started it does, even if that one was killed and could not tell."""
    if os.name == "posix":
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    for folder in Path(tempfile.gettempdir()).glob(f"{_prefix(parent)}*"):
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


@contextlib.contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes that are started in the block do not hear Ctrl-C: this one stops them, without a word from each.

    This one hears it when the block is done: a process half started would complain.
    """
    with uninterrupted():
        if not hasattr(signal, "pthread_sigmask"):
            yield
            return
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # or the first process started would start it, which opens the ears again
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Nothing is collected as garbage in the block.

    A client that never found its scheduler closes itself when it is collected; where that happens while another one is
    starting, both wait for one lock for ever.
    """
    gc.collect()
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


# --- a cluster --------------------------------------------------------------------------------------------------------


def _on_cluster(task: Callable[[Any, Any], Any], shared: Any, address: str, stack: ExitStack) -> _Attempt:
    try:
        from distributed import Client
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise UsageError("a cluster needs Dask: install it with `pip install dask distributed`") from None
    stack.enter_context(_silent("distributed", "tornado", "asyncio"))
    try:
        # warnings of versions: those that matter are compared with each task
        with warnings.catch_warnings(action="ignore"), _uncollected():
            client = stack.enter_context(Client(address, timeout=CONNECT, set_as_default=False))
    except (OSError, ValueError) as error:
        raise UsageError(f"no Dask scheduler answers at {address}: {error}") from None

    def attempt(waiting: Mapping[int, Any]) -> _Found:
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        try:
            client.wait_for_workers(1, timeout=CONNECT)
            # every worker has a copy, so that losing one loses no input
            copied = client.scatter(_packed(shared), broadcast=True, hash=False)
        except (OSError, RuntimeError, CancelledError) as error:
            told = f"no worker answers at the Dask scheduler {address} (start some with `dask worker {address}`)"
            raise UsageError(f"{told}: {error}") from None
        futures = {}
        for place, item in waiting.items():
            future = client.submit(_on_worker, task, _versions(), copied, _packed((place, item)), pure=False)
            future.add_done_callback(done.put)
            futures[future.key] = future
        try:
            while futures:
                yield _result(futures.pop(_next(done, client).key))
        except KilledWorker:
            raise UsageError(f"{_AGAIN} at {address}") from None
        finally:
            client.cancel(list(futures.values()))

    return attempt


def _next(done: queue.SimpleQueue[Any], client: Any) -> Any:
    """The next future that is done; raises `_Lost` where nobody is there to do one."""
    while True:
        try:
            return done.get(timeout=PAUSE)
        except queue.Empty:
            if not client.nthreads():
                raise _Lost from None


def _result(future: Any) -> tuple[int, Any]:
    try:
        packed = future.result()
    except CancelledError as error:  # what it needed was lost with the last worker that had it
        raise _Lost from error
    except (ModuleNotFoundError, RuntimeError) as error:
        missing = error if isinstance(error, ModuleNotFoundError) else error.__cause__
        if not isinstance(missing, ModuleNotFoundError):
            raise
        raise UsageError(f"the cluster cannot import what the work needs: {missing}; {_needed()}") from error
    place, result = pickle.loads(packed)
    return place, result


def _on_worker(task: Callable[[Any, Any], Any], versions: Mapping[str, str], shared: bytes, placed: bytes) -> bytes:
    if versions != _versions():
        found = ", ".join(f"{name} {version}" for name, version in _versions().items())
        raise UsageError(f"a worker of the cluster has {found}; {_needed(versions)}")
    _one_thread()
    place, item = pickle.loads(placed)
    return _packed((place, task(_unpacked(shared), item)))


def _packed(content: Any) -> bytes:
    """As bytes: Dask would hand arrays over at odd addresses, of which linear algebra makes other last digits."""
    return pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)


@lru_cache(maxsize=1)
def _versions() -> Mapping[str, str]:
    return {name: metadata.version(name) for name in _SAME}


def _needed(versions: Mapping[str, str] | None = None) -> str:
    wanted = ", ".join(f"{name} {version}" for name, version in (versions or _versions()).items())
    return f"the same results need the same versions as here: {wanted}"


@contextlib.contextmanager
def _silent(*packages: str) -> Iterator[None]:
    """Nothing that these packages log is shown: what matters is raised here, in a sentence."""
    loggers = [logging.getLogger(name) for name in packages]
    for name, logger in logging.root.manager.loggerDict.items():
        if name.partition(".")[0] in packages and isinstance(logger, logging.Logger):
            loggers.append(logger)
    before = {logger: logger.level for logger in loggers}
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, level in before.items():
            logger.setLevel(level)
