"""Comparisons against scipy, pair by pair, and numpy."""

from benchmarks.data import trec8
from benchmarks.harness import READ, Row, Rows, compete, confint, measure, self_timed

TITLE = "Comparisons and standings"
PAIRS = 40  # that scipy is given; the rest would take as long

SCIPY = f"""{READ}
random = np.random.default_rng(0)
from itertools import combinations
from scipy.stats import permutation_test, ttest_rel
values = scores.values[:, :, 0]
pairs = list(combinations(range(values.shape[1]), 2))
chosen = random.permutation(len(pairs))[:{PAIRS}]
began = time.perf_counter()
for run, other in (pairs[place] for place in chosen):
    ttest_rel(values[:, run], values[:, other]).confidence_interval()
    permutation_test(
        (values[:, run] - values[:, other],), np.mean, permutation_type="samples",
        n_resamples=10_000, vectorized=True, rng=random,
    )
print((time.perf_counter() - began) * len(pairs) / {PAIRS})
"""

PERMUTED = f"""{READ}
random = np.random.default_rng(0)
values = np.repeat(scores.values[None, :, :, 0], 100, axis=0)
began = time.perf_counter()
for _ in range(100):
    random.permuted(values, axis=2, out=values)
print(time.perf_counter() - began)
"""

RANKS = f"""{READ}
random = np.random.default_rng(0)
from scipy.stats import rankdata
began = time.perf_counter()
for place in range(scores.values.shape[2]):
    values = scores.values[:, :, place]
    for _ in range(10_000):
        drawn = random.integers(len(values), size=len(values))
        rankdata(-values[drawn].mean(axis=0))
print(time.perf_counter() - began)
"""


def rows() -> Rows:
    """All pairs of the runs of TREC-8, randomised Tukey HSD, and the standings."""
    paths = trec8()
    six = "map,R-prec,recip_rank,P10,P30,P1000"
    compare = confint("compare", "-m", "map", "--all-pairs", *paths)
    tests = [*compare, "--test", "t,randomization"]
    (pairs,) = compete(lambda: measure([tests]))
    (scipy,) = compete(lambda: self_timed(SCIPY, "map", *paths), rounds=1)
    tukey, permuted = compete(
        lambda: measure([[*compare, "--test", "tukey"]]),
        lambda: self_timed(PERMUTED, "map", *paths),
    )
    (rank,) = compete(lambda: measure([confint("rank", "-m", six, *paths)]))
    (ranks,) = compete(lambda: self_timed(RANKS, six, *paths), rounds=1)
    return [
        Row("all 8,256 pairs of 129 runs: a whole `confint compare`, t interval and p, "
            "randomisation p of 10,000 flips", pairs,
            f"scipy.stats.ttest_rel and permutation_test, scaled from {PAIRS} pairs, without "
            "start-up and reading", scipy, "50 times"),
        Row("129 runs: a whole `confint compare`, randomised Tukey HSD, 10,000 permutations", tukey,
            "one pass of numpy's `permuted` over as many copies, and nothing else", permuted,
            "0.1 times"),
        Row("129 runs, six measures: a whole `confint rank`, 10,000 resamples and flips", rank,
            "numpy and scipy.stats.rankdata: the ranks in 10,000 resamples alone", ranks,
            "a few seconds"),
    ]  # fmt: skip
