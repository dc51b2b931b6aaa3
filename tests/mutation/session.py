"""A plugin of pytest that tries mutants in forks of its session: for `run.py`.

The first fork runs all tests as they are, and tells which functions each calls and how long it
takes. Then each fork runs the tests of one mutant until one fails: first those that have noticed
other mutants of the function, then the quickest.
"""

import functools
import gc
import json
import os
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state
from mutmut.utils.format_utils import mangled_name_from_mutant_name

KILLED, SURVIVED, UNTESTED, SLOW = "killed", "survived", "no test", "too slow"
_TIMES, _MORE = 5, 5  # a mutant may take so many times as long as its tests, and seconds more
_TOLD = 60  # seconds from one line of progress to the next

settings.register_profile("mutants", phases=[Phase.explicit, Phase.generate])
settings.load_profile("mutants")  # examples that fail need not be made small


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Try mutants instead of running tests."""
    import confint_cli

    assert Path(confint_cli.__file__).is_relative_to(Path.cwd()), "these are not the mutants"
    mutants = json.loads(Path(os.environ["MUTANTS"]).read_text(encoding="utf-8"))
    outcomes = Path(os.environ["MUTANTS_OUTCOMES"])
    clear_caches = _caches()
    clear_caches()  # what was computed for collecting tests is no work of theirs
    gc.freeze()  # so that forks share what is there
    calls, seconds = _recorded(session.items, clear_caches, outcomes)
    found = _tried(mutants, Tests({item.nodeid: item for item in session.items}, calls, seconds))
    outcomes.write_text(json.dumps(found), encoding="utf-8")
    return True


class Tests:
    """The tests of each function, in the order in which they are likely to notice a mutant."""

    def __init__(
        self,
        items: Mapping[str, pytest.Item],
        calls: Mapping[str, Sequence[str]],
        seconds: Mapping[str, float],
    ) -> None:
        longest = float(os.environ["MUTANTS_LONGEST"])
        self._items, self._seconds = items, seconds
        self._names = {name: _quickest(own, seconds, longest) for name, own in calls.items()}
        self._noticed: Counter[tuple[str, str]] = Counter()  # by function and test

    def of(self, mutant: str) -> list[pytest.Item]:
        """Return the tests for a mutant."""
        function = mangled_name_from_mutant_name(mutant)
        names = self._names.get(function, [])
        in_order = sorted(names, key=lambda test: -self._noticed[function, test])
        return [self._items[test] for test in in_order]

    def seconds(self, items: Sequence[pytest.Item]) -> float:
        """Return how long tests take."""
        return sum(self._seconds[item.nodeid] for item in items)

    def note(self, mutant: str, test: str) -> None:
        """Remember which test has noticed a mutant."""
        self._noticed[mangled_name_from_mutant_name(mutant), test] += 1


def _caches() -> Callable[[], None]:
    """Return a function that empties the caches of functions of the package."""
    cached = [
        thing
        for thing in gc.get_objects()
        if isinstance(thing, functools._lru_cache_wrapper)
        and str(thing.__module__).startswith("confint_cli")
    ]

    def clear() -> None:
        for thing in cached:
            thing.cache_clear()

    return clear


def _recorded(
    items: Sequence[pytest.Item], clear_caches: Callable[[], None], results: Path
) -> tuple[dict[str, list[str]], dict[str, float]]:
    """Return which tests call each function, and how long each takes, where none is changed."""
    began = time.monotonic()
    if (child := os.fork()) == 0:
        set_mutant_under_test("stats")
        calls: dict[str, list[str]] = {}
        seconds: dict[str, float] = {}
        failed = []
        for item, following in zip(items, [*items[1:], None], strict=True):
            clear_caches()
            state()._stats.clear()
            reports = runtestprotocol(item, log=False, nextitem=following)
            failed += [item.nodeid for report in reports if report.failed]
            seconds[item.nodeid] = sum(report.duration for report in reports)
            for function in state()._stats:
                calls.setdefault(function, []).append(item.nodeid)
        if failed:
            print("these tests fail without any change:", *failed, sep="\n", file=sys.stderr)
            os._exit(1)
        results.write_text(json.dumps([calls, seconds]), encoding="utf-8")
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if status:
        pytest.exit("there is nothing to compare with", returncode=1)
    found = json.loads(results.read_text(encoding="utf-8"))
    _say(f"{len(items)} tests in {time.monotonic() - began:.0f} s, all as they should be")
    return found[0], found[1]


def _quickest(tests: Sequence[str], seconds: Mapping[str, float], longest: float) -> list[str]:
    """Return tests in the order of the time they take, and no more than there is time for."""
    in_order = sorted(tests, key=lambda test: seconds[test])
    together = accumulate(seconds[test] for test in in_order)
    return [test for test, until in zip(in_order, together, strict=True)
            if until <= longest or test == in_order[0]]  # fmt: skip


def _tried(mutants: Sequence[str], tests: Tests) -> dict[str, str]:
    """Return what became of each mutant that there was time for."""
    minutes, jobs = float(os.environ["MUTANTS_MINUTES"]), int(os.environ["MUTANTS_JOBS"])
    began = told = time.monotonic()
    found: dict[str, str] = {}
    running: dict[int, tuple[str, int]] = {}  # the mutant, and the pipe that its process writes to

    def wait() -> None:
        child, status = os.wait()
        name, pipe = running.pop(child)
        with open(pipe, encoding="utf-8") as lines:
            noticed = lines.read()
        if noticed:
            tests.note(name, noticed)
        if os.waitstatus_to_exitcode(status) in (-signal.SIGALRM, -signal.SIGXCPU):
            found[name] = SLOW
        else:
            found[name] = KILLED if status else SURVIVED
        _end_group(child)

    for name in mutants:
        items = tests.of(name)
        if not items:
            found[name] = UNTESTED
            continue
        if minutes and time.monotonic() > began + 60 * minutes:
            break
        while len(running) >= jobs:
            wait()
        limit = int(_MORE + _TIMES * tests.seconds(items))
        pipe, writing = os.pipe()
        if (child := os.fork()) == 0:
            _try(name, items, limit, writing)
        os.close(writing)
        running[child] = name, pipe
        if time.monotonic() > told + _TOLD:
            told = time.monotonic()
            lost = sum(outcome == SURVIVED for outcome in found.values())
            so_far = f"{(told - began) / 60:.0f} min"
            _say(f"{so_far}: {len(found)} of {len(mutants)} tried, {lost} survived")
    while running:
        wait()
    return found


def _try(name: str, items: Sequence[pytest.Item], limit: int, noticed: int) -> None:
    """End this process with status 1 as soon as a test fails, which it writes, or with 0."""
    os.setpgid(0, 0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(limit)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    set_mutant_under_test(name)
    for item, following in zip(items, [*items[1:], None], strict=True):
        try:
            failed = any(
                report.failed for report in runtestprotocol(item, log=False, nextitem=following)
            )
        except BaseException:
            failed = True
        if failed:
            os.write(noticed, item.nodeid.encode())
            os._exit(1)
    os._exit(0)


def _end_group(child: int) -> None:
    """End processes that tests of a mutant have left behind."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)


def _say(text: str) -> None:
    os.write(2, f"{text}\n".encode())


def pytest_unconfigure(config: Any) -> None:
    """Keep pytest from calling a session without tests a failure."""
    session = getattr(config, "session", None)
    if session is not None:
        session.exitstatus = 0
