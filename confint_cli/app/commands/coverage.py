"""`confint coverage`: which interval can I trust on data like mine?"""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from confint_cli.app.columns import Columns, named, of_designs
from confint_cli.app.command import command_of, is_given
from confint_cli.app.options import (
    EstimatingOptions,
    WritingOptions,
    for_new_options,
    judged_options,
    statistics_options,
    writing_options,
)
from confint_cli.app.task import Task, Work
from confint_cli.app.types import WholeNumber
from confint_cli.common.errors import CallError
from confint_cli.common.text import quoted
from confint_cli.scores.request import Request
from confint_cli.studies.columns import COVERAGE, COVERAGE_OVER_RUNS

if TYPE_CHECKING:
    from confint_cli.studies.answer import Answer
    from confint_cli.studies.rows import CoverageRow, CoverageSummaryRow

_MOST = 10_000_000  # replicates, and topics in a sample


def _sizes(
    _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> tuple[int, ...]:
    """Return the sizes of samples in `texts`, each once; raise CallError for impossible ones."""
    words = [word for text in texts for word in text.split(",") if word.strip()]
    if texts and not words:
        raise CallError("--sample-size names no size")
    sizes = [_whole(word, "--sample-size") for word in words]
    for size in sizes:
        if size < 2:
            raise CallError(
                f"--sample-size {size} is too small: an interval needs two topics or more"
            )
        if size > _MOST:
            raise CallError(f"--sample-size {size} is too large: the largest is {_MOST}")
    return tuple(dict.fromkeys(sizes))


def _whole(text: str, option: str) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdecimal() and len(text) < 20):
        raise CallError(f"{option} {quoted(text)} is not a whole number")
    return int(text)


@command_of(
    judged_options,
    for_new_options,
    statistics_options(
        methods="t,percentile,bootstrap-t,bca",
        standardize="K other runs drawn anew for each sample",
        population=True,
    ),
    writing_options,
    short_help="Which interval can I trust on data like mine? How often each method covers the "
    "truth.",
    examples="""\
  confint coverage evals/*.eval -m map
  confint coverage -q qrels.txt runs/*.gz -m AP,P@10 --method all --summary
  confint coverage evals/*.eval -m map --sample-size 5,10,20 --summary
  confint coverage -q human.qrels --judge-qrels llm.qrels -m nDCG@10 runs/* --sample-size 10,25
""",
    columns=Columns(
        of_designs(named(COVERAGE)),
        instead={"summary": of_designs(named(COVERAGE_OVER_RUNS))},
    ),
    long_work=True,
)
@click.option(
    "--replicates",
    type=WholeNumber(1, _MOST),
    default=1000,
    show_default=True,
    metavar="R",
    help="Number of samples to draw for each run and measure.",
)
@click.option(
    "--sample-size",
    multiple=True,
    metavar="N",
    callback=_sizes,
    help="Topics per sample. Repeat the option, or separate numbers by commas. [default: the "
    "number in your data]",
)
@click.option(
    "--without-replacement",
    is_flag=True,
    help="Draw each topic at most once into a sample. Use this for samples that are a small part "
    "of all topics.",
)
@click.option(
    "--summary", is_flag=True, help="Print one row per method: how coverage varies over the runs."
)
def command(
    replicates: int,
    sample_size: tuple[int, ...],
    without_replacement: bool,
    summary: bool,
    for_new: str,
    reading: Request,
    estimating: EstimatingOptions,
    writing: WritingOptions,
) -> Task:
    """Print how often each interval method contains the true mean, on your own scores.

    For once, confint treats your topics as if there were no others, so that the true mean is known.
    It draws samples of topics, makes an interval from each sample, and counts how many of the
    intervals contain the true mean.

    \b
    The main columns:
      coverage    the share of intervals that contain the true
                  mean; for 95% intervals it should be 0.95
      coverage_low, coverage_high
                  the 95% interval of the coverage itself,
                  which comes from a limited number of samples
                  (--replicates)
      miss_low, miss_high
                  the share of intervals with the true mean
                  below them, and above them
      width       the mean width of the intervals

    With --summary, each row sums up the runs, as tables and boxplots of papers do. 'error_mean',
    'error_sd' and 'error_max' are about the Type I error, 1 - coverage.

    With several collections (--labels, or a column of a table), --sample-size is the number of
    topics from each collection. The row 'macro' is about the mean of the collections' means. With
    --for-new collections, confint first draws collections, then topics within each. Further rows
    show methods that ignore the design: 'pooled-t' takes all topics for topics of one collection,
    and 'topics-t' uses the interval for new topics.

    With topics in groups (--groups, or a column), a sample consists of groups, and --sample-size is
    their number. 'independent-t' takes all topics as independent.

    With repeats of runs ({repeat} in --labels, or a column), a sample consists of topics and
    repeats. 'averaged-t' ignores that repeats differ, 'one-repeat-t' uses one repeat, and
    'independent-t' takes all scores as independent.

    With a cheaper judge (--judge-qrels, --judge-scores), the topics that both judged are taken for
    all topics there are. A sample has --sample-size of them, and further topics by the judge only
    in the same proportion as in your data. The method is 'ppi'; 'human-t' uses only people's
    scores, and 'judge-t' only the judge's.

    A terminal shows one row per run, with its coverage by each method, and says which method is
    closest to the level. TSV, CSV and JSON have one row per run, method, level and sample size.
    """  # noqa: D301
    from confint_cli.app.names import estimation_asked_for, only_method
    from confint_cli.stats.coverage import Simulation
    from confint_cli.studies.coverage import coverage, over_runs

    estimation = estimation_asked_for(estimating, reading.workers, only=only_method(reading))
    if not is_given("method"):  # where some of the usual ones are not to be had, others are
        estimation = replace(estimation, optional=frozenset(estimation.methods))
    yardstick = estimating.standardize
    reference_runs = None if yardstick is None else yardstick.number
    if yardstick is not None and reference_runs is not None:
        estimating = replace(estimating, standardize=replace(yardstick, anew=True))
    simulation = Simulation(replicates, sample_size, not without_replacement, reference_runs)

    def ask(work: Work) -> "Answer[CoverageRow] | Answer[CoverageSummaryRow]":
        answer = coverage(
            work.scores,
            estimation,
            simulation,
            for_new=for_new,
            best_first=writing.sort == "mean",
            progress=work.progress("drawing samples"),
        )
        return over_runs(answer) if summary else answer

    return Task("coverage", ask, estimating=estimating, designs=True, for_new=for_new)
