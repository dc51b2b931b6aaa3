"""The collections that workloads are about: real ones where CONFINT_DATA has them, else made."""

import atexit
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks import made
from benchmarks.harness import ROOT

DATA = Path(os.environ.get("CONFINT_DATA") or ROOT.parent / "shared" / "data")


@dataclass(frozen=True)
class Collection:
    """Files of per-topic scores, or of runs, and whether they are real."""

    title: str
    paths: Sequence[Path]
    is_real: bool


USED: dict[str, Collection] = {}  # by title, in the order of use: the page names them


@cache
def scratch() -> Path:
    """Return a folder that is there until this process ends."""
    folder = tempfile.TemporaryDirectory(prefix="confint-bench-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _evals(title: str, where: str, names: Sequence[str], topics: int, **more: object) -> list[Path]:
    paths = sorted((DATA / "soboroff2014" / where).glob("*.eval"))
    is_real = bool(paths)
    if not is_real and title not in USED:
        made.write_evals(scratch() / where, names, topics, **more)  # type: ignore[arg-type]
    paths = paths or sorted((scratch() / where).glob("*.eval"))
    USED[title] = Collection(title, paths, is_real)
    return paths


def _numbered(runs: int) -> list[str]:
    return [f"run{number}" for number in range(1, runs + 1)]


def trec8() -> list[Path]:
    """Return what trec_eval printed of the 129 runs of TREC-8 ad hoc, on 50 topics."""
    return _evals("TREC-8 ad hoc", "trec8.adhoc", _numbered(129), 50)


def terabyte() -> list[Path]:
    """Return the same of the 61 runs of TREC 2006 terabyte, on 149 topics."""
    return _evals("TREC 2006 terabyte", "trec15.terabyte-adhoc", _numbered(61), 149)


BASELINE = "NLPR04OKapi"  # of the next


def trec13() -> list[Path]:
    """Return the same of the 83 runs of TREC 2004 robust, on its 100 topics."""
    return _evals("TREC 2004 robust", "trec13.robust", [*_numbered(82), BASELINE], 100)


def ntcir7() -> list[Path]:
    """Return what NTCIREVAL gave for the 40 runs of NTCIR-7 IR4QA, on 97 topics."""
    names = ("AP_1000", "Q_1000", "nERR_1000", "MSnDCG_1000")
    return _evals("NTCIR-7 IR4QA", "ntcir7.ir4qa", _numbered(40), 97, measures=names)


def robust2004() -> Path:
    """Return average precision of the 110 runs of TREC 2004 robust on 249 topics, a table."""
    title = "TREC 2004 robust (249 topics)"
    real = DATA / "robust2004" / "robust2004_ap.csv"
    path = real if real.is_file() else scratch() / real.name
    if not path.exists():
        made.write_matrix(path, 249, 110)
    USED[title] = Collection(title, [path], path is real)
    return path


def robust2003() -> tuple[Path, list[Path]]:
    """Return the judgements and 17 runs of TREC 2003 robust, gzip files of 1.5 million lines."""
    title = "TREC 2003 robust"
    folder = DATA / "robust2003-runs"
    is_real = folder.is_dir()
    if not is_real:
        folder = scratch() / "robust2003-runs"
        if not folder.exists():
            (folder / "runs").mkdir(parents=True)
            task = made.Task(topics=100, depth=890, judged=1288)
            task.write_judgements(folder / "robust03_qrels.txt")
            for run in range(17):
                task.write_run(folder / "runs" / f"run{run:04}.gz", run)
    runs = sorted((folder / "runs").glob("*.gz"))
    USED[title] = Collection(title, runs, is_real)
    return folder / "robust03_qrels.txt", runs


def pages_line() -> str:
    """Return which data were used, for the page."""
    real = [one.title for one in USED.values() if one.is_real]
    stand_ins = [one.title for one in USED.values() if not one.is_real]
    said = []
    if real:
        said.append(f"Real data: {', '.join(real)}.")
    if stand_ins:
        said.append(
            "Made-up data of the same shape (by a seeded script, `benchmarks/made.py`) stand in "
            f"for: {', '.join(stand_ins)}."
        )
    return " ".join(said)
