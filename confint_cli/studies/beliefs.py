"""What is believed of pairs of runs: asked of the posterior, one pair after the other."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from confint_cli.common.progress import Progress
from confint_cli.stats.comparison import Comparison
from confint_cli.stats.methods.method import MOSTLY_ONE_VALUE, SKEWED
from confint_cli.stats.pairs import Pairs
from confint_cli.stats.posterior import NAME, Density, Known, Posterior, density_of, posterior_of
from confint_cli.stats.random import Drawing
from confint_cli.studies.rows import Bounded

_DRAWS_WORTH_PROCESSES = 2_000_000
# Words of the comparison's notes that hold here too: the model is of normal scores.
_CAREFUL = ("few topics", "mostly ties", MOSTLY_ONE_VALUE, SKEWED)

THRESHOLDS = {"difference": 0.0, "glass_baseline": 0.2, "glass_run": 0.2, "correlation": 0.9}
"""Each quantity that there is a posterior of, and what the probability is of being above."""


@dataclass(frozen=True)
class Question:
    """What is asked of each pair of runs."""

    level: float
    drawing: Drawing
    thresholds: Mapping[str, float]  # of each quantity
    rope: tuple[float, float] | None = None  # the region of practical equivalence
    classical: bool = False  # whether what a t test says is to stand beside it
    densities: bool = False  # whether there is a figure to be drawn


@dataclass(frozen=True)
class Rope:
    """How probable it is that a difference lies below, within and above a region."""

    below: float
    within: float
    above: float


@dataclass(frozen=True)
class Classical:
    """What there is without a posterior; of some quantities only the sample's value."""

    sample: float  # NaN if it has none
    low: float | None = None
    high: float | None = None
    p: float | None = None  # one-sided, against a quantity no larger than the threshold


@dataclass(frozen=True)
class Belief(Bounded):
    """What is believed of one quantity of a pair of runs; NaN where there is no posterior."""

    baseline: str
    topics: int
    baseline_topics: int
    quantity: str
    eap: float
    sd: float
    sd_error: float  # by the draws
    threshold: float
    probability: float
    ess: float
    rope: Rope | None
    classical: Classical
    density: Density | None  # if it is asked for, and there is a posterior


@dataclass(frozen=True)
class Asked:
    """Pairs of runs by one measure, and what is known of each."""

    measure: str
    runs: tuple[str, ...]
    pairs: Pairs
    found: Comparison
    known: Sequence[Known]
    missing: Mapping[str, str] = field(default_factory=dict)  # what to note on topics runs lack


@dataclass(frozen=True)
class Believed:
    """What is believed of each of these pairs, by quantity."""

    asked: Asked
    beliefs: Sequence[Mapping[str, Belief]]
    baselines: tuple[str, ...]  # none: all pairs
    question: Question

    @property
    def paired(self) -> bool:
        """Whether the runs are on the same topics."""
        return self.asked.found.paired


def believed(
    asked: Sequence[Asked], question: Question, progress: Progress
) -> Iterator[list[dict[str, Belief]]]:
    """Yield what is believed of the pairs of each part; one after the other, or in processes."""
    tasks = [(part, pair) for part, own in enumerate(asked) for pair in range(len(own.pairs))]
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
    asked: Sequence[Asked], question: Question
) -> Callable[[tuple[int, int]], dict[str, Belief]]:
    classical = [_classical(part, question.thresholds["difference"]) for part in asked]

    def work(task: tuple[int, int]) -> dict[str, Belief]:
        place, pair = task
        return _beliefs(asked[place], pair, question, classical[place][pair])

    return work


def _beliefs(
    part: Asked, pair: int, question: Question, classical: Mapping[str, Classical]
) -> dict[str, Belief]:
    """Return what is believed of each quantity of a pair."""
    known = part.known[pair]
    run, baseline = part.pairs.names(pair, part.runs)
    why_none = known.why_no_posterior
    posterior = None if why_none else posterior_of(known, question.drawing)
    (notes,) = part.found.notes.values()
    careful = [word for word in notes[0, pair].split(", ") if word in _CAREFUL]
    return {
        name: Belief(
            measure=part.measure,
            run=run,
            method=NAME,
            level=question.level,
            note=", ".join(filter(None, (*careful, why_none))),
            baseline=baseline,
            topics=known.topics,
            baseline_topics=known.baseline_topics,
            quantity=name,
            threshold=question.thresholds[name],
            classical=own,
            density=_density(posterior, name, question, alone=len(part.pairs) == 1),
            **_figures(posterior, name, question),
        )
        for name, own in classical.items()
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


def _classical(part: Asked, threshold: float) -> list[dict[str, Classical]]:
    """Return what the t test, or Welch's, says of each pair, and the sample's effect sizes."""
    found = part.found
    (limits,) = found.limits.values()
    figures = (found.difference, limits.low[0], limits.high[0], found.p_above(threshold))
    differences = zip(*(figure.tolist() for figure in figures), strict=True)
    sizes = zip(found.glass_delta.tolist(), found.glass_of_run.tolist(), strict=True)
    quantities = []
    for one, difference, (by_baseline, by_run) in zip(part.known, differences, sizes, strict=True):
        own = {
            "difference": Classical(*difference),
            "glass_baseline": Classical(by_baseline),
            "glass_run": Classical(by_run),
        }
        quantities.append(own if one.r is None else own | {"correlation": Classical(one.r)})
    return quantities
