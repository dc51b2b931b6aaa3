"""Does A hurt topics that the baseline did well? Of each run, or of the best in the median."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Any

import numpy as np

from confint_cli.common.arrays import FloatArray, Positions
from confint_cli.common.errors import Notice, note
from confint_cli.common.progress import Progress, no_progress, parts_of
from confint_cli.common.table import Cell, Column, Table, columns_of, explained_once
from confint_cli.common.text import all_of, count, listed
from confint_cli.common.words import percent, series, whole_if_it_is
from confint_cli.scores.scores import Scores
from confint_cli.stats.comparison import T_TEST
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.flags import DoubtArray
from confint_cli.stats.methods.method import Limits
from confint_cli.stats.risk import Risk, risks
from confint_cli.studies.checks import unusual_levels
from confint_cli.studies.doubts import note_of, words_of
from confint_cli.studies.pairing import PairedRuns, PairRows, paired_runs
from confint_cli.studies.risk_view import SHAPIRO, Risked, views
from confint_cli.studies.rows import Bounded, intervals_of, largest_error, too_uncertain

_COLUMNS = (
    "measure", "run", "baseline", "topics", "r", "method", "level", "urisk_minus", "trisk",
    "georisk", "low", "high", "wins", "losses", "shapiro_topics", "shapiro_bootstrap", "note",
)  # fmt: skip
# McGill, Tukey and Larsen (1978): medians whose notches do not overlap differ, at 95%.
_NOTCH = 1.57
_SUMMARY = (
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
    """One interval of the URisk⁻ of a run, and other figures about its risk."""

    baseline: str
    topics: int
    r: float
    urisk_minus: float
    trisk: float
    georisk: float
    wins: int
    losses: int
    shapiro_topics: float
    shapiro_bootstrap: float


def risk(
    scores: Scores,
    baselines: tuple[str, ...],
    rs: tuple[float, ...],
    estimation: Estimation,
    *,
    top: float | None = None,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a table with a row for each measure, pair of runs, r, method and level, and notices.

    Runs are compared with each of `baselines`. With `top`, a share of the runs, the table has the
    medians over the runs with the best means instead: a row for each measure, baseline, r, method
    and level. Without `best_first`, runs stay in the order in which they come.
    """
    pairs_by_measure, notices = paired_runs(scores, baselines, best_first=best_first)
    # The summary says how far limits are from those of t.
    with_t = estimation.by(tuple(dict.fromkeys([*estimation.methods, T_TEST])))
    needed = estimation if top is None else with_t
    by_measure = []
    for pairs, its_progress in zip(
        pairs_by_measure, parts_of(progress, len(pairs_by_measure)), strict=True
    ):
        at_each_r = tuple(risks(pairs.on_same_topics, rs, needed, its_progress))
        by_measure.append(Risked(pairs, at_each_r, estimation.methods, estimation.levels))
    notices += unusual_levels(estimation.levels)
    signature = {"measures": ",".join(pairs.measure for pairs in pairs_by_measure)}
    if top is not None:
        table, about_limits = _in_summary(by_measure, top, signature, estimation.resamples)
        return table, notices + about_limits
    rows = [row for risked in by_measure for row in _rows(risked)]
    table = Table(
        title="",
        columns=columns_of(rows, _COLUMNS, exact=("r", "level")),
        signature={**signature, "error": f"{largest_error(rows):.2g}"},
        view=views(by_measure),
    )
    return table, [
        *notices,
        *_without_georisk(pairs_by_measure),
        *too_uncertain(rows, estimation.resamples),
    ]


def _rows(risked: Risked) -> Iterator[_Row]:
    for pair in range(len(risked.pairs)):
        run, baseline = risked.pairs.names(pair)
        wins, _, losses = risked.outcomes(pair)
        missing = risked.pairs.missing_of(pair)
        for at_r in risked.risks:
            for interval in intervals_of(pair, at_r.limits, at_r.doubts, risked.levels):
                remarks = [note_of(interval.pop("doubts")), *missing]
                yield _Row(
                    **interval,
                    note=", ".join(filter(None, remarks)),
                    measure=risked.pairs.measure,
                    run=run,
                    baseline=baseline,
                    topics=risked.topics,
                    r=whole_if_it_is(at_r.r),
                    urisk_minus=float(at_r.urisk_minus[pair]),
                    trisk=float(at_r.trisk[pair]),
                    georisk=float(at_r.georisk[pair]),
                    wins=wins,
                    losses=losses,
                    shapiro_topics=float(at_r.shapiro_topics[pair]),
                    shapiro_bootstrap=float(at_r.shapiro_bootstrap[pair]),
                )


