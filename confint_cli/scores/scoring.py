"""From judgements and runs to scores, by pytrec_eval: the same numbers as trec_eval -c.

What pytrec_eval does not compute, ir_measures may (`beyond.py`).
"""

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pytrec_eval

from confint_cli.common.arrays import FloatArray, Positions
from confint_cli.common.errors import CallError, DataError, Notice, detail, note, told_once, warning
from confint_cli.common.measures import DEFAULTS, is_mean_of_topics, parsed, why_not_a_mean
from confint_cli.common.parallel import ALONE, Workers, map_files
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.text import count, have, listed, natural_key, quoted, visible
from confint_cli.common.words import series
from confint_cli.inputs.judgements import (
    Judgements,
    judgements_in_comments,
    read_judgements,
    read_subtopics,
)
from confint_cli.inputs.reading import Reading, Series
from confint_cli.inputs.runs import MOST_TAGS, Ranking, Run, documents_in_comments, read_run
from confint_cli.inputs.source import STDIN, Source, name_of, read_source, total_size
from confint_cli.scores.beyond import Beyond, Compute, calculator, find, library
from confint_cli.scores.bounds import (
    Ranked,
    bounded,
    bounds,
    grade_counts,
    stacked,
    why_refused,
)
from confint_cli.scores.judgements import compared
from confint_cli.scores.labels import judgements_of
from confint_cli.scores.pool import RankedTopic
from confint_cli.scores.treatments import (
    BOUNDS,
    CONDENSED,
    IRRELEVANT,
    LARGEST,
    LEAST,
    SHARES,
    SKIP,
)
from confint_cli.scores.unjudged import (
    Besides,
    depth_of,
    judged_documents,
    judged_share,
    ranked,
    without_unjudged,
)

NO_COLLECTIONS: Mapping[str, str] = {}
SCORER = f"pytrec_eval-terrier-{pytrec_eval.__version__}"
"""The library that computes the scores, as signatures name it."""

_WORTH_A_PROCESS = 2_000_000  # bytes of runs; below, starting processes takes longer than scoring
_MANY_TIED = 10  # one tied topic in ten is worth a warning; a query that finds little may tie

_OF_JUDGED_ONLY = ("bpref", "infAP")  # their formulas need documents judged not relevant

_PEOPLE = "people"
_JUDGE = "the judge"  # the one besides people, in messages
_JUDGED = re.compile(r"judged@([0-9]{1,6})", re.IGNORECASE)  # ir_measures' name of a judged share

_CONTRADICTED = (
    "ranks contradict scores; the scores decide, as in trec_eval (if the scores are distances, "
    "negate them; if the ranks are right, use minus the rank as the score)"
)
_TIED_RBP = (
    "documents of a topic are tied: RBP takes them in the order of lines, its bounds in "
    "trec_eval's order, so the bounds may be off"
)
_TIED = (
    "all documents of a topic have the same score: they are ordered by id, as in trec_eval, which "
    "means nothing (give scores that differ, such as minus the rank)"
)


@dataclass(frozen=True)
class Scored:
    """A reading for each run that could be scored, and the topics that were judged."""

    topics: Mapping[str, tuple[str, ...]]  # by collection; by an empty name, if there is one only
    readings: list[Reading]
    left_out: Mapping[str, DataError]  # the errors about runs that cannot be used, by path
    notices: list[Notice]
    scorer: str  # the libraries that computed the scores
    judge: "Scored | None" = None  # the same by a cheaper judge, if there is one
    besides: Mapping[str, list[Reading]] = field(default_factory=dict)
    """What `Besides` asks for, by its names; readings are of the same runs."""
    rankings: Mapping[str, Mapping[str, RankedTopic]] = field(default_factory=dict)
    """By the path of a run and by topic, if these are asked for."""
    counts: Mapping[str, Mapping[str, Positions]] = field(default_factory=dict)
    """How many documents have each grade, by collection and topic, if bounds are asked for."""
    of_relevant_only: Collection[str] = ()
    """The collections whose judgements list relevant documents only, so that judged shares are
    unknown; an empty name, if there is one only."""


NOTHING_BESIDES = Besides()


