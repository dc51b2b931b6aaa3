"""How often intervals covered, as people read it: of each run, or in summary over the runs.

Each table is by one measure, with samples of one size, at one level; a sentence below it says which
method came closest. In summary, a table has all sizes and levels.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np
from scipy.special import erf

from confint_cli.common.arrays import FloatArray, TextArray
from confint_cli.common.table import (
    Cell,
    Column,
    Interval,
    Marked,
    Table,
    View,
    columns_of,
    explained_once,
)
from confint_cli.common.text import count, listed
from confint_cli.common.words import percent
from confint_cli.stats.methods import method_named, methods
from confint_cli.studies.answer import Answer
from confint_cli.studies.covered import NAIVE, OWN_LEVEL, Covered, covered_of
from confint_cli.studies.doubts import note_by_methods, notes_of
from confint_cli.studies.facts import Facts
from confint_cli.studies.rows import CoverageRow, CoverageSummaryRow
from confint_cli.studies.scope import for_whom, has_groups

_CHANCE = 2  # a difference of more standard errors than these is more than chance
_TINY = 1e-18  # a variance that does no harm in a denominator
_LISTED = 5  # names of runs in a sentence
_LESS, _MORE = "<", ">"  # marks of a coverage whose own interval lies below or above the level
_ABOUT_DISTANCE = "Distance: how far the coverage of a run is from the level, on average."


def view(answer: Answer[CoverageRow]) -> View:
    """Return a table for each measure, size of samples and level, with a row for each run."""
    results = covered_of(answer.rows)
    methods = list(dict.fromkeys(name for covered in results for name in covered.methods))
    with_notes = any(covered.doubts.any() for covered in results)
    tables = [_table(covered, methods, answer.facts, with_notes=with_notes) for covered in results]
    return View(explained_once(tables), _how_often_closest(results))


def _table(covered: Covered, methods: Sequence[str], facts: Facts, *, with_notes: bool) -> Table:
    """Return a table with a row for each run and a column for each of `methods`.

    `methods` are those of all tables that stand together, which have the same columns then. Of one
    run by itself, there is a row for each of its methods.
    """
    samples = f"{count(covered.replicates, 'sample')} of {_size(covered, facts)}"
    title = f"{_whose(covered, facts)}, {percent(covered.level)}, {samples}"
    if len(covered.runs) == 1:
        legend = "below, above: the share of intervals that have the truth below or above them."
        columns = _of_one_run(covered)
        return Table(
            f"{covered.runs[0]}, {title}", columns, legend=legend, sentence=verdict(covered)
        )
    marks = np.full(covered.coverage.shape, "", dtype=object)
    varies = covered.varies[:, None]
    marks[varies & (covered.high < covered.level)] = _LESS
    marks[varies & (covered.low > covered.level)] = _MORE
    columns = [Column("run", list(covered.runs))]
    for method in methods if not covered.collection else covered.methods:
        column: list[Cell] = [None] * len(covered.runs)
        if method in covered.methods:
            place = covered.methods.index(method)
            cells = zip(covered.coverage[:, place].tolist(), marks[:, place].tolist(), strict=True)
            column = [Marked(coverage, mark) for coverage, mark in cells]
        columns.append(Column(method, column, legend=_about_naive(method)))
    if with_notes:
        doubts = [
            list(zip(covered.methods, of_run, strict=True)) for of_run in covered.doubts.tolist()
        ]
        columns.append(Column("note", list(map(note_by_methods, doubts))))
    return Table(title, columns, legend=_legend(marks, covered.level), sentence=verdict(covered))


def _size(covered: Covered, facts: Facts) -> str:
    """Return how large samples are: `50 topics`, or `3 collections` if topics depend on these."""
    if covered.groups is not None:
        return count(covered.groups, facts["group_noun"])
    if covered.size is None:
        return count(covered.collections or 0, "collection")
    if covered.repeats is not None:
        return f"{count(covered.size, 'topic')} and {count(covered.repeats, 'repeat')}"
    if covered.judge_topics is not None:
        by_people = f"{count(covered.size, 'topic')} by people"
        return f"{by_people} out of {covered.judge_topics} by the judge"
    return count(covered.size, "topic")


def _whose(covered: Covered, facts: Facts) -> str:
    """Return the measure and, of several collections, which of them a table is of."""
    if covered.collection and not covered.collections:
        return f"{covered.measure}, {covered.collection}"
    return ", ".join(filter(None, [covered.measure, covered.collection, for_whom(facts)]))


def _about_naive(method: str) -> str:
    """Return a sentence on an interval that ignores the design; empty for any other."""
    return f"{method}: {NAIVE[method]}." if method in NAIVE else ""


def _of_one_run(covered: Covered) -> list[Column]:
    """Return the columns of a table of the only run, with a row for each method."""
    limits = zip(covered.low[0].tolist(), covered.high[0].tolist(), strict=True)
    return [
        Column(
            "method",
            list(covered.methods),
            legend=" ".join(filter(None, map(_about_naive, covered.methods))),
        ),
        Column("coverage", covered.coverage[0].tolist()),
        Column(f"its {percent(OWN_LEVEL)} interval", [Interval(*ends) for ends in limits]),
        Column("below", covered.miss_low[0].tolist()),
        Column("above", covered.miss_high[0].tolist()),
        Column("width", covered.width[0].tolist()),
        Column("note", notes_of(covered.doubts[0]).tolist()),
    ]


def _legend(marks: TextArray, level: float) -> str:
    """Explain those marks that are in the table; empty, if there are none."""
    words = {_LESS: "less often", _MORE: "more often"}
    meanings = [f"{mark} covers {word}" for mark, word in words.items() if (marks == mark).any()]
    if not meanings:
        return ""
    own = f"judged by the {percent(OWN_LEVEL)} interval of the coverage itself"
    return f"{', '.join(meanings)} than {percent(level)}, {own}."


def summary_view(answer: Answer[CoverageSummaryRow]) -> View:
    """Return a table for each measure that scores vary by; if there is none, one that says so."""
    results = covered_of(answer.details)
    by_measure = {
        key: list(group)
        for key, group in groupby(results, lambda one: (one.measure, one.collection))
    }
    tables = [
        _summary_table(list(rows), by_measure[key], answer.facts)
        for key, rows in groupby(answer.rows, lambda row: (row.measure, row.collection))
    ]
    return View(tables or [_nothing_varies(results)], _how_often_closest(results))


def _nothing_varies(results: Sequence[Covered]) -> Table:
    """Return the table if no run's scores vary by any measure: a row for each measure."""
    runs = {covered.measure: len(covered.runs) for covered in results}
    columns = [Column("measure", [*runs]), Column("runs", [*runs.values()])]
    return Table("no variance", columns, sentence=verdict(results[0]))