def _without_georisk(pairs_by_measure: Sequence[PairedRuns]) -> list[Notice]:
    """Return notices on measures without GeoRisk, whose square roots want scores of 0 or more."""
    negative = [pairs.measure for pairs in pairs_by_measure if np.min(pairs.scores.values) < 0]
    if not negative:
        return []
    measures = listed(negative, 6)
    return [
        note(
            f"some scores by {measures} are below 0, so there is no GeoRisk, which is made of sums"
        )
    ]


@dataclass(frozen=True)
class _TypicalRow(Bounded):
    """Medians over the best runs, by one method at one level and r; NaN where there is none."""

    baseline: str
    topics: int
    runs: int  # over which the medians are
    r: float
    urisk_minus: float
    low_notch_low: float  # the notch of the median of lower limits begins here
    low_notch_high: float
    high_notch_low: float  # the notch of the median of upper limits begins here
    high_notch_high: float
    low_from_t: float  # how far the limit is above that of t, in half-widths of t
    high_from_t: float
    disagree: int  # runs whose verdict is not that of t
    shapiro_topics: float
    shapiro_bootstrap: float

    @property
    def farthest(self) -> float:
        """The larger distance of the two limits from those of t, in half-widths of t."""
        return max(abs(self.low_from_t), abs(self.high_from_t))


def _in_summary(
    by_measure: Sequence[Risked], top: float, signature: Mapping[str, str], resamples: int
) -> tuple[Table, list[Notice]]:
    """Return a table of medians over the best runs, a share `top` of all, and what to warn of.

    It has a row for each measure, baseline, r, method and level.
    """
    rows: list[_TypicalRow] = []
    view: list[Table] = []
    for risked in by_measure:
        for pairs in risked.pairs.by_baseline():
            best = _best(risked, pairs.places, top)
            of_baseline = [*_typical_rows(risked, best)]
            rows += of_baseline
            view += _summary_views(risked, pairs, of_baseline)
    table = Table(
        title="",
        columns=columns_of(rows, _SUMMARY, exact=("r", "level")),
        signature={**signature, "error": f"{largest_error(rows):.2g}"},
        view=explained_once(view),
    )
    return table, too_uncertain(rows, resamples)


def _best(risked: Risked, places: Positions, top: float) -> Positions:
    """Return those of the pairs at `places` whose runs have the best means, a share `top` of them.

    The number of pairs is rounded up.
    """
    number = math.ceil(Decimal(repr(top)) * len(places))  # 0.07 · 100 is more than 7 in floats
    rank = np.argsort(risked.pairs.scores.by_mean)  # of each run by its mean, from 0, best first
    return places[np.argsort(rank[risked.pairs.pairs.run[places]], kind="stable")[:number]]


def _typical_rows(risked: Risked, best: Positions) -> Iterator[_TypicalRow]:
    """Yield the medians over the pairs at the places `best`, by each r, method and level."""
    _, baseline = risked.pairs.names(int(best[0]))
    for at_r in risked.risks:
        for method in risked.methods:
            limits = at_r.limits[method].columns(best)
            for place, level in enumerate(risked.levels):
                errors = np.maximum(limits.low_error[place], limits.high_error[place])
                yield _TypicalRow(
                    measure=risked.pairs.measure,
                    run="the median run",
                    baseline=baseline,
                    topics=risked.topics,
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
                    note=_counted(at_r.doubts[method][place, best]),
                    error=_median(errors),  # stands for the error of the median, which is not known
                )


