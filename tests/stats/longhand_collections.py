"""Scores of several collections, in the few lines that anybody would write, and R's numbers."""

import csv
import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from confint_cli.scores.design import Design
from confint_cli.scores.scores import Collections, Scores
from confint_cli.stats.sample import Sample
from tests.conftest import ROOT

REFERENCE = ROOT / "tests" / "reference"
CASES = ("two", "three", "six")


def weights(sizes: Sequence[int]) -> np.ndarray:
    """N/(K·n) of each topic."""
    return np.repeat([sum(sizes) / (len(sizes) * size) for size in sizes], sizes)


def sizes_of(parts: Sequence[np.ndarray]) -> tuple[int, ...]:
    return tuple(len(part) for part in parts)


def weighted(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Scores of all topics, [topic, …], whose plain mean is the mean of the collections' means."""
    own = weights(sizes_of(parts))
    together = np.concatenate(parts)
    return together * own.reshape(-1, *[1] * (together.ndim - 1))


def sample_of(parts: Sequence[np.ndarray]) -> Sample:
    """Of [topic] or [topic, column] in each collection."""
    columns = [part[:, None] if part.ndim == 1 else part for part in parts]
    return Sample(weighted(columns), design=Design(sizes_of(parts)))


def mean_se_df(parts: Sequence[np.ndarray]) -> tuple[float, float, float]:
    """For new topics of these collections: Welch and Satterthwaite."""
    number = len(parts)
    mean = sum(part.mean() for part in parts) / number
    v = [part.var(ddof=1) / len(part) / number**2 for part in parts]
    below = sum(own**2 / (len(part) - 1) for own, part in zip(v, parts, strict=True))
    return float(mean), math.sqrt(sum(v)), float(sum(v) ** 2 / below) if below > 0 else math.nan


def t_interval(parts: Sequence[np.ndarray], level: float) -> tuple[float, float]:
    mean, se, df = mean_se_df(parts)
    half = float(stats.t.ppf((1 + level) / 2, df)) * se
    return mean - half, mean + half


def z_of(sample: Sequence[np.ndarray], truth: float) -> float:
    """(m* - m)/se* of a resample: infinite without variance, unless the mean is the true one."""
    mean, se, _ = mean_se_df(sample)
    off = mean - truth
    if all(np.ptp(part) < 1e-12 for part in sample):
        return 0.0 if abs(off) < 1e-12 else math.copysign(math.inf, off)
    return off / se


def some_parts(seed: int, sizes: Sequence[int], kind: str = "skewed") -> list[np.ndarray]:
    """Made-up scores of each collection, [topic]."""
    random = np.random.default_rng(seed)
    parts = []
    for size in sizes:
        centre = random.uniform(0.2, 0.8)
        if kind == "skewed":
            parts.append(random.beta(0.3, 0.3 * (1 - centre) / centre, size))
        elif kind == "zeros":
            parts.append(random.beta(2, 2, size) * (random.random(size) < centre / 2))
        elif kind == "tenths":
            parts.append(random.binomial(10, random.beta(0.6, 1.2, size)) / 10)
        elif kind == "0 and 1":
            parts.append((random.random(size) < centre).astype(float))
        else:
            assert kind == "normal"
            parts.append(random.normal(centre, random.uniform(0.05, 0.4), size))
    return parts


def scores_of(
    parts: Sequence[np.ndarray], runs: Sequence[str], measures: Sequence[str] = ("map",)
) -> Scores:
    """Of [topic, run] in each collection; every measure has the same."""
    values = np.repeat(np.concatenate(parts)[:, :, None], len(measures), axis=2)
    return Scores(
        values,
        tuple(f"{place}/{topic}" for place, part in enumerate(parts) for topic in range(len(part))),
        tuple(runs),
        tuple(measures),
        np.zeros(values.shape, dtype=bool),
        collections=Collections(tuple(f"c{n}" for n in range(len(parts))), sizes_of(parts)),
    )


# R's numbers


def _table(name: str) -> list[dict[str, str]]:
    with (REFERENCE / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def reference_rows(*quantities: str) -> list[dict[str, str]]:
    """The rows of collections.tsv of these quantities."""
    return [row for row in _table("collections.tsv") if row["quantity"] in quantities]


def reference_runs(case: str) -> list[np.ndarray]:
    """The scores of runs a and b in each collection, [topic, run]."""
    by_collection: dict[str, dict[str, list[float]]] = {}
    for row in _table("collections_scores.tsv"):
        if row["case"] == case:
            runs = by_collection.setdefault(row["collection"], {"a": [], "b": []})
            runs[row["run"]].append(float(row["score"]))
    return [np.array([runs["a"], runs["b"]]).T for runs in by_collection.values()]


def reference_parts(case: str, of: str) -> list[np.ndarray]:
    """The differences a - b, or the scores of a, in each collection, [topic]."""
    return [part[:, 0] - (part[:, 1] if of == "difference" else 0) for part in reference_runs(case)]
