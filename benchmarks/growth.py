"""How the cost of the main commands grows: three sizes each, and the exponent that fits them."""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks import made
from benchmarks.data import scratch
from benchmarks.harness import Remark, Timing, compete, confint, measure

TITLE = "How the cost grows"
_ROUNDS = 2


@dataclass(frozen=True)
class Growth:
    """What a job takes at several sizes, and the exponent of size that is expected of its time."""

    job: str
    by: str
    sizes: Sequence[int]
    timings: Sequence[Timing]
    start: float  # seconds that the smallest job of the kind takes, no part of the growth
    expected: str

    @property
    def exponent(self) -> float:
        """The power of the size with which the time grows, once the program has started."""
        return exponent(self.sizes, [timing.seconds - self.start for timing in self.timings])

    @property
    def exponent_of_memory(self) -> float:
        """The same of memory, with all that the program needs to start."""
        return exponent(self.sizes, [timing.megabytes for timing in self.timings])


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return b of cost = a * size**b, by least squares of the logarithms."""
    x, y = ([math.log(value) for value in values] for values in (sizes, costs))
    x_mean, y_mean = sum(x) / len(x), sum(y) / len(y)
    products = sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True))
    return products / sum((a - x_mean) ** 2 for a in x)


@dataclass(frozen=True)
class Job:
    """A command on a table of scores, all sizes at their middle except the one that grows."""

    words: tuple[str, ...]
    said: str
    draws: str  # the option that sets their number
    sizes: dict[str, tuple[int, int, int]]  # of topics, runs and draws
    expected: dict[str, str]

    def call(self, topics: int, runs: int, draws: int) -> list[str]:
        path = scratch() / f"{topics}x{runs}.csv"
        if not path.exists():
            made.write_matrix(path, topics, runs)
        return confint(*self.words, self.draws, draws, "--format", "tsv", path)


LINEAR, QUADRATIC, NONE = "1", "2: pairs", "0"

JOBS = (
    Job(
        ("interval", "--method", "percentile,bca"), "`interval`, percentile and BCa", "--resamples",
        {"topics": (1000, 4000, 16000), "runs": (25, 100, 400), "resamples": (2500, 10000, 40000)},
        {"topics": LINEAR, "runs": LINEAR, "resamples": LINEAR},
    ),
    Job(
        ("compare", "--all-pairs", "--test", "t,randomization"),
        "`compare --all-pairs`, t and randomisation test", "--resamples",
        {"topics": (100, 400, 1600), "runs": (75, 150, 300), "resamples": (5000, 20000, 80000)},
        {"topics": LINEAR, "runs": QUADRATIC, "resamples": LINEAR},
    ),
    Job(
        ("rank",), "`rank`", "--resamples",
        {"topics": (200, 800, 3200), "runs": (50, 100, 200), "resamples": (5000, 20000, 80000)},
        {"topics": LINEAR, "runs": "1 to 2: pairs", "resamples": LINEAR},
    ),
    Job(
        ("bayes", "--all-pairs"), "`bayes --all-pairs`", "--draws",
        {"topics": (50, 500, 5000), "runs": (12, 24, 48), "resamples": (25000, 100000, 400000)},
        {"topics": NONE, "runs": QUADRATIC, "resamples": LINEAR},
    ),
    Job(
        ("coverage", "--method", "percentile,bca", "--replicates", "200"),
        "`coverage`, percentile and BCa, 200 samples", "--resamples",
        {"topics": (50, 200, 800), "runs": (10, 40, 160), "resamples": (1000, 4000, 16000)},
        {"topics": LINEAR, "runs": LINEAR, "resamples": LINEAR},
    ),
)  # fmt: skip


def rows() -> list[Growth | Remark]:
    """Return the growth of every job with topics, runs and draws; of scoring with documents."""
    found: list[Growth | Remark] = []
    for job in JOBS:
        middle = {dimension: sizes[1] for dimension, sizes in job.sizes.items()}
        smallest = job.call(5, 2, 1000)
        for dimension, sizes in job.sizes.items():
            _say(f"{job.words[0]} by {dimension}")
            calls = [job.call(*{**middle, dimension: size}.values()) for size in sizes]
            fixed = ", ".join(f"{middle[d]:,} {d}" for d in middle if d != dimension)
            found.append(
                grown(f"{job.said}; {fixed}", dimension, sizes, calls, smallest,
                      job.expected[dimension])
            )  # fmt: skip
    return [*found, *_scoring()]


def grown(
    job: str,
    by: str,
    sizes: Sequence[int],
    calls: Sequence[Sequence[str]],
    smallest: Sequence[str],
    expected: str,
) -> Growth:
    """Measure calls of growing size, and the smallest one to know what starting takes."""
    start, *timings = compete(*map(_measuring, (smallest, *calls)), rounds=_ROUNDS)
    return Growth(job, by, sizes, timings, start.seconds, expected)


def _measuring(call: Sequence[str]) -> Callable[[], Timing]:
    return lambda: measure([call])


def _scoring() -> list[Growth]:
    """Judge a task with all runs, topics and documents at their middle except what grows."""
    middle = {"topics": 100, "runs": 16, "documents": 1000}
    grow = {"topics": (50, 100, 200), "runs": (8, 16, 32), "documents": (500, 1000, 2000)}
    smallest = _score(topics=2, runs=2, documents=5)
    found = []
    for dimension, sizes in grow.items():
        _say(f"score by {dimension}")
        calls = [_score(**{**middle, dimension: size}) for size in sizes]
        fixed = ", ".join(f"{middle[d]:,} {d}" for d in middle if d != dimension)
        job = f"`score --qrels`; {fixed}".replace("documents", "documents a topic")
        by = dimension.replace("documents", "documents a topic")
        found.append(grown(job, by, sizes, calls, smallest, LINEAR))
    return found


def _score(*, topics: int, runs: int, documents: int) -> list[str]:
    folder = scratch() / f"runs-{topics}x{runs}x{documents}"
    task = made.Task(topics, documents)
    qrels, paths = folder / "qrels.txt", [folder / f"run{run:04}.txt" for run in range(runs)]
    if not folder.exists():
        folder.mkdir()
        task.write_judgements(qrels)
        for run, path in enumerate(paths):
            task.write_run(path, run)
    return confint("score", "--qrels", qrels, "-m", "AP,nDCG@10,P@10,RR", *paths)


def _say(what: str) -> None:
    print(f"  {what}", file=sys.stderr, flush=True)
