"""Intervals against the bootstraps of scipy, arch and scikits.bootstrap, column by column."""

import csv
import io
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.agreement import RESAMPLES, check_limits
from benchmarks.data import scratch, trec8
from benchmarks.harness import (
    READ,
    Row,
    Rows,
    Timing,
    compete,
    confint,
    measure,
    output_of,
    python,
    self_timed,
)
from benchmarks.peers import BOOTSTRAPS, Column, Limits

TITLE = "Intervals"
_MEASURES = "map,R-prec,recip_rank,P10,P30,P1000"
_METHODS = "percentile,basic,bca,bootstrap-t"

# Some columns of the 774 for a peer that takes as long for each; scipy has no answer where all
# scores are equal.
_LOOP = f"""{READ}
from benchmarks.peers import BOOTSTRAPS
columns = scores.values.reshape(len(scores.topics), -1).T
columns = columns[np.ptp(columns, axis=1) > 0]
total = len(columns)
columns = columns[:: max(1, len(columns) // SHARE)][:SHARE]
limits = BOOTSTRAPS["PEER"]
limits(columns[0], 100, 0)  # imports and compiles
began = time.perf_counter()
for column in columns:
    limits(column, 10_000, 0)
print((time.perf_counter() - began) * total / len(columns))
"""

_QUERY_LOG = """
import sys
import numpy as np
np.savetxt(sys.argv[1], np.random.default_rng(0).beta(0.5, 1.5, (100_000, 20)), fmt="%.4f")
"""

_SCIPY_QUERY_LOG = """
import sys, time
import numpy as np
from scipy.stats import bootstrap
column = np.loadtxt(sys.argv[1], usecols=0)
began = time.perf_counter()
bootstrap((column,), np.mean, n_resamples=10_000, method="percentile", vectorized=True, batch=50)
print(time.perf_counter() - began)
"""

# Four methods on the query log, of infinitely many resamples or of 10,000, without reading it.
_OURS_QUERY_LOG = """
import sys, time
from confint_cli.common.parallel import prepare_for_arrays
prepare_for_arrays()
import numpy as np
from confint_cli.stats.estimate import Estimation, estimate
from confint_cli.stats.sample import Sample
scores = np.random.default_rng(0).beta(0.5, 1.5, (100_000, 20)).round(4)
how = Estimation(("percentile", "basic", "bca", "bootstrap-t"), (0.95,), RESAMPLES)
began = time.perf_counter()
estimate(Sample(scores), how)
print(time.perf_counter() - began)
"""

_ALL = "129 runs, six measures: a whole `confint interval`, four methods"
_COLUMNS = 774  # runs by measures


def rows() -> Rows:
    """All runs of TREC-8 by six measures, and a query log of 100,000 topics by 20 runs."""
    paths = trec8()
    calls = [
        confint("interval", "-m", _MEASURES, "--method", *words, *paths)
        for words in ((_METHODS,), ("percentile,basic,bca",), ("t",),
                      (_METHODS, "--resamples", "10000"))
    ]  # fmt: skip
    ours, means, plain, drawn = compete(*(partial(measure, [call]) for call in calls))
    by_t = "the same call with `--method t`"
    said, theirs = _peer("scipy", "scipy.stats.bootstrap, three methods", _COLUMNS, paths)
    found: Rows = [
        Row("129 runs, six measures: a whole `confint interval` with percentile, basic and bca",
            means, by_t, plain, "0.71 times or more"),
        Row("the same with bootstrap-t, which resamples some columns", ours, by_t, plain,
            "0.45 times or more"),
        Row("the same", ours, "the same call with `--resamples 10000`", drawn),
        Row(f"{_ALL}, 10,000 resamples", drawn, said, theirs, "20 times, under 500 MB"),
        Row(_ALL, ours, said, theirs),
    ]  # fmt: skip
    for peer, name, columns in (
        ("arch", "arch (IIDBootstrap), four methods", 8),
        ("scikits.bootstrap", "scikits.bootstrap, two methods (percentile, BCa)", 16),
    ):
        if find_spec(peer.partition(".")[0]) is None:
            found.append(f"{peer} is not installed, so its row is left out.")
        else:
            said, theirs = _peer(peer, name, columns, paths)
            found.append(Row("the same", ours, said, theirs))
    log = scratch() / "log.tsmatrix"
    measure([python(_QUERY_LOG, log)])
    large = measure([confint("interval", "--method", _METHODS, log)])
    column = self_timed(_SCIPY_QUERY_LOG, log)
    ideal, resampled = (
        self_timed(_OURS_QUERY_LOG.replace("RESAMPLES", number)) for number in ("None", "10_000")
    )
    found += [
        Row("100,000 topics of 20 runs: a whole `confint interval`, four methods", large,
            "scipy.stats.bootstrap, 10,000 resamples, percentile, one of the 20 runs", column,
            "under 300 MB"),
        Row("the same four methods, without start-up and reading", ideal,
            "the same with 10,000 resamples", resampled, "20 times, under 300 MB"),
    ]  # fmt: skip
    return found


def _peer(peer: str, name: str, columns: int, paths: Sequence[Path]) -> tuple[str, Timing]:
    """Check what a peer does, and time it on some of the columns; once, as it takes long."""
    check(peer)
    code = _LOOP.replace("PEER", peer).replace("SHARE", str(columns))
    scaled = "" if columns == _COLUMNS else f", scaled from {columns} of the {_COLUMNS}"
    said = f"{name}{scaled}, without start-up and reading"
    return said, self_timed(code, _MEASURES, *paths)


def skewed() -> Column:
    """Return scores on which methods differ: 30 topics, most of them hard."""
    return np.round(np.random.default_rng(0).beta(0.3, 2, 30), 4)


def check(peer: str) -> None:
    """Raise a DisagreementError unless a peer's limits of skewed scores are ours."""
    column = skewed()
    error = float(column.std(ddof=1) / np.sqrt(len(column)))
    check_limits(peer, our_limits(column, RESAMPLES), BOOTSTRAPS[peer](column, RESAMPLES, 1), error)


def our_limits(column: Column, resamples: int) -> Limits:
    """Return the intervals that `confint interval` prints."""
    path = scratch() / "skewed.csv"
    path.write_text("topic,run\n" + "".join(f"{t},{x}\n" for t, x in enumerate(column, start=1)))
    call = confint("interval", "--method", _METHODS, "--resamples", resamples, "--digits", "12",
                   "--format", "csv", path)  # fmt: skip
    return {
        row["method"]: (float(row["low"]), float(row["high"]))
        for row in csv.DictReader(io.StringIO(output_of(call)))
    }
