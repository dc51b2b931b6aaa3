"""Make the tables of docs/compare.md: how often claims about a margin err, and effect sizes cover.

Run it by `python -m tests.reproduction.effects`; the rows of real runs need CONFINT_DATA. Samples
are drawn from large made-up populations, or from all topics of a collection, whose mean is the
truth. The standard errors of the shares are .001 to .004.
"""

from collections.abc import Iterator

import numpy as np
from scipy import stats
from scipy.special import stdtrit

from confint_cli.stats.comparison import Moments, paired_differences, unpaired_differences
from confint_cli.stats.effects import GLASS, GZ, G, deletions, of_paired, of_unpaired
from confint_cli.stats.equivalence import of_differences
from confint_cli.stats.pairs import Paired, Pairs
from tests.conftest import data_folder

POPULATION, SAMPLES = 200_000, 4000
Q = 0.975


def claims(differences: np.ndarray, topics: int, samples: int, rng: np.random.Generator) -> float:
    """Return how often a run whose true difference is the margin is called not inferior, at 5%."""
    drawn = differences[rng.integers(0, len(differences), (topics, samples))]
    values = np.hstack([drawn, np.zeros((topics, 1))])
    pairs = Pairs(np.arange(samples), np.full(samples, samples))
    within = of_differences(
        paired_differences(Paired(values, pairs)), -float(differences.mean())
    )  # fmt: skip
    return float(np.mean(within.noninferior < 0.05))


