"""Student's t interval."""

from scipy.special import stdtrit

from confint_cli.common.arrays import FloatArray, Positions
from confint_cli.stats.methods.method import Ends, Method
from confint_cli.stats.sample import Sample


def interval(sample: Sample, levels: FloatArray) -> Ends:
    """Return m ± t(n-1, 1-α/2)·s/√n, [level, column] each; of collections, as `Sample` has them."""
    return of_moments(sample.mean, sample.se, sample.df, levels)


def of_moments(
    mean: FloatArray, se: FloatArray, df: FloatArray | Positions | int, levels: FloatArray
) -> Ends:
    """Return mean ± t(df, 1-α/2)·se, [level, column] each; mean and se are [column]."""
    half = stdtrit(df, (1 + levels[:, None]) / 2) * se
    return mean - half, mean + half


METHOD = Method(
    summary="Student's t interval, the textbook one",
    formula="m ± t(n-1, 1-α/2)·s/√n, where s divides by n-1; other designs have their own se and "
    "degrees of freedom (docs/designs.md)",
    explanation="""\
The usual interval of a mean. It reaches equally far to both sides of the mean: the standard error
times a quantile of Student's t distribution. Use it for means over 50 topics or more, and for
differences of two runs. It uses no random numbers.

In the formula, m is the mean of n topic scores and s their standard deviation; for a difference of
two runs, they are those of the differences, topic by topic. α is 1 - level: .05 for a 95% interval.

The interval is exact for normal scores, which real scores are not. On 31 sets of real scores (a set
is one measure on one collection, averaged over its runs), its 95% intervals miss the true mean in
4.7% to 6.4% of samples of 50 topics and in 6.6% to 14.3% of samples of 5 topics; 5% would be right
(docs/choosing.md).

Skewed scores make it miss more often: in 11% of samples of 50 topics with the note 'skewed', nearly
always because the truth lies farther in the long tail. bootstrap-t is closer to its level there.
For differences of two runs on 10 topics or more, t is closer to its level than any bootstrap
interval on 27 or more of the 31 sets.

As the interval is symmetric about the mean, its limits can lie below 0 or above 1.""",
    reference="Student (1908); for retrieval: Soboroff, EVIA (2014); Park (2010)",
    style=0,
    interval=interval,
    designs=frozenset({"collections", "groups", "repeats", "judge", "bounds"}),
)