def score_runs(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    *,
    judge: str | None = None,
    collections: Mapping[str, str] = NO_COLLECTIONS,
    rel_level: int = 1,
    besides: Besides = NOTHING_BESIDES,
    workers: Workers = ALONE,
    forgiving: bool = False,
    progress: Progress = no_progress,
) -> Scored:
    """Return the scores of run files against the judgements in `qrels`.

    There may be judgements by a cheaper `judge` too, and there may be more to compute, `besides`,
    for documents that nobody judged: every run is read once for all of it. Runs may be of several
    `collections` (by path), whose names then stand in the path of the judgements instead of
    `{collection}`. An error about a run is raised, unless scoring is `forgiving`: then the run is
    left out.
    """
    names = [*measures] or [*DEFAULTS]
    plan, about_plan = _plan(names, rel_level)
    if besides.treatment == BOUNDS:
        _check_bounded(plan)
    by_judges = (qrels,) if judge is None else (qrels, judge)
    if workers.distant and STDIN in (*by_judges, *runs):
        raise CallError("workers of a cluster cannot read standard input (-)", "give files")
    for path in runs if collections else ():
        if path != STDIN and not os.path.exists(path):
            read_source(path)  # raises the error about it, before one about its judgements
    own_qrels = {path: _paths_of(by_judges, collections.get(path, "")) for path in runs}
    collection_of = {own_qrels[path]: collections.get(path, "") for path in runs} or {by_judges: ""}
    topics: tuple[dict[str, tuple[str, ...]], ...] = tuple({} for _ in by_judges)
    digests: dict[str, str] = {}
    counts: dict[str, dict[str, Positions]] = {}
    of_relevant_only: list[str] = []
    notices: list[Notice] = []
    for paths, collection in sorted(collection_of.items(), key=lambda item: natural_key(item[1])):
        judged: list[_Judged] = []
        about: list[Notice] = []
        for path, of_judge in zip(paths, topics, strict=True):
            source = _judgements_in(path, collection)
            judged.append(_read_judged(source, plan))
            of_judge[collection] = tuple(sorted(judged[-1].judgements, key=natural_key))
            if workers.distant:
                digests[path] = source.digest
            own = [*_beyond_notices(plan, judged[-1], path)]
            own += told_once(
                _taken_for_comments(source, judgements_in_comments(source), "a judgement")
            )
            own += _notices(judged[-1].judgements, plan)
            is_judge = len(judged) > 1
            about += [replace(one, text=f"{_JUDGE}: {one.text}") if is_judge else one
                      for one in own]  # fmt: skip
        if besides.shares and _are_all_relevant(judged[0].judgements):
            of_relevant_only.append(collection)
            only = _about_relevant_only(name_of(paths[0]), besides.treatment, plan)
            about += only if collection else told_once(only)
        if besides.treatment != IRRELEVANT:
            about += _of_treatment(judged[0].judgements, plan, besides.treatment)
        if besides.rankings:
            counts[collection] = _counts(judged[0].judgements)
        if judge is not None:
            found = compared(judged[0].judgements, judged[1].judgements, paths)
            about += found if collection else told_once(found)
        notices += [replace(notice, about=collection) for notice in about] if collection else about
    make_worker: Callable[..., Callable[[str], _Outcome]] = _make_scorer
    settings: tuple[Any, ...] = (judged, plan, by_judges, besides)
    if workers.distant or len(collection_of) > 1:
        make_worker = _make_reading_scorer
        settings = (own_qrels, digests, plan, besides, os.getcwd() if workers.distant else "")
        del judged  # of the last collection: a worker reads those of one collection at a time
    elif collections:
        settings = (judged, plan, next(iter(collection_of)), besides)
    order = {path: place for place, path in enumerate(runs)}
    several = len(collection_of) > 1
    by_collection = sorted(runs, key=lambda path: own_qrels[path]) if several else runs
    outcomes: list[_Outcome] = []
    left_out: dict[str, DataError] = {}
    for path, outcome in map_files(
        make_worker,
        settings,
        by_collection,
        workers=workers,
        large=total_size(runs) >= _WORTH_A_PROCESS,
        forgiving=forgiving,
        progress=progress,
    ):
        if isinstance(outcome, DataError):
            left_out[path] = outcome
        else:
            outcomes.append(outcome)
    outcomes.sort(key=lambda outcome: order[outcome.path])
    if several:
        notices = told_once(notices, "collection")
    scorer = _scorer_of(plan)

    def by(name: str) -> list[Reading]:
        return [outcome.readings[name] for outcome in outcomes]

    return Scored(
        topics[0],
        by(_PEOPLE),
        left_out,
        [*about_plan, *notices],
        scorer,
        None if judge is None else Scored(topics[1], by(_JUDGE), {}, [], scorer),
        {name: by(name) for name in besides.kinds},
        {outcome.path: outcome.ranked for outcome in outcomes},
        counts,
        of_relevant_only,
    )


