"""Levels of what holds for all pairs at once: a quick form of docs/levels.md, and the page."""

import re

import numpy as np
import pytest

from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.random import Drawing
from confint_cli.stats.ranking import rank_runs
from tests.conftest import ROOT
from tests.levels import page
from tests.levels.families import MADE, REAL, Family
from tests.levels.procedures import balanced, ends_of, own_ranks, resampled_ranks
from tests.levels.run import SAMPLES, TOPICS
from tests.levels.study import OLD_RANKS, Cell, error_bound, study, true_ranks

FAMILIES = {family.name: family for family in (*MADE, *REAL)}


def quickly(name: str, *others: str, samples: int = 200) -> Cell:
    return study(FAMILIES[name], 10, 50, samples, 399, others=others)


WORSE = {"exponential": "sign flips", "rare wins": "sign flips", "unequal": "tukey"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["unequal", "exponential", "rare wins", "P@10-like", "near-duplicates"]
)
def test_equal_runs_are_told_apart_as_seldom_as_the_level_says(name: str) -> None:
    """However skewed, unequal, sparse or tied; not so what there was before, or what others do."""
    others = [WORSE[name]] if name in WORSE else []
    found = quickly(name, *others)
    assert found.errors["max-t"].missed <= found.bound
    assert found.errors["strict"].missed <= found.bound
    assert found.errors["max-t"].width < 1.15  # nor by being far too wide
    assert 1 - found.ranks_hold == pytest.approx(found.errors["max-t"].missed)
    assert found.own_least >= found.least_bound
    if "sign flips" in others:
        assert found.errors["sign flips"].missed > found.bound
    if "tukey" in others:
        assert found.errors["tukey"].wrong > found.bound


def test_own_rank_sets_hold_near_ties_where_percentiles_of_ranks_do_not() -> None:
    found = quickly("near ties", OLD_RANKS)
    assert found.own_least >= found.least_bound
    assert found.old_least < 0.8
    assert found.ranks_hold >= 0.98
    assert found.errors["max-t"].reversed <= 0.05


@pytest.mark.parametrize(("runs", "share"), [(10, 0.18), (30, 0.12)])
def test_the_run_that_comes_first_most_often_is_seldom_the_best_near_ties(
    runs: int, share: float
) -> None:
    """docs/rank.md has these shares."""
    random, best, samples = np.random.default_rng(0), 0, 300
    for sample in range(samples):
        values, means = FAMILIES["near ties"].sample(random, runs, 50)
        found = rank_runs(values, 0.95, Drawing(199, sample))
        best += means[found.first_share.argmax()] == means.max()
    assert best / samples == pytest.approx(share, abs=3 * np.sqrt(share * (1 - share) / samples))


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", ["TREC-13", "TREC-15"])
def test_real_runs_are_hardly_ever_put_in_the_wrong_order(name: str) -> None:
    """On collections that nothing was tuned on."""
    found = quickly(name, samples=120)
    assert found.errors["max-t"].missed <= found.bound
    assert found.errors["max-t"].reversed <= 0.03
    assert found.ranks_hold >= 0.97
    assert found.own_least >= found.least_bound
    assert found.errors["max-t"].told > 0.1


# The study itself


def test_the_study_sees_errors_where_there_are_some() -> None:
    """Intervals of runs whose means differ by more than the study is told of."""

    def draw(random: np.random.Generator, runs: int, topics: int) -> tuple[np.ndarray, np.ndarray]:
        return random.normal(size=(topics, runs)) + np.arange(runs), np.zeros(runs)

    found = study(Family("lie", "", draw), 4, 20, 5, 99)
    for name in ("max-t", "strict", "sign flips", "t-Bonferroni"):
        assert found.errors[name].missed == 1, name
    assert found.ranks_hold == 0


def test_its_rank_sets_are_those_of_the_program() -> None:
    random = np.random.default_rng(0)
    values = random.normal(size=(30, 1)) + random.normal(size=(30, 6)) + 0.2 * np.arange(6)
    pairs = Pairs.all(6)
    ours = balanced(Paired(values, pairs), 199, 7)
    ranking = rank_runs(values, 0.95, Drawing(199, 7))
    low, high = own_ranks(ours, pairs, 6)
    assert (low.tolist(), high.tolist()) == (ranking.own_low.tolist(), ranking.own_high.tolist())
    assert (ends_of(ours)[0] > 0).tolist() == ranking.better[pairs.run, pairs.baseline].tolist()


