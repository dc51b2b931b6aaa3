"""Comparisons against scipy, pair by pair, and numpy."""

import csv
import io
from importlib.util import find_spec
from pathlib import Path

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

MAX_T = f"""{READ}
random = np.random.default_rng(0)
from itertools import combinations
values = scores.values[:, :, 0]
topics = len(values)
pairs = list(combinations(range(values.shape[1]), 2))
chosen = random.permutation(len(pairs))[:{PAIRS}]
drawn = random.integers(topics, size=(DRAWS, topics))
largest = np.zeros(DRAWS)
began = time.perf_counter()
for run, other in (pairs[place] for place in chosen):
    d = values[:, run] - values[:, other]
    sample = d[drawn]
    t = np.abs(sample.mean(axis=1) - d.mean()) / (sample.std(axis=1, ddof=1) / np.sqrt(topics))
    np.maximum(largest, t / np.quantile(t, 0.99), out=largest)
print((time.perf_counter() - began) * len(pairs) / {PAIRS})
"""
EVALSTATS_PAIRS = f"""{READ}
import warnings
warnings.simplefilter("ignore")
from evalstats import all_pairwise
values = scores.values[:, :, 0].T
call = dict(method="t_interval", correction="holm", p_test="wilcoxon", simultaneous_ci=False)
all_pairwise(values[:2], list(scores.runs[:2]), **call)  # imports
began = time.perf_counter()
all_pairwise(values, list(scores.runs), **call)
print(time.perf_counter() - began)
"""
EVALSTATS_RANKS = f"""{READ}
from evalstats import bootstrap_ranks
values = scores.values[:, :, 0].T
bootstrap_ranks(values[:2], list(scores.runs[:2]), 100, method="bootstrap")  # imports
began = time.perf_counter()
bootstrap_ranks(values, list(scores.runs), 10_000, method="bootstrap")
print(time.perf_counter() - began)
"""
PLAIN_MAX_T = f"numpy: max-T by gathering drawn differences, scaled from {PAIRS} pairs"


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


def check_evalstats() -> None:
    """Raise a DisagreementError unless evalstats gives our t limits, Holm's p and first shares."""
    import numpy as np
    from evalstats import all_pairwise, bootstrap_ranks

    path = made.write_matrix(scratch() / "four.csv", 30, 4)
    values = np.loadtxt(path, delimiter=",", skiprows=1)[:, 1:].T
    names = [f"sys{number}" for number in range(1, 5)]
    theirs = all_pairwise(values, names, method="t_interval", correction="holm",
                          p_test="wilcoxon", simultaneous_ci=False)  # fmt: skip
    call = ["--digits", "12", "--format", "csv", "--sort", "input", path]
    compared = confint("compare", "--all-pairs", "--test", "wilcoxon", "--method", "t", *call)
    for row in csv.DictReader(io.StringIO(output_of(compared))):
        pair = theirs.get(row["run"], row["baseline"])
        check_limits("evalstats", {"t": (float(row["low"]), float(row["high"]))},
                     {"t": (float(pair.ci_low), float(pair.ci_high))}, error=1e-9)  # fmt: skip
        if abs(float(row["p_adjusted"]) - pair.p_value) > 1e-9:
            raise DisagreementError(f"evalstats: p is {pair.p_value}, ours {row['p_adjusted']}")
    draws = 10_000
    shares = bootstrap_ranks(values, names, draws, method="bootstrap",
                             rng=np.random.default_rng(1)).p_best  # fmt: skip
    ranked = csv.DictReader(io.StringIO(output_of(confint("rank", "--draws", draws, *call))))
    for row in ranked:
        share = float(shares[names.index(row["run"])])
        check_p("evalstats", float(row["first_share"]), share, draws)


def rows() -> Rows:
    """All pairs of the runs of TREC-8, randomised Tukey HSD, and the standings."""
    check()
    paths = trec8()
    compare = confint("compare", "-m", "map", "--all-pairs", *paths)
    tests = [*compare, "--test", "t,randomization"]
    (pairs,) = compete(lambda: measure([tests]))
    (scipy,) = compete(lambda: self_timed(SCIPY, "map", *paths), rounds=1)
    tukey, permuted = compete(
        lambda: measure([[*compare, "--test", "tukey"]]),
        lambda: self_timed(PERMUTED, "map", *paths),
    )
    found: Rows = [
        Row("all 8,256 pairs of 129 runs: a whole `confint compare`, t interval and p, "
            "randomisation p of 10,000 flips", pairs,
            f"scipy.stats.ttest_rel and permutation_test, scaled from {PAIRS} pairs, without "
            "start-up and reading", scipy, "50 times"),
        Row("129 runs: a whole `confint compare`, randomised Tukey HSD, 10,000 permutations", tukey,
            "one pass of numpy's `permuted` over the same number of copies, and nothing else",
            permuted, "0.1 times"),
        _ranked("129 runs", 10_000, "under 3 s", "map", *paths),
        *(
            _ranked(f"{runs:,} made-up runs", draws, goal, runs_of,
                    made.write_matrix(scratch() / f"{runs_of}.csv", 50, runs))
            for runs, draws, goal, runs_of in ((500, 10_000, "under 20 s", "five-hundred"),
                                               (3000, 2000, "under 1 GB", "three-thousand"))
        ),
    ]  # fmt: skip
    if find_spec("evalstats") is None:
        return [*found, "evalstats is not installed, so its rows are left out."]
    check_evalstats()
    wilcoxon, rank = compete(
        lambda: measure([[*compare, "--method", "t", "--test", "wilcoxon"]]),
        lambda: measure([confint("rank", "-m", "map", *paths)]),
    )
    of_pairs, of_ranks = compete(
        lambda: self_timed(EVALSTATS_PAIRS, "map", *paths),
        lambda: self_timed(EVALSTATS_RANKS, "map", *paths),
        rounds=1,
    )
    return [
        *found,
        Row("all 8,256 pairs of 129 runs: a whole `confint compare`, t intervals, Wilcoxon's p, "
            "corrected by Holm", wilcoxon,
            "evalstats' all_pairwise, without start-up and reading", of_pairs, "10 times"),
        Row("129 runs, one measure: a whole `confint rank`, with the rank sets of max-T, 10,000 "
            "draws", rank, "evalstats' bootstrap_ranks: only the ranks in 10,000 resamples, "
            "without start-up and reading", of_ranks, "faster"),
    ]  # fmt: skip


def _ranked(what: str, draws: int, goal: str, measure_name: str, *paths: Path) -> Row:
    """Return what it takes to rank runs by one measure."""
    (rank,) = compete(lambda: measure([confint("rank", "-m", measure_name, *paths)]), rounds=1)
    peer = MAX_T.replace("DRAWS", str(draws))
    (plain,) = compete(lambda: self_timed(peer, measure_name, *paths), rounds=1)
    return Row(f"{what}, one measure: a whole `confint rank`, {draws:,} draws", rank, PLAIN_MAX_T,
               plain, goal)  # fmt: skip
