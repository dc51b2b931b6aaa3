"""Which interval can I trust on data like mine?"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from confint_cli.common.errors import CallError, DataError, Notice, note, warning
from confint_cli.common.progress import Progress, no_progress, with_progress
from confint_cli.common.text import count, have, listed, visible
from confint_cli.common.words import percent
from confint_cli.scores.scores import Matrix, Scores
from confint_cli.scores.two_judges import FEWEST
from confint_cli.stats.coverage import Simulation, Tally, TooFewTopicsError, tallies
from confint_cli.stats.coverage_designs import tallies_of_design
from confint_cli.stats.coverage_groups import INDEPENDENT, GroupPopulation
from confint_cli.stats.coverage_judges import OF_ONE_JUDGE, JudgePopulation, further_topics
from confint_cli.stats.coverage_repeats import NAIVE_OF_REPEATS, RepeatPopulation
from confint_cli.stats.coverage_strata import (
    Population,
    naive_methods,
    tallies_over_collections,
)
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.flags import (
    FEW_FREE,
    Doubt,
    doubts_about_columns,
    mostly_one_value,
    with_doubt,
)
from confint_cli.stats.methods import method_named, wilson
from confint_cli.stats.names import PPI
from confint_cli.stats.sample import Sample
from confint_cli.studies.answer import Answer, fields
from confint_cli.studies.checks import suited_methods, unusual_levels
from confint_cli.studies.collections import Part, over_collections, with_fields
from confint_cli.studies.columns import COVERAGE, COVERAGE_OVER_RUNS
from confint_cli.studies.coverage_view import summary_view, view
from confint_cli.studies.covered import NAIVE, OWN_LEVEL, Covered, covered_of
from confint_cli.studies.designs import suited_to
from confint_cli.studies.facts import Facts, facts_of_estimation
from confint_cli.studies.judged import checked_judges
from confint_cli.studies.rows import CoverageRow, CoverageSummaryRow
from confint_cli.studies.scope import (
    COLLECTIONS,
    TOPICS,
    designs_of,
    facts_of_design,
    how_to_have_one,
    in_words,
)
from confint_cli.studies.standardize import factors_of, standardized

_TOO_SELDOM = 1e-6  # a share of intervals that is not told from none
_LARGE_SHARE = 0.1  # of the topics: larger samples without replacement are too good
_LISTED = 5  # runs that a message names, at most


def coverage(
    scores: Scores,
    estimation: Estimation,
    simulation: Simulation,
    *,
    for_new: str = TOPICS,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> Answer[CoverageRow]:
    """Return a record for each measure, run, method, size of samples and level.

    It says how often intervals cover the true mean; of several collections, of each and of all of
    them together, as a result is that is `for_new` topics or collections. Without `best_first`,
    runs stay in the order in which they come. Raises an error for samples that cannot be drawn.
    """
    if designs := designs_of(scores):
        _check_design(designs, simulation)
    if scores.judge is not None:
        return _by_two_judges(scores, estimation, simulation, best_first, progress)
    if scores.several:
        return _over_collections(scores, estimation, simulation, for_new, best_first, progress)
    if designs:
        own = suited_to(scores, estimation, for_new)
        return _of_design(scores, own, simulation, best_first, progress)
    matrices = [scores.matrix(measure) for measure in scores.measures]
    notices = [*unusual_levels(estimation.levels), *_few_resamples(estimation)]
    for matrix in matrices:
        _check(matrix, simulation)
    notices += _large_samples(matrices, estimation, simulation)
    if best_first:
        matrices = [matrix.best_first() for matrix in matrices]
    suited, about_methods = suited_methods(_as_drawn(scores, matrices, simulation), estimation)
    notices += about_methods
    by_measure = _tallies(matrices, suited, estimation, simulation, progress)
    rows = [
        row
        for matrix, methods, by_size in zip(matrices, suited, by_measure, strict=True)
        for row in _rows(matrix, methods, by_size, estimation.levels, simulation)
    ]
    notices += _left_out_of_samples(matrices, by_measure, simulation)
    methods = tuple(dict.fromkeys(name for names in suited for name in names))
    return _answer(rows, scores, methods, estimation, simulation, notices)


def _over_collections(
    scores: Scores,
    estimation: Estimation,
    simulation: Simulation,
    for_new: str,
    best_first: bool,
    progress: Progress,
) -> Answer[CoverageRow]:
    """Return the records of each collection, and of all of them together."""
    together = suited_to(scores, estimation, for_new)
    # Each collection by itself has all methods of its own but those that the whole cannot have.
    own = suited_to(scores, estimation, TOPICS)

    def ask(part: Part) -> Answer[CoverageRow]:
        if part.is_macro:
            return _of_all(scores, part, together, simulation, for_new, progress)
        return coverage(part.scores, own, simulation, best_first=False, progress=progress)

    return over_collections(scores, for_new, ask, best_first=best_first, together=attrgetter("run"))


def _check_design(designs: Sequence[str], simulation: Simulation) -> None:
    """Raise CallError for samples that cannot be drawn from a design."""
    if len(designs) > 1:
        raise CallError(
            f"coverage draws samples of one kind of design, not of {in_words(designs)} together",
            how_to_have_one(designs),
        )
    if not simulation.replacement:
        kind = "one collection at a time" if "collections" in designs else "plain topics"
        raise CallError(f"--without-replacement is for {kind}, not for {in_words(designs)}")
    if simulation.standardizing is not None:
        raise CallError(
            f"--standardize {simulation.standardizing} draws runs anew for each sample, and is "
            "for one collection only",
            "--standardize all is for several collections, too",
        )


def _of_design(
    scores: Scores,
    estimation: Estimation,
    simulation: Simulation,
    best_first: bool,
    progress: Progress,
) -> Answer[CoverageRow]:
    """Return the records of runs whose topics come in groups, or which have repeats."""
    groups = scores.groups
    kind, naive = ("groups", (INDEPENDENT,)) if groups else ("repeats", NAIVE_OF_REPEATS)
    methods = (*estimation.methods, *naive)
    notices = [*unusual_levels(estimation.levels), *_few_resamples(estimation)]
    rows: list[CoverageRow] = []
    for measure, its_progress in with_progress(scores.measures, progress):
        matrix = scores.matrix(measure)
        matrix = matrix.best_first() if best_first else matrix
        _check(matrix, simulation)
        populations = _populations(matrix)
        by_size = {
            size: tallies_of_design(kind, populations, estimation, simulation, size, of_size)
            for size, of_size in with_progress(simulation.sizes_for(matrix), its_progress)
        }
        own = list(_rows(matrix, methods, by_size, estimation.levels, simulation))
        if groups is not None:  # how many topics there are depends on which groups are drawn
            own = [_of_groups(row) for row in own]
        elif matrix.repeats is not None:
            numbers = dict(zip(matrix.runs, matrix.repeats.numbers, strict=True))
            own = [replace(row, repeats=numbers[row.run]) for row in own]
        rows += own
    return _answer(rows, scores, methods, estimation, simulation, notices)


def _by_two_judges(
    scores: Scores,
    estimation: Estimation,
    simulation: Simulation,
    best_first: bool,
    progress: Progress,
) -> Answer[CoverageRow]:
    """Return the records of intervals by people and a cheaper judge, and by each of them alone.

    Samples are of topics with both judges, and have as many further ones for each as there are.
    """
    methods = (PPI, *OF_ONE_JUDGE)
    notices = [*unusual_levels(estimation.levels)]
    rows: list[CoverageRow] = []
    for measure, its_progress in with_progress(scores.measures, progress):
        two, about, _ = checked_judges(scores, measure)
        notices += about
        matrix = replace(
            two.matrix,
            topics=two.matrix.topics[: two.human.number],
            values=two.human.values,
            filled=two.matrix.filled[: two.human.number],
        )
        if best_first:
            two, matrix = two.ordered(matrix.by_mean), matrix.best_first()
        _check(matrix, simulation)
        ratio = two.others.number / two.human.number
        populations = [
            JudgePopulation(
                run, measure, two.human.values[:, place], two.judge.values[:, place], ratio
            )
            for place, run in enumerate(two.runs)
        ]
        sizes = simulation.sizes_for(matrix)
        for size in sizes:
            if size < FEWEST:
                raise CallError(f"--sample-size {size} is too small: a slope needs {FEWEST} topics")
        by_size = {
            size: tallies_of_design("judges", populations, estimation, simulation, size, of_size)
            for size, of_size in with_progress(sizes, its_progress)
        }
        rows += [
            replace(row, judge_topics=_both_kinds(row.sample_size or 0, ratio))
            for row in _rows(matrix, methods, by_size, estimation.levels, simulation)
        ]  # fmt: skip
    return _answer(rows, scores, methods, estimation, simulation, notices)


def _both_kinds(topics: int, ratio: float) -> int:
    """Return how many topics the judge has in samples with this many by people."""
    return topics + further_topics(topics, ratio)


def _of_groups(row: CoverageRow) -> CoverageRow:
    """Return a record that counts groups, which was made as if these were topics."""
    few = (row.sample_size or 0) <= FEW_FREE
    doubts = row.doubts & ~int(Doubt.FEW_TOPICS) | (int(Doubt.FEW_GROUPS) if few else 0)
    return replace(row, groups=row.sample_size, sample_size=None, doubts=doubts)


def _populations(matrix: Matrix) -> list[GroupPopulation | RepeatPopulation]:
    """Return the scores of each run by one measure, as samples are drawn from them."""
    if matrix.repeats is not None:
        return [
            RepeatPopulation(run, matrix.measure, matrix.repeats.values[:, own])
            for run, own in zip(matrix.runs, matrix.repeats.columns, strict=True)
        ]
    assert matrix.groups is not None
    on_topics, groups = matrix.on_topics, matrix.groups
    sums, squares = groups.sums(on_topics.values), groups.sums(on_topics.values**2)
    return [
        GroupPopulation(
            run, matrix.measure, sums[:, place], squares[:, place], groups.sizes, groups.equal
        )
        for place, run in enumerate(matrix.runs)
    ]


def _of_all(
    scores: Scores,
    part: Part,
    estimation: Estimation,
    simulation: Simulation,
    for_new: str,
    progress: Progress,
) -> Answer[CoverageRow]:
    """Return the records of all collections together by one measure."""
    assert scores.collections is not None
    (measure,) = part.scores.measures
    matrices = [
        scores.by(measure).only(*part.scores.runs).part(place).matrix(measure)
        for place in range(len(scores.collections.names))
    ]
    populations = [
        Population(
            run,
            measure,
            tuple(matrix.values[:, place] for matrix in matrices),
            for_new == COLLECTIONS,
        )
        for place, run in enumerate(matrices[0].runs)
    ]
    is_new = for_new == COLLECTIONS
    methods = (*estimation.methods, *naive_methods(new_collections=is_new))
    matrix = part.scores.matrix(measure)
    number = len(scores.collections.names)
    by_size = {
        size * number if size else part.topics: tallies_over_collections(
            populations, estimation, simulation, size, progress
        )
        for size in simulation.sizes or (None,)
    }
    rows = list(_rows(matrix, methods, by_size, estimation.levels, simulation))
    if is_new and not simulation.sizes:  # it depends on which collections are drawn
        rows = [replace(row, sample_size=None) for row in rows]
    return _answer(rows, part.scores, methods, estimation, simulation)


def _answer(
    rows: Sequence[CoverageRow],
    scores: Scores,
    methods: tuple[str, ...],
    estimation: Estimation,
    simulation: Simulation,
    notices: Sequence[Notice] = (),
) -> Answer[CoverageRow]:
    """Return the answer that has these records, of intervals by these methods."""
    samples: Facts = {
        "replicates": simulation.replicates,
        "sample_size": simulation.sizes,
        "replacement": simulation.replacement,
    }
    facts: Facts = {
        **facts_of_design(scores),
        **facts_of_estimation(estimation, scores, samples),
        "methods": methods,
        "error": max(row.error for row in rows),
    }
    return Answer(
        rows, with_fields(fields(COVERAGE, exact="level"), facts), facts, tuple(notices), view
    )


def _tallies(
    matrices: Sequence[Matrix],
    methods: Sequence[tuple[str, ...]],
    estimation: Estimation,
    simulation: Simulation,
    progress: Progress,
) -> list[dict[int, Tally]]:
    """Return the tallies by the measure of each matrix, by the size of samples.

    Raises an error that says so if samples cannot be standardised.
    """
    try:
        by_place_and_size = tallies(matrices, methods, estimation, simulation, progress)
    except TooFewTopicsError as error:
        raise DataError(
            "",
            f"on {visible(error.measure)}, {simulation.standardizing} runs to standardise by "
            f"differ on as few as {count(error.topics, 'topic')}, too few for a sample",
            "use more runs to standardise by, or draw smaller samples",
        ) from None
    by_measure: list[dict[int, Tally]] = [{} for _ in matrices]
    for (place, size), tally in by_place_and_size.items():
        by_measure[place][size] = tally
    return by_measure


def _as_drawn(
    scores: Scores, matrices: Sequence[Matrix], simulation: Simulation
) -> Sequence[Matrix]:
    """Return scores on the scale that samples have, for checks of which methods are fit for them.

    Samples may be standardised by a few runs that are drawn anew; here, it is by all runs.
    """
    if simulation.standardizing is None:
        return matrices
    factors, _ = factors_of(scores.runs, scores)
    by_all, _ = standardized(scores, factors)
    return [by_all.matrix(measure) for measure in scores.measures]


def _check(matrix: Matrix, simulation: Simulation) -> None:
    """Refuse samples that cannot be drawn from these scores."""
    topics, runs = len(matrix.topics), len(matrix.runs)
    if topics < 2:
        raise DataError(
            "",
            f"{visible(matrix.measure)} has {count(topics, 'topic')}, too few to draw from",
            "a sample needs two topics or more",
        )
    if simulation.standardizing is not None and simulation.standardizing >= runs:
        drawn = simulation.standardizing
        raise CallError(
            f"--standardize {drawn} needs {drawn + 1} runs or more, and "
            f"{visible(matrix.measure)} has {count(runs, 'run')}",
            "a run is standardised by other runs; 'all' uses all of them",
        )
    largest = max(simulation.sizes_for(matrix))
    if not simulation.replacement and largest > topics:
        raise CallError(
            f"--sample-size {largest} is more than the {topics} topics of "
            f"{visible(matrix.measure)}, and each can be drawn only once",
            "leave out --without-replacement, or draw fewer topics",
        )


def _large_samples(
    matrices: Sequence[Matrix], estimation: Estimation, simulation: Simulation
) -> list[Notice]:
    """Warn, once for all measures and sizes, of samples that have a large share of the topics."""
    if simulation.replacement:
        return []
    sizes = [(max(simulation.sizes_for(matrix)), len(matrix.topics)) for matrix in matrices]
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
            f"samples of {largest} of {topics} topics without replacement are closer to the true "
            f"mean than samples of new topics would be: correct {percent(level)} intervals would "
            f"cover it {expected} of the time; choose a smaller --sample-size, or leave out "
            "--without-replacement"
        )
    ]


def _few_resamples(estimation: Estimation) -> list[Notice]:
    """Warn of so few resamples that the noise of the limits lowers the coverage."""
    enough = 10 * estimation.fewest_resamples
    number = estimation.resamples
    if not estimation.resampling or number is None or number >= enough:
        return []
    return [
        warning(
            f"{number} resamples are few: limits are so uncertain that coverage suffers; "
            f"--resamples {enough} would be enough"
        )
    ]


def _rows(
    matrix: Matrix,
    methods: Sequence[str],
    by_size: Mapping[int, Tally],
    levels: Sequence[float],
    simulation: Simulation,
) -> Iterator[CoverageRow]:
    """Yield the records by one measure: of each run and method, with each size, at each level."""
    by_size_and_level = [
        (size, level, figures)
        for size, tally in by_size.items()
        for level, figures in zip(
            levels, _figures(matrix, size, methods, tally, simulation), strict=True
        )
    ]
    for column, run in enumerate(matrix.runs):
        for place, method in enumerate(methods):
            for size, level, figures in by_size_and_level:
                yield CoverageRow(
                    measure=matrix.measure,
                    run=run,
                    method=method,
                    level=level,
                    sample_size=size,
                    replicates=simulation.replicates,
                    **{name: values[column][place] for name, values in figures.items()},
                )


def _figures(
    matrix: Matrix, size: int, methods: Sequence[str], tally: Tally, simulation: Simulation
) -> Iterator[dict[str, Sequence[Sequence[Any]]]]:
    """Yield the fields of records at each level, by one measure with samples of one size.

    Each field is [run][method].
    """
    sample = Sample(matrix.values, design=matrix.design)
    varies = ~sample.constant
    zeros, others = mostly_one_value(sample, size, replacement=simulation.replacement)
    if simulation.standardizing is not None:  # samples have other scores: these say nothing of them
        varies, zeros, others = np.ones_like(varies), np.zeros_like(zeros), np.zeros_like(others)
    about_runs = doubts_about_columns(size, varies, zeros=zeros, one_value=others)
    _, number, levels = tally.width.shape
    of_runs = {
        "varies": np.repeat(varies[:, None], number, axis=1).tolist(),
        "one_value": np.repeat((zeros | others)[:, None], number, axis=1).tolist(),
    }
    for place in range(levels):
        both = tally.covered[..., place] / simulation.replicates
        covered = np.einsum("rmm->rm", both)
        low, high = wilson.of_proportion(covered, simulation.replicates, np.array(OWN_LEVEL))
        width = tally.width[:, :, place] / simulation.replicates
        doubts = [
            with_doubt(about_runs & ~int(_immune(name)), Doubt.UNBOUNDED, unbounded)
            for name, unbounded in zip(methods, np.isinf(width).T, strict=True)
        ]
        yield of_runs | {
            "coverage": covered.tolist(),
            "coverage_low": low.tolist(),
            "coverage_high": high.tolist(),
            "miss_low": (tally.too_high[:, :, place] / simulation.replicates).tolist(),
            "miss_high": (tally.too_low[:, :, place] / simulation.replicates).tolist(),
            "width": width.tolist(),
            "doubts": np.stack(doubts, axis=1).tolist(),
            # A standard error that is not 0 even where all intervals cover, or none does.
            "error": ((high - low) / (2 * ndtri((1 + OWN_LEVEL) / 2))).tolist(),
            "both": [list(of_run) for of_run in both],
        }


def _immune(name: str) -> Doubt:
    """Return what a method is immune to; intervals that ignore the design are to nothing."""
    return Doubt.NONE if name in NAIVE or name == PPI else method_named(name).immune


def _left_out_of_samples(
    matrices: Sequence[Matrix], by_measure: Sequence[Mapping[int, Tally]], simulation: Simulation
) -> list[Notice]:
    """Return notices on topics on which the runs drawn to standardise by did not differ."""
    notices = []
    for matrix, by_size in zip(matrices, by_measure, strict=True):
        left_out = sum(tally.left_out for tally in by_size.values())
        mean = left_out / (simulation.replicates * len(matrix.runs) * len(by_size))
        few = "less than 0.01"
        if mean:
            notices.append(
                note(
                    f"on {visible(matrix.measure)}, runs drawn to standardise by scored alike on "
                    f"{few if mean < 0.01 else f'{mean:.2g}'} of {len(matrix.topics)} topics on "
                    "average; such topics are left out"
                )
            )
    return notices


# In summary


def over_runs(answer: Answer[CoverageRow]) -> Answer[CoverageSummaryRow]:
    """Return how coverage spreads over the runs: a record for each measure, method, size and level.

    The records that are summed up are its `details`. Runs without variance are left out, as their
    coverage is 1 whatever the method; notices name them. By a measure that no scores vary by, there
    is no record.
    """
    rows: list[CoverageSummaryRow] = []
    notices = list(answer.notices)
    whole = covered_of(answer.rows)
    for _, group in groupby(whole, lambda covered: (covered.measure, covered.collection)):
        of_measure = list(group)
        first = of_measure[0]
        constant = [run for run, varies in zip(first.runs, first.varies, strict=True) if not varies]
        if constant:
            notices.append(
                note(
                    f"{have(len(constant), 'run')} no variance on {visible(first.measure)}, "
                    f"left out of the summary: {listed(constant, _LISTED)}"
                )
            )
        if len(constant) < len(first.runs):
            rows += [
                _over_runs(covered, method)
                for method in range(len(first.methods))
                for covered in of_measure
            ]
    return Answer(
        rows,
        with_fields(fields(COVERAGE_OVER_RUNS, exact="level"), answer.facts),
        answer.facts,
        tuple(notices),
        summary_view,
        details=answer.rows,
    )


def _over_runs(covered: Covered, method: int) -> CoverageSummaryRow:
    """Return the record of one method, given by its place."""
    values = covered.coverage[covered.varies, method]
    mean, sd = float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else math.nan
    lowest, q1, median, q3, highest = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return CoverageSummaryRow(
        measure=covered.measure,
        collection=covered.collection,
        collections=covered.collections,
        groups=covered.groups,
        repeats=covered.repeats,
        judge_topics=covered.judge_topics,
        method=covered.methods[method],
        level=covered.level,
        sample_size=covered.size,
        runs=len(values),
        mean=mean,
        sd=sd,
        min=lowest,
        q1=q1,
        median=median,
        q3=q3,
        max=highest,
        error_mean=1 - mean,
        error_sd=sd,
        error_max=1 - lowest,
        width=float(covered.width[covered.varies, method].mean()),
        distance=float(covered.distance[method]),
        miss_low=float(covered.miss_low[covered.varies, method].mean()),
        miss_high=float(covered.miss_high[covered.varies, method].mean()),
    )
