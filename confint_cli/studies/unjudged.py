"""Documents that nobody judged: who is told of them.

Two things are told whenever runs are scored: that far fewer documents of a run are judged than of
the best one, and that runs would be told apart otherwise if such documents were left out.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from confint_cli.common.errors import Notice, warning
from confint_cli.common.text import listed, visible
from confint_cli.common.words import percent, series
from confint_cli.scores.scores import COLLECTION, Scores
from confint_cli.scores.treatments import CONDENSED, SHARES
from confint_cli.studies.answer import Answer

_GAP = 0.10  # by which a run's judged share may be below that of the best run
_HALF = 0.5  # a judged share below which a run is always told of
_LAST_BITS = 1e-9  # shares that differ by less are alike
_LISTED = 3  # runs or pairs that a message names, at most
_HOW_FAR = "--unjudged bounds shows how far they may decide, --unjudged skip leaves them out"


def shares_of(scores: Scores) -> dict[str, float]:
    """Return the mean judged share of each run, over the topics that it has; empty: not known.

    Shares over several collections are known if those of each are.
    """
    shares = scores.besides.get(SHARES)
    if shares is None:
        return {}
    values = shares.values[:, :, 0]
    are_known = ~np.isnan(values)
    if shares.is_macro and shares.collections is not None:
        parts = [are_known[own] for own in shares.collections.slices]
    else:
        parts = [*are_known] if shares.unit == COLLECTION else []
    if not all(part.any() for part in parts):
        return {}
    there = ~shares.filled[:, :, 0] & are_known
    numbers = there.sum(axis=0)
    means = np.where(there, values, 0.0).sum(axis=0) / np.maximum(numbers, 1)
    return {run: float(mean) for run, mean, number in
            zip(shares.runs, means, numbers, strict=True) if number}  # fmt: skip


def about_shares(scores: Scores, *, treats_unjudged: bool) -> list[Notice]:
    """Return a warning of runs of which far fewer documents are judged than of the best.

    Each of several collections has a pool of its own. What to do about it depends on whether the
    command has --unjudged.
    """
    if not scores.besides.get(SHARES):
        return []
    names = scores.collections.names if scores.collections and scores.several else ()
    parts = [(f" in {visible(name)}", scores.part(place)) for place, name in enumerate(names)]
    low: dict[str, float] = {}
    best_of_others = ""
    for where, part in parts or [("", scores)]:
        shares = shares_of(part)
        best = max(shares, key=shares.__getitem__, default="")
        for run, share in shares.items():
            if share < shares[best] - _GAP - _LAST_BITS or share < _HALF - _LAST_BITS:
                low[f"{visible(run)}{where}"] = share
        if not where and shares and visible(best) not in low:
            best_of_others = f" (highest: {visible(best)} {percent(round(shares[best], 2))})"
    if not low:
        return []
    (measure,) = scores.besides[SHARES].measures
    depth = measure.partition("@")[2]
    few = f"few of the first {depth} are judged"
    if parts or best_of_others:
        few = f"some runs have fewer judged documents in their first {depth}"
    by_share = sorted(low.items(), key=lambda item: item[1])
    named = [f"{run} {percent(round(share, 2))}" for run, share in by_share]
    what_to_do = "'confint compare --unjudged bounds' shows what that may change"
    if treats_unjudged:
        what_to_do = "--unjudged bounds shows what that may change, --unjudged skip leaves them out"
    return [
        warning(
            f"unjudged documents count as not relevant, and {few}: "
            f"{listed(named, _LISTED)}{best_of_others}",
            what_to_do=what_to_do,
        )
    ]


Decisions = Mapping[tuple[str, ...], int]
"""Which of two runs is told to be better, by measure, collection and the two: 1, -1, or 0."""


def decided_otherwise(
    scores: Scores,
    answer: Answer[Any],
    ask: Callable[[Scores], Answer[Any]],
    decisions: Callable[[Answer[Any]], Decisions],
) -> Answer[Any]:
    """Return the answer with a warning if condensed lists tell runs apart otherwise.

    `ask` asks the same question of other scores, or only what decides it.
    """
    condensed = scores.besides.get(CONDENSED)
    if condensed is None or scores.scales or scores.judge is not None:
        return answer
    if np.array_equal(condensed.values, scores.values, equal_nan=True):
        return answer
    others = dict(decisions(ask(condensed)))
    for (*part, run, other), decision in [*others.items()]:  # where means are in another order
        others.setdefault((*part, other, run), -decision)
    own = decisions(answer)
    changed = [key for key, decision in own.items() if others.get(key, decision) != decision]
    if not changed:
        return answer
    pairs = [f"{key[-2]} and {key[-1]}" for key in dict.fromkeys(key[-2:] for key in changed)]
    of = f"{len(changed)} of {len(own)} comparisons" if len(own) > 1 else "the comparison"
    measures = [visible(measure) for measure in dict.fromkeys(key[0] for key in changed)]
    by = f", on {series(measures)}" if len(scores.measures) > 1 else ""
    text = (
        f"{of} would change without the unjudged documents (condensed lists): "
        f"{listed(pairs, _LISTED)}{by}"
    )
    notice = warning(text, what_to_do=_HOW_FAR)
    return replace(answer, notices=(notice, *answer.notices))


def decisions_of_pairs(answer: Answer[Any]) -> Decisions:
    """Return the decisions of a comparison, by its first method and level."""
    return {
        (row.measure, row.collection, row.run, row.baseline): int(np.sign(row.difference))
        if row.is_marked else 0
        for row in reversed(answer.rows)
    }  # fmt: skip


def standings(answer: Answer[Any]) -> Decisions:
    """Return the decisions of standings, of every two runs."""
    by_part: dict[tuple[str, str], list[Any]] = {}
    for row in answer.rows:
        by_part.setdefault((row.measure, row.collection), []).append(row)
    decisions: dict[tuple[str, ...], int] = {}
    for part, rows in by_part.items():
        for place, row in enumerate(rows):
            for other, is_apart in zip(rows[:place], row.apart.tolist(), strict=False):
                first, second = sorted((row, other), key=lambda each: each.run)
                sign = int(np.sign(first.mean - second.mean))
                decisions[(*part, first.run, second.run)] = sign if is_apart else 0
    return decisions
