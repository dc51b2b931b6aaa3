"""Scores by people and by a cheaper judge: what can be asked of both together, and what is told.

The topics that people judged have to be like the others, or all intervals are beside the truth.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from confint_cli.common.errors import CallError, DataError, Notice, note, warning
from confint_cli.common.text import count, lack, listed, visible
from confint_cli.common.words import percent
from confint_cli.scores.grouping import topics_of
from confint_cli.scores.scores import Scores, order_by_mean
from confint_cli.scores.two_judges import TwoJudges, two_judges
from confint_cli.stats import representative
from confint_cli.stats.estimate import Estimate
from confint_cli.stats.flags import doubts_about
from confint_cli.stats.matrices import sample_of, sd_of_topics
from confint_cli.stats.names import PPI
from confint_cli.stats.pairs import Pairs
from confint_cli.stats.ppi import Family, Powered
from confint_cli.stats.ppi_comparison import differences_of, human_limits, limits_of
from confint_cli.stats.representative import Apart
from confint_cli.studies.pairing import (
    ByTwo,
    PairedRuns,
    comparable_matrices,
    fields_of_design,
    missing_topics,
)
from confint_cli.studies.scope import COLLECTIONS

_SUSPECT = 0.01  # the p-value below which topics of people are called unlike the others
_TOO_FAR = 1.0  # standard deviations: intervals cover too seldom
_COMMON, _BY_CHANCE = 0.05, ": no more than chance would do"
_MORE_MISSING = 0.02  # as a share of topics: what a run may lack more of the judge's topics
_LISTED = 3  # runs that a message names, at most

_MUST_BE = (
    "Results from both judges hold if the topics that people judged are a random sample of all "
    "topics, and if the judge judged all topics in the same way and to the same depth."
)


def check_whom(scores: Scores, for_new: str) -> None:
    """Raise CallError for new collections, of which no result by two judges is known to hold."""
    if scores.judge is not None and scores.several and for_new == COLLECTIONS:
        raise CallError(
            "--for-new collections treats a collection as one number, and a cheaper judge says "
            "nothing about other collections",
            "use --for-new topics, or leave out the judge",
        )


def of_use(scores: Scores) -> tuple[Scores, list[Notice]]:
    """Return the scores without a judge that has no topics but those of people, and a note on that.

    Raise DataError if it lacks some of these, too: it is rather the judge whose topics are many.
    """
    if scores.judge is None:
        return scores, []
    people, judge = {*topics_of(scores)}, {*topics_of(scores.judge)}
    if judge - people or not people & judge:
        return scores, []  # if they share none, an error says so
    if people - judge:
        raise DataError(
            "",
            f"people have judged {count(len(people), 'topic')}, and the judge "
            f"{len(judge)} of these and no others: are the two swapped?",
            "the judge has to judge people's topics and more; -q takes people's judgements",
        )
    text = (
        "the judge has judged no topic that people have not: the result is that of people's scores "
        "only"
    )
    return replace(scores, judge=None), [note(text), *_same_scores(scores)]


def _same_scores(scores: Scores) -> list[Notice]:
    """Return a warning if both judges give the same scores on all topics with both."""
    assert scores.judge is not None
    for measure in scores.measures:
        two = two_judges(scores, measure)
        if not same_scores(two):
            return []
    return [SAME_SCORES]


def same_scores(two: TwoJudges) -> bool:
    """Say whether both judges give the same scores on all topics that both have judged."""
    return bool(np.array_equal(two.human.values, two.judge.values))


def about_agreement(two: TwoJudges) -> list[Notice]:
    """Return what to tell of topics of both judges where it is about how they agree."""
    notices = [SAME_SCORES] if same_scores(two) else []
    if two.alone.number and not two.others.number:
        notices.append(
            warning(
                f"on {visible(two.measure)}, people have judged topics that the judge has not, and "
                "the judge has no others: are the two swapped?"
            )
        )
    return [*notices, *unlike(two, representative.apart(two), refused=False)]


SAME_SCORES = warning("both judges give the same scores on all topics: is it the same file twice?")


def checked_judges(scores: Scores, measure: str) -> tuple[TwoJudges, list[Notice], Apart | None]:
    """Return the scores of both judges by a measure, notices, and how like people's topics are.

    Raise DataError for topics of people that are not like the others, or that runs have more of.
    """
    two = two_judges(scores, measure)
    _check_lacking(two)
    apart = representative.apart(two)
    return two, [*unlike(two, apart), *_odd(two)], apart


def remarks_of(found: Sequence[tuple[str, Apart | None]]) -> tuple[str, ...]:
    """Return what has to be true, and how far the topics of people are from the others.

    Of several measures, it is of the one by which they are least alike.
    """
    known = [(apart.p, measure, apart) for measure, apart in found if apart is not None]
    if not known:
        return (_MUST_BE,)
    p, measure, apart = min(known)
    by = f" on {measure}" if len(found) > 1 else ""
    where = "above" if apart.sds > 0 else "below"
    return (
        f"{_MUST_BE} The judge scores people's topics {abs(apart.sds):.2f} standard deviations "
        f"{where} the others{by} (p = {p:.2g}{_BY_CHANCE if p >= _COMMON else ''}).",
    )


def _check_lacking(two: TwoJudges) -> None:
    """Raise DataError for runs that lack more of the topics that the judge alone has."""
    more = two.lacking[1] - two.lacking[0]
    runs = [run for run, share in zip(two.runs, more.tolist(), strict=True)
            if share > _MORE_MISSING]  # fmt: skip
    if runs:
        worst = two.runs.index(runs[int(np.argmax([more[two.runs.index(run)] for run in runs]))])
        here, there = (percent(round(float(share), 3)) for share in two.lacking[:, worst])
        raise DataError(
            "",
            f"on {visible(two.measure)}, {lack(len(runs), 'run')} more of the topics that "
            f"only the judge judged than of those that people judged: {listed(runs, _LISTED)} "
            f"({visible(two.runs[worst])} lacks {there}, and {here} of people's)",
            "missing topics count as 0, which would lower the judge's mean; use --missing drop to "
            "leave out topics that some run lacks, or leave out these runs",
        )


def unlike(
    two: TwoJudges, apart: Apart | None, *, refused: bool = True
) -> list[Notice]:  # fmt: skip
    """Return a warning if the topics that people judged are not like the others.

    If they are so far from them that intervals would cover too seldom, they are `refused`: raise
    DataError.
    """
    if apart is None or apart.p >= _SUSPECT:
        return []
    where = "above" if apart.sds > 0 else "below"
    text = (
        f"on {visible(two.measure)}, the judge scores the topics that people judged "
        f"{abs(apart.sds):.2f} standard deviations {where} the others (p = {apart.p:.1g} by "
        "Welch's t test over the means of topics): they are not a random sample of all"
    )
    if abs(apart.sds) <= _TOO_FAR or not refused:
        return [warning(f"{text}, and intervals from both judges cover too rarely")]
    raise DataError(
        "",
        text,
        "without the judge, people's scores have their usual interval; --topics can leave out "
        "topics of another kind",
    )


def _odd(two: TwoJudges) -> list[Notice]:
    """Return notices of what is odd about topics of both judges, though there is a result."""
    on = f"on {visible(two.measure)}, "
    notices = [SAME_SCORES] if same_scores(two) else []
    if two.alone.number:
        topics = count(two.alone.number, two.unit)
        about = f"{on}people judged {topics} that the judge has not"
        notices.append(note(f"{about}: included with a weight"))
    if two.others.number and not np.ptp(two.judge.values, axis=0).any():
        notices.append(
            warning(f"{on}the judge gives all topics the same score: only people's scores decide")
        )
    return notices


def estimate_of_both(two: TwoJudges, powered: Powered, levels: tuple[float, ...]) -> Estimate:
    """Return the intervals of means by people and a cheaper judge together.

    Of several collections, there is no standard deviation of scores.
    """
    runs = len(two.runs)
    doubts = doubts_about(sample_of(two.matrix)) | powered.doubts
    sd = np.full(runs, np.nan) if two.matrix.design.strata else sd_of_topics(two.matrix)
    return Estimate(
        two.all_topics,
        powered.mean,
        sd,
        powered.se,
        powered.df,
        {PPI: limits_of(powered, levels)},
        {PPI: np.broadcast_to(doubts, (len(levels), runs))},
    )


def fields_of_judge(
    two: TwoJudges, powered: Powered, level: float, *, differences: bool = False
) -> list[dict[str, Any]]:
    """Return the fields of records of each column that a cheaper judge adds or changes.

    The effect of groups is left out: it would be that on people's mean.
    """
    low, high = human_limits(powered, level)
    kind = "difference" if differences else "mean"
    by_name: Mapping[str, Sequence[Any]] = {
        f"human_{kind}": powered.human_mean.tolist(),
        "human_low": low.tolist(),
        "human_high": high.tolist(),
        f"judge_{kind}": powered.judge_mean.tolist(),
        "bias": powered.bias.tolist(),
        "slope": powered.slope.tolist(),
        "correlation": powered.correlation.tolist(),
        "effective_topics": powered.effective_topics.tolist(),
    }
    return [
        {
            "human_topics": two.human_topics,
            "design_effect": np.nan,
            **dict(zip(by_name, values, strict=True)),
        }
        for values in zip(*by_name.values(), strict=True)
    ]


def powered_runs(
    scores: Scores, baselines: tuple[str, ...], level: float, *, best_first: bool
) -> tuple[list[PairedRuns], list[Notice], tuple[str, ...]]:
    """Return the pairs of runs by each measure, as `paired_runs` does, and what to tell the user.

    The last part are remarks for below the tables. Limits by people alone are at one `level`.
    """
    matrices, notices = comparable_matrices(scores, baselines)
    by_measure: list[PairedRuns] = []
    found: list[tuple[str, Apart | None]] = []
    for matrix in matrices:
        family, about, apart = family_of(scores, matrix.measure, best_first=best_first)
        notices += about
        found.append((matrix.measure, apart))
        two = family.two
        pairs = Pairs.among(two.runs, baselines)
        powered = family.differences(pairs)
        of_judge = fields_of_judge(two, powered, level, differences=True)
        of_runs = fields_of_design(two.matrix)
        designs = [
            {**of_runs[run], **own} for run, own in zip(pairs.run.tolist(), of_judge, strict=True)
        ]
        by_measure.append(
            PairedRuns(
                matrix.measure,
                two.runs,
                baselines,
                pairs,
                differences_of(family, powered, pairs),
                two.matrix,
                missing_topics(two.matrix),
                designs=designs,
                by_two=ByTwo(family, powered),
            )
        )
    return by_measure, notices, remarks_of(found)


def family_of(
    scores: Scores, measure: str, *, best_first: bool
) -> tuple[Family, list[Notice], Apart | None]:
    """Return the runs by a measure, which are compared with each other, as `checked_judges` does.

    Their means have one slope in common, and decide on their order, if it is `best_first`.
    """
    two, notices, apart = checked_judges(scores, measure)
    family = Family(two)
    if best_first:
        order = order_by_mean(family.means().mean, np.abs(two.human.values).max(axis=0))
        family = Family(two.ordered(order))
    return family, notices, apart


def best_by_both(scores: Scores) -> Scores:
    """Return scores of several collections by one measure, in the order of their macro-means."""
    (measure,) = scores.measures
    runs = family_of(scores, measure, best_first=True)[0].two.runs
    return scores.only(*runs, *(run for run in scores.runs if run not in runs))
