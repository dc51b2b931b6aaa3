"""Mutation testing: is every line of the statistics and of the readers held by a test?

    make mutants MUTANTS_MINUTES=10 MUTANTS_SEED=0
    python -m tests.mutation.run [--minutes N] [--seed N] [--only 'stats/ppi*.py'] [TESTS …]

mutmut makes the mutants: copies of a function with one change each, such as `<=` for `<`. Tests
that call the function have to fail then; where none does, the mutant survives. This is printed,
with the change, after a table by file. Mutants are taken in random order (the same seed gives the
same) until the time is over; 0 minutes is until all are tried.

mutmut's own runs are a session of pytest each, which takes a second. Here all are forks of a
single session that has collected the tests already (`session.py`), and tests that take less time
come first.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from mutmut.mutation.diff_apply import get_diff_for_mutant

from tests.conftest import ROOT, data_folder

PACKAGE = "confint_cli"
MUTATED = ("stats/*", "inputs/*")
_TESTS = {"stats": "tests/stats", "inputs": "tests/inputs"}  # of each room that may be mutated
_QUICK = "not slow and not long"
_KILLED, _SURVIVED, _UNTESTED, _SLOW = OUTCOMES = ("killed", "survived", "no test", "too slow")

_ignored = shutil.ignore_patterns(
    ".venv*", ".git", ".*_cache", ".hypothesis", "__pycache__", "*.egg-info"
)

_GENERATE = """
from mutmut import __main__ as mutmut
from mutmut.mutation.trampoline import set_mutant_under_test
set_mutant_under_test("mutant_generation")
mutmut.makedirs("mutants", exist_ok=True)
mutmut.copy_src_dir()
mutmut.copy_also_copy_files()
mutmut.setup_source_paths()
mutmut.create_mutants(2)
"""


def main() -> int:
    """Make mutants, try them and print those that survive; return 1 if there are any."""
    asked = _arguments()
    with tempfile.TemporaryDirectory(prefix="confint-mutants-") as scratch:
        folder = Path(scratch)
        mutants = _generated(folder, asked.only or MUTATED)
        if asked.mutants:
            named = set(asked.mutants.read_text(encoding="utf-8").split())
            mutants = [name for name in mutants if name in named]
        if asked.minutes:
            random.Random(asked.seed).shuffle(mutants)
        tests = asked.tests or [where for room, where in _TESTS.items() if _has(mutants, room)]
        print(f"{len(mutants)} mutants; tests: {' '.join(tests)}", flush=True)
        outcomes = _tried(folder, mutants, tests, asked)
        if asked.keep:
            asked.keep.write_text(json.dumps(outcomes, indent=1) + "\n", encoding="utf-8")
        _show(folder, outcomes, len(mutants))
    return int(any(outcome != _KILLED for outcome in outcomes.values()))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10, help="0: until all are tried")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", help="files below the package, such as stats/*")
    parser.add_argument("--mutants", type=Path, help="a file with names of mutants: try only these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--longest", type=float, default=10, help="seconds of tests for a mutant")
    parser.add_argument("--marked", default=_QUICK, help="which tests, as for pytest -m")
    parser.add_argument("--keep", type=Path, help="write outcomes to this file, as JSON")
    parser.add_argument("tests", nargs="*", help="files or folders of tests")
    return parser.parse_args()


def _has(mutants: Sequence[str], room: str) -> bool:
    return any(name.startswith(f"{PACKAGE}.{room}.") for name in mutants)


def _generated(folder: Path, only: Sequence[str]) -> list[str]:
    """Copy the project to `folder`, with the mutants of the files in `mutants/`; return names."""
    shutil.copytree(ROOT, folder, ignore=_ignored, dirs_exist_ok=True)
    files = [
        path.relative_to(folder).as_posix()
        for path in sorted((folder / PACKAGE).rglob("*.py"))
        if any(fnmatch(path.relative_to(folder / PACKAGE).as_posix(), own) for own in only)
    ]
    copied = sorted({path.name for path in folder.iterdir()} - {PACKAGE, "pyproject.toml"})
    with (folder / "pyproject.toml").open("a", encoding="utf-8") as settings:
        settings.write(
            f"\n[tool.mutmut]\nsource_paths = {json.dumps([PACKAGE])}\n"
            f"only_mutate = {json.dumps(files)}\nalso_copy = {json.dumps(copied)}\n"
        )
    subprocess.run(
        [sys.executable, "-c", _GENERATE], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
    mutants = []
    for path in sorted((folder / "mutants" / PACKAGE).rglob("*.meta")):
        mutants += json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
    return mutants


def _tried(
    folder: Path, mutants: Sequence[str], tests: Sequence[str], asked: argparse.Namespace
) -> dict[str, str]:
    """Return what became of each mutant that was tried."""
    names, results = folder / "names.json", folder / "outcomes.json"
    names.write_text(json.dumps(mutants), encoding="utf-8")
    subprocess.run(
        [
            sys.executable, "-m", "pytest", "-p", "tests.mutation.session", "-p", "no:xdist",
            "-p", "no:cacheprovider", "--assert=plain", "--tb=no", "-m", asked.marked, *tests,
        ],
        cwd=folder / "mutants",
        env=os.environ | {
            "CONFINT_DATA": str(data_folder().resolve()),
            "MUTANTS": str(names),
            "MUTANTS_OUTCOMES": str(results),
            "MUTANTS_MINUTES": str(asked.minutes),
            "MUTANTS_JOBS": str(asked.jobs),
            "MUTANTS_LONGEST": str(asked.longest),
        },
        check=True,
    )  # fmt: skip
    outcomes: dict[str, str] = json.loads(results.read_text(encoding="utf-8"))
    return outcomes


def _show(folder: Path, outcomes: dict[str, str], number: int) -> None:
    """Print a table by file, and the changes that no test noticed."""
    by_file: dict[str, Counter[str]] = {}
    for mutant, outcome in outcomes.items():
        by_file.setdefault(_file_of(mutant), Counter())[outcome] += 1
    width = max(map(len, by_file), default=0)
    print(f"\n{'file':{width}}  tried  {'  '.join(OUTCOMES)}")
    total: Counter[str] = Counter()
    for name, counts in [*sorted(by_file.items()), ("all", total)]:
        if name != "all":
            total += counts
        figures = "  ".join(f"{counts[outcome]:{len(outcome)}}" for outcome in OUTCOMES)
        print(f"{name:{width}}  {counts.total():5}  {figures}")
    if total:
        share = 1 - (total[_SURVIVED] + total[_UNTESTED]) / total.total()
        print(f"{total.total()} of {number} mutants tried; tests notice {share:.1%}")
    os.chdir(folder)  # where mutmut looks for them
    for mutant, outcome in sorted(outcomes.items()):
        if outcome in (_SURVIVED, _UNTESTED):
            changed = [
                line for line in get_diff_for_mutant(mutant).splitlines() if line[:1] in "+-"
            ]
            lines = [line for line in changed if line[:3] not in ("+++", "---")]
            print(f"\n{mutant}: {outcome}", *lines, sep="\n")
    os.chdir(ROOT)


def _file_of(mutant: str) -> str:
    return mutant.rpartition(".x")[0].removeprefix(f"{PACKAGE}.").replace(".", "/")


if __name__ == "__main__":
    sys.exit(main())
