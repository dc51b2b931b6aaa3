"""How probable is it that A beats B?"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scipy.special import stdtr

from confint_cli.comparison import WELCH, Comparison, Testing, compare_paired, compare_unpaired
from confint_cli.errors import DataError, Notice, warning
from confint_cli.estimation import Estimation, note_on
from confint_cli.pairs import Pairs
from confint_cli.posterior import (
    FEWEST_TOPICS,
    NAME,
    Known,
    Posterior,
    known_of_moments,
    known_of_pairs,
    posterior_of,
)
from confint_cli.progress import Progress, no_progress
from confint_cli.scores import Scores
from confint_cli.studies._asked import unusual_levels
from confint_cli.studies._belief_view import in_general, views
from confint_cli.studies._believed import (
    KIND_OF,
    THRESHOLDS,
    Belief,
    Believed,
    Classical,
    Question,
    Rope,
)
from confint_cli.studies._comparable import comparable_groups, comparable_matrices, on_own_topics
from confint_cli.studies._limits import largest_error, too_uncertain
from confint_cli.table import Column, Table, stacked
from confint_cli.text import count, listed, quoted, visible

__all__ = ["THRESHOLDS", "Question", "bayes"]

_DRAWS = "draws"  # what random numbers are called here, and the option for their number
_TESTING = Testing(correction="none")


@dataclass(frozen=True)
class _Asked:
    """Pairs of runs by one measure, and what is known of each."""

    measure: str
    runs: tuple[str, ...]
    pairs: Pairs
    found: Comparison
    known: Sequence[Known]

    def names(self, pair: int) -> tuple[str, str]:
        """Return the names of the run and the baseline of a pair."""
        return self.runs[int(self.pairs.run[pair])], self.runs[int(self.pairs.baseline[pair])]

    @property
    def means(self) -> dict[str, float]:
        """The means of the runs."""
        found: dict[str, float] = {}
        for moments, places in (
            (self.found.run, self.pairs.run),
            (self.found.baseline, self.pairs.baseline),
        ):
            names = (self.runs[int(place)] for place in places)
            found |= zip(names, moments.mean.tolist(), strict=True)
        return found


def bayes(
    scores: Scores,
    baselines: tuple[str, ...],
    question: Question,
    signature: Mapping[str, str],
    *,
    paired: bool = True,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a row for each measure, pair of runs, and quantity.

    Runs are compared with each baseline or, if there is none, every two with each other. They are
    `paired` by their topics, or have topics of their own.
    """
    known_of = _on_the_same_topics if paired else _on_own_topics
    asked, notices = known_of(scores, baselines, _estimation(question), best_first=best_first)
    notices += _without_posterior(asked)
    parts = _believed(asked, baselines, question, progress, paired=paired)
    rows = [row for part in parts for pair in part.pairs for row in pair.values()]
    notices += too_uncertain(rows, question.drawing.number, _DRAWS)
    notices += unusual_levels([question.level])
    table = Table(
        title="",
        columns=stacked([_columns(part) for part in parts]),
        signature={
            **signature,
            "measures": ",".join(part.measure for part in parts),
            "error": f"{largest_error(rows):.2g}",
        },
        sentence=in_general(parts),
        view=views(parts),
    )
    return table, notices


def _on_the_same_topics(
    scores: Scores, baselines: tuple[str, ...], how: Estimation, *, best_first: bool
) -> tuple[list[_Asked], list[Notice]]:
    matrices, notices = comparable_matrices(scores, baselines, fewest=FEWEST_TOPICS)
    asked = []
    for matrix in matrices:
        ordered = matrix.best_first() if best_first else matrix
        pairs = Pairs.among(ordered.runs, baselines)
        found = compare_paired(ordered.values, pairs, how, _TESTING)
        known = known_of_pairs(ordered.values, pairs, found)
        asked.append(_Asked(matrix.measure, ordered.runs, pairs, found, known))
    return asked, notices


def _on_own_topics(
    scores: Scores, baselines: tuple[str, ...], how: Estimation, *, best_first: bool
) -> tuple[list[_Asked], list[Notice]]:
    groups, about_topics = on_own_topics(scores, best_first=best_first)
    groups, notices = comparable_groups(groups, baselines, fewest=FEWEST_TOPICS)
    asked = []
    for group in groups:
        pairs = Pairs.among(group.runs, baselines)
        found = compare_unpaired(group.moments, pairs, how.levels, _TESTING)
        asked.append(_Asked(group.measure, group.runs, pairs, found, known_of_moments(found)))
    return asked, notices + about_topics


def _estimation(question: Question) -> Estimation:
    """Return what asks for the classical interval; refuse too few draws for the level."""
    how = Estimation(("t",), (question.level,), question.drawing.number)
    how.check_resamples(how.fewest_for(2), draws=_DRAWS)
    return how


