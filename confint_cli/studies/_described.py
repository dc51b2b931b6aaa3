"""What columns of numbers look like: the scores of runs, or the differences of pairs of runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from confint_cli.arrays import FloatArray, any_along
from confint_cli.methods._sample import Sample
from confint_cli.normality import shapiro_p, shapiro_wilk
from confint_cli.notes import SHAPE_TOPICS, Doubts, about_differences
from confint_cli.pairs import Paired, Pairs
from confint_cli.scores import Matrix
from confint_cli.studies._comparable import about_missing, about_runs, missing_of_pair
from confint_cli.studies._skewed import is_binary

SHARES = (0.0, 1.0)
BINS = 10
_TAIL = 0.02  # of any run's scores without bounds that are beyond a histogram, on either side


@dataclass(frozen=True)
class Description:
    """What is known of one run, or of its differences to a baseline, by one measure."""

    measure: str
    run: str
    baseline: str  # "": these are scores
    topics: int
    mean: float
    sd: float
    min: float
    q1: float
    median: float
    q3: float
    max: float
    zeros: float  # their share
    skew: float
    shapiro_w: float
    shapiro_p: float
    note: str
    kind: str  # what it is to intervals, or `fit`
    histogram: tuple[int, ...]
    ends: tuple[float, float]  # of the histogram
    values: FloatArray  # in order

    @property
    def name(self) -> str:
        """What a sentence calls it."""
        return f"{self.run} and {self.baseline}" if self.baseline else self.run


def of_runs(matrix: Matrix) -> Iterator[Description]:
    """Yield what the scores of each run look like."""
    sample = Sample(matrix.values)
    names = [(run, "") for run in matrix.runs]
    binary = is_binary(matrix.values) and bool(matrix.values.any())
    doubts = Doubts.about(sample)
    notes = doubts.notes().tolist()
    within = matrix.values.min() >= 0 and matrix.values.max() <= 1
    ends = SHARES if within else _ends(matrix.values)
    about = about_runs(matrix)
    yield from _described(matrix.measure, names, sample, doubts, notes, about, ends, binary=binary)


def of_differences(matrix: Matrix, baselines: Sequence[str]) -> Iterator[Description]:
    """Yield what the differences to each baseline look like; without any, of every two runs."""
    pairs = Pairs.among(matrix.runs, baselines)
    sample = Paired(matrix.values, pairs).sample
    names = [pairs.names(place, matrix.runs) for place in range(len(pairs))]
    doubts = Doubts.about(sample)
    alike = ~any_along(sample.scores != 0, 0)
    (said,) = about_differences(doubts.notes()[None], alike).tolist()
    missing = about_missing(matrix)
    about = [missing_of_pair(missing, *own) for own in names]
    ends = _ends(sample.scores)
    yield from _described(matrix.measure, names, sample, doubts, said, about, ends)


def _described(
    measure: str,
    names: Sequence[tuple[str, str]],
    sample: Sample,
    doubts: Doubts,
    notes: Sequence[str],
    about: Sequence[Sequence[str]],
    ends: tuple[float, float],
    *,
    binary: bool = False,
) -> Iterator[Description]:
    """Yield a description of each column; `about` is what else there is to note on it."""
    quartiles = np.quantile(sample.scores, [0, 0.25, 0.5, 0.75, 1], axis=0)
    w = np.where(sample.constant, np.nan, shapiro_wilk(sample.scores))
    p = shapiro_p(w, sample.topics)
    in_order = np.sort(sample.scores, axis=0).T
    for place, (run, baseline) in enumerate(names):
        lowest, q1, median, q3, highest = quartiles[:, place].tolist()
        yield Description(
            measure=measure,
            run=run,
            baseline=baseline,
            topics=sample.topics,
            mean=float(sample.mean[place]),
            sd=float(sample.sd[place]),
            min=lowest,
            q1=q1,
            median=median,
            q3=q3,
            max=highest,
            zeros=float((sample.scores[:, place] == 0).mean()),
            skew=float(sample.skewness[place]),
            shapiro_w=float(w[place]),
            shapiro_p=float(p[place]),
            note=", ".join(filter(None, [notes[place], *about[place]])),
            kind=_kind(doubts, place, shares=not baseline and ends == SHARES, binary=binary),
            histogram=_histogram(in_order[place], ends),
            ends=ends,
            values=in_order[place],
        )


def _ends(values: FloatArray) -> tuple[float, float]:
    """Return the ends of histograms: where nearly all values are."""
    low, high = np.quantile(values, [_TAIL, 1 - _TAIL], axis=0)
    return float(low.min()), float(high.max())


def _histogram(values: FloatArray, ends: tuple[float, float]) -> tuple[int, ...]:
    """Return how many values there are in each bin; one on an edge is in the bin above it."""
    low, high = ends
    if not high > low:
        return (len(values), *[0] * (BINS - 1))
    shares = (values.clip(low, high) - low) / (high - low)
    bins = (shares * BINS).astype(int)
    return tuple(np.bincount(bins.clip(0, BINS - 1), minlength=BINS).tolist())


def _kind(doubts: Doubts, place: int, *, shares: bool, binary: bool) -> str:
    """Return what a column is to intervals; `shares`: of scores from 0 to 1."""
    kinds = {
        "one": doubts.topics == 1,
        "binary": binary,
        "constant": not doubts.varies[place],
        "one value": doubts.zeros[place] or doubts.one_value[place],
        "few": doubts.topics < SHAPE_TOPICS and shares,
        "few beyond": doubts.topics < SHAPE_TOPICS,
        "skewed": doubts.skewed[place],
    }
    return next((kind for kind, is_so in kinds.items() if is_so), "fit")