def _check_bounded(plan: Sequence["_Wanted"]) -> None:
    """Raise CallError for a measure without bounds."""
    for wanted in plan:
        if wanted.judged_in is None and (why := why_refused(wanted.name)):
            raise CallError(
                f"--unjudged bounds is not for {quoted(wanted.name)}: it {why}",
                "choose other measures with -m; --unjudged skip works with any measure",
            )


def _of_treatment(
    judgements: Judgements, plan: Sequence["_Wanted"], treatment: str
) -> list[Notice]:
    """Return notices of grades that are not judgements, and of bounds that nothing can move."""
    grades = [grade for of_topic in judgements.values() for grade in of_topic.values()]
    negative = sum(grade < 0 for grade in grades)
    notices = []
    if negative:
        verb = "is" if negative == 1 else "are"
        text = f"{verb} below 0: such documents count as unjudged, as in trec_eval"
        notices.append(note(f"{count(negative, 'grade')} {text}"))
    levels = {wanted.level for wanted in plan if wanted.judged_in is None}
    if treatment == BOUNDS and levels and max(grades) < max(levels):
        notices.append(
            warning(
                f"no document has a grade of {max(levels)} or more, so none can become relevant: "
                "bounds say nothing on binary measures of that level"
            )
        )
    return notices


def _are_all_relevant(judgements: Judgements) -> bool:
    """Say whether no judged document has the grade 0.

    Then nothing says which others were judged: BEIR, for one, lists relevant documents only.
    """
    if any(0 in grades.values() for grades in judgements.values()):  # as nearly always, at once
        return False
    return any(grade > 0 for grades in judgements.values() for grade in grades.values())


def _about_relevant_only(name: str, treatment: str, plan: Sequence["_Wanted"]) -> list[Notice]:
    """Return notices on judgements that list relevant documents only.

    Raise DataError if documents that nobody judged are to be skipped: nothing else would be left.
    """
    if treatment == SKIP:
        raise DataError(
            name,
            "lists only relevant documents: --unjudged skip would remove all others",
            "leave out --unjudged: documents that are not in the list count as not relevant",
        )
    if treatment == BOUNDS:
        return [
            note(
                "only relevant documents are listed: which of the others were judged is unknown, "
                "so bounds treat all others as unjudged",
                name,
            )
        ]
    notices = [
        note(
            "only relevant documents are listed: all others count as not relevant, and which of "
            "them were judged is unknown",
            name,
        )
    ]
    needing = [wanted.name for wanted in plan if wanted.trec_eval in _OF_JUDGED_ONLY]
    if needing:
        need = "needs" if len(needing) == 1 else "need"
        text = (
            f"{series([*map(visible, needing)])} {need} documents that were judged not relevant, "
            "and none are listed: the scores say little"
        )
        notices.append(warning(text, name))
    return notices


def _counts(judgements: Judgements) -> dict[str, Positions]:
    """Return how many documents of each topic have each grade, [grade]."""
    highest = max(max(grades.values()) for grades in judgements.values())
    counts = grade_counts([grades.values() for grades in judgements.values()], max(highest, 0))
    return dict(zip(judgements, counts, strict=True))


def _paths_of(by_judges: Sequence[str], collection: str) -> tuple[str, ...]:
    """Return the files of the judgements of a collection, by each judge."""
    return tuple(judgements_of(qrels, collection) for qrels in by_judges)


def _judgements_in(path: str, collection: str) -> Source:
    """Return the file of the judgements of a collection, if it is one of several."""
    if collection and path != STDIN and not os.path.exists(path):
        raise DataError(path, f"no such file: there are no judgements for {quoted(collection)}")
    return read_source(path)


