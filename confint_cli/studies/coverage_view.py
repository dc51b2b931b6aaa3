"""How often intervals covered, and how people read it: of each run, or in summary over the runs.

Each part is by one measure, with samples of one size, at one level; below it stands in words which
method came closest.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from scipy.special import erf, ndtri

from confint_cli.common.arrays import BoolArray, FloatArray, TextArray
from confint_cli.common.errors import Notice, note
from confint_cli.common.table import Cell, Column, Interval, Marked, Table
from confint_cli.common.text import count, listed, visible
from confint_cli.common.words import percent
from confint_cli.stats.flags import DoubtArray
from confint_cli.stats.methods import method_named, wilson
from confint_cli.studies.doubts import note_by_methods, notes_of

_OWN_LEVEL = 0.95  # of the interval of a coverage
_CHANCE = 2  # a difference of so many standard errors is more than chance
_TINY = 1e-18  # a variance that does no harm in a denominator
_LISTED = 5  # names of runs in a sentence
_LESS, _MORE = "<", ">"  # marks of a coverage whose own interval lies below or above the level
_SUMMARY = (
    "measure", "method", "level", "sample_size", "runs", "mean", "sd", "min", "q1", "median", "q3",
    "max", "error_mean", "error_sd", "error_max", "width", "distance", "miss_low", "miss_high",
)  # fmt: skip
_ABOUT_DISTANCE = "Distance: how far the coverage of a run is from the level, on average."


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
    one_value: BoolArray  # [run]: a sample may well have one value only
    doubts: DoubtArray  # [run, method]

    @property
    def coverage(self) -> FloatArray:
        """The share of intervals that cover the true mean."""
        coverage: FloatArray = np.einsum("rmm->rm", self.both)
        return coverage

    @property
    def distance(self) -> FloatArray:
        """How far each method's coverage of a run is from the level, on average over the runs.

        The average of the coverage itself hides errors that cancel.
        """
        off: FloatArray = np.abs(self.coverage[self.varies] - self.level).mean(axis=0)
        return off

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
        doubts = [list(zip(found.methods, own, strict=True)) for own in found.doubts.tolist()]
        columns.append(Column("note", list(map(note_by_methods, doubts))))
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
        Column("note", notes_of(found.doubts[0]).tolist()),
    ]


def _legend(marks: TextArray, level: float) -> str:
    """Explain the marks that there are."""
    words = {_LESS: "less", _MORE: "more"}
    told = [f"{mark} covers {word}" for mark, word in words.items() if (marks == mark).any()]
    if not told:
        return ""
    return f"{', '.join(told)} than {percent(level)}, by its own {percent(_OWN_LEVEL)} interval."


def in_summary(
    parts: Sequence[Covered], signature: Mapping[str, str]
) -> tuple[Table, list[Notice]]:
    """Return a row for each measure, method, size and level: how coverage spreads over runs.

    Runs without variance are left out: theirs is 1 whatever the method.
    """
    rows: list[tuple[Cell, ...]] = []
    views, notices, coverages = [], [], []
    for _, of_measure in groupby(parts, lambda part: part.measure):
        group = list(of_measure)
        first = group[0]
        constant = [run for run, here in zip(first.runs, first.varies, strict=True) if not here]
        if constant:
            notices.append(
                note(
                    f"{count(len(constant), 'run')} without variance by {visible(first.measure)}, "
                    f"left out of the summary: {listed(constant, 5)}"
                )
            )
        if len(constant) < len(first.runs):
            own = [
                _over_runs(part, method) for method in range(len(first.methods)) for part in group
            ]
            rows += own
            coverages += [
                part.coverage[part.varies, method].tolist()
                for method in range(len(first.methods))
                for part in group
            ]
            views.append(_summary_view(group, own))
    table = Table(
        title="",
        columns=columns_of_rows(_SUMMARY, rows),
        signature=signature,
        sentence=how_often_closest(parts),
        view=views or [_nothing_varies(parts)],
        for_figure={"coverages": coverages},
    )
    return table, notices


def _nothing_varies(parts: Sequence[Covered]) -> Table:
    """Return what there is to say if no run's scores vary, by any measure."""
    runs = {part.measure: len(part.runs) for part in parts}
    columns = [Column("measure", [*runs]), Column("runs", [*runs.values()])]
    return Table("no variance", columns, sentence=verdict(parts[0]))


