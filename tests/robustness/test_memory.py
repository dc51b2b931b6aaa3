"""Too little memory: said in our words wherever it runs out, with advice that helps when followed.

Limits are relative to what the same command takes for little data: libraries differ in size.
"""

import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest

from confint_cli.common import system
from confint_cli.common.system import what_needs_less
from tests.robustness.calling import BM25, EVALS, Done, call, limit, linux_only
from tests.robustness.promises import promise

pytestmark = linux_only

PEAK = """
import atexit, sys
def show():
    lines = open("/proc/self/status").read().splitlines()
    print(next(line.split()[1] for line in lines if line.startswith("VmPeak")), file=sys.stderr)
atexit.register(show)
"""
LITTLE = {
    "interval": ["interval", BM25, "-m", "map"],
    "rank": ["rank", *EVALS, "-m", "map"],
    "compare": ["compare", *EVALS, "-m", "map", "--baseline", "bm25"],
    "bayes": ["bayes", *EVALS, "-m", "map", "--baseline", "bm25", "--draws", "1000"],
}
COMMON = ["--quiet", "-o", "out.tsv"]


@cache
def usual(command: str) -> int:
    """Return how many megabytes of address space a command takes for little data."""
    done = call(*LITTLE[command], "--quiet", "--jobs", "1", "-o", "/dev/null", code=PEAK)
    assert done.status == 0
    return int(done.err) >> 10


def with_more(megabytes: int, folder: Path, *words: object) -> Done:
    """Call a command that may have so much more than it takes for little data.

    Below 256 MB it would not begin.
    """
    most = max(256, usual(str(words[0])) + megabytes) << 20
    return call(*words, *COMMON, cwd=folder, before=limit("AS", most))


def scores(folder: Path, runs: int, topics: int = 50, measures: str = "a") -> str:
    """Write a long table of scores and return its name."""
    rows = ["run,topic,measure,score"]
    for run in range(runs):
        for measure in measures:
            rows += [f"r{run},{n},{measure},{(run + n) * 7919 % 997 / 997}" for n in range(topics)]
    (folder / "scores.csv").write_text("\n".join([*rows, ""]))
    return "scores.csv"


def is_said(done: Done) -> bool:
    """Say whether a call ended for want of memory, in one line of ours and a hint."""
    first, *hint = done.err.splitlines()
    ours = first.startswith("confint: there is not enough memory")
    return done.status == 1 and ours and [line[:8] for line in hint] == ["  hint: "]


@promise(
    "memory that runs out anywhere: where matrices are multiplied, while a figure is drawn",
    "the complete result, or exit status 1, one line, what to try, and no file; no message from "
    "OpenBLAS or matplotlib",
)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "files", "more"),
    [
        (["interval", "--jobs", "2"], 1, range(56, 97, 10)),  # several threads multiply
        (["compare", "--baseline", "r0", "--plot", "x.pdf"], 2, range(35, 71, 9)),
        (["compare", "--all-pairs"], 1, range(30, 71, 10)),  # many small records
    ],
)
def test_memory_that_runs_out_anywhere(
    words: list[str], files: int, more: Sequence[int], tmp_path: Path
) -> None:
    words = [words[0], scores(tmp_path, 300), *words[1:]]
    for megabytes in more:
        done = with_more(megabytes, tmp_path, *words)
        made = [path for path in tmp_path.iterdir() if path.name != "scores.csv"]
        if done.status == 0:
            assert (done.err, len(made)) == ("", files)
            for path in made:
                path.unlink()
        else:
            assert is_said(done), done
            assert made == []


@promise("the advice when memory runs out", "fits the command that was called, and helps")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "more", "words", "hint", "followed"),
    [
        ((1600,), 120, ["rank", "--draws", "50"], "fewer runs", (150,)),
        ((200, 50, "abc"), 50, ["compare", "--all-pairs"],
         "fewer runs or measures (-m) at a time", ["-m", "a"]),
        ((8,), 90, ["interval", "--method", "bca", "--resamples", "9000000"],
         "fewer --resamples", ["--resamples", "9000"]),
        ((2,), 60, ["bayes", "--baseline", "r0", "--draws", "1000000"],
         "fewer --draws", ["--draws", "10000"]),
        ((2, 200_000), 40, ["interval"], "fewer runs or topics at a time", (2, 500)),
    ],
)  # fmt: skip
def test_advice_that_helps(
    size: tuple[int, int, str],
    more: int,
    words: list[str],
    hint: str,
    followed: tuple[int, int, str] | list[str],
    tmp_path: Path,
) -> None:
    words = [words[0], scores(tmp_path, *size), *words[1:]]
    done = with_more(more, tmp_path, *words)
    assert is_said(done), done
    assert f"\n  hint: {hint} need less memory; 'ulimit -v' shows the limit in KB\n" in done.err
    if isinstance(followed, tuple):
        scores(tmp_path, *followed)
    else:  # an option of the first call is replaced
        kept = words[: words.index(followed[0])] if followed[0] in words else words
        words = [*kept, *followed]
    assert with_more(more, tmp_path, *words) == Done(0, "", "")


def test_advice_for_a_figure(tmp_path: Path) -> None:
    words = ["interval", BM25, "-m", "map"]
    done = with_more(40, tmp_path, *words, "--plot", "x.png")
    assert is_said(done), done
    assert "enough memory for the figure: a limit of " in done.err
    assert "hint: the table without a figure (no --plot) needs less; " in done.err
    assert list(tmp_path.iterdir()) == []
    assert with_more(40, tmp_path, *words) == Done(0, "", "")


def test_advice_never_names_what_a_command_lacks() -> None:
    assert what_needs_less("", {}) == "fewer runs or topics at a time need less memory"
    assert what_needs_less("fewer runs", {"resamples": 10_000}) == "fewer runs need less memory"
    both = what_needs_less("fewer runs", {"resamples": 10_000_000})
    assert both == "fewer --resamples and fewer runs need less memory"


def test_fewer_threads_where_memory_is_scarce(monkeypatch: pytest.MonkeyPatch) -> None:
    assert system.threads_that_fit(4, 1 << 20) == 4
    # Patched: how much can be had depends on the machine.
    monkeypatch.setattr(system, "can_be_had", lambda size: size < 1 << 30)
    assert system.threads_that_fit(8, 256 << 20) == 2
    assert system.threads_that_fit(8, 1 << 40) == 1


def raised() -> None:
    raise SystemError("error return without exception set")


def called_back() -> None:
    class Callback:
        def __del__(self) -> None:
            raise MemoryError

    Callback()


@pytest.mark.parametrize("fail", [raised, called_back])
def test_errors_that_a_library_ignores_are_want_of_memory(
    fail: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    usual_hook = sys.unraisablehook
    with pytest.raises(MemoryError), system.nothing_ignored(1 << 20):
        fail()
    assert sys.unraisablehook is usual_hook
    assert capsys.readouterr().err == ""


def test_no_room_for_a_library() -> None:
    with pytest.raises(MemoryError), system.nothing_ignored(1 << 60):
        pytest.fail("it is not loaded")
