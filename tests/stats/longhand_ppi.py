"""Prediction-powered means in the few lines that anybody would write, from their definition.

What is left out, or drawn again, is so literally: rows are taken away or repeated, and everything
is computed anew.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from confint_cli.scores.design import PLAIN, Design, Groups
from confint_cli.scores.scores import Matrix
from confint_cli.scores.two_judges import Rows, TwoJudges
from tests.stats.longhand_collections import weights as weights_of_collections

KINDS = ("labelled", "other", "lone")


@dataclass(frozen=True)
class Part:
    """The topics of one collection, [topic, run], and to which group each topic belongs."""

    h: np.ndarray  # by people, on topics with both
    f: np.ndarray  # by the judge, on the same
    u: np.ndarray  # by the judge, on others
    alone: np.ndarray  # by people, on topics that the judge lacks
    labelled: tuple[int, ...]  # groups of h and f; without groups, each topic is one
    other: tuple[int, ...]
    lone: tuple[int, ...]

    @property
    def runs(self) -> int:
        return self.h.shape[1]

    def columns(self, places: Sequence[int]) -> "Part":
        own = (array[:, places] for array in (self.h, self.f, self.u, self.alone))
        return Part(*own, self.labelled, self.other, self.lone)

    def difference(self, run: int, baseline: int) -> "Part":
        own = (array[:, [run]] - array[:, [baseline]] for array in (self.h, self.f, self.u,
                                                                    self.alone))  # fmt: skip
        return Part(*own, self.labelled, self.other, self.lone)

    def without(self, group: int) -> "Part":
        """The part without a group of topics that both have judged."""
        kept = [own != group for own in self.labelled]
        left = tuple(own for own in self.labelled if own != group)
        return replace(self, h=self.h[kept], f=self.f[kept], labelled=left)

    def drawn(self, counts: Sequence[Sequence[int]]) -> "Part":
        """The part with groups of each kind as often as they are counted, each copy a group."""
        places, labels = [], []
        for own, times in zip((self.labelled, self.other, self.lone), counts, strict=True):
            rows, copies = [], []
            for group, number in zip(distinct(own), times, strict=True):
                for _ in range(int(number)):
                    members = [row for row, name in enumerate(own) if name == group]
                    copies += [max(copies, default=-1) + 1] * len(members)
                    rows += members
            places.append(rows)
            labels.append(tuple(copies))
        h, f = self.h[places[0]], self.f[places[0]]
        return Part(h, f, self.u[places[1]], self.alone[places[2]], *labels)


def part_of(
    h: np.ndarray,
    f: np.ndarray,
    u: np.ndarray,
    alone: np.ndarray | None = None,
    sizes: Sequence[Sequence[int]] = (),
) -> Part:
    """Of [topic, run] or [topic]; `sizes` of groups, whose topics follow one another."""
    arrays = [array[:, None] if array.ndim == 1 else array for array in (h, f, u)]
    own_alone = arrays[0][:0] if alone is None else alone.reshape(-1, arrays[0].shape[1])
    numbers = (len(arrays[0]), len(arrays[2]), len(own_alone))
    groups = [
        tuple(np.repeat(np.arange(len(own)), own).tolist()) if len(own) else tuple(range(number))
        for own, number in zip([*sizes, (), (), ()], numbers, strict=False)
    ]
    return Part(*arrays, own_alone, *groups)


def distinct(groups: Sequence[int]) -> list[int]:
    return list(dict.fromkeys(groups))


def two_of(parts: Sequence[Part], *, grouped: bool = False) -> TwoJudges:
    """What the program makes of these collections."""
    labelled, other, lone = (
        _codes([getattr(part, kind) for part in parts]) if grouped else None for kind in KINDS
    )

    def rows(name: str, groups: np.ndarray | None) -> Rows:
        arrays = [getattr(part, name) for part in parts]
        return Rows(np.concatenate(arrays), tuple(map(len, arrays)), groups)

    runs = tuple(f"r{run}" for run in range(parts[0].runs))
    everything = [np.concatenate([part.h, part.alone]) for part in parts]
    sizes = tuple(map(len, everything))
    values = np.concatenate(everything)
    if len(parts) > 1:
        values = values * weights_of_collections(sizes)[:, None]
    matrix = Matrix("map", tuple(map(str, range(len(values)))), runs, values,
                    np.zeros(values.shape, dtype=bool),
                    design=Design(sizes) if len(parts) > 1 else PLAIN)  # fmt: skip
    if grouped:
        joined = [(*part.labelled, *(1000 + own for own in part.lone)) for part in parts]
        codes = _codes(joined)
        names = tuple(f"g{place}" for place in range(codes.max() + 1))
        matrix = matrix.in_groups(Groups(names, codes))
    return TwoJudges("map", runs, rows("h", labelled), rows("f", labelled), rows("u", other),
                     rows("alone", lone), matrix, np.zeros((2, len(runs))))  # fmt: skip


def _codes(by_part: Sequence[Sequence[int]]) -> np.ndarray:
    codes: list[int] = []
    for groups in by_part:
        start = max(codes, default=-1) + 1
        place_of = {group: start + place for place, group in enumerate(distinct(groups))}
        codes += [place_of[group] for group in groups]
    return np.array(codes, dtype=np.intp)


# One run, one collection, every topic by itself: b, HC3, t with n-2


def one_run(h: Sequence[float], f: Sequence[float], u: Sequence[float]) -> tuple[float, ...]:
    """Return θ, se, df and the first term of se²."""
    n, number = len(h), len(u)
    h_mean, f_mean = sum(h) / n, sum(f) / n
    everything = [*f, *u]
    mean = sum(everything) / (n + number)
    s_hf = sum((y - h_mean) * (x - f_mean) for y, x in zip(h, f, strict=True))
    s_ff = sum((x - f_mean) ** 2 for x in f)
    b = s_hf / s_ff
    theta = h_mean + b * (mean - f_mean)
    first = 0.0
    for y, x in zip(h, f, strict=True):
        e = y - h_mean - b * (x - f_mean)
        leverage = 1 / n + (x - f_mean) ** 2 / s_ff
        weight = 1 / n + (mean - f_mean) * (x - f_mean) / s_ff
        first += (weight * e / (1 - leverage)) ** 2
    s2 = sum((x - mean) ** 2 for x in everything) / (n + number - 1)
    return theta, math.sqrt(first + b**2 * s2 / (n + number)), n - 2.0, first


# Slopes and estimates


def slope(parts: Sequence[Part], *, of_differences: bool) -> float:
    """S_hf/S_ff within collections, of all runs; of differences, centred by topic and by run.

    Without any variance of the judge, it is 0.
    """
    cross = squares = 0.0
    for part in parts:
        h, f = part.h, part.f
        if of_differences:
            h, f = h - h.mean(axis=1, keepdims=True), f - f.mean(axis=1, keepdims=True)
        h, f = h - h.mean(axis=0), f - f.mean(axis=0)
        cross += float((h * f).sum())
        squares += float((f * f).sum())
    largest = max(float(np.abs(part.f).max()) for part in parts)
    return cross / squares if squares > 1e-20 * largest**2 else 0.0


def estimate(parts: Sequence[Part], b: float, w: Sequence[float]) -> np.ndarray:
    """The mean over collections of w·(h̄ + b(F - f̄)) + (1-w)·h̄₀, of each run."""
    total = np.zeros(parts[0].runs)
    for part, own in zip(parts, w, strict=True):
        together = np.concatenate([part.f, part.u]).mean(axis=0)
        both = part.h.mean(axis=0) + b * (together - part.f.mean(axis=0))
        total += own * both
        if len(part.alone):
            total += (1 - own) * part.alone.mean(axis=0)
    return total / len(parts)


def variance_of_mean(values: np.ndarray, groups: Sequence[int]) -> np.ndarray:
    """G/(G-1)·Σ(sum of a group's deviations)²/n², of each run."""
    off = values - values.mean(axis=0)
    number = len(distinct(groups))
    sums = np.zeros(values.shape[1])
    for group in distinct(groups):
        sums += off[[own == group for own in groups]].sum(axis=0) ** 2
    return number / (number - 1) * sums / len(values) ** 2


def of_judge(part: Part) -> np.ndarray:
    """The variance of the mean of all the judge's scores."""
    behind = max(part.labelled) + 1
    groups = (*part.labelled, *(behind + own for own in part.other))
    return variance_of_mean(np.concatenate([part.f, part.u]), groups)


def of_alone(part: Part) -> tuple[np.ndarray, float]:
    """The variance of h̄₀ by that of all topics of people, and its degrees of freedom."""
    if not len(part.alone):
        return np.zeros(part.runs), 1.0
    behind = max(part.labelled) + 1
    groups = (*part.labelled, *(behind + own for own in part.lone))
    values = np.concatenate([part.h, part.alone])
    variance = variance_of_mean(values, groups) * len(values) / len(part.alone)
    return variance, len(distinct(groups)) - 1.0


def jackknife(
    parts: Sequence[Part], columns: Sequence[Part], w: Sequence[float], *, of_differences: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return estimates, se and df of `columns`, with the slope that `parts` have.

    Groups are left out one at a time, and b and all estimates are computed without them; of each
    collection it is (G-1)/G·Σ(θ₋ - θ̄₋)². λ²·var(ū), with the variance of all the judge's scores,
    is what others add: λ = bN/(n+N). Parts of the variance have G-1 degrees of freedom.
    """
    b = slope(parts, of_differences=of_differences)
    k, own_parts, free = len(parts), [], []
    for place, (part, column) in enumerate(zip(parts, columns, strict=True)):
        left = []
        for group in distinct(part.labelled):
            less = [*parts[:place], part.without(group), *parts[place + 1 :]]
            column_less = [*columns[:place], column.without(group), *columns[place + 1 :]]
            left.append(estimate(column_less, slope(less, of_differences=of_differences), w))
        number = len(left)
        variance = (number - 1) / number * ((left - np.mean(left, axis=0)) ** 2).sum(axis=0)
        n, others = len(part.h), len(part.u)
        if others:
            lam = b * others / (n + others)
            variance = variance + (w[place] / k) ** 2 * lam**2 * of_judge(column) * (
                (n + others) / others
            )
        own_parts.append(variance)
        free.append(number - 1.0)
    for place, column in enumerate(columns):
        variance, df = of_alone(column)
        own_parts.append((1 - w[place]) ** 2 * variance / k**2)
        free.append(df)
    return estimate(columns, b, w), *_se_and_df(own_parts, free)


def _se_and_df(
    own_parts: Sequence[np.ndarray], free: Sequence[float]
) -> tuple[np.ndarray, np.ndarray]:
    total = np.sum(own_parts, axis=0)
    with np.errstate(invalid="ignore"):
        below = np.sum([own**2 / df for own, df in zip(own_parts, free, strict=True)], axis=0)
        return np.sqrt(total), total**2 / below


def at_fixed_mean(part: Part, w: float = 1.0) -> tuple[float, float, float]:
    """Return estimate, se and df of one run in one collection, whole groups left out, F known.

    It is CR3: Σ(θ₋ - θ)² with b and means anew but F as it is, with G-2 degrees of freedom; of
    topics one by one, HC3. The judge's mean adds b²·var(F).
    """
    b = slope([part], of_differences=False)
    mean = np.concatenate([part.f, part.u]).mean()
    theta = part.h.mean() + b * (mean - part.f.mean())
    first = 0.0
    for group in distinct(part.labelled):
        less = part.without(group)
        own = slope([less], of_differences=False)
        first += (less.h.mean() + own * (mean - less.f.mean()) - theta) ** 2
    both = w**2 * (first + b**2 * of_judge(part)[0])
    lone, lone_df = of_alone(part)
    parts = [np.array([both]), (1 - w) ** 2 * lone]
    se, df = _se_and_df(parts, [len(distinct(part.labelled)) - 2.0, lone_df])
    total = w * theta + ((1 - w) * part.alone.mean() if len(part.alone) else 0.0)
    return float(total), float(se[0]), float(df[0])


def weights(parts: Sequence[Part], *, of_differences: bool) -> list[float]:
    """w = n_eff/(n_eff + n₀), n_eff = n times the variance of people's means over that of both's.

    The ratio is one for all collections and, of differences, for all runs; it is 1 at the least.
    """
    bare = [replace(part, alone=part.alone[:0], lone=()) for part in parts]
    if of_differences:
        bare = [replace(part, **{name: values - values.mean(axis=1, keepdims=True)
                                 for name in ("h", "f", "u") for values in [getattr(part, name)]})
                for part in bare]  # fmt: skip
    of_people = np.sum([variance_of_mean(part.h, part.labelled) for part in bare], axis=0)
    by_people = float(of_people.sum()) / len(parts) ** 2
    if len(parts) == 1 and not of_differences:
        se = np.array([at_fixed_mean(bare[0])[1]])
    else:
        ones = [1.0] * len(parts)
        _, se, _ = jackknife(bare, bare, ones, of_differences=of_differences)
    gain = max(by_people / float((se**2).sum()), 1.0)
    return [len(part.h) * gain / (len(part.h) * gain + len(part.alone)) for part in parts]


# What is asked


def mean_of_run(parts: Sequence[Part], run: int) -> tuple[float, float, float]:
    own = [part.columns([run]) for part in parts]
    w = weights(own, of_differences=False)
    if len(own) == 1:
        return at_fixed_mean(own[0], w[0])
    found = jackknife(own, own, w, of_differences=False)
    return tuple(float(one[0]) for one in found)


def difference_of_runs(
    parts: Sequence[Part], run: int, baseline: int
) -> tuple[float, float, float]:
    columns = [part.difference(run, baseline) for part in parts]
    found = jackknife(parts, columns, weights(parts, of_differences=True), of_differences=True)
    return tuple(float(one[0]) for one in found)


# Made-up scores


def some_parts(
    seed: int,
    topics: Sequence[tuple[int, int, int]],
    runs: int = 3,
    *,
    noise: float = 0.15,
    groups: int = 0,
    digits: int | None = None,
) -> list[Part]:
    """Skewed scores by people, and by a judge who is too kind and inexact, of each collection.

    `topics` are those with both judges, others, and those of people alone. With `groups`, these
    many topics are in a group on average, and alike.
    """
    random, parts = np.random.default_rng(seed), []
    for numbers in topics:
        arrays, sizes = [], []
        level = random.uniform(0, 0.3)
        for number in numbers:
            own = _sizes(random, number, groups) if groups else [1] * number
            common = np.repeat(random.beta(1, 2, (len(own), 1)), own, axis=0)
            human = level + 0.5 * common + 0.4 * random.beta(0.5, 1, (number, runs))
            human += np.linspace(0, 0.15, runs)
            judge = 0.2 + 0.8 * human + noise * random.standard_normal((number, runs))
            both = (human, judge) if digits is None else np.round((human, judge), digits)
            arrays.append(both)
            sizes.append(own)
        (h, f), (_, u), (alone, _) = arrays
        parts.append(part_of(h, f, u, alone, sizes if groups else ()))
    return parts


def _sizes(random: np.random.Generator, topics: int, mean: int) -> list[int]:
    sizes: list[int] = []
    while (left := topics - sum(sizes)) > 0:
        sizes.append(min(left, int(random.integers(1, 2 * mean))))
    return sizes
