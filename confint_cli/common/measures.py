"""One name for each measure, whichever of the tools wrote it, and which are means of topics.

A measure has trec_eval's spelling (`ndcg_cut_10`), often an older one (`P10`, `R-prec`) and
ir_measures' (`nDCG@10`). `canonical` maps all of them to one name, trec_eval's. Names without a
record here (NTCIREVAL's `MSnDCG@0010`, a home-made `my_gain`) stand for themselves. Other functions
say whether the name of a column looks like a measure, of any tool, or like a run.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from confint_cli.common.catalogue import BEYOND, CATALOGUE, Measure
from confint_cli.common.text import quoted, visible_measure

DEFAULTS = ("map", "Rprec", "recip_rank", "P_10", "ndcg_cut_10", "ndcg")
"""What is used when a file has more measures than MOST_BY_DEFAULT and the user chose none."""
MOST_BY_DEFAULT = 6

# Sums, geometric means and texts: an arithmetic mean of these over topics makes no sense.
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
    """Return the problem and the hint for a user who asks for what is not a mean over topics."""
    folded = name.casefold()
    kind = "a text"
    if folded.startswith("gm_"):
        kind = "a geometric mean"
    elif folded.startswith(("num", "prefs_num")):
        kind = "a count"
    return (
        f"{quoted(name)} is {kind}, not a mean over topics",
        "choose a measure that is a mean over topics: 'confint measures' lists them",
    )


def wrong_parameter(name: str) -> str:
    """Return a hint for a known family with a number that it cannot have, or ''."""
    match = re.fullmatch(r"(.*?[^0-9.@_-])[@_.]?-?[0-9.]*", name[:60])
    family = _BASES.get((match[1].casefold(), True)) if match else None
    if family is None:
        return ""
    example = family.spelled("ir_measures") or family.spelled("trec_eval")
    kind = "is a whole number, 1 or more" if family.parameter == "k" else "has up to two decimals"
    return f"in {example}, {family.parameter} {kind}"


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


@dataclass(frozen=True)
class Parsed:
    """What the name of a measure says."""

    measure: Measure
    number: str  # empty: it has none
    level: int | None = None  # the lowest grade that is relevant, if the name says it

    @property
    def trec_eval(self) -> str:
        """The name in trec_eval, which does not know of levels."""
        return f"{self.measure.name}_{self.number}" if self.number else self.measure.name


def parsed(name: str) -> Parsed | None:
    """Return what a name in any spelling says; None if it is not known."""
    if len(name) > 60:
        return None
    name = _AT.sub(r"@\1", name)
    match = _WITH_LEVEL.fullmatch(name)
    if match is None:
        return _without_level(name)
    plain = _without_level(match["base"] + (match["cutoff"] or ""))
    if plain is None or plain.measure.graded:
        return None
    return Parsed(plain.measure, plain.number, int(match["level"]))


_AT = re.compile(r"_at_([0-9]{1,9})$", re.ASCII)  # MTEB's `ndcg_at_10`
_WITH_LEVEL = re.compile(
    r"(?P<base>[A-Za-z]\w*)\(\s*rel\s*=\s*(?P<level>[0-9]{1,4})\s*\)(?P<cutoff>@[0-9.]+)?", re.ASCII
)


def _without_level(name: str) -> Parsed | None:
    """Return the record and the number of a name; None if it is not known."""
    plain = _BASES.get((name.casefold(), False))
    if plain is not None:
        return Parsed(plain, "")
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
        is_exact = round(float(number), 2) == float(number)
        return Parsed(family, f"{float(number):.2f}") if is_exact else None
    if "." in number or int(number) == 0:
        return None
    return Parsed(family, str(int(number)))


@_cache
def canonical(name: str) -> str:
    """Return the one name of a measure: `P@10`, `P10`, `P_10` and `Prec@0010` are all `P_10`.

    An unknown name stands for itself, except for case, the zeros that NTCIREVAL puts before a
    cutoff, and the sign before it. Names that look alike are one.
    """
    name = visible_measure(name)
    known = parsed(name)
    if known is not None:
        level = "" if known.level is None else f"(rel={known.level})"
        return known.trec_eval + level
    if match := _WITH_PARAMETERS.fullmatch(name):
        parameters = sorted(
            (part.strip() for part in split_outside(match["parameters"])), key=str.casefold
        )
        name = f"{match['base']}({','.join(parameters)}){match['cutoff']}"
    base, separator, number = name.rpartition("@") if "@" in name else name.rpartition("_")
    if base and separator and number.isdecimal() and number.isascii():
        name = f"{base}@{number.lstrip('0') or '0'}"
    return name.casefold()


_WITH_PARAMETERS = re.compile(r"(?P<base>[^(]+)\((?P<parameters>.*)\)(?P<cutoff>[^()]*)", re.DOTALL)
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def split_outside(text: str) -> list[str]:
    """Return the parts of a text between commas, except for commas in brackets or quotes.

    If brackets or quotes are not closed, all commas count.
    """
    parts, start, open_brackets, quote = [], 0, "", ""
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in _CLOSING:
            open_brackets += _CLOSING[character]
        elif open_brackets and character == open_brackets[-1]:
            open_brackets = open_brackets[:-1]
        elif character == "," and not open_brackets:
            parts.append(text[start:place])
            start = place + 1
    return text.split(",") if open_brackets or quote else [*parts, text[start:]]


def is_official(name: str) -> bool:
    """Say whether the name is spelled just as trec_eval, old or new, or ir_measures spells it."""
    known = parsed(name)
    if known is None:
        return False
    measure, number = known.measure, known.number
    if known.level is not None:
        cutoff = f"@{number}" if number else ""
        return name == f"{measure.ir_measures}(rel={known.level}){cutoff}"
    spellings = (measure.spelled(style) for style in ("trec_eval", "older", "ir_measures"))
    if not measure.parameter:
        return name in spellings
    return name in {
        spelling.removesuffix(measure.parameter) + number for spelling in spellings if spelling
    }


@_cache
def is_known(name: str) -> bool:
    """Say whether the name, in any spelling, is one that the tools are known to print."""
    return parsed(name) is not None or not is_mean_of_topics(name)


def record(name: str) -> Measure | None:
    """Return the record of a measure in any spelling, or of a family (`P`, `nDCG`), or None."""
    known = parsed(name)
    if known is not None:
        return known.measure
    beyond = next((one for one in BEYOND if _base_of(one.name) == _base_of(name)), None)
    return _BASES.get((name.casefold(), True)) or beyond


def _base_of(name: str) -> str:
    """Return the name of a measure without parameters and number; nDCG with parameters as it is."""
    base = re.sub(r"@.*", "", name.casefold())
    return base if base.startswith("ndcg") else base.partition("(")[0]


def needs_extra(name: str) -> Measure | None:
    """Return the record of a measure that the extra `measures` computes, or None."""
    found = record(name)
    return found if found is not None and found.needs else None


def listed_as(name: str) -> Measure | None:
    """Return the measure that is spelt so without a number, `P_k` or `P@k`, or None."""
    styles = ("trec_eval", "older", "ir_measures")
    return next((m for m in (*CATALOGUE, *BEYOND) if name and name in map(m.spelled, styles)), None)


@_cache
def is_share(name: str) -> bool:
    """Say whether the measure is known, and its values are from 0 to 1."""
    known = parsed(name)
    return known is not None and known.measure.name != "utility"


def is_scorable(name: str) -> bool:
    """Say whether pytrec_eval computes the measure from judgements and a run."""
    return parsed(name) is not None


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
        parts = [part.strip() for part in split_outside(request)]
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


# What goes with a measure, about documents that nobody judged

_UNJUDGED = re.compile(r"unj_?([0-9]{1,6})", re.IGNORECASE)
_TREC_RESIDUAL = "rbp_resid"
_RESIDUAL = " residual"


def residual_named(measure: str) -> str:
    """Return the name of the residual of a measure: how much larger it could be."""
    return measure + _RESIDUAL


def residual_of(name: str) -> str | None:
    """Return the measure that a name is the residual of; None: it is a measure of its own."""
    if name.startswith(_TREC_RESIDUAL):
        return "rbp" + name.removeprefix(_TREC_RESIDUAL)
    return name.removesuffix(_RESIDUAL) if name.endswith(_RESIDUAL) else None


def unjudged_depth(name: str) -> int | None:
    """Return the depth of a share of unjudged documents, as trec_eval 10 has it; else None."""
    found = _UNJUDGED.fullmatch(name)
    return int(found[1]) if found else None


def is_companion(name: str) -> bool:
    """Say whether a name is of what goes with measures, and is no measure that people report."""
    return residual_of(name) is not None or unjudged_depth(name) is not None
