"""Confidence intervals for information-retrieval evaluation scores.

    import confint_cli as confint

    result = confint.compare("evals/", measure="map", baseline="bm25")
    print(result.sentence)

Each command of the command line is a function. The options of the command are keyword arguments of
the same names; None stands for the default of the command line. Scores come from files, a DataFrame
of pandas or polars, a dict as pytrec_eval returns it, or an array.

A result has `.rows`, `.to_dicts()`, `.to_pandas()`, `.sentence`, `.signature`, `.notices`,
`.plot()` and `.write(path)`. Nothing is printed. Errors are `DataError` and `CallError`.
docs/python.md has examples.

Importing this module is quick: everything else, numpy included, is imported when it is needed.
"""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from confint_cli.app.python import Result, Scores
    from confint_cli.common.errors import CallError, DataError, GateError, Notice
    from confint_cli.studies.rows import (
        AgreementRow,
        BayesRow,
        CompareRow,
        CoverageRow,
        CoverageSummaryRow,
        DescribeRow,
        IntervalRow,
        PlanRow,
        RankRow,
        RiskRow,
        RiskSummaryRow,
    )
    from confint_cli.studies.score import ScoreRow
    from confint_cli.studies.standardize import FactorRow

__version__ = "1.0.0"

Names = str | Sequence[str] | None  # one, several by commas, or a list
Number = float | str | None  # a text may be a percentage
Numbers = float | str | Sequence[float | str] | None
File = str | PathLike[str] | None

_HOMES = {  # where to find the names that are imported when they are first used
    "confint_cli.app.python": ("Result", "Scores"),
    "confint_cli.common.errors": ("CallError", "DataError", "GateError", "Notice"),
    "confint_cli.studies.rows": (
        "AgreementRow", "BayesRow", "CompareRow", "CoverageRow", "CoverageSummaryRow",
        "DescribeRow", "IntervalRow", "PlanRow", "RankRow", "RiskRow", "RiskSummaryRow",
    ),
    "confint_cli.studies.score": ("ScoreRow",),
    "confint_cli.studies.standardize": ("FactorRow",),
}  # fmt: skip

__all__ = [
    "AgreementRow",
    "BayesRow",
    "CallError",
    "CompareRow",
    "CoverageRow",
    "CoverageSummaryRow",
    "DataError",
    "DescribeRow",
    "FactorRow",
    "GateError",
    "IntervalRow",
    "Notice",
    "PlanRow",
    "RankRow",
    "Result",
    "RiskRow",
    "RiskSummaryRow",
    "ScoreRow",
    "Scores",
    "__version__",
    "agreement",
    "bayes",
    "compare",
    "coverage",
    "describe",
    "interval",
    "plan",
    "rank",
    "read",
    "risk",
    "score",
    "standardize",
    "summary",
]


_ONLY_IN_A_SHELL = ("formats", "measures", "methods", "report", "tests")


