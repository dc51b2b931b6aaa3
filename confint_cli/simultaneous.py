"""Intervals of the differences of many pairs of runs that hold for all of them at once."""

from dataclasses import dataclass

import numpy as np

from confint_cli.arrays import BoolArray, FloatArray
from confint_cli.explained import Explained
from confint_cli.max_t import MaxT, max_t
from confint_cli.methods._method import Limits
from confint_cli.pairs import Paired
from confint_cli.progress import Progress, no_progress, parts_of
from confint_cli.resampling import Drawing

NAME = "max-t"  # of the method, and of the correction of p-values, in results
FEW_DIFFERENCES = "few differences"  # the note on pairs that it leaves out

EXPLAINED = Explained(
    summary="intervals of all differences at once, for compare --simultaneous and rank",
    formula="d̄ ± λ·s·se; s is the .99 quantile of a pair's |T*| over resamples, λ the quantile at "
    "the level of max |T*|/s over all pairs",
    explanation="""\
Topics are resampled B times (--draws), and every pair's t statistic T* is computed anew in every
resample. Each pair has a scale of its own, so that one whose differences are skewed does not widen
the intervals of all others, and λ is how far any pair strays beyond its scale in 5% of resamples,
for 95% intervals. As all pairs share the resamples, it takes into account how alike the runs are.
'compare --correct max-t' gives p-values that agree with the intervals: p ≤ 0.05 where the interval
leaves 0 out; with several levels, p is that of the row's own. --strict takes one scale for all
pairs: hardly any wider where differences are alike, and where some are skewed .8 to 2.3 times as
wide, in the median of families of docs/levels.md, so that with many runs and few topics far fewer
pairs are told apart.

Intervals hold together approximately; rare large differences that are absent from these topics
cannot be seen. Of families of equal runs about 5% have any interval that leaves 0 out, under
skewness too, but more where a few rare topics decide: docs/levels.md has figures. Two runs that
differ on very few topics cannot be told apart by resampling these: such pairs have no limits, a
p-value of 1 and the note 'few differences'.""",
    reference="Beran, JASA 83 (1988); Romano and Wolf, JASA 100 (2005)",
)


@dataclass(frozen=True)
class AtOnce:
    """What is found of all pairs at once, at one or several levels."""

    by_level: tuple[MaxT, ...]

    @property
    def limits(self) -> Limits:
        """The intervals, [level, pair]; NaN: there are no limits."""
        parts = zip(*(one.limits().parts for one in self.by_level), strict=True)
        return Limits(*(np.concatenate(part) for part in parts))

    @property
    def p(self) -> FloatArray:
        """The p-values, [level, pair], that agree with the intervals of their level.

        Which pairs are left out depends on the level, and so do the p-values of all others.
        """
        p: FloatArray = np.array([one.p for one in self.by_level])
        return p

    @property
    def few_differences(self) -> BoolArray:
        """Which pairs, [level, pair], differ on too few topics to be told apart."""
        return np.array([one.few_differences for one in self.by_level])

    @property
    def unbounded(self) -> BoolArray:
        """Which others, [level, pair], have no limits: some resamples have no variance."""
        return np.array([one.unbounded for one in self.by_level])


def at_once(
    paired: Paired,
    levels: tuple[float, ...],
    drawing: Drawing,
    *,
    strict: bool = False,
    progress: Progress = no_progress,
) -> AtOnce:
    """Return what is found of all pairs at once, by max-T at each level."""
    parts = parts_of(progress, len(levels))
    return AtOnce(
        tuple(
            max_t(paired.values, paired.pairs, level, drawing, strict=strict, progress=part)
            for level, part in zip(levels, parts, strict=True)
        )
    )
