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

Baselines = tuple[str, ...]  # none of them: all pairs
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
    """Return a row for each measure, pair of runs, method and level.

    Runs are compared with each baseline or, if there is none, every two with each other. They are
    `paired` by their topics, or have topics of their own.
    """
    if paired and testing.at_once:
        check_simultaneous(estimation)
    pairs, notices = paired_runs(scores, baselines, paired=paired, best_first=best_first)
    if not paired:
        table, about_pairs = _by_welch(pairs, estimation, testing, progress)
        return table, [*notices, *about_pairs, *could_be_paired(scores)]
    parts = []
    for of, part in zip(pairs, parts_of(progress, len(pairs)), strict=True):
        found = compare_paired(of.on_same_topics, estimation, testing, part)
        parts.append(Compared(of, found, estimation.levels, testing))
    if "tukey" in testing.tests and len(scores.runs) == 2:
        notices.append(note("of two runs, tukey is the randomisation test"))
    notices += (
        _out_of_reach(parts, estimation)
        + _could_be_better(parts)
        + _never_told_apart(parts, estimation)
    )
    notices += about_differences(list(_judged(parts, estimation)), estimation.methods)
    table, about_limits = _table(parts, estimation, progress)
    return table, notices + unusual_levels(estimation.levels) + about_limits


def compare_moments(
    groups: Sequence[Group],
    baselines: Baselines,
    estimation: Estimation,
    testing: Testing,
) -> tuple[Table, list[Notice]]:
    """Return the same of groups of runs of which only so much is known."""
    pairs, notices = pairs_of_groups(groups, baselines)
    table, about_pairs = _by_welch(pairs, estimation, testing, no_progress)
    return table, notices + about_pairs


def _by_welch(
    pairs: Sequence[PairedRuns],
    estimation: Estimation,
    testing: Testing,
    progress: Progress,
) -> tuple[Table, list[Notice]]:
    """Return the comparison of runs on topics of their own."""
    parts = [
        Compared(
            of,
            compare_unpaired(of.known, of.pairs, estimation.levels, testing),
            estimation.levels,
            testing,
        )
        for of in pairs
    ]
    table, about_limits = _table(parts, estimation, progress)
    return table, _could_be_better(parts) + unusual_levels(estimation.levels) + about_limits


def _judged(parts: Sequence[Compared], estimation: Estimation) -> Iterator[Judged]:
    """Yield by each measure what is to be noted on differences, by the first method."""
    for method in estimation.methods[:1]:
        for part in parts:
            yield Judged(part.of.measure, len(part.of), part.found.doubts[method][0])


def _could_be_better(parts: Sequence[Compared]) -> list[Notice]:
    """Say that there is a better correction than the one that is used, if there is."""
    used = any(
        part.testing.correction == "bonferroni" and part.of.pairs.family > 1 for part in parts
    )
    if not used or named_test(parts[0].testing.tests[0]).simultaneous:
        return []
    return [note(BETTER_THAN_BONFERRONI)]


def _never_told_apart(parts: Sequence[Compared], estimation: Estimation) -> list[Notice]:
    """Say which pairs max-T cannot tell apart whatever their difference, at any of the levels."""
    notices: dict[Notice, None] = {}
    for part in parts:
        if part.found.at_once is None:
            continue
        for found in part.found.at_once.by_level:
            if not found.enough_topics:
                topics = len(part.of.scores.topics)
                notices[too_few_topics(part.of.measure, topics, found.level)] = None
            left_out = found.counted(part.of.pairs)
            notices |= dict.fromkeys(never_told_apart(left_out, part.of.measure))
            if not part.testing.simultaneous:  # or the intervals show how uncertain they are
                notices |= dict.fromkeys(
                    too_few_draws(part.of.measure, found.error_share, estimation.draws)
                )
    return list(notices)


def _out_of_reach(parts: Sequence[Compared], estimation: Estimation) -> list[Notice]:
    """Warn if even the smallest p-value that there can be is not small enough."""
    part = max(parts, key=lambda part: part.of.pairs.family)
    name = part.testing.tests[0]
    test, topics, family = named_test(name), len(part.of.scores.topics), part.of.pairs.family
    factor = 1.0 if test.simultaneous else least_factor(part.testing.correction, family)
    if part.by_max_t or test.least(topics, estimation.draws) * factor < part.alpha:
        return []
    needed = rounded_up(factor / part.alpha)
    enough = test.least(topics, needed) * factor < part.alpha
    if estimation.draws < needed <= MOST_RESAMPLES and enough:
        why, advice = f"{estimation.draws} draws", f"--draws {needed} would do"
    else:
        why, advice = count(topics, "topic"), "--test t has no such bound"
    corrected = f" after correction for {family} comparisons" if factor > 1 else ""
    return [
        warning(
            f"{why} cannot give {name} a p-value below {part.alpha:g}{corrected}, whatever the "
            f"difference; {advice}"
        )
    ]


