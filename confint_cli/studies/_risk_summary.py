"""What the limits of many runs are in the median, and how far methods disagree about them.

These are the numbers behind Figures 2 and 4 of Benham et al. (2019); the medians of W are behind
their Figure 3.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Any

import numpy as np

from confint_cli.arrays import FloatArray, Positions
from confint_cli.comparison import T_TEST
from confint_cli.errors import Notice
from confint_cli.methods._method import Limits
from confint_cli.risk import Risk
from confint_cli.studies._limits import Bounded, largest_error, too_uncertain
from confint_cli.studies._pair_rows import PairRows, title_of
from confint_cli.studies._risk_view import SHAPIRO
from confint_cli.studies._risked import Risked
from confint_cli.studies._words import percent, series, whole_if_it_is
from confint_cli.table import Cell, Column, Table, columns_of, explained_once
from confint_cli.text import all_of, count, natural_key

_NOTCH = 1.57  # of McGill, Tukey and Larsen (1978): medians whose notches are apart differ, at 95%
_COLUMNS = (
    "measure", "baseline", "topics", "runs", "r", "method", "level", "urisk_minus", "low",
    "low_notch_low", "low_notch_high", "high", "high_notch_low", "high_notch_high", "low_from_t",
    "high_from_t", "disagree", "shapiro_topics", "shapiro_bootstrap", "note",
)  # fmt: skip
_MEDIANS = "URisk⁻, low, high, W: medians over the runs."
_NOTCHES = "±: McGill's notch of a median, 1.57 interquartile ranges over √runs."
_FROM_T = "To t: how far a limit is above that of t, in half-widths of t, in the median."
_DISAGREE = "disagree: runs whose verdict (risky, risk-free, undecided) is not that of t."


@dataclass(frozen=True)
class _Row(Bounded):
    """What is typical of the best runs, by one method at one level and r."""

    baseline: str
    topics: int
    runs: int
    r: float
    urisk_minus: float
    low_notch_low: float
    low_notch_high: float
    high_notch_low: float
    high_notch_high: float
    low_from_t: float
    high_from_t: float
    disagree: int
    shapiro_topics: float
    shapiro_bootstrap: float

    @property
    def farthest(self) -> float:
        """How far that limit is from t's which is the farther one."""
        return max(abs(self.low_from_t), abs(self.high_from_t))


def summary_of(
    parts: Sequence[Risked], top: float, signature: Mapping[str, str], resamples: int
) -> tuple[Table, list[Notice]]:
    """Return a row for each measure, baseline, r, method and level, over that share of the runs."""
    rows: list[_Row] = []
    view: list[Table] = []
    for part in parts:
        for with_baseline in part.by_baseline():
            best = _best(part, with_baseline.places, top)
            here = [*_rows(part, best)]
            rows += here
            view += _views(part, with_baseline, here)
    table = Table(
        title="",
        columns=columns_of(rows, _COLUMNS, exact=("r", "level")),
        signature={**signature, "error": f"{largest_error(rows):.2g}"},
        view=explained_once(view),
    )
    return table, too_uncertain(rows, resamples)


def _best(part: Risked, places: Positions, top: float) -> Positions:
    """Return the pairs whose runs have the best means: no fewer than that share of all."""
    number = math.ceil(Decimal(repr(top)) * len(places))  # 0.07 · 100 is more than 7 in floats
    means = part.matrix.means

    def order(pair: int) -> tuple[float, tuple[tuple[int, int, str], ...]]:
        run, _ = part.names(pair)
        return -means[part.pairs.run[pair]], natural_key(run)

    return np.array(sorted(places.tolist(), key=order)[:number])


def _rows(part: Risked, best: Positions) -> Iterator[_Row]:
    _, baseline = part.names(int(best[0]))
    for at_r in part.risks:
        for method in part.methods:
            limits = at_r.limits[method].columns(best)
            for place, level in enumerate(part.levels):
                errors = np.maximum(limits.low_error[place], limits.high_error[place])
                yield _Row(
                    measure=part.measure,
                    run="the median run",
                    baseline=baseline,
                    topics=part.topics,
                    runs=len(best),
                    r=whole_if_it_is(at_r.r),
                    method=method,
                    level=level,
                    urisk_minus=_median(at_r.urisk_minus[best]),
                    **_typical("low", limits.low[place]),
                    **_typical("high", limits.high[place]),
                    **_from_t(limits, at_r.limits[T_TEST].columns(best), place),
                    disagree=_disagreeing(at_r, method, place, best),
                    shapiro_topics=_median(at_r.shapiro_topics[best]),
                    shapiro_bootstrap=_median(at_r.shapiro_bootstrap[best]),
                    note=_counted(at_r.notes[method][place, best].tolist()),
                    error=_median(errors),  # a stand-in for that of the median
                )