def test_true_ranks_of_equal_means_are_shared() -> None:
    best, worst = true_ranks(np.array([0.5, 0.1, 0.5, 0.9]))
    assert (best.tolist(), worst.tolist()) == ([2, 4, 2, 1], [3, 4, 3, 1])


def test_percentiles_of_ranks_longhand() -> None:
    values = np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]])
    low, high = resampled_ranks(values, 199, 0)
    assert (low.tolist(), high.tolist()) == ([1, 1], [2, 2])


# The page


def rows_of(title: str) -> list[list[str]]:
    """The rows of the table below a heading of the page."""
    text = (ROOT / "docs" / "levels.md").read_text(encoding="utf-8")
    part = text[text.index(f"## {title}\n") :]
    lines = part.split("\n## ")[0].splitlines()
    table = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return table[2:]


def test_the_page_leaves_no_cell_out() -> None:
    expected = [[family.name, str(runs)] for runs in SAMPLES for family in (*MADE, *REAL)]
    for title in ("Family-wise error", "Widths and power", "Rank sets"):
        rows = rows_of(title)
        assert [row[:2] for row in rows] == expected, title
        for row in rows:
            assert len(re.findall(r"\d*\.\d+", row[2])) == len(TOPICS), row
        assert not any("nan" in cell or "inf" in cell for row in rows for cell in row)


def test_the_page_says_where_max_t_errs_and_why() -> None:
    beyond = {row[0] for row in rows_of("Family-wise error") if "**" in row[2]}
    said = {row[0]: row[2] for row in rows_of("Where max-t errs beyond its level, and why")}
    assert {*said} == beyond
    assert {*page.WHY} == beyond
    assert all(said[family] == page.WHY[family] for family in beyond)


def test_the_page_says_how_often_real_runs_err_on_average() -> None:
    text = " ".join((ROOT / "docs" / "levels.md").read_text(encoding="utf-8").split())
    real, means = {family.name for family in REAL}, {}
    for runs in ("10", "40"):
        own = [row[2].replace("*", "").split() for row in rows_of("Family-wise error")
               if row[0] in real and row[1] == runs]  # fmt: skip
        assert len(own) == 5
        means[runs] = np.array(own, dtype=float).mean()
    said = f"{means['10']:.1%} of samples of 10 runs and {means['40']:.1%} of samples of 40 runs"
    assert f"**Real runs:** some interval misses in {said}" in text
    assert f"For real runs, some interval misses in {said}" in text
    advice = " ".join((ROOT / "docs" / "choosing.md").read_text(encoding="utf-8").split())
    said = (
        f"misses in {means['10']:.1%} of samples of 10 real runs, on average, and in "
        f"{means['40']:.1%} of samples of 40."
    )
    assert said in advice


def test_the_page_says_where_own_rank_sets_hold_too_seldom() -> None:
    """Not of real runs, nor near ties."""
    text = " ".join((ROOT / "docs" / "levels.md").read_text(encoding="utf-8").split())
    said = re.search(r"for the run for which that is least: (.*?) With exponential", text)
    assert said is not None
    least = {row[0]: row[5] for row in rows_of("Rank sets")}
    below = {row[0] for row in rows_of("Rank sets") if "**" in row[5]}
    assert below
    assert below == set(re.findall(r"- ([^:]+): \.", said[1]))
    assert not below & {family.name for family in REAL} - {"near ties"}
    assert "**" not in least["near ties"]


def test_the_page_has_its_words_and_its_numbers_of_samples() -> None:
    text = (ROOT / "docs" / "levels.md").read_text(encoding="utf-8")
    words = " ".join(text.split())
    for part in (page.WHERE, page.DIRECTIONS, page.WIDTHS, page.RANKS.format(level=0.95)):
        assert " ".join(part.split()) in words, "make reproduce writes it anew"
    for part in (page.INTRODUCTION, page.PROCEDURES, page.ADVICE, page.OWN):
        for sentence in re.split(r"(?<=[.:]) ", " ".join(part.split())):
            if "{" not in sentence:
                assert sentence in words, "make reproduce writes it anew"
    for runs, samples in SAMPLES.items():
        assert f"{samples} samples" in text, runs
        assert page.number(error_bound(samples), 3) in text