def _summary_table(
    rows: Sequence[CoverageSummaryRow], results: Sequence[Covered], facts: Facts
) -> Table:
    """Return the summary by one measure; `results` are those that it sums up.

    A level, or a size of samples, that is the same in all rows goes into the title.
    """
    first = rows[0]
    title, names = [_whose(results[0], facts), count(first.runs, "run")], ["method"]
    if len({row.level for row in rows}) == 1:
        title.append(percent(first.level))
    else:
        names.append("level")
    samples = count(results[0].replicates, "sample")
    sizes = "groups" if has_groups(facts) else "sample_size"
    if len({getattr(row, sizes) for row in rows}) == 1:
        samples += f" of {_size(results[0], facts)} each"
    else:
        names.append(sizes)
    names += ["mean", "sd", "min", "q1", "median", "q3", "max", "width", "distance"]
    columns = [
        replace(
            column,
            name=column.name.removeprefix("sample_"),
            optional=column.name in ("sd", "q1", "q3"),
            legend=_ABOUT_DISTANCE if column.name == "distance" else "",
        )
        for column in columns_of(rows, names, exact=("level",))
    ]
    sentence = verdict(results[0]) if len(results) == 1 else []
    return Table(", ".join([*title, samples]), columns, sentence=sentence)


def verdict(covered: Covered) -> list[Cell]:
    """Return the cells of sentences on the method that came closest.

    They say whether that is more than chance, and where no method works.
    """
    if not covered.varies.any():
        return ["All scores are equal, so there is no uncertainty."]
    return [*_closest(covered), *_naively(covered), *_hopeless(covered)]


