"""Methods and levels that were asked for, against what the scores allow: what to say of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.errors import DataError, Notice, note, warning
from confint_cli.common.text import count, listed, quoted, visible
from confint_cli.common.words import percent, series
from confint_cli.scores.scores import Matrix
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.flags import Doubt, DoubtArray
from confint_cli.stats.methods import method_named

USUAL, BETTER, FOR_BINARY = "t", "bootstrap-t", "wilson"


def suited_methods(
    matrices: Sequence[Matrix],
    estimation: Estimation,
    hint: str = "--method all leaves a method out where it does not fit",
) -> tuple[list[tuple[str, ...]], list[Notice]]:
    """Return the methods that each measure's scores are fit for, and say which are left out.

    `hint` is what to do about a method that is unfit.
    """
    suited = []
    left_out: dict[str, list[str]] = {}
    for matrix in matrices:
        kind = "standardised " if matrix.standardized else ""
        here = []
        for name in estimation.methods:
            refused = method_named(name).refuses(matrix.values)
            if refused is None:
                here.append(name)
            elif name in estimation.optional:
                left_out.setdefault(name, []).append(matrix.measure)
            else:
                topic, run = (int(places[0]) for places in np.nonzero(refused))
                raise DataError(
                    "",
                    f"{name} is for {method_named(name).domain} only, and the "
                    f"{kind}{visible(matrix.measure)} of {quoted(matrix.runs[run])} on topic "
                    f"{quoted(matrix.topics[topic])} is {matrix.values[topic, run]:g}",
                    hint,
                )
        suited.append(tuple(here))
    notices = [
        note(f"{name} is for {method_named(name).domain} only, left out for {listed(measures, 6)}")
        for name, measures in left_out.items()
    ]
    return suited, notices


def unusual_levels(levels: Sequence[float]) -> list[Notice]:
    """Warn of a level that was hardly meant: 1, say, is 1%, and not 100%."""
    return [
        warning(f"an interval of {percent(level)} misses more often than not: was that meant?")
        for level in levels
        if level < 0.5
    ]


@dataclass(frozen=True)
class Judged:
    """The intervals by one measure: how many there are, and on which to be careful."""

    measure: str
    number: int
    doubts: DoubtArray  # about each of them, by a method that is not immune
    binary: bool = False  # whether all scores are 0 or 1

    @property
    def doubtful(self) -> int:
        """How many are too skewed; of scores of 0 or 1, also those that are mostly one value."""
        one_value = Doubt.MOSTLY_ZEROS | Doubt.MOSTLY_ONE_VALUE
        matters = Doubt.SKEWED | one_value if self.binary else Doubt.SKEWED
        return int(np.count_nonzero(self.doubts & int(matters)))


def is_binary(scores: FloatArray) -> bool:
    """Say whether all scores are 0 or 1, as the interval of a proportion takes them."""
    return method_named(FOR_BINARY).refuses(scores) is None


def affected(methods: Sequence[str]) -> list[str]:
    """Return the methods that skewness makes cover too seldom."""
    return [name for name in methods if not method_named(name).immune & Doubt.SKEWED]


def about_means(parts: Sequence[Judged], methods: Sequence[str]) -> list[Notice]:
    """Say which means are of scores too skewed for the methods, and what to take instead."""
    named = series(affected(methods))
    notices = []
    skewed = [part for part in parts if not part.binary and part.doubtful]
    if skewed and BETTER not in methods:
        notices.append(
            note(
                f"too skewed for {named}: {_counted(skewed, 'run')}; try --method {BETTER}: as a "
                "rule, it comes closer"
            )
        )
    binary = [part for part in parts if part.binary and part.doubtful]
    if binary and FOR_BINARY not in methods:
        only = ",".join(visible(part.measure) for part in binary)
        measures = f"-m {only} " if len(parts) > len(binary) else ""
        notices.append(
            note(
                f"scores of 0 or 1, too skewed for {named}: {_counted(binary, 'run')}; try "
                f"{measures}--method {FOR_BINARY}, which is made for them"
            )
        )
    return notices


def about_differences(parts: Sequence[Judged], methods: Sequence[str]) -> list[Notice]:
    """Say which differences are so skewed that a few topics decide."""
    own = [part for part in parts if part.doubtful]
    if not own or {USUAL, BETTER} <= {*methods}:
        return []
    return [
        note(
            f"skewed differences, on which a few topics decide: {_counted(own, 'comparison')}; "
            f"where {USUAL} and {BETTER} disagree ('confint compare --method {USUAL},{BETTER}'), "
            "look at these topics"
        )
    ]


def _counted(parts: Sequence[Judged], noun: str) -> str:
    """Return `3 of 8 runs by map and 1 of 8 by P_10`; of one run, `map and P_10`."""
    if all(part.number == 1 for part in parts):
        return series([visible(part.measure) for part in parts])
    first, *others = parts
    said = [f"{first.doubtful} of {count(first.number, noun)} by {visible(first.measure)}"]
    return series([*said, *(f"{one.doubtful} of {one.number} by {visible(one.measure)}"
                            for one in others)])  # fmt: skip