@dataclass(frozen=True)
class _Wanted:
    """A measure that is to be computed: by pytrec_eval at a level of relevance, or beyond it."""

    name: str  # as the user wrote it
    trec_eval: str = ""  # empty: pytrec_eval does not compute it
    cutoff: int | None = None  # of reciprocal rank, which pytrec_eval does not cut
    level: int = 1
    beyond: Beyond | None = None
    judged_in: int | None = None  # the depth that the judged share is of, which is our own

    @property
    def depth(self) -> int | None:
        """How deep into rankings the measure looks; None: as deep as these go."""
        if self.judged_in is not None or self.cutoff is not None:
            return self.judged_in or self.cutoff
        cut = re.search(r"(?:_|@)([0-9]+)$", self.trec_eval or self.name)
        return int(cut[1]) if cut else None


def _plan(names: Sequence[str], rel_level: int) -> tuple[list[_Wanted], list[Notice]]:
    """Return how each measure is computed, and notes on what was filled in; raise CallError."""
    plan: list[_Wanted] = []
    notices: list[Notice] = []
    for name in names:
        if not is_mean_of_topics(name):
            raise CallError(*why_not_a_mean(name))
        known = parsed(name)
        if (share := _JUDGED.fullmatch(name)) and int(share[1]):
            plan.append(_Wanted(name, judged_in=int(share[1])))
            continue
        if known is None:
            found, about = find(name, rel_level)
            plan.append(_Wanted(name, level=found.level, beyond=found))
            notices += about
            continue
        level = rel_level if known.level is None else known.level
        if level < 1:
            raise CallError(f"the level of relevance in {quoted(name)} has to be 1 or more")
        if known.measure.name == "recip_rank_cut":
            plan.append(_Wanted(name, "recip_rank", int(known.number), level))
        else:
            plan.append(_Wanted(name, known.trec_eval, None, level))
    return plan, notices


def _scorer_of(plan: Sequence[_Wanted]) -> str:
    """Return the libraries that compute the scores, as signatures name them."""
    names = [SCORER] if any(wanted.beyond is None for wanted in plan) else []
    tools = dict.fromkeys(wanted.beyond.tool for wanted in plan if wanted.beyond is not None)
    if tools:
        names.append(f"{library()} ({', '.join(tools)})")
    return ", ".join(names)


@dataclass(frozen=True)
class _Judged:
    """Judgements, and those of subtopics where a measure needs them."""

    judgements: Judgements
    subtopics: Sequence[tuple[str, str, str, int]] = ()


def _read_judged(source: Source, plan: Sequence[_Wanted]) -> _Judged:
    """Return the judgements of a file; those of subtopics if a measure is about these.

    A document may be judged once for each subtopic, and by other measures only once.
    """
    by_subtopics = [bool(wanted.beyond and wanted.beyond.needs_subtopics) for wanted in plan]
    if not any(by_subtopics):
        return _Judged(read_judgements(source))
    subtopics = read_subtopics(source)
    if not all(by_subtopics):
        return _Judged(read_judgements(source), subtopics)
    judgements: Judgements = {}
    for topic, _, document, grade in subtopics:
        grades = judgements.setdefault(topic, {})
        grades[document] = max(grade, grades.get(document, grade))
    return _Judged(judgements, subtopics)


def _beyond_notices(plan: Sequence[_Wanted], judged: _Judged, qrels: str) -> Iterator[Notice]:
    """Yield what tools have to say of the judgements; raise DataError before any run is read."""
    for wanted in plan:
        if wanted.beyond is not None:
            yield from calculator(wanted.beyond, judged.judgements, judged.subtopics, qrels)[1]


def _taken_for_comments(source: Source, number: int, noun: str) -> list[Notice]:
    """Return a warning of `number` comments that look like a `noun`; none for 0."""
    if not number:
        return []
    lines = f"{count(number, 'line')} that {'looks' if number == 1 else 'look'} like {noun}"
    begin = "begins with # and is a comment" if number == 1 else "begin with # and are comments"
    return [warning(f"{lines} {begin}", source.name)]


def _notices(judgements: Judgements, plan: Sequence[_Wanted]) -> list[Notice]:
    """Return a note of topics without a relevant document, for each level that has some."""
    highest = [max(grades.values()) for grades in judgements.values()]
    notices = []
    for level in sorted({wanted.level for wanted in plan if wanted.beyond is None}):
        hopeless = sum(grade < level for grade in highest)
        if hopeless:
            notices.append(
                note(
                    f"{have(hopeless, 'judged topic')} no document of grade {level} or more: every "
                    "run scores 0 there in binary measures, as in trec_eval"
                )
            )
    return notices