def _naively(covered: Covered) -> list[Cell]:
    """Return the cells of a sentence on what intervals cover that ignore the design."""
    cells: list[Cell] = []
    for place, name in enumerate(covered.methods):
        if name in NAIVE:
            cells += [f" {name}, {NAIVE[name]}, covers ", float(_mean(covered)[place]), "."]
    return cells


def _closest(covered: Covered) -> list[Cell]:
    """Return the cells of a sentence on the closest method, its coverage, and the next one."""
    candidates = _by_distance(covered)  # places of methods
    first, nominal = candidates[0], percent(covered.level)
    name = covered.methods[first]
    if len(candidates) == 1:
        return [f"{name} ", *_covers(covered, first), "."]
    second = candidates[1]
    distance = _distance(covered)
    gap = distance[second] - distance[first]
    if gap == 0:
        compared = ", which is just as close."
    elif gap > _CHANCE * _gap_error(covered, first, second):
        compared = ", which is farther off by more than chance."
    else:
        compared = "; this may be chance: more --replicates may show which is closer."
    closest = f"Of these {len(candidates)}, {name} is closest to {nominal}"
    following = "The next"
    if len(candidates) == 2:
        closest, following = f"Of the two, {name} is closer to {nominal}", "The other"
    begin: list[Cell] = [f"{closest}, and it "]
    if covered.varies.sum() > 1:
        begin = [
            f"{closest}: a run's coverage is off by ", distance[first],
            " on average (chance by itself: ", _by_chance(covered), "). It ",
        ]  # fmt: skip
    return [
        *begin, *_covers(covered, first), f". {following} is {covered.methods[second]} (off by ",
        distance[second], f"){compared}", *_without_limits(covered, first),
    ]  # fmt: skip


def _covers(covered: Covered, method: int) -> list[Cell]:
    """Return the cells of a sentence on a method's coverage.

    It says whether that is off by more than chance, and on which side intervals miss.
    """
    coverage = float(_mean(covered)[method])
    on_average = " on average" if covered.varies.sum() > 1 else ""
    judged = f"which is no farther from {percent(covered.level)} than chance allows"
    if abs(coverage - covered.level) > _CHANCE * _mean_error(covered):
        judged = f"too {'rarely' if coverage < covered.level else 'often'} by more than chance"
    above, below = (
        float(miss[covered.varies, method].mean()) for miss in (covered.miss_low, covered.miss_high)
    )
    return [
        "covers ", coverage, f"{on_average}, {judged}; ", above,
        " of its intervals lie above the truth and ", below, " below it",
    ]  # fmt: skip


def _by_chance(covered: Covered) -> float:
    """Return how far off the coverage of a run is on average, by chance, if a method is right."""
    return math.sqrt(2 / math.pi * covered.level * (1 - covered.level) / covered.replicates)


def _mean_error(covered: Covered) -> float:
    """Return the standard error of the mean coverage of a method that covers as its level says."""
    samples = covered.replicates * int(covered.varies.sum())
    return math.sqrt(covered.level * (1 - covered.level) / samples)


