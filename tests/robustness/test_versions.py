"""Libraries of other versions: which are allowed, and what the signature says of them."""

import json
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import confint_cli
from tests import oldest
from tests.conftest import ROOT, SAMPLES, Confint
from tests.robustness.promises import promise

BM25 = str(SAMPLES / "trec_eval/bm25.eval")


@promise(
    "the oldest libraries that the package allows",
    "the same numbers and tables: `make test-oldest`, a part of every test of a change",
)
def test_the_oldest_libraries_are_tested_with_every_change() -> None:
    allowed = dict(one.split("==") for one in oldest.constraints())
    assert {"click", "numpy", "scipy", "rich", "pytrec-eval-terrier", "matplotlib"} <= set(allowed)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert len(project["dependencies"]) == 5
    assert "make test-oldest" in (ROOT / ".ci/run").read_text(encoding="utf-8")


def test_a_requirement_has_to_name_its_lowest_version() -> None:
    assert oldest.lowest("numpy>=1.26") == "numpy==1.26"
    for vague in ("numpy", "numpy<3", "numpy>=1.26,<3", "numpy~=1.26"):
        with pytest.raises(ValueError, match="names no lowest version"):
            oldest.lowest(vague)


@promise(
    "rich 13.0 to 13.6, which reverse words and numbers in tables, and click before 8.1.7, which "
    "fails if standard output is closed",
    "are not installed with the package",
)
def test_libraries_that_do_harm_are_not_allowed() -> None:
    allowed = dict(one.split("==") for one in oldest.constraints())
    assert tuple(map(int, allowed["rich"].split("."))) >= (13, 7)
    assert tuple(map(int, allowed["click"].split("."))) >= (8, 1, 7)


@promise(
    "a program that imports the package, and its type checker; an index of packages",
    "find its types, and for which versions of Python and which systems it is",
)
def test_the_package_says_what_it_is_for() -> None:
    assert (Path(confint_cli.__file__).parent / "py.typed").exists()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    classifiers = project["classifiers"]
    assert "Typing :: Typed" in classifiers
    here = ".".join(map(str, sys.version_info[:2]))
    assert f"Programming Language :: Python :: {here}" in classifiers
    assert project["requires-python"] == ">=3.11"
    systems = [one for one in classifiers if one.startswith("Operating System :: ")]
    assert systems == ["Operating System :: MacOS", "Operating System :: POSIX :: Linux"]


SCIPY = f"scipy-{version('scipy')}"
SIGNED = {
    "interval": (["interval", BM25, "-m", "map"], SCIPY),
    "describe": (["describe", BM25, "-m", "map"], SCIPY),
    "plan": (["plan", BM25, "-m", "map"], SCIPY),
    "summary": (["summary", "--mean", "0.2", "--sd", "0.1", "--n", "50"], SCIPY),
    "cdf": (["standardize", str(SAMPLES / "trec_eval"), "-m", "map", "--transform", "cdf"], SCIPY),
    "standardize": (["standardize", str(SAMPLES / "trec_eval"), "-m", "map"], None),
    "score": (["score", BM25, "-m", "map"], None),
}


@promise(
    "another version of scipy, in which the tenth digit of a limit may differ",
    "is named in the signature of what it computes; so is that of numpy where there are random "
    "numbers",
)
@pytest.mark.parametrize("case", SIGNED)
def test_the_signature_names_scipy(case: str, confint: Confint) -> None:
    words, expected = SIGNED[case]
    signature = json.loads(confint(*words, "-f", "json").out)["signature"]
    assert signature.get("computed") == expected