def __getattr__(name: str) -> Any:
    """Return a class of results, records or errors, imported when it is first used."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    problem = f"module {__name__!r} has no attribute {name!r}"
    if name in _ONLY_IN_A_SHELL:
        problem += f": 'confint {name}' is for the command line"
    raise AttributeError(problem)


def __dir__() -> list[str]:
    return __all__


def _ask(question: str, options: dict[str, Any]) -> Any:
    """Return the result of a question; `options` are all arguments of the call.

    Errors are raised from here, as if they came from here: a traceback of ours would say nothing.
    """
    from confint_cli.app import python
    from confint_cli.common.errors import CallError, DataError

    data = options.pop("scores")
    try:
        if question == "read":
            return python.read(data, options)
        return python.ask(question, data, options)
    except (CallError, DataError) as error:
        raise error.with_traceback(None) from None


def read(
    scores: object, *, qrels: File = None, measure: Names = None, unjudged: str | None = None,
    missing: str | None = None,
    topics: File | Sequence[str] = None, every: int | None = None,
    rel_level: int | None = None, input_format: str | None = None,
    run_names: File | Sequence[str] = None, labels: Names = None,
    groups: File | Mapping[str, str] = None,
    group_weight: str | None = None, name_from: str | None = None,
    measure_name: str | None = None, jobs: int | None = None, executor: str | None = None,
    keep_going: bool = False, sort: str | None = None, progress: bool = False,
) -> "Scores":  # fmt: skip
    """Return scores that are read once, for several questions: give them to the other functions.

    `scores` can be a path, a list of paths, a DataFrame of pandas or polars, a dict
    `{run: {topic: {measure: value}}}` as pytrec_eval returns it, or an array [topic, run]. With
    `qrels`, the files are runs, and confint scores them. Options given here, such as `measure` or
    `missing`, hold for all questions that do not give them again.
    """
    return _ask("read", locals())


def score(
    scores: object, *, qrels: File = None, measure: Names = None, unjudged: str | None = None,
    missing: str | None = None,
    topics: File | Sequence[str] = None, every: int | None = None,
    rel_level: int | None = None, input_format: str | None = None,
    run_names: File | Sequence[str] = None, labels: Names = None,
    groups: File | Mapping[str, str] = None,
    group_weight: str | None = None, name_from: str | None = None,
    measure_name: str | None = None, jobs: int | None = None, executor: str | None = None,
    keep_going: bool = False, sort: str | None = None, progress: bool = False,
) -> "Result[ScoreRow]":  # fmt: skip
    """Return the score of each run on each topic: `run`, `topic`, `measure`, `score`.

    `confint score --help` explains the options. `scores` can be anything that `read` takes.
    """
    return _ask("score", locals())


def interval(
    scores: object, *, method: Names = None, level: Numbers = None,
    resamples: int | str | None = None, seed: int | None = None, standardize: int | File = None,
    for_new: str | None = None,
    qrels: File = None, measure: Names = None, unjudged: str | None = None,
    missing: str | None = None,
    judge_qrels: File = None, judge_scores: object = None,
    topics: File | Sequence[str] = None, every: int | None = None,
    rel_level: int | None = None, input_format: str | None = None,
    run_names: File | Sequence[str] = None, labels: Names = None,
    groups: File | Mapping[str, str] = None,
    group_weight: str | None = None, name_from: str | None = None,
    measure_name: str | None = None, jobs: int | None = None, executor: str | None = None,
    keep_going: bool = False, sort: str | None = None, progress: bool = False,
) -> "Result[IntervalRow]":  # fmt: skip
    """How sure is this mean? Return an interval per run, measure, method and level.

    The default `method` is `t`, the default `level` 0.95. `confint interval --help` explains the
    options. `scores` can be anything that `read` takes.
    """
    return _ask("interval", locals())


def compare(
    scores: object, *, baseline: Names = None, all_pairs: bool = False, unpaired: bool = False,
    test: Names = None, correct: str | None = None, simultaneous: bool = False, meta: bool = False,
    paired_repeats: bool = False, effect_intervals: bool = False, margin: Number = None,
    fail_if: str | None = None,
    method: Names = None, level: Numbers = None, resamples: int | str | None = None,
    draws: int | None = None, strict: bool = False, seed: int | None = None,
    standardize: int | File = None, for_new: str | None = None,
    qrels: File = None, measure: Names = None,
    judge_qrels: File = None, judge_scores: object = None,
    unjudged: str | None = None,
    missing: str | None = None, topics: File | Sequence[str] = None, every: int | None = None,
    rel_level: int | None = None, input_format: str | None = None,
    run_names: File | Sequence[str] = None, labels: Names = None,
    groups: File | Mapping[str, str] = None,
    group_weight: str | None = None, name_from: str | None = None,
    measure_name: str | None = None, jobs: int | None = None, executor: str | None = None,
    keep_going: bool = False, sort: str | None = None, progress: bool = False,
) -> "Result[CompareRow]":  # fmt: skip
    """Is A better than B, and by how much? Return differences, intervals, p-values, effect sizes.

    Runs are compared with a `baseline`, or in all pairs with `all_pairs`; two runs need neither.
    With `fail_if`, the result has `.passed`, and `.raise_if_failed()` raises `GateError`.
    `confint compare --help` explains the options. `scores` can be anything that `read` takes.
    """
    return _ask("compare", locals())


def rank(
    scores: object, *, method: str | None = None, level: Number = None,
    resamples: int | str | None = None, draws: int | None = None, strict: bool = False,
    seed: int | None = None, standardize: int | File = None, for_new: str | None = None,
    qrels: File = None,
    judge_qrels: File = None, judge_scores: object = None,
    measure: Names = None, unjudged: str | None = None,
    missing: str | None = None, topics: File | Sequence[str] = None,
    every: int | None = None, rel_level: int | None = None, input_format: str | None = None,
    run_names: File | Sequence[str] = None, labels: Names = None,
    groups: File | Mapping[str, str] = None,
    group_weight: str | None = None, name_from: str | None = None,
    measure_name: str | None = None, jobs: int | None = None, executor: str | None = None,
    keep_going: bool = False, sort: str | None = None, progress: bool = False,
) -> "Result[RankRow]":  # fmt: skip
    """Who is really ahead? Return ranks, and rank sets: which ranks a run might truly have.

    `confint rank --help` explains the options. `scores` can be anything that `read` takes.
    """
    return _ask("rank", locals())


def agreement(
    scores: object, *, level: Number = None, draws: int | None = None, seed: int | None = None,
    qrels: File = None, judge_qrels: File = None, judge_scores: object = None,
    measure: Names = None, missing: str | None = None, topics: File | Sequence[str] = None,
    every: int | None = None, rel_level: int | None = None, input_format: str | None = None,
    run_names: File | Sequence[str] = None, labels: Names = None,
    groups: File | Mapping[str, str] = None,
    group_weight: str | None = None, name_from: str | None = None,
    measure_name: str | None = None, jobs: int | None = None, executor: str | None = None,
    keep_going: bool = False, sort: str | None = None, progress: bool = False,
) -> "Result[AgreementRow]":  # fmt: skip
    """How far can I trust a cheaper judge? Return how far its scores agree with people's.

    Give the judge as `judge_qrels`, with `qrels`, or as `judge_scores`: anything that `read` takes,
    or a pattern of paths. `confint agreement --help` explains the options. `scores` can be anything
    that `read` takes.
    """
    return _ask("agreement", locals())


def coverage(
    scores: object, *, replicates: int | None = None, sample_size: Numbers = None,
    without_replacement: bool = False, summary: bool = False, method: Names = None,
    level: Numbers = None, resamples: int | str | None = None, seed: int | None = None,
    standardize: int | File = None, for_new: str | None = None,
    qrels: File = None, measure: Names = None,
    judge_qrels: File = None, judge_scores: object = None,
    missing: str | None = None, topics: File | Sequence[str] = None, every: int | None = None,
    rel_level: int | None = None, input_format: str | None = None,
    run_names: File | Sequence[str] = None, labels: Names = None,
    groups: File | Mapping[str, str] = None,
    group_weight: str | None = None, name_from: str | None = None,
    measure_name: str | None = None, jobs: int | None = None, executor: str | None = None,
    keep_going: bool = False, sort: str | None = None, progress: bool = False,
) -> "Result[Any]":  # fmt: skip
    """Which interval can I trust on data like mine? Return how often each method covers the truth.

    With `summary`, each record is about all runs together. `confint coverage --help` explains the
    options. `scores` can be anything that `read` takes.
    """
    return _ask("coverage", locals())


def bayes(
    scores: object, *, baseline: Names = None, all_pairs: bool = False, unpaired: bool = False,
    threshold: Mapping[str, float] | Names = None, rope: tuple[float, float] | None = None,
    classical: bool = False, level: Number = None, draws: int | None = None,
    seed: int | None = None, qrels: File = None, measure: Names = None,
    missing: str | None = None, topics: File | Sequence[str] = None, every: int | None = None,
    rel_level: int | None = None, input_format: str | None = None,
    run_names: File | Sequence[str] = None, labels: Names = None,
    groups: File | Mapping[str, str] = None,
    group_weight: str | None = None, name_from: str | None = None,
    measure_name: str | None = None, jobs: int | None = None, executor: str | None = None,
    keep_going: bool = False, sort: str | None = None, progress: bool = False,
) -> "Result[BayesRow]":  # fmt: skip
    """How probable is it that A beats B? Return posteriors of differences and effect sizes.

    `threshold` can be a dict, such as `{"difference": 0.02}`. `confint bayes --help` explains the
    options. `scores` can be anything that `read` takes.
    """
    return _ask("bayes", locals())


def risk(
    scores: object, *, baseline: Names = None, r: Numbers = None, alpha: Numbers = None,
    summary: bool = False, top: Number = None, method: Names = None, level: Numbers = None,
    resamples: int | str | None = None, seed: int | None = None, qrels: File = None,
    measure: Names = None, missing: str | None = None, topics: File | Sequence[str] = None,
    every: int | None = None, rel_level: int | None = None, input_format: str | None = None,
    run_names: File | Sequence[str] = None, labels: Names = None,
    groups: File | Mapping[str, str] = None,
    group_weight: str | None = None, name_from: str | None = None,
    measure_name: str | None = None, jobs: int | None = None, executor: str | None = None,
    keep_going: bool = False, sort: str | None = None, progress: bool = False,
) -> "Result[Any]":  # fmt: skip
    """Does A hurt topics that the baseline did well? Return URisk, TRisk, GeoRisk and intervals.

    With `summary`, each record is about the best runs together. `confint risk --help` explains the
    options. `scores` can be anything that `read` takes.
    """
    return _ask("risk", locals())


def plan(
    scores: object, *, half_width: Numbers = None, difference: Numbers = None,
    margin: Numbers = None, power: Number = None, assurance: Number = None, level: Numbers = None,
    for_new: str | None = None, qrels: File = None,
    judge_qrels: File = None, judge_scores: object = None,
    measure: Names = None, missing: str | None = None, topics: File | Sequence[str] = None,
    every: int | None = None, rel_level: int | None = None, input_format: str | None = None,
    run_names: File | Sequence[str] = None, labels: Names = None,
    groups: File | Mapping[str, str] = None,
    group_weight: str | None = None, name_from: str | None = None,
    measure_name: str | None = None, jobs: int | None = None, executor: str | None = None,
    keep_going: bool = False, sort: str | None = None, progress: bool = False,
) -> "Result[PlanRow]":  # fmt: skip
    """How many topics do I need? Return the numbers, judging from the scores of a pilot.

    `confint plan --help` explains the options. `scores` can be anything that `read` takes.
    """
    return _ask("plan", locals())


def describe(
    scores: object, *, differences: bool = False, baseline: Names = None,
    for_new: str | None = None, qrels: File = None,
    measure: Names = None, missing: str | None = None, topics: File | Sequence[str] = None,
    every: int | None = None, rel_level: int | None = None, input_format: str | None = None,
    run_names: File | Sequence[str] = None, labels: Names = None,
    groups: File | Mapping[str, str] = None,
    group_weight: str | None = None, name_from: str | None = None,
    measure_name: str | None = None, jobs: int | None = None, executor: str | None = None,
    keep_going: bool = False, sort: str | None = None, progress: bool = False,
) -> "Result[DescribeRow]":  # fmt: skip
    """What do the scores, or differences of runs, look like? Return numbers about their shape.

    `confint describe --help` explains the options. `scores` can be anything that `read` takes.
    """
    return _ask("describe", locals())


def standardize(
    scores: object, *, reference: Names = None, reference_sample: int | None = None,
    factors: File = None, transform: str | None = None, seed: int | None = None,
    qrels: File = None, measure: Names = None, missing: str | None = None,
    topics: File | Sequence[str] = None, every: int | None = None,
    rel_level: int | None = None, input_format: str | None = None,
    run_names: File | Sequence[str] = None, labels: Names = None,
    groups: File | Mapping[str, str] = None,
    group_weight: str | None = None, name_from: str | None = None,
    measure_name: str | None = None, jobs: int | None = None, executor: str | None = None,
    keep_going: bool = False, sort: str | None = None, progress: bool = False,
) -> "Result[ScoreRow]":  # fmt: skip
    """Return scores made comparable between topics; `.factors` is what they were standardised by.

    The result can be the `scores` of any other function. `confint standardize --help` explains the
    options. `scores` can be anything that `read` takes.
    """
    return _ask("standardize", locals())


def summary(
    scores: object = None, *, mean: Numbers = None, sd: Numbers = None,
    n: int | Sequence[int] | None = None, measure: Names = None, baseline: Names = None,
    correct: str | None = None, level: Numbers = None, sort: str | None = None,
) -> "Result[Any]":  # fmt: skip
    """What do published results say? Return t intervals of means, or comparisons with a `baseline`.

    Give the results as `mean`, `sd` and `n`, or as a file or DataFrame with the columns run,
    measure, mean, sd and n. `interval` returns such a table. `confint summary --help` explains the
    options.
    """
    return _ask("summary", locals())