def _typical(name: str, values: FloatArray) -> dict[str, Any]:
    """Return the fields of a row with the median of values and its notch, under `name`.

    One value alone, and infinite ones, have no notch: its ends are NaN.
    """
    median = np.median(values)
    with np.errstate(invalid="ignore"):
        first, third = np.percentile(values, [25, 75])
        notch = _NOTCH * (third - first) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return {
        name: float(median),
        f"{name}_notch_low": float(median - notch),
        f"{name}_notch_high": float(median + notch),
    }


def _from_t(limits: Limits, of_t: Limits, level: int) -> dict[str, Any]:
    """Return the fields of a row that say how far limits are above those of t, in the median.

    The unit is the half-width of t; `level` is the place of the level.
    """
    half_width = (of_t.high[level] - of_t.low[level]) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "low_from_t": _median((limits.low[level] - of_t.low[level]) / half_width),
            "high_from_t": _median((limits.high[level] - of_t.high[level]) / half_width),
        }


def _disagreeing(at_r: Risk, method: str, level: int, best: Positions) -> int:
    """Return how many of the `best` runs a method judges otherwise than t does.

    `level` is the place of the level.
    """
    judged, by_t = (at_r.judged_by(name, level)[best] for name in (method, T_TEST))
    return int((judged != by_t).sum())


def _counted(doubts: DoubtArray) -> str:
    """Return one note on several runs, `few topics, 3 skewed`: a word of all runs has no number."""
    counts = Counter(word for of_run in doubts.tolist() for word in words_of(of_run))
    return ", ".join(
        word if number == len(doubts) else f"{number} {word}" for word, number in counts.items()
    )


def _median(values: FloatArray) -> float:
    """Return the median of the values that are not NaN; NaN, if there are none."""
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else math.nan


def _summary_views(risked: Risked, pairs: PairRows, rows: Sequence[_TypicalRow]) -> Iterator[Table]:
    """Yield a table for each level, with a row for each r and method."""
    number = len(pairs.places)
    for level in risked.levels:
        at_level = [row for row in rows if row.level == level]
        which = all_of(number, "run")
        if at_level[0].runs < number:
            which = f"the best {at_level[0].runs} of {number} runs"
        yield Table(
            f"{risked.pairs.title}, {which} {pairs.which}, {percent(level)}",
            _summary_columns(at_level),
            sentence=_how_far_from_t(at_level),
            breaks=[
                place
                for place in range(1, len(at_level))
                if at_level[place].r != at_level[place - 1].r
            ],
        )


def _summary_columns(rows: Sequence[_TypicalRow]) -> list[Column]:
    def but_of_t(values: Sequence[Cell]) -> list[Cell]:
        cells = zip(rows, values, strict=True)
        return [None if row.method == T_TEST else value for row, value in cells]

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


def _how_far_from_t(rows: Sequence[_TypicalRow]) -> list[Cell]:
    """Return the cells of a sentence: how far bootstrap limits are from those of t.

    Empty, if there are none but those of t.
    """
    known = [row for row in rows if row.method != T_TEST and not math.isnan(row.farthest)]
    others = sorted(known, key=lambda row: row.r)
    by_r = [list(group) for _, group in groupby(others, lambda row: row.r)]
    if not by_r:
        return []
    distances = []
    for group in by_r if len(by_r) == 1 else (by_r[0], by_r[-1]):
        worst = max(group, key=lambda row: row.farthest)
        distance = f"by up to {percent(round(worst.farthest, 2))} of its half-width"
        if math.isinf(worst.farthest):
            distance = "infinitely"
        distances.append(f"{distance} at r = {worst.r} ({worst.method})")
    most = max(others, key=lambda row: row.disagree)
    judged = "all methods judge all runs as t does"
    if most.disagree:
        methods = [row.method for row in others if (row.r, row.disagree) == (most.r, most.disagree)]
        runs = f"{most.disagree} of {count(most.runs, 'run')}"
        verb = "judges" if len(methods) == 1 else "each judge"
        judged = f"at r = {most.r}, {series(methods)} {verb} {runs} otherwise than t"
    where = "In the median run, bootstrap" if most.runs > 1 else "Bootstrap"
    return [f"{where} limits differ from those of t {' and '.join(distances)}; {judged}."]
