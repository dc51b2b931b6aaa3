"""Samples of topics and repeats of a run whose mean is known.

A sample has as many topics and as many repeats as there are, drawn from these. Beside the interval
that is right for repeats stand those that people take instead.
"""

from dataclasses import dataclass

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.exact import power_of_two_above
from confint_cli.stats.coverage_designs import Judged, judged
from confint_cli.stats.coverage_groups import INDEPENDENT
from confint_cli.stats.estimate import Estimation, ends
from confint_cli.stats.methods.method import Ends
from confint_cli.stats.methods.t import METHOD as T
from confint_cli.stats.methods.t import of_moments
from confint_cli.stats.random import draw_of_all
from confint_cli.stats.sample import Sample

AVERAGED, ONE_REPEAT = "averaged-t", "one-repeat-t"
NAIVE_OF_REPEATS = (AVERAGED, ONE_REPEAT, INDEPENDENT)  # intervals that ignore repeats


@dataclass(frozen=True)
class RepeatPopulation:
    """The scores of one run by one measure on topics, in repeats, from which samples are drawn."""

    run: str
    measure: str
    values: FloatArray  # [topic, repeat]

    @property
    def truth(self) -> float:
        """The mean over topics and repeats."""
        return float(self.values.mean())

    def judge(
        self, random: np.random.Generator, number: int, size: int | None, estimation: Estimation
    ) -> Judged:
        """Draw samples of `size` topics and all their repeats, and judge their intervals."""
        topics, repeats = self.values.shape
        drawn = draw_of_all(random, number, topics, size or topics)
        which = draw_of_all(random, number, repeats, repeats)
        samples = self.values[drawn[:, :, None], which[:, None, :]]  # [sample, topic, repeat]
        levels = np.array(estimation.levels)
        flat = samples.reshape(number, -1)
        by_method = [
            two_way(samples, levels),  # the only method of repeats is t
            ends(Sample(samples.mean(axis=2).T), T, levels),
            ends(Sample(samples[:, :, 0].T), T, levels),
            ends(Sample(flat.T), T, levels),
        ]
        return judged(by_method, self.truth, np.abs(flat).max(axis=1))


def two_way(samples: FloatArray, levels: FloatArray) -> Ends:
    """Return the t interval of samples [sample, topic, repeat], after Satterthwaite.

    It is what `Sample` has with repeats, of many samples at a time.
    """
    _, topics, repeats = samples.shape
    of_topics, of_repeats = samples.mean(axis=2), samples.mean(axis=1)
    mean = samples.mean(axis=(1, 2))
    own = of_topics.var(axis=1, ddof=1) / topics
    if repeats == 1:
        return of_moments(mean, np.sqrt(own), topics - 1, levels)
    between = of_repeats.var(axis=1, ddof=1) / repeats
    residuals = samples - of_topics[:, :, None] - of_repeats[:, None, :] + mean[:, None, None]
    squares = (residuals**2).sum(axis=(1, 2))
    within = squares / ((topics - 1) * (repeats - 1) * topics * repeats)
    unit = power_of_two_above(own + between)  # squares of shares of it are safe
    own, between, within = own / unit, between / unit, within / unit
    added = np.maximum(between - within, 0.0)
    parts = between**2 / (repeats - 1) + within**2 / ((topics - 1) * (repeats - 1))
    total = own + added
    below = own**2 / (topics - 1) + parts
    df = np.where(added > 0, total**2 / np.where(below > 0, below, 1.0), topics - 1.0)
    df = np.maximum(df, 1.0)
    return of_moments(mean, np.sqrt(total * unit), df, levels)
