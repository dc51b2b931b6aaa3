"""The shape of the code: its size, who knows whom, the way of the data, the start: `make shape`.

    python -m benchmarks.shape [--root FOLDER_OF_A_CHECKOUT] [--rounds N] [--json]

Nothing of the checkout is taken for granted but its package, the entry point in its pyproject.toml
and its samples, so that the figures of an old one can stand beside those of today.
"""

import argparse
import ast
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from benchmarks import spine
from benchmarks.harness import ROOT, say

PACKAGE = "confint_cli"
ROUNDS = 15
PEER = "import click"
SAMPLE, SAMPLES = "sample_runs/trec_eval/bm25.eval", "sample_runs/trec_eval/*.eval"

INTERVAL = ("interval", SAMPLE, "-m", "map", "--method", "t")
CALLS = {
    "interval": INTERVAL,
    "coverage": (
        "coverage", SAMPLES, "-m", "map", "--replicates", "100", "--method", "t",
        "--sample-size", "20", "--jobs", "1",
    ),
    "compare": ("compare", SAMPLES, "-m", "map", "--baseline", "bm25"),
}  # fmt: skip
_ALWAYS = (spine.BYTES, spine.READ, spine.JOIN, spine.METHOD, spine.ANSWER, spine.RENDER,
           spine.WRITE)  # fmt: skip
TURNING_POINTS = {
    "interval": _ALWAYS, "coverage": _ALWAYS, "compare": (*_ALWAYS, spine.TEST)
}  # fmt: skip
GOALS = {"hops": "45", "--help": "2.00"}  # at most; there is one module per thing, however many


# Modules and what they import


@dataclass(frozen=True)
class Fan:
    """How many modules a module imports, or is imported by."""

    median: float
    most: int
    module: str  # the one with most

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> "Fan":
        """Return the middle and the largest of some counts by module."""
        module = max(counts, key=lambda name: (counts[name], name))
        return cls(statistics.median(counts.values()), counts[module], module)


@dataclass(frozen=True)
class Code:
    """What can be told of the package without running it."""

    modules: int
    without_init: int
    in_root: int
    lines: int
    edges: int
    fan_in: Fan
    fan_out: Fan
    cycle: tuple[str, ...]  # modules of which each imports the next; empty: there is none


def code_of(root: Path) -> Code:
    """Look at the package of a checkout."""
    paths = {module_of(path, root): path for path in sorted((root / PACKAGE).rglob("*.py"))}
    texts = {module: path.read_text(encoding="utf-8") for module, path in paths.items()}
    trees = {module: ast.parse(text) for module, text in texts.items()}
    knows = {module: own_imports(tree, module, paths, late=True) for module, tree in trees.items()}
    at_once = {
        module: own_imports(tree, module, paths, late=False) for module, tree in trees.items()
    }
    known_by = {
        module: sum(module in others for others in knows.values()) for module in knows
    }  # fmt: skip
    return Code(
        modules=len(paths),
        without_init=sum(path.name != "__init__.py" for path in paths.values()),
        in_root=sum(path.parent == root / PACKAGE for path in paths.values()),
        lines=sum(len(text.splitlines()) for text in texts.values()),
        edges=sum(map(len, knows.values())),
        fan_in=Fan.of(known_by),
        fan_out=Fan.of({module: len(others) for module, others in knows.items()}),
        cycle=cycle_in(at_once),
    )


def module_of(path: Path, root: Path) -> str:
    """Return the name that a file is imported by."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def own_imports(
    tree: ast.Module, module: str, modules: Mapping[str, object], *, late: bool
) -> set[str]:
    """Return the other modules of the package that one imports.

    `late` ones are imported in functions or for type checkers only, and do no harm in a circle.
    """
    found = set()
    for node in ast.walk(tree) if late else _at_import(tree.body):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            deeper = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in modules else node.module for name in deeper]
        else:
            continue
        found |= {name for name in names if name in modules}
    return found - {module}


def _at_import(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that are run when a module is imported, those in `if` and `try` too."""
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        yield statement
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            yield from _at_import(statement.orelse)
            continue
        for field in ("body", "orelse", "finalbody"):
            yield from _at_import(getattr(statement, field, []))
        for handler in getattr(statement, "handlers", []):
            yield from _at_import(handler.body)


def cycle_in(imports: Mapping[str, set[str]]) -> tuple[str, ...]:
    """Return a circle of modules that import one another, if there is one."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return tuple(reversed(error.args[1]))
    return ()


# The way of the data


@dataclass(frozen=True)
class Spine:
    """What the data pass in one call: see benchmarks/spine.py."""

    hops: int  # activations on the stack at any turning point
    first_hops: int  # … when it is reached for the first time
    files: int
    functions: int  # all of ours that are called, on the way or beside it
    way: tuple[str, ...]  # the first hops, the innermost of each turning point first
    points: Mapping[str, int]  # how often each turning point is reached


def spine_of(root: Path, name: str) -> Spine:
    """Watch one of the calls, its output into a pipe."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        watch = [sys.executable, "-P", spine.__file__, str(root), entry_point(root), str(report)]
        _run(root, [*watch, *arguments(root, CALLS[name])], PYTHONDONTWRITEBYTECODE="1")
        seen = Spine(**json.loads(report.read_text(encoding="utf-8")))
    missed = [point for point in TURNING_POINTS[name] if point not in seen.points]
    if missed:  # a small count would pass for a short way
        sys.exit(f"{name}: not seen on the way of the data: {', '.join(missed)}")
    return seen


