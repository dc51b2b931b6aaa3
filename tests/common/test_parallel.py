"""Many items at a time: in order, and to an end where one fails."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import InvalidStateError
from dataclasses import replace
from pathlib import Path
from threading import Event, get_ident
from typing import Any

import numpy as np
import pytest

from confint_cli.common import parallel
from confint_cli.common.cluster import Cluster, Reached
from confint_cli.common.errors import DataError
from confint_cli.common.parallel import (
    ALL_CORES,
    ALONE,
    Local,
    Together,
    Workers,
    in_threads,
    map_files,
)
from confint_cli.common.progress import Progress, no_progress
from confint_cli.stats import methods
from confint_cli.stats.estimate import Estimation, _estimator, estimate, threads_for
from confint_cli.stats.sample import Sample
from tests.common.sending import Sending
from tests.conftest import ROOT, SAMPLES, Confint

SCORES = np.random.default_rng(0).random((20, 9))


def nothing() -> None:
    """What threads that end by themselves are told."""


@pytest.fixture(params=["alone", "processes", "cluster"])
def workers(request: pytest.FixtureRequest) -> Iterator[Workers]:
    """All kinds of workers there are: what holds of one holds of all."""
    with Sending(3) as pool:
        yield {
            "alone": ALONE,
            "processes": Local(3),
            "cluster": Cluster(lambda: Reached(pool, 3, lambda: True, lambda: None)),
        }[request.param]


def _times(factor: int) -> Callable[[int], int]:
    return lambda item: factor * item


def _inverse() -> Callable[[int], float]:
    return lambda item: 1 / item


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("number", [0, 1, 2, 100])
def test_results_come_in_order(workers: Workers, number: int, large: bool) -> None:
    found = list(workers.map(_times, (3,), range(number), large=large, together=2))
    assert found == [3 * item for item in range(number)]


def test_the_first_that_fails_ends_all(workers: Workers) -> None:
    found = workers.map(_inverse, (), [2, 4, 0, 5], together=1)
    assert [next(found), next(found)] == [0.5, 0.25]
    with pytest.raises(ZeroDivisionError):
        next(found)
    assert not list(found)


def _who() -> Callable[[object], tuple[int, int]]:
    return lambda _: (os.getpid(), get_ident())


def test_small_work_and_one_item_are_done_by_this_process() -> None:
    us = (os.getpid(), get_ident())
    assert list(Local(2).map(_who, (), range(2), large=False)) == [us, us]
    assert list(Local(2).map(_who, (), range(1))) == [us]
    assert list(ALONE.map(_who, (), range(2))) == [us, us]
    assert us not in list(Local(2).map(_who, (), range(2)))


def _first_letter() -> Callable[[str], str]:
    def first_letter(path: str) -> str:
        if not path.strip():
            raise DataError(path, "is empty")
        return path[0]

    return first_letter


def test_files_that_are_forgiven_are_found_in_their_places(workers: Workers) -> None:
    told: list[tuple[int, int]] = []
    found = dict(
        map_files(_first_letter, (), ["ab", " ", "cd"], workers=workers, large=True,
                  forgiving=True, progress=lambda *done: told.append(done))
    )  # fmt: skip
    assert list(found) == ["ab", " ", "cd"]
    assert (found["ab"], found["cd"]) == ("a", "c")
    error = found[" "]
    assert isinstance(error, DataError)
    assert str(error).endswith("is empty")
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_a_file_that_is_not_forgiven_ends_all(workers: Workers) -> None:
    found = map_files(_first_letter, (), ["ab", " ", "cd"], workers=workers, large=True,
                      forgiving=False, progress=no_progress)  # fmt: skip
    assert next(found) == ("ab", "a")
    with pytest.raises(DataError, match="is empty"):
        next(found)


def _in_steps(steps: int, wrong: int = -1) -> Callable[[int, Progress], int]:
    def work(item: int, progress: Progress) -> int:
        if item == wrong:
            raise ValueError("wrong")
        for done in range(1, steps + 1):
            progress(done, steps)
        return item * item

    return work


@pytest.mark.parametrize("number", [1, 7])
def test_parts_of_arrays_are_computed_in_order(workers: Workers, number: int) -> None:
    told: list[float] = []
    found = workers.compute(
        _in_steps, (5,), range(number), lambda done, total: told.append(done / total), threads=3
    )
    assert found == [item * item for item in range(number)]
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len(told) in (number, 5 * number)  # a cluster tells of whole parts only


def test_a_part_of_arrays_that_fails_ends_all(workers: Workers) -> None:
    with pytest.raises(ValueError, match="wrong"):
        workers.compute(_in_steps, (5, 2), range(7), no_progress, threads=3)


def test_what_workers_say_of_themselves(workers: Workers) -> None:
    assert workers.here.here == workers.here
    assert not workers.here.distant
    assert workers.unused == workers.distant  # so far
    assert workers.distant == (workers.shares > 1)
    assert not workers.unused
    workers.close()


def test_how_many_threads_there_are_here() -> None:
    assert (ALONE.threads, Local(7).threads, ALL_CORES.threads) == (1, 7, parallel.cores())
    elsewhere = Cluster(lambda: pytest.fail("nobody asked for it"))
    assert elsewhere.here == ALL_CORES
    assert elsewhere.unused


@pytest.mark.parametrize("jobs", [1, 2, 5, None])
def test_results_come_in_the_order_of_the_items(jobs: int | None) -> None:
    threads = Local(jobs).threads

    def slow_first(item: int) -> int:
        time.sleep(0.02 if item == 0 else 0)
        return item * item

    assert in_threads(slow_first, range(7), threads=threads, stop=nothing) == [
        n * n for n in range(7)
    ]


def test_one_job_is_this_thread() -> None:
    (thread,) = {*in_threads(lambda _: get_ident(), range(3), threads=1, stop=nothing)}
    assert thread == get_ident()


@pytest.mark.parametrize("failing", [0, 1])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_where_one_fails_all_others_are_told_to_stop(
    failing: int, error: type[BaseException]
) -> None:
    stopped = Event()

    def work(item: int) -> None:
        if item == failing:
            raise error
        assert stopped.wait(60), "nobody said so"

    with pytest.raises(error):
        in_threads(work, range(4), threads=2, stop=stopped.set)
    assert stopped.is_set()


def test_a_bootstrap_that_is_told_to_stop_does(monkeypatch: pytest.MonkeyPatch) -> None:
    # Patched: so much work that it is cut by itself would take minutes.
    monkeypatch.setattr("confint_cli.stats.random._CELLS", 2000)  # 100 resamples
    seen: list[int] = []

    def stop_after_a_third(done: int, _total: int) -> None:
        seen.append(done)
        if done >= 300:
            together.stop()

    together = Together(stop_after_a_third)
    work = _estimator(Estimation(("bca",), (0.9,), 1000), 20)
    with pytest.raises(InterruptedError):
        work(Sample(SCORES), together.part(1))
    assert seen[-1] == 300


def test_what_needs_no_resampling_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """The way from an estimate to a method is short: nothing stands between them but its ends."""
    frames: list[str] = []
    interval = methods.method_named("t").interval

    def look(*args: Any) -> Any:
        frame = sys._getframe(1)
        while frame.f_code.co_name != "test_what_needs_no_resampling_asks_nobody":
            frames.append(frame.f_code.co_name)
            assert frame.f_back is not None
            frame = frame.f_back
        return interval(*args)

    looking = replace(methods.method_named("t"), interval=look)
    # Patched: methods are found by their names, so none can be passed in.
    monkeypatch.setattr("confint_cli.stats.estimate.method_named", lambda _: looking)
    nobody = Cluster(lambda: pytest.fail("nobody asked for it"))
    estimate(Sample(SCORES), Estimation(("t",), (0.95,), workers=nobody))
    assert frames == ["ends", "_of_columns", "estimate"]


@pytest.mark.parametrize(
    ("resamples", "jobs", "threads"),
    [(10_000, 3, 3), (10_000, 64, 8), (10_000_000, 64, 1), (2_000_000, 64, 8)],
)
def test_there_are_no_more_threads_than_memory_for_them(
    resamples: int, jobs: int, threads: int
) -> None:
    how = Estimation(("bootstrap-t",), (0.95,), resamples, workers=Local(jobs))
    assert threads_for(how) == threads


def test_counts_are_drawn_once_for_all_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    from confint_cli.stats.random import _counts

    drawn: list[int] = []

    def counted(random: np.random.Generator, rows: int, topics: int) -> np.ndarray:
        drawn.append(rows)
        return _counts(random, rows, topics)

    # Patched: what is drawn a second time cannot be seen.
    monkeypatch.setattr("confint_cli.stats.estimate._REPLICATES", 2000)  # two columns of 999
    monkeypatch.setattr("confint_cli.stats.random._counts", counted)
    estimate(Sample(SCORES), Estimation(("bca",), (0.95,), 999))
    assert sum(drawn) == 999
    monkeypatch.setattr("confint_cli.stats.estimate._KEPT_COUNTS", 20 * 999 - 1)  # a byte too few
    estimate(Sample(SCORES), Estimation(("bca",), (0.95,), 999))
    assert sum(drawn) == 6 * 999


LONG = {
    "a bootstrap in threads": "risk -m all --baseline bm25 --resamples 5000000 --jobs 2",
    "posteriors": "bayes -m all --all-pairs --draws 1000000",
    "permutations": "compare --all-pairs --test tukey --resamples 10000000",
    "signs": "compare --all-pairs --test randomization --resamples 10000000",
    "samples": "coverage -m map --replicates 1000000 --jobs 1",
    "samples in processes": "coverage -m map --replicates 1000000 --jobs 2",
}


@pytest.mark.parametrize("work", LONG)
def test_ctrl_c_ends_long_work_at_once_and_leaves_nothing(work: str, tmp_path: Path) -> None:
    """The whole would take minutes or hours."""
    files = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    process = subprocess.Popen(
        [sys.executable, "-m", "confint_cli", *LONG[work].split(), *files, "-o", "out.tsv"],
        stderr=subprocess.PIPE, start_new_session=True, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    deadline = time.monotonic() + 30
    while not list(tmp_path.glob(".confint-*")):  # it has opened its output
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.7)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_too_little_memory_is_said_in_one_line(
    confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise MemoryError

    # Patched: memory that runs out without a limit would take the machine's.
    monkeypatch.setattr("confint_cli.stats.estimate.resample", refuse)
    bm25 = SAMPLES / "trec_eval/bm25.eval"
    result = confint("interval", bm25, "-m", "map", "--method", "bca", "--resamples", 1000)
    assert (result.status, result.out) == (1, "")
    assert result.err.splitlines() == [
        "confint: there is not enough memory",
        "  hint: fewer runs or topics at a time need less memory",
    ]


def test_work_that_was_cancelled_is_no_error_of_a_thread(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C on a busy machine showed a traceback of concurrent.futures now and then."""
    shown: list[type[BaseException] | None] = []
    # Patched: pytest's own takes what no test catches.
    monkeypatch.setattr(threading, "excepthook", lambda thrown: shown.append(thrown.exc_type))

    def fails(error: Exception) -> None:
        raise error

    parallel._say_nothing_of_cancelled_work()
    for error in (InvalidStateError("cancelled"), ZeroDivisionError()):
        thread = threading.Thread(target=fails, args=(error,))
        thread.start()
        thread.join()
    assert shown == [ZeroDivisionError]
    assert capsys.readouterr().err == ""
