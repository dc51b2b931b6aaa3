"""What was asked and what was used: the facts behind a result, and the signature made from them.

A fact is a value of its own type, for whoever reads a result; the signature is its label, in which
facts are texts. Whoever needs a fact asks for the fact: nobody reads a signature.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from confint_cli.common.text import BAR

if TYPE_CHECKING:  # every call looks at all output formats, which know answers, and these facts
    from confint_cli.scores.scores import Scores
    from confint_cli.stats.estimate import Estimation


class Facts(TypedDict, total=False):
    """The facts behind a result, in the order in which the signature has them."""

    confint: str  # the version
    command: str
    topics: int
    collections: int  # how many there are, if there are several
    for_new: str  # whom a result over them is for: new `topics` of these, or new `collections`
    groups: int  # how many there are, if topics come in groups
    group_noun: str  # what a group is called
    grouped_by: str  # the pattern, the name of the file or of the column that tells groups
    group_weight: str  # whether groups count by their `size` or are `equal`
    repeats: tuple[int, ...]  # how many runs have, in ascending order, if there are any
    bounds: bool  # whether scores are known between bounds only
    judge: str  # the name of a cheaper judge's file, if there is one beside people
    judge_topics: int  # how many topics it has judged
    labels: tuple[str, ...]  # the patterns that name runs and collections
    runs: int
    measures: tuple[str, ...]
    missing: str  # what became of topics that some run lacks
    left_out: int  # files
    only: str  # the name of the file that lists the topics
    every: int  # 2: every second topic
    qrels: str  # the name of the file of judgements
    scored: str  # by which program and version
    rel_level: int  # the lowest grade that is relevant
    unjudged: str  # what became of documents that nobody judged, if they do not count as usual
    standardize: str  # what scores were standardised by in this call
    scale: tuple[str, ...]  # of each measure; empty: not standardised
    methods: tuple[str, ...]
    levels: tuple[float, ...]
    level: float  # of credible intervals
    pairs: tuple[str, ...]  # the baselines; empty: every two runs were compared
    paired: bool  # whether runs are on the same topics
    paired_repeats: bool  # whether repeats of one name are paired, if they are
    differences: tuple[str, ...]  # as `pairs`, of differences that are described
    thresholds: Mapping[str, float]  # by quantity
    rope: tuple[float, float]
    computed: str  # by which library and version
    resamples: int | str  # `ideal`, or how many
    replicates: int
    sample_size: tuple[int, ...]  # empty: as many topics as there are
    replacement: bool
    draws: int
    seed: int
    random: str  # by which library and version
    r: tuple[float, ...]  # weights of losses
    top: float  # the share of the runs that a summary is of
    tests: tuple[str, ...]
    correct: str
    meta: tuple[str, ...]  # methods of a meta-analysis, if there is one
    family: tuple[int, ...]  # comparisons that p holds for, by each measure that has another number
    max_t: str  # `strict`, if it is
    margin: float  # within which a difference does not matter
    effect_intervals: bool  # whether effect sizes have intervals, if they do
    fail_if: str  # what makes a call fail, if anything does
    power: float
    assurance: float
    reference: str  # the runs that were standardised by
    factors: str  # or the name of the file of factors
    transform: str
    error: float  # the largest Monte Carlo error


def _shown(value: Any) -> str:
    """Return a fact as most of them are shown: several values by commas."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _thresholds(by_quantity: Mapping[str, float]) -> str:
    """Return `difference=0,glass=0.2,correlation=0.9`; two of `glass` if its thresholds differ."""
    by_baseline, by_run = by_quantity["glass_baseline"], by_quantity["glass_run"]
    by_name: dict[str, float] = {}
    for name, value in by_quantity.items():
        together = name.startswith("glass") and by_baseline == by_run
        by_name["glass" if together else name] = value
    return ",".join(f"{name}={value:.15g}" for name, value in by_name.items())


