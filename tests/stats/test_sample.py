"""Moments of a sample where digits are few: large offsets, last bits, a single group, memory."""

import itertools

import numpy as np
import pytest

from confint_cli.scores.design import Design
from confint_cli.stats import sample as module
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.sample import Sample
from tests.stats.test_groups import cr2, sample_of


def test_a_large_offset_costs_no_digits_whatever_the_sizes_of_groups() -> None:
    """Scores are whole numbers of 2^-16, and sums of them with the offset are exact."""
    sizes = (1, 5, 2, 4, 3, 1)  # 16 topics
    values = np.random.default_rng(1).integers(1 << 16, size=16) / (1 << 16)
    near, far = sample_of(values, sizes), sample_of(values + (1 << 32), sizes)
    mean, se, df = cr2(values, sizes)
    assert (near.mean[0], near.se[0], near.df[0]) == pytest.approx((mean, se, df), rel=1e-12)
    assert far.se[0] == pytest.approx(se, rel=1e-12)
    assert far.mean[0] - (1 << 32) == pytest.approx(mean, abs=1e-6)


def test_a_collection_of_one_group_leaves_no_degrees_of_freedom() -> None:
    design = Design((1, 3), grouped=True, sizes=np.array([2.0, 1.0, 3.0, 2.0]))
    sample = Sample(np.random.default_rng(2).random((4, 2)), design=design)
    assert sample.freedoms[0] == 0
    assert sample.freedoms[1] > 1
    assert np.isnan(sample.df).all()
    assert np.isnan(sample.se).all()


def test_differences_of_large_scores_are_equal_but_for_the_last_bits_of_these() -> None:
    """Of 1000.001 and 1000, say, of which the difference has some wrong digits."""
    values = np.random.default_rng(3).integers(100, 2000, 20)[:, None] + np.array([0, 0.001, 0.003])
    sample = Paired(values, Pairs.all(3)).sample
    assert sample.constant.tolist() == [True] * 3
    for chosen in (np.array([1, 0]), slice(0, 2)):
        some = sample.columns(chosen)
        assert some.constant.tolist() == [True] * 2
        assert some.rounding.tolist() == sample.rounding[chosen].tolist()
    assert Sample(sample.scores).constant.tolist() == [False, False, False]


@pytest.mark.parametrize(("cells", "width"), [(1, 1), (20, 2), (1000, 10)])
def test_blocks_have_each_column_once_and_few_of_them(
    monkeypatch: pytest.MonkeyPatch, cells: int, width: int
) -> None:
    scores = np.random.default_rng(4).beta(0.5, 1, (7, 10))
    whole = Sample(scores)
    monkeypatch.setattr(module, "_CELLS", cells)
    in_blocks = Sample(scores)
    blocks = [np.arange(10)[block].tolist() for block in in_blocks.blocks()]
    assert [*itertools.chain(*blocks)] == [*range(10)]
    assert {len(block) for block in blocks} == {width}
    assert in_blocks.sd.tolist() == whole.sd.tolist()
    assert in_blocks.skewness.tolist() == whole.skewness.tolist()