@dataclass(frozen=True)
class _Scorer:
    """Scores runs against the judgements of one judge, in one process or thread."""

    evaluators: Mapping[int, pytrec_eval.RelevanceEvaluator]  # by level of relevance
    calculators: Mapping[str, Compute]  # by name of a measure beyond these
    judgements: Judgements
    plan: Sequence[_Wanted]
    qrels: str
    by: str = ""  # says in messages that it is not people who judged
    besides: Besides = NOTHING_BESIDES

    def reading(self, path: str, source: Source, run: Run) -> Reading:
        """Return the scores of a run on the judged topics that it has."""
        judged = self._judged_topics(source, run)
        rankings = {topic: run.rankings[topic] for topic in judged}
        used = self._condensed(rankings) if self.besides.treatment == SKIP else rankings
        series = self._scores(judged, rankings, used, source)
        tag = run.tags[0] if run.tags else None
        names = [wanted.name for wanted in self.plan]
        return Reading(path, series, names, tag, notices=self._notices(source.name, run))

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
        return _are_all_relevant(self.judgements)

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
        return _counts(self.judgements)

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
        wanted: _Wanted,
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

    def _notices(self, name: str, run: Run) -> list[Notice]:
        """Return notices of what the judgements lack of a run."""
        notices = []
        unjudged = sum(topic not in self.judgements for topic in run.rankings)
        if unjudged:
            topics = f"{count(unjudged, 'topic')} {'is' if unjudged == 1 else 'are'}"
            notices.append(detail(f"{topics} not judged{self.by}, and ignored", name))
        if all(
            ranking.keys().isdisjoint(self.judgements.get(topic, ()))
            for topic, ranking in run.rankings.items()
        ):
            document = next(iter(next(iter(run.rankings.values()))))
            notices.append(
                warning(
                    f"none of its documents, such as {quoted(document)}, is judged{self.by}: is it "
                    "from another collection?",
                    name,
                )
            )
        return notices

    def of_order(self, name: str, run: Run) -> list[Notice]:
        """Return warnings if the order of documents on judged topics may not be what was meant."""
        judged = [topic for topic in run.rankings if topic in self.judgements]
        return [*_order_notices(name, run, judged), *self._of_tied_rbp(name, run, judged)]

    def _of_tied_rbp(self, name: str, run: Run, judged: Sequence[str]) -> list[Notice]:
        """Return a warning of ties where RBP has bounds: it has another order of documents."""
        if self.besides.treatment != BOUNDS or not any(
            wanted.name.casefold().startswith("rbp") for wanted in self.plan
        ):
            return []
        tied = sum(len({*run.rankings[topic].values()}) < len(run.rankings[topic])
                   for topic in judged)  # fmt: skip
        if not tied:
            return []
        return [warning(_TIED_RBP, name, f"{tied} of {count(len(judged), 'topic')}")]


def _about_run(source: Source, run: Run) -> list[Notice]:
    """Return notices of what is odd about a run, though it can be scored."""
    notices = [*run.notices]
    notices += _taken_for_comments(source, documents_in_comments(source), "a document")
    if len(run.tags) > 1:
        number = f"{len(run.tags)}{' or more' if len(run.tags) == MOST_TAGS else ''}"
        notices.append(note(f"has {number} tags: {listed(run.tags, 3)}", source.name))
    return notices


def _order_notices(name: str, run: Run, judged: Sequence[str]) -> list[Notice]:
    """Return warnings if the scores, which decide, may not give the order that was meant.

    Only judged topics count, as no others are scored, and only those of two documents or more.
    """
    topics = [topic for topic in judged if len(run.rankings[topic]) > 1]
    contradicted = sum(topic in run.contradicted for topic in topics)
    tied = sum(_are_tied(run.rankings[topic].values()) for topic in topics)
    of_topics = f"of {count(len(topics), 'topic')}"
    notices = []
    if contradicted:
        notices.append(warning(_CONTRADICTED, name, f"{contradicted} {of_topics}"))
    if tied and tied * _MANY_TIED >= len(topics):
        notices.append(warning(_TIED, name, f"{tied} {of_topics}"))
    return notices


