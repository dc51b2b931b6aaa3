"""How probable is it that A beats B?"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from confint_cli.common.errors import DataError, Notice, warning
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.table import Column, Table, columns_of, stacked
from confint_cli.common.text import count, listed, quoted, visible
from confint_cli.common.words import percent
from confint_cli.scores.scores import Scores
from confint_cli.stats.comparison import Differences, t_limits, welch_limits
from confint_cli.stats.estimate import fewest_draws
from confint_cli.stats.flags import FEW_TOPICS, Doubt
from confint_cli.stats.methods import MOST_DRAWS
from confint_cli.stats.methods.method import Ends
from confint_cli.stats.posterior import (
    FEWEST_TOPICS,
    NAME,
    Density,
    Known,
    Posterior,
    density_of,
    known_of_moments,
    known_of_pairs,
    posterior_of,
)
from confint_cli.studies.bayes_view import (
    Belief,
    Believed,
    Classical,
    Question,
    Rope,
    views,
)
from confint_cli.studies.checks import unusual_levels
from confint_cli.studies.doubts import note_of
from confint_cli.studies.draws import RandomDraws
from confint_cli.studies.pairing import PairedRuns, could_be_paired, paired_runs
from confint_cli.studies.rows import largest_error, too_uncertain

__all__ = ["Question", "bayes"]

_DRAWS = RandomDraws("draws", MOST_DRAWS, "choose a lower level")
_DRAWS_BEYOND = 10  # draws that lie beyond a limit, at the least
_UNCERTAIN_SD = 0.01  # the error of an sd, as a share of it, before we warn
_BEYOND_NORMAL = 3  # times the error of an sd of as many draws from a normal distribution
_DRAWS_WORTH_PROCESSES = 2_000_000  # fewer, of all pairs together, are drawn in one process
# Doubts about differences that are doubts about posteriors too: the model is of normal scores.
_CAREFUL = Doubt.FEW_TOPICS | Doubt.MOSTLY_TIES | Doubt.MOSTLY_ONE_VALUE | Doubt.SKEWED


def bayes(
    scores: Scores,
    baselines: tuple[str, ...],
    question: Question,
    *,
    paired: bool = True,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a table with a row for each measure, pair of runs and quantity, and notices.

    Runs are compared with each of `baselines`; if there is none, every two with each other. They
    are `paired` by their topics, or have topics of their own. Without `best_first`, runs stay in
    the order in which they come.
    """
    least = _DRAWS_BEYOND * fewest_draws(question.level, 2)
    _DRAWS.check(question.drawing.number, least, f"level {question.level}")
    pairs_by_measure, notices = paired_runs(
        scores, baselines, paired=paired, best_first=best_first, fewest=FEWEST_TOPICS
    )
    if not paired:
        notices += could_be_paired(scores)
    evidence = [_evidence(pairs, question) for pairs in pairs_by_measure]
    notices += _without_posterior(evidence)
    beliefs = _beliefs_by_measure(evidence, question, progress)
    by_measure = [
        Believed(pairs, of_pairs, question)
        for pairs, of_pairs in zip(pairs_by_measure, beliefs, strict=True)
    ]
    rows = [row for believed in by_measure for pair in believed.beliefs for row in pair.values()]
    notices += too_uncertain(rows, question.drawing.number, _DRAWS)
    notices += [*_long_tails(rows), *unusual_levels([question.level])]
    table = Table(
        title="",
        columns=stacked([_columns(believed) for believed in by_measure]),
        signature={
            "measures": ",".join(pairs.measure for pairs in pairs_by_measure),
            "error": f"{largest_error([row for row in rows if row.quantity == 'difference']):.2g}",
        },
        view=views(by_measure),
        for_figure={"density": [row.density for row in rows]},
    )
    return table, notices


@dataclass(frozen=True)
class _Evidence:
    """Pairs of runs by one measure, with figures for posteriors and the results of t tests."""

    pairs: PairedRuns
    known: Sequence[Known]  # of each pair
    classical: Sequence[Mapping[str, Classical]]  # of each pair, by quantity


def _evidence(pairs: PairedRuns, question: Question) -> _Evidence:
    differences = pairs.differences
    if pairs.paired:
        known = known_of_pairs(pairs.scores.values, pairs.pairs, differences)
        limits = t_limits(pairs.on_same_topics, (question.level,))
    else:
        known = known_of_moments(differences)
        limits = welch_limits(differences, (question.level,))
    threshold = question.thresholds["difference"]
    return _Evidence(pairs, known, [*_classical(differences, known, limits, threshold)])


