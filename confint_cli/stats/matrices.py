"""Samples and pairs of the scores by one measure, as their design has them."""

from dataclasses import replace

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.scores.scores import COLLECTION, Matrix
from confint_cli.stats import repeats
from confint_cli.stats.estimate import Estimate
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.sample import Sample


def sample_of(matrix: Matrix) -> Sample:
    """Return the scores of runs as a sample, whose columns are the runs."""
    of_repeats = None
    if matrix.repeats is not None:
        of_repeats = repeats.of_runs(matrix.repeats, matrix.design)
    return Sample(matrix.values, design=matrix.design, repeats=of_repeats)


def paired_of(matrix: Matrix, pairs: Pairs, *, paired_repeats: bool = False) -> Paired:
    """Return the scores of runs in pairs; repeats of two runs may be paired by their names."""
    of_repeats = None
    if matrix.repeats is not None:
        of_repeats = repeats.of_pairs(
            matrix.repeats, matrix.design, pairs, paired=paired_repeats
        )  # fmt: skip
    topics = matrix.of_topics
    alike = None if topics is None else Paired(topics.values, pairs).identical
    return Paired(matrix.values, pairs, matrix.design, of_repeats, alike)


def sd_of_topics(matrix: Matrix) -> FloatArray:
    """Return the standard deviation of scores on topics, [run], whatever the rows are."""
    topics = matrix.on_topics
    return Sample(topics.values, design=topics.design).sd


def on_topics(estimate: Estimate, matrix: Matrix) -> Estimate:
    """Return the estimate of a matrix with the number of topics, and the sd of scores on them.

    Where rows are groups of topics, it was estimated from these.
    """
    if matrix.of_topics is None:
        return estimate
    return replace(estimate, topics=len(matrix.on_topics.topics), sd=sd_of_topics(matrix))


def design_effects(matrix: Matrix) -> FloatArray:
    """Return by how much groups change the variance of the mean of each run, as a ratio, [run].

    It is NaN without groups, and where all scores are equal.
    """
    topics = matrix.of_topics
    if topics is None:
        return np.full(len(matrix.runs), np.nan)
    grouped = Sample(matrix.values, design=matrix.design)
    return _ratio(grouped, Sample(topics.values, design=topics.design))


def design_effects_of_pairs(matrix: Matrix, pairs: Pairs) -> FloatArray:
    """Return the same for the mean difference of each pair of runs, [pair]."""
    topics = matrix.of_topics
    if topics is None:
        return np.full(len(pairs), np.nan)
    alone = Paired(topics.values, pairs, topics.design).sample
    return _ratio(Paired(matrix.values, pairs, matrix.design).sample, alone)


def _ratio(grouped: Sample, alone: Sample) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (grouped.se_of_topics / alone.se_of_topics) ** 2
    return np.where(alone.se_of_topics > 0, ratio, np.nan)


def rows_can_be_resampled(matrix: Matrix) -> bool:
    """Say whether rows can be resampled to tell pairs apart: else Bonferroni's t does it.

    There is no bootstrap of repeats, nor of groups within collections, nor of a few collections.
    Whether a whole question can be answered so is for `question_can_be_resampled`.
    """
    is_simple = not (matrix.design.strata and matrix.design.grouped)
    return is_simple and matrix.repeats is None and matrix.unit != COLLECTION
