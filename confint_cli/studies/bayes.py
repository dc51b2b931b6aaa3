"""How probable is it that A beats B?"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any

from confint_cli.common.errors import DataError, Notice, warning
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.text import count, listed, quoted, visible
from confint_cli.common.words import percent
from confint_cli.scores.scores import Scores
from confint_cli.stats.comparison import Differences, t_limits, welch_limits
from confint_cli.stats.estimate import fewest_draws
from confint_cli.stats.flags import FEW_TOPICS, Doubt
from confint_cli.stats.methods import MOST_DRAWS
from confint_cli.stats.methods.method import Ends
from confint_cli.stats.names import CREDIBLE
from confint_cli.stats.posterior import (
    FEWEST_TOPICS,
    Density,
    Known,
    Posterior,
    density_of,
    known_of_moments,
    known_of_pairs,
    posterior_of,
)
from confint_cli.stats.random import Drawing
from confint_cli.studies.answer import Answer, Field, fields
from confint_cli.studies.bayes_view import view
from confint_cli.studies.checks import unusual_levels
from confint_cli.studies.columns import POSTERIORS, joined
from confint_cli.studies.doubts import note_of
from confint_cli.studies.draws import RandomDraws
from confint_cli.studies.facts import Facts, facts_of_chance, facts_of_computing, facts_of_pairs
from confint_cli.studies.limits import largest_error, too_uncertain
from confint_cli.studies.pairing import PairedRuns, could_be_paired, paired_runs
from confint_cli.studies.rows import BayesRow, Classical, Rope

_DRAWS = RandomDraws("draws", MOST_DRAWS, "choose a lower level")
_DRAWS_BEYOND = 10  # draws that lie beyond a limit, at the least
_UNCERTAIN_SD = 0.01  # the error of an sd, as a share of it, before we warn
_BEYOND_NORMAL = 3  # times the error of an sd of as many draws from a normal distribution
_DRAWS_WORTH_PROCESSES = 2_000_000  # fewer, of all pairs together, are drawn in one process
# Doubts about differences that are doubts about posteriors too: the model is of normal scores.
_CAREFUL = Doubt.FEW_TOPICS | Doubt.MOSTLY_TIES | Doubt.MOSTLY_ONE_VALUE | Doubt.SKEWED


@dataclass(frozen=True)
class Question:
    """What a user wants to know of each pair of runs."""

    level: float  # of credible intervals
    drawing: Drawing
    thresholds: Mapping[str, float]  # by quantity: the probability is that of being above it
    rope: tuple[float, float] | None = None  # the region of practical equivalence, if there is one
    classical: bool = False  # whether the results of a t test stand beside those of the posterior
    densities: bool = False  # whether a figure is certain to need curves: they cost less at once


def bayes(
    scores: Scores,
    baselines: tuple[str, ...],
    question: Question,
    *,
    paired: bool = True,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> Answer[BayesRow]:
    """Return a record for each measure, pair of runs and quantity.

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
    rows = list(_rows(evidence, question, progress))
    notices += too_uncertain(rows, question.drawing.number, _DRAWS)
    notices += [*_long_tails(rows), *unusual_levels([question.level])]
    facts: Facts = {
        **facts_of_pairs(scores, baselines, paired=paired),
        **_facts(question),
        "measures": tuple(pairs.measure for pairs in pairs_by_measure),
        "error": largest_error([row for row in rows if row.quantity == "difference"]),
    }
    columns = _fields(question, paired=paired)
    shown = partial(view, classical=question.classical)
    return Answer(rows, columns, facts, tuple(notices), shown)


def _facts(question: Question) -> Facts:
    """Return the facts about what is asked and drawn."""
    facts: Facts = {"level": question.level, "thresholds": question.thresholds}
    if question.rope is not None:
        facts["rope"] = question.rope
    facts.update(facts_of_computing())
    facts["draws"] = question.drawing.number
    facts.update(facts_of_chance(question.drawing.seed))
    return facts


def _fields(question: Question, *, paired: bool) -> tuple[Field, ...]:
    is_asked = {
        "unpaired": not paired,
        "rope": question.rope is not None,
        "classical": question.classical,
    }
    return fields(joined(POSTERIORS, is_asked), exact="threshold", significant="p_one_sided")


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
                pairs.append(f"{run} and {baseline} on {measure} ({why})")
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
    so = "the difference of the runs has no posterior"
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
        f"the {visible(measure)} scores of {names} have {why}, as one is the other shifted or "
        f"stretched: {so}",
    )


