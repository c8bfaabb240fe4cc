"""Independent tasks: one after the other, on several processes of this machine, or on a Dask cluster.

A task is a plain function of what all tasks share (a schedule, say) and of an item of its own, which carries its seed
if chance plays in it. What it returns does not depend on who runs it: results come in the order of the items, and
linear algebra runs on one thread everywhere, since sums in another order differ in their last digits. A worker that is
lost costs time: what it had not returned is done again.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ratinglab.problems import UsageError

Shared = TypeVar("Shared")
Item = TypeVar("Item")
Result = TypeVar("Result")
# Called with (tasks done so far, tasks in all).
Progress = Callable[[int, int], None]

LOST = 3  # times in a row that workers may be lost without a single result between


@dataclass(frozen=True)
class Workers:
    """Who runs tasks: `count` processes of this machine (1: this one), or the Dask cluster at the address `scheduler`.

    Processes pay off for long work: starting them, and handing them a history, takes a second or two.
    """

    count: int = 1
    scheduler: str | None = None

    def __post_init__(self) -> None:
        """At least one."""
        if self.count < 1:
            raise UsageError(f"the number of workers is 1 or more; found {self.count}")


HERE = Workers()


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
    `UsageError` where no cluster answers at the address, and `RuntimeError` where workers are lost again and again.

    >>> run(pow, [1, 2, 3], 2)
    [2, 4, 8]
    """
    results: dict[int, Result] = {}
    with ExitStack() as stack:
        if workers.scheduler is not None:
            found = _on_cluster(task, items, shared, workers.scheduler, stack)
        elif workers.count > 1 and len(items) > 1:
            found = _on_processes(task, items, shared, min(workers.count, len(items)), stack)
        else:
            found = ((i, _alone(task, shared, item)) for i, item in enumerate(items))
        for i, result in found:
            results[i] = result
            if progress is not None:
                progress(len(results), len(items))
    return [results[i] for i in range(len(items))]


def _alone(task: Callable[[Shared, Item], Result], shared: Shared, item: Item) -> Result:
    """The task, its linear algebra on one thread."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return task(shared, item)


# --- processes of this machine ----------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _unpacked(path: str) -> Any:
    """What tasks share, unpacked once in each process; the path is another one for each run."""
    return pickle.loads(Path(path).read_bytes())


def _from_file(task: Callable[[Any, Any], Any], path: str, place: int, item: Any) -> tuple[int, Any]:
    return place, _alone(task, _unpacked(path), item)


def _on_processes(
    task: Callable[[Any, Any], Any], items: Sequence[Any], shared: Any, count: int, stack: ExitStack
) -> Iterator[tuple[int, Any]]:
    from joblib import Parallel, delayed

    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="ratinglab-"))
    path = Path(folder) / "shared"
    path.write_bytes(pickle.dumps(shared, protocol=pickle.HIGHEST_PROTOCOL))
    waiting, lost = dict(enumerate(items)), 0
    while waiting:
        calls = [delayed(_from_file)(task, str(path), place, item) for place, item in waiting.items()]
        pool = Parallel(n_jobs=count, batch_size=1, pre_dispatch="2*n_jobs", return_as="generator_unordered")
        try:
            for place, result in pool(calls):
                del waiting[place]
                lost = 0
                yield place, result
        except BrokenProcessPool as error:
            lost += 1
            if lost == LOST:
                told = "workers were lost again and again (out of memory?): try fewer, or --workers 1"
                raise RuntimeError(told) from error


# --- a cluster --------------------------------------------------------------------------------------------------------


def _placed(task: Callable[[Any, Any], Any], shared: Any, place: int, item: Any) -> tuple[int, Any]:
    return place, _alone(task, shared, item)


def _on_cluster(
    task: Callable[[Any, Any], Any], items: Sequence[Any], shared: Any, address: str, stack: ExitStack
) -> Iterator[tuple[int, Any]]:
    try:
        from distributed import Client, as_completed
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise UsageError("a cluster needs Dask: install it with `pip install dask distributed`") from None
    try:
        client = stack.enter_context(Client(address, timeout=10, set_as_default=False))
    except (OSError, ValueError, TimeoutError) as error:
        raise UsageError(f"no Dask scheduler answers at {address}: {error}") from None
    # every worker has a copy, so that losing one loses no input
    copied = client.scatter(shared, broadcast=True, hash=False)
    futures = [
        client.submit(_placed, task, copied, place, item, pure=False, retries=LOST) for place, item in enumerate(items)
    ]
    stack.callback(client.cancel, futures)
    try:
        for future in as_completed(futures):
            yield future.result()
    except KilledWorker as error:
        raise RuntimeError(f"workers at {address} were lost again and again: {error}") from error