def _gap_error(covered: Covered, first: int, second: int) -> float:
    """Return the standard error of how much farther off one method is than another.

    `first` and `second` are the places of the methods. Both saw the same samples, so what counts is
    where only one of them covers. How far a coverage is off has a folded normal distribution; its
    slope is the sign of what it is off by, but a smooth one, as near the level neither side is
    certain.
    """
    both = covered.both[covered.varies]
    coverage = covered.coverage[covered.varies][:, [first, second]]  # [run, 2]
    variance = coverage * (1 - coverage) / covered.replicates
    covariance = (both[:, first, second] - coverage.prod(axis=1)) / covered.replicates
    off, sd = coverage - covered.level, np.sqrt(np.maximum(variance, _TINY))
    slope = erf(off / (sd * math.sqrt(2)))
    folded = sd * math.sqrt(2 / math.pi) * np.exp(-((off / sd) ** 2) / 2) + off * slope
    folded_variance = off**2 + variance - folded**2
    total = float(folded_variance.sum() - 2 * (slope.prod(axis=1) * covariance).sum())
    # As if they had differed in one more sample: that they never did may be chance.
    return math.sqrt(max(total, 0.0) + covered.replicates**-2) / len(coverage)


def _without_limits(covered: Covered, method: int) -> list[Cell]:
    """Return the cells of a sentence on runs of which a method has intervals without a limit.

    Empty, if of none.
    """
    unbounded = np.isinf(covered.width[:, method])
    if not unbounded.any():
        return []
    name = covered.methods[method]
    if len(covered.runs) == 1:
        return [f" But some of its {name} intervals have no limit."]
    return [f" But some {name} intervals of {count(int(unbounded.sum()), 'run')} have no limit."]


def _hopeless(covered: Covered) -> list[Cell]:
    """Name the runs with one score on nearly all topics that all methods cover too seldom."""
    fails = covered.one_value & (covered.high[:, _by_distance(covered)] < covered.level).all(axis=1)
    poor = [run for run, is_poor in zip(covered.runs, fails, strict=True) if is_poor]
    if not poor:
        return []
    who = "All of them cover" if len(_by_distance(covered)) > 1 else "It covers"
    if len(covered.runs) == 1:
        return [f" {who} too rarely: the run has the same score on nearly all topics."]
    return [
        f" {who} too rarely for {count(len(poor), 'run')} with the same score on nearly all "
        f"topics: {listed(poor, _LISTED)}."
    ]


def _how_often_closest(results: Sequence[Covered]) -> list[Cell]:
    """Return the cells of a sentence: in how many of `results` each method comes closest.

    Empty, if it is fewer than two.
    """
    closest = [name for name in map(closest_method, results) if name is not None]
    if len(closest) < 2 or results[0].collection:
        return []
    (first, number), *others = Counter(closest).most_common()
    if not others:
        return [f"{first} is closest in {'both' if number == 2 else f'all {number}'} cases."]
    in_others = ", ".join(f"{name} in {number}" for name, number in others)
    return [f"{first} is closest in {number} of {len(closest)} cases, {in_others}."]


def closest_method(covered: Covered) -> str | None:
    """Return the method that came closest to the level.

    None, if no scores vary, or if there is only one method to choose from.
    """
    if not covered.varies.any():
        return None
    candidates = _by_distance(covered)
    return covered.methods[candidates[0]] if len(candidates) > 1 else None


def _by_distance(covered: Covered) -> list[int]:
    """Return the places of the methods, closest first.

    Methods that need the whole population, which nobody has, count only if there are no others.
    """
    usable = [
        place
        for place, name in enumerate(covered.methods)
        if name not in NAIVE and not (name in methods() and method_named(name).population)
    ]
    return sorted(
        usable or range(len(covered.methods)), key=lambda place: _distance(covered)[place]
    )


def _distance(covered: Covered) -> list[float]:
    """Return the distance of each method without last bits, in which equal ones may differ."""
    rounded: list[float] = covered.distance.round(12).tolist()
    return rounded


def _mean(covered: Covered) -> FloatArray:
    """Return the mean coverage over the runs whose scores vary, [method]."""
    mean: FloatArray = covered.coverage[covered.varies].mean(axis=0)
    return mean
