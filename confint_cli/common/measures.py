"""One name for each measure, whichever of the tools wrote it, and which are means of topics.

A measure has trec_eval's spelling (`ndcg_cut_10`), often an older one (`P10`, `R-prec`) and
ir_measures' (`nDCG@10`). `canonical` maps all of them on to one name, trec_eval's; names that no
record here knows (NTCIREVAL's `MSnDCG@0010`, a home-made `my_gain`) stand for themselves. Other
functions tell names of columns that look like measures, of any tool, from those of runs.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from confint_cli.common.text import labelled, quoted, visible_measure


@dataclass(frozen=True)
class Measure:
    """A measure or, with a parameter, a family of them, with what users read about it."""

    name: str
    summary: str
    formula: str
    reference: str
    parameter: str = ""  # what stands for the number in the name: "k", "x" or nothing
    ir_measures: str = ""  # the name without its number in ir_measures, if it is there
    older: str = ""  # the name without its number in older versions of trec_eval, if it is there
    aliases: tuple[str, ...] = ()  # further such names in use, compared without regard to case

    @property
    def numbers(self) -> tuple[str, ...]:
        """The numbers for which trec_eval computes a family by default; ("",) for a measure."""
        if self.name == "success":
            return ("1", "5", "10")
        if self.name == "iprec_at_recall":
            return tuple(f"{tenths / 10:.2f}" for tenths in range(11))
        if self.name == "Rprec_mult":
            return tuple(f"{fifths / 5:.2f}" for fifths in range(1, 11))
        return (
            ("5", "10", "15", "20", "30", "100", "200", "500", "1000") if self.parameter else ("",)
        )

    def spelled(self, style: str) -> str:
        """Return the name in a style: `trec_eval`, `older` or `ir_measures`; empty: it has none."""
        base = {"trec_eval": self.name, "older": self.older, "ir_measures": self.ir_measures}[style]
        if not base or not self.parameter:
            return base
        return base + {"trec_eval": "_", "older": "", "ir_measures": "@"}[style] + self.parameter

    def explanation(self) -> str:
        """Return summary, formula, spellings and reference as a text for people."""
        names = [self.spelled(style) for style in ("trec_eval", "older", "ir_measures")]
        texts = {
            "formula": self.formula,
            "spellings": ", ".join(dict.fromkeys(filter(None, names))),
            "reference": self.reference,
        }
        return "\n".join([f"{names[0]}: {self.summary}", "", *labelled(texts), ""])


_SALTON = "Buckley and Voorhees, Retrieval System Evaluation, in TREC (2005)"
_JK = "Järvelin and Kekäläinen, ACM TOIS 20(4) (2002)"

CATALOGUE: tuple[Measure, ...] = (
    Measure("map", "average precision; its mean over topics is MAP",
            "(1/R) Σ over relevant ranks k of P@k, R the number of relevant documents",
            _SALTON, ir_measures="AP", aliases=("ap", "average_precision")),
    Measure("map_cut", "average precision of the first k documents",
            "(1/R) Σ over relevant ranks ≤ k of P@rank. NTCIREVAL's AP@k divides by min(R, k)",
            _SALTON, "k", "AP", aliases=("ap", "map")),
    Measure("Rprec", "precision at rank R, the number of relevant documents",
            "relevant documents among the first R, over R", _SALTON,
            ir_measures="Rprec", older="R-prec"),
    Measure("recip_rank", "reciprocal rank of the first relevant document",
            "1/rank, 0 where none is retrieved", "Voorhees, TREC-8 QA track (1999)",
            ir_measures="RR", aliases=("mrr",)),
    Measure("recip_rank_cut", "reciprocal rank, 0 where the first relevant document is beyond k",
            "1/rank if rank ≤ k, otherwise 0", "Voorhees, TREC-8 QA track (1999)",
            "k", "RR", aliases=("mrr", "recip_rank")),
    Measure("P", "precision of the first k documents",
            "relevant documents among the first k, over k", _SALTON, "k", "P", "P",
            aliases=("prec", "precision")),
    Measure("recall", "recall of the first k documents",
            "relevant documents among the first k, over R", _SALTON, "k", "R",
            aliases=("recall",)),
    Measure("ndcg", "normalised discounted cumulated gain of the whole ranking",
            "DCG over the ideal DCG; gain is the grade, discount log2(rank + 1)", _JK,
            ir_measures="nDCG"),
    Measure("ndcg_cut", "normalised discounted cumulated gain of the first k documents",
            "DCG@k over the ideal DCG@k; gain is the grade, discount log2(rank + 1). "
            "NTCIREVAL's MSnDCG@k is of this kind with gains of its own, its nDCG@k is not",
            _JK, "k", "nDCG", aliases=("ndcg",)),
    Measure("ndcg_rel", "nDCG averaged over the ranks of relevant documents",
            "mean of nDCG@rank over relevant ranks", _JK),
    Measure("Rndcg", "nDCG at rank R", "nDCG@R, R the number of relevant documents", _JK),
    Measure("bpref", "binary preference: judged documents only",
            "(1/R) Σ over relevant r of 1 - |judged non-relevant above r| / min(R, N)",
            "Buckley and Voorhees, SIGIR (2004)", ir_measures="Bpref"),
    Measure("infAP", "inferred average precision, for sampled judgements",
            "expected AP given the judged documents", "Yilmaz and Aslam, CIKM (2006)",
            ir_measures="infAP"),
    Measure("success", "1 where a relevant document is among the first k",
            "1 if P@k > 0, otherwise 0", _SALTON, "k", "Success"),
    Measure("iprec_at_recall", "interpolated precision at recall x",
            "max of P@k over ranks k whose recall is at least x", _SALTON, "x", "IPrec",
            aliases=("ircl_prn",)),
    Measure("11pt_avg", "mean of the interpolated precision at recall 0.0, 0.1, …, 1.0",
            "(1/11) Σ of iprec_at_recall_x", _SALTON, older="11-pt_avg", aliases=("11pt-avg",)),
    Measure("Rprec_mult", "precision at x times R documents",
            "relevant documents among the first xR, over xR", _SALTON, "x",
            aliases=("R-prec_mult",)),
    Measure("relative_P", "precision of the first k documents relative to the best possible",
            "relevant documents among the first k, over min(k, R)", _SALTON, "k",
            older="relative_P"),
    Measure("G", "normalised gain, between AP and nDCG",
            "Σ over relevant d of gain(d) / log2(2 + non-relevant documents above d), "
            "over its ideal value", "trec_eval 9 (Buckley), m_G.c"),
    Measure("binG", "normalised gain with binary relevance",
            "mean over relevant d of 1 / log2(2 + non-relevant documents above d)",
            "trec_eval 9 (Buckley), m_binG.c"),
    Measure("utility", "retrieved relevant minus retrieved non-relevant documents",
            "linear utility with weights 1, -1, 0, 0", _SALTON),
    Measure("set_P", "precision of the whole retrieved set",
            "relevant retrieved over retrieved", _SALTON, ir_measures="SetP"),
    Measure("set_recall", "recall of the whole retrieved set",
            "relevant retrieved over relevant", _SALTON, ir_measures="SetR"),
    Measure("set_F", "F measure of the whole retrieved set",
            "harmonic mean of set precision and set recall", "van Rijsbergen (1979)",
            ir_measures="SetF"),
    Measure("set_map", "set precision times set recall",
            "set_P · set_recall", _SALTON, ir_measures="SetAP"),
    Measure("set_relative_P", "set precision relative to the best possible",
            "relevant retrieved over min(retrieved, R)", _SALTON, ir_measures="SetRelP"),
)  # fmt: skip


DEFAULTS = ("map", "Rprec", "recip_rank", "P_10", "ndcg_cut_10", "ndcg")
"""What is used when a file has more measures than MOST_BY_DEFAULT and the user chose none."""
MOST_BY_DEFAULT = 6

# Sums, geometric means and texts, of which the arithmetic mean over topics makes no sense.
_NOT_A_MEAN = re.compile(
    r"((num|gm|prefs_num)_[^,]*|runid|relstring[^,]*|num(q|ret|rel|relret)(\(.*)?)", re.IGNORECASE
)

_NUMBERED = re.compile(
    r"(?P<base>.*?[^0-9.@_])(?P<separator>[@_.]?)(?P<number>\d{1,9}(?:\.\d{1,9})?)"
)


_cache = lru_cache(maxsize=1 << 14)  # bounded, as a file of strangers may have any number of names


@_cache
def is_mean_of_topics(name: str) -> bool:
    """Say whether the measure's value for all topics is the mean of their values."""
    return not _NOT_A_MEAN.fullmatch(name)