def _over_runs(part: Covered, method: int) -> tuple[Cell, ...]:
    values = part.coverage[part.varies, method]
    sd = float(values.std(ddof=1)) if len(values) > 1 else math.nan
    spread = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    mean = float(values.mean())
    return (
        part.measure,
        part.methods[method],
        part.level,
        part.size,
        len(values),
        mean,
        sd,
        *spread,
        1 - mean,
        sd,
        1 - spread[0],
        float(part.width[part.varies, method].mean()),
        float(part.distance[method]),
        float(part.miss_low[part.varies, method].mean()),
        float(part.miss_high[part.varies, method].mean()),
    )


def _summary_view(parts: Sequence[Covered], rows: Sequence[tuple[Cell, ...]]) -> Table:
    """Return the summary by one measure; what is the same in all rows goes into the title."""
    first = parts[0]
    title = [first.measure, count(int(first.varies.sum()), "run")]
    left_out = {"measure", "runs", "error_mean", "error_sd", "error_max", "miss_low", "miss_high"}
    if len({part.level for part in parts}) == 1:
        title.append(percent(first.level))
        left_out.add("level")
    samples = count(first.replicates, "sample")
    if len({part.size for part in parts}) == 1:
        samples += f" of {count(first.size, 'topic')} each"
        left_out.add("sample_size")
    columns = [
        replace(
            column,
            name=column.name.removeprefix("sample_"),
            optional=column.name in ("sd", "q1", "q3"),
            legend=_ABOUT_DISTANCE if column.name == "distance" else "",
        )
        for column in columns_of_rows(_SUMMARY, rows)
        if column.name not in left_out
    ]
    sentence = verdict(first) if len(parts) == 1 else []
    return Table(", ".join([*title, samples]), columns, sentence=sentence)


def columns_of_rows(names: Sequence[str], rows: Sequence[tuple[Cell, ...]]) -> list[Column]:
    """Return rows as columns of these names."""
    return [
        Column(name, [row[place] for row in rows], exact=name == "level")
        for place, name in enumerate(names)
    ]


def verdict(found: Covered) -> list[Cell]:
    """Say which method came closest, whether that is more than chance, and where none works."""
    if not found.varies.any():
        return ["All scores are equal, so there is nothing to be unsure of."]
    return [*_closest(found), *_hopeless(found)]


def _closest(found: Covered) -> list[Cell]:
    candidates = _by_distance(found)
    first, nominal = candidates[0], percent(found.level)
    name = found.methods[first]
    if len(candidates) == 1:
        return [f"{name} ", *_covers(found, first), "."]
    second = candidates[1]
    distance = _distance(found)
    gap = distance[second] - distance[first]
    if gap == 0:
        compared = ", as close."
    elif gap > _CHANCE * _gap_error(found, first, second):
        compared = ", farther off by more than chance."
    else:
        compared = "; that it is farther off may be chance: more --replicates may tell."
    closest = f"Of these {len(candidates)}, {name} is closest to {nominal}"
    following = "The next"
    if len(candidates) == 2:
        closest, following = f"Of the two, {name} is closer to {nominal}", "The other"
    said: list[Cell] = [f"{closest}, and "]
    if found.varies.sum() > 1:
        said = [
            f"{closest}: a run's coverage is off by ", distance[first],
            " on average (by chance alone ", _by_chance(found), "). It ",
        ]  # fmt: skip
    return [
        *said, *_covers(found, first), f". {following} is {found.methods[second]} (off by ",
        distance[second], f"){compared}", *_without_limits(found, first),
    ]  # fmt: skip


