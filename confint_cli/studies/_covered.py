"""How often intervals covered: by one measure, with samples of one size, at one level."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from confint_cli.arrays import BoolArray, FloatArray, TextArray
from confint_cli.methods import method_named, wilson
from confint_cli.studies._words import percent, together
from confint_cli.table import Cell, Column, Interval, Marked, Table
from confint_cli.text import count, listed

_OWN_LEVEL = 0.95  # of the interval of a coverage
_CHANCE = 2  # a difference of so many standard errors is more than chance
_LISTED = 5  # names of runs in a sentence
_LESS, _MORE = "<", ">"  # marks of a coverage whose own interval lies below or above the level


@dataclass(frozen=True)
class Covered:
    """Shares of the replicates are [run, method]."""

    measure: str
    size: int
    level: float
    replicates: int
    runs: tuple[str, ...]
    methods: tuple[str, ...]
    both: FloatArray  # [run, method, method]: that two methods' intervals cover
    miss_low: FloatArray  # where the truth lies below the interval
    miss_high: FloatArray
    width: FloatArray  # the mean of all intervals
    varies: BoolArray  # [run]: not all scores are equal
    zeros: BoolArray  # [run]: mostly zeros
    notes: Sequence[Sequence[str]]  # [run][method]

    @property
    def coverage(self) -> FloatArray:
        """The share of intervals that cover the true mean."""
        coverage: FloatArray = np.einsum("rmm->rm", self.both)
        return coverage

    @property
    def own_interval(self) -> tuple[FloatArray, FloatArray]:
        """Wilson's interval of the coverage itself."""
        return wilson.of_proportion(self.coverage, self.replicates, np.array(_OWN_LEVEL))

    @property
    def error(self) -> FloatArray:
        """The Monte Carlo standard error of the coverage; not 0 even where all or none cover."""
        low, high = self.own_interval
        error: FloatArray = (high - low) / (2 * ndtri((1 + _OWN_LEVEL) / 2))
        return error


def view(found: Covered, methods: Sequence[str], *, with_notes: bool) -> Table:
    """Return a row for each run, with the methods beside one another; of one run, one for each.

    `methods` are those of all tables that stand together.
    """
    samples = f"{count(found.replicates, 'sample')} of {count(found.size, 'topic')}"
    title = f"{found.measure}, {percent(found.level)}, {samples}"
    if len(found.runs) == 1:
        legend = "below, above: the truth lies there, outside the interval."
        columns = _of_one_run(found)
        return Table(f"{found.runs[0]}, {title}", columns, legend=legend, sentence=verdict(found))
    low, high = found.own_interval
    low, high = (np.where(found.varies[:, None], end, found.level) for end in (low, high))
    marks = np.full(low.shape, "", dtype=object)
    marks[high < found.level], marks[low > found.level] = _LESS, _MORE
    columns = [Column("run", list(found.runs))]
    for method in methods:
        shown: list[Cell] = [None] * len(found.runs)
        if method in found.methods:
            place = found.methods.index(method)
            cells = zip(found.coverage[:, place].tolist(), marks[:, place].tolist(), strict=True)
            shown = [Marked(coverage, mark) for coverage, mark in cells]
        columns.append(Column(method, shown))
    if with_notes:
        notes = [list(zip(found.methods, own, strict=True)) for own in found.notes]
        columns.append(Column("note", list(map(together, notes))))
    return Table(title, columns, legend=_legend(marks, found.level), sentence=verdict(found))


def _of_one_run(found: Covered) -> list[Column]:
    low, high = found.own_interval
    return [
        Column("method", list(found.methods)),
        Column("coverage", found.coverage[0].tolist()),
        Column(
            f"its {percent(_OWN_LEVEL)} interval",
            [Interval(*ends) for ends in zip(low[0], high[0], strict=True)],
        ),
        Column("below", found.miss_low[0].tolist()),
        Column("above", found.miss_high[0].tolist()),
        Column("width", found.width[0].tolist()),
        Column("note", list(found.notes[0])),
    ]


def _legend(marks: TextArray, level: float) -> str:
    """Explain the marks that there are."""
    words = {_LESS: "less", _MORE: "more"}
    told = [f"{mark} covers {word}" for mark, word in words.items() if (marks == mark).any()]
    if not told:
        return ""
    return f"{', '.join(told)} than {percent(level)}, by its own {percent(_OWN_LEVEL)} interval."


