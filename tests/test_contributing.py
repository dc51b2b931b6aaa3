"""CONTRIBUTING.md: its examples are files that work as they stand, and that everything follows."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import ROOT, SAMPLES

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILES: dict[str, str] = dict(re.findall(r"```python\n# (\S+)\n(.*?)```", PAGE, flags=re.DOTALL))

# Tests of each kind of thing, and how many of them there have to be of the new one.
TESTS_OF_ITS_KIND = {
    "stats/methods/test_promises.py": ("johnson-t", 15),
    "stats/methods/test_references.py": ("johnson-t", 1),
    "stats/methods/test_johnson_t.py": ("johnson_t", 1),
    "inputs/test_name_value.py": ("test_name_value", 2),
    "stats/significance/test_promises.py": ("yuen", 10),
    "inputs/test_all_formats.py": ("name_value", 10),
    "outputs/test_outputs.py": ("org", 15),
    "app/test_columns.py": ("best", 2),
    "app/test_help.py": ("best", 4),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with all files of the page, and not a letter changed elsewhere."""
    folder = tmp_path_factory.mktemp("contributing") / "project"
    for name in ("confint_cli", "tests", "docs", "sample_runs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md", "SECURITY.md"):
        shutil.copy(ROOT / name, folder)
    for path, content in FILES.items():
        assert not (folder / path).exists(), f"{path} is no example of a new file any more"
        (folder / path).write_text(content, encoding="utf-8")
    return folder


def run(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a module of Python in the copy, which is found there and not where it is installed."""
    return subprocess.run(
        [sys.executable, "-m", *map(str, words)], cwd=folder, text=True, check=False,
        capture_output=True, env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "80"},
    )  # fmt: skip


def test_there_is_an_example_of_each_kind() -> None:
    assert {str(Path(path).parent) for path in FILES} == {
        "confint_cli/stats/methods", "confint_cli/stats/significance", "confint_cli/inputs/formats",
        "confint_cli/outputs", "confint_cli/outputs/figures", "confint_cli/studies",
        "confint_cli/app/commands", "tests/stats/methods", "tests/inputs",
    }  # fmt: skip


def test_examples_are_as_tidy_as_the_rest(copy: Path) -> None:
    for command in (["check"], ["format", "--check"]):
        done = run(copy, "ruff", *command, "--no-cache", *FILES)
        assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_the_tests_of_its_kind_hold_for_a_new_file(copy: Path) -> None:
    chosen = " or ".join(name for name, _ in TESTS_OF_ITS_KIND.values())
    files = [f"tests/{name}" for name in TESTS_OF_ITS_KIND]
    done = run(copy, "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-rA", "-k", chosen,
               *files)  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    passed = Counter(re.findall(r"^PASSED tests/([\w/.]+)::", done.stdout, flags=re.MULTILINE))
    for name, (_, least) in TESTS_OF_ITS_KIND.items():
        assert passed[name] >= least, (name, passed[name])


def test_lists_options_and_messages_follow(copy: Path, tmp_path: Path) -> None:
    def confint(*words: object) -> str:
        done = run(copy, "confint_cli", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    evals = [SAMPLES / f"trec_eval/{name}.eval" for name in ("bm25", "hybrid")]
    assert "\njohnson-t\t" in confint("methods")
    assert "Johnson" in confint("methods", "johnson-t")
    assert "\nyuen\t" in confint("tests")
    assert "\nname_value\t" in confint("formats")
    assert "  best " in confint("--help")
    assert "|org]" in confint("score", "--help")
    assert "--plot" in confint("score", "--help")
    compared = confint("compare", *evals, "-m", "map", "--baseline", "bm25", "--test", "yuen")
    assert "p_yuen" in compared
    seeds = sorted((copy / "sample_runs/seeds").glob("*.seed*.eval"))
    call = ["-m", "map", "--labels", "{run}.seed{repeat}.eval", *seeds]
    for words in (["interval", "--method", "johnson-t"],
                  ["compare", "--all-pairs", "--test", "t,yuen"]):  # fmt: skip
        refused = run(copy, "confint_cli", *words, *call)
        assert refused.returncode == 2
        assert "nobody has shown that it holds its level there" in refused.stderr
    assert "\tjohnson-t\t" in confint("interval", *evals, "-m", "map", "--method", "all")
    table, figure = tmp_path / "scores.org", tmp_path / "scores.png"
    confint("score", *evals, "-m", "map", "-o", table, "--plot", figure)
    assert table.read_text(encoding="utf-8").startswith("| run | topic | measure | score |\n")
    assert figure.stat().st_size > 5_000
    assert confint("best", *evals, "-m", "map").splitlines()[1].split("\t")[1] == "hybrid"
    pages = run(copy, "docs.make_pages")
    assert pages.returncode == 0, pages.stderr
    assert "docs/best.md is new" in pages.stdout
    assert "### johnson-t\n" in (copy / "docs/methods.md").read_text(encoding="utf-8")
    assert "(best.md)" in (copy / "docs/README.md").read_text(encoding="utf-8")
