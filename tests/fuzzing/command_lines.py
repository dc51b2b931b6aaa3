"""Random calls of every command, for a stated time: `make fuzz`.

Every call has to end soon, in a complete result or in one line that says what is wrong, and to
leave nothing behind that was not asked for. What does not is kept in a file by which the call can
be repeated; the exit status is then 1. The same seed gives the same calls in the same order.
"""

import argparse
import hashlib
import json
import random
import re
import shlex
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from confint_cli.common.text import visible
from tests.fuzzing.call_checks import Fault, Files, check, files_in
from tests.fuzzing.call_inputs import write_inputs
from tests.fuzzing.call_words import any_command, commands, random_call
from tests.fuzzing.forked import LONGEST, Call, Ended, import_everything, run
from tests.fuzzing.run import kind_of
from tests.fuzzing.targets import LONGEST_LINE

_AGAIN = 20  # of so many calls one is made twice, and has to give the same bytes
_SHOWN, _LINES = 60, 30  # characters of a word, and lines of what is wrong


def called(call: Call, scratch: Path, limit: float = LONGEST) -> tuple[Ended, Files]:
    """Make a call in a folder with nothing but inputs, and check it.

    Return how it ended, and what was in the folder then.
    """
    folder = scratch / "call"
    if not folder.exists():
        folder.mkdir()
        write_inputs(folder)
    before = files_in(folder)
    ended = run(call, folder, limit)
    after = files_in(folder)
    if after != before:  # else it can be used once more
        shutil.rmtree(folder)
    check(call, ended, before, after)
    return ended, after


def repeated(call: Call, scratch: Path, first: tuple[Ended, Files]) -> None:
    """Make a call once more, and require the same of it."""
    ended, files = called(call, scratch)
    for what, one, other in (
        ("standard output", first[0].out, ended.out),
        ("standard error", first[0].err, ended.err),
        ("files", first[1], files),
    ):
        if one != other:
            raise Fault("not the same when it is called again", f"{what}: {one!r} then {other!r}")


def fault_of(call: Call, scratch: Path, limit: float = LONGEST) -> Fault | None:
    """Return what is wrong with a call, if anything is."""
    try:
        called(call, scratch, limit)
    except Fault as fault:
        return fault
    return None


def kind(call: Call, fault: Fault) -> str:
    """Return what findings of one cause have in common: what is wrong, and where."""
    what, details = fault.args
    if "most recent call first" in details:  # of a call that hangs
        details = "\n".join(reversed(details.splitlines()))
    if "  File " in details:
        return f"{what}: {kind_of('', details)}"
    if len(details) >= LONGEST_LINE:  # what stands around a long word tells
        short = re.sub(r"(.{1,2}?)\1{20,}", "…", details)
        return f"{what}: {short[-_SHOWN:]}"
    warning = re.search(r"\S+\.py:\d+: \w+", details)
    return f"{what}: {warning[0] if warning else ' '.join(call.args[:1])[:_SHOWN]}"


def fuzz(calls: int | None, seconds: float, seed: int, folder: Path) -> int:
    """Call until the number or the time is reached; return how many kinds of findings there are."""
    rng = random.Random(seed)
    import_everything()
    known = commands()
    first = [*known]  # each at least once
    kinds: Counter[str] = Counter()
    statuses: Counter[int] = Counter()
    done: Counter[str] = Counter()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        while done.total() < (calls or sys.maxsize) and time.monotonic() - began < seconds:
            command = first.pop() if first else any_command(rng, known)
            call, again = random_call(rng, known, command), rng.randrange(_AGAIN) == 0
            done[command] += 1
            try:
                ended, files = called(call, Path(name))
                statuses[ended.status] += 1
                if again and ended.status == 0:
                    repeated(call, Path(name), (ended, files))
            except Fault as fault:
                kinds[kind(call, fault)] += 1
                if kinds[kind(call, fault)] == 1:
                    _tell(folder, call, fault)
    for one, number in kinds.most_common():
        print(f"{number} of {visible(one)}", file=sys.stderr)
    shares = [
        f"{statuses[one] / max(1, statuses.total()):.0%} end with {one}" for one in (0, 1, 2, 3)
    ]
    print(
        f"{statuses.total() + kinds.total()} calls of {len(done)} commands, "
        f"{min(done.values(), default=0)} or more of each, in {time.monotonic() - began:.0f} s "
        f"with seed {seed}: {', '.join(shares)}; "
        f"{len(kinds) or 'no'} finding{'s' * (len(kinds) != 1)}"
    )
    return len(kinds)


def shown(call: Call) -> str:
    """Return a call as one would type it, but for words that are too long."""
    words = [_shortened(word, _SHOWN) for word in call.args]
    source = f" < {call.stdin}" if call.stdin else ""
    around = [f"{name}={_shortened(value, _SHOWN)}" for name, value in call.environment.items()]
    terminal = f" | (a terminal of {call.width} columns)" if call.width else ""
    return visible(f"{shlex.join([*around, 'confint', *words])}{source}{terminal}")


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…({len(text)})"


def _tell(folder: Path, call: Call, fault: Fault) -> None:
    """Keep a call that went wrong, and say how to repeat it."""
    folder.mkdir(exist_ok=True)
    text = json.dumps(asdict(call), indent=1)
    path = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
    path.write_text(f"{text}\n")
    what, details = fault.args
    lines = [_shortened(line, 3 * _SHOWN) for line in details.splitlines()[-_LINES:]]
    print(f"{shown(call)}\n{what}: ", *lines, sep="\n", file=sys.stderr)
    print(f"to repeat: {sys.executable} -m tests.fuzzing.command_lines {path}\n", file=sys.stderr)


def main() -> int:
    """Fuzz, or repeat what was found."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzzing.command_lines", description=__doc__
    )
    parser.add_argument("files", nargs="*", type=Path, help="calls to repeat")
    parser.add_argument("--calls", type=int, help="so many at most")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"))
    given = parser.parse_args()
    if not given.files:
        return 1 if fuzz(given.calls, given.seconds, given.seed, given.findings) else 0
    import_everything()
    wrong = 0
    for path in given.files:
        call = Call(**json.loads(path.read_text()))
        with tempfile.TemporaryDirectory() as name:
            fault = fault_of(call, Path(name))
        print(f"{shown(call)}\n{': '.join(fault.args) if fault else 'nothing wrong'}")
        wrong += fault is not None
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
