"""Which columns of a table are measures, by their names."""

import re
from collections.abc import Sequence
from functools import lru_cache

from confint_cli.measures import is_known, is_mean_of_topics, is_scorable

# What tools beyond trec_eval call their measures: of diversity, of gain, of retrieval-augmented
# generation (RAGAS, TruLens, DeepEval), of answers. They tell columns of measures from columns of
# runs, and nothing else.
_OF_OTHER_TOOLS = frozenset({
    "err", "nerr", "err_ia", "nerr_ia", "map_ia", "alpha_ndcg", "nnrbp", "nrbp", "strec",
    "p_ia", "rbp", "inst", "rbu", "irbu", "q_measure", "msndcg", "compat", "compatibility",
    "judged", "mrr", "hit", "hits", "hit_rate", "ndcg", "map", "recall", "precision", "f",
    "f1", "f1_score", "f_score", "score", "value", "accuracy", "acc", "correct", "correctness",
    "auc", "faithfulness", "groundedness", "hallucination", "answer_relevancy",
    "answer_relevance", "response_relevancy", "response_relevance", "context_precision",
    "context_recall", "context_relevancy", "context_relevance", "context_utilization",
    "context_entity_recall", "context_entities_recall", "contextual_precision",
    "contextual_recall", "contextual_relevancy", "contextual_relevance",
    "llm_context_precision_with_reference", "llm_context_precision_without_reference",
    "llm_context_recall", "non_llm_context_recall", "nv_accuracy", "nv_response_groundedness",
    "nv_context_relevance", "answer_similarity", "semantic_similarity", "answer_correctness",
    "factual_correctness", "noise_sensitivity", "citation_precision", "citation_recall",
    "nugget_recall", "coherence", "fluency", "helpfulness", "harmfulness", "toxicity",
    "completeness", "conciseness", "em", "exact_match", "squad_f1", "bleu", "bleu_score",
    "rouge", "rouge_l", "rougel", "rouge_1", "rouge_2", "rouge_score", "meteor", "bertscore",
    "bert_score", "bleurt", "chrf",
})  # fmt: skip
_CUTOFF = re.compile(r"(?:@|_at_|_)?[0-9]{1,9}|\(.*\)(?:@[0-9]{1,9})?", re.DOTALL)
_OLD_PRECISION = re.compile(r"[Pp]([0-9]{1,4})", re.ASCII)
_OLD_CUTOFFS = frozenset({"5", "10", "15", "20", "30", "100", "200", "500", "1000"})


@lru_cache(maxsize=1 << 14)  # names are strangers': a file may have any number of them
def looks_like_a_measure(name: str) -> bool:
    """Say whether the name is that of a measure, of trec_eval's or of other tools'.

    A single letter is none (`G` of trec_eval): people call runs A to H.
    """
    if not 1 < len(name) <= 60:
        return False
    folded = re.sub("[- ]", "_", name.strip().casefold())
    base = _CUTOFF.sub("", folded).strip("_")
    return is_known(name) or base in _OF_OTHER_TOOLS or (len(base) > 1 and is_known(base))


def measures_among(names: Sequence[str]) -> list[str]:
    """Return which names of columns are measures.

    `P10` is an old spelling of P@10, but `P1`, `P2` and `P3` are rather runs of participants.
    Counts (`num_rel`) tell nothing: they stand beside runs as well.
    """
    numbers = [match[1] for match in map(_OLD_PRECISION.fullmatch, names) if match]
    are_participants = any(number not in _OLD_CUTOFFS for number in numbers)
    return [
        name
        for name in names
        if is_mean_of_topics(name)
        and looks_like_a_measure(name)
        and not (are_participants and _OLD_PRECISION.fullmatch(name))
    ]


def is_certainly_a_measure(name: str) -> bool:
    """Say whether the name can hardly be anything but a measure of trec_eval's or ir_measures'."""
    return len(name) > 1 and is_scorable(name) and not _OLD_PRECISION.fullmatch(name)
