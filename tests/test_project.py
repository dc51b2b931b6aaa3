"""The project itself: its samples, its wheel, its documentation."""

import ast
import filecmp
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import click
import pytest

from confint_cli import __version__
from confint_cli.cli import cli
from tests.conftest import ROOT, SAMPLES, without_versions

README = (ROOT / "README.md").read_text(encoding="utf-8")


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


# README examples: a block marked `console` holds commands behind `$` and what they print.


def examples() -> list[tuple[str, str]]:
    found = []
    for block in re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            while command.endswith("\\"):
                more, _, output = output.partition("\n")
                command = command[:-1] + more.removeprefix("> ").strip()
            found.append((command, output))
    return found


def test_there_are_examples() -> None:
    assert len(examples()) >= 10


@pytest.mark.parametrize(("command", "output"), examples(), ids=[c for c, _ in examples()])
def test_an_example_of_the_readme_prints_what_it_says(
    command: str, output: str, tmp_path: Path
) -> None:
    """Both streams, in a copy of the samples; `…` stands for lines left out."""
    shutil.copytree(SAMPLES, tmp_path / "sample_runs")
    program = Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], cwd=tmp_path, text=True, check=False,
        env={**os.environ, "PATH": f"{program}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    pattern = ".*\n".join(map(re.escape, re.split(r"^…\n", without_versions(output),
                                                    flags=re.MULTILINE)))  # fmt: skip
    found = without_versions(done.stdout)
    assert re.fullmatch(pattern, found, flags=re.DOTALL), done.stdout


# Every command and option is documented in the README or, in full, by its help.


def all_commands() -> dict[str, click.Command]:
    context = click.Context(cli)
    return {name: cli.get_command(context, name) for name in cli.list_commands(context)}


@pytest.mark.parametrize("name", all_commands())
def test_every_command_and_option_is_documented(name: str) -> None:
    command = all_commands()[name]
    assert f"confint {name}" in README
    assert command.help
    assert command.short_help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            assert any(option in README for option in parameter.opts), parameter.opts


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
        "significance", "simultaneous", "comparison", "posterior", "normality", "risk",
        "standardization", "planning", "studies", "outputs", "report", "commands", "cli",
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
