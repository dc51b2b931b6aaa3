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
    summary="bootstrap percentile interval, as wide as the means of resampled topics spread",
    formula="[q*(α/2), q*(1-α/2)], quantiles of the resamples' means m*",
    explanation="""\
Draws the topics anew with replacement and takes the middle of the means that come out. It never
leaves the range of the scores and follows their skew, but is narrow: of real scores of 50 topics,
5.2% to 7.0% of 95% intervals miss, on average over the runs of a collection, of 5 topics 13.0% to
21.3%. On all of 31 collections by measures, t misses less often with 20 topics or fewer
(docs/choosing.md). It is here because papers report it.""",
    reference="Efron (1979); for retrieval: Soboroff, EVIA (2014); Park (2011)",
    style=1,
    interval=interval,
    error=error,
    covers=covers,
    resamples=True,
)
