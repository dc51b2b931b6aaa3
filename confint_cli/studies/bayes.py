"""How probable is it that A beats B?"""

import math
from collections.abc import Sequence

from confint_cli.common.errors import DataError, Notice, warning
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.table import Column, Table, columns_of, stacked
from confint_cli.common.text import count, listed, quoted, visible
from confint_cli.common.words import percent
from confint_cli.scores.scores import Scores
from confint_cli.stats.comparison import Testing, compare_paired, compare_unpaired
from confint_cli.stats.estimate import Estimation, RandomDraws, fewest_draws
from confint_cli.stats.flags import FEW_TOPICS
from confint_cli.stats.methods import MOST_DRAWS
from confint_cli.stats.pairs import Pairs
from confint_cli.stats.posterior import FEWEST_TOPICS, Known, known_of_moments, known_of_pairs
from confint_cli.studies.bayes_view import views
from confint_cli.studies.beliefs import THRESHOLDS, Asked, Belief, Believed, Question, believed
from confint_cli.studies.checks import unusual_levels
from confint_cli.studies.pairing import (
    about_missing,
    comparable_groups,
    comparable_matrices,
    missing_of_pair,
    on_own_topics,
)
from confint_cli.studies.rows import largest_error, too_uncertain

__all__ = ["THRESHOLDS", "Question", "bayes"]

_DRAWS = RandomDraws("draws", MOST_DRAWS, "choose a lower level")
_DRAWS_BEYOND = 10  # a limit, at the least
_UNCERTAIN_SD = 0.01  # as a share of it
_BEYOND_NORMAL = 3  # times the uncertainty that as many draws of a normal distribution leave
_TESTING = Testing(correction="none")


