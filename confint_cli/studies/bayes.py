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
from confint_cli.stats.comparison import t_limits, welch_limits
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
_DRAWS_BEYOND = 10  # a limit, at the least
_UNCERTAIN_SD = 0.01  # as a share of it
_BEYOND_NORMAL = 3  # times the uncertainty that as many draws of a normal distribution leave
_DRAWS_WORTH_PROCESSES = 2_000_000
# Doubts about differences that hold here too: the model is of normal scores.
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
    """Return a row for each measure, pair of runs, and quantity.

    Runs are compared with each baseline or, if there is none, every two with each other. They are
    `paired` by their topics, or have topics of their own.
    """
    least = _DRAWS_BEYOND * fewest_draws(question.level, 2)
    _DRAWS.check(question.drawing.number, least, f"level {question.level}")
    pairs, notices = paired_runs(
        scores, baselines, paired=paired, best_first=best_first, fewest=FEWEST_TOPICS
    )
    if not paired:
        notices += could_be_paired(scores)
    asked = [_asked(of, question) for of in pairs]
    notices += _without_posterior(asked)
    found = _believed(asked, question, progress)
    parts = [Believed(of, beliefs, question) for of, beliefs in zip(pairs, found, strict=True)]
    rows = [row for part in parts for pair in part.beliefs for row in pair.values()]
    notices += too_uncertain(rows, question.drawing.number, _DRAWS)
    notices += [*_long_tails(rows), *unusual_levels([question.level])]
    table = Table(
        title="",
        columns=stacked([_columns(part) for part in parts]),
        signature={
            "measures": ",".join(of.measure for of in pairs),
            "error": f"{largest_error([row for row in rows if row.quantity == 'difference']):.2g}",
        },
        view=views(parts),
        for_figure={"density": [row.density for row in rows]},
    )
    return table, notices


@dataclass(frozen=True)
class _Asked:
    """Pairs of runs, and of each what its posterior is drawn from, and what stands beside it."""

    of: PairedRuns
    known: Sequence[Known]
    classical: Sequence[Mapping[str, Classical]]  # by quantity


def _asked(of: PairedRuns, question: Question) -> _Asked:
    if of.paired:
        known = known_of_pairs(of.scores.values, of.pairs, of.known)
        limits = t_limits(of.on_same_topics, (question.level,))
    else:
        known = known_of_moments(of.known)
        limits = welch_limits(of.known, (question.level,))
    return _Asked(of, known, [*_classical(of, known, limits, question.thresholds["difference"])])


def _classical(
    of: PairedRuns, known: Sequence[Known], limits: Ends, threshold: float
) -> Iterator[dict[str, Classical]]:
    """Yield what the t test, or Welch's, says of each pair, and the sample's effect sizes."""
    found, (low, high) = of.known, limits
    figures = (found.difference, low[0], high[0], found.p_above(threshold))
    differences = zip(*(figure.tolist() for figure in figures), strict=True)
    sizes = zip(found.glass_delta.tolist(), found.glass_of_run.tolist(), strict=True)
    for one, difference, (by_baseline, by_run) in zip(known, differences, sizes, strict=True):
        own = {
            "difference": Classical(*difference),
            "glass_baseline": Classical(by_baseline),
            "glass_run": Classical(by_run),
        }
        yield own if one.r is None else own | {"correlation": Classical(one.r)}


def _without_posterior(asked: Sequence[_Asked]) -> list[Notice]:
    """Warn of pairs that have no posterior; refuse if none has one."""
    said, total = [], 0
    first: DataError | None = None
    for part in asked:
        for pair, known in enumerate(part.known):
            total += 1
            if known.why_no_posterior:
                run, baseline = part.of.names(pair)
                measure = part.of.measure
                first = first or _no_posterior(measure, run, baseline, known)
                said.append(
                    f"{run} and {baseline} by {measure} ({note_of(known.why_no_posterior)})"
                )
    if first is None:
        return []
    if len(said) == total:
        raise first
    have = "has" if len(said) == 1 else "have"
    return [
        warning(f"{len(said)} of {count(total, 'pair')} {have} no posterior: {listed(said, 3)}")
    ]


