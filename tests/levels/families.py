"""Families of runs whose true means are known: made up to be hard, and drawn from real ones.

None of them deals scores out to runs at random: that would make every difference symmetric, and
hide what skewness does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray
from tests.reproduction.load import collection, robust2004

Draw = Callable[[np.random.Generator, int, int], tuple[FloatArray, FloatArray]]
"""Scores [topic, run] from a source of random numbers, so many runs and topics; true means."""


@dataclass(frozen=True)
class Family:
    """A kind of family."""

    name: str
    words: str  # what it is
    draw: Draw
    real: bool = False  # drawn from real scores, whose means differ

    def sample(
        self, random: np.random.Generator, runs: int, topics: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return scores of a sample of topics, and the true means."""
        return self.draw(random, runs, topics)


def _equal(noise: Callable[[np.random.Generator, int, int], FloatArray]) -> Draw:
    """Return what adds noise of mean 0 to how hard the topics are: runs of equal means."""

    def draw(random: np.random.Generator, runs: int, topics: int) -> tuple[FloatArray, FloatArray]:
        hardness = random.beta(1, 2, size=(topics, 1))
        return hardness + noise(random, topics, runs), np.zeros(runs)

    return draw


def _normal(random: np.random.Generator, topics: int, runs: int) -> FloatArray:
    return random.normal(0, 0.1, size=(topics, runs))


def _unequal(random: np.random.Generator, topics: int, runs: int) -> FloatArray:
    """One run in five varies ten times as much as the others."""
    sd = np.where(np.arange(runs) % 5 == 0, 0.2, 0.02)
    return random.normal(0, 1, size=(topics, runs)) * sd


def _exponential(random: np.random.Generator, topics: int, runs: int) -> FloatArray:
    """The first run is what the others vary about: differences to it are exponential."""
    noise = 0.1 * (random.exponential(size=(topics, runs)) - 1)
    noise[:, 0] = 0
    return noise


def _rare_wins(random: np.random.Generator, topics: int, runs: int) -> FloatArray:
    """The others win against the first by .27 on one topic in ten, and lose by .03 on nine."""
    noise = np.where(random.random((topics, runs)) < 0.1, 0.27, -0.03)
    noise[:, 0] = 0
    return noise


def _rarer_wins(random: np.random.Generator, topics: int, runs: int) -> FloatArray:
    """Half of the runs win by .4 on one topic in 25, each on its own, and all vary a little."""
    won = random.random((topics, runs)) < 0.04
    return _with_wins(random, won)


def _shared_wins(random: np.random.Generator, topics: int, runs: int) -> FloatArray:
    """The same, but it is the same topics on which all of that half win."""
    won = np.broadcast_to(random.random((topics, 1)) < 0.04, (topics, runs))
    return _with_wins(random, won)


def _with_wins(random: np.random.Generator, won: BoolArray) -> FloatArray:
    noise = random.normal(0, 0.02, size=won.shape)
    half = won.shape[1] // 2
    noise[:, :half] += 0.4 * won[:, :half] - 0.04 * 0.4
    return noise


def _precision(
    random: np.random.Generator, runs: int, topics: int
) -> tuple[FloatArray, FloatArray]:
    """Tenths, with the same mean on every topic: some runs find all or nothing, others a share."""
    share = random.beta(0.6, 1.2, size=(topics, 1))
    steadiness = np.geomspace(0.5, 50, runs)
    found = random.beta(share * steadiness + 1e-9, (1 - share) * steadiness + 1e-9)
    return random.binomial(10, found) / 10, np.zeros(runs)


def _zeros(random: np.random.Generator, runs: int, topics: int) -> tuple[FloatArray, FloatArray]:
    """Mostly zeros: a run scores on a tenth to a half of the topics, the more the less of it."""
    often = np.linspace(0.1, 0.5, runs)
    scored = random.random((topics, runs)) < often
    return np.where(scored, random.exponential(0.05 / often, size=(topics, runs)), 0.0), np.zeros(
        runs
    )


