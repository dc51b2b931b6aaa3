"""Levels of results over several collections, by simulation of scores whose means are known.

Scores are what retrieval has: many zeros, the others beta with a shape of .3, next to 0 or to 1;
collections have 5 to 300 topics. Bounds are exact binomial limits of 99.9% about what is promised.
`make reproduce` runs the same for longer, with narrower bounds.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from scipy import stats

from confint_cli.scores.design import Design
from confint_cli.stats import bonferroni
from confint_cli.stats.estimate import ends
from confint_cli.stats.meta import meta_analysis
from confint_cli.stats.methods import method_named
from confint_cli.stats.names import DERSIMONIAN_LAIRD, HARTUNG_KNAPP
from confint_cli.stats.pairs import Pairs
from confint_cli.stats.random import Drawing
from confint_cli.stats.sample import Sample
from confint_cli.stats.significance.t import statistic, two_sided
from confint_cli.stats.simultaneous import max_t
from tests.stats.longhand_collections import sample_of, sizes_of, weighted

SIZES = (5, 8, 12, 20, 30, 50, 80, 120, 200, 300)
LEVELS = np.array([0.95])
USUAL, LONG = 1500, 20_000  # samples

at_length = pytest.mark.parametrize(
    "samples", [USUAL, pytest.param(LONG, marks=pytest.mark.long)], ids=["usual", "long"]
)


def skewed(random: np.random.Generator, mean: np.ndarray | float, shape: tuple[int, ...]):
    """Scores of a run where it finds anything."""
    return random.beta(0.3, 0.3 * (1 - mean) / mean, shape)


def is_within(share: float, least: float, most: float, trials: int) -> bool:
    """Whether a share of trials may be that of a probability from `least` to `most`."""
    low, high = stats.binom.ppf(0.001, trials, least), stats.binom.ppf(0.999, trials, most)
    return bool(low <= share * trials <= high)


def share_covered(low: np.ndarray, high: np.ndarray, truth: float) -> float:
    return float(np.mean((low <= truth) & (truth <= high)))


def coverage(sample: Sample, truth: float) -> float:
    low, high = ends(sample, method_named("t"), LEVELS)
    return share_covered(low[0], high[0], truth)


# New topics of the same collections


@dataclass(frozen=True)
class World:
    """Collections, each with its share of topics that no run finds anything for, and two runs."""

    zeros: np.ndarray  # [collection]
    topic: np.ndarray  # [collection]: the mean of what both runs have in common
    run: np.ndarray  # [collection, run]: the mean of what each has for itself

    @property
    def means(self) -> np.ndarray:
        """[collection, run]"""
        return (1 - self.zeros)[:, None] * (self.topic[:, None] + self.run) / 2

    def samples(self, seed: int, number: int) -> list[np.ndarray]:
        """[topic, sample, run] of each collection."""
        random, parts = np.random.default_rng(seed), []
        for size, zeros, topic, runs in zip(SIZES, self.zeros, self.topic, self.run, strict=True):
            shape = (size, number)
            found, common = random.random(shape) >= zeros, skewed(random, topic, shape)
            of_runs = [found * (common + skewed(random, mean, shape)) / 2 for mean in runs]
            parts.append(np.stack(of_runs, axis=2))
        return parts


def world(seed: int, by_size: float) -> World:
    """Return collections in which two runs differ by an effect that varies by chance.

    It is larger by up to `by_size` in small collections, and as much smaller in large ones.
    """
    random, number = np.random.default_rng(seed), len(SIZES)
    first = random.uniform(0.3, 0.7, number)
    effect = random.normal(0, 0.1, number) + np.linspace(by_size, -by_size, number)
    runs = np.stack([first, (first - effect).clip(0.05, 0.95)], axis=1)
    return World(random.uniform(0.1, 0.6, number), random.uniform(0.2, 0.7, number), runs)


def stratified_and_pooled(own: World, seed: int, samples: int) -> dict[str, list[float]]:
    """Return the coverage of both t intervals, of the difference and of the first run's mean."""
    parts = own.samples(seed, samples)
    scores = {
        "difference": ([part[:, :, 0] - part[:, :, 1] for part in parts], own.means @ [1, -1]),
        "mean": ([part[:, :, 0] for part in parts], own.means[:, 0]),
    }
    return {
        name: [coverage(sample, truth.mean())
               for sample in (sample_of(by_part), Sample(np.concatenate(by_part)))]
        for name, (by_part, truth) in scores.items()
    }  # fmt: skip


