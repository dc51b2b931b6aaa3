"""Which interval can I trust on data like mine?"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import numpy as np
from scipy.special import ndtr, ndtri

from confint_cli.common.errors import CallError, DataError, Notice, note, warning
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.table import Cell, Table
from confint_cli.common.text import count, visible
from confint_cli.common.words import percent
from confint_cli.scores.scores import Matrix, Scores
from confint_cli.stats.coverage import Design, Tally, TooFewTopicsError, tallies
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.flags import Doubt, doubts_about_columns, mostly_one_value, with_doubt
from confint_cli.stats.methods import method_named
from confint_cli.stats.sample import Sample
from confint_cli.studies.checks import suited_methods, unusual_levels
from confint_cli.studies.coverage_view import (
    Covered,
    columns_of_rows,
    how_often_closest,
    in_summary,
    view,
)
from confint_cli.studies.doubts import note_of
from confint_cli.studies.standardize import factors_of, standardized

_COLUMNS = (
    "measure", "run", "method", "level", "sample_size", "replicates", "coverage", "coverage_low",
    "coverage_high", "miss_low", "miss_high", "width", "note",
)  # fmt: skip
_TOO_SELDOM = 1e-6  # a share of intervals that is not told from none
_LARGE_SHARE = 0.1  # of the topics: larger samples without replacement are too good


def coverage(
    scores: Scores,
    estimation: Estimation,
    design: Design,
    *,
    summary: bool = False,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a table of how often intervals cover the true mean, and notices.

    It has a row for each measure, run, method, level and size of samples; in `summary`, there is
    one row for all runs. Raises an error for samples that cannot be drawn.
    """
    matrices = [scores.matrix(measure) for measure in scores.measures]
    notices = [*unusual_levels(estimation.levels), *_few_resamples(estimation)]
    for matrix in matrices:
        _check(matrix, design)
    notices += _large_samples(matrices, estimation, design)
    if best_first:
        matrices = [matrix.best_first() for matrix in matrices]
    suited, about_methods = suited_methods(_as_drawn(scores, matrices, design), estimation)
    notices += about_methods
    by_measure_and_size = _tallies(matrices, suited, estimation, design, progress)
    results = [
        covered
        for (place, size), tally in by_measure_and_size.items()
        for covered in _at_levels(matrices[place], size, suited[place], tally, estimation, design)
    ]
    notices += _left_out_of_samples(matrices, by_measure_and_size, design)
    used = dict.fromkeys(name for names in suited for name in names)
    error = max(float(covered.error.max()) for covered in results)
    signature = {"methods": ",".join(used), "error": f"{error:.2g}"}
    if summary:
        table, about_constant = in_summary(results, signature)
        return table, notices + about_constant
    return _in_full(results, signature), notices


def _tallies(
    matrices: Sequence[Matrix],
    methods: Sequence[tuple[str, ...]],
    estimation: Estimation,
    design: Design,
    progress: Progress,
) -> dict[tuple[int, int], Tally]:
    """Return the tally by each place of a measure and size of samples.

    Raises an error that says so if samples cannot be standardised.
    """
    try:
        return tallies(matrices, methods, estimation, design, progress)
    except TooFewTopicsError as error:
        raise DataError(
            "",
            f"by {visible(error.measure)}, {design.standardizing} runs to standardise by differ on "
            f"as few as {count(error.topics, 'topic')}, too few for a sample",
            "standardise by more runs, or draw smaller samples",
        ) from None


def _as_drawn(scores: Scores, matrices: Sequence[Matrix], design: Design) -> Sequence[Matrix]:
    """Return scores on the scale that samples have, for checks of which methods are fit for them.

    Samples may be standardised by a few runs that are drawn anew; here, it is by all runs.
    """
    if design.standardizing is None:
        return matrices
    factors, _ = factors_of(scores.runs, scores)
    by_all, _ = standardized(scores, factors)
    return [by_all.matrix(measure) for measure in scores.measures]


def _check(matrix: Matrix, design: Design) -> None:
    """Refuse samples that cannot be drawn from these scores."""
    topics, runs = len(matrix.topics), len(matrix.runs)
    if topics < 2:
        raise DataError(
            "",
            f"{count(topics, 'topic')} by {visible(matrix.measure)} is nothing to draw from",
            "a sample needs two topics or more",
        )
    if design.standardizing is not None and design.standardizing >= runs:
        raise CallError(
            f"--standardize {design.standardizing} needs {design.standardizing + 1} runs or more, "
            f"and by {visible(matrix.measure)} there are {runs}",
            "a run is standardised by others; 'all' takes all there are",
        )
    largest = max(design.sizes_for(matrix))
    if not design.replacement and largest > topics:
        raise CallError(
            f"--sample-size {largest} is more than the {topics} topics by "
            f"{visible(matrix.measure)}, and each can be drawn once only",
            "leave --without-replacement out, or draw fewer",
        )


