"""Collections, groups of topics and repeats of runs, against scipy and statsmodels, run by run."""

import csv
import io
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks import made
from benchmarks.agreement import check_limits
from benchmarks.data import scratch
from benchmarks.harness import (
    Row,
    Rows,
    compete,
    confint,
    measure,
    output_of,
    python,
    say,
    self_timed,
)

TITLE = "Collections, groups and repeats"
COLLECTIONS, RUNS, TOPICS = 18, 130, 50
MEASURES = ("map", "ndcg_cut_10", "recip_rank")
CONVERSATIONS, TURNS = 250, 8  # on average
SEEDS = 5

# Each prints low and high of the first run of a table of scores, then the seconds for all runs.
_TABLE = """
import csv, sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
with open(sys.argv[1], newline="") as lines:
    rows = [*csv.DictReader(lines)]
column = lambda name: np.array([row[name] for row in rows])
run, topic, score = column("run"), column("topic"), column("score").astype(float)
names = [*dict.fromkeys(run)]
def timed(limits, share):
    first = limits(names[0])
    began = time.perf_counter()
    for name in names[:share]:
        limits(name)
    print(*first)
    print((time.perf_counter() - began) * len(names) / share)
"""

_BY_SCIPY = """
import sys, time
from pathlib import Path
import numpy as np
from scipy import stats
began = time.perf_counter()
scores = {}
given = map(Path, sys.argv[1:])
for path in [path for own in given for path in (own.glob("*") if own.is_dir() else [own])]:
    for line in open(path):
        measure, topic, score = line.split()
        if topic != "all":
            by_collection = scores.setdefault((measure, path.stem), {})
            by_collection.setdefault(path.parent.name, []).append(float(score))
for by_collection in scores.values():
    own = [np.array(values) for values in by_collection.values()]
    for values in own:  # the interval of each collection
        stats.ttest_1samp(values, 0).confidence_interval()
    count = len(own)  # and that of their mean, by Welch and Satterthwaite
    mean = np.mean([values.mean() for values in own])
    parts = np.array([values.var(ddof=1) / len(values) for values in own])
    df = parts.sum() ** 2 / sum(part**2 / (len(values) - 1) for part, values in zip(parts, own))
    half = stats.t.ppf(0.975, df) * np.sqrt(parts.sum()) / count
    print(mean - half, mean + half)
"""

_CLUSTERED = f"""{_TABLE}
import statsmodels.api as sm
conversation = np.array([name.rpartition("_")[0] for name in topic])
def limits(name):
    own = run == name
    _, groups = np.unique(conversation[own], return_inverse=True)
    model = sm.OLS(score[own], np.ones(own.sum()))
    return model.fit(cov_type="cluster", cov_kwds={{"groups": groups}}, use_t=True).conf_int()[0]
timed(limits, len(names))
"""

_MIXED = f"""{_TABLE}
import pandas as pd
import statsmodels.formula.api as smf
seed = column("repeat")
def limits(name):
    own = run == name
    table = pd.DataFrame({{"score": score[own], "topic": topic[own], "seed": seed[own]}})
    parts = {{"topic": "0 + C(topic)", "seed": "0 + C(seed)"}}
    model = smf.mixedlm("score ~ 1", table, groups=np.ones(own.sum()), vc_formula=parts)
    return model.fit().conf_int().iloc[0]
timed(limits, 2)
"""


def rows() -> Rows:
    """Return what intervals of means take in each of the designs."""
    found: Rows = [_of_collections()]
    if find_spec("statsmodels") is None:
        return [*found, "statsmodels is not installed, so its rows are left out."]
    return [*found, _of_groups(), _of_repeats()]