def _covers(found: Covered, method: int) -> list[Cell]:
    """Say how often a method covers, whether that is more than chance, and where it misses."""
    coverage = float(_mean(found)[method])
    on_average = " on average" if found.varies.sum() > 1 else ""
    judged = "no farther off than chance allows"
    if abs(coverage - found.level) > _CHANCE * _own_error(found):
        judged = f"too {'seldom' if coverage < found.level else 'often'} by more than chance"
    above, below = (
        float(miss[found.varies, method].mean()) for miss in (found.miss_low, found.miss_high)
    )
    return [
        "covers ", coverage, f"{on_average}, {judged}; of its intervals, ", above,
        " lie above the truth and ", below, " below it",
    ]  # fmt: skip


def _by_chance(found: Covered) -> float:
    """Return how far the coverage of a run would be off on average if every method were right."""
    return math.sqrt(2 / math.pi * found.level * (1 - found.level) / found.replicates)


def _own_error(found: Covered) -> float:
    """Return the standard error that the mean coverage would have at the level itself."""
    samples = found.replicates * int(found.varies.sum())
    return math.sqrt(found.level * (1 - found.level) / samples)


def _gap_error(found: Covered, one: int, other: int) -> float:
    """Return the standard error of how much farther off one method is than another.

    Both saw the same samples, so what counts is where only one of them covers. How far a coverage
    is off has a folded normal distribution; its slope is the sign of what it is off by, but a
    smooth one, as near the level neither side is certain.
    """
    both, coverage = found.both[found.varies], found.coverage[found.varies][:, [one, other]]
    variance = coverage * (1 - coverage) / found.replicates
    covariance = (both[:, one, other] - coverage.prod(axis=1)) / found.replicates
    off, sd = coverage - found.level, np.sqrt(np.maximum(variance, _TINY))
    slope = erf(off / (sd * math.sqrt(2)))
    folded = sd * math.sqrt(2 / math.pi) * np.exp(-((off / sd) ** 2) / 2) + off * slope
    own = off**2 + variance - folded**2
    total = float(own.sum() - 2 * (slope.prod(axis=1) * covariance).sum())
    # As if they had differed in one more sample: that they never did may be chance.
    return math.sqrt(max(total, 0.0) + found.replicates**-2) / len(coverage)


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
    """Name the runs that mostly have one score, where all methods covered too seldom."""
    _, high = found.own_interval
    fails = found.one_value & (high[:, _by_distance(found)] < found.level).all(axis=1)
    poor = [run for run, here in zip(found.runs, fails, strict=True) if here]
    if not poor:
        return []
    who = "All of them cover" if len(_by_distance(found)) > 1 else "It covers"
    if len(found.runs) == 1:
        return [f" {who} too seldom: the run has one score on nearly all topics."]
    return [
        f" {who} too seldom for {count(len(poor), 'run')} with one score on nearly all topics: "
        f"{listed(poor, _LISTED)}."
    ]


def how_often_closest(parts: Sequence[Covered]) -> list[Cell]:
    """Sum up several tables in one sentence."""
    closest = [name for name in map(closest_method, parts) if name is not None]
    if len(closest) < 2:
        return []
    (first, number), *others = Counter(closest).most_common()
    if not others:
        return [f"{first} comes closest in {'both' if number == 2 else f'all {number}'} cases."]
    told = ", ".join(f"{name} in {number}" for name, number in others)
    return [f"{first} comes closest in {number} of {len(closest)} cases, {told}."]


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
    return sorted(usable or range(len(found.methods)), key=lambda place: _distance(found)[place])


def _distance(found: Covered) -> list[float]:
    """Return the distances without their last bits: coverages are whole numbers of samples."""
    rounded: list[float] = found.distance.round(12).tolist()
    return rounded


def _mean(found: Covered) -> FloatArray:
    """Return the mean coverage of each method over the runs whose scores vary."""
    mean: FloatArray = found.coverage[found.varies].mean(axis=0)
    return mean
