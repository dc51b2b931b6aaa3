"""The basic bootstrap interval."""

from typing import TYPE_CHECKING

from confint_cli.common.arrays import FloatArray
from confint_cli.stats.methods import percentile
from confint_cli.stats.methods.method import Ends, Method
from confint_cli.stats.sample import Sample

if TYPE_CHECKING:
    from confint_cli.stats.ideal.covering import Judged, Study


def interval(sample: Sample, levels: FloatArray) -> Ends:
    """Return 2m - q*(1-α/2) and 2m - q*(α/2), the percentile interval mirrored at m."""
    low, high = percentile.interval(sample, levels)
    return 2 * sample.mean - high, 2 * sample.mean - low


def error(sample: Sample, levels: FloatArray) -> Ends:
    """Return the errors of the percentile interval's limits, exchanged."""
    low_error, high_error = percentile.error(sample, levels)
    return high_error, low_error


def covers(study: "Study") -> "Judged":
    """Return which intervals lie beside the truth, by F at 2m-θ; percentile's are as wide."""
    return study.by_mirrored_means(study.percentile_width)


METHOD = Method(
    summary="basic bootstrap interval: the percentile interval, mirrored at the mean",
    formula="[2m - q*(1-α/2), 2m - q*(α/2)], q* quantiles of the resamples' means m*",
    explanation="""\
A bootstrap interval that is here because others report it; other methods are more accurate. It
resamples the topics as the percentile interval does, and takes the errors m* - m of the resamples'
means for those of m, the mean of the scores, itself. That amounts to the percentile interval,
mirrored at m.

For skewed scores, the interval leans to the wrong side. For means of 5 to 50 topics whose scores
are not all 0 or 1, it misses the true mean most often of all methods (docs/choosing.md). Its limits
can leave the range of the scores.

In the formula, q*(p) is the p quantile of the means m*, and α is 1 - level.""",
    reference="Davison and Hinkley (1997), section 5.2; Benham et al., ADCS (2019)",
    style=4,
    interval=interval,
    error=error,
    covers=covers,
    resamples=True,
    designs=frozenset({"collections", "groups"}),
)
