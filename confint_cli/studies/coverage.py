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
_TOO_SELDOM = 1e-6  # to be told from never
_LARGE_PART = 0.1  # of the topics, from which on samples without replacement are too good


def coverage(
    scores: Scores,
    estimation: Estimation,
    design: Design,
    *,
    summary: bool = False,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return how often intervals cover, for each run or in summary over runs."""
    matrices = [scores.matrix(measure) for measure in scores.measures]
    notices = [*unusual_levels(estimation.levels), *_few_resamples(estimation)]
    for matrix in matrices:
        _check(matrix, design)
    notices += _large_samples(matrices, estimation, design)
    if best_first:
        matrices = [matrix.best_first() for matrix in matrices]
    suited, about_methods = suited_methods(_as_drawn(scores, matrices, design), estimation)
    notices += about_methods
    found = _tallies(matrices, suited, estimation, design, progress)
    parts = [
        part
        for (place, size), tally in found.items()
        for part in _parts(matrices[place], size, suited[place], tally, estimation, design)
    ]
    notices += _left_out_of_samples(matrices, found, design)
    used = dict.fromkeys(name for names in suited for name in names)
    error = max(float(part.error.max()) for part in parts)
    signature = {"methods": ",".join(used), "error": f"{error:.2g}"}
    if summary:
        table, about_constant = in_summary(parts, signature)
        return table, notices + about_constant
    return _in_full(parts, signature), notices


def _tallies(
    matrices: Sequence[Matrix],
    methods: Sequence[tuple[str, ...]],
    estimation: Estimation,
    design: Design,
    progress: Progress,
) -> dict[tuple[int, int], Tally]:
    """Return what became of the intervals; say so if samples cannot be standardised."""
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
    """Return scores such as samples have: standardised, if they are, though by other runs."""
    if design.standardizing is None:
        return matrices
    factors, _ = factors_of(scores.runs, scores)
    by_all, _ = standardized(scores, factors)
    return [by_all.matrix(measure) for measure in scores.measures]


def _check(matrix: Matrix, design: Design) -> None:
    """Refuse what cannot be drawn from these scores."""
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
    """Warn, once for all measures and sizes, of samples that have many of the topics there are."""
    if design.replacement:
        return []
    sizes = [(max(design.sizes_for(matrix)), len(matrix.topics)) for matrix in matrices]
    largest, topics = max(sizes, key=lambda size: size[0] / size[1])
    if largest <= _LARGE_PART * topics:
        return []
    level = estimation.levels[0]
    # The mean of such a sample varies less than that of new topics, by a factor of √(1 - n/N).
    shrink = np.sqrt(1 - largest / topics)
    missed = 2 * float(ndtr(ndtri((1 - level) / 2) / shrink)) if shrink else 0.0
    expected = percent(round(1 - float(f"{missed:.2g}"), 8) if missed > _TOO_SELDOM else 1.0)
    return [
        warning(
            f"samples of {largest} of {topics} topics without replacement come nearer to the true "
            f"mean than samples of new topics would: right {percent(level)} intervals would cover "
            f"{expected}; choose a smaller --sample-size, or leave --without-replacement out"
        )
    ]


def _few_resamples(estimation: Estimation) -> list[Notice]:
    """Warn of limits whose own noise lowers the coverage."""
    if not estimation.resampling or estimation.resamples >= 10 * estimation.fewest_resamples:
        return []
    return [
        warning(
            f"{estimation.resamples} resamples are few: limits are so uncertain that coverage suffers; "
            f"--resamples {10 * estimation.fewest_resamples} would do"
        )
    ]


def _parts(
    matrix: Matrix, size: int, methods: tuple[str, ...], tally: Tally, estimation: Estimation,
    design: Design,
) -> Iterator[Covered]:  # fmt: skip
    """Yield what was found at each level."""
    sample = Sample(matrix.values)
    varies = ~sample.constant
    zeros, others = mostly_one_value(sample, size, replacement=design.replacement)
    if design.standardizing is not None:  # then these are not the scores that were drawn
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
    matrices: Sequence[Matrix], found: Mapping[tuple[int, int], Tally], design: Design
) -> list[Notice]:
    """Say how many topics the runs drawn to standardise by left out."""
    notices = []
    for place, matrix in enumerate(matrices):
        left_out = sum(tally.left_out for (of, _), tally in found.items() if of == place)
        sizes = sum(of == place for of, _ in found)
        mean = left_out / (design.replicates * len(matrix.runs) * sizes)
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


def _in_full(parts: Sequence[Covered], signature: Mapping[str, str]) -> Table:
    """Return a row for each measure, run, method, size and level; for people, one for each run."""
    rows: list[tuple[Cell, ...]] = []
    for _, together in groupby(parts, lambda part: part.measure):
        group = list(together)
        for run in range(len(group[0].runs)):
            for method in range(len(group[0].methods)):
                rows += [_row(part, run, method) for part in group]
    methods = list(dict.fromkeys(name for part in parts for name in part.methods))
    with_notes = any(part.doubts.any() for part in parts)
    return Table(
        title="",
        columns=columns_of_rows(_COLUMNS, rows),
        signature=signature,
        sentence=how_often_closest(parts),
        view=[view(part, methods, with_notes=with_notes) for part in parts],
    )


def _row(part: Covered, run: int, method: int) -> tuple[Cell, ...]:
    here = (run, method)
    low, high = part.own_interval
    return (
        part.measure,
        part.runs[run],
        part.methods[method],
        part.level,
        part.size,
        part.replicates,
        float(part.coverage[here]),
        float(low[here]),
        float(high[here]),
        float(part.miss_low[here]),
        float(part.miss_high[here]),
        float(part.width[here]),
        note_of(int(part.doubts[here])),
    )