def _classical(
    differences: Differences, known: Sequence[Known], limits: Ends, threshold: float
) -> Iterator[dict[str, Classical]]:
    """Yield, for each pair, what there is to say of each quantity without a posterior.

    The t test, or Welch's, is of the difference; of other quantities there is the sample's value.
    A pair on topics of their own has no correlation.
    """
    low, high = limits
    figures = (
        differences.difference,
        low[0],
        high[0],
        differences.p_above(threshold),
        differences.glass_delta,
        differences.glass_of_run,
    )
    by_pair = zip(*(figure.tolist() for figure in figures), strict=True)
    for of_pair, (*of_t_test, by_baseline, by_run) in zip(known, by_pair, strict=True):
        by_quantity = {
            "difference": Classical(*of_t_test),
            "glass_baseline": Classical(by_baseline),
            "glass_run": Classical(by_run),
        }
        if of_pair.r is not None:
            by_quantity["correlation"] = Classical(of_pair.r)
        yield by_quantity


def _without_posterior(evidence: Sequence[_Evidence]) -> list[Notice]:
    """Warn of pairs that have no posterior; raise an error if no pair has one."""
    pairs, total = [], 0
    first: DataError | None = None
    for of_measure in evidence:
        for pair, known in enumerate(of_measure.known):
            total += 1
            if known.why_no_posterior:
                run, baseline = of_measure.pairs.names(pair)
                measure = of_measure.pairs.measure
                first = first or _no_posterior(measure, run, baseline, known)
                why = note_of(known.why_no_posterior)
                pairs.append(f"{run} and {baseline} by {measure} ({why})")
    if first is None:
        return []
    if len(pairs) == total:
        raise first
    have = "has" if len(pairs) == 1 else "have"
    return [
        warning(f"{len(pairs)} of {count(total, 'pair')} {have} no posterior: {listed(pairs, 3)}")
    ]


def _no_posterior(measure: str, run: str, baseline: str, known: Known) -> DataError:
    """Return an error that says why two runs have no posterior."""
    so = "there is no posterior of their difference"
    if known.sd == 0 or known.baseline_sd == 0:
        constant = run if known.sd == 0 else baseline
        return DataError(
            "", f"the {visible(measure)} of {quoted(constant)} is the same on all topics: {so}"
        )
    names = f"{quoted(run)} and {quoted(baseline)}"
    if known.why_no_posterior == Doubt.IDENTICAL:
        return DataError("", f"{names} have the same {visible(measure)} on all topics: {so}")
    why = note_of(known.why_no_posterior)
    return DataError(
        "",
        f"the {visible(measure)} of {names} has {why}, one is the other shifted or stretched: {so}",
    )


def _beliefs_by_measure(
    evidence: Sequence[_Evidence], question: Question, progress: Progress
) -> Iterator[list[dict[str, Belief]]]:
    """Yield, for each measure, the beliefs about each pair, by quantity.

    Where there is much to draw, several processes draw, a pair each.
    """
    # Each task is the place of a measure, and that of a pair.
    tasks = [
        (place, pair)
        for place, of_measure in enumerate(evidence)
        for pair in range(len(of_measure.pairs))
    ]
    drawing = question.drawing
    settings = (evidence, replace(question, drawing=drawing.alone))
    large = len(tasks) * drawing.number >= _DRAWS_WORTH_PROCESSES
    results = drawing.workers.map(_worker, settings, tasks, large=large)
    done = 0
    for of_measure in evidence:
        beliefs = []
        for _ in of_measure.known:
            progress(done, len(tasks))
            beliefs.append(next(results))
            done += 1
        yield beliefs
    progress(done, len(tasks))


def _worker(
    evidence: Sequence[_Evidence], question: Question
) -> Callable[[tuple[int, int]], dict[str, Belief]]:
    def work(task: tuple[int, int]) -> dict[str, Belief]:
        place, pair = task
        return _beliefs(evidence[place], pair, question)

    return work


