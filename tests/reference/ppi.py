"""Writes ppi.tsv: prediction-powered means by ppi_py, and the first term of their variance by OLS.

Needs ppi-python and statsmodels, which bring numpy, and nothing else:

python tests/reference/ppi.py > tests/reference/ppi.tsv

Scores are made up: `human` and `judge` on the same topics, `others` by the judge on further ones.
`mean` is what ppi_py's ppi_mean_pointestimate makes of them with lam = bN/(n+N), b = S_hf/S_ff, and
`low` and `high` are the limits of its own ppi_mean_ci, at 95%; `prediction` and `se` are the
prediction of statsmodels' OLS of human on judge, at the mean of all the judge's scores, and its
standard error with HC3.
"""

import warnings

import numpy as np
import statsmodels.api as sm
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

warnings.simplefilter("ignore")
random = np.random.default_rng(20)


def scores(kind: str, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return scores by people and by a judge."""
    if kind == "normal":
        human = random.normal(0.5, 0.2, number)
        return human, human + random.normal(0.1, 0.1, number)
    if kind == "skewed":
        human = random.exponential(0.2, number)
        return human, np.sqrt(human) + random.normal(0, 0.1, number)
    if kind == "opposite":
        human = random.beta(0.5, 1, number)
        return human, 1 - human + random.normal(0, 0.2, number)
    if kind == "weak":
        return random.beta(2, 2, number), random.beta(2, 2, number)
    if kind == "tenths":
        human = random.binomial(10, random.beta(0.6, 1.2, number)) / 10
        return human, np.clip(human + random.integers(-2, 4, number) / 10, 0, 1)
    human = (random.random(number) < 0.4).astype(float)  # 0 and 1
    return human, np.where(random.random(number) < 0.8, human, 1 - human)


def written(values: np.ndarray) -> str:
    return " ".join(repr(float(value)) for value in values)


print("kind", "human", "judge", "others", "mean", "prediction", "se", "low", "high", sep="\t")
for kind in ("normal", "skewed", "opposite", "weak", "tenths", "0 and 1"):
    for topics, further in ((5, 3), (10, 40), (25, 200)):
        human, judge = (np.round(own, 4) for own in scores(kind, topics))
        others = np.round(scores(kind, further)[1], 4)
        if np.ptp(judge) == 0:
            raise ValueError("another seed is needed: the judge is constant")
        together = np.concatenate([judge, others])
        slope = np.cov(human, judge)[0, 1] / np.var(judge, ddof=1)
        lam = slope * further / (topics + further)
        mean = float(np.ravel(ppi_mean_pointestimate(human, judge, others, lam=lam))[0])
        fit = sm.OLS(human, sm.add_constant(judge)).fit(cov_type="HC3")
        ends = [float(np.ravel(end)[0]) for end in ppi_mean_ci(human, judge, others, alpha=0.05)]
        predicted = fit.get_prediction(np.array([[1.0, together.mean()]]))
        print(kind, written(human), written(judge), written(others), repr(mean),
              repr(float(predicted.predicted_mean[0])), repr(float(predicted.se_mean[0])),
              *map(repr, ends),
              sep="\t")  # fmt: skip
