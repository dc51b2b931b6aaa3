"""Many runs: what is said before the work, and memory that stays bounded."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from confint_cli.app import workload
from confint_cli.stats.random import Drawing
from confint_cli.stats.ranking import rank_runs
from tests.conftest import Confint, records


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """200 runs on 12 topics."""
    values = np.random.default_rng(0).random((12, 200)).round(3)
    lines = [
        f"run{run}\t{topic}\tm\t{values[topic, run]}" for run in range(200) for topic in range(12)
    ]
    path = tmp_path / "many.tsv"
    path.write_text("run\ttopic\tmeasure\tscore\n" + "\n".join(lines) + "\n")
    return path


def test_all_pairs_of_many_runs_hold_no_more_than_they_must() -> None:
    """In blocks: the differences of all pairs would take 35 times the scores of so many runs."""
    values = np.random.default_rng(0).random((100, 300))
    pairs = 300 * 299 // 2
    tracemalloc.start()
    try:
        rank_runs(values, 0.95, Drawing(200, 0))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    differences = 8 * pairs * 100
    blocks = 8 * (2 << 18) * 3  # T*, and D and Q before
    assert peak < 14 * 8 * pairs + blocks + 8 * 300 * 200 * 2 < differences


@pytest.mark.slow
def test_a_picture_of_many_runs_is_spoken_of_before_the_work(
    many: Path, tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = ("rank", many, "--draws", 19)
    assert "a picture" not in confint(*call, "--plot", tmp_path / "x.png").err  # it is soon said
    # Patched: so many runs that it says so by itself take minutes to draw.
    monkeypatch.setattr(workload, "_MANY_RUNS", 100)
    assert "a picture" not in confint(*call).err
    first, *others = confint(*call, "--plot", tmp_path / "x.png").err.splitlines()
    assert first == "confint: note: a picture has room for at most 188 of 200 runs; a PDF shows all"
    assert "confint: note: the figure shows 188 of 200 runs; a PDF shows all" in others
    assert "a picture has room" not in confint(*call, "--plot", tmp_path / "x.pdf").err


def test_the_memory_of_many_comparisons_is_told_first(
    many: Path, tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Patched: so many comparisons that it says so by itself take minutes.
    monkeypatch.setattr(workload, "_MANY_PAIRS", 300)
    monkeypatch.setattr(workload, "_MOST_SHEETS", 3)
    call = ("compare", many, "--baseline", "run1,run2", "--quiet")
    assert len(records(confint(*call))) == 2 * 199
    err = confint(*call[:-1], "--plot", tmp_path / "x.pdf").err
    assert err.splitlines()[:2] == [
        "confint: note: 398 comparisons take about 0.0 GB of memory; 'confint rank' needs less "
        "to say who is ahead",
        "confint: note: a PDF of 398 comparisons has about 6 pages",
    ]
    assert "take about" not in confint(*call[:-2], "run1").err


def test_a_large_page_is_spoken_of_before_the_work(
    many: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = ("report", many, "--draws", 19)
    assert "MB" not in confint(*call).err
    # Patched: a page so large that it says so by itself takes long.
    monkeypatch.setattr(workload, "_LARGE_PAGE", 100_000)
    result = confint(*call)
    said = "the page will have about 0.1 MB, which is large for a mail; fewer measures"
    assert said in result.err.splitlines()[0]
    assert 0.05e6 < len(result.out) < 0.25e6
