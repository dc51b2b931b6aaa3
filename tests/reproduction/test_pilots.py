"""How often the upper bound of `confint plan` is enough, where the truth is known.

`tests.reproduction.pilots` has the whole of it; these are its quick forms.
"""

import re
from pathlib import Path

import numpy as np
import pytest

from confint_cli.stats.power import PlainSpread
from tests.conftest import ROOT, Confint, records, write
from tests.reproduction import load, pilots

PILOTS, TOPICS, SD = 400, 10, 0.1


@pytest.mark.parametrize(
    ("runs", "mean", "difference"),
    [(1, (0.74, 0.86), (0, 1)), (2, (0.84, 0.96), (0.74, 0.86)), (8, (0.97, 1), (0.97, 1))],
)
def test_of_normal_scores_the_bound_holds(
    runs: int,
    mean: tuple[float, float],
    difference: tuple[float, float],
    tmp_path: Path,
    confint: Confint,
) -> None:
    """In 80% of pilots of one run or two, and in more where more runs say the same.

    Each measure of a file is a pilot. The standard error of the shares is 0.02.
    """
    scores = np.random.default_rng(0).normal(0.5, SD, (runs, PILOTS, TOPICS)).tolist()
    measures = [[f"m{pilot}" for pilot in range(PILOTS)]] * runs
    path = write(
        tmp_path / "x.tsv",
        {f"r{run}": dict(zip(measures[run], scores[run], strict=True)) for run in range(runs)},
    )
    rows = records(confint("plan", path, "-m", "all", "--half-width", 0.03))
    bounds = [
        ("half-width of mean", PlainSpread(SD, TOPICS).topics_for_half_width(0.03, 0.95), mean),
        (
            "half-width of difference",
            PlainSpread(SD * 2**0.5, TOPICS).topics_for_half_width(0.03, 0.95),
            difference,
        ),
    ]
    for design, needed, (low, high) in bounds[: 1 if runs == 1 else 2]:
        own = [row for row in rows if row["design"] == design]
        assert len(own) == PILOTS
        held = np.mean([int(row["topics_needed_high"]) >= needed for row in own])
        assert low <= held <= high, design
        if runs == 1:  # and the plain number is too small in more than every other pilot
            enough = np.mean([int(row["topics_needed"]) >= needed for row in own])
            assert 0.38 <= enough <= 0.52


TABLE = {
    (cells[0].strip(), cells[1].strip()): [
        float(re.findall(r"[\d.]+", one)[0]) for one in cells[2:]
    ]
    for line in (ROOT / "docs" / "plan.md").read_text(encoding="utf-8").splitlines()
    if len(cells := line.strip("|").split("|")) == 5 and " run" in cells[1]
}


def test_the_page_has_the_whole_table() -> None:
    assert len(TABLE) == (len(pilots.MADE_UP) + 1) * len(pilots.RUNS)


@pytest.mark.parametrize("name", pilots.MADE_UP)
def test_the_page_says_how_often_it_holds_for_skewed_scores(name: str) -> None:
    """Its figures, with fewer pilots: three standard errors of the difference are 0.08."""
    for runs, what in ((1, "one run"), (2, "differences of 2 runs")):
        found = pilots.held(pilots.MADE_UP[name], 10, runs, draws=400, seed=1)[runs > 1]
        assert found == pytest.approx(TABLE[name, what][0], abs=0.08)


@pytest.mark.usefixtures("data")
def test_the_page_says_how_often_it_holds_for_real_scores() -> None:
    """The median over all measures of all collections is near to that of average precision."""
    shares = [
        pilots.held(pilots.drawn_from(matrix), 10, 2, draws=400)[1]
        for matrix in (load.robust2004(), load.collection("trec15.terabyte-adhoc")[0])
    ]
    expected = TABLE[pilots.REAL, "differences of 2 runs"][0]
    assert np.mean(shares) == pytest.approx(expected, abs=0.08)
