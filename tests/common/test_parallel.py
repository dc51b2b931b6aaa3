"""Many items at a time: in order, and to an end where one fails."""

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import InvalidStateError
from pathlib import Path
from threading import Event, get_ident

import numpy as np
import pytest

from confint_cli.common import parallel
from confint_cli.common.parallel import in_threads
from confint_cli.stats.estimate import Estimation, _Parts, estimate
from confint_cli.stats.sample import Sample
from tests.conftest import SAMPLES, Confint, check_ctrl_c_ends_it

SCORES = np.random.default_rng(0).random((20, 9))


def nothing() -> None:
    """What threads that end by themselves are told."""


@pytest.mark.parametrize("jobs", [1, 2, 5, None])
def test_results_come_in_the_order_of_the_items(jobs: int | None) -> None:
    def slow_first(item: int) -> int:
        time.sleep(0.02 if item == 0 else 0)
        return item * item

    assert in_threads(slow_first, range(7), jobs=jobs, stop=nothing) == [n * n for n in range(7)]


def test_one_job_is_this_thread() -> None:
    (thread,) = {*in_threads(lambda _: get_ident(), range(3), jobs=1, stop=nothing)}
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
        in_threads(work, range(4), jobs=2, stop=stopped.set)
    assert stopped.is_set()


def test_a_bootstrap_that_is_told_to_stop_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("confint_cli.stats.random._CELLS", 2000)  # 100 resamples
    seen: list[int] = []

    def stop_after_a_third(done: int, _total: int) -> None:
        seen.append(done)
        if done >= 300:
            work.stop()

    work = _Parts(Sample(SCORES), Estimation(("bca",), (0.9,), 1000), stop_after_a_third)
    with pytest.raises(InterruptedError):
        work.resampled(work.parts[0])
    assert seen[-1] == 300


def test_one_job_starts_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> Callable[..., object]:
        raise AssertionError("a pool of threads")

    monkeypatch.setattr("confint_cli.stats.estimate._REPLICATES", 2000)
    monkeypatch.setattr("concurrent.futures.ThreadPoolExecutor", refuse)
    estimate(SCORES, Estimation(("bca",), (0.95,), 999, jobs=1))
    with pytest.raises(AssertionError, match="a pool of threads"):
        estimate(SCORES, Estimation(("bca",), (0.95,), 999, jobs=2))


@pytest.mark.parametrize(
    ("resamples", "jobs", "threads"),
    [(10_000, 3, 3), (10_000, 64, 8), (10_000_000, 64, 1), (2_000_000, 64, 8)],
)
def test_there_are_no_more_threads_than_memory_for_them(
    resamples: int, jobs: int, threads: int
) -> None:
    scores = np.zeros((2, 1000))
    how = Estimation(("bootstrap-t",), (0.95,), resamples, jobs=jobs)
    assert _Parts(Sample(scores), how).threads == threads


def test_counts_are_drawn_once_for_all_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    from confint_cli.stats.random import _counts

    drawn: list[int] = []

    def counted(random: np.random.Generator, rows: int, topics: int) -> np.ndarray:
        drawn.append(rows)
        return _counts(random, rows, topics)

    monkeypatch.setattr("confint_cli.stats.estimate._REPLICATES", 2000)  # two columns of 999
    monkeypatch.setattr("confint_cli.stats.random._counts", counted)
    estimate(SCORES, Estimation(("bca",), (0.95,), 999))
    assert sum(drawn) == 999
    monkeypatch.setattr("confint_cli.stats.estimate._KEPT_COUNTS", 20 * 999 - 1)  # a byte too few
    estimate(SCORES, Estimation(("bca",), (0.95,), 999))
    assert sum(drawn) == 6 * 999


def test_ctrl_c_ends_a_bootstrap_in_threads(tmp_path: Path) -> None:
    files = [str(path) for path in sorted((SAMPLES / "trec_eval").glob("*.eval"))]
    command = [sys.executable, "-m", "confint_cli", "risk", *files, "-m", "all", "--baseline",
               "bm25", "--resamples", "5000000", "--jobs", "2", "-o",
               str(tmp_path / "out.tsv")]  # fmt: skip
    check_ctrl_c_ends_it(command, tmp_path)


def test_too_little_memory_is_said_in_one_line(
    confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("confint_cli.stats.estimate.resample", refuse)
    bm25 = SAMPLES / "trec_eval/bm25.eval"
    result = confint("interval", bm25, "-m", "map", "--method", "bca")
    assert (result.status, result.out) == (1, "")
    assert result.err.splitlines() == [
        "confint: there is not enough memory",
        "  hint: fewer runs or topics at a time need less",
    ]


def test_work_that_was_cancelled_is_no_error_of_a_thread(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C on a busy machine showed a traceback of concurrent.futures now and then."""
    shown: list[type[BaseException] | None] = []
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
