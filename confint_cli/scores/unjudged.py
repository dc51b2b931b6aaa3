"""Documents that nobody judged: how many a run has, and its rankings without them.

trec_eval counts such a document as not relevant. A grade below 0 also means unjudged.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from confint_cli.inputs.orders import in_single_precision
from confint_cli.scores.bounds import UNJUDGED
from confint_cli.scores.pool import RankedTopic
from confint_cli.scores.treatments import (
    BOUNDS,
    CONDENSED,
    IRRELEVANT,
    LARGEST,
    LEAST,
    SHARES,
)

DEEPEST = 10  # ranks that shares are looked at in, at most

Ranking = Mapping[str, float]
Grades = Mapping[str, int]


@dataclass(frozen=True)
class Besides:
    """What is computed beside the scores of runs, in the same pass."""

    treatment: str = IRRELEVANT
    shares: bool = False
    condensed: bool = False  # scores without unjudged documents too
    rankings: bool = False  # the rankings themselves, for bounds of differences

    @property
    def kinds(self) -> list[str]:
        """The names of all that is computed."""
        wanted = {
            SHARES: self.shares,
            CONDENSED: self.condensed,
            LEAST: self.treatment == BOUNDS,
            LARGEST: self.treatment == BOUNDS,
        }
        return [name for name, is_wanted in wanted.items() if is_wanted]


NOTHING_BESIDES = Besides()


def depth_of(cutoffs: Iterable[int | None]) -> int:
    """Return the deepest cutoff of measures, but no deeper than `DEEPEST`; None: it has none."""
    return min(DEEPEST, max((cutoff or DEEPEST for cutoff in cutoffs), default=DEEPEST))


def in_order(ranking: Ranking, depth: int | None = None) -> list[str]:
    """Return the documents in trec_eval's order, down to a depth: by score, then by id, downwards.

    Scores are compared in single precision, as trec_eval holds them.
    """
    documents = list(ranking)
    scores = in_single_precision(np.fromiter(ranking.values(), np.float64, len(documents)))
    if depth is not None and depth < len(documents):
        least = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        places = np.flatnonzero(scores >= least)
    else:
        places = np.arange(len(scores))
    order = places[np.argsort(-scores[places], kind="stable")]
    in_turn = scores[order]
    if (in_turn[1:] == in_turn[:-1]).any():
        by_score = zip(scores[places].tolist(), (documents[place] for place in places.tolist()),
                       strict=True)  # fmt: skip
        return [document for _, document in sorted(by_score, reverse=True)][:depth]
    return [documents[place] for place in order.tolist()[:depth]]


def judged_share(ranking: Ranking, grades: Grades, depth: int) -> float:
    """Return the share of the first documents that are judged; a short ranking has fewer."""
    first = in_order(ranking, depth)
    return sum(grades.get(document, UNJUDGED) >= 0 for document in first) / max(len(first), 1)


def judged_documents(grades: Grades) -> frozenset[str]:
    """Return the documents that are judged."""
    return frozenset(document for document, grade in grades.items() if grade >= 0)


def without_unjudged(ranking: Ranking, judged: Collection[str]) -> dict[str, float]:
    """Return the condensed ranking: only its judged documents."""
    return {document: score for document, score in ranking.items() if document in judged}


def ranked(
    ranking: Ranking, grades: Grades, depth: int | None, *, with_documents: bool
) -> RankedTopic:  # fmt: skip
    """Return the documents down to a depth; None: all of them."""
    documents = in_order(ranking, depth)
    found = np.array([grades.get(document, UNJUDGED) for document in documents], dtype=np.intp)
    found = np.maximum(found, UNJUDGED)
    numbers = np.zeros(len(found), dtype=np.intp)
    if with_documents:
        for place in np.flatnonzero(found == UNJUDGED).tolist():
            numbers[place] = _number_of(documents[place])
    return RankedTopic(found, numbers)


def _number_of(document: str) -> int:
    """Return a number of 62 bits for a document, the same in every process."""
    digest = hashlib.blake2b(document.encode("utf-8", "surrogateescape"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 2