def verdict(found: Covered) -> list[Cell]:
    """Say which method came closest, whether that is more than chance, and where none works."""
    if not found.varies.any():
        return ["All scores are equal, so there is nothing to be unsure of."]
    return [*_closest(found), *_hopeless(found)]


def closest_method(found: Covered) -> str | None:
    """Return the method that came closest to the level; None where there is no choice."""
    if not found.varies.any():
        return None
    candidates = _by_distance(found)
    return found.methods[candidates[0]] if len(candidates) > 1 else None


def _by_distance(found: Covered) -> list[int]:
    """Return the methods, closest first; one that nobody can use is there only if all are such."""
    usable = [
        place for place, name in enumerate(found.methods) if not method_named(name).population
    ]
    distance = np.abs(_mean(found) - found.level)
    return sorted(usable or range(len(found.methods)), key=lambda place: float(distance[place]))


def _mean(found: Covered) -> FloatArray:
    """Return the mean coverage of each method over the runs whose scores vary."""
    mean: FloatArray = found.coverage[found.varies].mean(axis=0)
    return mean


def _closest(found: Covered) -> list[Cell]:
    mean, candidates = _mean(found), _by_distance(found)
    on_average = " on average" if found.varies.sum() > 1 else ""
    first, nominal = candidates[0], percent(found.level)
    name, coverage = found.methods[first], float(mean[first])
    off = abs(coverage - found.level) > _CHANCE * _own_error(found)
    how_off = "too seldom" if coverage < found.level else "too often"
    if len(candidates) == 1:
        judged = f"{how_off}, by more than chance" if off else "no farther off than chance allows"
        return [f"{name} covers ", coverage, f"{on_average} where it should {nominal}: {judged}."]
    second = candidates[1]
    gap = abs(mean[second] - found.level) - abs(coverage - found.level)
    if gap == 0:
        compared = "), is as close."
    elif gap > _CHANCE * _gap_error(found, first, second):
        compared = "), is farther off by more than chance."
    else:
        compared = "), is no farther off than chance allows: more --replicates may tell them apart."
    return [
        f"Closest to {nominal} is {name}, which covers ", coverage, on_average,
        f", {how_off} by more than chance" if off else "",
        f"; the next, {found.methods[second]} (", float(mean[second]), compared,
        *_without_limits(found, first),
    ]  # fmt: skip


def _own_error(found: Covered) -> float:
    """Return the standard error that the mean coverage would have at the level itself."""
    samples = found.replicates * int(found.varies.sum())
    return math.sqrt(found.level * (1 - found.level) / samples)


def _gap_error(found: Covered, one: int, other: int) -> float:
    """Return the standard error of how much farther off one method is than another.

    Both saw the same samples, so what counts is where only one of them covers.
    """
    both, coverage = found.both[found.varies], found.coverage[found.varies]
    covariance = both[:, one, other] - coverage[:, one] * coverage[:, other]
    above = _mean(found)[[one, other]] > found.level
    sign = -1 if above[0] == above[1] else 1
    variance = (coverage * (1 - coverage))[:, [one, other]].sum(axis=1) + 2 * sign * covariance
    # As if they had differed in one more sample: that they never did may be chance.
    total = max(float(variance.sum()), 0.0) + 1 / found.replicates
    return math.sqrt(total / found.replicates) / len(coverage)


def _without_limits(found: Covered, method: int) -> list[Cell]:
    """Say where the method that covers best does so with intervals that say nothing."""
    unbounded = np.isinf(found.width[:, method])
    if not unbounded.any():
        return []
    name = found.methods[method]
    if len(found.runs) == 1:
        return [f" But some of its {name} intervals have no limit."]
    return [f" But some {name} intervals of {count(int(unbounded.sum()), 'run')} have no limit."]


def _hopeless(found: Covered) -> list[Cell]:
    """Name the runs whose scores are mostly zeros, where all methods covered too seldom."""
    _, high = found.own_interval
    fails = found.zeros & (high[:, _by_distance(found)] < found.level).all(axis=1)
    poor = [run for run, here in zip(found.runs, fails, strict=True) if here]
    if not poor:
        return []
    if len(found.runs) == 1:
        return [" So many of its scores are zero that no method works."]
    verb = "is" if len(poor) == 1 else "are"
    return [
        f" No method works for {count(len(poor), 'run')} that {verb} zero on so many topics: "
        f"{listed(poor, _LISTED)}."
    ]
