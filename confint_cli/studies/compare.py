"""Is A better than B, and by how much?"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from confint_cli.common.arrays import FloatArray, Positions
from confint_cli.common.errors import Notice, note, warning
from confint_cli.common.progress import Progress, no_progress, parts_of
from confint_cli.common.table import Column, Table, columns_of, stacked
from confint_cli.common.text import count
from confint_cli.common.words import rounded_up
from confint_cli.scores.scores import Scores
from confint_cli.stats.comparison import Testing, compare_paired, compare_unpaired
from confint_cli.stats.corrections import least_factor
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.methods import MOST_RESAMPLES
from confint_cli.stats.significance import named_test, tests
from confint_cli.stats.simultaneous import NAME as MAX_T
from confint_cli.studies.checks import Judged, about_differences, unusual_levels
from confint_cli.studies.compare_view import Compared, in_general, judged_by, views
from confint_cli.studies.doubts import note_of
from confint_cli.studies.draws import DRAWS, RESAMPLES, check_simultaneous
from confint_cli.studies.pairing import (
    Group,
    PairedRuns,
    could_be_paired,
    paired_runs,
    pairs_of_groups,
)
from confint_cli.studies.rows import (
    Bounded,
    intervals_of,
    largest_error,
    never_told_apart,
    too_few_draws,
    too_few_topics,
    too_uncertain,
)

Baselines = tuple[str, ...]  # empty: every two runs are compared
BETTER_THAN_BONFERRONI = (
    "Holm's correction promises what Bonferroni's does, and its p are never larger; --correct holm "
    "asks for it"
)


def compare(
    scores: Scores,
    baselines: Baselines,
    estimation: Estimation,
    testing: Testing,
    *,
    paired: bool = True,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a table with a row for each measure, pair of runs, method and level, and notices.

    Runs are compared with each of `baselines`; if there is none, every two with each other. They
    are `paired` by their topics, or have topics of their own: then Welch's t test is the only one.
    Without `best_first`, runs stay in the order in which they come.
    """
    if paired and testing.at_once:
        check_simultaneous(estimation)
    pairs_by_measure, notices = paired_runs(scores, baselines, paired=paired, best_first=best_first)
    if not paired:
        table, about_pairs = _by_welch(pairs_by_measure, estimation, testing, progress)
        return table, [*notices, *about_pairs, *could_be_paired(scores)]
    by_measure = []
    for pairs, its_progress in zip(
        pairs_by_measure, parts_of(progress, len(pairs_by_measure)), strict=True
    ):
        comparison = compare_paired(pairs.on_same_topics, estimation, testing, its_progress)
        by_measure.append(Compared(pairs, comparison, estimation.levels, testing))
    if len(scores.runs) == 2:
        for name in testing.tests:
            if other := tests()[name].of_two_runs:
                notices.append(note(f"of two runs, {name} is the {other}"))
    notices += (
        _out_of_reach(by_measure, estimation)
        + _could_be_better(by_measure)
        + _never_told_apart(by_measure, estimation)
    )
    notices += about_differences(list(_judged(by_measure, estimation)), estimation.methods)
    table, about_limits = _table(by_measure, estimation, progress)
    return table, notices + unusual_levels(estimation.levels) + about_limits


def compare_moments(
    groups: Sequence[Group],
    baselines: Baselines,
    estimation: Estimation,
    testing: Testing,
) -> tuple[Table, list[Notice]]:
    """Return the table of `compare` for runs of which only moments are known, and notices.

    There is a group of runs for each measure; they are compared unpaired.
    """
    pairs_by_measure, notices = pairs_of_groups(groups, baselines)
    table, about_pairs = _by_welch(pairs_by_measure, estimation, testing, no_progress)
    return table, notices + about_pairs


def _by_welch(
    pairs_by_measure: Sequence[PairedRuns],
    estimation: Estimation,
    testing: Testing,
    progress: Progress,
) -> tuple[Table, list[Notice]]:
    """Return the table of runs on topics of their own, by Welch's t test, and notices."""
    by_measure = [
        Compared(
            pairs,
            compare_unpaired(pairs.differences, pairs.pairs, estimation.levels, testing),
            estimation.levels,
            testing,
        )
        for pairs in pairs_by_measure
    ]
    table, about_limits = _table(by_measure, estimation, progress)
    return table, _could_be_better(by_measure) + unusual_levels(estimation.levels) + about_limits


