"""Tasks give the same results whoever runs them, and say in a sentence what went wrong."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from clusters import cluster, free_port, gone_within

from ratinglab import tasks
from ratinglab.problems import InputError, Problem, UsageError
from ratinglab.tasks import HERE, Workers, run, seeds

TWO = Workers(2)
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # which Windows has not
posix = pytest.mark.skipif(os.name != "posix", reason="processes are killed otherwise on other systems")


# --- tasks, which other processes find here ---------------------------------------------------------------------------


def square(shared: int, item: int) -> int:
    return shared * item * item


def drawn(shared: np.ndarray, seed: np.random.SeedSequence) -> tuple[float, bytes]:
    """A matrix product, a sum and a solution large enough that several threads would share the work."""
    from scipy.linalg import solve

    noise = np.random.default_rng(seed).normal(size=shared.shape)
    return float((shared @ noise).sum()), solve(shared @ shared.T + 900 * np.eye(len(shared)), noise).tobytes()


def hurt(shared: Path, item: int) -> int:
    """Its process is killed at item 2, but only once."""
    if item == 2 and not shared.exists():
        shared.touch()
        os.kill(os.getpid(), KILL)
    time.sleep(0.02)
    return item * item


def deadly(shared: object, item: int) -> int:
    if item == 1:
        os.kill(os.getpid(), KILL)
    return item


def failing(shared: type[Exception], item: int) -> int:
    if item == 3:
        raise shared(f"no game in tile {item}")
    return item


def failing_once(shared: Path, item: int) -> int:
    with shared.open("a") as file:
        file.write("x")
    raise ValueError("once")


class Counted:
    """Something that tasks share: says how often this process has unpacked it."""

    unpacked = 0

    def __setstate__(self, state: dict) -> None:
        Counted.unpacked += 1

    def __getstate__(self) -> dict:
        return {"some": "state"}


def unpackings(shared: Counted, item: int) -> tuple[int, int]:
    time.sleep(0.02)
    return os.getpid(), shared.unpacked


def what_it_is(shared: np.ndarray, item: np.ndarray) -> tuple[type, type, bool]:
    return type(shared), type(item), item.flags.writeable


def given(shared: np.ndarray, item: object) -> np.ndarray:
    return shared


def columns(shared: np.ndarray, item: np.ndarray) -> tuple[np.ndarray, float]:
    """Columns of larger tables, which do not lie in one piece."""
    return shared[:, 1:2], float(item[:, 2] @ shared[:, 1])


def threads(shared: None, item: int) -> set[int]:
    """On how many threads each library of linear algebra works."""
    from threadpoolctl import threadpool_info

    return {library["num_threads"] for library in threadpool_info()}


def versions(shared: None, item: int) -> None:
    raise AssertionError("a worker of other versions must not come to this")


# ----------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing may be left in the folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert list(folder.iterdir()) == []


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with cluster() as found:
        yield found


class TestHere:
    """One process"""

    def test_results_in_order_and_progress(self) -> None:
        steps: list[tuple[int, int]] = []
        assert run(square, [3, 1, 2], 10, progress=lambda *step: steps.append(step)) == [90, 10, 40]
        assert steps == [(1, 3), (2, 3), (3, 3)]

    def test_nothing_to_do(self) -> None:
        assert run(square, [], 1) == [] == run(square, [], 1, TWO)

    def test_what_a_task_raises(self) -> None:
        with pytest.raises(UsageError, match="no game in tile 3"):
            run(failing, range(5), UsageError)

    def test_threads_are_given_back(self) -> None:
        before = threads(None, 0)
        assert run(threads, [1], None) == [{1}]
        assert threads(None, 0) == before

    def test_no_other_process(self) -> None:
        assert run(unpackings, [1, 2], Counted()) == [(os.getpid(), Counted.unpacked)] * 2

    def test_arrays_are_not_copied(self) -> None:
        large = np.zeros((10, 10))
        assert np.shares_memory(run(given, [0], large)[0], large)


class TestSeeds:
    """seeds"""

    def test_the_same_whatever_the_count(self) -> None:
        first = [seed.generate_state(4).tolist() for seed in seeds(7, 3)]
        assert [seed.generate_state(4).tolist() for seed in seeds(7, 9)][:3] == first
        assert len({str(state) for state in first}) == 3

    def test_another_seed_gives_others(self) -> None:
        assert seeds(7, 1)[0].generate_state(4).tolist() != seeds(8, 1)[0].generate_state(4).tolist()


def test_no_worker_at_all() -> None:
    with pytest.raises(UsageError, match="1 or more; found 0"):
        Workers(0)


@pytest.mark.usefixtures("no_files")
class TestProcesses:
    """Processes of this machine"""

    def test_as_in_one(self) -> None:
        """Byte for byte, linear algebra too."""
        shared = np.random.default_rng(1).normal(size=(400, 400))
        assert run(drawn, seeds(3, 5), shared, TWO) == run(drawn, seeds(3, 5), shared)

    def test_results_in_order_and_progress(self) -> None:
        steps: list[tuple[int, int]] = []
        assert run(square, range(9), 2, TWO, lambda *step: steps.append(step)) == [2 * i * i for i in range(9)]
        assert steps == [(i, 9) for i in range(1, 10)]

    def test_columns_of_tables_add_up_as_in_one(self) -> None:
        """Linear algebra goes another way through an array whose pieces lie apart."""
        assert added_up(TWO) == added_up(HERE)

    def test_one_thread_each(self) -> None:
        assert run(threads, range(4), None, TWO) == [{1}] * 4

    def test_shared_is_unpacked_once_in_each(self) -> None:
        before = Counted.unpacked
        found = run(unpackings, range(8), Counted(), TWO)
        assert os.getpid() not in dict(found)
        assert set(found) == {(process, 1) for process in dict(found)}
        assert Counted.unpacked == before
        again = dict(run(unpackings, range(8), Counted(), TWO))
        assert all(count == 2 for process, count in again.items() if process in dict(found))

    def test_arrays_arrive_as_they_are(self) -> None:
        """Large ones too: a mapped file would be another type, and could not be written."""
        large = np.zeros((1000, 400))
        assert run(what_it_is, [large, large], large, TWO) == [(np.ndarray, np.ndarray, True)] * 2

    @pytest.mark.parametrize("kind", [UsageError, ValueError])
    def test_what_a_task_raises(self, kind: type[Exception]) -> None:
        with pytest.raises(kind, match="no game in tile 3"):
            run(failing, range(6), kind, TWO)
        assert run(square, range(3), 1, TWO) == [0, 1, 4]

    def test_progress_may_raise(self) -> None:
        def show(done: int, total: int) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run(square, range(6), 1, TWO, show)

    @posix
    def test_a_killed_process_costs_time_only(self, tmp_path: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert run(hurt, range(6), tmp_path / "was-here", TWO) == [i * i for i in range(6)]
        assert (tmp_path / "was-here").exists()

    @posix
    def test_processes_lost_again_and_again(self) -> None:
        with pytest.raises(UsageError, match=r"lost again and again.*--workers 1"):
            run(deadly, range(2), None, TWO)


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, KILL])
def test_whatever_ends_a_run_leaves_no_process_and_no_file(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C goes to every process of the terminal at once, and none says a word of its own."""
    program = """
        import sys, time
        from pathlib import Path
        from ratinglab.tasks import Workers, run
        import test_tasks

        try:
            run(test_tasks.at_work, range(40), Path(sys.argv[1]), Workers(2))
        except KeyboardInterrupt:
            sys.exit(130)
    """
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "TMPDIR": str(temporary)}
    started = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), str(tmp_path / "started")],
        env=environment, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    end = time.monotonic() + 60
    while not (tmp_path / "started").exists() and started.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    send = os.killpg if number == signal.SIGINT else os.kill
    send(started.pid, number)
    status = started.wait(30)
    assert gone_within(started.pid, 15) == []
    assert list(temporary.iterdir()) == []
    if number == signal.SIGINT:
        assert (status, started.stdout.read()) == (130, b"")
    started.stdout.close()