@pytest.mark.parametrize(
    "worlds", [60, pytest.param(600, marks=pytest.mark.long)], ids=["usual", "long"]
)
@pytest.mark.parametrize(
    ("by_size", "most"), [(0.0, 0.75), (0.15, 0.25)], ids=["by chance", "by size"]
)
def test_t_for_new_topics_covers_where_pooled_topics_do_not(
    by_size: float, most: float, worlds: int
) -> None:
    """10 collections of 5 to 300 topics; over many such sets of collections."""
    each = 50
    found = [
        stratified_and_pooled(world(seed, by_size), 10_000 + seed, each) for seed in range(worlds)
    ]
    for name in ("difference", "mean"):
        stratified, pooled = np.mean([one[name] for one in found], axis=0)
        print(f"{name}: t {stratified:.3f}, pooled {pooled:.3f}")
        assert is_within(stratified, 0.93, 0.97, worlds * each)
        assert pooled < (most if name == "difference" else 0.75)


@at_length
@pytest.mark.parametrize("seed", range(3))
def test_t_for_new_topics_covers_in_each_set_of_collections(seed: int, samples: int) -> None:
    """Not only on average: its smallest collection has five topics, most of them zeros."""
    own = world(seed, 0.1)
    found = [
        stratified_and_pooled(own, 1000 * seed + batch, USUAL) for batch in range(samples // USUAL)
    ]  # all samples at once would be too large
    for name in ("difference", "mean"):
        stratified, _ = np.mean([one[name] for one in found], axis=0)
        print(f"{seed} {name}: t {stratified:.3f}")
        assert is_within(stratified, 0.93, 0.97, len(found) * USUAL)


# New collections


def effect_and_zeros(setting: str, random: np.random.Generator, size: np.ndarray):
    """Return by how much runs differ in collections of these sizes, and their shares of zeros.

    `alike`: collections hardly differ; `apart`: they do. `small`: and small ones have larger
    effects, as of some old collections. `sparse`: and those have smaller ones whose topics are
    mostly zeros, which have little variance too.
    """
    zeros = np.full(size.shape, 0.3)
    if setting == "alike":
        return random.normal(0.03, 0.03, size.shape), zeros
    if setting == "apart":
        return random.normal(0.03, 0.12, size.shape), zeros
    if setting == "small":
        return random.normal(0.03, 0.08, size.shape) + np.where(size < 40, 0.06, -0.06), zeros
    assert setting == "sparse"
    return random.normal(0.12, 0.06, size.shape), random.uniform(0, 0.75, size.shape)


def runs_with(effect: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the means of two runs, where they find anything, that differ by twice the effect."""
    return (0.5 + effect).clip(0.05, 0.95), (0.5 - effect).clip(0.05, 0.95)


@cache
def true_mean(setting: str, least: int) -> float:
    """Return the mean difference of all collections that there might be, from a size on."""
    random = np.random.default_rng(0)
    sizes = np.repeat([size for size in SIZES if size >= least], 200_000)
    effect, zeros = effect_and_zeros(setting, random, sizes)
    first, second = runs_with(effect)
    return float(((1 - zeros) * (first - second) / 2).mean())


def drawn_collections(
    setting: str, number: int, samples: int, seed: int, least: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mean, variance of the mean, and size of drawn collections, [collection, sample]."""
    random = np.random.default_rng(seed)
    size = random.choice([own for own in SIZES if own >= least], (number, samples))
    effect, zeros = effect_and_zeros(setting, random, size)
    mean, variance = np.empty(size.shape), np.empty(size.shape)
    for own in np.unique(size).tolist():
        where = size == own
        first, second = runs_with(effect[where])
        shape = (own, int(where.sum()))
        found = random.random(shape) >= zeros[where]
        scores = found * (skewed(random, first, shape) - skewed(random, second, shape)) / 2
        mean[where], variance[where] = scores.mean(axis=0), scores.var(axis=0, ddof=1) / own
    return mean, variance, size


def intervals_for_new_collections(
    setting: str, number: int, samples: int, least: int = 5
) -> dict[str, float]:
    """Return the coverage of the mean of all collections, by method."""
    mean, variance, size = drawn_collections(setting, number, samples, number, least)
    truth = true_mean(setting, least)
    shares = {"t": coverage(Sample(mean), truth)}
    v = variance / number**2
    df = v.sum(axis=0) ** 2 / (v**2 / (size - 1)).sum(axis=0)
    half = stats.t.ppf(0.975, df) * np.sqrt(v.sum(axis=0))
    shares["fixed"] = share_covered(mean.mean(axis=0) - half, mean.mean(axis=0) + half, truth)
    usable = (variance > 0).all(axis=0)
    found = meta_analysis(mean[:, usable], variance[:, usable])
    for method in (DERSIMONIAN_LAIRD, HARTUNG_KNAPP):
        low, high = found.limits(method, LEVELS)
        shares[method] = share_covered(low[0], high[0], truth)
    shares["usable"] = float(usable.mean())
    print(setting, number, {name: round(share, 3) for name, share in shares.items()})
    return shares


@at_length
@pytest.mark.parametrize("number", [5, 10, 20])
@pytest.mark.parametrize("setting", ["apart", "small"])
def test_t_for_new_collections_covers_where_that_for_new_topics_does_not(
    setting: str, number: int, samples: int
) -> None:
    found = intervals_for_new_collections(setting, number, samples)
    assert is_within(found["t"], 0.92, 0.97, samples)
    assert found["fixed"] < 0.85


@at_length
@pytest.mark.parametrize(
    ("setting", "normal", "knapp"),
    [
        ("alike", (0.895, 0.925), (0.92, 0.945)),
        ("apart", (0.89, 0.92), (0.93, 0.955)),
        ("small", (0.86, 0.89), (0.915, 0.94)),
        ("sparse", (0.865, 0.89), (0.905, 0.93)),
    ],
)
def test_meta_analyses_of_10_collections_cover_their_mean_too_seldom(
    setting: str, normal: tuple[float, float], knapp: tuple[float, float], samples: int
) -> None:
    """Of 95%, DerSimonian and Laird's cover in 88% to 91%, Hartung and Knapp's in 92% to 94%."""
    found = intervals_for_new_collections(setting, 10, samples, least=12)
    assert found["usable"] > 0.98
    assert is_within(found["t"], 0.93, 0.97, samples)
    assert is_within(found[DERSIMONIAN_LAIRD], *normal, samples)
    assert is_within(found[HARTUNG_KNAPP], *knapp, samples)
    assert found[DERSIMONIAN_LAIRD] < found["t"]


# Many pairs at once


def equal_runs(
    random: np.random.Generator, sizes: tuple[int, ...], runs: int = 6
) -> list[np.ndarray]:
    """Return scores [topic, run] of each collection, of runs whose mean over collections is equal.

    Each is better in some collections and worse in others, and more skewed than the next one: it
    finds something for fewer topics, but more for these.
    """
    effect = random.normal(0, 0.05, (len(sizes), runs))
    effect -= effect.mean(axis=0)
    found = np.linspace(0.45, 0.9, runs)
    parts = []
    for size, own in zip(sizes, effect, strict=True):
        mean = ((0.3 + own) / found).clip(0.02, 0.98)
        scores = (random.random((size, runs)) < found) * skewed(random, mean, (size, runs))
        parts.append(0.5 * random.beta(0.6, 1.5, (size, 1)) + scores / 2)
    return parts


def test_runs_are_equal() -> None:
    """That of the simulation below, of very many topics."""
    random = np.random.default_rng(0)
    parts = equal_runs(random, (100_000,) * 5)
    means = np.mean([part.mean(axis=0) for part in parts], axis=0)
    assert np.ptp(means) < 0.005
    assert np.ptp(parts[0].mean(axis=0)) > 0.02


@pytest.mark.slow
@pytest.mark.parametrize(
    "families", [600, pytest.param(6000, marks=pytest.mark.long)], ids=["usual", "long"]
)
def test_equal_runs_are_told_apart_as_seldom_as_the_level_says(families: int) -> None:
    sizes, pairs, wrong, own = (8, 12, 20, 35, 60), Pairs.all(6), 0, 0
    random = np.random.default_rng(1)
    for family in range(families):
        parts = equal_runs(random, sizes)
        found = max_t(
            weighted(parts), pairs, 0.95, Drawing(1000, family), design=Design(sizes_of(parts))
        )
        assert not found.left_out.any()
        limits = found.limits()
        wrong += bool(((limits.low > 0) | (limits.high < 0)).any())
        single = sample_of([part[:, [0]] - part[:, [1]] for part in parts])
        own += bool(two_sided(statistic(single), single.df)[0] <= 0.05)
    print(f"max-T {wrong / families:.3f}, t of one pair {own / families:.3f}")
    assert is_within(wrong / families, 0.03, 0.065, families)
    assert wrong / families < 0.08
    assert is_within(own / families, 0.035, 0.065, families)


def joint_error(effect: np.ndarray) -> tuple[float, float, float]:
    """Return how often any of all pairs is told apart, any without correction, and a single one.

    `effect` is [collection, run, sample], of runs that are equally good over all collections.
    """
    collections, runs, samples = effect.shape
    pairs = Pairs.all(runs)
    differences = (effect[:, pairs.run] - effect[:, pairs.baseline]).reshape(collections, -1)
    sample = Sample(differences)
    low, high = bonferroni.limits(sample.mean, sample.se, sample.df, LEVELS, len(pairs))
    apart = ((low[0] > 0) | (high[0] < 0)).reshape(len(pairs), samples)
    p = two_sided(statistic(sample), sample.df)
    told = bonferroni.told_apart(p, 0.95, len(pairs)).reshape(apart.shape)
    assert (told == apart).all()
    uncorrected = (p <= 0.05).reshape(apart.shape)
    shares = [float(share) for share in (apart.any(axis=0).mean(), uncorrected.any(axis=0).mean(),
                                         uncorrected.mean())]  # fmt: skip
    print(f"{collections} collections: any {shares[0]:.3f}, uncorrected {shares[1]:.3f}, "
          f"each {shares[2]:.3f}")  # fmt: skip
    return shares[0], shares[1], shares[2]


@at_length
@pytest.mark.parametrize("collections", [4, 6, 12])
def test_bonferronis_intervals_for_new_collections_hold_together(
    collections: int, samples: int
) -> None:
    """Six runs, which vary unequally from one collection to the next; skewed topics on top."""
    random, spread = np.random.default_rng(collections), np.linspace(0.02, 0.1, 6)[:, None]
    effect = random.normal(0, spread, (collections, 6, samples))
    size = random.choice(SIZES, (collections, 1, samples))
    topics = random.gamma(size / 4) / (size / 4) - 1  # of n topics, as skewed as exponential ones
    topics = topics + random.normal(0, 0.3, effect.shape) / np.sqrt(size)
    together, uncorrected, single = joint_error(effect + 0.3 * topics)
    assert is_within(together, 0.01, 0.05, samples)
    assert is_within(single, 0.045, 0.055, len(effect[0]) * samples)
    assert uncorrected > 0.15


@at_length
@pytest.mark.parametrize("collections", [4, 6, 12])
def test_bonferronis_intervals_are_no_better_than_t_where_effects_are_very_skewed(
    collections: int, samples: int
) -> None:
    """Some runs are much better in a few collections, others a little in most: t promises too much.

    No worse than this: a limit that is known, not one that is wanted.
    """
    random, spread = np.random.default_rng(collections), np.linspace(0.02, 0.1, 6)[:, None]
    effect = spread * (random.standard_gamma(0.7, (collections, 6, samples)) - 0.7)
    together, _, single = joint_error(effect)
    assert is_within(together, 0.08, 0.15, samples)
    assert is_within(single, 0.06, 0.08, samples)
