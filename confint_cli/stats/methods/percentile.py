"""The bootstrap percentile interval."""

from typing import TYPE_CHECKING

from confint_cli.common.arrays import FloatArray
from confint_cli.stats.methods.method import Ends, Method
from confint_cli.stats.quantiles import tails
from confint_cli.stats.sample import Sample

if TYPE_CHECKING:
    from confint_cli.stats.ideal.covering import Judged, Study


def interval(sample: Sample, levels: FloatArray) -> Ends:
    """Return the quantiles q*(α/2) and q*(1-α/2) of the resamples' means m*."""
    low, high = map(sample.resampled.quantile, tails(levels))
    return sample.within_range(sample.mean + low), sample.within_range(sample.mean + high)


def error(sample: Sample, levels: FloatArray) -> Ends:
    """Return the standard errors of these quantiles."""
    low, high = map(sample.resampled.quantile_error, tails(levels))
    return sample.no_more_than_range(low), sample.no_more_than_range(high)


def covers(study: "Study") -> "Judged":
    """Return which intervals lie beside the truth: those with F(θ) < α/2 or F(θ⁻) ≥ 1-α/2."""
    return study.by_means(*tails(study.levels), study.percentile_width)


METHOD = Method(
    summary="bootstrap percentile interval: the middle of the means of resampled topics",
    formula="[q*(α/2), q*(1-α/2)], quantiles of the resamples' means m*",
    explanation="""\
The simplest bootstrap interval. A resample draws as many topics as there are, with replacement, and
has a mean m*. The interval is the middle of these means: the middle 95% for a 95% interval. It is
here because papers report it; other methods are more accurate.

The interval never leaves the range of the scores, and it follows their skew, but it is too narrow.
On 31 sets of real scores (a set is one measure on one collection, averaged over its runs), its 95%
intervals miss the true mean in 5.2% to 7.0% of samples of 50 topics and in 13.0% to 21.3% of
samples of 5 topics. With 20 topics or fewer, t misses less often on all 31 sets (docs/choosing.md).

In the formula, q*(p) is the p quantile of the means m*, and α is 1 - level.""",
    reference="Efron (1979); for retrieval: Soboroff, EVIA (2014); Park (2011)",
    style=1,
    interval=interval,
    error=error,
    covers=covers,
    resamples=True,
    designs=frozenset({"collections", "groups"}),
)
