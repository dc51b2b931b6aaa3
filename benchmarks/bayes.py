"""Draws from the posterior of two runs against NUTS in numpyro, where that is installed."""

from importlib.util import find_spec

from benchmarks.data import ntcir7
from benchmarks.harness import READ, Row, Rows, compete, confint, measure, self_timed

TITLE = "Bayesian comparisons"
PAIR = ("run7", "run22")  # of correlation .50, which is kind to NUTS: very high ones take longer
EFFECTIVE = 100_000
THRESHOLDS = {"difference": 0.0, "glass_baseline": 0.2, "glass_run": 0.2, "correlation": 0.9}

OURS = f"""
from confint_cli.common.parallel import ALL_CORES, prepare_for_arrays
prepare_for_arrays()
{READ}
from confint_cli.stats.random import Drawing
from confint_cli.studies.bayes import Question, bayes
began = time.perf_counter()
answer = bayes(scores, (), Question(0.95, Drawing({EFFECTIVE}, 0, ALL_CORES), {THRESHOLDS}))
seconds = time.perf_counter() - began
(ess,) = {{row.ess for row in answer.rows}}
print(seconds * {EFFECTIVE} / ess)
"""

NUTS = f"""{READ}
import jax
from numpyro.diagnostics import effective_sample_size
from tests.reference.posterior import figures, quantities, sampler
own, other = scores.values[:, :, 0].T
nuts = sampler(own, other, paired=True, number=4_000, warm_up=1_000, chains=4)
nuts.warmup(jax.random.PRNGKey(0))
nuts.run(jax.random.PRNGKey(1))  # compiles
began = time.perf_counter()
nuts.post_warmup_state = nuts.last_state
nuts.run(jax.random.PRNGKey(2))
found = quantities(nuts)
for values in found.values():
    figures(values.reshape(-1), 0.0)
seconds = time.perf_counter() - began
print(seconds * {EFFECTIVE} / max(map(effective_sample_size, found.values())))
"""


def rows() -> Rows:
    """One pair at as many effective draws, and all pairs of 20 runs."""
    if find_spec("numpyro") is None:
        return ["numpyro (the extra `nuts`) is not installed, so these rows are left out."]
    paths = ntcir7()
    pair = [path for run in PAIR for path in paths if path.stem == run]
    ours, nuts = compete(
        lambda: self_timed(OURS, "Q_1000", *pair), lambda: self_timed(NUTS, "Q_1000", *pair)
    )
    twenty = paths[:20]
    everything = confint("bayes", "-m", "Q_1000", "--all-pairs", *twenty)
    (pairs,) = compete(lambda: measure([everything]))
    return [
        Row("one pair of runs on 97 topics, 100,000 effective draws and their figures, without "
            "start-up and reading", ours,
            "NUTS (numpyro): the same number of effective draws, after warming up and compiling, "
            "scaled from 16,000 draws", nuts, "100 times, under 0.2 s"),
        Row("all 190 pairs of 20 runs: a whole `confint bayes`, 100,000 draws each", pairs,
            "NUTS as above, 190 times", nuts.times(190), "under 10 s"),
    ]  # fmt: skip
