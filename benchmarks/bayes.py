"""Draws from the posterior of two runs against NUTS in numpyro, where that is installed."""

from importlib.util import find_spec

from benchmarks.harness import DATA, READ, Row, Timing, compete, confint, measure, self_timed

PAIR = ("run7", "run22")  # of correlation .50, which is kind to NUTS: very high ones take longer
EFFECTIVE = 100_000

OURS = f"""
from confint_cli.parallel import prepare_for_arrays
prepare_for_arrays()
{READ}
from confint_cli.pairs import Drawing
from confint_cli.studies.bayes import THRESHOLDS, Question, bayes
began = time.perf_counter()
table, _ = bayes(scores, (), Question(0.95, Drawing({EFFECTIVE}, 0), THRESHOLDS), {{}})
seconds = time.perf_counter() - began
(ess,) = {{value for column in table.columns if column.name == "ess" for value in column.values}}
print(seconds * {EFFECTIVE} / ess)
"""

NUTS = f"""
import sys, time
import jax
import numpy as np
from numpyro.diagnostics import effective_sample_size
from tests.reference.posterior import Pair, figures, quantities, sampler
own, other = Pair("ntcir7.ir4qa", "Q_1000", *sys.argv[1:]).samples
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


def rows() -> list[Row]:
    """One pair at as many effective draws, and all pairs of 20 runs."""
    if find_spec("numpyro") is None:
        print("bayes: numpyro is not installed (pip install '.[nuts]'), left out")
        return []
    folder = DATA / "soboroff2014" / "ntcir7.ir4qa"
    pair = [folder / f"{run}.eval" for run in PAIR]
    ours, nuts = compete(lambda: self_timed(OURS, "Q_1000", *pair), lambda: self_timed(NUTS, *PAIR))
    twenty = sorted(folder.glob("*.eval"))[:20]
    everything = confint("bayes", "-m", "Q_1000", "--all-pairs", *twenty)
    (pairs,) = compete(lambda: measure([everything]))
    of_all = Timing(190 * nuts.seconds, nuts.megabytes)
    return [
        Row("one pair of runs on 97 topics, 100,000 effective draws and their figures, without "
            "start-up and reading", ours,
            "NUTS (numpyro): as many effective draws after warming up and compiling, scaled from "
            "16,000 draws", nuts, "100 times, under 0.2 s"),
        Row("all 190 pairs of 20 runs: a whole `confint bayes`, 100,000 draws each", pairs,
            "NUTS as above, 190 times", of_all, "under 10 s"),
    ]  # fmt: skip