def at_work(shared: Path, item: int) -> None:
    shared.touch()
    time.sleep(0.5)


def added_up(workers: Workers) -> list[tuple[bytes, float]]:
    table = np.random.default_rng(4).normal(size=(999, 7))
    items = [table.T.copy().T, table[::2].repeat(2, axis=0)[:999], table]
    weights = np.random.default_rng(5).normal(size=(1, 999))
    return [((weights @ column).tobytes(), total) for column, total in run(columns, items, table[:, 1:], workers)]


class TestCluster:
    """A Dask scheduler with two worker processes on loopback"""

    def test_as_in_one_process(self, address: str) -> None:
        shared = np.random.default_rng(1).normal(size=(400, 400))
        steps: list[tuple[int, int]] = []
        found = run(drawn, seeds(3, 5), shared, Workers(scheduler=address), lambda *step: steps.append(step))
        assert found == run(drawn, seeds(3, 5), shared)
        assert steps == [(i, 5) for i in range(1, 6)]

    def test_columns_of_tables_add_up_as_in_one(self, address: str) -> None:
        assert added_up(Workers(scheduler=address)) == added_up(HERE)

    def test_one_thread_each(self, address: str) -> None:
        assert run(threads, range(4), None, Workers(scheduler=address)) == [{1}] * 4

    @posix
    def test_a_killed_worker_costs_time_only_and_says_nothing(
        self, address: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        levels = {name: logging.getLogger(name).level for name in ("distributed", "tornado", "distributed.client")}
        assert run(hurt, range(6), tmp_path / "was-here", Workers(scheduler=address)) == [i * i for i in range(6)]
        assert (tmp_path / "was-here").exists()
        assert capfd.readouterr() == ("", "")
        assert {name: logging.getLogger(name).level for name in levels} == levels

    def test_what_a_task_raises_and_nothing_is_tried_twice(self, address: str, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="once"):
            run(failing_once, [1], tmp_path / "tried", Workers(scheduler=address))
        assert (tmp_path / "tried").read_text() == "x"

    def test_workers_of_other_versions(self, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
        there = dict(tasks._versions())
        monkeypatch.setattr(tasks, "_versions", lambda: there | {"numpy": "1.0"})
        with pytest.raises(UsageError, match=rf"has ratinglab.*numpy {there['numpy']}.*same versions.*numpy 1\.0"):
            run(versions, [1], None, Workers(scheduler=address))

    def test_a_module_that_workers_do_not_have(
        self, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "only_here.py").write_text("def task(shared, item):\n    return item\n")
        monkeypatch.syspath_prepend(tmp_path)
        from only_here import task

        with pytest.raises(UsageError, match=r"cannot import.*only_here.*same versions as here: ratinglab"):
            run(task, [1], None, Workers(scheduler=address))

    def test_nobody_at_the_address(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("distributed")
        monkeypatch.setattr(tasks, "CONNECT", 0.3)
        with pytest.raises(UsageError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1"):
            run(square, [1], 1, Workers(scheduler=f"tcp://127.0.0.1:{free_port()}"))

    @pytest.mark.parametrize("text", ["nowhere", "nowhere:x", "http://127.0.0.1:1", ""])
    def test_no_address(self, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("distributed")
        monkeypatch.setattr(tasks, "CONNECT", 0.3)
        with pytest.raises(UsageError, match="no Dask scheduler answers"):
            run(square, [1], 1, Workers(scheduler=text))

    def test_dask_is_not_there(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "distributed", None)
        with pytest.raises(UsageError, match="pip install dask distributed"):
            run(square, [1], 1, Workers(scheduler="tcp://127.0.0.1:1"))

    def test_a_scheduler_without_workers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with cluster(workers=0) as alone:
            run_until_it_answers(alone)
            monkeypatch.setattr(tasks, "CONNECT", 0.5)
            with pytest.raises(UsageError, match=r"no worker answers.*dask worker tcp://127\.0\.0\.1"):
                run(square, [1], 1, Workers(scheduler=alone))


def run_until_it_answers(address: str) -> None:
    import socket

    port = int(address.rpartition(":")[2])
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"nobody at {address}")


def test_errors_can_be_handed_over() -> None:
    problems = (Problem("a.t", 3, 0, "error", "a score", "none"), Problem("b.t", 0, 0, "error", "a date", "none"))
    again = pickle.loads(pickle.dumps(InputError(problems)))
    assert again.problems == problems
    assert str(again) == str(InputError(problems))


def test_workers_can_be_handed_over() -> None:
    assert pickle.loads(pickle.dumps(Workers(3, None))) == Workers(3)
    assert Workers() == HERE
