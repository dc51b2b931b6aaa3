"""`confint standardize`: per-topic scores made comparable."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from confint_cli.app.columns import Columns, named
from confint_cli.app.command import STATISTICS, Group, command_of
from confint_cli.app.options import WritingOptions, reading_options, seed_option, writing_options
from confint_cli.app.task import Task, Work
from confint_cli.app.types import Choice, WholeNumber
from confint_cli.common.errors import CallError, DataError
from confint_cli.common.text import quoted
from confint_cli.scores.request import Request
from confint_cli.studies.columns import SCORES
from confint_cli.studies.yardstick import Yardstick

if TYPE_CHECKING:
    from confint_cli.app.task import Write
    from confint_cli.studies.answer import Answer
    from confint_cli.studies.score import ScoreRow


@command_of(
    reading_options,
    Group(STATISTICS, (seed_option(),)),
    writing_options,
    short_help="How can scores be compared between papers? Scores standardised topic by topic.",
    examples="""\
  confint standardize evals/*.eval -m map | confint interval -
  confint standardize evals/*.eval --reference bm25,ql --save-factors factors.tsv -o scores.tsv
  confint standardize ours.eval --factors factors.tsv | confint interval --method t -
""",
    columns=Columns(named(SCORES)),
)
@click.option(
    "--reference",
    multiple=True,
    metavar="RUN",
    help="Standardise by these runs, given by name or by file (all runs in it). They do not have "
    "to be among FILES. Repeat the option, or separate runs by commas. [default: all runs]",
)
@click.option(
    "--reference-sample",
    type=WholeNumber(min=2),
    metavar="K",
    help="Standardise by K of the runs, drawn at random.",
)
@click.option(
    "--factors",
    metavar="FILE",
    help="Standardise by the means and standard deviations in this file, which --save-factors "
    "wrote.",
)
@click.option(
    "--save-factors",
    metavar="FILE",
    help="Also write each topic's mean and standard deviation over the reference runs to this file "
    "(.tsv or .csv), so that others can put their runs on the same scale.",
)
@click.option(
    "--transform",
    type=Choice(["z", "cdf"]),
    default="z",
    show_default=True,
    help="z: standard deviations above the mean. cdf: these mapped to the range 0 to 1 by the "
    "normal distribution.",
)
def command(
    reference: tuple[str, ...],
    reference_sample: int | None,
    factors: str | None,
    save_factors: str | None,
    transform: str,
    seed: int,
    reading: Request,
    writing: WritingOptions,
) -> Task:
    """Print the scores of FILES, standardised topic by topic.

    A standardised score is z = (score - mean)/sd. The mean and sd (with n-1) are those of the
    reference runs on that topic in that measure. All topics then count equally, and on some
    collections t intervals of few topics are closer to their nominal level (Park 2010).

    Use 20 reference runs or more: with few of them, there are topics on which they hardly differ. A
    topic on which the reference runs do not differ at all has no standardised score. confint leaves
    it out and says so in a message.

    The result is a table that every other command reads, from a file or a pipe. It keeps all
    digits.

    Scores that were standardised by different runs cannot be compared. Name the reference runs in
    your paper, or publish the factors (--save-factors).
    """
    from confint_cli.app.writing import check_inputs_stay
    from confint_cli.scores.naming import separated
    from confint_cli.studies.facts import Facts, facts_of_chance, facts_of_computing, merged
    from confint_cli.studies.standardize import factors_answer, standardize
    from confint_cli.studies.yardstick import resolved

    yardstick = _yardstick(reference, reference_sample, factors)
    _check_saving(save_factors, factors, writing)
    saving = WritingOptions(output=save_factors, signature=True)
    inputs = [*reading.paths, *separated(yardstick.names)]
    check_inputs_stay(inputs, saving, option="--save-factors")

    def ask(work: Work) -> "Answer[ScoreRow]":
        check_inputs_stay(filter(None, [yardstick.path]), writing)
        by, resolved_yardstick = resolved(yardstick, work.scores, seed, work.tell)
        only_references = {*separated(yardstick.names)} - {*reading.files}
        own = [path for path in work.scores.origins if path not in only_references]
        scores = work.scores.from_files(own)
        if not scores.runs:
            problem = "none of the FILES has a measure that is used"
            raise DataError("", problem, "choose measures with -m")
        drop = reading.missing == "drop"
        answer = standardize(scores, by, transform, writing.sort, drop=drop)
        used = str(resolved_yardstick)
        facts: Facts = {"factors": used} if factors else {"reference": used}
        facts["transform"] = transform
        if transform == "cdf":
            facts.update(facts_of_computing())
        if reference_sample is not None:
            facts.update(facts_of_chance(seed))
        factors_used = factors_answer(by)
        reference_runs = ",".join(resolved_yardstick.names or work.scores.runs)
        about_factors = merged(work.facts, {"reference": reference_runs}, factors_used.facts)
        return replace(
            answer,
            facts=merged(facts, answer.facts),
            factors=replace(factors_used, facts=about_factors),
        )

    return Task(
        "standardize",
        ask,
        why_plain="factors are of the topics of one collection, and of runs without repeats",
        references=yardstick.names,
        usual=lambda: yardstick.measures,
        output=_outputs(writing, saving if save_factors else None),
    )


@contextmanager
def _outputs(writing: WritingOptions, saving: WritingOptions | None) -> "Iterator[Write]":
    """Yield a function that writes the scores and, before them, the factors with `saving`."""
    from confint_cli.app.writing import table_output

    scores_output = table_output(writing, figure="standardize")
    with scores_output as write_scores, ExitStack() as stack:
        write_factors = stack.enter_context(table_output(saving)) if saving is not None else None

        def write(answer: "Answer[Any]") -> None:
            if write_factors is not None and answer.factors is not None:  # both, or neither
                write_factors(answer.factors)
                stack.close()  # now, as whoever reads the table may not read to its end
            write_scores(answer)

        yield write


def _yardstick(reference: tuple[str, ...], sample: int | None, factors: str | None) -> Yardstick:
    """Return the yardstick of a call; raise CallError if it has two of them, or names no run."""
    from confint_cli.scores.naming import separated

    if sum([bool(reference), sample is not None, factors is not None]) > 1:
        raise CallError("--reference, --reference-sample and --factors: use only one of them")
    if reference and not separated(reference):
        raise CallError("--reference names no run")
    return Yardstick(sample, factors, reference)


def _check_saving(path: str | None, factors: str | None, writing: WritingOptions) -> None:
    """Raise CallError if the factors cannot be saved to `path`, or could not be read from it."""
    from confint_cli.outputs import formats

    if path is None:
        return
    if factors is not None:
        raise CallError("--factors and --save-factors: use only one of them")
    endings = [ending for name in ("tsv", "csv") for ending in formats()[name].endings]
    if not path.lower().endswith(tuple(endings)):
        raise CallError(
            f"--save-factors {quoted(path)}: factors are saved in a file whose name ends in "
            f"{' or '.join(endings)}"
        )
    from confint_cli.app.files import real_path

    if writing.output is not None and real_path(path) == real_path(writing.output):
        raise CallError(f"-o and --save-factors are the same file: {quoted(path)}")
