"""What a test of significance is."""

from collections.abc import Callable
from dataclasses import dataclass

from confint_cli.common.arrays import FloatArray
from confint_cli.common.progress import Progress
from confint_cli.common.records import Explained
from confint_cli.stats.pairs import Paired
from confint_cli.stats.random import Drawing


@dataclass(frozen=True)
class SignificanceTest(Explained):
    """A two-sided test, with all that `confint tests NAME` shows of it."""

    words: str  # how a sentence calls it
    p: Callable[[Paired, Drawing, Progress], FloatArray]  # → of each pair
    least: Callable[[int, int], float] = lambda _topics, _number: 0.0  # p of topics and draws
    draws: bool = False  # whether it needs random numbers
    slow: bool = False  # whether it needs none, but may take so long that it tells its progress
    of_means: bool = True  # whether it is the sign of the mean difference that it is about
    simultaneous: bool = False  # whether it is of all runs at once, and is not corrected
    caution: str = ""  # what is said below a table that goes by it