_TEXTS: Mapping[str, Callable[[Any], str]] = {  # of facts that are not shown as most of them are
    "pairs": lambda baselines: f"with {','.join(baselines)}" if baselines else "all",
    "differences": lambda baselines: f"to {','.join(baselines)}" if baselines else "every two",
    "sample_size": lambda sizes: _shown(sizes) or "topics",
    "thresholds": _thresholds,
    "rope": lambda ends: f"{ends[0]:.15g}..{ends[1]:.15g}",
    "r": lambda weights: ",".join(f"{weight:.15g}" for weight in weights),
    "top": lambda share: f"{share:.15g}",
    "margin": lambda margin: f"{margin:.15g}",
    "error": lambda error: f"{error:.2g}",
}


_GOES_WITHOUT_SAYING = {"risk": ("paired",), "summary": ("pairs", "paired")}  # by command
_ONLY_FOR_WORDS = ("group_noun", "bounds")


def signature_of(facts: Facts) -> dict[str, str]:
    """Return the signature: each fact as text, by its name as options are written."""
    left_out = (*_GOES_WITHOUT_SAYING.get(facts.get("command", ""), ()), *_ONLY_FOR_WORDS)
    return {
        name.replace("_", "-"): _TEXTS.get(name, _shown)(value)
        for name, value in facts.items()
        if name not in left_out
    }


def in_one_line(signature: Mapping[str, str]) -> str:
    """Return a signature as text: `confint:0.1.0|command:score|topics:50`.

    Entries are separated by bars, and `BAR` is a bar in a value.
    """
    return "|".join(f"{key}:{value.replace('|', BAR)}" for key, value in signature.items())


def merged(first: Facts, *others: Facts) -> Facts:
    """Return all facts; where two have one name, the value is the latter's, the place the first's.

    Only an update in place keeps the order that a signature has.
    """
    facts: Facts = {**first}
    for other in others:
        facts.update(other)
    return facts


def is_standardized(facts: Facts, measure: str) -> bool:
    """Say whether the scores by a measure are standardised, in this call or before it."""
    if "standardize" in facts:
        return True
    scales = dict(zip(facts.get("measures", ()), facts.get("scale", ()), strict=False))
    return bool(scales.get(measure))


def facts_of_estimation(
    estimation: "Estimation",
    scores: "Scores | None" = None,
    sampling: Facts | None = None,
    *,
    drawn: bool = True,
    always: bool = False,
) -> Facts:
    """Return the facts about intervals; `sampling` are those about samples.

    The `scores` know whether the runs that they were standardised by were drawn at random. `drawn`
    says whether some limits come from resamples, as they do unless the bootstrap is ideal. There is
    a bootstrap if a method needs one, or `always`.
    """
    facts: Facts = {
        "methods": estimation.methods,
        "levels": estimation.levels,
        **facts_of_computing(),
    }
    has_bootstrap = estimation.resampling or always
    if has_bootstrap:
        facts["resamples"] = resamples_of(estimation)
    facts.update(sampling or {})
    if (has_bootstrap and drawn) or sampling or (scores is not None and scores.by_drawn_runs):
        facts.update(facts_of_chance(estimation.seed))
    return facts


def resamples_of(estimation: "Estimation") -> int | str:
    """Return how many resamples there are, or that the bootstrap is ideal."""
    return "ideal" if estimation.resamples is None else estimation.resamples


def facts_of_pairs(scores: "Scores", baselines: tuple[str, ...], *, paired: bool) -> Facts:
    """Return the facts about which runs are compared; no `baselines`: every two are."""
    facts: Facts = {"pairs": baselines, "paired": paired}
    if not paired and not scores.judged:
        facts["missing"] = "own topics"
    return facts


def facts_of_computing() -> Facts:
    """Return the version of scipy, as it computes distributions such as t.

    Their digits from the tenth on have changed with its versions.
    """
    from scipy.version import version

    return {"computed": f"scipy-{version}"}


def facts_of_chance(seed: int) -> Facts:
    """Return seed and version of numpy: another version may draw otherwise."""
    import numpy as np

    return {"seed": seed, "random": f"numpy-{np.__version__}"}
