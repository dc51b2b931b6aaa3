"""Samples of topics that people and a cheaper judge have judged, whose mean by people is known.

A sample has topics with both judges, and further ones of which only the judge's scores are looked
at. Beside the interval of both stand those of people alone and of the judge alone.
"""

from dataclasses import dataclass

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.scores.scores import Matrix
from confint_cli.scores.two_judges import Rows, TwoJudges
from confint_cli.stats import ppi
from confint_cli.stats.coverage_designs import Judged, judged
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.methods.t import of_moments
from confint_cli.stats.random import draw_of_all
from confint_cli.stats.sample import Sample

HUMAN, JUDGE = "human-t", "judge-t"
OF_ONE_JUDGE = (HUMAN, JUDGE)  # the intervals of one of the judges alone


@dataclass(frozen=True)
class JudgePopulation:
    """The scores of one run by one measure on topics with both judges."""

    run: str
    measure: str
    human: FloatArray  # [topic]
    cheaper: FloatArray  # [topic]: by the judge
    others: float  # how many further topics there are for each with both judges

    @property
    def truth(self) -> float:
        """The mean over topics by people."""
        return float(self.human.mean())

    def judge(
        self, random: np.random.Generator, number: int, size: int | None, estimation: Estimation
    ) -> Judged:
        """Draw samples of `size` topics with both judges, and judge their intervals."""
        there = len(self.human)
        size = size or there
        further = further_topics(size, self.others)
        both = draw_of_all(random, number, there, size).T  # [topic, sample]
        alone = draw_of_all(random, number, there, further).T
        human, cheaper, others = self.human[both], self.cheaper[both], self.cheaper[alone]
        levels = np.array(estimation.levels)
        powered = ppi.means(_two_judges(human, cheaper, others))
        everything = Sample(np.concatenate([cheaper, others]))
        by_method = [
            of_moments(powered.mean, powered.se, powered.df, levels),
            of_moments(powered.human_mean, powered.human_se, powered.human_df, levels),
            of_moments(everything.mean, everything.se, everything.df, levels),
        ]
        return judged(by_method, self.truth, np.abs(self.human).max())


def further_topics(topics: int, ratio: float) -> int:
    """Return how many further topics samples have, if this many are by both judges."""
    return max(1, round(topics * ratio))


def _two_judges(human: FloatArray, cheaper: FloatArray, others: FloatArray) -> TwoJudges:
    """Return samples [topic, sample] as if each were a run."""
    topics, samples = human.shape
    runs = ("",) * samples
    matrix = Matrix("", ("",) * topics, runs, human, np.zeros(human.shape, dtype=bool))
    return TwoJudges(
        "",
        runs,
        Rows(human, (topics,)),
        Rows(cheaper, (topics,)),
        Rows(others, (len(others),)),
        Rows(human[:0], (0,)),
        matrix,
        np.zeros((2, samples)),
    )
