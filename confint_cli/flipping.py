"""Differences of runs with the signs of topics flipped at random."""

from collections.abc import Callable, Iterator

from confint_cli.arrays import FloatArray, Positions
from confint_cli.cluster import Cluster
from confint_cli.pairs import Paired, Pairs
from confint_cli.parallel import map_in_order
from confint_cli.progress import Progress, no_progress
from confint_cli.resampling import Drawing, Flips

Flipping = Callable[[Paired, Flips, Progress], FloatArray]
"""What finds something of all pairs by their flips; a function of a module, to be sent away."""


def by_flips(
    find: Flipping, paired: Paired, drawing: Drawing, progress: Progress
) -> Iterator[tuple[Positions | slice, FloatArray]]:
    """Yield what is found of pairs, and their places: all at once, or by workers of a cluster.

    Each of these draws the flips anew, the same ones, for its part of the pairs.
    """
    flips = Flips(paired.topics, drawing.number, drawing.seed)
    if not isinstance(drawing.jobs, Cluster):
        yield slice(None), find(paired, flips, progress)
        return
    parts = list(paired.pairs.divided(drawing.jobs.shares))
    settings = (find, paired.values, flips)
    found = map_in_order(_finder, settings, [pairs for _, pairs in parts], jobs=drawing.jobs)
    for done, ((places, _), one) in enumerate(zip(parts, found, strict=True), start=1):
        progress(done, len(parts))
        yield places, one


def _finder(find: Flipping, values: FloatArray, flips: Flips) -> Callable[[Pairs], FloatArray]:
    return lambda pairs: find(Paired(values, pairs), flips, no_progress)


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