def _rows(
    evidence: Sequence[_Evidence], question: Question, progress: Progress
) -> Iterator[BayesRow]:
    """Yield the records: by each measure, of each pair, of each quantity.

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
    for done, (place, pair) in enumerate(tasks):
        progress(done, len(tasks))
        yield from _rows_of_pair(evidence[place], pair, next(results), question)
    progress(len(tasks), len(tasks))


_Figures = dict[str, Any]  # the fields of a record that come from a posterior


def _worker(
    evidence: Sequence[_Evidence], question: Question
) -> Callable[[tuple[int, int]], dict[str, _Figures]]:
    def work(task: tuple[int, int]) -> dict[str, _Figures]:
        place, pair = task
        return _figures_by_quantity(evidence[place], pair, question)

    return work


def _figures_by_quantity(evidence: _Evidence, pair: int, question: Question) -> dict[str, _Figures]:
    """Return what the posterior of a pair says, by quantity."""
    known, is_alone = evidence.known[pair], len(evidence.pairs) == 1
    posterior = None if known.why_no_posterior else posterior_of(known, question.drawing)
    by_quantity = {}
    for name in evidence.classical[pair]:
        figures = _figures(posterior, name, question)
        # Of a pair that is not alone, a figure has the curve of the difference only.
        is_drawn = question.densities and (is_alone or name == "difference")
        density = _density(posterior, name) if posterior and is_drawn else None
        by_quantity[name] = {**figures, "density": density}
    return by_quantity


def _rows_of_pair(
    evidence: _Evidence, pair: int, figures: Mapping[str, _Figures], question: Question
) -> Iterator[BayesRow]:
    """Yield the records of a pair, one of each quantity."""
    of_pair = evidence.pairs.fields_of(pair)
    doubts = int(evidence.pairs.differences.doubts[pair]) & _CAREFUL
    for name, classical in evidence.classical[pair].items():
        yield BayesRow(
            **of_pair,
            **figures[name],
            method=CREDIBLE,
            level=question.level,
            doubts=doubts,
            quantity=name,
            threshold=question.thresholds[name],
            classical=classical,
            known=evidence.known[pair],
        )


def with_densities(rows: Sequence[BayesRow], facts: Facts) -> list[BayesRow]:
    """Return the records with the curves of their posteriors; without one, `density` stays None.

    Curves that were not computed with the answer are made from the same draws, drawn once more.
    """
    drawing = Drawing(facts["draws"], facts["seed"])
    completed = []
    for known, pair in groupby(rows, lambda row: row.known):
        posterior = None
        for row in pair:
            density = row.density
            if density is None and not known.why_no_posterior:
                posterior = posterior or posterior_of(known, drawing)
                density = _density(posterior, row.quantity)
            completed.append(replace(row, density=density))
    return completed


def _density(posterior: Posterior, name: str) -> Density | None:
    """Return the curve of a quantity; None, if it cannot be drawn."""
    density = density_of(posterior.quantities[name])
    return density if density.finite else None


def _figures(posterior: Posterior | None, name: str, question: Question) -> _Figures:
    """Return the fields of a record that come from the posterior; without one, they are NaN."""
    if posterior is None:
        names = ("eap", "sd", "low", "high", "probability", "effective_draws")
        return {**dict.fromkeys(names, math.nan), "error": 0.0, "sd_error": 0.0, "rope": None}
    quantity = posterior.quantities[name]
    sd, sd_error = quantity.sd_and_error()
    low, high, error = quantity.limits(question.level)
    rope = None
    if question.rope is not None and name == "difference":
        below, above = quantity.below(question.rope[0]), quantity.above(question.rope[1])
        rope = Rope(below=below, within=max(0.0, 1 - below - above), above=above)
    return {
        "eap": quantity.eap,
        "sd": sd,
        "sd_error": sd_error,
        "low": low,
        "high": high,
        "error": error,
        "probability": quantity.above(question.thresholds[name]),
        "effective_draws": posterior.effective_draws,
        "rope": rope,
    }


def _long_tails(rows: Sequence[BayesRow]) -> list[Notice]:
    """Warn of sds of posteriors that depend much on the random numbers, as topics are few."""
    of_few_topics = [
        row
        for row in rows
        if min(row.topics, row.baseline_topics) < FEW_TOPICS
        and row.quantity != "correlation"  # it is between -1 and 1, and has no long tails
    ]
    uncertain = [row for row in of_few_topics if row.sd_error > _tolerated_error(row) * row.sd]
    if not uncertain:
        return []
    worst = max(uncertain, key=lambda row: row.sd_error / row.sd)
    share = percent(round(min(worst.sd_error / worst.sd, 1.0), 2))
    return [
        warning(
            f"{count(min(worst.topics, worst.baseline_topics), 'topic')} give the posterior such "
            f"long tails that its sd is uncertain by {share} ({worst.quantity}, "
            f"{visible(worst.measure)} of {visible(worst.run)}); more topics would help"
        )
    ]


def _tolerated_error(row: BayesRow) -> float:
    """Return the Monte Carlo error of an sd, as a share of it, up to which it is not worth a word.

    It is more where draws are few: a warning of few draws says so already.
    """
    return max(_UNCERTAIN_SD, _BEYOND_NORMAL / math.sqrt(2 * row.effective_draws))
