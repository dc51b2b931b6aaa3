"""Whether the ranks of a run contradict its scores, which decide."""

import numpy as np

from confint_cli.common.arrays import AnyFloatArray, BoolArray, FloatArray, Positions


def in_single_precision(scores: FloatArray) -> AnyFloatArray:
    """Return scores as trec_eval holds them; those that are too large for it are infinite."""
    with np.errstate(over="ignore", under="ignore"):
        return scores.astype(np.float32)


def contradict(
    ranks: FloatArray, scores: AnyFloatArray, other_ranks: FloatArray, other_scores: AnyFloatArray
) -> BoolArray:
    """Return in which pairs of lines one has the better rank and the lower score (bool, [pair])."""
    better = (ranks < other_ranks) & (scores < other_scores)
    worse = (ranks > other_ranks) & (scores > other_scores)
    result: BoolArray = better | worse
    return result


def contradicted(topics: Positions, ranks: FloatArray, scores: FloatArray) -> Positions:
    """Return the topics, by their numbers, with a row that contradicts the one before it.

    The rows, [row], need not be sorted by topic.
    """
    order = np.argsort(topics, kind="stable")
    topics, ranks, singles = topics[order], ranks[order], in_single_precision(scores[order])
    is_fault = contradict(ranks[:-1], singles[:-1], ranks[1:], singles[1:])
    return np.unique(topics[1:][is_fault & (topics[1:] == topics[:-1])])
