"""One call of confint, watched: which of our functions do the data pass on their way?

    python -P benchmarks/spine.py ROOT MODULE:FUNCTION REPORT [ARGUMENT …]

A script, not a module of the package: it is run by `benchmarks.shape` in a process of its own, with
the checkout at ROOT first on the path. It calls the program's entry point under `sys.setprofile`
and writes what it saw, as JSON, to the file REPORT; the program's own output stays as it is.

Turning points of the data's way are known by what they are, not by where they are, so that
checkouts with other names of modules can be measured too. At each of them we look at the stack: a
frame of ours on it is a hop. An activation of a function is one hop, on however many stacks it is.
What is read of each file is so many hops for each of them; therefore those are counted too that
are on a stack when a turning point is reached for the first time: the way of one file.
"""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

BYTES, READ, JOIN, METHOD, TEST, ANSWER, RENDER, WRITE = (
    "bytes read", "format's read", "join", "method's interval", "test's p", "Answer", "render",
    "write",
)  # fmt: skip


class Watch:
    """What was seen of a call so far."""

    def __init__(self, package: Path, inputs: list[str]) -> None:
        self.own = f"{package}{os.sep}"
        self.inputs = {os.path.realpath(path) for path in inputs}
        self.called: set[CodeType] = set()
        self.all: dict[int, FrameType] = {}  # frames are kept, or an id might be given again
        self.first: dict[int, FrameType] = {}
        self.seen: dict[str, int] = {}
        self.reached: set[tuple[str, CodeType]] = set()

    def profile(self, frame: FrameType, event: str, arg: Any) -> None:
        """Take note of an event, as `sys.setprofile` tells it."""
        if event == "call":
            if frame.f_code.co_filename.startswith(self.own):
                self.called.add(frame.f_code)
            self.note(self.turning_point(frame), frame)
        elif event == "c_call":
            self.note(self.stream(arg), frame)

    def note(self, point: str | None, frame: FrameType) -> None:
        """Count the hops to a turning point, if it is one."""
        if point is None:
            return
        is_first = (point, frame.f_code) not in self.reached
        self.reached.add((point, frame.f_code))
        self.seen[point] = self.seen.get(point, 0) + 1
        for caller in _callers(frame):
            if caller.f_code.co_filename.startswith(self.own):
                self.all[id(caller)] = caller
                if is_first:
                    self.first[id(caller)] = caller

    def turning_point(self, frame: FrameType) -> str | None:
        """Return what a Python function is to the data, if it is a turning point."""
        name, file = frame.f_code.co_name, frame.f_code.co_filename
        if name == "__init__":  # a dataclass has it from no file
            made = type(frame.f_locals.get("self"))
            # Before 0.13, a study returned a Table.
            homes = {
                "Answer": ("confint_cli.studies.answer",),
                "Table": ("confint_cli.common.table",),
            }
            return ANSWER if made.__module__ in homes.get(made.__name__, ()) else None
        if not file.startswith(self.own):
            return None
        if name == "join":
            return JOIN
        if name == "render" and "outputs" in Path(file[len(self.own) :]).parts:
            return RENDER
        for record, field, point in (("FORMAT", "read", READ), ("METHOD", "interval", METHOD),
                                     ("TEST", "p", TEST)):  # fmt: skip
            function = getattr(frame.f_globals.get(record), field, None)
            if getattr(function, "__code__", None) is frame.f_code:
                return point
        return None

    def stream(self, function: Any) -> str | None:
        """Return what a function in C does with the data: reads bytes of an input, or writes."""
        name, stream = function.__name__, getattr(function, "__self__", None)
        if name.startswith("read"):
            path = getattr(stream, "name", None)
            if isinstance(path, str) and os.path.realpath(path) in self.inputs:
                return BYTES
        elif name == "write" and sys.stdout is not None:
            buffer = sys.stdout.buffer
            if stream in (buffer, getattr(buffer, "raw", None)):
                return WRITE
        return None

    def report(self) -> dict[str, Any]:
        """Return what was seen, for JSON."""
        return {
            "hops": len(self.all),
            "first_hops": len(self.first),
            "files": len({frame.f_code.co_filename for frame in self.all.values()}),
            "functions": len({code for code in self.called if code.co_name != "<module>"}),
            "way": [self.place(frame) for frame in self.first.values()],
            "points": self.seen,
        }

    def place(self, frame: FrameType) -> str:
        """Return `app/cli.py:main`."""
        return f"{frame.f_code.co_filename[len(self.own) :]}:{frame.f_code.co_qualname}"


def _callers(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield a frame, its caller, and so on."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def watched(call: Callable[[], object], watch: Watch) -> None:
    """Make a call under the profiler, threads and all."""
    threading.setprofile(watch.profile)
    sys.setprofile(watch.profile)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def main() -> None:
    """Watch the call that the arguments are, and end as it does."""
    root, entry, report, *args = sys.argv[1:]
    module, _, function = entry.partition(":")
    package = Path(root).resolve() / "confint_cli"
    program = getattr(import_module(module), function)
    found = Path(sys.modules["confint_cli"].__file__ or "").parent
    if found != package:
        sys.exit(f"confint_cli is that of {found}, not of {package}")
    watch = Watch(package, [arg for arg in args if os.path.isfile(arg)])
    try:
        watched(lambda: program(args), watch)
    finally:
        Path(report).write_text(json.dumps(watch.report()), encoding="utf-8")


if __name__ == "__main__":
    main()