def _believed(
    asked: Sequence[_Asked],
    baselines: tuple[str, ...],
    question: Question,
    progress: Progress,
    *,
    paired: bool,
) -> list[Believed]:
    total, done = sum(len(part.pairs) for part in asked), 0
    parts = []
    for part in asked:
        beliefs = []
        for pair in range(len(part.pairs)):
            progress(done, total)
            beliefs.append(_beliefs(part, pair, question))
            done += 1
        parts.append(Believed(part.measure, baselines, part.means, beliefs, question, paired))
    progress(done, total)
    return parts


def _without_posterior(asked: Sequence[_Asked]) -> list[Notice]:
    """Warn of pairs that have no posterior; refuse if none has one."""
    said, total = [], 0
    first: DataError | None = None
    for part in asked:
        for pair, known in enumerate(part.known):
            total += 1
            if known.why_no_posterior:
                run, baseline = part.names(pair)
                first = first or _no_posterior(part.measure, run, baseline, known)
                said.append(f"{run} and {baseline} by {part.measure} ({known.why_no_posterior})")
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
    if known.why_no_posterior == "identical":
        return DataError("", f"{names} have the same {visible(measure)} on all topics: {so}")
    return DataError(
        "",
        f"the {visible(measure)} of {names} has {known.why_no_posterior}, one is the other shifted "
        f"or stretched: {so}",
    )


def _beliefs(part: _Asked, pair: int, question: Question) -> dict[str, Belief]:
    """Return what is believed of each quantity of a pair."""
    known = part.known[pair]
    run, baseline = part.names(pair)
    why_none = known.why_no_posterior
    posterior = None if why_none else posterior_of(known, question.drawing)
    few = note_on(min(known.topics, known.baseline_topics), varies=True)
    classical = _classical(part.found, pair, known, question)
    names = [name for name in KIND_OF if name != "correlation" or known.r is not None]
    return {
        name: Belief(
            measure=part.measure,
            run=run,
            method=NAME,
            level=question.level,
            note=", ".join(filter(None, (few, why_none))),
            baseline=baseline,
            topics=known.topics,
            baseline_topics=known.baseline_topics,
            quantity=name,
            threshold=question.thresholds[KIND_OF[name]],
            classical=classical[name],
            **_figures(posterior, name, question),
        )
        for name in names
    }


def _figures(posterior: Posterior | None, name: str, question: Question) -> dict[str, Any]:
    """Return what the posterior says of a quantity."""
    if posterior is None:
        names = ("eap", "sd", "low", "high", "probability", "ess")
        return {**dict.fromkeys(names, math.nan), "error": 0.0, "rope": None}
    quantity = posterior.quantities[name]
    low, high, error = quantity.limits(question.level)
    rope = None
    if question.rope is not None and name == "difference":
        over, above = map(quantity.above, question.rope)
        rope = Rope(1 - over, over - above, above)
    return {
        "eap": quantity.eap,
        "sd": quantity.sd,
        "low": low,
        "high": high,
        "error": error,
        "probability": quantity.above(question.thresholds[KIND_OF[name]]),
        "ess": posterior.effective_draws,
        "rope": rope,
    }


def _classical(
    found: Comparison, pair: int, known: Known, question: Question
) -> dict[str, Classical]:
    """Return what the t test, or Welch's, says of a pair, and the sample's effect sizes."""
    limits = found.limits.get(WELCH) or found.limits["t"]
    difference, se = float(found.difference[pair]), float(found.se[pair])
    above = difference - question.thresholds["difference"]
    t = above / se if se > 0 else math.copysign(math.inf, above)
    parts = {
        "difference": Classical(
            difference,
            float(limits.low[0, pair]),
            float(limits.high[0, pair]),
            float(stdtr(found.df[pair], -t)),
        ),
        "glass_baseline": Classical(_ratio(difference, known.baseline_sd)),
        "glass_run": Classical(_ratio(difference, known.sd)),
    }
    return parts if known.r is None else parts | {"correlation": Classical(known.r)}


def _ratio(difference: float, sd: float) -> float:
    return difference / sd if sd > 0 else math.nan


def _columns(part: Believed) -> list[Column]:
    rows = [row for pair in part.pairs for row in pair.values()]

    def of_rows(*names: str) -> list[Column]:
        return [
            Column(name, [getattr(row, name) for row in rows], exact=name == "threshold")
            for name in names
        ]

    columns = of_rows("measure", "run", "baseline", "topics")
    if not part.paired:
        columns += of_rows("baseline_topics")
    columns += of_rows("quantity", "eap", "sd", "low", "high", "threshold", "probability")
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
    return [*columns, *of_rows("note")]


def _whole(number: float) -> int | None:
    return None if math.isnan(number) else round(number)
