"""Measures that pytrec_eval lacks, by the library ir_measures and the tools that it calls.

It computes many measures at once, but not always correctly: of two that pyndeval computes with
different parameters, one is 0 everywhere. So each measure is computed by itself, and only for
topics that have judgements and documents: what the library fills in for others is not used.
"""

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.errors import CallError, DataError, Notice, note, warning
from confint_cli.common.measures import (
    is_mean_of_topics,
    needs_extra,
    record,
    scorable_names,
    why_not_a_mean,
    wrong_parameter,
)
from confint_cli.common.text import did_you_mean, listed, quoted
from confint_cli.inputs.judgements import Judgements
from confint_cli.inputs.runs import Ranking

EXTRA = "pip install 'confint-cli[measures]'"
_LONGEST = 200  # characters of a name
_SUBTOPICS, _PERL = "pyndeval", "gdeval"  # names of tools
_HIGHEST_OF_PERL = 4  # the highest grade that gdeval takes
_PERL_ROUNDS = 0.5e-5  # it prints five decimals
_INSTALLED = {
    "cwl_eval": ("cwl-eval", EXTRA),
    "pyndeval": ("pyndeval", EXTRA),
    "gdeval": ("Perl", "install perl, which gdeval is written in"),
    "ranx": ("ranx", "pip install ranx"),
}

Subtopics = Sequence[tuple[str, str, str, int]]
"""Topic, subtopic, document and grade of each judgement."""


@dataclass(frozen=True)
class Beyond:
    """A measure of ir_measures, and the tool that computes it."""

    name: str  # as the user wrote it
    full_name: str  # as ir_measures writes it, with all that was filled in
    tool: str
    level: int = 1  # the lowest grade that is relevant

    @property
    def needs_subtopics(self) -> bool:
        """Whether judgements are of subtopics, by the second word of their lines."""
        return self.tool == _SUBTOPICS

    @property
    def rounding(self) -> float:
        """How far a value may be from the exact one."""
        return _PERL_ROUNDS if self.tool == _PERL else 0.0


def library() -> str:
    """Return the name and version of the library, as signatures have it."""
    import ir_measures

    return f"ir_measures-{ir_measures.__version__}"


def find(name: str, rel_level: int) -> tuple[Beyond, list[Notice]]:
    """Return what computes a measure that pytrec_eval does not, and a note on what was filled in.

    Raise CallError if nothing does, or if the tool for it is not installed.
    """
    known = needs_extra(name)
    if wrong_parameter(name):
        raise _unknown(name)
    try:
        import ir_measures
    except ImportError:
        needs = known.needs if known is not None else "ir_measures"
        if known is None and not _may_be_theirs(name):
            raise _unknown(name) from None
        raise CallError(
            f"{quoted(name)} needs {needs}, and ir_measures is not installed", EXTRA
        ) from None
    measure = _parsed(ir_measures, name)
    notices: list[Notice] = []
    is_binary = "rel" in measure.SUPPORTED_PARAMS and "rel" not in measure.params
    if is_binary and (rel_level != 1 or measure.NAME == "RBP"):
        measure = measure(rel=rel_level)
    if is_binary and measure.NAME == "RBP":
        text = f"{name} counts grades of {rel_level} or more as relevant: RBP(rel={rel_level},…)"
        notices.append(note(text))
    tool = _tool_for(ir_measures, measure, name)
    level = int(measure.params.get("rel", 1))
    return Beyond(name, _full_name(measure), tool.NAME, level), notices


_THEIR_NAMES = frozenset({
    "ap_ia", "map_ia", "p_ia", "alpha_dcg", "nnrbp", "nerr8", "nerr9", "nerr10", "nerr11",
    "judged",
})  # fmt: skip
"""Names of ir_measures that `confint measures` does not list, in small letters."""


def _base_of(name: str) -> str:
    return name.partition("(")[0].partition("@")[0].strip()


def _may_be_theirs(name: str) -> bool:
    """Say whether a name is of ir_measures, or has parameters that pytrec_eval does not take."""
    base = _base_of(name)
    return base.casefold() in _THEIR_NAMES or ("(" in name and record(base) is not None)


def _unknown(name: str, reason: str = "") -> CallError:
    hint = reason or wrong_parameter(name) or did_you_mean(name, scorable_names())
    return CallError(f"measure {quoted(name)} cannot be computed from judgements and runs", hint)


