"""`confint describe`: what do the scores look like?"""

from typing import TYPE_CHECKING

import click

from confint_cli.app.columns import Columns, named, of_designs
from confint_cli.app.options import (
    NAME_OR_FILE,
    WritingOptions,
    among_own,
    baseline_option,
    command_of,
    for_new_options,
    reading_options,
    writing_options,
)
from confint_cli.app.task import Task, Work
from confint_cli.common.errors import CallError

if TYPE_CHECKING:
    from confint_cli.studies.answer import Answer
    from confint_cli.studies.rows import DescribeRow

_SHAPE = "topics mean sd min q1 median q3 max zeros skew shapiro_w shapiro_p note"


@command_of(
    among_own(
        click.Option(
            ["--differences"],
            is_flag=True,
            help="Describe differences, topic by topic, of every two runs; with --baseline, of all "
            "runs to that one.",
        ),
        baseline_option(NAME_OR_FILE),
    ),
    reading_options,
    for_new_options,
    writing_options,
    short_help="What do the scores, or differences of runs, look like? Which are too skewed?",
    examples="""\
  confint describe evals/*.eval -m map
  trec_eval -q qrels.txt run.txt | confint describe -
  confint describe evals/*.eval -m map --plot histograms.pdf
  confint describe evals/*.eval -m map --differences --baseline bm25
  confint standardize evals/*.eval -m map | confint describe -f table -
""",
    columns=Columns(
        of_designs(named("measure run", _SHAPE)),
        instead={"differences": of_designs(named("measure run baseline", _SHAPE))},
    ),
)
def command(
    differences: bool,
    baseline: tuple[str, ...],
    for_new: str,
    writing: WritingOptions,
) -> Task:
    """Print what the scores of every run by every measure look like, and whom to distrust.

    'zeros' is the share of topics with a score of 0, 'skew' the third moment over the second to
    the power of 1.5: above 0, a few topics score far above most; below 0, far below. 'shapiro_w' is
    near 1 for normal scores; 'shapiro_p' is how probable a W no larger is if they are normal (up to
    5,000 topics). 'q1' and 'q3' are quartiles, interpolated between two scores where need be.

    The note says why not to trust a t interval: 'skewed' (Cochran's rule: 25 skew² is more than the
    number of topics, if there are 30 or more), 'mostly zeros' or 'mostly one value' (no interval
    covers as it says), 'few topics' (fewer than 10), 'no variance', 'one topic'; and what else
    there is to know about a run: topics it lacks, another run with the same scores.

    With --differences, all of this is about the differences that 'confint compare' makes intervals
    of: 'run' less 'baseline'; 'zeros' are ties, and the notes those of 'compare'.

    Of several collections (--labels, or a column of a table), each has a row; 'macro' has the mean
    of their means and the doubts about its interval or, with --for-new collections, describes the
    means of the collections. Topics in groups, or runs with repeats, are described by topic, the
    latter by their means; 'design_effect' and 'repeat_share' are those of intervals.

    A terminal shows a histogram of each run, and says in words which interval to take.
    """
    from confint_cli.app.workload import before_comparing
    from confint_cli.scores.naming import separated
    from confint_cli.stats.pairs import pairs_among
    from confint_cli.studies.describe import describe

    names = baseline if separated(baseline) else ()
    if names and not differences:
        raise CallError("--baseline is for differences: give --differences too")

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
