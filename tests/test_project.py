"""The project itself: its samples, its wheel, the shape of its code."""

import ast
import filecmp
import os
import re
import shutil
import subprocess
import sys
import zipfile
from datetime import date
from functools import cache
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
    assert sum((SAMPLES / name).stat().st_size for name in names) < 3_500_000


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
        assert "confint = confint_cli.app.cli:main" in archive.read(entry).decode()
        archive.extractall(tmp_path / "installed")
    assert "confint_cli/py.typed" in inside  # or type checkers would not look at our types
    kinds = ("*.py", "*.html", "*.css", "*.js")
    paths = [path for kind in kinds for path in (ROOT / "confint_cli").rglob(kind)]
    assert len({path.suffix for path in paths}) == len(kinds)
    assert {str(path.relative_to(ROOT)) for path in paths} <= inside
    assert not [name for name in inside if name.startswith(("tests", "sample_runs"))]
    listed = subprocess.run(
        [sys.executable, "-c", "import confint_cli, sys; print(confint_cli.__file__); "
         "from confint_cli.app.cli import main; main(['formats'])"],
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


def test_the_citation_is_of_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    fields = dict(re.findall(r"^([a-z-]+): *(.*)$", text, re.MULTILINE))
    assert {"cff-version", "message", "title", "authors", "license", "type"} <= {*fields}
    assert fields["version"] == __version__
    released = date.fromisoformat(fields["date-released"])
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", changes, re.MULTILINE)[0] == __version__
    assert released >= date(2026, 11, 19)
    assert fields["license"] in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


# The shape of the code: docs/architecture.md

PACKAGE = ROOT / "confint_cli"
ROOMS = ("common", "inputs", "scores", "stats", "studies", "outputs", "app")
SOURCES = sorted(PACKAGE.rglob("*.py"))


@cache
def imports_of(path: Path) -> set[str]:
    """Return all that a file imports: modules, and names in modules with the module before them."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert not node.level, f"{path} imports from a dot"
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def faults_of(room: str, imports: set[str]) -> list[str]:
    """Return the imports that a file of a room must not have."""
    own = {name for name in imports if name.startswith("confint_cli.")}
    left = {*ROOMS[: ROOMS.index(room) + 1], "__version__"}
    faults = [name for name in own if name.split(".")[1] not in left]
    elsewhere = [name for name in own if name.split(".")[1] != room]
    private = [name for name in elsewhere for part in name.split(".")[1:]
               if part.startswith("_") and part != "__version__"]  # fmt: skip
    return sorted({*faults, *private})


@pytest.mark.parametrize("room", ROOMS)
def test_a_file_imports_from_rooms_to_its_left_and_no_private_name_of_another(room: str) -> None:
    files = sorted((PACKAGE / room).rglob("*.py"))
    assert len(files) > 5
    wrong = {str(path): faults_of(room, imports_of(path)) for path in files}
    assert {path: faults for path, faults in wrong.items() if faults} == {}


def test_what_a_file_must_not_import_is_seen() -> None:
    imports = {"confint_cli.common.text", "confint_cli.app.cli", "confint_cli.inputs.rows._private",
               "confint_cli.stats._hidden.name", "confint_cli.stats.sample._own",
               "confint_cli.__version__", "numpy.random"}  # fmt: skip
    assert faults_of("stats", imports) == ["confint_cli.app.cli",
                                           "confint_cli.inputs.rows._private"]  # fmt: skip


EXPLANATIONS = {"Explained", "Method", "SignificanceTest"}
EXPLAINING = {
    "summary",
    "formula",
    "explanation",
    "reference",
    "words",
    "caution",
    "of_two_runs",
    "domain",
}


def english_in(text: str) -> list[str]:
    """Return the strings with a blank in them, but for docstrings and explanations."""
    tree = ast.parse(text)
    allowed: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            allowed |= {*ast.walk(node.body[0])} if ast.get_docstring(node) is not None else set()
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in EXPLANATIONS:
            told = [keyword.value for keyword in node.keywords if keyword.arg in EXPLAINING]
            allowed |= {inner for value in told for inner in ast.walk(value)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if " " in node.value and node not in allowed
    ]


def test_numerics_have_no_words_for_the_user() -> None:
    """Doubts are flags in `stats`, and who checks a question speaks of it; explanations stay."""
    files = [path for path in SOURCES if PACKAGE / "stats" in path.parents]
    assert len(files) > 30
    words = {str(path): english_in(path.read_text(encoding="utf-8")) for path in files}
    assert {path: found for path, found in words.items() if found} == {}
    telling = {"confint_cli.common.errors", "confint_cli.common.guesses"}
    speaking = [path for path in files if telling & imports_of(path)]
    assert speaking == []


def test_english_is_seen() -> None:
    faulty = '''"""A module."""
METHOD = Method(summary="a t interval", name="not explained", interval=interval)

def check(number):
    """Refuse it."""
    assert number, "some are needed"
    kind = "skewed"
    """A string that is no docstring."""
    raise ValueError(f"{number} topics")
'''
    assert sorted(english_in(faulty)) == [
        " topics", "A string that is no docstring.", "not explained", "some are needed",
    ]  # fmt: skip


# Readers of an answer read records and facts, and nothing that another reader made.

LABELLING = {  # who writes the signature, or makes it
    "studies/facts.py", "studies/answer.py", "outputs/csv.py", "outputs/tsv.py", "outputs/json.py",
    "outputs/markdown.py", "outputs/latex.py", "outputs/table.py", "outputs/figures/__init__.py",
    "outputs/page/__init__.py", "outputs/page/fragment.py", "outputs/paper/__init__.py",
    "outputs/paper/latex.py", "outputs/paper/markdown.py", "outputs/paper/table.py",
    "app/python.py",
}  # fmt: skip
TABLES = {"Table", "View", "Column", "Marked", "Interval", "Span", "Strip", "Histogram"}
DRAWING_CELLS = {  # renderers: a cell is shown by its type
    "outputs/cells.py", "outputs/picture.py", "outputs/table.py", "outputs/page/tables.py",
}  # fmt: skip


def where(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def looks_into_results(text: str) -> list[str]:
    """Return what code reads of a signature, of a note in words, or of the types of cells."""
    seen = []
    for node in ast.walk(ast.parse(text)):
        is_signature = isinstance(node, ast.Attribute) and node.attr.startswith("signature")
        if is_signature and ast.unparse(node.value) not in ("writing", "options"):  # --signature
            seen.append("signature")
        if isinstance(node, ast.Name) and node.id in ("signature_of", "in_one_line"):
            seen.append("signature")
        notes = [
            inner
            for inner in ast.iter_child_nodes(node)
            if isinstance(inner, ast.Attribute) and inner.attr in ("note", "sentence")
        ]
        if isinstance(node, ast.Compare) and notes and isinstance(node.ops[0], ast.In | ast.NotIn):
            seen.append("note")
        if isinstance(node, ast.Attribute) and notes:  # a method of the text: .split, .replace
            seen.append("note")
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
            kinds = {inner.id for inner in ast.walk(node.args[1]) if isinstance(inner, ast.Name)}
            seen += ["cells"] * bool(kinds & TABLES)
    return seen


def test_no_code_looks_into_a_signature_a_note_or_a_finished_table() -> None:
    faults = {}
    for path in SOURCES:
        allowed = {"signature"} if where(path) in LABELLING else set()
        allowed |= {"cells"} if where(path) in DRAWING_CELLS else set()
        if found := {*looks_into_results(path.read_text(encoding="utf-8"))} - allowed:
            faults[where(path)] = found
    assert faults == {}


def test_figures_know_no_tables_and_studies_no_outputs() -> None:
    figures = [path for path in SOURCES if PACKAGE / "outputs/figures" in path.parents]
    assert len(figures) > 10
    for path in figures:
        tables = {f"confint_cli.common.table.{name}" for name in TABLES}
        assert not imports_of(path) & tables, path
    views = [path for path in SOURCES if path.name.endswith("_view.py")]
    assert len(views) > 8
    for path in views:  # made of records, not of what the study computed them from
        computed = {"confint_cli.stats.estimate", "confint_cli.scores.scores"}
        assert not imports_of(path) & computed, path


def test_looking_into_results_is_seen() -> None:
    assert looks_into_results("level = float(table.signature['levels'])") == ["signature"]
    assert looks_into_results("constant = 'no variance' in row.note") == ["note"]
    assert looks_into_results("words = row.note.split(', ')") == ["note"]
    assert looks_into_results("[cell for cell in row if isinstance(cell, (Span, Strip))]") == [
        "cells"
    ]
    assert looks_into_results("text = f'({row.note})'; level = facts['levels'][0]") == []


def test_the_root_holds_the_rooms_and_two_modules() -> None:
    inside = {path.name for path in PACKAGE.iterdir()} - {"__pycache__"}
    assert inside == {*ROOMS, "__init__.py", "__main__.py", "py.typed"}


@pytest.mark.parametrize(
    ("library", "places"),
    [
        ("click", ("app/",)),
        ("matplotlib", ("outputs/figures/",)),
        ("rich", ("outputs/", "app/messages.py")),
        ("pytrec_eval", ("scores/scorer.py",)),
        ("numpy.random", ("stats/random.py",)),
        ("random", ("stats/random.py",)),
    ],
)
def test_a_library_is_known_only_where_it_belongs(library: str, places: tuple[str, ...]) -> None:
    known = set()
    for path in SOURCES:
        where = path.relative_to(PACKAGE).as_posix()
        text = path.read_text(encoding="utf-8")
        by_name = library == "numpy.random" and re.search(r"\bnp\.random\.\w+\(", text)
        if by_name or any(f"{name}.".startswith(f"{library}.") for name in imports_of(path)):
            known.add(where)
    assert [where for where in sorted(known) if not where.startswith(places)] == []


USER = """
import confint_cli as confint

result = confint.compare("evals", measure="map", baseline="bm25", level=[0.9, "95%"])
better: list[str] = [row.run for row in result.rows if row.significant and row.p_t < 0.01]
low: float = confint.interval({"a": {"1": {"map": 0.5}}}).rows[0].low
ranks: int = confint.rank("evals").rows[0].rank_high
try:
    confint.plan("evals", half_width=0.03)
except confint.DataError as error:
    hint: str = error.hint
"""


@pytest.mark.slow
def test_programs_that_use_the_package_can_be_checked_by_their_types(tmp_path: Path) -> None:
    faulty = USER + "wrong: str = result.rows[0].low\nconfint.rank('evals', levels=0.9)\n"
    (tmp_path / "right.py").write_text(USER)
    (tmp_path / "wrong.py").write_text(faulty)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir",
         str(tmp_path / "cache"), "right.py", "wrong.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert [line.partition(": error: ")[0] for line in errors] == ["wrong.py:12", "wrong.py:13"]
