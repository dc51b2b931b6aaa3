"""Work on a cluster: the same bytes as on this machine, whatever becomes of its workers."""

import asyncio
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from confint_cli.common import cluster
from confint_cli.common.cluster import Cluster, Reached
from confint_cli.common.errors import DataError
from confint_cli.common.parallel import ALONE, Workers
from confint_cli.stats import comparison
from confint_cli.stats.comparison import Comparison, compare_paired
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.pairs import Paired, Pairs
from tests.common.sending import Sending
from tests.conftest import ROOT, SAMPLES, Confint
from tests.robustness.local_dask import LocalDask
from tests.robustness.promises import promise

EVALS = [f"trec_eval/{name}.eval" for name in ("bm25", "bm25-rm3", "dense", "hybrid", "tfidf")]
RUNS = [f"runs/{name}.run" for name in ("bm25", "bm25-rm3", "dense", "hybrid", "tfidf")]
SCORE = ["score", "-q", "qrels.txt", "-m", "map", *RUNS]
CALLS = {
    "score": ["score", "-q", "qrels.txt", "-m", "map,P@10,nDCG@10", *RUNS, "--rel-level", "2"],
    "coverage": ["coverage", *EVALS, "-m", "map", "--replicates", "300"],
    "compare": ["compare", *EVALS, "-m", "map,P_10", "--all-pairs", "--simultaneous",
                "--method", "t,bca", "--test", "randomization,t", "--resamples", "40000"],
    "bayes": ["bayes", *EVALS, "-m", "map", "--all-pairs", "--draws", "100000"],
}  # fmt: skip


@pytest.fixture(scope="module")
def dask() -> Iterator[LocalDask]:
    local = LocalDask()
    yield local
    local.end()


