"""Which interval can I trust on data like mine?"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from confint_cli.errors import CallError, DataError, Notice, note, warning
from confint_cli.estimation import Estimation
from confint_cli.methods._sample import Sample
from confint_cli.notes import mostly_zeros, note_on
from confint_cli.parallel import Jobs
from confint_cli.progress import Progress, no_progress
from confint_cli.replication import Design, Tally, tallies
from confint_cli.scores import Matrix, Scores
from confint_cli.standardization import factors_of, standardized
from confint_cli.studies._asked import suited_methods, unusual_levels
from confint_cli.studies._covered import Covered, closest_method, verdict, view
from confint_cli.studies._words import percent
from confint_cli.table import Cell, Column, Table
from confint_cli.text import count, listed, visible

_COLUMNS = (
    "measure", "run", "method", "level", "sample_size", "replicates", "coverage", "coverage_low",
    "coverage_high", "miss_low", "miss_high", "width", "note",
)  # fmt: skip
_SUMMARY = (
    "measure", "method", "level", "sample_size", "runs", "mean", "sd", "min", "q1", "median", "q3",
    "max", "error_mean", "error_sd", "error_max", "width",
)  # fmt: skip


def coverage(
    scores: Scores,
    how: Estimation,
    design: Design,
    signature: Mapping[str, str],
    *,
    summary: bool = False,
    best_first: bool = True,
    jobs: Jobs = None,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return how often intervals cover, for each run or in summary over runs."""
    matrices = [scores.matrix(measure) for measure in scores.measures]
    notices = [*unusual_levels(how.levels), *_few_resamples(how)]
    for matrix in matrices:
        _check(matrix, design)
    notices += _large_samples(matrices, design)
    if best_first:
        matrices = [matrix.best_first() for matrix in matrices]
    suited, about_methods = suited_methods(_as_drawn(scores, matrices, design), how)
    notices += about_methods
    found = tallies(matrices, suited, how, design, jobs=jobs, progress=progress)
    parts = [
        part
        for (place, size), tally in found.items()
        for part in _parts(matrices[place], size, suited[place], tally, how, design)
    ]
    notices += _left_out_of_samples(matrices, found, design)
    used = dict.fromkeys(name for names in suited for name in names)
    error = max(float(part.error.max()) for part in parts)
    signature = {**signature, "methods": ",".join(used), "error": f"{error:.2g}"}
    if summary:
        table, about_constant = _in_summary(parts, signature)
        return table, notices + about_constant
    return _in_full(parts, signature), notices


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


def _large_samples(matrices: Sequence[Matrix], design: Design) -> list[Notice]:
    """Warn, once for all measures, of samples that have most of the topics there are."""
    if design.replacement:
        return []
    sizes = [(max(design.sizes_for(matrix)), len(matrix.topics)) for matrix in matrices]
    largest, topics = max(sizes, key=lambda size: size[0] / size[1])
    if 2 * largest <= topics:
        return []
    return [
        warning(
            f"samples of {largest} of {topics} topics without replacement come nearer to the true "
            "mean than samples of new topics would, so that intervals cover too often: choose a "
            "smaller --sample-size, or leave --without-replacement out"
        )
    ]


def _few_resamples(how: Estimation) -> list[Notice]:
    """Warn of limits whose own noise lowers the coverage."""
    if not how.resampling or how.resamples >= 10 * how.fewest_resamples:
        return []
    return [
        warning(
            f"{how.resamples} resamples are few: limits are so uncertain that coverage suffers; "
            f"--resamples {10 * how.fewest_resamples} would do"
        )
    ]


