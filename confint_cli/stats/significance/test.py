"""The record of a test of significance."""

from collections.abc import Callable
from dataclasses import dataclass

from confint_cli.common.arrays import FloatArray
from confint_cli.common.progress import Progress
from confint_cli.common.records import Explained
from confint_cli.stats.pairs import Paired
from confint_cli.stats.random import Drawing


@dataclass(frozen=True)
class SignificanceTest(Explained):
    """A two-sided test of pairs of runs, and its explanation."""

    words: str  # its name in a sentence
    p: Callable[[Paired, Drawing, Progress], FloatArray]  # returns the p-values, [pair]
    # Returns the smallest p that there can be with a number of topics and of draws.
    least: Callable[[int, int], float] = lambda _topics, _number: 0.0
    draws: bool = False  # whether it needs random numbers
    slow: bool = False  # whether it tells its progress, as it may take long without random numbers
    of_means: bool = True  # whether the run with the better mean is better if p is small
    # The designs that it has been shown to hold its level in, as `scope.py` of studies names them.
    designs: frozenset[str] = frozenset()
    simultaneous: bool = False  # whether it tests all runs at once, and p is not to be corrected
    of_two_runs: str = ""  # which test it is if there are two runs only; "": itself
    also: tuple[str, ...] = ()  # what others call it, in small letters and with hyphens
    caution: str = ""  # what a reader of results by this test has to know