def start(*args: object, path: str = "") -> "subprocess.Popen[bytes]":
    """Start the program in the folder of samples, not in that of the workers."""
    paths = os.pathsep.join(filter(None, [path, str(ROOT)]))
    return subprocess.Popen(
        [sys.executable, "-m", "confint_cli", *map(str, args)], cwd=SAMPLES,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip


def ended(process: "subprocess.Popen[bytes]") -> tuple[int, bytes, str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err.decode()


@promise(
    "`--executor dask://HOST:PORT`, and one of the cluster's workers is killed during the work",
    "the same bytes as without a cluster, in full precision; another worker does what was lost",
)
@pytest.mark.parametrize("command", CALLS)
def test_a_cluster_gives_the_same_bytes_though_a_worker_dies(command: str, dask: LocalDask) -> None:
    here = ended(start(*CALLS[command], "-f", "json"))
    killed = dask.ask("kill")
    there = ended(start(*CALLS[command], "-f", "json", "--executor", dask.executor))
    assert "done" in killed()  # the name of what it was at
    assert here == there
    assert here[0] == 0
    assert len(here[1]) > 1000


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    """A run that nobody has written yet: who reads it waits."""
    path = tmp_path / "late.run"
    os.mkfifo(path)
    return path


def kill_reader(fifo: Path, *, but_for: int = 0) -> int:
    """Kill the process that reads a file, as soon as there is one; return its number."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for link in Path("/proc").glob("[0-9]*/fd/*"):
            pid = int(link.parts[2])
            with suppress(OSError):
                if pid not in (os.getpid(), but_for) and os.readlink(link) == str(fifo):
                    os.kill(pid, signal.SIGKILL)
                    return pid
    raise AssertionError("nobody reads it")


@promise(
    "a cluster's workers die one after the other, on the same part of the work",
    "exit status 1 and one line that says so, no output",
)
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="who reads a file is known on Linux only")
def test_work_that_kills_every_worker(dask: LocalDask, fifo: Path) -> None:
    process = start(*SCORE, fifo, "--quiet", "--executor", dask.executor)
    with open(fifo, "wb"):  # waits for a worker to read it
        first = kill_reader(fifo)
        kill_reader(fifo, but_for=first)  # one more than the cluster allows for
    assert ended(process) == (
        1, b"",
        "confint: the workers of the cluster died, one after the other, on the same part of the "
        "work\n"
        "  hint: do they have enough memory?\n",
    )  # fmt: skip


@promise("Ctrl-C while a cluster works", "exit status 130 at once; the cluster drops the work")
def test_ctrl_c_takes_the_work_back(dask: LocalDask, fifo: Path) -> None:
    process = start(*SCORE, fifo, "--quiet", "--executor", dask.executor)
    with open(fifo, "wb"):
        process.send_signal(signal.SIGINT)
        assert ended(process) == (130, b"", "")
    assert dask.ask("left")() == "0"


@promise(
    "a broken run among those that a cluster scores, with `--keep-going`",
    "the scores of all others, the same message as without a cluster, exit status 1",
)
def test_a_broken_run_on_a_cluster(dask: LocalDask) -> None:
    call = [*SCORE, "trec_eval/bm25.eval", "--keep-going", "--quiet"]
    here, there = ended(start(*call)), ended(start(*call, "--executor", dask.executor))
    assert here == there
    assert (here[0], here[1].count(b"\n")) == (1, 251)


@promise(
    "a scheduler that has no workers yet",
    "confint waits for them, because they may be in a queue, and one line says so",
)
def test_workers_that_come_later() -> None:
    own = LocalDask(workers=0)
    process = start(*SCORE, "--executor", own.executor)
    assert process.stderr is not None
    where = own.executor.removeprefix("dask://")
    assert process.stderr.readline().decode() == f"confint: note: waiting for workers at {where}\n"
    own.ask("more")()
    assert ended(process) == ended(start(*SCORE))
    own.end()


@promise("the cluster's scheduler dies", "exit status 1 and one line that says so, no output")
def test_the_scheduler_dies(fifo: Path) -> None:
    own = LocalDask()
    process = start(*SCORE, fifo, "--executor", own.executor)
    with open(fifo, "wb"):
        own.end()
    assert ended(process) == (
        1, b"",
        "confint: the cluster has stopped working\n  hint: is its scheduler still running?\n",
    )  # fmt: skip


@promise(
    "an address where no scheduler answers, or where something else answers",
    "exit status 2 and one line after fifteen seconds at most",
)
@pytest.mark.parametrize("is_there", [False, True])
def test_nobody_answers(is_there: bool, confint: Confint, monkeypatch: pytest.MonkeyPatch) -> None:
    # Patched: it would wait for fifteen seconds.
    monkeypatch.setattr(cluster, "_PATIENCE", 0.2)
    monkeypatch.setattr("logging.disable", lambda _level: None)  # of this process it is not ours
    monkeypatch.chdir(SAMPLES)
    with socket.socket() as listening:  # to whoever comes, and says nothing
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1] if is_there else 1
        result = confint(*SCORE, "--executor", f"dask://127.0.0.1:{port}")
    assert (result.status, result.out) == (2, "")
    problem, hint = result.err.splitlines()
    assert problem == f"confint: there is no scheduler of dask at 127.0.0.1:{port}"
    assert hint.startswith("  hint: ")


MISUSES = {
    "no port": (["--executor", "dask://host"], [
        "confint: --executor 'dask://host' is not the address of a cluster",
        "  hint: give dask://HOST:PORT, the address of a scheduler of dask"]),
    "no number as port": (["--executor", "dask://host:²"], [
        "confint: --executor 'dask://host:²' is not the address of a cluster",
        "  hint: give dask://HOST:PORT, the address of a scheduler of dask"]),
    "an address of dask's own": (["--executor", "dask://tcp://host:1"], [
        "confint: --executor 'dask://tcp://host:1' is not the address of a cluster",
        "  hint: give dask://HOST:PORT, the address of a scheduler of dask"]),
    "judgements from standard input": (["--executor", "dask://host:1", "-q", "-"], [
        "confint: workers of a cluster cannot read standard input (-)", "  hint: give files"]),
    "another kind": (["--executor", "spark://host:1"], [
        "confint: --executor 'spark://host:1' is not the address of a cluster",
        "  hint: give dask://HOST:PORT, the address of a scheduler of dask"]),
    "jobs too": (["--executor", "dask://host:1", "--jobs", "2"], [
        "confint: --jobs is for this machine, and with --executor a cluster does the work"]),
    "standard input": (["--executor", "dask://host:1", "-"], [
        "confint: workers of a cluster cannot read standard input (-)", "  hint: give files"]),
}  # fmt: skip


@pytest.mark.parametrize("case", MISUSES)
def test_a_wrong_call(case: str, confint: Confint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SAMPLES)
    args, message = MISUSES[case]
    call = SCORE if "-q" not in args else ["score", "-m", "map", *RUNS]  # it may be given once
    result = confint(*call, *args, stdin=b"301 0 a 1\n")
    assert (result.status, result.out, result.err.splitlines()) == (2, "", message)


def test_without_dask_the_extra_is_named(confint: Confint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.chdir(SAMPLES)
    result = confint(*SCORE, "--executor", "dask://host:1")
    assert (result.status, result.err.splitlines()) == (2, [
        "confint: --executor needs dask, which is not installed",
        "  hint: pip install 'confint-cli[dask]'"])  # fmt: skip


def test_a_cluster_that_was_not_needed_is_not_asked(confint: Confint) -> None:
    bm25 = SAMPLES / "trec_eval/bm25.eval"
    result = confint("interval", bm25, "-m", "map", "--method", "t", "--executor", "dask://host:1")
    assert result.status == 0
    assert result.err == (
        "confint: note: --executor was not needed: a cluster scores runs, draws samples and "
        "resamples\n"
    )


@pytest.fixture
def threads() -> Iterator[Cluster]:
    """Any executor of the standard library will do: nothing else of a cluster is known."""
    pool = Sending(3)
    found = Cluster(lambda: Reached(pool, 3, lambda: True, lambda: None))
    yield found
    pool.shutdown(cancel_futures=True)


def _times(factor: int) -> Callable[[int], int]:
    return lambda item: factor * item


def _inverse() -> Callable[[int], float]:
    return lambda item: 1 / item


@pytest.mark.parametrize("number", [0, 1, 48, 511, 512, 513, 1025])
def test_results_come_in_order_whoever_is_quicker(number: int, threads: Cluster) -> None:
    assert list(threads.map(_times, (3,), range(number))) == [3 * item for item in range(number)]


def test_parts_of_different_work_are_not_mixed_up(threads: Cluster) -> None:
    several = [threads.map(_times, (factor,), range(9)) for factor in (2, 5)]
    for doubled, fivefold in zip(*several, strict=True):
        assert doubled * 5 == fivefold * 2


def test_the_first_that_fails_ends_all(threads: Cluster) -> None:
    found = threads.map(_inverse, (), [2, 0, 4])
    assert next(found) == 0.5
    with pytest.raises(ZeroDivisionError):
        next(found)


class _Undecided(ThreadPoolExecutor):
    """Starts nothing, and keeps what it was given."""

    def __init__(self) -> None:
        super().__init__(1)
        self.futures: list[Future[object]] = []

    def submit(self, *_: object, **__: object) -> "Future[object]":  # type: ignore[override]
        self.futures.append(Future())
        return self.futures[-1]


SCORES = np.random.default_rng(0).random((20, 9))


@pytest.mark.parametrize("number", [1, 2, 3, 5, 100])
@pytest.mark.parametrize("pairs", [Pairs.all(7), Pairs.against([4, 0, 2], 6)])
def test_pairs_are_divided_by_their_baselines(pairs: Pairs, number: int) -> None:
    parts = list(pairs.divided(number))
    assert sorted(np.hstack([places for places, _ in parts])) == list(range(len(pairs)))
    assert len(parts) == min(number, len(np.unique(pairs.baseline)))
    for places, part in parts:
        assert np.array_equal(part.run, pairs.run[places])
        assert np.array_equal(part.baseline, pairs.baseline[places])
    whose = [set(part.baseline.tolist()) for _, part in parts]
    assert sum(map(len, whose)) == len(set.union(*whose))


def compared(workers: Workers, methods: tuple[str, ...], testing: comparison.Testing) -> Comparison:
    how = Estimation(methods, (0.9, 0.95), 999, seed=7, workers=workers)
    return compare_paired(Paired(SCORES, Pairs.all(9)), how, testing)


@pytest.mark.parametrize(
    ("methods", "testing"),
    [(("bca", "bootstrap-t"), comparison.Testing()), ((), comparison.Testing(("randomization",)))],
    ids=["bootstrap", "randomization"],
)  # fmt: skip
def test_each_kind_of_work_is_sent_away(
    methods: tuple[str, ...],
    testing: comparison.Testing,
    threads: Cluster,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Patched: so much work that it is cut by itself would take minutes.
    monkeypatch.setattr("confint_cli.stats.estimate._REPLICATES", 5 * 999)  # columns at a time
    here = compared(ALONE, methods, testing)
    assert threads.unused
    there = compared(threads, methods, testing)
    assert not threads.unused
    for name in here.p:
        assert np.array_equal(here.p[name], there.p[name])
    for name, limits in here.limits.items():
        for ends in ("low", "high", "low_error", "high_error"):
            assert np.array_equal(getattr(limits, ends), getattr(there.limits[name], ends))


def test_what_is_sent_to_a_worker_is_to_be_done_alone(threads: Cluster) -> None:
    how = Estimation(("bca",), (0.95,), 999, workers=threads)
    assert pickle.loads(pickle.dumps(how.alone)) == replace(how, workers=ALONE)
    assert pickle.loads(pickle.dumps(how.drawing.alone)) == replace(how.drawing, workers=ALONE)


def test_a_cluster_is_never_sent(threads: Cluster) -> None:
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError)):
        next(threads.map(_times, (threads,), [1]))
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError)):
        next(threads.map(_times, (3,), [threads]))  # type: ignore[list-item]


def test_who_stops_asking_takes_the_rest_back() -> None:
    pool = _Undecided()
    found = Cluster(lambda: Reached(pool, 1, lambda: True, list)).map(_times, (3,), range(5))
    threading.Timer(0.01, lambda: pool.futures[0].set_result([0])).start()
    assert next(found) == 0
    found.close()
    assert [future.cancelled() for future in pool.futures] == [False, True, True, True, True]


def test_a_cluster_that_is_gone_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    # Patched: it would wait for a second at every look.
    monkeypatch.setattr(cluster, "_LOOK", 0.01)
    looks = iter([True, True, False])
    gone = Cluster(lambda: Reached(_Undecided(), 1, lambda: next(looks), list))
    with pytest.raises(DataError, match="the cluster has stopped working"):
        list(gone.map(_times, (3,), range(5)))


class _Failing(_Undecided):
    """Fails with an error of its own."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def submit(self, *_: object, **__: object) -> "Future[object]":  # type: ignore[override]
        future: Future[object] = Future()
        future.set_exception(self.error)
        return future


@promise("a cluster without confint", "exit status 1 and one line that says so")
def test_a_cluster_without_confint(dask: LocalDask, tmp_path: Path) -> None:
    """As it cannot be uninstalled there, it goes by a name that is not installed."""
    (tmp_path / "sitecustomize.py").write_text(
        "from confint_cli.common import cluster\ncluster._PACKAGE = 'no-such-package'\n"
    )
    call = [*SCORE, "--executor", dask.executor, "--quiet"]
    assert ended(start(*call, path=str(tmp_path))) == (
        1, b"",
        "confint: a machine of the cluster does not have confint\n"
        "  hint: install the same packages on all machines\n",
    )  # fmt: skip


@promise("a worker that lacks a package", "exit status 1 and one line that names it")
def test_a_package_that_a_worker_lacks() -> None:
    lacking = Cluster(lambda: Reached(_Failing(ImportError("No scipy")), 1, lambda: True, list))
    with pytest.raises(DataError, match=r"a worker of the cluster lacks a package \(No scipy\)"):
        list(lacking.map(_times, (3,), range(5)))


class _Losing(ThreadPoolExecutor):
    """Loses results, as the executor of dask does when a worker dies with a result on its way.

    It takes what came from the worker for an error, and fails to unpack it.
    """

    def __init__(self, times: int, result: list[int]) -> None:
        super().__init__(1)
        self.times, self.result = times, result
        self.submitted: list[object] = []

    def submit(self, do: Any, *args: Any, **_: Any) -> "Future[Any]":  # type: ignore[override]
        self.submitted.append(do)
        if len(self.submitted) > self.times:
            return super().submit(do, *args)
        future: Future[Any] = Future()
        asyncio.run(_passed_on(self.result, future))
        return future


async def _passed_on(result: list[int], future: "Future[Any]") -> None:
    """Let dask pass on a result of work that is not done any more, as its worker has died."""
    from distributed import cfexecutor

    async def gathered(**_: object) -> list[int]:
        return result

    await cfexecutor._cascade_future(SimpleNamespace(status="pending", _result=gathered), future)


@promise("a worker dies while its result is on the way", "the work is done again by another")
@pytest.mark.parametrize("result", [[4], [4, 5, 6]])
def test_a_result_that_is_lost_is_computed_again(result: list[int]) -> None:
    """Three results look like an error with its traceback: they fail in another way."""
    pool = _Losing(2, result)
    found = Cluster(lambda: Reached(pool, 1, lambda: True, list))
    assert [*found.map(_times, (3,), [1, 5])] == [3, 15]
    assert len(pool.submitted) == 4
    never = Cluster(lambda: Reached(_Losing(100, result), 1, lambda: True, list))
    with pytest.raises(DataError, match="the cluster has stopped working"):
        list(never.map(_times, (3,), [1]))


def test_an_error_of_the_work_itself_is_not_tried_again() -> None:
    failing = _Failing(ValueError("not enough values to unpack (expected 3, got 1)"))
    with pytest.raises(ValueError, match="not enough values"):
        list(Cluster(lambda: Reached(failing, 1, lambda: True, list)).map(_times, (3,), [1]))


def test_many_workers_get_many_parts() -> None:
    many = Cluster(lambda: Reached(_Undecided(), 100, lambda: True, list))
    assert many.shares == 1600


def test_another_version_on_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    work = cluster._Work.of(_times, (3,))
    # Patched: another version is not installed.
    monkeypatch.setattr(cluster, "__version__", "0.0.1")
    with pytest.raises(DataError, match=r"a worker of the cluster has confint 0\.0\.1, not "):
        work.done([1])


@promise(
    "judgements or a run that a cluster's workers do not see, or other judgements under the same "
    "name",
    "exit status 1 and the name of the file; nothing is scored with them",
)
def test_files_that_workers_do_not_see(tmp_path: Path) -> None:
    from confint_cli.scores.plan import planned
    from confint_cli.scores.run_files import make_reading_scorer
    from confint_cli.scores.unjudged import NOTHING_BESIDES

    def scorer(qrels: str, digest: str) -> Callable[[str], object]:
        plan, folder = planned(["map"], 1)[0], str(tmp_path)
        return make_reading_scorer(
            {"x.run": (qrels,)}, {qrels: digest}, plan, NOTHING_BESIDES, folder
        )

    with pytest.raises(DataError, match=r"^qrels\.txt: no such file on a worker"):
        scorer("qrels.txt", "")
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    with pytest.raises(DataError, match=r"^qrels\.txt: is a different file on a worker"):
        scorer("qrels.txt", "of another one")
    from confint_cli.inputs.source import read_source

    score = scorer("qrels.txt", read_source("qrels.txt", str(tmp_path)).digest)
    with pytest.raises(DataError, match=r"^x\.run: no such file on a worker"):
        score("x.run")


@promise(
    "a scheduler that a stranger gives you",
    "can run anything on your machine, because confint unpickles what it sends; the help and the "
    "page about clusters say that a client trusts its scheduler",
)
def test_whoever_connects_is_told_to_trust_the_scheduler(confint: Confint) -> None:
    helped = " ".join(confint("rank", "--help").out.split())
    assert "dask://HOST:PORT of its scheduler, which you have to trust." in helped
    page = " ".join((ROOT / "docs/cluster.md").read_text(encoding="utf-8").split())
    assert "a client trusts the scheduler that it connects to" in page