def _are_tied(scores: Collection[float]) -> bool:
    """Say whether scores are all the same to trec_eval, which has them in single precision."""
    first = next(iter(scores))
    with np.errstate(over="ignore"):
        single = np.float32(first)
        return all(score == first or np.float32(score) == single for score in scores)


def _values(results: Sequence[Mapping[str, float]], wanted: _Wanted) -> FloatArray:
    """Return the scores by a measure, [topic], from pytrec_eval's results for each topic."""
    values = np.array([result[wanted.trec_eval] for result in results])
    if wanted.cutoff is None:
        return values
    # 1/rank is at least 1/k just when the rank is at most k; half a rank leaves room for rounding.
    return np.where(values > 1 / (wanted.cutoff + 0.5), values, 0.0)


def _make_reading_scorer(
    qrels: Mapping[str, tuple[str, ...]],
    digests: Mapping[str, str],
    plan: Sequence[_Wanted],
    besides: Besides,
    folder: str,
) -> Callable[[str], "_Outcome"]:
    """Return the function that scores a run file, and reads its judgements itself.

    `qrels` has the files of judgements, by each judge, by the path of a run. Runs of the same files
    are to follow one another, as only judgements of those are kept. On another machine, where
    `digests` has an entry for each file, it raises DataError for files that are missing or differ
    there.
    """
    kept: dict[tuple[str, ...], Callable[[str], _Outcome]] = {}

    def check_seen(path: str) -> None:
        if digests and not os.path.exists(os.path.join(folder, path)):
            raise DataError(
                path, "no such file on a worker of the cluster",
                "all machines must see the files under the same paths",
            )  # fmt: skip

    def judged_in(path: str) -> _Judged:
        check_seen(path)
        source = read_source(path, folder)
        if digests and source.digest != digests[path]:
            raise DataError(path, "is a different file on a worker of the cluster")
        return _read_judged(source, plan)

    def scorer_of(paths: tuple[str, ...]) -> Callable[[str], _Outcome]:
        if paths not in kept:
            kept.clear()
            kept[paths] = _make_scorer([*map(judged_in, paths)], plan, paths, besides, folder)
        return kept[paths]

    if len({*qrels.values()}) == 1:  # an error about it is not about a run
        scorer_of(next(iter(qrels.values())))

    def score(path: str) -> _Outcome:
        scorer = scorer_of(qrels[path])
        check_seen(path)
        return scorer(path)

    return score


def _make_scorer(
    judged: Sequence[_Judged],
    plan: Sequence[_Wanted],
    qrels: Sequence[str],
    besides: Besides,
    folder: str = "",
) -> Callable[[str], "_Outcome"]:
    """Return the function that scores a run file, which is read once for all judges.

    `judged` and `qrels` are of each judge; people come first. Paths are relative to `folder`;
    empty: the current one.
    """
    people, *judges = [
        _scorer(own, plan, path, f" by {_JUDGE}" if place else "")
        for place, (own, path) in enumerate(zip(judged, qrels, strict=True))
    ]
    people = replace(people, besides=besides)

    def score(path: str) -> _Outcome:
        source = read_source(path, folder)
        run = read_run(source)
        reading = people.reading(path, source, run)
        readings = dict(people.beside(reading, source, run))
        for judge in judges:
            readings[_JUDGE] = judge.reading(path, source, run)
        about = [*reading.notices, *_about_run(source, run), *people.of_order(source.name, run)]
        readings[_PEOPLE] = replace(reading, notices=about)
        return _Outcome(path, readings, people.ranked(run))

    return score


@dataclass(frozen=True)
class _Outcome:
    """What became of a run."""

    path: str
    readings: Mapping[str, Reading]  # by people, by the judge, and what is asked for besides
    ranked: Mapping[str, RankedTopic]


def _scorer(judged: _Judged, plan: Sequence[_Wanted], qrels: str, by: str) -> _Scorer:
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
    return _Scorer(evaluators, calculators, judgements, plan, qrels, by)


def _with_a_judged_document(grades: dict[str, int]) -> dict[str, int]:
    """Return the grades of a topic in a form that pytrec_eval survives.

    It ends the process on a topic whose every grade is negative, that is unjudged. One document
    that no run retrieves, judged not relevant, changes no score of such a topic.
    """
    if all(grade < 0 for grade in grades.values()):
        return {**grades, "\x7f": 0}
    return grades
