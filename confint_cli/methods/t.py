"""Student's t interval."""

from scipy.special import stdtrit

from confint_cli.arrays import FloatArray, Positions
from confint_cli.methods._method import Ends, Method
from confint_cli.methods._sample import Sample


def interval(sample: Sample, levels: FloatArray) -> Ends:
    """Return m ± t(n-1, 1-α/2)·s/√n."""
    return of_moments(sample.mean, sample.se, sample.topics - 1, levels)


def of_moments(
    mean: FloatArray, se: FloatArray, df: FloatArray | Positions | int, levels: FloatArray
) -> Ends:
    """Return the limits [level, column] of means of which only so much is known."""
    half = stdtrit(df, (1 + levels[:, None]) / 2) * se
    return mean - half, mean + half


METHOD = Method(
    summary="Student's t interval, the one of the textbooks",
    formula="m ± t(n-1, 1-α/2)·s/√n, where s divides by n-1",
    explanation="""\
Exact for normal scores and good for the mean of 50 topics or more of most measures, unless they are
very skewed. It is symmetric about the mean, so its limits may lie below 0 or above 1. Five topics
of a skewed measure such as average precision are too few for it: 8% of 95% intervals miss, but 5%
once scores are standardised over all runs (Park 2010; 'confint standardize'). 'confint describe'
says which runs are too skewed for it. It uses no random numbers.""",
    reference="Student (1908); for retrieval: Soboroff, EVIA (2014); Park (2010)",
    interval=interval,
)