def why_not_a_mean(name: str) -> tuple[str, str]:
    """Return the problem and the hint for a user who asks for what is no mean of topics."""
    folded = name.casefold()
    kind = "a text"
    if folded.startswith("gm_"):
        kind = "a geometric mean"
    elif folded.startswith(("num", "prefs_num")):
        kind = "a count"
    return (
        f"{quoted(name)} is {kind}, no mean of topics",
        "choose a measure that is one: 'confint measures' lists them",
    )


def wrong_parameter(name: str) -> str:
    """Return a hint for the name of a known family with a number that it does not take, or ''."""
    match = re.fullmatch(r"(.*?[^0-9.@_-])[@_.]?-?[0-9.]*", name[:60])
    family = _BASES.get((match[1].casefold(), True)) if match else None
    if family is None:
        return ""
    example = family.spelled("ir_measures") or family.spelled("trec_eval")
    kind = "a whole number from 1" if family.parameter == "k" else "up to two decimals"
    return f"{example} takes {kind} for {family.parameter}"


def everything_scorable() -> list[str]:
    """Return the names of all measures; families have the numbers that are trec_eval's default."""
    return [
        f"{measure.name}_{number}" if number else measure.name
        for measure in CATALOGUE
        for number in measure.numbers
    ]


def _bases() -> dict[tuple[str, bool], Measure]:
    """Return the measures by base name, in small letters, and whether a number follows that."""
    bases = {}
    for measure in CATALOGUE:
        for base in (measure.name, measure.ir_measures, measure.older, *measure.aliases):
            if base:
                bases[base.casefold(), bool(measure.parameter)] = measure
    return bases


