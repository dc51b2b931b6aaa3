"""What is compared: max-T as confint has it, its strict form, and what others do."""

import numpy as np
from scipy.special import stdtrit

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.common.progress import no_progress
from confint_cli.common.ties import places
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.random import Drawing, Resamples
from confint_cli.stats.significance import named_test
from confint_cli.stats.simultaneous import MaxT, max_t

Ends = tuple[FloatArray, FloatArray]  # of each pair's interval; infinite where there is none
Ranks = tuple[Positions, Positions]  # the best and the worst of each run
LEVEL = 0.95
PERMUTATIONS = 499
LAST_BITS = 1e-12  # by which numbers that are meant to be equal may differ


def balanced(paired: Paired, draws: int, seed: int, *, strict: bool = False) -> MaxT:
    """Return what confint finds."""
    drawing = Drawing(draws, seed)
    return max_t(paired.values, paired.pairs, LEVEL, drawing, strict=strict, own=not strict)


def ends_of(found: MaxT) -> Ends:
    """Return its intervals."""
    limits, out = found.limits(), found.left_out
    return np.where(out, -np.inf, limits.low[0]), np.where(out, np.inf, limits.high[0])


def bonferroni(paired: Paired) -> Ends:
    """Return t intervals at a level that is Bonferroni's for all pairs."""
    tail = (1 - LEVEL) / 2 / len(paired.pairs)
    return _around(paired, float(stdtrit(paired.topics - 1, 1 - tail)))


def sign_flips(paired: Paired, draws: int, seed: int) -> Ends:
    """Return what confint had until 0.10: the largest |T*| of centred differences, signs turned."""
    sample = paired.sample
    varies = ~sample.constant
    e = sample.deviations[varies]
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(paired.topics, draws))
    share = (e @ signs) ** 2 / (paired.topics * (e**2).sum(axis=1, keepdims=True))
    largest = np.sort(share.max(axis=0)) if varies.any() else np.zeros(draws)
    u = largest[round(LEVEL * (draws + 1)) - 1]
    critical = np.sqrt((paired.topics - 1) * u / max(1 - u, 1e-12))
    return _around(paired, max(critical, float(stdtrit(paired.topics - 1, (1 + LEVEL) / 2))))


def _around(paired: Paired, critical: float) -> Ends:
    half = critical * paired.sample.se
    return paired.sample.mean - half, paired.sample.mean + half


def tukey(paired: Paired, seed: int) -> BoolArray:
    """Return which pairs randomised Tukey HSD tells apart."""
    p = named_test("tukey").p(paired, Drawing(PERMUTATIONS, seed), no_progress)
    told: BoolArray = p < 1 - LEVEL + 1e-12
    return told


def joint_ranks(better: BoolArray) -> Ranks:
    """Return the rank sets that follow from which run, [run, other], is better than which."""
    return 1 + better.sum(axis=0), len(better) - better.sum(axis=1)


def better_of(pairs: Pairs, ends: Ends, runs: int) -> BoolArray:
    """Return which run, [run, other], is better than which by their intervals."""
    better = np.zeros((runs, runs), dtype=bool)
    better[pairs.run, pairs.baseline] = ends[0] > 0
    better[pairs.baseline, pairs.run] = ends[1] < 0
    return better


def own_ranks(found: MaxT, pairs: Pairs, runs: int) -> Ranks:
    """Return the rank set of each run by itself."""
    assert found.own is not None
    better, worse = np.zeros((2, runs, runs), dtype=bool)  # [run, other], by the run's own λ
    for one, other, sign in ((pairs.run, pairs.baseline, 1), (pairs.baseline, pairs.run, -1)):
        told = found.statistic > found.own[one]
        better[one, other] = told & (sign * found.difference > 0)
        worse[one, other] = told & (sign * found.difference < 0)
    return 1 + worse.sum(axis=1), runs - better.sum(axis=1)


def resampled_ranks(values: FloatArray, draws: int, seed: int) -> Ranks:
    """Return what confint had until 0.10 for a run by itself: percentiles of bootstrapped ranks."""
    counts = np.vstack(list(Resamples(len(values), draws, seed).counts()))
    best, worst = places(-(counts @ values), LAST_BITS * len(values))
    tail = round((1 - LEVEL) / 2 * (draws + 1))
    return np.sort(best, axis=0)[tail - 1], np.sort(worst, axis=0)[-tail]