def _judged(by_measure: Sequence[Compared], estimation: Estimation) -> Iterator[Judged]:
    """Yield the doubts about the differences by each measure, by the first method."""
    for method in estimation.methods[:1]:
        for compared in by_measure:
            yield Judged(
                compared.pairs.measure, len(compared.pairs), compared.comparison.doubts[method][0]
            )


def _could_be_better(by_measure: Sequence[Compared]) -> list[Notice]:
    """Return a notice that Holm's correction is better, if Bonferroni's is used.

    There is none for a single comparison, nor for a test that is not corrected.
    """
    is_used = any(
        compared.testing.correction == "bonferroni" and compared.pairs.family > 1
        for compared in by_measure
    )
    if not is_used or named_test(by_measure[0].testing.tests[0]).simultaneous:
        return []
    return [note(BETTER_THAN_BONFERRONI)]


def _never_told_apart(by_measure: Sequence[Compared], estimation: Estimation) -> list[Notice]:
    """Return notices on pairs that max-T cannot tell apart, whatever their difference."""
    notices: dict[Notice, None] = {}  # in order, each once
    for compared in by_measure:
        if compared.comparison.at_once is None:
            continue
        for max_t in compared.comparison.at_once.by_level:
            if not max_t.enough_topics:
                topics = len(compared.pairs.scores.topics)
                notices[too_few_topics(compared.pairs.measure, topics, max_t.level)] = None
            left_out = max_t.counted(compared.pairs.pairs)
            notices |= dict.fromkeys(never_told_apart(left_out, compared.pairs.measure))
            if not compared.testing.simultaneous:  # else `too_uncertain` warns of the intervals
                notices |= dict.fromkeys(
                    too_few_draws(compared.pairs.measure, max_t.error_share, estimation.draws)
                )
    return list(notices)


def _out_of_reach(by_measure: Sequence[Compared], estimation: Estimation) -> list[Notice]:
    """Warn if even the smallest p-value that the first test can have is not significant."""
    compared = max(by_measure, key=lambda compared: compared.pairs.family)
    name = compared.testing.tests[0]
    test, topics, family = (
        named_test(name),
        len(compared.pairs.scores.topics),
        compared.pairs.family,
    )
    factor = 1.0 if test.simultaneous else least_factor(compared.testing.correction, family)
    if compared.by_max_t or test.least(topics, estimation.draws) * factor < compared.alpha:
        return []
    needed = rounded_up(factor / compared.alpha)
    enough = test.least(topics, needed) * factor < compared.alpha
    if estimation.draws < needed <= MOST_RESAMPLES and enough:
        why, advice = f"{estimation.draws} draws", f"--draws {needed} would do"
    else:
        why, advice = count(topics, "topic"), "--test t has no such bound"
    corrected = f" after correction for {family} comparisons" if factor > 1 else ""
    return [
        warning(
            f"{why} cannot give {name} a p-value below {compared.alpha:g}{corrected}, whatever the "
            f"difference; {advice}"
        )
    ]


@dataclass(frozen=True)
class _Row(Bounded):
    """One interval of a difference."""

    baseline: str
    pair: int  # its place among the pairs by its measure


