"""Intervals against scipy.stats.bootstrap, column by column."""

from benchmarks.harness import DATA, READ, Row, compete, confint, measure, python, self_timed

SCIPY = f"""{READ}
from scipy.stats import bootstrap
columns = scores.values.reshape(len(scores.topics), -1).T
columns = columns[np.ptp(columns, axis=1) > 0]  # scipy has no answer for the others
began = time.perf_counter()
for column in columns:
    for method in ("percentile", "basic", "BCa"):
        bootstrap((column,), np.mean, n_resamples=10_000, method=method, vectorized=True)
print(time.perf_counter() - began)
"""

QUERY_LOG = """
import sys
import numpy as np
np.savetxt(sys.argv[1], np.random.default_rng(0).beta(0.5, 1.5, (100_000, 20)), fmt="%.4f")
"""

SCIPY_QUERY_LOG = """
import sys, time
import numpy as np
from scipy.stats import bootstrap
column = np.loadtxt(sys.argv[1], usecols=0)
began = time.perf_counter()
bootstrap((column,), np.mean, n_resamples=10_000, method="percentile", vectorized=True, batch=50)
print(time.perf_counter() - began)
"""


def rows() -> list[Row]:
    """All runs of TREC-8 by six measures, and a query log of 100,000 topics by 20 runs."""
    import tempfile

    paths = sorted((DATA / "soboroff2014" / "trec8.adhoc").glob("*.eval"))
    measures = "map,R-prec,recip_rank,P10,P30,P1000"
    methods = "percentile,basic,bca,bootstrap-t"
    call = confint("interval", "-m", measures, "--method", methods, *paths)
    (ours,) = compete(lambda: measure([call]))
    (scipy,) = compete(lambda: self_timed(SCIPY, measures, *paths), rounds=1)
    with tempfile.NamedTemporaryFile(suffix=".tsmatrix") as file:
        measure([python(QUERY_LOG, file.name)])
        (large,) = compete(
            lambda: measure([confint("interval", "--method", "percentile", file.name)]), rounds=1
        )
        (column,) = compete(lambda: self_timed(SCIPY_QUERY_LOG, file.name), rounds=1)
    return [
        Row("129 runs, six measures, 10,000 resamples: a whole `confint interval`, four methods",
            ours, "scipy.stats.bootstrap, three methods, without start-up and reading", scipy,
            "20 times, under 500 MB"),
        Row("100,000 topics of 20 runs, 10,000 resamples", large,
            "scipy.stats.bootstrap, one run of the 20", column, "under 1 GB"),
    ]  # fmt: skip