def _large_samples(
    matrices: Sequence[Matrix], estimation: Estimation, design: Design
) -> list[Notice]:
    """Warn, once for all measures and sizes, of samples that have a large share of the topics."""
    if design.replacement:
        return []
    sizes = [(max(design.sizes_for(matrix)), len(matrix.topics)) for matrix in matrices]
    largest, topics = max(sizes, key=lambda size: size[0] / size[1])
    if largest <= _LARGE_SHARE * topics:
        return []
    level = estimation.levels[0]
    # The mean of such a sample varies less than that of new topics, by a factor of √(1 - n/N).
    shrink = np.sqrt(1 - largest / topics)
    misses = 2 * float(ndtr(ndtri((1 - level) / 2) / shrink)) if shrink else 0.0
    expected = percent(round(1 - float(f"{misses:.2g}"), 8) if misses > _TOO_SELDOM else 1.0)
    return [
        warning(
            f"samples of {largest} of {topics} topics without replacement come nearer to the true "
            f"mean than samples of new topics would: right {percent(level)} intervals would cover "
            f"{expected}; choose a smaller --sample-size, or leave --without-replacement out"
        )
    ]


def _few_resamples(estimation: Estimation) -> list[Notice]:
    """Warn of so few resamples that the noise of the limits lowers the coverage."""
    if not estimation.resampling or estimation.resamples >= 10 * estimation.fewest_resamples:
        return []
    return [
        warning(
            f"{estimation.resamples} resamples are few: limits are so uncertain that coverage "
            f"suffers; --resamples {10 * estimation.fewest_resamples} would do"
        )
    ]


def _at_levels(
    matrix: Matrix, size: int, methods: tuple[str, ...], tally: Tally, estimation: Estimation,
    design: Design,
) -> Iterator[Covered]:  # fmt: skip
    """Yield how often intervals cover at each level, by one measure with samples of one size."""
    sample = Sample(matrix.values)
    varies = ~sample.constant
    zeros, others = mostly_one_value(sample, size, replacement=design.replacement)
    if (
        design.standardizing is not None
    ):  # these are not the scores of samples, and say nothing of them
        varies, zeros, others = np.ones_like(varies), np.zeros_like(zeros), np.zeros_like(others)
    about_runs = doubts_about_columns(size, varies, zeros=zeros, one_value=others)
    for place, level in enumerate(estimation.levels):
        width = tally.width[:, :, place] / design.replicates
        doubts = [
            with_doubt(about_runs & ~int(method_named(name).immune), Doubt.UNBOUNDED, unbounded)
            for name, unbounded in zip(methods, np.isinf(width).T, strict=True)
        ]
        yield Covered(
            measure=matrix.measure,
            size=size,
            level=level,
            replicates=design.replicates,
            runs=matrix.runs,
            methods=methods,
            both=tally.covered[..., place] / design.replicates,
            miss_low=tally.too_high[:, :, place] / design.replicates,
            miss_high=tally.too_low[:, :, place] / design.replicates,
            width=width,
            varies=varies,
            one_value=zeros | others,
            doubts=np.stack(doubts, axis=1),
        )


def _left_out_of_samples(
    matrices: Sequence[Matrix],
    by_measure_and_size: Mapping[tuple[int, int], Tally],
    design: Design,
) -> list[Notice]:
    """Return notices on topics on which the runs drawn to standardise by did not differ."""
    notices = []
    for place, matrix in enumerate(matrices):
        by_size = [tally for (of, _), tally in by_measure_and_size.items() if of == place]
        left_out = sum(tally.left_out for tally in by_size)
        mean = left_out / (design.replicates * len(matrix.runs) * len(by_size))
        few = "less than 0.01"
        if mean:
            notices.append(
                note(
                    f"by {visible(matrix.measure)}, runs drawn to standardise by scored alike on "
                    f"{few if mean < 0.01 else f'{mean:.2g}'} of {len(matrix.topics)} topics on "
                    "average, left out there"
                )
            )
    return notices


def _in_full(results: Sequence[Covered], signature: Mapping[str, str]) -> Table:
    """Return a table with a row for each measure, run, method, size and level.

    In the view for people, there is a table for each of `results`, with a row for each run.
    """
    rows: list[tuple[Cell, ...]] = []
    for _, group in groupby(results, lambda covered: covered.measure):
        of_measure = list(group)
        for run in range(len(of_measure[0].runs)):
            for method in range(len(of_measure[0].methods)):
                rows += [_row(covered, run, method) for covered in of_measure]
    methods = list(dict.fromkeys(name for covered in results for name in covered.methods))
    with_notes = any(covered.doubts.any() for covered in results)
    return Table(
        title="",
        columns=columns_of_rows(_COLUMNS, rows),
        signature=signature,
        sentence=how_often_closest(results),
        view=[view(covered, methods, with_notes=with_notes) for covered in results],
    )


def _row(covered: Covered, run: int, method: int) -> tuple[Cell, ...]:
    place = (run, method)
    low, high = covered.own_interval
    return (
        covered.measure,
        covered.runs[run],
        covered.methods[method],
        covered.level,
        covered.size,
        covered.replicates,
        float(covered.coverage[place]),
        float(low[place]),
        float(high[place]),
        float(covered.miss_low[place]),
        float(covered.miss_high[place]),
        float(covered.width[place]),
        note_of(int(covered.doubts[place])),
    )