def _table(
    by_measure: Sequence[Compared],
    estimation: Estimation,
    progress: Progress,
) -> tuple[Table, list[Notice]]:
    """Return a table with a row for each measure, pair, method and level, and what to warn of.

    In the view for people, each pair has one row.
    """
    testing = by_measure[0].testing
    is_alone = all(len(compared.pairs) == 1 for compared in by_measure)
    rows: list[tuple[Compared, _Row]] = []
    columns: list[Sequence[Column]] = []
    view: list[Table] = []
    for done, compared in enumerate(by_measure):
        progress(done, len(by_measure))
        rows_of_measure = list(_rows(compared))
        rows += [(compared, row) for row in rows_of_measure]
        columns.append(_columns(compared, rows_of_measure))
        view += views(compared, alone=is_alone)
    progress(len(by_measure), len(by_measure))
    family = ",".join(dict.fromkeys(str(compared.family) for compared in by_measure))
    signature = {
        "measures": ",".join(compared.pairs.measure for compared in by_measure),
        "methods": ",".join(by_measure[0].comparison.limits),
        "tests": ",".join(testing.tests),
        "correct": "none" if named_test(testing.tests[0]).simultaneous else testing.correction,
        "family": family,
    }
    if testing.strict:
        signature["max-t"] = "strict"
    notices: list[Notice] = []
    if estimation.resampling or testing.simultaneous:
        intervals = [row for _, row in rows]
        signature["error"] = f"{largest_error(intervals):.2g}"
        for names, number, kind in ((estimation.methods, estimation.resamples, RESAMPLES),
                                    ((MAX_T,), estimation.draws, DRAWS)):  # fmt: skip
            notices += too_uncertain(
                [row for row in intervals if row.method in names], number, kind
            )
    table = Table(
        title="",
        columns=stacked(columns),
        signature=signature,
        sentence=in_general(by_measure),
        view=view,
        for_figure={
            "significant": [bool(compared.significant[row.pair]) for compared, row in rows],
            "judged_by": [judged_by(compared) for compared, _ in rows],
        },
    )
    return table, notices


def _rows(compared: Compared) -> Iterator[_Row]:
    comparison = compared.comparison
    for pair in range(len(compared.pairs)):
        run, baseline = compared.pairs.names(pair)
        for interval in intervals_of(pair, comparison.limits, comparison.doubts, compared.levels):
            remarks = [note_of(interval.pop("doubts")), *compared.pairs.missing_of(pair)]
            yield _Row(
                **interval,
                note=", ".join(filter(None, remarks)),
                measure=compared.pairs.measure,
                run=run,
                baseline=baseline,
                pair=pair,
            )


def _adjusted(compared: Compared, rows: Sequence[_Row]) -> list[float]:
    """Return the corrected p-value of each row; NaN, if none is corrected.

    Those of max-T agree with the intervals of the row's level.
    """
    comparison = compared.comparison
    if comparison.adjusted is None:
        return [math.nan] * len(rows)
    if not compared.by_max_t or comparison.at_once is None:
        return [float(comparison.adjusted[row.pair]) for row in rows]
    p = dict(zip(compared.levels, comparison.at_once.p, strict=True))
    return [float(p[row.level][row.pair]) for row in rows]


def _columns(compared: Compared, rows: Sequence[_Row]) -> list[Column]:
    differences, p = compared.pairs.differences, compared.comparison.p
    pairs = [row.pair for row in rows]
    missing = np.full(len(compared.pairs), np.nan)

    def of_pairs(name: str, values: FloatArray | Positions) -> Column:
        return Column(name, values[pairs].tolist(), significant=name.startswith("p_"))

    columns = [
        *columns_of(rows, ("measure", "run", "baseline")),
        of_pairs("topics", differences.run.topics),
    ]
    if not compared.pairs.paired:
        columns.append(of_pairs("baseline_topics", differences.baseline.topics))
    columns += [
        of_pairs("mean", differences.run.mean),
        of_pairs("baseline_mean", differences.baseline.mean),
        of_pairs("difference", differences.difference),
        *columns_of(rows, ("method", "level", "low", "high"), exact=["level"]),
        of_pairs("t", differences.t),
        of_pairs("df", differences.df.astype(np.intp) if compared.pairs.paired else differences.df),
        *(of_pairs(f"p_{name}", p.get(name, missing)) for name in tests()),
        Column("p_adjusted", _adjusted(compared, rows), significant=True),
        of_pairs("glass_delta", differences.glass_delta),
        of_pairs("hedges_gz", differences.hedges_gz),
        of_pairs("hedges_g", differences.hedges_g),
    ]
    for outcome, name in enumerate(("wins", "ties", "losses")):
        if differences.outcomes is None:
            columns.append(Column(name, [None] * len(rows)))
        else:
            columns.append(of_pairs(name, differences.outcomes[outcome]))
    return [*columns, *columns_of(rows, ["note"])]
