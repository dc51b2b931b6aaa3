"""How the cost of the main commands grows: three sizes each, and the exponent that fits them."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks import made
from benchmarks.data import scratch
from benchmarks.harness import Remark, Timing, compete, confint, measure, say
from benchmarks.task import collect

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
        """The power of the size with which the time grows, once the program has started.

        NaN if a time is not above that of starting, which says that the machine was disturbed.
        """
        spent = [timing.seconds - self.start for timing in self.timings]
        return exponent(self.sizes, spent) if min(spent) > 0 else math.nan

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
    """A command whose work has three dimensions; each grows while the others keep their middle."""

    said: str
    sizes: Mapping[str, Sequence[int]]
    expected: Sequence[str]  # exponents, in the order of the dimensions
    smallest: Sequence[int]  # no work to speak of: the time is that of starting
    call: Callable[..., list[str]]  # of a size in each dimension

    def grown(self) -> Iterator[Growth]:
        """Measure how the time grows with each dimension."""
        middle = {dimension: sizes[1] for dimension, sizes in self.sizes.items()}
        smallest = self.call(*self.smallest)
        for (dimension, sizes), expected in zip(self.sizes.items(), self.expected, strict=True):
            say(f"{self.said} by {dimension}")
            calls = [self.call(*{**middle, dimension: size}.values()) for size in sizes]
            start, *timings = compete(*map(_measuring, (smallest, *calls)), rounds=_ROUNDS)
            others = ", ".join(
                f"{middle[other]:,} {other}" for other in middle if other != dimension
            )
            job = f"{self.said}; {others}"
            yield Growth(job, dimension, sizes, timings, start.seconds, expected)


def _measuring(call: Sequence[str]) -> Callable[[], Timing]:
    return lambda: measure([call])


def _on_a_table(*words: str, draws: str = "--resamples") -> Callable[[int, int, int], list[str]]:
    """Return what makes the call of a command on a table of scores."""

    def call(topics: int, runs: int, number: int) -> list[str]:
        path = scratch() / f"{topics}x{runs}.csv"
        if not path.exists():
            made.write_matrix(path, topics, runs)
        return confint(*words, draws, number, "--format", "tsv", path)

    return call


def _ideal(*words: str) -> Callable[[int, int, int], list[str]]:
    """Return what makes the call of a command at several levels on a table of scores."""

    def call(topics: int, runs: int, levels: int) -> list[str]:
        path = scratch() / f"{topics}x{runs}.csv"
        if not path.exists():
            made.write_matrix(path, topics, runs)
        asked = ",".join(f"{0.99 - place / 100:.2f}" for place in range(levels))
        return confint(*words, "--level", asked, "--format", "tsv", path)

    return call


def _score(topics: int, runs: int, documents: int) -> list[str]:
    folder = scratch() / f"task-{topics}x{documents}"
    folder.mkdir(exist_ok=True)
    return collect(folder, made.Task(topics, documents), runs).call(
        "score", "-m", "AP,nDCG@10,P@10,RR"
    )


def _collections(topics: int, runs: int, collections: int) -> list[str]:
    folder = scratch() / f"{collections}x{topics}x{runs}"
    folder.mkdir(exist_ok=True)
    for place in range(collections):
        path = folder / f"collection{place}.csv"
        if not path.exists():
            made.write_matrix(path, topics, runs, seed=place)
    return confint("rank", "--labels", "{collection}.csv", "--format", "tsv", folder)


def _judged(topics: int, runs: int, further: int) -> list[str]:
    """Return the call with a judge that has nothing to do with people: that costs the same."""
    paths = [scratch() / f"{number}x{runs}.csv" for number in (topics, topics + further)]
    for path, number in zip(paths, (topics, topics + further), strict=True):
        if not path.exists():
            made.write_matrix(path, number, runs)
    return confint("rank", "--format", "tsv", "--judge-scores", *reversed(paths))


_LINEAR, _PAIRS, _NONE = "1 at most", "2 at most: pairs", "0"

JOBS = (
    Job(
        "`interval` with the ideal bootstrap, four methods",
        {"topics": (1000, 4000, 16000), "runs": (25, 100, 400), "levels": (1, 3, 9)},
        (_LINEAR, _LINEAR, _LINEAR), (5, 2, 1),
        _ideal("interval", "--method", "percentile,basic,bca,bootstrap-t"),
    ),
    Job(
        "`coverage` with the ideal bootstrap, four methods, 200 samples",
        {"topics": (50, 200, 800), "runs": (10, 40, 160), "levels": (1, 3, 9)},
        (_LINEAR, _LINEAR, _LINEAR), (5, 2, 1),
        _ideal("coverage", "--method", "percentile,basic,bca,bootstrap-t", "--replicates", "200"),
    ),
    Job(
        "`coverage` with the ideal bootstrap, four methods",
        {"topics": (50, 100, 200), "runs": (10, 20, 40), "samples": (250, 1000, 4000)},
        (_LINEAR, _LINEAR, _LINEAR), (5, 2, 10),
        _on_a_table("coverage", "--method", "percentile,basic,bca,bootstrap-t",
                    draws="--replicates"),
    ),
    Job(
        "`interval`, percentile and BCa",
        {"topics": (1000, 4000, 16000), "runs": (25, 100, 400), "resamples": (2500, 10000, 40000)},
        (_LINEAR, _LINEAR, _LINEAR), (5, 2, 1000),
        _on_a_table("interval", "--method", "percentile,bca"),
    ),
    Job(
        "`compare --all-pairs`, t and randomisation test",
        {"topics": (100, 400, 1600), "runs": (75, 150, 300), "resamples": (5000, 20000, 80000)},
        (_LINEAR, _PAIRS, _LINEAR), (5, 2, 1000),
        _on_a_table("compare", "--all-pairs", "--test", "t,randomization"),
    ),
    Job(
        "`rank`",
        {"topics": (100, 400, 1600), "runs": (25, 50, 100), "resamples": (2500, 10000, 40000)},
        (_LINEAR, _PAIRS, _LINEAR), (5, 2, 1000),
        _on_a_table("rank"),
    ),
    Job(
        "`rank` of several collections",
        {"topics": (25, 100, 400), "runs": (25, 50, 100), "collections": (4, 8, 16)},
        (_LINEAR, _PAIRS, _LINEAR), (5, 2, 2),
        _collections,
    ),
    Job(
        "`rank` with a cheaper judge",
        {"topics": (25, 100, 400), "runs": (20, 40, 80), "the judge's topics": (250, 1000, 4000)},
        (_LINEAR, _PAIRS, _LINEAR), (5, 2, 5),
        _judged,
    ),
    Job(
        "`bayes --all-pairs`",
        {"topics": (50, 500, 5000), "runs": (12, 24, 48), "draws": (25000, 100000, 400000)},
        (_NONE, _PAIRS, _LINEAR), (5, 2, 1000),
        _on_a_table("bayes", "--all-pairs", draws="--draws"),
    ),
    Job(
        "`coverage`, percentile and BCa, 200 samples",
        {"topics": (50, 200, 800), "runs": (10, 40, 160), "resamples": (1000, 4000, 16000)},
        (_LINEAR, _LINEAR, _LINEAR), (5, 2, 1000),
        _on_a_table("coverage", "--method", "percentile,bca", "--replicates", "200"),
    ),
    Job(
        "`score --qrels`, four measures",
        {"topics": (50, 100, 200), "runs": (16, 32, 64), "documents per topic": (500, 1000, 2000)},
        (_LINEAR, _LINEAR, _LINEAR), (2, 2, 5),
        _score,
    ),
)  # fmt: skip


_LEGEND = """\
Sizes, times and memory are in the same order. With an exponent of 1, twice the size takes twice as
long; it is less than 1 where much of the work is done only once. The exponent is fitted by least
squares of the logarithms. The time of starting the program, which is that of the smallest job of
its kind, is subtracted before."""


def rows() -> list[Growth | Remark]:
    """Return how each job grows in each dimension."""
    return [*(growth for job in JOBS for growth in job.grown()), _LEGEND]
