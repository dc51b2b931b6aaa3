"""Damage to real files, at random, for a stated time: `make fuzz`.

Every input goes to one of the targets, and has to end in a result or a refusal, within a time and
with a memory that are in proportion to it. What does not is written to a file, with the call that
repeats it; the exit status is then 1. The same seed gives the same inputs in the same order.
"""

import argparse
import hashlib
import random
import signal
import sys
import tempfile
import time
import traceback
import tracemalloc
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from tests.conftest import data_folder
from tests.fuzzing.mutations import mutated
from tests.fuzzing.seeds import seeds
from tests.fuzzing.targets import TARGETS

LONGEST = 10  # seconds for each 64 KB of an input; none takes more than one
TIMES = 10  # the memory of an input, by its size …
ALLOWANCE = 48 << 20  # … and what any may take on top of that: caches, columns, a first import
_WEIGHED = 10  # of so many inputs the memory of one is measured, which takes its time


class Hang(BaseException):
    """An input took too long; no handler of exceptions is to catch this."""


class GluttonyError(Exception):
    """An input took too much memory."""


def _give_up(_signal: int, _frame: FrameType | None) -> None:
    raise Hang("no end in sight")


@contextmanager
def _limited(size: int, weighed: bool) -> Iterator[None]:
    """Let nothing take longer or, if it is weighed, more memory than an input of that size may."""
    signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(LONGEST * (1 + (size >> 16)))
    if weighed:
        tracemalloc.start()
    try:
        yield
        if weighed:
            peak = tracemalloc.get_traced_memory()[1]
            if peak > TIMES * size + ALLOWANCE:
                raise GluttonyError(f"{peak} bytes of memory for {size} bytes of input")
    finally:
        signal.alarm(0)
        tracemalloc.stop()


def check(target: str, path: Path, weighed: bool) -> str:
    """Let a target read a file; return what went wrong, or nothing."""
    try:
        with _limited(path.stat().st_size, weighed):
            TARGETS[target](path)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return traceback.format_exc()
    return ""


def kind_of(target: str, report: str) -> str:
    """Return what findings of one cause have in common: where it happened, and as what."""
    lines = report.splitlines()
    places = [line.strip() for line in lines if line.startswith("  File ")]
    own = [place for place in places if "confint_cli" in place] or places
    return f"{own[-1] if own else ''} {lines[-1].partition(':')[0]} {'' if own else target}"


def fuzz(seconds: float, seed: int, folder: Path) -> int:
    """Damage files until the time is over; return how many kinds of findings there are."""
    rng = random.Random(seed)
    material = seeds(data_folder())
    names = [*TARGETS]
    kinds: Counter[str] = Counter()
    done: Counter[str] = Counter()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "input.txt"
        while time.monotonic() - began < seconds:
            target, data = rng.choice(names), mutated(rng, material)
            path.write_bytes(data)
            done[target] += 1
            report = check(target, path, weighed=done.total() % _WEIGHED == 0)
            if report:
                kind = kind_of(target, report)
                kinds[kind] += 1
                if kinds[kind] == 1:
                    _tell(folder, target, data, report)
    least = min(done.items(), key=lambda item: item[1], default=("nothing", 0))
    print(
        f"{done.total()} inputs to {len(done)} targets from {len(material)} files, "
        f"{least[1]} or more to each, in {seconds:g} s with seed {seed}: "
        f"{len(kinds) or 'no'} finding{'s' * (len(kinds) != 1)}"
    )
    return len(kinds)


def _tell(folder: Path, target: str, data: bytes, report: str) -> None:
    """Keep an input that does harm, and say how to repeat it."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{hashlib.sha256(data).hexdigest()[:12]}.bin"
    path.write_bytes(data)
    print(report, file=sys.stderr)
    print(f"the input is {path}; to repeat:", file=sys.stderr)
    print(f"  {sys.executable} -m tests.fuzzing.run --target '{target}' {path}", file=sys.stderr)


def main() -> int:
    """Fuzz, or repeat what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing.run", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="inputs to repeat, with --target")
    parser.add_argument("--target", choices=[*TARGETS])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"))
    given = parser.parse_args()
    warnings.simplefilter("error")
    if not given.files:
        return 1 if fuzz(given.seconds, given.seed, given.findings) else 0
    if given.target is None:
        parser.error("--target says what is to read the FILES")
    reports = [check(given.target, path, weighed=True) for path in given.files]
    print("\n".join(filter(None, reports)) or "nothing wrong")
    return 1 if any(reports) else 0


if __name__ == "__main__":
    sys.exit(main())
