"""Coverage against a loop over samples, of the kind that the published studies are."""

from functools import partial

from benchmarks.data import trec8
from benchmarks.harness import Row, Rows, compete, confint, measure, self_timed

TITLE = "Coverage"

LOOP = """
import sys, time
import numpy as np
import scikits.bootstrap
from scipy import stats
from confint_cli.inputs.reading import Reader
from confint_cli.inputs import read_all
from confint_cli.scores.join import Joining, join
from confint_cli.scores.selection import Chooser

found = read_all(sys.argv[2:], Reader(Chooser(["map"])))
scores, _ = join([reading for _, (_, reading) in found], Joining(measures=["map"]))
n, resamples, samples = len(scores.topics), 5000, int(sys.argv[1])
random = np.random.default_rng(0)

def standard(sample):
    return stats.t.interval(0.95, n - 1, sample.mean(), stats.sem(sample))

def percentile(sample):
    means = np.sort(random.choice(sample, (resamples, n)).mean(axis=1))
    return means[round(0.025 * resamples)], means[round(0.975 * resamples)]

def bootstrap_t(sample):
    drawn = random.choice(sample, (resamples, n))
    se = sample.std(ddof=1) / np.sqrt(n)
    z = np.sort((drawn.mean(axis=1) - sample.mean()) / (drawn.std(axis=1, ddof=1) / np.sqrt(n)))
    mean = sample.mean()
    return mean - z[round(0.975 * resamples)] * se, mean - z[round(0.025 * resamples)] * se

def bca(sample):
    return scikits.bootstrap.ci(sample, np.mean, n_samples=2000, method="bca")

methods = (standard, percentile, bootstrap_t, bca)
covered = np.zeros(4)
began = time.perf_counter()
for x in scores.values[:, :, 0].T:
    for _ in range(samples):
        sample = random.choice(x, n)
        for place, method in enumerate(methods):
            low, high = method(sample)
            covered[place] += low <= x.mean() <= high
print(time.perf_counter() - began)
assert (covered / (samples * len(scores.runs)) > 0.7).all()
"""

RUNS, SAMPLES = 4, 50  # that the loop gets to, of 774 runs and measures with 1,000 samples each


def rows() -> Rows:
    """All runs of TREC-8 by six measures, and one run by one measure."""
    paths = trec8()
    measures = "map,R-prec,recip_rank,P10,P30,P1000"
    methods = "t,percentile,bootstrap-t,bca"
    how = ("coverage", "-m", measures, "--method", methods)
    levels = ",".join(f"{level / 100}" for level in range(90, 100))
    every, at_levels, few = (
        confint(*how, *words, *paths) for words in ((), ("--level", levels), ("--sample-size", 10))
    )
    one = confint("coverage", "-m", "map", "--method", methods, paths[0])
    ours, ten_levels, ten_topics, single, loop = compete(
        *(partial(measure, [call]) for call in (every, at_levels, few, one)),
        lambda: self_timed(LOOP, SAMPLES, *paths[:: len(paths) // RUNS][:RUNS], cores=1),
    )
    drawn, few_drawn = (
        measure([confint(*how, "--resamples", 5000, *words, *paths)])
        for words in ((), ("--sample-size", 10))
    )
    done = RUNS * SAMPLES
    peer = f"a loop over samples (scipy, numpy, scikits.bootstrap), {done} of them, scaled"
    for_one = loop.times(1000 / done)
    for_all = for_one.times(len(paths) * len(measures.split(",")))
    return [
        Row("a whole `confint coverage`: 129 runs, six measures, four methods, 1,000 samples",
            ours, peer, for_all, "4,000 times, under 1 GB"),
        Row("the same", ours, "the same with `--resamples 5000`", drawn, "12 times"),
        Row("the same with samples of 10 topics", ten_topics, "the same with `--resamples 5000`",
            few_drawn, "8 times"),
        Row("the same at ten levels", ten_levels, "at one level", ours, "0.62 times or more"),
        Row("the same for one run and one measure", single, peer, for_one, "about a second"),
    ]  # fmt: skip