_BASES = _bases()


def _parse(name: str) -> tuple[Measure, str] | None:
    """Return the record and the number of a name in any spelling; None if it is not known.

    The number is empty for a measure that has none.
    """
    if len(name) > 60:
        return None
    plain = _BASES.get((name.casefold(), False))
    if plain is not None:
        return plain, ""
    match = _NUMBERED.fullmatch(name)
    if match is None:
        return None
    family = _BASES.get((match["base"].casefold(), True))
    if family is None:
        return None
    if not match["separator"] and match["base"] != family.older:
        return None  # only the older spelling puts the number straight behind the name
    number = match["number"]
    if family.parameter == "x":
        # trec_eval knows such a number to two decimals only.
        return (
            (family, f"{float(number):.2f}") if round(float(number), 2) == float(number) else None
        )
    if "." in number or int(number) == 0:
        return None
    return family, str(int(number))


@_cache
def canonical(name: str) -> str:
    """Return the one name of a measure: `P@10`, `P10`, `P_10` and `Prec@0010` are all `P_10`.

    An unknown name stands for itself, but for case, the zeros that NTCIREVAL puts before a
    cutoff, and the sign before it. Names that look alike are one.
    """
    name = visible_measure(name)
    parsed = _parse(name)
    if parsed is not None:
        measure, parameter = parsed
        return f"{measure.name}_{parameter}" if parameter else measure.name
    base, separator, number = name.rpartition("@") if "@" in name else name.rpartition("_")
    if base and separator and number.isdecimal() and number.isascii():
        name = f"{base}@{number.lstrip('0') or '0'}"
    return name.casefold()