@dataclass(frozen=True)
class _Row(Bounded):
    """One interval of a difference."""

    baseline: str
    pair: int


def _table(
    parts: Sequence[Compared],
    estimation: Estimation,
    progress: Progress,
) -> tuple[Table, list[Notice]]:
    """Return a row for each pair, method and level; for people, one for each pair."""
    testing = parts[0].testing
    alone = all(len(part.of) == 1 for part in parts)
    by_part: list[list[_Row]] = []
    columns: list[Sequence[Column]] = []
    view: list[Table] = []
    for done, part in enumerate(parts):
        progress(done, len(parts))
        by_part.append(list(_rows(part)))
        columns.append(_columns(part, by_part[-1]))
        view += views(part, alone=alone)
    progress(len(parts), len(parts))
    rows = [(part, row) for part, own in zip(parts, by_part, strict=True) for row in own]
    family = ",".join(dict.fromkeys(str(part.family) for part in parts))
    signature = {
        "measures": ",".join(part.of.measure for part in parts),
        "methods": ",".join(parts[0].found.limits),
        "tests": ",".join(testing.tests),
        "correct": "none" if named_test(testing.tests[0]).simultaneous else testing.correction,
        "family": family,
    }
    if testing.strict:
        signature["max-t"] = "strict"
    notices: list[Notice] = []
    if estimation.resampling or testing.simultaneous:
        flat = [row for _, row in rows]
        signature["error"] = f"{largest_error(flat):.2g}"
        for names, number, kind in ((estimation.methods, estimation.resamples, RESAMPLES),
                                    ((MAX_T,), estimation.draws, DRAWS)):  # fmt: skip
            notices += too_uncertain([row for row in flat if row.method in names], number, kind)
    table = Table(
        title="",
        columns=stacked(columns),
        signature=signature,
        sentence=in_general(parts),
        view=view,
        for_figure={
            "significant": [bool(part.significant[row.pair]) for part, row in rows],
            "judged_by": [judged_by(part) for part, _ in rows],
        },
    )
    return table, notices


def _rows(part: Compared) -> Iterator[_Row]:
    found = part.found
    for pair in range(len(part.of)):
        run, baseline = part.of.names(pair)
        for interval in intervals_of(pair, found.limits, found.doubts, part.levels):
            own = note_of(interval.pop("doubts"))
            note = ", ".join(filter(None, [own, *part.of.missing_of(pair)]))
            yield _Row(
                **interval,
                note=note,
                measure=part.of.measure,
                run=run,
                baseline=baseline,
                pair=pair,
            )


def _adjusted(part: Compared, rows: Sequence[_Row]) -> list[float]:
    """Return the corrected p-values; those of max-t agree with intervals of the row's level."""
    found = part.found
    if found.adjusted is None:
        return [math.nan] * len(rows)
    if not part.by_max_t or found.at_once is None:
        return [float(found.adjusted[row.pair]) for row in rows]
    p = dict(zip(part.levels, found.at_once.p, strict=True))
    return [float(p[row.level][row.pair]) for row in rows]


def _columns(part: Compared, rows: Sequence[_Row]) -> list[Column]:
    known, p = part.of.known, part.found.p
    pairs = [row.pair for row in rows]
    missing = np.full(len(part.of), np.nan)

    def of_pairs(name: str, values: FloatArray | Positions) -> Column:
        return Column(name, values[pairs].tolist(), significant=name.startswith("p_"))

    columns = [
        *columns_of(rows, ("measure", "run", "baseline")),
        of_pairs("topics", known.run.topics),
    ]
    if not part.of.paired:
        columns.append(of_pairs("baseline_topics", known.baseline.topics))
    columns += [
        of_pairs("mean", known.run.mean),
        of_pairs("baseline_mean", known.baseline.mean),
        of_pairs("difference", known.difference),
        *columns_of(rows, ("method", "level", "low", "high"), exact=["level"]),
        of_pairs("t", known.t),
        of_pairs("df", known.df.astype(np.intp) if part.of.paired else known.df),
        *(of_pairs(f"p_{name}", p.get(name, missing)) for name in tests()),
        Column("p_adjusted", _adjusted(part, rows), significant=True),
        of_pairs("glass_delta", known.glass_delta),
        of_pairs("hedges_gz", known.hedges_gz),
        of_pairs("hedges_g", known.hedges_g),
    ]
    for place, name in enumerate(("wins", "ties", "losses")):
        if known.outcomes is None:
            columns.append(Column(name, [None] * len(rows)))
        else:
            columns.append(of_pairs(name, known.outcomes[place]))
    return [*columns, *columns_of(rows, ["note"])]
