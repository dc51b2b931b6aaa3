"""Does A hurt topics that the baseline did well? Of each run, or of the best in the median."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from confint_cli.common.arrays import FloatArray, Positions
from confint_cli.common.errors import Notice, note
from confint_cli.common.progress import Progress, no_progress, with_progress
from confint_cli.common.text import listed
from confint_cli.common.words import whole_if_it_is
from confint_cli.scores.scores import Scores
from confint_cli.stats.comparison import T_TEST
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.methods.method import Limits
from confint_cli.stats.risk import Risk, risks
from confint_cli.studies import risk_summary_view, risk_view
from confint_cli.studies.answer import Answer, fields
from confint_cli.studies.checks import unusual_levels
from confint_cli.studies.columns import RISKS, RISKS_OVER_RUNS
from confint_cli.studies.facts import Facts, facts_of_estimation, facts_of_pairs, merged
from confint_cli.studies.limits import are_drawn, intervals_of, largest_error, too_uncertain
from confint_cli.studies.pairing import PairedRuns, paired_runs
from confint_cli.studies.rows import LossRow, RiskRow, RiskSummaryRow

# McGill, Tukey and Larsen (1978): medians whose notches do not overlap differ, at 95%.
_NOTCH = 1.57
_LOSSES = 3  # topics that are named for each pair, at most
_EQUAL = 1e-12  # losses that differ by less, as a share of the largest score, are equally large


@dataclass(frozen=True)
class _Risked:
    """Pairs of runs on the same topics by one measure, and what each of them risks."""

    pairs: PairedRuns
    risks: tuple[Risk, ...]  # at each r

    def outcomes(self, pair: int) -> tuple[int, int, int]:
        """Return how many topics the run of a pair wins, ties and loses."""
        assert self.pairs.differences.outcomes is not None, "risk is of runs on the same topics"
        wins, ties, losses = self.pairs.differences.outcomes[:, pair].tolist()
        return wins, ties, losses


def risk(
    scores: Scores,
    baselines: tuple[str, ...],
    rs: tuple[float, ...],
    estimation: Estimation,
    *,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> Answer[RiskRow]:
    """Return a record for each measure, pair of runs, r, method and level.

    Runs are compared with each of `baselines`. Without `best_first`, runs stay in the order in
    which they come. Behind the answer are the topics that each run loses most on (`LossRow`).
    """
    pairs_by_measure, notices = paired_runs(scores, baselines, best_first=best_first)
    by_measure = list(_risked(pairs_by_measure, rs, estimation, progress))
    rows = [row for risked in by_measure for row in _rows(risked, estimation.levels)]
    losses = [loss for risked in by_measure for loss in _largest_losses(risked)]
    notices += unusual_levels(estimation.levels)
    notices += _without_georisk(pairs_by_measure)
    notices += too_uncertain(rows, estimation.resamples)
    facts = _facts(scores, baselines, rs, estimation, pairs_by_measure, rows)
    columns = fields(RISKS, exact="r level")
    return Answer(rows, columns, facts, tuple(notices), risk_view.view, losses)


def risk_summary(
    scores: Scores,
    baselines: tuple[str, ...],
    rs: tuple[float, ...],
    estimation: Estimation,
    top: float,
    *,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> Answer[RiskSummaryRow]:
    """Return a record for each measure, baseline, r, method and level: medians over the best runs.

    These are the runs with the best means, a share `top` of all. `baselines` and `best_first` are
    those of `risk`.
    """
    pairs_by_measure, notices = paired_runs(scores, baselines, best_first=best_first)
    # The summary says how far limits are from those of t.
    with_t = estimation.by(tuple(dict.fromkeys([*estimation.methods, T_TEST])))
    rows = [
        row
        for risked in _risked(pairs_by_measure, rs, with_t, progress)
        for row in _summary_rows(risked, estimation, top)
    ]
    notices += unusual_levels(estimation.levels)
    notices += too_uncertain(rows, estimation.resamples)
    about_call: Facts = {"top": top}
    facts = _facts(scores, baselines, rs, estimation, pairs_by_measure, rows, about_call)
    columns = fields(RISKS_OVER_RUNS, exact="r level")
    return Answer(rows, columns, facts, tuple(notices), risk_summary_view.view)


def _risked(
    pairs_by_measure: Sequence[PairedRuns],
    rs: tuple[float, ...],
    estimation: Estimation,
    progress: Progress,
) -> Iterator[_Risked]:
    """Yield the pairs by each measure, with what they risk."""
    for pairs, its_progress in with_progress(pairs_by_measure, progress):
        yield _Risked(pairs, tuple(risks(pairs.on_same_topics, rs, estimation, its_progress)))


def _facts(
    scores: Scores,
    baselines: tuple[str, ...],
    rs: tuple[float, ...],
    estimation: Estimation,
    pairs_by_measure: Sequence[PairedRuns],
    rows: Sequence[RiskRow] | Sequence[RiskSummaryRow],
    further: Facts | None = None,
) -> Facts:
    """Return the facts about what was asked and found; by any method there is a bootstrap."""
    drawn = estimation.resamples is not None or are_drawn(rows, estimation)
    facts: Facts = {
        **facts_of_estimation(estimation, scores, drawn=drawn, always=True),
        **facts_of_pairs(scores, baselines, paired=True),
        "r": rs,
        **(further or {}),
    }
    found: Facts = {"measures": tuple(pairs.measure for pairs in pairs_by_measure)}
    if drawn:
        found["error"] = largest_error(rows)
    return merged(facts, found)


def _rows(risked: _Risked, levels: Sequence[float]) -> Iterator[RiskRow]:
    """Yield the records by one measure: of each pair, at each r, by each method at each level."""
    figures_by_r = [_figures(at_r) for at_r in risked.risks]
    verdicts_by_r = [_verdicts(at_r, levels) for at_r in risked.risks]
    for pair in range(len(risked.pairs)):
        wins, ties, losses = risked.outcomes(pair)
        of_pair = risked.pairs.fields_of(pair) | {"wins": wins, "ties": ties, "losses": losses}
        for at_r, figures, verdicts in zip(risked.risks, figures_by_r, verdicts_by_r, strict=True):
            at_pair = of_pair | {name: of_pairs[pair] for name, of_pairs in figures.items()}
            for interval in intervals_of(pair, at_r.limits, at_r.doubts, levels):
                yield RiskRow(
                    **at_pair,
                    **interval,
                    r=whole_if_it_is(at_r.r),
                    trisk_bound=at_r.trisk_bound,
                    by_interval=verdicts[interval["method"], interval["level"]][pair],
                )


def _figures(at_r: Risk) -> dict[str, list[Any]]:
    """Return the fields of records at one r that have one value for each pair."""
    arrays = {
        "urisk_minus": at_r.urisk_minus,
        "trisk": at_r.trisk,
        "georisk": at_r.georisk,
        "baseline_georisk": at_r.baseline_georisk,
        "shapiro_topics": at_r.shapiro_topics,
        "shapiro_bootstrap": at_r.shapiro_bootstrap,
        "by_trisk": at_r.judged_by_trisk,
    }
    return {name: array.tolist() for name, array in arrays.items()}


def _verdicts(at_r: Risk, levels: Sequence[float]) -> dict[tuple[str, float], list[int]]:
    """Return the verdicts on all pairs by each interval, by its method and level."""
    return {
        (method, level): at_r.judged_by(method, place).tolist()
        for method in at_r.limits
        for place, level in enumerate(levels)
    }


def _largest_losses(risked: _Risked) -> Iterator[LossRow]:
    """Yield the topics that each run loses most on, the largest loss first."""
    matrix, pairs = risked.pairs.scores, risked.pairs.pairs
    for pair in range(len(pairs)):
        run, baseline = risked.pairs.names(pair)
        _, _, losses = risked.outcomes(pair)
        both = matrix.values[:, [pairs.baseline[pair], pairs.run[pair]]]
        steps = np.rint((both[:, 1] - both[:, 0]) / (_EQUAL * np.abs(both).max() or 1.0))
        for topic in np.argsort(steps, kind="stable")[: min(_LOSSES, losses)]:
            baseline_score, score = both[topic].tolist()
            yield LossRow(
                measure=matrix.measure,
                run=run,
                baseline=baseline,
                topic=matrix.topics[topic],
                baseline_score=baseline_score,
                score=score,
            )


def _without_georisk(pairs_by_measure: Sequence[PairedRuns]) -> list[Notice]:
    """Return notices on measures without GeoRisk, whose square roots want scores of 0 or more."""
    negative = [pairs.measure for pairs in pairs_by_measure if np.min(pairs.scores.values) < 0]
    if not negative:
        return []
    measures = listed(negative, 6)
    return [
        note(
            f"some scores on {measures} are below 0, so there is no GeoRisk, which is made of sums"
        )
    ]


# The summary


def _summary_rows(risked: _Risked, estimation: Estimation, top: float) -> Iterator[RiskSummaryRow]:
    """Yield the records by one measure: of each baseline, at each r, by each method and level."""
    pairs = risked.pairs
    for baseline in pairs.baselines:
        places = np.flatnonzero(pairs.pairs.baseline == pairs.runs.index(baseline))
        best = _best(pairs, places, top)
        of_baseline: dict[str, Any] = {
            "measure": pairs.measure,
            "run": "the median run",
            "baseline": baseline,
            "topics": len(pairs.scores.topics),
            "runs": len(best),
            "all_runs": len(places),
        }
        for at_r in risked.risks:
            for method in estimation.methods:
                for place, level in enumerate(estimation.levels):
                    medians = _medians(at_r, method, place, best)
                    yield RiskSummaryRow(**of_baseline, **medians, method=method, level=level)


def _best(pairs: PairedRuns, places: Positions, top: float) -> Positions:
    """Return those of the pairs at `places` whose runs have the best means, a share `top` of them.

    The number of pairs is rounded up.
    """
    number = math.ceil(Decimal(repr(top)) * len(places))  # 0.07 · 100 is more than 7 in floats
    rank = np.argsort(pairs.scores.by_mean)  # of each run by its mean, from 0, best first
    return places[np.argsort(rank[pairs.pairs.run[places]], kind="stable")[:number]]


def _medians(at_r: Risk, method: str, level: int, best: Positions) -> dict[str, Any]:
    """Return the fields of a summary over the pairs at the places `best`, by one method.

    `level` is the place of the level.
    """
    limits = at_r.limits[method].columns(best)
    doubts = at_r.doubts[method][level, best]
    errors = np.maximum(limits.low_error[level], limits.high_error[level])
    return {
        "r": whole_if_it_is(at_r.r),
        "urisk_minus": _median(at_r.urisk_minus[best]),
        **_with_notch("low", limits.low[level]),
        **_with_notch("high", limits.high[level]),
        **_from_t(limits, at_r.limits[T_TEST].columns(best), level),
        "disagree": _disagreeing(at_r, method, level, best),
        "shapiro_topics": _median(at_r.shapiro_topics[best]),
        "shapiro_bootstrap": _median(at_r.shapiro_bootstrap[best]),
        "doubts": int(np.bitwise_or.reduce(doubts)),
        "doubts_of_runs": tuple(doubts.tolist()),
        "error": _median(errors),  # stands for the error of the median, which is not known
    }


def _with_notch(name: str, values: FloatArray) -> dict[str, Any]:
    """Return the fields of a record with the median of values and its notch, under `name`.

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
    """Return the fields of a record that say how far limits are above those of t, in the median.

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


def _median(values: FloatArray) -> float:
    """Return the median of the values that are not NaN; NaN, if there are none."""
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else math.nan