def arguments(root: Path, call: Sequence[str]) -> list[str]:
    """Return the words of a call, with the names of files for a pattern."""
    words = []
    for word in call:
        files = (
            sorted(str(path.relative_to(root)) for path in root.glob(word)) if "*" in word else []
        )
        words += files or [word]
    return words


def entry_point(root: Path) -> str:
    """Return the `module:function` that the program starts with."""
    with open(root / "pyproject.toml", "rb") as file:
        entry: str = tomllib.load(file)["project"]["scripts"]["confint"]
    return entry


def _run(root: Path, command: Sequence[str], **settings: str) -> None:
    """Run a command that finds the package of the checkout, as a user's Python would.

    Ours may have been told to keep nothing compiled, or to write at once.
    """
    usual = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        command, cwd=root, env={**usual, "PYTHONPATH": str(root), **settings}, capture_output=True,
        stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.stderr.buffer.write(done.stderr)
        sys.exit(f"exit status {done.returncode}: {' '.join(command)[:200]}")


# The start


@dataclass(frozen=True)
class Start:
    """Seconds of a call, and how many times those of its peer they are."""

    seconds: float
    ratio: float


def starts_of(root: Path, rounds: int) -> tuple[float, dict[str, Start]]:
    """Return the seconds of the peer, and those of our calls: medians of runs in turns.

    Modules are compiled beforehand, as those of an installed program are, and not in the checkout,
    which may be one that cannot be written to.
    """
    module, _, function = entry_point(root).partition(":")
    # What the installed `confint` does; that one is of another checkout, perhaps.
    ours = [sys.executable, "-c", f"from {module} import {function}; {function}()"]
    commands = {
        "peer": [sys.executable, "-c", PEER],
        "--help": [*ours, "--help"],
        "interval": [*ours, *INTERVAL],
    }
    took: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as compiled:
        for place in range(rounds + 1):
            for name, command in commands.items():
                began = time.perf_counter()
                _run(root, command, PYTHONPYCACHEPREFIX=compiled)
                if place:  # the first one compiles
                    took[name].append(time.perf_counter() - began)
    medians = {name: statistics.median(seconds) for name, seconds in took.items()}
    peer = medians.pop("peer")
    return peer, {name: Start(seconds, seconds / peer) for name, seconds in medians.items()}


# The table


@dataclass(frozen=True)
class Shape:
    """All that is measured of a checkout."""

    code: Code
    spines: Mapping[str, Spine]
    peer_seconds: float
    starts: Mapping[str, Start]


def shape_of(root: Path, rounds: int = ROUNDS) -> Shape:
    """Measure a checkout."""
    say("modules")
    code = code_of(root)
    spines = {}
    for name in CALLS:
        say(f"the way of the data in {name}")
        spines[name] = spine_of(root, name)
    say(f"the start, {rounds} times")
    return Shape(code, spines, *starts_of(root, rounds))


def as_table(shape: Shape) -> str:
    """Return the figures, for people."""
    code = shape.code
    rows: list[tuple[str, str, str, str]] = [
        (
            "modules",
            str(code.modules),
            "",
            f"{code.without_init} without __init__.py",
        ),
        ("modules in the root", str(code.in_root), "", ""),
        ("lines", str(code.lines), "", ""),
        ("imports of own modules", str(code.edges), "", ""),
        ("fan-in, median", f"{code.fan_in.median:g}", "", ""),
        ("fan-in, most", str(code.fan_in.most), "", code.fan_in.module),
        ("fan-out, median", f"{code.fan_out.median:g}", "", ""),
        ("fan-out, most", str(code.fan_out.most), "", code.fan_out.module),
        ("import cycle", "yes" if code.cycle else "no", "no", " > ".join(code.cycle)),
    ]
    for name, seen in shape.spines.items():
        rows += [
            (f"{name}: hops", str(seen.hops), "", "every activation, of loops too"),
            (f"{name}: hops, first", str(seen.first_hops), GOALS["hops"],
             "turning points reached for the first time"),
            (f"{name}: files on the way", str(seen.files), "", ""),
            (f"{name}: functions called", str(seen.functions), "", "on the way or beside it"),
        ]  # fmt: skip
    rows.append((f"python -c '{PEER}'", f"{1000 * shape.peer_seconds:.0f} ms", "", ""))
    for name, start in shape.starts.items():
        beside = f"times that; {1000 * start.seconds:.0f} ms"
        rows.append((f"start of {name}", f"{start.ratio:.2f}", GOALS.get(name, ""), beside))
    heads = ("", "measured", "at most", "")
    what, value, goal, _ = (max(map(len, column)) for column in zip(heads, *rows, strict=True))
    lines = [
        f"{a:<{what}}  {b:>{value}}  {c:>{goal}}  {d}".rstrip() for a, b, c, d in (heads, *rows)
    ]
    return "\n".join(lines)


def as_json(shape: Shape) -> dict[str, Any]:
    """Return the figures, for programs."""
    return asdict(shape)


def main() -> None:
    """Measure the checkout that the call names, and print the figures."""
    about, *_ = (__doc__ or "").splitlines()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shape", description=about)
    parser.add_argument("--root", type=Path, default=ROOT, help="folder of a checkout")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="runs of each timed command")
    parser.add_argument("--json", action="store_true", help="print JSON, and the way of the data")
    options = parser.parse_args()
    shape = shape_of(options.root.resolve(), options.rounds)
    print(json.dumps(as_json(shape), indent=2) if options.json else as_table(shape))


if __name__ == "__main__":
    main()
