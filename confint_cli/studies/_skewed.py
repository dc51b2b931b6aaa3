"""What to say of scores, or differences, that are too skewed for the method that was asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

from confint_cli.errors import Notice, note
from confint_cli.methods import method_named
from confint_cli.methods._method import SKEWED
from confint_cli.studies._words import series
from confint_cli.text import count, visible

BETTER, FOR_BINARY = "bootstrap-t", "wilson"


@dataclass(frozen=True)
class Judged:
    """The intervals by one measure: how many there are, and on which to be careful."""

    measure: str
    number: int
    notes: Sequence[str]  # one for each, by a method that is not immune
    binary: bool = False  # whether all scores are 0 or 1

    @property
    def skewed(self) -> int:
        """How many are too skewed."""
        return sum(SKEWED in note.split(", ") for note in self.notes)


def affected(methods: Sequence[str]) -> list[str]:
    """Return the methods that skewness makes cover too seldom."""
    return [name for name in methods if SKEWED not in method_named(name).immune]


def about_means(parts: Sequence[Judged], methods: Sequence[str]) -> list[Notice]:
    """Say which means are of scores too skewed for the methods, and what to take instead."""
    named = series(affected(methods))
    notices = []
    for binary, better, why in ((False, BETTER, "as a rule, it comes closer"),
                                (True, FOR_BINARY, "it is made for scores of 0 or 1")):  # fmt: skip
        own = [part for part in parts if part.binary == binary and part.skewed]
        if own and better not in methods:
            notices.append(
                note(
                    f"too skewed for {named}: {_counted(own, 'run')}; try --method {better}: {why}"
                )
            )
    return notices


def about_differences(parts: Sequence[Judged], methods: Sequence[str]) -> list[Notice]:
    """Say which differences are so skewed that a few topics decide."""
    own = [part for part in parts if part.skewed]
    if not own or BETTER in methods:
        return []
    methods = [*affected(methods)[:1], BETTER]
    return [
        note(
            f"skewed differences, on which a few topics decide: {_counted(own, 'comparison')}; "
            f"--method {','.join(methods)} shows whether the method matters"
        )
    ]


def _counted(parts: Sequence[Judged], noun: str) -> str:
    """Return `3 of 8 runs by map and 1 of 8 by P_10`."""
    first, *others = parts
    said = [f"{first.skewed} of {count(first.number, noun)} by {visible(first.measure)}"]
    return series([*said, *(f"{one.skewed} of {one.number} by {visible(one.measure)}"
                            for one in others)])  # fmt: skip
