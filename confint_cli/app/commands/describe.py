"""`confint describe`: what do the scores look like?"""

from typing import TYPE_CHECKING

import click

from confint_cli.app.columns import Columns, named, of_designs
from confint_cli.app.command import command_of
from confint_cli.app.options import (
    NAME_OR_FILE,
    WritingOptions,
    among_own,
    baseline_option,
    for_new_options,
    reading_options,
    writing_options,
)
from confint_cli.app.task import Task, Work
from confint_cli.common.errors import CallError
from confint_cli.studies.columns import DESCRIPTIONS, DESCRIPTIONS_OF_DIFFERENCES

if TYPE_CHECKING:
    from confint_cli.studies.answer import Answer
    from confint_cli.studies.rows import DescribeRow


@command_of(
    among_own(
        click.Option(
            ["--differences"],
            is_flag=True,
            help="Describe the differences, topic by topic, of every two runs; with --baseline, of "
            "all runs to that one.",
        ),
        baseline_option(NAME_OR_FILE),
    ),
    reading_options,
    for_new_options,
    writing_options,
    short_help="What do the scores look like? Their distribution, and which runs are too skewed.",
    examples="""\
  confint describe evals/*.eval -m map
  trec_eval -q qrels.txt run.txt | confint describe -
  confint describe evals/*.eval -m map --plot histograms.pdf
  confint describe evals/*.eval -m map --differences --baseline bm25
  confint standardize evals/*.eval -m map | confint describe -f table -
""",
    columns=Columns(
        of_designs(named(DESCRIPTIONS)),
        instead={"differences": of_designs(named(DESCRIPTIONS_OF_DIFFERENCES))},
    ),
)
def command(
    differences: bool,
    baseline: tuple[str, ...],
    for_new: str,
    writing: WritingOptions,
) -> Task:
    """Print how the scores of each run are distributed, and which intervals to distrust.

    \b
    The main columns:
      mean, sd, min, q1, median, q3, max
                  q1 and q3 are quartiles, interpolated
                  between two scores where necessary
      zeros       the share of topics with a score of 0
      skew        the third moment over the second to the
                  power of 1.5; above 0, a few topics score
                  far above most; below 0, far below
      shapiro_w   Shapiro and Wilk's W, near 1 for normal
                  scores
      shapiro_p   if the scores are normal, how probable a W
                  no larger than this one is (up to 5,000
                  topics)
      note        why not to trust a t interval

    \b
    What the note means:
      skewed      too skewed by Cochran's rule: 25 skew² is
                  more than the number of topics, if there are
                  30 or more
      mostly zeros, mostly one value
                  no interval has its stated coverage, except
                  wilson where all scores are 0 or 1
      few topics  fewer than 10 topics
      no variance, one topic
                  no proper interval is possible

    The note also names what else there is to know about a run: topics that it lacks, or another run
    with the same scores.

    With --differences, all of this is about the differences of runs, run minus baseline, that
    'confint compare' makes intervals of. 'zeros' are then ties, and the notes are those of 'confint
    compare'.

    With several collections (--labels, or a column of a table), each collection has a row. The row
    'macro' has the mean of their means and the doubts about its interval. With --for-new
    collections, it describes the means of the collections.

    With topics in groups (--groups, or a column) or repeats of runs ({repeat} in --labels, or a
    column), confint still describes scores topic by topic. With repeats, a score is the mean over
    the repeats. 'design_effect' and 'repeat_share' are those of intervals, as in 'confint
    interval'.

    A terminal shows a histogram of each run, and says in words which interval to take.
    """  # noqa: D301
    from confint_cli.app.workload import before_comparing
    from confint_cli.scores.naming import separated
    from confint_cli.stats.pairs import pairs_among
    from confint_cli.studies.describe import describe

    names = baseline if separated(baseline) else ()
    if names and not differences:
        raise CallError("--baseline is for differences: use it with --differences")

    def ask(work: Work) -> "Answer[DescribeRow]":
        if differences:
            baselines, runs = work.baselines, len(work.scores.runs)
            pairs = len(baselines) * (runs - 1) if baselines else pairs_among(runs)
            work.tell(before_comparing(work.scores, pairs, writing))
        return describe(
            work.scores,
            differences=differences,
            baselines=work.baselines,
            for_new=for_new,
            best_first=writing.sort == "mean",
            progress=work.progress("describing"),
        )

    return Task("describe", ask, baselines=names, designs=True, for_new=for_new)