def _beliefs(evidence: _Evidence, pair: int, question: Question) -> dict[str, Belief]:
    """Return what is believed of a pair, by quantity."""
    known = evidence.known[pair]
    run, baseline = evidence.pairs.names(pair)
    why_none = known.why_no_posterior
    posterior = None if why_none else posterior_of(known, question.drawing)
    doubts = int(evidence.pairs.differences.doubts[pair]) & _CAREFUL
    note = ", ".join(filter(None, (note_of(doubts), note_of(why_none))))
    is_alone = len(evidence.pairs) == 1
    return {
        name: Belief(
            measure=evidence.pairs.measure,
            run=run,
            method=NAME,
            level=question.level,
            note=note,
            baseline=baseline,
            topics=known.topics,
            baseline_topics=known.baseline_topics,
            quantity=name,
            threshold=question.thresholds[name],
            classical=classical,
            density=_density(posterior, name, question, alone=is_alone),
            **_figures(posterior, name, question),
        )
        for name, classical in evidence.classical[pair].items()
    }


def _density(
    posterior: Posterior | None, name: str, question: Question, *, alone: bool
) -> Density | None:
    """Return the curve of a quantity for a figure; None, if it is not drawn.

    Of a pair that is not `alone`, only the curve of the difference is.
    """
    if posterior is None or not question.densities or not (alone or name == "difference"):
        return None
    density = density_of(posterior.quantities[name])
    return density if density.finite else None


def _figures(posterior: Posterior | None, name: str, question: Question) -> dict[str, Any]:
    """Return the fields of a belief that come from the posterior; without one, they are NaN."""
    if posterior is None:
        names = ("eap", "sd", "low", "high", "probability", "ess")
        return {**dict.fromkeys(names, math.nan), "error": 0.0, "sd_error": 0.0, "rope": None}
    quantity = posterior.quantities[name]
    sd, sd_error = quantity.sd_and_error()
    low, high, error = quantity.limits(question.level)
    rope = None
    if question.rope is not None and name == "difference":
        below, above = quantity.below(question.rope[0]), quantity.above(question.rope[1])
        rope = Rope(below, max(0.0, 1 - below - above), above)
    return {
        "eap": quantity.eap,
        "sd": sd,
        "sd_error": sd_error,
        "low": low,
        "high": high,
        "error": error,
        "probability": quantity.above(question.thresholds[name]),
        "ess": posterior.effective_draws,
        "rope": rope,
    }


def _long_tails(rows: Sequence[Belief]) -> list[Notice]:
    """Warn of sds of posteriors that depend much on the random numbers, as topics are few."""
    of_few_topics = [
        row
        for row in rows
        if min(row.topics, row.baseline_topics) < FEW_TOPICS
        and row.quantity != "correlation"  # it is between -1 and 1, and has no long tails
    ]
    uncertain = [
        row
        for row in of_few_topics
        if row.sd_error > max(_UNCERTAIN_SD, _BEYOND_NORMAL / math.sqrt(2 * row.ess)) * row.sd
    ]
    if not uncertain:
        return []
    worst = max(uncertain, key=lambda row: row.sd_error / row.sd)
    share = percent(round(min(worst.sd_error / worst.sd, 1.0), 2))
    return [
        warning(
            f"{count(min(worst.topics, worst.baseline_topics), 'topic')} leave the posterior such "
            f"long tails that its sd is uncertain by {share} ({worst.quantity}, "
            f"{visible(worst.measure)} of {visible(worst.run)}); more topics would help"
        )
    ]


def _columns(believed: Believed) -> list[Column]:
    rows = [row for pair in believed.beliefs for row in pair.values()]
    columns = columns_of(rows, ("measure", "run", "baseline", "topics"))
    if not believed.pairs.paired:
        columns += columns_of(rows, ["baseline_topics"])
    figures = ("quantity", "eap", "sd", "low", "high", "threshold", "probability")
    columns += columns_of(rows, figures, exact=["threshold"])
    columns.append(Column("ess", [_whole(row.ess) for row in rows]))
    if believed.question.rope is not None:
        columns += [
            Column(f"p_{name}", [getattr(row.rope, name) if row.rope else None for row in rows])
            for name in ("below", "within", "above")
        ]
    if believed.question.classical:
        columns += [
            Column("sample", [row.classical.sample for row in rows]),
            Column("confidence_low", [row.classical.low for row in rows]),
            Column("confidence_high", [row.classical.high for row in rows]),
            Column("p_one_sided", [row.classical.p for row in rows], significant=True),
        ]
    notes = [
        ", ".join(filter(None, [row.note, *believed.pairs.missing_of(pair)]))
        for pair, by_quantity in enumerate(believed.beliefs)
        for row in by_quantity.values()
    ]
    return [*columns, Column("note", notes)]


def _whole(number: float) -> int | None:
    """Return the nearest whole number; None for NaN."""
    return None if math.isnan(number) else round(number)
