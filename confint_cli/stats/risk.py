"""What a run risks on the topics that a baseline does well, by measures that weigh losses more.

A loss, a topic on which the run scores less than the baseline, counts r = 1 + α times as much as a
win of the same size. URisk is the mean of the differences so weighted (Wang, Bennett and
Collins-Thompson, SIGIR 2012). Here its sign is turned, as Benham et al. (ADCS 2019) do: URisk⁻ is
positive where losses outweigh wins. TRisk is URisk over its standard error, a paired t statistic
(Dinçer, Macdonald and Ounis, SIGIR 2014); its sign is not turned. GeoRisk compares a run with what
all runs together lead one to expect of it on each topic (Dinçer, Macdonald and Ounis, SIGIR 2016).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, stdtrit

from confint_cli.common.arrays import BoolArray, FloatArray, Positions, any_along
from confint_cli.common.exact import steps_of_one
from confint_cli.common.progress import Progress, no_progress
from confint_cli.stats.estimate import Estimation, estimate
from confint_cli.stats.flags import (
    Doubt,
    DoubtArray,
    doubts_about_differences,
    mostly_one_value,
    with_doubt,
)
from confint_cli.stats.ideal.bootstrap import IdealBootstrap, columns_of
from confint_cli.stats.methods.method import Limits
from confint_cli.stats.normality import FEWEST, shapiro_wilk
from confint_cli.stats.pairs import Paired
from confint_cli.stats.random import Resamples
from confint_cli.stats.sample import Sample
from confint_cli.stats.significance.t import statistic

RISKY, UNDECIDED, SAFE = 1, 0, -1
_USUAL_BOUND = 2.0  # TRisk beyond it is said to be more than chance
_NEAR_ENOUGH = 2.1  # where 95% confidence takes more, with fewer than 20 topics, that is the bound
MOST_REPLICATES = 5000  # resamples that the normality of a bootstrap is judged by
_REPLICATED = 1 << 21  # means of resamples at a time: 16 MB


@dataclass(frozen=True)
class Risk:
    """The risk measures of several pairs of runs at one r, [pair]; a missing value is NaN."""

    r: float
    topics: int
    urisk_minus: FloatArray  # the mean of the weighted differences: positive is risky
    limits: Mapping[str, Limits]  # of `urisk_minus`, by method
    doubts: Mapping[str, DoubtArray]  # about these limits, by method, [level, pair]
    trisk: FloatArray
    georisk: FloatArray  # of the run of each pair
    baseline_georisk: FloatArray  # of the baseline of each pair
    shapiro_topics: FloatArray  # W of the weighted differences
    shapiro_bootstrap: FloatArray  # W of means of resamples of the weighted differences

    @property
    def trisk_bound(self) -> float:
        """How large |TRisk| has to be to be called more than chance."""
        needed = float(stdtrit(self.topics - 1, 0.975))
        return needed if needed > _NEAR_ENOUGH else _USUAL_BOUND

    @property
    def judged_by_trisk(self) -> Positions:
        """`RISKY`, `SAFE` or `UNDECIDED` of each pair by its TRisk, [pair]."""
        return _judged(self.trisk < -self.trisk_bound, self.trisk > self.trisk_bound)

    def judged_by(self, method: str, level: int) -> Positions:
        """Return `RISKY`, `SAFE` or `UNDECIDED` of each pair by an interval, [pair].

        A pair is risky if all of the interval is above 0, safe if all of it is below. `level` is
        the place of the level.
        """
        limits = self.limits[method]
        return _judged(limits.low[level] > 0, limits.high[level] < 0)


def _judged(risky: BoolArray, safe: BoolArray) -> Positions:
    return np.where(risky, RISKY, np.where(safe, SAFE, UNDECIDED))


def risks(
    paired: Paired, rs: tuple[float, ...], estimation: Estimation, progress: Progress = no_progress
) -> Iterator[Risk]:
    """Yield the risk measures of all pairs at each r, from the same resamples of topics."""
    differences, number = paired.differences, len(paired.pairs)
    columns = np.hstack([weighted(differences, r) for r in rs])
    sample = Sample(columns, sizes=np.concatenate([r * paired.sizes for r in rs]))
    at_all_r = estimate(sample, estimation, progress)
    zero = np.abs(sample.mean) <= sample.rounding
    urisk_minus, trisk = (np.where(zero, 0.0, x) for x in (sample.mean, -statistic(sample)))
    of_topics, of_resamples = shapiro_of_topics(sample), shapiro_of_bootstrap(sample, estimation)
    for place, r in enumerate(rs):
        columns_at_r = slice(place * number, (place + 1) * number)
        at_r = at_all_r.columns(columns_at_r.start, columns_at_r.stop)
        geo = georisk(paired.values, r)
        yield Risk(
            r=r,
            topics=paired.topics,
            urisk_minus=urisk_minus[columns_at_r],
            limits=at_r.limits,
            doubts=_doubts(at_r.doubts, differences, r),
            trisk=trisk[columns_at_r],
            georisk=geo[paired.pairs.run],
            baseline_georisk=geo[paired.pairs.baseline],
            shapiro_topics=of_topics[columns_at_r],
            shapiro_bootstrap=of_resamples[columns_at_r],
        )


def _doubts(
    doubts: Mapping[str, DoubtArray], differences: FloatArray, r: float
) -> dict[str, DoubtArray]:
    """Return doubts [level, pair], by method, about differences of which losses count r-fold.

    Those that are new say where `r` has nothing, or little, to weigh.
    """
    wins, losses = any_along(differences > 0, 0), any_along(differences < 0, 0)
    losing = Sample(np.minimum(differences, 0))
    few = mostly_one_value(losing, losing.topics)[0] & (r > 1)
    further = {
        Doubt.FEW_LOSSES: losses & wins & few,
        Doubt.NO_LOSSES: wins & ~losses,
        Doubt.NO_WINS: losses & ~wins,
    }
    about_r = {}
    for method, own in doubts.items():
        about_r[method] = doubts_about_differences(own, ~(wins | losses))
        for doubt, where in further.items():
            about_r[method] = with_doubt(about_r[method], doubt, where)
    return about_r


def weighted(differences: FloatArray, r: float) -> FloatArray:
    """Return the differences of a run less a baseline, sign turned, losses taken r-fold.

    The shape is that of `differences`.
    """
    turned: FloatArray = np.where(differences < 0, -r * differences, -differences)
    return turned + 0.0  # not -0.0


def georisk(values: FloatArray, r: float) -> FloatArray:
    """Return √(S/n · Φ(Z/n)) of each run of values[topic, run]; NaN if any is below 0 or all are 0.

    S is the run's sum over the n topics and Z the sum of z = (x - e)/√e, with those below 0 taken
    r-fold. The expected score e is the run's sum times the topic's sum over the sum of all scores.
    """
    by_run = np.ascontiguousarray(values.T)  # sums are the same in whatever order the runs come
    runs, topics = by_run.shape
    of_runs, of_topics = by_run.sum(axis=1), np.sort(by_run, axis=0).sum(axis=0)
    total = of_topics.sum()
    if by_run.min() < 0 or total == 0:
        return np.full(runs, np.nan)
    expected = of_topics * (of_runs / total)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.where(expected > 0, (by_run - expected) / np.sqrt(expected), 0.0)
    z_risk = np.where(z < 0, r * z, z).sum(axis=1)
    geometric: FloatArray = np.sqrt(of_runs / topics * ndtr(z_risk / topics))
    return geometric


def shapiro_of_topics(sample: Sample) -> FloatArray:
    """Return the W of Shapiro and Wilk of each column; NaN without variance."""
    return np.where(sample.constant, np.nan, shapiro_wilk(sample.shares.T))


def shapiro_of_bootstrap(sample: Sample, estimation: Estimation) -> FloatArray:
    """Return the W of Shapiro and Wilk of the bootstrap of each column's mean, [column].

    It is that of the first resamples; of the ideal bootstrap, that of equally spaced quantiles.
    """
    if estimation.resamples is None:
        return _shapiro_of_quantiles(sample)
    number = min(estimation.resamples, MOST_REPLICATES)
    resamples = Resamples(sample.topics, number, estimation.seed)
    exact = np.rint(sample.shares.T * steps_of_one(sample.topics))
    w = []
    width = max(1, _REPLICATED // number)
    for start in range(0, exact.shape[1], width):
        block = exact[:, start : start + width]
        w.append(shapiro_wilk(np.vstack([counts @ block for counts in resamples.counts()])))
    return np.where(sample.constant, np.nan, np.concatenate(w))


def _shapiro_of_quantiles(sample: Sample) -> FloatArray:
    """Return the W of 5,000 equally spaced quantiles of the ideal bootstrap, [column]."""
    p = (np.arange(MOST_REPLICATES) + 0.5) / MOST_REPLICATES
    w = np.full(len(sample.mean), np.nan)
    if sample.topics < FEWEST:
        return w
    for block in sample.blocks():
        part = sample.columns(block)
        ideal = IdealBootstrap.of(part, columns_of(part))
        w[block] = shapiro_wilk(ideal.quantile(p[:, None]) / part.unit)
    return np.where(sample.constant, np.nan, w)