def bayes(
    scores: Scores,
    baselines: tuple[str, ...],
    question: Question,
    *,
    paired: bool = True,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a row for each measure, pair of runs, and quantity.

    Runs are compared with each baseline or, if there is none, every two with each other. They are
    `paired` by their topics, or have topics of their own.
    """
    least = _DRAWS_BEYOND * fewest_draws(question.level, 2)
    _DRAWS.check(question.drawing.number, least, f"level {question.level}")
    known_of = _on_the_same_topics if paired else _on_own_topics
    asked, notices = known_of(scores, baselines, question, best_first=best_first)
    notices += _without_posterior(asked)
    found = believed(asked, question, progress)
    parts = [
        Believed(part, beliefs, baselines, question)
        for part, beliefs in zip(asked, found, strict=True)
    ]
    rows = [row for part in parts for pair in part.beliefs for row in pair.values()]
    notices += too_uncertain(rows, question.drawing.number, _DRAWS)
    notices += [*_long_tails(rows), *unusual_levels([question.level])]
    table = Table(
        title="",
        columns=stacked([_columns(part) for part in parts]),
        signature={
            "measures": ",".join(part.measure for part in asked),
            "error": f"{largest_error([row for row in rows if row.quantity == 'difference']):.2g}",
        },
        view=views(parts),
        for_figure={"density": [row.density for row in rows]},
    )
    return table, notices


def _on_the_same_topics(
    scores: Scores, baselines: tuple[str, ...], question: Question, *, best_first: bool
) -> tuple[list[Asked], list[Notice]]:
    matrices, notices = comparable_matrices(
        scores, baselines, fewest=FEWEST_TOPICS, best_first=best_first
    )
    how = Estimation(("t",), (question.level,))
    asked = []
    for matrix in matrices:
        pairs = Pairs.among(matrix.runs, baselines)
        found = compare_paired(matrix.values, pairs, how, _TESTING)
        known = known_of_pairs(matrix.values, pairs, found)
        missing = about_missing(matrix)
        asked.append(Asked(matrix.measure, matrix.runs, pairs, found, known, missing))
    return asked, notices


def _on_own_topics(
    scores: Scores, baselines: tuple[str, ...], question: Question, *, best_first: bool
) -> tuple[list[Asked], list[Notice]]:
    groups, about_topics = on_own_topics(scores, best_first=best_first)
    groups, notices = comparable_groups(groups, baselines, fewest=FEWEST_TOPICS)
    asked = []
    for group in groups:
        pairs = Pairs.among(group.runs, baselines)
        found = compare_unpaired(group.moments, pairs, (question.level,), _TESTING)
        known = known_of_moments(found)
        asked.append(Asked(group.measure, group.runs, pairs, found, known))
    return asked, notices + about_topics


def _without_posterior(asked: Sequence[Asked]) -> list[Notice]:
    """Warn of pairs that have no posterior; refuse if none has one."""
    said, total = [], 0
    first: DataError | None = None
    for part in asked:
        for pair, known in enumerate(part.known):
            total += 1
            if known.why_no_posterior:
                run, baseline = part.pairs.names(pair, part.runs)
                first = first or _no_posterior(part.measure, run, baseline, known)
                said.append(f"{run} and {baseline} by {part.measure} ({known.why_no_posterior})")
    if first is None:
        return []
    if len(said) == total:
        raise first
    have = "has" if len(said) == 1 else "have"
    return [
        warning(f"{len(said)} of {count(total, 'pair')} {have} no posterior: {listed(said, 3)}")
    ]


def _no_posterior(measure: str, run: str, baseline: str, known: Known) -> DataError:
    """Say why two runs have no posterior."""
    so = "there is no posterior of their difference"
    if known.sd == 0 or known.baseline_sd == 0:
        constant = run if known.sd == 0 else baseline
        return DataError(
            "", f"the {visible(measure)} of {quoted(constant)} is the same on all topics: {so}"
        )
    names = f"{quoted(run)} and {quoted(baseline)}"
    if known.why_no_posterior == "identical":
        return DataError("", f"{names} have the same {visible(measure)} on all topics: {so}")
    return DataError(
        "",
        f"the {visible(measure)} of {names} has {known.why_no_posterior}, one is the other shifted "
        f"or stretched: {so}",
    )


def _long_tails(rows: Sequence[Belief]) -> list[Notice]:
    """Warn of standard deviations of few topics that other random numbers would make others."""
    few = [
        row
        for row in rows
        if min(row.topics, row.baseline_topics) < FEW_TOPICS and row.quantity != "correlation"
    ]  # which has no long tails
    uncertain = [
        row
        for row in few
        if row.sd_error > max(_UNCERTAIN_SD, _BEYOND_NORMAL / math.sqrt(2 * row.ess)) * row.sd
    ]
    if not uncertain:
        return []
    worst = max(uncertain, key=lambda row: row.sd_error / row.sd)
    share = percent(round(min(worst.sd_error / worst.sd, 1.0), 2))
    return [
        warning(
            f"{count(min(worst.topics, worst.baseline_topics), 'topic')} leave the posterior such "
            f"long tails that its sd is uncertain by {share} ({worst.quantity}, "
            f"{visible(worst.measure)} of {visible(worst.run)}); more topics would help"
        )
    ]


def _columns(part: Believed) -> list[Column]:
    rows = [row for pair in part.beliefs for row in pair.values()]

    columns = columns_of(rows, ("measure", "run", "baseline", "topics"))
    if not part.paired:
        columns += columns_of(rows, ["baseline_topics"])
    figures = ("quantity", "eap", "sd", "low", "high", "threshold", "probability")
    columns += columns_of(rows, figures, exact=["threshold"])
    columns.append(Column("ess", [_whole(row.ess) for row in rows]))
    if part.question.rope is not None:
        columns += [
            Column(f"p_{name}", [getattr(row.rope, name) if row.rope else None for row in rows])
            for name in ("below", "within", "above")
        ]
    if part.question.classical:
        columns += [
            Column("sample", [row.classical.sample for row in rows]),
            Column("confidence_low", [row.classical.low for row in rows]),
            Column("confidence_high", [row.classical.high for row in rows]),
            Column("p_one_sided", [row.classical.p for row in rows], significant=True),
        ]
    missing = part.asked.missing
    notes = [[row.note, *missing_of_pair(missing, row.run, row.baseline)] for row in rows]
    return [*columns, Column("note", [", ".join(filter(None, words)) for words in notes])]


def _whole(number: float) -> int | None:
    return None if math.isnan(number) else round(number)