def _no_posterior(measure: str, run: str, baseline: str, known: Known) -> DataError:
    """Say why two runs have no posterior."""
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


def _believed(
    asked: Sequence[_Asked], question: Question, progress: Progress
) -> Iterator[list[dict[str, Belief]]]:
    """Yield what is believed of the pairs of each part; one after the other, or in processes."""
    tasks = [(part, pair) for part, own in enumerate(asked) for pair in range(len(own.of))]
    drawing = question.drawing
    settings = (asked, replace(question, drawing=drawing.alone))
    large = len(tasks) * drawing.number >= _DRAWS_WORTH_PROCESSES
    found = drawing.workers.map(_worker, settings, tasks, large=large)
    done = 0
    for own in asked:
        beliefs = []
        for _ in own.known:
            progress(done, len(tasks))
            beliefs.append(next(found))
            done += 1
        yield beliefs
    progress(done, len(tasks))


def _worker(
    asked: Sequence[_Asked], question: Question
) -> Callable[[tuple[int, int]], dict[str, Belief]]:
    def work(task: tuple[int, int]) -> dict[str, Belief]:
        place, pair = task
        return _beliefs(asked[place], pair, question)

    return work


def _beliefs(part: _Asked, pair: int, question: Question) -> dict[str, Belief]:
    """Return what is believed of each quantity of a pair."""
    known = part.known[pair]
    run, baseline = part.of.names(pair)
    why_none = known.why_no_posterior
    posterior = None if why_none else posterior_of(known, question.drawing)
    careful = int(part.of.known.doubts[pair]) & _CAREFUL
    note = ", ".join(filter(None, (note_of(careful), note_of(why_none))))
    return {
        name: Belief(
            measure=part.of.measure,
            run=run,
            method=NAME,
            level=question.level,
            note=note,
            baseline=baseline,
            topics=known.topics,
            baseline_topics=known.baseline_topics,
            quantity=name,
            threshold=question.thresholds[name],
            classical=own,
            density=_density(posterior, name, question, alone=len(part.of) == 1),
            **_figures(posterior, name, question),
        )
        for name, own in part.classical[pair].items()
    }


def _density(
    posterior: Posterior | None, name: str, question: Question, *, alone: bool
) -> Density | None:
    """Return the curve of a quantity, if it is drawn: of several pairs, only the difference is."""
    if posterior is None or not question.densities or not (alone or name == "difference"):
        return None
    density = density_of(posterior.quantities[name])
    return density if density.finite else None


def _figures(posterior: Posterior | None, name: str, question: Question) -> dict[str, Any]:
    """Return what the posterior says of a quantity."""
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
    """Warn of standard deviations of few topics that other random numbers would make others."""
    few = [
        row
        for row in rows
        if min(row.topics, row.baseline_topics) < FEW_TOPICS and row.quantity != "correlation"
    ]  # which has no long tails
    uncertain = [
        row
        for row in few
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


def _columns(part: Believed) -> list[Column]:
    rows = [row for pair in part.beliefs for row in pair.values()]
    columns = columns_of(rows, ("measure", "run", "baseline", "topics"))
    if not part.of.paired:
        columns += columns_of(rows, ["baseline_topics"])
    figures = ("quantity", "eap", "sd", "low", "high", "threshold", "probability")
    columns += columns_of(rows, figures, exact=["threshold"])
    columns.append(Column("ess", [_whole(row.ess) for row in rows]))
    if part.question.rope is not None:
        columns += [
            Column(f"p_{name}", [getattr(row.rope, name) if row.rope else None for row in rows])
            for name in ("below", "within", "above")
        ]
    if part.question.classical:
        columns += [
            Column("sample", [row.classical.sample for row in rows]),
            Column("confidence_low", [row.classical.low for row in rows]),
            Column("confidence_high", [row.classical.high for row in rows]),
            Column("p_one_sided", [row.classical.p for row in rows], significant=True),
        ]
    notes = [
        ", ".join(filter(None, [row.note, *part.of.missing_of(place)]))
        for place, pair in enumerate(part.beliefs)
        for row in pair.values()
    ]
    return [*columns, Column("note", notes)]


def _whole(number: float) -> int | None:
    return None if math.isnan(number) else round(number)
