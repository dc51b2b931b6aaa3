"""How often the upper bound of `confint plan` holds, where the truth is known.

`python -m tests.reproduction.pilots` prints the table of docs/plan.md, and the other figures of its
section. Pilots are drawn from
made-up distributions, or with replacement from the topics of a real collection, whose runs are
drawn too. The bound holds if it is no smaller than the topics that the true standard deviation
needs; these grow with it, so that standard deviations are compared.
"""

from collections.abc import Callable, Iterator, Sequence
from statistics import median

import numpy as np
from scipy import stats

from confint_cli.common.arrays import FloatArray
from confint_cli.scores.scores import Matrix
from confint_cli.stats import power
from tests.reproduction import load

Random = np.random.Generator
# The scores[topic, run] of a pilot of so many topics and runs, and the sds that are true of them
Draw = Callable[[Random, int, int], tuple[FloatArray, float, float]]
TOPICS, RUNS = (10, 25, 50), (1, 2, 8)
DRAWS = 2000
REAL = "real: median (lowest to highest)"


def made_up(scores: Callable[[Random, tuple[int, int]], FloatArray], sd: float) -> Draw:
    """Return pilots of independent scores, whose standard deviation is known."""
    return lambda random, topics, runs: (scores(random, (topics, runs)), sd, sd * 2**0.5)


def drawn_from(matrix: Matrix) -> Draw:
    """Return pilots of a collection's topics, by runs of which some two differ."""

    def draw(random: Random, topics: int, runs: int) -> tuple[FloatArray, float, float]:
        true = of_mean = of_difference = 0.0
        while not true:
            chosen = random.choice(len(matrix.runs), runs, replace=False)
            whole = matrix.values[:, chosen]
            of_mean, of_difference = sds(whole)
            true = of_difference if runs > 1 else of_mean
        all_topics = len(whole)
        n_for_n_less_one = ((all_topics - 1) / all_topics) ** 0.5  # these topics are all there are
        pilot = whole[random.integers(0, all_topics, topics)]
        return pilot, of_mean * n_for_n_less_one, of_difference * n_for_n_less_one

    return draw


def sds(values: FloatArray) -> tuple[float, float]:
    """Return the standard deviations of a run and, if there are several, of differences."""
    several = values.shape[1] > 1
    return power.sd_of_runs(values), power.sd_of_differences(values) if several else 0.0


def held(
    draw: Draw,
    topics: int,
    runs: int,
    draws: int = DRAWS,
    seed: int = 0,
    bound: Callable[[float, int], float] = power.sd_limit,
) -> tuple[float, float]:
    """Return the shares of pilots whose bound holds, of a mean and of a difference."""
    random = np.random.default_rng(seed)
    found = np.zeros(2)
    for _ in range(draws):
        values, *true = draw(random, topics, runs)
        for place, (own, sd) in enumerate(zip(sds(values), true, strict=True)):
            found[place] += bound(own, topics) >= sd * (1 - 1e-12)
    of_mean, of_difference = (found / draws).tolist()
    return of_mean, of_difference


MADE_UP = {
    "normal": made_up(lambda random, size: random.normal(size=size), 1.0),
    "beta (½, 2)": made_up(
        lambda random, size: random.beta(0.5, 2, size), (1 / (2.5**2 * 3.5)) ** 0.5
    ),
    "exponential": made_up(lambda random, size: random.exponential(size=size), 1.0),
    "log-normal": made_up(
        lambda random, size: random.lognormal(size=size), ((np.e - 1) * np.e) ** 0.5
    ),
}


def real() -> Iterator[Matrix]:
    """Yield the scores of all collections by all measures."""
    yield load.robust2004()
    for name in load.COLLECTIONS:
        yield from load.collection(name)


def rows(draws: int = DRAWS) -> Iterator[str]:
    """Yield the rows of the page's table: of one run its mean, of several their differences."""
    collections = list(map(drawn_from, real()))
    for name in (*MADE_UP, REAL):
        for runs in RUNS:
            cells = []
            for topics in TOPICS:
                all_draws = collections if name == REAL else [MADE_UP[name]]
                cells.append(_cell([held(one, topics, runs, draws)[runs > 1] for one in all_draws]))
            what = "one run" if runs == 1 else f"differences of {runs} runs"
            yield f"| {name} | {what} | {' | '.join(cells)} |"


def others(draws: int = DRAWS) -> Iterator[str]:
    """Yield the other figures of the page's section."""

    def as_if_independent(sd: float, topics: int) -> float:
        freedom = (topics - 1) * (RUNS[-1] - 1)
        return float(sd * np.sqrt(freedom / stats.chi2.ppf(1 - power.CONFIDENCE, freedom)))

    every = list(real())
    collections = list(map(drawn_from, every))
    own = [held(one, 10, RUNS[-1], draws, bound=as_if_independent)[1] for one in collections]
    yield f"differences of 8, (n-1)(R-1) degrees of freedom, 10 topics: {_cell(own)}"
    for runs in (1, 2):
        plain = [
            median(held(one, topics, runs, draws, bound=lambda sd, _: sd)[runs > 1]
                   for one in collections)
            for topics in TOPICS
        ]  # fmt: skip
        yield f"topics_needed itself, {runs} runs: {min(plain):.2f} to {max(plain):.2f}"
    kurtosis = [_kurtosis(matrix) for matrix in every]
    yield f"excess kurtosis of differences of two: {median(kurtosis):.1f}"
    thousand = [drawn_from(matrix) for matrix in every if matrix.measure in ("P1000", "P_1000")]
    shares = [held(one, topics, 2, draws)[1] for one in thousand for topics in TOPICS]
    yield f"differences of 2, precision at 1,000: {min(shares):.2f} to {max(shares):.2f}"


def _kurtosis(matrix: Matrix, pairs: int = 500) -> float:
    """Return the median excess kurtosis of differences of pairs of runs."""
    random = np.random.default_rng(0)
    chosen = [random.choice(len(matrix.runs), 2, replace=False) for _ in range(pairs)]
    differences = np.stack([matrix.values[:, a] - matrix.values[:, b] for a, b in chosen], axis=1)
    there = np.ptp(differences, axis=0) > 0
    return float(np.median(stats.kurtosis(differences[:, there], axis=0)))


def _cell(shares: Sequence[float]) -> str:
    if len(shares) == 1:
        return f"{shares[0]:.2f}"
    return f"{median(shares):.2f} ({min(shares):.2f} to {max(shares):.2f})"


if __name__ == "__main__":
    for row in (*rows(), *others()):
        print(row, flush=True)
