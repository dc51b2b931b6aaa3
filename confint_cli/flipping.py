"""Differences of runs with the signs of topics flipped at random."""

from collections.abc import Iterator

from confint_cli.arrays import FloatArray, Positions
from confint_cli.pairs import Paired
from confint_cli.progress import Progress
from confint_cli.resampling import Flips


def flipped_differences(
    paired: Paired, scores: FloatArray, flips: Flips, progress: Progress
) -> Iterator[tuple[slice, Positions, FloatArray]]:
    """Yield some flips, some pairs, and the sums of these pairs' differences, [pair, flip].

    The sum of differences with flipped signs is the difference of two runs' sums with flipped
    signs: one matrix product for the runs, scores[topic, run] in whole numbers, and a subtraction
    for each pair. All pairs share the flips. What is yielded is the caller's to change.
    """
    grouped = list(paired.pairs.by_baseline())
    done = 0
    for signs in flips.signs():
        progress(done, flips.number)
        here = slice(done, done := done + len(signs))
        sums = scores.T @ signs.T  # [run, flip]
        for baseline, runs, places in grouped:
            differences = sums[runs]
            differences -= sums[baseline]
            yield here, places, differences
    progress(done, flips.number)
