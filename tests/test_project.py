"""The project itself: its samples, its wheel, the shape of its code."""

import ast
import filecmp
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from confint_cli import __version__
from tests.conftest import ROOT, SAMPLES


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_the_samples_are_what_their_script_makes(tmp_path: Path) -> None:
    copy = tmp_path / "sample_runs"
    copy.mkdir()
    for name in ("make_samples.py", "README.md", "demo.sh"):
        shutil.copy(SAMPLES / name, copy / name)
    subprocess.run([sys.executable, str(copy / "make_samples.py")], check=True, capture_output=True)
    names = [name for name in files_in(SAMPLES) if "__pycache__" not in name]
    assert files_in(copy) == names
    _, different, strange = filecmp.cmpfiles(SAMPLES, copy, names, shallow=False)
    assert (different, strange) == ([], [])
    assert sum((SAMPLES / name).stat().st_size for name in names) < 3_000_000


def test_the_wheel_holds_the_whole_package(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
         "--disable-pip-version-check", "--wheel-dir", str(tmp_path), str(ROOT)],
        check=True,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
        entry = f"confint_cli-{__version__}.dist-info/entry_points.txt"
        assert "confint = confint_cli.cli:main" in archive.read(entry).decode()
        archive.extractall(tmp_path / "installed")
    assert "confint_cli/py.typed" in inside  # or type checkers would not look at our types
    kinds = ("*.py", "*.html", "*.css", "*.js")
    paths = [path for kind in kinds for path in (ROOT / "confint_cli").rglob(kind)]
    assert len({path.suffix for path in paths}) == len(kinds)
    assert {str(path.relative_to(ROOT)) for path in paths} <= inside
    assert not [name for name in inside if name.startswith(("tests", "sample_runs"))]
    listed = subprocess.run(
        [sys.executable, "-c", "import confint_cli, sys; print(confint_cli.__file__); "
         "from confint_cli.cli import main; main(['formats'])"],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")}, cwd=tmp_path,
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert listed.startswith(str(tmp_path / "installed"))
    assert "what trec_eval 7 to 10 print with -q" in listed
    page = subprocess.run(
        [sys.executable, "-m", "confint_cli", "report", str(SAMPLES / "AP.tsmatrix"), "--quiet"],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")}, cwd=tmp_path / "installed",
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert page.startswith("<!DOCTYPE html>")


def test_the_changelog_has_the_version() -> None:
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_no_source_file_needs_a_map() -> None:
    for path in (ROOT / "confint_cli").rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 350, path


# The shape of the code


def imports_of(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize(
    ("library", "places"),
    [
        ("click", ("cli.py", "options.py", "commands/")),
        ("rich", ("outputs/", "plots/")),
        ("matplotlib", ("plots/",)),
        ("pytrec_eval", ("scoring.py", "commands/_run.py")),
        ("numpy.random", ("resampling.py",)),
        ("random", ("resampling.py",)),
    ],
)
def test_a_library_is_known_only_where_it_belongs(library: str, places: tuple[str, ...]) -> None:
    package = ROOT / "confint_cli"
    for path in package.rglob("*.py"):
        where = str(path.relative_to(package))
        users = {name for name in imports_of(path) if f"{name}.".startswith(f"{library}.")}
        assert not users or where.startswith(places), where


def test_a_file_imports_only_from_its_left() -> None:
    """inputs → Scores → methods → studies → Table → outputs; commands and the program last."""
    order = [
        "inputs", "scores", "joining", "scoring", "methods", "notes", "estimation", "pairs",
        "significance", "sparse_pairs", "max_t", "simultaneous", "comparison", "ranking",
        "posterior", "normality", "risk", "standardization", "planning", "studies", "outputs",
        "report", "commands", "cli",
    ]  # fmt: skip
    package = ROOT / "confint_cli"
    checked = 0
    for place, part in enumerate(order):
        paths = [package / f"{part}.py", *(package / part).glob("*.py")]
        right = tuple(f"confint_cli.{name}" for name in order[place + 1 :])
        for path in filter(Path.exists, paths):
            wrong = {name for name in imports_of(path) if f"{name}.".startswith(
                tuple(f"{name}." for name in right))}  # fmt: skip
            assert not wrong, path
            checked += 1
    assert checked > 40
