"""Coverage of intervals by people and a cheaper judge: each sample written out, and its seeds."""

import numpy as np
import pytest
from scipy import stats

from confint_cli.common.parallel import ALONE
from confint_cli.stats.coverage_judges import OF_ONE_JUDGE, JudgePopulation, further_topics
from confint_cli.stats.estimate import Estimation
from tests.stats.longhand_ppi import one_run
from tests.stats.test_coverage_designs import Drawn, places

BOTH = Estimation((), (0.6, 0.9), workers=ALONE)


def some_population(seed: int, topics: int = 12, others: float = 2.5) -> JudgePopulation:
    """A judge who is too kind, and knows most of what people say."""
    random = np.random.default_rng(seed)
    human = random.beta(0.6, 1.2, topics)
    cheaper = 0.3 + 0.6 * human + random.normal(0, 0.1, topics)
    return JudgePopulation("run", "map", human, cheaper, others)


@pytest.mark.parametrize(("size", "further"), [(None, 30), (7, 18)])
def test_samples_are_judged_by_the_interval_of_each(size: int | None, further: int) -> None:
    """By both judges, by people alone, and by the judge alone; each sample written out."""
    population, random = some_population(3), Drawn(1)
    truth = population.human.mean()
    assert population.truth == pytest.approx(truth)
    too_high, too_low, width = population.judge(random, 40, size, BOTH)
    assert too_high.shape == (1 + len(OF_ONE_JUDGE), 2, 40)
    assert [numbers.shape for numbers in random.drawn] == [(40, size or 12), (40, further)]
    labelled, others = (places(numbers, 12) for numbers in random.drawn)
    outside = 0
    for sample in range(40):
        h, f = population.human[labelled[sample]], population.cheaper[labelled[sample]]
        u = population.cheaper[others[sample]]
        mean, se, df, _ = one_run(h.tolist(), f.tolist(), u.tolist())
        for level, nominal in enumerate((0.6, 0.9)):
            half = stats.t.ppf((1 + nominal) / 2, df) * se
            alone = [
                stats.ttest_1samp(own, 0).confidence_interval(nominal)
                for own in (h, np.concatenate([f, u]))
            ]
            for method, (low, high) in enumerate([(mean - half, mean + half), *alone]):
                assert too_high[method, level, sample] == (low > truth)
                assert too_low[method, level, sample] == (high < truth)
                assert width[method, level, sample] == pytest.approx(high - low, rel=1e-9)
                outside += low > truth or high < truth
    assert 40 < outside < 200


def test_scores_of_people_without_variance_are_covered_but_for_rounding() -> None:
    """The mean of .1 on all topics is .1 but for its last bits; by the judge, it is another."""
    random = np.random.default_rng(2)
    population = JudgePopulation("run", "map", np.full(9, 0.1), 10 + random.random(9), 3)
    too_high, too_low, width = population.judge(random, 30, None, BOTH)
    assert not (too_high | too_low)[:2].any()
    assert too_high[2].all()
    np.testing.assert_allclose(width[:2], 0, atol=1e-12)


def test_further_topics_are_rounded_and_there_is_one_at_least() -> None:
    assert [further_topics(10, ratio) for ratio in (0.01, 0.1, 0.14, 0.26, 3.0)] == [1, 1, 1, 3, 30]