def _parsed(ir_measures: Any, name: str) -> Any:
    """Return the measure that a name stands for; raise CallError if there is none."""
    if len(name) > _LONGEST or "\0" in name:
        raise _unknown(name)
    base = _base_of(name)
    spellings = [one for one in ir_measures.measures.registry if one.casefold() == base.casefold()]
    if base not in spellings and spellings:
        name = spellings[0] + name.removeprefix(base)
    try:
        measure = ir_measures.parse_measure(name)
        measure.validate_params()
    except (NameError, SyntaxError, MemoryError, RecursionError):
        raise _unknown(name) from None
    except (AssertionError, ValueError, TypeError, AttributeError, KeyError):
        raise _unknown(name, _in_words(ir_measures, name)) from None
    if not is_mean_of_topics(measure.NAME):
        raise CallError(*why_not_a_mean(measure.NAME))
    if measure.NAME == "Accuracy":
        raise CallError(
            f"{quoted(name)} has no value for topics without a retrieved relevant document",
            "runs would be compared on different topics; bpref is a similar measure",
        )
    for parameter, value in measure.params.items():
        if problem := _out_of_range(measure.NAME, parameter, value):
            raise CallError(f"{parameter} in {quoted(name)} {problem}")
    return measure


def _out_of_range(measure: str, parameter: str, value: Any) -> str:
    """Return what is wrong with a parameter that the library would take, or an empty text."""
    if parameter in ("cutoff", "rel") and value < 1:
        return "has to be 1 or more"
    if parameter == "p" and not 0 < value < 1:
        return "has to be above 0 and below 1"
    if measure == "SetF" and parameter == "beta" and not 0.01 <= value <= 100:
        return "has to be from 0.01 to 100"
    if measure != "SetF" and parameter in ("alpha", "beta", "recall") and not 0 <= value <= 1:
        return "has to be from 0 to 1"
    if parameter == "recall" and round(value, 2) != value:
        return "may have up to two decimals"
    if parameter == "T" and not 0 < value < math.inf:
        return "has to be above 0"
    if parameter == "gains" and not all(
        isinstance(gain, int) and gain >= 0 for gain in value.values()
    ):  # fmt: skip
        return "have to be whole numbers, 0 or more"
    return ""


def _in_words(ir_measures: Any, name: str) -> str:
    """Return what is wrong with the parameters of a measure."""
    base = _base_of(name)
    known = ir_measures.measures.registry.get(base)
    if known is None:
        return ""
    parameters = [f"{one}={_EXAMPLES.get(one, '…')}" for one in known.SUPPORTED_PARAMS
                  if one != known.AT_PARAM]  # fmt: skip
    if not parameters:
        return f"{base} takes no parameters"
    needed = [one for one, spec in known.SUPPORTED_PARAMS.items()
              if spec.required and f"{one}=" not in name and one != known.AT_PARAM]  # fmt: skip
    if needed:
        return f"{base} needs {listed(needed, 5)}, as in {base}({needed[0]}=3)"
    return f"{base} takes parameters such as {listed(parameters, 10)}"


_EXAMPLES = {
    "p": "0.8", "beta": "2.0", "alpha": "0.5", "T": "1.0", "rel": "2", "max_rel": "3",
    "min_rel": "0", "dcg": "'exp-log2'", "gains": "{1:1,2:3}", "judged_only": "True",
    "relative": "True", "normalize": "False",
}  # fmt: skip
"""Values of parameters, of the type that the library asks for: 2 is not 2.0."""


def _full_name(measure: Any) -> str:
    """Return the name with all parameters, from which the library makes the same measure."""
    parameters = [f"{key}={value!r}" for key, value in sorted(measure.params.items())
                  if key != measure.AT_PARAM]  # fmt: skip
    name = f"{measure.NAME}({','.join(parameters)})" if parameters else str(measure.NAME)
    cutoff = measure.params.get(measure.AT_PARAM)
    return name if cutoff is None else f"{name}@{cutoff}"


def _tool_for(ir_measures: Any, measure: Any, name: str) -> Any:
    """Return the provider of a measure; raise CallError if none supports it or is installed."""
    missing = []
    for provider in ir_measures.DefaultPipeline.providers:
        if provider.supports(measure):
            if provider.is_available():
                _check_has_cutoff(provider, measure, name)
                return provider
            missing.append(provider.NAME)
    if missing:
        tool, hint = _INSTALLED.get(missing[0], (missing[0], EXTRA))
        raise CallError(f"{quoted(name)} needs {tool}, which is not installed", hint)
    needed = _needed_parameters(ir_measures, measure)
    hint = f"it needs {listed(needed, 5)}" if needed else ""
    if not needed and measure.AT_PARAM in measure.params:
        hint = f"try it without @{measure.params[measure.AT_PARAM]}"
    raise CallError(f"no tool of ir_measures computes {quoted(name)} in this form", hint)


def _check_has_cutoff(provider: Any, measure: Any, name: str) -> None:
    """Raise an error where pyndeval needs a cutoff, and ir_measures does not say so."""
    has_cutoff = "cutoff" in measure.SUPPORTED_PARAMS
    if provider.NAME == _SUBTOPICS and has_cutoff and "cutoff" not in measure.params:
        problem = f"no tool of ir_measures computes {quoted(name)} in this form"
        raise CallError(problem, f"it needs @k, as in {measure.NAME}@10")


