"""From readings to scores: the second half of the one way in for every command.

`load` joins what `gather.py` has read, by topic, and adds what is known of unjudged documents, and
the scores of a cheaper judge. The caller brings along a dictionary for files that are left out, to
know of these whatever comes after.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from confint_cli.common.errors import DataError, Notice
from confint_cli.common.measures import canonical, is_companion, residual_of, unjudged_depth
from confint_cli.common.text import visible, visible_name
from confint_cli.inputs.source import is_same_file
from confint_cli.scores.gather import Gathered, names_listed, not_judged
from confint_cli.scores.grouping import topics_of
from confint_cli.scores.join import Joining, join
from confint_cli.scores.judges import called, shared_measures, with_judge
from confint_cli.scores.pool import RankedTopic, pool_of
from confint_cli.scores.request import Given, Request
from confint_cli.scores.scores import Scores
from confint_cli.scores.treatments import BOUNDS, LARGEST, LEAST, SHARES
from confint_cli.scores.unjudged import DEEPEST


def load(
    gathered: Gathered,
    request: Request,
    left_out: dict[str, DataError],
    named: Sequence[str] = (),
    *,
    paired: bool = True,
) -> tuple[Scores, list[Notice]]:
    """Return the joined scores and notices; runs that are not `paired` may differ in topics.

    Files of runs that lack a collection go into `left_out`, if the request is to keep going.
    """
    topics = None
    if request.topics is not None:
        topics = frozenset(map(visible, names_listed(request.topics, "--topics")))
    _check_some_are_left(left_out, request, named)
    judge = gathered.judge
    joining = Joining(
        measures=gathered.measures,
        usual=gathered.usual,
        missing=request.missing,
        topics=topics,
        every=request.every,
        judged=gathered.judged,
        name_from=request.name_from,
        paired=paired,
        labels={path: own for path, own in gathered.labels.items() if path not in left_out},
        leave_out=left_out.__setitem__ if request.keep_going else None,
        groups=request.groups,
        group_weight=request.group_weight,
        complete=not request.gaps,
        elsewhere=judge.topics if judge is not None and topics is not None else (),
    )
    scores, notices = join(gathered.readings, joining, gathered.names)
    _check_some_are_left(left_out, request, named)
    scores, notices = replace(scores, scorer=gathered.scorer), [*gathered.notices, *notices]
    if request.qrels is None:
        scores = _with_companions(scores, gathered, joining, request)
    else:
        scores = _with_besides(scores, gathered, joining, left_out)
    if judge is None:
        return scores, notices
    of_people = gathered.topics if topics is not None else ()
    by_judge = replace(joining, judged=judge.judged, leave_out=None, elsewhere=of_people,
                       labels={path: own for path, own in judge.labels.items()
                               if path not in left_out})  # fmt: skip
    readings = [reading for reading in judge.readings if reading.path not in left_out]
    measures, about = shared_measures(scores, readings, chosen=bool(request.measure))
    try:
        of_judge, further = join(readings, replace(by_judge, measures=measures))
    except DataError as error:
        raise DataError("", f"scores of the judge: {error}", error.hint) from None
    said = {(notice.text, notice.about) for notice in notices}
    own = [notice for notice in further if (notice.text, notice.about) not in said]
    scores, about_judge = with_judge(scores, of_judge, _name_of_judge(request), own)
    return scores, [*notices, *judge.notices, *about, *about_judge]


def _with_besides(
    scores: Scores, gathered: Gathered, joining: Joining, left_out: Collection[str]
) -> Scores:
    """Return the scores with what is known of documents that nobody judged."""
    besides: dict[str, Scores] = {}
    collections = {
        label.collection or "" for path, label in gathered.labels.items() if path not in left_out
    } or {""}
    for name, readings in gathered.besides.items():
        if name == SHARES and collections <= {*gathered.of_relevant_only}:
            continue
        there = [reading for reading in readings if reading.path not in left_out]
        measures = there[0].measures if name == SHARES else scores.measures
        own, _ = join(there, replace(joining, measures=measures), gathered.names)
        if name == SHARES:
            own = _with_unknown(own, gathered.of_relevant_only)
        besides[name] = own.only(*scores.runs)
    if not gathered.counts:
        return replace(scores, besides=besides)
    by_run: dict[str, dict[tuple[str, str], RankedTopic]] = {}
    for path, runs in scores.origins.items():
        collection = gathered.labels[path].collection or "" if path in gathered.labels else ""
        for run in runs:
            for topic, ranking in gathered.rankings.get(path, {}).items():
                by_run.setdefault(run, {})[_shown(collection), visible(topic)] = ranking
    counts = {
        (_shown(collection), visible(topic)): own
        for collection, of_topics in gathered.counts.items()
        for topic, own in of_topics.items()
    }
    pool = pool_of(topics_of(scores), scores.runs, by_run, counts)
    return replace(scores, besides=besides, pool=replace(pool, level=gathered.level))


def _with_unknown(shares: Scores, collections: Collection[str]) -> Scores:
    """Return judged shares without those of these collections, which are not a number then."""
    if shares.collections is None or not collections:
        return shares
    unknown = {*map(_shown, collections)}
    values = shares.values.copy()
    for name, own in zip(shares.collections.names, shares.collections.slices, strict=True):
        if name in unknown:
            values[own] = np.nan
    return replace(shares, values=values)


def _with_companions(
    scores: Scores, gathered: Gathered, joining: Joining, request: Request
) -> Scores:
    """Return the scores with what files say of unjudged documents beside their measures.

    trec_eval 10 has shares of them and the residual of RBP, rbp_eval residuals of all its measures.
    """
    names = {name for reading in gathered.readings for series in reading.series
             if is_companion(name := series.measure)}  # fmt: skip
    besides: dict[str, Scores] = {}

    def joined(measures: Sequence[str]) -> Scores:
        own, _ = join(gathered.readings, replace(joining, measures=measures), gathered.names)
        return own.only(*scores.runs)

    depths = {depth: name for name in names if (depth := unjudged_depth(name)) is not None}
    fit = [depth for depth in depths if depth <= DEEPEST]
    if fit:
        own = joined([depths[max(fit)]])
        shares = np.where(own.filled, 0.0, 1 - own.values)
        if (shares >= 0).all() and (shares <= 1).all():  # else a column is only called like that
            besides[SHARES] = replace(own, values=shares, measures=(f"Judged@{max(fit)}",))
    if request.unjudged == BOUNDS:
        residuals = {canonical(residual_of(name) or ""): name for name in names
                     if residual_of(name) is not None}  # fmt: skip
        own_residuals = [residuals.get(canonical(measure)) for measure in scores.measures]
        if None in own_residuals:
            raise not_judged(request)
        more = joined([name for name in own_residuals if name is not None])
        besides[LEAST] = replace(scores)
        besides[LARGEST] = replace(scores, values=scores.values + more.values)
    return replace(scores, besides=besides)


def _shown(collection: str) -> str:
    """Return the name of a collection as it is shown; empty, if there is one only."""
    return visible_name(collection) if collection else ""


def _name_of_judge(request: Request) -> str:
    """Return what the judge is called: by the files of its judgements, or of its scores."""
    if isinstance(request.judge_scores, Given):
        return "data"
    return called(request.judge_qrels or request.judge_scores or "")


def _check_some_are_left(
    left_out: Mapping[str, DataError], request: Request, named: Sequence[str] = ()
) -> None:
    """Raise an error if a run that is `named` is left out, or if all FILES are."""
    for path, error in left_out.items():
        if any(is_same_file(path, name) for name in named):
            raise error
    if left_out and len(left_out) == len(request.all_files):
        raise DataError("", "none of the FILES can be used")
