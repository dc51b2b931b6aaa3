"""Whether scores are fit for the methods and levels that a user chose, and what to say if not."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.errors import CallError, DataError, Notice, note, warning
from confint_cli.common.text import count, listed, quoted, visible
from confint_cli.common.words import a_percent, series
from confint_cli.scores.scores import Matrix, Scores
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.flags import Doubt, DoubtArray
from confint_cli.stats.methods import method_named

USUAL, BETTER, FOR_BINARY = "t", "bootstrap-t", "wilson"


def suited_methods(
    matrices: Sequence[Matrix],
    estimation: Estimation,
    hint: str = "choose measures with -m; --method all leaves out a method where it does not fit",
) -> tuple[list[tuple[str, ...]], list[Notice]]:
    """Return, for each matrix, the methods that its scores are fit for, and notes on the others.

    Raises an error for a method that does not fit and is not optional; `hint` says what to do then.
    """
    suited = []
    left_out: dict[str, list[str]] = {}
    for matrix in matrices:
        kind = "standardised " if matrix.standardized else ""
        fit = []
        for name in estimation.methods:
            refused = method_named(name).refuses(matrix.values)
            if refused is None:
                fit.append(name)
            elif name in estimation.optional:
                left_out.setdefault(name, []).append(matrix.measure)
            else:
                topic, run = (int(places[0]) for places in np.nonzero(refused))
                raise DataError(
                    "",
                    f"{name} is only for {method_named(name).domain}, and the "
                    f"{kind}{visible(matrix.measure)} of {quoted(matrix.runs[run])} on topic "
                    f"{quoted(matrix.topics[topic])} is {matrix.values[topic, run]:g}",
                    hint,
                )
        suited.append(tuple(fit))
    notices = [
        note(f"{name} is only for {method_named(name).domain}: left out for {listed(measures, 6)}")
        for name, measures in left_out.items()
    ]
    return suited, notices


def check_margin(scores: Scores, margin: float) -> None:
    """Raise CallError for a margin that no difference of means could exceed, by some measure.

    Scores that are seen to be within 0 and 1 could go from 0 to 1, others from 0 to the largest.
    """
    for measure in scores.measures:
        samples = [values for values in scores.samples(measure).values() if len(values)]
        if not samples:
            continue
        least = min(0.0, *map(np.min, samples))
        largest = max(1.0 if least == 0 else 0.0, *map(np.max, samples))
        if margin >= largest - least > 0:
            raise CallError(
                f"--margin {margin:g} is as large as any difference could be: scores of "
                f"{visible(measure)} range from {least:g} to {largest:g}",
                "a margin is in the units of the measure; -m chooses measures on one scale",
            )


def check_levels_of_margin(levels: Sequence[float]) -> None:
    """Raise CallError for a level at which a one-sided test about a margin proves nothing."""
    for level in levels:
        if level <= 0.5:
            raise CallError(
                f"--level {level:g} with --margin: one-sided tests at {1 - level:g} prove nothing",
                "choose a level above 0.5",
            )


def unusual_levels(levels: Sequence[float]) -> list[Notice]:
    """Warn of each level below 50%, which was hardly meant: a level of 1, say, is 1%, not 100%."""
    return [
        warning(f"{a_percent(level)} interval misses more often than not: did you mean that?")
        for level in levels
        if level < 0.5
    ]


@dataclass(frozen=True)
class MeasureDoubts:
    """The intervals by one measure, and the doubts about them."""

    measure: str
    number: int  # of intervals
    doubts: DoubtArray  # about each interval, by a method that is not immune; may be empty
    binary: bool = False  # whether all scores are 0 or 1

    @property
    def doubtful(self) -> int:
        """How many intervals are of scores too skewed or, of 0 and 1, of mostly one value."""
        one_value = Doubt.MOSTLY_ZEROS | Doubt.MOSTLY_ONE_VALUE
        matters = Doubt.SKEWED | one_value if self.binary else Doubt.SKEWED
        return int(np.count_nonzero(self.doubts & int(matters)))


def is_binary(scores: FloatArray) -> bool:
    """Say whether all scores are 0 or 1, as the interval of a proportion takes them."""
    return method_named(FOR_BINARY).refuses(scores) is None


def affected(methods: Sequence[str]) -> list[str]:
    """Return the methods that skewness makes cover too seldom."""
    return [name for name in methods if not method_named(name).immune & Doubt.SKEWED]


def about_means(by_measure: Sequence[MeasureDoubts], methods: Sequence[str]) -> list[Notice]:
    """Return notices on runs whose scores are too skewed for the methods, and a better method."""
    named = series(affected(methods))
    notices = []
    skewed = [judged for judged in by_measure if not judged.binary and judged.doubtful]
    if skewed and BETTER not in methods:
        notices.append(
            note(
                f"too skewed for {named}: {_counted(skewed, 'run')}",
                what_to_do=f"try --method {BETTER}, which is usually more accurate",
            )
        )
    binary = [judged for judged in by_measure if judged.binary and judged.doubtful]
    if binary and FOR_BINARY not in methods:
        names = ",".join(visible(judged.measure) for judged in binary)
        option = f"-m {names} " if len(by_measure) > len(binary) else ""
        notices.append(
            note(
                f"scores of 0 or 1, too skewed for {named}: {_counted(binary, 'run')}",
                what_to_do=f"try {option}--method {FOR_BINARY}, which is made for such scores",
            )
        )
    return notices


def about_differences(by_measure: Sequence[MeasureDoubts], methods: Sequence[str]) -> list[Notice]:
    """Return notices on comparisons whose differences are so skewed that a few topics decide."""
    skewed = [judged for judged in by_measure if judged.doubtful]
    if not skewed or {USUAL, BETTER} <= {*methods}:
        return []
    return [
        note(
            f"skewed differences, decided by a few topics: {_counted(skewed, 'comparison')}; "
            f"where {USUAL} and {BETTER} disagree ('confint compare --method {USUAL},{BETTER}'), "
            "look at those topics"
        )
    ]


def _counted(by_measure: Sequence[MeasureDoubts], noun: str) -> str:
    """Return `3 of 8 runs by map and 1 of 8 by P_10`; of one run, `map and P_10`."""
    if all(judged.number == 1 for judged in by_measure):
        return series([visible(judged.measure) for judged in by_measure])
    first, *others = by_measure
    return series(
        [
            f"{first.doubtful} of {count(first.number, noun)} on {visible(first.measure)}",
            *(f"{judged.doubtful} of {judged.number} on {visible(judged.measure)}"
              for judged in others),
        ]
    )  # fmt: skip
