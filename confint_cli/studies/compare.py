"""Is A better than B, and by how much?"""

from collections.abc import Iterator, Mapping, Sequence

from confint_cli.comparison import Testing, compare_paired, compare_unpaired
from confint_cli.corrections import least_factor
from confint_cli.errors import Notice, note, warning
from confint_cli.estimation import Estimation
from confint_cli.methods import MOST_RESAMPLES
from confint_cli.pairs import Pairs
from confint_cli.progress import Progress, no_progress, parts_of
from confint_cli.scores import Scores
from confint_cli.significance import named_test
from confint_cli.studies._asked import unusual_levels
from confint_cli.studies._comparable import (
    Group,
    about_missing,
    comparable_groups,
    comparable_matrices,
    on_own_topics,
)
from confint_cli.studies._compared import Compared
from confint_cli.studies._comparison_rows import table_of
from confint_cli.studies._left_out import never_told_apart, too_few_draws, too_few_topics
from confint_cli.studies._skewed import Judged, about_differences
from confint_cli.studies._words import rounded_up
from confint_cli.table import Table
from confint_cli.text import count

Baselines = tuple[str, ...]  # none of them: all pairs
BETTER_THAN_BONFERRONI = (
    "Holm's correction promises what Bonferroni's does, and its p are never larger; --correct holm "
    "asks for it"
)


def compare(
    scores: Scores,
    baselines: Baselines,
    how: Estimation,
    testing: Testing,
    signature: Mapping[str, str],
    *,
    paired: bool = True,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a row for each measure, pair of runs, method and level.

    Runs are compared with each baseline or, if there is none, every two with each other. They are
    `paired` by their topics, or have topics of their own.
    """
    if not paired:
        groups, about_topics = on_own_topics(scores, best_first=best_first)
        table, notices = compare_moments(groups, baselines, how, testing, signature, progress)
        return table, notices + about_topics
    if testing.at_once:
        how.check_simultaneous()
    matrices, notices = comparable_matrices(scores, baselines, best_first=best_first)
    parts = []
    for part, matrix in zip(parts_of(progress, len(matrices)), matrices, strict=True):
        pairs = Pairs.among(matrix.runs, baselines)
        found = compare_paired(matrix.values, pairs, how, testing, part)
        parts.append(Compared(matrix.measure, matrix.runs, pairs, baselines, found, how.levels,
                              testing, about_missing(matrix)))  # fmt: skip
    if "tukey" in testing.tests and len(scores.runs) == 2:
        notices.append(note("of two runs, tukey is the randomisation test"))
    notices += _out_of_reach(parts, how) + _could_be_better(parts) + _never_told_apart(parts, how)
    notices += about_differences(list(_judged(parts, how)), how.methods)
    table, about_limits = table_of(parts, how, signature, progress)
    return table, notices + unusual_levels(how.levels) + about_limits


def compare_moments(
    groups: Sequence[Group],
    baselines: Baselines,
    how: Estimation,
    testing: Testing,
    signature: Mapping[str, str],
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return the same of groups of runs of which only so much is known."""
    kept, notices = comparable_groups(groups, baselines)
    parts = []
    for group in kept:
        pairs = Pairs.among(group.runs, baselines)
        found = compare_unpaired(group.moments, pairs, how.levels, testing)
        parts.append(Compared(group.measure, group.runs, pairs, baselines, found, how.levels,
                              testing))  # fmt: skip
    notices += _could_be_better(parts)
    table, about_limits = table_of(parts, how, signature, progress)
    return table, notices + unusual_levels(how.levels) + about_limits


def _judged(parts: Sequence[Compared], how: Estimation) -> Iterator[Judged]:
    """Yield by each measure what is to be noted on differences, by the first method."""
    for method in how.methods[:1]:
        for part in parts:
            yield Judged(part.measure, len(part.pairs), part.found.notes[method][0].tolist())


def _could_be_better(parts: Sequence[Compared]) -> list[Notice]:
    """Say that there is a better correction than the one that is used, if there is."""
    used = any(part.testing.correction == "bonferroni" and part.pairs.family > 1 for part in parts)
    if not used or named_test(parts[0].testing.tests[0]).simultaneous:
        return []
    return [note(BETTER_THAN_BONFERRONI)]


def _never_told_apart(parts: Sequence[Compared], how: Estimation) -> list[Notice]:
    """Say which pairs max-T cannot tell apart whatever their difference, at any of the levels."""
    notices: dict[Notice, None] = {}
    for part in parts:
        if part.found.at_once is None:
            continue
        for found in part.found.at_once.by_level:
            if not found.enough_topics:
                topics = int(part.found.run.topics[0])
                notices[too_few_topics(part.measure, topics, found.level)] = None
            left_out = found.counted(part.pairs)
            notices |= dict.fromkeys(never_told_apart(left_out, part.measure))
            if not part.testing.simultaneous:  # or the intervals show how uncertain they are
                notices |= dict.fromkeys(too_few_draws(part.measure, found.error_share, how.draws))
    return list(notices)


def _out_of_reach(parts: Sequence[Compared], how: Estimation) -> list[Notice]:
    """Warn if even the smallest p-value that there can be is not small enough."""
    part = max(parts, key=lambda part: part.pairs.family)
    name = part.testing.tests[0]
    test, topics, family = named_test(name), int(part.found.run.topics[0]), part.pairs.family
    factor = 1.0 if test.simultaneous else least_factor(part.testing.correction, family)
    if part.by_max_t or test.least(topics, how.draws) * factor < part.alpha:
        return []
    needed = rounded_up(factor / part.alpha)
    enough = test.least(topics, needed) * factor < part.alpha
    if how.draws < needed <= MOST_RESAMPLES and enough:
        why, advice = f"{how.draws} draws", f"--draws {needed} would do"
    else:
        why, advice = count(topics, "topic"), "--test t has no such bound"
    corrected = f" after correction for {family} comparisons" if factor > 1 else ""
    return [
        warning(
            f"{why} cannot give {name} a p-value below {part.alpha:g}{corrected}, whatever the "
            f"difference; {advice}"
        )
    ]