def _needed_parameters(ir_measures: Any, measure: Any) -> list[str]:
    """Return the parameters that providers of a measure need, and that it lacks."""
    needed: dict[str, None] = {}
    for provider in ir_measures.DefaultPipeline.providers:
        for supported in provider.SUPPORTED_MEASURES:
            if supported.NAME == measure.NAME:
                needed |= {
                    ("@k" if name == measure.AT_PARAM else name): None
                    for name, spec in supported.params.items()
                    if getattr(spec, "required", False) and name not in measure.params
                }
    return [*needed]


# Computing


Compute = Callable[[Mapping[str, Ranking]], FloatArray]
"""A function that returns the value of each topic, [topic], in the order in which they come."""


def calculator(
    beyond: Beyond, judgements: Judgements, subtopics: Subtopics, qrels: str
) -> tuple[Compute, list[Notice]]:
    """Return what computes the measure for a run, and what the tool has to say of the judgements.

    Raise DataError for judgements that it cannot use.
    """
    import ir_measures

    measure = ir_measures.parse_measure(beyond.full_name)
    provider = ir_measures.providers.registry[beyond.tool]
    given: Any = judgements
    topic_of = None
    if beyond.tool == _PERL:
        topic_of = {topic: str(number) for number, topic in enumerate(judgements, start=1)}
        highest = max(grade for grades in judgements.values() for grade in grades.values())
        if highest > _HIGHEST_OF_PERL:
            problem = (
                f"has grade {highest}, but {beyond.name} takes grades up to {_HIGHEST_OF_PERL}"
            )
            raise DataError(qrels, problem)
        given = {topic_of[topic]: grades for topic, grades in judgements.items()}
        _check_are_words((document for one in judgements.values() for document in one), qrels)
    elif beyond.needs_subtopics:
        _check_subtopics(subtopics, beyond, qrels)
        given = [ir_measures.Qrel(topic, document, grade, subtopic)
                 for topic, subtopic, document, grade in subtopics]  # fmt: skip
    with _what_is_logged() as messages, _faults_of(beyond):
        evaluator = provider.evaluator([measure], given)
    notices = [warning(f"{beyond.name}: {text}", qrels) for text in messages]

    def compute(rankings: Mapping[str, Ranking]) -> FloatArray:
        run: Any = rankings
        if topic_of is not None:
            _check_are_words((document for one in rankings.values() for document in one), "")
            run = {topic_of[topic]: ranking for topic, ranking in rankings.items()}
        with _what_is_logged(), _faults_of(beyond):
            values = {one.query_id: one.value for one in evaluator.iter_calc(run)}
        found = np.array([values.get(topic, np.nan) for topic in run], dtype=np.float64)
        if not np.isfinite(found).all():
            topic = [*rankings][int((~np.isfinite(found)).argmax())]
            raise DataError("", f"{beyond.name} has no value for topic {quoted(topic)}")
        return found

    return compute, notices


def _check_are_words(documents: Iterable[str], name: str) -> None:
    """Raise an error for a document with a blank in its name, which gdeval would cut."""
    for document in documents:
        if len(document.split()) != 1:
            problem = f"document {quoted(document)} has a blank in its name"
            raise DataError(
                name, problem, "gdeval, which computes this measure, cannot use such names"
            )


def _check_subtopics(subtopics: Subtopics, beyond: Beyond, qrels: str) -> None:
    """Raise an error if no topic has several subtopics: then the second word is something else."""
    subtopics_of: dict[str, set[str]] = {}
    for topic, subtopic, _, _ in subtopics:
        subtopics_of.setdefault(topic, set()).add(subtopic)
    if all(len(found) < 2 for found in subtopics_of.values()):
        raise DataError(
            qrels,
            f"has no topic with several subtopics, but {beyond.name} needs them",
            "the subtopic is the second word of a judgement: 'topic subtopic document grade'",
        )


@contextmanager
def _faults_of(beyond: Beyond) -> Iterator[None]:
    """Raise a DataError for whatever goes wrong in a tool, which accepts less than trec_eval."""
    try:
        yield
    except DataError:
        raise
    except Exception as error:
        reason = quoted(f"{type(error).__name__}: {error}".partition("\n")[0], 200)
        problem = f"{beyond.tool}, which computes {beyond.name}, fails: {reason}"
        raise DataError("", problem) from None


@contextmanager
def _what_is_logged() -> Iterator[list[str]]:
    """Collect what ir_measures would write to standard error, in sentences."""
    messages: list[str] = []
    logger = logging.getLogger("ir_measures")
    handlers = logger.handlers[:]
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    logger.handlers[:] = [handler]
    try:
        yield messages
    finally:
        logger.handlers[:] = handlers