def _typical(name: str, values: FloatArray) -> dict[str, Any]:
    """Return the median of values, and its notch: missing of one value, or of infinite ones."""
    median = np.median(values)
    with np.errstate(invalid="ignore"):
        first, third = np.percentile(values, [25, 75])
        half = _NOTCH * (third - first) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return {
        name: float(median),
        f"{name}_notch_low": float(median - half),
        f"{name}_notch_high": float(median + half),
    }


def _from_t(limits: Limits, of_t: Limits, level: int) -> dict[str, Any]:
    """Return how far limits are from those of t, in the median."""
    half = (of_t.high[level] - of_t.low[level]) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "low_from_t": _median((limits.low[level] - of_t.low[level]) / half),
            "high_from_t": _median((limits.high[level] - of_t.high[level]) / half),
        }


def _disagreeing(at_r: Risk, method: str, level: int, best: Positions) -> int:
    """Return of how many runs limits say otherwise than those of t."""
    judged, by_t = (at_r.judged_by(name, level)[best] for name in (method, T_TEST))
    return int((judged != by_t).sum())


def _counted(notes: Sequence[str]) -> str:
    """Return the words of all notes with the number of runs, unless they are of all."""
    counts = Counter(word for note in notes for word in note.split(", ") if word)
    return ", ".join(
        word if number == len(notes) else f"{number} {word}" for word, number in counts.items()
    )


def _median(values: FloatArray) -> float:
    """Return the median of the values that are there."""
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else math.nan


def _views(part: Risked, pairs: PairRows, rows: Sequence[_Row]) -> Iterator[Table]:
    """Yield a table for each level with a row for each r and method."""
    number = len(pairs.places)
    for level in part.levels:
        here = [row for row in rows if row.level == level]
        which = all_of(number, "run")
        if here[0].runs < number:
            which = f"the best {here[0].runs} of {number} runs"
        title = title_of(part.measure, part.found)
        yield Table(
            f"{title}, {which} {pairs.which}, {percent(level)}",
            _columns(here),
            sentence=_sentence(here),
            breaks=[place for place in range(1, len(here)) if here[place].r != here[place - 1].r],
        )


def _columns(rows: Sequence[_Row]) -> list[Column]:
    others = [row.method != T_TEST for row in rows]

    def but_of_t(values: Sequence[Cell]) -> list[Cell]:
        return [value if other else None for value, other in zip(values, others, strict=True)]

    return [
        Column("r", [row.r for row in rows], exact=True),
        Column("method", [row.method for row in rows]),
        Column("URisk⁻", [row.urisk_minus for row in rows], legend=_MEDIANS),
        Column("low", [row.low for row in rows]),
        Column("high", [row.high for row in rows]),
        Column("disagree", but_of_t([row.disagree for row in rows]), legend=_DISAGREE),
        Column(
            "low to t", but_of_t([row.low_from_t for row in rows]), legend=_FROM_T, optional=True
        ),
        Column("high to t", but_of_t([row.high_from_t for row in rows]), optional=True),
        Column(
            "low ±", [row.low_notch_high - row.low for row in rows], legend=_NOTCHES, optional=True
        ),
        Column("high ±", [row.high_notch_high - row.high for row in rows], optional=True),
        Column("W topics", [row.shapiro_topics for row in rows], legend=SHAPIRO, optional=True),
        Column("W resamples", [row.shapiro_bootstrap for row in rows], optional=True),
        Column("note", [row.note for row in rows]),
    ]


def _sentence(rows: Sequence[_Row]) -> list[Cell]:
    """Say how far bootstrap limits are from those of t, at the lowest and the highest r."""
    known = [row for row in rows if row.method != T_TEST and not math.isnan(row.farthest)]
    others = sorted(known, key=lambda row: row.r)
    by_r = [list(group) for _, group in groupby(others, lambda row: row.r)]
    if not by_r:
        return []
    said = []
    for group in by_r if len(by_r) == 1 else (by_r[0], by_r[-1]):
        worst = max(group, key=lambda row: row.farthest)
        by = f"by up to {percent(round(worst.farthest, 2))} of its half-width"
        if math.isinf(worst.farthest):
            by = "infinitely"
        said.append(f"{by} at r = {worst.r} ({worst.method})")
    most = max(others, key=lambda row: row.disagree)
    judged = "all methods judge all runs as t does"
    if most.disagree:
        so = [row.method for row in others if (row.r, row.disagree) == (most.r, most.disagree)]
        runs = f"{most.disagree} of {count(most.runs, 'run')}"
        verb = "judges" if len(so) == 1 else "each judge"
        judged = f"at r = {most.r}, {series(so)} {verb} {runs} otherwise than t"
    where = "In the median run, bootstrap" if most.runs > 1 else "Bootstrap"
    return [f"{where} limits differ from those of t {' and '.join(said)}; {judged}."]
