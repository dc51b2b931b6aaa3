"""The paper of docs/example-paper/: all of it is rebuilt from runs, and from nothing else."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT, SAMPLES, Confint

NAME = "docs/example-paper"
BUILT = ("tables/main.tex", "tables/beir.tex", "tables/judge.tex", "figures/means.pdf",
         "figures/beir.pdf", "numbers.tex")  # fmt: skip

pytestmark = pytest.mark.skipif(
    not (shutil.which("make") and shutil.which("awk") and shutil.which("bash")),
    reason="needs make, awk and bash",
)


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A copy of the paper beside a copy of the samples, not built yet."""
    shutil.copytree(SAMPLES, tmp_path / "sample_runs")
    folder = tmp_path / NAME
    folder.mkdir(parents=True)
    for name in ("Makefile", "paper.tex"):
        shutil.copy(ROOT / NAME / name, folder)
    return folder


def make(paper: Path, program: Path, *goals: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", f"CONFINT={program}", *goals], cwd=paper, text=True, check=False,
        capture_output=True, env={**os.environ, "LC_ALL": "C.UTF-8"},
    )  # fmt: skip


def times(paper: Path) -> dict[str, int]:
    """Return when each file was written; none twice within a tick of the clock."""
    return {name: (paper / name).stat().st_mtime_ns for name in BUILT}


def test_make_builds_all_of_it_once(paper: Path, quick_confint: Path, confint: Confint) -> None:
    done = make(paper, quick_confint)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    before = times(paper)
    assert "Nothing to be done" in make(paper, quick_confint).stdout
    for name, label in (("main", "main"), ("beir", "beir"), ("judge", "judge")):
        table = (paper / "tables" / f"{name}.tex").read_text()
        assert rf"\label{{tab:{label}}}" in table
        assert r"\input{tables/" + name in (paper / "paper.tex").read_text()
        assert rf"\ref{{tab:{label}}}" in (paper / "paper.tex").read_text()
    assert (paper / "figures" / "means.pdf").read_bytes().startswith(b"%PDF")

    # Numbers of the text are those of a call of its own, from the runs themselves.
    runs = [SAMPLES / "runs" / f"{name}.run" for name in ("bm25", "hybrid")]
    out = confint("compare", "-q", SAMPLES / "qrels.txt", "-m", "AP", *runs, "--baseline", "bm25",
                  "-f", "json").out  # fmt: skip
    (row,) = json.loads(out)["rows"]
    wanted = [f"{row[name]:.3f}" for name in ("difference", "low", "high")]
    assert re.findall(r"\{(-?[\d.]+)\}$", (paper / "numbers.tex").read_text(), re.M) == wanted

    # A run that changes takes with it what comes from it, and nothing else.
    run = paper / "../../sample_runs/runs/dense.run"
    os.utime(run, ns=(max(before.values()) + 10**9,) * 2)
    make(paper, quick_confint)
    after = times(paper)
    changed = {name for name in BUILT if after[name] != before[name]}
    assert changed == {"tables/main.tex", "figures/means.pdf", "numbers.tex"}


def test_a_claim_that_no_longer_holds_stops_make(paper: Path, quick_confint: Path) -> None:
    assert make(paper, quick_confint, "check").returncode == 0
    runs = paper / "../../sample_runs/runs"
    shutil.copy(runs / "tfidf.run", runs / "hybrid.run")
    failed = make(paper, quick_confint, "check")
    assert failed.returncode != 0
    assert "Error 3" in failed.stderr  # confint's status of a gate


def test_a_broken_run_stops_make_and_leaves_no_table(paper: Path, quick_confint: Path) -> None:
    run = paper / "../../sample_runs/runs/dense.run"
    run.write_text(run.read_text() + "350 Q0 only-three\n")
    failed = make(paper, quick_confint, "tables/main.tex", "numbers.tex")
    assert failed.returncode != 0
    assert "dense.run:" in failed.stderr
    assert not [name for name in BUILT if (paper / name).exists()]


def test_an_error_inside_a_pipe_counts(paper: Path, quick_confint: Path) -> None:
    (paper / "scores").mkdir()
    (paper / "scores" / "main.jsonl").write_text('{"run": "hybrid", "topic": "1"}\n')
    failed = make(paper, quick_confint, "-o", "scores/main.jsonl", "numbers.tex")
    assert failed.returncode != 0
    assert not (paper / "numbers.tex").exists()


@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("pdflatex") and shutil.which("pdftotext")),
    reason="needs pdflatex and pdftotext (Debian: texlive-latex-recommended, poppler-utils)",
)
def test_the_paper_compiles_with_its_numbers(paper: Path, quick_confint: Path) -> None:
    done = make(paper, quick_confint, "paper.pdf")
    assert done.returncode == 0, done.stdout
    log = (paper / "paper.log").read_text(errors="replace")
    assert "Overfull" not in log
    assert "undefined" not in log
    text = subprocess.run(["pdftotext", "-layout", paper / "paper.pdf", "-"], check=True,
                          capture_output=True, text=True).stdout  # fmt: skip
    numbers = re.findall(r"\{(-?[\d.]+)\}$", (paper / "numbers.tex").read_text(), re.M)
    assert len(numbers) == 3
    shown = " ".join(text.split())
    assert f"by {numbers[0]} in mean AP" in shown
    assert f"[{numbers[1]}, {numbers[2]}]" in shown
    for name in ("Table 1", "Table 2", "Table 3", "Figure 1", "Figure 2", "macro"):
        assert name in shown
