"""What the limits of many runs are in the median, and how far methods disagree about them.

These are the numbers behind Figures 2 and 4 of Benham et al. (2019); the medians of W are behind
their Figure 3.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby

import numpy as np

from confint_cli.arrays import FloatArray, Positions
from confint_cli.comparison import T_TEST
from confint_cli.methods._method import Limits
from confint_cli.risk import Risk
from confint_cli.studies._pair_rows import PairRows, title_of
from confint_cli.studies._risk_view import SHAPIRO
from confint_cli.studies._risked import Risked
from confint_cli.studies._words import percent, whole_if_it_is
from confint_cli.table import Cell, Column, Table, explained_once
from confint_cli.text import all_of, count

_NOTCH = 1.57  # of McGill, Tukey and Larsen (1978): medians whose notches are apart differ, at 95%
_COLUMNS = (
    "measure", "baseline", "topics", "runs", "r", "method", "level", "urisk_minus", "low",
    "low_notch_low", "low_notch_high", "high", "high_notch_low", "high_notch_high", "low_from_t",
    "high_from_t", "disagree", "shapiro_topics", "shapiro_bootstrap",
)  # fmt: skip
_EXACT = {"r", "level"}
_LIMITS = "low, high: medians over the runs of the limits of URisk⁻."
_NOTCHES = "±: McGill's notch of a median, 1.57 interquartile ranges over √runs."
_FROM_T = "- t: how far a limit is from that of t, in half-widths of t, in the median."
_DISAGREE = "disagree: runs that the method judges otherwise than t (risky, safe, or undecided)."


@dataclass(frozen=True)
class _Row:
    """What is typical of the best runs, by one method at one level and r."""

    measure: str
    baseline: str
    topics: int
    runs: int
    r: float
    method: str
    level: float
    urisk_minus: float
    low: float
    low_notch_low: float
    low_notch_high: float
    high: float
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


def summary_of(parts: Sequence[Risked], top: float, signature: Mapping[str, str]) -> Table:
    """Return a row for each measure, baseline, r, method and level, over that share of the runs."""
    rows: list[_Row] = []
    view: list[Table] = []
    for part in parts:
        for with_baseline in part.by_baseline():
            best = _best(part, with_baseline.places, top)
            here = [*_rows(part, best)]
            rows += here
            view += _views(part, with_baseline, here)
    return Table(
        title="",
        columns=[
            Column(name, [getattr(row, name) for row in rows], exact=name in _EXACT)
            for name in _COLUMNS
        ],
        signature=signature,
        view=explained_once(view),
    )


def _best(part: Risked, places: Positions, top: float) -> Positions:
    """Return the pairs whose runs have the best means: no fewer than that share of all."""
    number = math.ceil(Decimal(repr(top)) * len(places))  # 0.07 · 100 is more than 7 in floats
    means = part.found.run.mean[places]
    best: Positions = places[np.argsort(-means, kind="stable")[:number]]
    return best


def _rows(part: Risked, best: Positions) -> Iterator[_Row]:
    _, baseline = part.names(int(best[0]))
    for at_r in part.risks:
        for method in part.methods:
            for place, level in enumerate(part.levels):
                yield _Row(
                    measure=part.measure,
                    baseline=baseline,
                    topics=int(part.found.run.topics[best[0]]),
                    runs=len(best),
                    r=whole_if_it_is(at_r.r),
                    method=method,
                    level=level,
                    urisk_minus=float(np.median(at_r.urisk_minus[best])),
                    shapiro_topics=_median(at_r.shapiro_topics[best]),
                    shapiro_bootstrap=_median(at_r.shapiro_bootstrap[best]),
                    **_typical("low", at_r.limits[method].low[place, best]),
                    **_typical("high", at_r.limits[method].high[place, best]),
                    **_from_t(at_r, method, place, best),
                    disagree=_disagreeing(at_r, method, place, best),
                )  # fmt: skip


def _typical(name: str, values: FloatArray) -> dict[str, float]:
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


def _from_t(at_r: Risk, method: str, level: int, best: Positions) -> dict[str, float]:
    """Return how far limits are from those of t."""
    (low, high), (t_low, t_high) = (
        _ends(at_r.limits[name], level, best) for name in (method, T_TEST)
    )
    half = (t_high - t_low) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "low_from_t": _median((low - t_low) / half),
            "high_from_t": _median((high - t_high) / half),
        }


def _disagreeing(at_r: Risk, method: str, level: int, best: Positions) -> int:
    """Return of how many runs limits say otherwise than those of t: risky, safe, or undecided."""
    (risky, safe), (t_risky, t_safe) = (
        (low > 0, high < 0)
        for low, high in (_ends(at_r.limits[name], level, best) for name in (method, T_TEST))
    )
    return int(((risky != t_risky) | (safe != t_safe)).sum())


def _ends(limits: Limits, level: int, best: Positions) -> tuple[FloatArray, FloatArray]:
    return limits.low[level, best], limits.high[level, best]


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
        Column("low", [row.low for row in rows], legend=_LIMITS),
        Column("low ±", [row.low_notch_high - row.low for row in rows], legend=_NOTCHES),
        Column("high", [row.high for row in rows]),
        Column("high ±", [row.high_notch_high - row.high for row in rows]),
        Column("low - t", but_of_t([row.low_from_t for row in rows]), legend=_FROM_T),
        Column("high - t", but_of_t([row.high_from_t for row in rows])),
        Column("disagree", but_of_t([row.disagree for row in rows]), legend=_DISAGREE),
        Column("W topics", [row.shapiro_topics for row in rows], optional=True, legend=SHAPIRO),
        Column("W resamples", [row.shapiro_bootstrap for row in rows], optional=True),
    ]


def _sentence(rows: Sequence[_Row]) -> list[Cell]:
    """Say how far bootstrap limits are from those of t, at the lowest and the highest r."""
    others = [row for row in rows if row.method != T_TEST and not math.isnan(row.farthest)]
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
    judged = (
        f"; at r = {most.r}, {most.method} judges {most.disagree} of {count(most.runs, 'run')}"
        " otherwise than t"
        if most.disagree
        else "; all methods judge all runs as t does"
    )
    return [
        f"In the median run, bootstrap limits differ from those of t {' and '.join(said)}{judged}."
    ]
