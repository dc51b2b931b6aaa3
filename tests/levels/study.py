"""How often each procedure errs in samples of a family."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from confint_cli.common.arrays import FloatArray
from confint_cli.common.parallel import ALL_CORES
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.random import derived, generator
from tests.levels.families import Family
from tests.levels.procedures import (
    LAST_BITS,
    LEVEL,
    Ends,
    Ranks,
    balanced,
    better_of,
    bonferroni,
    ends_of,
    joint_ranks,
    own_ranks,
    resampled_ranks,
    sign_flips,
    tukey,
)

CERTAINTY = 0.999  # of the binomial bound
FEW_RUNS, EVERY = 10, 4  # of more runs, every fourth sample is for tukey too
OLD_RANKS = "percentiles of ranks"
OTHERS = ("sign flips", "tukey", OLD_RANKS)  # what others do, or we did


@dataclass(frozen=True)
class Errors:
    """Of a procedure: the shares of samples in which some pair of runs is wrong."""

    missed: float  # the true difference lies outside an interval
    wrong: float  # a run is said to be better that is not better …
    reversed: float  # … and is worse
    width: float  # median of its intervals' widths as a share of t-Bonferroni's
    told: float  # share of the pairs of truly different runs that are told apart, rightly


@dataclass(frozen=True)
class Cell:
    """What is found of samples of one family."""

    family: str
    runs: int
    topics: int
    samples: int
    errors: dict[str, Errors]  # by procedure
    left_out: float  # share of the pairs without limits, by max-T
    ranks_hold: float  # share of samples in which all rank sets hold the true ranks
    rank_size: float  # mean number of ranks in a rank set
    own_hold: float  # share of runs and samples in which a run's own rank set holds its true rank
    own_least: float  # the same of the run for which it is least
    own_size: float
    old_hold: float  # the same of percentiles of bootstrapped ranks
    old_least: float
    old_size: float

    @property
    def bound(self) -> float:
        """The share of errors that chance would hardly exceed at the level."""
        return error_bound(self.samples)

    @property
    def least_bound(self) -> float:
        """The share of sets that hold which the least of all runs would hardly fall below."""
        return float(binom.ppf((1 - CERTAINTY) / self.runs, self.samples, LEVEL)) / self.samples


def error_bound(samples: int) -> float:
    """Return the share of errors that chance would hardly exceed in so many samples."""
    return float(binom.ppf(CERTAINTY, samples, 1 - LEVEL)) / samples


def study(
    family: Family, runs: int, topics: int, samples: int, draws: int, *, seed: int = 0,
    others: Collection[str] = OTHERS,
) -> Cell:  # fmt: skip
    """Return what is found of so many samples, of what others do too."""
    random = generator(derived(seed, "levels", family.name, runs, topics))
    pairs = Pairs.all(runs)
    found: dict[str, list[tuple[float, ...]]] = {}
    ranks, held = [], []
    for sample in range(samples):
        values, means = family.sample(random, runs, topics)
        truth = means[pairs.run] - means[pairs.baseline]
        paired = Paired(values, pairs)
        ours = balanced(paired, draws, sample)
        by_procedure = {
            "max-t": ends_of(ours),
            "strict": ends_of(balanced(paired, draws, sample, strict=True)),
            "t-Bonferroni": bonferroni(paired),
        }
        if "sign flips" in others:
            by_procedure["sign flips"] = sign_flips(paired, draws, sample)
        usual = by_procedure["t-Bonferroni"][1] - by_procedure["t-Bonferroni"][0]
        for name, ends in by_procedure.items():
            found.setdefault(name, []).append(_judged(ends, truth, usual))
        if "tukey" in others and (runs <= FEW_RUNS or sample % EVERY == 0):  # takes longest
            told = np.where(tukey(paired, sample), np.sign(paired.sample.mean), 0.0)
            ends = np.where(told > 0, 1.0, -np.inf), np.where(told < 0, -1.0, np.inf)
            _, *rest = _judged(ends, truth, usual)
            found.setdefault("tukey", []).append((np.nan, *rest))  # it has no intervals
        best, worst = true_ranks(means)
        sets = [
            joint_ranks(better_of(pairs, by_procedure["max-t"], runs)),
            own_ranks(ours, pairs, runs),
            resampled_ranks(values, draws, sample) if OLD_RANKS in others else (best, worst),
        ]
        held.append([(low <= best) & (high >= worst) for low, high in sets])
        ranks.append([ours.left_out.mean(), *((high - low + 1).mean() for low, high in sets)])
    joint, own, old = np.array(held).transpose(1, 0, 2)
    left_out, rank_size, own_size, old_size = np.array(ranks).mean(axis=0).tolist()
    return Cell(
        family.name, runs, topics, samples,
        {name: Errors(*_means(rows)) for name, rows in found.items()},
        left_out, float(joint.all(axis=1).mean()), rank_size,
        float(own.mean()), float(own.mean(axis=0).min()), own_size,
        float(old.mean()), float(old.mean(axis=0).min()), old_size,
    )  # fmt: skip


def _means(rows: list[tuple[float, ...]]) -> list[float]:
    """Return the mean of each column, of what there is."""
    columns = np.array(rows).T
    return [float(one[~np.isnan(one)].mean()) if (~np.isnan(one)).any() else np.nan
            for one in columns]  # fmt: skip


def _judged(ends: Ends, truth: FloatArray, usual: FloatArray) -> tuple[float, ...]:
    """Return what `Errors` has of one sample."""
    low, high = ends
    missed = (truth < low - LAST_BITS) | (truth > high + LAST_BITS)
    above, below = low > LAST_BITS, high < -LAST_BITS
    wrong = (above & (truth <= LAST_BITS)) | (below & (truth >= -LAST_BITS))
    worse = (above & (truth < -LAST_BITS)) | (below & (truth > LAST_BITS))
    limited = np.isfinite(low) & np.isfinite(high) & (usual > 0)
    differ = np.abs(truth) > LAST_BITS
    right = (above & (truth > 0)) | (below & (truth < 0))
    return (
        float(missed.any()), float(wrong.any()), float(worse.any()),
        float(np.median((high - low)[limited] / usual[limited])) if limited.any() else np.nan,
        float(right[differ].mean()) if differ.any() else np.nan,
    )  # fmt: skip


def true_ranks(means: FloatArray) -> Ranks:
    """Return the best and the worst true rank of each run; they differ where means are equal."""
    better = means[:, None] > means + LAST_BITS
    return 1 + better.sum(axis=0), len(means) - better.sum(axis=1)


Asked = tuple[Family, int, int, int, int]  # family, runs, topics, samples, draws


def cells(asked: list[Asked]) -> Iterator[Cell]:
    """Yield what is found of each, in order, by all cores."""
    return ALL_CORES.map(_worker, (asked,), range(len(asked)), together=1)


def _worker(asked: list[Asked]) -> Callable[[int], Cell]:
    return lambda place: study(*asked[place])