def _parts(
    matrix: Matrix, size: int, methods: tuple[str, ...], tally: Tally, how: Estimation,
    design: Design,
) -> Iterator[Covered]:  # fmt: skip
    """Yield what was found at each level."""
    varies = ~Sample(matrix.values).constant
    zeros = mostly_zeros(matrix.values, size, replacement=design.replacement) & varies
    if design.standardizing is not None:  # then these are not the scores that were drawn
        varies, zeros = np.ones_like(varies), np.zeros_like(zeros)
    for place, level in enumerate(how.levels):
        width = tally.width[:, :, place] / design.replicates
        words = [
            [
                note_on(size, varies=own_varies, zeros=own_zeros, unbounded=unbounded)
                for unbounded in of_methods
            ]
            for own_varies, own_zeros, of_methods in zip(
                varies.tolist(), zeros.tolist(), np.isinf(width).tolist(), strict=True
            )
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
            zeros=zeros,
            notes=words,
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
    with_notes = any(any(map(any, part.notes)) for part in parts)
    return Table(
        title="",
        columns=_columns(_COLUMNS, rows),
        signature=signature,
        sentence=_how_often_closest(parts),
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
        part.notes[run][method],
    )


def _columns(names: Sequence[str], rows: Sequence[tuple[Cell, ...]]) -> list[Column]:
    return [
        Column(name, [row[place] for row in rows], exact=name == "level")
        for place, name in enumerate(names)
    ]


def _how_often_closest(parts: Sequence[Covered]) -> list[Cell]:
    """Sum up several tables in one sentence."""
    closest = [name for name in map(closest_method, parts) if name is not None]
    if len(closest) < 2:
        return []
    (first, number), *others = Counter(closest).most_common()
    if not others:
        return [f"{first} comes closest in {'both' if number == 2 else f'all {number}'} cases."]
    told = ", ".join(f"{name} in {number}" for name, number in others)
    return [f"{first} comes closest in {number} of {len(closest)} cases, {told}."]


def _in_summary(
    parts: Sequence[Covered], signature: Mapping[str, str]
) -> tuple[Table, list[Notice]]:
    """Return a row for each measure, method, size and level: how coverage spreads over runs.

    Runs without variance are left out: theirs is 1 whatever the method.
    """
    rows: list[tuple[Cell, ...]] = []
    views, notices, coverages = [], [], []
    for _, together in groupby(parts, lambda part: part.measure):
        group = list(together)
        first = group[0]
        constant = [run for run, here in zip(first.runs, first.varies, strict=True) if not here]
        if constant:
            notices.append(
                note(
                    f"{count(len(constant), 'run')} without variance by {visible(first.measure)}, "
                    f"left out of the summary: {listed(constant, 5)}"
                )
            )
        if len(constant) < len(first.runs):
            own = [
                _over_runs(part, method) for method in range(len(first.methods)) for part in group
            ]
            rows += own
            coverages += [
                part.coverage[part.varies, method].tolist()
                for method in range(len(first.methods))
                for part in group
            ]
            views.append(_summary_view(group, own))
    table = Table(
        title="",
        columns=_columns(_SUMMARY, rows),
        signature=signature,
        sentence=_how_often_closest(parts),
        view=views,
        for_figure={"coverages": coverages},
    )
    return table, notices


def _over_runs(part: Covered, method: int) -> tuple[Cell, ...]:
    values = part.coverage[part.varies, method]
    sd = float(values.std(ddof=1)) if len(values) > 1 else math.nan
    spread = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    mean = float(values.mean())
    return (
        part.measure,
        part.methods[method],
        part.level,
        part.size,
        len(values),
        mean,
        sd,
        *spread,
        1 - mean,
        sd,
        1 - spread[0],
        float(part.width[part.varies, method].mean()),
    )


def _summary_view(parts: Sequence[Covered], rows: Sequence[tuple[Cell, ...]]) -> Table:
    """Return the summary by one measure; what is the same in all rows goes into the title."""
    first = parts[0]
    title = [first.measure, count(int(first.varies.sum()), "run")]
    left_out = {"measure", "runs", "error_mean", "error_sd", "error_max"}
    if len({part.level for part in parts}) == 1:
        title.append(percent(first.level))
        left_out.add("level")
    samples = count(first.replicates, "sample")
    if len({part.size for part in parts}) == 1:
        samples += f" of {count(first.size, 'topic')} each"
        left_out.add("sample_size")
    columns = [
        replace(
            column,
            name=column.name.removeprefix("sample_"),
            optional=column.name in ("sd", "q1", "q3"),
        )
        for column in _columns(_SUMMARY, rows)
        if column.name not in left_out
    ]
    sentence = verdict(first) if len(parts) == 1 else []
    return Table(", ".join([*title, samples]), columns, sentence=sentence)
