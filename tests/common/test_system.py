"""Memory that grows with the pairs of runs: of hundreds of runs there are a hundred thousand."""

import tracemalloc

import numpy as np

from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.sample import Sample


def test_a_t_test_of_all_pairs_holds_their_differences_twice() -> None:
    """As such, and less their means; squares, shares and the like of a few pairs at a time."""
    values = np.random.default_rng(0).random((200, 120)).round(4)
    size = 200 * len(Pairs.all(120)) * values.itemsize
    paired = Paired(values, Pairs.all(120))
    tracemalloc.start()
    try:
        assert (paired.sample.se > 0).all()
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 2 * size < held < 2.2 * size
    assert peak < 2.6 * size


def test_scores_are_not_changed_by_being_centred() -> None:
    for order in ("C", "F"):
        scores = np.array([[0.25, 0.5], [0.75, 0.125]], order=order)  # type: ignore[call-overload]
        sample = Sample(scores)
        assert sample.mean.tolist() == [0.5, 0.3125]
        assert sample.deviations.tolist() == [[-0.25, 0.25], [0.1875, -0.1875]]
        assert scores.tolist() == [[0.25, 0.5], [0.75, 0.125]]