def is_official(name: str) -> bool:
    """Say whether the name is spelled just as trec_eval, old or new, or ir_measures spells it."""
    parsed = _parse(name)
    if parsed is None:
        return False
    measure, number = parsed
    spellings = (measure.spelled(style) for style in ("trec_eval", "older", "ir_measures"))
    if not measure.parameter:
        return name in spellings
    return name in {
        spelling.removesuffix(measure.parameter) + number for spelling in spellings if spelling
    }


@_cache
def is_known(name: str) -> bool:
    """Say whether the name, in any spelling, is one that the tools are known to print."""
    return _parse(name) is not None or not is_mean_of_topics(name)


def record(name: str) -> Measure | None:
    """Return the record of a measure in any spelling, or of a family (`P`, `nDCG`), or None."""
    parsed = _parse(name)
    return parsed[0] if parsed else _BASES.get((name.casefold(), True))


def listed_as(name: str) -> Measure | None:
    """Return the measure that is spelt so without a number, `P_k` or `P@k`, or None."""
    styles = ("trec_eval", "older", "ir_measures")
    return next((m for m in CATALOGUE if name and name in map(m.spelled, styles)), None)


@_cache
def is_share(name: str) -> bool:
    """Say whether the measure is known, and its values are from 0 to 1."""
    parsed = _parse(name)
    return parsed is not None and parsed[0].name != "utility"


def is_scorable(name: str) -> bool:
    """Say whether the measure can be computed from judgements and a run."""
    return _parse(name) is not None


def scorable_names() -> list[str]:
    """Return the names of all measures and families that can be computed, for messages."""
    return [measure.spelled("trec_eval") for measure in CATALOGUE]


_MOST_COMMAS = 9  # in a name that is known without a file
_MOST_LENGTHS = 20  # numbers of parts that are tried for names with commas: more would take long


def _lengths(available: Sequence[str] | None) -> list[int]:
    """Return how many parts between commas a name may have, the largest number first."""
    if available is None:
        return [*range(_MOST_COMMAS + 1, 1, -1)]
    lengths = sorted({name.count(",") + 1 for name in available if "," in name})
    return lengths[:_MOST_LENGTHS][::-1]


def split_request(requests: Iterable[str], available: Sequence[str] | None = None) -> list[str]:
    """Return the names in requests such as `map,P_10`, each measure once, in the user's spelling.

    A name that has commas itself (`NCUrb,P@0010`) is not split: the longest stretch that is a name
    of `available` (or, without it, a known name) wins.
    """
    known = None if available is None else {canonical(name) for name in available}
    lengths = _lengths(available)

    def is_name(text: str) -> bool:
        return is_known(text) if known is None else canonical(text) in known

    names: dict[str, str] = {}
    for request in requests:
        parts = [part.strip() for part in request.split(",")]
        if is_name(whole := ",".join(parts)):
            parts = [whole]
        start = 0
        while start < len(parts):
            fitting = (n for n in lengths if n <= len(parts) - start)
            length = next((n for n in fitting if is_name(",".join(parts[start : start + n]))), 1)
            name = ",".join(parts[start : start + length])
            if name:
                names.setdefault(canonical(name), name)
            start += length
    return [*names.values()]


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


@lru_cache(maxsize=1 << 14)  # bounded, as a file of strangers may have any number of names
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
    """Return those `names` of columns that are measures.

    `P10` is an old spelling of P@10, but `P1`, `P2` and `P3` are rather runs of participants.
    Counts (`num_rel`) are left out, as they stand beside runs as well.
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
