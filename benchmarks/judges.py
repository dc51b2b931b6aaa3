"""A cheaper judge: prediction-powered means beside ppi-python and evalstats, run by run."""

import csv
import io
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks import made
from benchmarks.agreement import check_limits
from benchmarks.data import scratch
from benchmarks.harness import Row, Rows, compete, confint, measure, output_of, python, self_timed

TITLE = "A cheaper judge"
RUNS, HUMAN, TOPICS = 130, 100, 1000
_SHARE = {"ppi_py": RUNS, "evalstats": 5}  # of the runs, for a peer that takes long

_PEER = """
import sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
people, judge = (np.loadtxt(path, delimiter=",", skiprows=1)[:, 1:] for path in sys.argv[1:3])
labelled, share = len(people), int(sys.argv[3])
LIMITS
first = limits(people[:, 0], judge[:labelled, 0], judge[labelled:, 0])
began = time.perf_counter()
for run in range(share):
    limits(people[:, run], judge[:labelled, run], judge[labelled:, run])
print(*first)
print((time.perf_counter() - began) * people.shape[1] / share)
"""
_LIMITS = {
    "ppi_py": """
from ppi_py import ppi_mean_ci
def limits(y, f, u):
    low, high = ppi_mean_ci(y, f, u, alpha=0.05)
    return low[0], high[0]
""",
    "evalstats": """
from evalstats import judge_debias_mean_ci
def limits(y, f, u):
    human = np.concatenate([y, np.full(len(u), np.nan)])
    found = judge_debias_mean_ci(np.concatenate([f, u]), human, rng=0)
    return found.ci_low, found.ci_high
""",
}
_CALLED = {"ppi_py": "ppi-python's ppi_mean_ci", "evalstats": "evalstats' judge_debias_mean_ci"}


def rows() -> Rows:
    """Return what intervals take that use both judges, and what the judge adds to a standing."""
    people, judge = _written()
    call = confint("interval", people, "--judge-scores", judge)
    printed = output_of([*call, "-f", "csv", "--digits", "12", "--sort", "input"])
    first = next(csv.DictReader(io.StringIO(printed)))
    own = float(first["low"]), float(first["high"])
    (ours,) = compete(lambda: measure([call]))
    workload = f"{RUNS} runs on {HUMAN} topics judged by people and {TOPICS:,} by a model: a whole "
    found: Rows = []
    for module, limits in _LIMITS.items():
        if find_spec(module) is None:
            found.append(f"{module} is not installed, so its row is left out.")
            continue
        peer = _PEER.replace("LIMITS", limits)
        low, high = map(float, output_of(python(peer, people, judge, 1)).splitlines()[0].split())
        check_limits(module, {"ppi": own}, {"ppi": (low, high)}, error=(own[1] - own[0]) / 4)
        call_of_peer = partial(
            self_timed, peer.replace("print(*first)\n", ""), people, judge, _SHARE[module]
        )
        (theirs,) = compete(call_of_peer, rounds=1)
        scaled = "" if _SHARE[module] == RUNS else f", scaled from {_SHARE[module]} runs"
        called = f"{_CALLED[module]}, run by run{scaled}, without start-up and reading"
        found.append(Row(f"{workload}`confint interval`", ours, called, theirs, "faster"))
    both, alone = compete(
        lambda: measure([confint("rank", people, "--judge-scores", judge)]),
        lambda: measure([confint("rank", people)]),
    )
    found.append(
        Row(f"the same: a whole `confint rank`, all pairs of {RUNS} runs at once", both,
            "the same call without the judge", alone, "under 20 s")
    )  # fmt: skip
    return found


def _written() -> tuple[Path, Path]:
    """Write the scores of people and of a model that agrees with them, less or more by run."""
    true = made.scores(TOPICS, RUNS)
    random = np.random.default_rng(1)
    seen = 0.8 * true + 0.1 + random.normal(0, 0.08, true.shape)
    paths = []
    for name, values in (("people", true[:HUMAN]), ("model", seen.clip(0, 1))):
        header = ",".join(["topic", *(f"sys{run}" for run in range(1, RUNS + 1))])
        lines = [f"{topic},{','.join(f'{score:.4f}' for score in row)}"
                 for topic, row in enumerate(values, start=1)]  # fmt: skip
        path = scratch() / f"{name}.csv"
        path.write_text("\n".join([header, *lines, ""]), encoding="ascii")
        paths.append(path)
    people, judge = paths
    return people, judge
