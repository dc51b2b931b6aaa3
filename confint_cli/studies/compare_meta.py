"""A random-effects meta-analysis of comparisons over collections, as papers report it."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from confint_cli.common.words import alpha_of, whole_if_it_is
from confint_cli.scores.labels import META
from confint_cli.scores.scores import Scores
from confint_cli.stats.flags import Doubt
from confint_cli.stats.meta import Meta, meta_analysis
from confint_cli.stats.names import DERSIMONIAN_LAIRD, HARTUNG_KNAPP
from confint_cli.studies.answer import Answer, fields
from confint_cli.studies.collections import collections_of, in_order_of
from confint_cli.studies.columns import OF_META
from confint_cli.studies.facts import merged
from confint_cli.studies.pairing import paired_runs
from confint_cli.studies.rows import CompareRow


def with_meta(
    answer: Answer[CompareRow],
    scores: Scores,
    baselines: tuple[str, ...],
    for_new: str,
    *,
    best_first: bool,
) -> Answer[CompareRow]:
    """Return the answer with the records of a meta-analysis of each pair, by both methods.

    They come after all other records. Their p comes from the same method and is not corrected.
    """
    rows = [*answer.rows]
    for measure in scores.measures:
        in_order = in_order_of(scores, measure, for_new, best_first=best_first)
        differences, variances = [], []
        for part in collections_of(in_order, measure, for_new):
            if not part.is_macro:
                ((pairs, *_), _) = paired_runs(part.scores, baselines, best_first=False)
                differences.append(pairs.differences.difference)
                variances.append(pairs.differences.se**2)
        found = meta_analysis(np.array(differences), np.array(variances))
        of_all = {
            (row.run, row.baseline): row
            for row in answer.rows
            if row.measure == measure and row.collections
        }
        for pair in range(len(pairs)):
            rows += _rows(of_all[pairs.names(pair)], found, pair, answer.facts["levels"])
    columns = (*answer.fields, *fields(OF_META, significant="tau2"))
    facts = merged(answer.facts, {"meta": (DERSIMONIAN_LAIRD, HARTUNG_KNAPP)})
    return replace(answer, rows=rows, fields=columns, facts=facts)


def _rows(
    row: CompareRow, found: Meta, pair: int, levels: tuple[float, ...]
) -> Iterator[CompareRow]:
    """Yield the records of one pair; `row` is that of all collections together.

    They have what that one says about the data, but not what it says about its own interval: a
    design effect, say, belongs to another estimator. So all that a record has is listed here.
    """
    for method in (DERSIMONIAN_LAIRD, HARTUNG_KNAPP):
        low, high = found.limits(method, np.array(levels))
        p = float(found.p(method)[pair])
        for place, level in enumerate(levels):
            yield CompareRow(
                measure=row.measure,
                run=row.run,
                baseline=row.baseline,
                collection=META,
                collections=row.collections,
                topics=row.topics,
                baseline_topics=row.baseline_topics,
                groups=row.groups,
                missing=row.missing,
                baseline_missing=row.baseline_missing,
                place=row.place,
                baseline_place=row.baseline_place,
                mean=np.nan,
                baseline_mean=np.nan,
                method=method,
                level=level,
                difference=float(found.difference[pair]),
                low=float(low[place, pair]),
                high=float(high[place, pair]),
                t=float(found.statistic(method)[pair]),
                df=whole_if_it_is(found.df(method)) if found.se[method][pair] > 0 else np.nan,
                p={"t": p},
                p_adjusted=np.nan,
                glass_delta=np.nan,
                hedges_gz=np.nan,
                hedges_g=np.nan,
                wins=None,
                ties=None,
                losses=None,
                doubts=0 if found.se[method][pair] > 0 else int(Doubt.PARTLY_CONSTANT),
                error=0.0,
                significant=p < alpha_of(level),
                is_marked=p < alpha_of(levels[0]),
                tau2=float(found.tau2[pair]),
                i2=float(found.i2[pair]),
                enough_topics=False,  # which is about max-T
            )
