"""What repeats of a system add to the variance of its mean: seeds of a training, repeated answers.

A system has S repeats on n topics, in a two-way table of random effects. The mean over both varies
with the topics, which the variance of the topics' means over repeats shows, and with the repeats.
Let B be the variance of the repeats' means over S, and W what topics by repeats add to it, the mean
square of the residuals over nS. The repeats then add max(0, B - W). Satterthwaite's degrees of
freedom are those of the sum of independent mean squares: S-1 of B, (n-1)(S-1) of W.

Of several collections, whose repeats are the same trained models, B is that of the mean over
collections, and each collection has its own W; of groups of topics, groups take the place of topics
(Searle, Casella and McCulloch, Variance Components, 1992; Satterthwaite, Biometrics 2, 1946).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from confint_cli.common.arrays import FloatArray, Positions
from confint_cli.scores.design import Design, Repeats
from confint_cli.stats.pairs import Pairs
from confint_cli.stats.sample import RepeatVariance, Sample, inflation


@dataclass(frozen=True)
class _Table:
    """The scores of one system in its repeats, less what topics and repeats have in common."""

    means: FloatArray  # [repeat]: the mean of each
    residuals: FloatArray  # [repeat, row]: deviations, less the mean over repeats; scaled by √a/N
    free: FloatArray  # [collection]: the degrees of freedom of a variance over its rows
    slices: Sequence[slice]  # the rows of each collection


def _table_of(values: FloatArray, design: Design) -> _Table:
    """Return the table of a system's values[row, repeat]."""
    sample = Sample(values, design=design)
    scale = np.empty(sample.topics)
    for rows in sample.slices:
        factor = inflation(design.weights(rows), rows.stop - rows.start)
        scale[rows] = np.sqrt(factor) / sample.topics
    residuals = (sample.deviations - sample.deviations.mean(axis=0)) * scale
    return _Table(sample.mean, residuals, sample.freedoms, sample.slices)


def of_runs(repeats: Repeats, design: Design) -> RepeatVariance:
    """Return what its repeats add to the variance of the mean of each run."""
    return _added([_table_of(repeats.values[:, own], design) for own in repeats.columns])


def variances_of_repeats(
    repeats: Repeats, design: Design
) -> tuple[FloatArray, FloatArray, Positions]:
    """Return B and W of each run, [run] each, and how many repeats it has; 0 of those without."""
    tables = [_table_of(repeats.values[:, own], design) for own in repeats.columns]
    numbers = np.array([len(table.means) for table in tables])
    both = [
        (between, float(within.sum()))
        for between, within in (_variances(table) for table in tables)
    ]
    between, within = np.array(both).reshape(-1, 2).T
    return between, within, numbers


def of_pairs(repeats: Repeats, design: Design, pairs: Pairs, *, paired: bool) -> RepeatVariance:
    """Return what repeats add to the variance of the mean difference of each pair of runs.

    Both runs add their own, unless repeats are `paired`: then the differences are those of a
    system.
    """
    if not paired:
        alone = of_runs(repeats, design)
        return RepeatVariance(
            alone.added[pairs.run] + alone.added[pairs.baseline],
            np.hypot(alone.root[pairs.run], alone.root[pairs.baseline]),
            np.minimum(alone.fewest[pairs.run], alone.fewest[pairs.baseline]),
        )
    tables = [_table_of(repeats.values[:, own], design) for own in repeats.columns]
    of_pairs = _added(
        [
            _difference(tables[run], tables[baseline])
            for run, baseline in zip(pairs.run.tolist(), pairs.baseline.tolist(), strict=True)
        ]
    )
    numbers = np.array(repeats.numbers)
    return replace(of_pairs, fewest=np.minimum(numbers[pairs.run], numbers[pairs.baseline]))


def _difference(run: _Table, baseline: _Table) -> _Table:
    """Return the table of the differences of two systems, repeat by repeat.

    A system without repeats is the same in all of them.
    """
    return _Table(
        run.means - baseline.means, run.residuals - baseline.residuals, run.free, run.slices
    )


def _variances(table: _Table) -> tuple[float, FloatArray]:
    """Return B, and W of each collection, [collection]; 0 of a system without repeats."""
    number = len(table.means)
    if number < 2:
        return 0.0, np.zeros(len(table.slices))
    squares = (table.residuals**2).sum(axis=0)
    within = np.array([squares[rows].sum() for rows in table.slices]) / ((number - 1) * number)
    return float(table.means.var(ddof=1)) / number, within


def _components(table: _Table) -> tuple[float, float]:
    """Return what repeats add to the variance of the mean, and the root of its squared parts.

    These are each over its degrees of freedom, and summed up.
    """
    number = len(table.means)
    between, within = _variances(table)
    added = between - float(within.sum())
    if not added > 0:
        return 0.0, 0.0
    parts = 1 / (number - 1) + ((within / between) ** 2 / (table.free * (number - 1))).sum()
    return added, between * float(np.sqrt(parts))


def _added(tables: Sequence[_Table]) -> RepeatVariance:
    """Return what the repeats of some systems add, each of them a column."""
    added, root = np.array([*map(_components, tables)]).reshape(-1, 2).T
    return RepeatVariance(added, root, np.array([len(table.means) for table in tables]))
