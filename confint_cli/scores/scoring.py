"""From judgements and runs to scores: the same numbers as trec_eval -c."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from confint_cli.common.arrays import Positions
from confint_cli.common.errors import CallError, DataError, Notice, told_once
from confint_cli.common.measures import DEFAULTS
from confint_cli.common.parallel import ALONE, Workers, map_files
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.text import natural_key
from confint_cli.inputs.reading import Reading
from confint_cli.inputs.source import STDIN, name_of, read_source, total_size
from confint_cli.scores.compared_judgements import compared
from confint_cli.scores.judgements import (
    Judged,
    about_judgements,
    about_relevant_only,
    about_treatment,
    are_all_relevant,
    counts_of,
    judgements_in,
    read_judged,
)
from confint_cli.scores.labels import judgements_of
from confint_cli.scores.plan import Wanted, check_bounded, planned
from confint_cli.scores.pool import RankedTopic
from confint_cli.scores.run_files import JUDGE, PEOPLE, Outcome, make_reading_scorer, make_scorer
from confint_cli.scores.scorer import libraries_of
from confint_cli.scores.treatments import BOUNDS, IRRELEVANT
from confint_cli.scores.unjudged import NOTHING_BESIDES, Besides

NO_COLLECTIONS: Mapping[str, str] = {}
_WORTH_A_PROCESS = 2_000_000  # bytes of runs; below, starting processes takes longer than scoring


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
    plan, about_plan = planned(names, rel_level)
    if besides.treatment == BOUNDS:
        check_bounded(plan)
    by_judges = (qrels,) if judge is None else (qrels, judge)
    if workers.distant and STDIN in (*by_judges, *runs):
        raise CallError("workers of a cluster cannot read standard input (-)", "give files")
    for path in runs if collections else ():
        if path != STDIN and not os.path.exists(path):
            read_source(path)  # raises the error about it, before one about its judgements
    own_qrels = {path: _paths_of(by_judges, collections.get(path, "")) for path in runs}
    collection_of = {own_qrels[path]: collections.get(path, "") for path in runs} or {by_judges: ""}
    several = len(collection_of) > 1
    themselves = several or workers.distant  # workers read judgements themselves
    known: dict[str, _Collection] = {}
    for paths, name in sorted(collection_of.items(), key=lambda item: natural_key(item[1])):
        judged, known[name] = _read_collection(name, paths, plan, besides, signed=workers.distant)
    make_worker: Callable[..., Callable[[str], Outcome]] = make_scorer
    settings: tuple[Any, ...] = (judged, plan, paths, besides)
    if themselves:
        digests = {path: digest for of in known.values() for path, digest in of.digests.items()}
        make_worker = make_reading_scorer
        folder = os.getcwd() if workers.distant else ""
        settings = (own_qrels, digests, plan, besides, folder)
        del judged  # of the last collection: a worker keeps those of one collection at a time
    by_collection = sorted(runs, key=lambda path: own_qrels[path]) if several else runs
    outcomes: dict[str, Outcome] = {}
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
            outcomes[path] = outcome
    in_order = [outcomes[path] for path in runs if path in outcomes]
    notices = [notice for collection in known.values() for notice in collection.notices]
    if several:
        notices = told_once(notices, "collection")
    scorer = libraries_of(plan)

    def by(kind: str) -> list[Reading]:
        return [outcome.readings[kind] for outcome in in_order]

    def topics(place: int) -> dict[str, tuple[str, ...]]:
        return {name: collection.topics[place] for name, collection in known.items()}

    return Scored(
        topics=topics(0),
        readings=by(PEOPLE),
        left_out=left_out,
        notices=[*about_plan, *notices],
        scorer=scorer,
        judge=None if judge is None else Scored(topics(1), by(JUDGE), {}, [], scorer),
        besides={kind: by(kind) for kind in besides.kinds},
        rankings={outcome.path: outcome.ranked for outcome in in_order},
        counts={name: of.counts for name, of in known.items()} if besides.rankings else {},
        of_relevant_only=[name for name, of in known.items() if of.lists_relevant_only],
    )


def _paths_of(by_judges: Sequence[str], collection: str) -> tuple[str, ...]:
    """Return the files of the judgements of a collection, by each judge."""
    return tuple(judgements_of(qrels, collection) for qrels in by_judges)


@dataclass(frozen=True)
class _Collection:
    """What is kept of the judgements of a collection, or of the only one there is."""

    topics: Sequence[tuple[str, ...]]  # that are judged, by each judge
    digests: Mapping[str, str]  # of the files, if other machines are to read them
    counts: Mapping[str, Positions]  # of documents with each grade, by topic, if asked for
    lists_relevant_only: bool
    notices: Sequence[Notice]


def _read_collection(
    name: str, paths: Sequence[str], plan: Sequence[Wanted], besides: Besides, *, signed: bool
) -> tuple[list[Judged], _Collection]:
    """Return the judgements of a collection by each judge, and what is kept of them.

    The name is empty if there is only one. If `signed`, digests say on other machines whether files
    are the same. Raise DataError if judgements are of no use.
    """
    notices: list[Notice] = []
    judged: list[Judged] = []
    digests: dict[str, str] = {}
    for path in paths:
        source = judgements_in(path, name)
        if signed:
            digests[path] = source.digest
        own = read_judged(source, plan)
        about = about_judgements(source, own, plan, path)
        notices += [replace(one, text=f"{JUDGE}: {one.text}") for one in about] if judged else about
        judged.append(own)
    people = judged[0].judgements
    lists_relevant_only = besides.shares and are_all_relevant(people)
    if lists_relevant_only:
        only = about_relevant_only(name_of(paths[0]), plan, besides.treatment)
        notices += only if name else told_once(only)
    if besides.treatment != IRRELEVANT:
        notices += about_treatment(people, plan, besides.treatment)
    for judge in judged[1:]:
        found = compared(people, judge.judgements, paths)
        notices += found if name else told_once(found)
    kept = _Collection(
        topics=[tuple(sorted(own.judgements, key=natural_key)) for own in judged],
        digests=digests,
        counts=counts_of(people) if besides.rankings else {},
        lists_relevant_only=lists_relevant_only,
        notices=[replace(notice, about=name) for notice in notices] if name else notices,
    )
    return judged, kept
