"""What all tests share: the program run in this process, and the real data where they are."""

import importlib
import io
import os
import pkgutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

import confint_cli
from confint_cli.common.parallel import prepare_for_arrays

prepare_for_arrays()  # as the program does, before numpy is imported
settings.register_profile("untimed", deadline=None)  # a busy machine is no defect
settings.load_profile("untimed")

# Children inherit what is ignored: SIGINT by a shell's &, SIGHUP by nohup.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "sample_runs"


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str

    @property
    def rows(self) -> list[list[str]]:
        """The fields of each line of TSV after the header."""
        return [line.split("\t") for line in self.out.splitlines()[1:]]


def write(path: Path, scores: dict[str, dict[str, list[float]]]) -> Path:
    """Write a long table of {run: {measure: scores of topics 1, 2, …}}."""
    lines = ["run\ttopic\tmeasure\tscore"]
    for run, by_measure in scores.items():
        for measure, values in by_measure.items():
            lines += [f"{run}\t{t}\t{measure}\t{v}" for t, v in enumerate(values, 1)]
    path.write_text("\n".join([*lines, ""]))
    return path


def worth_a_process(path: Path, folder: Path, size: int = 10_000_000) -> Path:
    """Copy a run or scores, so large that a part of the work is left to other processes."""
    copy = folder / path.name
    copy.write_bytes(path.read_bytes() + b" " * size + b"\n")
    return copy


def records(result: Result) -> list[dict[str, str]]:
    """Return the rows of TSV by the names of their columns."""
    assert result.status == 0, result.err
    header = result.out.splitlines()[0].split("\t")
    return [dict(zip(header, row, strict=True)) for row in result.rows]


Confint = Callable[..., Result]


@pytest.fixture
def confint(monkeypatch: pytest.MonkeyPatch) -> Confint:
    """The program: `confint("score", path, stdin=b"…")`, run as from a pipe."""
    from confint_cli.app.cli import run

    def call(*args: object, stdin: bytes = b"") -> Result:
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
            status = run([str(arg) for arg in args])
        texts = []
        for stream in streams:
            stream.flush()
            texts.append(stream.buffer.getvalue().decode())
        return Result(status, *texts)

    return call


@pytest.fixture(scope="session")
def quick_confint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The program as a file to be called from a shell, which does not spend time on its start."""
    from tests.shell import quick_program

    with quick_program(tmp_path_factory.mktemp("quick")) as path:
        yield path


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data, `CONFINT_DATA`; tests that need it are skipped where it is not."""
    path = data_folder()
    if not path.is_dir():
        pytest.skip("needs real evaluation data: set CONFINT_DATA to their folder")
    return path


def data_folder() -> Path:
    return Path(os.environ.get("CONFINT_DATA", ROOT.parent / "shared" / "data"))


def pytest_collection_finish() -> None:
    """Import the whole package, so that random tests are the same in every worker and order.

    Hypothesis draws some of its examples from the constants of the modules that are loaded.
    """
    for module in pkgutil.walk_packages(confint_cli.__path__, "confint_cli."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-golden", action="store_true", help="write the expected outputs anew")
