"""Comparisons against scipy, pair by pair, and numpy."""

import csv
import io

from benchmarks import made
from benchmarks.agreement import DisagreementError, check_limits, check_p
from benchmarks.data import scratch, trec8
from benchmarks.harness import READ, Row, Rows, compete, confint, measure, output_of, self_timed

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
        n_resamples=10_000, vectorized=True, random_state=random,
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


def check() -> None:
    """Raise a DisagreementError unless scipy gives our limits and p-values of three pairs."""
    import numpy as np
    from scipy.stats import permutation_test, ttest_rel

    draws = 10_000
    path = made.write_matrix(scratch() / "three.csv", 30, 3)
    call = confint("compare", "--all-pairs", "--test", "t,randomization", "--resamples", draws,
                   "--digits", "12", "--format", "csv", path)  # fmt: skip
    values = np.loadtxt(path, delimiter=",", skiprows=1)[:, 1:]
    column = {f"sys{number}": scores for number, scores in enumerate(values.T, start=1)}
    for row in csv.DictReader(io.StringIO(output_of(call))):
        own, other = column[row["run"]], column[row["baseline"]]
        found = ttest_rel(own, other)
        limits = found.confidence_interval()
        check_limits("scipy", {"t": (float(row["low"]), float(row["high"]))},
                     {"t": (limits.low, limits.high)}, error=1e-9)  # fmt: skip
        p = permutation_test(
            (own - other,), np.mean, permutation_type="samples", n_resamples=draws,
            vectorized=True, random_state=np.random.default_rng(1),
        ).pvalue  # fmt: skip
        check_p("scipy", float(row["p_randomization"]), float(p), draws)
        if abs(float(row["p_t"]) - found.pvalue) > 1e-9:
            raise DisagreementError(f"scipy: p of the t test is {found.pvalue}, ours {row['p_t']}")


def rows() -> Rows:
    """All pairs of the runs of TREC-8, randomised Tukey HSD, and the standings."""
    check()
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
