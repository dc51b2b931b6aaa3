"""Scores of a run against the judgements of one judge, by pytrec_eval: those of trec_eval -c.

What pytrec_eval does not compute, ir_measures may (`beyond.py`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pytrec_eval

from confint_cli.common.arrays import FloatArray, Positions
from confint_cli.common.errors import DataError
from confint_cli.common.text import natural_key, quoted, visible
from confint_cli.inputs.judgements import Judgements
from confint_cli.inputs.reading import Reading, Series
from confint_cli.inputs.runs import Ranking, Run
from confint_cli.inputs.source import Source
from confint_cli.scores.beyond import Compute, calculator, library
from confint_cli.scores.bounds import Ranked, bounded, bounds, stacked
from confint_cli.scores.judgements import Judged, are_all_relevant, counts_of
from confint_cli.scores.odd_runs import about_what_is_judged
from confint_cli.scores.plan import Wanted
from confint_cli.scores.pool import RankedTopic
from confint_cli.scores.treatments import BOUNDS, CONDENSED, LARGEST, LEAST, SHARES, SKIP
from confint_cli.scores.unjudged import (
    NOTHING_BESIDES,
    Besides,
    depth_of,
    judged_documents,
    judged_share,
    ranked,
    without_unjudged,
)

_SCORER = f"pytrec_eval-terrier-{pytrec_eval.__version__}"
"""The library that computes the scores, as signatures name it."""


@dataclass(frozen=True)
class Scorer:
    """Scores runs against the judgements of one judge, in one process or thread."""

    evaluators: Mapping[int, pytrec_eval.RelevanceEvaluator]  # by level of relevance
    calculators: Mapping[str, Compute]  # by name of a measure beyond these
    judgements: Judgements
    plan: Sequence[Wanted]
    qrels: str
    by: str  # says in messages that it is not people who judged
    besides: Besides

    def reading(self, path: str, source: Source, run: Run) -> Reading:
        """Return the scores of a run on the judged topics that it has."""
        judged = self._judged_topics(source, run)
        rankings = {topic: run.rankings[topic] for topic in judged}
        used = self._condensed(rankings) if self.besides.treatment == SKIP else rankings
        series = self._scores(judged, rankings, used, source)
        tag = run.tags[0] if run.tags else None
        names = [wanted.name for wanted in self.plan]
        about = about_what_is_judged(source.name, run, self.judgements, self.by)
        return Reading(path, series, names, tag, notices=about)

    def beside(self, reading: Reading, source: Source, run: Run) -> Iterator[tuple[str, Reading]]:
        """Yield what is asked for beside the scores of a run, each under its name."""
        judged = self._judged_topics(source, run)
        rankings = {topic: run.rankings[topic] for topic in judged}

        def of(series: Sequence[Series]) -> Reading:
            names = [each.measure for each in series]
            return replace(reading, series=list(series), measures=names, notices=())

        if self.besides.shares:
            depth = depth_of(self._cutoffs)
            yield SHARES, of([self._shares(f"Judged@{depth}", depth, judged, rankings)])
        if self.besides.condensed and self._are_all_relevant:
            yield CONDENSED, of(reading.series)
        elif self.besides.condensed:
            yield CONDENSED, of(self._condensed_scores(reading, judged, rankings, source))
        if self.besides.treatment == BOUNDS:
            least, largest = self._bounds(reading, judged, rankings)
            yield LEAST, of(least)
            yield LARGEST, of(largest)

    def ranked(self, run: Run) -> dict[str, RankedTopic]:
        """Return the rankings of a run, if they are asked for."""
        if not self.besides.rankings:
            return {}
        return {
            topic: ranked(ranking, self.judgements[topic], self._depth, with_documents=True)
            for topic, ranking in run.rankings.items()
            if topic in self.judgements
        }

    @property
    def _cutoffs(self) -> list[int | None]:
        """The cutoffs of all measures; None: a measure has none."""
        return [wanted.depth for wanted in self.plan]

    @property
    def _depth(self) -> int | None:
        """How deep into rankings measures look; None: as deep as these go."""
        cutoffs = [cutoff for cutoff in self._cutoffs if cutoff is not None]
        return max(cutoffs) if len(cutoffs) == len(self.plan) else None

    def _condensed(self, rankings: Mapping[str, Ranking]) -> dict[str, Ranking]:
        """Return the rankings without documents that nobody judged."""
        return {
            topic: without_unjudged(ranking, self._documents[topic])
            for topic, ranking in rankings.items()
        }

    def _condensed_scores(
        self,
        reading: Reading,
        judged: Sequence[str],
        rankings: Mapping[str, Ranking],
        source: Source,
    ) -> list[Series]:
        """Return the scores of condensed lists; where all that measures see is judged, no others.

        Most topics of runs that made the pool are such, if measures have cutoffs.
        """
        places = [*range(len(judged))]
        depth = self._depth
        if depth is not None and not self.calculators:  # those may have ties in another order
            shares = self._shares("", depth, judged, rankings).values
            places = np.flatnonzero(shares < 1).tolist()
        if not places:
            return [*reading.series]
        topics = [judged[place] for place in places]
        chosen = {topic: rankings[topic] for topic in topics}
        condensed = []
        others = self._scores(topics, chosen, self._condensed(chosen), source)
        for own, other in zip(reading.series, others, strict=True):
            values = own.values.copy()
            values[places] = other.values
            condensed.append(replace(own, values=values))
        return condensed

    @cached_property
    def _are_all_relevant(self) -> bool:
        return are_all_relevant(self.judgements)

    @cached_property
    def _documents(self) -> dict[str, frozenset[str]]:
        """The judged documents of each topic."""
        return {topic: judged_documents(grades) for topic, grades in self.judgements.items()}

    def _bounds(
        self, reading: Reading, judged: Sequence[str], rankings: Mapping[str, Ranking]
    ) -> tuple[list[Series], list[Series]]:
        """Return the least and the largest scores over all judgements of unjudged documents."""
        seen = [
            ranked(rankings[topic], self.judgements[topic], self._depth, with_documents=False)
            for topic in judged
        ]
        run = Ranked(stacked([own.grades.tolist() for own in seen]))
        counts = np.array([self._counts[topic] for topic in judged])
        least, largest = [], []
        for wanted, scored in zip(self.plan, reading.series, strict=True):
            measure = bounded(wanted.name, wanted.level)
            if measure is None:  # a judged share, which no judgement changes
                least.append(scored)
                largest.append(scored)
                continue
            found = bounds(measure, run, counts)
            # Where all is judged, both are the score but for its digits, or for the last bits.
            own, digits = scored.values, scored.rounding
            low, high = np.minimum(found.least, own), np.maximum(found.largest, own)
            least.append(replace(scored, values=np.where(own - low <= digits, own, low)))
            largest.append(replace(scored, values=np.where(high - own <= digits, own, high)))
        return least, largest

    @cached_property
    def _counts(self) -> dict[str, Positions]:
        return counts_of(self.judgements)

    def _judged_topics(self, source: Source, run: Run) -> list[str]:
        """Return the judged topics of a run; raise DataError if there is none."""
        judged = [topic for topic in run.rankings if topic in self.judgements]
        if not judged:
            raise DataError(
                source.name,
                f"shares no topic with {visible(self.qrels)}",
                f"the run has topics such as {quoted(next(iter(run.rankings)))}, "
                f"the judgements {quoted(min(self.judgements, key=natural_key))}",
            )
        return judged

    def _shares(
        self, name: str, depth: int, judged: Sequence[str], rankings: Mapping[str, Ranking]
    ) -> Series:
        """Return the judged shares of rankings, as a measure of this name."""
        shares = [judged_share(rankings[topic], self.judgements[topic], depth) for topic in judged]
        return Series(None, name, judged, np.array(shares))

    def _scores(
        self,
        judged: Sequence[str],
        rankings: Mapping[str, Ranking],
        used: Mapping[str, Ranking],
        source: Source,
    ) -> list[Series]:
        """Return the scores by each measure of the rankings used, which may be condensed.

        Of one without documents, they are 0. Judged shares are of what was retrieved.
        """
        there = {topic: ranking for topic, ranking in used.items() if ranking}
        results = {level: evaluator.evaluate(there) for level, evaluator in self.evaluators.items()}
        places = [place for place, topic in enumerate(judged) if topic in there]
        every = []
        for wanted in self.plan:
            if wanted.judged_in is not None:
                every.append(self._shares(wanted.name, wanted.judged_in, judged, rankings))
                continue
            if len(there) == len(judged):
                every.append(self._series(wanted, judged, there, results, source))
                continue
            values = np.zeros(len(judged))
            if places:
                own = self._series(wanted, [*there], there, results, source)
                values[places] = own.values
            every.append(Series(None, wanted.name, judged, values))
        return every

    def _series(
        self,
        wanted: Wanted,
        judged: Sequence[str],
        rankings: Mapping[str, Ranking],
        results: Mapping[int, Mapping[str, Mapping[str, float]]],
        source: Source,
    ) -> Series:
        """Return the scores by a measure; `results` are those of pytrec_eval at each level."""
        if wanted.beyond is None:
            found = results[wanted.level]
            return Series(
                None, wanted.name, judged, _values([found[one] for one in judged], wanted)
            )
        try:
            values = self.calculators[wanted.name](rankings)
        except DataError as error:
            raise DataError(source.name, str(error), error.hint) from None
        return Series(None, wanted.name, judged, values, rounding=wanted.beyond.rounding)


def scorer_for(
    judged: Judged,
    plan: Sequence[Wanted],
    qrels: str,
    by: str = "",
    besides: Besides = NOTHING_BESIDES,
) -> Scorer:
    """Return what scores runs against the judgements of one judge."""
    judgements = judged.judgements
    names_at: dict[int, set[str]] = {}
    for wanted in plan:
        if wanted.trec_eval:
            names_at.setdefault(wanted.level, set()).add(wanted.trec_eval)
    safe_judgements = {
        topic: _with_a_judged_document(grades) for topic, grades in judgements.items()
    }
    evaluators = {
        level: pytrec_eval.RelevanceEvaluator(safe_judgements, names, relevance_level=level)
        for level, names in names_at.items()
    }
    calculators: dict[str, Compute] = {}
    for wanted in plan:
        if wanted.beyond is not None:
            calculators[wanted.name], _ = calculator(
                wanted.beyond, safe_judgements, judged.subtopics, qrels
            )
    return Scorer(evaluators, calculators, judgements, plan, qrels, by, besides)


def _values(results: Sequence[Mapping[str, float]], wanted: Wanted) -> FloatArray:
    """Return the scores by a measure, [topic], from pytrec_eval's results for each topic."""
    values = np.array([result[wanted.trec_eval] for result in results])
    if wanted.cutoff is None:
        return values
    # 1/rank is at least 1/k just when the rank is at most k; half a rank leaves room for rounding.
    return np.where(values > 1 / (wanted.cutoff + 0.5), values, 0.0)


def _with_a_judged_document(grades: dict[str, int]) -> dict[str, int]:
    """Return the grades of a topic in a form that pytrec_eval survives.

    It ends the process on a topic whose every grade is negative, that is unjudged. One document
    that no run retrieves, judged not relevant, changes no score of such a topic.
    """
    if all(grade < 0 for grade in grades.values()):
        return {**grades, "\x7f": 0}
    return grades


def libraries_of(plan: Sequence[Wanted]) -> str:
    """Return the libraries that compute the scores, as signatures name them."""
    names = [_SCORER] if any(wanted.beyond is None for wanted in plan) else []
    tools = dict.fromkeys(wanted.beyond.tool for wanted in plan if wanted.beyond is not None)
    if tools:
        names.append(f"{library()} ({', '.join(tools)})")
    return ", ".join(names)