def _of_collections() -> Row:
    say(f"writing the scores of {COLLECTIONS} collections")
    names = [f"sys{run:03d}" for run in range(1, RUNS + 1)]
    folder = scratch() / "collections"
    folders = [folder / f"collection{place:02d}" for place in range(COLLECTIONS)]
    for own in folders:
        made.write_evals(own, names, TOPICS, MEASURES)
    call = ["interval", "--labels", "{collection}/{run}.eval", "--method", "t"]
    few = [path / f"{names[0]}.eval" for path in folders]
    limits = _limits_in(confint(*call, "-m", "map", *few), collection="macro")
    theirs = output_of(python(_BY_SCIPY, *few)).splitlines()[0].split()
    check_limits("scipy", {"t": limits}, {"t": (float(theirs[0]), float(theirs[1]))}, error=1e-9)
    ours, scipy = compete(
        lambda: measure([confint(*call, *folders)]), lambda: measure([python(_BY_SCIPY, *folders)])
    )
    return Row(
        f"{COLLECTIONS} collections of {TOPICS} topics, {RUNS} runs, {len(MEASURES)} measures: a "
        "whole `confint interval`, of each collection and of their mean",
        ours, "a loop with scipy.stats, with start-up and reading", scipy, "twice as fast",
    )  # fmt: skip


def _of_groups() -> Row:
    random = np.random.default_rng(0)
    sizes = random.poisson(TURNS - 1, CONVERSATIONS) + 1
    topics = [f"c{own}_{turn}" for own, size in enumerate(sizes, start=1) for turn in range(size)]
    hard = np.repeat(random.normal(0, 0.8, CONVERSATIONS), sizes)
    lines = ["run,topic,measure,score"]
    for run in range(RUNS):
        values = 1 / (1 + np.exp(1 - hard - random.normal(0, 0.3) - random.normal(0, 1, len(hard))))
        named = zip(topics, values, strict=True)
        lines += [f"sys{run},{topic},m,{value:.4f}" for topic, value in named]
    path = _written("conversations.csv", lines)
    call = confint("interval", "--groups", "{group}_{}", "--method", "t", path)
    return _beside(
        "statsmodels OLS with cov_type cluster, run by run, without start-up and reading",
        _CLUSTERED, path, call,
        f"{RUNS} runs on {len(topics):,} turns of {CONVERSATIONS} conversations: a whole `confint "
        "interval`",
    )  # fmt: skip


def _of_repeats() -> Row:
    random = np.random.default_rng(1)
    lines = ["run,repeat,topic,measure,score"]
    hard = random.normal(-1, 1, TOPICS)
    for run in range(RUNS):
        for seed in range(SEEDS):
            shift = random.normal(0, 0.15)
            values = 1 / (1 + np.exp(-hard - shift - random.normal(0, 0.5, TOPICS)))
            lines += [f"sys{run},{seed},{topic},m,{value:.4f}"
                      for topic, value in enumerate(values, start=1)]  # fmt: skip
    path = _written("seeds.csv", lines)
    call = confint("interval", "--method", "t", path)
    return _beside(
        "statsmodels MixedLM with topics and seeds crossed, scaled from 2 runs, without start-up "
        "and reading",
        _MIXED, path, call,
        f"{RUNS} runs of {SEEDS} seeds on {TOPICS} topics: a whole `confint interval`",
    )  # fmt: skip


def _beside(peer: str, code: str, path: Path, call: Sequence[str], workload: str) -> Row:
    """Time a call of ours and a peer, after both have given the same limits for the first run."""
    limits, _ = output_of(python(code, path)).splitlines()
    low, high = map(float, limits.split())
    own = _limits_in([*call, "--sort", "input"])
    check_limits(peer, {"t": own}, {"t": (low, high)}, error=(own[1] - own[0]) / 4)
    (ours,) = compete(lambda: measure([call]))
    (theirs,) = compete(lambda: self_timed(f"{_last(code)}", path), rounds=1)
    return Row(workload, ours, peer, theirs, "faster")


def _last(code: str) -> str:
    """Return code that prints the time only."""
    return code.replace("    print(*first)\n", "")


def _limits_in(call: Sequence[str], **wanted: str) -> tuple[float, float]:
    """Return the limits in the first row of a CSV that has some values."""
    text = output_of([*call, "-f", "csv", "--digits", "12"])
    for row in csv.DictReader(io.StringIO(text)):
        if wanted.items() <= row.items():
            return float(row["low"]), float(row["high"])
    raise LookupError(f"{' '.join(call)} has no row with {wanted}")


def _written(name: str, lines: Sequence[str]) -> Path:
    path = scratch() / name
    path.write_text("\n".join([*lines, ""]), encoding="ascii")
    return path