def _duplicates(random: np.random.Generator, topics: int, runs: int) -> FloatArray:
    """Copies of one run, each changed on a tenth to four tenths of the topics, mostly for worse."""
    changed = random.random((topics, runs)) < np.linspace(0.1, 0.4, runs)
    change = np.where(random.random((topics, runs)) < 0.2, 0.2, -0.05)
    return np.where(changed, change, 0.0)


def _near_ties(
    random: np.random.Generator, runs: int, topics: int
) -> tuple[FloatArray, FloatArray]:
    """Normal, and every run a hundredth of a standard deviation better than the next."""
    means = -0.001 * np.arange(runs)
    return random.beta(1, 2, size=(topics, 1)) + _normal(random, topics, runs) + means, means


@cache
def _scores(name: str) -> FloatArray:
    if name == "robust2004":
        return robust2004().values
    (matrix,) = (one for one in collection(name) if one.measure == "map")
    return matrix.values


def _real(name: str) -> Draw:
    """Return what draws runs, and topics with replacement: the true means are those of all."""

    def draw(random: np.random.Generator, runs: int, topics: int) -> tuple[FloatArray, FloatArray]:
        values = _scores(name)
        chosen = random.permutation(values.shape[1])[:runs]
        return _topics(random, values[:, chosen], topics)

    return draw


def _alike(name: str) -> Draw:
    """Return what draws a run, those most like it, and topics with replacement."""

    def draw(random: np.random.Generator, runs: int, topics: int) -> tuple[FloatArray, FloatArray]:
        values = _scores(name)
        one = values[:, [random.integers(values.shape[1])]]
        nearest = np.argsort(np.abs(values - one).mean(axis=0), kind="stable")[:runs]
        return _topics(random, values[:, nearest], topics)

    return draw


def _topics(
    random: np.random.Generator, values: FloatArray, topics: int
) -> tuple[FloatArray, FloatArray]:
    return values[random.integers(len(values), size=topics)], values.mean(axis=0)


MADE = (
    Family("normal", "normal scores of equal variance", _equal(_normal)),
    Family(
        "unequal",
        "normal; one run in five varies ten times as much as the others",
        _equal(_unequal),
    ),
    Family(
        "exponential", "the differences to one of the runs are exponential", _equal(_exponential)
    ),
    Family(
        "rare wins",
        "against one run, the others win by .27 on 10% of topics and lose by .03 on 90%",
        _equal(_rare_wins),
    ),
    Family(
        "rarer wins",
        "half of the runs win by .4 on 4% of topics, each on topics of its own; small noise",
        _equal(_rarer_wins),
    ),
    Family(
        "shared wins", "the same, but all of that half win on the same topics", _equal(_shared_wins)
    ),
    Family(
        "P@10-like", "scores in tenths; some runs find all or nothing, others a share", _precision
    ),
    Family("heavy zeros", "a run scores on only 10% to 50% of topics", _zeros),
    Family(
        "near-duplicates", "copies of one run, changed on 10% to 40% of topics", _equal(_duplicates)
    ),
    Family(
        "near ties", "normal; each run is .01 standard deviations better than the next", _near_ties
    ),
)
REAL = (
    Family("TREC-8", "real runs of TREC-8 ad hoc, average precision", _real("trec8.adhoc"), True),
    Family("TREC-13", "real runs of TREC 2004 Robust, 100 topics", _real("trec13.robust"), True),
    Family("TREC-15", "real runs of TREC 2006 Terabyte", _real("trec15.terabyte-adhoc"), True),
    Family("Robust 2004", "real runs of TREC 2004 Robust, 249 topics", _real("robust2004"), True),
    Family(
        "Robust alike",
        "one run of Robust 2004 and the runs most like it",
        _alike("robust2004"),
        True,
    ),
)
