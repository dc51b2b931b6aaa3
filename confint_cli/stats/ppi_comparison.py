"""Comparisons of pairs of runs by people and a cheaper judge together, as `comparison` has them."""

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray
from confint_cli.common.progress import Progress, no_progress
from confint_cli.stats import ppi_max_t
from confint_cli.stats.comparison import T_TEST, Comparison, Differences, Moments, Testing
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.flags import DoubtArray, doubts_about, doubts_about_differences
from confint_cli.stats.matrices import paired_of
from confint_cli.stats.methods.method import Limits
from confint_cli.stats.methods.t import of_moments
from confint_cli.stats.names import PPI
from confint_cli.stats.pairs import Pairs
from confint_cli.stats.ppi import Family, Powered
from confint_cli.stats.significance.t import two_sided
from confint_cli.stats.simultaneous import with_max_t


def limits_of(powered: Powered, levels: tuple[float, ...]) -> Limits:
    """Return the limits of prediction-powered estimates, [level, column]."""
    low, high = of_moments(powered.mean, powered.se, powered.df, np.array(levels))
    return Limits.exact(low, high)


def human_limits(powered: Powered, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the limits that people's scores alone have, [column] each."""
    low, high = of_moments(
        powered.human_mean, powered.human_se, powered.human_df, np.array([level])
    )
    return low[0], high[0]


def statistic(powered: Powered) -> FloatArray:
    """Return the t statistics, [column]: 0 for no difference, infinite for one without variance."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(powered.mean == 0, 0.0, powered.mean / powered.se)


def identical(family: Family, powered: Powered, pairs: Pairs) -> BoolArray:
    """Return which pairs have the same scores by both judges, [pair]."""
    alike: BoolArray = paired_of(family.two.matrix, pairs).identical
    same: BoolArray = alike & (powered.mean == 0) & (powered.se == 0)
    return same


def doubts_of(family: Family, powered: Powered, pairs: Pairs) -> DoubtArray:
    """Return the doubts, [pair]: those of people's scores, as of a mean, and of both judges."""
    of_people = doubts_about(paired_of(family.two.matrix, pairs).sample)
    return of_people | powered.doubts


def differences_of(family: Family, powered: Powered, pairs: Pairs) -> Differences:
    """Return the figures about pairs of runs; there are no effect sizes, nor wins and losses.

    These would be of people's topics alone.
    """
    means = family.means()
    runs = len(means.mean)
    none = np.full(len(pairs), np.nan)
    moments = Moments(
        np.full(runs, family.two.all_topics),
        means.mean,
        np.full(runs, np.nan),
    )
    return Differences(
        run=moments.of(pairs.run),
        baseline=moments.of(pairs.baseline),
        difference=powered.mean,
        se=powered.se,
        t=statistic(powered),
        df=powered.df,
        glass_delta=none,
        hedges_gz=none,
        hedges_g=none,
        outcomes=None,
        doubts=doubts_about_differences(
            doubts_of(family, powered, pairs), identical(family, powered, pairs)
        ),
    )


def compare_powered(
    family: Family,
    powered: Powered,
    pairs: Pairs,
    estimation: Estimation,
    testing: Testing,
    progress: Progress = no_progress,
) -> Comparison:
    """Return intervals and p-values of pairs of runs, by t and, at once, by max-T.

    Without a method in the `estimation`, there is no interval of each pair by itself.
    """
    limits: dict[str, Limits] = {}
    doubts: dict[str, DoubtArray] = {}
    own = doubts_of(family, powered, pairs)
    shape = (len(estimation.levels), len(pairs))
    if estimation.methods:
        limits[PPI] = limits_of(powered, estimation.levels)
        doubts[PPI] = np.broadcast_to(own, shape)
    max_t = None
    if testing.at_once:
        max_t = ppi_max_t.at_once(
            family, pairs, powered, estimation.levels, estimation.drawing,
            strict=testing.strict, progress=progress,
        )  # fmt: skip
        limits, doubts = with_max_t(
            limits,
            doubts,
            max_t,
            about=own,
            varies=powered.se > 0,
            intervals=testing.simultaneous,
        )
    p = two_sided(statistic(powered), powered.df)
    same = identical(family, powered, pairs)
    return Comparison(
        limits=limits,
        doubts={name: doubts_about_differences(doubts[name], same) for name in limits},
        p={T_TEST: p},
        adjusted=testing.adjusted(p, pairs, max_t),
        at_once=max_t,
    )