def made_up(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return differences whose mean is below 0."""
    return {
        "normal": rng.normal(-0.02, 0.1, POPULATION),
        "in steps of 0.1, 57% ties": rng.choice([-0.2, -0.1, 0, 0, 0, 0, 0.1], POPULATION),
        "losses only, exponential": -rng.exponential(0.02, POPULATION),
        "a loss of 0.5 on 2% of the topics": np.where(rng.random(POPULATION) < 0.02, -0.5, 0.0),
    }


def collections() -> dict[str, np.ndarray]:
    """Return the scores [topic, run] of real runs by average precision."""
    robust = np.genfromtxt(
        data_folder() / "robust2004/robust2004_ap.csv", delimiter=",", skip_header=1
    )
    by_run = []
    for path in sorted((data_folder() / "soboroff2014/trec8.adhoc").glob("*.eval")):
        lines = (line.split() for line in path.read_text().splitlines())
        by_run.append({topic: float(score) for name, topic, score in lines
                       if name == "map" and topic != "all"})  # fmt: skip
    topics = sorted({topic for run in by_run for topic in run})
    trec8 = np.array([[run.get(topic, 0.0) for run in by_run] for topic in topics])
    return {"Robust 2004, AP": robust[:, 1:], "TREC-8, AP": trec8}


def of_real_pairs(scores: np.ndarray, topics: int, rng: np.random.Generator) -> float:
    """Return the mean share over 400 pairs of runs."""
    shares = []
    for _ in range(400):
        first, second = rng.choice(scores.shape[1], 2, replace=False)
        differences = scores[:, first] - scores[:, second]
        if differences.mean():
            worse = differences if differences.mean() < 0 else -differences
            shares.append(claims(worse, topics, 1000, rng))
    return float(np.mean(shares))


def margins() -> Iterator[str]:
    """Yield the rows of the table about margins."""
    sizes = (10, 25, 50, 100)
    yield f"| differences | {' | '.join(f'{size} topics' for size in sizes)} |"
    yield "| --- |" + " --- |" * len(sizes)
    for name, differences in made_up(np.random.default_rng(3)).items():
        rng = np.random.default_rng(34)
        yield _row(name, [claims(differences, size, 10 * SAMPLES, rng) for size in sizes])
    for name, scores in collections().items():
        rng = np.random.default_rng(34)
        found = [of_real_pairs(scores, size, rng) for size in sizes[:3]]
        yield _row(f"{name}, mean of 400 pairs of runs", [*found, np.nan])


def populations() -> dict[str, np.ndarray]:
    """Return scores of a run and a baseline, [topic, 2]."""
    z = np.random.default_rng(7).standard_normal((POPULATION, 2))
    z[:, 1] = 0.7 * z[:, 0] + np.sqrt(1 - 0.49) * z[:, 1]
    u = stats.norm.cdf(z)

    def beta(*shapes: float) -> np.ndarray:
        return np.c_[stats.beta.ppf(u[:, 0], *shapes[:2]), stats.beta.ppf(u[:, 1], *shapes[2:])]

    return {
        "normal": z + np.array([0.5, 0]),
        "normal, far apart": z + np.array([1.5, 0]),
        "skewed alike": beta(0.5, 1.5, 0.5, 2),
        "the baseline more skewed": beta(0.5, 1.5, 0.3, 3),
        "only the baseline skewed": beta(2, 3, 0.8, 3),
        "in steps of 0.1": np.c_[np.floor(u[:, 0] * 10.999), np.floor(u[:, 1] ** 2 * 10.999)] / 10,
        "0 or 1, of the baseline 10% ones": np.c_[u[:, 0] > 0.8, u[:, 1] > 0.9].astype(float),
    }


def by_delta(x: np.ndarray, y: np.ndarray, truth: float) -> tuple[float, float]:
    """Return how often Δ is covered by the delta method, of normal scores and by their moments."""
    n = len(x)
    sd = y.std(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        delta = (x - y).mean(axis=0) / sd
        squares = (y - y.mean(axis=0)) ** 2
        normal = np.sqrt((x - y).var(axis=0, ddof=1) / sd**2 / n + delta**2 / (2 * (n - 1)))
        influence = (x - y - (x - y).mean(axis=0)) / sd
        influence -= delta / (2 * sd**2) * (squares - squares.mean(axis=0))
        by_moments = np.sqrt((influence**2).sum(axis=0) / (n - 1) / n)
    half = stdtrit(n - 1, Q)
    return tuple(float(np.mean(abs(delta - truth) <= half * se)) for se in (normal, by_moments))


def covered(both: np.ndarray, topics: int) -> list[float]:
    """Return how often each interval covers: Δ by three methods, gz; unpaired Δ and g."""
    rng = np.random.default_rng(topics)
    x, y = both.T
    delta = (x.mean() - y.mean()) / y.std()
    gz = (x - y).mean() / (x - y).std()
    g = (x.mean() - y.mean()) / np.sqrt((x.var() + y.var()) / 2)
    first, second = (rng.integers(0, len(x), (topics, SAMPLES)) for _ in range(2))
    places = np.arange(SAMPLES)
    pairs, level = Pairs(places, places + SAMPLES), np.array([2 * Q - 1])
    own = Paired(np.hstack([x[first], y[first]]), pairs)
    paired = of_paired(own, paired_differences(own), level)
    columns = np.hstack([x[first], y[second]])
    moments = Moments(
        np.full(2 * SAMPLES, topics), columns.mean(axis=0), columns.std(axis=0, ddof=1),
        np.stack([deletions(column) for column in columns.T], axis=1),
    )  # fmt: skip
    unpaired = of_unpaired(unpaired_differences(moments, pairs), level)
    shares = [*by_delta(x[first], y[first], delta)]
    for effects, name, truth in ((paired, GLASS, delta), (paired, GZ, gz), (unpaired, GLASS, delta),
                                 (unpaired, G, g)):  # fmt: skip
        (low,), (high,) = effects[name]
        shares.append(float(np.mean((low <= truth) & (truth <= high))))
    return shares


def effects() -> Iterator[str]:
    """Yield the rows of the table about effect sizes."""
    yield (
        "| scores | topics | Δ, delta method: normal | by moments | Δ, jackknife | gz | "
        "unpaired: Δ, jackknife | g |"
    )
    yield "| --- |" + " --- |" * 7
    for name, both in populations().items():
        for topics in (10, 50):
            yield _row(f"{name} | {topics}", covered(both, topics))


def _row(name: str, shares: list[float]) -> str:
    texts = ["" if np.isnan(share) else f"{share:.3f}".lstrip("0") for share in shares]
    return f"| {name} | {' | '.join(texts)} |"


if __name__ == "__main__":
    for line in (*margins(), "", *effects()):
        print(line, flush=True)
